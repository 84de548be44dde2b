"""Languages as people write them, wherever a language can be given."""

import unicodedata
import warnings

import pytest

import celab
from celab.base.errors import InputWarning, OptionError
from celab.base.languages import RANGES, is_traditional, language_code
from celab.corpus import Corpus, Segment
from celab.metrics.baselines import Bleu
from celab.metrics.options import LANGUAGE_DEFAULTS


@pytest.mark.parametrize("code", LANGUAGE_DEFAULTS)
def test_every_language_is_known_with_a_region_in_any_case(code):
    assert {
        language_code(name) for name in (code, code.upper(), f"{code}-XX", f"{code}_Latn_xx")
    } == {code}


@pytest.mark.parametrize("name", ["", "zh-", "-zh", "zh CN", "zh-中国", "xx", "pt_BR", "zhx-CN"])
def test_what_is_not_known_stays_as_it_was_written(name):
    assert language_code(name) == name


def test_what_is_no_text_is_an_error():
    with pytest.raises(OptionError):
        language_code(3)
    assert language_code(None) is None and not is_traditional(3)


NAMES = {
    "Han": ("CJK ", "IDEOGRAPHIC "),
    "kana": ("HIRAGANA ", "KATAKANA ", "HALFWIDTH KATAKANA "),
    "Latin": ("LATIN ", "FULLWIDTH LATIN ", "FEMININE ORDINAL ", "MASCULINE ORDINAL "),
    "Burmese": ("MYANMAR ",),
}
BEYOND = {0xD7B0, 0x250}  # letters of Hangul and Latin that only scholars write


@pytest.mark.parametrize(
    ("script", "first", "last"), [(name, *ends) for name, spans in RANGES.items() for ends in spans]
)
def test_a_range_ends_where_its_letters_do(script, first, last):
    def has_name(code):
        names = NAMES.get(script, (f"{script.upper()} ",))
        return unicodedata.name(chr(code), "").startswith(names)

    for end in (first, last):
        assert has_name(end) or unicodedata.category(chr(end)) == "Cn"  # of its block
    beside = [code for code in (first - 1, last + 1) if unicodedata.category(chr(code))[0] == "L"]
    assert not [code for code in beside if has_name(code) and code not in BEYOND]


def test_the_script_is_told_once_and_only_if_it_is_not_chosen():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for options in ({"script": "keep"}, {"script": "auto"}, {"lang": "zh-CN"}):
            celab.TeslaCelab(**{"lang": "zh-TW", "lexicon": None} | options)
        Bleu("zh-TW")
    assert seen == []
    with pytest.warns(InputWarning) as seen:
        metric = celab.TeslaCelab(lang="zh-TW", lexicon=None)
    assert len(seen) == 1 and metric == celab.TeslaCelab(lexicon=None)
    assert metric.sentence_score("買傘", "买伞").score == 1


def test_functions_take_them(tmp_path):
    texts = ["The weather is fine today.", "今天天气很好"]
    found = celab.check(texts, ["今天天气很好"] * 2, lang="zh-CN")
    assert found.kinds("system") == {"other-language": [0]}
    corpus = Corpus(
        segments=[Segment("", "1")],
        systems={"A": ["显卡很快。"]},
        refs=[["显卡很快。"]],
        ref_names=["r"],
        source=["A fast GPU."],
    )
    result = celab.terms({"GPU": "显卡"}, corpus, lang="cmn", source_lang="en-US")
    assert "src:en" in result.signature and result.lang == "zh"
    campaign = celab.Campaign(corpus).score(Bleu("zh"), lang="zh_Hans")
    assert campaign.lang == "zh"
    assert celab.Pem("zh-CN").scores(["买雨伞"], ["买伞"]).meaning.tolist() == [1.0]
    assert celab.split_compound("Haus", "de-AT") == celab.split_compound("Haus")
    (tmp_path / "phrases.tsv").write_text("雨伞\tumbrella\t1\n", "utf-8")
    celab.pivot.build(
        tmp_path / "phrases.tsv", tmp_path / "t.pivot", lang="zh-CN", pivot_lang="en-GB"
    )
    table = celab.pivot.open(tmp_path / "t.pivot").about
    assert (table.lang, table.pivot_lang) == ("zh", "en")
