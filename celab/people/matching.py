"""Judgments → the systems and segments of a corpus that they are about.

A name in a file may be the name of a system, its file, or its file without folder and suffix, which
are tried in this order; a name that fits two systems is an error. If a file has the translations,
they must equal those of the corpus: a score of another version is an error.

Segments are counted from 0 or from 1. A file that has segment 0 counts from 0. One whose last
number is the number of segments counts from 1. For any other file `count_from` is needed, because a
wrong guess would give each score to a neighboring segment. If texts have ids that are numbers in
another order, and all numbers of the table are such ids, they are taken for ids.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from celab.base.errors import InputError, OptionError, Setting, Text
from celab.base.messages import warn
from celab.corpus import Corpus
from celab.corpus.join import without_suffixes
from celab.people.score_files import Judgment
from celab.tables.cells import quantity


def first_number(
    numbers: Mapping[int, str],
    n_segments: int,
    file: str,
    count_from: int | None = None,
    *,
    advice: str = "",
) -> int:
    """Return the number of the first segment, 0 or 1; `InputError` if it cannot be detected.

    Parameters:
        numbers: segment numbers in the file, each with the location of its first line.
        n_segments: the number of segments of the texts.
        file: name of the file, for messages.
        count_from: 0 or 1, if the user says it.
        advice: what else the user can do if it cannot be detected.

    >>> first_number({0: "x, line 2", 2: "x, line 3"}, 4, "x")
    0
    >>> first_number({2: "x, line 2", 4: "x, line 3"}, 4, "x")
    1
    """
    check_count_from(count_from)
    low, high = min(numbers), max(numbers)
    if low <= 1 and len(numbers) == n_segments and high == low + n_segments - 1:
        if count_from not in (None, low):
            setting = Setting("count_from", count_from)
            warn((f"{file} has all segments, counted from {low}; ", setting, " is not used"))
        return low
    first = count_from
    if first is None and low == 0:
        first = 0
    elif first is None and high == n_segments:
        first = 1
    elif first is None and high < n_segments:
        hint: Text = ("give ", Setting("count_from", 0), " or ", Setting("count_from", 1))
        raise InputError(
            f"{file} has neither segment 0 nor segment {n_segments}, so it is unclear whether"
            " segments are counted from 0 or from 1",
            hint=(f"{advice}, or ", *hint) if advice else hint,
        )
    if first is None:
        expected = f"from 0 to {n_segments - 1}, or from 1 to {n_segments}"
    else:
        expected = f"from {first} to {first + n_segments - 1}"
    for number in (low, high):
        if first is None or not first <= number < first + n_segments:
            wrong = high if first is None else number
            raise InputError(f"segment is {wrong}; it must be {expected}", place=numbers[wrong])
    return first or 0


def check_count_from(count_from: int | None) -> None:
    """Raise `OptionError` unless it is 0, 1 or None."""
    if isinstance(count_from, bool) or count_from not in (None, 0, 1):
        raise OptionError("count_from", count_from, "it must be 0 or 1")


CANARY = "canary"
MAX_NAMES_LISTED = 3


def find_systems(
    names: Iterable[str], corpus: Corpus, file: str, *, required: bool = True
) -> dict[str, str]:
    """Return the systems of the corpus by their names in a file; unknown names are left out.

    Raises `InputError` if a name fits two systems, if two names fit one system, or if no name fits
    and `required` is set.
    """
    matched: dict[str, str] = {}
    names = list(dict.fromkeys(names))
    for name in names:
        match = _system_named(name, corpus, file)
        if match is None:
            continue
        if match in matched.values():
            first = next(key for key, value in matched.items() if value == match)
            raise InputError(f"{file}: {first} and {name} are both system {match}; leave one out")
        matched[name] = match
    if required and not matched:
        raise InputError(
            f"{file}: its systems are {first_names(names)}, the outputs are of"
            f" {first_names(list(corpus.systems))}; they must have names in common"
        )
    return matched


def _system_named(name: str, corpus: Corpus, file: str) -> str | None:
    """Return the only system that a name fits: as it is, or by its path, file name or stem."""
    if name in corpus.systems:
        return name
    path = name.replace(os.sep, "/")
    base = path.rpartition("/")[2]
    stem = without_suffixes(base)
    paths = {system: corpus.file_of(system).replace(os.sep, "/") for system in corpus.systems}
    fits: tuple[Callable[[str, str], bool], ...] = (
        lambda system, known: known == path,
        lambda system, known: f"/{known}".endswith(f"/{path}") or path.endswith(f"/{known}"),
        lambda system, known: base in (system, known.rpartition("/")[2]),
        lambda system, known: stem in (system, without_suffixes(known.rpartition("/")[2])),
    )
    for is_fitting in fits:
        systems = [system for system, known in paths.items() if is_fitting(system, known)]
        if len(systems) > 1:
            raise InputError(
                f"{file}: {name} may be system {' or '.join(systems)}; use these names"
            )
        if systems:
            return systems[0]
    return None


def first_names(names: Sequence[str], n_listed: int = MAX_NAMES_LISTED) -> str:
    """Return the first few names.

    >>> first_names(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    n_more = len(names) - n_listed
    return ", ".join(names[:n_listed]) + (f" and {n_more} more" if n_more > 0 else "")


def match_judgments(
    judgments: Sequence[Judgment],
    systems: Mapping[str, str],
    corpus: Corpus,
    numbering: str,
    file: str,
    count_from: int | None = None,
    *,
    complete: bool = False,
) -> list[Judgment]:
    """Match judgments to a corpus: replace names and numbers by its systems and segment indices.

    Judgments of unknown systems are dropped.

    Parameters:
        judgments: all judgments of the file.
        systems: systems of the corpus by their names in the file.
        corpus: the texts.
        numbering: as in `annotations.Annotations`.
        file: name of the file, for messages.
        count_from: as in `first_number`.
        complete: whether each system must have all segments.
    """
    check_count_from(count_from)
    chosen = [judgment for judgment in judgments if judgment.system in systems]
    if numbering == "text":
        indices = {name: _index_texts(corpus.systems[name]) for name in systems.values()}
        placed = []
        for judgment in chosen:
            system = systems[judgment.system]
            index = _by_text(judgment, system, indices[system])
            placed.append(replace(judgment, system=system, segment=index))
        return placed
    if corpus.n_left_out:
        raise InputError(
            f"{file} numbers segments, but {corpus.n_left_out} of the texts were left out; give"
            " texts that all have the same segments"
        )
    if numbering == "order" or complete:
        _check_lengths(chosen, len(corpus.segments), file, is_ordered=numbering == "order")
    if numbering == "one":
        return _by_own_numbers(chosen, systems, corpus)
    are_ids = numbering == "table" and count_from is None
    index_by_id = _index_ids(corpus, chosen) if are_ids else {}
    first = 0
    if numbering != "order" and not index_by_id:
        first = _first_number(judgments, numbering, corpus, file, count_from)
    placed = []
    for judgment in chosen:
        system, number = systems[judgment.system], judgment.segment or 0
        index = index_by_id.get(number, number - first)
        _check_text(judgment, system, index, corpus)
        placed.append(replace(judgment, system=system, segment=index))
    return placed


def _first_number(
    judgments: Iterable[Judgment],
    numbering: str,
    corpus: Corpus,
    file: str,
    count_from: int | None,
) -> int:
    """Return the number of the first segment in a file, of which a line may be WMT's canary."""
    numbers: dict[int, str] = {}
    for judgment in judgments:
        numbers.setdefault(judgment.segment or 0, judgment.where)
    n_segments = len(corpus.segments)
    if numbering == "line":
        canary = 0 if _has_canary(corpus) else count_from
        advice = "keep the texts' canary line"
        return first_number(numbers, n_segments, file, canary, advice=advice)
    return first_number(numbers, n_segments, file, count_from)


def _index_ids(corpus: Corpus, judgments: Sequence[Judgment]) -> dict[int, int]:
    """Return the index of each id, if ids are numbers in another order and judgments have them.

    Ids that count in the order of the texts are as good as numbers of segments.
    """
    ids = [name for name in corpus.names if isinstance(name, int)]
    in_order = not ids or ids == [*range(ids[0], ids[0] + len(ids))]
    if corpus.by_line or len(ids) < len(corpus.names) or in_order:
        return {}
    index = {number: place for place, number in enumerate(ids)}
    return index if all((judgment.segment or 0) in index for judgment in judgments) else {}


def _check_lengths(judgments: Sequence[Judgment], n: int, file: str, *, is_ordered: bool) -> None:
    """Raise `InputError` unless each system has a judgment of every segment."""
    numbers: dict[str, set[int]] = {}
    for judgment in judgments:
        numbers.setdefault(judgment.system, set()).add(judgment.segment or 0)
    for system, segments in numbers.items():
        if segments != set(range(n)) and (is_ordered or segments != set(range(1, n + 1))):
            is_broken = is_ordered and max(segments) >= len(segments)
            last = f", up to number {max(segments) + 1}" if is_broken else ""
            count = quantity(len(segments))
            raise InputError(f"{file} has {count} of system {system}{last}; the texts have {n}")


def _has_canary(corpus: Corpus) -> bool:
    return any(
        hyps[0].lstrip().lower().startswith(CANARY) for hyps in corpus.systems.values() if hyps
    )


def _by_own_numbers(
    judgments: Sequence[Judgment], systems: Mapping[str, str], corpus: Corpus
) -> list[Judgment]:
    """Return judgments whose texts show whether they count from 1 or from WMT's canary line."""

    def mismatches(shift: int) -> list[Judgment]:
        return [
            judgment
            for judgment in judgments
            if not 0 <= (index := (judgment.segment or 0) - shift) < len(corpus.segments)
            or not same(judgment.text or "", corpus.systems[systems[judgment.system]][index])
        ]

    # The shift is chosen for the whole file, because neighbors may have the same text.
    shift = min((1, 2), key=lambda shift: len(mismatches(shift)))
    for judgment in mismatches(shift):
        index, n = (judgment.segment or 0) - shift, len(corpus.segments)
        if not 0 <= index < n:
            raise judgment.error(
                f"segment is {judgment.segment}; it must be from {shift} to {n + shift - 1}"
            )
        _check_text(judgment, systems[judgment.system], index, corpus)
    return [
        replace(x, system=systems[x.system], segment=(x.segment or 0) - shift) for x in judgments
    ]


def _index_texts(hyps: Sequence[str]) -> dict[str, list[int]]:
    """Return text → its segments; texts are compared without white space."""
    places: dict[str, list[int]] = {}
    for i, hyp in enumerate(hyps):
        places.setdefault(" ".join(hyp.split()), []).append(i)
    return places


def _by_text(judgment: Judgment, system: str, index: Mapping[str, list[int]]) -> int:
    text = " ".join((judgment.text or "").split())
    places = index.get(text)
    if not places:
        raise judgment.error(
            f"its translation {_shown(text)} is no segment of system {system}; the texts must be"
            " those that were judged"
        )
    if len(places) > 1:
        numbers = first_names([str(i + 1) for i in places])
        raise judgment.error(
            f"its translation {_shown(text)} is segments {numbers} of system {system}; it must be"
            " one only, because the file does not number them"
        )
    return places[0]


def same(text: str, other: str) -> bool:
    """Return whether two texts differ in white space only, which tools strip."""
    return text == other or text.split() == other.split()


def _check_text(judgment: Judgment, system: str, index: int, corpus: Corpus) -> None:
    ours = corpus.systems[system][index]
    if judgment.text is not None and not same(judgment.text, ours):
        raise judgment.error(
            f"its translation is {_shown(judgment.text)}, but segment {index + 1} of system"
            f" {system} is {_shown(ours)}; the texts must be those that were judged"
        )


def _shown(text: str, max_characters: int = 20) -> str:
    return repr(text if len(text) <= max_characters else f"{text[:max_characters]}…")
