"""Every code point's class as ranges, and the C header made from them.

From the tests' directory, under a Python whose Unicode version is the one wanted:

    python -m oracle.character_ranges > ../celab/_native/character_ranges.h

The classes are those of `oracle.tokens`. `header_ranges` reads a header back, and `disagreements`
compares it with the running Python, whose Unicode version may be older or newer.
"""

import re
import sys
import unicodedata

from oracle.tokens import OTHER, character_class

NAMES = ("OTHER", "SPACE", "WORD", "JOINER", "EXTEND", "ZWJ", "REGIONAL", "PICTOGRAPH")

HEADER = """\
/* The class of every code point, for the `char` tokenizer. Unicode {version}.
 *
 * Made by tests/oracle/character_ranges.py; the rules are stated in tests/oracle/tokens.py:
 *   SPACE       white space, control characters (Cc), U+200B, U+2060, U+FEFF
 *   WORD        decimal digits (Nd); letters (L*) with LATIN in their name; U+00AA, U+00BA
 *   JOINER      . , ' : -
 *   EXTEND      marks (Mn Mc Me), U+200C, emoji modifiers, tags, Hangul vowels and finals,
 *               U+FF9E, U+FF9F
 *   ZWJ         U+200D
 *   REGIONAL    U+1F1E6..1F1FF
 *   PICTOGRAPH  U+2190..2BFF, U+3030, U+303D, U+3297, U+3299, rest of U+1F000..1FAFF
 * A code point in no range is OTHER. Ranges are sorted, disjoint, both ends included.
 */
#ifndef CELAB_CHARACTER_RANGES_H
#define CELAB_CHARACTER_RANGES_H

#include <stdint.h>

enum character_class {{
{enum}
}};

struct character_range {{
    uint32_t first, last;
    int kind;
}};

static const struct character_range character_ranges[] = {{
    /* {key} */
{rows}
}};

enum {{ N_CHARACTER_RANGES = {n} }};

#endif
"""


def ranges() -> list[tuple[int, int, int]]:
    """(first, last, class) for every longest run of one class other than OTHER."""
    found = []
    for code in range(sys.maxunicode + 1):
        kind = character_class(chr(code))
        if kind == OTHER:
            continue
        if found and found[-1][1] == code - 1 and found[-1][2] == kind:
            found[-1] = (found[-1][0], code, kind)
        else:
            found.append((code, code, kind))
    return found


def header() -> str:
    """The C header, from the running Python's Unicode database."""
    cells = [f"{{0x{first:04X}, 0x{last:04X}, {kind}}}," for first, last, kind in ranges()]
    rows = [""]
    for cell in cells:
        row = f"{rows[-1]} {cell}" if rows[-1] else f"    {cell}"
        if len(row) <= 100:
            rows[-1] = row
        else:
            rows.append(f"    {cell}")
    return HEADER.format(
        version=unicodedata.unidata_version,
        enum="\n".join(f"    CHARACTER_{name} = {i}," for i, name in enumerate(NAMES)),
        key=", ".join(f"{i} {name.lower()}" for i, name in enumerate(NAMES) if i != OTHER),
        rows="\n".join(rows),
        n=len(cells),
    )


def header_ranges(text: str) -> list[tuple[int, int, int]]:
    """The ranges in the text of a header."""
    cells = re.findall(r"\{0x([0-9A-F]+), 0x([0-9A-F]+), (\d)\}", text)
    return [(int(first, 16), int(last, 16), int(kind)) for first, last, kind in cells]


def header_version(text: str) -> tuple[int, ...]:
    """The Unicode version a header says it was made from."""
    return tuple(map(int, re.search(r"Unicode (\d+\.\d+\.\d+)", text).group(1).split(".")))


def disagreements(text: str) -> list[tuple[int, int, int]]:
    """(code point, class in the header, class in the running Python) wherever the two differ.

    Only code points assigned in both Unicode versions can be compared. Code points never lose
    their assignment, so one assigned in the older version is assigned in both. When the running
    Python has the older version, it knows which those are; when it has the newer, it does not,
    and code points the header leaves as OTHER are skipped.
    """
    in_header = [OTHER] * (sys.maxunicode + 1)
    for first, last, kind in header_ranges(text):
        in_header[first : last + 1] = [kind] * (last + 1 - first)
    running_version = tuple(map(int, unicodedata.unidata_version.split(".")))
    header_is_older = header_version(text) < running_version
    found = []
    for code, kind in enumerate(in_header):
        if unicodedata.category(chr(code)) == "Cn" or (header_is_older and kind == OTHER):
            continue
        running = character_class(chr(code))
        if running != kind:
            found.append((code, kind, running))
    return found


if __name__ == "__main__":
    print(header(), end="")
