"""How many Python frames lie between a call of a metric and the kernel that covers pairs."""

import sys

import pytest

import celab
from celab.exact import engine

HYPS, REFS = ["买伞", "下雨了"], ["买雨伞", "下大雨了"]


@pytest.fixture
def frames(monkeypatch):
    """The names of the functions on the stack, outermost first, when the kernel is called."""
    stacks = []
    kernel = engine.cover_pairs

    def recording(*arguments):
        frame, names = sys._getframe(1), []
        while frame is not None:
            names.insert(0, frame.f_code.co_name)
            frame = frame.f_back
        stacks.append(names)
        return kernel(*arguments)

    monkeypatch.setattr(engine, "cover_pairs", recording)
    return stacks


@pytest.mark.parametrize(
    "settings", [{"lexicon": None}, {"lexicon": "zh-core"}, {"weights": "references"}]
)
def test_a_corpus_score_is_six_frames_from_the_kernel(frames, settings):
    celab.TeslaCelab(**settings).corpus_score(HYPS, [REFS])
    (stack,) = frames
    path = stack[stack.index("corpus_score") :]
    assert len(path) <= 6, path
