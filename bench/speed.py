"""How many segments a second, against sacreBLEU's sentence chrF, and where does the time go?

Strings in, segment scores out, one thread, lexicon loaded. In each round celab scores every system,
one by one and all together (`corpus_scores`), and chrF the next few, so that after all rounds it
has seen each system once. celab keeps the references from system to system; what it costs to read
them anew for each is measured too, and so is what information weights cost.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
from data import Data, load
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
from sacrebleu.metrics import CHRF

import celab
from celab.exact import engine as room
from celab.exact import proof

ROUNDS = 10
CHECKED = 20  # segments of each system
ONE, ALL = "one system", "all systems together"
ANEW, HEAVY = f"{ONE}, references anew", f"{ONE}, information weights"


def main() -> None:
    rounds = number_from_command_line("rounds", ROUNDS, __doc__)
    data = load()
    one, two = celab.TeslaCelab(), celab.TeslaCelab(jobs=2)
    heavy = celab.TeslaCelab(weights="information")
    scores = score_all(one, data)  # also warms everything
    weighted = score_all(heavy, data)
    check(scores, data)
    check(weighted, data, weights="information")

    names = list(data.systems)
    share = -(-len(names) // rounds)
    parts = [(names + names)[turn * share % len(names) :][:share] for turn in range(rounds)]
    chrf = CHRF()

    def score_together(metric: celab.TeslaCelab) -> list[Any]:
        return list(metric.corpus_scores(data.systems, [data.refs]).values())

    cpu: dict[str, list[float]] = {}
    seconds = in_turns(
        {
            ONE: lambda _: check_equal(score_all(one, data), scores, ONE),
            ALL: lambda _: check_equal(score_together(one), scores, ALL),
            "chrF": lambda turn: score_chrf(chrf, data, parts[turn]),
            ANEW: lambda _: check_equal(score_all(one, data, anew=True), scores, ANEW),
            f"{ONE}, 2 jobs": lambda _: check_equal(score_all(two, data), scores, "2 jobs"),
            f"{ALL}, 2 jobs": lambda _: check_equal(score_together(two), scores, "2 jobs"),
            HEAVY: lambda _: check_equal(score_all(heavy, data), weighted, HEAVY),
        },
        rounds,
        cpu,
    )
    counts = dict.fromkeys(seconds, data.n_pairs) | {"chrF": share * len(data.refs)}
    rates = {name: [counts[name] / t for t in times] for name, times in seconds.items()}
    ratios = {
        name: [a / b for a, b in zip(rate, rates["chrF"], strict=True)]
        for name, rate in rates.items()
    }
    by_cpu = {
        name: [
            counts[name] / a * b / counts["chrF"]
            for a, b in zip(cpu[name], cpu["chrF"], strict=True)
        ]
        for name in (ONE, ALL)
    }
    say(f"Segments per second, medians of {rounds} rounds, one thread unless noted.")
    table(
        ["", "segments/s", "times chrF", "lowest", "highest"],
        [
            [name, f"{statistics.median(rate):,.0f}", *spread(ratios[name])]
            for name, rate in rates.items()
        ]
        + [[f"{name}, by processor time", "", *spread(ratio)] for name, ratio in by_cpu.items()],
    )
    rooms = rooms_of(one, lambda: score_all(one, data), rounds)
    total = sum(map(statistics.median, rooms.values()))
    say("Where the time of one thread goes, one system after the other:")
    table(
        ["stage", "µs/segment", "share"],
        [
            [
                name,
                f"{1e6 * statistics.median(t) / data.n_pairs:.2f}",
                f"{statistics.median(t) / total:.0%}",
            ]
            for name, t in rooms.items()
        ],
    )
    for name, aim in ((ONE, 12), (ALL, 15)):
        ratio = statistics.median(ratios[name])
        target(f"{name}, {aim} times chrF: {ratio:.1f}", ratio >= aim)
    slower = [b / a for a, b in zip(cpu[ONE], cpu[HEAVY], strict=True)]
    weights = statistics.median(slower)
    target(f"information weights take at most 1.5 times as long: {weights:.2f}", weights <= 1.5)
    figures: dict[str, Any] = {
        f"{name}, segments/s": summary(rate, "1/s") for name, rate in rates.items()
    }
    figures["information / unit weights, processor time"] = summary(slower, "ratio")
    for name in (ONE, ALL, ANEW, f"{ONE}, 2 jobs", f"{ALL}, 2 jobs"):
        figures[f"{name} / chrF"] = summary(ratios[name], "ratio")
    for name, ratio in by_cpu.items():
        figures[f"{name} / chrF, by processor time"] = summary(ratio, "ratio")
    for name, times in rooms.items():
        figures[f"stage: {name}"] = summary([1e6 * t / data.n_pairs for t in times], "µs/segment")
    facts = {
        "signature": one.signature,
        "chrF signature": str(chrf.get_signature()),
        "pairs": data.n_pairs,
        "pairs checked against the whole program": 2 * CHECKED * len(names),
        "mean score": float(np.mean([s.score for s in scores])),
    }
    write("speed", data.origin, figures, facts)


def check_equal(scores: list[Any], expected: list[Any], what: str) -> None:
    """Stop the benchmark unless all scores are equal to the bit."""
    if scores != expected:
        raise Failed(f"{what}: the scores are not bit-equal")


def score_all(metric: celab.TeslaCelab, data: Data, anew: bool = False) -> list[Any]:
    """One `Score` a system; they compare by their segments' bits."""
    scores = []
    for hyps in data.systems.values():
        if anew:
            forget_references(metric)
        scores.append(metric.corpus_score(hyps, [data.refs]))
    return scores


def forget_references(metric: celab.TeslaCelab) -> None:
    """Empty the metric's cache of references, which it does not do by itself between systems."""
    metric.engine._cache.clear()
    metric.engine._cache_size = 0


def score_chrf(chrf: CHRF, data: Data, names: list[str]) -> list[float]:
    return [
        chrf.sentence_score(hyp, [ref]).score
        for name in names
        for hyp, ref in zip(data.systems[name], data.refs, strict=True)
    ]


def check(scores: list[Any], data: Data, **options: Any) -> None:
    """A sample again, by the reduction and by the whole program in HiGHS, segment by segment."""
    judge = celab.TeslaCelab(solver="check", **options)  # raises SolverError if the two differ
    draw = np.random.default_rng(7)
    for (name, hyps), score in zip(data.systems.items(), scores, strict=True):
        chosen = draw.permutation(len(hyps))[:CHECKED].tolist()
        again = judge.corpus_score([hyps[i] for i in chosen], [[data.refs[i] for i in chosen]])
        if not np.array_equal(again.segments.figures, score.segments.figures[chosen]):
            raise Failed(f"{name}: the checked scores are not those of the timed runs")
    weights = options.get("weights", "unit")
    n_checked = CHECKED * len(scores)
    say(f"Checked: {n_checked} segments with {weights} weights equal the whole program's.")


def rooms_of(
    metric: celab.TeslaCelab,
    work: Callable[[], object],
    rounds: int,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, list[float]]:
    """Seconds of some work spent in each room, by clocks put round the rooms' doors."""
    spent: dict[str, float] = {}

    def clocked(name: str, door: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **settings: Any) -> Any:
            began = clock()
            try:
                return door(*arguments, **settings)
            finally:
                spent[name] += clock() - began

        return call

    names = ("script", "tokens, lexicon words", "links and cover", "HiGHS", "the rest")
    found: dict[str, list[float]] = {name: [] for name in names}
    engine = metric.engine
    with (
        mock.patch.object(engine, "prepare", clocked(names[0], engine.prepare)),
        mock.patch.object(room, "Sentences", clocked(names[1], room.Sentences)),
        mock.patch.object(room, "cover_pairs", clocked(names[2], room.cover_pairs)),
        mock.patch.object(proof, "proved_values", clocked(names[3], proof.proved_values)),
    ):
        for _ in range(rounds):
            spent.update(dict.fromkeys(names, 0.0))
            began = clock()
            work()
            total = clock() - began
            spent["the rest"] = total - sum(spent.values())
            for name in names:
                found[name].append(spent[name])
    return found


if __name__ == "__main__":
    main()
