"""Matching: which hit in the output renders which occurrence in the source.

Each occurrence needs a hit of its own, of a phrase that is a target of its term. As many as
possible are matched. Of all such matchings one is taken by rule: earlier occurrences are matched
rather than later ones, and then, one after the other, each gets the first hit that it can have.

Occurrences of one term are alike, and so are hits that the same terms accept, so that the search
is for a flow from terms to kinds of hits, with few of both however long a segment is. An occurrence
that can be matched once those before it are stays matched (augmenting paths move it to another
hit, but never take its hit away), so that trying one after the other gives the first of all
largest sets. Kinds from which no free hit was reached are never searched again, so that most
segments take time in proportion to their length; others have a limit.

>>> match([0, 1, 0], [{0}, {0, 1}])
[0, 1, None]
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Sequence
from heapq import heapify, heappop, heappush, heapreplace

from celab.base.errors import LimitError

MOST_STEPS = 1 << 22  # of all searches for a hit that others must move for
TermSet = int  # number of a set of terms, which accept the same hits
Path = list[tuple[int, TermSet]]


def match(occurrences: Sequence[int], hits: Sequence[Collection[int]]) -> list[int | None]:
    """Return the number of each occurrence's hit, or None.

    `occurrences` are the numbers of their terms, in order; `hits` are the terms that accept each.
    """
    present = frozenset(occurrences)
    relevant: dict[frozenset[int], frozenset[int]] = {}  # of all terms that accept a hit
    places: dict[frozenset[int], deque[int]] = {}
    for number, accepting in enumerate(hits):
        accepting = frozenset(accepting)
        terms = relevant.get(accepting)
        if terms is None:
            terms = relevant[accepting] = accepting & present
        if terms:
            places.setdefault(terms, deque()).append(number)
    if not places:
        return [None] * len(occurrences)
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

    def __init__(self, places: dict[frozenset[int], deque[int]]) -> None:
        self.places = list(places.values())
        self.free = list(map(len, self.places))
        self.kinds: dict[int, list[TermSet]] = {}
        for kind, terms in enumerate(places):
            for term in terms:
                self.kinds.setdefault(term, []).append(kind)
        self.held: list[Counter[int]] = [Counter() for _ in places]
        self.holds: dict[int, Counter[TermSet]] = {term: Counter() for term in self.kinds}
        self._n_full = dict.fromkeys(self.kinds, 0)  # kinds of a term that are known to be full
        self._closed: set[TermSet] = set()  # from which no free hit can be reached any more
        self._heaps: dict[int, list[tuple[int, int]]] = {}  # first hit and number of each kind
        self._n_steps = 0

    def add(self, term: int) -> bool:
        """Give the term one more hit, if others can be moved so that it has one."""
        kinds = self.kinds.get(term, [])
        n_full = self._n_full.get(term, 0)
        while n_full < len(kinds) and not self.free[kinds[n_full]]:
            n_full += 1
        if kinds:
            self._n_full[term] = n_full
        if n_full < len(kinds):
            path: Path | None = [(term, kinds[n_full])]
        else:
            path = self._path((kind for kind in kinds if kind not in self._closed), term)
        if path is None:
            return False
        self.free[path[-1][1]] -= 1
        self._shift(path)
        return True

    def take(self, term: int) -> int:
        """Return the first hit that one of the term's occurrences can have, and remove both."""
        heap, kinds = self._heap(term), self.kinds[term]
        refused: list[tuple[int, int]] = []
        while heap:
            place, number = heap[0]
            left = self.places[kinds[number]]
            if not left:
                heappop(heap)
            elif left[0] != place:  # others have taken hits of the kind since
                heapreplace(heap, (left[0], number))
            elif self._can_take(term, kinds[number]):
                for entry in refused:
                    heappush(heap, entry)
                self._hold(term, kinds[number], -1)
                return left.popleft()
            else:
                refused.append(heappop(heap))
        raise AssertionError("a matched occurrence has a hit")

    def _heap(self, term: int) -> list[tuple[int, int]]:
        heap = self._heaps.get(term)
        if heap is None:
            numbered = enumerate(self.kinds[term])
            heap = self._heaps[term] = [
                (self.places[kind][0], number) for number, kind in numbered if self.places[kind]
            ]
            heapify(heap)
        return heap

    def _can_take(self, term: int, kind: TermSet) -> bool:
        """Whether the term holds a hit of the kind, now or after others were moved."""
        if term in self.held[kind]:
            return True
        path = self._path([kind], term, exchange=True)
        if path is None:
            return False
        end = path[-1][1]
        if term in self.held[end]:  # the last one that moves gets the term's hit
            self._hold(term, end, -1)
        else:
            released = next(iter(self.holds[term]))
            self._hold(term, released, -1)
            self.free[released] += 1
            self.free[end] -= 1
        self._shift(path)
        return True

    def _path(self, kinds: Iterable[TermSet], term: int, *, exchange: bool = False) -> Path | None:
        """Return terms, each with the kind that it gets, so that the last kind has a free hit.

        Each term but the first gives up a hit of the kind that the one before it gets. With
        `exchange`, a hit of the last kind may also be the first term's own.
        """
        before: dict[TermSet, tuple[int, TermSet | None]] = dict.fromkeys(kinds, (term, None))
        seen, queue = {term}, deque(before)
        while queue:
            kind = queue.popleft()
            if self.free[kind] or (exchange and term in self.held[kind]):
                path: Path = []
                step: TermSet | None = kind
                while step is not None:
                    owner, previous = before[step]
                    path.append((owner, step))
                    step = previous
                return path[::-1]
            self._count(len(self.held[kind]))
            for holder in self.held[kind]:
                if holder in seen:
                    continue
                seen.add(holder)
                self._count(len(self.kinds[holder]))
                for following in self.kinds[holder]:
                    if following not in before and (exchange or following not in self._closed):
                        before[following] = holder, kind
                        queue.append(following)
        if not exchange:  # nothing that was reached has a free hit, and none comes back
            self._closed.update(before)
        return None

    def _shift(self, path: Path) -> None:
        for k, (term, kind) in enumerate(path):
            self._hold(term, kind, 1)
            if k:
                self._hold(term, path[k - 1][1], -1)

    def _hold(self, term: int, kind: TermSet, n: int) -> None:
        self.held[kind][term] += n
        self.holds[term][kind] += n
        if not self.held[kind][term]:  # counters have only what is held
            del self.held[kind][term], self.holds[term][kind]

    def _count(self, n_steps: int) -> None:
        self._n_steps += n_steps
        if self._n_steps > MOST_STEPS:
            raise LimitError(
                f"to match terms with their renderings takes more than {MOST_STEPS:,} steps,"
                " which is the limit",
                hint="split the segment",
            )
