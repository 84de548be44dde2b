"""Which segments are read first: what they lost, and whether their references tell anything."""

import numpy as np

from celab import Campaign
from celab.systems.segment_order import are_telling, order_by_loss, reference_lengths

LONG, LONGER = "他昨天在北京买了一把新雨伞。", "他昨天在北京买了一把新雨伞，今天又在上海买了两把。"


def test_the_longest_reference_counts_without_addresses_and_signs():
    refs = [["买伞", "@user1 好", LONG], ["买一把雨伞！", "https://a.b/c", ""]]
    assert reference_lengths(refs).tolist() == [5, 1, 13]
    assert are_telling(refs).tolist() == [False, False, True]


def test_what_lost_most_is_first_and_short_references_are_last():
    refs = [["买伞", LONG, LONGER, LONG]]
    scores = np.array([0.0, 0.5, 0.6, np.nan])
    assert order_by_loss(scores, refs, top=1) == [2, 1, 0]  # 0.4 · 23 is more than 0.5 · 13
    assert order_by_loss(100 * scores, refs, top=100) == [2, 1, 0]
    # Of an error rate, everything that is not 0 is lost.
    assert order_by_loss(1 - scores, refs, higher_is_better=False) == [2, 1, 0]
    # Without a scale, the best of the scores is the measure; systems count by their mean.
    assert order_by_loss(np.array([scores, scores]), refs) == [1, 2, 0]


def test_judges_disagree_on_segments_that_tell_something():
    texts = ["买伞", LONG, LONGER]
    campaign = Campaign.from_lists({"A": texts, "B": texts}, texts).with_scores(
        {"x": {"A": [9, 2, 1], "B": [0, 1, 1]}, "human": {"A": [0, 1, 1], "B": [9, 2, 1]}}
    )
    rows = campaign.to_dict()["disagreement"]
    assert [row["segment"] for row in rows] == [2]
    short = Campaign.from_lists({"A": ["买伞"] * 2, "B": ["买"] * 2}, ["买伞"] * 2).with_scores(
        {"x": {"A": [9, 2], "B": [0, 1]}, "human": {"A": [0, 1], "B": [9, 2]}}
    )
    rows = short.to_dict()["disagreement"]
    assert [row["segment"] for row in rows] == [
        1,
        2,
    ]  # no reference is longer
