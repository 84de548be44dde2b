"""The code blocks of a page, the commands in them, and what a page shows of their output.

A ```console block holds commands (`$ celab …`, `$ celab-…`, with `| head -N` or `> FILE` if need
be) and what they print, standard output first. `…` stands for any part of a line, a line `...` or
`[… words …]` for any lines.

`tests/repository/test_docs.py` and `.ci/release_check.py` read pages by these functions. The latter
runs without celab and without pytest, so this module imports neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

# Versions of packages that others make; what is of our own making, and digests, must be right.
_VERSIONS = re.compile(r"\b(opencc:|version:|(?:HanTa|simplemma|wordfreq|jieba)-)\d+(?:\.\d+)+")


class Block(NamedTuple):
    line: int  # of its first line in the page
    info: str  # what stands after the fence, "" for an indented block
    lines: list[str]

    @property
    def end(self) -> int:
        """The number of the line after it."""
        return self.line + len(self.lines)


class Command(NamedTuple):
    line: int  # of the block in the page
    words: str  # as it is typed
    shown: list[str]  # what the page shows of its output


def blocks(text: str) -> list[Block]:
    """All code of a page, in order."""
    found: list[Block] = []
    fence: Block | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        if fence is not None:
            if line.startswith("```"):
                fence = None
            else:
                fence.lines.append(line)
        elif line.startswith("```"):
            fence = Block(number + 1, line[3:].strip(), [])
            found.append(fence)
        elif line.startswith("    "):
            if not (found and not found[-1].info and found[-1].end == number):
                found.append(Block(number, "", []))
            found[-1].lines.append(line[4:])
    assert fence is None, "a fence is not closed"
    return found


def commands(text: str) -> list[Command]:
    """All commands of the console blocks of a page, in order."""
    found: list[Command] = []
    for block in blocks(text):
        if block.info == "console":
            assert block.lines and block.lines[0].startswith("$ "), f"line {block.line}: no command"
            for line in block.lines:
                if line.startswith("$ "):
                    found.append(Command(block.line, line[2:], []))
                else:
                    found[-1].shown.append(line)
    return found


def is_shown(shown: Iterable[str], printed: str) -> bool:
    """Whether a page that shows these lines shows what is printed, whatever it leaves out."""
    expression = _pattern(map(unversioned, shown))
    return re.fullmatch(expression, unversioned(printed)) is not None


def unversioned(text: str) -> str:
    """The text without the versions of packages that others make."""
    return _VERSIONS.sub(r"\1N", text)


def _pattern(shown: Iterable[str]) -> str:
    parts = []
    for line in shown:
        if line == "..." or re.fullmatch(r"\[….*…\]|\[…\]", line):
            parts.append(r"(?:.*\n)*")
        else:
            parts.append(".*".join(map(re.escape, line.split("…"))) + r"\n")
    return "".join(parts)
