"""Names and paths → one read-only `Lexicon`, compiled once and cached.

Compiled lexicons are in the user's cache folder, or in the folder that CELAB_LEXICONS names, under
a name made from the sources' digests and from all settings that shape them. Where nothing can be
written, the lexicon is compiled anew each time.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import unicodedata
from typing import TYPE_CHECKING, Protocol

from celab._native import lexicon as native
from celab.lexicon import catalogue
from celab.lexicon.catalogue import LexiconSpec, Located, cache_folder, labelled, load
from celab.lexicon.compiled import MAGIC, Compiled, compile_groups, save
from celab.lexicon.compiled import load as load_compiled
from celab.lexicon.model import Group
from celab.normalize import Normalizer, opencc_version
from celab.version import __version__

if TYPE_CHECKING:
    from celab.options import TeslaCelabOptions


class Respelling(Protocol):
    """What is done to text before it is normalised, hence to the words of a lexicon too."""

    name: str  # two that can differ have different names

    def __call__(self, texts: list[str]) -> list[str]:
        """Respells each text independently."""


class Lexicon:
    """Synonym groups, ready for the kernels; `cited` names their sources by digest."""

    def __init__(self, cited: str, compiled: Compiled, notice: str = "") -> None:
        self.cited = cited
        self.notice = notice  # why this one is used instead of the requested one
        self.n_groups: int = len(compiled["label_start"]) - 1
        self._word_start = compiled["word_start"]
        self._word_group = compiled["word_group"]
        self._label_start = compiled["label_start"]
        self._label_text = compiled["label_text"]
        self.native = native.Lexicon(
            cited,
            compiled["slots"],
            compiled["root"],
            compiled["word_start"],
            compiled["word_group"],
            self.n_groups,
        )

    def groups_of(self, word: int) -> set[int]:
        """The groups of a word, by number."""
        return set(self._word_group[self._word_start[word] : self._word_start[word + 1]].tolist())

    def label(self, group: int) -> str:
        """Where a group stands in its source."""
        begin, end = self._label_start[group], self._label_start[group + 1]
        return bytes(self._label_text[begin:end]).decode()

    def __repr__(self) -> str:
        return f"<lexicon {self.cited}: {self.native.n_words} words, {self.n_groups} groups>"


def open_lexicon(
    spec: LexiconSpec, options: TeslaCelabOptions, respell: Respelling | None = None
) -> Lexicon | None:
    """The lexicon that `spec` names, as the options shape it; None for `none`."""
    found, notice = catalogue.located_or_stand_in(spec)
    if not found:
        return None
    cited = "+".join(one.cited for one in found)
    key = _key(found, options, respell)
    name = "+".join(one.name for one in found)[:40]  # 255 bytes are the most, of UTF-8
    path = cache_folder() / os.fsdecode(f"{name}-{key[:24]}.lexc".encode())  # in any locale
    compiled = load_compiled(key, path)
    if compiled is None:
        groups: list[Group] = []
        for one in found:
            groups += labelled(load(one), options.cilin_lines)
        compiled = compile_groups(groups, normalizer=Normalizer.of(options), respell=respell)
        with contextlib.suppress(OSError):  # a cache that cannot be written is only slow
            save(compiled, key, path)
    return Lexicon(cited, compiled, notice)


def _key(found: list[Located], options: TeslaCelabOptions, respell: Respelling | None) -> str:
    # Everything that shapes the compiled form; another key is another file.
    shape = {
        "format": MAGIC.decode() + sys.byteorder,
        "celab": __version__,  # how words are cut and numbered
        "sources": [[one.name, one.digest] for one in found],
        "width": options.width,
        "case": [options.case, unicodedata.unidata_version if options.case == "lower" else ""],
        "script": [
            options.script,
            options.opencc,
            opencc_version() if options.script != "keep" else "",
        ],
        "cilin_lines": options.cilin_lines,
    }
    # Only where they do something, so that what was compiled before they came is still of use.
    if options.umlauts != "keep":
        shape["umlauts"] = [options.umlauts, unicodedata.unidata_version]
    if respell is not None:
        shape["respell"] = [respell.name, unicodedata.unidata_version]
    return hashlib.sha256(json.dumps(shape).encode()).hexdigest()
