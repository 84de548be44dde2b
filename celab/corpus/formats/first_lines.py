"""Catalogs of gettext and subtitles, known by their first lines, whatever their names.

Files that are read a few lines at a time have shown only a beginning, so an answer may be None: it
is too early to tell.
"""

from __future__ import annotations

import re

CLOCK = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[,.](\d{1,3})"
_PO = re.compile(r"(?:[ \t\r]*+(?:#[^\n]*+)?\n)*+msg(?:ctxt|id)[ \t]+\"")
_EARLY_PO = re.compile(  # a beginning that may still become one
    r"(?:[ \t\r]*+(?:#[^\n]*+)?\n)*+"
    r"(?:[ \t\r]*+(?:#[^\n]*+)?|m(?:s(?:g(?:i(?:d[ \t]*)?|c(?:t(?:x(?:t[ \t]*)?)?)?)?)?)?)"
)
_SRT = re.compile(rf"\s*+(?:\d{{1,9}}[ \t\r]*+\n[ \t]*+)?{CLOCK}[ \t]*+-->")
_EARLY_SRT = re.compile(r"\s*+(?:\d{1,9}[ \t\r]*+(?:\n[ \t]*+)?)?[\d:,.]*+[ \t]*+-{0,2}")
_MAGIC = "WEBVTT"
_VTT = re.compile(rf"{_MAGIC}[ \t\r\n]")
_LOOKED_AT = 4096  # characters
# Characters, beside digits, that one of them may begin with, after white space.
BEGIN = "#mW:,.-"


def by_first_lines(start: str) -> str:
    r"""Return the format of a catalog or of subtitles, by the beginning of a text; else "".

    >>> by_first_lines("WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n"), by_first_lines("Hi")
    ('vtt', '')
    """
    answers = zip(_FORMATS, _answers(start), strict=True)
    return next((name for name, answer in answers if answer), "")


def may_be_structured(start: str) -> bool:
    r"""Return whether a text begins as one of the formats does, or may if more is read.

    >>> may_be_structured("1\n00:00:"), may_be_structured("1 umbrella\n")
    (True, False)
    """
    answers = _answers(start)
    return any(answers) or (len(start) < _LOOKED_AT and None in answers)


def _answers(start: str) -> list[bool | None]:
    return [is_format(start[:_LOOKED_AT]) for is_format in _FORMATS.values()]


def is_po(start: str) -> bool | None:
    """Return whether a text begins with an entry of a catalog, after comments.

    None means that it is too early to tell.

    >>> is_po('# Chinese\\n\\nmsgid ""\\n'), is_po("msgid is a keyword\\n"), is_po("# a")
    (True, False, None)
    """
    if _PO.match(start):
        return True
    return None if _EARLY_PO.fullmatch(start) else False


def is_srt(start: str) -> bool | None:
    r"""Return whether a text begins with a cue of SubRip; None if it is too early to tell.

    >>> is_srt("1\n00:00:01,000 --> 00:00:02,500\nHi\n"), is_srt("1\n00:00:01 is the time\n")
    (True, False)
    >>> is_srt("1\n00:00:")
    """
    if _SRT.match(start):
        return True
    return None if _EARLY_SRT.fullmatch(start) else False


def is_vtt(start: str) -> bool | None:
    """Return whether a text begins as WebVTT does; None if it is too early to tell."""
    if _VTT.match(start):
        return True
    return None if _MAGIC.startswith(start) else False


_FORMATS = {"po": is_po, "srt": is_srt, "vtt": is_vtt}
