"""Explanations of scores, link by link, and their drawings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isnan, nan
from operator import attrgetter
from typing import TYPE_CHECKING

from celab.base.arguments import JsonObject
from celab.base.signature import Signature
from celab.base.text.escapes import visible
from celab.metrics.explaining.columns import (
    HEADINGS,
    NONE,
    ColumnAlignment,
    align,
    alone_texts,
    group_text,
    missing,
    reason_text,
)
from celab.metrics.explaining.drawing import (
    MAX_LISTED_TOKENS,
    SIDES,
    CellPart,
    CellParts,
    DrawnSentence,
    Figures,
    LinkedPair,
    LinkTable,
    MeanDrawing,
    PairDrawing,
    chained,
    join_tokens,
    summary,
    token_states,
    word_summary,
)
from celab.metrics.explaining.links import (
    Edit,
    Feature,
    Link,
    Ngram,
    Span,
    Unmatched,
    WordPair,
)
from celab.metrics.registry import digits_of
from celab.tables import cells
from celab.tables.cells import quantity
from celab.tables.palette import MARKS, OF_EDITS, OF_LINKS, OF_WORDS
from celab.tables.result import Result, plain_fields
from celab.tables.table import SCORE, TEXT, Column, Part, Table
from celab.tables.view import Detail, Line
from celab.words.model import Word

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
        """Return the drawing for terminal, notebook, plot and page."""

    def facts(self) -> JsonObject:
        """Return the explanation as plain data."""
        return plain_fields(self)

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield the drawing under a title."""
        from celab.metrics.explaining.printed import Drawn  # loads rich, only to draw

        yield [Line(("hypothesis against the reference",), "title")]
        yield Drawn(self.drawing())

    @property
    def digits(self) -> int:
        """Number of decimals to show."""
        return digits_of(Signature.of(self.signature).name)

    def __str__(self) -> str:
        return self.render()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.score:.4f}: {self._sizes()}>"

    @abstractmethod
    def _sizes(self) -> str: ...


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Explanation(_Explained):
    """One hypothesis against one reference.

    Attributes:
        hyp_tokens, ref_tokens: the normalized tokens.
        score, precision, recall: values against this reference.
        links: `Link`s with weight in the solution, each with the pieces that make it.
        hyp_ngrams, ref_ngrams: all `Ngram`s of a side, with states and weights. Recall is the sum
            of cover · weight over the reference, divided by the sum of weights.
        signature: signature of the metric.
        unmatched: an `Unmatched` for each word without a match, if requested.
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
    links: tuple[Link, ...]  # links of positive weight; heaviest, then longest first
    hyp_ngrams: tuple[Ngram, ...]  # sorted by order, then position
    ref_ngrams: tuple[Ngram, ...]
    signature: Signature
    unmatched: tuple[Unmatched, ...] = ()
    length_factor: float = 1.0

    @property
    def alignment(self) -> ColumnAlignment:
        """The alignment of both sentences, with the tokens that have no counterpart."""
        return align(self.links, self.ref_tokens, self.hyp_tokens)

    @property
    def columns(self) -> list[tuple[Span, Span]]:
        """Spans of reference and hypothesis that are aligned, from left to right."""
        return self.alignment.columns

    @property
    def sentences(self) -> tuple[DrawnSentence, DrawnSentence]:
        """Reference and hypothesis, with the state of each token."""
        return self.aligned_sentences(self.alignment)

    def aligned_sentences(self, alignment: ColumnAlignment) -> tuple[DrawnSentence, DrawnSentence]:
        """Return reference and hypothesis, with the state of each token."""
        pieces = [
            part
            for link in self.links
            for part in ((link,) if link.kind == "equal" else link.pieces)
        ]
        ref = [(piece.ref, piece.kind) for piece in pieces]
        hyp = [(piece.hyp, piece.kind) for piece in pieces]
        ref_states = token_states(len(self.ref_tokens), ref, self.ref_ngrams)
        hyp_states = token_states(len(self.hyp_tokens), hyp, self.hyp_ngrams)
        for side, states in enumerate((ref_states, hyp_states)):
            for at in alignment.moved[side]:
                states[at] = "moved"
            for at in alignment.elsewhere[side]:
                states[at] = "elsewhere"
        return (
            DrawnSentence("ref", self.ref_tokens, ref_states, self.ref_ngrams),
            DrawnSentence("hyp", self.hyp_tokens, hyp_states, self.hyp_ngrams),
        )

    def drawing(self) -> PairDrawing:
        """Return the drawing for terminal, notebook, plot and page."""
        return _draw_ngrams(self)

    def _sizes(self) -> str:
        return _sizes(len(self.hyp_tokens), len(self.ref_tokens), "token", len(self.links))


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
        """Return the drawing for terminal, notebook, plot and page."""
        return _draw_words(self)

    def _sizes(self) -> str:
        n_links = sum(len(feature.links) for feature in self.features)
        return _sizes(len(self.hyp_words), len(self.ref_words), "word", n_links)


@dataclass(frozen=True, slots=True, repr=False)
class MeanExplanation(_Explained):
    """One hypothesis against one reference, by a mean of metrics.

    Attributes:
        parts: the explanation of each metric, in order.
        score, precision, recall: values against this reference, the means of those of the parts.
        signature: signature of the mean.
    """

    parts: tuple[AnyExplanation, ...]
    score: float
    precision: float
    recall: float
    signature: Signature

    def drawing(self) -> MeanDrawing:
        """Return the drawing for terminal, notebook, plot and page."""
        return _draw_mean(self)

    def _sizes(self) -> str:
        return f"mean of {', '.join(f'{part.score:.4f}' for part in self.parts)}"


@dataclass(frozen=True, slots=True, repr=False)
class EditExplanation(_Explained):
    """One hypothesis against one reference, by an error rate, which has no precision or recall.

    Attributes:
        hyp_tokens, ref_tokens: the normalized tokens.
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
        """Return the drawing for terminal, notebook, plot and page."""
        return _draw_edits(self)

    def _sizes(self) -> str:
        return _sizes(len(self.hyp_tokens), len(self.ref_tokens), "token", len(self.edits), "edit")


AnyExplanation = Explanation | WordExplanation | MeanExplanation | EditExplanation


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class SegmentExplanation(Result):
    """A segment against each of its references; absent ones are left out.

    Attributes:
        index: numbers of the references, from 0.
        against: an `Explanation`, by words a `WordExplanation`, by a mean a `MeanExplanation`, or
            by an error rate an `EditExplanation`, for each of them.
        score, precision, recall: values of the segment; NaN if the metric has none.
        combine: combination of the references: "mean", "max" or "fewest edits".
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

    @property
    def combined(self) -> str:
        """The combination of the references and the score: "mean of 2 references: …"."""
        way = "mean" if self.combine == "mean" else "best"
        return f"{way} of {len(self.index)} references: {_figures(self).text}"

    def facts(self) -> JsonObject:
        """Return the explanations as plain data."""
        return plain_fields(self)

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield a drawing for each reference, and a line on their combination."""
        from celab.metrics.explaining.printed import Drawn  # loads rich, only to draw

        for index, explanation in zip(self.index, self.against, strict=True):
            yield [Line((f"hypothesis against reference {index + 1}",), "title")]
            yield Drawn(explanation.drawing())
        if len(self.index) > 1:
            yield [Line((self.combined,))]

    def __str__(self) -> str:
        return self.render()

    def __repr__(self) -> str:
        n = len(self.against)
        return f"<SegmentExplanation {self.score:.4f} against {quantity(n, 'reference')}>"


def _sizes(n_hyp: int, n_ref: int, unit: str, n: int, what: str = "link") -> str:
    return f"hypothesis of {quantity(n_hyp, unit)}, reference of {n_ref}, {quantity(n, what)}"


def _draw_mean(explanation: MeanExplanation) -> MeanDrawing:
    """Return the drawing of a mean of metrics."""
    parts = [part.drawing() for part in explanation.parts]
    return MeanDrawing(_figures(explanation), explanation.signature, parts)


def _draw_ngrams(explanation: Explanation) -> PairDrawing:
    """Return the drawing of matched n-grams."""
    pairs = [
        LinkedPair(piece.ref, piece.hyp, piece.kind, link.weight)
        for link in explanation.links
        for piece in link.pieces
    ]
    links = LinkTable(
        "",
        ("weight", "reference", "hypothesis", "pieces", "covers"),
        [_link_row(explanation, link) for link in explanation.links],
        "no links",
    )
    alignment = explanation.alignment
    sides = explanation.aligned_sentences(alignment)
    return PairDrawing(
        figures=_figures(explanation),
        signature=explanation.signature,
        sentences=sides,
        columns=alignment.columns,
        states=OF_LINKS,
        features=None,
        links=[links],
        pairs=pairs,
        summary=summary(sides[0]) + _excess(explanation),
        unmatched=_unmatched(explanation) if explanation.unmatched else None,
    )


def _excess(explanation: Explanation) -> str:
    """Return the sentence on the loss of an output beyond the limit of length; "" within it."""
    factor = explanation.length_factor
    if factor == 1:
        return ""
    ratio = len(explanation.hyp_tokens) / len(explanation.ref_tokens)
    return f" {ratio:.2f} times as long as the reference: × {factor:.2f}."


def _unmatched(e: Explanation) -> LinkTable:
    n, signature = e.digits, Signature.of(e.signature)
    rows: list[Sequence[CellParts]] = []
    for pair in missing(e.unmatched):
        scores = (cells.score(value, n) for value in (e.score, pair.score))
        score = "" if pair.score is None else " → ".join(scores)
        words = [
            CellPart(visible(word) or NONE, "unmatched" if word else "")
            for word in (pair.ref, pair.hyp)
        ]
        texts = (score, reason_text(pair, signature), group_text(pair, signature))
        rows.append([[words[0]], [words[1]], *([CellPart(text)] for text in texts)])
    return LinkTable("not matched", HEADINGS, rows, "", alone_texts(e.unmatched))


def _figures(explanation: AnyExplanation | SegmentExplanation) -> Figures:
    """Return score, precision and recall with the digits of the metric."""
    values = (explanation.score, explanation.precision, explanation.recall)
    digits = explanation.digits
    return Figures(*("" if isnan(value) else cells.score(value, digits) for value in values))


def _link_row(e: Explanation, link: Link) -> list[CellParts]:
    # Pieces such as `个=个 女儿~闺女 [cilin Ah14A01=]`, reference first.
    pairs = [
        (join_tokens(e.ref_tokens, p.ref), join_tokens(e.hyp_tokens, p.hyp)) for p in link.pieces
    ]
    pieces = zip(link.pieces, pairs, strict=True)
    return [
        [CellPart(f"{link.weight:.3f}")],
        [CellPart(join_tokens(e.ref_tokens, link.ref), link.kind)],
        [CellPart(join_tokens(e.hyp_tokens, link.hyp), link.kind)],
        chained([(MARKS[p.kind].join(pair), p.kind, p.labels) for p, pair in pieces]),
        [CellPart(f"{len(link.covers_ref)} ref, {len(link.covers_hyp)} hyp")],
    ]


def _draw_edits(e: EditExplanation) -> PairDrawing:
    """Return the drawing of edits: the tokens of both sides, one above the other."""
    aligned: list[tuple[str, Span, Span]] = []  # state, reference, hypothesis
    r = h = 0
    n_hyp, n_ref = len(e.hyp_tokens), len(e.ref_tokens)
    for state, hyp, ref in (*e.edits, ("", (n_hyp, n_hyp), (n_ref, n_ref))):
        steps = ((r + k, h + k) for k in range(ref[0] - r))
        aligned += [("equal", (at, at + 1), (other, other + 1)) for at, other in steps]
        aligned += [(state, ref, hyp)] if state else []
        r, h = ref[1], hyp[1]
    states = [
        [state for state, *spans in aligned if spans[side][0] < spans[side][1]] for side in (0, 1)
    ]
    counts = Counter[str](edit.kind for edit in e.edits)
    edits = ", ".join(f"{counts[kind]} {kind}" for kind in OF_EDITS[1:])
    return PairDrawing(
        figures=_figures(e),
        signature=e.signature,
        sentences=(
            DrawnSentence("ref", e.ref_tokens, states[0]),
            DrawnSentence("hyp", e.hyp_tokens, states[1]),
        ),
        columns=[(ref, hyp) for _, ref, hyp in aligned],
        states=OF_EDITS,
        features=None,
        links=[],
        pairs=[
            LinkedPair(ref, hyp, state, 1.0)
            for state, ref, hyp in aligned
            if state in ("equal", "substituted")
        ],
        summary=f"{edits}; the reference has {quantity(n_ref, 'token')}.",
    )


def _draw_words(e: WordExplanation) -> PairDrawing:
    """Return the drawing of matched words."""
    ref, hyp = (
        DrawnSentence(side, [word.form for word in _words(e, side)], _word_states(e, side))
        for side in SIDES
    )
    longest = max(len(e.ref_words), len(e.hyp_words))
    links = [
        _word_links(e, feature)
        for feature in e.features
        if feature.order == 1 or longest <= MAX_LISTED_TOKENS
    ]
    pairs = [
        LinkedPair((pair.ref, pair.ref + 1), (pair.hyp, pair.hyp + 1), pair.kind, link.weight)
        for link in (e.features[0].links if e.features else ())
        for pair in link.pairs
    ]
    features = _feature_table(e)
    summary = word_summary(ref)
    return PairDrawing(
        figures=_figures(e),
        signature=e.signature,
        sentences=(ref, hyp),
        columns=None,
        states=OF_WORDS,
        features=features,
        links=links,
        pairs=pairs,
        summary=summary,
    )


def _words(e: WordExplanation, side: str) -> Sequence[Word]:
    return e.ref_words if side == "ref" else e.hyp_words


def _word_states(e: WordExplanation, side: str) -> list[str]:
    """Return the states of the words of a side, by the first similarity at order 1.

    A word with several links has the state of the heaviest.
    """
    states = ["unmatched"] * len(_words(e, side))
    for link in sorted(e.features[0].links if e.features else (), key=lambda link: link.weight):
        for pair in link.pairs:
            states[pair.ref if side == "ref" else pair.hyp] = pair.kind
    return states


def _feature_table(e: WordExplanation) -> Table:
    """Return a row per feature: total similarity, weights of both bags, the resulting figures."""
    figures = {
        "matched": "total",
        "hyp weight": "hyp_weight",
        "ref weight": "ref_weight",
        "precision": "precision",
        "recall": "recall",
        "F": "f",
    }
    columns = [
        Column("order", TEXT, attrgetter("order")),
        Column("by", TEXT, attrgetter("similarity")),
        *(Column(heading, SCORE, attrgetter(name)) for heading, name in figures.items()),
    ]
    return Table(columns=columns, rows=e.features, digits=e.digits)


def _word_links(e: WordExplanation, feature: Feature) -> LinkTable:
    rows: list[list[CellParts]] = []
    for link in feature.links:
        kinds = {pair.kind for pair in link.pairs}
        state = next(kind for kind in ("tag", "synonym", "equal") if kind in kinds)
        pieces = [
            (_word_pair(pair, e.ref_words[pair.ref], e.hyp_words[pair.hyp]), pair.kind, pair.groups)
            for pair in link.pairs
        ]
        rows.append(
            [
                [CellPart(f"{link.weight:.4g}")],
                [CellPart(f"{link.similarity:.3f}")],
                [CellPart(_forms(e.ref_words, [pair.ref for pair in link.pairs]), state)],
                [CellPart(_forms(e.hyp_words, [pair.hyp for pair in link.pairs]), state)],
                chained(pieces),
            ]
        )
    title = f"matched by {feature.similarity}, order {feature.order}"
    headings = ("weight", "similarity", "reference", "hypothesis", "words")
    return LinkTable(title, headings, rows, "nothing")


def _forms(words: Sequence[Word], places: Sequence[int]) -> str:
    # Dots stand where a skip bigram leaves words out.
    text = visible(words[places[0]].form)
    for before, at in pairwise(places):
        text += f"{' ' if at == before + 1 else ' … '}{visible(words[at].form)}"
    return text


def _word_pair(pair: WordPair, ref: Word, hyp: Word) -> str:
    # `Schirm~Regenschirm` for lemmas; lemmas and tag if only the tags are equal.
    if pair.kind == "tag":
        return f"{visible(ref.lemma)}/{visible(hyp.lemma)} {visible(ref.tag)}"
    return f"{visible(ref.lemma)}{MARKS[pair.kind]}{visible(hyp.lemma)}"
