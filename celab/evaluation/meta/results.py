"""Results of meta-evaluation: how far metrics agree with people on one data set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from celab.base.arguments import JsonObject
from celab.base.signature import Signature
from celab.base.version import __version__
from celab.evaluation.meta.dataset import Dataset, HumanJudgments
from celab.evaluation.meta.scores import MetricScores
from celab.metrics.registry import METRICS, title_of
from celab.statistics import correlation as c
from celab.statistics.correlation import CHANCE
from celab.tables import cells
from celab.tables.cells import Cell, Phrase, ends, listed, quantity, shown
from celab.tables.record import Field, Record, check_level, fields
from celab.tables.result import DataFrame, Level, Result, plain
from celab.tables.view import NORMAL, Line, Table, View, ViewOptions, line

SYSTEM = {
    measure.__name__: measure for measure in (c.pearson, c.spearman, c.kendall, c.pairwise_accuracy)
}
PAIRS = ("consistency", "consistency_half", "wmt14_tau", "mean_tau_b")
ACROSS = {
    measure.__name__: measure for measure in (c.flat_pearson, c.flat_spearman, c.flat_kendall)
}
SOFT, CALIBRATED = "soft_pairwise_accuracy", "acc_eq"
FIGURES = {"system": (*SYSTEM, SOFT), "segment": (*PAIRS, CALIBRATED, *ACROSS)}  # by level
CORRELATIONS = ("pearson", "spearman", "kendall", "mean_tau_b", *ACROSS)
NEGATIVE = -0.1  # mean of correlations that is not due to chance
COMPARED = ("pearson", "pairwise_accuracy", SOFT, "consistency", CALIBRATED)  # by permutation


@dataclass(frozen=True, slots=True)
class Figure:
    """A measure of agreement; higher is better. None where it is not defined."""

    value: float | None
    error: float | None = None
    interval: tuple[float, float] | None = None
    p: float | None = None

    @property
    def stars(self) -> str:
        """Return `*` or `**` if better than the base metric at 5% or 1%, as in the 2012 paper."""
        return "" if self.p is None else "**" if self.p < 0.01 else "*" if self.p < 0.05 else ""


def correlations(figures: Mapping[str, Figure]) -> list[float]:
    """Return the values of the figures that are correlations, from -1 to 1."""
    values = (figures[name].value for name in CORRELATIONS if name in figures)
    return [value for value in values if value is not None]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricAgreement:
    """Agreement of a metric with people: all of `FIGURES`, by name."""

    signature: Signature
    scores: dict[str, float]  # of all systems, in the metric's own units
    higher_is_better: bool
    figures: dict[str, Figure]
    clusters: dict[str, int]  # by figure, for the figures of `COMPARED` tested; 1 is the best
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
    p_between: dict[str, dict[str, dict[str, float]]]  # figure → metric → worse metric → p
    human_errors: dict[str, float]  # standard errors of `human`, if it is resampled
    groups: dict[str, Evaluation] = field(default_factory=dict, repr=False)  # by domain or document
    # Scores by the metrics computed here, for all systems if `every_system` was set.
    computed: tuple[MetricScores, ...] = field(default=(), repr=False, compare=False)

    def to_dataframe(self, library: str | None = None, *, level: Level = "system") -> DataFrame:
        """Return a data frame with a row per metric and figure: metric, figure, value, error.

        Parameters:
            library: "pandas" or "polars" (default: the one that is installed, pandas first).
            level: "system" or "segment": which figures.
        """
        check_level(level)
        rows = [row for row in record_rows(self) if row["level"] == level]
        return RECORD.frame(rows, ("metric", "figure", "value", "error"), library)

    def view(self, options: ViewOptions = NORMAL) -> View:
        """Return the figures of the paper's tables, then others; TSV has a row per figure."""
        title = [Line((about(self),), "title")]
        rows = [row for row in record_rows(self) if row["value"] is not None]
        remarks = [line(note) for note in notes(self, {name: name for name in self.metrics})]
        signatures = [
            Line((f"{name}: {metric.signature}",), "signature")
            for name, metric in self.metrics.items()
        ]
        return View([title, *figure_tables(self), [*remarks, *signatures]], RECORD.table(rows))

    def to_dict(self) -> JsonObject:
        """Return the content of `--json`."""
        dataset, people = self.dataset, self.people
        report = {
            "celab_version": __version__,
            "dataset": dataset.name,
            "references": dataset.references,
            "segments": self.n_segments,
            "skipped": self.n_skipped,
            "base": self.base,
            "resamples": self.n_resamples,
            "seed": self.seed,
            "human": {
                "scores": self.human,
                "systems_from": _on_disk(self, people.systems_from),
                "pairs_from": _on_disk(self, people.pairs_from) if self.n_pairs else None,
            },
            "unjudged": dataset.unjudged,
            "without_output": dataset.without_output,
            "kappa": {
                name: {
                    "kappa": k.kappa,
                    "observed": k.observed,
                    "chance": CHANCE,
                    "cases": k.n_cases,
                }
                for name, k in people.kappa.items()
            },
            "metrics": {name: _metric(self, name) for name in self.metrics},
            "permutation_p_values": self.p_between,
            "groups": {
                group: {
                    "segments": subset.n_segments,
                    "metrics": {name: _metric(subset, name) for name in subset.metrics},
                }
                for group, subset in self.groups.items()
            },
        }
        return dict(plain(report))

    def __repr__(self) -> str:
        return (
            f"<Evaluation of {', '.join(self.metrics)} on {self.dataset.name}:"
            f" {len(self.human)} systems, {self.n_segments} segments>"
        )


DIGITS = 3  # of correlations
TITLES = {  # of figures in the overview
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
    """Return the display names of the metrics; those of others are their names."""
    return {
        name: title_of(Signature.of(metric.signature)) if name in METRICS else name
        for name, metric in evaluation.metrics.items()
    }


def verdict(evaluation: Evaluation) -> list[str]:
    """Return which metric agrees best with people, a sentence for systems and one for segments."""
    n_systems = len(evaluation.human)
    figures = {
        SOFT: Phrase("soft pairwise accuracy on {0} systems", str(n_systems)),
        "pearson": Phrase(
            "Pearson correlation with the human scores of {0} systems", str(n_systems)
        ),
        CALIBRATED: Phrase("acc*eq on segments"),
    }
    known = [
        name
        for name in figures
        if all(metric.figures[name].value is not None for metric in evaluation.metrics.values())
    ]
    names = [name for name in known if name != "pearson" or SOFT not in known]
    if len(evaluation.metrics) < 2:
        return []
    return [_verdict(evaluation, name, figures[name]) for name in names]


def _verdict(evaluation: Evaluation, name: str, title: str) -> str:
    metrics, titles = evaluation.metrics, titles_of(evaluation)
    ranked = sorted(metrics, key=lambda metric: -(metrics[metric].figures[name].value or 0.0))
    best = metrics[ranked[0]]
    figure = best.figures[name]
    value = shown(cells.score(figure.value, DIGITS))
    if figure.interval is not None:
        limits = ends(cells.interval(figure.interval, DIGITS))
        value = Phrase("{0} (95% interval {1} to {2})", value, *limits)
    first = Phrase("{0} has the highest {1}, {2}", titles[ranked[0]], title, value)
    if name not in best.clusters:
        second = shown(cells.score(metrics[ranked[1]].figures[name].value, DIGITS))
        return Phrase("{0}; the next is {1}, {2}.", first, titles[ranked[1]], second)
    equal = [
        titles[metric]
        for metric in ranked[1:]
        if metrics[metric].clusters.get(name) == best.clusters[name]
    ]
    if not equal:
        return Phrase("{0}, significantly higher than all others.", first)
    return Phrase("{0}, but not significantly higher than {1}.", first, listed(equal))


def _metric(evaluation: Evaluation, name: str) -> JsonObject:
    metric = evaluation.metrics[name]

    def each(field: str) -> dict[str, JsonObject]:
        return {
            level: {name: getattr(metric.figures[name], field) for name in names}
            for level, names in FIGURES.items()
        }

    report: JsonObject = each("value")
    report["system"]["systems"] = len(evaluation.human)
    report["segment"]["pairs"] = evaluation.n_pairs
    report["segment"]["translations"] = evaluation.people.n_translations
    return report | {
        "errors": each("error"),
        "intervals": each("interval"),
        "p_values": each("p"),
        "clusters": metric.clusters,
        "acc_eq_epsilon": metric.epsilon,
        "scores": metric.scores,
        "higher_is_better": metric.higher_is_better,
        "signature": metric.signature,
    }


def figure_tables(evaluation: Evaluation) -> Iterator[Table]:
    """Yield tables with the columns in which any metric has a figure."""
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
        columns = {name: [metric.figures[name] for metric in metrics.values()] for name in titles}
        known = [
            name for name in titles if any(figure.value is not None for figure in columns[name])
        ]
        if known:
            rows = zip(metrics, *(_cells(columns[name]) for name in known), strict=True)
            headings = [Phrase(HEADINGS[name]) for name in known]
            title = listed(list(dict.fromkeys(titles[name] for name in known)), "; ")
            right = range(1, 1 + len(headings))
            yield Table(
                headings=[Phrase("metric"), *headings], rows=list(rows), right=right, title=title
            )
    yield from _wmt_table(evaluation)
    yield from _group_tables(evaluation)


def _wmt_table(evaluation: Evaluation) -> Iterator[Table]:
    """Yield the figures of the WMT metrics tasks, each with the cluster of the metric."""
    metrics = evaluation.metrics.values()
    columns: dict[str, Sequence[Cell | str]] = {"metric": list(evaluation.metrics)}
    for name, title in ((SOFT, "soft accuracy"), (CALIBRATED, "acc*eq")):
        figures = [metric.figures[name] for metric in metrics]
        if any(figure.value is not None for figure in figures):
            columns[title] = _cells(figures)
            if any(name in metric.clusters for metric in metrics):
                columns[f"cluster{' ' * (len(columns) > 2)}"] = [
                    str(metric.clusters.get(name, "")) for metric in metrics
                ]
            if name == CALIBRATED:
                columns["ε"] = [
                    "" if metric.epsilon is None else f"{metric.epsilon:.3g}" for metric in metrics
                ]
    if len(columns) > 1:
        parts = {
            "soft accuracy": Phrase("soft pairwise accuracy"),
            "acc*eq": Phrase("acc*eq, with calibrated ties"),
        }
        figures_shown = listed([text for name, text in parts.items() if name in columns], "; ")
        title = Phrase("as in the WMT metrics tasks: {0}", figures_shown)
        rows = list(zip(*columns.values(), strict=True))
        # A second column of clusters has a space after its heading, because keys are unique.
        headings = [
            Phrase("{0} ", Phrase(name[:-1])) if name.endswith(" ") else Phrase(name)
            for name in columns
        ]
        yield Table(headings=headings, rows=rows, right=range(1, len(columns)), title=title)


def _group_tables(evaluation: Evaluation) -> Iterator[Table]:
    """Yield tables with each domain or document in a row, each metric in a column."""
    titles = {
        "consistency": "consistency",
        "acc_eq": "acc*eq",
        "pearson": "Pearson of systems",
        "soft_pairwise_accuracy": "soft pairwise accuracy",
    }
    groups = evaluation.groups.items()
    for figure, title in titles.items():
        columns = {
            metric: [
                subset.metrics[metric].figures[figure] if metric in subset.metrics else Figure(None)
                for _, subset in groups
            ]
            for metric in evaluation.metrics
        }
        known = [
            name for name in columns if any(figure.value is not None for figure in columns[name])
        ]
        if known:
            names = [cells.name(name) for name in evaluation.groups]
            counts = [cells.count(subset.n_segments) for _, subset in groups]
            rows = list(zip(names, counts, *(_cells(columns[name]) for name in known), strict=True))
            headings = [Phrase("group"), Phrase("segments"), *known]
            right = range(1, len(headings))
            yield Table(
                headings=headings,
                rows=rows,
                right=right,
                title=Phrase("{0} by group", Phrase(title)),
            )


def _cells(figures: Sequence[Figure]) -> list[Cell]:
    """Return a column; all cells are padded to the longest row of stars, so that digits align."""
    n_stars = max(len(figure.stars) for figure in figures)
    return [
        Cell("score", x.value, DIGITS, error=x.error, mark=x.stars.ljust(n_stars)) for x in figures
    ]


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
    """Return the text with the names of the files that were read, not those of our layout."""
    files = evaluation.dataset.files
    for name, path in () if files is None or files.pair is None else files.tables.items():
        text = text.replace(name, path.name)
    return text


def notes(evaluation: Evaluation, names: Mapping[str, str]) -> Iterator[Phrase]:
    """Yield notes that explain the figures, with these names of metrics."""
    people = evaluation.people
    yield Phrase(
        "±: standard error over {0} resamples of the segments, seed {1}",
        f"{evaluation.n_resamples:,}",
        str(evaluation.seed),
    )
    if len(evaluation.metrics) > 1:
        base = names[evaluation.base]
        yield Phrase(
            "* and **: better than {0} by the paired bootstrap, one-sided p < 0.05 and p < 0.01",
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
        several = "{0} more segments left out, because no optimum was proved"
        alone = "{0} more segment left out, because no optimum was proved"
        yield Phrase(alone if n == 1 else several, str(n))
    for name, kappa in people.kappa.items():
        value, observed = (shown(cells.score(x, 4)) for x in (kappa.kappa, kappa.observed))
        agreed = "annotators in {0}: kappa {1}, agreement in {2} of {3} cases"
        yield Phrase(agreed, name, value, observed, f"{kappa.n_cases:,}")


def _source(evaluation: Evaluation, files: str) -> str:
    """Return the files that judgments come from, as they are called on disk."""
    first, of_means, second = _on_disk(evaluation, files).partition(", means of ")
    return Phrase("{0}, means of {1}", first, second) if of_means else first


def record_rows(evaluation: Evaluation) -> list[JsonObject]:
    """Return all figures of all metrics, also those that are not defined."""
    rows = []
    for metric, agreement in evaluation.metrics.items():
        for level, name in ((level, name) for level, names in FIGURES.items() for name in names):
            figure = agreement.figures[name]
            low, high = figure.interval or (None, None)
            about = {"metric": metric, "level": level, "figure": name, "low": low, "high": high}
            numbers = {"value": figure.value, "error": figure.error, "p": figure.p}
            rows.append(about | numbers | {"signature": agreement.signature})
    return rows


RECORD = Record(
    *fields("text", "metric", "level", "figure"),
    *fields("number", "value", "error", "low", "high", "p"),
    Field("signature", "text"),
)
