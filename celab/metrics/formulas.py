"""The formulas of BLEU, chrF and error rates: sums of counts → scores, for many sums at once.

A formula is a value: two with the same settings are equal, and it can be pickled with a score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from celab.base.arrays import F64, Bools
from celab.base.signature import Signature
from celab.metrics.scores import Score, check_sums, has_tokens
from celab.statistics.resampling import Aggregate

_EPSILON = 1e-16  # sacreBLEU's substitute for the share of an empty order


class Formula(Protocol):
    """Computes scores from the sums of counts; its statistics are on the last axis."""

    def __call__(self, sums: F64, n_segments: int) -> F64:
        """Return the scores."""


@dataclass(frozen=True, slots=True)
class BleuFormula:
    """BLEU from hypothesis length, reference length, four counts of matches and four of n-grams."""

    method: str = "exp"
    value: float = 0.0  # used by the methods floor and add-k

    def __call__(self, sums: F64, n_segments: int) -> F64:
        """Return the scores."""
        return self.score(sums)

    def score(self, sums: F64, effective: bool = False) -> F64:
        """Return the scores; if `effective`, without orders that a hypothesis is too short for."""
        matched = sums[..., 2:6]
        has_ngrams = self._has_ngrams(sums)
        precision, penalty = self.precision_and_penalty(sums)
        with np.errstate(divide="ignore", invalid="ignore"):
            logarithms = np.where(has_ngrams, np.log(precision), 0.0 if effective else -np.inf)
            n_orders = np.maximum(has_ngrams.sum(axis=-1), 1) if effective else 4
            score = 100 * penalty * np.exp(logarithms.sum(axis=-1) / n_orders)
        return np.asarray(np.where(matched.any(axis=-1), score, 0.0))

    def precision_and_penalty(self, sums: F64) -> tuple[F64, F64]:
        """Return the smoothed precision of each order, and the brevity penalty."""
        hyp_length, ref_length = sums[..., 0], sums[..., 1]
        matched, total = sums[..., 2:6] + self._added, sums[..., 6:] + self._added
        is_smoothed = self._has_ngrams(sums) & (matched == 0)
        if self.method == "exp" and is_smoothed.any():  # powers take longest, and few sums need any
            smoothed = 0.5 ** np.cumsum(is_smoothed, axis=-1)
        else:
            smoothed = np.full_like(matched, self.value if self.method == "floor" else 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = np.where(is_smoothed, smoothed / total, matched / total)
            penalty = np.where(hyp_length < ref_length, np.exp(1 - ref_length / hyp_length), 1.0)
        return precision, penalty

    @property
    def _added(self) -> F64:
        # To the matches and the n-grams of all orders but the first.
        k = self.value if self.method == "add-k" else 0.0
        return np.array([0.0, k, k, k])

    def _has_ngrams(self, sums: F64) -> Bools:
        is_positive = sums[..., 6:] + self._added > 0
        if is_positive.all():  # true of most corpora; accumulation would change nothing
            return np.asarray(is_positive)
        return np.asarray(np.logical_and.accumulate(is_positive, axis=-1))


@dataclass(frozen=True, slots=True)
class ChrfFormula:
    """chrF from the n-grams of hypothesis, of reference and matched, for each order."""

    beta: int = 2
    eps_smoothing: bool = False

    def __call__(self, sums: F64, n_segments: int) -> F64:
        """Return the scores."""
        by_order = sums.reshape(*sums.shape[:-1], -1, 3)
        n_hyp, n_ref, matched = by_order[..., 0], by_order[..., 1], by_order[..., 2]
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.eps_smoothing:
                precision = np.where(n_hyp > 0, matched / n_hyp, _EPSILON)
                recall = np.where(n_ref > 0, matched / n_ref, _EPSILON)
                f = np.where(precision + recall > 0, self._f(precision, recall), _EPSILON)
                return np.asarray(100 * f.mean(axis=-1))
            counts = (n_hyp > 0) & (n_ref > 0)
            n_orders = np.maximum(counts.sum(axis=-1), 1)
            precision = np.where(counts, matched / n_hyp, 0.0).sum(axis=-1) / n_orders
            recall = np.where(counts, matched / n_ref, 0.0).sum(axis=-1) / n_orders
            f = self._f(precision, recall)
        return np.asarray(np.where(precision + recall > 0, 100 * f, 0.0))

    def _f(self, precision: F64, recall: F64) -> F64:
        factor = self.beta**2
        return (1 + factor) * precision * recall / (factor * precision + recall)


def formula_of(signature: Signature) -> Formula | None:
    """Return the formula of a score with this signature; None if its metric has none.

    >>> formula_of(Signature.parse("bleu|nrefs:1|case:mixed|eff:no|tok:zh|smooth:floor[0.10]"))
    BleuFormula(method='floor', value=0.1)
    """
    if signature.name == "bleu":
        method, _, value = (signature.part("smooth") or "exp").partition("[")
        return BleuFormula(method, float(signature.part("value") or value.rstrip("]") or 0.0))
    if signature.name in ("chrf", "chrf++"):
        return ChrfFormula(int(signature.part("beta") or 2), signature.part("eff") == "no")
    return error_rate if signature.name in ("ter", "cer", "mer") else None


def error_rate(sums: F64, n_segments: int) -> F64:
    """Return TER, CER or MER from edits, in one or several columns, and length of the reference."""
    edits, length = sums[..., :-1] @ np.ones(sums.shape[-1] - 1), sums[..., -1]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(length > 0, 100 * edits / length, 100.0 * (edits > 0)))


# The score of a corpus that is scored part by part.


class RunningScore:
    """The score of the parts so far; segments that were skipped do not count.

    >>> from celab.metrics.celab import TeslaCelab
    >>> running, metric = RunningScore(), TeslaCelab()
    >>> for hyp, ref in (("买伞", "买雨伞"), ("去", "去北京")):
    ...     running.add(metric.corpus_score([hyp], [[ref]]))
    >>> round(running.value, 4)
    0.6
    """

    def __init__(self) -> None:
        self.n_scored = 0
        self._sums: np.ndarray | float = 0.0
        self._aggregate: Aggregate | None = None
        self._signature = Signature("")

    def add(self, score: Score) -> None:
        """Add the score of the next part."""
        rows = score.statistics[score.segments.scored]
        self._sums = self._sums + rows.sum(axis=0)
        self.n_scored += len(rows)
        self._aggregate, self._signature = score.aggregate, score.signature

    @property
    def has_tokens(self) -> bool:
        """Whether the references so far have tokens, which an error rate needs.

        True for other metrics.
        """
        return has_tokens(np.asarray(self._sums), self._signature)

    @property
    def value(self) -> float | None:
        """The score of all parts; None if nothing was scored.

        Raises `InputError` for an error rate if no reference has a token.
        """
        if self._aggregate is None or not self.n_scored:
            return None
        sums = np.asarray(self._sums)
        check_sums(sums, self._signature)
        return float(self._aggregate(sums, self.n_scored))
