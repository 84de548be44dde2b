"""The sentence on several systems: which is closest to the references, which people rate higher.

A system "may be closest" if no other is significantly ahead of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from celab.metrics.base import Metric
from celab.metrics.scores import Score
from celab.people.disagreement import PEOPLE, RankComparison
from celab.systems.external_scores import rankings
from celab.systems.results import Comparison, Scored
from celab.systems.worth import worth_of
from celab.tables import cells
from celab.tables.cells import listed

MAX_SYSTEMS_NAMED = 3


def verdict_lines(scored: Scored, metrics: Mapping[str, Metric]) -> Iterator[str]:
    """Yield the sentence by the first metric, and a line on the lead and the worth of such leads.

    One system, no test, or too few segments give no line.
    """
    name = next(iter(scored.scores), "")
    comparison = scored.comparisons.get(name)
    if comparison is None or comparison.too_few or len(comparison.systems) < 2:
        return
    score = next(iter(scored.scores[name].values()))
    ranks = next(iter(rankings(scored, name)), None)
    own = _of_metric(comparison, score)
    judge = "" if ranks is None else _of_judge(ranks, is_clear=len(first_of(comparison)) == 1)
    yield f"{own}{judge}."
    lead = comparison.difference(0, 1)
    if not lead.significant:
        return
    best, second = comparison.systems[:2]
    amount = cells.score(abs(lead.value), score.digits)
    yield f"{best} leads {second} by {amount} (p {lead.p_text})."
    metric = metrics.get(name)
    if metric is not None and (worth := worth_of(lead, metric, score.n_references)):
        yield worth


def first_of(comparison: Comparison) -> list[str]:
    """Return the systems that no other is significantly ahead of, the highest score first."""
    ranks = comparison.ranks[:, 0].tolist()
    return [name for name, best in zip(comparison.systems, ranks, strict=True) if best == 1]


def _of_metric(comparison: Comparison, score: Score) -> str:
    first = first_of(comparison)
    if score.n_references == 0:
        if len(first) == 1:
            return f"{first[0]} has the highest score"
        return f"No clear winner: {_any_of(first)} may have the highest score"
    texts = "reference" if score.n_references == 1 else "references"
    if len(first) == 1:
        return f"{first[0]} is closest to the {texts}"
    return f"No clear winner: {_any_of(first)} may be closest to the {texts}"


def _any_of(names: Sequence[str]) -> str:
    """Return a few names joined by "or", or the first ones and the number of the others.

    >>> _any_of(["A", "B"]), _any_of(["A", "B", "C", "D", "E"])
    ('A or B', 'A, B or one of 3 others')
    """
    if len(names) > MAX_SYSTEMS_NAMED:
        return f"{listed(names[:2])} or one of {len(names) - 2} others"
    *first, last = names
    return f"{listed(first)} or {last}"


def _of_judge(ranks: RankComparison, *, is_clear: bool) -> str:
    """Return the half of the sentence on people or another judge."""
    judge = "people" if ranks.judge == PEOPLE else ranks.judge
    rate = "rate" if ranks.judge == PEOPLE else "rates"
    test = ranks.difference
    significant = test is not None and test.significant and not test.too_few
    p = f" (p {test.p_text})" if test is not None and test.p is not None else ""
    if significant and not ranks.agrees and not is_clear:
        # Several names leave little room; the line of findings has the ranks and p.
        return f", but {judge} {rate} {ranks.judge_first} highest"
    if not ranks.agrees:
        other = "" if is_clear else f" than {ranks.first}"
        remark = p if significant else f"{p}, which is not significant" if p else ""
        return f", but {judge} {rate} {ranks.judge_first} higher{other}{remark}"
    if significant and is_clear:
        return f", and {judge} {rate} it highest, too{p}"
    if significant:
        return f"; {judge} {rate} {ranks.first} highest{p}"
    return f"; {judge} {rate} no system significantly higher than {ranks.first}"
