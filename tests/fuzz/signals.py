"""A signal at a random moment: the command ends as it should, and a second run makes it good.

Commands run as processes of their own. After the next run, the folder holds what an undisturbed
run leaves, to the byte, and of one that was killed an unfinished file under a name of its own.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

from fuzz.target import Target

SIGNALS = ("SIGINT", "SIGTERM", "SIGKILL")
# Each with what it writes.
COMMANDS: dict[str, tuple[list[str], list[str]]] = {
    "segments": (["score", "ref", "hyp", "--segments", "-o", "table.tsv"], ["table.tsv"]),
    "html": (["score", "ref", "hyp", "--html", "page.html"], ["page.html"]),
    "threads": (["score", "ref", "hyp", "--jobs", "2", "--json", "-o", "all"], ["all"]),
    "mbr": (["mbr", "nbest", "-o", "best.txt"], ["best.txt"]),
}
ROOT = Path(__file__).resolve().parent.parent.parent
PATIENCE = 60  # seconds for a command, on a busy machine; one that takes longer hangs
STARTED = "-c"  # Python may be interrupted before a line of ours runs; signals come after this one
PREFIX = (
    "import sys; sys.argv[0] = 'celab-x'; from celab.cli.{0} import main;"
    " print(flush=True); sys.exit(main())"
)


def make_signal(rng: Random) -> Any:
    """A command, texts of some length, a signal and when it arrives."""
    n_lines, n_letters = rng.choice([(3, 10), (300, 40), (30, 800), (11_000, 10)])
    return (
        rng.choice(list(COMMANDS)),
        n_lines,
        n_letters,
        rng.randrange(2**32),
        rng.choice(SIGNALS),
        round(rng.choice([0.3, 1.0, 3.0]) * rng.random(), 3),
    )


def check_signal(case: Any, folder: Path) -> bool:
    """Whether the signal came in time to interrupt the command."""
    name, n_lines, n_letters, seed, signal_name, delay = case
    arguments, outputs = COMMANDS[name]
    number = signal.Signals[signal_name]
    if name == "mbr" or "html" in name:
        n_lines = min(n_lines, 60)
        n_letters = min(n_letters, 100)
    inputs = _texts(Random(seed), n_lines, n_letters)
    for place in ("calm", "disturbed"):
        (folder / place).mkdir(exist_ok=True)
        for path in (folder / place).iterdir():
            path.unlink()
        for file, content in inputs.items():
            (folder / place / file).write_text(content, encoding="utf-8")
    assert _ended(_start(arguments, folder / "calm"))[0] == 0

    process = _start(arguments, folder / "disturbed")
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(delay)
    process.send_signal(number)
    code, error = _ended(process)
    # A command that has done its work says what it found.
    assert "Traceback" not in error and (code == 0 or error.count("\n") <= 1), error
    # Before the command handles signals, and when it has done its work, they end it as they do.
    assert code in (0, -number) or (code == 128 + number and number != signal.SIGKILL), code
    code_again, error = _ended(_start([*arguments, "--overwrite"], folder / "disturbed"))
    assert code_again == 0, error
    left = {path.name for path in (folder / "disturbed").iterdir()} - {*inputs, *outputs}
    assert not left, left  # what a killed command left is removed by the next
    for output in outputs:
        calm, disturbed = (
            (folder / place / output).read_bytes() for place in ("calm", "disturbed")
        )
        assert calm == disturbed, output
    return code != 0


def _texts(rng: Random, n_lines: int, n_letters: int) -> dict[str, str]:
    def line() -> str:
        return "".join(rng.choices("买雨伞购的一了是，在", k=rng.randint(1, n_letters)))

    candidates = (f"{n // 10} ||| {line()} ||| x=1 ||| {rng.random():.3f}" for n in range(n_lines))
    return {
        "ref": "".join(f"{line()}\n" for _ in range(n_lines)),
        "hyp": "".join(f"{line()}\n" for _ in range(n_lines)),
        "nbest": "".join(f"{candidate}\n" for candidate in candidates),
    }


def _start(arguments: list[str], folder: Path) -> subprocess.Popen[str]:
    command, *rest = arguments
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.Popen(
        [sys.executable, STARTED, PREFIX.format(command), *rest, "--lexicon", "none", "--quiet"],
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
    )


def _ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, error = process.communicate(timeout=PATIENCE)
    return process.returncode, error


TARGETS = {"signals": Target(make_signal, check_signal)}
