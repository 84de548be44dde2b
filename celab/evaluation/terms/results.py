"""How systems and references follow a glossary: the result of `celab.terms`, as data."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from celab.base import io, offered
from celab.base.arguments import checked
from celab.base.errors import OptionError
from celab.base.frozen import dataclass
from celab.base.result import DataFrame, Result
from celab.base.signature import Signature
from celab.base.view import cells
from celab.base.view.cells import shown
from celab.base.view.frames import Column, check_level, frame
from celab.base.view.renderers import RENDERERS
from celab.base.view.tables import NORMAL, View, ViewOptions
from celab.evaluation.tables import Findings, Gate

if TYPE_CHECKING:
    from celab.corpus import Corpus

Interval = tuple[float, float]
DIGITS = 4  # of accuracies

TermLevel = Literal["system", "term", "document", "miss"]  # of a table or a data frame
LEVELS: tuple[TermLevel, ...] = get_args(TermLevel)


@dataclass(frozen=True, slots=True)
class TermFigures:
    """How a system, or a reference, follows the glossary."""

    name: str
    accuracy: float  # NaN without occurrences
    right: int
    occurrences: int
    interval: Interval  # of the accuracy, 95%, by segments
    p: float | None  # against the best system; None for that system itself
    test: str | None  # that p comes from
    forbidden: int  # uses of forbidden terms
    consistency: float  # NaN if no term is rendered twice in a document
    repeated: int  # pairs of a term and a document with two renderings or more
    varied: int  # of these, the pairs whose renderings differ


@dataclass(frozen=True, slots=True)
class TermCounts:
    """One term in one system."""

    right: int
    forbidden: int
    renderings: Mapping[str, int]  # how often each known rendering is used


@dataclass(frozen=True, slots=True)
class TermRow:
    """A term that occurs, and what each system makes of it."""

    source: str
    targets: tuple[str, ...]
    forbidden: tuple[str, ...]
    note: str
    occurrences: int
    accuracy: float  # of all systems together
    systems: Mapping[str, TermCounts]


@dataclass(frozen=True, slots=True)
class TermDocument:
    """A term that a system renders twice or more in a document."""

    system: str
    document: str
    term: str
    share: float  # of the most frequent rendering
    renderings: Mapping[str, int]


@dataclass(frozen=True, slots=True)
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
    # The forbidden term, or what is linked to the reference's term, or the source term itself, left
    # untranslated; None if nothing is known.
    instead: str | None


@dataclass(frozen=True, slots=True)
class TermPlace:
    """An occurrence of a term, and what each system has there, in the order of the systems."""

    segment: int  # from 1
    term: str
    targets: tuple[str, ...]
    found: str  # the occurrence, as the source has it, or the reference
    renderings: tuple[str | None, ...]  # a target or a forbidden term; None if it has neither
    right: tuple[bool, ...]


@dataclass(frozen=True, slots=True, repr=False)
class TermResult(Result):
    """How systems and references follow a glossary.

    Attributes:
        systems: `TermFigures` of each system, the highest accuracy first.
        references: the same of each reference.
        terms: `TermRow`s of the terms that occur, the lowest accuracy first.
        documents: `TermDocument`s, in the order of systems and terms.
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
    documents: tuple[TermDocument, ...]
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
    explained: bool  # whether misses say what stands there instead
    places: tuple[TermPlace, ...]
    corpus: Corpus = field(compare=False)
    table: Findings = field(compare=False)
    _omitted: ClassVar = frozenset({"places", "corpus", "table"})

    def __getitem__(self, system: str) -> TermFigures:
        for figures in self.systems:
            if figures.name == system:
                return figures
        raise KeyError(system)

    def __str__(self) -> str:
        return RENDERERS["text"](self.view()).rstrip("\n")

    def to_dataframe(self, library: str | None = None, *, level: TermLevel = "system") -> DataFrame:
        """Return a data frame with a row per system, per term and system, or per miss.

        Parameters:
            library: "pandas" or "polars" (default: the one that is installed, pandas first).
            level: "system", with the references; "term", "document" or "miss".
        """
        from celab.evaluation.terms.record import SYSTEMS, system_rows

        check_level(level, LEVELS)
        if level == "system":
            return SYSTEMS.frame(system_rows(self), library=library)
        return frame(_COLUMNS[level](self), library)

    def gate(self, kinds: Sequence[str] = (), *, least: float | None = None) -> Gate:
        """Return the gate that fails if there is a finding of a kind, or an accuracy too low.

        Parameters:
            kinds: "missed", "forbidden" or both.
            least: the lowest accuracy that passes, from 0 to 1 (default: any).
        """
        gates = [self.table.gate(kinds)] if kinds else []
        if least is not None:
            if not 0 <= least <= 1:
                raise OptionError("least", least, "it must be from 0 to 1")
            low = [x for x in self.systems if x.accuracy < least]
            figures = ", ".join(
                f"{x.name} {shown(cells.score(x.accuracy, DIGITS))}" for x in low or self.systems
            )
            relation = "less than" if low else "not less than"
            gates.append(Gate(bool(low), f"accuracy is {relation} {least:g}: {figures}"))
        failed = [gate for gate in gates if gate.failed]
        return Gate(bool(failed), "; ".join(gate.reason for gate in failed or gates))

    def view(self, options: ViewOptions = NORMAL) -> View:
        """Return systems, and as much about terms and misses as the options ask for."""
        from celab.evaluation.terms.view import view_of

        return view_of(self, options)

    @checked()
    def html(self, path: io.AnyPath | None = None, *, report_lang: str = "en") -> str:
        """Return the result as one HTML page, or write it; returns the page, or the path.

        Parameters:
            path: file to write, atomically; without it the page itself is returned. A file that
                exists is replaced, unless it is the glossary or a text.
            report_lang: language of the page, `en` or `zh`; its reader can change it.
        """
        if path is not None:
            io.check_no_input(path, [self.glossary, *self.corpus.files])
        page = offered.terms_page(self, report_lang=report_lang)
        if path is None:
            return page
        io.write(path, page)
        return os.fspath(path)

    def __repr__(self) -> str:
        n = len(self.systems)
        return (
            f"<TermResult: {len(self.terms)} of {self.n_terms} terms occur,"
            f" {n} system{'s' * (n != 1)}, {len(self.misses)} misses>"
        )


def _term_rows(result: TermResult) -> dict[str, Column]:
    rows = [(row, name, counts) for row in result.terms for name, counts in row.systems.items()]
    return {
        "term": [row.source for row, _, _ in rows],
        "targets": ["|".join(row.targets) for row, _, _ in rows],
        "system": [name for _, name, _ in rows],
        "right": [counts.right for _, _, counts in rows],
        "occurrences": [row.occurrences for row, _, _ in rows],
        "forbidden": [counts.forbidden for _, _, counts in rows],
        "renderings": [len(counts.renderings) for _, _, counts in rows],
    }


def _term_documents(result: TermResult) -> Mapping[str, Column]:
    names = ("system", "document", "term", "share")
    columns = {name: [getattr(row, name) for row in result.documents] for name in names}
    return columns | {"renderings": [len(row.renderings) for row in result.documents]}


def _term_misses(result: TermResult) -> Mapping[str, Column]:
    names = ("system", "segment", "document", "id", "term", "found")
    columns = {name: [getattr(miss, name) for miss in result.misses] for name in names}
    return columns | {
        "targets": ["|".join(miss.targets) for miss in result.misses],
        "forbidden": [miss.forbidden or "" for miss in result.misses],
        "instead": [miss.instead or "" for miss in result.misses],
    }


_COLUMNS: dict[str, Callable[[TermResult], Mapping[str, Column]]] = {
    "term": _term_rows,
    "document": _term_documents,
    "miss": _term_misses,
}
