"""A difference: what is significant, who is better, and the sentence about it."""

from dataclasses import replace

import numpy as np
import pytest

from celab.statistics.difference import DISAGREE, Difference, holm
from celab.statistics.significance import paired_test

LEAD = Difference(a=0.5, b=0.4, interval=(0.05, 0.2), p=0.004, test="exact", n_segments=20)


@pytest.mark.parametrize(
    ("changes", "significant", "verdict"),
    [
        ({}, True, "X scores significantly higher than Y (p = 0.004, two-sided)"),
        ({"p": 0.05}, False, "no significant difference (p = 0.050, two-sided)"),
        ({"n_segments": 19}, False, "fewer than 20 segments, no verdict (p = 0.004, two-sided)"),
        ({"passes": False}, False, "no significant difference (p = 0.004, two-sided)"),
        ({"p": 0.2, "passes": True}, True, "X scores significantly higher than Y (p = 0.200, "),
        ({"higher_is_better": False}, True, "Y scores significantly lower than X (p = 0.004"),
        ({"a": 0.3}, True, "Y scores significantly higher than X (p = 0.004, two-sided)"),
        ({"a": 0.4}, True, "no significant difference (p = 0.004, two-sided)"),
        ({"a": np.nan}, True, "no significant difference"),
        ({"p": None, "untested": "it is late"}, False, "no test, because it is late"),
    ],
)
def test_the_verdict(changes, significant, verdict):
    difference = replace(LEAD, **changes)
    assert difference.significant is significant
    assert difference.mark == "*" * significant
    assert difference.verdict("X", "Y").startswith(verdict)


@pytest.mark.parametrize(
    ("changes", "remark"),
    [
        ({}, ""),
        ({"p": 0.2}, DISAGREE),
        ({"interval": (-0.1, 0.2)}, DISAGREE),
        ({"interval": None}, ""),
        ({"p": None}, ""),
        ({"n_segments": 3}, "fewer than 20 segments, no verdict"),
    ],
)
def test_the_remark(changes, remark):
    assert replace(LEAD, **changes).remark == remark


def test_plain_data():
    assert LEAD.to_dict() == {
        **{"difference": LEAD.value, "interval": [0.05, 0.2], "p": 0.004, "test": "exact"},
        **{"n_resamples": 0, "seed": 0, "n_segments": 20, "n_different": 0, "sides": "two-sided"},
    }


@pytest.mark.parametrize("seed", range(5))
def test_a_tested_pair_reversed(seed):
    """B against A has the same p, the other sign and the same verdict."""
    statistics = np.random.default_rng(seed).random((3, 40))
    tested = paired_test(statistics, n_resamples=100, seed=seed)
    for i, j in ((0, 1), (1, 2), (0, 2)):
        one, other = tested.difference(i, j), tested.difference(j, i)
        assert one.value == -other.value and one.p == other.p
        assert one.interval == pytest.approx(tuple(-end for end in other.interval[::-1]))
        assert one.verdict("X", "Y") == other.verdict("Y", "X")


def test_holm_by_hand():
    tested = [replace(LEAD, p=p) for p in (0.04, 0.001, 0.02)]
    assert [x.passes for x in holm(tested)] == [True, True, True]
    assert [x.passes for x in holm([replace(LEAD, p=0.03)] * 2)] == [False, False]
