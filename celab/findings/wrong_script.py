"""Chinese in the other script than its language is written in: outputs → findings.

`zh-Hans`, `zh-CN` and `zh-SG` are Simplified, `zh-Hant`, `zh-TW`, `zh-HK` and `zh-MO` Traditional;
with `zh` alone nothing is checked. The language is given by the caller, by the file of the output,
or by the name of the file or its folder. A character belongs to one script if the standard
character set of the other (GB 2312, Big5) does not have it; `后` and `里` are in both. An output is
in the wrong script if it has more characters of the wrong script than of the right one. Characters
that the source has, too, and names of the scripts themselves do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from celab.base.languages import chinese_script
from celab.base.text.normalize import character_forms
from celab.findings.finding import Change, Finding, FindingKind, Needs, Producer, Subject

_FIRST, _LAST = 0x4E00, 0x9FFF
_NAMES = re.compile(r"(?:[繁簡简正][體体](?:中文|字)?|[简簡]中|[简簡](?=[/、|]?繁))")
MAX_CHARACTERS_LISTED = 10

KIND = FindingKind(
    name="wrong-script",
    meaning="it is in Simplified Chinese where the language is written in Traditional, or the"
    " other way round",
    needs=Needs.NOTHING,
    chinese=("简繁错误", "目标语言用繁体书写而译文是简体，或者相反"),
)


class ScriptCharacters(NamedTuple):
    """The characters that only one script has."""

    simplified: frozenset[str]
    traditional: frozenset[str]

    def wrong(self, script: str) -> tuple[frozenset[str], frozenset[str]]:
        """Return the characters that are wrong in a script, and those that only it has."""
        both = self.simplified, self.traditional
        return both if script == "Traditional" else both[::-1]


@cache
def characters() -> ScriptCharacters:
    """Return the characters that belong to one script only.

    >>> [("设" in side, "設" in side, "后" in side) for side in characters()]
    [(True, False, False), (False, True, False)]
    """
    to_simplified, to_traditional = character_forms("t2s"), character_forms("s2t")
    simplified, traditional = set(), set()
    for code in range(_FIRST, _LAST + 1):
        is_simplified, is_traditional = to_traditional[code] != code, to_simplified[code] != code
        if is_simplified and not is_traditional and not _is_in(code, "big5"):
            simplified.add(chr(code))
        if is_traditional and not is_simplified and not _is_in(code, "gb2312"):
            traditional.add(chr(code))
    return ScriptCharacters(frozenset(simplified), frozenset(traditional))


def _is_in(code: int, charset: str) -> bool:
    try:
        chr(code).encode(charset)
    except UnicodeEncodeError:
        return False
    return True


def wrong_characters(output: str, source: str, script: str) -> str:
    """Return the characters of an output in the wrong script, "" if it is in the right one.

    >>> wrong_characters("儲存檔案", "Save", "Simplified")
    '儲檔'
    >>> wrong_characters("皇后", "", "Traditional")
    ''
    """
    other, own = characters().wrong(script)
    if other.isdisjoint(output):
        return ""
    text = _NAMES.sub("", output)
    in_wrong = [letter for letter in text if letter in other and letter not in source]
    n_right = sum(letter in own for letter in text)
    return "".join(dict.fromkeys(in_wrong)) if len(in_wrong) > n_right else ""


def script_of(subject: Subject, system: str) -> str:
    """Return the script that a system's language is written in; "" if none is known."""
    return chinese_script(subject.lang) or chinese_script(subject.corpus.tags.get(system, ""))


def _find(subject: Subject) -> Iterator[Finding]:
    corpus = subject.corpus
    sources = corpus.source or [""] * len(corpus.segments)
    for system, outputs in corpus.systems.items():
        if not (script := script_of(subject, system)):
            continue
        for row, (output, source) in enumerate(zip(outputs, sources, strict=True)):
            if letters := wrong_characters(output, source, script):
                change = Change(added=(letters[:MAX_CHARACTERS_LISTED],))
                note = f"not {script}"
                yield Finding(
                    system, row, "script", KIND.name, text=output, note=note, value=change
                )


PRODUCER = Producer(
    name="script",
    title="Chinese script",
    kinds={KIND.name: KIND},
    find=_find,
    chinese={"Chinese script": "简繁体"},
)
