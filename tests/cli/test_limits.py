"""Limits: an endless line, a decompression bomb, a number of things that no memory holds.

Every command ends with one line and exit code 2, and has not read much more than the limit.
"""

import bz2
import gzip
import lzma
import os
import resource
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from commands import refusal

import celab
from celab import corpus
from celab.base import io
from celab.base.errors import LimitError, OptionError
from celab.base.io import text
from celab.base.options import Limits, Size
from celab.cli import mbr, score, stream, terminal
from celab.distributed import partitions
from celab.nbest import nbest
from celab.nbest.references import Lines
from celab.words.compounds import counts_from

COMPRESS = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
TOO_LONG = "a\n" + "b" * 1025 + "\na\n"
MEGABYTE = 1 << 20


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    here = os.path.dirname(os.path.abspath(celab.__path__[0]))
    monkeypatch.setenv("PYTHONPATH", here)  # commands run the package that is being tested
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")  # each thread takes address space
    put("short.zh", "a\nb\na\n")
    put("long.zh", TOO_LONG)


def put(name, data):
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_bytes(data if isinstance(data, bytes) else data.encode())


# ---- lines ----


@pytest.mark.parametrize("suffix", COMPRESS)
@pytest.mark.parametrize("segments", [(), ("--segments",)], ids=["whole", "segments"])
def test_a_long_line_is_named_with_its_file_and_the_flag(suffix, segments):
    put(f"x{suffix}", COMPRESS[suffix](TOO_LONG.encode()))
    told = refusal(score, *segments, "--max-line", "1K", "short.zh", f"x{suffix}")
    assert f"x{suffix}, line 2: the line has more than 1K bytes" in told
    assert told.endswith("use a greater --max-line")
    assert score.main([*segments, "--max-line", "1025", "--quiet", "short.zh", f"x{suffix}"]) == 0


def test_a_line_may_have_as_many_bytes_as_the_limit(tmp_path):
    for end in (b"", b"\n"):
        put("x", b"a\n" + b"b" * 1024 + end)
        assert corpus.read_lines("x", limits=Limits(max_line=1024)) == ["a", "b" * 1024]
    with pytest.raises(LimitError, match=r"^x, line 2: .* 1023 bytes.* or use a greater max_line"):
        corpus.read_lines("x", limits=Limits(max_line=1023))


def test_sizes():
    assert [Size("7"), Size("2k"), Size("64M"), Size("1G")] == [7, 2048, 64 << 20, 1 << 30]
    assert [str(Size(size)) for size in (7, 1536, 2048, "1024T", 0)] == [
        "7",
        "1536",
        "2K",
        "1024T",
        "0",
    ]
    with pytest.raises(OptionError):
        Limits(max_file=0)


# ---- files ----


def test_a_file_that_is_read_as_a_whole_has_a_limit():
    put("many.gz", gzip.compress(b"a\n" * 100))
    told = refusal(score, "--max-file", "1K", "many.gz", "many.gz")
    assert "many.gz, lines 1 to 16: more than 1K bytes to hold in memory, counting 64" in told
    assert "use a greater --max-file; --segments reads plain text of any size" in told
    assert score.main(["--max-file", "8K", "--quiet", "many.gz", "many.gz"]) == 0


def test_lines_that_are_scored_together_have_the_same_limit(capsys, monkeypatch):
    monkeypatch.setattr("celab.cli.batches.STREAM_BATCH", 10)
    put("many.zh", "a\n" * 100)
    arguments = ("--segments", "--quiet", "many.zh", "many.zh")
    assert "many.zh, lines 1 to 8:" in refusal(score, "--max-file", "512", *arguments)
    assert score.main(["--max-file", "1K", *arguments]) == 0
    assert capsys.readouterr().out.count("\n") == 101


def test_markup_has_no_lines_but_tags(capsys):
    segs = "".join(f"<seg id={n}>好</seg>" for n in range(50))
    one = f"<refset><doc docid=d>{segs}</doc></refset>"
    for encoding in ("utf-8", "utf-16"):
        put("ref.sgm", one.encode(encoding))
        put("hyp.sgm", one.replace("refset", "tstset").encode(encoding))
        arguments = ("--max-line", "100", "ref.sgm", "hyp.sgm", "--quiet")
        assert score.main(list(arguments)) == 0
    capsys.readouterr()
    told = refusal(score, "--max-file", "4K", *arguments)
    assert "ref.sgm: more than 4K bytes to hold in memory, counting 64 more for each tag" in told
    assert told.endswith("use a greater --max-file")


def test_counts_are_read_line_by_line(monkeypatch):
    monkeypatch.setattr(text, "_BATCH_LINES", 2)
    content = "Regen Schirm\nRegen\n\nder Schirm\nRegen\n"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        put("corpus.de", content.encode(encoding))
        assert list(io.iter_lines("corpus.de")) == corpus.read_lines("corpus.de")
        assert counts_from("corpus.de") == {"regen": 3, "schirm": 2, "der": 1}
    put("corpus.gz", gzip.compress(bytes(17 * MEGABYTE)))
    with pytest.raises(LimitError):
        counts_from("corpus.gz")


def test_text_on_a_cluster_has_the_limits():
    for limits in (Limits(max_line=1024), Limits(max_file=200)):
        with pytest.raises(LimitError):
            partitions.text_parts({"hyp": "long.zh"}, 2, limits)
    assert [part.n_rows for part in partitions.text_parts({"hyp": "long.zh"}, 2)] == [2, 1]


# ---- what a file within the limits could ask for ----


@pytest.mark.parametrize("deep", ['{"ref":' + "[" * 10**6, '{"ref":' * 10**6])
def test_deep_json_is_one_line(deep):
    put("x.jsonl", deep + "\n")
    told = refusal(score, "--format", "jsonl", "x.jsonl")
    assert "x.jsonl, line 1: " in told
    assert "x.jsonl, line 1: " in refusal(mbr, "x.jsonl")


def test_candidates_make_no_matrix_that_is_too_large(monkeypatch):
    monkeypatch.setattr(nbest, "MAX_CANDIDATES", 2)
    put("nbest", "".join(f"0 ||| {text}\n" for text in "aabb") + "1 ||| a\n1 ||| b\n1 ||| c\n")
    told = refusal(mbr, "nbest")
    assert "nbest, line 5: sentence 1 has 3 different candidates; at most 2 are allowed" in told


# ---- memory ----


def test_lack_of_memory_is_one_line(capsys):
    def work():
        raise MemoryError

    assert terminal.run("celab-x", work) == 2
    assert capsys.readouterr().err.startswith("celab-x: error: not enough memory; ")


def started(command, *arguments, megabytes=None, **settings):
    """A command, with so much memory at most."""

    def limited():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * MEGABYTE,) * 2)

    return subprocess.Popen(
        [sys.executable, "-m", "celab", command.__name__.rpartition(".")[2], *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=limited if megabytes else None,
        **settings,
    )


linux = pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")


@pytest.mark.thorough
@linux
@pytest.mark.parametrize(
    ("command", "arguments", "words"),
    [
        (score, ["short.zh", "zeros.gz"], "zeros.gz, line 1: the line has more than 16M"),
        (score, ["--segments", "short.zh", "zeros.gz"], "zeros.gz, line 1: the line has more than"),
        (score, ["--max-line=1T", "--max-file=1T", "short.zh", "zeros.gz"], "not enough memory"),
    ],
    ids=["score", "segments", "memory"],
)
@pytest.mark.unsanitized(reason="AddressSanitizer maps more memory than any limit allows")
def test_a_bomb_ends_within_bounded_memory(command, arguments, words):
    put("zeros.gz", gzip.compress(bytes(MEGABYTE)) * 1000)
    process = started(command, "--lexicon=none", *arguments, megabytes=250, stdin=subprocess.PIPE)
    told = process.communicate(b"", timeout=60)[1].decode()
    assert (process.returncode, told.count("\n")) == (2, 1)
    assert words in told


@pytest.mark.parametrize("segments", [(), ("--segments",)], ids=["whole", "segments"])
def test_an_endless_line_of_a_pipe_is_not_read_to_its_end(segments):
    process = started(
        score, "--lexicon=none", "--max-line=1M", *segments, "short.zh", "-", stdin=subprocess.PIPE
    )
    n_written = 0
    with pytest.raises(BrokenPipeError):
        while n_written < 64:
            process.stdin.write(bytes(MEGABYTE))
            n_written += 1
    told = process.stderr.read().decode()
    assert process.wait(60) == 2
    assert "standard input, line 1: the line has more than 1M bytes" in told
    assert n_written < 4


def test_requests_stay_in_step_after_one_that_is_too_long(capfd, monkeypatch):
    put("ref.zh", "买雨伞\n")
    long = b"0\t" + b"x" * 100
    sent = [long[i : i + 7] for i in range(0, len(long), 7)] + [b"\n0\ta", b"\n"]
    pieces = Lines(50)
    assert [len(line) for piece in sent for line in pieces.whole(piece)] == [52, 3]
    read, write = os.pipe()
    requests = open(read, encoding="utf-8")  # noqa: SIM115
    monkeypatch.setattr(sys, "stdin", requests)
    writer = threading.Thread(target=send, args=(write, 100))
    writer.start()
    assert stream.main(["--lexicon=none", "--quiet", "--max-line", "50", "ref.zh"]) == 0
    writer.join()
    requests.close()
    wrong, right = capfd.readouterr().out.splitlines()
    assert wrong == "ERROR the line is longer than 50 bytes"
    assert right == "1.0"


def send(to, n_pieces):
    with open(to, "wb") as pipe:
        pipe.write(b"0\t")
        for _ in range(n_pieces):
            pipe.write(b"x" * 100_000)
        pipe.write("\n0\t买雨伞\n".encode())


PEAK = """
import sys
from celab.cli import batches, score
batches.STREAM_BATCH = 2000
assert score.main(sys.argv[1:]) == 0
with open("/proc/self/status") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmHWM")), file=sys.stderr)
"""


@pytest.mark.thorough
@linux
@pytest.mark.unsanitized(reason="AddressSanitizer keeps freed memory for a while")
def test_segments_take_the_same_memory_however_many_there_are():
    peaks = []
    # Simplified only: a Traditional character would load 26 MB of OpenCC's tables.
    text = "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工"
    for n in (2_400, 20_400):
        put("many.zh", "".join(f"{i}{text}\n" for i in range(n)))
        # Copies of the reference would be remembered, to be counted.
        put("others.zh", "".join(f"{i}{text[20:]}{text[:20]}\n" for i in range(n)))
        command = [sys.executable, "-c", PEAK, "--lexicon=none", "--quiet", "--segments"]
        with open("others.zh", "rb") as sent:
            done = subprocess.run([*command, "many.zh", "-"], stdin=sent, capture_output=True)
        assert done.stdout.count(b"\n") == n + 1
        peaks.append(int(done.stderr.split()[-1]) / 1024)
    assert peaks[1] < peaks[0] + 4  # megabytes
    assert peaks[1] < 100
