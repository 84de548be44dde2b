"""Tuning: n-best lists with features, and references → the weights that score best.

Every candidate is scored against the references of its sentence, as `celab stream` does, equal
texts once. `celab.statistics.mert` finds the weights for which the chosen candidates score best.

Sentences belong to lines of the references: by their ids, counted from 0, if these are whole
numbers, else in the order in which they come. Several files may have candidates of the same
sentence, as after several rounds of decoding.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from celab.base.arguments import JsonObject
from celab.base.arrays import F64, I64
from celab.base.errors import InputError, OptionError, SentenceError, Setting, SolverError
from celab.base.run import Progress, batches
from celab.base.signature import Signature
from celab.base.text.sequences import Refs, sides_of, texts_of
from celab.base.text.tokens import cut
from celab.metrics.base import Metric
from celab.metrics.factory import make_only_metric
from celab.metrics.registry import digits_of, title_of
from celab.nbest.nbest import (
    Candidate,
    NBest,
    Sentence,
    Weights,
    check_weights,
    features_of,
    location,
    ordered_values,
    sentences_of,
    totals,
)
from celab.nbest.references import LoadedReferences, read_references
from celab.statistics.mert import Lists, search
from celab.statistics.resampling import SEED, Aggregate
from celab.tables.result import Result
from celab.tables.table import COUNT, DELTA, NAME, SCORE, TEXT, Column, Part, Table
from celab.tables.view import Detail, Line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N_RESTARTS = 10
MAX_RESTARTS = 10_000
# The time of a round grows with the square of the number of features: 20 short lists of 10
# candidates take 1 s with 20 features, and 12 s with 200.
MAX_FEATURES = 200
_MAX_CANDIDATES_AT_ONCE = 8192
_WEIGHTS = [
    Column("feature", NAME, itemgetter(0), "feature"),
    Column("weight", DELTA, itemgetter(1), "weight", digits=6),
]
_ROUNDS = [
    Column("", COUNT, itemgetter(0), "start"),
    Column("", COUNT, itemgetter(1), "round"),
    Column("", SCORE, itemgetter(2), "score"),
]


def _choice_table(choices: Mapping[str, Choice], metric: str, digits: int) -> Table:
    columns = [
        Column(" ", TEXT, itemgetter(0), "choice"),
        Column(metric, SCORE, lambda row: row[1].score, "score"),
        Column("tokens", SCORE, lambda row: row[1].length, "length", digits=2),
    ]
    return Table(name="choice", columns=columns, rows=[*choices.items()], digits=digits)


@dataclass(frozen=True, slots=True)
class Choice(Result):
    """A choice of one translation per sentence: its score, and its mean number of tokens."""

    score: float
    length: float

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield score and length."""
        yield _choice_table({"": self}, "score", 4)


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Tuned(Result):
    """Weights of features, and what they gain.

    Attributes:
        weights: weight of each feature; their absolute values sum to 1.
        before: score and length of the first candidates.
        after: score and length of the candidates that the weights choose.
        reference_length: mean number of tokens of the references.
        signature: signature of the metric.
        history: the score before and after each round, for each start; the first start has equal
            weights or `initial`.
        best: index of the start with the best score.
    """

    weights: dict[str, float]
    before: Choice
    after: Choice
    reference_length: float
    signature: Signature
    n_sentences: int
    n_candidates: int
    seed: int
    restarts: int
    iterations: int  # rounds of the best start
    best: int
    history: list[list[float]] = field(compare=False)

    def choose(self, nbest: NBest) -> list[str]:
        """Return the candidates that the weights choose; of equal ones the first."""
        return [best(sentence, self.weights).text for sentence in sentences_of(nbest)]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the score of each start by round with matplotlib; return the axes."""
        from celab.report.plots import plot_tuned

        return plot_tuned(self, ax)

    def facts(self) -> JsonObject:
        """Return what was tuned on, and which start and round were the best."""
        names = (
            *("reference_length", "signature", "n_sentences", "n_candidates", "seed", "restarts"),
            *("iterations", "best"),
        )
        return {name: getattr(self, name) for name in names}

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield the weights, what they gain, and for programs the score after each round."""
        yield Table(name="weight", columns=_WEIGHTS, rows=[*self.weights.items()])
        choices = {"first candidates": self.before, "chosen by the weights": self.after}
        yield _choice_table(choices, self.metric, digits_of(self.signature.name))
        rounds = [
            (start, number, score)
            for start, scores in enumerate(self.history)
            for number, score in enumerate(scores)
        ]
        yield Table(name="round", columns=_ROUNDS, rows=rounds)
        yield [Line((self.signature,), "signature")]

    @property
    def metric(self) -> str:
        """Name of the metric."""
        return title_of(self.signature)

    def __repr__(self) -> str:
        return (
            f"<Tuned by {self.metric}: {self.before.score:.4f} → {self.after.score:.4f},"
            f" features: {', '.join(self.weights)}>"
        )


def best(sentence: Sentence, weights: Weights) -> Candidate:
    """Return the candidate with the greatest weighted sum; of equal ones the first."""
    sums = totals(sentence, weights)
    return sentence.candidates[sums.index(max(sums))]


def tune(
    nbest: NBest,
    refs: str | os.PathLike[str] | Refs | Sequence[str],
    metric: str | Metric = "celab",
    *,
    restarts: int = N_RESTARTS,
    seed: int = SEED,
    initial: Weights | None = None,
    progress: Progress | None = None,
    **settings: object,
) -> Tuned:
    """Tune the weights of the features of n-best lists (minimum error rate training).

    Parameters:
        nbest: path of a file of n-best lists, several of them, or, for each sentence, a list of
            candidates, each a text and a dict of features.
        refs: path of a text file, a list of sentences, or a list of such lists.
        metric: name of a metric (celab, tesla-m, bleu, chrf, chrf++, ter), or a metric.
        restarts: number of random starts.
        seed: random seed.
        initial: weights to start from (default: equal weights, relative to the features' ranges).
        progress: callback, called with (done, total), which count distinct candidates.
        settings: arguments of a metric that is given by name, such as lang, lexicon and jobs.

    >>> import celab
    >>> lists = [[("卖伞", {"lm": -1.0}), ("买伞", {"lm": -2.0})]]
    >>> celab.tune(lists, ["买雨伞"])
    <Tuned by TESLA-CELAB: 0.4815 → 1.0000, features: lm>
    """
    for name, value in (("restarts", restarts), ("seed", seed)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise OptionError(name, value, "it must be a whole number of 0 or more")
    if restarts > MAX_RESTARTS:
        raise OptionError("restarts", restarts, f"it must be at most {MAX_RESTARTS}")
    scorer = make_only_metric(metric, **settings)
    if isinstance(refs, str | os.PathLike):
        sides = read_references([refs])
    else:
        sides = [texts_of(side, "reference", absent=True) for side in sides_of(refs)]
    rows = _rows(sentences_of(nbest), sides)
    names, values = _features(rows)
    start = np.ones(len(names))
    if initial is not None:
        weights = check_weights(initial, "initial weights")
        start = np.array(
            ordered_values(weights, names, "initial weights", "give those of the lists")
        )
    scored, aggregate, signature = _statistics(scorer, rows, sides, progress)
    lists = Lists(values, scored, aggregate, 1 if scorer.higher_is_better else -1)
    if not lists.ranges.any():
        raise InputError(
            "no feature differs between the candidates of any sentence; there is nothing to tune"
        )
    if initial is None:
        start = np.divide(start, lists.ranges, out=np.zeros_like(start), where=lists.ranges > 0)
    starts = search(lists, [start], restarts, seed, scorer.scale)
    ends = [lists.sign * round(start.history[-1], 10) for start in starts]
    best_start = starts[number := ends.index(max(ends))]
    chosen = lists.products(best_start.weights).argmax(axis=1)
    return Tuned(
        weights=dict(zip(names, best_start.weights.tolist(), strict=True)),
        before=_choice(lists, rows, np.zeros_like(chosen)),
        after=_choice(lists, rows, chosen),
        reference_length=_length([ref for side in sides for ref in side if ref.strip()]),
        signature=signature,
        n_sentences=len(rows),
        n_candidates=sum(map(len, rows)),
        seed=seed,
        restarts=restarts,
        iterations=len(best_start.history) - 1,
        best=number,
        history=[start.history for start in starts],
    )


_Row = list[tuple[Sentence, Candidate]]  # the candidates of a line of the references


def _rows(sentences: Sequence[Sentence], sides: Sequence[Sequence[str]]) -> list[_Row]:
    n = len(sides[0])
    for side in sides:
        if len(side) != n:
            raise InputError(
                f"the references have {n} and {len(side)} lines; all must have the same number"
            )
    ids = list(dict.fromkeys(sentence.id for sentence in sentences))
    numbered = all(isinstance(id, int) for id in ids)
    rows: list[_Row] = [[] for _ in range(n)]
    for sentence in sentences:
        at = int(sentence.id) if numbered else ids.index(sentence.id)
        if not 0 <= at < n:
            where = f"{sentence.where}: " if sentence.where else ""
            which = f"ids must be 0 to {n - 1}" if numbered else f"there are {len(ids)} sentences"
            raise InputError(
                f"{where}sentence {sentence.id} has no reference; the references have {n}"
                f" line{'s' if n != 1 else ''}, and {which}"
            )
        rows[at] += [(sentence, candidate) for candidate in sentence.candidates]
    if empty := [at for at, row in enumerate(rows) if not row]:
        many = f" and {len(empty) - 1} more" if len(empty) > 1 else ""
        raise InputError(
            f"the n-best lists have no candidates for sentence {empty[0]}{many}; each of the {n}"
            " lines of the references needs some"
        )
    return rows


def _features(rows: Sequence[_Row]) -> tuple[list[str], F64]:
    """Return the names, and features × sentences × candidates; short lists repeat their first."""
    first = rows[0][0]
    names = list(features_of(*first))
    if len(names) > MAX_FEATURES:
        raise InputError(
            f"{location(*first)}: {len(names):,} features; minimum error rate training takes"
            f" {MAX_FEATURES} at most, leave out sparse features"
        )
    more = ", ..." if len(names) > 5 else ""
    why = f"{location(*first)} has {len(names)}: {', '.join(names[:5])}{more}"
    values = np.empty((len(rows), max(map(len, rows)), len(names)))
    for at, row in enumerate(rows):
        for k, candidate in enumerate(row):
            values[at, k] = ordered_values(
                features_of(*candidate), names, location(*candidate), why
            )
        values[at, len(row) :] = values[at, 0]
    return names, np.ascontiguousarray(np.moveaxis(values, 2, 0))


def _statistics(
    metric: Metric, rows: Sequence[_Row], sides: list[list[str]], progress: Progress | None
) -> tuple[F64, Aggregate, Signature]:
    """Return the statistics of all candidates, padded like the features; texts are scored once."""
    loaded = LoadedReferences(metric.with_run(on_error="skip"), sides)
    keys = dict.fromkeys(
        (at, candidate.text) for at, row in enumerate(rows) for _, candidate in row
    )
    number = {key: k for k, key in enumerate(keys)}
    texts, parts = list(keys), []

    def where(k: int) -> str:
        at, text = texts[k]
        return location(*next(entry for entry in rows[at] if entry[1].text == text))

    for batch in batches(len(texts), _MAX_CANDIDATES_AT_ONCE):
        pairs = texts[batch]
        try:
            scored = loaded.score(
                [text for _, text in pairs], [[side[at] for at, _ in pairs] for side in sides]
            )
        except SentenceError as error:
            raise InputError(f"{where(batch.start + error.sentence - 1)}: {error.what}") from None
        parts.append(scored.statistics)
        if progress is not None:
            progress(batch.stop, len(texts))
    statistics = np.concatenate(parts)
    if len(unproved := np.flatnonzero(np.isnan(statistics).any(axis=1))):
        raise SolverError(
            "the score is not proved",
            place=where(int(unproved[0])),
            hint=("give a longer ", Setting("time_limit")),
        )
    places = np.zeros((len(rows), max(map(len, rows))), np.int64)
    for at, row in enumerate(rows):
        numbers = [number[at, candidate.text] for _, candidate in row]
        places[at] = numbers[0]
        places[at, : len(row)] = numbers
    return statistics[places], scored.aggregate, loaded.signature


def _choice(lists: Lists, rows: Sequence[_Row], chosen: I64) -> Choice:
    texts = [row[k][1].text for row, k in zip(rows, chosen.tolist(), strict=True)]
    return Choice(lists.score(chosen), _length(texts))


def _length(texts: Sequence[str]) -> float:
    return sum(len(cut(text, tokenize="char")) for text in texts) / len(texts)
