"""Weights from judged pairs, by a linear ranking SVM (Joachims 2002).

A judgment that a is better than b is a difference of features, d = f(a) - f(b). The weights
minimize

    ½ |w|² + C Σ max(0, 1 - w · d)²

without an intercept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from celab.base.arrays import F64, I64
from celab.base.errors import OptionError, install_command
from celab.statistics.correlation import SAME

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class Consistency(NamedTuple):
    """Share of pairs that a metric orders as people do; its ties are wrong, or half right."""

    ties_wrong: float
    ties_half: float

    @classmethod
    def of(cls, margins: F64) -> Consistency:
        """Compute the shares from the margins of the better translation."""
        right, ties = (margins > SAME).mean(), (np.abs(margins) <= SAME).mean()
        return cls(float(right), float(right + ties / 2))


def solver_of(name: str) -> Any:
    """Return a class of `sklearn.svm`; `OptionError` without scikit-learn."""
    try:
        import sklearn.svm as svm
    except ImportError:
        raise OptionError(
            f"training needs scikit-learn, which is not installed: {install_command('train')}"
        ) from None
    return getattr(svm, name)


def sparse_rows(rows: Sequence[tuple[I64, F64]]) -> tuple[I64, csr_matrix]:
    """Return the numbers of the features that rows have, and the rows with these as columns.

    A row is the numbers of its features that are not 0, and their values.
    """
    from scipy.sparse import csr_matrix  # scikit-learn brings SciPy

    ends = np.cumsum([0, *(len(numbers) for numbers, _ in rows)])
    values = np.concatenate([values for _, values in rows])
    seen, columns = np.unique(np.concatenate([n for n, _ in rows]), return_inverse=True)
    return seen, csr_matrix((values, columns, ends), (len(rows), len(seen)))


def rank_weights(difference: F64 | csr_matrix, cost: float) -> F64:
    """Return the weights for differences of better minus worse (rows), with C = cost."""
    solver = solver_of("LinearSVC")(
        C=cost, loss="squared_hinge", dual=False, fit_intercept=False, tol=1e-8, max_iter=10_000
    )
    from scipy.sparse import diags  # scikit-learn brings SciPy

    # The solver needs two classes; a row times -1 belongs to the other class.
    if difference.shape[0] == 1:
        difference, cost = difference[[0, 0]], cost / 2
    signs = np.where(np.arange(difference.shape[0]) % 2, -1.0, 1.0)
    solver.fit(diags(signs) @ difference, signs)
    return np.asarray(solver.coef_[0], np.float64)


def split_folds(group: I64, folds: int, rng: np.random.Generator) -> list[I64]:
    """Return the indices of the pairs of each fold; the pairs of a group stay together."""
    groups, index = np.unique(group, return_inverse=True)
    fold = rng.permutation(len(groups)) % min(folds, len(groups))
    return [np.flatnonzero(fold[index] == k) for k in range(int(fold.max()) + 1)]
