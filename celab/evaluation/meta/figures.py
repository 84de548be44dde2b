"""Figures of agreement with people: their names, by level, and one of them."""

from __future__ import annotations

from collections.abc import Mapping

from celab.base.frozen import dataclass
from celab.statistics import correlation as c

SYSTEM = {
    measure.__name__: measure for measure in (c.pearson, c.spearman, c.kendall, c.pairwise_accuracy)
}
PAIRS = ("consistency", "consistency_half", "wmt14_tau", "mean_tau_b")
ACROSS = {
    measure.__name__: measure for measure in (c.flat_pearson, c.flat_spearman, c.flat_kendall)
}
SOFT, CALIBRATED = "soft_pairwise_accuracy", "acc_eq"
FIGURES = {"system": (*SYSTEM, SOFT), "segment": (*PAIRS, CALIBRATED, *ACROSS)}  # by level
CORRELATIONS = ("pearson", "spearman", "kendall", "mean_tau_b", *ACROSS)
NEGATIVE = -0.1  # mean of correlations that is no chance
COMPARED = ("pearson", "pairwise_accuracy", SOFT, "consistency", CALIBRATED)  # by permutation


@dataclass(frozen=True, slots=True)
class Figure:
    """A measure of agreement; higher is better. None where it is not defined."""

    value: float | None
    error: float | None = None
    interval: tuple[float, float] | None = None
    p: float | None = None

    @property
    def stars(self) -> str:
        """Return `*` or `**` if better than the base metric at 5% or 1%, as in the 2012 paper."""
        return "" if self.p is None else "**" if self.p < 0.01 else "*" if self.p < 0.05 else ""


def correlations(figures: Mapping[str, Figure]) -> list[float]:
    """Return the values of the figures that are correlations, from -1 to 1."""
    values = (figures[name].value for name in CORRELATIONS if name in figures)
    return [value for value in values if value is not None]
