"""Recommended settings: what they are, what given options do to them, and the flag for them."""

import pytest

import celab
from celab.metrics.factory import make_metric
from celab.metrics.options import LANGUAGE_DEFAULTS
from celab.metrics.registry import RECOMMENDED

PAIR = {
    "zh": ("他买了伞。", "他买了雨伞。"),
    "ja": ("傘を買った。", "雨傘を買いました。"),
    "ko": ("우산을 샀다.", "우산을 샀습니다."),
    "de": ("Er kaufte den Schirm.", "Er kaufte einen Regenschirm."),
    "en": ("He bought an umbrella.", "He bought the umbrella."),
}


@pytest.mark.parametrize("lang", RECOMMENDED)
def test_the_settings_of_each_language_work_with_what_is_installed(lang, recwarn):
    metric = celab.recommended(lang)
    hyp, ref = PAIR[lang]
    assert not recwarn.list  # no lexicon is replaced by another
    assert metric.sentence_score(ref, [ref]).score == 1.0
    assert 0 < metric.sentence_score(hyp, [ref]).score < 1
    assert metric != celab.TeslaCelab(lang=lang) or lang == "en"


@pytest.mark.parametrize("lang", RECOMMENDED)
def test_the_class_method_and_the_name_make_the_same_metric(lang):
    metric = celab.TeslaCelab.recommended(lang)
    assert metric == celab.recommended(lang) == make_metric("celab-recommended", lang=lang)
    hyp, ref = PAIR[lang]
    # The mean of two views of TESLA-CELAB is TESLA-CELAB, too.
    assert metric.corpus_score([hyp], [[ref]]).name == "TESLA-CELAB (recommended)"


def test_chinese_is_the_default_language():
    assert celab.recommended() == celab.recommended("zh") == celab.TeslaCelab.recommended(None)


@pytest.mark.parametrize("lang", sorted(LANGUAGE_DEFAULTS.keys() - RECOMMENDED))
def test_other_languages_have_their_defaults_with_a_warning(lang):
    with pytest.warns(celab.InputWarning):
        metric = celab.recommended(lang)
    assert metric == celab.TeslaCelab(lang=lang)
