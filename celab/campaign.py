"""A campaign: metrics and a corpus → the scores of all systems, and how the systems compare.

Systems are compared metric by metric on one shared set of resamples (`celab.statistics`); a system
may be better than another by one metric and not by the next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from celab.analysis.model import SentenceError
from celab.arrays import F64, I64
from celab.errors import InputError, OptionError, SolverError
from celab.statistics import resampling, significance

if TYPE_CHECKING:
    from celab.corpus import Corpus
    from celab.metrics.base import Metric, Score

TESTS = ("bootstrap", "randomization")
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Comparison:
    """All systems by one metric, the best first; row i of every array is of `systems[i]`."""

    systems: tuple[str, ...]
    scores: F64
    intervals: F64  # lower and upper end
    ranks: I64  # best and worst rank over the resamples, tails cut off
    groups: I64  # numbered from 1; between two groups every difference is significant
    p_values: F64
    test: str
    n_resamples: int
    seed: int
    higher_is_better: bool


@dataclass(frozen=True, slots=True)
class Campaign:
    """The corpus and its scores, `scores[metric][system]`."""

    corpus: Corpus
    scores: dict[str, dict[str, Score]]
    comparisons: dict[str, Comparison]  # empty if there is one system


def score_systems(
    metrics: Mapping[str, Metric],
    corpus: Corpus,
    progress: Callable[[str, str, int], object] | None = None,
) -> dict[str, dict[str, Score]]:
    """Scores every system by every metric; an error names the file and the line.

    `progress` is called with metric, system and the number of its segments that are done.
    """
    scores: dict[str, dict[str, Score]] = {name: {} for name in metrics}
    for name, metric in metrics.items():
        for system, hyps in corpus.systems.items():
            tell = None if progress is None else partial(progress, name, system)
            try:
                score = metric.corpus_score(hyps, corpus.refs, progress=tell)
            except SentenceError as error:
                where = [system, *corpus.ref_names][error.stream or 0]
                raise InputError(f"{where}, line {error.sentence}: {error.what}") from None
            except SolverError as error:
                where = f"{system}: " if len(corpus.systems) > 1 else ""
                raise SolverError(f"{where}{error}") from None
            if score.n_skipped == len(hyps):
                raise SolverError(
                    f"{system}: no segment has a proved score by {name}, all were skipped; a longer"
                    " time limit may prove some"
                )
            scores[name][system] = score
    return scores


def run(
    metrics: Mapping[str, Metric],
    corpus: Corpus,
    *,
    test: str = "bootstrap",
    n_resamples: int = resampling.N_RESAMPLES,
    seed: int = resampling.SEED,
    progress: Callable[[str, str, int], object] | None = None,
) -> Campaign:
    """Scores every system by every metric, and compares the systems if there are several."""
    if test not in TESTS:
        raise OptionError(f"test is {test!r}; it must be one of: {', '.join(TESTS)}")
    scores = score_systems(metrics, corpus, progress)
    comparisons = {
        name: compare(by_system, test=test, n_resamples=n_resamples, seed=seed)
        for name, by_system in scores.items()
        if len(by_system) > 1
    }
    return Campaign(corpus, scores, comparisons)


def compare(
    scores: Mapping[str, Score],
    *,
    test: str = "bootstrap",
    n_resamples: int = resampling.N_RESAMPLES,
    seed: int = resampling.SEED,
) -> Comparison:
    """The systems of one metric, on one set of resamples."""
    first = next(iter(scores.values()))
    sign = 1.0 if first.higher_is_better else -1.0  # within, higher is always better

    def aggregate(sums: F64, n_segments: int) -> F64:
        return np.asarray(sign * first.aggregate(sums, n_segments))

    # Only segments that no system's score has skipped, so that all are compared on the same.
    scored = np.logical_and.reduce([score.segments.scored for score in scores.values()])
    if not scored.any():
        raise SolverError(
            "every segment was skipped for one system or another, so they cannot be compared;"
            " a longer time limit may prove some"
        )
    statistics = np.stack([score.statistics[scored] for score in scores.values()])
    resampled = resampling.scores_of(statistics, aggregate, n_resamples, seed)
    if test == "randomization":
        p_values = significance.paired_randomization(statistics, aggregate, n_resamples, seed)
    else:
        p_values = significance.paired_bootstrap(resampled)
    order = np.argsort(-resampled.observed, kind="stable")
    groups = significance.clusters(resampled.observed, p_values, 1 - LEVEL)
    ends = np.sort(sign * significance.intervals(resampled, LEVEL), axis=1)
    names = list(scores)
    return Comparison(
        tuple(names[i] for i in order),
        sign * resampled.observed[order],
        ends[order],
        significance.rank_ranges(resampled, LEVEL)[order],
        groups[order],
        p_values[np.ix_(order, order)],
        test,
        n_resamples,
        seed,
        first.higher_is_better,
    )


def documents(corpus: Corpus) -> dict[str, I64]:
    """The documents in the order of the corpus, each with the places of its segments."""
    places: dict[str, list[int]] = {}
    for place, segment in enumerate(corpus.segments):
        places.setdefault(segment.document, []).append(place)
    return {name: np.array(some, np.int64) for name, some in places.items()}
