"""The laws, each a function of a case that raises `AssertionError` where it is broken.

"Equal" is to the last bit for TESLA-CELAB, TESLA-M, TESLA-S, TESLA-B, means of them, CER, MER and
ROUGE: every figure is an exact optimum and every mean is rounded once, so that neither order,
company nor batch size can move it. TESLA-F sums its features, and sacreBLEU's metrics take
logarithms: they agree to 1e-12 of their scale, as do values that are computed in two different
ways.

`weights="references"` is the one documented exception to "a segment's score depends on that
segment": laws about segments alone are `independent` and tried without it.
"""

from __future__ import annotations

import math
import os
import pickle
import random
import re
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, product
from typing import Any
from unittest import mock

import numpy as np
from oracle import links as links_oracle
from oracle import pivot as pivot_oracle
from oracle import program as program_oracle
from oracle import statistics as statistics_oracle
from oracle import tesla_m as tesla_m_oracle
from oracle import tesla_s as tesla_s_oracle
from sacrebleu.significance import PairedTest as SacrebleuTest

from celab.base.errors import InputError, OptionError
from celab.base.messages import listening
from celab.base.text.scripts import foreign_script
from celab.base.text.tokens import is_blank
from celab.corpus import Corpus, Segment
from celab.corpus.align.alignment import align
from celab.corpus.frames import corpus_of_lists
from celab.findings.suggestions import suggest
from celab.integrations.sacrebleu import SacrebleuTeslaCelab
from celab.metrics.scores import Score, SegmentScore
from celab.nbest.mbr import rerank
from celab.nbest.nbest import Candidate, Sentence
from celab.nbest.references import LoadedReferences
from celab.statistics import resampling, significance
from celab.systems.campaign import Campaign
from celab.terminology.api import check_terms
from celab.terminology.glossary import Term
from properties.draw import (
    LOWER_IS_BETTER,
    METRICS,
    OF_SACREBLEU,
    OPTION_WORDS,
    SURFACE,
    Case,
    File,
    Recipe,
    limits,
    tsv,
)

CLOSE = 1e-12
# sacreBLEU's figures and the features of TESLA-F are sums of rounded numbers.
EXACT = frozenset(METRICS) - {"tesla-f", *OF_SACREBLEU}
ROUGE = ("rouge1", "rouge2", "rougeL")
ALL = tuple(METRICS)
SILENT = object()  # returned by a law that says nothing about a case
TRIED: Counter[str] = Counter()  # cases that each law was tried on, and "comparisons" of numbers


@dataclass(frozen=True)
class Law:
    """A law, the metrics that keep it, and what its cases are like."""

    name: str
    check: Callable[[Case], object]
    kinds: tuple[str, ...]
    independent: bool
    longest: int  # number of tokens of a random text
    cost: float  # time of a case, relative to other laws
    varied: bool = False  # whether cases have variants

    def __call__(self, case: Case) -> None:
        if self.check(case) is not SILENT:
            TRIED[self.name] += 1


LAWS: dict[str, Law] = {}


def law(
    name: str,
    kinds: Sequence[str] = ALL,
    *,
    independent: bool = False,
    longest: int = 9,
    cost: float = 1.0,
    varied: bool = False,
) -> Callable[[Callable[[Case], object]], Callable[[Case], object]]:
    """Enters a function into `LAWS`."""

    def enter(check: Callable[[Case], object]) -> Callable[[Case], object]:
        LAWS[name] = Law(name, check, tuple(kinds), independent, longest, cost, varied)
        return check

    return enter


# ---- equality ----


def assert_equal(found: Any, expected: Any, case: Case, what: str, exact: bool = True) -> None:
    """Numbers are equal: to the last bit if the metric promises that, else to 1e-12."""
    a, b = (np.asarray(numbers, np.float64) for numbers in (found, expected))
    TRIED["comparisons"] += b.size
    if exact and case.kind in EXACT:
        holds = np.array_equal(a, b, equal_nan=True)
    else:
        most = CLOSE * scale_of(case)
        holds = a.shape == b.shape and np.allclose(a, b, rtol=0.0, atol=most, equal_nan=True)
    assert holds, f"{what}: {a.tolist()} instead of {b.tolist()}"


def scale_of(case: Case) -> float:
    """The score of identical text."""
    return float(case.make().scale)


def row(segment: Any) -> list[float]:
    """Score, precision and recall of a segment or an explanation; NaN where there are none."""
    figures = (segment.score, segment.precision, segment.recall)
    return [math.nan if figure is None else figure for figure in figures]


def assert_same_segment(found: SegmentScore, expected: SegmentScore, case: Case, what: str) -> None:
    """A segment's figures, and those against each of its references, are equal."""
    assert_equal(row(found), row(expected), case, what)
    assert_same_references(found, expected, case, what)


def assert_same_references(
    found: SegmentScore, expected: SegmentScore, case: Case, what: str
) -> None:
    indexes = [[one.index for one in segment.references] for segment in (found, expected)]
    assert indexes[0] == indexes[1], f"{what}: references {indexes[0]} instead of {indexes[1]}"
    for one, other in zip(found.references, expected.references, strict=True):
        assert_equal(row(one), row(other), case, f"{what}, reference {other.index + 1}")


def assert_same_score(found: Score, expected: Score, case: Case, what: str) -> None:
    """The score of a system and of all its segments are equal, and so is the signature."""
    assert len(found.segments) == len(expected.segments), what
    for s, (one, other) in enumerate(zip(found.segments, expected.segments, strict=True), 1):
        assert_same_segment(one, other, case, f"{what}, segment {s}")
    assert_equal(row(found), row(expected), case, f"{what}, system")
    assert found.signature == expected.signature, f"{what}: signature {found.signature}"


def alone(metric: Any, hyp: str, refs: Sequence[str | None]) -> SegmentScore | None:
    """The score of a segment by itself; None if no reference has text, or weighs anything."""
    if all(ref is None or is_blank(ref) for ref in refs):
        return None
    try:
        return metric.sentence_score(hyp, list(refs))
    except InputError as error:
        if "has no reference" in str(error) or "no reference has" in str(error):
            return None
        raise


def alone_score(metric: Any, hyp: str, ref: str | None) -> float:
    """The score against one reference; NaN without one."""
    segment = alone(metric, hyp, [ref])
    return math.nan if segment is None else segment.score


WRITTEN = {
    "zh": ("zh-CN", "zh_Hans", "cmn", "Chinese"),
    "ja": ("jp", "ja-JP", "jpn_Jpan"),
    "ko": ("kr", "ko_KR"),
    "de": ("de-AT", "ger", "German"),
    "en": ("en_US", "EN"),
    "th": ("th-TH",),
}

# ---- a segment's score is the same wherever it is computed ----


@law("alone", independent=True)
def _(case: Case) -> None:
    whole, metric = case.make().corpus_score(case.hyps, case.refs), case.make()
    for s, (hyp, expected) in enumerate(zip(case.hyps, whole.segments, strict=True), 1):
        refs = case.refs_of(s - 1)
        found = metric.sentence_score(hyp, refs)
        assert_same_segment(found, expected, case, f"segment {s} alone")
        if len(refs) == 1:  # which needs no list
            found = metric.sentence_score(hyp, refs[0])
            assert_same_segment(found, expected, case, f"segment {s} with its reference as a str")


@law("a language as people write it")
def _(case: Case) -> None:
    lang = case.recipe.arguments.get("lang")
    if lang not in WRITTEN:
        return
    expected, found = case.make(), case.recipe.make(lang=case.rng.choice(WRITTEN[lang]))
    assert lang in (found.lang, found.language), case  # a mean's parts have it, BLEU is for any
    for name in ("lang", "language", "signature"):
        assert getattr(found, name) == getattr(expected, name), case
    scores = [metric.corpus_score(case.hyps, case.refs) for metric in (found, expected)]
    assert_same_score(*scores, case, "language")


@law("segments in another order")
def _(case: Case) -> None:
    order = case.rng.sample(range(case.n_segments), case.n_segments)
    whole = case.make().corpus_score(case.hyps, case.refs)
    hyps = [case.hyps[s] for s in order]
    found = case.make().corpus_score(hyps, [[side[s] for s in order] for side in case.refs])
    for place, s in enumerate(order):
        assert_same_segment(found.segments[place], whole.segments[s], case, f"segment {s + 1}")
    assert_equal(row(found), row(whole), case, "system")


@law("references in another order")
def _(case: Case) -> None:
    order = case.rng.sample(range(len(case.refs)), len(case.refs))
    whole = case.make().corpus_score(case.hyps, case.refs)
    found = case.make().corpus_score(case.hyps, [case.refs[r] for r in order])
    for s, (one, other) in enumerate(zip(found.segments, whole.segments, strict=True), 1):
        assert_equal(row(one), row(other), case, f"segment {s}")
        against = {order[ref.index]: row(ref) for ref in one.references}
        assert sorted(against) == [ref.index for ref in other.references]
        for ref in other.references:
            assert_equal(against[ref.index], row(ref), case, f"segment {s}, {ref.index + 1}")


@law("beside other systems, in any order")
def _(case: Case) -> None:
    systems = {f"system {k}": hyps for k, hyps in enumerate(case.systems)}
    names = case.rng.sample(list(systems), len(systems))
    together = case.make().corpus_scores({name: systems[name] for name in names}, case.refs)
    assert list(together) == names
    metric = case.make()
    for name, hyps in systems.items():
        expected = metric.corpus_score(hyps, case.refs)
        assert_same_score(together[name], expected, case, name)


@law("pairwise", independent=True)
def _(case: Case) -> None:
    texts = case.pool()
    hyps, refs = ([*case.rng.sample(texts, min(4, len(texts)))] for _ in range(2))
    if case.rng.random() < 0.3:
        hyps = refs  # compared with each other, in half the time
    refs = [*refs, None]
    found, metric = case.make().pairwise(hyps, refs), case.make()
    expected = [[alone_score(metric, hyp, ref) for ref in refs] for hyp in hyps]
    assert_equal(found, expected, case, "pairwise")


@law("pairwise, the diagonal")
def _(case: Case) -> None:
    metric = case.make()
    refs = [ref if ref and metric.is_reference(ref) else case.anchor for ref in case.refs[0]]
    expected = case.make().corpus_score(case.hyps, [refs]).segments.scores
    found = case.make().pairwise(case.hyps, refs).diagonal()
    assert_equal(np.where(np.isnan(expected), np.nan, found), expected, case, "diagonal")


@law("in parts, by a scorer")
def _(case: Case) -> None:
    rng = case.rng
    metric = case.make()
    whole = case.make().corpus_score(case.hyps, case.refs)
    scorer = metric.scorer(case.refs)
    if rng.random() < 0.5:
        scorer = pickle.loads(pickle.dumps(scorer))
    n_cuts = rng.randrange(case.n_segments)
    cuts = [0, *sorted(rng.sample(range(1, case.n_segments), n_cuts)), case.n_segments]
    parts = []
    for start, stop in pairwise(cuts):
        parts.append(scorer(case.hyps[start:stop], [side[start:stop] for side in case.refs]))
    assert_same_score(Score.joined(parts), whole, case, f"parts {cuts}")


@law("against references that are loaded")
def _(case: Case) -> None:
    sides = [["" if ref is None else ref for ref in side] for side in case.refs]
    loaded = LoadedReferences(case.make(), sides)
    metric = case.make()
    requests = [(s, k) for s in range(case.n_segments) for k in range(len(case.systems))]
    case.rng.shuffle(requests)
    found = loaded.rows([s for s, _ in requests], [case.systems[k][s] for s, k in requests])
    scores = [metric.corpus_score(hyps, case.refs).segments.figures for hyps in case.systems]
    for (s, k), figures in zip(requests, found, strict=True):
        assert_equal(figures, scores[k][s], case, f"system {k + 1}, segment {s + 1}")


@law("utilities of mbr", independent=True)
def _(case: Case) -> None:
    texts = [text for text in case.pool() if "\n" not in text]
    texts = case.rng.choices(texts, k=min(5, len(texts)))  # some of them twice
    candidates = tuple(Candidate(text, i) for i, text in enumerate(texts, 1))
    found, metric = rerank(case.make(), Sentence("list", 0, candidates)), case.make()
    utilities = [[alone_score(metric, hyp, ref) for ref in texts] for hyp in texts]
    counts = [j for j in range(len(texts)) if not math.isnan(utilities[0][j])]
    expected = [
        math.fsum(utility[j] for j in counts) / len(counts) if counts else 0.0
        for utility in utilities
    ]
    assert_equal(found.expected, expected, case, "expected utilities", exact=False)
    best = max if metric.higher_is_better else min
    chosen = expected[found.order[0]]
    assert abs(chosen - best(expected)) <= CLOSE * scale_of(case), "the choice has the best utility"


@law("explained", ("celab", "celab-recommended", "tesla-m", "tesla-s", "mean"))
def _(case: Case) -> object:
    metric = case.make()
    if not metric.explained_by:  # a mean with TESLA-B
        return SILENT
    whole = case.make().corpus_score(case.hyps, case.refs)
    scorer = metric.scorer(case.refs)
    for s, (hyp, expected) in enumerate(zip(case.hyps, whole.segments, strict=True), 1):
        found = scorer.explain(hyp, case.refs_of(s - 1))
        assert_equal(row(found), row(expected), case, f"segment {s}, explained")
        assert list(found.index) == [ref.index for ref in expected.references]
        for one, other in zip(found.against, expected.references, strict=True):
            assert_equal(row(one), row(other), case, f"segment {s}, {other.index + 1}, explained")
            single = metric.explain(hyp, case.refs[other.index][s - 1])
            expected_single = metric.sentence_score(hyp, [case.refs[other.index][s - 1]])
            assert_equal(row(single), row(expected_single), case, f"segment {s}, one reference")


@law("edits are those that are counted", ("cer", "mer"))
def _(case: Case) -> None:
    metric = case.make()
    for side in case.refs:
        for hyp, ref in zip(case.hyps, side, strict=True):
            explained = metric.explain(hyp, ref)
            kinds = [edit.kind for edit in explained.edits]
            counted = [kinds.count(kind) for kind in ("substituted", "deleted", "inserted")]
            pair = metric.scorer([[ref]])([hyp], [[ref]])
            assert pair.statistics.tolist() == [[*counted, len(explained.ref_tokens)]]
            assert_equal(row(explained), row(pair.segments[0]), case, "one reference, explained")
            edited = list(explained.ref_tokens)
            for edit in reversed(explained.edits):  # they make the output of the reference
                edited[slice(*edit.ref)] = explained.hyp_tokens[slice(*edit.hyp)]
            assert tuple(edited) == explained.hyp_tokens
    score = metric.corpus_score(case.hyps, case.refs)
    scorer = metric.scorer(case.refs)
    for s, hyp in enumerate(case.hyps):
        explained_segment = scorer.explain(hyp, case.refs_of(s))
        assert_equal(row(explained_segment), row(score.segments[s]), case, f"segment {s + 1}")
    kinds = {"substituted": 0, "deleted": 0, "inserted": 0}
    refs = [[ref or "" for ref in side] for side in case.refs]  # as a corpus has them
    for (ref, hyp), n in scorer.replacements(case.hyps, refs).items():
        kinds["substituted" if ref and hyp else "deleted" if ref else "inserted"] += n
    assert kinds.items() <= score.edits.items()


@law("a limit of length takes its share of what is too long", ("celab",))
def _(case: Case) -> None:
    # It never raises a score, and moves neither precision nor recall nor what is within it.
    limit = round(case.rng.uniform(1, 2.5), 2)
    plain = case.recipe.without("length_limit").make()
    limited = case.recipe.having(length_limit=limit).make()
    expected, found = (
        metric.corpus_score(case.hyps, case.refs).segments for metric in (plain, limited)
    )
    for s, (before, after) in enumerate(zip(expected, found, strict=True)):
        for reference, other in zip(before.references, after.references, strict=True):
            explained = limited.explain(case.hyps[s], case.refs[reference.index][s])
            lengths = len(explained.hyp_tokens), len(explained.ref_tokens)
            factor = program_oracle.length_factor(limit, *lengths)
            assert_equal(explained.length_factor, float(factor), case, "factor of the length")
            assert_equal(row(other)[1:], row(reference)[1:], case, "precision and recall")
            assert_equal(other.score, reference.score * float(factor), case, "limited score")
            assert other.score <= reference.score


@law("unmatched words as synonyms", ("celab",), cost=2.0)
def _(case: Case) -> object:
    # The score that two words would give as synonyms is that with a lexicon that has them.
    metric = case.make()
    scorer = metric.scorer(case.refs)
    explained = scorer.explain(case.hyps[0], case.refs_of(0), unmatched=True)
    against = case.rng.randrange(len(explained.index))
    explanation, ref = explained.against[against], case.refs_of(0)[explained.index[against]]
    words = [word for word in explanation.unmatched if word.score is not None]
    words = [word for word in words if "#" not in (word.word + word.nearest_word)]
    if not words:
        return SILENT
    word = case.rng.choice(words)
    extended = with_line(case.recipe, metric, f"{word.word}\t{word.nearest_word}\n")
    if extended is None:
        return SILENT
    found = extended.make().scorer(case.refs).explain(case.hyps[0], [ref])
    assert_equal(word.score, found.score, case, f"{word.word} and {word.nearest_word}")
    return None


@law("gains of suggestions", ("celab",), cost=4.0)
def _(case: Case) -> object:
    # The gain of a pair is the rise of the systems' scores with a lexicon that has it.
    metric = case.make()
    if metric.options.tokenize == "letter":
        return SILENT
    systems = {f"system {k}": list(hyps) for k, hyps in enumerate(case.systems)}
    segments = [Segment("", str(s)) for s in range(case.n_segments)]
    refs = [list(side) for side in case.refs]
    names = [f"ref {r}" for r in range(len(refs))]
    corpus = Corpus(segments=segments, systems=systems, refs=refs, ref_names=names)
    suggestions = suggest(metric, corpus, min_segments=1)
    if not suggestions.pairs:
        return SILENT
    pair = case.rng.choice(suggestions.pairs)
    extended = with_line(case.recipe, metric, f"{pair.ref}\t{pair.hyp}\n")
    if extended is None:
        return SILENT
    means = [
        exact_mean([score.score for score in made.corpus_scores(systems, refs).values()])
        for made in (extended.make(), metric)
    ]
    what = f"gain of {pair.ref} and {pair.hyp}"
    assert_equal(pair.gain, means[0] - means[1], case, what, exact=False)
    return None


def with_line(recipe: Recipe, metric: Any, line: str) -> Recipe | None:
    """The recipe with one more group in its lexicon, in each grade; None if a grade takes none."""
    grades = recipe.arguments.get("grades")
    if isinstance(grades, dict) and any(isinstance(key, File) for key in grades):
        if any(not isinstance(key, File) or key.suffix != ".tsv" for key in grades):
            return None
        return recipe.having(grades={key.with_lines(line): c for key, c in grades.items()})
    lexicon = recipe.arguments.get("lexicon", "default")
    if lexicon == "default":
        lexicon = metric.arguments()["lexicon"]
    files = [] if lexicon is None else lexicon if isinstance(lexicon, list) else [lexicon]
    return recipe.having(lexicon=[*files, File(line, ".tsv")])


@law("on Dask", cost=6.0)
def _(case: Case) -> None:
    import pandas

    from celab import distributed

    rng, metric = case.rng, case.make()
    names = [f"ref {r}" for r in range(len(case.refs))]
    columns = dict(zip(["hyp", *names], [case.hyps, *case.refs], strict=True))
    settings = {
        "metric": metric,
        "hypothesis": "hyp",
        "references": names,
        "partition_size": rng.randint(1, case.n_segments),
    }
    whole = case.make().corpus_score(case.hyps, case.refs)
    lines = [text for side in columns.values() for text in side]
    if rng.random() < 0.5 and not any(text and re.search("[\r\n]", text) for text in lines):
        data: Any = {
            name: str(File("".join(f"{text or ''}\n" for text in side), ".col").path)
            for name, side in columns.items()
        }
        settings["limits"] = limits(rng)
    else:
        data = pandas.DataFrame({name: list(side) for name, side in columns.items()}, dtype=object)
    if rng.random() < 0.5:
        found = distributed.total(data, **settings)
        assert_same_score(found, whole, case, "total")
    else:
        frame = distributed.score(data, **settings).compute(scheduler="synchronous")
        figures = frame[list(distributed.FIGURES)].to_numpy(np.float64)
        expected = [row(segment) for segment in whole.segments]
        assert_equal(figures, expected, case, "data frame")


# Numbers of things that are computed together. Each can be anything without moving a score.
SIZES = (
    "celab.metrics.celab_scorer._MAX_BATCH_PAIRS",
    "celab.metrics.celab_scorer._MIN_BATCH_PAIRS",
    "celab.metrics.celab_scorer._MAX_BATCH_CHARACTERS",
    "celab.metrics.celab_scorer._MAX_SYSTEMS_BATCH_PAIRS",
    "celab.metrics.celab_scorer._MAX_MATRIX_BATCH_PAIRS",
    "celab.metrics.character_metrics._BATCH",
    "celab.metrics.sacrebleu_counts._MAX_BATCH_CHARACTERS",
    "celab.metrics.sacrebleu_counts._MAX_BATCH_TEXTS",
    "celab.metrics.base._MAX_MATRIX_BATCH_PAIRS",
    "celab.metrics.bag_scorer._BATCH",
    "celab.metrics.tesla_s._MAX_BATCH_UNITS",
    "celab.exact.engine._MAX_CACHED_CHARACTERS",
    "celab.words.analyzers.SENTENCES_PER_TASK",
)


@contextmanager
def batches(size: int) -> Iterator[None]:
    """Batches of at most so many segments, pairs or characters, and no larger cache."""
    with ExitStack() as stack:
        for name in SIZES:
            stack.enter_context(mock.patch(name, size))
        yield


@law("in threads", cost=1.5)
def _(case: Case) -> None:
    whole = case.make().corpus_score(case.hyps, case.refs)
    metric = case.make()
    for jobs, size in product((2, 3), (1, 2)):
        with batches(size):
            found = metric.with_run(jobs=jobs).corpus_score(case.hyps, case.refs)
            assert_same_score(found, whole, case, f"{jobs} threads")
            matrix = metric.with_run(jobs=jobs).pairwise(case.hyps, case.refs[0])
    assert_equal(matrix, metric.with_run(jobs=1).pairwise(case.hyps, case.refs[0]), case, "pairs")


@law("in batches of another size")
def _(case: Case) -> None:
    metric, systems = case.make().with_run(solver="auto"), list(case.systems)
    expected = metric.corpus_scores(systems, case.refs)
    matrix = metric.pairwise(case.hyps, case.refs[0])
    for size in case.rng.sample([1, 2, 3, 7], 2):
        with batches(size):
            fresh = case.make().with_run(solver="auto")
            for found, other in zip(fresh.corpus_scores(systems, case.refs), expected, strict=True):
                assert_same_score(found, other, case, f"batches of {size}")
            alone = fresh.corpus_score(case.hyps, case.refs)
            assert_same_score(alone, expected[0], case, f"alone in batches of {size}")
            assert_equal(fresh.pairwise(case.hyps, case.refs[0]), matrix, case, "pairs")


@law("among many segments", cost=3.0, longest=6)
def _(case: Case) -> None:
    metric = case.make().with_run(solver="auto")
    whole = metric.corpus_score(case.hyps, case.refs)
    n_times = case.rng.choice([7, 20, 300 // case.n_segments])
    found = metric.corpus_score(case.hyps * n_times, [side * n_times for side in case.refs])
    if case.recipe.is_independent:
        for s in range(0, len(found.segments), max(1, len(found.segments) // 12)):
            expected = whole.segments[s % case.n_segments]
            assert_same_segment(found.segments[s], expected, case, f"segment {s + 1} of many")
        if metric.signature.name != "bleu":  # its smoothing depends on the counts of the corpus
            assert_equal(row(found), row(whole), case, f"system, {n_times} times", exact=False)
    found_again = metric.corpus_score(
        (case.hyps * n_times)[::-1], [(side * n_times)[::-1] for side in case.refs]
    )
    assert_equal(row(found_again), row(found), case, "system, backwards")


@law("after pickling")
def _(case: Case) -> None:
    metric = case.make()
    before = pickle.loads(pickle.dumps(metric))
    expected = metric.corpus_score(case.hyps, case.refs)
    after = pickle.loads(pickle.dumps(metric))
    assert before == after == metric and hash(before) == hash(metric)
    assert before.run == metric.run
    for copy in (before, after):
        assert_same_score(copy.corpus_score(case.hyps, case.refs), expected, case, "copy")
    kept = pickle.loads(pickle.dumps(expected))
    assert_same_score(kept, expected, case, "score")


@law("as a variant of itself")
def _(case: Case) -> None:
    metric = case.make()
    expected = metric.corpus_score(case.hyps, case.refs)
    assert replace(metric) == metric and replace(metric).run == metric.run
    variant = replace(replace(metric, jobs=2), jobs=metric.jobs)
    assert variant == metric and variant.run == metric.run
    assert_same_score(variant.corpus_score(case.hyps, case.refs), expected, case, "variant")
    # Each argument put back is the argument given.
    for name, value in case.recipe.arguments.items():
        if name in metric.__dataclass_fields__ and isinstance(value, str | int | float | None):
            assert replace(metric, **{name: value}) == metric, name


@law("a second time")
def _(case: Case) -> None:
    metric = case.make()
    expected = case.make().corpus_score(case.hyps, case.refs)
    for time in ("first", "second", "third"):
        found = metric.corpus_score(case.hyps, case.refs)
        assert_same_score(found, expected, case, f"{time} time")


@law("after something else")
def _(case: Case) -> None:
    rng, metric = case.rng, case.make()
    texts = case.pool()
    n = rng.randint(1, 4)
    hyps = rng.choices(texts, k=n)
    refs = [[case.anchor] * n, rng.choices(texts, k=n)]
    for _ in range(rng.randint(1, 3)):
        way = rng.choice(["corpus", "systems", "pairwise", "explain", "scorer", "check"])
        if way == "corpus":
            metric.corpus_score(hyps, refs)
        elif way == "systems":
            metric.corpus_scores([hyps, *case.systems], refs) if n == case.n_segments else None
        elif way == "pairwise":
            metric.pairwise(hyps, refs[0])
        elif way == "explain" and metric.explained_by:
            metric.explain(hyps[0], case.anchor)
        elif way == "scorer":
            metric.scorer(refs)(hyps, refs)
        else:
            metric.with_run(solver="check").corpus_score(hyps[:2], [side[:2] for side in refs])
    found = metric.corpus_score(case.hyps, case.refs)
    expected = case.make().corpus_score(case.hyps, case.refs)
    assert_same_score(found, expected, case, "after something else")


@contextmanager
def cache_in(folder: str) -> Iterator[None]:
    """Another cache folder; none can be made below the null device."""
    with mock.patch.dict(os.environ, CELAB_LEXICONS=folder):
        yield


@law("with a cache that others have filled", ("celab", "tesla-m"), varied=True, cost=4.0)
def _(case: Case) -> None:
    # Each variant uses what those before it have left in the cache, or ought not to.
    with tempfile.TemporaryDirectory(prefix="celab-cache-") as folder:
        for recipe in (case.recipe, *case.variants, case.recipe):
            with cache_in(os.path.join(os.devnull, "none")):
                expected = recipe.make().corpus_score(case.hyps, case.refs)
            with cache_in(folder):
                found = recipe.make().corpus_score(case.hyps, case.refs)
            assert_same_score(found, expected, case, f"{recipe}")


@law("with the options that its signature says", varied=True, cost=4.0)
def _(case: Case) -> None:
    """Two settings that give different scores of the same texts have different signatures."""
    scores: dict[str, tuple[Recipe, Score]] = {}
    for recipe in (case.recipe, *case.variants):
        score = recipe.make().corpus_score(case.hyps, case.refs)
        other, expected = scores.setdefault(score.signature, (recipe, score))
        assert_same_score(score, expected, case, f"{recipe} and {other}")


# Other spellings of some words, which are the same word by some options only.
SPELLINGS = {
    "雨傘": "雨伞",
    "軟體": "软件",
    "裏": "里",
    "Ａ": "A",
    "ｶﾞ": "ガ",
    "ก\u0e4dา": "กำ",
    "Übung": "Uebung",
    "Groesse": "größe",
}


@law("terms with the options that their signature says", ("celab",), varied=True, cost=4.0)
def _(case: Case) -> object:
    """Two settings that give different accuracies of the same texts have different signatures."""
    systems = {str(number): list(hyps) for number, hyps in enumerate(case.systems)}
    refs = _plain(case.refs)
    names = [str(number) for number in range(len(refs))]
    segments = [Segment("", str(number)) for number in range(case.n_segments)]
    seen: dict[str, tuple[Recipe, object]] = {}
    for recipe in (case.recipe, *case.variants):
        metric = recipe.make()
        terms = _terms_of(metric.language or "zh")
        for source in (None, list(case.hyps)):  # which has each word that it is rendered by
            corpus = Corpus(
                segments=segments, systems=systems, refs=refs, ref_names=names, source=source
            )
            with suppress(InputError):  # no term occurs, or two of them become the same
                check = check_terms(terms, corpus, lang=metric.language, metrics=[metric])
                figures = {
                    name: check.statistics(uses).tolist() for name, uses in check.systems.items()
                }
                other, expected = seen.setdefault(check.signature, (recipe, figures))
                assert figures == expected, f"{recipe} and {other}"
    return None if seen else SILENT


def _terms_of(lang: str) -> list[Term]:
    """Words that options read in different ways, each with another spelling as its target."""
    words = dict.fromkeys(unicodedata.normalize("NFC", word) for word in OPTION_WORDS)
    pairs = [(word, SPELLINGS.get(word, word)) for word in words]
    return [
        Term(word, (target,)) for word, target in pairs if not foreign_script(target, lang, word)
    ]


@law("aligned, or aligned by document, as its signature says", ("celab", "chrf"), cost=2.0)
def _(case: Case) -> None:
    """Two ways to cut the same texts that give different scores have different signatures."""
    metric, n = case.make(), case.n_segments
    lines, refs = list(case.hyps), _plain(case.refs)
    splits = [None, *({tuple(i >= place for i in range(n)) for place in range(1, n)})]
    corpora = [corpus_of_lists({"": lines}, refs), corpus_of_lists({"": lines}, refs, align=True)]
    for split in splits[1:]:
        documents = [str(is_second) for is_second in split]
        texts = {
            name: "\n".join(line for line, own in zip(lines, documents, strict=True) if own == name)
            for name in dict.fromkeys(documents)
        }
        aligned = align(texts, refs, documents=documents)
        plain = corpora[0]
        corpora.append(replace(plain, systems={"": aligned.lines}, alignments={"": aligned}))
    scores: dict[str, Score] = {}
    for corpus in corpora:
        score = Campaign(corpus).score(metric, check=False).scores[metric.name][""]
        assert_same_score(score, scores.setdefault(score.signature, score), case, "alignment")


@law("beside other judges", cost=3.0)
def _(case: Case) -> None:
    """Scores, human scores and error spans of others move no score, nor what follows from it."""
    rng, systems = case.rng, {f"S{i}": hyps for i, hyps in enumerate(case.systems)}
    campaign = Campaign.from_lists(systems, case.refs)
    plain = campaign.score(case.make())
    with tempfile.TemporaryDirectory(prefix="celab-judges-") as folder:
        files = [os.path.join(folder, name) for name in ("x.tsv", "human.tsv", "spans.tsv")]
        for path in files[:2]:
            write_scores(path, systems, rng)
        write_spans(files[2], systems, rng)
        for jobs, cache in ((1, folder), (3, folder), (1, os.path.join(os.devnull, "none"))):
            with cache_in(cache):
                metric = case.make().with_run(jobs=jobs)
                judged = campaign.with_scores(dict(zip(("X", "human"), files[:2], strict=True)))
                judged = judged.score(metric)
                with suppress(OptionError):  # of a metric without links
                    judged = judged.with_spans(files[2])
                again = judged.score(metric)
            for found in (judged, again, again.test() if len(systems) > 1 else again.bootstrap()):
                for name, by_system in plain.scores.items():
                    for system, expected in by_system.items():
                        score = found.scores[name][system]
                        assert_same_score(score, expected, case, f"{system}, {jobs} threads")
                        assert score.signature == expected.signature
    if len(systems) > 1:
        tested, beside = plain.test(n_resamples=50), judged.test(n_resamples=50)
        for name, comparison in tested.comparisons.items():
            assert beside.comparisons[name].systems == comparison.systems
            assert_equal(beside.comparisons[name].p_values, comparison.p_values, case, "p")


def write_scores(path: str, systems: dict[str, Sequence[str]], rng: random.Random) -> None:
    """Write random scores, of which some are absent."""
    rows = [
        f"{system}\t{i}\t{rng.choice(('None', rng.random(), -rng.random() * 25))}\n"
        for system, hyps in systems.items()
        for i in range(len(hyps))
    ]
    rows[0] = f"S0\t0\t{rng.random()}\n"  # a file needs one
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(["system\tsegment\tscore\n", *rows])


def write_spans(path: str, systems: dict[str, Sequence[str]], rng: random.Random) -> None:
    """Write random error spans; an output without characters has none."""
    rows = ["system\tsegment\tstart\tend\tseverity\tcategory\n"]
    for system, hyps in systems.items():
        for i, hyp in enumerate(hyps):
            ends = sorted(rng.sample(range(len(hyp) + 1), 2)) if hyp else ("", "")
            kind = rng.choice(("minor\tx", "major\ty"))
            rows.append(f"{system}\t{i}\t{ends[0]}\t{ends[1]}\t{kind}\n")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(rows)


# ---- references ----

BY_REFERENCE = ("celab", "tesla-m", "tesla-s", "tesla-b", "mean", *ROUGE)


def exact_mean(numbers: Sequence[float]) -> float:
    """The mean, rounded once."""
    return float(sum(map(Fraction, numbers)) / len(numbers))


@law("references combine as documented", BY_REFERENCE, independent=True)
def _(case: Case) -> None:
    whole, metric = case.make().corpus_score(case.hyps, case.refs), case.make()
    for s, (hyp, segment) in enumerate(zip(case.hyps, whole.segments, strict=True), 1):
        singles = {
            r: single
            for r, ref in enumerate(case.refs_of(s - 1))
            if (single := alone(metric, hyp, [ref])) is not None
        }
        assert list(singles) == [ref.index for ref in segment.references]
        for ref in segment.references:
            expected = row(singles[ref.index])
            assert_equal(row(ref), expected, case, f"segment {s}, reference {ref.index + 1}")
        rows = [row(single) for single in singles.values()]
        if metric.combine == "max":
            assert_equal(row(segment), max(rows), case, f"segment {s}, best reference")
        else:
            means = [exact_mean(column) for column in zip(*rows, strict=True)]
            assert_equal(row(segment), means, case, f"segment {s}, mean of references")
    columns = zip(*(row(segment) for segment in whole.segments), strict=True)
    assert_equal(row(whole), [exact_mean(column) for column in columns], case, "system")


@law("references given again", independent=True)
def _(case: Case) -> object:
    if any(part.kind == "ter" for part in case.recipe.walk()):
        return SILENT  # TER divides by the mean length of all references
    rng = case.rng
    n_times = rng.choice([2, 3, 5, 7, 100]) if len(case.refs) < 3 else rng.choice([2, 3])
    metric = case.make().with_run(solver="auto")
    whole = metric.corpus_score(case.hyps, case.refs)
    found = metric.corpus_score(case.hyps, case.refs * n_times)
    for s, (one, other) in enumerate(zip(found.segments, whole.segments, strict=True), 1):
        assert_equal(row(one), row(other), case, f"segment {s}, references {n_times} times")
    if metric.combine == "max" or case.kind in SURFACE:
        again = rng.choice(case.refs)
        found = metric.corpus_score(case.hyps, [*case.refs, again])
        assert_equal(found.segments.scores, whole.segments.scores, case, "one reference twice")


# ---- solvers ----

SOLVED = ("celab", "tesla-m", "tesla-s", "tesla-b", "tesla-f", "mean")


@law("all solvers agree", SOLVED, longest=7, cost=2.0)
def _(case: Case) -> None:
    scores = {
        solver: case.make().with_run(solver=solver).corpus_score(case.hyps, case.refs)
        for solver in ("auto", "highs", "check")
    }
    is_exact = {part.kind for part in case.recipe.walk()} <= {"celab", "mean"}
    for solver in ("highs", "check"):
        found, expected = scores[solver].segments, scores["auto"].segments
        assert_equal(found.figures, expected.figures, case, solver, exact=is_exact)
        assert_equal(found.values, expected.values, case, solver, exact=is_exact)
    together = case.make().with_run(solver="check").corpus_scores(list(case.systems), case.refs)
    for found, hyps in zip(together, case.systems, strict=True):
        expected = case.make().with_run(solver="auto").corpus_score(hyps, case.refs)
        assert_equal(
            found.segments.figures, expected.segments.figures, case, "systems", exact=is_exact
        )


@law("in no time, the same number or none", SOLVED)
def _(case: Case) -> None:
    expected = case.make().corpus_score(case.hyps, case.refs).segments.figures
    metric = case.make().with_run(time_limit=1e-9, on_error="skip")
    hurried = metric.corpus_score(case.hyps, case.refs).segments
    proved = hurried.scored
    assert_equal(hurried.figures[proved], expected[proved], case, "proved in no time", exact=False)
    assert np.isnan(hurried.figures[~proved]).all()


# ---- by a slow implementation ----


@law("the oracle agrees", ("celab",), independent=True, longest=4)
def celab_oracle(case: Case) -> object:
    """The paper's programs, solved exactly on all links that the three rules allow."""
    recipe = case.recipe
    if isinstance(recipe.arguments.get("lexicon"), str):  # by name, and too large for the oracle
        return SILENT
    metric = recipe.make()
    plain = recipe.without("grades", "weights", "decay", "cilin_lines").having(lexicon=None).make()
    chain = oracle_chain(recipe, plain)
    order, options = metric.options.max_order, metric.options
    rule = links_oracle.phrase_links
    if options.links == "release-2012":
        rule = links_oracle.release_2012_links
    f = Fraction(options.f)

    def weights(tokens: Sequence[str]) -> list[Fraction]:
        each = [Fraction(1)] * len(tokens)
        if metric.engine.table:
            each = [Fraction(metric.engine.table.weigh(token), 100) for token in tokens]
        decay = Fraction(round(100 * options.decay), 100)
        return program_oracle.ngram_weights(each, order, decay)

    hyp = case.hyps[0]
    ref = next(ref for ref in case.refs_of(0) if ref and not is_blank(ref))
    found = alone(metric, hyp, [ref])
    if found is None or is_blank(hyp):
        return SILENT
    told = plain.explain(hyp, ref)
    sides = told.hyp_tokens, told.ref_tokens
    if max(map(len, sides)) > 5:
        return SILENT
    hyp_weights, ref_weights = map(weights, sides)
    totals = sum(ref_weights), sum(hyp_weights)
    mixed = [Fraction(0), Fraction(0)]
    whole = [([], Fraction(1)), *chain, ([], Fraction(0))]
    for (groups, credit), (_, following) in pairwise(whole):
        if credit == following:
            continue
        links = rule(*sides, groups, order)
        size = len(sides[0]), len(sides[1]), order
        both = (hyp_weights, ref_weights)
        for k, half in enumerate((program_oracle.recall_half, program_oracle.precision_half)):
            mixed[k] += (credit - following) * half(links, *size, weights=both)
    factor = program_oracle.length_factor(options.length_limit, len(sides[0]), len(sides[1]))
    expected = [
        factor * (mixed[0] + f * mixed[1]) / (totals[0] + f * totals[1]),
        mixed[1] / totals[1] if totals[1] else Fraction(0),
        mixed[0] / totals[0],
    ]
    assert_equal(row(found), list(map(float, expected)), case, "oracle", exact=False)


def oracle_chain(recipe: Recipe, plain: Any) -> list[tuple[list[list[str]], Fraction]]:
    """The synonym groups of each grade with its credit, as a metric without lexicon spells them."""

    def spelt(word: str) -> str:
        return "".join("".join(plain.explain(word, word).hyp_tokens).split())

    def groups_of(file: File, lines: str = "") -> list[list[str]]:
        rows: dict[str, list[str]] = {}
        for n, line in enumerate(file.content.splitlines()):
            if file.suffix == ".tsv":
                rows[str(n)] = line.split("\t")
                continue
            code, *words = line.split()
            if lines == "=" and code[-1] != "=":
                continue
            level = re.fullmatch(r"Cilin level (\d)", lines)
            key = code[: (1, 2, 4, 5, 7)[int(level[1]) - 1]] if level else code
            rows.setdefault(key, []).extend(words)
        return [[spelt(word) for word in row] for row in rows.values()]

    grades, lexicon = recipe.arguments.get("grades"), recipe.arguments.get("lexicon")
    if isinstance(grades, dict):
        chain: list[tuple[list[list[str]], Fraction]] = []
        for key, credit in grades.items():
            groups = groups_of(key) if isinstance(key, File) else groups_of(lexicon, key)
            finer = chain[-1][0] if chain else []
            chain.append(([*finer, *groups], Fraction(credit)))
        return chain
    files = [] if lexicon is None else lexicon if isinstance(lexicon, list) else [lexicon]
    lines = recipe.arguments.get("cilin_lines", "all")
    joined = [group for file in files for group in groups_of(file, lines)]
    return [(joined, Fraction(1 if grades is None else grades))]


@law("the mean is that of its parts", ("mean",))
def _(case: Case) -> None:
    found = case.make().corpus_score(case.hyps, case.refs).segments
    parts = [
        part.make().corpus_score(case.hyps, case.refs).segments
        for part in case.recipe.arguments["metrics"]
    ]
    for s, segment in enumerate(found):
        for ref in segment.references:
            figures = [row(part[s].references[_place(part[s], ref.index)]) for part in parts]
            means = [exact_mean(column) for column in zip(*figures, strict=True)]
            assert_equal(row(ref), means, case, f"segment {s + 1}, reference {ref.index + 1}")


def _place(segment: SegmentScore, index: int) -> int:
    return [ref.index for ref in segment.references].index(index)


@law("by words, the oracle agrees", ("tesla-m",), longest=4, cost=3.0)
def tesla_m_law(case: Case) -> object:
    """TESLA-M by the definition of the paper, on the words that `explain` names."""
    metric, options = case.make(), case.make().options
    signature, hyp = str(metric.signature), case.hyps[0]
    ref = next(ref for ref in case.refs_of(0) if ref and not is_blank(ref))
    told = metric.explain(hyp, ref)
    files = _files(case.recipe.arguments.get("lexicon"))
    if is_blank(hyp) or max(len(told.hyp_words), len(told.ref_words)) > 5:
        return SILENT
    if any(isinstance(file, str) for file in files) or (not files and "lex:none" not in signature):
        return SILENT  # the words of other lexicons are not known here
    groups: dict[str, set[int]] = {}
    rows = [
        line.split("\t") if file.suffix == ".tsv" else line.split()[1:]
        for file in files
        for line in _lines(file)
    ]
    # Lemmas have capital letters in German alone, and without analysis not even there.
    is_german = case.recipe.arguments.get("lang") == "de" and "words:surface" not in signature
    lower = str if is_german else str.lower
    for number, words in enumerate(rows):
        for word in words:
            groups.setdefault(lower(word), set()).add(number)
    features = tesla_m_oracle.features(
        told.hyp_words,
        told.ref_words,
        groups,
        Fraction(options.alpha),
        Fraction(repr(float(options.discount))),
        range(1, options.max_order + 1),
        options.similarities.split("+"),
    )
    columns = [[getattr(feature, name) for feature in features] for name in NAMES]
    means = [_average(column, options.average) for column in columns]
    found = metric.sentence_score(hyp, [ref])
    assert_equal(row(found), means, case, "oracle", exact=False)


NAMES = ("f", "precision", "recall")


def _average(values: Sequence[Fraction], average: str = "arithmetic") -> float:
    # The mean of features; 1 if there are none.
    if not values:
        return 1.0
    if average == "arithmetic":
        return float(sum(values) / len(values))
    return math.exp(math.fsum(map(math.log, values)) / len(values)) if all(values) else 0.0


def _files(lexicon: Any) -> list[File]:
    return [] if lexicon is None else lexicon if isinstance(lexicon, list) else [lexicon]


def _lines(file: File) -> list[str]:
    # Lines of a Cilin file with the same code are one group.
    if file.suffix == ".tsv":
        return file.content.splitlines()
    rows: dict[str, str] = {}
    for line in file.content.splitlines():
        code, _, words = line.partition(" ")
        rows[code] = f"{rows.get(code, code)} {words}"
    return list(rows.values())


@law("by skip bigrams, the oracle agrees", ("tesla-s",))
def tesla_s_law(case: Case) -> None:
    """TESLA-S by the definition of the paper, on the words that `explain` names."""
    metric, options = case.make(), case.make().options
    for hyp, ref in zip(case.hyps, case.refs[0], strict=True):
        if not ref or is_blank(ref) or is_blank(hyp):
            continue
        told = metric.explain(hyp, ref)
        sides = [
            [[(word.form, word.function) for word in words]]
            for words in (told.hyp_words, told.ref_words)
        ]
        expected = tesla_s_oracle.score(
            *sides,
            options.skip,
            Fraction(repr(float(options.discount))),
            Fraction(options.alpha),
        )
        found = metric.sentence_score(hyp, [ref])
        assert_equal(row(found), list(map(float, expected)), case, "oracle", exact=False)


@law("by pivot phrases, the oracle agrees", ("tesla-b",), longest=4)
def tesla_b_law(case: Case) -> object:
    """TESLA-B from TESLA-M and from all sentences of the networks of pivot words."""
    metric, options = case.make(), case.make().options
    if options.average != "arithmetic" or any(table.has_tags for table in metric.pivots):
        return SILENT
    hyp = case.hyps[0]
    ref = next(ref for ref in case.refs_of(0) if ref and not is_blank(ref))
    sides = [metric.analyzer.analyzer.forms(text) for text in (hyp, ref)]
    if is_blank(hyp) or max(map(len, sides)) > 6:
        return SILENT
    discount, alpha = Fraction(repr(float(options.discount))), Fraction(options.alpha)
    features: list[tuple[Fraction, Fraction, Fraction]] = []
    for table in metric.pivots:
        texts = (hyp, ref) if table.about.unit == "char" else map(" ".join, sides)
        x, y = (_pivot_bag(table, text, options.max_order, discount) for text in texts)
        for order in range(1, options.max_order + 1):
            a, b = ({gram: n for gram, n in bag.items() if len(gram) == order} for bag in (x, y))
            if a or b:
                matched = tesla_s_oracle.by_lesser(a, b)
                weights = sum(a.values()), sum(b.values())
                p, r, f = tesla_s_oracle.f_measure(matched, *weights, alpha)
                features.append((f, p, r))
    by_pivots = [_average(column) for column in zip(*features, strict=True)] or [1.0] * 3
    words = Recipe("tesla-m", case.recipe.without("pivots").arguments).make()
    by_words = row(words.sentence_score(hyp, [ref]))
    expected = [(a + b) / 2 for a, b in zip(by_words, by_pivots, strict=True)]
    found = row(metric.sentence_score(hyp, [ref]))
    TRIED["comparisons"] += 3
    # Probabilities are in units of 1e-9, and their products are rounded down.
    assert np.allclose(found, expected, rtol=0.0, atol=1e-7), f"{found} instead of {expected}"
    return None


def _pivot_bag(
    table: Any, text: str, max_order: int, discount: Fraction
) -> Counter[tuple[str, ...]]:
    # The n-grams of pivot words over all sentences of the network, with their weights.
    network = []
    for phrase in table.segment(text):
        translations = [(t.phrase, Fraction(t.probability)) for t in table.lookup(phrase)]
        network.append([(words.lower().split(), p) for words, p in translations or [(phrase, 1)]])
    bag: Counter[tuple[str, ...]] = Counter()
    for gram, mass in pivot_oracle.network_grams(network, max_order).items():
        n_function_words = sum(not any(map(str.isalnum, word)) for word in gram)
        bag[gram] += mass * discount**n_function_words
    return bag


@law("sacreBLEU agrees", OF_SACREBLEU)
def baseline_law(case: Case) -> None:
    """sacreBLEU's own functions on a sentence and on a corpus."""
    metric = case.make()
    found = metric.corpus_score(case.hyps, case.refs)
    refs = [[None if ref is None or is_blank(ref) else ref for ref in side] for side in case.refs]
    theirs = metric.sacrebleu(None)
    corpus = theirs.corpus_score(list(case.hyps), refs).score
    assert_equal(found.score, corpus, case, "corpus", exact=False)
    if case.kind == "bleu":
        theirs.effective_order = True
    for s, (hyp, segment) in enumerate(zip(case.hyps, found.segments, strict=True), 1):
        kept = [side[s - 1] for side in refs if side[s - 1] is not None]
        expected = theirs.sentence_score(hyp, kept).score
        assert_equal(segment.score, expected, case, f"segment {s}", exact=False)


@law("the score is the weighted sum of features", ("tesla-f",), independent=True)
def tesla_f_law(case: Case) -> None:
    """TESLA-F from the public figures of its metrics."""
    metric = case.make()
    found = metric.corpus_score(case.hyps, case.refs).segments.scores
    columns: list[list[float]] = []
    for source in metric.features.sources:
        inner, scorer = source.metric, source.metric.scorer(case.refs)
        if hasattr(scorer, "features"):
            figures = scorer.features(list(case.hyps), [list(side) for side in _plain(case.refs)])
            columns += figures.figures[:, 1:].T.tolist()
        elif source.figures == ("precision", "recall"):
            segments = [inner.sentence_score(h, case.refs_of(s)) for s, h in enumerate(case.hyps)]
            columns += [[one.precision for one in segments], [one.recall for one in segments]]
        else:
            segments = [inner.sentence_score(h, case.refs_of(s)) for s, h in enumerate(case.hyps)]
            shares = [min(1.0, max(0.0, one.score / 100)) for one in segments]
            columns.append([s if inner.higher_is_better else 1 - s for s in shares])
    columns += [model.scores(case.hyps).tolist() for model in metric.features.models]
    low, high = metric.bounds
    expected = [
        min(1.0, max(0.0, (math.fsum(map(math.prod, pairs)) - low) / (high - low)))
        for pairs in (
            list(zip(metric.weights.tolist(), values, strict=True))
            for values in zip(*columns, strict=True)
        )
    ]
    assert_equal(found, expected, case, "weighted sum", exact=False)


def _plain(refs: Sequence[Sequence[str | None]]) -> list[list[str]]:
    return [["" if ref is None else ref for ref in side] for side in refs]


# ---- what a score means ----


@law(
    "equal text scores 1",
    # A limit of length takes its share of repetitions, and a text of one token has no bigram.
    [name for name in METRICS if name not in ("celab-recommended", "tesla-f", "rouge2")],
)
def _(case: Case) -> None:
    metric = case.make()
    texts = [text for text in case.pool() if not is_blank(text)]
    best = scale_of(case)
    if case.kind in LOWER_IS_BETTER:
        best = 0.0
    if case.recipe.arguments.get("eps_smoothing"):  # an order without n-grams counts nothing
        return SILENT
    for text in texts[:4]:
        segment = alone(metric, text, [text])
        if segment is None:
            continue
        TRIED["comparisons"] += 1
        if case.kind in SURFACE:
            assert abs(segment.score - best) <= CLOSE * 100, f"{text!r} scores {segment.score!r}"
        else:
            assert row(segment) == [1.0, 1.0, 1.0], f"{text!r} scores {row(segment)}"


@law("scores are from 0 to 1", ALL)
def _(case: Case) -> None:
    score = case.make().corpus_score(case.hyps, case.refs)
    assert not score.n_skipped
    most = math.inf if case.kind in LOWER_IS_BETTER else scale_of(case)
    TRIED["comparisons"] += score.segments.figures.size
    assert (score.segments.figures >= 0).all()
    assert (score.segments.figures <= most + CLOSE * 100).all()
    if case.kind in EXACT and case.kind not in LOWER_IS_BETTER:
        assert (score.segments.figures <= most).all()


@law("significance of few and of many segments", cost=2)
def _(case: Case) -> object:
    if len(case.systems) < 2:
        return SILENT
    scores = case.make().corpus_scores(case.systems, case.refs)
    first, second = (score.statistics.reshape(case.n_segments, -1) for score in scores[:2])

    def aggregate(sums: list[float], n_segments: int) -> float:
        return float(scores[0].aggregate(np.array(sums), n_segments))

    pair = np.stack((first, second))[:, :8]  # of an enumeration that takes no time
    few = significance.paired_test(pair, scores[0].aggregate, n_resamples=40)
    exact = statistics_oracle.exact_p(*pair.tolist(), aggregate)
    assert (few.test, few.p_values[0, 1]) == ("exact", exact)
    equal = np.repeat(pair[:1], 2, axis=0)  # segments whose exchange changes nothing
    padded = np.concatenate((pair, *[equal] * significance.MIN_SEGMENTS), axis=1)
    found = significance.paired_test(padded, scores[0].aggregate, n_resamples=40)
    unmoved = [0] * (padded.shape[1] - pair.shape[1])
    trials = [[*trial, *unmoved] for trial in product((0, 1), repeat=pair.shape[1])]
    n_beyond = statistics_oracle.n_beyond(*padded.tolist(), trials, aggregate)
    assert (found.tests[0, 1], found.p_values[0, 1]) == ("exact", n_beyond / len(trials))
    many = np.tile(np.stack((first, second)), (1, 20, 1))
    found = significance.paired_test(many, scores[0].aggregate, n_resamples=40)
    expected = {
        "exact": lambda: significance.exact_randomization(many, scores[0].aggregate),
        "randomization": lambda: significance.paired_randomization(many, scores[0].aggregate, 40),
        "bootstrap": lambda: significance.paired_bootstrap(
            resampling.scores_of(many, scores[0].aggregate, 40)
        ),
    }
    assert np.array_equal(found.p_values, expected[found.tests[0, 1]]())
    TRIED["comparisons"] += 3
    return None


@law("a document for each segment is resampled as segments are", cost=2)
def _(case: Case) -> object:
    if case.n_segments < 2:
        return SILENT
    scores = case.make().corpus_scores(case.systems, case.refs)
    names = [f"d{number}" for number in range(case.n_segments)]
    for score in scores:
        with listening():  # to what is said of few documents
            found = score.interval(50, documents=names)
        assert_equal(found or (), score.interval(50) or (), case, "interval")
    statistics = np.stack([score.statistics for score in scores])
    aggregate = scores[0].aggregate
    usual = significance.paired_test(statistics, aggregate, n_resamples=50)
    single = significance.paired_test(
        statistics, aggregate, n_resamples=50, documents=np.arange(case.n_segments)
    )
    assert np.array_equal(single.p_values, usual.p_values)
    assert np.array_equal(single.tests, usual.tests)
    # Copies of all segments in their documents: what a document has twice has the same mean.
    twice = np.concatenate((statistics, statistics), axis=1)
    doubled = significance.paired_test(
        twice, aggregate, n_resamples=50, documents=np.tile(np.arange(case.n_segments), 2)
    )
    assert np.array_equal(doubled.n_different, usual.n_different)
    TRIED["comparisons"] += 3 + len(scores)
    return None


@law("sacreBLEU's paired tests agree", cost=2)
def _(case: Case) -> object:
    """Its bootstrap and its randomization, by celab's statistics and the same draws."""
    if len(case.systems) < 2:
        return SILENT
    metric, n_trials, repeat = case.make(), 100, 3
    systems = [(name, [*case.systems[i]] * repeat) for i, name in enumerate("AB")]
    refs = [[*side] * repeat for side in case.refs]
    scores = [metric.corpus_score(hyps, refs) for _, hyps in systems]
    if any(score.n_skipped for score in scores):
        return SILENT
    aggregate, n_segments = scores[0].aggregate, len(refs[0])
    statistics = np.stack([score.statistics for score in scores])
    p_values = {}
    with mock.patch.dict(os.environ, SACREBLEU_SEED=str(resampling.SEED)):
        for test in ("bs", "ar"):
            results = SacrebleuTest(
                systems, {"": SacrebleuTeslaCelab(metric)}, refs, test, n_trials
            )()
            _, (first, second) = results[1].values()
            assert_equal([first.score, second.score], [x.score for x in scores], case, test)
            p_values[test] = second.p_value
    resampled = resampling.scores_of(statistics, aggregate, n_trials, resampling.SEED)
    drawn = np.abs(np.subtract(*resampled.scores.T))
    rng = np.random.default_rng(resampling.SEED)
    keeps = rng.integers(2, size=(n_trials, n_segments), dtype=bool)
    a, b = (keeps @ side + ~keeps @ other for side, other in (statistics, statistics[::-1]))
    exchanged = np.abs(aggregate(a, n_segments) - aggregate(b, n_segments))
    slack = 1e-5 * scale_of(case)  # sacreBLEU resamples numbers of 24 bits
    for test, trials in (("bs", drawn - drawn.mean()), ("ar", exchanged)):
        beyond = trials - abs(scores[0].score - scores[1].score)
        least, most = (((beyond > side).sum() + 1) / (n_trials + 1) for side in (slack, -slack))
        TRIED["comparisons"] += 1
        assert least <= p_values[test] <= most, f"{test}: {p_values[test]}, not {least} to {most}"
    return None


@law(
    "precision one way is recall the other",
    ("celab", "tesla-m", "tesla-s", *ROUGE),
    independent=True,
)
def _(case: Case) -> None:
    metric = case.make()
    texts = [text for text in case.pool() if not is_blank(text)]
    for hyp, ref in zip(texts, texts[1:] + texts[:1], strict=True):
        forth, back = alone(metric, hyp, [ref]), alone(metric, ref, [hyp])
        if forth is None or back is None:
            continue
        found, expected = (forth.precision, forth.recall), (back.recall, back.precision)
        assert_equal(found, expected, case, f"{hyp!r} and {ref!r}", exact=case.kind == "celab")


@law("more synonyms never lower a score", ("celab",), independent=True)
def _(case: Case) -> object:
    rng, recipe = case.rng, case.recipe
    letters = sorted({letter for text in case.pool() for letter in text if letter.strip()}) or ["a"]
    words = ["".join(rng.choices(letters, k=rng.choice([1, 1, 2]))) for _ in range(3)]
    more = tsv([[*words, "庚辛"]])
    grades, lexicon = recipe.arguments.get("grades"), recipe.arguments.get("lexicon")
    if isinstance(grades, dict) and all(isinstance(key, File) for key in grades):
        wider = {file.with_lines(more.content): credit for file, credit in grades.items()}
        larger = recipe.having(grades=wider)
    elif "lexicon" in recipe.arguments and isinstance(lexicon, File | list | None):
        larger = recipe.having(lexicon=[*_files(lexicon), more])
    else:
        return SILENT  # a lexicon by name
    smaller, exact = recipe.make(), grades is None
    before = smaller.corpus_score(case.hyps, case.refs).segments.figures
    after = larger.make().corpus_score(case.hyps, case.refs).segments.figures
    TRIED["comparisons"] += before.size
    assert (after >= before - (0.0 if exact else CLOSE)).all(), f"{after} after {before}"
