"""What stands in the place of a missed term, from the links of an explanation.

The reference that has a target of the term says where it would stand: what the explanation links
to it in the output stands there instead. Single characters of a name are often linked to others far
away, so more than half of the term must be linked to one place. Nothing is known if that is not so,
or if no reference has the term.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from celab.base.errors import SolverError
from celab.metrics.explanation import (
    AnyExplanation,
    Explanation,
    MeanExplanation,
    Span,
    WordExplanation,
)

if TYPE_CHECKING:
    from celab.metrics.base import Scorer
    from celab.terminology.finding import TermFinder

_WIDEST_GAP = 1  # token between linked ones that is shown, too
_LEAST_SHARE = 0.5  # of the term's tokens; fewer are linked by chance


class Links:
    """Explains outputs against references that have a term."""

    def __init__(self, finder: TermFinder, scorer: Scorer) -> None:
        self.finder, self.scorer = finder, scorer

    def instead(self, missed: Sequence[int], hyp: str, refs: Sequence[str]) -> list[str | None]:
        """Return what stands there for each missed occurrence, by the number of its term."""
        queues: dict[int, Iterator[str | None]] = {}
        explanations: dict[str, AnyExplanation | None] = {}
        found = []
        for term in missed:
            if term not in queues:
                queues[term] = iter(self._linked(term, hyp, refs, explanations))
            found.append(next(queues[term], None))
        return found

    def _linked(
        self,
        term: int,
        hyp: str,
        refs: Sequence[str],
        explanations: dict[str, AnyExplanation | None],
    ) -> list[str | None]:
        """Return what is linked to each target of the term in the first reference that has one.

        A target that is linked to a target is not missed.
        """
        if not hyp.strip():
            return []
        for ref in refs:
            places = self.finder.places(term, ref) if ref.strip() else []
            if not places:
                continue
            if ref not in explanations:
                explanations[ref] = self._explain(hyp, ref)
            explanation = explanations[ref]
            if explanation is None:
                return []
            texts = [self._text(explanation, ref, place) for place in places]
            return [text for text in texts if text is None or not self.finder.places(term, text)]
        return []

    def _explain(self, hyp: str, ref: str) -> AnyExplanation | None:
        try:
            against = self.scorer.explain(hyp, [ref]).against
        except SolverError:  # what is not proved is not shown
            return None
        return next(map(_by_tokens, against), None)

    def _text(self, explanation: AnyExplanation, ref: str, place: Span) -> str | None:
        hyp_tokens, ref_tokens, pairs = _tokens_and_pairs(explanation)
        joined = "".join(self.finder.reading.words(ref))
        ref_words = ["".join(token.split()) for token in ref_tokens]
        if "".join(ref_words).lower() != joined.lower():
            return None  # the metric reads other characters
        ends = [0, *accumulate(map(len, ref_words))]
        chosen = {
            k
            for k, word in enumerate(ref_words)
            if word and ends[k] < place[1] and ends[k + 1] > place[0]
        }
        # What the heaviest link of each token of the term is linked to.
        linked = [next((hyps for hyps, refs in pairs if k in refs), ()) for k in sorted(chosen)]
        places = _main_group(linked)
        n_linked = sum(bool(places.intersection(hyps)) for hyps in linked)
        if n_linked <= _LEAST_SHARE * len(linked):
            return None
        return _joined(hyp_tokens, range(min(places), max(places) + 1))


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

    return set(max(groups, key=n_linked, default=[]))


def _by_tokens(explanation: AnyExplanation) -> AnyExplanation | None:
    if isinstance(explanation, MeanExplanation):
        return next(filter(None, map(_by_tokens, explanation.parts)), None)
    return explanation


Pairs = list[tuple[tuple[int, ...], tuple[int, ...]]]  # tokens of hypothesis and reference


def _tokens_and_pairs(
    explanation: AnyExplanation,
) -> tuple[Sequence[str], Sequence[str], Pairs]:
    """Return the tokens of both sides, and which of them are linked, the heaviest links first."""
    pairs: Pairs = []
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
