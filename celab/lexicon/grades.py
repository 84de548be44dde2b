"""Grades: nested sets of synonym groups, each with a credit, the finest first.

A key of `grades` names a whole lexicon, or a part of the metric's own lexicon: Cilin's `=` lines,
all its lines (`#`), or the words that share the first one to five levels of their codes. The grade
of a lexicon is its union with the grade before it, so that its credit is that of the pairs which it
adds. Parts of Cilin are not united: each must contain the one before it. docs/settings.md has the
theorem.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import NamedTuple

from celab.base.errors import LexiconError, OptionError, Setting, nearest
from celab.lexicon.catalog import (
    EXTERNAL_LEXICONS,
    LexiconSpec,
    Spec,
    bundled_names,
    labeled,
    list_specs,
    with_absolute_paths,
)
from celab.lexicon.source import Group, Thesaurus

Grades = Mapping[str, float] | float | None

WHOLE = ""  # the key if there is one credit for the whole lexicon
_LEVELS = (1, 2, 4, 5, 7)  # characters of a Cilin code up to each level: A a 01 A 01
PARTS = ("=", "#", *(f"Cilin level {level}" for level in range(1, len(_LEVELS) + 1)))


class Grade(NamedTuple):
    """A set of synonym groups, and the credit of words that are synonyms first in this grade."""

    key: str
    credit: float

    @property
    def is_part(self) -> bool:
        """Whether the groups are a part of the metric's own lexicon, or all of it."""
        return self.key in (WHOLE, *PARTS)

    def signature_part(self, name: str) -> str:
        """Return the grade as a part of the signature: `#:0.7`, `level4:0.3`, `0.5`, `name:0.5`."""
        key = self.key.replace("Cilin level ", "level") if self.is_part else name.replace(",", "_")
        return f"{key}:{self.credit:.12g}".removeprefix(":")


def chain_of(grades: Grades, lexicon: LexiconSpec = None) -> tuple[Grade, ...]:
    """Return the grades in order; `OptionError` if a key or a credit is wrong.

    A key may be the file name of a path in `lexicon`, with or without its suffix.

    >>> chain_of({"=": 1, "Cilin level 4": 0.5})
    (Grade(key='=', credit=1.0), Grade(key='Cilin level 4', credit=0.5))
    >>> chain_of({"zh-core": 1, "my": 0.6}, ["zh-core", "lists/my.tsv"])[1]
    Grade(key='lists/my.tsv', credit=0.6)
    """
    if grades is None:
        return ()
    credits = grades if isinstance(grades, Mapping) else {WHOLE: grades}
    if not credits or (isinstance(grades, Mapping) and WHOLE in grades):
        raise OptionError(
            (Setting("grades"), " has no key"),
            hint="it must be a credit, or have a key for each credit",
        )
    chain = tuple(Grade(_key(key, lexicon), _credit(key, value)) for key, value in credits.items())
    for fine, coarse in pairwise(chain):
        if coarse.credit > fine.credit:
            raise OptionError(
                (
                    f"the credit of {coarse.key!r} in ",
                    Setting("grades"),
                    f", {coarse.credit:g}, is greater than that of {fine.key!r}, {fine.credit:g}",
                ),
                hint=_in_order(chain),
            )
    places = [grade.key if grade.is_part else _absolute(grade.key) for grade in chain]
    for first, second in combinations(range(len(chain)), 2):
        if places[first] == places[second]:
            keys = " and ".join(repr(os.fspath(list(credits)[k])) for k in (first, second))
            raise OptionError(
                (Setting("grades"), f" has the keys {keys}, which are one lexicon"),
                hint="give each lexicon once",
            )
    return chain


def _in_order(chain: Sequence[Grade]) -> str:
    # Lexicons can be sorted by credit, so the hint shows that order. Parts of Cilin have one order.
    if any(grade.is_part for grade in chain):
        return "credits must not rise"
    by_credit = sorted(chain, key=lambda grade: -grade.credit)
    names = ", ".join(f"{grade.key} ({grade.credit:g})" for grade in by_credit)
    return f"credits must not rise: the order is {names}"


def unused_lexicons(chain: Sequence[Grade], lexicon: LexiconSpec) -> list[str]:
    """Return the lexicons that no grade uses; parts use all of them.

    >>> unused_lexicons(chain_of({"zh-core": 1}), ["zh-core", "cilin"])
    ['cilin']
    """
    if any(grade.is_part for grade in chain):
        return []
    used = {_absolute(grade.key) for grade in chain}
    return [os.fspath(name) for name in list_specs(lexicon) if _absolute(name) not in used]


def _absolute(name: Spec) -> str:
    # One spelling for all paths of the same file.
    name = os.fspath(name)
    return name if name in (*EXTERNAL_LEXICONS, *bundled_names()) else os.path.realpath(name)


def portable_chain(chain: Sequence[Grade]) -> dict[str, float] | float:
    """Return the chain as an argument that does not depend on the working folder."""
    if chain[0].key == WHOLE:
        return chain[0].credit
    names = [
        grade.key if grade.is_part else os.fspath(list_specs(with_absolute_paths(grade.key))[0])
        for grade in chain
    ]
    return dict(zip(names, (grade.credit for grade in chain), strict=True))


def _key(key: str | os.PathLike[str], lexicon: LexiconSpec) -> str:
    if not isinstance(key, str | os.PathLike):
        raise OptionError(
            (Setting("grades"), f" has a key of type {type(key).__name__}"), hint="it must be a str"
        )
    name = os.fspath(key)
    if name == WHOLE or name in (known := (*PARTS, *EXTERNAL_LEXICONS, *bundled_names())):
        return name
    if os.path.exists(name):
        return name
    paths = dict.fromkeys(os.fspath(path) for path in list_specs(lexicon))
    matches = [path for path in paths if name in _file_names(path)]
    if len(matches) == 1:
        return matches[0]
    hint = "it must be '=', '#', 'Cilin level 1' to 'Cilin level 5', or a lexicon"
    if matches:
        hint = f"it could be {' or '.join(matches)}; give the path"
    elif (close := nearest(name, (*known, *paths))) and not {"/", "."} & set(name):
        hint = f"did you mean {close!r}?"
    raise OptionError((Setting("grades"), f" has the key {name!r}"), hint=hint)


def _file_names(path: str) -> set[str]:
    file = os.path.basename(path)
    return {path, file, file.partition(".")[0], os.path.splitext(file)[0]}


def _credit(key: object, value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    hint = "it must be a number from 0 to 1"
    if key == WHOLE:
        raise OptionError("grades", value, hint)
    raise OptionError(
        (f"the credit of {key!r} in ", Setting("grades"), f" is {value!r}"), hint=hint
    )


def steps_of(credits: Sequence[float]) -> tuple[tuple[int, float], ...]:
    """Return numbers and credits of the grades that count; 0 is the text without synonyms.

    Of grades with equal credit only the coarsest counts.

    >>> steps_of([1.0, 0.7]), steps_of([0.5]), steps_of([0.0])
    (((1, 1.0), (2, 0.7)), ((0, 1.0), (1, 0.5)), ((0, 1.0),))
    """
    falling = [1.0, *credits, 0.0]
    return tuple((k, c) for k, (c, following) in enumerate(pairwise(falling)) if c > following)


def groups_of(key: str, thesauri: Sequence[Thesaurus], cilin_lines: str) -> list[Group]:
    """Return the synonym groups of a grade. Groups that are not Cilin's belong to every part."""
    if key in PARTS and not any(
        s.format == "cilin" for thesaurus in thesauri for s in thesaurus.sources
    ):
        name = "+".join(thesaurus.name for thesaurus in thesauri)
        raise LexiconError(
            (Setting("grades"), f" has the key {key!r}, but lexicon {name} is not Cilin"),
            hint="give Cilin, or lexicons as keys",
        )
    if not (level := re.fullmatch(r"Cilin level (\d)", key)):
        lines = "=" if key == "=" else cilin_lines
        return [group for thesaurus in thesauri for group in labeled(thesaurus, lines)]
    length = _LEVELS[int(level[1]) - 1]
    others: list[Group] = []
    words: dict[str, dict[str, None]] = {}
    for thesaurus in thesauri:
        for plain, group in zip(thesaurus.groups, labeled(thesaurus), strict=True):
            source = thesaurus.sources[plain.source]
            if source.format == "cilin":
                prefix = f"{source.name} {plain.label[:length]}"
                words.setdefault(prefix, {}).update(dict.fromkeys(plain.words))
            else:
                others.append(group)

    return [*others, *(Group(label, tuple(of_label)) for label, of_label in words.items())]


def cilin_groups_only(thesaurus: Thesaurus) -> Thesaurus:
    """Return the thesaurus without the groups of other sources than Cilin."""
    is_cilin = [source.format == "cilin" for source in thesaurus.sources]
    return replace(thesaurus, groups=[g for g in thesaurus.groups if is_cilin[g.source]])


def nested(parts: Sequence[str], sets: Sequence[list[Group]]) -> list[list[Group]]:
    """Return the groups of each grade.

    A grade of a lexicon gets the groups of the grade before it, and a part of Cilin those of the
    lexicons before it.

    Parameters:
        parts: the part of Cilin that is each grade, or `WHOLE` for a lexicon.
        sets: the groups of each grade alone.
    """
    grades: list[list[Group]] = []
    lexicons: list[Group] = []
    for part, groups in zip(parts, sets, strict=True):
        before = lexicons
        if part == WHOLE:
            before = grades[-1] if grades else []
            lexicons = [*lexicons, *groups]
        grades.append(list(dict.fromkeys([*before, *groups])))
    return grades


def concatenate_groups(grades: Sequence[list[Group]]) -> tuple[list[Group], list[tuple[int, int]]]:
    """Return the groups of all grades in one list, and the range of each grade in it.

    A grade that has all groups of the finer grade shares them.
    """
    groups: list[Group] = []
    ranges: list[tuple[int, int]] = []
    for grade in grades:
        first = ranges[-1][0] if ranges else 0
        shared = set(groups[first:])
        if not shared.issubset(grade):
            first, shared = len(groups), set()
        groups += [group for group in grade if group not in shared]
        ranges.append((first, len(groups)))
    return groups, ranges


def check_nested(
    members: Sequence[Sequence[str]], ranges: Sequence[tuple[int, int]], keys: Sequence[str]
) -> None:
    """Raise `LexiconError` unless synonyms of each grade are synonyms in the next grade."""
    for k, (fine, coarse) in enumerate(pairwise(ranges)):
        if fine[0] == coarse[0]:
            continue
        groups: dict[str, set[int]] = {}
        for g in range(*coarse):
            for word in members[g]:
                groups.setdefault(word, set()).add(g)
        for words in members[slice(*fine)]:
            of_words = [groups.get(word, set()) for word in words]
            if set.intersection(*of_words):
                continue
            for (a, of_a), (b, of_b) in combinations(zip(words, of_words, strict=True), 2):
                if not of_a & of_b:
                    raise LexiconError(
                        f"grades are not nested: {a} and {b} are synonyms in {keys[k]!r}, but not"
                        f" in {keys[k + 1]!r}; each grade must contain the one before it"
                    )
