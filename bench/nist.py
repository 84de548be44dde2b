"""The shape of NIST 2008: 1,830 segments × 4 references × 11 systems of 43 characters, generated.

How long does the reduction take, all of it, and how long the whole program (`solver="highs"`) on a
share of the segments, in turns within one run? How much of the work on references is done once?
"""

from __future__ import annotations

import statistics
import time

import numpy as np
from data import noisy_copies
from measure import Failed, in_turns, number_from_command_line, say, summary, table, target, write

import celab

N_SEGMENTS, N_REFS, N_SYSTEMS, LENGTH = 1830, 4, 11, 43
SHARE = 61  # one segment in so many goes to the whole program: 30
ROUNDS = 3


def main() -> None:
    rounds = number_from_command_line("rounds", ROUNDS, __doc__)
    refs, systems = generated()
    lengths = np.mean([len(text) for side in refs for text in side])
    say(
        f"{N_SYSTEMS} systems × {N_SEGMENTS:,} segments × {N_REFS} references of {lengths:.0f}"
        f" characters; medians of {rounds} rounds."
    )
    auto, highs = celab.TeslaCelab(), celab.TeslaCelab(solver="highs")
    few = slice(0, None, SHARE)
    some_refs = [side[few] for side in refs]
    n_some = len(some_refs[0])

    def check(by_auto: celab.Score, by_highs: celab.Score) -> None:
        difference = np.abs(by_auto.segments.figures[few] - by_highs.segments.figures).max()
        if difference > 1e-9:
            raise Failed(f"reduction and whole program differ by {difference}")

    scores = [auto.corpus_score(hyps, refs) for hyps in systems]
    wholes = [highs.corpus_score(hyps[few], some_refs) for hyps in systems]
    for one, whole in zip(scores, wholes, strict=True):
        check(one, whole)
    say(f"Checked: {n_some * N_SYSTEMS} segments equal the whole program's.")

    def apart(_: int) -> None:
        # As separate runs would: a new metric, and references that it has not seen.
        for hyps in systems:
            celab.TeslaCelab().corpus_score(hyps, refs)

    seconds = in_turns(
        {
            "reduction": lambda _: [auto.corpus_score(hyps, refs) for hyps in systems],
            "reduction, each system alone": apart,
            "whole program, a share": lambda _: [
                highs.corpus_score(hyps[few], some_refs) for hyps in systems
            ],
        },
        rounds,
    )
    n_pairs = N_SEGMENTS * N_REFS * N_SYSTEMS
    whole = [t * N_SEGMENTS / n_some for t in seconds["whole program, a share"]]
    ratios = [a / b for a, b in zip(whole, seconds["reduction"], strict=True)]
    kept = [
        b / a
        for a, b in zip(seconds["reduction"], seconds["reduction, each system alone"], strict=True)
    ]
    table(
        ["", "seconds", "pairs/s"],
        [
            [name, f"{statistics.median(times):.2f}", f"{n_pairs / statistics.median(times):,.0f}"]
            for name, times in (
                ("reduction", seconds["reduction"]),
                ("reduction, each system alone", seconds["reduction, each system alone"]),
                (f"whole program (from 1 segment in {SHARE})", whole),
            )
        ],
    )
    ratio = statistics.median(ratios)
    target(f"at least 20 times as fast as the whole program: {ratio:.0f}", ratio >= 20)
    figures = {
        "reduction, s": summary(seconds["reduction"], "s"),
        "whole / reduction": summary(ratios, "ratio"),
        "alone / together": summary(kept, "ratio"),
    }
    write("nist", "generated", figures, {"pairs": n_pairs, "signature": auto.signature})


def generated() -> tuple[list[list[str]], list[list[str]]]:
    """References, and systems that are noisy copies of the first."""
    began = time.perf_counter()
    refs, systems = noisy_copies(N_SEGMENTS, LENGTH, N_REFS - 1, N_SYSTEMS, seed=2008)
    print(f"generated in {time.perf_counter() - began:.1f} s")
    return refs, systems


if __name__ == "__main__":
    main()
