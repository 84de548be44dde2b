"""The difference between a reference and an output: what is equal, moved, missing and extra.

Texts are compared by units: characters of CJK, and words of other scripts. Units are equal if their
compatibility forms (NFKC) are. `diff.js` of the report has the same units: the ranges below are its
constants, and a test compares both on many texts.

Equal beginnings and ends are matched first, and the heaviest runs of what is between them
(`celab._native.sequences`). Texts whose table would have more than `MAX_DIFF_CELLS` cells are cut
at runs of `ANCHOR` units that occur once in each text. Matches of signs and spaces alone between
differences are dropped, because they would cut a difference in two. A run that both texts have in
different places is *moved* if it has two units of content or a word of `LONG_WORD` letters; a
single character is never moved. `alignUnits` and `difference` of `diff.js` do the same for the
pairs that are open in the report.

Differences become edits of eight kinds, which are facts about the texts, not claims about meaning.

    omitted      text of the reference that the output lacks
    replaced     text of the reference that the output words differently
    latin        words in Latin letters that the reference lacks, in a text of another script
    number       digits that are not those of the reference
    added        text of the output that the reference lacks
    punctuation  signs alone
    moved        text that both have, in different places
    term         a term of the glossary that the output misses

They are listed in the order in which people punish them (docs/report-and-playground.md). A place
where output and reference differ, but for moved text, is one edit of one kind, the first that
applies of number, latin, punctuation, omitted, added, replaced. It is omitted, not replaced, if the
reference has at least three times the content of the output there, and `MIN_MORE_UNITS` more units;
it is added if the output has.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from celab._native.sequences import heaviest_runs, moved_runs
from celab.base.languages import RANGES
from celab.base.text.scripts import SCRIPT_OF, letters_of

Ranges = tuple[tuple[int, int], ...]

# Scripts whose characters are units of their own. The middle dot of katakana is a sign.
CJK: Ranges = (
    *RANGES["Han"],
    *((0x3041, 0x30FA), (0x30FC, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F)),
    *RANGES["Hangul"],
)
UNSPACED: Ranges = (*RANGES["Thai"], *RANGES["Lao"], *RANGES["Khmer"], *RANGES["Burmese"])
SPACES = "\t\n\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)
JOINERS = ".,'’-"
# Weights of a match. The kernel takes something from the first match of a run, so that few runs are
# found instead of many scattered characters.
OF_CONTENT, OF_SIGN, OF_SPACE = 4, 3, 1
_WEIGHTS = bytes(
    {" ": OF_SPACE, ".": OF_SIGN}.get(chr(script), OF_CONTENT) for script in range(256)
)

_DIGIT = re.compile("[0-9]")
# Units of several characters, in a text of `_Classes`; every other character is a unit by itself.
_LONG_UNIT = re.compile("cm+|[wm](?:[wm]+(?:j[wm]+)*|(?:j[wm]+)+)|ss+")


class _Classes(dict[int, str]):
    """The class of a character: c CJK or unspaced, m mark, w word, j joiner, s space, o other."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        category = unicodedata.category(char)
        if char in SPACES:
            kind = "s"
        elif char in JOINERS:
            kind = "j"
        elif category[0] == "M":
            kind = "m"
        elif any(first <= code <= last for first, last in (*CJK, *UNSPACED)):
            kind = "c"
        else:
            kind = "w" if category[0] in "LN" else "o"
        self[code] = kind
        return kind


_CLASSES = _Classes()


class DiffTokens(NamedTuple):
    """The units of a text.

    Equal units have equal `keys`. `weights` has the weight of a match, and `scripts` "0" for a unit
    with a digit, "a" for one with a Latin letter, "w" for other content, "." for a sign, " " for
    space.
    """

    texts: list[str]
    keys: array[int]
    weights: bytes
    scripts: str


class _Numbers(dict[str, int]):
    """The number of each unit; equal units have equal numbers."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __missing__(self, unit: str) -> int:
        key = unicodedata.normalize("NFKC", unit)
        self[unit] = self._numbers.setdefault(key, len(self._numbers) + 1)
        return self[unit]


class _Scripts(dict[str, str]):
    """The script of each unit."""

    def __missing__(self, unit: str) -> str:
        self[unit] = _script_of(unit, unicodedata.normalize("NFKC", unit))
        return self[unit]


class DiffVocabulary:
    """Numbers and scripts of units, shared by all texts that are compared with each other."""

    def __init__(self) -> None:
        self._numbers, self._scripts = _Numbers(), _Scripts()

    def units(self, text: str) -> DiffTokens:
        """Return the units of a text.

        >>> DiffVocabulary().units("他买了 3.5米 USB-C！").texts
        ['他', '买', '了', ' ', '3.5', '米', ' ', 'USB-C', '！']
        """
        texts: list[str] = []
        before = 0
        for unit in _LONG_UNIT.finditer(text.translate(_CLASSES)):
            start, stop = unit.span()
            texts += text[before:start]
            texts.append(text[start:stop])
            before = stop
        texts += text[before:]
        keys = array("i", map(self._numbers.__getitem__, texts))
        scripts = "".join(map(self._scripts.__getitem__, texts))
        return DiffTokens(texts, keys, scripts.encode().translate(_WEIGHTS), scripts)


def _script_of(unit: str, key: str) -> str:
    if all(char in SPACES for char in unit):
        return " "
    if not any(unicodedata.category(char)[0] in "LN" for char in unit):
        return "."
    if _DIGIT.search(key):
        return "0"
    return "a" if letters_of("Latin", unit) else "w"


MAX_DIFF_CELLS = 1_000_000
ANCHOR = 4
# A run of matched units: its start in either text, and its length.
Run = tuple[int, int, int]


def align(x: DiffTokens, y: DiffTokens) -> list[Run]:
    """Return the runs of matched units of two texts, in order.

    >>> vocabulary = DiffVocabulary()
    >>> align(vocabulary.units("买一把伞"), vocabulary.units("买伞"))
    [(0, 0, 1), (3, 1, 1)]
    """
    n, m = len(x.keys), len(y.keys)
    start = _n_equal(x.keys, y.keys, 0, 0, min(n, m))
    x1, y1 = n, m
    while x1 > start and y1 > start and x.keys[x1 - 1] == y.keys[y1 - 1]:
        x1, y1 = x1 - 1, y1 - 1
    runs = [(0, 0, start)]
    if (x1 - start) * (y1 - start) <= MAX_DIFF_CELLS:
        runs += heaviest_runs(x.keys, x.weights, y.keys, (start, x1), (start, y1))
    else:
        runs += _runs_of_long(x, y, start, x1, y1)
    return _joined([*runs, (x1, y1, n - x1)])


def _n_equal(x: array[int], y: array[int], i: int, j: int, n_units: int) -> int:
    """Return how many of the `n_units` units from i in x and j in y on are equal."""
    n = 0
    while n < n_units and x[i + n] == y[j + n]:
        n += 1
    return n


def _joined(runs: Sequence[Run]) -> list[Run]:
    """Return the runs without empty ones, with adjacent runs joined."""
    joined: list[Run] = []
    for i, j, n in runs:
        if joined and (i, j) == (joined[-1][0] + joined[-1][2], joined[-1][1] + joined[-1][2]):
            joined[-1] = (*joined[-1][:2], joined[-1][2] + n)
        elif n:
            joined.append((i, j, n))
    return joined


def _runs_of_long(x: DiffTokens, y: DiffTokens, start: int, x1: int, y1: int) -> Iterator[Run]:
    """Yield the runs of texts that are too long for a table, cut at anchors."""
    x0 = y0 = start
    for i, j in [*_anchors(x.keys[start:x1], y.keys[start:y1], start), (x1, y1)]:
        if i < x0 or j < y0:
            continue  # inside the previous run
        if (i - x0) * (j - y0) <= MAX_DIFF_CELLS:
            yield from heaviest_runs(x.keys, x.weights, y.keys, (x0, i), (y0, j))
        n = _n_equal(x.keys, y.keys, i, j, min(x1 - i, y1 - j))
        yield i, j, n
        x0, y0 = i + n, j + n


def _anchors(x: Sequence[int], y: Sequence[int], start: int) -> list[tuple[int, int]]:
    """Return the most anchors, runs that occur once in each text, that have one order in both."""
    inside = [_unique(side) for side in (x, y)]
    ends: list[int] = []  # last position in y of the increasing chain of each length
    chains: list[tuple[int, int, int]] = []  # position in x, position in y, previous link
    last: list[int] = []
    for key, i in inside[0].items():
        j = inside[1].get(key, -1)
        if i < 0 or j < 0:
            continue
        at = bisect_left(ends, j)
        chains.append((i, j, last[at - 1] if at else -1))
        ends[at : at + 1], last[at : at + 1] = [j], [len(chains) - 1]
    anchors: list[tuple[int, int]] = []
    number = last[-1] if last else -1
    while number >= 0:
        i, j, number = chains[number]
        anchors.append((start + i, start + j))
    return anchors[::-1]


def _unique(keys: Sequence[int]) -> dict[tuple[int, ...], int]:
    places: dict[tuple[int, ...], int] = {}
    for i in range(len(keys) - ANCHOR + 1):
        run = tuple(keys[i : i + ANCHOR])
        places[run] = -1 if run in places else i
    return places


MIN_UNITS_AROUND_STRAY = 3  # a stray match is dropped between differences of so many units
LONG_WORD = 4  # letters of a word that can be moved alone
_CONTENT = bytes(weight == OF_CONTENT for weight in range(256))


class DiffStep(NamedTuple):
    """A place where two texts differ: ranges of units of both."""

    ref: tuple[int, int]
    hyp: tuple[int, int]


class TextDifference(NamedTuple):
    """The difference of an output from a reference; `moved` has the runs in both as `DiffStep`s."""

    ref: DiffTokens
    hyp: DiffTokens
    steps: list[DiffStep]
    moved: list[DiffStep]


def differences(
    refs: Sequence[str], outputs: Iterable[Sequence[str]]
) -> Iterator[Iterator[TextDifference]]:
    """Yield the differences of the outputs of each system from their references, by segment.

    They are computed one by one, because all of them would take much memory.

    >>> ((difference,),) = differences(["他买了雨伞"], [["他买了一把伞"]])
    >>> difference.steps
    [DiffStep(ref=(3, 4), hyp=(3, 5))]
    """
    vocabulary = DiffVocabulary()
    own = [vocabulary.units(text) for text in refs]
    for hyps in outputs:
        units = map(vocabulary.units, hyps)
        yield (_difference(ref, hyp) for ref, hyp in zip(own, units, strict=True))


def _difference(ref: DiffTokens, hyp: DiffTokens) -> TextDifference:
    runs = align(ref, hyp)
    steps = _steps(
        ref, hyp, [run for k, run in enumerate(runs) if not _is_stray(runs, k, ref, hyp)]
    )
    return TextDifference(ref, hyp, steps, _moved(ref, hyp, steps) if steps else [])


def _steps(ref: DiffTokens, hyp: DiffTokens, runs: Sequence[Run]) -> list[DiffStep]:
    """Return the places where the texts differ, which are between runs of matched units."""
    steps = []
    i = j = 0
    for start, other, length in (*runs, (len(ref.keys), len(hyp.keys), 0)):
        if i != start or j != other:
            steps.append(DiffStep((i, start), (j, other)))
        i, j = start + length, other + length
    return steps


def _is_stray(runs: Sequence[Run], k: int, ref: DiffTokens, hyp: DiffTokens) -> bool:
    """Return whether a run has signs alone and stands between differences."""
    i, j, length = runs[k]
    if OF_CONTENT in ref.weights[i : i + length]:
        return False
    before = (runs[k - 1][0] + runs[k - 1][2], runs[k - 1][1] + runs[k - 1][2]) if k else (0, 0)
    after = runs[k + 1][:2] if k + 1 < len(runs) else (len(ref.keys), len(hyp.keys))
    gap_before = max(i - before[0], j - before[1])
    gap_after = max(after[0] - i - length, after[1] - j - length)
    return gap_before >= MIN_UNITS_AROUND_STRAY and gap_after >= MIN_UNITS_AROUND_STRAY


def _moved(ref: DiffTokens, hyp: DiffTokens, steps: list[DiffStep]) -> list[DiffStep]:
    """Return the runs that both texts have in different places, among their differences."""
    counts = bytearray(hyp.weights.translate(_CONTENT))
    for j, n_letters in enumerate(map(len, hyp.texts)):
        if n_letters >= LONG_WORD:
            counts[j] *= 2  # a long word weighs as much as two units
    runs = moved_runs(ref.keys, hyp.keys, counts, steps)
    return [DiffStep((i, i + length), (j, j + length)) for i, j, length in runs]


KINDS = (
    *("omitted", "replaced", "latin", "number"),
    *("added", "punctuation", "moved", "term"),
)
MIN_TIMES_CONTENT, MIN_MORE_UNITS = 3, 4
_DIGITS = re.compile("[0-9]+(?:[.,:][0-9]+)*")


class DiffEdit(NamedTuple):
    """An edit: its kind, and its ranges of units in reference and output."""

    kind: str
    ref: tuple[int, int]
    hyp: tuple[int, int]


def edits(difference: TextDifference, lang: str) -> Iterator[DiffEdit]:
    """Yield the edits of an output, in its order; `lang` is the target language.

    >>> ((difference,),) = differences(["他买了3把雨伞。"], [["他卖了5把umbrella！"]])
    >>> [edit.kind for edit in edits(difference, "zh")]
    ['replaced', 'number', 'latin']
    """
    has_latin = SCRIPT_OF.get(lang) not in (None, "Latin")
    moved = difference.moved
    ref_scripts = _without(difference.ref.scripts, [step.ref for step in moved])
    hyp_scripts = _without(difference.hyp.scripts, [step.hyp for step in moved])
    edits = [DiffEdit("moved", *step) for step in moved]
    for step in difference.steps:
        (ref_start, ref_stop), (hyp_start, hyp_stop) = step
        ref, hyp = ref_scripts[ref_start:ref_stop], hyp_scripts[hyp_start:hyp_stop]
        kind = _kind(ref, hyp, has_latin)
        if kind is None:
            continue
        if ("0" in ref or "0" in hyp) and _differ_in_numbers(difference, step, (ref, hyp)):
            kind = "number"
        edits.append(DiffEdit(kind, *step))
    yield from sorted(edits, key=lambda edit: (edit.hyp, edit.ref)) if moved else edits


def _without(scripts: str, moved: list[tuple[int, int]]) -> str:
    """Return the scripts of units, with white space in place of moved units."""
    for start, stop in moved:
        scripts = scripts[:start] + " " * (stop - start) + scripts[stop:]
    return scripts


def _kind(ref: str, hyp: str, has_latin: bool) -> str | None:
    """Return the kind of a place by the scripts of its units; None if it is empty."""
    n_ref, n_hyp = (len(x) - x.count(" ") - x.count(".") for x in (ref, hyp))
    if not n_ref and not n_hyp:
        return "punctuation" if "." in ref + hyp else None
    if has_latin and "a" in hyp and "a" not in ref:
        return "latin"
    if n_ref >= MIN_TIMES_CONTENT * n_hyp and n_ref - n_hyp >= (MIN_MORE_UNITS if n_hyp else 1):
        return "omitted"
    if n_hyp >= MIN_TIMES_CONTENT * n_ref and n_hyp - n_ref >= (MIN_MORE_UNITS if n_ref else 1):
        return "added"
    return "replaced"


def _differ_in_numbers(
    difference: TextDifference, step: DiffStep, scripts: tuple[str, str]
) -> bool:
    """Return whether the numbers in a place differ; `scripts` are those of its units."""
    numbers = []
    for units, of_place, (start, stop) in zip(difference[:2], scripts, step, strict=True):
        places = zip(units.texts[start:stop], of_place, strict=True)
        texts = [text for text, script in places if script == "0"]
        folded = unicodedata.normalize("NFKC", " ".join(texts))
        numbers.append(sorted(x.replace(",", "") for x in _DIGITS.findall(folded)))
    return numbers[0] != numbers[1]
