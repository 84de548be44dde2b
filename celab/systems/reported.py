"""Scores of systems as a result: their tables, text and JSON; scores without texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from celab.base.arguments import JsonObject
from celab.corpus import Segment
from celab.findings.translations.screening import Lengths
from celab.systems.results import Scored
from celab.systems.view import tables_of, unit_table
from celab.tables.result import PrintedResult, Result
from celab.tables.table import Part, Table
from celab.tables.view import Detail, line


@dataclass(frozen=True, kw_only=True, repr=False)
class ReportedScores(Scored):
    """Base class of scores that can be printed and written."""

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield all systems by each metric, their documents and their segments."""
        if self.scores:
            yield from tables_of(self, detail)
        else:
            yield [line(repr(self))]

    def facts(self) -> JsonObject:
        """Return the part of the JSON that is not in tables.

        `celab.systems.stored` describes it.
        """
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

    def shown_level(self, level: str, format: str) -> Table:
        """Return the table of a level, without columns that say the same in each row."""
        if level in ("document", "segment"):
            return unit_table(self, level, is_brief=True).whole()
        return PrintedResult.shown_level(self, level, format)


@dataclass(frozen=True, repr=False)
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
