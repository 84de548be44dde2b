"""Variants of spelling in transcripts: tags, apostrophes, numerals, contractions, fillers.

Each is an option of the metrics by characters, and none is changed by default. Contractions,
fillers and everything in brackets are those of Whisper's normalizer for English, which Hugging
Face's leaderboards use, too; British spellings and English words for numbers are not.

>>> rules = {"tags": "drop", "apostrophes": "fold", "numerals": "digits"}
>>> Transcription(**rules)(["<unk> it’s 二十三 [laughter] 百分之五十"])
[" it's 23  50%"]
>>> Transcription(contractions="expand", fillers="drop")(["Uh, it won't"])
[', it will not']
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from fractions import Fraction
from unicodedata import normalize

from celab.base.text.normalize import TranscriptOptions

# Names in brackets, and `%HESITATION`; `(())` is speech that nobody understood.
_NAME = r"[A-Za-z*+][A-Za-z0-9 _+*:-]{0,30}"
TAG = re.compile(
    rf"</?{_NAME}/?>|\[/?{_NAME}/?\]|\{{/?{_NAME}/?\}}|(?<![^\s])%[A-Za-z]{{2,30}}(?![^\s])|\(\(\s*\)\)"
)
# Any text in brackets, as Whisper's normalizer removes it.
_BRACKETS = re.compile(r"[<\[][^>\]]*[>\]]|\([^)]+?\)")
_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ＇`´′", "'"))
_FILLERS = re.compile(r"\b(?:hmm|mm|mhm|mmm|uh|um)\b", re.IGNORECASE | re.ASCII)
_BEFORE_APOSTROPHE = re.compile(r"\s+'")
_CONTRACTIONS = tuple(
    (re.compile(pattern, re.IGNORECASE | re.ASCII), expansion)
    for pattern, expansion in (
        *(
            (rf"\b{word}\b", expansion)
            for word, expansion in {
                "won't": "will not",
                "can't": "can not",
                "let's": "let us",
                "ain't": "aint",
                "y'all": "you all",
                "wanna": "want to",
                "kinda": "kind of",
                "sorta": "sort of",
                "dunno": "do not know",
                "gotta": "got to",
                "gonna": "going to",
                "i'ma": "i am going to",
                "imma": "i am going to",
                "woulda": "would have",
                "coulda": "could have",
                "shoulda": "should have",
                "cause": "because",
                "ma'am": "madam",
                "mr": "mister ",
                "mrs": "missus ",
                "st": "saint ",
                "dr": "doctor ",
                "prof": "professor ",
                "capt": "captain ",
                "gov": "governor ",
                "ald": "alderman ",
                "gen": "general ",
                "sen": "senator ",
                "rep": "representative ",
                "pres": "president ",
                "rev": "reverend ",
                "hon": "honorable ",
                "asst": "assistant ",
                "assoc": "associate ",
                "lt": "lieutenant ",
                "col": "colonel ",
                "jr": "junior ",
                "sr": "senior ",
                "esq": "esquire ",
            }.items()
        ),
        (r"'d (been|gone|done)\b", r" had \1"),
        (r"'s (been|gone|got)\b", r" has \1"),
        (r"n't\b", " not"),
        (r"'re\b", " are"),
        (r"'s\b", " is"),
        (r"'d\b", " would"),
        (r"'ll\b", " will"),
        (r"'t\b", " not"),
        (r"'ve\b", " have"),
        (r"'m\b", " am"),
    )
)


@dataclass(frozen=True, kw_only=True)
class Transcription:
    """Changes texts by the options of the same names, then composes letters and marks (NFC)."""

    tags: str = "keep"
    apostrophes: str = "keep"
    numerals: str = "keep"
    contractions: str = "keep"
    fillers: str = "keep"

    @classmethod
    def of(cls, options: TranscriptOptions) -> Transcription:
        """Return the changes by the options of a metric."""
        return cls(**{spec.name: getattr(options, spec.name) for spec in fields(cls)})

    @property
    def name(self) -> str:
        """The changes that it makes; part of signatures."""
        values = ((spec.name, getattr(self, spec.name)) for spec in fields(self))
        return "+".join(["nfc", *(f"{name}:{value}" for name, value in values if value != "keep")])

    @property
    def only_composes(self) -> bool:
        """Whether no option changes anything."""
        return self == Transcription()

    def __call__(self, texts: list[str]) -> list[str]:
        """Return the texts, each changed by itself."""
        if self.only_composes:
            return [normalize("NFC", text) for text in texts]
        return [normalize("NFC", self._changed(text)) for text in texts]

    def _changed(self, text: str) -> str:
        if self.tags == "brackets":
            text = _BRACKETS.sub("", text)
        if self.tags != "keep":
            text = TAG.sub("", text)
        if self.fillers == "drop":
            text = _FILLERS.sub("", text)
        if self.apostrophes == "fold" or self.contractions == "expand":
            text = text.translate(_APOSTROPHES)
        if self.contractions == "expand":
            text = _BEFORE_APOSTROPHE.sub("'", text)
            for pattern, expansion in _CONTRACTIONS:
                text = pattern.sub(expansion, text)
        return in_digits(text) if self.numerals == "digits" else text


def count_tags(texts: Iterable[str]) -> Counter[str]:
    """Return tag → number of occurrences in the texts.

    >>> count_tags(["<unk> 好", "好 [laughter] <unk>", "50%", "3 < 5 > 2", "[1]"])
    Counter({'<unk>': 2, '[laughter]': 1})
    """
    found: Counter[str] = Counter()
    for text in texts:
        if not _MARKS.isdisjoint(text):
            found.update(TAG.findall(text))
    return found


_MARKS = frozenset("<[{%(")

# Numerals. A run of digits and Chinese units is a number if the units come in order, as in 二十三,
# 一万零五 and 3.5万; the last digit of 三万五 is 5000. Digits without a unit are read one by one:
# 二零二四 is 2024. In any other run, each digit becomes one of ASCII, and units stay.

_ZEROS = "零〇0０"
_DIGITS = {digit: str(value) for value, digit in enumerate("零一二三四五六七八九")}
_DIGITS |= {"〇": "0", "两": "2", "兩": "2"} | {str(n): str(n) for n in range(10)}
_DIGITS |= {chr(0xFF10 + n): str(n) for n in range(10)}
_TO_ASCII = str.maketrans(_DIGITS | dict.fromkeys("点點．", "."))
_DIGIT, _UNIT, _MARK = f"[{''.join(_DIGITS)}]", "[十百千万萬亿億]", "[点點.．]"
_NUMBER = rf"{_DIGIT}+(?:{_MARK}{_DIGIT}+)?"
_PERCENT = "百分之"
_GROUPED = re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])")
_NUMERAL = re.compile(rf"(?:{_PERCENT})?(?:{_DIGIT}|{_UNIT}|(?<={_DIGIT}){_MARK}(?={_DIGIT}))+")
_PLAIN = re.compile(_NUMBER)
_WITH_FRACTION = re.compile(rf"(.*{_UNIT}{_DIGIT}?){_MARK}({_DIGIT}+)")
# Parts of a number below ten thousand, and what stands directly before its last digit.
_SECTION = re.compile(
    rf"(?:({_NUMBER})千)?[{_ZEROS}]?(?:({_NUMBER})百)?[{_ZEROS}]?(?:({_DIGIT})?(十))?"
    rf"[{_ZEROS}]?({_DIGIT})?"
)
_MEASURE = re.compile(rf"(?<={_DIGIT})[两兩]")  # a measure word after a digit: 八两
_MAX_LENGTH = 40  # characters of a number with units


def in_digits(text: str) -> str:
    """Return the text with Chinese numerals in ASCII digits, whatever word they are part of.

    >>> [in_digits(t) for t in ("二十三", "二零二四年", "一万零五十", "3.5万", "三点一四", "1,000")]
    ['23', '2024年', '10050', '35000', '3.14', '1000']
    >>> [in_digits(t) for t in ("两百五", "十五", "百分之五十", "几百万", "半斤八两", "一起")]
    ['250', '15', '50%', '几百万', '半斤8两', '1起']
    """
    text = _GROUPED.sub(lambda match: match[0].replace(",", ""), text)
    return _NUMERAL.sub(_in_digits, text)


def _in_digits(match: re.Match[str]) -> str:
    numeral = match[0].removeprefix(_PERCENT)
    is_share = len(numeral) < len(match[0])
    value = _value(numeral)
    if value is None and re.search(_UNIT, numeral):
        return _PERCENT * is_share + _one_by_one(numeral)
    return (_one_by_one(numeral) if value is None else value) + "%" * is_share


def _one_by_one(numeral: str) -> str:
    """Return a numeral with each digit in ASCII.

    A second 两 in a row is a measure word, too, and so is one after another digit.
    """
    pieces = _MEASURE.split(numeral)
    marks = _MEASURE.findall(numeral)
    kept = [piece.translate(_TO_ASCII) for piece in pieces]
    return "".join(piece + mark for piece, mark in zip(kept, [*marks, ""], strict=True))


def _value(numeral: str) -> str | None:
    """Return a numeral with units in digits; None for other texts."""
    if len(numeral) > _MAX_LENGTH or not re.search(_UNIT, numeral):
        return None
    if match := _WITH_FRACTION.fullmatch(numeral):
        whole = _whole(match[1])
        return None if whole is None else f"{whole}.{match[2].translate(_TO_ASCII)}"
    whole = _whole(numeral)
    return None if whole is None else _written(whole)


def _written(value: Fraction) -> str | None:
    if value.denominator == 1:
        return str(value.numerator)
    decimals = f"{float(value):.6f}".rstrip("0")
    return decimals if Fraction(decimals) == value else None


def _whole(text: str) -> Fraction | None:
    """Return the number that a text with units spells; None if it spells none.

    >>> [_whole(text) for text in ("三万五", "三万零五", "两亿", "三万亿", "百万", "十十")]
    [Fraction(35000, 1), ..., Fraction(3000000000000, 1), None, None]
    """
    for marks, factor in (("亿億", 10**8), ("万萬", 10**4)):
        head, mark, rest = _cut_at_last(text, marks)
        if not mark:
            continue
        many = _whole(head) if head else None
        if many is None:
            return None
        if not rest:
            return many * factor
        few = _whole(rest.lstrip(_ZEROS) or "零")
        if few is not None and rest in _DIGITS:  # 三万五
            few *= factor // 10
        return None if few is None or few >= factor else many * factor + few
    return _section(text)


def _cut_at_last(text: str, marks: str) -> tuple[str, str, str]:
    place = max(text.rfind(mark) for mark in marks)
    return (text, "", "") if place < 0 else (text[:place], text[place], text[place + 1 :])


def _section(text: str) -> Fraction | None:
    """Return the number that a text without 万 and 亿 spells."""
    if _PLAIN.fullmatch(text):
        return Fraction(text.translate(_TO_ASCII))
    match = _SECTION.fullmatch(text)
    if match is None:
        return None
    thousands, hundreds, tens, ten, last = match.groups()
    value = Fraction(0)
    for digits, factor in ((thousands, 1000), (hundreds, 100)):
        value += Fraction(digits.translate(_TO_ASCII)) * factor if digits else 0
    value += Fraction(_DIGITS[tens] if tens else 1) * 10 if ten else 0
    if last:
        before = text[-2:-1]
        factor = {"千": 100, "百": 10}.get(before, 1)  # 一百五 is 150
        value += Fraction(_DIGITS[last]) * factor
    return value
