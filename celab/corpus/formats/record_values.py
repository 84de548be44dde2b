"""The values of the fields of records: texts, and ids of segments."""

from __future__ import annotations

from celab.base.errors import InputError
from celab.base.options import is_digits
from celab.corpus.formats.json_text import JsonRecord, abbreviate, check_surrogates, value_at
from celab.corpus.model import Role

# Names of lists of texts that are not sentences of one text.
_CANDIDATES = frozenset(
    """candidates hyps hypotheses outputs responses completions samples nbest n_best
    translations""".split()
)
N_BEST = "a list of texts for each segment, an n-best list: celab mbr chooses one of them"


class Uncalculated(str):
    """The text of a formula that has no result: an `InputError` in a field that is read."""

    __slots__ = ()


def check_result(where: str, text: object) -> None:
    """Raise `InputError` if a text is that of a formula without a result."""
    if isinstance(text, Uncalculated):
        raise InputError(
            f"{where} has a formula without a result",
            hint="open the file in a spreadsheet program, and save it there",
        )


def segment_id(record: JsonRecord, field: str) -> str:
    """Return the id of a segment or a document in a field."""
    value = value_at(record.values, field)
    check_result(f"{record.where}: {field_name(field)}", value)
    if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
        return check_surrogates(record.where, str(value).strip())
    raise _type_error(record, field, value, "a text or a whole number")


def texts_in(record: JsonRecord, role: Role, field: str) -> list[str | None]:
    """Return the text of a field, or the texts if it is a list of references."""
    value = value_at(record.values, field)
    if role == "system" and is_nbest(field, value):
        raise InputError(f"{record.where}: {field_name(field)} is {N_BEST}")
    texts: list[str | None] = []
    values = value if isinstance(value, list) and role == "reference" else [value]
    for text in values:
        check_result(f"{record.where}: {field_name(field)}", text)
        if isinstance(text, list) and text and all(isinstance(sentence, str) for sentence in text):
            text = "\n".join(text)
        if text is not None and not isinstance(text, str):
            items = "texts" if role == "reference" else "sentences"
            raise _type_error(record, field, text, f"a text or a list of {items}")
        texts.append(text and check_surrogates(record.where, text))
    return texts


def is_nbest(field: str, value: object) -> bool:
    """Return whether a field has a list of texts, by its name and its value."""
    is_list = isinstance(value, list) and bool(value) and all(isinstance(x, str) for x in value)
    return is_list and field.rpartition(".")[2].lower() in _CANDIDATES


def _type_error(record: JsonRecord, field: str, value: object, right: str) -> InputError:
    return InputError(
        f"{record.where}: {field_name(field)} is {abbreviate(value)}; it must be {right}"
    )


def field_name(field: str) -> str:
    """Return a field as messages call it."""
    return f"column {field}" if is_digits(field) else f"{field!r}"
