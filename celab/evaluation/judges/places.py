"""Which system and which segment of a corpus a judgment is about.

A system is named by its name, its file, or its file without folder and suffix. Where a file has the
translations, they must be those of the corpus: a score of another version is an error.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from celab.base.errors import InputError
from celab.corpus import Corpus

CANARY = "canary"
MOST_NAMED = 3


class Placed(Protocol):
    """What a judgment and a row of a table have in common."""

    @property
    def where(self) -> str: ...  # noqa: D102
    @property
    def system(self) -> str: ...  # noqa: D102
    @property
    def segment(self) -> int | None: ...  # noqa: D102
    @property
    def text(self) -> str | None: ...  # noqa: D102
    @property
    def score(self) -> float | None: ...  # noqa: D102
    def error(self, message: str) -> InputError: ...  # noqa: D102


J = TypeVar("J", bound=Placed)


_SUFFIX = re.compile(r"\.(?:txt|[a-z]{2,3})(?:\.gz|\.xz|\.bz2)?$")  # .txt, or a language


def find_systems(names: Iterable[str], corpus: Corpus, file: str) -> dict[str, str]:
    """Return the system of the corpus for each name that is one; others are left out.

    Raises `InputError` if there is none, or if two names stand for one system.
    """
    known: dict[str, str] = {}
    for system in corpus.systems:
        path = corpus.file_of(system)
        for alias in (_stem(path), os.path.basename(path), path, system):
            known[alias] = system
    found: dict[str, str] = {}
    names = list(dict.fromkeys(names))
    for name in names:
        match = known.get(name) or known.get(os.path.basename(name)) or known.get(_stem(name))
        if match is None:
            continue
        if match in found.values():
            first = next(key for key, value in found.items() if value == match)
            raise InputError(f"{file}: {first} and {name} are both system {match}; leave one out")
        found[name] = match
    if not found:
        raise InputError(
            f"{file}: its systems are {few(names)}, the outputs are of"
            f" {few(list(corpus.systems))}; they must have names in common"
        )
    return found


def _stem(path: str) -> str:
    """Return the name of a file without the suffix of a text; GPT-4.5 has none.

    >>> _stem("hyp/GPT-4.5.zh"), _stem("A.txt.gz"), _stem("GPT-4.5")
    ('GPT-4.5', 'A', 'GPT-4.5')
    """
    return _SUFFIX.sub("", os.path.basename(path))


def few(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Return the first few names.

    >>> few(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    n_more = len(names) - most
    return ", ".join(names[:most]) + (f" and {n_more} more" if n_more > 0 else "")


def place(
    judgments: Sequence[J], systems: Mapping[str, str], corpus: Corpus, numbering: str, file: str
) -> list[tuple[J, str, int]]:
    """Return each judgment of a known system with the system and the index of its segment.

    `numbering` is as in `annotations.Annotations`.
    """
    chosen = [judgment for judgment in judgments if judgment.system in systems]
    if numbering == "text":
        indices = {name: _index_texts(corpus.systems[name]) for name in systems.values()}
        return [(j, systems[j.system], _by_text(j, systems[j.system], indices)) for j in chosen]
    if corpus.n_left_out:
        raise InputError(
            f"{file} numbers segments, but {corpus.n_left_out} of the texts were left out; give"
            " texts that all have the same segments"
        )
    n, first = len(corpus.segments), 0
    if numbering == "order":
        _check_lengths(chosen, n, file)
    elif numbering == "one":
        return [(j, systems[j.system], _near(j, systems[j.system], corpus)) for j in chosen]
    else:
        first = _first_number(chosen, corpus, numbering, file)
    placed = []
    for judgment in chosen:
        index = (judgment.segment or 0) - first
        if not 0 <= index < n:
            raise judgment.error(
                f"segment is {judgment.segment}; it must be from {first} to {first + n - 1}"
            )
        system = systems[judgment.system]
        _check_text(judgment, system, index, corpus)
        placed.append((judgment, system, index))
    return placed


def _check_lengths(judgments: Sequence[Placed], n: int, file: str) -> None:
    """Raise unless each system has a judgment of every segment: only their order tells them."""
    numbers: dict[str, set[int]] = {}
    for judgment in judgments:
        numbers.setdefault(judgment.system, set()).add(judgment.segment or 0)
    for system, segments in numbers.items():
        if segments != set(range(n)):
            found = max(segments) + 1
            raise InputError(
                f"{file} has {len(segments)} segment{'s' * (len(segments) != 1)} of system"
                f" {system}{f', up to number {found}' if found != len(segments) else ''}; it must"
                f" have {n}, as the texts"
            )


def _first_number(judgments: Sequence[Placed], corpus: Corpus, numbering: str, file: str) -> int:
    """Return the number of the first segment, 0 or 1; `InputError` if it cannot be told."""
    numbers = {judgment.segment or 0 for judgment in judgments}
    n = len(corpus.segments)
    has_canary = any(
        hyps[0].lstrip().lower().startswith(CANARY) for hyps in corpus.systems.values() if hyps
    )
    if 0 in numbers or (numbering == "line" and has_canary):
        return 0
    if n in numbers or max(numbers) > n:
        return 1
    if numbering == "zero":  # as in the data sets of `celab meta`
        return 0
    if numbering == "line":
        raise InputError(
            f"{file} has neither line 0 nor line {n}, so it is unclear how lines are counted; keep"
            " the canary line of the texts"
        )
    raise InputError(
        f"{file} has neither segment 0 nor segment {n}, so it is unclear whether segments are"
        f" counted from 0 or from 1; add a line of segment 0 or {n} with the score None"
    )


def _near(judgment: Placed, system: str, corpus: Corpus) -> int:
    """Return the index of a segment that is counted from 1, or else the one with its text."""
    hyps, index = corpus.systems[system], (judgment.segment or 0) - 1
    if judgment.text is None or (0 <= index < len(hyps) and same(judgment.text, hyps[index])):
        return index
    # The texts may be without WMT's canary line.
    if 0 <= index - 1 < len(hyps) and same(judgment.text, hyps[index - 1]):
        return index - 1
    if not 0 <= index < len(hyps):
        raise judgment.error(f"segment is {index + 1}; it must be from 1 to {len(hyps)}")
    _check_text(judgment, system, index, corpus)
    return index


def _index_texts(hyps: Sequence[str]) -> dict[str, list[int]]:
    """Return the segments of each text, without regard to white space."""
    places: dict[str, list[int]] = {}
    for i, hyp in enumerate(hyps):
        places.setdefault(" ".join(hyp.split()), []).append(i)
    return places


def _by_text(judgment: Placed, system: str, indices: Mapping[str, Mapping[str, list[int]]]) -> int:
    text = " ".join((judgment.text or "").split())
    places = indices[system].get(text)
    if not places:
        raise judgment.error(
            f"its translation {_shown(text)} is no segment of system {system}; the texts must be"
            " those that were judged"
        )
    if len(places) > 1:
        numbers = few([str(i + 1) for i in places])
        raise judgment.error(
            f"its translation {_shown(text)} is segments {numbers} of system {system}; it must be"
            " one only, because the file does not number them"
        )
    return places[0]


def same(text: str, other: str) -> bool:
    """Return whether two texts differ in white space only, which tools strip."""
    return text == other or text.split() == other.split()


def _check_text(judgment: Placed, system: str, index: int, corpus: Corpus) -> None:
    ours = corpus.systems[system][index]
    if judgment.text is not None and not same(judgment.text, ours):
        raise judgment.error(
            f"its translation is {_shown(judgment.text)}, but segment {index + 1} of system"
            f" {system} is {_shown(ours)}; the texts must be those that were judged"
        )


def _shown(text: str, most: int = 20) -> str:
    return repr(text if len(text) <= most else f"{text[:most]}…")
