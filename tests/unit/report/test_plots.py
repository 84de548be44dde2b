"""Plots of results, and what is said without fonts or matplotlib."""

import subprocess
import sys
import warnings

import pytest
from conftest import ROOT

import celab
from celab.report import plots


@pytest.fixture
def pyplot(monkeypatch):
    pytest.importorskip("matplotlib", reason="matplotlib is not here: nothing can be drawn").use(
        "Agg"
    )
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def test_a_plot_prints_the_line_of_the_command_alone(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not here: nothing can be drawn")
    words = [sys.executable, "-m", "celab", "meta", "-m", "bleu", "examples/judged"]
    words += ["--plot", str(tmp_path / "x.svg")]
    done = subprocess.run(words, capture_output=True, encoding="utf-8", cwd=ROOT)
    assert done.returncode == 0
    assert len(done.stderr.splitlines()) == 1, done.stderr


def test_pictures(pyplot, campaign, compared, metric, tmp_path):
    drawn = campaign.plot()
    assert [label.get_text() for label in drawn.get_yticklabels()] == ["other", "one"]
    assert drawn.get_xlabel() == "TESLA-CELAB, 95% intervals"
    untested = celab.Campaign(campaign.corpus).score(metric).plot()
    assert [label.get_text() for label in untested.get_yticklabels()] == ["other", "one"]
    assert untested.figure.get_size_inches().tolist() == pytest.approx([6.4, 0.9 + 2 * 0.42])
    drawn = compared.plot("CELAB")
    assert "two-sided" in drawn.get_title() and drawn.get_ylabel().endswith("a<b>")
    assert sum(len(line.get_xdata()) for line in drawn.lines[:-1]) == 20
    axes = pyplot.subplots()[1]
    why = celab.explain("买了$5和$6的伞", "买雨伞")
    assert why.plot(axes) is axes
    texts = [text.get_text() for text in axes.texts]
    assert texts[:3] == ["买", "雨", "伞"] and r"\$" in texts
    words = celab.TeslaM(analysis="surface", lexicon=None)
    assert [t.get_text() for t in words.explain("a b", "a c").plot().texts][:2] == ["a", "c"]
    words.explain("", "a").plot()
    edited = celab.Mer().explain("a b", "a c d").plot()
    assert [t.get_text() for t in edited.texts][:3] == ["a", "c", "d"]
    assert edited.get_title("left") == "score 66.67   — equal   - - substituted"
    pyplot.savefig(tmp_path / "x.png")


def test_a_missing_font_is_told_once(pyplot, no_font):
    with pytest.warns(UserWarning) as seen:
        drawn = celab.explain("买", "买", lexicon=None).plot()
        plots.saved(drawn.figure, "png")
        plots.saved(celab.explain("伞", "伞", lexicon=None).plot().figure, "svg")
    (warning,) = seen
    assert "install one, such as Noto Sans CJK" in str(warning.message)
    # Other filters, as in another test or after the user has changed them.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn = celab.explain("买", "买", lexicon=None).plot()
        plots.saved(drawn.figure, "png")


def test_other_missing_characters_are_still_told(pyplot, no_font):
    with pytest.warns(UserWarning) as seen:
        axes = celab.explain("买", "买", lexicon=None).plot()
        axes.set_title("\u1200")  # Ethiopic, by the user
        plots.saved(axes.figure, "png")
    messages = {str(warning.message).partition("(")[0].strip() for warning in seen}
    assert len(messages) == 2 and "Glyph 4608" in messages


def test_without_matplotlib_there_is_one_line(campaign, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot", raising=False)
    with pytest.raises(celab.OptionError):
        campaign.plot()
