"""Sheets as people keep them: a column per student or system, titles above, several sheets."""

import pytest
from commands import refusal, run
from workbooks import workbook

from celab import corpus
from celab.base.errors import InputError, InputWarning
from celab.base.messages import listening
from celab.corpus import Fields
from celab.corpus.formats.headers import clean_name

HEADER = ["题号", "原文", "参考译文", "王　明", "李华", "GPT-4", "备注"]
ROWS = [
    ["1", "An umbrella.", "买雨伞。", "买伞。", "买雨具。", "买把伞。", ""],
    ["2", "Go home.", "回家。", "回家吧。", "", "回家。", ""],
]
BOOK = [["期中考试"], ["", "教师", "王老师"], HEADER, *ROWS]


def texts_of(*names):
    columns = dict(zip(map(clean_name, HEADER), zip(*ROWS, strict=True), strict=True))
    return {name: [*columns[name]] for name in names}


def write(put, suffix, rows):
    if suffix == "xlsx":
        return put("class.xlsx", workbook(rows))
    mark = {"csv": ",", "tsv": "\t"}[suffix]
    width = max(map(len, rows))
    lines = [mark.join(row + [""] * (width - len(row))) for row in rows]
    return put(f"class.{suffix}", "\n".join(lines) + "\n")


@pytest.mark.parametrize("suffix", ["xlsx", "csv", "tsv"])
@pytest.mark.parametrize("n_titles", [0, 1, 2])
@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["4-6"], ["王 明", "李华", "GPT-4"]),
        (["王明-GPT-4"], ["王 明", "李华", "GPT-4"]),
        (["王　明－李华"], ["王 明", "李华"]),
        (["李华-6"], ["李华", "GPT-4"]),
        (["rest"], ["王 明", "李华", "GPT-4"]),
        (["gpt-4"], ["GPT-4"]),
        (["5", "王明"], ["李华", "王 明"]),
        (["GPT-4", "rest"], ["GPT-4", "王 明", "李华"]),
    ],
)
def test_columns_of_a_class(put, suffix, n_titles, words, names):
    path = write(put, suffix, BOOK[2 - n_titles :])
    with listening() as messages:
        texts = corpus.read(path, fields=Fields(hyp=words))
    assert texts.systems == texts_of(*names)
    assert (texts.refs, texts.source) == ([["买雨伞。", "回家。"]], ["An umbrella.", "Go home."])
    assert list(texts.systems) == names
    unit = "row" if suffix == "xlsx" else "line"
    titles = [text for text in messages.texts("note") if "title" in text]
    expected = {1: f"{unit} 1 is a title, {unit} 2", 2: f"{unit}s 1 to 2 are titles, {unit} 3"}
    assert titles == [
        f"{path}: {expected[n]} names the columns" for n in [n_titles] if n in expected
    ]


def test_an_open_range_takes_what_has_a_name(put):
    path = write(put, "xlsx", [["参考译文", "A", "", "B"], ["买伞", "a", "x", "b"]])
    assert corpus.read(path, fields=Fields(hyp=["2-"])).systems == {"A": ["a"], "B": ["b"]}
    with listening() as messages:
        assert list(corpus.read(path, fields=Fields(hyp=["rest"])).systems) == ["A", "B"]
    assert messages.texts("note") == [f"{path}: rest is 2 columns, A to B; not column 3 (no name)"]


def test_what_rest_leaves_out_is_said(put):
    header = ["学号", "seg_id", "参考译文", "A", "分数", "备注"]
    path = put("class.csv", ",".join(header) + "\n7,s-1,买伞,买,85,\n8,s-2,去,走,90.5,\n")
    with listening() as messages:
        assert corpus.read(path, fields=Fields(hyp=["rest"])).systems == {"A": ["买", "走"]}
    (note,) = messages.texts("note")
    without = "学号 (numbers), seg_id (ids), 分数 (numbers), 备注 (blank)"
    assert note == f"{path}: rest is 1 column, A; not {without}"


def test_a_range_leaves_out_columns_with_another_role(put):
    path = put("class.csv", "id,A,参考译文,B\n1,买,买伞,购\n")
    assert corpus.read(path, fields=Fields(hyp=["2-4"])).systems == {"A": ["买"], "B": ["购"]}
    assert corpus.read(path, fields=Fields(ref=["2-2"], hyp=["2-4"])).systems == {
        "参考译文": ["买伞"],
        "B": ["购"],
    }


def test_a_name_comes_before_a_range_and_a_role(put):
    path = put("class.csv", "ref,GPT,rest,GPT-4\n买伞,a,b,c\n")
    assert corpus.read(path, fields=Fields(hyp=["GPT-4", "rest"])).systems == {
        "GPT-4": ["c"],
        "rest": ["b"],
    }
    without = put("without.csv", "ref,GPT,x,y\n买伞,a,b,c\n")
    assert list(corpus.read(without, fields=Fields(hyp=["GPT-4"])).systems) == ["GPT", "x", "y"]


def test_students_of_one_name_are_told_apart_by_number(put):
    path = write(put, "xlsx", [["参考译文", "王伟", "王伟"], ["买伞", "a", "b"]])
    assert corpus.read(path, fields=Fields(hyp=["2-3"])).systems == {
        "王伟 (column 2)": ["a"],
        "王伟 (column 3)": ["b"],
    }
    with pytest.raises(InputError, match="'王伟' occurs 2 times"):
        corpus.read(path, fields=Fields(hyp=["王伟"]))


def test_numbers_of_a_sheet_mean_columns_below_names(put):
    rows = [["标准", "甲", "乙"], ["我想买一把雨伞。", "我要买伞。", "我要伞。"]]
    texts = corpus.read(write(put, "xlsx", rows), fields=Fields([1], [2, 3]))
    assert texts.systems == {"甲": ["我要买伞。"], "乙": ["我要伞。"]}
    bare = corpus.read(put("bare.xlsx", workbook(rows[1:])), fields=Fields([1], [2, 3]))
    assert bare.systems == {"column 2": ["我要买伞。"], "column 3": ["我要伞。"]}


def test_sheets_are_chosen_by_name_or_number(put):
    final = [HEADER, ["1", "Rain.", "下雨。", "雨。", "落雨。", "有雨。", ""]]
    path = put("class.xlsx", workbook(BOOK, notes=final))
    fields = Fields(hyp=["李华"])
    with pytest.warns(InputWarning, match="the sheet Other is read, and the sheet Notes has the"):
        assert corpus.read(path, fields=fields).hyps == ["买雨具。", ""]
    for sheet in ("Notes", "notes", "2"):
        assert corpus.read(path, fields=fields, sheet=sheet).hyps == ["落雨。"]
    with pytest.raises(InputError, match="has no sheet 'Nots'; did you mean 'Notes'"):
        corpus.read(path, fields=fields, sheet="Nots")


def test_sides_may_have_sheets_of_their_own(put):
    key = [["题号", "参考译文"], ["2", "回家。"], ["1", "买雨伞。"]]
    path = put("class.xlsx", workbook([*LONG[:1], *LONG[1:]], notes=key))
    sides = {"sheet": "hyp=Other,ref=Notes", "fields": Fields(system="姓名")}
    texts = corpus.read(path, path, **sides)
    assert texts.systems == {"王明": ["回家吧。", "买伞。"], "李华": ["", "买雨具。"]}
    assert texts.refs == [["回家。", "买雨伞。"]]
    with pytest.raises(InputError, match="has no sheet 'Key'"):
        corpus.read(path, path, sheet="hyp=Other,ref=Key")


def test_other_sheets_are_proposed_where_the_first_has_no_table(put):
    path = put("class.xlsx", workbook([["说明"], ["请翻译"]], notes=BOOK))
    with pytest.raises(InputError, match="choose another sheet, such as sheet='Notes'"):
        corpus.read(path)
    blank = put("blank.xlsx", workbook([], notes=BOOK))
    with pytest.raises(InputError, match="no text in its first sheet; choose another: sheet='No"):
        corpus.read(blank)


def test_an_only_column_names_the_system_where_the_file_has_the_reference(put):
    path = write(put, "xlsx", BOOK)
    done = run("explain", "2", path, "--hyp-fields", "王明", "-q", encoding="utf-8")
    assert "segment 2 of 2: 王 明 against class" in done.stdout, done.stderr
    # Where references are elsewhere, the name of the file says more.
    ref = put("ref.txt", "买雨伞。\n回家。\n")
    texts = corpus.read(ref, path, fields=Fields(hyp=["王明"]))
    assert list(texts.systems) == ["class"]


@pytest.mark.parametrize("joined", ["王明,李华", "王明，李华"])
def test_words_that_are_columns_follow_each_other(put, joined):
    path = write(put, "csv", BOOK[2:])
    flags = ["--brief", "--quiet", "-m", "chrf", "--no-check"]
    expected = run("score", path, "--hyp-fields", joined, *flags)
    assert expected.returncode == 0, expected.stderr
    done = run("score", "--hyp-fields", "王明", "李华", path, *flags)
    assert (done.returncode, done.stdout) == (0, expected.stdout), done.stderr
    # The next file is a file, and so is what has a suffix.
    assert "none.csv" in refusal("score", "--hyp-fields", "王明", "none.csv", path, *flags)


LONG = [
    ["姓名", "题号", "原文", "标准", "译文"],
    ["王明", "2", "Go home.", "回家。", "回家吧。"],
    ["王　明", "1", "An umbrella.", "买雨伞。", "买伞。"],
    ["李华", "1", "", "", "买雨具。"],
    ["李华", "2", "", "回家。", ""],
]


@pytest.mark.parametrize("suffix", ["xlsx", "csv", "tsv"])
@pytest.mark.parametrize("id", [None, "题号", 2])
def test_long_form(put, suffix, id):
    path = write(put, suffix, LONG)
    texts = corpus.read(path, fields=Fields(["标准"], source="原文", id=id, system="姓名"))
    order = [["回家吧。", "买伞。"], ["", "买雨具。"]]
    assert texts.systems == dict(zip(["王明", "李华"], order, strict=True))
    assert texts.refs == [["回家。", "买雨伞。"]]
    assert texts.source == ["Go home.", "An umbrella."]
    assert texts.names == [2, 1]


def test_long_form_without_ids_counts_the_rows_of_each_system(put):
    rows = [["student", "ref", "hyp"], ["A", "买伞", "a"], ["B", "买伞", "b"], ["A", "去", "c"]]
    path = write(put, "csv", [*rows, ["B", "去", "d"]])
    texts = corpus.read(path, fields=Fields(system="student"))
    assert texts.systems == {"A": ["a", "c"], "B": ["b", "d"]}
    crossed = put("crossed.csv", "student,ref,hyp\nA,买伞,a\nB,去,b\n")
    with pytest.raises(InputError, match="line 3: the reference of segment 1 is not that of"):
        corpus.read(crossed, fields=Fields(system="student"))


def test_long_form_beside_references_of_their_own(put):
    ref = put("ref.csv", "id,ref\n1,买雨伞。\n2,回家。\n")
    rows = '{"id": 2, "model": "A", "mt": "回"}', '{"id": 1, "model": "A", "mt": "伞"}'
    path = put("long.jsonl", "\n".join(rows))
    texts = corpus.read(ref, path, fields=Fields(system="model"))
    assert texts.systems == {"A": ["伞", "回"]}
