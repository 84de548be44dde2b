"""The first lines of the report: the verdict, the evidence for it, and links to more.

All are phrases. The verdict names the system that leads by the metric, if there is one, and the one
that people or another judge prefer.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from celab.base.arguments import JsonObject, Variables
from celab.evaluation.judges.ranks import (
    PEOPLE,
    RankComparison,
    RankWithoutCopies,
    TranslationRanks,
    non_translations,
    rank_without_copies,
    translation_ranks,
)
from celab.evaluation.pair import WithoutOutputs, without_outputs
from celab.evaluation.systems.campaign import Campaign
from celab.evaluation.systems.scored import Comparison
from celab.statistics.difference import MIN_SEGMENTS
from celab.statistics.significance import Test
from celab.tables import cells
from celab.tables.cells import Phrase, listed, shown

FEWEST_RESAMPLES = 40  # of which a 95% interval can be taken
MOST_LISTED = 4  # judges in the list of segments, as in judges.js
UNCLEAR = "No clear winner by {0}"
TESTS = {
    "randomization": Phrase("approximate randomization"),
    "exact": Phrase("exact randomization"),
}


class Link(NamedTuple):
    """A link to evidence: its text, the section, and two systems to compare, or a view of the list.

    The systems are numbered as in the data of the page.
    """

    text: str
    section: str = "segments"
    pair: tuple[int, int] | None = None
    view: JsonObject | None = None


def evidence_of(
    campaign: Campaign, data: JsonObject, browsed: JsonObject, ranks: RankComparison | None
) -> Variables:
    """Return what the verdict and the table of systems need besides scores, for one metric.

    These are `without`, the best two systems compared without outputs that are not translations;
    `translations`, the ranks of all systems without them; `copies`, the rank of the system that
    references were made from; `ranks`, those by people or another judge; and `judge`, the key of
    that judge if it has scored segments. Each is None if there is nothing of its kind. `judged`
    has the scores by that judge as texts, and `judge_is_tested` is whether it has clusters.
    """
    key = data["key"]
    scores, comparison = campaign.scores[key], campaign.comparisons.get(key)
    has_outputs = comparison is not None and campaign.outputs is not None
    judge = next((x for x in browsed.get("judges", ()) if ranks and x["name"] == ranks.judge), None)
    judged = {} if judge is None else dict(zip(browsed["systems"], judge["systems"], strict=True))
    digits = 0 if judge is None else judge["digits"]
    return {
        "without": _without(campaign, key) if has_outputs else None,
        "translations": translation_ranks(scores, campaign.outputs) if campaign.outputs else None,
        "copies": None
        if (checked := campaign.outputs) is None
        else rank_without_copies(scores, checked.noticed, checked.n_segments),
        "ranks": ranks,
        "judge": None if ranks is None else _listed_judge(ranks.judge, browsed),
        "judged": {name: shown(cells.score(value, digits)) for name, value in judged.items()},
        "judge_is_tested": judge is not None and any(judge["groups"]),
        "segment_names": campaign.corpus.names,
    }


def _listed_judge(name: str, browsed: JsonObject) -> str | None:
    """Return the key of a judge that the list of segments can be ordered by, or None."""
    judges = [judge for judge in browsed["judges"] if any(judge["scores"])][:MOST_LISTED]
    return next((judge["key"] for judge in judges if judge["name"] == name), None)


def costs_of(metric: Variables) -> dict[str, Variables]:
    """Return what outputs that are not translations cost the systems that have any.

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
            "without": cells.score(ranks.scores[name], n),
            "change": cells.difference(ranks.scores[name] - score.score, n),
            "moved": ranks.moved[name],
            "rank": str(place - ranks.moved[name]),
        }
        for place, (name, score) in enumerate(metric["of_system"].items(), start=1)
        if name in ranks.scores
    }


def _without(campaign: Campaign, metric: str) -> WithoutOutputs | None:
    comparison = campaign.comparisons[metric]
    best, second = comparison.systems[:2]
    scores = campaign.scores[metric]
    assert campaign.outputs is not None
    test: Test = "randomization" if comparison.test == "randomization" else "bootstrap"
    return without_outputs(
        metric=metric,
        scores=(scores[best], scores[second]),
        names=(best, second),
        outputs=campaign.outputs,
        n_resamples=max(comparison.n_resamples, FEWEST_RESAMPLES),
        test=test,
        seed=comparison.seed,
    )


def answer(metric: Variables) -> Variables | None:
    """Return the verdict, its evidence, and a warning about references; None for one system."""
    if metric["comparison"] is None:
        return None
    copies: RankWithoutCopies | None = metric["copies"]
    return {
        "verdict": _verdict(metric),
        "evidence": [*_evidence(metric)],
        "warning": None if copies is None else copies.sentence,
    }


def _verdict(metric: Variables) -> Phrase:
    """Return who leads by the metric, and whom people or another judge prefer."""
    is_clear, own = _own_verdict(metric)
    ranks: RankComparison | None = metric["ranks"]
    if ranks is None:
        return Phrase("{0}.", own)
    is_people, first = ranks.judge == PEOPLE, ranks.judge_first
    preferred = ranks.difference
    if preferred is None or not metric["judge_is_tested"]:
        theirs = Phrase("people rank {0} first", first)
        if not is_people:
            theirs = Phrase("{0} ranks {1} first", ranks.judge, first)
    elif not preferred.significant and own.pattern == UNCLEAR:
        judge = Phrase("people") if is_people else ranks.judge
        return Phrase("No clear winner by {0} or {1}.", metric["name"], judge)
    elif not preferred.significant:
        theirs = Phrase("people see no clear winner")
        if not is_people:
            theirs = Phrase("no clear winner by {0}", ranks.judge)
    elif is_clear and ranks.agrees:
        theirs = Phrase("people prefer it, too")
        if not is_people:
            theirs = Phrase("{0} prefers it, too", ranks.judge)
    else:
        theirs = Phrase("people prefer {0}", first)
        if not is_people:
            theirs = Phrase("{0} prefers {1}", ranks.judge, first)
    return Phrase("{0}; {1}.", own, theirs)


def _own_verdict(metric: Variables) -> tuple[bool, Phrase]:
    """Return whether a system leads by the metric, and the words for it."""
    comparison: Comparison = metric["comparison"]
    name, best = metric["name"], comparison.systems[0]
    lead = comparison.difference(0, 1)
    if lead.too_few:
        pattern = "{0}: fewer than {1} segments, no verdict"
        return False, Phrase(pattern, name, str(MIN_SEGMENTS))
    if not lead.significant:
        return False, Phrase(UNCLEAR, name)
    without: WithoutOutputs | None = metric["without"]
    if without is None or _holds(without):
        return True, Phrase("{0} leads by {1}", best, name)
    outputs = non_translations(without.n_outputs)
    if without.too_few:
        pattern = "{0} leads by {1}; without {2} fewer than {3} segments, no verdict"
        return False, Phrase(pattern, best, name, outputs, str(MIN_SEGMENTS))
    return True, Phrase("{0} leads by {1} only because of {2}", best, name, outputs)


def _holds(without: WithoutOutputs) -> bool:
    """Return whether the best system leads without these outputs, too."""
    return without.difference.significant and without.difference.better == "a"


def _evidence(metric: Variables) -> Iterator[Phrase]:
    """Yield the lead with its interval and p, then what people and other metrics say."""
    comparison: Comparison = metric["comparison"]
    names, (best, second) = metric["names"], comparison.systems[:2]
    i, j = names.index(best), names.index(second)
    row = metric["pairs"][list(combinations(names, 2)).index((names[min(i, j)], names[max(i, j)]))]
    sign, n = (1 if i < j else -1), metric["digits"]
    p: str = row["p"]
    if (test := row["test"]) != "bootstrap":
        p = Phrase("{0} ({1})", p, TESTS[test])
    lead = shown(cells.difference(sign * row["difference"], n), "page")
    interval = row["low"], row["high"]
    if None in interval:
        yield Phrase("{0} against {1}, p {2}", lead, second, p)
    else:
        ends = [shown(cells.difference(sign * end, n), "page") for end in interval][::sign]
        yield Phrase("{0} [{1}, {2}] against {3}, p {4}", lead, *ends, second, p)
    without: WithoutOutputs | None = metric["without"]
    if without is not None and (len(names) == 2 or not _holds(without)):
        outputs = non_translations(without.n_outputs)
        change = shown(cells.difference(without.difference.value, n), "page")
        if not without.difference.n_segments:
            yield Phrase("without {0} no segment is left", outputs)
        elif without.too_few:
            pattern = "without {0} {1}: fewer than {2} segments, no verdict"
            yield Phrase(pattern, outputs, change, str(MIN_SEGMENTS))
        else:
            yield Phrase("without {0} {1}, p {2}", outputs, change, without.difference.p_text)
    if (ranks := metric["ranks"]) is not None:
        yield from _evidence_of_judge(ranks, metric)
    by_first: dict[str, list[str]] = {}
    for other in metric["others"]:
        by_first.setdefault(other["comparison"].systems[0], []).append(other["name"])
    for first, others in by_first.items():
        if first != best:
            yield Phrase("first by {0}: {1}", listed(others), first)


def _evidence_of_judge(ranks: RankComparison, metric: Variables) -> Iterator[Phrase]:
    judge = Phrase("people") if ranks.judge == PEOPLE else ranks.judge
    figures = [
        x for name in (ranks.judge_first, ranks.rival) for x in (name, metric["judged"][name])
    ]
    if ranks.difference is None:
        yield Phrase("{0}: {1} {2}, {3} {4}", judge, *figures)
    else:
        pattern = "{0}: {1} {2}, {3} {4}, p {5}"
        yield Phrase(pattern, judge, *figures, ranks.difference.p_text)
    if ranks.n_pairs > 1 and ranks.n_apart:
        counts = (str(ranks.n_apart), str(ranks.n_pairs))
        yield Phrase("{0} of {1} pairs ordered differently", *counts)


def links_of(metric: Variables) -> list[Link]:
    """Return links to the evidence: segments, outputs that are not translations, two systems."""
    comparison: Comparison | None = metric["comparison"]
    if comparison is None:
        return []
    links, names = [], metric["names"]
    ranks: RankComparison | None = metric["ranks"]
    pair = comparison.systems[:2]
    if ranks is not None:
        if not ranks.agrees:
            pair = (ranks.judge_first, ranks.first)
        if (judge := metric["judge"]) is not None:
            order = {"sort": f"disagree:{judge}", "order": "descending"}
            links.append(Link(Phrase("Where they disagree"), view=order))
            links += [
                Link(
                    Phrase("Segment {0}", str(metric["segment_names"][place])),
                    view={"segment": place, "system": number},
                )
                for place, name in ranks.disagreed
                for number in (names.index(name),)
            ]
    if (translations := metric["translations"]) is not None:
        links.append(Link(non_translations(translations.n_outputs), "outputs"))
    if len(names) > 2:
        numbers = (names.index(pair[0]), names.index(pair[1]))
        links.append(Link(Phrase("{0} against {1}", *pair), "pair", numbers))
    return links
