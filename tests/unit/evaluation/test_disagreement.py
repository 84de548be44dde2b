"""Where judges disagree, against a slow count."""

from itertools import combinations

import numpy as np
import pytest

from celab import Campaign
from celab.evaluation.judges.disagreement import disagreements


def slow(first, second):
    """Return the size of each segment's disagreement, by the definition."""

    def places(scores):
        flat = [x for row in scores for x in row]
        return [
            [
                np.mean([k for k, y in enumerate(sorted(flat)) if y == x]) / (len(flat) - 1)
                for x in row
            ]
            for row in scores
        ]

    p, q = places(first), places(second)
    sizes = []
    for s in range(len(first[0])):
        pairs = [
            ((p[i][s] - p[j][s]), (q[i][s] - q[j][s]))
            for i, j in combinations(range(len(first)), 2)
        ]
        sizes.append(np.mean([abs(d) + abs(e) if d * e < 0 else 0 for d, e in pairs]))
    return sizes


def test_sizes():
    rng = np.random.default_rng(3)
    first, second = rng.integers(0, 6, (2, 3, 8)).tolist()
    texts = ["伞"] * 8
    campaign = Campaign.from_lists(dict.fromkeys("ABC", texts), texts)
    campaign = campaign.with_scores(
        {"x": dict(zip("ABC", first, strict=True)), "y": dict(zip("ABC", second, strict=False))}
    )
    scores = campaign.scores
    rows = disagreements(scores["x"], scores["y"], campaign.segments, most=8)
    sizes = slow(first, second)
    assert [row.size for row in rows] == sorted((x for x in sizes if x > 0), reverse=True)
    for row in rows:
        assert row.size == pytest.approx(sizes[row.segment - 1])
        assert row.first[0] > row.first[1]
        assert row.second[0] < row.second[1]


def test_judges_that_agree_and_lower_is_better():
    texts = ["伞"] * 3
    campaign = Campaign.from_lists({"A": texts, "B": texts}, texts)
    values = {"A": [1, 2, 3], "B": [3, 1, 2]}
    negated = {name: [-x for x in scores] for name, scores in values.items()}
    campaign = campaign.with_scores({"x": values, "y": negated}, lower_is_better=["y"])
    assert disagreements(campaign.scores["x"], campaign.scores["y"], campaign.segments) == ()
