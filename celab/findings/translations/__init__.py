"""Outputs that may not be translations: the kinds, such as `refusal`, and their rules.

A language model may refuse, answer in English, explain itself or repeat. Each kind is one row of
`CHECKS`; its rule decides from the output, the references and the source, if there is one. The
first rule that applies counts. Lengths are numbers of characters without white space. Checks that
are not verdicts, such as `number-lost`, report that something of the source is missing.

`celab.corpus.answers` has the phrases of refusals and the forms of wrapped outputs;
`celab.findings.translations.screening` selects the outputs of a corpus to which a rule may apply.

Languages are distinguished by script, so German instead of English is not found. Chinese and
Japanese are distinguished by kana: with a quarter of kana a text is Japanese, and with 20 Han
characters and no kana it is Chinese. docs/language-models.md has the precision of each rule.
"""

from __future__ import annotations

import operator
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from celab.base.arrays import I64, U8, Bools
from celab.base.text.counts import CodePoints, TraitCounts, count_traits
from celab.base.text.tokens import is_blank
from celab.corpus.answers import fillers, may_be_wrapped, may_refuse
from celab.corpus.answers.forms import Context, text_inside
from celab.corpus.answers.wordings import refuses
from celab.findings.finding import Check, Needs

# The language of an output with fewer letters is not decided.
MIN_LETTERS = 10
# An output with a smaller share of letters in the script of the target language is in another
# language, if its reference has at least `MIN_REFERENCE_SHARE` of its letters in that script.
MIN_SCRIPT_SHARE = 0.1
MIN_REFERENCE_SHARE = 0.5
MAX_KANA_SHARE = 0.25  # a Chinese text with more kana is Japanese
MIN_HAN_WITHOUT_KANA = 20  # a shorter text without kana, such as a headline, may be Japanese
MIN_REPETITIONS = 5  # one after the other
MIN_PIECE, MAX_PIECE = 2, 30  # characters
MIN_REPEATED_SHARE = 0.2
# An output is too long above `LENGTH_FACTOR` times the longest reference plus `LENGTH_MARGIN`.
LENGTH_FACTOR, LENGTH_MARGIN = 2, 14
# Equal outputs for different segments are suspicious: three, if they are most outputs, or else
# five.
MIN_EQUAL_IF_MOST, MIN_EQUAL_OUTPUTS = 3, 5
LONG_WORD = 2  # letters of a word of prose
# A longer text is no filler: limits in letters, and in Chinese characters, kana or Hangul.
MAX_FILLER_LETTERS, MAX_FILLER_CHARACTERS = 50, 24


class Expectation:
    """The references and the source of a segment, and the properties that rules compare with.

    Parameters:
        references: the references that the segment has; absent ones are left out.
        source: the source, if there is one.
        script: the script of the target language, as in `celab.base.text.scripts`.
    """

    def __init__(
        self, references: Sequence[str], source: str | None = None, script: str | None = None
    ) -> None:
        self.references = [reference for reference in references if not is_blank(reference)]
        self.source = source if source is not None and not is_blank(source) else None
        self.script = script

    @cached_property
    def lengths(self) -> tuple[int, int]:
        """Lengths of the shortest and the longest reference."""
        lengths = [_length(reference) for reference in self.references]
        return min(lengths, default=0), max(lengths, default=0)

    @cached_property
    def is_in_script(self) -> bool:
        """Whether all references are mostly in the script of the target language."""
        if self.script is None:
            return False
        counts = count_traits(self.references)
        return bool(are_written_in(self.script, counts, MIN_REFERENCE_SHARE).all())

    @cached_property
    def replaced_letters(self) -> str:
        """Letters and digits of the source; "" if a reference keeps more than half of its words."""
        words = set() if self.source is None else _words(self.source)
        if any(2 * len(words & _words(reference)) > len(words) for reference in self.references):
            return ""
        return _letters_and_digits(self.source or "")

    @cached_property
    def repeats(self) -> bool:
        """Whether the source or a reference repeats even one character five times."""
        return any(True for text in self.texts for _ in _repetitions(text, 1))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Numbers of the source that every reference has in digits."""
        return self._kept(_numbers)

    @cached_property
    def addresses(self) -> frozenset[str]:
        """Addresses of the source that every reference has."""
        return self._kept(_addresses)

    @cached_property
    def context(self) -> Context:
        """Source and references, for the rules about answers."""
        return Context(self.source, self.references)

    @cached_property
    def texts(self) -> list[str]:
        """The references, and the source if there is one."""
        return [*self.references, *([] if self.source is None else [self.source])]

    def _kept(self, find: Callable[[str], frozenset[str]]) -> frozenset[str]:
        if self.source is None or not (found := find(self.source)):
            return frozenset()
        return found.intersection(*map(find, self.references))


# ---- one function per kind ----


def is_empty(output: str, expected: Expectation) -> bool:
    """Return whether the output has no text.

    >>> is_empty(" ", Expectation(["买雨伞"]))
    True
    """
    return is_blank(output)


def is_filler(output: str, expected: Expectation) -> bool:
    """Return whether the output is only a placeholder for a translation, such as [ERROR].

    >>> is_filler("[ERROR]", Expectation(["滚开"])), is_filler("N/A", Expectation(["N/A"]))
    (True, False)
    """
    return fillers.is_filler(output, expected.texts, is_latin=expected.script in ("Latin", None))


def is_refusal(output: str, expected: Expectation) -> bool:
    """Return whether the output begins with a phrase of refusal that no other text explains.

    >>> is_refusal("I’m sorry, but I cannot translate this.", Expectation(["滚开"]))
    True
    """
    return refuses(output, expected.texts)


def form_of(output: str, expected: Expectation) -> str:
    """Return the form of a wrapped output, such as "preface" or "fence", or "".

    Quotation marks around a URL or a name are not a form if another text has them, too.

    >>> form_of("译文：滚开", Expectation(["滚开"], source="Get lost"))
    'preface'
    >>> form_of('"https://a.b/c"', Expectation(["https://a.b/c"], source="https://a.b/c"))
    ''
    """
    inside = text_inside(output, expected.context)
    if inside.form == "quotes" and is_one_word(inside.text) and inside.text in expected.texts:
        return ""
    return inside.form


def is_copied(output: str, expected: Expectation) -> bool:
    """Return whether the output has the letters and digits of the source.

    Every reference must replace half of the source's words. Without a reference, `certain_copies`
    says which copies count.

    >>> is_copied("Buy it", Expectation(["买吧"], source="Buy it!"))
    True
    """
    letters = expected.replaced_letters
    return bool(letters) and letters == _letters_and_digits(output)


def is_other_language(output: str, expected: Expectation) -> bool:
    """Return whether less than a tenth of the letters is in the target language's script.

    The output must have 10 letters, and every reference must be mostly in that script. Without a
    reference, the output must be prose, and have no letter of that script.

    >>> is_other_language("I can't say.", Expectation(["我说不出来。"], script="Han"))
    False
    >>> is_other_language("I cannot say it.", Expectation(["我说不出来。"], script="Han"))
    True
    """
    if len(output) < MIN_LETTERS:
        return False
    counts = count_traits([output])
    if not are_foreign(expected.script, counts)[0] or not expected.is_in_script:
        return False
    if expected.references or expected.script is None:
        return True
    n_han, n_kana = counts.of("Han")[0], counts.of("kana")[0]
    n_own = counts.of(expected.script)[0]
    if expected.script == "Han" and n_kana:  # it is Japanese
        n_own = 0
    elif expected.script == "kana":
        n_own += n_han
    return not n_own and is_prose(output)


def is_repeated(output: str, expected: Expectation) -> bool:
    """Return whether a piece is repeated five times in a row and fills a fifth of the output.

    The piece has 2 to 30 characters, one of them a letter. Source and references must not repeat a
    piece in this way.

    >>> is_repeated("很好很好很好很好很好", Expectation(["很好"]))
    True
    """
    least = MIN_REPEATED_SHARE * len(output)
    return any(filled >= least for filled in _repetitions(output)) and not expected.repeats


def is_same_text(output: str, expected: Expectation) -> bool:
    """Return whether an output that many segments share equals neither source nor reference.

    `shared_by_many` selects the outputs that many segments share.

    >>> is_same_text("好的。", Expectation(["我们明天去北京。"]))
    True
    """
    return _plain(output) not in map(_plain, expected.texts)


def is_too_long(output: str, expected: Expectation) -> bool:
    """Return whether the output is longer than twice the longest reference plus 14 characters.

    >>> is_too_long("太棒了！" * 6, Expectation(["喜欢看！"]))
    True
    """
    longest = LENGTH_FACTOR * expected.lengths[1] + LENGTH_MARGIN
    return len(output) > longest and _length(output) > longest


def is_too_short(output: str, expected: Expectation) -> bool:
    """Return whether the shortest reference is longer than twice the output plus 14 characters.

    >>> is_too_short("他说：", Expectation(["他说：“明天早上八点我们一起坐火车去北京。”"]))
    True
    """
    return expected.lengths[0] > LENGTH_FACTOR * _length(output) + LENGTH_MARGIN


def loses_number(output: str, expected: Expectation) -> bool:
    """Return whether a number of the source is missing that every reference has in digits.

    >>> loses_number("三个人", Expectation(["3个人来了"], source="3 people came"))
    True
    """
    return bool(expected.numbers) and not expected.numbers <= _numbers(output)


def damages_address(output: str, expected: Expectation) -> bool:
    """Return whether an address of the source is missing that every reference has.

    >>> damages_address("@用户1 你好", Expectation(["@user1 你好"], source="@user1 hi"))
    True
    """
    return bool(expected.addresses) and not expected.addresses <= _addresses(output)


class Batch(NamedTuple):
    """Counts of outputs, and of their sources and references, from which `Check.may_apply` decides.

    Attributes:
        letters: code points of the outputs.
        counts: counts of their characters.
        lengths: their lengths.
        cues: cues of refusals and prefaces in the outputs, a bit for each cue.
        sources: counts of the characters of the sources, if there are sources.
        shortest, longest: lengths of the references.
        are_in_script: whether all references are mostly in the script of the target language.
        script: the script of the target language, if it is known.
        outputs: the outputs.
        expected: references and source of each.
        has_references: whether there is any reference.
        is_whole: whether the batch has all outputs of a system.
    """

    letters: CodePoints
    counts: TraitCounts
    lengths: I64
    cues: U8
    sources: TraitCounts | None
    shortest: I64
    longest: I64
    are_in_script: Bools
    script: str | None
    outputs: Sequence[str]
    expected: Sequence[Expectation]
    has_references: bool = True
    is_whole: bool = True


def certain_copies(batch: Batch) -> Bools:
    """Return which copies of sources are certain: with references, all of more than one word.

    Names, codes and commands stay as they are. Without a reference, the source must be prose, or
    more than half of the sources with letters must be copied, and be in another script.
    """
    certain = np.ones(len(batch.outputs), np.bool_)
    if batch.sources is None:
        return certain
    if batch.has_references:
        for place in np.flatnonzero(_may_be_copied(batch)).tolist():
            certain[place] = not is_one_word(batch.outputs[place])
        return certain
    certain[:] = False
    copies = [
        place
        for place in np.flatnonzero(_may_be_copied(batch) & batch.sources.has("letter")).tolist()
        if is_copied(batch.outputs[place], batch.expected[place])
    ]
    certain[copies] = [is_prose(batch.outputs[place]) for place in copies]
    are_most = 2 * len(copies) > int(batch.sources.has("letter").sum())
    if len(copies) >= MIN_EQUAL_IF_MOST and are_most and batch.script is not None:
        n_own, n_letters = (batch.counts.of(x)[copies].sum() for x in (batch.script, "letter"))
        certain[copies] |= n_own < MIN_SCRIPT_SHARE * n_letters
    return certain


def shared_by_many(batch: Batch) -> Bools:
    """Return which outputs of a system have the same text as those of many different segments.

    Either most segments have it, with at least three different sources and references, or segments
    with five different ones, of which the longest is twice as long as the shortest: sources that
    are paraphrases of each other may have the same translation. Segments whose source or reference
    equals the text do not count.
    """
    is_given = np.zeros(len(batch.outputs), np.bool_)
    if not batch.is_whole:
        return is_given
    places: defaultdict[str, list[int]] = defaultdict(list)
    frequent = {text for text, n in Counter(batch.outputs).items() if n >= MIN_EQUAL_IF_MOST}
    for place, output in enumerate(batch.outputs if frequent else ()):
        if output in frequent and is_same_text(output, batch.expected[place]):
            places[output].append(place)
    for alike in places.values():
        expected = [batch.expected[place] for place in alike]
        references = {"".join(map(_plain, each.references)) for each in expected}
        sources = {_plain(each.source or "") for each in expected}
        sides = [side for side in (references, sources) if any(side)]
        n_different = min(map(len, sides), default=0)
        are_most = 2 * len(alike) > len(batch.outputs)
        differ = all(len(max(x, key=len)) >= LENGTH_FACTOR * len(min(x, key=len)) for x in sides)
        least = MIN_EQUAL_IF_MOST if are_most else MIN_EQUAL_OUTPUTS
        is_given[alike] = n_different >= least and (are_most or differ)
    return is_given


def _may_be_filler(batch: Batch) -> Bools:
    longest = MAX_FILLER_LETTERS if batch.script in ("Latin", None) else MAX_FILLER_CHARACTERS
    may_be: Bools = batch.lengths <= longest
    if batch.script is not None:
        may_be |= (batch.counts.of(batch.script) == 0) & (batch.lengths <= 2 * MAX_FILLER_LETTERS)
    return may_be


def _may_be_copied(batch: Batch) -> Bools:
    if batch.sources is None:
        return np.zeros(len(batch.shortest), np.bool_)
    return np.asarray(batch.counts.n_words() == batch.sources.n_words())


# The first check that applies counts.
CHECKS: dict[str, Check] = {
    check.name: check
    for check in (
        Check(
            name="empty",
            meaning="the output has no text",
            rule=is_empty,
            may_apply=lambda batch: ~batch.counts.has("visible"),
            needs=Needs.NOTHING,
            chinese=("空", "译文为空"),
        ),
        Check(
            name="filler",
            meaning="it is nothing but a text in place of a translation, such as null, [ERROR]"
            " or 翻译失败",
            rule=is_filler,
            may_apply=_may_be_filler,
            needs=Needs.NOTHING,
            chinese=("占位文本", "只是代替译文的文本，例如 null、[ERROR] 或“翻译失败”"),
        ),
        Check(
            name="refusal",
            meaning="it begins with a phrase such as “I cannot translate” or “Please provide the"
            " text”",
            rule=is_refusal,
            may_apply=lambda batch: may_refuse(batch.cues),
            needs=Needs.NOTHING,
            chinese=("拒绝翻译", "以“我无法翻译”或“请提供需要翻译的文本”之类的话开头"),
        ),
        Check(
            name="wrapped",
            meaning="the translation is inside something else, such as a preface or a code block",
            rule=form_of,
            may_apply=lambda batch: may_be_wrapped(batch.counts, batch.cues, batch.sources),
            needs=Needs.NOTHING,
            chinese=("夹带其他内容", "译文夹在别的内容里，例如开场白或代码块"),
        ),
        Check(
            name="copied",
            meaning="its letters and digits are those of the source, which is more than one word",
            rule=is_copied,
            may_apply=_may_be_copied,
            compares=certain_copies,
            needs=Needs.SOURCE,
            chinese=("照抄原文", "字母和数字与源文相同，且源文不止一个词"),
        ),
        Check(
            name="other-language",
            meaning="less than a tenth of its letters is in the script of the target language",
            rule=is_other_language,
            may_apply=lambda batch: batch.are_in_script & are_foreign(batch.script, batch.counts),
            needs=Needs.NOTHING,
            chinese=("其他语言", "属于目标语言文字的字母不到十分之一"),
        ),
        Check(
            name="repeated",
            meaning="a piece of it comes five times in a row or more",
            rule=is_repeated,
            may_apply=lambda batch: batch.letters.repeats(
                MIN_PIECE, MAX_PIECE, MIN_REPETITIONS, MIN_REPEATED_SHARE
            ),
            needs=Needs.NOTHING,
            chinese=("重复", "同一片段连续出现五次以上"),
        ),
        Check(
            name="same-text",
            meaning="the same text is the output for five different segments or more, or for most",
            rule=is_same_text,
            may_apply=lambda batch: batch.counts.has("visible"),
            compares=shared_by_many,
            needs=Needs.NOTHING,
            chinese=("千篇一律", "至少五个不同的句段，或大多数句段，译文都是同一段文本"),
        ),
        Check(
            name="too-long",
            meaning="it is longer than twice the longest reference plus 14 characters",
            rule=is_too_long,
            may_apply=lambda batch: batch.lengths > LENGTH_FACTOR * batch.longest + LENGTH_MARGIN,
            chinese=("过长", "比最长参考译文的两倍再加 14 个字符还长"),
        ),
        Check(
            name="too-short",
            meaning="the shortest reference is longer than twice the output plus 14 characters",
            rule=is_too_short,
            may_apply=lambda batch: batch.shortest > LENGTH_FACTOR * batch.lengths + LENGTH_MARGIN,
            chinese=("过短", "最短参考译文比该译文的两倍再加 14 个字符还长"),
        ),
        Check(
            name="number-lost",
            meaning="a number of the source is missing that every reference has in digits",
            rule=loses_number,
            needs=Needs.TEXTS,
            chinese=("数字缺失", "缺少源文中的数字，而每份参考译文都以数字形式保留了它"),
            verdict=False,
        ),
        Check(
            name="address-damaged",
            meaning="a URL, an e-mail address or an @handle is missing that every reference has",
            rule=damages_address,
            needs=Needs.TEXTS,
            chinese=("网址或账号受损", "缺少每份参考译文都有的网址、邮箱或 @账号"),
            verdict=False,
        ),
    )
}


def verdicts() -> list[str]:
    """Return the names of the kinds of outputs that may not be translations."""
    return [check.name for check in CHECKS.values() if check.verdict]


# ---- texts ----

_WORD = re.compile(r"[0-9a-z\u00c0-\u024f]+|[^\W_]")  # other scripts: each letter
_OTHERS = re.compile(r"[\W_]+")
# Patterns that few texts need are compiled when they are used.
_COMMAND_USAGE = r"(?:^|[\s\[(|])--?[a-z]|\[<|\[\w+ ?\.\.\.|\]\.\.\."
_NUMBER = r"(?<![A-Za-z_0-9])[0-9]+(?:[.,:][0-9]+)*"
_ADDRESS = (
    r"(?:https?://|www\.)[!-~]*[A-Za-z0-9/]"
    r"|[A-Za-z0-9][A-Za-z0-9._+-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
    r"|(?<![A-Za-z0-9])@[A-Za-z0-9_]+"
    # No e-mail address begins later in a run of its characters if none begins with the first.
    r"|(?P<other>[A-Za-z0-9][A-Za-z0-9._+-]*?(?=https?://|www\.|[^A-Za-z0-9._+-]|\Z))"
)


def _repetitions(text: str, shortest: int = MIN_PIECE) -> Iterator[int]:
    """Yield the number of characters in each repetition of a piece, five times in a row or more.

    Repetitions may be nested or overlap, so every size of a piece is tried.
    """
    if not CodePoints([text]).repeats(shortest, MAX_PIECE, MIN_REPETITIONS)[0]:
        return
    for size in range(shortest, min(MAX_PIECE, len(text) // MIN_REPETITIONS) + 1):
        # Runs of characters that equal the character one piece before them.
        end = size - 1
        for run in bytes(map(operator.eq, text[size:], text)).split(b"\0"):
            end += len(run) + 1
            times = len(run) // size + 1
            if times >= MIN_REPETITIONS and any(map(str.isalpha, text[end - size : end])):
                yield times * size


def _length(text: str) -> int:
    return len("".join(text.split()))


def _letters_and_digits(text: str) -> str:
    return _OTHERS.sub("", text.casefold())


def _plain(text: str) -> str:
    """Return the letters and digits of a text, or its marks if it has none."""
    return _letters_and_digits(text) or text.strip()


def is_one_word(text: str) -> bool:
    """Return whether a text is one word of a script with spaces, or a URL: it may be a name.

    >>> is_one_word("Cohren"), is_one_word("https://a.b/c"), is_one_word("Get lost")
    (True, True, False)
    >>> is_one_word("谢谢")
    False
    """
    text = text.strip()
    if re.fullmatch(_ADDRESS, text):
        return True
    return len(_WORD.findall(text.casefold())) == 1 and len(text.split()) == 1


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def is_prose(text: str) -> bool:
    """Return whether a text is made of sentences, and is not a name, a code or a command.

    It has two words in lower case side by side, or ten letters of a script without case.

    >>> is_prose("Save all files"), is_prose("Visual Studio Code"), is_prose("git add [<path>]")
    (True, False, False)
    """
    if sum(letter.isalpha() and letter.lower() == letter.upper() for letter in text) >= MIN_LETTERS:
        return True
    if re.search(_COMMAND_USAGE, text):
        return False
    words = (word.strip(".,;:!?()\"'“”‘’…") for word in text.split())
    is_plain = [len(word) >= LONG_WORD and word.isalpha() and word.islower() for word in words]
    return any(map(operator.and_, is_plain, is_plain[1:]))


def are_foreign(script: str | None, counts: TraitCounts) -> Bools:
    """Return which texts have `MIN_LETTERS` letters, of which less than a tenth in the script."""
    is_long = counts.of("letter") >= MIN_LETTERS
    if script is None:
        return np.zeros_like(is_long)
    return np.asarray(is_long & ~are_written_in(script, counts, MIN_SCRIPT_SHARE))


def are_written_in(script: str, counts: TraitCounts, least: float) -> Bools:
    """Return which texts have at least a share of `least` of their letters in the script."""
    n_letters, n_own = counts.of("letter"), counts.of(script)
    is_own = np.ones(len(n_own), np.bool_)
    if script == "Han":
        is_own = counts.of("kana") < MAX_KANA_SHARE * n_letters
    elif script == "kana":
        n_han = counts.of("Han")
        n_own = np.where((n_own > 0) | (n_han < MIN_HAN_WITHOUT_KANA), n_own + n_han, 0)
    return np.asarray(is_own & (n_own > 0) & (n_own >= least * n_letters))


def _numbers(text: str) -> frozenset[str]:
    from unicodedata import normalize

    folded = normalize("NFKC", text)
    return frozenset(number.replace(",", "") for number in re.findall(_NUMBER, folded))


def _addresses(text: str) -> frozenset[str]:
    matches = re.finditer(_ADDRESS, text)
    return frozenset(match[0] for match in matches if match.lastgroup != "other")
