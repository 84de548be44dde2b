"""Drawings of explanations. Terminal, notebook, plot and page draw it.

A view has the sentences with how each token was matched, the columns in which they are aligned, the
links as tables, and figures with the digits of the metric. Renderers decide nothing but how it
looks; colors and marks are those of `celab.base.view.palette`.

>>> import celab
>>> drawing = celab.TeslaCelab().explain("买伞", "买雨伞").drawing()
>>> drawing.figures.text
'score 1.0000  precision 1.0000  recall 1.0000'
>>> drawing.sentences[0].states
['equal', 'synonym', 'synonym']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from math import isnan
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from celab.analysis.model import Word
from celab.base.signature import Signature
from celab.base.text.escapes import visible
from celab.base.view import cells
from celab.base.view.cells import Cell, quantity, shown
from celab.base.view.palette import MARKS, OF_EDITS, OF_NGRAMS, OF_WORDS
from celab.base.view.tables import Table
from celab.metrics.explaining.columns import (
    HEADINGS,
    NONE,
    columns,
    group_text,
    missing,
    moved_tokens,
    reason_text,
)

if TYPE_CHECKING:
    from celab.metrics.explaining.explanation import (
        AnyExplanation,
        EditExplanation,
        Explanation,
        Feature,
        Link,
        LinkKind,
        MeanExplanation,
        Ngram,
        SegmentExplanation,
        Span,
        WordExplanation,
        WordPair,
    )

FULL = 1 - 1e-6  # a cover shown as whole; the solver's tolerance is 1e-7
# The n-grams of longer sentences are counted, not listed; of their matches, only single words are.
LISTED_TOKENS = 40
MOST_RUNS = 8  # missing runs of tokens that are shown
MOST_LOST = 12  # tokens of each
SIDES = ("ref", "hyp")  # in the order in which they are shown


class CellPart(NamedTuple):
    """A part of a cell: its text, and how it was matched, if it is a part of a match."""

    text: str
    state: str = ""


CellParts = Sequence[CellPart]  # of a cell


class Figures(NamedTuple):
    """Score, precision and recall, with the digits of the metric; "" where there is none."""

    score: str
    precision: str
    recall: str

    @property
    def rates(self) -> str:
        """Precision and recall in words, after two spaces; "" if there are none."""
        return f"  precision {self.precision}  recall {self.recall}" if self.precision else ""

    @property
    def text(self) -> str:
        """All of them in words."""
        return f"score {self.score}{self.rates}"


class NgramMark(NamedTuple):
    """An n-gram as it is listed; `mark` is None if its mark goes all along under it."""

    text: str
    state: str
    mark: str | None


@dataclass(frozen=True, slots=True)
class NgramRow:
    """The n-grams of one order: each of them, or if they are many, the number of each state."""

    order: int
    ngrams: Sequence[NgramMark]
    counts: Sequence[tuple[str, int]] = ()


@dataclass(frozen=True, slots=True)
class Sentence:
    """One of the two sentences: its tokens, how each was matched, and its n-grams.

    `states` are keys of `celab.base.view.palette.SHOWN`.
    """

    label: str
    tokens: Sequence[str]
    states: Sequence[str]
    ngrams: Sequence[Ngram] = ()

    @property
    def weighted(self) -> bool:
        """Whether n-grams differ from each other in weight."""
        return not {1.0}.issuperset(map(attrgetter("weight"), self.ngrams))

    def with_moved(self, tokens: Set[int]) -> Sentence:
        """Return the sentence with these tokens marked as moved."""
        if not tokens:
            return self
        states = ["moved" if at in tokens else state for at, state in enumerate(self.states)]
        return replace(self, states=states)


@dataclass(frozen=True, slots=True)
class LinkTable:
    """Links in rows; `title` may be empty, and `empty` says that there is none."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[CellParts]]
    empty: str

    def table(self, right: int) -> Table:
        """Return the links in plain text, with one column aligned to the right."""
        rows = [["".join(piece.text for piece in cell) for cell in row] for row in self.rows]
        return Table(headings=self.headings, rows=rows, right=[right])


class LinkedPair(NamedTuple):
    """Two linked spans of tokens, with the weight of their link."""

    ref: Span
    hyp: Span
    state: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDrawing:
    """One hypothesis against one reference.

    Attributes:
        figures, signature: what goes below.
        sentences: reference and hypothesis.
        columns: spans of both that are aligned; None if each sentence has rows of its own.
        states: ways to match that the legend names.
        features: figures of each order and similarity; None if no words were matched.
        links: tables of links.
        pairs: linked spans, each link's heaviest first.
        summary: one sentence on what is matched.
        unmatched: table of words without a match; None if it was not asked for.
    """

    figures: Figures
    signature: str
    sentences: tuple[Sentence, Sentence]
    columns: Sequence[tuple[Span, Span]] | None
    states: Sequence[str]
    features: Table | None
    links: Sequence[LinkTable]
    pairs: Sequence[LinkedPair]
    summary: str
    unmatched: LinkTable | None = None

    def coverage(self) -> Table:
        """Return a row per order: what is covered, and of how much, on each side."""
        return coverage_table(self.sentences)


@dataclass(frozen=True, slots=True)
class MeanDrawing:
    """One hypothesis against one reference, by a mean of metrics."""

    figures: Figures
    signature: str
    parts: Sequence[PairDrawing | MeanDrawing]


AnyDrawing = PairDrawing | MeanDrawing


def draw_mean(explanation: MeanExplanation) -> MeanDrawing:
    """Return what is shown of a mean of metrics."""
    parts = [part.drawing() for part in explanation.parts]
    return MeanDrawing(figures_of(explanation), explanation.signature, parts)


def draw_ngrams(explanation: Explanation) -> PairDrawing:
    """Return what is shown of matched n-grams."""
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
    aligned = list(columns(explanation))
    ref, hyp = sentences(explanation)
    moved = moved_tokens(explanation, aligned)
    sides = ref.with_moved(moved[0]), hyp.with_moved(moved[1])
    return PairDrawing(
        figures=figures_of(explanation),
        signature=explanation.signature,
        sentences=sides,
        columns=aligned,
        states=(*OF_NGRAMS, "moved") if any(moved) else OF_NGRAMS,
        features=None,
        links=[links],
        pairs=pairs,
        summary=_summary(sides[0]) + _excess(explanation),
        unmatched=_unmatched(explanation) if explanation.unmatched else None,
    )


def _summary(ref: Sentence) -> str:
    """Return what is missing, then how much is covered."""
    covered, total = sums(ref.ngrams)
    if ref.weighted:
        share = covered / total if total else 0.0
        if covered < total - 1e-6:
            share = min(share, 0.99)  # 100% is all of it
        text = f"{share:.0%} of the weight of the reference's n-grams is covered."
    else:
        text = f"{covered:.4g} of {total:.4g} n-grams of the reference are covered."
    if missing_runs := _missing(ref):
        return f"Missing: {missing_runs}. {text}"
    if covered < total - 1e-6:
        return f"Every token of the reference is matched, but not every n-gram. {text}"
    return text


def _excess(explanation: Explanation) -> str:
    """Return what an output beyond the limit of length loses; "" within it."""
    factor = explanation.length_factor
    if factor == 1:
        return ""
    ratio = len(explanation.hyp_tokens) / len(explanation.ref_tokens)
    return f" {ratio:.2f} times as long as the reference: × {factor:.2f}."


def _missing(sentence: Sentence) -> str:
    """Return the runs of unmatched tokens, longest first; "" if every token is matched."""
    runs = [
        [at for at, _ in run]
        for state, run in groupby(enumerate(sentence.states), lambda pair: pair[1])
        if state == "unmatched"
    ]
    runs.sort(key=len, reverse=True)
    pieces = [
        join_tokens(sentence.tokens, (run[0], run[:MOST_LOST][-1] + 1))
        + " …" * (len(run) > MOST_LOST)
        for run in runs[:MOST_RUNS]
    ]
    more = f" and {len(runs) - MOST_RUNS} more" * (len(runs) > MOST_RUNS)
    return ", ".join(pieces) + more


def _word_summary(ref: Sentence) -> str:
    unmatched = [
        visible(form)
        for form, state in zip(ref.tokens, ref.states, strict=True)
        if state == "unmatched"
    ]
    n = len(ref.tokens)
    text = f"{n - len(unmatched)} of {quantity(n, 'word')} of the reference are matched."
    return f"Missing: {' '.join(unmatched)}. {text}" if unmatched else text


def _unmatched(e: Explanation) -> LinkTable:
    n, signature = e.digits, Signature.of(e.signature)
    rows: list[Sequence[CellParts]] = []
    for pair in missing(e):
        scores = (shown(cells.score(value, n)) for value in (e.score, pair.score))
        score = "" if pair.score is None else " → ".join(scores)
        words = [
            CellPart(visible(word) or NONE, "unmatched" if word else "")
            for word in (pair.ref, pair.hyp)
        ]
        texts = (score, reason_text(pair, signature), group_text(pair, signature))
        rows.append([[words[0]], [words[1]], *([CellPart(text)] for text in texts)])
    return LinkTable("not matched", HEADINGS, rows, "")


def figures_of(explanation: AnyExplanation | SegmentExplanation) -> Figures:
    """Return score, precision and recall with the digits of the metric."""
    values = (explanation.score, explanation.precision, explanation.recall)
    digits = explanation.digits
    return Figures(*("" if isnan(value) else shown(cells.score(value, digits)) for value in values))


def combined_title(segment: SegmentExplanation) -> str:
    """Return how the references make one score, such as "mean of 2 references"."""
    return f"{'mean' if segment.combine == 'mean' else 'best'} of {len(segment.index)} references"


def pairs_of(view: AnyDrawing) -> Iterator[PairDrawing]:
    """Yield the view itself, or of a mean those of its parts."""
    if isinstance(view, MeanDrawing):
        for part in view.parts:
            yield from pairs_of(part)
    else:
        yield view


def join_tokens(tokens: Sequence[str], span: Span) -> str:
    """Return the n-gram as one would write it: a space only where its tokens would run together."""
    texts = [visible(token) for token in tokens[slice(*span)]]
    if " " in tokens:  # they are letters
        return "".join(texts)
    text = texts[0]
    for before, after in pairwise(texts):
        one_character_each = len(before) == len(after) == 1
        text += after if one_character_each and not (before + after).isascii() else f" {after}"
    return text


def sums(ngrams: Sequence[Ngram]) -> tuple[float, float]:
    """Return C and N: the weight of what is covered, and of all."""
    return sum(n.cover * n.weight for n in ngrams), sum(n.weight for n in ngrams)


def sentences(explanation: Explanation) -> tuple[Sentence, Sentence]:
    """Return reference and hypothesis with how each token was matched."""
    e = explanation
    pieces = [x for link in e.links for x in ((link,) if link.kind == "equal" else link.pieces)]
    ref = token_states(len(e.ref_tokens), [(p.ref, p.kind) for p in pieces], e.ref_ngrams)
    hyp = token_states(len(e.hyp_tokens), [(p.hyp, p.kind) for p in pieces], e.hyp_ngrams)
    return (
        Sentence("ref", e.ref_tokens, ref, e.ref_ngrams),
        Sentence("hyp", e.hyp_tokens, hyp, e.hyp_ngrams),
    )


def token_states(
    n_tokens: int, pieces: Sequence[tuple[Span, LinkKind]], ngrams: Sequence[Ngram]
) -> list[str]:
    """Return how each token was matched: as the first, hence heaviest, piece it lies in.

    >>> from celab.metrics.explaining.explanation import Ngram
    >>> token_states(3, [((0, 2), "equal")], [Ngram((2, 3), "covered", 0.5)])
    ['equal', 'equal', 'covered']
    """
    states = ["unmatched"] * n_tokens
    for ngram in ngrams[:n_tokens]:  # those of order 1 are first
        start, stop = ngram.span
        if stop - start == 1 and ngram.cover > 0:
            states[start] = "covered"
    for (start, stop), kind in reversed(pieces):
        states[start:stop] = [kind] * (stop - start)
    return states


def ngram_rows(sentence: Sentence) -> Iterator[NgramRow]:
    """Yield the n-grams of a sentence, order by order."""
    of_order = groupby(sentence.ngrams, key=lambda ngram: ngram.span[1] - ngram.span[0])
    for order, ngrams in of_order:
        if len(sentence.tokens) <= LISTED_TOKENS:
            yield NgramRow(order, [_ngram_mark(sentence, ngram) for ngram in ngrams])
        else:
            count = Counter[str](ngram.state for ngram in ngrams)
            yield NgramRow(order, (), [(state, count[state]) for state in OF_NGRAMS])


def _ngram_mark(sentence: Sentence, ngram: Ngram) -> NgramMark:
    text, mark = join_tokens(sentence.tokens, ngram.span), MARKS[ngram.state]
    weight = f"{ngram.weight:.2f}" if sentence.weighted else ""
    if 0 < ngram.cover < FULL:
        mark = f"{mark}{ngram.cover:.2f}{'·' if weight else ''}{weight}"
    elif weight:
        mark = f"{mark}{weight}"
    else:
        return NgramMark(text, ngram.state, None)
    return NgramMark(text, ngram.state, mark)


def ngram_title(sentence: Sentence) -> str:
    """Return the heading of a sentence's n-grams; with weights, it says how much is covered."""
    title = f"n-grams of {sentence.label}"
    if not sentence.weighted:
        return title
    covered, total = sums(sentence.ngrams)
    return f"{title}, with weights; {covered:.4f} of {total:.4f} covered"


def coverage_table(sides: Sequence[Sentence]) -> Table:
    """Return a row per order: what is covered, and of how much, on each side."""
    of_sides = [side.ngrams for side in sides]
    orders = {ngram.span[1] - ngram.span[0] for ngrams in of_sides for ngram in ngrams}
    rows = []
    for order in sorted(orders):
        row = [str(order)]
        for ngrams in of_sides:
            of_order = [n for n in ngrams if n.span[1] - n.span[0] == order]
            row += [f"{amount:.3g}" for amount in sums(of_order)]
        rows.append(row)
    headings = ["order", *(text for side in sides for text in (f"covered in {side.label}", "of"))]
    return Table(headings=headings, rows=rows, right=range(len(headings)))


def _chained(pieces: Sequence[tuple[str, str, Sequence[str]]]) -> list[CellPart]:
    """Return the cell of a link's pieces: the text of each, its state and its lexicon groups."""
    parts: list[CellPart] = []
    for text, state, groups in pieces:
        parts += [CellPart(" ")] * bool(parts)
        parts.append(CellPart(text, state))
        if groups:
            parts.append(CellPart(f" [{visible(', '.join(groups))}]"))
    return parts


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
        _chained([(MARKS[p.kind].join(pair), p.kind, p.labels) for p, pair in pieces]),
        [CellPart(f"{len(link.covers_ref)} ref, {len(link.covers_hyp)} hyp")],
    ]


def draw_edits(e: EditExplanation) -> PairDrawing:
    """Return what is shown of edits: the tokens of both sides, one beside the other."""
    aligned: list[tuple[str, Span, Span]] = []  # state, reference, hypothesis
    r = h = 0
    n_hyp, n_ref = len(e.hyp_tokens), len(e.ref_tokens)
    for state, hyp, ref in (*e.edits, ("", (n_hyp, n_hyp), (n_ref, n_ref))):
        steps = ((r + k, h + k) for k in range(ref[0] - r))
        aligned += [("equal", (at, at + 1), (other, other + 1)) for at, other in steps]
        aligned += [(state, ref, hyp)] * bool(state)
        r, h = ref[1], hyp[1]
    states = [
        [state for state, *spans in aligned if spans[side][0] < spans[side][1]] for side in (0, 1)
    ]
    counts = Counter[str](edit.kind for edit in e.edits)
    edits = ", ".join(f"{counts[kind]} {kind}" for kind in OF_EDITS[1:])
    return PairDrawing(
        figures=figures_of(e),
        signature=e.signature,
        sentences=(
            Sentence("ref", e.ref_tokens, states[0]),
            Sentence("hyp", e.hyp_tokens, states[1]),
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


# Explanations by words


def draw_words(e: WordExplanation) -> PairDrawing:
    """Return what is shown of matched words."""
    ref, hyp = (
        Sentence(side, [word.form for word in _words(e, side)], word_states(e, side))
        for side in SIDES
    )
    longest = max(len(e.ref_words), len(e.hyp_words))
    links = [
        _word_links(e, feature)
        for feature in e.features
        if feature.order == 1 or longest <= LISTED_TOKENS
    ]
    pairs = [
        LinkedPair((pair.ref, pair.ref + 1), (pair.hyp, pair.hyp + 1), pair.kind, link.weight)
        for link in (e.features[0].links if e.features else ())
        for pair in link.pairs
    ]
    features = feature_table(e)
    summary = _word_summary(ref)
    return PairDrawing(
        figures=figures_of(e),
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


def word_states(e: WordExplanation, side: str) -> list[str]:
    """Return how the words of a side were matched by the first similarity at order 1.

    If a word has several links, the heaviest counts.
    """
    states = ["unmatched"] * len(_words(e, side))
    for link in sorted(e.features[0].links if e.features else (), key=lambda link: link.weight):
        for pair in link.pairs:
            states[pair.ref if side == "ref" else pair.hyp] = pair.kind
    return states


def feature_table(e: WordExplanation) -> Table:
    """Return a row per feature: total similarity, weights of both bags, the resulting figures."""
    headings = ["order", "by", "matched", "hyp weight", "ref weight", "precision", "recall", "F"]
    rows: list[list[Cell | str]] = []
    n = e.digits
    for x in e.features:
        numbers = (x.total, x.hyp_weight, x.ref_weight, x.precision, x.recall, x.f)
        rows.append([str(x.order), x.similarity, *(cells.score(number, n) for number in numbers)])
    return Table(headings=headings, rows=rows, right=range(2, 8))


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
                _chained(pieces),
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
    # Such as `Schirm~Regenschirm`: lemmas, or the tags where only these are equal.
    if pair.kind == "tag":
        return f"{visible(ref.lemma)}/{visible(hyp.lemma)} {visible(ref.tag)}"
    return f"{visible(ref.lemma)}{MARKS[pair.kind]}{visible(hyp.lemma)}"
