"""A metric and the references of a test set, loaded once; candidates of any segment, at any time.

In goes a segment's number with a text, out comes a row: score, precision and recall, or the score
alone of a metric that has no more. The scores are those of `Metric.corpus_score`, but for
`script="auto"`. There the side of the hypotheses is looked at as a whole; here candidates come by
the handful, and none of them may turn the decision for the others. So it is made once, for all: if
the references, taken together, are Traditional, then candidates are made Simplified, as these are;
else candidates stay as they are. The signature says `script:auto-by-refs`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from celab.analysis.model import SentenceError
from celab.corpus.files import lines_of, name_of, text_of
from celab.corpus.formats import recognise
from celab.corpus.model import TextFile
from celab.errors import CelabError, InputError, SolverError
from celab.metrics.base import Metric
from celab.options import LIMITS, Limits
from celab.reranking.requests import MOST_BYTES, parsed
from celab.tokens import is_blank

Row = list[float] | CelabError  # figures, or why there are none


class LoadedReferences:
    """Scores candidates against the references of their segments, counted from `first`."""

    def __init__(self, metric: Metric, sides: Sequence[list[str]], first: int = 0) -> None:
        self.sides, self.first = sides, first
        # Requests hardly ever ask for the same segments together again, so none are kept.
        self.score = replace(metric.stream(None, sides), keeps=False)
        # Says what is wrong with them now, and lets an analyser that remembers see them all.
        self.signature = self.score([""] * len(sides[0]), sides).signature

    def answers(self, lines: Sequence[bytes], most: int = MOST_BYTES) -> list[Row]:
        """For each line of requests its row; one of more than `most` bytes is in error."""
        rows: list[Row] = []
        places, segments, texts = [], [], []
        for place, line in enumerate(lines):
            try:
                segment, text = parsed(line, len(self.sides[0]), self.first, most)
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
        """A row a candidate, by segment from 0; one that fails does not take others along."""
        if not texts:
            return []
        refs = [[side[s] for s in segments] for side in self.sides]
        try:
            return list(self.score(texts, refs).segments.figures.tolist())
        except CelabError as error:
            if len(texts) == 1:  # so that no number of a sentence or segment is of use
                if isinstance(error, SentenceError):
                    return [InputError(error.what)]
                if isinstance(error, SolverError):
                    return [SolverError(str(error).removeprefix("segment 1, "))]
                return [error]
        half = len(texts) // 2
        return self.rows(segments[:half], texts[:half]) + self.rows(segments[half:], texts[half:])


def read_references(
    paths: Sequence[str | os.PathLike[str]],
    encoding: str | None = None,
    limits: Limits = LIMITS,
) -> list[list[str]]:
    """One list of lines a file; they agree in number, and no line is blank in all of them."""
    names = [name_of(os.fspath(path)) for path in paths]
    sides = []
    for path, name in zip(paths, names, strict=True):
        file = TextFile(os.fspath(path), name, text_of(path, encoding, limits), "reference")
        if recognise(file) != "plain":
            raise InputError(
                f"{name} is not plain text; references must be text files, one segment a line"
            )
        sides.append(lines_of(file.text))
        if len(sides[-1]) != len(sides[0]):
            raise InputError(
                f"{names[0]} has {len(sides[0])} lines, {name} has {len(sides[-1])};"
                " they must agree"
            )
    for line, texts in enumerate(zip(*sides, strict=True), start=1):
        if all(map(is_blank, texts)):
            raise InputError(
                f"line {line} is blank in {' and '.join(names)}; at least one reference must have"
                " text there"
            )
    return sides
