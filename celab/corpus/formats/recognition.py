"""The formats of files that are neither plain text nor tables by their names: JSON and markup."""

from __future__ import annotations

from celab.base import io
from celab.base.errors import InputError, Setting
from celab.corpus.formats import MARKUP_SUFFIXES, batches, logs
from celab.corpus.formats.app_strings import EXPORT, refuse_keys
from celab.corpus.formats.elements import Document, first_element
from celab.corpus.formats.fields import listed
from celab.corpus.formats.json_text import is_json_array, json_object, whole_object
from celab.corpus.model import TextFile

_MARKUP = ("<?xml", "<!doctype", "<!entity")
_BY_ELEMENT = {  # the first one
    "dataset": "wmt",
    **dict.fromkeys(("mteval", "srcset", "refset", "tstset"), "sgml"),
    "xliff": "xliff",
    "tmx": "tmx",
}


def recognize_structured(file: TextFile) -> str:
    """Return the format of a file that looks like JSON or markup, or is called so."""
    text, suffix = file.text.lstrip(), io.suffix_of(file.path)
    refuse_keys(file.name, text, suffix)
    if is_json_array(file):
        return "json"
    if format := _recognize_objects(file, text, suffix):
        return format
    if text[:1] != "<":
        _refuse_misnamed(file, text, suffix)
        return "plain"
    element = first_element(text)
    if element in _BY_ELEMENT:
        return _BY_ELEMENT[element]
    is_page = element in ("html", "tt")
    if is_page or suffix in MARKUP_SUFFIXES or text[:10].lower().startswith(_MARKUP):
        if not element:
            Document(file.text, file.name)  # which says why
        raise InputError(
            f"{file.name} is XML of an unknown format: its first element is {element!r}; it must be"
            " mteval, srcset, refset, tstset, dataset, xliff or tmx, or give the format"
        )
    return "plain"


def _refuse_misnamed(file: TextFile, text: str, suffix: str) -> None:
    """Raise `InputError` if text that is neither JSON nor markup has a name that says so."""
    kind, begin = ("JSON", "{ or [") if suffix == ".json" else ("markup", "<")
    is_array = kind == "JSON" and text[:1] == "["  # of something else, which is warned about
    if suffix in (".json", *MARKUP_SUFFIXES) and not is_array:
        raise InputError(
            f"{file.name} is not {kind}, although its name ends in {suffix}: it begins with"
            f" {text[:10]!r}",
            hint=(f"it must begin with {begin}, or give ", Setting("format", "plain")),
        )


def _recognize_objects(file: TextFile, text: str, suffix: str) -> str:
    """Return the format of a file of JSON objects; "" if it is none."""
    first = json_object(text.partition("\n")[0]) if text[:1] == "{" else None
    if first is not None:
        if not file.fields and batches.recognize(first):
            return "batch"
        # The caller who names fields knows better which they are.
        return ("" if file.fields else logs.recognize(first)) or "jsonl"
    if suffix in (".jsonl", ".ndjson"):
        return "jsonl"  # which says where it is broken
    if text[:1] != "{":
        return ""
    whole = whole_object(file) if suffix == ".json" else json_object(text)
    if whole is None:
        return ""
    if format := logs.recognize(whole):
        return format
    raise InputError(
        f"{file.name} is one JSON object, with the fields {listed(list(whole))}; it must be an"
        " array, or have one object per line",
        hint=f"if it has the keys of an app, {EXPORT}",
    )
