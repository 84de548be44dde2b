import random

import numpy as np
import pytest

from celab.base.text.counts import (
    GRAMS_OF_EDIT,
    GRAMS_OF_WIDE_EDIT,
    count_texts,
    count_traits,
    traits_of,
)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("买了雨伞。", "買了雨傘"),
        ("ＡＢＣ１２３", "abc123"),
        ("“Nein”, sagte er!", "nein sagte er"),
        ("カラス", "ｶﾗｽ"),
        ("a\nb", "a b"),
        ("\ud800a", "a"),
    ],
)
def test_folded_texts_are_equal(a, b):
    counts = count_texts([a, b])
    assert counts.text(0) == counts.text(1)
    assert counts.lengths()[0] == counts.lengths()[1]
    assert (counts.grams()[0] == counts.grams()[1]).all()


@pytest.mark.parametrize("character", "\u3400\u4dbf\u4e00\u9fff\uac00\ud7a3")
def test_the_ends_of_a_range_are_in_it(character):
    neighbors = [chr(ord(character) + step) for step in (0, -1, 1)]
    for letter in neighbors:
        assert count_traits([letter]).first.tolist() == [traits_of(letter)]
    assert count_texts([character]).lengths().tolist() == [1]


def test_each_text_is_counted_by_itself():
    texts = ["买雨伞", "", "abcdef", "。", "去北京 a", "x" * 600]
    together = count_texts(texts)
    for i, text in enumerate(texts):
        alone = count_texts([text])
        assert alone.text(0) == together.text(i)
        assert (alone.grams()[0] == together.grams()[i]).all()
        assert alone.n_wide()[0] == together.n_wide()[i]
    assert together.grams().sum(axis=1).tolist() == [3, 0, 6, 0, 4, 3 + 255]
    assert together.n_wide().tolist() == [3, 0, 0, 0, 3, 0]
    assert len(count_texts([])) == 0


@pytest.mark.parametrize(
    ("letters", "of_edit"),
    [("买雨伞去北京天气", GRAMS_OF_WIDE_EDIT), ("abcdefgh买", GRAMS_OF_EDIT)],
)
def test_an_edit_changes_few_grams(letters, of_edit):
    draw = random.Random(3)
    for _ in range(300):
        text = [draw.choice(letters) for _ in range(20)]
        edited, place, kind = [*text], draw.randrange(20), draw.randrange(3)
        edited[place : place + (kind < 2)] = [draw.choice(letters)] * (kind > 0)
        counts = count_texts(["".join(text), "".join(edited)])
        distance = np.abs(np.subtract(*counts.grams().astype(int))).sum()
        assert distance <= 2 * of_edit


def test_characters_of_one_script_are_counted():
    assert (count_texts(["买雨伞", "天"]).n_simplified, count_texts(["买"]).n_traditional) == (2, 0)
    assert (count_texts(["買雨傘"]).n_simplified, count_texts(["買雨傘"]).n_traditional) == (0, 2)
