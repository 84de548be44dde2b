"""The example on the first screen: a segment, and how its outputs differ from the reference.

Beside people or another judge it is the segment on which they and the metric disagree most about
the two systems of the page, and of two systems without a judge the one on which they differ most.
Of one system it is the one with the lowest score by people or, without them, by the metric.
References of fewer than ten characters say little and are left out, and so are outputs that look
broken, which have a list of their own: the lowest score of all may be one of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from celab.base.arguments import JsonObject, Variables
from celab.base.arrays import F64, I64, Bools
from celab.corpus import Corpus
from celab.findings.differences.diff import differences
from celab.people.disagreement import PEOPLE
from celab.systems.segment_order import MIN_LETTERS, count_letters
from celab.tables import cells
from celab.tables.cells import Phrase

# A longer reference, or an output with more marks, is not read at a glance.
MAX_CHARACTERS = 120
MAX_MARKS = 3


def example_of(metric: Variables, pair: tuple[str, str] | None) -> Variables | None:
    """Return the example with its texts and scores; None if no segment is suitable."""
    corpus: Corpus = metric["campaign"].corpus
    systems = list(pair or metric["names"][:1])
    candidates = _candidates(metric, systems)
    if not len(candidates):
        return None
    judge = metric["judge"]
    of_judge = None if judge is None else _of_judge(judge, metric["names"], systems)
    known = of_judge is not None and bool(np.isfinite(of_judge[:, candidates]).all(axis=0).any())
    scores = _of_metric(metric, systems)
    gain = scores if metric["higher"] else -scores
    sizes = _sizes(gain, of_judge if known else None, candidates)
    if not np.nanmax(sizes, initial=0) > 0:
        if len(systems) == 1 or not known:
            return None
        known = False
        sizes = _sizes(gain, None, candidates)
        if not np.nanmax(sizes, initial=0) > 0:
            return None
    place = int(candidates[int(np.nanargmax(sizes))])
    if known and len(systems) == 2 and gain[0, place] < gain[1, place]:
        systems.reverse()  # the choice of the metric is first
        scores = scores[::-1]
        of_judge = None if of_judge is None else of_judge[::-1]
    return {
        "heading": _heading(metric, systems, judge if known else None),
        "place": place,
        "number": metric["names"].index(systems[0]),
        "name": str(corpus.names[place]),
        "domain": corpus.segments[place].domain or "",
        "source": None if corpus.source is None else corpus.source[place],
        "reference": corpus.refs[0][place],
        "scored": _scored(metric, judge if known else None),
        "outputs": [*_outputs(metric, systems, place, scores, of_judge if known else None)],
    }


def _candidates(metric: Variables, systems: Sequence[str]) -> I64:
    """Return the places of segments with references of a good length and whole outputs."""
    corpus: Corpus = metric["campaign"].corpus
    checked = metric["campaign"].outputs
    n = len(corpus.segments)
    broken = (
        set()
        if checked is None
        else {n for s in systems for places in checked.flagged.places(s).values() for n in places}
    )
    lengths = np.array([count_letters(text or "") for text in corpus.refs[0]])
    whole = np.array([place not in broken for place in range(n)])
    longer = (lengths >= MIN_LETTERS) & whole
    short = longer & (lengths <= MAX_CHARACTERS)
    return np.flatnonzero(short if short.any() else longer)


def _of_metric(metric: Variables, systems: Sequence[str]) -> F64:
    return np.stack([metric["of_system"][name].segments.scores for name in systems])


def _of_judge(judge: JsonObject, names: Sequence[str], systems: Sequence[str]) -> F64 | None:
    rows = [judge["scores"][names.index(name)] for name in systems]
    if not all(rows):
        return None
    sign = 1 if judge["higher"] else -1
    return sign * np.array([[np.nan if x is None else x for x in row] for row in rows], float)


def _sizes(gain: F64, of_judge: F64 | None, places: I64) -> F64:
    """Return the suitability of each segment as an example; NaN or 0 if it shows nothing."""
    if len(gain) == 1:
        values = gain[0] if of_judge is None else of_judge[0]
        return np.asarray(np.nanmax(values) - values[places], np.float64)
    if of_judge is None:
        return np.asarray(np.abs(gain[0] - gain[1])[places], np.float64)
    both = np.isfinite(of_judge) & np.isfinite(gain)
    own, theirs = (_shares(values, both) for values in (gain, of_judge))
    d, e = own[0] - own[1], theirs[0] - theirs[1]
    return np.asarray(np.where(d * e < 0, np.abs(d) + np.abs(e), 0.0)[places], np.float64)


def _shares(values: F64, known: Bools) -> F64:
    """Return the percentile of each value among the known values, from 0 to 1."""
    ordered = np.sort(values[known])
    sides = (np.searchsorted(ordered, values, side) for side in ("left", "right"))
    shares = sum(sides) / 2 / max(1, len(ordered))
    return np.asarray(np.where(known, shares, np.nan), np.float64)


def _heading(metric: Variables, systems: Sequence[str], judge: JsonObject | None) -> Phrase:
    is_people = judge is not None and judge["key"] == PEOPLE
    if len(systems) == 1:
        if judge is None:
            return Phrase("A segment with a low score")
        if is_people:
            return Phrase("A segment that people rate low")
        return Phrase("A segment that {0} rates low", judge["name"])
    if judge is None:
        return Phrase("A segment on which the two differ")
    if is_people:
        return Phrase("A segment on which overlap and people disagree")
    return Phrase("A segment on which overlap and {0} disagree", judge["name"])


def _scored(metric: Variables, judge: JsonObject | None) -> Phrase:
    own = Phrase("overlap") if metric["higher"] else Phrase("error rate")
    if judge is None:
        return own
    return Phrase("{0} · {1}", own, Phrase("people") if judge["key"] == PEOPLE else judge["name"])


def _outputs(
    metric: Variables, systems: Sequence[str], place: int, scores: F64, of_judge: F64 | None
) -> Iterator[Variables]:
    corpus: Corpus = metric["campaign"].corpus
    judge = metric["judge"]
    sign = 1 if judge is None or judge["higher"] else -1
    for row, name in enumerate(systems):
        text = corpus.systems[name][place]
        values = [cells.score(float(scores[row, place]), max(metric["digits"] - 1, 0), "page")]
        if of_judge is not None and judge is not None and np.isfinite(of_judge[row, place]):
            value = float(sign * of_judge[row, place])
            values.append(cells.score(value, 0 if value == int(value) else judge["digits"], "page"))
        yield {
            "name": name,
            "parts": _parts(corpus.refs[0][place], text),
            "scores": values,
        }


def _parts(ref: str, hyp: str) -> list[tuple[str, bool]]:
    """Return the parts of an output, each with whether it is marked as extra: the longest are.

    >>> _parts("他买了伞", "他买了一把好伞")
    [('他买了', False), ('一把好', True), ('伞', False)]
    """
    ((difference,),) = differences([ref], [[hyp]])
    moved = {unit for step in difference.moved for unit in range(*step.hyp)}
    spans = [
        step.hyp
        for step in difference.steps
        if any(
            difference.hyp.scripts[unit] not in " ." and unit not in moved
            for unit in range(*step.hyp)
        )
    ]
    longest = sorted(spans, key=lambda span: span[0] - span[1])[:MAX_MARKS]
    texts, parts, done = difference.hyp.texts, list[tuple[str, bool]](), 0
    for start, stop in sorted(longest):
        parts += [("".join(texts[done:start]), False), ("".join(texts[start:stop]), True)]
        done = stop
    return [part for part in (*parts, ("".join(texts[done:]), False)) if part[0]]
