"""OpenThesaurus export: one synset per line, `abfliegen;abdüsen (ugs.);(von etwas) fortfahren`.

Notes in brackets are stripped, and terms with a gap (`Deputat...`) dropped. Brackets inside a word
hold letters that may be left out, so that such a term stands for two:

>>> list(forms("abdüsen (ugs.)")), list(forms("(an)steigen (Zahl)"))
(['abdüsen'], ['ansteigen', 'steigen'])

The label is `line N`. Comment lines at the top tell where the file is from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

from celab.lexicon.source import Labeled, SourceFile, rows_of

_SAMPLE = 50  # lines looked at
_TERM = re.compile(r"(?:[^;()]++|\([^()]*\)|[()])++")  # a note may hold a semicolon
_NOTE = re.compile(r"(?<!\S)\([^()]*\)(?=[\s!?.,]|$)")
_SQUARE = re.compile(r"(?<!\S)\[[^\[\]]*\](?=\s|$)")
_OPTIONAL = re.compile(r"\(([\w-]+)\)")
_STRANDED = re.compile(r" (?=[!?.,](?: |$))")  # before a mark that a note stood before
_DATE = re.compile(r"generated (\d{4}-\d\d-\d\d)")
_ADDRESS = re.compile(r"https?://\S{0,99}openthesaurus\S*")
_LGPL = re.compile(r"Lesser General Public License.{0,999}?version (\d[\d.]*\d)", re.DOTALL)
_CC = re.compile(r"CC[ -]BY[ -]SA[ -]?[\d.]*\d|Creative Commons[^.\n]*", re.IGNORECASE)


def recognizes(path: Path, head: str) -> bool:
    """Return whether the header names it, or lines have terms and some have more than two."""
    if "openthesaurus" in _header(head).lower():
        return True
    lines = [line.strip() for line in rows_of(head)[:_SAMPLE]]
    if not lines or lines[0][0] in "<{[" or any(re.search(r"[\t|]|/$", line) for line in lines):
        return False
    n_terms = [line.count(";") + 1 for line in lines]
    # Pairs of words have few such lines, if any.
    return min(n_terms) > 1 and sum(n > 2 for n in n_terms) > len(lines) / 10


def provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """Return what the comment at the top states in prose."""
    text = _header(head)
    address = _ADDRESS.search(text)
    date = _DATE.search(text)
    licence = ""
    if lesser := _LGPL.search(re.sub(r"\s+", " ", text)):
        licence = f"LGPL {lesser[1]}" + (" or later" if "any later version" in text else "")
    elif creative := _CC.search(text):
        licence = creative[0].strip()
    origin = ", ".join(["OpenThesaurus", *([address[0]] if address else [])])
    return origin if text else "", licence, date[1] if date else ""


def read_groups(source: SourceFile) -> Labeled:
    """Yield one group per line."""
    for number, line in source.lines():
        if not line.strip() or (line.startswith("#") and not line.startswith("#;")):
            continue  # "#;Rautenzeichen" is a synset
        terms = _TERM.findall(line)
        if len(terms) < 2 and ";" not in line:
            source.skip(number, f"{line[:20]!r} is one term; a synset has some, separated by ';'")
            continue
        yield f"line {number}", (form for term in terms for form in forms(term))


def forms(term: str) -> Iterator[str]:
    """Yield the words that a term stands for; none if it has a gap or a stray bracket."""
    if not re.search(r"[()\[\]…]|\.\.\.", term):  # most terms
        if word := " ".join(term.split()):
            yield word
        return
    bare = _without_notes(term)
    for form in dict.fromkeys(_without_notes(_OPTIONAL.sub(kept, bare)) for kept in (r"\1", "")):
        if form and not re.search(r"\.\.\.|…|[()\[\]]", form):
            yield form


def _without_notes(term: str) -> str:
    # Twice, because some notes hold another.
    for _ in range(2):
        term = _NOTE.sub(" ", _SQUARE.sub(" ", term))
    return _STRANDED.sub("", " ".join(term.split()))


def _header(head: str) -> str:
    comments = takewhile(lambda line: line.startswith("#"), head.split("\n"))
    return "\n".join(line.lstrip("#").strip() for line in comments)
