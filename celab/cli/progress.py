"""A progress bar on stderr, for a person who has waited a second, and for nobody else."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress

PATIENCE = 1.0  # seconds


class ProgressBar:
    """Called with the number of segments done; leaves the terminal as it found it."""

    def __init__(self, n_segments: int) -> None:
        self.n_segments = n_segments
        self.began = time.monotonic()
        self.bar: Progress | None = None

    def __enter__(self) -> ProgressBar:
        return self

    def __call__(self, done: int) -> None:
        """Shows the bar once there is reason to, and moves it."""
        if self.bar is None:
            if time.monotonic() - self.began < PATIENCE:
                return
            self.bar = self._start()
        self.bar.update(self.bar.task_ids[0], completed=done)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.bar is not None:
            self.bar.stop()

    def _start(self) -> Progress:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        columns = (TextColumn("scoring"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        bar = Progress(*columns, console=Console(stderr=True), transient=True)
        bar.add_task("", total=self.n_segments)
        bar.start()
        return bar


def is_welcome(quiet: bool) -> bool:
    """Whether anybody would see the bar and wants it."""
    return not quiet and sys.stderr is not None and sys.stderr.isatty()
