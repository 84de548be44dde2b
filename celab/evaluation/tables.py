"""Two tables: findings, what is said about outputs, and scores, judge by system by segment.

A producer is rules that yield rows; its kinds say what each means. All that
can be made of rows is made here, for all producers: counts, tables, data frames, plain data, notes
on standard error, gates, and the difference of two systems.

Systems are compared judge by judge on one shared set of resamples (`celab.statistics`); a system
may be better than another by one judge and not by the next.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from itertools import combinations
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from celab.base import offered
from celab.base.arguments import checked
from celab.base.dicts import JsonObject
from celab.base.errors import LONGER, InputError, OptionError, SolverError, suggest
from celab.base.frozen import dataclass
from celab.base.result import DataFrame, Level, Result, plain
from celab.base.view import cells
from celab.base.view.cells import Cell
from celab.base.view.tables import NORMAL, Line, Table, View, ViewOptions, line
from celab.corpus import Corpus, Segment
from celab.corpus.model import SegmentName, quantity
from celab.statistics import resampling

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from celab.base.arrays import F64, I64, Strings
    from celab.base.view.record import Column, Record
    from celab.metrics.scores import Score
    from celab.statistics.significance import Test

Span = tuple[int, int]  # of code points
Interval = tuple[float, float]


class Finding(NamedTuple):
    """A statement about an output.

    Attributes:
        system: name of the system.
        segment: index of the segment; None if it is about the system as a whole.
        check: the producer, such as "outputs", "markup" or "terms".
        kind: name of the `FindingKind`.
        span: where it is in the output, if it has a place there.
        text: the output.
        note: what the rule says beside, such as the form of a wrapped output.
        value: what else is known: a number, or a `Change`.
    """

    system: str
    segment: int | None
    check: str
    kind: str
    span: Span | None = None
    text: str = ""
    note: str = ""
    value: Any = None


class Change(NamedTuple):
    """Pieces of the source that an output has lost, and pieces that it has added."""

    lost: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


# What a producer or a kind may need: texts, and what is known of outputs otherwise.
NEEDS = ("reference", "source", "glossary", "spans", "profile")


@dataclass(frozen=True, slots=True)
class FindingKind:
    """A kind of finding: one row makes it, and tables, pages and gates follow.

    Attributes:
        name: the kind, by which tables, files, pages and `--fail-on` call it.
        meaning: what it is, for legends.
        needs: words of `NEEDS`, separated by spaces: what it cannot be decided without.
        chinese: name and meaning in Chinese.
        verdict: False if a finding does not make an output wrong; it is then looked for on request.
        check: name of the producer, which `celab.evaluation.producers` sets.
    """

    name: str
    meaning: str
    needs: str = field(default="reference", kw_only=True)
    chinese: tuple[str, ...] = field(default=(), kw_only=True)
    verdict: bool = field(default=True, kw_only=True)
    check: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        for word in self.needs.split():
            if word not in NEEDS:
                raise ValueError(f"{self.name} needs {word!r}; {suggest(word, NEEDS)}")

    @property
    def texts(self) -> dict[str, str]:
        """Chinese of the name and of the meaning, by the English text."""
        return dict(zip((self.name, self.meaning), self.chinese, strict=False))


@dataclass(frozen=True, slots=True)
class Check(FindingKind):
    """A kind of finding that a rule decides.

    Attributes:
        rule: decides about one output, as its producer calls it.
        may: to which outputs of a batch the rule may apply, by counts (default: to all).
    """

    rule: Callable[..., Any]
    may: Callable[[Any], Any] | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Subject:
    """Input of the producers of findings.

    Attributes:
        corpus: sources, references and outputs.
        lang: target language.
        filters: whether kinds that are no verdict are looked for, too.
        copies: whether copies of outputs are looked for in references.
        glossary: uses of terms (`TermUses`), if a glossary was given.
        spans: errors that people have marked (`SpanReport`), if they were given.
        profile: differences from the references (`ErrorProfile`), if they were asked for.
    """

    corpus: Corpus
    lang: str = "zh"
    filters: bool = False
    copies: bool = True
    glossary: Any = None
    spans: Any = None
    profile: Any = None

    def has(self, needs: str) -> bool:
        """Return whether there is all that a producer or a kind needs."""
        sides = {"reference": bool(self.corpus.refs), "source": self.corpus.source is not None}
        return all(
            sides[word] if word in sides else getattr(self, word) is not None
            for word in needs.split()
        )

    def is_looked_for(self, kind: FindingKind) -> bool:
        """Return whether a kind is looked for; one that is no verdict must be decidable, too."""
        return kind.verdict or (self.filters and self.has(kind.needs))


@dataclass(frozen=True, slots=True)
class Producer:
    """Rules that yield findings; its line in `celab.evaluation.producers` makes it known.

    Attributes:
        name: `Finding.check` of its rows.
        title: heading of its tables and filters.
        kinds: the kinds that it looks for, in the order of columns; others may be found.
        find: yields the rows.
        about: a sentence about its findings, for pages.
        chinese: Chinese of title and sentence, by the English text.
        is_fault: False if a finding is no fault of the output; lists of findings leave it out.
        page: yields other rows for pages, such as one per piece of text; for such a row, `text` is
            this piece and not the output.
    """

    name: str
    title: str
    kinds: Mapping[str, FindingKind]
    find: Callable[[Subject], Iterable[Finding]]
    about: str = ""
    chinese: Mapping[str, str] = field(default_factory=dict)
    is_fault: bool = True
    page: Callable[[Subject], Iterable[Finding]] | None = None


@dataclass(frozen=True, slots=True)
class Gate(Result):
    """The outcome of a gate, as in CI.

    Attributes:
        failed: whether it failed, such as because a system is worse or a score too low.
        reason: one sentence with the figures.
        metric: the metric that decided; None if no score did.
        significant: whether the difference is significant; None if none was tested.
    """

    failed: bool
    reason: str
    metric: str | None = None
    significant: bool | None = None

    def view(self, options: ViewOptions = NORMAL) -> View:
        """Return the outcome in one line."""
        outcome = "failed" if self.failed else "passed"
        return View([[Line((f"{outcome}: {self.reason}",), "verdict")]])


def join_gates(gates: Iterable[Gate]) -> Gate | None:
    """Return the gate that fails if one of several fails; None if there is none."""
    if not (outcomes := [*gates]):
        return None
    failed = [gate for gate in outcomes if gate.failed]
    reason = "; ".join(gate.reason for gate in failed or outcomes)
    return replace(outcomes[0], failed=bool(failed), reason=reason)


class _Row(NamedTuple):
    """A finding as tables and data frames show it."""

    finding: Finding
    segment: SegmentName | str

    @property
    def change(self) -> Change:
        return self.finding.value if isinstance(self.finding.value, Change) else Change()


@cache
def _record() -> Record:
    """Return the columns of findings."""
    from celab.base.view.record import Field, Record  # few commands need it

    return Record(
        Field("system", "name", attrgetter("finding.system")),
        Field("segment", "segment"),
        *(Field(x, "text", attrgetter(f"finding.{x}")) for x in ("check", "kind", "text")),
        Field("form", "text", attrgetter("finding.note")),
        Field("lost", "text", lambda row: " ".join(row.change.lost)),
        Field("added", "text", lambda row: " ".join(row.change.added)),
    )


LISTED = ("system", "segment", "kind", "text", "form", "lost", "added")


@dataclass(frozen=True, slots=True, repr=False)
class Findings(Result):
    """Findings of one producer or several.

    Attributes:
        rows: the findings.
        systems: names of all systems.
        names: names of the segments, by their index.
        checks: the kinds that were looked for, in the order of columns.
    """

    rows: tuple[Finding, ...]
    systems: tuple[str, ...]
    names: Sequence[SegmentName] = field(compare=False)
    checks: tuple[FindingKind, ...] = field(compare=False)

    def __post_init__(self) -> None:
        check_names(self.checks)

    def __len__(self) -> int:
        return len(self.rows)

    def __bool__(self) -> bool:
        return bool(self.rows)

    def with_rows(self, rows: Iterable[Finding]) -> Findings:
        """Return a table with other rows."""
        return Findings(tuple(rows), self.systems, self.names, self.checks)

    def of(self, check: str, *, verdict: bool | None = None) -> Findings:
        """Return the rows and kinds of a producer, and of these the verdicts or the others."""
        checks = [c for c in self.checks if c.check == check and verdict in (None, c.verdict)]
        rows = self.where(kind=[c.name for c in checks]).rows
        return Findings(rows, self.systems, self.names, tuple(checks))

    def joined(self, other: Findings) -> Findings:
        """Return the rows and kinds of two tables of the same outputs."""
        rows, checks = (*self.rows, *other.rows), (*self.checks, *other.checks)
        return Findings(rows, self.systems, self.names, checks)

    def where(self, **columns: object) -> Findings:
        """Return the rows whose columns have these values; a set or a list has several.

        >>> table = Findings((Finding("A", 0, "outputs", "empty"),), ("A", "B"), [1], ())
        >>> len(table.where(system="A", kind=["empty", "copied"])), len(table.where(system="B"))
        (1, 0)
        """
        sets = {
            name: {value} if isinstance(value, str | int | None) else {*value}  # type: ignore[misc]
            for name, value in columns.items()
        }
        return self.with_rows(
            row
            for row in self.rows
            if all(getattr(row, name) in values for name, values in sets.items())
        )

    def named(self, row: Finding) -> SegmentName | str:
        """Return the name of a row's segment."""
        return "" if row.segment is None else self.names[row.segment]

    def count(self, *columns: str) -> Counter[Any]:
        """Return the number of rows by the values of columns.

        >>> rows = (Finding("A", 0, "outputs", "empty"), Finding("A", 1, "outputs", "empty"))
        >>> Findings(rows, ("A",), [1, 2], ()).count("system", "kind")
        Counter({('A', 'empty'): 2})
        """
        if len(columns) == 1:
            return Counter(getattr(row, columns[0]) for row in self.rows)
        return Counter(tuple(getattr(row, name) for name in columns) for row in self.rows)

    def segments(self, system: str) -> dict[str, list[SegmentName]]:
        """Return the names of the segments of each kind that a system has, in columns' order."""
        found: dict[str, list[SegmentName]] = {}
        for row in self.rows:
            if row.system == system and row.segment is not None:
                found.setdefault(row.kind, []).append(self.names[row.segment])
        return {check.name: found[check.name] for check in self.checks if check.name in found}

    @property
    def without_zeros(self) -> Findings:
        """The table with the systems and kinds of its rows alone."""
        systems, kinds = self.count("system"), self.count("kind")
        named = tuple(name for name in self.systems if systems[name])
        return Findings(
            self.rows, named, self.names, tuple(x for x in self.checks if kinds[x.name])
        )

    # ---- what is shown and written ----

    def table(self, kinds: Iterable[str] | None = None, total: str = "") -> Table:
        """Return systems by kinds, as numbers of findings, with the `total` of a system last.

        Without names of kinds, all verdicts have a column, and other kinds if they were found.
        """
        counts, totals = self.count("system", "kind"), self.count("system")
        if kinds is None:
            seen = self.count("kind")
            kinds = [check.name for check in self.checks if check.verdict or seen[check.name]]
        kinds = [*kinds]
        rows: list[list[Cell]] = [
            [
                Cell("name", name),
                *(Cell("count", counts[name, kind]) for kind in kinds),
                *[Cell("count", totals[name])] * bool(total),
            ]
            for name in self.systems
        ]
        headings = ["system", *kinds, *[total] * bool(total)]
        return Table(headings, rows, right=range(1, len(headings)))

    @property
    def columns(self) -> list[str]:
        """Columns of a list of findings; what is lost and added has some, if there is any."""
        has_changes = any(isinstance(row.value, Change) for row in self.rows)
        return [name for name in LISTED if has_changes or name not in Change._fields]

    def listing(self, columns: Sequence[str] | None = None) -> Table:
        """Return a row per finding, with these columns (default: all)."""
        return _record().table(self._listed(), columns)

    def _listed(self) -> list[_Row]:
        return [_Row(row, self.named(row)) for row in self.rows]

    def view(self, options: ViewOptions = NORMAL) -> View:
        """Return systems by kinds, or, at the level of segments, a row per finding."""
        table = self.listing() if options.level == "segment" else self.table()
        return View([table], table)

    def to_dataframe(
        self,
        library: str | None = None,
        *,
        level: Level = "segment",
        columns: Sequence[str] | None = None,
    ) -> DataFrame:
        """Return a data frame with a row per finding, or per system.

        Parameters:
            library: "pandas" or "polars" (default: the one that is installed, pandas first).
            level: "segment", or "system" for the number of findings of each kind.
            columns: names of the columns of findings (default: all).
        """
        from celab.base.view.record import check_level, frame

        check_level(level)
        if level == "segment":
            return _record().frame(self._listed(), columns, library)
        counts = self.count("system", "kind")
        numbers = {c.name: [counts[name, c.name] for name in self.systems] for c in self.checks}
        return frame({"system": self.systems, **numbers}, library)

    def to_dict(self) -> JsonObject:
        """Return `findings`: a dict per row, with the name of its segment."""
        return {
            "findings": [plain(row._asdict() | {"segment": self.named(row)}) for row in self.rows]
        }

    @property
    def summary(self) -> str:
        """How many findings of each kind every system has.

        >>> Findings((Finding("A", 0, "outputs", "empty"),), ("A", "B"), [1], ()).summary
        'A 1 empty'
        """
        counts = self.count("system", "kind")
        return ", ".join(f"{system} {n} {kind}" for (system, kind), n in counts.items())

    # ---- what is decided ----

    def gate(self, kinds: Sequence[str], where: str = "") -> Gate:
        """Return the gate that fails if there is a finding of one of these kinds.

        Parameters:
            kinds: names of kinds that were looked for.
            where: end of the reason, such as ", where B has none".
        """
        known = [check.name for check in self.checks]
        for kind in kinds:
            if kind not in known:
                raise OptionError("fail_on", kind, suggest(kind, known))
        found = self.where(kind=kinds)
        if not found:
            return Gate(False, f"no output has a finding of {' or '.join(kinds)}{where}")
        return Gate(True, f"{quantity(len(found), 'finding')}: {found.summary}{where}")

    def difference(self, a: str, b: str) -> Findings:
        """Return the findings of one system that another has not in the same segment."""
        other = {(row.segment, row.kind) for row in self.rows if row.system == b}
        return self.with_rows(
            row for row in self.rows if row.system == a and (row.segment, row.kind) not in other
        )

    def of_one(self, a: str, b: str) -> Findings:
        """Return the findings about either of two systems that the other has not."""
        rows = (*self.difference(a, b).rows, *self.difference(b, a).rows)
        return Findings(rows, (a, b), self.names, self.checks)

    def __repr__(self) -> str:
        return f"<{quantity(len(self), 'finding')} about {quantity(len(self.systems), 'system')}>"


def check_names(checks: Iterable[FindingKind]) -> None:
    """Raise `ValueError` if two kinds of findings have one name."""
    for name, number in Counter(check.name for check in checks).items():
        if number > 1:
            raise ValueError(f"two checks are called {name!r}; names of kinds must differ")


def describe(segments: dict[str, list[SegmentName]]) -> str:
    """Return how many segments there are of each kind.

    >>> describe({"empty": [1, 4], "too-long": [7]})
    '2 empty, 1 too-long'
    """
    return ", ".join(f"{len(places)} {kind}" for kind, places in segments.items())


# ---- scores ----


@dataclass(frozen=True, slots=True)
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
    digits: int = field(default=4, repr=False, compare=False)  # decimals to show
    _omitted: ClassVar = frozenset({"digits"})

    @property
    def too_few(self) -> bool:
        """Whether there are too few segments to call any difference significant."""
        from celab.statistics.significance import EXACT

        return self.test == EXACT

    @property
    def pair_tests(self) -> list[str]:
        """Return the test of each pair of systems."""
        return [self.tests[i, j] for i, j in combinations(range(len(self.systems)), 2)]

    def p_value(self, i: int, j: int) -> tuple[float, float]:
        """Return p of two systems, and the least p that their test gives."""
        from celab.statistics.significance import least_p

        return float(self.p_values[i, j]), least_p(self.tests[i, j], self.n_resamples)

    def to_dataframe(self, library: str | None = None, *, level: Level = "system") -> DataFrame:
        """Return a data frame with a row per system, best first.

        Its columns are system, score, low and high (95% interval), best_rank, worst_rank and group.

        Parameters:
            library: "pandas" or "polars" (default: the one that is installed, pandas first).
            level: "system"; segments are in the data frame of the campaign.
        """
        from celab.base.view.record import check_level, frame

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
        return offered.plot(self, ax=ax)

    def __repr__(self) -> str:
        groups = [
            ", ".join(name for name, g in zip(self.systems, self.groups, strict=True) if g == group)
            for group in dict.fromkeys(self.groups.tolist())
        ]
        return f"<{len(self.systems)} systems, best first: {' > '.join(groups)}>"


def test_remark(comparison: Comparison) -> str:
    """Return a line that says how intervals, clusters and ranks were computed."""
    from celab.statistics.significance import SIGNIFICANT, TOO_FEW, name_tests

    start = f"95% intervals: {comparison.n_resamples} resamples, seed {comparison.seed}"
    name = name_tests(comparison.pair_tests)
    if comparison.too_few:
        return f"{start}; p: two-sided, {name}; {TOO_FEW}"
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
        return Table(headings[1:-1], [row[1:-1] for row in rows], right=[1, 2])
    return Table(headings, rows, right=[0, 2, 3, 4], rules=rules)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Scores(Result):
    """Base class: scores of systems by judges, which are metrics, people and others.

    `scores[judge][system]` is a `Score`, which has those of segments, NaN where there is none, and
    `comparisons[judge]` a `Comparison` of all systems, once they are tested.
    """

    scores: dict[str, dict[str, Score]] = field(default_factory=dict)
    comparisons: dict[str, Comparison] = field(default_factory=dict)  # empty if not tested
    # 95% bootstrap intervals by metric and system; empty if they were not computed
    intervals: dict[str, dict[str, Interval]] = field(default_factory=dict)

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

    @checked()
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
        from celab.metrics.judge_score import is_testable
        from celab.statistics.significance import check_test

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

    @checked()
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

    @checked()
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
    from celab.metrics.judge_score import check_comparable
    from celab.statistics import significance

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
    is_exact = result.test == significance.EXACT
    level = 0.0 if is_exact else significance.SIGNIFICANT  # no p is below 0
    groups = significance.clusters(quality, p_values, level)
    ranks = significance.rank_ranges(quality, p_values, level)
    names = list(scores)
    return Comparison(
        tuple(names[i] for i in order),
        observed[order],
        resampling.intervals(result.resampled, significance.LEVEL)[order],
        ranks[order],
        groups[order],
        p_values[np.ix_(order, order)],
        result.tests[np.ix_(order, order)],
        result.test,
        n_resamples,
        seed,
        first.higher_is_better,
        first.digits,
    )
