"""How much do the checks of outputs add to the time of scoring?

`celab score` on all systems, as a command, and `Campaign.score` without its start-up, tests and
tables; each with checks and without, in turns on one thread. Scores must be the same, and kinds
those of the rules tried one by one on every output.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

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

import celab
from celab.findings.translations import CHECKS
from celab.findings.translations.screening import Expectations

ROUNDS = 10
MOST_ADDED = 0.08  # of the time of the command without checks


def main() -> None:
    rounds = number_from_command_line("rounds", ROUNDS, __doc__)
    data = load()
    kinds = kinds_one_by_one(data)
    seconds = measure_command(data, rounds) | measure_library(data, kinds, rounds)
    n_flagged = sum(kind != "" for of_system in kinds.values() for kind in of_system)
    n_outputs = len(data.refs) * len(data.systems)
    say(
        f"Medians of {rounds} rounds, processor time; {n_flagged} of {n_outputs:,} outputs are"
        " flagged."
    )
    names = [name.removesuffix(", without checks") for name in seconds if "without" in name]
    added = {
        name: [
            a / b - 1
            for a, b in zip(seconds[name], seconds[f"{name}, without checks"], strict=True)
        ]
        for name in names
    }
    table(
        ["", "seconds", "lowest", "highest"],
        [[name, *spread(values)] for name, values in seconds.items()],
    )
    for name, values in added.items():
        say(f"Checks add {statistics.median(values):.0%} to {name}.")
    share = statistics.median(added["celab score"])
    target(f"checks add at most 8% to `celab score`: {share:.0%}", share <= MOST_ADDED)
    figures = {f"{name}, s": summary(values, "s") for name, values in seconds.items()}
    figures |= {f"added to {name}": summary(values, "ratio") for name, values in added.items()}
    write("checks", data.origin, figures, {"flagged": n_flagged})


def kinds_one_by_one(data: Data) -> dict[str, list[str]]:
    """Return the kind of every output, by system, without the shortcuts of `find`."""
    segments = Expectations([data.refs])
    checks = [check for check in CHECKS.values() if check.verdict]
    return {
        name: [
            next((check.name for check in checks if check.rule(output, segment)), "")
            for output, segment in zip(outputs, segments, strict=True)
        ]
        for name, outputs in data.systems.items()
    }


def measure_library(data: Data, kinds: dict[str, list[str]], rounds: int) -> dict[str, list[float]]:
    """Return seconds of `Campaign.score`."""
    metric = celab.TeslaCelab()
    campaign = celab.Campaign.from_lists(data.systems, data.refs)
    expected = campaign.score(metric, check=False).scores

    def score(check: bool) -> None:
        scored = campaign.score(metric, check=check)
        if scored.scores != expected:
            raise Failed("scores with checks are not those without")
        found = scored.outputs
        if found is not None and {name: found.by_segment(name) for name in kinds} != kinds:
            raise Failed("the kinds are not those of the rules one by one")

    cpu: dict[str, list[float]] = {}
    things = {
        "Campaign.score, without checks": lambda _: score(False),
        "Campaign.score": lambda _: score(True),
    }
    in_turns(things, rounds, cpu)
    return cpu


def measure_command(data: Data, rounds: int) -> dict[str, list[float]]:
    """Return seconds of `celab score`, from its start to its end."""
    seconds: dict[str, list[float]] = {"celab score, without checks": [], "celab score": []}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_lines(folder / "ref.zh", data.refs)
        (folder / "hyp").mkdir()
        for name, outputs in data.systems.items():
            write_lines(folder / "hyp" / f"{name}.zh", outputs)
        command = [sys.executable, "-m", "celab", "score", "-q", "-r", "ref.zh", "-s", "hyp"]
        printed = set()
        for _ in range(rounds):
            for name, flags in zip(seconds, (["--no-check"], []), strict=True):
                began = children_seconds()
                done = subprocess.run(
                    [*command, *flags], cwd=folder, check=True, capture_output=True
                )
                seconds[name].append(children_seconds() - began)
                printed.add(done.stdout)
        if len(printed) != 1:
            raise Failed("celab score prints something else with checks")
    return seconds


def children_seconds() -> float:
    """Return the processor time of all children that have ended."""
    try:
        import resource
    except ImportError:  # Windows
        return time.perf_counter()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def write_lines(path: Path, lines: Sequence[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
