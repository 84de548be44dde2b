"""How much faster are two threads than one, on one long corpus: all systems, one after another?"""

from __future__ import annotations

import statistics

from data import load
from measure import Failed, in_turns, number_from_command_line, summary, table, target, write

import celab

ROUNDS = 9


def main() -> None:
    rounds = number_from_command_line("rounds", ROUNDS, __doc__)
    data = load()
    hyps = [hyp for system in data.systems.values() for hyp in system]
    refs = data.refs * len(data.systems)
    metrics = {jobs: celab.TeslaCelab(jobs=jobs) for jobs in (1, 2)}
    expected = metrics[1].corpus_score(hyps, [refs])

    def score(jobs: int) -> None:
        if metrics[jobs].corpus_score(hyps, [refs]) != expected:
            raise Failed("the scores are not the same bits with another number of threads")

    score(2)  # warms its threads' solvers
    seconds = in_turns({"1": lambda _: score(1), "2": lambda _: score(2)}, rounds)
    ratios = [a / b for a, b in zip(seconds["1"], seconds["2"], strict=True)]
    table(["threads", "seconds", "segments/s"], [
        [name, f"{statistics.median(times):.2f}", f"{len(hyps) / statistics.median(times):,.0f}"]
        for name, times in seconds.items()
    ])  # fmt: skip
    ratio = statistics.median(ratios)
    print(f"two threads are {ratio:.2f} times as fast ({min(ratios):.2f} to {max(ratios):.2f})\n")
    target(f"at least 1.7 times: {ratio:.2f}", ratio >= 1.7)
    write("threads", data.origin, {"2 threads / 1": summary(ratios, "ratio")}, {})


if __name__ == "__main__":
    main()
