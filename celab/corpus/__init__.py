"""The first step: paths → aligned segments. The only package that opens text files.

    files    paths → text, decompressed and decoded
    formats  text → parts: the source, references and systems in a file
    join     parts → a corpus, joined by document and segment id, or by line

The format of a file is recognised by its content. A file given as a reference gives the references
in it, a file given as a system the systems; if no file is given as a system, every file gives all
that it holds, so one WMT XML file is a whole corpus. The source is read along wherever it stands
beside them; only one that is asked for must fit the references exactly.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from celab.corpus import formats
from celab.corpus.files import name_of, read_lines, text_of
from celab.corpus.formats import FORMATS
from celab.corpus.join import join, with_ids
from celab.corpus.model import Corpus, Fields, FilePart, Kind, Segment, TextFile
from celab.errors import InputError, OptionError
from celab.files import AnyPath
from celab.options import LIMITS, Limits

__all__ = ["FORMATS", "Corpus", "Fields", "Limits", "Segment", "name_of", "read", "read_lines"]


def read(
    refs: AnyPath | Sequence[AnyPath],
    systems: AnyPath | Sequence[AnyPath] = (),
    *,
    source: AnyPath | None = None,
    format: str | None = None,
    encoding: str | None = None,
    skip_missing: bool = False,
    fields: Fields = Fields(),  # noqa: B008 (it is frozen)
    only_refs: Sequence[str] | None = None,
    only_systems: Sequence[str] | None = None,
    limits: Limits = LIMITS,
) -> Corpus:
    """Reads all files and sees to it that every segment can be scored.

    `format` (one of `FORMATS`) and `encoding` overrule what the files tell; `fields` says which
    columns of a table, or fields of JSON, hold what. `only_refs` and `only_systems` choose by name.
    `skip_missing` scores the segments that all systems and a reference have; `n_left_out` says
    how many were not. `limits` says how long a line and a file may be.
    """
    ref_paths, system_paths = _paths(refs), _paths(systems)
    source_paths = _paths(() if source is None else source)
    paths = [*system_paths, *ref_paths, *source_paths]
    if not paths:
        raise InputError("no files are given; there must be a reference and a system")
    if (n_stdin := paths.count("-")) > 1:
        raise InputError(
            f"standard input (-) is given {n_stdin} times; it can be read only once, "
            "so all but one of them must be files"
        )
    roles: list[tuple[list[str], Kind | None]] = [
        (ref_paths, "reference" if system_paths else None),
        (system_paths, "system"),
        (source_paths, "source"),
    ]
    parts: list[FilePart] = []
    for some, role in roles:
        for path in some:
            file = TextFile(path, name_of(path), text_of(path, encoding, limits), role, fields)
            parts += formats.read(file, format)
    sources = [part for part in parts if part.kind == "source"]
    sources = sources[-1:] if source_paths else sources[:1]
    # Before any are chosen: the nth line is the nth segment whichever reference is to count.
    parts = with_ids([*sources, *(part for part in parts if part.kind != "source")])
    chosen = parts[: len(sources)]
    chosen += _chosen(parts, "reference", only_refs, paths)
    chosen += _chosen(parts, "system", only_systems, paths)
    return join(chosen, skip_missing=skip_missing, strict_source=source is not None)


def _paths(given: AnyPath | Sequence[AnyPath]) -> list[str]:
    some = [given] if isinstance(given, str | os.PathLike) else given
    return [os.fspath(path) for path in some]


def _chosen(
    parts: Sequence[FilePart], kind: Kind, names: Sequence[str] | None, paths: Sequence[str]
) -> list[FilePart]:
    found = [part for part in parts if part.kind == kind]
    if not found:
        files = " and ".join(map(name_of, paths))
        raise InputError(f"{files}: there is no {kind} in them; there must be one at least")
    if names is None:
        return found
    known = dict.fromkeys(part.name for part in found)
    for name in names:
        if name not in known:
            raise OptionError(
                f"{kind} {name!r} is not there; it must be one of: {', '.join(known)}"
            )
    if not names:
        raise OptionError(f"the list of names for the {kind} is empty; leave it out to take all")
    return [part for name in dict.fromkeys(names) for part in found if part.name == name]
