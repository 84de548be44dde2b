"""The unmatched words of an explanation, why they are not matched, and their scores as synonyms.

Each word has the nearest unmatched word of the other side, the reason why the two are not matched,
and the score of the sentences if the two were synonyms. This score is exact, too: the metric
computes it with a lexicon that has one more group (`celab.lexicon.lexicon`).

Any two words as synonyms raise the score, such as 焦点 and 土地. So only pairs of similar length
between the same aligned tokens, in one *place*, are plausible synonyms.

Text has no word boundaries here. A word is the longest lexicon word at its place that has an
unmatched token; other adjacent unmatched characters form one word, up to the longest n-gram. A
lexicon word that is longer than any n-gram counts if a synonym of it is on the other side, because
only its length prevents the match.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import isnan
from typing import NamedTuple

from celab.base.arrays import F64
from celab.base.text.tokens import has_letters
from celab.lexicon.lexicon import Lexicon, LocalLexicon
from celab.metrics.explaining.columns import ColumnAlignment, align
from celab.metrics.explaining.explain import ExplainedPair
from celab.metrics.explaining.links import LexiconGroup, Link, Ngram, Reason, Side, Span, Unmatched

ScoreWith = Callable[[Iterable["Lexicon"]], "F64"]  # lexicons → scores of the pair, NaN if unproved

_SHARED_TOKEN_BONUS = 3  # tokens of distance that a common token outweighs
_WORDS_AROUND = 4  # searched on either side of the expected position
_MAX_TOKENS_AWAY = 6  # a word farther from the expected position is not near
# Two words can only be taken for each other in a stretch of at most so many tokens.
MAX_PLACE_TOKENS = 6


_Occurrence = tuple[Span, int]  # span of a lexicon word, and its number


class _Word(NamedTuple):
    span: Span
    text: str  # the lexicon's spelling
    tokens: frozenset[str]
    has_letters: bool


def spans_of_words(
    tokens: Sequence[str], ngrams: Sequence[Ngram], cuts: Sequence[Span], max_order: int
) -> Iterator[Span]:
    """Yield the spans of unmatched words; `cuts` has the longest lexicon word at each token."""
    n = len(tokens)
    is_free = [ngram.state == "unmatched" and ngram.weight > 0 for ngram in ngrams[:n]]

    def continues(at: int, start: int) -> bool:
        # Longer tokens, as of Latin text, are words by themselves.
        is_word = cuts[at] != (at, at + 1) or len(tokens[start]) + len(tokens[at]) > 2
        return is_free[at] and not is_word and has_letters(tokens[at]) == has_letters(tokens[start])

    at = 0
    while at < n:
        start, stop = cuts[at]
        if stop - start == 1:
            while stop < min(n, start + max_order) and is_free[start] and continues(stop, start):
                stop += 1
        if any(is_free[start:stop]):
            yield start, stop
        at = max(stop, at + 1)


def unmatched_words(
    pair: ExplainedPair,
    links: Sequence[Link],
    hyp_ngrams: Sequence[Ngram],
    ref_ngrams: Sequence[Ngram],
    score_with: ScoreWith,
    n_what_if: int,
) -> tuple[Unmatched, ...]:
    """Return the unmatched words of the reference, then of the hypothesis.

    The `n_what_if` longest pairs have a score as synonyms, plausible ones first.
    """
    max_order, lexicon = pair.engine.max_order, pair.engine.lexicon
    too_long = _too_long(pair, ref_ngrams, hyp_ngrams)
    sides: list[list[_Word]] = []
    for tokens, ngrams, cuts, long in (
        (pair.ref_tokens, ref_ngrams, pair.ref_cuts, too_long[0]),
        (pair.hyp_tokens, hyp_ngrams, pair.hyp_cuts, too_long[1]),
    ):
        spans = [*spans_of_words(tokens, ngrams, _with_words(cuts, long), max_order)]
        sides.append(_words(pair, tokens, spans))
    partners = _partners(links)
    lengths = len(pair.ref_tokens), len(pair.hyp_tokens)
    free = [[word for word in sides[s] if word.span not in too_long[s]] for s in (0, 1)]
    nearest = [
        dict(zip(free[0], _nearest(free[0], free[1], partners[0], lengths), strict=True)),
        dict(zip(free[1], _nearest(free[1], free[0], partners[1], lengths[::-1]), strict=True)),
    ]
    places = _places(align(links, pair.ref_tokens, pair.hyp_tokens))

    def is_plausible(s: int, word: _Word, counterpart: _Word | None) -> bool:
        if counterpart is None:
            return False
        ref, hyp = (word, counterpart)[:: 1 if s == 0 else -1]
        place = places[0].get(ref.span[0]), places[0].get(ref.span[1] - 1)
        other = places[1].get(hyp.span[0]), places[1].get(hyp.span[1] - 1)
        return place == other and None not in place and _are_alike_in_length(word, counterpart)

    scores = _what_if_scores(pair, nearest, score_with, n_what_if, is_plausible)
    rows: list[Unmatched] = []
    names: tuple[Side, Side] = ("ref", "hyp")
    for s, side in enumerate(names):
        other_tokens = (pair.hyp_tokens, pair.ref_tokens)[s]
        for word in sides[s]:
            is_long = word.span in too_long[s]
            counterpart = nearest[s].get(word)
            if is_long:
                (counterpart,) = _words(pair, other_tokens, [too_long[s][word.span]])
            groups = _groups(lexicon, word.text) if lexicon else ()
            counterpart_text = counterpart.text if counterpart else ""
            ref, hyp = (word.text, counterpart_text)[:: 1 if side == "ref" else -1]
            rows.append(
                Unmatched(
                    side=side,
                    span=word.span,
                    word=word.text,
                    groups=groups,
                    nearest=counterpart.span if counterpart else None,
                    nearest_word=counterpart_text,
                    reason="too long" if is_long else _reason(lexicon, word.text, counterpart_text),
                    score=None if is_long else scores.get((ref, hyp)),
                    plausible=bool(counterpart) and (is_long or is_plausible(s, word, counterpart)),
                )
            )
    return tuple(rows)


def _places(alignment: ColumnAlignment) -> tuple[dict[int, int], dict[int, int]]:
    """Return token → number of its place, for both sides.

    Tokens in places of more than `MAX_PLACE_TOKENS` are left out.
    """
    places: tuple[dict[int, int], dict[int, int]] = {}, {}
    for number, spans in enumerate(alignment.columns):
        if all(stop - start <= MAX_PLACE_TOKENS for start, stop in spans):
            for side, span in enumerate(spans):
                places[side].update(dict.fromkeys(range(*span), number))
    return places


def _are_alike_in_length(a: _Word, b: _Word) -> bool:
    """Return whether two words have similar lengths: not one character and several, nor double.

    Words of letters have as many as their script needs, so of these only the first counts.
    """
    lengths = sorted((len(a.text), len(b.text)))
    if lengths[0] == 1 or any(len(token) > 1 for token in a.tokens | b.tokens):
        return (lengths[0] == 1) == (lengths[1] == 1)
    return lengths[1] < 2 * lengths[0]


def _words(pair: ExplainedPair, tokens: Sequence[str], spans: Sequence[Span]) -> list[_Word]:
    texts = pair.engine.spell(["".join(tokens[slice(*span)]) for span in spans])
    return [
        _Word(span, text, frozenset(tokens[slice(*span)]), has_letters(text))
        for span, text in zip(spans, texts, strict=True)
    ]


def _too_long(
    pair: ExplainedPair, ref_ngrams: Sequence[Ngram], hyp_ngrams: Sequence[Ngram]
) -> tuple[dict[Span, Span], dict[Span, Span]]:
    # Pairs of synonyms with unmatched tokens, of which one has more tokens than the longest n-gram:
    # reference → hypothesis, and the reverse.
    lexicon, max_order = pair.engine.lexicon, pair.engine.max_order
    of_ref: dict[Span, Span] = {}
    of_hyp: dict[Span, Span] = {}
    if lexicon is None:
        return of_ref, of_hyp
    long, all_words = [], []
    for tokens, side in ((pair.ref_tokens, pair.ref), (pair.hyp_tokens, pair.hyp)):
        long.append([*_long_words(lexicon, tokens, max_order)])
        short = (((start, start + n), word) for start, n, word in side.words(0))
        all_words.append([*long[-1], *short])
    for refs, hyps in ((long[0], all_words[1]), (all_words[0], long[1])):
        for (ref, a), (hyp, b) in _synonyms(lexicon, refs, hyps):
            is_free = _is_free(ref_ngrams, ref) or _is_free(hyp_ngrams, hyp)
            is_taken = any(_overlap(ref, r) or _overlap(hyp, h) for r, h in of_ref.items())
            if a != b and is_free and not is_taken:
                of_ref[ref], of_hyp[hyp] = hyp, ref
    return of_ref, of_hyp


def _long_words(lexicon: Lexicon, tokens: Sequence[str], max_order: int) -> Iterator[_Occurrence]:
    # Lexicon words of more than `max_order` tokens, which no n-gram can match.
    first_letters = lexicon.first_letters(max_order)
    text, start = "".join(tokens), [0, *accumulate(map(len, tokens))]
    for at in range(len(tokens) - max_order if first_letters else 0):
        if (ord(text[start[at]]), ord(text[start[at] + 1])) in first_letters:
            last = min(len(tokens), at + int(lexicon.lengths.max()))
            for stop in range(at + max_order + 1, last + 1):
                if (word := lexicon.find(text[start[at] : start[stop]])) >= 0:
                    yield (at, stop), word


def _synonyms(
    lexicon: Lexicon, refs: Sequence[_Occurrence], hyps: Sequence[_Occurrence]
) -> Iterator[tuple[_Occurrence, _Occurrence]]:
    by_group: dict[int, list[_Occurrence]] = {}
    if refs:
        for hyp in hyps:
            for group in lexicon.sorted_groups(hyp[1]):
                by_group.setdefault(group, []).append(hyp)
    for ref in refs:
        for group in lexicon.sorted_groups(ref[1]):
            yield from ((ref, hyp) for hyp in by_group.get(group, ()))


def _is_free(ngrams: Sequence[Ngram], span: Span) -> bool:
    # A token is unmatched if its n-gram of order 1 is; these n-grams come first.
    return any(n.state == "unmatched" and n.weight > 0 for n in ngrams[slice(*span)])


def _overlap(a: Span, b: Span) -> bool:
    return a[0] < b[1] and b[0] < a[1]


def _with_words(cuts: Sequence[Span], words: Iterable[Span]) -> list[Span]:
    # The word of each token, where `words` replace the words that they overlap.
    spans = list(cuts)
    for word in words:
        for at, cut in enumerate(spans):
            if _overlap(cut, word):
                spans[at] = word if word[0] <= at < word[1] else (at, at + 1)
    return spans


def _partners(links: Sequence[Link]) -> tuple[dict[int, int], dict[int, int]]:
    # Matched token of the reference → its token in the hypothesis, and the reverse. Links are
    # iterated from the lightest, so that the heaviest link of a token wins.
    of_ref: dict[int, int] = {}
    of_hyp: dict[int, int] = {}
    for link in reversed(links):
        for piece in (link,) if link.kind == "equal" else link.pieces:
            (h, h_stop), (r, r_stop) = piece.hyp, piece.ref
            if h_stop - h == r_stop - r:
                of_ref.update(zip(range(r, r_stop), range(h, h_stop), strict=True))
                of_hyp.update(zip(range(h, h_stop), range(r, r_stop), strict=True))
            else:
                of_ref.update((at, min(h + at - r, h_stop - 1)) for at in range(r, r_stop))
                of_hyp.update((at, min(r + at - h, r_stop - 1)) for at in range(h, h_stop))
    return of_ref, of_hyp


def _nearest(
    words: Sequence[_Word], others: Sequence[_Word], partner: dict[int, int], lengths: Span
) -> list[_Word | None]:
    # The nearest word of the other side for each word: the expected position is interpolated
    # between the matched neighbors, and `_WORDS_AROUND` words on either side are compared.
    matched = [-1, *sorted(partner), lengths[0]]
    places = {-1: -1, lengths[0]: lengths[1]} | partner
    by_kind = {
        kind: [other for other in others if other.has_letters is kind] for kind in (True, False)
    }
    starts = {kind: [other.span[0] for other in side] for kind, side in by_kind.items()}
    nearest: list[_Word | None] = []
    for word in words:
        start, stop = word.span
        before = matched[bisect_left(matched, start) - 1]
        after = matched[bisect_left(matched, stop)]
        place = places[before] + start - before, places[after] + stop - after
        candidates = by_kind[word.has_letters]
        around = bisect_left(starts[word.has_letters], place[0])
        around_end = bisect_left(starts[word.has_letters], place[1])
        close = candidates[max(0, min(around, around_end) - _WORDS_AROUND) : around + _WORDS_AROUND]
        close = close or candidates[max(0, around_end - _WORDS_AROUND) : around_end + _WORDS_AROUND]

        def distance(other: _Word, word: _Word = word, place: Span = place) -> tuple[int, int]:
            ends = abs(other.span[0] - place[0]), abs(other.span[1] - place[1])
            return min(ends) - _SHARED_TOKEN_BONUS * len(word.tokens & other.tokens), other.span[0]

        other = min(close, key=distance, default=None)
        nearest.append(other if other and distance(other)[0] <= _MAX_TOKENS_AWAY else None)
    return nearest


def _what_if_scores(
    pair: ExplainedPair,
    nearest: Sequence[Mapping[_Word, _Word | None]],
    score_with: ScoreWith,
    n_what_if: int,
    is_plausible: Callable[[int, _Word, _Word | None], bool],
) -> dict[tuple[str, str], float]:
    # Keys are pairs of the words of reference and hypothesis that would be synonyms.
    pairs: dict[tuple[str, str], bool] = {}
    for side in (0, 1):
        for word, counterpart in nearest[side].items():
            if counterpart:
                ref, hyp = (word, counterpart)[:: 1 if side == 0 else -1]
                plausible = is_plausible(side, word, counterpart)
                pairs[ref.text, hyp.text] = pairs.get((ref.text, hyp.text), False) or plausible
    chosen = sorted(pairs, key=lambda words: (not pairs[words], -sum(map(len, words))))[:n_what_if]
    if not chosen:
        return {}
    candidates = [word for words in chosen for word in words]
    local = LocalLexicon(pair.engine.lexicon, dict.fromkeys(candidates) | pair.words())
    scores = score_with(local.with_synonyms(*words) for words in chosen)
    return {
        words: score
        for words, score in zip(chosen, scores.tolist(), strict=True)
        if not isnan(score)
    }


def _groups(lexicon: Lexicon, word: str) -> tuple[LexiconGroup, ...]:
    return tuple(LexiconGroup(*group) for group in lexicon.describe(word))


def _reason(lexicon: Lexicon | None, word: str, counterpart: str) -> Reason:
    if not counterpart:
        return "alone"
    if lexicon is None:
        return "no lexicon"
    numbers = lexicon.find(word), lexicon.find(counterpart)
    if min(numbers) < 0:
        return "unknown"
    last = len(lexicon.credits)
    return "no gain" if lexicon.shared(*numbers, last)[0] else "apart"
