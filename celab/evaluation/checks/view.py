"""Outputs that are not translations → a table of systems by kinds, and lines about them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from celab.base.view import cells
from celab.base.view.cells import p_text, shown
from celab.base.view.tables import Line, Name, Table, View, ViewOptions, line
from celab.corpus.model import Corpus, SegmentName
from celab.evaluation.checks.rules import FILTERS, KINDS, WITHOUT_REFERENCE, describe
from celab.evaluation.references import view as references

if TYPE_CHECKING:
    from celab.evaluation.checks.outputs import Outputs, StreamedOutputs
    from celab.evaluation.pair.comparison import PairComparison
    from celab.evaluation.systems.scored import Scored

NO_SOURCE = "copied: not decided without a source"
NO_REFERENCE = "only empty and repeated outputs are decided without a reference"
BY_SCRIPT = "other-language: decided by the script; languages of the same script are not told apart"
# What the kinds are, for the headings of a table.
MEANINGS = {
    "empty": "the output has no text",
    "refusal": "it begins with a phrase such as “I cannot translate”",
    "wrapped": "the translation is inside something else, such as a preface or a code block",
    "copied": "its letters and digits are those of the source",
    "other-language": "less than a tenth of its letters is in the script of the target language",
    "repeated": "a piece of it comes five times in a row or more",
    "too-long": "it is longer than twice the longest reference and 14 characters",
    "too-short": "the shortest reference is longer than twice the output and 14 characters",
}


def view_of(checked: Outputs, output: ViewOptions) -> View:
    """Return systems by kinds, or, at the level of segments, a row per flagged output."""
    if output.level == "segment":
        table = _listed(checked)
        return View([table], table)
    table = _counted(checked)
    notes = [NO_SOURCE] * (not checked.has_source) + [BY_SCRIPT]
    notes = notes if checked.has_reference else [NO_REFERENCE]
    blocks: list[Table | list[Line]] = [table, [line(note) for note in notes]]
    if checked.references:
        blocks.append(references.table(checked.references))
    blocks.append([line(text) for text in references.lines(checked.noticed, checked.n_segments)])
    if checked.findings or not checked.has_reference:
        from celab.evaluation.findings.view import counted_findings

        blocks.append(counted_findings(checked.findings, list(checked.systems)))
    return View(blocks, table)


def _counted(checked: Outputs) -> Table:
    from celab.evaluation.checks.record import COUNTS, HEADINGS

    filters = [*FILTERS] if checked.filtered else []
    is_decided = [name for name in KINDS if checked.has_reference or name in WITHOUT_REFERENCE]
    headings = [name for name in HEADINGS if name not in KINDS or name in is_decided] + filters
    rows = [
        {"system": system, **checked.counts(system), HEADINGS[-1]: len(flagged)}
        for system, flagged in checked.systems.items()
    ]
    return COUNTS.table(rows, headings)


def _listed(checked: Outputs) -> Table:
    from celab.evaluation.checks.record import FLAGGED, names_of, sorted_rows

    return FLAGGED.table(sorted_rows(checked), names_of(checked))


def remarks(scored: Scored) -> Iterator[str]:
    """Yield lines about systems with outputs that are not translations, then about references.

    The first has the score of the other segments by the first metric.
    """
    if scored.outputs is None:
        return
    by_system = next(iter(scored.scores.values()))
    for system, score in by_system.items():
        kinds = scored.outputs.kinds(system)
        if kinds:
            without = score.of_segments(scored.outputs.translations(system))
            known = None if math.isnan(without) else (score.score, without)
            yield remark(system, kinds, scored.outputs.n_segments, known, score.digits)
        forms = scored.outputs.forms(system)
        if forms and scored.outputs.unwrapped is None:
            yield wrapped_remark(system, forms, scored.outputs.n_segments)
    yield from references.remarks(scored)


def remark(
    system: str,
    kinds: Mapping[str, Sequence[SegmentName]],
    n_segments: int,
    scores: tuple[float, float] | None,
    digits: int,
) -> str:
    """Return the line about one system, from its score and that of its translations, if known."""
    line = f"{system}: {counted(kinds, n_segments)}"
    if scores is None:
        return line
    every, others = scores
    gain = shown(cells.difference(others - every, digits))
    them = "it" if sum(map(len, kinds.values())) == 1 else "them"
    return f"{line}; without {them} {shown(cells.score(others, digits))} ({gain})"


def streamed_remarks(system: str, checked: StreamedOutputs | None, digits: int) -> Iterator[str]:
    """Yield the lines about a system that was scored batch by batch, if it has such outputs."""
    if checked is None or not checked.kinds:
        return
    yield remark(system, checked.kinds, checked.n_segments, checked.scores(), digits)
    if checked.forms:
        yield wrapped_remark(system, checked.forms, checked.n_segments)


def wrapped_remark(system: str, forms: Mapping[str, int], n_segments: int) -> str:
    """Return the line about the wrapped outputs of a system, from their numbers by form.

    >>> wrapped_remark("model", {"preface": 24, "fence": 7}, 634)
    'model: 31 of 634 outputs are wrapped (24 preface, 7 fence); --unwrap scores the text inside'
    """
    return f"{_count_forms(system, forms, n_segments, 'wrapped')}; --unwrap scores the text inside"


def unwrapped_remarks(corpus: Corpus) -> Iterator[str]:
    """Yield a line about each system whose outputs were unwrapped, by form.

    >>> from celab import Campaign
    >>> corpus = Campaign.from_lists({"A": ["译文：买伞"]}, ["买雨伞"], unwrap=True).corpus
    >>> list(unwrapped_remarks(corpus))
    ['A: 1 of 1 outputs is unwrapped (1 preface)']
    """
    for system, forms in (corpus.unwrapped or {}).items():
        if forms:
            yield _count_forms(system, forms, len(corpus.segments), "unwrapped")


def _count_forms(system: str, forms: Mapping[str, int], n_segments: int, verdict: str) -> str:
    n = sum(forms.values())
    are = "is" if n == 1 else "are"
    most_first = sorted(forms.items(), key=lambda item: -item[1])
    counts = ", ".join(f"{count} {form}" for form, count in most_first)
    return f"{system}: {n} of {n_segments} outputs {are} {verdict} ({counts})"


def counted(kinds: Mapping[str, Sequence[SegmentName]], n_segments: int) -> str:
    """Return how many outputs of a system are not translations.

    >>> counted({"empty": [3]}, 20)
    '1 of 20 outputs is not a translation (1 empty)'
    """
    n = sum(map(len, kinds.values()))
    number = f"{n} of {n_segments} outputs" if n < n_segments else f"all {n} outputs"
    are = "is not a translation" if n == 1 and n < n_segments else "are not translations"
    return f"{number} {are} ({describe(kinds)})"


def verdicts(compared: PairComparison) -> Iterator[Line]:
    """Yield a line per system with such outputs, and one on the difference without them."""
    without = compared.outputs
    if without is None:
        return
    for name, kinds in without.kinds.items():
        if kinds:
            yield Line((Name(name), f": {counted(kinds, compared.n_segments)}"), "verdict")
    them = "it" if without.n_outputs == 1 else "them"
    start = f"{compared.metrics[without.metric].name} without {them}"
    yield Line((f"{start}: {_difference(compared, 'instead of', 'difference ')}",), "verdict")


def brief_verdict(compared: PairComparison) -> list[Line]:
    """Return one line on both systems, or none."""
    without = compared.outputs
    if without is None:
        return []
    start = "1 output is not a translation; without it"
    if without.n_outputs > 1:
        start = f"{without.n_outputs} outputs are not translations; without them"
    return [Line((f"{start} {_difference(compared, 'not')}",), "verdict")]


def _difference(compared: PairComparison, relation: str, label: str = "") -> str:
    without = compared.outputs
    assert without is not None
    if not without.n_segments:
        return "no segment is left"
    metric = compared.metrics[without.metric]
    after, before = (
        shown(cells.difference(x, metric.digits)) for x in (without.difference, metric.difference)
    )
    separator = "" if relation == "instead of" else ","
    return f"{label}{after}{separator} {relation} {before} (p {p_text(without.p)})"
