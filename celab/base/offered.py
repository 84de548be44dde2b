"""Pages and plots of results, which packages above the results make.

Methods of results call them here; the top package says which functions make them, and loads these
functions when they are called first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

makers: dict[str, Callable[..., Any]] = {}  # by what they make


def plot(result: object, **options: object) -> Axes:
    """Draw a result with matplotlib; return the axes."""
    axes: Axes = makers["plot"](result, **options)
    return axes


def campaign_page(campaign: object, **options: object) -> str:
    """Return the HTML report of a campaign."""
    return str(makers["campaign page"](campaign, **options))


def board_page(board: object, **options: object) -> str:
    """Return the HTML page of a board."""
    return str(makers["board page"](board, **options))


def check_page(outputs: object, **options: object) -> str:
    """Return the HTML page of outputs that were checked."""
    return str(makers["check page"](outputs, **options))


def terms_page(result: object, **options: object) -> str:
    """Return the HTML page of a glossary that was checked."""
    return str(makers["terms page"](result, **options))
