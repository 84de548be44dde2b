"""References that were made from the output of a system: equal texts, close edits, and a test.

Whoever translates a segment may arrive at the text of a system, but then other systems often have
it, too: such segments are easy. A reference that was made from the output of a system agrees with
that system alone, or is closer to it than to any other. The test counts these segments:

    x = segments in which the reference agrees with the system, and at most a tenth of the other
        systems is as close to it
    p = P(X ≥ x), X ~ Poisson(λ)
    λ = shared / 3 + 0.05 · rest / systems · min(1, 4 / systems)^1.5

`shared` are the segments in which the reference agrees with two other systems or more, but not with
this one: the easier a test set, the more agreement by chance. `rest` are the segments in which it
does not agree with one system alone. Copies of another system enter neither, so they hide nothing.
With one system, λ is 5% of the segments, which no independent reference has reached. A system is
named if p < 0.001 and x ≥ 5. Systems that are equal in almost all segments count as one. Those that
are equal to a system in more than a quarter of the segments are its relatives, and not among its
others: a reference that was made from one of them agrees with all. If nobody else is left, a system
is tested as if it were the only one. Equal texts are also tested by themselves, and the lower p
counts; with fewer than 50 segments there is no other test, because an author may have made close
edits for an example.

A segment is long enough if it has 12 characters of Chinese, Japanese or Korean, or 40 letters. A
close edit changes at most three of the letters and digits, and at most 15% of them; punctuation,
case, width and Chinese script do not count. docs/reading-scores.md has the evidence.

Twins: a reference that is given twice, or as a system, and systems that are one system.

Two sides are twins if they are equal in at least 95% of the segments that both have, which are
five or more with three different texts or more.

Shifted lines: a run of segments that fit the neighbors of their references better.

A line that was lost or doubled shifts all lines after it. The fit of two texts is the share of
their grams that they have in common (`celab.base.text.counts`). For each line, its fit with the
neighbor of its reference minus that with the reference itself is below zero, unless the line is
shifted; the run of lines with the greatest sum is reported if that is 0.8 or more, over five lines
or more, and 0.1 or more a line: texts in different scripts share grams only by chance, which lines
that repeat can add up. In the test sets of docs/reading-scores.md no run has reached 0.4.

Lines in another order: where a third of the lines and more fit neither their reference better than
its neighbors, up to a hundred of them are compared with all references. The lines are in another
order if a third of these and more, and at least eight, fit one other reference better than their
own, by 0.1, and than the next best, by 0.05. Lines of fewer than five letters are not counted. In
the test sets at most 5% do, and at most 15% of summaries; of outputs in another order, half and
more.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import compress, groupby
from typing import Literal, NamedTuple, get_args

import numpy as np

from celab.base.arrays import F64, I8, I64, Bools
from celab.base.text.counts import GRAMS_OF_EDIT, GRAMS_OF_WIDE_EDIT, FoldedTexts
from celab.corpus.model import list_names
from celab.tables.result import Result
from celab.tables.view import NORMAL, View, ViewOptions, line

LEAST_LETTERS = 40
LEAST_WIDE = 12
MOST_EDITS = 3
MOST_EDITED = 0.15  # share of the characters
RELATED = 0.25  # share of the long segments in which systems are equal
SIGNIFICANT = 0.001
LEAST = 5  # segments
ENOUGH = 50  # segments of which close edits count
_RATE, _SYSTEMS, _FALL = 0.05, 4, 1.5
_OF_SHARED = 3
_OF_OTHERS = 10  # one in so many may be as close
_LEAST_MEAN = 0.2
FAR = 127  # edits of texts that do not agree


class Side(NamedTuple):
    """The texts of a reference or a system, and their counts."""

    texts: Sequence[str]
    counts: FoldedTexts


class Agreement(NamedTuple):
    """Segments in which a reference is equal to an output, and the edits that make it so."""

    equal: Bools
    edits: I8  # `FAR` where they do not agree

    @property
    def either(self) -> Bools:
        """Segments in which they are equal or nearly equal."""
        return np.asarray(self.edits < FAR)


class Excess(NamedTuple):
    """A system that a reference agrees with more than with the others, and the p-value."""

    system: str
    p: float


class Allowance(NamedTuple):
    """Greatest differences of a close edit from each text of a reference; -1 if it is too short."""

    edits: I64
    grams: I64

    @property
    def n_long(self) -> int:
        """Number of texts that are long enough for agreement to mean something."""
        return int((self.edits >= 0).sum())


def allowance(counts: FoldedTexts) -> Allowance:
    """Return the greatest differences of close edits from texts."""
    lengths, n_wide = counts.lengths(), counts.n_wide()
    weights = (lengths - n_wide) * LEAST_WIDE + n_wide * LEAST_LETTERS
    edits = np.minimum(MOST_EDITS, (lengths * MOST_EDITED).astype(np.int64))
    edits[weights < LEAST_LETTERS * LEAST_WIDE] = -1
    of_edit = np.where(n_wide == lengths, GRAMS_OF_WIDE_EDIT, GRAMS_OF_EDIT)
    return Allowance(edits, 2 * of_edit * edits)


def agreement(reference: Side, output: Side, allowed: Allowance) -> Agreement:
    """Return where a reference is equal to the output of a system, or nearly, and long enough."""
    n_edits = reference.counts.edits(output.counts, allowed.edits, allowed.grams)
    equal = np.zeros(len(reference.texts), np.bool_)
    for i in np.flatnonzero(n_edits == 0).tolist():  # white space and punctuation make no edit
        text, other = reference.texts[i], output.texts[i]
        equal[i] = text == other or _dense(text) == _dense(other)
    return Agreement(equal, np.where(n_edits < 0, FAR, n_edits).astype(np.int8))


def _dense(text: str) -> str:
    return "".join(text.split())


def find_relatives(
    systems: Mapping[str, Sequence[str]], groups: Sequence[Sequence[str]], is_long: Bools
) -> Bools:
    """Return groups × groups: whether two are equal in more than a quarter of the long segments."""
    relatives = np.zeros((len(groups), len(groups)), np.bool_)
    chosen = is_long.tolist()
    texts = [[*compress(systems[group[0]], chosen)] for group in groups]
    for a, b, _ in _of_equal_lengths(texts, RELATED):
        equal = [text for text, other in zip(texts[a], texts[b], strict=True) if text == other]
        is_related = sum(map(bool, map(str.strip, equal))) > RELATED * is_long.sum()
        relatives[a, b] = relatives[b, a] = is_related
    return relatives


def excesses(
    agreements: Mapping[str, Agreement],
    n_long: int,
    groups: Sequence[Sequence[str]],
    relatives: Bools | None = None,
) -> list[Excess]:
    """Return the systems that a reference agrees with more than chance explains.

    Parameters:
        agreements: the agreement of the reference with each system.
        n_long: number of segments that are long enough.
        groups: the systems; those that are equal in almost all segments are in one group.
        relatives: groups × groups, of `find_relatives`; None if there are none.

    A system whose agreement is explained by that of another, which is like it, is left out.
    """
    members = [[agreements[name] for name in group] for group in groups]
    equal = np.array([np.any([each.equal for each in group], axis=0) for group in members])
    counted = [np.where(equal, np.int8(0), np.int8(FAR))]
    if n_long >= ENOUGH:
        counted.append(np.array([np.min([each.edits for each in group], 0) for group in members]))
    found = np.min([p_values(edits, n_long, relatives) for edits in counted], axis=0).tolist()
    named = [g for g, p in enumerate(found) if p < SIGNIFICANT]
    explains = partial(_explains, counted[-1], n_long, relatives)
    kept = [g for g in named if not any(explains(other, g) for other in named if other != g)]
    return [Excess(name, found[g]) for g in kept for name in groups[g]]


def _explains(edits: I8, n_long: int, relatives: Bools | None, cause: int, effect: int) -> bool:
    """Return whether one system is closer often enough, and the other is not."""
    difference = edits[cause] - edits[effect]
    p_of_cause = p_values(np.where(difference < 0, edits, FAR), n_long, relatives)[cause]
    p_of_effect = p_values(np.where(difference > 0, edits, FAR), n_long, relatives)[effect]
    return p_of_cause < SIGNIFICANT <= p_of_effect


def p_values(edits: I8, n_long: int, relatives: Bools | None = None) -> list[float]:
    """Return p for each system, which is a row of edits, among those that are not its relatives."""
    edits = edits[:, (edits < FAR).any(axis=0)]
    compared = np.ones((len(edits), len(edits)), np.bool_) if relatives is None else ~relatives
    found = []
    for others, row in zip(compared, edits, strict=True):
        agrees, n_systems = edits[others] < FAR, len(edits) if others.sum() > 1 else 1
        n_agreeing, is_agreeing = agrees.sum(axis=0), row < FAR
        n_rest = n_long - int((n_agreeing == 1).sum())
        by_rate = _RATE * n_rest / n_systems * min(1, _SYSTEMS / n_systems) ** _FALL
        few = (len(agrees) - 1) // _OF_OTHERS
        is_closest = is_agreeing & ((edits[others] <= row).sum(axis=0) - 1 <= few)
        n_shared = int((~is_agreeing & (n_agreeing > 1)).sum())
        x, mean = int(is_closest.sum()), max(n_shared / _OF_SHARED + by_rate, _LEAST_MEAN)
        found.append(poisson_tail(x, mean) if x >= LEAST else 1.0)
    return found


def poisson_tail(least: int, mean: float) -> float:
    """Return the probability of a Poisson variable to be at least a number.

    >>> round(poisson_tail(3, 1.0), 4)
    0.0803
    """
    term = math.exp(least * math.log(mean) - mean - math.lgamma(least + 1))
    total, number = 0.0, least
    while term > total * 1e-17:
        total += term
        number += 1
        term *= mean / number
    return min(total, 1.0)


TwinKind = Literal["references", "reference-and-system", "systems"]
_ORDER = get_args(TwinKind)
LEAST_SHARE = 0.95
LEAST_SEGMENTS = 5
LEAST_TEXTS = 3


@dataclass(frozen=True, slots=True)
class Twins(Result):
    """Two sides that are equal in almost all segments.

    Attributes:
        kind: "references", "reference-and-system" or "systems".
        names: names of the two sides.
        equal: number of segments in which they are equal.
        segments: number of segments that both have.
    """

    kind: TwinKind
    names: tuple[str, str]
    equal: int
    segments: int

    def view(self, options: ViewOptions = NORMAL) -> View:
        """Return the line about the two."""
        return View([[line(twins_line(self))]])


def find_twins(
    refs: Sequence[tuple[str, Sequence[str]]], systems: Mapping[str, Sequence[str]]
) -> list[Twins]:
    """Return all pairs of twins: references first, then references with systems, then systems."""
    sides = [*refs, *systems.items()]
    twins = []
    for a, b, n_common in _of_equal_lengths([texts for _, texts in sides], LEAST_SHARE):
        (name, texts), (other_name, others) = sides[a], sides[b]
        equal = [text for text, other in zip(texts, others, strict=True) if text == other != ""]
        is_enough = n_common >= LEAST_SEGMENTS and len(equal) >= LEAST_SHARE * n_common
        if is_enough and len(set(equal)) >= LEAST_TEXTS:
            kind: TwinKind = "reference-and-system" if a < len(refs) else "systems"
            kind = "references" if b < len(refs) else kind
            twins.append(Twins(kind, (name, other_name), len(equal), n_common))
    return sorted(twins, key=lambda pair: _ORDER.index(pair.kind))


def _of_equal_lengths(
    sides: Sequence[Sequence[str]], share: float
) -> Iterator[tuple[int, int, int]]:
    """Yield the pairs of sides that may be equal in that share of the segments that both have.

    With them comes the number of these segments. Equal texts are equally long, so most pairs need
    not be compared.
    """
    lengths = np.array([[*map(len, texts)] for texts in sides], np.int32)
    is_text = lengths > 0
    for a in range(len(sides) - 1):
        n_equal = (lengths[a + 1 :] == lengths[a]).sum(axis=1)
        n_common = (is_text[a + 1 :] & is_text[a]).sum(axis=1)
        is_enough = n_equal >= share * n_common
        yield from ((a, a + 1 + b, int(n_common[b])) for b in np.flatnonzero(is_enough).tolist())


def group(names: Sequence[str], twins: Sequence[Twins]) -> list[list[str]]:
    """Return the systems, with twins in one group.

    >>> group(["A", "B", "C"], [Twins("systems", ("A", "C"), 99, 100)])
    [['A', 'C'], ['B']]
    """
    groups = {name: [name] for name in names}
    for pair in twins:
        first, second = (groups.get(name) for name in pair.names)
        if pair.kind == "systems" and first is not second:
            assert first is not None
            assert second is not None
            first += second
            groups |= dict.fromkeys(second, first)
    return [*{id(members): members for members in groups.values()}.values()]


def twins_line(pair: Twins) -> str:
    """Return the line about two sides that are equal in almost all segments."""
    a, b = pair.names
    number = f"{pair.equal} of {pair.segments}" if pair.equal < pair.segments else "all"
    number += f" {pair.segments}" * (pair.equal == pair.segments)
    equal = f"are equal in {number} segments"
    if pair.kind == "references":
        return f"references {a} and {b} {equal}: is one reference given twice?"
    if pair.kind == "systems":
        return f"systems {a} and {b} {equal}: are they one system?"
    return f"{a} and the outputs of {b} {equal}: is the reference given as a system?"


LEAST_SUM = 0.8
LEAST_LINES = 5
LEAST_MEAN = 0.1
OFFSETS = (1, -1)
MIN_DOUBTFUL = 0.35  # share of lines that fit a neighbor of their reference as well, or better
MIN_MOVED = 0.3  # share of lines that fit another reference much better
MIN_LINES, MAX_LINES = 20, 100  # that are compared with all references
MAX_PAIRS = 4_000_000  # of lines and references, if the least number of lines allows it
MIN_LETTERS = 5  # of a line that counts
MIN_MOVED_LINES = 8
MIN_GAIN, MIN_LEAD = 0.1, 0.05  # of the fit over that of the own reference, and of the next best
_CANDIDATES = 3  # references whose grams are compared exactly
_CHUNK = 1 << 16  # references at a time
_MAX_LETTERS = 300  # of a text that are compared
_WIDE = "\u2e80"  # the first of the characters whose grams are pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift(Result):
    """Lines that fit the references of other lines.

    Attributes:
        name: file or name of the side with these lines.
        reference: file or name of the reference.
        offset: 1 if they fit the reference one line later, -1 if one line earlier, 0 if they fit
            other lines anywhere.
        first, last: names of the first and the last of these segments.
        is_to_end: whether the run goes to the end.
    """

    name: str
    reference: str
    offset: int
    first: int | str
    last: int | str
    is_to_end: bool

    def view(self, options: ViewOptions = NORMAL) -> View:
        """Return the line about these lines."""
        return View([[line(shift_warning([self.name], self))]])


def find_shift(texts: FoldedTexts, reference: FoldedTexts) -> tuple[int, int, int] | None:
    """Return the offset and the range of the lines that are shifted, or None.

    The offset is 1 if the lines fit the reference one line later, -1 if one line earlier, and 0 if
    all lines are in another order.
    """
    itself = _fit(texts, reference, 0)
    neighbors = {offset: _fit(texts, reference, offset) for offset in OFFSETS}
    runs = [(*_greatest(fit - itself), offset) for offset, fit in neighbors.items()]
    total, first, stop, offset = max(runs)
    n_lines = stop - first
    if total >= max(LEAST_SUM, LEAST_MEAN * n_lines) and n_lines >= LEAST_LINES:
        return offset, first, stop
    has_text = texts.lengths() >= MIN_LETTERS
    is_doubtful = itself <= np.maximum(*neighbors.values())
    if is_doubtful[has_text].sum() < MIN_DOUBTFUL * max(LEAST_LINES, has_text.sum()):
        return None
    return (0, 0, len(texts)) if _is_in_other_order(texts, reference, has_text) else None


def _is_in_other_order(texts: FoldedTexts, reference: FoldedTexts, has_text: Bools) -> bool:
    """Return whether many lines fit one other reference much better than their own."""
    grams, ref_grams, lengths = texts.grams(), reference.grams(), reference.lengths()
    rows = np.random.default_rng(0).permutation(np.flatnonzero(has_text))
    rows = rows[: max(MIN_LINES, min(MAX_LINES, MAX_PAIRS // len(texts)))]
    least, n_moved = max(MIN_MOVED_LINES, MIN_MOVED * len(rows)), 0
    grams_of = cache(lambda row: _grams_of(reference.text(row)))
    for n_seen, row in enumerate(rows.tolist(), start=1):
        common = np.concatenate(
            [
                np.minimum(grams[row], ref_grams[first : first + _CHUNK]).sum(1, dtype=np.int32)
                for first in range(0, len(reference), _CHUNK)
            ]
        )
        fit = common / (grams[row].sum(dtype=np.int32) + lengths)  # half of `_fit`
        fit[row] = -1
        own = _grams_of(texts.text(row))
        others = [grams_of(other) for other in np.argsort(fit)[-_CANDIDATES:].tolist()]
        # Lines that repeat are one.
        distinct = [x for n, x in enumerate(others) if x not in others[:n]]
        best, second, *_ = *sorted((_share(own, x) for x in distinct), reverse=True), 0.0
        n_moved += best >= max(_share(own, grams_of(row)) + MIN_GAIN, second + MIN_LEAD)
        if n_moved >= least:
            return True
        if n_moved + len(rows) - n_seen < least or (
            n_seen == MIN_LINES and n_moved < MIN_MOVED * MIN_LINES / 2
        ):
            break
    return False


def _grams_of(text: str) -> set[str]:
    # Pairs of wide characters and runs of four others, as in `celab.base.text.counts`.
    text = text[:_MAX_LETTERS]
    return {text[i : i + (2 if text[i] >= _WIDE else 4)] for i in range(len(text))}


def _share(a: set[str], b: set[str]) -> float:
    return 2 * len(a & b) / max(len(a) + len(b), 1)


def _fit(texts: FoldedTexts, reference: FoldedTexts, offset: int) -> F64:
    """Return the fit of each text with the reference of its neighbor; 0 if there is none."""
    n_texts = len(texts)
    own = slice(max(0, -offset), n_texts - max(0, offset))
    other = slice(max(0, offset), n_texts - max(0, -offset))
    common = texts.shared_grams(reference, offset)[own]
    fit = np.zeros(n_texts)
    fit[own] = 2 * common / np.maximum(texts.lengths()[own] + reference.lengths()[other], 1)
    return fit


def _greatest(gains: F64) -> tuple[float, int, int]:
    """Return the greatest sum of a run, and its range; the shortest such run."""
    totals = np.concatenate(([0.0], np.cumsum(gains)))
    lows = np.minimum.accumulate(totals)
    stop = int(np.argmax(totals - lows))
    first = int(np.flatnonzero(totals[: stop + 1] == lows[stop])[-1])
    return float(totals[stop] - lows[stop]), first, stop


def shift_warnings(shifts: Sequence[Shift]) -> Iterator[str]:
    """Yield a warning about each run of shifted lines; files with the same run share one."""

    def run(shift: Shift) -> tuple[object, ...]:
        return shift.offset, str(shift.first), str(shift.last), shift.is_to_end

    for _, group in groupby(sorted(shifts, key=lambda shift: str(run(shift))), key=run):
        same = [*group]
        yield shift_warning([shift.name for shift in same], same[0])


def shift_warning(names: Sequence[str], shift: Shift) -> str:
    """Return the warning about a run of shifted lines in one file or more."""
    unit = "line" if isinstance(shift.first, int) else "segment"
    if not shift.offset:
        return (
            f"most {unit}s of {list_names(names)} fit another {unit} of {shift.reference} much"
            f" better than their own: are they in another order?"
        )
    fit = "fits" if len(names) == 1 else "fit"
    where, lost = ("later", "missing") if shift.offset > 0 else ("earlier", "doubled")
    until = "on" if shift.is_to_end else f"to {unit} {shift.last}"
    return (
        f"{list_names(names)} {fit} {shift.reference} one {unit} {where} from {unit}"
        f" {shift.first} {until}: is a {unit} {lost} there?"
    )
