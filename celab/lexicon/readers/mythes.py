"""MyThes, the thesauri of LibreOffice and Mozilla: `th_de_DE.dat` and the like.

    ISO8859-1
    Schirm|2
    (noun)|Regenschirm|Schutz (generic term)
    -|Bildschirm|Monitor (ugs.)

The first line is the encoding. An entry has a word and how many meanings follow, one per line: part
of speech, then terms. A group is the word and the terms of one meaning. Broader, related, similar
and opposite terms are marked as such and left out; other notes in brackets, `(synonym)` among them,
are stripped as in OpenThesaurus. The label is `Schirm, meaning 2`.
"""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from celab.base.errors import LexiconError
from celab.lexicon.readers.openthesaurus import forms
from celab.lexicon.source import Labeled, SourceFile

_ENTRY = re.compile(r"([^|]+)\|(\d{1,6})", re.ASCII)
_OTHER = re.compile(
    r"\((?:generic term|related term|similar term|antonym"
    r"|Antonym|Oberbegriff|Unterbegriff|Assoz[^()]*)\)"
)
# As dictionaries name them; a codec of Python that decodes no text must not be among them.
_ENCODING = re.compile(
    r"utf-?8|us-ascii|iso-?8859-?\d\d?|koi8-[ru]|(?:microsoft-)?(?:cp|windows-)125\d"
    r"|tis620(?:-2533)?|gb18030|gbk|gb2312|big5|euc-(?:jp|kr)|shift_jis",
    re.IGNORECASE,
)


def recognizes(path: Path, head: str) -> bool:
    """Return whether the file begins with an encoding and an entry."""
    first, second, *_ = [*head.split("\n"), "", ""]
    return bool(_ENCODING.fullmatch(first.strip()) and _ENTRY.fullmatch(second.strip()))


def provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """Return the name of the format; the file itself states nothing."""
    return "MyThes thesaurus", "", ""


def read_groups(source: SourceFile) -> Labeled:
    """Yield one group per meaning."""
    word, n_meanings, meaning = "", 0, 0
    for number, line in source.lines(_encoding(source)):
        line = line.strip()
        if number == 1 or not line:
            continue
        entry = _ENTRY.fullmatch(line)
        if meaning < n_meanings and not (entry and line[0] not in "(-|"):
            meaning += 1
            _, *terms = line.split("|")
            if not terms:
                source.skip(number, f"{line[:20]!r} is not a meaning such as '(noun)|umbrella'")
                continue
            plain = (term for term in terms if not _OTHER.search(term))
            words = (form for term in plain for form in forms(term))
            yield f"{word}, meaning {meaning}", [word, *words]
            continue
        if meaning < n_meanings:
            source.skip(number, f"{word!r} has {meaning} of {n_meanings} announced meanings")
        n_meanings = meaning = 0
        if entry:
            word, n_meanings = entry[1].strip(), int(entry[2])
        else:
            source.skip(number, f"{line[:20]!r} is not an entry such as 'word|2'")
    if meaning < n_meanings:
        source.skip("end", f"{word!r} has {meaning} of {n_meanings} announced meanings")


def _encoding(source: SourceFile) -> str:
    name = source.head().partition("\n")[0].strip()
    encoding = re.sub(r"(?i)^microsoft-|(?<=^tis620)-2533$", "", name)
    try:
        if not _ENCODING.fullmatch(name):
            raise LookupError
        codecs.lookup(encoding)  # ISO8859-12 does not exist
        return encoding
    except LookupError:
        raise LexiconError(
            f"lexicon {source.path}, line 1: {name[:20]!r} is not an encoding;"
            " the first line must be one, such as UTF-8 or ISO8859-1"
        ) from None
