"""How much faster are two threads than one, and what holds the interpreter's lock (the GIL)?

Two tasks: one long corpus, and all systems together. What the lock costs is measured on one thread
while another thread only counts: it runs whenever the lock is free, so the time in which it does
not run is the time in which the first thread holds the lock.
"""

from __future__ import annotations

import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from data import load
from measure import (
    Failed,
    in_turns,
    number_from_command_line,
    say,
    spread,
    summary,
    table,
    target,
    write,
)
from speed import rooms_of

import celab

ROUNDS = 9
AIM = 1.85


def main() -> None:
    rounds = number_from_command_line("rounds", ROUNDS, __doc__)
    data = load()
    hyps = [hyp for system in data.systems.values() for hyp in system]
    refs = data.refs * len(data.systems)
    metrics = {jobs: celab.TeslaCelab(jobs=jobs) for jobs in (1, 2)}
    tasks: dict[str, Callable[[celab.TeslaCelab], object]] = {
        f"one corpus of {len(hyps):,} segments": lambda one: one.corpus_score(hyps, [refs]),
        f"{len(data.systems)} systems × {len(data.refs):,} segments together": (
            lambda one: one.corpus_scores(data.systems, [data.refs])
        ),
    }
    figures: dict[str, Any] = {}
    rows, missed = [], []
    for name, task in tasks.items():
        expected = task(metrics[1])

        def score(jobs: int, task: Any = task, expected: Any = expected) -> None:
            if task(metrics[jobs]) != expected:
                raise Failed("the scores are not the same bits with another number of threads")

        score(2)  # warms its threads' solvers
        seconds = in_turns({"1": lambda _: score(1), "2": lambda _: score(2)}, rounds)
        ratios = [a / b for a, b in zip(seconds["1"], seconds["2"], strict=True)]
        ratio = statistics.median(ratios)
        figures[f"{name}, 2 threads / 1"] = summary(ratios, "ratio")
        times = [f"{statistics.median(times):.2f}" for times in seconds.values()]
        # By Amdahl's law the speed-up is 1 / (s + (1 − s) / 2), with s the serial share.
        rows.append([name, *times, *spread(ratios), f"{2 / ratio - 1:.1%}"])
        missed.append((f"two threads are {AIM} times as fast, {name}: {ratio:.2f}", ratio >= AIM))
    say(f"Seconds with one and two threads, medians of {rounds} rounds; the scores are equal bits.")
    table(["", "one thread", "two threads", "speed-up", "lowest", "highest", "serial share"], rows)
    if getattr(sys, "_is_gil_enabled", lambda: True)() and sys.platform == "linux":
        for name, task in tasks.items():
            share = lock(name, metrics[1], lambda task=task: task(metrics[1]), rounds, len(hyps))
            figures[f"{name}, share of the lock"] = summary([share], "ratio")
    for aim in missed:
        target(*aim)
    write("threads", data.origin, figures, {})


def lock(
    name: str, metric: celab.TeslaCelab, work: Callable[[], object], rounds: int, n: int
) -> float:
    """Prints how long each stage holds the lock; gives the share of the whole time."""
    spent = rooms_of(metric, work, rounds, time.thread_time)
    with counting() as held_lock:
        held = rooms_of(metric, work, rounds, held_lock)
    totals = {stage: statistics.median(times) for stage, times in spent.items()}
    locked = {stage: max(0.0, statistics.median(times)) for stage, times in held.items()}
    share = sum(locked.values()) / sum(totals.values())
    say(
        f"What holds the interpreter's lock, {name}, one thread: {share:.1%} of the processor time,"
        " measured by a second thread that only counts and runs whenever the lock is free."
    )
    table(
        ["stage", "µs/segment", "with the lock", "share of all"],
        [
            [
                stage,
                f"{1e6 * t / n:.2f}",
                f"{1e6 * locked[stage] / n:.2f}",
                f"{locked[stage] / sum(totals.values()):.1%}",
            ]
            for stage, t in totals.items()
        ],
    )
    return share


@contextmanager
def counting() -> Iterator[Callable[[], float]]:
    """A clock that runs while the counter neither runs nor waits for a processor."""
    done = threading.Event()

    def count() -> None:
        while not done.is_set():
            pass

    thread = threading.Thread(target=count)
    thread.start()
    of_thread = time.pthread_getcpuclockid(thread.ident or 0)
    waits = Path(f"/proc/self/task/{thread.native_id}/schedstat")  # for a processor

    def clock() -> float:
        wait = int(waits.read_bytes().split()[1]) / 1e9
        return time.perf_counter() - time.clock_gettime(of_thread) - wait

    try:
        yield clock
    finally:
        done.set()
        thread.join()


if __name__ == "__main__":
    main()
