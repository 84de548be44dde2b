"""The parts of an explanation: links of n-grams and words, their pieces, edits, unmatched words.

Spans are half-open ranges of token positions, `(start, stop)`. `weight` is the link's value in
one optimal solution of the program, mostly 1; links that add nothing are not shown. An error rate
has edits instead of links.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

Span = tuple[int, int]
LinkKind = Literal["equal", "synonym"]
WordKind = Literal["equal", "synonym", "tag"]
State = Literal["equal", "synonym", "covered", "unmatched"]
EditKind = Literal["substituted", "deleted", "inserted"]
Side = Literal["ref", "hyp"]
Reason = Literal["alone", "no lexicon", "unknown", "apart", "no gain", "too long"]
REASONS: tuple[Reason, ...] = get_args(Reason)  # pages have their numbers


class Piece(NamedTuple):
    """An aligned piece of a link: equal text, or two words of the same lexicon group."""

    hyp: Span
    ref: Span
    kind: LinkKind
    groups: tuple[str, ...]  # such as "cilin Bp31B01="; empty if equal
    credit: float = 1.0  # credit of the finest grade that has the groups
    cuts: tuple[str, ...] = ()  # longer lexicon words of which it is only a part

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the groups; with the credit, if it is less than 1."""
        if self.credit == 1:
            return self.groups
        return tuple(f"{group}, credit {self.credit:g}" for group in self.groups)


class Link(NamedTuple):
    """A linked pair of n-grams with a positive weight in the solution."""

    hyp: Span
    ref: Span
    weight: float
    kind: LinkKind  # synonym if any piece is
    pieces: tuple[Piece, ...]
    covers_hyp: tuple[Span, ...]  # every n-gram inside, itself among them
    covers_ref: tuple[Span, ...]


class Ngram(NamedTuple):
    """An n-gram of one side.

    Its state says if it was matched by its own link, a longer one, or not.
    """

    span: Span
    state: State
    cover: float  # c(X) of the program, 0 to 1
    weight: float = 1.0  # m(X), its weight in recall and precision


class LexiconGroup(NamedTuple):
    """A lexicon group of an unmatched word: its label, and some of its other words."""

    label: str
    words: tuple[str, ...]


class Unmatched(NamedTuple):
    """A word without a match, and the nearest such word of the other side.

    `reason` says why the two are not matched:
        alone       the other side has no unmatched word
        no lexicon  the metric has no lexicon
        unknown     one of the two, or both, is not in the lexicon
        apart       both are in it, but in no common group
        no gain     they are synonyms, but a link between them gains nothing
        too long    they are synonyms, but one has more tokens than the longest n-gram

    The two are `plausible` synonyms if they stand between the same aligned tokens and have similar
    lengths. For other pairs, a gain does not suggest that they mean the same.
    """

    side: Side
    span: Span
    word: str  # the lexicon's spelling
    groups: tuple[LexiconGroup, ...]
    nearest: Span | None
    nearest_word: str
    reason: Reason
    score: float | None  # if the two were synonyms; None without a nearest, or without proof
    plausible: bool = False


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


@dataclass(frozen=True, slots=True, kw_only=True)
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
    links: tuple[WordLink, ...]  # sorted by position in the reference


class Edit(NamedTuple):
    """A token that was substituted, deleted or inserted; its place on the other side is empty."""

    kind: EditKind
    hyp: Span
    ref: Span
