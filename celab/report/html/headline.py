"""The sentence of a report, and the lines of evidence below it.

The sentence names the system that is closest to the reference by the metric, if the tests single
one out, and the one that people or another judge rate higher. A system "may be first" if no other
is significantly ahead of it, and nothing says more than that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from celab.base.arguments import JsonObject, Variables
from celab.people.disagreement import PEOPLE, RankComparison
from celab.report.html.drawings import PicturedName
from celab.statistics.difference import MIN_SEGMENTS
from celab.systems.pair import WithoutOutputs
from celab.systems.results import Comparison
from celab.systems.worth import worth_of
from celab.tables import cells
from celab.tables.cells import Phrase, listed, quantity
from celab.tables.sentences import TOO_FEW

MAX_SYSTEMS_IN_SENTENCE = 3
# A judge's scale is taken for 0 to 1 (or 0 to 100) if its greatest score reaches this share of it.
MIN_SHARE_OF_SCALE = 0.5
TESTS = {
    "randomization": Phrase("approximate randomization"),
    "exact": Phrase("exact randomization"),
}


def first_of(comparison: Comparison) -> list[str]:
    """Return the systems that no other is significantly ahead of, the highest score first."""
    if comparison.too_few:
        return [*comparison.systems]
    ranks = comparison.ranks[:, 0].tolist()
    return [name for name, best in zip(comparison.systems, ranks, strict=True) if best == 1]


def _any_of(names: Sequence[str], color: str) -> str:
    """Return a few names with "or", or the first ones and how many there are besides.

    >>> print(_any_of(["A", "B"], "m")), print(_any_of(["A", "B", "C", "D", "E"], "m"))
    A or B
    A, B or one of 3 others
    (None, None)
    """
    *first, last = [PicturedName(name, color) for name in names]
    if len(names) <= MAX_SYSTEMS_IN_SENTENCE:
        return Phrase("{0} or {1}", listed(first), last) if first else last
    shortened = listed([PicturedName(name, color) for name in names[:2]])
    return Phrase("{0} or one of {1} others", shortened, str(len(names) - 2))


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
    top = str(scale_of(metric))
    return Phrase(pattern, PicturedName(name, "m"), value, *ends, top)


def sentence_of(metric: Variables) -> Phrase:
    """Return who is closest to the reference, and whom people or another judge rate higher."""
    comparison: Comparison = metric["comparison"]
    if comparison.too_few:
        few = Phrase(TOO_FEW, str(MIN_SEGMENTS))
        best, n = comparison.systems[0], max(metric["digits"] - 1, 0)
        value = cells.score(float(comparison.scores[0]), n, "page")
        pattern = (
            "{0} has the highest score, {1}."
            if metric["higher"]
            else "{0} has the lowest score, {1}."
        )
        return Phrase("{0} {1}", few, Phrase(pattern, PicturedName(best, "m"), value))
    first = first_of(comparison)
    is_clear = len(first) == 1
    texts = Phrase("reference" if metric["n_references"] == 1 else "references")
    if not is_clear:
        own = Phrase("No clear winner: {0} may be closest to the {1}", _any_of(first, "m"), texts)
    elif (without := metric["without"]) is not None and not lead_holds(without):
        name, count = PicturedName(first[0], "m"), quantity(without.n_outputs, "output")
        pattern = "{0} is closest to the {1} only because {2} look broken"
        if without.n_outputs == 1:
            pattern = "{0} is closest to the {1} only because {2} looks broken"
        own = Phrase(pattern, name, texts, count)
    else:
        own = Phrase("{0} is closest to the {1}", PicturedName(first[0], "m"), texts)
    judge = _of_judge(metric, first)
    return Phrase("{0}.", own) if judge is None else Phrase("{0}{1}.", own, judge)


def lead_holds(without: WithoutOutputs) -> bool:
    """Return whether the best system leads without these outputs, too."""
    return without.difference.significant and without.difference.better == "a"


def _of_judge(metric: Variables, first: Sequence[str]) -> Phrase | None:
    """Return the half of the sentence on people or another judge."""
    ranks: RankComparison | None = metric["ranks"]
    if ranks is None:
        return None
    is_people, comparison = ranks.judge == PEOPLE, metric["judge_comparison"]
    best = first[0]

    def said(of_people: str, of_judge: str, *values: str) -> Phrase:
        return Phrase(of_people, *values) if is_people else Phrase(of_judge, *values, ranks.judge)

    if comparison is None or comparison.too_few:
        name = PicturedName(ranks.judge_first, "h")
        return said("; people’s mean is highest for {0}", "; {1} is highest for {0}", name)
    theirs = first_of(comparison)
    if theirs == [best] and len(first) == 1:
        return said(", and people rate it highest, too", ", and {0} rates it highest, too")
    if best in theirs:
        if len(theirs) == 1:
            name = PicturedName(best, "h")
            return said("; people rate {0} highest", "; {1} rates {0} highest", name)
        return said(
            "; people rate no system significantly higher",
            "; {0} rates no system significantly higher",
        )
    ahead = next(name for name in comparison.systems if _is_ahead(comparison, name, best))
    name = PicturedName(ahead, "h")
    if len(first) == 1:
        return said(", but people rate {0} higher", ", but {1} rates {0} higher", name)
    other = PicturedName(best, "m")
    if len(theirs) == 1:
        return said("; people rate {0} highest", "; {1} rates {0} highest", name)
    return said("; people rate {0} higher than {1}", "; {2} rates {0} higher than {1}", name, other)


def _is_ahead(comparison: Comparison, name: str, other: str) -> bool:
    i, j = map(comparison.systems.index, (name, other))
    return i < j and comparison.difference(i, j).significant


def scale_of(metric: Variables) -> int:
    """Return the top of the scale of a metric: 1 or 100."""
    return 100 if metric["digits"] <= 2 else 1


def judge_scale(judge: JsonObject) -> int | None:
    """Return the top of a judge's scale, as far as its scores of segments show it."""
    scores = [x for of_system in judge["scores"] if of_system for x in of_system if x is not None]
    values = [x for x in scores if x == x]
    if not values or min(values) < 0 or not judge["higher"]:
        return None
    return next((top for top in (1, 100) if MIN_SHARE_OF_SCALE * top <= max(values) <= top), None)


def _amount(value: float, digits: int) -> str:
    return cells.score(abs(value), digits, "page")


def _with_scale(text: str, top: int | None) -> str:
    """Return a p-value with the scale of the scores, if it is known."""
    return Phrase("{0}, scale 0–{1}", text, str(top)) if top else text


def evidence_lines(metric: Variables) -> Iterator[Variables]:
    """Yield a line for the metric and one for people or another judge."""
    comparison: Comparison | None = metric["comparison"]
    if comparison is None:
        return
    yield {"label": label_of(metric), "sentences": [*_of_metric(metric, comparison)]}
    if metric["ranks"] is not None:
        label = Phrase("People") if metric["ranks"].judge == PEOPLE else metric["ranks"].judge
        yield {"label": label, "sentences": [*_of_judge_lead(metric)]}


def label_of(metric: Variables) -> str:
    """Return the label of a metric in a line or a plot, which says what it measures."""
    return Phrase("Overlap") if metric["higher"] else Phrase("Error rate")


def _of_metric(metric: Variables, comparison: Comparison) -> Iterator[Phrase]:
    """Yield the lead by the metric, what such leads have been worth, and who is first by others."""
    lead = comparison.difference(0, 1)
    yield _lead(metric, comparison)
    n_references = metric["n_references"]
    if worth := worth_of(lead, metric["metric"], n_references):
        yield worth
    without: WithoutOutputs | None = metric["without"]
    if without is not None and lead.significant and not lead_holds(without):
        yield _lead_without(without, metric["digits"] - 1)
    by_first: dict[str, list[str]] = {}
    for other in metric["others"]:
        if other["comparison"] is not None:
            by_first.setdefault(other["comparison"].systems[0], []).append(other["name"])
    for name, others in by_first.items():
        if name != comparison.systems[0]:
            yield Phrase("{0} is first by {1}.", name, listed(others))


def _lead(metric: Variables, comparison: Comparison) -> Phrase:
    best, second = comparison.systems[:2]
    lead = comparison.difference(0, 1)
    top = scale_of(metric) if metric["higher"] else None
    amount = _amount(lead.value, max(metric["digits"] - 1, 0))
    p = lead.p_text
    if lead.test != "bootstrap" and lead.test in TESTS:
        p = Phrase("{0}, {1}", p, TESTS[lead.test])
    p = _with_scale(p, top)
    if lead.too_few:
        few = "{0} is {1} ahead of {2} (p {3}): fewer than {4} segments, no verdict."
        return Phrase(few, best, amount, second, p, str(MIN_SEGMENTS))
    if not lead.significant:
        pattern = "{0} is {1} ahead of {2} (p {3}), which is not significant."
        return Phrase(pattern, best, amount, second, p)
    return Phrase("{0} leads {1} by {2} (p {3}).", best, second, amount, p)


def _lead_without(without: WithoutOutputs, digits: int) -> Phrase:
    count = quantity(without.n_outputs, "output")
    if without.too_few:
        pattern = "Without the {0} that look broken, fewer than {1} segments are left."
        return Phrase(pattern, count, str(MIN_SEGMENTS))
    change = cells.difference(without.difference.value, digits, "page")
    pattern = "Without the {0} that look broken: {1} (p {2})."
    return Phrase(pattern, count, change, without.difference.p_text)


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
    amount = _amount(scores[higher] - scores[other], digits)
    if ranks.difference is None:
        if top:
            amount = Phrase("{0} (scale 0–{1})", amount, str(top))
        yield Phrase("{0} is {1} ahead of {2}; no test.", higher, amount, other)
        return
    p = _with_scale(ranks.difference.p_text, top)
    if ranks.difference.too_few:
        few = "{0} is {1} ahead of {2} (p {3}): fewer than {4} segments, no verdict."
        yield Phrase(few, higher, amount, other, p, str(MIN_SEGMENTS))
        return
    if ranks.difference.significant:
        yield Phrase("{0} leads {1} by {2} (p {3}).", higher, other, amount, p)
    else:
        pattern = "{0} is {1} ahead of {2} (p {3}), which is not significant."
        yield Phrase(pattern, higher, amount, other, p)
    if comparison is not None:
        mentioned = {higher} if ranks.difference.significant else {higher, other}
        close = [name for name in first_of(comparison) if name not in mentioned]
        if len(close) > MAX_SYSTEMS_IN_SENTENCE:
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
