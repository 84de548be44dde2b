"""Results as data frames of pandas, polars and PyArrow."""

import pytest
from campaigns import LIBRARIES
from conftest import ROOT

import celab
from celab.tables import table


@pytest.mark.parametrize("library", LIBRARIES)
def test_data_frames(library, campaign):
    columns = ["system", "index", "segment", "score", "precision", "recall"]
    score = campaign.scores["celab"]["one"]
    frame = score.to_dataframe("mine", library)
    assert type(frame).__module__.startswith(library) and list(frame.columns) == columns
    assert frame["system"].to_list() == ["mine"] * 20
    assert frame["segment"].to_list() == list(range(1, 21))
    assert frame["score"].to_list() == score.segments.scores.tolist()
    assert frame["recall"].to_list() == score.segments.figures[:, 2].tolist()
    whole = campaign.to_dataframe(library)
    assert list(whole.columns) == ["metric", *columns, "output", "length_ratio"]
    assert len(whole) == 40
    assert whole["system"].to_list() == ["one"] * 20 + ["other"] * 20


@pytest.mark.parametrize("library", LIBRARIES)
def test_data_frames_of_systems(library, campaign):
    score = campaign.scores["celab"]["one"]
    frame = score.to_dataframe("mine", library, level="system")
    assert list(frame.columns) == ["system", "score", "precision", "recall"]
    assert frame["score"].to_list() == [score.score]
    whole = campaign.to_dataframe(library, level="system")
    assert whole["system"].to_list() == ["one", "other"]
    comparison = campaign.test().comparisons["celab"]
    tested = comparison.to_dataframe(library)
    assert tested["system"].to_list() == list(comparison.systems)
    assert tested["high"].to_list() == comparison.intervals[:, 1].tolist()
    assert tested["worst_rank"].to_list() == comparison.ranks[:, 1].tolist()
    pair = campaign.compare("one", "other")
    by_metric, by_segment = (pair.to_dataframe(library, level=x) for x in ("metric", "segment"))
    assert by_metric["p"].to_list() == [pair["celab"].difference.p]
    assert by_metric["a"].to_list() == [pair["celab"].difference.a]
    assert by_segment["b"].to_list() == pair["celab"].segments[:, 1].tolist()
    assert by_segment["segment"].to_list() == list(range(1, 21))
    for result in (score, campaign, comparison, pair):
        with pytest.raises(celab.OptionError):
            result.to_dataframe(level="word")
    with pytest.raises(celab.OptionError):
        comparison.to_dataframe(level="segment")


def test_data_frames_of_agreement():
    pytest.importorskip("pandas", reason="pandas is not installed")
    found = celab.meta.evaluate(ROOT / "examples" / "judged", ["celab"])
    frame = found.to_dataframe().set_index("figure")
    for figure in ("pearson", "consistency"):
        assert frame.loc[figure, "value"] == found.metrics["celab"].figures[figure].value


@pytest.mark.parametrize("library", LIBRARIES)
def test_figures_that_a_metric_has_not_are_absent(library, campaign):
    frame = celab.Campaign(campaign.corpus).score(["chrf", "bleu"]).to_dataframe(library)
    assert next(iter(frame.columns)) == "metric" and len(frame) == 80
    assert "precision" not in frame.columns
    both = celab.Campaign(campaign.corpus).score(["chrf", "celab"]).to_dataframe(library)
    precision = both["precision"]
    absent = precision.is_null() if library == "polars" else precision.isna()
    assert absent.to_list() == [metric == "chrf" for metric in both["metric"]]


def test_data_frames_need_a_library(campaign, monkeypatch):
    with pytest.raises(celab.OptionError):
        campaign.to_dataframe("arrow")
    monkeypatch.setattr(table, "find_spec", lambda name: None)
    with pytest.raises(celab.OptionError):
        campaign.to_dataframe()
    with pytest.raises(celab.OptionError):
        campaign.to_dataframe("polars")
