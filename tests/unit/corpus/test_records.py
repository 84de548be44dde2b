"""TSV and JSONL: which fields are taken for what, and what is said if they cannot be."""

import csv
import gzip
import io
import json

import pytest

from celab import corpus
from celab.base.errors import InputError, InputWarning
from celab.corpus import Fields, Segment

NAMED = 'doc\tseg\tsrc\tA\tB\tone\ttwo\nd\t1\tx\t甲\t\t“一\t壹\nd\t2\ty\t乙\t贰\t"二\t两\n'


def lines(*records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def test_columns_by_name(put):
    fields = Fields(["A", "B"], ["one", "two"], "src", "doc", "seg")
    path = put("all.tsv", NAMED)
    texts = corpus.read([path], fields=fields)
    assert texts.segments == [Segment("d", "1"), Segment("d", "2")]
    assert texts.ref_names == ["A", "B"]
    assert texts.refs == [["甲", "乙"], ["", "贰"]]
    assert texts.systems == {"one": ["“一", '"二'], "two": ["壹", "两"]}
    assert texts.source == ["x", "y"]
    assert corpus.read([path], path, fields=fields) == texts
    packed = put("all.TSV.gz", gzip.compress(NAMED.encode()))
    assert corpus.read([packed], fields=fields).systems == texts.systems


def test_columns_by_number_have_no_header(put):
    path = put("all.tsv", NAMED.partition("\n")[2])
    texts = corpus.read([path], fields=Fields([4], ["6", 7], 3))
    assert texts.refs == [["甲", "乙"]]
    assert texts.ref_names == ["all"]
    assert texts.systems == {"column 6": ["“一", '"二'], "column 7": ["壹", "两"]}
    assert texts.source == ["x", "y"]
    assert list(texts.segments) == [Segment("", "1"), Segment("", "2")]


def test_columns_by_number_have_a_header_if_one_has_a_known_name(put):
    texts = corpus.read([put("all.tsv", NAMED)], fields=Fields([4], ["6", 7], 3))
    assert (texts.refs, texts.source) == ([["甲", "乙"]], ["x", "y"])
    with pytest.warns(InputWarning, match=r"all\.tsv, line 1: A, one is read as a segment; if"):
        corpus.read([put("all.tsv", NAMED)], fields=Fields([4], [6]))


@pytest.mark.parametrize("fields", [Fields(["ref"], [1, 2]), Fields([1], [2, 3])])
def test_a_number_that_is_also_a_name_is_refused(put, fields):
    path = put("t.csv", "ref,1,2\n雨伞,伞,雨\n")
    with pytest.raises(InputError):
        corpus.read([path], fields=fields)
    named = put("same.csv", "1,2\n雨伞,伞\n")  # the first column is called 1
    assert corpus.read([named], fields=Fields(["1"], ["2"])).segments


@pytest.mark.parametrize(
    "content", ["text\n买伞\n", "Engine A\n买伞\n", "0\n买伞\n", "文本\n买伞\n"]
)
@pytest.mark.parametrize("name", ["h.csv", "h.tsv"])
def test_the_only_line_that_may_be_a_header_is_no_segment(put, name, content):
    ref, hyp = put("ref.zh", "text\n买雨伞\n"), put(name, content)
    with pytest.raises(InputError):
        corpus.read([ref], hyp)
    one, column = put("one.zh", "买雨伞\n"), content.partition("\n")[0]
    assert corpus.read([one], hyp, fields=Fields(hyp=[column])).hyps == ["买伞"]
    assert len(corpus.read([ref], hyp, format="plain").hyps) == 2


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize(
    ("names", "fields"),
    [
        (["id", "ref", "hyp"], Fields()),
        (["ID", "gold, checked", "out"], Fields(["gold, checked"], ["out"], id="ID")),
        (None, Fields([2], [3], id=1)),
    ],
)
def test_csv_may_be_separated_as_spreadsheets_do_it(put, separator, names, fields):
    rows = [*([] if names is None else [names]), ["1", "买，雨伞", "买;伞"], ["2", "去", "a,b\t"]]
    written = io.StringIO()
    csv.writer(written, delimiter=separator).writerows(rows)
    texts = corpus.read([put("t.csv", written.getvalue())], fields=fields)
    assert texts.hyps == ["买;伞", "a,b\t"]
    assert [key.id for key in texts.segments] == ["1", "2"]


def test_semicolons_in_texts_of_one_column_are_text(put):
    ref = put("r.zh", "买\n去\n")
    assert corpus.read([ref], put("h.csv", "买;伞\n去\n")).hyps == ["买;伞", "去"]
    with pytest.raises(InputError):
        corpus.read([ref], put("h.csv", "买;伞\n去;北京\n"))


@pytest.mark.parametrize("name", ["h.jsonl", "h.json", "h.txt"])
def test_a_field_that_an_object_has_twice_is_refused(put, name):
    row = '{"hyp": "买伞", "hyp": "雨伞"}'
    content = f"[{row}]" if name == "h.json" else f"{row}\n"
    path = put(name, content)
    with pytest.raises(InputError):
        corpus.read([put("r.zh", "买\n")], path)
    put(name, content.replace("雨伞", "买伞"))
    assert corpus.read(["r.zh"], path).hyps == ["买伞"]


def test_an_array_in_a_file_of_another_name_is_told(put):
    ref, hyp = put("ref.zh", "买伞\n去\n"), put("hyp.zh", '["买伞", "去"]\n')
    with pytest.warns(InputWarning):
        assert corpus.read([ref], hyp).hyps == ["买伞", "去"]
    one = put("one.zh", "买伞\n")
    assert corpus.read([one], hyp, format="plain").hyps == ['["买伞", "去"]']


def test_a_name_among_the_numbers_means_a_header(put):
    texts = corpus.read([put("all.tsv", NAMED)], fields=Fields(["A"], [6]))
    assert texts.refs == [["甲", "乙"]]
    assert texts.systems == {"one": ["“一", '"二']}
    assert texts.source == ["x", "y"]  # a usual name


def test_usual_names_are_found_if_the_format_is_named(put):
    path = put("t.txt", "id\tref\tmt\n7\t甲\t乙\n")
    texts = corpus.read([path], format="tsv")
    assert texts.segments == [Segment("", "7")]
    assert (texts.refs, texts.systems) == ([["甲"]], {"t": ["乙"]})


def test_plain_text_may_hold_tabs_and_be_called_tsv(put):
    path = put("t.tsv", "a\tb\nc\td\n")
    assert corpus.read([path], path).hyps == ["a\tb", "c\td"]
    other = put("t.txt", "a\tb\nc\td\n")
    assert corpus.read([other], other).hyps == ["a\tb", "c\td"]
    with pytest.raises(InputError, match=r"names columns, but .*t\.txt has none; .*format='tsv'"):
        corpus.read([other], other, fields=Fields([1], [2]))
    assert corpus.read([other], fields=Fields([1], [2]), format="tsv").hyps == ["b", "d"]


def test_documents_without_ids_number_their_segments(put):
    path = put("t.tsv", "d\t甲\t1\ne\t乙\t2\nd\t丙\t3\n")
    texts = corpus.read([path], fields=Fields([2], [3], document=1))
    assert texts.segments == [Segment("d", "1"), Segment("e", "1"), Segment("d", "2")]


def test_tables_are_joined_by_id(put):
    ref = put("r.jsonl", lines({"id": 1, "ref": "甲"}, {"id": 2, "ref": "乙"}))
    hyp = put("h.jsonl", lines({"seg": "2", "mt": "二"}, {"seg": "1", "mt": "一"}))
    assert corpus.read([ref], hyp).hyps == ["一", "二"]
    tst = put("t.sgm", "<tstset><doc><seg id=2>二</seg><seg id=1>一</seg></doc></tstset>")
    assert corpus.read([ref], tst).hyps == ["一", "二"]
    table = put("h.tsv", "7\t二\n3\t一\n")
    plain = corpus.read([put("r.txt", "甲\n乙\n")], table, fields=Fields(hyp=[2], id=1))
    assert plain.hyps == ["二", "一"]  # lines meet ids by position


def test_json_with_usual_names_and_lists_of_references(put):
    data = lines(
        {"doc": "d", "id": 1, "source": "x", "references": ["甲"], "translation": "一"},
        {"doc": "d", "id": "b", "source": "y", "references": ["乙", "贰"], "translation": ""},
        {"doc": "e", "id": 1, "source": "z", "references": [None, "叁"], "translation": "三"},
    )
    texts = corpus.read([put("all.jsonl", "\n" + data + " \n")])
    assert texts.segments == [Segment("d", "1"), Segment("d", "b"), Segment("e", "1")]
    assert texts.ref_names == ["references 1", "references 2"]
    assert texts.refs == [["甲", "乙", ""], ["", "贰", "叁"]]
    assert texts.systems == {"all": ["一", "", "三"]}
    assert texts.source == ["x", "y", "z"]


def test_json_with_named_fields_and_without_ids(put):
    data = lines({"x": "一", "y": "壹", "t": "甲", "u": None}, {"x": "二", "y": "两", "u": "乙"})
    path = put("all", data)
    texts = corpus.read([path], fields=Fields(["t", "u"], ["x", "y"]))
    assert texts.refs == [["甲", ""], ["", "乙"]]
    assert texts.ref_names == ["t", "u"]
    assert texts.systems == {"x": ["一", "二"], "y": ["壹", "两"]}
    assert list(texts.segments) == [Segment("", "1"), Segment("", "2")]
    plain = corpus.read([put("r", "a\nb\n")], path, fields=Fields(hyp=["x"]))
    assert plain.systems == {"all": ["一", "二"]}


def test_records_keep_their_order_whichever_reference_they_have(put):
    data = lines({"id": 2, "b": "乙", "hyp": "1"}, {"id": 1, "a": "甲", "b": "贰", "hyp": "2"})
    texts = corpus.read([put("all", data)], fields=Fields(["a", "b"]))
    assert [segment.id for segment in texts.segments] == ["2", "1"]
    assert texts.refs == [["", "甲"], ["乙", "贰"]]
    assert texts.ref_names == ["a", "b"]


def test_a_system_may_lack_a_record_that_has_an_id(put):
    path = put("all", lines({"id": 1, "ref": "甲", "hyp": "a"}, {"id": 2, "ref": "乙"}))
    with pytest.raises(InputError, match="segment 2"):
        corpus.read([path])
    texts = corpus.read([path], skip_missing=True)
    assert (texts.hyps, texts.n_left_out) == (["a"], 1)


def test_a_column_is_only_missed_where_it_is_needed(put):
    ref, hyp = put("r.tsv", "target\tsrc\n甲\tx\n"), put("h.tsv", "output\n一\n")
    texts = corpus.read([ref], hyp, fields=Fields(["target"], ["output"], "src"))
    assert (texts.refs, texts.hyps, texts.source) == ([["甲"]], ["一"], ["x"])
    with pytest.raises(InputError):
        corpus.read([ref], hyp, source=hyp, fields=Fields(["target"], ["output"], "src"))


def test_what_only_begins_like_json_is_plain_text(put):
    path = put("t", "{1} 伞\n[x]\n")
    assert corpus.read([path], path).hyps == ["{1} 伞", "[x]"]
    deep = put("deep", '{"a":' + "[" * 100_000)
    assert len(corpus.read([deep], deep).hyps) == 1


# ---- CSV and JSON ----


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("h.csv", '买伞\n"他说：""去，好"""\n\n'),
        ("h.csv", 'hyp\n买伞\n"他说：""去，好"""\n""\n'),
        ("h.csv", 'id,hyp\n1,买伞\n2,"他说：""去，好"""\n\n3,\n'),
        ("h.json", '["买伞", "他说：\\"去，好\\"",\n""]'),
        ("h.txt", '["买伞", "他说：\\"去，好\\"",\n""]'),
        ("h.json", '[{"mt": "买伞"}, {"mt": "他说：\\"去，好\\""}, {"mt": ""}]'),
    ],
)
def test_a_system_as_csv_or_json(tmp_path, name, content):
    ref, hyp = tmp_path / "ref.zh", tmp_path / name
    ref.write_text("买雨伞\n他说：去\n好\n", encoding="utf-8")
    hyp.write_text(content, encoding="utf-8")
    if "id," in content:
        ref = tmp_path / "ref.csv"
        ref.write_text("id,ref\n1,买雨伞\n2,他说：去\n3,好\n", encoding="utf-8")
    assert corpus.read(ref, hyp).hyps == ["买伞", '他说："去，好"', ""]


@pytest.mark.parametrize("content", ["[买伞]\n", '["买伞"\n', "[1]\n", '["买伞"] 去\n'])
def test_text_that_begins_with_a_bracket_is_text(tmp_path, content):
    path = tmp_path / "ref.zh"
    path.write_text(content, encoding="utf-8")
    assert corpus.read(path, path).hyps == [content.rstrip("\n")]


def test_columns_of_csv_without_a_known_name_must_be_named(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n买雨伞,买伞\n", encoding="utf-8")
    right = r"name the columns, such as fields=Fields\(ref=\['a'\], hyp=\['b'\]\), or give format="
    with pytest.raises(InputError, match=rf"t\.csv has the columns a, b, but none .*; {right}"):
        corpus.read(path)
    assert corpus.read(path, fields=Fields(ref=["a"], hyp=["b"])).hyps == ["买伞"]
    assert corpus.read(path, fields=Fields(ref=[1], hyp=[2])).hyps == ["b", "买伞"]
    assert corpus.read(path, path, format="plain").hyps == ["a,b", "买雨伞,买伞"]


# ---- folders and patterns ----


def test_folders_and_patterns_stand_for_their_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hyp" / "inner").mkdir(parents=True)
    for name in ("ref.zh", "hyp/b.zh", "hyp/a.zh", "hyp/.hidden", "hyp/a.txt", "hyp/[x].zh"):
        (tmp_path / name).write_text(f"{name}\n", encoding="utf-8")
    systems = ["[x].zh", "a.txt", "a.zh", "b.zh"]
    assert sorted(corpus.read("ref.zh", "hyp").systems) == systems
    assert sorted(corpus.read("ref.zh", "hyp/").systems) == systems
    assert list(corpus.read("ref.zh", "hyp/*.zh").systems) == ["[x]", "a", "b"]
    assert list(corpus.read("ref.zh", "hyp/[ab].zh").systems) == ["a", "b"]
    assert list(corpus.read("ref.zh", "hyp/[x].zh").systems.values()) == [["hyp/[x].zh"]]
    with pytest.raises(InputError):
        corpus.read("ref.zh", "hyp/inner")
    with pytest.raises(InputError):
        corpus.read("ref.zh", "hyp/*.de")


def test_lines_are_not_joined_to_counted_ids_in_another_order(put):
    rows = [{"id": n, "hyp": text} for n, text in ((2, "去"), (1, "买伞"))]
    ref, hyp = put("ref.zh", "买伞\n去\n"), put("hyp.jsonl", lines(*rows))
    with pytest.raises(InputError):
        corpus.read([ref], hyp)
    refs = put("ref.jsonl", lines({"id": 1, "ref": "买伞"}, {"id": 2, "ref": "去"}))
    assert corpus.read([refs], hyp).hyps == ["买伞", "去"]
    for numbers in ((1, 2), (7, 3), ("b", "a")):  # in order, or no count
        rows = [{"id": n, "hyp": text} for n, text in zip(numbers, ("买伞", "去"), strict=True)]
        assert corpus.read([ref], put("hyp.jsonl", lines(*rows))).hyps == ["买伞", "去"]


@pytest.mark.parametrize("separator", [",", ";", "|"])
def test_a_table_with_other_marks_than_tabs_is_not_text(put, separator):
    content = f"id{separator}hyp\n1{separator}买伞\n"
    with pytest.raises(InputError):
        corpus.read([put("r.zh", "买\n去\n")], put("h.tsv", content))
    assert corpus.read([put("r.zh", "买\n")], put("h.csv", content)).hyps == ["买伞"]


def test_a_cell_may_have_line_breaks_in_every_table(put):
    rows = [{"ref": "买\n雨伞", "hyp": "买，\n伞"}, {"ref": '他说"好"', "hyp": "好"}]
    for separator in (",", ";", "\t"):
        text = io.StringIO()
        writer = csv.DictWriter(text, ["ref", "hyp"], delimiter=separator, lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(rows)
        texts = corpus.read([put("t.csv", text.getvalue())])
        assert (texts.refs[0], texts.hyps) == ([x["ref"] for x in rows], [x["hyp"] for x in rows])
    put("t.tsv", text.getvalue())
    assert corpus.read([put("t.tsv", text.getvalue())]).hyps == texts.hyps
    one = corpus.read([put("r.jsonl", '{"ref": "a"}\n{"ref": "b"}\n')], put("h.csv", '"a\nb"\nc\n'))
    assert one.hyps == ["a\nb", "c"]


@pytest.mark.parametrize(
    "rows", ['x,"b\ny,c"\n', '"买雨伞,买伞\n', '"a\nb"x,c\n', 'a,b\n"c\n', 'a,"b\nc,d\ne,f"\n']
)
def test_a_quotation_mark_that_swallows_rows_is_refused(put, rows):
    line = 3 if rows.startswith("a,b") else 2
    with pytest.raises(InputError, match=rf"line {line}: the quotation mark of a cell is not clos"):
        corpus.read([put("t.csv", f"ref,hyp\n{rows}")])


def test_lines_of_a_cell_may_look_like_rows_where_other_cells_are_quoted(put):
    texts = corpus.read([put("t.csv", 'ref,hyp\nx,"Hello\nBye, now"\n"a, b",c\n')])
    assert texts.hyps == ["Hello\nBye, now", "c"]


def test_lines_are_counted_after_a_line_break_in_a_cell(put):
    with pytest.raises(InputError, match="line 4: 1 column, but line 1 has 2"):
        corpus.read([put("t.csv", 'ref,hyp\n"a\nb",c\nd\n')])


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    "keys",
    [
        {"app": {"name": "雨伞"}, "menu": {"open": "打开", "close": "关闭"}},
        {"open": "打开", "close": "关闭"},
        {"translation": {"open_all": "打开"}},
    ],
)
def test_keys_of_an_app_are_no_table_and_no_lines(put, keys, indent):
    path = put("zh.json", json.dumps(keys, ensure_ascii=False, indent=indent))
    assert "打开" in corpus.read([path], path).hyps
    with pytest.raises(
        InputError, match=r"zh.json is one JSON object, .*, give format='json-keys'"
    ):
        corpus.read([path], path, format="plain")
    with pytest.raises(InputError, match=r"names columns, but .*zh.json has none"):
        corpus.read([path], path, fields=Fields(["open"], ["open"]))


def test_a_record_alone_in_a_file_of_json_is_read(put):
    assert corpus.read([put("a.json", '{"ref": "伞", "hyp": "雨"}')]).hyps == ["雨"]
    row = '{"translation": {"en": "Go", "zh": "去"}, "prediction": "走"}'
    assert corpus.read([put("a.json", row)]).refs == [["去"]]


def test_lines_of_json_are_not_proposed_as_text(put):
    with pytest.raises(InputError) as caught:
        corpus.read([put("a.jsonl", '{"x": "伞"}\n{"x": "雨"}\n')])
    assert "plain" not in str(caught.value)
