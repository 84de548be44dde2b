"""Scores of systems → tables: all systems by each metric, their documents and their segments."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from operator import attrgetter, itemgetter
from typing import NamedTuple

import numpy as np

from celab.base.text.escapes import visible
from celab.corpus.model import SegmentName, names_of
from celab.findings.references import copies_table
from celab.findings.translations.screening import Lengths
from celab.metrics.judge_score import has_judge_scores
from celab.metrics.registry import METRICS, metric_class
from celab.metrics.scores import Score
from celab.statistics.difference import EXACT, NO_VERDICT, SIDES, SIGNIFICANT
from celab.statistics.significance import TEST_NAMES, name_tests
from celab.systems.results import (
    ENDS,
    RANK_NAMES,
    Comparison,
    Scored,
    comparison_columns,
    test_remark,
)
from celab.tables import cells
from celab.tables.cells import quantity
from celab.tables.sentences import OVERLAP
from celab.tables.table import (
    COUNT,
    INTERVAL,
    NAME,
    P_VALUE,
    RANKS,
    SCORE,
    SEGMENT,
    TEXT,
    Column,
    P,
    Part,
    Table,
    for_people,
    segment_columns,
)
from celab.tables.view import BEST_MARK, RANKS_MARK, Detail, Line, line

MAX_SCORE_COLUMNS = 10  # a table with more scores of a system is split
COLUMNS_OF_BLOCK = 7
UNIT_DIGITS = 6  # decimals that people see of documents and segments


def bare_lines(scored: Scored, digits: int | None = None) -> Iterator[Line]:
    """Yield a line with each score alone."""
    for of_metric in scored.scores.values():
        for score in of_metric.values():
            yield line(score.format(digits, score_only=True))


def score_lines(scored: Scored, digits: int | None = None) -> Iterator[Line]:
    """Yield each score with its figures, and its signature on the next line."""
    for metric, of_metric in scored.scores.items():
        for system, score in of_metric.items():
            yield line(_figures(score, scored.interval(metric, system), digits))
            yield Line((score.signature,), "signature")


def _figures(score: Score, interval: tuple[float, float] | None, digits: int | None) -> str:
    """Return the score with its interval, the details of its metric, and the number of segments."""
    n = score.digits if digits is None else digits
    parts = [f"{score.name} = {cells.score(score.score, n)}"]
    if interval is not None:
        parts[0] += f" {cells.interval(interval, n)}"
    if score.precision is not None:
        rates = {"P": score.precision, "R": score.recall}
        parts += [f"{name} = {cells.score(rate, n)}" for name, rate in rates.items()]
    if score.signature.name in METRICS:
        details = metric_class(score.signature.name).details(score)
        parts += [f"{name} = {value}" for name, value in details.items()]
    counts: list[str] = [quantity(len(score.segments))]
    if score.n_skipped:
        counts.append(f"{score.n_skipped} skipped")
    counts.append(quantity(score.n_references, "reference"))
    return "  ".join([*parts, f"({', '.join(counts)})"])


def tables_of(scored: Scored, detail: Detail) -> Iterator[Part]:
    """Yield one table of systems by metrics, or all details of each metric.

    Notes and a signature per metric follow. Programs get the same table of systems by metrics, or
    in full a row for each system and metric; a table with a row per document or segment is written
    on request.
    """
    if detail == "full":
        from celab.systems.external_scores import details, program_tables

        yield system_table(scored)
        for name in scored.scores:
            yield from _metric(name, scored)
        yield from details(scored)
        yield from _spans(scored)
        yield [*_judge_notes(scored), *_overlap_note(scored)]
        yield from _test_tables(scored)
        yield from program_tables(scored)
        yield from _output_tables(scored)
        for level in ("document", "segment"):
            yield unit_table(scored, level)
    else:
        from celab.systems.verdict import verdict_lines

        answer = verdict_lines(scored)
        yield [Line((visible(text),), "verdict") for text in answer]
        yield from blocks(score_table(scored))
        lines = [*_caption(scored), *_judge_notes(scored), *_overlap_note(scored)]
        signatures = [*map(_signature_line, scored.scores.values())]
        # A signature is the last line, also after errors that people marked.
        if spans := _spans(scored):
            yield lines
            yield from spans
            yield signatures
        else:
            yield [*lines, *signatures]


def _judge_notes(scored: Scored) -> Sequence[Line]:
    if not any(map(has_judge_scores, scored.scores.values())):
        return []
    # Most campaigns have no scores of others.
    from celab.systems.external_scores import notes

    return [*notes(scored)]


def _overlap_note(scored: Scored) -> Sequence[Line]:
    has_references = any(
        score.n_references for of in scored.scores.values() for score in of.values()
    )
    return [line(OVERLAP)] if has_references else []


def _spans(scored: Scored) -> Sequence[Part]:
    return [] if scored.spans is None else for_people(scored.spans.tables())


def score_table(scored: Scored) -> Table:
    """Return a row per system and a column per metric; the first metric orders the rows.

    The highest score of a column and the ranks are marked if there are several systems. For
    programs there are also the groups, if the systems were tested, and the signatures.
    """
    metrics = [*scored.scores]

    def group(metric: str) -> Column:
        return Column("", COUNT, lambda system: _group(scored, metric, system), f"group {metric}")

    def signature(metric: str) -> Column:
        of_metric = scored.scores[metric]

        def value(system: str) -> str:
            return str(of_metric[system].signature) if system in of_metric else ""

        return Column("", TEXT, value, f"signature {metric}")

    return Table(
        name="system",
        columns=[
            Column("system", NAME, str, "system"),
            *(_column(scored, metric) for metric in metrics),
            *(group(metric) for metric in metrics if scored.comparisons),
            *map(signature, metrics),
        ],
        rows=_order(scored),
    )


def blocks(table: Table) -> list[Table]:
    """Return a table, or if it has too many columns several tables with the same first columns.

    The first one has all columns for programs.
    """
    first, *visible = (column for column in table.columns if column.heading)
    if len(visible) <= MAX_SCORE_COLUMNS:
        return [table]
    n_blocks = math.ceil(len(visible) / COLUMNS_OF_BLOCK)
    ends = [round(i * len(visible) / n_blocks) for i in range(n_blocks + 1)]
    unseen = [replace(column, heading="") for column in table.columns]
    return [
        replace(table, columns=unseen),
        *(
            replace(
                table,
                name="",
                columns=[replace(x, names=()) for x in (first, *visible[start:end])],
            )
            for start, end in pairwise(ends)
        ),
    ]


def _titles(scored: Scored) -> dict[str, str]:
    return {metric: first_of(scored, metric).name for metric in scored.scores}


def first_of(scored: Scored, metric: str) -> Score:
    """Return the score of the first system."""
    return next(iter(scored.scores[metric].values()))


def _values(scored: Scored, metric: str) -> dict[str, float]:
    # Systems may have skipped different segments; they are compared on the common ones.
    comparison = scored.comparisons.get(metric)
    if comparison is not None and _shared_segments_note(scored.scores[metric]):
        return dict(zip(comparison.systems, comparison.scores.tolist(), strict=True))
    return {system: score.score for system, score in scored.scores[metric].items()}


def _order(scored: Scored) -> list[str]:
    metric = next(iter(scored.scores))
    sign = -1 if first_of(scored, metric).higher_is_better else 1
    values = _values(scored, metric)
    return sorted(
        scored.system_names, key=lambda system: sign * values.get(system, sign * math.inf)
    )


def _column(scored: Scored, metric: str) -> Column:
    """Return the column of the scores by a metric."""
    first, values = first_of(scored, metric), _values(scored, metric)
    best: float | None = None
    ranks: dict[str, str] = {}
    if len(values) > 1:
        best = (max if first.higher_is_better else min)(values.values())
        comparison = scored.comparisons.get(metric)
        if comparison is not None and not comparison.too_few:
            for system, ends in zip(comparison.systems, comparison.ranks.tolist(), strict=True):
                ranks[system] = cells.ranks(ends)
    return Column(
        first.name,
        SCORE,
        lambda system: values.get(system, math.nan),
        metric,
        usual_digits=first.digits,
        best=lambda system: best is not None and values.get(system) == best,
        cluster=lambda system: ranks.get(system, 0),
    )


def _caption(scored: Scored) -> Iterator[Line]:
    """Yield a line on the marks, and a line per metric that left out segments."""
    if len(scored.system_names) < 2:
        return

    titles = _titles(scored)
    falling = [
        title for metric, title in titles.items() if not first_of(scored, metric).higher_is_better
    ]
    marks = [BEST_MARK, ": highest score" + (f" ({', '.join(falling)}: lowest)" if falling else "")]
    too_few = [titles[metric] for metric, c in scored.comparisons.items() if c.too_few]
    if comparisons := [c for c in scored.comparisons.values() if not c.too_few]:
        marks += [
            "; ",
            RANKS_MARK,
            f": ranks that the system may have, by two-sided p < {SIGNIFICANT}",
        ]
    yield line(*marks)
    if comparisons:
        yield line(f"Tests: {_tests(comparisons)}")
    if too_few and comparisons:  # else the sentence says so
        yield line(f"{', '.join(too_few)}: {NO_VERDICT}")
    for metric in scored.comparisons:
        if remark := _shared_segments_note(scored.scores[metric]):
            yield line(f"{titles[metric]}: {remark}")


def _tests(comparisons: Sequence[Comparison]) -> str:
    """Return the names of the tests of all pairs, and the resamples drawn for them."""
    tests = {test for comparison in comparisons for test in comparison.pair_tests}
    first = comparisons[0]
    of_units = "" if first.resample_by == "segment" else f" of {first.resample_by}s"
    drawn = f", {first.n_resamples} resamples{of_units}, seed {first.seed}"
    return f"{name_tests(tests, first.resample_by)}{drawn if tests != {EXACT} else of_units}"


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


def _metric(metric: str, scored: Scored) -> Iterator[Part]:
    """Yield the details of one metric: intervals, precision and recall, ranks, p-values."""
    of_metric, comparison = scored.scores[metric], scored.comparisons.get(metric)
    yield _details(scored, metric)
    lines = [_signature_line(of_metric)]
    if comparison is not None:
        yield _p_values(comparison, _titles(scored)[metric])
        if remark := _shared_segments_note(of_metric):
            lines.append(line(remark))
        lines.append(line(test_remark(comparison)))
    yield lines


def _p_values(comparison: Comparison, title: str) -> Table:
    tests = {*comparison.pair_tests}
    first, *others = (test for test in TEST_NAMES if test in tests)
    marks = {first: "", **{test: test[0] for test in others}}

    def against(j: int) -> Column:
        def p(i: int) -> P | None:
            if i == j:
                return None
            difference = comparison.difference(i, j)
            return P(difference.p, difference.least_p, marks[comparison.tests[i, j]])

        return Column(comparison.systems[j], P_VALUE, p)

    rows = range(len(comparison.systems))
    return Table(
        columns=[Column("p", NAME, lambda i: comparison.systems[i]), *map(against, rows)],
        rows=rows,
        notes=[line(f"{marks[test]}: {TEST_NAMES[test]}") for test in others],
        fold=f"{title}: p-values",
    )


def _details(scored: Scored, metric: str) -> Table:
    """Return the table of all systems by a metric."""
    of_metric, comparison = scored.scores[metric], scored.comparisons.get(metric)
    first = first_of(scored, metric)
    names = [*(of_metric if comparison is None else comparison.systems)]
    if comparison is not None:
        columns = [replace(x, names=()) for x in comparison_columns(comparison, first.name)]
    else:
        columns = [
            Column("system", NAME, lambda i: names[i]),
            Column(first.name, SCORE, lambda i: of_metric[names[i]].score),
        ]
        if scored.intervals:
            columns.append(
                Column("95% interval", INTERVAL, lambda i: scored.interval(metric, names[i]))
            )
    if first.precision is not None:
        columns.append(Column("P", SCORE, lambda i: of_metric[names[i]].precision))
        columns.append(Column("R", SCORE, lambda i: of_metric[names[i]].recall))

    def edits(kind: str) -> Column:
        return Column(kind, COUNT, lambda i: of_metric[names[i]].edits[kind])

    columns += map(edits, first.edits)
    lengths = scored.lengths
    if metric == next(iter(scored.scores)) and lengths is not None:
        columns.append(Column("length", SCORE, lambda i: lengths.ratio(names[i]), digits=2))
    return Table(
        columns=columns,
        rows=range(len(names)),
        digits=first.digits,
        group=None if comparison is None else comparison.cluster,
    )


# ---- for programs ----


class SystemRow(NamedTuple):
    """A system by a metric, with its row in the `Comparison`, or None if it was not tested."""

    metric: str
    system: str
    place: int | None


def system_table(scored: Scored) -> Table:
    """Return all figures of all systems, the best first if they were compared.

    Intervals, ranks, groups and p-values are there if they were computed, counts of edits for
    metrics that count edits.
    """
    # Imported here because most campaigns have no external scores.
    from celab.systems.external_scores import compared_score

    def score(row: SystemRow) -> Score:
        return scored.scores[row.metric][row.system]

    columns = [
        Column("", TEXT, lambda row: row.metric, "metric"),
        Column("", NAME, lambda row: row.system, "system"),
        Column("", SCORE, lambda row: compared_score(scored, row.metric, row.system), "score"),
        Column("", SCORE, lambda row: score(row).precision, "precision"),
        Column("", SCORE, lambda row: score(row).recall, "recall"),
        *_columns_of_tests(scored),
        Column("", TEXT, lambda row: str(score(row).signature), "signature"),
    ]
    lengths = scored.lengths
    if lengths is not None:
        columns.append(Column("", SCORE, lambda row: lengths.ratio(row.system), "length_ratio"))
    all_scores = [score for of in scored.scores.values() for score in of.values()]

    def edits(kind: str) -> Column:
        return Column("", COUNT, lambda row: score(row).edits.get(kind), kind)

    columns += map(edits, dict.fromkeys(kind for x in all_scores for kind in x.edits))
    if any(x.n_skipped for x in all_scores):
        columns.append(Column("", COUNT, lambda row: score(row).n_skipped, "skipped"))
    return Table(name="system", columns=columns, rows=_system_rows(scored))


def _system_rows(scored: Scored) -> list[SystemRow]:
    rows: list[SystemRow] = []
    for metric, of_metric in scored.scores.items():
        if comparison := scored.comparisons.get(metric):
            rows += [SystemRow(metric, name, i) for i, name in enumerate(comparison.systems)]
        else:
            rows += [SystemRow(metric, name, None) for name in of_metric]
    return rows


def _columns_of_tests(scored: Scored) -> Iterator[Column]:
    """Yield the columns of intervals, ranks, groups and p-values that were computed."""

    def compared(value: Callable[[Comparison, int], object]) -> Callable[[SystemRow], object]:
        def of_row(row: SystemRow) -> object:
            if row.place is None:
                return None
            return value(scored.comparisons[row.metric], row.place)

        return of_row

    def p_against(other: str) -> Column:
        def p(comparison: Comparison, i: int) -> float | None:
            if other not in comparison.systems:
                return None
            return float(comparison.p_values[i, comparison.systems.index(other)])

        return Column("", SCORE, compared(p), f"p {other}")

    if scored.comparisons or scored.intervals:
        yield Column("", INTERVAL, lambda row: scored.interval(row.metric, row.system), ENDS)
    if scored.comparisons:
        ranks = compared(lambda comparison, i: comparison.ranks[i].tolist())
        yield Column("", RANKS, ranks, RANK_NAMES)
        yield Column("", COUNT, compared(lambda x, i: int(x.groups[i])), "group")
        yield from map(p_against, sorted(scored.system_names))


def _test_tables(scored: Scored) -> Iterator[Table]:
    """Yield `test`, a row per tested metric, and `pair`, one per metric and two systems."""
    if not scored.comparisons:
        return
    of_test = {
        "test": "test",
        "resamples": "n_resamples",
        "resample_by": "resample_by",
        "seed": "seed",
    }

    def attribute(name: str, key: str) -> Column:
        value = attrgetter(name)
        return Column("", TEXT, lambda row: value(row[1]), key)

    columns = [
        Column("", TEXT, itemgetter(0), "metric"),
        *(attribute(name, key) for key, name in of_test.items()),
        Column("", TEXT, lambda row: SIDES, "sides"),
        Column("", TEXT, lambda row: NO_VERDICT if row[1].too_few else None, "note"),
    ]
    yield Table(name="test", columns=columns, rows=[*scored.comparisons.items()])
    pairs = [
        (metric, comparison, pair)
        for metric, comparison in scored.comparisons.items()
        for pair in comparison.pairs
    ]
    columns = [
        Column("", TEXT, itemgetter(0), "metric"),
        Column("", NAME, lambda row: row[1].systems[row[2][0]], "a"),
        Column("", NAME, lambda row: row[1].systems[row[2][1]], "b"),
        Column("", SCORE, lambda row: float(row[1].p_values[row[2]]), "p"),
        Column("", TEXT, lambda row: str(row[1].tests[row[2]]), "test"),
    ]
    yield Table(name="pair", columns=columns, rows=pairs)


def _output_tables(scored: Scored) -> Iterator[Table]:
    """Yield the outputs that may not be translations, and the forms of unwrapped outputs."""
    outputs = scored.outputs
    if outputs is None:
        return
    rows = [
        (system, segment, kind)
        for system in scored.system_names
        for kind, segments in outputs.flagged.segments(system).items()
        for segment in segments
    ]
    columns = [
        Column("", NAME, itemgetter(0), "system"),
        Column("", SEGMENT, itemgetter(1), "segment"),
        Column("", TEXT, itemgetter(2), "kind"),
    ]
    yield Table(name="output", columns=columns, rows=rows)
    if outputs.references:
        yield copies_table(outputs.references).for_programs()
    if outputs.unwrapped is not None:
        forms = [
            (system, form, count)
            for system, of_system in outputs.unwrapped.items()
            for form, count in of_system.items()
        ]
        columns = [
            Column("", NAME, itemgetter(0), "system"),
            Column("", TEXT, itemgetter(1), "form"),
            Column("", COUNT, itemgetter(2), "outputs"),
        ]
        yield Table(name="unwrapped", columns=columns, rows=forms)


class UnitRow(NamedTuple):
    """A document or a segment of a system by a metric; unknown figures are None."""

    metric: str
    system: str
    document: str
    segment: SegmentName | None
    place: int | None
    figures: Sequence[float]
    output: str | None
    length_ratio: float | None

    def figure(self, k: int) -> float | None:
        """Return the score, precision or recall."""
        known = k < len(self.figures) and not math.isnan(self.figures[k])
        return self.figures[k] if known else None


def unit_table(scored: Scored, level: str, *, is_brief: bool = False) -> Table:
    """Return the table with a row per document or segment, which is shown only on request.

    Parameters:
        level: "document" or "segment".
        is_brief: whether columns with equal values in all rows are left out.
    """
    is_segment = level == "segment"

    def rows() -> list[UnitRow]:
        return [*_unit_rows(scored, is_segment=is_segment)]

    all_scores = [score for of in scored.scores.values() for score in of.values()]
    columns: list[Column] = []
    if not is_brief or len(scored.scores) > 1:
        columns.append(Column("metric", TEXT, lambda row: row.metric, "metric"))
    if not is_brief or len(scored.system_names) > 1:
        columns.append(Column("system", NAME, lambda row: row.system, "system"))
    if not is_segment or any(segment.document for segment in scored.segments):
        columns.append(Column("document", NAME, lambda row: row.document, "document"))
    if is_segment:
        columns += segment_columns(lambda row: row.segment, lambda row: row.place, scored.index)
    names = ["score"]
    if is_segment and any(x.precision is not None for x in all_scores):
        names += ["precision", "recall"]

    def figure(k: int) -> Column:
        return Column(
            names[k], SCORE, lambda row: row.figure(k), names[k], usual_digits=UNIT_DIGITS
        )

    columns += map(figure, range(len(names)))
    if is_segment and scored.outputs is not None:
        columns.append(Column("output", TEXT, lambda row: row.output, "output"))
    if is_segment and scored.lengths is not None:
        ratio = Column(
            "length_ratio",
            SCORE,
            lambda row: row.length_ratio,
            "length_ratio",
            usual_digits=UNIT_DIGITS,
        )
        columns.append(ratio)
    return Table(name=level, columns=columns, rows=rows, on_request=True)


def _unit_rows(scored: Scored, *, is_segment: bool) -> Iterator[UnitRow]:
    lengths = scored.lengths if is_segment else None
    for metric, of_metric in scored.scores.items():
        for system, score in of_metric.items():
            if not score.segments.scored.any():  # only the score of the system is known
                continue
            if is_segment:
                yield from _segment_rows(scored, metric, system, score, lengths)
                continue
            for name, places in scored.by_document().items():
                figures = [score.of_segments(places)]
                yield UnitRow(
                    metric=metric,
                    system=system,
                    document=name,
                    segment=None,
                    place=None,
                    figures=figures,
                    output=None,
                    length_ratio=None,
                )


def _segment_rows(
    scored: Scored, metric: str, system: str, score: Score, lengths: Lengths | None
) -> Iterator[UnitRow]:
    names, figures = names_of(scored.segments), score.segments.figures.tolist()
    absent = [None] * len(names)
    outputs = absent if scored.outputs is None else scored.outputs.by_segment(system)
    ratios = absent if lengths is None else lengths.ratios(system)
    for place, (segment, name, numbers, kind, ratio) in enumerate(
        zip(scored.segments, names, figures, outputs, ratios, strict=True)
    ):
        yield UnitRow(
            metric=metric,
            system=system,
            document=segment.document,
            segment=name,
            place=place,
            figures=numbers,
            output=kind,
            length_ratio=ratio,
        )


def _group(scored: Scored, metric: str, system: str) -> int | None:
    comparison = scored.comparisons.get(metric)
    if comparison is None or system not in comparison.systems:
        return None
    return int(comparison.groups[comparison.systems.index(system)])
