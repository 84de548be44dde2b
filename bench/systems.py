"""How does the speed depend on the number of systems that are scored together?

`corpus_scores` on one thread, strings in, segment scores out, in turns with sacreBLEU's sentence
chrF. Each call reads the references anew, so that one system pays for them alone. Which systems are
scored changes from round to round.
"""

from __future__ import annotations

import statistics
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
    write,
)
from sacrebleu.metrics import CHRF
from speed import forget_references, score_all, score_chrf

import celab

ROUNDS = 10
NUMBERS = (1, 2, 5, 10, 20, 29)


def main() -> None:
    rounds = number_from_command_line("rounds", ROUNDS, __doc__)
    data = load()
    metric, chrf, names = celab.TeslaCelab(), CHRF(), list(data.systems)
    expected = dict(zip(names, score_all(metric, data), strict=True))

    def together(n: int, turn: int) -> None:
        chosen = {name: data.systems[name] for name in (names * 2)[turn % len(names) :][:n]}
        forget_references(metric)
        found = metric.corpus_scores(chosen, [data.refs])
        if any(found[name] != expected[name] for name in chosen):
            raise Failed(f"{n} systems together have other scores than one by one")

    things: dict[str, Any] = {str(n): lambda turn, n=n: together(n, turn) for n in NUMBERS}
    things["chrF"] = lambda turn: score_chrf(chrf, data, [names[turn % len(names)]])
    seconds = in_turns(things, rounds)
    rates = {
        name: [(1 if name == "chrF" else int(name)) * len(data.refs) / t for t in times]
        for name, times in seconds.items()
    }
    ratios = {
        name: [a / b for a, b in zip(rate, rates["chrF"], strict=True)]
        for name, rate in rates.items()
    }
    say(f"Medians of {rounds} rounds on one thread; the references are read anew in each.")
    table(
        ["systems together", "segments/s", "times chrF", "lowest", "highest"],
        [
            [name, f"{statistics.median(rate):,.0f}", *spread(ratios[name])]
            for name, rate in rates.items()
        ],
    )
    figures = {f"{name}, segments/s": summary(rate, "1/s") for name, rate in rates.items()}
    figures |= {f"{name} / chrF": summary(ratios[name], "ratio") for name in map(str, NUMBERS)}
    write("systems", data.origin, figures, {"signature": metric.signature})


if __name__ == "__main__":
    main()
