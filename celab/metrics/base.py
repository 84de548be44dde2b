"""What a metric gives: scores of segments, and of a system.

Every number here is derived from a matrix of segment statistics, one row a segment, so that
resampling can work on the matrix and never sees a sentence.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, NoReturn, Self, cast, overload

import numpy as np

from celab.analysis.model import SentenceError
from celab.arrays import F64, I64, Bools
from celab.errors import InputError, LexiconError, OptionError
from celab.explanation import SegmentExplanation
from celab.run import Run, batches
from celab.shown import Shown, plain, report
from celab.statistics.resampling import Aggregate, mean
from celab.tokens import is_blank

if TYPE_CHECKING:
    from celab.explanation import Explanation, WordExplanation


Progress = Callable[[int], object]  # is told how many segments are done
Refs = Sequence[Sequence[str | None]]  # one sequence of sentences per reference
_MOST_PAIRS = 1024  # of a matrix, scored at once

# What people call a metric, by the name its signature starts with.
NAMES = {
    "celab": "TESLA-CELAB",
    "tesla-m": "TESLA-M",
    "bleu": "BLEU",
    "chrf": "chrF2",
    "chrf++": "chrF2++",
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
class SegmentScore(Shown):
    """One hypothesis against all its references: the mean over those that are present.

    Or the best of them, where a metric is told so. A metric that has no precision and recall has
    None, and if it takes all references at once, it has no scores against each.

    Attributes:
        score, precision, recall: the figures of the segment.
        references: score, precision and recall against each reference that is present.

    >>> import celab
    >>> celab.TeslaCelab().sentence_score("买伞", ["买雨伞"]).recall
    1.0
    """

    score: float
    precision: float | None
    recall: float | None
    references: tuple[ReferenceScore, ...]


class Segments(Shown, Sequence[SegmentScore]):
    """The segment scores of a system, kept as arrays and handed out as `SegmentScore`s.

    `values[r, s]` holds score, precision and recall of segment `s` against reference `r`, where
    `present[r, s]` says that there is one. `scored[s]` is false if the segment was skipped because
    a value of it was not proved. `figures[s]` has the segment's own score, precision and recall.
    What does not count is NaN in both. A metric that takes all references at once (`combine` is
    "all") has one `r`, and only a score.
    """

    __slots__ = ("combine", "figures", "present", "scored", "values")

    def __init__(
        self,
        values: F64,
        combine: str = "mean",
        present: Bools | None = None,
        scored: Bools | None = None,
    ) -> None:
        self.present = np.ones(values.shape[:2], np.bool_) if present is None else present
        self.scored = np.ones(values.shape[1], np.bool_) if scored is None else scored
        self.values = np.where((self.present & self.scored)[:, :, None], values, np.nan)
        self.combine = combine  # how the references make one score
        self.figures = (_best if combine == "max" else _mean)(self.values, self.present)
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
                self.values[:, index], self.combine,
                self.present[:, index].copy(), self.scored[index].copy(),
            )  # fmt: skip
        if self.combine == "all":
            return SegmentScore(float(self.figures[index, 0]), None, None, ())
        references = tuple(
            ReferenceScore(r, *self.values[r, index].tolist())
            for r in np.flatnonzero(self.present[:, index] & self.scored[index]).tolist()
        )
        score, precision, recall = self.figures[index].tolist()
        return SegmentScore(score, precision, recall, references)

    @property
    def scores(self) -> F64:
        """One number a segment; NaN if it was skipped."""
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

    def __reduce__(self) -> tuple[Any, ...]:  # without the figures, which follow from the rest
        return Segments, (self.values, self.combine, self.present, self.scored)

    __hash__ = None  # type: ignore[assignment]  # compared by content, and arrays have no hash

    def to_dict(self) -> dict[str, Any]:
        """`combine`, and the segments one by one."""
        return {"combine": self.combine, "segments": [one.to_dict() for one in self]}

    def __repr__(self) -> str:
        skipped = f", {n} skipped" if (n := int((~self.scored).sum())) else ""
        return f"<{len(self)} segments, {len(self.values)} reference(s){skipped}>"


def _mean(values: F64, present: Bools) -> F64:
    # Over the references that a segment has.
    total = np.where(present[:, :, None], values, 0.0).sum(axis=0)
    with np.errstate(invalid="ignore"):  # of a segment that was skipped
        return np.asarray(total / present.sum(axis=0)[:, None], dtype=np.float64)


def _best(values: F64, present: Bools) -> F64:
    # Of the reference that scores best.
    best = np.where(present, values[:, :, 0], -np.inf).argmax(axis=0)
    return np.asarray(values[best, np.arange(values.shape[1])], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Score(Shown):
    """A system's score, with all that is needed to cite it and to resample it.

    It is of the segments that were not skipped, NaN if there is none; if any was skipped, the
    signature says how many. `statistics` has a row a segment; `aggregate` makes the score of the
    sums of any rows, and of their number. For most metrics that is the mean of the segments'
    scores.

    Attributes:
        score, precision, recall: the figures of the system; a metric may have no precision.
        segments: a `SegmentScore` for each segment.
        signature: what to cite with the score.
        n_references: number of references that were given.
        statistics, aggregate: what a resampling test needs.
        higher_is_better: false for TER.

    >>> import celab
    >>> score = celab.TeslaCelab().corpus_score(["买伞", "去"], [["买雨伞", "去北京"]])
    >>> round(score.score, 4), round(score.segments[1].recall, 4)
    (0.6, 0.1667)
    >>> score.to_dataframe("mine").columns.tolist()
    ['system', 'segment', 'score', 'precision', 'recall']
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
    def of(cls, segments: Segments, signature: str) -> Score:
        """The mean of the segments; the number of references joins the metric's signature."""
        check_present(segments.present)
        rows = segments.figures[segments.scored]
        with np.errstate(invalid="ignore"):  # 0 / 0 if all were skipped
            score, precision, recall = (rows.sum(axis=0) / len(rows)).tolist()
        name, _, rest = signature.partition("|")
        signature = f"{name}|refs:{len(segments.values)}|{rest}"
        if n_skipped := int((~segments.scored).sum()):
            signature += f"|skipped:{n_skipped}"
        statistics = segments.figures[:, :1]
        return cls(score, precision, recall, segments, signature, len(segments.values), statistics)

    @classmethod
    def joined(cls, scores: Sequence[Score]) -> Score:
        """The score of a corpus whose parts, in order, have these scores by one metric."""
        first = scores[0]
        parts = [score.segments for score in scores]
        segments = Segments(
            np.concatenate([part.values for part in parts], axis=1), parts[0].combine,
            np.concatenate([part.present for part in parts], axis=1),
            np.concatenate([part.scored for part in parts]),
        )  # fmt: skip
        signatures = {score.signature for score in scores}
        plain = {re.sub(r"\|(n?refs|skipped):\w+", "", signature) for signature in signatures}
        if len(plain) > 1:
            raise InputError(
                f"scores of {' and '.join(sorted(plain))} cannot be joined; their signatures must"
                " agree"
            )
        if segments.combine != "all":
            return cls.of(segments, plain.pop())
        statistics = np.concatenate([score.statistics for score in scores])
        score = float(first.aggregate(statistics.sum(axis=0), len(statistics)))
        signature = first.signature
        if len(signatures) > 1:  # sacreBLEU counts the references of the segments
            signature = re.sub(r"\|nrefs:\w+", "|nrefs:var", signature)
        return replace(
            first, score=score, segments=segments, signature=signature, statistics=statistics
        )

    @property
    def name(self) -> str:
        """What people call the metric."""
        name = self.signature.partition("|")[0]
        return NAMES.get(name, name)

    def of_segments(self, chosen: I64) -> float:
        """The score of some of the segments, a document's for instance; NaN if all are skipped."""
        chosen = chosen[self.segments.scored[chosen]]
        if not len(chosen):
            return np.nan
        return float(self.aggregate(self.statistics[chosen].sum(axis=0), len(chosen)))

    @property
    def n_skipped(self) -> int:
        """How many segments have no number, because a value of theirs was not proved."""
        return int((~self.segments.scored).sum())

    def to_dict(self) -> dict[str, Any]:
        """Score, precision, recall, signature, and the segments one by one."""
        return dict(plain({
            "metric": self.name, "score": self.score, "precision": self.precision,
            "recall": self.recall, "signature": self.signature, "n_references": self.n_references,
            "n_skipped": self.n_skipped, "higher_is_better": self.higher_is_better,
            "segments": list(self.segments),
        }))  # fmt: skip

    def to_dataframe(self, system: str = "hypothesis", library: str | None = None) -> Any:
        """One row a segment: system, segment (from 1), score, precision, recall.

        Parameters:
            system: what the column `system` says.
            library: "pandas" or "polars" (default: the one that is installed, pandas first).
        """
        return report("frames").of_score(self, system, library)

    def format(self, width: int | None = None, score_only: bool = False) -> str:
        """All that is needed to cite the number, or the number alone.

        Parameters:
            width: digits after the point (default: four for a score from 0 to 1, else two).
            score_only: whether to leave out all but the number.
        """
        rates = [] if self.precision is None else [("P", self.precision), ("R", self.recall)]
        n = (4 if rates else 2) if width is None else width
        if score_only:
            return f"{self.score:.{n}f}"
        figures = [f"{name} = {value:.{n}f}" for name, value in [(self.name, self.score), *rates]]
        return "  ".join([*figures, self.signature])

    def __str__(self) -> str:
        return self.format()


def check_present(present: Bools) -> None:
    """Raises `InputError` if all references of a segment are absent."""
    absent = ~present.any(axis=0)
    if absent.any():
        raise InputError(
            f"segment {int(absent.argmax()) + 1} has no reference; at least one must hold more than"
            " white space"
        )


def check_corpus(hyps: Sequence[str], refs: Refs) -> tuple[list[str], list[list[str]]]:
    """Hypotheses, and references with "" for absent ones; `InputError` if they do not fit."""
    if any(isinstance(side, str) for side in (hyps, refs, *refs)):
        raise InputError(
            "a corpus is a sequence of hypotheses and one sequence of sentences per reference;"
            " a str was given in place of a sequence"
        )
    hyp_side, ref_sides = _checked("hypothesis", hyps), [_checked("reference", r) for r in refs]
    if not ref_sides:
        raise InputError("there are no references; at least one sequence of them is needed")
    for r, side in enumerate(ref_sides, 1):
        if len(side) != len(hyp_side):
            raise InputError(
                f"there are {len(hyp_side)} hypotheses, but reference {r} has {len(side)} segments;"
                " they must agree"
            )
    return hyp_side, ref_sides


def check_lists(hyps: Sequence[str], refs: Sequence[str | None]) -> tuple[list[str], list[str]]:
    """Hypotheses and references that need not fit each other, with "" for absent references."""
    return _checked("hypothesis", hyps), _checked("reference", refs)


def _checked(name: str, texts: Sequence[str | None]) -> list[str]:
    if isinstance(texts, str):
        raise InputError("a str was given in place of a sequence of sentences")
    side = ["" if text is None and name == "reference" else text for text in texts]
    if not side:
        raise InputError(f"there is no {name}; at least one is needed")
    for s, text in enumerate(side, 1):
        if not isinstance(text, str):
            raise InputError(f"{name} {s} is of type {type(text).__name__}; it must be a str")
    return cast(list[str], side)


@dataclass(frozen=True, slots=True)
class Stream:
    """Scores a corpus part by part, as it would be scored as a whole. Can be pickled.

    `scripts` says what becomes of each side, the hypotheses first, where the metric converts
    scripts; it was decided once, by the beginning of the corpus. If it `keeps` references, the next
    system is scored against them for less, at the cost of memory.
    """

    metric: Metric
    signature: str
    scripts: tuple[str, ...] = ()
    keeps: bool = True

    def __call__(self, hyps: Sequence[str], refs: Refs, progress: Progress | None = None) -> Score:
        """The next part."""
        return self.metric._score(self, *check_corpus(hyps, refs), progress)

    def explain(self, hyp: str, refs: Sequence[str | None]) -> SegmentExplanation:
        """One segment of the corpus, against each reference that is present."""
        present = [r for r, ref in enumerate(refs) if ref is not None and not is_blank(ref)]
        if not present:
            raise InputError("the segment has no reference; one must hold more than white space")
        against = tuple(self.metric._explain(self, hyp, str(refs[r]), r) for r in present)
        combine = self.metric.combine
        values = np.array([[(one.score, one.precision, one.recall)] for one in against])
        score, precision, recall = Segments(values, combine).figures[0].tolist()
        return SegmentExplanation(tuple(present), against, score, precision, recall, combine)


class Metric(ABC):
    """What every metric can do: score a corpus, hence a sentence, and say how it did so.

    A metric does not change once it is made, and threads may share it. Metrics are equal if their
    signatures are. A pickle holds the arguments of the constructor, the lexicon by name or path;
    loading it gives the same metric or raises an error.
    """

    higher_is_better = True
    combine = "mean"  # how the references of a segment make one score
    signature: str  # everything that can move a score, in one line
    run: Run

    def _freeze(self, given: dict[str, Any], **attributes: Any) -> None:
        # Called once, at the end of a constructor; `given` are the arguments that make it again.
        vars(self).update(attributes, _given=given)

    def __setattr__(self, name: str, *_: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} cannot be changed; make another one")

    __delattr__ = __setattr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.signature == other.signature

    def __hash__(self) -> int:
        return hash(self.signature)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        given = vars(self)["_given"] | asdict(self.run)
        return _made_again, (type(self), given, self.signature)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.signature}>"

    def get_signature(self) -> str:
        """The signature, by the name that the method has in sacreBLEU; a str, `signature` itself.

        That of a `Score` has the number of references, too.
        """
        return self.signature

    def with_run(self, **settings: Any) -> Self:
        """The same metric with other settings of `Run`: jobs, solver, time_limit, on_error."""
        made = object.__new__(type(self))
        vars(made).update(vars(self), run=replace(self.run, **settings))
        return made

    @abstractmethod
    def _score(
        self, stream: Stream, hyps: list[str], refs: list[list[str]], progress: Progress | None
    ) -> Score:
        """Checked texts of a corpus, or of a part of one, scored."""

    def _explain(self, stream: Stream, hyp: str, ref: str, r: int) -> Explanation | WordExplanation:
        """A hypothesis against reference `r` of its segment, which is not blank."""
        name = self.signature.partition("|")[0]
        raise OptionError(f"{name} has no links that could be explained")

    @property
    def explains(self) -> bool:
        """Whether the metric has links that can be explained."""
        return type(self)._explain is not Metric._explain

    def stream(self, hyps: Sequence[str] | None, refs: Refs) -> Stream:
        """What scores a corpus that begins in this way, part by part.

        The beginning should have 10,000 segments, if there are so many: then the scores are those
        of the whole corpus. If `hyps` is None, the hypotheses are not known yet.
        """
        return Stream(self, self.signature)

    def corpus_score(
        self, hyps: Sequence[str], refs: Refs, progress: Progress | None = None
    ) -> Score:
        """A system's output against one sequence of sentences per reference.

        A reference that is empty or None is absent; `progress` is told how many segments are done.
        """
        hyp_side, ref_sides = check_corpus(hyps, refs)
        return self._score(self.stream(hyp_side, ref_sides), hyp_side, ref_sides, progress)

    def sentence_score(self, hyp: str, refs: Sequence[str]) -> SegmentScore:
        """One hypothesis against its references."""
        if isinstance(refs, str):
            raise InputError("refs is a str; it must be a sequence of references")
        return self.corpus_score([hyp], [[ref] for ref in refs]).segments[0]

    def explain(self, hyp: str, ref: str) -> Explanation | WordExplanation:
        """Where the score of one hypothesis against one reference comes from."""
        if is_blank(ref):
            raise InputError("the reference is empty; it must hold more than white space")
        return self._explain(self.stream([hyp], [[ref]]), hyp, ref, 0)

    def pairwise(self, hyps: Sequence[str], refs: Sequence[str | None]) -> F64:
        """Every hypothesis against every reference by itself: one row a hypothesis.

        A column is NaN where the reference is absent: None, or nothing but white space. Where
        `on_error` is "skip", a value that is not proved is NaN, too.
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
                    part = self.corpus_score(
                        [hyp for hyp in some for _ in chosen],
                        [[ref_side[r] for _ in some for r in chosen]],
                    )
                except SentenceError as error:
                    row, column = divmod(error.sentence - 1, len(chosen))
                    place = chosen[column] if error.stream else rows.start + row
                    raise SentenceError(place + 1, error.what, error.stream) from None
                scores[rows, chosen] = part.segments.scores.reshape(len(some), len(chosen))
        return scores


def _made_again(kind: type[Metric], given: dict[str, Any], signature: str) -> Metric:
    # What a pickle calls.
    metric = kind(**given)
    if metric.signature != signature:
        theirs, ours = (
            next(iter(re.findall(r"\|lex:([^|]*)", text)), "none")
            for text in (signature, metric.signature)
        )
        if theirs != ours:
            raise LexiconError(
                f"the pickled metric was made with lexicon {theirs}, but here it is {ours}; both"
                " places must have the same file"
            )
        raise OptionError(
            f"the pickled metric has the signature {signature}, but made again here it has"
            f" {metric.signature}; both places must have the same versions of all packages"
        )
    return metric
