"""A folder, whose files `layout` finds → texts, and human judgments as arrays.

Where several judges scored a translation, its score is the mean of theirs. A system
without judgments is left out, and a judged name without output, such as a human translator, is
ignored; warnings name both. A system's score depends on the files in the folder:

    human-sys.tsv   the score in this file
    human-seg.tsv   the mean of its segments' scores
    rankings.tsv    the share of its pairs that it won, without ties
    pairs.tsv       the share of its pairs that it won

On resamples of the segments, and where segments are left out, the last three are computed again,
and the first too if it is the mean of the segments' scores, as it often is; otherwise it stays the
same, because it does not follow from segments.

Pairs of translations come from pairs.tsv, or else from the rankings (a pair for each judge), or
else from the segments' scores. Judges are packed into full sets of judgments, as the paper does
(2012, section 4.2): on each segment the first judge goes to the first set, the second to the
second, and so on. Which judges meet is not changed by this, so neither are κ nor the counts of
pairs.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np

from celab.agreement import layout
from celab.agreement.scores import Preference, read_pairs
from celab.base.arguments import Arguments
from celab.base.arrays import F64, I64, Bools
from celab.base.errors import InputError, OptionError, Setting
from celab.base.options import LIMITS, Limits
from celab.corpus import Corpus, Fields, reading
from celab.corpus.formats.records import DOCUMENT_COLUMNS
from celab.corpus.options import Inputs
from celab.people.matching import find_systems, first_names
from celab.people.reading import Judged, read_judgments
from celab.people.score_files import Judgment, table_lines
from celab.statistics.correlation import (
    Kappa,
    PairCounts,
    pair_counts,
    preference_counts,
    ranking_kappa,
    sign,
)
from celab.statistics.resampling import quotient, ratio
from celab.tables.cells import quantity

LABELS = ("domain", "document")
# System scores this close to the means of their segments, relative to the range of scores, are
# taken for those means.
MEAN_TOLERANCE = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanJudgments:
    """Human judgments: systems, in the order of the corpus, × segments; NaN where absent."""

    systems: F64  # one score each
    systems_from: str  # names of the files that the scores come from
    # systems × segments × 2: the ratio of their sums is the score of a system; None if it is fixed.
    parts: F64 | None
    segments: F64  # mean over the judges, for correlation across translations
    judges: dict[str, list[F64]]  # sets of judgments by file; greater is better
    preferences: I64  # lines of pairs.tsv: segment, preferred system, other system

    @classmethod
    def of(
        cls,
        systems: Sequence[str],
        n_segments: int,
        of_segments: Sequence[Judgment] = (),
        of_systems: Sequence[Judgment] = (),
        of_ranks: Sequence[Judgment] = (),
        of_pairs: Sequence[Preference] = (),
    ) -> HumanJudgments:
        """Combine the rows of human-seg.tsv, human-sys.tsv, rankings.tsv and pairs.tsv."""
        score_sets = pack_judges(of_segments, systems, n_segments)
        rank_sets = [-ranks for ranks in pack_judges(of_ranks, systems, n_segments)]
        index = {system: i for i, system in enumerate(systems)}
        preferences = np.array(
            [
                (pair.segment, index[pair.better], index[pair.worse])
                for pair in of_pairs
                if pair.better in index and pair.worse in index
            ],
            np.int64,
        ).reshape(-1, 3)
        stacked = np.stack(score_sets or [np.full((len(systems), n_segments), np.nan)])
        segments = quotient(np.nansum(stacked, axis=0), (~np.isnan(stacked)).sum(axis=0))
        judged = ~np.isnan(segments)
        if score_sets:
            source, parts = "human-seg.tsv", np.stack((np.nan_to_num(segments), judged), axis=2)
        elif rank_sets:
            source, parts = "rankings.tsv", wins(rank_sets, segments.shape)
        else:
            source, parts = "pairs.tsv", np.zeros((*segments.shape, 2))
            for column, counters in ((1, (0, 1)), (2, (1,))):  # wins and pairs; pairs only
                for k in counters:
                    np.add.at(parts[..., k], (preferences[:, column], preferences[:, 0]), 1)
        scores = ratio(parts.sum(axis=1), 0)
        fixed = False
        if of_systems:
            by_system = {row.system: row.score for row in of_systems}
            means, scores = scores, np.array([by_system.get(name) for name in systems], np.float64)
            known = ~np.isnan(scores)
            deviations = np.abs(scores - means)[known]
            fixed = not (
                score_sets
                and known.any()
                and (deviations <= MEAN_TOLERANCE * np.ptp(scores[known])).all()
            )
            source = "human-sys.tsv" if fixed else "human-sys.tsv, means of human-seg.tsv"
        judges = {"rankings.tsv": rank_sets, "human-seg.tsv": score_sets}
        return cls(
            systems=scores,
            systems_from=source,
            parts=None if fixed else parts,
            segments=segments,
            judges=judges,
            preferences=preferences,
        )

    def select(self, mask: Bools) -> HumanJudgments:
        """Return the judgments of the segments where `mask` is true."""
        systems, parts = self.systems, None
        if self.parts is not None:
            parts = self.parts[:, mask]
            systems = np.where(np.isnan(systems), np.nan, ratio(parts.sum(axis=1), 0))
        judges = {name: [scores[:, mask] for scores in sets] for name, sets in self.judges.items()}
        preferences = self.preferences[mask[self.preferences[:, 0]]]
        preferences[:, 0] = (np.cumsum(mask) - 1)[preferences[:, 0]]
        return HumanJudgments(
            systems=systems,
            systems_from=self.systems_from,
            parts=parts,
            segments=self.segments[:, mask],
            judges=judges,
            preferences=preferences,
        )

    @property
    def ranked(self) -> I64:
        """Indices of the systems with a human score."""
        return np.flatnonzero(~np.isnan(self.systems))

    @property
    def n_translations(self) -> int:
        """Number of translations with a human score of their own."""
        return int((~np.isnan(self.segments)).sum())

    @property
    def pairs_from(self) -> str:
        """Name of the file that pairs of translations come from."""
        if len(self.preferences):
            return "pairs.tsv"
        return "rankings.tsv" if self.judges["rankings.tsv"] else "human-seg.tsv"

    @property
    def sets(self) -> list[F64]:
        """Sets of judgments that pairs of translations come from; empty with pairs.tsv."""
        return [] if len(self.preferences) else self.judges["rankings.tsv"] or [self.segments]

    def counts(self, metric: F64) -> PairCounts:
        """Return how often the metric orders the judged pairs as people do, over all sets."""
        sets = self.sets
        if not sets:
            return preference_counts(self.preferences, metric)
        return PairCounts(*np.sum([pair_counts(scores, metric) for scores in sets], axis=0))

    @property
    def kappa(self) -> dict[str, Kappa]:
        """Agreement between judges (κ), by file, where judgments can be compared."""
        by_file = {name: ranking_kappa(sets) for name, sets in self.judges.items()}
        return {name: kappa for name, kappa in by_file.items() if kappa is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """Texts and human judgments of a folder."""

    name: str
    corpus: Corpus  # texts of the judged systems
    systems: tuple[str, ...]
    references: tuple[str, ...]
    people: HumanJudgments
    unjudged: tuple[str, ...] = ()  # systems with output but without judgments
    without_output: tuple[str, ...] = ()  # judged names without output
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)  # if not from docs.tsv
    files: layout.Layout | None = field(default=None, repr=False)
    texts: Corpus | None = field(default=None, repr=False)  # texts of all systems

    def all_labels(self) -> Mapping[str, Sequence[str]]:
        """Return the domains and documents of the segments, as far as the folder has them."""
        if self.labels or self.files is None or "docs.tsv" not in self.files.tables:
            return self.labels
        table, n_segments = self.files.tables["docs.tsv"], len(self.corpus.segments)
        return read_labels(table, n_segments, LIMITS, self.files.separator)

    def labels_of(self, kind: str) -> Sequence[str]:
        """Return the domain or document of each segment.

        Raises `InputError` if the folder does not say.
        """
        if kind not in LABELS:
            raise OptionError("by", kind, f"choose from {', '.join(LABELS)}")
        labels = self.all_labels()
        if kind not in labels:
            raise InputError(
                f"{self.name} does not say the {kind} of each segment",
                hint=(
                    f"add docs.tsv with a column {kind} to the folder, or give ",
                    Setting("documents"),
                    " a table with it",
                ),
            )
        return labels[kind]


def read(
    folder: str | os.PathLike[str],
    refs: Sequence[str] | None = None,
    limits: Limits = LIMITS,
    pair: str | None = None,
    human: str | None = None,
    *,
    align: bool = False,
    text_documents: str = "none",
    unwrap: bool = False,
    documents: str | os.PathLike[str] | None = None,
    count_from: int | None = None,
    human_lower_is_better: bool = False,
    rating: str = "score",
) -> Dataset:
    """Read a folder, with the named references; `layout.find` has the defaults.

    With `align`, the lines of systems need not be those of the references (`celab.align`);
    `text_documents` says how outputs mark documents, which docs.tsv, or the file `documents` in its
    place, names. With `unwrap`, the translations inside the outputs are taken (`celab.unwrap`).
    `count_from` is as in `matching.first_number`. With `human_lower_is_better`, human scores are
    negated, but not ranks, of which 1 is always the best. `rating` is the column of human-seg.tsv
    with the scores.
    """
    files = layout.find(folder, refs, pair, human)
    name = Path(folder).resolve().name
    name = name if files.pair is None else f"{name} {files.pair}"
    options = {"align": align, "text_documents": text_documents, "unwrap": unwrap}
    texts, labels = _read_folder(files, os.fspath(folder), limits, documents, options)

    def judged(table: str, level: Literal["system", "segment"], column: str = "score") -> Judged:
        if (path := files.tables.get(table)) is None:
            return Judged()
        return read_judgments(
            path,
            texts,
            column=column,
            level=level,
            required=False,
            count_from=count_from,
            limits=limits,
        )

    scores = judged("human-seg.tsv", "segment", rating), judged("human-sys.tsv", "system")
    if human_lower_is_better:
        scores = _negated(scores[0]), _negated(scores[1])
    judgments = (*scores, judged("rankings.tsv", "segment", "rank"))
    preferences: list[Preference] = []
    if (path := files.tables.get("pairs.tsv")) is not None:
        preferences = read_pairs(path, len(texts.segments), limits, count_from)
    return _dataset(
        files=files,
        title=name,
        place=os.fspath(folder),
        texts=texts,
        labels=labels,
        judgments=judgments,
        preferences=preferences,
    )


def read_files(
    inputs: Inputs,
    human: str | os.PathLike[str],
    limits: Limits = LIMITS,
    *,
    count_from: int | None = None,
    human_lower_is_better: bool = False,
) -> Dataset:
    """Read references and systems that are not in a folder, and a file of human scores.

    Texts are read in all formats, as by `celab.corpus.read`. The file is as for
    `Campaign.with_scores`: a table with the columns system, segment and score, or system and score,
    or judgments such as those of MQM. The file of documents may also have their domains. Other
    parameters are as in `read`.
    """
    place = os.fspath(human)
    texts, labels = _read_inputs(inputs, limits)
    judged, nothing = read_judgments(human, texts, count_from=count_from, limits=limits), Judged()
    if human_lower_is_better:
        judged = _negated(judged)
    elif judged.lower_is_better:
        hint = ("give ", Setting("human_lower_is_better"))
        raise InputError("lower human scores are better in it", hint=hint, place=place)
    is_of_systems = judged.rows[0].segment is None
    judgments = (nothing, judged) if is_of_systems else (judged, nothing)
    return _dataset(
        files=layout.of_texts(texts),
        title=Path(human).name,
        place=place,
        texts=texts,
        labels=labels,
        judgments=(*judgments, nothing),
        preferences=[],
    )


def _negated(judged: Judged) -> Judged:
    rows = [
        replace(row, score=None if row.score is None else -row.score, lower_is_better=False)
        for row in judged.rows
    ]
    return judged._replace(rows=rows)


def _read_folder(
    files: layout.Layout,
    folder: str,
    limits: Limits,
    documents: str | os.PathLike[str] | None,
    options: Arguments,
) -> tuple[Corpus, dict[str, list[str]]]:
    """Read the texts of all systems, and the labels of their segments in a file of documents.

    `options` are align, text_documents and unwrap of `celab.corpus.read`.
    """
    table, text_documents = documents, options["text_documents"]
    if documents is None and text_documents != "none":
        table = files.tables.get("docs.tsv")
    if text_documents != "none" and table is None:
        raise InputError(
            (
                f"{folder} does not say the document of each segment, which ",
                Setting("text_documents", text_documents),
                " needs",
            ),
            hint=("add docs.tsv to a folder, or give ", Setting("documents")),
        )
    # The file of mt-metrics-eval has no header: domain and document.
    is_bare = documents is None and table is not None and files.separator is None
    inputs = Inputs(
        references=[*files.references.values()],
        systems=[*files.systems.values()],
        source=files.source,
        format="plain",
        names=list(files.systems),
        documents=table,
        fields=Fields(document=2) if is_bare else Fields(),
        **options,
    )
    texts, labels = _read_inputs(inputs, limits)
    # The labels of docs.tsv are read when they are needed.
    return texts, {} if documents is None else labels


def _read_inputs(inputs: Inputs, limits: Limits) -> tuple[Corpus, dict[str, list[str]]]:
    """Read texts, and the labels that their segments have."""
    table = inputs.documents
    if table is not None:
        header = [cell.lower() for _, cells in table_lines(table, limits)[:1] for cell in cells]
        if "domain" in header and not set(DOCUMENT_COLUMNS) & set(header):
            texts = reading.read(replace(inputs, documents=None), limits)
            return texts, read_labels(Path(table), len(texts.segments), limits, "\t")
    texts = reading.read(inputs, limits)
    labels = {kind: [getattr(segment, kind) for segment in texts.segments] for kind in LABELS}
    return texts, {kind: listed for kind, listed in labels.items() if any(listed)}


def _dataset(
    files: layout.Layout,
    title: str,
    place: str,
    texts: Corpus,
    labels: Mapping[str, Sequence[str]],
    judgments: tuple[Judged, Judged, Judged],
    preferences: Sequence[Preference],
) -> Dataset:
    """Return the texts with scores of segments, scores of systems, rankings and preferences."""
    of_segments, of_systems, of_ranks = (judged.rows for judged in judgments)
    if not any((of_segments, of_systems, of_ranks, preferences)) and not any(
        judged.others for judged in judgments
    ):
        raise InputError(f"{place} has no judgments; it must hold {layout.JUDGMENTS}")
    preferred = [name for pair in preferences for name in (pair.better, pair.worse)]
    system_of = find_systems(preferred, texts, place, required=False)
    preferences = [
        Preference(segment, system_of.get(better, better), system_of.get(worse, worse))
        for segment, better, worse in preferences
    ]
    rows = (*of_segments, *of_systems, *of_ranks)
    judged = dict.fromkeys(row.system for row in rows if row.score is not None)
    judged |= dict.fromkeys(system_of.values())
    others = dict.fromkeys(name for judged in judgments for name in judged.others)
    others |= dict.fromkeys(name for name in preferred if name not in system_of)
    systems = tuple(name for name in texts.systems if name in judged)
    if not systems and not others:
        raise InputError(f"{place} has no score; it must have at least one")
    if not systems:
        raise InputError(
            f"{place}: the judged systems are {first_names(list(others))}, the outputs are of"
            f" {first_names(list(texts.systems))}; they must have names in common"
        )
    return Dataset(
        name=title,
        corpus=replace(texts, systems={name: texts.systems[name] for name in systems}),
        systems=systems,
        references=tuple(files.references),
        people=HumanJudgments.of(
            systems, len(texts.segments), of_segments, of_systems, of_ranks, preferences
        ),
        unjudged=tuple(name for name in texts.systems if name not in judged),
        without_output=tuple(others),
        labels=labels,
        files=files,
        texts=texts,
    )


def read_labels(
    path: Path, n_segments: int, limits: Limits, separator: str | None
) -> dict[str, list[str]]:
    """Return the domain and document of each segment, if the table has these columns."""
    lines = table_lines(path, limits, separator)
    header = ["domain", "document"] if separator is None else [x.lower() for x in lines.pop(0)[1]]
    name = path.name
    kinds = [kind for kind in LABELS if kind in header]
    if len(lines) != n_segments:
        n = len(lines)
        raise InputError(f"{name} has {quantity(n, 'line')} but the texts have {n_segments}")
    first, labels = 0, {kind: [""] * n_segments for kind in kinds}
    for number, (where, cells) in enumerate(lines):
        if len(cells) != len(header):
            raise InputError(f"{where}: {len(cells)} columns; there must be {len(header)}")
        segment = cells[header.index("segment")] if "segment" in header else str(number)
        if number == 0:
            first = int(segment == "1")  # the table has all segments, so the first is 0 or 1
        if segment != str(number + first):
            raise InputError(f"{where}: segment is {segment[:40]!r}; it must be {number + first}")
        for kind in kinds:
            labels[kind][number] = cells[header.index(kind)]
    return labels


def pack_judges(rows: Iterable[Judgment], systems: Sequence[str], n_segments: int) -> list[F64]:
    """Return the fewest sets of judgments in which each segment has at most one judge."""
    by_judge: dict[str, list[Judgment]] = {}
    index = {system: i for i, system in enumerate(systems)}
    for row in rows:
        if row.system in index and row.score is not None:
            by_judge.setdefault(row.judge, []).append(row)
    sets: list[F64] = []
    n_judges: Counter[int | None] = Counter()  # segment → judges read so far
    for judgments in by_judge.values():
        for row in judgments:
            number = n_judges[row.segment]
            if number == len(sets):
                sets.append(np.full((len(systems), n_segments), np.nan))
            sets[number][index[row.system], row.segment] = row.score
        n_judges.update({row.segment for row in judgments})
    return sets


def wins(sets: Iterable[F64], shape: tuple[int, ...]) -> F64:
    """Return systems × segments × 2: pairs that the system won, and all pairs without ties."""
    counts = np.zeros((*shape, 2))
    for scores in sets:
        for i, system_scores in enumerate(scores):
            order = sign(system_scores - scores)
            counts[i, :, 0] += (order > 0).sum(axis=0)
            counts[i, :, 1] += (np.abs(order) == 1).sum(axis=0)
    return counts
