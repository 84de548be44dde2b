"""Text in the place of a missed term, from the links of an explanation.

The reference that has a target of the term says where it would stand: what the explanation links
to it in the output stands there instead. Single characters of a name are often linked to others far
away, so more than half of the term must be linked to one place. Nothing is known if that is not so,
or if no reference has the term.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from celab.base.errors import SolverError
from celab.metrics.explaining.explanation import (
    AnyExplanation,
    Explanation,
    MeanExplanation,
    Span,
    WordExplanation,
)

if TYPE_CHECKING:
    from celab.evaluation.terms.finding import Places, TermFinder
    from celab.metrics.base import Scorer

_WIDEST_GAP = 1  # token between linked ones that is shown, too
_LEAST_SHARE = 0.5  # of the term's tokens; fewer are linked by chance


class Links:
    """Explains outputs against references that have a term."""

    def __init__(self, finder: TermFinder, scorer: Scorer) -> None:
        self.finder, self.scorer = finder, scorer

    def instead(self, missed: Sequence[int], hyp: str, refs: Sequence[str]) -> list[str | None]:
        """Return what stands there for each missed occurrence, by the number of its term."""
        queues: dict[int, Iterator[str | None]] = {}
        segment = _Segment(self, hyp, [ref for ref in refs if ref.strip()] if hyp.strip() else [])
        texts = []
        for term in missed:
            if term not in queues:
                queues[term] = segment.linked(term)
            texts.append(next(queues[term], None))
        return texts

    def explain(self, hyp: str, ref: str) -> _Sides | None:
        """Return both sides and their links; None if they are not known."""
        try:
            against = self.scorer.explain(hyp, [ref]).against
        except SolverError:  # what is not proved is not shown
            return None
        explanation = next(map(_by_tokens, against), None)
        if explanation is None:
            return None
        words = ("".join(self.finder.reading.words(text)) for text in (hyp, ref))
        return _Sides.of(explanation, *words)


class _Segment:
    """An output and the references of its segment; each text is read once."""

    def __init__(self, links: Links, hyp: str, refs: Sequence[str]) -> None:
        self.links, self.hyp, self.refs = links, hyp, refs
        self._places: dict[str, Places] = {}
        self._explained: dict[str, _Sides | None] = {}
        self._tokens: dict[tuple[int, tuple[int, ...]], frozenset[int]] = {}  # that are targets

    def linked(self, term: int) -> Iterator[str | None]:
        """Yield what is linked to each target of the term in the first reference that has one.

        A target that is linked to a target of the output is not missed, and nothing else is linked
        to that.
        """
        for ref in self.refs:
            in_ref = self._places_in(ref)
            if not (groups := in_ref.groups(term)):
                continue
            if ref not in self._explained:
                self._explained[ref] = self.links.explain(self.hyp, ref)
            if (sides := self._explained[ref]) is None:
                return
            taken = self._taken(sides, term)
            for place in in_ref.at(groups):
                tokens = sides.ref_at(place)
                if not taken or not taken.issuperset(sides.linked(tokens)):
                    yield sides.linked_text(tokens, taken)
            return

    def _taken(self, sides: _Sides, term: int) -> frozenset[int]:
        """Return the tokens of the output that are targets of the term."""
        in_hyp = self._places_in(self.hyp)
        key = id(sides), in_hyp.groups(term)
        if key not in self._tokens:
            spans = in_hyp.at(key[1])
            self._tokens[key] = frozenset(k for span in spans for k in sides.hyp_at(span))
        return self._tokens[key]

    def _places_in(self, text: str) -> Places:
        if text not in self._places:
            self._places[text] = self.links.finder.places(text)
        return self._places[text]


LinkedTokens = list[tuple[tuple[int, ...], tuple[int, ...]]]  # tokens of hypothesis and reference


class _Sides(NamedTuple):
    """The tokens of both sides, where each ends, and which of them are linked, heaviest first."""

    hyp_tokens: Sequence[str]
    hyp_ends: Sequence[int]  # in characters without white space
    ref_ends: Sequence[int]
    links: Mapping[int, Sequence[tuple[int, ...]]]  # by token of the reference

    @classmethod
    def of(cls, explanation: AnyExplanation, hyp: str, ref: str) -> _Sides | None:
        """Return the sides of texts without spaces; None if the metric reads other characters."""
        hyp_tokens, ref_tokens, pairs = _tokens_and_pairs(explanation)
        ends = []
        for tokens, text in ((hyp_tokens, hyp), (ref_tokens, ref)):
            words = ["".join(token.split()) for token in tokens]
            if "".join(words).lower() != text.lower():
                return None
            ends.append([*accumulate(map(len, words))])
        links: dict[int, list[tuple[int, ...]]] = defaultdict(list)
        for hyps, refs in pairs:
            for token in refs:
                links[token].append(hyps)
        return cls(hyp_tokens, ends[0], ends[1], links)

    def hyp_at(self, place: Span) -> list[int]:
        """Return the tokens of the hypothesis at some characters."""
        return _at(self.hyp_ends, place)

    def ref_at(self, place: Span) -> list[int]:
        """Return the tokens of the reference at some characters."""
        return _at(self.ref_ends, place)

    def linked(self, ref_tokens: Sequence[int], taken: Collection[int] = ()) -> list[int]:
        """Return the tokens that are linked to some of the reference, without `taken` ones."""
        return [k for hyps in self._by_token(ref_tokens, taken) for k in hyps]

    def linked_text(self, ref_tokens: Sequence[int], taken: Collection[int]) -> str | None:
        """Return the text that stands where most of these tokens are linked to."""
        linked = self._by_token(ref_tokens, taken)
        places = _main_group(linked)
        n_linked = sum(bool(places.intersection(hyps)) for hyps in linked)
        if n_linked <= _LEAST_SHARE * len(linked):
            return None
        return _joined(self.hyp_tokens, range(min(places), max(places) + 1))

    def _by_token(self, ref_tokens: Sequence[int], taken: Collection[int]) -> list[tuple[int, ...]]:
        """Return what the heaviest link of each token links it to."""
        return [
            next((hyps for hyps in self.links.get(k, ()) if not any(t in taken for t in hyps)), ())
            for k in ref_tokens
        ]


def _at(ends: Sequence[int], place: Span) -> list[int]:
    # Tokens that end after the place begins and begin before it ends; those without text do not.
    first = bisect_right(ends, place[0])
    last = bisect_left(ends, place[1], first)
    return [
        k for k in range(first, min(last + 1, len(ends))) if ends[k] > (ends[k - 1] if k else 0)
    ]


def _main_group(linked: Sequence[tuple[int, ...]]) -> set[int]:
    """Return the tokens of the output, close to each other, that most of the term is linked to."""
    groups: list[list[int]] = []
    for place in sorted({place for hyps in linked for place in hyps}):
        if groups and place - groups[-1][-1] <= _WIDEST_GAP + 1:
            groups[-1].append(place)
        else:
            groups.append([place])

    def n_linked(group: list[int]) -> int:
        return sum(not set(group).isdisjoint(hyps) for hyps in linked)

    main: list[int] = max(groups, key=n_linked) if groups else []
    return set(main)


def _by_tokens(explanation: AnyExplanation) -> AnyExplanation | None:
    if isinstance(explanation, MeanExplanation):
        return next(
            (by_tokens for part in explanation.parts if (by_tokens := _by_tokens(part))), None
        )
    return explanation


def _tokens_and_pairs(
    explanation: AnyExplanation,
) -> tuple[Sequence[str], Sequence[str], LinkedTokens]:
    """Return the tokens of both sides, and which of them are linked, the heaviest links first."""
    pairs: LinkedTokens = []
    if isinstance(explanation, Explanation):
        for link in explanation.links:
            for piece in link.pieces:
                pairs.append((tuple(range(*piece.hyp)), tuple(range(*piece.ref))))
        return explanation.hyp_tokens, explanation.ref_tokens, pairs
    assert isinstance(explanation, WordExplanation)
    for feature in explanation.features:
        for word_link in feature.links:
            for pair in word_link.pairs:
                if pair.kind != "tag":
                    pairs.append(((pair.hyp,), (pair.ref,)))
    hyp_forms = [word.form for word in explanation.hyp_words]
    return hyp_forms, [word.form for word in explanation.ref_words], pairs


def _joined(tokens: Sequence[str], places: Iterable[int]) -> str:
    """Return tokens as text, with a space between two Latin words."""
    text = ""
    for token in (tokens[place] for place in places):
        is_word = len(token) > 1 and token[0].isascii() and token[0].isalnum()
        is_after_word = text[-1:].isascii() and text[-1:].isalnum()
        text += " " * (is_word and is_after_word) + token
    return text.strip()
