"""Files and values of other judges → their scores of the systems of a corpus."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, cast

import numpy as np

from celab.base import io
from celab.base.arrays import F64
from celab.base.errors import InputError, OptionError, suggest
from celab.base.numbers import GREATEST
from celab.base.options import LIMITS, Limits
from celab.corpus import Corpus
from celab.evaluation.judges.annotations import Judgment, annotations_in
from celab.evaluation.judges.places import find_systems, place
from celab.evaluation.score_formats import ScoreRow
from celab.evaluation.score_tables import rows_in
from celab.metrics.judge_score import JudgeScore
from celab.metrics.registry import METRICS

HUMAN = "human"  # the judge of `--human`
_BY_SPACES = (".seg.score", ".sys.score")  # of mt-metrics-eval

Values: TypeAlias = Mapping[str, float | Sequence[float | None]]
JudgeSpec: TypeAlias = io.AnyPath | Values  # a file or a folder, or scores by system


def judge_scores(
    judges: Mapping[str, JudgeSpec],
    corpus: Corpus,
    *,
    lower_is_better: Collection[str] = (),
    limits: Limits = LIMITS,
) -> dict[str, dict[str, JudgeScore]]:
    """Return the scores of systems by each judge; a system without any is absent."""
    if not isinstance(judges, Mapping) or not judges:
        raise OptionError(
            "scores must be a dict that has a file, or the scores of systems, for each name, such"
            " as {'COMET': 'comet.json'}"
        )
    if isinstance(lower_is_better, str):
        lower_is_better = [lower_is_better]
    for name in judges:
        if name in METRICS:
            raise OptionError(f"{name} is a metric of celab; give the scores another name")
    for name in lower_is_better:
        if name not in judges:
            raise OptionError("lower_is_better", name, suggest(str(name), judges))
    scores = {}
    for name, spec in judges.items():
        is_higher = name not in lower_is_better
        if isinstance(spec, Mapping):
            scores[name] = _of_values(name, spec, corpus, is_higher)
        else:
            scores[name] = _of_file(name, spec, corpus, is_higher, limits)
    return scores


def _of_file(
    name: str, path: io.AnyPath, corpus: Corpus, is_higher: bool, limits: Limits
) -> dict[str, JudgeScore]:
    if not os.path.isdir(path):
        return _read(name, path, corpus, is_higher, limits)
    files = sorted(entry.path for entry in os.scandir(path) if entry.is_file())
    scores: dict[str, JudgeScore] = {}
    for file in files:
        if os.path.basename(file).startswith("."):
            continue
        part = _read(name, file, corpus, is_higher, limits)
        if twice := scores.keys() & part.keys():
            raise InputError(
                f"{io.display_name(file)} has system {min(twice)}, as another file has"
            )
        scores |= part
    if not scores:
        raise InputError(
            f"{io.display_name(path)} has no file of scores; put one of each system there"
        )
    source = os.path.basename(os.path.normpath(path))
    signature = next(iter(scores.values())).signature.with_part("given", source)
    return {system: replace(score, signature=signature) for system, score in scores.items()}


def _read(
    name: str, path: io.AnyPath, corpus: Corpus, is_higher: bool, limits: Limits
) -> dict[str, JudgeScore]:
    file = io.display_name(path)
    text = io.read_text(path, limits=limits)
    annotations = annotations_in(text, path, without=["xcomet"])  # whose scores are COMET's
    rows: Sequence[ScoreRow | Judgment]
    if annotations is not None:
        rows, numbering = annotations.judgments, annotations.numbering
        if annotations.kind == "plain":
            raise InputError(f"{file} has spans, but no scores; give it as error spans")
    else:
        rows, numbering = _table(name, text, path)
        is_higher = is_higher and not rows[0].lower_is_better
    systems = _systems(rows, corpus, file)
    by_system: dict[str, F64] = {}
    if numbering == "system":
        known = {systems[row.system]: row.score for row in rows if row.system in systems}
        absent = np.full(len(corpus.segments), np.nan)
        return {
            system: _score(name, file, absent, corpus, is_higher, score)
            for system, score in known.items()
            if score is not None
        }
    values: dict[tuple[str, int], list[float]] = {}
    for row, system, index in place(rows, systems, corpus, numbering, file):
        if row.score is not None:
            values.setdefault((system, index), []).append(row.score)
    for (system, index), given in values.items():
        scores = by_system.setdefault(system, np.full(len(corpus.segments), np.nan))
        scores[index] = sum(given) / len(given)  # of several judges
    if not by_system:
        raise InputError(f"{file} has no score of {', '.join(systems.values())}")
    return {
        system: _score(name, file, by_system[system], corpus, is_higher)
        for system in corpus.systems
        if system in by_system
    }


def _score(
    name: str,
    source: str,
    segments: F64,
    corpus: Corpus,
    is_higher: bool,
    system: float | None = None,
) -> JudgeScore:
    return JudgeScore.make(
        name,
        os.path.basename(source),
        segments,
        system=system,
        higher_is_better=is_higher,
        n_references=len(corpus.refs),
    )


def _table(name: str, text: str, path: io.AnyPath) -> tuple[list[ScoreRow], str]:
    """Return the rows of a table of scores, and how it counts segments."""
    file = io.display_name(path)
    separator = None if file.endswith(_BY_SPACES) else "\t"
    unique = ("metric", "system", "segment", "judge")
    rows = rows_in(text, path, (), unique, separator=separator)
    names = dict.fromkeys(row.metric for row in rows)
    if len(names) > 1:
        if name not in names:
            raise InputError(f"{file} has no metric {name}; it has {', '.join(names)}")
        rows = [row for row in rows if row.metric == name]
    if rows[0].segment is None:
        return rows, "system"
    header = text.lstrip("\ufeff").partition("\n")[0].lower().split("\t")
    is_table = "segment" in (cell.strip() for cell in header) or file.endswith((".csv", ".jsonl"))
    by_order = rows[0].text is not None or rows[0].lower_is_better or not is_table
    if by_order:
        return rows, "order"
    return rows, "zero" if name == HUMAN else "either"


def _systems(rows: Sequence[ScoreRow | Judgment], corpus: Corpus, file: str) -> dict[str, str]:
    """Return the systems by their names in a file; one that names none is of the only system."""
    names = {row.system for row in rows}
    if names != {""}:
        return find_systems([row.system for row in rows], corpus, file)
    if len(corpus.systems) == 1:
        return {"": next(iter(corpus.systems))}
    try:
        return {
            "": find_systems([os.path.basename(file).partition(".")[0]], corpus, file).popitem()[1]
        }
    except InputError:
        pass
    texts = [row.text for row in rows]
    fitting = [
        system
        for system, hyps in corpus.systems.items()
        if len(hyps) == len(texts)
        and all(t is not None and t.split() == h.split() for t, h in zip(texts, hyps, strict=True))
    ]
    if len(fitting) == 1:
        return {"": fitting[0]}
    raise InputError(
        f"{file} does not say of which system its scores are; name it after the system, such as"
        f" {next(iter(corpus.systems))}{os.path.splitext(file)[1]}"
    )


def _of_values(name: str, values: Values, corpus: Corpus, is_higher: bool) -> dict[str, JudgeScore]:
    systems = find_systems(map(str, values), corpus, name)
    n, scores = len(corpus.segments), {}
    for key, value in values.items():
        system = systems.get(str(key))
        if system is None:
            continue
        where = f"{name}, system {system}"
        if np.ndim(cast(Any, value)) == 0:
            of_system = _number(value, where)
            if of_system is not None:
                absent = np.full(n, np.nan)
                scores[system] = _score(name, "system scores", absent, corpus, is_higher, of_system)
            continue
        listed: list[Any] = list(cast(Any, value))
        if len(listed) != n:
            raise InputError(f"{where}: {len(listed)} scores; there must be {n}, as the texts")
        numbers = [_number(x, f"{where}, segment {i}") for i, x in enumerate(listed, 1)]
        segments = np.array([np.nan if x is None else x for x in numbers], np.float64)
        if not np.isnan(segments).all():
            scores[system] = _score(name, "segment scores", segments, corpus, is_higher)
    if not scores:
        raise InputError(f"{name} has no score of {', '.join(systems.values())}")
    return {system: scores[system] for system in corpus.systems if system in scores}


def _number(value: Any, where: str) -> float | None:
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.inf
    if math.isnan(number):
        return None
    if isinstance(value, str | bool) or abs(number) > GREATEST:
        raise InputError(f"{where}: the score is {value!r}; it must be a number, or None")
    return number
