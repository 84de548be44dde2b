"""Texts in place of a translation, and requests for the text, are found alone unless meant."""

import pytest

from celab.corpus.answers import cue_index, may_refuse
from celab.corpus.answers.fillers import is_filler
from celab.corpus.answers.wordings import refuses
from celab.findings.translations.screening import Expectations, find

REF = "第二天早上，他们带着雨伞去了火车站。"
SOURCE = "They took their umbrellas to the station the next morning."
FILLERS = """
null NULL None none nan NaN N/A n/a #N/A undefined nil (null) "null" [None] null.
??? ？？？ ... --- {} [] "" �� @@ *** ………
[ERROR] [error] Error ERROR Error:500 content_filter [BLOCKED] <empty> [EMPTY] [TODO] <NA>
翻译失败 翻译失败。 【翻译失败】 翻譯失敗 翻译错误 翻译出错，请稍后重试 请求失败，请稍后再试
请求超时 服务器错误 系统繁忙，请稍后再试。 内容被过滤 内容已被过滤 [内容已过滤] 该内容被屏蔽
該內容已被過濾 译文略 （略） （译文略） 此处译文省略 无译文 暂无翻译 未翻译
翻訳エラー 翻訳に失敗しました
<|endoftext|> <|im_end|> </s> <s> <pad> <unk> [PAD] <eos> <|im_start|>assistant </s></s>
<｜end▁of▁sentence｜> <|eot_id|><|start_header_id|>assistant<|end_header_id|>
""".split()
SENTENCES = """
Error: 500
HTTP 429 Too Many Requests
500 Internal Server Error
Internal Server Error
Request timed out.
Connection error.
[object Object]
Rate limit exceeded
Content filtered
The content was blocked.
No translation available
[Translation failed]
번역 실패
Übersetzung fehlgeschlagen
""".strip().splitlines()
REQUESTS = """
请提供需要翻译的文本。
请提供要翻译的英文句子，我会帮您翻译成中文。
您好！请输入您想要翻译的文字。
好的，请提供原文。
你没有提供需要翻译的文本。
抱歉，我没有看到需要翻译的内容。
請提供需要翻譯的文本。
请将需要翻译的文本发送给我。
Please provide the text you would like me to translate.
Sure! Please provide the text you'd like translated.
I'd be happy to help! Please provide the text you want me to translate.
It looks like you haven't provided any text to translate.
I don't see any text to translate.
There is no text to translate.
No text was provided.
What would you like me to translate?
Please provide the source text.
翻訳するテキストを提供してください。
翻訳したい文章を入力してください。
번역할 텍스트를 제공해 주세요.
Bitte geben Sie den Text ein, den Sie übersetzen möchten.
Bitte gib mir den Text, den ich übersetzen soll.
""".strip().splitlines()


def kind_of(output, references=(), source=None, lang="zh"):
    sources = None if source is None else [source]
    found = [*find([output], Expectations([[ref] for ref in references], sources, lang))]
    return found[0].kind if found else ""


@pytest.mark.parametrize("output", [*FILLERS, *SENTENCES])
def test_texts_in_place_of_a_translation_are_found_alone(output):
    assert kind_of(output, [REF]) == kind_of(output, [], SOURCE) == "filler"
    assert kind_of(output, [REF], SOURCE) == "filler"
    for meant in ([output], [REF, output], [output, SOURCE]):  # the same text
        assert not is_filler(output, meant)


@pytest.mark.parametrize("output", REQUESTS)
def test_requests_for_the_text_are_refusals(output):
    assert kind_of(output, [REF]) == kind_of(output, [], SOURCE) == "refusal"
    assert not refuses(output, [output]) and not refuses(output, [REF, "What is to be translated?"])
    from celab.base.text.counts import CodePoints

    assert may_refuse(cue_index().find(CodePoints([output])))[0]


@pytest.mark.parametrize(
    ("output", "others"),
    [
        ("无", ["None"]),
        ("服务器错误", ["Server error"]),
        ("翻译失败", ["The translation failed", "未能翻译"]),
        ("请求超时", ["Request timed out"]),
        ("内容已被屏蔽", ["Content blocked"]),
        ("暂无翻译", ["No translation yet"]),
        ("……", ["Hmm..."]),
        ("（略）", ["(omitted)"]),
        ("（无）", ["(none)"]),
        ("<s>", ["The tag <s>"]),
        ("\\", ["Backslash"]),
        ("他错误地认为翻译失败了。", [REF]),
        ("Null Island", [REF]),
        ("null" * 60, [REF]),
    ],
)
def test_translations_are_none(output, others):
    assert not is_filler(output, others)
    assert is_filler(output, others) is is_filler(f" {output}\n", others)


@pytest.mark.parametrize(
    ("output", "reference", "source", "expected"),
    [
        ("None.", "Nothing.", "没有。", False),
        ("None", "None of the things above", "以上都不是我想要的东西", True),
        ("Undefined", "Not defined", "未定义", False),
        ("Server error", "Server failure", "服务器错误", False),
        (
            "null",
            "He took the train to Beijing to visit friends",
            "他昨天坐火车去了北京看朋友",
            True,
        ),
    ],
)
def test_short_texts_in_latin_letters_may_be_words(output, reference, source, expected):
    assert (kind_of(output, [reference], source, "en") == "filler") is expected
