"""TESLA-M against its slow twin, and at its edges."""

from __future__ import annotations

from fractions import Fraction

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from oracle import tesla_m as twin
from tagged_words import GROUPS, SENTENCE, metric, tagged

import celab


@examples(60)
@given(
    SENTENCE,
    SENTENCE,
    GROUPS,
    st.integers(1, 4),
    st.sampled_from(["ms+pos", "ms", "lem", "pos", "ms+lem+pos"]),
    st.sampled_from(["0.1", "0.5", "1", "0.25"]),
    st.sampled_from(["0.8", "0.5"]),
)
def test_the_score_is_the_twins(
    tmp_path_factory, hyp, ref, groups, order, similarities, discount, alpha
):
    made = metric(
        tmp_path_factory,
        groups,
        max_order=order,
        similarities=similarities,
        discount=float(discount),
        alpha=float(alpha),
    )
    by_lemma = {}
    for number, group in enumerate(groups):
        for word in group:
            by_lemma.setdefault(word, set()).add(number)
    expected = twin.score(
        hyp,
        ref,
        by_lemma or {},
        alpha=Fraction(alpha),
        discount=Fraction(discount),
        orders=range(1, order + 1),
        names=similarities.split("+"),
    )
    found = made.sentence_score(tagged(hyp), [tagged(ref)])
    expected = 1 if expected is None else expected  # neither has a word, and neither is blank
    assert found.score == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize(
    ("hyp", "ref", "score"),
    [("", "a", 0.0), ("!?", "a", 0.0), ("a", "!?", 0.0), ("...", "!?", 1.0), (" ", "!?", 0.0)],
)
def test_sides_without_words(hyp, ref, score):
    made = celab.TeslaM(analysis="surface", lexicon=None)
    assert made.sentence_score(hyp, [ref]).score == score
