"""Runs each test file in a process of its own: a test must not need what another leaves behind.

    python .ci/alone.py [FILE ...]

The default is all files of tests/unit, tests/cli and tests/oracle, as many at once as there are
processors. Few random cases are drawn: other parts of the check draw more.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("unit", "cli", "oracle")
NO_TESTS = 5  # exit code of pytest if all tests of a file are left out
COMMAND = [ROOT / ".venv/bin/pytest", "-q", "-x", "-p", "no:cacheprovider", "--durations=0"]


def run(path: str) -> tuple[str, int, str]:
    """Return the file, the exit code of its tests and what they print."""
    done = subprocess.run(
        [*COMMAND, "-m", "not thorough and not browser", path],
        cwd=ROOT,
        env=os.environ | {"CELAB_EXAMPLES": "2"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    return path, done.returncode, done.stdout


def main(paths: list[str]) -> int:
    """Run all files; print what fails, and how many pass."""
    found = (path for folder in FOLDERS for path in (ROOT / "tests" / folder).rglob("test_*.py"))
    paths = paths or sorted(str(path.relative_to(ROOT)) for path in found)
    failed = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, code, output in pool.map(run, paths):
            if code not in (0, NO_TESTS):
                failed.append(path)
                print(f"== {path}", output, sep="\n", flush=True)
    for path in failed:
        print(f"FAILED {path} alone")
    print(f"{len(failed)} failed, {len(paths) - len(failed)} passed")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
