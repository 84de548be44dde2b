"""Answers of language models: 487 of them in `tests/answers.jsonl`, and what the rules promise."""

import json
from collections import Counter

import pytest
from conftest import ROOT

import celab
from celab.corpus import read
from celab.corpus.answers import forms, wordings
from celab.corpus.answers.forms import FORMS, Context, Suspicion, all_insides, text_inside
from celab.corpus.answers.wordings import refuses

# Written before the rules: source, reference, output, and what is expected of it.
ANSWERS = [
    json.loads(line) for line in (ROOT / "tests" / "answers.jsonl").read_text("utf-8").splitlines()
]
LANGUAGES = {"en", "zh", "ja", "ko", "de"}
ALONE = Context(None, [])


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer["output"][:20])
def test_each_answer_has_its_kind_its_form_and_its_inside(answer):
    context = Context(answer["source"], [answer["reference"]])
    is_refusal = refuses(answer["output"], context.texts)
    assert is_refusal is (answer["kind"] == "refusal")
    if is_refusal:
        return
    inside = text_inside(answer["output"], context)
    assert (inside.form or None, inside.text) == (answer["form"], answer["inside"])


def test_the_answers_are_of_all_forms_and_languages():
    kinds = Counter(answer["kind"] for answer in ANSWERS)
    assert kinds["wrapped"] >= 140
    assert kinds["refusal"] >= 30
    assert kinds[None] >= 60  # which are left alone
    for form in FORMS:
        of_form = [answer for answer in ANSWERS if answer["form"] == form]
        assert {answer["lang"].partition("-")[0] for answer in of_form} == LANGUAGES
    assert {answer["lang"] for answer in ANSWERS if answer["kind"] is None} > LANGUAGES


@pytest.mark.parametrize("known", [("source",), ("reference",)])
def test_answers_that_are_translations_are_left_alone_whatever_is_known(known):
    for answer in ANSWERS:
        if answer["kind"] is None:
            source = answer["source"] if "source" in known else None
            context = Context(source, [answer["reference"]] * ("reference" in known))
            assert text_inside(answer["output"], context) == (answer["output"], "")


# Of real text, what a context would show to be no form: code, tags and what reads like a preface.
CODE_AND_TAGS = ("```", "<think>", "翻译如下")


def test_answers_that_are_translations_are_left_alone_if_nothing_is_known():
    for answer in ANSWERS:
        if answer["kind"] is None and not any(mark in answer["output"] for mark in CODE_AND_TAGS):
            assert text_inside(answer["output"], ALONE) == (answer["output"], "")


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer["output"][:20])
def test_no_note_is_removed_without_a_source(answer):
    for references in ([], [answer["reference"]]):
        assert "note" not in forms_of(answer["output"], Context(None, references))


def forms_of(text, context):
    """Return the forms of all steps that are taken."""
    steps = []
    while (step := forms._step(text.strip(), context)) and step.text != text.strip():
        steps.append(step.form)
        text = step.text
    return steps


@pytest.mark.parametrize(
    ("source", "reference", "inside"),
    [
        (None, "按下按钮。小心烫。", "请按按钮。注意：设备很热。"),
        (None, "买雨伞", "请按按钮。注意：设备很热。"),
        (
            "Press the button. It's hot.",
            None,
            "请按按钮。注意：设备很热。",
        ),  # has a sentence for it
        ("Press the button, it's hot.", None, "请按按钮。注意：设备很热。"),  # has a clause for it
        ("Press the button.", "按下按钮。小心烫。", "请按按钮。注意：设备很热。"),
        ("Press the button.", None, "请按按钮。"),
    ],
)
def test_a_note_is_added_if_the_source_has_nothing_for_it(source, reference, inside):
    context = Context(source, [reference] if reference else [])
    assert text_inside("请按按钮。注意：设备很热。", context).text == inside


def test_every_family_has_phrases_in_five_languages_and_every_form_a_sentence():
    families = [value for value in vars(wordings).values() if isinstance(value, wordings.Family)]
    assert len(families) == 9
    for family in families:
        assert set(family.phrases) == LANGUAGES
        assert family.hint
    for form, rule in FORMS.items():
        assert f"\n    {form}  " in forms.__doc__
        assert ">>>" in rule.__doc__


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (
            ["<think>伞…</think>\n\n译文：“买伞”", "买伞\n\n注：口语。"],
            ["“买伞”", "买伞\n\n注：口语。"],
        ),  # no source: quotes and notes stay
        (["**买伞**", "1. 买伞\n2. 买雨伞"], ["**买伞**", "1. 买伞\n2. 买雨伞"]),
        ([" 买伞 \n"], [" 买伞 \n"]),
        (["<think>", "</think>"], ["", ""]),
        (["译文：", "```\n```"], ["译文：", "```\n```"]),  # nothing is inside
    ],
)
def test_unwrap_takes_texts_alone(texts, expected):
    assert celab.unwrap(texts) == expected


def test_unwrap_is_surer_with_sources_and_references():
    texts = ["“买伞”", "**去北京**"]
    assert celab.unwrap(texts, ["Buy it", "Go"]) == ["买伞", "去北京"]
    assert celab.unwrap(texts, refs=["买雨伞", "去"]) == ["“买伞”", "去北京"]
    assert celab.unwrap(texts, refs=[["买雨伞", "去"], [None, "**去**"]]) == texts
    assert celab.unwrap(texts, ["“Buy”", "**Go**"]) == texts


def test_an_answer_that_is_wrapped_too_often_is_left_alone():
    assert text_inside("译文：" * 10 + "买伞", ALONE) == ("买伞", "preface")
    deep = "译文：" * 11 + "买伞"
    assert text_inside(deep, ALONE) == (deep, "")


@pytest.mark.parametrize(
    "piece",
    [
        *(">", "> ", " ", "\n", "`", "```", "*", "_", "(note:", "注：", "<think>", "["),
        *('{"a":', "1. a\n", "---\n", "或者：\n"),
    ],
)
@pytest.mark.parametrize("start", ["", "买伞。", "```\n", "> 买\n"])
def test_no_answer_takes_long(piece, start):
    context = Context("Buy umbrellas", ["买雨伞"])
    text_inside(start + piece * 20_000 + "x", context)  # quadratic rules would not end


def test_an_answer_whose_translation_cannot_be_told_stays_wrapped():
    outputs = ["买伞<think>or is it", '{"a": "买伞", "a": "买雨"}', "译文：买伞"]
    campaign = celab.Campaign.from_lists({"A": outputs}, ["买雨伞"] * 3, unwrap=True)
    assert campaign.corpus.unwrapped == {"A": {"preface": 1}}
    checked = campaign.score().outputs
    assert checked.kinds("A") == {"wrapped": [0, 1]}
    assert checked.forms("A") == {"thinking": 1, "object": 1}
    rewards = celab.integrations.reward("celab")(outputs[:2], reference=["买雨伞"] * 2)
    assert rewards == [0.0, celab.TeslaCelab().sentence_score(outputs[1], ["买雨伞"]).score]


def test_files_are_unwrapped_as_they_are_read(tmp_path):
    refs, outputs = ["买雨伞", "去北京"], ["译文：买伞", "到北京去"]
    for name, texts in (("ref.zh", refs), ("model.zh", outputs)):
        (tmp_path / name).write_text("\n".join([*texts, ""]), "utf-8")
    paths = [str(tmp_path / "ref.zh"), str(tmp_path / "model.zh")]
    assert read(*paths).unwrapped is None
    corpus = read(*paths, unwrap=True)
    assert corpus.systems == {"model": ["买伞", "到北京去"]}
    assert corpus.unwrapped == {"model": {"preface": 1}}


def test_a_document_is_unwrapped_before_it_is_aligned(tmp_path):
    (tmp_path / "ref.zh").write_text("他们买雨伞。\n明天去北京。\n", "utf-8")
    answer = "以下是翻译：\n\n他们买伞。明天去北京。\n\n注：原文没有标题。\n"
    (tmp_path / "model.txt").write_text(answer, "utf-8")
    (tmp_path / "source.en").write_text("They buy umbrellas.\nTomorrow to Beijing.\n", "utf-8")
    paths, source = [str(tmp_path / "ref.zh"), str(tmp_path / "model.txt")], tmp_path / "source.en"
    corpus = read(*paths, align=True, unwrap=True, source=source)
    assert corpus.hyps == ["他们买伞。", "明天去北京。"]
    assert corpus.unwrapped == {"model": {"preface": 1}}
    assert "注" in "".join(read(*paths, align=True).hyps)
    assert "注" in "".join(read(*paths, align=True, unwrap=True).hyps)


@pytest.mark.parametrize(
    ("a", "b", "are_alike"),
    [
        ("甲" * 10, "甲" * 25, True),  # 2.5 times as long
        ("甲" * 10, "甲" * 26, False),
        ("甲甲甲" + "乙" * 7, "甲甲甲" + "丙" * 7, True),  # three characters of ten in common
        ("甲甲甲" + "乙" * 7, "甲甲甲" + "丙" * 8, False),
    ],
)
def test_versions_of_a_text_are_alike(a, b, are_alike):
    assert forms._are_alike([a, b], Context(None, [])) == are_alike


@pytest.mark.parametrize(("source", "is_long"), [("Buy two 2.", True), ("Buy two .", False)])
def test_a_space_is_enough_after_a_long_source(source, is_long):
    after = forms.after_source(f"{source} 买两把", Context(source, []))
    assert after == (" 买两把" if is_long else None)


@pytest.mark.parametrize(
    "text",
    [
        "好的，译文：买伞（注：口语。）",
        "【译文】**买伞**",
        "```\n译文：“买伞”\n```",
        "<zh>买伞\n\n## 注释\n口语。",
    ],
)
def test_what_is_inside_a_text_inside_is_inside_the_whole(text):
    # So that who pays the least of all of them never pays for a form that is added.
    context = Suspicion("Buy umbrellas", ["买雨伞"])
    inside = all_insides(text, context)
    assert "买伞" in inside and len(inside) == len(set(inside)) > 1
    for one in inside:
        assert set(all_insides(one, context)) <= set(inside)


def test_no_answer_has_versions_without_end():
    assert len(all_insides("好的，译文：" * 60 + "买伞", Suspicion(None, []))) < 100
