"""Phrase pairs, segmentation and networks by their definitions, without any economy."""

from collections import Counter
from fractions import Fraction
from itertools import product


def extracted(n_x, n_y, links, longest):
    """All pairs of spans ((i1, i2), (j1, j2)), ends excluded, that hold a link and cut none."""
    spans = [
        [(a, b) for a in range(n) for b in range(a + 1, min(n, a + longest) + 1)]
        for n in (n_x, n_y)
    ]
    found = []
    for x, y in product(*spans):
        inside = [(x[0] <= i < x[1], y[0] <= j < y[1]) for i, j in links]
        if (True, True) in inside and all(a == b for a, b in inside):
            found.append((x, y))
    return found


def grow_diag_final_and(one, two, n_x, n_y):
    """Koehn and others (2005), as in their pseudo-code; links of both go from x to y."""
    kept = one & two
    union = one | two

    def is_free(side, word):
        return all(link[side] != word for link in kept)

    neighbors = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]
    while True:
        before = len(kept)
        for i in range(n_x):
            for j in range(n_y):
                if (i, j) not in kept:
                    continue
                for a, b in neighbors:
                    new = i + a, j + b
                    if new in union and (is_free(0, new[0]) or is_free(1, new[1])):
                        kept.add(new)
        if len(kept) == before:
            break
    for some in (one, two):
        for link in sorted(some):
            if is_free(0, link[0]) and is_free(1, link[1]):
                kept.add(link)
    return kept


def cuts(tokens):
    """All ways to cut a sentence into phrases."""
    if not tokens:
        yield []
    for n in range(1, len(tokens) + 1):
        for rest in cuts(tokens[n:]):
            yield [tuple(tokens[:n]), *rest]


def segmented(tokens, counts):
    """The most probable phrases; of equally probable ones the fewest, then the longest first.

    `counts` has N of each phrase; a word that is no phrase has 1/2.
    """
    whole = sum(counts.values())

    def likelihood(phrases):
        product = Fraction(1)
        for phrase in phrases:
            n = counts.get(phrase, Fraction(1, 2) if len(phrase) == 1 else 0)
            product *= Fraction(n) / whole
        return product

    return max(
        cuts(tokens),
        key=lambda phrases: (likelihood(phrases), -len(phrases), [len(p) for p in phrases]),
    )


def network_grams(segments, max_order):
    """The weights of the n-grams over all sentences of a network.

    A segment is a list of (words, probability).
    """
    found = Counter()
    for path in product(*segments):
        mass = Fraction(1)
        words = []
        for some, p in path:
            mass *= p
            words += some
        for n in range(1, max_order + 1):
            for start in range(len(words) - n + 1):
                found[tuple(words[start : start + n])] += mass
    return found


def tesla_b_part(hyp, ref, translations, alpha=Fraction(4, 5), discount=Fraction(1, 10)):
    """The mean of F over orders 1 to 3, by lemmas and by tags, of two sentences of one table.

    `translations` has, for each phrase, (words, count), a word being (lemma, tag, function). A word
    that is in no phrase passes with its lower-case form as lemma, and a tag of its own.
    """
    counts = {phrase: sum(n for _, n in some) for phrase, some in translations.items()}
    bags = []
    for tokens in (hyp, ref):
        network = []
        for phrase in segmented(tokens, counts):
            if phrase in translations:
                network.append(
                    [(words, Fraction(n, counts[phrase])) for words, n in translations[phrase]]
                )
            else:
                (form,) = phrase
                is_function = not any(map(str.isalnum, form))
                word = (form.lower(), ("itself", form.lower()), is_function)
                network.append([([word], Fraction(1))])
        bags.append(network_grams(network, 3))
    found = []
    for order in (1, 2, 3):
        for label in (0, 1):
            sides = []
            for bag in bags:
                side = Counter()
                for gram, mass in bag.items():
                    if len(gram) == order:
                        weight = mass * discount ** sum(word[2] for word in gram)
                        side[tuple(word[label] for word in gram)] += weight
                sides.append(side)
            y, x = sides
            if not x and not y:
                continue
            if not x or not y:
                found.append(0)
                continue
            matched = sum(min(weight, y[gram]) for gram, weight in x.items())
            precision, recall = matched / sum(y.values()), matched / sum(x.values())
            mixed = alpha * precision + (1 - alpha) * recall
            found.append(precision * recall / mixed if mixed else 0)
    return sum(found) / len(found) if found else Fraction(1)
