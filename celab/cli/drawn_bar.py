"""The progress bar as rich draws it: title, bar and figures, in one line of any width."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.table import Column
from rich.text import Text

_LONGEST = 30  # characters of the title, and of the bar


def start(title: str, figures: Callable[[], str], console: Console | None = None) -> Progress:
    """Show a bar with one task, on stderr by default; what is left of the line is the bar's."""
    bar = _OneLine(
        TextColumn("{task.description}", markup=False, table_column=_column(_LONGEST)),
        BarColumn(bar_width=None, table_column=Column(max_width=_LONGEST)),
        _Figures(figures),
        console=console or Console(stderr=True),
        transient=True,
    )
    bar.add_task(title, total=None)
    bar.start()
    return bar


class _OneLine(Progress):
    """A bar that leaves the last column free, where some terminals begin the next line."""

    def get_renderables(self) -> Iterator[RenderableType]:
        """Yield the only line."""
        yield _Narrower(self.make_tasks_table(self.tasks))


class _Narrower:
    def __init__(self, renderable: RenderableType) -> None:
        self._renderable = renderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from console.render(
            self._renderable, options.update_width(max(1, options.max_width - 1))
        )


class _Figures(ProgressColumn):
    """The text that a function returns, made anew whenever the bar is drawn."""

    def __init__(self, figures: Callable[[], str]) -> None:
        super().__init__(_column())
        self._figures = figures

    def render(self, task: Task) -> Text:
        """Return the figures."""
        return Text(self._figures())


def _column(max_width: int | None = None) -> Column:
    return Column(no_wrap=True, overflow="ellipsis", max_width=max_width)
