"""A board → an HTML page: versions by sets for each metric, with filters in the URL."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from celab.base.arguments import Variables
from celab.report.html.page import BOARD_SCRIPT, BOARD_STYLE, Words, rendered
from celab.systems.board import SIGNS, Board, BoardCell, digits_of_metric, title_of_metric
from celab.systems.stored import KNOWN_LABELS
from celab.tables import cells

TITLE = "celab: board"


def board_page(board: Board, *, report_lang: str = "en", command: str | None = None) -> str:
    """Return the page of a board; `report_lang` is its first language, `en` or `zh`."""
    filters: dict[str, dict[str, None]] = {}
    for cell in board.cells:
        for name, value in _filters(cell.labels).items():
            filters.setdefault(name, {})[value] = None
    view = {
        "title": Words(report_lang).text(TITLE),
        "board": board,
        "command": command,
        "filters": {name: [*values] for name, values in filters.items() if len(values) > 1},
        "sections": [_section(board, metric) for metric in board.metrics],
    }
    return rendered(
        "board.html.j2",
        view,
        {},
        styles=BOARD_STYLE,
        first_script=BOARD_SCRIPT,
        language=report_lang,
    )


def _filters(labels: Mapping[str, str]) -> dict[str, str]:
    names = [name for name in labels if name == "lang" or name not in KNOWN_LABELS]
    return {name: labels[name] for name in names}


def _section(board: Board, metric: str) -> Variables:
    """Return the table of versions by sets; rows begin with the system if there are several.

    `trends` are the points of a line per set, over versions; none if systems are told apart.
    """
    by_row: dict[tuple[str, ...], dict[str, Variables]] = {}
    digits = digits_of_metric(metric)
    values: dict[str, list[float]] = {}
    for cell in board.cells:
        if cell.metric == metric:
            names = ((cell.system,) if board.by_system else ()) + (cell.version,)
            by_row.setdefault(names, {})[cell.set] = _figures(cell, digits)
    sets = [name for name in board.sets if any(name in row for row in by_row.values())]
    order = {version: place for place, version in enumerate(board.versions)}
    rows = sorted(by_row.items(), key=lambda item: (*item[0][:-1], order[item[0][-1]]))
    for cell in sorted(board.cells, key=lambda cell: order[cell.version]):
        if cell.metric == metric and not board.by_system:
            values.setdefault(cell.set, []).append(cell.score)
    return {
        "title": title_of_metric(metric),
        "sets": sets,
        "sizes": {name: _size([row.get(name) for row in by_row.values()]) for name in sets},
        "higher": all(
            cell.difference is None or cell.difference.higher_is_better
            for cell in board.cells
            if cell.metric == metric
        ),
        "rows": [([*names], [figures.get(name) for name in sets]) for names, figures in rows],
        "trends": [_points(values[name]) for name in sets if name in values],
    }


def _size(column: Sequence[Variables | None]) -> str:
    """Return the number of segments of a set, if all versions have the same."""
    sizes = {figures["n"] for figures in column if figures is not None}
    return sizes.pop() if len(sizes) == 1 else ""


def _points(values: Sequence[float]) -> str:
    """Return the points of a line, 96 wide and 20 high.

    >>> _points([0.5, 0.7, 0.6])
    '0,20 48,0 96,10'
    """
    low, high = min(values), max(values)
    size, step = (high - low) or 1.0, 96 / max(1, len(values) - 1)
    return " ".join(f"{i * step:.4g},{20 * (high - x) / size:.4g}" for i, x in enumerate(values))


def _figures(cell: BoardCell, digits: int) -> Variables:
    """Return a cell as the page shows it, with the labels that the page can be filtered by."""
    interval = None if cell.low is None or cell.high is None else (cell.low, cell.high)
    # A report has a web address or a path beside the page; `javascript:` and the like are left out.
    address = cell.labels.get("report", "")
    is_web = re.match(r"https?://", address)
    has_scheme = re.match(r"\s*[a-zA-Z][a-zA-Z0-9+.-]*:", address)
    p = None if cell.difference is None else (cell.difference.p, cell.difference.least_p)
    return {
        "score": cells.score(cell.score, digits, "page"),
        "interval": cells.interval(interval, digits, "page"),
        "change": cells.difference(cell.change, digits, "page"),
        "sign": SIGNS[cell.mark],
        "mark": cell.mark or "",
        "p": "" if p is None else cells.p_value(*p),
        "n": "" if cell.n_segments is None else f"{cell.n_segments:,}",
        "report": address if is_web or not has_scheme else "",
        "labels": _filters(cell.labels),
    }
