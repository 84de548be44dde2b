"""German and English: tokens, tags and lemmas by HanTa, the Hanover Tagger.

**Tokens**: addresses; numbers with `.`, `,` or `:` inside; abbreviations of single letters
(`z.B.`); words with hyphens or apostrophes inside; a run of full stops; any other single character.
Text is put in Unicode's composed form (NFC) first. English clitics are cut off as in the British
National Corpus, on which the model was trained: *did n't*, *ca n't*, *it 's*, *they 'll*.

**German tags**: HanTa's, spelt as STTS spells them (`VV(FIN)` is `VVFIN`); its own `NNA` and `NNI`
are nouns made of adjectives and infinitives. The 2010 paper used TreeTagger (5.2): nouns were split
first, and the split sentence was tagged and lemmatized. Here a first tagging says which tokens are
nouns, because only nouns are split.

**German lemmas**: HanTa's, which knows the part of speech, but for nouns and names. Of those it
cuts off letters that are not an ending (*Pavian* to *Pavia*, *SAS* to *Sa*), so simplemma's
dictionary is asked first; a name that is not in it keeps its form.

**English tags**: HanTa's, which are C5. Of the two taggers looked at, HanTa (16,000 tokens a second
by itself, 150,000 on our kernel) was taken over textblob's (242,000): it brings lemmas that know
the part of speech, its tags keep auxiliaries apart from other verbs, it needs nothing but NumPy,
and German uses it anyway.

**English lemmas** are in lower case, as WordNet is looked up, but for names in capitals (*US*,
*UK*), which would become other words. Names keep their form, because HanTa cuts endings off them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from celab.words.model import Analyzer, Word, loaded, versioned_name

_ADDRESS = r"(?:https?://|www\.)\S*[\w/]|[\w.+-]{1,64}+@[\w-]+(?:\.[\w-]+)+"
_NUMBER = r"\d+(?:[.,:]\d+)+(?!\w)"
_INITIALS = r"(?:[^\W\d_]\.){2,}"
_REST = r"\.{2,}|[^\w\s]"

# HanTa tries all ways to cut a word, so that time grows with the square of its length; the longest
# German words in use are shorter, and what is longer is an address or an accident.
MAX_TOKEN_CHARACTERS = 60
MAX_REMEMBERED_WORDS = 1 << 15  # a few dozen MB at most


class Hanover(Analyzer):
    """Words by HanTa's model of a language, with function tags by the rule of `tagged`."""

    slow = lasting = True
    lang: str
    model: str
    token: re.Pattern[str]
    function_tags: frozenset[str]

    def _words(self, sentence: str, number: int) -> tuple[Word, ...]:
        return self.tagged(self.forms(sentence))

    def forms(self, sentence: str) -> list[str]:
        """Return the tokens, before compounds are split."""
        return self.token.findall(straight(sentence))

    def tagged(self, forms: Sequence[str]) -> tuple[Word, ...]:
        """Return the words of a sentence that is split into tokens."""
        forms, numbers = self._numbered(forms)
        return tuple(_word(self, form, number) for form, number in zip(forms, numbers, strict=True))

    def _numbered(self, forms: Sequence[str]) -> tuple[Sequence[str], list[int]]:
        """Return the tokens of a sentence, and HanTa's number of the tag of each."""
        if not forms:
            return forms, []
        tagger = _tagger(self.lang, self.model)
        return forms, tagger.tag_sent_viterbi([form[-MAX_TOKEN_CHARACTERS:] for form in forms])

    def _tag(self, number: int) -> str:
        """Return the tag that has this number."""
        return _tagger(self.lang, self.model).int2tag[number]  # type: ignore[no-any-return]

    def _lemma(self, form: str, number: int) -> str:
        """Return HanTa's lemma of a token with this tag."""
        if len(form) > MAX_TOKEN_CHARACTERS:
            return form
        return _tagger(self.lang, self.model)._analyze(form, number)[0]  # type: ignore[no-any-return]


class German(Hanover):
    """HanTa's tags and lemmas, with simplemma's for nouns and names.

    `splitter` gives the parts of a compound, or the word alone. To be used in worker
    processes it must be a function of a module, or an object that can be pickled; if it has a
    `name`, that enters the signature.
    """

    lang = "de"
    model = "morphmodel_ger.pgz"
    token = re.compile(rf"{_ADDRESS}|{_NUMBER}|{_INITIALS}|\w+(?:[-'‐‑]\w+)*|{_REST}")
    # The auxiliaries (VA) and modals (VM) have tags of their own here, also where haben, sein and
    # werden are the only verb. PIDAT and PAV are in STTS but not among HanTa's tags.
    function_tags = frozenset(
        "ART APPR APPRART APPO APZR KON KOUS KOUI KOKOM"
        " PDAT PDS PIAT PIDAT PIS PPER PPOSAT PPOSS PRELAT PRELS PRF PWAT PWAV PWS PROAV PAV"
        " PTKA PTKANT PTKNEG PTKVZ PTKZU VAFIN VAIMP VAINF VAPP VMFIN VMINF VMPP"
        " ITJ $, $. $(".split()
    )
    nouns = frozenset({"NN", "NNA", "NNI"})
    names = frozenset({"NE", "FM", "XY", "TRUNC"})

    def __init__(self, splitter: Callable[[str], tuple[str, ...]] | None = None) -> None:
        self.splitter = splitter
        self.name = versioned_name("de", "HanTa", "simplemma")
        if splitter is not None:
            self.lasting = hasattr(splitter, "name")
            self.name += f",{getattr(splitter, 'name', 'split')}"

    def _numbered(self, forms: Sequence[str]) -> tuple[Sequence[str], list[int]]:
        """Return the tokens and tags, with nouns in parts if there is a splitter."""
        forms, numbers = super()._numbered(forms)
        if self.splitter is not None:
            number_of = _tagger(self.lang, self.model).tag2int
            nouns = {number_of[tag] for tag in self.nouns}
            split: list[str] = []
            for form, number in zip(forms, numbers, strict=True):
                split += capitalized(self.splitter(form), form) if number in nouns else (form,)
            if len(split) > len(forms):
                return super()._numbered(split)
        return forms, numbers

    def _tag(self, number: int) -> str:
        """Return the tag in the spelling of STTS."""
        tag = super()._tag(number)
        return tag if tag[0] == "$" else tag.replace("(", "").replace(")", "")

    def _lemma(self, form: str, number: int) -> str:
        tag = self._tag(number)
        if tag in self.names:
            return _dictionary_noun(form) or form
        return (tag in self.nouns and _dictionary_noun(form)) or super()._lemma(form, number)


class English(Hanover):
    """HanTa's tags and lemmas; names keep their form."""

    lang = "en"
    model = "morphmodel_en.pgz"
    token = re.compile(
        rf"{_ADDRESS}|{_NUMBER}|{_INITIALS}"
        r"|n't\b|\w+?(?=n't\b)|'(?:s|re|ve|ll|d|m)\b"  # did|n't, it|'s
        r"|[^\W\d_]'[^\W_]{3,}"  # O'Brien, o'clock
        rf"|\w+(?:[-‐‑]\w+)*|{_REST}",
        re.IGNORECASE,
    )
    # Be, do and have (VB, VD, VH) have tags of their own, also where they are the only verb, and so
    # do modals (VM0).
    function_tags = frozenset(
        "AT0 AVP AVQ CJC CJS CJT DPS DT0 DTQ EX0 ITJ PNI PNP PNQ PNX POS PRF PRP TO0 XX0"
        " VBB VBD VBG VBI VBN VBZ VDB VDD VDG VDI VDN VDZ VHB VHD VHG VHI VHN VHZ VM0"
        " PUL PUN PUQ PUR".split()
    )

    def __init__(self) -> None:
        self.name = versioned_name("en", "HanTa")

    @staticmethod
    def spelt(word: str) -> str:
        """Return the word in lower case unless it is all capitals: US is not a pronoun.

        >>> English.spelt("Christmas"), English.spelt("US")
        ('christmas', 'US')
        """
        return word if len(word) > 1 and word.isupper() else word.lower()

    def _lemma(self, form: str, number: int) -> str:
        if self._tag(number) in ("NP0", "UNC"):
            return self.spelt(form)
        return super()._lemma(form, number).lower()


@lru_cache(maxsize=MAX_REMEMBERED_WORDS)
def _word(language: Hanover, form: str, number: int) -> Word:
    tag = language._tag(number)
    return Word(form, language._lemma(form, number), tag, tag in language.function_tags)


@cache
def _tagger(extra: str, model: str) -> Any:
    """Return HanTa's tagger with a model of its package; one per process, which caches words.

    HanTa's own table of frequent words is not added to, since it treats words in it differently;
    its slow methods are pure, so that remembering what they return changes no tag. Three of them
    are replaced by our kernel for versions of HanTa for which a test shows equal results.
    """
    from celab.words.morphology import (  # needs NumPy, which HanTa imports anyway
        COMPARED_VERSIONS,
        TaggerModel,
    )

    module = loaded(extra, "HanTa.HanoverTagger")
    # The full path, because a bare name would be unpickled from the current folder if it is there.
    tagger = module.HanoverTagger(str(Path(module.__file__).with_name(model)))
    if version("HanTa") in COMPARED_VERSIONS:
        fast = TaggerModel(tagger, MAX_REMEMBERED_WORDS)
        tagger.analyze_viterbi = fast.analyze_viterbi
        tagger.analyze_forward = fast.analyze_forward
        tagger.tag_sent_viterbi = fast.tag_sent_viterbi
    else:
        tagger._tag_word = lru_cache(maxsize=MAX_REMEMBERED_WORDS)(tagger._tag_word)
    tagger.analyze_forward = lru_cache(maxsize=MAX_REMEMBERED_WORDS)(tagger.analyze_forward)
    return tagger


@lru_cache(maxsize=MAX_REMEMBERED_WORDS)
def _dictionary_noun(form: str) -> str | None:
    """Return the lemma of a noun in simplemma's dictionary; None if it is not there."""
    simplemma = loaded("de", "simplemma")
    if not simplemma.is_known(form, lang="de"):
        return None
    lemma: str = simplemma.lemmatize(form, lang="de")
    return lemma if lemma[:1].isupper() else None


def capitalized(parts: tuple[str, ...], word: str) -> tuple[str, ...]:
    """Return the parts of a word, with capitals if the word has one: HanTa tags nouns by them."""
    if len(parts) == 1 or not word[0].isupper():
        return parts
    return tuple(part[:1].upper() + part[1:] for part in parts)


def straight(sentence: str) -> str:
    """Return the text in Unicode's composed form, with the straight apostrophes of the models."""
    return unicodedata.normalize("NFC", sentence).replace("’", "'")
