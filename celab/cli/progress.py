"""A progress bar on stderr, shown in a terminal after one second."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from celab.base.text.escapes import escape_controls

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE = 1.0  # seconds


class ProgressBar:
    """Called with how much is done; removes the bar at the end."""

    def __init__(
        self, total: int = 0, title: str = "scoring", unit: str = "segments", *, quiet: bool = False
    ) -> None:
        self.total, self.title, self.unit = total, title, unit
        self.is_seen = is_welcome(quiet)
        self.began = time.monotonic()
        self.bar: Progress | None = None

    def __enter__(self) -> ProgressBar:
        return self

    def __call__(self, n_done: int, total: int | None = None) -> None:
        """Update the bar, shown after a delay; `total` replaces the total."""
        self.total = total or self.total
        if self.bar is None:
            if not self.is_seen or time.monotonic() - self.began < PATIENCE:
                return
            self.bar = self._start()
        self.bar.update(self.bar.task_ids[0], completed=n_done, total=self.total or None)

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()

    def _start(self) -> Progress:
        from rich import progress
        from rich.console import Console

        bytewise = self.unit == "bytes"
        bar = progress.Progress(
            progress.TextColumn("{task.description}", markup=False),
            progress.BarColumn(),
            progress.DownloadColumn() if bytewise else progress.MofNCompleteColumn(),
            progress.TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        bar.add_task(escape_controls(self.title), total=self.total or None)
        bar.start()
        return bar


def is_welcome(quiet: bool) -> bool:
    """Return whether to show a bar: stderr is a terminal, and not `--quiet`."""
    return not quiet and sys.stderr is not None and sys.stderr.isatty()
