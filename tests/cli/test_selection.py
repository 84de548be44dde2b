import json

import pytest

from celab import OptionError, corpus
from celab.cli.explain import select
from celab.corpus.model import Corpus, Segment, names_of


def with_ids(*keys):
    return Corpus(segments=[Segment(*key) for key in keys], systems={}, refs=[], ref_names=[])


def test_ids_that_repeat_have_their_document():
    keys = [("a", "1"), ("b", "1"), ("b", "2"), ("c", "007"), ("c", "0")]
    assert names_of([Segment(*key) for key in keys]) == ["a:1", "b:1", 2, "007", 0]


def test_names_come_before_numbers_and_ranges():
    texts = with_ids(("", "3"), ("", "1"), ("", "1-3"), ("", "x"))
    assert select(texts, "3") == [0]  # the id, not the third
    assert select(texts, "1-3") == [2]
    assert select(texts, "4") == [3]  # no id
    assert select(texts, "x,1,x") == [3, 1]
    assert select(texts, "1-2") == [1]  # the second segment has the id 1


def test_a_document_and_an_id():
    texts = with_ids(("a", "1"), ("b", "1"), ("b", "2"))
    assert select(texts, "b:1") == [1]
    assert select(texts, "a:1,2") == [0, 2]
    assert select(texts, "1") == [0]  # its number, because the id repeats
    with pytest.raises(OptionError):
        select(texts, "a:1,c:1")


def test_numbers_are_those_of_the_file(tmp_path):
    def write(name, rows):
        lines = [json.dumps({"id": key, name: text}, ensure_ascii=False) for key, text in rows]
        path = tmp_path / f"{name}.jsonl"
        path.write_text("\n".join([*lines, ""]), "utf-8")
        return path

    refs = write("ref", [("a", "买雨伞"), ("b", "去北京"), ("c", "天气好")])
    hyps = write("hyp", [("a", "买伞"), ("c", "天气")])
    texts = corpus.read(refs, hyps, skip_missing=True)
    assert texts.names == ["a", "c"] and texts.numbers == [1, 3]
    assert select(texts, "c") == select(texts, "3") == [1]
    with pytest.raises(OptionError):
        select(texts, "2")


def test_some_segments_keep_their_names():
    texts = Corpus(
        segments=[Segment("", str(n)) for n in range(1, 5)],
        systems={"A": ["a", "b", "c", "d"]},
        refs=[["1", "2", "3", "4"]],
        ref_names=["ref"],
        source=["w", "x", "y", "z"],
    )
    some = texts.keep([1, 3])
    assert some.names == [2, 4] and some.hyps == ["b", "d"]
    assert (some.refs, some.source) == ([["2", "4"]], ["x", "z"])
    assert select(some, "4") == [1] and select(texts, "4") == [3]
    assert some.keep([1]).place_of("4") == 0
