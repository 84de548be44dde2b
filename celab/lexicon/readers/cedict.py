"""CC-CEDICT: `傳統 传统 [chuan2 tong3] /tradition/traditional/`, a Chinese-English dictionary.

Entries that share a gloss are a group, labeled with it; both the Traditional and the Simplified
form of an entry are words. Glosses are compared in this form:

>>> list(glosses("a book (CL)/to book; to reserve/surname Shu/CL:本[ben3]"))
['book', 'to book', 'to reserve']

Notes in brackets are removed. A leading article goes, but `to` stays: it tells a verb from a noun.
Capitals are made small in glosses of several words; in one word they tell a name (May, Turkey, Fox)
from what it was made of. Remarks that translate nothing are left out. A gloss of more than 12
entries is too vague to make synonyms of them (`bright`, 86 times).

A gloss such as `variant of 嘗|尝[chang2]` is none, but joins the entry with the one it names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from celab.base.text.tokens import has_letters
from celab.lexicon.source import Labeled, SourceFile, rows_of

MAX_ENTRIES = 12
_ENTRY = re.compile(r"(\S+) (\S+) \[\[?[^\[\]]*\]\]? /(.*)/\s*")
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_ARTICLE = re.compile(r"^(?:an?|the) (?=\S)", re.IGNORECASE)
_VARIANT = re.compile(
    r"(?:variant of|also written|same as) ([^\s\x00-\x7f]+)(?:\|([^\s\x00-\x7f]+))?"
)
_REMARK = re.compile(
    r"surname |cl:|classifier for|abbr\.|see (?:also )?[^\x00-\x7f]"
    r"|also (?:called|known as|pr\.|written)|(?:\S+ )*variant of|same as|used in|taiwan pr\.|pr\."
    r"|place name$|name of$",
    re.IGNORECASE,
)


def recognizes(path: Path, head: str) -> bool:
    """Return whether the first line that is not a comment is an entry."""
    return bool(_ENTRY.fullmatch(next(iter(rows_of(head)), "")))


def provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """Return what lines such as `#! date=2023-11-07T06:42:16Z` at the top state."""
    properties = dict(re.findall(r"^#! ?(\w+)=(\S*)", head, re.MULTILINE))
    publisher = f" ({properties['publisher']})" if properties.get("publisher") else ""
    return f"CC-CEDICT{publisher}", properties.get("license", ""), properties.get("date", "")


def read_groups(source: SourceFile) -> Labeled:
    """Yield variants in the order of entries, then one group per gloss."""
    sharing: dict[str, dict[tuple[str, str], None]] = {}
    for number, line in source.rows():
        entry = entry_of(line)
        if not entry:
            source.skip(
                number, f"{line[:20]!r} is not an entry such as '傳統 传统 [chuan2 tong3] /…/'"
            )
            continue
        pair, text = entry
        for variant in _VARIANT.finditer(text):
            yield f"variant of {variant[1]}", (*pair, *filter(None, variant.groups()))
        for gloss in glosses(text):
            entries = sharing.setdefault(gloss, {})
            if len(entries) <= MAX_ENTRIES:  # one more tells that there are too many
                entries[pair] = None
    for gloss, entries in sharing.items():
        if 1 < len(entries) <= MAX_ENTRIES:
            yield gloss, (word for pair in entries for word in pair)


def entry_of(line: str) -> tuple[tuple[str, str], str] | None:
    """Return the Traditional and Simplified form of an entry, and the text of its glosses."""
    entry = _ENTRY.fullmatch(line)
    return ((entry[1], entry[2]), entry[3]) if entry else None


def glosses(text: str) -> Iterator[str]:
    """Yield the glosses of an entry in the form in which entries are compared."""
    for gloss in re.split(r"[/;]", _BRACKETS.sub(" ", text)):
        gloss = " ".join(gloss.split())
        if not _REMARK.match(gloss):
            gloss = _ARTICLE.sub("", gloss)
            if has_letters(gloss):
                yield gloss.lower() if " " in gloss else gloss
