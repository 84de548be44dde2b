"""Ranks of systems: by a metric and by another judge, such as people, and without some outputs.

Only systems that both have scored are ranked. Systems with equal scores share a rank, and a pair of
systems is ordered differently if each judge prefers another one of the two.

Without outputs that are not translations, each system keeps the segments of which it has one, as in
the line that a terminal shows about its outputs, so the scores are not of the same segments.
Segments whose references are copies are left out for all systems.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import isnan
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from celab.base.frozen import dataclass
from celab.base.view.cells import Phrase, p_text

if TYPE_CHECKING:
    from celab.evaluation.checks.outputs import Outputs
    from celab.evaluation.references import References
    from celab.metrics.scores import Score

PEOPLE = "human"  # the judge of `--human`


@dataclass(frozen=True, slots=True)
class RankComparison:
    """The first system by a metric and the first by another judge.

    Attributes:
        metric, judge: usual names of both.
        first, judge_first: the system with the best score by each; equal if the judge prefers no
            other to the metric's first.
        rank: the rank of `first` by the judge.
        n_apart: number of pairs of systems that both order differently.
        n_pairs: number of all pairs.
        rival: the system that `judge_first` is compared with: `first` or, if they are the same,
            the next one by the judge.
        p: of the difference between these two by the judge; None if it is not tested.
        least_p: the least p that the test gives.
        disagreed: places of segments on which both disagree most, from 0, each with the system
            that the metric prefers there.
    """

    metric: str
    judge: str
    first: str
    judge_first: str
    rank: int
    n_apart: int
    n_pairs: int
    rival: str = ""
    p: float | None = None
    disagreed: Sequence[tuple[int, str]] = ()
    least_p: float = 0.0
    _omitted: ClassVar = frozenset({"least_p"})

    @property
    def agrees(self) -> bool:
        """Whether no system is better than the metric's first by the judge."""
        return self.rank == 1

    @property
    def line(self) -> str:
        """The sentence for a terminal, which has the ranks of two systems, and no more."""
        judge = "people" if self.judge == PEOPLE else self.judge
        p = "" if self.p is None else f" (p {p_text(self.p, self.least_p)})"
        if self.n_pairs == 1:
            return (
                f"By {judge}, {self.judge_first} is ahead of {self.first}{p}; {self.metric} orders"
                " the two the other way."
            )
        return (
            f"By {judge}, {self.judge_first} has rank 1 and {self.first} rank {self.rank}{p};"
            f" {self.metric} orders {self.n_apart} of {self.n_pairs} pairs differently."
        )


def compare_ranks(
    names: tuple[str, str],
    metric: Mapping[str, float],
    judge: Mapping[str, float],
    *,
    higher_is_better: tuple[bool, bool] = (True, True),
) -> RankComparison | None:
    """Return the ranks of systems by both, without a p-value; None unless two systems are ranked.

    Parameters:
        names: usual names of the metric and of the judge.
        metric, judge: scores of systems.
        higher_is_better: of the metric and of the judge.

    >>> ranks = compare_ranks(("chrF2", "human"), {"A": 50, "B": 40}, {"A": 80, "B": 90})
    >>> print(ranks.line)
    By people, B is ahead of A; chrF2 orders the two the other way.
    """
    systems = [name for name in metric if name in judge]
    if len(systems) < 2:
        return None
    signs = [1 if is_higher else -1 for is_higher in higher_is_better]
    own = {name: signs[0] * metric[name] for name in systems}
    theirs = {name: signs[1] * judge[name] for name in systems}
    first = max(systems, key=own.__getitem__)
    rank = 1 + sum(theirs[name] > theirs[first] for name in systems)
    pairs = list(combinations(systems, 2))
    n_apart = sum((own[x] - own[y]) * (theirs[x] - theirs[y]) < 0 for x, y in pairs)
    judge_first = first if rank == 1 else max(systems, key=theirs.__getitem__)
    others = [name for name in systems if name != first]
    rival = first if rank > 1 else max(others, key=theirs.__getitem__)
    return RankComparison(*names, first, judge_first, rank, n_apart, len(pairs), rival)


def most_telling(compared: Sequence[RankComparison]) -> RankComparison | None:
    """Return the ranks to show first: those by people, or by a judge that has another first."""
    if not compared or compared[0].judge == PEOPLE:
        return next(iter(compared), None)
    return next((ranks for ranks in compared if not ranks.agrees), compared[0])


def non_translations(number: int) -> Phrase:
    """Return a number of outputs that are not translations.

    >>> non_translations(1), non_translations(2)
    ('1 output that is not a translation', '2 outputs that are not translations')
    """
    if number == 1:
        return Phrase("1 output that is not a translation")
    return Phrase("{0} outputs that are not translations", str(number))


@dataclass(frozen=True, slots=True)
class TranslationRanks:
    """Ranks of systems by one metric, with all outputs and with translations alone.

    Attributes:
        counts: number of outputs that are not translations, of each system that has any.
        scores: for each system that has such outputs, its score without them.
        moved: for each system, by how many ranks it is higher without them.
        passes: pairs of systems, of which the first is behind the second with all outputs and ahead
            of it without them, the best first.
    """

    counts: dict[str, int]
    scores: dict[str, float]
    moved: dict[str, int]
    passes: tuple[tuple[str, str], ...]

    @property
    def n_outputs(self) -> int:
        """Number of outputs of all systems that are not translations."""
        return sum(self.counts.values())

    @property
    def sentence(self) -> Phrase:
        """The sentence on the ranks, with and without those outputs."""
        outputs = non_translations(self.n_outputs)
        if not self.passes:
            return Phrase("Without {0}, every system keeps its rank.", outputs)
        first, second = self.passes[0]
        n_more = len(self.passes) - 1
        if not n_more:
            return Phrase("Without {0}, {1} passes {2}.", outputs, first, second)
        if n_more == 1:
            pattern = "Without {0}, {1} passes {2}, and another pair of systems changes places."
            return Phrase(pattern, outputs, first, second)
        return Phrase(
            "Without {0}, {1} passes {2}, and {3} other pairs of systems change places.",
            *(outputs, first, second, str(n_more)),
        )


def translation_ranks(scores: Mapping[str, Score], outputs: Outputs) -> TranslationRanks | None:
    """Return the ranks by one metric without outputs that are not translations; None if all are.

    A system without any translation keeps its score.
    """
    if not outputs.n_flagged or len(scores) < 2:
        return None
    sign = 1 if next(iter(scores.values())).higher_is_better else -1
    counts = outputs.flagged.count("system")
    without = {
        system: score.of_segments(outputs.translations(system))
        for system, score in scores.items()
        if counts[system]
    }
    without = {system: score for system, score in without.items() if not isnan(score)}
    before = {system: sign * score.score for system, score in scores.items()}
    after = before | {system: sign * score for system, score in without.items()}
    orders = [sorted(scores, key=values.__getitem__, reverse=True) for values in (before, after)]
    passes = tuple(
        (x, y)
        for x, y in combinations(orders[1], 2)
        if before[x] < before[y] and after[x] > after[y]
    )
    moved = {system: orders[0].index(system) - orders[1].index(system) for system in scores}
    return TranslationRanks(dict(counts), without, moved, passes)


@dataclass(frozen=True, slots=True)
class RankWithoutCopies:
    """A system whose outputs are in references, and its rank by one metric.

    Attributes:
        system: the system with the most copies.
        n_copies: number of segments whose reference is a copy or a close edit of its output.
        n_segments: number of all segments.
        rank: its rank with all segments.
        rank_without: its rank without the copies of any system; None if no segment is left.
    """

    system: str
    n_copies: int
    n_segments: int
    rank: int
    rank_without: int | None

    @property
    def sentence(self) -> Phrase:
        """The sentence on the rank of the system, with and without the copies."""
        copies = Phrase(
            "{0} of {1} references are copies or close edits of outputs of {2}",
            *(str(self.n_copies), str(self.n_segments), self.system),
        )
        if self.rank_without is None:
            return Phrase("{0}.", copies)
        if self.rank_without == self.rank:
            return Phrase("{0}; without them it keeps rank {1}.", copies, str(self.rank))
        pattern = "{0}; without them it has rank {1} instead of {2}."
        return Phrase(pattern, copies, str(self.rank_without), str(self.rank))


def rank_without_copies(
    scores: Mapping[str, Score], noticed: References, n_segments: int
) -> RankWithoutCopies | None:
    """Return the rank by one metric of the system that most references were made from, or None."""
    if not noticed.copies or len(scores) < 2:
        return None
    places: dict[str, set[int]] = {}
    for row in noticed.copies:
        places.setdefault(row.system, set()).update(row.places)
    system = max(places, key=lambda name: len(places[name]))
    left = np.setdiff1d(np.arange(n_segments), noticed.copied_places)
    before = {name: score.score for name, score in scores.items()}
    after = {name: score.of_segments(left) for name, score in scores.items()} if len(left) else None
    sign = 1 if scores[system].higher_is_better else -1

    def rank(values: Mapping[str, float]) -> int:
        return 1 + sum(sign * value > sign * values[system] for value in values.values())

    return RankWithoutCopies(
        system=system,
        n_copies=len(places[system]),
        n_segments=n_segments,
        rank=rank(before),
        rank_without=None if after is None else rank(after),
    )
