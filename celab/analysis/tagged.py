"""Words of any language: analyzed by another tool, or split at spaces and punctuation.

`Tagged` reads `word|lemma|TAG`, tokens separated by spaces, so that TreeTagger, Stanford, stanza or
spaCy can be used instead of the analyzers here.

>>> Tagged().analyze(["The|the|DT dogs|dog|NNS"])[0]  # doctest: +NORMALIZE_WHITESPACE
(Word(form='The', lemma='the', tag='DT', function=True),
 Word(form='dogs', lemma='dog', tag='NNS', function=False))

Tokens are split from the right, so that a word may hold the separator; a lemma and a tag may not.
TreeTagger's placeholders `<unknown>`, `@card@` and `@ord@` are not lemmas: all unknown words would
be equal. The word itself is used instead.

**Function words** are what the tag says. The papers give no list, only that it is decided by part
of speech (2010, section 3); in figure 1 of 2011 an interjection and punctuation count as function
words. The rule here: the closed classes of Universal Dependencies but numbers, and interjections,
punctuation and symbols; pronominal adverbs (`WRB`, `PWAV`, `PROAV`) because they are pro-forms.
Verb particles (`RP`, `PTKVZ`) are `ADP` there, so they count. Adverbs, negating ones too, do not
where the tag set calls them adverbs. `FUNCTION_TAGS` is the union over three tag sets, which agree
wherever they share a tag.

`Surface` is for languages without an analyzer, and never a default. Every word has the
same empty tag, so that `s_pos` is 1 for any two words, and `s_ms` at least 1/2: leave `s_pos` out
of the similarities, or keep this in mind.

>>> Surface().analyze(["Dobrý den!"])[0][1]
Word(form='den', lemma='den', tag='', function=False)
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection

from celab.analysis.hanover import German
from celab.analysis.model import Analyzer, Word
from celab.base.errors import OptionError, SentenceError, Setting

UD_FUNCTION_TAGS = frozenset(
    ["ADP", "AUX", "CCONJ", "CONJ", "DET", "INTJ", "PART", "PRON", "PUNCT", "SCONJ", "SYM"]
)
# `PP`, `PP$`, `IN/that`, `SENT` are TreeTagger's; the verbs be, have, do have no tag of their
# own in Penn's set, and TreeTagger's for them (VB, VBD …) are other verbs in Penn's.
_PENN = (
    "CC DT EX IN IN/that LS MD PDT POS PP PP$ PRP PRP$ RP SYM TO UH WDT WP WP$ WRB"
    " . , : '' `` \" ( ) -LRB- -RRB- # $ HYPH NFP SENT"
)
PENN_FUNCTION_TAGS = frozenset(_PENN.split())
FUNCTION_TAGS = UD_FUNCTION_TAGS | PENN_FUNCTION_TAGS | German.function_tags

NO_LEMMA = frozenset({"<unknown>", "@card@", "@ord@"})

# A run of letters, digits and their marks, with single hyphens, apostrophes or full stops inside;
# else one character that is not a space.
SURFACE_TOKEN = re.compile(r"\w+(?:[-'’.,]\w+)*|[^\w\s]")


class Tagged(Analyzer):
    """Reads words, lemmas and tags from the sentence itself."""

    def __init__(
        self, separator: str = "|", function_tags: Collection[str] = FUNCTION_TAGS
    ) -> None:
        if not separator or any(character.isspace() for character in separator):
            raise OptionError(
                "separator", separator, "it must be one or more characters, none a space"
            )
        if isinstance(function_tags, str):
            raise OptionError(
                (Setting("function_tags"), f" is the text {function_tags!r}"),
                hint="it must be a list of tags",
            )
        self.separator = separator
        self.function_tags = frozenset(function_tags)
        # The name identifies the set of function words; the separator changes no word.
        tags = " ".join(sorted(self.function_tags)).encode("utf-8", "surrogatepass")
        own = self.function_tags != FUNCTION_TAGS
        self.name = f"tagged@{hashlib.sha256(tags).hexdigest()[:12]}" if own else "tagged"

    def _words(self, sentence: str, number: int) -> tuple[Word, ...]:
        from celab._native.tokens import is_blank  # it needs NumPy, which takes time to load

        if is_blank(sentence):  # an absent reference, or no output
            return ()
        tokens = sentence.rstrip("\r\n").split(" ")
        return tuple(self._word(token, number) for token in tokens if token)

    def _word(self, token: str, number: int) -> Word:
        fields = token.rsplit(self.separator, 2)
        if len(fields) < 3 or not all(fields):
            form = self.separator.join(("word", "lemma", "TAG"))
            raise SentenceError(
                number,
                f"token {token!r} has {sum(map(bool, fields))} of the three fields;"
                f" it must be {form}, and only the word may hold {self.separator!r}",
            )
        word, lemma, tag = fields
        return Word(word, word if lemma in NO_LEMMA else lemma, tag, tag in self.function_tags)


class Surface(Analyzer):
    """Words as in the text; the lemma is the form in lower case."""

    name = "surface"
    spelt = staticmethod(str.lower)

    def _words(self, sentence: str, number: int) -> tuple[Word, ...]:
        forms = SURFACE_TOKEN.findall(unicodedata.normalize("NFC", sentence))
        return tuple(Word(form, form.lower(), "", False) for form in forms)
