"""Scores, judge by system by segment, and comparisons of all systems.

Systems are compared judge by judge on one shared set of resamples (`celab.statistics`); a system
may be better than another by one judge and not by the next.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from celab.base.arrays import F64, I64, Strings
from celab.base.errors import LONGER, InputError, OptionError, SolverError
from celab.corpus import Segment
from celab.evaluation.checks.outputs import Outputs
from celab.evaluation.checks.screening import Lengths
from celab.metrics.judge_score import check_comparable, is_testable
from celab.metrics.scores import Score
from celab.statistics import resampling, significance
from celab.statistics.difference import EXACT, NO_VERDICT, SIGNIFICANT, Difference
from celab.statistics.significance import Test, check_test, name_tests
from celab.tables import cells
from celab.tables.cells import Cell
from celab.tables.record import Column, check_level, frame
from celab.tables.result import DataFrame, Level, PrintedResult, Result
from celab.tables.view import NORMAL, Table, View, ViewOptions, line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    # Only campaigns with people's spans load it.
    from celab.evaluation.judges.spans import SpanReport

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Result):
    """Scores of all systems by one metric, best first; row i of each array is of `systems[i]`.

    The p-values are two-sided. Ranks and groups follow from p < 0.05 (`celab.statistics`). A pair
    that differs in few segments has another test than the chosen one; `tests` names that of each.
    With fewer than 20 segments that all systems have a score of, no difference is called
    significant: all systems are in group 1 and have all ranks, and `test` is "exact".
    """

    systems: tuple[str, ...]
    scores: F64
    intervals: F64  # lower and upper end, 95%
    ranks: I64  # best and worst rank
    groups: I64  # numbered from 1; between two groups every difference is significant
    p_values: F64
    tests: Strings  # "bootstrap", "randomization" or "exact", in rows and columns as the p-values
    test: str
    n_resamples: int
    seed: int
    higher_is_better: bool
    n_segments: int = field(default=0, repr=False)  # that all systems have a score of
    digits: int = field(default=4, repr=False, compare=False)  # decimals to show
    _omitted: ClassVar = frozenset({"digits", "n_segments"})

    @property
    def too_few(self) -> bool:
        """Whether there are too few segments to call any difference significant."""
        return self.test == EXACT

    @property
    def pair_tests(self) -> list[str]:
        """Return the test of each pair of systems."""
        return [self.tests[i, j] for i, j in combinations(range(len(self.systems)), 2)]

    def difference(self, i: int, j: int) -> Difference:
        """Return the difference of two systems, by their rows; its interval is not kept."""
        return Difference(
            a=float(self.scores[i]),
            b=float(self.scores[j]),
            p=float(self.p_values[i, j]),
            test=str(self.tests[i, j]),
            n_resamples=self.n_resamples,
            seed=self.seed,
            n_segments=self.n_segments,
            higher_is_better=self.higher_is_better,
            digits=self.digits,
        )

    def to_dataframe(self, library: str | None = None, *, level: Level = "system") -> DataFrame:
        """Return a data frame with a row per system, best first.

        Its columns are system, score, low and high (95% interval), best_rank, worst_rank and group.

        Parameters:
            library: "pandas" or "polars" (default: the one that is installed, pandas first).
            level: "system"; segments are in the data frame of the campaign.
        """
        check_level(level)
        if level == "segment":
            hint = "a comparison of systems has no segments; use 'system'"
            raise OptionError("level", level, hint)
        columns: dict[str, Column] = {
            "system": list(self.systems),
            "score": self.scores,
            "low": self.intervals[:, 0],
            "high": self.intervals[:, 1],
            "best_rank": self.ranks[:, 0],
            "worst_rank": self.ranks[:, 1],
            "group": self.groups,
        }
        return frame(columns, library)

    def view(self, options: ViewOptions = NORMAL) -> View:
        """Return a row per system, and a line about the test."""
        n = self.digits if options.digits is None else options.digits
        return View([comparison_table(self, "score", n), [line(test_remark(self))]])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the systems with their intervals by matplotlib; return the axes."""
        from celab.report.plots import plot_comparison

        return plot_comparison(self, "score", ax)

    def __repr__(self) -> str:
        groups = [
            ", ".join(name for name, g in zip(self.systems, self.groups, strict=True) if g == group)
            for group in dict.fromkeys(self.groups.tolist())
        ]
        return f"<{len(self.systems)} systems, best first: {' > '.join(groups)}>"


def test_remark(comparison: Comparison) -> str:
    """Return a line that says how intervals, clusters and ranks were computed."""
    start = f"95% intervals: {comparison.n_resamples} resamples, seed {comparison.seed}"
    name = name_tests(comparison.pair_tests)
    if comparison.too_few:
        return f"{start}; p: two-sided, {name}; {NO_VERDICT}"
    return f"{start}; clusters and ranks: {name}, two-sided p < {SIGNIFICANT}"


def comparison_table(comparison: Comparison, metric: str, n: int) -> Table:
    """Return a table of the systems, best first, with `n` decimals; a line between clusters.

    There are neither clusters nor ranks if segments are too few.
    """
    rows: list[list[Cell]] = []
    rules = []
    for i, name in enumerate(comparison.systems):
        low, high = comparison.intervals[i].tolist()
        if i and comparison.groups[i] != comparison.groups[i - 1]:
            rules.append(i)
        rows.append(
            [
                cells.count(int(comparison.groups[i])),
                cells.name(name),
                cells.score(float(comparison.scores[i]), n),
                cells.interval((low, high), n),
                cells.ranks(*comparison.ranks[i].tolist()),
            ]
        )
    headings = ["cluster", "system", metric, "95% interval", "ranks"]
    if comparison.too_few:
        return Table(headings=headings[1:-1], rows=[row[1:-1] for row in rows], right=[1, 2])
    return Table(headings=headings, rows=rows, right=[0, 2, 3, 4], rules=rules)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Scored(PrintedResult):
    """Base class: scores of systems by judges, which are metrics, people and others.

    A campaign in memory, segments that are scored as they are read, and the workers of Dask are
    three sources of them. `scores[judge][system]` is a `Score`, which has those of segments, NaN
    where there is none, `comparisons[judge]` a `Comparison` of all systems, once they are tested,
    and `outputs` tells which outputs are not translations, if they were checked.
    """

    scores: dict[str, dict[str, Score]] = field(default_factory=dict)
    comparisons: dict[str, Comparison] = field(default_factory=dict)  # empty if not tested
    # 95% bootstrap intervals by metric and system; empty if they were not computed
    intervals: dict[str, dict[str, Interval]] = field(default_factory=dict)
    outputs: Outputs | None = None
    spans: SpanReport | None = None  # errors that people have marked, if they are known

    @property
    @abstractmethod
    def lengths(self) -> Lengths | None:
        """Lengths of outputs and references; None if the texts are not known."""

    def length_lines(self) -> list[str]:
        """Return lines about systems whose outputs are long or short, if the texts are known."""
        return []

    @property
    @abstractmethod
    def system_names(self) -> Sequence[str]:
        """Names of the systems, in the order of their files."""

    @property
    @abstractmethod
    def segments(self) -> Sequence[Segment]:
        """Documents and ids of the segments."""

    @abstractmethod
    def view(self, options: ViewOptions = NORMAL) -> View:
        """Return all systems by each metric, or their documents or segments."""

    def by_document(self) -> dict[str, I64]:
        """Return the indices of each document's segments, in their order."""
        indices: dict[str, list[int]] = {}
        for i, segment in enumerate(self.segments):
            indices.setdefault(segment.document, []).append(i)
        return {name: np.array(members, np.int64) for name, members in indices.items()}

    @property
    def n_left_out(self) -> int:
        """Number of segments that were not scored because not all files have them."""
        return 0

    def test(
        self,
        test: Test = "bootstrap",
        *,
        n_resamples: int = resampling.N_RESAMPLES,
        seed: int = resampling.SEED,
    ) -> Self:
        """Return a copy with comparisons of all systems, for each metric.

        Parameters:
            test: significance test: "bootstrap" (paired) or "randomization" (approximate);
                both are two-sided. A pair that differs in fewer than 100 segments is tested by
                randomization, exactly if fewer than 20 differ.
            n_resamples: number of resamples or trials, 40 or more.
            seed: random seed.
        """
        check_test(test)
        self._check_scored()
        if len(self.system_names) < 2:
            raise InputError("the campaign has one system; a test needs two or more")
        comparisons = {
            name: compare(by_system, test=test, n_resamples=n_resamples, seed=seed)
            for name, by_system in self.scores.items()
            if is_testable(by_system)
        }
        return replace(self, comparisons=comparisons)

    def bootstrap(
        self, *, n_resamples: int = resampling.N_RESAMPLES, seed: int = resampling.SEED
    ) -> Self:
        """Return a copy with a 95% interval for each score that has two segments or more.

        Parameters:
            n_resamples: number of bootstrap resamples of the segments, 40 or more.
            seed: random seed.
        """
        self._check_scored()
        intervals = {
            metric: {
                system: interval
                for system, score in by_system.items()
                if (interval := score.interval(n_resamples, seed)) is not None
            }
            for metric, by_system in self.scores.items()
        }
        return replace(self, intervals=intervals)

    def interval(self, metric: str, system: str) -> Interval | None:
        """Return the 95% interval of a score, from the test if there was one; None if unknown."""
        comparison = self.comparisons.get(metric)
        if comparison is not None and system in comparison.systems:
            low, high = comparison.intervals[comparison.systems.index(system)].tolist()
            return low, high
        return self.intervals.get(metric, {}).get(system)

    @property
    def n_skipped(self) -> int:
        """Number of segment scores that were not proved, over all metrics and systems."""
        return sum(
            score.n_skipped for by_system in self.scores.values() for score in by_system.values()
        )

    def _check_scored(self) -> None:
        if not self.scores:
            raise InputError("the campaign has no scores; call its score() first")


def compare(
    scores: Mapping[str, Score],
    *,
    test: str = "bootstrap",
    n_resamples: int = resampling.N_RESAMPLES,
    seed: int = resampling.SEED,
) -> Comparison:
    """Compare systems by one metric, on one set of resamples."""
    check_comparable(scores)
    first = next(iter(scores.values()))
    # Segments skipped for any system are left out, so that all are compared on the same segments.
    scored = np.logical_and.reduce([score.segments.scored for score in scores.values()])
    if not scored.any():
        raise SolverError(
            "every segment was skipped for one system or another, so they cannot be compared",
            hint=LONGER,
        )
    statistics = np.stack([score.statistics[scored] for score in scores.values()])
    result = significance.paired_test(
        statistics, first.aggregate, test=test, n_resamples=n_resamples, seed=seed
    )
    observed, p_values = result.resampled.observed, result.p_values
    quality = observed if first.higher_is_better else -observed
    order = np.argsort(-quality, kind="stable")
    is_exact = result.test == EXACT
    level = 0.0 if is_exact else SIGNIFICANT  # no p is below 0
    groups = significance.clusters(quality, p_values, level)
    ranks = significance.rank_ranges(quality, p_values, level)
    names = list(scores)
    return Comparison(
        systems=tuple(names[i] for i in order),
        scores=observed[order],
        intervals=resampling.intervals(result.resampled, significance.LEVEL)[order],
        ranks=ranks[order],
        groups=groups[order],
        p_values=p_values[np.ix_(order, order)],
        tests=result.tests[np.ix_(order, order)],
        test=result.test,
        n_resamples=n_resamples,
        seed=seed,
        higher_is_better=first.higher_is_better,
        n_segments=result.n_segments,
        digits=first.digits,
    )
