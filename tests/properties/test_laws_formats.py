"""A format is another door to the same number: files of the same segments give the same scores."""

import csv
import io

import corpus_samples
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workbooks import workbook

import celab
from celab.corpus import Fields

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


def scores_of(*files, **options):
    """Return score and statistics of each system of some files."""
    campaign = celab.Campaign.read(*files, **options).score("chrf", check=False)
    by_system = campaign.scores["chrf"]
    return {name: (score.score, score.statistics.tolist()) for name, score in by_system.items()}


def table(folder, kind, rows):
    """Write a table, and return its path."""
    path = folder / f"class.{kind}"
    if kind == "xlsx":
        path.write_bytes(workbook(rows))
    else:
        text = io.StringIO()
        csv.writer(text, delimiter={"csv": ",", "tsv": "\t"}[kind]).writerows(rows)
        path.write_text(text.getvalue(), encoding="utf-8")
    return path


@pytest.mark.filterwarnings("ignore::celab.InputWarning")
@settings(max_examples=15)
@given(
    rows=st.lists(st.lists(TEXTS, min_size=4, max_size=4), min_size=2, max_size=6),
    kind=st.sampled_from(["xlsx", "csv", "tsv"]),
    titles=st.integers(0, 2),
    order=st.randoms(use_true_random=False),
)
def test_ways_to_name_columns_have_the_same_scores(tmp_path_factory, rows, kind, titles, order):
    folder = tmp_path_factory.getbasetemp()
    names = ["A", "B-2", "王 明"]
    for column, name in enumerate(["reference", *names]):
        lines = "".join(f"{row[column]}\n" for row in rows)
        (folder / f"{name}.txt").write_text(lines, encoding="utf-8")
    plain = [folder / f"{name}.txt" for name in ("reference", *names)]
    expected = scores_of(plain[0], plain[1:])

    numbered = [[str(number), *row] for number, row in enumerate(rows, 1)]
    header = ["题号", "参考译文", *names]
    above = [["标题", *[""] * 4], ["", "说明", "", "", ""]][:titles]
    path = table(folder, kind, [*above, header, *numbered])
    by_name = [names, ["A-王明"], ["A-B-2", 5], ["a", "rest"], ["rest"]]
    for words in (*by_name, [3, 4, 5], ["3-5"], ["3-"]):
        assert scores_of(path, fields=Fields(hyp=words)) == expected, words
    long = [[name, *row[:2], row[k]] for row in numbered for k, name in enumerate(names, 2)]
    order.shuffle(long)
    # As in files of spreadsheets, rows above the titles have as many cells as all others.
    above = [row[:4] for row in above]
    path = table(folder, kind, [*above, ["姓名", "题号", "参考译文", "译文"], *long])
    of_long = scores_of(path, fields=Fields(system="姓名"))
    ids = [*dict.fromkeys(int(row[1]) for row in long)]
    in_order = {
        name: (score, [statistics[number - 1] for number in ids])
        for name, (score, statistics) in expected.items()
    }
    assert {name: of_long[name] for name in names} == in_order


@settings(max_examples=30)
@given(
    segments=st.lists(st.tuples(TEXTS, TEXTS, st.booleans()), min_size=2, max_size=8),
    name=st.sampled_from(["kaldi", "trn", "jsonl"]),
)
def test_missing_outputs_are_empty_or_left_out(tmp_path_factory, segments, name):
    segments[0] = (*segments[0][:2], True)  # not all are missing
    folder = tmp_path_factory.getbasetemp()
    sample = corpus_samples.SAMPLES[name]
    for side, n in (("ref", 0), ("hyp", 1)):
        lines = sample.write([(side, side, [row[n] for row in segments])]).splitlines(True)
        has_line = [side == "ref" or row[2] for row in segments]
        kept = [line for line, has in zip(lines, has_line, strict=True) if has]
        (folder / side).write_text("".join(kept), "utf-8")
    for missing, outputs in (
        ("empty", [(ref, hyp if has else "") for ref, hyp, has in segments]),
        ("skip", [(ref, hyp) for ref, hyp, has in segments if has]),
    ):
        read = celab.Campaign.read(folder / "ref", folder / "hyp", missing=missing, format=name)
        (score,) = read.score("chrf", check=False).scores["chrf"].values()
        expected = celab.Chrf().corpus_score(
            [hyp for _, hyp in outputs], [[ref for ref, _ in outputs]]
        )
        assert score.score == expected.score
        assert score.signature == expected.signature.with_part("missing", missing)


@pytest.mark.filterwarnings("ignore::celab.InputWarning")
@settings(max_examples=30)
@given(segments=SEGMENTS)
def test_files_of_the_same_segments_have_the_same_scores(tmp_path_factory, segments):
    folder = tmp_path_factory.getbasetemp()
    expected = scored(folder, "plain", segments)
    for name in FORMATS:
        assert scored(folder, name, segments) == expected, name
