"""Options → the texts of all files, joined to a corpus."""

from __future__ import annotations

import copy
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from celab.base import io
from celab.base.errors import (
    EncodingError,
    InputError,
    MismatchError,
    NoSystemError,
    OptionError,
    Setting,
    suggest,
)
from celab.base.languages import chinese_script, language_code, split_pair, tag_in_path
from celab.base.messages import warn
from celab.base.options import Limits
from celab.corpus import formats
from celab.corpus.folders import (
    are_documents,
    folders_of_files,
    inner_folders,
    read_documents,
)
from celab.corpus.formats import utterances
from celab.corpus.join import add_ids, add_titles, check_sources, join, order_references
from celab.corpus.model import MISSING, Corpus, Fields, FilePart, Role, TextFile
from celab.corpus.options import Inputs

if TYPE_CHECKING:
    # Only texts that are aligned, and those of apps, need them.
    from celab.corpus.align.alignment import Alignment
    from celab.corpus.apps import JoinedKeys

ROLES = ("ref", "hyp", "source")
# `celab check FILE` without references: the target side of a bilingual file is the system that is
# checked, not a reference.
_BILINGUAL = {("source", True), ("reference", True)}


def read(inputs: Inputs, limits: Limits, *, needs_refs: bool = True) -> Corpus:
    """Read all files and check that every segment can be scored."""
    paths = _Paths.of(inputs)
    encodings = encodings_of(inputs.encoding)
    try:
        corpus = _read(inputs, paths, encodings, limits, needs_refs=needs_refs)
    except EncodingError as error:
        sides = paths.refs, paths.systems, paths.source
        files = dict(zip(ROLES, (io.expand(*side) for side in sides), strict=True))
        raise with_encodings(error, files, encodings, limits) from None
    except MismatchError as error:
        if hint := _folders_hint(paths):
            error = copy.copy(error)
            error.message, error.hint = f"{_same_names(paths)}, but other segments", hint
        raise error from None
    if hint := _folders_hint(paths):
        warn((f"{_same_names(paths)}; ", *hint), is_hint=True)
    return corpus


def _same_names(paths: _Paths) -> str:
    return f"{len(paths.refs)} references and {len(paths.systems)} systems have the same names"


def _folders_hint(paths: _Paths) -> tuple[str | Setting, ...]:
    """Return the folders to give in place of files that seem to be documents; () for others."""
    if paths.are_documents or (folders := folders_of_files(paths.refs, paths.systems)) is None:
        return ()
    refs, systems = folders
    return (
        "if each file is a document, give their folders: ",
        Setting("refs", refs, flag="references"),
        " ",
        Setting("systems", systems),
    )


def with_encodings(
    error: EncodingError,
    files: Mapping[str, Sequence[str]],
    encodings: Mapping[str, str | None],
    limits: Limits,
) -> EncodingError:
    """Return the error with the likely encodings of all files, by role, not only of the first."""
    if not error.role or not error.likely:
        return error
    likely, names = {error.role: error.likely}, dict[str, None]()
    for role in ROLES:
        for path in files[role]:
            try:
                if path != "-":
                    io.read_text_or_table(path, encodings[role], limits)
            except EncodingError as other:
                likely[role], names[path] = other.likely, None
            except InputError:
                continue
    present = [role for role in ROLES if files[role]]
    chosen = {role: name for role in present if (name := likely.get(role) or encodings[role])}
    if len(chosen) == 1 or not all(likely.values()):
        return error
    is_same = len(chosen) == len(present) and len({*chosen.values()}) == 1
    seems = f"{' and '.join(names)} seem to be" if len(names) > 1 else "it seems to be"
    codecs = " and ".join(dict.fromkeys(likely[role] for role in ROLES if role in likely))
    setting = Setting("encoding", error.likely if is_same else chosen)
    error = copy.copy(error)
    error.hint = (f"{seems} {codecs}: use ", setting)
    return error


def _read(
    inputs: Inputs,
    paths: _Paths,
    encodings: Mapping[str, str | None],
    limits: Limits,
    *,
    needs_refs: bool,
) -> Corpus:
    _check_missing(inputs)
    # Files of any role; the field of documents is for the file of documents, if there is one.
    fields = inputs.fields if inputs.documents is None else replace(inputs.fields, document=None)
    template = TextFile(
        path="",
        name="",
        text="",
        role=None,
        fields=fields,
        lang=inputs.lang,
        pair=inputs.language_pair
        or (inputs.written_lang if chinese_script(inputs.written_lang) else None),
        has_header=not inputs.no_header,
    )
    parts = _read_parts(inputs, paths, template, encodings, limits, needs_refs=needs_refs)
    _check_fields(inputs.fields, parts, inputs.format)
    if inputs.sheet is not None and not (inputs.align or any(part.sheet for part in parts)):
        raise InputError((Setting("sheet", inputs.sheet), " is given, but no file is a workbook"))
    parts, joined_by = _join_transcripts(inputs, parts)
    sources = [part for part in parts if part.role == "source"]
    if bilingual := [part for part in parts if part.lang]:
        from celab.corpus.formats.units import check_languages

        check_languages(bilingual)
    lang = language_code(bilingual[0].lang) if bilingual else ""
    if len(sources) > 1:
        check_sources(sources)
    # The file of --source is read last, and counts more than a source that came with a reference.
    sources = sources[-1:] if paths.source else sources[:1]
    parts = [*sources, *(part for part in parts if part.role != "source")]
    # Before any are chosen: the nth line is the nth segment whichever reference is to count.
    if any(part.columns for part in parts):
        from celab.corpus.formats.ids import join_by_fields

        parts, joined_by = join_by_fields(parts)
    if any(part.keys is not None for part in parts):
        parts = add_ids(parts)
    parts = add_titles(parts)
    chosen = parts[: len(sources)]
    chosen += _choose(
        parts, "reference", inputs.only_refs, paths.all, needed=needs_refs, lang=inputs.lang
    )
    labels = None
    if inputs.documents is not None:
        path = os.fspath(inputs.documents)
        labels = _labels(path, encodings["documents"], inputs.fields, limits)
    alignments: dict[str, Alignment] = {}
    forms: dict[str, dict[str, int]] = {}
    if inputs.align:
        aligned, forms = _aligned(
            inputs=inputs,
            paths=paths,
            template=template,
            references=chosen,
            labels=labels,
            encoding=encodings["hyp"],
            limits=limits,
        )
        alignments = {part.name: alignment for part, alignment in aligned}
        parts = add_titles([*parts, *(part for part, _ in aligned)])
    chosen += _choose(parts, "system", inputs.only_systems, paths.all)
    keys = None
    if any(part.is_keyed for part in sources):
        chosen, keys = _with_source_keys(chosen, lang or inputs.lang or "zh")
    joined = join(
        chosen,
        missing=inputs.missing_as,
        blank_refs=inputs.blank_refs,
        strict_source=inputs.source is not None,
        names=inputs.names,
        documents=labels,
        joined_by=joined_by,
    )
    joined = _with_languages(joined, inputs, chosen, lang)
    joined = joined if keys is None else keys.added_to(joined)
    joined = replace(joined, missing_as="" if joined.by_line else inputs.missing or "")
    if inputs.align:
        joined = _with_alignments(joined, alignments, forms)
    return joined.unwrap() if inputs.unwrap else joined


def _check_missing(inputs: Inputs) -> None:
    """Raise `OptionError` if it is not clear what becomes of missing segments."""
    if inputs.missing not in (None, *MISSING):
        raise OptionError("missing", inputs.missing, suggest(str(inputs.missing), MISSING))
    if inputs.missing and inputs.skip_missing:
        raise OptionError(
            (
                Setting("missing", inputs.missing),
                " and ",
                Setting("skip_missing", True),
                " are both given",
            ),
            hint="give one of them",
        )


def _join_transcripts(inputs: Inputs, parts: Sequence[FilePart]) -> tuple[list[FilePart], str]:
    """Return the parts, of which transcripts of speech have ids, and what these join, or ""."""
    transcripts = inputs.format if inputs.format in utterances.READERS else ""
    plain = [part.texts for part in parts if part.is_plain]
    has_times = any(part.spans or part.words for part in parts)
    if has_times or (inputs.format is None and any(map(utterances.seem_timed, plain))):
        from celab.corpus.formats import timed

        if inputs.format is None and not inputs.align:
            parts = timed.find_times(parts)
    if inputs.format is None and not inputs.align:
        parts, transcripts = utterances.find_ids(parts)
    formats_with_times = ""
    if any(part.spans or part.words for part in parts):
        parts, formats_with_times = timed.place_words(parts, inputs.missing_as)
    if any(part.spans for part in parts):
        return [*parts], f"time ({formats_with_times})"
    transcripts = ", ".join(filter(None, (transcripts, formats_with_times)))
    return [*parts], f"id of utterance ({transcripts})" if transcripts else ""


def _check_fields(fields: Fields, parts: Sequence[FilePart], format: str | None) -> None:
    """Raise `InputError` if columns are named for texts that are all plain, or transcripts."""
    named: list[tuple[Fields, list[Role]]] = [
        (Fields(fields.ref), ["reference"]),
        (Fields(hyp=fields.hyp), ["system"]),
        (Fields(id=fields.id), ["reference", "system"]),
        (Fields(system=fields.system), ["system"]),
    ]
    for columns, kinds in named:
        texts = [part for part in parts if part.role in kinds]
        are_plain = format in utterances.READERS or all(
            part.is_keyed or part.spans or not (part.keys or part.fields) for part in texts
        )
        if columns and texts and are_plain:
            raise InputError(
                (Setting("fields", columns), f" names columns, but {texts[0].where} has none"),
                hint=("if it is a table, give its format, such as ", Setting("format", "tsv")),
            )


def _with_alignments(
    corpus: Corpus, alignments: Mapping[str, Alignment], forms: Mapping[str, Mapping[str, int]]
) -> Corpus:
    """Return the corpus with alignments and forms by system instead of by file."""
    files = corpus.system_files.items()
    return replace(
        corpus,
        alignments={name: alignments[file] for name, file in files if file in alignments},
        unwrapped={name: forms[file] for name, file in files if file in forms} or None,
    )


def _with_source_keys(
    chosen: list[FilePart], lang: str
) -> tuple[list[FilePart], JoinedKeys | None]:
    """Return the parts with the keys of an app's source, and the keys that they lack.

    With references, the keys are theirs.
    """
    from celab.corpus import apps

    if apps.are_keyed(chosen):
        keys = apps.join_keys(chosen, lang)
        return keys.parts, keys
    return apps.with_source_texts(chosen), None


def _with_languages(corpus: Corpus, inputs: Inputs, parts: Sequence[FilePart], lang: str) -> Corpus:
    """Return the corpus with the language of its files, and that of each system.

    That of a system is the one that the caller, its file or its name says. One that says how
    Chinese is written comes first.
    """
    wanted = [inputs.written_lang, inputs.lang or "", split_pair(inputs.language_pair or "")[1]]
    tags = []
    for part in (part for part in parts if part.role == "system"):
        names = (*wanted, part.lang, tag_in_path(part.name), tag_in_path(part.where))
        candidates = [name for name in names if name]
        tags.append(next(chain(filter(chinese_script, candidates), candidates), ""))
    return replace(
        corpus,
        lang=lang,
        tags=dict(zip(corpus.systems, tags, strict=True)),
        syntax=next((part.syntax for part in parts if part.syntax), ""),
    )


class _Paths(NamedTuple):
    """The paths of all texts; `default` is the system if no file holds one.

    Folders are replaced by their files, unless these are documents.
    """

    refs: Sequence[str]
    systems: Sequence[str]
    source: Sequence[str]
    default: Sequence[str]
    all: Sequence[str]  # but the default, in the order in which messages name them
    are_documents: bool

    @classmethod
    def of(cls, inputs: Inputs) -> _Paths:
        """Return the paths that the options name; `CelabError` if they do not go together."""
        refs = [os.fspath(path) for path in inputs.references or ()]
        systems = [os.fspath(path) for path in inputs.systems or ()]
        if not inputs.are_expanded:
            refs, systems = expand_paths(refs, systems, align=inputs.align)
        source = [] if inputs.source is None else [os.fspath(inputs.source)]
        default: Sequence[str] = ()
        if inputs.default_system is not None and not systems:
            default = io.expand(inputs.default_system)
        if inputs.align:
            systems, default = systems or list(default), ()
        # Folders of an app's texts stay folders beside others, each of which is one side.
        folders = [path for path in refs if os.path.isdir(path)]
        are_documents = bool(folders) and not _is_app_folder(folders[0])
        if not are_documents:
            source = [file for path in source for file in _expanded(path)]
        given = [*systems, *refs, *source]
        if inputs.align and not systems:
            raise NoSystemError("there is no system output", hint="give at least one")
        if inputs.text_documents not in (None, "none") and not inputs.align:
            raise OptionError((Setting("text_documents"), " is given without ", Setting("align")))
        if not given and not default:
            raise InputError("no files are given; there must be a reference and a system")
        if (n_stdin := given.count("-")) > 1:
            raise InputError(
                f"standard input (-) is given {n_stdin} times; it can be read only once, "
                "so all but one of them must be files"
            )
        return cls(refs, systems, source, default, given, are_documents)


def _read_parts(
    inputs: Inputs,
    paths: _Paths,
    template: TextFile,
    encodings: Mapping[str, str | None],
    limits: Limits,
    *,
    needs_refs: bool,
) -> list[FilePart]:
    """Return the parts of all files, but for outputs that are to be aligned."""
    parts: list[FilePart] = []
    sheets = sheets_of(inputs.sheet)
    if inputs.test_set is not None:
        parts += _read_test_set(inputs.test_set, inputs.language_pair, paths.refs, limits)
    parse: Callable[[TextFile, str | None], list[FilePart]] = formats.parse
    if inputs.align:
        from celab.corpus.align import resegment

        parse = resegment.parse

    def read_files(paths: Sequence[str], role: Role | None) -> list[FilePart]:
        name = formats.ROLE_NAMES[role or "reference"]
        encoding, of_role = encodings[name], template._replace(role=role, sheet=sheets[name])

        def read(path: str) -> TextFile:
            file = formats.read_file(of_role, path, encoding, limits)
            if file.format == "xlsx" and len({*sheets.values()}) > 1:
                return file._replace(name=f"{file.name}, sheet {file.sheet}")
            return file

        return [
            part
            for path in paths
            for part in (
                _read_app(path, role, read, inputs.format)
                if os.path.isdir(path)
                else parse(read(path), inputs.format)
            )
        ]

    if paths.are_documents:
        systems = () if inputs.align else paths.systems
        sources = [path for path in paths.source if os.path.isdir(path)]
        folders: list[tuple[str, Role]] = [
            *((path, "reference") for path in paths.refs),
            *((path, "system") for path in systems),
            *((path, "source") for path in sources),
        ]
        parts += read_documents(folders, read_files)
        files = [path for path in paths.source if path not in sources]
        return [*parts, *read_files(files, "source")]
    parts += read_files(paths.refs, "reference" if paths.systems else None)
    if (
        not (needs_refs or paths.systems)
        and {(p.role, p.is_bilingual) for p in parts} == _BILINGUAL
    ):
        # Translations of a source, which are compared with nothing else.
        parts = [replace(p, role="system") if p.role == "reference" else p for p in parts]
    if not inputs.align:
        parts += read_files(paths.systems, "system")
        if all(part.role != "system" for part in parts):
            parts += read_files(paths.default, "system")
    return [*parts, *read_files(paths.source, "source")]


def _read_app(
    folder: str, role: Role | None, read: Callable[[str], TextFile], format: str | None
) -> list[FilePart]:
    """Return the texts of a folder of an app."""
    from celab.corpus.apps import read_folder

    def read_keyed(path: str) -> tuple[str, list[FilePart]]:
        return formats.parse_keyed(read(path), format)

    return read_folder(folder, role or "reference", read_keyed)


def _aligned(
    inputs: Inputs,
    paths: _Paths,
    template: TextFile,
    references: Sequence[FilePart],
    labels: tuple[str, list[tuple[str, str]]] | None,
    encoding: str | None,
    limits: Limits,
) -> tuple[list[tuple[FilePart, Alignment]], dict[str, dict[str, int]]]:
    """Return the outputs, cut at the segments of the references, and the forms by file."""
    from celab.corpus.align import resegment

    if all(part.role != "reference" for part in references):
        raise InputError("there is no reference whose segments the outputs could be aligned with")
    in_order = order_references(references, labels)
    outputs = resegment.read_outputs(
        paths.systems,
        list(filter(None, dict.fromkeys(in_order.documents))),
        are_documents=paths.are_documents,
        text_documents=inputs.text_documents or "none",
        template=template._replace(role="system", sheet=sheets_of(inputs.sheet)["hyp"]),
        format=inputs.format,
        encoding=encoding,
        limits=limits,
    )
    outputs, forms = resegment.unwrap_outputs(outputs, in_order, unwrap=inputs.unwrap)
    return resegment.align_outputs(outputs, in_order), forms


def _read_test_set(
    name: str, language_pair: str | None, ref_paths: Sequence[str], limits: Limits
) -> list[FilePart]:
    if ref_paths:
        raise OptionError(
            f"test set {name} and the reference {ref_paths[0]} are both given; choose one"
        )
    if language_pair is None:
        raise OptionError(f"test set {name} is given without a language pair, such as en-zh")
    from celab.corpus.testsets import read_test_set

    return read_test_set(name, language_pair, limits)


def _labels(
    path: str, encoding: str | None, fields: Fields, limits: Limits
) -> tuple[str, list[tuple[str, str]]]:
    """Return the name of a file of documents, and the document and domain of each segment."""
    from celab.corpus.formats.records import documents_of

    name = io.display_name(path)
    return name, documents_of(io.read_text(path, encoding, limits), name, fields.document)


def encodings_of(encoding: str | Mapping[str, str] | None) -> dict[str, str | None]:
    """Return the encoding of each role, from one for all files, or one for some roles.

    >>> encodings_of("hyp=gb18030")["hyp"], encodings_of("gb18030")["ref"]
    ('gb18030', 'gb18030')
    """
    if isinstance(encoding, str) and "=" in encoding:
        encoding = _by_role(encoding)
    if not isinstance(encoding, Mapping):
        return dict.fromkeys((*ROLES, "documents"), encoding)
    for role in encoding:
        if role not in ROLES:
            raise OptionError(f"an encoding is given for {role!r}; {suggest(role, ROLES)}")
    return {role: encoding.get(role) for role in (*ROLES, "documents")}


def sheets_of(sheet: str | None) -> dict[str, str | None]:
    """Return the sheet of each role, from one for all files, or one for some roles.

    >>> sheets_of("hyp=Answers,ref=Key")["ref"], sheets_of("Key")["hyp"]
    ('Key', 'Key')
    """
    pieces = [piece.partition("=") for piece in re.split("[,，]", sheet or "")]
    if all(equals and role.strip() in ROLES for role, equals, _ in pieces):
        return dict.fromkeys(ROLES) | {role.strip(): name.strip() for role, _, name in pieces}
    return dict.fromkeys(ROLES, sheet)


def _by_role(text: str) -> dict[str, str]:
    """Return the encodings in a text such as `hyp=gb18030,ref=utf-8`."""
    roles = [part.partition("=") for part in text.split(",")]
    for role, equals, _ in roles:
        if not equals:
            raise OptionError(
                (
                    Setting("encoding"),
                    f" is {text}; {role} has no role, such as hyp={role} or ref={role}",
                )
            )
    return {role: name for role, _, name in roles}


def expand_paths(
    refs: Sequence[str], systems: Sequence[str], *, align: bool
) -> tuple[list[str], list[str]]:
    """Return the paths of references and systems, with folders and patterns as their files.

    Folders whose files are documents stay, and so do all of systems that are to be aligned, because
    each may be one system. A folder of folders stands for these, each with the texts of a system.
    """
    if any(map(os.path.isdir, [*refs, *systems])):
        systems = [
            inner
            for path in systems
            for inner in ([path] if _is_app_folder(path) else inner_folders(path))
        ]
        has_apps = any(map(_is_app_folder, refs))
        if not has_apps and are_documents(refs, systems, align=align):
            return list(refs), list(systems)
    files = [[file for path in paths for file in _expanded(path)] for paths in (refs, systems)]
    return files[0], list(systems) if align else files[1]


def _expanded(path: str) -> list[str]:
    """Return a folder of an app's texts as it is, and any other path with its files instead."""
    return [path] if _is_app_folder(path) else io.expand(path)


def _is_app_folder(path: str) -> bool:
    if not os.path.isdir(path):
        return False
    from celab.corpus.apps import is_app_folder

    return is_app_folder(path)


def _choose(
    parts: Sequence[FilePart],
    role: Role,
    names: Sequence[str] | None,
    paths: Sequence[str],
    *,
    needed: bool = True,
    lang: str | None = None,
) -> list[FilePart]:
    candidates = [part for part in parts if part.role == role]
    if not candidates and not needed:
        return []
    if not candidates:
        raise _lacking(parts, role, paths, lang)
    if names is None:
        return candidates
    known = dict.fromkeys(part.title or part.name for part in candidates)
    for name in names:
        if all(name not in (part.name, part.title) for part in candidates):
            raise OptionError(f"unknown {role} {name!r}; {suggest(name, known)}")
    if not names:
        raise OptionError(f"the list of names for the {role} is empty; leave it out to take all")
    chosen = dict.fromkeys(names)
    return [part for name in chosen for part in candidates if name in (part.name, part.title)]


def _lacking(
    parts: Sequence[FilePart], role: Role, paths: Sequence[str], lang: str | None
) -> InputError:
    """Return the error that the files have no part of a role; it names their fields."""
    from celab.corpus.formats.fields import lacking_hint, list_fields

    files = f" in {' and '.join(map(io.display_name, paths))}" if paths else ""
    what = "system output" if role == "system" else role
    if hint := lacking_hint(parts, role, lang):
        return InputError(f"there is no {what}{files}", hint=hint)
    fields = list(dict.fromkeys(name for part in parts for name in part.fields))
    known = f", whose fields are {list_fields(fields)}" if fields else ""
    error = NoSystemError if role == "system" else InputError
    return error(f"there is no {what}{files}{known}", hint="give at least one")
