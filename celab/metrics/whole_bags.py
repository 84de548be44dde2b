"""TESLA-M's whole program for one pair of sentences: no item merged, nothing left out.

Between the n-grams of order n of both sides, place by place, with s their similarity:

    maximise  Σ s(x, y) · w(x, y)   subject to   Σ_y w(x, y) <= weight(x),  Σ_x w(x, y) <= weight(y)

Similarities are in halves of a word's and weights in units of 1 / qⁿ (discount = p / q), all whole
numbers, so that every vertex is whole. It checks the kernel, and shows which n-grams were matched.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from celab.arrays import F64, I8, I32, I64
from celab.program import Program
from celab.proof import Exact, proved_solution
from celab.run import TooLong
from celab.solve import solve

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    Groups = tuple[I32, I32]  # of each lemma: where its groups begin, and all groups, sorted


_MOST_PAIRS = 2**22  # of words: with more, the arrays and HiGHS take gigabytes


@dataclass(frozen=True, slots=True)
class WordSide:
    """Lemma, tag and function word of every word, and where sentences begin."""

    lemma: I32
    tag: I32
    function: I8
    start: I64

    def part(self, batch: slice) -> WordSide:
        """Some of the sentences."""
        start = self.start[batch.start : batch.stop + 1]
        words = slice(start[0], start[-1])
        return WordSide(self.lemma[words], self.tag[words], self.function[words], start - start[0])

    def sentences(self) -> list[WordSide]:
        """Each sentence by itself."""
        return [self.part(slice(s, s + 1)) for s in range(len(self.start) - 1)]

    @property
    def arrays(self) -> tuple[I32, I32, I8, I64]:
        """As the kernel takes them."""
        return self.lemma, self.tag, self.function, self.start


class Bags(NamedTuple):
    """The n-grams of one order: their similarities and weights."""

    similarity: I64
    hyp_weight: I64
    ref_weight: I64


def halves(name: str, hyp: WordSide, ref: WordSide, groups: Groups, what: str) -> I64:
    """The similarity of each word of the hypothesis with each of the reference: 0, 1 or 2.

    `what` names the pair in the error for one with too many words.
    """
    if len(hyp.lemma) * len(ref.lemma) > _MOST_PAIRS:
        raise TooLong(
            f"{what}: sentences of {len(hyp.lemma):,} and {len(ref.lemma):,} words are too long for"
            f" the whole program; the limit is {_MOST_PAIRS:,} pairs of words"
        )
    same_lemma = np.equal.outer(hyp.lemma, ref.lemma)
    same_tag = np.equal.outer(hyp.tag, ref.tag)
    if name != "ms":
        return 2 * (same_lemma if name == "lem" else same_tag).astype(np.int64)
    start, group = groups
    hyp_groups, ref_groups = [
        [set(group[start[lemma] : start[lemma + 1]].tolist()) for lemma in side.lemma]
        for side in (hyp, ref)
    ]
    shared = np.array(
        [[not a.isdisjoint(b) for b in ref_groups] for a in hyp_groups], np.bool_
    ).reshape(same_tag.shape)
    return np.where(same_lemma, 2, shared.astype(np.int64) + same_tag)


def bags(words: I64, hyp: WordSide, ref: WordSide, order: int, discount: Fraction) -> Bags:
    """The similarity of n-grams is the sum over their words, 0 if any word's is 0."""
    n_hyp, n_ref = (max(0, n - order + 1) for n in words.shape)
    along = np.stack([words[k : k + n_hyp, k : k + n_ref] for k in range(order)])
    similarity = np.where((along > 0).all(axis=0), along.sum(axis=0), 0)
    return Bags(similarity, _weights(hyp, order, discount), _weights(ref, order, discount))


def _weights(side: WordSide, order: int, discount: Fraction) -> I64:
    # Of the n-grams of an order, in units of 1 / qⁿ.
    each = np.where(side.function, discount.numerator, discount.denominator).astype(np.int64)
    return np.array([each[i : i + order].prod() for i in range(len(each) - order + 1)], np.int64)


def _transport(bags: Bags) -> tuple[Program, I64]:
    # The program, and (hypothesis, reference) of each of its columns.
    similarity, hyp_weight, ref_weight = bags
    pairs = np.argwhere(similarity > 0)
    lengths = np.concatenate(
        [np.bincount(pairs[:, side], minlength=n) for side, n in enumerate(similarity.shape)]
    )
    columns = [np.argsort(pairs[:, side], kind="stable") for side in (0, 1)]
    return Program(
        cost=similarity[pairs[:, 0], pairs[:, 1]].astype(np.float64),
        column_upper=np.minimum(hyp_weight[pairs[:, 0]], ref_weight[pairs[:, 1]]).astype(float),
        row_upper=np.concatenate((hyp_weight, ref_weight)).astype(float),
        row_start=(np.cumsum(lengths) - lengths).astype(np.int32),
        index=np.concatenate(columns).astype(np.int32),
        value=np.ones(2 * len(pairs)),
    ), pairs


def greatest(bags: Bags, what: str, time_limit: float) -> int:
    """The optimum, in halves times units; it is whole, because every vertex is."""
    program, pairs = _transport(bags)
    if not len(pairs):
        return 0
    return int(_amount(program, proved_solution(program, what, time_limit)))


def nearest(bags: Bags, what: str, time_limit: float) -> tuple[I64, F64]:
    """One optimal solution: pairs and their weights.

    Among the optimal ones it prefers pairs at like places in the two sentences, by a cost that is
    small enough not to change the optimum. If what HiGHS finds with it is not optimal, in whole
    numbers, the proved solution without it is shown.
    """
    program, pairs = _transport(bags)
    if not len(pairs):
        return pairs, np.zeros(0)
    similarity, *weights = bags
    places = pairs / np.maximum(1, similarity.shape)
    far = np.abs(places[:, 0] - places[:, 1])
    wish = 0.5 / (1.0 + min(weight.sum() for weight in weights))
    wished = replace(program, cost=program.cost - wish * far)
    found = np.rint(solve(wished, what, time_limit).x).astype(np.int64)
    optimal = proved_solution(program, what, time_limit)
    is_feasible = (found >= 0).all() and all(
        (np.bincount(pairs[:, side], found, len(weight)) <= weight).all()
        for side, weight in enumerate(weights)
    )
    is_optimal = _amount(program, found.tolist()) == _amount(program, optimal)
    flow = np.array(found if is_feasible and is_optimal else optimal, np.float64)
    return pairs[flow > 0], flow[flow > 0]


def _amount(program: Program, x: Sequence[Exact]) -> Exact:
    # What x is worth, exactly.
    costs: list[int] = program.cost.astype(np.int64).tolist()
    return sum(cost * value for cost, value in zip(costs, x, strict=True))
