"""Explanations → short arrays, because one page has thousands of them.

Marks are one character each, those of the terminal's view: `=` equal, `~` synonym, `+` covered,
`.` unmatched, `t` equal tags only. The labels of lexicon groups are numbered. Every
pair of lists has the hypothesis first. `sentences.js` and `arithmetic.js` read what is written.

A pair of sentences (`_pair`) is

    values    score, precision, recall
    tokens    what stands between the tokens, or "" if each is one character; the text
    marks     of the tokens
    columns   of the aligned view: how many tokens of hypothesis and reference each has, in turn
    links     weight, hypothesis span, reference span; then, unless it is one equal piece, the
              pieces: both spans and the numbers of the groups
    partly    covers that are neither 0 nor 1, by the place of the n-gram: by order, then position
    covered   the weight of what is covered
    weights   of the tokens, if n-grams have weights
    length    factor of the score for an output beyond the limit of length, unless it is 1
    unmatched words without a match: side (0 hypothesis, 1 reference), span, span of the nearest
              word or -1 and -1, number of the reason, score as synonyms or null, numbers of groups

All else of the n-grams follows: an n-gram is covered if it lies inside a linked one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import count

from celab.analysis.model import Word
from celab.base.dicts import JsonObject
from celab.base.view.palette import MARKS
from celab.metrics.explaining.columns import columns
from celab.metrics.explaining.drawing import FULL, Sentence, sentences, sums
from celab.metrics.explaining.explanation import (
    REASONS,
    AnyExplanation,
    Explanation,
    Feature,
    LexiconGroup,
    Link,
    MeanExplanation,
    Ngram,
    SegmentExplanation,
    Unmatched,
    WordExplanation,
    WordLink,
)

Labels = dict[str, int]  # by number, in the order in which they came


def segment(explained: SegmentExplanation, labels: Labels) -> JsonObject:
    """Return a segment: how its references make one score, and each of them."""
    against = [
        {"ref": index, **_encoded(e, labels)}
        for index, e in zip(explained.index, explained.against, strict=True)
    ]
    return {"combine": explained.combine, "values": _values(explained), "against": against}


def _encoded(e: AnyExplanation, labels: Labels) -> JsonObject:
    if isinstance(e, MeanExplanation):
        return {"values": _values(e), "parts": [_encoded(part, labels) for part in e.parts]}
    if isinstance(e, WordExplanation):
        return _words(e, labels)
    assert isinstance(e, Explanation)  # a page shows no edits but those of its own
    return _pair(e, labels)


def _pair(e: Explanation, labels: Labels) -> JsonObject:
    ref, hyp = sentences(e)
    sides = (hyp, ref)
    whole = all(link.weight == 1 for link in e.links)
    weighted = ref.weighted or hyp.weighted
    rates = (e.precision, e.recall)
    return {
        "values": _values(e),
        "tokens": [_tokens(side.tokens) for side in sides],
        "marks": [_marks(side.states) for side in sides],
        # The columns of the aligned view, by how many tokens of each side they have.
        "columns": [n for (r0, r1), (h0, h1) in columns(e) for n in (h1 - h0, r1 - r0)],
        "links": [_link(link, labels) for link in e.links],
        "partly": [{} if whole else _partly(side.ngrams) for side in sides],
        "covered": [
            round(sums(side.ngrams)[0] if weighted else rate * len(side.ngrams), 6)
            for side, rate in zip(sides, rates, strict=True)
        ],
        **({"weights": list(map(_weights, sides))} if weighted else {}),
        **({"length": round(e.length_factor, 6)} if e.length_factor != 1 else {}),
        **(
            {"unmatched": [_unmatched(word, labels) for word in e.unmatched]} if e.unmatched else {}
        ),
    }


def _unmatched(word: Unmatched, labels: Labels) -> list[object]:
    score = None if word.score is None else round(word.score, 6)
    return [
        int(word.side == "ref"),
        *word.span,
        *(word.nearest or (-1, -1)),
        REASONS.index(word.reason),
        score,
        *(_number(labels, _group_text(group)) for group in word.groups),
    ]


@lru_cache(1 << 14)
def _group_text(group: LexiconGroup) -> str:
    return f"{group.label}: {' '.join(group.words)}"


def _weights(side: Sentence) -> list[float]:
    # Of the tokens; those of longer n-grams follow from them.
    return [_short(ngram.weight, 2) for ngram in side.ngrams[: len(side.tokens)]]


def _values(of: AnyExplanation | SegmentExplanation) -> list[float]:
    return [round(value, 6) for value in (of.score, of.precision, of.recall)]


def _tokens(tokens: Sequence[str]) -> list[str]:
    # One text, and what stands between its tokens: a list would have twice the size.
    text = "".join(tokens)
    if all(len(token) == 1 for token in tokens):
        return ["", text]
    between = next(char for char in map(chr, count(ord(" "))) if char not in text)
    return [between, between.join(tokens)]


def _marks(states: Iterable[str]) -> str:
    return "".join(MARKS[state] for state in states)


def _link(link: Link, labels: Labels) -> list[object]:
    # Weight and spans; then the pieces, unless all of them are equal and make the whole link.
    head: list[object] = [_short(link.weight, 4), *link.hyp, *link.ref]
    if link.kind == "equal":
        return head
    pieces: list[list[object]] = []
    for piece in link.pieces:
        groups = [_number(labels, group) for group in piece.labels]
        before = pieces[-1] if pieces else []
        if not groups and len(before) == 4 and before[1::2] == [piece.hyp[0], piece.ref[0]]:
            before[1::2] = piece.hyp[1], piece.ref[1]
        else:
            # Numbers of labels; then, as texts, the longer words of which this is only a part.
            pieces.append([*piece.hyp, *piece.ref, *groups, *piece.cuts])
    return [*head, pieces]


def _number(labels: Labels, label: str) -> int:
    return labels.setdefault(label, len(labels))


def _short(value: float, digits: int) -> float:
    # 1 and not 1.0, as most weights are whole.
    rounded = round(value, digits)
    return int(rounded) if rounded == int(rounded) else rounded


def _partly(ngrams: Sequence[Ngram]) -> dict[int, float]:
    # The covers that are neither nothing nor whole, which few are.
    return {i: round(n.cover, 4) for i, n in enumerate(ngrams) if 0 < n.cover < FULL}


def _words(e: WordExplanation, labels: Labels) -> JsonObject:
    groups = {
        (pair.hyp, pair.ref): [_number(labels, group) for group in pair.groups]
        for feature in e.features
        for link in feature.links
        for pair in link.pairs
        if pair.groups
    }
    return {
        "values": _values(e),
        "words": [_word_columns(e.hyp_words), _word_columns(e.ref_words)],
        "features": [_feature(feature) for feature in e.features],
        "groups": [[*pair, *of_pair] for pair, of_pair in groups.items()],
    }


def _word_columns(words: Sequence[Word]) -> list[object]:
    # Forms, lemmas (0 if it is the form), tags, and which are function words.
    return [
        [word.form for word in words],
        [0 if word.lemma == word.form else word.lemma for word in words],
        [word.tag for word in words],
        [i for i, word in enumerate(words) if word.function],
    ]


def _feature(x: Feature) -> list[object]:
    numbers = (x.total, x.hyp_weight, x.ref_weight, x.precision, x.recall, x.f)
    links = [
        [
            link.hyp[0],
            link.ref[0],
            _short(link.similarity, 4),
            _short(link.weight, 6),
            "".join(MARKS[pair.kind] for pair in link.pairs),
            *_apart(x.order, link),
        ]
        for link in x.links
    ]
    return [x.order, x.similarity, [round(number, 6) for number in numbers], links]


def _apart(order: int, link: WordLink) -> list[list[int]]:
    # The positions in hypothesis and reference, if the words of either do not stand together.
    if all(stop - start == order for start, stop in (link.hyp, link.ref)):
        return []
    return [[pair.hyp for pair in link.pairs], [pair.ref for pair in link.pairs]]
