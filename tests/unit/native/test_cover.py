"""The exact reduction against the whole program: in Fractions, and in HiGHS on larger pairs."""

from __future__ import annotations

import random
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import links as twin_links
from oracle import program as twin
from oracle import tokens as twin_tokens
from pairs import LINKS, ORDERS, group_lists, metric_for, random_groups, sides_of

from celab._native.cover import cover_pairs
from celab.exact.engine import Pairs
from celab.metrics import celab as module

TWINS = {"paper": twin_links.phrase_links, "release-2012": twin_links.release_2012_links}


@settings(max_examples=150)
@given(
    st.text("甲乙丙", min_size=1, max_size=6),
    st.text("甲乙丙", min_size=1, max_size=6),
    group_lists("甲乙丙"),
    ORDERS,
    LINKS,
    st.sampled_from(["auto", "highs"]),
    st.fractions(Fraction(1, 8), 2, max_denominator=8),
)
def test_the_score_is_the_exact_optimum(hyp, ref, groups, order, links, solver, f):
    with tempfile.TemporaryDirectory() as folder:
        metric = metric_for(
            Path(folder),
            groups,
            max_order=order,
            links=links,
            solver=solver,
            f=float(f),
            script="keep",
        )
        found = metric.sentence_score(hyp, [ref])
    spelled = [[tuple(word) for word in group] for group in groups]
    links_found = TWINS[links](tuple(hyp), tuple(ref), spelled, order)
    best = twin.covered(links_found, len(hyp), len(ref), order, f)
    n_ref, n_hyp = (sum(max(0, n - k) for k in range(order)) for n in (len(ref), len(hyp)))
    assert found.recall == pytest.approx(float(best.ref / n_ref), abs=1e-9)
    assert found.precision == pytest.approx(float(best.hyp / n_hyp), abs=1e-9)
    assert found.score == pytest.approx(float(best.objective / (n_ref + f * n_hyp)), abs=1e-9)


SPACED = st.text("ab甲  ", min_size=1, max_size=7).filter(str.strip)


@settings(max_examples=100)
@given(
    SPACED,
    SPACED,
    group_lists("ab甲"),
    ORDERS,
    LINKS,
    st.sampled_from(["char", "space"]),
    st.sampled_from(["auto", "highs"]),
)
def test_so_is_that_of_tokens_of_several_letters(hyp, ref, groups, order, links, tokenize, solver):
    with tempfile.TemporaryDirectory() as folder:
        metric = metric_for(
            Path(folder),
            groups,
            max_order=order,
            links=links,
            tokenize=tokenize,
            solver=solver,
            script="keep",
        )
        found = metric.sentence_score(hyp, [ref])
    cut = {"char": twin_tokens.tokens, "space": str.split}[tokenize]
    sizes = len(cut(hyp)), len(cut(ref)), order
    best = twin.covered(TWINS[links](cut(hyp), cut(ref), groups, order), *sizes)
    n_hyp, n_ref = (sum(max(0, n - k) for k in range(order)) for n in sizes[:2])
    assert found.recall == pytest.approx(float(best.ref / n_ref), abs=1e-9)
    assert found.precision == pytest.approx(float(best.hyp / n_hyp), abs=1e-9)


@pytest.mark.parametrize("letters", ["甲乙", "甲乙丙", "甲乙丙丁戊"])
@pytest.mark.parametrize("links", TWINS)
@pytest.mark.parametrize("order", [2, 4, 6])
def test_the_reduction_agrees_with_the_whole_program(letters, links, order, tmp_path):
    # 18 × 12 lexicons × 25 pairs = 5,400 pairs; `check` raises where the two differ by 1e-9.
    rng = random.Random(f"{letters} {links} {order}")
    for _ in range(12):
        metric = metric_for(
            tmp_path,
            random_groups(rng, letters),
            max_order=order,
            links=links,
            solver="check",
            script="keep",
        )
        hyps = ["".join(rng.choices(letters, k=rng.randint(1, 14))) for _ in range(25)]
        refs = ["".join(rng.choices(letters, k=rng.randint(1, 14))) for _ in range(25)]
        metric.corpus_score(hyps, [refs])


@pytest.mark.parametrize("links", TWINS)
@pytest.mark.parametrize("order", [2, 4, 6])
def test_the_reduction_agrees_on_tokens_of_several_letters(links, order, tmp_path):
    # 6 × 12 lexicons × 25 pairs = 1,800 pairs
    rng = random.Random(f"{links} {order}")

    def text():
        return " ".join("".join(rng.choices("ab", k=rng.choice((1, 1, 2, 3)))) for _ in range(12))

    for _ in range(12):
        metric = metric_for(
            tmp_path,
            random_groups(rng, "ab"),
            max_order=order,
            links=links,
            tokenize="space",
            solver="check",
            script="keep",
        )
        metric.corpus_score([text() for _ in range(25)], [[text() for _ in range(25)]])


@pytest.mark.parametrize(
    ("hyp", "ref"),
    [
        ("甲" * 60, "甲" * 25),
        ("甲乙" * 20, "乙甲甲" * 9),
        ("ab a " * 30, "a b ab " * 15),
        ("ab " * 60, "a b " * 40),
    ],
)
def test_repetitive_pairs_agree_too(hyp, ref, tmp_path):
    metric_for(tmp_path, [["甲", "乙乙"]], solver="check").sentence_score(hyp, [ref])


def test_the_longest_repetition_ends_at_once_and_exactly():
    metric = metric_for(Path(), [])
    assert metric.sentence_score("甲" * 2000, ["甲" * 2000]).score == 1.0


@pytest.mark.parametrize(
    ("hyp", "ref", "groups", "order"),
    [
        ("丁戊甲戊乙甲", "丙甲戊甲丙", [["乙", "戊", "甲"], ["乙甲", "戊"]], 3),
        ("甲乙丁乙丁乙甲丁", "甲丙丁乙甲", [["丁", "甲", "甲乙"]], 2),
    ],
)
def test_prices_prove_what_can_be_matched_together(hyp, ref, groups, order, tmp_path):
    # As many n-grams as the ranks allow would cover more than any that can be matched do.
    metric = metric_for(tmp_path, groups, max_order=order, solver="check", script="keep")
    covered, step, rest = cover_pairs(*sides_of(metric, [hyp], [ref]), order, False)
    assert step.max() == 3  # priced
    assert not len(rest)
    found = metric.sentence_score(hyp, [ref])
    n_ref, n_hyp = (sum(max(0, len(text) - k) for k in range(order)) for text in (ref, hyp))
    assert (found.recall, found.precision) == (covered[0, 0] / n_ref, covered[0, 1] / n_hyp)


def test_threads_and_batches_change_no_bit(tmp_path, monkeypatch):
    rng = random.Random(7)
    letters = "甲乙丙丁戊己庚辛"
    groups = random_groups(rng, letters) + random_groups(rng, letters)
    hyps, ref1, ref2 = (
        ["".join(rng.choices(letters, k=rng.randint(1, 30))) for _ in range(700)] for _ in range(3)
    )
    one = metric_for(tmp_path, groups).corpus_score(hyps, [ref1, ref2])
    for jobs in (2, 8):
        many = metric_for(tmp_path, groups, jobs=jobs).corpus_score(hyps, [ref1, ref2])
        assert np.array_equal(one.segments.values, many.segments.values)
        assert one.score == many.score
    alone = [
        metric_for(tmp_path, groups).sentence_score(*pair)
        for pair in zip(hyps[:50], zip(ref1, ref2, strict=True), strict=False)
    ]
    assert alone == list(one.segments[:50])
    for size in (1, 33, 700):
        monkeypatch.setattr(module, "_FEWEST_IN_BATCH", size)
        monkeypatch.setattr(module, "_MOST_IN_BATCH", size)
        again = metric_for(tmp_path, groups).corpus_score(hyps, [ref1, ref2])
        assert np.array_equal(one.segments.values, again.segments.values)


def test_pairs_by_number_are_the_pairs_by_themselves(tmp_path):
    rng = random.Random(11)
    hyps, refs = (
        ["".join(rng.choices("甲乙丙丁戊", k=rng.randint(0, 20))) for _ in range(12)]
        for _ in range(2)
    )
    metric = metric_for(tmp_path, [["甲", "乙乙"], ["丙", "丁", "戊甲"]])
    hyp_at = np.array([rng.randrange(12) for _ in range(60)], np.int32)
    ref_at = np.array([rng.randrange(12) for _ in range(60)], np.int32)
    sides = sides_of(metric, hyps, refs)
    (many,) = metric.engine.cover_by_grade(Pairs(*sides, hyp_at, ref_at, str), metric.run)
    assert many.proved.all()
    for found, h, r in zip(many.amounts, hyp_at, ref_at, strict=True):
        pair = Pairs.in_order(*sides_of(metric, [hyps[h]], [refs[r]]), str)
        (alone,) = metric.engine.cover_by_grade(pair, metric.run)
        assert np.array_equal(found, alone.amounts[0])


def test_impossible_sides_are_refused(tmp_path):
    metric = metric_for(tmp_path, [["甲", "乙"]])
    hyp, ref = sides_of(metric, ["甲", "乙"], ["甲", "丙"])
    one = np.zeros(1, np.int32)
    with pytest.raises(ValueError, match="need an index"):
        cover_pairs(ref, hyp, 4, False)
    with pytest.raises(ValueError, match="max_order"):
        cover_pairs(hyp, ref, 3, False)
    with pytest.raises(ValueError, match="one lexicon"):
        cover_pairs(sides_of(metric_for(tmp_path, []), ["甲"], ["甲"])[0], ref, 4, False)
    with pytest.raises(ValueError, match="as many"):
        cover_pairs(hyp, ref, 4, False, one, None)
    for wrong in (-1, 2):
        with pytest.raises(IndexError, match="no such sentence"):
            cover_pairs(hyp, ref, 4, False, one, one + wrong)
