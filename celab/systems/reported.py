"""Scores of systems as a result: their tables, text and JSON; scores without texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from celab.base.arguments import JsonObject
from celab.corpus import Segment
from celab.findings.translations.screening import Lengths
from celab.systems.results import Scored
from celab.systems.view import lines_of, system_table, tables_of, unit_table
from celab.tables.result import Part, PrintedResult, Result
from celab.tables.view import NORMAL, Detail, View, ViewOptions, line


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ReportedScores(Scored):
    """Base class of scores that can be printed and written."""

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield all systems by each metric, their documents and their segments."""
        self._check_scored()
        yield from tables_of(self, detail)

    def facts(self) -> JsonObject:
        """Return what JSON has beside the tables; `celab.systems.stored` describes it."""
        # Imported here because only JSON needs it.
        from celab.systems import stored

        return stored.facts(self)

    def to_dict(self, *, level: str | None = "segment") -> JsonObject:
        """Return the content of `--json`.

        Parameters:
            level: "segment" or "document", whose rows are written, too; None for neither.
        """
        from celab.systems import stored

        self._check_scored()
        data = Result.to_dict(self, level=level)
        counts = stored.statistics(self) if level == "segment" else {}
        return data | {"statistics": counts} if counts else data

    def view(self, options: ViewOptions = NORMAL) -> View:
        """Return all systems by each metric, or their documents or segments.

        A table of documents or segments has no column that says the same in each row.
        """
        if not self.scores:
            return View([[line(repr(self))]])
        if options.level in ("document", "segment"):
            table = unit_table(self, options.level, is_brief=True)
            return View([table.visible(options.digits)], table.as_tsv())
        if options.level == "system":
            table = system_table(self)
            return View([table.visible(options.digits)], table.as_tsv())
        if options.detail in ("score", "line"):
            return View([lines_of(self, options.detail, options.digits)])
        return PrintedResult.view(self, options)


@dataclass(frozen=True, slots=True, repr=False)
class SystemScores(ReportedScores):
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
