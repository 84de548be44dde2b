"""Messages of exceptions."""

from __future__ import annotations

from celab.base.errors import InputError


def test_a_message_is_one_line_whatever_it_quotes():
    error = InputError("the columns a\r\nb", hint="rename\nthem", place="x\ny")
    assert str(error) == r"x\ny: the columns a\r\nb; rename\nthem"
