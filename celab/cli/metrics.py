"""Flags → metrics, for all commands that score."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import Field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from celab.base.errors import OptionError, describe, nearest
from celab.base.numbers import decimal
from celab.base.run import Run
from celab.cli.arguments import (
    FLAG_NAMES,
    Parser,
    add_options,
    as_flag,
    chosen_options,
    flag,
    listed,
)
from celab.metrics.registry import METRICS, arguments_of, canonical_name, metric_class

if TYPE_CHECKING:
    from celab.metrics.base import Metric

# What the metrics read, by the names of their arguments.
_DATA: dict[str, Field[Any]] = {}
for _entry in METRICS.values():
    for _spec in fields(_entry.data):
        _DATA.setdefault(_spec.name, _spec)


def options_of(name: str) -> tuple[str, ...]:
    """Return the names of the flags that a metric takes, as the parsed arguments have them."""
    flags = tuple(FLAG_NAMES.get(option, option) for option in arguments_of(name))
    return (*flags, "profile") if name == "celab" else flags


def add_metrics(
    parser: Parser, default: str = "celab", renamed: Mapping[str, str] = MappingProxyType({})
) -> None:
    """`-m`, whose default the command decides, and every flag that a metric takes.

    `renamed` has the flags of options whose own name the command uses for something else.
    """
    groups = {"Lexicon": parser.group("Lexicon")}
    add_strict(parser)
    groups["Metric"] = add = parser.group("Metric")
    names = f"metrics, in any case (default: {default}); one or more of {', '.join(METRICS)}"
    add("-m --metric --metrics", names, metavar="NAME...", action="append")
    for name, spec in _DATA.items():
        settings: dict[str, Any] = {"action": "append" if spec.metadata["repeats"] else "store"}
        if choices := spec.metadata["choices"]:
            settings["choices"] = choices
        spelled = f"{flag(name)} {spec.metadata['metavar'] or ''}"
        groups[spec.metadata["group"]](spelled, spec.metadata["help"], **settings)
        if name == "lang":
            add(
                "--profile",
                "celab: settings of the 2012 paper, or those that we recommend for zh, ja, ko,"
                " de and en; options that are given replace them (default: paper)",
                choices=("paper", "recommended"),
            )

    option_types = {name: entry.options for name, entry in METRICS.items()}
    add_options(parser, option_types, "options of", renamed)


def add_strict(parser: Parser) -> None:
    """`--strict`, for every command that can use another lexicon than the one asked for."""
    parser.group("warnings")("--strict", "treat warnings as errors")


def parsed(
    parser: Parser, argv: Sequence[str] | None, known: Collection[str] = METRICS
) -> argparse.Namespace:
    """The parsed arguments (default: of the process); those of `Run` are always checked."""
    words = gathered(sys.argv[1:] if argv is None else argv, known)
    arguments = parser.parse_intermixed_args(words)
    Run(**chosen_options(arguments, Run))
    return arguments


def _is_metric(word: str, known: Collection[str]) -> bool:
    if known_metric(word, known) in known:
        return True
    return word[:1] != "-" and nearest(word, known) is not None and not os.path.exists(word)


def gathered(argv: Sequence[str], known: Collection[str]) -> list[str]:
    """The names that follow `-m` joined to one value, so that they are not taken for files.

    A word that is nearly such a name, and no file, is one that is misspelt.
    """
    result: list[str] = []
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        result.append(word)
        if word in ("-m", "--metric", "--metrics"):
            names: list[str] = []
            while rest and (not names or _is_metric(rest[0], known)):
                names.append(rest.pop(0))
            result += [",".join(names)] if names else []
    return result


def names_of(given: Sequence[str] | None, known: Collection[str] = METRICS) -> list[str]:
    """The metrics that were asked for, each once."""
    names = [name for some in given or ["celab"] for name in some.split(",")]
    for name in names:
        if known_metric(name, known) not in known:
            from celab.base.errors import suggest

            raise OptionError(f"--metric is {name!r}; {suggest(name, known)}")
    return list(dict.fromkeys(known_metric(name, known) for name in names))


def known_metric(name: str, known: Collection[str] = METRICS) -> str:
    """The usual spelling of a metric's name; a name in `known` is unchanged."""
    return name if name in known else canonical_name(name)


def single(arguments: argparse.Namespace) -> str:
    """The name of the metric, for a command that takes one."""
    names = names_of(arguments.metric)
    if len(names) > 1:
        raise OptionError(f"--metric is {', '.join(names)}; give one metric")
    return names[0]


def made(
    arguments: argparse.Namespace, used: Collection[str] = ()
) -> tuple[dict[str, Metric], list[str]]:
    """The metrics by name, and warnings about them, such as a replaced lexicon.

    A flag that none of them has is refused, unless the command has a use for it itself (`used`).
    """
    names = names_of(arguments.metric)
    takes = {name: options_of(name) for name in METRICS}
    for option in dict.fromkeys(option for options in takes.values() for option in options):
        owners = [name for name, options in takes.items() if option in options]
        is_given = getattr(arguments, option, None) is not None
        if is_given and option not in used and not set(owners).intersection(names):
            raise OptionError(
                f"{flag(option)} is not an option of {' or '.join(names)};"
                f" {listed(owners)} {'have' if len(owners) > 1 else 'has'} it"
            )
    with noticed(arguments.strict) as notices:
        metrics = {name: _metric(name, arguments) for name in names}
    return metrics, notices


@contextmanager
def noticed(strict: bool) -> Iterator[list[str]]:
    """Collects the warnings of the block in a list; the first is an error if `strict`."""
    told: list[str] = []
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        yield told
    warn(told, [describe(warning.message, as_flag) for warning in seen], strict)


def warn(notices: list[str], texts: Iterable[str], strict: bool) -> None:
    """Adds warnings to those that a command shows at its end; the first is an error if `strict`."""
    for text in texts:
        if strict:
            raise OptionError(f"{text}; --strict makes this an error")
        notices.append(text)


def _metric(name: str, arguments: argparse.Namespace) -> Metric:
    import celab

    every = vars(arguments)
    given = {option: every[option] for option in options_of(name) if every.get(option) is not None}
    if "lexicon" in given:
        given["lexicon"] = lexicon_of(given["lexicon"])
    if "function_tags" in given:
        given["function_tags"] = given["function_tags"].split(",")
    if "grades" in given:
        given["grades"] = grades_of(given["grades"])
    if given.pop("profile", "paper") == "recommended":
        return celab.recommended(**{"lang": "zh"} | given)
    if "pivot" in given:
        given["pivots"] = given.pop("pivot")
    metric: Metric = metric_class(name)(**given)
    return metric


def inputs(arguments: argparse.Namespace) -> list[str | None]:
    """Other files that a metric reads; a lexicon may also be a name."""
    files = (getattr(arguments, name, None) for name in ("counts", "weights", "model"))
    graded = (getattr(arguments, "grades", None) or "").split(",")
    keys = [part.rpartition(":")[0] or None for part in graded]
    pivots = getattr(arguments, "pivot", None) or ()
    return [*(arguments.lexicon or ()), *keys, *pivots, *files]


def grades_of(given: str) -> dict[str, float] | float:
    """What `--grades` says, as the metric takes it."""
    found: dict[str, float] = {}
    for part in given.split(","):
        key, _, number = part.rpartition(":")
        credit = decimal(number)
        if credit is not None and number == given:
            return credit
        if credit is None or not key or key in found:
            raise OptionError(
                f"--grades has {part!r}; it must be a key and a credit, each key once, such as"
                " '=:1,#:0.7'"
            )
        found[key] = credit
    return found


def lexicon_of(given: list[str] | None) -> str | list[str] | None:
    """What `--lexicon` names, once or several times, as the metrics take it."""
    if given is None:
        return "default"
    if "none" in given:
        if len(given) > 1:
            raise OptionError("--lexicon none is given with others; give it alone")
        return None
    return given[0] if len(given) == 1 else given
