"""The columns of a table: whether they have names, and which texts they seem to have."""

from xml.etree.ElementTree import fromstring

import pytest
from workbooks import workbook

from celab.corpus.formats.sheets import _rows
from celab.corpus.preview import columns_of

SYSTEMS = "编号,English,人工翻译,GPT-4,Qwen\n1,Umbrella.,雨伞。,伞。,雨具。\n"
BOOK = [["原文", "参考译文", "系统A", "系统B"], ["An umbrella.", "雨伞。", "伞。", "一把伞。"]]


@pytest.mark.parametrize(
    ("name", "data", "has_names", "kinds"),
    [
        ("a.csv", "原文,参考译文,译文,备注\nAn umbrella.,雨伞。,伞。,好\n", True, "srh-"),
        ("a.csv", "src;ref;hyp\nA;雨伞;伞\n", True, "srh"),
        ("a.csv", SYSTEMS, True, "-srhh"),
        ("a.xlsx", workbook(BOOK), True, "srhh"),
        ("a.tsv", "An umbrella.\t雨伞。\t伞。\nGo home.\t回家。\t回去。\n", False, "srh"),
        ("a.tsv", "ref\thyp\n雨伞\t伞\n", True, "rh"),
        ("a.csv", "雨伞。\n伞。\n", False, "r"),
        ("a.csv", "text\n雨伞。\n", True, "r"),
        ("a.csv", "x,x\n雨伞。,伞。\n家。,回家。\n", False, "rh"),
        ("a.csv", "x,\n", False, "s-"),
        ("a.tsv", "雨伞。\n伞。\n", False, ""),
        ("a.txt", "雨\t伞。\n", False, ""),
    ],
)
def test_columns_are_guessed(tmp_path, name, data, has_names, kinds):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    columns = columns_of(str(path))
    letters = {"source": "s", "reference": "r", "system": "h", None: "-"}
    assert "".join(letters[column.role] for column in columns.columns) == kinds
    assert columns.has_names == has_names


def test_empty_cells_behind_the_last_are_left_out():
    row = fromstring('<d><row><c t="str"><v>a</v></c><c/><c t="str"><v>b</v></c><c/><c/></row></d>')
    assert [*_rows(row, "x", [])] == [(1, ["a", "", "b"])]
