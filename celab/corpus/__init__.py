"""The first step: paths → aligned segments.

    formats    text → parts: the source, references and systems in a file
    testsets   sacreBLEU's test sets → parts
    documents  text → the document of each segment
    join       parts → a corpus, joined by document and segment id, or by line
    names      paths → short names
    resegment  systems whose lines are not the references' lines → parts
    scripts    whether a text is in the script of a language

The format of a file is recognized by its content. A file given as a reference gives the references
in it, a file given as a system the systems; if no file is given as a system, every file gives all
that it has, so one WMT XML file is a whole corpus. A source in these files is read too; only one
that is given explicitly must match the references exactly. A system in its own file is named by the
shortest form of its path that no other system has (`names`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

from celab.base import io
from celab.base.errors import (
    InputError,
    NoSystemError,
    OptionError,
    Setting,
    suggest,
)
from celab.base.io import read_lines
from celab.base.options import LIMITS, Limits
from celab.corpus import formats
from celab.corpus.align import resegment
from celab.corpus.align.alignment import Alignment
from celab.corpus.documents import documents_of
from celab.corpus.formats import FORMATS
from celab.corpus.formats.fields import lacking_hint
from celab.corpus.join import add_ids, add_titles, check_sources, join, order_references
from celab.corpus.model import (
    Corpus,
    Fields,
    FilePart,
    Kind,
    Segment,
    TextFile,
    check_n_references,
)
from celab.corpus.testsets import read_test_set

__all__ = ["FORMATS", "Corpus", "Fields", "Limits", "Segment", "read", "read_lines"]


ROLES = ("ref", "hyp", "source")


def read(
    refs: io.AnyPath | Sequence[io.AnyPath],
    systems: io.AnyPath | Sequence[io.AnyPath] = (),
    *,
    source: io.AnyPath | None = None,
    format: str | None = None,
    encoding: str | Mapping[str, str] | None = None,
    skip_missing: bool = False,
    fields: Fields = Fields(),  # noqa: B008 (it is frozen)
    only_refs: Sequence[str] | None = None,
    only_systems: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    documents: io.AnyPath | None = None,
    test_set: str | None = None,
    language_pair: str | None = None,
    default_system: io.AnyPath | None = None,
    align: bool = False,
    text_documents: str = "none",
    needs_refs: bool = True,
    lang: str | None = None,
    limits: Limits = LIMITS,
) -> Corpus:
    """Read all files and check that every segment can be scored.

    A path may be a folder, which stands for its files, or a pattern such as `hyp/*.zh`.
    `format` (one of `FORMATS`) and `encoding` override auto-detection; `encoding` may be a dict
    with the keys ref, hyp and source. `fields` names the columns of a table, or the fields of JSON.
    `only_refs` and `only_systems` choose by name; `names` renames the systems. `skip_missing` keeps
    only the segments that all systems and a reference have; `n_left_out` counts the others.
    `documents` is a file with the document of each segment, if the texts have
    none (`celab.corpus.documents`). `test_set` and `language_pair` ("wmt24", "en-zh") take
    references and source from sacreBLEU's test sets; without `test_set`, the pair chooses the
    languages of a TMX file. `default_system` is read as a system if the
    files hold none. With `align`, the lines of systems need not be those of the references:
    `celab.align` cuts them, document by document if `text_documents` ("lines", "blank"; see
    `celab.corpus.align.resegment`) or the format tells documents apart. With `needs_refs` false
    there may be no reference. `lang` is the target language (default: Chinese), which says which
    text of `{"translation": {"en": …, "zh": …}}` is the reference. `limits` are the greatest
    lengths of a line and a file.
    """
    ref_paths, system_paths = _paths(refs), _paths(systems, expand=not align)
    source_paths = _paths(() if source is None else source)
    paths = [*system_paths, *ref_paths, *source_paths]
    default_paths = _paths(() if default_system is None or system_paths else default_system)
    if align:
        system_paths, default_paths = system_paths or default_paths, []
    _check_align(align, text_documents, system_paths)
    if not paths and not default_paths:
        raise InputError("no files are given; there must be a reference and a system")
    if (n_stdin := paths.count("-")) > 1:
        raise InputError(
            f"standard input (-) is given {n_stdin} times; it can be read only once, "
            "so all but one of them must be files"
        )
    encodings = encodings_of(encoding)
    text_fields = fields if documents is None else replace(fields, document=None)
    parts: list[FilePart] = []
    if test_set is not None:
        parts += _read_test_set(test_set, language_pair, ref_paths, limits)

    template = TextFile("", "", "", None, text_fields, lang, language_pair)

    def add(paths: Sequence[str], role: Kind | None, encoding: str | None) -> None:
        for path in paths:
            file = formats.read_file(replace(template, role=role), path, encoding, limits)
            parts.extend(resegment.parse(file, format) if align else formats.parse(file, format))

    add(ref_paths, "reference" if system_paths else None, encodings["ref"])
    add(() if align else system_paths, "system", encodings["hyp"])
    if not align and all(part.kind != "system" for part in parts):
        add(default_paths, "system", encodings["hyp"])
    add(source_paths, "source", encodings["source"])
    sources = [part for part in parts if part.kind == "source"]
    check_sources(sources)
    sources = sources[-1:] if source_paths else sources[:1]
    # Before any are chosen: the nth line is the nth segment whichever reference is to count.
    parts = add_titles(add_ids([*sources, *(part for part in parts if part.kind != "source")]))
    chosen = parts[: len(sources)]
    chosen += _choose(parts, "reference", only_refs, paths, needed=needs_refs, lang=lang)
    labels = None
    if documents is not None:
        labels = _labels(os.fspath(documents), encodings["documents"], fields, limits)
    alignments: dict[str, Alignment] = {}
    if align:
        refs_in_order = order_references(chosen, labels)
        found = resegment.read_outputs(
            system_paths,
            list(filter(None, dict.fromkeys(refs_in_order.documents))),
            text_documents=text_documents,
            template=replace(template, role="system"),
            format=format,
            encoding=encodings["hyp"],
            limits=limits,
        )
        aligned = resegment.align_outputs(found, refs_in_order)
        alignments = {part.name: alignment for part, alignment in aligned}
        parts = add_titles([*parts, *(part for part, _ in aligned)])
    chosen += _choose(parts, "system", only_systems, paths)
    joined = join(
        chosen,
        skip_missing=skip_missing,
        strict_source=source is not None,
        names=names,
        documents=labels,
    )
    by_system = {
        name: alignments[file] for name, file in joined.system_files.items() if file in alignments
    }
    return replace(joined, alignments=by_system)


def _check_align(align: bool, text_documents: str, system_paths: Sequence[str]) -> None:
    if align and not system_paths:
        raise NoSystemError("there is no system output", hint="give at least one")
    if text_documents != "none" and not align:
        raise OptionError((Setting("text_documents"), " is given without ", Setting("align")))


def _read_test_set(
    name: str, language_pair: str | None, ref_paths: Sequence[str], limits: Limits
) -> list[FilePart]:
    if ref_paths:
        raise OptionError(
            f"test set {name} and the reference {ref_paths[0]} are both given; choose one"
        )
    if language_pair is None:
        raise OptionError(f"test set {name} is given without a language pair, such as en-zh")
    return read_test_set(name, language_pair, limits)


def _labels(
    path: str, encoding: str | None, fields: Fields, limits: Limits
) -> tuple[str, list[tuple[str, str]]]:
    """Return the name of a file of documents, and the document and domain of each segment."""
    name = io.display_name(path)
    return name, documents_of(io.read_text(path, encoding, limits), name, fields.document)


def encodings_of(encoding: str | Mapping[str, str] | None) -> dict[str, str | None]:
    """Return the encoding of each role, from one for all files, or one for some roles."""
    if not isinstance(encoding, Mapping):
        return dict.fromkeys((*ROLES, "documents"), encoding)
    for role in encoding:
        if role not in ROLES:
            raise OptionError(f"an encoding is given for {role!r}; {suggest(role, ROLES)}")
    return {role: encoding.get(role) for role in (*ROLES, "documents")}


def _paths(paths: io.AnyPath | Sequence[io.AnyPath], *, expand: bool = True) -> list[str]:
    several = [paths] if isinstance(paths, str | os.PathLike) else paths
    if not expand:
        return [os.fspath(path) for path in several]
    return [file for path in several for file in io.expand(path)]


def _choose(
    parts: Sequence[FilePart],
    kind: Kind,
    names: Sequence[str] | None,
    paths: Sequence[str],
    *,
    needed: bool = True,
    lang: str | None = None,
) -> list[FilePart]:
    candidates = [part for part in parts if part.kind == kind]
    if kind == "reference":
        check_n_references(len(candidates), "the corpus")
    if not candidates and not needed:
        return []
    if not candidates:
        files = f" in {' and '.join(map(io.display_name, paths))}" if paths else ""
        what = "system output" if kind == "system" else kind
        error = NoSystemError if kind == "system" else InputError
        raise error(f"there is no {what}{files}", hint=lacking_hint(parts, kind, lang))
    if names is None:
        return candidates
    known = dict.fromkeys(part.title or part.name for part in candidates)
    for name in names:
        if all(name not in (part.name, part.title) for part in candidates):
            raise OptionError(f"unknown {kind} {name!r}; {suggest(name, known)}")
    if not names:
        raise OptionError(f"the list of names for the {kind} is empty; leave it out to take all")
    chosen = dict.fromkeys(names)
    return [part for name in chosen for part in candidates if name in (part.name, part.title)]
