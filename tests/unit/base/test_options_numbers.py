"""Numbers in files and on the command line: what Python reads and nobody means is refused."""

import pytest
from commands import REF, A, refusal, run, write_lines

import celab
from celab.base.errors import InputError
from celab.base.options import decimal

# Spellings that Python's float reads, or int, and nobody means.
ODD = ("1_0", "٣", "0.٣", "１", "1e308", "inf", "-nan", "0x1p3")


def replace_score(path, line, score):
    """Writes `score` in the last column of a line, counted from 1."""
    lines = path.read_text(encoding="utf-8").split("\n")
    lines[line - 1] = "\t".join([*lines[line - 1].split("\t")[:-1], score])
    path.write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.parametrize("absent", ["None", "nan", "NaN", ""])
def test_human_scores_may_be_missing(judged, absent):
    table = judged / "human-seg.tsv"
    replace_score(table, 3, absent)
    done = run("meta", "-m", "chrf", "--json", judged, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    lines = table.read_text(encoding="utf-8").split("\n")
    table.write_text("\n".join([*lines[:2], *lines[3:]]), encoding="utf-8")
    assert run("meta", "-m", "chrf", "--json", judged, encoding="utf-8").stdout == done.stdout


@pytest.mark.parametrize("number", [*ODD, "nan", "None", ""])
def test_odd_scores_are_refused_with_their_line(judged, tmp_path, number):
    systems = sorted(path.stem for path in (judged / "hyp").iterdir())
    rows = [f"{name}\t{k}\t0.{k}" for name in systems for k in range(5)]
    table = write_lines(tmp_path / "outside.tsv", "system\tsegment\tscore", *rows)
    arguments = ("meta", "-m", "chrf", "--scores", f"outside={table}", judged)
    assert run(*arguments).returncode == 0
    replace_score(table, 4, number)
    assert f"{table}, line 4: " in refusal(*arguments)
    if number in ODD:
        replace_score(judged / "human-seg.tsv", 3, number)
        told = refusal("meta", "-m", "chrf", judged)
        assert f"human-seg.tsv, line 3: score is {number!r}; it must be a number" in told


@pytest.mark.parametrize("number", ODD)
def test_odd_numbers_are_refused_wherever_a_file_has_numbers(tmp_path, number):
    ref = write_lines(tmp_path / "ref.zh", "买雨伞")
    nbest = write_lines(tmp_path / "list.txt", f"0 ||| 买伞 ||| LM0= {number} ||| -1")
    assert f"{nbest}, line 1: feature LM0 is " in refusal("tune", nbest, "-r", ref)
    write_lines(nbest, f"0 ||| 买伞 ||| LM0= -1 ||| {number}")
    assert f"{nbest}, line 1: the total score is {number!r}" in refusal("mbr", nbest)
    weights = write_lines(tmp_path / "weights.tsv", f"伞\t{number}")
    assert f"{weights}, line 1: the weight" in refusal("score", "--weights", weights, REF, A)
    counts = write_lines(tmp_path / "counts.tsv", f"Regen\t{number}")
    with pytest.raises(InputError):
        celab.TeslaCelab(lang="de", counts=counts)


@pytest.mark.parametrize("number", ODD)
@pytest.mark.parametrize(
    "flag", ["--max-order", "--f", "--explained", "--max-line", "--resamples", "--jobs", "--grades"]
)
def test_odd_numbers_are_refused_on_the_command_line(flag, number):
    assert flag in refusal("score", flag, number, REF, A)


def test_odd_numbers_of_columns_are_names(tmp_path):
    table = write_lines(tmp_path / "t.tsv", "a\tb\tc", "买伞\t买伞\t买伞")
    told = refusal("score", "--ref-fields", "٣", "--hyp-fields", "a", table)
    assert "has no '٣' for the reference; there are: a, b, c" in told


def test_ordinary_numbers_are_read_as_python_reads_them():
    for text in ("0", "-1", "+1.5", ".5", "1.", "2e-3", "1E+2", "0.1", "123456789.123456789"):
        assert decimal(text) == float(text)
