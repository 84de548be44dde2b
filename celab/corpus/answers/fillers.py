"""Texts that stand where a translation should be: an output → whether it is nothing but one.

A program writes `null` or `[ERROR]`, an API 内容被过滤, and a model that stops at once only its
special tokens. Values such as `N/A` count unless the source or a reference is the same text,
phrases unless one of them has a word of the same meaning.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import category, normalize

from celab.corpus.answers.wordings import fold, folded_pattern

MAX_FILLER_CHARACTERS, MIN_MARKS = 200, 2

# Texts that programs print for a missing value.
VALUES = folded_pattern(r"null|none|nil|nan|n/a|undefined|object object|nonetype")
_STATUS = r"(?:4\d\d|5\d\d)"
_FAILURE = (
    r"(?:error|failed|failure|unavailable|missing|omitted|skipped|pending|timed out|timeout"
    r"|not (?:available|found|provided|possible))"
)
PHRASES = folded_pattern(
    "|".join(
        (
            # A program or a service failed.
            rf"(?:(?:an? )?(?:http|api|server|internal|unknown|network|connection|request|response"
            rf"|translation|model|timeout|runtime|parse|parsing|service) ?){{0,3}}{_FAILURE}"
            rf"(?: ?(?:code|status)?[ :#-]{{0,2}}\d{{1,5}})?(?: occurred)?",
            rf"(?:http |status |code ){{0,2}}{_STATUS}(?: ?[:-]? ?(?:internal server error"
            r"|too many requests|bad gateway|service unavailable|gateway timeout|bad request"
            r"|unauthorized|forbidden|not found))",
            r"too many requests|rate[ _]?limit(?:[ _](?:exceeded|reached|error))?|quota exceeded",
            r"connection (?:refused|reset|closed|aborted|lost)|bad gateway|gateway timeout",
            # There is no translation.
            r"no (?:translation|output|response)(?: (?:available|found|provided|needed|required))?",
            r"(?:un|not )translated|(?:insert |your )?translation (?:goes )?here",
            r"(?:the )?(?:content|text|output|response) (?:was |is |has been )?"
            r"(?:filtered|blocked|removed|censored|redacted|flagged)",
            r"content[_ ]filter(?:ed)?",
            r"(?:该|此|本)?(?:翻译|译文|请求|响应|回复|生成|调用|处理|接口|服务|api|系统|服务器|网络"
            r"|模型|输出|解析)(?:请求|调用|结果|服务)?(?:已|发生|出现)?"
            r"(?:失败|出错|错误|异常|超时|繁忙|为空|缺失|不可用|中断)"
            r"(?:,?请?(?:您)?稍后(?:再试|重试))?",
            r"(?:无|暂无|没有|缺少|未提供|未|无可用|无需|不需要)(?:翻译|译文)(?:结果|内容|文本)?",
            r"(?:该|此|本|原文|输入|输出|回复|相关)?(?:内容|文本|信息|句子|文字)"
            r"(?:已|因|可能|涉嫌|疑似){0,2}(?:被|遭|违规|触发)?(?:系统|平台|安全|内容)?(?:策略)?"
            r"(?:过滤|屏蔽|拦截|删除|隐藏|违规|敏感|审核(?:未通过|不通过|失败))",
            r"(?:译文|翻译|此处(?:译文|翻译)?)(?:从|省)?略",
            r"翻訳(?:に|が|は)?(?:失敗|エラー|不可|不能|なし|省略)(?:しました|です)?|訳文?なし",
            r"번역 ?(?:실패|오류|없음|불가|생략)(?:했습니다|하였습니다)?",
            r"übersetzung (?:fehlgeschlagen|fehlt|nicht (?:verfügbar|möglich))|keine übersetzung",
        )
    )
)
# Words that count in brackets alone.
BRACKETED = folded_pattern(
    r"[\[(<{*_]+\s?(?:error|failed|failure|blocked|filtered|censored|redacted|skipped|omitted|empty"
    r"|blank|missing|unknown|untranslated|todo|tbd|na|pad|略|省略|错误|失败|过滤|屏蔽|已过滤"
    r"|已屏蔽|エラー|오류|생략)\s?[\])>}*_]+"
)
HINTS = folded_pattern(
    r"translat|译|訳|übersetz|번역|error|fail|fehler|wrong|エラー|失敗|失败|错误|出错|异常|오류|실패"
    r"|filter|block|remov|delet|censor|redact|过滤|屏蔽|拦截|删除|违规|敏感|省略|略|omit|skip|snip"
    r"|time(?:d|s)? ?out|超时|limit|quota|request|请求|unavailable|不可用|not found|missing|缺|busy"
    r"|繁忙|pending|empty|blank|空|unknown|未知|connection|连接|gateway|response|output|输出|响应"
)
_TOKEN = (
    r"<\|[^<>|\n]{1,40}\|>|<｜[^<>｜\n]{1,40}｜>|</?s>"
    r"|</?(?:pad|unk|eos|bos|sep|cls|mask|eot|eod|end_of_turn|start_of_turn|end_of_text|\|?end\|?)>"
    r"|\[/?(?:PAD|UNK|EOS|BOS|SEP|CLS|MASK|INST|SYS)\]|<0x[0-9A-Fa-f]{2}>"
)
_ROLE = r"\s*(?:assistant|user|system|model|final)?\s*"


def is_filler(output: str, others: Sequence[str], *, is_latin: bool = False) -> bool:
    """Return whether an output is nothing but a text in place of a translation.

    Parameters:
        output: the output.
        others: the source and the references, as far as they are known.
        is_latin: whether the target language is written in Latin letters, in which “none” may
            translate a text that is as short.

    >>> is_filler("[ERROR]", ["他们去北京"]), is_filler("N/A", ["N/A", "不适用"])
    (True, False)
    >>> is_filler("<|im_end|>", ["买雨伞"]), is_filler("翻译失败", ["Translation failed"])
    (True, False)
    """
    text = output.strip()
    if len(text) > MAX_FILLER_CHARACTERS:
        return False
    folded = fold(text)
    core = _core(folded)
    if not any(map(str.isalnum, text)):
        return _is_only_marks(text, others)
    if text[:1] in "<[" and re.fullmatch(f"(?:(?:{_TOKEN}){_ROLE})+", text):
        return not any(text in other for other in others)
    is_value = re.fullmatch(VALUES, core) is not None
    is_phrase = re.fullmatch(PHRASES, core) or re.fullmatch(BRACKETED, folded)
    cores = [_core(fold(other)) for other in others] if is_value or is_phrase else []
    if core in cores or not (is_value or is_phrase):
        return False
    if is_value:
        return not (is_latin and any(len(other) <= 2 * len(core) for other in cores))
    return not any(re.search(HINTS, fold(other)) for other in others)


def _core(text: str) -> str:
    """Return a text without the marks and spaces around it."""
    places = [place for place, letter in enumerate(text) if letter.isalnum()]
    return text[places[0] : places[-1] + 1] if places else ""


def _is_only_marks(text: str, others: Sequence[str]) -> bool:
    """Return whether a text is two punctuation marks or more, though the others have letters.

    None of them may have it, too, or repeat a mark of it.

    >>> _is_only_marks("???", ["Why?"]), _is_only_marks("???", ["Why??"])
    (True, False)
    """
    marks = "".join(normalize("NFKC", text).split())
    is_plain = all(
        mark == "\N{REPLACEMENT CHARACTER}" or category(mark)[0] == "P" for mark in marks
    )
    if not is_plain or len(marks) < MIN_MARKS:
        return False
    plain = ["".join(normalize("NFKC", other).split()) for other in others]
    runs = {2 * mark for mark in marks}
    return not any(marks in other or any(run in other for run in runs) for other in plain) and all(
        any(map(str.isalnum, other)) for other in plain
    )
