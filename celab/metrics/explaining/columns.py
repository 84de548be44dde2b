"""Columns of the aligned view: the links of an explanation → pieces of both sentences in order."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from celab.base.signature import Signature
from celab.base.text.escapes import visible
from celab.metrics.explaining.links import LexiconGroup, Link, Reason, Span, Unmatched


def columns(links: Sequence[Link], n_ref: int, n_hyp: int) -> Iterator[tuple[Span, Span]]:
    """Yield (reference span, hypothesis span) from left to right, all of both sentences.

    Links may cross, but columns cannot, so the heaviest set of pieces that keep their order in both
    sentences is aligned. Tokens between two of them share a column, matched or not.
    """
    r = h = 0
    for ref, hyp in [*_chain(links), ((n_ref, n_ref), (n_hyp, n_hyp))]:
        if r < ref[0] or h < hyp[0]:
            yield (r, ref[0]), (h, hyp[0])
        if ref[0] < ref[1]:
            yield ref, hyp
        r, h = ref[1], hyp[1]


def moved_tokens(
    links: Sequence[Link], aligned: Iterable[tuple[Span, Span]]
) -> tuple[set[int], set[int]]:
    """Return the tokens of reference and hypothesis that are linked, but only to other columns."""
    column_of: tuple[list[int], list[int]] = [], []
    for k, spans in enumerate(aligned):
        for places, (start, stop) in zip(column_of, spans, strict=True):
            places += [k] * (stop - start)
    linked: tuple[set[int], set[int]] = set(), set()
    here: tuple[set[int], set[int]] = set(), set()
    for piece in (piece for link in links for piece in link.pieces):
        spans = (piece.ref, piece.hyp)
        columns_of_piece = [
            {*places[slice(*span)]} for places, span in zip(column_of, spans, strict=True)
        ]
        for side, span in enumerate(spans):
            tokens = range(*span)
            linked[side].update(tokens)
            here[side].update(
                at for at in tokens if column_of[side][at] in columns_of_piece[1 - side]
            )
    return linked[0] - here[0], linked[1] - here[1]


def _chain(links: Sequence[Link]) -> list[tuple[Span, Span]]:
    """Return the heaviest chain of pieces; a piece weighs what the links it is part of cover."""
    support: dict[tuple[Span, Span], float] = {}
    for link in links:
        covered = link.weight * (len(link.covers_ref) + len(link.covers_hyp))
        for piece in link.pieces:
            pair = piece.ref, piece.hyp
            support[pair] = support.get(pair, 0.0) + covered
    pieces = sorted(support)
    by_end = sorted(range(len(pieces)), key=lambda k: pieces[k][0][1])
    weight, before = [0.0] * len(pieces), [-1] * len(pieces)
    # Candidates for the chain before a piece: they have ended in the reference, and each is heavier
    # than those that end no later in the hypothesis, so ends and weights both increase.
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


# Why not matched? The unmatched words of an explanation → a table, and sentences for reasons.

HEADINGS = ("reference", "hypothesis", "score as synonyms", "why not matched", "lexicon groups")
NONE = "–"  # no word on this side


class Missing(NamedTuple):
    """Two words that are not matched, or one without a counterpart."""

    ref: str
    hyp: str
    reason: Reason
    n_tokens: tuple[int, int]
    score: float | None  # if they were synonyms
    groups: Sequence[tuple[str, LexiconGroup]]  # each with its word


def missing(unmatched: Sequence[Unmatched]) -> list[Missing]:
    """Return unmatched words with their counterparts, those whose link would gain most first."""
    pairs: dict[tuple[str, str], Missing] = {}
    groups = {word.word: word.groups for word in unmatched}
    for word in unmatched:
        (ref, n_ref), (hyp, n_hyp) = _words(word)
        of_words = [(text, group) for text in (ref, hyp) for group in groups.get(text, ())]
        pair = Missing(ref, hyp, word.reason, (n_ref, n_hyp), word.score, of_words)
        pairs.setdefault((ref, hyp), pair)
    return sorted(pairs.values(), key=lambda pair: -(pair.score or 0.0))


def _words(word: Unmatched) -> list[tuple[str, int]]:
    # Of reference and hypothesis, with their numbers of tokens.
    texts, spans = (word.word, word.nearest_word), (word.span, word.nearest or (0, 0))
    words = [(text, stop - start) for text, (start, stop) in zip(texts, spans, strict=True)]
    return words if word.side == "ref" else words[::-1]


def reason_text(pair: Missing, signature: Signature) -> str:
    """Return why two words are not matched."""
    names = visible(_lexicons(signature))
    if pair.reason == "alone":
        return f"no unmatched word of the {'hypothesis' if pair.ref else 'reference'} is near"
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
    # Their names, without digests.
    cited = (signature.part("lex") or "").split("+")
    return " and ".join(dict.fromkeys(name.partition("@")[0] for name in cited))


def group_text(pair: Missing, signature: Signature) -> str:
    """Return the labels of the lexicon groups of both words, without the name of a sole lexicon."""
    labels: dict[str, list[str]] = {}
    name = f"{_lexicons(signature)} "
    for text, group in pair.groups:
        labels.setdefault(text, []).append(visible(group.label.removeprefix(name)))
    return "; ".join(f"{visible(text)}: {' '.join(of)}" for text, of in labels.items())
