"""A board → a table of versions by sets for each metric, and a row per cell for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from celab.base.view import cells
from celab.base.view.cells import Cell, shown
from celab.base.view.tables import Line, Name, Table, View, ViewOptions, line
from celab.evaluation.board.record import RECORD
from celab.metrics.registry import METRICS, digits_of

if TYPE_CHECKING:
    from celab.evaluation.board.board import Board, BoardCell

MOST_SETS = 5  # in a table for a terminal
SIGNS = {"better": "▲", "worse": "▼", None: ""}


def view_of(board: Board, options: ViewOptions) -> View:
    """Return tables of versions by sets, notes, and a row per cell as the record."""
    parts: list[Table | list[Line]] = []
    for metric in board.metrics:
        for i in range(0, len(board.sets), MOST_SETS):
            parts += _tables(board, metric, board.sets[i : i + MOST_SETS], options.digits)
    return View([*parts, [*_notes(board)]], RECORD.table(board.cells))


def _tables(
    board: Board, metric: str, sets: tuple[str, ...], digits: int | None
) -> Iterator[Table]:
    found = [cell for cell in board.cells if cell.metric == metric and cell.set in sets]
    sets = tuple(name for name in sets if any(cell.set == name for cell in found))
    if not sets:
        return
    by_row: dict[tuple[str, str], dict[str, BoardCell]] = {}
    for cell in found:
        system = cell.system if board.by_system else ""
        by_row.setdefault((system, cell.version), {})[cell.set] = cell
    order = {version: place for place, version in enumerate(board.versions)}
    n = digits_of_metric(metric) if digits is None else digits
    rows: list[list[Cell | str]] = []
    for system, version in sorted(by_row, key=lambda row: (row[0], order[row[1]])):
        of_row = by_row[system, version]
        names = [cells.name(system)] * board.by_system + [cells.name(version)]
        rows.append([*names, *(_figures(of_row.get(name), n) for name in sets)])
    headings = [*["system"] * board.by_system, "version", *map(Name, sets)]
    first = 1 + board.by_system
    yield Table(headings, rows, right=range(first, len(headings)), title=title_of_metric(metric))


def title_of_metric(metric: str) -> str:
    """Return the title of a metric, with what differs from the settings of others."""
    name, space, settings = metric.partition(" ")
    return f"{METRICS[name].full_title() if name in METRICS else name}{space}{settings}"


def digits_of_metric(metric: str) -> int:
    """Return the number of decimals that a metric is shown with."""
    name = metric.partition(" ")[0]
    return digits_of(name) if name in METRICS else 4


def _figures(cell: BoardCell | None, digits: int) -> str:
    """Return the score, and its change with the mark of a significant one."""
    if cell is None:
        return ""
    score = shown(cells.score(cell.score, digits))
    if cell.change is None:
        return score
    change = shown(cells.difference(cell.change, digits))
    return f"{score} ({change}{SIGNS[cell.mark]})"


def _notes(board: Board) -> Iterator[Line]:
    against = "the version before" if board.against is None else board.against
    yield line(f"in brackets: change against {against}")
    if board.tests:
        tests = f"{board.tests} tests" if board.tests > 1 else "1 test"
        yield line(
            "▲ ▼: the score is significantly better or worse (paired bootstrap, two-sided p < 0.05"
            f" after Holm's correction for {tests})"
        )
    for note in board.notes:
        yield line(note)
