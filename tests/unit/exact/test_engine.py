"""References that are kept change no score; a matrix of pairs is what the pairs are."""

from __future__ import annotations

import numpy as np
import pytest
from pairs import metric_for

from celab.exact import engine
from celab.metrics.scores import Segments

GROUPS = [["甲", "乙乙"], ["丙", "丁", "戊甲"]]


def test_references_are_read_once(tmp_path, monkeypatch):
    metric = metric_for(tmp_path, GROUPS)
    seen = []
    read = metric.engine._read
    monkeypatch.setattr(
        metric.engine, "_read", lambda *told: seen.extend([1] * told[3]) or read(*told)
    )
    for hyp in ("甲", "乙", "甲"):
        metric.corpus_score([hyp], [["甲"]])
    assert len(seen) == 1
    metric.corpus_score(["甲"], [["乙"]])
    assert len(seen) == 2


def test_no_more_references_are_kept_than_may_be(tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "_MAX_CACHED_CHARACTERS", 5)
    metric = metric_for(tmp_path, [])
    for n in (2, 2, 3, 9, 1):
        refs = ["甲" * n]
        metric.corpus_score(refs, [refs])
        kept = [len(text) for _, key in metric.engine._cache for (text,) in key]
        assert sum(kept) == metric.engine._cache_size <= 5
    assert kept == [3, 1]  # what does not fit takes no place from others


def test_candidates_that_are_compared_with_each_other_are_not_kept(tmp_path):
    metric = metric_for(tmp_path, [])
    metric.pairwise(["甲", "乙"], ["甲", "乙"])
    assert not metric.engine._cache
    metric.pairwise(["甲"], ["甲", "乙"])
    assert metric.engine._cache_size == 2


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]])
def test_the_order_of_equally_good_references_does_not_matter(order):
    values = np.array([[[0.5, 0.2, 0.9]], [[0.5, 0.6, 0.3]], [[0.5, 0.6, 0.4]], [[0.9, 1, 1]]])
    present = np.array([[True], [True], [True], [False]])
    best = Segments(values[order], "max", present[order])
    assert best[0].score == 0.5
    assert (best[0].precision, best[0].recall) == (0.6, 0.4)
    skipped = Segments(values[order], "max", present[order], np.array([False]))
    assert np.isnan(skipped.figures).all()
