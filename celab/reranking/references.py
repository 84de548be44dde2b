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

from celab.analysis.model import SentenceError
from celab.corpus.files import name_of, text_of
from celab.corpus.formats import reader, recognise
from celab.corpus.model import TextFile
from celab.errors import CelabError, InputError
from celab.metrics.base import Metric
from celab.tokens import is_blank


class References:
    """Scores candidates against the references of their segments, which are numbered from 0."""

    def __init__(self, metric: Metric, sides: Sequence[list[str]]) -> None:
        self.sides = sides
        self.n_segments = len(sides[0])
        together = ["".join(texts) for texts in zip(*sides, strict=True)]
        self.score = metric.stream(together, sides)
        # Says what is wrong with them now, and lets an analyser that remembers see them all.
        empty = self.score([""] * self.n_segments, sides)
        self.signature = empty.signature.replace("|script:auto|", "|script:auto-by-refs|")

    def rows(self, segments: Sequence[int], texts: Sequence[str]) -> list[list[float] | CelabError]:
        """A row a candidate, or why there is none; one that fails does not take others along."""
        refs = [[side[s] for s in segments] for side in self.sides]
        try:
            return list(self.score(texts, refs).segments.figures.tolist())
        except CelabError as error:
            if len(texts) == 1:
                return [InputError(error.what) if isinstance(error, SentenceError) else error]
        half = len(texts) // 2
        return [
            *self.rows(segments[:half], texts[:half]),
            *self.rows(segments[half:], texts[half:]),
        ]


def read_references(
    paths: Sequence[str | os.PathLike[str]], encoding: str | None = None
) -> list[list[str]]:
    """One list of lines a file; they agree in number, and no line is blank in all of them."""
    names = [name_of(os.fspath(path)) for path in paths]
    sides = []
    for path, name in zip(paths, names, strict=True):
        file = TextFile(os.fspath(path), name, text_of(path, encoding), "reference")
        plain = reader("plain")
        if recognise(file) is not plain:
            raise InputError(
                f"{name} is not plain text; references must be text files, one segment a line"
            )
        sides.append(plain.read(file)[0].texts)
    for name, side in zip(names, sides, strict=True):
        if len(side) != len(sides[0]):
            raise InputError(
                f"{names[0]} has {len(sides[0])} lines, {name} has {len(side)}; they must agree"
            )
    for line, texts in enumerate(zip(*sides, strict=True), start=1):
        if all(map(is_blank, texts)):
            raise InputError(
                f"line {line} is blank in {' and '.join(names)}; at least one reference must have"
                " text there"
            )
    return sides
