"""Results of batch APIs, paths of fields, names without case and n-best lists in tables."""

import json

import pytest

from celab import corpus
from celab.base.errors import InputError
from celab.corpus import Fields
from celab.corpus.formats.json_text import paths_of, value_at
from celab.nbest.nbest import NBestList


def lines(*records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def openai(id, message, **more):
    return {"custom_id": id, "response": {"body": {"choices": [{"message": message}], **more}}}


def anthropic(id, *parts):
    return {"custom_id": id, "result": {"type": "succeeded", "message": {"content": [*parts]}}}


def test_every_api_is_read(put):
    rows = [
        openai("r-3", {"content": "丙"}),
        {"custom_id": "r-1", "response": {"body": {"choices": [{"text": "甲"}]}}},
        openai("r-2", {"content": None, "refusal": "I'm sorry."}),
        anthropic("r-4", {"type": "text", "text": "丁"}, {"type": "text", "text": "戊"}),
        {
            "custom_id": "r-5",
            "response": {
                "body": {
                    "output": [
                        {"type": "reasoning", "summary": []},
                        {"type": "message", "content": [{"type": "output_text", "text": "己"}]},
                    ]
                }
            },
        },
    ]
    refs = put("ref.zh", "一\n二\n三\n四\n五\n")
    texts = corpus.read([refs], [put("out.jsonl", lines(*rows))])
    assert texts.hyps == ["甲", "I'm sorry.", "丙", "丁戊", "己"]
    assert texts.refs == [["一", "二", "三", "四", "五"]]


def test_a_request_that_failed_is_a_segment_that_the_system_lacks(put):
    refs = put("ref.zh", "一\n二\n三\n四\n")
    failed = {"custom_id": "1", "response": None, "error": {"code": "expired"}}
    path = put(
        "out.jsonl", lines(openai("3", {"content": "丁"}), failed, openai("0", {"content": "甲"}))
    )
    with pytest.raises(InputError, match="segment 1, segment 2"):
        corpus.read([refs], [path])
    texts = corpus.read([refs], [path], skip_missing=True)
    assert (texts.hyps, texts.refs, texts.n_left_out) == (["甲", "丁"], [["一", "四"]], 2)


def test_ids_without_numbers_join_by_id_only(put):
    path = put("out.jsonl", lines(openai("b", {"content": "乙"}), openai("a", {"content": "甲"})))
    with pytest.raises(InputError):
        corpus.read([put("ref.zh", "一\n二\n")], [path])
    refs = put("ref.jsonl", lines({"id": "a", "ref": "一"}, {"id": "b", "ref": "二"}))
    assert corpus.read([refs], [path]).hyps == ["甲", "乙"]


def test_a_field_is_a_path(put):
    refs = put("ref.zh", "一\n二\n")
    rows = [openai(str(n), {"content": text}) for n, text in enumerate("甲乙")]
    path = put("out.jsonl", lines(*rows))
    fields = Fields(hyp=["response.body.choices.0.message.content"])
    assert corpus.read([refs], [path], fields=fields).hyps == ["甲", "乙"]
    texts = put("texts.jsonl", lines({"x": [{"y": ["甲", "乙"]}]}, {"x": [{"y": ["丙", "丁"]}]}))
    assert corpus.read([refs], [texts], fields=Fields(hyp=["x.0.y.1"])).hyps == ["乙", "丁"]
    with pytest.raises(InputError):
        corpus.read([refs], [texts], fields=Fields(hyp=["x.0.y.2"]))


def test_the_longest_name_wins_over_a_path():
    values = {"a.b": {"c": 1}, "a": {"b": {"c": 2}, "b.c": 3}, "l": [{"x": 4}, {"x": 5}], "e": []}
    assert [value_at(values, path) for path in ("a.b.c", "a.b", "l.1.x")] == [1, {"c": 1}, 5]
    assert [value_at(values, path) for path in ("l.2.x", "l.x", "e.0", "a.b.c.d", "", ".")] == [
        None
    ] * 6
    assert list(paths_of(values)) == ["a.b.c", "a.b.c", "a.b.c", "l.0.x", "l.1.x", "e"]


@pytest.mark.parametrize("suffix", ["jsonl", "tsv", "csv"])
def test_names_match_without_case(put, suffix):
    row = {"ID": "7", "Source": "x", "Reference": "甲", "MT": "一"}
    mark = {"tsv": "\t", "csv": ","}.get(suffix, "")
    table = f"{mark.join(row)}\n{mark.join(row.values())}\n"
    path = put(f"t.{suffix}", lines(row) if suffix == "jsonl" else table)
    texts = corpus.read([path])
    assert (texts.refs, texts.hyps, texts.source) == ([["甲"]], ["一"], ["x"])
    assert texts.segments[0].id == "7"
    assert corpus.read([path], fields=Fields(ref=["reference"], hyp=["mt"])).hyps == ["一"]


def test_case_counts_if_names_differ_by_nothing_else(put):
    path = put("t.jsonl", lines({"Ref": "甲", "REF": "乙", "ref": "丙", "hyp": "一"}))
    assert corpus.read([path]).refs == [["丙"]]
    assert corpus.read([path], fields=Fields(ref=["REF"])).refs == [["乙"]]
    with pytest.raises(InputError):
        corpus.read([path], fields=Fields(ref=["rEF"]))


def test_a_list_of_texts_is_an_nbest_list(put):
    row = {"id": 4, "ref": "甲", "candidates": ["一", "二"]}
    path = put("t.jsonl", lines(row))
    with pytest.raises(InputError):
        corpus.read([path])
    with pytest.raises(InputError):
        corpus.read([path], fields=Fields(hyp=["candidates"]))
    sentences = put("s.jsonl", lines({"ref": "甲", "hyp": ["一。", "二。"]}))
    assert corpus.read([sentences]).hyps == ["一。\n二。"]  # of one text
    (sentence,) = NBestList(path)
    assert (sentence.id, [x.text for x in sentence.candidates]) == (4, ["一", "二"])
    scored = {"id": 4, "candidates": [{"text": "一", "score": -1}, {"hyp": "二", "weight": 1}]}
    (sentence,) = NBestList(put("s.jsonl", lines(scored)))
    assert [x.score for x in sentence.candidates] == [-1.0, 0.0]
