"""Counts of texts, character by character and piece by piece."""

import re
from unicodedata import normalize

from celab.base.text.normalize import character_forms
from celab.base.text.tokens import is_blank

FACTORS = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D


def n_with_trait(text, trait, scripts, marks):
    """The number of characters with a trait; scripts and marks are patterns and sets of them."""
    tests = {
        "dense": lambda character: not character.isspace(),
        "visible": lambda character: not is_blank(character),
        "letter": str.isalpha,
        "word": lambda character: len(re.sub(r"[\W_]", "", character.casefold())) in (1, 3),
        "two-words": lambda character: len(re.sub(r"[\W_]", "", character.casefold())) in (2, 3),
    }
    if trait in scripts:
        return len(re.findall(scripts[trait], text))
    if trait in marks:
        return sum(map(text.count, marks[trait]))
    return sum(map(tests[trait], text))


def repeats(text, shortest, longest, times, least_filled=0.0):
    """Whether a piece of these sizes comes so many times in a row, and so fills a share."""
    pieces = {
        text[start : start + size]
        for size in range(shortest, min(longest, len(text)) + 1)
        for start in range(len(text) - size + 1)
    }
    return any(
        piece * n in text
        for piece in pieces
        for n in range(times, len(text) // len(piece) + 1)
        if n * len(piece) >= least_filled * len(text)
    )


def fold(text):
    """Letters and digits in lower case, simplified, in one width."""
    forms = (normalize("NFKC", character).lower()[:1] for character in text)
    simplified = character_forms("t2s")
    return "".join(chr(simplified[ord(form)]) for form in forms if form.isalnum())


def grams(folded):
    """The numbers of grams in 128 buckets, at most 255 each."""
    counts = [0] * 128
    for place, character in enumerate(folded):
        size = 2 if character >= "\u2e80" else 4
        codes = [*map(ord, folded[place : place + size]), 1, 1, 1][:4]
        value = codes[0] * FACTORS[0] + codes[1]
        for code, factor in zip(codes[2:], FACTORS[1:], strict=True):
            value %= 2**32
            value = (value ^ value >> 15) * factor + code
        value %= 2**32
        value = (value ^ value >> 13) * FACTORS[1] % 2**32
        counts[value >> 25] += 1
    return [min(count, 255) for count in counts]


def distance(a, b):
    """Levenshtein's distance, by its whole table."""
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        above, row = row, [i]
        for j, right in enumerate(b, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (left != right)))
    return row[-1]
