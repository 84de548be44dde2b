"""A campaign → what the page's script browses, as one object that JSON can hold.

systems, documents, references   names
segments    for each the number of its document, and its id if that is not its place
source      texts, or null;  refs, hyps: texts, a list each
labels      of lexicon groups
metrics     name, signature, settings, digits; `scores[system][segment]`;
            `explained[system][segment]`, see `encoding`, or null if it cannot explain
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from celab.errors import InputError, OptionError
from celab.metrics.base import Metric
from celab.report.html.choice import chosen
from celab.report.html.encoding import Labels, segment

if TYPE_CHECKING:
    from celab.campaign import Campaign
    from celab.corpus import Corpus
    from celab.metrics.base import Score

    Chosen = dict[str, list[list[int]]]

# Options that stand in the arithmetic from counts to score.
SETTINGS = ("f", "alpha", "average")


def of_campaign(
    campaign: Campaign,
    metrics: Mapping[str, Metric],
    explained: int,
    lang: str | None,
    source_lang: str | None,
    progress: Callable[[int, int], object] | None,
) -> dict[str, Any]:
    """The whole object."""
    if explained < 0:
        raise OptionError(f"explained is {explained}; it must be 0 or more")
    if unknown := [name for name in campaign.scores if name not in metrics]:
        raise InputError(
            f"the campaign has scores of {', '.join(unknown)}, the metrics given are"
            f" {', '.join(metrics) or 'none'}; each metric of the campaign must be given"
        )
    corpus, labels = campaign.corpus, Labels()
    found = _explanations(campaign, metrics, explained, labels, progress)
    return {
        "lang": lang,
        "sourceLang": source_lang,
        **_texts(corpus),
        "metrics": [
            _metric(name, metrics[name], of_metric, found.get(name))
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
    key: str, metric: Metric, of_metric: Mapping[str, Score], explained: list[dict[int, Any]] | None
) -> dict[str, Any]:
    first = next(iter(of_metric.values()))
    options = getattr(metric, "options", None)
    return {
        "key": key,
        "name": first.name,
        "signature": first.signature,
        "higher": first.higher_is_better,
        "digits": digits(first),
        "settings": {name: getattr(options, name) for name in SETTINGS if hasattr(options, name)},
        "scores": [np.round(s.segments.scores, 6).tolist() for s in of_metric.values()],
        "explained": explained,
    }


def digits(score: Score) -> int:
    """How many to show: scores without precision and recall are of 0 to 100."""
    return 2 if score.precision is None else 4


def _explanations(
    campaign: Campaign,
    metrics: Mapping[str, Metric],
    most: int,
    labels: Labels,
    progress: Callable[[int, int], object] | None,
) -> dict[str, list[dict[int, Any]]]:
    # For each metric that can, and each system, the explained segments by their places.
    places: Chosen = {}
    for name, of_metric in campaign.scores.items():
        if type(metrics[name]).explain is not Metric.explain:
            scores = np.stack([score.segments.scores for score in of_metric.values()])
            first = next(iter(of_metric.values()))
            places[name] = chosen(scores, most, first.higher_is_better)
    total = sum(len(of_system) for of_metric in places.values() for of_system in of_metric)
    corpus, n_done = campaign.corpus, 0
    found: dict[str, list[dict[int, Any]]] = {}
    for name, of_metric_places in places.items():
        found[name] = []
        for hyps, of_system in zip(corpus.systems.values(), of_metric_places, strict=True):
            encoded: dict[int, Any] = {}
            for place in of_system:
                explained = metrics[name].explain_segment(hyps, corpus.refs, place)
                encoded[place] = segment(explained, labels)
                n_done += 1
                if progress is not None:
                    progress(n_done, total)
            found[name].append(encoded)
    return found
