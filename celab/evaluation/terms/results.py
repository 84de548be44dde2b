"""How systems and references follow a glossary: the result of `celab.terms`, as data."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import ClassVar, Literal, NamedTuple, get_args

from celab.base import io
from celab.base.arguments import JsonObject, check_path
from celab.base.errors import OptionError
from celab.base.signature import Signature
from celab.corpus import Corpus
from celab.evaluation.tables import (
    Finding,
    FindingKind,
    Findings,
    Gate,
    Needs,
    Producer,
    join_gates,
)
from celab.evaluation.terms.finding import SOURCE
from celab.statistics.difference import EXACT, NO_VERDICT, SIGNIFICANT, Difference
from celab.statistics.significance import name_tests
from celab.tables import cells
from celab.tables.cells import Cell, quantity, shown
from celab.tables.record import Field, Record, check_level, fields, frame, with_index
from celab.tables.result import DataFrame, PrintedResult, Result, plain
from celab.tables.view import NORMAL, Line, Name, Part, Table, View, ViewOptions, line

Interval = tuple[float, float]
DIGITS = 4  # of accuracies

TermLevel = Literal["system", "term", "miss"]  # of a table or a data frame
LEVELS: tuple[TermLevel, ...] = get_args(TermLevel)
TERMS = "terms"  # the producer, and the name of the accuracy among scores
KINDS = {
    kind.name: kind
    for kind in (
        FindingKind(
            name="missed",
            meaning="an occurrence of a term has no rendering that the glossary allows",
            needs=Needs.GLOSSARY,
            chinese=("术语未遵循", "术语的一处出现没有词汇表允许的译法"),
            check=TERMS,
        ),
        FindingKind(
            name="forbidden",
            meaning="a term that the glossary forbids is used",
            needs=Needs.GLOSSARY,
            chinese=("禁用术语", "用了词汇表禁用的术语"),
            check=TERMS,
        ),
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TermFigures(Result):
    """How a system, or a reference, follows the glossary."""

    name: str
    accuracy: float  # NaN without occurrences
    right: int
    occurrences: int
    interval: Interval  # of the accuracy, 95%, by segments
    behind: Difference | None  # from the best system; None for that system itself
    forbidden: int  # uses of forbidden terms
    consistency: float  # NaN if no term is rendered twice in a document
    repeated: int  # pairs of a term and a document with two renderings or more
    varied: int  # of these, the pairs whose renderings differ

    @property
    def p(self) -> float | None:
        """Two-sided p-value of the difference from the best system; None for that system."""
        return None if self.behind is None else self.behind.p

    def to_dict(self) -> JsonObject:
        """Return the figures as plain data, with p and its test."""
        behind = self.behind
        values = Result.to_dict(self)
        del values["behind"]
        return {**values, "p": plain(self.p), "test": None if behind is None else behind.test}


@dataclass(frozen=True, slots=True)
class TermCounts:
    """One term in one system."""

    right: int
    forbidden: int
    renderings: Mapping[str, int]  # how often each known rendering is used


@dataclass(frozen=True, slots=True, kw_only=True)
class TermRow:
    """A term that occurs, and what each system makes of it."""

    source: str
    targets: tuple[str, ...]
    forbidden: tuple[str, ...]
    note: str
    occurrences: int
    accuracy: float  # of all systems together
    systems: Mapping[str, TermCounts]


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """An occurrence without a rendering that the glossary allows."""

    system: str
    segment: int  # from 1
    document: str
    id: str
    term: str
    found: str  # the occurrence, as the source has it, or the reference
    targets: tuple[str, ...]
    forbidden: str | None  # the forbidden term that stands there
    # The forbidden term, or the source term itself, left untranslated; None if neither is there.
    instead: str | None

    @property
    def place(self) -> int:
        """The place of the segment, from 0."""
        return self.segment - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TermPlace:
    """An occurrence of a term, and what each system has there, in the order of the systems."""

    segment: int  # from 1
    term: str
    targets: tuple[str, ...]
    found: str  # the occurrence, as the source has it, or the reference
    renderings: tuple[str | None, ...]  # a target or a forbidden term; None if it has neither
    right: tuple[bool, ...]

    @property
    def place(self) -> int:
        """The place of the segment, from 0."""
        return self.segment - 1


class TermUses(NamedTuple):
    """Uses of the terms of a glossary in outputs.

    Attributes:
        places: all occurrences, by segment.
        systems: names of the systems, in the order of `TermPlace.renderings`.
        table: misses and forbidden terms as findings.
        misses: what is known to stand in the places of missed terms.
    """

    places: Sequence[TermPlace]
    systems: Sequence[str]
    table: Findings
    misses: Sequence[Miss] = ()

    @property
    def glossary(self) -> list[tuple[str, tuple[str, ...]]]:
        """Terms that occur with their targets, those that are missed most often first."""
        missed: Counter[tuple[str, tuple[str, ...]]] = Counter()
        for place in self.places:
            missed[place.term, place.targets] += place.right.count(False)
        return [term for term, _ in missed.most_common()]

    def occurrences(self, systems: Sequence[str]) -> Iterator[Finding]:
        """Yield every occurrence in each of the systems, right or not.

        `text` is the occurrence as the source has it, `note` what the output has, and `value` the
        number of the term in the glossary.
        """
        numbers = {term: k for k, term in enumerate(self.glossary)}
        instead: defaultdict[tuple[object, ...], deque[str | None]] = defaultdict(deque)
        for x in self.misses:
            instead[x.system, x.segment, x.term, x.targets].append(x.instead)
        columns = [(system, self.systems.index(system)) for system in systems]
        for place in self.places:
            term = place.term, place.targets
            for system, k in columns:
                note = place.renderings[k]
                kind = "right" if place.right[k] else "missed" if note is None else "forbidden"
                known = instead.get((system, place.segment, *term))
                if kind != "right" and known and (other := known.popleft()) and kind == "missed":
                    note, kind = other, "untranslated"
                where = system, place.place, TERMS, kind
                yield Finding(*where, None, place.found, note or "", numbers[term])


PRODUCER = Producer(
    name=TERMS,
    title="Terms",
    kinds=KINDS,
    find=lambda subject: subject.glossary.table.rows,
    page=lambda subject: subject.glossary.occurrences([*subject.corpus.systems]),
)


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class TermResult(PrintedResult):
    """How systems and references follow a glossary.

    Attributes:
        systems: `TermFigures` of each system, the highest accuracy first.
        references: the same of each reference.
        terms: `TermRow`s of the terms that occur, the lowest accuracy first.
        misses: `Miss`es of all systems, by segment.
        rule: where occurrences were looked for, "source" or "reference".
        source_lang: language of the source, None if it is none that we know.
        inflected: whether inflected forms of source terms were found.
        n_terms: number of terms in the glossary.
        n_segments: number of segments in which a term occurs.
        test: "bootstrap" or "randomization", as chosen, or "exact" with fewer than 20 such
            segments. Where few segments differ, that of a system's own p is another.
        signature: what can change a figure, in one line.
        places: `TermPlace`s of all occurrences, by segment.
        corpus: the texts.
        table: misses and forbidden terms as findings.
    """

    systems: tuple[TermFigures, ...]
    references: tuple[TermFigures, ...]
    terms: tuple[TermRow, ...]
    misses: tuple[Miss, ...]
    rule: str
    lang: str
    source_lang: str | None
    inflected: bool
    glossary: str
    n_terms: int
    n_segments: int
    test: str
    n_resamples: int
    seed: int
    signature: Signature
    places: tuple[TermPlace, ...]
    corpus: Corpus = field(compare=False)
    table: Findings = field(compare=False)
    _omitted: ClassVar = frozenset({"places", "corpus", "table"})

    @property
    def uses(self) -> TermUses:
        """Uses of the terms in outputs."""
        return TermUses(self.places, [*self.corpus.systems], self.table, self.misses)

    def __getitem__(self, system: str) -> TermFigures:
        for figures in self.systems:
            if figures.name == system:
                return figures
        raise KeyError(system)

    def to_dataframe(self, library: str | None = None, *, level: TermLevel = "system") -> DataFrame:
        """Return a data frame with a row per system, per term and system, or per miss.

        Parameters:
            library: "pandas" or "polars" (default: the one that is installed, pandas first).
            level: "system", with the references; "term" or "miss".
        """
        check_level(level, LEVELS)
        if level == "term":
            rows = [(row, *item) for row in self.terms for item in row.systems.items()]
            return TERM_COUNTS.frame(rows, library=library)
        if level == "miss":
            columns = MISSES.columns(self.misses)
            places = [miss.place for miss in self.misses]
            return frame(with_index(columns, places, self.corpus.index), library)
        return SYSTEMS.frame(system_rows(self), library=library)

    def gate(self, kinds: Sequence[str] = (), *, least: float | None = None) -> Gate:
        """Return the gate that fails if there is a finding of a kind, or an accuracy too low.

        Parameters:
            kinds: "missed", "forbidden" or both.
            least: the lowest accuracy that passes, from 0 to 1 (default: any).
        """
        n_tested = len(self.places) * len(self.systems)
        tested = quantity(n_tested, "occurrence") + " of terms"
        gates = [self.table.gate(kinds, tested=tested)] if kinds else []
        if least is not None:
            if not 0 <= least <= 1:
                raise OptionError("least", least, "it must be from 0 to 1")
            low = [x for x in self.systems if x.accuracy < least]
            figures = ", ".join(
                f"{x.name} {shown(cells.score(x.accuracy, DIGITS))}" for x in low or self.systems
            )
            relation = "less than" if low else "not less than"
            gates.append(Gate(bool(low), f"accuracy is {relation} {least:g}: {figures}"))
        return join_gates(gates) or Gate(False, "")

    def view(self, options: ViewOptions = NORMAL) -> View:
        """Return systems, and as much about terms and misses as the options ask for."""
        return view_of(self, options)

    def html(self, path: io.AnyPath | None = None, *, report_lang: str = "en") -> str:
        """Return the result as one HTML page, or write it; returns the page, or the path.

        Parameters:
            path: file to write, atomically; without it the page itself is returned. A file that
                exists is replaced, unless it is the glossary or a text.
            report_lang: language of the page, `en` or `zh`; its reader can change it.
        """
        from celab.report.html.terms_page import terms_page

        if path is not None:
            check_path("path", path)
            io.check_no_input(path, [self.glossary, *self.corpus.files])
        page = terms_page(self, report_lang=report_lang)
        return io.write_or_return(path, page)

    def __repr__(self) -> str:
        misses = f"{len(self.misses)} miss{'es' * (len(self.misses) != 1)}"
        return f"<TermResult: {_n_terms(self)}, {quantity(len(self.systems), 'system')}, {misses}>"


MOST_ROWS = 20  # of terms and misses, unless all are asked for
NOTHING = "–"  # where nothing is known
_LANGUAGES = {"zh": "Chinese", "ja": "Japanese", "ko": "Korean", "de": "German", "en": "English"}


def view_of(result: TermResult, output: ViewOptions) -> View:
    """Return systems and references, terms and misses, the worst first.

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
    for level, total in {"term": len(result.terms), "miss": len(result.misses)}.items():
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
    rows = [_figures(figures, n) for figures in (*result.systems, *result.references)]
    rules = [len(result.systems)] if result.references else []
    return Table(
        headings=headings,
        rows=rows,
        right=range(1, len(headings)),
        rules=rules,
        title="Systems and references",
    )


def _figures(figures: TermFigures, n: int) -> list[Cell | str]:
    return [
        cells.name(figures.name),
        cells.score(figures.accuracy, n),
        cells.interval(figures.interval, n),
        "" if figures.behind is None else figures.behind.cells()[2],
        *map(cells.count, (figures.right, figures.occurrences, figures.forbidden)),
        cells.score(figures.consistency, n),
        *map(cells.count, (figures.repeated, figures.varied)),
    ]


def term_table(result: TermResult, n: int | None, most: int | None = None) -> Table:
    """Return a row per term that occurs, the lowest accuracy first, and a column per system."""
    names = [figures.name for figures in result.systems]
    headings = ["term", "targets", "of", "accuracy", *names]
    rows: list[list[Cell | str]] = [
        [
            cells.name(row.source),
            cells.name("|".join(row.targets)),
            cells.count(row.occurrences),
            cells.score(row.accuracy, n),
            *(cells.count(row.systems[name].right) for name in names),
        ]
        for row in result.terms[:most]
    ]
    title = "Terms, the lowest accuracy first: occurrences rendered right, by system"
    return Table(headings=headings, rows=rows, right=range(2, len(headings)), title=title)


def miss_table(result: TermResult, n: int | None, most: int | None = None) -> Table:
    """Return a row per miss, by segment."""
    has_documents = any(miss.document for miss in result.misses)
    is_record = n is None
    headings = ["segment", *["document"] * has_documents, "system", "term", "targets", "instead"]
    headings += ["forbidden"] * is_record
    mark = "" if is_record else " (forbidden)"
    rows: list[list[Cell | str]] = [
        [
            str(miss.segment),
            *[cells.name(miss.document)] * has_documents,
            cells.name(miss.system),
            cells.name(miss.found),
            cells.name("|".join(miss.targets)),
            cells.name(f"{miss.instead or NOTHING}{mark * bool(miss.forbidden)}"),
            *[cells.name(miss.forbidden or "")] * is_record,
        ]
        for miss in result.misses[:most]
    ]
    title = "Misses: the forbidden or untranslated term that stands there instead"
    return Table(headings=headings, rows=rows, right=[0], title=title)


LEVEL_TABLES = {"term": term_table, "miss": miss_table}


# ---- lines ----


def _n_terms(result: TermResult) -> str:
    occur = "occurs" if len(result.terms) == 1 else "occur"
    return f"{len(result.terms)} of {quantity(result.n_terms, 'term')} {occur}"


def _heading(result: TermResult) -> Iterator[Line]:
    n = max((figures.occurrences for figures in result.systems), default=0)
    found = f": {_n_terms(result)}, {quantity(n, 'time')} in {quantity(result.n_segments)}"
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
        yield Line((f"{NO_VERDICT} ({result.n_segments} with a term)",), "verdict")
        return
    for figures in others:
        if figures.behind is not None and figures.behind.significant:
            parts = (
                Name(best.name),
                " renders terms right significantly more often than ",
                Name(figures.name),
                f" (p {figures.behind.p_text}, two-sided)",
            )
            yield Line(parts, "verdict")


def _legend(result: TermResult) -> Iterator[Line]:
    yield line(
        "accuracy: occurrences with a target term of their own, of all; interval:"
        f" {result.n_resamples} resamples of the segments with a term, seed {result.seed}"
    )
    star = "" if result.test == EXACT else f"; *: p < {SIGNIFICANT}"
    best = Name(result.systems[0].name)
    behind = [x.behind for x in (*result.systems, *result.references) if x.behind]
    tests = [x.test for x in behind if x.test] or [result.test]
    yield line("p: against ", best, f", two-sided, {name_tests(tests)}{star}")
    yield line(
        "consistency: share of the most frequent rendering, where a term is rendered twice or more"
        " in a document (repeated); varied: how many of these have several renderings"
    )
    yield Line((result.signature,), "signature")


def system_rows(result: TermResult) -> list[JsonObject]:
    """Return the systems, the highest accuracy first, then the references."""
    names = ("accuracy", "p", "right", "occurrences", "forbidden", "consistency", "repeated")
    return [
        {
            **{"system": x.name, "kind": kind, "low": x.interval[0], "high": x.interval[1]},
            **{name: getattr(x, name) for name in (*names, "varied")},
        }
        for kind, rows in (("system", result.systems), ("reference", result.references))
        for x in rows
    ]


SYSTEMS = Record(
    Field("system", "name"),
    Field("kind", "text"),
    *fields("number", "accuracy", "low", "high", "p"),
    Field("right", "integer"),
    Field("of", "integer", itemgetter("occurrences"), "occurrences"),
    Field("forbidden", "integer"),
    Field("consistency", "number"),
    *fields("integer", "repeated", "varied"),
)
TERM_COUNTS = Record(  # of a `TermRow`, a system and its `TermCounts`
    Field("term", "name", lambda row: row[0].source),
    Field("targets", "name", lambda row: "|".join(row[0].targets)),
    Field("system", "name", itemgetter(1)),
    Field("right", "integer", lambda row: row[2].right),
    Field("occurrences", "integer", lambda row: row[0].occurrences),
    Field("forbidden", "integer", lambda row: row[2].forbidden),
    Field("renderings", "integer", lambda row: len(row[2].renderings)),
)
MISSES = Record(
    Field("system", "name"),
    Field("segment", "integer"),
    *fields("name", "document", "id", "term", "found"),
    Field("targets", "name", lambda miss: "|".join(miss.targets)),
    Field("forbidden", "name", lambda miss: miss.forbidden or ""),
    Field("instead", "name", lambda miss: miss.instead or ""),
)
