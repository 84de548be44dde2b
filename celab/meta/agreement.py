"""A judged set and scores of metrics → how far each metric agrees with people.

System level, over the systems that people gave a score: Pearson, Spearman, Kendall's τ-b, pairwise
accuracy. Segment level: consistency, WMT14's τ and the mean τ-b within segments, over pairs of
translations of one segment; Pearson, Spearman and Kendall across all judged translations
(`celab.statistics.consistency` defines them all). Where lower scores are better, they are negated.

Every figure is computed again on the same resamples of the segments. Their standard deviation is
the figure's error, and the share of them in which a metric's figure is not greater than the base
metric's is its p: one-sided, as in the paper's tables (Koehn 2004; 2012, tables 2 and 3). A p near
1 means that the base is the better one. The systems are taken as given. Without resamples of one of
the two there is no p.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from celab.errors import InputError, OptionError
from celab.meta import redrawn
from celab.meta.dataset import Dataset
from celab.meta.people import People
from celab.meta.scored import Scored
from celab.statistics import consistency, correlation, judges, resampling, significance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    F64 = NDArray[np.float64]

LEVELS = ("system", "segment")
SYSTEM = ("pearson", "spearman", "kendall", "pairwise_accuracy")
PAIRS = ("consistency", "wmt14_tau", "mean_tau_b")
ACROSS = ("flat_pearson", "flat_spearman", "flat_kendall")
INTERVAL = 0.95
DIGITS = 12  # after the point: scores that differ later are ties, whatever the order of additions

_Value: TypeAlias = "tuple[float, F64 | None]"  # as it is, and on every resample


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that tells of agreement; more is better. None where it is not known."""

    value: float | None
    error: float | None = None
    interval: tuple[float, float] | None = None
    p: float | None = None

    @property
    def stars(self) -> str:
        """`*` and `**`: better than the base metric at 5% and 1%."""
        return "" if self.p is None else significance.stars(self.p)


@dataclass(frozen=True, slots=True)
class Agreement:
    """One metric: figures by name, None at a level that the set or the scores do not have."""

    name: str
    signature: str
    scores: dict[str, float]  # of all systems, in the metric's own units
    higher_is_better: bool
    system: dict[str, Figure] | None
    segment: dict[str, Figure] | None


@dataclass(frozen=True, slots=True)
class Found:
    """All metrics on one set."""

    dataset: Dataset = field(repr=False)
    human: dict[str, float]  # scores of systems, those that people gave one
    systems_from: str
    pairs_from: str
    n_pairs: int  # of translations, that people tell apart
    n_translations: int  # that people scored
    kappa: dict[str, judges.Agreement]  # between judges, by file
    metrics: dict[str, Agreement]
    base: str
    n_resamples: int
    seed: int


def measure(
    dataset: Dataset,
    scores: Sequence[Scored],
    *,
    against: str | None = None,
    levels: Sequence[str] = LEVELS,
    n_resamples: int = resampling.N_RESAMPLES,
    seed: int = resampling.SEED,
) -> Found:
    """The agreement of all metrics, each compared with the metric `against`, or with the first."""
    names = [one.name for one in scores]
    if not names or len(set(names)) < len(names):
        raise InputError(f"the metrics are {names}; there must be one or more, each once")
    base = names[0] if against is None else against
    if base not in names:
        raise OptionError(f"against is {base!r}; it must be one of: {', '.join(names)}")
    people = People.of(dataset)
    draws = _Draws(len(dataset.corpus.segments), n_resamples, seed)
    values = {one.name: _values(one, people, draws, levels) for one in scores}
    metrics = {}
    for one in scores:
        by_level = {
            level: {
                figure: _figure(value, None if one.name == base else values[base], level, figure)
                for figure, value in of_level.items()
            }
            for level, of_level in values[one.name].items()
        }
        metrics[one.name] = Agreement(
            one.name,
            one.signature,
            dict(zip(dataset.corpus.systems, one.systems.tolist(), strict=True)),
            one.higher_is_better,
            by_level.get("system"),
            by_level.get("segment"),
        )
    systems = list(dataset.corpus.systems)
    counts = people.counts(np.zeros((len(systems), draws.n_segments)))
    segments = people.segments
    return Found(
        dataset,
        {systems[i]: float(people.systems[i]) for i in people.ranked},
        people.systems_from,
        people.pairs_from,
        0 if counts is None else counts.n_pairs,
        0 if segments is None else int((~np.isnan(segments)).sum()),
        people.kappa,
        metrics,
        base,
        n_resamples,
        seed,
    )


def plot_data(found: Found) -> list[tuple[str, list[tuple[str, float, float]]]]:
    """For each metric, (system, people's score, the metric's), to draw one against the other."""
    return [
        (name, [(system, human, one.scores[system]) for system, human in found.human.items()])
        for name, one in found.metrics.items()
    ]


class _Draws:
    """One set of resamples for everything."""

    def __init__(self, n_segments: int, n_resamples: int, seed: int) -> None:
        self.n_segments = n_segments
        self.n_resamples = n_resamples
        self.seed = seed
        self.weights = resampling.resamples(n_segments, n_resamples, seed)

    def scores(self, statistics: F64, aggregate: resampling.Aggregate) -> resampling.Resampled:
        return resampling.scores_of(statistics, aggregate, self.n_resamples, self.seed)

    def ratio(self, numerator: F64, denominator: F64) -> _Value:
        """Of sums over segments."""
        statistics = np.stack((numerator, denominator), axis=1)[None]
        found = self.scores(statistics, resampling.ratio)
        return float(found.observed[0]), found.scores[:, 0]


def _values(
    one: Scored, people: People, draws: _Draws, levels: Sequence[str]
) -> dict[str, dict[str, _Value]]:
    found: dict[str, dict[str, _Value]] = {}
    if "system" in levels and len(people.ranked) > 1:
        found["system"] = _of_systems(one, people, draws)
    if "segment" in levels and one.segments is not None:
        scores = one.sign * one.segments
        of_segments = _within_segments(scores, people, draws)
        if people.segments is not None:
            of_segments |= _across_segments(scores, people.segments, draws)
        if of_segments:
            found["segment"] = of_segments
    return found


def _of_systems(one: Scored, people: People, draws: _Draws) -> dict[str, _Value]:
    chosen = people.ranked
    theirs, ours = people.systems[chosen], one.sign * one.systems[chosen]
    drawn: tuple[F64, F64] | None = None
    if one.statistics is not None:
        drawn_ours = one.sign * draws.scores(one.statistics[chosen], one.aggregate).scores
        drawn_theirs = np.broadcast_to(theirs, drawn_ours.shape)
        if people.parts is not None:
            drawn_theirs = draws.scores(people.parts[chosen], resampling.ratio).scores
        drawn = drawn_ours, drawn_theirs
    by_name: dict[str, Callable[[F64, F64], F64]] = {
        "pearson": correlation.pearson,
        "spearman": correlation.spearman,
        "kendall": correlation.kendall,
        "pairwise_accuracy": correlation.pairwise_accuracy,
    }
    return {
        name: (float(function(ours, theirs)), None if drawn is None else function(*drawn))
        for name, function in by_name.items()
    }


def _within_segments(scores: F64, people: People, draws: _Draws) -> dict[str, _Value]:
    counts = people.counts(scores)
    if counts is None:
        return {}
    tau = consistency.segment_tau_b(counts)
    defined = ~np.isnan(tau)
    surplus = (counts.concordant - counts.discordant).astype(np.float64)
    told_apart = counts.told_apart.astype(np.float64)
    return {
        "consistency": draws.ratio(counts.concordant.astype(np.float64), told_apart),
        "wmt14_tau": draws.ratio(surplus, told_apart),
        "mean_tau_b": draws.ratio(np.where(defined, tau, 0.0), defined.astype(np.float64)),
    }


def _across_segments(scores: F64, people: F64, draws: _Draws) -> dict[str, _Value]:
    scores = scores.round(DIGITS)
    judged = ~np.isnan(people)
    if judged.sum() < 2:
        return {}
    x, y, segment = scores[judged], people[judged], np.nonzero(judged)[1]
    drawn = draws.weights
    return {
        "flat_pearson": (
            consistency.flat_pearson(people, scores), redrawn.pearson(x, y, segment, drawn)
        ),
        "flat_spearman": (
            consistency.flat_spearman(people, scores), redrawn.spearman(x, y, segment, drawn)
        ),
        "flat_kendall": (
            consistency.flat_kendall(people, scores), redrawn.kendall(x, y, segment, drawn)
        ),
    }  # fmt: skip


def _figure(
    value: _Value, base: dict[str, dict[str, _Value]] | None, level: str, name: str
) -> Figure:
    observed, drawn = value
    if np.isnan(observed):
        return Figure(None)
    if drawn is None:
        return Figure(observed)
    defined = drawn[~np.isnan(drawn)]
    if len(defined) < 2:
        return Figure(observed)
    resampled = resampling.Resampled(np.array([observed]), defined[:, None])
    low, high = significance.intervals(resampled, INTERVAL)[0].tolist()
    _, of_base = (base or {}).get(level, {}).get(name, (0.0, None))
    p = None if of_base is None else significance.difference(drawn, of_base)
    return Figure(observed, float(defined.std(ddof=1)), (low, high), p)
