"""TESLA-M's whole program for one pair of sentences: no item merged, nothing left out.

Between the n-grams of order n of both sides, place by place, with s their similarity:

    maximise  Σ s(x, y) · w(x, y)   subject to   Σ_y w(x, y) <= weight(x),  Σ_x w(x, y) <= weight(y)

Similarities are in halves of a word's and weights in units of 1 / qⁿ (discount = p / q), all whole
numbers, so that every vertex is whole. Judges the kernel, and shows which n-grams were matched.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from celab.options import TIME_LIMIT
from celab.program import Program
from celab.solve import solve

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from numpy.typing import NDArray

    F64 = NDArray[np.float64]
    I64 = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one sentence as numbers."""

    lemma: list[int]
    tag: list[int]
    function: list[int]

    def __len__(self) -> int:
        return len(self.lemma)


def halves(name: str, hyp: Words, ref: Words, groups: Callable[[int], set[int]]) -> I64:
    """The similarity of each word of the hypothesis with each of the reference: 0, 1 or 2."""
    same_lemma = np.equal.outer(hyp.lemma, ref.lemma)
    same_tag = np.equal.outer(hyp.tag, ref.tag)
    if name == "lem":
        return 2 * same_lemma.astype(np.int64)
    if name == "pos":
        return 2 * same_tag.astype(np.int64)
    hyp_groups, ref_groups = [[groups(lemma) for lemma in side.lemma] for side in (hyp, ref)]
    shared = np.array(
        [[not a.isdisjoint(b) for b in ref_groups] for a in hyp_groups], np.bool_
    ).reshape(same_tag.shape)
    return np.where(same_lemma, 2, shared.astype(np.int64) + same_tag)


def ngram_halves(words: I64, order: int) -> I64:
    """The same of n-grams: the sum over their words, 0 if any word's is 0."""
    n_hyp, n_ref = (max(0, n - order + 1) for n in words.shape)
    along = np.stack([words[k : k + n_hyp, k : k + n_ref] for k in range(order)])
    return np.where((along > 0).all(axis=0), along.sum(axis=0), 0)


def weights(side: Words, order: int, discount: Fraction) -> I64:
    """Of the n-grams of an order, in units of 1 / qⁿ."""
    p, q = discount.numerator, discount.denominator
    each = [p if function else q for function in side.function]
    return np.array(
        [np.prod(each[i : i + order], dtype=np.int64) for i in range(len(each) - order + 1)],
        np.int64,
    )


def transport(similarity: I64, hyp_weight: I64, ref_weight: I64) -> tuple[Program, I64]:
    """The program, and (hypothesis, reference) of each of its columns."""
    pairs = np.argwhere(similarity > 0)
    rows = [np.flatnonzero(pairs[:, side] == k) for side, n in enumerate(similarity.shape)
            for k in range(n)]  # fmt: skip
    lengths = [len(row) for row in rows]
    zero = np.zeros(1, np.int32)
    cost = similarity[pairs[:, 0], pairs[:, 1]].astype(np.float64)
    return Program(
        cost=cost,
        column_upper=np.minimum(hyp_weight[pairs[:, 0]], ref_weight[pairs[:, 1]]).astype(float),
        row_upper=np.concatenate((hyp_weight, ref_weight)).astype(float),
        row_start=np.cumsum([0, *lengths[:-1]], dtype=np.int32),
        index=np.concatenate(rows).astype(np.int32) if rows else np.zeros(0, np.int32),
        value=np.ones(sum(lengths)),
        block_column=zero,
        block_row=zero,
        block_owner=zero,
    ), pairs


def greatest(
    similarity: I64, hyp_weight: I64, ref_weight: I64, what: str, time_limit: float = TIME_LIMIT
) -> int:
    """The optimum, in halves times units."""
    program, pairs = transport(similarity, hyp_weight, ref_weight)
    if not len(pairs):
        return 0
    return round(float(program.cost @ solve(program, what, time_limit)))


def nearest(
    similarity: I64, hyp_weight: I64, ref_weight: I64, what: str, time_limit: float = TIME_LIMIT
) -> tuple[I64, I64]:
    """One optimal solution: pairs and their weights.

    Among the optimal ones it takes, where it can, pairs at like places in the two sentences. The
    wish is small enough not to change the optimum; if it does all the same, it is dropped.
    """
    program, pairs = transport(similarity, hyp_weight, ref_weight)
    if not len(pairs):
        return pairs, np.zeros(0, np.int64)
    places = pairs / np.maximum(1, similarity.shape)
    far = np.abs(places[:, 0] - places[:, 1])
    wish = 0.5 / (1.0 + min(hyp_weight.sum(), ref_weight.sum()))
    wished = replace(program, cost=program.cost - wish * far)
    found = np.rint(solve(wished, what, time_limit))
    plain = solve(program, what, time_limit)
    if abs(program.cost @ (found - plain)) > 0.25:  # both are whole
        found = np.rint(plain)
    return pairs[found > 0], found[found > 0].astype(np.int64)
