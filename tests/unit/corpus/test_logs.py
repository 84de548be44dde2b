"""Logs of language models: filters, epochs, several targets, and samples without output."""

import json
from pathlib import Path

import pytest
from conftest import ROOT

from celab import corpus
from celab.base.errors import InputError
from celab.corpus import Fields

FORMATS = ROOT / "../shared/data/formats"


def row(number, output, **others):
    return {
        "doc_id": number,
        "doc": {"source": f"text {number}"},
        "target": " 买雨伞",
        "filtered_resps": [output],
        "filter": "none",
    } | others


def lines(*records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def test_each_filter_is_a_system(put):
    rows = [row(n, text, filter=name) for n in (0, 1) for name, text in (("a", "伞"), ("b", "雨"))]
    texts = corpus.read([put("samples.jsonl", lines(*rows))])
    assert texts.systems == {"a": ["伞", "伞"], "b": ["雨", "雨"]}
    assert (texts.refs, texts.source) == ([["买雨伞", "买雨伞"]], ["text 0", "text 1"])


def test_models_are_joined_by_document(put):
    a = put("a.jsonl", lines(row(0, "伞"), row(1, "雨")))
    b = put("b.jsonl", lines(row(1, "云"), row(0, "风")))
    texts = corpus.read([a], [a, b])
    assert texts.systems == {"a": ["伞", "雨"], "b": ["风", "云"]}


def test_a_list_of_targets_is_written_as_python_does(put):
    rows = [row(0, "伞", target=str(["雨伞", "it's"])), row(1, "雨", target="['伞] 雨")]
    texts = corpus.read([put("s.jsonl", lines(*rows))])
    assert texts.refs == [["雨伞", "['伞] 雨"], ["it's", ""]]
    assert texts.ref_names == ["target 1", "target 2"]


def test_the_caller_may_name_the_fields_of_a_log(put):
    path = put("s.jsonl", lines(row(0, "伞", raw="雨")))
    texts = corpus.read([path], fields=Fields(ref=["target"], hyp=["raw"]))
    assert texts.hyps == ["雨"]


def test_a_log_may_be_aligned(put):
    path = put("s.jsonl", lines(row(0, "他买了一把伞"), row(1, "我们去北京")))
    ref = put("ref.txt", "他买了一把雨伞\n我们明天去北京\n")
    assert corpus.read([ref], [path], align=True).hyps == ["他买了一把伞", "我们去北京"]


def sample(number, output, **others):
    return {"id": number, "epoch": 1, "input": "x", "target": "买雨伞", "output": output} | others


def log(*samples, model="lab/model"):
    return json.dumps({"eval": {"model": model}, "samples": samples}, indent=2)


def test_each_epoch_is_a_system(put):
    said = [sample(1, {"completion": text}, epoch=n) for n, text in ((1, "伞"), (2, "雨"))]
    texts = corpus.read([put("log.json", log(*said))])
    assert texts.systems == {"lab/model epoch 1": ["伞"], "lab/model epoch 2": ["雨"]}


def test_a_failed_request_is_a_missing_segment(put):
    path = put("log.txt", log(sample(1, {"completion": "伞"}), sample(2, {"completion": ""})))
    with pytest.raises(InputError):
        corpus.read([path])
    texts = corpus.read([path], skip_missing=True)
    assert (texts.systems, texts.n_left_out) == ({"lab/model": ["伞"]}, 1)


def test_models_of_two_logs_are_told_apart(put):
    a = put("a.json", log(sample(1, {"completion": "伞"})))
    b = put("b.json", log(sample(1, {"completion": "雨"}), model="lab/other"))
    assert corpus.read([a], [a, b]).systems == {"lab/model": ["伞"], "lab/other": ["雨"]}


def test_logs_must_expect_the_same_of_a_sample(put):
    a = put("a.json", log(sample(1, {"completion": "伞"})))
    b = put("b.json", log(sample(1, {"completion": "雨"}, target="苹果"), model="lab/other"))
    for refs, systems in (([a], [a, b]), ([a, b], []), ([put("r.txt", "买雨伞\n")], [a, b])):
        with pytest.raises(InputError):
            corpus.read(refs, systems)
    assert corpus.read(["r.txt"], [b]).hyps == ["雨"]  # other references may be given


def test_a_match_may_be_repeated(put):
    spec = {"spec": {"completion_fns": ["x"]}}
    match = {"sample_id": 1, "type": "match", "data": {"expected": "雨伞", "sampled": "伞"}}
    assert corpus.read([put("run.jsonl", lines(spec, match, match))]).hyps == ["伞"]


@pytest.mark.skipif(not FORMATS.is_dir(), reason="../shared/data is not there")
@pytest.mark.parametrize(
    ("file", "n_segments"),
    [("lm-eval-samples.jsonl", 2), ("inspect-log.json", 1), ("openai-evals-log.jsonl", 1)],
)
def test_published_shapes(file, n_segments):
    texts = corpus.read([Path(FORMATS, file)])
    assert len(texts.segments) == n_segments and texts.source is not None
    assert all(text == text.strip() for text in (*texts.hyps, *texts.refs[0], *texts.source))
