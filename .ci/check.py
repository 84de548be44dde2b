"""Everything that must hold before a change lands, part by part: `make check` and `.ci/run`.

    python .ci/check.py [--all] [PART ...]

Without arguments: all parts except the whole suite (`test`) and the installation of system packages
(`packages`), which `--all` runs first. Each part has a time limit, and so do all together. A part
that fails does not stop the others. The last lines have the result and the time of each part, with
the closing line of pytest, and each test and part that did not run, with the reason; the exit code
is 1 if a part has failed. What a part prints is kept in build/check.
"""

from __future__ import annotations

import argparse
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import chromium  # noqa: E402  # the tests find the browser by it

MINUTES = 86  # for all parts together
LOGS = ROOT / "build" / "check"
LAST = 40  # lines of a failed part that are shown again at the end
LOWEST_PYTHON = (3, 11)  # as in pyproject.toml
# New cases for a person who runs `make check`. In CI the same ones each time, so that only a change
# can fail them.
SEED = 0 if os.environ.get("CI") else secrets.randbelow(10**9)
CLOSING = re.compile(
    r"=* ?((?:\d+ \w+, )*\d+ (?:passed|failed|skipped|errors?).* in [\d.]+s.*?) ?=*"
)
# How pytest and the Makefile name what did not run.
NOT_RUN = re.compile(r"^(?:SKIPPED|skipped:) (.+)", re.MULTILINE)
# How pip names a registry that cannot be reached. Any other error is a fault, not a lack.
UNREACHABLE = re.compile(r"NewConnectionError|NameResolutionError|ConnectTimeoutError")


@dataclass(frozen=True, slots=True)
class Part:
    """A command of the shell with its time limit.

    `needs` installs packages first; the part is skipped if no registry can be reached. `lacks`
    returns a reason to skip it, or "".
    """

    minutes: float
    command: str
    needs: str = ""
    lacks: Callable[[], str] = lambda: ""


def no_browser() -> str:
    """Return why the browser tests cannot run, or ""."""
    return "" if chromium.found() else f"there is no browser: none of {', '.join(chromium.NAMES)}"


def no_sanitizers() -> str:
    """Return why the sanitizers cannot run, or ""."""
    if not shutil.which("gcc"):
        return "there is no gcc"
    for name in ("libasan.so", "libubsan.so"):
        command = ["gcc", f"-print-file-name={name}"]
        path = subprocess.run(command, capture_output=True, text=True).stdout.strip()
        if not os.path.isabs(path):  # gcc repeats a name that it does not find
            return f"gcc has no {name}"
    return ""


def no_lowest_python() -> str:
    """Return why the lowest versions of packages cannot be installed, or ""."""
    if sys.version_info[:2] == LOWEST_PYTHON:
        return ""
    return "the lowest versions of packages are those for Python {}.{}".format(
        *LOWEST_PYTHON
    ) + ", and this is {}.{}".format(*sys.version_info)


def random_cases(script: str, minutes: int) -> str:
    """Return the command that tries new cases; it can be repeated, because the seed is in it."""
    return f".venv/bin/python {script} --minutes {minutes} --seed {SEED}"


# What `make test` leaves out, and ten times as many random cases.
MORE_CASES = "CELAB_EXAMPLES=100 make test MARKED='thorough or drawn or hypothesis'"
BEFORE = {
    # On the bare machine: no test may need a browser or a font for Chinese.
    "test": Part(45, "make test"),
    "packages": Part(6, ".ci/packages"),
}
CHECKS = {
    "build": Part(15, "make .venv/built .venv/test .venv/lint"),
    "lint": Part(10, "make lint"),
    "browser": Part(15, "make test MARKED='browser or font'", lacks=no_browser),
    "alone": Part(15, ".venv/bin/python .ci/alone.py"),
    "cases": Part(15, MORE_CASES),
    "laws": Part(6, random_cases("tests/properties/run.py", 3)),
    "fuzz": Part(6, random_cases("tests/fuzz/run.py", 2)),
    "sanitize": Part(20, "make sanitize-kernels", lacks=no_sanitizers),
    "release": Part(20, "make release-check", needs="make .venv/release/installed"),
    "integrations": Part(
        12,
        "make test-integrations",
        needs="make .venv/test .venv/integrations/installed .venv/toolkit/installed",
    ),
    "lowest": Part(
        20, "make test-lowest", needs="make .venv/lowest/installed", lacks=no_lowest_python
    ),
}
PARTS = BEFORE | CHECKS


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a part."""

    result: str  # passed, FAILED or skipped
    seconds: float
    why: str
    lines: list[str]  # the last ones that it has printed
    not_run: list[str]  # what it has left out, with the reasons


def main() -> int:
    """Run the parts; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}")
    parser.add_argument("--all", action="store_true", help="run all parts")
    given = parser.parse_args()
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}; choose from {', '.join(PARTS)}")
    names = [*PARTS] if given.all else given.parts or [*CHECKS]
    LOGS.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + 60 * MINUTES
    outcomes: dict[str, Outcome] = {}
    try:
        for name in names:
            outcomes[name] = outcome(name, PARTS[name], end)
    except KeyboardInterrupt:
        return 130
    finally:
        report(outcomes)
    return int(any(one.result == "FAILED" for one in outcomes.values()))


def outcome(name: str, part: Part, end: float) -> Outcome:
    """Run a part, unless something it needs is not here."""
    began = time.monotonic()
    allowed = min(60 * part.minutes, end - began)

    def now(
        result: str, why: str, lines: list[str] | None = None, not_run: list[str] | None = None
    ) -> Outcome:
        return Outcome(result, time.monotonic() - began, why, lines or [], not_run or [])

    if allowed <= 0:
        return now("FAILED", f"no time is left of {MINUTES} minutes")
    if lack := part.lacks():
        return now("skipped", lack, not_run=[lack])
    with open(LOGS / f"{name}.log", "w", encoding="utf-8") as log:
        if part.needs:
            code, lines = run(name, part.needs, allowed, log.write)
            if code != 0:
                if any(UNREACHABLE.search(line) for line in lines):
                    lack = "no registry of packages can be reached"
                    return now("skipped", lack, not_run=[lack])
                return now("FAILED", f"{part.needs} fails", lines)
        left = allowed - (time.monotonic() - began)
        code, lines = run(name, part.command, left, log.write)
    closing = "".join([found[1] for line in lines if (found := CLOSING.fullmatch(line))][-1:])
    not_run = NOT_RUN.findall((LOGS / f"{name}.log").read_text("utf-8"))
    if code is None:
        return now("FAILED", f"not done after {allowed / 60:.0f} minutes", lines, not_run)
    if code:
        return now("FAILED", closing or f"exit code {code}", lines, not_run)
    return now("passed", closing, not_run=not_run)


def run(
    name: str, command: str, seconds: float, keep: Callable[[str], object]
) -> tuple[int | None, list[str]]:
    """Return the exit code of a command, None after the time limit, and its last lines."""
    print(f"\n== {name}: {command}", flush=True)
    process = subprocess.Popen(
        command,
        shell=True,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    lines: deque[str] = deque(maxlen=LAST)

    def read() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            with suppress(ValueError):  # the part is over
                keep(line)
            if line.strip():
                lines.append(line.rstrip("\n"))

    # In a thread: a process that the command has left behind may keep the pipe open.
    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        code: int | None = process.wait(max(seconds, 1))
    except subprocess.TimeoutExpired:
        code = None
    finally:
        end(process)
    reader.join(10)
    return code, list(lines)


def end(process: subprocess.Popen[str]) -> None:
    """End a command, if it has not ended, and what it has left behind."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)


def report(outcomes: dict[str, Outcome]) -> None:
    """Print the end of what failed, and a line for each part."""
    for name, one in outcomes.items():
        if one.result == "FAILED":
            print(f"\n== the end of {name}")
            print(*one.lines, sep="\n")
    print(f"\nseed of laws and fuzz: {SEED}")
    for name, one in outcomes.items():
        print(f"{name:14}{one.result:9}{clock(one.seconds)}  {one.why}".rstrip())
    print(f"{'all':23}{clock(sum(one.seconds for one in outcomes.values()))}")
    for name, one in outcomes.items():
        for reason in one.not_run:
            print(f"not run: {name}: {reason}")
    if failed := [name for name, one in outcomes.items() if one.result == "FAILED"]:
        print(f"failed: {', '.join(failed)}")
    sys.stdout.flush()


def clock(seconds: float) -> str:
    """Return minutes and seconds."""
    return "{:3}:{:02}".format(*divmod(round(seconds), 60))


if __name__ == "__main__":
    sys.exit(main())
