"""A metric and the references of a test set, loaded once; candidates of any segment, at any time.

A segment's number and a text give a row: score, precision and recall, or only the score if the
metric has no more. The scores are those of `Metric.corpus_score`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from celab.base import io
from celab.base.errors import CelabError, InputError, SentenceError, SolverError, warn
from celab.base.options import LIMITS, Limits
from celab.corpus.formats import recognize
from celab.corpus.join import blank_line_error, blank_rows, check_counts
from celab.corpus.model import TextFile
from celab.corpus.text_warnings import plain_text_warning, texts_warning
from celab.family.reranking.protocol import MOST_BYTES, parse_request
from celab.metrics.base import Metric

Row = list[float] | CelabError  # figures, or the error


class LoadedReferences:
    """Scores candidates against the references of their segments, counted from `first`."""

    def __init__(self, metric: Metric, sides: Sequence[list[str]], first: int = 0) -> None:
        self.sides, self.first = sides, first
        # Requests rarely repeat the same batch of segments, so caching them does not pay.
        self.score = metric.scorer(sides, keep=False)
        # Fail early on invalid references, and fill the cache of the analyzer.
        self.signature = self.score([""] * len(sides[0]), sides).signature

    def answers(self, lines: Sequence[bytes], most: int = MOST_BYTES) -> list[Row]:
        """Return a row for each request; a line of more than `most` bytes is an error."""
        rows: list[Row] = []
        places, segments, texts = [], [], []
        for place, line in enumerate(lines):
            try:
                segment, text = parse_request(line, len(self.sides[0]), self.first, most)
            except InputError as error:
                rows.append(error)
                continue
            rows.append([])
            places.append(place)
            segments.append(segment)
            texts.append(text)
        for place, row in zip(places, self.rows(segments, texts), strict=True):
            rows[place] = row
        return rows

    def rows(self, segments: Sequence[int], texts: Sequence[str]) -> list[Row]:
        """Return a row for each candidate; segments count from 0, failures do not affect others."""
        if not texts:
            return []
        refs = [[side[s] for s in segments] for side in self.sides]
        try:
            return list(self.score(texts, refs).segments.figures.tolist())
        except CelabError as error:
            if len(texts) == 1:  # the error's sentence or segment number would only be 1
                if isinstance(error, SentenceError):
                    return [InputError(error.what)]
                if isinstance(error, SolverError):
                    place = error.place.removeprefix("segment 1, ")
                    return [SolverError(error.message, hint=error.hint, place=place)]
                return [error]
        half = len(texts) // 2
        return self.rows(segments[:half], texts[:half]) + self.rows(segments[half:], texts[half:])


def read_references(
    paths: Sequence[str | os.PathLike[str]],
    encoding: str | None = None,
    limits: Limits = LIMITS,
) -> list[list[str]]:
    """Read the lines of each file; all must have as many, and none may be blank in all files."""
    names = [io.display_name(path) for path in paths]
    sides = []
    for path, name in zip(paths, names, strict=True):
        file = TextFile(os.fspath(path), name, io.read_text(path, encoding, limits), "reference")
        if recognize(file) != "plain":
            raise InputError(
                f"{name} is not plain text; references must be text files, one segment per line"
            )
        io.refuse_lone_cr(file.text, name)
        sides.append(io.split_lines(file.text))
        warning = plain_text_warning(
            file.path, name, file.text, "give a text file with one segment per line"
        )
        if warning := warning or texts_warning(name, sides[-1]):
            warn(warning)
    check_counts([*zip(names, map(len, sides), strict=True)], "line")
    if blank := blank_rows(sides):
        raise blank_line_error(f"line {blank[0] + 1}", names)
    return sides
