"""Surface forms only, for a language that has no analyser: used only when asked for.

Every word has the same empty tag, so that `s_pos` is 1 for any two words, and `s_ms` at least 1/2:
leave `s_pos` out of the similarities, or read the scores knowing it.

>>> Surface().analyse(["Dobrý den!"])[0][1]
Word(form='den', lemma='den', tag='', function=False)
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from celab.analysis.model import Word

# A run of letters, digits and their marks, with single hyphens, apostrophes or full stops inside;
# else one character that is not a space.
TOKEN = re.compile(r"\w+(?:[-'’.,]\w+)*|[^\w\s]")


class Surface:
    """Words as they stand; the lemma is the form in lower case."""

    slow = False
    name = "surface"

    def analyse(self, sentences: Sequence[str]) -> list[tuple[Word, ...]]:
        """The words of each sentence."""
        return [
            tuple(
                Word(form, form.lower(), "", False)
                for form in TOKEN.findall(unicodedata.normalize("NFC", sentence))
            )
            for sentence in sentences
        ]

    def spelt(self, word: str) -> str:
        """A lexicon's word as a lemma is spelt."""
        return word.lower()
