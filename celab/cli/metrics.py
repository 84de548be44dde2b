"""Flags → metrics, for all commands that score."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, get_args

from celab.base.arguments import Arguments
from celab.base.errors import OptionError, nearest
from celab.base.languages import language_code
from celab.base.options import (
    OptionChange,
    OptionInfo,
    decimal,
    flag_name,
    info_of,
    option,
    option_group,
)
from celab.base.run import Run
from celab.cli.flags import FLAG_NAMES, Flag, flag, flag_info, flag_table, join_names
from celab.cli.names import metric_names
from celab.cli.option_groups import WarningOptions
from celab.metrics import factory
from celab.metrics.base import Metric
from celab.metrics.options import PROFILE_HELP, PROFILES, SacrebleuTokenizer, Tokenize
from celab.metrics.registry import METRICS, canonical_name, fields_of, unknown_metric

METRIC_FLAGS = ("-m", "--metric", "--metrics")
_HEADING = "Metric"
_DEFAULT = " (default: "
_PROFILE = OptionInfo(
    default=None,
    value_type=str,
    help=f"{PROFILE_HELP} (default: {PROFILES[0]})",
    flags=("--profile",),
    choices=PROFILES,
    group=_HEADING,
)


def _flags_of_metrics() -> list[Flag]:
    """Return a flag for each field of the data and options of all metrics; equal names are one."""
    infos: dict[str, OptionInfo] = {}
    for entry in METRICS.values():
        for spec in fields(entry.data):
            name, info = FLAG_NAMES.get(spec.name, spec.name), info_of(spec)
            if name in infos:
                continue
            infos[name] = info._replace(
                default=None,
                flags=info.flags or (flag(name),),
                group=info.group or _HEADING,
            )
            if name == "lang":
                infos["profile"] = _PROFILE
    by_owner: dict[str, dict[str, OptionInfo]] = {}
    for owner, entry in METRICS.items():
        for cls in () if entry.preset else entry.options:  # a preset has those of its metric
            for spec in fields(cls):
                by_owner.setdefault(flag_name(spec), {})[owner] = flag_info(cls, spec)
    for name, owners in by_owner.items():
        infos[name] = _join(owners)
    return [Flag(name, ("options", name), info) for name, info in infos.items()]


def _join(owners: Mapping[str, OptionInfo]) -> OptionInfo:
    """Return an option that several metrics have, with the help text of each.

    If the texts differ only in their defaults, there is one text with the default of each.
    """
    owners_by_help: dict[str, list[str]] = {}
    for owner, info in owners.items():
        owners_by_help.setdefault(info.help, []).append(owner)
    first = next(iter(owners.values()))
    parts = [(help.rpartition(_DEFAULT), names) for help, names in owners_by_help.items()]
    if len(parts) == 1:
        help = first.help
    elif len({text for (text, _, _), _ in parts}) == 1 and ";" not in "".join(
        default for (_, _, default), _ in parts
    ):
        defaults = [f"{join_names(names)}: {default[:-1]}" for (_, _, default), names in parts]
        help = f"{parts[0][0][0]}{_DEFAULT}{'; '.join(defaults)})"
    else:
        help = "; ".join(f"{join_names(names)}: {text}" for text, names in owners_by_help.items())
    return first._replace(help=help, group=f"Options of {join_names([*owners])}")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Metrics:
    """The metrics of a command: their names as they were given, and their options by flag."""

    strictness: WarningOptions = option_group(WarningOptions, only=["strict"])
    names: tuple[str, ...] = option(
        (),
        f"metrics (case-insensitive); one or more of {', '.join(METRICS)} (default: {{}}); mer is"
        " the mixed error rate of characters and words, not the match error rate",
        flags=" ".join(METRIC_FLAGS),
        dest="metric",
        metavar="NAME...",
        repeats=True,
        group="Metric",
        file="none",
        known_names=metric_names,
    )
    default: str = "celab"  # if there are no names
    # The options of metrics that the user sets, by the names of their flags.
    options: Mapping[str, Any] = flag_table(_flags_of_metrics())

    @property
    def run(self) -> Run:
        """The settings that move no score."""
        names = [spec.name for spec in fields(Run) if spec.name in self.options]
        return Run(**{name: self.options[name] for name in names})

    @property
    def lang(self) -> str | None:
        """The target language, if `--lang` is set."""
        return language_code(self.options.get("lang"))

    def target_of(self, metrics: Mapping[str, Metric]) -> str | None:
        """Return the target language: `--lang`, or the language of the first metric."""
        first = next((metric.language for metric in metrics.values()), None)
        return self.lang if "lang" in self.options else first

    def chosen(self, known: Collection[str] = METRICS) -> list[str]:
        """Return the canonical names of the metrics, without duplicates."""
        return names_of(self.names, known) if self.names else self.default.split(",")

    @property
    def need_references(self) -> bool:
        """Whether one of the metrics needs references."""
        return any(METRICS[name].needs_references for name in self.chosen())

    def single_name(self) -> str:
        """Return the name of the metric; `OptionError` if there are several."""
        names = self.chosen()
        if len(names) > 1:
            raise OptionError(f"--metric is {', '.join(names)}; give one metric")
        return names[0]

    def make(self, used: Collection[str] = ()) -> dict[str, Metric]:
        """Return the metrics by name.

        A flag that none of them takes is an error, unless the command itself uses it (`used`).
        """
        names = self.chosen()
        for taken in self.options:
            owners = [name for name in METRICS if taken in options_of(name)]
            if taken not in used and not set(owners).intersection(names):
                raise OptionError(self._problem(taken, names, owners))
        tokenize = self.options.get("tokenize")
        if tokenize in get_args(SacrebleuTokenizer) and tokenize not in get_args(Tokenize):
            advice = _of_sacrebleu("tokenize", tokenize)
            raise OptionError(f"--tokenize is {tokenize!r}; it is an option of celab{advice}")
        made: dict[str, Metric] = {}
        for name in names:
            options = _options(name, self.options) if self.options else {}
            made[name] = factory.make_metric(name, **options)
        return factory.with_distinct_titles(made) if len(made) > 1 else made

    def _problem(self, option: str, names: Sequence[str], owners: Sequence[str]) -> str:
        """Return an error text about a flag that none of the metrics takes."""
        if option == "bleu_tokenize":
            return (
                f"-tok ({flag(option)}) is the tokenization of bleu, not of"
                f" {' or '.join(names)}; use it with -m bleu"
            )
        takers = join_names([name for name in owners if not METRICS[name].preset])
        problem = f"{flag(option)} applies only to {takers}, not {' or '.join(names)}"
        return problem + _of_sacrebleu(option, self.options[option])


def metrics_group(default: str = "celab", **changes: OptionChange) -> Metrics:
    """Return a field for the flags of all metrics; see `option_group`."""
    (names,) = (spec for spec in fields(Metrics) if spec.name == "names")
    all_changes: Arguments = {"names": info_of(names).help.format(default), **changes}
    return option_group(Metrics, settings={"default": default}, **all_changes)


def _of_sacrebleu(option: str, value: object) -> str:
    # sacreBLEU's --tokenize is that of BLEU.
    is_tokenizer = option == "tokenize" and value in get_args(SacrebleuTokenizer)
    return f"; the tokenization of bleu is -tok {value}" if is_tokenizer else ""


def _options(name: str, given: Mapping[str, Any]) -> Arguments:
    names = parameters_by_flag(name) | ({"profile": "profile"} if METRICS[name].profiles else {})
    options = {parameter: given[flag] for flag, parameter in names.items() if flag in given}
    if "lexicon" in options:
        options["lexicon"] = lexicon_of(options["lexicon"])
    if "function_tags" in options:
        tags = options["function_tags"].split(",")
        if wrong := next((tag for tag in tags if re.search("[，、]", tag)), None):
            raise OptionError(f"--function-tags has {wrong!r}; tags are separated by commas")
        options["function_tags"] = tags
    if "grades" in options:
        options["grades"] = grades_of(options["grades"])
    return options


def grades_of(text: str) -> dict[str, float] | float:
    """Return the credits of `--grades` by key, or the single credit."""
    credits: dict[str, float] = {}
    for credited in text.split(","):
        key, number = (word.strip() for word in credited.rpartition(":")[::2])
        credit = decimal(number)
        if credit is not None and number == text.strip():
            return credit
        if credit is None or not key or key in credits:
            raise OptionError(
                f"--grades has {credited!r}; it must be a key and a credit, each key once, such as"
                " '=:1,#:0.7' or 'zh-core:1,my.tsv:0.6'"
            )
        credits[key] = credit
    return credits


def _lexicons_in(values: Sequence[str]) -> list[str]:
    """Return the lexicons; several may be one value, separated by commas, that is not a file."""
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


def options_of(name: str) -> tuple[str, ...]:
    """Return the names of the flags that a metric takes, as the parsed arguments have them."""
    return (*parameters_by_flag(name), *(["profile"] if METRICS[name].profiles else []))


def parameters_by_flag(name: str) -> dict[str, str]:
    """Return the parameters of a metric, except its profile, by the names of their flags."""
    specs = {flag_name(spec): spec.name for spec in fields_of(name)}
    return {FLAG_NAMES.get(flag, flag): parameter for flag, parameter in specs.items()}


def _is_misspelt(word: str, known: Collection[str]) -> bool:
    return word[:1] != "-" and nearest(word, known) is not None and not os.path.exists(word)


def join_metric_names(argv: Sequence[str], known: Collection[str]) -> list[str]:
    """Return the words with the names after `-m` joined, so that they are not read as files.

    A word that resembles a name and is not a file counts as a misspelt name, unless it may be a
    text, because of `--text`. Nothing after `--` is a name.
    """
    result: list[str] = []
    end = argv.index("--") if "--" in argv else len(argv)
    remaining, after = list(argv[:end]), argv[end:]
    is_text = "--text" in remaining
    while remaining:
        word = remaining.pop(0)
        flag, _, value = word.partition("=")
        if flag in METRIC_FLAGS:
            result.append(flag)
            names: list[str] = [value] if value else []
            while remaining and (
                not names
                or known_metric(remaining[0], known) in known
                or (not is_text and _is_misspelt(remaining[0], known))
            ):
                names.append(remaining.pop(0))
            result += [",".join(names)] if names else []
        else:
            result.append(word)
    return [*result, *after]


def names_of(values: Sequence[str], known: Collection[str] = METRICS) -> list[str]:
    """Return the names of the requested metrics, without duplicates.

    They are separated by commas, and unless a name has spaces, by spaces as well.

    >>> names_of(["celab, BLEU", "celab"])
    ['celab', 'bleu']
    """
    names: dict[str, None] = {}
    for words in (words for value in values for words in value.split(",")):
        for word in [words] if known_metric(words, known) in known else words.split():
            name = known_metric(word, known)
            if name not in known:
                raise unknown_metric(word, known)
            names[name] = None
    if not names:
        raise unknown_metric("", known)
    return list(names)


def known_metric(name: str, known: Collection[str] = METRICS) -> str:
    """Return the canonical spelling of a metric's name; a name in `known` is unchanged."""
    return name if name in known else canonical_name(name)
