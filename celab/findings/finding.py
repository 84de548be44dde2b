"""Findings: statements about outputs, such as that one is empty or has lost a placeholder.

A producer is a set of rules that yield findings; it describes their kinds, and `PRODUCERS` lists
it. This module makes counts, tables, data frames, plain data, lines on standard error, gates and
the difference of two systems from the findings of all producers.
"""

from __future__ import annotations

import enum
import importlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from operator import attrgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from celab.base.arguments import JsonObject
from celab.base.errors import OptionError, suggest
from celab.corpus import Corpus
from celab.corpus.model import SegmentName
from celab.tables.cells import quantity
from celab.tables.result import Result
from celab.tables.table import COUNT, NAME, TEXT, Column, Part, Table, segment_columns
from celab.tables.view import Detail, Line

Span = tuple[int, int]  # first code point, and the one behind the last


class Finding(NamedTuple):
    """A statement about an output.

    Attributes:
        system: name of the system.
        segment: index of the segment; None if it is about the system as a whole.
        check: name of the producer, such as "outputs", "markup" or "terms".
        kind: name of the `FindingKind`.
        span: its place in the output, or None.
        text: the output.
        note: detail in words, such as the form of a wrapped output.
        value: detail as data: a number, a `Change`, or the name of a missing segment.
    """

    system: str
    segment: int | None
    check: str
    kind: str
    span: Span | None = None
    text: str = ""
    note: str = ""
    value: Any = None


class Change(NamedTuple):
    """Pieces of the source that an output has lost, and pieces that it has added."""

    lost: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


class Needs(enum.Flag):
    """The inputs that a kind of finding, or its producer, needs."""

    NOTHING = 0
    REFERENCE = enum.auto()
    SOURCE = enum.auto()
    GLOSSARY = enum.auto()
    SPANS = enum.auto()
    PROFILE = enum.auto()
    TEXTS = REFERENCE | SOURCE


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FindingKind:
    """A kind of finding, such as `empty`; tables, pages and gates are made from its row.

    Attributes:
        name: its name in tables, files, pages and `--fail-on`.
        meaning: a sentence for legends.
        needs: the inputs without which it cannot be decided.
        chinese: name and meaning in Chinese.
        verdict: False if a finding does not make an output wrong; the kind is then looked for only
            on request.
        check: name of the producer, which `produce` sets.
    """

    name: str
    meaning: str
    needs: Needs = Needs.REFERENCE
    chinese: tuple[str, ...] = ()
    verdict: bool = True
    check: str = ""

    @property
    def texts(self) -> dict[str, str]:
        """Chinese of the name and of the meaning, by the English text."""
        return dict(zip((self.name, self.meaning), self.chinese, strict=False))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Check(FindingKind):
    """A kind of finding that a rule decides.

    Attributes:
        rule: decides about one output, as its producer calls it.
        may_apply: fast filter of a batch by counts; the rule is called only for the outputs that
            pass (default: all).
        compares: a second filter, which compares all outputs of a system (default: all pass).
    """

    rule: Callable[..., Any]
    may_apply: Callable[[Any], Any] | None = None
    compares: Callable[[Any], Any] | None = None

    def __reduce__(self) -> tuple[object, ...]:
        # A pickled result needs no rules, and lambdas cannot be pickled.
        values = {spec.name: getattr(self, spec.name) for spec in fields(FindingKind)}
        return partial(FindingKind, **values), ()


class Subject(NamedTuple):
    """Input of the producers of findings.

    Attributes:
        corpus: sources, references and outputs.
        lang: target language.
        filters: whether kinds that are not verdicts are looked for, too.
        reference_problems: copies, twins, shifted lines and mixed scripts (`References`), if
            references were searched for them.
        glossary: uses of terms (`TermUses`), if a glossary was given.
        spans: errors that people have marked (`SpanReport`), if there is a file of them.
        profile: differences from the references (`ErrorProfile`), if they were requested.
    """

    corpus: Corpus
    lang: str = "zh"
    filters: bool = False
    reference_problems: Any = None
    glossary: Any = None
    spans: Any = None
    profile: Any = None

    def has(self, needs: Needs) -> bool:
        """Return whether all inputs that a producer or a kind needs are there."""
        is_known = {
            Needs.REFERENCE: bool(self.corpus.refs),
            Needs.SOURCE: self.corpus.source is not None,
            Needs.GLOSSARY: self.glossary is not None,
            Needs.SPANS: self.spans is not None,
            Needs.PROFILE: self.profile is not None,
        }
        return all(is_known[need] for need in needs)

    def is_looked_for(self, kind: FindingKind) -> bool:
        """Return whether a kind is looked for; a non-verdict needs `filters` and its inputs."""
        return kind.verdict or (self.filters and self.has(kind.needs))


class Producer(NamedTuple):
    """A set of rules that yield findings; `PRODUCERS` lists all of them.

    Attributes:
        name: `Finding.check` of its findings.
        title: heading of its tables and filters.
        kinds: the kinds that it looks for, in the order of columns. Its findings may have further
            kinds, such as severities in files of people.
        find: yields the findings.
        about: a sentence about its findings, for pages.
        chinese: Chinese of title and sentence, by the English text.
        is_fault: False if a finding is not a fault of the output; lists of findings leave it out.
        page: yields findings for pages instead, such as one per piece of text, whose `text` is then
            this piece and not the output.
    """

    name: str
    title: str
    kinds: Mapping[str, FindingKind]
    find: Callable[[Subject], Iterable[Finding]]
    about: str = ""
    chinese: Mapping[str, str] = MappingProxyType({})
    is_fault: bool = True
    page: Callable[[Subject], Iterable[Finding]] | None = None


@dataclass(frozen=True)
class Gate(Result):
    """The outcome of a gate, as in CI.

    Attributes:
        failed: whether it failed, such as because a score is too low.
        reason: one sentence with the figures.
        metric: the metric that decided; None if no score did.
        significant: whether the difference is significant; None if none was tested.
        untested: number of segments that were left out of the texts, if it passed.
    """

    failed: bool
    reason: str
    metric: str | None = None
    significant: bool | None = None
    untested: int = 0

    def facts(self) -> JsonObject:
        """Return the outcome as plain data; `untested` only if segments were left out."""
        values = {spec.name: getattr(self, spec.name) for spec in fields(self)}
        return {name: value for name, value in values.items() if value or name != "untested"}

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield the outcome in one line."""
        outcome = "failed" if self.failed else "passed"
        yield [Line((f"{outcome}: {self.reason}",), "verdict")]


def join_gates(gates: Iterable[Gate]) -> Gate | None:
    """Return the gate that fails if one of several fails; None if there is none."""
    if not (outcomes := [*gates]):
        return None
    failed = [gate for gate in outcomes if gate.failed]
    reason = "; ".join(gate.reason for gate in failed or outcomes)
    return replace(outcomes[0], failed=bool(failed), reason=reason)


@dataclass(frozen=True, repr=False)
class Findings(Result):
    """Findings of one producer or several.

    Attributes:
        rows: the findings.
        systems: names of all systems.
        names: names of the segments, by their index.
        checks: the kinds that were looked for, in the order of columns.
        index: labels of the segments, if the texts come from a data frame.
    """

    rows: tuple[Finding, ...]
    systems: tuple[str, ...]
    names: Sequence[SegmentName] = field(compare=False)
    checks: tuple[FindingKind, ...] = field(compare=False)
    index: Sequence[Any] | None = field(default=None, compare=False)

    def __len__(self) -> int:
        return len(self.rows)

    def __bool__(self) -> bool:
        return bool(self.rows)

    def with_rows(self, rows: Iterable[Finding]) -> Findings:
        """Return a table with other rows."""
        return replace(self, rows=tuple(rows))

    def of(self, check: str, *, verdict: bool | None = None) -> Findings:
        """Return the findings and kinds of a producer: verdicts, others, or all if it is None."""
        checks = [c for c in self.checks if c.check == check and verdict in (None, c.verdict)]
        rows = self.where(kind=[c.name for c in checks]).rows
        return replace(self, rows=rows, checks=tuple(checks))

    def joined(self, other: Findings) -> Findings:
        """Return the findings and kinds of two tables of the same outputs together."""
        rows, checks = (*self.rows, *other.rows), (*self.checks, *other.checks)
        return replace(self, rows=rows, checks=checks)

    def where(self, **columns: object) -> Findings:
        """Return the findings whose columns have these values, or one value of a set or list.

        >>> table = Findings((Finding("A", 0, "outputs", "empty"),), ("A", "B"), [1], ())
        >>> len(table.where(system="A", kind=["empty", "copied"])), len(table.where(system="B"))
        (1, 0)
        """
        sets = {
            name: {value} if isinstance(value, str | int | None) else {*value}  # type: ignore[misc]
            for name, value in columns.items()
        }
        return self.with_rows(
            row
            for row in self.rows
            if all(getattr(row, name) in values for name, values in sets.items())
        )

    def named(self, row: Finding) -> SegmentName | str:
        """Return the name of a finding's segment, also if the texts lack this segment."""
        if row.segment is not None:
            return self.names[row.segment]
        return row.value if isinstance(row.value, int | str) else ""

    def count(self, *columns: str) -> Counter[Any]:
        """Return the number of rows by the values of columns.

        >>> rows = (Finding("A", 0, "outputs", "empty"), Finding("A", 1, "outputs", "empty"))
        >>> Findings(rows, ("A",), [1, 2], ()).count("system", "kind")
        Counter({('A', 'empty'): 2})
        """
        if len(columns) == 1:
            return Counter(getattr(row, columns[0]) for row in self.rows)
        return Counter(tuple(getattr(row, name) for name in columns) for row in self.rows)

    def segments(self, system: str) -> dict[str, list[SegmentName]]:
        """Return kind → names of the segments in which a system has it, in the order of columns."""
        return {
            kind: [self.names[place] for place in places]
            for kind, places in self.places(system).items()
        }

    def places(self, system: str) -> dict[str, list[int]]:
        """Return kind → indices of the segments in which a system has it.

        >>> rows = (Finding("A", 0, "outputs", "empty"), Finding("B", 1, "outputs", "empty"))
        >>> kind = FindingKind(name="empty", meaning="")
        >>> Findings(rows, ("A", "B"), [1, 2], (kind,)).places("B")
        {'empty': [1]}
        """
        found: dict[str, list[int]] = {}
        for row in self.rows:
            if row.system == system and row.segment is not None:
                found.setdefault(row.kind, []).append(row.segment)
        return {check.name: found[check.name] for check in self.checks if check.name in found}

    @property
    def without_zeros(self) -> Findings:
        """The table with the systems and kinds of its rows alone."""
        systems, kinds = self.count("system"), self.count("kind")
        named = tuple(name for name in self.systems if systems[name])
        return replace(self, systems=named, checks=tuple(x for x in self.checks if kinds[x.name]))

    # ---- tables ----

    def table(self, kinds: Iterable[str] | None = None, total: str = "", title: str = "") -> Table:
        """Return systems by kinds, as numbers of findings, with the `total` of a system last.

        Without names of kinds, all verdicts have a column, and other kinds if they were found.
        """
        counts, totals = self.count("system", "kind"), self.count("system")
        if kinds is None:
            seen = self.count("kind")
            kinds = [check.name for check in self.checks if check.verdict or seen[check.name]]

        def column(kind: str) -> Column:
            return Column(kind, COUNT, lambda system: counts[system, kind], kind)

        columns = [Column("system", NAME, str, "system"), *map(column, kinds)]
        if total:
            columns.append(Column(total, COUNT, lambda system: totals[system], total))
        return Table(name="system", columns=columns, rows=self.systems, title=title)

    def listing(self, *, check: bool = True) -> Table:
        """Return a row per finding; what is lost and added has a column, if there is any.

        Parameters:
            check: whether the name of the producer has a column.
        """
        columns = [
            Column("", NAME, attrgetter("system"), "system"),
            *segment_columns(self.named, attrgetter("segment"), self.index, heading=""),
            *([Column("", TEXT, attrgetter("check"), "check")] if check else []),
            Column("", TEXT, attrgetter("kind"), "kind"),
            Column("", NAME, attrgetter("text"), "text"),
            Column("", NAME, attrgetter("note"), "form"),
        ]
        if any(isinstance(row.value, Change) for row in self.rows):
            columns += [
                Column("", NAME, lambda row: " ".join(_change(row).lost), "lost"),
                Column("", NAME, lambda row: " ".join(_change(row).added), "added"),
            ]
        return Table(name="finding", columns=columns, rows=self.rows)

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield `finding`, a row for each for programs, and `system`, their numbers by kind."""
        yield self.listing()
        yield self.table()

    @property
    def summary(self) -> str:
        """How many findings of each kind every system has.

        >>> Findings((Finding("A", 0, "outputs", "empty"),), ("A", "B"), [1], ()).summary
        'A 1 empty'
        """
        counts = self.count("system", "kind")
        return ", ".join(f"{system} {n} {kind}" for (system, kind), n in counts.items())

    # ---- gates ----

    def gate(self, kinds: Sequence[str], where: str = "", tested: str = "") -> Gate:
        """Return the gate that fails if there is a finding of one of these kinds.

        Parameters:
            kinds: names of kinds that were looked for.
            where: end of the reason, such as ", where B has none".
            tested: text for what was checked (default: the number of outputs).
        """
        known = [check.name for check in self.checks]
        for kind in kinds:
            if kind not in known:
                raise OptionError("fail_on", kind, suggest(kind, known))
        found = self.where(kind=kinds)
        if not found:
            tested = tested or quantity(len(self.systems) * len(self.names), "output")
            return Gate(False, f"no finding of {' or '.join(kinds)} in {tested}{where}")
        return Gate(True, f"{quantity(len(found), 'finding')}: {found.summary}{where}")

    def difference(self, a: str, b: str) -> Findings:
        """Return the findings of system a that system b does not have in the same segment."""
        other = {_place_of(row) for row in self.rows if row.system == b}
        return self.with_rows(
            row for row in self.rows if row.system == a and _place_of(row) not in other
        )

    def of_one(self, a: str, b: str) -> Findings:
        """Return the findings that only one of two systems has in the same segment."""
        rows = (*self.difference(a, b).rows, *self.difference(b, a).rows)
        return replace(self, rows=rows, systems=(a, b))

    def __repr__(self) -> str:
        return f"<{quantity(len(self), 'finding')} about {quantity(len(self.systems), 'system')}>"


def _change(row: Finding) -> Change:
    return row.value if isinstance(row.value, Change) else Change()


def _place_of(row: Finding) -> tuple[object, ...]:
    missing = row.value if row.segment is None else None  # the name of a segment, or None
    return row.segment, missing, row.kind


def describe(segments: Mapping[str, Sequence[object]]) -> str:
    """Return how many segments there are of each kind.

    >>> describe({"empty": [1, 4], "too-long": [7]})
    '2 empty, 1 too-long'
    """
    return ", ".join(f"{len(places)} {kind}" for kind, places in segments.items())


# ---- producers ----
#
# Commands, pages and the server name no producer themselves. A producer is a module with a
# `PRODUCER`, and a line of `PRODUCERS` with the facts that are needed before the module is loaded.
# The order of lines is the order of columns and filters.


class Entry(NamedTuple):
    """Facts about a producer, known without loading it.

    Attributes:
        module: the module with its `PRODUCER`.
        needs: the inputs without which it finds nothing.
        in_score: False if `celab score` does not look for it, because it takes too long.
    """

    module: str
    needs: Needs = Needs.NOTHING
    in_score: bool = True

    @property
    def is_of_texts(self) -> bool:
        """Whether it needs nothing but texts."""
        return self.needs in Needs.TEXTS


PRODUCERS = {
    "outputs": Entry("celab.findings.translations.screening"),
    "missing": Entry("celab.findings.translations.missing"),
    "script": Entry("celab.findings.wrong_script", in_score=False),
    "references": Entry("celab.findings.references", Needs.REFERENCE),
    "markup": Entry("celab.findings.markup", Needs.SOURCE, in_score=False),
    "differences": Entry("celab.findings.differences", Needs.PROFILE),
    "terms": Entry("celab.findings.glossary_terms", Needs.GLOSSARY),
    "people": Entry("celab.findings.marked_errors", Needs.SPANS),
}


def producer(name: str) -> Producer:
    """Return a producer by its name."""
    registered: Producer = importlib.import_module(PRODUCERS[name].module).PRODUCER
    return registered


def of_texts() -> Iterator[Producer]:
    """Yield the producers that need only texts, which are those of `celab check`."""
    return (producer(name) for name, entry in PRODUCERS.items() if entry.is_of_texts)


def kinds_of(*names: str) -> dict[str, FindingKind]:
    """Return the kinds of findings of producers (default: all); verdicts come first."""
    kinds = [kind for name in names or PRODUCERS for kind in producer(name).kinds.values()]
    return {kind.name: kind for kind in sorted(kinds, key=lambda kind: not kind.verdict)}


def kinds_of_texts() -> dict[str, FindingKind]:
    """Return the kinds of findings that need only texts, which are those of `celab check`."""
    return kinds_of(*(each.name for each in of_texts()))


def produce(
    subject: Subject,
    known: Findings | None = None,
    *,
    in_score: bool = False,
    of_texts: bool = True,
) -> Findings:
    """Return the findings of all producers.

    Parameters:
        subject: the inputs; producers that need more are left out.
        known: findings about the same outputs; their producers are not asked again.
        in_score: ask only the producers that are fast enough for every score.
        of_texts: False leaves out the producers that need only texts.
    """
    corpus = subject.corpus
    names = corpus.names or range(1, len(corpus.segments) + 1)
    table = Findings((), tuple(corpus.systems), names, (), corpus.index) if known is None else known
    rows, kinds = [*table.rows], {kind.name: kind for kind in table.checks}
    done = {kind.check for kind in table.checks}
    for name, entry in PRODUCERS.items():
        is_left_out = name in done or (in_score and not entry.in_score)
        if is_left_out or not subject.has(entry.needs) or (not of_texts and entry.is_of_texts):
            continue
        each = producer(name)
        looked_for = {
            kind.name: kind
            for kind in each.kinds.values()
            if kind.verdict or (subject.filters and subject.is_looked_for(kind))
        }
        for row in each.find(subject):
            rows.append(row._replace(check=name))
            if row.kind not in looked_for:  # such as severities that people name as they like
                looked_for[row.kind] = FindingKind(name=row.kind, meaning=each.about or each.title)
        for kind in looked_for.values():
            if kind.name in kinds:
                raise ValueError(f"two checks are called {kind.name!r}; names must differ")
            kinds[kind.name] = replace(kind, check=name)
    return replace(table, rows=tuple(rows), checks=tuple(kinds.values()))
