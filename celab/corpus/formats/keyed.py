"""Texts of apps, each with a key: a file in one language → a part.

The source and each translation are files of their own, or folders of them (`celab.corpus.apps`),
which are joined by key. A key that its file says is not to be translated has no text. The text of a
translation may be empty, which is a finding of `celab check` and no error. Plural forms are texts
with keys of their own, such as `files[other]`.

The language is that which the file declares, or that of its name, or of its folder.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from celab.base.errors import InputError, Setting
from celab.base.languages import canonical_tag, chinese_script, split_pair, tag_in_path
from celab.corpus.formats.json_text import check_surrogates
from celab.corpus.formats.units import NOT_TO_TRANSLATE, check_language, is_same_language
from celab.corpus.model import FilePart, PluralForm, Role, Segment, TextFile, gather_parts

_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_MAX_LISTED = 12  # languages in a message


class KeyedText(NamedTuple):
    """A text of an app."""

    key: str
    text: str
    where: str  # its place in the file
    form: PluralForm | None = None
    is_translatable: bool = True


def plural(form: PluralForm, text: str, where: str, *, is_translatable: bool = True) -> KeyedText:
    """Return the text of a plural form."""
    return KeyedText(form.key, text, where, form, is_translatable)


def parts_of(
    file: TextFile, texts: Iterable[KeyedText], *, lang: str = "", syntax: str = ""
) -> list[FilePart]:
    """Return the part of a file; none if it has no text.

    `lang` is the language that the file declares, `syntax` the name of the placeholders that only
    its format has.
    """
    check_language(file, lang)
    role = file.role or "reference"
    return _part(file, texts, role, file.name, lang or tag_in_path(file.path), syntax)


def _part(
    file: TextFile, texts: Iterable[KeyedText], role: Role, name: str, lang: str, syntax: str
) -> list[FilePart]:
    kept: dict[str, KeyedText] = {}
    for text in texts:
        first = kept.setdefault(text.key, text)
        if first.text != text.text:
            place = f" in {first.where}" if first.where != text.where else ""
            raise InputError(
                f"{text.where}: {text.key} comes a second time, with another text than{place}"
                f"{'' if place else ' before'}",
                hint="keep one of them",
            )
    n_left_out = sum(not text.is_translatable for text in kept.values())
    rows = [text for text in kept.values() if text.is_translatable]
    segments = [
        (role, name, Segment("", check_surrogates(x.where, x.key)), joined(x.text, x.where))
        for x in rows
    ]
    left_out = Counter({NOT_TO_TRANSLATE: n_left_out}) if n_left_out else Counter[str]()
    return [
        replace(
            part,
            is_keyed=True,
            is_bilingual=True,
            forms={Segment("", x.key): x.form for x in rows if x.form},
            n_left_out={} if role == "source" else dict(left_out),
            lang="" if role == "source" else lang,
            syntax=syntax,
        )
        for part in gather_parts(file, segments)
    ]


def joined(text: str, where: str) -> str:
    r"""Return a text whose escapes are halves of characters, such as `\ud83d\ude00`, with these.

    >>> joined("\ud83d\ude00", "a.json")
    '😀'
    """
    if _HALVES.search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return check_surrogates(where, text)


def parts_by_language(
    file: TextFile,
    texts: Mapping[str, Sequence[KeyedText]],
    source_language: str,
    *,
    syntax: str = "",
) -> list[FilePart]:
    """Return the source of a file with all languages, and a part of each target language.

    The targets are those that the caller names; else Chinese, in all its scripts; else the only
    one.
    """
    if file.role == "source":
        return _part(file, texts[source_language], "source", file.name, source_language, syntax)
    targets = _targets(file, [name for name in texts if name != source_language])
    role = file.role or "reference"
    parts = _part(file, texts[source_language], "source", file.name, source_language, syntax)
    for target in targets:
        name = file.name if len(targets) == 1 else target
        parts += _part(file, texts[target], role, name, target, syntax)
    return parts


def _targets(file: TextFile, languages: Sequence[str]) -> list[str]:
    wanted = split_pair(file.pair)[1] if file.pair else file.lang or ""
    if not wanted:
        chinese = [name for name in languages if is_same_language(name, "zh")]
        found = chinese or (languages if len(languages) == 1 else [])
    else:
        script = chinese_script(wanted)
        same = [name for name in languages if is_same_language(name, wanted)]
        exact = [name for name in same if canonical_tag(name) == canonical_tag(wanted)]
        in_script = [name for name in same if script and chinese_script(name) == script]
        found = exact or in_script or ([] if script else same)
    if found:
        return [*found]
    listed = ", ".join(languages[:_MAX_LISTED])
    into = f" into {wanted}" if wanted else ""
    raise InputError(
        f"{file.name} has several languages that may be meant: {listed}"
        if languages and not wanted
        else f"{file.name} has no translation{into}; there are: {listed or 'only the source'}",
        hint=("name source and target with ", Setting("language_pair")),
    )
