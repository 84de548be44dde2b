"""How far people agree with each other, beyond chance: their judgements in, κ out.

    κ = (P(A) − P(E)) / (1 − P(E))

P(A) is the share of cases in which two judges agree, and P(E) the share to be expected by chance.

- `ranking_kappa` is the TESLA-CELAB paper's (2012, sections 4.1 and 4.2): a case is two judges and
  two systems on a segment; it is left out if either judge ties the systems, so that a verdict is
  one of two and P(E) = 1/2. With ties kept, "equal" is a third verdict and P(E) = 1/3, as the WMT
  shared tasks had it at first (Callison-Burch et al. 2007). P(E) estimated is Σ_v p(v)², with p(v)
  the share of verdict v in all cases (Scott 1955). The verdict on "a against b" is the opposite of
  that on "b against a", and which comes first means nothing; each is therefore counted both ways,
  so p(better) = p(worse).
- `cohen_kappa` (Cohen 1960) takes any categories, and P(E) = Σ_v p_1(v) · p_2(v) from each judge's
  own shares.
- `fleiss_kappa` (Fleiss 1971) takes any number of judges. With n_iv judges who gave item i the
  verdict v, and n_i = Σ_v n_iv of at least 2,

      P(A) = mean over i of (Σ_v n_iv² − n_i) / (n_i (n_i − 1)),   P(E) = Σ_v (Σ_i n_iv / Σ_i n_i)².

  Fleiss has the same n_i for all items; where they differ, each item still counts once in P(A).
  Items with one judge or none are left out of both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from celab.errors import InputError, OptionError
from celab.statistics.pairs import SAME, judged_scores, orders

F64: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Agreement:
    """P(A), P(E), how many cases they come from, and κ; NaN if there is none or P(E) is 1."""

    observed: float
    chance: float
    n_cases: int

    @property
    def kappa(self) -> float:
        """(P(A) − P(E)) / (1 − P(E))."""
        if not self.n_cases or self.chance >= 1:
            return math.nan
        return (self.observed - self.chance) / (1 - self.chance)


def ranking_kappa(
    judges: Sequence[ArrayLike],
    ties: str = "ignored",
    chance: str = "uniform",
    tolerance: float = SAME,
) -> Agreement:
    """Over all pairs of judges: the scores of each, systems × segments, NaN where one gave none.

    `ties` is "ignored" or "kept"; `chance` is "uniform" (1/2, or 1/3 with ties) or "estimated".
    Scores of a judge no further apart than `tolerance` are a tie.

    >>> found = ranking_kappa([[[3, 3, 1], [1, 2, 2]], [[5, 2, 1], [4, 3, 3]]])
    >>> round(found.observed, 4), found.chance, found.n_cases, round(found.kappa, 4)
    (0.6667, 0.5, 3, 0.3333)
    """
    if ties not in ("ignored", "kept"):
        raise OptionError(f"ties is {ties!r}; it must be 'ignored' or 'kept'")
    if chance not in ("uniform", "estimated"):
        raise OptionError(f"chance is {chance!r}; it must be 'uniform' or 'estimated'")
    if len(judges) < 2:
        raise InputError(f"there are scores of {len(judges)} judge(s); agreement needs 2 or more")
    n_cases = n_agreed = n_tied = 0
    for one, other in combinations([_verdicts(scores, tolerance) for scores in judges], 2):
        if one.shape != other.shape:
            raise InputError(
                f"two judges compared pairs × segments of {one.shape} and {other.shape};"
                " all must score the same systems and segments, or leave NaN"
            )
        counted = ~np.isnan(one) & ~np.isnan(other)
        if ties == "ignored":
            counted &= (one != 0) & (other != 0)
        n_cases += int(counted.sum())
        n_agreed += int((one == other)[counted].sum())
        n_tied += int((one == 0)[counted].sum() + (other == 0)[counted].sum())
    if not n_cases:
        return Agreement(math.nan, math.nan, 0)
    if chance == "uniform":
        by_chance = 1 / 2 if ties == "ignored" else 1 / 3
    else:
        equal = n_tied / (2 * n_cases)
        by_chance = equal**2 + 2 * ((1 - equal) / 2) ** 2
    return Agreement(n_agreed / n_cases, by_chance, n_cases)


def cohen_kappa(first: Sequence[object], second: Sequence[object]) -> Agreement:
    """Two judges' verdicts on the same items, as labels of any kind.

    >>> found = cohen_kappa(["good", "good", "bad", "bad"], ["good", "bad", "bad", "bad"])
    >>> found.observed, found.chance, found.kappa
    (0.75, 0.5, 0.5)
    """
    if len(first) != len(second):
        raise InputError(
            f"one judge gave {len(first)} verdicts, the other {len(second)}; they must agree"
        )
    n = len(first)
    if not n:
        return Agreement(math.nan, math.nan, 0)
    one, other = list(first), list(second)
    same = sum(a == b for a, b in zip(one, other, strict=True))
    chance = sum(one.count(label) * other.count(label) for label in set(one)) / n**2
    return Agreement(same / n, chance, n)


def fleiss_kappa(counts: ArrayLike) -> Agreement:
    """Items × verdicts: how many judges gave the item that verdict.

    >>> found = fleiss_kappa([[3, 0], [2, 1], [0, 3], [1, 2]])
    >>> round(found.observed, 4), found.chance, round(found.kappa, 4)
    (0.6667, 0.5, 0.3333)
    """
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or not np.all((table >= 0) & (table == np.floor(table))):
        raise InputError(
            f"the counts have the shape {table.shape}; they must be whole numbers, items × verdicts"
        )
    table = table[table.sum(axis=1) >= 2]
    if not len(table):
        return Agreement(math.nan, math.nan, 0)
    judges = table.sum(axis=1)
    agreed = ((table**2).sum(axis=1) - judges) / (judges * (judges - 1))
    shares = table.sum(axis=0) / table.sum()
    return Agreement(float(agreed.mean()), float((shares**2).sum()), len(table))


def _verdicts(scores: ArrayLike, tolerance: float) -> F64:
    """One judge's scores as pairs of systems × segments: 1, 0 or −1, NaN where one is absent."""
    checked = judged_scores(scores, "a judge's scores")
    if len(checked) < 2:
        raise InputError("a judge scored 1 system; a ranking needs at least 2")
    return np.concatenate(list(orders(checked, tolerance)))
