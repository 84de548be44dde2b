"""`celab-meta`: a folder of translations that people judged → how far metrics agree with them.

It parses, reads, scores, measures and reports, in this order, and writes only when all of it has
succeeded.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from celab.cli import files, metrics, progress, terminal
from celab.cli.arguments import Parser, refuse_together
from celab.errors import OptionError

if TYPE_CHECKING:
    from celab.meta.agreement import Found
    from celab.meta.dataset import Dataset
    from celab.meta.scored import Scored
    from celab.metrics.base import Metric

COMMAND = "celab-meta"
TABLES = ("tsv", "markdown", "latex")
LEVELS = ("system", "segment")


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    return terminal.run(COMMAND, lambda: _work(argv))


def _parser() -> Parser:
    parser = Parser(
        COMMAND,
        usage=f"{COMMAND} [options] DATASET",
        description="Measures how far metrics agree with people.",
        epilog="DATASET is a folder with ref-NAME.txt (one or more), hyp/SYSTEM.txt, and at least"
        " one of human-seg.tsv (columns system, segment from 0, score; judge), human-sys.tsv"
        " (system, score) and rankings.tsv (segment, judge, system, rank; 1 is the best)."
        " Higher scores are better. The first two may also lack a header, as in the WMT metrics"
        " tasks: system and score, a system's segments in their order. Without -m the metrics are"
        " celab and, if sacreBLEU is installed, chrf and bleu.",
    )
    parser.add_argument("dataset", nargs="*", metavar="DATASET", help="the folder")
    given = parser.add_argument_group("what is compared")
    given.add_argument(
        "--scores", action="append", default=[], metavar="NAME=FILE",
        help="scores of another metric: a TSV with the columns system, segment and score, or"
        " system and score; it takes part under this name, with -m or without",
    )  # fmt: skip
    given.add_argument(
        "--lower-is-better", action="append", default=[], metavar="NAME",
        help="said of a metric that --scores gives",
    )  # fmt: skip
    given.add_argument("--refs", metavar="NAMES", help="such as A,B (default: all references)")
    given.add_argument(
        "--against", metavar="NAME",
        help="the metric that the others are compared with (default: the first)",
    )  # fmt: skip
    given.add_argument(
        "--resamples", type=int, default=1000, metavar="N",
        help="of the segments, for errors and significance (default: 1000)",
    )  # fmt: skip
    given.add_argument(
        "--seed", type=int, default=12345, metavar="N", help="of the resamples (default: 12345)"
    )
    output = parser.add_argument_group("the output")
    output.add_argument("--level", choices=LEVELS, help="figures of this level only")
    output.add_argument("--json", action="store_true", help="JSON, with every digit")
    for name in TABLES:
        output.add_argument(f"--{name}", action="store_true", help=f"tables as {name}")
    output.add_argument("--html", metavar="FILE", help="write a page with drawings, too")
    output.add_argument("--quiet", action="store_true", help="no remarks, no progress bar")
    metrics.add_metrics(parser)
    return parser


def _work(argv: Sequence[str] | None) -> tuple[str, str]:
    """What to write to stdout, and what to remark on stderr."""
    words = list(sys.argv[1:] if argv is None else argv)
    known = (*metrics.METRICS, *_names_in(words))
    arguments = _parser().parse_intermixed_args(metrics.gathered(words, known))
    kinds = ("json", *TABLES)
    refuse_together(arguments, *combinations(kinds, 2))
    if len(arguments.dataset) != 1:
        seen = " and ".join(arguments.dataset) or "no folder"
        raise OptionError(f"{seen} is given; there must be one folder: {COMMAND} DATASET")
    given = _outside(arguments)
    names = metrics.names_of(arguments.metric or _default(), known)
    names += [name for name in given if name not in names]
    if arguments.against is not None and arguments.against not in names:
        raise OptionError(f"--against is {arguments.against!r}; it must be {', '.join(names)}")

    from celab.meta import dataset, outside

    judged = dataset.read(
        arguments.dataset[0], None if arguments.refs is None else arguments.refs.split(",")
    )
    systems, n_segments = list(judged.corpus.systems), len(judged.corpus.segments)
    scores = {
        name: outside.read(
            name, path, systems, n_segments, name not in arguments.lower_is_better
        )
        for name, path in given.items()
    }  # fmt: skip
    arguments.metric = [name for name in names if name not in given]
    made, notices = metrics.made(arguments) if arguments.metric else ({}, [])
    scores |= {one.name: one for one in _scored(made, judged, arguments.quiet)}
    report = _report([scores[name] for name in names], judged, arguments)
    if arguments.quiet:
        return report, ""
    return report, "; ".join([*_what_was_read(judged), *notices])


def _names_in(words: Sequence[str]) -> list[str]:
    """The names that `--scores` gives, which `-m` must know before anything is parsed."""
    after = [word for flag, word in pairwise(words) if flag == "--scores"]
    after += [word.removeprefix("--scores=") for word in words if word.startswith("--scores=")]
    return [word.partition("=")[0] for word in after]


def _default() -> list[str]:
    return ["celab,chrf,bleu" if find_spec("sacrebleu") else "celab"]


def _outside(arguments: argparse.Namespace) -> dict[str, str]:
    """Names and files of the scores that others gave."""
    files: dict[str, str] = {}
    for text in arguments.scores:
        name, _, path = text.partition("=")
        if not name or not path or "," in name:
            raise OptionError(
                f"--scores is {text!r}; it must be NAME=FILE, such as comet=comet.tsv"
            )
        if name in files:
            raise OptionError(f"--scores gives {name} twice; each name must be given once")
        files[name] = path
    for name in arguments.lower_is_better:
        if name not in files:
            raise OptionError(
                f"--lower-is-better is {name!r}; it must be a name that --scores gives"
            )
    return files


def _scored(made: Mapping[str, Metric], judged: Dataset, quiet: bool) -> list[Scored]:
    from celab.meta.scored import score

    texts = judged.corpus
    if not progress.is_welcome(quiet):
        return score(made, texts)
    n_segments = len(texts.segments)
    with progress.ProgressBar(len(made) * len(texts.systems) * n_segments) as bar:
        return score(made, texts, progress.Runs(bar, n_segments))


def _report(scores: Sequence[Scored], judged: Dataset, arguments: argparse.Namespace) -> str:
    from celab.meta import agreement
    from celab.report import agreement as report

    found: Found = agreement.measure(
        judged,
        scores,
        against=arguments.against,
        levels=LEVELS if arguments.level is None else (arguments.level,),
        n_resamples=arguments.resamples,
        seed=arguments.seed,
    )
    if arguments.html is not None:
        files.write(arguments.html, report.page(found))
    if arguments.json:
        return report.as_json(found)
    kind = next((name for name in TABLES if getattr(arguments, name)), "text")
    return report.tables(found, kind)


def _what_was_read(judged: Dataset) -> list[str]:
    texts = judged.corpus
    n_systems, n_segments = len(texts.systems), len(texts.segments)
    said = [
        f"{judged.name}, {n_systems} judged system{'s' * (n_systems != 1)},"
        f" reference{'s' * (len(texts.ref_names) > 1)} {' '.join(texts.ref_names)},"
        f" {n_segments} segment{'s' * (n_segments != 1)}"
    ]
    if judged.unjudged:
        said.append(f"{len(judged.unjudged)} left out, not judged: {', '.join(judged.unjudged)}")
    if judged.without_output:
        said.append(f"judged, but not in hyp: {', '.join(judged.without_output)}")
    if judged.human_sys is not None:
        lacking = [name for name in texts.systems if name not in judged.human_sys]
        if lacking:
            said.append(f"{len(lacking)} without a score in human-sys.tsv: {', '.join(lacking)}")
    return said


if __name__ == "__main__":
    sys.exit(main())
