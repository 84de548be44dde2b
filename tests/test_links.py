"""The links kernel against the twin that tries every cut."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from oracle import links as twin
from pairs import LINKS, ORDERS, group_lists, metric_for

from celab._native.links import link_pairs

TEXT = st.text("甲乙丙", max_size=8)
TWINS = {"paper": twin.phrase_links, "release-2012": twin.release_2012_links}


def kernel_links(metric, hyp, ref):
    vocabulary = metric.vocabulary()
    rows = link_pairs(
        metric.read([hyp], vocabulary), 0, metric.read([ref], vocabulary), 0,
        metric.options.max_order, metric.options.links == "release-2012",
    )  # fmt: skip
    return [((h, h + b), (r, r + a)) for h, b, r, a in rows.tolist()]


@given(
    st.text("甲乙丙", max_size=8),
    st.text("甲乙丙", max_size=8),
    group_lists("甲乙丙"),
    ORDERS,
    LINKS,
)
@example("甲乙", "丙丙", [["甲乙", "丙丙"]], 4, "release-2012")
def test_links_are_those_of_every_cut(hyp, ref, groups, order, links):
    with tempfile.TemporaryDirectory() as folder:
        metric = metric_for(Path(folder), groups, max_order=order, links=links, script="keep")
        found = kernel_links(metric, hyp, ref)
    spelled = [[tuple(word) for word in group] for group in groups]
    assert found == sorted(set(found))
    assert set(found) == TWINS[links](tuple(hyp), tuple(ref), spelled, order)


@given(st.text("甲乙", min_size=30, max_size=60), st.text("甲乙", min_size=30, max_size=60), ORDERS)
def test_merged_places_give_the_same_links(hyp, ref, order):
    # So much repetition that equal windows share one place.
    with tempfile.TemporaryDirectory() as folder:
        metric = metric_for(Path(folder), [["甲", "乙乙"]], max_order=order, script="keep")
        found = kernel_links(metric, hyp, ref)
        apart = {
            ((h, h + b), (r, r + a))
            for h in range(len(hyp))
            for r in range(len(ref))
            for (x, b), (y, a) in kernel_pairs_at(metric, hyp[h : h + order], ref[r : r + order])
            if x == y == 0
        }
    assert set(found) == apart


def kernel_pairs_at(metric, hyp, ref):
    return [((hs, he - hs), (rs, re - rs)) for (hs, he), (rs, re) in kernel_links(metric, hyp, ref)]


@pytest.mark.parametrize("links", TWINS)
def test_without_a_lexicon_links_are_the_equal_ngrams(links, tmp_path):
    metric = metric_for(tmp_path, [], links=links)
    hyp, ref = "我们坐下来看看", "我们来看"
    expected = {
        ((i, i + n), (j, j + n))
        for n in range(1, 5)
        for i in range(len(hyp) - n + 1)
        for j in range(len(ref) - n + 1)
        if hyp[i : i + n] == ref[j : j + n]
    }
    assert set(kernel_links(metric, hyp, ref)) == expected


def test_space_mode_spells_words_across_tokens(tmp_path):
    metric = metric_for(tmp_path, [["雨伞", "伞"]], tokenize="space")
    assert ((0, 1), (0, 2)) in kernel_links(metric, "伞", "雨 伞")
    assert ((0, 1), (0, 1)) in kernel_links(metric, "伞", "雨伞")
