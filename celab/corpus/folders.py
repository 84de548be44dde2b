"""Folders of documents: references and outputs with one file for each document.

    talks-ref/talk1.srt     A/talk1.srt     B/talk1.srt
    talks-ref/talk2.srt     A/talk2.srt     B/talk2.srt

Where a folder of references and folders of outputs have the same file names, files are documents,
which are named after them, and a folder is one reference, one system or the source. All other
folders stand for their files, each of which is a reference or a system.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TypeVar

from celab.base import io
from celab.base.errors import InputError
from celab.corpus.join import add_ids, blank_numbers, check_counts
from celab.corpus.model import FilePart, Role, Segment

Value = TypeVar("Value")


def are_documents(refs: Sequence[str], systems: Sequence[str], *, align: bool) -> bool:
    """Return whether folders have the same file names, so that files may be documents.

    Without `align`, a system may lack some of the references' names, which is an error later, but
    has no others: a folder of systems may have references among them. With it, two common names
    are enough, because nothing else could be meant.
    """
    if not refs or not systems or not all(map(os.path.isdir, refs)):
        return False
    names = [document_names(path) for path in refs]
    others = [document_names(path) for path in systems if os.path.isdir(path)]
    if align:
        return any(len(names[0] & own) > 1 for own in others)
    have_names = [len(own) > 1 and own <= names[0] for own in others]
    return all(own == names[0] for own in names) and sum(have_names) == len(systems)


def inner_folders(path: str) -> list[str]:
    """Return the folders in a folder that has nothing else, in natural order; else the path itself.

    So a folder of systems, each with a file for each document, stands for these systems.
    """
    if not os.path.isdir(path):
        return [path]
    entries = [entry for entry in os.scandir(path) if not entry.name.startswith(".")]
    if not entries or not all(entry.is_dir() for entry in entries):
        return [path]
    return [entry.path for entry in sorted(entries, key=lambda entry: io.natural_order(entry.name))]


def folders_of_files(
    refs: Sequence[str], systems: Sequence[str]
) -> tuple[list[str], list[str]] | None:
    """Return the folders of the given files if these seem to be documents; else None.

    All folders of references and of systems have the same file names, two or more.
    """
    names: dict[str, list[str]] = {}
    sides: list[list[str]] = []
    for paths in (refs, systems):
        for path in paths:
            names.setdefault(os.path.dirname(path), []).append(document_name(path))
        sides.append([*dict.fromkeys(map(os.path.dirname, paths))])
    first, *others = map(sorted, names.values()) if names else [[]]
    is_apart = set(sides[0]).isdisjoint(sides[1]) and all(sides)
    is_alike = len(set(first)) == len(first) > 1 and all(other == first for other in others)
    if not (is_apart and is_alike and all(names)):
        return None
    return sides[0], sides[1]


def document_names(folder: str) -> set[str]:
    """Return the names of the documents of a folder."""
    return set(map(document_name, io.expand(folder)))


def document_name(path: str) -> str:
    """Return the name of the document in a file: that of the file, without its suffix.

    >>> document_name("talks/talk.1.srt"), document_name("talks/a.TXT.gz")
    ('talk.1', 'a')
    """
    name = io.readable(os.path.basename(path))
    suffix = io.suffix_of(name)
    return name[: name.lower().rindex(suffix)] if suffix else name


def read_documents(
    folders: Sequence[tuple[str, Role]],
    read: Callable[[Sequence[str], Role], list[FilePart]],
) -> list[FilePart]:
    """Return the parts of folders, each with the segments of all its documents.

    `read` returns the parts of files in a role.
    """
    documents: dict[str, list[tuple[int, FilePart]]] = {}
    for number, (folder, role) in enumerate(folders):
        seen: dict[str, str] = {}
        for path in io.expand(folder):
            parts, name = read([path], role), document_name(path)
            if seen.setdefault(name, path) != path:
                raise InputError(
                    f"{path} and {seen[name]} have the same name, by which documents are known",
                    hint="keep one of them",
                )
            if sum(part.role == role for part in parts) != 1:
                raise InputError(
                    f"{path} has more than one {role}; in a folder with a file for each document it"
                    " must have one"
                )
            documents.setdefault(name, []).extend((number, part) for part in parts)
    if with_language := [part for _, part in chain(*documents.values()) if part.lang]:
        from celab.corpus.formats.units import check_languages

        check_languages(with_language)
    sides: dict[tuple[int, Role], list[FilePart]] = {}
    for name, numbered in documents.items():
        parts = _with_keys([part for _, part in numbered])
        is_whole = len({key.document for part in parts for key in part.keys or ()}) == 1
        for (number, _), part in zip(numbered, parts, strict=True):
            sides.setdefault((number, part.role), []).append(_in_document(part, name, is_whole))
    return [
        _joined(io.display_name(folders[number][0].rstrip(os.sep)), parts)
        for (number, _), parts in sides.items()
    ]


def _with_keys(parts: Sequence[FilePart]) -> list[FilePart]:
    """Return the parts of a document; parts without ids get ids by position."""
    if any(part.columns for part in parts):
        from celab.corpus.formats.ids import join_by_fields

        parts, _ = join_by_fields(parts)
    if any(part.keys is not None for part in parts):
        return add_ids(parts)
    sides = sorted(parts, key=lambda part: part.role != "system")
    counts = [(part.label, len(part.texts)) for part in sides]
    n_systems = sum(part.role == "system" for part in parts)
    check_counts(
        counts,
        sides[0].unit,
        n_systems=n_systems,
        find_blank=lambda: [blank_numbers(part.texts) for part in sides],
    )
    keys = [Segment("", str(number)) for number in range(1, counts[0][1] + 1)]
    return [replace(part, keys=keys, order=keys) for part in parts]


def _in_document(part: FilePart, name: str, is_whole: bool) -> FilePart:
    """Return a part whose segments are those of a document, or of documents within it."""

    def in_document(key: Segment) -> Segment:
        return key._replace(document=name if is_whole else f"{name}/{key.document}")

    def with_keys(values: Mapping[Segment, Value]) -> dict[Segment, Value]:
        return {in_document(key): value for key, value in values.items()}

    return replace(
        part,
        keys=[in_document(key) for key in part.keys or ()],
        order=[in_document(key) for key in part.order],
        targets=with_keys(part.targets),
        max_lengths=with_keys(part.max_lengths),
        times=with_keys(part.times),
    )


def _joined(name: str, parts: Sequence[FilePart]) -> FilePart:
    """Return one part of the documents of a folder."""
    codes = [part.codes or [()] * len(part.texts) for part in parts]
    return replace(
        parts[0],
        name=name,
        where=name,
        texts=list(chain.from_iterable(part.texts for part in parts)),
        keys=list(chain.from_iterable(part.keys or () for part in parts)),
        columns={},  # they have done their work: the files of each document are joined
        order=list(chain.from_iterable(part.order for part in parts)),
        codes=list(chain.from_iterable(codes)) if any(part.codes for part in parts) else (),
        had_codes=any(part.had_codes for part in parts),
        is_bilingual=all(part.is_bilingual for part in parts),
        is_ordered=all(part.is_ordered for part in parts),
        targets=_union(part.targets for part in parts),
        max_lengths=_union(part.max_lengths for part in parts),
        times=_union(part.times for part in parts),
        n_left_out=sum((Counter(part.n_left_out) for part in parts), Counter[str]()),
    )


def _union(tables: Iterable[Mapping[Segment, Value]]) -> dict[Segment, Value]:
    return {key: value for table in tables for key, value in table.items()}
