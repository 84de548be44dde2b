"""How many segments a second does TESLA-M match, against sacreBLEU's sentence chrF?

German news of WMT21 (wmt21-ende-mqm of the data folder, for research use, see docs/data.md): 8
systems × 527 segments against reference A. Analysed words in, segment scores out, one thread; chrF
starts from strings. Then the whole way from strings, once, with where the time goes.
"""

from __future__ import annotations

import statistics
import time
from typing import Any
from unittest import mock

import numpy as np
from data import FOLDER, lines
from measure import Failed, in_turns, number_from_command_line, summary, table, target, write
from sacrebleu.metrics import CHRF

import celab
from celab import bags
from celab.metrics import word_match

ROUNDS = 10
CHECKED = 20  # segments of each system
GERMAN = FOLDER.parent / "wmt21-ende-mqm"


def main() -> None:
    rounds = number_from_command_line("rounds", ROUNDS, __doc__)
    if not GERMAN.is_dir():
        print(f"{GERMAN} is not there; TESLA-M cannot be measured without German text")
        return
    refs = lines(GERMAN / "ref-A.txt")
    systems = {path.stem: lines(path) for path in sorted((GERMAN / "hyp").glob("*.txt"))}
    n_pairs = len(refs) * len(systems)
    metric = celab.TeslaM(lang="de")

    steps = steps_of(metric, refs, systems)
    print(f"from strings, once: {n_pairs} pairs, {sum(steps.values()):.1f} s\n")
    table(["", "seconds", "share"], [
        [name, f"{t:.2f}", f"{t / sum(steps.values()):.0%}"] for name, t in steps.items()
    ])  # fmt: skip

    scores = score_all(metric, refs, systems)
    check(scores, refs, systems)
    names, chrf = list(systems), CHRF()

    def again(_: int) -> None:
        if score_all(metric, refs, systems) != scores:
            raise Failed("the scores are not bit-equal from run to run")

    words = [numbered(metric, refs, hyps) for hyps in systems.values()]
    seconds = in_turns(
        {
            "matching": lambda _: [match(metric, *one) for one in words],
            "words remembered, to scores": again,
            "chrF": lambda turn: [
                chrf.sentence_score(hyp, [ref]).score
                for hyp, ref in zip(systems[names[turn % len(names)]], refs, strict=True)
            ],
        },
        rounds,
    )
    counts = dict.fromkeys(seconds, n_pairs) | {"chrF": len(refs)}
    rates = {name: [counts[name] / t for t in times] for name, times in seconds.items()}
    ratios = {
        name: [a / b for a, b in zip(rate, rates["chrF"], strict=True)]
        for name, rate in rates.items()
    }
    print(f"segments a second, medians of {rounds} rounds\n")
    table(["", "segments/s", "times chrF", "lowest", "highest"], [
        [name, f"{statistics.median(rate):,.0f}",
         *(f"{x:.2f}" for x in (statistics.median(ratios[name]), min(ratios[name]),
                                max(ratios[name])))]
        for name, rate in rates.items()
    ])  # fmt: skip
    ratio = statistics.median(ratios["matching"])
    target(f"matching at least as fast as chrF: {ratio:.1f} times", ratio >= 1)
    figures: dict[str, Any] = {
        f"{name}, segments/s": summary(rate, "1/s") for name, rate in rates.items()
    }
    figures |= {f"{name} / chrF": summary(some, "ratio") for name, some in ratios.items()}
    figures |= {f"from strings: {name}": summary([t], "s") for name, t in steps.items()}
    facts = {"signature": metric.signature, "pairs": n_pairs}
    write("words", GERMAN.name, figures, facts)


def score_all(metric: celab.TeslaM, refs: list[str], systems: dict[str, list[str]]) -> list[Any]:
    return [metric.corpus_score(hyps, [refs]) for hyps in systems.values()]


def numbered(metric: celab.TeslaM, refs: list[str], hyps: list[str]) -> tuple[Any, ...]:
    """What the kernel takes, for one system."""
    sides, groups = metric._synonyms.numbered([metric._words(hyps), metric._words(refs)])
    return *sides, groups


def match(metric: celab.TeslaM, hyp: Any, ref: Any, groups: Any) -> np.ndarray:
    """Segment scores of analysed words."""
    matched, _ = metric._matcher.matched(hyp, ref, groups, metric.run, str)
    return bags.figures(metric._matcher.features(matched))


def check(scores: list[Any], refs: list[str], systems: dict[str, list[str]]) -> None:
    """A sample again, by the kernel and by the whole program in HiGHS."""
    judge = celab.TeslaM(lang="de", solver="check")  # raises SolverError if the two differ
    draw = np.random.default_rng(7)
    for (name, hyps), score in zip(systems.items(), scores, strict=True):
        chosen = draw.permutation(len(hyps))[:CHECKED].tolist()
        found = judge.corpus_score([hyps[i] for i in chosen], [[refs[i] for i in chosen]])
        if not np.array_equal(found.segments.figures, score.segments.figures[chosen]):
            raise Failed(f"{name}: the checked scores are not those of the timed runs")
    print(f"checked: {CHECKED * len(scores)} segments equal the whole program's\n")


def steps_of(
    metric: celab.TeslaM, refs: list[str], systems: dict[str, list[str]]
) -> dict[str, float]:
    """Seconds of each step, from strings."""
    spent = dict.fromkeys(("analysis", "matching", "the rest"), 0.0)

    def clocked(name: str, door: Any) -> Any:
        def call(*arguments: Any) -> Any:
            began = time.perf_counter()
            try:
                return door(*arguments)
            finally:
                spent[name] += time.perf_counter() - began

        return call

    words = metric._analyser
    began = time.perf_counter()
    with (
        mock.patch.object(words, "analyse", clocked("analysis", words.analyse)),
        mock.patch.object(word_match, "match_bags", clocked("matching", word_match.match_bags)),
    ):
        score_all(metric, refs, systems)
    spent["the rest"] = time.perf_counter() - began - sum(spent.values())
    return spent


if __name__ == "__main__":
    main()
