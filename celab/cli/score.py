"""`celab-score`: references and systems → scores, and how the systems compare.

It parses, reads, scores and reports, in this order, and writes only when all of it has succeeded.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from celab.base.errors import InputError, OptionError, Text, spell
from celab.cli import dask, explain, inputs, metrics, outputs, progress, terminal
from celab.cli.arguments import Parser, add_limits, as_flag, integer, limits_of, refuse_together

if TYPE_CHECKING:
    from celab.corpus import Limits
    from celab.evaluation.campaign import Campaign
    from celab.metrics.base import Metric

COMMAND = "celab-score"
# Options of sacreBLEU that celab does not have, and what to use instead.
_REFUSED = {
    "--confidence-n": "use --resamples N; the 95% interval is shown by default",
    "--paired-bs": "give all systems with -s; they are compared by paired bootstrap, and --details"
    " shows p-values; celab compare shows two systems",
    "--paired-bs-n": "use --resamples N",
    "--paired-ar": "give all systems with -s, and --test randomization; --details shows p-values",
    "--paired-ar-n": "use --test randomization --resamples N",
    "-tok": "the tokenization of bleu follows --lang, and --tokenize is an option of celab",
    "--force": "it is not needed; leave it out",
    "-lc": "bleu, chrf and ter keep case, and --case is an option of celab",
}
LEVELS = ("system", "document", "segment")
TABLES = ("tsv", "markdown", "latex")


def main(argv: Sequence[str] | None = None, command: str = COMMAND) -> int:
    """Run the command; return its exit code."""
    return terminal.run(command, run, argv, command)


def _parser(command: str = COMMAND) -> Parser:
    parser = Parser(
        command,
        common="-r -s -m --lang --profile --lexicon --segments --explain --details -f --html -o",
        example=f"{command} -m celab chrf bleu -r ref.zh -s A.zh B.zh",
        usage=f"{command} [options] REF... HYP\n       {command} [options] REF < HYP\n"
        f"       {command} [options] -r REF... -s SYSTEM...",
        description="Scores translations, into Chinese by default, and compares systems.",
        epilog="Text files have one segment per line, in UTF-8; .gz, .xz and .bz2 files are"
        " decompressed, and - is standard input. A line may be blank in some of the references, but"
        " not in all. NIST, IWSLT and CWMT SGML or XML, WMT XML and JSONL are auto-detected. A"
        " single file may hold references and systems.",
    )
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="references, then the hypothesis; only references with -s, only systems with -r or -t",
    )
    inputs.add_files(parser)
    _add_output(parser)
    add = parser.group("Intervals and tests")
    add(
        "--test",
        "significance test of all pairs of systems (default: bootstrap)",
        choices=("bootstrap", "randomization"),
    )
    add("--resamples N", "number of bootstrap resamples", default=1000, between=(1, 1_000_000))
    add("--seed N", "random seed", default=12345, between=(0, 2**32))
    add("--no-interval", "neither 95%% intervals nor significance tests; nothing is resampled")
    add_limits(parser)
    dask.add_engine(parser)
    inputs.add_slow(parser)
    metrics.add_metrics(parser)
    return parser


def _add_output(parser: Parser) -> None:
    add = parser.group("Output")
    add("--level", "level to report (default: system)", choices=LEVELS, default="system")
    add("--segments", "TSV table of the segments; same as --level segment")
    add("--json", "JSON, with all digits; with --segments, segment scores too", whole=True)
    add("--tsv", "tables as TSV, with all digits")
    add("--markdown", "tables as Markdown", whole=True)
    add("--latex", "tables as LaTeX", whole=True)
    add(
        "-f",
        "output format: text, json, latex, markdown, tsv",
        metavar="NAME",
        choices=("text", "json", *reversed(TABLES)),
        dest="output_format",
    )
    add("-b --brief --score-only", "only the score")
    add("--details", "a table per metric; with intervals, P, R, ranks and p-values")
    add(
        "-w --digits N",
        "digits after the decimal point (default: 4 for TESLA, 2 for the others)",
        between=(0, inputs.MOST_DIGITS),
    )
    add("--explain N", "show how segment N was matched", type=integer, whole=True)
    add(
        "-o --output FILE",
        "output file, written atomically; with --engine dask, a folder for Parquet files",
    )
    add("--resume", "continue an interrupted --output from the last complete batch of segments")
    add("--html FILE", "also write an HTML report", whole=True)
    add(
        "--explained N",
        "number of segments that --html explains",
        default=10_000,
        between=(0, 1_000_000),
    )
    add(
        "--report-lang",
        "language of the --html report (default: en); its reader can change it",
        choices=("en", "zh"),
        default="en",
    )
    add(
        "--color",
        "use colours in --explain (default: auto, only in a terminal)",
        choices=("auto", "always", "never"),
        default="auto",
    )
    add("-q --quiet", "suppress status messages and progress; warnings are still shown")
    # sacreBLEU's; the interval is shown anyway.
    parser.add_argument("--confidence", action="store_true", help=argparse.SUPPRESS)
    for flag in _REFUSED:
        parser.add_argument(flag, nargs="?", help=argparse.SUPPRESS, action=_Refused)


class _Refused(argparse.Action):
    """An option of sacreBLEU that raises an error with advice."""

    def __call__(self, parser: Any, namespace: object, values: object, flag: Any = None) -> None:
        raise OptionError(f"{flag} is not an option of {parser.prog}: {_REFUSED[flag]}")


def run(argv: Sequence[str] | None, command: str) -> tuple[str, str, int]:
    """Return the text for stdout, the remark for stderr and the exit code."""
    parser = _parser(command)
    arguments = metrics.parse(parser, argv)
    _check_flags(arguments)
    refs, systems, default = inputs.files_of(arguments)
    limits, by_dask = limits_of(arguments), dask.is_chosen(arguments)
    _check_outputs(arguments, [*refs, *systems, *([default] if default else [])], by_dask)
    metrics_by_name, notices = metrics.make_metrics(arguments, used=["jobs"] if by_dask else ())
    metrics.warn(notices, inputs.many_references(arguments, refs, systems), arguments.strict)
    if by_dask:
        notices += inputs.likely_systems(arguments, refs, systems, [()] * len(refs), [()])
        campaign = dask.run(arguments, metrics_by_name, refs, systems, limits)
        campaign = _resample(campaign, arguments)
        return _report(campaign, arguments), *outputs.ending(arguments, campaign, notices)
    if len(metrics_by_name) == 1 and _is_one_table(arguments, parser.whole):
        streamed = _stream(
            metrics_by_name, refs, systems or [default or ""], arguments, limits, notices
        )
        if streamed is not None:
            return "", *streamed
    texts = inputs.read(arguments, refs, systems, default, limits)
    metrics.warn(notices, inputs.doubts(arguments, metrics_by_name, texts), arguments.strict)
    notices += inputs.likely_systems(arguments, refs, systems, texts.refs, texts.systems.values())
    from celab.evaluation.campaign import Campaign

    campaign = Campaign(texts, metrics=metrics_by_name)
    if arguments.explain is not None:
        report = _explanation(campaign, arguments)
    else:
        inputs.check_time(arguments, metrics_by_name, texts)
        with progress.ProgressBar(
            len(metrics_by_name) * len(texts.systems) * len(texts.segments), quiet=arguments.quiet
        ) as bar:
            campaign = campaign.score(metrics_by_name, progress=progress.Runs(bar))
        campaign = _resample(campaign, arguments)
        if arguments.html is not None:
            outputs.write_html(campaign, arguments)
        report = _report(campaign, arguments)
    return outputs.write(arguments, report), *outputs.ending(arguments, campaign, notices)


def _resample(scored: Campaign, arguments: argparse.Namespace) -> Campaign:
    """Return the campaign with tests if it has several systems, or else with intervals."""
    is_shown = arguments.json or (arguments.level == "system" and not arguments.brief)
    if arguments.no_interval or not (is_shown or arguments.html):
        return scored
    settings = {"n_resamples": arguments.resamples, "seed": arguments.seed}
    if len(scored.corpus.systems) > 1:
        return scored.test(arguments.test or "bootstrap", **settings)
    return scored.bootstrap(**settings) if is_shown else scored


def _check_flags(arguments: argparse.Namespace) -> None:
    """Set what `--segments` and `-f` stand for; raise if flags do not go together."""
    if arguments.segments:
        arguments.level = "segment"
    if arguments.output_format in ("json", *TABLES):
        setattr(arguments, arguments.output_format, True)
    refuse_together(
        arguments,
        ("brief", "json"),
        ("brief", "segments"),
        ("brief", "explain"),
        ("brief", "test"),
        *(("details", other) for other in ("brief", "json", "segments", "explain")),
        ("no_interval", "test"),
        ("no_interval", "confidence"),
        ("explain", "json"),
        ("explain", "segments"),
        ("explain", "html"),
        *((table, other) for table in TABLES for other in ("brief", "json", "explain")),
        ("tsv", "markdown"),
        ("tsv", "latex"),
        ("markdown", "latex"),
    )
    if arguments.details and arguments.level != "system":
        raise OptionError(f"--details shows systems, but --level is {arguments.level}")
    if arguments.resume and arguments.output is None:
        raise OptionError("--resume is given without --output; add --output, the file to continue")


def _check_outputs(arguments: argparse.Namespace, texts: Sequence[str], by_engine: bool) -> None:
    """Raise before scoring if an output cannot be written or is also an input."""
    output = None if by_engine else arguments.output
    files = [*texts, arguments.source, arguments.documents, *metrics.input_files(arguments)]
    outputs.check({"--output": output, "--html": arguments.html}, files)
    if output is not None and arguments.level == "segment":
        from celab.cli.segments import partials

        names = ("partial output", "note of the partial output")
        outputs.check(dict(zip(names, partials(output), strict=False)), [*files, arguments.html])


def _is_one_table(arguments: argparse.Namespace, whole_flags: Sequence[str]) -> bool:
    """Return whether the output is a table of segments, and no flag needs all texts at once."""
    is_plain = arguments.level == "segment" and arguments.format in (None, "plain")
    return is_plain and all(getattr(arguments, name) in (None, False) for name in whole_flags)


def _stream(
    metrics_by_name: Mapping[str, Metric],
    refs: Sequence[str],
    systems: Sequence[str],
    arguments: argparse.Namespace,
    limits: Limits,
    notices: list[str],
) -> tuple[str, int] | None:
    """Score segments batch by batch and write them; None if a file must be read as a whole.

    Returns the remark and the exit code.
    """
    if len(systems) != 1 or not systems[0] or not refs or (*refs, *systems).count("-") > 1:
        return None
    from celab.cli.segments import write_segments
    from celab.corpus import encodings_of
    from celab.corpus.doubts import nul_doubt, plain_doubt, texts_doubt
    from celab.corpus.lines import open_lines

    encodings = encodings_of(arguments.encoding)
    paths = [(path, encodings["ref"]) for path in refs]
    opened = open_lines([*paths, (systems[0], encodings["hyp"])], limits)
    if opened is None:
        return None
    *ref_files, hyp = opened

    doubted: set[str] = set()  # files, about which there is one warning each

    def look(n_before: int, hyps: Sequence[str], sides: Sequence[Sequence[str]]) -> None:
        named_sides = [(hyp.name, hyps), *zip((ref.name for ref in ref_files), sides, strict=True)]
        doubts: list[Text] = [nul_doubt(*side, n_before) for side in named_sides]
        if not n_before:
            misfits = inputs.misfits(arguments, metrics_by_name, named_sides)
            metrics.warn(notices, misfits, arguments.strict)
            notices.extend(inputs.likely_systems(arguments, refs, systems, sides, [hyps]))
            doubts = [texts_doubt(*side) for side in named_sides]
            if arguments.format is None:
                beginnings = ("\n".join([*texts[:1000], ""]) for _, texts in named_sides)
                doubts = [
                    plain_doubt(file.path, file.name, beginning) or doubt
                    for file, beginning, doubt in zip(
                        (hyp, *ref_files), beginnings, doubts, strict=True
                    )
                ]
        for (name, _), doubt in zip(named_sides, doubts, strict=True):
            if doubt and name not in doubted:
                doubted.add(name)
                metrics.warn(notices, [spell(doubt, as_flag)], arguments.strict)

    try:
        n_segments, n_skipped = write_segments(
            next(iter(metrics_by_name.values())),
            ref_files,
            hyp,
            look=look,
            output=arguments.output,
            resume=arguments.resume,
            quiet=arguments.quiet,
        )
    except InputError as error:
        default = None if arguments.systems else systems[0]
        raise inputs.with_usage(arguments, error, default) from None
    names = [ref.name for ref in ref_files]
    read = inputs.describe_input(f"hypothesis {hyp.name}", names, n_segments)
    read += inputs.describe_roles(arguments)
    return outputs.remark(arguments, read, notices, n_skipped)


def _report(scored: Campaign, arguments: argparse.Namespace) -> str:
    from celab.report import json, systems

    kind = next((name for name in TABLES if getattr(arguments, name)), None)
    if arguments.json:
        return json.campaign(scored, level=arguments.level)
    width = arguments.digits
    if arguments.level != "system":
        return systems.below(scored, arguments.level, kind or "tsv")
    if arguments.brief:
        return systems.scores_only(scored, width)
    is_single = len(scored.corpus.systems) == len(scored.scores) == 1
    if is_single and not (kind or arguments.details):
        return systems.line(scored, width)
    return systems.tables(scored, kind or "text", details=arguments.details, width=width)


def _explanation(campaign: Campaign, arguments: argparse.Namespace) -> str:
    """Return what `celab explain` shows of the segment."""
    texts = campaign.corpus
    number, n_segments, name = arguments.explain, len(texts.segments), texts.hyp_name
    if not 1 <= number <= n_segments:
        raise OptionError(f"no segment {number}; {name} has {n_segments}")
    return explain.views(campaign, [number], arguments)


if __name__ == "__main__":
    sys.exit(main())
