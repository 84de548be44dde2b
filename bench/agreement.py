"""Does the exact reduction give what the paper's whole program gives, and how much faster?

Both solve the same pairs of every system, in turns, strings in, scores out. A difference of more
than 1e-9 in a score, a precision or a recall ends the run with exit code 1.
"""

from __future__ import annotations

import statistics
import time
from typing import Any
from unittest import mock

import numpy as np
from data import Data, load, sides_of
from measure import Failed, number_from_command_line, say, spread, summary, table, target, write

import celab
from celab._native import cover
from celab.exact import proof

PER_SYSTEM = 350  # × 29 systems: 10,150 pairs
TOLERANCE = 1e-9
STEPS = ("settled", "disjoint", "bounded", "priced", "program")  # as cover_pairs numbers them


def main() -> None:
    per_system = number_from_command_line("pairs", PER_SYSTEM, __doc__)
    data = load()
    auto, highs = celab.TeslaCelab(), celab.TeslaCelab(solver="highs")
    pairs = data.sample(per_system)
    for _, hyps, refs in pairs:  # loads what is loaded once, at the first text that needs it
        auto.corpus_score(hyps, [refs])
    highs.corpus_score(pairs[0][1][:5], [pairs[0][2][:5]])

    seconds: dict[str, list[float]] = {"auto": [], "highs": []}
    greatest, n_different, n_pairs = 0.0, 0, 0
    for _, hyps, refs in pairs:
        found = {}
        for name, metric in (("auto", auto), ("highs", highs)):
            began = time.perf_counter()
            found[name] = metric.corpus_score(hyps, [refs]).segments.figures
            seconds[name].append((time.perf_counter() - began) / len(hyps))
        difference = np.abs(found["auto"] - found["highs"]).max(axis=1)
        greatest = max(greatest, float(difference.max()))
        n_different += int((difference > TOLERANCE).sum())
        n_pairs += len(hyps)

    ratios = [h / a for a, h in zip(seconds["auto"], seconds["highs"], strict=True)]
    say(
        f"Of {n_pairs:,} pairs of {len(pairs)} systems, {n_different} differ by more than"
        f" {TOLERANCE}; the greatest difference is {greatest:.1e}. Medians over the systems, from"
        " strings to scores:"
    )
    table(
        ["", "µs/pair", "speed-up", "lowest", "highest"],
        [
            ["whole program", f"{1e6 * statistics.median(seconds['highs']):.1f}", "", "", ""],
            ["reduction", f"{1e6 * statistics.median(seconds['auto']):.1f}", *spread(ratios)],
        ],
    )
    halves, whole_pairs = steps_of(auto, data)
    say(f"The last step that was needed, all {data.n_pairs:,} pairs:")
    table(
        ["step", "halves", "pairs"],
        [[STEPS[k], f"{halves[k]:.2%}", f"{whole_pairs[k]:.2%}"] for k in range(len(STEPS))],
    )
    proofs = proofs_of(auto, data)
    said = ", ".join(f"{n} {how}" for how, n in proofs.items())
    say(f"What is left to HiGHS, by the way its optimum is proved: {said}.")
    ratio = statistics.median(ratios)
    target(f"at least 10,000 pairs: {n_pairs:,}", n_pairs >= 10_000)
    target(f"the reduction is 10 or more times as fast: {ratio:.1f}", ratio >= 10)
    figures = {
        "whole program": summary([1e6 * t for t in seconds["highs"]], "µs/pair"),
        "reduction": summary([1e6 * t for t in seconds["auto"]], "µs/pair"),
        "whole program / reduction": summary(ratios, "ratio"),
    }
    facts = {
        "signature": auto.signature,
        "pairs": n_pairs,
        "greatest difference": greatest,
        "pairs that differ": n_different,
        "halves by step": dict(zip(STEPS, halves, strict=True)),
        "pairs by step": dict(zip(STEPS, whole_pairs, strict=True)),
        "proofs": proofs,
    }
    write("agreement", data.origin, figures, facts)
    if n_different:
        raise Failed(f"{n_different} of {n_pairs} pairs differ by more than {TOLERANCE}")


def steps_of(metric: celab.TeslaCelab, data: Data) -> tuple[list[float], list[float]]:
    """The share of halves, and of pairs by their harder half, that ended at each step."""
    found = []
    for hyps in data.systems.values():
        hyp, ref = sides_of(metric, hyps, data.refs)
        each = np.arange(len(hyps), dtype=np.int32)
        found.append(cover.cover_pairs(hyp, ref, metric.options.max_order, False, each, each)[1])
    step = np.concatenate(found)
    halves = np.bincount(step.reshape(-1), minlength=len(STEPS)) / step.size
    pairs = np.bincount(step.max(axis=1), minlength=len(STEPS)) / len(step)
    return halves.tolist(), pairs.tolist()


def proofs_of(metric: celab.TeslaCelab, data: Data) -> dict[str, int]:
    """How many programs were proved in which way, in all pairs."""
    n_whole = 0

    def nearest(*given: Any) -> Any:
        nonlocal n_whole
        found = whole(*given)
        n_whole += int(found[0].sum())
        return found

    whole = proof._nearest_whole
    with (
        mock.patch.object(proof, "_nearest_whole", nearest),
        mock.patch.object(proof, "_rational", side_effect=proof._rational) as rational,
        mock.patch.object(proof, "_Tableau", side_effect=proof._Tableau) as tableau,
    ):
        metric.corpus_scores(data.systems, [data.refs])
    return {
        "in whole numbers": n_whole,
        "by continued fractions": rational.call_count - tableau.call_count,
        "by HiGHS's basis or exact pivots": tableau.call_count,
    }


if __name__ == "__main__":
    main()
