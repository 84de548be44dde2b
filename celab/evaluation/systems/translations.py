"""Scores and ranks of translations alone: without the outputs that are none.

Each system keeps the segments of which it has a translation, as in the line that a terminal shows
about its outputs, so the systems' scores are not of the same segments.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import isnan
from typing import TYPE_CHECKING

from celab.base.frozen import dataclass
from celab.base.view.phrases import Phrase

if TYPE_CHECKING:
    from celab.evaluation.checks.outputs import Outputs
    from celab.metrics.scores import Score


def non_translations(number: int) -> Phrase:
    """Return a number of outputs that are not translations.

    >>> non_translations(1), non_translations(2)
    ('1 output that is not a translation', '2 outputs that are not translations')
    """
    if number == 1:
        return Phrase("1 output that is not a translation")
    return Phrase("{0} outputs that are not translations", str(number))


@dataclass(frozen=True, slots=True)
class TranslationRanks:
    """Ranks of systems by one metric, with all outputs and with translations alone.

    Attributes:
        counts: number of outputs that are not translations, of each system that has any.
        scores: for each system that has such outputs, its score without them.
        moved: for each system, by how many ranks it is higher without them.
        passes: pairs of systems, of which the first is behind the second with all outputs and ahead
            of it without them, the best first.
    """

    counts: dict[str, int]
    scores: dict[str, float]
    moved: dict[str, int]
    passes: tuple[tuple[str, str], ...]

    @property
    def n_outputs(self) -> int:
        """Number of outputs of all systems that are not translations."""
        return sum(self.counts.values())

    @property
    def sentence(self) -> Phrase:
        """The sentence on the ranks, with and without those outputs."""
        outputs = non_translations(self.n_outputs)
        if not self.passes:
            return Phrase("Without {0}, every system keeps its rank.", outputs)
        first, second = self.passes[0]
        n_more = len(self.passes) - 1
        if not n_more:
            return Phrase("Without {0}, {1} passes {2}.", outputs, first, second)
        if n_more == 1:
            pattern = "Without {0}, {1} passes {2}, and another pair of systems changes places."
            return Phrase(pattern, outputs, first, second)
        return Phrase(
            "Without {0}, {1} passes {2}, and {3} other pairs of systems change places.",
            *(outputs, first, second, str(n_more)),
        )


def translation_ranks(scores: Mapping[str, Score], outputs: Outputs) -> TranslationRanks | None:
    """Return the ranks by one metric without outputs that are not translations; None if all are.

    A system without any translation keeps its score.
    """
    if not outputs.n_flagged or len(scores) < 2:
        return None
    sign = 1 if next(iter(scores.values())).higher_is_better else -1
    counts = outputs.flagged.count("system")
    without = {
        system: score.of_segments(outputs.translations(system))
        for system, score in scores.items()
        if counts[system]
    }
    without = {system: score for system, score in without.items() if not isnan(score)}
    before = {system: sign * score.score for system, score in scores.items()}
    after = before | {system: sign * score for system, score in without.items()}
    orders = [sorted(scores, key=values.__getitem__, reverse=True) for values in (before, after)]
    passes = tuple(
        (x, y)
        for x, y in combinations(orders[1], 2)
        if before[x] < before[y] and after[x] > after[y]
    )
    moved = {system: orders[0].index(system) - orders[1].index(system) for system in scores}
    return TranslationRanks(dict(counts), without, moved, passes)
