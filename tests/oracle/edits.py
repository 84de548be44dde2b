"""Edits between two texts by the whole table: the slow twin of the edits kernel, and tokens."""

import unicodedata
from itertools import groupby

from celab.base.languages import RANGES
from oracle import tokens as tokens_oracle

UNSPACED = ("Han", "kana", "Hangul", "Thai", "Lao", "Khmer", "Burmese")


def count_edits(hyp, ref):
    """The fewest edits, and of these the fewest substitutions: substituted, deleted, inserted."""
    table = {(0, j): (j, 0, j, 0) for j in range(len(ref) + 1)}  # edits and the three kinds
    for i, x in enumerate(hyp, 1):
        table[i, 0] = (i, 0, 0, i)
        for j, y in enumerate(ref, 1):
            n, s, d, k = table[i - 1, j - 1]
            both = (n, s, d, k) if x == y else (n + 1, s + 1, d, k)
            n, s, d, k = table[i, j - 1]
            deleted = n + 1, s, d + 1, k
            n, s, d, k = table[i - 1, j]
            inserted = n + 1, s, d, k + 1
            table[i, j] = min(both, deleted, inserted)
    return table[len(hyp), len(ref)][1:]


def longest_common(hyp, ref):
    """The length of the longest common subsequence."""
    row = [0] * (len(ref) + 1)
    for x in hyp:
        before = row
        row = [0]
        for j, y in enumerate(ref, 1):
            row.append(before[j - 1] + 1 if x == y else max(before[j], row[-1]))
    return row[-1]


def cut(text, unit, punctuation):
    """Tokens of a text with the other options of CER, without Traditional characters."""
    text = tokens_oracle.fold_width(unicodedata.normalize("NFC", text).lower())
    clusters = tokens_oracle.tokens(text, "letter")
    if unit == "mixed":
        clusters = list(words(clusters))
    kept = [token for token in clusters if token != " "]
    return kept if punctuation == "keep" else [t for t in kept if any(map(str.isalnum, t))]


def words(clusters):
    """Clusters with words in place of their letters and digits, and of . , ' : - inside."""
    is_letter = [in_word(cluster) for cluster in clusters]
    joins = [
        cluster in (".", ",", "'", ":", "-")
        and is_letter[k - 1 : k] == is_letter[k + 1 : k + 2] == [True]
        for k, cluster in enumerate(clusters)
    ]
    kinds = [a or b for a, b in zip(is_letter, joins, strict=True)]
    for is_word, group in groupby(zip(kinds, clusters, strict=True), key=lambda pair: pair[0]):
        letters = [cluster for _, cluster in group]
        yield from ["".join(letters)] if is_word else letters


def in_word(cluster):
    """Whether a cluster is a letter or digit of a script with spaces."""
    code = ord(cluster[0])
    ranges = [span for script in UNSPACED for span in RANGES[script]]
    return cluster[0].isalnum() and not any(first <= code <= last for first, last in ranges)
