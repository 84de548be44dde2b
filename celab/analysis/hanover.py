"""What German and English have in common: HanTa, the Hanover Tagger, and what tokens look like.

Tokens in, a lemma and a tag for each out, in HanTa's own tag sets. Each language puts its `TOKEN`
together from the expressions here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from celab.analysis.model import loaded

ADDRESS = r"(?:https?://|www\.)\S*[\w/]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
NUMBER = r"\d+(?:[.,:]\d+)+(?!\w)"
INITIALS = r"(?:[^\W\d_]\.){2,}"
REST = r"\.{2,}|[^\w\s]"

# HanTa tries all ways to cut a word, so that time grows with the square of its length; the longest
# German words in use are shorter, and what is longer is an address or an accident.
LONGEST = 60
MEMO = 1 << 15  # words remembered: a few dozen MB at most


@cache
def hanover_tagger(extra: str, model: str) -> Any:
    """HanTa's tagger for a model inside its package, one a process, which remembers words.

    HanTa's own table of frequent words is not added to, since it treats words in it differently;
    its two slow methods are pure, so that remembering what they return changes no tag.
    """
    module = loaded(extra, "HanTa.HanoverTagger")
    # By its full path: a bare name would be looked for, and unpickled, in the current folder first.
    tagger = module.HanoverTagger(str(Path(module.__file__).with_name(model)))
    tagger.analyze_forward = lru_cache(maxsize=MEMO)(tagger.analyze_forward)
    tagger._analyze = lru_cache(maxsize=MEMO)(tagger._analyze)
    return tagger


def hanover(extra: str, model: str, forms: Sequence[str]) -> list[tuple[str, str]]:
    """(lemma, tag) of each token of a sentence, as HanTa gives them."""
    if not forms:
        return []
    tagger = hanover_tagger(extra, model)
    tagged = tagger.tag_sent([form[-LONGEST:] for form in forms])
    return [
        (lemma if len(form) <= LONGEST else form, tag)
        for form, (_, lemma, tag) in zip(forms, tagged, strict=True)
    ]


def composed(sentence: str) -> str:
    """In Unicode's composed form, and apostrophes straight, which is what the models know."""
    return unicodedata.normalize("NFC", sentence).replace("’", "'")
