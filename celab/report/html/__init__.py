"""A campaign, or metrics against human judgments → one self-contained HTML file.

    encoding      an explanation → short arrays
    explanations  explanations of a campaign → compressed blocks
    data          a campaign → what the page's script browses
    views         a campaign → what the page shows without a script: tables, drawings
    drawings      numbers → places in a drawing
    words         texts of the page, in English and Chinese
    page          template, style and script → the file

The page is the same, byte by byte, for the same input. It loads nothing: its
content security policy allows only its own script and style, by their digests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from celab.base.progress import Progress
from celab.base.view.cells import Phrase
from celab.report.html import data, views
from celab.report.html.localization import Words, translations
from celab.report.html.page import META_SCRIPT, rendered
from celab.report.html.views import Against, Overview, Section

if TYPE_CHECKING:
    from celab.base.view.tables import Table
    from celab.evaluation.systems.campaign import Campaign
    from celab.metrics.base import Metric

__all__ = ["EXPLAINED", "Against", "Overview", "Section", "campaign_page", "meta_page"]

TITLE = Phrase("celab: metrics against human judgments")
MOST_NAMED = 4  # systems in the title
EXPLAINED = 2_000  # pairs of system and segment, shared by the metrics; the page compares the rest


def campaign_page(
    campaign: Campaign,
    metrics: Mapping[str, Metric],
    *,
    explained: int = EXPLAINED,
    lang: str | None = None,
    progress: Progress | None = None,
    jobs: int = 1,
    flags: Mapping[str, Sequence[str]] | None = None,
    report_lang: str = "en",
    judged: Mapping[str, Any] | None = None,
) -> str:
    """Return the page of a campaign: systems, their differences, and every segment.

    Parameters:
        campaign: what was scored, and tested if it has several systems.
        metrics: the metrics of the campaign, by the same names.
        explained: most pairs of a system and a segment to explain, shared by the metrics that can.
        lang: language of the translations, from which a browser takes its fonts.
        progress: called with how many explanations of how many are done.
        jobs: number of processes that make the explanations.
        flags: for each metric, the options of `celab explain` that repeat its settings; with them,
            the page has a command for each output that it does not explain.
        report_lang: language of the page itself, `en` or `zh`; its reader can change it.
        judged: scores and spans of other judges, see `celab.evaluation.systems.judged.page_data`.

    >>> from celab import Campaign
    >>> from celab.corpus import Corpus, Segment
    >>> texts = Corpus([Segment("", "1")], {"mine": ["买雨伞"]}, [["买伞"]], ["ref"])
    >>> campaign = Campaign(texts).score("celab")
    >>> campaign_page(campaign, campaign.metrics, lang="zh").startswith("<!doctype html>")
    True
    """
    said = {"language": report_lang, "words": translations("zh")}
    words = Words(report_lang)
    browsed, blocks = data.of_campaign(campaign, metrics, explained, lang, progress, jobs, flags)
    names = list(campaign.corpus.systems)
    named = names if len(names) <= MOST_NAMED else []
    joined = words.text(", ").join(named)
    title = f"celab: {joined or words.text('{0} systems', str(len(names)))}"
    browsed |= judged or {}
    view = {"title": title, "named": named, "lang": lang, **views.of_campaign(campaign, browsed)}
    return rendered("campaign.html.j2", view, said | browsed, blocks, language=report_lang)


def meta_page(
    metrics: Sequence[Against],
    tables: Sequence[tuple[str, Table]] = (),
    *,
    title: str = TITLE,
    remarks: Sequence[str] = (),
    overview: Sequence[Overview] = (),
    more: Sequence[Section] = (),
    verdict: Sequence[str] = (),
    signatures: Sequence[tuple[str, str]] = (),
    report_lang: str = "en",
) -> str:
    """Return a page with each metric plotted against human scores of the same systems.

    Parameters:
        metrics: an `Against` for each drawing.
        tables: captions and tables to show below.
        title: title of the page.
        remarks: lines under the title: what was measured, on what.
        overview: figures of all metrics on all sets, to show first.
        more: further sets.
        verdict: sentences to begin with: which metric agrees best with people.
        signatures: names and signatures of the metrics.
        report_lang: language of the page itself, `en` or `zh`; its reader can change it. Texts that
            are a `celab.base.view.cells.Phrase` are said in it.

    >>> page = meta_page([Against("celab", [("a", 70.0, 0.6), ("b", 55.0, 0.4)])])
    >>> page.count("<svg")
    1
    """
    sections = [Section("", metrics, tables, remarks, verdict, signatures)]
    if not any((metrics, tables, remarks, verdict, signatures)):
        sections = []
    view = {
        "title": Words(report_lang).plain(title),
        "heading": title,
        "overview": views.overview(overview),
        "sections": [
            {"name": section.name, "tables": section.tables, "remarks": section.remarks}
            | {"verdict": section.verdict, "signatures": section.signatures}
            | {"scatters": [views.scatter(metric) for metric in section.metrics]}
            for section in (*sections, *more)
        ],
    }
    said = {"language": report_lang, "words": translations("zh")}
    return rendered("meta.html.j2", view, said, first_script=META_SCRIPT, language=report_lang)
