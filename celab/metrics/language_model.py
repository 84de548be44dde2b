"""Language models in ARPA files, read by kenlm: length-normalized scores of texts.

The score of a text is (1 / n) log10 P, where P counts the end of the sentence and n, the number of
tokens, does not. Tokens are TESLA-CELAB's `char` tokens: characters, and whole words and numbers in
Latin letters; the text that a model is trained on must be cut in the same way. Scores below -15 are
-15, the end of the range that TESLA-F assumes (Dahlmeier, Liu and Ng 2011, section 4.1).

kenlm checks an ARPA file as it reads it, with three exceptions, which `check_header` refuses first.
It maps its own binary files without looking at their sizes. Counts that are negative or do not fit
into its memory end the process. And it keeps a whole line, which in a compressed file has no limit.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import partial
from typing import IO

import numpy as np

from celab.base import io
from celab.base.arrays import F64
from celab.base.errors import InputError, LimitError, OptionError, install_command
from celab.base.text.escapes import escape_controls
from celab.base.text.tokens import cut

MIN_SCORE = -15.0
MAX_LINE_BYTES = 1 << 16

_ARPA = "an ARPA file"
_COUNT = re.compile(rb"ngram +[0-9]{1,2} *= *[0-9]{1,12}\s*")  # `ngram 2=1234`: n-grams of an order


class DigestError(InputError):
    """A file has another SHA-256 than expected."""

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
        with io.digested(path, label, InputError, _ARPA) as self.digest:
            if digest not in (None, self.digest):  # before anything in the file is shown
                raise DigestError(self.digest)
            with io.reading(label, InputError, _ARPA), io.open_binary(path) as stream:
                check_header(stream, label)
            try:
                self._model = kenlm.Model(self.path, settings)
            except UnicodeEncodeError:  # a name that is not UTF-8
                raise InputError(f"{label} cannot be opened by kenlm; rename it") from None
            except UnicodeDecodeError:  # kenlm's message quotes bytes of the file
                raise InputError(f"{label}: kenlm refuses it; it must be text in UTF-8") from None
            except OSError as error:
                raise InputError(f"{label}: kenlm refuses it ({_reason(error)})") from None

    @property
    def signature_id(self) -> str:
        """File name and digest."""
        return f"{os.path.basename(self.path)}@{self.digest[:12]}"

    def scores(self, texts: Iterable[str]) -> F64:
        """Return the score of each text, from -15 to 0."""
        return np.array([self._score(cut(text, tokenize="char")) for text in texts], np.float64)

    def _score(self, tokens: list[str]) -> float:
        # Half a surrogate pair becomes U+FFFD, as kenlm's UTF-8 cannot hold it.
        text = " ".join(tokens).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        total: float = self._model.score(text, bos=True, eos=True)
        return min(0.0, max(MIN_SCORE, total / max(1, len(tokens))))


def check_header(stream: IO[bytes], label: str) -> None:
    """Raise `InputError` if kenlm must not see a file: no ARPA text, wrong counts, endless lines.

    A sound file begins with `\\data\\`, and a line such as `ngram 1=3` for each order. It may have
    blank lines and comments before, and a blank line ends the counts.
    """
    lines = enumerate(iter(partial(stream.readline, MAX_LINE_BYTES + 1), b""), 1)
    first = next((line for _, line in lines if line.strip() and not line.startswith(b"#")), b"")
    if first.rstrip() != b"\\data\\":
        raise InputError(
            f"{label} is not an ARPA file, which begins with \\data\\ (binary files of kenlm are"
            " not read)"
        )
    for number, line in lines:
        if not line.strip():
            break
        if not _COUNT.fullmatch(line):
            text = escape_controls(line[:40].decode("utf-8", "replace").strip())
            raise InputError(
                f"{label}, line {number}: '{text}' is there; it must be a count, such as ngram 1=3"
            )
    for number, line in lines:
        if len(line) > MAX_LINE_BYTES:
            raise LimitError(
                f"{label}, line {number} has more than {MAX_LINE_BYTES:,} bytes, which is the limit"
            )


def _reason(error: OSError) -> str:
    """Return the reason in kenlm's message, without the line on the place in its source."""
    message = str(error.__cause__ or error)
    reason = " ".join((message.partition("\n")[2] or message).split())
    return escape_controls(re.sub(r" Byte: \d+$", "", reason)[:200])
