"""Texts in another script than that of their language are warned about."""

import warnings

import pytest

import celab
from celab.base.errors import spell
from celab.base.text.scripts import plausibility, script_mismatch, script_warnings

ENGLISH = ["He bought an umbrella yesterday.", "They went to the capital by train."]
CHINESE = ["东京是日本的首都。", "明天去北京。"]
IN_ANOTHER_SCRIPT = {
    "corpus_score": (
        lambda: celab.TeslaCelab().corpus_score(ENGLISH, [CHINESE]),
        "the hypothesis: almost no Chinese characters found; check that this is the right file",
    ),
    "corpus_scores": (
        lambda: celab.TeslaS(lang="ko").corpus_scores({"A": ENGLISH, "B": ENGLISH}, [ENGLISH]),
        "system A, system B and 1 more: almost no Hangul found; did you mean lang='en'?",
    ),
    "campaign": (
        lambda: celab.Campaign.from_lists({"A": CHINESE}, ENGLISH).score("bleu"),
        "reference 1: almost no Chinese characters found; check that this is the right file",
    ),
}


@pytest.mark.parametrize(("score", "message"), IN_ANOTHER_SCRIPT.values(), ids=IN_ANOTHER_SCRIPT)
def test_another_script_is_warned_about_in_python(score, message):
    with pytest.warns(celab.InputWarning) as seen:
        score()
    assert [str(warning.message) for warning in seen] == [message]


@pytest.mark.parametrize(
    ("character", "can_occur"),
    [*zip("\x08\t~\x7f\x9f\xa0", (False, True, True, False, False, True), strict=True)],
)
def test_a_control_character_shows_a_wrong_encoding(character, can_occur):
    assert (plausibility(f"我们今天去北京{character}", "zh") > 0) == can_occur


def test_fifty_letters_tell_a_script():
    assert script_mismatch(["a" * 49], "zh") is None
    assert script_mismatch(["a" * 50], "zh") is not None


@pytest.mark.parametrize(
    "score",
    [
        lambda: celab.TeslaS(analysis="surface").corpus_score(ENGLISH, [ENGLISH]),
        lambda: celab.TeslaCelab(tokenize="space").corpus_score(ENGLISH, [ENGLISH]),
        lambda: celab.TeslaCelab(lang="en").corpus_score(ENGLISH, [ENGLISH]),
        lambda: celab.TeslaCelab().sentence_score(ENGLISH[0], ENGLISH[:1]),
    ],
)
def test_words_of_any_language_and_sentences_are_not(score):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score()


SENTENCES = {
    "en": ("He bought an umbrella in the shop yesterday. They will go to the capital by train."),
    "de": ("Gestern hat er im Laden einen Schirm gekauft. Morgen fahren wir mit dem Zug nach Rom."),
    "ja": (
        "昨日、店で傘を一本買いました。明日は北京へ旅行に行くつもりです。"
        "この問題は簡単ではない。人工知能が生活を変える。"
    ),
    "ko": (
        "어제 가게에서 우산을 하나 샀습니다. 내일 우리는 베이징으로 여행을 갈 "
        "것입니다. 이 문제의 답은 간단하지 않다. 새로운 연구가 더 많이 "
        "필요합니다."
    ),
    "th": ("เมื่อวานเขาซื้อร่มหนึ่งคันที่ร้านค้า พรุ่งนี้เราจะไปเที่ยวปักกิ่ง คำตอบของปัญหานี้ไม่ง่ายเลย"),
}
OTHERS = {
    "fr": (
        "Hier, il a acheté un parapluie à la boutique. Nous irons à Pékin en été, où il fera beau."
    ),
    "es": (
        "Ayer compró un paraguas en la tienda. "
        "Mañana iremos en tren a la capital y "
        "hará buen tiempo."
    ),
    "nl": (
        "Gisteren heeft hij in de winkel een "
        "paraplu gekocht. Morgen gaan we met de "
        "trein naar Peking."
    ),
    "da": ("I går købte han en paraply i butikken. I morgen tager vi toget til hovedstaden."),
    "it": ("Ieri ha comprato un ombrello nel negozio. Domani andremo nella capitale in treno."),
    "pl": ("Wczoraj kupił w sklepie parasol. Jutro pojedziemy pociągiem do stolicy."),
    "ru": ("Вчера он купил зонт в магазине. Завтра мы поедем в Пекин на поезде."),
    "names": ("OpenAI GPT-4 Turbo, Anthropic Claude, Google Gemini Pro, Meta Llama, Mistral Large"),
}


def warnings_of(lang, *texts):
    sides = [(f"side {number}", [text]) for number, text in enumerate(texts, 1)]
    return [spell(warning) for warning in script_warnings(lang, sides)]


@pytest.mark.parametrize("lang", SENTENCES)
@pytest.mark.parametrize("assumed", ["ko", "my"])
def test_the_language_of_a_hint_is_that_of_all_texts(lang, assumed):
    if lang == assumed:
        return
    text = SENTENCES[lang]
    (warning,) = warnings_of(assumed, text, text)
    assert warning.endswith(f"did you mean lang={lang!r}?")
    assert warnings_of(lang, text, text) == []  # the hint, obeyed
    other = next(other for other in SENTENCES if other not in (lang, assumed))
    (warning,) = warnings_of(assumed, text, SENTENCES[other])
    assert "lang=" not in warning and warning.endswith("check that these are the right files")


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_no_language_is_named_for_other_languages(text):
    (warning,) = warnings_of("zh", text, text)
    assert "lang=" not in warning
