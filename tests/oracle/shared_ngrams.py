"""n-grams that texts share, counted one by one: the slow twin of the n-grams kernel."""

from collections import Counter


def count_shared(x, refs, n_orders):
    """How many n-grams of x the references share, for each order from 1 on."""
    return [
        sum(min(copies, most[ngram]) for ngram, copies in _ngrams(x, n).items())
        for n in range(1, n_orders + 1)
        for most in [_most(refs, n)]
    ]


def _most(refs, n):
    most = Counter()
    for ref in refs:
        most |= _ngrams(ref, n)
    return most


def _ngrams(items, n):
    return Counter(tuple(items[i : i + n]) for i in range(len(items) - n + 1))
