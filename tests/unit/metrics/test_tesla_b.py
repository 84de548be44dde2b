"""TESLA-B: against brute force, and as a metric like any other."""

import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
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
    from celab.analysis.hanover import German

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
    @settings(deadline=None, max_examples=60)
    def check(hyp, ref):
        pair = " ".join(hyp), [" ".join(ref)]
        expected = words.sentence_score(*pair).score + float(oracle.tesla_b_part(hyp, ref, known))
        assert metric.sentence_score(*pair).score == pytest.approx(expected / 2, abs=1e-7)

    check()


def test_by_hand(path):
    # hyp "man": Mann .75, Mensch .25; ref "the man": der Mann. Lemmas, order 1: S = .75, weights 1
    # and 1.1 (der counts .1), so that F = PR / (.8 P + .2 R) with P = .75, R = .75 / 1.1.
    found = celab.TeslaB(pivots=path, **PLAIN).pivots[0]
    assert found.segment("the man") == ["the man"]
    assert found.grams("man", 1) == {("Mann",): 0.75, ("Mensch",): 0.25}
    metric = celab.TeslaB(pivots=path, max_order=1, **PLAIN)
    p, r = 0.75, 0.75 / 1.1
    lem = p * r / (0.8 * p + 0.2 * r)
    p, r = 1, 1 / 1.1  # tags: NN of both
    pos = p * r / (0.8 * p + 0.2 * r)
    by_words = celab.TeslaM(max_order=1, **PLAIN).sentence_score("man", ["the man"]).score
    score = metric.sentence_score("man", ["the man"]).score
    assert score == pytest.approx((by_words + (lem + pos) / 2) / 2, abs=1e-9)


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


def test_it_is_checked_by_the_whole_program(path):
    hyps, refs = ["Hello , man .", "the man", ""], ["Hello , sir .", "good day sir", "man"]
    expected = celab.TeslaB(pivots=path, **PLAIN).corpus_score(hyps, [refs])
    for solver in ("check", "highs"):
        found = celab.TeslaB(pivots=path, solver=solver, **PLAIN).corpus_score(hyps, [refs])
        assert found.segments.scores == pytest.approx(expected.segments.scores, abs=1e-12)
    assert expected.segments[2].score == 0.0
    several = celab.TeslaB(pivots=path, jobs=2, **PLAIN).corpus_score(hyps * 300, [refs * 300])
    assert several.segments.scores[:3].tolist() == expected.segments.scores.tolist()


def test_signature_pickle_and_parts(path):
    metric = celab.TeslaB(lang="en", pivots=[path], lexicon=None)
    assert metric.signature.startswith("tesla-b|n:3|alpha:0.8|discount:0.1|sim:ms+pos|")
    assert f"|pivots:t@{metric.pivots[0].digest[:12]}|v:" in metric.signature
    assert pickle.loads(pickle.dumps(metric)) == metric
    hyps, refs = ["Hello , man .", "the man"] * 3, ["Hello , sir .", "good day"] * 3
    whole = metric.corpus_score(hyps, [refs])
    scorer = metric.scorer([refs])
    parts = [scorer(hyps[a : a + 2], [refs[a : a + 2]]) for a in (0, 2, 4)]
    assert type(whole).joined(parts) == whole
    same = celab.significance.paired_bootstrap(whole, metric.corpus_score(refs, [refs]))
    assert same.difference == pytest.approx(whole.score - 1) and same.p < 0.05
    assert not metric.explains
    with pytest.raises(celab.OptionError, match="tesla-b has no links to explain"):
        metric.explain("man", "man")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"lang": "en"}, "TESLA-B needs at least one pivot table"),
        ({"lang": "de", "pivots": "T"}, r"is for language 'en', but lang is 'de'; they must agree"),
        ({"lang": "en", "pivots": "none.pivot"}, "pivot table none.pivot: no such file"),
        ({"lang": "en", "pivots": "T", "discount": 0.00123}, "must have fewer decimals"),
        ({"pivots": "T"}, r"is for language 'en', but lang is 'zh'; they must agree"),
    ],
)
def test_what_cannot_be(path, arguments, line):
    arguments = {key: path if value == "T" else value for key, value in arguments.items()}
    with pytest.raises(celab.CelabError, match=line):
        celab.TeslaB(**arguments)


def test_chinese_by_characters(tmp_path):
    rows = "雨伞\tumbrella\t1\n伞\tumbrella\t1\n买\tto buy\t1\n购买\tto buy\t1\n"
    (tmp_path / "z.tsv").write_text(rows, "utf-8")
    celab.pivot.build(tmp_path / "z.tsv", tmp_path / "z.pivot", lang="zh", pivot_lang="en")
    metric = celab.TeslaB(lang="zh", pivots=tmp_path / "z.pivot", lexicon=None)
    words = celab.TeslaM(lang="zh", lexicon=None)
    pair = "购买伞", ["买雨伞"]
    expected = (words.sentence_score(*pair).score + 1) / 2
    assert metric.sentence_score(*pair).score == pytest.approx(expected)
