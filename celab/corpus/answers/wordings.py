"""Phrases of language models by language: patterns of folded text (`fold`).

A phrase decides only if neither the source nor a reference has one of the *hints*, which are words
of the same meaning in any of the languages. Patterns are texts, which `re` compiles when they are
used first, because most texts need few of them. Chinese is written in simplified characters with
ASCII punctuation, which is what `fold` makes of both scripts; sets of other characters would take
long to compile.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from celab.corpus.answers import (
    APOLOGY_PIECES,
    INABILITY_PIECES,
    LANGUAGES,
    MODEL_PIECES,
    PREFACE_PIECES,
    REFUSAL,
    REQUEST_PIECES,
    cues_in,
)

_TRADITIONAL = (
    "譯無為這會說註備釋對幫協處滿繼續個種語實結內過來還簡體"
    "韓漢沒辦隨時請訴點詞彙補遺題該話選項於進當與問終據應輸產參僅一二三四五①②③④⑤"
    "敗錯誤異響調務網絡濾攔審違觸發試刪貼傳麼"
)
_SIMPLIFIED = (
    "译无为这会说注备释对帮协处满继续个种语实结内过来还简体"
    "韩汉没办随时请诉点词汇补遗题该话选项于进当与问终据应输产参仅1234512345"
    "败错误异响调务网络滤拦审违触发试删贴传么"
)
_TO_SIMPLIFIED = str.maketrans(_TRADITIONAL, _SIMPLIFIED)
_FOLDED = _TO_SIMPLIFIED | str.maketrans(
    "’：，。！？；、．（）【】※“”„«»「」『』—", '\':,.!?;,.()[]*"""""""""-'
)

# A phrase of refusals ends within so many characters from the beginning of an answer.
MAX_REFUSAL_CHARACTERS = 240


def fold(text: str) -> str:
    """Return a text of the same length in lower case, simplified, with ASCII punctuation.

    >>> fold("I’M SORRY，無法翻譯。")
    "i'm sorry,无法翻译."
    """
    lower = text.lower()
    if lower.isascii():
        return lower
    return (lower if len(lower) == len(text) else text).translate(_FOLDED)


def folded_pattern(pattern: str) -> str:
    """Return a pattern of folded texts, in which `^` matches at each line."""
    return f"(?m){pattern.translate(_TO_SIMPLIFIED)}"


class Family:
    """Phrases of one meaning by language, and the pattern of the words that excuse them.

    `pieces` are those of cues, one of which every phrase has.
    """

    def __init__(
        self,
        phrases: dict[str, tuple[str, ...]],
        hints: str,
        pieces: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.phrases, self.pieces = phrases, pieces or {}
        self.hint = folded_pattern(hints)
        # Beginnings of texts that begin with one of the phrases.
        self.openings = {
            lang: folded_pattern(rf"\W{{0,4}}(?:{'|'.join(alternatives)})")
            for lang, alternatives in phrases.items()
        }

    @property
    def alternatives(self) -> str:
        """The phrases of all languages, as one pattern."""
        return "|".join(phrase for phrases in self.phrases.values() for phrase in phrases)

    def may_be_in(self, start: str, lang: str) -> bool:
        """Return whether a folded text has a piece of the phrases in a language; few texts have."""
        return any(piece in start for piece in self.pieces[lang])

    def opens(self, start: str, lang: str) -> bool:
        """Return whether a folded text begins with one of the phrases in a language."""
        return self.may_be_in(start, lang) and bool(re.match(self.openings[lang], start))


# ---- refusals ----

_CANNOT = (
    r"(?:can't|cannot|can not|could not|couldn't|won't|will not|am unable to|'m unable to"
    r"|am not able to|'m not able to)"
)
_TASK = (
    r"(?:translate|help|assist|provide|fulfil|comply|complete|process|generate|continue|reproduce"
    r"|answer|discuss|engage|respond|do that|do this|create|write)"
)
_TASK_JA = (
    r"(?:翻訳|お手伝い|お応え|お答え|対応|提供|リクエスト|ご依頼|回答).{0,16}?"
    r"(?:できません|できかねます|いたしかねます|しかねます)"
)
_TASK_DE = r"(?:übersetz|helf|erfüll|bereitstell|anbiet|beantwort|generier)"
_TRANSLATE_HINTS = ("translat", "译", "訳", "übersetz", "번역")

# An apology, and that the task cannot be done.
APOLOGY = Family(
    {
        "en": (
            r"(?:(?:(?:i'm|i am)?\s*(?:very |really |truly |so )?sorry"
            r"|(?:i |my )?apologi[sz]e?s?)\b.{0,60}?\b|unfortunately,? )(?:i|we)\s?"
            rf"{_CANNOT} {_TASK}",
            r"(?:i |my )?apologi[sz]e?s?,? but i (?:do not|don't) (?:feel comfortable|have)",
        ),
        "zh": (
            r"(?:很|非常|十分|实在)?(?:抱歉|对不起|不好意思).{0,12}?(?:我|这个问题).{0,6}?"
            r"(?:无法|不能|不便|没有办法|没办法|没法).{0,8}?"
            r"(?:翻译|回答|提供|完成|协助|帮|处理|生成|继续|满足)",
            r"你好,这个问题我(?:暂时)?无法回答",
        ),
        "ja": (
            rf"(?:大変)?申し訳(?:ありません|ございません|ない).{{0,40}}?{_TASK_JA}",
            rf"(?:すみません|すいません|ごめんなさい|恐れ入ります).{{0,40}}?{_TASK_JA}",
        ),
        "ko": (
            r"(?:죄송|미안)(?:하지만|합니다만?|해요).{0,40}?"
            r"(?:번역|도와|도움|요청|제공|답변|생성|처리).{0,16}?(?:수 없|수는 없|어렵|않)",
        ),
        "de": (
            r"(?:es )?tut mir (?:sehr )?leid\b.{0,40}?\bkann (?:ich\b|\w+ nicht|.{0,40}?\bnicht)"
            rf".{{0,60}}?\b{_TASK_DE}",
            r"(?:entschuldigung|verzeihung|ich entschuldige mich|ich bitte um entschuldigung)\b"
            rf".{{0,40}}?\bkann\b.{{0,60}}?\b{_TASK_DE}",
            rf"leider kann ich\b.{{0,60}}?\bnicht {_TASK_DE}",
        ),
    },
    "sorry|apolog|unfortunate|regret|afraid|excuse|forgive|pardon|歉|对不起|不好意思|"
    "遗憾|恐怕|申し訳|すみません|すいません|済みません|ごめん|残念|恐れ入|죄송|미안|"
    r"유감|\bleid|entschuldig|verzeih|\bleider|bedau",
    APOLOGY_PIECES,
)

# Phrases that the text cannot be translated, without an apology, or after one.
INABILITY = Family(
    {
        "en": (
            rf"(?:(?:i'm |i am )?sorry,? but |i apologi[sz]e,? but )?i\s?{_CANNOT} (?:translate"
            r"|assist with|fulfil|comply|help (?:with|you)|provide (?:a |the |any )?translation"
            r"|reproduce)",
            rf"i\s?{_CANNOT} (?:directly )?(?:access|open|browse|visit) (?:or \w+ (?:with )?)?"
            r"(?:external|web|links?|urls?)",
            r"this is an? (?:url|link) and (?:doesn't|does not) (?:require|need) translation",
            r"i (?:do not|don't) feel comfortable (?:translating|providing|reproducing)",
        ),
        "zh": (
            r"(?:由于.{0,30}?,)?我(?:无法|不能|不会)(?:进行|为您|为你|直接|协助|提供)?.{0,6}?"
            r"(?:翻译|译文)",
            r"由于.{0,40}?,(?:我|因此).{0,20}?无法(?:进行)?(?:准确)?翻译",
            r"这是一个(?:网址|链接|url).{0,10}?(?:无法|不需要|无需)翻译",
            r"无法(?:进行|提供|完成)翻译",
        ),
        "ja": (r"(?:この|その|ご).{0,20}?(?:は|を)翻訳(?:することは)?(?:できません|できかねます)",),
        "ko": (r"(?:이|해당) .{0,20}?번역(?:해 드릴|할) 수 없",),
        "de": (r"ich kann (?:diesen|den|das|dies).{0,40}?\bnicht übersetzen",),
    },
    "|".join((*_TRANSLATE_HINTS, r"\bassist|\bhelp|\bhelf|帮|助|도와")),
    INABILITY_PIECES,
)

# The model speaks of itself.
MODEL = Family(
    {
        "en": (
            r"as an? (?:\w+ ){0,2}?(?:ai|artificial intelligence|language model)\b",
            r"i(?:'m| am) (?:just |only )?an? (?:ai|large language model|language model)\b",
        ),
        "zh": (
            r"(?:作为|我是)(?:一个|一名|一款)?\s?"
            r"(?:ai|人工智能|人工智慧|语言模型|大语言模型|大型语言模型)",
        ),
        "ja": (
            r"(?:私は)?(?:ai|人工知能|大規模言語モデル)(?:アシスタント|言語モデル)?"
            r"(?:として,私|です)",
        ),
        "ko": (r"(?:저는 )?(?:ai|인공지능)\s?(?:언어 모델|어시스턴트)",),
        "de": (r"als (?:ein |eine )?(?:ki\b|künstliche intelligenz|sprachmodell)",),
    },
    r"\bais?\b|人工智能|人工智慧|language model|语言模型|言語モデル|人工知能|인공지능|"
    r"언어 모델|\bki\b|sprachmodell|(?<![a-z])ai(?![a-z])|artificial intelligence|"
    "künstliche intelligenz",
    MODEL_PIECES,
)

# A request for the text that was to be translated.
_GREETING_ZH = r"(?:(?:您好|你好|好的|当然(?:可以)?|没问题|可以|抱歉|对不起)[,.!]*){0,2}"
_GREETING_EN = (
    r"(?:(?:sure|of course|certainly|okay|ok|hello|hi|absolutely|great|yes)\b[,.! ]{0,3}){0,2}"
    r"(?:i(?:'d| would|'ll| will) be (?:happy|glad) to (?:help|assist|translate)[^.!\n]{0,60}"
    r"[.!] ?)?"
)
_GIVE_ZH = r"(?:提供|输入|发送|发来|发给|给出|粘贴|贴出|上传|补充|告诉我|告知)"
_TEXT_EN = r"(?:text|sentence|passage|content|paragraph|phrase|document|source)s?"
REQUEST = Family(
    {
        "en": (
            rf"{_GREETING_EN}(?:(?:could|can|would) you )?(?:please )?"
            r"(?:provide|enter|share|send|paste|give|supply|input|submit|type)\b[^.!?\n]{0,40}?"
            rf"\b(?:{_TEXT_EN}\b[^.!?\n]{{0,40}}?\btranslat|(?:source|original) text\b"
            r"|text (?:first|again|here|below))",
            rf"{_GREETING_EN}what (?:text |sentence )?(?:would|do|should) (?:you|i) (?:like|want)?"
            r"[^.!?\n]{0,20}translat",
            r"(?:i|you|there|it (?:looks|seems|appears)(?: like| that)?(?: you| there)?)"
            r"(?: \w+){0,2}?(?:n't| not| no| any)\b[^.!?\n]{0,30}?\btext\b[^.!?\n]{0,20}?"
            r"(?:translat|provided|included|in your)",
            r"no text (?:was |is |has been )?(?:provided|given|supplied|included|to translat)",
        ),
        "zh": (
            rf"{_GREETING_ZH}(?:请|麻烦)(?:您|你)?.{{0,6}}?{_GIVE_ZH}.{{0,16}}?翻译.{{0,6}}?"
            r"(?:文本|内容|文字|句子|原文|段落|材料|文章|语句|部分|什么|英文|中文)",
            rf"{_GREETING_ZH}(?:请|麻烦)(?:您|你)?.{{0,6}}?{_GIVE_ZH}.{{0,6}}?(?:原文|源文本?|文本)",
            r"(?:您|你)(?:似乎|好像)?(?:还)?(?:没有|未)(?:提供|输入|给出|附上).{0,12}?(?:文本|原文|翻译)",
            rf"{_GREETING_ZH}我?(?:没有|未)(?:看到|收到|找到|发现).{{0,12}}?(?:文本|原文|翻译的)",
            rf"{_GREETING_ZH}请(?:您|你)?(?:把|将).{{0,8}}?(?:翻译|原文|文本).{{0,10}}?{_GIVE_ZH}",
        ),
        "ja": (
            r".{0,16}?翻訳.{0,12}?(?:テキスト|文章?|原文|内容|英文).{0,4}?"
            r"(?:提供|入力|提示|送っ|送り|教え|貼り|共有)",
            r".{0,8}?(?:原文|テキスト)を(?:ご)?(?:提供|入力|提示|お送り|送っ|共有)",
        ),
        "ko": (
            r".{0,16}?번역.{0,12}?(?:텍스트|문장|내용|글|원문).{0,4}?(?:제공|입력|알려|보내|공유)",
            r".{0,8}?(?:원문|텍스트)[을를] ?(?:제공|입력|알려|보내|공유)",
        ),
        "de": (
            r"(?:gerne|natürlich|klar|okay)?[,.! ]{0,3}(?:bitte )?(?:gib|geben sie|stelle?n? sie"
            r"|sende?n? sie|teile?n? sie|nenne?n? sie|füge?n? sie|schick)\b[^.!?\n]{0,40}?"
            r"\b(?:text|satz|inhalt)[^.!?\n]{0,50}?übersetz",
        ),
    },
    r"translat|译|訳|übersetz|번역|\btext|sentence|文本|文字|文章|原文|源文|句子|テキスト|텍스트|원문"
    "|original",
    REQUEST_PIECES,
)

REFUSALS = (APOLOGY, INABILITY, MODEL, REQUEST)

# ---- prefaces ----

_LANGUAGES_EN = (
    r"(?:simplified |traditional )?(?:chinese|english|german|japanese|korean|mandarin)"
    r"(?: \([\w ,-]{1,30}\))?"
)
_LANGUAGES_ZH = r"(?:简体|繁体)?(?:中文|英文|日文|德文|韩文|英语|日语|德语|韩语|汉语)"
_CLAUSE = r"[^\n:.]"
_OPENERS = (
    r"(?:(?:sure|certainly|of course|okay|ok|absolutely|yes|great)(?: thing)?[,.!]*\s+"
    r"|(?:as (?:you )?requested|(?:as )?per your (?:request|instructions)),?\s+"
    r"|(?:根据|按照|依照|应)(?:您|你|用户)?的?(?:要求|需求|请求|指示|指令)[,.!]\s*"
    r"|ご(?:要望|依頼|指示)(?:に応じて|に従って|に従い|の通り|のとおり)[,.]?\s*"
    r"|요청하신 (?:대로 )?|wie (?:von ihnen )?gewünscht,?\s+"
    r"|(?:好的|当然|当然可以|没问题|可以)[,.!]\s*"
    r"|(?:はい|承知しました|了解しました|かしこまりました|もちろん(?:です)?)[,.!]\s*"
    r"|(?:네|물론(?:이죠|입니다)?|알겠습니다)[,.!]\s*"
    r"|(?:gerne?|natürlich|klar|selbstverständlich|sicher)[,.!]\s*){0,2}"
)

# A line or clause before the translation, up to its colon.
PREFACE = Family(
    {
        "en": (
            r"(?:here(?:'s| is| are)|this is|below is|following is|the following is)"
            rf"{_CLAUSE}{{0,30}}?\btranslat(?:ion|ed){_CLAUSE}{{0,60}}",
            rf"(?:the |my |a |your )?(?:{_LANGUAGES_EN} |final |direct |literal |full )*"
            r"translat(?:ion|ed text)"
            rf"(?: (?:of|in|into|to|from|for|would|could|can|is|as){_CLAUSE}{{0,50}})?",
            rf"(?:in )?{_LANGUAGES_EN}(?: version)?",
            r"(?:the |my )?final answer(?: is)?",
            rf"(?:the|this)? ?(?:sentence|text|phrase|source|original)?{_CLAUSE}{{0,40}}"
            rf"translates? (?:in)?to {_LANGUAGES_EN}{_CLAUSE}{{0,20}}",
            rf"(?:the|this) (?:sentence|text|phrase|source|original){_CLAUSE}{{0,20}}translates? "
            r"(?:in)?to",
            r"answer|output",
        ),
        "zh": (
            rf"(?:以下|下面|这(?!位|名|些?人)){_CLAUSE}{{0,20}}?(?:翻译|译文)"
            rf"(?:(?:的|成|为|到)*(?:{_LANGUAGES_ZH}|结果|内容|版本|版|文本|文字|译文|稿)){{0,3}}"
            rf"(?:如下|,?(?:仅?供|请)(?:您|你)?(?:参考|查收|过目)|\({_CLAUSE}{{0,12}}\))?",
            rf"(?:最终)?(?:{_LANGUAGES_ZH}的?)?(?:翻译|译文|译)(?:结果|内容|文本|版本)?"
            r"(?:如下|为|是|成中文|成英文)?",
            rf"(?:这句话|这段话|该句|原文|此句){_CLAUSE}{{0,8}}?(?:翻译|译)"
            rf"(?:为|成|作|过来){_CLAUSE}{{0,8}}",
            r"(?:简体|繁体)?中文版?(?:\((?:简体|繁体)\))?",
            r"(?:最终)?(?:答案|回答)|输出(?:结果)?",
        ),
        "ja": (
            rf"以下(?:は|が|に|の){_CLAUSE}{{0,20}}?(?:翻訳|訳文|和訳|日本語訳|(?<![いし内通])訳)"
            rf"{_CLAUSE}{{0,12}}",
            r"(?:最終的?な?)?(?:日本語|英語|中国語|ドイツ語|韓国語)?(?:への|の)?(?:翻訳|訳文|和訳|訳)"
            r"(?:文|結果|例)?(?:は(?:以下|次)の(?:通り|とおり)です|は以下です)?",
            r"(?:最終(?:的な)?)?回答|答え|出力",
        ),
        "ko": (
            rf"(?:다음은|아래는|이것은){_CLAUSE}{{0,20}}?번역{_CLAUSE}{{0,12}}",
            r"(?:최종\s?)?(?:한국어|영어|중국어|일본어|독일어)?(?:로|로의)?\s?번역"
            r"(?:문|본|결과| 결과)?(?:(?:은|는) 다음과 같습니다)?",
            r"(?:최종\s?)?답변?|출력",
        ),
        "de": (
            rf"(?:hier (?:ist|kommt|die)|dies ist|das ist){_CLAUSE}{{0,30}}?übersetzung"
            rf"{_CLAUSE}{{0,40}}",
            r"(?:die |eine |meine )?(?:(?:endgültige|finale) )?"
            r"(?:deutsche |englische |chinesische )?übersetzung"
            rf"(?: (?:lautet|ist|ins|des|der|auf|wäre){_CLAUSE}{{0,40}})?",
            r"(?:die |meine )?(?:(?:endgültige|finale) )?antwort|ausgabe",
        ),
    },
    "|".join((*_TRANSLATE_HINTS, "interpret|dolmetsch|통역|\\brender|rendition")),
    PREFACE_PIECES,
)
PREFACE_LINES = {
    lang: folded_pattern(
        rf"\A[*_#\s]{{0,6}}{_OPENERS}(?:{'|'.join(phrases)})\s?[*_]{{0,3}}\s?:\s?[*_]{{0,3}}\s*"
    )
    for lang, phrases in PREFACE.phrases.items()
}


def match_preface(start: str) -> re.Match[str] | None:
    """Return the line or clause before the translation with which a folded text begins."""
    lines = (line for lang, line in PREFACE_LINES.items() if PREFACE.may_be_in(start, lang))
    return next(filter(None, (re.match(line, start) for line in lines)), None)


# Prefaces that end in a full stop have a line of their own.
PREFACE_SENTENCE = folded_pattern(
    rf"\A{_OPENERS}(?:"
    r"here(?:'s| is) (?:the|your|a|my) (?:\w+ ){0,3}translation[^\n:.]{0,60}[.!]"
    r"|(?:以下|下面)(?:是|为)[^\n.]{0,20}?(?:翻译|译文)[^\n.]{0,12}\."
    r"|以下(?:は|が)[^\n.]{0,20}?訳文?(?:です|になります)\."
    r"|(?:다음은|아래는)[^\n.]{0,20}?번역[^\n.]{0,12}\."
    r"|hier ist die (?:\w+ ){0,2}übersetzung[^\n:.]{0,40}\."
    r")[ \t]*\n\s*"
)
# Words of consent, English ones before text in another script, which count only where uncertain
# forms do; and what may stand for other ones at the beginning of a translation.
CONSENT = folded_pattern(
    r"\A(?:(?:sure|certainly|of course|okay|ok|absolutely|great|got it)(?: thing)?[,.!:]+\s*"
    r"(?=[^\n]*[^\W\x00-\u024f])"
    r"|(?:好的?|当然(?:可以)?|没问题|可以|明白了?|收到|はい|承知しました|了解しました"
    r"|かしこまりました|もちろん(?:です)?|네|물론(?:이죠|입니다)?|알겠습니다)"
    r"(?:[,.!:~]+\s*|[ \t]*\n\s*))"
)
AGREEMENT = folded_pattern(
    r"\A\W{0,4}(?:(?:sure|certainly|of course|okay|ok|absolutely|great|got it|well|yes|yeah|right"
    r"|all ?right)\b|[好行对][的了啦吧嘞呀啊,.!]|[嗯哦噢啊喔]|当然|没问题|可以|明白|收到|是的|是啊"
    r"|没错|那么|那[,好]|はい|ええ|うん|さて|じゃあ|では|それでは|そう|よし|わか|分か|承知|了解"
    r"|かしこまり|もちろん|オーケー|네|예|응|그래|좋|자|물론|알겠)"
)
# Texts of lines that are headings or bold. The first may also be followed by a translator's name.
_CREDITS = (
    rf"(?:{_LANGUAGES_EN} )?translation|(?:{_LANGUAGES_ZH}的?)?翻译|翻訳|訳|(?:한국어 )?번역"
    r"|(?:deutsche )?übersetzung"
)
_TITLES = (
    rf"{_CREDITS}|(?:{_LANGUAGES_EN} |final )*(?:translation|translated text)(?: result)?"
    rf"|(?:最终)?(?:{_LANGUAGES_ZH}的?)?(?:翻译|译文)(?:结果)?"
    r"|(?:日本語|最終)?(?:の|的な)?(?:翻訳|訳文|訳)(?:文|結果)?"
    r"|최종 번역|번역(?:문| 결과)|finale übersetzung"
)
_ANSWERS = (
    r"(?:the |my )?(?:final )?answer|(?:the )?output|(?:最终)?(?:答案|回答)|输出(?:结果)?"
    r"|(?:最終(?:的な)?)?(?:回答|答え)|出力|(?:최종\s?)?답변?|출력"
    r"|(?:die |meine )?(?:(?:endgültige|finale) )?antwort|ausgabe"
)
_LANGUAGE = rf"(?:in )?{_LANGUAGES_EN}(?: version)?|(?:简体|繁体)?中文版?(?:\((?:简体|繁体)\))?"
PREFACE_HEADING = folded_pattern(
    rf"\A(?:#{{1,6}}[ \t]+[*_]{{0,3}}|[*_]{{1,3}})(?:{_TITLES}|{_LANGUAGE}|{_ANSWERS})"
    r"[*_]{0,3}[ \t]*\n\s*"
)
# The same in brackets, as in 【译文】, which is a preface only where uncertain ones count.
BRACKETED_TITLE = folded_pattern(
    rf"\A(?P<mark>[*_]{{0,3}})\[(?:{_TITLES}|{_LANGUAGE}|{_ANSWERS})\](?P=mark)\s*:?\s*"
)


class Label(NamedTuple):
    """A preface that may also be the translation of a label, and words that excuse it.

    It decides only with a source or a reference that has none of the words.
    """

    pattern: str
    words: str
    needs_source: bool = True

    @classmethod
    def of(cls, names: str, words: str, *, needs_source: bool = True) -> Label:
        """Return the label whose names end in a colon or a line break."""
        pattern = folded_pattern(rf"\A\W{{0,8}}(?:{names})(?: is)?[ \t]*\W{{0,4}}[:\n]")
        return cls(pattern, folded_pattern(words), needs_source)


LABELS = (
    # Labels as in credits: "Translation: Anna Berg".
    Label.of(
        rf"{_CREDITS}|译"
        rf"|(?:the |my |a |your )?translation (?:of|in|into|to|from|for){_CLAUSE}{{1,50}}",
        "|".join(_TRANSLATE_HINTS),
        needs_source=False,
    ),
    Label.of(
        _LANGUAGE,
        "chinese|english|german|japanese|korean|mandarin|中文|汉语|英文|英语|英語|日文|日语|日本語"
        "|德文|德语|韩文|韩语|韓国語|中国語|ドイツ語|deutsch|englisch|chinesisch|japanisch"
        "|한국어|영어|중국어",
    ),
    Label.of(
        _ANSWERS,
        "answer|result|solution|output|response|结果|答|输出|产|出力|結果|답|출력|결과|antwort"
        "|ergebnis|lösung|ausgabe|produ",
    ),
)

# An offer to change the translation, which is certain to be one only after a preface.
INVITATION = Family(
    {
        "en": (r"(?:please )?let me know",),
        "zh": (r"[^\n]{0,20}?请?(?:随时)?告诉我",),
        "ja": (r"[^\n]{0,20}?(?:お知らせ|教えて|お申し付け)ください",),
        "ko": (r"[^\n]{0,20}?(?:알려|말씀해)\s?주(?:세요|십시오)",),
        "de": (r"(?:bitte )?(?:sag(?:en sie)?|gib|geben sie)[^\n]{0,20}? bescheid",),
    },
    r"let (?:me|us) know|\btell (?:me|us)|告诉|通知|说一声|知ら|教え|申し付け|알려|말씀|bescheid"
    r"|wissen|\bsag",
)
INVITATION_LINE = folded_pattern(rf"\n\W{{0,4}}(?:{INVITATION.alternatives})[^\n]{{0,60}}\Z")

# ---- notes ----

# A label of a note after the translation.
NOTE = Family(
    {
        "en": (
            r"(?:translat(?:or|ion)(?:'s)? |additional |side |foot)?notes?",
            r"notes? on (?:the )?translation",
            r"explanations?",
            r"explanation of[^\n:]{0,40}",
            r"breakdown",
            r"(?:cultural )?context",
            r"comments?",
            r"remarks?",
        ),
        "zh": (
            r"(?:翻译|译者|译|补充|词汇)?(?:注释|注解|说明|注意|注|备注|解释)",
            r"翻译(?:要点|思路|解析)",
        ),
        "ja": (r"訳?(?:注釈|注記|注|註|補足|解説|説明|備考)(?:説明)?",),
        "ko": (r"역?주", r"참고", r"설명", r"해설", r"각주", r"번역 노트"),
        "de": (r"(?:anmerkung|hinweis|erklärung|erläuterung)(?:en)?(?: zur übersetzung)?",),
    },
    r"\bnotes?\b|注|explan|解释|解説|说明|説明|备|補足|참고|설명|주\s?:|주의|해설|"
    r"anmerk|hinweis|erklär|erläut|attention|warning|caution|beware|remember|\bcontext|"
    r"comment|remark|breakdown|\bp\.?s\b|n\.b\.|提示|警告|achtung|bitte beacht",
)
_NOTE_LABEL = rf"(?:{NOTE.alternatives})"
# A note in a line of its own: marks, the label, a colon.
NOTE_LINE = folded_pattern(
    rf"^(?:[-_*=]{{3,}}[ \t]*\n{{1,3}})?[*_#>(\[\s-]{{0,6}}{_NOTE_LABEL}\s?[*_\]]{{0,3}}\s?:"
)
# A note as a heading or in bold, which counts only where uncertain forms do.
NOTE_HEADING = folded_pattern(
    rf"^(?:#{{1,6}}[ \t]+[*_]{{0,2}}|[*_]{{2}}){_NOTE_LABEL}[*_]{{0,2}}[ \t]*$"
)
# A note in the line of the translation: in brackets at the end, or after a full stop.
NOTE_IN_BRACKETS = folded_pattern(rf"[*_]{{0,2}}\({_NOTE_LABEL}\s?:[^()]*\)[*_]{{0,2}}\.?\Z")
NOTE_IN_LINE = folded_pattern(rf"(?<=[.!?\"])\s*[*_]{{0,2}}{_NOTE_LABEL}\s?:")
# Words of a note that speaks of the translation.
ABOUT_TRANSLATION = folded_pattern(
    r"原文|译|(?<![いし内通])訳|원문|번역|직역|의역|\boriginal|translat|literal|source text"
    r"|übersetz|wörtlich|ausgangstext"
)
# A closing line that offers help.
CLOSING = Family(
    {
        "en": (
            r"i hope (?:this|that|it)[^\n]{0,20}? help",
            r"hope (?:this|that|it) helps",
            r"(?:please )?(?:feel free to |do )?let me know (?:if|whether)",
            r"(?:please )?feel free to ask",
            r"is there anything else",
        ),
        "zh": (
            r"希望(?:这个|这|以上|此)?(?:翻译|译文|回答)?(?:对|能|可以)[^\n]{0,6}?"
            r"(?:有所?帮助|帮到|帮助)",
            r"如果(?:您|你)?(?:有|需要|还有)[^\n]{0,30}?(?:请|告诉|随时)",
        ),
        "ja": (r"(?:お役に立て|ご参考になれば|他に(?:ご質問|何か))",),
        "ko": (r"도움이 되(?:었|셨|기|길)", r"(?:더|추가로|다른) (?:필요한|궁금한|도움)"),
        "de": (
            r"ich hoffe,? (?:das|dies|es)[^\n]{0,10}? hilf",
            r"lass(?:en sie)? (?:es )?mich wissen",
        ),
    },
    r"\bhop(?:e|ing)|希望|let (?:me|us) know|hoff|帮|help|feel free|役に立|参考|도움|"
    "anything else|如果|질문",
)
CLOSING_LINE = folded_pattern(rf"^\W{{0,4}}(?:{CLOSING.alternatives})")

# ---- versions, the source, keys ----

# Labels of alternatives.
NUMBERED = folded_pattern(
    r"^[*_#\s]{0,4}(?:(?:option|version|translation|alternative|variante|übersetzung|möglichkeit"
    r"|方案|版本|译文|翻译|译法|选项|案|訳例|訳|翻訳案|翻訳|옵션|번역|버전)\s?"
    r"(?P<label>[1-9a-e])\s?[*_]{0,3}\s?[:.,]|(?P<number>[1-9])[.),](?!\d))\s?[*_]{0,3}\s*"
)
ENUMERATED = folded_pattern(
    r"(?:^|\s)\(?[1-9][.),](?!\d)|\b(?:first|second|step|option|version|variante)"
)
ALTERNATIVELY = Family(
    {
        "en": (
            r"or",
            r"alternatively",
            r"alternative(?: translation| version)?s?",
            r"another (?:option|version)",
        ),
        "zh": (
            r"或者?",
            r"或者?(?:可以)?翻?译(?:为|成|作)",
            r"也可以?翻?译(?:为|成|作)",
            r"另一(?:种|个)(?:翻译|译法|说法)",
            r"还可以翻?译(?:为|成|作)",
        ),
        "ja": (r"または", r"あるいは", r"別訳", r"もしくは"),
        "ko": (r"또는", r"혹은"),
        "de": (r"oder", r"alternativ(?:e|en)?(?: übersetzung)?"),
    },
    r"\bor\b\s*[,:]|\balternativ|或者?[:,]|另一|または|あるいは|もしくは|또는|혹은|"
    r"\boder\b\s*[,:]|也可|another",
)
ALTERNATIVE_LINE = folded_pattern(
    rf"^[*_(\s]{{0,4}}(?:{ALTERNATIVELY.alternatives})\s?[*_]{{0,3}}\s?:"
)
SOURCE_LABEL = folded_pattern(
    r"\A[*_#\s]{0,4}(?:source(?: text)?|original(?: text)?|原文|源文|원문|quelle|originaltext"
    rf"|{_LANGUAGES_EN})\s?[*_]{{0,3}}\s?:\s?[*_]{{0,3}}\s*"
)
# Keys of an object that hold the translation among other values.
TRANSLATION_KEYS = frozenset(
    """translation translated translated_text translatedtext target target_text output result
    answer text final_translation hypothesis 译文 翻译 譯文 翻譯 訳文 翻訳 訳 번역 번역문
    übersetzung""".split()
)


def refuses(output: str, others: Sequence[str]) -> bool:
    """Return whether an output begins with a phrase of refusals that the other texts don't excuse.

    `others` are the source and the references.

    >>> refuses("I’m sorry, but I cannot translate this.", ["滚开"])
    True
    >>> refuses("I’m sorry, but I cannot help you.", ["对不起，我帮不了你。"])
    False
    """
    start = output.lstrip()[:MAX_REFUSAL_CHARACTERS]
    known = cues_in(start)
    languages = [lang for lang, cue in LANGUAGES.items() if known & cue]
    if not known & REFUSAL or not languages:
        return False
    start = fold(start)
    return any(
        any(family.opens(start, lang) for lang in languages)
        and not any(re.search(family.hint, fold(text)) for text in others)
        for family in REFUSALS
    )
