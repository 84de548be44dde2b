"""The result of `celab.terms`: how systems and references follow a glossary, as tables."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter, itemgetter
from typing import NamedTuple

from celab.base import io
from celab.base.arguments import JsonObject, check_path
from celab.base.errors import OptionError
from celab.base.signature import Signature
from celab.corpus import Corpus
from celab.findings.finding import (
    Finding,
    Findings,
    Gate,
    join_gates,
)
from celab.findings.glossary_terms import TERMS
from celab.statistics.difference import (
    EXACT,
    MIN_SEGMENTS,
    SIGNIFICANT,
    Difference,
    difference_columns,
)
from celab.statistics.significance import name_tests
from celab.tables import cells
from celab.tables.cells import Phrase, listed, quantity
from celab.tables.result import PrintedResult
from celab.tables.table import (
    COUNT,
    INTERVAL,
    NAME,
    SCORE,
    TEXT,
    Column,
    Kind,
    Part,
    Table,
    segment_columns,
)
from celab.tables.view import Detail, Line, Name, line
from celab.terminology.occurrences import SOURCE

Interval = tuple[float, float]
ACCURACY_DIGITS = 4

LEVELS = ("system", "term", "miss")  # names of the tables
_FACTS = (
    *("rule", "lang", "source_lang", "inflected", "glossary", "n_terms", "n_segments"),
    *("test", "n_resamples", "seed", "signature"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TermFigures:
    """Figures of a system, or of a reference."""

    name: str
    accuracy: float  # NaN without occurrences
    right: int
    occurrences: int
    interval: Interval  # 95% interval of the accuracy, resampled by segment
    behind: Difference | None  # difference from the first system; None for the first itself
    forbidden: int  # uses of forbidden terms
    consistency: float  # NaN if no term is rendered twice in a document
    repeated: int  # pairs of a term and a document with two renderings or more
    varied: int  # pairs among `repeated` whose renderings differ

    @property
    def p(self) -> float | None:
        """Two-sided p-value of `behind`; None for the first system."""
        return None if self.behind is None else self.behind.p


@dataclass(frozen=True, slots=True)
class TermCounts:
    """Counts of a term in a system."""

    right: int
    forbidden: int
    renderings: Mapping[str, int]  # how often each known rendering is used


@dataclass(frozen=True, slots=True, kw_only=True)
class TermRow:
    """A term that occurs, and its counts in each system."""

    source: str
    targets: tuple[str, ...]
    forbidden: tuple[str, ...]
    note: str
    occurrences: int
    accuracy: float  # all systems together
    systems: Mapping[str, TermCounts]


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """An occurrence without a rendering that the glossary allows."""

    system: str
    segment: int  # counted from 1
    document: str
    id: str
    term: str
    found: str  # the occurrence as written in the source, or in the reference
    targets: tuple[str, ...]
    forbidden: str | None  # the forbidden term that stands there
    # The forbidden term, or the untranslated source term, in place of a target; None if neither.
    instead: str | None

    @property
    def place(self) -> int:
        """The index of the segment."""
        return self.segment - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TermPlace:
    """An occurrence of a term, and its rendering in each system."""

    segment: int  # counted from 1
    term: str
    targets: tuple[str, ...]
    found: str  # the occurrence as written in the source, or in the reference
    # For each system, a target or a forbidden term; None if its output has neither.
    renderings: tuple[str | None, ...]
    right: tuple[bool, ...]

    @property
    def place(self) -> int:
        """The index of the segment."""
        return self.segment - 1


class TermUses(NamedTuple):
    """Uses of the terms of a glossary in outputs.

    Attributes:
        places: all occurrences, by segment.
        systems: names of the systems, in the order of `TermPlace.renderings`.
        table: misses and forbidden terms as findings.
        misses: missed occurrences, with the term that stands there instead, if it is known.
    """

    places: Sequence[TermPlace]
    systems: Sequence[str]
    table: Findings
    misses: Sequence[Miss] = ()

    @property
    def glossary(self) -> list[tuple[str, tuple[str, ...]]]:
        """Terms that occur, with their targets; terms that are missed most often come first."""
        missed: Counter[tuple[str, tuple[str, ...]]] = Counter()
        for place in self.places:
            missed[place.term, place.targets] += place.right.count(False)
        return [term for term, _ in missed.most_common()]

    def occurrences(self, systems: Sequence[str]) -> Iterator[Finding]:
        """Yield every occurrence in each of the systems, right or not.

        `text` is the occurrence in the source, `note` its rendering in the output, and `value` the
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


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class TermResult(PrintedResult):
    """The result of `celab.terms`.

    Attributes:
        systems: `TermFigures` of each system, the highest accuracy first.
        references: `TermFigures` of each reference.
        terms: `TermRow`s of the terms that occur, the lowest accuracy first.
        misses: `Miss`es of all systems, by segment.
        rule: texts that were searched for occurrences, "source" or "reference".
        source_lang: language of the source, None if it was not recognized.
        inflected: whether inflected forms of source terms were found.
        n_terms: number of terms in the glossary.
        n_segments: number of segments in which a term occurs.
        test: "bootstrap" or "randomization", as chosen, or "exact" with fewer than 20 such
            segments. The p of a system that differs in few segments comes from another test.
        signature: all settings that can change a figure.
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

    @property
    def uses(self) -> TermUses:
        """Uses of the terms in outputs, with the misses and forbidden terms."""
        return TermUses(self.places, [*self.corpus.systems], self.table, self.misses)

    def __getitem__(self, system: str) -> TermFigures:
        for figures in self.systems:
            if figures.name == system:
                return figures
        raise KeyError(system)

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
                f"{x.name} {cells.score(x.accuracy, ACCURACY_DIGITS)}" for x in low or self.systems
            )
            relation = "less than" if low else "not less than"
            gates.append(Gate(bool(low), f"accuracy is {relation} {least:g}: {figures}"))
        return join_gates(gates) or Gate(False, "")

    @property
    def sentence(self) -> Phrase:
        """How often the best system renders the terms right, and whether others do as often."""
        best, *others = self.systems
        values = best.name, f"{best.right:,}", f"{best.occurrences:,}", _accuracy(best)
        lead = Phrase("{0} renders {1} of {2} occurrences as the glossary says ({3})", *values)
        if not others:
            return Phrase("{0}.", lead)
        if same := [figures.name for figures in others if figures.right == best.right]:
            is_long = len(same) > MAX_SYSTEMS_NAMED
            names = quantity(len(same), "system") if is_long else listed(same)
            return Phrase("{0}, as many as {1}.", lead, names)
        second = others[0].name, _accuracy(others[0])
        behind = others[0].behind
        assert behind is not None  # only the best system has none
        if behind.too_few:
            pattern = "{0}, more than {1} ({2}); fewer than {3} segments have a term, no verdict."
            return Phrase(pattern, lead, *second, str(MIN_SEGMENTS))
        pattern = "{0}, but not significantly more than {1} ({2}; p {3})."
        if behind.significant:
            pattern = "{0}, significantly more than {1} ({2}; p {3})."
        return Phrase(pattern, lead, *second, behind.p_text)

    def facts(self) -> JsonObject:
        """Return the glossary, the languages, the test and the signature."""
        return {name: getattr(self, name) for name in _FACTS}

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield `system` with systems and references, `term` and `miss`, the worst first.

        In a terminal, terms and misses have `MAX_ROWS` rows unless `detail` is "full".
        """
        yield [Line((self.sentence,), "verdict"), *_heading(self)]
        yield system_table(self)
        yield [*_verdicts(self)]
        n_shown = max(len(self.terms), len(self.misses)) if detail == "full" else MAX_ROWS
        if self.terms:
            yield _first(term_table(self), len(self.terms), n_shown)
        yield term_counts_table(self)
        misses = miss_table(self)
        yield _first(misses, len(self.misses), n_shown) if self.misses else misses.for_programs()
        yield [*_legend(self)]

    def html(
        self,
        path: io.AnyPath | None = None,
        *,
        report_lang: str = "en",
        command: str | None = None,
    ) -> str:
        """Return the result as one HTML page, or write it; returns the page, or the path.

        Parameters:
            path: file to write, atomically; without it the page itself is returned. A file that
                exists is replaced, unless it is the glossary or a text.
            report_lang: language of the page, `en` or `zh`; its reader can change it.
            command: the command that makes the page again, which its end shows.
        """
        from celab.report.html.terms_page import terms_page

        if path is not None:
            check_path("path", path)
            io.check_no_input(path, [self.glossary, *self.corpus.files])
        page = terms_page(self, report_lang=report_lang, command=command)
        return io.write_or_return(path, page)

    def __repr__(self) -> str:
        misses = f"{len(self.misses)} miss{'es' if len(self.misses) != 1 else ''}"
        return f"<TermResult: {_n_terms(self)}, {quantity(len(self.systems), 'system')}, {misses}>"


# Rows of terms and misses in a terminal; with `detail="full"`, all are shown.
MAX_ROWS = 20
MAX_SYSTEMS_NAMED = 4
NOTHING = "–"
_LANGUAGES = {"zh": "Chinese", "ja": "Japanese", "ko": "Korean", "de": "German", "en": "English"}


def _first(table: Table, n_rows: int, n_shown: int) -> Table:
    """Return a table with its first rows, and a note on how to see the others."""
    if n_rows <= n_shown:
        return table
    more = f"{n_rows - n_shown} more; --details shows all, and --level {table.name} only these"
    return replace(table, most=n_shown, notes=[line(more)])


# ---- tables ----


def _behind(row: tuple[str, TermFigures]) -> Difference | None:
    return row[1].behind


def _figure(heading: str, kind: Kind, name: str, names: str | tuple[str, ...] = "") -> Column:
    """Return a column of a figure; rows are pairs of a kind and `TermFigures`."""
    value = attrgetter(name)
    return Column(heading, kind, lambda row: value(row[1]), names or name)


_SYSTEMS = [
    _figure("system", NAME, "name", "system"),
    Column("", TEXT, itemgetter(0), "kind"),
    _figure("accuracy", SCORE, "accuracy"),
    _figure("95% interval", INTERVAL, "interval", ("low", "high")),
    difference_columns(_behind)[2],
    Column("", TEXT, lambda row: row[1].behind and row[1].behind.test, "test"),
    _figure("right", COUNT, "right"),
    _figure("of", COUNT, "occurrences"),
    _figure("forbidden", COUNT, "forbidden"),
    _figure("consistency", SCORE, "consistency"),
    _figure("repeated", COUNT, "repeated"),
    _figure("varied", COUNT, "varied"),
]


def system_table(result: TermResult) -> Table:
    """Return a row per system, the highest accuracy first, and a row per reference below them."""
    rows = [("system", figures) for figures in result.systems]
    rows += [("reference", figures) for figures in result.references]
    return Table(
        name="system",
        columns=_SYSTEMS,
        rows=rows,
        digits=ACCURACY_DIGITS,
        title="Systems and references",
        group=itemgetter(0),
    )


def term_table(result: TermResult) -> Table:
    """Return a row per term that occurs, the lowest accuracy first, and a column per system."""

    def right(system: str) -> Column:
        return Column(system, COUNT, lambda row: row.systems[system].right)

    columns = [
        Column("term", NAME, attrgetter("source")),
        Column("targets", NAME, lambda row: "|".join(row.targets)),
        Column("of", COUNT, attrgetter("occurrences")),
        Column("accuracy", SCORE, attrgetter("accuracy")),
        *(right(figures.name) for figures in result.systems),
    ]
    title = "Terms, the lowest accuracy first: occurrences rendered right, by system"
    return Table(
        name="term", columns=columns, rows=result.terms, digits=ACCURACY_DIGITS, title=title
    )


_TERM_COUNTS = [
    Column("", NAME, lambda row: row[0].source, "term"),
    Column("", NAME, lambda row: "|".join(row[0].targets), "targets"),
    Column("", NAME, lambda row: "|".join(row[0].forbidden), "forbidden_targets"),
    Column("", NAME, lambda row: row[0].note, "note"),
    Column("", NAME, itemgetter(1), "system"),
    Column("", COUNT, lambda row: row[2].right, "right"),
    Column("", COUNT, lambda row: row[0].occurrences, "occurrences"),
    Column("", COUNT, lambda row: row[2].forbidden, "forbidden"),
    Column("", COUNT, lambda row: len(row[2].renderings), "renderings"),
]


def term_counts_table(result: TermResult) -> Table:
    """Return a row per term and system for programs."""
    rows = [(row, *item) for row in result.terms for item in row.systems.items()]
    return Table(name="term", columns=_TERM_COUNTS, rows=rows)


def miss_table(result: TermResult) -> Table:
    """Return a row per miss, by segment."""
    corpus = result.corpus
    names = corpus.names or range(1, len(corpus.segments) + 1)
    has_documents = any(miss.document for miss in result.misses)
    columns = [
        *segment_columns(lambda miss: names[miss.place], attrgetter("place"), corpus.index),
        Column("document" if has_documents else "", NAME, attrgetter("document"), "document"),
        Column("system", NAME, attrgetter("system"), "system"),
        Column("", NAME, attrgetter("term"), "term"),
        Column("term", NAME, attrgetter("found"), "found"),
        Column("targets", NAME, lambda miss: "|".join(miss.targets), "targets"),
        Column("instead", NAME, _marked_instead),
        Column("", NAME, attrgetter("instead"), "instead"),
        Column("", NAME, attrgetter("forbidden"), "forbidden"),
    ]
    title = "Misses: the forbidden or untranslated term that stands there instead"
    return Table(name="miss", columns=columns, rows=result.misses, title=title)


def _marked_instead(miss: Miss) -> str:
    return f"{miss.instead or NOTHING}{' (forbidden)' if miss.forbidden else ''}"


# ---- lines ----


def _n_terms(result: TermResult) -> str:
    occur = "occurs" if len(result.terms) == 1 else "occur"
    return f"{len(result.terms)} of {quantity(result.n_terms, 'term')} {occur}"


def _accuracy(figures: TermFigures) -> str:
    return cells.score(figures.accuracy, ACCURACY_DIGITS)


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
    """Yield a sentence on each further system that is significantly below the highest."""
    best, *others = result.systems
    for figures in others[1:]:  # the sentence has the second
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
