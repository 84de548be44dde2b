"""Groups of options that several commands have; `celab.corpus.options` has those of texts.

A command takes all options of a group or some: see `option_group`. The classes are made without
`__eq__` and `__repr__`, which nobody needs of them, and which take time at every start.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from celab.base import io
from celab.base.arguments import Arguments
from celab.base.errors import OptionError, suggest
from celab.base.languages import language_code, written_language
from celab.base.options import (
    N_RESAMPLES,
    RESAMPLES,
    SEED,
    SEEDS,
    OptionChange,
    option,
    option_group,
)
from celab.cli.names import kinds_of_findings
from celab.cli.rules import Rule, conflict, needs
from celab.corpus.formats import FORMATS
from celab.corpus.options import Inputs
from celab.metrics.options import LANGUAGE_DEFAULTS
from celab.statistics.documents import UNITS, ResampleBy
from celab.statistics.significance import Test
from celab.tables.view import TABLES

MAX_DIGITS = 15
HUMAN = "human"  # the name of the judge that `--human` gives
# `--lang` of commands that have no metric.
LANGUAGE: OptionChange = {"convert": language_code, "choices": tuple(LANGUAGE_DEFAULTS)}
# `celab check` also takes the script in which Chinese is written.
WRITTEN_CHINESE = ("zh-Hans", "zh-Hant", "zh-CN", "zh-SG", "zh-TW", "zh-HK", "zh-MO")
WRITTEN_LANGUAGE: OptionChange = {
    "convert": written_language,
    "choices": (*LANGUAGE_DEFAULTS, *WRITTEN_CHINESE),
}


def texts_group(*, without: Sequence[str], **changes: str | OptionChange) -> Inputs:
    """Return a field for the flags that say what to read; see `option_group`."""
    settings: Arguments = {"format": {"convert": _format}, **changes}
    return option_group(Inputs, without=without, **settings)


def text_rules(r: Inputs) -> Iterator[Rule]:
    """Yield the rules of how texts are read."""
    yield needs(r.text_documents, r.align)


def taken_with_text(r: Inputs) -> Iterable[object]:
    """Return the options of texts that `--text` takes, which are those that need no file."""
    return r.files, r.references, r.systems, r.language_pair, r.unwrap, r.text


def _format(name: str) -> str:
    output = {"md": "markdown", "tex": "latex"}.get(name, name)
    flags = {"text": "-f text", "html": "--html FILE", "latex": "--latex", "markdown": "--markdown"}
    if flag := flags.get(output):
        raise argparse.ArgumentTypeError(
            f"{name!r} is given; this is the format of the input ({', '.join(FORMATS)}); for the"
            f" output use {flag}"
        )
    if name not in FORMATS:
        raise argparse.ArgumentTypeError(f"{name!r} is given; {suggest(name, FORMATS)}")
    return name


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SignificanceOptions:
    """Significance tests and intervals."""

    heading: ClassVar[str] = "Intervals and tests"

    test: Test | None = option(
        None, "significance test (default: bootstrap)", choices=("bootstrap", "randomization")
    )
    resamples: int = option(
        N_RESAMPLES,
        "number of resamples, for intervals and for either test",
        metavar="N",
        between=RESAMPLES,
    )
    seed: int = option(SEED, "random seed", metavar="N", between=SEEDS)
    resample_by: ResampleBy | None = option(
        None,
        "unit that intervals and tests draw (default: segment); document: for talks and stories,"
        " whose segments depend on each other",
        choices=UNITS,
    )

    @property
    def resampling(self) -> Arguments:
        """Number of resamples, seed, and what is drawn, as the library takes them."""
        unit = {} if self.resample_by is None else {"resample_by": self.resample_by}
        return {"n_resamples": self.resamples, "seed": self.seed, **unit}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class JudgeOptions:
    """Scores of other metrics and human judgments."""

    heading: ClassVar[str] = "Other judges"

    scores: tuple[str, ...] = option(
        (),
        "scores of another metric, shown beside those of celab; formats: COMET's JSON or"
        " printed lines, MetricX's JSON Lines, mt-metrics-eval's .seg.score or .sys.score, or a"
        " TSV table with system, segment and score; or a folder with a file per system",
        metavar="NAME=FILE",
        repeats=True,
    )
    lower_is_better: tuple[str, ...] = option(
        (),
        "lower is better for this external metric; detected in files of MetricX",
        metavar="NAME",
        file="none",
        repeats=True,
    )
    human: str | None = option(
        None,
        "human scores, shown beside the metrics; a table as for --scores, or judgments as for"
        " --spans",
        metavar="FILE",
    )
    spans: str | None = option(
        None,
        "human error annotations; adds a table of the errors that the metric detects; formats:"
        " MQM TSV, .seg.rating, Appraise CSV, Pearmut, XCOMET's JSON, or TSV with system,"
        " segment, start, end, severity, category",
        metavar="FILE",
    )
    count_from: int | None = option(
        None,
        "number of the first segment, 0 or 1, in tables of judgments in which it cannot be"
        " detected",
        metavar="N",
        between=(0, 1),
    )

    def score_files(self) -> dict[str, str]:
        """Return the files of external metrics, by name."""
        paths: dict[str, str] = {}
        for text in self.scores:
            name, _, path = text.partition("=")
            name = io.readable(name)
            if not name or not path or "," in name:
                raise OptionError(
                    f"--scores is {text!r}; it must be NAME=FILE, such as comet=comet.tsv"
                )
            if name in paths:
                raise OptionError(f"--scores gives {name} twice; each name must be given once")
            paths[name] = path
        for name in self.lower_is_better:
            if name not in paths:
                raise OptionError(
                    f"--lower-is-better is {name!r}; it must be a name that --scores gives"
                )
        return paths

    def files(self) -> dict[str, str]:
        """Return the files of all judges, by name; people are the last."""
        paths = self.score_files()
        if self.human is not None:
            if HUMAN in paths:
                raise OptionError(f"--scores gives {HUMAN}, which is the name for --human")
            paths[HUMAN] = self.human
        return paths


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TermOptions:
    """A glossary and the language of its terms."""

    terms: str | None = option(
        None,
        "glossary; adds a column with term accuracy (see celab terms)",
        metavar="FILE",
        group="Terms",
    )
    source_lang: str | None = option(
        None,
        "source language, such as en or de, to find inflected terms (default: detected)",
        metavar="LANG",
        group="Source language",
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class GateOptions:
    """A gate that fails if there is a finding."""

    heading: ClassVar[str] = "Gate"

    fail_on: tuple[str, ...] = option(
        (),
        "exit code 1 if an output has a finding of one of these kinds, separated by commas:"
        " {kinds}; docs/ci.md",
        metavar="KINDS",
        items="kinds",
        convert=lambda text: tuple(text.split(",")),
        repeats=True,
        known_names=kinds_of_findings,
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ReportOptions:
    """HTML reports and plots, which are written beside the output."""

    heading: ClassVar[str] = "Output"

    html: str | None = option(None, "also write an HTML report", metavar="FILE", file="output")
    explained: int = option(
        2_000,
        "maximum number of outputs that --html explains, for all metrics together",
        metavar="N",
        between=(0, 1_000_000),
    )
    report_lang: str | None = option(
        None,
        "language of the --html report (default: en); readers can change it in the page",
        choices=("en", "zh"),
    )
    plot: str | None = option(
        None,
        "also draw a plot; .svg, .png or .pdf (needs matplotlib)",
        metavar="FILE",
        file="output",
    )
    no_check: bool = option(
        False,
        "skip the checks for outputs that may not be translations and for copies in references",
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OutputOptions:
    """Where the output goes, and in which form."""

    heading: ClassVar[str] = "Output"

    json: bool = option(False, "print JSON, with all digits")
    # Formats of tables that are asked for, of which there may be one.
    tables: tuple[str, ...] = option((), "print {} tables", value_flags=TABLES)
    output: str | None = option(
        None,
        "output file, written atomically (default: stdout)",
        flags="-o --output",
        metavar="FILE",
        file="output",
    )
    overwrite: bool = option(False, "replace existing files of any kind")
    color: str = option(
        "auto",
        "when to use colors (default: auto); auto: in a terminal",
        choices=("auto", "always", "never"),
    )
    digits: int | None = option(
        None,
        "digits after the decimal point (default: 4 for TESLA, DICOMER and CREMER, 2 for the"
        " others)",
        flags="-w --digits",
        metavar="N",
        between=(0, MAX_DIGITS),
    )
    quiet: bool = option(False, "suppress progress and status messages", flags="-q --quiet")

    @property
    def table(self) -> str | None:
        """The format of tables, if one is asked for."""
        return next(iter(self.tables), None)

    @property
    def format(self) -> str:
        """Format of `--output`, or of standard output: a key of `FILES` in `output_files`."""
        return "json" if self.json else self.table or "text"


def format_rules(r: OutputOptions) -> Iterator[Rule]:
    """Yield the rules of the form of output, of which there is one."""
    yield conflict(r.json, r.tables)
    yield conflict(r.tables, r.tables)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class WarningOptions:
    """Options that make warnings errors, and allow a slow metric."""

    strict: bool = option(False, "treat warnings as errors", group="Warnings")
    slow: bool = option(False, "allow a metric that may take more than ten minutes", group="Time")
