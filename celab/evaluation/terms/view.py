"""How systems follow a glossary → its view: systems, terms, inconsistencies and misses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from celab.base.view import cells
from celab.base.view.cells import Cell, p_text
from celab.base.view.tables import Line, Name, Part, Table, View, ViewOptions, line
from celab.corpus.model import quantity
from celab.evaluation.terms.finding import SOURCE
from celab.evaluation.terms.record import SYSTEMS, system_rows
from celab.evaluation.terms.results import DIGITS
from celab.statistics.significance import EXACT, SIGNIFICANT, TOO_FEW, name_tests

if TYPE_CHECKING:
    from celab.evaluation.terms.results import (
        Miss,
        TermDocument,
        TermFigures,
        TermResult,
        TermRow,
    )

MOST_ROWS = 20  # of terms, inconsistencies and misses, unless all are asked for
NOTHING = "–"  # where nothing is linked
_LANGUAGES = {"zh": "Chinese", "ja": "Japanese", "ko": "Korean", "de": "German", "en": "English"}


def view_of(result: TermResult, output: ViewOptions) -> View:
    """Return systems and references, terms, inconsistencies and misses, the worst first.

    Unless all is asked for, tables have at most `MOST_ROWS` rows. A level is one table with all of
    its rows, and every digit in TSV.
    """
    n = DIGITS if output.digits is None else output.digits
    if output.level != "system":
        table = LEVEL_TABLES[output.level](result, n)
        return View([table], LEVEL_TABLES[output.level](result, None))
    most = None if output.detail == "full" else MOST_ROWS
    parts: list[Part] = [[*_heading(result)], system_table(result, n)]
    parts.append([*_verdicts(result)])
    n_rows = {"term": len(result.terms), "document": len(_varied(result))}
    n_rows["miss"] = len(result.misses)
    for level, total in n_rows.items():
        if total:
            parts.append(_first(LEVEL_TABLES[level](result, n, most), total, level))
    parts.append([*_legend(result)])
    return View(parts, SYSTEMS.table(system_rows(result)))


def _first(table: Table, total: int, level: str) -> Table:
    n_more = total - len(table.rows)
    if not n_more:
        return table
    more = f"{n_more} more; --details shows all, and --level {level} only these"
    return replace(table, below=[line(more)])


# ---- tables ----


def system_table(result: TermResult, n: int) -> Table:
    """Return a row per system, the highest accuracy first, and a row per reference below them."""
    headings = ["system", "accuracy", "95% interval", "p", "right", "of", "forbidden"]
    headings += ["consistency", "repeated", "varied"]
    level = 0.0 if result.test == EXACT else SIGNIFICANT  # no p is below 0
    rows = [_figures(figures, n, level) for figures in (*result.systems, *result.references)]
    rules = [len(result.systems)] if result.references else []
    return Table(headings, rows, range(1, len(headings)), rules, title="Systems and references")


def _figures(figures: TermFigures, n: int, level: float) -> list[Cell | str]:
    significant = figures.p is not None and figures.p < level
    return [
        cells.name(figures.name),
        cells.score(figures.accuracy, n),
        cells.interval(figures.interval, n),
        cells.p_value(figures.p, "*" * significant),
        *map(cells.count, (figures.right, figures.occurrences, figures.forbidden)),
        cells.score(figures.consistency, n),
        *map(cells.count, (figures.repeated, figures.varied)),
    ]


def term_table(result: TermResult, n: int | None, most: int | None = None) -> Table:
    """Return a row per term that occurs, the lowest accuracy first, and a column per system."""
    names = [figures.name for figures in result.systems]
    headings = ["term", "targets", "of", "accuracy", *names]
    rows = [_term(row, names, n) for row in result.terms[:most]]
    title = "Terms, the lowest accuracy first: occurrences rendered right, by system"
    return Table(headings, rows, range(2, len(headings)), title=title)


def _term(row: TermRow, names: Sequence[str], n: int | None) -> list[Cell | str]:
    return [
        cells.name(row.source),
        cells.name("|".join(row.targets)),
        cells.count(row.occurrences),
        cells.score(row.accuracy, n),
        *(cells.count(row.systems[name].right) for name in names),
    ]


def document_table(result: TermResult, n: int | None, most: int | None = None) -> Table:
    """Return the terms that a system renders in several ways in a document."""
    varied = sorted(_varied(result), key=lambda row: row.share)[:most]
    has_documents = any(row.document for row in varied)
    headings = ["system", *["document"] * has_documents, "term", "share", "renderings"]
    rows: list[list[Cell | str]] = [
        [
            cells.name(row.system),
            *[cells.name(row.document)] * has_documents,
            cells.name(row.term),
            cells.score(row.share, n if n is None else 2),
            cells.name(_renderings(row.renderings)),
        ]
        for row in varied
    ]
    title = "Terms rendered in several ways in a document: share of the most frequent rendering"
    return Table(headings, rows, [len(headings) - 2], title=title)


def _varied(result: TermResult) -> list[TermDocument]:
    return [row for row in result.documents if len(row.renderings) > 1]


def _renderings(renderings: Mapping[str, int]) -> str:
    return ", ".join(f"{text} {count}" for text, count in renderings.items())


def miss_table(result: TermResult, n: int | None, most: int | None = None) -> Table:
    """Return a row per miss, by segment."""
    has_documents = any(miss.document for miss in result.misses)
    headings = ["segment", *["document"] * has_documents, "system", "term", "targets", "instead"]
    headings += ["forbidden"] * (n is None)
    rows = [_miss(miss, has_documents, n is None) for miss in result.misses[:most]]
    title = "Misses: what stands there instead, as the links of the explanation say"
    return Table(headings, rows, [0], title=title)


def _miss(miss: Miss, has_documents: bool, is_record: bool) -> list[Cell | str]:
    mark = " (forbidden)" if miss.forbidden and not is_record else ""
    return [
        str(miss.segment),
        *[cells.name(miss.document)] * has_documents,
        cells.name(miss.system),
        cells.name(miss.found),
        cells.name("|".join(miss.targets)),
        cells.name(f"{miss.instead or NOTHING}{mark}"),
        *[cells.name(miss.forbidden or "")] * is_record,
    ]


LEVEL_TABLES = {"term": term_table, "document": document_table, "miss": miss_table}


# ---- lines ----


def _heading(result: TermResult) -> Iterator[Line]:
    n = max((figures.occurrences for figures in result.systems), default=0)
    found = (
        f": {len(result.terms)} of {quantity(result.n_terms, 'term')} occur, {quantity(n, 'time')}"
        f" in {quantity(result.n_segments)}"
    )
    yield Line((Name(result.glossary), found), "title")
    yield line(f"Occurrences: {_rule(result)}")


def _rule(result: TermResult) -> str:
    if result.rule != SOURCE:
        return "where the first reference has a target term, because there is no source"
    lang = _LANGUAGES.get(result.source_lang or "", result.source_lang)
    forms = "with inflected forms" if result.inflected else "forms as written"
    return f"where the source has the term ({f'{lang}, ' if lang else ''}{forms})"


def _verdicts(result: TermResult) -> Iterator[Line]:
    """Yield a sentence on each system that the test tells from the best."""
    best, *others = result.systems
    if others and result.test == EXACT:
        yield Line((f"{TOO_FEW} ({result.n_segments} with a term)",), "verdict")
        return
    for figures in others:
        if figures.p is not None and figures.p < SIGNIFICANT:
            parts = (
                Name(best.name),
                " renders terms right significantly more often than ",
                Name(figures.name),
                f" (p {p_text(figures.p)}, two-sided)",
            )
            yield Line(parts, "verdict")


def _legend(result: TermResult) -> Iterator[Line]:
    yield line(
        "accuracy: occurrences with a target term of their own, of all; interval:"
        f" {result.n_resamples} resamples of the segments with a term, seed {result.seed}"
    )
    star = "" if result.test == EXACT else f"; *: p < {SIGNIFICANT}"
    best = Name(result.systems[0].name)
    tests = [x.test for x in (*result.systems, *result.references) if x.test] or [result.test]
    yield line("p: against ", best, f", two-sided, {name_tests(tests)}{star}")
    yield line(
        "consistency: share of the most frequent rendering, where a term is rendered twice or more"
        " in a document (repeated); varied: how many of these have several renderings"
    )
    if result.misses and not result.explained:
        yield line(
            "instead: only forbidden and untranslated terms, because no output was explained"
        )
    yield Line((result.signature,), "signature")
