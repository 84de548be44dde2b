"""Known sources: URLs of the usual thesauri in, whole and verified files out.

Most URLs are moving targets: the file is updated daily or weekly, so that it has no fixed SHA-256;
the server must then say how long it is or where it ends. The others name a commit, so their bytes
are known. The file is kept under a name of ours, never under one that the server chooses.

pooch downloads under a temporary name, verifies the SHA-256 where one is known, and then renames;
an interrupted download leaves nothing behind, and several at once do not disturb each other.

>>> KNOWN["cow"].licence
'WordNet-style, permissive: keep the notice'
"""

from __future__ import annotations

import zipfile
import zlib
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from celab.base import io
from celab.base.errors import LexiconError, install_command
from celab.base.run import Progress
from celab.base.version import __version__

if TYPE_CHECKING:
    import requests

_WIKTIONARY = "CC BY-SA 4.0 and GFDL"
_WORDNET = "WordNet-style, permissive: keep the notice"
_KAIKKI = "https://kaikki.org/dictionary"
_RAW = "https://raw.githubusercontent.com"
_OMW = f"{_RAW}/omwn/omw-data/f75be19ec590da12a7a5665e361690b5badb7a25/wns"
_SUDACHI = f"{_RAW}/WorksApplications/SudachiDict/2c7cbcf2914edaccab53a28ae0d3e4befb524053"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A source that can be fetched."""

    name: str
    file: str  # its name in the cache
    url: str
    licence: str
    what: str
    sha256: str | None = None  # digest of the download; None if its content changes over time
    member: str | None = None  # if the URL gives a ZIP: what to take out of it


_ALL = (
    Known(
        name="kaikki-en-zh",
        file="kaikki-en-zh.jsonl.gz",
        url=f"{_KAIKKI}/Chinese/kaikki.org-dictionary-Chinese.jsonl.gz",
        licence=_WIKTIONARY,
        what="Chinese words of Wiktionary's English edition, extracted by kaikki.org",
    ),
    Known(
        name="kaikki-en-de",
        file="kaikki-en-de.jsonl.gz",
        url=f"{_KAIKKI}/German/kaikki.org-dictionary-German.jsonl.gz",
        licence=_WIKTIONARY,
        what="German words of Wiktionary's English edition, extracted by kaikki.org",
    ),
    Known(
        name="kaikki-zh",
        file="kaikki-zh.jsonl.gz",
        url=f"{_KAIKKI}/downloads/zh/zh-extract.jsonl.gz",
        licence=_WIKTIONARY,
        what="Wiktionary, Chinese edition, extracted by kaikki.org",
    ),
    Known(
        name="kaikki-de",
        file="kaikki-de.jsonl.gz",
        url=f"{_KAIKKI}/downloads/de/de-extract.jsonl.gz",
        licence=_WIKTIONARY,
        what="Wiktionary, German edition, extracted by kaikki.org",
    ),
    Known(
        name="cow",
        file="wn-data-cmn.tab",
        url=f"{_OMW}/cow/wn-data-cmn.tab",
        licence=_WORDNET,
        what="Chinese Open Wordnet (Simplified), from the Open Multilingual Wordnet",
        sha256="379fd2e41d3e1395f9f27cf23a39c6181849ffb4020c14a07ed2a4d4dd651122",
    ),
    Known(
        name="cwn",
        file="wn-data-qcn.tab",
        url=f"{_OMW}/cwn/wn-data-qcn.tab",
        licence=_WORDNET,
        what="Chinese Wordnet (Traditional), from the Open Multilingual Wordnet",
        sha256="ffbd78a9c390a5c06538e7e431db8b1c5949787fb07611adfa230a22e6f8ca11",
    ),
    Known(
        name="omw-wikt-zh",
        file="wn-wikt-cmn.tab",
        url=f"{_OMW}/wikt/wn-wikt-cmn.tab",
        licence="CC BY-SA 3.0 and GFDL",
        what="Chinese words that Wiktionary's translations put on one synset",
        sha256="a850d11dd39d24a972797fcbdedecd737485b74d8b4e0665008a80916520f6d0",
    ),
    Known(
        name="omw-wikt-de",
        file="wn-wikt-deu.tab",
        url=f"{_OMW}/wikt/wn-wikt-deu.tab",
        licence="CC BY-SA 3.0 and GFDL",
        what="German words that Wiktionary's translations put on one synset",
        sha256="88df94afe560db68126f117232678502a08f27a4edcf8ff5bf0793bf013ad2df",
    ),
    Known(
        name="cedict",
        file="cedict_1_0_ts_utf-8_mdbg.txt.gz",
        url="https://www.mdbg.net/chinese/export/cedict/cedict_1_0_ts_utf-8_mdbg.txt.gz",
        licence="CC BY-SA 4.0",
        what="CC-CEDICT, a Chinese-English dictionary, as MDBG gives it out",
    ),
    Known(
        name="openthesaurus",
        file="openthesaurus.txt",
        url="https://www.openthesaurus.de/export/OpenThesaurus-Textversion.zip",
        licence="LGPL 2.1 or later, or CC BY-SA 4.0",
        what="OpenThesaurus, German, the text version of the day",
        member="openthesaurus.txt",
    ),
    Known(
        name="odenet",
        file="odenet.xml",
        url=f"{_RAW}/hdaSprachtechnologie/odenet/master/odenet/wordnet/deWordNet.xml",
        licence="CC BY-SA 4.0",
        what="OdeNet, the Open German Wordnet, as its makers have it now",
    ),
    Known(
        name="sudachi",
        file="sudachi-synonyms.txt",
        url=f"{_SUDACHI}/src/main/text/synonyms.txt",
        licence="Apache-2.0",
        what="Sudachi's synonym dictionary, Japanese",
        sha256="db5f2ce5d937d0c5e75c123bb81c688ed77d252e5ed40f6149ca121b7deca73e",
    ),
)

KNOWN = {source.name: source for source in _ALL}

_MAX_UNPACKED_BYTES = 1 << 30  # no published thesaurus is nearly as large


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
            if not members or members[0].file_size > _MAX_UNPACKED_BYTES:
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
