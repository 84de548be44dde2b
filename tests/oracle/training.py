"""The slow versions: scaling by all corners of the box, weights by plain gradient descent."""

from itertools import product

import numpy as np


def corners(weights, ends):
    """The smallest and the greatest w · f over all corners of the box."""
    sums = [sum(w * f for w, f in zip(weights, corner, strict=True)) for corner in product(*ends)]
    return min(sums), max(sums)


def objective(w, d, c):
    return 0.5 * w @ w + c * (np.maximum(0.0, 1.0 - d @ w) ** 2).sum()


def rank_svm(d, c):
    """The minimum of ½ |w|² + C Σ max(0, 1 - w · d)², by gradient steps of the safe length."""
    w = np.zeros(d.shape[1])
    step = 1.0 / (1.0 + 2.0 * c * np.linalg.norm(d, 2) ** 2)
    for _ in range(200_000):
        short = np.maximum(0.0, 1.0 - d @ w)
        gradient = w - 2.0 * c * (d.T @ short)
        if np.abs(gradient).max() < 1e-10:
            break
        w = w - step * gradient
    return w


def svr(x, vectors, coefficients, gamma, intercept):
    """The prediction of a support vector regression with the radial kernel, term by term."""
    total = float(intercept)
    for vector, a in zip(vectors, coefficients, strict=True):
        total += a * np.exp(-gamma * sum((p - q) ** 2 for p, q in zip(x, vector, strict=True)))
    return total


def difference(source, candidate):
    """1 - F1 of the bags of all n-grams of 1 to 4 tokens."""
    from collections import Counter

    x, y = (
        Counter(tuple(t[i : i + n]) for n in range(1, 5) for i in range(len(t) - n + 1))
        for t in (candidate, source)
    )
    both = (x & y).total()
    return 1 - 2 * both / (x.total() + y.total()) if both else 1.0
