"""The lines of evidence below the sentence of a report, and the sentence on a single system.

`celab.systems.verdict` has the sentence on several systems, which a terminal shows, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from celab.base.arguments import JsonObject, Variables
from celab.people.disagreement import PEOPLE, RankComparison
from celab.systems.results import Comparison
from celab.systems.verdict import (
    MAX_SYSTEMS_NAMED,
    Verdict,
    first_of,
    lead_sentence,
    scale_of,
    with_scale,
)
from celab.tables import cells
from celab.tables.cells import Phrase, PicturedName, listed

# A judge's scale is taken for 0 to 1 (or 0 to 100) if its greatest score reaches this share of it.
MIN_SHARE_OF_SCALE = 0.5


def sentence_of_one(metric: Variables) -> Phrase:
    """Return the score of a single system with its interval."""
    (name, score), *others = metric["of_system"].items()
    n = max(metric["digits"] - 1, 0)
    value = cells.score(score.score, n, "page")
    if others:  # other systems, not tested
        highest = max if metric["higher"] else min
        scores = {name: x.score for name, x in metric["of_system"].items()}
        best = highest(scores, key=scores.__getitem__)
        value = cells.score(scores[best], n, "page")
        return Phrase(
            "{0} has {1} by {2}; no difference was tested.",
            PicturedName(best, "m"),
            value,
            metric["name"],
        )
    interval = metric["intervals"][name]
    if interval is None:
        return Phrase("{0} scores {1}.", PicturedName(name, "m"), value)
    ends = [cells.score(end, n, "page") for end in interval]
    if not metric["higher"]:
        pattern = "{0} has an error rate of {1} (95% interval {2} to {3})."
        return Phrase(pattern, PicturedName(name, "m"), value, *ends)
    pattern = "{0} scores {1} of {4} (95% interval {2} to {3})."
    top = str(scale_of(metric["digits"]))
    return Phrase(pattern, PicturedName(name, "m"), value, *ends, top)


def judge_scale(judge: JsonObject) -> int | None:
    """Return the top of a judge's scale, as far as its scores of segments show it."""
    scores = [x for of_system in judge["scores"] if of_system for x in of_system if x is not None]
    values = [x for x in scores if x == x]
    if not values or min(values) < 0 or not judge["higher"]:
        return None
    return next((top for top in (1, 100) if MIN_SHARE_OF_SCALE * top <= max(values) <= top), None)


def evidence_lines(metric: Variables) -> Iterator[Variables]:
    """Yield a line for the metric and one for people or another judge."""
    verdict: Verdict | None = metric["verdict"]
    if verdict is None:
        return
    yield {"label": label_of(metric), "sentences": [*verdict.evidence, *_first_by_others(metric)]}
    if metric["ranks"] is not None:
        label = Phrase("People") if metric["ranks"].judge == PEOPLE else metric["ranks"].judge
        yield {"label": label, "sentences": [*_of_judge_lead(metric)]}


def label_of(metric: Variables) -> str:
    """Return the label of a metric in a line or a plot, which says what it measures."""
    return Phrase("Overlap") if metric["higher"] else Phrase("Error rate")


def _first_by_others(metric: Variables) -> Iterator[Phrase]:
    """Yield which systems are first by other metrics, unless it is the same one."""
    by_first: dict[str, list[str]] = {}
    for other in metric["others"]:
        if other["comparison"] is not None:
            by_first.setdefault(other["comparison"].systems[0], []).append(other["name"])
    for name, others in by_first.items():
        if name != metric["comparison"].systems[0]:
            yield Phrase("{0} is first by {1}.", name, listed(others))


def _of_judge_lead(metric: Variables) -> Iterator[Phrase]:
    """Yield the lead by people or another judge, and who is not significantly behind."""
    ranks, judge = metric["ranks"], metric["judge"]
    comparison: Comparison | None = metric["judge_comparison"]
    systems = metric["browsed"]["systems"]
    scores = dict(zip(systems, judge["systems"], strict=True))
    higher, other = ranks.judge_first, ranks.rival
    digits, top = min(judge["digits"], 1) or judge["digits"], judge_scale(judge)
    if top == 1:
        digits = 3
    amount = cells.score(abs(scores[higher] - scores[other]), digits, "page")
    if ranks.difference is None:
        if top:
            amount = Phrase("{0} (scale 0–{1})", amount, str(top))
        yield Phrase("{0} is {1} ahead of {2}; no test.", higher, amount, other)
        return
    p = with_scale(ranks.difference.p_text, top)
    yield lead_sentence(higher, amount, other, p, ranks.difference)
    if comparison is not None and not comparison.too_few:
        mentioned = {higher} if ranks.difference.significant else {higher, other}
        close = [name for name in first_of(comparison) if name not in mentioned]
        if len(close) > MAX_SYSTEMS_NAMED:
            yield Phrase("{0} others are not significantly behind.", str(len(close)))
        elif close:
            pattern = "{0} is not significantly behind."
            if len(close) > 1:
                pattern = "{0} are not significantly behind."
            yield Phrase(pattern, names_with_and(close))


def names_with_and(names: Sequence[str]) -> str:
    """Return names in a sentence.

    >>> print(names_with_and(["A", "B", "C"]))
    A, B and C
    """
    *first, last = names
    return Phrase("{0} and {1}", listed(first), last) if first else last


def pair_of(metric: Variables) -> tuple[str, str] | None:
    """Return the two systems that the page compares: those in the sentence, or the first two."""
    comparison: Comparison | None = metric["comparison"]
    if comparison is None:
        return None
    ranks: RankComparison | None = metric["ranks"]
    if ranks is not None and not ranks.agrees:
        return ranks.judge_first, ranks.first
    return comparison.systems[0], comparison.systems[1]
