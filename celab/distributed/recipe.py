"""Recipes: a metric → what a worker needs to make the same metric, and its scores of some rows.

A recipe is small and travels with every task; what is large, the lexicon, travels as a parcel. The
metric that a worker makes must have the driver's signature, or nothing is scored: another version
of celab or OpenCC on some worker would give other scores.

`script="auto"` looks at the beginning of a side, which only the first partitions have. So the
driver looks, and tells the workers what each side becomes; the signature still says `script:auto`.
"""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from celab.analysis.languages import Cached
from celab.distributed.parcel import BytesParcel, LexiconParcel, Parcel, content_of
from celab.errors import InputError, OptionError
from celab.metrics.base import Metric, Score
from celab.metrics.baselines import Baseline
from celab.metrics.celab import TeslaCelab
from celab.metrics.tesla_m import TeslaM

_of_thread = threading.local()  # metrics by recipe; not all of them may be shared by threads


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to make a metric; equal recipes make equal metrics."""

    kind: str
    settings: tuple[tuple[str, Any], ...]
    parcel: str | None  # the digest of what was sent ahead
    signature: str


def recipe_of(metric: Metric) -> tuple[Recipe, Parcel | None]:
    """The recipe of a metric, and what must be sent ahead."""
    if isinstance(metric, TeslaCelab):
        settings = {"lang": metric.lang, **asdict(metric.options), "jobs": 1}
        parcel: Parcel | None = LexiconParcel(metric.lexicon) if metric.lexicon else None
        made = _made("celab", settings, None)
        if metric.parts and (made.parts is None or made.parts.name != metric.parts.name):
            raise OptionError(
                f"compounds are split by counts of your own ({metric.parts.name});"
                " workers have none but wordfreq's, so counts must be left out"
            )
        return _recipe("celab", settings, parcel, metric), parcel
    if isinstance(metric, TeslaM):
        alone = copy.copy(metric)
        alone.options = replace(metric.options, jobs=1)
        alone.analyser = Cached(metric.analyser.analyser)
        parcel = BytesParcel(pickle.dumps(alone))
        return _recipe("tesla-m", {}, parcel, metric), parcel
    if isinstance(metric, Baseline):
        settings = {"name": metric.name, "lang": metric.lang}
        return _recipe("baseline", settings, None, Baseline(**settings)), None
    raise OptionError(
        f"metric is a {type(metric).__name__}; it must be a TeslaCelab, a TeslaM or a Baseline"
    )


def _recipe(kind: str, settings: dict[str, Any], parcel: Parcel | None, metric: Metric) -> Recipe:
    digest = parcel.digest if parcel else None
    return Recipe(kind, tuple(settings.items()), digest, metric.signature)


def metric_of(recipe: Recipe) -> Any:
    """The metric, made once in each thread that asks for it."""
    made: dict[Recipe, Metric] = _of_thread.__dict__.setdefault("made", {})
    if recipe not in made:
        found = _made(recipe.kind, dict(recipe.settings), recipe.parcel)
        if found.signature != recipe.signature:
            raise InputError(
                f"a worker's metric has the signature {found.signature}, the driver's"
                f" {recipe.signature}; both must have the same versions of all packages"
            )
        made[recipe] = found
    return made[recipe]


def _made(kind: str, settings: dict[str, Any], parcel: str | None) -> Any:
    if kind == "celab":
        metric = TeslaCelab(lexicon=None, **settings)
        if parcel is not None:
            metric.lexicon = content_of(parcel)
        return metric
    if kind == "baseline":
        return Baseline(**settings)
    return pickle.loads(content_of(str(parcel)))


def scripts_of(metric: Metric, beginnings: Sequence[list[str]]) -> tuple[str, ...] | None:
    """What sides that begin so become, if the metric has to look."""
    if not looks(metric):
        return None
    assert isinstance(metric, TeslaCelab)
    return tuple(metric.normalizer.becomes(texts) for texts in beginnings)


def looks(metric: Metric) -> bool:
    """Whether the metric has to look at the beginning of a side."""
    return isinstance(metric, TeslaCelab) and metric.options.script == "auto"


def scores_of(
    recipe: Recipe,
    hyps: Sequence[str],
    refs: Sequence[Sequence[str]],
    scripts: Sequence[str] | None,
) -> Score:
    """Some rows, scored; `scripts` says what hypotheses and references become, if it is known."""
    metric = metric_of(recipe)
    if scripts is None:
        scored: Score = metric.corpus_score(hyps, refs)
        return scored
    hyp_side, *ref_sides = (
        metric.prepared(list(side), script)
        for side, script in zip((hyps, *refs), scripts, strict=True)
    )
    found: Score = metric.score_prepared(hyp_side, ref_sides)
    return found
