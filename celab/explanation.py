"""What an explanation holds: where one score came from, link by link.

Spans are half-open ranges of token positions, `(start, stop)`. `weight` is the link's value in
one optimal solution of the program; among the optimal ones it is one that uses the least weight
in all, so that a link which adds nothing is not shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Span = tuple[int, int]
Kind = Literal["equal", "synonym"]
WordKind = Literal["equal", "synonym", "tag"]
State = Literal["equal", "synonym", "covered", "unmatched"]


@dataclass(frozen=True, slots=True)
class Piece:
    """An aligned piece of a link: equal text, or two words of the same lexicon group."""

    hyp: Span
    ref: Span
    kind: Kind
    groups: tuple[str, ...]  # such as "cilin Bp31B01="; empty if equal


@dataclass(frozen=True, slots=True)
class Link:
    """A linked pair of n-grams that has weight in the solution."""

    hyp: Span
    ref: Span
    weight: float
    kind: Kind  # synonym if any piece is
    pieces: tuple[Piece, ...]
    covers_hyp: tuple[Span, ...]  # every n-gram inside, itself among them
    covers_ref: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Ngram:
    """An n-gram of one side, and how it was matched: by its own link, by a longer one, or not."""

    span: Span
    state: State
    cover: float  # c(X) of the program, 0 to 1


@dataclass(frozen=True, slots=True)
class Explanation:
    """One hypothesis against one reference."""

    hyp_tokens: tuple[str, ...]
    ref_tokens: tuple[str, ...]
    score: float
    precision: float
    recall: float
    links: tuple[Link, ...]  # with weight, heaviest and longest first
    hyp_ngrams: tuple[Ngram, ...]  # by order, then position
    ref_ngrams: tuple[Ngram, ...]
    signature: str


@dataclass(frozen=True, slots=True)
class WordPair:
    """Two words of matched n-grams: equal lemmas, lemmas of one group, or only equal tags."""

    hyp: int
    ref: int
    kind: WordKind
    groups: tuple[str, ...]
    similarity: float


@dataclass(frozen=True, slots=True)
class WordLink:
    """Two matched word n-grams, with the weight that one optimal solution gives the match."""

    hyp: Span
    ref: Span
    similarity: float
    weight: float
    pairs: tuple[WordPair, ...]


@dataclass(frozen=True, slots=True)
class Feature:
    """The match of the bags of one order by one similarity."""

    order: int
    similarity: str
    total: float  # the optimum S
    hyp_weight: float
    ref_weight: float
    precision: float
    recall: float
    f: float
    links: tuple[WordLink, ...]  # by their place in the reference


@dataclass(frozen=True, slots=True)
class WordOf:
    """A word as it was compared."""

    form: str
    lemma: str
    tag: str
    function: bool


@dataclass(frozen=True, slots=True)
class WordExplanation:
    """One hypothesis against one reference, by words."""

    hyp_words: tuple[WordOf, ...]
    ref_words: tuple[WordOf, ...]
    score: float
    precision: float
    recall: float
    features: tuple[Feature, ...]  # those that count; the score is their mean
    signature: str


@dataclass(frozen=True, slots=True)
class SegmentExplanation:
    """A segment against each of its references that is present; `index` as in the corpus."""

    index: tuple[int, ...]
    against: tuple[Explanation | WordExplanation, ...]
    score: float
    precision: float
    recall: float
    combine: str  # how the references make one score: mean, or max
