"""A judged set and scores of metrics → correlation of each metric with the judgments.

`celab.statistics.correlation` defines three kinds of figures: over systems, over all judged
translations, and over pairs of translations of one segment. `celab.statistics.wmt` defines the
figures of the WMT metrics tasks. Scores of which lower ones are better are negated.

Every figure is computed again on the same resamples of the segments. Its standard deviation over
the resamples is its error. The share of resamples in which a metric's figure is not greater than
the base metric's is its p, one-sided as in the paper's tables (Koehn 2004; 2012, tables 2 and 3). A
p near 1 means that the base agrees more with people. Systems are not resampled. A metric whose
segments are not known has no resamples, hence no p.

Metrics are also compared with each other by permutation tests, as in the WMT metrics tasks: for
figures of systems the scores of single translations are exchanged, for soft pairwise accuracy the
p-values of pairs of systems, and for figures of segments all scores of a segment.

A segment that a metric skipped for a system, because no optimum was proved, is left out for all
metrics and systems, as if the set did not have it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from celab.agreement.dataset import Dataset, HumanJudgments
from celab.agreement.results import (
    ACROSS,
    CALIBRATED,
    COMPARED,
    FIGURES,
    PAIRS,
    SOFT,
    SYSTEM,
    Evaluation,
    Figure,
    MetricAgreement,
)
from celab.agreement.scores import MetricScores
from celab.base.arrays import F64, I64, Bools
from celab.base.errors import TIME_LIMIT_HINT, InputError, OptionError, SolverError
from celab.base.signature import Signature
from celab.statistics import resampling, wmt
from celab.statistics.documents import (
    SIGNATURE_KEY,
    ResampleBy,
    group_statistics,
    sum_documents,
    units_to_draw,
    weights,
)
from celab.statistics.resampling import quotient
from celab.statistics.significance import share_not_greater

INTERVAL = (0.025, 0.975)
DIGITS = 12  # decimals; scores are rounded to these, so that rounding errors do not break ties


def check_levels(levels: Collection[str]) -> None:
    """Raise `OptionError` if a level is not known."""
    for level in levels:
        if level not in FIGURES:
            raise OptionError("level", level, f"choose from {', '.join(FIGURES)}")


def measure(
    dataset: Dataset,
    scores: Sequence[MetricScores],
    *,
    against: str | None = None,
    levels: Collection[str] = tuple(FIGURES),
    n_resamples: int = resampling.N_RESAMPLES,
    seed: int = resampling.SEED,
    resample_by: ResampleBy = "segment",
    by: str | None = None,
) -> Evaluation:
    """Return the agreement of all metrics, each compared with `against` (default: the first).

    With `by`, "domain" or "document", each domain or document is also measured by itself. With
    `resample_by="document"`, intervals and tests draw and exchange documents.
    """
    names = [metric.name for metric in scores]
    if not names or len(set(names)) < len(names):
        raise InputError(f"the metrics are {names}; there must be one or more, each once")
    base = names[0] if against is None else against
    if base not in names:
        raise OptionError("against", base, f"choose from {', '.join(names)}")
    labels = () if by is None else dataset.labels_of(by)
    of_segments = dataset.labels_of("document") if resample_by == "document" else ()
    documents = units_to_draw(resample_by, of_segments)
    kept = np.ones(len(dataset.corpus.segments), dtype=bool)
    for metric in scores:
        kept &= metric.proved
    if not kept.any():
        raise SolverError(
            "every segment was skipped by some metric for some system, so there is nothing to"
            " measure",
            hint=TIME_LIMIT_HINT,
        )

    def measure_on(mask: Bools, scores: Sequence[MetricScores], n_skipped: int) -> Evaluation:
        people = dataset.people if mask.all() else dataset.people.select(mask)
        if not mask.all():
            scores = [metric.select(mask) for metric in scores]
        subset_base = base if any(metric.name == base for metric in scores) else scores[0].name
        # The segments of one document cannot be resampled by document.
        is_drawn = documents is not None and len({*documents[mask].tolist()}) > 1
        drawn = documents[mask] if documents is not None and is_drawn else None
        resampled = _Resampled(people, levels, n_resamples=n_resamples, seed=seed, documents=drawn)
        return _evaluate(dataset, scores, resampled, base=subset_base, n_skipped=n_skipped)

    evaluation = measure_on(kept, scores, int((~kept).sum()))
    with_segments = [metric for metric in scores if metric.segments is not None]
    for group in dict.fromkeys(labels):
        mask = kept & np.array([label == group for label in labels])
        if mask.any() and with_segments:
            evaluation.groups[group] = measure_on(mask, with_segments, 0)
    return evaluation


class _Resampled:
    """Figures of metrics on one set of segments: on the set itself, then on every resample."""

    def __init__(
        self,
        people: HumanJudgments,
        levels: Collection[str],
        *,
        n_resamples: int,
        seed: int,
        documents: I64 | None = None,
    ) -> None:
        self.people, self.n_resamples, self.seed = people, n_resamples, seed
        self.documents = documents  # segment → document, if documents are drawn
        n_segments = people.segments.shape[1]
        self.weights = np.concatenate(
            [np.ones((1, n_segments)), *weights(n_segments, n_resamples, seed, documents)]
        )
        self.has_systems = "system" in levels and len(people.ranked) > 1
        self.has_segments = "segment" in levels
        self.figures: dict[str, dict[str, F64]] = {}  # metric → figure → its values
        # figure → metric → what each unit adds to the figure; permutation tests exchange these
        self.shares: dict[str, dict[str, F64]] = {name: {} for name in COMPARED}
        self.epsilons: dict[str, float] = {}
        self._human_p_values = np.empty((1, 0))
        if self.has_systems:
            self._human_p_values = self._order_p_values(people.segments)

    def _order_p_values(self, segments: F64) -> F64:
        human = self.people.segments
        return wmt.order_p_values(segments, human, self.weights, wmt.N_TRIALS, self.seed)

    def add(self, metric: MetricScores) -> None:
        """Add the figures of a metric."""
        figures = self.figures[metric.name] = {}
        segments = None if metric.segments is None else metric.sign * metric.segments
        if self.has_systems:
            figures |= self._of_systems(metric)
            if segments is not None and self._human_p_values.size:
                p_values = self._order_p_values(segments)
                figures[SOFT] = 1 - np.abs(self._human_p_values - p_values).mean(axis=1)
                share = -np.abs(self._human_p_values[0] - p_values[0])
                self.shares[SOFT][metric.name] = share
        if self.has_segments and segments is not None:
            figures |= self._of_segments(metric.name, segments)

    def _of_segments(self, metric: str, segments: F64) -> dict[str, F64]:
        figures = _segment_figures(segments, self.people, self.weights)
        counts = self.people.counts(segments)
        if counts.human_ranked.any():
            self.shares["consistency"][metric] = self._sum_by_unit(
                counts.concordant.astype(np.float64)
            )
        sets = self.people.sets
        if sets and len(segments) > 1:
            indices = np.tile(np.arange(segments.shape[1]), len(sets))
            scores = np.tile(segments, len(sets))
            accuracy = wmt.calibrated_accuracy(
                np.concatenate(sets, axis=1), scores, indices, self.weights
            )
            if accuracy is not None:
                figures[CALIBRATED] = accuracy.drawn
                self.shares[CALIBRATED][metric] = self._sum_by_unit(accuracy.shares)
                self.epsilons[metric] = accuracy.epsilon
        return figures

    def _samples(self, statistics: F64, aggregate: resampling.Aggregate) -> F64:
        """Return the scores of systems on each resample."""
        units, unit_aggregate = group_statistics(statistics, aggregate, self.documents)
        return resampling.scores_of(units, unit_aggregate, self.n_resamples, self.seed).scores

    def _of_systems(self, metric: MetricScores) -> dict[str, F64]:
        people = self.people
        ranked = people.ranked
        scores, human = metric.systems[None, ranked], people.systems[None, ranked]
        if metric.statistics is not None and not metric.systems_from_file:
            samples = self._samples(metric.statistics[ranked], metric.aggregate)
            scores = np.concatenate((scores, samples))
            if people.parts is not None:
                samples = self._samples(people.parts[ranked], resampling.ratio)
                human = np.concatenate((human, samples))
        return {name: figure(metric.sign * scores, human) for name, figure in SYSTEM.items()}

    def _sum_by_unit(self, shares: F64) -> F64:
        """Return shares by segment, or by document if documents are exchanged."""
        return shares if self.documents is None else sum_documents(shares, self.documents)

    def p_values(self, scores: Sequence[MetricScores]) -> dict[str, tuple[list[str], F64]]:
        """Return, by figure, the metrics that have the figure, and the p-values between them."""
        by_figure = {
            name: (
                list(rows),
                wmt.exchange_shares(list(rows.values()), self.n_resamples, self.seed),
            )
            for name, rows in self.shares.items()
            if len(rows) > 1
        }
        if self.has_systems:
            by_figure |= self._exchange_p_values(scores)
        return by_figure

    def _exchange_p_values(
        self, scores: Sequence[MetricScores]
    ) -> dict[str, tuple[list[str], F64]]:
        """Return the p-values between metrics with segment scores, by system-level figure."""
        people = self.people
        ranked = people.ranked
        cells = {
            metric.name: metric.sign * metric.segments[ranked]
            for metric in scores
            if metric.segments is not None and not metric.systems_from_file
        }
        if len(cells) < 2:
            return {}
        figures = {name: SYSTEM[name] for name in COMPARED if name in SYSTEM}
        p = wmt.exchange_cells(
            np.stack(list(cells.values())),
            people.systems[ranked],
            figures,
            self.n_resamples,
            self.seed,
            self.documents,
        )
        return {name: (list(cells), p[name]) for name in figures}

    def standard_errors(
        self, dataset: Dataset, parts: F64 | None, aggregate: resampling.Aggregate
    ) -> dict[str, float]:
        """Return the standard errors of system scores; empty if there is nothing to resample."""
        ranked = self.people.ranked
        if parts is None or not len(ranked):
            return {}
        errors = np.nanstd(self._samples(parts[ranked], aggregate), axis=0, ddof=1).tolist()
        return dict(zip((dataset.systems[i] for i in ranked), errors, strict=True))


def _evaluate(
    dataset: Dataset,
    scores: Sequence[MetricScores],
    resampled: _Resampled,
    *,
    base: str,
    n_skipped: int,
) -> Evaluation:
    """Return the agreement of all metrics with the people of the resampled set."""
    for metric in scores:
        resampled.add(metric)
    people, p_values_by_figure = resampled.people, resampled.p_values(scores)
    clusters = _clusters(resampled.figures, p_values_by_figure)
    return Evaluation(
        dataset=dataset,
        people=people,
        n_segments=people.segments.shape[1],
        n_skipped=n_skipped,
        human={dataset.systems[i]: float(people.systems[i]) for i in people.ranked},
        n_pairs=int(people.counts(np.zeros_like(people.segments)).human_ranked.sum()),
        metrics={
            metric.name: _agreement(dataset, metric, resampled, base, clusters[metric.name])
            for metric in scores
        },
        base=base,
        n_resamples=resampled.n_resamples,
        seed=resampled.seed,
        resample_by="segment" if resampled.documents is None else "document",
        p_between={
            name: _by_pair(*p_values_by_figure[name])
            for name in COMPARED
            if name in p_values_by_figure
        },
        human_errors=resampled.standard_errors(dataset, people.parts, resampling.ratio),
    )


def _agreement(
    dataset: Dataset,
    metric: MetricScores,
    resampled: _Resampled,
    base: str,
    clusters: Mapping[str, int],
) -> MetricAgreement:
    rows = resampled.figures[metric.name]
    base_rows = {} if metric.name == base else resampled.figures[base]
    figure_names = (name for names in FIGURES.values() for name in names)
    parts = None if metric.systems_from_file else metric.statistics
    signature = metric.signature
    if resampled.documents is not None:
        signature = Signature.of(signature).with_part(SIGNATURE_KEY, "document")
    return MetricAgreement(
        signature=signature,
        scores=dict(zip(dataset.systems, metric.systems.tolist(), strict=True)),
        higher_is_better=metric.higher_is_better,
        figures={name: _figure(rows.get(name), base_rows.get(name)) for name in figure_names},
        clusters={name: clusters[name] for name in COMPARED if name in clusters},
        epsilon=resampled.epsilons.get(metric.name),
        errors=resampled.standard_errors(dataset, parts, metric.aggregate),
    )


def _by_pair(metrics: Sequence[str], p_values: F64) -> dict[str, dict[str, float]]:
    return {
        first: {other: float(p_values[i, j]) for j, other in enumerate(metrics) if j != i}
        for i, first in enumerate(metrics)
    }


def _clusters(
    resampled: Mapping[str, Mapping[str, F64]],
    p_values_by_figure: Mapping[str, tuple[list[str], F64]],
) -> dict[str, dict[str, int]]:
    """Return the cluster of each metric: metric → figure → cluster."""
    clusters: dict[str, dict[str, int]] = {metric: {} for metric in resampled}
    for name, (metrics, p) in p_values_by_figure.items():
        values = [resampled[metric][name][0] for metric in metrics]
        for metric, number in zip(metrics, wmt.metric_clusters(values, p).tolist(), strict=True):
            clusters[metric][name] = number
    return clusters


def _segment_figures(scores: F64, people: HumanJudgments, weights: F64) -> dict[str, F64]:
    figures: dict[str, F64] = {}
    counts = people.counts(scores)
    if counts.human_ranked.any():
        defined = ~np.isnan(counts.tau_b)
        shares = (
            (counts.concordant, counts.human_ranked),
            (counts.concordant + counts.metric_ties / 2, counts.human_ranked),
            (counts.concordant - counts.discordant, counts.human_ranked),
            (np.where(defined, counts.tau_b, 0.0), defined),
        )
        for name, (numerator, denominator) in zip(PAIRS, shares, strict=True):
            figures[name] = quotient(weights @ numerator, weights @ denominator)
    judged = ~np.isnan(people.segments)
    if people.n_translations > 1:
        lists = scores.round(DIGITS)[judged], people.segments[judged], np.nonzero(judged)[1]
        figures |= {name: figure(*lists, weights) for name, figure in ACROSS.items()}
    return figures


def _figure(row: F64 | None, base: F64 | None) -> Figure:
    if row is None or np.isnan(row[0]):
        return Figure(None)
    value, samples = float(row[0]), row[1:]
    defined = samples[~np.isnan(samples)]
    if len(defined) < 2:
        return Figure(value)
    low, high = np.quantile(defined, INTERVAL).tolist()
    p = None if base is None or len(base) < 2 else share_not_greater(samples, base[1:])
    return Figure(value, float(defined.std(ddof=1)), (low, high), p)
