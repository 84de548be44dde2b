"""Tables as text, TSV, Markdown and LaTeX."""

from __future__ import annotations

from operator import itemgetter

import pytest
from campaigns import text_table

from celab.tables.formats import latex, latex_line, markdown, markdown_line, text, text_line, tsv
from celab.tables.table import NAME, SCORE, Column, Table
from celab.tables.view import Line

KINDS = (text, tsv, markdown, latex)
SMALL = text_table(
    headings=["system", "score"],
    rows=[["a", "0.5"], ["long name", "12.25"]],
    right=[1],
    group=itemgetter(0),
)


def test_text_pads_and_aligns():
    assert text(SMALL) == (
        "system     score\na            0.5\n----------------\nlong name  12.25\n"
    )


def test_text_counts_cells_of_the_terminal():
    # 雨伞 takes four cells and é, of two characters, one.
    table = text_table(headings=["x", "y"], rows=[["雨伞", "1"], ["e\u0301", "2"]])
    assert text(table) == "x     y\n雨伞  1\ne\u0301     2\n"


def test_text_shows_what_a_terminal_would_obey():
    assert text(text_table(headings=["x"], rows=[["a\x1b[31mb"]])) == "x\na\\x1b[31mb\n"


def test_lines_have_no_spaces_at_their_ends():
    assert text(text_table(headings=["a", "b"], rows=[["longer", ""]])) == "a       b\nlonger\n"


def test_tsv_keeps_columns_whole():
    assert (
        tsv(text_table(headings=["a", "b"], rows=[["1\t2", "3\n4"], ["", "|"]]))
        == "a\tb\n1 2\t3 4\n\t|\n"
    )


def test_markdown_escapes():
    assert markdown(text_table(headings=["m|n", "p"], rows=[["0.5**", "a_b"]], right=[1])) == (
        "| m\\|n | p |\n| --- | ---: |\n| 0.5\\*\\* | a\\_b |\n"
    )


def test_latex_escapes():
    signs = text_table(headings=["&%$#_{}~^\\", "±"], rows=[["雨|伞", "<1"]], right=[1])
    assert latex(signs) == (
        "\\begin{tabular}{lr}  % \\usepackage{booktabs}\n\\toprule\n"
        "\\&\\%\\$\\#\\_\\{\\}\\textasciitilde{}\\textasciicircum{}\\textbackslash{}"
        " & $\\pm$ \\\\\n"
        "\\midrule\n雨\\textbar{}伞 & \\textless{}1 \\\\\n\\bottomrule\n\\end{tabular}\n"
    )


def test_marks_of_figures():
    rows = [("a", 0.5, True, 1, 1), ("b", 0.25, False, 12, 2), ("c", 0.5, False, 0, 1)]
    score = Column("x", SCORE, itemgetter(1), "x", best=itemgetter(2), cluster=itemgetter(3))
    columns = [Column("system", NAME, itemgetter(0), "system"), score]
    table = Table(name="system", columns=columns, rows=rows, digits=itemgetter(4))
    written = {written.__name__: written(table) for written in KINDS}
    assert written["text"].splitlines() == [
        "system           x",
        "a        0.5* (1)",
        "b       0.25  (12)",
        "c             0.5",
    ]
    assert written["tsv"] == "system\tx\na\t0.5\nb\t0.25\nc\t0.5\n"
    assert "| **0.5**<sup>1</sup> |" in written["markdown"]
    assert "| 0.25<sup>12</sup> |" in written["markdown"] and "| 0.5 |" in written["markdown"]
    assert r"& \textbf{0.5}$^{1}$ \\" in written["latex"]
    assert r"& 0.25$^{12}$ \\" in written["latex"] and r"& 0.5 \\" in written["latex"]


def test_lines_beside_a_table():
    line = Line(("50% **",))
    assert text_line(line) == "50% **\n"
    assert markdown_line(line) == "50% \\*\\*\n\n"
    assert latex_line(line) == "% 50% **\n"


@pytest.mark.parametrize("write", KINDS)
def test_every_kind_without_rows(write):
    assert "system" in write(text_table(headings=["system", "score"], rows=[]))
