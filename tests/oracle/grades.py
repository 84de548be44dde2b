"""Graded synonyms, slowly: the exact program with each lexicon of a chain, mixed by credits.

A chain is a list of (groups, credit), the finest first; before it stands no lexicon, whose credit
is 1. Grade k has the share c_k - c_(k+1) of the score.
"""

from fractions import Fraction
from itertools import combinations, pairwise

from oracle import links as twin_links
from oracle import program as twin
from oracle.ngrams import spans


def graded(hyp, ref, chain, max_order, f, links=twin_links.phrase_links):
    """Score, precision and recall of two token sequences, as fractions."""
    whole = [([], Fraction(1)), *chain, ([], Fraction(0))]
    n_hyp, n_ref = (len(spans(len(side), max_order)) for side in (hyp, ref))
    mixed = [Fraction(0)] * 3
    for (groups, credit), (_, following) in pairwise(whole):
        found = links(tuple(hyp), tuple(ref), groups, max_order)
        best = twin.covered(found, len(hyp), len(ref), max_order, f)
        values = best.objective / (n_ref + f * n_hyp), best.hyp / n_hyp, best.ref / n_ref
        share = credit - following
        mixed = [total + share * value for total, value in zip(mixed, values, strict=True)]
    return mixed


def broken(fine, coarse):
    """The pairs of words that are synonyms in the fine lexicon but not in the coarse one."""
    return {
        frozenset(pair)
        for group in fine
        for pair in combinations(sorted(set(group)), 2)
        if not any(set(pair) <= set(other) for other in coarse)
    }
