"""A format is another door to the same number: files of the same segments give the same scores."""

import corpus_samples
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workbooks import workbook

import celab

# Without codes, line breaks and white space at the ends.
TEXTS = st.text("买卖雨伞ab 1，。&\"'\\#", min_size=1, max_size=12).map(lambda text: f"在{text}里")
SEGMENTS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=8)
FORMATS = ("xliff", "tmx", "po", "srt", "vtt", "xlsx")


def written(name, side, lines):
    """Return the bytes of a file with these segments of a side."""
    if name == "xlsx":
        return workbook([["id", side], *([f"{n}", text] for n, text in enumerate(lines))])
    return corpus_samples.SAMPLES[name].write([("ref", "r", lines)]).encode()


def scored(folder, name, segments):
    suffix = "xlsx" if name == "xlsx" else corpus_samples.SAMPLES[name].file.rpartition(".")[2]
    paths = []
    for side, lines in zip(("ref", "hyp"), zip(*segments, strict=True), strict=True):
        path = folder / f"{side}.{suffix}"
        path.write_bytes(written(name, side, list(lines)))
        paths.append(path)
    metrics = {"celab": celab.TeslaCelab(lexicon=None), "chrf": celab.Chrf()}
    campaign = celab.Campaign.read(*paths).score(metrics, check=False)
    return {
        metric: (score.score, score.statistics.tolist())
        for metric, by_system in campaign.scores.items()
        for score in by_system.values()
    }


@pytest.mark.filterwarnings("ignore::celab.InputWarning")
@settings(max_examples=30)
@given(segments=SEGMENTS)
def test_files_of_the_same_segments_have_the_same_scores(tmp_path_factory, segments):
    folder = tmp_path_factory.getbasetemp()
    expected = scored(folder, "plain", segments)
    for name in FORMATS:
        assert scored(folder, name, segments) == expected, name
