"""How fast are other solvers on the metric's whole programs, and do all agree?

    python bench/solvers.py                 the three questions of README.md
    python bench/solvers.py REF HYP...      a sample of the pairs of files
    python bench/solvers.py --growth        generated pairs, and the same at several lengths

The exact reduction is the standard: a solver with a value that differs by more than 1e-6 of it, or
of 1, is wrong, and the exit code is 1. Seconds are processor time of one thread, from tokens to
values, because the wall-clock time on a busy machine includes other work. Each solver runs in a
process of its own, and all take turns in each round. Solvers that are not installed are left out;
the extra `bench` brings them.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from data import FOLDER, sides_of
from generated_pairs import TextOptions, TextPairs, generate, sample
from linear_solvers import SOLVERS, Solver, WorkerError, choose, solve_all, timed
from measure import Failed, say, summary, table, write

import celab
from celab.exact.engine import Pairs

TOLERANCE = 1e-6
REDUCTION = "reduction"
LENGTHS = (10, 20, 40, 80, 160)  # tokens per reference
MAX_PAIRS = 25  # of each length
MIN_SECONDS = 1e-9  # a clock that is coarse may say 0
REAL = "--pairs 200 --rounds 5 ref-A.txt hyp/*.txt"
QUESTIONS = (REAL, "--growth", "--pairs 50 --density 0.9 --repetition 0.5")
COMPLETE = ("agrees", "wrong")  # states of solvers that completed all rounds


@dataclass(kw_only=True)
class Outcome:
    """What a solver made of all pairs."""

    name: str
    version: str
    state: str = "agrees"  # or: wrong, failed, crashed, timed out
    why: str = ""
    seconds: list[float] = field(default_factory=list)  # of processor time, in each round
    wall_seconds: list[float] = field(default_factory=list)
    greatest_difference: float = 0.0  # from the reduction's values
    wrong: set[int] = field(default_factory=set)  # numbers of pairs, counted from 1
    used: float = 0.0  # seconds of its time limit

    def add(self, seconds: float, wall_seconds: float, values: Any, right: Any) -> None:
        """Add the times and the values of a round."""
        self.seconds.append(max(seconds, MIN_SECONDS))
        self.wall_seconds.append(max(wall_seconds, MIN_SECONDS))
        difference = np.abs(np.asarray(values) - right)
        self.greatest_difference = max(self.greatest_difference, float(difference.max()))
        wrong = np.flatnonzero(difference > TOLERANCE * np.maximum(1.0, right))
        if len(wrong):
            self.state = "wrong"
            self.wrong.update((wrong + 1).tolist())
            self.why = (
                f"{len(self.wrong)} of {len(right)} pairs; the value of pair {wrong[0] + 1} is"
                f" {right[wrong[0]]:g}, not {values[wrong[0]]:.10g}"
            )


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """The reduction and all solvers, on the same pairs."""

    outcomes: list[Outcome]
    n_pairs: int
    mean_length: float  # tokens per reference
    nonzeros: float  # of a whole program, on average
    writing: float  # seconds in which links and whole programs are made

    @property
    def complete(self) -> list[Outcome]:
        """The solvers that completed all rounds; only those have times."""
        return [outcome for outcome in self.outcomes if outcome.state in COMPLETE]


def stages_of(
    pairs: TextPairs, metric: celab.TeslaCelab
) -> tuple[Callable[[], Any], Callable[[], Any], Any]:
    """Two ways from tokens on, and the tokens of the references.

    The first is the reduction: a coverage of both sides of each pair. The second makes the whole
    program of each pair, and says how many of its columns are links.
    """
    engine = metric.engine
    hyp, ref = sides_of(metric, list(pairs.hyps), list(pairs.refs))

    def coverage() -> Any:
        aligned = Pairs.in_order(hyp, ref, lambda p: f"pair {p + 1}")
        return engine.combine_grades(engine.cover_by_grade(aligned, metric.run)).amounts

    def programs() -> Any:
        return [engine.joint_program(hyp, p, ref, p) for p in range(len(pairs))]

    return coverage, programs, ref


def measure(
    pairs: TextPairs,
    metric: celab.TeslaCelab,
    solvers: Sequence[Solver],
    *,
    rounds: int,
    timeout: float,
) -> Measurement:
    """Measure the reduction and all solvers, in turns."""
    coverage, joint_programs, ref = stages_of(pairs, metric)
    joint = joint_programs()
    programs, (first, n_links) = [program for program, _ in joint], joint[0]
    right = coverage() @ first.cost[[n_links, -1]]  # columns: links, then n-grams of each side
    reduction = Outcome(name=REDUCTION, version=f"celab {celab.__version__}")
    others = [Outcome(name=s.name, version=f"{s.package} {version(s.package)}") for s in solvers]
    all_writing = []
    for _ in range(rounds):
        reduction.add(*timed(coverage)[1:], right, right)
        _, writing, wall_writing = timed(joint_programs)
        all_writing.append(writing)
        for outcome, solver in zip(others, solvers, strict=True):
            if outcome.state not in COMPLETE:
                continue
            began = time.monotonic()
            try:
                values, seconds, wall = solve_all(solver, programs, timeout - outcome.used)
                outcome.add(writing + seconds, wall_writing + wall, values, right)
            except WorkerError as error:
                is_late = error.state == "timed out"
                outcome.state = error.state
                outcome.why = f"after {timeout:g} s" if is_late else error.why
            outcome.used += time.monotonic() - began
    return Measurement(
        outcomes=[reduction, *others],
        n_pairs=len(pairs),
        mean_length=float(ref.lengths().mean()),
        nonzeros=statistics.mean(len(program.index) for program in programs),
        writing=statistics.median(all_writing),
    )


def grow(
    options: TextOptions, lengths: Sequence[int], solvers: Sequence[Solver], **settings: Any
) -> dict[int, Measurement]:
    """A measurement of at most `MAX_PAIRS` generated pairs for each length, from the shortest on.

    A solver that fails at one length is not asked for longer ones.
    """
    growth: dict[int, Measurement] = {}
    for length in sorted(lengths):
        some = replace(options, length=length, pairs=min(options.pairs, MAX_PAIRS))
        pairs = generate(some)
        growth[length] = measure(pairs, pairs.generated_metric(), solvers, **settings)
        complete = {outcome.name for outcome in growth[length].complete}
        solvers = [solver for solver in solvers if solver.name in complete]
    return growth


def show(origin: str, measured: Measurement, rounds: int) -> None:
    """The table of a measurement."""
    n_pairs = measured.n_pairs
    say(
        f"{origin}: {n_pairs:,} pair{'s' * (n_pairs != 1)},"
        f" {measured.mean_length:.1f} tokens per reference;"
        f" {f'medians of {rounds} rounds' if rounds > 1 else '1 round'}"
    )
    by_median = sorted(measured.complete, key=lambda one: statistics.median(one.seconds))
    fastest, slowest = by_median[0], by_median[-1]
    rows = []
    for one in measured.outcomes:
        cells = [""] * 6
        if one in measured.complete:
            rate = n_pairs / statistics.median(one.seconds)
            ratios = (
                ratio(slowest.seconds, one.seconds),
                ratio(one.seconds, fastest.seconds),
                ratio(one.wall_seconds, fastest.wall_seconds),
            )
            difference = one.greatest_difference
            cells = [f"{rate:,.0f}", *map(short, (1e6 / rate, *ratios))]
            cells.append(f"{difference:.0e}" if difference else "0")
        rows.append([one.name, one.version, *cells, one.state])
    headings = "solver, version, pairs/s, µs/pair, speed-up, slowdown, wall-clock slowdown"
    table([*headings.split(", "), "difference", "values"], rows)
    say(
        "processor time, from tokens to values; for all but the reduction it includes"
        f" {1e6 * measured.writing / n_pairs:.0f} µs per pair for links and whole programs"
    )
    for one in measured.outcomes:
        if one.why:
            say(f"{one.name} {one.state}: {one.why}")


def show_growth(growth: dict[int, Measurement]) -> None:
    """Microseconds per pair at each length, and the exponents."""
    names = [outcome.name for outcome in growth[min(growth)].outcomes]
    times: dict[str, dict[int, float]] = {name: {} for name in names}
    for length, measured in growth.items():
        for one in measured.complete:
            times[one.name][length] = statistics.median(one.seconds) / measured.n_pairs
    rows = [
        [str(length), f"{measured.nonzeros:,.0f}"]
        + [short(1e6 * times[name][length]) if length in times[name] else "" for name in names]
        for length, measured in growth.items()
    ]
    exponents = [exponent(times[name]) for name in names]
    rows.append(["exponent", "", *("" if k is None else f"{k:.2f}" for k in exponents)])
    table(["length", "nonzeros", *names], rows)
    n_pairs = growth[min(growth)].n_pairs
    say(f"µs per pair; {n_pairs} pairs of each length; the exponent is k in time \\~ length^k")
    for length, measured in growth.items():
        for one in measured.outcomes:
            if one.why:
                say(f"length {length}: {one.name} {one.state}: {one.why}")


def ratio(above: Sequence[float], below: Sequence[float]) -> float:
    """The median of the ratios of the rounds."""
    return statistics.median(a / b for a, b in zip(above, below, strict=True))


def exponent(times: dict[int, float]) -> float | None:
    """k in time ~ length^k; None of a single length."""
    logs = [[math.log(number) for number in side] for side in (times, times.values())]
    return statistics.linear_regression(*logs).slope if len(times) > 1 else None


def short(number: float) -> str:
    """Three digits at most below a thousand."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.1f}"


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        usage="%(prog)s [options] [REF HYP...]",
        description=(__doc__ or "").split("\n")[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    made.add_argument("files", nargs="*", metavar="FILE", help="a reference, and systems")
    made.add_argument("--rounds", type=int, default=3, help="all solvers take turns in each")
    made.add_argument("--timeout", type=float, default=120, help="seconds, all rounds of a solver")
    made.add_argument("--solvers", help=f"some of {','.join(SOLVERS)}; default: all installed")
    made.add_argument("--lang", help="language of the files")
    made.add_argument("--pairs", type=int, default=TextOptions.pairs, help="files are sampled")
    made.add_argument("--seed", type=int, default=TextOptions.seed, help="of sample or text")
    text = made.add_argument_group("generated text, without files")
    text.add_argument("--length", type=int, default=TextOptions.length, help="tokens, on average")
    text.add_argument("--overlap", type=float, default=TextOptions.overlap, help="share kept")
    text.add_argument("--density", type=float, default=TextOptions.density, help="share in words")
    text.add_argument(
        "--repetition", type=float, default=TextOptions.repetition, help="share repeated"
    )
    text.add_argument("--growth", action="store_true", help="also measure several lengths")
    return made


def answer(arguments: Sequence[str]) -> dict[str, Any]:
    """Answer one question; return the figures."""
    made = parser()
    given = made.parse_args(arguments)
    if len(given.files) == 1 or (given.files and given.growth):
        made.error("give a reference and one or more systems, or generated text, without files")
    if min(given.rounds, given.pairs, given.length) < 1:
        made.error("--rounds, --pairs and --length must be 1 or more")
    options = TextOptions(**{spec.name: getattr(given, spec.name) for spec in fields(TextOptions)})
    settings = {"rounds": given.rounds, "timeout": given.timeout}
    try:
        solvers = choose(given.solvers)
        if given.files:
            pairs = read(given.files, given.pairs, given.seed)
            metric = celab.TeslaCelab(lang=given.lang)
        else:
            pairs = generate(options)
            metric = pairs.generated_metric()
    except (ValueError, celab.CelabError) as error:
        made.error(str(error))
    measurements = [measure(pairs, metric, solvers, **settings)]
    show(pairs.origin, measurements[0], given.rounds)
    if given.growth:
        growth = grow(options, LENGTHS, solvers, **settings)
        show_growth(growth)
        measurements += growth.values()
    check(measurements)
    n_pairs = len(pairs)
    return {
        f"{one.name}, {pairs.origin}": summary([1e6 * t / n_pairs for t in one.seconds], "µs/pair")
        for one in measurements[0].complete
    }


def read(files: Sequence[str], n_pairs: int, seed: int) -> TextPairs:
    """A sample of the pairs of a reference and systems."""
    corpus = celab.Campaign.read(files[0], files[1:]).corpus
    n_systems = len(corpus.systems)
    systems = Path(files[1]).name if n_systems == 1 else f"{n_systems} systems"
    origin = f"{systems} against {Path(files[0]).name}"
    return sample(origin, [*corpus.systems.values()], corpus.refs[0], n_pairs, seed)


def check(measurements: Sequence[Measurement]) -> None:
    """Say whether all solvers agree; stop if one does not."""
    if any(one.wrong for measured in measurements for one in measured.outcomes):
        raise Failed(f"values differ from the {REDUCTION}'s by more than {TOLERANCE:g} of them")
    n_others = len(measurements[0].complete) - 1
    agree = "1 other solver agrees" if n_others == 1 else f"{n_others} other solvers agree"
    if not n_others:
        say(f"no solver was compared with the {REDUCTION}")
    else:
        say(f"{agree} with the {REDUCTION} on every value, to {TOLERANCE:g} of it")


def main() -> None:
    if len(sys.argv) > 1:
        answer(sys.argv[1:])
        return
    say(
        "Speed-up is relative to the slowest solver, slowdown to the fastest, both within a round."
        " Difference: the greatest from a value of the reduction."
    )
    figures: dict[str, Any] = {}
    for words in QUESTIONS:
        if words == REAL and not FOLDER.is_dir():
            print(f"{FOLDER} is not there; real pairs are left out")
            continue
        say(f"`python bench/solvers.py {words}`")
        files = [[str(path) for path in sorted(FOLDER.glob(word))] for word in words.split()]
        arguments = [
            argument
            for word, paths in zip(words.split(), files, strict=True)
            for argument in paths or [word]
        ]
        figures |= answer(arguments)
    write("solvers", "wmt21-enzh-sys and generated text", figures, {})


if __name__ == "__main__":
    main()
