"""How often is a difference called significant where there is none?

Two systems differ by chance in 3 to 200 of 200 or 1,000 segments. Differences are normal, or
log-normal with a random sign, so that exchanging the systems changes nothing; 5% of the trials may
be significant. BLEU, chrF and TER are tried, too, on counts that are exchanged at random. The
paired bootstrap alone, which the tests of few segments replace, is shown beside them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from measure import Failed, number_from_command_line, say, summary, table, target, write

from celab.metrics.formulas import BleuFormula, ChrfFormula, error_rate
from celab.statistics.difference import SIGNIFICANT
from celab.statistics.resampling import Aggregate, mean
from celab.statistics.significance import MIN_DIFFERENT_SEGMENTS, paired_bootstrap, paired_test

TRIALS, AT_ONCE = 4000, 200
DIFFERENT = (3, 4, 6, 8, 12, 19, 20, 30, 50, 99, 100, 150, 200)
COUNTED = (4, 12, 30, 100)  # of the metrics of counts, which take longer
SEGMENTS = (200, 1000)
MOST = 0.06  # of the trials, and the error
SHAPES = ("normal", "log-normal")
METRICS: dict[str, tuple[Aggregate, int]] = {
    "BLEU": (BleuFormula(), 10),
    "chrF": (ChrfFormula(), 18),
    "TER": (error_rate, 2),
}


def main() -> None:
    n_trials = number_from_command_line("trials", TRIALS, __doc__)
    draw = np.random.default_rng(1)
    rates: dict[str, float] = {}
    for n_segments in SEGMENTS:
        rows = []
        for n_different in DIFFERENT:
            cells, name = [], ""
            for shape in SHAPES:
                ours, alone, name = by_means(draw, shape, n_segments, n_different, n_trials)
                rates[f"{shape}, {n_different} of {n_segments}"] = ours
                cells += [f"{ours:.1%}", f"{alone:.1%}"]
            rows.append([str(n_different), name, *cells])
        say(f"Significant means at p < 0.05, {n_segments:,} segments, {n_trials:,} trials:")
        headings = ["segments that differ", "test"]
        table(headings + [f"{x}{y}" for x in SHAPES for y in ("", ", bootstrap")], rows)
    rows = []
    for name, (aggregate, k) in METRICS.items():
        cells = []
        for n_different in COUNTED:
            found = by_counts(draw, aggregate, k, n_different, n_trials // 10)
            rates[f"{name}, {n_different} of {SEGMENTS[0]}"] = found
            cells.append(f"{found:.1%}")
        rows.append([name, *cells])
    say(f"The same by other metrics, {SEGMENTS[0]} segments, {n_trials // 10:,} trials:")
    table(["segments that differ", *map(str, COUNTED)], rows)
    few, many = {}, {}
    for name, rate in rates.items():
        n_different = int(name.split(", ")[1].split()[0])
        (few if n_different < MIN_DIFFERENT_SEGMENTS["randomization"] else many)[name] = rate
    for name, rate in few.items():
        trials = n_trials if name.startswith(SHAPES) else n_trials // 10
        if rate > SIGNIFICANT + 4 * np.sqrt(SIGNIFICANT * (1 - SIGNIFICANT) / trials):
            raise Failed(f"{name}: {rate:.1%} of the trials are significant")
    error = np.sqrt(MOST * (1 - MOST) / n_trials)
    for heading, group in (("fewer than 100", few), ("100 or more", many)):
        means = {name: rate for name, rate in group.items() if name.startswith(SHAPES)}
        worst = max(means, key=means.__getitem__)
        target(
            f"{heading} segments differ: at most {MOST:.0%} ± {error:.1%} are significant:"
            f" {means[worst]:.1%} ({worst})",
            means[worst] <= MOST + error,
        )
    figures: dict[str, Any] = {name: summary([rate], "share") for name, rate in rates.items()}
    write("false_positives", "drawn at random", figures, {"trials": n_trials})


def by_means(
    draw: np.random.Generator, shape: str, n_segments: int, n_different: int, n_trials: int
) -> tuple[float, float, str]:
    """Return the shares of significant trials, by our test and by the bootstrap, and our test."""
    n_ours = n_bootstrap = n_done = 0
    while n_done < n_trials:
        # Each trial is a system whose scores differ from those of the first, which are 0.
        apart = np.zeros((AT_ONCE + 1, n_segments))
        values = draw.normal(size=(AT_ONCE, n_different))
        if shape == "log-normal":
            values = draw.choice([-1, 1], values.shape) * np.exp(values)
        apart[1:, :n_different] = values
        pairs = np.zeros((AT_ONCE + 1, AT_ONCE + 1), np.bool_)
        pairs[0, 1:] = True
        tested = paired_test(apart, mean, seed=n_done, pairs=pairs)
        n_ours += int((tested.p_values[0, 1:] < SIGNIFICANT).sum())
        n_bootstrap += int((paired_bootstrap(tested.resampled, pairs)[0, 1:] < SIGNIFICANT).sum())
        n_done += AT_ONCE
    return n_ours / n_done, n_bootstrap / n_done, str(tested.tests[0, 1])


def by_counts(
    draw: np.random.Generator, aggregate: Aggregate, k: int, n_different: int, n_trials: int
) -> float:
    """Return the share of significant trials of a metric of k counts."""
    n_significant = 0
    for trial in range(n_trials):
        counts = np.sort(draw.integers(1, 40, (1, SEGMENTS[0], k)), axis=2)[:, :, ::-1]
        both = np.repeat(counts, 2, axis=0).astype(np.float64)
        both[1, :n_different] -= draw.integers(0, 2, (n_different, k))
        swapped = draw.random(n_different) < 0.5
        both[:, :n_different][:, swapped] = both[::-1, :n_different][:, swapped]
        tested = paired_test(both, aggregate, seed=trial)
        n_significant += int(tested.p_values[0, 1] < SIGNIFICANT)
    return n_significant / n_trials


if __name__ == "__main__":
    main()
