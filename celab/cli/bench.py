"""`celab-bench`: pairs of sentences → how fast each solver is on them, and whether all agree.

It parses, reads or generates, measures and reports, in this order. Beside the exit codes of every
command there is 1: a solver's values are not those of the reduction.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from celab.cli import files, progress, terminal
from celab.cli.arguments import Parser, add_options, chosen_options, refuse_together
from celab.cli.metrics import lexicon_of
from celab.errors import InputError, OptionError

if TYPE_CHECKING:
    from celab.benchmark.generate import Recipe
    from celab.benchmark.growth import Growth
    from celab.benchmark.measure import Found
    from celab.benchmark.pairs import Pairs
    from celab.benchmark.solvers import Solver
    from celab.metrics.celab import TeslaCelab

COMMAND = "celab-bench"


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    wrong: list[bool] = []

    def work() -> tuple[str, str]:
        report, about, is_wrong = _work(argv)
        wrong.append(is_wrong)
        return report, about

    code = terminal.run(COMMAND, work)
    return 1 if code == 0 and any(wrong) else code


def _parser() -> Parser:
    from celab.benchmark.generate import Recipe
    from celab.benchmark.growth import LENGTHS, MOST_PAIRS
    from celab.benchmark.solvers import SOLVERS

    parser = Parser(
        COMMAND,
        usage=f"{COMMAND} [options] [REF HYP...]",
        description="Measures how fast the exact reduction and other solvers of the metric's linear"
        " programs are, each in a process of its own, and whether they agree.",
        epilog="Solvers: "
        + "; ".join(f"{one.name}: {one.package}, {one.how}" for one in SOLVERS.values())
        + ". Exit code 1 if a value of one differs from the reduction's.",
    )
    parser.add_argument(
        "files", nargs="*", metavar="FILE",
        help="a reference and one or more systems; without files text is generated",
    )  # fmt: skip
    given = parser.add_argument_group("what is solved")
    given.add_argument("--generate", action="store_true", help="generate text, as without files")
    given.add_argument(
        "--lexicon", action="append", metavar="NAME|PATH",
        help="of files: as in celab-score (default: cilin); generated text has its own",
    )  # fmt: skip
    given.add_argument("--lang", metavar="LANG", help="of files: zh (default), de, ja or ko")
    add_options(parser, Recipe, "the pairs")
    measured = parser.add_argument_group("what is measured")
    measured.add_argument(
        "--solvers", metavar="NAMES", help="separated by commas (default: all that are installed)"
    )
    measured.add_argument(
        "--rounds", type=int, default=3, metavar="N", help="in each all take turns (default: 3)"
    )
    measured.add_argument(
        "--timeout", type=float, default=120.0, metavar="SECONDS",
        help="for a solver and all its rounds (default: 120)",
    )  # fmt: skip
    measured.add_argument(
        "--growth", action="store_true",
        help=f"measure several lengths, too, with {MOST_PAIRS} pairs of each at most",
    )  # fmt: skip
    measured.add_argument(
        "--lengths", metavar="NUMBERS",
        help=f"of --growth (default: {','.join(map(str, LENGTHS))})",
    )  # fmt: skip
    output = parser.add_argument_group("the output")
    output.add_argument("--json", action="store_true", help="JSON, with every digit")
    output.add_argument("--markdown", action="store_true", help="tables as markdown")
    output.add_argument(
        "--plot", metavar="FILE",
        help="draw it, too: .svg, or, if matplotlib is installed, .png",
    )  # fmt: skip
    output.add_argument("--quiet", action="store_true", help="no remarks, no progress bar")
    return parser


def _work(argv: Sequence[str] | None) -> tuple[str, str, bool]:
    """What to write to stdout, what to remark on stderr, and whether a solver is wrong."""
    arguments = _parser().parse_intermixed_args(argv)
    refuse_together(arguments, ("json", "markdown"))
    from celab.benchmark import measure, plot, report, solvers

    _check(arguments)
    if arguments.plot is not None:
        plot.check(arguments.plot)
    lengths = _lengths(arguments)
    chosen = solvers.installed() if arguments.solvers is None else solvers.chosen(arguments.solvers)
    source = _source(arguments)
    settings = {"rounds": arguments.rounds, "timeout": arguments.timeout}
    turns = (1 + len(lengths)) * arguments.rounds * len(chosen)
    with _progress(turns, arguments.quiet) as step:
        pairs, metric = source(None)
        found = measure.measure(pairs, metric, chosen, progress=step, **settings)
        growth = None
        if lengths:
            from celab.benchmark.growth import grow

            growth = grow(source, lengths, chosen, progress=step, **settings)
    if arguments.plot is not None:
        _draw(arguments.plot, found, growth)
    if arguments.json:
        text = report.as_json(found, growth)
    else:
        text = report.tables(found, growth, "markdown" if arguments.markdown else "text")
    is_wrong = found.is_wrong or (growth is not None and growth.is_wrong)
    return text, "" if arguments.quiet else _remark(arguments, chosen), is_wrong


def _check(arguments: argparse.Namespace) -> None:
    given, generated = arguments.files, _recipe_flags(arguments)
    if given and arguments.generate:
        raise OptionError(f"{given[0]} and --generate are both given; choose one of them")
    if len(given) == 1:
        raise OptionError(
            f"{given[0]} is the only file; there must be a reference and a system: {COMMAND} REF"
            " HYP, or no files"
        )
    if given and generated:
        raise OptionError(f"--{generated[0]} is of generated text; leave it out, or the files")
    for name in ("lexicon", "lang"):
        if not given and getattr(arguments, name) is not None:
            raise OptionError(
                f"--{name} is of files, but none are given; give a reference and a system, too"
            )
    if arguments.rounds < 1:
        raise OptionError(f"--rounds is {arguments.rounds}; it must be 1 or more")
    if not arguments.timeout > 0:
        raise OptionError(f"--timeout is {arguments.timeout:g}; it must be more than 0 seconds")


def _recipe_flags(arguments: argparse.Namespace) -> list[str]:
    """Those that only generated text obeys."""
    from celab.benchmark.generate import Recipe

    return [name for name in chosen_options(arguments, Recipe) if name not in ("pairs", "seed")]


def _lengths(arguments: argparse.Namespace) -> list[int]:
    from celab.benchmark.growth import LENGTHS

    if arguments.lengths is None:
        return list(LENGTHS) if arguments.growth else []
    words = arguments.lengths.split(",")
    if not all(word.isdecimal() and 1 <= int(word) <= 10_000 for word in words):
        raise OptionError(
            f"--lengths is {arguments.lengths!r}; it must be whole numbers from 1 to 10000, such as"
            " 10,20,40"
        )
    return sorted({int(word) for word in words})


def _source(arguments: argparse.Namespace) -> Callable[[int | None], tuple[Pairs, TeslaCelab]]:
    """What gives the pairs, or, for a length, as many of that length as growth wants."""
    from celab.benchmark.generate import Recipe

    recipe = Recipe(**chosen_options(arguments, Recipe))
    return _of_files(arguments, recipe) if arguments.files else _generated(recipe)


def _generated(recipe: Recipe) -> Callable[[int | None], tuple[Pairs, TeslaCelab]]:
    from celab.benchmark.generate import generate
    from celab.benchmark.growth import MOST_PAIRS
    from celab.benchmark.pairs import metric_of_groups

    def make(length: int | None) -> tuple[Pairs, TeslaCelab]:
        wanted = recipe
        if length is not None:
            wanted = replace(recipe, length=length, pairs=min(recipe.pairs, MOST_PAIRS))
        made = generate(wanted)
        return made, metric_of_groups(made.groups, f"generated-{recipe.seed}")

    return make


def _of_files(
    arguments: argparse.Namespace, recipe: Recipe
) -> Callable[[int | None], tuple[Pairs, TeslaCelab]]:
    from celab import corpus
    from celab.benchmark.growth import MOST_PAIRS
    from celab.benchmark.pairs import metric_of_files, of_length, sample

    ref, *systems = arguments.files
    texts = corpus.read(ref, systems)
    if len(texts.refs) > 1:
        raise InputError(f"{ref} holds {len(texts.refs)} references; it must hold one")
    n_systems = len(texts.systems)
    what = texts.hyp_name if n_systems == 1 else f"{n_systems} systems"
    origin = f"{what} against {texts.ref_names[0]}"
    pairs = sample(origin, list(texts.systems.values()), texts.refs[0], recipe.pairs, recipe.seed)
    metric = metric_of_files(lexicon_of(arguments.lexicon), arguments.lang)

    def make(length: int | None) -> tuple[Pairs, TeslaCelab]:
        if length is None:
            return pairs, metric
        return of_length(pairs, length, min(len(pairs), MOST_PAIRS)), metric

    return make


@contextlib.contextmanager
def _progress(turns: int, quiet: bool) -> Iterator[Callable[[], None]]:
    """What to call after each turn."""
    with progress.ProgressBar(turns, "measuring", "turns") as bar:
        done = 0

        def step() -> None:
            nonlocal done
            done += 1
            if progress.is_welcome(quiet):
                bar(done)

        yield step


def _draw(path: str, found: Found, growth: Growth | None) -> None:
    from celab.benchmark import plot

    if path.endswith(".svg"):
        files.write(path, plot.svg(found, growth))
        return
    picture = plot.png(found, growth)
    try:
        with open(path, "wb") as file:
            file.write(picture)
    except OSError as error:
        raise InputError(f"{path} cannot be written ({error.strerror})") from None


def _remark(arguments: argparse.Namespace, chosen: Sequence[Solver]) -> str:
    from celab.benchmark.solvers import SOLVERS

    lacking = [name for name, one in SOLVERS.items() if not one.is_installed]
    n, rounds = len(chosen), arguments.rounds
    said = [f"{n} solver{'s' * (n != 1)} beside the reduction, {rounds} round{'s' * (rounds != 1)}"]
    if lacking and arguments.solvers is None:
        said.append(f"not installed: {', '.join(lacking)}")
    load = getattr(os, "getloadavg", lambda: (0.0,))()[0]
    if load > 1:
        said.append(f"the machine is busy (load {load:.1f}), trust ratios only")
    return "; ".join(said)


if __name__ == "__main__":
    sys.exit(main())
