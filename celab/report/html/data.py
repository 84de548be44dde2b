"""A campaign → the data of the page's script, as JSON.

Explanations are in blocks of their own, each for `block` segments of all systems: block b of metric
m is `explained-m-b`, see `explanations`. All else is one object, in a large report as the block
`packed`:

systems, documents, references   names
length_ratio  of each system, its outputs in lengths of the references; null if these are empty
segments    for each the number of its document
names       of the segments; absent if they are their numbers
buckets     by length and by domain: labels, and for each segment the number of its label
findings, titles  findings about outputs (`celab.report.html.findings`), and the titles of their
            producers; absent if there are none
errors      kinds of differences from the reference (`celab.findings.differences.page_data`)
files, commands  of `celab explain`: for each system its file, for each metric what stands before
            the number of the segment, before the file, and after it; absent if not known
source      texts, or null;  refs, hyps: texts, a list each
metrics     name, signature, settings, digits, parts of a mean; `scores[system][segment]`;
            `explained`, how many outputs are explained, or null if it cannot explain;
            `places`: for each system the segments that are, or null if all are;
            `synonyms`: words of the texts, a line for each group of the metric's lexicon;
            `pairs`: for systems 0 and 1, 0 and 2, … 1 and 2, …: the difference of their scores,
            low and high, its interval or nulls, p as text, whether it is significant, the test
            that p comes from, the first one's wins and ties, and without: null or the number of
            their outputs that are not translations and the difference without these segments;
            `ranked`: the best first;
            `too_few` segments to call any significant
fewest      segments, for that
judges, span_summary  what other judges add (`celab.systems.external_scores`)
glossary    terms that occur, with their targets
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from celab.base.arguments import JsonObject
from celab.base.errors import OptionError
from celab.base.run import Progress
from celab.base.text.escapes import dump_json
from celab.corpus import Corpus
from celab.findings.differences import ErrorProfile
from celab.findings.differences import page_data as errors_data
from celab.findings.finding import produce
from celab.metrics.base import Metric
from celab.metrics.scores import Score
from celab.report.html.explanations import BLOCK, Explained, explanations, packed
from celab.report.html.findings import glossary_of, of_table
from celab.statistics import resampling
from celab.statistics.difference import MIN_SEGMENTS
from celab.statistics.documents import group_statistics, units_to_draw
from celab.statistics.significance import CONFIDENCE, TIE_TOLERANCE, pair_interval
from celab.systems.campaign import Campaign
from celab.systems.pair import length_buckets, length_label

# Options that the arithmetic from counts to score needs.
MIN_PACKED = 400_000  # characters of data that are compressed
SETTINGS = ("f", "decay", "max_order", "alpha", "average")


def of_campaign(
    campaign: Campaign,
    metrics: Mapping[str, Metric],
    explained: int,
    lang: str | None,
    progress: Progress | None,
    jobs: int = 1,
    flags: Mapping[str, Sequence[str]] | None = None,
) -> tuple[JsonObject, dict[str, str]]:
    """Return the data of the page, and the blocks of explanations by their ids."""
    if explained < 0:
        raise OptionError("explained", explained, "it must be 0 or more")
    by_metric = explanations(campaign, metrics, explained, jobs, progress)
    blocks = {
        f"explained-{m}-{number}": text
        for m, name in enumerate(campaign.scores)
        if name in by_metric
        for number, text in by_metric[name].blocks.items()
    }
    profile = _profile(campaign, lang)
    subject = campaign.subject._replace(profile=profile, lang=lang or "zh")
    known = None if campaign.outputs is None else campaign.outputs.table
    return {
        "lang": lang,
        "block": BLOCK,
        "fewest": MIN_SEGMENTS,
        **_texts(campaign.corpus),
        "length_ratio": [*map(campaign.lengths.ratio, campaign.corpus.systems)],
        **of_table(produce(subject, known, of_texts=known is not None), subject),
        **glossary_of(campaign.term_uses),
        **errors_data(profile, list(campaign.corpus.systems)),
        **({} if flags is None else _commands(campaign.corpus, flags)),
        "metrics": [
            _metric(name, metrics[name], of_metric, by_metric.get(name))
            | _synonyms(metrics[name], campaign.corpus)
            | _pairs(campaign, name)
            for name, of_metric in campaign.scores.items()
        ],
    }, blocks


def split(browsed: JsonObject) -> tuple[JsonObject, dict[str, str]]:
    """Return the data that stand plainly in the page, and the block of a large report."""
    written = dump_json(browsed, separators=(",", ":"))
    return (browsed, {}) if len(written) < MIN_PACKED else ({}, {"packed": packed(written)})


def _texts(corpus: Corpus) -> JsonObject:
    documents = {
        document: i
        for i, document in enumerate(dict.fromkeys(segment.document for segment in corpus.segments))
    }
    names, numbers = corpus.names, [*range(1, len(corpus.segments) + 1)]
    return {
        "systems": list(corpus.systems),
        "references": list(corpus.ref_names),
        "documents": list(documents),
        "segments": [documents[segment.document] for segment in corpus.segments],
        "buckets": _buckets(corpus),
        **({} if names == numbers else {"names": [*map(str, names)]}),
        "source": corpus.source,
        "refs": corpus.refs,
        "hyps": list(corpus.systems.values()),
    }


def _profile(campaign: Campaign, lang: str | None) -> ErrorProfile:
    """Return the kinds of differences of all outputs from the reference."""
    compared = next(iter(campaign.comparisons.values()), None)
    if compared is None:
        return campaign.error_profile(lang=lang)
    return campaign.error_profile(
        lang=lang,
        n_resamples=compared.n_resamples,
        seed=compared.seed,
        resample_by=compared.resample_by,
    )


def _commands(corpus: Corpus, flags: Mapping[str, Sequence[str]]) -> JsonObject:
    # The parts of a command that go before the number of a segment, and before a system's file.
    refs = shlex.join(corpus.ref_files)
    return {
        "files": [shlex.quote(corpus.file_of(system)) for system in corpus.systems],
        "commands": {
            name: ["celab explain", f"-r {refs} -s", shlex.join(["-m", name, *of_metric])]
            for name, of_metric in flags.items()
        },
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


def _pairs(campaign: Campaign, metric: str) -> JsonObject:
    comparison, outputs = campaign.comparisons.get(metric), campaign.outputs
    if comparison is None:
        return {}
    of_metric = campaign.scores[metric]
    scores = list(of_metric.values())
    statistics, aggregate = group_statistics(
        np.stack([score.statistics for score in scores]),
        scores[0].aggregate,
        units_to_draw(comparison.resample_by, [x.document for x in campaign.segments]),
    )
    resampled = resampling.scores_of(statistics, aggregate, comparison.n_resamples, comparison.seed)
    flagged: dict[str, list[int]] = {name: [] for name in of_metric}
    for finding in () if outputs is None else outputs.flagged.rows:
        flagged[finding.system].append(finding.segment or 0)
    rank = [comparison.systems.index(name) for name in of_metric]
    pairs = []
    for i, j in combinations(range(len(scores)), 2):
        interval = pair_interval(resampled, i, j, CONFIDENCE)
        gain = scores[i].segments.scores - scores[j].segments.scores
        gain = gain if comparison.higher_is_better else -gain
        numbers = [scores[i].score - scores[j].score, *interval]
        apart, low, high = (round(float(x), 6) if np.isfinite(x) else None for x in numbers)
        wins, ties = int((gain > TIE_TOLERANCE).sum()), int((abs(gain) <= TIE_TOLERANCE).sum())
        difference = comparison.difference(rank[i], rank[j])
        broken = [flagged[name] for name in ([*of_metric][i], [*of_metric][j])]
        left = np.setdiff1d(np.arange(len(gain)), [*broken[0], *broken[1]])
        n_broken, without = sum(map(len, broken)), None
        if n_broken and len(left):
            change = scores[i].of_segments(left) - scores[j].of_segments(left)
            without = {"outputs": n_broken, "difference": round(float(change), 6)}
        pairs.append(
            {
                **{"difference": apart, "low": low, "high": high, "p": difference.p_text},
                **{"significant": difference.significant, "test": difference.test},
                **{"wins": wins, "ties": ties, "without": without},
            }
        )
    ranked = sorted(range(len(rank)), key=rank.__getitem__)
    return {"ranked": ranked, "pairs": pairs, "too_few": comparison.too_few}


def _synonyms(metric: Metric, corpus: Corpus) -> JsonObject:
    texts = [*corpus.refs, *corpus.systems.values()]
    is_linked = metric.explained_by == "links"
    groups = metric.scorer(corpus.refs).synonyms(texts) if is_linked else []
    return {"synonyms": sorted({" ".join(sorted(words)) for words in groups})}


def _metric(
    key: str, metric: Metric, of_metric: Mapping[str, Score], explained: Explained | None
) -> JsonObject:
    n_explained = None if explained is None else sum(map(len, explained.places))
    first = next(iter(of_metric.values()))
    is_whole = explained is None or n_explained == len(of_metric) * len(first.segments)
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
        "explained": n_explained,
        "places": None if is_whole or explained is None else explained.places,
    }


def shown_settings(metric: Metric) -> JsonObject:
    """Return the options of a metric that the page shows, or computes with."""
    options = getattr(metric, "options", None)
    return {name: getattr(options, name) for name in SETTINGS if hasattr(options, name)}
