"""Weights of tokens, from which the weights of n-grams follow (section 5.3 of the paper of 2012).

`TeslaCelab(weights=…)` is one of

    unit         every n-gram weighs the same
    information  by how rare a character is in general text: for Chinese from a table in the
                 package, for Japanese by its script
    references   by how few of the references being scored have the token
    a path       from the user's table: token TAB weight, from 0 to 1 in hundredths

Tokens that are in no table: punctuation and symbols weigh 0.1, a letter with marks weighs as much
as the letter, and anything else weighs 1. Weights are whole hundredths, so that optima can be
proved.

>>> table = load_table("information", "zh")
>>> [table.weigh(token) for token in ("的", "伞", "。", "iPhone")]
[41, 76, 10, 100]
"""

from __future__ import annotations

import hashlib
import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from unicodedata import ucd_3_2_0

import numpy as np

from celab._native.tokens import Sentences, Weights, character_class
from celab.base import io
from celab.base.arrays import I32, U8
from celab.base.errors import InputError, OptionError, Setting, nearest

NAMES = ("unit", "information", "references")
WHOLE = 100  # the weight 1
PUNCTUATION = 10
_INFORMATION = ("zh", "ja")  # the languages that have these weights
# For Japanese, weights by script agree as well with people as a table does: kanji, hiragana,
# katakana.
_JAPANESE = {
    65: [0x3007, *range(0x3400, 0x4DC0), *range(0x4E00, 0xA000)],
    30: range(0x3041, 0x3097),
    50: [*range(0x30A1, 0x30FB), 0x30FC],
}
_DECIMAL = re.compile(r"0|1|0?\.[0-9]{1,2}|1\.0{1,2}|0\.")
_MARKS = (4, 5)  # classes of `character_ranges.h` that continue a token: marks, joiners
_PICTURES = (6, 7)  # regional indicators and pictographs
_MAX_NGRAM_WEIGHT = 2**31 - 1  # the kernels keep weights as 32-bit integers


class WeightTable:
    """Weights of tokens in hundredths, and the name of the table for signatures."""

    def __init__(self, name: str, weights: Mapping[str, int]) -> None:
        self.name = name
        self.weights = dict(weights)
        rows = "".join(f"{token}\t{weight}\n" for token, weight in sorted(self.weights.items()))
        digest = hashlib.sha256(rows.encode("utf-8", "surrogatepass")).hexdigest()
        self.signature_id = re.sub(r"[|\s]", "_", name) + f"-{digest[:8]}"
        self.letters = _letters().copy()
        for token, weight in self.weights.items():
            if len(token) == 1:
                self.letters[ord(token)] = weight

    def __reduce__(self) -> tuple[object, ...]:
        return WeightTable, (self.name, self.weights)

    def weigh(self, token: str) -> int:
        """Return the weight of a token."""
        if (weight := self.weights.get(token)) is not None:
            return weight
        base = [c for c in token if character_class(ord(c)) not in _MARKS]
        if len(base) == 1:
            return int(self.letters[ord(base[0])])
        symbols = (_letters()[ord(c)] == PUNCTUATION for c in base)
        return PUNCTUATION if base and all(symbols) else WHOLE  # marks alone are no symbols


def ngram_weights(table: WeightTable | None, factors: I32, sentences: Sentences) -> Weights:
    """Return the weights of all n-grams of the sentences."""
    letters, weigh = (table.letters, table.weigh) if table else (_UNIT_LETTERS, lambda _: WHOLE)
    return Weights(sentences, letters, weigh, factors)


def load_table(spec: str, lang: str | None) -> WeightTable | None:
    """Return the table that `weights` names; None for unit and references."""
    if spec == "information":
        if (lang or "zh") not in _INFORMATION:
            raise OptionError(
                (
                    Setting("lang"),
                    f" is {lang!r}, for which there are no information weights, only for"
                    f" {', '.join(_INFORMATION)}",
                ),
                hint="use references, or a table of your own",
            )
        return _information(lang or "zh")
    return None if spec in NAMES else read(spec)


@cache
def _information(lang: str) -> WeightTable:
    if lang == "ja":
        pairs = ((chr(c), weight) for weight, letters in _JAPANESE.items() for c in letters)
        return WeightTable("information", dict(pairs))
    from importlib import resources

    text = resources.files("celab.words").joinpath("characters-zh.txt").read_text("utf-8")
    rows = (line.split("\t") for line in text.splitlines())
    return WeightTable("information", {c: int(weight) for weight, letters in rows for c in letters})


def read(path: str) -> WeightTable:
    """Read a table of tokens and weights, separated by a tab."""
    from fractions import Fraction

    from celab.corpus.formats.quoting import rows_of

    if not os.path.exists(path):
        close = nearest(path, NAMES)
        raise OptionError(
            f"there are no weights {path!r}; "
            + (
                f"did you mean {close!r}?"
                if close
                else f"it must be {', '.join(NAMES)} or the path of a table"
            )
        )
    with io.reading(path, InputError, "a table of tokens and weights"):
        io.check_regular(path, path, InputError, "a regular file")
    weights: dict[str, int] = {}
    for n, cells in rows_of(io.read_text(path), path):
        token, weight = cells[0].strip(), "\t".join(cells[1:])
        if not any(map(str.strip, cells)):
            continue
        if not token or len(cells) < 2:
            line = "\t".join(cells)
            raise InputError(f"{path}, line {n}: {line!r} is not a token, a tab and a weight")
        if not _DECIMAL.fullmatch(weight.strip()):
            raise InputError(
                f"{path}, line {n}: the weight of {token!r} is {weight.strip()!r}; it must be a"
                " number from 0 to 1 with at most two decimals"
            )
        if token in weights:
            raise InputError(f"{path}, line {n}: {token!r} has a weight already; give it once")
        weights[token] = int(WHOLE * Fraction(weight.strip()))
    if not weights:
        raise InputError(
            f"{path}: the table is empty; it must have a token, a tab and a weight a line"
        )
    return WeightTable(os.path.basename(path), weights)


def of_references(texts: Iterable[tuple[str, ...]]) -> WeightTable:
    """Return weights by how few of the references contain a token; references are tuples of tokens.

    i(t) = ln((n + 1) / df) / ln(n + 1) for a token in df of n references, at least 0.01 so that no
    reference weighs nothing. Punctuation and symbols are left out.

    >>> of_references([("去", "北", "京"), ("去", "南", "京"), ("走",)]).weights
    {'京': 50, '去': 50}
    """
    counts: Counter[str] = Counter()
    n = 0
    for tokens in texts:
        counts.update(set(tokens))
        n += bool(tokens)
    defaults = WeightTable("references", {})
    weights = {
        token: max(1, round(WHOLE * math.log((n + 1) / df) / math.log(n + 1)))
        for token, df in sorted(counts.items())
        if df > 1 and defaults.weigh(token) != PUNCTUATION
    }
    return WeightTable("references", weights)


def factors(decay: float, max_order: int) -> I32:
    """Return the factor of the sum of the tokens' weights for each order.

    >>> factors(0.5, 4).tolist()
    [96, 24, 8, 3]
    """
    if round(decay, 2) != decay:
        raise OptionError("decay", decay, "it must have at most two decimals")
    from fractions import Fraction

    ratio = Fraction(round(100 * decay), 100)
    a, b = ratio.numerator, ratio.denominator
    common = math.lcm(*range(1, max_order + 1))
    multipliers = [
        common // n * a ** (n - 1) * b ** (max_order - n) for n in range(1, max_order + 1)
    ]
    if WHOLE * multipliers[0] > _MAX_NGRAM_WEIGHT:
        raise OptionError(
            (
                Setting("decay"),
                f" is {decay!r} and ",
                Setting("max_order"),
                f" {max_order}, which needs numbers too large to be exact",
            ),
            hint=("give ", Setting("decay"), " one decimal, or a lower ", Setting("max_order")),
        )
    return np.array(multipliers, np.int32)


@cache
def _letters() -> U8:
    # Default weight of each code point. From a version of Unicode that every Python has, and from
    # the tokenizer's own classes, so that it never changes.
    letters = np.full(0x110000, WHOLE, np.uint8)
    for c in range(0x20000):
        if ucd_3_2_0.category(chr(c))[0] in "PS" or character_class(c) in _PICTURES:
            letters[c] = PUNCTUATION
    return letters


_UNIT_LETTERS = np.full(0x110000, WHOLE, np.uint8)
