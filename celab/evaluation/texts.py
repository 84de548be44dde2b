"""Texts in lists or data frames → the texts of a campaign."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from celab.base.errors import InputError
from celab.base.text.sequences import (
    Refs,
    check_corpus,
    column_names,
    sides_of,
    texts_of,
    warn_if_file,
)
from celab.corpus import Corpus, Segment
from celab.corpus.align.alignment import Alignment
from celab.corpus.align.alignment import align as cut
from celab.corpus.frames import Frame, full_column, reference_columns_of


def corpus_of_lists(
    systems: Mapping[str, Sequence[str]],
    refs: Refs | Sequence[str | None],
    source: Sequence[str] | None = None,
    *,
    align: bool = False,
    unwrap: bool = False,
) -> Corpus:
    """Return the texts of systems and references; see `Campaign.from_lists`."""
    if not isinstance(systems, Mapping) and column_names(systems) is not None:
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
    all_sides = [
        side
        if isinstance(side, str)
        else texts_of(side, "reference", f"reference {r}", absent=True)
        for r, side in enumerate(sides_of(refs), 1)
    ]
    checked: dict[str, list[str]] = {}
    sides: list[list[str]] = []
    alignments: dict[str, Alignment] = {}
    for name, hyps in systems.items():
        try:  # the references are checked only once
            if align:
                alignments[str(name)] = aligned = cut(hyps, all_sides)
                hyps = aligned.lines
            checked[str(name)], sides = check_corpus(hyps, sides or all_sides)
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
    corpus = Corpus(segments, checked, sides, ref_names, sources, alignments=alignments)
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
    return replace(corpus, segments=segments, source=sources)
