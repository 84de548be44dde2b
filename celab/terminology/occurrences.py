"""Terms in parallel texts: occurrences in the source, and their renderings in an output.

An occurrence is a place where the source has a term; of overlapping places the longest counts, then
the leftmost. Without a source, it is a place where the reference has a target of the term. In an
output, all targets and forbidden terms of the whole glossary are looked for, and hits are made
disjoint in the same way, so that a target inside a longer one is not a hit of its own. Occurrences
are matched to hits of their term's targets (`match`). A hit that remains is a forbidden use if its
phrase is forbidden for a term of the segment; it counts for the first such term.

>>> from celab.terminology.glossary import load_glossary
>>> glossary = load_glossary({"GPU": "显卡", "cloud platform": "云平台", "platform": "平台"}, "zh")
>>> finder = TermFinder(glossary, "zh", "en")
>>> occurrences = finder.in_source(["Two GPU: a GPU on a cloud platform"])
>>> [glossary.terms[one.term].source for one in occurrences[0]]
['GPU', 'GPU', 'cloud platform']
>>> (use,) = finder.use(occurrences, ["云平台上的显卡"])
>>> [None if phrase is None else finder.phrases[phrase] for phrase in use.rendered]
['显卡', None, '云平台']

Each occurrence needs a hit of its own, of a phrase that is a target of its term. As many as
possible are matched. Among all such matchings, earlier occurrences are matched rather than later
ones, and then, one after the other, each gets the first hit that it can have.

Occurrences of one term are alike, and so are hits that the same terms accept: a *kind* of hits is
the set of these terms. An augmenting path gives a term one more hit and moves others to hits of
another kind, but takes none away, so that trying one occurrence after the other finds the matching
described above.

>>> match([0, 1, 0], [{0}, {0, 1}])
[0, 1, None]
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heapreplace
from itertools import accumulate, chain, product
from operator import itemgetter
from typing import NamedTuple

from celab.base.errors import InputError, LimitError, Setting, Text
from celab.metrics.options import TeslaCelabOptions
from celab.terminology.glossary import Glossary
from celab.terminology.term_tokens import (
    Hit,
    PhraseIndex,
    Reading,
    Span,
    Token,
    disjoint,
    written_words,
)

TermSet = frozenset[int]


def match(occurrences: Sequence[int], hits: Sequence[Collection[int]]) -> list[int | None]:
    """Return the number of each occurrence's hit, or None.

    `occurrences` has the number of the term of each occurrence, in order, and `hits` the terms that
    accept each hit.
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
            else:  # if a term cannot take this kind now, it never can, so skip the kind
                heappop(heaps[term])
    return result


class _Flow:
    """Numbers of hits of each kind that each term holds, and of free ones."""

    def __init__(self, free: dict[TermSet, int], terms: Iterable[int]) -> None:
        self.free = free
        self.held: dict[TermSet, Counter[int]] = {kind: Counter() for kind in self.free}
        self.kinds: dict[int, list[TermSet]] = {term: [] for term in terms}
        for kind in self.free:
            for term in kind:
                self.kinds[term].append(kind)
        self._unfilled = {term: [*own] for term, own in self.kinds.items()}
        self._dead_ends: set[TermSet] = set()  # sets from which `add` reaches no free hit

    def add(self, term: int) -> bool:
        """Give a term one more hit, if others can be moved so that it has one."""
        unfilled = self._unfilled[term]
        while unfilled and not self.free[unfilled[-1]]:
            unfilled.pop()
        return self._give(term, unfilled[-1:] or self.kinds[term], self._dead_ends)

    def take(self, term: int, kind: TermSet) -> bool:
        """Match one occurrence of the term to a hit of this kind and remove both.

        If another matched occurrence would lose its hit, return False.
        """
        if not self.held[kind][term]:
            own = next(other for other in self.kinds[term] if self.held[other][term])
            self._move(term, own, -1)
            if not self._give(term, [kind], set()):
                self._move(term, own, 1)
                return False
        self.held[kind][term] -= 1
        return True

    def _give(self, term: int, start: Iterable[TermSet], dead_ends: set[TermSet]) -> bool:
        """Give a term a hit of one of these kinds by a shortest augmenting path.

        Without such a path, add the kinds that were reached to `dead_ends`.
        """
        # kind → the term that gets a hit of this kind, and the kind that the term gives up for it
        before: dict[TermSet, tuple[int, TermSet | None]] = {
            kind: (term, None) for kind in start if kind not in dead_ends
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
                        if other not in before and other not in dead_ends:
                            before[other] = holder, kind
                            queue.append(other)
        dead_ends.update(before)
        return False

    def _move(self, term: int, kind: TermSet, n: int) -> None:
        self.held[kind][term] += n
        self.free[kind] -= n


SOURCE, REFERENCE = "source", "reference"  # texts that are searched for occurrences


class Occurrence(NamedTuple):
    """A term of the glossary, by number, and the range of its tokens in the text."""

    start: int
    stop: int
    term: int


class ForbiddenUse(NamedTuple):
    """A forbidden phrase in the output, and the term for which it is forbidden."""

    term: int
    phrase: int


class SegmentUse(NamedTuple):
    """The renderings of the occurrences of a segment in an output."""

    rendered: tuple[int | None, ...]  # the phrase of each occurrence's hit; None if it has none
    forbidden: tuple[ForbiddenUse, ...]


_UNUSED = SegmentUse((), ())


class Places:
    """The places of targets in a text, for each set of terms that accept them."""

    def __init__(self, spans: Sequence[tuple[frozenset[int], list[Span]]]) -> None:
        groups: dict[int, list[int]] = defaultdict(list)
        for number, (terms, _) in enumerate(spans):
            for term in terms:
                groups[term].append(number)
        self._groups = {term: tuple(numbers) for term, numbers in groups.items()}
        self._spans: dict[tuple[int, ...], list[Span]] = {
            (number,): of_terms for number, (_, of_terms) in enumerate(spans)
        }

    def groups(self, term: int) -> tuple[int, ...]:
        """Return the key of a term's places, for `at`; several terms may share one."""
        return self._groups.get(term, ())

    def at(self, groups: tuple[int, ...]) -> list[Span]:
        """Return the places of targets, by position."""
        if groups not in self._spans:
            parts = (self._spans[number,] for number in groups)
            self._spans[groups] = sorted(chain.from_iterable(parts))
        return self._spans[groups]


class TermFinder:
    """Finds the terms of a glossary in texts of two languages.

    `options` are those of the metric that scores the outputs.
    """

    def __init__(
        self,
        glossary: Glossary,
        lang: str,
        source_lang: str | None = None,
        options: TeslaCelabOptions | None = None,
    ) -> None:
        self.glossary = glossary
        self.source_reading, self.reading = Reading(source_lang), Reading(lang, options)
        numbers: dict[str, int] = {}
        allowed: dict[int, list[int]] = defaultdict(list)
        forbidden: dict[int, list[int]] = defaultdict(list)
        for number, term in enumerate(glossary.terms):
            for phrase in term.targets:
                allowed[numbers.setdefault(phrase, len(numbers))].append(number)
            for phrase in term.forbidden:
                forbidden[numbers.setdefault(phrase, len(numbers))].append(number)
        self.phrases = list(numbers)  # first spelling in the glossary
        self._allowed = [frozenset(allowed[k]) for k in range(len(numbers))]
        self._forbidden = [frozenset(forbidden[k]) for k in range(len(numbers))]
        self._accepted: dict[tuple[int, ...], frozenset[int]] = {}  # phrases of a hit → terms
        self._forbids = frozenset(k for k, terms in enumerate(self._forbidden) if terms)
        tokens = self.reading.phrases(self.phrases)
        self._refuse_clashes(numbers, tokens)
        self._index = PhraseIndex(tokens)

    def _refuse_clashes(
        self, numbers: Mapping[str, int], tokens: Sequence[Sequence[Token]]
    ) -> None:
        """Raise `InputError` if a target and a forbidden term of a term are equal once normalized.

        The glossary may spell them differently, such as in Simplified and Traditional characters.
        """
        for term in self.glossary.terms:
            for forbidden, target in product(term.forbidden, term.targets):
                if tokens[numbers[forbidden]] != tokens[numbers[target]]:
                    continue
                by_script = written_words(forbidden) != written_words(target)
                keep: Text = ("keep one of them, or give ", Setting("script", "keep"))
                raise InputError(
                    f"{term.where or f'term {term.source!r}'}: the target term {target!r} and the"
                    f" forbidden term {forbidden!r} are the same once text is normalized",
                    hint=keep if by_script else "keep one of them",
                )

    def in_source(self, texts: Sequence[str]) -> list[list[Occurrence]]:
        """Return the occurrences of terms in each text of the source, by position."""
        index = PhraseIndex(self.source_reading.phrases([t.source for t in self.glossary.terms]))
        return [
            [Occurrence(hit.start, hit.stop, hit.phrases[0]) for hit in hits]
            for hits in _search(index, self.source_reading.tokens(texts))
        ]

    def in_reference(self, texts: Sequence[str]) -> list[list[Occurrence]]:
        """Return an occurrence for each target in each text, of the first term that has it."""
        return [
            [
                Occurrence(hit.start, hit.stop, min(terms))
                for hit in hits
                if (terms := self._accepting(hit.phrases))
            ]
            for hits in self._hits(texts)
        ]

    def use(
        self, occurrences: Sequence[Sequence[Occurrence]], texts: Sequence[str]
    ) -> list[SegmentUse]:
        """Return how the text of each segment renders its occurrences."""
        # Segments without a term are not looked at.
        numbers = [k for k, in_segment in enumerate(occurrences) if in_segment]
        uses = [_UNUSED] * len(occurrences)
        hits_by_text = self._hits([texts[k] for k in numbers], numbers)
        for k, hits in zip(numbers, hits_by_text, strict=True):
            try:
                uses[k] = self._use(occurrences[k], hits)
            except LimitError as error:
                raise error.within(f"segment {k + 1}") from None
        return uses

    def places(self, text: str) -> Places:
        """Return the places of targets in a text, in characters of its joined words."""
        (hits,) = self._hits([text])
        ends = [0, *accumulate(map(len, self.reading.words(text)))]
        places: dict[tuple[int, ...], list[Span]] = defaultdict(list)
        for hit in hits:
            places[hit.phrases].append((ends[hit.start], ends[hit.stop]))
        return Places([(self._accepting(phrases), spans) for phrases, spans in places.items()])

    def copies(self, terms: Collection[int], text: str) -> dict[int, int]:
        """Return how often terms in Latin script stand untranslated in a text of another script.

        Terms that are their own targets are left out.
        """
        if self.reading.is_spaced:
            return {}
        of_term = self.glossary.terms
        copied = [
            term
            for term in terms
            if of_term[term].source in text and of_term[term].source not in of_term[term].targets
        ]
        words = {term: self.reading.words(of_term[term].source) for term in copied}
        looked_for = [term for term, own in words.items() if all(map(str.isascii, own))]
        if not looked_for:
            return {}
        index = PhraseIndex([words[term] for term in looked_for])
        copies = index.find(self.reading.words(text))
        counts = Counter(number for copy in copies for number in copy.phrases)
        return {looked_for[number]: n for number, n in counts.items()}

    def found_texts(
        self, occurrences: Sequence[Occurrence], text: str, *, in_source: bool
    ) -> list[str]:
        """Return occurrences as written in their text; normalized if that moves characters."""
        reading = self.source_reading if in_source else self.reading
        if spans := reading.spans(text):
            return [text[spans[one.start][0] : spans[one.stop - 1][1]] for one in occurrences]
        words = reading.words(text)
        return [" ".join(words[one.start : one.stop]) for one in occurrences]

    def _use(self, occurrences: Sequence[Occurrence], hits: list[Hit]) -> SegmentUse:
        terms = [occurrence.term for occurrence in occurrences]
        matched = match(terms, [self._accepting(hit.phrases) for hit in hits])
        rendered = tuple(
            None
            if hit is None
            else next(p for p in hits[hit].phrases if occurrence.term in self._allowed[p])
            for occurrence, hit in zip(occurrences, matched, strict=True)
        )
        return SegmentUse(rendered, tuple(self._forbidden_uses(terms, hits, matched)))

    def _forbidden_uses(
        self, terms: list[int], hits: list[Hit], matched: list[int | None]
    ) -> Iterator[ForbiddenUse]:
        used = set(matched)
        first = {term: k for k, term in reversed(list(enumerate(terms)))}
        uses: dict[tuple[int, ...], ForbiddenUse | None] = {}  # phrases of a hit → its use
        for number, hit in enumerate(hits):
            if self._forbids.isdisjoint(hit.phrases) or number in used:
                continue
            if hit.phrases not in uses:
                candidates = (
                    (first[term], ForbiddenUse(term, phrase))
                    for phrase in hit.phrases
                    for term in self._forbidden[phrase].intersection(first)
                )
                # The first term and its first phrase.
                _, uses[hit.phrases] = min(candidates, key=itemgetter(0), default=(0, None))
            if use := uses[hit.phrases]:
                yield use

    def _hits(self, texts: Sequence[str], numbers: Sequence[int] | None = None) -> list[list[Hit]]:
        return _search(self._index, self.reading.tokens(texts), numbers)

    def _accepting(self, phrases: tuple[int, ...]) -> frozenset[int]:
        if len(phrases) == 1:
            return self._allowed[phrases[0]]
        accepting = self._accepted.get(phrases)
        if accepting is None:
            accepting = frozenset().union(*(self._allowed[phrase] for phrase in phrases))
            self._accepted[phrases] = accepting
        return accepting


def _search(
    index: PhraseIndex, texts: Sequence[Sequence[Token]], numbers: Sequence[int] | None = None
) -> list[list[Hit]]:
    """Return disjoint hits in each text; `numbers` are the indices of their segments."""
    hits_by_text = []
    for k, tokens in enumerate(texts):
        try:
            hits_by_text.append(disjoint(index.find(tokens), tokens))
        except LimitError as error:
            raise error.within(f"segment {(numbers[k] if numbers else k) + 1}") from None
    return hits_by_text
