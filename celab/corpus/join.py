"""Parts → a corpus, each list with one text a segment.

Parts with ids are joined by document and id, never by position. The segments are those of the
references together, in the order of the source if there is one, else of their files, and each
must have text in one reference at least; a system, or a source that was asked for, must have
exactly these. `skip_missing` takes what is common and counts the rest.

Parts without ids are joined by line number and must agree in length, whatever may be skipped: a
lost line would shift all that follow. Where such a part meets others that have ids it takes
theirs, by position: line n is the nth segment of the references, or of the first system if no
reference has ids, and the numbers of lines and segments must agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from celab.corpus.model import Corpus, Key, Kind, LineNumbers, Part, Segment, counted, named
from celab.errors import InputError
from celab.tokens import is_blank


def join(
    parts: Sequence[Part], *, skip_missing: bool = False, strict_source: bool = True
) -> Corpus:
    """The corpus of parts that all have ids or all have none.

    There is at least one reference and one system, and one source at most.
    """
    parts = _distinct(parts)
    if all(part.keys is None for part in parts):
        return _by_line(parts, skip_missing)
    return _by_id(parts, skip_missing, strict_source)


def _of(parts: Iterable[Part], kind: Kind) -> list[Part]:
    return [part for part in parts if part.kind == kind]


def _distinct(parts: Sequence[Part]) -> list[Part]:
    """The parts, with their files in those names that several files have."""
    places: dict[tuple[Kind, str], set[str]] = {}
    for part in parts:
        places.setdefault((part.kind, part.name), set()).add(part.where)
    distinct = [
        replace(part, name=f"{part.name} ({part.where})")
        if len(places[part.kind, part.name]) > 1 else part
        for part in parts
    ]  # fmt: skip
    seen = set[str]()
    for part in _of(distinct, "system"):
        if part.name in seen:
            raise InputError(f"system {part.name} is given twice; each must be given once")
        seen.add(part.name)
    return distinct


def _by_line(parts: Sequence[Part], skip_missing: bool) -> Corpus:
    refs = _of(parts, "reference")
    every = [*_of(parts, "system"), *refs, *_of(parts, "source")]
    counts = [len(part.texts) for part in every]
    if len(set(counts)) > 1:
        seen = [f"{every[0].label} has {every[0].size}"]
        seen += [f"{part.label} has {n}" for part, n in zip(every[1:], counts[1:], strict=True)]
        raise InputError(f"{', '.join(seen)}; they must agree")
    rows = enumerate(zip(*(ref.texts for ref in refs), strict=True))
    blank = [row for row, texts in rows if all(map(is_blank, texts))]
    if blank and not skip_missing:
        raise InputError(
            f"{refs[0].unit} {blank[0] + 1} is blank in {' and '.join(r.label for r in refs)}; "
            "at least one reference must have text there"
        )
    segments: Sequence[Segment] = LineNumbers(range(1, counts[0] + 1))
    if blank:
        kept = sorted(set(range(counts[0])).difference(blank))
        _check_common(kept)
        segments = [segments[row] for row in kept]
        parts = [replace(part, texts=[part.texts[row] for row in kept]) for part in parts]
    return Corpus(
        segments,
        {part.name: part.texts for part in _of(parts, "system")},
        [part.texts for part in _of(parts, "reference")],
        [part.name for part in refs],
        next((part.texts for part in _of(parts, "source")), None),
        len(blank),
    )


def with_ids(parts: Sequence[Part]) -> list[Part]:
    """The parts, with ids by position for those that have none, unless none has any."""
    if all(part.keys is None for part in parts):
        return list(parts)
    with_keys = [part for part in parts if part.keys is not None]
    systems = _of(with_keys, "system")
    models = _of(with_keys, "reference") or systems[:1] or with_keys
    order = _order(models, parts)
    for part in parts:
        if part.keys is None and len(part.texts) != len(order):
            others = " and ".join(model.label for model in models)
            raise InputError(
                f"{part.label} has {part.size}, {others} {counted(len(order))}; "
                f"{part.unit}s have no ids to be joined by, so they must agree"
            )
    return [
        part if part.keys is not None else replace(part, keys=order, order=order) for part in parts
    ]


def _order(models: Sequence[Part], parts: Sequence[Part]) -> list[Key]:
    """The segments of the models together."""
    theirs = {key for part in models for key in part.keys or ()}
    ordered = [key for part in (*_of(parts, "source"), *models) for key in part.order]
    return [key for key in dict.fromkeys(ordered) if key in theirs]


def _by_id(parts: Sequence[Part], skip_missing: bool, strict_source: bool) -> Corpus:
    tables = [(part, dict(zip(part.keys or (), part.texts, strict=True))) for part in parts]
    refs = [table for part, table in tables if part.kind == "reference"]
    segments = dict.fromkeys(_order(_of(parts, "reference"), parts))
    needed = [
        (part, table)
        for part, table in tables
        if part.kind == "system" or (part.kind == "source" and strict_source)
    ]
    left_out: dict[Key, None] = {}
    for part, table in needed:
        missing = [key for key in segments if key not in table]
        extra = [key for key in table if key not in segments]
        if (missing or extra) and not skip_missing:
            raise _unequal(part, missing, extra)
        left_out |= dict.fromkeys((*missing, *extra))
    without_text = [key for key in segments if all(is_blank(table.get(key, "")) for table in refs)]
    if without_text and not skip_missing:
        raise InputError(
            f"{counted(len(without_text))} without text in every reference "
            f"({named(without_text)}); at least one reference must have text there, "
            "or give --skip-missing to leave them out"
        )
    left_out |= dict.fromkeys(without_text)
    kept = [key for key in segments if key not in left_out]
    _check_common(kept)
    domains: dict[str, str] = {}
    for part in reversed(parts):
        domains |= {document: domain for document, domain in part.domains.items() if domain}
    return Corpus(
        [Segment(*key, domains.get(key[0], "")) for key in kept],
        {part.name: _texts(table, kept) for part, table in tables if part.kind == "system"},
        [_texts(table, kept) for table in refs],
        [part.name for part in _of(parts, "reference")],
        next((_texts(table, kept) for part, table in tables if part.kind == "source"), None),
        len(left_out),
    )


def _texts(table: Mapping[Key, str], keys: Sequence[Key]) -> list[str]:
    return [table.get(key, "") for key in keys]


def _check_common(kept: Sequence[object]) -> None:
    if not kept:
        raise InputError(
            "no segment is in all systems and has text in a reference; at least one must be"
        )


def _unequal(part: Part, missing: Sequence[Key], extra: Sequence[Key]) -> InputError:
    wrong = []
    if missing:
        wrong.append(f"lacks {counted(len(missing))} of the references ({named(missing)})")
    if extra:
        wrong.append(f"has {counted(len(extra))} that no reference has ({named(extra)})")
    return InputError(
        f"{part.label} {' and '.join(wrong)}; they must have the same segments, "
        "or give --skip-missing to score what is common"
    )
