"""A campaign → lines or tables: all systems by each metric, or their documents or segments."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from celab.base.text.escapes import escaped
from celab.evaluation.campaign import Campaign, documents
from celab.evaluation.comparison import SIGNIFICANT, TEST_NAMES
from celab.metrics.registry import METRICS, metric_class
from celab.report.tables import OVERLAP, Figure, Table, note, p_cell, write
from celab.statistics.significance import TOO_FEW

if TYPE_CHECKING:
    from celab.evaluation.campaign import Comparison
    from celab.metrics.scores import Score


def scores_only(scored: Campaign, width: int | None = None) -> str:
    """Return a line per score, by metric and in the order of files."""
    scores = (score for of_metric in scored.scores.values() for score in of_metric.values())
    return "".join(f"{score.format(width, score_only=True)}\n" for score in scores)


def line(scored: Campaign, width: int | None = None) -> str:
    """Return the only score of a campaign with its figures, and its signature on the next line."""
    ((metric, of_metric),) = scored.scores.items()
    ((system, score),) = of_metric.items()
    figures = _figures(score, scored.interval(metric, system), width)
    return f"{figures}\n{escaped(score.signature)}\n"


def _figures(score: Score, interval: tuple[float, float] | None, width: int | None) -> str:
    """Return the score with its interval, what else its metric shows, and what was scored."""
    n = score.digits if width is None else width
    parts = [f"{score.name} = {score.score:.{n}f}"]
    if interval is not None:
        parts[0] += f" {bracket(interval, n)}"
    if score.precision is not None:
        parts += [f"P = {score.precision:.{n}f}", f"R = {score.recall:.{n}f}"]
    if score.signature.name in METRICS:
        details = metric_class(score.signature.name).details(score)
        parts += [f"{name} = {value}" for name, value in details.items()]
    counts = [_count(len(score.segments), "segment")]
    if score.n_skipped:
        counts.append(f"{score.n_skipped} skipped")
    counts.append(_count(score.n_references, "reference"))
    return "  ".join([*parts, f"({', '.join(counts)})"])


def bracket(interval: tuple[float, float], n: int) -> str:
    """Return the ends of an interval with `n` decimals."""
    low, high = interval
    return f"[{low:.{n}f}, {high:.{n}f}]"


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'s' * (n != 1)}"


def tables(scored: Campaign, kind: str, *, details: bool = False, width: int | None = None) -> str:
    """Return one table of systems by metrics, or, with `details`, a table per metric.

    Its notes say how to read it, and have a signature per metric; TSV is one table in either case.
    """
    if kind == "tsv":
        return write(_details_as_tsv(scored) if details else _scores_as_tsv(scored), kind)
    if details:
        blocks = [_metric_tables(name, scored, kind, width) for name in scored.scores]
        return "\n".join([*blocks, note(OVERLAP, kind)])
    notes = [*_caption(scored, kind), OVERLAP, *map(_signature, scored.scores.values())]
    table = write(score_table(scored, width), kind)
    return table + "\n" + "".join(note(line, kind) for line in notes)


def score_table(scored: Campaign, width: int | None = None) -> Table:
    """Return a row per system and a column per metric; the first metric orders the rows.

    The highest score of a column and the clusters are marked if there are several systems.
    """
    columns = [_column(scored, metric, width) for metric in scored.scores]
    headings = ["system", *_titles(scored).values()]
    rows = [[name, *(column[name] for column in columns)] for name in _order(scored)]
    return Table(headings, rows, right=range(1, len(headings)))


def _titles(scored: Campaign) -> dict[str, str]:
    return {metric: first_of(scored, metric).name for metric in scored.scores}


def first_of(scored: Campaign, metric: str) -> Score:
    """Return the score of the first system."""
    return next(iter(scored.scores[metric].values()))


def _values(scored: Campaign, metric: str) -> dict[str, float]:
    # Systems may have skipped different segments; those that all have are compared.
    comparison = scored.comparisons.get(metric)
    if comparison is not None and _left_out(scored.scores[metric]):
        return dict(zip(comparison.systems, comparison.scores.tolist(), strict=True))
    return {system: score.score for system, score in scored.scores[metric].items()}


def _order(scored: Campaign) -> list[str]:
    metric = next(iter(scored.scores))
    sign = -1 if first_of(scored, metric).higher_is_better else 1
    values = _values(scored, metric)
    return sorted(scored.corpus.systems, key=lambda system: sign * values[system])


def _column(scored: Campaign, metric: str, width: int | None) -> dict[str, str]:
    first, values = first_of(scored, metric), _values(scored, metric)
    n = first.digits if width is None else width
    if len(values) < 2:
        return {system: f"{value:.{n}f}" for system, value in values.items()}
    best = (max if first.higher_is_better else min)(values.values())
    clusters = dict.fromkeys(values, 0)
    comparison = scored.comparisons.get(metric)
    if comparison is not None and not comparison.too_few:
        clusters = dict(zip(comparison.systems, comparison.groups.tolist(), strict=True))
    return {
        system: Figure(f"{value:.{n}f}", value == best, clusters[system])
        for system, value in values.items()
    }


def _caption(scored: Campaign, kind: str) -> Iterator[str]:
    """Yield a line on the marks, and one per metric that left out segments."""
    if len(scored.corpus.systems) < 2:
        return
    highest, cluster = ("*", "(n)") if kind == "text" else ("bold", "superscript")
    titles = _titles(scored)
    falling = [
        title for metric, title in titles.items() if not first_of(scored, metric).higher_is_better
    ]
    line = f"{highest}: highest score" + f" ({', '.join(falling)}: lowest)" * bool(falling)
    too_few = [titles[metric] for metric, c in scored.comparisons.items() if c.too_few]
    if comparison := next((c for c in scored.comparisons.values() if not c.too_few), None):
        line += (
            f"; {cluster}: WMT cluster, all differences between clusters are significant"
            f" ({TEST_NAMES[comparison.test]}, {comparison.n_resamples} resamples, seed"
            f" {comparison.seed}, two-sided p < {SIGNIFICANT})"
        )
    yield line
    if too_few:
        yield f"{', '.join(too_few)}: {TOO_FEW}" if comparison else TOO_FEW
    for metric in scored.comparisons:
        if remark := _left_out(scored.scores[metric]):
            yield f"{titles[metric]}: {remark}"


def _left_out(of_metric: Mapping[str, Score]) -> str:
    has_score = np.logical_and.reduce([score.segments.scored for score in of_metric.values()])
    if has_score.all():
        return ""
    return (
        f"compared on {has_score.sum()} of {len(has_score)} segments; the others have a score that"
        " is not proved"
    )


def _signature(of_metric: Mapping[str, Score]) -> str:
    first = next(iter(of_metric.values()))
    return first.signature.without("skipped") if len(of_metric) > 1 else first.signature


def _metric_tables(metric: str, scored: Campaign, kind: str, width: int | None) -> str:
    """Return the details of one metric: intervals, precision and recall, ranks, p-values."""
    of_metric, comparison = scored.scores[metric], scored.comparisons.get(metric)
    n = first_of(scored, metric).digits if width is None else width
    text = write(_details(scored, metric, n), kind) + "\n"
    if comparison is not None:
        headings = ["p", *comparison.systems]
        rows = [
            [name, *("" if i == j else p_cell(p) for j, p in enumerate(comparison.p_values[i]))]
            for i, name in enumerate(comparison.systems)
        ]
        text += write(Table(headings, rows, right=range(1, len(headings))), kind) + "\n"
    text += note(_signature(of_metric), kind)
    if comparison is not None:
        if remark := _left_out(of_metric):
            text += note(remark, kind)
        text += note(test_remark(comparison), kind)
    return text


def _details(scored: Campaign, metric: str, n: int) -> Table:
    of_metric, comparison = scored.scores[metric], scored.comparisons.get(metric)
    title = _titles(scored)[metric]
    if comparison is not None:
        table = comparison_table(comparison, title, n)
    else:
        rows = []
        for system, score in of_metric.items():
            interval = scored.interval(metric, system)
            shown = "" if interval is None else bracket(interval, n)
            rows.append([system, f"{score.score:.{n}f}", *([shown] if scored.intervals else [])])
        headings = ["system", title, *(["95% interval"] if scored.intervals else [])]
        table = Table(headings, rows, right=range(1, len(headings)))
    if first_of(scored, metric).precision is None:
        return table
    at = table.headings.index("system")
    rates = [
        [f"{rate:.{n}f}" for rate in (of_metric[row[at]].precision, of_metric[row[at]].recall)]
        for row in table.rows
    ]
    rows = [[*row, *more] for row, more in zip(table.rows, rates, strict=True)]
    columns = len(table.headings)
    right = [*table.right, columns, columns + 1]
    return Table([*table.headings, "P", "R"], rows, right=right, rules=table.rules)


def test_remark(comparison: Comparison) -> str:
    """Return a line that says how intervals, groups and ranks were computed."""
    start = f"95% intervals: {comparison.n_resamples} resamples, seed {comparison.seed}"
    name = TEST_NAMES[comparison.test]
    if comparison.too_few:
        return f"{start}; p: two-sided, {name}; {TOO_FEW}"
    return f"{start}; groups and ranks: {name}, two-sided p < {SIGNIFICANT}"


def comparison_table(comparison: Comparison, metric: str, n: int) -> Table:
    """Return a table of the systems, best first, with `n` decimals; a line between groups.

    There are neither groups nor ranks if segments are too few.
    """
    rows, rules = [], []
    for i, name in enumerate(comparison.systems):
        low, high = comparison.intervals[i]
        best, worst = comparison.ranks[i]
        if i and comparison.groups[i] != comparison.groups[i - 1]:
            rules.append(i)
        rows.append(
            [
                str(comparison.groups[i]),
                name,
                f"{comparison.scores[i]:.{n}f}",
                bracket((low, high), n),
                f"{best}" if best == worst else f"{best}-{worst}",
            ]
        )
    headings = ["group", "system", metric, "95% interval", "ranks"]
    if comparison.too_few:
        return Table(headings[1:-1], [row[1:-1] for row in rows], right=[1, 2])
    return Table(headings, rows, right=[0, 2, 3, 4], rules=rules)


def _scores_as_tsv(scored: Campaign) -> Table:
    metrics = list(scored.scores)
    headings = ["system", *metrics]
    if scored.comparisons:
        headings += [f"group {metric}" for metric in metrics]
    headings += [f"signature {metric}" for metric in metrics]
    rows = []
    for system in _order(scored):
        row = [system, *(repr(_values(scored, metric)[system]) for metric in metrics)]
        for comparison in scored.comparisons.values():
            row.append(str(comparison.groups[comparison.systems.index(system)]))
        rows.append([*row, *(scored.scores[metric][system].signature for metric in metrics)])
    return Table(headings, rows)


def _details_as_tsv(scored: Campaign) -> Table:
    headings = ["metric", "system", "score", "precision", "recall"]
    has_intervals = bool(scored.comparisons or scored.intervals)
    if has_intervals:
        headings += ["low", "high"]
    if scored.comparisons:
        headings += ["best_rank", "worst_rank", "group"]
    names = sorted(scored.corpus.systems) if scored.comparisons else []
    rows = []
    for metric, of_metric in scored.scores.items():
        comparison = scored.comparisons.get(metric)
        for name in comparison.systems if comparison else of_metric:
            score = of_metric[name]
            numbers = (score.score, score.precision, score.recall)
            row = [metric, name, *("" if x is None else repr(x) for x in numbers)]
            if has_intervals:
                interval = scored.interval(metric, name)
                row += ["", ""] if interval is None else map(repr, interval)
            if comparison:
                i = comparison.systems.index(name)
                row += map(str, [*comparison.ranks[i], comparison.groups[i]])
                others = (comparison.systems.index(other) for other in names)
                row += [repr(float(comparison.p_values[i, j])) for j in others]
            rows.append([*row, score.signature])
    return Table([*headings, *(f"p {name}" for name in names), "signature"], rows)


def below(scored: Campaign, level: str, kind: str) -> str:
    """Return a table of documents or segments; several metrics or systems have a column."""
    several_metrics, several_systems = len(scored.scores) > 1, len(scored.corpus.systems) > 1
    has_documents = level == "document" or any(s.document for s in scored.corpus.segments[:1])
    all_scores = [score for of in scored.scores.values() for score in of.values()]
    has_rates = level == "segment" and any(score.precision is not None for score in all_scores)
    headings = ["metric"] * several_metrics + ["system"] * several_systems
    headings += ["document"] * has_documents + ["segment"] * (level == "segment") + ["score"]
    headings += ["precision", "recall"] * has_rates
    rows = []
    for metric, of_metric in scored.scores.items():
        for system, score in of_metric.items():
            start = [metric] * several_metrics + [system] * several_systems
            for names, numbers in _units(scored, score, level, has_documents):
                cells = ["" if math.isnan(x) else f"{x:.6f}" for x in numbers]  # "": skipped
                row = [*start, *names, *cells]
                rows.append(row + [""] * (len(headings) - len(row)))
    return write(Table(headings, rows), kind)


def _units(
    scored: Campaign, score: Score, level: str, has_documents: bool
) -> Iterator[tuple[list[str], list[float]]]:
    # The names and the numbers of each document or segment.
    if level == "document":
        for name, places in documents(scored.corpus).items():
            yield [name], [score.of_segments(places)]
        return
    figures = score.segments.figures.tolist()
    for segment, numbers in zip(scored.corpus.segments, figures, strict=True):
        yield [segment.document] * has_documents + [segment.id], numbers
