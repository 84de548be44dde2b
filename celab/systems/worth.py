"""What a lead has been worth: how many leads of its size people have confirmed.

The numbers are those of docs/reading-scores.md for Chinese, which `bench/differences.py` measures:
for each range of leads, the pairs of systems that people order in the same way, and all pairs. A
lead by other settings, on another language or without a reference has no numbers.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache

from celab.metrics.base import Metric
from celab.metrics.celab import TeslaCelab
from celab.tables.cells import Phrase

EDGES = (0.005, 0.01, 0.02, 0.05)  # where the ranges of leads meet
# By profile and number of references: confirmed and all pairs, from the smallest leads on.
CONFIRMED = {
    ("paper", 1): ((42, 76), (41, 78), (87, 126), (152, 172), (20, 20)),
    ("paper", 2): ((49, 77), (49, 91), (86, 115), (114, 123), (0, 0)),
    ("recommended", 1): ((53, 98), (35, 61), (101, 136), (143, 162), (15, 15)),
    ("recommended", 2): ((55, 102), (37, 68), (102, 127), (105, 109), (0, 0)),
}
# A share of fewer pairs of systems is due to chance.
MIN_SYSTEM_PAIRS = 15


def worth_of(lead: float, metric: Metric, n_references: int) -> Phrase | None:
    """Return what a lead has been worth; None where it was not measured."""
    if not isinstance(metric, TeslaCelab) or metric.language != "zh":
        return None
    return worth_by_signature(lead, metric.get_signature(), n_references)


def worth_by_signature(lead: float, signature: str, n_references: int) -> Phrase | None:
    """Return what a lead by settings with this signature has been worth; None where unknown."""
    profile = _signatures().get(signature)
    if profile is None or (profile, n_references) not in CONFIRMED:
        return None
    confirmed, pairs = CONFIRMED[profile, n_references][bisect_right(EDGES, abs(lead))]
    if pairs < MIN_SYSTEM_PAIRS:
        return None
    share = f"{confirmed / pairs:.0%}"
    pattern = "In earlier tests into Chinese, people confirmed {0} of {1} leads of this size."
    return Phrase(pattern, share, str(pairs))


@cache
def _signatures() -> dict[str, str]:
    """Return the measured profiles by signature."""
    recommended = TeslaCelab.recommended("zh")
    paper = TeslaCelab().get_signature()
    return {paper: "paper", recommended.get_signature(): "recommended"}
