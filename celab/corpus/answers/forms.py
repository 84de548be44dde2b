"""Forms in which an answer wraps its translation; each is one rule: an answer → the text inside.

    thinking  it has thinking in tags; one that begins with it and has no end tag is all thinking
    object    it is JSON with one text, or with one under a key such as "translation"
    versions  it has several versions, numbered or after "Or:"; the first is taken
    source    it begins with the source
    fence     it is one code block, or a part of one
    preface   it begins with a phrase that announces the translation, up to a colon
    note      it ends in a note, an explanation or an offer of help
    markup    all of it is bold, a heading, a quotation or in a tag such as <translation> or <zh>
    quotes    all of it is in one pair of quotation marks

A rule gives None if the answer has not its form, or if the source or a reference is of that form,
too: then the form may be part of the translation. It also gives None if one of them has more
sentences, clauses or colons than the text inside (`Context.has_more`): then what would be removed
may be their translation. Some rules, such as that of notes, need a source, and some a source or a
reference; without it they give None. A rule gives the answer itself if it has the form, but
which part is the translation cannot be told: thinking that begins after other text and does not
end, and JSON with two values for one key.

`celab.unwrap`, `Corpus.unwrap` and `--unwrap` take the translations out of all answers.
`celab.corpus.answers.asked` has the forms of answers that a prompt can ask for.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from celab.base.errors import InputError
from celab.base.text.sequences import Refs, common_index, sides_of, texts_of
from celab.corpus.answers import NOTE, PREFACE, THINKING_CUE, cues_in, wordings
from celab.corpus.answers.wordings import fold

_MAX_STEPS = 10  # an answer that is wrapped more often is left alone
_MAX_INSIDES = 50  # texts inside an answer, by different orders of the rules
# With at least so many texts inside and more characters than this, no more are looked for.
_ENOUGH_INSIDES, _MAX_CHARACTERS = 5, 100_000
_MIN_COMMON_SHARE = 0.3  # words, or characters, that two versions of a text have in common
_MAX_LENGTH_RATIO = 2.5  # between two versions of a text
_MAX_LIST_RATIO = 1.5  # length of a list divided by that of a reference
_LONG_SOURCE_CHARACTERS = 10  # a space is enough to end a longer source


class Context:
    """The source and the references of an answer, where they are known."""

    def __init__(self, source: str | None, references: Sequence[str]) -> None:
        self.source = (source or "").strip()
        self.references = [text for text in map(str.strip, references) if text]
        self.texts = [*filter(None, [self.source]), *self.references]

    is_suspicious = False  # whether uncertain forms count, too

    @property
    def has_source(self) -> bool:
        """Whether there is a source to compare with."""
        return bool(self.source)

    @property
    def has_texts(self) -> bool:
        """Whether there is a source or a reference to compare with."""
        return bool(self.texts)

    @property
    def own_forms(self) -> Collection[str]:
        """Forms that are part of the translation and stay."""
        return ()

    @cached_property
    def folded(self) -> list[str]:
        """The source and the references, folded."""
        return [fold(text) for text in self.texts]

    def has(self, pattern: str) -> bool:
        """Return whether the pattern occurs in the source or a reference."""
        return any(re.search(pattern, text) for text in self.folded)

    def has_more(self, pieces: str, inside: str) -> bool:
        """Return whether the source or a reference has more pieces than the text inside.

        >>> Context("Press it. It is hot.", []).has_more(SENTENCES, "按它。")
        True
        """
        return any(_count(pieces, text) > _count(pieces, inside) for text in self.texts)


class Suspicion(Context):
    """A context in which every form is taken to be added, unless a reference itself has it.

    It finds more than can be removed with certainty, for rewards that are the lower of the scores
    of the answer and of the text inside: these need not know whether "答案：" was added.
    """

    is_suspicious = True

    def __init__(self, source: str | None, references: Sequence[str]) -> None:
        super().__init__(source, references)
        self.texts = []

    @property
    def has_source(self) -> bool:
        """True, so that rules that need a source apply without one."""
        return True

    @property
    def has_texts(self) -> bool:
        """True, so that rules that need a source or a reference apply without them."""
        return True

    @cached_property
    def own_forms(self) -> Collection[str]:
        """Forms of the references."""
        alone = Suspicion(None, [])
        return [
            form
            for form, rule in FORMS.items()
            if any(rule(text, alone) is not None for text in self.references)
        ]

    def has(self, pattern: str) -> bool:
        """Return False: no pattern excuses a form."""
        return False

    def has_more(self, pieces: str, inside: str) -> bool:
        """Return False: no number of pieces excuses a form."""
        return False


# Separators of the pieces of a text: of sentences, of clauses, and of a label and its text.
SENTENCES = r"[。！？；;!?…\n]|\.(?!\w)"
CLAUSES = r"(?<!\d)[,.:](?!\w)|(?<=\d)[,.:](?!\S)|[^\w\s,.:'’%$€£¥-]|\s-+\s|--|\n"
LABELED = r"(?<!\d)[:：]|[:：](?!\d)|\n|\s-\s|--|(?<!\d)[–—]|[–—](?!\d)"


def _count(between: str, text: str) -> int:
    return sum(re.search(r"\w", piece) is not None for piece in re.split(between, text))


# Patterns are compiled when they are used, because few answers need them.

# ---- thinking ----

_TAGS = ("think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad")
_BEGINNINGS = {  # the marks of thinking, with those of its end
    **{f"<{tag}>": f"</{tag}>" for tag in _TAGS},
    "[think]": "[/think]",
    "◁think▷": "◁/think▷",
    "<|start_thinking|>": "<|end_thinking|>",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|channel|>analysis<|message|>": "<|channel|>final<|message|>",
}
_MARK_OF_THINKING = "(?i)" + "|".join(
    [*(re.escape(mark) for x in _BEGINNINGS.items() for mark in x), f"(?-i:{THINKING_CUE})"]
)
END_OF_THINKING = "(?i)" + "|".join(
    [*map(re.escape, _BEGINNINGS.values()), f"(?-i:{THINKING_CUE})"]
)
_IN_MARKS = (*_TAGS, "channel", THINKING_CUE)  # every mark has one of them
_ENDS_OF_TURN = (
    "<|end|>",
    "<|return|>",
    "<|im_end|>",
    "<|eot_id|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|end_of_box|>",
    "</s>",
    "<end_of_turn>",
    "<｜end▁of▁sentence｜>",
)


def without_end_of_turn(text: str) -> str:
    """Return a text without marks of the end of a turn, in time that is linear in its length.

    >>> without_end_of_turn("买伞<|im_end|> <|endoftext|>"), without_end_of_turn("买伞 ")
    ('买伞', '买伞 ')
    """
    return text[: _end_of_turn(text, 0, len(text))]


def _end_of_turn(text: str, start: int, end: int) -> int:
    """Return the start of trailing marks, and of the space before them, in a part of a text."""
    place = end
    while True:
        while place > start and text[place - 1].isspace():
            place -= 1
        if not text.endswith(_ENDS_OF_TURN, start, place):
            return end
        # No mark is the end of another one.
        place -= next(len(m) for m in _ENDS_OF_TURN if text.endswith(m, start, place))
        while place > start and text[place - 1].isspace():
            place -= 1
        end = place


def _has_thinking(text: str, context: Context) -> bool:
    lower = text.lower()
    return any(word in lower for word in _IN_MARKS) and not context.has(_MARK_OF_THINKING)


def without_all_thinking(text: str, context: Context) -> str:
    """Return the text without thinking; "" if a thinking part does not end.

    It is what `without_thinking` gives in the end, in time that is linear in the length.
    """
    if not _has_thinking(text, context):
        return text
    marks = re.compile(_MARK_OF_THINKING)
    start, stop = 0, len(text)
    while first := marks.search(text, start, stop):
        mark = first[0].lower()
        if mark not in _BEGINNINGS:
            start = first.end()
            continue
        end = re.compile(re.escape(_BEGINNINGS[mark]), re.IGNORECASE).search(
            text, first.end(), stop
        )
        if end is None:
            return ""
        stop = _end_of_turn(text, end.end(), stop)
        if stop == end.end():
            return text[start : first.start()]
        start = end.end()
    return text[start:stop]


def without_thinking(text: str, context: Context) -> str | None:
    """Return the text after the thinking, or before it if none follows.

    >>> without_thinking("<think>Umbrella…</think>买伞", Context(None, []))
    '买伞'
    """
    first = re.search(_MARK_OF_THINKING, text) if _has_thinking(text, context) else None
    if first is None:
        return None
    mark = first[0].lower()
    if mark not in _BEGINNINGS:  # the beginning was part of the prompt
        return text[first.end() :]
    end = re.compile(re.escape(_BEGINNINGS[mark]), re.IGNORECASE).search(text, first.end())
    if end is None:
        return text if first.start() else ""
    return without_end_of_turn(text[end.end() :]) or text[: first.start()]


# ---- blocks and objects ----

_FENCE_LINE = r"(?P<fence>(?<!`)`{3,}+|(?<!~)~{3,}+)[ \t]*+(?:[A-Za-z][\w+-]*+)?+[ \t]*+\n"
FENCE = rf"(?s){_FENCE_LINE}(?P<inside>.*?)\n[ \t]*+(?P=fence)"
_FENCE_IN_LINE = (
    r"(?P<fence>`{1,3})(?:(?:text|plaintext|txt|markdown)\s)?(?P<inside>[^`\n]+)(?P=fence)"
)
# A block that does not end.
_FENCE_START = (
    r"(?s)(?:(?:`{3,}+|~{3,}+)[ \t]*+(?:[A-Za-z][\w+-]*+)?+[ \t]*+\n"
    r"|`{3}(?:(?:text|plaintext|txt|markdown)\s)?)(?P<inside>.+)"
)
# A block that began in the prompt: its end mark follows the text on a line, or is the only mark.
_FENCE_END = (
    r"(?s)(?P<inside>[^`]*[^`\s:：]|[^`]*[^`\s:：]\s*\n(?=`{3})(?!.*```.*```))`{3}(?:\s.*)?"
)
_FENCE_MARK = "`|~~~"
_FENCE_WORDS = _FENCE_MARK + "|backtick|反引号|バッククォート|백틱"
_BRACES = r"\A\s*(?:`{3,}\w*\s*)?[{\[]"
CONFLICT = "two values"
_NO_TRANSLATION = frozenset({"error", "message", "reason", "refusal", "source", "code"})


def last_block(text: str) -> str:
    """Return the text in the last code block, "" without any.

    If a mark has no end, a longer one has none either, so every end is looked for once.

    >>> last_block("Here:\\n```text\\n买伞\\n```\\nBye.")
    '买伞'
    """
    inside, place = "", 0
    unended: dict[str, int] = {}  # the shortest mark without an end, by its character
    for line in re.finditer(_FENCE_LINE, text):
        fence = line["fence"]
        if line.start() < place or len(fence) >= unended.get(fence[0], len(text)):
            continue
        end = re.compile(rf"\n[ \t]*+{fence}").search(text, line.end())
        if end is None:
            unended[fence[0]] = len(fence)
        else:
            inside, place = text[line.end() : end.start()], end.end()
    return inside


def in_fence(text: str, context: Context) -> str | None:
    """Return the text in a code block that is the whole answer, with one or both of its marks.

    >>> in_fence("```text\\n买伞\\n```", Context(None, []))
    '买伞'
    """
    if re.search(_FENCE_MARK, text) is None or context.has(_FENCE_WORDS):
        return None
    match = re.fullmatch(FENCE, text)
    if context.has_texts or text.startswith("```"):
        match = match or re.fullmatch(_FENCE_IN_LINE, text)
    match = match or re.fullmatch(_FENCE_END, text) or re.fullmatch(_FENCE_START, text)
    return match["inside"] if match and not re.search(_FENCE_MARK, match["inside"]) else None


def in_object(text: str, context: Context) -> str | None:
    """Return the only text of a JSON object, or that whose key says that it is the translation.

    >>> in_object('{"translation": "买伞", "confidence": 0.9}', Context(None, []))
    '买伞'
    """
    fence = re.fullmatch(FENCE, text) if text[:1] in ("`", "~") else None
    inside = text if fence is None else fence["inside"].strip()
    if inside[:1] not in ("{", "[") or inside[-1:] not in ("}", "]") or context.has(_BRACES):
        return None
    try:
        value = json.loads(inside, object_pairs_hook=with_conflicts)
        translation = _translation_in(value, is_only=context.has_texts)
    except (ValueError, RecursionError):
        return None
    return text if translation is CONFLICT else translation


def with_conflicts(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object, with `CONFLICT` for a key that has two values."""
    values = dict(pairs)
    return values | {key: CONFLICT for key, value in pairs if value != values[key]}


def _translation_in(value: object, *, is_only: bool) -> str | None:
    """Return the text whose key says that it is the translation; with `is_only` any only text."""
    if isinstance(value, str):
        return value if is_only else None
    if isinstance(value, list):
        return _translation_in(value[0], is_only=is_only) if len(value) == 1 else None
    if not isinstance(value, dict):
        return None
    named = [x for key, x in value.items() if key.casefold() in wordings.TRANSLATION_KEYS]
    values = named or [x for key, x in value.items() if key.casefold() not in _NO_TRANSLATION]
    if len(values) != 1 or not (named or len(value) == 1):
        return None
    return _translation_in(values[0], is_only=is_only or bool(named))


# ---- what comes before and after ----

_ARROW = r"\s*(?:→|⇒|-+>|=+>)\s*|\s*\n\s*"
_SENTENCE_END = '.!?。！？…”"」』'
_RULE = "-_*=— \t"  # between the translation and a note
_COLONS = ":："
_CLAUSE_END = f"[{_COLONS}]"
_MAX_PREFACE_CHARACTERS = 200


def after_source(text: str, context: Context) -> str | None:
    """Return the text after the source, with which the answer begins.

    >>> after_source("Buy it!\\n买吧！", Context("Buy it!", []))
    '买吧！'
    """
    source = context.source
    if not source or source not in text:
        return None
    if any(reference.startswith(source) for reference in context.references):
        return None
    label = re.match(wordings.SOURCE_LABEL, fold(text))
    start = label.end() if label and text.startswith(source, label.end()) else 0
    if not text.startswith(source, start):
        return None
    rest = text[start + len(source) :]
    if separator := re.match(_ARROW, rest):
        return rest[separator.end() :]
    is_sentence = len(source) >= _LONG_SOURCE_CHARACTERS and source[-1] in _SENTENCE_END
    return rest if is_sentence and rest[:1].isspace() else None


def after_preface(text: str, context: Context) -> str | None:
    """Return the text after a phrase that announces the translation.

    >>> after_preface("Sure! Here is the translation:\\n买伞", Context(None, []))
    '买伞'
    """
    start = text[:_MAX_PREFACE_CHARACTERS]
    clause = re.split(_CLAUSE_END, start, maxsplit=1)[0]
    is_clause = len(clause) < len(start) and cues_in(clause) & PREFACE
    is_line = "\n" in start and cues_in(start) & PREFACE
    if not is_clause and not is_line and not context.is_suspicious:
        return None
    start = fold(start)
    match = wordings.match_preface(start) if is_clause else None
    if match is None and is_line:
        line = re.match(wordings.PREFACE_SENTENCE, start)
        match = line or re.match(wordings.PREFACE_HEADING, start)
    if match is None and context.is_suspicious:
        match = re.match(wordings.BRACKETED_TITLE, start)
    if match is None or context.has(wordings.PREFACE.hint):
        return None
    inside = text[match.end() :]
    for label in wordings.LABELS:
        if re.match(label.pattern, start) and not _is_added_label(label, inside, context):
            return None
    invitation = re.search(wordings.INVITATION_LINE, fold(inside))
    if invitation is None or not context.has_source or context.has(wordings.INVITATION.hint):
        return inside
    inside_alone = inside[: invitation.start()]
    return inside if context.has_more(SENTENCES, inside_alone) else inside_alone


def after_consent(text: str, context: Context) -> str | None:
    """Return the text after a word of consent, unless a reference begins with one.

    >>> after_consent("好的，买伞", Suspicion(None, ["买雨伞"]))
    '买伞'
    """
    match = re.match(wordings.CONSENT, fold(text[:_MAX_PREFACE_CHARACTERS]))
    if match is None:
        return None
    own = wordings.CONSENT if match[0][0].isascii() else wordings.AGREEMENT
    if any(re.match(own, fold(reference)) for reference in context.references):
        return None
    return text[match.end() :]


def _is_added_label(label: wordings.Label, inside: str, context: Context) -> bool:
    is_known = context.has_source if label.needs_source else context.has_texts
    if not is_known or context.has(label.words):
        return False
    return not context.has_more(LABELED, inside)


def before_note(text: str, context: Context) -> str | None:
    """Return the text before a note at the end for which the source has nothing.

    >>> before_note("买伞\\n\\n注：原文没有主语。", Context("Buy umbrellas", []))
    '买伞'
    """
    start = _note_start(text, context) if context.has_source else None
    if start is None:
        return None
    lines = text[:start].rstrip().split("\n")
    while lines and not lines[-1].strip(_RULE):
        lines.pop()
    return "\n".join(lines)


def _note_start(text: str, context: Context) -> int | None:
    if "\n" in text:
        lines = [(wordings.NOTE_LINE, wordings.NOTE), (wordings.CLOSING_LINE, wordings.CLOSING)]
        if context.is_suspicious:
            lines.append((wordings.NOTE_HEADING, wordings.NOTE))
        for line, family in lines:
            start = _last_paragraph(text, line, context)
            if start is not None and not context.has(family.hint):
                return start if _is_added_note(text, start, SENTENCES, context) else None
    if not any(colon in text for colon in _COLONS):
        return None
    if not cues_in(text) & NOTE or context.has(":"):
        return None
    folded = fold(text)
    match = re.search(wordings.NOTE_IN_LINE, folded)
    if folded[-1] in ").*_" and ":" in folded[folded.rfind("(") :]:
        match = re.search(wordings.NOTE_IN_BRACKETS, folded) or match
    if match is None or not match.start() or context.has(wordings.NOTE.hint):
        return None
    return match.start() if _is_added_note(text, match.start(), CLAUSES, context) else None


def _is_added_note(text: str, start: int, pieces: str, context: Context) -> bool:
    """Return whether the source has nothing for the note that starts there.

    It has not if the text before the note has as many pieces as the source, or if the note alone
    speaks of the translation.
    """
    about = wordings.ABOUT_TRANSLATION
    if re.compile(about).search(fold(text), start) and not context.has(about):
        return True
    return not context.has_more(pieces, text[:start])


def _last_paragraph(text: str, pattern: str, context: Context) -> int | None:
    """Return the start of the last paragraphs whose first line matches the pattern."""
    is_line = all("\n" not in other for other in context.texts)
    for line in re.compile(pattern).finditer(fold(text), 1):
        # More paragraphs may follow only if the translation is one line; else they may be its own.
        is_last = is_line or "\n\n" not in text[line.end() :].rstrip()
        if text[: line.start()].endswith("\n") and is_last:
            return line.start()
    return None


# ---- versions ----

_ITEM = r"[0-9A-Za-z\u00c0-\u024f]+|[^\W_]"  # other scripts: each letter
_ORDER = ("1a", "2b", "3c", "4d", "5e")


def first_version(text: str, context: Context) -> str | None:
    """Return the first of several versions of the translation.

    >>> first_version("1. 买伞\\n2. 买雨伞", Context(None, ["买雨伞"]))
    '买伞'
    """
    if not context.has_texts or "\n" not in text:
        return None
    folded = fold(text)
    marks = list(re.finditer(wordings.NUMBERED, folded))
    if len(marks) > 1 and not marks[0].start() and _in_order(marks):
        if context.has(wordings.ENUMERATED):
            return None
        ends = [*(mark.start() for mark in marks[1:]), len(text)]
        versions = [text[m.end() : end].strip() for m, end in zip(marks, ends, strict=True)]
        is_labeled = all(mark["label"] for mark in marks)
        return versions[0] if _are_alike(versions, context, is_labeled=is_labeled) else None
    line = re.compile(wordings.ALTERNATIVE_LINE).search(folded, 1)
    if line is None or not text[: line.start()].endswith("\n"):
        return None
    if context.has(wordings.ALTERNATIVELY.hint):
        return None
    versions = [text[: line.start()].strip(), text[line.end() :].strip()]
    return versions[0] if _are_alike(versions, context) else None


def _in_order(marks: Sequence[re.Match[str]]) -> bool:
    numbers = [mark["label"] or mark["number"] for mark in marks]
    return len(numbers) <= len(_ORDER) and all(
        number in names for number, names in zip(numbers, _ORDER, strict=False)
    )


def _are_alike(versions: Sequence[str], context: Context, *, is_labeled: bool = True) -> bool:
    """Return whether the texts are translations of one text, by their lengths and words.

    The items of a list are together as long as a reference, versions are longer. Without references
    the labels of versions decide, if the source has no more clauses than the first.
    """
    lengths = [len(text) for text in (*versions, *context.references[:1])]
    if min(lengths) * _MAX_LENGTH_RATIO < max(lengths):
        return False
    if not context.references:
        if not is_labeled or context.has_more(CLAUSES, versions[0]):
            return False
    elif sum(map(len, versions)) <= _MAX_LIST_RATIO * max(map(len, context.references)):
        return False
    return all(_in_common(a, b) >= _MIN_COMMON_SHARE for a, b in pairwise(versions))


def _in_common(a: str, b: str) -> float:
    counts = [Counter(re.findall(_ITEM, text.casefold())) for text in (a, b)]
    total = sum(map(Counter.total, counts))
    return 2 * (counts[0] & counts[1]).total() / total if total else 0.0


# ---- marks around the whole ----

_PAIRS = [("**", "**"), ("__", "__"), ("*", "*")]
_TAGS_OF_ANSWERS = (
    r"(?:translations?|translated?(?:_?text)?|translation_result|(?:final_)?answer"
    r"|output|result|target(?:_text)?|response|final|final_translation|p|b|i|em|strong|chinese"
    r"|english|german|japanese|korean|(?:zh|cn|en|de|ja|jp|ko|kr)(?:[-_]\w+)?)"
)
_TAGGED = rf"(?si)[<\[](?P<tag>{_TAGS_OF_ANSWERS})[>\]](?P<inside>.*)[<\[]/(?P=tag)[>\]]"
_TAG = rf"(?i)[<\[](?P<end>/?)(?P<tag>{_TAGS_OF_ANSWERS})[>\]]"
# The first or the last tag, whose other half may be lacking.
_OUTER_TAG = rf"(?i)\A[<\[]{_TAGS_OF_ANSWERS}[>\]]|[<\[]/{_TAGS_OF_ANSWERS}[>\]]\Z"
_BOXED = r"\\boxed\{(?:\\text\{(?P<text>[^{}]*)\}|(?P<inside>[^{}]*))\}"
_IN_BOX = r"(?s)<\|begin_of_box\|>(?P<inside>.*)"
# Before a number, `#` may be a rank, and `>` a comparison.
_HEADING = r"#{1,6}(?=[^\n]*+\Z)[ \t]+(?!\d)(?P<inside>[^\n]+)"
_HEADINGS = r"(?=[^\n]*+\Z)(?:#{1,6}[ \t]+(?!\d))++(?P<inside>[^\n]+)"
_QUOTED = r">(?!=|\s*[\d.$€£¥])[^\n]*(?:\n>[^\n]*)*"
_MARKS = r"[*_#>]|<[\w-]+>|\[/\w+\]|\\boxed"
_QUOTES = dict(zip("\"“‘'「『„»«‚”＂", "\"”’'」』“«»‘”＂", strict=True))
_QUOTE_MARKS = "".join({*_QUOTES, *_QUOTES.values(), *"《》`–—"})
_SPEECH_MARKS = _QUOTE_MARKS + "-*_<>"  # before what is said or thought


def without_markup(text: str, context: Context) -> str | None:
    """Return the text inside marks of Markdown or HTML, or special tokens, around the whole.

    >>> without_markup("**买伞**", Context("Buy umbrellas", []))
    '买伞'
    """
    if "<" in text and "<s>" not in text and not context.has(r"<\S"):
        inside = without_end_of_turn(text)
        if box := re.fullmatch(_IN_BOX, inside):
            return box["inside"]
        if inside != text:
            return inside
    if context.is_suspicious and (inside := re.sub(_OUTER_TAG, "", text)) != text:
        return inside
    if text[0] not in "*_#><[\\" or not context.has_texts or context.has(_MARKS):
        return None
    for start, end in _PAIRS:
        inside = text[len(start) : -len(end)]
        if text.startswith(start) and text.endswith(end) and inside.strip("*_ "):
            return None if start in inside or inside[0].isspace() else inside
    if (
        match := re.fullmatch(_TAGGED, text)
        or re.fullmatch(_BOXED, text)
        or re.fullmatch(_HEADINGS if context.is_suspicious else _HEADING, text)
    ):
        inside = match["inside"] or match.groupdict().get("text") or ""
        return None if _has_tagged(inside) else inside
    if re.fullmatch(_QUOTED, text):
        return "\n".join(line[1:].strip() for line in text.split("\n"))
    return None


def _has_tagged(text: str) -> bool:
    """Return whether a text has a tag of answers and, after it, that of its end."""
    begun = set()
    for tag in re.finditer(_TAG, text):
        name = tag["tag"].lower()
        if not tag["end"]:
            begun.add(name)
        elif name in begun:
            return True
    return False


def without_quotes(text: str, context: Context) -> str | None:
    """Return the text inside the only pair of quotation marks.

    >>> without_quotes("“买伞”", Context("Buy umbrellas", []))
    '买伞'
    """
    if not context.has_source or len(text) < 3 or _QUOTES.get(text[0]) != text[-1]:
        return None
    if any(other[0] in _SPEECH_MARKS or other[-1] in _QUOTE_MARKS for other in context.texts):
        return None
    inside = text[1:-1]
    apostrophes = text[0] in "'‘"
    if any(mark in inside for mark in {text[0], text[-1]} - ({"'", "’"} if apostrophes else set())):
        return None
    return inside


Rule = Callable[[str, Context], str | None]
# The first of these forms is reported for an answer that has several.
FORMS: dict[str, Rule] = {
    "thinking": without_thinking,
    "object": in_object,
    "versions": first_version,
    "source": after_source,
    "fence": in_fence,
    "preface": after_preface,
    "note": before_note,
    "markup": without_markup,
    "quotes": without_quotes,
}
# The forms that a `Suspicion` finds.
UNCERTAIN_FORMS = FORMS | {"consent": after_consent}


class Inside(NamedTuple):
    """The text inside an answer, and the form of the answer, "" if it is not wrapped."""

    text: str
    form: str


def text_inside(text: str, context: Context) -> Inside:
    """Return the text inside an answer.

    The rules are applied until none applies, so unwrapping twice is unwrapping once. A text that
    equals a reference is left alone.

    >>> text_inside('译文："买伞"', Context("Buy umbrellas", ["买雨伞"]))
    Inside(text='买伞', form='preface')
    """
    steps = [*layers(text, context)]
    if len(steps) > _MAX_STEPS:
        return Inside(text, "")
    forms = {step.form for step in steps}
    inside = steps[-1].text if steps and steps[-1].text != text.strip() else text
    return Inside(inside, next((form for form in FORMS if form in forms), ""))


def layers(text: str, context: Context) -> Iterator[Inside]:
    """Yield the texts inside an answer, each inside the one before, with the form around it.

    >>> [inside.text for inside in layers('译文："买伞"', Context("Buy umbrellas", ["买雨伞"]))]
    ['"买伞"', '买伞']
    """
    inside = text.strip()
    for _ in range(_MAX_STEPS + 1):
        step = _step(inside, context)
        if step is not None:
            yield step
        if step is None or step.text == inside:
            return
        inside = step.text


def all_insides(text: str, context: Context) -> list[str]:
    """Return the texts inside an answer by all orders of the rules, up to a limit.

    >>> all_insides("译文：买伞（注：意译）", Suspicion(None, []))
    ['买伞（注：意译）', '译文：买伞', '买伞']
    """
    found: dict[str, None] = {}
    queue = [text.strip()]
    while queue and len(found) < _MAX_INSIDES:
        if len(found) >= _ENOUGH_INSIDES and sum(map(len, found)) > _MAX_CHARACTERS:
            break
        for inside, _ in _steps(queue.pop(0), context):
            if inside not in found:
                found[inside] = None
                queue.append(inside)
    return [*found]


def _step(text: str, context: Context) -> Inside | None:
    return next(_steps(text, context), None)


def _steps(text: str, context: Context) -> Iterator[Inside]:
    """Yield the text inside an answer by each rule that applies."""
    if not text or text in context.references:
        return
    for form, rule in (UNCERTAIN_FORMS if context.is_suspicious else FORMS).items():
        inside = rule(text, context)
        if inside is None or form in context.own_forms:
            continue
        if inside.strip() or form == "thinking":
            yield Inside(inside.strip(), form)


VERSION = 3  # signatures have it, because new rules may cut other texts


def count_forms(texts: Iterable[str], insides: Iterable[Inside]) -> dict[str, int]:
    """Return form → number of unwrapped answers.

    >>> count_forms(["```买伞```", "去"], [Inside("买伞", "fence"), Inside("去", "")])
    {'fence': 1}
    """
    pairs = zip(texts, insides, strict=True)
    counts = Counter(inside.form for text, inside in pairs if inside.text != text)
    return {form: counts[form] for form in FORMS if counts[form]}


def unwrap(
    texts: Sequence[str],
    sources: Sequence[str] | None = None,
    refs: Refs | Sequence[str | None] | None = None,
) -> list[str]:
    """Return the translations inside the answers of a language model.

    Thinking, prefaces, notes, code blocks, markup, quotation marks, JSON, further versions and the
    source are removed where the rules are sure; all other texts are returned as they are. Rules are
    less sure without sources and references: notes and quotation marks stay without a source,
    markup and further versions without either.

    Parameters:
        texts: answers.
        sources: the source of each segment.
        refs: a list of segments for each reference, or the list itself if there is one reference.
            A segment that is empty or None is absent.

    >>> import celab
    >>> celab.unwrap(["Here is the translation:\\n买雨伞", "<think>去…</think>去北京", "买伞"])
    ['买雨伞', '去北京', '买伞']
    """
    answers = texts_of(texts, "text", "texts")
    refs = [] if refs is None else sides_of(refs)
    sides = [texts_of(ref, "reference", absent=True) for ref in refs]
    known = [""] * len(answers) if sources is None else texts_of(sources, "source", "sources")
    for name, side in [("sources", known), *(("refs", ref) for ref in sides)]:
        if len(side) != len(answers):
            raise InputError(
                f"{name} has {len(side)} segments, texts has {len(answers)}; they must be of the"
                " same test set"
            )
    columns = [(f"reference {r}", ref) for r, ref in enumerate(refs, 1)]
    common_index([("texts", texts), ("sources", sources), *columns])
    references = zip(*sides, strict=True) if sides else [()] * len(answers)
    contexts = (Context(*others) for others in zip(known, references, strict=True))
    return [text_inside(*pair).text for pair in zip(answers, contexts, strict=True)]
