"""`celab-mbr`: n-best lists → the translation of each sentence with the least Bayes risk.

It parses, reads, scores and writes, in this order, and writes only when all of it has succeeded.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from celab.cli import metrics, progress, terminal
from celab.cli.arguments import Parser, refuse_together
from celab.errors import OptionError

if TYPE_CHECKING:
    from celab.metrics.base import Metric
    from celab.reranking.mbr import Reranked
    from celab.reranking.nbest import NBestList

COMMAND = "celab-mbr"
MOST_NAMED = 5  # ids that a remark lists


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    return terminal.run(COMMAND, lambda: _work(argv))


def _parser() -> Parser:
    parser = Parser(
        COMMAND,
        usage=f"{COMMAND} [options] NBEST",
        description="Chooses, for each sentence, the candidate that agrees best with all of them:"
        " the one with the greatest expected utility (minimum Bayes risk).",
        epilog="NBEST is a file of n-best lists, id ||| text ||| features ||| total score as Moses"
        " writes them, or one JSON object a line with id, text and score; .gz, .xz and .bz2 are"
        " read too, and - is standard input. Each candidate is scored against all, itself included."
        " Of equal candidates the earlier is chosen.",
    )
    parser.add_argument("nbest_lists", nargs="*", metavar="NBEST", help="the file")
    given = parser.add_argument_group("the file")
    given.add_argument(
        "--format", choices=("moses", "jsonl"), help="of the file (default: as its content says)"
    )
    given.add_argument(
        "--encoding", metavar="NAME", help="such as gb18030 or utf-16 (default: UTF-8)"
    )
    weighed = parser.add_argument_group("the weights")
    weighed.add_argument(
        "--weights", choices=("uniform", "softmax"), default="uniform",
        help="of the candidates as references: all the same (default), or by the model's scores",
    )  # fmt: skip
    weighed.add_argument(
        "--scale", type=float, metavar="X",
        help="softmax: what the model's scores are multiplied by (default: 1)",
    )  # fmt: skip
    output = parser.add_argument_group("the output")
    output.add_argument(
        "--nbest", action="store_true",
        help="all candidates, reranked, in Moses' format, the expected utility as the last field",
    )  # fmt: skip
    output.add_argument("--json", action="store_true", help="the same as JSON, with every digit")
    output.add_argument("--quiet", action="store_true", help="no remarks, no progress bar")
    metrics.add_metrics(parser)
    return parser


def _work(argv: Sequence[str] | None) -> tuple[str, str]:
    """What to write to stdout, and what to remark on stderr."""
    given = metrics.gathered(sys.argv[1:] if argv is None else argv)
    arguments = _parser().parse_intermixed_args(given)
    refuse_together(arguments, ("nbest", "json"))
    if len(arguments.nbest_lists) != 1:
        seen = " and ".join(arguments.nbest_lists) or "no file"
        raise OptionError(f"{seen} is given; there must be one file: {COMMAND} NBEST")
    if len(names := metrics.names_of(arguments.metric)) > 1:
        raise OptionError(f"--metric is {', '.join(names)}; there must be one metric")
    if arguments.scale is not None and arguments.weights != "softmax":
        raise OptionError(
            f"--scale is {arguments.scale}, but --weights is uniform; it must be softmax"
        )
    made, notices = metrics.made(arguments)
    (metric,) = made.values()
    from celab.reranking.nbest import NBestList

    lists = NBestList(
        arguments.nbest_lists[0], format=arguments.format, encoding=arguments.encoding
    )
    report = _written(metric, lists, arguments)
    if arguments.quiet:
        return report, ""
    return report, "; ".join([*_what_was_read(lists), metric.signature, *notices])


def _written(metric: Metric, lists: NBestList, arguments: argparse.Namespace) -> str:
    from celab.reranking import written

    scale = 1.0 if arguments.scale is None else arguments.scale
    with progress.ProgressBar(len(lists), "reranking", unit="sentences") as bar:
        tell = bar if progress.is_welcome(arguments.quiet) else None
        found = _reranked(metric, lists, arguments.weights, scale, tell)
        if arguments.json:
            records = [written.record(one) for one in found]
            return written.as_json(records, metric.signature, arguments.weights, scale)
        return "".join(map(written.moses if arguments.nbest else written.best, found))


def _reranked(
    metric: Metric,
    lists: NBestList,
    weights: str,
    scale: float,
    tell: Callable[[int], object] | None,
) -> Iterator[Reranked]:
    from celab.reranking.mbr import rerank

    for n_done, sentence in enumerate(lists, start=1):
        yield rerank(metric, sentence, weights, scale)
        if tell is not None:
            tell(n_done)


def _what_was_read(lists: NBestList) -> list[str]:
    n_sentences = len(lists)
    said = [
        f"{lists.name}, {n_sentences} sentence{'s' * (n_sentences != 1)},"
        f" {lists.n_candidates} candidate{'s' * (lists.n_candidates != 1)}"
    ]
    if lists.format == "moses":
        ids = sorted(id for id in lists.ids if isinstance(id, int))
        gaps = [range(a + 1, b) for a, b in zip([-1, *ids], ids, strict=False) if b - a > 1]
        if gaps:
            named = [str(id) for gap in gaps[:MOST_NAMED] for id in gap[:MOST_NAMED]][:MOST_NAMED]
            more = ", ..." * (sum(map(len, gaps)) > len(named))
            said.append(f"no candidates, hence no line, for {', '.join(named)}{more}")
    return said


if __name__ == "__main__":
    sys.exit(main())
