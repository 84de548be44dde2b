"""Metrics by name, for lists such as `["celab", "chrF"]`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from celab.errors import OptionError, meant
from celab.lexicon.catalogue import LexiconSpec
from celab.metrics.base import NAMES, Metric

METRICS = tuple(NAMES)
_OTHER_NAMES = {"tesla-celab": "celab", "chrf2": "chrf", "chrf2++": "chrf++"}
GivenMetrics = str | Metric | Iterable[str | Metric] | Mapping[str, str | Metric]


def named(
    name: str, *, lang: str | None = None, lexicon: LexiconSpec = "default", **settings: Any
) -> Metric:
    """The metric of that name, in any case, for a language.

    `settings` are those of `celab.run.Run`. TESLA-S and sacreBLEU's metrics have no
    lexicon.

    >>> named("chrF").signature.split("|")[0]
    'chrf'
    >>> named("chfr")
    Traceback (most recent call last):
    celab.errors.OptionError: metric is 'chfr'; did you mean 'chrf'?
    """
    key = known_as(name)
    if key not in METRICS:
        raise OptionError(f"metric is {name!r}; {meant(key, METRICS)}")
    if key == "celab":
        from celab.metrics.celab import TeslaCelab

        return TeslaCelab(lang=lang, lexicon=lexicon, **settings)
    if key == "tesla-m":
        from celab.metrics.tesla_m import TeslaM

        return TeslaM(lang=lang, lexicon=lexicon, **settings)
    if key == "tesla-s":
        from celab.metrics.tesla_s import TeslaS

        return TeslaS(lang=lang, **settings)
    if key == "tesla-b":
        from celab.metrics.tesla_b import TeslaB

        return TeslaB(lang=lang, lexicon=lexicon, **settings)
    if key == "tesla-f":
        from celab.metrics.tesla_f import TeslaF

        return TeslaF(lang=lang, **settings)
    from celab.metrics.baselines import Baseline

    return Baseline(key, lang, **settings)


def known_as(name: str) -> str:
    """The name of a metric as we write it, whatever its case.

    >>> known_as("chrF2"), known_as("TESLA-CELAB"), known_as("BLEU")
    ('chrf', 'celab', 'bleu')
    """
    return _OTHER_NAMES.get(name.lower(), name.lower())


def several(given: GivenMetrics, **settings: Any) -> dict[str, Metric]:
    """Metrics by name; those that are given by name are made with the settings of `named`."""
    if isinstance(given, Mapping):
        return {key: _made(key, one, settings)[1] for key, one in given.items()}
    some = [given] if isinstance(given, str | Metric) else list(given)
    made: dict[str, Metric] = {}
    for one in some:
        key, metric = _made("", one, settings)
        if key in made and made[key] != metric:
            raise OptionError(
                f"two different metrics are called {key!r}; give a dict of names and metrics"
            )
        made[key] = metric
    if not made:
        raise OptionError("no metric is given; give at least one, such as 'celab'")
    return made


def _made(key: str, one: object, settings: dict[str, Any]) -> tuple[str, Metric]:
    if isinstance(one, str):
        one = named(one, **settings)
    if not hasattr(one, "corpus_score"):
        raise OptionError(
            f"a metric is of type {type(one).__name__}; it must be a name ({', '.join(METRICS)})"
            " or a metric of celab"
        )
    metric = cast(Metric, one)
    return key or metric.signature.partition("|")[0], metric
