"""TESLA-F: a weighted sum of the figures of other metrics and of language models (Dahlmeier, Liu
and Ng 2011, "TESLA at WMT 2011: Translation Evaluation and Tunable Metric", section 4).

The score of a segment is w · f, mapped to [0, 1]: f are F, precision, recall or scores, each from 0
to 1, and scores of language models, from -15 to 0; with the weights w, the smallest and the
greatest w · f of that box become 0 and 1 (section 4.1). `celab train` learns the weights from human
judgments and writes the model, a JSON file that names all metrics, tables and language models with
their digests. See docs/other-metrics.md.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self, cast

import numpy as np

from celab.base import io
from celab.base.arguments import Arguments, JsonObject
from celab.base.arrays import F64, Bools
from celab.base.errors import InputError, OptionError, Setting
from celab.base.json_files import (
    Anything,
    Dictionary,
    JsonError,
    List,
    Number,
    Object,
    Optional,
    ShapeError,
    Text,
    check,
    read_json,
)
from celab.base.options import complete, copy_with
from celab.base.run import Progress, Run, RunOptions, split
from celab.base.signature import Signature
from celab.base.text.escapes import escape_controls
from celab.base.text.sequences import Refs
from celab.base.text.tokens import is_blank
from celab.base.version import __version__
from celab.exact.weights import NAMES
from celab.lexicon.catalog import EXTERNAL_LEXICONS, bundled_names
from celab.lexicon.grades import PARTS
from celab.metrics.bag_scorer import BagScorer
from celab.metrics.base import Metric, Scorer
from celab.metrics.celab import TeslaCelab
from celab.metrics.language_model import MIN_SCORE, DigestError, LanguageModel
from celab.metrics.mean import Mean
from celab.metrics.options import TeslaFData
from celab.metrics.registry import METRICS, arguments_of, metric_class
from celab.metrics.scores import Score, Segments

FORMAT = "celab tesla-f 1"
# Metrics whose figures can be features: those without a model, which have a scale. A model has the
# settings of a preset, not its name.
FEATURE_METRICS = tuple(
    name
    for name, entry in METRICS.items()
    if not issubclass(entry.data, TeslaFData) and not entry.preset
)


@dataclass(frozen=True, slots=True)
class FeatureSource:
    """A metric and which of its figures are features: precision and recall, F, or the score."""

    metric: Metric
    figures: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name that the metric's signature begins with."""
        return self.metric.signature.name

    def names(self, n: int) -> list[str]:
        """Return the names of its `n` features."""
        if isinstance(self.metric, TeslaCelab):
            return [f"celab n:{self.metric.options.max_order} {figure}" for figure in self.figures]
        return [f"{self.name} f{k}" for k in range(1, n + 1)] if n > 1 else [self.name]

    def values(
        self, scorer: Scorer, hyps: list[str], refs: list[list[str]], progress: Progress | None
    ) -> tuple[F64, Bools]:
        """Return the features of each segment, from 0 to 1, and which segments have them."""
        if isinstance(scorer, BagScorer):
            segments = scorer.features(hyps, refs, progress)
            return segments.figures[:, 1:], segments.scored
        (score,) = scorer._score_systems({"": hyps}, refs, progress)
        segments = score.segments
        if isinstance(self.metric, TeslaCelab):
            return segments.figures[:, 1:], segments.scored
        shares = np.clip(segments.figures[:, :1] / self.metric.scale, 0.0, 1.0)
        return (shares if self.metric.higher_is_better else 1 - shares), segments.scored


def figures_of(metric: Metric) -> tuple[str, ...]:
    """Return which figures of a metric are features."""
    if isinstance(metric, TeslaCelab):
        return "precision", "recall"
    return ("f",) if issubclass(metric.scorer_class, BagScorer) else ("score",)


def _source(metric: Metric) -> FeatureSource:
    return FeatureSource(metric, figures_of(metric))


def sources_of(metrics: Sequence[Metric]) -> list[FeatureSource]:
    """Return the sources of features of each metric.

    TESLA-CELAB: precision and recall with n-grams of 1, 1 to 2, … tokens, up to its own longest.
    TESLA-M, -S, -B: the F of each order and similarity. Others: their score.
    """
    sources = []
    for metric in metrics:
        if isinstance(metric, Mean):
            sources += sources_of(metric.parts)
        elif isinstance(metric, TeslaCelab):
            sources += [
                _source(replace(metric, max_order=n)) for n in range(1, metric.engine.max_order + 1)
            ]
        elif metric.signature.name in FEATURE_METRICS:
            sources.append(_source(metric))
        else:
            raise OptionError(
                f"a metric is of type {type(metric).__name__}; features come from"
                f" {', '.join(FEATURE_METRICS)}"
            )
    return sources


def language_of(metrics: Sequence[Metric]) -> str | None:
    """Return the language of all metrics; `OptionError` if they differ."""
    langs = {metric.language: None for metric in metrics if metric.language is not None}
    if len(langs) > 1:
        raise OptionError(
            f"the metrics are for different languages: {', '.join(langs)}",
            hint=("give all the same ", Setting("lang")),
        )
    return next(iter(langs), None)


class Features:
    """The features of a model: those of metrics, then those of language models."""

    def __init__(self, sources: Sequence[FeatureSource], models: Sequence[LanguageModel]) -> None:
        self.sources, self.models = tuple(sources), tuple(models)

    def values(
        self,
        scorers: Sequence[Scorer],
        hyps: list[str],
        refs: list[list[str]],
        progress: Progress | None = None,
    ) -> tuple[F64, Bools, list[str]]:
        """Return the features of segments (rows), which segments have all, and their names."""
        columns, scored, names = [], np.ones(len(hyps), np.bool_), []
        shares = split(progress, len(hyps), [1] * len(self.sources))
        for source, scorer, share in zip(self.sources, scorers, shares, strict=True):
            figures, proved = source.values(scorer, hyps, refs, share)
            columns.append(figures)
            names += source.names(figures.shape[1])
            scored &= proved
        for model in self.models:
            columns.append(model.scores(hyps)[:, None])
            names.append(f"lm {os.path.basename(model.path)}")
        return np.concatenate(columns, axis=1), scored, names


def box(weights: F64, n_models: int) -> tuple[float, float]:
    """Return the smallest and the greatest w · f; the last `n_models` features are models.

    >>> box(np.array([2.0, -1.0, 0.5]), 1)
    (-8.5, 2.0)
    """
    ends = np.zeros((2, len(weights)))
    ends[1] = 1.0
    if n_models:
        ends[:, -n_models:] = [[MIN_SCORE], [0.0]]
    reached = ends * weights
    return float(reached.min(axis=0).sum()), float(reached.max(axis=0).sum())


class TrainedWeights(NamedTuple):
    """The content of a model file."""

    features: Features
    weights: F64
    lang: str | None
    digest: str


@dataclass(frozen=True, slots=True)
class TeslaFScorer(Scorer):
    """Scores by the scorers of the metrics whose figures are features."""

    metric: TeslaF
    parts: tuple[Scorer, ...]

    def _score(self, hyps: list[str], refs: list[list[str]], progress: Progress | None) -> Score:
        metric = self.metric
        values, scored, _ = metric.features.values(self.parts, hyps, refs, progress)
        if values.shape[1] != len(metric.weights):
            raise _count_mismatch(
                os.fspath(cast(str, metric.model)), len(metric.weights), values.shape[1]
            )
        low, high = metric.bounds
        # Feature by feature, as a product of matrices may add in another order for other batches.
        total = np.zeros(len(values))
        for weight, column in zip(metric.weights.tolist(), values.T, strict=True):
            total += weight * column
        scores = np.clip((total - low) / (high - low), 0.0, 1.0)
        segments = Segments(scores[None, :, None], "all", scored=scored)
        return Score.of(segments, self.signature, len(refs))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TeslaF(Metric, RunOptions, TeslaFData):
    """TESLA-F with a trained model.

    The language is that of the model; one that is given must be the same.

    >>> import celab
    >>> celab.TeslaF(model="absent.json")
    Traceback (most recent call last):
    celab.base.errors.InputError: model absent.json: no such file
    """

    name = "tesla-f"
    scorer_class = TeslaFScorer
    combine = "all"  # each feature has its own way

    def __post_init__(self) -> None:
        if self.model is None:
            raise OptionError(
                "TESLA-F needs a model; celab train makes one, see docs/other-metrics.md"
            )
        self._check_arguments()
        self._compute("run", "_trained", "signature")
        # Absolute, so that a copy made in another folder finds the file.
        complete(self, model=os.path.abspath(self.model))

    @cached_property
    def _trained(self) -> TrainedWeights:
        content, digest = read_model(cast(str, self.model), FORMAT, _MODEL)
        path = os.fspath(cast(str, self.model))
        if self.lang is not None and content["lang"] not in (None, self.lang):
            raise OptionError(
                (
                    f"model {path} is for language {content['lang']!r}, but ",
                    Setting("lang"),
                    f" is {self.lang!r}",
                ),
                hint="they must agree",
            )
        folder = os.path.dirname(os.path.abspath(path))
        sources = [_open_source(source, folder, path, self.run) for source in content["metrics"]]
        language = language_of([source.metric for source in sources])
        if content["lang"] != language:
            raise damaged_model(
                path, f"lang is {content['lang']!r}, but its metrics are for {language!r}"
            )
        models = open_models(content["models"], folder, path)
        weights = np.array(content["weights"], np.float64)
        n_features = len(content.get("features", weights))
        if not weights.any():
            raise damaged_model(path, "all weights are 0")
        if len(weights) != n_features:
            raise _count_mismatch(path, len(weights), n_features)
        if not sources and not models:
            raise damaged_model(path, "it names neither metrics nor language models")
        return TrainedWeights(Features(sources, models), weights, language, digest)

    @property
    def features(self) -> Features:
        """The metrics and language models whose figures are features."""
        return self._trained.features

    @property
    def weights(self) -> F64:
        """The weight of each feature."""
        return self._trained.weights

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """The smallest and the greatest sum that features can have."""
        return box(self.weights, len(self.features.models))

    @cached_property
    def signature(self) -> Signature:
        """Everything that can change a score, in one line."""
        model, n_features = self._trained.digest[:12], len(self.weights)
        parts = [("model", model), ("features", str(n_features)), ("v", __version__)]
        return Signature(self.name, parts)

    @property
    def language(self) -> str | None:
        """Language of the texts, as the model says; None if there may be any."""
        return self._trained.lang

    def with_run(self, **settings: Any) -> Self:
        """Return a copy with other settings of `Run`: jobs, solver, time_limit, on_error."""
        sources = [
            replace(source, metric=source.metric.with_run(**settings))
            for source in self.features.sources
        ]
        features = Features(sources, self.features.models)
        trained = self._trained._replace(features=features)
        return copy_with(super().with_run(**settings), _trained=trained)

    @property
    def depends_on_references(self) -> bool:
        """Whether one of the features' metrics looks at all references of a corpus."""
        return any(source.metric.depends_on_references for source in self.features.sources)

    def estimate_seconds(self, refs: Sequence[Sequence[str]], n_systems: int = 1) -> float:
        """Return about how long it takes to score systems by all metrics."""
        metrics = (source.metric for source in self.features.sources)
        return sum(metric.estimate_seconds(refs, n_systems) for metric in metrics)

    def slow_warning(self, refs: Sequence[Sequence[str]], n_systems: int = 1) -> str:
        """Return a warning if one of the metrics takes long, else ""."""
        metrics = (source.metric for source in self.features.sources)
        return next(filter(None, (metric.slow_warning(refs, n_systems) for metric in metrics)), "")

    def is_reference(self, text: str) -> bool:
        """Return whether a text counts as a reference for all metrics that need a reference."""
        metrics = [source.metric for source in self.features.sources]
        return not is_blank(text) and all(
            metric.has_empty_references or metric.is_reference(text) for metric in metrics
        )

    def scorer(self, refs: Refs, cache_references: bool = True) -> TeslaFScorer:
        """Return a `Scorer` for a corpus whose references begin with these."""
        parts = tuple(
            source.metric.scorer(refs, cache_references) for source in self.features.sources
        )
        return TeslaFScorer(self, self.signature, parts)


_DIGEST = Text("[0-9a-f]{64}", right="a SHA-256")
NAMED_MODEL = Object({"path": Text(), "digest": _DIGEST})
_MODEL = Object(
    {
        "format": Text(),
        "lang": Optional(Text()),
        "weights": List(Number(), least=1),
        "metrics": List(
            Object(
                {
                    "metric": Text(),
                    "arguments": Dictionary(Anything()),
                    "figures": List(Text()),
                    "signature": Text(),
                }
            )
        ),
        "models": List(NAMED_MODEL),
    },
    optional={"features": List(Text()), "scale": List(Number(), 2, 2), "training": Anything()},
)


def read_model(path: io.AnyPath, format: str, shape: Object) -> tuple[JsonObject, str]:
    """Return the content of a model file of ours, which has the shape, and its SHA-256."""
    if not isinstance(path, str | os.PathLike):
        raise OptionError(
            f"model is of type {type(path).__name__}; it must be the path of a file of celab train"
        )
    label = os.fspath(path)
    expected = "a file of celab train"
    try:
        content, digest = read_json(path, f"model {label}", expected)
    except JsonError as error:
        raise InputError(
            f"model {label} is not a model of celab: {error}; it must be {expected}"
        ) from None
    if not isinstance(content, dict) or not str(content.get("format", "")).startswith("celab "):
        raise InputError(f"model {label} is not a model of celab; it must be {expected}")
    if content["format"] != format:
        raise InputError(f"model {label} has format {content['format']!r}; it must be {format!r}")
    if missing := [key for key in shape.shapes if key not in content]:
        raise InputError(f"model {label} has no {missing[0]}; train it again")
    try:
        check(content, shape)
    except ShapeError as error:
        raise damaged_model(label, str(error)) from None
    return content, digest


def _count_mismatch(path: str, n_weights: int, n_features: int) -> InputError:
    return InputError(f"model {path} has {n_weights} weights but {n_features} features")


def damaged_model(path: str, why: str) -> InputError:
    """Return the error about a model whose content makes no sense."""
    return InputError(f"model {path} is damaged: {why}; train it again")


def open_models(
    entries: Sequence[dict[str, str]], folder: str, model_path: str
) -> list[LanguageModel]:
    """Open the language models of a model file, whose paths are relative to its folder."""
    models = []
    for model in entries:
        path = resolve_path(model["path"], folder, model_path)
        try:
            models.append(LanguageModel(path, model["digest"]))
        except DigestError as error:
            raise InputError(
                f"model {model_path} was trained with language model"
                f" {escape_controls(model['path'])} of digest {model['digest'][:12]}, but here it"
                f" has {error.digest[:12]}; use the same file"
            ) from None
    return models


def describe_models(models: Sequence[LanguageModel], output: io.AnyPath) -> list[dict[str, str]]:
    """Return language models as the model file `output` names them."""
    return [{"path": relative_path(model.path, output), "digest": model.digest} for model in models]


def describe_source(source: FeatureSource, output: io.AnyPath) -> JsonObject:
    """Return a source as the model file `output` names it."""
    arguments = source.metric.arguments()
    return {
        "metric": source.name,
        "arguments": _map_paths(arguments, lambda path: relative_path(path, output)),
        "figures": list(source.figures),
        "signature": _without_version(source.metric.signature),
    }


def relative_path(path: io.AnyPath, output: io.AnyPath) -> str:
    """Return the name of a file in the model `output`: its path below the folder of the model.

    >>> relative_path("/models/lm/zh.arpa", "/models/model.json")
    'lm/zh.arpa'
    """
    folder = os.path.dirname(os.path.abspath(output))
    relative = os.path.relpath(path, folder).replace(os.sep, "/")
    if not _is_beside(relative):
        raise OptionError(
            f"{os.fspath(path)} is not in the folder of the model {os.fspath(output)}; a model"
            " names only files in its folder, or below it: copy the file there"
        )
    return relative


def resolve_path(path: str, folder: str, model_path: str) -> str:
    """Return the path of a file that a model in this folder names."""
    if not _is_beside(path):
        raise InputError(
            f"model {model_path} names {escape_controls(path)}; it must be a file in the folder of"
            " the model, or below it"
        )
    return os.path.join(folder, path)


def _is_beside(path: str) -> bool:
    parts = re.split(r"[/\\]", path)
    absolute = os.path.isabs(path) or os.path.splitdrive(path)[0] or not parts[0]
    return not absolute and ".." not in parts and "\0" not in path


def _map_paths(arguments: Mapping[str, object], change: Callable[[str], str]) -> Arguments:
    """Return the arguments of a metric with other paths; names of lexicons and weights stay."""

    def lexicon(name: str) -> str:
        return name if name in ("default", *EXTERNAL_LEXICONS, *bundled_names()) else change(name)

    def table(name: str) -> str:
        return name if name in NAMES else change(name)

    def grade(key: str) -> str:
        return key if key in PARTS else lexicon(key)

    changes = {"lexicon": lexicon, "weights": table, "counts": change, "pivots": change}
    changed = dict(arguments)
    for name in changes.keys() & changed.keys():
        value = changed[name]
        if isinstance(value, str):
            changed[name] = changes[name](value)
        elif isinstance(value, list):
            changed[name] = [
                changes[name](item) if isinstance(item, str) else item for item in value
            ]
    if isinstance(grades := changed.get("grades"), Mapping):
        changed["grades"] = {grade(key): credit for key, credit in grades.items()}
    return changed


def _open_source(entry: JsonObject, folder: str, model_path: str, run: Run) -> FeatureSource:
    name = entry["metric"]
    if name not in FEATURE_METRICS:
        raise InputError(
            f"model {model_path} has features of metric {name!r}; choose from"
            f" {', '.join(FEATURE_METRICS)}"
        )
    arguments = _map_paths(entry["arguments"], lambda path: resolve_path(path, folder, model_path))
    kind = metric_class(name)
    if unknown := sorted(arguments.keys() - set(arguments_of(name))):
        raise damaged_model(model_path, f"{name} has no argument {unknown[0]!r}")
    if set_by_run := sorted(arguments.keys() & asdict(run).keys()):
        raise damaged_model(
            model_path, f"{set_by_run[0]!r} is not an argument that a model may set"
        )
    try:
        metric = kind(**arguments, **asdict(run))
    except OptionError as error:
        raise InputError(f"model {model_path}: {error}") from None
    ours = _without_version(metric.signature)
    if ours != entry["signature"]:
        trained = Signature.parse(entry["signature"])
        theirs, here = trained.difference(ours) or (trained, ours)
        raise InputError(
            f"model {model_path} was trained with {name} {escape_controls(theirs)}, but here it is"
            f" {here}; use the same files and settings"
        )
    figures = tuple(entry["figures"])
    if figures != figures_of(metric):
        raise damaged_model(
            model_path, f"the figures of {name} must be {', '.join(figures_of(metric))}"
        )
    return FeatureSource(metric, figures)


def _without_version(signature: Signature) -> Signature:
    return signature.without("v", "version")
