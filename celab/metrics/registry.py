"""The metrics by name. Commands, reports, training and `celab` itself ask here.

A metric is a class in a file of its own and a line of `METRICS`, which says all that is asked
before the class is needed: flags and help are made without loading NumPy or a kernel.

>>> title_of("tesla-s"), canonical_name("chrF2"), digits_of("bleu")
('TESLA-S', 'chrf', 2)
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import fields
from typing import Any, NamedTuple

from celab.base.options import (
    BaselineData,
    TeslaBData,
    TeslaCelabData,
    TeslaCelabOptions,
    TeslaFData,
    TeslaMData,
    TeslaMOptions,
    TeslaSOptions,
    WordData,
)
from celab.base.run import Run


class Entry(NamedTuple):
    """Facts about a metric, known without loading it.

    Attributes:
        module, class_name: where its class is, a subclass of `celab.metrics.base.Metric`.
        title: name in tables and reports.
        data: dataclass whose fields are what it reads, such as a language and a lexicon.
        options: dataclasses whose fields are its other options.
        aliases: other names that people know it by.
        digits: number of decimals to show.
        has_rates: whether its scores have precision and recall.
        preset: class method that makes the metric with other defaults, if the name stands for
            these; its scores have the title and the signature of the metric itself.
    """

    module: str
    class_name: str
    title: str
    data: type[Any]
    options: tuple[type[Any], ...] = (Run,)
    aliases: tuple[str, ...] = ()
    digits: int = 4
    has_rates: bool = True
    preset: str = ""


_BASELINE: dict[str, Any] = {
    "data": BaselineData,
    "options": (),
    "digits": 2,
    "has_rates": False,
}

_CELAB = Entry(
    "celab.metrics.celab",
    "TeslaCelab",
    "TESLA-CELAB",
    TeslaCelabData,
    (TeslaCelabOptions, Run),
    ("tesla-celab",),
)

METRICS = {
    "celab": _CELAB,
    "celab-recommended": _CELAB._replace(
        aliases=("tesla-celab-recommended",), preset="recommended"
    ),
    "tesla-m": Entry(
        "celab.metrics.tesla_m", "TeslaM", "TESLA-M", TeslaMData, (TeslaMOptions, Run)
    ),
    "tesla-s": Entry("celab.metrics.tesla_s", "TeslaS", "TESLA-S", WordData, (TeslaSOptions, Run)),
    "tesla-b": Entry(
        "celab.metrics.tesla_b", "TeslaB", "TESLA-B", TeslaBData, (TeslaMOptions, Run)
    ),
    "tesla-f": Entry("celab.metrics.tesla_f", "TeslaF", "TESLA-F", TeslaFData, has_rates=False),
    "bleu": Entry("celab.metrics.baselines", "Bleu", "BLEU", **_BASELINE),
    "chrf": Entry("celab.metrics.baselines", "Chrf", "chrF2", aliases=("chrf2",), **_BASELINE),
    "chrf++": Entry(
        "celab.metrics.baselines", "ChrfPlusPlus", "chrF2++", aliases=("chrf2++",), **_BASELINE
    ),
    "ter": Entry("celab.metrics.baselines", "Ter", "TER", **_BASELINE),
}
_CANONICAL = {alias: name for name, entry in METRICS.items() for alias in entry.aliases}


def canonical_name(name: str) -> str:
    """Return the registered name for a name in any case, or for an alias."""
    return _CANONICAL.get(name.lower(), name.lower())


def metric_class(name: str) -> type[Any]:
    """Load the class of a registered name, a subclass of `celab.metrics.base.Metric`."""
    entry = METRICS[name]
    kind: type[Any] = getattr(importlib.import_module(entry.module), entry.class_name)
    return kind


def metric_maker(name: str) -> Callable[..., Any]:
    """Return what makes the metric of a registered name: its class, or a preset of the class."""
    kind, preset = metric_class(name), METRICS[name].preset
    return getattr(kind, preset) if preset else kind


def title_of(name: str) -> str:
    """Return the display name of a metric; a name that is not registered is its own title."""
    return METRICS[name].title if name in METRICS else name


def digits_of(name: str) -> int:
    """Return the number of decimals to show: four, unless the metric says otherwise."""
    return METRICS[name].digits if name in METRICS else 4


def arguments_of(name: str) -> tuple[str, ...]:
    """Return the names of the arguments that a metric takes."""
    entry = METRICS[name]
    return tuple(spec.name for kind in (entry.data, *entry.options) for spec in fields(kind))
