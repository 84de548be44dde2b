"""celab.base.io: decompression by content and by name, digests, atomic writes."""

import bz2
import contextlib
import errno
import gzip
import hashlib
import lzma
import ntpath
import os
import re
import signal
import stat
import subprocess
import sys
import threading
import unicodedata
from io import BufferedReader, BytesIO

import pytest
from conftest import ROOT, examples
from hypothesis import assume, example, given
from hypothesis import strategies as st

from celab.base import io
from celab.base.errors import InputError, LexiconError
from celab.base.io import atomic
from celab.base.io import text as io_text

PACK = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
TEXT = "雨伞 伞\n".encode() * 3000


def opened(path):
    with io.reading(str(path), InputError), io.open_binary(path) as stream:
        return stream.read()


def test_files_of_folders_and_patterns_are_in_natural_order(tmp_path):
    names = ["ref.zh", "ref1.zh", "v1.zh.gz", "v1.1.zh.gz", "v2.zh", "v9.zh", "v9.1.zh", "v10.zh"]
    for name in reversed(names):
        (tmp_path / name).touch()
    assert [os.path.basename(path) for path in io.expand(tmp_path)] == names
    assert [os.path.basename(path) for path in io.expand(tmp_path / "v*.zh")] == names[4:]


@pytest.mark.parametrize("suffix", io.COMPRESSED)
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


@pytest.mark.parametrize("suffix", io.COMPRESSED)
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
        (tmp_path / "none", ": no such file"),
        (tmp_path, " is a directory; it must be a readable file"),
        ("a\0b", " cannot be read (embedded null byte); it must be a readable file"),
    ):
        with pytest.raises(LexiconError) as raised, io.reading("x", LexiconError):
            io.open_binary(path)
        assert str(raised.value) == f"x{why}"


def test_a_reader_can_be_watched(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(os.urandom(1_000_000)))
    seen = []
    with io.open_binary(path, seen.append) as stream:
        assert len(stream.read()) == 1_000_000
    assert seen == sorted(seen) and seen[-1] == path.stat().st_size and len(set(seen)) > 3
    assert io.sha256_of(path) == hashlib.sha256(path.read_bytes()).hexdigest()


def test_nothing_is_seen_of_a_file_before_its_end(tmp_path):
    path = tmp_path / "a"
    path.write_text("old")
    with io.open_atomic(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    with pytest.raises(KeyError), io.open_atomic(path) as file:
        file.write(b"half")
        raise KeyError
    assert path.read_text() == "new" and os.listdir(tmp_path) == ["a"]


def test_a_new_file_has_the_mode_of_the_umask_and_escapes_for_half_characters(tmp_path):
    io.write(tmp_path / "a", "伞\udc80\n")
    (tmp_path / "b").write_text("text")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode
    assert (tmp_path / "a").read_bytes() == "伞\\udc80\n".encode()


def test_many_writers_leave_one_whole_file(tmp_path):
    path = tmp_path / "a"
    contents = [bytes([65 + k]) * 100_000 for k in range(8)]
    threads = [threading.Thread(target=io.write, args=(path, c)) for c in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_bytes() in contents and os.listdir(tmp_path) == ["a"]


def test_what_cannot_be_written_is_told_in_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "none" / "a", tmp_path / "file" / "a", tmp_path / "folder", "a\0b"):
        with pytest.raises(InputError) as raised:
            io.write(path, "text")
        assert "\n" not in str(raised.value)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


# ---- what stands at the target already ----------------------------------------------------------

posix = pytest.mark.skipif(os.name == "nt", reason="links, pipes and devices of POSIX")


def python(script, *arguments, **settings):
    """The script in a process of its own."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(command, env=os.environ | {"PYTHONPATH": str(ROOT)}, **settings)


@posix
def test_links_are_followed_and_stay(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "real").write_text("old")
    (tmp_path / "middle").symlink_to("folder/real")
    (tmp_path / "link").symlink_to(tmp_path / "middle")
    (tmp_path / "dangling").symlink_to("folder/new")
    io.write(tmp_path / "link", "new")
    io.write(tmp_path / "dangling", "made")
    assert (tmp_path / "folder" / "real").read_text() == "new"
    assert (tmp_path / "folder" / "new").read_text() == "made"
    assert all((tmp_path / name).is_symlink() for name in ("link", "middle", "dangling"))
    assert sorted(os.listdir(tmp_path / "folder")) == ["new", "real"]
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "nowhere").symlink_to("none/file")
    for name in ("loop", "nowhere"):
        with pytest.raises(InputError):
            io.write(tmp_path / name, "text")
        assert (tmp_path / name).is_symlink()
    assert len(os.listdir(tmp_path)) == 6


@posix
@pytest.mark.parametrize("device", ["null", "full"])
def test_a_device_is_written_to_and_never_replaced(tmp_path, device):
    link = tmp_path / "link"  # a fault would replace the link, and not the device of this machine
    link.symlink_to(f"/dev/{device}")
    if device == "full":
        with pytest.raises(InputError):
            io.write(link, "text")
    else:
        io.write(link, "text")
    assert os.listdir(tmp_path) == ["link"] and link.is_symlink()
    assert stat.S_ISCHR(os.stat(f"/dev/{device}").st_mode)


@posix
def test_a_pipe_is_written_to(tmp_path):
    path, got = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: got.append(path.read_bytes()), daemon=True)
    reader.start()
    io.write(path, TEXT)
    reader.join(60)
    assert got == [TEXT] and stat.S_ISFIFO(path.stat().st_mode)


@posix
@pytest.mark.parametrize("name", ["/dev/fd/{}", "/proc/self/fd/{}", "link"])
def test_an_open_file_keeps_its_place(tmp_path, name):
    path = tmp_path / "file"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT)
    try:
        inode = os.fstat(descriptor).st_ino
        os.write(descriptor, b"before ")
        (tmp_path / "link").symlink_to(f"/dev/fd/{descriptor}")
        io.write(tmp_path / name.format(descriptor), "through ")  # an absolute name stands alone
        os.write(descriptor, b"after")
    finally:
        os.close(descriptor)
    assert path.read_bytes() == b"before through after" and path.stat().st_ino == inode


@posix
def test_an_open_file_is_writable_wherever_it_is(tmp_path):
    (tmp_path / "gone").mkdir()
    with (tmp_path / "gone/file").open("wb") as file:
        (tmp_path / "gone/file").unlink()
        (tmp_path / "gone").rmdir()
        io.check_writable(f"/dev/fd/{file.fileno()}")


@posix
def test_a_redirected_stdout_keeps_its_place(tmp_path):
    path = tmp_path / "out"
    script = (
        "import celab.base.io\nprint('before')\n"
        "celab.base.io.write('/dev/stdout', 'through\\n')\nprint('after')"
    )
    with path.open("wb") as file:
        inode = os.fstat(file.fileno()).st_ino
        python(script, stdout=file, check=True)
    assert path.read_text() == "before\nthrough\nafter\n" and path.stat().st_ino == inode


@posix
@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_the_permissions_of_a_replaced_file_stay(tmp_path, mode):
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(mode)
    with io.open_atomic(path) as file:
        assert not os.fstat(file.fileno()).st_mode & 0o777 & ~mode & ~0o200  # never wider
        file.write(b"new")
    assert path.stat().st_mode & 0o777 == mode and path.read_text() == "new"


def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path, monkeypatch):
    (tmp_path / "a").write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # as for others than root
    with pytest.raises(InputError):
        io.write(tmp_path / "a", "new")
    assert (tmp_path / "a").read_text() == "old" and os.listdir(tmp_path) == ["a"]


@posix
def test_a_full_disk_leaves_the_old_file(tmp_path):
    path = tmp_path / "a"
    path.write_text("old")
    script = (
        "import resource, sys\nfrom celab.base.io import write\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))\nwrite(sys.argv[1], 'x' * 9000)"
    )
    done = python(script, path, capture_output=True, text=True)
    assert "cannot be written (File too large)" in done.stderr
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["a"]


@posix
def test_a_killed_writer_leaves_the_old_file(tmp_path):
    path = tmp_path / "a"
    path.write_text("old")
    script = (
        "import os, sys\nfrom celab.base import io\n"
        "with io.open_atomic(sys.argv[1]) as file:\n    file.write(b'x' * 99999)\n"
        "    os.kill(os.getpid(), 9)"
    )
    assert python(script, path).returncode == -signal.SIGKILL
    assert path.read_text() == "old" and len(os.listdir(tmp_path)) == 2
    io.check_writable(tmp_path / "b")
    assert len(os.listdir(tmp_path)) == 2  # only who writes that file again removes it
    io.write(path, "new")
    assert path.read_text() == "new" and os.listdir(tmp_path) == ["a"]


@posix
def test_a_running_writer_keeps_its_unfinished_file(tmp_path):
    path = tmp_path / "a"
    script = (
        "import sys\nfrom celab.base import io\n"
        "with io.open_atomic(sys.argv[1]) as file:\n    file.write(b'theirs')\n"
        "    print('open', flush=True)\n    sys.stdin.readline()"
    )
    command = [sys.executable, "-c", script, str(path)]
    settings = {"env": os.environ | {"PYTHONPATH": str(ROOT)}, "text": True}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **settings
    ) as other:
        assert other.stdout.readline() == "open\n"
        (unfinished,) = os.listdir(tmp_path)
        io.write(path, "ours")
        assert path.read_text() == "ours" and sorted(os.listdir(tmp_path)) == [unfinished, "a"]
        other.communicate("\n")
    assert other.returncode == 0
    assert path.read_text() == "theirs" and os.listdir(tmp_path) == ["a"]


@posix
def test_what_others_put_in_the_place_of_an_unfinished_file_stays(tmp_path):
    path = tmp_path / "a"
    with io.open_atomic(path):
        (unfinished,) = os.listdir(tmp_path)
    (tmp_path / "victim").write_text("text")
    for plant in (
        lambda place: place.symlink_to(tmp_path / "victim"),
        lambda place: os.mkfifo(place),
        lambda place: place.mkdir(),
    ):
        place = tmp_path / unfinished
        plant(place)
        io.write(path, "ours")
        assert sorted(os.listdir(tmp_path)) == [unfinished, "a", "victim"]
        place.rmdir() if place.is_dir() else place.unlink()
    assert (tmp_path / "victim").read_text() == "text"


@pytest.mark.parametrize("broken", [OSError(errno.ENOLCK, "no locks"), None])
def test_without_locks_nothing_of_others_is_removed(tmp_path, monkeypatch, broken):
    def flock(*_):
        raise broken

    path = tmp_path / "a"
    with io.open_atomic(path):
        (unfinished,) = os.listdir(tmp_path)
    (tmp_path / unfinished).touch()
    if broken is not None:
        monkeypatch.setattr(atomic.fcntl, "flock", flock)
    io.write(path, "ours")
    assert path.read_text() == "ours"
    assert (unfinished in os.listdir(tmp_path)) == (broken is not None)


def test_two_writers_do_not_disturb_each_other(tmp_path):
    path = tmp_path / "a"
    with io.open_atomic(path) as file:
        io.write(path, "inner")
        file.write(b"outer")
    assert path.read_text() == "outer" and os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("name", ["", "new/", "new/.", "folder/.."])
def test_a_name_of_a_folder_makes_no_file(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError):
        io.write(name, "text")
    assert os.listdir(tmp_path) == ["folder"]


# ---- lines within limits ------------------------------------------------------------------------


def limited(data, max_line, **options):
    """The lines that come before a limit is exceeded, and what exceeds it at which line."""
    lines = []
    try:
        for line in io.limited_lines(BytesIO(data), max_line, **options):
            lines.append(line)
    except io.TooLarge as excess:
        return lines, (excess.what, excess.number)
    return lines, None


@given(
    st.lists(st.sampled_from([b"a", b"bb", b"\n", b"c" * 7])).map(b"".join),
    st.integers(1, 8),
    st.integers(1, 40),
    st.integers(0, 3),
    st.integers(1, 9),
    st.booleans(),
)
@example(b"a\nbbb", 2, 40, 0, 3, False)  # too long in two blocks
@example(b"a\n" * 3, 8, 5, 1, 4, True)
def test_blocks_have_the_limits_of_lines(data, max_line, max_bytes, overhead, block, is_begun):
    options = {"max_bytes": max_bytes, "overhead": overhead}
    lines, excess = limited(data, max_line, **options)
    stream = BytesIO(data)
    first = stream.readline(min(max_line, max_bytes) + 1) if is_begun else b""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(io_text, "_BLOCK", block)
        try:
            read = io_text.read_limited(stream, max_line, **options, first=first)
        except io.TooLarge as error:
            assert (error.what, error.number) == excess
        else:
            assert excess is None and read == b"".join(lines) == data


@pytest.mark.parametrize(
    ("options", "lines", "excess"),
    [
        ({}, [b"a\n", b"bcd\n"], ("line", 3)),
        ({"long_lines": "split"}, [b"a\n", b"bcd\n", b"efgh", b"i\n", b"j"], None),
        ({"long_lines": "cut"}, [b"a\n", b"bcd\n", b"efgh", b"j"], None),
        ({"max_bytes": 6, "n_before": 6}, [b"a\n", b"bcd\n"], ("bytes", 9)),
        ({"max_bytes": 12, "overhead": 3}, [b"a\n", b"bcd\n"], ("bytes", 3)),
        ({"max_bytes": 7, "overhead": 2, "unit": b"c"}, [b"a\n"], ("bytes", 2)),
        ({"first": b"x"}, [b"x", b"a\n", b"bcd\n"], ("line", 4)),
    ],
)
def test_lines_within_limits(options, lines, excess):
    assert limited(b"a\nbcd\nefghi\nj", 3, **options) == (lines, excess)


@pytest.mark.parametrize("long_lines", ["refuse", "split", "cut"])
def test_a_line_end_does_not_count_for_the_length_of_a_line(long_lines):
    assert limited(b"abc\nabc", 3, long_lines=long_lines) == ([b"abc\n", b"abc"], None)


def test_a_limited_reader_stops_after_its_limit():
    def read(max_bytes):
        return io.LimitedReader(BufferedReader(BytesIO(bytes(100))), max_bytes, 16).read()

    assert read(100) == bytes(100)
    with pytest.raises(io.TooLarge) as caught:
        read(99)
    assert caught.value.what == "bytes"


def test_first_lines_are_cut_to_their_sizes(tmp_path):
    (tmp_path / "a").write_bytes(b"one\ntwo\nthree\n")
    assert io.first_lines(tmp_path / "a", 9, 2) == [b"one\n", b"tw"]
    assert io.first_lines(tmp_path / "a", 9, 9, 9, 9) == [b"one\n", b"two\n", b"three\n", b""]


NAMES = st.text(
    st.one_of(st.characters(), st.sampled_from('./\\:*?"<>| ~-\0\n\x7f\u202eéÉıİßſK')), max_size=300
)
RESERVED = ["", ".", "..", "...", "../victim", "/etc/passwd", "C:\\x"]


@examples(300)
@given(st.lists(st.one_of(NAMES, st.sampled_from(RESERVED)), max_size=12, unique=True))
@example([*RESERVED, "GPT", "gpt", "é", "e\u0301", "\ud800", "\ud801", "_", "a.b", "A.b"])
def test_every_name_has_a_file_of_its_own_in_the_folder(names):
    files = io.file_names(names)
    assert list(files) == names
    folded = {unicodedata.normalize("NFKC", file).casefold() for file in files.values()}
    assert len(folded) == len(names)
    for name, file in files.items():
        assert file == os.path.basename(file) == ntpath.basename(file)
        assert file not in ("", ".", "..") and not file.startswith((".", "-", "~"))
        assert not any(unicodedata.category(character) == "Cc" for character in file)
        if re.fullmatch("[a-zA-Z][a-z0-9-]{3,20}", name):
            assert files[name].startswith(name)
    assert io.file_names(names) == files


def test_names_can_be_made_and_are_kept_if_they_can(tmp_path):
    names = [*RESERVED, "GPT-4.5", "gpt-4.5", "系统", "a\nb", "\ud800"]
    for name, file in io.file_names(names).items():
        (tmp_path / file).write_text(repr(name))
    assert len(os.listdir(tmp_path)) == len(names)
    assert io.file_names(["GPT-4.5", "系统", "A b (c).txt"]) == {
        name: name for name in ("GPT-4.5", "系统", "A b (c).txt")
    }


@given(st.lists(st.sampled_from([b"a", b"\r", b"\n", b"\x0b", "\u2028".encode(), b""])))
def test_lines_are_counted_as_they_are_read(tmp_path_factory, pieces):
    data = b"".join(pieces)
    assume(b"\n" in data or b"\r" not in data)  # a file whose lines end in CR is refused
    path = tmp_path_factory.mktemp("lines") / "a"
    path.write_bytes(data)
    file = io.LineFile(str(path), None)
    with contextlib.closing(file):
        count = file.count_lines()
        if count:
            assert len(file.lines(1000)) == count
        assert count == len(list(io.limited_lines(BytesIO(data), 1000)))


def test_lines_in_blocks_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr("celab.base.io.text._BLOCK", 3)
    for text, count in ((b"ab\ncd\n", 2), (b"ab\ncd", 2), (b"\n\n\n\n", 4), (b"abcdef", 1)):
        assert io_text.n_lines(BytesIO(text)) == count


def test_a_mark_of_utf8_wins_over_the_encoding_of_the_caller(tmp_path):
    path = tmp_path / "marked.zh"
    path.write_bytes("\ufeff买伞\n".encode())
    file = io.LineFile(str(path), "gb18030")
    assert file.lines(5) == io.read_lines(path, "gb18030") == ["买伞"]
    file.close()
