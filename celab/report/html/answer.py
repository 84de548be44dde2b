"""The first screen of the report: a sentence, its evidence, a picture, facts, a segment, steps.

All are phrases; `headline`, `picture`, `facts` and `example` make them.
"""

from __future__ import annotations

from celab.base.arguments import JsonObject, Variables
from celab.people.disagreement import (
    RankComparison,
    RankWithoutCopies,
    TranslationRanks,
    rank_without_copies,
    translation_ranks,
)
from celab.report.html.example import example_of
from celab.report.html.facts import broken_fact, differs_fact, lowest_fact, steps_of, trust_fact
from celab.report.html.headline import evidence_lines, pair_of, sentence_of_one
from celab.report.html.picture import picture
from celab.systems.campaign import Campaign
from celab.systems.verdict import Verdict
from celab.tables import cells

# Fewer resamples have no 2.5% to leave out at either end.
MIN_RESAMPLES_OF_INTERVAL = 40
MAX_JUDGES_LISTED = 4  # equals the constant in judges.js


def evidence_of(
    campaign: Campaign,
    data: JsonObject,
    browsed: JsonObject,
    ranks: RankComparison | None,
    verdict: Verdict | None,
) -> Variables:
    """Return data for the first screen and the table of systems by one metric, without scores.

    These are `verdict`, what is said about several systems; `translations`, the ranks of all
    systems without outputs that look broken; `copies`, the rank of the system that
    references were made from; `ranks`, those by people or another judge; `judge`, the data of that
    judge, `listed_judge`, its key if it has scored segments, and `judge_comparison`, its tests.
    Each is None if there is nothing of its kind.
    """
    key = data["key"]
    scores = campaign.scores[key]
    judge = next((x for x in browsed.get("judges", ()) if ranks and x["name"] == ranks.judge), None)
    if ranks is None:  # there is one system
        judge = next(iter(browsed.get("judges", ())), None)
    return {
        "verdict": verdict,
        "translations": translation_ranks(scores, campaign.outputs) if campaign.outputs else None,
        "copies": None
        if (checked := campaign.outputs) is None
        else rank_without_copies(scores, checked.reference_problems, checked.n_segments),
        "ranks": ranks,
        "judge": judge,
        "listed_judge": None if judge is None else _listed_judge(judge["name"], browsed),
        "judge_comparison": None if verdict is None else verdict.judge_comparison,
        "metric": campaign.metrics[key],
        "campaign": campaign,
        "browsed": browsed,
    }


def _listed_judge(name: str, browsed: JsonObject) -> str | None:
    """Return the key of a judge that the list of segments can be ordered by, or None."""
    judges = [judge for judge in browsed["judges"] if any(judge["scores"])][:MAX_JUDGES_LISTED]
    return next((judge["key"] for judge in judges if judge["name"] == name), None)


def costs_of(metric: Variables) -> dict[str, Variables]:
    """Return system → the effect of its broken outputs on its score and rank.

    `count` is how many a system has, `without` its score without them, `change` the difference from
    its score with them, `moved` by how many ranks it is higher, and `rank` that rank.
    """
    ranks: TranslationRanks | None = metric["translations"]
    if ranks is None:
        return {}
    n = metric["digits"]
    return {
        name: {
            "count": ranks.counts[name],
            "value": ranks.scores[name],
            "without": cells.score(ranks.scores[name], n, "page"),
            "change": cells.difference(ranks.scores[name] - score.score, n, "page"),
            "moved": ranks.moved[name],
            "rank": str(place - ranks.moved[name]),
            "place": place,
        }
        for place, (name, score) in enumerate(metric["of_system"].items(), start=1)
        if name in ranks.scores
    }


def answer(metric: Variables) -> Variables:
    """Return the data of the first screen for one metric."""
    copies: RankWithoutCopies | None = metric["copies"]
    verdict: Verdict | None = metric["verdict"]
    is_single = verdict is None
    return {
        "sentence": sentence_of_one(metric) if verdict is None else verdict.sentence,
        "evidence": [*evidence_lines(metric)],
        "picture": None if is_single and len(metric["names"]) == 1 else picture(metric),
        "facts": [
            *filter(
                None,
                (
                    broken_fact(metric),
                    lowest_fact(metric) if is_single else differs_fact(metric),
                    trust_fact(metric),
                ),
            )
        ],
        "example": example_of(metric, pair_of(metric)),
        "steps": [*steps_of(metric)],
        "warning": None if copies is None else copies.sentence,
    }
