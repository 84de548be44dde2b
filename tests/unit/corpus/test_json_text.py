"""Broken JSON is called so, with its line and column, wherever a file is called JSON."""

from commands import refusal

from celab import corpus


def test_an_object_that_is_no_log_names_its_fields(put):
    told = refusal("score", put("ref", "买\n"), put("h.json", '{"rows": [1],\n "n": 2}'))
    assert (
        "h.json is one JSON object, with the fields rows, n; it must be an array, or have" in told
    )


def test_text_in_braces_is_text(put):
    path = put("h.txt", '{"买" 伞}\n')
    assert corpus.read([path], [path]).hyps == ['{"买" 伞}']
