"""Other judges in reports: the page's data, tables of many columns, forms of the span table."""

import json
import re

import pytest

from celab import Campaign
from celab.systems.view import MAX_SCORE_COLUMNS
from celab.tables.table import Table

HYPS = {"A": ["买了雨伞", "门开着", "去北京"], "B": ["买伞了", "关门", "去京城"]}
REF = ["买雨伞", "门开了", "去北京"]
SPANS = (
    "system\tsegment\tstart\tend\tseverity\tcategory\n"
    "A\t0\t1\t2\tminor\tAddition\nB\t1\t0\t1\tmajor\tMistranslation\nB\t2\t\t\t\t\n"
)


@pytest.fixture
def campaign(tmp_path):
    (tmp_path / "s.tsv").write_text(SPANS, "utf-8")
    scored = Campaign.from_lists(HYPS, REF).score("celab")
    scored = scored.with_scores(
        {"X": {"A": [1, None, 1], "B": [3, 2, 1]}, "K": {"B": 0.5}}, lower_is_better=["X"]
    )
    return scored.with_spans(tmp_path / "s.tsv").test()


def page_json(page):
    texts = re.findall(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    return next(data for data in map(json.loads, texts) if "hyps" in data)


def test_the_page_has_scores_and_spans_of_other_judges(campaign):
    data = page_json(campaign.html())
    x, k = data["judges"]
    assert x["key"] == x["name"] == "X"
    assert (x["higher"], k["higher"]) == (False, True)
    assert x["systems"] == [1.0, 2.0]
    assert k["systems"] == [None, 0.5]
    assert k["intervals"] == [None, None]
    assert all(len(ends) == 2 for ends in x["intervals"])
    assert x["groups"] == [None, None]  # too few segments
    assert x["scores"] == [[1.0, None, 1.0], [3.0, 2.0, 1.0]]
    assert k["scores"] == [None, None]
    marked = [x for x in data["findings"] if x["check"] == "people"]
    assert [(x["kind"], x["span"], x["note"]) for x in marked] == [
        (["Addition", "Mistranslation"], [[1, 2], [0, 1]], ["minor", "major"])
    ]
    assert all(seen and cost > 0 for seen, cost in marked[0]["value"])
    summary = data["span_summary"]
    assert summary["metric"] == "celab"
    assert (summary["n_outputs"], summary["n_spans"], summary["n_seen"]) == (3, 2, 2)
    assert [row[:4] for row in summary["counts"]] == [
        ["Addition", "minor", 1, 1],
        ["Mistranslation", "major", 1, 1],
    ]


def test_a_page_without_other_judges_has_no_such_data(campaign):
    data = page_json(Campaign.from_lists(HYPS, REF).score("celab").html())
    assert not {"judges", "span_summary"} & set(data)


def test_groups_are_those_of_the_test():
    texts = ["买雨伞"] * 30
    scored = Campaign.from_lists({"A": texts, "B": texts}, texts).score("chrf")
    scored = scored.with_scores({"X": {"A": [1] * 29 + [2], "B": [3] * 30}}).test()
    (judge,) = page_json(scored.html())["judges"]
    assert judge["groups"] == [2, 1]


@pytest.mark.parametrize("kind", ["markdown", "latex"])
def test_spans_are_a_table_of_every_form_of_a_comparison(campaign, kind):
    text = campaign.compare("A", "B").render(kind)
    assert "Mistranslation" in text
    assert "unmatched runs in 3 judged outputs" in text


def test_spans_are_tables_of_a_comparison(campaign):
    rows = campaign.compare("A", "B").to_dict()["span_kind"]
    seen = {(row["category"], row["severity"]): row["seen"] for row in rows}
    assert seen == {("Addition", "minor"): 1, ("Mistranslation", "major"): 1}


def shown_tables(result):
    """Return the tables that people see."""
    return [part for part in result.tables() if isinstance(part, Table) and part.is_shown]


def test_more_columns_than_fit_are_tables_below_each_other():
    scored = Campaign.from_lists(HYPS, REF).score("chrf")
    many = {f"M{i}": {"A": [i, 1, 2], "B": [2, i, 1]} for i in range(20)}
    tables = shown_tables(scored.with_scores(many))
    headings = [[column.heading for column in table.shown_columns] for table in tables]
    assert [names[0] for names in headings] == ["system"] * 3
    assert [x for names in headings for x in names[1:]] == ["chrF2", *many]
    first = [[table.texts(row)[0] for row in table.shown_rows()] for table in tables]
    assert first == [["A", "B"]] * 3
    few = dict(list(many.items())[: MAX_SCORE_COLUMNS - 1])
    assert len(shown_tables(scored.with_scores(few))) == 1
