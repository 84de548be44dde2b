"""Flags → metrics, for all commands that score."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, get_args

from celab.base.dicts import Arguments
from celab.base.errors import OptionError
from celab.base.frozen import dataclass
from celab.base.languages import language_code
from celab.base.numbers import decimal
from celab.base.options import Spec, option, part
from celab.base.run import Run
from celab.cli.arguments import Parser
from celab.cli.flags import add_flags, add_options, flag, join_names
from celab.cli.groups import Strictness
from celab.cli.metric_names import ALL_OPTIONS, names_of, options_of, parameters_by_flag
from celab.metrics.options import PROFILE_HELP, PROFILES, SacrebleuTokenizer, Tokenize
from celab.metrics.registry import METRICS

if TYPE_CHECKING:
    from celab.cli.outcome import Warnings
    from celab.metrics.base import Metric

# Fields of the data that metrics read, by name.
_DATA: dict[str, Spec] = {}
for _entry in METRICS.values():
    for _spec in fields(_entry.data):
        _DATA.setdefault(_spec.name, _spec)


@dataclass(frozen=True, kw_only=True)
class Metrics:
    """The metrics of a command: their names as they were given, and their options by flag."""

    names: tuple[str, ...] = ()
    are_named: bool = False  # or they are the default of the command
    slow: bool = False
    given: Mapping[str, Any] = field(default_factory=dict)
    run: Run = field(default_factory=Run)  # settings that move no score

    @classmethod
    def add_flags(
        cls,
        parser: Parser,
        default: str = "celab",
        renamed: Mapping[str, str] = MappingProxyType({}),
        has_slow: bool = False,
    ) -> None:
        """Add `-m`, with the default of the command, and the flags of all metrics.

        `renamed` maps options to flags, where the command has another use for the usual flag.
        """
        if has_slow:
            add_flags(parser, _Time)
        lexicon = parser.add_argument_group("Lexicon")
        add_flags(parser, Strictness)
        metric = parser.add_argument_group("Metric")
        names = f"one or more of {', '.join(METRICS)} (default: {default})"
        action = metric.add_argument(
            *("-m", "--metric", "--metrics"),
            help=f"metrics (case-insensitive); {names}",
            metavar="NAME...",
            action="append",
        )
        action.names = "metrics"  # type: ignore[attr-defined]
        for name, spec in _DATA.items():
            group = lexicon if spec.metadata["group"] == "Lexicon" else metric
            action = group.add_argument(
                flag(name),
                help=spec.metadata["help"],
                metavar=spec.metadata["metavar"],
                choices=spec.metadata["choices"],
                action="append" if spec.metadata["repeats"] else "store",
            )
            action.names = spec.metadata.get("names")  # type: ignore[attr-defined]
            if name == "lang":
                help = f"{PROFILE_HELP} (default: {PROFILES[0]})"
                metric.add_argument("--profile", help=help, choices=PROFILES)
        # A preset has the options of its metric.
        option_types = {name: entry.options for name, entry in METRICS.items() if not entry.preset}
        add_options(parser, option_types, "options of", renamed)

    @classmethod
    def of_flags(cls, values: Mapping[str, Any], default: str = "celab", **_: object) -> Self:
        """Return the metrics that flags ask for."""
        given = {name: values[name] for name in ALL_OPTIONS if values.get(name) is not None}
        of_run = {spec.name for spec in fields(Run)}
        return cls(
            names=tuple(values["metric"] or [default]),
            are_named=bool(values["metric"]),
            slow=values.get("slow") is True,
            given=MappingProxyType(given),
            run=Run(**{name: value for name, value in given.items() if name in of_run}),
        )

    @property
    def lang(self) -> str | None:
        """The target language, if it is given."""
        return language_code(self.given.get("lang"))

    def target_of(self, metrics: Mapping[str, Metric]) -> str | None:
        """Return the target language: the one that is given, or that of the first metric."""
        return self.lang or next((metric.language for metric in metrics.values()), None)

    def single_name(self) -> str:
        """Return the name of the metric; `OptionError` if there are several."""
        names = names_of(self.names)
        if len(names) > 1:
            raise OptionError(f"--metric is {', '.join(names)}; give one metric")
        return names[0]

    def make(self, warnings: Warnings, used: Collection[str] = ()) -> dict[str, Metric]:
        """Return the metrics by name, and warn about them, such as of a replaced lexicon.

        A flag that none of them takes is an error, unless the command itself uses it (`used`).
        """
        names = names_of(self.names)
        for taken in self.given:
            owners = [name for name in METRICS if taken in options_of(name)]
            if taken not in used and not set(owners).intersection(names):
                raise OptionError(self._problem(taken, names, owners))
        tokenize = self.given.get("tokenize")
        hint = _of_sacrebleu("tokenize", tokenize)
        if hint and tokenize not in get_args(Tokenize):
            raise OptionError(f"--tokenize is {tokenize!r}; it is an option of celab{hint}")
        with warnings.collect():
            return _make(names, self.given)

    def _problem(self, option: str, names: Sequence[str], owners: Sequence[str]) -> str:
        """Return what is wrong with a flag that no metric takes."""
        if option == "bleu_tokenize":
            return (
                f"-tok ({flag(option)}) is the tokenization of bleu, not of"
                f" {' or '.join(names)}; use it with -m bleu"
            )
        takers = join_names([name for name in owners if not METRICS[name].preset])
        problem = f"{flag(option)} applies only to {takers}, not {' or '.join(names)}"
        return problem + _of_sacrebleu(option, self.given[option])


@dataclass(frozen=True, kw_only=True)
class _Time:
    slow: bool = option(
        False, "score also by a metric that may take more than ten minutes", group="Time"
    )


def metrics(default: str = "celab", **settings: Any) -> Metrics:
    """Return a field for the flags of all metrics; `settings` are those of `Metrics.add_flags`."""
    return part(Metrics, settings={"default": default, **settings})


def _of_sacrebleu(option: str, value: object) -> str:
    # sacreBLEU's --tokenize is that of BLEU.
    is_tokenizer = option == "tokenize" and value in get_args(SacrebleuTokenizer)
    return f"; the tokenization of bleu is -tok {value}" if is_tokenizer else ""


def _make(names: Sequence[str], given: Mapping[str, Any]) -> dict[str, Metric]:
    from celab.metrics import factory  # loads NumPy, which help does not need

    return factory.with_distinct_titles(
        {name: factory.make_metric(name, **_options(name, given)) for name in names}
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
