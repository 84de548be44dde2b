"""`celab-score`: references and systems → scores, and how the systems compare.

It parses, reads, scores and reports, in this order, and writes only when all of it has succeeded.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from celab.base.errors import InputError, OptionError, Text, spell
from celab.base.numbers import RESAMPLES
from celab.base.view.renderers import TABLES
from celab.cli import (
    dask,
    explain,
    gates,
    inputs,
    judges,
    metrics,
    output_files,
    outputs,
    progress,
    requests,
    terminal,
)
from celab.cli.arguments import Parser, Refused, add_limits, as_flag, integer, number
from celab.cli.requests import MOST_DIGITS, ScoreRequest
from celab.metrics.registry import digits_of

if TYPE_CHECKING:
    from celab.base.view.tables import Detail
    from celab.evaluation.systems.campaign import Campaign
    from celab.evaluation.systems.gate import Gate
    from celab.evaluation.systems.scored import Scored
    from celab.metrics.base import Metric

AnyScored = TypeVar("AnyScored", bound="Scored")
COMMAND = "celab-score"
# Options of sacreBLEU that celab does not have, and what to use instead.
_SUBSET = "write that part of the test set to files, by sacrebleu --echo, and score them"
_REFUSED = {
    "--citation --cite": "README.md says what to cite",
    "--list": "sacrebleu --list shows the test sets; -t NAME -l PAIR uses one",
    "--download": "-t NAME -l PAIR downloads a test set, once",
    "--echo": "sacrebleu --echo writes test sets to files",
    "--origlang -ol": _SUBSET,
    "--subset": _SUBSET,
    "--num-refs -nr": "give a file for each reference, or name the columns: --format tsv"
    " --ref-fields 1,2",
    "--confidence-n -cin": "use --resamples N; the 95% interval is shown by default",
    "--paired-bs -pbs": "give all systems with -s; they are compared by paired bootstrap, and"
    " --details shows p-values; celab compare shows two systems",
    "--paired-bs-n -pbsn": "use --resamples N",
    "--paired-ar -par": "give all systems with -s, and --test randomization; --details shows"
    " p-values",
    "--paired-ar-n -parn": "use --test randomization --resamples N",
    "--paired-jobs -j": "use --jobs N",
    "--short -sh": "signatures have one form; -b prints only the score",
    "--detail -d": "use --details; --level document shows documents",
    "--no-color -nc": "use --color never",
    "-V": "use --version",
}
LEVELS = ("system", "document", "segment")


def _parser(command: str = COMMAND) -> Parser:
    parser = Parser(
        command,
        common="-r -s -m --lang --profile --lexicon --segments --explain --details -f --html -o",
        example=f"{command} -m celab chrf bleu -r ref.zh -s A.zh B.zh",
        usage=f"{command} [options] REF... HYP, or REF < HYP\n"
        f"       {command} [options] -r REF... -s SYSTEM...\n"
        f"       {command} [options] --text REF... HYP",
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
    inputs.add_text(parser)
    _add_output(parser)
    add = parser.group("Intervals and tests")
    add(
        "--test",
        "significance test of all pairs of systems (default: bootstrap)",
        choices=("bootstrap", "randomization"),
    )
    add("--resamples N", "number of bootstrap resamples", default=1000, between=RESAMPLES)
    add("--seed N", "random seed", default=12345, between=(0, 2**32))
    add("--no-interval", "neither 95%% intervals nor significance tests; nothing is resampled")
    add = parser.group("Gate")
    add(
        "--fail-under SCORE",
        "exit code 1 if a system scores less by the first metric",
        type=number,
        whole=True,
    )
    inputs.add_terms(parser)
    judges.add_judges(parser)
    add_limits(parser)
    dask.add_engine(parser)
    inputs.add_slow(parser)
    metrics.add_metrics(parser)
    return parser


def _add_output(parser: Parser) -> None:
    add = parser.group("Output")
    add(
        "--level",
        "level to report (default: system); the score of a document is that of its segments as a"
        " test set of their own: their mean, or of BLEU, chrF and TER their pooled counts",
        choices=LEVELS,
        default="system",
    )
    add("--segments", "TSV table of the segments; same as --level segment")
    add("--json", "JSON, with all digits; with --segments, segment scores too", whole=True)
    parser.add_tables(add, "tables as {}")
    names = ("text", "json", *reversed(TABLES))
    add(
        "-f",
        f"output format: {', '.join(names)}",
        metavar="NAME",
        choices=names,
        dest="output_format",
    )
    add("-b --brief --score-only", "only the score")
    add("--details", "a table per metric; with intervals, P, R, ranks and p-values")
    add(
        "-w --digits N",
        "digits after the decimal point (default: 4 for TESLA, 2 for the others)",
        between=(0, MOST_DIGITS),
    )
    add("--explain N", "show how segment N was matched", type=integer, whole=True)
    add(
        "-o --output FILE",
        "output file, written atomically; with --engine dask, a folder for Parquet files",
    )
    output_files.add_overwrite(add)
    add("--resume", "continue an interrupted --output from the last complete batch of segments")
    add("--html FILE", "also write an HTML report", whole=True)
    add(
        "--explained N",
        "number of outputs that --html explains, shared by the metrics",
        default=2_000,
        between=(0, 1_000_000),
    )
    add(
        "--report-lang",
        "language of the --html report (default: en); its reader can change it",
        choices=("en", "zh"),
    )
    add("--reviews FILE", "reviews that were saved in an HTML report, to show in this one")
    add(
        "--color",
        "use colors in --explain (default: auto, only in a terminal)",
        choices=("auto", "always", "never"),
        default="auto",
    )
    add(
        "--no-check",
        "do not look for outputs that are no translations; without it, a line on standard error"
        " tells how many a system has",
    )
    add("-q --quiet", "suppress status messages and progress; warnings are still shown")
    # sacreBLEU's; the interval is shown anyway, and text may look tokenized.
    hidden: dict[str, Any] = {"action": "store_true", "help": argparse.SUPPRESS}
    parser.add_argument("--confidence", "-ci", **hidden)
    parser.add_argument("--force", **hidden)
    parser.add_argument("--sentence-level", "-sl", dest="segments", **hidden)
    for refused, advice in _REFUSED.items():
        parser.add_argument(*refused.split(), action=Refused, advice=advice)


def run(argv: Sequence[str] | None, command: str) -> tuple[str, str, int]:
    """Return the text for stdout, the remark for stderr and the exit code."""
    parser = _parser(command)
    request = requests.read(ScoreRequest, parser, argv)
    files = inputs.files_of(request)
    refs, systems, default = files
    by_dask = dask.is_chosen(request)
    _check_outputs(request)
    metrics_by_name, notices = metrics.make_metrics(request, used=["jobs"] if by_dask else ())
    metrics.warn(notices, inputs.many_references(request, refs, systems), request.strict)
    if by_dask:
        notices += inputs.likely_systems(request, refs, systems, [()] * len(refs), [()])
        scored, read = dask.run(request, metrics_by_name, refs, systems)
        if not request.no_check:
            read += "; --engine dask does not look for outputs that are no translations"
        scored = _resample(scored, request)
        gate = _gate(scored, request)
        ending = outputs.remark(request, read, notices, scored.n_skipped)
        return _report(scored, request, gate), *_outcome(scored, request, gate, ending)
    if len(metrics_by_name) == 1 and _is_one_table(request, parser.whole):
        streamed = _stream(metrics_by_name, refs, systems or [default or ""], request, notices)
        if streamed is not None:
            return "", *streamed
    texts = inputs.read(request, files)
    metrics.warn(notices, inputs.doubts(request, metrics_by_name, texts), request.strict)
    notices += inputs.likely_systems(request, refs, systems, texts.refs, texts.systems.values())
    from celab.evaluation.systems.campaign import Campaign

    campaign, gate = Campaign(texts, metrics=metrics_by_name), None
    reviews = outputs.read_reviews(request, texts, notices)
    glossary = None if request.terms is None else inputs.read_glossary(request, request.terms)
    if request.explain is not None:
        report = _explanation(campaign, request)
    else:
        inputs.check_time(request, metrics_by_name, texts)
        campaign = inputs.with_judges(campaign, request)
        with progress.ProgressBar(quiet=request.quiet) as bar:
            campaign = campaign.score(metrics_by_name, progress=bar, check=not request.no_check)
        if glossary is not None:
            campaign = campaign.add_terms(
                glossary, lang=request.lang, source_lang=request.source_lang
            )
        campaign = _resample(campaign, request)
        gate = _gate(campaign, request)
        if request.html is not None:
            outputs.write_html(campaign, request, reviews)
        report = _report(campaign, request, gate)
    text, ending = outputs.write(request, report), outputs.ending(request, campaign, notices)
    return text, *_outcome(campaign, request, gate, ending)


def _gate(scored: Scored, request: ScoreRequest) -> Gate | None:
    if request.fail_under is None:
        return None
    from celab.evaluation.systems.gate import not_under

    return not_under(scored, request.fail_under)


def _outcome(
    scored: Scored, request: ScoreRequest, gate: Gate | None, ending: tuple[str, int]
) -> tuple[str, int]:
    """Tell of outputs that are no translations, and of the gate; return remark and exit code."""
    from celab.evaluation.checks import view as outputs
    from celab.evaluation.judges import ranks

    if not request.brief:
        terminal.following.extend(outputs.remarks(scored))
        terminal.following.extend(ranks.remarks(scored))
    if gate is None:
        return ending
    return gates.outcome(request, gate, scored.view(), ending)


def _resample(scored: AnyScored, request: ScoreRequest) -> AnyScored:
    """Return the scores with tests if there are several systems, or else with intervals."""
    is_shown = request.json or (request.level == "system" and not request.brief)
    if request.no_interval or not (is_shown or request.html):
        return scored
    settings = {"n_resamples": request.resamples, "seed": request.seed}
    if len(scored.system_names) > 1:
        return scored.test(request.test or "bootstrap", **settings)
    return scored.bootstrap(**settings) if is_shown else scored


def _check_outputs(request: ScoreRequest) -> None:
    """Raise before scoring if what is written beside the outputs cannot be, or is also an input."""
    if request.fail_under is not None:
        gates.check_summary(request)
    output = request.output_files.get("--output")
    if output is not None and request.level == "segment":
        from celab.cli.segments import partials

        names = ("partial output", "note of the partial output")
        others = [] if request.html is None else [request.html]
        files = dict(zip(names, partials(output), strict=False))
        output_files.check_files(files, request, others)


def _is_one_table(request: ScoreRequest, whole_flags: Sequence[str]) -> bool:
    """Return whether the output is a table of segments, and no flag needs all texts at once."""
    is_plain = request.level == "segment" and request.format in (None, "plain")
    is_tsv = request.table in (None, "tsv")
    return is_tsv and is_plain and not any(map(request.is_given, whole_flags))


def _stream(
    metrics_by_name: Mapping[str, Metric],
    refs: Sequence[str],
    systems: Sequence[str],
    request: ScoreRequest,
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
    from celab.corpus.names import short_names
    from celab.evaluation.checks.outputs import StreamedOutputs
    from celab.evaluation.checks.view import remark

    encodings = encodings_of(request.encoding)
    paths = [(path, encodings["ref"]) for path in refs]
    opened = open_lines([*paths, (systems[0], encodings["hyp"])], request.limits)
    if opened is None:
        return None
    *ref_files, hyp = opened

    doubted: set[str] = set()  # files, about which there is one warning each

    def look(n_before: int, hyps: Sequence[str], sides: Sequence[Sequence[str]]) -> None:
        named_sides = [(hyp.name, hyps), *zip((ref.name for ref in ref_files), sides, strict=True)]
        doubts: list[Text] = [nul_doubt(*side, n_before) for side in named_sides]
        if not n_before:
            misfits = inputs.misfits(metrics_by_name.values(), named_sides)
            metrics.warn(notices, misfits, request.strict)
            notices.extend(inputs.likely_systems(request, refs, systems, sides, [hyps]))
            doubts = [texts_doubt(*side) for side in named_sides]
            if request.format is None:
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
                metrics.warn(notices, [spell(doubt, as_flag)], request.strict)

    (metric,) = metrics_by_name.values()
    checked = None if request.no_check else StreamedOutputs(request.lang or metric.language)
    try:
        n_segments, n_skipped = write_segments(
            metric,
            ref_files,
            hyp,
            look=look,
            outputs=checked,
            output=request.output,
            resume=request.resume,
            overwrite=request.overwrite,
            quiet=request.quiet,
        )
    except InputError as error:
        default = None if request.systems else systems[0]
        raise inputs.with_usage(request, error, default) from None
    if checked is not None and checked.kinds:
        (name,) = short_names([hyp.path])
        digits, scores = digits_of(metric.name), checked.scores()
        line = remark(name, checked.kinds, n_segments, scores, digits)
        terminal.following.append(line)
    names = [ref.name for ref in ref_files]
    read = inputs.describe_input(f"hypothesis {hyp.name}", names, n_segments)
    read += inputs.multi_system_hint(request)
    return outputs.remark(request, read, notices, n_skipped)


def _report(scored: Scored, request: ScoreRequest, gate: Gate | None) -> str:
    from celab.base.view.renderers import RENDERERS
    from celab.base.view.tables import ViewOptions
    from celab.evaluation.systems import stored

    if request.json:
        return stored.written(scored, level=request.level, gate=gate)
    is_single = len(scored.system_names) == len(scored.scores) == 1
    if request.brief:
        detail: Detail = "score"
    elif request.details:
        detail = "full"
    else:
        detail = "line" if is_single and not request.table else "normal"
    options = ViewOptions(detail, request.level, request.digits)
    return RENDERERS[request.output_format](scored.view(options))


def _explanation(campaign: Campaign, request: ScoreRequest) -> str:
    """Return what `celab explain` shows of the segment."""
    texts = campaign.corpus
    number, n_segments, name = request.explain or 0, len(texts.segments), texts.hyp_name
    if not 1 <= number <= n_segments:
        raise OptionError(f"no segment {number}; {name} has {n_segments}")
    color = explain.wants_color(request.color, request.output)
    campaign = inputs.with_judges(campaign, request, [number])
    return explain.views(campaign, [number], details=request.details, color=color)


main = terminal.entry(run, COMMAND)

if __name__ == "__main__":
    sys.exit(main())
