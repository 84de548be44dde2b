"""Base class of scores of systems by judges, and the comparison of all systems by one judge.

Systems are compared judge by judge on one shared set of resamples (`celab.statistics`); a system
may be better than another by one judge and not by the next.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from celab.base.arguments import JsonObject
from celab.base.arrays import F64, I64, Bools, Strings
from celab.base.errors import TIME_LIMIT_HINT, InputError, SolverError
from celab.corpus import Segment
from celab.findings.translations.outputs import Outputs
from celab.findings.translations.screening import Lengths
from celab.metrics.base import Metric
from celab.metrics.judge_score import check_comparable, is_testable
from celab.metrics.scores import Score
from celab.statistics import resampling, significance
from celab.statistics.difference import EXACT, NO_VERDICT, SIGNIFICANT, Difference
from celab.statistics.documents import (
    SIGNATURE_KEY,
    ResampleBy,
    check_unit,
    documents_to_draw,
    number_documents,
)
from celab.statistics.significance import Test, check_test, name_tests
from celab.tables.result import PrintedResult, Result
from celab.tables.table import (
    COUNT,
    INTERVAL,
    NAME,
    P_VALUE,
    RANKS,
    SCORE,
    TEXT,
    Column,
    Part,
    Table,
)
from celab.tables.view import Detail, line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    # Only campaigns with people's spans load it.
    from celab.people.error_spans import SpanReport

Interval = tuple[float, float]
RANK_NAMES = ("best_rank", "worst_rank")
ENDS = ("low", "high")  # names of the ends of a 95% interval


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison(Result):
    """Scores of all systems by one metric, in order; row i of each array is of `systems[i]`.

    The p-values are two-sided. Ranks and groups (clusters) follow from p < 0.05
    (`celab.statistics`). A pair that differs in few segments has another test than the chosen one;
    `tests` names the test of each pair. With fewer than 20 segments with a score of every system,
    no difference is called significant: all systems are in group 1 and have all ranks, and `test`
    is "exact".
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
    n_segments: int = field(default=0, repr=False)  # segments with a score of every system
    resample_by: ResampleBy = field(default="segment", repr=False)  # unit that the tests draw
    digits: int = field(default=4, repr=False, compare=False)  # decimals to show

    @property
    def too_few(self) -> bool:
        """Whether there are too few segments to call any difference significant."""
        return self.test == EXACT

    @property
    def pair_tests(self) -> list[str]:
        """Return the test of each pair of systems."""
        return [self.tests[i, j] for i, j in self.pairs]

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
            resample_by=self.resample_by,
            higher_is_better=self.higher_is_better,
            digits=self.digits,
        )

    def facts(self) -> JsonObject:
        """Return the settings of the tests; `resample_by` only for documents."""
        names = ("test", "n_resamples", "seed", "higher_is_better")
        values = {name: getattr(self, name) for name in names}
        is_usual = self.resample_by == "segment"
        return values if is_usual else values | {"resample_by": self.resample_by}

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield a row per system, best first, for programs the tests of pairs, and notes."""
        columns = comparison_columns(self, "score")
        yield Table(
            name="system",
            columns=columns,
            rows=range(len(self.systems)),
            digits=self.digits,
            group=self.cluster,
        )
        yield Table(name="pair", columns=_pair_columns(self), rows=self.pairs)
        yield [line(test_remark(self))]

    def cluster(self, i: int) -> int:
        """Return the number of the cluster that a system is in; 0 if there are none."""
        return 0 if self.too_few else int(self.groups[i])

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Return the rows of each pair of systems."""
        return [*combinations(range(len(self.systems)), 2)]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the systems with their intervals by matplotlib; return the axes."""
        from celab.report.plots import plot_comparison

        return plot_comparison(self, "score", ax)

    def __repr__(self) -> str:
        groups = [
            ", ".join(name for name, g in zip(self.systems, self.groups, strict=True) if g == group)
            for group in dict.fromkeys(self.groups.tolist())
        ]
        return f"<{len(self.systems)} systems by score: {' > '.join(groups)}>"


def test_remark(comparison: Comparison) -> str:
    """Return a line that says how intervals, clusters and ranks were computed."""
    of_units = "" if comparison.resample_by == "segment" else f" of {comparison.resample_by}s"
    drawn = f"{comparison.n_resamples} resamples{of_units}, seed {comparison.seed}"
    start = f"95% intervals: {drawn}"
    name = name_tests(comparison.pair_tests, comparison.resample_by)
    if comparison.too_few:
        return f"{start}; p: two-sided, {name}; {NO_VERDICT}"
    return f"{start}; clusters and ranks: {name}, two-sided p < {SIGNIFICANT}"


def comparison_columns(comparison: Comparison, metric: str) -> list[Column]:
    """Return the columns of a comparison; its rows are indices of systems.

    With too few segments, clusters and ranks are for programs only.
    """

    def ranks(i: int) -> list[int]:
        return list(comparison.ranks[i].tolist())

    def group(i: int) -> int:
        return int(comparison.groups[i])

    clusters = [] if comparison.too_few else [Column("cluster", COUNT, group)]
    return [
        *clusters,
        Column("system", NAME, lambda i: comparison.systems[i], "system"),
        Column(metric, SCORE, lambda i: float(comparison.scores[i]), "score"),
        Column("95% interval", INTERVAL, lambda i: tuple(comparison.intervals[i].tolist()), ENDS),
        Column("" if comparison.too_few else "ranks", RANKS, ranks, RANK_NAMES),
        Column("", COUNT, group, "group"),
    ]


def _pair_columns(comparison: Comparison) -> list[Column]:
    return [
        Column("", NAME, lambda row: comparison.systems[row[0]], "a"),
        Column("", NAME, lambda row: comparison.systems[row[1]], "b"),
        Column("", P_VALUE, lambda row: comparison.difference(*row), "p"),
        Column("", TEXT, lambda row: str(comparison.tests[row]), "test"),
    ]


@dataclass(frozen=True, kw_only=True, repr=False)
class Scored(PrintedResult):
    """Base class of scores of systems by judges, which are metrics, people and external metrics.

    Scores come from a campaign in memory, from segments that are scored as they are read, or from
    Dask. `scores[judge][system]` is a `Score`, with NaN for segments without a score.
    `comparisons[judge]` is a `Comparison` of all systems, once they are tested. `outputs` has the
    outputs that may not be translations, if they were checked.
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

    @property
    def telling(self) -> Bools | None:
        """Mask of the segments with a reference long enough to rank losses; None without texts."""
        return None

    @property
    def known_metrics(self) -> Mapping[str, Metric]:
        """Metrics of the scores by name, where their settings are known."""
        return {}

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

    @property
    def index(self) -> Sequence[Any] | None:
        """Labels of the segments, if the texts come from a data frame, else None."""
        return None

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
        resample_by: ResampleBy = "segment",
    ) -> Self:
        """Return a copy with comparisons of all systems, for each metric.

        Parameters:
            test: significance test: "bootstrap" (paired) or "randomization" (approximate);
                both are two-sided. A pair that differs in fewer than 100 segments is tested by
                randomization, exactly if fewer than 20 differ.
            n_resamples: number of resamples or trials, 40 or more.
            seed: random seed.
            resample_by: unit that is drawn and exchanged: "segment", or "document" for talks and
                stories, whose segments depend on each other. Signatures have it.
        """
        check_test(test)
        self._check_scored()
        if len(self.system_names) < 2:
            raise InputError("the campaign has one system; a test needs two or more")
        documents = self._documents_to_draw(resample_by)
        comparisons = {
            name: compare(
                by_system, test=test, n_resamples=n_resamples, seed=seed, documents=documents
            )
            for name, by_system in self.scores.items()
            if is_testable(by_system)
        }
        return replace(self, comparisons=comparisons, scores=self._signed_scores(resample_by))

    def _documents_to_draw(self, resample_by: str) -> list[str] | None:
        """Return the document of each segment if documents are drawn; warn if they are few."""
        check_unit(resample_by)
        if resample_by == "segment":
            return None
        names = [segment.document for segment in self.segments]
        documents_to_draw(names)
        return names

    def _signed_scores(self, resample_by: str) -> dict[str, dict[str, Score]]:
        """Return the scores with signatures that say if documents are drawn."""

        def signed(score: Score) -> Score:
            signature = score.signature.without(SIGNATURE_KEY)
            if resample_by == "document":
                signature = signature.with_part(SIGNATURE_KEY, resample_by)
            return score if signature == score.signature else replace(score, signature=signature)

        return {
            name: {system: signed(score) for system, score in by_system.items()}
            for name, by_system in self.scores.items()
        }

    def bootstrap(
        self,
        *,
        n_resamples: int = resampling.N_RESAMPLES,
        seed: int = resampling.SEED,
        resample_by: ResampleBy = "segment",
    ) -> Self:
        """Return a copy with a 95% interval for each score that has two segments or more.

        Parameters:
            n_resamples: number of bootstrap resamples, 40 or more.
            seed: random seed.
            resample_by: unit that is drawn, as in `test`.
        """
        self._check_scored()
        documents = self._documents_to_draw(resample_by)
        intervals = {
            metric: {
                system: interval
                for system, score in by_system.items()
                if (interval := score.interval(n_resamples, seed, documents)) is not None
            }
            for metric, by_system in self.scores.items()
        }
        return replace(self, intervals=intervals, scores=self._signed_scores(resample_by))

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
    documents: Sequence[str] | None = None,
) -> Comparison:
    """Compare systems by one metric, on one set of resamples of segments, or of `documents`."""
    check_comparable(scores)
    first = next(iter(scores.values()))
    # Segments skipped for any system are left out, so that all are compared on the same segments.
    scored = np.logical_and.reduce([score.segments.scored for score in scores.values()])
    if not scored.any():
        raise SolverError(
            "every segment was skipped for one system or another, so they cannot be compared",
            hint=TIME_LIMIT_HINT,
        )
    statistics = np.stack([score.statistics[scored] for score in scores.values()])
    result = significance.paired_test(
        statistics,
        first.aggregate,
        test=test,
        n_resamples=n_resamples,
        seed=seed,
        documents=None if documents is None else number_documents(documents)[scored],
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
        intervals=resampling.intervals(result.resampled, significance.CONFIDENCE)[order],
        ranks=ranks[order],
        groups=groups[order],
        p_values=p_values[np.ix_(order, order)],
        tests=result.tests[np.ix_(order, order)],
        test=result.test,
        n_resamples=n_resamples,
        seed=seed,
        higher_is_better=first.higher_is_better,
        n_segments=result.n_segments,
        resample_by=result.resample_by,
        digits=first.digits,
    )
