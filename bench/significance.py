"""What does it cost to compare all systems with each other, against sacreBLEU's paired tests?

15 systems × 2,000 segments × 1,000 resamples, one run, from counts to p-values: all 105 pairs and
all intervals here, against the 14 pairs with a baseline, and its intervals, there. Both sides start
from the same counts of segments, so that counting n-grams is in neither time. The data has fewer
segments than that, so its first ones come twice, on both sides.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from data import Data, load
from measure import (
    Failed,
    in_turns,
    number_from_command_line,
    peak_memory,
    say,
    summary,
    table,
    target,
    write,
)
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest

import celab
from celab.metrics.formulas import BleuFormula
from celab.statistics.resampling import SEED, Aggregate, Resampled, intervals, scores_of
from celab.statistics.significance import paired_bootstrap, paired_randomization

ROUNDS = 5
SYSTEMS, SEGMENTS, RESAMPLES = 15, 2000, 1000
ERRORS = 4.0  # standard errors that figures from different draws may be apart
AIM = 0.1  # of sacreBLEU's processor time
MANY = 100_000  # segments, in a process of its own


def main() -> None:
    if sys.argv[1:] == ["--many"]:
        many_segments()
        return
    rounds = number_from_command_line("rounds", ROUNDS, __doc__)
    data = load()
    cases = [
        Case("BLEU", BLEU(tokenize="zh"), celab.Bleu(lang="zh").formula, data),
        Case("chrF", CHRF(), celab.Chrf().formula, data),
    ]
    cpu: dict[str, list[float]] = {}
    figures: dict[str, Any] = {}
    facts: dict[str, Any] = {"pairs here": SYSTEMS * (SYSTEMS - 1) // 2, "there": SYSTEMS - 1}
    for case in cases:
        case.check()
        in_turns(case.things(), rounds, cpu)
        facts |= case.facts
    apart = max(x for name, x in facts.items() if name.endswith("apart at most"))
    say(
        "Checked: scores, intervals and p-values are sacreBLEU's. The bootstrap draws the same"
        f" segments; with different draws, p-values may be {ERRORS:g} standard errors apart. The"
        f" largest difference of two p-values is {apart:.3f}."
    )
    rows, ratios = [], {}
    for case in cases:
        for test in ("bootstrap", "randomization"):
            ours, theirs = (cpu[f"{case.name}, {test}, {who}"] for who in ("celab", "sacreBLEU"))
            ratio = [a / b for a, b in zip(ours, theirs, strict=True)]
            ratios[f"{case.name}, {test}"] = ratio
            middle = statistics.median(ratio)
            rows.append(
                [
                    f"{case.name}, {test}",
                    f"{1000 * statistics.median(ours):.0f}",
                    f"{1000 * statistics.median(theirs):.0f}",
                    f"{middle:.3f}",
                    f"{max(ratio):.3f}",
                ]
            )
    say(
        f"{SYSTEMS} systems × {SEGMENTS:,} segments × {RESAMPLES:,} resamples; milliseconds of"
        f" processor time of all threads, from counts to p-values, medians of {rounds} rounds."
    )
    table(["", "celab, 105 pairs", "sacreBLEU, 14 pairs", "ratio", "highest"], rows)
    for name, ratio in ratios.items():
        middle = statistics.median(ratio)
        target(f"{name}: at most {AIM} of sacreBLEU's time: {middle:.3f}", middle <= AIM)
        figures[f"{name}, celab / sacreBLEU"] = summary(ratio, "ratio")
    figures |= {name: summary(times, "s") for name, times in cpu.items()}
    command = [sys.executable, __file__, "--many"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, before, peak = map(float, done.stdout.split())
    say(
        f"{SYSTEMS} systems × {MANY:,} segments × {RESAMPLES:,} resamples with ten counts per"
        f" segment took {seconds:.1f} s of processor time and {peak:.0f} MB at the peak,"
        f" {before:.0f} MB before."
    )
    figures["100,000 segments"] = summary([seconds], "s")
    facts |= {"100,000 segments, peak MiB": peak, "100,000 segments, MiB before": before}
    write("significance", data.origin, figures, facts)


class Case:
    """One metric: its counts of every segment, and both tests by both programs."""

    def __init__(self, name: str, metric: Any, aggregate: Aggregate, data: Data) -> None:
        refs = (data.refs * 2)[:SEGMENTS]
        systems = {key: (hyps * 2)[:SEGMENTS] for key, hyps in list(data.systems.items())[:SYSTEMS]}
        counts = {
            key: metric._extract_corpus_statistics(hyps, [refs]) for key, hyps in systems.items()
        }
        scores = {key: metric._aggregate_and_compute(rows).score for key, rows in counts.items()}
        # The middle one as the baseline, so that some pairs are near and some far apart.
        order = sorted(systems, key=scores.__getitem__)
        order.insert(0, order.pop(SYSTEMS // 2))
        self.name, self.metric, self.aggregate = name, metric, aggregate
        self.systems = [(key, systems[key]) for key in order]
        # sacreBLEU would count again in every test; it is handed what it counted before.
        kept = {id(hyps): counts[key] for key, hyps in self.systems}
        self.metric._extract_corpus_statistics = lambda hyps, refs: kept[id(hyps)]
        self.statistics = np.array([counts[key] for key in order], dtype=np.float64)
        self.scores = np.array([scores[key] for key in order])
        self.expected: dict[str, np.ndarray] = {}
        self.facts: dict[str, Any] = {}

    def things(self) -> dict[str, Callable[[int], object]]:
        return {
            f"{self.name}, bootstrap, celab": lambda _: self.same("bootstrap"),
            f"{self.name}, bootstrap, sacreBLEU": lambda _: self.theirs("bs"),
            f"{self.name}, randomization, celab": lambda _: self.same("randomization"),
            f"{self.name}, randomization, sacreBLEU": lambda _: self.theirs("ar"),
        }

    def bootstrap(self) -> tuple[Resampled, np.ndarray, np.ndarray]:
        found = scores_of(self.statistics, self.aggregate, RESAMPLES, SEED)
        return found, intervals(found), paired_bootstrap(found)

    def randomization(self) -> np.ndarray:
        return paired_randomization(self.statistics, self.aggregate, RESAMPLES, SEED)

    def same(self, test: str) -> None:
        found = self.bootstrap()[2] if test == "bootstrap" else self.randomization()
        if not np.array_equal(found, self.expected[test]):
            raise Failed(f"{self.name}, {test}: the p-values are not the same from run to run")

    def theirs(self, test: str) -> list[Any]:
        paired = PairedTest(
            self.systems, {self.name: self.metric}, None, test_type=test, n_samples=RESAMPLES
        )
        return next(found for name, found in paired()[1].items() if name != "System")

    def check(self) -> None:
        """Scores, intervals and p-values are sacreBLEU's, as far as chance allows."""
        found, ends, by_bootstrap = self.bootstrap()
        self.expected = {"bootstrap": by_bootstrap, "randomization": self.randomization()}
        apart = float(np.abs(found.observed - self.scores).max())
        if apart > 1e-9:
            raise Failed(f"{self.name}: a score differs from sacreBLEU's by {apart}")
        results = self.theirs("bs")
        for end, result in zip(ends, results, strict=True):
            # Half a width is 1.96 σ, and the error of the 2.5th percentile of B normal draws is
            # √(0.025 · 0.975 / B) / φ(1.96) σ = 2.67 σ / √B; two such are compared.
            allowed = ERRORS * np.sqrt(2 / RESAMPLES) * 2.67 * result.ci / 1.96
            if np.abs(end - (result.mean - result.ci, result.mean + result.ci)).max() > allowed:
                raise Failed(f"{self.name}: an interval is {end}, sacreBLEU's {result}")
        for test, theirs in (("bootstrap", results), ("randomization", self.theirs("ar"))):
            ours = centered_p_values(found) if test == "bootstrap" else self.expected[test][0, 1:]
            other = np.array([result.p_value for result in theirs[1:]])
            middle = (ours + other) / 2
            error = np.sqrt(2 * middle * (1 - middle) / RESAMPLES)
            worst = np.abs(ours - other)
            # The default seeds draw the same segments; single precision may move a resample or two.
            errors = 0.0 if test == "bootstrap" else ERRORS
            if (worst > errors * error + 2 / RESAMPLES).any():
                raise Failed(f"{self.name}, {test}: p-values {ours}, sacreBLEU's {other}")
            undecided = int(((middle > 0.002) & (middle < 0.998)).sum())
            print(
                f"checked: {self.name}, {test}: {len(ours)} p-values within {errors:g} standard"
                f" errors of sacreBLEU's, at most {worst.max():.3f} apart; {undecided} of them"
                " are neither 0 nor 1."
            )
            self.facts[f"{self.name}, {test}, p-values apart at most"] = float(worst.max())


def centered_p_values(found: Resampled) -> np.ndarray:
    """Return sacreBLEU's p-values of the first system against each other one, on our draws.

    p = (c + 1) / (B + 1), where c counts the resamples with |Δ_b| − mean |Δ_b| > |Δ|. It checks the
    draws; the package does not offer this test.
    """
    apart = np.abs(found.observed[0] - found.observed[1:])
    sizes = np.abs(found.scores[:, :1] - found.scores[:, 1:])
    n_greater = (sizes - sizes.mean(axis=0) > apart).sum(axis=0)
    return (n_greater + 1) / (len(sizes) + 1)


def many_segments() -> None:
    """Prints seconds of processor time, and MiB before and at the peak."""
    counts = np.random.default_rng(1).integers(1, 40, (SYSTEMS, MANY, 10)).astype(np.float64)
    before, began = peak_memory(), time.process_time()
    paired_bootstrap(scores_of(counts, BleuFormula(), RESAMPLES))
    print(time.process_time() - began, before, peak_memory())


if __name__ == "__main__":
    main()
