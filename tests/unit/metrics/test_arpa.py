"""Language models: kenlm sees a file only if it is ARPA text that holds what its header says."""

import bz2
import gzip
import lzma
import os
import struct
import subprocess
import sys

import pytest

import celab
from celab.base.errors import LimitError
from celab.metrics import arpa
from celab.metrics.arpa import LanguageModel, check_arpa

ARPA = (
    "\\data\\\nngram 1=5\nngram 2=2\n\n\\1-grams:\n-1.5\t<unk>\n-99\t<s>\t-0.3\n-0.5\t买\t-0.2\n"
    "-0.9\t伞\n-0.7\t</s>\n\n\\2-grams:\n-0.2\t<s> 买\n-0.1\t伞 </s>\n\n\\end\\\n"
)
# The head of a file that kenlm would map; only how it begins counts here.
BINARY = b"mmap lm " + b"x" * 44 + struct.pack("<8Q", 0, 1 << 60, 2, 1, 1 << 40, 1 << 40, 0, 7)


def scan(tmp_path, data):
    (tmp_path / "lm.arpa").write_bytes(data if isinstance(data, bytes) else data.encode())
    return check_arpa(tmp_path / "lm.arpa")


@pytest.mark.parametrize(
    "text",
    [
        ARPA,
        ARPA.rstrip(),
        ARPA.replace("\n", "\r\n"),
        "\n# made by hand\n\n" + ARPA,
        ARPA.replace("<s> 买", "<s>\t买"),
        ARPA.replace("\n-0.9", "\n\n-0.9"),
        ARPA.replace("\n\n\\2", "\n\\2"),
        ARPA.replace("-0.9", "-9e-1"),
        ARPA.replace("<s> 买\n", "<s> 买\t0\n"),
        ARPA + "\n\n",
    ],
)
def test_sound_files(tmp_path, text):
    assert scan(tmp_path, text) == [5, 2]
    pytest.importorskip("kenlm")
    assert LanguageModel(tmp_path / "lm.arpa").scores(["买伞"]) == pytest.approx([-0.7])


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_files(tmp_path, pack):
    assert scan(tmp_path, pack(ARPA.encode())) == [5, 2]
    for damaged, told in (
        (pack(ARPA.encode())[:-9], "cannot be decompressed"),
        (pack(ARPA.replace("2=2", "2=3").encode()), "has 2 2-grams, but its header says 3"),
        (pack(BINARY), "is a binary file of kenlm"),
    ):
        with pytest.raises(celab.InputError, match=told):
            scan(tmp_path, damaged)


def test_sizes_are_limited(tmp_path, monkeypatch):
    lengths = [len(line) for line in ARPA.encode().splitlines(keepends=True)]
    for name, length in (("MAX_LINE", max(lengths)), ("MAX_BYTES", sum(lengths))):
        with monkeypatch.context() as patch:
            patch.setattr(arpa, name, length)
            scan(tmp_path, ARPA)
            patch.setattr(arpa, name, length - 1)
            with pytest.raises(LimitError):
                scan(tmp_path, ARPA)


@pytest.mark.parametrize(
    "data", [BINARY, BINARY.replace(b"\0", b"\1"), ARPA.replace("2=2", "2=-2")]
)
def test_kenlm_never_sees_what_it_would_die_of(tmp_path, data):
    pytest.importorskip("kenlm")
    path = tmp_path / "lm.arpa"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    script = "import celab, sys\ntry: celab.Pem(lexicon=None, lm=sys.argv[1])\n"
    script += "except celab.InputError as error: print(error)"
    command = [sys.executable, "-c", script, str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"language model {path}") and done.stderr == ""


def test_what_kenlm_refuses_is_one_line(tmp_path):
    pytest.importorskip("kenlm")
    (tmp_path / "lm.arpa").write_text(ARPA.replace("<s> 买", "<s> 没"), "utf-8")
    with pytest.raises(celab.InputError) as error:
        LanguageModel(tmp_path / "lm.arpa")
    assert str(error.value) == (
        f"language model {tmp_path}/lm.arpa: kenlm refuses it (Word 没 was not seen in the unigrams"
        " (which are supposed to list the entire vocabulary) but appears in the 2-gram at byte 118)"
    )


def test_half_characters_have_a_score(tmp_path):
    pytest.importorskip("kenlm")
    (tmp_path / "lm.arpa").write_text(ARPA, "utf-8")
    odd, unknown = LanguageModel(tmp_path / "lm.arpa").scores(["买\udc80", "买\ufffd"])
    assert odd == unknown


@pytest.mark.parametrize("path", [3, b"lm.arpa", None, ["lm.arpa"]])
def test_what_is_no_path(path):
    pytest.importorskip("kenlm")
    with pytest.raises(celab.OptionError):
        LanguageModel(path)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither /dev/zero nor mkfifo")
def test_devices_pipes_and_odd_names(tmp_path):
    pytest.importorskip("kenlm")
    os.mkfifo(tmp_path / "pipe")
    for path, told in (
        ("/dev/zero", "is a device; it must be an ARPA file"),
        (tmp_path / "pipe", "is a pipe; it must be an ARPA file"),
        (tmp_path, "is a directory; it must be an ARPA file"),
        ("a\0b", "cannot be read"),
    ):
        with pytest.raises(celab.InputError, match=told):
            LanguageModel(path)
    odd = os.fsdecode(bytes(tmp_path) + b"/\xff.arpa")
    with open(odd, "w", encoding="utf-8") as file:
        file.write(ARPA)
    with pytest.raises(celab.InputError):
        LanguageModel(odd)
