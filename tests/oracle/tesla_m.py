"""TESLA-M on tagged words, as the papers define it (2010, section 3; 2011, section 2).

A word is anything with `lemma`, `tag` and `function`; `Word` will do. Tokens without a letter or
digit in their `form` are taken out first (2010, section 5.2). `groups` says which synonym groups a
lemma is in: {"big": {1, 4}, "large": {4}}.

**Bag** of order n: the distinct n-grams of (lemma, tag), each with the sum of 1/10 per function
word over its places: its count, discounted.

**Similarity** of words:

    s_ms(x, y)  = 1 if the lemmas are equal, else (a + b) / 2,
                  a = 1 if they share a synonym group, b = 1 if the tags are equal
    s_lem(x, y) = 1 if the lemmas are equal
    s_pos(x, y) = 1 if the tags are equal

and of n-grams: 0 if it is 0 at any position, else the mean.

**Match** of two bags X (reference) and Y (hypothesis):

    S = max  sum_ij s(x_i, y_j) w_ij,   sum_j w_ij <= weight of x_i,   sum_i w_ij <= weight of y_j

**F** = P R / (α P + (1 - α) R) with P = S / weight of Y, R = S / weight of X, α = 4/5.

**Score**: the mean of F over n = 1, 2, 3 and over s_ms, s_pos. An n for which both bags are empty
is left out; one for which one is empty has F = 0. These two are our reading: the papers are silent.
"""

from fractions import Fraction
from typing import NamedTuple

from oracle.rational import Program, simplex

ALPHA = Fraction(4, 5)
DISCOUNT = Fraction(1, 10)


class Word(NamedTuple):
    form: str
    lemma: str
    tag: str
    function: bool = False


def alphanumeric(words):
    return [word for word in words if any(character.isalnum() for character in word.form)]


def bag(words, n, discount=DISCOUNT) -> dict:
    """{n-gram: weight}, an n-gram being a tuple of (lemma, tag)."""
    words = alphanumeric(words)
    weights = {}
    for start in range(len(words) - n + 1):
        ngram = words[start : start + n]
        weight = Fraction(1)
        for word in ngram:
            if word.function:
                weight *= discount
        key = tuple((word.lemma, word.tag) for word in ngram)
        weights[key] = weights.get(key, 0) + weight
    return weights


def s_ms(x, y, groups) -> Fraction:
    (x_lemma, x_tag), (y_lemma, y_tag) = x, y
    if x_lemma == y_lemma:
        return Fraction(1)
    shared = set(groups.get(x_lemma, ())) & set(groups.get(y_lemma, ()))
    return Fraction(bool(shared) + (x_tag == y_tag), 2)


def s_lem(x, y, groups) -> Fraction:
    return Fraction(x[0] == y[0])


def s_pos(x, y, groups) -> Fraction:
    return Fraction(x[1] == y[1])


SIMILARITIES = {"ms": s_ms, "lem": s_lem, "pos": s_pos}


def ngram_similarity(x, y, s, groups) -> Fraction:
    each = [s(a, b, groups) for a, b in zip(x, y, strict=True)]
    if 0 in each:
        return Fraction(0)
    return sum(each) / len(each)


def match(ref_weights, hyp_weights, similarity) -> Fraction:
    """S, where similarity is {(i, j): s > 0} of the i-th and j-th weights."""
    links = sorted(similarity)
    rows, limit = [], []
    for side, weights in enumerate((ref_weights, hyp_weights)):
        for node, weight in enumerate(weights):
            rows.append([int(link[side] == node) for link in links])
            limit.append(weight)
    return simplex(Program([similarity[link] for link in links], rows, limit))[0]


def match_bags(ref_bag, hyp_bag, s, groups) -> Fraction:
    similarity = {}
    for i, x in enumerate(ref_bag):
        for j, y in enumerate(hyp_bag):
            value = ngram_similarity(x, y, s, groups)
            if value:
                similarity[i, j] = value
    return match(list(ref_bag.values()), list(hyp_bag.values()), similarity)


def f_measure(total, ref_weight, hyp_weight, alpha=ALPHA) -> Fraction:
    if not total:
        return Fraction(0)
    precision, recall = total / hyp_weight, total / ref_weight
    return precision * recall / (alpha * precision + (1 - alpha) * recall)


class Feature(NamedTuple):
    """One of the six."""

    n: int
    similarity: str
    total: Fraction  # S
    precision: Fraction
    recall: Fraction
    f: Fraction


def features(
    hyp, ref, groups, alpha=ALPHA, discount=DISCOUNT, orders=(1, 2, 3), names=("ms", "pos")
) -> list[Feature]:
    """Those that count."""
    found = []
    for n in orders:
        ref_bag, hyp_bag = bag(ref, n, discount), bag(hyp, n, discount)
        if not ref_bag and not hyp_bag:
            continue
        for name in names:
            if not ref_bag or not hyp_bag:
                zero = Fraction(0)
                found.append(Feature(n, name, zero, zero, zero, zero))
                continue
            total = match_bags(ref_bag, hyp_bag, SIMILARITIES[name], groups)
            weights = sum(ref_bag.values()), sum(hyp_bag.values())
            f = f_measure(total, *weights, alpha)
            found.append(Feature(n, name, total, total / weights[1], total / weights[0], f))
    return found


def score(hyp, ref, groups, **settings) -> Fraction | None:
    """Against one reference; None if neither side has a word."""
    found = [feature.f for feature in features(hyp, ref, groups, **settings)]
    return sum(found) / len(found) if found else None


# The figures' text survives without its lines. Who is linked with whom is read from the solutions
# that the papers print.


def figure_2010():
    """Figure 1 of 2010: 0.5 × 1.0 + 0.5 × 0.6 + 1.0 × 0.2 + 1.0 × 0.1 = 1.1.

    The second node above gives only 0.6 of its 0.8, since 0.2 of the one below is better used.
    """
    ref = [Fraction(10, 10), Fraction(8, 10), Fraction(2, 10), Fraction(1, 10)]
    hyp = [Fraction(10, 10), Fraction(8, 10), Fraction(1, 10)]
    half, whole = Fraction(1, 2), Fraction(1)
    return ref, hyp, {(0, 0): half, (1, 1): half, (2, 1): whole, (3, 2): whole}


def figure_2011():
    """Figure 1 of 2011: 0.5 × 0.01 + 0.8 × 0.1 + 0.8 × 0.1 = 0.165.

    Good morning , sir . above; Hello , Querrien . below; two of the five links stay unused.
    """
    ref = [Fraction(1), Fraction(1, 10), Fraction(1, 10), Fraction(1, 10)]
    hyp = [Fraction(1, 100), Fraction(1, 10), Fraction(1, 10)]
    tenths = {(0, 0): 1, (1, 0): 5, (1, 1): 4, (2, 1): 8, (3, 2): 8}
    return ref, hyp, {link: Fraction(s, 10) for link, s in tenths.items()}
