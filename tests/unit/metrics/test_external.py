"""Metrics of one's own, and sacreBLEU's objects."""

import pytest
import sacrebleu

import celab
from celab import Campaign, InputError, OptionError

SYSTEMS = {"A": ["买伞", "去北京", "你好吗"] * 8, "B": ["买雨伞", "去", "好"] * 8}
REFS = ["买雨伞", "去北京", "你好"] * 8


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (sacrebleu.CHRF(), "chrf"),
        (sacrebleu.CHRF(word_order=2), "chrf++"),
        (sacrebleu.BLEU(tokenize="zh"), "bleu"),
    ],
)
def test_objects_of_sacrebleu_score_and_resample_as_ours(theirs, ours):
    campaign = Campaign.from_lists(SYSTEMS, REFS).score({"theirs": theirs, "ours": ours}).test()
    a, b = campaign.comparisons["theirs"], campaign.comparisons["ours"]
    assert a.systems == b.systems
    assert a.scores == pytest.approx(b.scores)
    assert a.intervals == pytest.approx(b.intervals)
    assert a.p_values == pytest.approx(b.p_values)


def test_ter_is_lower_better():
    score = Campaign.from_lists(SYSTEMS, REFS).score(sacrebleu.TER()).scores["TER"]["A"]
    assert not score.higher_is_better


class Mine:
    """The share of characters that a translation has of its reference."""

    def __init__(self, total=None):
        self.total = total

    def sentence_score(self, hyp, refs):
        return min(1.0, len(hyp) / len(refs[0]))

    def corpus_score(self, hyps, refs):
        values = [self.sentence_score(h, [r]) for h, r in zip(hyps, refs[0], strict=True)]
        return sum(values) / len(values) if self.total is None else self.total


def test_a_metric_of_two_methods_is_tested_if_its_score_is_a_mean():
    campaign = Campaign.from_lists(SYSTEMS, REFS).score(["chrf", Mine()]).test()
    assert "Mine" in campaign.comparisons
    assert celab.compare(*SYSTEMS.values(), REFS, Mine())["Mine"].difference.is_tested


def test_a_score_that_is_no_mean_is_not_resampled():
    campaign = Campaign.from_lists(SYSTEMS, REFS).score(["chrf", Mine(0.25)]).test()
    assert "Mine" not in campaign.comparisons
    assert campaign.scores["Mine"]["A"].score == 0.25
    assert campaign.interval("Mine", "A") is None


def test_what_is_no_metric():
    with pytest.raises(OptionError):
        Campaign.from_lists(SYSTEMS, REFS).score([object()])
    with pytest.raises(InputError):
        Campaign.from_lists(SYSTEMS, REFS).score(Mine(float("nan")))
