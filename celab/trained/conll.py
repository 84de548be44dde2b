"""Relations from a parser: a folder with the files of the CoNLL shared tasks of 2015 and 2016 (Xue
et al. 2016).

    parses.json      an object with the sentences of each document, and their words
    relations.json   a relation in each line: DocID, Type, Sense, and the tokens of Arg1 and Arg2

A token is its number in the document, counted from 0, or a list that ends with the numbers of its
sentence and of the token there. English senses begin with their class; Chinese ones are flat. A
relation with senses of several classes counts once for each class. A text is found by its
characters without spaces, brackets and quotes, because parsers change these.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping

from celab.base import io
from celab.base.errors import InputError, LimitError
from celab.base.json_files import JsonError, List, Shape, ShapeError, Text, check, parse_json
from celab.base.options import LIMITS
from celab.base.text.escapes import escape_controls
from celab.trained.relations import Argument, Discourse, Relation, term_of
from celab.words.model import Analyzer

PARSES, RELATIONS = "parses.json", "relations.json"
# First part of a sense → class. Flat senses are those of Chinese (Zhou and Xue 2015).
CLASSES = {
    "Comparison": "Comp",
    "Contingency": "Cont",
    "EntRel": "EntRel",
    "Expansion": "Exp",
    "NoRel": "NoRel",
    "Temporal": "Temp",
    **dict.fromkeys(("Causation", "Condition", "Conditional", "Purpose"), "Cont"),
    **dict.fromkeys(("Alternative", "Conjunction", "Progression"), "Exp"),
    "Contrast": "Comp",
}
TYPES = ("Explicit", "Implicit", "AltLex", "EntRel", "NoRel")
_PARTS: Mapping[str, Shape] = {
    "DocID": Text(),
    "Type": Text("|".join(TYPES), right=f"one of {', '.join(TYPES)}"),
    "Sense": List(Text(), least=1),
}
_PENN = {"``": '"', "''": '"', "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]"}
_QUOTES = str.maketrans("“”‘’", "\"\"''")

# Sentence → token → its term, or None for a token that is not a term.
Terms = list[list[str | None]]


class ParsedTexts:
    """The texts of a folder, with their relations: `documents` by name."""

    def __init__(self, folder: io.AnyPath, analyzer: Analyzer) -> None:
        self.folder = os.fspath(folder)
        parses, relations = (_read(os.path.join(folder, name)) for name in (PARSES, RELATIONS))
        self.name = f"conll@{hashlib.sha256(parses + relations).hexdigest()[:12]}"
        parsed = _documents(parses, os.path.join(self.folder, PARSES))
        terms: dict[str, Terms] = {
            name: [[*map(term_of, analyzer.tagged(forms))] for forms in sentences]
            for name, sentences in parsed.items()
        }
        found: dict[str, list[Relation]] = {name: [] for name in parsed}
        for number, line in enumerate(relations.splitlines(), 1):
            if line.strip():
                where = f"{os.path.join(self.folder, RELATIONS)}, line {number}"
                name, of_line = _relations(line, terms, where)
                found[name] += of_line
        self.documents = {
            name: Discourse([[*dict.fromkeys(filter(None, s))] for s in terms[name]], found[name])
            for name in parsed
        }
        self._names = {
            _characters(form for forms in sentences for form in forms): name
            for name, sentences in parsed.items()
        }

    def relate(self, text: str) -> Discourse:
        """Return the terms and the relations of a text; `InputError` if it is not among them."""
        name = self._names.get(_characters([text]))
        if name is None:
            start = " ".join(text.split())
            raise InputError(
                f"{os.path.join(self.folder, PARSES)} does not have the text"
                f" {escape_controls(start[:30])!r}; relations must be those of the texts"
            )
        return self.documents[name]


def _read(path: str) -> bytes:
    """Return the bytes of a file, decompressed."""
    right = "a file of CoNLL 2015 or 2016"
    with io.reading(path, InputError, right):
        io.check_regular(path, path, InputError, right)
        with io.open_binary(path) as file:
            data = file.read(LIMITS.max_file + 1)
    if len(data) > LIMITS.max_file:
        raise LimitError(f"{path} has more than {LIMITS.max_file} bytes, which is the limit")
    return data


def _characters(parts: Iterable[str]) -> str:
    """Return the characters that a text shares with its parse: no spaces, plain quotes."""
    return "".join("".join(parts).split()).translate(_QUOTES)


def _documents(data: bytes, path: str) -> dict[str, list[list[str]]]:
    """Return the words of each sentence of each document."""
    try:
        return {
            name: [
                [_PENN.get(form, str(form)) for form, *_ in sentence["words"]]
                for sentence in document["sentences"]
            ]
            for name, document in parse_json(data).items()
        }
    except (ValueError, TypeError, AttributeError, LookupError):
        raise InputError(
            f"{path} has no sentences of CoNLL 2015 or 2016; it must be an object with the"
            " sentences of each document, and their words"
        ) from None


def _relations(line: bytes, terms: Mapping[str, Terms], where: str) -> tuple[str, list[Relation]]:
    """Return the document of a line, and its relations, one for each class."""
    try:
        relation = parse_json(line)
        if not isinstance(relation, dict):
            raise JsonError("it is not an object")
        for part, shape in _PARTS.items():
            if part not in relation:
                raise ShapeError(f"it has no {part}")
            check(relation[part], shape, part)
    except (JsonError, ShapeError) as error:
        raise InputError(f"{where}: {error}") from None
    name = relation["DocID"]
    if name not in terms:
        raise InputError(
            f"{where}: {escape_controls(name)!r} is not a document of {PARSES}; both files must be"
            " of the same texts"
        )
    kinds = dict.fromkeys(_class_of(sense, where) for sense in relation["Sense"])
    arg1, arg2 = (
        _argument(relation.get(arg), terms[name], f"{where}: {arg}") for arg in ("Arg1", "Arg2")
    )
    return name, [Relation(kind, relation["Type"] == "Explicit", arg1, arg2) for kind in kinds]


def _class_of(sense: str, where: str) -> str:
    first = sense.partition(".")[0]
    if first not in CLASSES:
        raise InputError(
            f"{where}: unknown sense {escape_controls(sense)!r}; it must begin with one of"
            f" {', '.join(CLASSES)}"
        )
    return CLASSES[first]


def _argument(argument: object, sentences: Terms, where: str) -> Argument:
    """Return the terms of an argument by sentence."""
    tokens = argument.get("TokenList") if isinstance(argument, dict) else None
    if not isinstance(tokens, list):
        raise InputError(f"{where} has no TokenList")
    places = [(s, number) for s, terms in enumerate(sentences) for number in range(len(terms))]
    known = set(places)
    found: dict[int, set[str]] = {}
    for token in tokens:
        if isinstance(token, int):
            place = places[token] if 0 <= token < len(places) else None
        else:
            end = tuple(token[-2:]) if isinstance(token, list) else ()
            place = end if all(isinstance(x, int) for x in end) and end in known else None
        if place is None:
            raise InputError(
                f"{where} has the token {escape_controls(str(token))[:40]}, which the text does not"
                f" have: it has {len(places)} tokens in {len(sentences)} sentences, from 0"
            )
        sentence, number = place
        if term := sentences[sentence][number]:
            found.setdefault(sentence, set()).add(term)
    return {sentence: frozenset(terms) for sentence, terms in found.items()}
