"""Support vector regression whose scores need no scikit-learn: its model is a few arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from celab.base.arrays import F64
from celab.base.json_files import List, Number, Shape, ShapeError, Text
from celab.base.options import GREATEST
from celab.trained.ranking import solver_of

Kernel = Literal["linear", "polynomial", "rbf"]
_POLYNOMIAL_DEGREE = 3  # the default of SVMlight and of scikit-learn
_POLYNOMIAL_OFFSET = 1.0  # SVMlight's; scikit-learn's default is 0
# The shapes of its numbers in a model file; the ranges keep squares and their sums finite.
SHAPES: dict[str, Shape] = {
    "vectors": List(List(Number())),
    "coefficients": List(Number()),
    "intercept": Number(),
    "gamma": Number(least=0),
    "spread": List(Number(least=1 / GREATEST)),
}
KERNEL = Text("|".join(get_args(Kernel)), right=f"one of {', '.join(get_args(Kernel))}")


class Regression(NamedTuple):
    """Support vector regression with the kernel x·v, (γ x·v + 1)³ or exp(-γ |x - v|²)."""

    vectors: F64
    coefficients: F64
    intercept: F64
    gamma: F64
    spread: F64  # standard deviations, which features are divided by
    kernel: Kernel = "rbf"

    @classmethod
    def fit(cls, values: F64, targets: F64, kernel: Kernel = "rbf", **settings: Any) -> Regression:
        """Fit with scikit-learn; `settings` are those of `sklearn.svm.SVR`."""
        spread = values.std(axis=0)
        spread[spread == 0] = 1.0
        name = "poly" if kernel == "polynomial" else kernel
        shape = (
            {"degree": _POLYNOMIAL_DEGREE, "coef0": _POLYNOMIAL_OFFSET}
            if kernel == "polynomial"
            else {}
        )
        solver = solver_of("SVR")(kernel=name, **shape, **settings).fit(values / spread, targets)
        return cls(
            solver.support_vectors_,
            solver.dual_coef_[0],
            solver.intercept_[0],
            np.asarray(solver._gamma),
            spread,
            kernel,
        )

    @classmethod
    def of(cls, content: Mapping[str, Any], n_features: int, kernel: Kernel = "rbf") -> Regression:
        """Return the regression in a model file whose content has passed `SHAPES`.

        `ShapeError` if they do not agree with each other.
        """
        spread = np.array(content["spread"], np.float64)
        coefficients = np.array(content["coefficients"], np.float64)
        if len(spread) != n_features or {len(row) for row in content["vectors"]} - {n_features}:
            raise ShapeError(f"spread and vectors must have {n_features} numbers each")
        if len(content["vectors"]) != len(coefficients):
            raise ShapeError(
                f"it has {len(coefficients)} coefficients for {len(content['vectors'])} vectors"
            )
        vectors = np.array(content["vectors"], np.float64).reshape(-1, n_features)
        intercept, gamma = (np.array(content[name], np.float64) for name in ("intercept", "gamma"))
        return cls(vectors, coefficients, intercept, gamma, spread, kernel)

    def numbers(self) -> dict[str, object]:
        """Return the arrays in the form of a model file."""
        return {name: np.asarray(getattr(self, name)).tolist() for name in SHAPES}

    def predict(self, values: F64) -> F64:
        """Return the score of each row of features."""
        scores = np.empty(len(values))
        for k, row in enumerate(values / self.spread):
            scores[k] = self._similarity(row) @ self.coefficients + self.intercept
        return scores

    def _similarity(self, row: F64) -> F64:
        """Return the kernel of a row of features and each support vector."""
        if self.kernel == "rbf":
            distances = ((self.vectors - row) ** 2).sum(axis=1)
            return np.asarray(np.exp(-self.gamma * distances))
        products = self.vectors @ row
        if self.kernel == "linear":
            return np.asarray(products)
        return np.asarray((self.gamma * products + _POLYNOMIAL_OFFSET) ** _POLYNOMIAL_DEGREE)
