"""How fast is a matrix of candidates, against fastchrf's pairwise chrF? And the command as a whole?

Lists of 100 candidates for 100 sentences: what the systems gave, and mixtures, the beginning of one
system's translation with the end of another's. In each round both take the same ten sentences,
strings in, matrix out, one thread each, lexicon loaded. A square matrix compares the candidates
with each other, so that half of it follows from the other half; a rectangular one compares the
first half of them with the second, and nothing follows. At the end `celab mbr` reranks all lists
once, in a process of its own, its start included.
"""

from __future__ import annotations

import importlib.metadata
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ["RAYON_NUM_THREADS"] = "1"  # of fastchrf, which reads it when it starts

import numpy as np
from data import Data, load
from measure import (
    HERE,
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

import celab
from celab.metrics.factory import make_metric

try:
    from fastchrf import pairwise_chrf
except ModuleNotFoundError:
    raise SystemExit("fastchrf is not installed: pip install fastchrf") from None

ROUNDS, N_SENTENCES, N_CANDIDATES = 10, 100, 100
CHECKED = 200  # pairs


def main() -> None:
    rounds = number_from_command_line("rounds", ROUNDS, __doc__)
    data = load()
    lists = candidates(data, N_SENTENCES)
    metric, by_thread = celab.TeslaCelab(), celab.TeslaCelab(jobs=2)
    check(metric, lists)
    share = N_SENTENCES // ROUNDS
    parts = [lists[turn * share % N_SENTENCES :][:share] for turn in range(rounds)]

    half = N_CANDIDATES // 2

    def ours(which: celab.TeslaCelab, turn: int) -> None:
        for texts in parts[turn]:
            which.pairwise(texts, texts)

    def ours_rectangular(turn: int) -> None:
        for texts in parts[turn]:
            metric.pairwise(texts[:half], texts[half:])

    def theirs_rectangular(turn: int) -> None:
        pairwise_chrf([x[:half] for x in parts[turn]], [x[half:] for x in parts[turn]])

    cpu: dict[str, list[float]] = {}
    seconds = in_turns(
        {
            "celab, square": lambda turn: ours(metric, turn),
            "fastchrf, square": lambda turn: pairwise_chrf(parts[turn], parts[turn]),
            "celab, square, 2 jobs": lambda turn: ours(by_thread, turn),
            "celab, rectangular": ours_rectangular,
            "fastchrf, rectangular": theirs_rectangular,
        },
        rounds,
        cpu,
    )
    n_pairs = {"square": share * N_CANDIDATES**2, "rectangular": share * half**2}
    rates = {
        name: [n_pairs[name.split(", ")[1]] / t for t in times] for name, times in seconds.items()
    }
    ratios = {
        name: [a / b for a, b in zip(rate, rates[f"fastchrf, {name.split(', ')[1]}"], strict=True)]
        for name, rate in rates.items()
    }
    by_cpu = {
        f"celab, {shape}": [
            b / a for a, b in zip(cpu[f"celab, {shape}"], cpu[f"fastchrf, {shape}"], strict=True)
        ]
        for shape in n_pairs
    }
    say(
        f"Lists of {N_CANDIDATES} candidates; medians of {rounds} rounds of {share} lists each."
        " Half of a square matrix follows from the other half by symmetry, which fastchrf does not"
        " use; in a rectangular one nothing does. celab keeps the links of an end that several"
        " candidates share."
    )
    table(
        ["", "pairs/s", "times fastchrf", "lowest", "highest"],
        [
            [name, f"{statistics.median(rate):,.0f}", *spread(ratios[name])]
            for name, rate in rates.items()
        ]
        + [[f"{name}, by processor time", "", *spread(ratio)] for name, ratio in by_cpu.items()],
    )
    took = command(metric, lists)
    say(
        f"`celab mbr` took {took:.1f} s for {N_SENTENCES} sentences × {N_CANDIDATES} candidates,"
        " including its start."
    )
    for name, aim in (("celab, square", 2.0), ("celab, rectangular", 1.2)):
        ratio = statistics.median(by_cpu[name])
        target(f"{name}, {aim:g} times fastchrf by processor time: {ratio:.2f}", ratio >= aim)
    figures: dict[str, Any] = {
        f"{name}, pairs/s": summary(rate, "1/s") for name, rate in rates.items()
    }
    for name in ("celab, square", "celab, square, 2 jobs", "celab, rectangular"):
        figures[f"{name} / fastchrf"] = summary(ratios[name], "ratio")
    for name, ratio in by_cpu.items():
        figures[f"{name} / fastchrf, by processor time"] = summary(ratio, "ratio")
    figures["celab mbr, all lists"] = summary([took], "s")
    facts = {
        "signature": metric.signature,
        "fastchrf": importlib.metadata.version("fastchrf"),
        "sentences": N_SENTENCES,
        "candidates": N_CANDIDATES,
        "pairs checked": CHECKED,
    }
    write("mbr", f"n-best lists of {data.origin}", figures, facts)


def candidates(data: Data, most: int) -> list[list[str]]:
    """Distinct candidates of each sentence, the systems' own first; of at most so many."""
    draw = np.random.default_rng(100)
    systems = list(data.systems.values())
    # Longer sentences have enough mixtures.
    usable = [s for s, ref in enumerate(data.refs) if 20 <= len(ref) <= 100]
    lists = []
    for s in draw.permutation(usable).tolist():
        own = [hyps[s] for hyps in systems if hyps[s].strip()]
        texts = dict.fromkeys(own)
        for _ in range(50 * N_CANDIDATES):
            if len(texts) >= N_CANDIDATES:
                break
            a, b = draw.choice(len(own), 2).tolist()
            cut = draw.uniform(0.2, 0.8)
            texts[own[a][: int(cut * len(own[a]))] + own[b][int(cut * len(own[b])) :]] = None
        else:
            continue
        lists.append(list(texts)[:N_CANDIDATES])
        if len(lists) == most:
            break
    if len(lists) < min(most, N_SENTENCES):
        raise Failed(f"the data gives {len(lists)} lists of {N_CANDIDATES} candidates, too few")
    return lists


def check(metric: celab.TeslaCelab, lists: list[list[str]]) -> None:
    """Some pairs again, one by one: ours by the whole program, chrF by sacreBLEU."""
    draw = np.random.default_rng(7)
    judge = celab.TeslaCelab(solver="check")  # raises SolverError if the two differ
    chrf = make_metric("chrf")
    texts = lists[0]
    ours = metric.pairwise(texts, texts)
    theirs = np.array(pairwise_chrf([texts], [texts])[0])
    for _ in range(CHECKED):
        h, r = draw.integers(0, len(texts), 2).tolist()
        if ours[h, r] != judge.sentence_score(texts[h], [texts[r]]).score:
            raise Failed(f"the matrix has another score than the pair {texts[h]!r}, {texts[r]!r}")
        again = chrf.sentence_score(texts[h], [texts[r]]).score
        if abs(theirs[h, r] - again) > 1e-9:
            raise Failed(f"fastchrf has {theirs[h, r]}, sacreBLEU {again}; this is another metric")
    say(f"Checked: {CHECKED} pairs equal the whole program's, and fastchrf's chrF is sacreBLEU's.")


def command(metric: celab.TeslaCelab, lists: list[list[str]]) -> float:
    """Seconds that `celab mbr` takes for all; one of its choices is made again."""
    lines = [f"{s} ||| {text}\n" for s, texts in enumerate(lists) for text in texts]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "lists.txt")
        path.write_text("".join(lines), encoding="utf-8")
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "celab", "mbr", "--quiet", str(path)],
            capture_output=True,
            check=True,
            cwd=HERE.parent,
        )
        took = time.perf_counter() - began
    chosen = done.stdout.decode().splitlines()
    best = int(metric.pairwise(lists[0], lists[0]).mean(axis=1).argmax())
    if len(chosen) != len(lists) or chosen[0] != lists[0][best].strip():
        raise Failed("celab mbr chose something else than the mean of the matrix does")
    return took


if __name__ == "__main__":
    main()
