"""Explanations: where one score comes from, link by link.

Spans are half-open ranges of token positions, `(start, stop)`. `weight` is the link's value in
one optimal solution of the program, mostly 1; links that add nothing are not shown. An error rate
has edits instead of links.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from celab.analysis.model import Word
from celab.base.result import Result
from celab.base.signature import Signature
from celab.base.view.cells import quantity
from celab.base.view.tables import NORMAL, RENDERERS, Line, Part, View, ViewOptions
from celab.metrics.registry import digits_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from celab.metrics.explaining.drawing import MeanDrawing, PairDrawing

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
    """A linked pair of n-grams that has weight in the solution."""

    hyp: Span
    ref: Span
    weight: float
    kind: LinkKind  # synonym if any piece is
    pieces: tuple[Piece, ...]
    covers_hyp: tuple[Span, ...]  # every n-gram inside, itself among them
    covers_ref: tuple[Span, ...]


class Ngram(NamedTuple):
    """An n-gram of one side, and how it was matched: by its own link, by a longer one, or not."""

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
        alone       no word of the other side is left
        no lexicon  the metric has no lexicon
        unknown     one of the two, or both, is not in the lexicon
        apart       both are in it, but in no common group
        no gain     they are synonyms, but a link between them gains nothing
        too long    they are synonyms, but one has more tokens than the longest n-gram
    """

    side: Side
    span: Span
    word: str  # as a lexicon has it
    groups: tuple[LexiconGroup, ...]
    nearest: Span | None
    nearest_word: str
    reason: Reason
    score: float | None  # if the two were synonyms; None without a nearest, or without proof


class _Explained(Result, ABC):
    # Methods of explanations against one reference.
    __slots__ = ()
    score: float
    precision: float
    recall: float
    signature: Signature

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw both sentences and the links between them with matplotlib; return the axes.

        `ax` are the axes to draw on, new ones by default. Chinese, Japanese and Korean need a font
        that has their characters; without one there is a warning. Of a mean, the first part is
        drawn.
        """
        from celab.report.plots import plot_drawing

        return plot_drawing(self.drawing(), ax)

    @abstractmethod
    def drawing(self) -> PairDrawing | MeanDrawing:
        """Return what terminal, notebook, plot and page draw."""

    def view(self, options: ViewOptions = NORMAL) -> View:
        """Return the drawing under a title."""
        from celab.metrics.explaining.printed import Drawn

        title = Line(("hypothesis against the reference",), "title")
        return View([[title], Drawn(self.drawing())])

    @property
    def digits(self) -> int:
        """Number of decimals to show."""
        return digits_of(Signature.of(self.signature).name)

    def __str__(self) -> str:
        return RENDERERS["text"](self.view())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.score:.4f}: {self._sizes()}>"

    @abstractmethod
    def _sizes(self) -> str: ...


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Explanation(_Explained):
    """One hypothesis against one reference.

    Attributes:
        hyp_tokens, ref_tokens: the tokens, as they were compared.
        score, precision, recall: values against this reference.
        links: `Link`s with weight in the solution, each with the pieces that make it.
        hyp_ngrams, ref_ngrams: every `Ngram` of the two sides, how it was matched and its weight.
            Recall is the sum of cover · weight divided by the sum of weights.
        signature: signature of the metric.
        unmatched: if asked for, an `Unmatched` for each word without a match.
        length_factor: factor of the score for an output beyond `length_limit`; 1 within it.

    >>> import celab
    >>> explanation = celab.TeslaCelab().explain("买伞", "买雨伞")
    >>> explanation
    <Explanation 1.0000: hypothesis of 2 tokens, reference of 3, 1 link>
    >>> [(piece.hyp, piece.ref, piece.kind) for piece in explanation.links[0].pieces]
    [((0, 1), (0, 1), 'equal'), ((1, 2), (1, 3), 'synonym')]
    """

    hyp_tokens: tuple[str, ...]
    ref_tokens: tuple[str, ...]
    score: float
    precision: float
    recall: float
    links: tuple[Link, ...]  # with weight, heaviest and longest first
    hyp_ngrams: tuple[Ngram, ...]  # by order, then position
    ref_ngrams: tuple[Ngram, ...]
    signature: Signature
    unmatched: tuple[Unmatched, ...] = ()
    length_factor: float = 1.0

    def drawing(self) -> PairDrawing:
        """Return what terminal, notebook, plot and page draw."""
        from celab.metrics.explaining.drawing import draw_ngrams

        return draw_ngrams(self)

    def _sizes(self) -> str:
        return _sizes(len(self.hyp_tokens), len(self.ref_tokens), "token", len(self.links))


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
    links: tuple[WordLink, ...]  # by their place in the reference


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class WordExplanation(_Explained):
    """One hypothesis against one reference, by words.

    Attributes:
        hyp_words, ref_words: the words, each with form, lemma and tag.
        score, precision, recall: values against this reference.
        features: for each order and similarity a `Feature` with its links.
        signature: signature of the metric.
    """

    hyp_words: tuple[Word, ...]
    ref_words: tuple[Word, ...]
    score: float
    precision: float
    recall: float
    features: tuple[Feature, ...]  # the score is the mean of their F
    signature: Signature

    def drawing(self) -> PairDrawing:
        """Return what terminal, notebook, plot and page draw."""
        from celab.metrics.explaining.drawing import draw_words

        return draw_words(self)

    def _sizes(self) -> str:
        n_links = sum(len(feature.links) for feature in self.features)
        return _sizes(len(self.hyp_words), len(self.ref_words), "word", n_links)


@dataclass(frozen=True, slots=True, repr=False)
class MeanExplanation(_Explained):
    """One hypothesis against one reference, by a mean of metrics.

    Attributes:
        parts: the explanation of each metric, in order.
        score, precision, recall: values against this reference, the means of those of the parts.
        signature: that of the mean.
    """

    parts: tuple[AnyExplanation, ...]
    score: float
    precision: float
    recall: float
    signature: Signature

    def drawing(self) -> MeanDrawing:
        """Return what terminal, notebook, plot and page draw."""
        from celab.metrics.explaining.drawing import draw_mean

        return draw_mean(self)

    def _sizes(self) -> str:
        return f"mean of {', '.join(f'{part.score:.4f}' for part in self.parts)}"


class Edit(NamedTuple):
    """A token that was substituted, deleted or inserted; its place on the other side is empty."""

    kind: EditKind
    hyp: Span
    ref: Span


@dataclass(frozen=True, slots=True, repr=False)
class EditExplanation(_Explained):
    """One hypothesis against one reference, by an error rate, which has no precision or recall.

    Attributes:
        hyp_tokens, ref_tokens: the tokens, as they were compared.
        score: 100 · edits / tokens of the reference; without any, 100 if there are edits.
        edits: an `Edit` for each token that is not equal, from left to right.
        signature: signature of the metric.

    >>> import celab
    >>> explanation = celab.Cer().explain("买雨散", "买把雨伞")
    >>> explanation
    <EditExplanation 50.0000: hypothesis of 3 tokens, reference of 4, 2 edits>
    >>> [edit.kind for edit in explanation.edits]
    ['deleted', 'substituted']
    """

    hyp_tokens: tuple[str, ...]
    ref_tokens: tuple[str, ...]
    score: float
    edits: tuple[Edit, ...]
    signature: Signature
    precision = recall = nan

    def drawing(self) -> PairDrawing:
        """Return what terminal, notebook, plot and page draw."""
        from celab.metrics.explaining.drawing import draw_edits

        return draw_edits(self)

    def _sizes(self) -> str:
        return _sizes(len(self.hyp_tokens), len(self.ref_tokens), "token", len(self.edits), "edit")


AnyExplanation = Explanation | WordExplanation | MeanExplanation | EditExplanation


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class SegmentExplanation(Result):
    """A segment against each of its references that is present.

    Attributes:
        index: numbers of the references, from 0.
        against: an `Explanation`, by words a `WordExplanation`, by a mean a `MeanExplanation`, or
            by an error rate an `EditExplanation`, for each of them.
        score, precision, recall: values of the segment; NaN if the metric has none.
        combine: how references are combined: "mean", "max" or "fewest edits".
    """

    index: tuple[int, ...]
    against: tuple[AnyExplanation, ...]
    score: float
    precision: float
    recall: float
    combine: str

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the explanation against the first reference; see `Explanation.plot`."""
        return self.against[0].plot(ax)

    @property
    def digits(self) -> int:
        """Number of decimals to show."""
        return self.against[0].digits

    def view(self, options: ViewOptions = NORMAL) -> View:
        """Return a drawing for each reference, and how they make one score."""
        from celab.metrics.explaining.drawing import combined_title, figures_of
        from celab.metrics.explaining.printed import Drawn

        parts: list[Part] = []
        for index, explanation in zip(self.index, self.against, strict=True):
            title = f"hypothesis against reference {index + 1}"
            parts += [[Line((title,), "title")], Drawn(explanation.drawing())]
        if len(self.index) > 1:
            parts.append([Line((f"{combined_title(self)}: {figures_of(self).text}",))])
        return View(parts)

    def __str__(self) -> str:
        return RENDERERS["text"](self.view())

    def __repr__(self) -> str:
        n = len(self.against)
        return f"<SegmentExplanation {self.score:.4f} against {quantity(n, 'reference')}>"


def _sizes(n_hyp: int, n_ref: int, unit: str, n: int, what: str = "link") -> str:
    return f"hypothesis of {quantity(n_hyp, unit)}, reference of {n_ref}, {quantity(n, what)}"
