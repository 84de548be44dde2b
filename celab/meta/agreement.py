"""A judged set and scores of metrics → correlation of each metric with the judgments.

The figures of systems, and those across all judged translations, are defined in
`celab.statistics.correlation`, those over pairs of translations of one segment in
`celab.statistics.pairs`. Where lower scores are better, they are negated.

Every figure is computed again on the same resamples of the segments. Their standard deviation is
the figure's error, and the share of them in which a metric's figure is not greater than the base
metric's is its p: one-sided, as in the paper's tables (Koehn 2004; 2012, tables 2 and 3). A p near
1 means that the base is the better one. The systems are taken as given. Without resamples of one of
the two there is no p.

A segment that a metric skipped for a system, because no optimum was proved, is left out for all
metrics and systems, as if the set did not have it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from celab.arrays import F64
from celab.errors import InputError, OptionError, SolverError
from celab.meta.dataset import Dataset, People
from celab.meta.scores import MetricScores
from celab.shown import Shown, plain, report
from celab.statistics import correlation as c
from celab.statistics import resampling
from celab.statistics.resampling import quotient
from celab.statistics.significance import difference

SYSTEM = {one.__name__: one for one in (c.pearson, c.spearman, c.kendall, c.pairwise_accuracy)}
PAIRS = ("consistency", "wmt14_tau", "mean_tau_b")
ACROSS = {one.__name__: one for one in (c.flat_pearson, c.flat_spearman, c.flat_kendall)}
FIGURES = {"system": tuple(SYSTEM), "segment": (*PAIRS, *ACROSS)}  # by level
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

    signature: str
    scores: dict[str, float]  # of all systems, in the metric's own units
    higher_is_better: bool
    figures: dict[str, Figure]


@dataclass(frozen=True, slots=True)
class Evaluation(Shown):
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
            raise OptionError(f"level is {level!r}; it must be one of: {', '.join(FIGURES)}")


def measure(
    dataset: Dataset,
    scores: Sequence[MetricScores],
    *,
    against: str | None = None,
    levels: Collection[str] = tuple(FIGURES),
    n_resamples: int = resampling.N_RESAMPLES,
    seed: int = resampling.SEED,
) -> Evaluation:
    """The agreement of all metrics, each compared with the metric `against`, or with the first."""
    names = [one.name for one in scores]
    if not names or len(set(names)) < len(names):
        raise InputError(f"the metrics are {names}; there must be one or more, each once")
    base = names[0] if against is None else against
    if base not in names:
        raise OptionError(f"against is {base!r}; it must be one of: {', '.join(names)}")
    people = dataset.people
    kept = np.ones(len(dataset.corpus.segments), dtype=bool)
    for one in scores:
        kept &= one.proved
    if not kept.all():
        if not kept.any():
            raise SolverError(
                "every segment was skipped by some metric for some system, so there is nothing to"
                " measure; use a longer time_limit"
            )
        scores, people = [one.on(kept) for one in scores], people.on(kept)
    n_segments = int(kept.sum())
    weights = np.concatenate(  # the first row is the set as it is
        [np.ones((1, n_segments)), *resampling.chunks(n_segments, n_resamples, seed)]
    )
    # Of each metric, figures by name, each as it is and then on every resample, if there are any.
    drawn: dict[str, dict[str, F64]] = {name: {} for name in names}
    for one in scores:
        if "system" in levels and len(people.ranked) > 1:
            drawn[one.name] |= _of_systems(one, people, n_resamples, seed)
        if "segment" in levels and one.segments is not None:
            drawn[one.name] |= _of_segments(one.sign * one.segments, people, weights)
    metrics = {}
    for one in scores:
        rows, others = drawn[one.name], {} if one.name == base else drawn[base]
        figures = {
            name: _figure(rows.get(name), others.get(name)) for name in (*SYSTEM, *PAIRS, *ACROSS)
        }
        by_system = dict(zip(dataset.systems, one.systems.tolist(), strict=True))
        metrics[one.name] = MetricAgreement(one.signature, by_system, one.higher_is_better, figures)
    return Evaluation(
        dataset,
        people,
        n_segments,
        len(kept) - n_segments,
        {dataset.systems[i]: float(people.systems[i]) for i in people.ranked},
        int(people.counts(np.zeros_like(people.segments)).told_apart.sum()),
        metrics,
        base,
        n_resamples,
        seed,
    )


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
