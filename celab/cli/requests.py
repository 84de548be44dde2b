"""Requests: what a command is asked to do, as frozen dataclasses.

A request is made in one place, `celab.cli.command.make`, from what the parser of the command has
understood, and is whole and checked then: everything after it is typed. Its fields are options of
the command's own, and groups of options that it shares with others (`celab.cli.option_groups`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from celab.base import io
from celab.base.languages import language_code
from celab.base.options import Limits
from celab.cli.flags import CommandLine, flag
from celab.cli.metrics import Metrics
from celab.cli.option_groups import (
    GateOptions,
    JudgeOptions,
    OutputOptions,
    ReportOptions,
    TermOptions,
    WarningOptions,
)
from celab.cli.rules import Rule, ShortForm
from celab.corpus.options import Inputs
from celab.metrics.registry import METRICS
from celab.tables.view import TABLES


class SharedGroups:
    """The option groups of a request; a command has the ones that its request declares.

    These are types for mypy alone; each request declares its own fields.
    """

    texts: Inputs
    limits: Limits
    metrics: Metrics
    output: OutputOptions
    gate: GateOptions


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Request(SharedGroups):
    """Base class of requests: a command declares its groups and options as fields of a subclass."""

    # Lines of usage for messages; {0} is the program.
    usages: ClassVar[str] = (
        "{0} REF... HYP, {0} REF < HYP, {0} -r REF... -s SYSTEM..., or one file that holds them all"
    )
    text_usages: ClassVar[str] = "{0} --text REF... HYP, or {0} --text -r REF... -s SYSTEM..."

    command_line: CommandLine = field(default=CommandLine({}, {}), repr=False)
    program: str

    @staticmethod
    def rules(r: Any) -> Iterator[Rule]:
        """Yield the rules of the options, which `celab.cli.rules` makes; `r` is a stand-in."""
        yield from ()

    @staticmethod
    def short_forms(r: Any) -> Iterator[ShortForm]:
        """Yield which options are short for others; `r` is a stand-in."""
        yield from ()

    @property
    def inputs(self) -> Inputs:
        """All options of texts; options that the command does not have are at their defaults."""
        lang = self.command_line.values.get("lang")
        return replace(self.texts, lang=language_code(lang), written_lang=lang or "")

    def has_option(self, name: str) -> bool:
        """Return whether the command has an option."""
        return name in self.command_line.flags

    def is_set(self, name: str) -> bool:
        """Return whether the user has set an option; False if the command does not have it."""
        return name in self.command_line.values

    @property
    def format_flags(self) -> dict[str, str]:
        """The flags of output formats, by name of the format."""
        tables = [name for name in TABLES if self.has_option(name) or self.has_option("tables")]
        json = ["json"] if self.has_option("json") else []
        return {name: flag(name) for name in (*json, *tables)}

    @property
    def overwrite(self) -> bool:
        """Whether files that exist are replaced whatever they are."""
        return self.is_set("overwrite")

    @property
    def quiet(self) -> bool:
        """Whether standard error gets no notes."""
        return self.is_set("quiet")

    @property
    def usage(self) -> str:
        """A line of usage, for messages."""
        return (self.text_usages if self.inputs.text else self.usages).format(self.program)

    @property
    def output_format(self) -> str:
        """Format of `--output`: a key of `FILES` in `output_files`; "" for texts without a mark."""
        return self.output.format

    @property
    def output_files(self) -> dict[str, str]:
        """The files that the command writes, by flag."""
        return self.command_line.output_files

    def input_files(self) -> Iterator[str]:
        """Yield all files that the command may read, also in folders; `-` is left out."""
        for name, values in self.command_line.possible_inputs.items():
            for value in values:
                yield from self.files_of(name, value)

    def files_of(self, name: str, value: str) -> Iterator[str]:
        """Yield the files that the value of an option may stand for."""
        for path in possible_paths(value):
            yield from io.files_at(path)

    @classmethod
    def known_metrics(cls, words: Sequence[str]) -> Collection[str]:
        """Return the names that `-m` takes; `words` are those of the command line."""
        return METRICS


class CampaignRequest(Request):
    """Base class of requests that score systems, with other judges, terms and a report.

    As those of `SharedGroups`, its fields are types for mypy; each request declares its own.
    """

    judges: JudgeOptions
    report: ReportOptions
    terms: TermOptions
    time: WarningOptions


def possible_paths(value: str) -> list[str]:
    """Return all parts of an argument that may be paths.

    >>> possible_paths("comet=comet.tsv"), possible_paths("zh-core:1,my.tsv:0.6")[-2:]
    (['comet=comet.tsv', 'comet.tsv'], ['zh-core', 'my.tsv'])
    """
    parts = [value, *(value.split(",") if "," in value else ())]
    parts += [part.partition("=")[2] for part in (value,) if "=" in part]
    parts += [part.rpartition(":")[0] for part in value.split(",") if ":" in part]
    return [part for part in dict.fromkeys(parts) if part]


def judged_files(folder: str) -> Iterator[str]:
    """Yield the files in a folder of judged systems that may be read."""
    from celab.agreement import layout

    return map(str, layout.files_in(folder))
