"""Accepted findings: their file, and which findings of a check are new, or gone.

    {"format": 1, "accepted": [
    {"system": "values-zh-rCN", "segment": "app_name", "kind": "copied", "text": "Larder"},
    …

A finding is identified by system, segment, kind and the text of the output, so that another text
for the same segment is a new finding. An accepted finding is gone if a check that looked for its
kind in its system did not find it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from celab.base import io
from celab.base.errors import InputError
from celab.base.json_files import JsonError, List, Object, ShapeError, Text, Whole, check, read_json
from celab.corpus.model import list_names
from celab.findings.finding import Finding, Findings, producer
from celab.tables.cells import quantity

FORMAT = 1
_EXPECTED = "a file of accepted findings, as --write-accepted writes it"
_SHAPE = Object(
    {
        "format": Whole(FORMAT, FORMAT),
        "accepted": List(
            Object({"system": Text(), "segment": Text(), "kind": Text(), "text": Text()})
        ),
    }
)


class AcceptedFinding(NamedTuple):
    """A finding that is accepted, by the names of its system and its segment."""

    system: str
    segment: str
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.system} {self.segment} {self.kind}".replace("  ", " ")


@dataclass(frozen=True)
class Accepted:
    """The findings of a check compared with a file of accepted findings.

    Attributes:
        table: the findings that are not accepted.
        n_accepted: number of accepted findings among those of the check.
        gone: accepted findings that the check did not find.
        unchecked: names of systems that have accepted findings but were not checked.
    """

    table: Findings
    n_accepted: int
    gone: tuple[AcceptedFinding, ...]
    unchecked: tuple[str, ...]

    @classmethod
    def of(cls, known: Sequence[AcceptedFinding], table: Findings) -> Accepted:
        """Compare the findings of a check with accepted ones."""
        rows = [(row, name_of(table, row)) for row in table.rows]
        names, accepted = {name for _, name in rows}, {*known}
        kinds = {kind.name for kind in table.checks}
        others = [x for x in known if x not in names]
        return cls(
            table.with_rows(row for row, name in rows if name not in accepted),
            sum(name in accepted for _, name in rows),
            tuple(x for x in others if x.system in table.systems and x.kind in kinds),
            tuple(dict.fromkeys(x.system for x in others if x.system not in table.systems)),
        )

    def gone_line(self, name: str) -> str:
        """Return the line about accepted findings of a file that are gone, or ""."""
        if not self.gone:
            return ""
        are = "is" if len(self.gone) == 1 else "are"
        listed = list_names([str(each) for each in self.gone])
        return f"{name}: {quantity(len(self.gone), 'accepted finding')} {are} gone: {listed}"

    def unchecked_line(self, name: str) -> str:
        """Return the line about accepted findings of systems that were not checked, or ""."""
        if not self.unchecked:
            return ""
        return f"{name}: {list_names(self.unchecked)} has accepted findings, but is not checked"


def name_of(table: Findings, row: Finding) -> AcceptedFinding:
    """Return the system, segment, kind and text that identify a finding."""
    return AcceptedFinding(row.system, str(table.named(row)), row.kind, row.text)


def read(path: str) -> list[AcceptedFinding]:
    """Return the findings in a file; `InputError` if it is another file."""
    name = io.display_name(path)
    try:
        value, _ = read_json(path, name, _EXPECTED)
        check(value, _SHAPE)
    except (JsonError, ShapeError) as error:
        raise InputError(f"{name}: {error}", hint=f"it must be {_EXPECTED}") from None
    return [AcceptedFinding(**row) for row in value["accepted"]]


def dump(table: Findings) -> str:
    """Return the text of a file with all findings about outputs, a line for each."""
    faults = [row for row in table.rows if producer(row.check).is_fault]
    rows = sorted(dict.fromkeys(name_of(table, row) for row in faults))
    lines = [json.dumps(row._asdict(), ensure_ascii=False) for row in rows]
    return f'{{"format": {FORMAT}, "accepted": [\n' + ",\n".join(lines) + "\n]}\n"
