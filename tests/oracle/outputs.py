"""Kinds of outputs in the most obvious way: every piece at every place, letters by their names.

Each rule is its sentence in `celab.evaluation.checks`. Text is taken letter by letter, and
scripts are told apart by the names that Unicode gives to characters.
"""

import unicodedata

SCRIPTS = {
    "Han": ("CJK UNIFIED",),
    "kana": ("HIRAGANA", "KATAKANA"),
    "Hangul": ("HANGUL",),
    "Latin": ("LATIN",),
    "Thai": ("THAI",),
}


def letters(text, script=None):
    """The number of letters, or of those in a script."""
    found = [letter for letter in text if letter.isalpha()]
    names = SCRIPTS.get(script, ("",))
    return sum(unicodedata.name(letter, "").startswith(names) for letter in found)


def length(text):
    return sum(not letter.isspace() for letter in text)


def written_in(script, text, least):
    """Whether at least that share of the letters is in the script of the language."""
    own, kana, n = letters(text, script), letters(text, "kana"), letters(text)
    if script == "Han" and kana >= n / 4:
        return False
    if script == "kana":
        han = letters(text, "Han")
        own = kana + han if kana > 0 or han < 20 else 0
    return own > 0 and own >= least * n


def runs(text, shortest):
    """Every piece that comes five times in a row, and how many characters it fills."""
    for start in range(len(text)):
        for size in range(shortest, 31):
            piece = text[start : start + size]
            if len(piece) < size:
                break
            times = 1
            while text[start + times * size : start + (times + 1) * size] == piece:
                times += 1
            if times >= 5 and any(map(str.isalpha, piece)):
                yield times * size


def words(text):
    """Latin words and numbers as a whole, every other letter by itself."""
    found, word = set(), ""
    for letter in text.casefold() + " ":
        if letter.isascii() and letter.isalnum():
            word += letter
            continue
        found |= {word} | ({letter} if letter.isalnum() else set())
        word = ""
    return found - {""}


def folded(text):
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def kind(output, references, source, script):
    """The kind of an output, or "" if it is a translation."""
    references = [reference for reference in references if reference.strip()]
    source = source if source and source.strip() else None
    if not output.strip():
        return "empty"
    if source is not None and folded(source) and folded(output) == folded(source):
        of_source = words(source)
        if all(2 * len(of_source & words(ref)) <= len(of_source) for ref in references):
            return "copied"
    if (
        letters(output) >= 10
        and not written_in(script, output, 0.1)
        and all(written_in(script, reference, 0.5) for reference in references)
    ):
        return "other-language"
    others = [*references, *([source] if source else [])]
    fills = any(5 * size >= len(output) for size in runs(output, 2))
    if fills and not any(size for text in others for size in runs(text, 1)):
        return "repeated"
    if length(output) > 2 * max(map(length, references)) + 14:
        return "too-long"
    if min(map(length, references)) > 2 * length(output) + 14:
        return "too-short"
    return ""
