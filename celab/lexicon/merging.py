"""Merging: several thesauri → one.

`union` keeps every group as it is: two words are synonyms if any group has both. `transitive` joins
groups that share a word, so that synonyms of synonyms are synonyms; with everyday words this soon
makes groups that mean nothing, which `max_group` can drop. `min_sources` keeps only pairs of words
that so many sources agree on; a pair is then a group of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations

from celab.base.frozen import dataclass
from celab.lexicon.model import Group, Provenance, Thesaurus

# Larger groups have too many pairs, and say little.
MAX_PAIRED = 200
MODES = ("union", "transitive")


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged thesaurus, and the number of groups left out."""

    thesaurus: Thesaurus
    too_large: int  # groups


def merge(
    thesauri: Sequence[Thesaurus],
    name: str,
    *,
    mode: str = "union",
    max_group: int | None = None,
    min_sources: int = 1,
) -> Merged:
    """Merge thesauri into one, whose groups refer to the sources of all of them."""
    sources: list[Provenance] = []
    groups: list[Group] = []
    for thesaurus in thesauri:
        groups += [replace(g, source=g.source + len(sources)) for g in thesaurus.groups]
        sources += thesaurus.sources
    if min_sources > 1:
        groups = _agreed(groups, min_sources)
    if mode == "transitive":
        groups = _joined(groups)
    kept = [g for g in groups if max_group is None or len(set(g.words)) <= max_group]
    skipped = [line for thesaurus in thesauri for line in thesaurus.skipped]
    n_skipped = sum(thesaurus.n_skipped for thesaurus in thesauri)
    return Merged(Thesaurus(name, sources, kept, skipped, n_skipped), len(groups) - len(kept))


def _agreed(groups: Iterable[Group], min_sources: int) -> list[Group]:
    votes: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    for group in groups:
        words = sorted(set(group.words))
        if len(words) <= MAX_PAIRED:
            for pair in combinations(words, 2):
                votes[pair].setdefault(group.source, group.label)
    return [
        Group(next(iter(labels.values())), pair, min(labels))
        for pair, labels in sorted(votes.items())
        if len(labels) >= min_sources
    ]


def _joined(groups: Sequence[Group]) -> list[Group]:
    # Union-find over groups, by the first group in which each word was seen.
    parent = list(range(len(groups)))

    def root(g: int) -> int:
        while parent[g] != g:
            parent[g] = parent[parent[g]]
            g = parent[g]
        return g

    first: dict[str, int] = {}
    for g, group in enumerate(groups):
        for word in group.words:
            other = root(first.setdefault(word, g))
            mine = root(g)
            parent[max(mine, other)] = min(mine, other)
    words: dict[int, dict[str, None]] = defaultdict(dict)
    for g, group in enumerate(groups):
        words[root(g)].update(dict.fromkeys(group.words))
    return [replace(groups[g], words=tuple(members)) for g, members in words.items()]
