"""Fuzzing: `python tests/fuzz/run.py --minutes 30`. Exit code 1 if there are findings.

Targets take turns, each turn in a process of its own. A finding is an exception that is none of
ours, a process that dies, a case that takes longer than it may, or one that takes more memory. The
case that led to it is kept in a folder, as a literal that `--replay` reads. POSIX only; to watch
the kernels, run it with the libraries and options of `make sanitize` in `build/sanitize`.

    python tests/fuzz/run.py --replay build/fuzz/celab-17.txt
"""

from __future__ import annotations

import argparse
import ast
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent

SECONDS_A_CASE = 30
MEGABYTES = 2048
TURN = 40  # seconds
FOUND = "FOUND "  # how a worker's line begins that tells of a finding


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("targets", nargs="*", help="which (default: all)")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=0, help="the number of the first case")
    parser.add_argument("--keep", type=Path, default=ROOT / "build" / "fuzz", metavar="FOLDER")
    parser.add_argument("--replay", type=Path, metavar="FILE")
    parser.add_argument("--worker", type=float, metavar="SECONDS", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker is not None:
        return work(given.targets[0], given.seed, given.worker)
    if given.replay is not None:
        return replay(given.replay)
    return drive(given.targets, given.minutes * 60, given.seed, given.keep)


def drive(names: list[str], seconds: float, seed: int, keep: Path) -> int:
    """Lets the targets take turns until the time is over."""
    if not names:
        from fuzz.targets import TARGETS

        names = list(TARGETS)
    turn = min(TURN, seconds / len(names))
    ran, taken, findings = (dict.fromkeys(names, 0) for _ in range(3))
    number = dict.fromkeys(names, seed)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for name in names:
            before = number[name]
            number[name], n_taken, found = one_turn(name, before, turn)
            ran[name] += number[name] - before
            taken[name] += n_taken
            findings[name] += len(found)
            for case_number, why in found:
                save(keep, name, case_number, why)
        report(names, ran, taken, findings)
    return int(any(findings.values()))


def report(
    names: list[str], ran: dict[str, int], taken: dict[str, int], found: dict[str, int]
) -> None:
    """One line a target."""
    print(f"{'target':12}{'executions':>12}{'taken':>10}{'findings':>10}")
    for name in names:
        print(f"{name:12}{ran[name]:12}{taken[name]:10}{found[name]:10}")
    print(f"{'all':12}{sum(ran.values()):12}{sum(taken.values()):10}{sum(found.values()):10}")
    print(flush=True)


def one_turn(name: str, first: int, seconds: float) -> tuple[int, int, list[tuple[int, str]]]:
    """The number of the next case, how many were taken, and the findings of one process."""
    with tempfile.TemporaryDirectory(prefix="celab-fuzz-") as folder:
        state = Path(folder) / "state"
        state.write_text(f"{first} 0")
        command = [sys.executable, __file__, name, "--seed", str(first), "--worker", str(seconds)]
        environment = os.environ | {"CELAB_LEXICONS": folder, "CELAB_FUZZ": folder}
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, errors="replace"
        )
        reached, taken = map(int, state.read_text().split())
    found = []
    for line in done.stdout.splitlines():
        if line.startswith(FOUND):
            case_number, _, why = line.removeprefix(FOUND).partition(" ")
            found.append((int(case_number), why))
    if done.returncode != 0:
        why = f"exit code {done.returncode}"
        if done.returncode == -signal.SIGALRM:
            why = f"a case that takes more than {SECONDS_A_CASE} s"
        found.append((reached, f"{why}\\n{done.stderr}"))
        reached += 1
    return reached, taken, found


def save(keep: Path, name: str, number: int, why: str) -> None:
    """Keeps the case, and says so."""
    from fuzz.targets import TARGETS

    keep.mkdir(parents=True, exist_ok=True)
    case = TARGETS[name].make(Random(number))
    path = keep / f"{name}-{number}.txt"
    lines = why.replace("\\n", "\n").strip().splitlines()
    reason = "".join(f"# {line}\n" for line in lines)
    path.write_text(f"{name}\n{case!a}\n{reason}", "utf-8")
    print(f"{path}: {lines[-1][:300]}", flush=True)


def replay(path: Path) -> int:
    """Runs one case again; what is wrong with it shows."""
    from fuzz.target import run_case
    from fuzz.targets import TARGETS

    name, literal, *_ = path.read_text("utf-8").splitlines()
    with tempfile.TemporaryDirectory(prefix="celab-fuzz-") as folder:
        os.environ["CELAB_LEXICONS"] = folder
        print(
            "taken"
            if run_case(TARGETS[name], ast.literal_eval(literal), Path(folder))
            else "refused"
        )
    return 0


def work(name: str, first: int, seconds: float) -> int:
    """One turn of one target, in this process; says on stdout what it finds."""
    import resource

    from fuzz.target import run_case
    from fuzz.targets import TARGETS

    target, folder = TARGETS[name], Path(os.environ["CELAB_FUZZ"])
    sanitized = "libasan" in os.environ.get("LD_PRELOAD", "")
    if not sanitized:  # AddressSanitizer maps more than any limit allows
        resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES << 20,) * 2)
    # Not Python's handler: it would wait for a kernel that does not end.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    state = os.open(folder / "state", os.O_RDWR)
    end, number, taken = time.monotonic() + seconds, first, 0
    seen: set[Any] = set()
    peak = memory()
    while time.monotonic() < end:
        os.pwrite(state, f"{number} {taken}".ljust(40).encode(), 0)
        case = target.make(Random(number))
        signal.alarm(SECONDS_A_CASE)
        try:
            taken += run_case(target, case, folder)
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            if (type(error), place.filename, place.lineno) not in seen:  # each fault once
                seen.add((type(error), place.filename, place.lineno))
                told = traceback.format_exc().replace("\n", "\\n")
                print(
                    f"{FOUND}{number} {told}".encode("ascii", "backslashreplace").decode(),
                    flush=True,
                )
        signal.alarm(0)
        if memory() > max(peak, MEGABYTES / 4) * 2:
            peak = memory()
            print(f"{FOUND}{number} takes memory: {peak:.0f} MB at its height", flush=True)
        number += 1
    os.pwrite(state, f"{number} {taken}".ljust(40).encode(), 0)
    return 0


def memory() -> float:
    """The most that this process has had, in megabytes."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    sys.path[0] = str(ROOT / "tests")
    sys.path.insert(1, str(ROOT))
    sys.exit(main())
