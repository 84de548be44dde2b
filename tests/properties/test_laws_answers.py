"""Laws of unwrapping, on answers that are put together from the pieces of real ones."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

import celab
from celab.corpus.answers.forms import FORMS, SENTENCES, VERSION, Context, text_inside
from celab.corpus.answers.wordings import ABOUT_TRANSLATION, fold

TEXTS = st.sampled_from(
    ["买雨伞。", "去北京", "“来”", "他说：走吧。", "1. 买\n2. 卖", "", " ", "**好**"]
)
SOURCES = st.sampled_from(
    ["Buy umbrellas.", "Buy it. It's wet.", "“Come”", "He said: go.", "1. a\n2. b", "", "**ok**"]
)
PIECES = st.sampled_from(
    [
        *("<think>", "</think>", "伞…", "译文：", "Here is the translation:", "以下是翻译：", "\n"),
        *("\n\n", "```", "```\n", "\n```", "**", "# ", "> ", "“", "”", '"', '{"translation": "'),
        *('", "translation": "', "<zh>", "</zh>", "Let me know!", "Final Answer: "),
        *('"}', "1. ", "2. ", "或者：", "注：", "(Note: ", ")", "I hope this helps!", " ", "。"),
        *("Buy umbrellas.", "买雨伞。", "去北京", "I cannot translate this."),
        *("assistantfinal", "### Translation\n", "答案：", "<|begin_of_box|>", "<|end_of_box|>"),
    ]
)
ANSWERS = st.one_of(
    st.lists(PIECES, max_size=8).map("".join),
    st.builds(
        lambda before, text, after: before + text + after,
        st.lists(PIECES, max_size=3).map("".join),
        TEXTS,
        st.lists(PIECES, max_size=3).map("".join),
    ),
)
contexts = st.builds(Context, SOURCES, st.lists(TEXTS, max_size=2))


@given(ANSWERS, contexts)
@example("译文：" * 11 + "买", Context(None, []))
def test_unwrapping_twice_is_unwrapping_once(answer, context):
    inside = text_inside(answer, context)
    again = text_inside(inside.text, context)
    # Thinking or an object in which the translation cannot be told stays what it is.
    assert again.text == inside.text and again.form in ("", "thinking", "object")


@given(ANSWERS, contexts)
def test_what_is_inside_is_part_of_the_answer(answer, context):
    inside = text_inside(answer, context)
    assert inside.text != answer or inside.form in ("", "thinking", "object")
    assert inside.text == answer or inside.form
    assert inside.form == "" or inside.form in FORMS
    if inside.form and "{" not in answer:  # objects have escapes, which are undone
        assert all(line.strip() in answer for line in inside.text.split("\n"))


@given(ANSWERS, contexts)
def test_a_note_is_removed_only_with_a_source_that_has_no_more_sentences(answer, context):
    inside = text_inside(answer, context)
    if inside.form == "note":
        assert context.source
        is_about = re.search(ABOUT_TRANSLATION, fold(answer))
        assert is_about or not context.has_more(SENTENCES, inside.text)
    assert text_inside(answer, Context(None, context.references)).form != "note"


@given(ANSWERS, SOURCES)
def test_an_output_that_equals_its_reference_is_never_changed(answer, source):
    assert text_inside(answer, Context(source, [answer])) == (answer, "")
    assert celab.unwrap([answer, answer], [source] * 2, [answer] * 2) == [answer] * 2


@given(st.lists(ANSWERS, min_size=1, max_size=4), st.sampled_from(["celab", "chrf", "bleu"]))
def test_no_score_moves_without_the_flag(answers, metric):
    refs = ["买雨伞。"] * len(answers)
    given_texts, inside = (
        celab.Campaign.from_lists({"A": answers}, refs, unwrap=unwrap).score(metric)
        for unwrap in (False, True)
    )
    plain = celab.score(answers, refs, metric)
    score = given_texts.scores[metric]["A"]
    assert (score.score, score.signature) == (plain.score, plain.signature)
    unwrapped = inside.scores[metric]["A"]
    expected = celab.score(celab.unwrap(answers, refs=refs), refs, metric)
    assert unwrapped.score == expected.score
    assert unwrapped.signature == plain.signature.with_part("unwrap", VERSION)
