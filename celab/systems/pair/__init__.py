"""Comparison of two systems by each metric: the difference, its test, and where it comes from.

All figures are of the segments with a proved score of both systems; other segments are counted.
For each metric:

- difference: A's score minus B's, in the metric's units, with a 95% interval: the 25th smallest and
  the 25th greatest difference of 1,000 paired bootstrap resamples of the segments;
- p, two-sided. With `test="bootstrap"` it comes from the same resamples, and p < 0.05 if and only
  if the interval does not hold 0. With `test="randomization"`, or where fewer than 100 segments
  differ, it comes from approximate randomization, and may disagree with the interval; `remark` then
  says so. Where fewer than 20 segments differ, p is exact (`test` is then "exact"): the share of
  all exchanges of the two systems' outputs that give at least the observed difference. With fewer
  than 20 segments in all no difference is called significant, which `remark` says;
- wins, ties and losses: segments on which A scores higher than B, equal to within `TIE_TOLERANCE`,
  or lower (the other way round for error rates);
- the segments with the greatest differences in favor of A, and of B;
- examples: such segments, but without those whose reference is shorter than `EXAMPLE_LENGTH`,
  unless all are, and without near-duplicates: of two segments whose references share half of their
  character bigrams (Jaccard index), the one with the smaller difference is left out;
- outputs: the difference and p by the first metric without the segments in which an output of
  either system may not be a translation (`celab.findings.translations`), if there are any;
- both scores by length of the reference, by document and by domain. Length is the number of
  characters without white space, the mean over the references that a segment has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from celab.base.arrays import I64
from celab.base.errors import TIME_LIMIT_HINT, InputError, OptionError, SolverError
from celab.base.signature import Signature
from celab.base.text.sequences import check_labels, index_of, items_of
from celab.corpus import Corpus
from celab.findings.finding import Findings
from celab.findings.translations.outputs import Outputs
from celab.findings.translations.screening import Lengths
from celab.metrics.judge_score import check_comparable, is_testable
from celab.metrics.scores import Score
from celab.people.disagreement import disagreements, judge_pairs
from celab.people.error_spans import SpanReport
from celab.statistics import resampling
from celab.statistics.difference import Difference
from celab.statistics.documents import SIGNATURE_KEY, ResampleBy, units_to_draw
from celab.statistics.significance import TIE_TOLERANCE, Test, check_test, paired_test
from celab.systems.pair.results import (
    Bucket,
    MetricComparison,
    PairComparison,
    SegmentDifference,
    WithoutOutputs,
)
from celab.systems.segment_order import are_telling

__all__ = [
    "PairComparison",
    "WithoutOutputs",
    "compare_pair",
    "length_buckets",
    "length_label",
    "without_outputs",
]

LENGTHS = (10, 20, 40, 80, 160)  # maximum length of references in each bucket but the last
# Examples in which A scores higher, and as many in which B does: three metrics fit 40 lines.
MAX_EXAMPLES = 3
EXAMPLE_LENGTH = 10  # characters of the reference of the shortest example
NEAR_DUPLICATE = 0.5  # Jaccard index of the character bigrams of two references


def compare_pair(
    scores: Mapping[str, tuple[Score, Score]],
    corpus: Corpus,
    names: tuple[str, str],
    *,
    documents: Sequence[str] | None = None,
    test: Test = "bootstrap",
    n_resamples: int = resampling.N_RESAMPLES,
    seed: int = resampling.SEED,
    resample_by: ResampleBy = "segment",
    most_different: int = MAX_EXAMPLES,
    outputs: Outputs | None = None,
    spans: SpanReport | None = None,
    findings: Findings | None = None,
) -> PairComparison:
    """Compare two systems, from their scores by each metric; the corpus has the texts.

    `findings` are the findings about both systems, of any producers.
    """
    check_test(test)
    if not isinstance(most_different, int) or most_different < 0:
        raise OptionError("most_different", most_different, "it must be 0 or more")
    if isinstance(documents, str):
        raise OptionError("documents", documents, "it must be a list with a name for each segment")
    n = len(corpus.segments)
    if documents is None:
        documents = [segment.document for segment in corpus.segments]
    index, documents = index_of(documents), items_of(documents, "documents")
    if len(documents) != n:
        raise InputError(
            f"there are {len(documents)} documents and {n} segments; give one for each segment"
        )
    if index is not None and corpus.index is not None:
        check_labels("documents", index, "the texts", corpus.index)
    drawn = units_to_draw(resample_by, [str(name or "") for name in documents])
    differences = {}
    for metric, (a, b) in scores.items():
        check_comparable(dict(zip(names, (a, b), strict=True)))
        if len(a.segments) != n:
            raise InputError(
                f"the scores by {metric} have {len(a.segments)} segments, the texts {n}; they must"
                " be of the same test set"
            )
        if not is_testable(dict(zip(names, (a, b), strict=True))):
            differences[metric] = _without_test(a, b, n_resamples, seed)
            continue
        both = np.flatnonzero(a.segments.scored & b.segments.scored)
        if not len(both):
            raise SolverError(
                f"no segment has a proved score by {metric} for both systems, so they cannot be"
                " compared",
                hint=TIME_LIMIT_HINT,
            )
        differences[metric] = _compare_by_metric(
            a=a,
            b=b,
            both=both,
            corpus=corpus,
            names=names,
            documents=list(map(str, documents)),
            test=test,
            n_resamples=n_resamples,
            seed=seed,
            drawn=drawn,
            most=most_different,
        )
    metric, pair = next(iter(scores.items()))
    without = (
        None
        if outputs is None or not is_testable(dict(zip(names, pair, strict=True)))
        else (
            without_outputs(
                metric=metric,
                scores=pair,
                names=names,
                outputs=outputs,
                n_resamples=n_resamples,
                drawn=drawn,
                test=test,
                seed=seed,
            )
        )
    )
    by_judge = {judge: dict(zip(names, pair, strict=True)) for judge, pair in scores.items()}
    telling = are_telling(corpus.refs) if corpus.refs else None
    disagreed = {
        second: disagreements(by_judge[first], by_judge[second], corpus.segments, telling=telling)
        for first, second in judge_pairs(by_judge)
    }
    of_pair = None if spans is None else spans.of_systems(names)
    copies = () if outputs is None else outputs.references
    return PairComparison(
        names=names,
        n_segments=n,
        metrics=differences,
        outputs=without,
        disagreements=disagreed,
        spans=of_pair,
        references=copies,
        segment_names=corpus.names,
        index=corpus.index,
        findings=None if findings is None else findings.of_one(*names),
    )


def without_outputs(
    metric: str,
    scores: tuple[Score, Score],
    names: tuple[str, str],
    outputs: Outputs,
    n_resamples: int,
    test: Test,
    seed: int,
    drawn: I64 | None = None,
) -> WithoutOutputs | None:
    """Compare two systems where both have a translation; None if that is all segments.

    The segments are left out for both systems.
    """
    kinds = {name: outputs.kinds(name) for name in names}
    if not any(kinds.values()):
        return None
    scored = np.logical_and.reduce([score.segments.scored for score in scores])
    left = outputs.translations(*names)
    left = left[scored[left]]
    if not len(left):
        untested = "no segment is left"
        none = Difference(a=np.nan, b=np.nan, untested=untested, digits=scores[0].digits)
        return WithoutOutputs(metric=metric, kinds=kinds, difference=none)
    tested = _tested(scores, left, test, n_resamples, seed, drawn)
    return WithoutOutputs(metric=metric, kinds=kinds, difference=tested)


def _tested(
    scores: tuple[Score, Score],
    segments: I64,
    test: Test,
    n_resamples: int,
    seed: int,
    drawn: I64 | None,
) -> Difference:
    """Return the tested difference of two scores on some segments.

    `drawn` has the document of each segment, if documents are drawn.
    """
    first = scores[0]
    statistics = np.stack([score.statistics[segments] for score in scores])
    result = paired_test(
        statistics,
        first.aggregate,
        test=test,
        n_resamples=n_resamples,
        seed=seed,
        documents=None if drawn is None else drawn[segments],
    )
    # A score of all segments is what `celab score` prints, to the last bit.
    is_all = len(segments) == len(first.segments)
    a, b = (score.score if is_all else score.of_segments(segments) for score in scores)
    difference = result.difference(higher_is_better=first.higher_is_better, digits=first.digits)
    return replace(difference, a=a, b=b)


def _compare_by_metric(
    a: Score,
    b: Score,
    both: I64,
    corpus: Corpus,
    names: tuple[str, str],
    documents: list[str],
    test: Test,
    n_resamples: int,
    seed: int,
    drawn: I64 | None,
    most: int,
) -> MetricComparison:
    segments = np.stack((a.segments.scores, b.segments.scores), axis=1)
    differences = segments[:, 0] - segments[:, 1]
    a_ahead_by = (differences if a.higher_is_better else -differences)[both]
    order = both[np.argsort(-a_ahead_by, kind="stable")]
    wins, losses = int((a_ahead_by > TIE_TOLERANCE).sum()), int((a_ahead_by < -TIE_TOLERANCE).sum())
    texts, segment_names = [corpus.systems[name] for name in names], corpus.names

    def segment_difference(i: int) -> SegmentDifference:
        refs = tuple(side[i] for side in corpus.refs if side[i].strip())
        score_a, score_b = segments[i].tolist()
        outputs = (texts[0][i], texts[1][i])
        return SegmentDifference(
            segment=segment_names[i],
            document=documents[i],
            a=score_a,
            b=score_b,
            difference=score_a - score_b,
            texts=outputs,
            references=refs,
            place=i,
        )

    def bucket(label: str, members: I64) -> Bucket:
        return Bucket(label, len(members), a.of_segments(members), b.of_segments(members))

    lengths = length_buckets(corpus)[both]

    def buckets(labels: Sequence[str]) -> tuple[Bucket, ...]:
        members: dict[str, list[int]] = {}
        for i in both.tolist():
            members.setdefault(labels[i], []).append(i)
        return tuple(
            bucket(label, np.array(rows)) for label, rows in members.items() if any(labels)
        )

    ranked = (order[:wins].tolist(), order[::-1][:losses].tolist())
    examples = [tuple(map(segment_difference, rows)) for rows in _examples(corpus, ranked, most)]
    return MetricComparison(
        name=a.name,
        signature=_pair_signature(a, drawn),
        difference=_tested((a, b), both, test, n_resamples, seed, drawn),
        wins=wins,
        ties=len(both) - wins - losses,
        losses=losses,
        n_skipped=len(corpus.segments) - len(both),
        a_better=tuple(map(segment_difference, order[: min(most, wins)].tolist())),
        b_better=tuple(map(segment_difference, order[::-1][: min(most, losses)].tolist())),
        by_length=tuple(
            bucket(length_label(k), both[lengths == k]) for k in np.unique(lengths).tolist()
        ),
        by_document=buckets(documents),
        by_domain=buckets([segment.domain for segment in corpus.segments]),
        examples=(examples[0], examples[1]),
        segments=segments,
        unscored=a.unscored,
    )


def _pair_signature(score: Score, drawn: I64 | None) -> Signature:
    """Return the signature of both scores, which says if documents are drawn."""
    signature = score.signature.without("skipped", SIGNATURE_KEY)
    return signature if drawn is None else signature.with_part(SIGNATURE_KEY, "document")


def _without_test(a: Score, b: Score, n_resamples: int, seed: int) -> MetricComparison:
    """Compare two system scores without segment scores: a difference without interval and test."""
    difference = Difference(
        a=a.score,
        b=b.score,
        n_resamples=n_resamples,
        seed=seed,
        higher_is_better=a.higher_is_better,
        untested="it is not computed from segment scores",
        digits=a.digits,
    )
    return MetricComparison(
        name=a.name,
        signature=a.signature,
        difference=difference,
        wins=0,
        ties=0,
        losses=0,
        n_skipped=0,
        a_better=(),
        b_better=(),
        by_length=(),
        by_document=(),
        by_domain=(),
        examples=((), ()),
        segments=np.stack((a.segments.scores, b.segments.scores), axis=1),
        unscored=a.unscored,
    )


def _examples(corpus: Corpus, ranked: Sequence[Sequence[int]], most: int) -> list[list[int]]:
    """Return the first `most` segments of each ranking that are neither short nor near-duplicates.

    A segment that resembles one of the first ranking is left out of the second.
    """
    refs = [
        "".join(next((side[i] for side in corpus.refs if side[i].strip()), "").split())
        for i in range(len(corpus.segments))
    ]
    shortest = EXAMPLE_LENGTH if any(len(ref) >= EXAMPLE_LENGTH for ref in refs) else 0
    chosen: list[list[int]] = []
    seen: list[set[str]] = []
    for ranking in ranked:
        chosen.append([])
        for i in ranking:
            if len(chosen[-1]) == most:
                break
            bigrams = {refs[i][k : k + 2] for k in range(max(1, len(refs[i]) - 1))}
            is_new = all(
                len(bigrams & other) < NEAR_DUPLICATE * len(bigrams | other) for other in seen
            )
            if len(refs[i]) >= shortest and is_new:
                chosen[-1].append(i)
                seen.append(bigrams)
    return chosen


def length_buckets(corpus: Corpus) -> I64:
    """Return the index of each segment's bucket by length; see `length_label`."""
    lengths = Lengths.of_texts({}, corpus.refs, corpus.count_traits)
    return np.asarray(np.searchsorted(LENGTHS, lengths.references))


def length_label(k: int) -> str:
    """Return the range of a bucket, in characters of the reference.

    >>> length_label(1)
    '11-20'
    """
    low = LENGTHS[k - 1] + 1 if k else 1
    return f"{low}-{LENGTHS[k]}" if k < len(LENGTHS) else f"{low}+"
