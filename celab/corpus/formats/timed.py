"""Words and segments of recordings, with their times: NIST's `.ctm` and `.stm`.

    stm    file channel speaker start end [<labels>] words…      a segment of a recording
    ctm    file channel start duration word [confidence …]       a word

Times are seconds; lines that begin with `;;` are comments. A segment of `.stm` is called by its
channel, start and end, within its recording. One that has `IGNORE_TIME_SEGMENT_IN_SCORING` is not
scored, nor are the words in it. The words of a `.ctm` go to the segment of the references that
holds their middle (`place_words`), as in NIST's `sclite`. Without a `.stm`, all words of a
recording are one segment with its name: Kaldi writes such a `.ctm` for each utterance.

Files without these suffixes are recognized if all their lines have this form.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import accumulate

from celab.base import io
from celab.base.errors import InputError, Setting
from celab.base.messages import warn
from celab.corpus.formats.utterances import COMMENT, refuse_choices
from celab.corpus.model import (
    MAX_LISTED,
    FilePart,
    Recording,
    Segment,
    TextFile,
    TimedWord,
    TimeSpan,
    gather_parts,
)
from celab.tables.cells import quantity

_SPACE = " \t"
_TIME = r"[0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9}"
_STM = re.compile(
    rf"(\S+)[ \t]+(\S+)[ \t]+(\S+)[ \t]+({_TIME})[ \t]+({_TIME})"
    r"(?:[ \t]+<[^<>\s]*>(?!\S))?(?:[ \t]+(.*))?"
)
_CTM = re.compile(rf"(\S+)[ \t]+(\S+)[ \t]+({_TIME})[ \t]+({_TIME})[ \t]+(\S+)(?:[ \t].*)?")
# Times without a point may be numbers of a text.
_POINT = re.compile(r"\.[0-9]")
_NUMBER_OR_NONE = re.compile(r"(?:[ \t]+(?:NA|[0-9.]+))?")
IGNORED = "ignore_time_segment_in_scoring"
_MARKS = re.compile(r"<ALT(?:_BEGIN|_END)?>", re.IGNORECASE)
MIN_LINES = 2  # enough to tell a `.ctm` without its suffix from text
SUFFIXES = {".stm": "stm", ".ctm": "ctm"}
# Confidence, type and speaker.
MAX_FIELDS_AFTER_WORD = 3


def stm(file: TextFile) -> list[FilePart]:
    """Return the segments of `.stm`, or the words of a file that is `.ctm`."""
    return [(_ctm_part if _kind(file) == "ctm" else _stm_part)(file)]


def ctm(file: TextFile) -> list[FilePart]:
    """Return the words of `.ctm`, for `place_words`, or the segments of a file that is `.stm`."""
    return [(_stm_part if _kind(file) == "stm" else _ctm_part)(file)]


def _kind(file: TextFile) -> str:
    """Return which of the two a file is, by its suffix, else by its first line; "" if both may be.

    The two come together, and a caller names one format for all files.
    """
    if suffix := SUFFIXES.get(io.suffix_of(file.path), ""):
        return suffix
    first = next((line for _, line in _rows(io.split_lines(file.text))), "")
    are = [name for name, line in (("stm", _STM), ("ctm", _CTM)) if line.fullmatch(first)]
    return are[0] if len(are) == 1 else ""


def _rows(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield lines that are no comments, with their numbers from 1."""
    for number, line in enumerate(lines, 1):
        text = line.strip(" \t\r")
        if text and not text.startswith(COMMENT):
            yield number, text


def _stm_part(file: TextFile) -> FilePart:
    role = file.role or "reference"
    segments, spans, ignored = [], [], []
    for number, line in _rows(io.split_lines(file.text)):
        where = f"{file.name}, line {number}"
        if (match := _STM.fullmatch(line)) is None:
            raise InputError(
                f"{where}: this is no segment of .stm; it must have file, channel, speaker, start"
                " and end in seconds, then words"
            )
        name, channel, _, start, end, words = match.groups("")
        span = TimeSpan(Recording(name, channel), Decimal(start), Decimal(end))
        if span.end < span.start:
            raise InputError(f"{where}: the segment ends at {end}, before it starts, at {start}")
        if words.strip().lower() == IGNORED:
            ignored.append(span)
            continue
        refuse_choices(where, words)
        spans.append(span)
        segments.append((role, file.name, span.key, words))
    parts = gather_parts(file, segments)
    if not parts:
        raise InputError(f"{file.name} holds no {role}; it must hold at least one segment")
    return replace(parts[0], spans=spans, ignored=ignored)


def _ctm_part(file: TextFile) -> FilePart:
    words = []
    for number, line in _rows(io.split_lines(file.text)):
        where = f"{file.name}, line {number}"
        if match := _MARKS.search(line):
            raise InputError(
                f"{where}: {match[0]} is of an alternation, which celab does not read; write the"
                " words that are to count"
            )
        if (match := _CTM.fullmatch(line)) is None:
            raise InputError(
                f"{where}: this is no word of .ctm; it must have file, channel, start and duration"
                " in seconds, then the word"
            )
        name, channel, start, duration, word = match.groups()
        begin = Decimal(start)
        middle = begin + Decimal(duration) / 2
        words.append(TimedWord(Recording(name, channel), begin, middle, word, number))
    role = file.role or "reference"
    if not words:
        raise InputError(f"{file.name} holds no {role}; it must hold at least one word")
    texts = [word.text for word in words]
    return FilePart(
        role=role, name=file.name, where=file.name, texts=texts, words=words, unit="word"
    )


def _is_segment(line: str) -> bool:
    match = _STM.fullmatch(line)
    return match is not None and any(_POINT.search(time) for time in match.group(4, 5))


def _is_word(line: str) -> bool:
    match = _CTM.fullmatch(line)
    return (
        match is not None
        and any(_POINT.search(time) for time in match.group(3, 4))
        and _NUMBER_OR_NONE.match(line, match.end(5)) is not None
        and len(line[match.end(5) :].split()) <= MAX_FIELDS_AFTER_WORD
    )


_IS_LINE: dict[str, Callable[[str], bool]] = {"stm": _is_segment, "ctm": _is_word}


def _all_are(format: str, lines: Sequence[str], n_least: int = 1) -> bool:
    n_lines = 0
    for _, line in _rows(lines):
        if not _IS_LINE[format](line):
            return False
        n_lines += 1
    return n_lines >= n_least


def may_have_times(start: str, *, may_end: bool = False) -> bool:
    r"""Return whether all whole lines at the beginning of a text are segments or words with times.

    `may_end` says that the text may have nothing more, so that its last line may be whole.

    >>> may_have_times("a 1 s 0.0 1.5 买伞\na 1 s 1."), may_have_times("a 1 2 times\n")
    (True, False)
    """
    lines = start.split("\n")
    return any(
        _all_are(format, part) for part in (lines[:-1], *[lines] * may_end) for format in _IS_LINE
    )


def find_times(parts: Sequence[FilePart]) -> list[FilePart]:
    """Return the parts of all files, with times where plain lines are segments or words with times.

    If references are segments, a system is segments or words. If they are not, a system is words
    if all its lines have such a form, and so are references.
    """
    plain = [part for part in parts if part.role != "source" and part.is_plain]
    references = [part for part in parts if part.role == "reference"]
    are_segments = bool(references) and all(
        part.spans or (part.is_plain and _all_are("stm", part.texts)) for part in references
    )
    are_words = all(part.is_plain and _all_are("ctm", part.texts, MIN_LINES) for part in references)
    found: dict[int, FilePart] = {}
    for part in plain:
        file = TextFile(path="", name=part.where, text="\n".join(part.texts), role=part.role)
        if are_segments:
            found[id(part)] = (stm if _all_are("stm", part.texts) else ctm)(file)[0]
        elif part.role == "reference" and not are_words:
            continue
        elif _all_are("ctm", part.texts, MIN_LINES):
            found[id(part)] = ctm(file)[0]
    return [found.get(id(part), part) for part in parts]


def place_words(parts: Sequence[FilePart], missing: str | None) -> tuple[list[FilePart], str]:
    """Return the parts, with the words of `.ctm` in segments, and the formats.

    Words outside of all segments count in none, and a warning says how many there are. `missing`
    is "skip" if words of recordings that references lack are left out; else they are an error.
    """
    formats = {"stm": any(part.spans for part in parts), "ctm": any(part.words for part in parts)}
    references = [part for part in parts if part.spans and part.role == "reference"]
    models = references or [part for part in parts if part.spans and part.role == "source"]
    sides = [part for part in parts if part.role != "source"]
    others = [part for part in sides if not (part.spans or part.words)]
    if others and (with_times := [part for part in sides if part.spans]):
        raise InputError(
            f"{with_times[0].where} is .stm, whose segments have times, but {others[0].where} has"
            " no times",
            hint="give both with times, or both with ids of utterances",
        )
    placed = []
    for part in parts:
        if part.words and models:
            part = _in_segments(part, models, missing)
        elif part.words:
            part = _by_recording(part, [other for other in parts if other.keys is not None])
        placed.append(part)
    return placed, ", ".join(name for name, is_there in formats.items() if is_there)


def _by_recording(part: FilePart, others: Sequence[FilePart]) -> FilePart:
    """Return a part whose segments are recordings; utterances of others have no channels."""
    recordings = dict.fromkeys(word.recording for word in part.words)
    names = [recording.name for recording in recordings]
    has_channels = len({*names}) < len(names)
    if has_channels and others:
        (twice, *_) = (name for name in names if names.count(name) > 1)
        raise InputError(
            f"{part.where} has several channels of {twice}, which {others[0].where} does not have",
            hint="give the references as .stm, with the times of their segments",
        )
    texts: dict[Segment, list[TimedWord]] = {}
    for word in part.words:
        id = (
            f"{word.recording.name}/{word.recording.channel}"
            if has_channels
            else (word.recording.name)
        )
        texts.setdefault(Segment("", id), []).append(word)
    return _with_texts(part, texts, list(texts))


def _in_segments(part: FilePart, models: Sequence[FilePart], missing: str | None) -> FilePart:
    """Return a part whose texts are cut at the segments of the references.

    Segments of recordings that the part does not have are missing.
    """
    spans = dict.fromkeys(span for model in models for span in model.spans)
    ignored = dict.fromkeys(span for model in models for span in model.ignored)
    by_recording: dict[Recording, list[TimeSpan]] = {}
    for span in (*spans, *ignored):
        by_recording.setdefault(span.recording.folded, []).append(span)
    index = {recording: _Index(own) for recording, own in by_recording.items()}
    own = {word.recording.folded for word in part.words}
    texts: dict[Segment, list[TimedWord]] = {
        span.key: [] for span in spans if span.recording.folded in own
    }
    outside: list[TimedWord] = []
    where = " and ".join(model.where for model in models)
    for word in part.words:
        held = (
            index[word.recording.folded].holding(word.middle)
            if (word.recording.folded in index)
            else None
        )
        if held is None:
            if missing != "skip":
                raise _unknown_recording(part, word, [*by_recording.values()], where)
            outside.append(word)
            continue
        of_text = [span for span in held if span in spans]
        if len(of_text) > 1:
            raise InputError(
                f"{part.where}, line {word.line}: the middle of {word.text} is in two segments of"
                f" {where}, {of_text[0]} and {of_text[1]}",
                hint="segments of a channel must not overlap",
            )
        if of_text:
            texts[of_text[0].key].append(word)
        elif not held:
            outside.append(word)
    if outside:
        words = ", ".join(f"{word.text} (line {word.line})" for word in outside[:MAX_LISTED])
        more = ", …" if len(outside) > MAX_LISTED else ""
        is_one = len(outside) == 1
        warn(
            f"{part.where}: {quantity(len(outside), 'word')} of {len(part.words)}"
            f" {'is' if is_one else 'are'} outside of all segments of {where} and"
            f" {'counts' if is_one else 'count'} in none: {words}{more}"
        )
    order = list(dict.fromkeys(key for model in models for key in model.order))
    return _with_texts(part, texts, order)


def _unknown_recording(
    part: FilePart, word: TimedWord, spans: Sequence[Sequence[TimeSpan]], where: str
) -> InputError:
    names = [str(of_recording[0].recording) for of_recording in spans]
    more = ", …" if len(names) > MAX_LISTED else ""
    return InputError(
        f"{part.where}, line {word.line}: {where} has no {word.recording}; there are"
        f" {', '.join(names[:MAX_LISTED])}{more}",
        hint=("use ", Setting("missing", "skip"), " to ignore its words"),
    )


def _with_texts(
    part: FilePart, texts: dict[Segment, list[TimedWord]], order: Sequence[Segment]
) -> FilePart:
    joined = [
        " ".join(word.text for word in sorted(words, key=lambda word: word.start))
        for words in texts.values()
    ]
    return replace(part, texts=joined, keys=list(texts), order=order, words=())


class _Index:
    """The segments of a recording, by time."""

    def __init__(self, spans: Sequence[TimeSpan]) -> None:
        self._spans = sorted(spans, key=lambda span: (span.start, span.end))
        self._starts = [span.start for span in self._spans]
        # The latest end of this segment and all before it: no earlier one holds a later time.
        self._latest = list(accumulate((span.end for span in self._spans), max))

    def holding(self, time: Decimal) -> list[TimeSpan]:
        """Return the segments that hold a time, of two neighbors the later one."""
        place = bisect_right(self._starts, time) - 1
        held, touched = [], []
        while place >= 0 and self._latest[place] >= time:
            span = self._spans[place]
            if span.end > time or span.start == span.end == time:
                held.append(span)
            elif span.end == time:
                touched.append(span)
            place -= 1
        return (held or touched[:1])[::-1]
