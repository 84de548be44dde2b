"""TESLA-S as the paper defines it (Lin, Liu, Ng and Kan 2012, section 3), over all pairs of units.

A summary is a list of sentences, a sentence a list of (form, is it a function word).

**Bags**: unigrams, and all pairs of units of a sentence with at most `skip` units between; each
weighs 1, times the discount for every function word in it; equal ones add up.

**Match** by equal forms: S is the sum over the n-grams of the lesser of its two weights. The paper
states it as a linear program, which `by_program` solves.

**F** = P R / (α P + (1 - α) R), P = S / weight of the hypothesis, R = S / weight of the reference.

**Score**: the mean of the two F; a bag that is empty on both sides is left out (our reading).
"""

from collections import defaultdict
from fractions import Fraction
from itertools import combinations

from oracle.rational import Program, simplex

ALPHA, DISCOUNT, SKIP = Fraction(4, 5), Fraction(1, 10), 4


def unigrams(summary, discount=DISCOUNT):
    weights = defaultdict(Fraction)
    for sentence in summary:
        for form, function in sentence:
            weights[(form,)] += discount if function else 1
    return weights


def skip_bigrams(summary, skip=SKIP, discount=DISCOUNT):
    weights = defaultdict(Fraction)
    for sentence in summary:
        for (i, first), (j, second) in combinations(enumerate(sentence), 2):
            if j - i - 1 <= skip:
                k = first[1] + second[1]
                weights[first[0], second[0]] += Fraction(discount) ** k
    return weights


def by_lesser(x, y):
    return sum((min(x[gram], y[gram]) for gram in x.keys() & y.keys()), Fraction(0))


def by_program(x, y):
    """The linear program of section 3.1, with one variable for every pair of n-grams."""
    pairs = [(a, b) for a in x for b in y]
    gain = [int(a == b) for a, b in pairs]
    rows = [[int(a == gram) for a, _ in pairs] for gram in x]
    rows += [[int(b == gram) for _, b in pairs] for gram in y]
    if not pairs:
        return Fraction(0)
    return simplex(Program(gain, rows, [*x.values(), *y.values()]))[0]


def f_measure(s, x, y, alpha=ALPHA):
    p = s / x if x else Fraction(0)
    r = s / y if y else Fraction(0)
    return p, r, p * r / (alpha * p + (1 - alpha) * r) if p and r else Fraction(0)


def score(hyp, ref, skip=SKIP, discount=DISCOUNT, alpha=ALPHA, match=by_lesser):
    """(score, precision, recall) of a hypothesis that is not blank; 1 if neither has a unit."""
    found = []
    for bag in (lambda of: unigrams(of, discount), lambda of: skip_bigrams(of, skip, discount)):
        x, y = bag(hyp), bag(ref)
        if x or y:
            total = match(x, y), sum(x.values()), sum(y.values())
            found.append(f_measure(*total, alpha))
    if not found:
        return Fraction(1), Fraction(1), Fraction(1)
    p, r, f = (sum(column) / len(found) for column in zip(*found, strict=True))
    return f, p, r
