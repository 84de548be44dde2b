"""`celab-mbr`: n-best lists → the translation of each sentence with the least Bayes risk.

It parses, reads, scores and writes, in this order, and writes only when all of it has succeeded.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import count, islice
from typing import TYPE_CHECKING, Any

from celab import files
from celab.cli import metrics, outputs, progress, terminal
from celab.cli.arguments import Parser, add_limits, limits_of, refuse_together
from celab.errors import OptionError

if TYPE_CHECKING:
    from celab.metrics.base import Metric
    from celab.reranking.nbest import Id, NBestList

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
    add = parser.group("the file")
    add("--format", "of the file (default: as its content says)", choices=("moses", "jsonl"))
    add("--encoding NAME", "such as gb18030 or utf-16 (default: UTF-8)")
    add = parser.group("the weights")
    add("--weights", "of the candidates as references: all the same (default), or by the model's"
        " scores", choices=("uniform", "softmax"), default="uniform")  # fmt: skip
    add("--scale X", "softmax: what the model's scores are multiplied by (default: 1)", type=float)
    add = parser.group("the output")
    add("--nbest", "all candidates, reranked, in Moses' format, the expected utility as the last"
        " field")  # fmt: skip
    add("--json", "the same as JSON, with every digit")
    add("-o --output FILE", "output file, written atomically")
    add("--quiet", "no remarks, no progress bar")
    add_limits(parser)
    metrics.add_metrics(parser)
    return parser


def _work(argv: Sequence[str] | None) -> tuple[str, str, int]:
    """What to write to stdout, what to remark on stderr, and the exit code."""
    arguments = metrics.parsed(_parser(), argv)
    refuse_together(arguments, ("nbest", "json"))
    if len(arguments.nbest_lists) != 1:
        seen = " and ".join(arguments.nbest_lists) or "no file"
        raise OptionError(f"{seen} is given; there must be one file: {COMMAND} NBEST")
    name = metrics.single(arguments)
    if arguments.scale is not None and arguments.weights != "softmax":
        raise OptionError(
            f"--scale is {arguments.scale}, but --weights is uniform; it must be softmax"
        )
    outputs.check(
        {"--output": arguments.output}, [*arguments.nbest_lists, *metrics.inputs(arguments)]
    )
    made, notices = metrics.made(arguments)
    from celab.reranking.nbest import NBestList

    lists = NBestList(
        arguments.nbest_lists[0], format=arguments.format, encoding=arguments.encoding,
        limits=limits_of(arguments),
    )  # fmt: skip
    report, undecided = _reranked(made[name], lists, arguments)
    if arguments.output is not None:
        files.write(arguments.output, report)
        report = ""
    said = [] if arguments.quiet else [*_what_was_read(lists), made[name].signature]
    said += notices
    if undecided:
        plural = "s" * (len(undecided) > 1)
        said.append(
            f"{len(undecided)} sentence{plural} without a choice, because no optimum was proved:"
            f" {_listed(undecided[:MOST_NAMED], len(undecided))}"
        )
    return report, "; ".join(said), 3 if undecided else 0


def _reranked(
    metric: Metric, lists: NBestList, arguments: argparse.Namespace
) -> tuple[str, list[Id]]:
    """The output, and the ids of the sentences that have no choice."""
    from celab.reranking import written
    from celab.reranking.mbr import rerank

    scale = 1.0 if arguments.scale is None else arguments.scale
    texts: list[str] = []
    records: list[dict[str, Any]] = []
    undecided: list[Id] = []
    with progress.ProgressBar(len(lists), "reranking", "sentences", quiet=arguments.quiet) as bar:
        for n_done, sentence in enumerate(lists, start=1):
            reranked = rerank(metric, sentence, arguments.weights, scale)
            undecided += [] if reranked.best else [sentence.id]
            if arguments.json:
                records.append(written.record(reranked))
            else:
                texts.append((written.moses if arguments.nbest else written.best)(reranked))
            bar(n_done)
    if arguments.json:
        return written.as_json(records, metric.signature, arguments.weights, scale), undecided
    return "".join(texts), undecided


def _what_was_read(lists: NBestList) -> list[str]:
    n_sentences = len(lists)
    said = [
        f"{lists.name}, {n_sentences} sentence{'s' * (n_sentences != 1)},"
        f" {lists.n_candidates} candidate{'s' * (lists.n_candidates != 1)}"
    ]
    if lists.format == "moses":
        ids = {id for id in lists.ids if isinstance(id, int)}
        n_missing = max(ids) + 1 - len(ids)
        if n_missing:
            missing = islice((id for id in count() if id not in ids), min(n_missing, MOST_NAMED))
            said.append(f"no candidates, hence no line, for {_listed([*missing], n_missing)}")
    return said


def _listed(ids: Sequence[Id], n_ids: int) -> str:
    return ", ".join(map(str, ids)) + ", ..." * (len(ids) < n_ids)


if __name__ == "__main__":
    sys.exit(main())
