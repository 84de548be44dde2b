"""TSV and data frames of a result have the same figures, from columns that are declared once."""

import math

import pytest
from campaigns import REF1, REF2, A, B
from conftest import ROOT

import celab
from celab.agreement.results import Evaluation
from celab.findings.differences import ErrorProfile
from celab.findings.finding import Findings
from celab.findings.translations.outputs import Outputs
from celab.systems.board import Board
from celab.systems.campaign import Campaign
from celab.systems.pair import PairComparison
from celab.tables.result import PrintedResult, Result
from celab.tables.table import Table
from celab.terminology.results import TermResult

TERMS = ROOT / "examples" / "terms"


def lines_of(name):
    """Return the lines of a file of the example with a glossary."""
    return (TERMS / name).read_text("utf-8").splitlines()


@pytest.fixture(scope="module")
def scored():
    """Return two systems by metrics with and without precision and recall."""
    campaign = Campaign.from_lists({"one": A, "test": B}, [REF1, REF2])
    return campaign.score(["celab", "chrf"]).bootstrap(n_resamples=40)


@pytest.fixture(scope="module")
def results(scored, tmp_path_factory):
    """Return a result of each type that has both TSV with every digit and a data frame."""
    folder = tmp_path_factory.mktemp("board")
    (folder / "scored.json").write_text(scored.to_json(), encoding="utf-8")
    systems = {name[0]: lines_of(name) for name in ("A.zh", "B.zh")}
    followed = Campaign.from_lists(systems, lines_of("ref.zh"), source=lines_of("src.en"))
    return {
        Board: celab.board(folder / "scored.json"),
        Campaign: scored,
        ErrorProfile: scored.error_profile(n_resamples=40),
        Evaluation: celab.meta.evaluate(ROOT / "examples" / "judged", ["celab"], n_resamples=40),
        Findings: celab.check({"A": [*A[:-1], ""]}, REF1).table,
        Outputs: celab.check({"B": B, "A": [*A[:-1], ""]}, REF1),
        PairComparison: scored.compare("one", "test"),
        TermResult: celab.terms(str(TERMS / "glossary.tsv"), followed, n_resamples=40),
    }


def rows_of(table):
    """Return the rows of TSV, as texts by heading."""
    headings, *rows = (line.split("\t") for line in table.splitlines())
    return [dict(zip(headings, cells, strict=True)) for cells in rows]


def test_every_table_is_the_same_in_tsv_json_and_frames(results):
    pytest.importorskip("pandas", reason="pandas is not installed")
    n_tables = 0
    for result in results.values():
        for table in result.tables("full"):
            if not isinstance(table, Table) or not table.is_stored:
                continue
            n_tables += 1
            values = [*table.values()]
            written = rows_of(result.render("tsv", level=table.name))
            data = result.to_dict(level=table.name)[table.name]
            frame = result.to_dataframe("pandas", level=table.name)
            assert [name for name in frame.columns if name != "index"] == values
            assert len(written) == len(data) == len(frame)
            for name in values:
                for row, record, value in zip(written, data, frame[name], strict=True):
                    assert list(row) == list(record) == values
                    assert_same(row[name], value)
                    assert record[name] == value or (record[name] is None and value != value)
    assert n_tables >= 2


# Results whose tables still have a second way to JSON or to a data frame.
REPEATED = {
    *("BoardCell", "Board", "Campaign", "Comparison", "MetricComparison", "PairComparison"),
    *("Scored", "Score", "SystemScores", "ReportedScores", "Difference"),
}


def test_a_result_writes_its_columns_once():
    """Tables alone say what JSON, data frames and people see, so that a column has one place."""
    ours = {kind for kind in subclasses(Result) if kind.__module__.startswith("celab.")}
    repeated = {
        kind.__name__
        for kind in ours - {Result, PrintedResult}
        if {"to_dict", "to_dataframe", "render"} & {*vars(kind)} and kind.__name__ not in REPEATED
    }
    assert not repeated


def test_names_of_columns_differ_within_a_table(results):
    n_tables = 0
    for result in results.values():
        for table in result.tables("full"):
            if isinstance(table, Table) and table.is_stored:
                names = [column.names for column in table.columns if column.names]
                parts = [x for name in names for x in ([name] if isinstance(name, str) else name)]
                assert len(parts) == len({*parts}), table.name
                n_tables += 1
    assert n_tables >= 20


def assert_same(text, value):
    """Check a cell of TSV against a value of a data frame."""
    if isinstance(value, str | bool):
        value = str(value)
        assert text == value
    elif value is None or math.isnan(value):
        assert text in ("", "nan")
    else:
        assert float(text.replace(",", "")) == value


def subclasses(kind):
    """Return all types of results."""
    return {kind, *(x for child in kind.__subclasses__() for x in subclasses(child))}
