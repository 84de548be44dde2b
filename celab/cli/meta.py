"""`celab-meta`: a folder of translations with human judgments → correlation of metrics with them.

It parses, reads, scores, measures and reports, in this order, and writes only when all of it has
succeeded.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from celab import files
from celab.cli import metrics, outputs, progress, terminal
from celab.cli.arguments import Parser, add_limits, limits_of, refuse_together
from celab.errors import OptionError, meant

if TYPE_CHECKING:
    from celab.meta.dataset import Dataset

COMMAND = "celab-meta"
TABLES = ("tsv", "markdown", "latex")
METRICS = "celab,chrf,bleu"
LEVELS = ("system", "segment")


def main(argv: Sequence[str] | None = None, command: str = COMMAND) -> int:
    """The command; returns its exit code."""
    return terminal.run(command, lambda: _work(argv, command))


def _parser(command: str = COMMAND) -> Parser:
    parser = Parser(
        command,
        common="-m --scores --refs --against --lang --lexicon --level --json --markdown --html",
        example=f"{command} -m celab chrf --scores comet=comet.tsv wmt23-en-zh",
        usage=f"{command} [options] DATASET",
        description="Correlates metrics with human judgments. DATASET is a folder with ref-*.txt,"
        " hyp/*.txt and human scores or rankings.",
        epilog="DATASET is a folder with ref-NAME.txt (one or more), hyp/SYSTEM.txt, and at least"
        " one of human-seg.tsv (columns system, segment from 0, score; judge), human-sys.tsv"
        " (system, score) and rankings.tsv (segment, judge, system, rank; 1 is the best)."
        " Higher scores are better. The first two may also lack a header, as in the WMT metrics"
        " tasks: system and score, a system's segments in their order.",
    )
    parser.add_argument("dataset", nargs="*", metavar="DATASET", help="folder of judged systems")
    add = parser.group("Metrics and references")
    add("--scores NAME=FILE", "add an external metric; a TSV file with the columns system, segment"
        " and score, or system and score", action="append", default=[])  # fmt: skip
    add("--lower-is-better NAME", "lower is better for this external metric", action="append",
        default=[])  # fmt: skip
    add("--refs NAMES", "references, such as A,B (default: all)")
    add("--against NAME", "metric to compare the others with (default: the first)")
    add("--resamples N", "number of bootstrap resamples of the segments", default=1000,
        between=(1, 1_000_000))  # fmt: skip
    add("--seed N", "random seed", default=12345, between=(0, 2**32))
    add = parser.group("Output")
    add("--level", "report this level only (default: both)", choices=LEVELS)
    add("--json", "print JSON, with every digit")
    for name, spelled in zip(TABLES, ("TSV", "Markdown", "LaTeX"), strict=True):
        add(f"--{name}", f"print {spelled} tables")
    add("--html FILE", "also write an HTML report with plots")
    add("-q --quiet", "no remarks, no progress bar")
    add_limits(parser)
    metrics.add_metrics(parser, METRICS)
    return parser


def _work(argv: Sequence[str] | None, command: str) -> tuple[str, str, int]:
    """What to write to stdout, what to remark on stderr, and the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    known = (*metrics.METRICS, *_names_in(words))
    arguments = metrics.parsed(_parser(command), words, known)
    refuse_together(arguments, *combinations(("json", *TABLES), 2))
    if len(arguments.dataset) != 1:
        seen = " and ".join(arguments.dataset)
        what = f"{seen} are given" if seen else "no folder is given"
        raise OptionError(f"{what}; use {command} DATASET")
    given = _outside(arguments)
    names = metrics.names_of(arguments.metric or [METRICS], known)
    names += [name for name in given if name not in names]
    if arguments.against is not None and arguments.against not in names:
        raise OptionError(f"--against is {arguments.against!r}; {meant(arguments.against, names)}")

    from celab.meta import agreement, dataset, scores

    read = (*dataset.files_in(arguments.dataset[0]), *given.values(), *metrics.inputs(arguments))
    outputs.check({"--html": arguments.html}, read)
    from celab.report import agreement as report

    limits = limits_of(arguments)
    refs = None if arguments.refs is None else arguments.refs.split(",")
    judged = dataset.read(arguments.dataset[0], refs, limits)
    n_segments = len(judged.corpus.segments)
    by_name = {}
    for name, path in given.items():
        higher_is_better = name not in arguments.lower_is_better
        by_name[name] = scores.read(
            name, path, judged.systems, n_segments, higher_is_better, limits
        )
    arguments.metric = [name for name in names if name not in given]
    notices: list[str] = []
    if arguments.metric:
        made, notices = metrics.made(arguments)
        with progress.ProgressBar(len(made) * len(judged.systems) * n_segments) as bar:
            tell = progress.Runs(bar) if progress.is_welcome(arguments.quiet) else None
            by_name |= {one.name: one for one in scores.score(made, judged.corpus, tell)}
    evaluation = agreement.measure(
        judged,
        [by_name[name] for name in names],
        against=arguments.against,
        levels=LEVELS if arguments.level is None else (arguments.level,),
        n_resamples=arguments.resamples,
        seed=arguments.seed,
    )
    if arguments.html is not None:
        files.write(arguments.html, report.page(evaluation))
    kind = next((name for name in TABLES if getattr(arguments, name)), "text")
    text = report.as_json(evaluation) if arguments.json else report.tables(evaluation, kind)
    said = [*([] if arguments.quiet else _what_was_read(judged)), *notices]
    if n := evaluation.n_skipped:  # also with --quiet
        said.append(f"{n} segment{'s' * (n > 1)} skipped, because no optimum was proved")
    return text, "; ".join(said), 3 if n else 0


def _names_in(words: Sequence[str]) -> list[str]:
    """The names that `--scores` gives, which `-m` must know before anything is parsed."""
    after = [word for flag, word in pairwise(words) if flag == "--scores"]
    after += [word.removeprefix("--scores=") for word in words if word.startswith("--scores=")]
    return [word.partition("=")[0] for word in after]


def _outside(arguments: argparse.Namespace) -> dict[str, str]:
    """Names and files of external metrics."""
    paths: dict[str, str] = {}
    for text in arguments.scores:
        name, _, path = text.partition("=")
        if not name or not path or "," in name:
            raise OptionError(
                f"--scores is {text!r}; it must be NAME=FILE, such as comet=comet.tsv"
            )
        if name in paths:
            raise OptionError(f"--scores gives {name} twice; each name must be given once")
        paths[name] = path
    for name in arguments.lower_is_better:
        if name not in paths:
            raise OptionError(
                f"--lower-is-better is {name!r}; it must be a name that --scores gives"
            )
    return paths


def _what_was_read(judged: Dataset) -> list[str]:
    n_systems, n_segments = len(judged.systems), len(judged.corpus.segments)
    said = [
        f"{judged.name}, {n_systems} judged system{'s' * (n_systems != 1)},"
        f" reference{'s' * (len(judged.references) > 1)} {' '.join(judged.references)},"
        f" {n_segments} segment{'s' * (n_segments != 1)}"
    ]
    if judged.unjudged:
        said.append(f"{len(judged.unjudged)} left out, not judged: {', '.join(judged.unjudged)}")
    if judged.without_output:
        said.append(f"judged, but not in hyp: {', '.join(judged.without_output)}")
    by_people = zip(judged.systems, judged.people.systems, strict=True)
    lacking = [name for name, score in by_people if math.isnan(score)]
    if lacking and judged.people.systems_from.startswith("human-sys.tsv"):
        said.append(f"{len(lacking)} without a score in human-sys.tsv: {', '.join(lacking)}")
    return said


if __name__ == "__main__":
    sys.exit(main())
