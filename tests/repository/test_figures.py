"""Figures in the pages: all pages show those of one run, and programs that make them are there."""

import json
import re
import runpy

import pytest
from conftest import ROOT

SUMMARY, FIGURES = ROOT / "docs" / "agreement.md", ROOT / "bench" / "agreement.md"
PAGES = [*sorted((ROOT / "docs").glob("*.md")), *ROOT.glob("README*.md"), *ROOT.glob("bench/*.md")]
HELD_OUT = "wmt24-jazh-mqm"
OURS = "TESLA-CELAB, recommended"
METRICS = 6  # that are scored for Chinese; the others come with the set


def table(text, mark):
    """Return the rows of the first table after a mark, by column."""
    lines = text.partition(f"{mark}\n")[2].split("\n")
    start = next(number for number, line in enumerate(lines) if line.startswith("|"))
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip().replace("**", "") for cell in line.split("|")[1:-1]])
    return [dict(zip(rows[0], row, strict=True)) for row in rows[2:]]


def figures(name):
    """Return the rows of a set in bench/agreement.md, by metric."""
    return {row.pop(""): row for row in table(FIGURES.read_text("utf-8"), f"### {name}")}


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "bench")
    return runpy.run_path(str(ROOT / "bench" / "agreement_people.py"))


def held_out():
    return table(SUMMARY.read_text("utf-8"), "<!-- held-out -->")


def test_all_metrics_of_the_set_held_out_are_shown_the_best_first():
    rows, expected = held_out(), figures(HELD_OUT)
    assert {row["metric"] for row in rows} == set(expected)
    for row in rows:
        for column in set(row) & set(expected[OURS]):
            assert row[column] == expected[row["metric"]][column], (row["metric"], column)
    consistency = [row["consistency, ties half"] for row in rows]
    assert consistency == sorted(consistency, key=lambda cell: -float(cell.split()[0]))


def test_all_metrics_that_come_with_the_set_are_shown(script):
    external = script["HELD_OUT"].external
    if not external:
        pytest.skip(f"{HELD_OUT} is not in the data folder")
    shown = {row["metric"] for row in held_out()}
    assert set(external) <= shown and len(shown) == len(external) + METRICS


def test_the_summary_counts_the_metrics_above_ours():
    rows = held_out()
    place = [row["metric"] for row in rows].index(OURS)
    column, published = "published metrics above recommended", len(rows) - METRICS
    pearson, consistency = (
        row[column] for row in table(SUMMARY.read_text("utf-8"), "<!-- summary -->")[:2]
    )
    best = rows[0]["consistency, ties half"].split()[0]
    assert consistency == f"{place} of {published}; highest: {rows[0]['metric']} {best}"
    assert f"**{place} of the {published} stand above" in SUMMARY.read_text("utf-8")
    assert f"By systems {pearson.split()[0]} of the" in SUMMARY.read_text("utf-8")


def test_the_summary_has_the_figures_of_all_sets():
    name = ""
    for row in table(SUMMARY.read_text("utf-8"), "<!-- summary -->"):
        name = row["set"].partition(",")[0] or name
        columns = figures(name)
        column = {"consistency": "consistency, ties half"}.get(row["figure"], row["figure"])
        for heading, metric in {"recommended": OURS, "chrF": "chrF", "BLEU": "BLEU"}.items():
            assert row[heading] == columns[metric][column].split()[0], (name, heading)


@pytest.mark.parametrize("page", ["README.md", "README.zh-CN.md"])
def test_percentages_of_the_readme_are_those_of_the_set_held_out(page):
    text = (ROOT / page).read_text("utf-8")
    share = {
        name: f"{100 * float(row['consistency, ties half'].split()[0]):.1f}%"
        for name, row in figures(HELD_OUT).items()
    }
    for name in ("chrF", "BERTScore", "COMET-22", "MetricX-24"):
        assert re.search(rf"{name}\D{{1,5}}{re.escape(share[name])}", text), (name, share[name])
    assert share[OURS] in text


def test_pages_stay_as_they_are_without_the_results_of_all_sets(
    script, monkeypatch, tmp_path, capsys
):
    values = script["main"].__globals__
    monkeypatch.setitem(values, "KEPT", tmp_path / "kept.json")
    (tmp_path / "kept.json").write_text(json.dumps({HELD_OUT: {}}))
    monkeypatch.setitem(values, "write_between", None)  # so that it cannot be called
    monkeypatch.setattr("sys.argv", ["agreement_people.py", "--page"])
    script["main"]()
    said = capsys.readouterr().out
    assert said.startswith("the pages stay as they are: there are no results of wmt24-enzh-esa, ")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_programs_that_make_figures_are_there(page):
    for path in re.findall(r"(?<!\w)(?:bench|docs|lexicons)/\w+\.py", page.read_text("utf-8")):
        assert (ROOT / path).is_file(), path
