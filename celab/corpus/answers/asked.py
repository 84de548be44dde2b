"""Forms of answers that a prompt asks for: a completion → the translation in it, "" if it has none.

    think     what stands after the last end of the thinking
    answer    the last <answer>…</answer>; tag:NAME for other tags
    boxed     the last \\boxed{…}
    fence     the last code block
    final     the last final channel: of harmony, with or without its tokens, or <|begin_of_box|>
    json:KEY  the value of that key, a text, in the JSON object

Without a form, the answer is all that is not thinking. Marks of the end of a turn are dropped from
all forms, and so is the thinking before; a completion whose thinking does not end has no answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from itertools import pairwise

from celab.base.errors import OptionError, nearest
from celab.corpus.answers import THINKING_CUE
from celab.corpus.answers.forms import (
    CONFLICT,
    END_OF_THINKING,
    Context,
    last_block,
    with_conflicts,
    without_all_thinking,
    without_end_of_turn,
)

_TEXT_COMMAND = r"\\(?:text|mbox)\{(?P<inside>[^{}]*)\}"
_CHANNEL = rf"<\|channel\|>final<\|message\|>|{THINKING_CUE}"
# The end mark may be missing, because marks of the end of a turn are removed first.
_BOX = r"(?s)<\|begin_of_box\|>((?:(?!<\|begin_of_box\|>).)*?)(?:<\|end_of_box\|>|\Z)"
_NAME = r"[A-Za-z_][\w.-]*"
_NO_CONTEXT = Context(None, [])


def _in_tag(text: str, name: str) -> str:
    marks = [*re.finditer(rf"(?i)<(?P<end>/?){re.escape(name)}>", text)]
    pairs = [(a, b) for a, b in pairwise(marks) if b["end"] and not a["end"]]
    return text[pairs[-1][0].end() : pairs[-1][1].start()] if pairs else ""


def _boxed(text: str) -> str:
    boxes = [*re.finditer(r"\\boxed\s*\{", text)]
    box = text[boxes[-1].end() :] if boxes else ""
    depth = 1
    for brace in re.finditer(r"\\.|[{}]", box):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if not depth:
            inside = box[: brace.start()].strip()
            command = re.fullmatch(_TEXT_COMMAND, inside)
            return command["inside"] if command else inside
    return ""


def _in_final_box(text: str) -> str:
    boxes = re.findall(_BOX, text)
    return boxes[-1] if boxes else ""


def _in_object(text: str, key: str) -> str:
    start, end = text.find("{"), text.rfind("}")
    try:
        value = json.loads(text[start : end + 1], strict=False, object_pairs_hook=with_conflicts)
    except (ValueError, RecursionError):
        return ""
    translation = value.get(key)
    return translation if isinstance(translation, str) and translation is not CONFLICT else ""


# Forms that follow a mark, the last of which counts.
_LAST_MARKS = {"think": END_OF_THINKING, "final": _CHANNEL}
_FORMS: dict[str, Callable[[str], str]] = {
    "think": lambda text: "",  # no end mark, no answer
    "answer": partial(_in_tag, name="answer"),
    "boxed": _boxed,
    "fence": last_block,
    "final": _in_final_box,
}
_WITH_NAME: dict[str, Callable[[str, str], str]] = {"tag": _in_tag, "json": _in_object}
NAMES = (*_FORMS, *(f"{form}:NAME" for form in _WITH_NAME))


def check_answer(form: object) -> None:
    """Raise `OptionError` if there is no such form of an answer.

    >>> check_answer("json:translation")
    >>> check_answer("boxd")
    Traceback (most recent call last):
    celab.base.errors.OptionError: answer is 'boxd'; did you mean 'boxed'?
    """
    if form is None or (isinstance(form, str) and form in _FORMS):
        return
    if not isinstance(form, str):
        raise OptionError("answer", form, f"it must be None or one of: {', '.join(NAMES)}")
    kind, colon, name = form.partition(":")
    if colon and kind in _WITH_NAME and name.strip():
        if kind == "json" or re.fullmatch(_NAME, name):
            return
        raise OptionError("answer", form, f"{name!r} is not the name of a tag, such as tag:zh")
    if kind in _WITH_NAME:
        raise OptionError("answer", form, f"give the name, such as {kind}:translation")
    close = nearest(form, _FORMS)
    hint = f"did you mean {close!r}?" if close else f"it must be one of: {', '.join(NAMES)}"
    raise OptionError("answer", form, hint)


def find_answer(text: str, form: str | None = None, context: Context = _NO_CONTEXT) -> str:
    """Return the answer in a completion, in the form that the prompt asked for; "" without any.

    In a `context` with marks of thinking, these are part of the text if no form was asked for.

    >>> find_answer("<think>Umbrella…</think>买伞<|im_end|>")
    '买伞'
    >>> find_answer("A \\\\boxed{买伞}, then.", "boxed"), find_answer("买伞", "boxed")
    ('买伞', '')
    """
    is_asked = form is not None
    if (mark := _LAST_MARKS.get(form or "")) and (marks := [*re.finditer(mark, text)]):
        text, form = text[marks[-1].end() :], None
    answer = without_all_thinking(text, _NO_CONTEXT if is_asked else context)
    if form is not None:
        kind, _, name = form.partition(":")
        answer = _WITH_NAME[kind](answer, name) if name else _FORMS[form](answer)
    return _without_end(answer).strip()


def _without_end(text: str) -> str:
    """Return a text without marks of the end of a turn; `</s>` ends what `<s>` began."""
    return text if "<s>" in text else without_end_of_turn(text)
