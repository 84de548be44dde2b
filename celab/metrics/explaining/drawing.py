"""Drawings of explanations, for terminal, notebook, plot and page.

A drawing has the sentences with how each token was matched, the columns in which they are aligned,
the links as tables, and figures with the digits of the metric. Renderers decide nothing but how it
looks; colors and marks are those of `celab.tables.palette`.

>>> import celab
>>> drawing = celab.TeslaCelab().explain("买伞", "买雨伞").drawing()
>>> drawing.figures.text
'score 1.0000  precision 1.0000  recall 1.0000'
>>> drawing.sentences[0].states
['equal', 'synonym', 'synonym']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import attrgetter
from typing import NamedTuple

from celab.base.text.escapes import visible
from celab.metrics.explaining.links import LinkKind, Ngram, Span
from celab.tables.cells import quantity
from celab.tables.palette import MARKS, OF_NGRAMS
from celab.tables.sentences import EVERY_TOKEN
from celab.tables.table import Table, text_columns

FULL = 1 - 1e-6  # a cover shown as whole; the solver's tolerance is 1e-7
# N-grams of longer sentences are counted instead of listed.
MAX_LISTED_TOKENS = 40
# Runs of missing tokens that are shown, and tokens of each.
MAX_RUNS_SHOWN, MAX_RUN_TOKENS_SHOWN = 8, 12
# The reference is drawn above the hypothesis.
SIDES = ("ref", "hyp")


class CellPart(NamedTuple):
    """A part of a cell: its text, and its state of matching, or ""."""

    text: str
    state: str = ""


CellParts = Sequence[CellPart]


class Figures(NamedTuple):
    """Score, precision and recall as texts with the digits of the metric.

    "" for an absent figure.
    """

    score: str
    precision: str
    recall: str

    @property
    def rates(self) -> str:
        """Precision and recall in words, after two spaces; "" without them."""
        return f"  precision {self.precision}  recall {self.recall}" if self.precision else ""

    @property
    def text(self) -> str:
        """Score, precision and recall in words."""
        return f"score {self.score}{self.rates}"


class NgramMark(NamedTuple):
    """An n-gram in a list; `mark` is None if the mark of its state fills the width."""

    text: str
    state: str
    mark: str | None


@dataclass(frozen=True, slots=True)
class NgramRow:
    """The n-grams of one order, or if there are many, their number by state."""

    order: int
    ngrams: Sequence[NgramMark]
    counts: Sequence[tuple[str, int]] = ()


@dataclass(frozen=True, slots=True)
class DrawnSentence:
    """One of the two sentences: its tokens, their states of matching, and its n-grams.

    `states` are keys of `celab.tables.palette.SHOWN`.
    """

    label: str
    tokens: Sequence[str]
    states: Sequence[str]
    ngrams: Sequence[Ngram] = ()

    @property
    def weighted(self) -> bool:
        """Whether n-grams differ from each other in weight."""
        return not {1.0}.issuperset(map(attrgetter("weight"), self.ngrams))


@dataclass(frozen=True, slots=True)
class LinkTable:
    """A table of links.

    `empty` is the text if there are none, `below` has lines below the table.
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[CellParts]]
    empty: str
    below: Sequence[str] = ()

    def table(self, right: int) -> Table:
        """Return the links in plain text, with one column aligned to the right."""
        rows = [["".join(piece.text for piece in cell) for cell in row] for row in self.rows]
        return Table(columns=text_columns(self.headings, [right]), rows=rows)


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
        figures, signature: shown below.
        sentences: reference and hypothesis.
        columns: aligned spans of both; None if each sentence has rows of its own.
        states: possible states of matching, in the order of the legend.
        features: figures of each order and similarity; None if no words were matched.
        links: tables of links.
        pairs: linked spans, the heaviest of each link first.
        summary: sentence on the missing tokens and the coverage.
        unmatched: table of words without a match; None unless requested.
    """

    figures: Figures
    signature: str
    sentences: tuple[DrawnSentence, DrawnSentence]
    columns: Sequence[tuple[Span, Span]] | None
    states: Sequence[str]
    features: Table | None
    links: Sequence[LinkTable]
    pairs: Sequence[LinkedPair]
    summary: str
    unmatched: LinkTable | None = None

    def coverage(self) -> Table:
        """Return a row per order, with the covered and the total weight of each side."""
        return coverage_table(self.sentences)


@dataclass(frozen=True, slots=True)
class MeanDrawing:
    """One hypothesis against one reference, by a mean of metrics."""

    figures: Figures
    signature: str
    parts: Sequence[PairDrawing | MeanDrawing]


AnyDrawing = PairDrawing | MeanDrawing


def summary(ref: DrawnSentence) -> str:
    """Return a sentence on the missing tokens of the reference, and on the covered share."""
    covered, total = sums(ref.ngrams)
    if ref.weighted:
        share = covered / total if total else 0.0
        if covered < total - 1e-6:
            share = min(share, 0.99)  # not rounded up to 100% unless all is covered
        text = f"{share:.0%} of the weight of the reference's n-grams is covered."
    else:
        text = f"{covered:.4g} of {total:.4g} n-grams of the reference are covered."
    if missing_runs := _missing(ref):
        return f"Missing: {missing_runs}. {text}"
    if covered < total - 1e-6:
        return f"{EVERY_TOKEN} {text}"
    return text


def _missing(sentence: DrawnSentence) -> str:
    """Return the runs of unmatched tokens, longest first; "" if every token is matched."""
    runs = [
        [at for at, _ in run]
        for state, run in groupby(enumerate(sentence.states), lambda pair: pair[1])
        if state == "unmatched"
    ]
    runs.sort(key=len, reverse=True)
    pieces = [
        join_tokens(sentence.tokens, (run[0], run[:MAX_RUN_TOKENS_SHOWN][-1] + 1))
        + (" …" if len(run) > MAX_RUN_TOKENS_SHOWN else "")
        for run in runs[:MAX_RUNS_SHOWN]
    ]
    more = f" and {len(runs) - MAX_RUNS_SHOWN} more" if len(runs) > MAX_RUNS_SHOWN else ""
    return ", ".join(pieces) + more


def pairs_of(view: AnyDrawing) -> Iterator[PairDrawing]:
    """Yield the drawing itself, or the drawings of the parts of a mean."""
    if isinstance(view, MeanDrawing):
        for part in view.parts:
            yield from pairs_of(part)
    else:
        yield view


def join_tokens(tokens: Sequence[str], span: Span) -> str:
    """Return the n-gram as text, with spaces only between tokens that would run together."""
    texts = [visible(token) for token in tokens[slice(*span)]]
    if " " in tokens:  # they are letters
        return "".join(texts)
    text = texts[0]
    for before, after in pairwise(texts):
        one_character_each = len(before) == len(after) == 1
        text += after if one_character_each and not (before + after).isascii() else f" {after}"
    return text


def sums(ngrams: Sequence[Ngram]) -> tuple[float, float]:
    """Return C and N: the covered weight, and the total weight."""
    return sum(n.cover * n.weight for n in ngrams), sum(n.weight for n in ngrams)


def token_states(
    n_tokens: int, pieces: Sequence[tuple[Span, LinkKind]], ngrams: Sequence[Ngram]
) -> list[str]:
    """Return the state of each token, which is that of the first, hence heaviest, piece with it.

    >>> from celab.metrics.explaining.links import Ngram
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


def ngram_rows(sentence: DrawnSentence) -> Iterator[NgramRow]:
    """Yield the n-grams of a sentence, order by order."""
    of_order = groupby(sentence.ngrams, key=lambda ngram: ngram.span[1] - ngram.span[0])
    for order, ngrams in of_order:
        if len(sentence.tokens) <= MAX_LISTED_TOKENS:
            yield NgramRow(order, [_ngram_mark(sentence, ngram) for ngram in ngrams])
        else:
            count = Counter[str](ngram.state for ngram in ngrams)
            yield NgramRow(order, (), [(state, count[state]) for state in OF_NGRAMS])


def _ngram_mark(sentence: DrawnSentence, ngram: Ngram) -> NgramMark:
    text, mark = join_tokens(sentence.tokens, ngram.span), MARKS[ngram.state]
    weight = f"{ngram.weight:.2f}" if sentence.weighted else ""
    if 0 < ngram.cover < FULL:
        mark = f"{mark}{ngram.cover:.2f}{'·' if weight else ''}{weight}"
    elif weight:
        mark = f"{mark}{weight}"
    else:
        return NgramMark(text, ngram.state, None)
    return NgramMark(text, ngram.state, mark)


def ngram_title(sentence: DrawnSentence) -> str:
    """Return the heading of a sentence's n-grams; with weights, it has the covered weight."""
    title = f"n-grams of {sentence.label}"
    if not sentence.weighted:
        return title
    covered, total = sums(sentence.ngrams)
    return f"{title}, with weights; {covered:.4f} of {total:.4f} covered"


def coverage_table(sides: Sequence[DrawnSentence]) -> Table:
    """Return a row per order, with the covered and the total weight of each side."""
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
    return Table(columns=text_columns(headings, range(len(headings))), rows=rows)


def chained(pieces: Sequence[tuple[str, str, Sequence[str]]]) -> list[CellPart]:
    """Return the cell of a link's pieces: the text of each, its state and its lexicon groups."""
    parts: list[CellPart] = []
    for text, state, groups in pieces:
        parts += [CellPart(" ")] if parts else []
        parts.append(CellPart(text, state))
        if groups:
            parts.append(CellPart(f" [{visible(', '.join(groups))}]"))
    return parts


# Explanations by words


def word_summary(ref: DrawnSentence) -> str:
    """Return a sentence on the missing words of the reference, and the number of matched ones."""
    unmatched = [
        visible(form)
        for form, state in zip(ref.tokens, ref.states, strict=True)
        if state == "unmatched"
    ]
    n = len(ref.tokens)
    text = f"{n - len(unmatched)} of {quantity(n, 'word')} of the reference are matched."
    return f"Missing: {' '.join(unmatched)}. {text}" if unmatched else text
