"""Texts in lists or data frames → the texts of a campaign."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from celab.base.errors import InputError
from celab.corpus import Corpus, Segment
from celab.corpus.frames import Frame, full_column, reference_columns_of
from celab.documents.alignment import Alignment
from celab.documents.alignment import align as cut
from celab.metrics.checks import Refs, check_corpus, sides_of


def corpus_of_lists(
    systems: Mapping[str, Sequence[str]],
    refs: Refs | Sequence[str | None],
    *,
    align: bool = False,
) -> Corpus:
    """Return the texts of systems and references; see `Campaign.from_lists`."""
    if not isinstance(systems, Mapping):
        raise InputError(
            f"systems is of type {type(systems).__name__}; it must be a dict of lists, such as"
            " {'A': ['买伞']}"
        )
    if not systems:
        raise InputError("no system is given; there must be at least one")
    all_sides = sides_of(refs)
    checked: dict[str, list[str]] = {}
    sides: list[list[str]] = []
    alignments: dict[str, Alignment] = {}
    for name, hyps in systems.items():
        try:  # the references are checked only once
            if align:
                alignments[str(name)] = aligned = cut(hyps, _texts(all_sides))
                hyps = aligned.lines
            checked[str(name)], sides = check_corpus(hyps, sides or all_sides)
        except InputError as error:
            raise error.within(f"system {name}") from None
    segments = [Segment("", str(number)) for number in range(1, len(sides[0]) + 1)]
    ref_names = [f"reference {r}" for r in range(1, len(sides) + 1)]
    return Corpus(segments, checked, sides, ref_names, alignments=alignments)


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
    return replace(corpus, segments=segments, source=sources)


def _texts(sides: Sequence[Sequence[str | None]]) -> list[list[str]]:
    """Return the references, with "" for a segment that is absent."""
    return [["" if text is None else str(text) for text in side] for side in sides]
