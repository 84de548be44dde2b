"""Scores → one JSON object, with every digit: what reads it may round, we do not.

```
{"celab_version": …,
 "systems": [{"name": …,
              "metrics": {"celab": {"score": …, "precision": …, "recall": …, "signature": …,
                                    "segments": [{"score": …, "precision": …, "recall": …}, …]}}}]}
```
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from celab.version import __version__

if TYPE_CHECKING:
    from celab.metrics.base import Score


def systems(named: Sequence[tuple[str, Mapping[str, Score]]], *, segments: bool) -> str:
    """One line of JSON; each system is its name and a score for each metric's name."""
    report = {
        "celab_version": __version__,
        "systems": [
            {"name": name, "metrics": {key: _metric(score, segments) for key, score in of.items()}}
            for name, of in named
        ],
    }
    # NaN is not JSON, so a score that is one must fail here and not in what reads the file.
    return json.dumps(report, ensure_ascii=False, allow_nan=False) + "\n"


def _metric(score: Score, segments: bool) -> dict[str, Any]:
    values: dict[str, Any] = {
        "score": score.score,
        "precision": score.precision,
        "recall": score.recall,
        "signature": score.signature,
    }
    if segments:
        names = ("score", "precision", "recall")
        rows = score.segments.statistics.tolist()
        values["segments"] = [dict(zip(names, row, strict=True)) for row in rows]
    return values
