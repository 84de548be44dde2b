"""Report: what was measured → tables for a terminal, or one JSON object with every digit.

```
{"celab_version": …, "date": …, "machine": {"system": …, "processor": …, "cores": …},
 "corpus": {"origin": …, "pairs": …, "mean_length": …}, "signature": …, "rounds": …,
 "solvers": [{"name": …, "package": …, "version": …, "how": …, "state": …, "why": …,
              "pairs_per_second": {"median": …, "min": …, "max": …},
              "seconds": […], "solver_seconds": […], "clock_seconds": […],
              "times_slowest": …, "behind_fastest": {…}, "behind_fastest_by_clock": {…},
              "greatest_difference": …, "wrong": [numbers of pairs]}],
 "sizes": {"columns": {"median": …, "mean": …, "max": …}, "rows": {…}, "nonzeros": {…}},
 "steps": {"halves": {STEP: share}, "pairs": {STEP: share}},
 "rooms": {ROOM: {"median": …, "min": …, "max": …}},
 "growth": {"lengths": [{"length": …, "pairs": …, "nonzeros": …, "seconds": {SOLVER: …}}],
            "exponents": {SOLVER: …}}}
```

`seconds` are the processor's in each round for all pairs, tokens to values, `solver_seconds` the
part of them that was spent in the solver, `clock_seconds` what the clock said; `rooms` are the
processor's seconds for all pairs, those of `growth` for one. `state` is one of: agrees, wrong,
failed, crashed, timed out; only the first two have times. `growth` is there if it was measured.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from celab.benchmark.growth import Growth
from celab.benchmark.measure import REDUCTION, STEPS, TOLERANCE, Found, Run
from celab.report.tables import Table, note, write
from celab.version import __version__


def tables(found: Found, growth: Growth | None = None, kind: str = "text") -> str:
    """All of it, one table after another."""
    programs = 1e6 * statistics.median(found.rooms["whole programs"]) / found.n_pairs
    blocks = [
        note(_about(found), kind),
        write(_solvers(found), kind),
        note(f"from tokens to values, in processor time; what is not the {REDUCTION} starts with"
             f" {programs:.0f} µs a pair for links and whole programs", kind),
        "".join(note(f"{run.name} {run.state}: {run.why}", kind)
                for run in found.runs if run.why),
        write(_sizes(found), kind),
        write(_steps(found), kind),
        write(_rooms(found), kind),
    ]  # fmt: skip
    if growth is not None:
        blocks.append(write(_growth(growth), kind))
        blocks.append("".join(note(line, kind) for line in _growth_notes(growth)))
    blocks.append(note(_verdict(found, growth), kind) + note(found.signature, kind))
    return "\n".join(block.rstrip("\n") + "\n" for block in blocks if block)


def as_json(found: Found, growth: Growth | None = None) -> str:
    """One line of JSON."""
    report: dict[str, Any] = {
        "celab_version": __version__,
        "date": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "machine": machine(),
        "corpus": {
            "origin": found.origin,
            "pairs": found.n_pairs,
            "mean_length": found.mean_length,
        },
        "signature": found.signature,
        "rounds": found.rounds,
        "solvers": [_run(found, run) for run in found.runs],
        "sizes": {name: _of_sizes(some) for name, some in found.sizes.items()},
        "steps": {of: dict(zip(STEPS, shares, strict=True)) for of, shares in _shares(found)},
        "rooms": {name: _spread(seconds) for name, seconds in found.rooms.items()},
    }
    if growth is not None:
        report["growth"] = {
            "lengths": [
                {
                    "length": length,
                    "pairs": one.n_pairs,
                    "nonzeros": statistics.mean(one.sizes["nonzeros"]),
                    "seconds": {
                        run.name: run.seconds_a_pair(one.n_pairs)
                        for run in one.runs
                        if run.is_timed
                    },
                }
                for length, one in zip(growth.lengths, growth.found, strict=True)
            ],
            "exponents": {name: growth.exponent(name) for name in growth.names},
        }
    return json.dumps(report, ensure_ascii=False, allow_nan=False) + "\n"


def machine() -> dict[str, Any]:
    """What times depend on."""
    return {
        "system": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
    }


# ---- figures ----


def _run(found: Found, run: Run) -> dict[str, Any]:
    report: dict[str, Any] = {
        "name": run.name, "package": run.package, "version": run.version, "how": run.how,
        "state": run.state, "why": run.why,
    }  # fmt: skip
    if run.is_timed:
        fastest, slowest = _extremes(found)
        report |= {
            "pairs_per_second": _spread(_ratios([found.n_pairs] * found.rounds, run.seconds)),
            "seconds": run.seconds,
            "solver_seconds": run.solver_seconds,
            "clock_seconds": run.clock_seconds,
            "times_slowest": statistics.median(_ratios(slowest.seconds, run.seconds)),
            "behind_fastest": _spread(_ratios(run.seconds, fastest.seconds)),
            "behind_fastest_by_clock": _spread(_ratios(run.clock_seconds, fastest.clock_seconds)),
            "greatest_difference": run.greatest_difference,
            "wrong": run.wrong,
        }
    return report


def _extremes(found: Found) -> tuple[Run, Run]:
    """The fastest and the slowest."""
    timed = [run for run in found.runs if run.is_timed]
    by_time = sorted(timed, key=lambda run: statistics.median(run.seconds))
    return by_time[0], by_time[-1]


def _ratios(some: Sequence[float], others: Sequence[float]) -> list[float]:
    # Round by round, for what else the machine does moves both. A clock may have stood still.
    return [a / max(b, 1e-9) for a, b in zip(some, others, strict=True)]


def _spread(values: Sequence[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def _of_sizes(counts: Sequence[int]) -> dict[str, float]:
    return {
        "median": statistics.median(counts),
        "mean": statistics.mean(counts),
        "max": max(counts),
    }


def _shares(found: Found) -> Iterator[tuple[str, list[float]]]:
    # Of halves, and of pairs by their harder half.
    for of, steps in (("halves", found.steps.reshape(-1)), ("pairs", found.steps.max(axis=1))):
        counts = np.bincount(steps, minlength=len(STEPS))
        yield of, (counts / len(steps)).tolist()


# ---- tables ----


def _about(found: Found) -> str:
    n, rounds = found.n_pairs, found.rounds
    return (
        f"{found.origin}: {n:,} pair{'s' * (n != 1)}, {found.mean_length:.1f} tokens a reference;"
        f" {f'medians of {rounds} rounds' if rounds > 1 else '1 round'}"
    )


def _solvers(found: Found) -> Table:
    headings = ["solver", "version", "pairs/s", "µs/pair", "times the slowest",
                "behind the fastest", "by the clock", "difference", "values"]  # fmt: skip
    fastest, slowest = _extremes(found)
    rows = []
    for run in found.runs:
        cells = [""] * 6
        if run.is_timed:
            cost = run.seconds_a_pair(found.n_pairs)
            cells = [
                f"{1 / cost:,.0f}",
                _three(1e6 * cost),
                _three(statistics.median(_ratios(slowest.seconds, run.seconds))),
                _three(statistics.median(_ratios(run.seconds, fastest.seconds))),
                _three(statistics.median(_ratios(run.clock_seconds, fastest.clock_seconds))),
                f"{run.greatest_difference:.0e}" if run.greatest_difference else "0",
            ]
        rows.append([run.name, f"{run.package} {run.version}", *cells, run.state])
    return Table(headings, rows, right=range(2, 8))


def _three(number: float) -> str:
    # Digits at the most, of what is below a thousand.
    return f"{number:,.0f}" if number >= 100 else f"{number:.1f}"


def _sizes(found: Found) -> Table:
    rows = [
        [name, *(f"{number:,.0f}" for number in _of_sizes(counts).values())]
        for name, counts in found.sizes.items()
    ]
    return Table(["whole program", "median", "mean", "max"], rows, right=range(1, 4))


def _steps(found: Found) -> Table:
    shares = dict(_shares(found))
    rows = [
        [name, f"{half:.1%}", f"{pair:.1%}"]
        for name, half, pair in zip(STEPS, shares["halves"], shares["pairs"], strict=True)
    ]
    return Table(["last step that was needed", "halves", "pairs"], rows, right=range(1, 3))


def _rooms(found: Found) -> Table:
    cost = {
        name: 1e6 * statistics.median(times) / found.n_pairs for name, times in found.rooms.items()
    }
    instead = cost.pop("whole programs")
    total = sum(cost.values())
    rows = [[name, f"{t:,.2f}", f"{t / total:.0%}"] for name, t in cost.items()]
    rows.append(["links and whole programs, instead of the last two", f"{instead:,.2f}", ""])
    return Table(["room", "µs/pair", "share"], rows, right=range(1, 3), rules=(len(rows) - 1,))


def _growth(growth: Growth) -> Table:
    seconds = {name: growth.seconds(name) for name in growth.names}
    rows = []
    for length, found in zip(growth.lengths, growth.found, strict=True):
        cells = [_three(1e6 * of[length]) if length in of else "" for of in seconds.values()]
        rows.append([str(length), f"{statistics.mean(found.sizes['nonzeros']):,.0f}", *cells])
    exponents = [growth.exponent(name) for name in growth.names]
    rows.append(["exponent", "", *("" if k is None else f"{k:.2f}" for k in exponents)])
    headings = ["length", "nonzeros", *growth.names]
    return Table(headings, rows, right=range(len(headings)), rules=(len(rows) - 1,))


def _growth_notes(growth: Growth) -> Iterator[str]:
    yield (
        f"µs a pair; {growth.found[0].n_pairs} pairs of each length; the exponent is k in"
        " time ~ length^k"
    )
    for length, found in zip(growth.lengths, growth.found, strict=True):
        for run in found.runs:
            if run.why:
                yield f"length {length}: {run.name} {run.state}: {run.why}"


def _verdict(found: Found, growth: Growth | None) -> str:
    everything = [found, *(growth.found if growth else [])]
    if any(one.is_wrong for one in everything):
        return f"WRONG: values differ from the {REDUCTION}'s by more than {TOLERANCE:g} of them"
    n_others = sum(run.is_timed for run in found.runs[1:])
    if not n_others:
        return f"nothing was compared with the {REDUCTION}"
    solvers = "1 other solver agrees" if n_others == 1 else f"{n_others} other solvers agree"
    return f"{solvers} with the {REDUCTION} on every value, to {TOLERANCE:g} of it"
