"""The explanation of a pair: the links of one optimal solution, and their lexicon groups.

The program has many optimal solutions. A kernel looks for one in whole numbers (see
`celab._native.witness`), which is optimal if it covers as much as was proved for the score. No link
of it is superfluous. For the n-grams that it chose, it has the fewest links; among these, equal
n-grams are preferred to synonyms, and near ones to far ones. An n-gram is replaced by another with
the same coverage if this gives a preferred link; other choices of n-grams are not compared.

If the kernel finds none (there may be none in whole numbers), HiGHS solves the program. The same
preferences are small costs in its objective; if they change the optimum, the solution without them
is shown.

With grades, weights and coverage are those of all grades, each by its share of the score.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise, repeat
from typing import NamedTuple

import numpy as np

from celab._native.cover import count_ngrams
from celab._native.tokens import Sentences
from celab._native.witness import cut_links, whole_solution
from celab.base.arrays import F64, I32, Bools
from celab.base.run import TooLong, unproved
from celab.exact.engine import Coverage, Engine, Pairs
from celab.exact.solve import solve
from celab.exact.weights import WHOLE
from celab.metrics.explaining.links import Link, LinkKind, Ngram, Piece, Span

Tokens = tuple[str, ...]
PAIR = "the explained pair"
_ZERO_TOLERANCE = 1e-9
_PREFERENCE_COST = 4e-5  # per weight of a link, where an n-gram gains 4 or 1
# More would take too much time and memory to explain.
_MAX_LINKS = 2**17
_MAX_TOKENS = 2**15
_STATES = np.array(["unmatched", "covered"], object)


class _Solved(NamedTuple):
    weights: F64  # one weight for each link
    equal: Bools  # whether a link is of equal n-grams
    hyp_cover: F64  # c(X) of each n-gram
    ref_cover: F64


class ExplainedPair:
    """One hypothesis and one reference, each alone on its side."""

    def __init__(
        self, engine: Engine, hyp: Sentences, ref: Sentences, hyp_tokens: Tokens, ref_tokens: Tokens
    ) -> None:
        self.engine, self.hyp, self.ref = engine, hyp, ref
        self.hyp_tokens, self.ref_tokens = hyp_tokens, ref_tokens
        self.hyp_cuts = _longest(len(hyp_tokens), hyp.words(0))
        self.ref_cuts = _longest(len(ref_tokens), ref.words(0))

    def words(self) -> dict[str, int]:
        """Return the lexicon words in both sentences, without white space, and their numbers."""
        sides = (self.hyp, self.hyp_tokens), (self.ref, self.ref_tokens)
        return {
            "".join(tokens[start : start + n]): word
            for side, tokens in sides
            for start, n, word in side.words(0)
        }

    def solution(
        self, by_grade: Sequence[Coverage], time_limit: float
    ) -> tuple[tuple[Link, ...], tuple[Ngram, ...], tuple[Ngram, ...]]:
        """Return the links with weight, and the n-grams of hypothesis and reference.

        `by_grade` is the proved coverage of each grade that counts.
        """
        if (n := len(self.hyp_tokens) + len(self.ref_tokens)) > _MAX_TOKENS:
            raise TooLong(
                f"{n:,} tokens are too many to explain",
                place=PAIR,
                hint=f"the limit is {_MAX_TOKENS:,}",
            )
        engine = self.engine
        weights: dict[tuple[int, ...], float] = {}
        hyp_cover = ref_cover = np.zeros(1)
        previous: tuple[I32, _Solved] | None = None
        steps = pairwise([*engine.steps, (0, 0.0)])
        for ((grade, credit), (_, following)), covered in zip(steps, by_grade, strict=True):
            share = credit - following
            links = engine.links(
                hyp=self.hyp,
                h=0,
                ref=self.ref,
                r=0,
                pair_name=PAIR,
                time_limit=time_limit,
                max_links=_MAX_LINKS,
                grade=grade,
            )
            if previous is None or not np.array_equal(links, previous[0]):
                previous = links, self._solve(links, covered, grade, time_limit)
            solution = previous[1]
            used_rows = np.flatnonzero(solution.weights)
            used_weights = solution.weights[used_rows].tolist()
            for link, weight in zip(
                map(tuple, links[used_rows].tolist()), used_weights, strict=True
            ):
                weights[link] = weights.get(link, 0.0) + share * weight
            hyp_cover = hyp_cover + share * solution.hyp_cover
            ref_cover = ref_cover + share * solution.ref_cover
        chosen = self._links({link: w for link, w in weights.items() if w > _ZERO_TOLERANCE})
        return (
            tuple(chosen),
            self._ngrams(self.hyp, hyp_cover, [(link.hyp, link.kind) for link in chosen]),
            self._ngrams(self.ref, ref_cover, [(link.ref, link.kind) for link in chosen]),
        )

    @property
    def _unit(self) -> int:
        # The whole number that stands for the weight 1 in the kernel.
        return 1 if self.engine.factors is None else WHOLE * int(self.engine.factors[0])

    def _solve(self, links: I32, covered: Coverage, grade: int, time_limit: float) -> _Solved:
        # The kernel's solution in whole numbers is optimal if it covers what was proved.
        try:
            chosen, equal, hyp_cover, ref_cover, c_hyp, c_ref = whole_solution(
                self.hyp, 0, self.ref, 0, links, time_limit
            )
        except TimeoutError as error:
            raise unproved(PAIR, error, time_limit) from None
        pairs = Pairs.in_order(self.hyp, self.ref, lambda _: PAIR)
        scale = int(self.engine.scales(pairs)[0])
        if [c_ref / scale, c_hyp / scale] == covered.amounts[0].tolist():
            return _Solved(chosen.astype(np.float64), equal, hyp_cover, ref_cover)
        return self._solve_program(links, equal, grade, time_limit)

    def _solve_program(self, links: I32, equal: Bools, grade: int, time_limit: float) -> _Solved:
        program, n_links = self.engine.joint_program(
            hyp=self.hyp,
            h=0,
            ref=self.ref,
            r=0,
            pair_name=PAIR,
            time_limit=time_limit,
            grade=grade,
        )
        program = replace(program, cost=program.cost / self._unit)
        n_ref = count_ngrams(len(self.ref_tokens), self.engine.max_order)
        plain = solve(program, PAIR, time_limit).x
        wishes = program.cost.copy()
        far = links[:, 0] / len(self.hyp_tokens) - links[:, 2] / len(self.ref_tokens)
        wishes[:n_links] = -_PREFERENCE_COST * (1 + 0.1 * ~equal + 0.1 * np.abs(far))
        x = solve(replace(program, cost=wishes), PAIR, time_limit).x
        if abs(program.cost @ (x - plain)) > 4e-7:  # the preferences changed the optimum
            x = plain
        return _Solved(x[:n_links], equal, x[n_links + n_ref :], x[n_links : n_links + n_ref])

    def _ngrams(
        self, side: Sentences, cover: F64, links: list[tuple[Span, LinkKind]]
    ) -> tuple[Ngram, ...]:
        n_tokens, unit, max_order = int(side.lengths()[0]), self._unit, self.engine.max_order
        plain = _plain(n_tokens, max_order)
        if side.weights is None and ((cover == 0) | (cover == 1)).all():
            is_covered = cover.astype(np.int8).tolist()
            ngrams = [variants[c] for variants, c in zip(plain, is_covered, strict=True)]
        else:
            spans = [none.span for none, _ in plain]
            covers = np.minimum(1.0, np.maximum(0.0, cover)).tolist()
            states = _STATES[(cover > _ZERO_TOLERANCE).astype(np.int8)].tolist()
            weights: Iterable[float] = repeat(1.0)
            if side.weights:
                weights = (side.weights.ngrams(side, 0) / unit).tolist()
            ngrams = [*map(Ngram, spans, states, covers, weights)]
        first = [count_ngrams(n_tokens, order) for order in range(max_order)]
        for (start, stop), kind in links:
            place = first[stop - start - 1] + start
            span, state, value, weight = ngrams[place]
            if state != "equal":
                ngrams[place] = Ngram(span, kind, value, weight)
        return tuple(ngrams)

    def _links(self, weights: dict[tuple[int, ...], float]) -> list[Link]:
        # Pieces are single tokens if all are equal, else words of the finest grade that links them.
        engine, hyp_tokens, ref_tokens = self.engine, self.hyp_tokens, self.ref_tokens
        cuts: dict[tuple[int, ...], tuple[Piece, ...]] = {
            (h, b, r, a): _equal(h, r, b) if hyp_tokens[h : h + b] == ref_tokens[r : r + a] else ()
            for h, b, r, a in weights
        }
        for grade, _ in engine.steps:
            uncut = [link for link, pieces in cuts.items() if not pieces]
            if uncut:
                rows = np.array(uncut, np.int32)
                rows_of_links = cut_links(
                    hyp=self.hyp,
                    hyp_sentence=0,
                    ref=self.ref,
                    ref_sentence=0,
                    links=rows,
                    release=engine.release_2012_links,
                    grade=grade,
                )
                for link, rows_of_link in zip(uncut, rows_of_links, strict=True):
                    cuts[link] = tuple([self._piece(*row, grade) for row in rows_of_link])
        chosen = []
        for (h, b, r, a), pieces in cuts.items():
            kind: LinkKind = "equal"
            for piece in pieces:
                if piece.kind == "synonym":
                    kind = piece.kind
            hyp, ref, weight = (h, h + b), (r, r + a), weights[h, b, r, a]
            chosen.append(
                Link(
                    hyp=hyp,
                    ref=ref,
                    weight=weight,
                    kind=kind,
                    pieces=pieces,
                    covers_hyp=_inside(hyp),
                    covers_ref=_inside(ref),
                )
            )
        chosen.sort(key=lambda link: (-link.weight, -len(link.covers_ref), link.ref, link.hyp))
        return chosen

    def _piece(self, h: int, h_end: int, r: int, r_end: int, a: int, b: int, grade: int) -> Piece:
        if a < 0 or not self.engine.lexicon:
            return Piece((h, h_end), (r, r_end), "equal", ())
        hyp, ref = (h, h_end), (r, r_end)
        labels, credit = self.engine.lexicon.shared(a, b, grade)
        return Piece(hyp, ref, "synonym", labels, credit, self._cut_words(hyp, ref))

    def _cut_words(self, hyp: Span, ref: Span) -> tuple[str, ...]:
        # The longer lexicon words that contain one of the two pieces.
        sides = (
            (self.ref_cuts, ref, self.ref_tokens),
            (self.hyp_cuts, hyp, self.hyp_tokens),
        )
        cuts = {
            "".join(tokens[start:stop])
            for words, span, tokens in sides
            for start, stop in {words[span[0]], words[span[1] - 1]}
            if start < span[0] or stop > span[1]
        }
        return tuple(sorted(cuts))


def _longest(n_tokens: int, words: Iterable[tuple[int, int, int]]) -> list[Span]:
    """Return the word of each token, cutting the longest lexicon words from left to right.

    Words are tuples of start, number of tokens and id.
    """
    ends: dict[int, int] = {}
    for start, n, _ in words:
        ends[start] = max(start + n, ends.get(start, 0))
    spans: list[Span] = []
    while (start := len(spans)) < n_tokens:
        stop = ends.get(start, start + 1)
        spans += [(start, stop)] * (stop - start)
    return spans


def _equal(h: int, r: int, n: int) -> tuple[Piece, ...]:
    # The pieces of n equal tokens.
    return tuple(Piece((h + k, h + k + 1), (r + k, r + k + 1), "equal", ()) for k in range(n))


@lru_cache(1 << 12)
def _inside(span: Span) -> tuple[Span, ...]:
    # Every n-gram inside, by order, then position.
    start, stop = span
    return tuple(
        (at, at + order)
        for order in range(1, stop - start + 1)
        for at in range(start, stop - order + 1)
    )


def _plain(n_tokens: int, max_order: int) -> list[tuple[Ngram, Ngram]]:
    # All n-grams without links or weights, uncovered and covered, by order, then position.
    ngrams: list[tuple[Ngram, Ngram]] = []
    for order in range(1, min(n_tokens, max_order) + 1):
        ngrams += _row(order, 1 << n_tokens.bit_length())[: n_tokens - order + 1]
    return ngrams


@lru_cache(1 << 6)
def _row(order: int, size: int) -> list[tuple[Ngram, Ngram]]:
    return [
        (Ngram((at, at + order), "unmatched", 0.0), Ngram((at, at + order), "covered", 1.0))
        for at in range(size)
    ]
