"""Texts in another script than that of their language are warned about."""

import warnings

import pytest

import celab

ENGLISH = ["He bought an umbrella yesterday.", "They went to the capital by train."]
CHINESE = ["东京是日本的首都。", "明天去北京。"]
IN_ANOTHER_SCRIPT = {
    "corpus_score": (
        lambda: celab.TeslaCelab().corpus_score(ENGLISH, [CHINESE]),
        "the hypothesis: almost no Chinese characters found; check that this is the right file,"
        " or use lang='de'",
    ),
    "corpus_scores": (
        lambda: celab.TeslaS(lang="ko").corpus_scores({"A": ENGLISH, "B": ENGLISH}, [ENGLISH]),
        "system A, system B and 1 more: almost no Hangul found; did you mean lang='de'?",
    ),
    "campaign": (
        lambda: celab.Campaign.from_lists({"A": CHINESE}, ENGLISH).score("bleu"),
        "reference 1: almost no Chinese characters found; check that this is the right file, or"
        " use lang='de'",
    ),
}


@pytest.mark.parametrize(("score", "message"), IN_ANOTHER_SCRIPT.values(), ids=IN_ANOTHER_SCRIPT)
def test_another_script_is_warned_about_in_python(score, message):
    with pytest.warns(celab.InputWarning) as seen:
        score()
    assert [str(warning.message) for warning in seen] == [message]


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
