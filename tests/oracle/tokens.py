"""Characters to tokens: the rule of the `char` tokenizer, one character at a time.

Every character has one class, the first of these that fits:

    SPACE       str.isspace(), control characters (Cc), U+200B, U+2060, U+FEFF
    ZWJ         U+200D
    REGIONAL    the regional indicators U+1F1E6..1F1FF
    EXTEND      marks (Mn, Mc, Me), U+200C, emoji modifiers U+1F3FB..1F3FF, tags U+E0020..E007F,
                Hangul vowels and finals U+1160..11FF and U+D7B0..D7FB, U+FF9E, U+FF9F
    WORD        decimal digits of any script (Nd); Latin letters: category L* with LATIN in the
                character's name, and the ordinal indicators U+00AA and U+00BA
    JOINER      . , ' : - (ASCII only; full-width forms reach here only when width="keep")
    PICTOGRAPH  U+2190..2BFF, U+3030, U+303D, U+3297, U+3299, U+1F000..1FAFF
    OTHER       everything else

Reading left to right, a SPACE ends the open token and belongs to none. Any other character starts
a token when none is open. When one is open, let `before` be the class of the character directly
before, and `base` that of the last character which is neither EXTEND nor ZWJ; then the character
joins the open token exactly if it is

    EXTEND, ZWJ   always;
    WORD          and base is WORD (so marks after a letter do not end a run);
    JOINER        and base is WORD and the very next character is WORD; base then stays WORD;
    PICTOGRAPH    and before is ZWJ, whatever stood before that;
    REGIONAL      and before is REGIONAL and that one started its token; the pair is then full.

Everything else starts a new token. A token that began with EXTEND or ZWJ has base OTHER.

`cluster` has two more rules for a character that is OTHER and would start a new token: it joins the
open one, whose base is then OTHER, if it is the vowel am of Thai (U+0E33) or Lao (U+0EB3), or if
U+17D2 or U+1039, which stack letters in Khmer and Burmese, is directly before it. `letter` has
these, too, but WORD and JOINER never join; and where white space separates two tokens, there is a
token " " between them.

>>> tokens("用3.5%的 Wi-Fi，U.S.")
['用', '3.5', '%', '的', 'Wi-Fi', '，', 'U.S', '.']
"""

import unicodedata

OTHER, SPACE, WORD, JOINER, EXTEND, ZWJ, REGIONAL, PICTOGRAPH = range(8)

JOINERS = ".,':-"
ZERO_WIDTH_SPACES = (0x200B, 0x2060, 0xFEFF)
ORDINAL_INDICATORS = (0xAA, 0xBA)  # Latin by script, but not by name
EXTEND_RANGES = (
    (0x1160, 0x11FF),
    (0x200C, 0x200C),
    (0xD7B0, 0xD7FB),
    (0xFF9E, 0xFF9F),
    (0x1F3FB, 0x1F3FF),
    (0xE0020, 0xE007F),
)
PICTOGRAPH_RANGES = (
    (0x2190, 0x2BFF),
    (0x3030, 0x3030),
    (0x303D, 0x303D),
    (0x3297, 0x3297),
    (0x3299, 0x3299),
    (0x1F000, 0x1FAFF),
)


def _within(code: int, ranges) -> bool:
    return any(first <= code <= last for first, last in ranges)


def character_class(character: str) -> int:
    """Class of one character, by the table above and the running Python's Unicode database."""
    code = ord(character)
    category = unicodedata.category(character)
    if character.isspace() or category == "Cc" or code in ZERO_WIDTH_SPACES:
        return SPACE
    if code == 0x200D:
        return ZWJ
    if 0x1F1E6 <= code <= 0x1F1FF:
        return REGIONAL
    if category in ("Mn", "Mc", "Me") or _within(code, EXTEND_RANGES):
        return EXTEND
    if category == "Nd" or code in ORDINAL_INDICATORS:
        return WORD
    if category[0] == "L" and "LATIN" in unicodedata.name(character, ""):
        return WORD
    if character in JOINERS:
        return JOINER
    if _within(code, PICTOGRAPH_RANGES):
        return PICTOGRAPH
    return OTHER


AM = "\u0e33\u0eb3"
STACKERS = "\u17d2\u1039"


def token_spans(text: str, tokenize: str = "char") -> list[tuple[int, int]]:
    """(start, stop) of every token of `text`, in characters; without the spaces of `letter`."""
    classes = [character_class(c) for c in text]
    spans = []
    start = None  # where the open token starts; None when none is open
    before = base = SPACE
    for i, kind in enumerate(classes):
        after = classes[i + 1] if i + 1 < len(classes) else SPACE
        if kind == SPACE:
            if start is not None:
                spans.append((start, i))
            start, before = None, SPACE
            continue

        if start is None:
            joins = False
        elif kind in (EXTEND, ZWJ):
            joins = True
        elif kind == WORD:
            joins = base == WORD and tokenize != "letter"
        elif kind == JOINER:
            joins = base == WORD and after == WORD and tokenize != "letter"
        elif kind == PICTOGRAPH:
            joins = before == ZWJ
        elif kind == REGIONAL:
            joins = before == REGIONAL and base == REGIONAL
        elif kind == OTHER and tokenize != "char":
            joins = text[i] in AM or text[i - 1] in STACKERS
        else:
            joins = False

        if joins:
            if kind == REGIONAL:
                base = OTHER  # the pair is full
            elif kind == PICTOGRAPH:
                base = PICTOGRAPH
            elif kind == OTHER:
                base = OTHER
            # EXTEND and ZWJ leave base as it was; WORD and JOINER join only where it is WORD
        else:
            if start is not None:
                spans.append((start, i))
            start = i
            base = OTHER if kind in (EXTEND, ZWJ) else kind
        before = kind
    if start is not None:
        spans.append((start, len(text)))
    return spans


def tokens(text: str, tokenize: str = "char") -> list[str]:
    """The tokens of `text`, as strings."""
    found: list[str] = []
    end = 0
    for start, stop in token_spans(text, tokenize):
        if tokenize == "letter" and found and start > end:
            found.append(" ")
        found.append(text[start:stop])
        end = stop
    return found


def fold_width(text: str) -> str:
    """Full-width ASCII variants U+FF01..FF5E to ASCII, the ideographic space U+3000 to a space."""
    folded = []
    for character in text:
        code = ord(character)
        if 0xFF01 <= code <= 0xFF5E:
            folded.append(chr(code - 0xFEE0))
        elif code == 0x3000:
            folded.append(" ")
        else:
            folded.append(character)
    return "".join(folded)
