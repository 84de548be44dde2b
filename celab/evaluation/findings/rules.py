r"""What must survive: source and output → what is lost and added, by kind.

    placeholder  placeholders differ, as multisets; in translators' files also line breaks at the
                 beginning or the end of a message, which gettext asks for
    tags         tags or inline codes differ, or tags are no longer nested
    length       the output is longer than the file allows; the rest is `added`
    edges        white space at the beginning or the end differs; a filter, no verdict

They are findings about an output, beside its kind: a translation with a lost `%s` is a translation.
An output without text has no findings, and one that is wrapped (`celab.corpus.answers.forms`) is
judged by the translation inside: `<think>` around it is no tag that was added.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import ClassVar

from celab.base.frozen import dataclass
from celab.base.languages import language_code
from celab.base.text.tokens import is_blank
from celab.corpus.answers.forms import Context, text_inside
from celab.corpus.model import Corpus, SegmentName
from celab.evaluation.findings import placeholders, tags

Span = tuple[int, int]  # of characters
KINDS = ("placeholder", "tags", "length")
FILTERS = ("edges",)
_LINE_BREAK = r"\n"  # as messages write it


@dataclass(frozen=True, slots=True)
class MarkupFinding:
    """What an output has lost or added of the source, by the name of its segment.

    JSON leaves out `text`, the output, because an output may have several findings, and `place`,
    that of the segment, from 0.
    """

    system: str
    segment: SegmentName
    kind: str
    lost: tuple[str, ...]
    added: tuple[str, ...]
    text: str = ""
    place: int = field(default=0, compare=False)
    _omitted: ClassVar = frozenset({"text", "place"})


def find(corpus: Corpus, lang: str = "zh", *, filters: bool = False) -> list[MarkupFinding]:
    """Return the findings about all outputs, system by system; none without a source."""
    if corpus.source is None:
        return []
    lang = language_code(lang)
    findings, names = [], corpus.names
    for system, outputs in corpus.systems.items():
        codes = corpus.codes.systems.get(system, ()) if corpus.codes.source else ()
        for row, (source, output) in enumerate(zip(corpus.source, outputs, strict=True)):
            if is_blank(output) or is_blank(source):
                continue
            pair = (corpus.codes.source[row], codes[row]) if codes else None
            limit = corpus.codes.max_lengths.get(row)
            text = output if corpus.unwrapped else _inside(output, corpus, row)
            for kind, lost, added in _of_output(source, text, lang, pair, limit, filters):
                where = system, names[row], kind
                findings.append(MarkupFinding(*where, tuple(lost), tuple(added), output, row))
    return findings


def _inside(output: str, corpus: Corpus, row: int) -> str:
    """Return the translation in a wrapped output; any other output as it is.

    Markup around all of an output, such as `<b>`, is part of it here: it is what tags are about.
    """
    source = corpus.source[row] if corpus.source else None
    inside = text_inside(output, Context(source, [side[row] for side in corpus.refs]))
    return inside.text if inside.text and inside.form != "markup" else output


def _of_output(
    source: str,
    output: str,
    lang: str,
    codes: tuple[Sequence[str], Sequence[str]] | None,  # None outside of translators' files
    limit: int | None,
    filters: bool,
) -> Iterator[tuple[str, list[str], list[str]]]:
    lost, added = placeholders.compare(source, output, lang)
    if codes is not None:
        breaks = compare_line_breaks(source, output)
        lost, added = lost + breaks[0], added + breaks[1]
    if lost or added:
        yield "placeholder", lost, added
    of_text, of_codes = tags.compare(source, output), tags.compare_codes(*codes or ((), ()))
    lost, added = of_text[0] + of_codes[0], of_text[1] + of_codes[1]
    if lost or added:
        yield "tags", lost, added
    if limit is not None and len(output) > limit:
        yield "length", [], [output[limit:]]
    if filters:
        lost, added = compare_edges(source, output)
        if lost or added:
            yield "edges", lost, added


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
    """Return where white space stands at the ends of source and output, where they differ."""
    lost: list[Span] = []
    added: list[Span] = []
    for edge in (_start, _end):
        expected, seen = edge(source), edge(output)
        if source[slice(*expected)] != output[slice(*seen)]:
            lost += [expected] * (expected[0] < expected[1])
            added += [seen] * (seen[0] < seen[1])
    return lost, added


def _start(text: str) -> Span:
    return 0, len(text) - len(text.lstrip())


def _end(text: str) -> Span:
    return len(text.rstrip()), len(text)
