"""An explanation → a view for the terminal: both sentences, their links, and every n-gram.

What colour says, a row of marks under the text says too: `=` equal, `~` synonym, `+` covered by a
longer link, `.` unmatched. Chinese characters are two cells wide, so all padding counts cells.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import TYPE_CHECKING

from celab.explanation import (
    Explanation,
    Kind,
    Link,
    Ngram,
    SegmentExplanation,
    Span,
    State,
)
from celab.report.alignment import columns
from celab.report.cells import (
    LABEL,
    NARROWEST,
    Cell,
    append,
    fitting,
    in_rows,
    on_page,
    spelled,
    visible,
)

if TYPE_CHECKING:  # rich takes longer to import than a small corpus to score
    from rich.table import Table
    from rich.text import Text

MARKS: dict[State, str] = {"equal": "=", "synonym": "~", "covered": "+", "unmatched": "."}
COLOURS: dict[State, str] = {
    "equal": "green",
    "synonym": "yellow",
    "covered": "cyan",
    "unmatched": "red",
}
# Of a longer sentence the n-grams are counted and not listed: they would fill screens.
LISTED_TOKENS = 40
FULL = 1 - 1e-6  # a cover shown as whole; the solver's tolerance is 1e-7


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two sentences: its tokens, the pieces of links in it, and its n-grams."""

    label: str
    tokens: Sequence[str]
    pieces: Sequence[tuple[Span, Kind]]  # of the heaviest link first
    ngrams: Sequence[Ngram]


def view(title: str, explanation: Explanation, *, width: int, colour: bool) -> str:
    """All there is to see of one hypothesis against one reference."""
    from rich.text import Text

    width = max(width, NARROWEST)
    page = io.StringIO()
    console = on_page(page, width, colour)
    sides = _sides(explanation)

    def show(*lines: Text) -> None:
        for line in lines:
            console.print(line, soft_wrap=True)

    show(Text(visible(title)), Text())
    show(*_aligned(explanation, sides, width), _legend(), Text())
    if explanation.links:
        console.print(_link_table(explanation))
    else:
        show(Text("no links"))
    for side in sides:
        show(Text(), Text(f"n-grams of {side.label}"), *_ngrams(side, width))
    show(Text(), Text(_numbers(explanation)), Text(explanation.signature))
    return "".join(line.rstrip() + "\n" for line in page.getvalue().split("\n")[:-1])


def together(segment: SegmentExplanation) -> str:
    """The line that follows the views if there are several references."""
    what = "best" if segment.combine == "max" else "mean"
    return f"{what} of {len(segment.index)} references: {_numbers(segment)}\n"


def token_states(side: Side) -> list[State]:
    """How each token was matched: as the piece it lies in, the heaviest link's if several."""
    states: list[State] = ["unmatched"] * len(side.tokens)
    for ngram in side.ngrams:
        start, stop = ngram.span
        if stop - start == 1 and ngram.cover > 0:
            states[start] = "covered"
    for (start, stop), kind in reversed(side.pieces):
        states[start:stop] = [kind] * (stop - start)
    return states


def _numbers(of: Explanation | SegmentExplanation) -> str:
    return f"score {of.score:.4f}  precision {of.precision:.4f}  recall {of.recall:.4f}"


def _sides(e: Explanation) -> tuple[Side, Side]:
    pieces = [piece for link in e.links for piece in link.pieces]
    return (
        Side("ref", e.ref_tokens, [(piece.ref, piece.kind) for piece in pieces], e.ref_ngrams),
        Side("hyp", e.hyp_tokens, [(piece.hyp, piece.kind) for piece in pieces], e.hyp_ngrams),
    )


def _legend() -> Text:
    from rich.text import Text

    names = [(f"{mark} {state}", COLOURS[state]) for state, mark in MARKS.items()]
    return Text(" " * LABEL).append_text(Text("  ").join(Text(*name) for name in names))


def _sentence(side: Side) -> list[Cell]:
    from rich.cells import cell_len

    shown = zip(map(visible, side.tokens), token_states(side), strict=True)
    return [Cell(text, MARKS[state] * cell_len(text), COLOURS[state]) for text, state in shown]


def _aligned(e: Explanation, sides: Sequence[Side], width: int) -> Iterator[Text]:
    """Both sentences over their marks, what is aligned in the same columns."""
    sentences = [_sentence(side) for side in sides]
    rows = _sentence_rows(sides)
    for spans in columns(e):
        columns_cells = [
            [part for cell in sentence[slice(*span)] for part in fitting(cell, width - LABEL)]
            for sentence, span in zip(sentences, spans, strict=True)
        ]
        # A column wider than a row is cut; its sides then run on below each other.
        while any(columns_cells):
            room = width + 1 - max(row.cell_len for row in rows)  # a last blank may hang over
            fits = [_that_fit(cells, room) for cells in columns_cells]
            if rows[0].cell_len > LABEL and fits != columns_cells:
                yield from rows
                rows = _sentence_rows(sides)
                continue
            size = max(sum(cell.size + 1 for cell in cells) for cells in fits)
            for cells, upper, lower in zip(fits, rows[::2], rows[1::2], strict=True):
                append(cells, upper, lower, size)
            columns_cells = [
                cells[len(shown) :] for cells, shown in zip(columns_cells, fits, strict=True)
            ]
    for row, sentence in zip(rows[::2], sentences, strict=True):
        if not sentence:
            row.truncate(LABEL)
            row.append("(empty)")
    yield from rows


def _sentence_rows(sides: Sequence[Side]) -> list[Text]:
    from rich.text import Text

    return [row for side in sides for row in (Text(f"{side.label:<{LABEL}}"), Text(" " * LABEL))]


def _that_fit(cells: list[Cell], room: int) -> list[Cell]:
    used = accumulate(cell.size + 1 for cell in cells)
    return [cell for cell, end in zip(cells, used, strict=True) if end <= room]


def _ngrams(side: Side, width: int) -> Iterator[Text]:
    """Order by order: each n-gram over its mark, or how many have each mark."""
    from rich.text import Text

    for order, ngrams in groupby(side.ngrams, key=lambda n: n.span[1] - n.span[0]):
        if len(side.tokens) <= LISTED_TOKENS:
            yield from in_rows(str(order), (_ngram(side, ngram) for ngram in ngrams), width)
        else:
            count = Counter(ngram.state for ngram in ngrams)
            parts = [Text(f"{m} {count[state]}", COLOURS[state]) for state, m in MARKS.items()]
            yield Text(f"{order:<{LABEL}}").append_text(Text("  ").join(parts))


def _ngram(side: Side, ngram: Ngram) -> Cell:
    from rich.cells import cell_len

    text, mark = spelled(side.tokens, ngram.span), MARKS[ngram.state]
    partly = 0 < ngram.cover < FULL
    marks = f"{mark}{ngram.cover:.2f}" if partly else mark * cell_len(text)
    return Cell(text, marks, COLOURS[ngram.state])


def _link_table(e: Explanation) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="")
    table.add_column("weight")
    for heading in ("reference", "hypothesis", "pieces", "covers"):
        table.add_column(heading, overflow="fold")
    for link in e.links:
        table.add_row(
            f"{link.weight:.3f}",
            Text(spelled(e.ref_tokens, link.ref), COLOURS[link.kind]),
            Text(spelled(e.hyp_tokens, link.hyp), COLOURS[link.kind]),
            _pieces(e, link),
            f"{len(link.covers_ref)} ref, {len(link.covers_hyp)} hyp",
        )
    return table


def _pieces(e: Explanation, link: Link) -> Text:
    """Such as `个=个 女儿~闺女 [cilin Ah14A01=]`, reference first."""
    from rich.text import Text

    shown = Text()
    for piece in link.pieces:
        pair = (spelled(e.ref_tokens, piece.ref), spelled(e.hyp_tokens, piece.hyp))
        shown.append(" " if shown else "").append(MARKS[piece.kind].join(pair), COLOURS[piece.kind])
        if piece.groups:
            shown.append(f" [{visible(', '.join(piece.groups))}]")
    return shown
