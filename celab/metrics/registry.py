"""The metrics by name. Commands, reports, training and `celab` itself ask here.

A metric is a class in a file of its own and a line of `METRICS`. Its class says everything else:
`title`, `digits`, `higher_is_better`, the options and the other arguments of its flags. Classes are
loaded when they are used.

>>> metric_class("tesla-s").title, canonical_name("chrF2"), digits_of("bleu")
('TESLA-S', 'chrf', 2)
"""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple


class Entry(NamedTuple):
    """Where the class of a metric is, and other names that people know the metric by."""

    module: str
    class_name: str
    aliases: tuple[str, ...] = ()


METRICS = {
    "celab": Entry("celab.metrics.celab", "TeslaCelab", ("tesla-celab",)),
    "tesla-m": Entry("celab.metrics.tesla_m", "TeslaM"),
    "tesla-s": Entry("celab.metrics.tesla_s", "TeslaS"),
    "tesla-b": Entry("celab.metrics.tesla_b", "TeslaB"),
    "tesla-f": Entry("celab.metrics.tesla_f", "TeslaF"),
    "bleu": Entry("celab.metrics.baselines", "Bleu"),
    "chrf": Entry("celab.metrics.baselines", "Chrf", ("chrf2",)),
    "chrf++": Entry("celab.metrics.baselines", "ChrfPlusPlus", ("chrf2++",)),
    "ter": Entry("celab.metrics.baselines", "Ter"),
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


def title_of(name: str) -> str:
    """Return the display name of a metric; a name that is not registered is its own title."""
    return str(metric_class(name).title) if name in METRICS else name


def digits_of(name: str) -> int:
    """Return the number of decimals to show: four, unless the metric says otherwise."""
    return int(metric_class(name).digits) if name in METRICS else 4
