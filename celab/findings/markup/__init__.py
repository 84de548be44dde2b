"""Placeholders, tags and lengths: source and output → findings of what is lost and added.

An output with such a finding may still be a translation. An output without text has no findings. Of
a wrapped output (`celab.corpus.answers.forms`), the translation inside is compared: `<think>`
around it is not an added tag.

Lost pieces have a place in the source, added pieces in the output. Inline codes, which are not in
the texts, and absent plural categories have no place.

A tag of HTML counts, and so does any other tag that has attributes, closes itself or has its
partner in the text: `<0>…</0>`. Other text in angle brackets, such as `<name>` in prose, does not.
Attributes may be translated, so only names are compared; `<br>`, `<br/>` and `<br />` are one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from celab.base.languages import language_code
from celab.base.text.tokens import is_blank
from celab.corpus.answers.forms import Context, text_inside
from celab.corpus.model import Corpus
from celab.findings.finding import Change, Check, Finding, Needs, Producer, Span, Subject
from celab.findings.markup.placeholders import (
    compare_own,
    compare_placeholders,
    own_spans,
    placeholder_spans,
    with_branches_of,
)

_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]{0,30}|\d{1,3})((?:\s+[^<>]{0,500})?)(\s*/)?>")
_CODE_NAME = re.compile(r"<(/?)(\w+)")
# Closing codes of XLIFF and TMX, and the codes that open them.
_OPENED_BY = {"ept": "bpt", "ex": "bx", "ec": "sc"}
_ATTRIBUTES = re.compile(r"\s+[\w:.-]+\s*=\s*[\"'\w]")
_EMPTY = frozenset("br hr img input wbr area base col embed link meta source track".split())
_HTML = _EMPTY | frozenset(
    "a abbr b bdi bdo big blockquote body button caption center cite code dd del details dfn div dl"
    " dt em figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header html i iframe ins kbd"
    " label legend li main mark nav ol optgroup option p pre q rp rt ruby s samp script section"
    " select small span strike strong style sub summary sup svg table tbody td textarea tfoot th"
    " thead title tr tt u ul var video audio canvas".split()
)


class InlineTag(NamedTuple):
    """A tag of a text, without its attributes."""

    name: str
    closes: bool
    is_empty: bool

    def __str__(self) -> str:
        return f"<{'/' * self.closes}{self.name}{'/' * self.is_empty}>"


def tags_of(text: str) -> list[InlineTag]:
    """Return the tags of a text, in their order.

    >>> [str(tag) for tag in tags_of("<b>Hi</b><br> <name> 1 < 2")]
    ['<b>', '</b>', '<br/>']
    """
    return [tag for tag, _ in tag_spans(text)]


def tag_spans(text: str) -> list[tuple[InlineTag, tuple[int, int]]]:
    """Return the tags of a text with their spans, in order."""
    if "<" not in text:
        return []
    matches = list(_TAG.finditer(text))
    closed = {match[2].lower() for match in matches if match[1]}
    opened = {match[2].lower() for match in matches if not match[1]}
    tags = []
    for match in matches:
        name = match[2].lower()
        is_empty = name in _EMPTY or bool(match[4]) or match[3].endswith("/")
        is_paired = name in closed and name in opened
        if name in _HTML or is_empty or is_paired or _ATTRIBUTES.match(match[3]):
            tags.append((InlineTag(name, bool(match[1]) and not is_empty, is_empty), match.span()))
    return tags


def is_nested(tags: Sequence[InlineTag]) -> bool:
    """Return whether every tag is closed, in the opposite order."""
    return misplaced(tags) is None


def misplaced(tags: Sequence[InlineTag]) -> InlineTag | None:
    """Return the first tag that is closed out of order or not at all, or None."""
    is_open: list[InlineTag] = []
    for tag in tags:
        if tag.is_empty:
            continue
        if not tag.closes:
            is_open.append(tag)
        elif not is_open or is_open.pop().name != tag.name:
            return tag
    return is_open[0] if is_open else None


def compare_tags(source: str, output: str) -> tuple[list[str], list[str]]:
    """Return the tags that the output has lost and added; a misplaced tag counts as added.

    >>> compare_tags("Press <b>OK</b>", "按<b>确定")
    (['</b>'], [])
    >>> compare_tags("<b><i>x</i></b>", "<b><i>x</b></i>")
    ([], ['</b>'])
    """
    expected, seen = tags_of(source), tags_of(output)
    if not expected and not seen:
        return [], []
    lost, added = _difference(list(map(str, expected)), list(map(str, seen)))
    if not lost and not added and is_nested(expected) and (tag := misplaced(seen)):
        return [], [str(tag)]
    return lost, added


def compare_codes(source: Sequence[str], output: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the inline codes that the output has lost and added.

    Codes may overlap and change their order. A code that closes before any is open counts as added.

    >>> compare_codes(['<bpt id="1">', '<ept id="1">'], ['<ept id="1">', '<bpt id="1">'])
    ([], ['<ept id="1">'])
    """
    if source == output:
        return [], []
    lost, added = _difference(source, output)
    if not lost and not added and (code := unopened(output)) and not unopened(source):
        return [], [code]
    return lost, added


def unopened(codes: Sequence[str]) -> str:
    """Return the first code that closes without an open partner, or ""."""
    n_open: Counter[str] = Counter()
    for code in codes:
        name = _CODE_NAME.match(code)
        if name is None:
            continue
        opening = name[2].lower() if name[1] else _OPENED_BY.get(name[2], "")
        if not opening:
            n_open[name[2].lower()] += 1
        elif n_open[opening] == 0:
            return code
        else:
            n_open[opening] -= 1
    return ""


def _difference(source: Sequence[str], output: Sequence[str]) -> tuple[list[str], list[str]]:
    expected, seen = Counter(source), Counter(output)
    return list((expected - seen).elements()), list((seen - expected).elements())


_LINE_BREAK = r"\n"  # messages show a backslash and n
Compared = tuple[list[str], list[str]]  # lost placeholders, added placeholders


class Pair(NamedTuple):
    """A source and an output, with inline codes and the greatest length, if the file has them."""

    source: str
    output: str
    lang: str
    codes: tuple[Sequence[str], Sequence[str]] | None = None  # None outside of translators' files
    limit: int | None = None
    syntax: str = ""  # syntax of placeholders that only the file format knows, such as Android's


def find(subject: Subject) -> Iterator[Finding]:
    """Yield the findings about all outputs, system by system."""
    corpus, lang = subject.corpus, language_code(subject.lang)
    checks = [check for check in MARKUP.values() if subject.is_looked_for(check)]
    for system, outputs in corpus.systems.items():
        codes = corpus.codes.systems.get(system, ()) if corpus.codes.source else ()
        for row, (source, output) in enumerate(zip(corpus.source or (), outputs, strict=True)):
            if is_blank(output) or is_blank(source):
                continue
            own = (corpus.codes.source[row], codes[row]) if codes else None
            text = output if corpus.unwrapped else _inside(output, corpus, row)
            pair = Pair(source, text, lang, own, corpus.codes.max_lengths.get(row), corpus.syntax)
            for check in checks:
                lost, added = check.rule(pair)
                if lost or added:
                    change = Change(tuple(lost), tuple(added))
                    yield Finding(system, row, "markup", check.name, text=output, value=change)


def _inside(output: str, corpus: Corpus, row: int) -> str:
    """Return the translation in a wrapped output; other outputs are returned unchanged.

    Markup around a whole output, such as `<b>`, is kept, because tags are compared.
    """
    source = corpus.source[row] if corpus.source else None
    inside = text_inside(output, Context(source, [side[row] for side in corpus.refs]))
    return inside.text if inside.text and inside.form != "markup" else output


def _compare_placeholders(pair: Pair) -> Compared:
    source = pair.source
    if pair.syntax == "json-keys":
        source = with_branches_of(pair.output, source)
    lost, added = compare_placeholders(source, pair.output, pair.lang)
    of_format = compare_own(source, pair.output, pair.syntax)
    lost, added = lost + of_format[0], added + of_format[1]
    if pair.codes is None:
        return lost, added
    breaks = compare_line_breaks(pair.source, pair.output)
    return lost + breaks[0], added + breaks[1]


def _compare_tags(pair: Pair) -> Compared:
    of_text = compare_tags(pair.source, pair.output)
    of_codes = compare_codes(*pair.codes or ((), ()))
    return of_text[0] + of_codes[0], of_text[1] + of_codes[1]


def _compare_lengths(pair: Pair) -> Compared:
    is_long = pair.limit is not None and len(pair.output) > pair.limit
    return [], [pair.output[pair.limit :]] if is_long else []


def compare_line_breaks(source: str, output: str) -> tuple[list[str], list[str]]:
    r"""Return the line breaks at the ends of a message that the output has lost and added.

    >>> compare_line_breaks("Done.\n", "完成。")
    (['\\n'], [])
    """
    ends = [(text.startswith("\n"), text.endswith("\n")) for text in (source, output)]
    pairs = list(zip(*ends, strict=True))
    return [_LINE_BREAK] * pairs.count((True, False)), [_LINE_BREAK] * pairs.count((False, True))


def compare_edges(source: str, output: str) -> tuple[list[str], list[str]]:
    """Return the white space at the ends of the source, and of the output, where they differ.

    >>> compare_edges("Name: ", "姓名：")
    ([' '], [])
    """
    sides = zip((source, output), edge_spans(source, output), strict=True)
    lost, added = ([text[start:stop] for start, stop in spans] for text, spans in sides)
    return lost, added


def edge_spans(source: str, output: str) -> tuple[list[Span], list[Span]]:
    """Return the spans of white space at the ends of source and output, where they differ."""
    lost: list[Span] = []
    added: list[Span] = []
    for edge in (_start, _end):
        expected, seen = edge(source), edge(output)
        if source[slice(*expected)] != output[slice(*seen)]:
            lost += [expected] if expected[0] < expected[1] else []
            added += [seen] if seen[0] < seen[1] else []
    return lost, added


def _start(text: str) -> Span:
    return 0, len(text) - len(text.lstrip())


def _end(text: str) -> Span:
    return len(text.rstrip()), len(text)


MARKUP: dict[str, Check] = {
    check.name: check
    for check in (
        Check(
            name="placeholder",
            meaning="placeholders of the source are lost or added,"
            " or line breaks at the ends of a message",
            rule=_compare_placeholders,
            needs=Needs.SOURCE,
            chinese=("占位符", "源文的占位符丢失或多出，或消息首尾的换行不同"),
        ),
        Check(
            name="tags",
            meaning="tags or inline codes are lost or added, or no longer nested",
            rule=_compare_tags,
            needs=Needs.SOURCE,
            chinese=("标签", "标签或内联代码丢失、多出，或不再正确嵌套"),
        ),
        Check(
            name="length",
            meaning="the output is longer than the file allows",
            rule=_compare_lengths,
            needs=Needs.SOURCE,
            chinese=("超长", "译文长度超过文件允许的上限"),
        ),
        Check(
            name="edges",
            meaning="white space at the beginning or the end differs from the source",
            rule=lambda pair: compare_edges(pair.source, pair.output),
            needs=Needs.SOURCE,
            chinese=("首尾空白", "首尾空白与源文不同"),
            verdict=False,
        ),
    )
}


Places = list[Span | None]


def finding_spans(finding: Finding, source: str) -> tuple[Places, Places]:
    """Return the places of the lost pieces in the source, and of the added ones in the output.

    >>> change = Change(("%s",), ("{桶}",))
    >>> finding = Finding("A", 0, "markup", "placeholder", text="删除{桶}", value=change)
    >>> finding_spans(finding, "Delete %s?")
    ([(7, 9)], [(2, 5)])
    """
    output, change = finding.text, finding.value
    assert isinstance(change, Change)
    if finding.kind == "edges":
        lost, added = edge_spans(source, output)
        return [*lost], [*added]
    if finding.kind == "length":
        return [], [(len(output) - len(rest), len(output)) for rest in change.added]
    return (
        _spans(change.lost, _candidates(finding.kind, source)),
        _spans(change.added, _candidates(finding.kind, output)),
    )


def _candidates(kind: str, text: str) -> list[tuple[tuple[str, ...], Span]]:
    """Return the pieces of a text that a finding of the kind may name: names and span of each."""
    if kind == "tags":
        return [((str(tag),), span) for tag, span in tag_spans(text)]
    return [*placeholder_spans(text), *own_spans(text)]


def _spans(names: Sequence[str], candidates: Sequence[tuple[tuple[str, ...], Span]]) -> Places:
    """Return the span of each name, or None; of several equal candidates the last."""
    left = [*candidates]
    spans: Places = []
    for name in names:
        place = next((k for k in reversed(range(len(left))) if name in left[k][0]), None)
        spans.append(None if place is None else left.pop(place)[1])
    return spans


def _pieces(subject: Subject) -> Iterator[Finding]:
    """Yield a finding per piece of text, kind by kind; `note` is "lost" or "added"."""
    source = subject.corpus.source or ()
    findings = [*find(subject)]
    for kind in MARKUP:
        for row in findings:
            if row.kind == kind and row.segment is not None:
                spans = finding_spans(row, source[row.segment])
                for note, texts, places in zip(Change._fields, row.value, spans, strict=True):
                    for text, span in zip_longest(texts, places):
                        yield row._replace(span=span, text=text, note=note, value=None)


_ABOUT = (
    "Outputs in which something that must survive translation is lost or added. Such an output may"
    " still be a translation, and no score depends on it."
)
PRODUCER = Producer(
    name="markup",
    title="Placeholders, tags and lengths",
    kinds=MARKUP,
    find=find,
    about=_ABOUT,
    chinese={
        "Placeholders, tags and lengths": "占位符、标签与长度",
        _ABOUT: "这些译文丢失或多出了翻译中必须保留的内容。"
        "这样的输出仍可能是合格的译文，任何得分都与此无关。",
    },
    page=_pieces,
)
