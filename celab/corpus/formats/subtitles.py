r"""Subtitles: SubRip (`.srt`) and WebVTT.

    1                                              WEBVTT
    00:00:01,000 --> 00:00:02,500
    <i>An umbrella</i>                             intro
                                                   00:01.000 --> 00:02.500 align:start
                                                   <v Ann>An umbrella

A cue is a segment; line breaks in it are kept. Its id is the counter, or the cue's identifier if
every cue of a WebVTT file has one, else its number in the file. A cue of SubRip may have blank
lines; a counter that the cues around it leave out says that a line of times is lost. Tags of the
formats (`b`, `i`, `u`, `s`, `font`, `c`, `v`, `lang`, `ruby`, `rt`, times) and `{\…}` are inline
codes; all other `<…>` and `{…}` are text. Comments, styles and regions of WebVTT are no text.
`--align` uses the times. A subtitle file has one language, so it has the role that the caller gives
it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from celab.base import io
from celab.base.errors import InputError
from celab.base.options import is_digits, whole_number
from celab.corpus.formats import CLOCK
from celab.corpus.formats.units import Unit, parts_of
from celab.corpus.model import CodedText, FilePart, Segment, TextFile

_TIMES = re.compile(rf"[ \t]*{CLOCK}[ \t]*-->[ \t]*{CLOCK}(?:[ \t].*)?")
_CODE = re.compile(
    r"</?(?:b|i|u|s|font|c|v|lang|ruby|rt)(?:[ .\t][^<>]*+)?>|<(?:\d+:)?\d+:\d+\.\d+>"
    r"|\{\\[^{}]*+\}",
    re.IGNORECASE,
)
_DAMAGED_TIMES = re.compile(
    r"[ \t]*\d{1,4}:[\d:.,]*[ \t]*-->.*"
    rf"|[ \t]*{CLOCK}[ \t]*(?:[-=\u2013\u2014>\u2192]{{1,4}}|--&gt;)[ \t]*{CLOCK}[ \t]*"
)
_NO_CUES = ("NOTE", "STYLE", "REGION")
_ENTITIES = {
    **{"&lt;": "<", "&gt;": ">", "&nbsp;": "\u00a0", "&lrm;": "\u200e", "&rlm;": "\u200f"},
    "&amp;": "&",
}
_ENTITY = re.compile("|".join(_ENTITIES))


class _Cue(NamedTuple):
    line: int
    id: str
    start: int  # milliseconds
    end: int
    text: str


def srt(file: TextFile) -> list[FilePart]:
    """Return the cues as a reference, a system or a source."""
    lines = io.split_lines(file.text)
    cues = list(_cues(file, lines))
    for cue, following in zip_longest(cues, cues[1:]):
        _check_counters(file, lines, cue, following)
    return _parts(file, cues, str)


def vtt(file: TextFile) -> list[FilePart]:
    """Return the cues as a reference, a system or a source."""
    return _parts(file, _vtt_cues(file), _resolved)


def _vtt_cues(file: TextFile) -> list[_Cue]:
    lines = io.split_lines(file.text)
    lines = _without_blocks(lines, _header_end(lines))
    cues = list(_cues(file, lines))
    for cue in cues:
        _check_end(file, lines, cue)
    return cues


def _check_counters(
    file: TextFile, lines: Sequence[str], cue: _Cue, following: _Cue | None
) -> None:
    """Raise `InputError` if the text of a cue has the counter of another one.

    The counter must be between those of this cue and the following one. After the last cue it must
    be the next number, below a blank line.
    """
    counter = whole_number(cue.id)
    stop: int | None
    if following is None:
        stop, end = (counter or 0) + 2, len(lines)
    else:
        stop, end = whole_number(following.id), following.line - 2
    if counter is None or stop is None:
        return
    for number in range(cue.line, end):
        other = whole_number(lines[number].strip())
        is_between = other is not None and counter < other < stop
        if is_between and (following is not None or not lines[number - 1].strip()):
            raise InputError(
                f"{file.name}, line {number + 1}: cue {other} has no line of times; it must be"
                " below the counter, such as 00:00:01,000 --> 00:00:02,500"
            )


def _header_end(lines: Sequence[str]) -> int:
    """Return the line after the header: a blank line, or the first line of a cue."""
    ends = (number for number, line in enumerate(lines) if not line.strip() or "-->" in line)
    end = next(ends, len(lines))
    has_counter = end < len(lines) and "-->" in lines[end] and is_digits(lines[end - 1].strip())
    return end - has_counter


def _check_end(file: TextFile, lines: Sequence[str], cue: _Cue) -> None:
    """Raise `InputError` if text follows the blank line at which a cue of WebVTT ends."""
    text, _, rest = cue.text.partition("\n\n")
    if rest.strip():
        line = next(n for n in range(cue.line + text.count("\n") + 1, len(lines)) if lines[n])
        raise _no_cue(file, lines, line)


def _resolved(text: str) -> str:
    return _ENTITY.sub(lambda entity: _ENTITIES[entity[0]], text) if "&" in text else text


def _without_blocks(lines: Sequence[str], start: int) -> list[str]:
    """Return the lines, blank where there are the header, comments, styles and regions."""
    kept, is_skipped, is_after_blank = [""] * start, False, True
    for line in lines[start:]:
        if not line.strip():
            is_skipped = False
        elif is_after_blank and line.split(maxsplit=1)[0] in _NO_CUES:
            is_skipped = "-->" not in line
        is_after_blank = not line.strip()
        kept.append("" if is_skipped else line)
    return kept


def _cues(file: TextFile, lines: Sequence[str]) -> Iterator[_Cue]:
    """Yield the cues; a line of times begins one, and the line before it may be its id."""
    starts = [
        (number, match)
        for number, line in enumerate(lines)
        if ":" in line and (match := _times(file, number, line))
    ]
    if not starts:
        raise InputError(
            f"{file.name} has no cue; a line such as 00:00:01,000 --> 00:00:02,500 begins one"
        )
    begins = [_begin(lines, number) for number, _ in starts]
    for line in range(begins[0]):
        if lines[line].strip():
            raise _no_cue(file, lines, line)
    ends = [*begins[1:], len(lines)]
    previous = 0
    for (number, match), begin, end in zip(starts, begins, ends, strict=True):
        start, stop = _milliseconds(match.groups()[:4]), _milliseconds(match.groups()[4:])
        if start < previous or stop < start:
            raise InputError(
                f"{file.name}, line {number + 1}: the times run backward: {lines[number].strip()}"
                + (" begins before the cue above it" if start < previous else ""),
                hint="sort the cues by time",
            )
        previous = start
        text = "\n".join(lines[number + 1 : end]).strip("\n")
        yield _Cue(number + 1, lines[begin].strip() if begin < number else "", start, stop, text)


def _times(file: TextFile, number: int, line: str) -> re.Match[str] | None:
    """Return the times of a line, None if it is text; `InputError` if they are damaged."""
    match = _TIMES.fullmatch(line)
    if match is None and _DAMAGED_TIMES.fullmatch(line):
        raise InputError(
            f"{file.name}, line {number + 1}: {line.strip()[:40]!r} has no two times; it must be"
            " like 00:00:01,000 --> 00:00:02,500"
        )
    return match


def _no_cue(file: TextFile, lines: Sequence[str], line: int) -> InputError:
    return InputError(
        f"{file.name}, line {line + 1}: {lines[line][:40]!r} is outside a cue; a line of times"
        " must come before it"
    )


def _begin(lines: Sequence[str], number: int) -> int:
    """Return the index where a cue begins: its id, which follows a blank line, or its times."""
    has_id = number > 0 and bool(lines[number - 1].strip()) and "-->" not in lines[number - 1]
    is_id = has_id and (
        number == 1 or not lines[number - 2].strip() or is_digits(lines[number - 1].strip())
    )
    return number - 1 if is_id else number


def _milliseconds(groups: Sequence[str | None]) -> int:
    hours, minutes, seconds, fraction = groups
    whole = (int(hours or 0) * 60 + int(minutes or 0)) * 60 + int(seconds or 0)
    return whole * 1000 + int((fraction or "0").ljust(3, "0"))


def _parts(file: TextFile, cues: Sequence[_Cue], resolve: Callable[[str], str]) -> list[FilePart]:
    has_ids = all(cue.id for cue in cues)  # WebVTT need not have them

    def units() -> Iterator[Unit]:
        for number, cue in enumerate(cues, start=1):
            key = Segment("", cue.id if has_ids else str(number))
            pieces = _CODE.split(cue.text)
            text = CodedText(resolve("".join(pieces)), tuple(_CODE.findall(cue.text)))
            source = text if file.role == "source" else None
            yield Unit(key, source, text, times=(cue.start, cue.end))

    return parts_of(file, units())
