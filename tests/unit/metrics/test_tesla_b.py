"""TESLA-B: against brute force, and as a metric like any other."""

from pathlib import Path

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from oracle import pivot as oracle

import celab

TABLE = (
    "Hello ,\tHallo ,\t9\nHello ,\tGuten Tag ,\t3\nsir\tHerr\t4\nsir\tder Herr\t1\n"
    "good day\tGuten Tag\t5\nthe man\tder Mann\t4\nman\tMann\t6\nman\tMensch\t2\nthe\tder\t8\n"
    "the\tdie\t7\n.\t.\t9\n"
)
PLAIN = {"analysis": "surface", "lexicon": None}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pivot")
    (folder / "t.tsv").write_text(TABLE, "utf-8")
    celab.pivot.build(folder / "t.tsv", folder / "t.pivot", lang="en", pivot_lang="de")
    return str(folder / "t.pivot")


def translations():
    from celab.words.hanover import German

    german, found = German(), {}
    for row in TABLE.splitlines():
        phrase, pivot, count = row.split("\t")
        words = [
            (word.lemma, word.tag, word.function or not any(map(str.isalnum, word.form)))
            for word in german.tagged(pivot.split())
        ]
        found.setdefault(tuple(phrase.split()), []).append((words, int(count)))
    return found


def test_it_is_half_tesla_m_and_half_the_pivot_s(path):
    known = translations()
    metric, words = celab.TeslaB(pivots=path, **PLAIN), celab.TeslaM(**PLAIN)
    tokens = st.lists(
        st.sampled_from("Hello , sir good day the man . Querrien".split()), min_size=1, max_size=7
    )

    @given(tokens, tokens)
    @examples(40)
    def check(hyp, ref):
        pair = " ".join(hyp), [" ".join(ref)]
        expected = words.sentence_score(*pair).score + float(oracle.tesla_b_part(hyp, ref, known))
        assert metric.sentence_score(*pair).score == pytest.approx(expected / 2, abs=1e-7)

    check()


def test_two_tables_count_as_one_half(path, tmp_path):
    Path(tmp_path / "u.tsv").write_text("man\thomme\t1\nsir\thomme\t1\n", "utf-8")
    other = celab.pivot.build(tmp_path / "u.tsv", tmp_path / "u.pivot", lang="en", pivot_lang="fr")
    pair = "the man", ["the sir"]
    by_words = celab.TeslaM(**PLAIN).sentence_score(*pair).score

    def half(*pivots):
        return 2 * celab.TeslaB(pivots=pivots, **PLAIN).sentence_score(*pair).score - by_words

    assert not other.has_tags  # so that it has two F, and the other six
    assert half(other) == pytest.approx(1.0)
    assert half(path, other) == pytest.approx((6 * half(path) + 2 * half(other)) / 8)


def test_chinese_by_characters(tmp_path):
    rows = "雨伞\tparapluie\t1\n伞\tparapluie\t1\n买\tacheter\t1\n购买\tacheter\t1\n"
    (tmp_path / "z.tsv").write_text(rows, "utf-8")
    celab.pivot.build(tmp_path / "z.tsv", tmp_path / "z.pivot", lang="zh", pivot_lang="fr")
    metric = celab.TeslaB(lang="zh", pivots=tmp_path / "z.pivot", lexicon=None)
    words = celab.TeslaM(lang="zh", lexicon=None)
    pair = "购买伞", ["买雨伞"]
    expected = (words.sentence_score(*pair).score + 1) / 2
    assert metric.sentence_score(*pair).score == pytest.approx(expected)
