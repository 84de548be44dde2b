"""Lists of groups: our own, pairs, Cilin, and those of Sudachi, OpenThesaurus and MyThes."""

from __future__ import annotations

import codecs
import csv
import json
import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

from celab.base.errors import LexiconError
from celab.lexicon.source import Labeled, Reader, SourceFile, rows_of

# Plain groups: one per line, words separated by tabs; the format of our own lexicons.
#
# A line that starts with `#` is a comment; so is a last cell that does, usually a gloss:
#
#     雨伞	伞	# umbrella
#
# Without the tab before it, the comment is a part of the word, which then never matches; the reader
# warns.

_MAX_SHOWN_CHARACTERS = 30  # longer words are cut in messages
_COMMENT = re.compile(r"\s#")  # a space is needed, because C# is a word


def is_tsv(path: Path, head: str) -> bool:
    """Return whether the first line that is not a comment has a tab, or is a single word.

    `tsv_groups` reports the single word.
    """
    first = next(iter(rows_of(head)), "").strip()
    lone_word = len(first.split()) == 1 and not set(",;|") & set(first)
    return "\t" in first or lone_word


def tsv_provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """Return what comment lines such as `# licence: CC0` state."""
    properties: dict[str, str] = {}
    for line in head.split("\n"):
        if line.startswith("#") and ":" in line:
            key, _, value = line.lstrip("# ").partition(":")
            properties.setdefault(key.strip().lower(), value.strip())
    return (
        properties.get("origin", ""),
        properties.get("licence", ""),
        properties.get("version", ""),
    )


def tsv_groups(source: SourceFile) -> Labeled:
    """Yield one group per line; warn about comments inside words."""
    commented, n_commented = (0, ""), 0
    for number, line in source.rows():
        cells = [cell.strip() for cell in line.split("\t")]
        gloss = cells.pop().lstrip("# ") if cells[-1].startswith("#") else ""
        words = [cell for cell in cells if cell]
        if len(words) < 2:
            raise LexiconError(
                f"lexicon {source.path}, line {number}: {line[:20]!r} is one word;"
                " a group needs two or more, separated by tabs"
            )
        for word in filter(_COMMENT.search, words):
            commented = commented if n_commented else (number, word)
            n_commented += 1
        yield f"line {number} ({gloss})" if gloss else f"line {number}", words
    if n_commented:
        number, word = commented
        n_more = n_commented - 1
        like = f", like {n_more:,} more word{'s' if n_more > 1 else ''}" if n_more > 0 else ""
        word = word[:_MAX_SHOWN_CHARACTERS]
        source.add_warning(
            number, f"the word {word!r} has a comment in it{like}; write a tab before #"
        )


# Pairs of words as CSV: `umbrella,brolly`, with commas or semicolons, quoted where needed.
#
# A first line `word,synonym` is a header, a line that starts with `#` a comment. Each other line is
# a group of two, with the label `line N`.

_PAIRS_SAMPLE_LINES = 50
_HEADERS = (["word", "synonym"], ["word", "synonyms"], ["word1", "word2"])


def is_pairs(path: Path, head: str) -> bool:
    """Return whether the first line and nine of ten others have two cells."""
    if "openthesaurus" in "".join(s for s in head.split("\n") if s.startswith("#")).lower():
        return False
    lines = _sample(head)
    if not lines or lines[0][0] in "<{[" or any("\t" in s or s.endswith("/") for s in lines):
        return False
    delimiter = _delimiter(lines)
    two = [_is_pair(line, delimiter) for line in lines]
    return two[0] and sum(two) >= 0.9 * len(two)


def pairs_provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """Return empty texts: the file states nothing of itself."""
    return "", "", ""


def pairs_groups(source: SourceFile) -> Labeled:
    """Yield one group per line."""
    delimiter = _delimiter(_sample(source.head()))
    first = True
    for number, line in source.rows():
        cells = _cells(line, delimiter)
        is_header, first = first and [cell.lower() for cell in cells] in _HEADERS, False
        if is_header:
            continue
        if len(cells) == 2 and all(cells):
            yield f"line {number}", cells
        else:
            source.skip(number, f"{line[:20]!r} is not a pair such as 'word{delimiter}synonym'")


def _sample(head: str) -> list[str]:
    return [line.strip() for line in rows_of(head)[:_PAIRS_SAMPLE_LINES]]


def _delimiter(lines: list[str]) -> str:
    # Words may hold the other one: "Berlin, Stadt;Hauptstadt".
    return max(",;", key=lambda mark: sum(_is_pair(line, mark) for line in lines))


def _is_pair(line: str, delimiter: str) -> bool:
    cells = _cells(line, delimiter)
    return len(cells) == 2 and all(cells)


def _cells(line: str, delimiter: str) -> list[str]:
    # Line by line: a quote that is not closed must not swallow the lines after it.
    try:
        (cells,) = csv.reader([line], delimiter=delimiter, skipinitialspace=True, strict=True)
    except csv.Error:
        return []
    return [cell.strip() for cell in cells]


# Cilin (同义词词林, extended): a code and the words that share it, as lines or as a tree.
#
#     Aa01A01= 人 士 人物                                                           text
#     {"A": {"sub": {"a": {"sub": {"01": {"sub": {"A": {"sub": {"01=": ["人", …     JSON
#
# The code's five levels are its letters and digits (A, a, 01, A, 01); `=` marks synonyms, `#`
# related words, `@` a word that stands alone. The label is the whole code. Lines of one code are
# one group.

_CODE = re.compile(r"([A-Z][a-z]\d\d[A-Z]\d\d)([=#@])(?=\s|$)")
_TREE = re.compile(r'\s*\{\s*"[A-Z]"\s*:\s*\{\s*"(?:tag|sub)"')


def is_cilin(path: Path, head: str) -> bool:
    """Return whether the first line that is not a comment has a code, or the text is a tree."""
    first = next(iter(rows_of(head)), "").strip()
    return bool(_CODE.match(first) or _TREE.match(head))


def cilin_provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """Return what is known of Cilin; the file itself states nothing."""
    return (
        "HIT IR-Lab Tongyici Cilin (Extended)",
        "no licence granted by its makers: for research",
        "",
    )


def cilin_groups(source: SourceFile) -> Labeled:
    """Return one group per code."""
    if _TREE.match(source.head()):
        return _leaves(source, _tree(source), "")
    words: dict[str, list[str]] = {}
    for number, line in source.rows():
        line = line.strip()
        code = _CODE.match(line)
        if not code:
            # Cilin files have no bad lines, so one means that the file is damaged.
            raise LexiconError(
                f"lexicon {source.path}, line {number}: {line[:20]!r} has no Cilin code;"
                " it must start like 'Aa01A01= '"
            )
        words.setdefault(code[0], []).extend(line[code.end() :].split())
    return iter(words.items())


def _tree(source: SourceFile) -> object:
    try:
        return json.loads("\n".join(line for _, line in source.lines()))
    except (json.JSONDecodeError, RecursionError) as error:
        raise LexiconError(
            f"lexicon {source.path} is not a complete Cilin tree ({error}); it must be JSON"
        ) from None


def _leaves(source: SourceFile, node: object, code: str) -> Iterator[tuple[str, list[str]]]:
    for key, below in node.items() if isinstance(node, dict) else ():
        label = code + key
        if isinstance(below, dict) and len(label) < len("Aa01A01="):
            yield from _leaves(source, below.get("sub"), label)
        elif (
            _CODE.fullmatch(label)
            and isinstance(below, list)
            and all(isinstance(word, str) for word in below)
        ):
            yield label, below
        else:
            raise LexiconError(
                f"lexicon {source.path}: {label!r} is not a Cilin code with a list of words;"
                " it must be like 'Aa01A01='"
            )


# Sudachi's synonym dictionary: one word per line, `000127,1,0,1,0,2,0,(医療),インフル,,`.
#
# The first column is the group, the ninth the word. Those between tell nouns from verbs, how forms
# of a word are related, and its field; they may be empty. The third is 2 for a word that was taken
# out of its group: such rows are kept only so that nobody adds it again, and are left out here.
# Blank lines between groups are optional. The label is `group 000127`.

_GROUP, _EXPANSION, _WORD = 0, 2, 8
_TAKEN_OUT = "2"
_ROW = re.compile(r"\d{6},[12]?,[012]?,\d*,\d?,\d?,\d?,[^,]*,[^,]", re.ASCII)
_NUMBER = re.compile(r"\d{1,9}", re.ASCII)


def is_sudachi(path: Path, head: str) -> bool:
    """Return whether the first line has the columns of the format."""
    return bool(_ROW.match(head.lstrip()))


def sudachi_provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """Return what is known of the dictionary, which is published with SudachiDict."""
    return "Sudachi synonym dictionary (Works Applications)", "Apache-2.0", ""


def sudachi_groups(source: SourceFile) -> Labeled:
    """Yield one group per number, in the order of their first rows."""
    groups: dict[str, list[str]] = {}
    for number, line in source.lines():
        if not line.strip():
            continue
        try:
            (cells,) = csv.reader([line], strict=True)
        except csv.Error as error:
            source.skip(number, f"{line[:20]!r} is not valid CSV ({error})")
            continue
        cells = [cell.strip() for cell in cells]
        if len(cells) <= _WORD or not _NUMBER.fullmatch(cells[_GROUP]) or not cells[_WORD]:
            source.skip(number, f"{line[:20]!r} has no group in column 1 and word in column 9")
        elif cells[_EXPANSION] != _TAKEN_OUT:
            groups.setdefault(f"group {cells[_GROUP]}", []).append(cells[_WORD])
    yield from groups.items()


# OpenThesaurus export: one synset per line, `abfliegen;abdüsen (ugs.);(von etwas) fortfahren`.
#
# Notes in brackets are stripped, and terms with a gap (`Deputat...`) dropped. Brackets inside a
# word hold letters that may be left out, so that such a term stands for two.
#
# The label is `line N`. Comment lines at the top tell where the file is from.

_OPENTHESAURUS_SAMPLE_LINES = 50
_TERM = re.compile(r"(?:[^;()]++|\([^()]*\)|[()])++")  # a note may hold a semicolon
_NOTE = re.compile(r"(?<!\S)\([^()]*\)(?=[\s!?.,]|$)")
_SQUARE = re.compile(r"(?<!\S)\[[^\[\]]*\](?=\s|$)")
_OPTIONAL = re.compile(r"\(([\w-]+)\)")
_STRANDED = re.compile(r" (?=[!?.,](?: |$))")  # left by a note before a punctuation mark
_DATE = re.compile(r"generated (\d{4}-\d\d-\d\d)")
_ADDRESS = re.compile(r"https?://\S{0,99}openthesaurus\S*")
_LGPL = re.compile(r"Lesser General Public License.{0,999}?version (\d[\d.]*\d)", re.DOTALL)
_CC = re.compile(r"CC[ -]BY[ -]SA[ -]?[\d.]*\d|Creative Commons[^.\n]*", re.IGNORECASE)


def is_openthesaurus(path: Path, head: str) -> bool:
    """Return whether the header names it, or lines have terms and some have more than two."""
    if "openthesaurus" in _header(head).lower():
        return True
    lines = [line.strip() for line in rows_of(head)[:_OPENTHESAURUS_SAMPLE_LINES]]
    if not lines or lines[0][0] in "<{[" or any(re.search(r"[\t|]|/$", line) for line in lines):
        return False
    n_terms = [line.count(";") + 1 for line in lines]
    # Pairs of words have few such lines, if any.
    return min(n_terms) > 1 and sum(n > 2 for n in n_terms) > len(lines) / 10


def openthesaurus_provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
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


def openthesaurus_groups(source: SourceFile) -> Labeled:
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
    """Yield the words that a term stands for; none if it has a gap or a stray bracket.

    >>> list(forms("abdüsen (ugs.)")), list(forms("(an)steigen (Zahl)"))
    (['abdüsen'], ['ansteigen', 'steigen'])
    """
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


# MyThes, the thesauri of LibreOffice and Mozilla: `th_de_DE.dat` and the like.
#
#     ISO8859-1
#     Schirm|2
#     (noun)|Regenschirm|Schutz (generic term)
#     -|Bildschirm|Monitor (ugs.)
#
# The first line is the encoding. An entry has a word and how many meanings follow, one per line:
# part of speech, then terms. A group is the word and the terms of one meaning. Broader, related,
# similar and opposite terms are marked as such and left out; other notes in brackets, `(synonym)`
# among them, are stripped as in OpenThesaurus. The label is `Schirm, meaning 2`.

_ENTRY = re.compile(r"([^|]+)\|(\d{1,6})", re.ASCII)
_OTHER = re.compile(
    r"\((?:generic term|related term|similar term|antonym"
    r"|Antonym|Oberbegriff|Unterbegriff|Assoz[^()]*)\)"
)
# Encodings as dictionaries name them. Codecs of Python that do not decode text must not match.
_ENCODING = re.compile(
    r"utf-?8|us-ascii|iso-?8859-?\d\d?|koi8-[ru]|(?:microsoft-)?(?:cp|windows-)125\d"
    r"|tis620(?:-2533)?|gb18030|gbk|gb2312|big5|euc-(?:jp|kr)|shift_jis",
    re.IGNORECASE,
)


def is_mythes(path: Path, head: str) -> bool:
    """Return whether the file begins with an encoding and an entry."""
    first, second, *_ = [*head.split("\n"), "", ""]
    return bool(_ENCODING.fullmatch(first.strip()) and _ENTRY.fullmatch(second.strip()))


def mythes_provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """Return the name of the format; the file itself states nothing."""
    return "MyThes thesaurus", "", ""


def mythes_groups(source: SourceFile) -> Labeled:
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


READERS = {
    # A tab is all there is to recognize the format by.
    "tsv": Reader(is_tsv, tsv_provenance, tsv_groups, generality=1),
    # A line of almost any text may be two words with a comma.
    "pairs": Reader(is_pairs, pairs_provenance, pairs_groups, generality=2),
    "cilin": Reader(is_cilin, cilin_provenance, cilin_groups),
    "sudachi": Reader(is_sudachi, sudachi_provenance, sudachi_groups),
    "openthesaurus": Reader(is_openthesaurus, openthesaurus_provenance, openthesaurus_groups),
    "mythes": Reader(is_mythes, mythes_provenance, mythes_groups),
}
