"""Outputs of every command: never an input, never two of them the same, links and devices stay."""

import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest
from commands import EXAMPLES, refusal, requests

import celab
from celab import TeslaCelab
from celab.base.errors import InputError
from celab.base.io import atomic
from celab.base.options import option
from celab.cli import (
    align,
    board,
    check,
    compare,
    explain,
    lexicon,
    mbr,
    meta,
    metrics,
    output_files,
    para,
    pivot,
    score,
    suggest,
    terms,
    train,
    tune,
)
from celab.cli.flags import CommandLine, flags_of
from celab.cli.requests import Request

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links, pipes and devices of POSIX")

TEXTS = {
    "ref.zh": "买雨伞\n天气很好\n",
    "hyp.zh": "买伞\n天气好\n",
    "other.zh": "买\n天\n",
    "source.en": "a\nb\n",
    "groups.tsv": "雨伞\t伞\n",
    "nbest": "0 ||| 买伞\n0 ||| 买雨伞\n",
    "data/ref-A.txt": "买雨伞\n天气\n",
    "data/hyp/s.txt": "买伞\n天气\n",
    "data/hyp/t.txt": "买\n天\n",
    "data/human-sys.tsv": "system\tscore\ns\t2\nt\t1\n",
    "scores.tsv": "system\tscore\ns\t2\nt\t1\n",
    "wordnet/data.noun": "x\n",
    "counts.tsv": "Regen\t5\nSchirm\t5\n",
}


@pytest.fixture(autouse=True)
def texts(tmp_path, monkeypatch):
    """What commands read, in the working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CELAB_LEXICONS", str(tmp_path / "cache"))
    for name, text in TEXTS.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, "utf-8")
    yield
    for name, text in TEXTS.items():
        assert Path(name).read_text("utf-8") == text, f"{name} was changed"


@pytest.mark.parametrize("words", [["score"], ["explain", "1"], ["lexicon", "suggest"]])
def test_an_output_that_is_standard_input(words):
    # In a process of its own, whose standard input is the file.
    command = [sys.executable, "-m", "celab.cli.main", *words, "ref.zh", "-o", "hyp.zh"]
    with open("hyp.zh", "rb") as file:
        done = subprocess.run(command, stdin=file, capture_output=True, text=True)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == (
        f"celab {words[0]}: error: --output is hyp.zh, which is the same file as standard input;"
        " choose another\n"
    )


NONE, GROUPS = ("--lexicon", "none"), ("--lexicon", "groups.tsv")
# Command, flag of an output, what is read, and the other arguments.
COMMANDS = [
    (score, "-o", ["ref.zh", "hyp.zh"], [*NONE, "ref.zh", "hyp.zh"]),
    (score, "--html", ["ref.zh", "hyp.zh"], [*NONE, "ref.zh", "hyp.zh"]),
    (check, "--html", ["ref.zh", "hyp.zh"], ["ref.zh", "hyp.zh"]),
    (score, "-o", ["ref.zh", "hyp.zh"], [*NONE, "--segments", "ref.zh", "hyp.zh"]),
    (score, "-o", ["ref.zh", "other.zh"], [*NONE, "-r", "ref.zh", "-s", "hyp.zh", "other.zh"]),
    (
        score,
        "-o",
        ["source.en", "groups.tsv"],
        ["--source", "source.en", *GROUPS, "ref.zh", "hyp.zh"],
    ),
    (score, "-o", ["wordnet/data.noun"], ["--lexicon", "wordnet/", "ref.zh", "hyp.zh"]),
    (score, "-o", ["counts.tsv"], ["--lang", "de", "--counts", "counts.tsv", "ref.zh", "hyp.zh"]),
    (mbr, "-o", ["nbest", "groups.tsv"], [*GROUPS, "nbest"]),
    (
        meta,
        "--html",
        ["data/ref-A.txt", "data/hyp/t.txt", "data/human-sys.tsv", "scores.tsv"],
        ["-m", "celab", *NONE, "--scores", "x=scores.tsv", "data"],
    ),
    (lexicon, "-o", ["groups.tsv"], ["build", "groups.tsv"]),
    (lexicon, "-o", ["groups.tsv"], ["export", "groups.tsv"]),
]


@pytest.mark.parametrize(("command", "flag", "inputs", "arguments"), COMMANDS)
def test_an_output_is_no_input(monkeypatch, command, flag, inputs, arguments):
    def work(*_):
        raise AssertionError("this is told before any work")

    monkeypatch.setattr(metrics.Metrics, "make", work)
    for name in inputs:
        Path("link").symlink_to(name)
        os.link(name, "second")
        for output in (name, f"./{name}", "link", "second"):
            line = refusal(command, *arguments, flag, output)
            assert f"is {output}, which is the same file as input {name}; choose" in line, line
        Path("link").unlink()
        Path("second").unlink()


def test_a_plot_is_no_input():
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: nothing can be drawn")
    os.link("hyp.zh", "hyp.svg")
    line = refusal(tune, "nbest.txt", "-r", "hyp.svg", "--plot", "hyp.svg")
    assert "--plot is hyp.svg, which is the same file as input hyp.svg" in line


def test_two_outputs_are_two_files():
    Path("link").symlink_to("new")
    for other in ("new", "./new", "link", f"{os.getcwd()}/data/../new"):
        line = refusal(score, *NONE, "ref.zh", "hyp.zh", "-o", "new", "--html", other)
        same = f"--html is {other}, which is the same file as --output new"
        assert line.endswith(f"{same}; choose another")
    devices = {"--output": "/dev/null", "--html": "/dev/null"}
    output_files.check_files(devices, Request(program="celab"), ["/dev/null"])


@pytest.mark.parametrize(("command", "flag", "inputs", "arguments"), COMMANDS)
def test_what_cannot_be_written_is_told_before_any_work(
    monkeypatch, command, flag, inputs, arguments
):
    monkeypatch.setattr(metrics.Metrics, "make", lambda *_: 1 / 0)
    Path("loop").symlink_to("loop")
    line = refusal(command, *arguments, flag, "loop")
    assert "loop cannot be written (Too many levels of symbolic links)" in line
    line = refusal(command, *arguments, flag, "absent/new")
    assert "absent/new cannot be written; its folder does not exist" in line


def test_what_may_not_be_written_is_told_before_any_work(monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # as for others than root
    monkeypatch.setattr(metrics.Metrics, "make", lambda *_: 1 / 0)
    line = refusal(score, "ref.zh", "hyp.zh", "-o", "new")
    assert line == "celab-score: error: new cannot be written (Permission denied)"


# ---- the table of segments ----------------------------------------------------------------------

SEGMENTS = ("--segments", *NONE, "--quiet", "ref.zh", "hyp.zh", "-o")


def table(capsys):
    """As stdout gets it."""
    assert score.main(list(SEGMENTS[:-1])) == 0
    return capsys.readouterr().out


def test_segments_by_way_of_a_link(capsys):
    expected = table(capsys)
    Path("folder").mkdir()
    Path("link").symlink_to("folder/real")
    for _ in range(2):  # the file is not there, then it is
        assert score.main([*SEGMENTS, "link"]) == 0
        assert Path("link").is_symlink() and os.listdir("folder") == ["real"]
        assert Path("folder/real").read_text("utf-8") == expected
        Path("folder/real").chmod(0o640)
    assert Path("folder/real").stat().st_mode & 0o777 == 0o640


def test_a_pipe_gets_the_segments(capsys):
    expected, got = table(capsys), []
    os.mkfifo("pipe")
    reader = threading.Thread(target=lambda: got.append(Path("pipe").read_text("utf-8")))
    reader.daemon = True
    reader.start()
    assert score.main([*SEGMENTS, "pipe"]) == 0
    reader.join(60)
    assert got == [expected] and stat.S_ISFIFO(os.stat("pipe").st_mode)
    Path("link").symlink_to("/dev/full")
    line = refusal(score, *SEGMENTS, "link")
    assert line.endswith("link cannot be written (No space left on device)")
    assert Path("link").is_symlink()


def test_a_reader_that_leaves_is_a_broken_pipe(capsys, monkeypatch):
    def broken(path):
        reader, writer = os.pipe()
        os.close(reader)
        return open(writer, "wb")

    monkeypatch.setattr(atomic, "_open_special", broken)
    os.mkfifo("pipe")
    for arguments in (SEGMENTS, (*NONE, "--quiet", "ref.zh", "hyp.zh", "-o")):
        assert score.main([*arguments, "pipe"]) == 141
        assert capsys.readouterr().err == ""


def test_bad_input_leaves_no_file():
    Path("bad.zh").write_bytes(b"\xff\n\n")
    refusal(score, "--segments", *NONE, "ref.zh", "bad.zh", "-o", "new")
    assert not list(Path().glob("new*")) and not list(Path().glob(".celab*"))


def test_the_report_has_commands_that_repeat_the_settings(capsys):
    shutil.copy("hyp.zh", "a b.zh")
    options = ["--f", "0", "--max-order", "3", "--lexicon", "none", "--quiet", "--jobs", "1"]
    assert score.main(["-r", "ref.zh", "-s", "a b.zh", *options, "--html", "x.html"]) == 0
    data = json.loads(re.search('id="data">(.*?)</script>', Path("x.html").read_text("utf-8"))[1])
    before, middle, after = data["commands"]["celab"]
    _, name, *words = shlex.split(" ".join([before, "1", middle, data["files"][0], after]))
    capsys.readouterr()
    assert name == "explain" and explain.main([*words, "--quiet", "--json"]) == 0
    signature = str(TeslaCelab(f=0, max_order=3, lexicon=None).signature)
    assert json.dumps(signature) in capsys.readouterr().out


def test_a_report_of_segments_with_ids_has_no_commands():
    for name, root in {"ref.sgm": "refset", "hyp.sgm": "tstset"}.items():
        Path(name).write_text(f"<{root}><doc docid=d><seg id=1>好</seg></doc></{root}>")
    assert score.main(["ref.sgm", "hyp.sgm", *NONE, "--quiet", "--html", "x.html"]) == 0
    data = json.loads(re.search('id="data">(.*?)</script>', Path("x.html").read_text("utf-8"))[1])
    assert "commands" not in data


BOTH = ["-r", "ref.zh", "-s", "hyp.zh", "other.zh"]
JUDGED = [f"{EXAMPLES}/judged", "-m", "chrf", "--resamples", "40", "-q"]


@pytest.mark.parametrize(
    ("command", "words"), [(score, [*BOTH, *NONE]), (compare, [*BOTH, *NONE]), (meta, JUDGED)]
)
def test_a_page_has_the_language_that_was_asked_for(command, words):
    for options, tag in (([], "en"), (["--report-lang", "zh"], "zh-CN")):
        assert command.main([*words, "--html", "x.html", *options]) == 0
        assert f'<html lang="{tag}">' in Path("x.html").read_text("utf-8")
    assert "--report-lang" in refusal(command, *words, "--report-lang", "fr")


# ---- files of others -----------------------------------------------------------------------------

PAIR = ["ref.zh", "hyp.zh"]
GLOSSARY = [f"{EXAMPLES}/terms/{name}" for name in ("glossary.tsv", "ref.zh", "A.zh")]
GLOSSARY += ["--documents", f"{EXAMPLES}/terms/docs.txt", *NONE]
# What is told by its mark: every format of the commands that report.
REPORTS = [
    (score, [*BOTH, "--segments", "-m", "bleu"], "--no-check"),
    *((score, [*NONE, *BOTH], f) for f in ("", "--tsv", "--markdown", "--latex", "--json")),
    *((score, [*NONE, *BOTH, "--details"], f) for f in ("", "--tsv", "--markdown", "--latex")),
    *((score, [*NONE, *PAIR], f) for f in ("", "--segments")),
    (score, [*NONE, *BOTH, "--segments", "-m", "celab", "bleu"], ""),
    *((score, [*BOTH, "--segments", "-m", "bleu"], f) for f in ("", "--markdown", "--json")),
    *((compare, [*NONE, *BOTH], f) for f in ("", "--details", "--json", "--tsv", "--latex")),
    *((check, BOTH, f) for f in ("--segments", "--json", "--tsv", "--markdown", "--latex")),
    *((explain, ["1", *NONE, *BOTH], f) for f in ("", "--details", "--json")),
    *((terms, GLOSSARY, f) for f in ("--json", "--tsv", "--markdown", "--latex")),
    *((board, ["v1.json"], f) for f in ("--json", "--tsv", "--markdown")),
    *((para, ["pairs.tsv", *NONE], f) for f in ("", "--json")),
    (tune, ["features", "-r", "one.zh", *NONE, "--restarts=0"], ""),
    (lexicon, ["build", "groups.tsv"], ""),
    (pivot, ["build", "pivot.tsv", "--lang", "zh"], ""),
]
# What has no mark: texts, a single number, tables that people write, too, and models.
UNMARKED = [
    (align, PAIR, ""),
    (align, PAIR, "--tsv"),
    (mbr, ["nbest", *NONE], ""),
    (mbr, ["nbest", *NONE], "--json"),
    (lexicon, ["export", "groups.tsv"], ""),
    (suggest, [*PAIR, *NONE], ""),
    (score, [*NONE, *PAIR], "-b"),
    (check, BOTH, ""),
    (train, [JUDGED[0]], "--metric=chrf"),
]


@pytest.fixture
def more_texts(capsys):
    """What other commands read."""
    Path("pairs.tsv").write_text("source\tcandidate\n买雨伞\t买伞\n")
    Path("one.zh").write_text("买雨伞\n")
    features = "0 ||| 买伞 ||| a= 1 b= 2 ||| 1\n0 ||| 买雨伞 ||| a= 2 b= 1 ||| 1\n"
    Path("features").write_text(features, "utf-8")
    Path("pivot.tsv").write_text("雨伞\tumbrella\t3\n伞\tumbrella\t2\n")
    assert score.main([*PAIR, "-m", "chrf", "--json", "--segments", "-q", "-o", "v1.json"]) == 0
    capsys.readouterr()


def runs(command, *words):
    """The exit code of a command."""
    quiet = [] if "export" in words else ["-q"]
    return command.main([*filter(None, words), *quiet])


PRECIOUS = ("买雨伞\n天气很好\n", '{"weights": [1, 2]}', "# Notes\n\n| a | b |\n", "a\tb\n1\t2\n")


@pytest.mark.usefixtures("more_texts")
@pytest.mark.parametrize(("command", "arguments", "form"), REPORTS)
def test_a_report_is_replaced_and_a_file_of_others_is_kept(command, arguments, form):
    words = [*arguments, form, "-o", "new"]
    assert runs(command, *words) == 0
    report = Path("new").read_bytes()
    if command not in (lexicon, pivot):
        Path("new").write_bytes(report.rstrip(b"\n") + b"\n\n")  # edited
    assert report and runs(command, *words) == 0
    assert Path("new").read_bytes() == report
    Path("new").write_text("")
    assert runs(command, *words) == 0
    for precious in PRECIOUS:
        Path("new").write_text(precious, "utf-8")
        line = refusal(command, *filter(None, words))
        assert "--output is new, which exists and is not " in line
        assert line.endswith("; choose another name, or add --overwrite to replace it")
        assert Path("new").read_text("utf-8") == precious
    assert runs(command, *words, "--overwrite") == 0
    assert Path("new").read_bytes() == report


@pytest.mark.parametrize("form", ["--markdown", "--latex"])
def test_a_report_on_outputs_is_replaced_whatever_is_found(form):
    Path("empty.zh").write_text("\n" * len(Path("hyp.zh").read_text("utf-8").splitlines()))
    Path("1 empty.zh").write_text(
        "\n".join(["", *Path("ref.zh").read_text("utf-8").split("\n")[1:]])
    )
    reports = set()
    for systems in (["hyp.zh"], ["empty.zh"], ["hyp.zh", "empty.zh"], ["1 empty.zh"], ["hyp.zh"]):
        assert runs(check, "-r", "ref.zh", "-s", *systems, form, "-o", "new") == 0
        reports.add(Path("new").read_text("utf-8"))
    assert len(reports) == 4
    Path("new").write_text("All 4 outputs are translations\n")
    line = refusal(check, "-r", "ref.zh", "-s", "hyp.zh", form, "-o", "new")
    assert "--output is new, which exists and is not " in line


@pytest.mark.usefixtures("more_texts")
@pytest.mark.parametrize(("command", "arguments", "form"), UNMARKED)
def test_what_has_no_mark_is_never_replaced_silently(command, arguments, form):
    words = [*arguments, form, "-o", "new"]
    assert runs(command, *words) == 0
    written = Path("new").read_bytes()
    if written:
        assert "--output is new, which exists" in refusal(command, *filter(None, words))
    Path("new").write_text("precious")
    assert "--output is new, which exists" in refusal(command, *filter(None, words))
    assert Path("new").read_text() == "precious"
    assert runs(command, *words, "--overwrite") == 0
    assert "precious" not in Path("new").read_text("utf-8")


@pytest.mark.usefixtures("more_texts")
def test_a_slip_of_the_hand_costs_no_file():
    shutil.copy("ref.zh", "R1.zh")
    assert "--output is R1.zh, which exists" in refusal(align, "-o", "R1.zh", "ref.zh", "hyp.zh")
    assert Path("R1.zh").read_text("utf-8") == TEXTS["ref.zh"]
    shutil.copy("v1.json", "w4.json")
    before = Path("v1.json").read_bytes()
    line = refusal(board, "--json", "-o", "v1.json", "w4.json")
    assert "--output is v1.json, which exists and is not JSON of this kind" in line
    assert Path("v1.json").read_bytes() == before


def test_a_link_and_its_target_must_both_pass():
    for target, name in (("notes.md", "report.html"), ("report.html", "page.htm")):
        Path(target).write_text("precious")
        Path(name).symlink_to(target)
        line = refusal(score, *NONE, *PAIR, "--html", name)
        assert "must end in .html or .htm" in line or "not an HTML report of this kind" in line
        assert Path(target).read_text() == "precious"
        Path(name).unlink()
    Path("empty.md").write_text("")
    Path("table.tsv").symlink_to("empty.md")
    line = refusal(score, *NONE, *PAIR, "--tsv", "-o", "table.tsv")
    assert "empty.md, but the output is a TSV table, not Markdown" in line


def test_every_command_that_writes_a_file_can_be_told_to_overwrite():
    writing = {
        where: set(flags_of(kind))
        for where, kind, _ in requests()
        if any(flag.info.file in ("output", "folder") for flag in flags_of(kind).values())
    }
    assert len(writing) > 15
    assert [where for where, names in writing.items() if "overwrite" not in names] == []


PAGES = [
    (score, [*NONE, *PAIR], "--html", "x.html"),
    (compare, [*NONE, *BOTH], "--html", "x.HTM"),
    (check, BOTH, "--html", "x.html"),
    (terms, GLOSSARY, "--html", "x.html"),
    (board, ["v1.json"], "--html", "x.html"),
    (meta, JUDGED, "--html", "x.html"),
    (meta, JUDGED, "--plot", "x.svg"),
    (meta, JUDGED, "--plot", "x.png"),
    (meta, JUDGED, "--plot", "x.pdf"),
]


@pytest.mark.usefixtures("more_texts")
@pytest.mark.parametrize(("command", "arguments", "flag", "name"), PAGES)
def test_a_page_or_plot_is_replaced_and_one_of_others_is_kept(command, arguments, flag, name):
    if flag == "--plot":
        pytest.importorskip("matplotlib", reason="matplotlib is not installed: no plots")
    words = [*arguments, flag, name, "-q"]
    assert command.main(words) == command.main(words) == 0
    Path(name).write_text("<!doctype html><svg>precious")
    assert f"{flag} is {name}, which exists and is not " in refusal(command, *words)
    assert command.main([*words, "--overwrite"]) == 0
    assert "precious" not in Path(name).read_text(errors="replace")
    if flag == "--html":
        line = refusal(command, *words[:-2], "page.txt")
        assert "--html is page.txt; the name of an HTML report must end in .html or .htm" in line


def test_a_report_replaces_only_its_own_format():
    assert score.main([*NONE, *PAIR, "-q", "-o", "new"]) == 0
    assert "not JSON of this kind" in refusal(score, *NONE, *PAIR, "--json", "-o", "new")
    # A model that took a night is JSON of ours, too, but no report.
    Path("weights.json").write_text('{"celab_version": "0.4.0", "weights": {"LM0": 1}}')
    line = refusal(score, *NONE, *PAIR, "--json", "-o", "weights.json", "--html", "x.html")
    assert "weights.json, which exists and is not JSON of this kind" in line
    assert not Path("x.html").exists()
    # The columns of human scores.
    Path("human.tsv").write_text("system\tsegment\tscore\nA\t0\t1\n")
    line = refusal(score, "--segments", "-m", "bleu", "--no-check", *BOTH, "-o", "human.tsv")
    assert "human.tsv, which exists and is not a TSV table of this kind" in line


def test_a_report_that_cannot_be_made_leaves_no_output():
    Path("r").write_text("伞雨伞\n买伞\n", "utf-8")
    Path("h").write_text("雨雨伞雨伞雨伞\n买雨伞\n", "utf-8")
    hurried = ("--time-limit", "1e-9", "--on-error", "skip")
    line = refusal(score, *NONE, *hurried, "r", "h", "-o", "x", "--html", "x.html")
    assert "1 segment scores are not proved" in line
    assert not Path("x").exists() and not Path("x.html").exists()


@pytest.mark.parametrize(
    ("form", "suffixes"),
    [
        ([], ".html .htm .json .tsv .md .tex .TSV .json.gz"),
        (["--json"], ".html .tsv .md .tex"),
        (["--tsv"], ".html .json .md .tex"),
        (["--segments"], ".html .json .md"),
        (["--markdown"], ".html .json .tsv .tex"),
        (["--latex"], ".html .json .tsv .md"),
    ],
)
def test_a_name_that_is_for_another_format(form, suffixes):
    for suffix in suffixes.split():
        line = refusal(score, *NONE, *PAIR, *form, "-o", f"out{suffix}", "--overwrite")
        assert f"--output is out{suffix}, but the output is " in line
    assert score.main([*NONE, *PAIR, *form, "-q", "-o", "out.txt"]) == 0


def test_devices_and_pipes_have_no_format():
    for words in (["-o", "/dev/null"], ["--html", "/dev/null", "-b"]):
        assert score.main([*NONE, *PAIR, *words, "-q"]) == 0


def test_scores_of_a_submission_are_kept():
    words = [*JUDGED, "--write-scores", "out"]
    assert meta.main(words) == 0
    before = {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()}
    assert len(before) == 3
    for path in before:
        path.write_text("of others\n")
    line = refusal(meta, *words)
    assert "a file of --write-scores is out/" in line and "add --overwrite" in line
    assert {path.read_text() for path in before} == {"of others\n"}
    assert meta.main([*words, "--overwrite"]) == 0
    assert {path: path.read_bytes() for path in before} == before
    shutil.copytree(JUDGED[0], "judged")
    shutil.copytree(JUDGED[0], "other/judged")
    line = refusal(meta, "judged", "other/judged", *JUDGED[1:], "--write-scores", "both")
    assert "for judged and judged; write one at a time" in line and not Path("both").exists()


def test_unwrapped_outputs_replace_nothing():
    words = ["-r", "ref.zh", "-s", "hyp.zh", "other.zh", "--unwrap-to", "out"]
    assert check.main(words) == 0
    assert Path("out/hyp.zh").read_text() == TEXTS["hyp.zh"]
    Path("out/hyp.zh").unlink()
    Path("out/other.zh").write_text("of others\n")
    line = refusal(check, *words)
    assert "a file of --unwrap-to is out/other.zh, which exists" in line
    assert Path("out/other.zh").read_text() == "of others\n" and not Path("out/hyp.zh").exists()
    assert check.main([*words, "--overwrite"]) == 0
    assert Path("out/other.zh").read_text() == TEXTS["other.zh"]


def test_a_folder_that_takes_no_files_is_told_before_any_work(monkeypatch):
    if not os.path.isdir("/proc/self"):
        pytest.skip("there is no /proc")
    monkeypatch.setattr(metrics.Metrics, "make", lambda *_: 1 / 0)
    line = refusal(score, *PAIR, "--tsv", "-o", "/proc/x.tsv")
    assert line.endswith("/proc/x.tsv cannot be written; its folder takes no new files")
    assert not list(Path().glob(".celab-*"))


def test_standard_output_is_taken():
    command = [sys.executable, "-m", "celab.cli.main", "score", *NONE, *PAIR, "--html", "x.html"]
    with open("x.html", "wb") as file:
        done = subprocess.run(command, stdout=file, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert "x.html, which is the same file as standard output" in done.stderr


FILE_WORDS = "FILE|FOLDER|PATH|REF|NBEST|WEIGHTS|DATASET|GLOSSARY|PAIRS"  # in help


def test_every_argument_that_may_be_a_file_is_an_input_or_an_output():
    """A new flag that reads a file needs nothing: its file is never replaced."""
    seen = set()
    for where, kind, parser in requests():
        for action in parser._actions:
            if action.nargs == 0 or action.choices is not None:
                continue
            value = ("ref.zh",) if action.nargs in ("+", "*") else "ref.zh"
            flags = flags_of(kind)
            given = {action.dest: value} if action.dest in flags else {}
            named = CommandLine(flags, given).possible_inputs
            kind_of_file = flags[action.dest].info.file if given else None
            is_written = kind_of_file in ("output", "folder")
            takes_file = re.search(FILE_WORDS, action.metavar or "")
            if takes_file:
                seen.add(action.dest)
                assert bool(named) != is_written, f"{where} {action.dest}"
            if is_written:
                assert takes_file and re.match("(also )?(write|draw)|.*output|.*model", action.help)
    assert {"baseline", "human", "spans", "scores", "glossary", "html"} <= seen


@pytest.mark.parametrize(
    "value", ["ref.zh", "x=ref.zh", "zh-core,ref.zh", "a.tsv:1,ref.zh:0.5", "r[e]f.zh", "."]
)
def test_a_file_is_found_in_every_form_of_an_argument(value):
    @dataclass(frozen=True, kw_only=True)
    class New(Request):
        new_flag: tuple[str, ...] = option((), "a new one", repeats=True)

    given = CommandLine(flags_of(New), {"new_flag": (value,)})
    request = New(program="celab", command_line=given)
    with pytest.raises(InputError):
        output_files.check_files({"--output": "./ref.zh"}, request)


def test_python_writes_no_page_over_its_input():
    campaign = celab.Campaign.read(["ref.zh"], ["hyp.zh"]).score(["chrf"])
    for path in ("ref.zh", Path("hyp.zh")):
        with pytest.raises(InputError):
            campaign.html(path)
    Path("page").write_text("of others")  # a caller who names a file means it
    assert campaign.html("page") == "page"


SEGMENT = '<doc docid="d"><seg id="1">{}</seg></doc>'
OUTPUT = {"choices": [{"message": {"content": "伞", "role": "assistant"}}]}
SAMPLE = {"id": "1", "epoch": 1, "input": "x", "target": "雨伞", "output": OUTPUT}
MATCH = {"sample_id": 1, "type": "match", "data": {"expected": "雨伞", "sampled": "伞"}}


def named_sgml(name):
    reference = f'<refset setid="s" refid="A">{SEGMENT.format("雨伞")}</refset>'
    return f'{reference}<tstset setid="s" sysid="{name}">{SEGMENT.format("伞")}</tstset>'


def named_inspect(name):
    return json.dumps({"version": 2, "eval": {"model": name}, "samples": [SAMPLE]})


def named_openai_evals(name):
    return f"{json.dumps({'spec': {'completion_fns': [name]}})}\n{json.dumps(MATCH)}\n"


@pytest.mark.parametrize(
    ("file", "write"),
    [("x.sgm", named_sgml), ("x.json", named_inspect), ("x.jsonl", named_openai_evals)],
)
@pytest.mark.parametrize("name", ["../victim", "/{}/victim", "..", "a/../../victim", "x"])
def test_a_file_cannot_say_where_it_is_written(tmp_path, file, write, name):
    name = name.format(str(tmp_path).strip("/"))
    Path(file).write_text(write(name), "utf-8")
    Path("victim.txt").write_text("precious")
    Path("out").mkdir()
    assert align.main(["-r", file, "-s", file, "-o", "out", "-q"]) == 0
    assert Path("victim.txt").read_text() == "precious"
    (written,) = os.listdir("out")
    assert Path("out", written).read_text("utf-8") == "伞\n"
    assert (written == "x.txt") == (name == "x") and not written.startswith(".")
