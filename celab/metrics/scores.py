"""Scores of segments and systems, with signatures and statistics for resampling.

System scores follow from a matrix of segment statistics, one row per segment, so resampling works
on the matrix and never sees a sentence.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from numbers import Real
from operator import attrgetter, itemgetter
from typing import Any, ClassVar, NamedTuple, overload

import numpy as np

from celab.base.arguments import JsonObject
from celab.base.arrays import F64, I64, U64, Bools
from celab.base.errors import InputError, OptionError, suggest
from celab.base.options import complete
from celab.base.signature import Signature
from celab.metrics.registry import digits_of, title_of
from celab.statistics import resampling
from celab.statistics.documents import documents_to_draw, group_statistics
from celab.statistics.resampling import Aggregate, column_means, mean, mean_along, mean_of
from celab.tables.cells import quantity
from celab.tables.result import DataFrame, Result
from celab.tables.table import COUNT, INDEX, NAME, SCORE, SEGMENT, TEXT, Column, Part, Table
from celab.tables.view import Detail, Line, line

RATES = ("score", "precision", "recall")
_EDITS = ("substituted", "deleted", "inserted", "reference")  # statistics of CER and MER
MAX_ROWS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class ReferenceScore:
    """One hypothesis against one reference; `index` is the number of the reference."""

    index: int
    score: float
    precision: float
    recall: float


class _Number:
    """Results that can be used as the number of their score: `float(score)`, `score > 0.5`.

    Results are equal if all their fields are. Two results cannot be ordered, because scores of
    different metrics have different scales; compare their numbers.
    """

    __slots__ = ()
    score: float

    def __float__(self) -> float:
        return float(self.score)

    def __lt__(self, other: float) -> bool:
        if not isinstance(other, Real):
            return NotImplemented
        return bool(self.score < other)

    def __le__(self, other: float) -> bool:
        if not isinstance(other, Real):
            return NotImplemented
        return bool(self.score <= other)

    def __gt__(self, other: float) -> bool:
        if not isinstance(other, Real):
            return NotImplemented
        return bool(self.score > other)

    def __ge__(self, other: float) -> bool:
        if not isinstance(other, Real):
            return NotImplemented
        return bool(self.score >= other)


@dataclass(frozen=True, slots=True)
class SegmentScore(_Number, Result):
    """One hypothesis against all its references: the mean over the present ones.

    With `combine="max"` it is the highest score instead; ties are broken by precision, then recall.
    `precision` and `recall` are None if the metric has none, and `references` is empty if the
    metric takes all references at once.

    Attributes:
        score, precision, recall: the values of the segment.
        references: score, precision and recall against each present reference.
        digits: number of decimals to show.

    >>> import celab
    >>> celab.TeslaCelab().sentence_score("买伞", ["买雨伞"]).recall
    1.0
    """

    score: float
    precision: float | None
    recall: float | None
    references: tuple[ReferenceScore, ...]
    digits: int = field(default=4, repr=False, compare=False)
    _omitted: ClassVar = frozenset({"digits"})

    def facts(self) -> JsonObject:
        """Return score, precision and recall."""
        return {rate: getattr(self, rate) for rate in RATES}

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield a row for the segment and one for each reference."""
        rows = [("segment", self), *((f"reference {r.index + 1}", r) for r in self.references)]
        shown = [Column("", TEXT, itemgetter(0))]
        shown += [Column(rate, SCORE, _rate_of(rate)) for rate in RATES]
        yield Table(columns=shown, rows=rows, digits=self.digits)
        columns = [Column("", COUNT, lambda row: row.index + 1, "reference"), *RATE_COLUMNS]
        yield Table(name="reference", columns=columns, rows=self.references)


def _rate_of(name: str) -> Callable[[tuple[str, SegmentScore | ReferenceScore]], float | None]:
    """Return a function that takes a rate from a named row."""
    return lambda row: getattr(row[1], name)


class SegmentRow(NamedTuple):
    """A segment in a table of scores; `label` is its index in a data frame."""

    system: str
    label: Any
    segment: int
    score: float
    precision: float | None
    recall: float | None


RATE_COLUMNS = [Column("", SCORE, attrgetter(rate), rate) for rate in RATES]


class Segments(Result, Sequence[SegmentScore]):
    """The segment scores of a system, stored as arrays and returned as `SegmentScore`s.

    `values[r, s]` holds score, precision and recall of segment `s` against reference `r`, and
    `present[r, s]` says whether there is one. `scored[s]` is false if the segment was skipped,
    because no optimum was proved. `figures[s]` has the segment's own score, precision and recall.
    Values of absent references and skipped segments are NaN. A metric that takes all references at
    once (`combine` is "all") has one `r`, and only a score. `digits` is the number of decimals to
    show, which a `Score` sets for its metric.
    """

    __slots__ = ("combine", "digits", "figures", "present", "scored", "values")

    def __init__(
        self,
        values: F64,
        combine: str = "mean",
        present: Bools | None = None,
        scored: Bools | None = None,
        digits: int = 4,
    ) -> None:
        self.digits = digits
        self.present = np.ones(values.shape[:2], np.bool_) if present is None else present
        self.scored = np.ones(values.shape[1], np.bool_) if scored is None else scored
        self.values = np.where((self.present & self.scored)[:, :, None], values, np.nan)
        self.combine = combine  # "mean", "max", "fewest edits" or "all"
        self.figures: F64 = self.values[0]
        if len(values) > 1:
            combined = _best if combine == "max" else _mean
            self.figures = combined(self.values, self.present)
        for array in (self.values, self.present, self.scored, self.figures):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.figures)

    @overload
    def __getitem__(self, index: int) -> SegmentScore: ...
    @overload
    def __getitem__(self, index: slice) -> Segments: ...
    def __getitem__(self, index: int | slice) -> SegmentScore | Segments:
        if isinstance(index, slice):
            return Segments(
                self.values[:, index],
                self.combine,
                self.present[:, index].copy(),
                self.scored[index].copy(),
                self.digits,
            )
        if self.combine == "all":
            return SegmentScore(float(self.figures[index, 0]), None, None, (), self.digits)
        references = tuple(
            ReferenceScore(r, *self.values[r, index].tolist())
            for r in np.flatnonzero(self.present[:, index] & self.scored[index]).tolist()
        )
        score, precision, recall = self.figures[index].tolist()
        return SegmentScore(score, precision, recall, references, self.digits)

    @property
    def scores(self) -> F64:
        """One score per segment; NaN if it was skipped."""
        return self.figures[:, 0]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Segments):
            return NotImplemented
        return (
            self.combine == other.combine
            and np.array_equal(self.values, other.values, equal_nan=True)
            and np.array_equal(self.present, other.present)
            and np.array_equal(self.scored, other.scored)
        )

    def __reduce__(self) -> tuple[object, ...]:
        # The figures are left out, because they follow from the rest.
        return Segments, (self.values, self.combine, self.present, self.scored, self.digits)

    __hash__ = None  # type: ignore[assignment]  # compared by content, and arrays have no hash

    def facts(self) -> JsonObject:
        """Return `combine`, the combination of scores over references."""
        return {"combine": self.combine}

    def rows(self, system: str = "", index: Sequence[Any] | None = None) -> list[SegmentRow]:
        """Return a row per segment; absent figures are None.

        Parameters:
            system: name of the system in each row.
            index: labels of the segments in a data frame (default: their indexes).
        """
        known = self.figures.tolist()
        labels = range(len(self)) if index is None else index
        absent = [None] * (len(RATES) - self.figures.shape[1])
        return [
            SegmentRow(system, label, i + 1, *figures, *absent)
            for i, (label, figures) in enumerate(zip(labels, known, strict=True))
        ]

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield the first segments for people, and all for programs."""
        n_rates = self.figures.shape[1]
        segment = Column("segment", SEGMENT, attrgetter("segment"), "segment")
        shown = [Column(rate, SCORE, attrgetter(rate)) for rate in RATES[:n_rates]]
        first = self[:MAX_ROWS_SHOWN].rows
        yield Table(columns=[replace(segment, names=()), *shown], rows=first, digits=self.digits)
        yield Table(
            name="segment", columns=[replace(segment, heading=""), *RATE_COLUMNS], rows=self.rows
        )
        yield [line(quantity(len(self)))]

    def __repr__(self) -> str:
        skipped = f", {n} skipped" if (n := int((~self.scored).sum())) else ""
        references = quantity(len(self.values), "reference")
        return f"<{quantity(len(self))}, {references}{skipped}>"


def _mean(values: F64, present: Bools) -> F64:
    # The mean over the references that a segment has.
    return mean_along(values, present[:, :, None])


def _best(values: F64, present: Bools) -> F64:
    # The values of the reference with the highest score. Ties are broken by precision, then recall,
    # so that the order of the references does not matter.
    best = present
    for column in np.moveaxis(values, 2, 0):
        greatest = np.max(np.where(best, column, -np.inf), axis=0)
        best = best & (column == greatest)
    return np.asarray(values[best.argmax(axis=0), np.arange(values.shape[1])], dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class Score(_Number, Result):
    """A system's score, with everything needed to cite and resample it.

    Skipped segments do not count; the signature says how many there are, and the score is NaN if
    all were skipped. `statistics` has one row per segment. `aggregate` computes a score from the
    sum of any rows and their number; for most metrics it is the mean of the segment scores.

    Attributes:
        score, precision, recall: values of the system; precision and recall may be None.
        segments: a `SegmentScore` for each segment.
        signature: what to cite with the score.
        n_references: number of references that were given.
        statistics, aggregate: what a resampling test needs.
        higher_is_better: false for TER, CER and MER.
        digests: one number per segment, which its references determine in any order; None if
            they are not known.
        index: labels of the rows if the texts were columns of pandas; None if they were lists.

    >>> import celab
    >>> score = celab.TeslaCelab().corpus_score(["买伞", "去"], [["买雨伞", "去北京"]])
    >>> round(score.score, 4), round(score.segments[1].recall, 4)
    (0.6, 0.1667)
    >>> score.to_dataframe("mine").columns.tolist()
    ['system', 'index', 'segment', 'score', 'precision', 'recall']
    """

    score: float
    precision: float | None
    recall: float | None
    segments: Segments
    signature: Signature
    n_references: int  # how many reference streams were given
    statistics: F64 = field(repr=False, compare=False)
    aggregate: Aggregate = field(default=mean, repr=False, compare=False)
    higher_is_better: bool = field(default=True, repr=False)
    digests: U64 | None = field(default=None, repr=False, compare=False)
    index: Sequence[Any] | None = field(default=None, repr=False, compare=False)
    unscored: ClassVar[str] = "no optimum was proved"  # why segments have no score

    def __post_init__(self) -> None:
        if not isinstance(self.signature, Signature):  # made by hand
            complete(self, signature=Signature.of(self.signature))
        self.segments.digits = self.digits

    @classmethod
    def of(cls, segments: Segments, signature: Signature, n_references: int | None = None) -> Score:
        """Return the mean of the segments; adds the number of references to the metric's signature.

        A metric that takes all references at once says how many there are, and one that takes none
        says 0.
        """
        check_present(segments.present)
        rows = segments.figures[segments.scored]
        score, *rates = column_means(rows)
        precision, recall = rates or (None, None)
        n_references = len(segments.values) if n_references is None else n_references
        signature = Signature.of(signature)
        if n_references:
            signature = signature.with_part("refs", n_references, first=True)
        if n_skipped := int((~segments.scored).sum()):
            signature = signature.with_part("skipped", n_skipped)
        statistics = segments.figures[:, :1]
        return cls(
            score=score,
            precision=precision,
            recall=recall,
            segments=segments,
            signature=signature,
            n_references=n_references,
            statistics=statistics,
        )

    @classmethod
    def of_counts(
        cls,
        counts: F64,
        formula: Aggregate,
        signature: Signature,
        n_references: int,
        *,
        segments: F64 | None = None,
        higher_is_better: bool = True,
    ) -> Score:
        """Return the score of the sums of counts, which has no precision or recall.

        `segments` has the score of each segment, if it is not that of its own counts.
        """
        return cls(
            score=float(formula(counts.sum(axis=0), len(counts))),
            precision=None,
            recall=None,
            segments=Segments(
                (formula(counts, 1) if segments is None else segments)[None, :, None], "all"
            ),
            signature=signature,
            n_references=n_references,
            statistics=counts,
            aggregate=formula,
            higher_is_better=higher_is_better,
        )

    @classmethod
    def joined(cls, scores: Sequence[Score]) -> Score:
        """Return the score of a corpus, from the scores of its parts in order."""
        known = [score.digests for score in scores if score.digests is not None]
        digests = np.concatenate(known) if len(known) == len(scores) else None
        indexes = [score.index for score in scores if score.index is not None]
        index = [*chain(*indexes)] if len(indexes) == len(scores) else None
        return replace(cls._joined(scores), digests=digests, index=index)

    @classmethod
    def _joined(cls, scores: Sequence[Score]) -> Score:
        first = scores[0]
        parts = [score.segments for score in scores]
        segments = Segments(
            np.concatenate([part.values for part in parts], axis=1),
            parts[0].combine,
            np.concatenate([part.present for part in parts], axis=1),
            np.concatenate([part.scored for part in parts]),
        )
        signatures = {score.signature for score in scores}
        plain = {signature.without("refs", "nrefs", "skipped") for signature in signatures}
        if len(plain) > 1:
            raise InputError(
                f"scores of {' and '.join(sorted(plain))} cannot be joined; their signatures must"
                " agree"
            )
        if first.aggregate is mean:
            return cls.of(segments, plain.pop(), first.n_references)
        statistics = np.concatenate([score.statistics for score in scores])
        check_sums(statistics.sum(axis=0), first.signature)
        score = float(first.aggregate(statistics.sum(axis=0), len(statistics)))
        signature = first.signature
        if len(signatures) > 1:  # sacreBLEU counts the references of the segments
            signature = signature.with_part("nrefs", "var")
        return replace(
            first, score=score, segments=segments, signature=signature, statistics=statistics
        )

    @property
    def name(self) -> str:
        """Display name of the metric."""
        return title_of(self.signature)

    @property
    def digits(self) -> int:
        """Number of decimals to show."""
        return digits_of(self.signature.name)

    @property
    def edits(self) -> dict[str, int]:
        """Edits by type, and tokens of the references, by CER or MER; empty by other metrics.

        >>> import celab
        >>> celab.Cer().corpus_score(["买雨散"], [["买把雨伞。"]]).edits
        {'substituted': 1, 'deleted': 1, 'inserted': 0, 'reference': 4}
        """
        if self.signature.name not in ("cer", "mer"):
            return {}
        return dict(zip(_EDITS, map(int, self.statistics.sum(axis=0).tolist()), strict=True))

    def of_segments(self, chosen: I64) -> float:
        """Return the score of some segments, such as a document; NaN if all are skipped."""
        chosen = chosen[self.segments.scored[chosen]]
        if not len(chosen):
            return np.nan
        if self.aggregate is mean:
            return mean_of(self.statistics[chosen, 0])
        return float(self.aggregate(self.statistics[chosen].sum(axis=0), len(chosen)))

    @property
    def n_skipped(self) -> int:
        """Number of segments without a score, because no optimum was proved."""
        return int((~self.segments.scored).sum())

    @property
    def test_set(self) -> str | None:
        """Digest of all references in their order; None if they are not known."""
        if self.digests is None:
            return None
        return hashlib.sha256(self.digests.astype("<u8").tobytes()).hexdigest()[:12]

    def interval(
        self,
        n_resamples: int = resampling.N_RESAMPLES,
        seed: int = resampling.SEED,
        documents: Sequence[str] | None = None,
    ) -> tuple[float, float] | None:
        """Return the 95% bootstrap interval of the score; None with fewer than two segments.

        Parameters:
            n_resamples: number of bootstrap resamples of the segments, 40 or more.
            seed: random seed.
            documents: the document of each segment, if documents are to be drawn.

        >>> import celab
        >>> score = celab.TeslaCelab().corpus_score(["买伞", "去"], [["买雨伞", "去北京"]])
        >>> [round(end, 4) for end in score.interval()]
        [0.2, 1.0]
        """
        statistics = self.statistics[self.segments.scored]
        if len(statistics) < 2:
            return None
        of_scored = None
        if documents is not None:
            of_scored = documents_to_draw(documents)[self.segments.scored]
        units, aggregate = group_statistics(statistics[None], self.aggregate, of_scored)
        if units.shape[1] < 2:
            return None
        resampled = resampling.scores_of(units, aggregate, n_resamples, seed)
        low, high = resampling.intervals(resampled)[0].tolist()
        return None if np.isnan((low, high)).any() else (low, high)

    def facts(self) -> JsonObject:
        """Return the score, its metric, and the digest of the test set."""
        return {
            "metric": self.name,
            **{rate: getattr(self, rate) for rate in RATES},
            "signature": self.signature,
            "n_references": self.n_references,
            "n_skipped": self.n_skipped,
            "higher_is_better": self.higher_is_better,
            "test_set": self.test_set,
        }

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield score, precision and recall for people, and a row per segment for programs."""
        columns = [Column(self.name, SCORE, attrgetter("score"))]
        if self.precision is not None:
            columns += [Column(rate, SCORE, attrgetter(rate)) for rate in RATES[1:]]
        yield Table(columns=columns, rows=[self], digits=self.digits)
        yield self._segment_table("")
        yield [Line((f"{len(self.segments)} segments; {self.signature}",), "signature")]

    def _segment_table(self, system: str) -> Table:
        columns = [Column("", NAME, attrgetter("system"), "system")] if system else []
        columns += [Column("", INDEX, attrgetter("label"), "index")]
        columns += [Column("", SEGMENT, attrgetter("segment"), "segment"), *RATE_COLUMNS]
        rows = partial(self.segments.rows, system, self.index)
        return Table(name="segment", columns=columns, rows=rows)

    def to_dataframe(  # type: ignore[override]
        self, system: str = "hypothesis", library: str | None = None, *, level: str = "segment"
    ) -> DataFrame:
        """Return one row per segment: system, index, segment, score, precision, recall.

        The index is that of Python, from 0, or of the columns that were scored; segments are
        numbered from 1, as in files.

        Parameters:
            system: value of the column `system`.
            library: "pandas" or "polars" (default: the one that is installed, pandas first).
            level: "segment", or "system" for one row without a segment.
        """
        name = Column("", NAME, lambda _: system, "system")
        of_system = Table(name="system", columns=[name, *RATE_COLUMNS], rows=[self])
        tables = {table.name: table for table in (of_system, self._segment_table(system))}
        if level not in tables:
            raise OptionError("level", level, suggest(str(level), [*tables]))
        return tables[level].frame(library)

    def format(self, width: int | None = None, score_only: bool = False) -> str:
        """Return score, precision, recall and signature as one line, or only the score.

        Parameters:
            width: number of decimals (default: four for scores from 0 to 1, else two).
            score_only: return only the score.
        """
        rates = [] if self.precision is None else [("P", self.precision), ("R", self.recall)]
        n = self.digits if width is None else width
        if score_only:
            return f"{self.score:.{n}f}"
        figures = [f"{name} = {value:.{n}f}" for name, value in [(self.name, self.score), *rates]]
        return "  ".join([*figures, self.signature])

    def __str__(self) -> str:
        return self.format()


def check_present(present: Bools) -> None:
    """Raise `InputError` if all references of a segment are absent."""
    absent = ~present.any(axis=0)
    if absent.any():
        raise InputError(
            f"segment {int(absent.argmax()) + 1} has no reference; at least one must contain text"
        )


def check_sums(sums: F64, signature: Signature) -> None:
    """Raise `InputError` if the references of a corpus have nothing that an error rate counts.

    A part of a corpus may have none, because there is silence in speech.
    """
    if not has_tokens(sums, signature):
        raise no_tokens(signature.name)


def has_tokens(sums: F64, signature: Signature) -> bool:
    """Return whether the references of these sums have what an error rate of transcripts counts."""
    return signature.name not in ("cer", "mer") or bool(sums[-1])


def no_tokens(name: str) -> InputError:
    """Return the error about references without a token."""
    return InputError(
        f"no reference has a character that {name} counts; at least one must have a letter or digit"
    )
