"""The first section of the report: what was found, in at most three sentences with their evidence.

The first is on the metric, the second on people or another judge, the third on outputs that are not
translations and on copies in references. A sentence is a `Phrase`; its evidence is a part of the
page, or two systems compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from celab.base.dicts import JsonObject, Variables
from celab.base.view import cells
from celab.base.view.cells import p_text, shown
from celab.base.view.phrases import Phrase
from celab.evaluation.judges.ranks import PEOPLE, RankComparison
from celab.evaluation.pair.comparison import WithoutOutputs, without_outputs
from celab.evaluation.references.without_copies import rank_without_copies
from celab.evaluation.systems.translations import TranslationRanks, translation_ranks
from celab.statistics.significance import FEWEST_SEGMENTS, LEVEL, SIGNIFICANT, Test

if TYPE_CHECKING:
    from celab.evaluation.systems.campaign import Campaign
    from celab.evaluation.tables import Comparison

FEWEST_RESAMPLES = 40  # of which a 95% interval can be taken
MOST_LISTED = 4  # judges in the list of segments, as in judges.js


class Link(NamedTuple):
    """A link to evidence: its text, the section, and two systems to compare, or an order.

    The systems are numbered as in the data of the page. The order is one of the list of segments.
    """

    text: Phrase
    section: str
    pair: tuple[int, int] | None = None
    order: str | None = None


class Sentence(NamedTuple):
    """A sentence, and links to its evidence."""

    text: Phrase
    links: tuple[Link, ...]


def evidence_of(campaign: Campaign, data: JsonObject, browsed: JsonObject) -> Variables:
    """Return what the answer and the table of systems need besides scores, for one metric.

    These are `without`, the best two systems compared without outputs that are not translations;
    `translations`, the ranks of all systems without them; `copies`, the rank of the system that
    references were made from; `ranks`, those by people or another judge; and `judge`, the key of
    that judge if it has scored segments. Each is None if there is nothing of its kind.
    """
    key = data["key"]
    rankings = browsed.get("rankings", {})
    ranks = RankComparison(**rankings[key]) if key in rankings else None
    scores, comparison = campaign.scores[key], campaign.comparisons.get(key)
    has_outputs = comparison is not None and campaign.outputs is not None
    return {
        "without": _without(campaign, key) if has_outputs else None,
        "translations": translation_ranks(scores, campaign.outputs) if campaign.outputs else None,
        "copies": None
        if (checked := campaign.outputs) is None
        else rank_without_copies(scores, checked.noticed, checked.n_segments),
        "ranks": ranks,
        "judge": None if ranks is None else _listed_judge(ranks.judge, browsed),
    }


def _listed_judge(name: str, browsed: JsonObject) -> str | None:
    """Return the key of a judge that the list of segments can be ordered by, or None."""
    listed = [judge for judge in browsed["judges"] if any(judge["scores"])][:MOST_LISTED]
    return next((judge["key"] for judge in listed if judge["name"] == name), None)


def costs_of(metric: Variables) -> dict[str, Variables]:
    """Return what outputs that are not translations cost the systems.

    A system is left out if it has none of them and keeps its rank. `count` is how many it has,
    `without` its score without them, `change` the difference from its score with them, None if it
    has none, `moved` by how many ranks it is higher, and `rank` that rank.
    """
    ranks: TranslationRanks | None = metric["translations"]
    if ranks is None:
        return {}
    of_system, n = metric["of_system"], metric["digits"]
    costs = {}
    for place, (name, score) in enumerate(of_system.items(), start=1):
        without, moved = ranks.scores.get(name, score.score), ranks.moved[name]
        has_any = name in ranks.scores
        if has_any or moved:
            costs[name] = {
                "count": ranks.counts.get(name, 0),
                "without": cells.score(without, n),
                "change": cells.difference(without - score.score, n) if has_any else None,
                "moved": moved,
                "rank": str(place - moved),
            }
    return costs


def _without(campaign: Campaign, metric: str) -> WithoutOutputs | None:
    comparison = campaign.comparisons[metric]
    best, second = comparison.systems[:2]
    scores = campaign.scores[metric]
    assert campaign.outputs is not None
    test: Test = "randomization" if comparison.test == "randomization" else "bootstrap"
    without = without_outputs(
        metric,
        (scores[best], scores[second]),
        (best, second),
        campaign.outputs,
        max(comparison.n_resamples, FEWEST_RESAMPLES),
        test,
        comparison.seed,
    )
    return None if without is None or not without.n_segments else without


def answer(metric: Variables) -> Variables | None:
    """Return the sentences, each with its evidence, and what else is to be known."""
    comparison: Comparison | None = metric["comparison"]
    if comparison is None:
        return None
    sentences = [Sentence(_verdict(metric), (Link(Phrase("Significance"), "matrix"),))]
    if metric["ranks"] is not None:
        sentences.append(_on_judge(metric))
    on_inputs = [
        (metric[name].sentence, Link(link, section))
        for name, section, link in (
            ("translations", "outputs", Phrase("Outputs that are not translations")),
            ("copies", "references", Phrase("References made from outputs")),
        )
        if metric[name] is not None
    ]
    if on_inputs:
        texts, links = zip(*on_inputs, strict=True)
        text = texts[0] if len(texts) == 1 else Phrase("{0} {1}", *texts)
        sentences.append(Sentence(text, links))
    return {"sentences": sentences, "notes": [*_notes(metric)]}


def _on_judge(metric: Variables) -> Sentence:
    """Return what people or another judge say of the ranks."""
    ranks: RankComparison = metric["ranks"]
    names, second = metric["names"], metric["comparison"].systems[1]
    pair = [ranks.judge_first, second if ranks.agrees else ranks.first]
    numbers = (names.index(pair[0]), names.index(pair[1]))
    links = [Link(Phrase("{0} against {1}", *pair), "pair", numbers)]
    if (judge := metric["judge"]) is not None:
        if judge == PEOPLE:
            text = Phrase("{0} high, people low", metric["name"])
        else:
            text = Phrase("{0} high, {1} low", metric["name"], ranks.judge)
        links.append(Link(text, "segments", order=f"above:{judge}"))
    return Sentence(ranks.sentence, tuple(links))


def _verdict(metric: Variables) -> Phrase:
    """Return the best system, its lead over the next one, and how sure that is."""
    comparison: Comparison = metric["comparison"]
    n, (best, second) = metric["digits"], comparison.systems[:2]
    scores = comparison.scores
    values = [
        best,
        metric["name"],
        shown(cells.score(float(scores[0]), n)),
        shown(cells.score(float(abs(scores[0] - scores[1])), n)),
        second,
        _certainty(metric),
    ]
    pattern = (
        "{0} has the highest {1} score, {2}, which is {3} above {4} ({5})"
        if comparison.higher_is_better
        else "{0} has the lowest {1} score, {2}, which is {3} below {4} ({5})"
    )
    lead = Phrase(pattern, *values)
    if comparison.too_few:
        few = "{0}; with fewer than {1} segments no difference is called significant."
        return Phrase(few, lead, str(FEWEST_SEGMENTS))
    if comparison.p_values[0, 1] >= SIGNIFICANT:
        return Phrase("{0}, but its lead is not significant.", lead)
    without: WithoutOutputs | None = metric["without"]
    if without is None or _holds(without, comparison):
        return Phrase("{0}.", lead)
    if without.n_outputs == 1:
        depends = (
            "{0}, but its lead depends on an output that is not a translation (without it p {1})."
        )
        return Phrase(depends, lead, p_text(without.p))
    return Phrase(
        "{0}, but its lead depends on {1} outputs that are not translations (without them p {2}).",
        *(lead, str(without.n_outputs), p_text(without.p)),
    )


def _holds(without: WithoutOutputs, comparison: Comparison) -> bool:
    sign = 1 if comparison.higher_is_better else -1
    return without.p < SIGNIFICANT and sign * without.difference > 0


def _certainty(metric: Variables) -> Phrase:
    """Return the interval of the lead, and p."""
    comparison: Comparison = metric["comparison"]
    names, (best, second) = metric["names"], comparison.systems[:2]
    i, j = names.index(best), names.index(second)
    row = metric["pairs"][list(combinations(names, 2)).index((names[min(i, j)], names[max(i, j)]))]
    p = p_text(float(comparison.p_values[0, 1]))
    if None in row[1:3]:
        return Phrase("p {0}", p)
    sign = 1 if (i < j) == comparison.higher_is_better else -1
    ends = [shown(cells.difference(sign * end, metric["digits"]), "page") for end in row[1:3]]
    return Phrase("{0} interval of its lead {1} to {2}, p {3}", f"{LEVEL:.0%}", *ends[::sign], p)


def _notes(metric: Variables) -> list[tuple[str, ...]]:
    """Return what is said in small type, as texts with their values."""
    comparison: Comparison = metric["comparison"]
    notes: list[tuple[str, ...]] = [*metric["disagreement"]]
    without: WithoutOutputs | None = metric["without"]
    if without is not None:
        n, sign = metric["digits"], 1 if comparison.higher_is_better else -1
        leads = (
            sign * without.difference,
            float(abs(comparison.scores[0] - comparison.scores[1])),
        )
        figures = [shown(cells.difference(lead, n), "page") for lead in leads]
        figures.append(p_text(without.p))
        if without.n_outputs == 1:
            only = (
                "Without the only output of these two that is not a translation, the lead is {0}"
                " instead of {1} (p {2})."
            )
            notes.append((only, *figures))
        else:
            several = (
                "Without the {0} outputs of these two that are not translations, the lead is {1}"
                " instead of {2} (p {3})."
            )
            notes.append((several, str(without.n_outputs), *figures))
    return notes


def disagreement(metric: Variables, metrics: Sequence[Variables]) -> list[tuple[str, ...]]:
    """Return where the metrics disagree, as texts with their values; none if there is only one."""
    order = metric["comparison"].systems
    others = [other for other in metrics if other is not metric]
    if not others:
        return []
    orders = [other["comparison"].systems for other in others]
    pairs = list(combinations(order, 2))
    n_apart = sum(any(o.index(x) > o.index(y) for o in orders) for x, y in pairs)
    several = (str(len(metrics)),)
    if not n_apart:
        if len(metrics) == 2:
            return [("Both metrics rank the systems in the same order.",)]
        return [("All {0} metrics rank the systems in the same order.", *several)]
    first: list[tuple[str, ...]] = [
        ("{0} ranks {1} first.", other["name"], o[0])
        for other, o in zip(others, orders, strict=True)
        if o[0] != order[0]
    ]
    if not first and len(metrics) == 2:
        first = [("Both metrics rank {0} first.", order[0])]
    elif not first:
        first = [("All {1} metrics rank {0} first.", order[0], *several)]
    apart = ("The metrics disagree on the order of {0} of {1} pairs of systems.",)
    return [*first, (*apart, str(n_apart), str(len(pairs)))]
