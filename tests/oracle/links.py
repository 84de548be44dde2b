"""Which n-grams of a hypothesis and a reference are linked (the paper, sections 3.1 and 3.2).

An n-gram x of the hypothesis and an n-gram y of the reference are linked when

1. they are equal, or
2. they share a synonym group of the lexicon, or
3. both can be cut into the same number of pieces, in order, each aligned pair by rule 1 or 2.

N-grams are compared, and looked up, as text: their tokens joined without a separator. However
`Rachel Reeves` is cut into tokens, it equals `RachelReeves`.

`phrase_links` is all three (figure 3). The authors' program of 2012 departs from rule 3, and
`release_2012_links` is what it does: a cutting is lost if its first (or only) piece is a lexicon
pair with two or more tokens on both sides, unless its texts are equal.

A token is a string. A lexicon is a list of groups, a group is a collection of words, and a word is
a string or a sequence of tokens.

Links are pairs ((hyp_start, hyp_stop), (ref_start, ref_stop)).
"""

from itertools import combinations, pairwise

from oracle.ngrams import Span, spans

Link = tuple[Span, Span]


def text_of(tokens) -> str:
    """What n-grams and words are compared by."""
    return "".join(tokens)


def same_text(x, y) -> bool:
    """Rule 1."""
    return text_of(x) == text_of(y)


def same_group(x, y, groups) -> bool:
    """Rule 2: some group of the lexicon holds both n-grams as words."""
    x, y = text_of(x), text_of(y)
    return any({x, y} <= set(map(text_of, group)) for group in groups)


def cuttings(ngram):
    """Every way to cut an n-gram into pieces of one token or more, in order: 2**(n-1) of them."""
    n = len(ngram)
    for n_cuts in range(n):
        for cuts in combinations(range(1, n), n_cuts):
            ends = (0, *cuts, n)
            yield [ngram[i:j] for i, j in pairwise(ends)]


def _linked_spans(hyp, ref, max_order, linked) -> set[Link]:
    """Links between all n-grams of both sides; `linked` decides on a pair of token tuples."""
    hyp, ref = tuple(hyp), tuple(ref)
    return {
        (x, y)
        for x in spans(len(hyp), max_order)
        for y in spans(len(ref), max_order)
        if linked(hyp[slice(*x)], ref[slice(*y)])
    }


def phrase_links(hyp, ref, groups, max_order) -> set[Link]:
    """Rules 1 to 3, by trying every pair of cuttings."""

    def fits(pieces):
        return all(same_text(p, q) or same_group(p, q, groups) for p, q in pieces)

    return _linked_spans(hyp, ref, max_order, lambda x, y: any(map(fits, _aligned_cuttings(x, y))))


def release_2012_links(hyp, ref, groups, max_order) -> set[Link]:
    """What the authors' program links."""

    def fits(pieces):
        p, q = pieces[0]
        lost = len(p) >= 2 and len(q) >= 2 and not same_text(p, q)
        return not lost and all(same_text(p, q) or same_group(p, q, groups) for p, q in pieces)

    return _linked_spans(hyp, ref, max_order, lambda x, y: any(map(fits, _aligned_cuttings(x, y))))


def _aligned_cuttings(x, y):
    """Every pair of cuttings of x and y into equally many pieces, as a list of aligned pairs."""
    for left in cuttings(x):
        for right in cuttings(y):
            if len(left) == len(right):
                yield list(zip(left, right, strict=True))
