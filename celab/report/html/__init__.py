"""A campaign, or metrics against people → one HTML file that needs nothing but a browser.

    choice    scores → which segments of which systems are explained
    encoding  explanations → short arrays
    data      a campaign → what the page's script browses
    views     a campaign → what the page shows without a script: tables, drawings
    drawings  numbers → places in a drawing
    page      template, style and script → the file

The page is the same, byte by byte, for the same input. It loads nothing and says so itself: its
content security policy names its own script and style by their digests and forbids all else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from celab.report.html import data, views
from celab.report.html.page import environment, rendered
from celab.report.html.views import Against, Table

if TYPE_CHECKING:
    from celab.campaign import Campaign
    from celab.metrics.base import Metric

__all__ = ["EXPLAINED", "Against", "Table", "campaign_page", "meta_page"]

EXPLAINED = 2000  # pairs of system and segment, for each metric


def campaign_page(
    campaign: Campaign,
    metrics: Mapping[str, Metric],
    *,
    explained: int = EXPLAINED,
    title: str | None = None,
    lang: str | None = None,
    source_lang: str | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> str:
    """Systems, their differences, and every segment; the whole file as text.

    `metrics` are those of the campaign, by the same names. For each that can explain, at most
    `explained` pairs of a system and a segment are explained; `progress` is told how many of how
    many are done. `lang` is the language of the translations, from which a browser takes its fonts.
    """
    environment()  # if it is missing, that is said before minutes are spent on explanations
    found = data.of_campaign(campaign, metrics, explained, lang, source_lang, progress)
    view = views.of_campaign(campaign, found)
    names = list(campaign.corpus.systems)
    title = title or f"celab: {', '.join(names) if len(names) <= 4 else f'{len(names)} systems'}"
    return rendered("campaign.html.j2", {"title": title, "lang": lang, **view}, found)


def meta_page(
    metrics: Sequence[Against],
    tables: Sequence[Table] = (),
    *,
    human: str = "human score",
    title: str | None = None,
    remarks: Sequence[str] = (),
) -> str:
    """Each metric drawn against what people said of the same systems, and tables beside it.

    `human` names the judgements, `remarks` are lines under the title: what was measured, on what.
    """
    view = views.of_meta(metrics, tables, human)
    title = title or f"celab: metrics against {human}"
    return rendered("meta.html.j2", {"title": title, "remarks": remarks, **view})
