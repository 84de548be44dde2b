"""The difference of two figures: its interval, its p-value, and the sentence that says what it is.

Commands, pages, boards and gates all show differences of two systems, or of two versions of one, as
a `Difference`. What counts as significant and what is said of it is decided here, so that no two of
them can disagree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, Literal

from celab.base.arguments import JsonObject
from celab.tables import cells
from celab.tables.cells import Phrase, p_text
from celab.tables.result import Result, plain
from celab.tables.table import COUNT, DELTA, DELTA_INTERVAL, P_VALUE, TEXT, Column, Part, Table
from celab.tables.view import Detail, line

MIN_SEGMENTS = 20  # no difference on fewer segments is called significant
NO_VERDICT = f"fewer than {MIN_SEGMENTS} segments, no verdict"
SIGNIFICANT = 0.05
SIDES = "two-sided"
DISAGREE = "p and the interval, from different tests, disagree at the 5% level"
EXACT = "exact"
Side = Literal["a", "b"]


def least_p(test: str | None, n_resamples: int) -> float:
    """Return the least p-value that resamples give; 0 for an exact test, whose p has no limit.

    >>> least_p("bootstrap", 999), least_p("randomization", 999), least_p("exact", 999)
    (0.002, 0.001, 0.0)
    """
    return {"bootstrap": 2, "randomization": 1}.get(test or "", 0) / (n_resamples + 1)


@dataclass(frozen=True, kw_only=True)
class Difference(Result):
    """A's figure minus B's, with its 95% interval and its p-value.

    Attributes:
        a, b: both figures, in their units.
        interval: 95% interval of a − b; None if it is not known.
        p: two-sided p-value; None if there is no test, and `untested` says why.
        test: test that p comes from: "bootstrap", "randomization" or "exact".
        n_resamples, seed: of the test.
        n_segments: number of segments that were compared.
        n_different: number of segments on which both differ; of documents, if these are drawn.
        resample_by: unit that the test draws and exchanges: "segment" or "document".
        higher_is_better: whether the higher figure is the better one.
        untested: why there is no test; it ends the sentence "no test, because …".
        passes: whether p passes a correction for many tests; None if there is none.
        digits: number of decimals to show.

    >>> lead = Difference(a=0.5, b=0.4, p=0.004, test="bootstrap", n_resamples=999, n_segments=200)
    >>> print(lead.verdict("GPT-4", "IKUN"))
    GPT-4 scores significantly higher than IKUN (p = 0.004, two-sided)
    >>> print(replace(lead, n_segments=16).verdict("GPT-4", "IKUN"))
    fewer than 20 segments, no verdict (p = 0.004, two-sided)
    """

    a: float
    b: float
    interval: tuple[float, float] | None = None
    p: float | None = None
    test: str | None = None
    n_resamples: int = 0
    seed: int = 0
    n_segments: int = 0
    n_different: int = 0
    resample_by: Literal["segment", "document"] = "segment"
    higher_is_better: bool = True
    untested: str = ""
    passes: bool | None = None
    digits: int = field(default=4, repr=False, compare=False)

    @property
    def value(self) -> float:
        """a − b."""
        return self.a - self.b

    @property
    def sides(self) -> str:
        """ "two-sided", which every test here is."""
        return SIDES

    @property
    def is_tested(self) -> bool:
        """Whether there is a p-value."""
        return self.p is not None

    @property
    def too_few(self) -> bool:
        """Whether the segments are too few to call the difference significant."""
        return self.p is not None and self.n_segments < MIN_SEGMENTS

    @property
    def significant(self) -> bool:
        """Whether p < 0.05, or p passes the correction, on 20 segments or more."""
        if self.p is None or self.too_few:
            return False
        return self.p < SIGNIFICANT if self.passes is None else self.passes

    @property
    def better(self) -> Side | None:
        """The side with the better figure, "a" or "b"; None if they are equal or unknown."""
        if not self.value or math.isnan(self.value):
            return None
        return "a" if (self.value > 0) == self.higher_is_better else "b"

    @property
    def mark(self) -> str:
        """The star of a significant difference, or ""."""
        return "*" if self.significant else ""

    @property
    def least_p(self) -> float:
        """The least p-value that the test gives."""
        return least_p(self.test, self.n_resamples)

    @property
    def p_text(self) -> str:
        """P with its relation, for a sentence: "= 0.012"; "" without a test."""
        return "" if self.p is None else p_text(self.p, self.least_p)

    @property
    def remark(self) -> str:
        """A note if segments are too few, or if p and the interval disagree; else ""."""
        if self.too_few:
            return NO_VERDICT
        if self.p is None or self.interval is None:
            return ""
        low, high = self.interval
        return "" if (self.p < SIGNIFICANT) == (low > 0 or high < 0) else DISAGREE

    def verdict(self, a: str, b: str) -> Phrase:
        """Return the one sentence about the two scores, without a stop.

        Parameters:
            a, b: names of the systems.
        """
        if self.p is None:
            return Phrase("no test, because {0}", Phrase(self.untested))
        if self.too_few:
            pattern = "fewer than {0} segments, no verdict (p {1}, two-sided)"
            return Phrase(pattern, str(MIN_SEGMENTS), self.p_text)
        if self.better is None or not self.significant:
            return Phrase("no significant difference (p {0}, two-sided)", self.p_text)
        best, other = (a, b) if self.better == "a" else (b, a)
        pattern = "{0} scores significantly lower than {1} (p {2}, two-sided)"
        if self.higher_is_better:
            pattern = "{0} scores significantly higher than {1} (p {2}, two-sided)"
        return Phrase(pattern, best, other, self.p_text)

    @property
    def value_text(self) -> str:
        """The difference as people see it."""
        return cells.difference(self.value, self.digits)

    def to_dict(self, *, level: str | None = None) -> JsonObject:
        """Return the difference, its interval, its p-value, and the test; `level` has no effect."""
        names = ("interval", "p", "test", "n_resamples", "seed", "n_segments", "n_different")
        figures = {name: plain(getattr(self, name)) for name in names}
        unit = {} if self.resample_by == "segment" else {"resample_by": self.resample_by}
        return {"difference": plain(self.value), **figures, "sides": self.sides, **unit}

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield the difference, its interval and its p-value."""
        yield Table(name="difference", columns=_COLUMNS, rows=[self], digits=self.digits)
        by_unit = "" if self.resample_by == "segment" else f" by {self.resample_by}"
        below = f"{self.n_segments} segments, {self.test}{by_unit}"
        if self.remark == DISAGREE:
            below += f"; {DISAGREE}"
        yield [line(below)]


def difference_columns(
    difference: Callable[[Any], Difference | None], *, heading: str = "diff", p: str = "p"
) -> list[Column]:
    """Return the columns of a difference, its interval and its p-value, for every table alike.

    Parameters:
        difference: row → its difference; None if it has none.
        heading, p: headings of the difference and of the p-value.
    """

    def value(row: Any) -> float | None:
        shown = difference(row)
        return None if shown is None else shown.value

    def interval(row: Any) -> tuple[float, float] | None:
        shown = difference(row)
        return None if shown is None else shown.interval

    def tested(row: Any) -> Difference | None:
        shown = difference(row)
        return None if shown is None or shown.p is None else shown

    return [
        Column(heading, DELTA, value, "difference"),
        Column("95% interval", DELTA_INTERVAL, interval, ("low", "high")),
        Column(p, P_VALUE, tested, "p"),
    ]


_COLUMNS = [
    *difference_columns(lambda x: x, heading="difference", p=f"p ({SIDES})"),
    Column("", TEXT, lambda x: x.sides, "sides"),
    Column("", TEXT, lambda x: x.test, "test"),
    *(
        Column("", COUNT, attrgetter(name), name)
        for name in ("n_resamples", "seed", "n_segments", "n_different")
    ),
]


def holm(differences: Sequence[Difference], level: float = SIGNIFICANT) -> list[Difference]:
    """Return tested differences with `passes` by Holm's correction for the number of them.

    >>> tested = [Difference(a=1, b=0, p=p, n_segments=20) for p in (0.04, 0.03, 0.001)]
    >>> [difference.passes for difference in holm(tested)]
    [False, False, True]
    """
    n, passes = len(differences), [False] * len(differences)
    order = sorted(range(n), key=lambda i: differences[i].p or 0.0)
    for step, i in enumerate(order):
        if not (differences[i].p or 0.0) * (n - step) < level:
            break
        passes[i] = True
    return [replace(x, passes=passed) for x, passed in zip(differences, passes, strict=True)]
