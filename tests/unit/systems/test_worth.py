"""What leads have been worth: the figures of docs/reading-scores.md for Chinese."""

import re
from pathlib import Path

import pytest

from celab import TeslaCelab
from celab.statistics.difference import Difference
from celab.systems.worth import CONFIRMED, EDGES, MIN_SEGMENTS, worth_of

PAGE = Path(__file__).parents[3] / "docs" / "reading-scores.md"


def counts_on_page(profile, n_references):
    """Return confirmed and all pairs of the Chinese sets, summed over sets."""
    text = PAGE.read_text("utf-8")
    table = re.search(rf"<!-- differences, {profile} -->(.*?)<!-- /", text, re.S)[1]
    rows = re.findall(rf"^\| \S+ \(zh\) \| {n_references} \|(.*)\|$", table, re.M)
    sums = [[0, 0] for _ in range(len(EDGES) + 1)]
    for row in rows:
        for place, cell in enumerate(row.split("|")):
            if share := re.match(r" (\d+)% of (\d+) ", cell):
                sums[place][0] += round(int(share[1]) * int(share[2]) / 100)
                sums[place][1] += int(share[2])
    return tuple(map(tuple, sums))


@pytest.mark.parametrize(("profile", "n_references"), CONFIRMED)
def test_figures_are_those_of_the_page(profile, n_references):
    assert CONFIRMED[profile, n_references] == counts_on_page(profile, n_references)


def lead(value, n_segments=1002, p=0.002):
    return Difference(a=0.5 + value, b=0.5, p=p, n_segments=n_segments)


def test_only_what_was_measured_has_a_worth():
    recommended = TeslaCelab.recommended("zh")
    wanted = "In earlier tests into Chinese, people confirmed 74% of 136 leads of this size."
    assert worth_of(lead(0.014), recommended, 1) == wanted
    assert worth_of(lead(-0.014), recommended, 1) == wanted
    assert worth_of(lead(0.014, p=0.2), recommended, 1) is None
    assert worth_of(lead(0.06), recommended, 1) is None  # 15 pairs were that far apart
    assert worth_of(lead(0.014), recommended, 3) is None
    assert worth_of(lead(0.014), TeslaCelab(f=0.5), 1) is None
    assert worth_of(lead(0.014), TeslaCelab.recommended("ja"), 1) is None


def test_fewer_segments_than_were_measured_have_no_worth(shared):
    metric = TeslaCelab()
    for n_references, least in MIN_SEGMENTS.items():
        assert worth_of(lead(0.014, least), metric, n_references) is not None
        assert worth_of(lead(0.014, least - 1), metric, n_references) is None
    sizes = {
        len((shared / "data" / name / "ref-A.txt").read_text("utf-8").splitlines())
        for name in ("wmt24-enzh-esa", "wmt21-enzh-sys")
    }
    assert {1: min(sizes), 2: max(sizes)} == MIN_SEGMENTS  # one of the sets has two references
