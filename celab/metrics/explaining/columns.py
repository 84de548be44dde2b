"""Columns of the aligned view: the links of an explanation → pieces of both sentences in order."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import NamedTuple

from celab._native.sequences import heaviest_runs, moved_runs
from celab.base.signature import Signature
from celab.base.text.escapes import visible
from celab.base.text.tokens import has_letters
from celab.metrics.explaining.links import LexiconGroup, Link, Piece, Reason, Span, Unmatched

# Weights of a match between two columns; content weighs more, as in the report's differences.
_OF_CONTENT, _OF_SIGN = 4, 3
# Equal tokens are aligned only if the product of the numbers of tokens is not larger.
MAX_CELLS = 1_000_000
LONG_WORD = 4  # letters of a word that can be moved alone


class ColumnAlignment(NamedTuple):
    """The alignment of two sentences, and the linked tokens without a counterpart in their column.

    Attributes:
        columns: pairs of reference span and hypothesis span, from left to right.
        moved: for each side, tokens in runs that a one-to-one alignment moves.
        elsewhere: for each side, other tokens that are linked only to tokens of other columns. The
            metric may count one token of the other side for several of them.
    """

    columns: list[tuple[Span, Span]]
    moved: tuple[set[int], set[int]]
    elsewhere: tuple[set[int], set[int]]


def align(links: Sequence[Link], ref: Sequence[str], hyp: Sequence[str]) -> ColumnAlignment:
    """Align the tokens of a reference and a hypothesis by their links.

    Links may cross, but columns cannot, so the heaviest set of pieces in the same order in both
    sentences is aligned, then equal linked tokens between them. All tokens between two columns form
    one column.
    """
    numbers: dict[str, int] = {}
    keys = [
        array("i", [numbers.setdefault(token, len(numbers)) for token in side])
        for side in (ref, hyp)
    ]
    pieces = [piece for link in links for piece in link.pieces]
    linked: tuple[set[int], set[int]] = set(), set()
    for piece in pieces:
        linked[0].update(range(*piece.ref))
        linked[1].update(range(*piece.hyp))
    weights = bytes(_OF_CONTENT if has_letters(token) else _OF_SIGN for token in ref)
    comparable = [_comparable(keys[side], linked[side], side) for side in (0, 1)]
    aligned: list[tuple[Span, Span]] = []
    r = h = 0
    for spans in [*_chain(links), ((len(ref), len(ref)), (len(hyp), len(hyp)))]:
        gaps = (r, spans[0][0]), (h, spans[1][0])
        runs = []
        if (gaps[0][1] - gaps[0][0]) * (gaps[1][1] - gaps[1][0]) <= MAX_CELLS:
            runs = heaviest_runs(comparable[0], weights, comparable[1], *gaps)
        for i, j, length in runs:
            aligned += [((i + k, i + k + 1), (j + k, j + k + 1)) for k in range(length)]
        aligned.append(spans)
        r, h = spans[0][1], spans[1][1]
    columns = [*_columns(aligned)]
    left = [
        side - here for side, here in zip(linked, _tokens_in_place(pieces, columns), strict=True)
    ]
    for spans in aligned:
        for tokens, span in zip(left, spans, strict=True):
            tokens.difference_update(range(*span))
    moved = _moved(links, keys, left, (ref, hyp))
    return ColumnAlignment(columns, moved, (left[0] - moved[0], left[1] - moved[1]))


def _comparable(keys: array[int], tokens: Set[int], side: int) -> array[int]:
    """Return the keys of a side, replaced by unique numbers except for some tokens.

    Every other token gets a negative number that no other token of either side has.
    """
    return array("i", [key if at in tokens else -1 - 2 * at - side for at, key in enumerate(keys)])


def _columns(aligned: Iterable[tuple[Span, Span]]) -> Iterator[tuple[Span, Span]]:
    """Yield aligned spans and the spans between them; the last spans are the empty ends."""
    r = h = 0
    for ref, hyp in aligned:
        if r < ref[0] or h < hyp[0]:
            yield (r, ref[0]), (h, hyp[0])
        if ref[0] < ref[1]:
            yield ref, hyp
        r, h = ref[1], hyp[1]


def _tokens_in_place(
    pieces: Iterable[Piece], columns: Iterable[tuple[Span, Span]]
) -> tuple[set[int], set[int]]:
    """Return the tokens of both sides that are linked to a token of their own column."""
    column_of: tuple[list[int], list[int]] = [], []
    for k, spans in enumerate(columns):
        for places, (start, stop) in zip(column_of, spans, strict=True):
            places += [k] * (stop - start)
    in_place: tuple[set[int], set[int]] = set(), set()
    for piece in pieces:
        spans = (piece.ref, piece.hyp)
        of_spans = [{*places[slice(*span)]} for places, span in zip(column_of, spans, strict=True)]
        for side, span in enumerate(spans):
            in_place[side].update(
                at for at in range(*span) if column_of[side][at] in of_spans[1 - side]
            )
    return in_place


def _moved(
    links: Sequence[Link],
    keys: Sequence[array[int]],
    left: Sequence[Set[int]],
    texts: tuple[Sequence[str], Sequence[str]],
) -> tuple[set[int], set[int]]:
    """Return the tokens of both sides in runs that a one-to-one alignment moves.

    A run has two tokens of content or a word of `LONG_WORD` letters; a single character is never
    moved. Runs of equal tokens are chosen first, then pairs of synonyms, the heaviest first.
    """
    moved: tuple[set[int], set[int]] = set(), set()
    if not all(left):
        return moved
    contents = [bytearray(map(_content, side)) for side in texts]
    free = [_comparable(keys[side], left[side], side) for side in (0, 1)]
    whole = ((0, len(keys[0])), (0, len(keys[1])))
    for i, j, length in moved_runs(free[0], free[1], contents[1], [whole]):
        moved[0].update(range(i, i + length))
        moved[1].update(range(j, j + length))
    for piece in (piece for link in links for piece in link.pieces if piece.kind == "synonym"):
        spans = {*range(*piece.ref)}, {*range(*piece.hyp)}
        if all(
            tokens <= left[side] - moved[side] and sum(map(contents[side].__getitem__, tokens)) > 1
            for side, tokens in enumerate(spans)
        ):
            moved[0].update(spans[0])
            moved[1].update(spans[1])
    return moved


def _content(token: str) -> int:
    """Return the weight of a token in a moved run: 0 for punctuation, 2 for a long word, else 1."""
    return has_letters(token) * (1 + (len(token) >= LONG_WORD))


def _chain(links: Sequence[Link]) -> list[tuple[Span, Span]]:
    """Return the heaviest chain of pieces; the weight of a piece is what its links cover."""
    support: dict[tuple[Span, Span], float] = {}
    for link in links:
        covered = link.weight * (len(link.covers_ref) + len(link.covers_hyp))
        for piece in link.pieces:
            pair = piece.ref, piece.hyp
            support[pair] = support.get(pair, 0.0) + covered
    pieces = sorted(support)
    by_end = sorted(range(len(pieces)), key=lambda k: pieces[k][0][1])
    weight, before = [0.0] * len(pieces), [-1] * len(pieces)
    # Best chains so far, sorted by their end in the hypothesis. A chain is kept only if it is
    # heavier than those that end earlier, so ends and weights both increase.
    ends: list[int] = []
    heaviest: list[int] = []
    n_ended = 0
    for k, (ref, hyp) in enumerate(pieces):
        while n_ended < len(pieces) and pieces[by_end[n_ended]][0][1] <= ref[0]:
            done = by_end[n_ended]
            n_ended += 1
            at = bisect_right(ends, pieces[done][1][1])
            if at and weight[heaviest[at - 1]] >= weight[done]:
                continue
            last = at
            while last < len(ends) and weight[heaviest[last]] <= weight[done]:
                last += 1
            ends[at:last], heaviest[at:last] = [pieces[done][1][1]], [done]
        at = bisect_right(ends, hyp[0])
        before[k] = heaviest[at - 1] if at else -1
        weight[k] = support[ref, hyp] + (weight[before[k]] if at else 0.0)
    chain = []
    k = max(range(len(pieces)), key=lambda k: (weight[k], -k), default=-1)
    while k >= 0:
        chain.append(pieces[k])
        k = before[k]
    return chain[::-1]


# The table of the unmatched words of an explanation, with sentences for the reasons.

HEADINGS = ("reference", "hypothesis", "score as synonyms", "why not matched", "lexicon groups")
NONE = "–"  # no word on this side


class Missing(NamedTuple):
    """Two unmatched words that may be synonyms, by their positions and lengths."""

    ref: str
    hyp: str
    reason: Reason
    n_tokens: tuple[int, int]
    score: float | None  # if they were synonyms
    groups: Sequence[tuple[str, LexiconGroup]]  # each with its word


def missing(unmatched: Sequence[Unmatched]) -> list[Missing]:
    """Return plausible pairs of unmatched words, sorted by the gain of a link."""
    pairs: dict[tuple[str, str], Missing] = {}
    groups = {word.word: word.groups for word in unmatched}
    for word in unmatched:
        if word.plausible:
            (ref, n_ref), (hyp, n_hyp) = _words(word)
            of_words = [(text, group) for text in (ref, hyp) for group in groups.get(text, ())]
            pair = Missing(ref, hyp, word.reason, (n_ref, n_hyp), word.score, of_words)
            pairs.setdefault((ref, hyp), pair)
    return sorted(pairs.values(), key=lambda pair: -(pair.score or 0.0))


def alone_texts(unmatched: Sequence[Unmatched]) -> list[str]:
    """Return a sentence for each side that has unmatched words in no plausible pair.

    Punctuation is not listed.
    """
    sentences = []
    for side, other in (("reference", "hypothesis"), ("hypothesis", "reference")):
        of_side = [word for word in unmatched if word.side == side[:3]]
        paired = {word.word for word in of_side if word.plausible}
        paired |= {word.nearest_word for word in unmatched if word.plausible}
        words = [
            visible(word.word)
            for word in of_side
            if word.word not in paired and has_letters(word.word)
        ]
        if words:
            listed = ", ".join(dict.fromkeys(words))
            sentences.append(f"without a counterpart in the {other}: {listed}")
    return sentences


def _words(word: Unmatched) -> list[tuple[str, int]]:
    # The words of reference and hypothesis, with their numbers of tokens.
    texts, spans = (word.word, word.nearest_word), (word.span, word.nearest or (0, 0))
    words = [(text, stop - start) for text, (start, stop) in zip(texts, spans, strict=True)]
    return words if word.side == "ref" else words[::-1]


def reason_text(pair: Missing, signature: Signature) -> str:
    """Return why two words are not matched."""
    names = visible(_lexicons(signature))
    if pair.reason == "no lexicon":
        return "there is no lexicon"
    if pair.reason == "no gain":
        return f"synonyms in {names}, but linking them gains nothing"
    if pair.reason == "too long":
        max_order = int(signature.part("n") or 0)
        long = [
            f"{visible(text)} has {n} {'characters' if n == len(text) else 'tokens'}"
            for text, n in zip((pair.ref, pair.hyp), pair.n_tokens, strict=True)
            if n > max_order
        ]
        return f"{' and '.join(long)}; --max-order is {max_order}"
    if pair.reason == "apart":
        return f"no common group in {names}"
    known = {text for text, _ in pair.groups}
    absent = [visible(text) for text in (pair.ref, pair.hyp) if text not in known]
    return f"{' and '.join(absent)} not in {names}"


def _lexicons(signature: Signature) -> str:
    # Names of the lexicons, without digests.
    cited = (signature.part("lex") or "").split("+")
    return " and ".join(dict.fromkeys(name.partition("@")[0] for name in cited))


def group_text(pair: Missing, signature: Signature) -> str:
    """Return the labels of the lexicon groups of both words, without the name of a sole lexicon."""
    labels: dict[str, list[str]] = {}
    name = f"{_lexicons(signature)} "
    for text, group in pair.groups:
        labels.setdefault(text, []).append(visible(group.label.removeprefix(name)))
    return "; ".join(f"{visible(text)}: {' '.join(of)}" for text, of in labels.items())
