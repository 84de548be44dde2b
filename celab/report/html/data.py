"""A campaign → the data of the page's script, as JSON.

Explanations are in blocks of their own, each for `block` segments of all systems, so that the
script reads only those that are looked at. Block b of metric m is `explained-m-b`: for each system
an object that has the explanations by the segments' places. See `encoding` for these. All else is
one object:

systems, documents, references   names
segments    for each the number of its document, and its id if that is not its place
buckets     by length and by domain: labels, and for each segment the number of its label
source      texts, or null;  refs, hyps: texts, a list each
labels      of lexicon groups
metrics     name, signature, settings, digits, parts of a mean; `scores[system][segment]`;
            `explained`, how many outputs are explained, or null if it cannot explain;
            `pairs`: for systems 0 and 1, 0 and 2, … 1 and 2, …: the difference of their scores,
            its interval or nulls, p, and the first one's wins and ties; `ranked`: the best first
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np

from celab.base.arrays import F64
from celab.base.errors import OptionError
from celab.base.run import TooLong, batches
from celab.evaluation.comparison import LEVEL, TIE, length_buckets, length_label
from celab.metrics.base import Metric
from celab.report.html.encoding import Labels, segment
from celab.report.html.page import as_json
from celab.statistics.significance import paired_test

if TYPE_CHECKING:
    from celab.corpus import Corpus
    from celab.evaluation.campaign import Campaign, Comparison
    from celab.metrics.scores import Score

# Options that the arithmetic from counts to score needs.
SETTINGS = ("f", "decay", "max_order", "alpha", "average")
BLOCK = 16  # segments


def of_campaign(
    campaign: Campaign,
    metrics: Mapping[str, Metric],
    explained: int,
    lang: str | None,
    progress: Callable[[int, int], object] | None,
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the data of the page, and the blocks of explanations as JSON, by their ids."""
    if explained < 0:
        raise OptionError("explained", explained, "it must be 0 or more")
    corpus, labels = campaign.corpus, Labels()
    counts, blocks = _explanations(campaign, metrics, explained, labels, progress)
    return {
        "lang": lang,
        "block": BLOCK,
        **_texts(corpus),
        "metrics": [
            _metric(name, metrics[name], of_metric, counts.get(name))
            | _pairs(of_metric, campaign.comparisons.get(name))
            for name, of_metric in campaign.scores.items()
        ],
        "labels": list(labels),
    }, blocks


def _texts(corpus: Corpus) -> dict[str, Any]:
    documents = {
        document: i
        for i, document in enumerate(dict.fromkeys(segment.document for segment in corpus.segments))
    }
    numbered = enumerate(corpus.segments, 1)
    return {
        "systems": list(corpus.systems),
        "references": list(corpus.ref_names),
        "documents": list(documents),
        "segments": [documents[segment.document] for segment in corpus.segments],
        "buckets": _buckets(corpus),
        "ids": [0 if segment.id == str(number) else segment.id for number, segment in numbered],
        "source": corpus.source,
        "refs": corpus.refs,
        "hyps": list(corpus.systems.values()),
    }


def _buckets(corpus: Corpus) -> dict[str, tuple[list[str], list[int]]]:
    lengths = length_buckets(corpus)
    places, numbers = np.unique(lengths, return_inverse=True)
    buckets = {"length": ([*map(length_label, places.tolist())], numbers.tolist())}
    names = [segment.domain for segment in corpus.segments]
    if any(names):
        known = list(dict.fromkeys(names))
        buckets["domain"] = known, [known.index(name) for name in names]
    return buckets


def _pairs(of_metric: Mapping[str, Score], comparison: Comparison | None) -> dict[str, Any]:
    if comparison is None:
        return {}
    scores = list(of_metric.values())
    tested = paired_test(
        np.stack([score.statistics for score in scores]),
        scores[0].aggregate,
        n_resamples=comparison.n_resamples,
        seed=comparison.seed,
    )
    rank = [comparison.systems.index(name) for name in of_metric]
    pairs = []
    for i, j in combinations(range(len(scores)), 2):
        interval: tuple[float, float] | None = None
        with suppress(OptionError):  # too few resamples for an interval
            interval = tested.interval(i, j, LEVEL)
        gain = scores[i].segments.scores - scores[j].segments.scores
        gain = gain if comparison.higher_is_better else -gain
        numbers = [scores[i].score - scores[j].score, *(interval or (np.nan, np.nan))]
        shown = [round(float(x), 6) if np.isfinite(x) else None for x in numbers]
        wins, ties = int((gain > TIE).sum()), int((abs(gain) <= TIE).sum())
        pairs.append([*shown, float(f"{comparison.p_values[rank[i], rank[j]]:.4g}"), wins, ties])
    ranked = sorted(range(len(rank)), key=rank.__getitem__)
    return {"ranked": ranked, "pairs": pairs}


def _metric(
    key: str, metric: Metric, of_metric: Mapping[str, Score], explained: int | None
) -> dict[str, Any]:
    first = next(iter(of_metric.values()))
    return {
        "key": key,
        "name": first.name,
        "signature": first.signature,
        "higher": first.higher_is_better,
        "digits": first.digits,
        "settings": shown_settings(metric),
        "parts": [
            {"signature": part.signature, "settings": shown_settings(part)}
            for part in getattr(metric, "parts", ())
        ],
        "scores": [np.round(s.segments.scores, 6).tolist() for s in of_metric.values()],
        "explained": explained,
    }


def shown_settings(metric: Metric) -> dict[str, Any]:
    """Return the options of a metric that the page shows, or computes with."""
    options = getattr(metric, "options", None)
    return {name: getattr(options, name) for name in SETTINGS if hasattr(options, name)}


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


def _explanations(
    campaign: Campaign,
    metrics: Mapping[str, Metric],
    most: int,
    labels: Labels,
    progress: Callable[[int, int], object] | None,
) -> tuple[dict[str, int], dict[str, str]]:
    # How many outputs are explained, for each metric that can, and the blocks of JSON.
    places: dict[str, list[set[int]]] = {}
    for name, of_metric in campaign.scores.items():
        if metrics[name].explains:
            scores = np.stack([score.segments.scores for score in of_metric.values()])
            first = next(iter(of_metric.values()))
            places[name] = [*map(set, chosen(scores, most, first.higher_is_better))]
    total = sum(len(of_system) for of_metric in places.values() for of_system in of_metric)
    corpus, n_done = campaign.corpus, 0
    counts, blocks = dict.fromkeys(places, 0), {}
    for m, name in enumerate(campaign.scores):
        if name not in places:
            continue
        scorer = metrics[name].scorer(corpus.refs)
        of_systems = [*zip(corpus.systems.values(), places[name], strict=True)]
        for b, part in enumerate(batches(len(corpus.segments), BLOCK)):
            block: list[dict[int, Any]] = [{} for _ in of_systems]
            for s, place in product(range(len(of_systems)), range(part.start, part.stop)):
                hyps, of_system = of_systems[s]
                if place not in of_system:
                    continue
                refs = [side[place] for side in corpus.refs]
                with suppress(TooLong):  # too long to explain: it is scored all the same
                    block[s][place] = segment(scorer.explain(hyps[place], refs), labels)
                n_done += 1
                if progress is not None:
                    progress(n_done, total)
            counts[name] += sum(map(len, block))
            if any(block):
                blocks[f"explained-{m}-{b}"] = as_json(block)
    return counts, blocks
