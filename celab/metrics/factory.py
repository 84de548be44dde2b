"""Metrics from names, for lists such as `["celab", "chrF"]`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias, cast

from celab.base.errors import OptionError, suggest
from celab.metrics.base import Metric
from celab.metrics.checks import is_list
from celab.metrics.registry import METRICS, arguments_of, canonical_name, metric_maker

MetricSpec: TypeAlias = str | Metric | Iterable[str | Metric] | Mapping[str, str | Metric]


def make_metric(name: str, **arguments: Any) -> Metric:
    """Return the metric of a name, in any case, with the arguments that it takes.

    `lang` and `lexicon` are left out for a metric that has none, and so are arguments at None.

    >>> make_metric("chrF").signature.name
    'chrf'
    >>> make_metric("chfr")
    Traceback (most recent call last):
    celab.base.errors.OptionError: unknown metric 'chfr'; did you mean 'chrf'?
    """
    if not isinstance(name, str):
        raise OptionError(f"a metric is of type {type(name).__name__}; it must be a name")
    key = canonical_name(name)
    if key not in METRICS:
        raise OptionError(f"unknown metric {name!r}; {suggest(key, METRICS)}")
    for argument in ("lang", "lexicon"):
        if argument in arguments and argument not in arguments_of(key):
            del arguments[argument]
    return cast(Metric, metric_maker(key)(**arguments))


def make_metrics(metrics: MetricSpec, **arguments: Any) -> dict[str, Metric]:
    """Return metrics by name; those that are names are made by `make_metric`."""
    if isinstance(metrics, Mapping) and metrics:
        return {name: _to_metric(metric, arguments) for name, metric in metrics.items()}
    if isinstance(metrics, str | Metric):
        metrics = [metrics]
    if not is_list(metrics) and not isinstance(metrics, Mapping):
        raise OptionError(
            f"metrics is of type {type(metrics).__name__}; it must be a name, a metric, or several"
        )
    by_name: dict[str, Metric] = {}
    for item in metrics:
        metric = _to_metric(item, arguments)
        name = canonical_name(item) if isinstance(item, str) else metric.signature.name
        if by_name.setdefault(name, metric) != metric:
            raise OptionError(
                f"two different metrics are called {name!r}; give a dict of names and metrics"
            )
    if not by_name:
        raise OptionError("no metric is given; give at least one, such as 'celab'")
    return by_name


def make_only_metric(metric: MetricSpec, **arguments: Any) -> Metric:
    """Return the metric that is named or given; `OptionError` unless there is exactly one."""
    metrics = list(make_metrics(metric, **arguments).values())
    if len(metrics) != 1:
        raise OptionError(f"there are {len(metrics)} metrics; give one")
    return metrics[0]


def _to_metric(metric: object, arguments: dict[str, Any]) -> Metric:
    if isinstance(metric, str):
        return make_metric(metric, **arguments)
    if not hasattr(metric, "corpus_score"):
        raise OptionError(
            f"a metric is of type {type(metric).__name__}; it must be a name"
            f" ({', '.join(METRICS)}) or a metric of celab"
        )
    return cast(Metric, metric)
