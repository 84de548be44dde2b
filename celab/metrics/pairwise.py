"""Pairwise: every hypothesis against every reference, for who chooses among candidates.

What concerns one sentence is done once, and some hypotheses go to the kernels with all references.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from celab._native.vocabulary import Vocabulary
from celab.metrics.celab import ngram_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from celab.metrics.celab import TeslaCelab

    F64 = NDArray[np.float64]


def pairwise_rows(metric: TeslaCelab, hyps: list[str], refs: list[str], first: int) -> F64:
    """The scores of some prepared hypotheses, a row each; NaN where the reference is empty."""
    if metric.options.solver != "auto":
        # Pair by pair, as the segments of a corpus are.
        n_refs = len(refs)
        rows = [metric.batch([hyp] * n_refs, [refs], slice(0, n_refs))[0, :, 0] for hyp in hyps]
        return np.stack(rows)
    vocabulary, (ref,) = metric.references.batch([refs])
    hyp = metric.read(hyps, Vocabulary(vocabulary), indexed=False)
    n, m = len(hyp), len(ref)
    # One reference after the other, so that the index of each is at hand for all hypotheses.
    hyp_at = np.tile(np.arange(n, dtype=np.int32), m)
    ref_at = np.repeat(np.arange(m, dtype=np.int32), n)
    what = f"hypotheses {first + 1} to {first + n}"
    covered = metric.reduced(hyp, ref, what, hyp_at, ref_at).reshape(m, n, 2)
    n_ref = ngram_counts(ref.lengths(), metric.options.max_order)[:, None]
    n_hyp = ngram_counts(hyp.lengths(), metric.options.max_order)
    f = metric.options.f
    with np.errstate(invalid="ignore"):  # 0 / 0 where both are empty
        scores = (covered[:, :, 0] + f * covered[:, :, 1]) / (n_ref + f * n_hyp)
    scores[n_ref[:, 0] == 0] = np.nan
    return np.asarray(scores.T, np.float64)
