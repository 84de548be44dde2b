"""A result → another form of it. Methods of results call this through `celab.base.result`.

Each form is a function with an implementation for each kind of result (`functools.singledispatch`):
`views.view`, which the renderers draw, `frames.frame_of`, `plots.plot_of`, `json.data_of`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from celab.base.dicts import JsonObject
from celab.base.result import DataFrame, Result
from celab.report.renderers import RENDERERS
from celab.report.tables import Output

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from celab.evaluation.campaign import Campaign


def form_of(result: Result, form: str, **options: Any) -> object:
    """Return a result in a form of `FORMS`, or as a renderer draws its view."""
    if form in FORMS:
        return FORMS[form](result, **options)
    from celab.report.views import view

    return RENDERERS[form](view(result, Output(**options)))


def _frame(result: Result, **options: object) -> DataFrame:
    from celab.report.frames import frame_of

    return frame_of(result, **options)


def _plot(result: Result, **options: Any) -> Axes:
    from celab.report.plots import plot_of

    return plot_of(result, **options)


def _json(result: Result, **options: object) -> JsonObject:
    from celab.report import agreement, json

    assert agreement  # registers its own
    return json.data_of(result, **options)


def _page(result: Campaign, **options: Any) -> str:
    from celab.report.html import campaign_page

    return campaign_page(result, result.metrics, **options)


def _judged(result: Campaign) -> JsonObject:
    from celab.report import judges, terms

    return judges.page_data(result) | terms.page_data(result.term_places)


def _document(result: Result, *, title: str, **options: Any) -> str:
    from celab.report.html.page import view_page
    from celab.report.views import view

    return view_page(view(result, Output(detail="full", **options)), title)


FORMS: dict[str, Callable[..., object]] = {
    "frame": _frame,
    "plot": _plot,
    "json": _json,
    "page": _page,
    "judged": _judged,
    "document": _document,
}
