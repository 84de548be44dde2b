"""Metrics from names, for lists such as `["celab", "chrF"]`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from celab.base.errors import OptionError, warn
from celab.base.options import is_list
from celab.metrics.base import Metric
from celab.metrics.registry import METRICS, canonical_name, metric_class, title_of
from celab.metrics.settings import resolve

if TYPE_CHECKING:
    from celab.metrics.external import ExternalMetric

AnyMetric: TypeAlias = "str | Metric | ExternalMetric"
MetricSpec: TypeAlias = "AnyMetric | Iterable[AnyMetric] | Mapping[str, AnyMetric]"


def make_metric(name: str, **arguments: object) -> Metric:
    """Return the metric of a name, in any case, with the arguments that it takes.

    `celab.metrics.settings.resolve` says what a name stands for, and what given arguments replace.

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
        return views[0].titled(settings.title)
    from celab.metrics.mean import Mean

    return Mean(views).titled(settings.title)


def make_metrics(metrics: MetricSpec, /, **arguments: object) -> dict[str, Metric]:
    """Return metrics by name, no two of which have the same title.

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
    """Return the metrics; of several with the same title, each has its name as its title.

    >>> metrics = with_distinct_titles({"a": make_metric("chrf"), "b": make_metric("chrf")})
    >>> [title_of(metric.signature) for metric in metrics.values()]
    ['a', 'b']
    """
    counts = Counter(title_of(metric.signature) for metric in metrics.values())
    return {
        name: metric if counts[title_of(metric.signature)] == 1 else metric.titled(name)
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
