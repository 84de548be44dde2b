"""TSV with the quoting of CSV: read as it was written, and doubtful lines are named."""

import csv
import io
import json
import warnings

import pytest
from commands import refusal, run, write_lines
from hypothesis import example, given
from hypothesis import strategies as st

import celab
from celab.corpus import Fields
from celab.corpus.formats.quoting import rows_of

QUOTED_TEXTS = ['他说"买雨伞"。', "去北京", '"你好"', "a,b", "5 \t 6", "一\n二", ""]


def cells_of(text):
    """The rows that are read, and the warnings."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        rows = [cells for _, cells in rows_of(text, "t.tsv")]
    return rows, [str(one.message) for one in seen]


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_tables_that_pandas_writes_are_read_as_they_were(quoting, end):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"hyp": QUOTED_TEXTS, "ref": QUOTED_TEXTS[::-1]})
    text = frame.to_csv(sep="\t", quoting=quoting, lineterminator=end)
    rows, warned = cells_of(text)
    pairs = zip(QUOTED_TEXTS, QUOTED_TEXTS[::-1], strict=True)
    expected = [["", "hyp", "ref"], *([str(k), *pair] for k, pair in enumerate(pairs))]
    assert rows == expected and warned == []
    numbers = [number for number, _ in rows_of(text, "t.tsv")]
    assert numbers == [1, 2, 3, 5, 6, 7, 8, 10]  # the lines on which the rows begin


@pytest.mark.parametrize(
    ("rows", "doubtful"),
    [
        (['"Hello," he said.', '"Yes."'], None),
        (['"I am here.', 'And you?"', 'a 5" disk'], None),
        (['He said "yes".'], None),
        (["“好”"], None),
        (['""Yes""', '"No"'], None),
        (['"""Yes"" he said"', 'say "no"', 'say "go"'], None),
        (["x", '"Yes."'], 3),  # speech, or a needless pair of marks
        (['"I am here.', 'And you?"'], 2),  # two lines, or one cell
        (['"say ""yes"""', 'say "no"'], 3),  # the last was not quoted
        (['"say ""yes"""', '"no"'], 3),
        (['"a, b"', '"say ""yes"""', "c, d"], 2),
    ],
)
def test_marks_that_are_text_stay_and_doubtful_lines_are_named(rows, doubtful):
    rows = [["id", "text"], *([str(number), cell] for number, cell in enumerate(rows, 1))]
    found, warned = cells_of("".join("\t".join(row) + "\n" for row in rows))
    assert found == rows
    if doubtful is None:
        assert warned == []
    else:
        (message,) = warned
        assert message.startswith(f"t.tsv, line {doubtful}: ")
        assert message.endswith("convert the file to JSON Lines")


def test_spreadsheets_also_quote_cells_with_commas():
    text = 'id\ttext\n1\t"a, b"\n2\t"say ""yes"""\n3\tc\n'
    assert cells_of(text) == ([["id", "text"], ["1", "a, b"], ["2", 'say "yes"'], ["3", "c"]], [])


@given(st.lists(st.lists(st.text('a",\t\n 1', max_size=5), min_size=2, max_size=2), min_size=1))
def test_what_the_csv_module_writes_is_never_misread_in_silence(rows):
    written = io.StringIO()
    csv.writer(written, delimiter="\t", lineterminator="\n").writerows([["x", "y"], *rows])
    found, warned = cells_of(written.getvalue())
    assert found == [["x", "y"], *rows] or warned


@given(st.lists(st.text('a", ', max_size=6), min_size=1, max_size=4))
@example(texts=['"""a', '"'])  # one quoted cell, or two lines
def test_lines_of_text_stay_unless_their_marks_are_paired(texts):
    lines = [f"{k}\tx\t{text}" for k, text in enumerate(texts)]
    found, _ = cells_of("\n".join(["id\tref\thyp", *lines]))
    if found[1:] != [[str(k), "x", text] for k, text in enumerate(texts)]:
        assert any(text[:1] == text[-1:] == '"' and text != '"' for text in texts)
        assert any('""' in text for text in texts)


FIELDS = ["--ref-fields", "ref", "--hyp-fields", "hyp"]


def test_quoted_tables_score_as_the_texts_do(tmp_path):
    texts = ['他说"买雨伞"。', "去北京", '"你好"，他说']
    refs = ['他说"买伞"。', "去北京", '"你好吗"，他说']
    table = tmp_path / "t.tsv"
    with open(table, "w", encoding="utf-8", newline="") as file:
        rows = [("hyp", "ref"), *zip(texts, refs, strict=True)]
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows(rows)
    ref, hyp = write_lines(tmp_path / "ref.zh", *refs), write_lines(tmp_path / "hyp.zh", *texts)
    for flags in ([], ["--segments"]):
        quoted = run("score", "-q", "--strict", *flags, *FIELDS, table, encoding="utf-8")
        plain = run("score", "-q", *flags, ref, hyp, encoding="utf-8")
        assert quoted.returncode == 0 and quoted.stderr == ""
        assert quoted.stdout == plain.stdout
    read = celab.Campaign.read(table, fields=Fields(ref=["ref"], hyp=["hyp"])).corpus
    assert (read.refs, [*read.systems.values()]) == ([refs], [texts])


def test_doubtful_quoting_is_warned_about_in_python_and_on_the_command_line(tmp_path):
    table = write_lines(tmp_path / "t.tsv", "hyp\tref", "去北京\t去北京", '"买伞"\t买雨伞')
    done = run("score", *FIELDS, table, encoding="utf-8")
    assert done.returncode == 0
    assert f"celab-score: warning: {table}, line 3: a cell is in quotation marks" in done.stderr
    assert "--strict makes this an error" in refusal("score", "--strict", *FIELDS, table)
    with pytest.warns(celab.InputWarning, match=r"t\.tsv, line 3: "):
        celab.Campaign.read(table, fields=Fields(ref=["ref"], hyp=["hyp"]))


def test_quoted_cells_in_other_tables(tmp_path):
    pairs = write_lines(
        tmp_path / "pairs.tsv", "source\tcandidate", '"他说""买""。"\t"他说""卖""。"'
    )
    (row,) = json.loads(run("para", "--json", pairs, encoding="utf-8").stdout)["pairs"]
    assert (row["source"], row["candidate"]) == ('他说"买"。', '他说"卖"。')
    weights = write_lines(tmp_path / "weights.tsv", '""""\t0.5', "伞\t0.2")
    assert celab.exact.weights.read(str(weights)).weights == {'"': 50, "伞": 20}
