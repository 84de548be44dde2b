"""Fetching a known source with `pooch`: its URL in, a whole and verified file out.

pooch downloads under a temporary name, verifies the SHA-256 where one is known, and then renames;
an interrupted download leaves nothing behind, and several at once do not disturb each other. No
digest is known for a file that changes; the server must then say how long it is or where it ends.
"""

from __future__ import annotations

import zipfile
import zlib
from functools import partial
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from celab.base import io
from celab.base.errors import LexiconError, install_command
from celab.base.progress import Progress
from celab.base.version import __version__
from celab.lexicon.known import Known

if TYPE_CHECKING:
    import requests

_MOST_UNPACKED = 1 << 30  # bytes; no published thesaurus is nearly as large


def fetch(
    known: Known, folder: Path, *, progress: Progress | None = None, timeout: float = 60.0
) -> Path:
    """Return the path of a known source in `folder`; download it unless it exists.

    `timeout` is the longest time without a byte, in seconds.
    """
    try:
        import pooch
    except ImportError as error:
        raise LexiconError(
            f"package {error.name!r} is not installed and fetching needs it:"
            f" {install_command('fetch')}"
        ) from None
    path = folder / known.file
    pooch.get_logger().setLevel("WARNING")
    download = pooch.HTTPDownloader(
        progressbar=_PoochBar(progress) if progress else False,
        chunk_size=1 << 16,
        timeout=timeout,
        headers={"User-Agent": f"celab/{__version__}", "Accept-Encoding": "identity"},
        hooks={"response": partial(_check, known)},
    )
    retrieve = partial(pooch.retrieve, known.url, known.sha256, downloader=download)
    try:
        if known.member is None:
            retrieve(path.name, folder)
        elif not path.is_file():
            folder.mkdir(parents=True, exist_ok=True)
            with TemporaryDirectory(dir=folder) as temporary:
                _unpack(known, retrieve("archive.zip", temporary), path)
    except LexiconError:
        raise
    except (OSError, ValueError) as error:
        # Errors of requests are OSErrors too, and a wrong digest is a ValueError.
        from_server = isinstance(error, ValueError) or hasattr(error, "request")
        failure = f"{known.url} cannot be fetched" if from_server else f"{path} cannot be written"
        raise LexiconError(f"{failure}: {_reason(error)}") from None
    return path


def _check(known: Known, response: requests.Response, **_: object) -> None:
    """Reject a response that is not the complete file, before reading its body."""
    if response.is_redirect:
        return
    headers, problem = response.headers, ""
    if response.status_code != 200:
        problem = f"returned HTTP status {response.status_code}; expected 200"
    elif known.url.startswith("https:") and not response.url.startswith("https:"):
        problem = f"redirects to {response.url!r}, which is not followed; it must be https"
    elif headers.get("Content-Length") == "0":
        problem = "is empty"
    elif not known.sha256 and not {"Content-Length", "Transfer-Encoding"} & {*headers}:
        problem = "has no Content-Length header, so a partial download cannot be detected"
    if problem:
        raise LexiconError(f"{known.url} {problem}")


def _unpack(known: Known, archive: str, path: Path) -> None:
    """Write the member of the ZIP archive, in whatever folder of it, to `path`."""
    try:
        with zipfile.ZipFile(archive) as zip_file:
            members = [i for i in zip_file.infolist() if i.filename.split("/")[-1] == known.member]
            if not members or members[0].file_size > _MOST_UNPACKED:
                raise ValueError(f"no {known.member} of plausible size in it")
            with zip_file.open(members[0]) as source, io.open_atomic(path) as target:
                copyfileobj(source, target)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError) as error:
        raise LexiconError(
            f"{known.url} is not a ZIP archive with {known.member} ({error})"
        ) from None


def _reason(error: BaseException) -> str:
    """Return the root cause of an error in one line."""
    while cause := error.__cause__ or error.__context__:
        error = cause
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(reason.split())


class _PoochBar:
    """Progress bar in the form that pooch expects."""

    total = 0

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._done = 0

    def update(self, n_bytes: int) -> None:
        self._done += n_bytes
        self._progress(min(self._done, self.total or self._done), self.total or None)

    def reset(self) -> None:
        self._done = 0

    def close(self) -> None:
        pass
