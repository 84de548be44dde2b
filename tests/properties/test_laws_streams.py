"""Laws of reading: a file is the same text whether it is read whole or a few lines at a time."""

from __future__ import annotations

import pytest
from fuzz import test_fuzz_corpus as corpora
from hypothesis import example, given
from hypothesis import strategies as st

from celab.base import io
from celab.corpus.formats import is_plain_text, recognize
from celab.corpus.lines import batches, open_lines
from celab.corpus.model import TextFile

SUFFIXES = [
    "",
    ".zh",
    ".txt",
    ".tsv",
    ".csv",
    ".json",
    ".jsonl",
    ".ndjson",
    ".sgm",
    ".xml",
    ".html",
]
LINES = ["买伞", "", " ", "# v1", "text", "ref\thyp", "1\t伞", '{"hyp": "伞"}', "[音乐]", '["伞"]']
LINES += ["[", "<b>伞</b>", "<dataset>", "买;伞", "\ufeff伞", "a\rb", "\u2028", "\u3000{", "%PDF-"]
TEXTS = st.builds(
    lambda lines, end, last: end.join(lines) + end * last,
    st.lists(st.sampled_from(LINES), max_size=4),
    st.sampled_from(["\n", "\n", "\r\n", "\r"]),
    st.booleans(),
)
CODECS = ["utf-8", "utf-8-sig", "gb18030", "utf-16", "utf-16-le", "iso2022_jp", "hz", "cp037"]
ENCODED = st.builds(
    lambda text, codec: text.encode(codec, "replace"), TEXTS, st.sampled_from(CODECS)
)
FILES = st.one_of(ENCODED, ENCODED, corpora.FILES)


@given(FILES, FILES, *[st.sampled_from(SUFFIXES)] * 2, st.sampled_from([None, None, *CODECS]))
@example("# v1\n伞\n".encode(), '# v1\n{"hyp": "伞"}\n'.encode(), ".zh", ".jsonl", None)
@example("伞\n雨\n".encode(), "伞\n\ufeff雨\n".encode(), "", "", "utf-8-sig")
@example("伞\n".encode(), b"text\n", ".tsv", ".tsv", None)
@example("伞\n".encode(), "伞\r雨\r".encode(), "", "", None)
@example("伞\n雨\n".encode(), b"\x1b$B\n;1\n", "", "", "iso2022_jp")
def test_streamed_files_are_those_that_are_read_whole(tmp_path_factory, ref, hyp, a, b, encoding):
    folder = tmp_path_factory.getbasetemp()
    ref_path, hyp_path = folder / f"law-ref{a}", folder / f"law-hyp{b}"
    ref_path.write_bytes(ref)
    hyp_path.write_bytes(hyp)
    corpora.check_streamed([ref_path], hyp_path, encoding)


@given(FILES, st.sampled_from(SUFFIXES), st.integers(0, 30))
def test_plain_text_is_recognized_by_any_beginning(data, suffix, length):
    text = data.decode("utf-8", "replace")
    file = TextFile(path=f"f{suffix}", name=f"f{suffix}", text=text, role="system")
    if is_plain_text(file.path, text[:length]):
        assert recognize(file) == "plain"


def test_some_files_are_streamed(tmp_path):
    # Else the law above could hold because nothing is streamed.
    for name, content in (("a.zh", "伞\n雨\n"), ("b.tsv", "[音乐]\n伞\n"), ("c.gb", "买伞\n去\n")):
        path = tmp_path / name
        codec = "gb18030" if name == "c.gb" else "utf-8"
        path.write_bytes(content.encode(codec))
        files = open_lines([(str(path), codec), (str(path), codec)])
        assert files is not None
        assert [*batches(files[1], files[:1], 1)] == [([t], [[t]]) for t in content.split()]
        for file in files:
            file.close()


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-be", "utf-32", "cp037", "iso2022_jp", "hz"])
def test_encodings_whose_lines_do_not_end_at_a_byte_are_read_whole(tmp_path, codec):
    path = tmp_path / "text"
    path.write_bytes("abc\ndef\n".encode(codec))
    assert open_lines([(str(path), codec)]) is None
    assert io.read_lines(path, codec) == ["abc", "def"]
