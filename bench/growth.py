"""How do time and memory grow with segments, systems, characters, references and threads?

Each size is scored in a process of its own, which measures the scoring alone: processor time, and
how far the peak of its memory rises. The texts are those of the data, again and again, so every
score is known. The exponent is the slope of the line through the points of a double logarithmic
plot, over the sizes whose scoring takes longer than the call itself: with 1, twice the size takes
twice the time.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from itertools import cycle, islice
from typing import Any

import numpy as np
from data import Data, load
from measure import (
    HERE,
    Failed,
    number_from_command_line,
    say,
    summary,
    table,
    target,
    write,
)

SEGMENTS = 1_000_000
SIZES: Mapping[str, tuple[int, ...]] = {
    "segments": (1, 10, 100, 1_000, 10_000, 100_000, SEGMENTS),
    "systems": (1, 2, 5, 10, 20, 50, 100),
    "characters": (10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000),
    "characters apart": (300, 1_000, 3_000, 10_000),  # each n-gram a node, as in short text
    "references": (1, 2, 3, 5, 7, 10),
    "threads": (1, 2),
}
N_SEGMENTS = 1_000  # where something else grows
N_CHARACTERS = 30_000  # of all references, where the length grows
# Seconds and MB, beyond which the call itself does not matter.
CLEAR = {"cpu": 0.02, "memory": 8.0}
LINEAR = 1.1  # a slope that counts as linear; caches and allocators bend the line
LENGTH = 1.3  # over characters; with n-grams apart it is 2, because n² pairs may be linked


def main() -> None:
    most = number_from_command_line("segments", SEGMENTS, __doc__)
    figures: dict[str, Any] = {}
    rows, slopes = [], {}
    for what, sizes in SIZES.items():
        points = []
        for size in [size for size in sizes if size <= most]:
            taken = measured(what, size)
            points.append((size, taken))
            for name, unit in (("cpu", "s"), ("seconds", "s"), ("memory", "MB")):
                figures[f"{size} {what}, {name}"] = summary([taken[name]], unit)
            rows.append(
                [
                    f"{size:,} {what}",
                    f"{taken['pairs']:,}",
                    f"{taken['cpu']:.3g}",
                    f"{taken['seconds']:.3g}",
                    f"{taken['memory']:.0f}",
                ]
            )
            print(*rows[-1], flush=True)
        if what != "threads":
            slopes[what] = exponents(points)
            for name, slope in slopes[what].items():
                figures[f"{what}, exponent of {name}"] = summary([slope], "")
    say(
        "Processor seconds and seconds of the scoring alone, and how far the peak of memory rises."
        f" Where something else than segments grows, there are {N_SEGMENTS:,} of them; where the"
        f" length grows, the references have {N_CHARACTERS:,} characters together."
    )
    table(["", "pairs", "processor seconds", "seconds", "MB"], rows)
    say(
        "Exponents: 1 is in proportion. Of characters, per segment. Apart: each n-gram is a node of"
        " the link graph, as in short text. At the end: between the two largest sizes."
    )
    table(
        ["grows", "time", "time at the end", "memory"],
        [[what, *(f"{slope:.2f}" for slope in by.values())] for what, by in slopes.items()],
    )
    for what, by in slopes.items():
        if what == "characters apart":
            continue
        limit = LENGTH if what == "characters" else LINEAR
        slope = by["time at the end"]
        target(
            f"time over {what} grows with an exponent of at most {limit}: {slope:.2f}",
            slope <= limit,
        )
    write("growth", load().origin, figures, {"exponents": slopes})


def exponents(points: list[tuple[int, dict[str, float]]]) -> dict[str, float]:
    """Return the slopes of time and memory in a double logarithmic plot."""
    slopes = {}
    kinds = (("time", "cpu", 0), ("time at the end", "cpu", -2), ("memory", "memory", 0))
    for name, key, first in kinds:
        clear = [
            (size, taken[key] / taken["segments"])
            for size, taken in points
            if taken[key] >= CLEAR[key]
        ][first:]
        slopes[name] = math.nan
        if len(clear) > 1:
            logarithms = np.log(np.array(clear, float))
            slopes[name] = float(np.polyfit(*logarithms.T, 1)[0])
    return slopes


# Runs in a process of its own: little is imported before the memory is looked at.
PROGRAM = """
import functools, json, sys, time
from growth import task
from measure import peak_memory
import celab
from celab.exact import engine
what, size = sys.argv[1], int(sys.argv[2])
if what == "characters apart":
    engine.cover_pairs = functools.partial(engine.cover_pairs, crowd=-1)
metric = celab.TeslaCelab(jobs=size if what == "threads" else 1)
systems, refs, known = task(what, size)
metric.corpus_scores({"warm": ["买伞"]}, [["买雨伞"]])
before, cpu, began = peak_memory(), time.process_time(), time.perf_counter()
scores = metric.corpus_scores(systems, refs)
cpu, seconds = time.process_time() - cpu, time.perf_counter() - began
memory = peak_memory() - before
known(metric, scores)
print(json.dumps({"cpu": cpu, "seconds": seconds, "memory": memory,
                  "pairs": len(systems) * len(refs) * len(refs[0]),
                  "segments": len(refs[0]) if what.startswith("characters") else 1}))
"""


def measured(what: str, size: int) -> dict[str, float]:
    """Run one size."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, what, str(size)],
        cwd=HERE,
        env=os.environ | {"PYTHONPATH": f"{HERE.parent}{os.pathsep}{HERE}"},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise Failed(f"{size:,} {what}: {done.stderr.strip().splitlines()[-1]}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def task(
    what: str, size: int
) -> tuple[dict[str, list[str]], list[list[str]], Callable[[Any, Any], None]]:
    """Return systems and references of a size, and a function that checks some of the scores."""
    data = load()
    outputs = list(data.systems.values())
    n = size if what == "segments" else N_SEGMENTS
    if what == "threads":
        n = 20 * N_SEGMENTS
    if what.startswith("characters"):
        texts = [*joined(data, size)]
        systems, refs = {"0": [hyp for _, hyp in texts]}, [[ref for ref, _ in texts]]
    else:
        n_systems = size if what == "systems" else 1
        n_refs = size if what == "references" else 1
        systems = {
            str(k): [*islice(cycle(changed(side, k // len(outputs))), n)]
            for k, side in enumerate(islice(cycle(outputs), n_systems))
        }
        others = [data.refs, *outputs[::-1]]
        refs = [[*islice(cycle(others[k]), n)] for k in range(n_refs)]

    def check(metric: Any, scores: Any) -> None:
        # The first segments by themselves, and those that repeat them.
        some = min(20, len(refs[0]))
        for name, hyps in systems.items():
            alone = metric.corpus_score(hyps[:some], [side[:some] for side in refs])
            segments = scores[name].segments.scores
            if not np.array_equal(segments[:some], alone.segments.scores):
                raise SystemExit("the first segments score differently by themselves")
            period = len(data.refs)
            if what == "segments" and not np.array_equal(
                segments[period:], segments[: max(0, len(segments) - period)]
            ):
                raise SystemExit("repeated segments have other scores")

    return systems, refs, check


def changed(side: list[str], by: int) -> list[str]:
    """Return the outputs, in another round without one character, so that no two are equal."""
    if not by:
        return side
    places = (37 * by % max(1, len(text)) for text in side)
    return [text[:at] + text[at + 1 :] for text, at in zip(side, places, strict=True)]


def joined(data: Data, length: int) -> list[tuple[str, str]]:
    """Return pairs of reference and output of a length, made of whole lines and cut."""
    lines = cycle(zip(data.refs, next(iter(data.systems.values())), strict=True))
    pairs = []
    for _ in range(max(1, N_CHARACTERS // length)):
        ref = hyp = ""
        while min(len(ref), len(hyp)) < length:
            more = next(lines)
            ref, hyp = ref + more[0], hyp + more[1]
        pairs.append((ref[:length], hyp[:length]))
    return pairs


if __name__ == "__main__":
    main()
