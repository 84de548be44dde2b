"""Fetching a known source: its address in, a whole and verified file out.

What arrives is kept in `NAME.part`, and in `NAME.part.json` what the server calls this version of
the resource, so that a later run can ask for the rest of the same version. The final name appears
when all bytes are there, and in one step. Whoever is interrupted leaves these two and nothing else.

No digest is known of a moving target. That it is whole is then the word of the server, which must
say how long it is or where it ends.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import shutil
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from http import HTTPStatus
from http.client import HTTPException, HTTPMessage, HTTPResponse
from pathlib import Path
from typing import IO, Any
from urllib import request
from urllib.error import HTTPError, URLError
from urllib.parse import urljoin, urlsplit

from celab.errors import LexiconError
from celab.lexicon.known import Known
from celab.version import __version__

if sys.platform != "win32":
    import fcntl

PATIENCE = 60.0  # seconds without a byte
CHUNK = 1 << 18
_MOST_UNPACKED = 1 << 30  # bytes; no thesaurus that comes in a ZIP is nearly as long
_CONTENT_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")

Progress = Callable[[int, int | None], object]  # bytes there are, bytes there will be


class _Redirects(request.HTTPRedirectHandler):
    """Follows to http and https only, and from https to nothing less."""

    def http_error_302(
        self, req: request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage
    ) -> Any:
        """Refuses before the inherited method, which would let ftp pass."""
        target = urljoin(req.full_url, headers.get("location") or headers.get("uri") or "")
        scheme = urlsplit(target).scheme.lower()
        allowed = ("https",) if req.type == "https" else ("http", "https")
        if scheme not in allowed:
            fp.close()
            raise LexiconError(
                f"{req.full_url} redirects to {target!r}, which is not followed;"
                f" it must be {' or '.join(allowed)}"
            )
        return super().http_error_302(req, fp, code, msg, headers)

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def web() -> request.OpenerDirector:
    """Opens http and https, by the proxy that the environment names, and nothing else."""
    opener = request.OpenerDirector()
    for handler in (
        request.ProxyHandler(),
        request.UnknownHandler(),
        request.HTTPHandler(),
        request.HTTPSHandler(),
        request.HTTPDefaultErrorHandler(),
        _Redirects(),
        request.HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    return opener


def fetch(
    known: Known,
    folder: Path,
    *,
    progress: Progress | None = None,
    opener: request.OpenerDirector | None = None,
    patience: float = PATIENCE,
) -> Path:
    """The file of a known source, in `folder`; nothing is asked for if it is there already.

    `progress` is told how many bytes there are and, or None, how many there will be; `patience` is
    how many seconds may pass without a byte.
    """
    path = folder / known.file
    if _is_there(path, known):
        return path
    with _storing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with _open_part(path, known) as part:
        if _is_there(path, known):  # another process was quicker
            part.discard()
            return path
        if not part.is_complete():
            _download(part, opener or web(), patience, progress)
        _verify(part)
        if known.member is None:
            part.finish(part.path)
        else:
            with _unpacked(part, known.member) as unpacked:
                part.finish(unpacked)
    return path


def _is_there(path: Path, known: Known) -> bool:
    # Under this name there are only whole files; but a later celab may expect another version.
    if not path.is_file():
        return False
    if known.sha256 is None or known.member is not None:
        return True
    return _sha256(path) == known.sha256


@dataclass(frozen=True, slots=True)
class _Version:
    """What a server says of the resource that it sends."""

    address: str
    validator: str  # a strong ETag, or the date; "" if there is neither
    total: int | None  # bytes


class _Part:
    """The file that grows, and the note beside it. Only one process may have it open."""

    def __init__(self, path: Path, known: Known, file: io.FileIO) -> None:
        self.final = path
        self.path = _part_path(path)
        self.note_path = Path(f"{self.path}.json")
        self.known = known
        self.file = file
        self.version = self._read_note()
        self.finished = False
        file.seek(0, os.SEEK_END)  # where what is missing will stand

    @property
    def size(self) -> int:
        return os.fstat(self.file.fileno()).st_size

    def resumes(self) -> _Version | None:
        """The version of which the first bytes are here, if the rest can be asked for."""
        found = self.version
        if found is None or not found.validator or not self.size:
            return None
        return None if found.total is not None and self.size >= found.total else found

    def is_complete(self) -> bool:
        """All is here: the run before was interrupted after the last byte."""
        return self.version is not None and 0 < self.size == self.version.total

    def restart(self, version: _Version) -> None:
        """Throws away what is here; from now on it is this version that grows."""
        with _storing(self.path):
            self.file.truncate(0)
            self.file.seek(0)
            # Only after the truncation: a note must never vouch for bytes of another version.
            self.note_path.write_text(json.dumps(asdict(version)), encoding="utf-8")
        self.version = version

    def write(self, chunk: bytes) -> None:
        with _storing(self.path):
            left = memoryview(chunk)
            while left:
                left = left[self.file.write(left) or 0 :]

    def finish(self, finished: Path) -> None:
        """Gives `finished`, which is whole, the final name."""
        with _storing(self.final):
            with finished.open("rb+") as file:
                os.fsync(file.fileno())
            if sys.platform == "win32":  # where an open file cannot be moved
                self.file.close()
            finished.replace(self.final)
        self.discard()

    def discard(self) -> None:
        """Removes both files."""
        self.finished = True
        if sys.platform == "win32":
            self.file.close()
        for path in (self.path, self.note_path):
            with contextlib.suppress(OSError):
                path.unlink()

    def _read_note(self) -> _Version | None:
        try:
            found = _Version(**json.loads(self.note_path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):  # none, or one that was cut short
            return None
        kinds = isinstance(found.validator, str) and isinstance(found.total, int | None)
        return found if kinds and found.address == self.known.address else None


def _part_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.part")


@contextmanager
def _open_part(path: Path, known: Known) -> Iterator[_Part]:
    part_path = _part_path(path)
    with _storing(part_path):
        file = _open_locked(part_path)
    with file:
        part = _Part(path, known, file)
        try:
            yield part
        finally:
            if not part.finished and not file.closed and not part.size:  # nothing worth keeping
                part.discard()


def _open_locked(path: Path) -> io.FileIO:
    while True:
        number = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        file = io.FileIO(number, "r+b")
        if sys.platform == "win32":
            return file
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise LexiconError(f"{path} is being written by another fetch; wait for it") from None
        except OSError:  # a file system without locks
            return file
        # Whoever had it before may have moved it to its final name.
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(number), path.stat()):
                return file
        file.close()


def _download(
    part: _Part, opener: request.OpenerDirector, patience: float, progress: Progress | None
) -> None:
    """Fills the part, from where it ends if the server still has that version."""
    known = part.known
    response, total = None, None
    if (resumed := part.resumes()) is not None:
        response = _ask(known, opener, patience, after=part.size, of=resumed)
        if response is not None and response.status == HTTPStatus.PARTIAL_CONTENT:
            total = _total_if_rest(response, part.size, resumed)
            if total is None:
                response.close()
                response = None
    if response is None:
        response = _ask(known, opener, patience)
    assert response is not None  # only the answer to a part can be none
    with response:
        if total is None:
            if response.status != HTTPStatus.OK:
                raise _refused(known, response.status)
            version = _version(response, known)
            part.restart(version)
            total = version.total
        _copy(response, part, total, progress)


def _ask(
    known: Known,
    opener: request.OpenerDirector,
    patience: float,
    after: int = 0,
    of: _Version | None = None,
) -> HTTPResponse | None:
    """The answer; None if the server has nothing after that byte."""
    asked = request.Request(known.address, headers={"User-Agent": f"celab/{__version__}"})
    if of is not None:
        asked.add_header("Range", f"bytes={after}-")
        asked.add_header("If-Range", of.validator)
    try:
        answer: HTTPResponse = opener.open(asked, timeout=patience)
    except HTTPError as error:
        error.close()
        if of is not None and error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            return None
        raise _refused(known, error.code) from None
    except LexiconError:
        raise
    except (HTTPException, OSError, ValueError) as error:  # ValueError: an address that is none
        raise _broken(known, error) from None
    return answer


def _version(response: HTTPResponse, known: Known) -> _Version:
    """What a whole answer says of itself; raises if its end could not be known."""
    total = response.length
    if known.size is not None and total is not None and total != known.size:
        raise LexiconError(
            f"{known.address} is {total} bytes long; it must be {known.size}:"
            " this is not the file that is expected"
        )
    if total is None and not response.chunked and known.sha256 is None:
        raise LexiconError(
            f"{known.address} comes without its length, so that a part could not be told from the"
            " whole; the server must say it"
        )
    return _Version(known.address, _validator(response), total)


def _validator(response: HTTPResponse) -> str:
    # A weak ETag promises nothing about bytes.
    etag = response.headers.get("ETag", "")
    return etag if etag.startswith('"') else response.headers.get("Last-Modified", "")


def _total_if_rest(response: HTTPResponse, size: int, version: _Version) -> int | None:
    """The length of the whole, if a partial answer is the rest of it and of that version."""
    found = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", "").strip())
    if found is None:
        return None
    first, last, total = map(int, found.groups())
    is_rest = first == size and last == total - 1 and version.total in (None, total)
    return total if is_rest and _validator(response) in ("", version.validator) else None


def _copy(
    response: HTTPResponse, part: _Part, total: int | None, progress: Progress | None
) -> None:
    known, size = part.known, part.size
    most = known.size if total is None else total
    while total is None or size < total:  # Python 3.11's read1 does not stop there by itself
        try:
            chunk = response.read1(CHUNK if total is None else min(CHUNK, total - size))
        except (HTTPException, OSError) as error:
            raise _broken(known, error, size, total) from None
        if not chunk:
            break
        size += len(chunk)
        if most is not None and size > most:
            part.discard()
            raise LexiconError(f"{known.address} is longer than the {most} bytes it must be")
        part.write(chunk)
        if progress is not None:
            progress(size, total)
    if total is not None and size != total:
        raise LexiconError(
            f"{known.address} ended after {size} of {total} bytes; fetch again for the rest"
        )


def _verify(part: _Part) -> None:
    """Size and SHA-256, where known; what is wrong is removed."""
    known = part.known
    problem = ""
    if not part.size:
        problem = "is empty; it must hold something"
    elif known.size is not None and part.size != known.size:
        problem = f"is {part.size} bytes long; it must be {known.size}"
    elif known.sha256 is not None and (digest := _sha256(part.path)) != known.sha256:
        problem = f"has SHA-256 {digest}; it must be {known.sha256}"
    if problem:
        part.discard()
        raise LexiconError(f"{known.address} {problem}; what was fetched is removed")


@contextmanager
def _unpacked(part: _Part, member: str) -> Iterator[Path]:
    """A file with what the ZIP holds under that name, in whatever folder; it does not stay."""
    path = part.final.with_name(f"{part.final.name}.unpacked")
    try:
        with _storing(path):
            try:
                with zipfile.ZipFile(part.path) as archive:
                    inside = next(
                        (i for i in archive.infolist() if i.filename.split("/")[-1] == member), None
                    )
                    if inside is None or inside.file_size > _MOST_UNPACKED:
                        raise zipfile.BadZipFile(f"no {member} of a sensible size in it")
                    with archive.open(inside) as source, path.open("wb") as target:
                        shutil.copyfileobj(source, target, CHUNK)
            except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError) as error:
                part.discard()  # NotImplementedError, of other compressions, is a RuntimeError
                raise LexiconError(
                    f"{part.known.address} gave something else than a ZIP with {member} ({error})"
                ) from None
        yield path
    finally:
        path.unlink(missing_ok=True)


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise LexiconError(f"{path} cannot be read ({error.strerror})") from None


@contextmanager
def _storing(path: Path) -> Iterator[None]:
    """Turns what a disk may refuse into our error. What is there of a part stays."""
    try:
        yield
    except OSError as error:
        raise LexiconError(f"{path} cannot be written ({error.strerror or error})") from None


def _refused(known: Known, status: int) -> LexiconError:
    # Not the server's own words: these may be anything.
    meaning = next((s.phrase for s in HTTPStatus if s == status), "unknown")
    why = "redirected in a circle" if 300 <= status < 400 else "it must be 200"
    return LexiconError(f"{known.address} answered with status {status} ({meaning}); {why}")


def _broken(
    known: Known, error: Exception, size: int = 0, total: int | None = None
) -> LexiconError:
    cause = error.reason if isinstance(error, URLError) else error
    why = getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
    how_far = f" after {size} of {total or '?'} bytes" if size else ""
    again = "; fetch again for the rest" if size else ""
    return LexiconError(
        f"{known.address} cannot be fetched{how_far}: {' '.join(str(why).split())}{again}"
    )
