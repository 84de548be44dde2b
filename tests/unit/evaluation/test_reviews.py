"""Reviews of a report: which outputs they are of, and which are of other texts."""

import json

import pytest

from celab import Campaign
from celab.base.errors import InputError, InputWarning
from celab.corpus import Corpus, Segment
from celab.evaluation.reviews import COLUMNS, page_data, read_reviews

OUTPUTS = {"a": ["买 雨伞\t吗", "你好"], "b": ["买伞", "再见"]}
HEAD = "\t".join(COLUMNS)


@pytest.fixture
def corpus():
    return Corpus([Segment("", "1"), Segment("", "2")], OUTPUTS, [["买伞", "你好"]], ["ref"])


def written(path, *lines):
    path.write_text("\n".join((HEAD, *lines)) + "\n", "utf-8")
    return path


def test_a_table_has_spaces_in_place_of_tabs(corpus, tmp_path):
    path = written(tmp_path / "r.tsv", "a\t1\tmajor\tStyle/Awkward\t1\t\t买 雨伞 吗", "")
    (review,) = read_reviews(path, corpus).current
    assert (review.system, review.segment, review.severity) == ("a", 1, "major")
    assert review.category == "Style/Awkward" and review.star and review.note == ""


@pytest.mark.parametrize(
    "line",
    [
        "a\t2\tminor\t\t0\t\t你们好",  # another text
        "a\t3\tminor\t\t0\t\t你好",  # a segment that is not there
        "c\t2\tminor\t\t0\t\t你好",  # a system that is not there
        "b\t2\tminor\t\t0\t\t你好",  # the output of another system
    ],
)
def test_a_review_of_another_text_is_stale(corpus, tmp_path, line):
    path = written(tmp_path / "r.tsv", "a\t1\tmajor\t\t\t\t买 雨伞 吗", line)
    reviews = read_reviews(path, corpus)
    assert [review.where for review in reviews.current] == ["line 2"]
    assert [review.where for review in reviews.stale] == ["line 3"]
    data = page_data(reviews, corpus)
    assert [row[:2] for row in data["reviews"]] == [[0, 0]]
    assert data["stale_reviews"][0]["output"] == line.split("\t")[-1]
    (warning,) = reviews.warnings
    system, segment, *_ = line.split("\t")
    assert f"(line 3: segment {segment} of {system})" in warning


@pytest.fixture
def named():
    """A corpus whose segments have ids, and of which one was skipped."""
    segments = [Segment("menu", name) for name in ("open", "two\nlines", "3", "4")]
    outputs = {"a": ["打开", "两行", "好的", "好的吗"]}
    return Corpus(segments, outputs, [["打开"] * 4], ["ref"], numbers=[1, 2, 4, 5])


@pytest.mark.parametrize(
    ("lines", "places"),
    [
        (["open\t打开", "two lines\t两行", "3\t好的", "4\t好的吗"], [0, 1, 2, 3]),
        (["1\t打开", "2\t两行", "3\t好的"], [0, 1, 2]),  # by place, as older versions saved them
        (["3\t好的", "4\t好的"], [2]),  # the name, not the number in the file
    ],
)
def test_segments_have_their_names(named, tmp_path, lines, places):
    rows = [line.split("\t") for line in lines]
    path = written(tmp_path / "r.tsv", *(f"a\t{x}\tminor\t\t0\t\t{text}" for x, text in rows))
    reviews = read_reviews(path, named)
    assert [review.place for review in reviews.current] == places
    assert [row[1] for row in page_data(reviews, named)["reviews"]] == places
    assert len(reviews.current) + len(reviews.stale) == len(lines)


def test_names_in_json(named, tmp_path):
    review = dict(zip(COLUMNS, ["a", "two\nlines", "", "", True, "", "两行"], strict=True))
    value = {"format": "celab-reviews", "version": 1, "categories": [], "reviews": [review]}
    path = tmp_path / "r.json"
    path.write_text(json.dumps(value), "utf-8")
    (current,) = read_reviews(path, named).current
    assert (current.segment, current.place) == ("two\nlines", 1)
    review["segment"] = 1.5
    path.write_text(json.dumps(value), "utf-8")
    with pytest.raises(InputError, match=r"reviews\[0\]\.segment is 1\.5; it must be"):
        read_reviews(path, named)


def test_json_has_categories_and_whole_notes(corpus, tmp_path):
    review = dict(zip(COLUMNS, ["b", 2, "", "", False, "two\nlines", "再见"], strict=True))
    value = {"format": "celab-reviews", "version": 1, "categories": ["x"], "reviews": [review]}
    path = tmp_path / "r.json"
    path.write_text(json.dumps(value), "utf-8")
    reviews = read_reviews(path, corpus)
    assert reviews.current[0].note == "two\nlines" and reviews.warnings == []
    assert page_data(reviews, corpus)["categories"] == ["x"]
    review["star"] = 1
    path.write_text(json.dumps(value), "utf-8")
    with pytest.raises(InputError, match=r"reviews\[0\].star is 1; it must be true or false"):
        read_reviews(path, corpus)


def test_a_file_without_reviews_is_none(corpus, tmp_path):
    reviews = read_reviews(written(tmp_path / "r.tsv"), corpus)
    assert reviews.current == reviews.stale == ()


def test_a_campaign_warns_and_the_page_has_the_reviews(corpus, tmp_path):
    path = written(tmp_path / "r.tsv", "a\t2\tmajor\t\t1\t\t你好", "b\t1\tminor\t\t0\told\t买")
    campaign = Campaign(corpus).score("chrf")
    with pytest.warns(InputWarning, match="1 review is of an output that the texts do not have"):
        page = campaign.html(reviews=path)
    wanted = '"reviews":[[0,1,{"severity":"major","category":"","star":true,"note":""}]]'
    assert wanted in page and '"note":"old"' in page
    assert campaign.html() != page
