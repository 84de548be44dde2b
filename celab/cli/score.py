"""`celab-score`: references and systems → scores, and how the systems compare.

It parses, reads, scores and reports, in this order, and writes only when all of it has succeeded.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from celab import files
from celab.cli import engine, metrics, outputs, progress, terminal
from celab.cli.arguments import Parser, add_limits, limits_of, refuse_together
from celab.errors import LimitError, OptionError, SolverError

if TYPE_CHECKING:
    from celab.campaign import Campaign
    from celab.corpus import Corpus, Fields, Limits
    from celab.metrics.base import Metric

COMMAND = "celab-score"
WAYS = f"{COMMAND} REF... HYP, {COMMAND} -r REF... -s SYSTEM..., or one file that holds them all"
FORMATS = ("plain", "sgml", "wmt", "tsv", "jsonl")
LEVELS = ("system", "document", "segment")
TABLES = ("tsv", "markdown", "latex")


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    return terminal.run(COMMAND, lambda: _work(argv))


def _parser() -> Parser:
    parser = Parser(
        COMMAND,
        usage=f"{COMMAND} [options] REF... HYP\n       {COMMAND} [options] -r REF... -s SYSTEM...",
        description="Scores translations against one or more references, into Chinese if nothing"
        " else is said, and compares systems.",
        epilog="Text files hold one segment a line, in UTF-8; .gz, .xz and .bz2 are read too, and -"
        " is standard input. A line may be blank in some of the references, but not in all. NIST,"
        " IWSLT and CWMT SGML or XML, WMT XML and JSONL are recognised by what is in them, and a"
        " single file may hold references and systems.",
    )
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="the references, then, last, the hypothesis"
    )
    _add_files(parser)
    _add_output(parser)
    add = parser.group("several systems")
    add("--test", "by which systems are told apart (default: bootstrap); if given, p-values are"
        " shown", choices=("bootstrap", "randomization"))  # fmt: skip
    add("--resamples N", "number of bootstrap resamples", default=1000, between=(1, 1_000_000))
    add("--seed N", "random seed", default=12345, between=(0, 2**32))
    add_limits(parser)
    engine.add_engine(parser)
    metrics.add_metrics(parser)
    return parser


def _add_files(parser: Parser) -> None:
    add = parser.group("the files")
    add("-r --references FILE...", "references")
    add("-s --systems FILE...", "systems' translations")
    add("--source FILE", "what was translated; only shown")
    add("--format", "of all files (default: as their content says)", choices=FORMATS)
    add(
        "--encoding NAME", "such as gb18030, big5 or utf-16 (default: as a file declares, or UTF-8)"
    )
    add("--skip-missing", "score the segments that all have, and say how many were left out")
    for flag, what in (("ref", "references"), ("hyp", "systems")):
        add(f"--{flag}-fields FIELDS", "tsv, jsonl: names or numbers of the fields with"
            f" {what}, separated by commas")  # fmt: skip
    for flag in ("source", "document", "id"):
        add(f"--{flag}-field FIELD", f"tsv, jsonl: of the {flag}")
    add("--only-refs NAMES", "take these references of a file, such as A,B")
    add("--only-systems NAMES", "take these systems of a file")


def _add_output(parser: Parser) -> None:
    add = parser.group("the output")
    add("--level", "scores of systems (default), of documents or of segments",
        choices=LEVELS, default="system")  # fmt: skip
    add("--segments", "a TSV table of the segments; as --level segment")
    add("--json", "JSON; with --segments, these too")
    for name in TABLES:
        add(f"--{name}", f"tables as {name}")
    add("--brief", "the score alone")
    add("--explain N", "show where the score of segment N comes from", type=int)
    add("-o --output FILE", "output file, written atomically; with --engine dask, a folder for"
        " Parquet files")  # fmt: skip
    add("--resume", "go on with the segments of an --output that was interrupted")
    add("--html FILE", "write a report to look at in a browser, too")
    add("--explained N", "number of segments that --html explains", default=2000,
        between=(0, 1_000_000))  # fmt: skip
    add("--color", "colours in --explain (default: auto, which means in a terminal)",
        choices=("auto", "always", "never"), default="auto")  # fmt: skip
    add("--quiet", "no remarks, no progress bar")


def _work(argv: Sequence[str] | None) -> tuple[str, str, int]:
    """What to write to stdout, what to remark on stderr, and the exit code."""
    arguments = metrics.parsed(_parser(), argv)
    if arguments.segments:
        arguments.level = "segment"
    refuse_together(
        arguments,
        ("brief", "json"), ("brief", "segments"), ("brief", "explain"), ("brief", "test"),
        ("explain", "json"), ("explain", "segments"), ("explain", "html"),
        *((table, other) for table in TABLES for other in ("brief", "json", "explain")),
        ("tsv", "markdown"), ("tsv", "latex"), ("markdown", "latex"),
    )  # fmt: skip
    refs, systems = _paths(arguments)
    if arguments.resume and arguments.output is None:
        raise OptionError("--resume is given without --output; it must name the file to go on with")

    limits = limits_of(arguments)
    by_engine = engine.chosen(arguments)
    _check_outputs(arguments, [*refs, *systems], by_engine)
    made, notices = metrics.made(arguments, used=["jobs"] if by_engine else ())
    if by_engine:
        scored = engine.run(arguments, made, refs, systems, limits)
        report, read, n_skipped = (
            _report(scored, arguments), _what_was_read(scored.corpus), _skipped(scored)
        )  # fmt: skip
        return report, *_ending(read, notices, n_skipped, arguments.quiet)
    if (streamed := _streamed(made, refs, systems, arguments, limits)) is not None:
        read, n_skipped = streamed
        return "", *_ending(read, notices, n_skipped, arguments.quiet)
    from celab import corpus

    try:
        texts = corpus.read(
            refs, systems,
            source=arguments.source, format=arguments.format, encoding=arguments.encoding,
            skip_missing=arguments.skip_missing, fields=_fields(arguments), limits=limits,
            only_refs=_names(arguments.only_refs), only_systems=_names(arguments.only_systems),
        )  # fmt: skip
    except LimitError as error:
        if "for each line" not in str(error):  # a line, or markup, is no shorter if streamed
            raise
        raise LimitError(f"{error}; --segments reads plain text of any size") from None
    n_skipped = 0
    if arguments.explain is None:
        report, n_skipped = _scores(made, texts, arguments)
    else:
        report = _explanations(made, texts, arguments)
    if arguments.output is not None:
        files.write(arguments.output, report)
        report = ""
    return report, *_ending(_what_was_read(texts), notices, n_skipped, arguments.quiet)


def _check_outputs(arguments: argparse.Namespace, texts: Sequence[str], by_engine: bool) -> None:
    """Before hours are spent on scores that could not be written, or would replace a text."""
    output = None if by_engine else arguments.output
    read = [*texts, arguments.source, *metrics.inputs(arguments)]
    outputs.check({"--output": output, "--html": arguments.html}, read)
    if output is not None and arguments.level == "segment":
        from celab.cli.segments import partials

        names = ("partial output", "note of the partial output")
        outputs.check(dict(zip(names, partials(output), strict=False)), [*read, arguments.html])


def _ending(read: str, notices: list[str], n_skipped: int, quiet: bool) -> tuple[str, int]:
    """The remark and the exit code; only what was read is left out if `quiet`."""
    said = notices if quiet else [read, *notices]
    if n_skipped:
        plural = "s" * (n_skipped > 1)
        said = [*said, f"{n_skipped} segment{plural} skipped, because no optimum was proved"]
    return "; ".join(said), 3 if n_skipped else 0


def _streamed(
    made: Mapping[str, Metric],
    refs: Sequence[str],
    systems: Sequence[str],
    arguments: argparse.Namespace,
    limits: Limits,
) -> tuple[str, int] | None:
    """Segments of plain text, read and written batch by batch; None if that is not asked for.

    What was read, and how many segments were skipped.
    """
    others = (
        arguments.json, arguments.html, arguments.markdown, arguments.latex, arguments.source,
        arguments.skip_missing, arguments.only_refs, arguments.only_systems, len(made) > 1,
        arguments.format not in (None, "plain"), bool(_fields(arguments)),
    )  # fmt: skip
    if arguments.level != "segment" or arguments.explain is not None or any(others):
        return None
    if len(systems) != 1 or not refs or (*refs, *systems).count("-") > 1:
        return None
    from celab.cli.segments import write_segments
    from celab.corpus.lines import open_lines

    opened = open_lines([*refs, *systems], arguments.encoding, limits)
    if opened is None:
        return None
    *ref_files, hyp = opened
    n_segments, n_skipped = write_segments(
        next(iter(made.values())), ref_files, hyp,
        output=arguments.output, resume=arguments.resume, quiet=arguments.quiet,
    )  # fmt: skip
    return _read(f"hypothesis {hyp.name}", [ref.name for ref in ref_files], n_segments), n_skipped


def _what_was_read(texts: Corpus) -> str:
    n_systems = len(texts.systems)
    what = f"hypothesis {texts.hyp_name}" if n_systems == 1 else f"{n_systems} systems"
    read = _read(what, texts.ref_names, len(texts.segments))
    return read + f", {texts.n_left_out} left out" * bool(texts.n_left_out)


def _read(what: str, ref_names: Sequence[str], n_segments: int) -> str:
    return (
        f"{what}, reference{'s' * (len(ref_names) > 1)} {' '.join(ref_names)}, "
        f"{n_segments} segment{'s' * (n_segments != 1)}"
    )


def _paths(arguments: argparse.Namespace) -> tuple[list[str], list[str]]:
    """Those of the references and of the systems."""
    refs, systems, given = arguments.references, arguments.systems, arguments.files
    if refs is None and systems is None:
        if not given:
            raise OptionError(f"no files are given; use {WAYS}")
        return (given, []) if len(given) == 1 else (given[:-1], given[-1:])
    if given:
        raise OptionError(f"{given[0]} is neither a reference nor a system; use {WAYS}")
    return refs or [], systems or []


def _names(given: str | None) -> list[str] | None:
    return None if given is None else given.split(",")


def _fields(arguments: argparse.Namespace) -> Fields:
    from celab.corpus import Fields

    def field(name: str) -> str | int:
        return int(name) if name.isdecimal() else name

    several = (arguments.ref_fields, arguments.hyp_fields)
    refs, hyps = ([field(name) for name in given.split(",")] if given else [] for given in several)
    single = (arguments.source_field, arguments.document_field, arguments.id_field)
    return Fields(refs, hyps, *(None if name is None else field(name) for name in single))


def _scores(
    made: Mapping[str, Metric], texts: Corpus, arguments: argparse.Namespace
) -> tuple[str, int]:
    """The report, and how many segments were skipped, over all metrics and systems."""
    from celab import campaign

    n_segments = len(texts.segments)
    total = len(made) * len(texts.systems) * n_segments
    with progress.ProgressBar(total, quiet=arguments.quiet) as bar:
        scored = campaign.run(
            made, texts, test=arguments.test or "bootstrap", n_resamples=arguments.resamples,
            seed=arguments.seed, progress=progress.Runs(bar, n_segments),
        )  # fmt: skip
    n_skipped = _skipped(scored)
    if arguments.html is not None:
        if n_skipped:
            raise SolverError(
                f"{n_skipped} scores of segments are not proved; --html shows all of them, so that"
                " it needs a longer --time-limit"
            )
        _write_html(scored, made, arguments)
    return _report(scored, arguments), n_skipped


def _skipped(scored: Campaign) -> int:
    return sum(score.n_skipped for of in scored.scores.values() for score in of.values())


def _report(scored: Campaign, arguments: argparse.Namespace) -> str:
    from celab.report import json, systems

    kind = next((name for name in TABLES if getattr(arguments, name)), None)
    if arguments.json:
        return json.campaign(scored, level=arguments.level)
    if arguments.level != "system":
        return systems.below(scored, arguments.level, kind or "tsv")
    if arguments.brief or not (scored.comparisons or kind):
        return systems.lines(scored, brief=arguments.brief)
    return systems.tables(scored, kind or "text", p_values=arguments.test is not None)


def _write_html(
    scored: Campaign, made: Mapping[str, Metric], arguments: argparse.Namespace
) -> None:
    from celab.report import html
    from celab.report.systems import shortened

    with progress.ProgressBar(what="explaining", quiet=arguments.quiet) as bar:
        page = html.campaign_page(
            shortened(scored), made, explained=arguments.explained, lang=arguments.lang or "zh",
            progress=bar,
        )  # fmt: skip
    files.write(arguments.html, page)


def _explanations(made: Mapping[str, Metric], texts: Corpus, arguments: argparse.Namespace) -> str:
    """For each metric, one view for each reference that is present, and what they make."""
    from celab.report import explain

    number, n_segments = arguments.explain, len(texts.segments)
    if not 1 <= number <= n_segments:
        raise OptionError(f"--explain is {number}; {texts.hyp_name} has segments 1 to {n_segments}")
    width, colour = shutil.get_terminal_size().columns, terminal.wants_colour(arguments.color)
    views = []
    for metric in made.values():
        stream = metric.stream(texts.hyps, texts.refs)
        refs = [side[number - 1] for side in texts.refs]
        segment = stream.explain(texts.hyps[number - 1], refs)
        for r, explanation in zip(segment.index, segment.against, strict=True):
            against = f"{texts.hyp_name} against {texts.ref_names[r]}"
            title = f"segment {number} of {n_segments}: {against}"
            views.append(explain.view(title, explanation, width=width, colour=colour))
        if len(segment.index) > 1:
            views.append(explain.together(segment))
    return terminal.Coloured("\n".join(views))


if __name__ == "__main__":
    sys.exit(main())
