"""Random inputs, from any text and bytes to ones that are almost right."""

from __future__ import annotations

from random import Random
from typing import Any

LETTERS = "买雨伞购的了ab1 "
# One of each kind that the tokenizer, the normalizer or a file format treats apart.
ODD = (
    "　，．Ａ５ａß\u1e9eäÖİıǅﬀ\u0301\u20e3\u200d\u200b\u00ad\ufeff\ufffe\u2028\x85\x0b\x1c\0\t\r\n"
    "\ud800\udfff\udc80\U0010ffff\U000e0061🇨🇳👩👧🏽❤\ufe0f♀가각ㄱ買傘乾隆𠮷㐀'.,:-|+/#;\"\\<>&{}[]"
)
TAGS = ("NN", "ART", "V", "", "|", "$.", "名")


def text(rng: Random, most: int = 40) -> str:
    """A sentence: of few letters, of odd ones, of any code points, or of bytes read wrongly."""
    n = rng.choice((0, 1, 2, rng.randint(0, most), rng.randint(0, most)))
    kind = rng.randrange(6)
    if kind == 0:
        return "".join(rng.choices(LETTERS[: rng.randint(1, len(LETTERS))], k=n))
    if kind == 1:
        return "".join(rng.choices(ODD, k=n))
    if kind == 2:
        return "".join(chr(rng.randrange(0x110000)) for _ in range(n))
    if kind == 3:
        encoding = rng.choice(("utf-8", "latin-1", "utf-16-le", "gb18030"))
        return rng.randbytes(n).decode(encoding, rng.choice(("replace", "ignore")))
    if kind == 4:
        return repeated(rng, LETTERS + ODD, most)
    return "".join(rng.choices(LETTERS + ODD, k=n))


def repeated(rng: Random, letters: str, most: int) -> str:
    """A few short pieces again and again, so that n-grams are crowded."""
    pieces = ["".join(rng.choices(letters, k=rng.randint(1, 4))) for _ in range(rng.randint(1, 3))]
    made = ""
    while len(made) < most * rng.random():
        made += rng.choice(pieces) * rng.choice((1, 1, 2, 5))
    return made[:most]


def pair(rng: Random, most: int = 40) -> tuple[str, str]:
    """A hypothesis and a reference, often akin."""
    hyp = text(rng, most)
    return (hyp, text(rng, most)) if rng.random() < 0.5 else (hyp, changed_text(rng, hyp))


def changed_text(rng: Random, given: str) -> str:
    """The same with parts moved, doubled or replaced."""
    letters = list(given)
    for _ in range(rng.randint(0, 4)):
        begin = rng.randint(0, len(letters))
        part = letters[begin : begin + rng.randint(0, 5)]
        at = rng.randint(0, len(letters))
        letters[at : at + rng.choice((0, 0, len(part)))] = rng.choice(
            (part, [], list(text(rng, 4)), part * 2)
        )
    return "".join(letters)


def groups(rng: Random, letters: str = LETTERS + "卡OK") -> list[list[str]]:
    """Synonyms of few letters, so that they are found; some of odd ones."""

    def word() -> str:
        return "".join(rng.choices(ODD if rng.random() < 0.1 else letters, k=rng.randint(1, 3)))

    return [[word() for _ in range(rng.randint(2, 4))] for _ in range(rng.randint(0, 6))]


def tagged(rng: Random, most: int = 12) -> str:
    """word|lemma|TAG, mostly."""
    words = []
    for _ in range(rng.randint(0, most)):
        lemma = rng.choice("abcd伞.") if rng.random() < 0.9 else text(rng, 4)
        cells = [lemma, lemma, rng.choice(TAGS)]
        words.append("|".join(cells if rng.random() < 0.97 else cells[: rng.randint(0, 2)]))
    return " ".join(words)


def damaged(rng: Random, given: bytes, pieces: list[bytes], most: int = 4) -> bytes:
    """The same with bits flipped, and parts cut, doubled, moved or replaced."""
    data = bytearray(given)
    for _ in range(rng.randint(1, most)):
        begin = rng.randint(0, len(data))
        end = min(len(data), begin + rng.choice((0, 1, 1, 2, 8, 64)))
        kind = rng.randrange(6)
        if kind == 0 and begin < len(data):
            data[begin] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del data[begin:end]
        elif kind == 2:
            data[begin:end] = rng.randbytes(rng.randint(0, 8))
        elif kind == 3:
            data[begin:end] = rng.choice(pieces)
        elif kind == 4:
            data[begin:begin] = data[begin:end] * rng.choice((1, 2, 50))
        else:
            del data[begin + rng.randint(0, 200) :]
    return bytes(data)


def chosen(rng: Random, options: dict[str, Any], share: float = 0.3) -> dict[str, Any]:
    """Some of the options, each with one of its values."""
    return {name: rng.choice(values) for name, values in options.items() if rng.random() < share}
