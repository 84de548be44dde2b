"""Metrics from names, for lists such as `["celab", "chrF"]`."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from celab.base.arguments import Arguments
from celab.base.errors import OptionError
from celab.base.languages import language_code
from celab.base.messages import warn
from celab.base.options import is_list
from celab.base.run import Run
from celab.metrics.base import Metric
from celab.metrics.registry import (
    METRICS,
    arguments_of,
    canonical_name,
    metric_class,
    title_of,
    unknown_metric,
)

if TYPE_CHECKING:
    # Only metrics of other libraries load it.
    from celab.metrics.external import ExternalMetric


# A name and options → the arguments of a metric: the one place where presets are applied.
#
# Commands, functions, classes, adapters and the server all call `resolve`, so a name is the same
# metric everywhere. An option that is not set is absent, or has the value that means so: None, or
# for `lexicon`, where None means no lexicon, "default".

_NOT_GIVEN = {"lexicon": "default"}  # other options: None
_RUN_OPTIONS = {spec.name for spec in fields(Run)}


class MetricSettings(NamedTuple):
    """A metric by name: the arguments of its class, once for each view of the text.

    `lacks_preset` says that the name is a preset that the language does not have.
    """

    name: str
    title: str
    views: tuple[Mapping[str, object], ...]
    lacks_preset: bool = False


def resolve(name: str, options: Mapping[str, object]) -> MetricSettings:
    """Return the settings of a metric by name, in any case, with the given options.

    Given options replace those of a preset, in each view. Grades without a lexicon also replace the
    lexicon of the preset, because they name lexicons, or parts of the language's; a view without a
    lexicon ignores them. `lang` and `lexicon` are left out for a metric that takes none.

    >>> settings = resolve("celab-recommended", {"decay": 0.5, "lexicon": "default"})
    >>> settings.title, settings.views[0]["lexicon"], settings.views[0]["decay"]
    ('TESLA-CELAB (recommended, decay 0.5)', 'zh-core', 0.5)
    >>> resolve("chrF2", {"lexicon": None}).views
    ({},)
    """
    if not isinstance(name, str):
        raise OptionError(f"a metric is of type {type(name).__name__}; it must be a name")
    key = canonical_name(name)
    if key not in METRICS:
        raise unknown_metric(name)
    given: Arguments = {k: value for k, value in options.items() if _is_given(k, value)}
    if METRICS[key].profiles and (profile := given.pop("profile", None)) is not None:
        key = METRICS[key].profiles[profile]
    for argument in {"lang", "lexicon"} & given.keys():
        if argument not in arguments_of(key):
            del given[argument]
    entry = METRICS[key]
    if not entry.preset:
        return MetricSettings(key, entry.full_title(), (given,))
    lang = given.pop("lang", "zh")
    presets = entry.presets.get(language_code(lang)) if isinstance(lang, str) else None
    views = tuple({"lang": lang} | dict(view) for view in presets or ({},))
    shown = [
        f"{option} {_shown(value)}"
        for option, value in given.items()
        if option not in _RUN_OPTIONS and any(view.get(option) != value for view in views)
    ]
    return MetricSettings(
        key, entry.full_title(*shown), _replace(views, given), lacks_preset=not presets
    )


def _is_given(name: str, value: object) -> bool:
    return value is not None if name not in _NOT_GIVEN else value != _NOT_GIVEN[name]


def _replace(views: Sequence[Arguments], given: Arguments) -> tuple[Arguments, ...]:
    has_lexicon = [view.get("lexicon", "default") is not None for view in views]
    # If no view has a lexicon, the metric raises the error.
    if "grades" not in given or "lexicon" in given or not any(has_lexicon):
        return tuple(view | given for view in views)
    others = {name: value for name, value in given.items() if name != "grades"}
    return tuple(
        _without_lexicon(view) | given if graded else view | others
        for view, graded in zip(views, has_lexicon, strict=True)
    )


def _without_lexicon(view: Arguments) -> Arguments:
    return {name: value for name, value in view.items() if name != "lexicon"}


def _shown(value: object) -> str:
    """Return the value of an option for a title: files by name, credits with their keys.

    >>> _shown(None), _shown(["cilin", "words/my.tsv"]), _shown({"zh-core": 1, "my.tsv": 0.6})
    ('none', 'cilin+my.tsv', 'zh-core:1+my.tsv:0.6')
    """
    if value is None:
        return "none"
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, str | os.PathLike):
        return os.path.basename(os.fspath(value))
    if isinstance(value, Mapping):
        return "+".join(f"{_shown(key)}:{_shown(credit)}" for key, credit in value.items())
    if isinstance(value, Sequence):
        return "+".join(map(_shown, value))
    return str(value)


AnyMetric: TypeAlias = "str | Metric | ExternalMetric"
MetricSpec: TypeAlias = "AnyMetric | Iterable[AnyMetric] | Mapping[str, AnyMetric]"


def make_metric(name: str, **arguments: object) -> Metric:
    """Return the metric of a name, in any case, with the arguments that it takes.

    `celab.metrics.factory.resolve` says what a name stands for, and what given arguments replace.

    >>> make_metric("chrF").signature.name
    'chrf'
    >>> make_metric("chfr")
    Traceback (most recent call last):
    celab.base.errors.OptionError: unknown metric 'chfr'; did you mean 'chrf'?
    """
    settings = resolve(name, arguments)
    kind = metric_class(settings.name)
    views: list[Metric] = [kind(**view) for view in settings.views]
    if settings.lacks_preset:
        lang = settings.views[0]["lang"]
        warn(f"no settings are recommended for {lang}; its default settings are used")
    if len(views) == 1:
        metric = views[0]
    else:
        from celab.metrics.mean import Mean

        metric = Mean(views)
    return metric.with_title(settings.title) if METRICS[settings.name].preset else metric


def make_metrics(metrics: MetricSpec, /, **arguments: object) -> dict[str, Metric]:
    """Return metrics by name; their titles differ.

    Those that are names are made by `make_metric`.
    """
    if "metric" in arguments:
        raise OptionError("there is no parameter metric here; use metrics")
    if isinstance(metrics, Mapping) and metrics:
        by_name = {name: _to_metric(metric, arguments) for name, metric in metrics.items()}
        return with_distinct_titles(by_name)
    from celab.metrics.external import Adapted, ExternalMetric

    if isinstance(metrics, str | Metric | ExternalMetric):
        metrics = [metrics]
    if not is_list(metrics) and not isinstance(metrics, Mapping):
        raise OptionError(
            f"metrics is of type {type(metrics).__name__}; it must be a name, a metric, or several"
        )
    by_name = {}
    for item in metrics:
        metric = _to_metric(item, arguments)
        name = canonical_name(item) if isinstance(item, str) else metric.signature.name
        name = metric.name if isinstance(metric, Adapted) else name
        if by_name.setdefault(name, metric) != metric:
            raise OptionError(
                f"two different metrics are called {name!r}; give a dict of names and metrics"
            )
    if not by_name:
        raise OptionError("no metric is given; give at least one, such as 'celab'")
    return with_distinct_titles(by_name)


def with_distinct_titles(metrics: Mapping[str, Metric]) -> dict[str, Metric]:
    """Return the metrics; metrics with the same title get their names as titles.

    >>> metrics = with_distinct_titles({"a": make_metric("chrf"), "b": make_metric("chrf")})
    >>> [title_of(metric.signature) for metric in metrics.values()]
    ['a', 'b']
    """
    if len(metrics) == 1:
        return dict(metrics)
    titles = {name: title_of(metric.signature) for name, metric in metrics.items()}
    counts = Counter(titles.values())
    return {
        name: metric if counts[titles[name]] == 1 else metric.with_title(name)
        for name, metric in metrics.items()
    }


def make_only_metric(metric: MetricSpec, /, **arguments: object) -> Metric:
    """Return the metric that is named or given; `OptionError` unless there is exactly one."""
    if "metrics" in arguments:
        raise OptionError(
            "there is no parameter metrics here; use metric, or celab.Campaign for several metrics"
        )
    metrics = list(make_metrics(metric, **arguments).values())
    if len(metrics) != 1:
        raise OptionError(f"there are {len(metrics)} metrics; give one")
    return metrics[0]


def _to_metric(metric: object, arguments: Mapping[str, object]) -> Metric:
    if isinstance(metric, str):
        return make_metric(metric, **arguments)
    if isinstance(metric, Metric):
        return metric
    from celab.metrics.external import Adapted, ExternalMetric

    if isinstance(metric, ExternalMetric) and not isinstance(metric, type):
        return Adapted(metric=metric)
    raise OptionError(
        f"a metric is of type {type(metric).__name__}; it must be a name"
        f" ({', '.join(METRICS)}), a metric of celab, or have corpus_score and sentence_score"
    )
