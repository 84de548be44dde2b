"""How long does the person at the prompt wait, compared with `sacrebleu -m chrf` on the same files?

Whole commands, start-up, reading, checks, tests and tables included, in turns, with one job:
`celab score` on all systems, on one system, and on the example; with `--no-check` to see what the
checks cost. Times are processor time of the command. `celab score -m chrf` must print the score of
`sacrebleu -m chrf`.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path

from data import data_folder
from measure import HERE, Failed, number_from_command_line, say, summary, table, target, write

ROUNDS = 7
EXAMPLE = HERE.parent / "examples"
AIMS = {"29 × 1,002": 6.0, "1 × 1,002": 1.0}  # times as fast as sacreBLEU's chrF
START, CHECKS = 1.9, 0.08  # times sacreBLEU's start; share of the time without checks


def main() -> None:
    rounds = number_from_command_line("rounds", ROUNDS, __doc__)
    large, small = (data_folder() / name for name in ("wmt21-enzh-sys", "wmt24-enzh-esa"))
    if not (large.is_dir() and small.is_dir()):
        say(f"Not measured: {large.name} or {small.name} is not in the data folder.")
        return
    reference, systems = large / "ref-A.txt", sorted((large / "hyp").glob("*.txt"))
    check(reference, systems[0])
    tasks = {
        "29 × 1,002": (reference, systems),
        "1 × 1,002": (reference, systems[:1]),
        "the example": (EXAMPLE / "ref1.zh", [EXAMPLE / "hyp1.zh"]),
    }
    commands: dict[str, list[str]] = {}
    for name, (refs, hyps) in tasks.items():
        commands[f"celab, {name}"] = celab(refs, hyps)
        commands[f"sacreBLEU, {name}"] = sacrebleu(refs, hyps)
    of_small = small / "ref-A.txt", sorted((small / "hyp").glob("*.txt"))
    commands["celab, 12 × 634"] = celab(*of_small)
    commands["celab, 12 × 634, --no-check"] = [*celab(*of_small), "--no-check"]
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            seconds[name].append(processor_seconds(command))
    report(seconds, rounds)


def report(seconds: dict[str, list[float]], rounds: int) -> None:
    """Print and write the times and their ratios, each within one round."""
    say(f"Seconds of processor time, {rounds} rounds, one job, warm caches.")
    table(
        ["", "median", "lowest"],
        [[name, f"{statistics.median(t):.3f}", f"{min(t):.3f}"] for name, t in seconds.items()],
    )
    ratios = {
        name: ratio(seconds[f"sacreBLEU, {name}"], seconds[f"celab, {name}"]) for name in AIMS
    }
    for name, aim in AIMS.items():
        what = f"{name}: at least {aim:.0f} times as fast as `sacrebleu -m chrf`"
        target(f"{what}: {ratios[name]:.2f}", ratios[name] >= aim)
    start = ratio(seconds["celab, the example"], seconds["sacreBLEU, the example"])
    target(f"the example: at most {START} times sacreBLEU's time: {start:.2f}", start <= START)
    added = ratio(seconds["celab, 12 × 634"], seconds["celab, 12 × 634, --no-check"]) - 1
    target(f"checks add at most {CHECKS:.0%}: {added:.1%}", added <= CHECKS)
    figures = {name: summary(t, "s") for name, t in seconds.items()}
    write("command", "wmt21-enzh-sys, wmt24-enzh-esa, examples", figures, {"ratios": ratios})


def ratio(above: list[float], below: list[float]) -> float:
    """Return the median of the ratios of the rounds."""
    return statistics.median(a / b for a, b in zip(above, below, strict=True))


def celab(reference: Path, systems: list[Path], *flags: str) -> list[str]:
    """Return the command that scores systems, by default with one job."""
    files = ["-r", str(reference), "-s", *map(str, systems)]
    settings = flags or ("--jobs", "1")
    return [sys.executable, "-m", "celab", "score", *files, "-q", *settings]


def sacrebleu(reference: Path, systems: list[Path], *flags: str) -> list[str]:
    """Return sacreBLEU's command for the same files."""
    files = [str(reference), "-i", *map(str, systems)]
    return [sys.executable, "-m", "sacrebleu", *files, "-m", "chrf", *flags]


def output_of(command: list[str]) -> str:
    """Run a command with bytecode kept, as for users; return what it prints."""
    environment = os.environ | {"PYTHONPATH": str(HERE.parent), "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise Failed(done.stderr.strip())
    return done.stdout


def processor_seconds(command: list[str]) -> float:
    """Return the processor seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output_of(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def check(reference: Path, system: Path) -> None:
    """Compare the score by chrF; the first run warms caches and the disk."""
    ours = json.loads(output_of(celab(reference, [system], "-m", "chrf", "--json")))
    theirs = json.loads(output_of(sacrebleu(reference, [system])))
    score = ours["system"][0]["score"]
    if round(score, 1) != theirs["score"]:
        raise Failed(f"celab score -m chrf says {score}, sacrebleu {theirs['score']}")
    say("Checked: `celab score -m chrf` prints the score of `sacrebleu -m chrf`.")


if __name__ == "__main__":
    main()
