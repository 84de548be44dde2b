"""Explain: one pair in, an `Explanation` out: the links of one optimal solution, and their reasons.

The program has many optimal solutions. Shown is one with the least weight in all, so that a link
which adds nothing is absent; among those, equal n-grams go before synonyms and near before far.
These wishes enter the objective as costs too small to change the optimum; if they change it all
the same, the solution without them is shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from celab._native.links import link_pairs
from celab.errors import InputError
from celab.explanation import Explanation, Kind, Link, Ngram, Piece, Span, State
from celab.solve import solve
from celab.tokens import cut

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from celab._native.tokens import Sentences
    from celab.metrics.celab import TeslaCelab

    F64 = NDArray[np.float64]

_NOTHING = 1e-9  # what a solution's zero may be off by
_WISH = 1e-5  # the cost of a link's weight


def explain(metric: TeslaCelab, hyp: str, ref: str) -> Explanation:
    """The explanation of one pair of normalised sentences."""
    options = metric.options
    spell = {"tokenize": options.tokenize, "fold": metric.normalizer.folds}
    hyp_tokens, ref_tokens = (tuple(cut(text, **spell)) for text in (hyp, ref))  # type: ignore[arg-type]
    if not ref_tokens:
        raise InputError("the reference is empty; it must hold more than white space")
    score, precision, recall = metric.batch([hyp], [[ref]], slice(0, 1))[0, 0].tolist()

    vocabulary = metric.vocabulary()
    hyp_side, ref_side = metric.read([hyp], vocabulary), metric.read([ref], vocabulary)
    reasons = Reasons(metric, hyp_side, ref_side, hyp_tokens, ref_tokens)
    release = options.links == "release-2012"
    rows = link_pairs(hyp_side, 0, ref_side, 0, options.max_order, release)
    spans = [((h, h + b), (r, r + a)) for h, b, r, a in rows.tolist()]
    pieces = [reasons.cut(*pair) for pair in spans]
    weights, hyp_cover, ref_cover = _solution(metric, hyp_side, ref_side, spans, pieces)

    links = [
        Link(h, r, weight, _kind(parts), parts, tuple(_inside(h)), tuple(_inside(r)))
        for (h, r), parts, weight in zip(spans, pieces, weights.tolist(), strict=True)
        if weight > _NOTHING
    ]
    links.sort(key=lambda link: (-link.weight, -len(link.covers_ref), link.ref, link.hyp))
    return Explanation(
        hyp_tokens,
        ref_tokens,
        score,
        precision,
        recall,
        tuple(links),
        tuple(_ngrams(len(hyp_tokens), options.max_order, hyp_cover, [(k.hyp, k) for k in links])),
        tuple(_ngrams(len(ref_tokens), options.max_order, ref_cover, [(k.ref, k) for k in links])),
        metric.signature,
    )


def _solution(
    metric: TeslaCelab,
    hyp: Sentences,
    ref: Sentences,
    spans: list[tuple[Span, Span]],
    pieces: list[tuple[Piece, ...]],
) -> tuple[F64, F64, F64]:
    # Weights of the links, and coverage of the n-grams, hypothesis and reference.
    program, n_links = metric.joint_program(hyp, 0, ref, 0)
    n_ref = metric.n_ngrams(len(ref.tokens(0)))
    if not n_links:
        return np.zeros(0), np.zeros(len(program.cost) - n_ref), np.zeros(n_ref)
    limit = metric.options.time_limit
    plain = solve(program, "the explained pair", limit)
    wishes = program.cost.copy()
    for k, ((h, r), parts) in enumerate(zip(spans, pieces, strict=True)):
        far = abs(h[0] / len(hyp.tokens(0)) - r[0] / len(ref.tokens(0)))
        wishes[k] = -_WISH * (1 + 0.1 * (_kind(parts) == "synonym") + 0.1 * far)
    x = solve(replace(program, cost=wishes), "the explained pair", limit)
    if abs(program.cost @ (x - plain)) > 1e-7:  # the wishes cost something after all
        x = plain
    return x[:n_links], x[n_links + n_ref :], x[n_links : n_links + n_ref]


def _kind(pieces: tuple[Piece, ...]) -> Kind:
    return "equal" if all(piece.kind == "equal" for piece in pieces) else "synonym"


def _inside(span: Span) -> Iterator[Span]:
    # Every n-gram inside, by order, then position.
    for order in range(1, span[1] - span[0] + 1):
        for start in range(span[0], span[1] - order + 1):
            yield start, start + order


def _ngrams(
    n_tokens: int, max_order: int, cover: F64, links: list[tuple[Span, Link]]
) -> Iterator[Ngram]:
    kinds: dict[Span, set[str]] = {}
    for span, link in links:
        kinds.setdefault(span, set()).add(link.kind)
    covers = iter(cover.tolist())
    for order in range(1, max_order + 1):
        for start in range(n_tokens - order + 1):
            span, value = (start, start + order), next(covers)
            own = kinds.get(span, set())
            state: State = "unmatched"
            if own:
                state = "equal" if "equal" in own else "synonym"
            elif value > _NOTHING:
                state = "covered"
            yield Ngram(span, state, min(1.0, max(0.0, value)))


class Reasons:
    """Why n-grams of one pair are linked: the units between the two sentences."""

    def __init__(
        self,
        metric: TeslaCelab,
        hyp: Sentences,
        ref: Sentences,
        hyp_tokens: tuple[str, ...],
        ref_tokens: tuple[str, ...],
    ) -> None:
        self.hyp_tokens, self.ref_tokens = hyp_tokens, ref_tokens
        self.lexicon = metric.lexicon
        self.release = metric.options.links == "release-2012"
        self.hyp_words = {(start, start + n): word for start, n, word in hyp.words(0)}
        self.ref_words = {(start, start + n): word for start, n, word in ref.words(0)}
        self.cut = cache(self._cut)  # of this pair only

    def _shared(self, hyp: Span, ref: Span) -> tuple[str, ...]:
        # The labels of the groups that hold both words.
        if not self.lexicon or hyp not in self.hyp_words or ref not in self.ref_words:
            return ()
        words = self.hyp_words[hyp], self.ref_words[ref]
        groups = self.lexicon.groups_of(words[0]) & self.lexicon.groups_of(words[1])
        return tuple(self.lexicon.label(group) for group in sorted(groups))

    def _cut(self, hyp: Span, ref: Span, first: bool = True) -> tuple[Piece, ...]:
        # Aligned pieces of two linked n-grams, equal ones where possible; empty if there are none.
        h, r = hyp[0], ref[0]
        if self.hyp_tokens[h] == self.ref_tokens[r]:
            found = self._then(Piece((h, h + 1), (r, r + 1), "equal", ()), hyp, ref)
            if found:
                return found
        for h_end in range(h + 1, hyp[1] + 1):
            for r_end in range(r + 1, ref[1] + 1):
                if self.release and first and h_end - h > 1 and r_end - r > 1:
                    continue  # the authors' program does not start with such a piece
                if groups := self._shared((h, h_end), (r, r_end)):
                    found = self._then(Piece((h, h_end), (r, r_end), "synonym", groups), hyp, ref)
                    if found:
                        return found
        return ()

    def _then(self, piece: Piece, hyp: Span, ref: Span) -> tuple[Piece, ...]:
        if piece.hyp[1] == hyp[1] and piece.ref[1] == ref[1]:
            return (piece,)
        if piece.hyp[1] == hyp[1] or piece.ref[1] == ref[1]:
            return ()
        rest = self._cut((piece.hyp[1], hyp[1]), (piece.ref[1], ref[1]), False)
        return (piece, *rest) if rest else ()
