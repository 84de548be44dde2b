"""Rated texts of topics, to learn from: texts are compared only with others of their topic."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from celab.base.arrays import F64, I64
from celab.base.errors import InputError
from celab.base.options import GREATEST
from celab.base.text.sequences import items_of, texts_of
from celab.tables.cells import quantity


class Topics(NamedTuple):
    """Texts, with the rating and the number of the topic of each."""

    texts: list[str]
    ratings: F64
    topic: I64

    @classmethod
    def of(cls, texts: object, ratings: object) -> Topics:
        """Return topics from lists of the texts and of the ratings of each topic.

        >>> Topics.of([["a", "b"], ["c"]], [[3, 1], [2]]).topic.tolist()
        [1, 1, 2]
        """
        of_topics, rated = items_of(texts, "texts"), items_of(ratings, "ratings")
        if len(of_topics) != len(rated):
            raise InputError(
                f"there are texts of {quantity(len(of_topics), 'topic')} and ratings of"
                f" {len(rated)}; they must agree"
            )
        topics = cls([], np.zeros(0), np.zeros(0, np.int64))
        for number, (some, numbers) in enumerate(zip(of_topics, rated, strict=True), 1):
            of_topic = texts_of(some, "text", f"topic {number}")
            values = [_rating(x, number) for x in items_of(numbers, f"ratings of topic {number}")]
            if len(of_topic) != len(values):
                raise InputError(
                    f"topic {number} has {quantity(len(of_topic), 'text')} and"
                    f" {quantity(len(values), 'rating')}; there must be one for each text"
                )
            topics = cls(
                [*topics.texts, *of_topic],
                np.append(topics.ratings, values),
                np.append(topics.topic, np.full(len(values), number)),
            )
        return topics

    def keep(self, places: I64) -> Topics:
        """Return the texts at these indices."""
        texts = [self.texts[place] for place in places.tolist()]
        return Topics(texts, self.ratings[places], self.topic[places])

    def pairs(self) -> I64:
        """Return the indices of higher and lower rated text, for each pair of a topic that differs.

        >>> Topics.of([["a", "b"], ["c"]], [[1, 3], [2]]).pairs().tolist()
        [[1, 0]]
        """
        pairs = [
            (i, j) if self.ratings[i] > self.ratings[j] else (j, i)
            for topic in np.unique(self.topic)
            for i, j in combinations(np.flatnonzero(self.topic == topic).tolist(), 2)
            if self.ratings[i] != self.ratings[j]
        ]
        if not pairs:
            raise InputError("no topic has two texts with different ratings; there must be one")
        return np.array(pairs, np.int64)


def _rating(value: object, topic: int) -> float:
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not is_number or not abs(value) <= GREATEST:  # type: ignore[arg-type]
        raise InputError(
            f"a rating of topic {topic} is {str(value)[:40]!r}; it must be a number from"
            f" {-GREATEST:g} to {GREATEST:g}"
        )
    return float(value)  # type: ignore[arg-type]
