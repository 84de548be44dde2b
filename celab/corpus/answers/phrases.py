"""Phrases of language models by language: patterns without case, apostrophes are straight.

A phrase decides only if neither the source nor a reference has one of the *hints*, which are words
of the same meaning in any of the languages.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Family(NamedTuple):
    """Phrases of one meaning by language, and the words that excuse them."""

    phrases: dict[str, tuple[str, ...]]
    hints: tuple[str, ...]

    def opening(self) -> re.Pattern[str]:
        """Return the pattern of a text that begins with one of the phrases."""
        phrases = (phrase for phrases in self.phrases.values() for phrase in phrases)
        return re.compile(rf"\W{{0,4}}(?:{'|'.join(phrases)})", re.IGNORECASE)

    def hint(self) -> re.Pattern[str]:
        """Return the pattern of one of the hints."""
        return re.compile("|".join(self.hints), re.IGNORECASE)


_CANNOT = (
    r"(?:can't|cannot|can not|could not|couldn't|won't|will not|am unable to|'m unable to"
    r"|am not able to|'m not able to)"
)
_TASK = (
    r"(?:translate|help|assist|provide|fulfil|comply|complete|process|generate|continue|reproduce"
    r"|answer|discuss|engage|respond|do that|do this|create|write)"
)
_TRANSLATE_HINTS = ("translat", "翻[译譯訳]", "[译譯]", "訳", "übersetz", "번역")

# An apology, and that the task cannot be done.
APOLOGY = Family(
    {
        "en": (
            r"(?:i'm|i am)?\s*(?:very |really |truly |so )?sorry\b.{0,60}?\b(?:i|we)\s?"
            rf"{_CANNOT} {_TASK}",
            rf"(?:i |my )?apologi[sz]e?s?\b.{{0,60}}?\b(?:i|we)\s?{_CANNOT} {_TASK}",
            r"(?:i |my )?apologi[sz]e?s?,? but i (?:do not|don't) (?:feel comfortable|have)",
            rf"unfortunately,? (?:i|we)\s?{_CANNOT} {_TASK}",
        ),
        "zh": (
            r"(?:很|非常|十分|实在)?(?:抱歉|对不起|不好意思).{0,12}?(?:我|这个问题).{0,6}?"
            r"(?:无法|不能|不便|没有办法|没法).{0,8}?(?:翻译|回答|提供|完成|协助|帮|处理|生成|继续|满足)",
            r"(?:很|非常|十分|實在)?(?:抱歉|對不起|不好意思).{0,12}?(?:我|這個問題).{0,6}?"
            r"(?:無法|不能|不便|沒有辦法|沒辦法).{0,8}?(?:翻譯|回答|提供|完成|協助|幫|處理|生成|繼續|滿足)",
            r"你好，这个问题我(?:暂时)?无法回答",
        ),
        "ja": (
            r"(?:大変)?申し訳(?:ありません|ございません|ない).{0,40}?"
            r"(?:翻訳|お手伝い|お応え|お答え|対応|提供|リクエスト|ご依頼|回答).{0,16}?"
            r"(?:できません|できかねます|いたしかねます|しかねます)",
            r"(?:すみません|すいません|ごめんなさい|恐れ入ります).{0,40}?"
            r"(?:翻訳|お手伝い|お応え|お答え|対応|提供|リクエスト|ご依頼|回答).{0,16}?"
            r"(?:できません|できかねます|いたしかねます|しかねます)",
        ),
        "ko": (
            r"(?:죄송|미안)(?:하지만|합니다만?|해요).{0,40}?"
            r"(?:번역|도와|도움|요청|제공|답변|생성|처리).{0,16}?(?:수 없|수는 없|어렵|않)",
        ),
        "de": (
            r"(?:es )?tut mir (?:sehr )?leid\b.{0,40}?\bkann (?:ich\b|\w+ nicht|.{0,40}?\bnicht)"
            r".{0,60}?\b(?:übersetz|helf|erfüll|bereitstell|anbiet|beantwort|generier)",
            r"(?:entschuldigung|verzeihung|ich entschuldige mich|ich bitte um entschuldigung)\b"
            r".{0,40}?\bkann\b.{0,60}?\b(?:übersetz|helf|erfüll|bereitstell|anbiet|beantwort)",
            r"leider kann ich\b.{0,60}?\bnicht (?:übersetz|helf|erfüll|bereitstell|beantwort)",
        ),
    },
    (
        "sorry", "apolog", "unfortunate", "regret", "afraid", "excuse", "forgive", "pardon",
        "歉", "[对對]不起", "不好意思", "[遗遺]憾", "恐怕", "申し訳", "すみません", "すいません",
        "済みません", "ごめん", "残念", "恐れ入", "죄송", "미안", "유감", r"\bleid", "entschuldig",
        "verzeih", r"\bleider", "bedau",
    ),
)  # fmt: skip

# That the text cannot be translated, without an apology.
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
            r"(?:由于.{0,30}?，)?我(?:无法|不能|不会)(?:进行)?(?:为您|为你|直接|协助|提供)?.{0,6}?(?:翻译|译文)",
            r"(?:由於.{0,30}?，)?我(?:無法|不能|不會)(?:進行)?(?:為您|為你|直接|協助|提供)?.{0,6}?(?:翻譯|譯文)",
            r"由于.{0,40}?，(?:我|因此).{0,20}?无法(?:进行)?(?:准确)?翻译",
            r"这是一个(?:网址|链接|url).{0,10}?(?:无法|不需要|无需)翻译",
            r"无法(?:进行|提供|完成)翻译",
            r"無法(?:進行|提供|完成)翻譯",
        ),
        "ja": (r"(?:この|その|ご).{0,20}?(?:は|を)翻訳(?:することは)?(?:できません|できかねます)",),
        "ko": (r"(?:이|해당) .{0,20}?번역(?:해 드릴|할) 수 없",),
        "de": (r"ich kann (?:diesen|den|das|dies).{0,40}?\bnicht übersetzen",),
    },
    (*_TRANSLATE_HINTS, r"\bassist", r"\bhelp", r"\bhelf", "[帮幫]", "助", "도와"),
)  # fmt: skip

# The model speaks of itself.
MODEL = Family(
    {
        "en": (
            r"as an? (?:\w+ ){0,2}?(?:ai|artificial intelligence|language model)\b",
            r"i(?:'m| am) (?:just |only )?an? (?:ai|large language model|language model)\b",
        ),
        "zh": (
            r"(?:作为|我是)(?:一个|一名|一款)?\s?(?:ai|人工智能|大?语言模型|大型语言模型)",
            r"(?:作為|我是)(?:一個|一名|一款)?\s?(?:ai|人工智慧|大?語言模型|大型語言模型)",
        ),
        "ja": (
            r"(?:私は)?(?:ai|人工知能|大規模言語モデル)(?:アシスタント|言語モデル)?"
            r"(?:として、私|です)",
        ),
        "ko": (r"(?:저는 )?(?:ai|인공지능)\s?(?:언어 모델|어시스턴트)",),
        "de": (r"als (?:ein |eine )?(?:ki\b|künstliche intelligenz|sprachmodell)",),
    },
    (
        r"\bais?\b", "人工智[能慧]", r"language model", "[语語]言模型", "言語モデル", "人工知能",
        "인공지능", "언어 모델", r"\bki\b", "sprachmodell", "(?<![a-z])ai(?![a-z])",
        "artificial intelligence", "künstliche intelligenz",
    ),
)  # fmt: skip

REFUSALS = (APOLOGY, INABILITY, MODEL)

_LANGUAGES_EN = r"(?:simplified |traditional )?(?:chinese|english|german|japanese|korean|mandarin)"
_NOT_COLON = r"[^\n:：。]"
_OPENERS = (
    r"(?:(?:sure|certainly|of course|okay|ok|absolutely|yes|great)(?: thing)?[,.!]*\s+"
    r"|(?:好的|当然|当然可以|没问题|當然|當然可以|沒問題|可以)[，。！,!]\s*"
    r"|(?:はい|承知しました|了解しました|かしこまりました|もちろん(?:です)?)[、。！,]\s*"
    r"|(?:네|물론(?:이죠|입니다)?|알겠습니다)[,.!]\s*"
    r"|(?:gerne?|natürlich|klar|selbstverständlich|sicher)[,.!]\s*)"
)

# A line or clause before the translation, up to its colon.
PREFACE = Family(
    {
        "en": (
            r"(?:here(?:'s| is| are)|this is|below is|following is|the following is)"
            rf"{_NOT_COLON}{{0,30}}?\btranslat(?:ion|ed){_NOT_COLON}{{0,60}}",
            rf"(?:the |my |a |your )?(?:{_LANGUAGES_EN} |final |direct |literal |full )*"
            r"translat(?:ion|ed text)"
            rf"(?: (?:of|in|into|to|from|for|would|could|can|is|as){_NOT_COLON}{{0,50}})?",
            rf"(?:in )?{_LANGUAGES_EN}(?: version)?",
            rf"{_NOT_COLON}{{0,40}}translates? (?:in)?to{_NOT_COLON}{{0,30}}",
        ),
        "zh": (
            rf"(?:以下|下面|这|這){_NOT_COLON}{{0,20}}?(?:翻译|译文|翻譯|譯文){_NOT_COLON}{{0,12}}",
            r"(?:(?:简体|繁体|繁體|簡體)?(?:中文|英文|日文|德文|韩文|韓文|英语|日语|德语|韩语|汉语)?(?:的)?)?"
            r"(?:翻译|译文|翻譯|譯文|译|譯)(?:结果|結果|如下|为|為|是|成中文|成英文|内容|內容|文本|版本)?",
            rf"(?:这句话|这段话|该句|原文|此句|這句話|這段話|該句){_NOT_COLON}{{0,8}}?"
            rf"(?:翻译|翻譯|译|譯)(?:为|為|成|作|过来|過來){_NOT_COLON}{{0,8}}",
            r"(?:简体|繁体|繁體|簡體)?中文(?:版)?",
        ),
        "ja": (
            rf"以下(?:は|が|に|の){_NOT_COLON}{{0,20}}?(?:翻訳|訳文|和訳|日本語訳|訳){_NOT_COLON}{{0,12}}",
            r"(?:日本語|英語|中国語|ドイツ語|韓国語)?(?:への|の)?(?:翻訳|訳文|和訳|訳)(?:文|結果|例)?"
            r"(?:は(?:以下|次)の(?:通り|とおり)です|は以下です)?",
        ),
        "ko": (
            rf"(?:다음은|아래는|이것은){_NOT_COLON}{{0,20}}?번역{_NOT_COLON}{{0,12}}",
            r"(?:한국어|영어|중국어|일본어|독일어)?(?:로|로의)?\s?번역(?:문|본|결과| 결과)?"
            r"(?:[은는] 다음과 같습니다)?",
        ),
        "de": (
            rf"(?:hier (?:ist|kommt|die)|dies ist|das ist){_NOT_COLON}{{0,30}}?übersetzung"
            rf"{_NOT_COLON}{{0,40}}",
            r"(?:die |eine |meine )?(?:deutsche |englische |chinesische )?übersetzung"
            rf"(?: (?:lautet|ist|ins|des|der|auf|wäre){_NOT_COLON}{{0,40}})?",
        ),
    },
    tuple(rf"(?:{word})[^\n。]{{0,50}}[:：]" for word in _TRANSLATE_HINTS),
)
PREFACE_LINE = re.compile(
    rf"[*_#\s]{{0,6}}{_OPENERS}?(?:{'|'.join(p for ps in PREFACE.phrases.values() for p in ps)})"
    r"\s?[*_]{0,3}\s?[:：]\s?[*_]{0,3}\s*",
    re.IGNORECASE,
)
# Prefaces that end in a full stop have a line of their own.
PREFACE_SENTENCE = re.compile(
    rf"{_OPENERS}?(?:"
    r"here(?:'s| is) (?:the|your|a|my) (?:\w+ ){0,3}translation[^\n:.]{0,60}[.!]"
    r"|(?:以下|下面)(?:是|为|為)[^\n。]{0,20}?(?:翻译|译文|翻譯|譯文)[^\n。]{0,12}。"
    r"|以下(?:は|が)[^\n。]{0,20}?(?:訳|翻訳|訳文)(?:です|になります)。"
    r"|(?:다음은|아래는)[^\n.]{0,20}?번역[^\n.]{0,12}\."
    r"|hier ist die (?:\w+ ){0,2}übersetzung[^\n:.]{0,40}\."
    r")[ \t]*\n\s*",
    re.IGNORECASE,
)
LANGUAGE_LABEL = re.compile(
    rf"\W{{0,4}}(?:(?:in )?{_LANGUAGES_EN}(?: version)?|(?:简体|繁体|繁體|簡體)?中文(?:版)?)"
    r"\W{0,4}[:：]",
    re.IGNORECASE,
)
LANGUAGE_NAME = re.compile(
    r"chinese|english|german|japanese|korean|mandarin|中文|[汉漢][语語]|[英日德韩韓][文语語]"
    r"|中国語|[日本独逸韓国]+語|ドイツ語|deutsch|englisch|chinesisch|japanisch|한국어|영어|중국어",
    re.IGNORECASE,
)

# A label of a note after the translation.
NOTE = Family(
    {
        "en": (
            r"(?:translat(?:or|ion)(?:'s)? |additional |side |foot)?notes?",
            r"notes? on (?:the )?translation",
            r"explanations?", r"explanation of[^\n:]{0,40}", r"translation notes?", r"breakdown",
            r"(?:cultural )?context", r"comments?", r"remarks?",
        ),
        "zh": (
            r"(?:翻译|译者|译|補充|补充|词汇|詞彙)?(?:注释|註釋|注解|說明|说明|注|註|备注|備註|解释|解釋|注意)",
            r"翻[译譯](?:要点|要點|思路|解析)",
        ),
        "ja": (r"(?:訳)?(?:注|註|注釈|注記|補足|解説|説明|備考)(?:説明)?",),
        "ko": (r"(?:역)?주", r"참고", r"설명", r"해설", r"각주", r"번역 노트"),
        "de": (r"(?:anmerkung|hinweis|erklärung|erläuterung)(?:en)?(?: zur übersetzung)?",),
    },
    (
        r"\bnotes?\b", "注", "註", r"explan", "解[释釋説]", "[說说説]明", "[备備]", "補足", "참고",
        "설명", r"주\s?[:：]", "주의", "해설", "anmerk", "hinweis", "erklär", "erläut",
        "attention", "warning", "caution", "beware", "remember", r"\bcontext", "comment", "remark",
        "breakdown", r"\bp\.?s\b", r"n\.b\.", "提示", "警告", "achtung", "bitte beacht", "訳注",
    ),
)  # fmt: skip
_NOTE_LABEL = rf"(?:{'|'.join(p for ps in NOTE.phrases.values() for p in ps)})"
# In a line of its own: marks, the label, a colon.
NOTE_LINE = re.compile(
    rf"^(?:[-—_*=]{{3,}}[ \t]*\n{{1,3}})?[*_#>※（(\[【\s-]{{0,6}}{_NOTE_LABEL}"
    r"\s?[*_\]】]{0,3}\s?[:：]",
    re.IGNORECASE | re.MULTILINE,
)
# In the line of the translation: in brackets at the end, or after a full stop.
NOTE_IN_BRACKETS = re.compile(
    rf"[*_]{{0,2}}(?:\({_NOTE_LABEL}\s?[:：][^()]*\)|（{_NOTE_LABEL}\s?[:：][^（）]*）)"
    r"[*_]{0,2}[.。]?\Z",
    re.IGNORECASE,
)
NOTE_IN_LINE = re.compile(
    rf"(?<=[.!?。！？”\"」])\s*[*_]{{0,2}}{_NOTE_LABEL}\s?[:：]",
    re.IGNORECASE,
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
            r"希望(?:这|以上|这个|此)?(?:翻译|译文|回答)?(?:对|能|可以)[^\n]{0,6}?(?:有所?帮助|帮到|帮助)",
            r"希望(?:這|以上|這個|此)?(?:翻譯|譯文|回答)?(?:對|能|可以)[^\n]{0,6}?(?:有所?幫助|幫到|幫助)",
            r"如果(?:您|你)?(?:有|需要|还有|還有)[^\n]{0,30}?(?:请|請|告诉|告訴|随时|隨時)",
        ),
        "ja": (r"(?:お役に立て|ご参考になれば|他に(?:ご質問|何か))",),
        "ko": (r"도움이 되(?:었|셨|기|길)", r"(?:더|추가로|다른) (?:필요한|궁금한|도움)"),
        "de": (
            r"ich hoffe,? (?:das|dies|es)[^\n]{0,10}? hilf",
            r"lass(?:en sie)? (?:es )?mich wissen",
        ),
    },
    (
        r"\bhop(?:e|ing)", "希望", r"let (?:me|us) know", "hoff", "[帮幫]", "help", "feel free",
        "役に立", "参考", "도움", "anything else", "如果", "질문",
    ),
)  # fmt: skip

# Labels of alternatives.
NUMBERED = re.compile(
    r"^[*_#\s]{0,4}(?:(?:option|version|translation|alternative|variante|übersetzung|möglichkeit"
    r"|方案|版本|译文|翻译|译法|譯文|翻譯|譯法|選項|选项|案|訳|訳例|翻訳|翻訳案|옵션|번역|버전)\s?"
    r"(?P<label>[1-9一二三四五①②③④⑤a-eA-E])\s?[*_]{0,3}\s?[:：.．、]"
    r"|(?P<number>[1-9])[.)、．])\s?[*_]{0,3}\s*",
    re.IGNORECASE | re.MULTILINE,
)
ALTERNATIVELY = Family(
    {
        "en": (
            r"or", r"alternatively", r"alternative(?: translation| version)?s?",
            r"another (?:option|version)",
        ),
        "zh": (
            r"或者?", r"或者?(?:可以)?(?:翻译|译|翻譯|譯)(?:为|為|成|作)",
            r"也可以?(?:翻译|译|翻譯|譯)(?:为|為|成|作)",
            r"另一[种個个種](?:翻译|译法|翻譯|譯法|说法|說法)", r"还可以(?:翻译|译)(?:为|成|作)",
        ),
        "ja": (r"または", r"あるいは", r"別訳", r"もしくは"),
        "ko": (r"또는", r"혹은"),
        "de": (r"oder", r"alternativ(?:e|en)?(?: übersetzung)?"),
    },
    (
        r"\bor\b\s*[,:]", r"\balternativ", "或者?[:：，]", "另一", "または", "あるいは", "もしくは",
        "또는", "혹은", r"\boder\b\s*[,:]", "也可", "another",
    ),
)  # fmt: skip
ALTERNATIVE_LINE = re.compile(
    rf"^[*_（(\s]{{0,4}}(?:{'|'.join(p for ps in ALTERNATIVELY.phrases.values() for p in ps)})"
    r"\s?[*_]{0,3}\s?[:：]",
    re.IGNORECASE | re.MULTILINE,
)
SOURCE_LABEL = re.compile(
    r"[*_#\s]{0,4}(?:source(?: text)?|original(?: text)?|原文|源文|원문|quelle|originaltext"
    rf"|{_LANGUAGES_EN})\s?[*_]{{0,3}}\s?[:：]\s?[*_]{{0,3}}\s*",
    re.IGNORECASE,
)
# Keys of an object that hold the translation among other values.
TRANSLATION_KEYS = frozenset(
    """translation translated translated_text translatedtext target target_text output result
    answer text final_translation hypothesis 译文 翻译 譯文 翻譯 訳文 翻訳 訳 번역 번역문
    übersetzung""".split()
)
