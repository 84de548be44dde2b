"""Where a finding stands: what is lost in the source, and what is added in the output.

Inline codes are not in the texts, and plural categories that are absent stand nowhere: these have
no place.
"""

from __future__ import annotations

from collections.abc import Sequence

from celab.evaluation.findings.placeholders import placeholder_spans
from celab.evaluation.findings.rules import edge_spans
from celab.evaluation.findings.tags import tag_spans
from celab.evaluation.tables import Change, Finding, Span

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
