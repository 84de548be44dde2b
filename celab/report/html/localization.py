"""Texts of pages in the languages they can have, by the English text.

A text with `{0}`, `{1}` … has places for values. What a template writes with `say` keeps its
English text in `data-say` and each value in an element of its own, so that the page's script can
say it again in another language; attributes are kept in `data-says`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from jinja2 import Environment, PackageLoader
from markupsafe import Markup, escape

from celab.base.errors import OptionError
from celab.base.frozen import dataclass
from celab.base.text.escapes import escape_controls
from celab.base.view.cells import Phrase
from celab.evaluation.producers import of_texts
from celab.report.html.views import SECTIONS

LANGUAGES = {"en": "en", "zh": "zh-CN"}  # and their tags in HTML


def translations(language: str) -> dict[str, str]:
    """Return the texts of a language by the English text; English itself has none.

    Those of checks are in the rows that make them.

    >>> translations("zh")["Copy"]
    '复制'
    """
    if language not in LANGUAGES:
        raise OptionError("report_lang", language, f"choose from {', '.join(LANGUAGES)}")
    texts = {} if language == "en" else {**_texts(language)}
    for each in of_texts() if texts else ():
        texts |= each.chinese
        for kind in each.kinds.values():
            texts |= kind.texts
    return texts


def playground_translations() -> dict[str, str]:
    """Return the Chinese of the playground, which has texts that no report has."""
    return translations("zh") | load_texts("zh-playground")


def load_texts(name: str) -> dict[str, str]:
    """Return the texts of a file of the templates."""
    loader = PackageLoader("celab.report.html")
    texts: dict[str, str] = json.loads(loader.get_source(Environment(), f"{name}.json")[0])
    return texts


@cache
def _texts(language: str) -> dict[str, str]:
    texts: dict[str, str] = {}
    for page in ("", "-meta", "-board", "-check"):
        texts |= load_texts(f"{language}{page}")
    for section in SECTIONS:
        texts |= section.chinese
    return texts


@dataclass(frozen=True, slots=True)
class Words:
    """The texts of one page.

    Attributes:
        language: one of `LANGUAGES`.
        switchable: whether the page has a script that can change the language.
    """

    language: str
    switchable: bool = True

    @property
    def tag(self) -> str:
        """The language as HTML names it."""
        return LANGUAGES[self.language]

    @property
    def fixed(self) -> Words:
        """The texts of a part of the page that its script says again by other means."""
        return replace(self, switchable=False)

    def text(self, text: str, *values: str) -> str:
        """Return a text with its values, such as for the value of an attribute."""
        said = translations(self.language).get(text, text)
        return re.sub(r"\{(\d)\}", lambda place: values[int(place[1])], said)

    def say(self, text: str, *values: str) -> Markup:
        """Return an element with a text; values that are markup may be texts themselves.

        >>> Words("zh").say("Systems by {0}", "chrF2")
        Markup('<span data-say="Systems by {0}"><bdi data-slot="0">chrF2</bdi> 系统排名</span>')
        """
        said = translations(self.language).get(text, text)
        parts = re.split(r"\{(\d)\}", said)
        filled = Markup("").join(
            self._slot(int(part), values[int(part)]) if i % 2 else Markup(escape(part))
            for i, part in enumerate(parts)
        )
        key = Markup(' data-say="{}"').format(text) if self.switchable else ""
        return Markup("<span{}>{}</span>").format(key, filled)

    def phrase(self, text: str) -> Markup:
        """Return a phrase in the language of the page, and any other text as it is.

        >>> Words("zh").phrase(Phrase("{0} against human scores", "chrF2")).striptags()
        'chrF2 与人工评分'
        """
        if not isinstance(text, Phrase):
            return Markup("<bdi>{}</bdi>").format(escape_controls(text))
        values = [
            self.phrase(value) if isinstance(value, Phrase) else value for value in text.values
        ]
        return self.say(text.pattern, *values)

    def plain(self, text: str) -> str:
        """Return what `phrase` says, without markup."""
        if not isinstance(text, Phrase):
            return text
        return self.text(text.pattern, *map(self.plain, text.values))

    def _slot(self, number: int, value: str) -> Markup:
        slot = Markup(' data-slot="{}"').format(number) if self.switchable else ""
        if isinstance(value, Markup):
            return Markup("<span{}>{}</span>").format(slot, value)
        return Markup("<bdi{}>{}</bdi>").format(slot, escape_controls(value))

    def attributes(self, names: Sequence[str], text: str, *values: str) -> Markup:
        """Return attributes with a text."""
        said = escape_controls(self.text(text, *values))
        record = json.dumps([names, text, *values], separators=(",", ":"))  # ASCII only
        written = Markup("").join(Markup('{}="{}" ').format(name, said) for name in names)
        return written + (Markup('data-says="{}"').format(record) if self.switchable else "")

    def count(self, number: int, singular: str) -> Markup:
        """Return a number of things, such as 1 segment, 2 segments."""
        plural = "" if number == 1 else "s"
        return self.say(f"{{0}} {singular}{plural}", f"{number:,}")

    def joined(self, sentences: Sequence[Markup]) -> Markup:
        """Return sentences one after the other, which Chinese writes without spaces."""
        first, *rest = sentences
        for sentence in rest:
            first = self.say("{0} {1}", first, sentence)
        return first
