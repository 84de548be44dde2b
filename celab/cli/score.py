"""`celab-score`: references and systems → scores, and how the systems compare.

It parses, reads, scores and reports, in this order, and writes only when all of it has succeeded.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from celab.base import io
from celab.base.errors import InputError, OptionError, Text, meant, spell
from celab.base.text.escapes import escaped
from celab.cli import dask, inputs, metrics, outputs, progress, terminal
from celab.cli.arguments import Parser, add_limits, any_whole, as_flag, limits_of, refuse_together

if TYPE_CHECKING:
    from celab.corpus import Corpus, Limits
    from celab.evaluation.campaign import Campaign
    from celab.metrics.base import Metric
    from celab.metrics.explanation import SegmentExplanation

COMMAND = "celab-score"
FORMATS = ("plain", "sgml", "wmt", "tsv", "jsonl")
# Options of sacreBLEU that celab does not have, and what to use instead.
_REFUSED = {
    "-tok": "the tokenization of bleu follows --lang, and --tokenize is an option of celab",
    "--force": "it is not needed; leave it out",
    "-lc": "bleu, chrf and ter keep case, and --case is an option of celab",
}
LEVELS = ("system", "document", "segment")
TABLES = ("tsv", "markdown", "latex")


def main(argv: Sequence[str] | None = None, command: str = COMMAND) -> int:
    """The command; returns its exit code."""
    return terminal.run(command, lambda: _work(argv, command))


def _parser(command: str = COMMAND) -> Parser:
    parser = Parser(
        command,
        common="-r -s -m --lang --lexicon --level --explain --test --json --html -o",
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
    add_files(parser)
    _add_output(parser)
    add = parser.group("Several systems")
    add(
        "--test",
        "significance test (default: bootstrap); shows p-values if given",
        choices=("bootstrap", "randomization"),
    )
    add("--resamples N", "number of bootstrap resamples", default=1000, between=(1, 1_000_000))
    add("--seed N", "random seed", default=12345, between=(0, 2**32))
    add_limits(parser)
    dask.add_engine(parser)
    metrics.add_metrics(parser)
    return parser


def add_files(parser: Parser) -> None:
    """The flags that say what to read; `celab compare` and `celab explain` have them, too."""
    add = parser.group("Input")
    add("-r --references FILE...", "references")
    add("-s --systems -i --input FILE...", "system outputs (default: standard input)")
    add("-t --test-set NAME", "references from sacreBLEU's test sets, such as wmt24; needs -l")
    add(
        "-l --language-pair PAIR",
        "language pair, such as en-zh; sets --lang to its target; or, without -t, one language",
    )
    add("--source FILE", "source text, shown in the report")
    add("--documents FILE", "document of each segment: one per line, or a TSV table")
    add("--format NAME", f"input format: {', '.join(FORMATS)} (default: auto-detect)", type=_format)
    add(
        "--encoding NAME",
        "encoding of all files, such as gb18030, big5 or utf-16, or of some:"
        " hyp=gb18030,ref=utf-8,source=big5 (default: declared in the file, or UTF-8)",
    )
    add(
        "--skip-missing",
        "score only the segments that all files have, joined by id (not for plain"
        " text, which has no ids)",
    )
    for flag, what in (("ref", "reference"), ("hyp", "system")):
        add(
            f"--{flag}-fields FIELDS",
            f"names or numbers of the {what} columns, separated by commas (TSV, JSONL)",
        )
    add("--source-field FIELD", "name or number of the source column (TSV, JSONL)")
    add("--document-field FIELD", "name or number of the document column (TSV, JSONL, --documents)")
    add("--id-field FIELD", "name or number of the id column (TSV, JSONL)")
    add("--only-refs NAMES", "references to use, such as A,B (default: all in the files)")
    add("--only-systems NAMES", "systems to score, separated by commas (default: all)")
    add(
        "--names NAMES",
        "names of the systems, separated by commas, in the order of the files"
        " (default: the shortest distinct part of the path)",
    )


def _add_output(parser: Parser) -> None:
    add = parser.group("Output")
    add("--level", "unit of the scores (default: system)", choices=LEVELS, default="system")
    add("--segments", "TSV table of the segments; same as --level segment")
    add("--json", "JSON, with all digits; with --segments, segment scores too")
    for name, what in (
        ("tsv", "TSV, with all digits"),
        ("markdown", "Markdown"),
        ("latex", "LaTeX"),
    ):
        add(f"--{name}", f"tables as {what}")
    add(
        "-f",
        "output format, as in sacreBLEU: text (default), json or latex",
        metavar="NAME",
        choices=("text", "json", "latex"),
        dest="output_format",
    )
    add("-b --brief", "only the score")
    add(
        "-w --digits N",
        "digits after the decimal point (default: 4 for TESLA, 2 for the others)",
        between=(0, inputs.MOST_DIGITS),
    )
    add("--explain N", "show how segment N was matched", type=any_whole)
    add(
        "-o --output FILE",
        "output file, written atomically; with --engine dask, a folder for Parquet files",
    )
    add("--resume", "continue an interrupted --output from the last complete batch of segments")
    add("--html FILE", "also write an HTML report")
    add(
        "--explained N",
        "number of segments that --html explains",
        default=10_000,
        between=(0, 1_000_000),
    )
    add(
        "--color",
        "use colours in --explain (default: auto, only in a terminal)",
        choices=("auto", "always", "never"),
        default="auto",
    )
    add("-q --quiet", "no remarks and no progress bar; warnings are still shown")
    for flag in _REFUSED:
        parser.add_argument(flag, nargs="?", help=argparse.SUPPRESS, action=_Refused)


def _format(name: str) -> str:
    if name in ("text", "json", "latex"):
        raise argparse.ArgumentTypeError(
            f"{name!r} is given; it is the format of the input ({', '.join(FORMATS)}), that of the"
            f" output is -f {name}"
        )
    if name not in FORMATS:
        raise argparse.ArgumentTypeError(f"{name!r} is given; {meant(name, FORMATS)}")
    return name


class _Refused(argparse.Action):
    """An option of sacreBLEU that raises an error with advice."""

    def __call__(self, parser: Any, namespace: object, values: object, flag: Any = None) -> None:
        raise OptionError(f"{flag} is not an option of {parser.prog}: {_REFUSED[flag]}")


def _work(argv: Sequence[str] | None, command: str) -> tuple[str, str, int]:
    """What to write to stdout, what to remark on stderr, and the exit code."""
    arguments = metrics.parsed(_parser(command), argv)
    if arguments.segments:
        arguments.level = "segment"
    if arguments.output_format in ("json", "latex"):
        setattr(arguments, arguments.output_format, True)
    refuse_together(
        arguments,
        ("brief", "json"),
        ("brief", "segments"),
        ("brief", "explain"),
        ("brief", "test"),
        ("explain", "json"),
        ("explain", "segments"),
        ("explain", "html"),
        *((table, other) for table in TABLES for other in ("brief", "json", "explain")),
        ("tsv", "markdown"),
        ("tsv", "latex"),
        ("markdown", "latex"),
    )
    inputs.complete(arguments)
    refs, systems = inputs.paths(arguments)
    default = None if systems else inputs.default_system(arguments)
    if arguments.resume and arguments.output is None:
        raise OptionError("--resume is given without --output; add --output, the file to continue")

    limits = limits_of(arguments)
    by_engine = dask.chosen(arguments)
    _check_outputs(arguments, [*refs, *systems, *([default] if default else [])], by_engine)
    made, notices = metrics.made(arguments, used=["jobs"] if by_engine else ())
    metrics.warn(notices, inputs.many_references(arguments, refs, systems), arguments.strict)
    if by_engine:
        scored = dask.run(arguments, made, refs, systems, limits)
        report, n_skipped = _report(scored, arguments), scored.n_skipped
        return report, *ending(arguments, what_was_read(scored.corpus), notices, n_skipped)
    streamed = _streamed(made, refs, systems or [default or ""], arguments, limits, notices)
    if streamed is not None:
        about, n_skipped = streamed
        return "", *ending(arguments, about, notices, n_skipped)
    texts = inputs.read(arguments, refs, systems, default, limits)
    metrics.warn(notices, inputs.doubts(arguments, made, texts), arguments.strict)
    inputs.warn_if_slow(arguments, made, texts)
    n_skipped = 0
    if arguments.explain is None:
        report, n_skipped = _scores(made, texts, arguments)
    else:
        report = _explanations(made, texts, arguments)
    if arguments.output is not None:
        io.write(arguments.output, report)
        report = ""
    return report, *ending(arguments, what_was_read(texts), notices, n_skipped)


def _check_outputs(arguments: argparse.Namespace, texts: Sequence[str], by_engine: bool) -> None:
    """Raises before scoring if an output cannot be written or is also an input."""
    output = None if by_engine else arguments.output
    read = [*texts, arguments.source, arguments.documents, *metrics.inputs(arguments)]
    outputs.check({"--output": output, "--html": arguments.html}, read)
    if output is not None and arguments.level == "segment":
        from celab.cli.segments import partials

        names = ("partial output", "note of the partial output")
        outputs.check(dict(zip(names, partials(output), strict=False)), [*read, arguments.html])


def ending(
    arguments: argparse.Namespace, read: str, notices: list[str], n_skipped: int
) -> tuple[str, int]:
    """Prints warnings; returns the remark and the exit code. `--quiet` omits what was read."""
    for notice in notices:
        terminal.remark(f"{arguments.program}: warning: {notice}")
    said = [] if arguments.quiet else [read]
    if n_skipped:
        plural = "s" * (n_skipped > 1)
        said.append(f"{n_skipped} segment{plural} skipped, because no optimum was proved")
    return "; ".join(said), 3 if n_skipped else 0


def _streamed(
    made: Mapping[str, Metric],
    refs: Sequence[str],
    systems: Sequence[str],
    arguments: argparse.Namespace,
    limits: Limits,
    notices: list[str],
) -> tuple[str, int] | None:
    """Segments of plain text, read and written batch by batch; None if that is not asked for.

    What was read, and how many segments were skipped.
    """
    others = (
        arguments.json,
        arguments.html,
        arguments.markdown,
        arguments.latex,
        arguments.source,
        arguments.skip_missing,
        arguments.only_refs,
        arguments.only_systems,
        len(made) > 1,
        arguments.names,
        arguments.documents,
        arguments.test_set,
        arguments.format not in (None, "plain"),
        bool(inputs.fields_of(arguments)),
    )
    if arguments.level != "segment" or arguments.explain is not None or any(others):
        return None
    if len(systems) != 1 or not systems[0] or not refs or (*refs, *systems).count("-") > 1:
        return None
    from celab.cli.segments import write_segments
    from celab.corpus import encodings_of
    from celab.corpus.doubts import plain_doubt, texts_doubt
    from celab.corpus.lines import open_lines

    encodings = encodings_of(arguments.encoding)
    paths = [(path, encodings["ref"]) for path in refs]
    opened = open_lines([*paths, (systems[0], encodings["hyp"])], limits)
    if opened is None:
        return None
    *ref_files, hyp = opened

    def look(hyps: Sequence[str], sides: Sequence[Sequence[str]]) -> None:
        named = [(hyp.name, hyps), *zip((ref.name for ref in ref_files), sides, strict=True)]
        metrics.warn(notices, inputs.misfits(arguments, made, named), arguments.strict)
        for file, some in zip((hyp, *ref_files), (hyps, *sides), strict=True):
            doubt: Text = texts_doubt(file.name, some)
            if arguments.format is None:
                beginning = "\n".join([*some[:1000], ""])
                doubt = plain_doubt(file.path, file.name, beginning) or doubt
            if doubt:
                metrics.warn(notices, [spell(doubt, as_flag)], arguments.strict)

    try:
        n_segments, n_skipped = write_segments(
            next(iter(made.values())),
            ref_files,
            hyp,
            look=look,
            output=arguments.output,
            resume=arguments.resume,
            quiet=arguments.quiet,
        )
    except InputError as error:
        default = None if arguments.systems else systems[0]
        raise inputs.with_ways(arguments, error, default) from None
    return _read(f"hypothesis {hyp.name}", [ref.name for ref in ref_files], n_segments), n_skipped


def what_was_read(texts: Corpus) -> str:
    """The remark about the input."""
    n_systems = len(texts.systems)
    hyp = texts.file_of(texts.hyp_name) if n_systems == 1 else ""
    what = f"hypothesis {hyp}" if hyp else f"{n_systems} systems"
    read = _read(what, texts.ref_files or texts.ref_names, len(texts.segments))
    return read + f", {texts.n_left_out} left out" * bool(texts.n_left_out)


def _read(what: str, ref_names: Sequence[str], n_segments: int) -> str:
    return (
        f"{what}, reference{'s' * (len(ref_names) > 1)} {' '.join(ref_names)}, "
        f"{n_segments} segment{'s' * (n_segments != 1)}"
    )


def _scores(
    made: Mapping[str, Metric], texts: Corpus, arguments: argparse.Namespace
) -> tuple[str, int]:
    """The report, and how many segments were skipped, over all metrics and systems."""
    from celab.evaluation import campaign

    n_segments = len(texts.segments)
    total = len(made) * len(texts.systems) * n_segments
    with progress.ProgressBar(total, quiet=arguments.quiet) as bar:
        scored = campaign.run(
            made,
            texts,
            test=arguments.test or "bootstrap",
            n_resamples=arguments.resamples,
            seed=arguments.seed,
            progress=progress.Runs(bar),
        )
    if arguments.html is not None:
        write_html(scored, arguments)
    return _report(scored, arguments), scored.n_skipped


def _report(scored: Campaign, arguments: argparse.Namespace) -> str:
    from celab.report import json, systems

    kind = next((name for name in TABLES if getattr(arguments, name)), None)
    if arguments.json:
        return json.campaign(scored, level=arguments.level)
    width = arguments.digits
    if arguments.level != "system":
        return systems.below(scored, arguments.level, kind or "tsv")
    if arguments.brief or not (scored.comparisons or kind):
        return systems.lines(scored, brief=arguments.brief, width=width)
    p_values = arguments.test is not None
    return systems.tables(scored, kind or "text", p_values=p_values, width=width)


def write_html(scored: Campaign, arguments: argparse.Namespace) -> None:
    """Writes the report that `--html` asks for."""
    with progress.ProgressBar(what="explaining", quiet=arguments.quiet) as bar:
        scored.html(
            arguments.html, explained=arguments.explained, lang=arguments.lang, progress=bar
        )


def _explanations(made: Mapping[str, Metric], texts: Corpus, arguments: argparse.Namespace) -> str:
    """What `celab explain` shows of the segment."""
    number, n_segments, name = arguments.explain, len(texts.segments), texts.hyp_name
    if not 1 <= number <= n_segments:
        raise OptionError(f"--explain is {number}; {name} has segments 1 to {n_segments}")
    return views(made, texts, [number], arguments)


def explained(
    metric: Metric, texts: Corpus, numbers: Sequence[int]
) -> dict[int, dict[str, SegmentExplanation]]:
    """By segment and system."""
    found: dict[int, dict[str, SegmentExplanation]] = {number: {} for number in numbers}
    scorer = metric.scorer(texts.refs)
    for system, hyps in texts.systems.items():
        for number, by_system in found.items():
            refs = [side[number - 1] for side in texts.refs]
            by_system[system] = scorer.explain(hyps[number - 1], refs)
    return found


def views(
    made: Mapping[str, Metric], texts: Corpus, numbers: Sequence[int], arguments: argparse.Namespace
) -> str:
    """For each metric, segment and reference one view, or a stack of systems; then their means."""
    from celab.report.terminal import combined, explanation, footer, stack

    is_file = arguments.output is not None and arguments.color == "auto"
    colour = not is_file and terminal.wants_colour(arguments.color)
    settings: Any = {"width": shutil.get_terminal_size().columns, "colour": colour}
    shown = []
    for metric in made.values():
        for number, by_system in explained(metric, texts, numbers).items():
            first = next(iter(by_system.values()))
            for k, r in enumerate(first.index):
                title = f"segment {number} of {len(texts.segments)}"
                against = {system: one.against[k] for system, one in by_system.items()}
                if len(against) == 1:
                    ((system, only),) = against.items()
                    title += f": {system} against {texts.ref_names[r]}"
                    shown.append(explanation(title, only, **settings))
                else:
                    title += f" against {texts.ref_names[r]}"
                    shown.append(stack(title, against, links=arguments.details, **settings))
            if len(first.index) > 1:
                together = [
                    f"{escaped(system)}: " * (len(by_system) > 1) + combined(one)
                    for system, one in by_system.items()
                ]
                shown.append("".join(together))
        if len(texts.systems) > 1:
            shown.append(footer(first.against[0], **settings))
    return terminal.Coloured("\n".join(shown))


if __name__ == "__main__":
    sys.exit(main())
