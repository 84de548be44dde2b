"""JSON of apps: an object of keys → texts.

    {"menu": {"save": "Save"}, "menu.open": "Open"}            keys menu.save, menu.open
    {"files_one": "{{count}} file", "files_other": …}          plural forms of i18next
    {"zh-CN": {"save": "保存"}}                                the root is the language
    {"@@locale": "zh", "save": "保存", "@save": {…}}            ARB, of Flutter
    {"save": {"message": "保存", "description": …}}             Chrome's `messages.json`

A file may hold all languages, each under its name. Values that are no texts, and `null`, have no
text; so have `@metadata` and what begins with `@` in ARB.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from celab.base import io
from celab.base.errors import InputError
from celab.base.languages import CATEGORY_NAMES, canonical_tag, is_tag, tag_in_path
from celab.corpus.formats.json_text import abbreviate, whole_object
from celab.corpus.formats.keyed import KeyedText, parts_by_language, parts_of
from celab.corpus.formats.units import is_same_language
from celab.corpus.model import FilePart, PluralForm, TextFile

_PLURAL = re.compile(rf"(.+)_({'|'.join(CATEGORY_NAMES)})")
_OLD_PLURALS = {"_plural": "other", "_0": "other"}  # suffixes of i18next 3
# Languages whose codes are words that an app may have as its only section.
_WORDS = frozenset("am an as be he id io is it me my no or so to tr us ui".split())
_MAX_DEPTH = 50
_MESSAGES = ("message", "defaultMessage")


def recognize(whole: Mapping[str, Any], path: str) -> str:
    """Return the format of an object of keys and texts; "" for other objects.

    >>> recognize({"save": "保存"}, "zh.json"), recognize({"save": {"message": "保存"}}, "zh.json")
    ('json-keys', 'chrome')
    >>> recognize({"data": [{"source": "Save"}]}, "set.json"), recognize({"n": 5}, "set.json")
    ('', '')
    """
    suffix = io.suffix_of(path)
    if "@@locale" in whole or suffix == ".arb":
        return "arb"
    if isinstance(whole.get("sourceLanguage"), str) and isinstance(whole.get("strings"), Mapping):
        return "xcstrings"
    entries = [value for name, value in whole.items() if name != "@metadata"]
    if entries and all(_message(value) is not None for value in entries):
        return "chrome"
    in_lists = [is_in_list for _, is_in_list in _kinds(whole, False, 0)]
    return "json-keys" if in_lists and 2 * sum(in_lists) <= len(in_lists) else ""


def _message(value: object) -> str | None:
    if not isinstance(value, Mapping):
        return None
    texts = [text for name in _MESSAGES if isinstance(text := value.get(name), str)]
    return texts[0] if texts else None


def _kinds(value: object, is_in_list: bool, depth: int) -> Iterator[tuple[object, bool]]:
    """Yield each text of an object, and whether it is in a list; objects in lists are in one."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, str):
        yield value, is_in_list
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _kinds(inner, is_in_list, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _kinds(inner, True, depth + 1)


def json_keys(file: TextFile) -> list[FilePart]:
    """Return the texts of an object, which may hold several languages."""
    whole = whole_object(file)
    languages = {name: value for name, value in whole.items() if name != "@metadata"}
    is_root = [isinstance(value, Mapping) and is_tag(name) for name, value in languages.items()]
    if is_root and all(is_root):
        if len(languages) > 1 and any(is_same_language(name, "en") for name in languages):
            return _of_all_languages(file, languages)
        ((name, values), *others) = languages.items()
        if not others and _is_language(name, tag_in_path(file.path)):
            texts = _texts(values, file.name)
            return parts_of(file, texts, lang=canonical_tag(name), syntax="json-keys")
    return parts_of(file, _texts(whole, file.name), syntax="json-keys")


def _of_all_languages(file: TextFile, languages: Mapping[str, object]) -> list[FilePart]:
    source = next(name for name in languages if is_same_language(name, "en"))
    texts = {name: [*_texts(values, file.name)] for name, values in languages.items()}
    return parts_by_language(file, texts, source, syntax="json-keys")


def _is_language(root: str, of_path: str) -> bool:
    """Return whether the only section of a file is its language, by its name and the file's."""
    if of_path:
        return is_same_language(root, of_path)
    return root.lower() not in _WORDS


def _texts(values: object, where: str) -> Iterator[KeyedText]:
    """Yield the texts of an object, with keys that dots join, and plural forms of i18next."""
    rows = [*_leaves(values, "", where, 0)]
    keys = {key for key, _ in rows}
    for key, text in rows:
        yield KeyedText(key, text, where, _form(key, keys))


def _form(key: str, keys: set[str]) -> PluralForm | None:
    """Return the plural form that a key is, among others.

    >>> _form("files_one", {"files_one", "files_other"}), _form("step_one", {"step_one"})
    (PluralForm(base='files', category='one', mark='_{}'), None)
    >>> _form("files_plural", {"files", "files_plural"})
    PluralForm(base='files', category='other', mark='_plural')
    """
    if match := _PLURAL.fullmatch(key):
        is_plural = f"{match[1]}_other" in keys
        return PluralForm(match[1], match[2], "_{}") if is_plural else None
    if f"{key}_plural" in keys:
        return PluralForm(key, "one", "")
    for mark, category in _OLD_PLURALS.items():
        base = key.removesuffix(mark)
        if base != key and (base in keys if mark == "_plural" else f"{base}_1" not in keys):
            return PluralForm(base, category, mark)
    return None


def _leaves(value: object, path: str, where: str, depth: int) -> Iterator[tuple[str, str]]:
    if depth > _MAX_DEPTH:
        raise InputError(f"{where}: more than {_MAX_DEPTH} objects are nested; at most that may be")
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            if depth or name != "@metadata":
                yield from _leaves(inner, f"{path}.{name}" if path else name, where, depth + 1)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _leaves(inner, f"{path}[{number}]", where, depth + 1)


def arb(file: TextFile) -> list[FilePart]:
    """Return the texts of an Application Resource Bundle."""
    whole = whole_object(file)
    language = whole.get("@@locale", "")
    if not isinstance(language, str):
        raise InputError(f"{file.name}: @@locale is {abbreviate(language)}; it must be a language")
    texts = []
    for key, value in whole.items():
        if key.startswith("@"):
            continue
        where = f"{file.name}, {abbreviate(key)}"
        if not isinstance(value, str):
            raise InputError(f"{where} is {abbreviate(value)}; it must be a text")
        texts.append(KeyedText(key, value, where))
    return parts_of(file, texts, lang=canonical_tag(language) if language else "")


def chrome(file: TextFile) -> list[FilePart]:
    """Return the texts of a `messages.json`."""
    texts = []
    for key, value in whole_object(file).items():
        where, message = f"{file.name}, {abbreviate(key)}", _message(value)
        if key == "@metadata":
            continue
        if message is None:
            raise InputError(f"{where} has no message; each key must have one")
        texts.append(KeyedText(key, message, where))
    return parts_of(file, texts, syntax="chrome")
