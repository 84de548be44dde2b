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
from pairs import LINKS, ORDERS, group_lists, metric_for, random_groups

TWINS = {"paper": twin_links.phrase_links, "release-2012": twin_links.release_2012_links}


@settings(max_examples=150)
@given(
    st.text("甲乙丙", min_size=1, max_size=6), st.text("甲乙丙", min_size=1, max_size=6),
    group_lists("甲乙丙"), ORDERS, LINKS, st.sampled_from(["auto", "highs"]),
    st.fractions(Fraction(1, 8), 2, max_denominator=8),
)  # fmt: skip
def test_the_score_is_the_exact_optimum(hyp, ref, groups, order, links, solver, f):
    with tempfile.TemporaryDirectory() as folder:
        metric = metric_for(
            Path(folder), groups,
            max_order=order, links=links, solver=solver, f=float(f), script="keep",
        )  # fmt: skip
        found = metric.sentence_score(hyp, [ref])
    spelled = [[tuple(word) for word in group] for group in groups]
    links_found = TWINS[links](tuple(hyp), tuple(ref), spelled, order)
    best = twin.covered(links_found, len(hyp), len(ref), order, f)
    n_ref, n_hyp = (sum(max(0, n - k) for k in range(order)) for n in (len(ref), len(hyp)))
    assert found.recall == pytest.approx(float(best.ref / n_ref), abs=1e-9)
    assert found.precision == pytest.approx(float(best.hyp / n_hyp), abs=1e-9)
    assert found.score == pytest.approx(float(best.objective / (n_ref + f * n_hyp)), abs=1e-9)


@pytest.mark.parametrize("letters", ["甲乙", "甲乙丙", "甲乙丙丁戊"])
@pytest.mark.parametrize("links", TWINS)
@pytest.mark.parametrize("order", [2, 4, 6])
def test_the_reduction_agrees_with_the_whole_program(letters, links, order, tmp_path):
    # 18 × 12 lexicons × 25 pairs = 5,400 pairs; `check` raises where the two differ by 1e-9.
    rng = random.Random(f"{letters} {links} {order}")
    for _ in range(12):
        metric = metric_for(
            tmp_path, random_groups(rng, letters),
            max_order=order, links=links, solver="check", script="keep",
        )  # fmt: skip
        hyps = ["".join(rng.choices(letters, k=rng.randint(1, 14))) for _ in range(25)]
        refs = ["".join(rng.choices(letters, k=rng.randint(1, 14))) for _ in range(25)]
        metric.corpus_score(hyps, [refs])


@pytest.mark.parametrize(("hyp", "ref"), [("甲" * 60, "甲" * 25), ("甲乙" * 20, "乙甲甲" * 9)])
def test_repetitive_pairs_agree_too(hyp, ref, tmp_path):
    metric_for(tmp_path, [["甲", "乙乙"]], solver="check").sentence_score(hyp, [ref])


def test_the_longest_repetition_ends_at_once_and_exactly():
    metric = metric_for(Path(), [])
    assert metric.sentence_score("甲" * 2000, ["甲" * 2000]).score == 1.0


def test_threads_and_batches_change_no_bit(tmp_path):
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
    alone = [metric_for(tmp_path, groups).sentence_score(*pair) for pair in
             zip(hyps[:50], zip(ref1, ref2, strict=True), strict=False)]  # fmt: skip
    assert alone == list(one.segments[:50])
