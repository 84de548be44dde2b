"""TESLA-M against its slow twin, and at its edges."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import tesla_m as twin

import celab
from celab.errors import InputError, OptionError

# A tag decides whether a word is a function word, as in every tag set.
TAGS = {"N": False, "V": False, "F": True}
WORD = st.builds(
    lambda lemma, tag: twin.Word(lemma, lemma, tag, TAGS[tag]),
    st.sampled_from(["a", "b", "c", "d", "."]),
    st.sampled_from(list(TAGS)),
)
SENTENCE = st.lists(WORD, min_size=1, max_size=6)
GROUPS = st.lists(
    st.lists(st.sampled_from("abcd"), min_size=2, max_size=3, unique=True), max_size=3
)


def tagged(words):
    return " ".join(f"{word.form}|{word.lemma}|{word.tag}" for word in words)


def metric(tmp_path_factory, groups, **options):
    lexicon = "none"
    if groups:
        lexicon = tmp_path_factory.mktemp("groups") / "groups.tsv"
        lexicon.write_text("".join("\t".join(group) + "\n" for group in groups), "utf-8")
    return celab.TeslaM(analysis="tagged", function_tags=["F"], lexicon=lexicon, **options)


@settings(max_examples=120)
@given(
    SENTENCE, SENTENCE, GROUPS, st.integers(1, 4),
    st.sampled_from(["ms+pos", "ms", "lem", "pos", "ms+lem+pos"]),
    st.sampled_from(["0.1", "0.5", "1", "0.25"]), st.sampled_from(["0.8", "0.5"]),
)  # fmt: skip
def test_the_score_is_the_twins(
    tmp_path_factory, hyp, ref, groups, order, similarities, discount, alpha
):
    made = metric(
        tmp_path_factory, groups,
        max_order=order, similarities=similarities, discount=float(discount), alpha=float(alpha),
    )  # fmt: skip
    by_lemma = {}
    for number, group in enumerate(groups):
        for word in group:
            by_lemma.setdefault(word, set()).add(number)
    if not twin.alphanumeric(ref):
        with pytest.raises(InputError, match="has no reference"):
            made.sentence_score(tagged(hyp), [tagged(ref)])
        return
    expected = twin.score(
        hyp, ref, by_lemma or {},
        alpha=Fraction(alpha), discount=Fraction(discount), orders=range(1, order + 1),
        names=similarities.split("+"),
    )  # fmt: skip
    found = made.sentence_score(tagged(hyp), [tagged(ref)])
    assert found.score == pytest.approx(float(expected), abs=1e-12)


def test_a_sentence_equals_itself_and_swapping_swaps():
    made = celab.TeslaM(analysis="surface", lexicon="none")
    same = made.sentence_score("Das ist ein Haus.", ["Das ist ein Haus."])
    assert (same.score, same.precision, same.recall) == (1.0, 1.0, 1.0)
    one = made.sentence_score("Das Haus", ["Das ist ein Haus"])
    two = made.sentence_score("Das ist ein Haus", ["Das Haus"])
    assert (one.precision, one.recall) == (two.recall, two.precision)


def test_synonyms_count_by_lemma():
    made = celab.TeslaM(analysis="tagged", lexicon="de-core")
    pair = "Schirme|Schirm|NN", ["Regenschirm|Regenschirm|NN"]
    plain = celab.TeslaM(analysis="tagged", lexicon="none")
    assert made.sentence_score(*pair).score == 1.0  # a synonym with the same tag
    assert plain.sentence_score(*pair).score == 0.75  # ms one half, pos whole


def test_references_are_averaged_and_may_be_absent():
    made = celab.TeslaM(analysis="surface", lexicon="none")
    found = made.corpus_score(["a b", "c"], [["a b", ""], ["x y", "c"]])
    assert found.segments[0].score == np.mean([r.score for r in found.segments[0].references])
    assert [r.index for r in found.segments[1].references] == [1]
    assert made.sentence_score("", ["a"]).score == 0.0
    assert made.sentence_score("!?", ["a"]).score == 0.0


def test_german_splits_compounds_and_says_so():
    made = celab.TeslaM("de")
    assert "compounds" in made.signature and "lex:de-core@" in made.signature
    whole = made.sentence_score("Er kauft einen Regenschirm.", ["Er kauft einen Regen Schirm."])
    assert whole.score > 0.9


def test_the_signature_says_what_moves_a_score():
    made = celab.TeslaM(analysis="surface", lexicon="none")
    changes = {"max_order": 2, "alpha": 0.5, "discount": 0.2, "similarities": "ms"}
    others = {
        celab.TeslaM(analysis="surface", lexicon="none", **{key: value}).signature
        for key, value in changes.items()
    }
    assert len(others | {made.signature}) == len(changes) + 1
    assert celab.TeslaM(analysis="surface", lexicon="none", jobs=2).signature == made.signature
    assert str(made.corpus_score(["a"], [["a"]])).startswith("TESLA-M = 1.0000")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "needs words"),
        ({"lang": "xx"}, "no analysis of words for language 'xx'"),
        ({"analysis": "tagged", "separator": ""}, "separator is ''"),
        ({"analysis": "surface", "max_order": 0}, "max_order is 0"),
        ({"analysis": "surface", "alpha": 2.0}, "alpha is 2.0"),
        ({"analysis": "surface", "discount": 0.12345678901}, "fewer decimals"),
        ({"analysis": "surface", "similarities": "bert"}, "similarities is 'bert'"),
        ({"analysis": "surface", "splitter": None}, "no option 'splitter'"),
    ],
)
def test_impossible_settings_are_refused(arguments, words):
    with pytest.raises(OptionError, match=words):
        celab.TeslaM(**arguments)
