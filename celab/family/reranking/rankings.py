"""Reranked candidates → output: a line, lines in Moses format, or JSON.

```
{"celab_version": …, "signature": …, "weights": …, "scale": …,
 "sentences": [{"id": …, "best": …,
                "candidates": [{"text": …, "expected": …, "line": …}, …]}, …]}
```

`candidates` are in their new order, and `line` is the line of each in the file; `scale` is present
for softmax only. A sentence without a choice is an empty line, no line in Moses' format, and in
JSON has `best` null and no candidates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from celab.base.dicts import JsonObject
from celab.base.errors import InputError
from celab.base.text.escapes import dump_json
from celab.base.version import __version__
from celab.family.reranking.mbr import Reranked
from celab.family.reranking.nbest import SEPARATOR, Candidate, abbreviate


def best(reranked: Reranked) -> str:
    """Return the chosen translation, as a line."""
    return f"{_one_line(reranked, reranked.best) if reranked.best else ''}\n"


def moses(reranked: Reranked) -> str:
    """Return all candidates, best first, with the expected utility after their own fields.

    Features and total score are written empty if there are none, so that the utility is the fifth
    field at the earliest, and always the last.
    """
    lines = []
    for candidate, expected in reranked.ordered:
        text = _one_line(reranked, candidate)
        for part in (text, str(reranked.sentence.id)):
            if SEPARATOR in part or "\n" in part:
                raise InputError(
                    f"{reranked.sentence.where}, line {candidate.line}: {abbreviate(part)} cannot"
                    " be written in Moses format; use --json"
                )
        rest = candidate.rest
        if not rest and candidate.score is not None and math.isfinite(candidate.score):
            rest = "", repr(candidate.score)
        rest += ("",) * (2 - len(rest))
        fields = str(reranked.sentence.id), text, *rest, f"{expected:.6f}"
        lines.append(f" {SEPARATOR} ".join(fields) + "\n")
    return "".join(lines)


def record(reranked: Reranked) -> JsonObject:
    """Return a sentence as a JSON object."""
    return {
        "id": reranked.sentence.id,
        "best": reranked.best.text if reranked.best else None,
        "candidates": [
            {"text": candidate.text, "expected": expected, "line": candidate.line}
            for candidate, expected in reranked.ordered
        ],
    }


def as_json(
    records: Sequence[JsonObject], signature: str, weights: str, scale: float | None
) -> str:
    """Return the report as one line of JSON, with every digit."""
    report = {"celab_version": __version__, "signature": signature, "weights": weights}
    scale_field = {"scale": scale} if weights == "softmax" else {}
    return dump_json({**report, **scale_field, "sentences": records})


def _one_line(reranked: Reranked, candidate: Candidate) -> str:
    if "\n" in candidate.text:
        raise InputError(
            f"{reranked.sentence.where}, line {candidate.line}: the translation"
            f" {abbreviate(candidate.text)} contains a line break; use --json"
        )
    return candidate.text
