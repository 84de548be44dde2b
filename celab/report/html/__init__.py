"""Results → one self-contained HTML file.

    explanations  explanations of a campaign → short arrays, in compressed blocks
    findings      what is said about outputs → what the page's script lists
    data          a campaign → what the page's script browses
    views         a campaign → what the page shows without a script: tables, drawings
    answer        the first screen of that page
    headline, picture, facts, example  the parts of the first screen
    differences, marked_errors  sections of the evidence
    agreement, board, check_page, terms_page  pages of other results
    drawings      numbers → places in a drawing
    page          template, style and script → the file; its texts in English and Chinese

The page is the same, byte by byte, for the same input. It loads nothing: its
content security policy allows only its own script and style, by their digests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from celab.base.run import Progress
from celab.metrics.base import Metric
from celab.people.disagreement import RankComparison
from celab.report.html import data, views
from celab.report.html.page import Words, rendered
from celab.systems.campaign import Campaign
from celab.systems.verdict import Verdict, verdict_of

__all__ = ["EXPLAINED", "campaign_page"]

MAX_SYSTEMS_IN_TITLE = 4
EXPLAINED = 1_200  # outputs, shared by the metrics; other outputs get a text diff


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
    rankings: Mapping[str, RankComparison] | None = None,
    verdicts: Mapping[str, Verdict | None] | None = None,
    command: str | None = None,
) -> str:
    """Return the page of a campaign: systems, their differences, and every segment.

    Parameters:
        campaign: what was scored, and tested if it has several systems.
        metrics: the metrics of the campaign, by the same names.
        explained: most pairs of a system and a segment to explain, shared by the metrics that can.
        lang: language of the translations, from which a browser takes its fonts.
        progress: callback, called with (done, total), which count explanations.
        jobs: number of processes that make the explanations.
        flags: for each metric, the options of `celab explain` that repeat its settings; with them,
            the page has a command for each output that it does not explain.
        report_lang: language of the page itself, `en` or `zh`; its reader can change it.
        judged: scores and spans of other judges, see `celab.systems.external_scores.page_data`.
        rankings: by metric, its ranks of systems beside those by people or another judge.
        verdicts: by metric, what is said about its systems (default: by the metric alone).
        command: the command that makes the report again, for its last section.

    >>> from celab import Campaign
    >>> from celab.corpus import Corpus, Segment
    >>> systems = {"mine": ["买雨伞"]}
    >>> refs = {"refs": [["买伞"]], "ref_names": ["ref"]}
    >>> texts = Corpus(segments=[Segment("", "1")], systems=systems, **refs)
    >>> campaign = Campaign(texts).score("celab")
    >>> campaign_page(campaign, campaign.metrics, lang="zh").startswith("<!doctype html>")
    True
    """
    words = Words(report_lang)
    browsed, blocks = data.of_campaign(
        campaign=campaign,
        metrics=metrics,
        explained=explained,
        lang=lang,
        progress=progress,
        jobs=jobs,
        flags=flags,
    )
    names = list(campaign.corpus.systems)
    named = names if len(names) <= MAX_SYSTEMS_IN_TITLE else []
    joined = words.text(", ").join(named)
    title = f"celab: {joined or words.text('{0} systems', str(len(names)))}"
    browsed |= judged or {}
    if verdicts is None:
        verdicts = {name: verdict_of(campaign, name) for name in campaign.scores}
    view = {
        "title": title,
        "named": named,
        "lang": lang,
        **views.of_campaign(campaign, browsed, rankings or {}, verdicts, command),
    }
    browsed, block = data.split(browsed)
    return rendered("campaign.html.j2", view, browsed, blocks | block, language=report_lang)
