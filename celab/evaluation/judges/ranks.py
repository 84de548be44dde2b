"""Ranks of systems by a metric and by another judge, such as people: where the first system is.

Only systems that both have scored are ranked. Systems with equal scores share a rank, and a pair of
systems is ordered differently if each judge prefers another one of the two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from celab.base.frozen import dataclass
from celab.base.view.cells import p_text
from celab.base.view.phrases import Phrase

if TYPE_CHECKING:
    pass

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
        farthest: the system whose two ranks differ most, by more than one, unless it is one of the
            two; with it go its ranks by the metric and by the judge.
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
    farthest: tuple[str, int, int] | None = None
    disagreed: Sequence[tuple[int, str]] = ()

    @property
    def agrees(self) -> bool:
        """Whether no system is better than the metric's first by the judge."""
        return self.rank == 1

    @property
    def line(self) -> str:
        """The sentence for a terminal, which has the ranks of two systems, and no more."""
        if self.n_pairs == 1:
            return self.sentence
        judge = "people" if self.judge == PEOPLE else self.judge
        p = "" if self.p is None else f" (p {p_text(self.p)})"
        return (
            f"By {judge}, {self.judge_first} has rank 1 and {self.first} rank {self.rank}{p};"
            f" {self.metric} orders {self.n_apart} of {self.n_pairs} pairs differently."
        )

    @property
    def sentence(self) -> Phrase:
        """The sentence on the ranks for a page."""
        judge = Phrase("people") if self.judge == PEOPLE else self.judge
        counts = (str(self.n_apart), str(self.n_pairs))
        most: Phrase | str = ""
        if self.farthest is not None:
            farthest = "; {0} is farthest apart (rank {1} by {2}, {3} by {4})"
            system, own, theirs = self.farthest
            most = Phrase(farthest, system, str(own), self.metric, str(theirs), judge)
        if self.agrees:
            if not self.n_apart:
                return Phrase("{0} and {1} both rank {2} first.", self.metric, judge, self.first)
            return Phrase(
                "{0} and {1} both rank {2} first, and order {3} of {4} pairs of systems"
                " differently{5}.",
                *(self.metric, judge, self.first, *counts, most),
            )
        if self.n_pairs == 1:
            p = "" if self.p is None else Phrase(" (p {0})", p_text(self.p))
            return Phrase(
                "By {0}, {1} is ahead of {2}{3}; {4} orders the two the other way.",
                *(judge, self.judge_first, self.first, p, self.metric),
            )
        of_both = " (p {0} for the difference between these two)"
        p = "" if self.p is None else Phrase(of_both, p_text(self.p))
        ranks = (judge, self.judge_first, self.first, str(self.rank), p)
        return Phrase(
            "By {0}, {1} has rank 1 and {2} rank {3}{4}; {5} and {6} order {7} of {8} pairs of"
            " systems differently{9}.",
            *(*ranks, self.metric, judge, *counts, most),
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
    >>> print(ranks.sentence)
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
    ranks = {
        name: [1 + sum(values[x] > values[name] for x in systems) for values in (own, theirs)]
        for name in systems
    }
    farthest = max(systems, key=lambda name: abs(ranks[name][0] - ranks[name][1]))
    of_metric, of_judge = ranks[farthest]
    is_told = abs(of_metric - of_judge) < 2 or farthest in (first, judge_first)
    return RankComparison(
        *(*names, first, judge_first, rank, n_apart, len(pairs), rival),
        farthest=None if is_told else (farthest, of_metric, of_judge),
    )


def most_telling(compared: Sequence[RankComparison]) -> RankComparison | None:
    """Return the ranks to show first: those by people, or by a judge that has another first."""
    if not compared or compared[0].judge == PEOPLE:
        return next(iter(compared), None)
    return next((ranks for ranks in compared if not ranks.agrees), compared[0])
