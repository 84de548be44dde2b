"""Segments of text that is longer than a batch: the same table, written as a whole."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scores_json import systems_of

import celab
from celab.cli import batches, score
from celab.corpus import lines
from celab.findings.translations.screening import Lengths
from celab.metrics.celab_scorer import CelabScorer

N = 25


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """Three and a half batches of seven lines."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(batches, "STREAM_BATCH", 7)
    rng = np.random.default_rng(1)
    made = [
        ["".join(rng.choice(list("买雨伞天气好的"), rng.integers(1, 9))) for _ in range(N)]
        for _ in range(3)
    ]
    made[0][3], made[2][9] = "", ""
    for name, texts in zip(("a.zh", "b.zh", "hyp.zh"), made, strict=True):
        Path(name).write_text("".join(f"{text}\n" for text in texts), "utf-8")


REFS, HYP = ["a.zh", "b.zh"], "hyp.zh"
FILES = ["-r", *REFS, "-s", HYP]
QUIET = ["--segments", "--lexicon", "none", "--quiet"]


def table(capsys, *arguments, code=0):
    assert score.main([*QUIET, *arguments]) == code
    return capsys.readouterr().out


def whole(capsys):
    """The same table, made of everything at once."""
    report = json.loads(table(capsys, "--json", *REFS, HYP))
    (system,) = systems_of(report)
    kinds = {n: kind for kind, segments in system["outputs"].items() for n in segments}
    rows = system["metrics"]["celab"]["segments"]
    hyps, *refs = (Path(name).read_text("utf-8").splitlines() for name in (HYP, *REFS))
    ratios = Lengths.of_texts({"": hyps}, refs).ratios("")
    return "segment\tscore\tprecision\trecall\toutput\tlength_ratio\n" + "".join(
        f"{n}\t{row['score']}\t{row['precision']}\t{row['recall']}\t{kinds.get(n, '')}\t{ratio}\n"
        for n, (row, ratio) in enumerate(zip(rows, ratios, strict=True), 1)
    )


def test_batches_make_the_same_table(capsys):
    expected = whole(capsys)
    assert expected.count("empty") == 1
    assert table(capsys, *REFS, HYP) == expected
    Path("hyp.gz").write_bytes(gzip.compress(Path(HYP).read_bytes()))
    assert table(capsys, *REFS, "hyp.gz") == expected
    assert table(capsys, "-r", *REFS, "-s", HYP) == expected
    Path("crlf.zh").write_bytes(b"\xef\xbb\xbf" + Path(HYP).read_bytes().replace(b"\n", b"\r\n"))
    assert table(capsys, *REFS, "crlf.zh") == expected
    text = Path(HYP).read_text("utf-8")
    Path("gb.zh").write_bytes(text.encode("gb18030"))
    assert "UTF-8" not in table(capsys, "--encoding", "gb18030", *["gb.zh"] * 2, code=2)
    for name in REFS:
        Path(name).write_bytes(Path(name).read_text("utf-8").encode("gb18030"))
    assert table(capsys, "--encoding", "gb18030", *REFS, "gb.zh") == expected


def test_what_is_no_plain_text_is_read_whole(capsys):
    both = Path(HYP).read_text("utf-8").encode("utf-16")
    Path("utf16.zh").write_bytes(both)
    assert table(capsys, *REFS, "utf16.zh") == whole(capsys)
    rows = zip(*(Path(name).read_text("utf-8").splitlines() for name in (*REFS, HYP)), strict=True)
    objects = [json.dumps({"refs": [a, b], "hyp": h}) for a, b, h in rows]
    Path("all.jsonl").write_text("\n".join(objects), "utf-8")
    assert lines.open_lines([("all.jsonl", None)]) is None


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("short.zh", "好\n" * 20, "short.zh has 20 lines but a.zh has 25"),
        ("long.zh", "好\n" * 40, "long.zh has 40 lines but a.zh has 25"),
        ("bad.zh", b"a\n" * 15 + b"\xff\n" + b"a\n" * 9, "bad.zh, line 16: byte 0xFF"),
        ("empty.zh", "", "empty.zh is empty"),
        ("cut.gz", gzip.compress(b"a\n" * 25, mtime=0)[:-6], "cut.gz cannot be decompressed"),
    ],
    ids=["short", "long", "bad", "empty", "cut"],
)
def test_bad_input_is_told_with_its_line(capsys, name, data, words):
    Path(name).write_bytes(data if isinstance(data, bytes) else data.encode())
    assert score.main([*QUIET, *REFS, name]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert words in line
    assert score.main([*QUIET, *REFS, name, "-o", "out.tsv"]) == 2
    assert not Path("out.tsv").exists()


def test_a_reference_that_is_blank_everywhere(capsys):
    Path("b.zh").write_text("x\n" * 3 + "\n" + "x\n" * 21, "utf-8")
    assert score.main([*QUIET, *REFS, HYP]) == 2
    assert "line 4 is blank in a.zh and b.zh" in capsys.readouterr().err


def test_output_is_written_whole(capsys):
    expected = whole(capsys)
    assert table(capsys, *REFS, HYP, "-o", "out.tsv") == ""
    assert Path("out.tsv").read_text("utf-8") == expected
    assert sorted(os.listdir()) == ["a.zh", "b.zh", "hyp.zh", "out.tsv"]


def test_an_interruption_leaves_the_old_table_and_nothing_else(capsys, monkeypatch):
    words = [*QUIET, *REFS, HYP, "-o", "out.tsv"]
    assert score.main(words) == 0
    capsys.readouterr()
    before, real, n_batches = Path("out.tsv").read_bytes(), CelabScorer._score_systems, 0

    def score_two(self, *arguments):
        nonlocal n_batches
        n_batches += 1
        if n_batches == 3:
            raise KeyboardInterrupt
        return real(self, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(CelabScorer, "_score_systems", score_two)
        assert score.main(words) == 130
    assert capsys.readouterr().err == "celab-score: interrupted after 14 segments\n"
    assert sorted(os.listdir()) == ["a.zh", "b.zh", "hyp.zh", "out.tsv"]
    assert Path("out.tsv").read_bytes() == before
    assert score.main(words) == 0 and Path("out.tsv").read_bytes() == before


COMMAND = [sys.executable, "-m", "celab", "score", "--segments", "--lexicon", "none"]


@pytest.fixture
def environment():
    here = os.path.dirname(os.path.abspath(celab.__path__[0]))
    return {**os.environ, "PYTHONPATH": here, "PYTHONIOENCODING": "utf-8"}


def test_rows_come_before_the_input_ends_and_ctrl_c_says_how_far(environment):
    Path("ref.zh").write_text("今天天气不错\n" * 50_000, "utf-8")
    code = (
        "import sys, time\n"
        "sys.stdout.write(('今天天气很好' + chr(10)) * 20_000)\nsys.stdout.flush()\ntime.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment
    ) as source:
        command = subprocess.Popen(
            [*COMMAND, "ref.zh", "-"],
            stdin=source.stdout,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )
        rows = [command.stdout.readline() for _ in range(10_001)]
        assert rows[-1].startswith(b"10000\t")
        time.sleep(0.5)
        command.send_signal(signal.SIGINT)
        _, err = command.communicate(timeout=60)
        assert command.returncode == 130
        assert b"interrupted after 20,000 segments" in err or b"after 10,000 segments" in err
        source.kill()


def test_batches_tell_which_outputs_are_no_translations(capsys, monkeypatch):
    one = ["-r", REFS[1], "-s", HYP]
    assert score.main([*QUIET, "--json", *one]) == 0
    told = capsys.readouterr().err
    start = (
        "celab-score: finding: hyp: 1 of 25 outputs may not be a translation (1 empty); without "
    )
    assert told.startswith(start)
    assert score.main([*QUIET, *one]) == 0
    assert capsys.readouterr().err == told
    assert score.main([*QUIET, "-m", "bleu", *one]) == 2  # which has no lexicon
    capsys.readouterr()
    quiet = ["--segments", "--quiet", "-m", "bleu", *one]
    assert score.main(quiet) == 0
    streamed = capsys.readouterr()
    assert score.main([*quiet, "--json"]) == 0
    assert capsys.readouterr().err == streamed.err
    assert streamed.out.splitlines()[10].endswith("\tempty\t0.0")
    assert score.main([*QUIET, "--no-check", *one]) == 0
    unchecked = capsys.readouterr()
    assert (unchecked.out.partition("\n")[0], unchecked.err) == (
        "segment\tscore\tprecision\trecall\tlength_ratio",
        "",
    )


@pytest.mark.parametrize("name", [*REFS, HYP])
@pytest.mark.parametrize("words", [[], ["-o", "new.tsv"]])
def test_a_line_that_is_lost_is_noticed_before_scoring(capsys, monkeypatch, name, words):
    monkeypatch.setattr(CelabScorer, "_score_systems", lambda *_: 1 / 0)
    texts = Path(name).read_bytes().splitlines(keepends=True)
    Path(name).write_bytes(b"".join(texts[:20] + texts[21:]))
    assert score.main([*QUIET, *REFS, HYP, *words]) == 2
    out, err = capsys.readouterr()
    assert f"{name} has 24" in err and "25" in err and out == ""
    assert not list(Path().glob("new*"))


def test_what_cannot_be_counted_is_not(capsys):
    expected = whole(capsys)
    os.mkfifo("pipe")
    writer = subprocess.Popen(["sh", "-c", "cat hyp.zh > pipe"])
    assert table(capsys, *REFS, "pipe") == expected
    assert writer.wait(10) == 0


def test_files_that_turn_out_not_to_be_aligned_leave_no_table(capsys):
    texts = Path(HYP).read_bytes().splitlines(keepends=True)
    Path("hyp.gz").write_bytes(gzip.compress(b"".join(texts[:-1])))
    assert score.main([*QUIET, *REFS, "hyp.gz", "-o", "new.tsv"]) == 2
    assert "hyp.gz has 24 lines but a.zh has 25 and b.zh has 25" in capsys.readouterr().err
    assert not list(Path().glob("*new*")) and not list(Path().glob(".celab*"))


# ---- the score of the corpus ----


def score_lines(capsys, *words, code=0):
    """The lines on stderr that have a score."""
    assert score.main([word for word in ["--segments", *words] if word]) == code
    return [line for line in capsys.readouterr().err.splitlines() if " = " in line]


@pytest.mark.parametrize("name", ["celab", "chrf", "bleu"])
def test_the_table_ends_with_the_score_of_the_corpus(capsys, name):
    words = ["-m", name, *(["--lexicon", "none"] if name == "celab" else []), *FILES]
    assert score.main([*words, "-q", "--no-interval"]) == 0
    title, _, rest = capsys.readouterr().out.partition(" = ")
    expected = [f"celab-score: note: hyp: {title} = {rest.split()[0]}"]
    assert score_lines(capsys, *words) == expected  # batch by batch
    assert score_lines(capsys, *words, "-o", "out.tsv", "--no-check") == expected
    assert score_lines(capsys, *words, "--markdown") == expected  # all at once
    for quiet in (["-q"], ["--json"], ["-q", "--markdown"]):
        assert score_lines(capsys, *words, *quiet) == []


@pytest.mark.parametrize("end", ["", "\n"])
def test_utterances_have_the_score_of_whole_files(capsys, end):
    Path("ref.text").write_text("A-1 买伞\nA-2 去北京" + end, "utf-8")
    Path("hyp.txt").write_text("A-2 去北京\nA-1 买" + end, "utf-8")
    words = ["-m", "cer", "ref.text", "hyp.txt"]
    assert score.main([*words, "-q", "--no-interval"]) == 0
    assert capsys.readouterr().out.startswith("CER = 20.00 ")
    assert score_lines(capsys, *words) == ["celab-score: note: hyp: CER = 20.00"]


def test_systems_have_a_line_each_with_all_metrics(capsys):
    words = ["-m", "celab", "chrf", "--lexicon", "none", "-r", *REFS, "-s", HYP, "a.zh"]
    both = score_lines(capsys, *words, "--digits", "1")
    assert [line.split(": ")[2] for line in both] == ["hyp", "a"]
    assert all(", chrF2 = " in line and len(line.split(" = ")[-1]) == 4 for line in both)


def test_skipped_segments_do_not_count(capsys):
    words = ["--solver", "highs", "--time-limit", "1e-9", "--on-error", "skip", "--no-check"]
    # All but the one that is empty, which needs no solver.
    told = score_lines(capsys, "--lexicon", "none", *FILES, *words, code=3)
    assert told == ["celab-score: note: hyp: TESLA-CELAB = 0.0000"]
