"""Timing, tables and result files, the same for every question.

Other work on the machine moves every time, so the things to be compared take turns within one run,
and only ratios between them mean anything elsewhere. What `say`, `table` and `target` print is kept
in the result file as Markdown; `run.py` makes README.md of it.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import math
import os
import platform
import shlex
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
PACKAGES = ("celab", "numpy", "highspy", "opencc", "sacrebleu", "fastchrf")
_BEGAN = time.perf_counter()
_page: list[str] = []  # lines of Markdown


class Failed(SystemExit):
    """An answer was wrong, so the times mean nothing."""

    def __init__(self, why: str) -> None:
        print(f"FAILED: {why}", file=sys.stderr)
        super().__init__(1)


def in_turns(
    things: Mapping[str, Callable[[int], object]],
    rounds: int,
    cpu: dict[str, list[float]] | None = None,
) -> dict[str, list[float]]:
    """Seconds of each thing in each round; each is called with the round's number.

    `cpu` is filled with the seconds of processor time, which suffer less from other work.
    """
    seconds: dict[str, list[float]] = {name: [] for name in things}
    for turn in range(rounds):
        for name, thing in things.items():
            began, began_cpu = time.perf_counter(), time.process_time()
            thing(turn)
            seconds[name].append(time.perf_counter() - began)
            if cpu is not None:
                cpu.setdefault(name, []).append(time.process_time() - began_cpu)
    return seconds


def summary(values: Sequence[float], unit: str) -> dict[str, Any]:
    """Return the statistics to record of a series of measurements."""
    return {
        "median": statistics.median(values),
        "min": min(values),
        "max": max(values),
        "n": len(values),
        "unit": unit,
    }


def spread(values: Sequence[float]) -> list[str]:
    """Median, lowest and highest, as cells of a table."""
    return [f"{x:.2f}" for x in (statistics.median(values), min(values), max(values))]


def say(text: str) -> None:
    """A paragraph."""
    print(text, end="\n\n", flush=True)
    _page.extend(["", text, ""])


def table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Printed with aligned columns, the first to the left and numbers to the right."""
    cells = [list(headings), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(headings))]
    for row in cells:
        first = row[0].ljust(widths[0])
        rest = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        print("  ".join([first, *rest]).rstrip())
    print()
    _page.extend(["", *markdown(headings, cells[1:]), ""])


def markdown(headings: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """The lines of a table; so many columns are to the left."""
    rule = "|---" * left + "|---:" * (len(headings) - left) + "|"
    return [f"| {' | '.join(headings)} |", rule, *(f"| {' | '.join(row)} |" for row in rows)]


def target(what: str, reached: bool) -> bool:
    """Says whether an aim of the project was met; a missed one is no error, times are noisy."""
    print(f"  {'met   ' if reached else 'MISSED'}  {what}")
    _page.append(f"- {'Met' if reached else '**Missed**'}: {what}")
    return reached


def write(question: str, origin: str, figures: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
    """`results/<question>.json`: `figures` are measurements, `facts` all else."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{question}.json"
    found = {
        "question": question,
        "command": shlex.join(["python", f"bench/{Path(sys.argv[0]).name}", *sys.argv[1:]]),
        "date": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "seconds": time.perf_counter() - _BEGAN,
        "commit": _commit(),
        "machine": machine(),
        "versions": versions(),
        "data": origin,
        "figures": figures,
        "facts": facts,
        "page": "\n".join(_page),
    }
    path.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"\nwritten to bench/results/{path.name}")


def write_between(name: str, lines: Sequence[str], page: Path) -> None:
    """Writes lines into a page, between `<!-- name -->` and `<!-- /name -->`."""
    marks = f"<!-- {name} -->", f"<!-- /{name} -->"
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(marks[0])
    _, mark, after = rest.partition(marks[1])
    if not mark:
        raise SystemExit(f"{page} has no lines {' and '.join(marks)}; there must be both")
    whole = "\n".join([marks[0], "", *lines, marks[1]])
    page.write_text(before + whole + after, encoding="utf-8")
    print(f"written to {os.path.relpath(page, HERE.parent)}")


def versions() -> dict[str, str]:
    """Return the versions of Python and of each package that takes part."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "not installed"
    if found["celab"] == "not installed":  # run from the source tree
        import celab

        found["celab"] = celab.__version__
    return found


def machine() -> dict[str, Any]:
    """Describe the machine, on which the times depend."""
    return {"system": platform.platform(), "processor": _processor(), "cores": os.cpu_count()}


def peak_memory() -> float:
    """Megabytes, of this process so far."""
    try:  # what getrusage says of a process starts, on Linux, with the peak of its parent
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        return int(status.partition("VmHWM:")[2].split()[0]) / 2**10
    except OSError:
        pass
    try:
        import resource
    except ImportError:  # Windows
        return math.nan
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def number_from_command_line(flag: str, default: int, description: str | None) -> int:
    """One number; a smaller one than the default is for trying things out."""
    parser = argparse.ArgumentParser(description=(description or "").split("\n")[0])
    parser.add_argument(f"--{flag}", type=int, default=default, help="(default: %(default)s)")
    number = int(getattr(parser.parse_args(), flag))
    if number < 1:
        parser.error(f"--{flag} is {number}; it must be 1 or more")
    return number


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n")
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _commit() -> str:
    # Changed results and pages do not matter, changed programs do.
    git = ["git", "-C", str(HERE.parent)]
    try:
        command = [*git, "rev-parse", "--short", "HEAD"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    changed = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", "celab", "bench/*.py"])
    return done.stdout.strip() + "-dirty" * bool(changed.returncode)
