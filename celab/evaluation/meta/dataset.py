"""A folder → texts, and human judgments as arrays; `layout` says where they are.

Where several judges scored a translation, its score is the mean of theirs. A system
without judgments is left out, and a judged name without output, such as a human translator, is
ignored; remarks name both. A system's score is, by what the folder has,

    human-sys.tsv   the score in this file
    human-seg.tsv   the mean of its segments' scores
    rankings.tsv    the share of its pairs that it won, without ties
    pairs.tsv       the same

On resamples of the segments, and where segments are left out, the last three are computed again,
and the first too if it is the mean of the segments' scores, as it often is; otherwise it stays,
because nothing is known of its parts.

Pairs of translations are those of pairs.tsv, or else those of the rankings, each judge's counted,
or else those of the segments' scores. Judges are packed into full sets of judgements, as the paper
does (2012, section 4.2): on each segment the first judge goes to the first set, the second to the
second, and so on. Which judges meet is not changed by this, so neither are κ nor the counts of
pairs.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from celab import corpus
from celab.base.arrays import F64, I64, Bools
from celab.base.errors import InputError, OptionError
from celab.base.options import LIMITS, Limits
from celab.corpus import Corpus
from celab.evaluation.meta import layout
from celab.evaluation.meta.scores import Preference, ScoreRow, read_pairs, read_rows, table_lines
from celab.statistics.pairs import (
    Kappa,
    PairCounts,
    pair_counts,
    preference_counts,
    ranking_kappa,
    sign,
)
from celab.statistics.resampling import quotient, ratio

LABELS = ("domain", "document")
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
    preferences: I64  # lines of pairs.tsv: segment, better and worse system

    @classmethod
    def of(
        cls,
        systems: Sequence[str],
        n_segments: int,
        of_segments: Sequence[ScoreRow] = (),
        of_systems: Sequence[ScoreRow] = (),
        of_ranks: Sequence[ScoreRow] = (),
        of_pairs: Sequence[Preference] = (),
    ) -> People:
        """From the rows of human-seg.tsv, human-sys.tsv, rankings.tsv and pairs.tsv."""
        scored = packed(of_segments, systems, n_segments)
        ranked = [-ranks for ranks in packed(of_ranks, systems, n_segments)]
        places = {system: place for place, system in enumerate(systems)}
        preferred = np.array(
            [
                (one.segment, places[one.better], places[one.worse])
                for one in of_pairs
                if one.better in places and one.worse in places
            ],
            np.int64,
        ).reshape(-1, 3)
        stacked = np.stack(scored or [np.full((len(systems), n_segments), np.nan)])
        segments = quotient(np.nansum(stacked, axis=0), (~np.isnan(stacked)).sum(axis=0))
        judged = ~np.isnan(segments)
        if scored:
            source, parts = "human-seg.tsv", np.stack((np.nan_to_num(segments), judged), axis=2)
        elif ranked:
            source, parts = "rankings.tsv", wins(ranked, segments.shape)
        else:
            source, parts = "pairs.tsv", np.zeros((*segments.shape, 2))
            for column, counted in ((1, (0, 1)), (2, (1,))):
                for k in counted:
                    np.add.at(parts[..., k], (preferred[:, column], preferred[:, 0]), 1)
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
        return cls(scores, source, None if fixed else parts, segments, judges, preferred)

    def on(self, kept: Bools) -> People:
        """The same on some of the segments."""
        systems, parts = self.systems, None
        if self.parts is not None:
            parts = self.parts[:, kept]
            systems = np.where(np.isnan(systems), np.nan, ratio(parts.sum(axis=1), 0))
        judges = {name: [one[:, kept] for one in sets] for name, sets in self.judges.items()}
        preferences = self.preferences[kept[self.preferences[:, 0]]]
        preferences[:, 0] = (np.cumsum(kept) - 1)[preferences[:, 0]]
        return People(
            systems, self.systems_from, parts, self.segments[:, kept], judges, preferences
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
        if len(self.preferences):
            return "pairs.tsv"
        return "rankings.tsv" if self.judges["rankings.tsv"] else "human-seg.tsv"

    @property
    def sets(self) -> list[F64]:
        """The sets of judgements that pairs of translations come from; none if from pairs.tsv."""
        return [] if len(self.preferences) else self.judges["rankings.tsv"] or [self.segments]

    def counts(self, metric: F64) -> PairCounts:
        """How the metric orders the judged pairs, over all sets of judgements."""
        sets = self.sets
        if not sets:
            return preference_counts(self.preferences, metric)
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
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)  # if not from docs.tsv
    files: layout.Layout | None = field(default=None, repr=False)
    texts: Corpus | None = field(default=None, repr=False)  # of all systems, also the unjudged

    def labels_of(self, kind: str) -> Sequence[str]:
        """The domain or the document of each segment; `InputError` if the set does not say."""
        if kind not in LABELS:
            raise OptionError("by", kind, f"it must be one of: {', '.join(LABELS)}")
        labels = self.labels
        if not labels and self.files is not None and "docs.tsv" in self.files.tables:
            files, n_segments = self.files, len(self.corpus.segments)
            labels = read_labels(files.tables["docs.tsv"], n_segments, LIMITS, files.separator)
        if kind not in labels:
            raise InputError(
                f"{self.name} does not say the {kind} of each segment; add docs.tsv with a column"
                f" {kind}"
            )
        return labels[kind]


def read(
    folder: str | os.PathLike[str],
    refs: Sequence[str] | None = None,
    limits: Limits = LIMITS,
    pair: str | None = None,
    human: str | None = None,
) -> Dataset:
    """The whole folder, with the references of these names; `layout.find` has the defaults."""
    found = layout.find(folder, refs, pair, human)
    texts = corpus.read(
        list(found.references.values()),
        list(found.systems.values()),
        source=found.source,
        format="plain",
        limits=limits,
    )
    n_segments = len(texts.segments)

    def rows(name: str, unique: Sequence[str], score: str, n: int | None) -> list[ScoreRow]:
        needed = [column for column in unique if column != "judge"]
        if (path := found.tables.get(name)) is None:
            return []
        return read_rows(path, needed, unique, score, n, limits, found.separator)

    judged_by = ("system", "segment", "judge")
    judgements = (
        rows("human-seg.tsv", judged_by, "score", n_segments),
        rows("human-sys.tsv", judged_by[:1], "score", None),
        rows("rankings.tsv", judged_by, "rank", n_segments),
    )
    path = found.tables.get("pairs.tsv")
    preferences = [] if path is None else read_pairs(path, n_segments, limits)
    place = os.fspath(folder)
    if not any(judgements) and not preferences:
        raise InputError(f"{place} has no judgements; it must hold {layout.JUDGMENTS}")
    scored = (row for rows in judgements for row in rows if row.score is not None)
    judged = dict.fromkeys(row.system for row in scored)
    judged |= dict.fromkeys(name for one in preferences for name in (one.better, one.worse))
    systems = tuple(name for name in found.systems if name in judged)
    if not systems:
        raise InputError(
            f"{place}: the judged systems are {_few(judged)}, the outputs are of"
            f" {_few(found.systems)}; they must have names in common"
        )
    outputs = dict(zip(found.systems, texts.systems.items(), strict=True))
    name = Path(folder).resolve().name
    return Dataset(
        name if found.pair is None else f"{name} {found.pair}",
        replace(texts, systems=dict(outputs[name] for name in systems)),
        systems,
        tuple(found.references),
        People.of(systems, n_segments, *judgements, preferences),
        tuple(name for name in found.systems if name not in judged),
        tuple(name for name in judged if name not in found.systems),
        files=found,
        texts=texts,
    )


def read_labels(
    path: Path, n_segments: int, limits: Limits, separator: str | None
) -> dict[str, list[str]]:
    """Domain and document of each segment, as far as the table has them."""
    lines = table_lines(path, limits, separator)
    header = ["domain", "document"] if separator is None else [x.lower() for x in lines.pop(0)[1]]
    name = path.name
    kinds = [kind for kind in LABELS if kind in header]
    if len(lines) != n_segments:
        raise InputError(
            f"{name} has {len(lines)} segments, the texts have {n_segments}; they must agree"
        )
    found: dict[str, list[str]] = {kind: [""] * n_segments for kind in kinds}
    for number, (where, cells) in enumerate(lines):
        if len(cells) != len(header):
            raise InputError(f"{where}: {len(cells)} columns; there must be {len(header)}")
        at = cells[header.index("segment")] if "segment" in header else str(number)
        if at != str(number):
            raise InputError(f"{where}: segment is {at[:40]!r}; it must be {number}")
        for kind in kinds:
            found[kind][number] = cells[header.index(kind)]
    return found


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
