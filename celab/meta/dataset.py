"""A folder → texts, and human judgments as arrays; docs/celab-meta.md has the layout.

Where several judges scored a translation, its score is the mean of theirs. A system
without judgments is left out, and a judged name without output, such as a human translator, is
ignored; remarks name both. A system's score is, by what the folder has,

    human-sys.tsv   the score in this file
    human-seg.tsv   the mean of its segments' scores
    rankings.tsv    the share of its pairs that it won, without ties

On resamples of the segments, and where segments are left out, the last two are computed again, and
the first too if it is the mean of the segments' scores, as it often is; otherwise it stays, because
nothing is known of its parts.

Pairs of translations are those of the rankings, each judge's counted, or else those of the
segments' scores. Judges are packed into full sets of judgements, as the paper does (2012, section
4.2): on each segment the first judge goes to the first set, the second to the second, and so on.
Which judges meet is not changed by this, so neither are κ nor the counts of pairs.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from celab import corpus
from celab.arrays import F64, I64, Bools
from celab.corpus import Corpus
from celab.errors import InputError, OptionError, meant
from celab.meta.scores import ScoreRow, read_rows
from celab.options import LIMITS, Limits
from celab.statistics.pairs import Kappa, PairCounts, pair_counts, ranking_kappa, sign
from celab.statistics.resampling import quotient, ratio

LAYOUT = "ref-NAME.txt, hyp/SYSTEM.txt and human-seg.tsv, human-sys.tsv or rankings.tsv"
SUFFIXES = ("", ".gz", ".xz", ".bz2")
MOST_JUDGEMENTS = 1 << 27  # of all judges, systems and segments: an array takes 1 GB
ALIKE = 1e-3  # of the range of scores: closer to the means of segments, they are these means


@dataclass(frozen=True, slots=True)
class People:
    """Rows are systems in the order of the corpus, columns are segments, NaN where absent."""

    systems: F64  # one score each
    systems_from: str  # the files that it comes from
    parts: F64 | None  # systems × segments × 2: their ratio is the score; None if it is fixed
    segments: F64  # the mean of their judges, for correlation across translations
    judges: dict[str, list[F64]]  # sets of judgements by file; greater is better

    @classmethod
    def of(cls, systems: Sequence[str], n_segments: int, *files: Sequence[ScoreRow]) -> People:
        """From the rows of human-seg.tsv, human-sys.tsv and rankings.tsv about these systems."""
        of_segments, of_systems, of_ranks = files
        scored = packed(of_segments, systems, n_segments)
        ranked = [-ranks for ranks in packed(of_ranks, systems, n_segments)]
        stacked = np.stack(scored or [np.full((len(systems), n_segments), np.nan)])
        segments = quotient(np.nansum(stacked, axis=0), (~np.isnan(stacked)).sum(axis=0))
        judged = ~np.isnan(segments)
        if scored:
            source, parts = "human-seg.tsv", np.stack((np.nan_to_num(segments), judged), axis=2)
        else:
            source, parts = "rankings.tsv", wins(ranked, segments.shape)
        scores = ratio(parts.sum(axis=1), 0)
        fixed = False
        if of_systems:
            given = {row.system: row.score for row in of_systems}
            means, scores = scores, np.array([given.get(name) for name in systems], np.float64)
            known = ~np.isnan(scores)
            apart = np.abs(scores - means)[known]
            fixed = not (scored and known.any() and (apart <= ALIKE * np.ptp(scores[known])).all())
            source = "human-sys.tsv" if fixed else "human-sys.tsv, means of human-seg.tsv"
        judges = {"rankings.tsv": ranked, "human-seg.tsv": scored}
        return cls(scores, source, None if fixed else parts, segments, judges)

    def on(self, kept: Bools) -> People:
        """The same on some of the segments."""
        systems, parts = self.systems, None
        if self.parts is not None:
            parts = self.parts[:, kept]
            systems = np.where(np.isnan(systems), np.nan, ratio(parts.sum(axis=1), 0))
        judges = {name: [one[:, kept] for one in sets] for name, sets in self.judges.items()}
        return replace(
            self, systems=systems, parts=parts, segments=self.segments[:, kept], judges=judges
        )

    @property
    def ranked(self) -> I64:
        """Numbers of the systems that people gave a score."""
        return np.flatnonzero(~np.isnan(self.systems))

    @property
    def n_translations(self) -> int:
        """How many people scored, one by one."""
        return int((~np.isnan(self.segments)).sum())

    @property
    def pairs_from(self) -> str:
        """The file that pairs of translations come from."""
        return "rankings.tsv" if self.judges["rankings.tsv"] else "human-seg.tsv"

    def counts(self, metric: F64) -> PairCounts:
        """How the metric orders the judged pairs, over all sets of judgements."""
        sets = self.judges["rankings.tsv"] or [self.segments]
        return PairCounts(*np.sum([pair_counts(one, metric) for one in sets], axis=0))

    @property
    def kappa(self) -> dict[str, Kappa]:
        """Between judges, by file, of those that have cases."""
        by_file = {name: ranking_kappa(sets) for name, sets in self.judges.items()}
        return {name: kappa for name, kappa in by_file.items() if kappa is not None}


@dataclass(frozen=True, slots=True)
class Dataset:
    """What the folder holds."""

    name: str
    corpus: Corpus  # of the systems that people judged
    systems: tuple[str, ...]
    references: tuple[str, ...]
    people: People
    unjudged: tuple[str, ...] = ()  # systems with output and no judgement
    without_output: tuple[str, ...] = ()  # judged names without output


def read(
    folder: str | os.PathLike[str], refs: Sequence[str] | None = None, limits: Limits = LIMITS
) -> Dataset:
    """The whole folder, with the references of these names, or all."""
    place = Path(folder)
    if not place.is_dir():
        raise InputError(f"{place} is not a folder; it must be a folder with {LAYOUT}")
    ref_paths = {name.removeprefix("ref-"): path for name, path in _texts(place, "ref-*").items()}
    hyp_paths = _texts(place / "hyp", "*")
    if not ref_paths or not hyp_paths:
        lacking = "hyp/SYSTEM.txt" if ref_paths else "ref-NAME.txt"
        raise InputError(f"{place} has no {lacking}; it must hold {LAYOUT}")
    references = tuple(ref_paths if refs is None else refs)
    for name in references or ("",):
        if name not in ref_paths:
            raise OptionError(f"unknown reference {name!r}; {meant(name, ref_paths)}")
    texts = corpus.read(
        [ref_paths[name] for name in references],
        list(hyp_paths.values()),
        source=_find(place, "src.txt"),
        format="plain",
        limits=limits,
    )
    n_segments = len(texts.segments)
    judged_by = ("system", "segment", "judge")
    judgements = (
        _rows(place, "human-seg.tsv", judged_by, "score", n_segments, limits),
        _rows(place, "human-sys.tsv", judged_by[:1], "score", None, limits),
        _rows(place, "rankings.tsv", judged_by, "rank", n_segments, limits),
    )
    if not any(judgements):
        raise InputError(
            f"{place} has no judgements; it must hold human-seg.tsv, human-sys.tsv or rankings.tsv"
        )
    scored = (row for rows in judgements for row in rows if row.score is not None)
    judged = dict.fromkeys(row.system for row in scored)
    systems = tuple(name for name in hyp_paths if name in judged)
    if not systems:
        raise InputError(
            f"{place}: the judged systems are {_few(judged)}, the files in hyp are of"
            f" {_few(hyp_paths)}; they must have names in common"
        )
    outputs = dict(zip(hyp_paths, texts.systems.items(), strict=True))
    return Dataset(
        place.resolve().name,
        replace(texts, systems=dict(outputs[name] for name in systems)),
        systems,
        references,
        People.of(systems, n_segments, *judgements),
        tuple(name for name in hyp_paths if name not in judged),
        tuple(name for name in judged if name not in hyp_paths),
    )


def files_in(folder: str | os.PathLike[str]) -> list[Path]:
    """What `read` may read there."""
    if not os.path.isdir(folder):
        return []
    patterns = ("ref-*.txt*", "hyp/*.txt*", "src.txt*", "human-*.tsv*", "rankings.tsv*")
    return [path for pattern in patterns for path in Path(folder).glob(pattern)]


def _texts(place: Path, pattern: str) -> dict[str, Path]:
    """Text files in order of name, by what they are named without an ending."""
    paths: dict[str, Path] = {}
    for path in sorted(place.glob(f"{pattern}.txt*")):
        stem, _, ending = path.name.rpartition(".txt")
        if ending not in SUFFIXES:
            continue
        if stem in paths:
            raise InputError(
                f"{paths[stem].name} and {path.name} are both in {place}; remove one of them"
            )
        paths[stem] = path
    return paths


def _find(place: Path, name: str) -> Path | None:
    paths = (place / f"{name}{suffix}" for suffix in SUFFIXES)
    return next((path for path in paths if path.is_file()), None)


def _rows(
    place: Path,
    name: str,
    unique: Sequence[str],
    score: str,
    n_segments: int | None,
    limits: Limits,
) -> list[ScoreRow]:
    path = _find(place, name)
    needed = [column for column in unique if column != "judge"]
    return [] if path is None else read_rows(path, needed, unique, score, n_segments, limits)


def _few(names: Iterable[str], most: int = 3) -> str:
    some = list(names)
    return ", ".join(some[:most]) + (f" and {len(some) - most} more" if len(some) > most else "")


def packed(rows: Iterable[ScoreRow], systems: Sequence[str], n_segments: int) -> list[F64]:
    """As few sets as there are judges of one segment, each with at most one judge per segment."""
    by_judge: dict[str, list[ScoreRow]] = {}
    places = {system: place for place, system in enumerate(systems)}
    for row in rows:
        if row.system in places and row.score is not None:
            by_judge.setdefault(row.judge, []).append(row)
    sets: list[F64] = []
    n_before: Counter[int | None] = Counter()  # judges of each segment
    for some in by_judge.values():
        for row in some:
            number = n_before[row.segment]
            if number == len(sets):
                if (number + 1) * len(systems) * n_segments > MOST_JUDGEMENTS:
                    raise row.wrong(
                        f"{number + 1} judges of a segment, {len(systems)} systems and {n_segments}"
                        f" segments make more than {MOST_JUDGEMENTS:,} judgements; there must be"
                        " fewer"
                    )
                sets.append(np.full((len(systems), n_segments), np.nan))
            sets[number][places[row.system], row.segment] = row.score
        n_before.update({row.segment for row in some})
    return sets


def wins(sets: Iterable[F64], shape: tuple[int, ...]) -> F64:
    """Systems × segments × 2: pairs that the system won, and all pairs without ties."""
    counts = np.zeros((*shape, 2))
    for scores in sets:
        for i, of_system in enumerate(scores):
            order = sign(of_system - scores)
            counts[i, :, 0] += (order > 0).sum(axis=0)
            counts[i, :, 1] += (np.abs(order) == 1).sum(axis=0)
    return counts
