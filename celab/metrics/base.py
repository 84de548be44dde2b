"""Scores of segments and systems, and the base class of all metrics.

System scores follow from a matrix of segment statistics, one row per segment, so resampling works
on the matrix and never sees a sentence.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self, cast, overload

import numpy as np

from celab._native.digests import add_digests
from celab.analysis.model import SentenceError
from celab.base.arrays import F64, I64, U64, Bools
from celab.base.errors import InputError, LexiconError, OptionError, SolverError
from celab.base.result import Shown, plain, report
from celab.base.run import Run, batches
from celab.base.signature import Signature
from celab.base.text.japanese import warn_if_japanese
from celab.base.text.tokens import is_blank
from celab.metrics.explanation import SegmentExplanation
from celab.metrics.registry import digits_of, title_of
from celab.statistics.means import mean_along, mean_of
from celab.statistics.resampling import Aggregate, mean

if TYPE_CHECKING:
    from celab.exact.weights import Table
    from celab.metrics.explanation import AnyExplanation


Progress = Callable[[int], object]  # called with the number of segments done
AllProgress = Callable[[str, int], object]  # called with a system, and its segments done
Refs = Sequence[Sequence[str | None]]  # one sequence of sentences per reference
_MOST_PAIRS = 1024  # pairs of a matrix scored at once


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

    With `combine="max"` it is the best instead, and of equal scores that with the greatest
    precision, then recall. `precision` and `recall` are None if the metric has none, and
    `references` is empty if the metric takes all references at once.

    Attributes:
        score, precision, recall: the values of the segment.
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
    """The segment scores of a system, stored as arrays and returned as `SegmentScore`s.

    `values[r, s]` holds score, precision and recall of segment `s` against reference `r`, and
    `present[r, s]` says whether there is one. `scored[s]` is false if the segment was skipped,
    because no optimum was proved. `figures[s]` has the segment's own score, precision and recall.
    Values of absent references and skipped segments are NaN. A metric that takes all references at
    once (`combine` is "all") has one `r`, and only a score.
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
        one = len(values) == 1
        combined = _only if one else _best if combine == "max" else _mean
        self.figures: F64 = combined(self.values, self.present)
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
            )
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

    def __reduce__(self) -> tuple[Any, ...]:  # without the figures, which follow from the rest
        return Segments, (self.values, self.combine, self.present, self.scored)

    __hash__ = None  # type: ignore[assignment]  # compared by content, and arrays have no hash

    def to_dict(self) -> dict[str, Any]:
        """`combine` and a list of segments."""
        return {"combine": self.combine, "segments": [one.to_dict() for one in self]}

    def __repr__(self) -> str:
        skipped = f", {n} skipped" if (n := int((~self.scored).sum())) else ""
        return f"<{len(self)} segments, {len(self.values)} reference(s){skipped}>"


def _only(values: F64, present: Bools) -> F64:
    # Those of the only reference.
    return np.asarray(values[0], np.float64)


def _mean(values: F64, present: Bools) -> F64:
    # The mean over the references that a segment has.
    return mean_along(values, present[:, :, None])


def _best(values: F64, present: Bools) -> F64:
    # The values of the reference that scores best; of equal scores, that with the greatest further
    # values, so that the order of the references does not matter.
    best = present
    for column in np.moveaxis(values, 2, 0):
        greatest = np.max(np.where(best, column, -np.inf), axis=0)
        best = best & (column == greatest)
    return np.asarray(values[best.argmax(axis=0), np.arange(values.shape[1])], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Score(Shown):
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
        higher_is_better: false for TER.
        digests: one number per segment, which its references determine in any order; None if
            they are not known.

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
    signature: Signature
    n_references: int  # how many reference streams were given
    statistics: F64 = field(repr=False, compare=False)
    aggregate: Aggregate = field(default=mean, repr=False, compare=False)
    higher_is_better: bool = field(default=True, repr=False)
    digests: U64 | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "signature", Signature.of(self.signature))  # of one made by hand

    @classmethod
    def of(cls, segments: Segments, signature: Signature, n_references: int | None = None) -> Score:
        """The mean of the segments; adds the number of references to the metric's signature.

        A metric that takes all references at once says how many there are.
        """
        check_present(segments.present)
        rows = segments.figures[segments.scored]
        score, *rates = map(mean_of, rows.T)
        precision, recall = rates or (None, None)
        n_references = n_references or len(segments.values)
        signature = Signature.of(signature).having("refs", n_references, first=True)
        if n_skipped := int((~segments.scored).sum()):
            signature = signature.having("skipped", n_skipped)
        statistics = segments.figures[:, :1]
        return cls(score, precision, recall, segments, signature, n_references, statistics)

    @classmethod
    def joined(cls, scores: Sequence[Score]) -> Score:
        """The score of a corpus, from the scores of its parts in order."""
        known = [score.digests for score in scores if score.digests is not None]
        digests = np.concatenate(known) if len(known) == len(scores) else None
        return replace(cls._joined(scores), digests=digests)

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
        score = float(first.aggregate(statistics.sum(axis=0), len(statistics)))
        signature = first.signature
        if len(signatures) > 1:  # sacreBLEU counts the references of the segments
            signature = signature.having("nrefs", "var")
        return replace(
            first, score=score, segments=segments, signature=signature, statistics=statistics
        )

    @property
    def name(self) -> str:
        """Display name of the metric."""
        return title_of(self.signature.name)

    @property
    def digits(self) -> int:
        """Number of decimals to show."""
        return digits_of(self.signature.name)

    def of_segments(self, chosen: I64) -> float:
        """The score of some of the segments, a document's for instance; NaN if all are skipped."""
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

    def to_dict(self) -> dict[str, Any]:
        """Score, precision, recall, signature, digest of the test set and a list of segments."""
        return dict(
            plain(
                {
                    "metric": self.name,
                    "score": self.score,
                    "precision": self.precision,
                    "recall": self.recall,
                    "signature": self.signature,
                    "n_references": self.n_references,
                    "n_skipped": self.n_skipped,
                    "higher_is_better": self.higher_is_better,
                    "test_set": self.test_set,
                    "segments": list(self.segments),
                }
            )
        )

    def to_dataframe(self, system: str = "hypothesis", library: str | None = None) -> Any:
        """One row per segment: system, segment (from 1), score, precision, recall.

        Parameters:
            system: value of the column `system`.
            library: "pandas" or "polars" (default: the one that is installed, pandas first).
        """
        return report("frames").of_score(self, system, library)

    def format(self, width: int | None = None, score_only: bool = False) -> str:
        """Score, precision, recall and signature as one line, or only the score.

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
    """Raises `InputError` if all references of a segment are absent."""
    absent = ~present.any(axis=0)
    if absent.any():
        raise InputError(
            f"segment {int(absent.argmax()) + 1} has no reference; at least one must contain text"
        )


def check_corpus(hyps: Sequence[str], refs: Refs) -> tuple[list[str], list[list[str]]]:
    """Hypotheses, and references with "" for absent ones; `InputError` if they do not fit."""
    if any(isinstance(side, str) for side in (hyps, refs, *refs)):
        flat = not isinstance(hyps, str) and not isinstance(refs, str) and len(refs) == len(hyps)
        flat = flat and all(isinstance(ref, str | None) for ref in refs)
        raise InputError(
            "a corpus is a sequence of hypotheses and one sequence of sentences per reference;"
            f" a str was given in place of a sequence{'; for one reference, pass [refs]' * flat}"
        )
    hyp_side, ref_sides = _checked("hypothesis", hyps), [_checked("reference", r) for r in refs]
    if not ref_sides:
        raise InputError("no references given; at least one sequence is needed")
    for r, side in enumerate(ref_sides, 1):
        if len(side) != len(hyp_side):
            raise InputError(
                f"there are {len(hyp_side)} hypotheses, but reference {r} has {len(side)} segments;"
                f" they must agree{_turned(len(hyp_side), ref_sides)}"
            )
    return hyp_side, ref_sides


def _turned(n_segments: int, refs: list[list[str]]) -> str:
    # What to do if there is a list for each segment, where each reference should have one. It is
    # asked for only if the lengths are wrong: with as many references as segments, the shape says
    # nothing.
    if len(refs) != n_segments:
        return ""
    same = len(set(map(len, refs))) == 1
    transposed = "list(zip(*refs))" if same else "list(itertools.zip_longest(*refs))"
    return (
        "; refs must be one list per reference, and these look like one list per segment: pass"
        f" {transposed}"
    )


def check_sentence(hyp: object, refs: object) -> None:
    """Raises `InputError` unless there are one sentence and a sequence of its references."""
    if isinstance(refs, str):
        raise InputError("refs is a str; it must be a sequence of references, such as [refs]")
    if not isinstance(hyp, str):
        raise InputError(
            f"hyp is of type {type(hyp).__name__}; it must be a str; corpus_score takes several"
        )
    sides = list(refs) if isinstance(refs, Iterable) else [refs]
    lengths = [
        len(side) if isinstance(side, Sequence) and not isinstance(side, str) else None
        for side in sides
    ]
    if set(lengths) <= {None}:
        return
    right = "pass one str per reference"
    if None not in lengths and len(sides) == 1:
        right = "pass refs[0]"
    elif set(lengths) == {1}:
        right = "pass [ref[0] for ref in refs]"
    raise InputError(f"refs has a list in place of a reference; for one sentence, {right}")


def _digests(refs: list[list[str]]) -> U64:
    # Added up, because the order of the references changes no score.
    digests = np.zeros(len(refs[0]), np.uint64)
    for side in refs:
        add_digests(digests, side)
    digests.flags.writeable = False
    return digests


def check_lists(hyps: Sequence[str], refs: Sequence[str | None]) -> tuple[list[str], list[str]]:
    """Hypotheses and references that need not fit each other, with "" for absent references."""
    return _checked("hypothesis", hyps), _checked("reference", refs)


def _checked(name: str, texts: Sequence[str | None]) -> list[str]:
    if isinstance(texts, str):
        raise InputError("a str was given in place of a sequence of sentences")
    side = list(texts)
    if set(map(type, side)) == {str}:  # nothing to look for
        return cast(list[str], side)
    side = ["" if text is None and name == "reference" else text for text in side]
    if not side:
        raise InputError(f"no {name} given; at least one is needed")
    for s, text in enumerate(side, 1):
        if not isinstance(text, str):
            raise InputError(f"{name} {s} is of type {type(text).__name__}; it must be a str")
    return cast(list[str], side)


@dataclass(frozen=True, slots=True)
class Stream:
    """Scores a corpus part by part, with the same result as in one piece. Can be pickled.

    With `keeps`, references stay in memory, so that the next system is scored faster. `table` has
    the weights of tokens that the references decide. A metric of several parts has a stream for
    each (`views`).
    """

    metric: Metric
    signature: Signature
    keeps: bool = True
    table: Table | None = None
    views: tuple[Stream, ...] = ()

    def __call__(self, hyps: Sequence[str], refs: Refs, progress: Progress | None = None) -> Score:
        """The next part."""
        hyp_side, ref_sides = check_corpus(hyps, refs)
        score = self.metric._score(self, hyp_side, ref_sides, progress)
        return replace(score, digests=_digests(ref_sides))

    def explain(self, hyp: str, refs: Sequence[str | None]) -> SegmentExplanation:
        """One segment of the corpus, against each reference that is present."""
        is_reference = self.metric.is_reference
        present = [r for r, ref in enumerate(refs) if ref is not None and is_reference(ref)]
        if not present:
            raise InputError("the segment has no reference; at least one must contain text")
        against = tuple(self.metric._explain(self, hyp, str(refs[r]), r) for r in present)
        combine = self.metric.combine
        values = np.array([[(one.score, one.precision, one.recall)] for one in against])
        score, precision, recall = Segments(values, combine).figures[0].tolist()
        return SegmentExplanation(tuple(present), against, score, precision, recall, combine)


class Metric(ABC):
    """Base class of all metrics: scores a corpus or a sentence, and explains the score.

    A metric does not change once it is made, and threads may share it. Metrics are equal if their
    signatures are. A pickle holds the arguments of the constructor, the lexicon by name or path;
    loading it gives the same metric or raises an error.
    """

    name: ClassVar[str]  # in the registry, in signatures and on the command line
    higher_is_better = True
    combine = "mean"  # how the references of a segment make one score
    scale = 1  # the score of identical text
    lang: str | None = None  # language of the texts; None if there may be any
    signature: Signature  # everything that can change a score, in one line
    run: Run

    def _freeze(self, given: dict[str, Any], **attributes: Any) -> None:
        # Called once, at the end of a constructor; `given` are its arguments, for pickling.
        vars(self).update(attributes, _given=given)

    def __setattr__(self, name: str, *_: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} cannot be changed; create a new one")

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
        return _unpickle, (type(self), given, self.signature)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.signature}>"

    @property
    def _language(self) -> str | None:
        # The language that texts are read as; None if the metric treats all alike.
        return self.lang

    def _doubt(self, systems: Sequence[list[str]], refs: list[list[str]]) -> None:
        # Warns before systems are scored if their score may not be what is meant.
        warn_if_japanese(self._language, *systems, *refs)

    def get_signature(self) -> str:
        """The signature as a str, as with sacreBLEU's method of this name.

        The signature of a `Score` also has the number of references.
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
        """Scores checked texts of a corpus or of a part of one."""

    def _scores(
        self,
        systems: Mapping[str, list[str]],
        refs: list[list[str]],
        progress: AllProgress | None,
    ) -> list[Score]:
        # Checked texts of all systems. An error says which system it is about.
        scores = []
        for name, hyps in systems.items():
            tell = None if progress is None else partial(progress, name)
            try:
                scores.append(self._score(self.stream(refs), hyps, refs, tell))
            except SentenceError as error:
                error.system = name
                raise
            except SolverError as error:
                raise error.within(name) if len(systems) > 1 else error from None
        return scores

    def _explain(self, stream: Stream, hyp: str, ref: str, r: int) -> AnyExplanation:
        """A hypothesis against reference `r` of its segment, which is not blank."""
        raise OptionError(f"{self.signature.name} has no links to explain")

    @classmethod
    def can_explain(cls) -> bool:
        """Whether metrics of this class have links that can be explained."""
        return cls._explain is not Metric._explain

    @property
    def explains(self) -> bool:
        """Whether the metric has links that can be explained."""
        return self.can_explain()

    @property
    def looks_at_references(self) -> bool:
        """Whether a score depends on all references of a corpus, as by `weights="references"`."""
        return False

    def is_reference(self, text: str) -> bool:
        """Whether a text counts as a reference; one that does not is absent."""
        return not is_blank(text)

    def stream(self, refs: Refs) -> Stream:
        """A `Stream` that scores, part by part, a corpus whose references begin with these.

        A metric that looks at the references of a corpus looks at these: give the first 10,000
        segments, or all if there are fewer. Others ignore them.
        """
        return Stream(self, self.signature)

    def corpus_score(
        self, hyps: Sequence[str], refs: Refs, progress: Progress | None = None
    ) -> Score:
        """Scores a system's output against one sequence of sentences per reference.

        A reference that is blank or None is absent. `progress` is called with the number of
        segments done.
        """
        hyp_side, ref_sides = check_corpus(hyps, refs)
        self._doubt([hyp_side], ref_sides)
        score = self._score(self.stream(ref_sides), hyp_side, ref_sides, progress)
        return replace(score, digests=_digests(ref_sides))

    @overload
    def corpus_scores(
        self, systems: Mapping[str, Sequence[str]], refs: Refs, progress: AllProgress | None = None
    ) -> dict[str, Score]: ...
    @overload
    def corpus_scores(
        self, systems: Sequence[Sequence[str]], refs: Refs, progress: AllProgress | None = None
    ) -> list[Score]: ...
    def corpus_scores(
        self,
        systems: Mapping[str, Sequence[str]] | Sequence[Sequence[str]],
        refs: Refs,
        progress: AllProgress | None = None,
    ) -> dict[str, Score] | list[Score]:
        """Scores the outputs of several systems against the same references.

        The scores are those of `corpus_score`, but TESLA-CELAB takes less time for all systems
        together than for one after the other.

        Parameters:
            systems: a mapping from names to sequences of sentences, or a sequence of such
                sequences.
            refs: one sequence of sentences per reference.
            progress: called with the name of a system (in a sequence its number, from "1") and the
                number of its segments that are done.

        Returns a dict for a mapping, else a list.

        >>> import celab
        >>> celab.TeslaCelab().corpus_scores({"A": ["买伞"], "B": ["卖"]}, [["买雨伞"]])["A"].score
        1.0
        """
        if isinstance(systems, str) or not systems:
            raise InputError("no systems given; a mapping or a sequence of systems is needed")
        if isinstance(systems, Mapping):
            given = dict(systems)
        else:
            given = {str(k): hyps for k, hyps in enumerate(systems, 1)}
        sides, ref_sides = {}, None
        for name, hyps in given.items():
            try:
                sides[name], ref_sides = check_corpus(hyps, ref_sides or refs)
            except InputError as error:
                raise InputError(f"system {name!r}: {error}") from None
        self._doubt([*sides.values()], ref_sides or [])
        digests = _digests(ref_sides or [])
        scores = [
            replace(score, digests=digests)
            for score in self._scores(sides, ref_sides or [], progress)
        ]
        return dict(zip(given, scores, strict=True)) if isinstance(systems, Mapping) else scores

    def sentence_score(self, hyp: str, refs: Sequence[str]) -> SegmentScore:
        """Scores one hypothesis against its references."""
        check_sentence(hyp, refs)
        hyps, sides = check_corpus([hyp], [[ref] for ref in refs])
        self._doubt([hyps], sides)
        return self._score(self.stream(sides), hyps, sides, None).segments[0]

    def explain(self, hyp: str, ref: str) -> AnyExplanation:
        """Explains the score of one hypothesis against one reference."""
        if is_blank(ref):
            raise InputError("the reference is blank; it must contain text")
        if not self.is_reference(ref):
            raise InputError("the reference weighs nothing: all its tokens have weight 0")
        warn_if_japanese(self._language, [hyp, ref])
        return self._explain(self.stream([[ref]]), hyp, ref, 0)

    def pairwise(self, hyps: Sequence[str], refs: Sequence[str | None]) -> F64:
        """Scores every hypothesis (rows) against every single reference (columns).

        A column is NaN if the reference is absent. With `on_error="skip"`, a value that is
        not proved is NaN, too.
        """
        hyp_side, ref_side = check_lists(hyps, refs)
        present = [r for r, text in enumerate(ref_side) if self.is_reference(text)]
        scores = np.full((len(hyp_side), len(ref_side)), np.nan)
        stream = self.stream([ref_side])  # of all references, whatever batch they are in
        # Columns outside, so that a metric that keeps its references can use them again.
        for columns in batches(len(present), _MOST_PAIRS):
            chosen = present[columns]
            for rows in batches(len(hyp_side), max(1, _MOST_PAIRS // len(chosen))):
                some = hyp_side[rows]
                try:
                    part = stream(
                        [hyp for hyp in some for _ in chosen],
                        [[ref_side[r] for _ in some for r in chosen]],
                    )
                except SentenceError as error:
                    row, column = divmod(error.sentence - 1, len(chosen))
                    place = chosen[column] if error.stream else rows.start + row
                    raise SentenceError(place + 1, error.what, error.stream) from None
                scores[rows, chosen] = part.segments.scores.reshape(len(some), len(chosen))
        return scores


def _unpickle(kind: type[Metric], given: dict[str, Any], signature: Signature) -> Metric:
    # Called by pickle.
    metric = kind(**given)
    if metric.signature != signature:
        theirs, ours = (s.part("lex") or "none" for s in (signature, metric.signature))
        if theirs != ours:
            raise LexiconError(
                f"the pickled metric was made with lexicon {theirs}, but here it is {ours};"
                " use the same file in both places"
            )
        raise OptionError(
            f"the pickled metric has the signature {signature}, but here it has"
            f" {metric.signature}; use the same package versions in both places"
        )
    return metric
