"""The formats, one file each. A module has

    recognises(file)   whether the text looks like it
    read(file)         the parts in it

A text that begins with `<` can only be markup, one that begins with `{` only JSON, and the suffix
`.tsv` speaks for a table only if its columns are named too; all else is plain text. Markup of a
kind that is not known is an error, since no translation begins with an XML declaration.
"""

from __future__ import annotations

from importlib import import_module
from typing import Protocol, cast

from celab.corpus.model import Part, TextFile
from celab.errors import InputError, OptionError

FORMATS = ("plain", "sgml", "wmt", "tsv", "jsonl")
_CANDIDATES = {"<": ("wmt", "sgml"), "{": ("jsonl",)}
_MARKUP = ("<?xml", "<!doctype", "<!entity")


class Reader(Protocol):
    """What each module of this folder is."""

    def recognises(self, file: TextFile) -> bool: ...  # noqa: D102
    def read(self, file: TextFile) -> list[Part]: ...  # noqa: D102


def reader(name: str) -> Reader:
    """The reader of that format."""
    if name not in FORMATS:
        raise OptionError(f"format is {name!r}; it must be one of: {', '.join(FORMATS)}")
    return cast(Reader, import_module(f"celab.corpus.formats.{name}"))


def recognise(file: TextFile) -> Reader:
    """The reader that takes the file for its own."""
    start = file.text[:1] if not file.text[:1].isspace() else file.text.lstrip()[:1]
    for name in (*(("tsv",) if file.fields else ()), *_CANDIDATES.get(start, ())):
        candidate = reader(name)
        if candidate.recognises(file):
            return candidate
    if start == "<" and file.text.lstrip()[:10].lower().startswith(_MARKUP):
        from celab.corpus.formats import markup

        markup.refuse_entities(file.text, file.name)
        element = markup.first_element(file.text)
        seen = f"its first element is {element!r}" if element else "it has no element"
        raise InputError(
            f"{file.name} is XML of a kind that celab does not know: {seen}; it must be mteval, "
            "srcset, refset, tstset or dataset, or name the format with --format"
        )
    return reader("plain")
