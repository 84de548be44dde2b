"""Process: a solver's worker, started, asked and ended; its failures never become ours."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import IO, TYPE_CHECKING, Any

from celab.benchmark.solvers import Solver

if TYPE_CHECKING:
    from types import TracebackType

_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")


class Broken(Exception):
    """No answer will come any more; `state` says in two words why, the text in more."""

    def __init__(self, state: str, why: str) -> None:
        super().__init__(why)
        self.state = state


class Worker:
    """One solver, which may take `timeout` seconds for all that it is asked."""

    def __init__(self, solver: Solver, path: str, timeout: float) -> None:
        self.left = self.timeout = timeout
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed on exit)
        command = [sys.executable, "-m", "celab.benchmark.worker"]
        self.process = subprocess.Popen(
            [*command, solver.make, path, str(solver.n_blocks)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            # It finds what we have found, the package in a folder that is not installed too.
            env={
                **os.environ,
                **dict.fromkeys(_ONE_THREAD, "1"),
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            },
        )
        self.lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        assert self.process.stdout is not None
        threading.Thread(
            target=_pass_on, args=(self.process.stdout, self.lines), daemon=True
        ).start()

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.errors.close()

    def first(self) -> dict[str, Any]:
        """Imports and the first programs, which warm it up."""
        return self._answer()

    def round(self) -> dict[str, Any]:
        """All programs once."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write("\n")
            self.process.stdin.flush()
        except OSError:
            pass  # it has ended, and the answer will say how
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        began = time.monotonic()
        try:
            line = self.lines.get(timeout=max(self.left, 0.0))
        except queue.Empty:
            self.process.kill()
            raise Broken("timed out", f"after {self.timeout:g} s") from None
        finally:
            self.left -= time.monotonic() - began
        if not line:
            raise Broken("crashed", self._last_words())
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise Broken("failed", answer["error"])
        return answer

    def _last_words(self) -> str:
        code = self.process.wait()
        ended = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        self.errors.seek(0)
        said = self.errors.read().decode("utf-8", "replace").strip().split("\n")[-1]
        return f"{ended}{': ' if said else ''}{said}"


def _pass_on(stdout: IO[str], lines: queue.SimpleQueue[str]) -> None:
    # Until the end, which is told as an empty line; a thread, because a pipe has no timeout.
    with stdout:
        for line in stdout:
            lines.put(line)
    lines.put("")
