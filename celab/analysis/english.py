"""English: tokens, C5 tags and lemmas, all by HanTa's English model.

Of the two taggers looked at, HanTa (16,000 tokens a second, more with its words remembered) was
taken over textblob's (242,000): it brings lemmas that know the part of speech, its tags keep
auxiliaries apart from other verbs, it stands on nothing but NumPy, and German uses it anyway.

**Tokens** (`TOKEN`): as for German, but the clitics are cut off as in the British National Corpus,
on which the model was trained: *did n't*, *ca n't*, *it 's*, *they 'll*.

**Lemmas** are in lower case, as WordNet is looked up, but for names in capitals (*US*, *UK*), which
would else be other words. Of names the form is kept, since HanTa cuts endings that are none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from celab.analysis.hanover import ADDRESS, INITIALS, NUMBER, REST, composed, hanover
from celab.analysis.model import Word, cited

TOKEN = re.compile(
    rf"{ADDRESS}|{NUMBER}|{INITIALS}"
    r"|n't\b|\w+?(?=n't\b)|'(?:s|re|ve|ll|d|m)\b"  # did|n't, it|'s
    r"|[^\W\d_]'[^\W_]{3,}"  # O'Brien, o'clock
    rf"|\w+(?:[-‐‑]\w+)*|{REST}",
    re.IGNORECASE,
)

# Closed classes of C5, by the rule that `celab.analysis.tagged` states. Be, do and have (VB, VD,
# VH) have tags of their own, also where they are the only verb, and so do modals (VM0).
_CLOSED = (
    "AT0 AVP AVQ CJC CJS CJT DPS DT0 DTQ EX0 ITJ PNI PNP PNQ PNX POS PRF PRP TO0 XX0"
    " VBB VBD VBG VBI VBN VBZ VDB VDD VDG VDI VDN VDZ VHB VHD VHG VHI VHN VHZ VM0"
    " PUL PUN PUQ PUR"
)
C5_FUNCTION_TAGS = frozenset(_CLOSED.split())
NAMES = frozenset({"NP0", "UNC"})


class English:
    """HanTa's tags and lemmas."""

    slow = True
    model = "morphmodel_en.pgz"

    def __init__(self) -> None:
        self.name = cited("en", "HanTa")

    def analyse(self, sentences: Sequence[str]) -> list[tuple[Word, ...]]:
        """The words of each sentence."""
        return [self._words(TOKEN.findall(composed(sentence))) for sentence in sentences]

    def spelt(self, word: str) -> str:
        """A lexicon's word as a lemma is spelt."""
        return spelt(word)

    def _words(self, forms: list[str]) -> tuple[Word, ...]:
        tagged = hanover("en", self.model, forms)
        return tuple(
            Word(form, lemma_of(form, lemma, tag), tag, tag in C5_FUNCTION_TAGS)
            for form, (lemma, tag) in zip(forms, tagged, strict=True)
        )


def lemma_of(form: str, lemma: str, tag: str) -> str:
    """The lemma in lower case, but of names the form."""
    return spelt(form) if tag in NAMES else lemma.lower()


def spelt(word: str) -> str:
    """In lower case, but for what is all capitals: neither a state nor a pronoun is the other.

    >>> spelt("Christmas"), spelt("US")
    ('christmas', 'US')
    """
    return word if len(word) > 1 and word.isupper() else word.lower()
