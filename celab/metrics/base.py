"""What a metric gives: scores of segments, and of a system.

Every number here is derived from a matrix of segment statistics, one row a segment, so that
resampling can work on the matrix and never sees a sentence.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, overload

import numpy as np

from celab.analysis.model import SentenceError
from celab.errors import InputError, OptionError
from celab.explanation import SegmentExplanation
from celab.metrics.batches import batches
from celab.statistics.resampling import Aggregate, mean
from celab.tokens import is_blank

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from celab.explanation import Explanation, WordExplanation

    F64 = NDArray[np.float64]


_MOST_PAIRS = 1024  # of a matrix, scored at once

# What people call a metric, by the name its signature starts with.
NAMES = {
    "celab": "TESLA-CELAB",
    "tesla-m": "TESLA-M",
    "bleu": "BLEU",
    "chrf": "chrF",
    "chrf++": "chrF++",
    "ter": "TER",
}


@dataclass(frozen=True, slots=True)
class ReferenceScore:
    """One hypothesis against one reference; `index` says which stream the reference came from."""

    index: int
    score: float
    precision: float
    recall: float


@dataclass(frozen=True, slots=True)
class SegmentScore:
    """One hypothesis against all its references: the mean over those that are present.

    Or the best of them, where a metric is told so. A metric that has no precision and recall has
    None, and if it takes all references at once, it has no scores against each.
    """

    score: float
    precision: float | None
    recall: float | None
    references: tuple[ReferenceScore, ...]


class Segments(Sequence[SegmentScore]):
    """The segment scores of a system, kept as arrays and handed out as `SegmentScore`s.

    `values[r, s]` holds score, precision and recall of segment `s` against reference `r`, or
    three NaN where that reference is absent, or the segment was skipped because a value of it was
    not proved; its figures are then NaN, too. A metric that takes all references at once
    (`combine` is "all") has one `r`, and only a score.
    """

    __slots__ = ("combine", "figures", "values")

    def __init__(self, values: F64, combine: str = "mean") -> None:
        self.values = values
        self.combine = combine  # how the references make one score
        combined = best_reference if combine == "max" else mean_over_references
        self.figures = combined(values)
        self.values.flags.writeable = False
        self.figures.flags.writeable = False

    def __len__(self) -> int:
        return len(self.figures)

    @overload
    def __getitem__(self, index: int) -> SegmentScore: ...
    @overload
    def __getitem__(self, index: slice) -> Segments: ...
    def __getitem__(self, index: int | slice) -> SegmentScore | Segments:
        if isinstance(index, slice):
            return Segments(self.values[:, index].copy(), self.combine)
        if self.combine == "all":
            return SegmentScore(float(self.figures[index, 0]), None, None, ())
        references = tuple(
            ReferenceScore(r, *row.tolist())
            for r, row in enumerate(self.values[:, index])
            if not np.isnan(row[0])
        )
        score, precision, recall = self.figures[index].tolist()
        return SegmentScore(score, precision, recall, references)

    @property
    def scores(self) -> F64:
        """One number a segment; NaN if it was skipped."""
        return self.figures[:, 0]

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Which of them were not skipped."""
        return ~np.isnan(self.scores)

    def __iter__(self) -> Iterator[SegmentScore]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Segments):
            return NotImplemented
        same = np.array_equal(self.values, other.values, equal_nan=True)
        return same and self.combine == other.combine

    __hash__ = None  # type: ignore[assignment]  # compared by content, and arrays have no hash

    def __repr__(self) -> str:
        return f"<{len(self)} segments, {len(self.values)} reference(s)>"


def mean_over_references(values: F64) -> F64:
    """Score, precision and recall of each segment: means over the references it has."""
    present = ~np.isnan(values[:, :, :1])
    total = np.where(present, values, 0.0).sum(axis=0)
    with np.errstate(invalid="ignore"):  # 0 / 0 of a segment that was skipped
        return np.asarray(total / present.sum(axis=0), dtype=np.float64)


def best_reference(values: F64) -> F64:
    """Score, precision and recall of each segment: those of the reference that scores best."""
    # Not nanargmax, which refuses a segment that was skipped.
    best = np.where(np.isnan(values[:, :, 0]), -np.inf, values[:, :, 0]).argmax(axis=0)
    return np.asarray(values[best, np.arange(values.shape[1])], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Score:
    """A system's score, with all that is needed to cite it and to resample it.

    It is of the segments that were not skipped, NaN if there is none; if any was skipped, the
    signature says how many.
    `statistics` has a row a segment; `aggregate` makes the score of the sums of any rows, and of
    their number. For most metrics that is the mean of the segments' scores.
    """

    score: float
    precision: float | None
    recall: float | None
    segments: Segments
    signature: str
    n_references: int  # how many reference streams were given
    statistics: F64 = field(repr=False, compare=False)
    aggregate: Aggregate = field(default=mean, repr=False, compare=False)
    higher_is_better: bool = field(default=True, repr=False)

    @classmethod
    def of(
        cls, values: F64, signature: str, combine: str = "mean", skipped: Collection[int] = ()
    ) -> Score:
        """From `Segments`' values; the number of references joins the metric's signature.

        `skipped` has the places of the segments that are to have no number.
        """
        without = set(np.flatnonzero(np.isnan(values[:, :, 0]).all(axis=0)).tolist())
        if absent := without.difference(skipped):
            raise InputError(
                f"segment {min(absent) + 1} has no reference;"
                " at least one must hold more than white space"
            )
        if skipped:
            values = values.copy()
            values[:, list(skipped)] = np.nan  # against the other references, too
        segments = Segments(values, combine)
        with np.errstate(invalid="ignore"):  # 0 / 0 if all were skipped
            rows = segments.figures[segments.scored]
            score, precision, recall = (rows.sum(axis=0) / len(rows)).tolist()
        name, _, rest = signature.partition("|")
        signature = f"{name}|refs:{len(values)}|{rest}"
        if skipped:
            signature += f"|skipped:{len(skipped)}"
        statistics = segments.figures[:, :1]
        return cls(score, precision, recall, segments, signature, len(values), statistics)

    @property
    def name(self) -> str:
        """What people call the metric."""
        name = self.signature.partition("|")[0]
        return NAMES.get(name, name)

    def of_segments(self, chosen: NDArray[np.integer]) -> float:
        """The score of some of the segments, a document's for instance; NaN if all are skipped."""
        chosen = chosen[self.segments.scored[chosen]]
        if not len(chosen):
            return np.nan
        return float(self.aggregate(self.statistics[chosen].sum(axis=0), len(chosen)))

    @property
    def n_skipped(self) -> int:
        """How many segments have no number, because a value of theirs was not proved."""
        return int((~self.segments.scored).sum())

    def __str__(self) -> str:
        if self.precision is None:
            return f"{self.name} = {self.score:.2f}  {self.signature}"
        return (
            f"{self.name} = {self.score:.4f}  P = {self.precision:.4f}"
            f"  R = {self.recall:.4f}  {self.signature}"
        )


def check_corpus(
    hyps: Sequence[str], refs: Sequence[Sequence[str | None]]
) -> tuple[list[str], list[list[str]]]:
    """Hypotheses, and references with "" for absent ones; `InputError` if they do not fit."""
    if isinstance(hyps, str) or isinstance(refs, str) or any(isinstance(r, str) for r in refs):
        raise InputError(
            "a corpus is a sequence of hypotheses and one sequence of sentences per reference;"
            " a str was given in place of a sequence"
        )
    hyp_side = list(hyps)
    ref_sides = [["" if ref is None else ref for ref in side] for side in refs]
    if not hyp_side:
        raise InputError("there are no hypotheses; at least one is needed")
    if not ref_sides:
        raise InputError("there are no references; at least one sequence of them is needed")
    for r, side in enumerate(ref_sides, 1):
        if len(side) != len(hyp_side):
            raise InputError(
                f"there are {len(hyp_side)} hypotheses, but reference {r} has {len(side)} segments;"
                " they must agree"
            )
    for name, texts in [("hypothesis", hyp_side), *(("reference", side) for side in ref_sides)]:
        for s, text in enumerate(texts, 1):
            if not isinstance(text, str):
                raise InputError(f"{name} {s} is of type {type(text).__name__}; it must be a str")
    return hyp_side, ref_sides


def check_lists(hyps: Sequence[str], refs: Sequence[str | None]) -> tuple[list[str], list[str]]:
    """Hypotheses and references that need not fit each other, with "" for absent references."""
    if isinstance(hyps, str) or isinstance(refs, str):
        raise InputError("a str was given in place of a sequence of sentences")
    sides = list(hyps), ["" if ref is None else ref for ref in refs]
    for name, side in zip(("hypothesis", "reference"), sides, strict=True):
        if not side:
            raise InputError(f"there is no {name}; at least one is needed")
        for s, text in enumerate(side, 1):
            if not isinstance(text, str):
                raise InputError(f"{name} {s} is of type {type(text).__name__}; it must be a str")
    return sides


class Scorer(Protocol):
    """What scores a corpus, or the next part of one."""

    def __call__(  # noqa: D102
        self,
        hyps: Sequence[str],
        refs: Sequence[Sequence[str | None]],
        progress: Callable[[int], object] | None = None,
    ) -> Score: ...


class Metric(ABC):
    """What every metric can do: score a corpus, hence a sentence, and say how it did so."""

    higher_is_better = True

    @property
    @abstractmethod
    def signature(self) -> str:
        """Everything that can move a score, in one line."""

    @abstractmethod
    def corpus_score(
        self,
        hyps: Sequence[str],
        refs: Sequence[Sequence[str | None]],
        progress: Callable[[int], object] | None = None,
    ) -> Score:
        """A system's output against one sequence of sentences per reference."""

    def stream(self, hyps: Sequence[str], refs: Sequence[Sequence[str | None]]) -> Scorer:
        """What scores a corpus that begins in this way, batch by batch, as all at once."""
        return self.corpus_score

    def explain(self, hyp: str, ref: str) -> Explanation | WordExplanation:
        """Where the score of one hypothesis against one reference comes from."""
        raise OptionError(
            f"{self.signature.partition('|')[0]} has no links that could be explained"
        )

    def explain_segment(
        self, hyps: Sequence[str], refs: Sequence[Sequence[str]], index: int
    ) -> SegmentExplanation:
        """One segment of a corpus, against each reference that is present."""
        hyp, present = hyps[index], [r for r, side in enumerate(refs) if not is_blank(side[index])]
        against = tuple(self.explain(hyp, refs[r][index]) for r in present)
        found = self.corpus_score([hyp], [[refs[r][index]] for r in present]).segments
        score, precision, recall = found.figures[0].tolist()
        return SegmentExplanation(tuple(present), against, score, precision, recall, found.combine)

    def sentence_score(self, hyp: str, refs: Sequence[str]) -> SegmentScore:
        """One hypothesis against its references."""
        if isinstance(refs, str):
            raise InputError("refs is a str; it must be a sequence of references")
        return self.corpus_score([hyp], [[ref] for ref in refs]).segments[0]

    def pairwise(self, hyps: Sequence[str], refs: Sequence[str | None]) -> F64:
        """Every hypothesis against every reference by itself: one row a hypothesis.

        A column is NaN where the reference is absent: None, or nothing but white space.
        """
        hyp_side, ref_side = check_lists(hyps, refs)
        present = [r for r, text in enumerate(ref_side) if not is_blank(text)]
        scores = np.full((len(hyp_side), len(ref_side)), np.nan)
        # Columns outside: a metric that remembers its references meets the same ones again.
        for columns in batches(len(present), _MOST_PAIRS):
            chosen = present[columns]
            for rows in batches(len(hyp_side), max(1, _MOST_PAIRS // len(chosen))):
                some = hyp_side[rows]
                try:
                    found = self.corpus_score(
                        [hyp for hyp in some for _ in chosen],
                        [[ref_side[r] for _ in some for r in chosen]],
                    )
                except SentenceError as error:
                    row, column = divmod(error.sentence - 1, len(chosen))
                    place = chosen[column] if error.stream else rows.start + row
                    raise SentenceError(place + 1, error.what, error.stream) from None
                scores[rows, chosen] = found.segments.scores.reshape(len(some), len(chosen))
        return scores
