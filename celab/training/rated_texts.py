"""Models of DICOMER and CREMER from folders with human judgments.

The outputs of all systems for a segment are the texts of a topic; where docs.tsv says the
documents, an output is the lines of a document, and its rating the mean of theirs. Texts without a
rating are left out. The consistency on held-out texts comes from folds of topics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from celab.agreement import dataset, layout
from celab.base import io
from celab.base.arguments import JsonObject
from celab.base.arrays import F64
from celab.base.errors import InputError, Setting
from celab.base.messages import warn
from celab.base.options import LIMITS, SEED
from celab.base.text.scripts import script_warnings
from celab.corpus import Segment
from celab.metrics.cremer import Cremer
from celab.metrics.dicomer import Dicomer
from celab.people.score_files import table_lines
from celab.tables.cells import quantity
from celab.trained.ranking import Consistency, split_folds
from celab.trained.relations import split_sentences
from celab.trained.topics import Topics

RATING = "score"  # the column of human-seg.tsv
_NO_RATINGS = ("system", "segment", "judge", "n_ratings")


@dataclass(frozen=True, slots=True)
class RatedTexts:
    """Texts with ratings, and the references of each topic."""

    topics: Topics
    references: list[list[str]]

    @property
    def refs(self) -> list[list[str]]:
        """Lists with the reference of each text, one list for each reference."""
        of_texts = [self.references[number - 1] for number in self.topics.topic.tolist()]
        n_refs = max(map(len, self.references))
        return [[refs[r] if r < len(refs) else "" for refs in of_texts] for r in range(n_refs)]


@dataclass(frozen=True, slots=True)
class TrainedOnTexts:
    """A metric with its model, and how often it orders held-out texts as people do, if known."""

    metric: Dicomer | Cremer
    held_out: Consistency | None


def train(
    folders: Sequence[io.AnyPath],
    metric: Dicomer | Cremer,
    *,
    output: io.AnyPath,
    rating: str = RATING,
    refs: Sequence[str] | None = None,
    count_from: int | None = None,
    folds: int = 5,
    seed: int = SEED,
) -> TrainedOnTexts:
    """Learn from the texts of folders, and write the model.

    Parameters:
        folders: data sets with human judgments of segments, in the layouts of `celab meta`.
        metric: the metric, without a model.
        output: path of the model, written atomically.
        rating: the column of human-seg.tsv that has the ratings.
        refs: names of references (default: as `celab meta`).
        count_from: as in `celab.agreement.meta.evaluate`.
        folds: number of folds, of topics.
        seed: random seed of the folds.
    """
    io.check_no_input(output, [path for folder in folders for path in layout.files_in(folder)])
    sets: list[JsonObject] = []
    topics, references = Topics([], np.zeros(0), np.zeros(0, np.int64)), list[list[str]]()
    for folder in folders:
        rated, name = _read(folder, rating, refs, count_from)
        numbers = rated.topics.topic + len(references)
        topics = Topics(
            topics.texts + rated.topics.texts,
            np.append(topics.ratings, rated.topics.ratings),
            np.append(topics.topic, numbers),
        )
        references += rated.references
        n_topics = len(np.unique(numbers))
        sets.append({"name": name, "topics": n_topics, "texts": len(numbers), "rating": rating})
        warn(*script_warnings(metric.language, [(name, rated.topics.texts)]))
        n_short = sum(len(split_sentences(text)) < 2 for text in rated.topics.texts)
        if 2 * n_short > len(numbers):
            warn(
                f"{name}: {n_short} of {quantity(len(numbers), 'text')} have one sentence or none,"
                " and so no transition to learn from"
            )
    rated = RatedTexts(topics, references)
    fitted = _fit(metric, rated)
    held_out = _held_out(metric, rated, folds, np.random.default_rng(seed))
    more: JsonObject = {"sets": sets, "folds": folds, "seed": seed}
    more["held_out"] = None if held_out is None else held_out._asdict()
    content = fitted.content
    fitted = fitted.with_content(content | {"training": content["training"] | more})
    fitted.save(output)
    return TrainedOnTexts(fitted, held_out)


def _fit(metric: Dicomer | Cremer, rated: RatedTexts) -> Dicomer | Cremer:
    if isinstance(metric, Cremer):
        return metric.fit_topics(rated.topics, rated.references)
    return metric.fit_topics(rated.topics)


def _held_out(
    metric: Dicomer | Cremer, rated: RatedTexts, folds: int, rng: np.random.Generator
) -> Consistency | None:
    """Return the consistency on held-out topics; None if there are too few."""
    topics = rated.topics
    if len(np.unique(topics.topic)) < 2:
        return None
    values: F64 = np.zeros(len(topics.texts))
    for fold in split_folds(topics.topic, folds, rng):
        kept = topics.keep(np.setdiff1d(np.arange(len(values)), fold))
        held = RatedTexts(topics.keep(fold), rated.references)
        try:
            learnt = _fit(metric, replace(rated, topics=kept))
        except InputError:  # too few texts, or no pair, are left
            return None
        values[fold] = learnt.scorer(held.refs)(held.topics.texts, held.refs).segments.scores
    better, worse = topics.pairs().T
    return Consistency.of(values[better] - values[worse])


def _read(
    folder: io.AnyPath, rating: str, refs: Sequence[str] | None, count_from: int | None
) -> tuple[RatedTexts, str]:
    """Return the rated texts of a folder, and its name."""
    _check_column(folder, rating, refs)
    judged = dataset.read(folder, refs, count_from=count_from, rating=rating)
    corpus, ratings = judged.corpus, judged.people.segments
    documents = judged.all_labels().get("document")
    if documents is not None:
        named = zip(corpus.segments, documents, strict=True)
        segments = [Segment(document, segment.id) for segment, document in named]
        corpus = replace(corpus, segments=segments).join_documents()
        order = {segment.document: k for k, segment in enumerate(corpus.segments)}
        place = np.array([order[document] for document in documents])
        means = [ratings[:, place == k].mean(axis=1) for k in range(len(order))]
        ratings = np.stack(means, axis=1)
    systems, numbers = np.nonzero(~np.isnan(ratings))
    if not len(systems):
        raise InputError(f"{judged.name} has no rated text; human-seg.tsv must have ratings")
    by_system = list(corpus.systems.values())
    order_of_topics = np.lexsort((systems, numbers))
    systems, numbers = systems[order_of_topics], numbers[order_of_topics]
    pairs = zip(systems.tolist(), numbers.tolist(), strict=True)
    topics = Topics(
        [by_system[system][number] for system, number in pairs],
        ratings[systems, numbers],
        (numbers + 1).astype(np.int64),
    )
    references = [
        [text for text in texts if text.strip()] for texts in zip(*corpus.refs, strict=True)
    ]
    return RatedTexts(topics, references), judged.name


def _check_column(folder: io.AnyPath, rating: str, refs: Sequence[str] | None) -> None:
    """Raise `InputError` if human-seg.tsv has no column of that name."""
    files = layout.find(folder, refs)
    path = files.tables.get("human-seg.tsv")
    if path is None:
        raise InputError(f"{io.display_name(folder)} has no human-seg.tsv with ratings of texts")
    if files.separator is None:  # it has no header
        return
    header = [cell.lower() for _, cells in table_lines(path, LIMITS)[:1] for cell in cells]
    if rating not in header:
        others = [name for name in header if name not in _NO_RATINGS]
        hint = ("choose one of them, such as ", Setting("rating", others[0])) if others else ""
        message = f"{path} has the columns {', '.join(header)}; none is {rating}"
        raise InputError(message, hint=hint)
