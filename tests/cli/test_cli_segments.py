"""Segments of text that is longer than a batch: written as they come, resumed if interrupted."""

import gzip
import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import celab
from celab.base import run
from celab.cli import score
from celab.corpus import lines
from celab.metrics.celab_scorer import CelabScorer

N = 25


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """Three and a half batches of seven lines."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run, "STREAM_BATCH", 7)
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
    (system,) = report["systems"]
    kinds = {n: kind for kind, segments in system["outputs"].items() for n in segments}
    rows = system["metrics"]["celab"]["segments"]
    return "segment\tscore\tprecision\trecall\toutput\n" + "".join(
        f"{n}\t{row['score']:.6f}\t{row['precision']:.6f}\t{row['recall']:.6f}"
        f"\t{kinds.get(n, '')}\n"
        for n, row in enumerate(rows, 1)
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


@pytest.mark.parametrize("resume", [[], ["--resume"]])  # with nothing to resume
def test_output_is_written_whole(capsys, resume):
    expected = whole(capsys)
    assert table(capsys, *REFS, HYP, "-o", "out.tsv", *resume) == ""
    assert Path("out.tsv").read_text("utf-8") == expected
    assert sorted(os.listdir()) == ["a.zh", "b.zh", "hyp.zh", "out.tsv"]


@pytest.fixture
def interrupted(capsys, monkeypatch):
    """A table of which two batches of seven lines are written; its whole text."""
    expected = whole(capsys)
    real, n_batches = CelabScorer._score_systems, 0

    def score_two(self, *arguments):
        nonlocal n_batches
        n_batches += 1
        if n_batches == 3:
            raise KeyboardInterrupt
        return real(self, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(CelabScorer, "_score_systems", score_two)
        assert score.main([*RESUMED[:-1]]) == 130
    message = "celab-score: interrupted after 14 segments; --resume continues from there\n"
    assert capsys.readouterr().err == message and not Path("new.tsv").exists()
    return expected


RESUMED = [*QUIET, *REFS, HYP, "-o", "new.tsv", "--resume"]
UNFINISHED = ("new.tsv.partial", "new.tsv.partial.json")


def test_an_interrupted_table_is_resumed(capsys, interrupted, monkeypatch):
    with open("new.tsv.partial", "ab") as file:
        file.write(b"15\t0.1")  # what a crash may leave
    assert score.main([*RESUMED, "--f", "0.5"]) == 2
    assert "the same settings" in capsys.readouterr().err
    real, sizes = CelabScorer._score_systems, []

    def score_and_note(self, systems, *rest):
        sizes.append(len(next(iter(systems.values()))))
        return real(self, systems, *rest)

    monkeypatch.setattr(CelabScorer, "_score_systems", score_and_note)
    assert score.main(RESUMED) == 0
    assert sizes == [7, 4]  # the third batch again, and the fourth
    assert Path("new.tsv").read_text("utf-8") == interrupted
    assert not any(map(os.path.exists, UNFINISHED))


def changed(name, number, text):
    """Puts another line into the file."""
    texts = Path(name).read_text("utf-8").splitlines()
    texts[number] = text
    Path(name).write_text("".join(f"{text}\n" for text in texts), "utf-8")


@pytest.mark.parametrize("name", [*REFS, HYP])
@pytest.mark.parametrize("number", [0, 8, 13])
def test_a_file_that_has_changed_is_named(capsys, interrupted, name, number):
    before = [Path(path).read_bytes() for path in UNFINISHED]
    size = Path(name).stat().st_size
    changed(name, number, "别的")
    assert score.main(RESUMED) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"error: {name} has changed since its first 14 lines were scored ({size} bytes" in line
    assert f" then, {Path(name).stat().st_size} bytes of 20" in line
    assert line.endswith(" now); start again, with --overwrite instead of --resume")
    assert [Path(path).read_bytes() for path in UNFINISHED] == before
    assert score.main([*RESUMED[:-1], "--overwrite"]) == 0
    assert not any(map(os.path.exists, UNFINISHED))


def test_a_file_that_was_touched_or_has_grown_or_differs_later_goes_on(capsys, interrupted):
    for name in (*REFS, HYP):
        changed(name, 20, "雨伞")
        with open(name, "a", encoding="utf-8") as file:
            file.write("天气好\n")
        os.utime(name, (1, 1))
    assert table(capsys, *REFS, HYP, "-o", "new.tsv", "--resume") == ""
    assert Path("new.tsv").read_text("utf-8") == whole(capsys) != interrupted


def test_a_last_line_that_gets_its_end_goes_on(capsys, monkeypatch):
    for name in (*REFS, HYP):
        lines = Path(name).read_bytes().splitlines()
        Path(name).write_bytes(b"\n".join(lines[:7]))
    with monkeypatch.context() as patch:
        patch.setattr("celab.cli.segments._Partial.finish", lambda self: 1 / 0)
        assert score.main(RESUMED[:-1]) == 70
        capsys.readouterr()
    for name in (*REFS, HYP):
        with open(name, "ab") as file:
            file.write("\n买伞\n".encode())
    assert table(capsys, *REFS, HYP, "-o", "new.tsv", "--resume") == ""
    assert Path("new.tsv").read_text("utf-8") == whole(capsys)


def test_a_shorter_file_is_told(capsys, interrupted):
    for name in (*REFS, HYP):
        lines = Path(name).read_bytes().splitlines(keepends=True)
        Path(name).write_bytes(b"".join(lines[:9]))
    assert score.main(RESUMED) == 2
    said = capsys.readouterr().err
    assert "hyp.zh has 9 lines, but 14 are in new.tsv.partial; start again, with --over" in said


def test_a_killed_run_is_resumed_from_any_byte(capsys, interrupted):
    # A process that is killed leaves a beginning of the rows, and one of the note that is not ahead
    # by more than what the system had not written yet.
    rows, note = (Path(path).read_bytes() for path in UNFINISHED)
    assert note.count(b"\n") == 3
    for n_rows in range(0, len(rows) + 1, 97):
        for n_note in {0, 1, 40, *(at + k for at in _ends(note) for k in (-1, 0, 1))}:
            Path(UNFINISHED[0]).write_bytes(rows[:n_rows])
            Path(UNFINISHED[1]).write_bytes(note[:n_note])
            assert score.main(RESUMED) == 0, (n_rows, n_note)
            assert Path("new.tsv").read_text("utf-8") == interrupted, (n_rows, n_note)
            assert not any(map(os.path.exists, UNFINISHED))
    capsys.readouterr()


def _ends(data):
    return [at for at in range(len(data)) if data[at : at + 1] == b"\n"]


def test_rows_that_were_changed_are_scored_again(capsys, interrupted):
    before = [Path(path).read_bytes() for path in UNFINISHED]
    for old, new in ((b"1\t", b"2\t"), (b"9\t", b"8\t"), (b"14\t", b"15\t")):
        Path(UNFINISHED[0]).write_bytes(before[0].replace(old, new, 1))
        Path(UNFINISHED[1]).write_bytes(before[1])
        assert score.main(RESUMED) == 0
        assert Path("new.tsv").read_text("utf-8") == interrupted


# A line that is put into the note, or values that are put into all its lines.
UNTRUE = [
    *(b"[]", b"{}", b"1", b"null", b'{"bytes": -1}', b"[" * 9999, b"\xff", b""),
    *({"skipped": n} for n in (math.inf, -1, 1e3, 1_000_000)),
    *({"bytes": n} for n in (-1, "a", 10**18, 10**400)),
    *({"segments": True}, {"digest": None}, {"files": 3}, {"files": [["a"], "b"]}),
]


@pytest.mark.parametrize("change", UNTRUE, ids=lambda change: str(change)[:25])
def test_a_note_that_cannot_be_true_is_not_believed(capsys, interrupted, change):
    first, *rest = Path(UNFINISHED[1]).read_bytes().splitlines()
    if isinstance(change, bytes):
        rest = [change, *rest]
    else:
        rest = [json.dumps(json.loads(line) | change).encode() for line in rest]
    Path(UNFINISHED[1]).write_bytes(b"\n".join([first, *rest, b""]))
    assert score.main(RESUMED) == 0
    assert Path("new.tsv").read_text("utf-8") == interrupted


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"{}", "it has no signature"),
        (b"[" * 200_000, "it is nested more than 20 deep"),
        (b'{"signature": "' + b"x" * (1 << 20), "it is not JSON"),
        (b'{"signature": 1, "files": []}', "signature is 1; it must be a string"),
        (b'{"signature": "x", "files": [{"name": "x"}]}', "files[0] has no size"),
    ],
)
def test_settings_that_make_no_sense_are_an_error(capsys, interrupted, line, told):
    Path(UNFINISHED[1]).write_bytes(line + b"\n")
    assert score.main(RESUMED) == 2
    err = capsys.readouterr().err
    assert f"new.tsv.partial.json cannot be read ({told}" in err and err.count("\n") == 1


def test_skipped_segments_are_counted_over_both_runs(capsys, interrupted):
    note = Path(UNFINISHED[1]).read_bytes()
    Path(UNFINISHED[1]).write_bytes(note.replace(b'"skipped": 0', b'"skipped": 2'))
    assert score.main(RESUMED) == 3
    assert "2 segments skipped" in capsys.readouterr().err


COMMAND = [sys.executable, "-m", "celab.cli.score", "--segments", "--lexicon", "none"]


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
    assert told.startswith("hyp: 1 of 25 outputs is not a translation (1 empty); without it 0.")
    assert score.main([*QUIET, *one]) == 0
    assert capsys.readouterr().err == told
    assert score.main([*QUIET, "-m", "bleu", *one]) == 2  # which has no lexicon
    capsys.readouterr()
    quiet = ["--segments", "--quiet", "-m", "bleu", *one]
    assert score.main(quiet) == 0
    streamed = capsys.readouterr()
    assert score.main([*quiet, "--json"]) == 0
    assert capsys.readouterr().err == streamed.err
    assert streamed.out.splitlines()[10].endswith("\tempty")
    assert score.main([*QUIET, "--no-check", *one]) == 0
    unchecked = capsys.readouterr()
    assert (unchecked.out.partition("\n")[0], unchecked.err) == (
        "segment\tscore\tprecision\trecall",
        "",
    )


def test_a_resumed_table_has_the_kinds_and_no_score_without_them(capsys, interrupted):
    assert score.main([*RESUMED, "--no-check"]) == 2
    assert "--resume needs the same settings" in capsys.readouterr().err
    assert score.main(RESUMED) == 0
    assert Path("new.tsv").read_text("utf-8") == interrupted
    assert "\tempty\n" in interrupted
    told = [line for line in capsys.readouterr().err.splitlines() if "outputs" in line]
    assert told == ["hyp: 1 of 25 outputs is not a translation (1 empty)"]


# ---- lost work ----


def test_rows_of_an_interrupted_run_are_not_lost(capsys, interrupted):
    before = [Path(path).read_bytes() for path in UNFINISHED]
    assert score.main(RESUMED[:-1]) == 2
    real = os.path.realpath("new.tsv.partial")
    assert capsys.readouterr().err == (
        f"celab-score: error: {real} has 14 segments of an interrupted run; add --resume to"
        " continue it, or --overwrite to start again\n"
    )
    assert [Path(path).read_bytes() for path in UNFINISHED] == before
    assert score.main([*RESUMED[:-1], "--overwrite"]) == 0
    assert Path("new.tsv").read_text("utf-8") == interrupted


def test_resuming_goes_before_starting_again(capsys, interrupted, monkeypatch):
    # The file to replace may be one of others, which takes --overwrite in both runs.
    Path("new.tsv").write_text("of others\n")
    assert score.main(RESUMED) == 2
    assert "new.tsv, which exists and is not a TSV table" in capsys.readouterr().err
    real, sizes = CelabScorer._score_systems, []

    def score_and_note(self, systems, *rest):
        sizes.append(len(next(iter(systems.values()))))
        return real(self, systems, *rest)

    monkeypatch.setattr(CelabScorer, "_score_systems", score_and_note)
    assert score.main([*RESUMED, "--overwrite"]) == 0
    assert sizes == [7, 4] and Path("new.tsv").read_text("utf-8") == interrupted


@pytest.mark.parametrize("words", [[], ["--resume"]])
def test_a_partial_file_of_others_is_kept(capsys, words):
    Path("new.tsv.partial").write_text("half of a download\n")  # and no note
    assert score.main([*RESUMED[:-1], *words]) == 2
    assert "new.tsv.partial is not of an interrupted run; choose" in capsys.readouterr().err
    assert Path("new.tsv.partial").read_text() == "half of a download\n"


@pytest.mark.parametrize("name", [*REFS, HYP])
@pytest.mark.parametrize("words", [[], ["-o", "new.tsv"], ["-o", "new.tsv", "--resume"]])
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


def test_a_run_of_files_that_are_not_aligned_is_not_resumed(capsys):
    texts = Path(HYP).read_bytes().splitlines(keepends=True)
    Path("hyp.gz").write_bytes(gzip.compress(b"".join(texts[:-1])))
    words = [*QUIET, *REFS, "hyp.gz", "-o", "new.tsv"]
    assert score.main(words) == 2
    problem = "hyp.gz has 24 lines but a.zh has 25 and b.zh has 25"
    assert problem in capsys.readouterr().err
    assert json.loads(Path(UNFINISHED[1]).read_text().splitlines()[-1]) == {"misaligned": problem}
    Path("hyp.gz").write_bytes(gzip.compress(b"".join(texts)))
    before = [Path(path).read_bytes() for path in UNFINISHED]
    assert score.main([*words, "--resume"]) == 2
    err = capsys.readouterr().err
    assert f"was made of files that are not aligned ({problem}); correct them, then start" in err
    assert [Path(path).read_bytes() for path in UNFINISHED] == before
    assert score.main([*words, "--overwrite"]) == 0
    assert Path("new.tsv").read_text("utf-8") == whole(capsys)


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
    expected = [f"hyp: {title} = {rest.split()[0]}"]
    assert score_lines(capsys, *words) == expected  # batch by batch
    assert score_lines(capsys, *words, "-o", "out.tsv", "--no-check") == expected
    assert score_lines(capsys, *words, "--markdown") == expected  # all at once
    for quiet in (["-q"], ["--json"], ["-q", "--markdown"]):
        assert score_lines(capsys, *words, *quiet) == []


def test_systems_have_a_line_each_with_all_metrics(capsys):
    words = ["-m", "celab", "chrf", "--lexicon", "none", "-r", *REFS, "-s", HYP, "a.zh"]
    both = score_lines(capsys, *words, "--digits", "1")
    assert [line.partition(":")[0] for line in both] == ["hyp", "a"]
    assert all(", chrF2 = " in line and len(line.split(" = ")[-1]) == 4 for line in both)


@pytest.mark.parametrize("name", ["celab", "chrf"])
def test_a_resumed_table_has_the_score_of_all_segments(capsys, monkeypatch, name):
    words = ["-m", name, *(["--lexicon", "none"] if name == "celab" else []), *REFS, HYP]
    expected = score_lines(capsys, *words)
    with monkeypatch.context() as patch:
        patch.setattr("celab.cli.segments._Partial.finish", lambda self: 1 / 0)
        assert score.main(["--segments", *words, "-o", "new.tsv"]) == 70
    notes = Path(UNFINISHED[1]).read_text().splitlines(keepends=True)
    kept = [Path(path).read_bytes() for path in UNFINISHED]
    Path(UNFINISHED[1]).write_text("".join(notes[:3]))  # of two batches
    assert score_lines(capsys, *words, "-o", "new.tsv", "--resume") == expected
    # Notes of earlier versions have no sums, and those of another metric would be a mistake.
    for sums in (None, [1.0, 2.0, 3.0, 4.0]):
        lines = [json.loads(note) for note in notes[1:3]]
        for line in lines:
            del line["sums"]
            if sums is not None:
                line["sums"] = sums
        Path(UNFINISHED[0]).write_bytes(kept[0])
        Path(UNFINISHED[1]).write_text(
            notes[0] + "".join(f"{json.dumps(line)}\n" for line in lines)
        )
        Path("new.tsv").unlink()
        assert score_lines(capsys, *words, "-o", "new.tsv", "--resume") == []


def test_skipped_segments_do_not_count(capsys):
    words = ["--solver", "highs", "--time-limit", "1e-9", "--on-error", "skip", "--no-check"]
    # All but the one that is empty, which needs no solver.
    told = score_lines(capsys, "--lexicon", "none", *FILES, *words, code=3)
    assert told == ["hyp: TESLA-CELAB = 0.0000"]
