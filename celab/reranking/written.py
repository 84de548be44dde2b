"""Reranked candidates → what is written of them: a line, lines in Moses' format, or JSON.

```
{"celab_version": …, "signature": …, "weights": …, "scale": …,
 "sentences": [{"id": …, "best": …,
                "candidates": [{"text": …, "expected": …, "line": …}, …]}, …]}
```

`candidates` are in their new order, and `line` says where in the file each was; `scale` is there
for softmax only.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from celab.errors import InputError
from celab.reranking.mbr import Reranked
from celab.reranking.nbest import SEPARATOR, Candidate, shown
from celab.version import __version__


def best(found: Reranked) -> str:
    """The chosen translation, as a line."""
    return f"{_one_line(found, found.best)}\n"


def moses(found: Reranked) -> str:
    """All candidates from the best on, the expected utility after all the fields that they had.

    Features and total score are written empty if there are none, so that the utility is the fifth
    field at the earliest, and always the last.
    """
    lines = []
    for i in found.order:
        candidate = found.sentence.candidates[i]
        text = _one_line(found, candidate)
        for part in (text, str(found.sentence.id)):
            if SEPARATOR in part or "\n" in part:
                raise InputError(
                    f"{_where(found, candidate)}: {shown(part)} cannot stand in Moses' format;"
                    " --json can hold it"
                )
        rest = candidate.rest
        if not rest and candidate.score is not None and math.isfinite(candidate.score):
            rest = "", repr(candidate.score)
        rest += ("",) * (2 - len(rest))
        fields = str(found.sentence.id), text, *rest, f"{found.expected[i]:.6f}"
        lines.append(f" {SEPARATOR} ".join(fields) + "\n")
    return "".join(lines)


def record(found: Reranked) -> dict[str, Any]:
    """A sentence as JSON has it."""
    return {
        "id": found.sentence.id,
        "best": found.best.text,
        "candidates": [
            {
                "text": found.sentence.candidates[i].text,
                "expected": found.expected[i],
                "line": found.sentence.candidates[i].line,
            }
            for i in found.order
        ],
    }


def as_json(
    records: Sequence[dict[str, Any]], signature: str, weights: str, scale: float | None
) -> str:
    """One line of JSON, with every digit."""
    about: dict[str, Any] = {
        "celab_version": __version__,
        "signature": signature,
        "weights": weights,
    }
    if weights == "softmax":
        about["scale"] = scale
    return json.dumps(about | {"sentences": records}, ensure_ascii=False, allow_nan=False) + "\n"


def _one_line(found: Reranked, candidate: Candidate) -> str:
    if "\n" in candidate.text:
        raise InputError(
            f"{_where(found, candidate)}: the translation {shown(candidate.text)} has a line end"
            " in it; --json can hold it"
        )
    return candidate.text


def _where(found: Reranked, candidate: Candidate) -> str:
    return f"{found.sentence.where}, line {candidate.line}"
