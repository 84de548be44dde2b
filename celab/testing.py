"""Assertions for tests of translation systems.

>>> from celab.testing import assert_not_worse
>>> refs = ["他买了一把雨伞", "我们明天去北京"]
>>> assert_not_worse(["他买了一把伞", "我们明天去北京"], ["他卖伞", "我去"], refs, margin=0.01)
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from celab.base import io
from celab.base.text.sequences import Refs
from celab.metrics.base import Metric
from celab.systems.baseline import Baseline, not_worse
from celab.systems.campaign import Campaign
from celab.systems.functions import compare
from celab.systems.pair import PairComparison

__all__ = ["assert_not_worse"]


def assert_not_worse(
    new: Sequence[str],
    old: Sequence[str] | io.AnyPath,
    refs: Refs | Sequence[str],
    metric: str | Metric = "celab",
    *,
    margin: float | None = None,
    **settings: Any,
) -> None:
    """Raise `AssertionError` if a new system scores significantly worse than the old one.

    Parameters:
        new: translations by the new system.
        old: translations by the old one, or the path of a baseline that `celab score --json
            --segments` wrote.
        refs: a list of segments for each reference, or the list itself if there is one reference.
        metric: a metric or its name.
        margin: also fail if the score is lower by more than this, whatever p is; with fewer than
            20 segments it is needed, because no difference is significant.
        settings: lang, lexicon, test, n_resamples, seed and others, as in `celab.compare`.

    The message has both scores, p and the segments that lost most.
    """
    if isinstance(old, str | os.PathLike):
        test = {name: settings.pop(name) for name in _OF_TEST if name in settings}
        scored = Campaign.from_lists({"new": new}, refs).score(metric, **settings)
        compared = Baseline.read(old).compare(scored, **test)
    else:
        compared = compare(old, new, refs, metric, names=("old", "new"), **settings)
    gate = not_worse(compared, margin=margin)
    if gate.failed:
        raise AssertionError(_message(gate.reason, compared))


_OF_TEST = ("documents", "test", "n_resamples", "seed", "most_different")


def _message(reason: str, compared: PairComparison) -> str:
    metric = next(iter(compared.metrics.values()))
    lines = [reason]
    if metric.a_better:
        lines.append("segments that lost most (from 1):")
    for segment in metric.a_better:
        difference = segment.b - segment.a
        lines.append(f"  {segment.segment}: {difference:+.{metric.digits}f}")
        texts = zip(("old", "new"), segment.texts, strict=True)
        references = (("reference", reference) for reference in segment.references)
        lines += [f"    {label}: {text}" for label, text in (*references, *texts)]
    return "\n".join(lines)
