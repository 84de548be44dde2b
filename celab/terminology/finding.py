"""Terms in parallel texts: occurrences in the source, and how an output renders them.

An occurrence is where the source has a term; of overlapping ones the longest counts, then the
leftmost. Without a source, it is where the reference has a target of the term. In an output, all
targets and forbidden terms of the whole glossary are looked for, and hits are made disjoint in the
same way, so that a target inside a longer one is not a hit of its own. Occurrences are matched to
hits of their term's targets (`celab.terminology.matching`). A hit that remains is a forbidden use
if its phrase is forbidden for a term of the segment; it counts for the first such term.

>>> from celab.terminology.glossary import load_glossary
>>> glossary = load_glossary({"GPU": "显卡", "cloud platform": "云平台", "platform": "平台"}, "zh")
>>> finder = TermFinder(glossary, "zh", "en")
>>> occurrences = finder.in_source(["Two GPU: a GPU on a cloud platform"])
>>> [glossary.terms[one.term].source for one in occurrences[0]]
['GPU', 'GPU', 'cloud platform']
>>> (use,) = finder.use(occurrences, ["云平台上的显卡"])
>>> [None if phrase is None else finder.phrases[phrase] for phrase in use.rendered]
['显卡', None, '云平台']
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from typing import NamedTuple

from celab.base.errors import LimitError
from celab.metrics.options import TeslaCelabOptions
from celab.terminology.glossary import Glossary
from celab.terminology.matching import match
from celab.terminology.phrases import Found, PhraseIndex, disjoint
from celab.terminology.readings import Reading, Token


class Occurrence(NamedTuple):
    """A term of the glossary, by number, and the tokens where it is."""

    start: int
    stop: int
    term: int


class ForbiddenUse(NamedTuple):
    """A forbidden phrase that stands in the output, and the term for which it is forbidden."""

    term: int
    phrase: int


class SegmentUse(NamedTuple):
    """How an output renders the occurrences of a segment."""

    rendered: tuple[int | None, ...]  # the phrase of each occurrence's hit; None if it has none
    forbidden: tuple[ForbiddenUse, ...]


_UNUSED = SegmentUse((), ())


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
        self.phrases = list(numbers)  # as the glossary first spells them
        self._allowed = [frozenset(allowed[k]) for k in range(len(numbers))]
        self._forbidden = [frozenset(forbidden[k]) for k in range(len(numbers))]
        self._forbids = frozenset(k for k, terms in enumerate(self._forbidden) if terms)
        self._index = PhraseIndex(self.reading.phrases(self.phrases))

    def in_source(self, texts: Sequence[str]) -> list[list[Occurrence]]:
        """Return the occurrences of terms in each text of the source, by position."""
        index = PhraseIndex(self.source_reading.phrases([t.source for t in self.glossary.terms]))
        return [
            [Occurrence(find.start, find.stop, find.phrases[0]) for find in found]
            for found in _search(index, self.source_reading.tokens(texts))
        ]

    def in_reference(self, texts: Sequence[str]) -> list[list[Occurrence]]:
        """Return an occurrence for each target in each text, of the first term that has it."""
        return [
            [
                Occurrence(find.start, find.stop, min(terms))
                for find in found
                if (terms := self._accepting(find))
            ]
            for found in self._hits(texts)
        ]

    def use(
        self, occurrences: Sequence[Sequence[Occurrence]], texts: Sequence[str]
    ) -> list[SegmentUse]:
        """Return how the text of each segment renders its occurrences."""
        # Segments without a term are not looked at.
        numbers = [k for k, in_segment in enumerate(occurrences) if in_segment]
        found = self._hits([texts[k] for k in numbers], numbers)
        uses = [_UNUSED] * len(occurrences)
        for k, hits in zip(numbers, found, strict=True):
            uses[k] = self._use(occurrences[k], hits)
        return uses

    def places(self, term: int, text: str) -> list[tuple[int, int]]:
        """Return where targets of a term stand in a text, in characters of its joined words."""
        (found,) = self._hits([text])
        ends = [0, *accumulate(map(len, self.reading.words(text)))]
        return [
            (ends[find.start], ends[find.stop]) for find in found if term in self._accepting(find)
        ]

    def n_copies(self, term: int, text: str) -> int:
        """Return how often a term in Latin script stands untranslated in a text of another script.

        A term whose target is the same is not looked for.
        """
        source = self.glossary.terms[term].source
        if source not in text:  # most are not
            return 0
        words = self.reading.words(source)
        if self.reading.is_spaced or not all(map(str.isascii, words)):
            return 0
        if source in self.glossary.terms[term].targets:
            return 0
        return len(PhraseIndex([words]).find(self.reading.words(text)))

    def found_texts(
        self, occurrences: Sequence[Occurrence], text: str, *, in_source: bool
    ) -> list[str]:
        """Return occurrences as their text has them; normalized if that moves characters."""
        reading = self.source_reading if in_source else self.reading
        if spans := reading.spans(text):
            return [text[spans[one.start][0] : spans[one.stop - 1][1]] for one in occurrences]
        words = reading.words(text)
        return [" ".join(words[one.start : one.stop]) for one in occurrences]

    def _use(self, occurrences: Sequence[Occurrence], hits: list[Found]) -> SegmentUse:
        terms = [occurrence.term for occurrence in occurrences]
        matched = match(terms, [self._accepting(hit) for hit in hits])
        rendered = tuple(
            None
            if hit is None
            else next(p for p in hits[hit].phrases if occurrence.term in self._allowed[p])
            for occurrence, hit in zip(occurrences, matched, strict=True)
        )
        return SegmentUse(rendered, tuple(self._forbidden_uses(terms, hits, matched)))

    def _forbidden_uses(
        self, terms: list[int], hits: list[Found], matched: list[int | None]
    ) -> Iterator[ForbiddenUse]:
        used = set(matched)
        for number, hit in enumerate(hits):
            if self._forbids.isdisjoint(hit.phrases) or number in used:
                continue
            uses = (
                ForbiddenUse(term, phrase)
                for term in terms
                for phrase in hit.phrases
                if term in self._forbidden[phrase]
            )
            yield from islice(uses, 1)

    def _hits(
        self, texts: Sequence[str], numbers: Sequence[int] | None = None
    ) -> list[list[Found]]:
        return _search(self._index, self.reading.tokens(texts), numbers)

    def _accepting(self, find: Found) -> frozenset[int]:
        if len(find.phrases) == 1:
            return self._allowed[find.phrases[0]]
        return frozenset().union(*(self._allowed[phrase] for phrase in find.phrases))


def _search(
    index: PhraseIndex, texts: Sequence[Sequence[Token]], numbers: Sequence[int] | None = None
) -> list[list[Found]]:
    """Return disjoint finds in each text; `numbers` are those of their segments, from 0."""
    found = []
    for k, tokens in enumerate(texts):
        try:
            found.append(disjoint(index.find(tokens), tokens))
        except LimitError as error:
            raise error.within(f"segment {(numbers[k] if numbers else k) + 1}") from None
    return found
