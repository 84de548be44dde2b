"""Language models: kenlm sees a file only if it is ARPA text with counts that it can take."""

import bz2
import gzip
import lzma
import os
import struct
import subprocess
import sys

import pytest

import celab
from celab.base import io
from celab.base.errors import LimitError
from celab.metrics import language_model
from celab.metrics.language_model import LanguageModel, check_header

ARPA = (
    "\\data\\\nngram 1=5\nngram 2=2\n\n\\1-grams:\n-1.5\t<unk>\n-99\t<s>\t-0.3\n-0.5\t买\t-0.2\n"
    "-0.9\t伞\n-0.7\t</s>\n\n\\2-grams:\n-0.2\t<s> 买\n-0.1\t伞 </s>\n\n\\end\\\n"
)
# The head of a file that kenlm would map.
BINARY = b"mmap lm http://kheafield.com/code format version 5\n\0" + struct.pack("<8Q", *range(8))


def check(tmp_path, data):
    path = tmp_path / "lm.arpa"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    with io.open_binary(path) as stream:
        check_header(stream, f"language model {path}")
    return path


@pytest.mark.parametrize(
    "text",
    [
        ARPA,
        ARPA.rstrip(),
        ARPA.replace("\n", "\r\n"),
        "\n# made by hand\n\n" + ARPA,
        ARPA.replace("<s> 买", "<s>\t买"),
        ARPA.replace("-0.9", "-9e-1"),
        ARPA.replace("<s> 买\n", "<s> 买\t0\n"),
        ARPA + "\n\n",
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_sound_files(tmp_path, text, pack):
    path = check(tmp_path, pack(text.encode()))
    pytest.importorskip("kenlm")
    assert LanguageModel(path).scores(["买伞"]) == pytest.approx([-0.7])


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "is not an ARPA file"),
        (b"once upon a time\n", "is not an ARPA file"),
        (BINARY, "binary files of kenlm are not read"),
        (BINARY.replace(b"\0", b"\1"), "binary files of kenlm are not read"),
        (ARPA.replace("2=2", "2=-2").encode(), "line 3: 'ngram 2=-2' is there"),
        (ARPA.replace("2=2", f"2={2**64 - 1}").encode(), "line 3: 'ngram 2=1844"),
        (ARPA.replace("1=5", "1=+5").encode(), r"line 2: 'ngram 1=\+5' is there"),
        (ARPA.replace("ngram 1", "ngram x").encode(), "line 2: 'ngram x=5' is there"),
    ],
)
def test_kenlm_never_sees_what_it_would_die_of(tmp_path, monkeypatch, pack, data, told):
    kenlm = pytest.importorskip("kenlm")
    (tmp_path / "lm.arpa").write_bytes(pack(data))
    monkeypatch.setattr(kenlm, "Model", None)
    with pytest.raises(celab.InputError, match=told):
        LanguageModel(tmp_path / "lm.arpa")


@pytest.mark.parametrize("order", [1, 2])
def test_a_great_count_fills_no_memory(tmp_path, order):
    pytest.importorskip("kenlm")
    path = tmp_path / "lm.arpa"
    path.write_text(ARPA.replace(f"{order}={'52'[order - 1]}", f"{order}=999999999"), "utf-8")
    script = (
        "import sys\nfrom celab.metrics.language_model import LanguageModel\n"
        "try: LanguageModel(sys.argv[1])\nexcept Exception as error: print(error)\n"
        "print(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0])"
    )
    if not os.path.exists("/proc/self/status"):
        pytest.skip("no /proc/self/status: the greatest use of memory is not known")
    command = [sys.executable, "-c", script, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    said, kilobytes = done.stdout.splitlines()
    assert said.startswith(f"language model {path}: kenlm refuses it (")
    assert int(kilobytes) < 300_000


def test_lines_are_limited(tmp_path, monkeypatch):
    longest = max(len(line) for line in ARPA.encode().splitlines(keepends=True))
    monkeypatch.setattr(language_model, "MAX_LINE_BYTES", longest)
    check(tmp_path, ARPA)
    monkeypatch.setattr(language_model, "MAX_LINE_BYTES", longest - 1)
    with pytest.raises(LimitError):
        check(tmp_path, gzip.compress(ARPA.encode()))


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (ARPA[:-8], "End of file"),
        (ARPA.replace("1=5", "1=6"), 'Could not parse "'),
        (ARPA.replace("ngram 2=2\n", ""), "assumes at least a bigram model"),
        (ARPA.replace("2=2", "2=2\nngram 3=0"), "Was expecting n-gram header"),
        (ARPA.replace("-0.9", "nan"), 'Could not parse "nan"'),
        (ARPA.replace("-0.9", "0.9"), "Positive log probability"),
        (ARPA.replace("\t-0.3", "\t1e39"), "Bad backoff inf"),
        (ARPA.replace("<s> 买", "<s> 买 买"), "Expected tab or newline"),
        (ARPA + "more\n", "Trailing line more"),
        (ARPA.replace("<s> 买", "<s> 没"), "Word 没 was not seen in the unigrams"),
        (ARPA.encode().replace(b" </s>\n\n", b" \xff\xfe\n\n"), "it must be text in UTF-8"),
        (gzip.compress(ARPA.encode())[:-9], "cannot be decompressed"),
    ],
)
def test_what_kenlm_refuses_is_one_line(tmp_path, data, told):
    pytest.importorskip("kenlm")
    path = tmp_path / "lm.arpa"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    with pytest.raises(celab.InputError) as error:
        LanguageModel(path)
    message = str(error.value)
    assert message.startswith(f"language model {path}") and told in message, message
    assert "\n" not in message and ".cc:" not in message


def test_infinite_logarithms_are_the_lowest_score(tmp_path):
    pytest.importorskip("kenlm")
    (tmp_path / "lm.arpa").write_text(ARPA.replace("-0.9", "-inf"), "utf-8")
    assert LanguageModel(tmp_path / "lm.arpa").scores(["伞"]).tolist() == [-15.0]


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
