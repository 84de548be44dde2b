"""The answer in a completion, in each form that a prompt can ask for."""

import re
import time

import pytest

from celab.base.errors import OptionError
from celab.corpus.answers.asked import NAMES, check_answer, find_answer
from celab.corpus.answers.forms import Context

T = "买雨伞。"
HARMONY = "<|channel|>analysis<|message|>Rain.<|end|><|start|>assistant<|channel|>final<|message|>"
DRAFT = "<think>Perhaps <answer>伞</answer>, \\boxed{伞}, <|begin_of_box|>伞<|end_of_box|></think>"
MARKS = ["<|im_end|>", "<|eot_id|>", "</s>", "<|endoftext|>", "<|im_end|>\n<|endoftext|>"]
FOUND = {
    None: [
        *(T, f" {T}\n", f"<think>Rain.</think>{T}", f"<think></think>\n\n{T}", f"Rain.</think>{T}"),
        *(f"<think>a</think>b</think>{T}", f"<THINK>a</THINK>{T}", f"[think]a[/think]{T}"),
        *(
            f"<reasoning>a</reasoning>{T}",
            f"{HARMONY}{T}<|return|>",
            f"analysisRain.assistantfinal{T}",
        ),
        *(f"{T}{mark}" for mark in MARKS),
        f"{T}<think>Good?</think>",
    ],
    "think": [
        *(f"<think>Rain.</think>\n{T}", f"Rain.</think>{T}<|im_end|>", f"a</think>b</think>{T}"),
        *(f"{HARMONY}{T}", f"<thought>a</thought>{T}"),
    ],
    "answer": [
        *(f"<answer>{T}</answer>", f"{DRAFT}It is\n<Answer>\n{T}\n</Answer><|im_end|>"),
        *(f"<answer>伞</answer> or <answer>{T}</answer>.", f"<answer><answer>{T}</answer>"),
        f"<answer>{T}</answer><think>Good?</think>",
    ],
    "tag:translate": [
        f"a <translate>{T}</translate> b",
        f"Rain.</think><translate>{T}</translate>",
    ],
    "boxed": [
        *(f"\\boxed{{{T}}}", f"{DRAFT}So: $\\boxed{{ {T} }}$.", f"\\boxed{{\\text{{{T}}}}}"),
        f"\\boxed{{伞}}, no: \\boxed {{{T}}}",
    ],
    "fence": [
        *(f"```\n{T}\n```", f"Here:\n```text\n{T}\n```\nEnd", f"```\na\n```\n~~~\n{T}\n~~~"),
        *(f"````\n{T}\n````", f"```\n{T}\n```\n````\nb", f"`````\na\n```\n{T}\n```"),
    ],
    "final": [
        *(f"{HARMONY}{T}<|return|>", f"analysisRain.assistantfinal{T}"),
        *(f"{DRAFT}<|begin_of_box|>{T}<|end_of_box|>", f"a <|begin_of_box|>{T}<|end_of_box|>"),
    ],
    "json:zh": [
        *(f'{{"zh": "{T}"}}', f'{DRAFT}```json\n{{"en": "a", "zh": "{T}"}}\n```<|im_end|>'),
        f'So: {{"zh": "{T}", "notes": {{"zh": "b"}}}}',
    ],
    "json:译文": [f'{{"译文": "{T}"}}'],
}
MISSING = {
    None: [
        "",
        " \n",
        "<think>Rain.",
        f"{T}<think>Rain.",
        f"<think>a</think>{T}<think>",
        "<|im_end|>",
    ],
    "think": [T, f"<think>{T}", f"<think>a</think>{T}<think>b", "<think>a</think>", f"<answer>{T}"],
    "answer": [
        T,
        f"<answer>{T}",
        f"{DRAFT}{T}",
        f"<think><answer>{T}</answer>",
        "<answer> </answer>",
    ],
    "tag:translate": [f"<answer>{T}</answer>", f"<translate>{T}"],
    "boxed": [T, f"\\boxed{{{T}", f"{DRAFT}{T}", f"\\boxed{T}", f"\\boxed{{a}} \\boxed{{{T}"],
    "fence": [T, f"```\n{T}", f"```{T}```"],
    "final": [T, f"{DRAFT}{T}", "<|channel|>analysis<|message|>Rain.", f"<think>{T}", HARMONY],
    "json:zh": [
        *(T, f'{{"en": "{T}"}}', f'{{"zh": ["{T}"]}}', f'["{T}"]', f'{{"zh": "{T}"', "{" * 10_000),
        *(f'{{"zh": "{T}", "zh": "b"}}', '{"zh": 5}', '{"zh": "two"} {"zh": "objects"}'),
    ],
}


@pytest.mark.parametrize(("form", "completion"), [(f, c) for f in FOUND for c in FOUND[f]])
def test_the_answer_in_the_form_that_was_asked_for(form, completion):
    check_answer(form)
    assert find_answer(completion, form) == T


@pytest.mark.parametrize(("form", "completion"), [(f, c) for f in MISSING for c in MISSING[f]])
def test_no_answer_in_another_form(form, completion):
    assert find_answer(completion, form) == ""


def test_braces_nest_in_a_box():
    assert find_answer(r"\boxed{a {b {c}} d} e}", "boxed") == "a {b {c}} d"
    assert find_answer(r"\boxed{a \} b}", "boxed") == r"a \} b"


def test_json_is_unescaped_and_may_have_line_breaks():
    assert find_answer('{"zh": "“买\\u4f1e”\\n去\n北京"}', "json:zh") == "“买伞”\n去\n北京"


def test_marks_of_a_translation_stay():
    text = "<think> 是一个标签。"
    assert find_answer(text, None, Context("<think> is a tag.", [])) == text
    assert find_answer("<s>买</s>", None) == "<s>买</s>"


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("thnk", "answer is 'thnk'; did you mean 'think'?"),
        ("xml", f"answer is 'xml'; it must be one of: {', '.join(NAMES)}"),
        ("json", "answer is 'json'; give the name, such as json:translation"),
        ("tag:", "answer is 'tag:'; give the name, such as tag:translation"),
        ("tag:<a>", "answer is 'tag:<a>'; '<a>' is not the name of a tag, such as tag:zh"),
        ("boxed:1", "answer is 'boxed:1'; did you mean 'boxed'?"),
        (5, f"answer is 5; it must be None or one of: {', '.join(NAMES)}"),
        (["think"], f"answer is ['think']; it must be None or one of: {', '.join(NAMES)}"),
    ],
)
def test_a_form_that_does_not_exist_is_one_line(form, message):
    with pytest.raises(OptionError, match=f"^{re.escape(message)}$"):
        check_answer(form)


@pytest.mark.parametrize("form", FOUND)
@pytest.mark.parametrize(
    "piece",
    [
        "<think>",
        "</think>",
        "<answer>",
        "\\boxed{",
        "{",
        "```\n",
        "~~~a\n",
        "<|begin_of_box|>",
        '{"',
    ],
)
def test_no_completion_takes_long(form, piece):
    began = time.process_time()
    find_answer(piece * (50_000 // len(piece)), form)
    assert time.process_time() - began < 2


# Completions of a size, each of which took time that grew with the square of it.
DEGENERATE = {
    "thinking": (None, lambda n: "<think></think>" * n + T),
    "ends of turns": (None, lambda n: T + "<|im_end|> " * n + "x"),
    "spaces": (None, lambda n: T + " " * 4 * n + "x"),
    "backticks": ("fence", lambda n: "`" * (8 * n + 1)),
    "tildes": ("fence", lambda n: "~" * (8 * n + 1)),
    "blocks without an end": ("fence", lambda n: "x```\n" * 4 * n),
}


@pytest.mark.thorough
@pytest.mark.parametrize("case", DEGENERATE)
def test_degenerate_completions_take_no_time(case):
    form, made = DEGENERATE[case]
    text = made(20_000)
    began = time.process_time()
    find_answer(text, form)
    assert time.process_time() - began < 3  # seconds; these took from 5 to 230
