"""Agreement whose errors and tests draw documents."""

from dataclasses import replace

import numpy as np
import pytest
from test_measurement import judged, scored

from celab.agreement import measurement
from celab.base.errors import InputError
from celab.statistics import resampling

SHAPE = (5, 60)


def drawn_set(names):
    """Return a judged set whose segments are of these documents, and the scores of two metrics."""
    draw = np.random.default_rng(3)
    easy = np.array([sum(map(ord, name)) * 37 % 97 for name in names]) / 97
    people = np.round(50 + 10 * draw.random(SHAPE) + 30 * easy + np.arange(5)[:, None])
    dataset = judged(people)
    dataset = replace(dataset, labels={"document": names} if any(names) else {})
    metrics = [
        scored((people - 50) / 40 + 0.1 * draw.random(SHAPE), "near"),
        scored(draw.random(SHAPE) + easy, "far"),
    ]
    return dataset, metrics


def test_a_document_for_each_segment_gives_what_segments_give():
    dataset, metrics = drawn_set([f"d{number}" for number in range(SHAPE[1])])
    usual = measurement.measure(dataset, metrics, n_resamples=60)
    found = measurement.measure(dataset, metrics, n_resamples=60, resample_by="document")
    assert (usual.resample_by, found.resample_by) == ("segment", "document")
    assert found.p_between == usual.p_between
    assert found.human_errors == usual.human_errors
    for name, agreement in found.metrics.items():
        assert agreement.figures == usual.metrics[name].figures
        assert agreement.errors == usual.metrics[name].errors
        assert agreement.clusters == usual.metrics[name].clusters
        assert agreement.signature == f"{usual.metrics[name].signature}|resample:document"
    assert found.to_dict()["resample_by"] == "document"
    assert usual.to_dict()["resample_by"] == "segment"


def test_figures_are_those_of_the_segments_of_drawn_documents():
    names = [f"d{number // 4}" for number in range(SHAPE[1])]
    dataset, metrics = drawn_set(names)
    found = measurement.measure(dataset, metrics, n_resamples=60, resample_by="document")
    (rows,) = resampling.chunks(15, 60, resampling.SEED)
    people = dataset.people.segments
    values = []
    for row in rows.astype(int).tolist():
        chosen = [4 * d + k for d, times in enumerate(row) for _ in range(times) for k in range(4)]
        sides = (metrics[0].segments[:, chosen].mean(axis=1), people[:, chosen].mean(axis=1))
        values.append(np.corrcoef(*sides)[0, 1])
    figure = found.metrics["near"].figures["pearson"]
    assert figure.error == pytest.approx(np.std(values, ddof=1))
    assert figure.interval == pytest.approx(tuple(np.quantile(values, (0.025, 0.975))))
    usual = measurement.measure(dataset, metrics, n_resamples=60)
    assert figure.value == usual.metrics["near"].figures["pearson"].value
    assert figure.error != usual.metrics["near"].figures["pearson"].error


def test_a_set_without_documents_is_refused():
    dataset, metrics = drawn_set([""] * SHAPE[1])
    with pytest.raises(InputError, match="does not say the document of each segment"):
        measurement.measure(dataset, metrics, n_resamples=60, resample_by="document")
