"""Flags → metrics, for all commands that score."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, get_args

from celab.base.dicts import Arguments
from celab.base.errors import OptionError, describe
from celab.base.numbers import decimal
from celab.base.options import Spec
from celab.cli.arguments import (
    Parser,
    add_options,
    as_flag,
    flag,
    join_names,
)
from celab.cli.metric_names import names_of, options_of, parameters_by_flag
from celab.metrics.options import PROFILE_HELP, PROFILES, SacrebleuTokenizer, Tokenize
from celab.metrics.registry import METRICS

if TYPE_CHECKING:
    from celab.cli.requests import MetricRequest
    from celab.metrics.base import Metric

# Fields of the data that metrics read, by name.
_DATA: dict[str, Spec] = {}
for _entry in METRICS.values():
    for _spec in fields(_entry.data):
        _DATA.setdefault(_spec.name, _spec)


def add_metrics(
    parser: Parser, default: str = "celab", renamed: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Add `-m`, with the default of the command, and the flags of all metrics.

    `renamed` maps options to flags, where the command has another use for the usual flag.
    """
    groups = {"Lexicon": parser.group("Lexicon")}
    add_strict(parser)
    groups["Metric"] = add = parser.group("Metric")
    names = f"metrics (case-insensitive); one or more of {', '.join(METRICS)} (default: {default})"
    add("-m --metric --metrics", names, metavar="NAME...", action="append")
    for name, spec in _DATA.items():
        settings: Arguments = {"action": "append" if spec.metadata["repeats"] else "store"}
        if choices := spec.metadata["choices"]:
            settings["choices"] = choices
        spelled = f"{flag(name)} {spec.metadata['metavar'] or ''}"
        groups[spec.metadata["group"]](spelled, spec.metadata["help"], **settings)
        if name == "lang":
            add("--profile", f"{PROFILE_HELP} (default: {PROFILES[0]})", choices=PROFILES)

    # A preset has the options of its metric.
    option_types = {name: entry.options for name, entry in METRICS.items() if not entry.preset}
    add_options(parser, option_types, "options of", renamed)


def add_strict(parser: Parser) -> None:
    """Add `--strict`, for commands that may fall back on another lexicon."""
    parser.group("warnings")("--strict", "treat warnings as errors")


def single_name(request: MetricRequest) -> str:
    """Return the name of the metric; `OptionError` if there are several."""
    names = names_of(request.metric)
    if len(names) > 1:
        raise OptionError(f"--metric is {', '.join(names)}; give one metric")
    return names[0]


def make_metrics(
    request: MetricRequest, used: Collection[str] = ()
) -> tuple[dict[str, Metric], list[str]]:
    """Return the metrics by name, and warnings about them, such as a replaced lexicon.

    A flag that none of them takes is an error, unless the command itself uses it (`used`).
    """
    names = names_of(request.metric)
    for option in request.given:
        owners = [name for name in METRICS if option in options_of(name)]
        if option not in used and not set(owners).intersection(names):
            takers = join_names([name for name in owners if not METRICS[name].preset])
            problem = f"{flag(option)} applies only to {takers}, not {' or '.join(names)}"
            if option == "bleu_tokenize":
                raise OptionError(
                    f"-tok ({flag(option)}) is the tokenization of bleu, not of"
                    f" {' or '.join(names)}; use it with -m bleu"
                )
            raise OptionError(problem + _of_sacrebleu(option, request.given[option]))
    tokenize = request.given.get("tokenize")
    hint = _of_sacrebleu("tokenize", tokenize)
    if hint and tokenize not in get_args(Tokenize):
        raise OptionError(f"--tokenize is {tokenize!r}; it is an option of celab{hint}")
    with collect_warnings(request.strict) as notices:
        metrics = _make(names, request)
    return metrics, notices


def _of_sacrebleu(option: str, value: object) -> str:
    # sacreBLEU's --tokenize is that of BLEU.
    is_tokenizer = option == "tokenize" and value in get_args(SacrebleuTokenizer)
    return f"; the tokenization of bleu is -tok {value}" if is_tokenizer else ""


@contextmanager
def collect_warnings(strict: bool) -> Iterator[list[str]]:
    """Collect the warnings of the block in a list; the first is an error if `strict`."""
    messages: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield messages
    # Metrics that share a lexicon warn about it alike.
    texts = dict.fromkeys(describe(warning.message, as_flag) for warning in caught)
    warn(messages, texts, strict)


def warn(notices: list[str], texts: Iterable[str], strict: bool) -> None:
    """Add warnings to `notices`, shown at the end; the first is an error if `strict`."""
    for text in texts:
        if strict:
            raise OptionError(f"{text}; --strict makes this an error")
        notices.append(text)


def _make(names: Sequence[str], request: MetricRequest) -> dict[str, Metric]:
    from celab.metrics import factory  # loads NumPy, which help does not need

    return factory.with_distinct_titles(
        {name: factory.make_metric(name, **_options(name, request.given)) for name in names}
    )


def _options(name: str, given: Mapping[str, Any]) -> Arguments:
    names = parameters_by_flag(name) | ({"profile": "profile"} if METRICS[name].profiles else {})
    options = {parameter: given[flag] for flag, parameter in names.items() if flag in given}
    if "lexicon" in options:
        options["lexicon"] = lexicon_of(options["lexicon"])
    if "function_tags" in options:
        options["function_tags"] = options["function_tags"].split(",")
    if "grades" in options:
        options["grades"] = grades_of(options["grades"])
    return options


def grades_of(text: str) -> dict[str, float] | float:
    """Return the credits of `--grades` by key, or the single credit."""
    credits: dict[str, float] = {}
    for part in text.split(","):
        key, number = (word.strip() for word in part.rpartition(":")[::2])
        credit = decimal(number)
        if credit is not None and number == text.strip():
            return credit
        if credit is None or not key or key in credits:
            raise OptionError(
                f"--grades has {part!r}; it must be a key and a credit, each key once, such as"
                " '=:1,#:0.7' or 'zh-core:1,my.tsv:0.6'"
            )
        credits[key] = credit
    return credits


def _lexicons_in(values: Sequence[str]) -> list[str]:
    """Return the lexicons; several may be one value, separated by commas, that is no file."""
    parts = ([value] if os.path.exists(value) else value.split(",") for value in values)
    return [name for names in parts for name in names]


def lexicon_of(names: Sequence[str] | None) -> str | list[str] | None:
    """Return the values of `--lexicon` as the metrics take them."""
    if names is None:
        return "default"
    names = [
        "none" if name.lower() == "none" and not os.path.exists(name) else name
        for name in _lexicons_in(names)
    ]
    if "none" in names:
        if len(names) > 1:
            raise OptionError("--lexicon none is given with others; give it alone")
        return None
    return names[0] if len(names) == 1 else list(names)
