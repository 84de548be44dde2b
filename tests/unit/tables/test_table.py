"""A column is declared once: people and programs get the same values of the same rows."""

import json
import math
from collections import namedtuple
from operator import attrgetter

import pytest

from celab.base.errors import OptionError
from celab.tables.formats import text
from celab.tables.result import Result
from celab.tables.table import (
    COUNT,
    DELTA,
    DELTA_INTERVAL,
    ESTIMATE,
    INTERVAL,
    NAME,
    P_VALUE,
    RANKS,
    RATIO,
    SCORE,
    SEGMENT,
    TEXT,
    Column,
    P,
    Table,
    named,
    segment_columns,
)
from celab.tables.view import line

Row = namedtuple("Row", "system n score ends p")
ROWS = [
    Row("甲", 1234, 0.123456, (-0.5, 0.25), P(0.0004, mark="*")),
    Row("B\t", 0, None, None, None),
]
COLUMNS = [
    Column("system", NAME, attrgetter("system"), "system"),
    Column("outputs", COUNT, attrgetter("n"), "outputs"),
    Column("score", SCORE, attrgetter("score"), "score"),
    Column("95% interval", DELTA_INTERVAL, attrgetter("ends"), ("low", "high")),
    Column("p", P_VALUE, attrgetter("p"), "p"),
    Column("", TEXT, lambda row: "celab|v:1", "signature"),
    Column("half", SCORE, lambda row: row.n / 2, digits=1),
]


class Sizes(Result):
    """A result with a table that is shown, one that is asked for, and one for people alone."""

    def __init__(self, rows=ROWS):
        self.rows = rows

    def tables(self, detail="normal"):
        yield [line("sizes")]
        yield Table(columns=[Column("n", COUNT, len)], rows=[self.rows])
        yield Table(name="system", columns=COLUMNS, rows=self.rows, digits=2, most=1)
        places = segment_columns(attrgetter("n"), lambda row: 1, "ab", "segment")
        more = named(TEXT, "system")
        yield Table(name="segment", columns=[*places, *more], rows=lambda: ROWS, on_request=True)

    def facts(self):
        return {"signature": "celab|v:1", "mean": math.nan}


def test_people_see_headings_and_digits_of_the_table():
    assert text(Table(name="system", columns=COLUMNS, rows=ROWS, digits=2)).splitlines() == [
        "system  outputs  score    95% interval        p   half",
        "甲        1,234   0.12  [-0.50, +0.25]  <0.001*  617.0",
        r"B\t           0                                    0.0",
    ]


def test_programs_get_names_and_every_digit():
    table = Table(name="system", columns=COLUMNS, rows=ROWS, digits=2)
    assert table.records() == [
        {
            **{"system": "甲", "outputs": 1234, "score": 0.123456, "low": -0.5, "high": 0.25},
            **{"p": 0.0004, "signature": "celab|v:1"},
        },
        {
            **{"system": "B\t", "outputs": 0, "score": None, "low": None, "high": None},
            **{"p": None, "signature": "celab|v:1"},
        },
    ]


def test_one_column_becomes_every_format():
    sizes = Sizes()
    assert sizes.render() == (
        "sizes\n\nn\n2\n\nsystem  outputs  score    95% interval        p   half\n"
        "甲        1,234   0.12  [-0.50, +0.25]  <0.001*  617.0\n"
    )
    assert sizes.render("tsv").splitlines() == [
        "system\toutputs\tscore\tlow\thigh\tp\tsignature",
        "甲\t1234\t0.123456\t-0.5\t0.25\t0.0004\tcelab|v:1",
        "B \t0\t\t\t\t\tcelab|v:1",
    ]
    assert "| 甲 | 1,234 | 0.1 |" in sizes.render("markdown", digits=1)
    assert r"甲 & 1,234 & 0.12 & [-0.50, +0.25] & \textless{}0.001*" in sizes.render("latex")
    assert "<bdi>甲</bdi>" in sizes._repr_html_()


def test_json_has_facts_and_rows_under_the_name_of_their_table():
    data = json.loads(Sizes().to_json())
    assert list(data) == ["format", "signature", "mean", "system"]
    assert data["format"] == 2 and data["mean"] is None
    assert [row["outputs"] for row in data["system"]] == [1234, 0]
    assert Sizes().to_dict(level="segment")["segment"] == [
        {"segment": 1234, "system": "甲"},
        {"segment": 0, "system": "B\t"},
    ]


def test_a_level_is_the_name_of_a_table_with_all_of_its_rows():
    sizes = Sizes()
    assert sizes.render(level="segment") == "segment  system\n   1234  甲\n      0  B\\t\n"
    assert sizes.render("tsv", level="segment") == "segment\tsystem\n1234\t甲\n0\tB \n"
    assert sizes.render("tsv", level="system") == sizes.render("tsv")
    with pytest.raises(OptionError, match="level is 'segmnt'"):
        sizes.render(level="segmnt")


def test_a_table_without_headings_has_its_names_when_it_is_asked_for():
    table = Table(name="x", columns=[Column("", SCORE, lambda row: row, "score")], rows=[0.5])
    assert not table.is_shown and text(table.whole()) == " score\n0.5000\n"


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_data_frame_has_the_same_columns_and_an_index(library):
    pytest.importorskip(library, reason=f"{library} is not installed")
    frame = Sizes().to_dataframe(library)
    assert list(frame.columns) == ["system", "outputs", "score", "low", "high", "p", "signature"]
    assert frame["score"].to_list()[0] == 0.123456 and frame["outputs"].to_list() == [1234, 0]
    segments = Sizes().to_dataframe(library, level="segment")
    assert list(segments.columns) == ["index", "segment", "system"]
    assert segments["index"].to_list() == ["b", "b"]


def test_no_row_leaves_the_columns():
    sizes = Sizes([])
    assert sizes.render("tsv") == "system\toutputs\tscore\tlow\thigh\tp\tsignature\n"
    assert sizes.to_dict()["system"] == []


def test_rows_of_a_table_that_nobody_asks_for_are_not_computed():
    table = Table(name="x", columns=COLUMNS, rows=lambda: 1 / 0, on_request=True)
    result = Sizes()
    type(result).tables, old = (lambda self, detail="normal": iter([table])), type(result).tables
    try:
        assert result.to_dict() == {"format": 2, "signature": "celab|v:1", "mean": None}
        with pytest.raises(ZeroDivisionError):
            result.to_dict(level="x")
    finally:
        type(result).tables = old


def test_what_each_kind_shows():
    shown = {
        "甲": (NAME, "甲"),
        "a:1": (SEGMENT, "a:1"),
        -0.5: (DELTA, "-0.50"),
        (0.5, 1.0): (INTERVAL, "[0.50, 1.00]"),
        (0.5, 0.25): (ESTIMATE, "0.50 ± 0.25"),
        (1, 3): (RANKS, "1-3"),
        (4, 0, 2): (RATIO, "4/0/2"),
    }
    assert [kind.show(value, 2, "plain") for value, (kind, _) in shown.items()] == [
        text for _, text in shown.values()
    ]
    assert DELTA.show(-0.5, 2, "page") == "−0.50"


def test_the_best_value_and_clusters_are_marked_and_groups_have_a_line_between_them():
    column = Column(
        "r",
        SCORE,
        attrgetter("n"),
        best=lambda row: row.n > 1,
        cluster=lambda row: 2,
    )
    marked = Table(columns=[column], rows=ROWS, digits=0, group=attrgetter("n"))
    assert text(marked).splitlines() == ["        r", "1234* (2)", "---------", "   0  (2)"]
