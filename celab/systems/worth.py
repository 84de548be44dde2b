"""The worth of a lead: the share of leads of its size that people have confirmed.

The numbers are those of docs/reading-scores.md for Chinese, which `bench/differences.py` measures:
for each range of leads, the pairs of systems that people order in the same way, and all pairs. A
lead by other settings, on another language, on fewer segments or without a reference has no
numbers.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache

from celab.metrics.base import Metric
from celab.metrics.celab import TeslaCelab
from celab.statistics.difference import Difference
from celab.tables.cells import Phrase

EDGES = (0.005, 0.01, 0.02, 0.05)  # limits between the ranges of leads
# (profile, number of references) → confirmed and all pairs for each range of leads.
CONFIRMED = {
    ("paper", 1): ((42, 76), (41, 78), (87, 126), (152, 172), (20, 20)),
    ("paper", 2): ((49, 77), (49, 91), (86, 115), (114, 123), (0, 0)),
    ("recommended", 1): ((53, 98), (35, 61), (101, 136), (143, 162), (15, 15)),
    ("recommended", 2): ((55, 102), (37, 68), (102, 127), (105, 109), (0, 0)),
}
# Number of references → segments of the smallest set: wmt24-enzh-esa has 634 and
# wmt21-enzh-sys 1002. On fewer segments a lead of the same size is more often chance.
MIN_SEGMENTS = {1: 634, 2: 1002}
# The 15 to 20 pairs that are 0.05 or more apart are nearly all of one set, whose few systems they
# share, so a share of them would promise too much. All other ranges have more than 60 pairs.
MIN_SYSTEM_PAIRS = 50


def worth_of(lead: Difference, metric: Metric, n_references: int) -> Phrase | None:
    """Return the worth of a lead; None where it was not measured."""
    if not isinstance(metric, TeslaCelab) or metric.language != "zh":
        return None
    return worth_by_signature(lead, metric.get_signature(), n_references)


def worth_by_signature(lead: Difference, signature: str, n_references: int) -> Phrase | None:
    """Return the worth of a lead by the settings of a signature; None where it is not known.

    Only a significant lead on as many segments as were measured has a worth.
    """
    profile = _signatures().get(signature)
    if profile is None or (profile, n_references) not in CONFIRMED:
        return None
    if not lead.significant or lead.n_segments < MIN_SEGMENTS[n_references]:
        return None
    place = bisect_right(EDGES, abs(lead.value))
    confirmed, pairs = CONFIRMED[profile, n_references][place]
    if pairs < MIN_SYSTEM_PAIRS:
        return None
    pattern = "In earlier tests into Chinese, people confirmed {0} of {1} leads of this size."
    return Phrase(pattern, f"{confirmed / pairs:.0%}", str(pairs))


@cache
def _signatures() -> dict[str, str]:
    """Return the measured profiles by signature."""
    recommended = TeslaCelab.recommended("zh")
    paper = TeslaCelab().get_signature()
    return {paper: "paper", recommended.get_signature(): "recommended"}
