"""Open Multilingual Wordnet, tab files: one row per sense, `02124623-v<TAB>cmn:lemma<TAB>看见`.

The rows of a synset need not stand together; its id is the label. Only lemmas are read: other rows
(`cmn:def`, `cmn:exe`, `arb:lemma:root`) are no words of the synset. Old files have `lemma` without
a language. The first line is `# name<TAB>language<TAB>address<TAB>license`.

In Chinese, `+` marks a joint inside a word. It is removed; a form that ends in 的 or 地 after a
joint stands for two, because text has both:

>>> list(chinese_forms("有经验+的"))
['有经验的', '有经验']
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from celab.lexicon.source import Labeled, SourceFile, rows_of

_ROW = re.compile(r"\d{8}-[a-z]\t(?:\w+:)?(?:lemma|def|exe)\b", re.ASCII)
_ID = re.compile(r"\d{8}-[a-z]", re.ASCII)
# A joint has Chinese on one side at least, unlike the signs of C++ and A+.
_JOINT = re.compile(r"(?<=[^\s\x00-\x7f])\s*\+\s*(?=\S)|(?<=\S)\s*\+\s*(?=[^\s\x00-\x7f])")

# Wordnets name languages by three letters or two; `qcn` is their own code for Chinese of Taiwan.
_LANGUAGES = {
    "zh": {"zh", "zho", "chi", "cmn", "qcn"},
    "de": {"de", "deu", "ger"},
    "en": {"en", "eng"},
    "ja": {"ja", "jpn"},
    "ko": {"ko", "kor"},
}


def speaks(code: str, language: str) -> bool:
    """Return whether a wordnet's code, such as `cmn` or `zh-Hant`, means the language."""
    first = code.lower().replace("_", "-").split("-")[0]
    return first in _LANGUAGES.get(language, {language})


def chinese_forms(word: str) -> Iterator[str]:
    """Yield the forms that a word with joints stands for."""
    *stems, last = _JOINT.split(word)
    yield "".join([*stems, last])
    if stems and last in ("的", "地"):
        yield "".join(stems)


def recognizes(path: Path, head: str) -> bool:
    """Return whether the first line that is not a comment is a row of a synset."""
    return bool(_ROW.match(next(iter(rows_of(head)), "")))


def provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """Return origin and license from the header, which has no version."""
    first = head.split("\n", 1)[0]
    if not first.startswith("#"):
        return "", "", ""
    name, _, address, licence, *_ = [*map(str.strip, first.lstrip("#").split("\t")), "", "", ""]
    return ", ".join(filter(None, (name, address))), licence, ""


def read_groups(source: SourceFile) -> Labeled:
    """Yield one group per synset, in the order of their first rows."""
    only = source.settings.language
    synsets: dict[str, list[str]] = {}
    for number, line in source.rows():
        synset, kind, word, *_ = [*line.split("\t"), "", ""]
        language, _, kind = kind.rpartition(":")
        if not _ID.fullmatch(synset) or not kind:
            source.skip(number, f"{line[:20]!r} is not a row such as '00001740-v, cmn:lemma, 呼吸'")
            continue
        if kind != "lemma" or (only and language and not speaks(language, only)):
            continue
        word = " ".join(word.replace("_", " ").split())
        if not word:
            source.skip(number, f"synset {synset} has a lemma without a word")
            continue
        chinese = speaks(language or only or "", "zh")
        synsets.setdefault(synset, []).extend(chinese_forms(word) if chinese else (word,))
    yield from synsets.items()
