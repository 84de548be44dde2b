"""Folders of judged translations, and tables of scores."""

from __future__ import annotations

import gzip
import warnings

import numpy as np
import pytest

import celab
from celab import Campaign
from celab.agreement import dataset, scores
from celab.base.errors import InputError, OptionError
from celab.people import score_files

NAN = float("nan")
TEXTS = {
    "ref-A.txt": "一\n二\n三\n",
    "ref-B.txt": "甲\n\n丙\n",
    "hyp/x.txt": "一\n二\n\n",
    "hyp/y.txt": "<一>\n二\n四\n",
}
SEGMENTS = "system\tsegment\tscore\tn_ratings\nx\t0\t80\t1\nx\t2\t60.5\t1\ny\t0\t-7\t1\n"


@pytest.fixture
def folder(tmp_path):
    """Writes the texts and more files; gives the folder."""

    def make(without=(), **files):
        named = {name.replace("__", "."): text for name, text in files.items()}
        named = {name.replace("_", "-"): text for name, text in named.items()}
        place = tmp_path / "set"
        for name, text in (TEXTS | named).items():
            if name not in without:
                (place / name).parent.mkdir(parents=True, exist_ok=True)
                data = text if isinstance(text, bytes) else text.encode()
                (place / name).write_bytes(data)
        return place

    return make


def test_the_layout(folder):
    found_in = folder(human_seg__tsv=SEGMENTS, src__txt="a\nb\nc\n")
    found = dataset.read(found_in)
    assert found.name == "set"
    assert found.systems == ("x", "y")
    files = [found.corpus.file_of(name) for name in found.corpus.systems]
    assert files == [f"{found_in}/hyp/{name}.txt" for name in "xy"]
    assert found.corpus.systems["y"] == [
        "<一>",
        "二",
        "四",
    ]  # plain text, whatever it begins with
    assert found.references == ("A", "B")
    assert found.corpus.refs[1] == ["甲", "", "丙"]
    assert found.corpus.source == ["a", "b", "c"]
    np.testing.assert_array_equal(found.people.segments, [[80, NAN, 60.5], [-7, NAN, NAN]])
    assert found.people.systems_from == "human-seg.tsv"
    assert found.people.judges["rankings.tsv"] == []
    assert (found.unjudged, found.without_output) == ((), ())


def test_references_are_chosen_in_the_given_order(folder):
    place = folder(human_seg__tsv=SEGMENTS)
    found = dataset.read(place, ["B", "A"])
    assert found.references == ("B", "A")
    assert found.corpus.refs == [["甲", "", "丙"], ["一", "二", "三"]]
    with pytest.raises(OptionError):
        dataset.read(place, ["C"])


def test_compressed_files(folder):
    place = folder(
        without=["hyp/x.txt"],
        human_sys__tsv__gz=gzip.compress(b"system\tscore\nx\t1\ny\t2\n"),
        **{"hyp/x__txt__gz": gzip.compress("一\n二\n三\n".encode())},
    )
    assert dataset.read(place).people.systems.tolist() == [1.0, 2.0]
    assert dataset.read(place).systems == ("x", "y")


@pytest.mark.parametrize("column", score_files.JUDGES)
def test_the_score_is_the_mean_over_judges(folder, column):
    rows = f"{column}\tscore\tsystem\tsegment\np\t4\tx\t0\nq\t1\tx\t0\nq\t3\ty\t1\n"
    found = dataset.read(folder(human_seg__tsv=rows))
    np.testing.assert_array_equal(found.people.segments, [[2.5, NAN, NAN], [NAN, 3, NAN]])
    first, second = found.people.judges["human-seg.tsv"]  # the second judge's y is in the first
    np.testing.assert_array_equal(first, [[4, NAN, NAN], [NAN, 3, NAN]])
    np.testing.assert_array_equal(second, [[1, NAN, NAN], [NAN, NAN, NAN]])


def test_rankings(folder):
    rows = "segment\tjudge\tsystem\trank\n0\tp\tx\t1\n0\tp\ty\t2\n0\tq\tx\t2\n0\tq\ty\t2\n"
    found = dataset.read(folder(rankings__tsv=rows))
    first, second = found.people.judges["rankings.tsv"]
    np.testing.assert_array_equal(first, [[-1, NAN, NAN], [-2, NAN, NAN]])
    np.testing.assert_array_equal(second, [[-2, NAN, NAN], [-2, NAN, NAN]])
    assert found.people.n_translations == 0


def test_rankings_make_scores_of_systems_if_no_segment_has_one(folder):
    rows = "segment\tsystem\trank\n3\tx\t2\n3\ty\t1\n"
    nothing = "system\tsegment\tscore\nx\t0\tNone\nz\t0\t5\n"
    people = dataset.read(folder(rankings__tsv=rows, human_seg__tsv=nothing)).people
    assert (people.systems_from, people.systems.tolist()) == ("rankings.tsv", [0, 1])


def test_rankings_of_one_judge_need_no_column(folder):
    place = folder(rankings__tsv="segment\tsystem\trank\n1\tx\t2\n1\ty\t1\n")
    found = dataset.read(place, count_from=0)
    (ranks,) = found.people.judges["rankings.tsv"]
    np.testing.assert_array_equal(ranks, [[NAN, -2, NAN], [NAN, -1, NAN]])


@pytest.mark.parametrize("header", ["", "segment\tbetter\tworse\n"])
def test_pairs(folder, header):
    found = dataset.read(folder(pairs__tsv=f"{header}2\tx\ty\n0\ty\tx\n2\tx\ty\n1\tx\tman\n"))
    people = found.people
    assert people.preferences.tolist() == [[2, 0, 1], [0, 1, 0], [2, 0, 1]]
    assert (people.systems_from, people.pairs_from) == ("pairs.tsv", "pairs.tsv")
    np.testing.assert_allclose(people.systems, [2 / 3, 1 / 3])
    assert found.without_output == ("man",)
    some = people.select(np.array([True, False, True]))
    assert some.preferences.tolist() == [[1, 0, 1], [0, 1, 0], [1, 0, 1]]
    only = people.select(np.array([False, True, True]))
    assert only.preferences.tolist() == [[1, 0, 1], [1, 0, 1]]
    assert only.systems.tolist() == [1, 0]


def test_pairs_beside_scores(folder):
    people = dataset.read(folder(pairs__tsv="0\tx\ty\n", human_seg__tsv=SEGMENTS)).people
    assert (people.systems_from, people.pairs_from) == ("human-seg.tsv", "pairs.tsv")
    assert people.n_translations == 3


def test_files_of_the_wmt_metrics_tasks(folder):
    segments = "y\t1\nx\tNone\ny\tNone\nx\t5\nx\t6\ny\t3\nrefB\t1\nrefB\t1\nrefB\t1\n"
    found = dataset.read(folder(human_seg__tsv=segments, human_sys__tsv="x\t0.5\ny\tNone\n"))
    np.testing.assert_array_equal(found.people.segments, [[NAN, 5, 6], [1, NAN, 3]])
    np.testing.assert_array_equal(found.people.systems, [0.5, NAN])
    assert found.without_output == ("refB",)


def test_one_segment_without_a_header(folder):
    texts = {"ref-A.txt": "一\n", "hyp/x.txt": "一\n", "hyp/y.txt": "二\n"}
    place = folder(without=["ref-B.txt"], human_seg__tsv="x\t3\ny\t4\n")
    for name, text in texts.items():
        (place / name).write_text(text, "utf-8")
    np.testing.assert_array_equal(dataset.read(place).people.segments, [[3], [4]])


def test_systems_that_nobody_judged_are_left_out(folder):
    found = dataset.read(folder(human_sys__tsv="system\tscore\nx\t1\ny\tNone\n"))
    assert (found.systems, len(found.corpus.systems)) == (("x",), 1)
    assert found.unjudged == ("y",)


@pytest.mark.parametrize(
    ("without", "message"),
    [
        (["ref-A.txt", "ref-B.txt"], "has no ref-NAME.txt; it must hold ref-NAME.txt, hyp/SYS"),
        (["hyp/x.txt", "hyp/y.txt"], "has no hyp/SYSTEM.txt; it must hold"),
    ],
)
def test_texts_must_be_there(folder, without, message):
    with pytest.raises(InputError, match=message):
        dataset.read(folder(without=without, human_seg__tsv=SEGMENTS))


@pytest.fixture
def given(tmp_path):
    def read(text, systems=("x", "y"), n_segments=2, name="comet", **settings):
        path = tmp_path / "comet.tsv"
        path.write_text(text, "utf-8")
        texts = ["一"] * n_segments
        corpus = Campaign.from_lists(dict.fromkeys(systems, texts), texts).corpus
        return scores.read(name, path, corpus, **settings)

    return read


@pytest.mark.parametrize(
    "text",
    [
        "system\tsegment\tscore\ny\t1\t4\nx\t0\t1\nx\t1\t2\ny\t0\t3\nrefA\t0\t9\n",  # from 0
        "system\tsegment\tscore\nx\t1\t1\nx\t2\t2\ny\t1\t3\ny\t2\t4\n",  # from 1
        "x\t1\nx\t2\ny\t3\ny\t4\n",  # in order
        "metric\tsystem\tsegment\tscore\na\tx\t0\t9\n"
        "comet\tx\t0\t1\ncomet\tx\t1\t2\ncomet\ty\t0\t3\ncomet\ty\t1\t4\n",
        "system\tsegment\tscore\nset/hyp/x.txt\t1\t1\nset/hyp/x.txt\t2\t2\n"
        "y.txt.gz\t1\t3\ny.txt.gz\t2\t4\n",
        "system\tsegment\tscore\nout/x.zh\t0\t1\nout/x.zh\t1\t2\ny.zh\t0\t3\ny.zh\t1\t4\n",
    ],
)
def test_outside_scores_of_segments(given, text):
    found = given(text)
    np.testing.assert_array_equal(found.segments, [[1, 2], [3, 4]])
    np.testing.assert_array_equal(found.systems, [1.5, 3.5])
    assert found.statistics.shape == (2, 2, 1)
    assert (found.name, found.signature) == ("comet", "comet|given:comet.tsv")


@pytest.mark.parametrize("header", ["", "system\tscore\tmore\n"])
def test_outside_scores_of_systems(given, header):
    end = "\t-\n" if header else "\n"
    found = given(f"{header}y\t3{end}x\t1{end}", higher_is_better=False)
    assert (found.systems.tolist(), found.segments, found.statistics) == ([1, 3], None, None)
    assert found.sign == -1


def test_outside_scores_of_the_only_system(given):
    found = given("segment\tscore\n1\t5\n2\t6\n", systems=["nmt"])
    np.testing.assert_array_equal(found.segments, [[5, 6]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system\tsegment\tscore\nx\t0\t1\nx\t1\t1\n", "comet.tsv has no score for system y"),
        ("x\t1\ny\tNone\n", "line 2: the score is missing; a metric must score every"),
    ],
)
def test_bad_outside_scores(given, text, message):
    with pytest.raises(InputError) as caught:
        given(text)
    assert message in str(caught.value)


REFERENCE = ["他买了一把雨伞", "我们明天去北京", "天气很好我们走", "谢谢你的帮助啊"]


@pytest.fixture
def turned(tmp_path):
    """A folder of systems that lose more and more of the reference, and their scores."""
    (tmp_path / "hyp").mkdir()
    (tmp_path / "ref-A.txt").write_text("\n".join([*REFERENCE, ""]), "utf-8")
    for lost in range(5):
        lines = [text[: len(text) - lost] for text in REFERENCE]
        (tmp_path / "hyp" / f"s{lost}.txt").write_text("\n".join([*lines, ""]), "utf-8")
    rows = [f"s{lost}\t{{}}\n" for lost in range(5)]
    for name, figures in {"human-sys.tsv": range(5), "x.tsv": range(5)}.items():
        text = "".join(row.format(n) for row, n in zip(rows, figures, strict=True))
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_judgments_that_are_turned_round_are_told(turned):
    told = "every metric correlates negatively .* if lower is better, add human_lower_is_better$"
    with pytest.warns(celab.InputWarning, match=told):
        celab.meta.evaluate(turned, ["chrf", "bleu"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = celab.meta.evaluate(turned, ["chrf", "bleu"], human_lower_is_better=True)
    assert found.metrics["chrf"].figures["spearman"].value == 1.0
    errors = "system\tsegment\tscore\ns0\t0\t1\ns1\t0\t2\n"  # of segments, likewise
    (turned / "human-seg.tsv").write_text(errors, "utf-8")
    read = dataset.read(turned, human_lower_is_better=True)
    assert read.people.segments[:2, 0].tolist() == [-1, -2]


def test_a_metric_that_is_turned_round_is_told(turned):
    settings = {"scores": {"x": turned / "x.tsv"}, "human_lower_is_better": True}
    with pytest.warns(celab.InputWarning, match="lower_is_better='x'"):
        celab.meta.evaluate(turned, ["chrf"], **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        celab.meta.evaluate(turned, ["chrf"], lower_is_better=["x"], **settings)


def test_a_direction_that_is_given_in_vain_is_told(turned):
    rows = "".join(f"s{lost}\t{5 - lost}\n" for lost in range(5))
    (turned / "human-sys.tsv").write_text(rows, "utf-8")
    with pytest.warns(celab.InputWarning, match="every metric .* remove human_lower_is_better$"):
        celab.meta.evaluate(turned, ["chrf"], human_lower_is_better=True)


def test_a_reference_in_the_place_of_a_system_is_told(turned):
    lines = [*REFERENCE, "我在这里等你", ""]
    for name in ("ref-A.txt", "hyp/human.txt"):
        (turned / name).write_text("\n".join(lines), "utf-8")
    for lost in range(5):
        with (turned / "hyp" / f"s{lost}.txt").open("a", encoding="utf-8") as file:
            file.write("我在\n")
    with (turned / "human-sys.tsv").open("a", encoding="utf-8") as file:
        file.write("human\t-1\n")
    with pytest.warns(celab.InputWarning):
        celab.meta.evaluate(turned, ["chrf"], human_lower_is_better=True)
