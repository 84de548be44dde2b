"""Measure: pairs → time in each room, time of each solver, sizes, steps, and who disagrees.

Everything starts at tokens and ends at values: the reduction finds the links, reduces and solves
what is left; for the others links are found and whole programs written down, in our process, and
then solved, in theirs. With C_ref and C_hyp the greatest coverages, a pair's value is

    C_ref + f · C_hyp

and the reduction's is the yardstick: who differs from it by more than 1e-6 of the value, or of 1,
is wrong. Seconds are of the processor, for all have one thread: on an idle machine the clock says
the same, and on a busy one it tells of other work. All take turns, once a round, for other work
moves both.
"""

from __future__ import annotations

import math
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from celab._native.cover import cover_pairs
from celab._native.vocabulary import Vocabulary
from celab.benchmark.pairs import Pairs
from celab.benchmark.process import Broken, Worker
from celab.benchmark.programs import save, stacked
from celab.benchmark.solvers import Solver
from celab.metrics.celab import TeslaCelab
from celab.program import Program
from celab.solve import block_values
from celab.version import __version__

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from celab._native.tokens import Sentences

    F64 = NDArray[np.float64]

TOLERANCE = 1e-6
REDUCTION = "reduction"
STEPS = ("settled", "apart", "bounded", "priced", "program")  # as cover_pairs numbers them
ROOMS = ("normalise", "tokens", "links and cover", "HiGHS, what is left", "whole programs")
SIZES = ("columns", "rows", "nonzeros")
_SHORTEST = 0.1  # seconds that our own part of a round takes at least, by being repeated


@dataclass(slots=True)
class Run:
    """What a solver did: seconds for all pairs, in each round."""

    name: str
    package: str
    version: str
    how: str
    state: str = "agrees"  # or: wrong, failed, crashed, timed out
    why: str = ""
    seconds: list[float] = field(default_factory=list)  # tokens to values
    solver_seconds: list[float] = field(default_factory=list)  # of these, in the solver
    clock_seconds: list[float] = field(default_factory=list)  # tokens to values, by the clock
    greatest_difference: float | None = None  # from the reduction's values
    wrong: list[int] = field(default_factory=list)  # numbers of pairs, from 1 on

    @property
    def is_timed(self) -> bool:
        """Whether all rounds came to their end."""
        return self.state in ("agrees", "wrong")

    def seconds_a_pair(self, n_pairs: int) -> float:
        """The median of the rounds; more than 0 even if the processor's clock stood still."""
        return max(statistics.median(self.seconds), 1e-9) / n_pairs


@dataclass(frozen=True, slots=True)
class Found:
    """What was measured on some pairs; the first of the runs is the reduction's."""

    origin: str
    signature: str
    n_pairs: int
    mean_length: float  # of the references, in tokens
    rounds: int
    runs: list[Run]
    rooms: dict[str, list[float]]  # seconds for all pairs, in each round
    sizes: dict[str, list[int]]  # of each pair's whole program
    steps: NDArray[np.int8]  # (pairs, 2): which step proved the reference and the hypothesis

    @property
    def is_wrong(self) -> bool:
        """Whether any solver disagrees with the reduction."""
        return any(run.state == "wrong" for run in self.runs)


def measure(
    pairs: Pairs,
    metric: TeslaCelab,
    solvers: Sequence[Solver],
    *,
    rounds: int = 3,
    timeout: float = 60.0,
    progress: Callable[[], object] = lambda: None,
) -> Found:
    """All solvers in turns; `progress` is called once a turn, whoever's it is."""
    work = _Work(pairs, metric)
    program = work.programs()
    yardstick = Run(REDUCTION, "celab", __version__, "exact reduction, HiGHS for what is left")
    yardstick.greatest_difference = 0.0
    runs = [Run(one.name, one.package, one.version, one.how) for one in solvers]
    rooms: dict[str, list[float]] = {name: [] for name in ROOMS}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        path = os.path.join(folder, "programs.npz")
        save(path, program)
        workers = {}
        for run, solver in zip(runs, solvers, strict=True):
            workers[run.name] = stack.enter_context(Worker(solver, path, timeout))
            _ask(run, workers[run.name].first)
        for _ in range(rounds):
            seconds, clock, clock_programs = work.round()
            for name in ROOMS:
                rooms[name].append(seconds[name])
            yardstick.solver_seconds.append(seconds["HiGHS, what is left"])
            yardstick.seconds.append(seconds["links and cover"] + yardstick.solver_seconds[-1])
            yardstick.clock_seconds.append(clock)
            for run in runs:
                if run.is_timed and (answer := _ask(run, workers[run.name].round)):
                    run.solver_seconds.append(answer["seconds"])
                    run.seconds.append(seconds["whole programs"] + answer["seconds"])
                    run.clock_seconds.append(clock_programs + answer["clock_seconds"])
                    _compare(run, np.array(answer["values"]), work.values)
                progress()
    return Found(
        pairs.origin, metric.signature, len(pairs), float(work.ref.lengths().mean()), rounds,
        [yardstick, *runs], rooms, _sizes(program), work.steps,
    )  # fmt: skip


class _Work:
    """Our own part: the rooms that pairs go through, each with a clock at its door."""

    def __init__(self, pairs: Pairs, metric: TeslaCelab) -> None:
        self.pairs = pairs
        self.metric = metric
        self.hyp: Sentences
        self.ref: Sentences
        self.values: F64
        self.steps: NDArray[np.int8]
        self._reduction()  # loads what is loaded once
        self.repeats = _repeats(self._reduction)
        self.program_repeats = _repeats(self._programs)

    def round(self) -> tuple[dict[str, float], float, float]:
        """Seconds in each room; the clock's for the reduction, and for whole programs."""
        times = [self._reduction() for _ in range(self.repeats)]
        *rooms, clock = (sum(some) / self.repeats for some in zip(*times, strict=True))
        began, began_clock = time.process_time(), time.perf_counter()
        for _ in range(self.program_repeats):
            self._programs()
        programs = (time.perf_counter() - began_clock) / self.program_repeats
        rooms.append((time.process_time() - began) / self.program_repeats)
        return dict(zip(ROOMS, rooms, strict=True)), clock, programs

    def programs(self) -> Program:
        """The whole programs, as blocks of one."""
        return stacked(self._programs())

    def _reduction(self) -> list[float]:
        # Seconds in each of the first four rooms, and the clock's in the last two of them.
        metric, options = self.metric, self.metric.options
        times = [time.process_time()]
        hyps, refs = metric.prepared(self.pairs.hyps), metric.prepared(self.pairs.refs)
        times.append(time.process_time())
        vocabulary = metric.vocabulary()
        self.ref = metric.read(refs, vocabulary)
        self.hyp = metric.read(hyps, Vocabulary(vocabulary), indexed=False)
        times.append(time.process_time())
        clock = time.perf_counter()
        release = options.links == "release-2012"
        covered, self.steps, left = cover_pairs(self.hyp, self.ref, options.max_order, release)
        values = covered.astype(np.float64)
        times.append(time.process_time())
        if len(left):
            program = Program.of(left)
            np.add.at(values.reshape(-1), program.block_owner, block_values(program, "the pairs"))
        times.append(time.process_time())
        clock = time.perf_counter() - clock
        self.values = values @ (1.0, options.f or 0.25)  # as in the whole program
        return [*(end - start for start, end in pairwise(times)), clock]

    def _programs(self) -> list[Program]:
        return [
            self.metric.joint_program(self.hyp, s, self.ref, s)[0] for s in range(len(self.pairs))
        ]


def _repeats(work: Callable[[], object]) -> int:
    # How often it is done for the clock to tell something.
    began = time.perf_counter()
    work()
    return max(1, math.ceil(_SHORTEST / (time.perf_counter() - began)))


def _ask(run: Run, question: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    # The answer, or an empty one and the reason in `run`.
    try:
        return question()
    except Broken as error:
        run.state, run.why = error.state, str(error)
        return {}


def _compare(run: Run, seen: F64, values: F64) -> None:
    difference = np.abs(seen - values)
    run.greatest_difference = max(run.greatest_difference or 0.0, float(difference.max()))
    wrong = np.flatnonzero(difference > TOLERANCE * np.maximum(1.0, values))
    if len(wrong):
        first = int(wrong[0])
        run.state = "wrong"
        run.wrong = sorted({*run.wrong, *(wrong + 1).tolist()})
        run.why = (
            f"{len(run.wrong)} of {len(values)} pairs; the value of pair {first + 1} is"
            f" {values[first]:g}, not {seen[first]:.10g}"
        )


def _sizes(program: Program) -> dict[str, list[int]]:
    entries = np.append(program.row_start, len(program.index))[
        np.append(program.block_row, len(program.row_upper))
    ]
    return {
        "columns": np.diff(program.block_column, append=len(program.cost)).tolist(),
        "rows": np.diff(program.block_row, append=len(program.row_upper)).tolist(),
        "nonzeros": np.diff(entries).tolist(),
    }
