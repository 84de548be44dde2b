"""How does the cost of a pair grow with its length, and what do the worst pairs cost?

Lengths are in characters; longer texts are consecutive segments put together, shorter ones the
beginnings of segments. sacreBLEU's sentence chrF takes turns with celab on the same pairs. Long
texts are covered by kinds of n-grams, and, as far as memory allows, with all n-grams apart, as
short ones are. The worst pairs run each in a process of its own, for its peak memory.
"""

from __future__ import annotations

import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from data import Data, load, sides_of
from measure import (
    Failed,
    in_turns,
    number_from_command_line,
    peak_memory,
    say,
    spread,
    summary,
    table,
    target,
    write,
)
from sacrebleu.metrics import CHRF

import celab
from celab._native.cover import cover_pairs
from celab.exact import engine

ROUNDS = 9
LENGTHS = (10, 20, 40, 80, 160, 320)
PAIRS = 200  # of each length
LONG_LENGTHS = (300, 1_000, 3_000, 10_000, 30_000)
N_LONG = 5  # pairs of each of them
MOST_APART = 10_000  # longer texts have too many links between single n-grams
MOST_MEGABYTES = 300
WORST_LENGTH = 2000
MOST_SECONDS = 60


def main() -> None:
    if sys.argv[1:2] == ["--worst"]:
        return one_of_the_worst(sys.argv[2])
    if sys.argv[1:2] == ["--memory"]:
        return memory_of(*sys.argv[2:])
    rounds = number_from_command_line("rounds", ROUNDS, __doc__)
    data = load()
    figures: dict[str, Any] = {}
    growth = lengths(data, rounds, figures)
    failures: list[str] = []
    target(f"the cost grows no faster than the links: as links^{growth:.2f}", growth <= 1.05)
    long_texts(data, rounds, figures)
    worst = [found for name in WORST if (found := worst_pair(name, figures, failures))]
    say(
        f"Worst cases: pairs of {WORST_LENGTH:,} characters per side, each in its own process. MB"
        " is the peak memory of the process, MB before the peak before the pair."
    )
    table(
        ["pair", "seconds", "MB", "MB before", "score"],
        [
            [
                one["name"],
                f"{one['seconds']:.3f}",
                f"{one['peak']:.0f}",
                f"{one['before']:.0f}",
                f"{one['score']:.4f}",
            ]
            for one in worst
        ],
    )
    facts = {
        "cost grows as links to the power of": growth,
        "worst pairs": worst,
        "failures": failures,
    }
    write("length", data.origin, figures, facts)
    if failures:
        raise Failed("; ".join(failures))


def lengths(data: Data, rounds: int, figures: dict[str, Any]) -> float:
    """Costs and links at each length; returns the exponent of cost against links."""
    metric = celab.TeslaCelab()
    texts = {n: pairs_of_length(data, n) for n in LENGTHS}
    check({n: texts[n] for n in LENGTHS if n <= 80})
    n_links = {n: statistics.mean(links_of(metric, *pair) for pair in texts[n]) for n in LENGTHS}
    sides = {n: ([hyp for hyp, _ in texts[n]], [[ref for _, ref in texts[n]]]) for n in LENGTHS}
    chrf = CHRF()
    things: dict[str, Any] = {}
    for n in LENGTHS:
        things[f"{n} characters"] = lambda _, n=n: metric.corpus_score(*sides[n])
        things[f"{n} characters, chrF"] = lambda _, n=n: [
            chrf.sentence_score(hyp, [ref]) for hyp, ref in texts[n]
        ]
    cost = {
        name: [1e6 * t / PAIRS for t in times] for name, times in in_turns(things, rounds).items()
    }
    say(f"Medians of {rounds} rounds, {PAIRS} pairs of each length.")
    rows = []
    for n in LENGTHS:
        name = f"{n} characters"
        ours, theirs = cost[name], cost[f"{name}, chrF"]
        ratios = [b / a for a, b in zip(ours, theirs, strict=True)]
        middle = statistics.median(ours)
        figures[name] = summary(ours, "µs/pair")
        figures[f"{name}, chrF"] = summary(theirs, "µs/pair")
        figures[f"{name} / chrF"] = summary(ratios, "ratio")
        rows.append(
            [
                n,
                f"{middle:.1f}",
                f"{statistics.median(theirs):.1f}",
                *spread(ratios),
                f"{n_links[n]:.0f}",
                f"{1e3 * middle / n_links[n]:.0f}",
            ]
        )
    table(
        [
            "characters",
            "µs/pair",
            "µs/pair, chrF",
            "times chrF",
            "lowest",
            "highest",
            "links",
            "ns/link",
        ],
        rows,
    )
    points = [
        (math.log(n_links[n]), math.log(figures[f"{n} characters"]["median"])) for n in LENGTHS[1:]
    ]
    return float(np.polyfit(*zip(*points, strict=True), 1)[0])


# ---- long texts ----


def settings() -> dict[str, celab.TeslaCelab]:
    """The settings of the paper, and those that we recommend."""
    return {"paper": celab.TeslaCelab(), "recommended": celab.recommended()}


def score(metric: Any, pairs: list[tuple[str, str]], crowd: int | None = None) -> list[float]:
    """Score pairs one by one; with a crowd of -1, all n-grams are kept apart."""
    usual = engine.cover_pairs
    if crowd is not None:
        engine.cover_pairs = partial(cover_pairs, crowd=crowd)
    try:
        return [metric.sentence_score(hyp, [ref]).score for hyp, ref in pairs]
    finally:
        engine.cover_pairs = usual


def long_texts(data: Data, rounds: int, figures: dict[str, Any]) -> None:
    """Costs of long texts, with all n-grams apart and by kind, and of chrF."""
    metrics, chrf = settings(), CHRF()
    texts = {n: pairs_of_length(data, n, N_LONG) for n in LONG_LENGTHS}
    things: dict[str, Any] = {}
    for n, pairs in texts.items():
        for name, metric in metrics.items():
            things[f"{n:,} characters, {name}"] = lambda _, m=metric, p=pairs: score(m, p)
            if n <= MOST_APART:
                if score(metric, pairs) != score(metric, pairs, -1):
                    raise Failed(f"{n:,} characters, {name}: by kind, scores differ")
                things[f"{n:,} characters, {name}, apart"] = lambda _, m=metric, p=pairs: score(
                    m, p, -1
                )
        things[f"{n:,} characters, sentence chrF"] = lambda _, p=pairs: [
            chrf.sentence_score(hyp, [ref]) for hyp, ref in p
        ]
    cpu: dict[str, list[float]] = {}
    in_turns(things, max(1, rounds // 3), cpu)
    cost = {name: [1e3 * t / N_LONG for t in times] for name, times in cpu.items()}
    for name, times in cost.items():
        figures[name] = summary(times, "ms/pair")
    say(
        f"Long texts: processor time of single calls, {N_LONG} pairs of each length. Apart: each"
        " n-gram is a node of the link graph, as in short text. By kind, scores are equal bits."
    )
    rows = []
    for n in LONG_LENGTHS:
        theirs = cost[f"{n:,} characters, sentence chrF"]
        row = [f"{n:,}"]
        for name in metrics:
            ours = cost[f"{n:,} characters, {name}"]
            apart = cost.get(f"{n:,} characters, {name}, apart")
            ratio = statistics.median(b / a for a, b in zip(ours, theirs, strict=True))
            figures[f"{n:,} characters, {name} / chrF"] = summary([ratio], "ratio")
            row += [
                f"{statistics.median(apart):.2f}" if apart else "",
                f"{statistics.median(ours):.2f}",
                f"{ratio:.2f}",
            ]
        rows.append([*row, f"{statistics.median(theirs):.2f}"])
    columns = [f"{name}, {what}" for name in metrics for what in ("apart", "by kind", "× chrF")]
    table(["characters", *columns, "chrF, ms"], rows)
    for name in metrics:
        ratios = [figures[f"{n:,} characters, {name} / chrF"]["median"] for n in LONG_LENGTHS]
        target(
            f"{name}: at least as fast as chrF at every length: {min(ratios):.2f}", min(ratios) >= 1
        )
        points = [
            (math.log(n), math.log(figures[f"{n:,} characters, {name}"]["median"]))
            for n in LONG_LENGTHS
        ]
        slope = float(np.polyfit(*zip(*points, strict=True), 1)[0])
        figures[f"long texts, {name}, exponent"] = summary([slope], "")
        target(f"{name}: time grows with an exponent below 1.3: {slope:.2f}", slope < 1.3)
        command = [sys.executable, __file__, "--memory", name, str(LONG_LENGTHS[-1])]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        peak = float(done.stdout.splitlines()[-1])
        figures[f"{LONG_LENGTHS[-1]:,} characters, {name}, peak memory"] = summary([peak], "MB")
        target(
            f"{name}: {LONG_LENGTHS[-1]:,} characters take less than {MOST_MEGABYTES} MB:"
            f" {peak:.0f}",
            peak < MOST_MEGABYTES,
        )


def memory_of(name: str, n: str) -> None:
    """Print the peak memory of a process that scores one pair of this length."""
    ((hyp, ref),) = pairs_of_length(load(), int(n), 1)
    settings()[name].sentence_score(hyp, [ref])
    print(peak_memory())


def pairs_of_length(data: Data, n: int, n_pairs: int = PAIRS) -> list[tuple[str, str]]:
    """Pairs of n characters on either side, from all systems in turn."""
    found: list[tuple[str, str]] = []
    names = list(data.systems)
    at = turn = 0
    while len(found) < n_pairs:
        hyps = data.systems[names[turn % len(names)]]
        hyp = ref = ""
        while min(len(hyp), len(ref)) < n:
            hyp, ref = hyp + hyps[at], ref + data.refs[at]
            at = (at + 1) % len(hyps)
        found.append((hyp[:n], ref[:n]))
        turn += 1
    return found


def check(texts: dict[int, list[tuple[str, str]]]) -> None:
    """Some of each length by the whole program too."""
    judge = celab.TeslaCelab(solver="check")  # raises SolverError if the two differ
    for pairs in texts.values():
        judge.corpus_score([hyp for hyp, _ in pairs[:40]], [[ref for _, ref in pairs[:40]]])
    n_pairs = 40 * len(texts)
    say(
        f"Checked: {n_pairs} pairs of up to {max(texts)} characters equal the whole program's; of"
        " the worst cases, values that are known, and that swapped sides swap precision and recall."
    )


def links_of(metric: celab.TeslaCelab, hyp: str, ref: str) -> int:
    hyp_side, ref_side = sides_of(metric, [hyp], [ref])
    return len(metric.engine.links(hyp_side, 0, ref_side, 0))


# ---- the worst pairs: (hypothesis, reference, lexicon, precision and recall if known) ----

Pair = tuple[str, str, str, tuple[float, float] | None]


def one_character() -> Pair:
    return "伞" * WORST_LENGTH, "伞" * WORST_LENGTH, "cilin", (1.0, 1.0)


def one_character_half_as_long() -> Pair:
    # The hypothesis is covered. Of the reference all n-grams of orders 1 to 3 are, and as many of
    # order 4 as the hypothesis has.
    n, half = WORST_LENGTH, WORST_LENGTH // 2
    return "伞" * half, "伞" * n, "cilin", (1.0, (3 * n - 3 + half - 3) / (4 * n - 6))


def a_translation() -> Pair:
    data = load()
    hyp = "".join(data.systems[min(data.systems)])
    return hyp[:WORST_LENGTH], "".join(data.refs)[:WORST_LENGTH], "cilin", None


def two_different_sentences() -> Pair:
    data = load()
    hyp = "".join(data.systems[min(data.systems)])[20000 : 20000 + WORST_LENGTH]
    return hyp, "".join(data.refs)[:WORST_LENGTH], "cilin", None


def two_letters() -> Pair:
    return _random("甲乙", 1), _random("甲乙", 2), None, None


def many_synonyms() -> Pair:
    return _synonymous(40)


def nearly_all_synonymous() -> Pair:
    return _synonymous(8)


def _random(alphabet: str, seed: int) -> str:
    return "".join(random.Random(seed).choices(alphabet, k=WORST_LENGTH))


def _synonymous(n_characters: int) -> Pair:
    """Twenty groups of twelve random words, of one to three of the characters."""
    draw = random.Random(3)
    alphabet = "".join(chr(0x4E00 + i) for i in range(n_characters))
    path = Path(tempfile.mkdtemp(), "random.tsv")
    with path.open("w", encoding="utf-8") as file:
        for _ in range(20):
            words = ["".join(draw.choices(alphabet, k=draw.randint(1, 3))) for _ in range(12)]
            print(*sorted(set(words)), sep="\t", file=file)
    return _random(alphabet, 1), _random(alphabet, 2), str(path), None


WORST = {
    "one character, both sides": one_character,
    "one character, half as many": one_character_half_as_long,
    "a text and its translation": a_translation,
    "two unrelated texts": two_different_sentences,
    "two letters at random": two_letters,
    "40 characters, many synonyms": many_synonyms,
    "8 characters, all synonymous": nearly_all_synonymous,
}


def worst_pair(name: str, figures: dict[str, Any], failures: list[str]) -> dict[str, Any] | None:
    """One of them in a process of its own; None, and a line more in `failures`, if it fails."""
    command = [sys.executable, __file__, "--worst", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        failures.append(f"{name}: not done after {MOST_SECONDS} s")
        return None
    if done.returncode:
        failures.append(f"{name}: {done.stderr.strip()}")
        return None
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    figures[f"{name}, time"] = summary([found["seconds"]], "s")
    figures[f"{name}, peak memory"] = summary([found["peak"]], "MB")
    return found


def one_of_the_worst(name: str) -> None:
    hyp, ref, lexicon, known = WORST[name]()
    with tempfile.TemporaryDirectory() as folder:
        if lexicon not in ("cilin", None):
            os.environ["CELAB_LEXICONS"] = folder  # a random lexicon is not worth keeping
        metric = celab.TeslaCelab(lexicon=lexicon)
    metric.sentence_score("买伞", ["买雨伞"])
    import highspy  # noqa: F401  # it may be needed, and is loaded once

    before = peak_memory()
    began = time.perf_counter()
    score = metric.sentence_score(hyp, [ref])
    seconds = time.perf_counter() - began
    peak = peak_memory()
    if known is not None and (score.precision, score.recall) != known:
        raise Failed(f"{name}: {score.precision, score.recall} is not {known}")
    swapped = metric.sentence_score(ref, [hyp])
    if (swapped.precision, swapped.recall) != (score.recall, score.precision):
        raise Failed(f"{name}: swapping the sides does not swap precision and recall")
    found = {"name": name, "seconds": seconds, "before": before, "peak": peak}
    print(json.dumps(found | {"score": score.score}, ensure_ascii=False))


if __name__ == "__main__":
    main()
