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
from pathlib import Path

import pytest
from commands import EXAMPLES, refusal

from celab import TeslaCelab
from celab.base.errors import InputError
from celab.base.io import atomic
from celab.cli import bench, compare, explain, lexicon, mbr, meta, metrics, outputs, score

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

    monkeypatch.setattr(metrics, "make_metrics", work)
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
    line = refusal(bench, "ref.zh", "hyp.svg", "--plot", "hyp.svg")
    assert "--plot is hyp.svg, which is the same file as input hyp.svg" in line


def test_standard_input_is_an_input_too():
    before = os.dup(0)
    with open("hyp.zh", "rb") as file:
        os.dup2(file.fileno(), 0)
    try:
        with pytest.raises(
            InputError, match=r"--output is hyp\.zh, which is the same file as standard input"
        ):
            outputs.check({"--output": "hyp.zh"}, ["ref.zh", "-"])
    finally:
        os.dup2(before, 0)
        os.close(before)


def test_two_outputs_are_two_files():
    Path("link").symlink_to("new")
    for other in ("new", "./new", "link", f"{os.getcwd()}/data/../new"):
        line = refusal(score, *NONE, "ref.zh", "hyp.zh", "-o", "new", "--html", other)
        same = f"--html is {other}, which is the same file as --output new"
        assert line.endswith(f"{same}; choose another")
    outputs.check({"--output": "/dev/null", "--html": "/dev/null"}, ["/dev/null"])


@pytest.mark.parametrize(("command", "flag", "inputs", "arguments"), COMMANDS)
def test_what_cannot_be_written_is_told_before_any_work(
    monkeypatch, command, flag, inputs, arguments
):
    monkeypatch.setattr(metrics, "make_metrics", lambda *_: 1 / 0)
    Path("loop").symlink_to("loop")
    line = refusal(command, *arguments, flag, "loop")
    assert "loop cannot be written (Too many levels of symbolic links)" in line
    line = refusal(command, *arguments, flag, "absent/new")
    assert "absent/new cannot be written; its folder does not exist" in line


def test_what_may_not_be_written_is_told_before_any_work(monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # as for others than root
    monkeypatch.setattr(metrics, "make_metrics", lambda *_: 1 / 0)
    line = refusal(score, "ref.zh", "hyp.zh", "-o", "new")
    assert line == "celab-score: error: new cannot be written (Permission denied)"


# ---- the table of segments that grows -----------------------------------------------------------

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


@pytest.mark.parametrize("name", ["new.partial", "new.partial.json"])
@pytest.mark.parametrize("resume", [[], ["--resume"]])
@pytest.mark.parametrize("kind", ["link", "dangling", "pipe", "second name"])
def test_what_somebody_else_put_in_place_of_the_partial_file(name, resume, kind):
    if kind == "pipe":
        os.mkfifo(name)
    elif kind == "second name":
        Path("precious").write_text("precious")
        os.link("precious", name)
    else:
        Path(name).symlink_to("ref-copy" if kind == "link" else "nothing")
        Path("ref-copy").write_text("precious")
    line = refusal(score, *SEGMENTS, "new", *resume)
    assert f"{name} cannot be written (" in line
    assert not Path("new").exists() and not Path("nothing").exists()
    for copy in ("precious", "ref-copy"):
        assert not Path(copy).exists() or Path(copy).read_text() == "precious"


@pytest.mark.parametrize("name", ["new.partial", "new.partial.json"])
def test_the_partial_file_is_no_input(name):
    os.link("hyp.zh", name)
    line = refusal(score, "--segments", *NONE, "ref.zh", name, "-o", "new")
    assert f"partial.json, which is the same file as input {name}" in line or (
        f"partial, which is the same file as input {name}" in line
    )


def test_a_pipe_gets_the_segments_and_has_nothing_to_resume(capsys):
    expected, got = table(capsys), []
    os.mkfifo("pipe")
    reader = threading.Thread(target=lambda: got.append(Path("pipe").read_text("utf-8")))
    reader.daemon = True
    reader.start()
    assert score.main([*SEGMENTS, "pipe"]) == 0
    reader.join(10)
    assert got == [expected] and stat.S_ISFIFO(os.stat("pipe").st_mode)
    line = refusal(score, *SEGMENTS, "pipe", "--resume")
    assert "--output is pipe, a pipe or a device; there is nothing to resume" in line
    Path("link").symlink_to("/dev/full")
    line = refusal(score, *SEGMENTS, "link")
    assert line.endswith("link cannot be written (No space left on device)")
    assert Path("link").is_symlink() and not list(Path().glob("*.partial*"))


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


def test_two_runs_do_not_write_the_same_partial_file(capsys):
    fcntl = pytest.importorskip("fcntl")
    expected = table(capsys)
    with open("new.partial", "wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        line = refusal(score, *SEGMENTS, "new")
        assert "new.partial cannot be written (another process is writing it)" in line
    assert score.main([*SEGMENTS, "new"]) == 0
    assert Path("new").read_text("utf-8") == expected


def test_bad_input_leaves_no_partial_file():
    Path("bad.zh").write_bytes(b"\xff\n\n")
    refusal(score, "--segments", *NONE, "ref.zh", "bad.zh", "-o", "new")
    assert not list(Path().glob("new*"))


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


@pytest.mark.parametrize("command", [score, compare])
def test_the_report_has_the_language_that_was_asked_for(command):
    files = ["-r", "ref.zh", "-s", "hyp.zh", "ref.zh", *NONE, "--quiet", "--html", "x.html"]
    for options, tag in (([], "en"), (["--report-lang", "zh"], "zh-CN")):
        assert command.main([*files, *options]) == 0
        assert f'<html lang="{tag}">' in Path("x.html").read_text("utf-8")
    assert "--report-lang" in refusal(command, *files, "--report-lang", "fr")


def test_the_page_of_a_meta_evaluation_has_the_language_that_was_asked_for():
    command = [f"{EXAMPLES}/judged", "-m", "chrf", "--resamples", "5", "--quiet"]
    for options, tag in (([], "en"), (["--report-lang", "zh"], "zh-CN")):
        assert meta.main([*command, "--html", "x.html", *options]) == 0
        assert f'<html lang="{tag}">' in Path("x.html").read_text("utf-8")
    assert "--report-lang" in refusal(meta, *command, "--report-lang", "fr")
