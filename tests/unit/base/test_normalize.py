"""Width, case and script, and that both sides of a comparison come out alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import tokens as twin

from celab import TeslaCelab
from celab.base.text import normalize
from celab.base.text.normalize import Normalizer

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


# ---- width and case ---------------------------------------------------------------------------


def test_case():
    assert Normalizer(case="lower").texts(["Wi-Fi买ＡÉ"]) == ["wi-fi买ａé"]
    assert Normalizer(case="keep").texts(["Wi-Fi买ＡÉ"]) == ["Wi-Fi买ＡÉ"]


@given(text)
def test_lowering_before_folding_is_folding_before_lowering(text):
    # The kernel folds last; the order must not show.
    assert twin.fold_width(text.lower()) == twin.fold_width(twin.fold_width(text).lower())


# ---- script -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "side", "expected"),
    [
        ("auto", [TRADITIONAL], [SIMPLIFIED]),
        ("auto", [SIMPLIFIED], [SIMPLIFIED]),
        ("auto", [FRAGILE], [FRAGILE]),
        ("auto", [SIMPLIFIED, FRAGILE], [SIMPLIFIED, FRAGILE]),
        ("auto", ["皇后", "abc", ""], ["皇后", "abc", ""]),  # nothing speaks for either
        ("auto", ["皇后", "買傘"], ["皇后", "买伞"]),
        ("auto", [], []),
        ("keep", [TRADITIONAL, FRAGILE], [TRADITIONAL, FRAGILE]),
        ("simplified", [TRADITIONAL, SIMPLIFIED], [SIMPLIFIED, SIMPLIFIED]),
        ("traditional", ["买雨伞", "買雨傘"], ["買雨傘", "買雨傘"]),
    ],
)
def test_script(script, side, expected):
    assert Normalizer(script=script).texts(side) == expected


@given(st.lists(text, max_size=4), settings)
def test_a_text_is_normalised_by_itself(texts, options):
    normalizer = Normalizer(**options)
    assert normalizer.texts(texts) == [normalizer.texts([text])[0] for text in texts]


def test_one_traditional_character_is_enough():
    assert Normalizer().texts([SIMPLIFIED, "招牌写着買傘"]) == [SIMPLIFIED, "招牌写着买伞"]
    assert Normalizer().texts(["買买买买", TRADITIONAL]) == ["买买买买", SIMPLIFIED]


@pytest.mark.parametrize("config", ["t2s", "tw2s", "hk2s"])
def test_what_has_no_character_that_opencc_changes_is_not_converted(monkeypatch, config):
    monkeypatch.setattr(normalize, "_convert", lambda config, text: pytest.fail(text))
    assert Normalizer(opencc=config).texts([SIMPLIFIED, FRAGILE]) == [SIMPLIFIED, FRAGILE]


def test_words_of_taiwan_are_replaced_in_every_text():
    # No character of it changes by itself.
    assert Normalizer(opencc="tw2sp").texts(["程式"]) == ["程序"]


def test_rare_characters_are_converted():
    assert Normalizer().texts(["𠁞"]) == ["𠀾"]


def test_words_of_a_lexicon_are_converted_as_texts_are():
    words = ["雨傘", "雨伞", "破坏", "坏布", "颱風", "皇后", "Ｔ恤", "卡拉OK"]
    simplified = ["雨伞", "雨伞", "破坏", "坏布", "台风", "皇后", "Ｔ恤", "卡拉OK"]
    assert Normalizer().texts(words) == simplified
    assert Normalizer(script="keep").texts(words) == words
    assert Normalizer(script="traditional").texts(["雨伞"]) == ["雨傘"]
    assert Normalizer(case="lower").texts(["卡拉OK", "雨傘X"]) == ["卡拉ok", "雨伞x"]


def test_what_is_no_text_stays_as_it_is():
    assert Normalizer().texts(["買\ud800雨傘\udfff\x00"]) == ["买\ud800雨伞\udfff\x00"]
    assert Normalizer(script="traditional").texts(["\ud800买"]) == ["\ud800買"]


# ---- in a score -------------------------------------------------------------------------------


@pytest.mark.parametrize("lexicon", [None, ["雨傘 傘", "颱風 熱帶風暴"]])
@pytest.mark.parametrize(
    ("hyp", "ref"),
    [(SIMPLIFIED, TRADITIONAL), (TRADITIONAL, SIMPLIFIED), (TRADITIONAL, TRADITIONAL)],
)
def test_the_same_text_in_the_other_script_scores_1(make_lexicon, lexicon, hyp, ref):
    metric = TeslaCelab(lexicon=None if lexicon is None else make_lexicon(lexicon))
    assert metric.sentence_score(hyp, [ref]).score == 1.0


@pytest.mark.parametrize("group", ["雨傘 傘", "雨伞 伞", "雨傘 伞"])
@pytest.mark.parametrize(
    ("hyp", "ref"), [("买伞", "買雨傘"), ("買傘", "买雨伞"), ("買傘", "買雨傘")]
)
def test_synonyms_meet_whatever_script_anyone_writes(make_lexicon, group, hyp, ref):
    score = TeslaCelab(lexicon=make_lexicon([group])).sentence_score(hyp, [ref])
    assert (score.score, score.precision, score.recall) == (1.0, 1.0, 1.0)


def test_scripts_do_not_meet_if_kept(make_lexicon):
    metric = TeslaCelab(lexicon=make_lexicon(["雨傘 傘"]), script="keep")
    assert metric.sentence_score("伞", ["傘"]).score == 0.0
    assert metric.sentence_score("傘", ["雨傘"]).score == 1.0


@pytest.mark.parametrize(
    ("option", "hyp", "ref"),
    [
        ({"width": "fold"}, "Ｔ恤５．５折", "T恤5.5折"),
        ({"case": "lower"}, "Wi-Fi", "wi-fi"),
        ({"case": "lower"}, "ＷＩ－ＦＩ", "wi-fi"),
        ({"script": "traditional"}, "买雨伞", "買雨傘"),
        ({"script": "simplified"}, "买雨伞", "買雨傘"),
    ],
)
def test_each_option_makes_equal_what_it_should(option, hyp, ref):
    off = {"width": "keep", "case": "keep", "script": "keep"}
    assert TeslaCelab(lexicon=None, **off).sentence_score(hyp, [ref]).score < 1.0
    assert (
        TeslaCelab(lexicon=None, **(off | {"width": "fold"} | option))
        .sentence_score(hyp, [ref])
        .score
        == 1.0
    )
