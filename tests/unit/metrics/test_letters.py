"""TESLA-CELAB on letters and letter clusters: the languages that have them, and what they score."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import celab
from celab.base.text.tokens import cut

LETTERS = celab.TeslaCelab(lang="en")
GIVEN = celab.TeslaCelab(tokenize="space", lexicon=None, script="keep", max_order=6)
texts = st.text("abH '.é\u0301\t9", max_size=14)


def spelled(text):
    """Text whose letters are tokens already; ␣ stands for a space."""
    return " ".join(cut(text, tokenize="letter")).replace("   ", " ␣ ")


@given(texts, texts.filter(str.strip))
def test_letters_score_as_tokens_that_are_given(hyp, ref):
    hyp, ref = (text.replace("e\u0301", "é").replace("\u0301", "") for text in (hyp, ref))
    if not ref.strip():
        return
    found, expected = (
        m.sentence_score(*pair)
        for m, pair in ((LETTERS, (hyp, [ref])), (GIVEN, (spelled(hyp), [spelled(ref)])))
    )
    assert (found.score, found.recall) == (expected.score, expected.recall)


@pytest.mark.parametrize("lang", ["en", "de", "th"])
def test_both_spellings_of_a_letter_with_a_mark_are_one(lang):
    metric = celab.TeslaCelab(lang=lang, tokenize="letter")
    assert metric.sentence_score("Cafe\u0301", ["Café"]).score == 1.0
    assert len(metric.explain("Cafe\u0301", "Café").hyp_tokens) == 4


def test_lexicon_words_are_found_among_letters(tmp_path):
    lexicon = tmp_path / "words.tsv"
    lexicon.write_text("big\tlarge\ncafe\u0301\tinn\n", "utf-8")
    metric = celab.TeslaCelab(lang="en", lexicon=str(lexicon))
    assert metric.sentence_score("big", ["large"]).score == 1.0
    assert metric.sentence_score("inn", ["café"]).score == 1.0
    assert metric.sentence_score("big h", ["large"]).score < 1.0
    assert "|lex:words.tsv@" in metric.signature
