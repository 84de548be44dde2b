"""Template, style and script → one file that loads nothing.

The data are in the page as JSON that is not run. In it `<`, `>` and `&` are escaped, so that no
text can close its element; so are characters that control a terminal or the direction of text, for
those who read the file itself, and lone surrogates, which UTF-8 cannot encode.

A module of `templates` names what it takes from others in `import` lines, as JavaScript's modules
do, and marks what others may take by `export`. The script of a page has its first module and all
that this one needs, in one function: the page loads nothing, so the lines of `import` and the word
`export` go. Modules may need each other in a circle, as long as none uses a name of a later one
while the page is loaded. `make lint` reads each module by itself.

A page can be in several languages, whose texts are found by the English text. A text with
`{0}`, `{1}` … has places for values. What a template writes with `say` keeps its English text in
`data-say` and each value in an element of its own, so that the page's script can say it again in
another language; attributes are kept in `data-says`.

A page without scores has sentences, sections of the report, and a list of outputs with their texts.
Its script gets an object like that of the report (`data`), with these differences:

names, segments, source  by the place of a segment, from 0, only of those that the page needs
refs, hyps      a list of such objects, one for each reference or system
n_segments      number of all segments
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from jinja2 import Environment, PackageLoader
from markupsafe import Markup, escape

from celab.base.arguments import JsonObject, Variables
from celab.base.errors import OptionError
from celab.base.text.escapes import dump_json, escape_controls
from celab.base.version import __version__
from celab.corpus import Corpus
from celab.findings.differences import SENTENCES, diff
from celab.findings.finding import kinds_of_texts, of_texts
from celab.metrics.explaining.links import REASONS
from celab.metrics.registry import digits_of
from celab.report.html.differences import ERROR_TITLES
from celab.report.html.drawings import spaced
from celab.report.html.views import SECTIONS, PageSection
from celab.tables import formats, palette, sentences
from celab.tables.cells import Phrase, PicturedName, listed, quantity
from celab.tables.templating import isolated, templates_of

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
            color = f' class="{text.color}"' if isinstance(text, PicturedName) else ""
            return Markup(f"<bdi{color}>{{}}</bdi>").format(escape_controls(text))
        values = [
            self.phrase(value) if isinstance(value, Phrase) else value for value in text.values
        ]
        return self.say(text.pattern, *values)

    def plain(self, text: str) -> str:
        """Return the text of `phrase` without markup."""
        if not isinstance(text, Phrase):
            return text
        return self.text(text.pattern, *map(self.plain, text.values))

    def _slot(self, number: int, value: str) -> Markup:
        slot = Markup(' data-slot="{}"').format(number) if self.switchable else ""
        if isinstance(value, Markup):
            return Markup("<span{}>{}</span>").format(slot, value)
        if isinstance(value, PicturedName):
            slot += Markup(' class="{}"').format(value.color)
        return Markup("<bdi{}>{}</bdi>").format(slot, escape_controls(value))

    def attributes(self, names: Sequence[str], text: str, *values: str) -> Markup:
        """Return attributes with a text."""
        said = escape_controls(self.text(text, *map(self.plain, values)))
        # A value that is a text of our own is in a list, so that the script says it again, too.
        kept = [[value.pattern] if isinstance(value, Phrase) else value for value in values]
        record = json.dumps([names, text, *kept], separators=(",", ":"))  # ASCII only
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


STYLE = ("style.css", "answer.css", "systems.css", "marks.css", "segments.css", "print.css")
SCRIPT = "main.js"  # the first module; `modules_of` finds the others
META_SCRIPT = "meta.js"  # the page of `celab meta`
BOARD_STYLE = ("style.css", "answer.css", "board.css", "print.css")
BOARD_SCRIPT = "board-page.js"  # the page of `celab board`
# The pages of `celab check` and `celab terms`: sections of the report, and a list without scores.
UNSCORED_STYLE = (
    "style.css",
    "answer.css",
    "systems.css",
    "marks.css",
    "segments.css",
    "unscored.css",
    "print.css",
)
UNSCORED_SCRIPT = "unscored.js"
# The playground of `celab serve`: the report's view of a segment, and fields to type in.
PLAYGROUND_STYLE = ("style.css", "marks.css", "segments.css", "playground.css")
PLAYGROUND_SCRIPT = "playground-main.js"
_MARKUP = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}


@cache
def environment() -> Environment:
    """Return the templates of pages with their filters."""
    templates = templates_of(PackageLoader("celab.report.html"))
    templates.filters["said"] = lambda sentence, words: words.say(*sentence)
    templates.filters["phrased"] = lambda phrase, words: words.phrase(phrase)
    templates.globals["bold"] = lambda text: Markup("<b>{}</b>").format(isolated(text))
    templates.globals["scripted"] = Markup('<span class="scripted">{}</span>').format
    templates.globals["kinds"] = kinds_of_texts
    templates.globals["own"] = Phrase
    templates.filters["spaced"] = spaced
    return templates


def rendered(
    template: str,
    view: Variables,
    data: JsonObject,
    blocks: Mapping[str, str] | None = None,
    styles: tuple[str, ...] = STYLE,
    first_script: str = SCRIPT,
    *,
    connects: bool = False,
    language: str = "en",
) -> str:
    """Return the whole file.

    `data` is what the script reads, beside the texts of the page's languages; `blocks` are data
    that it reads when they are needed: JSON by the ids of its elements.
    Only a page that `connects` may send requests, to its own server.
    """
    said = {"language": language, "words": translations("zh")}
    style = palette.style_sheet() + _joined(styles)
    script = script_of(first_script)
    page = (
        environment()
        .get_template(template)
        .render(
            **view,
            words=Words(language),
            version=__version__,
            policy=policy(style, script, connects),
            style=Markup(style),
            script=Markup(script),
            data=Markup(as_json(said | data)),
            blocks={name: Markup(block) for name, block in (blocks or {}).items()},
        )
    )
    return page + "\n"


def playground(data: JsonObject) -> tuple[str, str]:
    """Return the page of `celab serve`, and its security policy.

    `data` has the choices it offers.
    """
    words = {"words": playground_translations(), "messages": load_texts("zh-messages")}
    data = data | words | {"digits": digits_of("celab")}
    page = rendered(
        "playground.html.j2",
        {"title": "TESLA-CELAB"},
        data,
        None,
        PLAYGROUND_STYLE,
        PLAYGROUND_SCRIPT,
        connects=True,
    )
    return page, policy_of(page)


def policy(style: str, script: str, connects: bool = False) -> str:
    """Return the content security policy: only this style and this script."""
    connect = "connect-src 'self'; " if connects else ""
    return (
        f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; {connect}"
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def policy_of(page: str) -> str:
    """Return the policy of a page, for the header with which it is sent."""
    match = re.search(r'"Content-Security-Policy" content="([^"]+)"', page)
    assert match is not None
    return f"{html.unescape(match[1])}; frame-ancestors 'none'"


def as_json(data: object) -> str:
    """Return JSON that is safe inside an HTML element."""
    return dump_json(data, separators=(",", ":"))[:-1].translate(_MARKUP)


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _joined(names: tuple[str, ...]) -> str:
    templates = environment()
    assert templates.loader is not None
    return "".join(templates.loader.get_source(templates, name)[0] for name in names)


CONSTANTS = "constants.js"  # made here, of what Python knows
# The pages of `celab check` and `celab terms` have a view of their own, under the same names.
_INSTEAD = {"unscored.js": {"report-view.js": "unscored-view.js"}}
_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def script_of(first: str) -> str:
    """Return the script of the page whose first module is named."""
    parts = (_EXPORT.sub("", _IMPORT.sub("", source_of(name))) for name in modules_of(first))
    ready = 'document.documentElement.classList.add("ready");\n'  # texts may be read first
    return f'"use strict";\n(async () => {{\n{"".join(parts)}{ready}}})();\n'


def modules_of(first: str) -> list[str]:
    """Return the names of a module and its imports, sorted so that imports come first."""
    return list(dict.fromkeys(_needed(first, first, set())))


def imports_of(name: str, first: str = "") -> dict[str, list[str]]:
    """Return module → names that a script imports from it."""
    instead, imported = _INSTEAD.get(first, {}), dict[str, list[str]]()
    for names, module in _IMPORT.findall(source_of(name)):
        taken = imported.setdefault(instead.get(module, module), [])
        taken += [name.strip() for name in names.split(",") if name.strip()]
    return imported


def source_of(name: str) -> str:
    """Return the text of a module."""
    if name == CONSTANTS:
        return _constants()
    return PackageLoader("celab.report.html").get_source(Environment(), name)[0]


def _needed(name: str, first: str, seen: set[str]) -> Iterator[str]:
    seen.add(name)
    for module in imports_of(name, first):
        if module not in seen:
            yield from _needed(module, first, seen)
    yield name


# Sentences that both Python and scripts say.
_SAID_BY_SCRIPTS = ("BROKEN", "EVERY_TOKEN", "FRAMED", "ONE_BROKEN")


def _constants() -> str:
    """Return the constants that scripts share with Python.

    States and titles by mark, reasons why words are not matched by number, and escapes
    of tables.
    """
    token_states = (*palette.MATCHES, "moved", "elsewhere")
    states = {palette.MARKS[state]: state for state in token_states}
    titles = {palette.MARKS[state]: palette.SHOWN[state].title for state in token_states}
    errors = {state: match.title for state, match in palette.ERRORS.items()}
    constants = {
        "STATES": states,
        "TITLES": titles,
        "ERRORS": errors,
        "REASONS": REASONS,
        "ERROR_TITLES": ERROR_TITLES,
        "ERROR_SENTENCES": SENTENCES,
        "CJK": _character_class(diff.CJK),
        "UNSPACED": _character_class(diff.UNSPACED),
        "SAID": {name: getattr(sentences, name) for name in _SAID_BY_SCRIPTS},
        "LATEX": formats.LATEX,
        "MARKDOWN": formats.MARKDOWN,
    }
    return "".join(
        f"export const {name} = {json.dumps(value)};\n" for name, value in constants.items()
    )


def _character_class(ranges: diff.Ranges) -> str:
    """Return ranges of characters as JavaScript writes them in a regular expression."""
    return "".join(f"\\u{{{first:x}}}-\\u{{{last:x}}}" for first, last in ranges)


MAX_SYSTEMS_IN_TITLE = 4


class Evidence(NamedTuple):
    """A sentence of the result, the section that has its evidence, and the text of the link.

    `view` is what the script chooses there, such as {"term": "0"}.
    """

    text: Phrase
    section: str
    link: Phrase
    view: Mapping[str, str] | None = None


def named_systems(systems: Sequence[str]) -> str:
    """Return the systems by their names, or their number if these are many."""
    if len(systems) <= MAX_SYSTEMS_IN_TITLE:
        return listed(systems)
    return quantity(len(systems), "system")


def unscored_page(
    corpus: Corpus,
    heading: Phrase,
    sections: Sequence[PageSection],
    page: Variables,
    data: JsonObject,
    *,
    report_lang: str,
) -> str:
    """Return a page: its sections, from the variables `page`, and the list, from `data`."""
    page = page | {"corpus": corpus}
    view = page | {
        "title": Words(report_lang).plain(heading),
        "heading_of_page": heading,
        "parts": [*filter(None, (section.drawn(page) for section in sections))],
    }
    return rendered(
        "unscored.html.j2",
        view,
        data,
        styles=UNSCORED_STYLE,
        first_script=UNSCORED_SCRIPT,
        language=report_lang,
    )


def texts_data(
    corpus: Corpus,
    lang: str,
    systems: Sequence[str],
    outputs: Iterable[tuple[int, int]],
) -> JsonObject:
    """Return the texts of outputs, by numbers of system and segment."""
    of_system: list[dict[int, str]] = [{} for _ in systems]
    for system, place in sorted(outputs):
        of_system[system][place] = corpus.systems[systems[system]][place]
    places = sorted({place for texts in of_system for place in texts})

    def at_places(texts: Sequence[object]) -> Mapping[int, str]:
        return {place: str(texts[place]) for place in places}

    documents = {segment.document: None for segment in corpus.segments}
    numbers = {document: number for number, document in enumerate(documents)}
    return {
        "lang": lang,
        "n_segments": len(corpus.segments),
        "systems": [*systems],
        "references": [*corpus.ref_names],
        "names": at_places(corpus.names),
        "documents": [*documents],
        "segments": {place: numbers[corpus.segments[place].document] for place in places},
        "source": None if corpus.source is None else at_places(corpus.source),
        "refs": [at_places(texts) for texts in corpus.refs],
        "hyps": of_system,
        "metrics": [{}],  # scripts of the report look here for the order of systems
    }
