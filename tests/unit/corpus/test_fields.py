"""Which fields are taken for what if nobody names them, and what is proposed if none is known."""

import json

import pytest
from commands import refusal, run
from workbooks import workbook

from celab import corpus
from celab.base.errors import InputError
from celab.corpus import Fields
from celab.corpus.formats.json_text import paths_of

ROWS = [
    {"id": 1, "translation": {"en": "An umbrella", "zh": "雨伞"}, "prediction": "伞"},
    {"id": 2, "translation": {"en": "Go", "zh": "去北京"}, "prediction": "去"},
]


def lines(*records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


@pytest.mark.parametrize("name", ["prediction", "predictions"])
@pytest.mark.parametrize("suffix", ["jsonl", "json", "tsv", "csv"])
def test_target_beside_predictions_is_the_reference(put, name, suffix):
    rows = [
        {"source": "x", "target": "甲", name: "一"},
        {"source": "y", "target": "乙", name: "二"},
    ]
    mark = {"tsv": "\t", "csv": ","}.get(suffix, "")
    table = [mark.join(rows[0]), *(mark.join(row.values()) for row in rows)]
    content = {"jsonl": lines(*rows), "json": json.dumps(rows)}.get(suffix, "\n".join(table))
    texts = corpus.read([put(f"t.{suffix}", content)])
    assert (texts.refs, texts.hyps, texts.source) == ([["甲", "乙"]], ["一", "二"], ["x", "y"])


@pytest.mark.parametrize("suffix", ["jsonl", "json", "tsv", "csv", "xlsx"])
@pytest.mark.parametrize(
    "names",
    [
        ("原文", "参考译文", "译文"),
        ("原文", "參考譯文", "機器譯文"),
        ("原文", "参考译文", "系统译文"),
    ],
)
def test_chinese_names(put, suffix, names):
    rows = [
        dict(zip(names, texts, strict=True))
        for texts in (("Buy", "买伞", "买"), ("Go", "去", "走"))
    ]
    cells = [[*names], *([*row.values()] for row in rows)]
    content = {
        "jsonl": lines(*rows),
        "json": json.dumps(rows),
        "xlsx": workbook(cells),
    }.get(suffix, "\n".join({"tsv": "\t", "csv": ","}.get(suffix, "").join(row) for row in cells))
    texts = corpus.read([put(f"t.{suffix}", content)])
    assert (texts.refs, texts.hyps, texts.source) == ([["买伞", "去"]], ["买", "走"], ["Buy", "Go"])


def test_target_alone_is_no_reference(put):
    path = put("t.jsonl", lines({"source": "x", "target": "甲"}))
    right = r"name the fields, such as fields=Fields\(ref=\['target'\]\)"
    with pytest.raises(InputError, match=rf"the fields source, target, but none .*; {right}"):
        corpus.read([path], [put("h", "一\n")])
    beside = put("b.jsonl", lines({"target": "甲", "mt": "一"}))
    with pytest.raises(InputError):
        corpus.read([beside])
    assert corpus.read([beside], fields=Fields(ref=["target"])).refs == [["甲"]]


def test_a_reference_of_its_own_wins_over_target(put):
    path = put("t.jsonl", lines({"ref": "甲", "target": "丙", "prediction": "一"}))
    assert corpus.read([path]).refs == [["甲"]]


def test_predictions_of_metrics_beside_a_hypothesis_are_left_alone(put):
    # MetricX writes its score there.
    path = put("t.jsonl", lines({"reference": "甲", "hypothesis": "一", "prediction": 3.5}))
    assert corpus.read([path]).hyps == ["一"]


@pytest.mark.parametrize(("code", "lang"), [("zh", None), ("zh-CN", "zh"), ("zho_Hans", None)])
def test_rows_of_hugging_face(put, code, lang):
    rows = [row | {"translation": {"en": "x", code: row["translation"]["zh"]}} for row in ROWS]
    texts = corpus.read([put("t.jsonl", lines(*rows))], lang=lang)
    assert (texts.refs, texts.hyps) == ([["雨伞", "去北京"]], ["伞", "去"])
    assert texts.source == ["x", "x"]


def test_the_language_says_which_side_is_the_reference(put):
    path, hyp = put("t.jsonl", lines(*ROWS)), put("h.txt", "Umbrella\nGo\n")
    texts = corpus.read([path], [hyp], lang="en")
    assert (texts.refs, texts.source) == ([["An umbrella", "Go"]], ["雨伞", "去北京"])
    plain = put("r.txt", "An umbrella\nGo\n")
    done, expected = (run("score", "-q", "--lang", "en", ref, hyp) for ref in (path, plain))
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected.stdout


def test_one_of_several_scripts_must_be_named(put):
    both = {"translation": {"zh-CN": "云", "zh-TW": "雲", "en": "cloud"}, "hyp": "云"}
    path = put("t.jsonl", lines(both))
    with pytest.raises(InputError):
        corpus.read([path])
    named = corpus.read([path], fields=Fields(ref=["translation.zh-TW"], source="translation.en"))
    assert (named.refs, named.source) == ([["雲"]], ["cloud"])
    exact = put("e.jsonl", lines({"translation": {"zh": "云", "zh-TW": "雲"}, "hyp": "云"}))
    assert corpus.read([exact]).refs == [["云"]]


def test_a_field_may_have_a_dot_in_its_name(put):
    path = put("t.jsonl", lines({"a.b": "甲", "a": {"b": "乙"}, "hyp": "一"}))
    assert corpus.read([path], fields=Fields(ref=["a.b"])).refs == [["甲"]]


@pytest.mark.parametrize("flags", [[], ["--segments"]])
def test_a_header_of_tsv_names_its_columns_as_that_of_csv(put, flags):
    tsv = put("t.tsv", '"hyp"\t"ref"\n"伞"\t"雨伞"\n' if flags else "hyp\tref\n伞\t雨伞\n")
    csv = put("t.csv", "hyp,ref\n伞,雨伞\n")
    done, expected = (run("score", "-q", *flags, file, encoding="utf-8") for file in (tsv, csv))
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected.stdout
    ref, hyp = put("r.txt", "雨伞\n"), put("h.tsv", "id\thyp\n7\t伞\n")
    alone = run("score", "-q", *flags, ref, hyp, encoding="utf-8")
    assert alone.returncode == 0, alone.stderr
    assert (
        alone.stdout.splitlines()[-1].split("\t")[1:3]
        == done.stdout.splitlines()[-1].split("\t")[1:3]
    )


@pytest.mark.parametrize(
    ("row", "flags"),
    [
        ({"input": "x", "gold": "甲", "model_output": "一"}, "gold --hyp-fields model_output"),
        ({"a": "甲", "b": "一"}, "a --hyp-fields b"),
        ({"id": 3, "a b": "甲", "response": "一"}, "'a b' --hyp-fields response"),
        ({"x": {"target": "甲", "completion": "一"}}, "x.target --hyp-fields x.completion"),
    ],
)
def test_the_proposed_command_works(put, row, flags):
    path = put("t.jsonl", lines(row))
    told = refusal("score", path)
    assert f"; name the fields, such as --ref-fields {flags}" in told
    ref, _, hyp = (part.strip("'") for part in flags.rpartition(" --hyp-fields "))
    done = run("score", "-q", "--ref-fields", ref, "--hyp-fields", hyp, path, encoding="utf-8")
    assert done.returncode == 0, done.stderr


def test_fields_of_eight_levels_and_four_items_are_known():
    value = {"a": "甲"}
    for _ in range(9):
        value = {"a": value}
    assert [*paths_of(value)] == [".".join("a" * 8)]
    assert [*paths_of({"a": [{"b": "甲"}] * 5})] == ["a.0.b", "a.1.b", "a.2.b", "a.3.b"]
