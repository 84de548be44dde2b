"""Matching: which hit in the output renders which occurrence in the source.

Each occurrence needs a hit of its own, of a phrase that is a target of its term. As many as
possible are matched. Of all such matchings one is taken by rule: earlier occurrences are matched
rather than later ones, and then, one after the other, each gets the first hit that it can have.

Occurrences of one term are alike, and so are hits that the same terms accept, so that the search
is for a flow from terms to kinds of hits, with few of both however long a segment is. An occurrence
that can be matched once those before it are stays matched (augmenting paths move it to another
hit, but never take its hit away), so that trying one after the other gives the first of all
largest sets.

>>> match([0, 1, 0], [{0}, {0, 1}])
[0, 1, None]
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Sequence

Kind = frozenset[int]  # hits, by the terms that accept them


def match(occurrences: Sequence[int], hits: Sequence[Collection[int]]) -> list[int | None]:
    """Return the number of each occurrence's hit, or None.

    `occurrences` are the numbers of their terms, in order; `hits` are the terms that accept each.
    """
    present = set(occurrences)
    places: dict[Kind, deque[int]] = {}
    for number, accepting in enumerate(hits):
        if kind := frozenset(present.intersection(accepting)):
            places.setdefault(kind, deque()).append(number)
    flow = _Flow(places)
    failed: set[int] = set()  # a term that finds no hit finds none later
    matched = []
    for term in occurrences:
        if term not in failed and not flow.add(term):
            failed.add(term)
        matched.append(term not in failed)
    result: list[int | None] = []
    for term, is_matched in zip(occurrences, matched, strict=True):
        result.append(flow.take(term) if is_matched else None)
    return result


class _Flow:
    """How many hits of each kind each term has, and how many are free."""

    def __init__(self, places: dict[Kind, deque[int]]) -> None:
        self.places = places
        self.free = {kind: len(numbers) for kind, numbers in places.items()}
        self.kinds: dict[int, list[Kind]] = {}
        for kind in places:
            for term in kind:
                self.kinds.setdefault(term, []).append(kind)
        self.held: dict[Kind, Counter[int]] = {kind: Counter() for kind in places}

    def add(self, term: int) -> bool:
        """Give the term one more hit, if others can be moved so that it has one."""
        path = self._path(self.kinds.get(term, []), term)
        if path is None:
            return False
        self.free[path[-1][1]] -= 1
        self._shift(path)
        return True

    def take(self, term: int) -> int:
        """Return the first hit that one of the term's occurrences can have, and remove both."""
        for kind in sorted(self._open(term), key=lambda kind: self.places[kind][0]):
            if self._can_take(term, kind):
                self.held[kind][term] -= 1
                return self.places[kind].popleft()
        raise AssertionError("a matched occurrence has a hit")

    def _open(self, term: int) -> list[Kind]:
        return [kind for kind in self.kinds[term] if self.places[kind]]

    def _can_take(self, term: int, kind: Kind) -> bool:
        """Whether the term holds a hit of the kind, now or after others were moved."""
        if self.held[kind][term]:
            return True
        for given in self._open(term):  # a hit of this kind goes to the one that must move
            if not self.held[given][term]:
                continue
            self.held[given][term] -= 1
            self.free[given] += 1
            if path := self._path([kind], term):
                self.free[path[-1][1]] -= 1
                self._shift(path)
                return True
            self.held[given][term] += 1
            self.free[given] -= 1
        return False

    def _path(self, kinds: Sequence[Kind], term: int) -> list[tuple[int, Kind]] | None:
        """Return terms, each with the kind that it gets, so that the last kind has a free hit.

        Each term but the first gives up a hit of the kind that the one before it gets.
        """
        before: dict[Kind, tuple[int, Kind | None]] = dict.fromkeys(kinds, (term, None))
        seen, queue = {term}, deque(kinds)
        while queue:
            kind = queue.popleft()
            if self.free[kind]:
                path: list[tuple[int, Kind]] = []
                step: Kind | None = kind
                while step is not None:
                    owner, previous = before[step]
                    path.append((owner, step))
                    step = previous
                return path[::-1]
            for other, n_held in self.held[kind].items():
                if n_held and other not in seen:
                    seen.add(other)
                    for following in self.kinds[other]:
                        if following not in before:
                            before[following] = other, kind
                            queue.append(following)
        return None

    def _shift(self, path: list[tuple[int, Kind]]) -> None:
        for k, (term, kind) in enumerate(path):
            self.held[kind][term] += 1
            if k:
                self.held[path[k - 1][1]][term] -= 1
