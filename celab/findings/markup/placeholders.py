r"""Placeholders: the parts of a text that a program replaces.

    {0} {name} {0:N2} {}      Python, C#, Java; {{name}} of i18next and mustache; ${x}; $t(key)
    %s %1$d %(n)s %-5.2f %@   printf, Python, Objective-C; %name% of Symfony
    %%                        beside others; alone if the source has 50%% and the output 50%
    {n, plural, …}            messages of ICU
    \n \t                     escapes, and entities, such as &lt;

A percent sign after a digit, as in `100%`, and text in a URL are not placeholders. Where one side
numbers its placeholders (`%1$s`, `{0}`) and the other relies on their order (`%s`, `{}`), the
latter are numbered before the comparison. A named placeholder must occur, but may occur more or
less often, because grammar can need that and programs allow it.

Messages of ICU, such as `{n, plural, one {# file} other {# files}}` → what must stay.

The argument and its type must stay, and so must the selectors of `select` and exact numbers (`=0`).
Plural categories are those of the target language, so they may differ; `other` must be there. The
texts of the branches may change, but a placeholder in any of them must be in some branch; `#` and
`{n}` are the same in a plural of `n`. A style may be replaced by another style, but not by another
word, as in `{d, date, 短}`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from celab.base.languages import PLURAL_CATEGORIES

_START = re.compile(
    r"\{\s*([\w.-]+)\s*,\s*"
    r"(plural|selectordinal|select|number|date|time|spellout|ordinal|duration|choice)\s*(?=[,}])"
)
_BRANCH = re.compile(r"\s*(=\d+|[\w-]+)\s*\{")
_OFFSET = re.compile(r"\s*,\s*(?:offset:\s*\d+\s*)?")
_BRANCHED = ("plural", "selectordinal", "select")
_STYLES = frozenset("short medium long full integer currency percent".split())
# A style is a skeleton, or a pattern: of letters for dates, of these signs for numbers.
_PATTERNS = {
    **dict.fromkeys(("date", "time"), re.compile("^::|[A-Za-z]")),
    "number": re.compile("^::|[#0\u00a4]"),
}
# Braces, and messages in branches of messages, that may be open at once: a message has two.
_MAX_OPEN_BRACES, _MAX_OPEN_MESSAGES = 10, 5
_MAX_MESSAGE_CHARACTERS = 10_000  # searched for the end of a message


class IcuMessage(NamedTuple):
    """A message: `parts` that must stay, plural categories, and the texts of the branches."""

    parts: tuple[str, ...]
    categories: frozenset[str]
    branches: tuple[str, ...]
    end: int

    @property
    def argument(self) -> str:
        """The name of the argument."""
        return self.parts[0][1:].partition(",")[0]

    @property
    def is_plural(self) -> bool:
        """Whether `#` stands for the argument in its branches."""
        return self.parts[0].endswith((" plural}", " selectordinal}"))


def message_at(text: str, start: int) -> IcuMessage | None:
    """Return the message that begins at a brace, or None.

    >>> message_at("{g, select, male {He} other {They}}", 0).parts
    ('{g, select}', '{g, select, male}', '{g, select, other}')
    >>> message_at("{n, plural, one {# file} other {# files}}", 0).branches
    ('# file', '# files')
    """
    match = _START.match(text, start)
    if match is None:
        return None
    end = _closing(text, start)
    if end is None:
        return None
    name, kind = match[1], match[2]
    head = f"{{{name}, {kind}}}"
    if kind not in _BRANCHED:
        style = text[match.end() : end].strip(" ,\n\t")
        is_style = not style or style in _STYLES or kind not in _PATTERNS
        if not is_style and not _PATTERNS[kind].search(style):
            head = f"{{{name}, {kind}, {style}}}"
        return IcuMessage((head,), frozenset(), (), end + 1)
    selectors, branches, place = [], [], match.end()
    comma = _OFFSET.match(text, place)
    place = comma.end() if comma else place
    while (branch := _BRANCH.match(text, place, end)) and (
        stop := _closing(text, branch.end() - 1)
    ):
        selectors.append(branch[1])
        branches.append(text[branch.end() : stop])
        place = stop + 1
    fixed = [s for s in selectors if kind == "select" or s.startswith("=")]
    parts = (head, *(f"{{{name}, {kind}, {selector}}}" for selector in fixed))
    return IcuMessage(parts, frozenset(set(selectors) - set(fixed)), tuple(branches), end + 1)


def lost_categories(message: IcuMessage, lang: str) -> list[str]:
    """Return the plural categories of a language that a message does not have.

    >>> lost_categories(message_at("{n, plural, other {#}}", 0), "de")
    ['one']
    """
    if not message.categories:
        return [] if "plural" not in message.parts[0] else ["other"]
    return [
        name for name in PLURAL_CATEGORIES.get(lang, ("other",)) if name not in message.categories
    ]


def _closing(text: str, start: int) -> int | None:
    """Return the index of the brace that closes the one at `start`, or None."""
    depth = 0
    for place in range(start, min(len(text), start + _MAX_MESSAGE_CHARACTERS)):
        depth += (text[place] == "{") - (text[place] == "}")
        if depth == 0:
            return place
        if depth > _MAX_OPEN_BRACES:
            return None
    return None


_URL = re.compile(r"(?:https?|ftp)://[^\s<>\"'{}，。]+|\bwww\.[^\s<>\"'{}，。]+")
_PLACEHOLDER = re.compile(
    r"(?=[{$%\\&])(?:"  # most characters begin none
    r"(?P<double>\{\{[^{}\n]{1,80}\}\})"
    r"|(?P<dollar>\$\{[^{}\n]{1,80}\})"
    r"|(?P<nested>\$t\([^()\n]{1,80}\))"
    r"|(?P<brace>\{(?:[\w$@#][\w.$@#\[\]-]{0,60})?(?:![rsa])?(?::[^{}\s]{0,30})?\})"
    r"|(?P<named>%\([\w.]{1,60}\)[-+0#]*\d*(?:\.\d+)?[a-zA-Z])"
    r"|(?P<symfony>(?<!\d)%[A-Za-z_](?a:[\w.-])*[A-Za-z0-9]%(?![A-Za-z0-9%]))"
    r"|(?P<percent>%%)"
    r"|(?P<variable>%(?:\d+\$)?#@\w{1,60}@)"
    r"|(?P<printf>(?<!\d)%(?:\d+\$)?(?![\dA-F][A-F\d](?![a-z]))[-+0#]*(?:\d+|\*)?(?:\.(?:\d+|\*))?"
    r"(?:hh?|ll?|[qjztL])?[diouxXeEfFgGcs@](?!(?!x%)[A-Za-z0-9]))"  # %dx%d is width and height
    r"|(?P<escape>\\[nrt])"
    r"|(?P<entity>&(?:[a-zA-Z]{2,8}|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});))"
)
_NAMED = re.compile(r"[$%]?[({]{1,2}\s*[^\W\d]|%[^\W\d][\w.-]+%")
_POSITION = re.compile(r"%(\d+)\$(.*)", re.DOTALL)
_ESCAPED_PERCENT = re.compile(r"(?<=\d)[ \u00a0]?%%(?!%)")
_ICU = re.compile(r"\{\s*[\w.-]+\s*,")
_AND = re.compile(
    r"[和与及與跟、・＆]|\b(?:and|und|et|y|e|og|och|en|a|i)\b|と|및|[과와]", re.IGNORECASE
)


class Placeholders:
    """The placeholders of a text, counted; those in branches of ICU messages are kept apart.

    >>> sorted(Placeholders("%s of {0}, 100% sure").counted)
    ['%s', '{0}']
    """

    def __init__(self, text: str) -> None:
        self.counted: Counter[str] = Counter()
        self.in_branches: set[str] = set()
        self.messages: list[IcuMessage] = []
        self._add(_URL.sub(" ", text) if "://" in text or "www." in text else text, 0)

    def _add(self, text: str, depth: int, plural: IcuMessage | None = None) -> None:
        """Add the placeholders of a text, which may be in a branch of a plural."""
        pieces, place = [], 0
        for start in (match.start() for match in _ICU.finditer(text)):
            message = message_at(text, start) if start >= place else None
            if message is not None and depth < _MAX_OPEN_MESSAGES:
                pieces.append(text[place:start])
                place = message.end
                self.messages.append(message)
                for part in message.parts:
                    self._count(_as_number(part, plural), depth)
                for branch in message.branches:
                    self._add(branch, depth + 1, message if message.is_plural else plural)
        rest = " ".join([*pieces, text[place:]])
        for match in _PLACEHOLDER.finditer(rest):
            self._count(_as_number(match[0], plural), depth)
        if plural is not None and "#" in rest:
            self._count(_as_number("#", plural), depth)

    def _count(self, placeholder: str, depth: int) -> None:
        if depth:
            self.in_branches.add(placeholder)
        else:
            self.counted[placeholder] += 1

    @property
    def is_empty(self) -> bool:
        """Whether the text has no placeholder."""
        return not (self.counted or self.in_branches or self.messages)

    @property
    def is_numbered(self) -> bool:
        """Whether a placeholder of printf has a position."""
        return any(map(_POSITION.fullmatch, self.counted))


def _as_number(placeholder: str, plural: IcuMessage | None) -> str:
    """Return a placeholder, `{n, plural, #}` if it is the number of the plural around it.

    >>> plural = message_at("{n, plural, other {#}}", 0)
    >>> [_as_number(name, plural) for name in ("#", "{n}", "{n, number}", "{m}")]
    ['{n, plural, #}', '{n, plural, #}', '{n, plural, #}', '{m}']
    """
    if plural is None:
        return placeholder
    name = plural.argument
    is_number = placeholder in ("#", f"{{{name}}}", f"{{{name}, number}}")
    return f"{plural.parts[0][:-1]}, #}}" if is_number else placeholder


# Placeholders of a single file format; they must occur, but may occur more or less often.
_OF_SYNTAX = {
    "chrome": re.compile(r"\$[A-Za-z_][\w@]{0,60}\$|\$[1-9](?!\d)"),
    "json-keys": re.compile(r"@(?:\.\w{1,20})?:(?:\([\w.]{1,80}\)|[A-Za-z_][\w.]{0,80}\b)"),
}


def compare_own(source: str, output: str, syntax: str) -> tuple[list[str], list[str]]:
    """Return the lost and the added placeholders of a syntax that a single file format has.

    >>> compare_own("$COUNT$ of $TOTAL$", "共 $total$ 个", "chrome")
    (['$COUNT$'], [])
    >>> compare_own("@:app.name settings", "设置", "json-keys")
    (['@:app.name'], [])
    """
    pattern = _OF_SYNTAX.get(syntax)
    if pattern is None:
        return [], []
    expected, seen = (
        {name.upper() if syntax == "chrome" else name: name for name in pattern.findall(text)}
        for text in (source, output)
    )
    lost = [name for key, name in expected.items() if key not in seen]
    return lost, [name for key, name in seen.items() if key not in expected]


def with_branches_of(output: str, source: str) -> str:
    """Return the last branch of a source with plural branches that an output does not have.

    >>> with_branches_of("{n} 辆车", "no cars | one car | {n} cars")
    '{n} cars'
    """
    branches = source.split(" | ")
    return branches[-1] if len(branches) > len(output.split(" | ")) else source


def compare_placeholders(source: str, output: str, lang: str) -> tuple[list[str], list[str]]:
    """Return the placeholders of the source that the output has lost, and those it has added.

    >>> compare_placeholders("Delete %s in {bucket}?", "删除{桶名}中的 % s？", "zh")
    (['%s', '{bucket}'], ['{桶名}'])
    """
    if not _may_have_any(source) and not _may_have_any(output):
        return [], []
    first, second = Placeholders(source), Placeholders(output)
    if first.is_empty and second.is_empty:
        return [], []
    expected, seen = first.counted, second.counted
    if expected.keys() | seen.keys() <= {"%%"}:  # no format but perhaps 50%%
        expected, seen = _unescaped(source, output), Counter()
    if first.is_numbered != second.is_numbered:
        expected, seen = _numbered(source, expected), _numbered(output, seen)
    if ("{}" in expected) != ("{}" in seen):
        expected, seen = _with_indices(expected), _with_indices(seen)
    lost = [*_missing(expected, seen), *sorted(first.in_branches - second.in_branches)]
    added = [*_missing(seen, expected), *sorted(second.in_branches - first.in_branches)]
    for message in second.messages:
        if first.messages:
            lost += [
                f"{message.parts[0][:-1]}, {name}}}" for name in lost_categories(message, lang)
            ]
    if PLURAL_CATEGORIES.get(lang, ("other",)) == ("other",):
        lost, added = _without_plurals(first, second, lost, added)
    has_and = _AND.search(output) is not None
    return [name for name in lost if not _is_translated(name, has_and)], added


def _without_plurals(
    first: Placeholders, second: Placeholders, lost: list[str], added: list[str]
) -> tuple[list[str], list[str]]:
    """Return lost and added placeholders without plurals that are replaced by a plain `{n}`.

    A language with one plural form needs no message of ICU.

    >>> compare_placeholders("{n, plural, one {# file} other {# files}}", "{n} 个文件", "zh")
    ([], [])
    """
    arguments = {message.argument for message in second.messages}
    for message in first.messages:
        name = f"{{{message.argument}}}"
        is_plain = message.is_plural and len(message.parts) == 1
        if is_plain and name in second.counted and message.argument not in arguments:
            lost = [each for each in lost if not each.startswith(f"{name[:-1]}, ")]
            added = [each for each in added if each != name]
    return lost, added


def _missing(counted: Counter[str], others: Counter[str]) -> list[str]:
    """Return the placeholders that occur more often than on the other side."""
    missing = (counted - others).elements()
    return [name for name in missing if not (name in others and _NAMED.match(name))]


def _unescaped(source: str, output: str) -> Counter[str]:
    """Return how many `%%` behind a number in the source are `%` in the output.

    >>> _unescaped("Save 50%% today", "今天立减50%"), _unescaped("Save 50%%", "打五折")
    (Counter({'%%': 1}), Counter())
    """
    n_escaped = len(_ESCAPED_PERCENT.findall(source))
    n_bare = output.count("%") - 2 * output.count("%%")
    if 2 * n_escaped != source.count("%"):  # signs in prose
        n_bare = 0
    n_lost = min(n_escaped - output.count("%%"), n_bare)
    return Counter({"%%": n_lost} if n_lost > 0 else {})


def _is_translated(lost: str, has_and: bool) -> bool:
    """Return whether a lost entity may be translated by a word: `&amp;` by "and"."""
    return lost == "&nbsp;" or (lost == "&amp;" and has_and)


def _may_have_any(text: str) -> bool:
    return any(mark in text for mark in "{%\\&$")


def _numbered(text: str, counted: Counter[str]) -> Counter[str]:
    """Return the placeholders with those of printf numbered by their order in the text."""
    if any(map(_POSITION.fullmatch, counted)):
        return counted
    numbered, number = Counter[str](), 0
    for match in _PLACEHOLDER.finditer(_URL.sub(" ", text)):
        if match.lastgroup == "printf":
            number += 1
            numbered[f"%{number}${match[0][1:]}"] += 1
    others = {name: n for name, n in counted.items() if not _is_printf(name)}
    return numbered + Counter(others)


def _is_printf(placeholder: str) -> bool:
    match = _PLACEHOLDER.fullmatch(placeholder)
    return match is not None and match.lastgroup == "printf"


def _with_indices(counted: Counter[str]) -> Counter[str]:
    """Return the placeholders with `{}` numbered from 0, as Python and Rust do."""
    others = Counter({name: n for name, n in counted.items() if name != "{}"})
    return others + Counter(f"{{{number}}}" for number in range(counted["{}"]))


def placeholder_spans(text: str) -> Iterator[tuple[tuple[str, ...], tuple[int, int]]]:
    """Yield the names that a placeholder may have in a comparison, and its span.

    A message of ICU is named by its argument, and stands where its first brace is.

    >>> list(placeholder_spans("%s in {}"))
    [(('%s', '%1$s'), (0, 2)), (('{}', '{0}'), (6, 8))]
    """
    for match in _ICU.finditer(text):
        message = message_at(text, match.start())
        if message is not None:
            yield message.parts, match.span()
    addresses = [match.span() for match in _URL.finditer(text)]
    n_printf = n_empty = 0
    for match in _PLACEHOLDER.finditer(text):
        if any(start <= match.start() < stop for start, stop in addresses):
            continue
        names: tuple[str, ...] = (match[0],)
        if match.lastgroup == "printf":
            n_printf += 1
            names += (f"%{n_printf}${match[0][1:]}",)
        elif match[0] == "{}":
            names += (f"{{{n_empty}}}",)
            n_empty += 1
        yield names, match.span()


def own_spans(text: str) -> Iterator[tuple[tuple[str, ...], tuple[int, int]]]:
    """Yield candidates for placeholders of a single file format, with their spans.

    >>> list(own_spans("$COUNT$ files"))
    [(('$COUNT$',), (0, 7))]
    """
    for pattern in _OF_SYNTAX.values():
        for match in pattern.finditer(text):
            yield (match[0],), match.span()
