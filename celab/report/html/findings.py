"""Findings about outputs → the findings of a page's script, which have one shape.

`findings` is a list of groups. A check has one group, or one for each kind if its findings have
nothing but a kind. A group has:

check   name of the producer (`celab.findings.finding`)
verdict false if such an output may be a translation
rows    outputs, segment × number of systems + system, as steps from one to the next, from 0; if
        they are many, a text of hexadecimal digits with a bit for each output
kind    of all rows, or a list with that of each
span    of each row, in characters of the output, or of the source if something of it is lost
text, note, value  of each row, as its producer says; a column that is empty is absent
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate, groupby, pairwise
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from celab.base.arguments import JsonObject, Variables
from celab.findings.finding import Change, Finding, Findings, Subject, producer
from celab.findings.translations.outputs import TOTAL
from celab.tables import cells
from celab.tables.table import Table
from celab.terminology.results import TermUses

COLUMNS = ("span", "text", "note", "value")


class PageFinding(NamedTuple):
    """A finding about an output; systems and segments are numbered from 0."""

    system: int
    segment: int
    check: str
    kind: str
    span: tuple[int, int] | None = None
    text: str = ""
    note: str | None = ""
    value: object = None

    @property
    def is_bare(self) -> bool:
        """Whether there is nothing but the kind."""
        return not (self.span or self.text or self.note or self.value is not None)


def page_rows(table: Findings, subject: Subject, systems: Sequence[str]) -> Iterator[PageFinding]:
    """Yield the findings about outputs of segments, from all producers in a table."""
    numbers = {system: number for number, system in enumerate(systems)}
    by_kind: defaultdict[tuple[str, str], list[Finding]] = defaultdict(list)
    for row in table.rows:
        by_kind[row.check, row.kind].append(row)
    for name in _producers(table):
        page = producer(name).page
        kinds = [kind.name for kind in table.checks if kind.check == name]
        of_kinds = (by_kind[name, kind] for kind in kinds)
        rows = page(subject) if page else (row for rows in of_kinds for row in _pieces(rows))
        for row in rows:
            if row.segment is not None:
                yield on_page(row, numbers[row.system])


def on_page(row: Finding, system: int) -> PageFinding:
    """Return a finding about a segment as the page has it, with the number of its system."""
    return PageFinding(system, row.segment or 0, *row[2:])


def _pieces(rows: Iterable[Finding]) -> Iterator[Finding]:
    """Yield rows without output texts (the page has them), and one for each lost or added piece."""
    for row in rows:
        if not isinstance(row.value, Change):
            yield row._replace(text="")
            continue
        for note, texts in row.value._asdict().items():
            yield from (row._replace(text=text, note=note, value=None) for text in texts)


def findings_data(
    findings: Iterable[PageFinding], n_systems: int, doubtful: Collection[str] = ()
) -> JsonObject:
    """Return the findings in the form that the script reads; empty without findings.

    `doubtful` are the kinds whose outputs may be translations.

    >>> empty = [PageFinding(1, 0, "outputs", "empty"), PageFinding(0, 2, "outputs", "empty")]
    >>> findings_data(empty, n_systems=2)
    {'findings': [{'check': 'outputs', 'kind': 'empty', 'rows': '48'}]}
    """
    groups: defaultdict[tuple[str, str | None], list[PageFinding]] = defaultdict(list)
    for check, rows_of_check in groupby(findings, key=attrgetter("check")):
        has_kinds = producer(check).page is None  # `page` keeps the order of rows
        for finding in rows_of_check:
            kind = finding.kind if has_kinds or finding.is_bare else None
            groups[check, kind].append(finding)
    written = []
    for (check, kind), group in groups.items():
        if kind is not None:
            group = sorted(dict.fromkeys(group), key=lambda finding: finding[1::-1])
        rows = [finding.segment * n_systems + finding.system for finding in group]
        kinds = [finding.kind for finding in group]
        columns = {name: [getattr(finding, name) for finding in group] for name in COLUMNS}
        columns = {
            name: values
            for name, values in columns.items()
            if any(value not in (None, "") for value in values)
        }
        is_dense = not columns and 8 * len(rows) >= rows[-1]
        written.append(
            {
                "check": check,
                "kind": kinds[0] if len({*kinds}) == 1 else kinds,
                **({"verdict": False} if kind in doubtful else {}),
                "rows": _bits(rows)
                if is_dense
                else [after - before for before, after in pairwise([0, *rows])],
                **columns,
            }
        )
    return {"findings": written} if written else {}


def of_table(table: Findings, subject: Subject, systems: Sequence[str] | None = None) -> JsonObject:
    """Return the findings of a table as the script reads them, with the titles of producers."""
    systems = [*subject.corpus.systems] if systems is None else systems
    faults = {name for name in _producers(table) if producer(name).is_fault}
    doubtful = [x.name for x in table.checks if not x.verdict or x.check not in faults]
    data = findings_data(page_rows(table, subject, systems), len(systems), doubtful)
    titles = {group["check"]: producer(group["check"]).title for group in data.get("findings", ())}
    return data | ({"titles": titles} if titles else {})


def outputs_table(table: Findings) -> Table | None:
    """Return systems by kinds of outputs, without zeros; None if nothing is found."""
    findings = table.of("outputs").without_zeros
    kinds = [kind.name for kind in findings.checks]
    total = TOTAL if sum(kind.verdict for kind in findings.checks) == len(kinds) > 1 else ""
    return findings.table(kinds, total) if findings else None


def kinds_of(table: Table) -> list[tuple[str, str]]:
    """Return the kinds in the headings of an `outputs_table` with their counts, highest first.

    >>> from celab.tables.table import COUNT, NAME, Column
    >>> columns = [Column("system", NAME, str), *(Column(x, COUNT, len) for x in ("empty", TOTAL))]
    >>> kinds_of(Table(columns=columns, rows=["AB"]))
    [('empty', '2')]
    """
    rows = table.all_rows()
    counts = {
        column.heading: sum(map(column.value, rows))
        for column in table.columns[1:]
        if column.heading != TOTAL
    }
    ordered = sorted(counts, key=lambda kind: -counts[kind])
    return [(kind, cells.count(counts[kind])) for kind in ordered]


def sections_of(table: Findings, names: Iterable[str]) -> list[Variables] | None:
    """Return a table of systems by kinds for each producer that finds something, and its texts."""
    tables = [
        {"producer": producer(name), "table": table.of(name).without_zeros.table()}
        for name in names
        if table.of(name)
    ]
    return tables or None


def _producers(table: Findings) -> Iterable[str]:
    return dict.fromkeys(kind.check for kind in table.checks)


def _bits(rows: list[int]) -> str:
    mask = np.zeros(rows[-1] + 1, np.bool_)
    mask[rows] = True
    return np.packbits(mask).tobytes().hex()


def _rows(written: list[int] | str) -> list[int]:
    if not isinstance(written, str):
        return [*accumulate(written)]
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(written), np.uint8))
    return [*map(int, np.flatnonzero(bits))]


def findings_in(data: JsonObject) -> Iterator[PageFinding]:
    """Yield the findings of a page's data."""
    n_systems = len(data["systems"])
    for group in data.get("findings", ()):
        rows = _rows(group["rows"])
        kinds = [group["kind"]] * len(rows) if isinstance(group["kind"], str) else group["kind"]
        columns = {name: group[name] for name in COLUMNS if name in group}
        for i, (row, kind) in enumerate(zip(rows, kinds, strict=True)):
            segment, system = divmod(row, n_systems)
            values = {name: column[i] for name, column in columns.items()}
            yield PageFinding(system, segment, group["check"], kind, **values)


def glossary_of(uses: TermUses | None) -> JsonObject:
    """Return the terms that occur, with their targets, by the number of misses."""
    return {} if uses is None else {"glossary": uses.glossary}
