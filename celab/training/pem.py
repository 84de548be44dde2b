"""PEM: paraphrases by meaning, difference and fluency, without a reference (Liu, Dahlmeier and Ng
2010, "PEM: A Paraphrase Evaluation Metric Exploiting Parallel Texts").

    meaning     TESLA-CELAB of the candidate against the source (f = 1); for Chinese with the
                recommended settings, but without their limit of length; with a pivot table, the
                paper's pivot F1 (section 4.3)
    difference  1 - F1 of the bags of all n-grams of 1 to 4 tokens (section 4.5)
    fluency     (1 / n) log10 P by a language model (section 4.4), if one is given

The paper combines the three by support vector regression on human scores; so does a `Pem` with a
model, which `fit` makes. Tokens are TESLA-CELAB's `char` tokens: characters, and whole
words and numbers in Latin letters.

>>> paraphrases = Pem("zh").scores(["买伞"], ["买雨伞"])
>>> round(float(paraphrases.meaning[0]), 4), round(float(paraphrases.difference[0]), 4)
(1.0, 0.5556)
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from celab.base import io
from celab.base.arrays import F64
from celab.base.errors import InputError, OptionError, Setting
from celab.base.json_files import List, Object, ShapeError, Text
from celab.base.languages import language_code
from celab.base.options import GREATEST
from celab.base.signature import Signature
from celab.base.text.escapes import dump_json, escape_controls
from celab.base.text.sequences import check_corpus
from celab.base.text.tokens import cut
from celab.base.version import __version__
from celab.exact import bags
from celab.exact.bags import Units
from celab.lexicon.catalog import LexiconSpec
from celab.metrics.factory import make_metric, resolve
from celab.metrics.language_model import LanguageModel
from celab.metrics.tesla_f import (
    NAMED_MODEL,
    damaged_model,
    describe_models,
    open_models,
    read_model,
)
from celab.pivot.pivot_table import PivotTable, load_table
from celab.trained.regression import SHAPES, Regression

FORMAT = "celab pem 1"
ORDERS = 4
MIN_PARAPHRASES = 20


class Paraphrases(NamedTuple):
    """Figures of each pair; None if the language model, or trained model, is not given."""

    meaning: F64
    difference: F64
    fluency: F64 | None
    score: F64 | None


class Pem:
    """PEM with its settings.

    Parameters:
        lang: language of the texts (default: Chinese).
        lexicon: lexicon of TESLA-CELAB (default: for Chinese that of the recommended settings,
            else that of the language).
        pivot: path of a pivot table, or an open one; meaning is then the paper's pivot F1.
        lm: path of a language model in ARPA format, for fluency.
        model: path of a model that `fit` made, for one score.
        settings: other arguments of `TeslaCelab`, such as jobs.

    >>> import celab
    >>> celab.Pem(lang="zh").scores(["买雨伞"], ["买伞"]).meaning.tolist()
    [1.0]
    """

    def __init__(
        self,
        lang: str | None = None,
        *,
        lexicon: LexiconSpec = "default",
        pivot: io.AnyPath | PivotTable | None = None,
        lm: io.AnyPath | None = None,
        model: io.AnyPath | None = None,
        **settings: object,
    ) -> None:
        code = language_code(lang)
        self._table = pivot if pivot is None or isinstance(pivot, PivotTable) else load_table(pivot)
        if self._table is not None and code not in (None, self._table.about.lang):
            raise OptionError(
                (
                    f"pivot table {self._table.path} is for language {self._table.about.lang!r},"
                    " but ",
                    Setting("lang"),
                    f" is {lang!r}",
                ),
                hint="they must agree",
            )
        self._lm = None if lm is None else LanguageModel(lm)
        if self._table is None:
            # For Chinese, the recommended settings agree better with people on paraphrases, too.
            name = "celab-recommended" if code in (None, "zh") else "celab"
            (view,) = resolve(name, {"f": 1.0, "lang": lang, "lexicon": lexicon} | settings).views
            # Their limit of length is for translations: a paraphrase may well be longer.
            limit = {"length_limit": settings.get("length_limit")}
            self._metric = make_metric("celab", **dict(view) | limit)
        self._model = None if model is None else self._read_model(model)

    @property
    def assumed_language(self) -> str | None:
        """Language of the texts if none was given; None if the pivot table names it."""
        return None if self._table else self._metric.assumed_language

    @property
    def signature(self) -> Signature:
        """Signature to cite with the figures."""
        parts = list(self._features_signature.parts)
        parts += [("model", self._digest[:12])] if self._model else []
        return Signature("pem", [*parts, ("v", __version__)])

    @property
    def _features_signature(self) -> Signature:
        # The features do not depend on the model, and may be those of another version of celab.
        if self._table:
            parts = [("meaning", f"pivot:{self._table.signature_id}")]
        else:
            parts = [("meaning", f"({self._metric.signature.without('v')})")]
        parts.append(("n", str(ORDERS)))
        parts += [("lm", self._lm.signature_id)] if self._lm else []
        return Signature("pem", parts)

    def scores(self, sources: Sequence[str], candidates: Sequence[str]) -> Paraphrases:
        """Return the figures of each candidate as a paraphrase of the source at the same index."""
        hyps, (refs,), _ = check_corpus(candidates, [sources])
        if self._table is None:
            meaning = self._metric.corpus_score(hyps, [refs]).segments.scores
        else:
            pairs = zip(refs, hyps, strict=True)
            meaning = np.array([self._table.f1(*pair) for pair in pairs], np.float64)
        fluency = None if self._lm is None else self._lm.scores(hyps)
        paraphrases = Paraphrases(meaning, _difference(refs, hyps), fluency, None)
        if self._model is None:
            return paraphrases
        return paraphrases._replace(score=self._model.predict(_feature_matrix(paraphrases)))

    def fit(
        self,
        sources: Sequence[str],
        candidates: Sequence[str],
        scores: Sequence[float],
        output: io.AnyPath,
        **settings: Any,
    ) -> Pem:
        """Train a support vector regression on human scores and write its model.

        Returns a `Pem` like this one with the model. Needs scikit-learn (extra: train). `settings`
        are those of `sklearn.svm.SVR` (default: its defaults; the paper does not give C, γ or ε);
        features are first divided by their standard deviations.
        """
        if not isinstance(output, str | os.PathLike):
            raise OptionError(f"output is of type {type(output).__name__}; it must be a path")
        models = describe_models([self._lm] if self._lm else [], output)
        values = _feature_matrix(self.scores(sources, candidates))
        try:
            targets = np.asarray(scores, np.float64)
        except (TypeError, ValueError, OverflowError):
            raise InputError("scores are not numbers; there must be one for each pair") from None
        if not np.isfinite(targets).all() or (np.abs(targets) > GREATEST).any():
            raise InputError(f"a score is not a number from {-GREATEST:g} to {GREATEST:g}")
        if targets.shape != (len(values),) or len(values) < MIN_PARAPHRASES:
            raise InputError(
                f"there are {len(values)} pairs and {targets.size} scores; they must agree, and"
                f" there must be at least {MIN_PARAPHRASES}"
            )
        regression = Regression.fit(values, targets, **settings)
        content = {
            "format": FORMAT,
            "trained_with": self._features_signature,
            "models": models,
            **regression.numbers(),
        }
        io.write(output, dump_json(content))
        trained = copy(self)
        trained._model = trained._read_model(output)
        return trained

    def _read_model(self, path: io.AnyPath) -> Regression:
        content, digest = read_model(path, FORMAT, _MODEL)
        name = os.fspath(path)
        if self._lm is None and content["models"]:
            folder = os.path.dirname(os.path.abspath(path))
            (self._lm,) = open_models(content["models"], folder, name)
        n_features = 3 if self._lm else 2
        try:
            regression = Regression.of(content, n_features)
        except ShapeError as error:
            raise damaged_model(name, str(error)) from None
        if (signature := self._features_signature) != content["trained_with"]:
            raise InputError(
                f"model {name} was trained with {escape_controls(content['trained_with'])}, but"
                f" here it is {signature}; use the same files and settings"
            )
        self._digest = digest
        return regression


_MODEL = Object(
    {
        "format": Text(),
        "trained_with": Text(),
        "models": List(NAMED_MODEL, most=1),
        **SHAPES,
    }
)


def _feature_matrix(paraphrases: Paraphrases) -> F64:
    columns = [paraphrases.meaning, paraphrases.difference, paraphrases.fluency]
    return np.stack([column for column in columns if column is not None], axis=1)


def _difference(sources: Sequence[str], candidates: Sequence[str]) -> F64:
    numbers: dict[str, int] = {}
    x, y = (
        Units.of(
            [
                [numbers.setdefault(token, len(numbers)) for token in cut(text, tokenize="char")]
                for text in texts
            ]
        )
        for texts in (candidates, sources)
    )
    orders = range(1, ORDERS + 1)
    sums = np.sum([bags.match(bags.grams(x, n)[0], bags.grams(y, n)[0]) for n in orders], axis=0)
    matched, n_candidate, n_source = sums.T
    return np.asarray(1 - bags.f_measure(matched, n_candidate, n_source, 0.5).f)
