"""Texts as callers of Python pass them: lists, generators, arrays, columns and frames → lists.

Every function and method that takes texts takes them by this module. A column of pandas, polars or
pyarrow is a list, and so is a data frame with one column; one with several is an error, because
iterating it gives the names of the columns. Nothing is imported for it: a column is known by its
method that makes a list, a frame by its names of columns.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, permutations
from typing import Any, NamedTuple, TypeVar, cast

from celab.base.errors import InputError
from celab.base.messages import warn
from celab.base.options import is_list

T = TypeVar("T")
Refs = Sequence[Sequence[str | None]]  # one sequence of sentences per reference

_LISTED = 5  # columns that a message names
_MAX_PATH_CHARACTERS = 255
_SUFFIX = 8  # characters at the end in which a file name with spaces has its dot
_MAX_TEXTS_COMPARED = 20  # segments, and references, of which all pairs are compared
# Share of bigrams that the other reading must have more. Right references of the WMT sets, and
# systems taken for references, have at most 0.04 more; wrong ones have this in 97 of 100 cases of
# two segments, and in nearly all cases of three.
_MIN_FAR_MORE = 0.15
# Methods of columns: pyarrow's, NumPy's and pandas', polars'.
_TO_LIST = ("to_pylist", "tolist", "to_list")


def column_names(value: object) -> list[Any] | None:
    """Return the names of the columns of a data frame or data set; None for other values.

    They are attributes of its class: those of an object may be the names of its own columns.
    """
    kind = type(value)
    if hasattr(kind, "ndim") and getattr(value, "ndim", 2) == 1:  # a column of Dask has columns
        return None
    for attribute in ("column_names", "columns"):
        if hasattr(kind, attribute) and hasattr(kind, "__getitem__"):
            names = getattr(value, attribute)
            return None if names is None else list(names)
    return None


def items_of(value: object, name: str) -> list[Any]:
    """Return the items of a list, an array, a column, a frame of one column or a generator.

    `InputError` for everything else; `name` is that of the argument, or of what it holds.

    >>> items_of((text for text in ("买伞", "去北京")), "hyps")
    ['买伞', '去北京']
    """
    if type(value) is list:
        return list(value)
    if isinstance(value, str):
        raise InputError(f"{name}: a str was given in place of a sequence")
    if hint := _hint(value):
        kind = type(value).__name__
        raise InputError(f"{name} is of type {kind}; it must be a sequence of texts{hint}")
    if type(value).__name__ == "LazyFrame":
        raise InputError(f"{name} is a LazyFrame; pass a column of its collect()")
    if not isinstance(value, Mapping) and (columns := column_names(value)) is not None:
        return items_of(_only_column(value, columns, name), name)
    items: object = value if is_list(value) else None
    for method in () if isinstance(value, Sequence) else _TO_LIST:
        if items is value and callable(to_list := getattr(type(value), method, None)):
            items = to_list(value)
    if isinstance(items, str) or not is_list(items):  # also an array without a dimension
        raise InputError(f"{name} is of type {type(value).__name__}; it must be a sequence")
    return list(cast(Iterable[Any], items))


def _only_column(frame: Any, columns: Sequence[Any], name: str) -> object:
    if len(columns) == 1:
        return frame[columns[0]]
    if not columns:
        raise InputError(f"{name} is a data frame without columns; pass one column")
    more = f" and {len(columns) - _LISTED} more" if len(columns) > _LISTED else ""
    raise InputError(
        f"{name} is a data frame with {len(columns)} columns"
        f" ({', '.join(map(str, columns[:_LISTED]))}{more}); pass one column, such as"
        f" frame[{columns[-1]!r}], or use celab.integrations.score_columns or"
        " celab.Campaign.from_dataframe, which take the names of columns"
    )


def index_of(column: object) -> list[Any] | None:
    """Return the labels of the rows of a column of pandas, or of a frame; None without any.

    >>> import pandas
    >>> index_of(pandas.Series(["买伞"], index=[7])), index_of(["买伞"])
    ([7], None)
    """
    index = _index(column)
    return None if index is None else index.tolist()


def _index(column: object) -> Any:
    is_of_pandas = any(kind.__module__.startswith("pandas.") for kind in type(column).__mro__)
    return getattr(column, "index", None) if is_of_pandas else None


def common_index(columns: Iterable[tuple[str, object]]) -> list[Any] | None:
    """Return the index that columns of pandas share; None if no column is of pandas.

    `InputError` if two have different indexes: their rows are not the same segments.
    """
    known: tuple[str, Any] | None = None
    for name, column in columns:
        if (index := _index(column)) is None:
            continue
        if known is None:
            known = name, index
        elif index is not known[1] and not index.equals(known[1]):
            check_labels(known[0], known[1].tolist(), name, index.tolist())
    return None if known is None else list(known[1].tolist())


def check_labels(name: str, labels: Sequence[Any], other_name: str, others: Sequence[Any]) -> None:
    """Raise `InputError` if the rows of two columns have different labels.

    Columns of different lengths pass: another message is about lengths.

    >>> check_labels("hyps", [0, 7], "refs", [0, 2])
    Traceback (most recent call last):
    celab.base.errors.InputError: hyps and refs have different indexes: row 1, counted from 0, ...
    """
    if len(labels) != len(others):
        return
    for row, (label, other) in enumerate(zip(labels, others, strict=True)):
        is_nan = label != label and other != other
        if label != other and not is_nan:
            raise InputError(
                f"{name} and {other_name} have different indexes: row {row}, counted from 0, is"
                f" {label!r} and {other!r}",
                hint="take both from one data frame; lists, as by tolist(), are joined by position",
            )


def texts_of(value: object, kind: str, name: str = "", *, absent: bool = False) -> list[str]:
    """Return the items as a list of str; messages call the list `name`, and one item `kind`.

    With `absent`, None is a text that is not there, and becomes "".
    """
    if isinstance(value, str):
        raise InputError("a str was given in place of a sequence of sentences")
    texts = items_of(value, name or f"the {kind}")
    if set(map(type, texts)) == {str}:  # nothing to look for
        return texts
    if not texts:
        raise InputError(f"no {kind} given; at least one is needed")
    return [
        "" if text is None and absent else text_of(text, f"{kind} {number}", value)
        for number, text in enumerate(texts, 1)
    ]


def text_of(value: object, name: str, source: object = None) -> str:
    """Return a text as a plain str; `InputError`, which names it as `name`, for other values.

    `source` is what holds it, which knows how to fill in missing values.
    """
    if isinstance(value, str):
        return plain_text(value)
    kind = type(value).__name__
    if is_missing(value):
        shown = "NaN" if isinstance(value, float) else str(value)
        raise InputError(f"{name} is {shown}, a missing value; {_filling(value, source)}")
    raise InputError(f"{name} is of type {kind}; it must be a str{_hint(value)}")


def _hint(value: object) -> str:
    """Return advice about bytes or a path in place of text, else ""."""
    if isinstance(value, bytes | bytearray | memoryview):
        return "; decode it"
    return "; celab.Campaign.read reads files" if isinstance(value, os.PathLike) else ""


def is_missing(value: object) -> bool:
    """Return whether a value marks a missing one: None, NaN, and other marks of pandas."""
    if value is None:
        return True
    is_nan = isinstance(value, float) and value != value
    return is_nan or type(value).__name__ in ("NAType", "NaTType")


def _filling(value: object, source: object) -> str:
    library = type(source).__module__.partition(".")[0]
    if library in ("polars", "pyarrow"):
        return 'fill the column first: fill_null("")'
    if value is None and (source is None or isinstance(source, Sequence)):
        return 'it must be a str, "" if there is no text'
    return 'it must be a str, "" if there is no text: a column of pandas has fillna("")'


def sides_of(refs: object) -> list[Any]:
    """Return one sequence of sentences per reference; the references may be a single one.

    >>> sides_of(["买雨伞", None]), sides_of([["买雨伞"], ["买伞"]])
    ([['买雨伞', None]], [['买雨伞'], ['买伞']])
    """
    if isinstance(refs, str):
        return [refs]
    items = items_of(refs, "refs")
    if any(is_list(item) or column_names(item) is not None for item in items):
        return items
    return [items if _index(refs) is None else refs]


def plain_text(text: T) -> T:
    """Return a str as such: NumPy's arrays have a kind of their own, which the kernels refuse."""
    return cast(T, str.__str__(text)) if isinstance(text, str) else text


def warn_if_file(name: str, texts: Sequence[str]) -> None:
    """Warn with `InputWarning` if the first text is the name of a file, whose content is meant.

    A text with spaces is looked up only if it ends in a suffix, and one in other letters than
    ASCII only with a suffix or a folder: most texts cost no system call.
    """
    text = texts[0] if texts else ""
    if (
        len(text) <= _MAX_PATH_CHARACTERS
        and ((" " not in text and (text.isascii() or "/" in text)) or "." in text[-_SUFFIX:-1])
        and os.path.isfile(text)
    ):
        warn(
            f"{name} is {text!r}, which is the name of a file: the name is scored, not the text in"
            " the file; celab.Campaign.read reads files"
        )


def warn_if_transposed(hyps: Sequence[str], refs: Sequence[Sequence[str]]) -> None:
    """Warn with `InputWarning` if square references seem to be one list per segment.

    With as many references as segments, the shape does not tell; the hypotheses do.
    """
    if not 1 < len(hyps) == len(refs):
        return
    first = slice(_MAX_TEXTS_COMPARED)
    outputs = [_bigrams(text) for text in hyps[first]]
    table = [[_bigrams(text) for text in side[first]] for side in refs[first]]
    pairs = list(permutations(range(len(outputs)), 2))
    gain = sum(
        _overlap(outputs[i], table[i][r]) - _overlap(outputs[i], table[r][i]) for i, r in pairs
    )
    if gain > _MIN_FAR_MORE * len(pairs):
        warn(
            "refs must be one list per reference, and these look like one list per segment: the"
            " hypotheses are more like list(zip(*refs)); pass that if so"
        )


def _bigrams(text: str) -> Counter[str]:
    return Counter(a + b for a, b in pairwise("".join(text.split())))


def _overlap(a: Counter[str], b: Counter[str]) -> float:
    """Return twice the number of common items by the number of all."""
    total = a.total() + b.total()
    return 2 * (a & b).total() / total if total else 0.0


class Sides(NamedTuple):
    """Hypotheses, references with "" if absent, and labels of the rows of columns of pandas."""

    hyps: list[str]
    refs: list[list[str]]
    labels: list[Any] | None


def check_corpus(hyps: Sequence[str], refs: Refs) -> Sides:
    """Return hypotheses and references; `InputError` if they do not fit."""
    sides = [refs] if isinstance(refs, str) else items_of(refs, "refs")
    if isinstance(hyps, str) or any(isinstance(side, str) for side in sides):
        flat = not isinstance(hyps, str) and not isinstance(refs, str)
        flat = flat and len(sides) == len(items_of(hyps, "hyps"))
        flat = flat and all(isinstance(ref, str | None) for ref in sides)
        raise InputError(
            "a corpus is a sequence of hypotheses and one sequence of sentences per reference;"
            f" a str was given in place of a sequence{'; for one reference, pass [refs]' * flat}"
        )
    hyp_side, ref_sides = (
        texts_of(hyps, "hypothesis", "hyps"),
        [
            texts_of(side, "reference", f"reference {r}", absent=True)
            for r, side in enumerate(sides, 1)
        ],
    )
    if not ref_sides:
        raise InputError("no references given; at least one sequence is needed")
    for r, side in enumerate(ref_sides, 1):
        if len(side) != (n := len(hyp_side)):
            raise InputError(
                f"the hypothesis has {n} segment{'s' if n != 1 else ''} but reference {r} has"
                f" {len(side)}"
                f"{_transpose_advice(len(hyp_side), ref_sides)}"
            )
    columns = [(f"reference {r}", side) for r, side in enumerate(sides, 1)]
    return Sides(hyp_side, ref_sides, common_index([("the hypothesis", hyps), *columns]))


def _transpose_advice(n_segments: int, refs: list[list[str]]) -> str:
    # Advice for a list per segment, where there should be one per reference. Only for wrong
    # lengths: with as many references as segments, the shape says nothing.
    if len(refs) != n_segments:
        return ""
    if n_segments == 1:  # refs may be a list of texts, of which zip would make characters
        n = len(refs[0])
        return f"; if these are {n} references of one segment, pass {n} lists of one text each"
    is_rectangular = len(set(map(len, refs))) == 1
    transposed = "list(zip(*refs))" if is_rectangular else "list(itertools.zip_longest(*refs))"
    return (
        "; refs must be one list per reference, and these look like one list per segment: pass"
        f" {transposed}"
    )


def check_sentence(hyp: object, refs: object) -> list[str | None]:
    """Return the references of a sentence; a str is the only one."""
    if not isinstance(hyp, str):
        raise InputError(
            f"hyp is of type {type(hyp).__name__}; it must be a str; corpus_score takes several"
        )
    if isinstance(refs, str):
        refs = [refs]
    sides = items_of(refs, "refs")
    lengths = [
        len(side) if isinstance(side, Sequence) and not isinstance(side, str) else None
        for side in sides
    ]
    if set(lengths) <= {None}:
        return [
            plain_text(ref) if isinstance(ref, str | None) else text_of(ref, f"reference {r}", refs)
            for r, ref in enumerate(sides, 1)
        ]
    advice = "pass one str per reference"
    if None not in lengths and len(sides) == 1:
        advice = "pass refs[0]"
    elif set(lengths) == {1}:
        advice = "pass [ref[0] for ref in refs]"
    raise InputError(f"refs has a list in place of a reference; for one sentence, {advice}")


def check_lists(hyps: Sequence[str], refs: Sequence[str | None]) -> tuple[list[str], list[str]]:
    """Return hypotheses and references of any lengths, with "" for absent references."""
    return texts_of(hyps, "hypothesis", "hyps"), texts_of(refs, "reference", "refs", absent=True)


def reference_columns(rows: Sequence[str | Sequence[str | None]]) -> list[list[str | None]]:
    """Return one list per reference, as `corpus_score` takes them.

    Parameters:
        rows: the references of each segment, or its only one; segments may have different numbers
            of them.

    >>> reference_columns([["买雨伞", "买把伞"], ["去北京"]])
    [['买雨伞', '去北京'], ['买把伞', None]]
    """
    lists = [
        [row] if isinstance(row, str) else items_of(row, f"segment {number}")
        for number, row in enumerate(items_of(rows, "rows"), 1)
    ]
    n_references = max(map(len, lists), default=0)
    return [[row[r] if r < len(row) else None for row in lists] for r in range(n_references)]
