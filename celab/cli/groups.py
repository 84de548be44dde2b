"""Groups of options that several commands have; `celab.corpus.inputs` has those of texts.

They are made without `__eq__` and `__repr__`, which nobody needs of them, and which take time at
every start.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from celab.base import io
from celab.base.arguments import Arguments
from celab.base.errors import OptionError, suggest
from celab.base.languages import language_code
from celab.base.options import N_RESAMPLES, RESAMPLES, SEED, SEEDS, option, part
from celab.cli.names import kinds_of_findings
from celab.cli.rules import Rule, conflict, needs
from celab.corpus.formats import FORMATS
from celab.corpus.inputs import Align, Parts, Sources, TextDocuments, Unwrap, Words
from celab.metrics.options import LANGUAGE_DEFAULTS
from celab.statistics.significance import Test
from celab.tables.view import TABLES

T = TypeVar("T")
MOST_DIGITS = 15
HUMAN = "human"  # the name of the judge that `--human` gives
# `--lang` of commands that have no metric.
LANGUAGE: Mapping[str, Any] = {"convert": language_code, "choices": tuple(LANGUAGE_DEFAULTS)}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Aligned(TextDocuments, Align):
    """Outputs that are aligned with the references."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AlignedTexts(Parts, Aligned, Sources):
    """Texts, which may be aligned."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Texts(Parts, Unwrap, Aligned, Sources):
    """Texts, which may be aligned and unwrapped."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TextsOrWords(Words, Texts):
    """Texts in files, or on the command line."""


def texts_part(group: type[T], **changes: Any) -> T:
    """Return a field for the flags that say what to read; `changes` are those of `part`."""
    return part(group, format={"convert": _format}, **changes)


def text_rules(r: Aligned) -> Iterator[Rule]:
    """Yield the rules of how texts are read."""
    yield needs(r.text_documents, r.align)


def taken_with_text(r: TextsOrWords) -> Iterable[object]:
    """Return the options of texts that `--text` takes: those that ask for no file to be read."""
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
class Significance:
    """A significance test."""

    heading: ClassVar[str] = "Intervals and tests"

    test: Test | None = option(
        None, "significance test (default: bootstrap)", choices=("bootstrap", "randomization")
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Resamples:
    """Resamples of a bootstrap."""

    heading: ClassVar[str] = "Intervals and tests"

    resamples: int = option(N_RESAMPLES, "number of resamples", metavar="N", between=RESAMPLES)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Seed:
    """The seed of what is random."""

    heading: ClassVar[str] = "Intervals and tests"

    seed: int = option(SEED, "random seed", metavar="N", between=SEEDS)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Resampling(Seed, Resamples):
    """Number of resamples and seed."""

    @property
    def resampling(self) -> Arguments:
        """Number of resamples and seed, as the library takes them."""
        return {"n_resamples": self.resamples, "seed": self.seed}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Tests(Resampling, Significance):
    """Significance tests and intervals."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Scores:
    """Scores of other metrics and of people."""

    heading: ClassVar[str] = "Other judges"

    scores: tuple[str, ...] = option(
        (),
        "scores of another metric, shown beside ours; COMET's JSON or printed lines, MetricX's JSON"
        " Lines, mt-metrics-eval's .seg.score or .sys.score, or a TSV table with system, segment"
        " and score; or a folder with a file per system",
        metavar="NAME=FILE",
        repeats=True,
    )
    lower_is_better: tuple[str, ...] = option(
        (),
        "lower is better for this external metric; files of MetricX say it",
        metavar="NAME",
        file="none",
        repeats=True,
    )
    human: str | None = option(
        None,
        "human scores, shown beside ours; a table as for --scores, or judgments as for --spans",
        metavar="FILE",
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
class Spans:
    """Errors that people have marked."""

    heading: ClassVar[str] = "Other judges"

    spans: str | None = option(
        None,
        "errors that people have marked; adds a table of those that the metric saw; MQM TSV,"
        " .seg.rating, Appraise CSV, Pearmut, XCOMET's JSON, or TSV with system, segment, start,"
        " end, severity, category",
        metavar="FILE",
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Counting:
    """Numbers of segments in tables of judgments."""

    heading: ClassVar[str] = "Other judges"

    count_from: int | None = option(
        None,
        "number of the first segment in tables of judgments that have neither segment 0 nor, as the"
        " last, the number of segments (default: the one that the table has)",
        choices=(0, 1),  # type: ignore[arg-type]
        convert=lambda text: int(text) if text in ("0", "1") else text,
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Judges(Counting, Spans, Scores):
    """Scores of other metrics and of people, and error spans."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Glossary:
    """A glossary, whose terms are looked for."""

    terms: str | None = option(
        None,
        "glossary; adds a column with the share of its terms that are rendered right, see celab"
        " terms",
        metavar="FILE",
        group="Terms",
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SourceLanguage:
    """The language of sources."""

    source_lang: str | None = option(
        None,
        "source language, such as en or de, whose inflected terms are found (default: a guess)",
        metavar="LANG",
        group="Source language",
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Terms(SourceLanguage, Glossary):
    """A glossary, whose terms are looked for."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FindingGate:
    """A gate that fails if there is a finding."""

    heading: ClassVar[str] = "Gate"

    fail_on: tuple[str, ...] = option(
        (),
        "exit code 1 if an output has a finding of one of these kinds, separated by commas:"
        " {kinds}",
        metavar="KINDS",
        convert=lambda text: tuple(text.split(",")),
        names=kinds_of_findings,
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Html:
    """A page."""

    heading: ClassVar[str] = "Output"

    html: str | None = option(None, "also write an HTML report", metavar="FILE", file="output")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Explained:
    """Explanations in a page."""

    heading: ClassVar[str] = "Output"

    explained: int = option(
        2_000,
        "number of outputs that --html explains, shared by the metrics",
        metavar="N",
        between=(0, 1_000_000),
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ReportLanguage:
    """The language of a page."""

    heading: ClassVar[str] = "Output"

    report_lang: str | None = option(
        None,
        "language of the --html report (default: en); its reader can change it",
        choices=("en", "zh"),
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Page(ReportLanguage, Html):
    """A page and its language."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Report(ReportLanguage, Explained, Html):
    """A report on systems, which is written beside the output."""

    no_check: bool = option(
        False, "do not look for outputs that are not translations, nor for copies in references"
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Plot:
    """A plot."""

    heading: ClassVar[str] = "Output"

    plot: str | None = option(
        None,
        "also draw a plot; .svg, .png or .pdf (needs matplotlib)",
        metavar="FILE",
        file="output",
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Json:
    """JSON in place of text."""

    heading: ClassVar[str] = "Output"

    json: bool = option(False, "print JSON, with every digit")

    @property
    def format(self) -> str:
        """Format of `--output`, or of what is printed: a key of `FILES` in `outputs`."""
        return "json" if self.json else "text"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Formats(Json):
    """JSON or tables in place of text."""

    # Formats of tables that are asked for, of which there may be one.
    tables: tuple[str, ...] = option((), "print {} tables", each=TABLES)

    @property
    def table(self) -> str | None:
        """The format of tables, if one is asked for."""
        return next(iter(self.tables), None)

    @property
    def format(self) -> str:
        """Format of `--output`, or of what is printed: a key of `FILES` in `outputs`."""
        return "json" if self.json else self.table or "text"


def format_rules(r: Formats) -> Iterator[Rule]:
    """Yield the rules of the form of output, of which there is one."""
    yield conflict(r.json, r.tables)
    yield conflict(r.tables, r.tables)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OutputFile:
    """The file of the output."""

    heading: ClassVar[str] = "Output"

    output: str | None = option(
        None,
        "output file, written atomically (default: stdout)",
        flags="-o --output",
        metavar="FILE",
        file="output",
    )
    overwrite: bool = option(False, "replace files that exist, whatever they are")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Color(OutputFile):
    """Colors of the output, which a file has only if they are asked for."""

    color: str = option(
        "auto",
        "when to use colors (default: auto); auto: in a terminal",
        choices=("auto", "always", "never"),
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Digits(OutputFile):
    """Digits of the figures in the output."""

    digits: int | None = option(
        None,
        "digits after the decimal point (default: 4 for TESLA, 2 for the others)",
        flags="-w --digits",
        metavar="N",
        between=(0, MOST_DIGITS),
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Quiet:
    """Messages on standard error."""

    heading: ClassVar[str] = "Output"

    quiet: bool = option(False, "suppress status messages and progress", flags="-q --quiet")


# What commands write; each has the options of the groups that it is made of, the last one's first.


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Output(Quiet, OutputFile):
    """A file, or standard output."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class JsonOutput(Output, Json):
    """Text or JSON."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TableOutput(Output, Formats):
    """Text, JSON or tables."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FigureOutput(Output, Digits, Formats):
    """Text, JSON or tables of figures."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Slow:
    """Metrics that take long."""

    heading: ClassVar[str] = "Time"

    slow: bool = option(False, "score also by a metric that may take more than ten minutes")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Strictness:
    """Treatment of warnings."""

    heading: ClassVar[str] = "Warnings"

    strict: bool = option(False, "treat warnings as errors")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Candidates:
    """Files of n-best lists."""

    heading: ClassVar[str] = "Input"

    nbest_lists: tuple[str, ...] = option((), "file of n-best lists", metavar="NBEST", words="*")
    format: str | None = option(
        None, "input format (default: auto-detect)", choices=("moses", "jsonl")
    )
    encoding: str | None = option(
        None, "text encoding, such as gb18030 or utf-16 (default: UTF-8)", metavar="NAME"
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Datasets:
    """Folders of systems that people have judged."""

    heading: ClassVar[str] = "Input"

    dataset: tuple[str, ...] = option((), "folders of judged systems", metavar="DATASET", words="*")
    refs: str | None = option(
        None,
        "references, such as A,B (default: all, or the first of mt-metrics-eval)",
        metavar="NAMES",
        file="none",
    )

    @property
    def chosen(self) -> list[str] | None:
        """The names of the references, if they are given."""
        return None if self.refs is None else self.refs.split(",")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Engine:
    """Flags of distributed scoring."""

    heading: ClassVar[str] = "Distributed scoring"

    engine: str = option(
        "local",
        "where to score (default: local); dask: on the workers of a Dask cluster, which"
        " read plain text files or Parquet themselves (extra: dask)",
        choices=("local", "dask"),
    )
    scheduler: str | None = option(
        None,
        "address of the Dask scheduler, such as tcp://10.0.0.1:8786"
        " (default: start --jobs workers on this machine)",
        metavar="ADDRESS",
    )
    partition_size: int | None = option(
        None,
        "number of segments that a Dask worker takes at once (default: 100000)",
        metavar="ROWS",
        between=(1, 10**9),
    )
