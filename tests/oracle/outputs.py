"""Kinds of outputs in the most obvious way: every piece at every place, letters by their names.

Each rule is its sentence in `celab.findings.translations`. Text is taken letter by letter, and
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
    """Latin words and numbers as a whole, every other letter by itself, in their order."""
    found, word = [], ""
    for letter in text.casefold() + " ":
        if letter.isascii() and letter.isalnum():
            word += letter
            continue
        found += [word, letter if letter.isalnum() else ""]
        word = ""
    return [word for word in found if word]


def folded(text):
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def bare(text):
    """Letters and digits, or all of a text that has none."""
    return folded(text) or text.strip()


def is_one_word(text):
    """Whether a text is one word without spaces inside: a name or a code, which may stay."""
    return len(text.split()) == 1 and len(words(text)) == 1


def is_marks(output, others):
    """Whether an output is two punctuation marks or more, and every other text has letters."""
    marks = "".join(unicodedata.normalize("NFKC", output).split())
    if len(marks) < 2 or not all(unicodedata.category(mark)[0] == "P" for mark in marks):
        return False
    others = ["".join(unicodedata.normalize("NFKC", other).split()) for other in others]
    return all(
        any(letter.isalnum() for letter in other)
        and marks not in other
        and not any(mark + mark in other for mark in marks)
        for other in others
    )


# Some texts in place of a translation; tests/unit/corpus/test_fillers.py has the phrases.
VALUES = ("null", "none", "nan", "n/a", "undefined")
TOKENS = ("<|endoftext|>", "</s>", "[PAD]")


def without_edges(text):
    while text and not text[0].isalnum():
        text = text[1:]
    while text and not text[-1].isalnum():
        text = text[:-1]
    return text.lower()


def is_filler(output, others, script):
    value, *values = map(without_edges, [output, *others])
    if output.strip() in TOKENS:
        return not any(output.strip() in other for other in others)
    if value in VALUES:
        is_word = script in ("Latin", None) and any(len(x) <= 2 * len(value) for x in values)
        return value not in values and not is_word
    return is_marks(output, others)


def given_to_many(outputs, references, sources=None):
    """The places of outputs that are one text for many different segments.

    `references` has a list for each segment.
    """
    found = set()
    for text in outputs:
        places = [
            place
            for place, output in enumerate(outputs)
            if output == text
            and bare(text) not in map(bare, references[place])
            and not (sources and sources[place].strip() and bare(sources[place]) == bare(text))
        ]
        sides = [{"".join(bare(ref) for ref in references[place]) for place in places}]
        if sources:
            sides.append(
                {bare(sources[place]) if sources[place].strip() else "" for place in places}
            )
        sides = [side for side in sides if side - {""}]
        fewest = min((len(side) for side in sides), default=0)
        differ = all(
            max(len(each) for each in side) >= 2 * min(len(each) for each in side) for side in sides
        )
        are_most = 2 * len(places) > len(outputs)
        if (are_most and fewest >= 3) or (differ and fewest >= 5):
            found.update(places)
    return found


def kind(output, references, source, script, is_given=False):
    """The kind of an output, or "" if it is a translation.

    `is_given` says whether it is one text for many segments (`given_to_many`).
    """
    references = [reference for reference in references if reference.strip()]
    source = source if source and source.strip() else None
    if not output.strip():
        return "empty"
    if is_filler(output, [*references, *([source] if source else [])], script):
        return "filler"
    if (
        source is not None
        and folded(source)
        and folded(output) == folded(source)
        and not is_one_word(output)
    ):
        of_source = {*words(source)}
        if all(2 * len(of_source & {*words(ref)}) <= len(of_source) for ref in references):
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
    if is_given:
        return "same-text"
    if length(output) > 2 * max(map(length, references)) + 14:
        return "too-long"
    if min(map(length, references)) > 2 * length(output) + 14:
        return "too-short"
    return ""
