"""Strategies of Hypothesis for the generators that the targets share."""

from __future__ import annotations

from hypothesis import strategies as st

from fuzz import inputs


def broken(samples: list[bytes], pieces: list[bytes]) -> st.SearchStrategy[bytes]:
    """Return a sample, or one with a few bytes changed, cut, doubled or replaced by a piece."""
    sample, random = st.sampled_from(samples), st.randoms(use_true_random=False)
    return st.one_of(sample, st.builds(inputs.damaged, random, sample, st.just(pieces)))
