"""Rank of the system that references were made from, with all segments and without the copies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from celab.base.frozen import dataclass
from celab.base.view.phrases import Phrase

if TYPE_CHECKING:
    from celab.evaluation.references.looks import References
    from celab.metrics.scores import Score


@dataclass(frozen=True, slots=True)
class RankWithoutCopies:
    """A system whose outputs are in references, and its rank by one metric.

    Attributes:
        system: the system with the most copies.
        n_copies: number of segments whose reference is a copy or a close edit of its output.
        n_segments: number of all segments.
        rank: its rank with all segments.
        rank_without: its rank without the copies of any system; None if no segment is left.
    """

    system: str
    n_copies: int
    n_segments: int
    rank: int
    rank_without: int | None

    @property
    def sentence(self) -> Phrase:
        """The sentence on the rank of the system, with and without the copies."""
        copies = Phrase(
            "{0} of {1} references are copies or close edits of outputs of {2}",
            *(str(self.n_copies), str(self.n_segments), self.system),
        )
        if self.rank_without is None:
            return Phrase("{0}.", copies)
        if self.rank_without == self.rank:
            return Phrase("{0}; without them it keeps rank {1}.", copies, str(self.rank))
        pattern = "{0}; without them it has rank {1} instead of {2}."
        return Phrase(pattern, copies, str(self.rank_without), str(self.rank))


def rank_without_copies(
    scores: Mapping[str, Score], noticed: References, n_segments: int
) -> RankWithoutCopies | None:
    """Return the rank by one metric of the system that most references were made from, or None."""
    if not noticed.copies or len(scores) < 2:
        return None
    places: dict[str, set[int]] = {}
    for row in noticed.copies:
        places.setdefault(row.system, set()).update(row.places)
    system = max(places, key=lambda name: len(places[name]))
    left = np.setdiff1d(np.arange(n_segments), noticed.copied_places)
    before = {name: score.score for name, score in scores.items()}
    after = {name: score.of_segments(left) for name, score in scores.items()} if len(left) else None
    sign = 1 if scores[system].higher_is_better else -1

    def rank(values: Mapping[str, float]) -> int:
        return 1 + sum(sign * value > sign * values[system] for value in values.values())

    return RankWithoutCopies(
        system=system,
        n_copies=len(places[system]),
        n_segments=n_segments,
        rank=rank(before),
        rank_without=None if after is None else rank(after),
    )
