"""Text files: path → text or lines, decompressed, decoded, and within `Limits`.

`-` is standard input. A file is read as a whole (`read_text`, `read_lines`), or a few lines at a
time if it is plain text in an encoding whose lines end at a byte 0x0A (`LineFile`, `iter_lines`).
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from itertools import islice
from typing import IO, cast

from celab.base.errors import (
    CelabError,
    EmptyFileError,
    EncodingError,
    InputError,
    LimitError,
    Setting,
)
from celab.base.io.binary import BINARY_TABLES, is_unpacked, open_binary, reading, refuse_binary
from celab.base.io.lines import (
    MARKS,
    UTF8_MARK,
    TooLarge,
    decode,
    find_codec,
    has_byte_lines,
    likely_codec,
    limited_lines,
    locate_byte,
    n_lines,
    read_limited,
    split_lines,
)
from celab.base.io.paths import AnyPath, descriptor_of, display_name, is_special
from celab.base.options import LIMITS, PER_LINE, Limits

_BATCH_LINES = 1000
_HEAD_BYTES = 1 << 16  # enough to tell plain text from markup
_EXPECTED = "a text file, or - for standard input"
_LEAST_HEAD = 4  # bytes; a pipe may give less than a byte order mark at first
# Bytes that may precede the first character that is not white space, in any encoding.
_BEFORE_TEXT = bytes({*b"".join(MARKS), *b"\0 \t\r\n"})


def read_text(path: AnyPath, encoding: str | None = None, limits: Limits = LIMITS) -> str:
    """Return the text of a file; an empty one is an `InputError`."""
    text = read_text_or_table(path, encoding, limits)
    if isinstance(text, bytes):
        refuse_binary(text[:_HEAD_BYTES], display_name(path))
    return cast(str, text)


def read_text_or_table(
    path: AnyPath, encoding: str | None = None, limits: Limits = LIMITS, role: str = ""
) -> str | bytes:
    """Return the text of a file, as `read_text` does, or the bytes of a workbook or a Parquet file.

    `role` is the one whose encoding messages name: ref, hyp or source.
    """
    path, name = os.fspath(path), display_name(path)
    codec = None if encoding is None else find_codec(encoding)
    with reading(name, InputError, _EXPECTED):
        stream = open_binary(path) if path != "-" else _standard_input()
        data = _read_bytes(stream, name, limits)
    if path != "-":
        stream.close()
    if isinstance(data, bytes):
        return data
    refuse_binary(data[:_HEAD_BYTES], name)
    try:
        text = decode(data, name, codec)
    except EncodingError as error:
        raise error.for_role(role) from None
    if not text:
        raise _empty(path, name)
    return text


def read_lines(path: AnyPath, encoding: str | None = None, limits: Limits = LIMITS) -> list[str]:
    """Return the lines of a file, without their ends."""
    text = read_text(path, encoding, limits)
    refuse_lone_cr(text, display_name(path))
    return split_lines(text)


def refuse_lone_cr(text: str, name: str) -> None:
    """Raise `InputError` if all lines of a text end in CR, so that it would be a single line."""
    if "\n" not in text and (n_ends := text.rstrip("\r").count("\r")):
        raise InputError(
            f"{name} has {n_ends + 1} lines that end in a carriage return (CR), as on old Macs, and"
            " none in a line feed (LF)",
            hint="convert its line ends: tr '\\r' '\\n' < FILE > NEW",
        )


def iter_lines(path: AnyPath) -> Iterator[str]:
    """Yield the lines of a file of any length; UTF-16 and UTF-32 are read as a whole."""
    file = LineFile(os.fspath(path), None)
    try:
        if not file.has_byte_lines:
            yield from read_lines(path)
        while lines := file.has_byte_lines and file.lines(_BATCH_LINES):
            yield from lines
    finally:
        file.close()


def limit_error(
    excess: TooLarge, name: str, limits: Limits = LIMITS, n_before: int = 0
) -> LimitError:
    """Return the error about a line, or lines that follow `n_before` others, that are too large."""
    if excess.what == "line":
        return LimitError(
            f"the line has more than {limits.max_line} bytes",
            place=f"{name}, line {excess.number}",
            hint=("shorten it, or use a greater ", Setting("max_line")),
        )
    return _too_large(f"{name}, lines {n_before + 1} to {excess.number}", "line", limits)


def input_lines(stream: IO[bytes], limits: Limits = LIMITS, n_before: int = 0) -> Iterator[bytes]:
    """Return an iterator over the lines that follow `n_before` others, with their ends.

    It raises `TooLarge` as soon as a line is too long, or all are together; `limit_error` says so.
    """
    return limited_lines(
        stream,
        limits.max_line,
        max_bytes=limits.max_file,
        overhead=PER_LINE,
        n_before=n_before,
    )


def _read_bytes(stream: IO[bytes], name: str, limits: Limits) -> bytearray | bytes:
    """Return the bytes of a text, or, unchangeable, of a binary table."""
    data = bytearray()
    first = stream.readline(min(limits.max_line, limits.max_file) + 1)
    if first.startswith(BINARY_TABLES):
        data += first
        while len(data) <= limits.max_file and (piece := stream.read(_HEAD_BYTES)):
            data += piece
        return bytes(data)
    if first.lstrip(_BEFORE_TEXT)[:1] != b"<":
        try:
            return read_limited(
                stream,
                limits.max_line,
                max_bytes=limits.max_file,
                overhead=PER_LINE,
                first=first,
            )
        except TooLarge as excess:
            raise limit_error(excess, name, limits) from None
    # Markup need not have lines; its tags are what takes memory.
    pieces = limited_lines(
        stream,
        limits.max_line,
        max_bytes=limits.max_file,
        overhead=PER_LINE,
        unit=b"<",
        first=first,
        long_lines="split",
    )
    try:
        for piece in pieces:
            data += piece
    except TooLarge:
        raise _too_large(name, "tag", limits) from None
    return data


def _too_large(where: str, unit: str, limits: Limits) -> LimitError:
    return LimitError(
        f"more than {limits.max_file} bytes to hold in memory, counting {PER_LINE} more for each"
        f" {unit}",
        place=where,
        hint=("split the file, or use a greater ", Setting("max_file")),
        can_stream=unit == "line",
    )


class LineFile:
    """An open file; `has_byte_lines` says whether it can be read a few lines at a time.

    UTF-16, UTF-32 and encodings with a state cannot. `start` is the beginning of the text, from
    which the caller can tell the format; nothing is consumed until lines are read.
    `role` is the one whose encoding messages name: ref or hyp.
    """

    def __init__(
        self, path: str, encoding: str | None, limits: Limits = LIMITS, role: str = ""
    ) -> None:
        self.path, self.name, self.limits = path, display_name(path), limits
        self.role, self._names_codec = role, encoding is not None
        self.codec = "utf-8" if encoding is None else find_codec(encoding)
        self.n_read = 0
        with reading(self.name, InputError, _EXPECTED):
            self._stream = open_binary(path) if path != "-" else _standard_input()
            head = self._stream.peek(_HEAD_BYTES)[:_HEAD_BYTES]
        if head.startswith(UTF8_MARK):
            self.codec = "utf-8"  # whatever the caller says, as in `decode`
        is_table = head.startswith(BINARY_TABLES)
        if not is_table:
            refuse_binary(head, self.name)
        self.has_byte_lines = not is_table and has_byte_lines(self.codec, head)
        start = head.removeprefix(UTF8_MARK) if len(head) >= _LEAST_HEAD else b""
        self.start = start.decode(self.codec, errors="replace")

    def lines(self, n_lines: int) -> list[str]:
        """Read the next lines, at most `n_lines`; fewer only at the end of the file."""
        with reading(self.name, InputError, _EXPECTED):
            try:
                data = list(islice(input_lines(self._stream, self.limits, self.n_read), n_lines))
            except TooLarge as excess:
                raise limit_error(excess, self.name, self.limits, self.n_read) from None
        if self.n_read == 0:
            if not data or data == [UTF8_MARK]:
                raise _empty(self.path, self.name)
            data[0] = data[0].removeprefix(UTF8_MARK)
        texts = []
        for line in data:
            self.n_read += 1
            try:
                text = line.decode(self.codec)
            except UnicodeDecodeError as error:
                raise EncodingError(
                    f"{locate_byte(error, self.name, self.n_read)} is not part"
                    f" of a character of {self.codec}",
                    hint=f"the text must be {self.codec}",
                    likely="" if self._names_codec else likely_codec(b"".join(data)),
                ).for_role(self.role) from None
            if self.n_read == 1:
                refuse_lone_cr(text, self.name)
            texts.append(text.removesuffix("\n").removesuffix("\r"))
        return texts

    def count_lines(self) -> int | None:
        """Return the number of lines in the file; None if that takes as long as reading them.

        Compressed files, pipes and standard input are not counted. Nothing is consumed.
        """
        is_open = self.path == "-" or descriptor_of(self.path) is not None
        if is_open or not os.path.isfile(self.path) or is_unpacked(self._stream):
            return None
        with reading(self.name, InputError, _EXPECTED), open(self.path, "rb") as file:
            return n_lines(file)

    def share_read(self) -> float | None:
        """Return the share of the file that was read, compressed or not; None of a pipe.

        Bytes that were read ahead count.
        """
        with suppress(OSError):
            descriptor = self._stream.fileno()
            size, position = os.fstat(descriptor).st_size, os.lseek(descriptor, 0, os.SEEK_CUR)
            return min(1.0, position / size) if size and position else None
        return None

    def close(self) -> None:
        """Close the file, unless it is standard input."""
        if self.path != "-":
            self._stream.close()


def _empty(path: str, name: str) -> EmptyFileError:
    return EmptyFileError(f"{name} is empty", hint="it must have at least one line", path=path)


def _standard_input() -> BufferedReader:
    if sys.stdin is None:
        raise InputError("standard input is closed; give the path of a file instead of -")
    return cast(BufferedReader, sys.stdin.buffer)


# Files written atomically: they appear under their names when complete, or not at all.

_NO_TERMINAL = getattr(os, "O_NOCTTY", 0)
_BINARY = getattr(os, "O_BINARY", 0)  # of Windows


@contextmanager
def open_atomic(path: AnyPath) -> Iterator[IO[bytes]]:
    """Open a file for writing that is renamed to `path` at the end of the block; raises `OSError`.

    A reader of `path` sees the old file or the complete new one. If the block raises, nothing is
    left behind. Symbolic links are followed and stay. Devices, pipes and open files are written to
    directly.
    """
    if is_special(path):
        file = _open_special(path)
        try:
            yield file
        except BaseException:
            with contextlib.suppress(OSError):  # the first error counts
                file.close()
            raise
        file.close()
        return
    target = os.path.realpath(path)
    unfinished, file = _new_file(target)
    try:
        with file:
            yield file
            _complete(file, target)
        os.replace(unfinished, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(unfinished)
        raise


def _complete(file: IO[bytes], target: str) -> None:
    """Write all bytes to the disk and take over the permissions of the file to be replaced."""
    file.flush()
    os.fsync(file.fileno())
    with contextlib.suppress(FileNotFoundError):
        mode = os.stat(target).st_mode & 0o777
        if hasattr(os, "fchmod"):
            os.fchmod(file.fileno(), mode)


def _open_special(path: AnyPath) -> IO[bytes]:
    number = descriptor_of(path)
    if number is None:
        return open(os.open(path, os.O_WRONLY | _NO_TERMINAL), "wb")
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()  # what was printed before comes first
    return open(os.dup(number), "wb")


def _new_file(target: str) -> tuple[str, IO[bytes]]:
    """Create a file in the target's folder."""
    mode = 0o666
    with contextlib.suppress(FileNotFoundError):
        mode = os.stat(target).st_mode & 0o777
        if not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    path = os.path.join(os.path.dirname(target), f".celab-{os.urandom(8).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY
    return path, open(os.open(path, flags, mode | 0o600), "wb")


def check_writable(path: AnyPath) -> None:
    """Raise `OSError` unless a file can be written; a new file is created to try it, and removed.

    Some folders, such as those of /proc, seem to be writable and take no new file.
    """
    special = is_special(path)
    if descriptor_of(path) is not None:
        return
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise FileNotFoundError
    is_writable = special or os.access(folder, os.W_OK | os.X_OK)
    if not is_writable or (os.path.exists(path) and not os.access(path, os.W_OK)):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    if not special:
        unfinished, file = _new_file(target)
        file.close()
        os.unlink(unfinished)


def write(path: AnyPath, content: str | bytes, error: type[CelabError] = InputError) -> None:
    """Write a text, in UTF-8, or bytes atomically; raise an `error` if that is not possible.

    Bytes of file names that are not UTF-8 are written as `\\udcXX`.
    """
    if isinstance(content, str):
        content = content.encode("utf-8", "backslashreplace")
    with writing(path, error), open_atomic(path) as file:
        file.write(content)


def write_or_return(path: AnyPath | None, page: str) -> str:
    """Return a page; with a path, write it atomically, and return the path."""
    if path is None:
        return page
    write(path, page)
    return os.fspath(path)


@contextmanager
def writing(path: AnyPath, error: type[CelabError] = InputError) -> Iterator[None]:
    """Turn errors into an `error` of one line, except a broken pipe."""
    try:
        yield
    except (BrokenPipeError, CelabError):
        raise
    except FileNotFoundError:
        has_folder = os.path.isdir(os.path.dirname(os.path.realpath(path)))
        why = "its folder takes no new files" if has_folder else "its folder does not exist"
        raise error(f"{path} cannot be written; {why}") from None
    except IsADirectoryError:
        raise error(f"{path} cannot be written; it is a directory and must be a file") from None
    except (OSError, ValueError) as refusal:  # ValueError: a path that no system call accepts
        reason = getattr(refusal, "strerror", None) or refusal
        raise error(f"{path} cannot be written ({reason})") from None
