"""Growth: how the time of each solver grows with the length of a pair.

At each length all are measured on pairs of that length. A solver that fails at one length is not
asked for longer ones. The exponent k of  seconds ~ length^k  is the slope of the straight line, by
least squares, through the logarithms of both.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from celab.benchmark.measure import Found, measure
from celab.benchmark.pairs import Pairs
from celab.benchmark.solvers import Solver
from celab.metrics.celab import TeslaCelab

LENGTHS = (10, 20, 40, 80, 160)
MOST_PAIRS = 25  # of each length


@dataclass(frozen=True, slots=True)
class Growth:
    """What was measured at each length, the shortest first."""

    lengths: list[int]
    found: list[Found]

    def seconds(self, name: str) -> dict[int, float]:
        """Of one solver for a pair, by length, where it came to an end."""
        return {
            length: run.seconds_a_pair(found.n_pairs)
            for length, found in zip(self.lengths, self.found, strict=True)
            for run in found.runs
            if run.name == name and run.is_timed
        }

    def exponent(self, name: str) -> float | None:
        """k, or nothing if there are fewer than two lengths."""
        seconds = self.seconds(name)
        if len(seconds) < 2:
            return None
        lengths, times = ([math.log(x) for x in some] for some in (seconds, seconds.values()))
        return statistics.linear_regression(lengths, times).slope

    @property
    def names(self) -> list[str]:
        """Of all solvers, the reduction first."""
        return [run.name for run in self.found[0].runs]

    @property
    def is_wrong(self) -> bool:
        """Whether any solver disagrees with the reduction at any length."""
        return any(found.is_wrong for found in self.found)


def grow(
    make: Callable[[int], tuple[Pairs, TeslaCelab]],
    lengths: Sequence[int],
    solvers: Sequence[Solver],
    *,
    rounds: int = 3,
    timeout: float = 60.0,
    progress: Callable[[], object] = lambda: None,
) -> Growth:
    """`make` gives the pairs of a length, and what reads them."""
    lengths = sorted(set(lengths))
    results: list[Found] = []
    able = list(solvers)
    for length in lengths:
        pairs, metric = make(length)
        found = measure(pairs, metric, able, rounds=rounds, timeout=timeout, progress=progress)
        results.append(found)
        timed = {run.name for run in found.runs if run.is_timed}
        for _ in range((len(solvers) - len(able)) * rounds):
            progress()  # for those that are no longer asked
        able = [solver for solver in able if solver.name in timed]
    return Growth(lengths, results)
