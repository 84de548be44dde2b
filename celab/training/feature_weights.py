"""Weights of TESLA-F from human judgments, by a ranking SVM.

The weights are those of `celab.trained.ranking` for features divided by the standard deviation of
their differences; the weights in a model are for features before the division. Pairs that people
tie do not count. C is chosen by cross-validation over documents, or over segments where documents
are not known; the consistency on held-out pairs comes from a second cross-validation around the
first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from celab.agreement import dataset, layout
from celab.agreement.dataset import Dataset
from celab.base import io
from celab.base.arguments import JsonObject
from celab.base.arrays import F64, I64
from celab.base.errors import InputError
from celab.base.options import SEED
from celab.base.run import Progress, split
from celab.base.text.escapes import dump_json
from celab.base.text.scripts import warn_if_japanese
from celab.base.version import __version__
from celab.metrics.baselines import Chrf
from celab.metrics.factory import MetricSpec, make_metrics
from celab.metrics.language_model import MIN_SCORE, LanguageModel
from celab.metrics.tesla_f import (
    FORMAT,
    Features,
    box,
    describe_models,
    describe_source,
    language_of,
    sources_of,
)
from celab.statistics.correlation import SAME
from celab.trained.ranking import Consistency, rank_weights, solver_of, split_folds

COSTS = tuple(10.0**k for k in range(-1, 5))  # values to try for C times the number of pairs
MIN_PAIRS = 20
# Larger sets are sampled.
MAX_PAIRS_OF_SET = 100_000


@dataclass(frozen=True, slots=True)
class Trained:
    """A trained model, in the form of its file, and its consistency on held-out pairs."""

    model: JsonObject
    held_out: dict[str, Consistency]


class FeatureDifferences(NamedTuple):
    """Differences of features, better minus worse, and the group (document) of each pair."""

    difference: F64
    group: I64


def train(
    folders: Sequence[io.AnyPath],
    metrics: MetricSpec = ("celab", "chrf"),
    *,
    output: io.AnyPath,
    language_models: Sequence[io.AnyPath] = (),
    refs: Sequence[str] | None = None,
    count_from: int | None = None,
    folds: int = 5,
    seed: int = SEED,
    progress: Progress | None = None,
    **settings: object,
) -> Trained:
    """Learn weights and write the model.

    Parameters:
        folders: data sets with human judgments of segments, in the layouts of `celab meta`.
        metrics: names of metrics, or metrics, whose figures are the features.
        output: path of the model, written atomically.
        language_models: ARPA files.
        refs: names of references (default: as `celab meta`).
        count_from: as in `celab.agreement.meta.evaluate`.
        folds: number of folds of the cross-validation.
        seed: random seed.
        progress: callback, called with (done, total), which count segments of all systems.
        settings: arguments of metrics that are given by name, such as lang, lexicon and jobs.
    """
    solver_of("LinearSVC")  # an error at once if it is not installed
    judgments = [path for folder in folders for path in layout.files_in(folder)]
    io.check_no_input(output, [*judgments, *language_models])
    feature_metrics = list(make_metrics(metrics, **settings).values())
    features = Features(
        sources_of(feature_metrics), [LanguageModel(path) for path in language_models]
    )
    lang = language_of([source.metric for source in features.sources])
    # Sources are described before training, so that a wrong file is an error at once.
    sources = {
        "metrics": [describe_source(source, output) for source in features.sources],
        "models": describe_models(features.models, output),
    }
    rng = np.random.default_rng(seed)
    pairs_of_sets, chrf_margins, sets, names, n_groups = [], [], [], list[str](), 0
    all_judged = [dataset.read(folder, refs, count_from=count_from) for folder in folders]
    sizes = [len(each.corpus.systems) * len(each.corpus.segments) for each in all_judged]
    for judged, share in zip(all_judged, split(progress, sum(sizes), sizes), strict=True):
        if lang == "zh":
            warn_if_japanese(*judged.corpus.refs, where=judged.name)
        pairs = _judgments(judged)
        if len(pairs) > MAX_PAIRS_OF_SET:
            pairs = pairs[np.sort(rng.choice(len(pairs), MAX_PAIRS_OF_SET, replace=False))]
        values, chrf, names = _score_systems(judged, features, lang, share)
        segment, better, worse = pairs.T
        groups, kind = _groups(judged)
        difference = values[better, segment] - values[worse, segment]
        kept = ~np.isnan(difference).any(axis=1)
        pairs_of_sets.append(FeatureDifferences(difference[kept], groups[segment[kept]] + n_groups))
        chrf_margins.append((chrf[better, segment] - chrf[worse, segment])[kept])
        n_groups += int(groups.max()) + 1
        sets.append(
            {
                "name": judged.name,
                "pairs": int(kept.sum()),
                "judgments": judged.people.pairs_from,
                "groups": kind,
            }
        )
    joined = FeatureDifferences(
        *(np.concatenate(column) for column in zip(*pairs_of_sets, strict=True))
    )
    if len(joined.group) < MIN_PAIRS or len(set(joined.group.tolist())) < 2:
        raise InputError(
            f"there are {len(joined.group)} judged pairs in {len(set(joined.group.tolist()))}"
            f" groups of segments; training needs at least {MIN_PAIRS} pairs in 2"
        )
    weights, cost, margins = _learn(joined, folds, rng)
    equal_margins = box_mean(joined.difference, len(features.models))
    held_out = {
        "trained": Consistency.of(margins),
        "equal weights": Consistency.of(equal_margins),
        "chrF": Consistency.of(np.concatenate(chrf_margins)),
    }
    low, high = box(weights, len(features.models))
    model = {
        "format": FORMAT,
        "lang": lang,
        "features": names,
        "weights": weights.tolist(),
        "scale": [low, high],
        **sources,
        "training": {
            "celab": __version__,
            "sets": sets,
            "pairs": len(joined.group),
            "cost": cost,
            "folds": folds,
            "seed": seed,
            "held_out": {name: shares._asdict() for name, shares in held_out.items()},
        },
    }
    io.write(output, dump_json(model, indent=2))
    return Trained(model, held_out)


def _judgments(judged: Dataset) -> I64:
    """Return rows of segment, better and worse system, without pairs that people tie."""
    people = judged.people
    parts = [people.preferences]
    for scores in people.sets:
        for i, j in combinations(range(len(scores)), 2):
            margins = scores[i] - scores[j]
            for first, second, sign in ((i, j, 1), (j, i, -1)):
                segments = np.flatnonzero(sign * margins > SAME)
                parts.append(np.stack(np.broadcast_arrays(segments, first, second), axis=1))
    pairs = np.concatenate(parts)
    if not len(pairs):
        raise InputError(
            f"{judged.name} has no pair of translations of a segment that people tell apart; it"
            " must have at least one"
        )
    return pairs


def _groups(judged: Dataset) -> tuple[I64, str]:
    """Return the group of each segment, and its name; cross-validation splits no group."""
    try:
        labels, kind = judged.labels_of("document"), "document"
    except InputError:
        labels, kind = [str(k) for k in range(len(judged.corpus.segments))], "segment"
    return np.unique(np.array(labels), return_inverse=True)[1].astype(np.int64), kind


def _score_systems(
    judged: Dataset, features: Features, lang: str | None, progress: Progress | None
) -> tuple[F64, F64, list[str]]:
    """Return systems × segments × features, chrF of systems × segments, and feature names."""
    texts, names = judged.corpus, list[str]()
    values, chrf = [], []
    refs = [["" if ref is None else ref for ref in side] for side in texts.refs]
    n_systems = len(texts.systems)
    shares = split(progress, n_systems * len(texts.segments), [1] * n_systems)
    for hyps, share in zip(texts.systems.values(), shares, strict=True):
        scorers = [source.metric.scorer(refs) for source in features.sources]
        numbers, scored, names = features.values(scorers, list(hyps), refs, share)
        values.append(np.where(scored[:, None], numbers, np.nan))
        chrf.append(Chrf(lang).corpus_score(hyps, refs).segments.scores)
    return np.stack(values), np.stack(chrf), names


def box_mean(difference: F64, n_models: int) -> F64:
    """Return the mean difference of the features, each first scaled to 0 to 1."""
    scaled = difference.copy()
    if n_models:
        scaled[:, -n_models:] /= -MIN_SCORE
    return np.asarray(scaled.mean(axis=1))


def fit(difference: F64, cost: float) -> F64:
    """Return the weights of a ranking SVM with C = cost / number of pairs."""
    spread = np.sqrt((difference**2).mean(axis=0))
    spread[spread == 0] = 1.0  # a constant feature gets weight 0
    return np.asarray(rank_weights(difference / spread, cost / len(difference)) / spread)


def _best_cost(pairs: FeatureDifferences, folds: int, rng: np.random.Generator) -> float:
    if len(set(pairs.group.tolist())) < 2:
        return COSTS[len(COSTS) // 2]
    right = dict.fromkeys(COSTS, 0.0)
    for fold in split_folds(pairs.group, folds, rng):
        rest = np.delete(pairs.difference, fold, axis=0)
        for cost in COSTS:
            margins = pairs.difference[fold] @ fit(rest, cost)
            right[cost] += Consistency.of(margins).ties_half * len(fold)
    return max(right, key=right.__getitem__)  # the first of equal costs regularizes most


def _learn(
    pairs: FeatureDifferences, folds: int, rng: np.random.Generator
) -> tuple[F64, float, F64]:
    """Return weights, their cost, and the margin of each pair by weights learnt without it."""
    margins = np.zeros(len(pairs.group))
    for fold in split_folds(pairs.group, folds, rng):
        rest = FeatureDifferences(
            np.delete(pairs.difference, fold, axis=0), np.delete(pairs.group, fold)
        )
        margins[fold] = pairs.difference[fold] @ fit(rest.difference, _best_cost(rest, folds, rng))
    cost = _best_cost(pairs, folds, rng)
    weights = fit(pairs.difference, cost)
    if not weights.any():
        raise InputError("no feature differs in any judged pair; use other metrics")
    return weights, cost, margins
