"""The registry of metrics, by name.

A metric is a class in its own module and a line of `METRICS`, which has all facts that are needed
before the class is loaded, such as its flags: only the metrics that are used are imported.

>>> title_of("tesla-s"), canonical_name("chrF2"), digits_of("bleu")
('TESLA-S', 'chrf', 2)
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import Field, fields
from types import MappingProxyType
from typing import Any, NamedTuple

from celab.base.arguments import Arguments
from celab.base.errors import OptionError, Setting, Text, suggest
from celab.base.options import Options
from celab.base.run import Run
from celab.base.signature import Signature
from celab.metrics.options import (
    PROFILES,
    BaselineData,
    BleuOptions,
    CharacterOptions,
    ChrfOptions,
    ChrfWordOptions,
    CremerOptions,
    DicomerOptions,
    DiscourseData,
    RougeOptions,
    TerOptions,
    TeslaBData,
    TeslaCelabData,
    TeslaCelabOptions,
    TeslaFData,
    TeslaMData,
    TeslaMOptions,
    TeslaSOptions,
    WordData,
)

# Arguments of a metric for each language; several are views of the text, whose mean is the score.
Presets = Mapping[str, tuple[Mapping[str, object], ...]]


class MetricEntry(NamedTuple):
    """Facts about a metric, known without loading it.

    Attributes:
        module, class_name: module and name of its class, a subclass of
            `celab.metrics.base.Metric`.
        title: name in tables and reports.
        data: dataclass of its inputs, such as a language and a lexicon.
        options: dataclasses whose fields are its other options.
        aliases: other names that commands and functions accept.
        digits: number of decimals to show.
        has_rates: whether its scores have precision and recall.
        preset: addition to the title, such as "recommended", of a name that only changes defaults.
        presets: language → these defaults; several dicts are views, whose mean is the score.
        profiles: value of `profile` → registered name.
        needs_references: whether there must be references.
        reads_documents: whether it scores documents, whose lines are joined; a line without a
            document is a document by itself.
    """

    module: str
    class_name: str
    title: str
    data: type[Options]
    options: tuple[type[Options], ...] = (Run,)
    aliases: tuple[str, ...] = ()
    digits: int = 4
    has_rates: bool = True
    preset: str = ""
    presets: Presets = MappingProxyType({})
    profiles: Mapping[str, str] = MappingProxyType({})
    needs_references: bool = True
    reads_documents: bool = False

    def full_title(self, *options: str) -> str:
        """Return the title with the preset, and with the options that replace its settings.

        >>> METRICS["celab-recommended"].full_title("max_order 2")
        'TESLA-CELAB (recommended, max_order 2)'
        """
        return f"{self.title} ({', '.join((self.preset, *options))})" if self.preset else self.title


_BASELINE: Arguments = {
    "data": BaselineData,
    "digits": 2,
    "has_rates": False,
}

_CHARACTERS = "celab.metrics.character_metrics"
_ROUGE: Arguments = {"data": BaselineData, "options": (RougeOptions,), "digits": 2}

_CELAB = MetricEntry(
    "celab.metrics.celab",
    "TeslaCelab",
    "TESLA-CELAB",
    TeslaCelabData,
    (TeslaCelabOptions, Run),
    ("tesla-celab",),
)

# The settings that we recommend for each language, with evidence: docs/agreement.md. They were
# chosen on development sets: one setting for each language, the same for all its sets. The defaults
# of `TeslaCelab` stay those of the paper. These are the arguments that differ from its defaults for
# the language; several are views of the text, and their mean is the score.
RECOMMENDED: dict[str, tuple[Arguments, ...]] = {
    "zh": ({"lexicon": "zh-core", "weights": "information", "decay": 0.3, "length_limit": 1.3},),
    "ja": ({"weights": "information", "decay": 0.5, "max_order": 2, "length_limit": 1.2},),
    "ko": ({"max_order": 3, "f": 1.0, "length_limit": 1.3},),
    "de": (
        {"tokenize": "letter", "lexicon": None, "case": "keep", "f": 1.0, "length_limit": 1.5},
        {"decay": 0.3, "f": 1.0, "length_limit": 1.5},
    ),
    "en": ({"tokenize": "letter", "lexicon": None, "length_limit": 1.3},),
}

METRICS = {
    "celab": _CELAB._replace(
        profiles=dict(zip(PROFILES, ("celab", "celab-recommended"), strict=True))
    ),
    "celab-recommended": _CELAB._replace(
        aliases=("tesla-celab-recommended",),
        preset="recommended",
        presets=RECOMMENDED,
    ),
    "tesla-m": MetricEntry(
        "celab.metrics.tesla_m", "TeslaM", "TESLA-M", TeslaMData, (TeslaMOptions, Run)
    ),
    "tesla-s": MetricEntry(
        "celab.metrics.tesla_s", "TeslaS", "TESLA-S", WordData, (TeslaSOptions, Run)
    ),
    "tesla-b": MetricEntry(
        "celab.metrics.tesla_b", "TeslaB", "TESLA-B", TeslaBData, (TeslaMOptions, Run)
    ),
    "tesla-f": MetricEntry(
        "celab.metrics.tesla_f", "TeslaF", "TESLA-F", TeslaFData, has_rates=False
    ),
    "dicomer": MetricEntry(
        "celab.metrics.dicomer",
        "Dicomer",
        "DICOMER",
        DiscourseData,
        (DicomerOptions, Run),
        has_rates=False,
        needs_references=False,
        reads_documents=True,
    ),
    "cremer": MetricEntry(
        "celab.metrics.cremer",
        "Cremer",
        "CREMER",
        DiscourseData,
        (CremerOptions, Run),
        has_rates=False,
        reads_documents=True,
    ),
    "bleu": MetricEntry(
        "celab.metrics.baselines", "Bleu", "BLEU", options=(BleuOptions,), **_BASELINE
    ),
    "chrf": MetricEntry(
        "celab.metrics.baselines",
        "Chrf",
        "chrF2",
        options=(ChrfOptions, ChrfWordOptions),
        aliases=("chrf2",),
        **_BASELINE,
    ),
    "chrf++": MetricEntry(
        "celab.metrics.baselines",
        "ChrfPlusPlus",
        "chrF2++",
        options=(ChrfOptions,),
        aliases=("chrf2++",),
        **_BASELINE,
    ),
    "ter": MetricEntry("celab.metrics.baselines", "Ter", "TER", options=(TerOptions,), **_BASELINE),
    "cer": MetricEntry(_CHARACTERS, "Cer", "CER", options=(CharacterOptions,), **_BASELINE),
    "mer": MetricEntry(_CHARACTERS, "Mer", "MER", options=(CharacterOptions,), **_BASELINE),
    "rouge1": MetricEntry(_CHARACTERS, "Rouge1", "ROUGE-1", aliases=("rouge-1",), **_ROUGE),
    "rouge2": MetricEntry(_CHARACTERS, "Rouge2", "ROUGE-2", aliases=("rouge-2",), **_ROUGE),
    "rougeL": MetricEntry(
        _CHARACTERS, "RougeL", "ROUGE-L", aliases=("rougel", "rouge-l"), **_ROUGE
    ),
}
_CANONICAL = {alias: name for name, entry in METRICS.items() for alias in entry.aliases}


def canonical_name(name: str) -> str:
    """Return the registered name for a name in any case, or for an alias."""
    return _CANONICAL.get(name.lower(), name.lower())


# Metrics that celab does not compute, by the beginnings of their names.
_EXTERNAL = (
    r"(?:\S*/)?(?:wmt\d+-)?(?:x?comet|kiwi|bleurt|metricx|bert-?score|bart-?score|yisi|prism|unite"
    r"|gemba|sentinel|matese|blaser|labse|laser|sonar|docwmt|remedy|meteor|nist|ribes|gleu"
    r"|m?qe\b)"
)
# Names of metrics that celab has under another name or with other options.
_RELATED: dict[str, Text] = {
    **dict.fromkeys(
        ("wer", "edit-distance"),
        "the error rates of celab are cer by characters, mer by words, or characters of Chinese,"
        " Japanese and Korean, and ter, which also counts shifts",
    ),
    "rouge": "choose from rouge1, rouge2, rougeL",
    "rougelsum": "celab takes a text as one sequence: rougeL",
    **dict.fromkeys(
        ("spbleu", "flores"),
        ("it is bleu with ", Setting("tokenize", "flores200", flag="bleu_tokenize")),
    ),
    **{
        f"chrf{beta}": ("it is chrf with ", Setting("beta", beta, flag="chrf_beta"))
        for beta in (1, 3)
    },
}


def unknown_metric(name: str, known: Iterable[str] = METRICS) -> OptionError:
    """Return the error about a name that is not a metric, with a suggestion.

    >>> str(unknown_metric("chfr"))
    "unknown metric 'chfr'; did you mean 'chrf'?"
    """
    message, hint = f"unknown metric {name!r}", _RELATED.get(name.lower())
    if hint is None and re.match(_EXTERNAL, name, re.IGNORECASE):
        message = f"celab does not compute {name}"
        label = name.rpartition("/")[2]
        hint = (
            "its scores can be shown beside those of celab with ",
            Setting("scores", {label: "FILE"}),
            "; see docs/judges.md",
        )
    return OptionError(message, hint=hint or suggest(name, known))


def metric_class(name: str) -> type[Any]:
    """Load the class of a registered name, a subclass of `celab.metrics.base.Metric`."""
    entry = METRICS[name]
    kind: type[Any] = getattr(importlib.import_module(entry.module), entry.class_name)
    return kind


def title_of(metric: str | Signature) -> str:
    """Return the display name of a metric; a name that is not registered is its own title.

    >>> title_of("celab-recommended")
    'TESLA-CELAB (recommended)'
    """
    if isinstance(metric, Signature):
        return metric.label or title_of(metric.metric)
    return METRICS[metric].full_title() if metric in METRICS else metric


def digits_of(name: str) -> int:
    """Return the number of decimals to show."""
    return METRICS[name].digits if name in METRICS else 4


def arguments_of(name: str) -> tuple[str, ...]:
    """Return the names of the arguments that a metric takes."""
    return tuple(spec.name for spec in fields_of(name))


def fields_of(name: str) -> tuple[Field[Any], ...]:
    """Return the fields of the arguments that a metric takes."""
    entry = METRICS[name]
    return tuple(spec for kind in (entry.data, *entry.options) for spec in fields(kind))
