"""Cues and counts leave out no answer that a rule would find."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from celab.base.text.counts import MARKS, CodePoints, count_traits
from celab.corpus import answers as cues
from celab.corpus.answers import forms, wordings
from celab.corpus.answers.forms import Context, text_inside
from celab.corpus.answers.wordings import refuses

ANSWERS = [*map(json.loads, (Path(__file__).parents[2] / "answers.jsonl").open(encoding="utf-8"))]
SETS = {
    **dict(zip((cues.REFUSAL, cues.PREFACE, cues.NOTE), cues.KINDS, strict=True)),
    **{cues.LANGUAGES[lang]: words for lang, words in cues.BY_LANGUAGE.items()},
}


def may_be_wrapped(answer, source=None):
    letters = CodePoints([answer])
    sources = None if source is None else count_traits(CodePoints([source]))
    found = cues.cue_index().find(letters)
    return bool(cues.may_be_wrapped(count_traits(letters), found, sources)[0])


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer["output"][:20])
def test_no_answer_is_missed(answer):
    source, references = answer.get("source"), [answer["reference"]] * ("reference" in answer)
    context = Context(source, references)
    if refuses(answer["output"], context.texts):
        assert cues.may_refuse(cues.cue_index().find(CodePoints([answer["output"]])))[0]
    start = wordings.fold(answer["output"].lstrip()[: wordings.MAX_REFUSAL_CHARACTERS])
    for family in wordings.REFUSALS:
        for lang, opening in family.openings.items():
            if re.match(opening, start):
                assert family.opens(start, lang)
                assert cues.cues_in(answer["output"]) & cues.LANGUAGES[lang]
    if text_inside(answer["output"], context).form:
        assert may_be_wrapped(answer["output"], source)


@pytest.mark.parametrize("lang", cues.LANGUAGES)
@pytest.mark.parametrize(
    "family", wordings.REFUSALS, ids=["apology", "inability", "model", "request"]
)
@given(data=st.data())
def test_every_phrase_of_refusals_has_a_cue_of_its_language(family, lang, data):
    text = data.draw(st.from_regex(family.openings[lang]))
    assert cues.cues_in(text) & cues.LANGUAGES[lang]
    match = re.match(family.openings[lang], wordings.fold(text))
    assert match is None or family.opens(wordings.fold(text), lang)


@pytest.mark.parametrize("lang", wordings.PREFACE_LINES)
@given(data=st.data())
def test_every_preface_has_a_piece_of_its_language(lang, data):
    text = wordings.fold(data.draw(st.from_regex(wordings.PREFACE_LINES[lang])))
    if re.match(wordings.PREFACE_LINES[lang], text):
        assert wordings.PREFACE.may_be_in(text, lang) and wordings.match_preface(text)


@pytest.mark.parametrize(
    ("answer", "source"),
    [("买伞", None), ("买伞", "Buy it"), ("“买伞", "Buy it"), ("时间：三点", "Time: three")],
)
def test_most_texts_are_cleared(answer, source):
    assert not may_be_wrapped(answer, source)


PIECES = (
    "Buy|it!|买伞|译文：|**|“|”|\"|'|‘|’|`|~~~|{|}|<p>|</p>|\n| |注：|。|(|)|#|> |→|Note:|「|」|1. "
    "|assistantfinal"
)
pieces = st.sampled_from(PIECES.split("|"))
answers = st.lists(pieces, max_size=7).map("".join)


@given(answers, answers, answers)
def test_no_drawn_answer_is_missed(answer, source, reference):
    if text_inside(answer, Context(source, [reference])).form:
        assert may_be_wrapped(answer, source)
    if text_inside(answer, Context(None, [reference])).form:
        assert may_be_wrapped(answer)


def test_marks_are_those_of_the_rules():
    assert set(forms._QUOTES) <= set(MARKS["quote"])
    assert set(forms._QUOTES.values()) <= set(MARKS["end-quote"])
    assert set(forms._COLONS) == set(MARKS["colon"])


def test_cues_are_found_in_every_case():
    letters = {letter for words in SETS.values() for word in words for letter in word}
    lower = [chr(code).lower() for code in range(0x110000)]
    # Only İ has two letters in lower case, i and a dot. Texts with it are not folded, so no pattern
    # matches it.
    assert [x for x in lower if len(x) > 1] == ["i\u0307"] and wordings.fold("Aİ") == "Aİ"
    for kind, words in SETS.items():
        for word in words:
            assert cues.cues_in(f"x{word.upper()}x") & cues.cues_in(word) & kind
    index, texts = cues.cue_index(), []
    cue = next(word for word in cues.PREFACE_CUES if word == "korean")
    for code, form in enumerate(lower):
        if form in letters:
            texts += [cue.replace(form, chr(code))] if form in cue else []
    assert len(texts) == 13 and all(index.find(CodePoints(texts)) & cues.PREFACE)


@given(st.text(st.sampled_from("aiIAnoteNOTEKk 注译要点解释"), max_size=12))
def test_cues_are_those_of_the_text_in_lower_case(text):
    found = int(cues.cue_index().find(CodePoints([text]))[0])
    for kind, words in SETS.items():
        assert bool(found & kind) == any(word in text.lower() for word in words)


def test_the_numbers_of_symbols_fit():
    letters = {letter for words in SETS.values() for word in words for letter in word}
    assert len(letters) < np.iinfo(np.uint8).max
