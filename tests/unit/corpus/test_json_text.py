"""Broken JSON is called so, with its line and column, wherever a file is called JSON."""

import pytest
from commands import refusal

from celab import corpus


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("h.jsonl", '{"hyp": "买伞"\n', "line 1, column 13: broken JSON: expecting ',' delimiter"),
        ("h.jsonl", "hyp\n", "line 1, column 1: broken JSON: expecting value"),
        ("h.ndjson", "{'hyp': '买'}\n", "line 1, column 2: broken JSON: expecting property name"),
        ("h.jsonl", '{"hyp": "a"}\n\n {"hyp"}\n', "line 3, column 8: broken JSON: expecting ':'"),
        ("h.json", '{\n "eval": {},\n "samples": [\n', "line 4, column 1: broken JSON: expecting"),
        ("h.json", '[{"hyp": "买"},\n {"hyp": 买}]', "line 2, column 10: broken JSON: expecting"),
        ("h.json", '["买"\n "伞"]', "line 2, column 2: broken JSON: expecting , or ]"),
    ],
)
def test_broken_json_has_a_line_and_a_column(put, name, content, place):
    assert f"{name}, {place}" in refusal("score", put("ref", "买雨伞\n"), put(name, content))


def test_an_object_that_is_no_log_names_its_fields(put):
    told = refusal("score", put("ref", "买\n"), put("h.json", '{"rows": [1],\n "n": 2}'))
    assert (
        "h.json is one JSON object, with the fields rows, n; it must be an array, or have" in told
    )


def test_text_in_braces_is_text(put):
    path = put("h.txt", '{"买" 伞}\n')
    assert corpus.read([path], [path]).hyps == ['{"买" 伞}']
