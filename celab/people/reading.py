"""Files and values of judges (people, external metrics) → scores of the systems of a corpus."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from celab.base import io
from celab.base.arrays import F64
from celab.base.errors import InputError, OptionError, suggest
from celab.base.options import GREATEST, LIMITS, Limits
from celab.corpus import Corpus
from celab.metrics.judge_score import JudgeScore
from celab.metrics.registry import METRICS
from celab.people.annotations import annotations_in
from celab.people.matching import check_count_from, find_systems, match_judgments
from celab.people.score_files import Judgment, rows_in

HUMAN = "human"  # the judge of `--human`
# Files of mt-metrics-eval, whose columns are separated by spaces.
_BY_SPACES = (".seg.score", ".sys.score")

Values: TypeAlias = Mapping[str, float | Sequence[float | None]]
JudgeSpec: TypeAlias = io.AnyPath | Values  # a file or a folder, or scores by system


def judge_scores(
    judges: Mapping[str, JudgeSpec],
    corpus: Corpus,
    *,
    lower_is_better: Collection[str] = (),
    limits: Limits = LIMITS,
    count_from: int | None = None,
) -> dict[str, dict[str, JudgeScore]]:
    """Return the scores of systems by each judge; a system without any is absent.

    `count_from` is as in `matching.first_number`.
    """
    check_count_from(count_from)
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
            scores[name] = _of_file(name, spec, corpus, is_higher, limits, count_from)
    return scores


def _of_file(
    name: str,
    path: io.AnyPath,
    corpus: Corpus,
    is_higher: bool,
    limits: Limits,
    count_from: int | None,
) -> dict[str, JudgeScore]:
    """Return the scores of systems in a file, or in all files of a folder."""
    files, source = [os.fspath(path)], io.display_name(path)
    if os.path.isdir(path):
        source = os.path.normpath(path)
        entries = (entry for entry in os.scandir(path) if entry.is_file())
        files = sorted(entry.path for entry in entries if not entry.name.startswith("."))
    scores: dict[str, JudgeScore] = {}
    for file in files:
        judged = read_judgments(file, corpus, name=name, count_from=count_from, limits=limits)
        means = judged.means
        if not means:
            systems = dict.fromkeys(row.system for row in judged.rows)
            raise InputError(f"{io.display_name(file)} has no score of {', '.join(systems)}")
        if twice := scores.keys() & means.keys():
            raise InputError(
                f"{io.display_name(file)} has system {min(twice)}, as another file has"
            )
        for system in corpus.systems:
            if system in means:
                by_segment = (means[system].get(i, np.nan) for i in range(len(corpus.segments)))
                segments = np.fromiter(by_segment, np.float64, len(corpus.segments))
                is_higher_better = is_higher and not judged.lower_is_better
                of_system = means[system].get(None)
                scores[system] = _score(name, source, segments, corpus, is_higher_better, of_system)
    if not scores:
        raise InputError(
            f"{io.display_name(path)} has no file of scores; put one of each system there"
        )
    return scores


class Judged(NamedTuple):
    """The judgments of a file, matched to a corpus.

    Attributes:
        rows: judgments of systems of the corpus; `segment` is None in all if whole systems were
            judged.
        others: names in the file that have a score but are no system of the corpus.
    """

    rows: Sequence[Judgment] = ()
    others: tuple[str, ...] = ()

    @property
    def lower_is_better(self) -> bool:
        """Whether the file says that lower scores are better."""
        return any(row.lower_is_better for row in self.rows)

    @property
    def means(self) -> dict[str, dict[int | None, float]]:
        """System → segment → mean score over judges; segments without a score are left out."""
        scores: dict[str, dict[int | None, list[float]]] = {}
        for row in self.rows:
            if row.score is not None:
                scores.setdefault(row.system, {}).setdefault(row.segment, []).append(row.score)
        return {
            system: {index: sum(given) / len(given) for index, given in by_segment.items()}
            for system, by_segment in scores.items()
        }


def read_judgments(
    path: io.AnyPath,
    corpus: Corpus,
    *,
    name: str = HUMAN,
    column: str = "score",
    level: Literal["system", "segment"] | None = None,
    complete: bool = False,
    required: bool = True,
    count_from: int | None = None,
    limits: Limits = LIMITS,
) -> Judged:
    """Read the judgments of a file, in any format, and find their systems and segments.

    Parameters:
        path: the file; docs/judges.md has the formats.
        corpus: the texts that were judged.
        name: the judge, by which rows of a table of several metrics are chosen.
        column: the column with the scores in a table.
        level: level of the scores that a table must have (default: either). If it is given, other
            formats than tables are not tried.
        complete: whether each system must have all segments.
        required: whether the file must have a system of the corpus.
        count_from: as in `matching.first_number`.
        limits: greatest lengths of a line and a file.
    """
    file = io.display_name(path)
    text = io.read_text(path, limits=limits)
    rows, numbering = (None, "") if level is not None else _annotated(text, path)
    if rows is None:
        rows, numbering = _table(name, text, path, column, level, len(corpus.segments))
    if not rows:
        raise InputError(f"{file} has no judgment")
    systems = _systems(rows, corpus, file, required=required)
    others = {row.system: 0 for row in rows if row.system not in systems and row.score is not None}
    if numbering == "system":
        matched = [
            replace(row, system=systems[row.system]) for row in rows if row.system in systems
        ]
    else:
        matched = match_judgments(
            rows, systems, corpus, numbering, file, count_from, complete=complete
        )
    return Judged(matched, tuple(others))


def _annotated(text: str, path: io.AnyPath) -> tuple[list[Judgment] | None, str]:
    """Return the judgments of a file of annotations, or None, and how it counts segments."""
    # XCOMET's scores are a metric's, not people's.
    annotations = annotations_in(text, path, without=["xcomet"])
    if annotations is None:
        return None, ""
    if annotations.kind == "plain":
        header = text.lstrip("\ufeff").partition("\n")[0].lower().split("\t")
        if "score" in (cell.strip() for cell in header):
            return None, ""
        raise InputError(
            f"{io.display_name(path)} has spans, but no scores; give it as error spans"
        )
    counts: Counter[tuple[str, str, int | None, str | None]] = Counter()
    judgments = []
    for judgment in annotations.judgments:
        # A judge may judge an output again; the second judgment counts in the mean, too.
        key = (judgment.judge, judgment.system, judgment.segment, judgment.text)
        counts[key] += 1
        again = f"{judgment.judge} ({counts[key]})" if counts[key] > 1 else judgment.judge
        judgments.append(replace(judgment, judge=again))
    return judgments, annotations.numbering


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


def _table(
    name: str,
    text: str,
    path: io.AnyPath,
    column: str,
    level: Literal["system", "segment"] | None,
    n_segments: int,
) -> tuple[list[Judgment], str]:
    """Return the rows of a table of scores, and how it counts segments."""
    file = io.display_name(path)
    separator = None if file.endswith(_BY_SPACES) else "\t"
    is_segments = level == "segment" or file.endswith(".seg.score")
    needed = {"segment": ("system", "segment"), "system": ("system",)}.get(level or "", ())
    unique = ("system",) if level == "system" else ("metric", "system", "segment", "judge")
    rows, numbering = rows_in(
        text=text,
        path=path,
        needed=needed,
        unique=unique,
        score=column,
        n_segments=n_segments if is_segments else None,
        separator=separator,
    )
    names = dict.fromkeys(row.metric for row in rows)
    if len(names) > 1:
        if name not in names:
            raise InputError(f"{file} has no metric {name}; it has {', '.join(names)}")
        rows = [row for row in rows if row.metric == name]
    return rows, "system" if level == "system" else numbering


def _systems(
    rows: Sequence[Judgment], corpus: Corpus, file: str, *, required: bool
) -> dict[str, str]:
    """Return the systems by their names in a file.

    A file without names is of the only system, of that in the file's own name, or of the only one
    with the same texts.
    """
    names = {row.system for row in rows}
    if names != {""}:
        if "" in names:
            row = next(row for row in rows if not row.system)
            raise row.error("the system is missing; each line must have one")
        return find_systems([row.system for row in rows], corpus, file, required=required)
    if len(corpus.systems) == 1:
        return {"": next(iter(corpus.systems))}
    by_name = find_systems([os.path.basename(file)], corpus, file, required=False)
    if by_name:
        return {"": next(iter(by_name.values()))}
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
        by_segment: list[Any] = list(cast(Any, value))
        if len(by_segment) != n:
            raise InputError(
                f"{where}: {len(by_segment)} scores; there must be {n}, one for each segment"
            )
        numbers = [_number(x, f"{where}, segment {i}") for i, x in enumerate(by_segment, 1)]
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
