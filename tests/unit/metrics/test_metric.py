"""Laws and edges of TESLA-CELAB as its users see it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pairs import ORDERS, group_lists, metric_for

import celab
from celab.base.errors import InputError

TEXT = st.text("甲乙丙丁a1 ，", max_size=12)
FULL = TEXT.filter(str.strip)


@pytest.fixture(scope="module")
def plain():
    return celab.TeslaCelab(lexicon=None)


@given(FULL, ORDERS)
def test_identical_text_scores_one(text, order):
    found = celab.TeslaCelab(lexicon=None, max_order=order).sentence_score(text, [text])
    assert (found.score, found.precision, found.recall) == (1.0, 1.0, 1.0)


@given(st.text("甲乙", min_size=1), st.text("丙丁", min_size=1))
def test_nothing_shared_scores_zero(hyp, ref):
    found = celab.TeslaCelab(lexicon=None).sentence_score(hyp, [ref])
    assert (found.score, found.precision, found.recall) == (0.0, 0.0, 0.0)


@given(FULL, FULL, group_lists("甲乙丙丁"), ORDERS)
def test_swapping_the_sides_swaps_precision_and_recall(hyp, ref, groups, order):
    with tempfile.TemporaryDirectory() as folder:
        metric = metric_for(Path(folder), groups, max_order=order)
        forth, back = metric.sentence_score(hyp, [ref]), metric.sentence_score(ref, [hyp])
    assert (forth.precision, forth.recall) == (back.recall, back.precision)
    assert 0.0 <= forth.score <= 1.0


@given(FULL, FULL, group_lists("甲乙丙丁"), group_lists("甲乙丙丁"), st.booleans())
def test_a_larger_lexicon_never_lowers_a_score(hyp, ref, groups, more, release):
    links = "release-2012" if release else "paper"
    with tempfile.TemporaryDirectory() as folder:
        small = metric_for(Path(folder), groups, links=links).sentence_score(hyp, [ref])
        large = metric_for(Path(folder), groups + more, links=links).sentence_score(hyp, [ref])
    assert large.score >= small.score
    assert large.precision >= small.precision
    assert large.recall >= small.recall


@given(FULL, st.lists(FULL, min_size=1, max_size=3), st.randoms())
def test_the_order_of_references_does_not_matter(hyp, refs, rng):
    other = refs.copy()
    rng.shuffle(other)
    metric = celab.TeslaCelab(lexicon=None)
    found, again = metric.sentence_score(hyp, refs), metric.sentence_score(hyp, other)
    assert found.score == pytest.approx(again.score, abs=1e-15)
    assert sorted(r.score for r in found.references) == sorted(r.score for r in again.references)


@given(FULL, FULL, group_lists("甲乙丙丁"), st.randoms())
def test_the_order_of_lexicon_lines_does_not_matter(hyp, ref, groups, rng):
    shuffled = [rng.sample(group, len(group)) for group in rng.sample(groups, len(groups))]
    with tempfile.TemporaryDirectory() as folder:
        one = metric_for(Path(folder), groups).sentence_score(hyp, [ref])
        two = metric_for(Path(folder), shuffled).sentence_score(hyp, [ref])
    assert one == two


@given(FULL, FULL, st.floats(0, 10))
def test_f_only_reweights(hyp, ref, f):
    one = celab.TeslaCelab(lexicon=None).sentence_score(hyp, [ref])
    two = celab.TeslaCelab(lexicon=None, f=f).sentence_score(hyp, [ref])
    assert (one.precision, one.recall) == (two.precision, two.recall)
    low, high = sorted((one.precision, one.recall))
    assert low - 1e-12 <= two.score <= high + 1e-12


@pytest.mark.parametrize("solver", ["auto", "highs", "check"])
def test_all_solvers_take_an_f_of_zero(solver):
    metric = celab.TeslaCelab(lexicon=None, f=0.0, solver=solver)
    found = metric.sentence_score("买伞", ["买雨伞"])
    assert found.score == found.recall == pytest.approx(1 / 3)
    assert found.precision == pytest.approx(2 / 3)


def test_several_references_are_averaged_over_those_present(plain):
    both = plain.corpus_score(["买伞", "下雨"], [["买伞", ""], ["卖伞", "下雨"]])
    first, second = both.segments
    assert [r.index for r in first.references] == [0, 1]
    assert first.score == np.mean([r.score for r in first.references])
    assert [r.index for r in second.references] == [1]
    assert second.score == 1.0
    assert both.score == np.mean([first.score, second.score])


@pytest.mark.parametrize("absent", ["", " \u3000", "\u200b", None])
def test_an_absent_reference_is_not_counted(plain, absent):
    alone = plain.sentence_score("买伞", ["买雨伞"])
    assert plain.sentence_score("买伞", [absent, "买雨伞"]).score == alone.score


@pytest.mark.parametrize("hyp", ["", "  ", "\u3000"])
def test_an_empty_hypothesis_scores_zero(plain, hyp):
    found = plain.sentence_score(hyp, ["买雨伞"])
    assert (found.score, found.precision, found.recall) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("solver", ["auto", "highs", "check"])
def test_no_reference_at_all_is_an_error_that_names_the_segment(solver):
    metric = celab.TeslaCelab(lexicon=None, solver=solver)
    with pytest.raises(InputError, match="segment 2 has no reference"):
        metric.corpus_score(["甲", "乙"], [["甲", " "]])


def test_the_signature_says_everything_that_moves_a_score(plain):
    changes = {
        "tokenize": "space",
        "width": "keep",
        "case": "lower",
        "script": "keep",
        "max_order": 3,
        "f": 0.5,
        "links": "release-2012",
        "cilin_lines": "=",
    }
    signatures = {celab.TeslaCelab(lexicon=None, **{k: v}).signature for k, v in changes.items()}
    assert len(signatures | {plain.signature}) == len(changes) + 1
    for same in ({"solver": "highs"}, {"jobs": 2}):
        assert celab.TeslaCelab(lexicon=None, **same).signature == plain.signature
    assert (
        celab.TeslaCelab(lexicon=None, f=1).signature
        == celab.TeslaCelab(lexicon=None, f=1.0).signature
    )
    assert "\n" not in plain.signature
    assert "|refs:2|" in plain.corpus_score(["甲"], [["甲"], ["甲"]]).signature


def test_width_and_case(plain):
    assert plain.sentence_score("Ｔ恤，５折", ["T恤,5折"]).score == 1.0
    assert celab.TeslaCelab(lexicon=None, width="keep").sentence_score("Ｔ", ["T"]).score == 0.0
    assert plain.sentence_score("iphone", ["iPhone"]).score == 0.0
    assert (
        celab.TeslaCelab(lexicon=None, case="lower").sentence_score("IPHONE", ["iPhone"]).score
        == 1.0
    )


def test_progress_is_told_and_ends_at_all(plain):
    told = []
    plain.corpus_score(["甲"] * 1000, [["甲"] * 1000], progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1000


def test_segments_slice_compare_and_cannot_be_changed(plain):
    score = plain.corpus_score(["甲", "乙", "丙"], [["甲", "甲", "丙"]])
    assert [s.score for s in score.segments] == [1.0, 0.0, 1.0]
    assert len(score.segments[1:]) == 2
    assert score.segments[-1] == score.segments[0]
    assert score.segments == plain.corpus_score(["甲", "乙", "丙"], [["甲", "甲", "丙"]]).segments
    with pytest.raises(ValueError, match="read-only"):
        score.segments.values[0, 0, 0] = 2.0
