"""Chinese: words and tags by jieba, or by rjieba; a word is its own lemma.

Latin letters in a lemma are in lower case. Synonyms are looked up in the script of the text:
convert it before, as the metrics do.

>>> [word.form for word in Chinese().analyze(["他买了一把雨伞。"])[0]]
['他', '买', '了', '一把', '雨伞', '。']
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Sequence
from functools import cache
from typing import Any

from celab.base.errors import SentenceError
from celab.words.model import Analyzer, Word, loaded, versioned_name

# Closed classes of jieba's tags (the ICTCLAS set), by the rule of `celab.words.analyzers`:
# conjunctions c, prepositions p, localizers f (上, 里: adpositions in Universal Dependencies),
# pronouns r, measure words q, particles u and sentence-final y, interjections e, affixes h and k,
# punctuation w. Numbers m (and with a measure word, mq), adverbs d and all verbs v stay content:
# 是 and 会 have the tag of any verb. x is unknown text as well as punctuation; metrics drop the
# punctuation, because it has no letter or digit.
_CLOSED = "c f p r rg rr rz q u ud ug uj ul uv uz y yg e h k w"
FUNCTION_TAGS = frozenset(_CLOSED.split())


@cache
def jieba_tagger() -> Any:
    """Return a tagger of our own, one per process.

    jieba's shared tagger may contain words that other code added. Its start would
    also write to stderr, and read and write a file of a known name in the folder for temporary
    files, so the tables are filled here instead, as `initialize` does.
    """
    level = logging.getLogger("jieba").level
    with warnings.catch_warnings():  # pkg_resources, and escapes that newer Pythons warn about
        warnings.simplefilter("ignore")
        is_first = "jieba" not in sys.modules
        jieba = loaded("zh", "jieba")
        posseg = loaded("zh", "jieba.posseg")
        logging.getLogger("jieba").setLevel(level or logging.WARNING)
        tokenizer = jieba.Tokenizer()
        with tokenizer.get_dict_file() as words:
            tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(words)
        tokenizer.initialized = True
        if not is_first:
            return posseg.POSTokenizer(tokenizer)

        # The shared tagger has just been imported, so no code has changed its tags; to read them
        # again would take half a second.
        class Tagger(posseg.POSTokenizer):  # type: ignore[misc,name-defined]
            def __init__(self) -> None:
                self.tokenizer, self.word_tag_tab = tokenizer, posseg.dt.word_tag_tab.copy()

        return Tagger()


@cache
def rjieba_tagger() -> Any:
    """Return a tagger of our own: rjieba's shared one may contain words that other code added."""
    return loaded("rjieba", "rjieba").Jieba()


class Chinese(Analyzer):
    """jieba's words and tags."""

    slow = lasting = True
    spelt = staticmethod(str.lower)

    def __init__(self) -> None:
        self.name = versioned_name("zh", "jieba")

    def _words(self, sentence: str, number: int) -> tuple[Word, ...]:
        return tuple(
            Word(form, form.lower(), tag, tag in FUNCTION_TAGS)
            for form, tag in jieba_tagger().lcut(sentence)
            if not form.isspace()
        )

    def tagged(self, forms: Sequence[str]) -> tuple[Word, ...]:
        """Return words with the tags of jieba's dictionary; x for those that are not in it."""
        known = jieba_tagger().word_tag_tab
        tags = [known.get(form, "x") for form in forms]
        return tuple(
            Word(form, form.lower(), tag, tag in FUNCTION_TAGS)
            for form, tag in zip(forms, tags, strict=True)
        )


class Rjieba(Analyzer):
    """rjieba's words and tags: the method of jieba in Rust, with a dictionary of its own.

    It gives other words than jieba in about half of all sentences, so it is a setting of its own.
    """

    lasting = True
    spelt = staticmethod(str.lower)

    def __init__(self) -> None:
        self.name = versioned_name("rjieba", "rjieba")

    def _words(self, sentence: str, number: int) -> tuple[Word, ...]:
        try:
            tagged = rjieba_tagger().tag(sentence)
        except UnicodeEncodeError as error:
            letter = sentence[error.start]
            what = f"character {error.start + 1} is {letter!a}, a lone surrogate; rjieba needs text"
            raise SentenceError(number, what) from None
        return tuple(
            Word(form, form.lower(), tag, tag in FUNCTION_TAGS)
            for form, tag in tagged
            if not form.isspace()
        )
