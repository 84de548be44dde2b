"""The request of `celab score`: all that can be asked, and how options go together.

`short_forms` say what is short for what, `rules` what excludes what and what needs what; a list for
each way to score has the options that it takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from celab.base.options import Limits, option, option_group
from celab.cli.flags import number
from celab.cli.metrics import Metrics, metrics_group
from celab.cli.option_groups import (
    GateOptions,
    JudgeOptions,
    OutputOptions,
    ReportOptions,
    SignificanceOptions,
    TermOptions,
    WarningOptions,
    taken_with_text,
    text_rules,
    texts_group,
)
from celab.cli.requests import CampaignRequest
from celab.cli.rules import (
    Rule,
    ShortForm,
    conflict,
    means,
    needs,
    options_listed_by,
    refuse,
    takes,
    value,
)
from celab.corpus.options import Inputs
from celab.tables.view import TABLES

LEVELS = ("system", "document", "segment")
_FORMATS = ("text", "json", *reversed(TABLES))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ScoreRequest(CampaignRequest):
    """Request of `celab score`."""

    heading = "Output"

    texts: Inputs = texts_group(without=["lang"])
    level: str = option(
        "system",
        "level to report (default: system); a document is scored like a test set: by the mean"
        " of its segments, or by pooled counts (BLEU, chrF, TER)",
        choices=LEVELS,
    )
    segments: bool = option(
        False,
        "table of segment scores, TSV without -f; same as --level segment; system scores follow on"
        " standard error",
    )
    output: OutputOptions = option_group(
        OutputOptions,
        without=["color"],
        json="print JSON, with all digits; with --segments, also segment scores",
        tables="print tables as {}",
        output="output file, written atomically; with --engine dask, a folder for Parquet files",
        quiet="suppress progress, status messages and the system scores that --segments prints;"
        " warnings are still shown",
    )
    label: tuple[str, ...] = option(
        (),
        "label to store in --json; names that celab board uses: set, version, lang, report (a link"
        " to an HTML report)",
        metavar="NAME=VALUE",
        repeats=True,
        file="none",
    )
    printed_as: str | None = option(
        None,
        f"output format: {', '.join(_FORMATS)}; default: text, but tsv for documents and segments",
        flags="-f",
        metavar="NAME",
        choices=_FORMATS,
    )
    brief: bool = option(
        False,
        "print only the score",
        flags="-b --brief --score-only",
    )
    details: bool = option(
        False,
        "a table per metric, with intervals, precision, recall, ranks, p-values and kinds of"
        " differences",
    )
    error_profile: bool = option(
        False,
        "add a table of differences from the reference, by kind: omitted, replaced, added and"
        " others",
    )
    report: ReportOptions = option_group(
        ReportOptions,
        without=["plot"],
        no_check="skip the checks, printed to standard error, for outputs that may not be"
        " translations and for copies in references",
    )
    without_copies: bool = option(
        False,
        "drop segments in which a reference copies an output, for all systems",
    )
    tests: SignificanceOptions = option_group(
        SignificanceOptions,
        test="significance test of all pairs of systems (default: bootstrap)",
    )
    no_interval: bool = option(
        False,
        "no 95% intervals and no significance tests; nothing is resampled",
        group="Intervals and tests",
    )
    # sacreBLEU's, which change nothing here: no text is refused because it looks tokenized, and
    # intervals are shown anyway. Without a help text, an option is not in the help.
    force: bool = option(False, "")
    sentence_level: bool = option(False, "", flags="--sentence-level -sl")
    confidence: bool = option(False, "", flags="--confidence -ci")
    fail_under: float | None = option(
        None,
        "exit code 1 if a system's score by the first metric is lower than this",
        metavar="SCORE",
        convert=number,
        group="Gate",
    )
    gate: GateOptions = option_group(GateOptions)
    terms: TermOptions = option_group(TermOptions)
    judges: JudgeOptions = option_group(JudgeOptions)
    limits: Limits = option_group(Limits)
    engine: str = option(
        "local",
        "where to score (default: local); dask: on the workers of a Dask cluster, which"
        " read plain text files or Parquet themselves (extra: dask)",
        choices=("local", "dask"),
        group="Distributed scoring",
    )
    scheduler: str | None = option(
        None,
        "address of the Dask scheduler, such as tcp://10.0.0.1:8786"
        " (default: start --jobs workers on this machine)",
        metavar="ADDRESS",
        group="Distributed scoring",
    )
    partition_size: int | None = option(
        None,
        "number of segments that a Dask worker takes at once (default: 100000)",
        metavar="ROWS",
        between=(1, 10**9),
        group="Distributed scoring",
    )
    time: WarningOptions = option_group(WarningOptions, only=["slow"])
    metrics: Metrics = metrics_group()

    @staticmethod
    def short_forms(r: ScoreRequest) -> Iterator[ShortForm]:
        """Yield the options that are short for others."""
        yield means(r.sentence_level, r.segments)
        yield means(r.segments, value(r.level, "segment"))
        yield means(value(r.printed_as, "json"), r.output.json)
        for name in TABLES:
            yield means(value(r.printed_as, name), value(r.output.tables, name))

    @staticmethod
    def rules(r: ScoreRequest) -> Iterator[Rule]:
        """Yield the rules of options: exclusions and needs."""
        # Tables, twice: there is one flag for each format, and one of them can be given.
        yield conflict(r.output.tables, r.brief, r.output.json, r.output.tables)
        yield conflict(r.brief, r.output.json, r.segments, r.tests.test, r.tests.resample_by)
        yield conflict(r.brief, value(r.level, "document", "segment"))
        yield conflict(value(r.printed_as, "text"), r.output.json, r.output.tables)
        yield conflict(r.details, r.brief, r.output.json, r.segments)
        yield conflict(r.error_profile, r.brief, r.segments, r.fail_under)
        yield conflict(
            value(r.level, "document", "segment"),
            r.details,
            r.error_profile,
            because="tables of details and of differences are of systems",
        )
        yield needs(r.label, r.output.json)
        yield refuse(_wrong_label)
        yield needs(r.report.report_lang, r.report.html)
        yield needs(r.report.explained, r.report.html)
        judges = (r.judges.scores, r.judges.human, r.judges.spans)
        yield conflict(r.without_copies, r.report.no_check, *judges)
        yield conflict(r.no_interval, r.tests.test, r.tests.resample_by, r.confidence)
        yield conflict(r.gate.fail_on, r.report.no_check)
        yield needs(r.judges.count_from, *judges)
        yield needs(r.terms.source_lang, r.terms.terms)
        yield refuse(_hidden_spans)
        yield from text_rules(r.texts)
        dask = value(r.engine, "dask")
        yield needs(r.scheduler, dask)
        yield needs(r.partition_size, dask)
        yield conflict(
            dask,
            r.segments,
            value(r.level, "document", "segment"),
            because="Dask shows systems, and writes segments to --output",
        )
        yield takes(dask, *_taken_by_dask(r))
        yield takes(r.texts.text, *_taken_with_text(r), because="no file is read")

    @property
    def output_format(self) -> str:
        """Format of `--output`, or of standard output."""
        has_format = self.printed_as or self.output.json or self.output.tables
        return self.output.format if has_format or self.level == "system" else "tsv"

    @property
    def labels(self) -> dict[str, str]:
        """The labels of the results, by name."""
        return {name: value for name, _, value in (text.partition("=") for text in self.label)}

    @property
    def output_files(self) -> dict[str, str]:
        """The files that the command writes, by flag; with Dask, `--output` is a new folder."""
        paths = super().output_files
        if self.engine == "dask":
            paths.pop("--output", None)
        return paths


# The options that each way to score takes. Rules refuse all others, and segments are scored in
# batches only if there are no others. The metrics say which of their options they take.


def _taken_by_dask(r: ScoreRequest) -> Iterable[object]:
    """Yield the options that `--engine dask` takes: workers read files without making a corpus."""
    yield from (r.texts.files, r.texts.references, r.texts.systems, r.texts.language_pair)
    yield from (value(r.texts.format, "plain"), r.texts.names)
    yield from (r.texts.fields.ref, r.texts.fields.hyp)  # columns of Parquet
    yield from (r.texts.fields.document, r.texts.fields.id)
    yield from (r.engine, r.scheduler, r.partition_size)
    yield from (r.level, r.brief, r.details, r.label, r.printed_as)
    yield from (r.output.json, r.output.tables, r.output.digits, r.output.output, r.output.quiet)
    yield from (r.report.no_check, r.fail_under)
    yield from (r.tests.test, r.tests.resamples, r.tests.seed, r.no_interval)
    yield from (r.force, r.confidence)
    yield from (r.limits.max_line, r.limits.max_file, r.time.slow)
    yield r.metrics


def _taken_with_text(r: ScoreRequest) -> Iterable[object]:
    """Yield the options that `--text` takes: no file of texts is read."""
    yield from taken_with_text(r.texts)
    yield from (value(r.level, "segment"), r.segments, r.brief, r.details, r.error_profile)
    yield from (r.label, r.printed_as)
    yield from (r.output.json, r.output.tables, r.output.digits)
    yield from (r.output.output, r.output.overwrite, r.output.quiet)
    yield from (r.report.html, r.report.explained, r.report.report_lang)
    yield from (r.report.no_check, r.without_copies)
    yield from (r.tests.test, r.tests.resamples, r.tests.seed, r.no_interval)
    yield from (r.force, r.sentence_level, r.confidence)
    yield from (r.fail_under, r.gate.fail_on)
    yield from (r.terms.terms, r.terms.source_lang)
    yield from (r.judges.scores, r.judges.lower_is_better, r.judges.human, r.judges.spans)
    yield from (r.judges.count_from, r.limits.max_line, r.limits.max_file, r.time.slow)
    yield r.metrics


def _taken_in_batches(r: ScoreRequest) -> Iterable[object]:
    """Yield the options with which segments can be scored batch by batch, as they are read."""
    yield from (r.texts.files, r.texts.references, r.texts.systems, r.texts.language_pair)
    yield from (value(r.texts.format, "plain"), r.texts.encoding)
    yield from (value(r.level, "segment"), r.segments, r.sentence_level)
    yield from (value(r.output.tables, "tsv"), value(r.printed_as, "tsv"))
    yield from (r.output.output, r.output.overwrite, r.output.digits, r.output.quiet)
    yield from (r.report.no_check, r.force, r.confidence)
    yield from (r.tests.test, r.tests.resamples, r.tests.seed, r.no_interval)
    yield from (r.limits.max_line, r.limits.max_file, r.time.slow)
    yield r.metrics


def _needing_references(r: ScoreRequest) -> Iterable[object]:
    """Yield the options that need references, without which some metrics score."""
    yield from (r.report.html, r.error_profile, r.without_copies, r.gate.fail_on, r.judges.spans)


IN_BATCHES = options_listed_by(_taken_in_batches, ScoreRequest)
OF_REFERENCES = options_listed_by(_needing_references, ScoreRequest)


def _wrong_label(request: ScoreRequest) -> str:
    """Return an error text about a label, or ""."""
    if not request.label:
        return ""
    from celab.systems.stored import misspelt_label

    names = set()
    for text in request.label:
        name, _, of_name = text.partition("=")
        if not name or not of_name:
            return f"--label is {text!r}; it must be NAME=VALUE, such as version=v12"
        is_link = "://" in of_name
        if not is_link and re.search(r"[,;，、；]\s*\w+[=＝]", of_name):
            return (
                f"--label is {text!r}; give each label its own flag, as in --label set=news"
                " --label version=v12"
            )
        if known := misspelt_label(name):
            return (
                f"--label is {text!r}; did you mean {known}={of_name}? If not, choose a name that"
                f" is not so close to {known}"
            )
        if name in names:
            return f"--label gives {name} twice; each name must be given once"
        names.add(name)
    return ""


def _hidden_spans(request: ScoreRequest) -> str:
    """Return an error text if the errors of `--spans` would not be shown, or ""."""
    has_spans = request.level == "system" and not request.brief
    if request.judges.spans is None or has_spans or request.output.json or request.report.html:
        return ""
    return (
        "--spans is given, but the output has no error spans; add --json or --html, or leave out"
        " --brief, --segments and --level"
    )
