"""How long does an explanation take, and how often does it need HiGHS?

Pairs of at most 100 characters, strings in, explanation out, one thread, lexicon loaded, by
processor time. Every tenth pair is also solved by HiGHS alone. Coverage must add up to the score
either way.
"""

from __future__ import annotations

import statistics
import time
from typing import Any
from unittest import mock

from data import load
from measure import Failed, number_from_command_line, say, summary, table, target, write

import celab
from celab._native.witness import whole_solution
from celab.metrics.explaining import explain

ROUNDS, LONGEST, PER_SYSTEM = 3, 100, 35


def main() -> None:
    rounds = number_from_command_line("rounds", ROUNDS, __doc__)
    data, metric = load(), celab.TeslaCelab()
    sample = [pair for _, *texts in data.sample(PER_SYSTEM) for pair in zip(*texts, strict=True)]
    pairs = [pair for pair in sample if max(map(len, pair)) <= LONGEST]
    with mock.patch.object(explain, "solve", side_effect=explain.solve) as solve:
        by_round = [[explained(metric, *pair) for pair in pairs] for _ in range(rounds)]
    n_left = solve.call_count // 2 // rounds  # two calls a pair
    with mock.patch.object(explain, "whole_solution", without_value):
        by_highs = [explained(metric, *pair) for pair in pairs[::10]]
    by_kernel = [min(times) for times in zip(*by_round, strict=True)]
    longest = [t for t, pair in zip(by_kernel, pairs, strict=True) if max(map(len, pair)) > 80]
    found = {
        "all": by_kernel,
        f"81 to {LONGEST} characters": longest,
        "by HiGHS alone, every tenth pair": by_highs,
    }
    say(
        f"Milliseconds of processor time per pair of at most {LONGEST} characters, the best of"
        f" {rounds} rounds. {n_left} of {len(pairs)} pairs were left to HiGHS. Checked: the"
        " coverage adds up to precision and recall."
    )
    table(
        ["", "pairs", "median", "90th percentile"],
        [
            [name, len(times), f"{statistics.median(times):.2f}", f"{ninth_decile(times):.2f}"]
            for name, times in found.items()
        ],
    )
    middle = statistics.median(by_kernel)
    target(f"an explanation takes at most 1 ms, median: {middle:.2f}", middle <= 1)
    figures = {name: summary(times, "ms") for name, times in found.items()}
    write("explain", data.origin, figures, {"pairs": len(pairs), "left to HiGHS": n_left})


def without_value(*given: Any) -> Any:
    """The kernel's answer, with amounts that are never those proved."""
    return *whole_solution(*given)[:4], -1, -1


def explained(metric: celab.TeslaCelab, hyp: str, ref: str) -> float:
    began = time.process_time()
    found = metric.explain(hyp, ref)
    took = 1e3 * (time.process_time() - began)
    for rate, ngrams in ((found.precision, found.hyp_ngrams), (found.recall, found.ref_ngrams)):
        if ngrams and abs(sum(n.cover for n in ngrams) / len(ngrams) - rate) > 1e-7:
            raise Failed(f"the coverage of {hyp!r} and {ref!r} does not add up to the score")
    return took


def ninth_decile(times: list[float]) -> float:
    return statistics.quantiles(times, n=10)[-1]


if __name__ == "__main__":
    main()
