"""The exact reduction against the whole program: in Fractions, and in HiGHS on larger pairs."""

from __future__ import annotations

import random
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from conftest import examples, scaled
from hypothesis import given
from hypothesis import strategies as st
from oracle import links as twin_links
from oracle import program as twin
from oracle import tokens as twin_tokens
from pairs import LINKS, ORDERS, group_lists, metric_for, random_groups, sides_of

from celab._native.cover import cover_pairs

ONE = np.zeros(1, np.int32)  # the number of the first sentence
TWINS = {"paper": twin_links.phrase_links, "release-2012": twin_links.release_2012_links}


TEXT = st.text("甲乙ab ", min_size=1, max_size=6).filter(str.strip)


@examples(200)
@given(
    TEXT,
    TEXT,
    group_lists("甲乙ab"),
    ORDERS,
    LINKS,
    st.sampled_from(["char", "space"]),
    st.sampled_from(["auto", "highs"]),
    st.fractions(Fraction(1, 8), 2, max_denominator=8),
)
def test_the_score_is_the_exact_optimum(hyp, ref, groups, order, links, tokenize, solver, f):
    options = {"max_order": order, "links": links, "tokenize": tokenize, "solver": solver}
    with tempfile.TemporaryDirectory() as folder:
        metric = metric_for(Path(folder), groups, f=float(f), script="keep", **options)
        found = metric.sentence_score(hyp, [ref])
    cut = {"char": twin_tokens.tokens, "space": str.split}[tokenize]
    spelled = [[cut(word) for word in group] for group in groups]
    sizes = len(cut(hyp)), len(cut(ref)), order
    best = twin.covered(TWINS[links](cut(hyp), cut(ref), spelled, order), *sizes, f)
    n_hyp, n_ref = (sum(max(0, n - k) for k in range(order)) for n in sizes[:2])
    assert found.recall == pytest.approx(float(best.ref / n_ref), abs=1e-9)
    assert found.precision == pytest.approx(float(best.hyp / n_hyp), abs=1e-9)
    assert found.score == pytest.approx(float(best.objective / (n_ref + f * n_hyp)), abs=1e-9)


@pytest.mark.drawn
@pytest.mark.parametrize(
    ("tokens", "letters", "join"),
    [
        ("甲乙", "甲乙", ""),
        ("甲乙丙", "甲乙丙", ""),
        ("甲乙丙丁戊", "甲乙丙丁戊", ""),
        (["a", "b", "ab", "ba", "aab", "abb"], "ab", " "),
    ],
)
@pytest.mark.parametrize("links", TWINS)
@pytest.mark.parametrize("order", [2, 4, 6])
def test_the_reduction_agrees_with_the_whole_program(tokens, letters, join, links, order, tmp_path):
    # `check` raises where the two differ by 1e-9.
    rng = random.Random(f"{letters} {links} {order}")
    options = {"max_order": order, "links": links, "tokenize": "space" if join else "char"}

    def texts():
        return [join.join(rng.choices(tokens, k=rng.randint(1, 14))) for _ in range(25)]

    for _ in range(scaled(8)):
        groups = random_groups(rng, letters)
        metric = metric_for(tmp_path, groups, solver="check", script="keep", **options)
        metric.corpus_score(texts(), [texts()])


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
    covered, step, rest = cover_pairs(*sides_of(metric, [hyp], [ref]), order, False, ONE, ONE)
    assert step.max() == 3  # priced
    assert not len(rest)
    found = metric.sentence_score(hyp, [ref])
    n_ref, n_hyp = (sum(max(0, len(text) - k) for k in range(order)) for text in (ref, hyp))
    assert (found.recall, found.precision) == (covered[0, 0] / n_ref, covered[0, 1] / n_hyp)


@pytest.mark.parametrize(
    ("ref", "best"),
    [
        ("甲乙丁戊甲乙丁己丙", 6 + 3),  # 子 covers one 甲乙丁, and 丑 the 甲乙 inside the other
        ("甲乙丁戊甲乙己丙", 6 + 3),
        ("甲乙丁戊己丙", 6 + 1),  # nothing competes with 丙
        ("甲乙戊甲乙己丙", 3),  # 丙 could have 丑, too, but covers less
    ],
)
def test_an_outermost_ngram_gives_way_to_a_longer_one_inside_another(ref, best, tmp_path):
    # By hand. 丙 is inside nothing, so it is matched with 丑 first.
    metric = metric_for(tmp_path, [["甲乙丁", "子"], ["甲乙", "丑"], ["丙", "丑"]], solver="check")
    n_ref = sum(len(ref) - k for k in range(4))
    assert metric.sentence_score("子丑", [ref]).recall == best / n_ref


@pytest.mark.parametrize("reverse", [False, True])
def test_what_can_all_be_matched_needs_no_choice(reverse, tmp_path):
    # Each of the first three could have any of the others, and 丁 the second of them alone.
    metric = metric_for(tmp_path, [["甲", "乙", "丙", "子", "丑"], ["丁", "丑"]], solver="check")
    texts = ["子庚丑庚子庚子"], ["甲己乙己丙己丁"]
    covered, step, rest = cover_pairs(
        *sides_of(metric, *(texts[::-1] if reverse else texts)), 4, False, ONE, ONE
    )
    assert (covered.tolist(), step.tolist(), len(rest)) == ([[4, 4]], [[0, 0]], 0)


def test_impossible_sides_are_refused(tmp_path):
    metric = metric_for(tmp_path, [["甲", "乙"]])
    hyp, ref = sides_of(metric, ["甲", "乙"], ["甲", "丙"])
    with pytest.raises(ValueError):
        cover_pairs(ref, hyp, 4, False, ONE, ONE)
    with pytest.raises(ValueError):
        cover_pairs(hyp, ref, 3, False, ONE, ONE)
    with pytest.raises(ValueError):
        cover_pairs(sides_of(metric_for(tmp_path, []), ["甲"], ["甲"])[0], ref, 4, False, ONE, ONE)
    with pytest.raises(ValueError):
        cover_pairs(hyp, ref, 4, False, ONE, np.arange(2, dtype=np.int32))
    for wrong in (-1, 2):
        with pytest.raises(IndexError):
            cover_pairs(hyp, ref, 4, False, ONE, ONE + np.int32(wrong))


@given(
    starts=st.lists(st.text("甲乙x ", max_size=6), min_size=2, max_size=6),
    end=st.text("甲乙x ", max_size=8),
    repeat=st.sampled_from([1, 1, 4]),
    refs=st.lists(st.text("甲乙丙x ", min_size=1, max_size=12), min_size=1, max_size=3),
    groups=group_lists("甲乙丙"),
    order=ORDERS,
    links=LINKS,
)
@examples(60)
def test_rows_kept_from_the_pair_before_change_nothing(
    starts, end, repeat, refs, groups, order, links
):
    # Repeated ends have so many links that places are merged, and nothing can be kept.
    hyps = [start + end * repeat for start in starts] + [end * repeat]
    refs = [ref * repeat for ref in refs]
    with tempfile.TemporaryDirectory() as folder:
        metric = metric_for(Path(folder), groups, max_order=order, links=links, script="keep")
        hyp, ref = sides_of(metric, hyps, refs)
        ref_at, hyp_at = np.indices((len(refs), len(hyps)), np.int32).reshape(2, -1)
        limits = order, links == "release-2012"
        together = cover_pairs(hyp, ref, *limits, hyp_at, ref_at)
        for p in range(len(hyp_at)):
            alone = cover_pairs(hyp, ref, *limits, hyp_at[p : p + 1], ref_at[p : p + 1])
            assert alone[0].tolist() == together[0][p : p + 1].tolist()
            assert alone[1].tolist() == together[1][p : p + 1].tolist()
