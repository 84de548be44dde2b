"""A campaign → one JSON object, without rounding.

```
{"format": 1, "celab_version": …, "test_set": …,
 "systems": [{"name": …, "length_ratio": …,
              "outputs": {"other-language": […], …},
              "metrics": {"celab": {"score": …, "precision": …, "recall": …, "signature": …,
                                    "interval": […, …], "ranks": […, …], "group": …,
                                    "documents": [{"document": …, "score": …}, …],
                                    "segments": [{"score": …, "precision": …, "recall": …}, …],
                                    "statistics": [[…, …], …]}}}],
 "segments": [{"document": …, "id": …}, …],
 "tests": {"celab": {"test": …, "sides": "two-sided", "resamples": …, "seed": …,
                     "systems": […], "p_values": [[…]], "pair_tests": [[…]], "note": …}}}
```

`test_set` is a digest of the references, null if they are not known. `length_ratio` is the length
of the outputs in lengths of the references, in characters without white space; it is absent if the
texts are not known. `outputs` has the names of
segments whose outputs are not translations, by kind; it is absent if they were not checked.
`unwrapped` has the number of outputs of each form, if they were unwrapped. `references` has a row
for each reference and system that it was probably made from, as
`celab.evaluation.references` describes it; it is absent without any. With `segments`, the
object of one system is a baseline (`celab.evaluation.systems.gate`), which is what `format`
counts the versions of. `gate` says whether a gate failed, if there was one, `labels` has what a
board (`celab.evaluation.board`) orders results by, and `error_profile` the rates of
`celab.evaluation.errors`, if they were asked for.

Skipped scores are null, and `skipped` next to a signature counts them. `interval` is present if it
was computed; `ranks`, `group` and `tests` if there are several systems. With fewer than 20 segments
no difference is called significant, so all systems are in group 1 and have all ranks; `test` is
"exact", and `note`, which is absent otherwise, says so. `pair_tests` has the test behind each
p-value, which is another than `test` where few segments differ. There are also `documents` and
`segments` at that level, and the outer `segments` if they have ids. Beside them, `statistics` are
the counts of each segment that BLEU, chrF and TER add up. `celab.evaluation.systems.judged`
describes what other judges add.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from celab.base import io
from celab.base.arguments import JsonObject
from celab.base.errors import InputError
from celab.base.json_files import (
    Anything,
    Dictionary,
    JsonError,
    List,
    Name,
    Number,
    Object,
    Optional,
    ShapeError,
    Text,
    Whole,
    check,
    read_json,
)
from celab.base.signature import Signature
from celab.base.text.escapes import dump_json
from celab.base.version import __version__
from celab.corpus.model import names_of
from celab.evaluation.checks.screening import Lengths
from celab.evaluation.errors import ErrorProfile
from celab.evaluation.systems import judged as judges
from celab.evaluation.systems.judged import compared_score
from celab.evaluation.systems.scored import Scored
from celab.evaluation.tables import Gate
from celab.metrics.formulas import formula_of
from celab.metrics.scores import Score
from celab.statistics.difference import NO_VERDICT
from celab.statistics.resampling import mean
from celab.tables.record import Field, Record, fields
from celab.tables.result import plain
from celab.tables.view import Table

KNOWN_LABELS = ("set", "version", "lang", "report")  # a board reads these, all others are filters
RATES = ("precision", "recall")
FIGURES = ("score", *RATES)
RANKS = ("best_rank", "worst_rank", "group")


# ---- systems ----


def system_record(systems: Sequence[str] = ()) -> Record:
    """Return the columns of systems, with p-values against these."""
    return Record(
        Field("metric", "text"),
        Field("system", "name"),
        *fields("number", "score", *RATES, "low", "high"),
        *fields("integer", *RANKS),
        *fields("number", *(f"p {name}" for name in systems)),
        Field("signature", "text"),
        Field("length_ratio", "number"),
    )


def system_rows(scored: Scored) -> Iterator[JsonObject]:
    """Yield a row per metric and system; the best system is first if they were compared."""
    lengths = scored.lengths
    for metric, of_metric in scored.scores.items():
        comparison = scored.comparisons.get(metric)
        for i, name in enumerate(comparison.systems if comparison else of_metric):
            score, interval = of_metric[name], scored.interval(metric, name) or (None, None)
            row: JsonObject = {
                **{"metric": metric, "system": name, "score": compared_score(scored, metric, name)},
                **{rate: getattr(score, rate) for rate in RATES},
                **dict(zip(("low", "high"), interval, strict=True)),
                "signature": score.signature,
                "length_ratio": None if lengths is None else lengths.ratio(name),
            }
            if comparison:
                ranks = (*comparison.ranks[i].tolist(), int(comparison.groups[i]))
                row |= dict(zip(RANKS, ranks, strict=True))
                p_values = zip(comparison.systems, comparison.p_values[i].tolist(), strict=True)
                row |= {f"p {other}": p for other, p in p_values}
            yield row


def system_table(scored: Scored) -> Table:
    """Return all figures of all systems."""
    names = sorted(scored.system_names) if scored.comparisons else []
    record = system_record(names)
    left_out = set() if scored.comparisons else {*RANKS}
    if not (scored.comparisons or scored.intervals):
        left_out |= {"low", "high"}
    if scored.lengths is None:
        left_out.add("length_ratio")
    columns = [name for name in record.fields if name not in left_out]
    return replace(record.table([*system_rows(scored)], columns), right=())


# ---- segments and documents ----


UNITS = Record(
    *fields("text", "metric", "system", "document", "segment"),
    Field("name", "segment", column="segment"),
    *(Field(name, "number", digits=6) for name in FIGURES),
    Field("output", "text"),
    Field("length_ratio", "number", digits=6),
)


def unit_rows(scored: Scored, level: str) -> Iterator[JsonObject]:
    """Yield a row per metric, system, and document or segment."""
    lengths = scored.lengths if level == "segment" else None
    for metric, of_metric in scored.scores.items():
        for system, score in of_metric.items():
            if not score.segments.scored.any():  # only the score of the system is known
                continue
            if level == "document":
                yield from _documents(scored, metric, system, score)
            else:
                yield from _segments(scored, metric, system, score, lengths)


def _documents(scored: Scored, metric: str, system: str, score: Score) -> Iterator[JsonObject]:
    for name, places in scored.by_document().items():
        about = {"metric": metric, "system": system, "document": name}
        yield about | _known([score.of_segments(places)])


def _segments(
    scored: Scored, metric: str, system: str, score: Score, lengths: Lengths | None
) -> Iterator[JsonObject]:
    names, figures = names_of(scored.segments), score.segments.figures.tolist()
    absent = [None] * len(names)
    outputs = absent if scored.outputs is None else scored.outputs.by_segment(system)
    ratios = absent if lengths is None else lengths.ratios(system)
    for place, (segment, name, numbers, kind, ratio) in enumerate(
        zip(scored.segments, names, figures, outputs, ratios, strict=True)
    ):
        yield {
            **{"metric": metric, "system": system, "place": place, "document": segment.document},
            **{"segment": segment.id, "name": name, "output": kind, "length_ratio": ratio},
            **_known(numbers),
        }


def _known(numbers: Sequence[float]) -> JsonObject:
    """Return score, precision and recall, without those that are not known."""
    named = zip(FIGURES, numbers, strict=False)
    return {name: number for name, number in named if not math.isnan(number)}


def unit_table(scored: Scored, level: str) -> Table:
    """Return a row per document or segment; several metrics or systems have a column."""
    is_segment = level == "segment"
    all_scores = [score for of in scored.scores.values() for score in of.values()]
    has_column = {
        "metric": len(scored.scores) > 1,
        "system": len(scored.system_names) > 1,
        "document": not is_segment or any(s.document for s in scored.segments[:1]),
        "segment": is_segment,
        "score": True,
        **dict.fromkeys(RATES, is_segment and any(x.precision is not None for x in all_scores)),
        "output": is_segment and scored.outputs is not None,
        "length_ratio": is_segment and scored.lengths is not None,
    }
    columns = [name for name, has in has_column.items() if has]
    return replace(UNITS.table([*unit_rows(scored, level)], columns), right=())


FORMAT = 1
EXPECTED = "JSON of `celab score --json --segments`"

_FIGURE = Optional(Number())
_METRIC = Object(
    {"score": _FIGURE, "signature": Text()},
    {
        "segments": List(
            Object({"score": _FIGURE}, {"precision": _FIGURE, "recall": _FIGURE}), least=1
        ),
        "statistics": List(List(Number(), least=1), least=1),
        **{
            key: Anything()
            for key in (
                *("precision", "recall", "skipped", "interval", "ranks", "group", "documents"),
                "edits",
            )
        },
    },
)
_SHAPE = Object(
    {
        "format": Whole(1),
        "celab_version": Text(),
        "test_set": Text("[0-9a-f]{12}"),
        "systems": List(
            Object(
                {"name": Text(), "metrics": Dictionary(_METRIC)},
                {
                    "length_ratio": _FIGURE,
                    "outputs": Dictionary(List(Name())),
                    "unwrapped": Dictionary(Whole(1)),
                },
            ),
            least=1,
        ),
    },
    {
        "judges": Dictionary(Anything()),
        "labels": Dictionary(Text()),
        "segments": List(Object({"document": Text(), "id": Text()})),
        **{
            key: Anything()
            for key in (
                *("references", "left_out", "tests", "gate", "disagreements", "spans"),
                "error_profile",
            )
        },
    },
)


def read(path: io.AnyPath, hint: str) -> JsonObject:
    """Return the object in a file, checked; `InputError` with the hint if it is another."""
    file = io.display_name(path)
    try:
        data, _ = read_json(path, file, EXPECTED)
        if isinstance(data, dict) and data.get("format") not in (None, FORMAT):
            raise ShapeError(f"its format is {data['format']!r}, and this version reads {FORMAT}")
        check(data, _SHAPE)
    except (JsonError, ShapeError) as error:
        raise InputError(f"{error}; {hint}", place=file) from None
    checked: JsonObject = data
    return checked


def misspelt_label(name: str) -> str | None:
    """Return the known label that a name differs from by case or one letter; None if there is none.

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


def written(
    scored: Scored,
    *,
    level: str = "system",
    gate: Gate | None = None,
    labels: Mapping[str, str] = MappingProxyType({}),
    profile: ErrorProfile | None = None,
) -> str:
    """Return one line of JSON."""
    data = as_dict(scored, level=level) | ({"labels": dict(labels)} if labels else {})
    if profile is not None:
        data["error_profile"] = plain(profile.rates)
        if profile.frequent:
            data["frequent_edits"] = plain(profile.frequent)
    return dump_json(data if gate is None else data | {"gate": gate.to_dict()})


def as_dict(scored: Scored, *, level: str = "system") -> JsonObject:
    """Return the report as a dict."""
    lengths = scored.lengths
    report: JsonObject = {
        "format": FORMAT,
        "celab_version": __version__,
        "test_set": next(iter(next(iter(scored.scores.values())).values())).test_set,
        "systems": [
            {
                "name": system,
                **({} if lengths is None else {"length_ratio": lengths.ratio(system)}),
                **_outputs(scored, system),
                "metrics": {
                    metric: _metric(scored, metric, system, level)
                    for metric, by_system in scored.scores.items()
                    if system in by_system
                },
            }
            for system in scored.system_names
        ],
    }
    if scored.outputs is not None and scored.outputs.references:
        report["references"] = [row.to_dict() for row in scored.outputs.references]
    if scored.n_left_out:
        report["left_out"] = scored.n_left_out
    numbered = enumerate(scored.segments, 1)
    if level == "segment" and any(x.document or x.id != str(n) for n, x in numbered):
        report["segments"] = [{"document": s.document, "id": s.id} for s in scored.segments]
    if scored.comparisons:
        report["tests"] = {
            metric: {
                "test": comparison.test,
                "sides": "two-sided",
                "resamples": comparison.n_resamples,
                "seed": comparison.seed,
                "systems": list(comparison.systems),
                "p_values": comparison.p_values.tolist(),
                "pair_tests": comparison.tests.tolist(),
                **({"note": NO_VERDICT} if comparison.too_few else {}),
            }
            for metric, comparison in scored.comparisons.items()
        }
    return report | judges.data(scored)


def _outputs(scored: Scored, system: str) -> JsonObject:
    """Return the outputs that are not translations, and the forms of those that were unwrapped."""
    if scored.outputs is None:
        return {}
    forms = (scored.outputs.unwrapped or {}).get(system)
    kinds = {"outputs": scored.outputs.flagged.segments(system)}
    return kinds if forms is None else kinds | {"unwrapped": forms}


def _metric(scored: Scored, metric: str, system: str, level: str) -> JsonObject:
    score = scored.scores[metric][system]
    values: JsonObject = {"score": score.score}
    if score.precision is not None:
        values |= {"precision": score.precision, "recall": score.recall}
    values["signature"] = score.signature
    if score.edits:
        values["edits"] = score.edits
    if score.n_skipped:
        values["skipped"] = score.n_skipped
    if (interval := scored.interval(metric, system)) is not None:
        values["interval"] = list(interval)
    if comparison := scored.comparisons.get(metric):
        row = comparison.systems.index(system)
        values["ranks"] = comparison.ranks[row].tolist()
        values["group"] = int(comparison.groups[row])
        values["score"] = compared_score(scored, metric, system)
    if not score.segments.scored.any():
        return values  # only the score of the system is known
    if level == "document":
        values["documents"] = [
            {"document": name, "score": _number(score.of_segments(places))}
            for name, places in scored.by_document().items()
        ]
    if level == "segment":
        names = ("score", "precision", "recall")[: score.segments.figures.shape[1]]
        rows = score.segments.figures.tolist()
        values["segments"] = [dict(zip(names, map(_number, row), strict=True)) for row in rows]
        if score.aggregate is not mean and formula_of(score.signature) is not None:
            values["statistics"] = score.statistics.tolist()
    return values


def _number(value: float) -> float | None:
    # Skipped segments are null.
    return None if math.isnan(value) else value
