"""A campaign → the data of the page's script, as one JSON object.

systems, documents, references   names
segments    for each the number of its document, and its id if that is not its place
source      texts, or null;  refs, hyps: texts, a list each
labels      of lexicon groups
metrics     name, signature, settings, digits, parts of a mean; `scores[system][segment]`;
            `explained[system][segment]`, see `encoding`, or null if it cannot explain
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from celab.arrays import F64
from celab.errors import OptionError
from celab.metrics.base import Metric
from celab.report.html.encoding import Labels, segment
from celab.report.systems import decimals
from celab.run import TooLong

if TYPE_CHECKING:
    from celab.campaign import Campaign
    from celab.corpus import Corpus
    from celab.metrics.base import Score

    Encoded = list[dict[int, Any]]  # for each system its explained segments by their places

# Options that the arithmetic from counts to score shows.
SETTINGS = ("f", "decay", "alpha", "average")


def of_campaign(
    campaign: Campaign,
    metrics: Mapping[str, Metric],
    explained: int,
    lang: str | None,
    progress: Callable[[int, int], object] | None,
) -> dict[str, Any]:
    """The data of the page as a dict."""
    if explained < 0:
        raise OptionError(f"explained is {explained}; it must be 0 or more")
    corpus, labels = campaign.corpus, Labels()
    encoded = _explanations(campaign, metrics, explained, labels, progress)
    return {
        "lang": lang,
        **_texts(corpus),
        "metrics": [
            _metric(name, metrics[name], of_metric, encoded.get(name))
            for name, of_metric in campaign.scores.items()
        ],
        "labels": list(labels),
    }


def _texts(corpus: Corpus) -> dict[str, Any]:
    documents = {document: i for i, document in enumerate(
        dict.fromkeys(segment.document for segment in corpus.segments))}  # fmt: skip
    numbered = enumerate(corpus.segments, 1)
    return {
        "systems": list(corpus.systems),
        "references": list(corpus.ref_names),
        "documents": list(documents),
        "segments": [documents[segment.document] for segment in corpus.segments],
        "ids": [0 if segment.id == str(number) else segment.id for number, segment in numbered],
        "source": corpus.source,
        "refs": corpus.refs,
        "hyps": list(corpus.systems.values()),
    }


def _metric(
    key: str, metric: Metric, of_metric: Mapping[str, Score], explained: Encoded | None
) -> dict[str, Any]:
    first = next(iter(of_metric.values()))
    return {
        "key": key,
        "name": first.name,
        "signature": first.signature,
        "higher": first.higher_is_better,
        "digits": decimals(first),
        "settings": _settings(metric),
        "parts": [
            {"signature": part.signature, "settings": _settings(part)}
            for part in getattr(metric, "parts", ())
        ],
        "scores": [np.round(s.segments.scores, 6).tolist() for s in of_metric.values()],
        "explained": explained,
    }


def _settings(metric: Metric) -> dict[str, Any]:
    options = getattr(metric, "options", None)
    return {name: getattr(options, name) for name in SETTINGS if hasattr(options, name)}


def chosen(scores: F64, most: int, higher_is_better: bool) -> list[list[int]]:
    """Which segments are explained: for each system, a row of `scores`, their places in order.

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
) -> dict[str, Encoded]:
    # For each metric that can explain.
    places: dict[str, list[list[int]]] = {}
    for name, of_metric in campaign.scores.items():
        if metrics[name].explains:
            scores = np.stack([score.segments.scores for score in of_metric.values()])
            first = next(iter(of_metric.values()))
            places[name] = chosen(scores, most, first.higher_is_better)
    total = sum(len(of_system) for of_metric in places.values() for of_system in of_metric)
    corpus, n_done = campaign.corpus, 0
    encoded: dict[str, Encoded] = {name: [] for name in places}
    for name, of_systems in places.items():
        for hyps, of_system in zip(corpus.systems.values(), of_systems, strict=True):
            stream = metrics[name].stream(hyps, corpus.refs)
            encoded[name].append({})
            for place in of_system:
                refs = [side[place] for side in corpus.refs]
                with suppress(TooLong):  # too long to explain: it is scored all the same
                    explained = stream.explain(hyps[place], refs)
                    encoded[name][-1][place] = segment(explained, labels)
                n_done += 1
                if progress is not None:
                    progress(n_done, total)
    return encoded
