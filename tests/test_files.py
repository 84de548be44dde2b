"""celab.files: decompression by content and by name, digests, atomic writes."""

import bz2
import gzip
import hashlib
import lzma
import os
import threading

import pytest

from celab.errors import InputError, LexiconError
from celab.files import COMPRESSED, open_binary, reading, sha256_of, write, written

PACK = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
TEXT = "雨伞 伞\n".encode() * 3000


def opened(path):
    with reading(str(path), InputError), open_binary(path) as stream:
        return stream.read()


@pytest.mark.parametrize("suffix", COMPRESSED)
@pytest.mark.parametrize("name", ["a{}", "a.txt", "A{}.BAK"])
@pytest.mark.parametrize("content", [TEXT, b""])
def test_what_is_compressed_shows_in_its_bytes(tmp_path, suffix, name, content):
    path = tmp_path / name.format(suffix)
    path.write_bytes(PACK[suffix](content))
    assert opened(path) == content


@pytest.mark.parametrize("text", [b"BZhang\n", b"BZh91AY", b"\x1f\x8b", b"\xfd7zXZ", b"", TEXT])
def test_what_is_not_compressed_is_read_as_it_is(tmp_path, text):
    path = tmp_path / "a.txt"
    path.write_bytes(text)
    assert opened(path) == text


@pytest.mark.parametrize("suffix", COMPRESSED)
def test_damage_is_told_in_one_line(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    whole = PACK[suffix](TEXT)
    for damaged in (whole[:-9], whole[:40] + b"\xff" * 20 + whole[60:], b"plain text\n"):
        path.write_bytes(damaged)
        with pytest.raises(InputError) as raised:
            opened(path)
        assert str(raised.value).startswith(f"{path} cannot be decompressed (")
        assert "\n" not in str(raised.value)


def test_what_cannot_be_opened_is_told_in_one_line(tmp_path):
    for path, why in (
        (tmp_path / "none", "does not exist; it must be a readable file"),
        (tmp_path, "is a directory; it must be a readable file"),
        ("a\0b", "cannot be read (embedded null byte); it must be a readable file"),
    ):
        with pytest.raises(LexiconError) as raised, reading("x", LexiconError):
            open_binary(path)
        assert str(raised.value) == f"x {why}"


def test_a_reader_can_be_watched(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(os.urandom(100_000)))
    seen = []
    with open_binary(path, seen.append) as stream:
        assert len(stream.read()) == 100_000
    assert seen == sorted(seen) and seen[-1] == path.stat().st_size and len(set(seen)) > 3


def test_a_digest_is_of_the_bytes_on_the_disk(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(TEXT))
    assert sha256_of(path) == hashlib.sha256(path.read_bytes()).hexdigest()


def test_nothing_is_seen_of_a_file_before_its_end(tmp_path):
    path = tmp_path / "a"
    path.write_text("old")
    with written(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    with pytest.raises(KeyError), written(path) as file:
        file.write(b"half")
        raise KeyError
    assert path.read_text() == "new" and os.listdir(tmp_path) == ["a"]


def test_the_mode_of_a_file_is_as_the_umask_says(tmp_path):
    write(tmp_path / "a", "text")
    (tmp_path / "b").write_text("text")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_half_a_character_is_written_as_an_escape(tmp_path):
    write(tmp_path / "a", "伞\udc80\n")
    assert (tmp_path / "a").read_bytes() == "伞\\udc80\n".encode()


def test_many_writers_leave_one_whole_file(tmp_path):
    path = tmp_path / "a"
    contents = [bytes([65 + k]) * 100_000 for k in range(8)]
    threads = [threading.Thread(target=write, args=(path, c)) for c in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_bytes() in contents and os.listdir(tmp_path) == ["a"]


def test_what_cannot_be_written_is_told_in_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "none" / "a", tmp_path / "file" / "a", tmp_path / "folder", "a\0b"):
        with pytest.raises(InputError, match="cannot be written") as raised:
            write(path, "text")
        assert "\n" not in str(raised.value)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]
