"""How many Python frames lie between a call, or a command, and the kernel that covers pairs."""

import sys

import pytest

import celab
from celab.cli import main
from celab.exact import engine

HYPS, REFS = ["买伞", "下雨了"], ["买雨伞", "下大雨了"]


@pytest.fixture
def frames(monkeypatch):
    """The names of the functions on the stack, outermost first, when the kernel is called."""
    stacks = []
    kernel = engine.cover_pairs

    def recording(*arguments, **options):
        frame, names = sys._getframe(1), []
        while frame is not None:
            names.insert(0, frame.f_code.co_name)
            frame = frame.f_back
        stacks.append(names)
        return kernel(*arguments, **options)

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


@pytest.mark.parametrize(
    ("flags", "most"), [([], 10), (["-m", "celab", "chrf"], 10), (["--segments"], 11)]
)
def test_a_command_is_ten_frames_from_the_kernel(frames, flags, most, tmp_path, capsys):
    paths = [tmp_path / "ref", tmp_path / "hyp"]
    for path, lines in zip(paths, (REFS, HYPS), strict=True):
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    assert main.main(["score", "--quiet", *map(str, paths), *flags]) == 0
    (stack,) = frames
    path = stack[len(stack) - 1 - stack[::-1].index("main") :]
    assert len(path) <= most, path
