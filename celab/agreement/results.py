"""Results of meta-evaluation: how far metrics agree with people on one data set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter, itemgetter
from typing import Any

from celab.agreement.dataset import Dataset, HumanJudgments
from celab.agreement.scores import MetricScores
from celab.base.arguments import JsonObject
from celab.base.signature import Signature
from celab.base.version import __version__
from celab.metrics.registry import METRICS, title_of
from celab.statistics import correlation as c
from celab.statistics.correlation import CHANCE
from celab.statistics.documents import ResampleBy
from celab.tables import cells
from celab.tables.cells import Phrase, listed, quantity
from celab.tables.result import Result
from celab.tables.table import (
    COUNT,
    ESTIMATE,
    INTERVAL,
    NAME,
    SCORE,
    TEXT,
    Column,
    Kind,
    Part,
    Table,
)
from celab.tables.view import Detail, Line, line

SYSTEM = {
    measure.__name__: measure for measure in (c.pearson, c.spearman, c.kendall, c.pairwise_accuracy)
}
PAIRS = ("consistency", "consistency_half", "wmt14_tau", "mean_tau_b")
ACROSS = {
    measure.__name__: measure for measure in (c.flat_pearson, c.flat_spearman, c.flat_kendall)
}
SOFT, CALIBRATED = "soft_pairwise_accuracy", "acc_eq"
ORDERED = "pairwise_accuracy"
# level → its figures
FIGURES = {"system": (*SYSTEM, SOFT), "segment": (*PAIRS, CALIBRATED, *ACROSS)}
CORRELATIONS = ("pearson", "spearman", "kendall", "mean_tau_b", *ACROSS)
NEGATIVE = -0.1  # a mean correlation below this is not due to chance
# Figures in which metrics are compared by permutation tests.
COMPARED = ("pearson", "pairwise_accuracy", SOFT, "consistency", CALIBRATED)


@dataclass(frozen=True, slots=True)
class Figure:
    """A measure of agreement; higher is better. All are None where it is not defined.

    `error` and `interval` come from resamples; `p` compares it with the base metric's.
    """

    value: float | None
    error: float | None = None
    interval: tuple[float, float] | None = None
    p: float | None = None

    @property
    def stars(self) -> str:
        """Return `*` or `**` if higher than the base metric's at 5% or 1%, as in the 2012 paper."""
        return "" if self.p is None else "**" if self.p < 0.01 else "*" if self.p < 0.05 else ""


def correlations(figures: Mapping[str, Figure]) -> list[float]:
    """Return the values of the figures that are correlations, from -1 to 1."""
    values = (figures[name].value for name in CORRELATIONS if name in figures)
    return [value for value in values if value is not None]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricAgreement:
    """Agreement of a metric with people: all of `FIGURES`, by name."""

    signature: Signature
    scores: dict[str, float]  # system → score, in the metric's own units
    higher_is_better: bool
    figures: dict[str, Figure]
    clusters: dict[str, int]  # figure of `COMPARED` that was tested → cluster, from 1
    epsilon: float | None  # tie threshold of acc_eq
    errors: dict[str, float]  # standard errors of the scores of systems with human scores


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation(Result):
    """Agreement of all metrics with people, on one data set."""

    dataset: Dataset = field(repr=False)
    people: HumanJudgments = field(repr=False)  # judgments of the segments kept
    n_segments: int  # number of segments that the figures are computed on
    n_skipped: int  # number of segments left out because a score was not proved
    human: dict[str, float]  # human scores, by system; systems without one are left out
    n_pairs: int  # number of pairs of translations that the judges do not tie
    metrics: dict[str, MetricAgreement]
    base: str
    n_resamples: int
    seed: int
    p_between: dict[str, dict[str, dict[str, float]]]  # figure → metric → other metric → p
    human_errors: dict[str, float]  # standard errors of `human`, if it is resampled
    resample_by: ResampleBy = "segment"  # unit that is drawn
    # domain or document → the evaluation of its segments
    groups: dict[str, Evaluation] = field(default_factory=dict, repr=False)
    # Scores by the metrics computed here, for all systems if `every_system` was set.
    computed: tuple[MetricScores, ...] = field(default=(), repr=False, compare=False)

    def facts(self) -> JsonObject:
        """Return what was measured and how, and where judgments come from."""
        dataset, people = self.dataset, self.people
        return {
            "celab_version": __version__,
            "dataset": dataset.name,
            "references": dataset.references,
            "systems": len(self.human),
            "segments": self.n_segments,
            "pairs": self.n_pairs,
            "translations": people.n_translations,
            "skipped": self.n_skipped,
            "base": self.base,
            "resamples": self.n_resamples,
            "seed": self.seed,
            "resample_by": self.resample_by,
            "systems_from": _on_disk(self, people.systems_from),
            "pairs_from": _on_disk(self, people.pairs_from) if self.n_pairs else None,
            "unjudged": dataset.unjudged,
            "without_output": dataset.without_output,
        }

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield the figures of the paper's tables, then the other figures.

        `figure` has a row per metric and figure, `group_figure` the same of domains or documents,
        `metric` one per metric, `comparison` one per p-value between metrics, `score` one per
        system and metric, `human` one per system, and `kappa` one per table of judgments.
        """
        yield Table(name="figure", columns=_FIGURES, rows=_figure_rows(self))
        yield [Line((sentence,), "verdict") for sentence in verdict(self)]
        yield [Line((about(self),), "title")]
        yield from figure_tables(self)
        remarks = [line(note) for note in notes(self, {name: name for name in self.metrics})]
        signatures = [
            Line((f"{name}: {metric.signature}",), "signature")
            for name, metric in self.metrics.items()
        ]
        yield [*remarks, *signatures]
        if self.groups:
            rows = [
                (group, subset, *row)
                for group, subset in self.groups.items()
                for row in _figure_rows(subset)
            ]
            yield Table(name="group_figure", columns=_GROUP_FIGURES, rows=rows)
        yield Table(name="metric", columns=_METRICS, rows=[*self.metrics.items()])
        yield Table(name="comparison", columns=_COMPARISONS, rows=[*_comparisons(self)])
        scores = [
            (name, *score) for name, of in self.metrics.items() for score in of.scores.items()
        ]
        yield Table(name="score", columns=_SCORES, rows=scores)
        yield Table(name="human", columns=_SCORES[1:], rows=[(0, *x) for x in self.human.items()])
        yield Table(name="kappa", columns=_KAPPA, rows=[*self.people.kappa.items()])

    def __repr__(self) -> str:
        return (
            f"<Evaluation of {', '.join(self.metrics)} on {self.dataset.name}:"
            f" {len(self.human)} systems, {self.n_segments} segments>"
        )


CORRELATION_DIGITS = 3
# Headings of figures in the overview.
TITLES = {
    "consistency": "consistency on pairs of translations",
    "acc_eq": "acc*eq of segments",
    "flat_spearman": "Spearman across translations",
    "pearson": "Pearson of systems",
    "soft_pairwise_accuracy": "soft pairwise accuracy of systems",
}
HEADINGS = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall",
    "flat_pearson": "Pearson",
    "flat_spearman": "Spearman",
    "flat_kendall": "Kendall",
    "consistency": "consistency",
    "consistency_half": "ties half",
    "wmt14_tau": "WMT14 τ",
    "mean_tau_b": "mean τ-b",
    "pairwise_accuracy": "accuracy",
}


def titles_of(evaluation: Evaluation) -> dict[str, str]:
    """Return the display names of the metrics; external metrics have their own names."""
    return {
        name: title_of(Signature.of(metric.signature)) if name in METRICS else name
        for name, metric in evaluation.metrics.items()
    }


def verdict(evaluation: Evaluation) -> list[str]:
    """Return how well metrics agree with people: a sentence on systems and one on segments."""
    n_systems = str(len(evaluation.human))
    figures = {
        ORDERED: (
            "{0} orders {1} of the pairs of {2} systems as people do",
            Phrase("chance: {0}", _percent(CHANCE)),
        ),
        "pearson": ("{0} correlates with the human scores of {2} systems by {1}", None),
        CALIBRATED: ("{0} has an acc*eq on segments of {1}", None),
    }
    known = [
        name
        for name in figures
        if all(metric.figures[name].value is not None for metric in evaluation.metrics.values())
    ]
    names = [name for name in known if name != "pearson" or ORDERED not in known]
    return [_verdict(evaluation, name, *figures[name], n_systems) for name in names]


def _percent(value: float) -> str:
    return f"{value:.0%}"


def _verdict(
    evaluation: Evaluation, name: str, pattern: str, chance: str | None, n_systems: str
) -> str:
    metrics, titles = evaluation.metrics, titles_of(evaluation)
    ranked = sorted(metrics, key=lambda metric: -(metrics[metric].figures[name].value or 0.0))
    best = metrics[ranked[0]]
    figure = best.figures[name]

    def text(value: float | None) -> str:
        return _percent(value or 0.0) if name == ORDERED else cells.score(value, CORRELATION_DIGITS)

    about = [] if chance is None else [chance]
    if figure.interval is not None:
        about.insert(0, Phrase("95% interval {0} to {1}", *map(text, figure.interval)))
    first: str = Phrase(pattern, titles[ranked[0]], text(figure.value), n_systems)
    if about:
        first = Phrase("{0} ({1})", first, listed(about, "; "))
    if len(ranked) == 1:
        return Phrase("{0}.", first)
    if name not in best.clusters:
        second = text(metrics[ranked[1]].figures[name].value)
        return Phrase("{0}; the next is {1}, {2}.", first, titles[ranked[1]], second)
    equal = [
        titles[metric]
        for metric in ranked[1:]
        if metrics[metric].clusters.get(name) == best.clusters[name]
    ]
    if not equal:
        return Phrase("{0}, significantly more than all others.", first)
    return Phrase("{0}, but not significantly more than {1}.", first, listed(equal))


def figure_tables(evaluation: Evaluation) -> Iterator[Table]:
    """Yield tables of figures, without the columns in which no metric has one."""
    metrics, n_systems = evaluation.metrics, len(evaluation.human)
    n_pairs, n_translations = evaluation.n_pairs, evaluation.people.n_translations
    counted_pairs = "consistency on {0} pairs of translations (human ties excluded)"
    consistency = (Phrase(counted_pairs, f"{n_pairs:,}"), PAIRS[:2])
    systems = (Phrase("agreement on the scores of {0} systems", str(n_systems)), tuple(SYSTEM))
    within = (Phrase("Kendall within segments"), PAIRS[2:])
    across = (
        Phrase("correlation across {0} translations", f"{n_translations:,}"),
        tuple(ACROSS),
    )
    for parts in ((consistency, systems), (within, across)):
        titles = {name: title for title, names in parts for name in names}
        known = [name for name in titles if _has_value(metrics.values(), name)]
        if known:
            columns = [
                Column(Phrase("metric"), TEXT, itemgetter(0)),
                *(_figure_column(Phrase(HEADINGS[x]), x, metrics.values()) for x in known),
            ]
            title = listed(list(dict.fromkeys(titles[name] for name in known)), "; ")
            yield Table(
                columns=columns, rows=[*metrics.items()], digits=CORRELATION_DIGITS, title=title
            )
    yield from _wmt_table(evaluation)
    yield from _group_tables(evaluation)


def _has_value(metrics: Iterable[MetricAgreement], figure: str) -> bool:
    return any(metric.figures[figure].value is not None for metric in metrics)


def _figure_column(heading: str, name: str, metrics: Iterable[MetricAgreement]) -> Column:
    """Return the column of a figure; rows are (name, `MetricAgreement`)."""
    return _estimates(heading, lambda row: row[1].figures[name], [x.figures[name] for x in metrics])


def _estimates(heading: str, figure: Callable[[Any], Figure], figures: Sequence[Figure]) -> Column:
    """Return a column whose cells are padded to the longest row of stars, so that digits align."""
    n_stars = max(len(x.stars) for x in figures)

    def value(row: Any) -> tuple[float, float | None] | None:
        estimate = figure(row)
        return None if estimate.value is None else (estimate.value, estimate.error)

    return Column(heading, ESTIMATE, value, mark=lambda row: figure(row).stars.ljust(n_stars))


def _wmt_table(evaluation: Evaluation) -> Iterator[Table]:
    """Yield the figures of the WMT metrics tasks, each with the cluster of the metric."""
    metrics, texts = evaluation.metrics.values(), []
    columns = [Column(Phrase("metric"), TEXT, itemgetter(0))]
    for name, heading, text in (
        (SOFT, "soft accuracy", "soft pairwise accuracy"),
        (CALIBRATED, "acc*eq", "acc*eq, with calibrated ties"),
    ):
        if _has_value(metrics, name):
            texts.append(Phrase(text))
            columns.append(_figure_column(Phrase(heading), name, metrics))
            if any(name in metric.clusters for metric in metrics):
                columns.append(Column(Phrase("cluster"), COUNT, _cluster_of(name)))
            if name == CALIBRATED:
                columns.append(Column(Phrase("ε"), _EPSILON, lambda row: row[1].epsilon))
    if len(columns) > 1:
        title = Phrase("as in the WMT metrics tasks: {0}", listed(texts, "; "))
        rows = [*evaluation.metrics.items()]
        yield Table(columns=columns, rows=rows, digits=CORRELATION_DIGITS, title=title)


def _cluster_of(figure: str) -> Callable[[Any], int | None]:
    return lambda row: row[1].clusters.get(figure)


def _group_tables(evaluation: Evaluation) -> Iterator[Table]:
    """Yield tables with each domain or document in a row, each metric in a column."""
    titles = {
        "consistency": "consistency",
        "acc_eq": "acc*eq",
        "pearson": "Pearson of systems",
        "soft_pairwise_accuracy": "soft pairwise accuracy",
    }
    rows = [*evaluation.groups.items()]
    for name, title in titles.items():
        columns = [
            Column(Phrase("group"), NAME, itemgetter(0)),
            Column(Phrase("segments"), COUNT, lambda row: row[1].n_segments),
        ]
        for metric in evaluation.metrics:
            value = partial(_figure_of, metric=metric, name=name)
            if any(value(row).value is not None for row in rows):
                columns.append(_estimates(metric, value, [*map(value, rows)]))
        if len(columns) > 2:
            by_group = Phrase("{0} by group", Phrase(title))
            yield Table(columns=columns, rows=rows, digits=CORRELATION_DIGITS, title=by_group)


def _figure_of(row: tuple[str, Evaluation], *, metric: str, name: str) -> Figure:
    """Return a figure of a metric on a group; it has no value if the metric lacks it."""
    agreement = row[1].metrics.get(metric)
    return Figure(None) if agreement is None else agreement.figures[name]


def about(evaluation: Evaluation) -> str:
    """Return what was measured: sets, references, systems, judgments."""
    refs = evaluation.dataset.references
    references = "{0}: {1} × {2} segments, references {3}"
    return Phrase(
        "{0}: {1} × {2} segments, reference {3}" if len(refs) == 1 else references,
        evaluation.dataset.name,
        quantity(len(evaluation.dataset.systems), "system"),
        f"{evaluation.n_segments:,}",
        listed(refs),
    )


def _on_disk(evaluation: Evaluation, text: str) -> str:
    """Return the text with the names of the files on disk instead of the names in our layout."""
    files = evaluation.dataset.files
    for name, path in () if files is None or files.pair is None else files.tables.items():
        text = text.replace(name, path.name)
    return text


def notes(evaluation: Evaluation, names: Mapping[str, str]) -> Iterator[Phrase]:
    """Yield notes that explain the figures, with these names of metrics."""
    people = evaluation.people
    of_documents = evaluation.resample_by == "document"
    yield Phrase(
        "±: standard error over {0} resamples of the documents, seed {1}"
        if of_documents
        else "±: standard error over {0} resamples of the segments, seed {1}",
        f"{evaluation.n_resamples:,}",
        str(evaluation.seed),
    )
    if len(evaluation.metrics) > 1:
        base = names[evaluation.base]
        yield Phrase(
            "* and **: higher than {0} (paired bootstrap, one-sided p < 0.05 and p < 0.01)",
            base,
        )
        if any(metric.clusters for metric in evaluation.metrics.values()):
            yield Phrase("cluster: permutation tests between all metrics, one-sided p ≤ 0.05")
    sources = []
    if len(evaluation.human) > 1:
        sources.append(Phrase("systems: {0}", _source(evaluation, people.systems_from)))
    if evaluation.n_pairs:
        sources.append(Phrase("pairs: {0}", _source(evaluation, people.pairs_from)))
    if people.n_translations:
        sources.append(Phrase("translations: {0}", _source(evaluation, "human-seg.tsv")))
    yield Phrase("human judgments of {0}", listed(sources, "; "))
    if n := evaluation.n_skipped:
        several = "{0} segments left out, because no optimum was proved"
        alone = "{0} segment left out, because no optimum was proved"
        yield Phrase(alone if n == 1 else several, str(n))
    for name, kappa in people.kappa.items():
        value, observed = (cells.score(x, 4) for x in (kappa.kappa, kappa.observed))
        agreed = "annotators in {0}: kappa {1}, rate of agreement {2}, {3} cases"
        yield Phrase(agreed, name, value, observed, f"{kappa.n_cases:,}")


def _source(evaluation: Evaluation, files: str) -> str:
    """Return the files that judgments come from, by their names on disk."""
    first, of_means, second = _on_disk(evaluation, files).partition(", means of ")
    return Phrase("{0}, means of {1}", first, second) if of_means else first


FigureRow = tuple[str, MetricAgreement, str, str]  # metric, its agreement, level, figure


def _figure_rows(evaluation: Evaluation) -> list[FigureRow]:
    """Return the figures of all metrics that are defined."""
    return [
        (metric, agreement, level, name)
        for metric, agreement in evaluation.metrics.items()
        for level, names in FIGURES.items()
        for name in names
        if agreement.figures[name].value is not None
    ]


def _figure_value(kind: Kind, name: str, *names: str) -> Column:
    value = attrgetter(name)
    return Column("", kind, lambda row: value(row[-3].figures[row[-1]]), names or name)


# Columns for rows that end in a `FigureRow`.
_FIGURES = [
    Column("", TEXT, lambda row: row[-4], "metric"),
    Column("", TEXT, lambda row: row[-2], "level"),
    Column("", TEXT, lambda row: row[-1], "figure"),
    _figure_value(SCORE, "value"),
    _figure_value(SCORE, "error"),
    _figure_value(INTERVAL, "interval", "low", "high"),
    _figure_value(SCORE, "p"),
    Column("", COUNT, lambda row: row[-3].clusters.get(row[-1]), "cluster"),
    Column("", TEXT, lambda row: row[-3].signature, "signature"),
]
_GROUP_FIGURES = [
    Column("", NAME, itemgetter(0), "group"),
    Column("", COUNT, lambda row: row[1].n_segments, "segments"),
    Column("", COUNT, lambda row: row[1].n_pairs, "pairs"),
    *_FIGURES,
]
_METRICS = [
    Column("", TEXT, itemgetter(0), "metric"),
    Column("", TEXT, lambda row: row[1].higher_is_better, "higher_is_better"),
    Column("", SCORE, lambda row: row[1].epsilon, "acc_eq_epsilon"),
    Column("", TEXT, lambda row: row[1].signature, "signature"),
]
_COMPARISONS = [
    Column("", TEXT, itemgetter(0), "figure"),
    Column("", TEXT, itemgetter(1), "metric"),
    Column("", TEXT, itemgetter(2), "other"),
    Column("", SCORE, itemgetter(3), "p"),
]
_SCORES = [
    Column("", TEXT, itemgetter(0), "metric"),
    Column("", NAME, itemgetter(1), "system"),
    Column("", SCORE, itemgetter(2), "score"),
]
_KAPPA = [
    Column("", TEXT, itemgetter(0), "judgments"),
    Column("", SCORE, lambda row: row[1].kappa, "kappa"),
    Column("", SCORE, lambda row: row[1].observed, "observed"),
    Column("", SCORE, lambda row: CHANCE, "chance"),
    Column("", COUNT, lambda row: row[1].n_cases, "cases"),
]
_EPSILON = Kind(show=lambda value, digits, look: f"{value:.3g}")


def _comparisons(evaluation: Evaluation) -> Iterator[tuple[str, str, str, float]]:
    """Yield rows of figure, metric, another metric, and the p-value that the first is higher."""
    for figure, by_metric in evaluation.p_between.items():
        for metric, others in by_metric.items():
            for other, p in others.items():
                yield figure, metric, other, p
