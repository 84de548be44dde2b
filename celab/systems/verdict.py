"""What is said about several systems: who is closest to the references, whom people rate higher.

A page and a terminal show the same sentence and the same evidence. A system "may be closest" if no
other is significantly ahead of it, and nothing says more than that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from celab.metrics.base import Metric
from celab.people.disagreement import PEOPLE, RankComparison, comparison_to_show, non_translations
from celab.statistics.difference import MIN_SEGMENTS, Difference
from celab.statistics.documents import units_to_draw
from celab.statistics.significance import Test
from celab.systems.external_scores import rankings
from celab.systems.pair import WithoutOutputs, without_outputs
from celab.systems.results import Comparison, Scored
from celab.systems.worth import worth_of
from celab.tables import cells
from celab.tables.cells import Phrase, PicturedName, listed, quantity

MAX_SYSTEMS_NAMED = 3
MIN_RESAMPLES = 40  # fewer give no 95% interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is said about several systems by one metric.

    Attributes:
        comparison: the systems by the metric.
        n_references, digits, higher_is_better: of the scores.
        metric: its settings; None if they are unknown.
        ranks: those of the metric beside those by people or another judge; None without one.
        judge_comparison: the systems by that judge; None if it was not tested.
        without: the best two without outputs that look broken, if the lead is only significant
            with them; else None.
    """

    comparison: Comparison
    n_references: int
    digits: int
    higher_is_better: bool
    metric: Metric | None = None
    ranks: RankComparison | None = None
    judge_comparison: Comparison | None = None
    without: WithoutOutputs | None = None

    @property
    def scale(self) -> int:
        """The top of the scale of the metric: 1 or 100."""
        return scale_of(self.digits)

    @property
    def lead(self) -> Phrase:
        """The lead of the system with the best score over the second."""
        best, second = self.comparison.systems[:2]
        lead = self.comparison.difference(0, 1)
        amount = cells.score(abs(lead.value), max(self.digits - 1, 0), "page")
        p = with_scale(lead.p_text, self.scale if self.higher_is_better else None)
        return lead_sentence(best, amount, second, p, lead)

    @property
    def evidence(self) -> Iterator[Phrase]:
        """The lead, what such leads have been worth, and the lead without broken outputs."""
        lead = self.comparison.difference(0, 1)
        yield self.lead
        if self.metric is not None and (worth := worth_of(lead, self.metric, self.n_references)):
            yield worth
        if self.without is not None:
            outputs = non_translations(self.without.n_outputs)
            change = self.without.difference
            amount = cells.difference(change.value, max(self.digits - 1, 0), "page")
            yield Phrase("Without {0}: {1} (p {2}).", outputs, amount, change.p_text)

    @property
    def sentence(self) -> Phrase:
        """Who is closest to the reference, and whom people or another judge rate higher."""
        if self.comparison.too_few:
            return self._too_few
        first = first_of(self.comparison)
        own, judge = self._of_metric(first), self._of_judge(first)
        return Phrase("{0}.", own) if judge is None else Phrase("{0}{1}.", own, judge)

    @property
    def _too_few(self) -> Phrase:
        name = PicturedName(self.comparison.systems[0], "m")
        value = cells.score(float(self.comparison.scores[0]), max(self.digits - 1, 0), "page")
        pattern = (
            "{0} has the highest score, {1}; fewer than {2} segments, no verdict."
            if self.higher_is_better
            else "{0} has the lowest score, {1}; fewer than {2} segments, no verdict."
        )
        return Phrase(pattern, name, value, str(MIN_SEGMENTS))

    def _of_metric(self, first: Sequence[str]) -> Phrase:
        """Return the half of the sentence on the systems that no other is ahead of."""
        name, is_clear = PicturedName(first[0], "m"), len(first) == 1
        if not self.n_references:
            if is_clear:
                return Phrase("{0} has the highest score", name)
            return Phrase("No clear winner: {0} may have the highest score", _any_of(first))
        texts = Phrase("reference" if self.n_references == 1 else "references")
        if not is_clear:
            pattern = "No clear winner: {0} may be closest to the {1}"
            return Phrase(pattern, _any_of(first), texts)
        if self.without is not None:
            count = quantity(self.without.n_outputs, "output")
            pattern = "{0} is closest to the {1} only because {2} look broken"
            if self.without.n_outputs == 1:
                pattern = "{0} is closest to the {1} only because {2} looks broken"
            return Phrase(pattern, name, texts, count)
        return Phrase("{0} is closest to the {1}", name, texts)

    def _of_judge(self, first: Sequence[str]) -> Phrase | None:
        """Return the half of the sentence on people or another judge."""
        ranks, comparison = self.ranks, self.judge_comparison
        if ranks is None:
            return None
        is_people, best = ranks.judge == PEOPLE, first[0]

        def said(of_people: str, of_judge: str, *values: str) -> Phrase:
            if is_people:
                return Phrase(of_people, *values)
            return Phrase(of_judge, *values, ranks.judge)

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
        if len(theirs) == 1:
            return said("; people rate {0} highest", "; {1} rates {0} highest", name)
        other = PicturedName(best, "m")
        pattern = "; people rate {0} higher than {1}", "; {2} rates {0} higher than {1}"
        return said(*pattern, name, other)


def verdict_of(scored: Scored, name: str) -> Verdict | None:
    """Return what is said about the systems by a metric; None for one system, or without a test."""
    comparison = scored.comparisons.get(name)
    if comparison is None or len(comparison.systems) < 2:
        return None
    score = next(iter(scored.scores[name].values()))
    ranks = comparison_to_show(rankings(scored, name))
    return Verdict(
        comparison=comparison,
        n_references=score.n_references,
        digits=score.digits,
        higher_is_better=score.higher_is_better,
        metric=scored.known_metrics.get(name),
        ranks=ranks,
        judge_comparison=None if ranks is None else _of_judge(scored, ranks.judge),
        without=_without(scored, name, comparison),
    )


def verdict_lines(scored: Scored) -> Iterator[str]:
    """Yield the sentence by the first metric, then the evidence of a significant lead."""
    verdict = verdict_of(scored, next(iter(scored.scores), ""))
    if verdict is not None:
        yield verdict.sentence
        if verdict.comparison.difference(0, 1).significant:
            yield from verdict.evidence


def first_of(comparison: Comparison) -> list[str]:
    """Return the systems that no other is significantly ahead of, the highest score first."""
    if comparison.too_few:
        return [*comparison.systems]
    ranks = comparison.ranks[:, 0].tolist()
    return [name for name, best in zip(comparison.systems, ranks, strict=True) if best == 1]


def scale_of(digits: int) -> int:
    """Return the top of the scale of a metric whose scores have so many decimals: 1 or 100."""
    return 100 if digits <= 2 else 1


def with_scale(p: str, top: int | None) -> str:
    """Return a p-value with the scale of the scores, if it is known."""
    return Phrase("{0}, scale 0–{1}", p, str(top)) if top else p


def lead_sentence(best: str, amount: str, second: str, p: str, lead: Difference) -> Phrase:
    """Return how far one system is ahead of another, and whether that is significant."""
    if lead.too_few:
        few = "{0} is {1} ahead of {2} (p {3}): fewer than {4} segments, no verdict."
        return Phrase(few, best, amount, second, p, str(MIN_SEGMENTS))
    if not lead.significant:
        pattern = "{0} is {1} ahead of {2} (p {3}), which is not significant."
        return Phrase(pattern, best, amount, second, p)
    return Phrase("{0} leads {1} by {2} (p {3}).", best, second, amount, p)


def lead_holds(without: WithoutOutputs) -> bool:
    """Return whether the best system leads without these outputs, too."""
    return without.difference.significant and without.difference.better == "a"


def _of_judge(scored: Scored, title: str) -> Comparison | None:
    """Return the comparison by the judge with this usual name."""
    for name, of_system in scored.scores.items():
        if next(iter(of_system.values())).name == title and name in scored.comparisons:
            return scored.comparisons[name]
    return None


def _without(scored: Scored, name: str, comparison: Comparison) -> WithoutOutputs | None:
    """Return the best two without outputs that look broken, if that changes the verdict."""
    if scored.outputs is None or not comparison.difference(0, 1).significant:
        return None
    best, second = comparison.systems[:2]
    scores = scored.scores[name]
    test: Test = "randomization" if comparison.test == "randomization" else "bootstrap"
    without = without_outputs(
        metric=name,
        scores=(scores[best], scores[second]),
        names=(best, second),
        outputs=scored.outputs,
        n_resamples=max(comparison.n_resamples, MIN_RESAMPLES),
        test=test,
        seed=comparison.seed,
        drawn=units_to_draw(comparison.resample_by, [x.document for x in scored.segments]),
    )
    # Fewer than 20 segments would not be significant whatever the outputs are.
    if without is None or without.too_few or lead_holds(without):
        return None
    return without


def _any_of(names: Sequence[str]) -> str:
    """Return a few names with "or", or the first ones and how many there are besides.

    >>> print(_any_of(["A", "B"])), print(_any_of(["A", "B", "C", "D", "E"]))
    A or B
    A, B or one of 3 others
    (None, None)
    """
    pictured = [PicturedName(name, "m") for name in names]
    if len(names) > MAX_SYSTEMS_NAMED:
        return Phrase("{0} or one of {1} others", listed(pictured[:2]), str(len(names) - 2))
    *first, last = pictured
    return Phrase("{0} or {1}", listed(first), last)


def _is_ahead(comparison: Comparison, name: str, other: str) -> bool:
    i, j = map(comparison.systems.index, (name, other))
    return i < j and comparison.difference(i, j).significant
