"""Lines of plain text: where they end, how files are compressed, which are refused."""

import bz2
import gzip
import io
import lzma
import os
import sys
from pathlib import Path

import pytest
from commands import refusal, run

from celab import corpus
from celab.base.errors import InputError
from celab.base.text.tokens import is_blank


class Stdin:
    def __init__(self, data):
        self.buffer = io.BytesIO(data)


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        ("买伞\n好\n", ["买伞", "好"]),
        ("买伞\n好", ["买伞", "好"]),
        ("\n", [""]),
        ("\n\n", ["", ""]),
        ("买\n\n伞\n", ["买", "", "伞"]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("a\r\n\r\nb", ["a", "", "b"]),
        ("a\r\r\nb\n", ["a\r", "b"]),
        ("a\rb\nc\r", ["a\rb", "c\r"]),
        ("a\u2028b\x85c\u2029d\n", ["a\u2028b\x85c\u2029d"]),
        ("a\fb\vc\x1cd\x1ee\n", ["a\fb\vc\x1cd\x1ee"]),
        ("a\0b\n", ["a\0b"]),
        ("\ufeff买\n\ufeff伞\n", ["买", "\ufeff伞"]),
        ("\ufeff\ufeff买\n", ["\ufeff买"]),
        ("𠮷👨‍👩‍👧\n", ["𠮷👨‍👩‍👧"]),
        (" a \t\n", [" a \t"]),
    ],
)
def test_a_line_ends_at_lf_and_nowhere_else(put, data, lines):
    assert corpus.read_lines(put("text.zh", data)) == lines


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [
        (".gz", gzip.compress),
        (".xz", lzma.compress),
        (".bz2", bz2.compress),
        (".GZ", gzip.compress),
    ],
)
def test_compressed_files_are_read_by_their_suffix(put, suffix, compress):
    path = put(f"text.zh{suffix}", compress("\ufeff买\r\n伞".encode()))
    assert corpus.read_lines(path) == corpus.read_lines(Path(path)) == ["买", "伞"]
    put(f"text.zh{suffix}", compress("买\n伞".encode()) + compress("好\n".encode()))
    assert corpus.read_lines(path) == ["买", "伞好"]
    for nothing in (b"", b"\xef\xbb\xbf"):
        with pytest.raises(InputError):
            corpus.read_lines(put(f"text.zh{suffix}", compress(nothing)))


def test_dash_is_standard_input(put, monkeypatch):
    monkeypatch.setattr(sys, "stdin", Stdin("\ufeff买伞\r\n".encode()))
    texts = corpus.read([put("ref.zh", "买雨伞\n")], "-")
    assert texts.hyps == ["买伞"]
    assert texts.hyp_name == "standard input"
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError):
        corpus.read_lines("-")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="every file can be read")
def test_a_file_without_permission(put):
    path = put("hyp.zh", "买\n")
    os.chmod(path, 0)
    with pytest.raises(InputError):
        corpus.read_lines(path)


def test_blank_lines_are_kept_if_one_reference_has_text(put):
    texts = corpus.read([put("r1", "\n伞\n"), put("r2", "买\n \u3000\n")], put("h", "\n\n"))
    assert texts.hyps == ["", ""]
    assert texts.refs == [["", "伞"], ["买", " \u3000"]]


@pytest.mark.parametrize(
    ("line", "blank"),
    [
        ("", True),
        ("\t \u3000\u2028\x85", True),
        ("\u200b\u2060\ufeff", True),
        ("好", False),
        (" .", False),
        ("\0\x7f", True),
        ("\u200d", False),
        ("\u0301", False),
    ],
)
def test_what_is_blank(line, blank):
    assert is_blank(line) is blank


@pytest.mark.parametrize(("n_lines", "hint"), [(79, True), (80, False), (125, False), (126, True)])
def test_far_fewer_or_more_lines_may_need_alignment(put, n_lines, hint):
    ref, hyp = put("r", "雨伞\n" * 100), put("h", "伞\n" * n_lines)
    ids = "".join(f'{{"id": {n}, "ref": "雨伞"}}\n' for n in range(100))
    for refs in (ref, put("r.jsonl", ids)):
        with pytest.raises(InputError) as caught:
            corpus.read([refs], hyp)
        assert str(caught.value).endswith("align them: align=True") == hint


GB, BIG5 = "我们今天去北京\n".encode("gb18030"), "我們今天去東京\n".encode("big5")


@pytest.mark.parametrize("flags", [(), ("--segments",), ("--align",)])
@pytest.mark.parametrize(
    ("ref", "hyp", "given", "advice"),
    [
        (GB, GB, (), "seem to be gb18030: use --encoding gb18030"),
        (GB, BIG5, (), "seem to be gb18030 and big5: use --encoding ref=gb18030,hyp=big5"),
        (GB, GB, ("-e", "hyp=gb18030"), "it seems to be gb18030: use --encoding gb18030"),
        (
            GB,
            BIG5,
            ("-e", "ref=gb18030"),
            "to be big5: use --encoding ref=gb18030,hyp=big5",
        ),
        (GB, "去北京\n".encode(), (), "it seems to be gb18030: use --encoding ref=gb18030"),
    ],
)
def test_one_error_tells_the_encodings_of_all_files(tmp_path, flags, ref, hyp, given, advice):
    (tmp_path / "ref").write_bytes(ref)
    (tmp_path / "hyp").write_bytes(hyp)
    words = [*flags, *given, "ref", "hyp"]
    assert refusal("score", *words, cwd=tmp_path).endswith(advice)
    more = advice.rpartition(" ")[2]
    done = run("score", "-q", *flags, "-e", more, "ref", "hyp", cwd=tmp_path)
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("ref", "hyp", "hint"),
    [
        ("a\nb\n", "a\nb\n\n", "line 3 of hyp.zh is blank: remove it"),
        ("a\nb\n \n\n", "a\nb\n", "lines 3 and 4 of ref.zh are blank: remove them"),
        (
            "a\nb\n",
            "a\n\nb\n",
            "line 2 of hyp.zh is blank: remove it unless it stands for a segment",
        ),
    ],
)
@pytest.mark.parametrize("flags", [[], ["--segments"]])
def test_a_blank_line_too_many_is_named(put, tmp_path, ref, hyp, hint, flags):
    put("ref.zh", ref)
    put("hyp.zh", hyp)
    assert refusal("score", *flags, "ref.zh", "hyp.zh", cwd=tmp_path).endswith(f"; {hint}")
    if "unless" not in hint:  # of a pipe, the blank lines before the last are gone
        said = refusal("score", *flags, "ref.zh", cwd=tmp_path, input=hyp)
        assert said.endswith(hint.replace("hyp.zh", "standard input"))


def test_a_blank_line_is_not_named_if_more_lines_differ(put, tmp_path):
    put("ref.zh", "a\nb\n")
    put("hyp.zh", "a\nb\nc\n\n")
    assert "blank" not in refusal("score", "ref.zh", "hyp.zh", cwd=tmp_path)


def test_a_blank_line_beside_ids_is_named(put):
    ref = put("ref.jsonl", '{"id": 1, "ref": "a"}\n{"id": 2, "ref": "b"}\n')
    with pytest.raises(InputError, match=r"line 3 of .*hyp.zh is blank: remove it$"):
        corpus.read([ref], put("hyp.zh", "a\nb\n\n"))
