"""What a metric gives: scores of segments, and of a system.

Every number here is derived from a matrix of segment statistics, one row a segment, so that
resampling can work on the matrix and never sees a sentence.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np

from celab.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    F64 = NDArray[np.float64]


# What people call a metric, by the name its signature starts with.
NAMES = {"celab": "TESLA-CELAB", "tesla-m": "TESLA-M"}


@dataclass(frozen=True, slots=True)
class ReferenceScore:
    """One hypothesis against one reference; `index` says which stream the reference came from."""

    index: int
    score: float
    precision: float
    recall: float


@dataclass(frozen=True, slots=True)
class SegmentScore:
    """One hypothesis against all its references: the mean over those that are present."""

    score: float
    precision: float
    recall: float
    references: tuple[ReferenceScore, ...]


class Segments(Sequence[SegmentScore]):
    """The segment scores of a system, kept as arrays and handed out as `SegmentScore`s.

    `values[r, s]` holds score, precision and recall of segment `s` against reference `r`, or
    three NaN where that reference is absent.
    """

    __slots__ = ("statistics", "values")

    def __init__(self, values: F64) -> None:
        self.values = values
        self.statistics = mean_over_references(values)
        self.values.flags.writeable = False
        self.statistics.flags.writeable = False

    def __len__(self) -> int:
        return len(self.statistics)

    @overload
    def __getitem__(self, index: int) -> SegmentScore: ...
    @overload
    def __getitem__(self, index: slice) -> Segments: ...
    def __getitem__(self, index: int | slice) -> SegmentScore | Segments:
        if isinstance(index, slice):
            return Segments(self.values[:, index].copy())
        references = tuple(
            ReferenceScore(r, *row.tolist())
            for r, row in enumerate(self.values[:, index])
            if not np.isnan(row[0])
        )
        score, precision, recall = self.statistics[index].tolist()
        return SegmentScore(score, precision, recall, references)

    def __iter__(self) -> Iterator[SegmentScore]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Segments):
            return NotImplemented
        return np.array_equal(self.values, other.values, equal_nan=True)

    __hash__ = None  # type: ignore[assignment]  # compared by content, and arrays have no hash

    def __repr__(self) -> str:
        return f"<{len(self)} segments, {len(self.values)} reference(s)>"


def mean_over_references(values: F64) -> F64:
    """Score, precision and recall of each segment: means over the references it has."""
    present = ~np.isnan(values[:, :, :1])
    total = np.where(present, values, 0.0).sum(axis=0)
    return np.asarray(total / present.sum(axis=0), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Score:
    """A system's score: the mean over its segments, with all that is needed to cite it."""

    score: float
    precision: float
    recall: float
    segments: Segments
    signature: str

    @classmethod
    def of(cls, values: F64, signature: str) -> Score:
        """From `Segments`' values; the number of references joins the metric's signature."""
        absent = np.isnan(values[:, :, 0]).all(axis=0)
        if absent.any():
            raise InputError(
                f"segment {int(absent.argmax()) + 1} has no reference;"
                " at least one must hold more than white space"
            )
        segments = Segments(values)
        score, precision, recall = segments.statistics.mean(axis=0).tolist()
        name, _, rest = signature.partition("|")
        return cls(score, precision, recall, segments, f"{name}|refs:{len(values)}|{rest}")

    @property
    def n_references(self) -> int:
        """How many reference streams were given."""
        return len(self.segments.values)

    def __str__(self) -> str:
        name = self.signature.partition("|")[0]
        return (
            f"{NAMES.get(name, name)} = {self.score:.4f}  P = {self.precision:.4f}"
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


class Metric(ABC):
    """What every metric can do: score a corpus, hence a sentence, and say how it did so."""

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

    def sentence_score(self, hyp: str, refs: Sequence[str]) -> SegmentScore:
        """One hypothesis against its references."""
        if isinstance(refs, str):
            raise InputError("refs is a str; it must be a sequence of references")
        return self.corpus_score([hyp], [[ref] for ref in refs]).segments[0]
