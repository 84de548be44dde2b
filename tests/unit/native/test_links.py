"""The links kernel against the twin that tries every cut."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import pytest
from conftest import examples
from hypothesis import example, given
from hypothesis import strategies as st
from oracle import links as twin
from oracle import tokens as twin_tokens
from pairs import LINKS, ORDERS, metric_for, sides_of

TWINS = {"paper": twin.phrase_links, "release-2012": twin.release_2012_links}


def kernel_links(metric, hyp, ref):
    hyp_side, ref_side = sides_of(metric, [hyp], [ref])
    rows = metric.engine.links(hyp_side, 0, ref_side, 0)
    return [((h, h + b), (r, r + a)) for h, b, r, a in rows.tolist()]


# Tokens of one letter and of several, of which one can be the text of others: by spaces, by marks
# (`char` cuts neither before nor after them) and by Chinese characters between Latin runs.
SPACED = st.text("aab甲𠮷\u0301  ", max_size=8)
SPACED_WORDS = st.text("ab甲𠮷 ", min_size=1, max_size=4).map(str.strip).filter(bool)
SPACED_GROUPS = st.lists(st.lists(SPACED_WORDS, min_size=2, max_size=4, unique=True), max_size=4)


@examples(300)
@given(SPACED, SPACED, SPACED_GROUPS, ORDERS, LINKS, st.sampled_from(["char", "space"]))
@example("甲乙", "丙丙", [["甲乙", "丙丙"]], 4, "release-2012", "char")
@example("ab a b", "a b ab", [], 4, "release-2012", "space")
@example("甲ab", "ab", [["甲ab", "a b"], ["甲 a b", "b"]], 4, "release-2012", "char")
@example("aab b", "a ab b", [["aabb", "甲"]], 4, "release-2012", "space")
@example("\u0301a b", "ab", [["a b", "甲"]], 2, "paper", "char")
def test_links_are_those_of_equal_text(hyp, ref, groups, order, links, tokenize):
    with tempfile.TemporaryDirectory() as folder:
        metric = metric_for(
            Path(folder), groups, max_order=order, links=links, tokenize=tokenize, script="keep"
        )
        found = kernel_links(metric, hyp, ref)
    cut = {"char": twin_tokens.tokens, "space": str.split}[tokenize]
    spelled = [[cut(word) for word in group] for group in groups]
    assert found == sorted(set(found))
    assert set(found) == TWINS[links](cut(hyp), cut(ref), spelled, order)


@pytest.mark.parametrize("links", TWINS)
@pytest.mark.parametrize("tokenize", ["char", "space"])
@pytest.mark.parametrize(
    ("hyp", "ref"),
    [
        ("RachelReeves 说", "Rachel Reeves 说"),
        ("GPT 4", "GPT4"),
        ("买雨 伞", "买 雨伞"),
        ("iPhone 15 Pro", "iPhone15 Pro"),
        ("ab abc", "aba bc"),
        ("RachelReeves 说", "财相 说"),
        ("那 Rachel Reeves 说", "那 财相 说"),
    ],
)
def test_the_cut_of_equal_text_and_of_words_does_not_matter(hyp, ref, tokenize, links, tmp_path):
    groups = [["Rachel Reeves", "财相"], ["GPT 4", "GPT4"]]  # of the second, one word is left
    metric = metric_for(tmp_path, groups, links=links, tokenize=tokenize)
    assert metric.sentence_score(hyp, [ref]).score == 1
    assert metric.sentence_score(ref, [hyp]).score == 1


@pytest.mark.parametrize("tokens", [["甲", "乙"], ["a", "b", "ab"], ["ab", "abab"]])
@examples(15)
@given(st.data(), ORDERS)
def test_merged_places_give_the_same_links(tokens, data, order):
    # So much repetition that equal windows share one place.
    sides = st.lists(st.sampled_from(tokens), min_size=30, max_size=50)
    hyp, ref = data.draw(sides), data.draw(sides)
    groups = [[tokens[0], 2 * tokens[1]]]
    with tempfile.TemporaryDirectory() as folder:
        metric = metric_for(Path(folder), groups, max_order=order, tokenize="space", script="keep")

        @cache
        def of_windows(hyp, ref):
            return kernel_links(metric, hyp, ref)

        found = kernel_links(metric, " ".join(hyp), " ".join(ref))
        apart = {
            ((h, h + b), (r, r + a))
            for h in range(len(hyp))
            for r in range(len(ref))
            for (x, b), (y, a) in of_windows(
                " ".join(hyp[h : h + order]), " ".join(ref[r : r + order])
            )
            if x == y == 0
        }
    assert set(found) == apart
