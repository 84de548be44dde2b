"""Encodings: bytes → text.

The encoding of a text is that of its byte order mark, else the one that the caller names, else the
one that its XML declaration, or the header of a PO file, names, else UTF-8. A byte order mark
belongs to no line.
"""

from __future__ import annotations

import codecs
import re

from celab.base.errors import EncodingError, InputError, OptionError

UTF8_MARK = codecs.BOM_UTF8
# UTF-32 before UTF-16, because its little-endian mark begins with that of UTF-16.
MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_WIDE_MARKS = tuple(mark for mark in MARKS if mark != UTF8_MARK)
_UNMARKED_XML = {b"<\0?\0x\0": "utf-16-le", b"\0<\0?\0x": "utf-16-be"}
_DECLARED = re.compile(rb"""\s*<\?xml\b[^<>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_DECLARATION_BYTES = 1000
_PO_HEADER = re.compile(  # after comments
    rb'(?:[ \t\r]*+(?:#[^\n]*+)?\n)*+[ \t]*msgid[ \t]+""\s*msgstr[ \t]+"(?:[^\n]|\n[ \t]*")*?'
    rb"\bcharset=(?!CHARSET)([A-Za-z0-9._:-]+)"  # CHARSET is what templates have
)
_PO_HEADER_BYTES = 1 << 16
# GB 2312 and GBK are subsets of GB 18030, and files that claim the first often need the last.
# Big5 has no such superset: HKSCS and Big5-ETEN give the same bytes to different characters.
# A byte order mark is looked for in any file, but only at its beginning.
_SUPERSET = {"gb2312": "gb18030", "gbk": "gb18030", "utf-8-sig": "utf-8"}
_WITH_STATE = ("iso2022", "hz")
# Encodings to try for a text that is not UTF-8, and the language that it must then be in. Of those
# for one language, the first that can decode it is taken.
_TRIED = (
    (("utf-16-le",), ("zh", "ja", "ko", "th", "western")),
    (("utf-16-be",), ("zh", "ja", "ko", "th", "western")),
    (("gb18030",), ("zh",)),
    (("big5", "cp950", "big5hkscs"), ("zh",)),
    (("euc-jp",), ("ja",)),
    (("shift_jis", "cp932"), ("ja",)),
    (("euc-kr", "cp949"), ("ko",)),
    (("tis-620", "cp874"), ("th",)),
    (("cp1252",), ("western",)),
)
_CLEARLY = 1.5  # times as plausible as the next encoding
_SAMPLE_BYTES = 100_000
# Codecs of names and of escapes; the latter can decode to lone surrogates, which no file can hold.
_NO_FILES = {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"}


def find_codec(encoding: str | None) -> str | None:
    """Return Python's name of the encoding that the caller named; `OptionError` if it has none."""
    codec = None if encoding is None else _codec(encoding)
    if encoding is not None and codec is None:
        hint = "it must be one that Python knows, such as utf-8, gb18030, big5 or utf-16"
        raise OptionError("encoding", encoding, hint)
    return codec


def has_byte_lines(codec: str, start: bytes) -> bool:
    """Return whether a file of that codec, with that beginning, can be split before it is decoded.

    In UTF-16 and UTF-32 a byte 0x0A can be half a character, in EBCDIC it is no line end, and
    encodings with a state carry it from line to line.
    """
    if start.startswith(_WIDE_MARKS) or codec.startswith(_WITH_STATE):
        return False
    return "\n".encode(codec) == b"\n"


def decode(data: bytearray, name: str, chosen: str | None) -> str:
    """Return the text of a file; `chosen` is the codec that the caller named."""
    codec, why = chosen or "utf-8", ""
    mark = next((mark for mark in MARKS if data.startswith(mark)), b"")
    if mark:
        codec, why = MARKS[mark], ", as its byte order mark says"
        del data[: len(mark)]
    elif chosen is None and (declared := _declared_codec(data, name) or codec) != codec:
        codec, why = declared, ", as it declares, or give its encoding"
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        # Counted in the text: a byte 0x0A can be half a character of UTF-16.
        line = data[: error.start].decode(codec, errors="ignore").count("\n") + 1
        byte = locate_byte(error, name, line)
    if codec == "utf-8":
        likely = "" if chosen or why else likely_codec(data)
        right = "" if chosen or why else ", or give its encoding"
        raise EncodingError(
            f"{byte} is not part of a UTF-8 character",
            hint=f"the text must be UTF-8{right}",
            likely=likely,
        ) from None
    raise InputError(
        f"{byte} is not part of a character of {codec}; the text must be {codec}{why}"
    ) from None


def likely_codec(data: bytes | bytearray) -> str:
    """Return the encoding in which all of the text can be decoded and reads as a language, else "".

    The same bytes are characters of several encodings, so all are tried, and one must be clearly
    more plausible than the others.

    >>> likely_codec("我们今天去北京".encode("gb18030")), likely_codec("我們今天去".encode("big5"))
    ('gb18030', 'big5')
    >>> likely_codec("明日は雨が降るでしょう".encode("euc-jp")), likely_codec(b"\\xff\\xfe\\xfd")
    ('euc-jp', '')
    """
    from celab.base.text.guessing import plausibility  # for this message only

    sample = bytes(data[:_SAMPLE_BYTES])
    tried: list[tuple[float, str]] = []
    for names, languages in _TRIED:
        for codec in names:
            text = _strictly_decoded(sample, codec, final=len(data) == len(sample))
            if text is not None:
                tried.append((max(plausibility(text, lang) for lang in languages), codec))
                break
    (best, codec), (second, _) = [*sorted(tried, reverse=True), (0.0, ""), (0.0, "")][:2]
    is_clear = best > _CLEARLY * second
    return codec if is_clear and _strictly_decoded(bytes(data), codec) is not None else ""


def _strictly_decoded(data: bytes, codec: str, final: bool = True) -> str | None:
    try:
        return codecs.getincrementaldecoder(codec)().decode(data, final)
    except UnicodeDecodeError:
        return None


def locate_byte(error: UnicodeDecodeError, name: str, line: int) -> str:
    """Return the file, the line and the byte that cannot be decoded, for a message."""
    return f"{name}, line {line}: byte 0x{error.object[error.start]:02X}"


def _declared_codec(data: bytearray, name: str) -> str | None:
    for start, codec in _UNMARKED_XML.items():
        if data.startswith(start):
            return codec
    declaration = _DECLARED.match(data[:_DECLARATION_BYTES])
    declaration = declaration or _PO_HEADER.match(data[:_PO_HEADER_BYTES])
    if declaration is None:
        return None
    label = declaration[1].decode("ascii")
    declared = _codec(label)
    # A declaration that can be read as ASCII cannot be right about UTF-16.
    if declared is None or declaration[1].decode(declared, errors="replace") != label:
        raise InputError(
            f"{name} declares the encoding {label!r}, in which it cannot be read; "
            "give the right encoding"
        )
    return declared


def _codec(label: str) -> str | None:
    """Return Python's name of the encoding; None if it is not an encoding of texts."""
    try:
        codec = codecs.lookup(label).name
        b"\0\0\0\0".decode(codec)
    except UnicodeDecodeError:  # a text encoding in which these bytes mean nothing
        pass
    except (LookupError, ValueError):  # ValueError: a name with a NUL or with a lone surrogate
        return None
    if codec.replace("_", "-") in _NO_FILES:
        return None
    return _SUPERSET.get(codec, codec)
