"""Measure: pairs → the time of each stage and each solver, sizes, steps and differences.

Everything starts at tokens and ends at values, the optima of the pairs' whole programs. The
reduction's values are the standard: a solver with a value that differs by more than 1e-6 of it, or
of 1, is wrong. Seconds are processor time of one thread, because the wall-clock time on a busy
machine includes other work. All solvers run in every round, because the load changes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from importlib.metadata import version
from itertools import count
from statistics import mean, median
from typing import Any, ClassVar

import numpy as np

from celab._native.cover import cover_pairs
from celab._native.tokens import Sentences
from celab.base.arrays import F64, I8
from celab.base.dicts import JsonObject
from celab.base.frozen import dataclass
from celab.base.options import Options, option
from celab.base.progress import Progress, split
from celab.base.version import __version__
from celab.benchmark.samples import TextPairs
from celab.benchmark.solvers import Solver, WorkerError, solve_all, timed
from celab.exact.engine import Pairs
from celab.exact.solve import Program
from celab.metrics.celab import TeslaCelab

Figures = JsonObject  # a part of the JSON object that is reported
TOLERANCE = 1e-6
REDUCTION = "reduction"
STEPS = ("settled", "apart", "bounded", "priced", "program")  # as cover_pairs numbers them
STAGES = ("normalise", "tokens", "links and cover", "HiGHS on the rest", "whole programs")
LENGTHS = (10, 20, 40, 80, 160)  # for growth
MOST_PAIRS = 25  # of each length
_COMPLETE = ("agrees", "wrong")  # states of solvers that completed all rounds
_ALWAYS_SHOWN = ("name", "package", "version", "how", "state", "why")
_TICK = 1e-9  # seconds; a clock that is coarse may say 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureOptions(Options):
    """How long to measure."""

    heading: ClassVar[str] = "Measurement"

    rounds: int = option(3, "rounds; all solvers take turns in each", between=(1, 10_000))
    timeout: float = option(120.0, "seconds for a solver and all its rounds", between=(1e-3, 1e6))


def stages_of(pairs: TextPairs, metric: TeslaCelab) -> tuple[Callable[[], Any], ...]:
    """Return the metric's work on all pairs, one function a stage, each on what the last one left.

    normalize → tokenize → cover → coverage, which is cover and HiGHS on the rest
                         → programs, for the other solvers
    """
    engine, texts = metric.engine, (list(pairs.hyps), list(pairs.refs))

    def normalize() -> list[list[str]]:
        return [engine.prepare(side) for side in texts]

    def tokenize() -> tuple[Sentences, Sentences]:
        vocabulary, (ref,) = engine.references([refs], keep=False)
        return engine.hypotheses(hyps, vocabulary), ref

    def cover() -> tuple[object, ...]:
        in_order = np.arange(len(pairs), dtype=np.int32)
        release = engine.release_2012_links
        return cover_pairs(hyp, ref, engine.max_order, release, in_order, in_order)

    def coverage() -> F64:
        aligned = Pairs.in_order(hyp, ref, lambda p: f"pair {p + 1}")
        return engine.combine_grades(engine.cover_by_grade(aligned, metric.run)).amounts

    def programs() -> list[tuple[Program, int]]:
        return [engine.joint_program(hyp, p, ref, p) for p in range(len(pairs))]

    hyps, refs = normalize()
    hyp, ref = tokenize()
    return normalize, tokenize, cover, coverage, programs


@dataclass(slots=True)
class Outcome:
    """Outcome of a solver on all pairs."""

    name: str
    package: str
    version: str
    how: str
    state: str = "agrees"  # or: wrong, failed, crashed, timed out
    why: str = ""
    times: list[tuple[float, float, float]] = field(default_factory=list)  # of each round
    greatest_difference: float = 0.0  # from the reduction's values
    wrong: list[int] = field(default_factory=list)  # numbers of pairs, counted from 1
    used: float = 0.0  # seconds of its time limit

    def add(self, times: tuple[float, float, float], values: F64, right: F64) -> None:
        """Add a round: seconds from tokens to values, those in the solver, wall-clock seconds."""
        self.times.append(times)
        difference = np.abs(values - right)
        self.greatest_difference = max(self.greatest_difference, float(difference.max()))
        wrong = np.flatnonzero(difference > TOLERANCE * np.maximum(1.0, right))
        if len(wrong):
            self.state = "wrong"
            self.wrong = sorted({*self.wrong, *(wrong + 1).tolist()})
            self.why = (
                f"{len(self.wrong)} of {len(right)} pairs; the value of pair {wrong[0] + 1} is"
                f" {right[wrong[0]]:g}, not {values[wrong[0]]:.10g}"
            )


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Solvers to compare with the reduction."""

    metric: TeslaCelab
    solvers: Sequence[Solver]
    options: MeasureOptions

    def measure(self, pairs: TextPairs, progress: Progress | None = None) -> Figures:
        """Measure the reduction and all solvers, in turns; `progress` counts those of solvers."""
        work = stages_of(pairs, self.metric)
        _, (_, ref), (_, steps, rest), coverage, joint = (stage() for stage in work)
        programs, (first, n_links) = [program for program, _ in joint], joint[0]
        values = coverage @ first.cost[[n_links, -1]]  # columns: links, then n-grams of each side
        reduction = Outcome(REDUCTION, "celab", __version__, "exact reduction, HiGHS on the rest")
        outcomes = [Outcome(s.name, s.package, version(s.package), s.how) for s in self.solvers]
        stages: list[list[float]] = []  # seconds, in each round
        turns = count(1)
        for _ in range(self.options.rounds):
            times = np.array([timed(stage)[1:] for stage in work])
            (*before, cover, whole, writing), (*_, wall, writing_wall) = times.T.tolist()
            # HiGHS is called from within the reduction, so its time is the difference.
            cover = min(cover, whole) if len(rest) else whole
            stages.append([*before, cover, whole - cover, writing])
            reduction.add((whole, whole - cover, wall), values, values)
            for outcome, solver in zip(outcomes, self.solvers, strict=True):
                if outcome.state in _COMPLETE:
                    self._ask(outcome, solver, programs, (writing, writing_wall), values)
                if progress is not None:
                    progress(next(turns), self.options.rounds * len(outcomes))
        outcomes = [reduction, *outcomes]
        mean_length = float(ref.lengths().mean())
        sizes = zip(*((len(p.cost), len(p.row_upper), len(p.index)) for p in programs), strict=True)
        return {
            "corpus": {"origin": pairs.origin, "pairs": len(pairs), "mean_length": mean_length},
            "signature": self.metric.signature,
            "rounds": self.options.rounds,
            "agree": not any(outcome.wrong for outcome in outcomes),
            "solvers": solver_figures(outcomes, len(pairs)),
            "sizes": {
                name: {"median": median(counts), "mean": mean(counts), "max": max(counts)}
                for name, counts in zip(("columns", "rows", "nonzeros"), sizes, strict=True)
            },
            # A pair counts by the harder of its halves.
            "steps": {"halves": _shares(steps.reshape(-1)), "pairs": _shares(steps.max(axis=1))},
            "stages": dict(zip(STAGES, map(_spread, np.transpose(stages)), strict=True)),
        }

    def _ask(
        self,
        outcome: Outcome,
        solver: Solver,
        programs: Sequence[Program],
        writing: tuple[float, float],
        right: F64,
    ) -> None:
        """Add a round of a solver, or why there is none; `writing` is the time of the programs."""
        began = time.monotonic()
        try:
            values, seconds, wall = solve_all(solver, programs, self.options.timeout - outcome.used)
            times = (writing[0] + seconds, seconds, writing[1] + wall)
            outcome.add(times, np.array(values), right)
        except WorkerError as error:
            is_late = error.state == "timed out"
            outcome.state = error.state
            outcome.why = f"after {self.options.timeout:g} s" if is_late else error.why
        outcome.used += time.monotonic() - began

    def grow(
        self, pairs: TextPairs, lengths: Sequence[int], progress: Progress | None = None
    ) -> dict[int, Figures]:
        """Return a measurement of at most `MOST_PAIRS` pairs for each length, from the shortest on.

        A solver that fails at one length is not asked for longer ones.
        """
        growth: dict[int, Figures] = {}
        able = self
        n_turns = len(lengths) * self.options.rounds * len(self.solvers)
        shares = split(progress, n_turns, [1] * len(lengths))
        for length, share in zip(sorted(lengths), shares, strict=True):
            sample = pairs.of_length(length, min(len(pairs), MOST_PAIRS))
            growth[length] = able.measure(sample, share)
            complete = {row["name"] for row in growth[length]["solvers"] if "seconds" in row}
            able = replace(
                able, solvers=[solver for solver in able.solvers if solver.name in complete]
            )
        return growth


def solver_figures(outcomes: Sequence[Outcome], n_pairs: int) -> list[Figures]:
    """Return a row per solver; only those that completed all rounds have times and differences."""
    complete = [outcome for outcome in outcomes if outcome.state in _COMPLETE]
    times = {outcome.name: np.array(outcome.times).T for outcome in complete}
    by_median = sorted(times, key=lambda name: np.median(times[name][0]))
    fastest, slowest = times[by_median[0]], times[by_median[-1]]
    solvers = []
    for outcome in outcomes:
        row: Figures = {name: getattr(outcome, name) for name in _ALWAYS_SHOWN}
        if outcome.name in times:
            seconds, solver_seconds, wall_seconds = times[outcome.name]
            row |= {
                "seconds": seconds.tolist(),
                "solver_seconds": solver_seconds.tolist(),
                "wall_seconds": wall_seconds.tolist(),
                "greatest_difference": outcome.greatest_difference,
                "wrong": outcome.wrong,
                "pairs_per_second": _spread(n_pairs / seconds.clip(_TICK)),
                "speedup": float(np.median(slowest[0] / seconds.clip(_TICK))),
                "slowdown": _spread(seconds / fastest[0].clip(_TICK)),
                "wall_slowdown": _spread(wall_seconds / fastest[2].clip(_TICK)),
            }
        solvers.append(row)
    return solvers


def _spread(values: F64) -> dict[str, float]:
    return {name: float(getattr(np, name)(values)) for name in ("median", "min", "max")}


def _shares(steps: I8) -> dict[str, float]:
    counts = np.bincount(steps, minlength=len(STEPS)) / len(steps)
    return dict(zip(STEPS, counts.tolist(), strict=True))
