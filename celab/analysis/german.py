"""German: tokens, compound parts, STTS tags (HanTa) and lemmas (HanTa and simplemma).

The 2010 paper used TreeTagger (5.2): nouns were split first, and the split sentence was tagged and
lemmatised. Here a first tagging says which tokens are nouns, because a splitter needs to know.

**Tokens** (`TOKEN`): addresses; numbers with `.`, `,` or `:` inside; abbreviations of single
letters (`z.B.`); words with hyphens or apostrophes inside; a run of full stops; any other single
character. Text is put in Unicode's composed form (NFC) first.

**Tags**: HanTa's, spelt as STTS spells them (`VV(FIN)` is `VVFIN`); its own `NNA` and `NNI` are
nouns made of adjectives and infinitives.

**Lemmas**: HanTa's, which knows the part of speech, but for nouns and names. Of those it cuts
endings that are none (*Pavian* to *Pavia*, *SAS* to *Sa*), so simplemma's dictionary comes first
where it has a noun; of a name that is not in it the form is kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from celab.analysis.hanover import ADDRESS, INITIALS, MEMO, NUMBER, REST, composed, hanover
from celab.analysis.model import Word, cited, loaded

Splitter = Callable[[str], tuple[str, ...]]

TOKEN = re.compile(rf"{ADDRESS}|{NUMBER}|{INITIALS}|\w+(?:[-'‐‑]\w+)*|{REST}")

# Closed classes, by the rule that `celab.analysis.tagged` states. The auxiliaries (VA) and modals
# (VM) have tags of their own here, also where haben, sein and werden are the only verb. PIDAT and
# PAV are in STTS but not among HanTa's tags.
_CLOSED = (
    "ART APPR APPRART APPO APZR KON KOUS KOUI KOKOM"
    " PDAT PDS PIAT PIDAT PIS PPER PPOSAT PPOSS PRELAT PRELS PRF PWAT PWAV PWS PROAV PAV"
    " PTKA PTKANT PTKNEG PTKVZ PTKZU VAFIN VAIMP VAINF VAPP VMFIN VMINF VMPP"
    " ITJ $, $. $("
)
STTS_FUNCTION_TAGS = frozenset(_CLOSED.split())
NOUNS = frozenset({"NN", "NNA", "NNI"})
NAMES = frozenset({"NE", "FM", "XY", "TRUNC"})


@lru_cache(maxsize=MEMO)
def dictionary_noun(form: str) -> str | None:
    """What simplemma's dictionary has as the lemma of a noun; None if it has no noun."""
    simplemma = loaded("de", "simplemma")
    if not simplemma.is_known(form, lang="de"):
        return None
    lemma: str = simplemma.lemmatize(form, lang="de")
    return lemma if lemma[:1].isupper() else None


class German:
    """HanTa's tags and lemmas, with simplemma's for nouns and names.

    `splitter` gives the parts of a compound, the word alone if it is none. To be used in worker
    processes it must be a function of a module, or an object that can be pickled; if it has a
    `name`, that enters the signature.
    """

    slow = True
    model = "morphmodel_ger.pgz"

    def __init__(self, splitter: Splitter | None = None) -> None:
        self.splitter = splitter
        self.name = cited("de", "HanTa", "simplemma")
        if splitter is not None:
            self.name += f",{getattr(splitter, 'name', 'split')}"

    def analyse(self, sentences: Sequence[str]) -> list[tuple[Word, ...]]:
        """The words of each sentence."""
        return [self._words(TOKEN.findall(composed(sentence))) for sentence in sentences]

    def _words(self, forms: list[str]) -> tuple[Word, ...]:
        tagged = self._tagged(forms)
        if self.splitter is not None:
            parts = [
                self._parts(form) if tag in NOUNS else (form,)
                for form, (_, tag) in zip(forms, tagged, strict=True)
            ]
            if any(len(some) > 1 for some in parts):
                forms = [part for some in parts for part in some]
                tagged = self._tagged(forms)
        return tuple(
            Word(form, lemma_of(form, lemma, tag), tag, tag in STTS_FUNCTION_TAGS)
            for form, (lemma, tag) in zip(forms, tagged, strict=True)
        )

    def _tagged(self, forms: Sequence[str]) -> list[tuple[str, str]]:
        return [(lemma, stts(tag)) for lemma, tag in hanover("de", self.model, forms)]

    def _parts(self, form: str) -> tuple[str, ...]:
        """The parts, each with a capital if the word has one: nouns are tagged as nouns by it."""
        assert self.splitter is not None
        parts = self.splitter(form)
        if len(parts) > 1 and form[0].isupper():
            return tuple(part[:1].upper() + part[1:] for part in parts)
        return parts


def stts(tag: str) -> str:
    """HanTa's tag in the spelling of STTS.

    >>> stts("VV(FIN)"), stts("$(")
    ('VVFIN', '$(')
    """
    return tag if tag.startswith("$") else tag.replace("(", "").replace(")", "")


def lemma_of(form: str, lemma: str, tag: str) -> str:
    """Which of the two lemmatisers is asked about a word."""
    if tag in NAMES:
        return dictionary_noun(form) or form
    if tag in NOUNS:
        return dictionary_noun(form) or lemma
    return lemma
