"""Where a finding stands: what is lost in the source, and what is added in the output.

Inline codes are not in the texts, and plural categories that are absent stand nowhere: these have
no place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from celab.evaluation.findings.placeholders import placeholder_spans
from celab.evaluation.findings.rules import MARKUP, edge_spans, find
from celab.evaluation.findings.tags import tag_spans
from celab.evaluation.tables import Change, Finding, Producer, Span, Subject

Places = list[Span | None]


def finding_spans(finding: Finding, source: str) -> tuple[Places, Places]:
    """Return a place in the source for all that is lost, and in the output for what is added.

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
    """Return what a finding of the kind may name in a text, with all its names."""
    if kind == "tags":
        return [((str(tag),), span) for tag, span in tag_spans(text)]
    return [*placeholder_spans(text)]


def _spans(names: Sequence[str], candidates: Sequence[tuple[tuple[str, ...], Span]]) -> Places:
    """Return a place for each name, None if it has none; of several equal ones, the last."""
    left = [*candidates]
    spans: Places = []
    for name in names:
        place = next((k for k in reversed(range(len(left))) if name in left[k][0]), None)
        spans.append(None if place is None else left.pop(place)[1])
    return spans


def _pieces(subject: Subject) -> Iterator[Finding]:
    """Yield a row per piece of text, kind by kind; `note` is whether it is lost or added."""
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
    "markup",
    "Placeholders, tags and lengths",
    MARKUP,
    find,
    about=_ABOUT,
    chinese={
        "Placeholders, tags and lengths": "占位符、标签与长度",
        _ABOUT: "这些译文丢失或多出了翻译中必须保留的内容。"
        "这样的输出仍可能是合格的译文，任何得分都与此无关。",
    },
    page=_pieces,
)
