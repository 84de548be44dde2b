"""CREMER: the responsiveness of summaries, by TESLA-S and DICOMER (Lin, Liu, Ng and Kan 2012,
section 5).

Support vector regression on two features, the score of TESLA-S against the references and the
score of DICOMER. Both are divided by their standard deviations. DICOMER fits the texts that it
learns from better than new ones, so the regression learns from DICOMER scores by weights of other
topics, in five folds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from celab.base.arguments import JsonObject
from celab.base.arrays import F64
from celab.base.errors import InputError
from celab.base.json_files import Anything, Object, ShapeError, Text
from celab.base.options import SEED
from celab.base.run import Progress, split
from celab.base.text.sequences import items_of, texts_of
from celab.base.version import __version__
from celab.metrics.base import Scorer
from celab.metrics.dicomer import Dicomer
from celab.metrics.options import CremerOptions, Kernel
from celab.metrics.scores import Score, Segments
from celab.metrics.tesla_f import damaged_model
from celab.metrics.tesla_s import TeslaS
from celab.metrics.trained_metric import TrainedMetric
from celab.tables.cells import quantity
from celab.trained.ranking import solver_of, split_folds
from celab.trained.regression import KERNEL, SHAPES, Regression
from celab.trained.topics import Topics

MIN_TEXTS = 20  # rated texts
FOLDS = 5


class CremerScorer(Scorer):
    """Scores by the regression, with the scorers of its two features."""

    metric: Cremer

    def _score(self, hyps: list[str], refs: list[list[str]], progress: Progress | None) -> Score:
        values = self.metric.regression.predict(self.metric.figures(hyps, refs, progress))
        return Score.of(Segments(values[None, :, None], "all"), self.signature, len(refs))


@dataclass(frozen=True, eq=False, repr=False)
class Cremer(TrainedMetric, CremerOptions):
    """CREMER with its options, and a model once it is trained.

    A model has language, features and kernel; without one they are options.

    >>> import celab
    >>> celab.Cremer(lang="en").signature.part("kernel")
    'rbf'
    """

    name = "cremer"
    format = "celab cremer 1"
    shape = Object(
        {
            "format": Text(),
            "kernel": KERNEL,
            "trained_with": Text(),
            "dicomer": Dicomer.shape,
            **SHAPES,
        },
        optional={"training": Anything()},
    )
    of_model = ("kernel",)
    scorer_class = CremerScorer

    def __post_init__(self) -> None:
        self._check_arguments()
        self._compute("run", "_model", "dicomer", "options", "tesla_s")
        self._compute("signature", "_regression")

    @cached_property
    def dicomer(self) -> Dicomer:
        """The metric of the second feature, with its model if there is one."""
        settings: dict[str, Any] = {"relations": self.relations, "jobs": self.jobs}
        if self._model is None:
            return Dicomer(lang=self.lang, features=self.features, **settings)
        content = self.content["dicomer"]
        self._check_given(content, ("lang", "features"), self._model.path)
        dicomer = Dicomer(lang=content["lang"], features=content["features"], **settings)
        return dicomer.with_content(content)

    @cached_property
    def tesla_s(self) -> TeslaS:
        """The metric of the first feature."""
        return TeslaS(lang=self.dicomer.language, jobs=self.jobs)

    @cached_property
    def options(self) -> CremerOptions:
        """The options in effect: explicit values, or those of the model."""
        features = self.dicomer.options.features
        return CremerOptions.of(self, features=features, kernel=self._option("kernel"))

    @property
    def language(self) -> str:
        """Language of the texts: the language of the model, or the option."""
        return self.dicomer.language

    def _parts(self) -> list[tuple[str, str]]:
        parts = self.options.signature_parts()
        parts += [
            (name, value)
            for name, value in self.dicomer.signature.parts
            if name in ("relations", "words", "opencc")
        ]
        return [*parts, ("tesla-s", f"({self.tesla_s.signature.without('v')})")]

    @cached_property
    def _regression(self) -> Regression | None:
        """The regression of the model; None before `fit`."""
        return None if self._model is None else _regression(self.content, self._model.path)

    def with_content(self, content: JsonObject) -> Cremer:
        """Return a copy with a model that is not in a file."""
        return self._with_content(
            content,
            dicomer=self.dicomer.with_content(content["dicomer"]),
            _regression=_regression(content, "in memory"),
        )

    @property
    def regression(self) -> Regression:
        """The regression of the model; `OptionError` before `fit`."""
        _ = self.content
        return cast(Regression, self._regression)

    def figures(
        self, texts: list[str], refs: list[list[str]], progress: Progress | None = None
    ) -> F64:
        """Return the scores of texts by TESLA-S and by DICOMER, as columns."""
        shares = iter(split(progress, 2, [1, 1]))
        by_words = self._by_tesla_s(texts, refs, next(shares))
        return np.column_stack((by_words, self.dicomer.values(texts, next(shares))))

    def _by_tesla_s(
        self, texts: list[str], refs: list[list[str]], progress: Progress | None = None
    ) -> F64:
        return self.tesla_s.scorer(refs)._score(texts, refs, progress).segments.scores

    def fit(
        self,
        texts: Sequence[Sequence[str]],
        references: Sequence[str | Sequence[str]],
        ratings: Sequence[Sequence[float]],
        **settings: Any,
    ) -> Cremer:
        """Learn both models, and return the metric with them.

        Needs scikit-learn (extra: train).

        Parameters:
            texts: the texts of each topic.
            references: the reference of each topic, or a list of them.
            ratings: a number for each text; more is better.
            settings: arguments of `sklearn.svm.SVR`.
        """
        return self.fit_topics(Topics.of(texts, ratings), _references(references), **settings)

    def fit_topics(
        self, topics: Topics, references: Sequence[list[str]], **settings: Any
    ) -> Cremer:
        """Learn both models from `Topics` and the references of each topic."""
        solver_of("SVR")  # an error at once if it is not installed
        n_topics = len(np.unique(topics.topic))
        if len(references) < topics.topic.max():
            raise InputError(
                f"there are references of {len(references)} topics and texts of"
                f" {topics.topic.max()}; they must agree"
            )
        if len(topics.texts) < MIN_TEXTS or n_topics < 2:
            raise InputError(
                f"there are {len(topics.texts)} rated texts of {quantity(n_topics, 'topic')};"
                f" training needs at least {MIN_TEXTS} texts of 2 topics"
            )
        n_refs = max(map(len, references))
        refs = [
            [
                of_topic[r] if r < len(of_topic) else ""
                for of_topic in (references[number - 1] for number in topics.topic.tolist())
            ]
            for r in range(n_refs)
        ]
        values = np.column_stack((self._by_tesla_s(topics.texts, refs), np.zeros(len(refs[0]))))
        for fold in split_folds(topics.topic, FOLDS, np.random.default_rng(SEED)):
            rest = np.setdiff1d(np.arange(len(topics.texts)), fold)
            learnt = self.dicomer.fit_topics(topics.keep(rest))
            values[fold, 1] = learnt.values(topics.keep(fold).texts)
        kernel = cast(Kernel, self.options.kernel)
        regression = Regression.fit(values, topics.ratings, kernel, **settings)
        dicomer = self.dicomer.fit_topics(topics)
        content: JsonObject = {
            "format": self.format,
            "kernel": kernel,
            "trained_with": self.trained_with(),
            "training": {"celab": __version__, "topics": n_topics, "texts": len(topics.texts)},
            **regression.numbers(),
            "dicomer": dicomer.content,
        }
        return self.with_content(content)


def _references(references: object) -> list[list[str]]:
    return [
        [of_topic] if isinstance(of_topic, str) else texts_of(of_topic, "reference", f"topic {n}")
        for n, of_topic in enumerate(items_of(references, "references"), 1)
    ]


def _regression(content: JsonObject, path: str) -> Regression:
    try:
        return Regression.of(content, 2, content["kernel"])
    except ShapeError as error:
        raise damaged_model(path, str(error)) from None
