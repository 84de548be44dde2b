"""TSV and data frames of a result have the same figures, which one record has the columns of."""

import math
from collections import namedtuple

import pytest
from campaigns import REF1, REF2, A, B
from conftest import ROOT

import celab
from celab.evaluation.board import Board
from celab.evaluation.checks.outputs import Outputs
from celab.evaluation.errors import ErrorProfile
from celab.evaluation.meta.results import Evaluation
from celab.evaluation.pair import PairComparison
from celab.evaluation.systems.campaign import Campaign
from celab.evaluation.tables import Findings
from celab.evaluation.terms.results import TermResult
from celab.metrics.scores import Score
from celab.tables.record import Field, Record, fields
from celab.tables.result import Result
from celab.tables.view import RENDERERS, ViewOptions, tsv

TERMS = ROOT / "examples" / "terms"
SYSTEM, SEGMENT = ViewOptions(detail="full"), ViewOptions(level="segment")


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


# The type, what is shown, the level of the frame, what rows of TSV have, and its other names.
CASES = [
    (Board, SYSTEM, None, {}, {}),
    (Campaign, SYSTEM, "system", {}, {}),
    (Campaign, SEGMENT, "segment", {}, {}),
    (ErrorProfile, SYSTEM, "system", {}, {}),
    (Evaluation, SYSTEM, "system", {"level": "system"}, {}),
    (Evaluation, SYSTEM, "segment", {"level": "segment"}, {}),
    (Findings, SYSTEM, "system", {}, {}),
    (Findings, SEGMENT, "segment", {}, {}),
    (Outputs, SYSTEM, "system", {}, {}),
    (Outputs, SEGMENT, "segment", {}, {}),
    (PairComparison, SYSTEM, "system", {"bucket": "all"}, {"one": "a", "test": "b"}),
    (TermResult, SYSTEM, "system", {}, {"occurrences": "of"}),
]


@pytest.mark.parametrize(("kind", "options", "level", "kept", "renamed"), CASES)
def test_a_data_frame_has_the_figures_of_tsv(results, kind, options, level, kept, renamed):
    pytest.importorskip("pandas", reason="pandas is not installed")
    result = results[kind]
    of_level = {} if level is None else {"level": level}
    frame = result.to_dataframe(library="pandas", **of_level)
    every = rows_of(RENDERERS["tsv"](result.view(options)))
    rows = [row for row in every if kept.items() <= row.items()]
    if kind is Evaluation:  # TSV has only the figures that are defined
        frame = frame[frame["value"].notna()]
    assert len(rows) == len(frame) > 0
    for name in frame.columns.drop("index", errors="ignore"):  # files number segments from 1
        for row, value in zip(rows, frame[name], strict=True):
            assert_same(row[renamed.get(name, name)], value)


def assert_same(text, value):
    """Check a cell of TSV against a value of a data frame."""
    if isinstance(value, str):
        assert text == value
    elif value is None or math.isnan(value):
        assert text in ("", "nan")
    else:
        # Segments of a campaign have six decimals in TSV, all else every digit.
        assert text == f"{value:.6f}" or float(text.replace(",", "")) == value


def subclasses(kind):
    """Return all types of results."""
    return {kind, *(x for child in kind.__subclasses__() for x in subclasses(child))}


def test_every_result_with_both_is_in_the_cases(results):
    def has_both(kind):
        return hasattr(kind, "to_dataframe")

    # A comparison of all systems, alignments, error spans and scores have only tables for people.
    without = {"Comparison", "Alignment", "SpanReport", "Score"}
    kinds = {x for x in subclasses(Result) - subclasses(Score) if has_both(x)}
    assert {kind.__name__ for kind in kinds} - without == {kind.__name__ for kind in results}
    assert {case[0] for case in CASES} == set(results)


def test_columns_of_each_type():
    row = namedtuple("Row", "name kind segment size n hits")("A", None, "a:1", None, 2, 1234)
    record = Record(
        Field("name", "name", column="system"),
        *fields("text", "kind"),
        *fields("segment", "segment"),
        *fields("number", "size"),
        *fields("integer", "n"),
        *fields("count", "hits"),
    )
    headings = "name\tkind\tsegment\tsize\tn\thits\n"
    assert tsv(record.table([row])) == headings + "A\t\ta:1\t\t2\t1,234\n"
    columns = record.columns([row], ["hits", "size", "name", "segment"])
    assert list(columns) == ["hits", "size", "system", "segment"]
    assert columns["hits"] == [1234] and math.isnan(columns["size"][0])
