"""`celab mbr`: n-best lists → the translation of each sentence with the least Bayes risk.

It parses, reads, scores and writes, in this order, and writes only when all of it has succeeded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice

from celab.base.arguments import JsonObject
from celab.base.errors import OptionError
from celab.base.messages import finding, note, warn
from celab.base.options import Limits, option, option_group
from celab.cli import loading, output_files, progress, terminal
from celab.cli.candidates import Candidates, read_candidates
from celab.cli.command import command
from celab.cli.flags import number
from celab.cli.metrics import Metrics, metrics_group
from celab.cli.option_groups import OutputOptions
from celab.cli.requests import Request
from celab.cli.rules import Rule, conflict, needs, value
from celab.cli.terminal import Outcome
from celab.metrics.base import Metric
from celab.nbest import mbr
from celab.nbest.mbr import rerank
from celab.nbest.nbest import Id, NBestList
from celab.tables.cells import quantity

MAX_IDS_LISTED = 5
MAX_SENTENCES_SAMPLED = 100  # sentences searched for reasons to warn


@dataclass(frozen=True, kw_only=True)
class MbrRequest(Request):
    """Request of `celab mbr`."""

    heading = "Output"

    output_format = ""  # plain text, in which no existing file can be recognized as ours

    candidates: Candidates = option_group(Candidates)
    masses: str = option(
        "uniform",
        "weights of the candidates (default: uniform); softmax: by model score",
        choices=("uniform", "softmax"),
        flags="--weights",
        dest="masses",
        group="Weights",
    )
    scale: float | None = option(
        None,
        "factor for the model scores before softmax (default: 1)",
        metavar="X",
        convert=number,
        group="Weights",
    )
    nbest: bool = option(
        False,
        "print all candidates, reranked; in Moses format, with the expected utility as the last"
        " field",
    )
    output: OutputOptions = option_group(
        OutputOptions,
        only=["json", "output", "overwrite", "quiet"],
        json="print all candidates, reranked, as JSON",
    )
    limits: Limits = option_group(Limits)
    metrics: Metrics = metrics_group(weights={"flags": ("--ngram-weights",)})

    @staticmethod
    def rules(r: MbrRequest) -> Iterator[Rule]:
        """Yield what excludes what, and what needs what."""
        yield conflict(r.nbest, r.output.json)
        yield needs(r.scale, value(r.masses, "softmax"))


@command(
    MbrRequest,
    "mbr",
    usage="[options] NBEST",
    common="-m --lang --lexicon --weights --nbest --json -o",
    example="{0} nbest.txt > best.zh",
    description="Chooses for each sentence the candidate that agrees best with all of them:"
    " the one with the greatest expected utility (minimum Bayes risk). NBEST is a file of"
    " n-best lists as Moses writes them (id ||| text ||| features ||| score), or JSONL.",
    epilog="JSONL has one object per line, with id, text and score. Files may be compressed"
    " (.gz, .xz, .bz2); - is standard input. Each candidate is scored against all,"
    " including itself. If candidates are equal, the first one is chosen.",
)
def main(request: MbrRequest) -> Outcome:
    """Choose the best candidates, and return what to print."""
    candidates = request.candidates
    if len(candidates.nbest_lists) != 1:
        files = " and ".join(candidates.nbest_lists)
        problem = f"{files} are given" if files else "no file is given"
        raise OptionError(f"{problem}; use {request.program} NBEST")
    name = request.metrics.single_name()
    metrics_by_name = request.metrics.make()
    (lists,) = read_candidates(request, candidates)
    _warn(metrics_by_name[name], lists, request)
    report, undecided = _rerank(metrics_by_name[name], lists, request)
    text = output_files.write(request, report)
    note(*_describe_input(lists), metrics_by_name[name].signature)
    if undecided:
        finding(
            f"{quantity(len(undecided), 'sentence')} without a choice, because no optimum was"
            f" proved: {_join_ids(undecided[:MAX_IDS_LISTED], len(undecided))}",
        )
    return Outcome(text, 3 if undecided else 0)


def _warn(metric: Metric, lists: NBestList, request: MbrRequest) -> None:
    """Warn of texts in another script, and, before any score, of a metric that takes long."""
    sample = [*islice(lists, MAX_SENTENCES_SAMPLED)]
    texts = [candidate.text for sentence in sample for candidate in sentence.candidates]
    loading.warn_of_languages([metric], [(lists.name, texts)])
    n_sampled_pairs = sum(len(sentence.candidates) ** 2 for sentence in sample)
    n_pairs = n_sampled_pairs * lists.n_candidates / len(texts)
    if slow_warning := metric.slow_warning([texts], round(n_pairs / len(texts))):
        warn(f"{lists.name}: {slow_warning}")
        terminal.print_messages("warning", program=request.program)  # before the long work


def _rerank(metric: Metric, lists: NBestList, request: MbrRequest) -> tuple[str, list[Id]]:
    """Return the output, and the ids of the sentences without a choice."""
    scale = 1.0 if request.scale is None else request.scale
    texts: list[str] = []
    records: list[JsonObject] = []
    undecided: list[Id] = []
    with progress.show(len(lists), "reranking", "sentences", quiet=request.output.quiet) as bar:
        for n_done, sentence in enumerate(lists, start=1):
            reranked = rerank(metric, sentence, request.masses, scale)
            undecided += [] if reranked.best else [sentence.id]
            if request.output.json:
                records.append(mbr.record(reranked))
            else:
                texts.append((mbr.moses if request.nbest else mbr.best)(reranked))
            if bar is not None:
                bar(n_done)
    if request.output.json:
        return mbr.as_json(records, metric.signature, request.masses, scale), undecided
    return "".join(texts), undecided


def _describe_input(lists: NBestList) -> Iterator[str]:
    """Yield notes about what was read."""
    yield (
        f"{lists.name}, {quantity(len(lists), 'sentence')},"
        f" {quantity(lists.n_candidates, 'candidate')}"
    )
    if lists.format == "moses":
        ids = {id for id in lists.ids if isinstance(id, int)}
        n_missing = max(ids) + 1 - len(ids)
        if n_missing:
            missing = islice(
                (id for id in count() if id not in ids), min(n_missing, MAX_IDS_LISTED)
            )
            yield f"no candidates, so no output line, for {_join_ids([*missing], n_missing)}"


def _join_ids(ids: Sequence[Id], n_ids: int) -> str:
    return ", ".join(map(str, ids)) + (", ..." if len(ids) < n_ids else "")
