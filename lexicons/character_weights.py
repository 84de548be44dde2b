"""Writes the table of character weights that `weights="information"` uses.

    pip install jieba==0.42.1
    python lexicons/character_weights.py

The counts of characters are summed over jieba's word list (dict.txt; MIT license), every word
converted to Simplified characters first. With p the share of a character,

    i = min(1, -ln max(p, 1e-6) / ln 1e6),   rounded to hundredths.

A Traditional character has the weight of its Simplified one. A line of the table is a weight in
hundredths and all characters that have it; those that weigh 1 are left out.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from pathlib import Path

import jieba
import opencc

HERE = Path(__file__).resolve().parent
TABLE = HERE.parent / "celab" / "analysis" / "characters-zh.txt"
LEAST = 1e-6  # a rarer character weighs 1
HAN = [
    *range(0x3007, 0x3008),
    *range(0x3400, 0x4DC0),
    *range(0x4E00, 0xA000),
    *range(0x20000, 0x2FA20),
]


def counts_of(path: Path) -> Counter[str]:
    """How often each Simplified character occurs in the words of the list."""
    simplified = opencc.OpenCC("t2s").convert
    counts: Counter[str] = Counter()
    for line in path.read_text("utf-8").splitlines():
        word, count, *_ = line.split(" ")
        for character in simplified(word):
            counts[character] += int(count)
    return counts


def main() -> None:
    """Write the table."""
    counts = counts_of(Path(jieba.__file__).with_name("dict.txt"))
    total = sum(counts.values())
    simplified = opencc.OpenCC("t2s").convert
    by_weight: dict[int, list[str]] = defaultdict(list)
    for character in map(chr, HAN):
        share = counts[simplified(character)] / total
        weight = round(100 * min(1.0, -math.log(max(share, LEAST)) / -math.log(LEAST)))
        by_weight[weight].append(character)
    del by_weight[100]
    lines = (f"{weight}\t{''.join(by_weight[weight])}\n" for weight in sorted(by_weight))
    TABLE.write_text("".join(lines), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
