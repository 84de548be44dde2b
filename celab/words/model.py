"""Words, analyzers, and how analyzers load their optional packages.

Sentences in, words out, one tuple of words per sentence. All tokens are kept, punctuation too:
TESLA-M takes out those without a letter or digit, as the 2010 paper does after tagging (5.2).
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from celab.base.errors import OptionError, install_command


@dataclass(frozen=True, slots=True)
class Word:
    """A token of a sentence."""

    form: str
    lemma: str  # lexicons are looked up by it
    tag: str  # part of speech in the analyzer's own tag set; never compared between analyzers
    function: bool  # whether an n-gram weighs less for holding it


class Analyzer(ABC):
    """Splits sentences into words. Equal sentences always give equal words."""

    slow = False  # whether worker processes save time; a slow analyzer must be picklable
    # True if words are cached on disk; the name must then change with everything that changes them.
    lasting = False
    name: str  # part of signatures; two analyzers that can differ have different names
    spelt: Callable[[str], str] = staticmethod(str)  # a lexicon's word → as a lemma is spelt

    def analyze(self, sentences: Sequence[str]) -> list[tuple[Word, ...]]:
        """Return the words of each sentence, in the order of the sentences."""
        return [self._words(sentence, number) for number, sentence in enumerate(sentences, 1)]

    def forms(self, sentence: str) -> list[str]:
        """Return the tokens of a sentence, as pivot tables look them up."""
        return [word.form for word in self._words(sentence, 1)]

    def tagged(self, forms: Sequence[str]) -> tuple[Word, ...]:
        """Return the words of a text that is already split into tokens."""
        raise OptionError(f"{self.name} analyzes whole sentences, not tokens; give a language")

    @abstractmethod
    def _words(self, sentence: str, number: int) -> tuple[Word, ...]: ...


def versioned_name(extra: str, *packages: str) -> str:
    """Return the packages with their versions, as in `HanTa-1.2.1,simplemma-2.0.0`.

    If a package is missing, the error names the extra that installs it.
    """
    from importlib.metadata import PackageNotFoundError, version

    try:
        return ",".join(f"{name}-{version(name)}" for name in packages)
    except PackageNotFoundError as error:
        raise _missing(extra, error.name) from None


def loaded(extra: str, module: str) -> Any:
    """Return a module of an optional package, imported when it is first needed."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise _missing(extra, error.name) from None


def _missing(extra: str, module: str | None) -> OptionError:
    package = (module or "").partition(".")[0]  # `HanTa` of `HanTa.HanoverTagger`
    return OptionError(
        f"package {package!r} is not installed and this analysis needs it: {install_command(extra)}"
    )
