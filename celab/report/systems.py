"""A campaign → lines or tables: all systems by each metric, or their documents or segments."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from celab.base.text.escapes import escaped
from celab.evaluation.campaign import Campaign, documents
from celab.evaluation.comparison import SIGNIFICANT, TEST_NAMES
from celab.metrics.registry import METRICS, metric_class
from celab.report.tables import OVERLAP, Table, note, write

if TYPE_CHECKING:
    from celab.evaluation.campaign import Comparison
    from celab.metrics.scores import Score


def scores_only(scored: Campaign, width: int | None = None) -> str:
    """Return a line per score, by metric and in the order of files."""
    scores = (score for of_metric in scored.scores.values() for score in of_metric.values())
    return "".join(f"{score.format(width, score_only=True)}\n" for score in scores)


def lines(scored: Campaign, width: int | None = None) -> str:
    """Return two lines per score, its figures and its signature, in the order of files."""
    return "".join(
        f"{_figures(score, scored.interval(metric, system), width)}\n{escaped(score.signature)}\n"
        for metric, of_metric in scored.scores.items()
        for system, score in of_metric.items()
    )


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


def tables(scored: Campaign, kind: str, *, p_values: bool, width: int | None = None) -> str:
    """Return a table per metric of the systems, the best first; TSV is one table."""
    if kind == "tsv":
        return write(_as_tsv(scored, p_values), kind)
    metrics = (_metric_tables(name, scored, kind, p_values, width) for name in scored.scores)
    text = "\n".join(metrics)
    return f"{text}\n{note(OVERLAP, kind)}" if scored.comparisons else text


def _metric_tables(
    metric: str, scored: Campaign, kind: str, p_values: bool, width: int | None
) -> str:
    of_metric, comparison = scored.scores[metric], scored.comparisons.get(metric)
    first = next(iter(of_metric.values()))
    if comparison is None:
        rows = [[name, score.format(width, score_only=True)] for name, score in of_metric.items()]
        table = Table(["system", first.name], rows, right=[1])
        return write(table, kind) + "\n" + note(first.signature, kind)
    n = first.digits if width is None else width
    text = write(comparison_table(comparison, first.name, n), kind) + "\n"
    if p_values:
        headings = ["p", *comparison.systems]
        rows = [
            [name, *("" if i == j else f"{p:.3f}" for j, p in enumerate(comparison.p_values[i]))]
            for i, name in enumerate(comparison.systems)
        ]
        text += write(Table(headings, rows, right=range(1, len(headings))), kind) + "\n"
    # Systems may have skipped different segments; those that all have are compared.
    text += note(first.signature.without("skipped"), kind)
    has_score = np.logical_and.reduce([score.segments.scored for score in of_metric.values()])
    if not has_score.all():
        text += note(
            f"compared on {has_score.sum()} of {len(has_score)} segments; the others have a score"
            " that is not proved",
            kind,
        )
    return text + note(test_remark(comparison), kind)


def test_remark(comparison: Comparison) -> str:
    """Return a line that says how intervals, groups and ranks were computed."""
    return (
        f"95% intervals: {comparison.n_resamples} resamples, seed {comparison.seed}; groups and"
        f" ranks: {TEST_NAMES[comparison.test]}, two-sided p < {SIGNIFICANT}"
    )


def comparison_table(comparison: Comparison, metric: str, n: int) -> Table:
    """Return a table of the systems, best first, with `n` decimals; a line between groups."""
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
                f"[{low:.{n}f}, {high:.{n}f}]",
                f"{best}" if best == worst else f"{best}-{worst}",
            ]
        )
    headings = ["group", "system", metric, "95% interval", "ranks"]
    return Table(headings, rows, right=[0, 2, 3, 4], rules=rules)


def _as_tsv(scored: Campaign, p_values: bool) -> Table:
    headings = ["metric", "system", "score", "precision", "recall"]
    if scored.comparisons:
        headings += ["low", "high", "best_rank", "worst_rank", "group"]
    names = sorted(scored.corpus.systems) if scored.comparisons and p_values else []
    rows = []
    for metric, of_metric in scored.scores.items():
        comparison = scored.comparisons.get(metric)
        for name in comparison.systems if comparison else of_metric:
            score = of_metric[name]
            numbers = (score.score, score.precision, score.recall)
            row = [metric, name, *("" if x is None else repr(x) for x in numbers)]
            if comparison:
                i = comparison.systems.index(name)
                row += map(repr, comparison.intervals[i].tolist())
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
