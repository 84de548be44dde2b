"""JSON of `celab score`, without rounding: written from the tables of a campaign, and read again.

```
{"format": 2, "celab_version": …, "test_set": …,
 "system": [{"metric": "celab", "system": …, "score": …, "precision": …, "recall": …, "low": …,
             "high": …, "best_rank": …, "worst_rank": …, "group": …, "p OTHER": …, "signature": …,
             "length_ratio": …}, …],
 "test": [{"metric": "celab", "test": …, "resamples": …, "resample_by": …, "seed": …, "sides": …,
           "note": …}, …],
 "pair": [{"metric": "celab", "a": …, "b": …, "p": …, "test": …}, …],
 "output": [{"system": …, "segment": …, "kind": "empty"}, …],
 "segment": [{"metric": "celab", "system": …, "segment": …, "score": …, "precision": …,
              "recall": …, "output": …, "length_ratio": …}, …],
 "statistics": {"bleu": {"SYSTEM": [[…, …], …]}}}
```

A list of rows has the name of its table in `celab.systems.view`, and these columns. `test_set` is a
digest of the references, null if they are not known. `low` and `high` are there if intervals were
computed, ranks, groups and p-values if there are several systems. With fewer than 20 segments no
difference is called significant, so all systems are in group 1 and have all ranks. `skipped` is
there if scores of segments were not proved; these are null.

`output` has the outputs that are not translations, and is absent if they were not checked;
`unwrapped` has the number of outputs of each form, if they were unwrapped. There is a table
`document` or `segment` if this level was requested; rows of segments name their document, if they
have one. With `segment`, `statistics` has the counts of segments that BLEU, chrF and TER add up.

`test` says how each metric was tested, with a `note` if there are too few segments. `pair` has the
test of each two systems, because a pair that differs in few segments has another one.
`reference_copies` has a row for each reference
and system that it was probably made from (`celab.findings.references`).
`celab.systems.external_scores` describes the parts about other judges. `gate` says whether a gate
failed, if there was one, `labels` are the keys by which a board (`celab.systems.board`) orders
results, and `error_profile` has the rates of `celab.findings.differences`, if requested.

With segments, the object of one system is a baseline (`celab.systems.baseline`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from celab.base import io
from celab.base.arguments import JsonObject
from celab.base.errors import InputError
from celab.base.json_files import (
    Anything,
    Dictionary,
    JsonError,
    List,
    Number,
    Object,
    Optional,
    SegmentKey,
    ShapeError,
    Text,
    Whole,
    check,
    read_json,
)
from celab.base.signature import Signature
from celab.base.text.escapes import dump_json
from celab.base.version import __version__
from celab.corpus.model import SegmentName
from celab.findings.differences import ErrorProfile
from celab.findings.finding import Gate
from celab.metrics.formulas import formula_of
from celab.statistics.resampling import mean
from celab.systems.results import Scored
from celab.tables.result import JSON_FORMAT

KNOWN_LABELS = ("set", "version", "lang", "report")  # a board reads these, all others are filters
EXPECTED = "JSON of `celab score --json --segments`"
FIGURES = ("score", "precision", "recall")

_FIGURE = Optional(Number())
_SHAPE = Object(
    {
        "format": Whole(1),
        "celab_version": Text(),
        "test_set": Text("[0-9a-f]{12}"),
        "system": List(
            Object(
                {"metric": Text(), "system": Text(), "score": _FIGURE, "signature": Text()},
                {"low": _FIGURE, "high": _FIGURE},
                others=Anything(),
            ),
            least=1,
        ),
    },
    {
        "segment": List(
            Object(
                {"metric": Text(), "system": Text(), "segment": SegmentKey(), "score": _FIGURE},
                {"precision": _FIGURE, "recall": _FIGURE},
                others=Anything(),
            )
        ),
        "statistics": Dictionary(Dictionary(List(List(Number(), least=1), least=1))),
        "output": List(Object({"system": Text(), "segment": SegmentKey(), "kind": Text()})),
        "judge": List(Object({"metric": Text()}, others=Anything())),
        "labels": Dictionary(Text()),
    },
    others=Anything(),
)


@dataclass(frozen=True, slots=True)
class StoredSystem:
    """The results of a system in a file.

    Attributes:
        name: name of the system.
        scores: metric → row of the system.
        segments: metric → rows of the segments; metrics without them are left out.
        statistics: metric → counts of each segment; metrics without them are left out.
        kinds: kind → names of the segments whose outputs may not be translations; None if the
            outputs were not checked.
    """

    name: str
    scores: dict[str, JsonObject]
    segments: dict[str, list[JsonObject]]
    statistics: dict[str, list[list[float]]]
    kinds: dict[str, list[SegmentName]] | None


def read(path: io.AnyPath, hint: str) -> JsonObject:
    """Return the object in a file.

    `InputError` with the hint if it is not JSON of `celab score`.
    """
    file = io.display_name(path)
    try:
        data, _ = read_json(path, file, EXPECTED)
        if isinstance(data, dict) and data.get("format") not in (None, JSON_FORMAT):
            raise InputError(
                f"its format is {data['format']!r}, and this version reads {JSON_FORMAT}",
                hint="make it anew: celab score --json --segments",
                place=file,
            )
        check(data, _SHAPE)
    except (JsonError, ShapeError) as error:
        raise InputError(f"{error}; {hint}", place=file) from None
    checked: JsonObject = data
    return checked


def systems_of(data: JsonObject) -> list[StoredSystem]:
    """Return the results of each system in a file, in its order."""
    by_system: dict[str, StoredSystem] = {}
    for row in data["system"]:
        name = row["system"]
        if name not in by_system:
            kinds: dict[str, list[SegmentName]] | None = {} if "output" in data else None
            by_system[name] = StoredSystem(name, {}, {}, {}, kinds)
        by_system[name].scores[row["metric"]] = row
    for row in data.get("segment", ()):
        if row["system"] in by_system:
            by_system[row["system"]].segments.setdefault(row["metric"], []).append(row)
    for metric, of_metric in data.get("statistics", {}).items():
        for name, rows in of_metric.items():
            if name in by_system:
                by_system[name].statistics[metric] = rows
    for row in data.get("output", ()):
        of_system = by_system[row["system"]].kinds if row["system"] in by_system else None
        if of_system is not None:
            of_system.setdefault(row["kind"], []).append(row["segment"])
    return [*by_system.values()]


def misspelt_label(name: str) -> str | None:
    """Return the known label that a name misspells, by case or one letter, or None.

    >>> misspelt_label("Version"), misspelt_label("verson"), misspelt_label("version")
    ('version', 'version', None)
    """
    from rapidfuzz.distance import OSA

    if name in KNOWN_LABELS:
        return None
    return next((known for known in KNOWN_LABELS if OSA.distance(name.lower(), known) <= 1), None)


def is_mean(signature: Signature) -> bool:
    """Return whether a metric's score of a system is the mean of its segments."""
    return (signature.part("refs") or "").isdecimal()


def to_json_line(
    scored: Scored,
    *,
    level: str = "system",
    gate: Gate | None = None,
    labels: Mapping[str, str] = MappingProxyType({}),
    profile: ErrorProfile | None = None,
) -> str:
    """Return the JSON of `celab score`, in one line."""
    data = scored.to_dict(level=level) | ({"labels": dict(labels)} if labels else {})
    if profile is not None:
        rates = profile.to_dict()
        data |= {name: rates[name] for name in ("error_profile", "frequent_edits") if name in rates}
    return dump_json(data if gate is None else data | {"gate": gate.facts()})


def facts(scored: Scored) -> JsonObject:
    """Return the part of the JSON of scores that is not in tables."""
    values: JsonObject = {
        "celab_version": __version__,
        "test_set": next(iter(next(iter(scored.scores.values())).values())).test_set,
    }
    if scored.n_left_out:
        values["left_out"] = scored.n_left_out
    if scored.spans is not None:
        values["spans"] = scored.spans.facts()
    return values


def statistics(scored: Scored) -> JsonObject:
    """Return metric → system → counts of segments, for scores that are not means of segments."""
    values: JsonObject = {}
    for metric, of_metric in scored.scores.items():
        for system, score in of_metric.items():
            is_made_of_counts = (
                score.segments.scored.any()
                and score.aggregate is not mean
                and formula_of(score.signature) is not None
            )
            if is_made_of_counts:
                values.setdefault(metric, {})[system] = score.statistics.tolist()
    return values
