"""A judged set and scores of metrics → correlation of each metric with the judgments.

The figures of systems, and those across all judged translations, are defined in
`celab.statistics.correlation`, those over pairs of translations of one segment in
`celab.statistics.pairs`, and those of the WMT metrics tasks in `celab.statistics.wmt`. Where lower
scores are better, they are negated.

Every figure is computed again on the same resamples of the segments. Their standard deviation is
the figure's error, and the share of them in which a metric's figure is not greater than the base
metric's is its p: one-sided, as in the paper's tables (Koehn 2004; 2012, tables 2 and 3). A p near
1 means that the base is the better one. The systems are taken as given. Without resamples of one of
the two there is no p.

Metrics are also compared with each other by permutation tests, as in the WMT metrics tasks: for
figures of systems the scores of single translations are exchanged, for soft pairwise accuracy the
p-values of pairs of systems, and for figures of segments all that the metrics say of a segment.

A segment that a metric skipped for a system, because no optimum was proved, is left out for all
metrics and systems, as if the set did not have it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from celab.base.arrays import F64, Bools
from celab.base.errors import LONGER, InputError, OptionError, SolverError
from celab.base.result import Result, plain, report
from celab.base.signature import Signature
from celab.evaluation.meta.dataset import Dataset, People
from celab.evaluation.meta.scores import MetricScores
from celab.statistics import correlation as c
from celab.statistics import resampling, wmt
from celab.statistics.resampling import quotient
from celab.statistics.significance import difference

SYSTEM = {one.__name__: one for one in (c.pearson, c.spearman, c.kendall, c.pairwise_accuracy)}
PAIRS = ("consistency", "consistency_half", "wmt14_tau", "mean_tau_b")
ACROSS = {one.__name__: one for one in (c.flat_pearson, c.flat_spearman, c.flat_kendall)}
SOFT, CALIBRATED = "soft_pairwise_accuracy", "acc_eq"
FIGURES = {"system": (*SYSTEM, SOFT), "segment": (*PAIRS, CALIBRATED, *ACROSS)}  # by level
COMPARED = ("pearson", "pairwise_accuracy", SOFT, "consistency", CALIBRATED)  # by permutation
INTERVAL = (0.025, 0.975)
DIGITS = 12  # decimals; scores that agree to these are ties, so that rounding does not matter


@dataclass(frozen=True, slots=True)
class Figure:
    """A measure of agreement; higher is better. None where it is not defined."""

    value: float | None
    error: float | None = None
    interval: tuple[float, float] | None = None
    p: float | None = None

    @property
    def stars(self) -> str:
        """`*` and `**`: better than the base metric at 5% and 1%, as in the 2012 paper."""
        return "" if self.p is None else "**" if self.p < 0.01 else "*" if self.p < 0.05 else ""


@dataclass(frozen=True, slots=True)
class MetricAgreement:
    """One metric, with all of `FIGURES` by name."""

    signature: Signature
    scores: dict[str, float]  # of all systems, in the metric's own units
    higher_is_better: bool
    figures: dict[str, Figure]
    clusters: dict[str, int]  # by those of `COMPARED` that were tested; 1 is the best
    epsilon: float | None  # the threshold of ties of acc_eq
    errors: dict[str, float]  # standard errors of the scores, of systems that people ranked


@dataclass(frozen=True, slots=True)
class Evaluation(Result):
    """All metrics on one set."""

    dataset: Dataset = field(repr=False)
    people: People = field(repr=False)  # on the segments that are not left out
    n_segments: int  # that the figures are of
    n_skipped: int  # segments left out, because a score was not proved
    human: dict[str, float]  # scores of systems, those that people gave one
    n_pairs: int  # of translations that the judges do not tie
    metrics: dict[str, MetricAgreement]
    base: str
    n_resamples: int
    seed: int
    p_between: dict[str, dict[str, dict[str, float]]]  # figure → metric → worse metric → p
    human_errors: dict[str, float]  # of `human`, if it is resampled
    groups: dict[str, Evaluation] = field(default_factory=dict, repr=False)  # by domain or document
    # Of the metrics that were not read from files; of all systems if these were asked for.
    computed: tuple[MetricScores, ...] = field(default=(), repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """The content of `--json`."""
        return dict(plain(report("agreement").as_dict(self)))

    def __repr__(self) -> str:
        return (
            f"<Evaluation of {', '.join(self.metrics)} on {self.dataset.name}:"
            f" {len(self.human)} systems, {self.n_segments} segments>"
        )


def check_levels(levels: Collection[str]) -> None:
    """`OptionError` if a level is not known."""
    for level in levels:
        if level not in FIGURES:
            raise OptionError("level", level, f"it must be one of: {', '.join(FIGURES)}")


def measure(
    dataset: Dataset,
    scores: Sequence[MetricScores],
    *,
    against: str | None = None,
    levels: Collection[str] = tuple(FIGURES),
    n_resamples: int = resampling.N_RESAMPLES,
    seed: int = resampling.SEED,
    by: str | None = None,
) -> Evaluation:
    """The agreement of all metrics, each compared with the metric `against`, or with the first.

    `by`, "domain" or "document", also measures it on the segments of each.
    """
    names = [one.name for one in scores]
    if not names or len(set(names)) < len(names):
        raise InputError(f"the metrics are {names}; there must be one or more, each once")
    base = names[0] if against is None else against
    if base not in names:
        raise OptionError("against", base, f"it must be one of: {', '.join(names)}")
    labels = () if by is None else dataset.labels_of(by)
    kept = np.ones(len(dataset.corpus.segments), dtype=bool)
    for one in scores:
        kept &= one.proved
    if not kept.any():
        raise SolverError(
            "every segment was skipped by some metric for some system, so there is nothing to"
            " measure",
            hint=LONGER,
        )

    def on(some: Bools, scores: Sequence[MetricScores], n_skipped: int) -> Evaluation:
        people = dataset.people if some.all() else dataset.people.on(some)
        if not some.all():
            scores = [one.on(some) for one in scores]
        shown = base if any(one.name == base for one in scores) else scores[0].name
        return _measured(dataset, scores, people, shown, levels, n_resamples, seed, n_skipped)

    whole = on(kept, scores, int((~kept).sum()))
    for label in dict.fromkeys(labels):
        some = kept & np.array([one == label for one in labels])
        with_segments = [one for one in scores if one.segments is not None]
        if some.any() and with_segments:
            whole.groups[label] = on(some, with_segments, 0)
    return whole


def _measured(
    dataset: Dataset,
    scores: Sequence[MetricScores],
    people: People,
    base: str,
    levels: Collection[str],
    n_resamples: int,
    seed: int,
    n_skipped: int,
) -> Evaluation:
    n_segments = people.segments.shape[1]
    weights = np.concatenate(  # the first row is the set as it is
        [np.ones((1, n_segments)), *resampling.chunks(n_segments, n_resamples, seed)]
    )
    # Of each metric, figures by name, each as it is and then on every resample, if there are any.
    drawn: dict[str, dict[str, F64]] = {one.name: {} for one in scores}
    shares: dict[str, dict[str, F64]] = {name: {} for name in COMPARED}  # by figure and metric
    epsilons: dict[str, float] = {}
    theirs = np.empty((1, 0))
    if "system" in levels and len(people.ranked) > 1:
        theirs = wmt.order_p_values(people.segments, people.segments, weights, n_resamples, seed)
    for one in scores:
        figures = drawn[one.name]
        if "system" in levels and len(people.ranked) > 1:
            figures |= _of_systems(one, people, n_resamples, seed)
            if one.segments is not None and theirs.size:
                ours = wmt.order_p_values(
                    one.sign * one.segments, people.segments, weights, n_resamples, seed
                )
                figures[SOFT] = 1 - np.abs(theirs - ours).mean(axis=1)
                shares[SOFT][one.name] = -np.abs(theirs[0] - ours[0])
        if "segment" in levels and one.segments is not None:
            figures |= _of_segments(one.sign * one.segments, people, weights)
            counts = people.counts(one.sign * one.segments)
            if counts.told_apart.any():
                shares["consistency"][one.name] = counts.concordant.astype(np.float64)
            if (calibrated := _calibrated(one.sign * one.segments, people, weights)) is not None:
                figures[CALIBRATED] = calibrated.drawn
                shares[CALIBRATED][one.name] = calibrated.shares
                epsilons[one.name] = calibrated.epsilon
    tested = {
        name: (list(rows), wmt.exchange_shares(list(rows.values()), n_resamples, seed))
        for name, rows in shares.items()
        if len(rows) > 1
    }
    if "system" in levels and len(people.ranked) > 1:
        tested |= _exchanged(scores, people, n_resamples, seed)
    clusters = _clusters(drawn, tested)
    by_metric = {}
    for one in scores:
        rows, others = drawn[one.name], {} if one.name == base else drawn[base]
        every = (name for names in FIGURES.values() for name in names)
        by_metric[one.name] = MetricAgreement(
            one.signature,
            dict(zip(dataset.systems, one.systems.tolist(), strict=True)),
            one.higher_is_better,
            {name: _figure(rows.get(name), others.get(name)) for name in every},
            {name: clusters[one.name][name] for name in COMPARED if name in clusters[one.name]},
            epsilons.get(one.name),
            _errors(dataset, people, one.statistics, one.aggregate, n_resamples, seed),
        )
    return Evaluation(
        dataset,
        people,
        n_segments,
        n_skipped,
        {dataset.systems[i]: float(people.systems[i]) for i in people.ranked},
        int(people.counts(np.zeros_like(people.segments)).told_apart.sum()),
        by_metric,
        base,
        n_resamples,
        seed,
        {
            name: {
                one: {metrics[j]: float(p[i, j]) for j in range(len(metrics)) if j != i}
                for i, one in enumerate(metrics)
            }
            for name, (metrics, p) in sorted(tested.items(), key=lambda at: COMPARED.index(at[0]))
        },
        _errors(dataset, people, people.parts, resampling.ratio, n_resamples, seed),
    )


def _clusters(
    drawn: Mapping[str, Mapping[str, F64]], tested: Mapping[str, tuple[list[str], F64]]
) -> dict[str, dict[str, int]]:
    """Return the cluster of each metric, by metric and figure."""
    clusters: dict[str, dict[str, int]] = {metric: {} for metric in drawn}
    for name, (metrics, p) in tested.items():
        values = [drawn[metric][name][0] for metric in metrics]
        for metric, number in zip(metrics, wmt.metric_clusters(values, p).tolist(), strict=True):
            clusters[metric][name] = number
    return clusters


def _errors(
    dataset: Dataset,
    people: People,
    parts: F64 | None,
    aggregate: resampling.Aggregate,
    n_resamples: int,
    seed: int,
) -> dict[str, float]:
    """Standard errors of scores of systems; none if there is nothing to resample."""
    if parts is None or not len(people.ranked) or n_resamples < 2:
        return {}
    drawn = resampling.scores_of(parts[people.ranked], aggregate, n_resamples, seed).scores
    errors = np.nanstd(drawn, axis=0, ddof=1).tolist()
    return dict(zip((dataset.systems[i] for i in people.ranked), errors, strict=True))


def _exchanged(
    scores: Sequence[MetricScores], people: People, n_trials: int, seed: int
) -> dict[str, tuple[list[str], F64]]:
    """p-values between the metrics with scores of segments, by figure of systems."""
    chosen = people.ranked
    cells = {
        one.name: one.sign * one.segments[chosen] for one in scores if one.segments is not None
    }
    if len(cells) < 2:
        return {}
    figures = {name: SYSTEM[name] for name in COMPARED if name in SYSTEM}
    p = wmt.exchange_cells(
        np.stack(list(cells.values())), people.systems[chosen], figures, n_trials, seed
    )
    return {name: (list(cells), p[name]) for name in figures}


def _calibrated(scores: F64, people: People, weights: F64) -> wmt.Calibrated | None:
    sets = people.sets
    if not sets or len(scores) < 2:
        return None
    segment = np.tile(np.arange(scores.shape[1]), len(sets))
    items = np.concatenate(sets, axis=1)
    return wmt.calibrated_accuracy(items, np.tile(scores, len(sets)), segment, weights)


def _of_systems(one: MetricScores, people: People, n_resamples: int, seed: int) -> dict[str, F64]:
    chosen = people.ranked
    ours, theirs = one.systems[None, chosen], people.systems[None, chosen]
    if one.statistics is not None:
        draws = resampling.scores_of(one.statistics[chosen], one.aggregate, n_resamples, seed)
        ours = np.concatenate((ours, draws.scores))
        if people.parts is not None:
            draws = resampling.scores_of(people.parts[chosen], resampling.ratio, n_resamples, seed)
            theirs = np.concatenate((theirs, draws.scores))
    return {name: figure(one.sign * ours, theirs) for name, figure in SYSTEM.items()}


def _of_segments(scores: F64, people: People, weights: F64) -> dict[str, F64]:
    figures: dict[str, F64] = {}
    counts = people.counts(scores)
    if counts.told_apart.any():
        defined = ~np.isnan(counts.tau_b)
        shares = (
            (counts.concordant, counts.told_apart),
            (counts.concordant + counts.metric_ties / 2, counts.told_apart),
            (counts.concordant - counts.discordant, counts.told_apart),
            (np.where(defined, counts.tau_b, 0.0), defined),
        )
        for name, (above, below) in zip(PAIRS, shares, strict=True):
            figures[name] = quotient(weights @ above, weights @ below)
    judged = ~np.isnan(people.segments)
    if people.n_translations > 1:
        lists = scores.round(DIGITS)[judged], people.segments[judged], np.nonzero(judged)[1]
        figures |= {name: figure(*lists, weights) for name, figure in ACROSS.items()}
    return figures


def _figure(row: F64 | None, base: F64 | None) -> Figure:
    if row is None or np.isnan(row[0]):
        return Figure(None)
    value, drawn = float(row[0]), row[1:]
    defined = drawn[~np.isnan(drawn)]
    if len(defined) < 2:
        return Figure(value)
    low, high = np.quantile(defined, INTERVAL).tolist()
    p = None if base is None or len(base) < 2 else difference(drawn, base[1:])
    return Figure(value, float(defined.std(ddof=1)), (low, high), p)
