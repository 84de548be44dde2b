"""The mean of several metrics: of score, precision and recall against each reference.

The parts are views of one pair of sentences, such as letters and compound parts for German. Each
scores and explains as it does alone.

>>> from celab.metrics.celab import TeslaCelab
>>> letters, words = (TeslaCelab(lang="en", tokenize=t, lexicon=None) for t in ("letter", "space"))
>>> metric = Mean([letters, words])
>>> round(metric.sentence_score("an umbrella", ["the umbrella"]).score, 4)
0.5251
>>> metric.signature.startswith("mean|(celab|lang:en|n:6|f:0.25|tok:letter|")
True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Self, cast

import numpy as np

from celab.base.arguments import Arguments
from celab.base.arrays import F64
from celab.base.errors import OptionError
from celab.base.options import complete, copy_with, is_list, option
from celab.base.run import OnError, Progress, RunOptions, Solver, split
from celab.base.signature import Signature
from celab.base.text.sequences import Refs, items_of, texts_of
from celab.base.version import __version__
from celab.metrics.base import Metric, Scorer
from celab.metrics.explaining.explanation import MeanExplanation
from celab.metrics.scores import Score, Segments
from celab.statistics.resampling import mean_along


@dataclass(frozen=True, slots=True)
class MeanScorer(Scorer):
    """Scores by the scorers of the parts."""

    parts: tuple[Scorer, ...]

    def _score_systems(
        self, systems: Mapping[str, list[str]], refs: list[list[str]], progress: Progress | None
    ) -> list[Score]:
        shares = split(progress, len(systems) * len(refs[0]), [1] * len(self.parts))
        by_part = [
            part._score_systems(systems, refs, share)
            for part, share in zip(self.parts, shares, strict=True)
        ]
        return [
            Score.of(_mean([score.segments for score in scores]), self.signature)
            for scores in zip(*by_part, strict=True)
        ]

    def _explain(self, hyp: str, ref: str, n_what_if: int | None = None) -> MeanExplanation:
        parts = tuple(part._explain(hyp, ref, n_what_if) for part in self.parts)
        figures = mean_along([np.array([p.score, p.precision, p.recall]) for p in parts])
        score, precision, recall = figures.tolist()
        return MeanExplanation(parts, score, precision, recall, self.metric.signature)

    def synonyms(self, sides: Iterable[Sequence[str]]) -> list[set[str]]:
        """Return the groups of all parts."""
        sides = [*sides]
        return [group for part in self.parts for group in part.synonyms(sides)]

    def _pairwise(self, hyps: list[str], refs: list[str]) -> F64:
        return mean_along([part._pairwise(hyps, refs) for part in self.parts])


@dataclass(frozen=True, kw_only=True, eq=False, repr=False, init=False)
class Mean(Metric, RunOptions):
    """The mean of several metrics, which is a metric like any other.

    The options apply to all parts; their defaults are those of the first part.

    >>> import celab
    >>> parts = [celab.TeslaCelab(lexicon=None, max_order=n) for n in (1, 2)]
    >>> round(celab.Mean(parts).sentence_score("买伞", ["买雨伞"]).score, 4)
    0.5745
    """

    name = "mean"
    scorer_class = MeanScorer
    metrics: tuple[Metric, ...] = option(
        (), "the parts, TeslaCelab or TeslaM, all for the same language", positional=True
    )

    def __init__(
        self,
        metrics: Sequence[Metric],
        *,
        jobs: int | None = None,
        solver: Solver | None = None,
        time_limit: float | None = None,
        on_error: OnError | None = None,
    ) -> None:
        explicit = {"jobs": jobs, "solver": solver, "time_limit": time_limit, "on_error": on_error}
        settings: Arguments = {k: value for k, value in explicit.items() if value is not None}
        # A value that is not a list is checked, and refused, as a part.
        parts = cast("tuple[Metric, ...]", tuple(metrics) if is_list(metrics) else (metrics,))
        if not parts:
            raise OptionError("no metric is given; give at least one, such as celab.TeslaCelab()")
        for number, part in enumerate(parts, 1):
            _check(part, f"part {number}")
        langs = {part.language: None for part in parts if part.language is not None}
        if len(langs) > 1:
            raise OptionError(
                f"the parts are for different languages: {', '.join(langs)}; give all the same lang"
            )
        run = replace(parts[0].run, **settings)
        parts = tuple(part.with_run(**asdict(run)) for part in parts)
        explained_by = "links" if all(part.explained_by for part in parts) else ""
        complete(self, **asdict(run), metrics=parts, run=run, explained_by=explained_by)

    @property
    def parts(self) -> tuple[Metric, ...]:
        """The metrics that the mean is taken of."""
        return self.metrics

    @cached_property
    def signature(self) -> Signature:
        """The signatures of the parts, each in brackets."""
        return _join_signatures(part.signature for part in self.parts)

    @property
    def language(self) -> str | None:
        """Language of the texts; None if there may be any."""
        return next((part.language for part in self.parts if part.language is not None), None)

    @property
    def assumed_language(self) -> str | None:
        """Language that texts are taken for by the first part that does so."""
        return next(filter(None, (part.assumed_language for part in self.parts)), None)

    def with_run(self, **settings: Any) -> Self:
        """Return a copy with other settings of `Run`: jobs, solver, time_limit, on_error."""
        return copy_with(type(self)(self.parts, **settings), signature=self.signature)

    @property
    def depends_on_references(self) -> bool:
        """Whether a part looks at all references of a corpus."""
        return any(part.depends_on_references for part in self.parts)

    def is_reference(self, text: str) -> bool:
        """Return whether a text counts as a reference for all parts."""
        return all(part.is_reference(text) for part in self.parts)

    def scorer(self, refs: Refs, cache_references: bool = True) -> MeanScorer:
        """Return a `Scorer` for a corpus whose references begin with these."""
        if self.depends_on_references:  # a list, because every part reads it
            refs = [texts_of(side, "reference", absent=True) for side in items_of(refs, "refs")]
        parts = tuple(part.scorer(refs, cache_references) for part in self.parts)
        signature = _join_signatures(part.signature for part in parts)
        return MeanScorer(self, signature.with_label(self.signature.label), parts)


def _mean(parts: Sequence[Segments]) -> Segments:
    values = mean_along([part.values for part in parts])
    present, scored = (
        np.logical_and.reduce([getattr(part, name) for part in parts])
        for name in ("present", "scored")
    )
    return Segments(values, parts[0].combine, present, scored)


def _check(part: object, place: str) -> None:
    if not isinstance(part, Metric):
        raise OptionError(
            f"{place} is of type {type(part).__name__}; it must be a metric, such as"
            " celab.TeslaCelab()"
        )
    name = part.signature.name
    if isinstance(part, Mean):
        raise OptionError(f"{place} is a mean itself; give its parts instead")
    if part.scale != 1:
        raise OptionError(
            f"{place} is {name}, which is on a scale of 0 to {part.scale}; all parts must have"
            " scores from 0 to 1, as TESLA-CELAB and TESLA-M do"
        )
    if part.combine != "mean":
        raise OptionError(
            f"{place} is {name} with combine={part.combine!r}; all parts must have combine='mean'"
        )


def _join_signatures(signatures: Iterable[Signature]) -> Signature:
    # Each part in brackets, and the version once.
    parts = "+".join(f"({signature.without('v')})" for signature in signatures)
    return Signature(Mean.name, [("", parts), ("v", __version__)])
