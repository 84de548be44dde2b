"""Units of translators' files: a source and its translation → parts.

A file has the role that the caller gives it: its translations are a reference or a system, and its
sources are a source. One rule holds for all formats. A unit counts if it is to be translated and
has a translation; the others are left out of the file, and counted by reason:

    not to translate  XLIFF: translate="no"
    untranslated      no target, an empty one, or a state that says so: `new` and
                      `needs-translation` in XLIFF 1.2, `initial` in XLIFF 2; a cue without text
    fuzzy             PO: the flag `fuzzy`

Proposals (`alt-trans`, matches of XLIFF 2) and obsolete entries of PO are not units.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from celab.base.errors import InputError, Setting
from celab.base.languages import language_code
from celab.corpus.model import CodedText, FilePart, Role, Segment, TextFile, gather_parts, quantity

NOT_TO_TRANSLATE, UNTRANSLATED, FUZZY = "not to translate", "untranslated", "fuzzy"


class Unit(NamedTuple):
    """A segment of a bilingual file."""

    key: Segment
    source: CodedText | None
    target: CodedText | None
    state: str = ""  # the reason why it is left out, if the file says so
    max_length: int | None = None  # characters
    times: tuple[int, int] | None = None  # start and end of a cue, in milliseconds

    @property
    def reason(self) -> str:
        """Why it is left out of the translations, or ""."""
        is_blank = self.target is None or not self.target.text.strip()
        return self.state or (UNTRANSLATED if is_blank else "")


def parts_of(file: TextFile, units: Iterable[Unit], lang: str = "") -> list[FilePart]:
    """Return the source and the translations of a file; `InputError` if it has no translation.

    `lang` is the language that the file says it is translated into.
    """
    units = list(units)
    role: Role = file.role or "reference"
    left_out = Counter(unit.reason for unit in units if unit.reason)
    if role != "source" and left_out.total() == len(units):
        counted = ", ".join(f"{n} {reason}" for reason, n in left_out.items())
        raise InputError(
            f"{file.name} has no translation"
            + (f": {quantity(len(units), 'unit')}, {counted}" if units else " and no unit"),
            hint="give the translated file",
        )
    codes: dict[tuple[Role, Segment], tuple[str, ...]] = {}

    def texts() -> Iterator[tuple[Role, str, Segment, str]]:
        for kind, key, (text, own_codes) in _sides(units, role):
            codes[kind, key] = own_codes
            yield kind, file.name, key, text

    parts = gather_parts(file, texts())
    with_codes = {kind for (kind, _), own_codes in codes.items() if own_codes}
    return [
        replace(
            part,
            codes=[codes[part.kind, key] for key in part.keys or ()],
            had_codes=part.kind in with_codes,
            max_lengths={unit.key: unit.max_length for unit in units if unit.max_length},
            times={unit.key: unit.times for unit in units if unit.times},
            n_left_out={} if part.kind == "source" else dict(left_out),
            is_bilingual=True,
            lang="" if part.kind == "source" else lang,
        )
        for part in parts
    ]


def _sides(units: Iterable[Unit], role: Role) -> Iterator[tuple[Role, Segment, CodedText]]:
    for unit in units:
        is_needed = unit.state != NOT_TO_TRANSLATE if role == "source" else not unit.reason
        if not is_needed:
            continue
        if unit.source is not None:
            yield "source", unit.key, unit.source
        if role != "source" and unit.target is not None:
            yield role, unit.key, unit.target


def check_language(file: TextFile, declared: str) -> None:
    """Raise `InputError` if a file declares another target language than the caller does."""
    if file.role == "source" or not declared or not file.lang:
        return
    if not is_same_language(declared, file.lang):
        raise InputError(
            f"{file.name} is translated into {declared}, but the target language is {file.lang}",
            hint=("give another file, or ", Setting("lang", language_code(declared))),
        )


def check_languages(parts: Sequence[FilePart]) -> None:
    """Raise `InputError` if files say that they are translated into different languages."""
    first = parts[0]
    for part in parts:
        if not is_same_language(first.lang, part.lang):
            raise InputError(
                f"{part.where} is translated into {part.lang}, but {first.where} into {first.lang}",
                hint="give files in one language",
            )


def is_same_language(code: str, other: str) -> bool:
    """Return whether two codes mean one language, whatever the region.

    >>> is_same_language("zh-CN", "zho_Hant"), is_same_language("pt-BR", "de")
    (True, False)
    """
    first, second = (language_code(re.split("[-_]", name.lower())[0]) for name in (code, other))
    return first == second
