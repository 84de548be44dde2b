"""Stored scores → columns: only scores that can be compared are in one.

A column has one metric on one test set. Scores under the same name of a set, but with other
references, are a column of their own, and so are scores of other settings, as `compare --baseline`
decides it; its name says what differs.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import TypeAlias

from celab.base.errors import InputError
from celab.base.frozen import dataclass
from celab.evaluation.board.reading import StoredScore

_Identity: TypeAlias = tuple[str, str, int]  # references, settings, number of segments or 0


@dataclass(frozen=True, slots=True)
class Column:
    """Comparable scores, in the order of their versions, those of one system together."""

    set: str
    metric: str
    scores: tuple[StoredScore, ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """All columns, the versions in order, and remarks about columns that were kept apart."""

    columns: tuple[Column, ...]
    versions: tuple[str, ...]
    by_system: bool  # whether versions of different systems are told apart
    notes: tuple[str, ...]


def columns_of(scores: Sequence[StoredScore], order: Sequence[str] | None = None) -> Columns:
    """Return the columns of stored scores, with versions in natural order or in the given one."""
    _check_labels(scores)
    versions = _ordered_versions(scores, order)
    _check_cells(scores)
    systems: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for score in scores:
        systems[score.set, score.version].add(score.system)
    by_system = any(len(names) > 1 for names in systems.values())
    rank = {version: place for place, version in enumerate(versions)}
    ordered = sorted(
        scores, key=lambda score: (score.system if by_system else "", rank[score.version])
    )
    groups: defaultdict[tuple[str, str], list[StoredScore]] = defaultdict(list)
    for score in ordered:
        groups[score.set, score.metric].append(score)
    columns: list[Column] = []
    notes: list[str] = []
    for (set_name, metric), group in sorted(groups.items(), key=lambda item: _natural(item[0][0])):
        parts = _comparable(group)
        columns += [_column(set_name, metric, part, parts[0]) for part in parts]
        if len(parts) > 1:
            others = ", ".join(dict.fromkeys(score.file for part in parts[1:] for score in part))
            notes.append(
                f"{set_name}, {metric}: other references or settings in {others}, which are"
                " therefore in columns of their own"
            )
    return Columns(tuple(columns), versions, by_system, tuple(notes))


def _check_labels(scores: Sequence[StoredScore]) -> None:
    """Raise if two files give a test set different languages."""
    first: dict[str, StoredScore] = {}
    for score in scores:
        if "lang" not in score.labels:
            continue
        other = first.setdefault(score.set, score)
        if other.labels["lang"] != score.labels["lang"]:
            raise InputError(
                f"{other.file} and {score.file}: the set {score.set} has the label"
                f" lang={other.labels['lang']} in the first and lang={score.labels['lang']} in the"
                " second; give one of them another set"
            )


def _check_cells(scores: Sequence[StoredScore]) -> None:
    """Raise if two files have the same set, system, version and metric with the same settings."""
    first: dict[tuple[str, ...], StoredScore] = {}
    for score in scores:
        cell = (score.set, score.system, score.version, score.metric, *_identity(score)[:2])
        other = first.setdefault(cell, score)
        if other is not score:
            raise InputError(
                f"{other.file} and {score.file} both have {score.system}, version"
                f" {score.version}, on {score.set} by {score.metric}; leave one of them out, or"
                " give them different labels"
            )


def _ordered_versions(
    scores: Sequence[StoredScore], order: Sequence[str] | None
) -> tuple[str, ...]:
    versions = {score.version for score in scores}
    if order is None:
        return tuple(sorted(versions, key=_natural))
    if missing := sorted(versions - set(order), key=_natural):
        raise InputError(
            f"the order of versions does not have {missing[0]}, which the results have; add it"
        )
    return tuple(version for version in dict.fromkeys(order) if version in versions)


def _natural(name: str) -> list[tuple[int, int, str, str]]:
    """Return a key that sorts v2 before v10, by digits, of which there may be thousands."""
    key = []
    for piece in re.findall(r"[0-9]+|[^0-9]+", name):
        is_word, digits = piece[0] not in "0123456789", piece.lstrip("0")
        key.append((1, 0, piece, "") if is_word else (0, len(digits), digits, piece))
    return key


def _identity(score: StoredScore) -> _Identity:
    n_segments = 0 if score.statistics is None else len(score.statistics)
    return score.test_set, str(score.signature), n_segments


def _comparable(group: Sequence[StoredScore]) -> list[list[StoredScore]]:
    """Return the scores in parts that can be compared, the largest first."""
    parts: defaultdict[_Identity, list[StoredScore]] = defaultdict(list)
    for score in group:
        references, settings, n_segments = _identity(score)
        # A file without segments has the scores of the others with these references.
        known = next((key for key in parts if key[:2] == (references, settings)), None)
        if known is not None and 0 in (n_segments, known[2]):
            parts[known].append(score)
        else:
            parts[references, settings, n_segments].append(score)
    return sorted(parts.values(), key=len, reverse=True)


def _column(
    set_name: str, metric: str, part: Sequence[StoredScore], first: Sequence[StoredScore]
) -> Column:
    """Return a column, named by what differs from the first column of that set and metric."""
    here, there = part[0], first[0]
    if here.test_set != there.test_set:
        set_name += f" (references {here.test_set})"
    elif _identity(here)[2] != _identity(there)[2]:
        set_name += f" ({_identity(here)[2]} segments)"
    differences = there.signature.differences(here.signature)
    if differences:
        metric += f" ({', '.join(theirs for _, theirs in differences)})"
    return Column(set_name, metric, tuple(part))
