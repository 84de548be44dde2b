"""Texts in lists or data frames → the texts of a campaign.

Data frames are those of pandas or polars, and data sets of Hugging Face `datasets`. A dot leads
into a column of objects, as in `translation.zh`. A row may have a list of references.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from celab.base.errors import InputError
from celab.base.text import sequences
from celab.base.text.sequences import (
    Refs,
    check_corpus,
    common_index,
    is_missing,
    items_of,
    sides_of,
    texts_of,
    warn_if_file,
)
from celab.corpus.align.alignment import Alignment
from celab.corpus.align.alignment import align as cut
from celab.corpus.formats.json_text import value_at
from celab.corpus.model import Corpus, Segment

_RIGHT = "it must be a data frame of pandas or polars, or a datasets.Dataset"


class Frame(Protocol):
    """A mapping of names to columns."""

    def __getitem__(self, name: str, /) -> Iterable[object]:
        """Return a column."""


def column_names(frame: Frame) -> list[str]:
    """Return the names of the columns."""
    kind = type(frame).__name__
    if kind == "DatasetDict":
        raise InputError(f"the data set is a {kind}; give one of its splits, such as ['test']")
    if kind == "LazyFrame":
        raise InputError(f"the data frame is a {kind}; give its collect()")
    names = sequences.column_names(frame)
    if names is None or not hasattr(frame, "__len__"):
        raise InputError(f"the data frame is of type {kind}; {_RIGHT}")
    return [str(name) for name in names]


def text_column(frame: Frame, name: str) -> list[str | None]:
    """Return the texts of a column; None where it has no value."""
    texts: list[str | None] = []
    for row, value in enumerate(_values(frame, name), start=1):
        if value is not None and not isinstance(value, str):
            raise _type_error(name, row, value, "a str")
        texts.append(value)
    return texts


def full_column(frame: Frame, name: str, what: str = "translation") -> list[str]:
    """Return the texts of a column, none of which may be absent; messages call one `what`."""
    texts = text_column(frame, name)
    for row, text in enumerate(texts, start=1):
        if text is None:
            raise InputError(
                f"column {name!r}, row {row}: the {what} is absent",
                hint='fill the column first: fillna("") in pandas, fill_null("") in polars',
            )
    return [text or "" for text in texts]


def reference_columns_of(frame: Frame, names: Iterable[str]) -> list[list[str | None]]:
    """Return one list for each reference in the columns, whose values may be lists."""
    sides: list[list[str | None]] = []
    for name in names:
        rows = [_references(name, row, value) for row, value in enumerate(_values(frame, name), 1)]
        n_references = max(map(len, rows), default=1)
        sides += [
            [row[place] if place < len(row) else None for row in rows]
            for place in range(max(1, n_references))
        ]
    return sides


def _references(name: str, row: int, value: object) -> list[str | None]:
    values = list(value) if isinstance(value, Iterable) and _is_list(value) else [value]
    texts: list[str | None] = []
    for text in values:
        if text is not None and not isinstance(text, str):
            raise _type_error(name, row, text, "a str, or a list of them")
        texts.append(text)
    return texts


def _is_list(value: object) -> bool:
    is_array = type(value).__name__ in ("ndarray", "Series")  # cells of pandas and polars
    return is_array or (isinstance(value, Sequence) and not isinstance(value, str))


def _values(frame: Frame, name: str) -> list[object]:
    names = column_names(frame)
    column, _, path = (name, "", "") if name in names else name.partition(".")
    if column not in names:
        raise InputError(f"the data frame has no column {name!r}; it has {', '.join(names)}")
    values = items_of(frame[column], f"column {column!r}")
    if path:
        values = [value_at(row, path) for row in values]
    return [None if is_missing(value) else value for value in values]


def _type_error(name: str, row: int, value: object, right: str) -> InputError:
    kind = type(value).__name__
    return InputError(f"column {name!r}, row {row}: {kind} is not text; it must be {right}")


def corpus_of_lists(
    systems: Mapping[str, Sequence[str]],
    refs: Refs | Sequence[str | None],
    source: Sequence[str] | None = None,
    *,
    align: bool = False,
    unwrap: bool = False,
) -> Corpus:
    """Return the texts of systems and references; see `Campaign.from_lists`."""
    if not isinstance(systems, Mapping) and sequences.column_names(systems) is not None:
        raise InputError(
            "systems is a data frame; pass a dict with a column for each system, such as"
            " {'A': frame['A']}, or use Campaign.from_dataframe"
        )
    if not isinstance(systems, Mapping):
        raise InputError(
            f"systems is of type {type(systems).__name__}; it must be a dict of lists, such as"
            " {'A': ['买伞']}"
        )
    if not systems:
        raise InputError("no system is given; there must be at least one")
    # Made lists once, because a generator can be read only once.
    given = sides_of(refs)
    all_sides = [
        side
        if isinstance(side, str)
        else texts_of(side, "reference", f"reference {r}", absent=True)
        for r, side in enumerate(given, 1)
    ]
    checked: dict[str, list[str]] = {}
    sides: list[list[str]] = []
    alignments: dict[str, Alignment] = {}
    for name, hyps in systems.items():
        try:  # the references are checked only once
            if align:
                alignments[str(name)] = aligned = cut(hyps, all_sides)
                hyps = aligned.lines
            checked[str(name)], sides, _ = check_corpus(hyps, sides or all_sides)
            warn_if_file(f"system {name}", checked[str(name)])
        except InputError as error:
            raise error.within(f"system {name}") from None
    warn_if_file("the reference", sides[0])
    segments = [Segment("", str(number)) for number in range(1, len(sides[0]) + 1)]
    ref_names = [f"reference {r}" for r in range(1, len(sides) + 1)]
    sources = None if source is None else texts_of(source, "source")
    if sources is not None and len(sources) != len(segments):
        raise InputError(
            f"the source has {len(sources)} segments, the references {len(segments)};"
            " they must be of the same test set"
        )
    columns = [] if align else [(f"system {name}", hyps) for name, hyps in systems.items()]
    columns += ((f"reference {r}", side) for r, side in enumerate(given, 1))
    corpus = Corpus(
        segments=segments,
        systems=checked,
        refs=sides,
        ref_names=ref_names,
        source=sources,
        alignments=alignments,
        index=common_index([*columns, ("the source", source)]),
    )
    return corpus.unwrap() if unwrap else corpus


def corpus_of_frame(
    frame: Frame,
    systems: str | Sequence[str],
    references: str | Sequence[str],
    source: str | None,
    document: str | None,
) -> Corpus:
    """Return the texts of the columns of a data frame; see `Campaign.from_dataframe`."""
    names, ref_names = (
        [columns] if isinstance(columns, str) else list(columns)
        for columns in (systems, references)
    )
    corpus = corpus_of_lists(
        {name: full_column(frame, name) for name in names},
        reference_columns_of(frame, ref_names),
    )
    segments, sources = corpus.segments, None
    if document is not None:
        in_document = Counter[str]()
        segments = []
        for name in full_column(frame, document, "document"):
            in_document[name] += 1
            segments.append(Segment(name, str(in_document[name])))
    if source is not None:
        sources = full_column(frame, source, "source")
    return replace(corpus, segments=segments, source=sources, index=sequences.index_of(frame))
