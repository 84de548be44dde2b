"""The battery of hedging on the bundled example: what recommended scores refuse."""

import runpy

import pytest
from conftest import ROOT


@pytest.fixture(scope="module")
def gains():
    """Gains by the recommended settings and by those of the paper, by systems and trick."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "bench")
        hedging = runpy.run_path(str(ROOT / "bench" / "hedging.py"))
    by = {name: hedging["metrics"]("zh")[name] for name in ("recommended", "no limit", "paper")}
    measured = hedging["measure"](hedging["read"]("campaign", 100), by)
    return {(which, trick.name): (trick, *gains) for which, trick, _, gains in measured}


def test_more_than_one_translation_gains_nothing(gains):
    useless = [(trick, gain) for trick, gain, *_ in gains.values() if trick.most == 0.003]
    assert len(useless) == 14  # seven tricks, for the best systems and for the worst
    assert max(gain for _, gain in useless) < 0


def test_words_of_two_good_systems_gain_little(gains):
    mixed = {key: gain for key, (_, gain, *_) in gains.items() if key[1].startswith("mixed")}
    assert len(mixed) == 8
    assert max(gain for (which, _), gain in mixed.items() if which == "best") <= 0.01
    # The worst two leave out what the other has, so a mix of them is in part a better translation.
    assert max(mixed.values()) < 0.042


def test_without_the_limit_hedging_pays(gains):
    _, limited, free, paper = gains["best", "2 side by side"]
    assert limited < 0 < min(free, paper)
