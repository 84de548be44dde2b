"""A progress bar on standard error, drawn by rich, in a terminal after one second.

    scoring ━━━━━━━━━━╸━━━━━━━━━━━━━━━━━━ 412,000/1,000,000 segments 0:00:19

The time is the time left. If the total is unknown, the bar moves back and forth. Nothing is shown
in pipes and files, nor with `--quiet`.
"""

from __future__ import annotations

import sys
import threading
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from celab.base.text.escapes import escape_controls

if TYPE_CHECKING:
    from rich.progress import Progress

DELAY = 1.0  # seconds
_MEGABYTE = 10**6


def show(
    total: int = 0,
    title: str = "scoring",
    unit: str = "segments",
    *,
    then: str = "",
    quiet: bool = False,
) -> AbstractContextManager[ProgressBar | None]:
    """Return a bar for a `with` statement; None there with `--quiet`, or without a terminal."""
    return ProgressBar(total, title, unit, then=then) if is_welcome(quiet) else nullcontext()


def is_welcome(quiet: bool) -> bool:
    """Return whether to show a bar: stderr is a terminal, and not `--quiet`."""
    return not quiet and sys.stderr is not None and sys.stderr.isatty()


class ProgressBar:
    """A progress bar: a context manager that is called with the number done.

    `begin` starts the next stage of the work, under another title. Once all is done, `then` is the
    title of a last stage of unknown length.
    """

    title: str
    total: int  # 0 if it is not known
    then: str
    n_done: int

    def __init__(
        self,
        total: int = 0,
        title: str = "scoring",
        unit: str = "segments",
        *,
        then: str = "",
    ) -> None:
        self.unit = unit
        self.is_estimate = False  # whether the total is one
        self.has_ended = False
        self.bar: Progress | None = None
        self._lock = threading.RLock()  # the timer shows the bar while the work goes on
        self._timer = threading.Timer(DELAY, self.show)
        self._timer.daemon = True
        self.begin(title, total, then)

    def __enter__(self) -> ProgressBar:
        self._timer.start()
        return self

    def __call__(self, n_done: int, total: int | None = None) -> None:
        """Set the number done; `total` replaces the total."""
        with self._lock:
            self.n_done, self.total = n_done, total or self.total
            if self.then and n_done == self.total:
                self.begin(self.then)
            elif self.bar is not None:
                self.bar.update(
                    self.bar.task_ids[0], completed=n_done, total=self.total or None, done=self.done
                )

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._lock:
            self.has_ended = True  # the timer may be about to show it
            if self.bar is not None:
                self.bar.stop()

    def begin(self, title: str, total: int = 0, then: str = "") -> None:
        """Begin the next stage; if `total` is not known, the bar moves until a call tells it."""
        with self._lock:
            self.title, self.total, self.then, self.n_done = title, total, then, 0
            if self.bar is not None:
                self.bar.remove_task(self.bar.task_ids[0])
                self._add_task(self.bar)

    def show(self) -> None:
        """Show the bar, unless the work has ended."""
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        with self._lock:
            if self.has_ended:
                return
            self.bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TextColumn("{task.fields[done]}", markup=False),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._add_task(self.bar)
            self.bar.start()

    def _add_task(self, bar: Progress) -> None:
        bar.add_task(
            escape_controls(self.title),
            completed=self.n_done,
            total=self.total or None,
            done=self.done,
        )

    @property
    def done(self) -> str:
        """Text of the work done and the total; "" if nothing is known."""
        if not self.n_done:
            return ""
        if self.unit == "bytes":
            total = f"/{self.total / _MEGABYTE:,.1f}" if self.total else ""
            return f"{self.n_done / _MEGABYTE:,.1f}{total} MB"
        total = f"/{'~' * self.is_estimate}{self.total:,}" if self.total else ""
        return f"{self.n_done:,}{total} {self.unit}"
