"""Checks our own lexicons: `python lexicons/check.py` prints what is wrong; exit code 1 if it did.

No group twice or inside another, none of fewer than two words, every word of letters that its
language has; and of a Traditional word the Simplified form stands beside it in the group.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
LEAST_GROUPS = {"zh-core": 2500, "de-core": 1500}
WORD = {
    "zh": re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffffA-Za-z0-9·]+"),
    "de": re.compile(r"[A-Za-zÄÖÜäöüßéèêàçñ0-9]+([-. /'’]{1,2}[A-Za-zÄÖÜäöüßéèêàçñ0-9]+)*\.?"),
}


def faults(path: Path) -> Iterator[str]:
    """Return what is wrong with a lexicon, one line each."""
    language = path.stem.partition("-")[0]
    groups: list[tuple[int, frozenset[str]]] = []
    for number, line in enumerate(path.read_text("utf-8").split("\n"), 1):
        if not line or line.startswith("#"):
            continue
        *words, gloss = line.split("\t")
        where = f"{path.name}, line {number}"
        if not re.fullmatch(r"# \S.*", gloss):
            yield f"{where}: the last cell is {gloss!r}; it must be a gloss, '# like this'"
        if len(set(words)) < 2 or len(set(words)) < len(words):
            yield f"{where}: {words} must be two or more different words"
        for word in words:
            if not WORD[language].fullmatch(word) or unicodedata.normalize("NFC", word) != word:
                yield f"{where}: {word!r} is not a valid word"
        if language == "zh":
            yield from (f"{where}: {fault}" for fault in script_faults(words))
        groups.append((number, frozenset(words)))
    yield from (f"{path.name}, {fault}" for fault in contained(groups))
    least = LEAST_GROUPS.get(path.stem, 1)
    if len(groups) < least:
        yield f"{path.name}: there are {len(groups)} groups; at least {least} are wanted"


def script_faults(words: list[str]) -> Iterator[str]:
    """Traditional words whose Simplified form is missing, and groups that are one word in both."""
    from celab.base.text.normalize import Normalizer
    from celab.metrics.options import TeslaCelabOptions

    simplified = Normalizer.of(TeslaCelabOptions(script="auto")).texts(words)
    for word, other in zip(words, simplified, strict=True):
        if other not in words:
            yield f"{word} is Traditional, but {other} does not stand beside it"
    if len(set(simplified)) < 2:
        yield f"{words} are one word in two scripts"


def contained(groups: list[tuple[int, frozenset[str]]]) -> Iterator[str]:
    """Return groups that say nothing new."""
    holding: dict[str, set[int]] = defaultdict(set)
    for k, (_, words) in enumerate(groups):
        for word in words:
            holding[word].add(k)
    for k, (number, words) in enumerate(groups):
        for other in set.intersection(*(holding[word] for word in words)) - {k}:
            if words < groups[other][1] or k > other:
                yield f"line {number}: the group is contained in line {groups[other][0]}"


if __name__ == "__main__":
    found = [fault for path in sorted(HERE.glob("*.tsv")) for fault in faults(path)]
    print(*found, sep="\n")
    sys.exit(bool(found))
