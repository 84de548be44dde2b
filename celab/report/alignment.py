"""An explanation → how each token was matched, and columns in which both sentences are aligned.

Links may cross, but columns cannot, so the heaviest set of pieces that keep their order in both
sentences is aligned. Tokens between two of them share a column, matched or not.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

from celab.metrics.explanation import Explanation, Kind, Ngram, Span, State, WordExplanation

MARKS: dict[State, str] = {"equal": "=", "synonym": "~", "covered": "+", "unmatched": "."}
WORD_MARKS = {"equal": "=", "synonym": "~", "tag": "t", "unmatched": "."}
FULL = 1 - 1e-6  # a cover shown as whole; the solver's tolerance is 1e-7


@dataclass(frozen=True, slots=True)
class MarkedSentence:
    """One of the two sentences: its tokens, how each was matched, and its n-grams."""

    label: str
    tokens: Sequence[str]
    states: Sequence[State]
    ngrams: Sequence[Ngram]

    @property
    def weighted(self) -> bool:
        """Whether n-grams differ from each other in weight."""
        return not {1.0}.issuperset(map(attrgetter("weight"), self.ngrams))


def sums(ngrams: Sequence[Ngram]) -> tuple[float, float]:
    """C and N: the weight of what is covered, and of all."""
    return sum(n.cover * n.weight for n in ngrams), sum(n.weight for n in ngrams)


def marked(e: Explanation) -> tuple[MarkedSentence, MarkedSentence]:
    """Reference and hypothesis."""
    pieces = [x for link in e.links for x in ((link,) if link.kind == "equal" else link.pieces)]
    ref = token_states(len(e.ref_tokens), [(p.ref, p.kind) for p in pieces], e.ref_ngrams)
    hyp = token_states(len(e.hyp_tokens), [(p.hyp, p.kind) for p in pieces], e.hyp_ngrams)
    return (
        MarkedSentence("ref", e.ref_tokens, ref, e.ref_ngrams),
        MarkedSentence("hyp", e.hyp_tokens, hyp, e.hyp_ngrams),
    )


def token_states(
    n_tokens: int, pieces: Sequence[tuple[Span, Kind]], ngrams: Sequence[Ngram]
) -> list[State]:
    """How each token was matched: as the piece it lies in, the first, hence heaviest, if several.

    >>> token_states(3, [((0, 2), "equal")], [Ngram((2, 3), "covered", 0.5)])
    ['equal', 'equal', 'covered']
    """
    states: list[State] = ["unmatched"] * n_tokens
    for ngram in ngrams[:n_tokens]:  # those of order 1 are first
        start, stop = ngram.span
        if stop - start == 1 and ngram.cover > 0:
            states[start] = "covered"
    for (start, stop), kind in reversed(pieces):
        states[start:stop] = [kind] * (stop - start)
    return states


def word_states(e: WordExplanation, side: str) -> list[str]:
    """How the words of a side, `ref` or `hyp`, were matched by the first similarity at order 1.

    If a word has several links, the heaviest counts.
    """
    states = ["unmatched"] * len(getattr(e, f"{side}_words"))
    for link in sorted(e.features[0].links if e.features else (), key=lambda link: link.weight):
        for pair in link.pairs:
            states[getattr(pair, side)] = pair.kind
    return states


def columns(explanation: Explanation) -> Iterator[tuple[Span, Span]]:
    """(reference span, hypothesis span) from left to right; together they are both sentences."""
    m, n = len(explanation.ref_tokens), len(explanation.hyp_tokens)
    r = h = 0
    for ref, hyp in [*_chain(explanation), ((m, m), (n, n))]:
        if r < ref[0] or h < hyp[0]:
            yield (r, ref[0]), (h, hyp[0])
        if ref[0] < ref[1]:
            yield ref, hyp
        r, h = ref[1], hyp[1]


def _chain(explanation: Explanation) -> list[tuple[Span, Span]]:
    # The heaviest chain of pieces; a piece weighs as much as the links it is part of cover.
    support: dict[tuple[Span, Span], float] = {}
    for link in explanation.links:
        covered = link.weight * (len(link.covers_ref) + len(link.covers_hyp))
        for piece in link.pieces:
            pair = piece.ref, piece.hyp
            support[pair] = support.get(pair, 0.0) + covered
    pieces = sorted(support)
    by_end = sorted(range(len(pieces)), key=lambda k: pieces[k][0][1])
    weight, before = [0.0] * len(pieces), [-1] * len(pieces)
    # The chains that have ended in the reference: those which, of all that end no later in the
    # hypothesis, are the heaviest. Their ends and weights both increase.
    ends: list[int] = []
    heaviest: list[int] = []
    n_ended = 0
    for k, (ref, hyp) in enumerate(pieces):
        while n_ended < len(pieces) and pieces[by_end[n_ended]][0][1] <= ref[0]:
            done = by_end[n_ended]
            n_ended += 1
            at = bisect_right(ends, pieces[done][1][1])
            if at and weight[heaviest[at - 1]] >= weight[done]:
                continue
            last = at
            while last < len(ends) and weight[heaviest[last]] <= weight[done]:
                last += 1
            ends[at:last], heaviest[at:last] = [pieces[done][1][1]], [done]
        at = bisect_right(ends, hyp[0])
        before[k] = heaviest[at - 1] if at else -1
        weight[k] = support[ref, hyp] + (weight[before[k]] if at else 0.0)
    chain = []
    k = max(range(len(pieces)), key=lambda k: (weight[k], -k), default=-1)
    while k >= 0:
        chain.append(pieces[k])
        k = before[k]
    return chain[::-1]
