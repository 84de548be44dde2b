"""`celab mbr`: n-best lists → the translation of each sentence with the least Bayes risk.

It parses, reads, scores and writes, in this order, and writes only when all of it has succeeded.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import TYPE_CHECKING

from celab.base import io
from celab.base.dicts import JsonObject
from celab.base.errors import OptionError
from celab.cli import inputs, metrics, progress, requests, terminal
from celab.cli.arguments import Parser, add_limits, number
from celab.cli.requests import MetricRequest

if TYPE_CHECKING:
    from celab.family.reranking.nbest import Id, NBestList
    from celab.metrics.base import Metric

COMMAND = "celab mbr"
MOST_NAMED = 5  # ids that a remark lists
MOST_SAMPLED = 100  # sentences whose language is looked at


@dataclass(frozen=True, kw_only=True)
class MbrRequest(MetricRequest):
    """Request of `celab mbr`."""

    exclusive = (("nbest", "json"),)

    nbest_lists: tuple[str, ...] = ()
    format: str | None = None
    encoding: str | None = None
    masses: str = "uniform"
    scale: float | None = None
    nbest: bool = False
    json: bool = False
    output: str | None = None


def _parser(command: str = COMMAND) -> Parser:
    parser = Parser(
        command,
        common="-m --lang --lexicon --weights --nbest --json -o",
        example=f"{command} nbest.txt > best.zh",
        usage=f"{command} [options] NBEST",
        description="Chooses for each sentence the candidate that agrees best with all of them:"
        " the one with the greatest expected utility (minimum Bayes risk). NBEST is a file of"
        " n-best lists as Moses writes them (id ||| text ||| features ||| score), or JSONL.",
        epilog="JSONL has one object per line, with id, text and score. Files may be compressed"
        " (.gz, .xz, .bz2); - is standard input. Each candidate is scored against all,"
        " including itself. If candidates are equal, the first one is chosen.",
    )
    parser.add_argument("nbest_lists", nargs="*", metavar="NBEST", help="file of n-best lists")
    add = parser.group("Input")
    add("--format", "input format (default: auto-detect)", choices=("moses", "jsonl"))
    add("--encoding NAME", "text encoding, such as gb18030 or utf-16 (default: UTF-8)")
    add = parser.group("Weights")
    add(
        "--weights",
        "weights of the candidates (default: uniform); softmax: by model score",
        choices=("uniform", "softmax"),
        default="uniform",
        dest="masses",
    )
    add("--scale X", "factor for the model scores before softmax (default: 1)", type=number)
    add = parser.group("Output")
    add(
        "--nbest",
        "print all candidates, reranked; in Moses format, with the expected utility as"
        " the last field",
    )
    add("--json", "print all candidates, reranked, as JSON")
    add("-o --output FILE", "output file, written atomically (default: stdout)")
    add("-q --quiet", "suppress status messages and progress")
    add_limits(parser)
    metrics.add_metrics(parser, renamed={"weights": "--ngram-weights"})
    return parser


def run(argv: Sequence[str] | None, command: str) -> tuple[str, str, int]:
    """Return the text for stdout, the remark for stderr and the exit code."""
    request = requests.read(MbrRequest, _parser(command), argv)
    if len(request.nbest_lists) != 1:
        files = " and ".join(request.nbest_lists)
        problem = f"{files} are given" if files else "no file is given"
        raise OptionError(f"{problem}; use {command} NBEST")
    name = metrics.single_name(request)
    if request.scale is not None and request.masses != "softmax":
        raise OptionError(
            f"--scale is {request.scale}, but --weights is uniform; it must be softmax"
        )
    metrics_by_name, notices = metrics.make_metrics(request)
    from celab.family.reranking.nbest import NBestList

    with inputs.show_warnings(request):
        lists = NBestList(
            request.nbest_lists[0],
            format=request.format,
            encoding=request.encoding,
            limits=request.limits,
        )
    sample = [
        candidate.text
        for sentence in islice(lists, MOST_SAMPLED)
        for candidate in sentence.candidates
    ]
    inputs.warn(request, inputs.misfits(metrics_by_name.values(), [(lists.name, sample)]))
    report, undecided = _rerank(metrics_by_name[name], lists, request)
    if request.output is not None:
        io.write(request.output, report)
        report = ""
    remarks = [] if request.quiet else [*_describe_input(lists), metrics_by_name[name].signature]
    remarks += notices
    if undecided:
        plural = "s" * (len(undecided) > 1)
        remarks.append(
            f"{len(undecided)} sentence{plural} without a choice, because no optimum was proved:"
            f" {_join_ids(undecided[:MOST_NAMED], len(undecided))}"
        )
    return report, "; ".join(remarks), 3 if undecided else 0


def _rerank(metric: Metric, lists: NBestList, request: MbrRequest) -> tuple[str, list[Id]]:
    """Return the output, and the ids of the sentences without a choice."""
    from celab.family.reranking import rankings
    from celab.family.reranking.mbr import rerank

    scale = 1.0 if request.scale is None else request.scale
    texts: list[str] = []
    records: list[JsonObject] = []
    undecided: list[Id] = []
    with progress.ProgressBar(len(lists), "reranking", "sentences", quiet=request.quiet) as bar:
        for n_done, sentence in enumerate(lists, start=1):
            reranked = rerank(metric, sentence, request.masses, scale)
            undecided += [] if reranked.best else [sentence.id]
            if request.json:
                records.append(rankings.record(reranked))
            else:
                texts.append((rankings.moses if request.nbest else rankings.best)(reranked))
            bar(n_done)
    if request.json:
        return rankings.as_json(records, metric.signature, request.masses, scale), undecided
    return "".join(texts), undecided


def _describe_input(lists: NBestList) -> list[str]:
    n_sentences = len(lists)
    remarks = [
        f"{lists.name}, {n_sentences} sentence{'s' * (n_sentences != 1)},"
        f" {lists.n_candidates} candidate{'s' * (lists.n_candidates != 1)}"
    ]
    if lists.format == "moses":
        ids = {id for id in lists.ids if isinstance(id, int)}
        n_missing = max(ids) + 1 - len(ids)
        if n_missing:
            missing = islice((id for id in count() if id not in ids), min(n_missing, MOST_NAMED))
            remarks.append(
                f"no candidates, so no output line, for {_join_ids([*missing], n_missing)}"
            )
    return remarks


def _join_ids(ids: Sequence[Id], n_ids: int) -> str:
    return ", ".join(map(str, ids)) + ", ..." * (len(ids) < n_ids)


main = terminal.entry(run, COMMAND)

if __name__ == "__main__":
    sys.exit(main())
