"""Problems of references: copies of outputs, twins, shifted lines and mixed scripts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import ClassVar, NamedTuple

import numpy as np

from celab.base.arrays import I64
from celab.base.text.counts import count_texts
from celab.corpus import Corpus
from celab.corpus.model import SegmentName, list_names
from celab.corpus.selection import Selection
from celab.findings.finding import Finding, FindingKind, Producer, Subject
from celab.findings.references.copies import (
    MIN_COPIES,
    NO_AGREEMENT,
    Agreement,
    CountedTexts,
    EditLimits,
    agreement,
    edit_limits,
    find_copied_systems,
    find_relatives,
)
from celab.findings.references.shifts import SHIFTS, Shift, find_shift, shift_warnings
from celab.findings.references.twins import TWINS, Twins, find_twins, group_twins, twins_line
from celab.metrics.scores import Score
from celab.tables import cells
from celab.tables.result import Result
from celab.tables.table import COUNT, NAME, P_VALUE, TEXT, Column, P, Part, Table, named
from celab.tables.view import Detail, line

MIN_SEGMENTS = 5
MAX_SYSTEMS_NAMED = 2  # copies in a reference may be of more systems


@dataclass(frozen=True, kw_only=True)
class ReferenceCopies:
    """A reference and a system that it agrees with more than chance explains.

    Attributes:
        name: name of the reference.
        system: name of the system.
        copies: number of segments in which they are equal without white space.
        near: number of further segments that are close edits.
        segments: names of all these segments.
        others: highest number of copies of a system that no row names.
        p: p-value of the test in `celab.findings.references.copies`.
        places: indices of these segments.
        others_in_all: highest number of copies and close edits of a system that no row names; None
            if every system is named.
    """

    name: str
    system: str
    copies: int
    near: int
    segments: tuple[SegmentName, ...]
    others: int
    p: float
    places: tuple[int, ...] = ()
    others_in_all: int | None = None
    _omitted: ClassVar = frozenset({"places", "others_in_all"})


@dataclass(frozen=True)
class References(Result):
    """Problems of the references of a corpus; a part is empty if nothing was found.

    Attributes:
        copies: references that were probably made from a system's outputs.
        twins: references and systems that are equal in almost all segments.
        shifts: runs of lines that fit the references of other lines.
        scripts: systems whose Chinese script is not that of the first reference.
    """

    copies: tuple[ReferenceCopies, ...] = ()
    twins: tuple[Twins, ...] = ()
    shifts: tuple[Shift, ...] = ()
    scripts: tuple[MixedScripts, ...] = ()

    @property
    def copied_places(self) -> I64:
        """Sorted indices of all segments with a copy."""
        return np.unique([place for row in self.copies for place in row.places]).astype(np.int64)

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield tables of all parts; people see a table of copies, and lines about other parts."""
        yield from self.part_tables()
        texts = [
            *map(twins_line, self.twins),
            *shift_warnings(self.shifts),
            *map(scripts_line, self.scripts),
        ]
        yield [line(text) for text in texts]

    def part_tables(self) -> Iterator[Table]:
        """Yield a table of each part; only the table of copies is shown to people."""
        yield copies_table(self.copies)
        yield Table(name="twins", columns=TWINS, rows=self.twins)
        yield Table(name="shift", columns=SHIFTS, rows=self.shifts)
        yield Table(name="mixed_scripts", columns=_SCRIPTS, rows=self.scripts)


def check_references(corpus: Corpus, lang: str | None = None, *, copies: bool = True) -> References:
    """Return the problems of the references of a corpus, which keeps the result.

    Mixed scripts are looked for in Chinese, which is the default language. Without `copies`, copies
    and twins are not looked for: for an error rate, an output should equal its reference.
    """
    lang = lang or "zh"
    key = f"references in {lang}{', with copies' * copies}"
    known = corpus.memo.get(key)
    if not isinstance(known, References):
        known = corpus.memo[key] = _check_references(corpus, lang, copies)
    return known


class StreamedReferences:
    """Copies and shifted lines of one system whose segments are read batch by batch.

    Only agreements are kept, so that memory does not grow with the text.
    """

    def __init__(self, system: str, names: Sequence[str]) -> None:
        self.system, self.names = system, names
        self.n_segments = 0
        self._is_shifted = False
        self._n_long = [0] * len(names)
        self._places: list[list[int]] = [[] for _ in names]
        self._n_equal = [0] * len(names)

    def add_batch(
        self, hyps: Sequence[str], refs: Sequence[Sequence[str]], files: Sequence[str]
    ) -> list[Shift]:
        """Check the next batch; return shifted lines, if no earlier batch had any.

        `files` are the names of the system's file and of the references' files.
        """
        shifts: list[Shift] = []
        output = CountedTexts(hyps, count_texts(hyps))
        for r, texts in enumerate(refs):
            side = CountedTexts(texts, count_texts(texts))
            allowed = edit_limits(side.counts)
            found = agreement(side, output, allowed)
            self._n_long[r] += allowed.n_long
            self._n_equal[r] += int(found.equal.sum())
            places = np.flatnonzero(found.either) + self.n_segments
            self._places[r].extend(places.tolist())
            run = None if self._is_shifted or r > 0 else find_shift(output.counts, side.counts)
            if run is not None:
                offset, first, stop = run
                first, last = first + self.n_segments + 1, stop + self.n_segments
                is_to_end = stop >= len(hyps) - 1
                shifts.append(
                    Shift(
                        name=files[0],
                        reference=files[1],
                        offset=offset,
                        first=first,
                        last=last,
                        is_to_end=is_to_end,
                    )
                )
        self.n_segments += len(hyps)
        self._is_shifted |= bool(shifts)
        return shifts

    def copies(self) -> tuple[ReferenceCopies, ...]:
        """Return a row for each reference that was probably made from the system."""
        rows = []
        for r, name in enumerate(self.names):
            places = self._places[r]
            is_equal = np.arange(len(places)) < self._n_equal[r]
            agrees = Agreement(is_equal, np.zeros(len(places), np.int8))
            for excess in find_copied_systems(
                {self.system: agrees}, self._n_long[r], [[self.system]]
            ):
                near = len(places) - self._n_equal[r]
                numbers = tuple(place + 1 for place in places)
                rows.append(
                    ReferenceCopies(
                        name=name,
                        system=self.system,
                        copies=self._n_equal[r],
                        near=near,
                        segments=numbers,
                        others=0,
                        p=excess.p,
                        places=tuple(places),
                    )
                )
        return tuple(rows)


def select_copies(references: References, n_segments: int) -> Selection:
    """Return the segments in which a reference is a copy of an output, to be left out."""
    return Selection(
        name="copies",
        indices=frozenset(references.copied_places.tolist()),
        findings=tuple(dropped_lines(references, n_segments)),
        all_dropped="all segments are copies of outputs, so none is left without them",
        hint="give another reference",
    )


def _check_references(corpus: Corpus, lang: str, has_copies: bool) -> References:
    if len(corpus.segments) < MIN_SEGMENTS or not corpus.refs:
        return References()
    refs = [*zip(corpus.ref_names, corpus.refs, strict=True)]
    twins = find_twins(refs if has_copies else [], corpus.systems)
    references = [CountedTexts(texts, count_texts(texts)) for texts in corpus.refs]
    first, files = references[0].counts, [*(corpus.ref_files or corpus.ref_names)]
    allowed = [edit_limits(side.counts) for side in references]
    agreements: list[dict[str, Agreement]] = [{} for _ in references]
    further = zip(files[1:], references[1:], strict=True)
    runs = [(file, find_shift(side.counts, first)) for file, side in further]
    # Only outputs in one Chinese script: only they can be in the other script than expected.
    characters = {}
    for name, texts in corpus.systems.items():
        side = CountedTexts(texts, count_texts(texts))  # one at a time, because counts are large
        for by_system, reference, most in zip(agreements, references, allowed, strict=True):
            if has_copies:
                by_system[name] = agreement(reference, side, most)
        runs.append((corpus.file_of(name), find_shift(side.counts, first)))
        characters[name] = side.counts.n_simplified, side.counts.n_traditional
    copies = [
        row
        for name, by_system, most in zip(corpus.ref_names, agreements, allowed, strict=True)
        # Fewer segments are never more than chance explains.
        if sum(np.sum(each.edits < NO_AGREEMENT) for each in by_system.values()) >= MIN_COPIES
        for row in _copies_in(name, by_system, most, corpus, twins)
    ]
    copies.sort(key=lambda row: (-row.copies - row.near, row.name, row.system))
    shifts = []
    for file, run in runs:
        if run is not None:
            offset, start, stop = run
            names, is_to_end = corpus.names, stop >= len(corpus.segments) - 1
            shifts.append(
                Shift(
                    name=file,
                    reference=files[0],
                    offset=offset,
                    first=names[start],
                    last=names[stop - 1],
                    is_to_end=is_to_end,
                )
            )
    of_reference = first.n_simplified, first.n_traditional
    mixed = None
    # Traditional text has more than half of these characters.
    if lang == "zh" and any(
        simplified < traditional for simplified, traditional in (of_reference, *characters.values())
    ):
        mixed = find_mixed_scripts(files[0], of_reference, characters)
    return References(tuple(copies), tuple(twins), tuple(shifts), () if mixed is None else (mixed,))


def _copies_in(
    reference: str,
    agreements: Mapping[str, Agreement],
    allowed: EditLimits,
    corpus: Corpus,
    twins: Sequence[Twins],
) -> list[ReferenceCopies]:
    """Return a row for each system whose agreement with a reference is above chance."""
    groups = group_twins([*corpus.systems], twins) if twins else [[name] for name in corpus.systems]
    relatives = None
    if len(groups) > 1:
        relatives = find_relatives(corpus.systems, groups, allowed.edits >= 0)
    n_long = int((allowed.edits >= 0).sum())
    named = {
        each.system: each.p for each in find_copied_systems(agreements, n_long, groups, relatives)
    }
    others = [each for system, each in agreements.items() if system not in named]
    names, rows = corpus.names if named else [], []
    for system, p in named.items():
        found = agreements[system]
        places = np.flatnonzero(found.either).tolist()
        n_copies = int(found.equal.sum())
        rows.append(
            ReferenceCopies(
                name=reference,
                system=system,
                copies=n_copies,
                near=len(places) - n_copies,
                segments=tuple(names[place] for place in places),
                others=max((int(each.equal.sum()) for each in others), default=0),
                p=p,
                places=tuple(places),
                others_in_all=max((int(each.either.sum()) for each in others), default=None),
            )
        )
    return rows


KINDS: dict[str, FindingKind] = {
    check.name: check
    for check in (
        FindingKind(
            name="reference-copy",
            meaning="a reference is a copy or a close edit of the output",
            chinese=("参考译文照抄", "参考译文与该译文相同或只略有改动"),
        ),
        FindingKind(
            name="twin",
            meaning="a system is equal to a reference or another system in almost all segments",
            chinese=("几乎相同", "系统与参考译文或另一系统几乎在所有句段都相同"),
        ),
        FindingKind(
            name="shifted",
            meaning="lines fit the references of other lines",
            chinese=("行错位", "各行与其他行的参考译文相符"),
        ),
        FindingKind(
            name="other-script",
            meaning="the Chinese script is not that of the reference",
            chinese=("字形不同", "简繁体与参考译文不同"),
        ),
    )
}


def _findings(subject: Subject) -> Iterator[Finding]:
    """Yield the problems of references as findings about systems, or for copies about outputs."""
    corpus, noticed = subject.corpus, subject.reference_problems
    if noticed is None:
        noticed = check_references(corpus, subject.lang)
    for row in noticed.copies:
        for place in row.places:
            yield Finding(row.system, place, "references", "reference-copy", note=row.name)
    for pair in noticed.twins:
        for name, other in (pair.names, pair.names[::-1]):
            if name in corpus.systems:
                yield Finding(name, None, "references", "twin", note=other)
    systems = {corpus.file_of(name): name for name in corpus.systems}
    for shift in noticed.shifts:
        name = systems.get(shift.name, shift.name)
        yield Finding(name, None, "references", "shifted", note=f"{shift.first}-{shift.last}")
    for mixed in noticed.scripts:
        for name in mixed.systems:
            yield Finding(name, None, "references", "other-script", note=mixed.other_script)


PRODUCER = Producer(
    name="references", title="References", kinds=KINDS, find=_findings, is_fault=False
)


# ---- lines ----


def reference_lines(
    references: References, n_segments: int, scores: Mapping[str, Score] | None = None
) -> Iterator[str]:
    """Yield a line about each reference with copies, about twins and about mixed scripts.

    `scores` are the systems' scores by the first metric, or None. Shifted lines are warnings
    (`shift_warnings`), not lines.
    """
    same = {pair.names for pair in references.twins if pair.kind == "reference-and-system"}
    for pair in references.twins:
        yield twins_line(pair)
    rows = [row for row in references.copies if (row.name, row.system) not in same]
    for name, of_reference in groupby(sorted(rows, key=_by_name), key=_by_name):
        yield copies_line(name, [*of_reference], n_segments, scores, references.copied_places)
    for mixed in references.scripts:
        yield scripts_line(mixed)


def _by_name(row: ReferenceCopies) -> str:
    return row.name


def copies_line(
    name: str,
    rows: Sequence[ReferenceCopies],
    n_segments: int,
    scores: Mapping[str, Score] | None,
    dropped: Sequence[int] | np.ndarray,
) -> str:
    """Return the line about a reference: number of copies, and score changes without them."""
    number = len({place for row in rows for place in row.places})
    kind = "copies of outputs"
    if any(row.near for row in rows):
        # One line has room for two names: here they say whose outputs are meant.
        has_copies = any(row.copies for row in rows)
        kind = "copies or close edits" if has_copies else "close edits of outputs"
    left = np.setdiff1d(np.arange(n_segments), np.asarray(dropped, np.int64))
    owners = [f"{row.system} {row.copies + row.near}" for row in rows[:MAX_SYSTEMS_NAMED]]
    for place, row in enumerate(rows[:MAX_SYSTEMS_NAMED]):
        score = (scores or {}).get(row.system)
        gain = math.nan if score is None else score.of_segments(left) - score.score
        if score is not None and not math.isnan(gain):
            change = cells.difference(gain, score.digits)
            owners[place] += f" (score {change} without them)" if place == 0 else f" ({change})"
    if (n_more := len(rows) - MAX_SYSTEMS_NAMED) > 0:
        owners.append(f"{n_more} more")
    listed = ", ".join(owners)
    return f"{name}: {number} of {n_segments} segments are {kind}: {listed}"


def streamed_lines(streamed: StreamedReferences) -> Iterator[str]:
    """Yield the lines about references of segments that were read batch by batch."""
    for row in streamed.copies():
        yield copies_line(row.name, [row], streamed.n_segments, None, row.places)


def dropped_lines(references: References, n_segments: int) -> Iterator[str]:
    """Yield a line about each reference whose copies are dropped, or a line that there are none."""
    if not references.copies:
        yield "no segment is dropped: no reference has copies of a system's outputs"
    for name, rows in groupby(sorted(references.copies, key=_by_name), key=_by_name):
        yield f"{copies_line(name, [*rows], n_segments, None, ())}; dropped for all systems"


_COPIES = [
    Column("reference", NAME, attrgetter("name"), "reference"),
    Column("system", NAME, attrgetter("system"), "system"),
    *named(COUNT, "copies", "near", "others"),
    Column("p", P_VALUE, lambda row: P(row.p), "p"),
    Column("segments", TEXT, lambda row: ",".join(map(str, row.segments)), "segments"),
]


def copies_table(copies: Sequence[ReferenceCopies]) -> Table:
    """Return the table of copies, with a row for each reference and system."""
    table = Table(name="reference_copies", columns=_COPIES, rows=copies)
    return table if copies else table.for_programs()


MIN_CHARACTERS = 20
MIN_SCRIPT_SHARE = 0.9
# The share is lower than above, because some Simplified characters, such as 后 and 里, are also
# Traditional ones.
MIN_TRADITIONAL_SHARE = 0.6


class MixedScripts(NamedTuple):
    """Systems whose Chinese script is not that of the reference: "Simplified" or "Traditional"."""

    reference: str
    script: str
    systems: tuple[str, ...]
    other_script: str


_SCRIPTS = [
    Column("", NAME, attrgetter("reference"), "reference"),
    Column("", TEXT, attrgetter("script"), "script"),
    Column("", NAME, lambda row: ", ".join(row.systems), "systems"),
    Column("", TEXT, attrgetter("other_script"), "other_script"),
]


def script_of(n_simplified: int, n_traditional: int) -> str | None:
    """Return the Chinese script of texts, or None if they have both, or too little of either.

    >>> script_of(95, 2), script_of(50, 50), script_of(10, 90)
    ('Simplified', None, 'Traditional')
    """
    total = n_simplified + n_traditional
    if total < MIN_CHARACTERS:
        return None
    if n_simplified >= MIN_SCRIPT_SHARE * total:
        return "Simplified"
    return "Traditional" if n_traditional >= MIN_TRADITIONAL_SHARE * total else None


def find_mixed_scripts(
    reference: str, characters: tuple[int, int], systems: Mapping[str, tuple[int, int]]
) -> MixedScripts | None:
    """Return the systems that are in the other script than the reference, if there are any.

    Pairs of numbers count the characters that only Simplified, and only Traditional text has.
    """
    script = script_of(*characters)
    scripts = {name: script_of(*numbers) for name, numbers in systems.items()}
    others = tuple(name for name, own in scripts.items() if script and own and own != script)
    if not others or script is None:
        return None
    other = "Simplified" if script == "Traditional" else "Traditional"
    return MixedScripts(reference, script, others, other)


def scripts_line(mixed: MixedScripts) -> str:
    """Return the line about systems in the other Chinese script."""
    systems = list_names(mixed.systems)
    are = "is" if len(mixed.systems) == 1 else "are"
    return (
        f"{systems} {are} in {mixed.other_script} characters, {mixed.reference} in {mixed.script}:"
        " TESLA-CELAB and TESLA-M convert them, BLEU, chrF and TER do not and score them as"
        " different; convert one side first"
    )
