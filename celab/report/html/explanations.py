"""Explanations of a campaign → compressed blocks of the page.

A block has the explanations of `BLOCK` segments by one metric, of all systems, and the labels of
the lexicon groups in them:

    {"labels": [...], "explained": {"5": {"0": {...}, ...}, ...}}

by the place of the segment and the number of the system: explanations of the same reference are
alike, and zlib finds what repeats within 32 KB.

A block is JSON, compressed by zlib and written in base64, so that the page's script reads only the
blocks that are looked at, with the `DecompressionStream` of the browser. A block is made from its
texts alone, so that several processes can share the work.

Explanations are short arrays, because one page has thousands of them. Marks are one character each,
those of the terminal's view: `=` equal, `~` synonym, `+` covered, `.` unmatched, `m` moved, `:`
counted elsewhere, `t` equal tags only. The labels of lexicon groups are numbered. Every pair of
lists has the hypothesis first.
`sentences.js` and `arithmetic.js` read what is written. A pair of sentences (`_pair`) is

    values    score, precision, recall
    tokens    what stands between the tokens, or "" if each is one character; the text
    marks     of the tokens
    columns   of the aligned view: how many tokens of hypothesis and reference each has, in turn
    links     weight, hypothesis span, reference span; then, unless it is one equal piece, the
              pieces: both spans and the numbers of the groups
    partly    covers that are neither 0 nor 1, by the place of the n-gram: by order, then position
    covered   the weight of what is covered
    weights   of the tokens, if n-grams have weights
    length    factor of the score for an output beyond the limit of length, unless it is 1
    unmatched words without a match: side (0 hypothesis, 1 reference), span, span of the nearest
              word or -1 and -1, number of the reason, score as synonyms or null, numbers of groups

All else of the n-grams follows: an n-gram is covered if it lies inside a linked one.
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
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np

from celab.base.arguments import JsonObject
from celab.base.arrays import F64
from celab.base.run import Progress, TooLong, batches, blocked_interrupts
from celab.base.text.escapes import dump_json
from celab.metrics.base import Metric, Scorer
from celab.metrics.explaining.drawing import FULL, DrawnSentence, sums
from celab.metrics.explaining.explanation import (
    AnyExplanation,
    Explanation,
    MeanExplanation,
    SegmentExplanation,
    WordExplanation,
)
from celab.metrics.explaining.links import (
    REASONS,
    Feature,
    LexiconGroup,
    Link,
    Ngram,
    Unmatched,
    WordLink,
)
from celab.systems.campaign import Campaign
from celab.tables.palette import MARKS
from celab.words.model import Word

Labels = dict[str, int]  # label → number, in order of first use


def segment(explained: SegmentExplanation, labels: Labels) -> JsonObject:
    """Return a segment: how its references make one score, and each of them."""
    against = [
        {"ref": index, **_encoded(e, labels)}
        for index, e in zip(explained.index, explained.against, strict=True)
    ]
    return {"combine": explained.combine, "values": _values(explained), "against": against}


def _encoded(e: AnyExplanation, labels: Labels) -> JsonObject:
    if isinstance(e, MeanExplanation):
        return {"values": _values(e), "parts": [_encoded(part, labels) for part in e.parts]}
    if isinstance(e, WordExplanation):
        return _words(e, labels)
    assert isinstance(e, Explanation)  # the page computes edits itself
    return _pair(e, labels)


def _pair(e: Explanation, labels: Labels) -> JsonObject:
    alignment = e.alignment
    ref, hyp = e.aligned_sentences(alignment)
    sides = (hyp, ref)
    whole = all(link.weight == 1 for link in e.links)
    weighted = ref.weighted or hyp.weighted
    rates = (e.precision, e.recall)
    return {
        "values": _values(e),
        "tokens": [_tokens(side.tokens) for side in sides],
        "marks": ["".join(MARKS[state] for state in side.states) for side in sides],
        # The columns of the aligned view, by how many tokens of each side they have.
        "columns": [n for (r0, r1), (h0, h1) in alignment.columns for n in (h1 - h0, r1 - r0)],
        "links": [_link(link, labels) for link in e.links],
        "partly": [{} if whole else _partly(side.ngrams) for side in sides],
        "covered": [
            round(sums(side.ngrams)[0] if weighted else rate * len(side.ngrams), 6)
            for side, rate in zip(sides, rates, strict=True)
        ],
        **({"weights": list(map(_weights, sides))} if weighted else {}),
        **({"length": round(e.length_factor, 6)} if e.length_factor != 1 else {}),
        **(
            {"unmatched": [_unmatched(word, labels) for word in e.unmatched]} if e.unmatched else {}
        ),
    }


def _unmatched(word: Unmatched, labels: Labels) -> list[object]:
    score = None if word.score is None else round(word.score, 6)
    return [
        int(word.side == "ref"),
        *word.span,
        *(word.nearest or (-1, -1)),
        REASONS.index(word.reason),
        score,
        *(_number(labels, _group_text(group)) for group in word.groups),
    ]


def _group_text(group: LexiconGroup) -> str:
    return f"{group.label}: {' '.join(group.words)}"


def _weights(side: DrawnSentence) -> list[float]:
    # Weights of single tokens, from which those of longer n-grams follow.
    return [_short(ngram.weight, 2) for ngram in side.ngrams[: len(side.tokens)]]


def _values(of: AnyExplanation | SegmentExplanation) -> list[float]:
    return [round(value, 6) for value in (of.score, of.precision, of.recall)]


def _tokens(tokens: Sequence[str]) -> list[str]:
    # One text, and what stands between its tokens: a list would have twice the size.
    text = "".join(tokens)
    if all(len(token) == 1 for token in tokens):
        return ["", text]
    between = next(char for char in map(chr, count(ord(" "))) if char not in text)
    return [between, between.join(tokens)]


def _link(link: Link, labels: Labels) -> list[object]:
    # Weight and spans; then the pieces, unless all of them are equal and make the whole link.
    head: list[object] = [_short(link.weight, 4), *link.hyp, *link.ref]
    if link.kind == "equal":
        return head
    pieces: list[list[object]] = []
    for piece in link.pieces:
        groups = [_number(labels, group) for group in piece.labels]
        before = pieces[-1] if pieces else []
        if not groups and len(before) == 4 and before[1::2] == [piece.hyp[0], piece.ref[0]]:
            before[1::2] = piece.hyp[1], piece.ref[1]
        else:
            # Numbers of labels; then, as texts, the longer words of which this is only a part.
            pieces.append([*piece.hyp, *piece.ref, *groups, *piece.cuts])
    return [*head, pieces]


def _number(labels: Labels, label: str) -> int:
    return labels.setdefault(label, len(labels))


def _short(value: float, digits: int) -> float:
    # 1 and not 1.0, as most weights are whole.
    rounded = round(value, digits)
    return int(rounded) if rounded == int(rounded) else rounded


def _partly(ngrams: Sequence[Ngram]) -> dict[int, float]:
    # The covers that are neither nothing nor whole, which few are.
    return {i: round(n.cover, 4) for i, n in enumerate(ngrams) if 0 < n.cover < FULL}


def _words(e: WordExplanation, labels: Labels) -> JsonObject:
    groups = {
        (pair.hyp, pair.ref): [_number(labels, group) for group in pair.groups]
        for feature in e.features
        for link in feature.links
        for pair in link.pairs
        if pair.groups
    }
    return {
        "values": _values(e),
        "words": [_word_columns(e.hyp_words), _word_columns(e.ref_words)],
        "features": [_feature(feature) for feature in e.features],
        "groups": [[*pair, *of_pair] for pair, of_pair in groups.items()],
    }


def _word_columns(words: Sequence[Word]) -> list[object]:
    # Forms, lemmas (0 if it is the form), tags, and which are function words.
    return [
        [word.form for word in words],
        [0 if word.lemma == word.form else word.lemma for word in words],
        [word.tag for word in words],
        [i for i, word in enumerate(words) if word.function],
    ]


def _feature(x: Feature) -> list[object]:
    numbers = (x.total, x.hyp_weight, x.ref_weight, x.precision, x.recall, x.f)
    links = [
        [
            link.hyp[0],
            link.ref[0],
            _short(link.similarity, 4),
            _short(link.weight, 6),
            "".join(MARKS[pair.kind] for pair in link.pairs),
            *_apart(x.order, link),
        ]
        for link in x.links
    ]
    return [x.order, x.similarity, [round(number, 6) for number in numbers], links]


def _apart(order: int, link: WordLink) -> list[list[int]]:
    # The positions in hypothesis and reference, if the words of either do not stand together.
    if all(stop - start == order for start, stop in (link.hyp, link.ref)):
        return []
    return [[pair.hyp for pair in link.pairs], [pair.ref for pair in link.pairs]]


BLOCK = 8  # segments
COMPRESSION = 6  # the level; 9 takes longer and saves 2%
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
    """Return the explanations by each metric with links, made in `jobs` processes.

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
    """Return the outputs that one of `n_metrics` metrics explains, block by block."""
    by_system = campaign.scores[name]
    scores = np.stack([score.segments.scores for score in by_system.values()])
    higher = next(iter(by_system.values())).higher_is_better
    what_if, explained = (
        chosen(scores, number // n_metrics, higher) for number in (min(most, MOST_WHAT_IF), most)
    )
    corpus, wanted, scored = campaign.corpus, [*map(set, explained)], [*map(set, what_if)]
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
        # If processes cannot start or are killed, the rest is done in this process.
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
    return Block(packed(text), [(s, place) for place in explained for s in explained[place]])


def packed(text: str) -> str:
    """Return a text compressed, for an element that the page's script reads."""
    return base64.b64encode(zlib.compress(text.encode(), COMPRESSION)).decode()


def _sent(scorers: Sequence[Scorer]) -> list[bytes]:
    """Return the pickled scorers, or [] if one cannot be pickled."""
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
