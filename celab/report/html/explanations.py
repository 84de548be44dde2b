"""Explanations of a campaign → compressed blocks of the page.

A block has the explanations of `BLOCK` segments by one metric, of all systems, and the labels of
the lexicon groups in them:

    {"labels": [...], "explained": {"5": {"0": {...}, ...}, ...}}

by the place of the segment and the number of the system: explanations of the same reference are
alike, and zlib finds what repeats within 32 KB.

A block is JSON, compressed by zlib and written in base64, so that the page's script reads only the
blocks that are looked at, with the `DecompressionStream` of the browser. A block is made from its
texts alone, so that several processes can share the work.
"""

from __future__ import annotations

import base64
import gc
import pickle
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import lru_cache
from multiprocessing import get_context
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from celab.base.arrays import F64
from celab.base.frozen import dataclass
from celab.base.progress import Progress
from celab.base.run import TooLong, batches, blocked_interrupts
from celab.base.text.escapes import dump_json
from celab.metrics.base import Metric, Scorer
from celab.report.html.compact import Labels, segment

if TYPE_CHECKING:
    from celab.evaluation.systems.campaign import Campaign

BLOCK = 8  # segments
LEVEL = 6  # of compression; 9 takes longer and saves 2%
# Outputs whose unmatched words are scored as synonyms, and pairs of words of each. All would take
# as long as the explanations themselves.
MOST_WHAT_IF, N_WHAT_IF = 500, 5
WORTH_WORKERS = 500  # explanations that take longer than to start another process


class ExplainedOutput(NamedTuple):
    """A system's output to explain, with its references."""

    system: int
    place: int
    hyp: str
    refs: list[str]
    n_what_if: int  # pairs of unmatched words to score as synonyms


class _Task(NamedTuple):
    """A block to make: the number of its scorer, its own number, and its outputs."""

    scorer: int
    number: int
    outputs: list[ExplainedOutput]


class Block(NamedTuple):
    """The text of a block, and which outputs it explains: (system, place)."""

    text: str
    explained: list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Explained:
    """Explanations by one metric: for each system its segments, and the blocks by number."""

    places: list[list[int]]
    blocks: dict[int, str]


def chosen(scores: F64, most: int, higher_is_better: bool) -> list[list[int]]:
    """Return which segments are explained: for each row of `scores`, their places in order.

    All of them if they are few enough. Otherwise every system has the same share: half of it goes
    to the segments on which the systems differ most, the rest to the system's worst.

    >>> chosen(np.array([[0.1, 0.5, 0.9, 0.5], [0.2, 0.6, 0.3, 0.4]]), 4, True)
    [[0, 2], [0, 2]]
    """
    n_systems, n_segments = scores.shape
    if n_systems * n_segments <= most:
        return [list(range(n_segments)) for _ in range(n_systems)]
    share = most // n_systems
    spread = np.ptp(scores, axis=0)
    differing = np.argsort(-spread, kind="stable")[: share // 2 if n_systems > 1 else 0].tolist()
    worst_first = np.argsort(scores if higher_is_better else -scores, axis=1, kind="stable")
    return [
        sorted(list(dict.fromkeys([*differing, *of_system]))[:share])
        for of_system in worst_first.tolist()
    ]


def explanations(
    campaign: Campaign,
    metrics: Mapping[str, Metric],
    most: int,
    jobs: int = 1,
    progress: Progress | None = None,
) -> dict[str, Explained]:
    """Return what is explained by each metric with links, in `jobs` processes.

    The metrics share `most`, so that the cost of a report does not depend on their number.
    """
    names = [name for name in campaign.scores if metrics[name].explained_by == "links"]
    tasks = [
        _Task(k, number, block)
        for k, name in enumerate(names)
        for number, block in enumerate(_chosen_outputs(campaign, name, most, len(names)))
        if block
    ]
    scorers = [metrics[name].scorer(campaign.corpus.refs) for name in names]
    explained = {name: Explained([[] for _ in campaign.corpus.systems], {}) for name in names}
    n_done, total = 0, sum(len(task.outputs) for task in tasks)
    for task, block in zip(tasks, _blocks(scorers, tasks, jobs), strict=True):
        done = explained[names[task.scorer]]
        for system, place in block.explained:
            done.places[system].append(place)
        if block.explained:
            done.blocks[task.number] = block.text
        n_done += len(task.outputs)
        if progress is not None:
            progress(n_done, total)
    return explained


def _chosen_outputs(
    campaign: Campaign, name: str, most: int, n_metrics: int
) -> list[list[ExplainedOutput]]:
    """Return the outputs to explain by a metric, one of so many, block by block."""
    by_system = campaign.scores[name]
    scores = np.stack([score.segments.scores for score in by_system.values()])
    higher = next(iter(by_system.values())).higher_is_better
    what_if, shown = (
        chosen(scores, number // n_metrics, higher) for number in (min(most, MOST_WHAT_IF), most)
    )
    return _outputs(campaign, shown, what_if)


def _outputs(
    campaign: Campaign, places: Sequence[Sequence[int]], what_if: Sequence[Sequence[int]]
) -> list[list[ExplainedOutput]]:
    corpus, wanted, scored = campaign.corpus, [*map(set, places)], [*map(set, what_if)]
    return [
        [
            ExplainedOutput(
                s,
                place,
                hyps[place],
                [side[place] for side in corpus.refs],
                N_WHAT_IF * (place in scored[s]),
            )
            for place in range(part.start, part.stop)
            for s, hyps in enumerate(corpus.systems.values())
            if place in wanted[s]
        ]
        for part in batches(len(corpus.segments), BLOCK)
    ]


def _blocks(scorers: Sequence[Scorer], tasks: Sequence[_Task], jobs: int) -> Iterator[Block]:
    n_done = 0
    n_outputs = sum(len(task.outputs) for task in tasks)
    if jobs > 1 and n_outputs >= WORTH_WORKERS and (sent := _sent(scorers)):
        # Where processes cannot start or are killed, the rest is done here.
        with suppress(BrokenProcessPool, ImportError, NotImplementedError, OSError):
            for block in _by_workers(sent, tasks, jobs):
                n_done += 1
                yield block
    for task in tasks[n_done:]:
        yield _block(scorers[task.scorer], task.outputs)


def _block(scorer: Scorer, outputs: Iterable[ExplainedOutput]) -> Block:
    labels: Labels = {}
    explained: dict[int, dict[int, object]] = {}
    for output in outputs:
        with suppress(TooLong):  # too long to explain: it is scored all the same
            explained_output = scorer.explain(
                output.hyp, output.refs, unmatched=True, n_what_if=output.n_what_if
            )
            encoded = segment(explained_output, labels)
            explained.setdefault(output.place, {})[output.system] = encoded
    text = dump_json({"labels": list(labels), "explained": explained}, separators=(",", ":"))
    compressed = base64.b64encode(zlib.compress(text.encode(), LEVEL)).decode()
    return Block(compressed, [(s, place) for place in explained for s in explained[place]])


def _sent(scorers: Sequence[Scorer]) -> list[bytes]:
    """Return scorers as other processes read them, or nothing if there is one that they cannot."""
    try:
        return [pickle.dumps(scorer) for scorer in scorers]
    except (pickle.PicklingError, AttributeError, TypeError):  # such as a lambda within
        return []


def _by_workers(sent: list[bytes], tasks: Sequence[_Task], jobs: int) -> Iterator[Block]:
    workers = ProcessPoolExecutor(jobs, get_context("spawn"), _start_worker, (sent,))
    try:
        with blocked_interrupts():
            blocks = workers.map(_work, tasks)
        yield from blocks
    finally:
        workers.shutdown(cancel_futures=True)


def _start_worker(sent: list[bytes]) -> None:
    global _sent_scorers
    gc.disable()  # explanations have no cycles, and the collector would walk through all of them
    _sent_scorers = sent


@lru_cache(maxsize=1)  # tasks are sorted by scorer, and lexicons are large
def _scorer(number: int) -> Scorer:
    try:
        scorer: Scorer = pickle.loads(_sent_scorers[number])
    except Exception as error:  # such as a class of an interactive session
        raise ImportError("the scorer cannot be read in another process") from error
    return scorer


def _work(task: _Task) -> Block:
    return _block(_scorer(task.scorer), task.outputs)


_sent_scorers: list[bytes]  # a worker's own, set when it starts
