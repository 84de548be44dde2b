"""A campaign → its view: all systems by each metric, or their documents or segments."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from celab.corpus import Segment
from celab.evaluation.checks.screening import Lengths
from celab.evaluation.systems.scored import Comparison, Scored, comparison_table, test_remark
from celab.metrics.judge_score import has_judge_scores
from celab.metrics.registry import METRICS, metric_class
from celab.metrics.scores import Score
from celab.statistics.difference import EXACT, NO_VERDICT, SIGNIFICANT, Difference
from celab.statistics.significance import TEST_NAMES, name_tests
from celab.tables import cells
from celab.tables.cells import Cell, quantity, shown
from celab.tables.view import (
    BEST,
    CLUSTER,
    NORMAL,
    OVERLAP,
    Line,
    Part,
    Table,
    View,
    ViewOptions,
    line,
)

MOST_COLUMNS = 10  # scores of a system in one line; with more, a table is split
COLUMNS_OF_BLOCK = 7


def _lines(scored: Scored, width: int | None) -> Iterator[Line]:
    """Yield each score with its figures, and its signature on the next line."""
    for metric, of_metric in scored.scores.items():
        for system, score in of_metric.items():
            yield line(_figures(score, scored.interval(metric, system), width))
            yield Line((score.signature,), "signature")


def _figures(score: Score, interval: tuple[float, float] | None, width: int | None) -> str:
    """Return the score with its interval, what else its metric shows, and what was scored."""
    n = score.digits if width is None else width
    parts = [f"{score.name} = {shown(cells.score(score.score, n))}"]
    if interval is not None:
        parts[0] += f" {shown(cells.interval(interval, n))}"
    if score.precision is not None:
        rates = {"P": score.precision, "R": score.recall}
        parts += [f"{name} = {shown(cells.score(rate, n))}" for name, rate in rates.items()]
    if score.signature.name in METRICS:
        details = metric_class(score.signature.name).details(score)
        parts += [f"{name} = {value}" for name, value in details.items()]
    counts: list[str] = [quantity(len(score.segments))]
    if score.n_skipped:
        counts.append(f"{score.n_skipped} skipped")
    counts.append(quantity(score.n_references, "reference"))
    return "  ".join([*parts, f"({', '.join(counts)})"])


def view_of(scored: Scored, output: ViewOptions) -> View:
    """Return one table of systems by metrics, all details of each metric, or documents or segments.

    Notes say how to read it, and there is a signature per metric. Without tables there is a line
    per score.
    """
    if output.level != "system":
        from celab.evaluation.systems.stored import unit_table

        table = unit_table(scored, output.level)
        return View([table], table)
    if output.detail == "score":
        scores = (score for of in scored.scores.values() for score in of.values())
        return View([[line(score.format(output.digits, score_only=True)) for score in scores]])
    if output.detail == "line":
        return View([[*_lines(scored, output.digits)]])
    if output.detail == "full":
        from celab.evaluation.systems.judged import details
        from celab.evaluation.systems.stored import system_table

        parts: list[Part] = []
        for name in scored.scores:
            parts += _metric(name, scored, output.digits)
        closing = [*_judge_notes(scored), *_overlap_note(scored)]
        parts += [*details(scored), *_spans(scored), closing]
        return View(parts, system_table(scored))
    lines = [*_caption(scored), *_judge_notes(scored), *_overlap_note(scored)]
    lines += map(_signature_line, scored.scores.values())
    tables = blocks(score_table(scored, output.digits))
    return View([*tables, lines, *_spans(scored)], _scores_as_tsv(scored))


def _judge_notes(scored: Scored) -> Sequence[Line]:
    if not any(map(has_judge_scores, scored.scores.values())):
        return []
    from celab.evaluation.systems.judged import notes

    return [*notes(scored)]


def _overlap_note(scored: Scored) -> Sequence[Line]:
    has_references = any(
        score.n_references for of in scored.scores.values() for score in of.values()
    )
    return [line(OVERLAP)] if has_references else []


def _spans(scored: Scored) -> Sequence[Part]:
    if scored.spans is None:
        return []
    return scored.spans.view().parts


def score_table(scored: Scored, width: int | None = None) -> Table:
    """Return a row per system and a column per metric; the first metric orders the rows.

    The highest score of a column and the clusters are marked if there are several systems.
    """
    columns = [_column(scored, metric, width) for metric in scored.scores]
    headings = ["system", *_titles(scored).values()]
    absent = cells.score(math.nan, 4)
    rows = [
        [cells.name(name), *(column.get(name, absent) for column in columns)]
        for name in _order(scored)
    ]
    return Table(headings=headings, rows=rows, right=range(1, len(headings)))


def blocks(table: Table) -> list[Table]:
    """Return a table that has too many columns to be read as several, with equal first columns."""
    n_columns = len(table.headings) - 1
    if n_columns <= MOST_COLUMNS:
        return [table]
    n_blocks = math.ceil(n_columns / COLUMNS_OF_BLOCK)
    ends = [round(i * n_columns / n_blocks) + 1 for i in range(n_blocks + 1)]
    return [
        Table(
            headings=[table.headings[0], *table.headings[start:end]],
            rows=[[row[0], *row[start:end]] for row in table.rows],
            right=range(1, end - start + 1),
        )
        for start, end in pairwise(ends)
    ]


def _titles(scored: Scored) -> dict[str, str]:
    return {metric: first_of(scored, metric).name for metric in scored.scores}


def first_of(scored: Scored, metric: str) -> Score:
    """Return the score of the first system."""
    return next(iter(scored.scores[metric].values()))


def _values(scored: Scored, metric: str) -> dict[str, float]:
    # Systems may have skipped different segments; those that all have are compared.
    comparison = scored.comparisons.get(metric)
    if comparison is not None and _shared_segments_note(scored.scores[metric]):
        return dict(zip(comparison.systems, comparison.scores.tolist(), strict=True))
    return {system: score.score for system, score in scored.scores[metric].items()}


def _order(scored: Scored) -> list[str]:
    metric = next(iter(scored.scores))
    sign = -1 if first_of(scored, metric).higher_is_better else 1
    values = _values(scored, metric)
    return sorted(
        scored.system_names, key=lambda system: sign * values.get(system, -sign * math.inf)
    )


def _column(scored: Scored, metric: str, width: int | None) -> dict[str, Cell]:
    first, values = first_of(scored, metric), _values(scored, metric)
    n = first.digits if width is None else width
    if len(values) < 2:
        return {system: cells.score(value, n) for system, value in values.items()}
    best = (max if first.higher_is_better else min)(values.values())
    clusters = dict.fromkeys(values, 0)
    comparison = scored.comparisons.get(metric)
    if comparison is not None and not comparison.too_few:
        clusters = dict(zip(comparison.systems, comparison.groups.tolist(), strict=True))
    return {
        system: Cell("score", value, n, value == best, clusters[system])
        for system, value in values.items()
    }


def _caption(scored: Scored) -> Iterator[Line]:
    """Yield a line on the marks, and one per metric that left out segments."""
    if len(scored.system_names) < 2:
        return

    titles = _titles(scored)
    falling = [
        title for metric, title in titles.items() if not first_of(scored, metric).higher_is_better
    ]
    marks = [BEST, ": highest score" + f" ({', '.join(falling)}: lowest)" * bool(falling)]
    too_few = [titles[metric] for metric, c in scored.comparisons.items() if c.too_few]
    if comparisons := [c for c in scored.comparisons.values() if not c.too_few]:
        marks += [
            "; ",
            CLUSTER,
            ": WMT cluster, differences between clusters are significant"
            f" (two-sided p < {SIGNIFICANT})",
        ]
    yield line(*marks)
    if comparisons:
        yield line(f"Tests: {_tests(comparisons)}")
    if too_few:
        yield line(f"{', '.join(too_few)}: {NO_VERDICT}" if comparisons else NO_VERDICT)
    for metric in scored.comparisons:
        if remark := _shared_segments_note(scored.scores[metric]):
            yield line(f"{titles[metric]}: {remark}")


def _tests(comparisons: Sequence[Comparison]) -> str:
    """Return the names of the tests of all pairs, and what was drawn for them."""
    tests = {test for comparison in comparisons for test in comparison.pair_tests}
    first = comparisons[0]
    drawn = f", {first.n_resamples} resamples, seed {first.seed}" if tests != {EXACT} else ""
    return f"{name_tests(tests)}{drawn}"


def _shared_segments_note(of_metric: Mapping[str, Score]) -> str:
    has_score = np.logical_and.reduce([score.segments.scored for score in of_metric.values()])
    if has_score.all():
        return ""
    return (
        f"compared on {has_score.sum()} of {len(has_score)} segments; for the"
        f" others {next(iter(of_metric.values())).unscored}"
    )


def _signature_line(of_metric: Mapping[str, Score]) -> Line:
    first = next(iter(of_metric.values()))
    several = len(of_metric) > 1
    signature = first.signature.without("skipped") if several else first.signature
    return Line((signature,), "signature")


def _metric(metric: str, scored: Scored, width: int | None) -> Iterator[Table | list[Line]]:
    """Yield the details of one metric: intervals, precision and recall, ranks, p-values."""
    of_metric, comparison = scored.scores[metric], scored.comparisons.get(metric)
    n = first_of(scored, metric).digits if width is None else width
    yield _details(scored, metric, n)
    lines = [_signature_line(of_metric)]
    if comparison is not None:
        yield _p_values(comparison, _titles(scored)[metric])
        if remark := _shared_segments_note(of_metric):
            lines.append(line(remark))
        lines.append(line(test_remark(comparison)))
    yield lines


def _p_values(comparison: Comparison, title: str) -> Table:
    headings = ["p", *comparison.systems]
    tests = {*comparison.pair_tests}
    first, *others = (test for test in TEST_NAMES if test in tests)
    marks = {first: "", **{test: test[0] for test in others}}
    rows = [
        [
            cells.name(name),
            *(
                "" if i == j else _marked_p(comparison.difference(i, j), marks[test])
                for j, test in enumerate(tests_of_system)
            ),
        ]
        for i, (name, tests_of_system) in enumerate(
            zip(comparison.systems, comparison.tests, strict=True)
        )
    ]
    legend = [line(f"{marks[test]}: {TEST_NAMES[test]}") for test in others]
    fold = f"{title}: p-values"
    return Table(
        headings=headings, rows=rows, right=range(1, len(headings)), fold=fold, below=legend
    )


def _marked_p(difference: Difference, mark: str) -> Cell:
    return cells.p_value(difference.p, difference.least_p, mark)


def _details(scored: Scored, metric: str, n: int) -> Table:
    of_metric, comparison = scored.scores[metric], scored.comparisons.get(metric)
    title = _titles(scored)[metric]
    names = of_metric if comparison is None else comparison.systems
    if comparison is not None:
        table = comparison_table(comparison, title, n)
    else:
        rows: list[list[Cell]] = []
        for system, score in of_metric.items():
            interval = [cells.interval(scored.interval(metric, system), n)]
            rows.append(
                [
                    cells.name(system),
                    cells.score(score.score, n),
                    *interval * bool(scored.intervals),
                ]
            )
        headings = ["system", title, *(["95% interval"] if scored.intervals else [])]
        table = Table(headings=headings, rows=rows, right=range(1, len(headings)))
    more: dict[str, list[Cell]] = {}
    if first_of(scored, metric).precision is not None:
        more["P"] = [cells.score(of_metric[name].precision, n) for name in names]
        more["R"] = [cells.score(of_metric[name].recall, n) for name in names]
    for edit in first_of(scored, metric).edits:
        more[edit] = [cells.count(of_metric[name].edits[edit]) for name in names]
    if metric == next(iter(scored.scores)) and (lengths := scored.lengths) is not None:
        more["length"] = [cells.score(lengths.ratio(name), 2) for name in names]
    columns = len(table.headings)
    return replace(
        table,
        headings=[*table.headings, *more],
        rows=[[*row, *figures] for row, *figures in zip(table.rows, *more.values(), strict=True)],
        right=[*table.right, *range(columns, columns + len(more))],
    )


def _scores_as_tsv(scored: Scored) -> Table:
    metrics = list(scored.scores)
    headings = ["system", *metrics]
    if scored.comparisons:
        headings += [f"group {metric}" for metric in metrics]
    headings += [f"signature {metric}" for metric in metrics]
    rows: list[list[Cell | str]] = []
    for system in _order(scored):
        values = (_values(scored, metric).get(system) for metric in metrics)
        row: list[Cell | str] = [cells.name(system), *(cells.score(x, None) for x in values)]
        if scored.comparisons:
            row += [cells.score(_group(scored, metric, system), None) for metric in metrics]
        known = (scored.scores[metric].get(system) for metric in metrics)
        rows.append([*row, *("" if score is None else score.signature for score in known)])
    return Table(headings=headings, rows=rows)


def _group(scored: Scored, metric: str, system: str) -> int | None:
    comparison = scored.comparisons.get(metric)
    if comparison is None or system not in comparison.systems:
        return None
    return int(comparison.groups[comparison.systems.index(system)])


@dataclass(frozen=True, slots=True, repr=False)
class SystemScores(Scored):
    """Scores of systems whose texts are not kept."""

    names: Sequence[str]
    keys: Sequence[Segment] = ()
    lengths: Lengths | None = None

    @property
    def system_names(self) -> Sequence[str]:
        """Names of the systems, in the order of their files."""
        return self.names

    @property
    def segments(self) -> Sequence[Segment]:
        """Documents and ids of the segments."""
        return self.keys

    def view(self, options: ViewOptions = NORMAL) -> View:
        """Return all systems by each metric, or their documents or segments."""
        return view_of(self, options)
