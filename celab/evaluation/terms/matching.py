"""Matching: which hit in the output renders which occurrence in the source.

Each occurrence needs a hit of its own, of a phrase that is a target of its term. As many as
possible are matched. Of all such matchings one is taken by rule: earlier occurrences are matched
rather than later ones, and then, one after the other, each gets the first hit that it can have.

Occurrences of one term are alike, and so are hits that the same terms accept: a *kind* of hits is
the set of these terms. An augmenting path gives a term one more hit and moves others to hits of
another kind, but takes none away, so that trying one occurrence after the other matches the first
of all largest sets.

>>> match([0, 1, 0], [{0}, {0, 1}])
[0, 1, None]
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Sequence
from heapq import heappop, heapreplace

TermSet = frozenset[int]


def match(occurrences: Sequence[int], hits: Sequence[Collection[int]]) -> list[int | None]:
    """Return the number of each occurrence's hit, or None.

    `occurrences` are the numbers of their terms, in order; `hits` are the terms that accept each.
    """
    present = frozenset(occurrences)
    places: dict[TermSet, deque[int]] = {}
    for number, terms in enumerate(hits):
        places.setdefault(present.intersection(terms), deque()).append(number)
    flow = _Flow({kind: len(numbers) for kind, numbers in places.items()}, present)
    matched = [flow.add(term) for term in occurrences]
    heaps = {term: [(places[kind][0], kind) for kind in flow.kinds[term]] for term in present}
    result: list[int | None] = [None] * len(occurrences)
    for n, term in enumerate(occurrences):
        while matched[n] and result[n] is None:
            first, kind = heaps[term][0]
            if places[kind] and places[kind][0] > first:  # hits of the kind were taken since
                heapreplace(heaps[term], (places[kind][0], kind))
            elif places[kind] and flow.take(term, kind):
                result[n] = places[kind].popleft()
            else:  # a kind that a term cannot have is of no use to it later, either
                heappop(heaps[term])
    return result


class _Flow:
    """How many hits of each kind each term holds, and how many are free."""

    def __init__(self, free: dict[TermSet, int], terms: Iterable[int]) -> None:
        self.free = free
        self.held: dict[TermSet, Counter[int]] = {kind: Counter() for kind in self.free}
        self.kinds: dict[int, list[TermSet]] = {term: [] for term in terms}
        for kind in self.free:
            for term in kind:
                self.kinds[term].append(kind)
        self._unfilled = {term: [*own] for term, own in self.kinds.items()}
        self._hopeless: set[TermSet] = set()  # from which `add` can reach no free hit

    def add(self, term: int) -> bool:
        """Give a term one more hit, if others can be moved so that it has one."""
        unfilled = self._unfilled[term]
        while unfilled and not self.free[unfilled[-1]]:
            unfilled.pop()
        return self._give(term, unfilled[-1:] or self.kinds[term], self._hopeless)

    def take(self, term: int, kind: TermSet) -> bool:
        """Remove a hit of the kind with an occurrence of the term, if all others keep a hit."""
        if not self.held[kind][term]:
            own = next(other for other in self.kinds[term] if self.held[other][term])
            self._move(term, own, -1)
            if not self._give(term, [kind], set()):
                self._move(term, own, 1)
                return False
        self.held[kind][term] -= 1
        return True

    def _give(self, term: int, start: Iterable[TermSet], hopeless: set[TermSet]) -> bool:
        """Give a term a hit of these kinds by a shortest augmenting path; or add to `hopeless`."""
        # By kind: the term that gets a hit of it, and the kind that this term gives up for it.
        before: dict[TermSet, tuple[int, TermSet | None]] = {
            kind: (term, None) for kind in start if kind not in hopeless
        }
        queue, moved = [*before], set[int]()
        for kind in queue:
            if self.free[kind]:
                step: TermSet | None = kind
                while step is not None:
                    owner, previous = before[step]
                    self._move(owner, step, 1)
                    if previous is not None:
                        self._move(owner, previous, -1)
                    step = previous
                return True
            for holder, n in self.held[kind].items():
                if n and holder not in moved:
                    moved.add(holder)
                    for other in self.kinds[holder]:
                        if other not in before and other not in hopeless:
                            before[other] = holder, kind
                            queue.append(other)
        hopeless.update(before)
        return False

    def _move(self, term: int, kind: TermSet, n: int) -> None:
        self.held[kind][term] += n
        self.free[kind] -= n
