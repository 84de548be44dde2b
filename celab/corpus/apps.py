"""Apps: folders of texts with keys, and the keys of a source and of its translations.

    res/values/strings.xml        res/values-zh-rCN/strings.xml
    res/values/arrays.xml         res/values-zh-rCN/arrays.xml

A folder is one source or one translation. Its files are documents, which are named after them,
without the language in their names; those of Android are one document, because its keys are.

A translation may lack keys of the source, which are missing then, and may have others, which are
left out. Plural forms of the source that the target language does not have are not missing, and a
form that the source lacks is a translation of its form for other numbers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from celab.base import io
from celab.base.errors import InputError, MismatchError
from celab.base.languages import (
    CATEGORY_NAMES,
    PLURAL_CATEGORIES,
    language_code,
    tag_in_path,
    tag_of_folder,
    without_tag,
)
from celab.base.messages import warn
from celab.corpus import formats
from celab.corpus.model import (
    Corpus,
    FilePart,
    PluralForm,
    Role,
    Segment,
    SegmentName,
    TextFile,
    names_of,
)

_MAX_DEPTH = 5  # folders in a folder
_MAX_LOOKED_AT = 30  # files, to see whether a folder has texts of an app
_MAX_LISTED = 4
_MAYBE = (".xml", ".json", *formats.KEYED_SUFFIXES)
_NOT_TO_TRANSLATE = "donottranslate"  # names of such files begin so in Android


def is_app_folder(path: str) -> bool:
    """Return whether a folder has texts of an app: files with keys, also in folders inside."""
    candidates = [file for file in _files(path) if io.suffix_of(file) in _MAYBE]
    return any(map(_is_keyed, candidates[:_MAX_LOOKED_AT]))


def _files(folder: str, depth: int = 0) -> Iterator[str]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: io.natural_order(entry.name))
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if not entry.is_dir():
            yield entry.path
        elif depth < _MAX_DEPTH:
            yield from _files(entry.path, depth + 1)


def _is_keyed(path: str) -> bool:
    try:
        text = io.read_text(path)
        file = TextFile(path=path, name=path, text=text, role=None)
        return formats.recognize(file) in formats.APP_FORMATS
    except InputError:
        return io.suffix_of(path) in formats.KEYED_SUFFIXES


def read_folder(
    folder: str, role: Role, read: Callable[[str], tuple[str, list[FilePart]]]
) -> list[FilePart]:
    """Return the part of a folder, with the texts of all its files.

    `read` returns the format of a file and its parts, of which there may be none.
    """
    name = io.display_name(folder.rstrip(os.sep))
    parts: list[tuple[str, FilePart]] = []
    paths: dict[str, str] = {}
    for path in _files(folder):
        suffix, file = io.suffix_of(path), os.path.basename(path)
        if suffix in formats.CODE_SUFFIXES:
            warn(f"{path} is a program, whose texts are not read; it is left out")
        if suffix not in _MAYBE or file.startswith(_NOT_TO_TRANSLATE):
            continue
        format, own = read(path)
        if format not in formats.APP_FORMATS:
            raise InputError(
                f"{path} has no texts with keys, as an app has and other files in {name} have",
                hint="name the files themselves",
            )
        if any(part.role != role for part in own):
            raise InputError(
                f"{path} has the texts of all languages, and is in a folder of one language",
                hint="name the file itself",
            )
        inner = os.path.dirname(os.path.relpath(path, folder))
        document = "" if format == "android" else os.path.join(inner, without_tag(file))
        parts += [(document.replace(os.sep, "/"), part) for part in own]
        if own:
            tag = _tag_within(os.path.relpath(path, folder)) or tag_of_folder(
                os.path.basename(folder.rstrip(os.sep))
            )
            paths.setdefault(tag, path)
    if len(paths) > 1:
        listed = ", ".join(io.display_name(path) for path in [*paths.values()][:_MAX_LISTED])
        raise InputError(
            f"{name} has texts in several languages ({listed}); a folder must have those of one",
            hint="name the file or the folder of each language",
        )
    if not parts:
        raise InputError(f"{name} has no texts with keys")
    merged = _merged(name, parts)
    lang = "" if role == "source" else merged.lang or next(iter(paths))
    return [replace(merged, lang=lang)]


def _tag_within(path: str) -> str:
    """Return the language of a file in a folder, by its name or by the folders in between."""
    parts = path.split(os.sep)
    tags = (tag_in_path(os.sep.join(parts[:end])) for end in range(len(parts), 0, -1))
    return next(filter(None, tags), "")


def _merged(name: str, parts: Sequence[tuple[str, FilePart]]) -> FilePart:
    """Return one part of all files of a folder, by document."""
    texts: dict[Segment, str] = {}
    places: dict[Segment, str] = {}
    forms: dict[Segment, PluralForm] = {}
    n_left_out: dict[str, int] = {}
    for document, part in parts:
        for key, text in zip(part.keys or (), part.texts, strict=True):
            own = key._replace(document=document)
            if texts.setdefault(own, text) != text:
                raise InputError(
                    f"{part.where}: {key.id} has another text than in {places[own]}",
                    hint="keep one of them",
                )
            places.setdefault(own, part.where)
        forms |= {key._replace(document=document): form for key, form in part.forms.items()}
        for reason, n in part.n_left_out.items():
            n_left_out[reason] = n_left_out.get(reason, 0) + n
    return replace(
        parts[0][1],
        name=name,
        where=name,
        texts=[*texts.values()],
        keys=[*texts],
        order=[*texts],
        forms=forms,
        n_left_out=n_left_out,
        lang=next((part.lang for _, part in parts if part.lang), ""),
    )


# Plural category, "" if there is none → key and text.
Forms = dict[str, tuple[Segment, str]]


class JoinedKeys(NamedTuple):
    """Parts with one text for each key, and the missing keys by system."""

    parts: list[FilePart]
    missing: list[list[SegmentName]]
    absent: list[frozenset[int]]
    extra: list[list[SegmentName]]

    def added_to(self, corpus: Corpus) -> Corpus:
        """Return the corpus of the parts, with their missing keys."""
        names = [*corpus.systems]
        return replace(
            corpus,
            missing=dict(zip(names, self.missing, strict=True)),
            absent=dict(zip(names, self.absent, strict=True)),
            extra=dict(zip(names, self.extra, strict=True)),
        )


def are_keyed(parts: Sequence[FilePart]) -> bool:
    """Return whether parts are a source and translations with keys, and no references."""
    kinds = {part.role for part in parts}
    return kinds == {"source", "system"} and all(part.is_keyed for part in parts)


def join_keys(parts: Sequence[FilePart], lang: str) -> JoinedKeys:
    """Return the source and the systems with the keys of the source, into a language.

    `MismatchError` if a system has none of the keys.
    """
    source, *systems = parts
    of_source = {base: forms for base, forms in _by_base(source).items() if _has_text(forms)}
    of_systems = [_by_base(part, of_source) for part in systems]
    for part, table in zip(systems, of_systems, strict=True):
        if table.keys().isdisjoint(of_source):
            raise MismatchError(
                f"{part.label} has none of the keys of {source.where}, such as"
                f" {', '.join(key.id for key in [*of_source][:_MAX_LISTED])}",
                hint="give the source that it is translated from",
            )
    codes = [language_code(part.lang or lang) for part in systems]
    needed = [PLURAL_CATEGORIES.get(code, ("other",)) for code in codes]
    is_counting = any("few" in categories for categories in needed)
    rows: dict[Segment, str] = {}
    places: list[tuple[Segment, str]] = []
    lacking: list[list[int]] = [[] for _ in systems]
    for base, forms in of_source.items():
        delivered = [table.get(base, {}) for table in of_systems]
        lacks = [_lacks(forms, *pair) for pair in zip(delivered, needed, strict=True)]
        for category in ("", *CATEGORY_NAMES):
            if not any(category in table for table in (*delivered, *lacks)):
                continue
            key = _key(base, category, forms, delivered)
            if key in rows:
                continue
            for number, categories in enumerate(lacks):
                if category in categories:
                    lacking[number].append(len(rows))
            rows[key] = _source_text(forms, "other" if is_counting else category)
            places.append((base, category))
    keys, names = [*rows], names_of([*rows])
    filled, absent = [], []
    for part, table in zip(systems, of_systems, strict=True):
        found = [table.get(base, {}).get(category) for base, category in places]
        absent.append(frozenset(row for row, pair in enumerate(found) if pair is None))
        filled.append(_with(part, keys, ["" if pair is None else pair[1] for pair in found]))
    return JoinedKeys(
        [_with(source, keys, [*rows.values()]), *filled],
        [[names[row] for row in numbers] for numbers in lacking],
        absent,
        [_extra(table, of_source) for table in of_systems],
    )


def with_source_texts(parts: Sequence[FilePart]) -> list[FilePart]:
    """Return the parts, of which the source has the keys that the others have together.

    It has "" for a key that it lacks.
    """
    source, *others = parts
    if not source.is_keyed or any(part.keys is None for part in others):
        return [*parts]
    keys = [*dict.fromkeys(chain.from_iterable(part.keys or () for part in others))]
    own = dict(zip(source.keys or (), source.texts, strict=True))
    return [_with(source, keys, [own.get(key, "") for key in keys]), *others]


def _with(part: FilePart, keys: Sequence[Segment], texts: list[str]) -> FilePart:
    return replace(part, keys=[*keys], order=[*keys], texts=texts, forms={})


def _by_base(part: FilePart, known: Collection[Segment] = ()) -> dict[Segment, Forms]:
    """Return the plural forms of each text, by its key without that of a form.

    A key that is known as it is, such as `level_0`, is no form.
    """
    by_base: dict[Segment, Forms] = {}
    for key, text in zip(part.keys or (), part.texts, strict=True):
        form = None if key in known else part.forms.get(key)
        base = key if form is None else key._replace(id=form.base)
        by_base.setdefault(base, {})[form.category if form else ""] = (key, text)
    return by_base


def _has_text(forms: Forms) -> bool:
    return any(text.strip() for _, text in forms.values())


def _lacks(forms: Forms, own: Forms, needed: Sequence[str]) -> list[str]:
    """Return the plural categories that the language needs and the translation lacks."""
    if "" in own or ("" in forms and "other" in own):
        return []
    return [name for name in ([""] if "" in forms else needed) if name not in own]


def _key(base: Segment, category: str, forms: Forms, own: Sequence[Forms]) -> Segment:
    """Return the key of a form: that of the source, of a system, or one like the others."""
    known = (table[category][0] for table in (forms, *own) if category in table)
    if key := next(known, None):
        return key
    if not category:
        return base
    marks = [(name, key.id[len(base.id) :]) for name, (key, _) in forms.items() if name]
    mark = next((mark.replace(name, category) for name, mark in marks if name in mark), "")
    return base._replace(id=base.id + (mark or f"[{category}]"))


def _source_text(forms: Forms, category: str) -> str:
    texts = [forms[name][1] for name in (category, "other", "") if name in forms]
    return next(chain(texts, (text for _, text in forms.values())))


def _extra(own: Mapping[Segment, Forms], known: Mapping[Segment, Forms]) -> list[SegmentName]:
    return names_of([base for base in own if base not in known])
