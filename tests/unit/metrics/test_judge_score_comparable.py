"""Scores that cannot be compared are refused."""

import pickle
from dataclasses import replace

import pytest

import celab
from celab.base.errors import InputError
from celab.corpus import Corpus, Segment
from celab.metrics.baselines import Chrf
from celab.metrics.scores import Score

HYPS = ["买伞", "去北京", "你好吗"]

OTHERS = ["卖伞", "去", "你好"]
REFERENCES = [["买雨伞", "去北京", "你好吗"]]
TWO = [*REFERENCES, ["买一把伞", "到北京去", "您好"]]


@pytest.fixture(scope="module")
def scores():
    score = celab.TeslaCelab().corpus_score
    return {
        "usual": score(HYPS, REFERENCES),
        "settings": celab.TeslaCelab(max_order=3).corpus_score(OTHERS, REFERENCES),
        "metric": Chrf().corpus_score(OTHERS, REFERENCES),
        "references": score(OTHERS, [["买雨伞", "去北京", "你好吧"]]),
        "n_references": score(OTHERS, TWO),
        "order": score(OTHERS[::-1], [REFERENCES[0][::-1]]),
        "segments": score(OTHERS[:2], [REFERENCES[0][:2]]),
        "same": score(OTHERS, REFERENCES),
    }


WRONG = {
    "settings": "have different settings, n:4 and n:3; score both with the same",
    "metric": "are scores of different metrics, celab and chrf",
    "references": "have different references, first in segment 3; score both on the same test set",
    "n_references": "have 1 and 2 references; score both with the same references",
    "order": "have different references in another order, first in segment 1",
    "segments": "have 3 and 2 segments; score both on the same test set",
}


def paired_tests(a, b):
    """Return every way to test a difference; all must refuse or take the same scores."""
    texts = HYPS[: len(a.segments)]
    segments = [Segment("", str(k)) for k in range(len(texts))]
    corpus = Corpus(
        segments=segments, systems={"a": texts, "b": texts}, refs=[texts], ref_names=["ref"]
    )
    campaign = celab.Campaign(corpus, scores={"metric": {"a": a, "b": b}})
    return [
        lambda: celab.significance.paired_bootstrap(a, b, n_resamples=50),
        lambda: celab.significance.paired_randomization(a, b, n_resamples=50),
        lambda: campaign.test(n_resamples=50),
        lambda: campaign.compare("a", "b", n_resamples=50),
    ]


@pytest.mark.parametrize("what", WRONG)
def test_scores_that_cannot_be_compared_are_refused(scores, what):
    for test in paired_tests(scores["usual"], scores[what]):
        with pytest.raises(InputError, match=f"^a and b {WRONG[what]}"):
            test()
    for test in paired_tests(scores[what], scores["usual"]):
        with pytest.raises(InputError):
            test()


def test_scores_are_compared_by_what_they_have(scores):
    by_hand = replace(scores["same"], digests=None)
    before = pickle.loads(pickle.dumps(scores["same"]))
    object.__delattr__(before, "digests")  # as one that was pickled without it
    unproved = replace(scores["same"], signature=scores["same"].signature.with_part("skipped", 1))
    for other in (scores["same"], by_hand, before, unproved):
        for test in paired_tests(scores["usual"], other):
            test()
    for test in paired_tests(replace(scores["usual"], digests=None), scores["settings"]):
        with pytest.raises(InputError):
            test()


def test_the_digest_of_references_travels(scores):
    metric, score = celab.TeslaCelab(), scores["usual"]
    parts = [metric.corpus_score(HYPS[p], [REFERENCES[0][p]]) for p in (slice(1), slice(1, 3))]
    many = metric.corpus_scores({"A": HYPS, "B": OTHERS}, REFERENCES)
    for other in (
        pickle.loads(pickle.dumps(score)),
        Score.joined(parts),
        metric.scorer(REFERENCES)(HYPS, REFERENCES),
        many["A"],
        many["B"],
    ):
        assert other.digests.tolist() == score.digests.tolist()
        assert other.test_set == score.test_set == score.to_dict()["test_set"]
    assert Score.joined([parts[0], replace(parts[1], digests=None)]).digests is None
    assert score.test_set != scores["order"].test_set
    two = metric.corpus_score(HYPS, TWO), metric.corpus_score(HYPS, TWO[::-1])
    assert two[0].digests.tolist() == two[1].digests.tolist()  # the order of references is nothing
