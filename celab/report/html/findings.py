"""What is said about outputs → the findings of a page's script, which have one shape.

`findings` is a list of groups; a check that has nothing but kinds has one for each kind:

check   name of the check: outputs, references, markup, differences, people, terms
verdict false if such an output may be a translation
rows    outputs, segment × number of systems + system, as steps from one to the next, from 0; if
        they are many, a text of hexadecimal digits with a bit for each output
kind    of all rows, or a list with that of each
span    of each row, in characters of the output, or of the source if something of it is lost
text, note, value  of each row, as its producer below says; a column that is empty is absent
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise, zip_longest
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from celab.base.dicts import JsonObject
from celab.evaluation.checks import CHECKS
from celab.evaluation.findings.marking import finding_spans
from celab.evaluation.tables import Change

if TYPE_CHECKING:
    from celab.evaluation.checks.outputs import Outputs
    from celab.evaluation.errors.profile import ErrorProfile
    from celab.evaluation.judges.spans import SeenSpan
    from celab.evaluation.tables import Findings
    from celab.evaluation.terms.results import Miss, TermPlace

COPIED = "copy in a reference"
COLUMNS = ("span", "text", "note", "value")


class PageFinding(NamedTuple):
    """What a check says about an output; systems and segments are numbered from 0."""

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


def findings_data(findings: Iterable[PageFinding], n_systems: int) -> JsonObject:
    """Return the findings as the script reads them; nothing if there are none.

    >>> empty = [PageFinding(1, 0, "outputs", "empty"), PageFinding(0, 2, "outputs", "empty")]
    >>> findings_data(empty, n_systems=2)
    {'findings': [{'check': 'outputs', 'kind': 'empty', 'rows': '48'}]}
    """
    groups: defaultdict[tuple[str, str | None], list[PageFinding]] = defaultdict(list)
    for finding in findings:
        groups[finding.check, finding.kind if finding.is_bare else None].append(finding)
    written = []
    for (check, kind), group in groups.items():
        if kind is not None:
            group = sorted({*group}, key=lambda finding: finding[1::-1])
        rows = [finding.segment * n_systems + finding.system for finding in group]
        kinds = [finding.kind for finding in group]
        columns = {name: [getattr(finding, name) for finding in group] for name in COLUMNS}
        written.append(
            {
                "check": check,
                "kind": kinds[0] if len({*kinds}) == 1 else kinds,
                **({} if is_verdict(check, kind) else {"verdict": False}),
                "rows": _steps(rows) if kind is None or 8 * len(rows) < rows[-1] else _bits(rows),
                **{
                    name: values
                    for name, values in columns.items()
                    if any(value not in (None, "") for value in values)
                },
            }
        )
    return {"findings": written} if written else {}


def _steps(rows: list[int]) -> list[int]:
    return [after - before for before, after in pairwise([0, *rows])]


def _bits(rows: list[int]) -> str:
    mask = np.zeros(rows[-1] + 1, np.bool_)
    mask[rows] = True
    return np.packbits(mask).tobytes().hex()


def _rows(written: list[int] | str) -> list[int]:
    if not isinstance(written, str):
        return [*accumulate(written)]
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(written), np.uint8))
    return [*map(int, np.flatnonzero(bits))]


def is_verdict(check: str, kind: str | None) -> bool:
    """Return whether an output of a kind is not a translation, or wrong otherwise."""
    return check != "references" and (kind not in CHECKS or CHECKS[kind].verdict)


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


def of_outputs(checked: Outputs) -> Iterator[PageFinding]:
    """Yield outputs that are not translations, and those that a reference has copied."""
    found = checked.table.of("outputs")
    systems = found.systems
    for check in found.checks:
        for row in found.where(kind=check.name).rows:
            place = row.segment or 0
            yield PageFinding(systems.index(row.system), place, "outputs", check.name)
    for copy in checked.references:
        for place in copy.places:
            yield PageFinding(systems.index(copy.system), place, "references", COPIED)


def of_markup(found: Findings, source: Sequence[str]) -> Iterator[PageFinding]:
    """Yield pieces that must survive translation; `note` is whether one is lost or added."""
    for check in found.checks:
        for row in found.where(kind=check.name).rows:
            place = row.segment or 0
            where = found.systems.index(row.system), place, "markup", check.name
            if not isinstance(row.value, Change):
                yield PageFinding(*where)
                continue
            sides = zip(Change._fields, row.value, finding_spans(row, source[place]), strict=True)
            for note, texts, spans in sides:
                for text, span in zip_longest(texts, spans):
                    yield PageFinding(*where, span, text, note)


def of_differences(profile: ErrorProfile, systems: Sequence[str]) -> Iterator[PageFinding]:
    """Yield the kinds of differences from the reference that outputs have."""
    numbers = [list(profile.systems).index(name) for name in systems]
    for k, kind in enumerate(profile.kinds):
        for system, place in np.argwhere(profile.edits[numbers, :, k]).tolist():
            yield PageFinding(system, place, "differences", kind)


def of_people(spans: Iterable[SeenSpan], systems: Sequence[str]) -> Iterator[PageFinding]:
    """Yield marked errors: `kind` is the category, `note` the severity, `value` seen and cost."""
    for x in spans:
        span = None if x.start is None or x.end is None else (x.start, x.end)
        value = x.seen, None if x.cost is None else round(x.cost, 6)
        number = systems.index(x.system)
        yield PageFinding(number, x.place, "people", x.category, span, note=x.severity, value=value)


def glossary_of(places: Sequence[TermPlace]) -> JsonObject:
    """Return the terms that occur with their targets, those that are missed most often first."""
    missed: defaultdict[tuple[str, tuple[str, ...]], int] = defaultdict(int)
    for place in places:
        missed[place.term, place.targets] += place.right.count(False)
    terms = sorted(missed, key=lambda term: -missed[term])
    return {"glossary": terms} if terms else {}


def of_terms(
    places: Sequence[TermPlace], systems: Sequence[str], misses: Iterable[Miss] = ()
) -> Iterator[PageFinding]:
    """Yield occurrences of terms: `text` as the source has it, `note` what the output has.

    `value` is the number of the term in the glossary.
    """
    numbers = {term: k for k, term in enumerate(glossary_of(places).get("glossary", ()))}
    instead: defaultdict[tuple[object, ...], deque[str | None]] = defaultdict(deque)
    for x in misses:
        instead[x.system, x.segment, x.term, x.targets].append(x.instead)
    for place in places:
        term = place.term, place.targets
        for number, system in enumerate(systems):
            note = place.renderings[number]
            kind = "right" if place.right[number] else "missed" if note is None else "forbidden"
            known = instead.get((system, place.segment, *term))
            if kind != "right" and known and (other := known.popleft()) and kind == "missed":
                note, kind = other, "untranslated" if other == place.term else "other"
            where = number, place.segment - 1, "terms", kind
            yield PageFinding(*where, None, place.found, note, numbers[term])
