"""Language models in ARPA files, read by kenlm: length-normalized scores of texts.

The score of a text is (1 / n) log10 P, where P counts the end of the sentence and n, the number of
tokens, does not. Tokens are TESLA-CELAB's `char` tokens: characters, and whole words and numbers in
Latin letters; the text that a model is trained on must be cut in the same way. Scores below -15 are
-15, the end of the range that TESLA-F assumes (Dahlmeier, Liu and Ng 2011, section 4.1).

kenlm trusts its input: it maps its own binary files without looking at their sizes, and sets aside
as much memory as the counts of an ARPA file ask for. So `check_arpa` reads a file first, and kenlm
sees it only if it is ARPA text whose sections hold what its header says:

    \\data\\
    ngram 1=3          the counts, by order
    ngram 2=1

    \\1-grams:
    -1.2  <s>  -0.3    log10 probability, n words, and the back-off weight, if there is one

    \\2-grams:          … and so on, to the highest order
    \\end\\
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import IO, TYPE_CHECKING

import numpy as np

from celab.base import io
from celab.base.arrays import F64
from celab.base.errors import InputError, LimitError, OptionError, install_command
from celab.base.text.escapes import escape_controls
from celab.base.text.tokens import cut

if TYPE_CHECKING:
    from kenlm import Model

LOWEST = -15.0
MAX_BYTES = 1 << 36  # of a file, decompressed
MAX_LINE = 1 << 16  # bytes
MAX_ORDER = 6  # kenlm is built for n-grams of up to so many words
GREATEST = 1e6  # absolute value of a logarithm; kenlm would take 1e39 for infinite

_BINARY = b"mmap lm"  # how kenlm's own files begin
_COUNT = re.compile(rb"ngram +([0-9]{1,2}) *= *([0-9]{1,18})\s*")
_NUMBER = rb"([+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,3})?)"
_WORD = rb"[^\0\t\n\v\f\r ]+"
_NGRAMS = [
    re.compile(_NUMBER + rb"(?:[ \t]" + _WORD + rb"){%d}(?:\t" % n + _NUMBER + rb")?\r?\n?")
    for n in range(MAX_ORDER + 1)
]


class DigestError(InputError):
    """A file whose SHA-256 is another than it must be."""

    def __init__(self, digest: str) -> None:
        super().__init__(f"the language model has digest {digest[:12]}")
        self.digest = digest


class LanguageModel:
    """An open language model; `digest` is the SHA-256 of its file."""

    def __init__(self, path: io.AnyPath, digest: str | None = None) -> None:
        """Open the file; `DigestError` if its SHA-256 is not `digest`."""
        try:
            import kenlm
        except ImportError:
            raise OptionError(
                f"language models need kenlm, which is not installed: {install_command('lm')}"
            ) from None
        if not isinstance(path, str | os.PathLike):
            raise OptionError(
                f"a language model is of type {type(path).__name__}; it must be the path of an ARPA"
                " file"
            )
        label = f"language model {os.fspath(path)}"
        self.path = os.path.abspath(path)
        settings = kenlm.Config()
        settings.show_progress = False
        settings.arpa_complain = kenlm.ARPALoadComplain.NONE

        def read(sha256: str) -> Model:
            if digest not in (None, sha256):  # before anything in the file is shown
                raise DigestError(sha256)
            check_arpa(path)
            try:
                return kenlm.Model(self.path, settings), sha256
            except UnicodeEncodeError:  # a name that is not UTF-8
                raise InputError(f"{label} cannot be opened by kenlm; rename it") from None
            except OSError as error:
                raise InputError(f"{label}: kenlm refuses it ({_reason(error)})") from None

        self._model: Model
        self.digest: str
        self._model, self.digest = io.read_unchanged(path, label, InputError, read, "an ARPA file")

    @property
    def cited(self) -> str:
        """File name and digest."""
        return f"{os.path.basename(self.path)}@{self.digest[:12]}"

    def scores(self, texts: Iterable[str]) -> F64:
        """Return the score of each text, from -15 to 0."""
        return np.array([self._score(cut(text, tokenize="char")) for text in texts], np.float64)

    def _score(self, tokens: list[str]) -> float:
        # Half a surrogate pair becomes U+FFFD, as kenlm's UTF-8 cannot hold it.
        text = " ".join(tokens).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        total: float = self._model.score(text, bos=True, eos=True)
        return min(0.0, max(LOWEST, total / max(1, len(tokens))))


def check_arpa(path: io.AnyPath) -> list[int]:
    """Return the number of n-grams of each order; `InputError` if the file is not sound ARPA text.

    Words, their order and duplicates are left to kenlm, which does not rely on them.
    """
    label = f"language model {os.fspath(path)}"
    with io.reading(label, InputError, "an ARPA file"):
        io.check_regular(path, label, InputError, "an ARPA file")
        with io.open_binary(path) as stream:
            return _Scan(stream, label).counts()


class _Scan:
    """One pass over the lines of an ARPA file."""

    def __init__(self, stream: IO[bytes], label: str) -> None:
        self._lines = self._read_lines(stream)
        self._label = label
        self._number = 0  # of the last line

    def counts(self) -> list[int]:
        """Return the counts of the header, which are those of the sections."""
        line = self._next_text(b"#")
        if line.startswith(_BINARY):
            raise InputError(
                f"{self._label} is a binary file of kenlm; it must be ARPA text, which it was made"
                " from"
            )
        if line.rstrip() != b"\\data\\":
            raise self._unknown(line, "\\data\\")
        counts = self._header()
        line = self._next_text()
        for order, count in enumerate(counts, 1):
            if line.rstrip() != b"\\%d-grams:" % order:
                raise self._wrong(line, f"\\{order}-grams:")
            line = self._section(order, count, order == len(counts))
        if line.rstrip() != b"\\end\\":
            raise self._wrong(line, "\\end\\")
        if line_after := self._next_text(cut_off=False):
            raise self._wrong(line_after, "nothing after \\end\\")
        return counts

    def _header(self) -> list[int]:
        counts: list[int] = []
        while (line := self._next_line()).strip():
            match = _COUNT.fullmatch(line)
            if match is None or int(match[1]) != len(counts) + 1:
                raise self._wrong(line, f"ngram {len(counts) + 1}= and a whole number")
            counts.append(int(match[2]))
        if not 2 <= len(counts) <= MAX_ORDER:
            raise InputError(
                f"{self._label} has n-grams of {len(counts)} orders; there must be from 2 to"
                f" {MAX_ORDER}"
            )
        return counts

    def _section(self, order: int, count: int, highest: bool) -> bytes:
        """Check the n-grams of an order, and return the line after them that is not blank."""
        pattern, n_seen = _NGRAMS[order], 0
        while (line := self._next_text()).startswith(b"\\") is False:
            match = pattern.fullmatch(line)
            if match is None or not _is_utf8(line):
                raise self._wrong(line, f"a log10 probability, {order} words and a back-off weight")
            probability, backoff = float(match[1]), float(match[2] or 0)
            if not -GREATEST <= probability <= 0 or not abs(backoff) <= GREATEST:
                raise self._wrong(line, "a log10 probability of 0 or less, and finite numbers")
            if highest and backoff:
                raise self._wrong(line, "no back-off weight, as the order is the highest")
            n_seen += 1
        if n_seen != count:
            raise InputError(
                f"{self._label} has {n_seen} {order}-grams, but its header says {count}; it must"
                " be a whole ARPA file"
            )
        return line

    def _next_text(self, comment: bytes | None = None, cut_off: bool = True) -> bytes:
        """Return the next line that is neither blank nor a comment."""
        while line := self._next_line(cut_off):
            if line.strip() and not (comment and line.startswith(comment)):
                break
        return line

    def _next_line(self, cut_off: bool = True) -> bytes:
        line = next(self._lines, b"")
        if not line and cut_off:
            if not self._number:
                raise InputError(f"{self._label} is empty; it must be a whole ARPA file")
            raise InputError(f"{self._label}: it is cut off; it must be a whole ARPA file")
        return line

    def _read_lines(self, stream: IO[bytes]) -> Iterator[bytes]:
        size = 0
        for line in iter(partial(stream.readline, MAX_LINE + 1), b""):
            self._number += 1
            size += len(line)
            if len(line) > MAX_LINE:
                if self._number == 1:  # no text at all
                    raise self._unknown(line, "\\data\\")
                raise LimitError(
                    f"{self._label}, line {self._number} has more than {MAX_LINE:,} bytes, which is"
                    " the limit"
                )
            if size > MAX_BYTES:
                raise LimitError(
                    f"{self._label} has more than {MAX_BYTES >> 30} GiB, which is the limit"
                )
            yield line

    def _unknown(self, line: bytes, expected: str) -> InputError:
        if line.startswith(_BINARY):
            return InputError(f"{self._label} is a binary file of kenlm; it must be ARPA text")
        return InputError(
            f"{self._label}: its format is unknown; it must be a whole ARPA file, which begins"
            f" with {expected}"
        )

    def _wrong(self, line: bytes, expected: str) -> InputError:
        text = line[:40].decode("utf-8", "replace").strip()
        return InputError(
            f"{self._label}, line {self._number}: '{escape_controls(text)}' is there; it must be"
            f" {expected}"
        )


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _reason(error: OSError) -> str:
    """Return the reason in kenlm's message, without the place in its source, a line of its own."""
    message = str(error.__cause__ or error)
    reason = " ".join((message.partition("\n")[2] or message).split())
    return escape_controls(re.sub(r" Byte: \d+$", "", reason)[:200])
