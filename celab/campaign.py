"""A campaign: metrics and a corpus in, the scores of all systems and how they compare out.

Systems are compared metric by metric on one shared set of resamples (`celab.statistics`); a system
may be better than another by one metric and not by the next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from celab.analysis.model import SentenceError
from celab.errors import InputError, OptionError, SolverError
from celab.statistics import resampling, significance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from celab.corpus import Corpus
    from celab.metrics.base import Metric, Score

    F64 = NDArray[np.float64]
    I64 = NDArray[np.int64]

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
    """What was scored, and with which result: `scores[metric][system]`."""

    corpus: Corpus
    scores: dict[str, dict[str, Score]]
    comparisons: dict[str, Comparison]  # empty if there is one system


def run(
    metrics: Mapping[str, Metric],
    corpus: Corpus,
    *,
    test: str = "bootstrap",
    n_resamples: int = resampling.N_RESAMPLES,
    seed: int = resampling.SEED,
    progress: Callable[[str, str, int], object] | None = None,
) -> Campaign:
    """Scores every system by every metric, and compares the systems if there are several.

    `progress` is told metric, system and how many of its segments are done.
    """
    if test not in TESTS:
        raise OptionError(f"test is {test!r}; it must be one of: {', '.join(TESTS)}")
    scores: dict[str, dict[str, Score]] = {}
    for name, metric in metrics.items():
        of_metric = scores[name] = {}
        for system, hyps in corpus.systems.items():
            tell = None if progress is None else _teller(progress, name, system)
            try:
                of_metric[system] = metric.corpus_score(hyps, corpus.refs, progress=tell)
            except SentenceError as error:
                where = [system, *corpus.ref_names][error.stream or 0]
                raise InputError(f"{where}, line {error.sentence}: {error.what}") from None
            if of_metric[system].n_skipped == len(hyps):
                raise SolverError(
                    f"{system}: no segment has a proved score by {name}, all were skipped; a longer"
                    " time_limit may prove some"
                )
    comparisons = {}
    if len(corpus.systems) > 1:
        comparisons = {
            name: compare(of_metric, test=test, n_resamples=n_resamples, seed=seed)
            for name, of_metric in scores.items()
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
            "every segment was skipped for one system or another, so that they cannot be compared;"
            " there must be one that is not, or a longer time_limit"
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


def documents(corpus: Corpus) -> dict[str, NDArray[np.int64]]:
    """The documents in the order of the corpus, each with the places of its segments."""
    found: dict[str, list[int]] = {}
    for place, segment in enumerate(corpus.segments):
        found.setdefault(segment.document, []).append(place)
    return {name: np.array(places, np.int64) for name, places in found.items()}


def _teller(
    progress: Callable[[str, str, int], object], metric: str, system: str
) -> Callable[[int], object]:
    return lambda n_done: progress(metric, system, n_done)
