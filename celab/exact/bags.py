"""Exact matching of weighted bags of n-grams, for TESLA-M, TESLA-S and TESLA-B.

A bag has items x with whole weights. With s the similarity of items, two bags are matched by

    S = max Σ s(x, y) · w(x, y)   subject to   Σ_y w(x, y) <= weight(x),  Σ_x w(x, y) <= weight(y)

    precision = S / W_hyp,   recall = S / W_ref,   F = P·R / (α·P + (1 - α)·R)

If s is 1 for equal items and 0 for all others, S is the sum of the lesser weights (`match`). Graded
similarities are a transport problem; TESLA-M's kernel `match_bags` solves it. Every vertex of the
program is whole, so that HiGHS can check both kernels (`optimum`). A metric is then a list of bags
and similarities, and a mean of their F (`score_precision_recall`).

>>> hyp, ref = Units.of([[0, 1, 0]]), Units.of([[1, 1]])
>>> match(grams(hyp, 1)[0], grams(ref, 1)[0]).tolist()  # one 1 in both; three units, and two
[[1, 3, 2]]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from celab._native.bags import list_grams, match_equal
from celab.base.arrays import F64, I8, I32, I64, Bools
from celab.base.errors import OptionError, SolverError
from celab.base.run import Run, TooLong
from celab.exact.proof import Exact, proved_solution
from celab.exact.solve import Program, solve
from celab.statistics.resampling import mean_along

MAX_UNITS_PER_TEXT = 100_000
WEIGHT_COLUMNS = ("hypothesis weight", "reference weight")
_MAX_INTEGER = 2**62  # the kernels compute with 64-bit integers
_MAX_ITEM_PAIRS = 2**22  # more would take gigabytes, in arrays and in HiGHS


class Units(NamedTuple):
    """Texts as numbers: ids of their words or characters, and the start of each text.

    `function` marks function words. `part` numbers sentences: neighbors with the same number are
    one sentence.
    """

    unit: I32
    function: I8
    part: I32
    start: I64

    @classmethod
    def of(cls, texts: Sequence[Sequence[int]]) -> Units:
        """Return units of texts that are one sentence each and have no function words."""
        lengths = [len(text) for text in texts]
        unit = np.array([unit for text in texts for unit in text], np.int32)
        part = np.repeat(np.arange(len(texts), dtype=np.int32), lengths)
        return cls(unit, np.zeros(len(unit), np.int8), part, np.cumsum([0, *lengths]))

    def batch(self, texts: slice) -> Units:
        """Return the units of a range of texts."""
        start = self.start[texts.start : texts.stop + 1]
        units = slice(start[0], start[-1])
        return Units(self.unit[units], self.function[units], self.part[units], start - start[0])


class Bags(NamedTuple):
    """Bags of items, one per text; an item is a row of units, and texts begin at `start`.

    Equal rows are equal items, whose weights add up.
    """

    gram: I32  # (items, order)
    weight: I64
    start: I64


def whole_discount(discount: float, order: int, max_factor: int = MAX_UNITS_PER_TEXT) -> Fraction:
    """Return the discount as the decimal fraction it is written as, so that 0.1 is a tenth.

    With denominator q, the weights of n-grams are whole multiples of 1 / qⁿ.

    `max_factor` is the greatest number that a weight is multiplied by, such as the number of
    n-grams: the products must fit into 64 bits.
    """
    exact = Fraction(repr(float(discount)))
    if exact.denominator**order * max_factor >= _MAX_INTEGER:
        raise OptionError(
            "discount", discount, f"it must have fewer decimals at orders up to {order}"
        )
    return exact


def grams(
    units: Units, order: int, skip: int = 0, discount: Fraction | int = 1
) -> tuple[Bags, I32]:
    """Return the n-grams of each text, within its sentences, and the positions of their units.

    With `skip`, the units of a bigram may have up to that many units between them. Each function
    word in an n-gram multiplies its weight by the discount p / q; weights are in units of 1 / qⁿ.
    """
    p, q = discount.numerator, discount.denominator
    gram, weight, start, places = list_grams(*units, order, skip, p, q)
    return Bags(gram, weight, start), places


def match(x: Bags, y: Bags) -> I64:
    """Return S and both total weights of each pair of bags, where only equal items match."""
    return match_equal(*x, *y)


def paired(x: Bags, y: Bags) -> list[tuple[int, int, int]]:
    """Return an optimal matching of the first pair: items of x and y, and the matched weight."""
    waiting: dict[tuple[int, ...], list[list[int]]] = {}
    for item, (row, weight) in enumerate(zip(y.gram.tolist(), y.weight.tolist(), strict=True)):
        if weight:
            waiting.setdefault(tuple(row), []).append([item, weight])
    matches = []
    for item, (row, weight) in enumerate(zip(x.gram.tolist(), x.weight.tolist(), strict=True)):
        others = waiting.get(tuple(row), [])
        while weight and others:
            amount = min(weight, others[0][1])
            matches.append((item, others[0][0], amount))
            weight -= amount
            others[0][1] -= amount
            if not others[0][1]:
                del others[0]
    return matches


@dataclass(frozen=True, slots=True)
class BagFeatures:
    """Precision, recall and F of each pair, order and similarity, and which of them are used."""

    precision: F64
    recall: F64
    f: F64
    is_used: Bools


def f_measure(
    s: F64 | I64, hyp_weight: F64 | I64, ref_weight: F64 | I64, alpha: float
) -> BagFeatures:
    """Return precision, recall and F, 0 where a bag is empty; an order counts unless both are."""
    with np.errstate(invalid="ignore", divide="ignore"):  # 0 / 0 where a bag is empty
        precision = np.where(hyp_weight > 0, s / hyp_weight, 0.0)
        recall = np.where(ref_weight > 0, s / ref_weight, 0.0)
        mixed = alpha * precision + (1 - alpha) * recall
        f = np.where(mixed > 0, precision * recall / mixed, 0.0)
    return BagFeatures(
        precision, recall, f, np.broadcast_to((hyp_weight > 0) | (ref_weight > 0), f.shape)
    )


def score_precision_recall(features: BagFeatures, average: str = "arithmetic") -> F64:
    """Return score, precision and recall of each pair: the means over orders and similarities."""
    columns = [features.f, features.precision, features.recall]
    if average == "geometric":
        means = [_geometric_mean(x, features.is_used) for x in columns]
    else:
        means = [mean_of_features(x, features.is_used) for x in columns]
    has_items = np.asarray(features.is_used.any(axis=(1, 2)))
    return np.where(has_items[:, None], np.stack(means, axis=1), 1.0)


def mean_of_features(values: F64, is_used: Bools) -> F64:
    """Return the mean of the used values over axes 1 and 2 (orders, similarities); NaN if none."""
    n_pairs = len(values)
    return mean_along(values.reshape(n_pairs, -1).T, is_used.reshape(n_pairs, -1).T)


def _geometric_mean(values: F64, is_used: Bools) -> F64:
    is_zero = (values == 0) & is_used
    logarithms = np.log(np.where(values > 0, values, 1.0))
    means = np.exp(mean_of_features(logarithms, is_used))
    return np.where(is_zero.any(axis=(1, 2)), 0.0, means)


def check_with_solver(
    matched: F64,
    proved: Bools,
    run: Run,
    name: Callable[[int], str],
    whole: Callable[[int, F64, str], None],
    columns: Sequence[str],
) -> F64:
    """Return the figures of the kernel or of HiGHS, as `run.solver` says; "check" compares them.

    `matched` has the S of each pair, order and similarity, then the weights of both sides;
    `columns` names all of these. `whole(k, figures, what)` writes the optima of pair k, and its
    weights counted again, into `figures`. A pair that is not proved is an error with its `name`; if
    the options of the run skip it, it becomes False in `proved`.
    """
    if run.solver == "auto":
        return matched
    solved = matched.copy()
    for k in np.flatnonzero(proved).tolist():
        try:
            whole(k, solved[k], name(k))
        except SolverError:
            if not run.skips:
                raise
            proved[k] = False
    # Both are quotients of the same whole numbers, but the kernel rounds very large ones first.
    wrong = (np.abs(matched - solved) > 2 * np.spacing(solved)) & proved[:, None, None]
    if run.solver == "check" and wrong.any():
        k, order, column = np.argwhere(wrong)[0].tolist()
        raise SolverError(
            f"at order {order + 1} the kernel matches {matched[k, order, column]!r} by"
            f" {columns[column]}, the whole program {solved[k, order, column]!r}",
            place=name(k),
            hint="they must be equal",
        )
    return solved if run.solver == "highs" else matched


def check_size(n_hyp: int, n_ref: int, unit: str, what: str) -> None:
    """Raise `TooLong` for a pair with too many items for the whole program."""
    if n_hyp * n_ref > _MAX_ITEM_PAIRS:
        raise TooLong(
            f"sentences of {n_hyp:,} and {n_ref:,} {unit} are too long for the whole program",
            place=what,
            hint=f"the limit is {_MAX_ITEM_PAIRS:,} pairs of {unit}",
        )


class Problem(NamedTuple):
    """Two bags and the similarity of every pair of their items."""

    similarity: I64
    hyp_weight: I64
    ref_weight: I64


def equal_problem(x: Bags, y: Bags, k: int, what: str) -> Problem:
    """Return pair k with equal items not merged, to check `match`; `what` names it in an error."""
    rows = [slice(*side.start[k : k + 2].tolist()) for side in (x, y)]
    (gram, weight), (other, ref_weight) = (
        (side.gram[items], side.weight[items]) for side, items in zip((x, y), rows, strict=True)
    )
    check_size(len(gram), len(other), "n-grams", what)
    equal = (gram[:, None, :] == other[None, :, :]).all(axis=2)
    return Problem(equal.astype(np.int64), weight, ref_weight)


def _transport(problem: Problem) -> tuple[Program, I64]:
    """Return the linear program, and the pair (hypothesis item, reference item) of each column."""
    similarity, hyp_weight, ref_weight = problem
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


def optimum(problem: Problem, what: str, time_limit: float) -> int:
    """Return the optimum in units of the similarity; it is whole, because every vertex is."""
    program, pairs = _transport(problem)
    if not len(pairs):
        return 0
    return int(_objective(program, proved_solution(program, what, time_limit)))


def nearest(problem: Problem, what: str, time_limit: float) -> tuple[I64, F64]:
    """Return one optimal solution: pairs of items and their weights.

    Among optimal solutions it prefers pairs at similar positions in the two sentences, by a cost
    that is too small to change the optimum. If the solution of HiGHS with that cost is not optimal
    in whole numbers, the proved solution without it is returned.
    """
    program, pairs = _transport(problem)
    if not len(pairs):
        return pairs, np.zeros(0)
    similarity, *weights = problem
    positions = pairs / np.maximum(1, similarity.shape)
    distance = np.abs(positions[:, 0] - positions[:, 1])
    penalty = 0.5 / (1.0 + min(weight.sum() for weight in weights))
    penalized = replace(program, cost=program.cost - penalty * distance)
    candidate = np.rint(solve(penalized, what, time_limit).x).astype(np.int64)
    optimal = proved_solution(program, what, time_limit)
    is_feasible = (candidate >= 0).all() and all(
        (np.bincount(pairs[:, side], candidate, len(weight)) <= weight).all()
        for side, weight in enumerate(weights)
    )
    is_optimal = _objective(program, candidate.tolist()) == _objective(program, optimal)
    flow = np.array(candidate if is_feasible and is_optimal else optimal, np.float64)
    return pairs[flow > 0], flow[flow > 0]


def _objective(program: Program, x: Sequence[Exact]) -> Exact:
    """Return the exact value of the objective at x."""
    costs: list[int] = program.cost.astype(np.int64).tolist()
    return sum(cost * value for cost, value in zip(costs, x, strict=True))
