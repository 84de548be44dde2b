"""Recommended settings: what they are, what given options do to them, and the flag for them."""

import pytest

import celab
from celab.base.errors import OptionError
from celab.cli import score
from celab.metrics.recommended import SETTINGS

PAIR = {
    "zh": ("他买了伞。", "他买了雨伞。"),
    "ja": ("傘を買った。", "雨傘を買いました。"),
    "ko": ("우산을 샀다.", "우산을 샀습니다."),
    "de": ("Er kaufte den Schirm.", "Er kaufte einen Regenschirm."),
    "en": ("He bought an umbrella.", "He bought the umbrella."),
}


@pytest.mark.parametrize("lang", SETTINGS)
def test_the_settings_of_each_language_work_with_what_is_installed(lang, recwarn):
    metric = celab.recommended(lang)
    hyp, ref = PAIR[lang]
    assert not recwarn.list  # no lexicon is replaced by another
    assert metric.sentence_score(ref, [ref]).score == 1.0
    assert 0 < metric.sentence_score(hyp, [ref]).score < 1
    assert metric != celab.TeslaCelab(lang=lang) or lang == "en"


def test_the_signature_spells_the_options_out():
    assert {"n:4", "decay:0.3", "f:0.25"} <= set(celab.recommended("zh").signature.split("|"))
    german = celab.recommended("de").signature
    assert german.startswith("mean|(celab|lang:de|n:6|f:1|tok:letter|")
    assert "+(celab|lang:de|n:4|f:1|tok:parts|" in german


def test_given_options_replace_the_recommended_ones_in_each_view():
    assert celab.recommended("zh", decay=0.5).options.decay == 0.5
    assert [part.options.f for part in celab.recommended("de", f=0.5).parts] == [0.5, 0.5]
    assert celab.recommended("zh", jobs=2).run.jobs == 2


def test_the_paper_s_settings_stay_the_default():
    assert "weights" not in celab.TeslaCelab().signature


@pytest.mark.parametrize(
    ("lang", "what"),
    [("fr", "it must be one of: zh, ja, ko, de, en"), ("zhh", "did you mean 'zh'?")],
)
def test_other_languages_are_refused(lang, what):
    with pytest.raises(OptionError, match=what):
        celab.recommended(lang)


@pytest.fixture
def said(tmp_path, capsys):
    """Runs celab-score on one pair with these flags: exit code, output, errors."""
    hyp, ref = tmp_path / "hyp.txt", tmp_path / "ref.txt"
    hyp.write_text(f"{PAIR['zh'][0]}\n", "utf-8")
    ref.write_text(f"{PAIR['zh'][1]}\n", "utf-8")

    def command(*flags):
        code = score.main(["-r", str(ref), "-s", str(hyp), *flags])
        return code, *capsys.readouterr()

    return command


def test_the_profile_chooses_and_given_flags_win(said):
    code, plain, _ = said()
    assert code == 0
    assert said("--profile", "paper")[1] == plain
    recommended = said("--profile", "recommended")[1]
    assert "decay:0.3" in recommended and "zh-core@" in recommended
    own = said("--profile", "recommended", "--decay", "0.5", "--lexicon", "none")[1]
    assert "decay:0.5" in own and "lex:none" in own
    assert "tok:letter" in said("--profile", "recommended", "--lang", "de")[1]
