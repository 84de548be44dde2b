"""Parts → a corpus, each list with one text per segment.

Parts with ids are joined by document and id, never by position. The segments are those of the
references together, in the order of the source if there is one, else of their files, and each
must have text in at least one reference; a system, or a source that was asked for, must have
exactly these. `missing="skip"` takes what is common and counts the rest, and with
`missing="empty"`, segments that a system lacks are outputs without text.

Parts without ids are joined by line number and must have the same length, even with
`missing`: a lost line would shift all that follow. If other parts have ids, such a part gets
theirs, by position: line n is the nth segment of the references, or of the first system if no
reference has ids, and the numbers of lines and segments must agree.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple

from celab.base import io
from celab.base.errors import InputError, MismatchError, OptionError, Setting, Text
from celab.base.options import is_digits
from celab.base.text.tokens import is_blank
from celab.corpus.model import (
    MAX_LISTED,
    Corpus,
    FilePart,
    InlineCodes,
    Role,
    Segment,
    SegmentName,
    list_names,
    list_segments,
    names_of,
    set_once,
)
from celab.tables.cells import quantity

# Beginnings of the names of what joins transcripts of speech.
SPEECH_KEYS = ("id of utterance", "time")
# Lines are not segments if the numbers of lines of two texts differ by more than this share.
_MAX_LINE_DIFFERENCE = 0.2


def join(
    parts: Sequence[FilePart],
    *,
    missing: str | None,
    blank_refs: bool = False,
    strict_source: bool,
    names: Sequence[str] | None = None,
    documents: tuple[str, Sequence[tuple[str, str]]] | None = None,
    joined_by: str = "",
) -> Corpus:
    """Return the corpus of parts that all have ids or all have none.

    There is at least one system, and at most one source. Without a reference, the segments are
    those of the systems. With `blank_refs`, a segment may lack text in all references. `names`
    renames the systems; `documents` is a file, and the document and domain of each segment in it.
    `joined_by` names the fields that are ids although nobody says so.
    """
    if len({(part.role, part.name) for part in parts}) < len(parts):
        parts = _distinguish(parts)
    refs, systems = _of(parts, "reference"), _of(parts, "system")
    left_out: dict[Segment, None] = {}
    if by_line := all(part.keys is None for part in parts):
        sides = [*systems, *refs, *_of(parts, "source")]
        why = (
            f"; {sides[0].unit}s have no ids, so none can be skipped" if missing is not None else ""
        )
        n_segments, *others = {len(part.texts) for part in sides}
        if others:
            counts = [(part.label, len(part.texts)) for part in sides]
            check_counts(
                counts,
                sides[0].unit,
                why,
                n_systems=len(systems),
                find_blank=lambda: [blank_numbers(part.texts) for part in sides],
            )
        keys = [Segment("", str(number)) for number in range(1, n_segments + 1)]
    else:
        _check_targets(parts)
        _check_times([*refs, *systems, *_of(parts, "source")])
        keys = _order(refs or systems, parts)
        # A source that came with another file may lack segments; one that the user named may not.
        strict = [*_of(parts, "source"), *systems] if strict_source else systems
        left_out = _unmatched(strict, keys, missing, joined_by)
        parts = _in_order(parts, keys)
    segments = {} if documents is None else _assign_documents(keys, *documents)
    blank = [] if blank_refs else blank_rows([part.texts for part in _of(parts, "reference")])
    if blank and missing != "skip":
        if by_line:
            raise blank_line_error(f"{refs[0].unit} {blank[0] + 1}", [ref.label for ref in refs])
        raise InputError(
            f"{quantity(len(blank))} without text in every reference"
            f" ({list_segments([keys[row] for row in blank])})",
            hint=("use ", Setting("skip_missing", True), " to ignore them"),
        )
    lacking = [_lacking(part, keys, {*blank}) for part in systems]
    left_out |= dict.fromkeys(keys[row] for row in blank)
    numbers: list[int] = []
    if left_out:
        kept = [row for row, key in enumerate(keys) if key not in left_out]
        keys, numbers = [keys[row] for row in kept], [row + 1 for row in kept]
        parts = [
            replace(
                part,
                texts=[part.texts[row] for row in kept],
                codes=[part.codes[row] for row in kept] if part.codes else (),
            )
            for part in parts
        ]
    if not keys:
        raise InputError(
            "no segment has text in every system and in a reference; at least one must have it"
        )
    if names is not None:
        check_names(names, [part.title or part.name for part in systems])
    system_names = names or [part.title or part.name for part in systems]
    texts = [part.texts for part in _of(parts, "system")]
    codes = InlineCodes()
    if any(part.codes or part.had_codes or part.max_lengths for part in parts):
        codes = _inline_codes(parts, keys, system_names)
    return Corpus(
        segments=[segments.get(key, key) for key in keys],
        systems=dict(zip(system_names, texts, strict=True)),
        refs=[part.texts for part in _of(parts, "reference")],
        ref_names=[part.title or part.name for part in refs],
        source=next((part.texts for part in _of(parts, "source")), None),
        n_left_out=len(left_out),
        by_line=by_line,
        system_files={name: part.name for name, part in zip(system_names, systems, strict=True)},
        ref_files=[part.name for part in refs],
        numbers=numbers,
        codes=codes,
        n_untranslated={
            part.name: part.n_left_out for part in (*refs, *systems) if part.n_left_out
        },
        joined_by=joined_by,
        missing=dict(zip(system_names, lacking, strict=True)),
    )


def _check_times(parts: Sequence[FilePart]) -> None:
    """Raise `InputError` if cues of one id have other times than in the first file of subtitles.

    A counter says which cue of a file it is, not which part of the film.
    """
    first, *others = [part for part in parts if part.times] or parts[:1]
    for part in others:
        pairs = [(first.times[key], span) for key, span in part.times.items() if key in first.times]
        n_apart = sum(a != b and max(a[0], b[0]) >= min(a[1], b[1]) for a, b in pairs)
        # Retimed subtitles are a little earlier or later. Only files in which most cues of the same
        # id do not even overlap are of different cues.
        if 2 * n_apart <= len(pairs):
            continue
        hint: Text = "give a file with the same cues"
        if can_align := part.role == "system":
            hint = ("align them by text and times: ", Setting("align", True))
        raise MismatchError(
            f"the times of {part.label} and {first.label} differ: of {quantity(len(pairs), 'cue')}"
            f" with the same counter or identifier, {n_apart} do not overlap",
            hint=hint,
            can_align=can_align,
        )


def _in_order(parts: Sequence[FilePart], keys: Sequence[Segment]) -> list[FilePart]:
    """Return the parts with a text for each of the segments, "" where they have none."""
    ordered = []
    for part in parts:
        texts = dict(zip(part.keys or (), part.texts, strict=True))
        codes = dict(zip(part.keys or (), part.codes, strict=True)) if part.codes else {}
        own = [texts.get(key, "") for key in keys]
        own_codes = [codes.get(key, ()) for key in keys] if codes else []
        ordered.append(replace(part, texts=own, codes=own_codes))
    return ordered


def _inline_codes(
    parts: Sequence[FilePart], keys: Sequence[Segment], system_names: Sequence[str]
) -> InlineCodes:
    """Return the codes and greatest lengths of the segments, from parts in their order."""
    systems, source = _of(parts, "system"), _of(parts, "source")
    limits = {key: n for part in reversed(parts) for key, n in part.max_lengths.items()}
    return InlineCodes(
        source[0].codes if source else (),
        {name: part.codes for name, part in zip(system_names, systems, strict=True) if part.codes},
        any(part.had_codes for part in (*systems, *_of(parts, "reference"))),
        {row: limits[key] for row, key in enumerate(keys) if key in limits},
    )


def check_sources(sources: Sequence[FilePart]) -> None:
    """Raise `InputError` if bilingual files have different sources under one id."""
    bilingual = [part for part in sources if part.is_bilingual]
    kept: dict[Segment, tuple[str, str]] = {}
    for part in bilingual if len(bilingual) > 1 else ():
        for key, text in zip(part.keys or (), part.texts, strict=True):
            own = " ".join(text.split()), part.where
            if kept.setdefault(key, own)[0] != own[0]:
                raise InputError(
                    f"{part.where}: the source of {list_segments([key])} is not that of"
                    f" {kept[key][1]}",
                    hint="both must be translations of one text",
                )


class OrderedReferences(NamedTuple):
    """References, with a text for each segment."""

    keys: list[Segment] | None  # None if segments are lines
    documents: list[str]  # document of each segment, "" without one
    texts: list[list[str]]
    times: list[list[tuple[int, int] | None]]  # times of cues, None for other texts
    source: list[str] | None = None  # None if it has other segments


def order_references(
    parts: Sequence[FilePart], documents: tuple[str, Sequence[tuple[str, str]]] | None
) -> OrderedReferences:
    """Return the references in the order of the corpus; `documents` as for `join`."""
    refs = _of(parts, "reference")
    if all(part.keys is None for part in refs):
        check_counts(
            [(part.label, len(part.texts)) for part in refs],
            refs[0].unit,
            find_blank=lambda: [blank_numbers(part.texts) for part in refs],
        )
        keys = [Segment("", str(number)) for number in range(1, len(refs[0].texts) + 1)]
        texts = [ref.texts for ref in refs]
    else:
        keys = _order(refs, parts)
        tables = [dict(zip(ref.keys or (), ref.texts, strict=True)) for ref in refs]
        texts = [[table.get(key, "") for key in keys] for table in tables]
    segments = keys if documents is None else _assign_documents(keys, *documents).values()
    names = [segment.document for segment in segments]
    times = [[ref.times.get(key) for key in keys] for ref in refs]
    source = next((_source_texts(part, keys) for part in _of(parts, "source")), None)
    has_keys = refs[0].keys is not None
    return OrderedReferences(keys if has_keys else None, names, texts, times, source)


def _source_texts(part: FilePart, keys: Sequence[Segment]) -> list[str] | None:
    if part.keys is None:
        return part.texts if len(part.texts) == len(keys) else None
    table = dict(zip(part.keys, part.texts, strict=True))
    return [table.get(key, "") for key in keys]


def add_titles(parts: Sequence[FilePart]) -> list[FilePart]:
    """Return the parts, with short titles for those named after their files.

    The title of an only system in the file of the references is the column that the caller chose.
    """
    titles: dict[tuple[Role, str], str] = {}
    for role in {part.role for part in parts}:
        names = list(dict.fromkeys(part.name for part in _of(parts, role)))
        paths = [part.name for part in _of(parts, role) if part.name == part.where]
        short = dict(zip(paths, short_names(paths), strict=True))
        if len({short.get(name, name) for name in names}) == len(names):
            titles |= {(role, path): title for path, title in short.items()}
    systems = _of(parts, "system")
    with_references = {part.where for part in _of(parts, "reference")}
    if len(systems) == 1 and systems[0].column and systems[0].where in with_references:
        # The name of a file that has the reference, too, says nothing of the system.
        titles["system", systems[0].name] = systems[0].column
    return [replace(part, title=titles.get((part.role, part.name), "")) for part in parts]


def _assign_documents(
    keys: Sequence[Segment], name: str, labels: Sequence[tuple[str, str]]
) -> dict[Segment, Segment]:
    """Return each segment with its document and domain, which a file of this name has."""
    if any(key.document for key in keys):
        raise InputError(f"{name} is given, but the texts already have documents; leave it out")
    if len(labels) != len(keys):
        raise InputError(
            f"{name} has {quantity(len(labels), 'document')}, the texts have"
            f" {quantity(len(keys))}; it must have one line for each segment"
        )
    return {
        key: Segment(document, key.id, domain)
        for key, (document, domain) in zip(keys, labels, strict=True)
    }


def add_ids(parts: Sequence[FilePart]) -> list[FilePart]:
    """Return the parts; if some have ids, the others get ids by position."""
    with_keys = [part for part in parts if part.keys is not None]
    models = _of(with_keys, "reference") or _of(with_keys, "system")[:1] or with_keys
    order = _order(models, parts, whole=models[0].role == "system")
    lines = [part for part in parts if part.keys is None]
    if lines and not all(model.is_ordered for model in models):
        raise InputError(
            f"{models[0].label} has unordered ids and {lines[0].label} has none, so they cannot be"
            " matched",
            hint="give the segments of both the same ids",
        )
    for part in parts:
        if part.keys is None and len(part.texts) != len(order):
            counts, is_system = [len(part.texts), len(order)], part.role == "system"
            blank = [blank_numbers(part.texts), []]
            labeled = [(part.label, len(part.texts)), ("", len(order))]
            raise MismatchError(
                f"{part.label} has {quantity(len(part.texts), part.unit)}, "
                f"{' and '.join(model.label for model in models)} {quantity(len(order))}; "
                f"{part.unit}s have no ids, so their numbers must be equal",
                hint=_blank_hint(labeled, part.unit, blank) or _alignment_hint(counts, is_system),
                can_align=is_system,
            )
    if any(part.keys is None for part in parts):
        _check_order(models, order)
    return [
        part if part.keys is not None else replace(part, keys=order, order=order) for part in parts
    ]


def _check_order(models: Sequence[FilePart], order: Sequence[Segment]) -> None:
    """Raise `InputError` if ids count the segments, but come in another order than lines do."""
    numbers = [int(key.id) for key in order if is_digits(key.id)]
    counted = range(min(numbers, default=0), max(numbers, default=0) + 1)
    if len(numbers) != len(order) or any(key.document for key in order):
        return
    if numbers != sorted(numbers) == list(counted):
        place = next(k for k, n in enumerate(numbers) if n != counted[k])
        raise InputError(
            f"{models[0].label} is not in the order of its ids: segment {numbers[place]} is number"
            f" {place + 1}, so the lines of files without ids cannot be joined to it; sort it by id"
        )


def check_counts(
    counts: Sequence[tuple[str, int]],
    unit: str,
    why: str = "",
    *,
    n_systems: int = 0,
    find_blank: Callable[[], Sequence[Sequence[int]]] | None = None,
) -> None:
    """Raise `InputError` unless all have as many lines, or other units, as the first.

    The first `n_systems` are those of systems, which can be aligned if their lines are others.
    `find_blank` returns the numbers of the blank lines of each.
    """
    if len({count for _, count in counts}) > 1:
        (first, n), *others = counts
        counted = " and ".join(f"{name} has {count}" for name, count in others if count != n)
        numbers = [n for _, n in counts]
        hint = _blank_hint(counts, unit, find_blank()) if find_blank else ""
        raise MismatchError(
            f"{first} has {quantity(n, unit)} but {counted}{why}",
            hint=hint or _alignment_hint(numbers, n_systems),
            can_align=n_systems > 0 and len({*numbers[n_systems:]}) == 1,
        )


def _blank_hint(
    counts: Sequence[tuple[str, int]], unit: str, blank: Sequence[Sequence[int]]
) -> str:
    """Return which blank lines to remove so that all have as many as the shortest, or "".

    >>> _blank_hint([("hyp.zh", 61), ("ref.zh", 60)], "line", [[61], []])
    'line 61 of hyp.zh is blank: remove it'
    >>> _blank_hint([("hyp.zh", 62), ("ref.zh", 60)], "line", [[3, 7], []])
    'lines 3 and 7 of hyp.zh are blank: remove them unless they stand for a segment'
    """
    least = min(n for _, n in counts)
    longer = [
        (name, lines)
        for (name, n), lines in zip(counts, blank, strict=True)
        if n > least and len(lines) == n - least
    ]
    if len(longer) < sum(n > least for _, n in counts):
        return ""
    parts = []
    for name, lines in longer:
        more = len(lines) - MAX_LISTED
        numbers = [str(line) for line in lines[:MAX_LISTED]] + (
            [f"{more} more"] if more > 0 else []
        )
        plural = "s" if len(lines) > 1 else ""
        parts.append(f"{unit}{plural} {list_names(numbers)} of {name}")
    is_one = sum(len(lines) for _, lines in longer) == 1
    are, them = ("is", "it") if is_one else ("are", "them")
    is_end = all(lines[0] > least for _, lines in longer)
    condition = (
        f" unless {'it stands' if is_one else 'they stand'} for a segment" if not is_end else ""
    )
    return f"{' and '.join(parts)} {are} blank: remove {them}{condition}"


def blank_numbers(texts: Iterable[str], first: int = 1) -> list[int]:
    """Return the numbers of the texts that are blank."""
    return [number for number, text in enumerate(texts, first) if is_blank(text)]


def _alignment_hint(counts: Sequence[int], n_systems: int) -> Text:
    """Return a hint about --align if one system has far fewer or more lines than the others.

    `counts` begin with those of systems.
    """
    n_lines, *others = dict.fromkeys(counts[n_systems:])
    is_far = any(
        abs(n - n_lines) > _MAX_LINE_DIFFERENCE * max(n, n_lines) for n in counts[:n_systems]
    )
    if others or not is_far:
        return ""
    return (
        "if the system's lines are not the reference's lines, align them: ",
        Setting("align", True),
    )


def blank_rows(refs: Sequence[Sequence[str]]) -> list[int]:
    """Return the rows in which no reference has text."""
    rows = enumerate(zip(*refs, strict=True))
    return [row for row, texts in rows if all(map(is_blank, texts))]


def blank_line_error(line: str, names: Sequence[str]) -> InputError:
    """Return the error about a line that is blank in all references."""
    return InputError(
        f"{line} is blank in {' and '.join(names)}; at least one reference must have text there"
    )


def _of(parts: Iterable[FilePart], role: Role) -> list[FilePart]:
    return [part for part in parts if part.role == role]


def _distinguish(parts: Sequence[FilePart]) -> list[FilePart]:
    """Return the parts, with the file added to names that occur in more than one file."""
    last = {(part.role, part.name): part.where for part in parts}
    ambiguous = {(p.role, p.name) for p in parts if p.where != last[p.role, p.name]}
    distinct = [
        replace(part, name=f"{part.name} ({part.where})")
        if (part.role, part.name) in ambiguous
        else part
        for part in parts
    ]
    names = Counter(part.name for part in _of(distinct, "system"))
    if repeated := [name for name, count in names.items() if count > 1]:
        raise InputError(f"system {repeated[0]} is given twice; each must be given once")
    return distinct


def _check_targets(parts: Sequence[FilePart]) -> None:
    """Raise `InputError` if two logs expect different texts of one sample."""
    kept: dict[Segment, tuple[list[str], str]] = {}
    for where, targets in {part.where: part.targets for part in parts}.items():
        for key, texts in targets.items():
            set_once(kept, key, list(texts), where, f"the target of sample {key.id}")


def _order(
    models: Sequence[FilePart], parts: Sequence[FilePart], *, whole: bool = False
) -> list[Segment]:
    """Return all segments of the models, in the order of the source if there is one.

    With `whole`, these are all segments of their files, which the models may lack.
    """
    known = {key for part in models for key in (part.order if whole else part.keys or ())}
    ordered = [key for part in (*_of(parts, "source"), *models) for key in part.order]
    return [key for key in dict.fromkeys(ordered) if key in known]


def _lacking(part: FilePart, keys: Sequence[Segment], blank: Collection[int]) -> list[SegmentName]:
    """Return the names of the segments with a reference that a part lacks."""
    if part.keys is None:  # lines, none of which can be skipped
        return []
    own = {*part.keys}
    lacking = [row for row, key in enumerate(keys) if key not in own and row not in blank]
    names = names_of(keys) if lacking else ()
    return [names[row] for row in lacking]


def _unmatched(
    parts: Sequence[FilePart], keys: Sequence[Segment], treatment: str | None, joined_by: str
) -> dict[Segment, None]:
    """Return the segments that a part lacks or adds; `InputError` unless they may be skipped.

    With the treatment "empty", a system may lack some, but not all.
    """
    known, unmatched = set(keys), dict[Segment, None]()
    for part in parts:
        own = dict.fromkeys(part.keys or ())
        missing = [key for key in keys if key not in own]
        if treatment == "empty" and part.role == "system" and len(missing) < len(keys):
            missing = []
        extra = [key for key in own if key not in known]
        problems = []
        if missing:
            problems.append(f"is missing {quantity(len(missing))} ({list_segments(missing)})")
        if extra:
            problems.append(
                f"has {quantity(len(extra))} that no reference has ({list_segments(extra)})"
            )
        if missing and part.n_left_out:
            counted = ", ".join(f"{n} {reason}" for reason, n in part.n_left_out.items())
            n_units = quantity(sum(part.n_left_out.values()), "unit")
            problems.append(f"has {n_units} that cannot be scored ({counted})")
        if problems and treatment != "skip":
            by = f", joined by {joined_by}" if joined_by else ""
            hint, can_align = _advice(part, keys, missing, extra)
            if joined_by.startswith(SPEECH_KEYS) and missing and len(missing) < len(keys):
                hint = _speech_hint(extra)
            message = f"{part.label} {' and '.join(problems)}{by}"
            raise MismatchError(message, hint=hint, can_align=can_align)
        unmatched |= dict.fromkeys((*missing, *extra))
    return unmatched


def _advice(
    part: FilePart, keys: Sequence[Segment], missing: Sequence[Segment], extra: Sequence[Segment]
) -> tuple[Text, bool]:
    """Return advice about a part without some of the keys, and whether it can be aligned."""
    can_align = part.role == "system"
    if part.times:  # the nth cue of one file need not be the nth of the other
        return ("if its cues have other times, align them: ", Setting("align", True)), can_align
    if len(missing) == len(keys):
        return "they have no id in common, so they are hardly of one test set", False
    n_other, is_unit = len(missing) + len(extra), part.is_bilingual  # then the ids are its source's
    if can_align and n_other > 1 and not is_unit and _is_other_cut(part.keys or (), keys):
        hint = "if its segments are not the references' segments, align them: "
        rest = "; if only the last of a document are missing, use "
        return (hint, Setting("align", True), rest, Setting("skip_missing", True)), True
    them = "it" if n_other == 1 else "them"
    return ("use ", Setting("skip_missing", True), f" to ignore {them}"), False


def _speech_hint(extra: Collection[Segment]) -> Text:
    """Return the options for utterances that a recognizer did not write."""
    skip: Text = (Setting("missing", "skip"), " to leave them out")
    if extra:
        return ("use ", *skip)
    return ("use ", Setting("missing", "empty"), " to count them as deletions, or ", *skip)


def _is_other_cut(own: Sequence[Segment], keys: Sequence[Segment]) -> bool:
    """Return whether ids only count the segments of each document, so that these may be cut anew.

    >>> one, two = [Segment("d", "1")], [Segment("d", "1"), Segment("d", "2")]
    >>> _is_other_cut(one, two), _is_other_cut([Segment("e", "1")], two)
    (True, False)
    """
    sides: list[dict[str, list[str]]] = [{}, {}]
    for ids, side in zip(sides, (own, keys), strict=True):
        for key in side:
            ids.setdefault(key.document, []).append(key.id)
        for numbers in ids.values():
            first = int(numbers[0]) if is_digits(numbers[0]) else 0
            if numbers != [str(n) for n in range(first, first + len(numbers))]:
                return False
    ours, theirs = sides
    common = ours.keys() & theirs.keys() - {""}
    return any(len(ours[name]) != len(theirs[name]) for name in common)


# Short names of systems and references: `GPT-4`, not `hyp/GPT-4.txt`.

# .txt, .gz, .sgm, .jsonl, and codes of languages such as .zh, .zho and .zh-CN; not .v2 or .large.
_SUFFIXES = re.compile(
    r"(?<=[^/])(?:\.(?:[a-z]{2,3}|sgml|jsonl?|xliff|xlsx)(?:[-_][A-Za-z]{2,4})?)+$"
)


def without_suffixes(name: str) -> str:
    """Return the name of a file without suffixes of texts and languages; GPT-4.5 has none.

    >>> without_suffixes("GPT-4.5.zh"), without_suffixes("A.txt.gz"), without_suffixes("GPT-4.5")
    ('GPT-4.5', 'A', 'GPT-4.5')
    """
    return _SUFFIXES.sub("", name)


def short_names(names: Sequence[str]) -> list[str]:
    """Return the shortest form in which all names are distinct: without folders, suffixes.

    >>> short_names(["hyp/GPT-4.txt", "hyp/Claude-3.5.txt"])
    ['GPT-4', 'Claude-3.5']
    >>> short_names(["out/a/hyp.zh", "out/b/hyp.zh"]), short_names(["hyp.zh", "hyp.de"])
    (['a/hyp', 'b/hyp'], ['hyp.zh', 'hyp.de'])
    """
    paths = [io.readable(name).replace(os.sep, "/") for name in names]
    folders = zip(*(path.split("/")[:-1] for path in paths), strict=False)
    n_common = len(list(takewhile(lambda parts: len(set(parts)) == 1, folders)))

    base = [path.rpartition("/")[2] or path for path in paths]
    below = ["/".join(path.split("/")[n_common:]) for path in paths]
    forms: list[tuple[list[str], Callable[[str], str]]] = [
        (base, without_suffixes),
        (base, str),
        (below, without_suffixes),
        (below, str),
    ]
    for candidates, form in forms:
        short = list(map(form, candidates))
        if len(set(short)) == len(set(names)):
            return short
    return list(names)


def _counted(names: Sequence[str], noun: str) -> str:
    return f"{quantity(len(names), noun)} ({', '.join(names)})"


def check_names(names: Sequence[str], systems: Sequence[str]) -> None:
    """Raise `OptionError` unless there is one distinct name for each system."""
    if len(names) != len(systems):
        raise OptionError(
            f"{_counted(names, 'name')} for {_counted(systems, 'system')}; give one name for each"
            " system"
        )
    if not all(name.strip() for name in names) or len(set(names)) < len(names):
        raise OptionError(f"the names are {', '.join(names)}; they must be distinct and not empty")
