"""A name and options → the arguments of a metric: the one place where presets are applied.

Commands, functions, classes, adapters and the server all come through `resolve`, so a name is the
same metric everywhere. An option that is not given is absent, or has the value that stands for
that: None, and for `lexicon`, where None means no lexicon, "default". This module loads neither
NumPy nor a kernel.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields

from celab.base.dicts import Arguments
from celab.base.errors import OptionError
from celab.base.frozen import dataclass
from celab.base.languages import language_code
from celab.base.run import Run
from celab.metrics.registry import METRICS, arguments_of, canonical_name, unknown_metric

_NOT_GIVEN = {"lexicon": "default"}  # of other options, None
_RUN_OPTIONS = {spec.name for spec in fields(Run)}


@dataclass(frozen=True, slots=True)
class Settings:
    """A metric by name: the arguments of its class, once for each view of the text.

    `lacks_preset` says that the name stands for settings which the language does not have.
    """

    name: str
    title: str
    views: tuple[Mapping[str, object], ...]
    lacks_preset: bool = False


def resolve(name: str, options: Mapping[str, object]) -> Settings:
    """Return the settings that a name stands for, in any case, with the given options.

    Given options replace those of a preset, in each view. Grades name lexicons of their own or are
    parts of the language's, so without a lexicon they also replace that of the preset; a view that
    has none ignores them. `lang` and `lexicon` are left out for a metric that takes none.

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
    for argument in {"lang", "lexicon"} - set(arguments_of(key)):
        given.pop(argument, None)
    entry = METRICS[key]
    if not entry.preset:
        return Settings(key, entry.full_title(), (given,))
    lang = given.pop("lang", "zh")
    presets = entry.presets.get(language_code(lang)) if isinstance(lang, str) else None
    views = tuple({"lang": lang} | dict(view) for view in presets or ({},))
    shown = [
        f"{option} {_shown(value)}"
        for option, value in given.items()
        if option not in _RUN_OPTIONS and any(view.get(option) != value for view in views)
    ]
    return Settings(key, entry.full_title(*shown), _replace(views, given), lacks_preset=not presets)


def _is_given(name: str, value: object) -> bool:
    return value is not None if name not in _NOT_GIVEN else value != _NOT_GIVEN[name]


def _replace(views: Sequence[Arguments], given: Arguments) -> tuple[Arguments, ...]:
    has_lexicon = [view.get("lexicon", "default") is not None for view in views]
    # Where no view has one, the metric says what is wrong.
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
    """Return the value of an option as a title has it: files by name, credits with their keys.

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
