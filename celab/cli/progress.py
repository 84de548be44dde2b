"""A progress bar on stderr, shown in a terminal after one second.

It says how much is done and of how much, how fast it goes and how long it will take:

    scoring ━━━━━━━━━━━━━━━━━━ 412,000/1,000,000 segments, 31,000/s, 0:00:19 left

A work without numbers has a bar that moves, and the time that has passed. Nothing is shown in pipes
and files, nor with `--quiet`.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from celab.base.text.escapes import escape_controls

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE = 1.0  # seconds
_MEMORY = 30.0  # seconds over which the rate is measured
_STEP = 0.5  # seconds between two marks
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


class ProgressBar:
    """Called with how much is done; removes the bar at the end.

    `begin` starts the next stage of the work, under another title. Once all is done, `then` is the
    title of what follows without numbers.
    """

    title: str
    total: int  # 0 if it is not known
    is_estimate: bool  # of the total
    n_done: int
    _pace: Pace

    def __init__(
        self,
        total: int = 0,
        title: str = "scoring",
        unit: str = "segments",
        *,
        then: str = "",
    ) -> None:
        self.unit = unit
        self.has_ended = False
        self.bar: Progress | None = None
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self.began = time.monotonic()
        self.begin(title, total, then)

    def __enter__(self) -> ProgressBar:
        self._timer = threading.Timer(PATIENCE, self.show)  # for work that never calls
        self._timer.daemon = True
        self._timer.start()
        return self

    def __call__(self, n_done: int, total: int | None = None) -> None:
        """Update the bar, shown after a delay; `total` replaces the total."""
        self.total = total or self.total
        self.n_done = n_done
        now = time.monotonic()
        self._pace.add(now, n_done)
        if self.then and n_done == self.total:
            self.begin(self.then)
        if self.bar is None and now - self.began >= PATIENCE:
            self.show()
        self._update()

    def __exit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
        with self._lock:
            self.has_ended = True  # the timer may be about to show it
            if self.bar is not None:
                self.bar.stop()

    def begin(self, title: str, total: int = 0, then: str = "") -> None:
        """Begin the next stage; if `total` is not known, the bar moves until a call tells it."""
        self.title, self.total, self.then, self.is_estimate = title, total, then, False
        self.forget(0)

    def forget(self, n_done: int) -> None:
        """Count from `n_done` on: what is before was done at another time, or at another rate."""
        self.n_done, self._pace = n_done, Pace(time.monotonic(), n_done)
        self._update()

    def show(self) -> None:
        """Show the bar, unless it is there or the work has ended."""
        with self._lock:
            if self.bar is None and not self.has_ended:
                from celab.cli.drawn_bar import start

                self.bar = start(escape_controls(self.title), self.figures)
        self._update()

    def figures(self) -> str:
        """Return the text beside the bar."""
        now = time.monotonic()
        rate = self._pace.rate
        if not self.n_done:
            return _clock(now - self._pace.began)
        about = "~" * self.is_estimate
        done, of_total = f"{self.n_done:,}", f"/{about}{self.total:,}" if self.total else ""
        speed = _rounded(rate)
        unit = self.unit
        if unit == "bytes":
            done, speed, unit = _megabytes(self.n_done), f"{_megabytes(rate)} MB", "MB"
            of_total = f"/{_megabytes(self.total)}" if self.total else ""
        parts = [f"{done}{of_total} {unit}"]
        if rate:
            parts.append(f"{speed}/s")
        if rate and self.total:
            left = (self.total - self.n_done) / rate - (now - self._pace.last)
            parts.append(f"{_clock(left)} left")
        return ", ".join(parts)

    def _update(self) -> None:
        if self.bar is not None:
            self.bar.update(
                self.bar.task_ids[0],
                description=escape_controls(self.title),
                completed=self.n_done,
                total=self.total or None,
            )


class Pace:
    """How fast a work goes: the mean rate of the last half minute.

    >>> pace = Pace(0.0)
    >>> for second in range(1, 101):
    ...     pace.add(second, 10 * second if second < 60 else 600 + 20 * (second - 60))
    >>> pace.rate
    20.0
    """

    def __init__(self, began: float, n_done: int = 0) -> None:
        self.began = self.last = began
        self.n_done = n_done
        self._marks = deque([(began, n_done)])

    def add(self, now: float, n_done: int) -> None:
        """Take note of how much is done at a time."""
        self.last, self.n_done = now, n_done
        if now - self._marks[-1][0] >= _STEP:
            self._marks.append((now, n_done))
        while len(self._marks) > 2 and now - self._marks[0][0] > _MEMORY:
            self._marks.popleft()

    @property
    def rate(self) -> float:
        """How much is done in a second; 0 if it is not known yet."""
        began, n_before = self._marks[0]
        return (self.n_done - n_before) / (self.last - began) if self.last > began else 0.0


def is_welcome(quiet: bool) -> bool:
    """Return whether to show a bar: stderr is a terminal, and not `--quiet`."""
    return not quiet and sys.stderr is not None and sys.stderr.isatty()


def _clock(seconds: float) -> str:
    minutes, rest = divmod(max(0, round(seconds)), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


def _rounded(rate: float) -> str:
    """Return a rate with two digits, so that it does not change all the time.

    >>> [_rounded(rate) for rate in (31_249.0, 104.0, 10.2, 9.96, 0.043)]
    ['31,000', '100', '10', '10', '0.043']
    """
    rounded = float(f"{rate:.2g}")
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:g}"


def _megabytes(n_bytes: float) -> str:
    return f"{n_bytes / _MEGABYTE:,.1f}"
