"""Answers of language models: the translation inside, and refusals.

wordings    the phrases of refusals, prefaces and notes, by language; whether an answer refuses
forms       the forms in which a translation is wrapped; answers and corpora → the texts inside

Here are their cues: pieces of text, one of which every answer of a kind has. Folding a text and
matching patterns takes long, and most texts have no cue. All cues of all kinds are looked for at
once, whatever the case of letters.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from celab._native.counts import Phrases
from celab.base.arrays import U8, Bools
from celab.base.text.counts import TraitCounts

REFUSAL_CUES = (
    "sorry|apolog|unfortunately|cannot|can't|can’t|can not|unable|not able|couldn|could not|"
    "won't|won’t|will not|don't|don’t|do not|doesn|does not|as a|i'm a|i’m a|i am a|抱歉|对不起|"
    "對不起|不好意思|法回答|翻译|翻譯|译文|譯文|作为|作為|我是|申し訳|すみません|すいません|ごめん|"
    "恐れ入|翻訳|モデル|人工知能|aiア|aiで|aiと|죄송|미안|번역|인공지능|ai |leid|entschuldig|"
    "verzeih|übersetz|als k|sprachmodell|translat|text|原文|源文|文本|テキスト|원문|텍스트"
).split("|")
NOTE_CUES = (
    "note|explan|breakdown|context|comment|remark|注|註|说明|說明|説明|备考|備考|解释|解釋|"
    "解析|解説|補足|要点|要點|思路|참고|설명|주|해설|노트|anmerk|hinweis|erklär|erläut"
).split("|")
# Pieces, one of which every phrase of a family of refusals has in a language, beside a cue.
APOLOGY_PIECES = {
    "en": "sorry|apolog|unfortunately".split("|"),
    "zh": "抱歉|对不起|對不起|不好意思|法回答".split("|"),
    "ja": "申し訳|すみません|すいません|ごめん|恐れ入".split("|"),
    "ko": ("죄송", "미안"),
    "de": "leid|entschuldig|verzeih".split("|"),
}
INABILITY_PIECES = {
    "en": (
        "cannot|can't|can’t|can not|could not|couldn|won't|won’t|will not|unable|not able|doesn|"
        "does not|don't|don’t|do not"
    ).split("|"),
    "zh": "翻译|翻譯|译文|譯文".split("|"),
    "ja": ("翻訳",),
    "ko": ("번역",),
    "de": ("übersetz",),
}
MODEL_PIECES = {
    "en": "as a|i'm a|i’m a|i am a|just a|only a".split("|"),
    "zh": "ai|人工智|语言模型|語言模型".split("|"),
    "ja": "人工知能|モデル|aiア|ai言|aiと|aiで".split("|"),
    "ko": ("언어 모델", "어시스턴트"),
    "de": "als k|als ein|sprachmodell".split("|"),
}
REQUEST_PIECES = {
    "en": ("translat", "text"),
    "zh": "翻译|翻譯|原文|源文|文本".split("|"),
    "ja": ("翻訳", "原文", "テキスト"),
    "ko": ("번역", "원문", "텍스트"),
    "de": ("übersetz",),
}
# The same of prefaces.
PREFACE_PIECES = {
    "en": "translat|chinese|english|german|japanese|korean|mandarin|answer|output".split("|"),
    "zh": ("译", "譯", "中文", "答案", "回答", "输出", "輸出"),
    "ja": ("訳", "回答", "答え", "出力"),
    "ko": ("번역", "최종", "답", "출력"),
    "de": ("übersetz", "antwort", "ausgabe"),
}
# The end of gpt-oss's thinking where its special tokens are not written: no mark is around it.
THINKING_CUE = "assistantfinal"
PREFACE_CUES = [THINKING_CUE, *(piece for pieces in PREFACE_PIECES.values() for piece in pieces)]
KINDS: list[Sequence[str]] = [REFUSAL_CUES, PREFACE_CUES, NOTE_CUES]
BY_LANGUAGE: dict[str, Sequence[str]] = {
    lang: [
        *APOLOGY_PIECES[lang],
        *INABILITY_PIECES[lang],
        *MODEL_PIECES[lang],
        *REQUEST_PIECES[lang],
    ]
    for lang in APOLOGY_PIECES
}
REFUSAL, PREFACE, NOTE = (1 << place for place in range(len(KINDS)))
LANGUAGES = {lang: 1 << place for place, lang in enumerate(BY_LANGUAGE, len(KINDS))}
_ANY_LANGUAGE = sum(LANGUAGES.values())


@cache
def cue_index() -> Phrases:
    """Return the cues of all kinds, in lower case and in upper case."""
    import numpy as np

    sets = [*KINDS, *BY_LANGUAGE.values()]
    letters = dict.fromkeys("".join(cue for cues in sets for cue in cues))
    symbols = np.zeros(0x110000, np.uint8)
    for number, letter in enumerate(letters, 1):
        symbols[ord(letter)] = symbols[ord(letter.upper())] = number
    symbols[ord("\N{KELVIN SIGN}")] = symbols[ord("k")]
    return Phrases(sets, symbols, len(letters) + 1)


def cues_in(text: str) -> int:
    """Return the kinds and languages of which a text has a cue, one bit each.

    >>> cues_in("Chinese: 买伞") == PREFACE, cues_in("买伞")
    (True, 0)
    """
    return cue_index().sets_in(text)


def may_refuse(cues: U8) -> Bools:
    """Return which answers may refuse, by their cues."""
    may_be: Bools = (cues & REFUSAL != 0) & (cues & _ANY_LANGUAGE != 0)
    return may_be


def may_be_wrapped(counts: TraitCounts, cues: U8, sources: TraitCounts | None) -> Bools:
    """Return which answers may have a form, by counts and cues, and by counts of the sources.

    Without a mark or a cue that its rule looks for, an answer has not the form.
    """
    may_be: Bools = counts.has("break", "fence", "bracket") | (cues & PREFACE != 0)
    may_be |= counts.has("colon") & (cues & NOTE != 0)
    may_be |= counts.begins_with("emphasis")
    if sources is not None:
        may_be |= counts.begins_with("quote") & counts.ends_with("end-quote")
        may_be |= counts.cover(sources) & sources.has("dense")
    return may_be
