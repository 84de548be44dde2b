"""Names and texts that hold what is no UTF-8, or what a terminal obeys, in every command."""

import json
import os
import re
from html import unescape
from pathlib import Path

import pytest

from celab.base.errors import OptionError
from celab.base.text import escapes
from celab.cli import (
    batches,
    check,
    compare,
    explain,
    lexicon,
    mbr,
    meta,
    progress,
    score,
    stream,
    tune,
)

# A byte that is no UTF-8, an escape sequence, C1, an override of direction, line ends, DEL.
ODD = os.fsdecode(b"\xff") + "\x1b[31m\x9b2J\u202e\u2066\u2028\x7f\r\n\t伞"
SHOWN = r"\udcff\x1b[31m\x9b2J\u202e\u2066\u2028\x7f\r\n\t伞"
# In a table tabs and line ends are spaces.
FLAT = r"\udcff\x1b[31m\x9b2J\u202e\u2066 \x7f  伞"
OBEYED = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Files of all kinds, each with an odd name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CELAB_LEXICONS", str(tmp_path / "cache"))
    data = Path(f"data{ODD}")
    texts = {
        f"ref{ODD}": "买雨伞\n天气\n",
        f"hyp{ODD}": f"买伞\x1b\u202e\n天气{ODD[1:3]}好\n",
        f"two{ODD}": "买\n天\n",
        f"lex{ODD}": "雨伞\t伞\n",
        f"nbest{ODD}": "0 ||| 买\x1b伞\n0 ||| 买雨\x1b伞\n",
        data / f"ref-A{ODD}.txt": "买雨伞\n天\n",
        data / "hyp" / f"s{ODD}.txt": "买伞\n天\n",
        data / "hyp" / "t.txt": "买\n天\n",
        data / "human-sys.tsv": "system\tscore\nt\t1\n",
        f"scores{ODD}": "system\tscore\nt\t1\n",
    }
    try:
        for name, text in texts.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_bytes(text.encode())
    except OSError:
        pytest.skip("the file system takes no such names")


LEX = ("--lexicon", f"lex{ODD}")
ONE = (*LEX, f"ref{ODD}", f"hyp{ODD}")
TWO = (*LEX, "-r", f"ref{ODD}", "-s", f"hyp{ODD}", f"two{ODD}")
META = ("-m", "celab", *LEX, "--scores", f"x{ODD}=scores{ODD}", f"data{ODD}")


def told(capfdbinary, main, *arguments, code=0):
    """What is on stdout; nothing that a terminal obeys is on either."""
    assert main(list(arguments)) == code
    out, err = (data.decode() for data in capfdbinary.readouterr())
    for text in (out, err):
        assert not OBEYED.search(text), text
    program = err.partition(":")[0]  # no name or text begins a line
    assert all(line.startswith(f"{program}: ") for line in err.splitlines())
    return out


TABLES = [(), ("--tsv",), ("--markdown",), ("--latex",), ("--json",)]
LEVELS = [
    ("--segments",),
    ("--json", "--segments"),
    ("--level=document", "--documents", f"two{ODD}"),
]
# Command, arguments, flags, and what is shown of the first system unless it is JSON or markup.
PRINTED = [
    *((score, ONE, flags, "") for flags in [*TABLES, *LEVELS]),
    *((explain, (n, *ONE), (), f"hyp{SHOWN} against ref{SHOWN}") for n in "12"),
    *((score, TWO, flags, f"hyp{FLAT}") for flags in [*TABLES[1:], *LEVELS]),
    *((score, TWO, flags, f"hyp{SHOWN}") for flags in [(), ("--test=bootstrap",)]),
    *((compare, ("-m", "celab", *TWO), flags, "") for flags in TABLES[1:]),
    (compare, ("-m", "celab", *TWO), (), f"hyp{SHOWN} scores higher than two{SHOWN}"),
    (compare, ("-m", "celab", *TWO), ("--details",), f"advantage for hyp{SHOWN}"),
    *((explain, ("1-2", *TWO), flags, f"hyp{SHOWN}  score") for flags in [(), ("--details",)]),
    (explain, ("1-2", *TWO), ("--json",), ""),
    *((meta, META, flags, "") for flags in TABLES),
]


@pytest.mark.parametrize(("command", "arguments", "flags", "shown"), PRINTED)
def test_commands_escape_names_and_texts(capfdbinary, command, arguments, flags, shown):
    out = told(capfdbinary, command.main, *arguments, *flags)
    if "--json" in flags:
        name = f"data{ODD}" if command is meta else f"hyp{ODD}"
        assert json.dumps(name) in json.dumps(json.loads(out))
    elif {"--markdown", "--latex"} & {*flags}:
        assert "udcff" in out
    else:
        assert shown in out


@pytest.mark.parametrize("flags", [(), ("--segments",), ("--json",), ("--tsv",)], ids=" ".join)
def test_files_of_any_name_are_written(capfdbinary, flags):
    out = told(capfdbinary, score.main, *ONE, *flags)
    assert told(capfdbinary, score.main, *ONE, *flags, "-o", f"out{ODD}") == ""
    assert Path(f"out{ODD}").read_bytes().decode() == out
    assert not list(Path().glob(".celab*"))


def test_pages_are_made_of_files_of_any_name(capfdbinary):
    pytest.importorskip("jinja2", reason="Jinja2 is not installed: no page can be made")
    data = f"data{ODD}"
    for name, main, arguments in (
        ("page", score.main, ONE),
        ("pages", score.main, TWO),
        ("check", check.main, ONE[2:]),
        ("meta", meta.main, [*LEX, data]),
    ):
        told(capfdbinary, main, *arguments, "--html", f"{name}{ODD}.html")
        page = Path(f"{name}{ODD}.html").read_bytes().decode()
        assert "\\udcff" in page and page.rstrip().endswith("</html>")
        # Neither who reads the file nor who looks at the page meets a character that is obeyed.
        assert not OBEYED.search(page) and not OBEYED.search(unescape(page))
        if main is score.main:
            data = json.loads(re.search(r'id="data">(.*?)</script>', page)[1])
            assert data["systems"][0] == f"hyp{ODD}"
            assert data["hyps"][0][0] == "买伞\x1b\u202e"


def test_features_of_any_name_are_tuned(capfdbinary):
    scores = ["0 ||| 买雨伞 ||| a= 1 ||| 1", "0 ||| 卖 ||| a= 2 ||| 2", "1 ||| 天气 ||| a= 3 ||| 1"]
    name = ODD[1:8]
    Path("nbest").write_text("".join(f"{line}\n" for line in scores).replace("a=", f"{name}="))
    tuned = (*LEX, "--restarts", "0", "--quiet", "nbest", "-r", f"ref{ODD}")
    told(capfdbinary, tune.main, *tuned)


def test_notebooks_show_any_name():
    import celab

    texts = celab.Campaign.read([f"ref{ODD}"], [f"hyp{ODD}", f"two{ODD}"])
    scored = texts.score("celab", lexicon=f"lex{ODD}").test(n_resamples=50)
    compared = scored.compare(f"hyp{ODD}", f"two{ODD}", n_resamples=50)
    explained = scored.metrics["celab"].explain(f"买{ODD}", f"买{ODD}\u202e")
    for result in (scored, scored.comparisons["celab"], compared, explained):
        fragment = result._repr_html_()
        assert OBEYED.findall(unescape(fragment)) == []
        assert "\\u202e" in fragment


def test_plots_show_any_name():
    pyplot = pytest.importorskip("matplotlib.pyplot", reason="matplotlib is not installed")
    import celab
    from celab.report import plots

    texts = celab.Campaign.read([f"ref{ODD}"], [f"hyp{ODD}", f"two{ODD}"])
    scored = texts.score("celab", lexicon=f"lex{ODD}")
    explained = scored.metrics["celab"].explain(f"买{ODD}", f"买{ODD}")
    compared = scored.compare(f"hyp{ODD}", f"two{ODD}", n_resamples=50)
    for result in (scored, compared, explained):
        drawn = plots.saved(result.plot().figure, "svg").decode()
        assert not OBEYED.search(unescape(drawn)) and "u202e" in drawn
    pyplot.close("all")


def test_candidates_are_data_and_terminals_get_escapes(capfdbinary, monkeypatch):
    assert mbr.main([*LEX, "--quiet", f"nbest{ODD}"]) == 0
    assert capfdbinary.readouterr().out == "买\x1b伞\n".encode()
    assert mbr.main([*LEX, "--quiet", f"nbest{ODD}", "-o", f"best{ODD}"]) == 0
    assert Path(f"best{ODD}").read_bytes() == "买\x1b伞\n".encode()
    told(capfdbinary, mbr.main, *LEX, "--json", f"nbest{ODD}")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert told(capfdbinary, mbr.main, *LEX, f"nbest{ODD}") == "买\\x1b伞\n"
    told(capfdbinary, lexicon.main, "export", f"lex{ODD}")


def test_colors_reach_a_terminal_and_nothing_else_does(capfdbinary, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert explain.main(["1", *ONE, "--color", "always"]) == 0
    out = capfdbinary.readouterr().out.decode()
    plain, n_colors = re.subn(r"\x1b\[[0-9;]*m", "", out)
    assert n_colors and not OBEYED.search(plain)


def test_lexicons_are_shown(capfdbinary):
    Path(f"words{ODD}").write_bytes("雨\x1b[31m伞\t伞\u202e\n".encode())
    words = f"words{ODD}"
    told(capfdbinary, lexicon.main, "build", words, "-o", f"x{ODD}.lex", "--name", ODD)
    for arguments in (
        ("info", words),
        ("info", f"x{ODD}.lex"),
        ("info", words, "--json"),
        ("lookup", ODD),
        ("lookup", "伞\u202e", "--lexicon", words),
        ("lookup", "伞\u202e", "--json", "--lexicon", words),
        ("diff", words, f"lex{ODD}"),
        ("diff", words, f"lex{ODD}", "--json"),
        ("list",),
    ):
        assert told(capfdbinary, lexicon.main, *arguments)
    told(capfdbinary, explain.main, "1", "--lexicon", words, f"ref{ODD}", f"hyp{ODD}")


def test_errors_are_one_line(capfdbinary):
    for main, arguments in (
        (score.main, [f"none{ODD}", f"hyp{ODD}"]),
        (score.main, [f"--none{ODD}"]),
        (score.main, ["--lexicon", ODD, *ONE[2:]]),
        (score.main, ["-m", ODD, *ONE[2:]]),
        (score.main, ["--encoding", ODD, *ONE[2:]]),
        (score.main, ["-o", f"none{ODD}/x", *ONE]),
        (score.main, ["--only-refs", ODD, *ONE]),
        (mbr.main, [f"none{ODD}"]),
        (meta.main, [f"none{ODD}"]),
        (lexicon.main, ["info", ODD]),
        (lexicon.main, [ODD]),
        (lexicon.main, ["fetch", ODD]),
        (stream.main, [ODD]),
        (lexicon.main, ["build", ODD, "-o", ODD]),
    ):
        told(capfdbinary, main, *arguments, code=2)


def test_columns_of_dask_are_utf8():
    given = score.main.read([*TWO, "--engine", "dask"])
    columns, hyps, refs = batches._data(given, [f"ref{ODD}"], [f"hyp{ODD}", "b"])
    assert list(columns.values()) == [f"ref{ODD}", f"hyp{ODD}", "b"]
    assert [*refs, *hyps] == list(columns) and "".join(columns).encode()
    with pytest.raises(OptionError):
        batches._data(given, ["ref"], ["a\udcff", "a\\udcff"])


def test_parquet_of_any_name():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    pytest.importorskip("pyarrow", reason="PyArrow is not installed")
    from celab.distributed.partitions import parquet_parts

    pandas.DataFrame({"reference": ["买伞"]}).to_parquet("plain.parquet")
    os.rename("plain.parquet", f"p{ODD}.parquet")
    (part,) = parquet_parts([f"p{ODD}.parquet"], ["reference"], 10)
    assert part.read()["reference"].tolist() == ["买伞"]


def test_function_tags_of_any_bytes(capfdbinary):
    Path("tagged").write_text("a|a|N\nb|b|N\n")
    flags = ("-m", "tesla-m", "--analysis", "tagged", "--function-tags", ODD, "--lexicon", "none")
    told(capfdbinary, score.main, *flags, "tagged", "tagged")


def test_a_bar_shows_names_as_they_are(capfd):
    bar = progress.ProgressBar(1, f"reading [/red]{{0}}{ODD}", unit="bytes")
    bar.show()
    bar.bar.stop()
    assert bar.bar.tasks[0].description == f"reading [/red]{{0}}{SHOWN}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a b", "a b"),
        (ODD, SHOWN),
        ("a\u3000\xa0b", "a\u3000\xa0b"),
        ("👨\u200d👩", "👨\u200d👩"),
        ("\U000e0001", r"\U000e0001"),
        ("", ""),
    ],
)
def test_escapes(text, shown):
    assert escapes.escape_controls(text) == shown
    assert json.loads(escapes.dump_json([text])) == [text]
    assert not OBEYED.search(escapes.dump_json([text])[:-1])
