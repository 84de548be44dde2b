"""`celab-score`: references and systems → scores, and how the systems compare.

It parses, reads, scores and reports, in this order, and writes only when all of it has succeeded.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from celab.cli import engine, files, metrics, progress, terminal
from celab.cli.arguments import Parser, refuse_together
from celab.errors import OptionError, SolverError

if TYPE_CHECKING:
    from celab.campaign import Campaign
    from celab.corpus import Corpus, Fields
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
    compared = parser.add_argument_group("several systems")
    compared.add_argument(
        "--test", choices=("bootstrap", "randomization"),
        help="by which systems are told apart (default: bootstrap); if given, p-values are shown",
    )  # fmt: skip
    compared.add_argument(
        "--resamples", type=int, default=1000, metavar="N", help="how many (default: 1000)"
    )
    compared.add_argument(
        "--seed", type=int, default=12345, metavar="N", help="of the resamples (default: 12345)"
    )
    engine.add_engine(parser)
    metrics.add_metrics(parser)
    return parser


def _add_files(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the files")
    group.add_argument("-r", "--references", nargs="+", metavar="FILE", help="references")
    group.add_argument("-s", "--systems", nargs="+", metavar="FILE", help="systems' translations")
    group.add_argument("--source", metavar="FILE", help="what was translated; only shown")
    group.add_argument(
        "--format", choices=FORMATS, help="of all files (default: as their content says)"
    )
    group.add_argument(
        "--encoding", metavar="NAME",
        help="such as gb18030, big5 or utf-16 (default: as a file declares, or UTF-8)",
    )  # fmt: skip
    group.add_argument(
        "--skip-missing", action="store_true",
        help="score the segments that all have, and say how many were left out",
    )  # fmt: skip
    for flag, what in (("ref", "references"), ("hyp", "systems")):
        group.add_argument(
            f"--{flag}-fields", metavar="FIELDS",
            help=f"tsv, jsonl: names or numbers of the fields with {what}, separated by commas",
        )  # fmt: skip
    for flag in ("source", "document", "id"):
        group.add_argument(f"--{flag}-field", metavar="FIELD", help=f"tsv, jsonl: of the {flag}")
    group.add_argument(
        "--only-refs", metavar="NAMES", help="take these references of a file, such as A,B"
    )
    group.add_argument("--only-systems", metavar="NAMES", help="take these systems of a file")


def _add_output(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the output")
    group.add_argument(
        "--level", choices=LEVELS, default="system",
        help="scores of systems (default), of documents or of segments",
    )  # fmt: skip
    group.add_argument(
        "--segments", action="store_true", help="a TSV table of the segments; as --level segment"
    )
    group.add_argument("--json", action="store_true", help="JSON; with --segments, these too")
    for name in TABLES:
        group.add_argument(f"--{name}", action="store_true", help=f"tables as {name}")
    group.add_argument("--brief", action="store_true", help="the score alone")
    group.add_argument(
        "--explain", type=int, metavar="N", help="show where the score of segment N comes from"
    )
    group.add_argument("-o", "--output", metavar="FILE", help="write there, whole or not at all;"
                       " with --engine dask, a folder that gets Parquet")  # fmt: skip
    group.add_argument(
        "--resume", action="store_true",
        help="go on with the segments of an --output that was interrupted",
    )  # fmt: skip
    group.add_argument("--html", metavar="FILE", help="write a report to look at in a browser, too")
    group.add_argument(
        "--explained", type=int, default=2000, metavar="N",
        help="how many segments of systems --html explains (default: 2000)",
    )  # fmt: skip
    group.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto",
        help="colours in --explain (default: auto, which means in a terminal)",
    )  # fmt: skip
    group.add_argument("--quiet", action="store_true", help="no remarks, no progress bar")


def _work(argv: Sequence[str] | None) -> tuple[str, str, int]:
    """What to write to stdout, what to remark on stderr, and the exit code."""
    given = metrics.gathered(sys.argv[1:] if argv is None else argv)
    arguments = _parser().parse_intermixed_args(given)
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

    by_engine = engine.chosen(arguments)
    made, notices = metrics.made(arguments)
    if by_engine:
        report = engine.run(arguments, made, refs, systems)
        return report, *_ending(notices, 0, arguments.quiet)
    if (streamed := _streamed(made, refs, systems, arguments)) is not None:
        read, n_skipped = streamed
        return "", *_ending([read, *notices], n_skipped, arguments.quiet)
    from celab import corpus

    texts = corpus.read(
        refs, systems,
        source=arguments.source, format=arguments.format, encoding=arguments.encoding,
        skip_missing=arguments.skip_missing, fields=_fields(arguments),
        only_refs=_names(arguments.only_refs), only_systems=_names(arguments.only_systems),
    )  # fmt: skip
    n_skipped = 0
    if arguments.explain is None:
        report, n_skipped = _scores(made, texts, arguments)
    else:
        report = _explanations(made, texts, arguments)
    if arguments.output is not None:
        files.write(arguments.output, report)
        report = ""
    return report, *_ending([_what_was_read(texts), *notices], n_skipped, arguments.quiet)


def _ending(said: list[str], n_skipped: int, quiet: bool) -> tuple[str, int]:
    """The remark and the exit code; what was skipped is told even if nothing else is."""
    said = [] if quiet else said
    if n_skipped:
        plural = "s" * (n_skipped > 1)
        said = [*said, f"{n_skipped} segment{plural} skipped, because no optimum was proved"]
    return "; ".join(said), 3 if n_skipped else 0


def _streamed(
    made: Mapping[str, Metric],
    refs: Sequence[str],
    systems: Sequence[str],
    arguments: argparse.Namespace,
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

    opened = open_lines([*refs, *systems], arguments.encoding)
    if opened is None:
        return None
    *ref_files, hyp = opened
    done = write_segments(
        next(iter(made.values())), ref_files, hyp,
        output=arguments.output, resume=arguments.resume, quiet=arguments.quiet,
    )  # fmt: skip
    read = _read(f"hypothesis {hyp.name}", [ref.name for ref in ref_files], done.n_segments)
    return read, done.n_skipped


def _paths(arguments: argparse.Namespace) -> tuple[list[str], list[str]]:
    """Those of the references and of the systems."""
    refs, systems, given = arguments.references, arguments.systems, arguments.files
    if refs is None and systems is None:
        if len(given) == 1:
            return given, []
        if given:
            return given[:-1], given[-1:]
        raise OptionError(f"no files are given; use {WAYS}")
    if given:
        raise OptionError(f"{given[0]} is neither a reference nor a system; use {WAYS}")
    return refs or [], systems or []


def _names(given: str | None) -> list[str] | None:
    return None if given is None else given.split(",")


def _fields(arguments: argparse.Namespace) -> Fields:
    from celab.corpus import Fields

    def field(name: str) -> str | int:
        return int(name) if name.isdecimal() else name

    def several(given: str | None) -> list[str | int]:
        return [field(name) for name in given.split(",")] if given else []

    single = (arguments.source_field, arguments.document_field, arguments.id_field)
    return Fields(
        several(arguments.ref_fields), several(arguments.hyp_fields),
        *(None if name is None else field(name) for name in single),
    )  # fmt: skip


def _scores(
    made: Mapping[str, Metric], texts: Corpus, arguments: argparse.Namespace
) -> tuple[str, int]:
    """The report, and how many segments were skipped, over all metrics and systems."""
    from celab import campaign

    settings = {
        "test": arguments.test or "bootstrap",
        "n_resamples": arguments.resamples,
        "seed": arguments.seed,
    }
    if progress.is_welcome(arguments.quiet):
        n_runs = len(made) * len(texts.systems)
        with progress.ProgressBar(n_runs * len(texts.segments)) as bar:
            done = progress.Runs(bar, len(texts.segments))
            found = campaign.run(made, texts, progress=done, **settings)
    else:
        found = campaign.run(made, texts, **settings)
    n_skipped = sum(one.n_skipped for of in found.scores.values() for one in of.values())
    if arguments.html is not None:
        if n_skipped:
            raise SolverError(
                f"{n_skipped} scores of segments are not proved; --html shows all of them, so that"
                " it needs a longer --time-limit"
            )
        _write_html(found, made, arguments)
    return _report(found, arguments), n_skipped


def _report(found: Campaign, arguments: argparse.Namespace) -> str:
    from celab.report import json, systems, text

    if arguments.json:
        return json.campaign(found, level=arguments.level)
    if arguments.level != "system":
        return systems.below(found, arguments.level, _table(arguments) or "tsv")
    if arguments.brief:
        return "".join(text.brief(score) for _, score in text.all_scores(found))
    if found.comparisons or _table(arguments):
        kind = _table(arguments) or "text"
        return systems.tables(found, kind, p_values=arguments.test is not None)
    return "".join(text.line(score) for _, score in text.all_scores(found))


def _table(arguments: argparse.Namespace) -> str | None:
    return next((name for name in TABLES if getattr(arguments, name)), None)


def _write_html(found: Campaign, made: Mapping[str, Metric], arguments: argparse.Namespace) -> None:
    from celab.report import html
    from celab.report.systems import shortened

    with progress.ProgressBar(0, "explaining") as bar:
        page = html.campaign_page(
            shortened(found), made, explained=arguments.explained, lang=arguments.lang or "zh",
            progress=bar if progress.is_welcome(arguments.quiet) else None,
        )  # fmt: skip
    files.write(arguments.html, page)


def _explanations(made: Mapping[str, Metric], texts: Corpus, arguments: argparse.Namespace) -> str:
    """For each metric, one view for each reference that is present, and what they make."""
    from celab.report import explain
    from celab.report.explain_words import view_of

    number, n_segments = arguments.explain, len(texts.segments)
    if not 1 <= number <= n_segments:
        raise OptionError(f"--explain is {number}; {texts.hyp_name} has segments 1 to {n_segments}")
    views = []
    for metric in made.values():
        found = metric.explain_segment(texts.hyps, texts.refs, number - 1)
        for r, one in zip(found.index, found.against, strict=True):
            against = f"{texts.hyp_name} against {texts.ref_names[r]}"
            title = f"segment {number} of {n_segments}: {against}"
            colour = terminal.wants_colour(arguments.color)
            views.append(view_of(title, one, width=terminal.width(), colour=colour))
        if len(found.index) > 1:
            views.append(explain.together(found))
    return "\n".join(views)


def _what_was_read(texts: Corpus) -> str:
    n_systems = len(texts.systems)
    what = f"hypothesis {texts.hyp_name}" if n_systems == 1 else f"{n_systems} systems"
    left_out = f", {texts.n_left_out} left out" if texts.n_left_out else ""
    return _read(what, texts.ref_names, len(texts.segments)) + left_out


def _read(what: str, ref_names: Sequence[str], n_segments: int) -> str:
    return (
        f"{what}, reference{'s' * (len(ref_names) > 1)} {' '.join(ref_names)}, "
        f"{n_segments} segment{'s' * (n_segments != 1)}"
    )


if __name__ == "__main__":
    sys.exit(main())
