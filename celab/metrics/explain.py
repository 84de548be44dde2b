"""Explain: one pair in, the links of one optimal solution and their reasons out.

The program has many optimal solutions. Shown is one with the least weight in all, so that a link
which adds nothing is absent; among those, equal n-grams go before synonyms and near before far.
With grades, weights and coverage are those of all grades, each by its share of the score.
These preferences are costs in the objective, too small to change the optimum; if they do change it,
the solution without them is shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from celab._native.program import count_ngrams
from celab.arrays import F64
from celab.explanation import Kind, Link, Ngram, Piece, Span, State
from celab.run import TooLong
from celab.solve import solve
from celab.weights import WHOLE

if TYPE_CHECKING:
    from celab._native.tokens import Sentences
    from celab.engine import Engine

    Tokens = tuple[str, ...]

_NOTHING = 1e-9  # what a solution's zero may be off by
_WISH = 4e-5  # the cost of a link's weight, where an n-gram gains 4 or 1
# Each takes time and memory to explain.
_MOST_LINKS = 2**17
_MOST_TOKENS = 2**15
_PAIR = "the explained pair"


class Pair:
    """One hypothesis and one reference, each alone on its side."""

    def __init__(
        self, engine: Engine, hyp: Sentences, ref: Sentences, hyp_tokens: Tokens, ref_tokens: Tokens
    ) -> None:
        self.engine, self.hyp, self.ref = engine, hyp, ref
        self.hyp_tokens, self.ref_tokens = hyp_tokens, ref_tokens
        self.hyp_words = {(start, start + n): word for start, n, word in hyp.words(0)}
        self.ref_words = {(start, start + n): word for start, n, word in ref.words(0)}
        self.cut = cache(self._cut)  # of this pair only

    def solution(
        self, time_limit: float
    ) -> tuple[tuple[Link, ...], tuple[Ngram, ...], tuple[Ngram, ...]]:
        """The links with weight, and the n-grams of hypothesis and reference."""
        if (n := len(self.hyp_tokens) + len(self.ref_tokens)) > _MOST_TOKENS:
            raise TooLong(
                f"{_PAIR}: {n:,} tokens are too many to explain; the limit is {_MOST_TOKENS:,}"
            )
        sides = self.hyp, 0, self.ref, 0
        hyp_cover = ref_cover = np.zeros(1)
        weights: dict[tuple[Span, Span], float] = {}
        pieces: dict[tuple[Span, Span], tuple[Piece, ...]] = {}  # by the finest grade
        for (grade, credit), (_, following) in pairwise([*self.engine.steps, (0, 0.0)]):
            share = credit - following
            self.hyp.grade = grade
            self.cut.cache_clear()  # other words are synonyms
            rows = self.engine.links(*sides, _PAIR, time_limit, _MOST_LINKS).tolist()
            spans = [((h, h + b), (r, r + a)) for h, b, r, a in rows]
            for pair in spans:
                pieces.setdefault(pair, self.cut(*pair))
            found = self._solved(spans, [pieces[pair] for pair in spans], time_limit)
            for pair, weight in zip(spans, found[0].tolist(), strict=True):
                weights[pair] = weights.get(pair, 0.0) + share * weight
            hyp_cover = hyp_cover + share * found[1]
            ref_cover = ref_cover + share * found[2]
        links = [
            Link(h, r, weight, _kind(parts), parts, tuple(_inside(h)), tuple(_inside(r)))
            for (h, r), parts in pieces.items()
            if (weight := weights[h, r]) > _NOTHING
        ]
        links.sort(key=lambda link: (-link.weight, -len(link.covers_ref), link.ref, link.hyp))
        most = self.engine.max_order
        return (
            tuple(links),
            tuple(_ngrams(self.hyp, most, hyp_cover, [(k.hyp, k) for k in links], self._unit)),
            tuple(_ngrams(self.ref, most, ref_cover, [(k.ref, k) for k in links], self._unit)),
        )

    @property
    def _unit(self) -> int:
        # The weight 1 in the kernel's whole numbers.
        return 1 if self.engine.factors is None else WHOLE * int(self.engine.factors[0])

    def _solved(
        self, spans: list[tuple[Span, Span]], pieces: list[tuple[Piece, ...]], time_limit: float
    ) -> tuple[F64, F64, F64]:
        # Weights of the links, and coverage of the n-grams, hypothesis and reference.
        sides = self.hyp, 0, self.ref, 0
        program, n_links = self.engine.joint_program(*sides, _PAIR, time_limit)
        program = replace(program, cost=program.cost / self._unit)
        n_ref = count_ngrams(len(self.ref_tokens), self.engine.max_order)
        if not n_links:
            return np.zeros(0), np.zeros(len(program.cost) - n_ref), np.zeros(n_ref)
        plain = solve(program, _PAIR, time_limit).x
        wishes = program.cost.copy()
        for k, ((h, r), parts) in enumerate(zip(spans, pieces, strict=True)):
            far = abs(h[0] / len(self.hyp_tokens) - r[0] / len(self.ref_tokens))
            wishes[k] = -_WISH * (1 + 0.1 * (_kind(parts) == "synonym") + 0.1 * far)
        x = solve(replace(program, cost=wishes), _PAIR, time_limit).x
        if abs(program.cost @ (x - plain)) > 4e-7:  # the preferences changed the optimum
            x = plain
        return x[:n_links], x[n_links + n_ref :], x[n_links : n_links + n_ref]

    # Why n-grams are linked: the units between the two sentences.

    def _shared(self, hyp: Span, ref: Span) -> Piece | None:
        # The piece that two words make which share groups of the lexicon.
        lexicon = self.engine.lexicon
        if not lexicon or hyp not in self.hyp_words or ref not in self.ref_words:
            return None
        words = self.hyp_words[hyp], self.ref_words[ref]
        labels, credit = lexicon.shared(*words, self.hyp.grade)
        return Piece(hyp, ref, "synonym", labels, credit) if labels else None

    def _equal(self, hyp: Span, ref: Span) -> Piece | None:
        # The shortest pieces with the same text at the start of two n-grams.
        h, r = hyp[0] + 1, ref[0] + 1
        hyp_text, ref_text = self.hyp_tokens[hyp[0]], self.ref_tokens[ref[0]]
        while hyp_text != ref_text:
            if len(hyp_text) < len(ref_text) and h < hyp[1]:
                hyp_text += self.hyp_tokens[h]
                h += 1
            elif len(ref_text) < len(hyp_text) and r < ref[1]:
                ref_text += self.ref_tokens[r]
                r += 1
            else:
                return None
        return Piece((hyp[0], h), (ref[0], r), "equal", ())

    def _cut(self, hyp: Span, ref: Span, first: bool = True) -> tuple[Piece, ...]:
        # Aligned pieces of two linked n-grams, equal ones where possible; empty if there are none.
        h, r = hyp[0], ref[0]
        equal = self._equal(hyp, ref)
        if equal and (found := self._then(equal, hyp, ref)):
            return found
        for h_end in range(h + 1, hyp[1] + 1):
            for r_end in range(r + 1, ref[1] + 1):
                if self.engine.release and first and h_end - h > 1 and r_end - r > 1:
                    continue  # the authors' program does not start with such synonyms
                piece = self._shared((h, h_end), (r, r_end))
                if piece and (found := self._then(piece, hyp, ref)):
                    return found
        return ()

    def _then(self, piece: Piece, hyp: Span, ref: Span) -> tuple[Piece, ...]:
        if piece.hyp[1] == hyp[1] and piece.ref[1] == ref[1]:
            return (piece,)
        if piece.hyp[1] == hyp[1] or piece.ref[1] == ref[1]:
            return ()
        rest = self.cut((piece.hyp[1], hyp[1]), (piece.ref[1], ref[1]), False)
        return (piece, *rest) if rest else ()


def _kind(pieces: tuple[Piece, ...]) -> Kind:
    return "equal" if all(piece.kind == "equal" for piece in pieces) else "synonym"


def _inside(span: Span) -> Iterator[Span]:
    # Every n-gram inside, by order, then position.
    for order in range(1, span[1] - span[0] + 1):
        for start in range(span[0], span[1] - order + 1):
            yield start, start + order


def _ngrams(
    side: Sentences, max_order: int, cover: F64, links: list[tuple[Span, Link]], unit: int
) -> Iterator[Ngram]:
    kinds: dict[Span, set[str]] = {}
    for span, link in links:
        kinds.setdefault(span, set()).add(link.kind)
    covers = iter(cover.tolist())
    weights = iter(side.weights.ngrams(side, 0).tolist() if side.weights else ())
    for order in range(1, max_order + 1):
        for start in range(int(side.lengths()[0]) - order + 1):
            span, value = (start, start + order), next(covers)
            own = kinds.get(span, set())
            state: State = "unmatched"
            if own:
                state = "equal" if "equal" in own else "synonym"
            elif value > _NOTHING:
                state = "covered"
            yield Ngram(span, state, min(1.0, max(0.0, value)), next(weights, unit) / unit)
