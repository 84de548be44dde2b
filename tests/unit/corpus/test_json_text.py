"""Broken JSON is called so, with its line and column, wherever a file is called JSON."""

from celab import corpus


def test_text_in_braces_is_text(put):
    path = put("h.txt", '{"买" 伞}\n')
    assert corpus.read([path], [path]).hyps == ['{"买" 伞}']
