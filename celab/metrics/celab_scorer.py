"""Scores and explanations of TESLA-CELAB, by the engine of the metric."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from celab.base.arrays import F64, I32, I64, Bools
from celab.base.errors import InputError
from celab.base.options import copy_with
from celab.base.run import Progress, Run, batches
from celab.base.text.scripts import warn_if_japanese
from celab.base.text.tokens import is_blank
from celab.exact.engine import Coverage, Engine, Pairs
from celab.exact.weights import WeightTable
from celab.lexicon.lexicon import Lexicon
from celab.metrics.base import Metric, Scorer
from celab.metrics.options import TeslaCelabOptions
from celab.metrics.scores import Score, Segments

if TYPE_CHECKING:
    # Only explanations load it.
    from celab.metrics.explaining.explanation import Explanation
    from celab.metrics.explaining.links import Unmatched

# Limits of the pairs in one call of the kernels: many pairs share the cost of a call; few pairs let
# threads share the work evenly.
_MAX_BATCH_PAIRS = 1024
_MIN_BATCH_PAIRS = 32
_MAX_BATCH_CHARACTERS = 1 << 18  # the kernels take some 90 bytes for each
# Pairs in one call of the kernel that scores all systems together.
_MAX_SYSTEMS_BATCH_PAIRS = 4096
# An output may be longer than its reference by so many tokens: 好的 for 好 is not an excess.
FREE_TOKENS = 2
_MAX_MATRIX_BATCH_PAIRS = 16384  # pairs in one call, where all are compared with all


class CelabMetric(Metric):
    """Interface of TESLA-CELAB that its scorer uses."""

    @property
    @abstractmethod
    def options(self) -> TeslaCelabOptions:
        """The options in effect."""

    @property
    @abstractmethod
    def engine(self) -> Engine:
        """The engine that tokenizes sentences and covers pairs."""


@dataclass(frozen=True, eq=False, repr=False)
class CelabScorer(Scorer):
    """Scores the outputs of all systems together.

    With `cache_references`, references stay in memory, so that the next system is scored faster.
    `table` has the weights of tokens that were computed from references, or is None.
    """

    metric: CelabMetric
    cache_references: bool
    table: WeightTable | None

    def with_lexicon(self, lexicon: Lexicon) -> CelabScorer:
        """Return a copy with another lexicon and the same signature."""
        engine = self.metric.engine.with_lexicon(lexicon)
        return replace(self, metric=copy_with(self.metric, engine=engine))

    def synonyms(self, sides: Iterable[Sequence[str]]) -> list[set[str]]:
        """Return the words of each group of the lexicon of which the texts have several."""
        engine, lexicon = self.metric.engine, self.metric.engine.lexicon
        if lexicon is None:
            return []
        vocabulary, _ = engine.references([], cache=False)
        spellings: dict[int, set[str]] = {}
        as_known: set[int] = set()
        for side in sides:
            prepared = engine.prepare([*side])
            sentences = engine.hypotheses(prepared, vocabulary)
            for s, (text, respelled) in enumerate(zip(side, prepared, strict=True)):
                words = sentences.words(s)
                if text == respelled:
                    as_known.update([number for _, _, number in words])
                    continue
                for number, spelling in _spelled(words, text, engine.tokens(respelled)):
                    spellings.setdefault(number, set()).add(spelling)
        for number in as_known:
            spellings.setdefault(number, set()).add(lexicon.word(number))
        groups: dict[int, set[str]] = {}
        for number, spelled in spellings.items():
            for group in lexicon.sorted_groups(number):
                groups.setdefault(group, set()).update(spelled)
        return [words for words in groups.values() if len(words) > 1]

    def _score_systems(
        self, systems: Mapping[str, list[str]], refs: list[list[str]], progress: Progress | None
    ) -> list[Score]:
        # The distinct outputs of all systems for a segment are scored together, so that the index
        # of a reference is built once, and one call of HiGHS solves many pairs.
        metric, table = self.metric, self.table
        engine, run = metric.engine, metric.run
        names, n_systems, n_segments = list(systems), len(systems), len(refs[0])
        values = [np.empty((len(refs), n_segments, 3)) for _ in names]
        present = np.empty((len(refs), n_segments), np.bool_)
        proved = np.empty((n_systems, len(refs), n_segments), np.bool_)
        cache_references = self.cache_references and engine.can_cache(refs)

        def work(batch: slice) -> None:
            sides = [engine.prepare(side[batch]) for side in refs]
            vocabulary, references = engine.references(sides, cache_references, table)
            outputs = _outputs([hyps[batch] for hyps in systems.values()])
            hyp = engine.hypotheses(engine.prepare(outputs.texts), vocabulary, table)
            hyp_at = np.arange(len(hyp), dtype=np.int32)
            for r, ref in enumerate(references):

                def name(p: int, r: int = r) -> str:
                    # Several systems may share this output; the error names the first.
                    _, system = np.argwhere(outputs.at == p)[0].tolist()
                    place = f"segment {batch.start + outputs.segment[p] + 1}, reference {r + 1}"
                    return f"{names[system]}: {place}" if n_systems > 1 else place

                pairs = Pairs(hyp, ref, hyp_at, outputs.segment, name)
                covered = engine.combine_grades(engine.cover_by_grade(pairs, run, table))
                figures = self._figures(covered, pairs)
                for k, system_values in enumerate(values):
                    system_values[r, batch] = figures[outputs.at[:, k]]
                # The tokens of a reference do not depend on the output, so the pair of the
                # first system tells.
                present[r, batch] = covered.totals[outputs.at[:, 0], 0] > 0
                proved[:, r, batch] = covered.proved[outputs.at].T

        for batch in run.map_in_order(work, self._batches([*systems.values(), *refs], n_systems)):
            if progress is not None:
                progress(n_systems * batch.stop, n_systems * n_segments)
        if metric.options.weights != "unit":
            self._check_weight(present, refs)
        return [
            # `pop` frees the figures of each system, so that there are never two copies of all.
            Score.of(Segments(values.pop(0), metric.combine, present, scored), self.signature)
            for scored in np.logical_and.reduce(proved, axis=1)
        ]

    def _explain(self, hyp: str, ref: str, n_what_if: int | None = None) -> Explanation:
        from celab.metrics.explaining import explain
        from celab.metrics.explaining.explanation import Explanation
        from celab.metrics.explaining.unmatched import unmatched_words

        engine, run = self.metric.engine, self.metric.run
        if run.skips:
            run = replace(run, on_error="raise")
        hyp, ref = engine.prepare([hyp, ref])

        def cover(engine: Engine, run: Run, cache_references: bool) -> tuple[Pairs, list[Coverage]]:
            vocabulary, (ref_side,) = engine.references([[ref]], cache_references, self.table)
            hyp_side = engine.hypotheses([hyp], vocabulary, self.table)
            pairs = Pairs.in_order(hyp_side, ref_side, lambda _: explain.PAIR)
            return pairs, engine.cover_by_grade(pairs, run, self.table)

        def score_with(lexicons: Iterable[Lexicon]) -> F64:
            skipping = replace(run, on_error="skip")  # an unproved pair of words has no score
            engines = map(engine.with_lexicon, lexicons)
            covered = [e.combine_grades(cover(e, skipping, False)[1]) for e in engines]
            return self._utilities(Coverage.join(covered), pairs)

        pairs, by_grade = cover(engine, run, True)
        pair = explain.ExplainedPair(
            engine, pairs.hyp, pairs.ref, engine.tokens(hyp), engine.tokens(ref)
        )
        figures = self._figures(engine.combine_grades(by_grade), pairs)
        score, precision, recall = figures[0].tolist()
        limit = self.metric.options.length_limit
        links, hyp_ngrams, ref_ngrams = pair.solution(by_grade, run.time_limit)
        words: tuple[Unmatched, ...] = ()
        if n_what_if is not None and self.metric.options.tokenize != "letter":
            words = unmatched_words(pair, links, hyp_ngrams, ref_ngrams, score_with, n_what_if)
        return Explanation(
            hyp_tokens=pair.hyp_tokens,
            ref_tokens=pair.ref_tokens,
            score=score,
            precision=precision,
            recall=recall,
            links=links,
            hyp_ngrams=hyp_ngrams,
            ref_ngrams=ref_ngrams,
            signature=self.signature,
            unmatched=words,
            length_factor=1.0 if limit is None else self._length_factors(pairs, limit).item(),
        )

    def _pairwise(self, hyps: list[str], refs: list[str]) -> F64:
        metric, table = self.metric, self.table
        engine, run = metric.engine, metric.run
        if metric.treats_text_as_chinese:
            warn_if_japanese(hyps, refs)
        hyp_side, ref_side = engine.prepare(hyps), engine.prepare(refs)
        symmetric = hyp_side == ref_side  # then (h, r) and (r, h) have the same two covers
        hyp_texts, row_at, equal_row = _by_end(hyp_side)
        ref_texts, column_at = ref_side, np.arange(len(ref_side))
        if symmetric:
            ref_texts, column_at = hyp_texts, row_at
        # Candidates that are compared with each other are hardly ever compared again.
        cache_references = self.cache_references and not symmetric
        vocabulary, (ref,) = engine.references([ref_texts], cache_references, table)
        scores = np.empty((len(hyp_side), len(ref_side)))

        def work(rows: slice) -> None:
            hyp = engine.hypotheses(hyp_texts[rows], vocabulary, table)
            # Pairs are sorted by reference, so that its index is built once for all hypotheses.
            ref_at, hyp_at = map(np.ravel, np.indices((len(ref), len(hyp)), np.int32))
            if symmetric:
                upper = ref_at >= rows.start + hyp_at
                ref_at, hyp_at = ref_at[upper], hyp_at[upper]
            row, column = row_at[rows.start + hyp_at], column_at[ref_at]

            def name(p: int) -> str:
                return f"hypothesis {row[p] + 1}, reference {column[p] + 1}"

            pairs = Pairs(hyp, ref, hyp_at, ref_at, name)
            by_grade = engine.cover_by_grade(pairs, run, table)
            if symmetric:
                swapped = [coverage.swap() for coverage in by_grade]
                if run.solver == "check":
                    swapped = engine.verify(pairs.swap(), swapped, run, table)
                scores[column, row] = self._utilities(engine.combine_grades(swapped), pairs.swap())
            scores[row, column] = self._utilities(engine.combine_grades(by_grade), pairs)

        for _ in run.map_in_order(work, self._matrix_batches(len(hyp_texts), len(ref_texts))):
            pass
        if len(hyp_texts) == len(hyp_side):
            return scores
        return scores[np.ix_(equal_row, equal_row)] if symmetric else scores[equal_row]

    def _check_weight(self, present: Bools, refs: list[list[str]]) -> None:
        # A reference whose tokens all weigh 0 is absent; each segment needs another one.
        for s in np.flatnonzero(~present.any(axis=0)).tolist():
            if not all(is_blank(side[s]) for side in refs):
                raise InputError(
                    f"segment {s + 1} has no reference that weighs anything: all their tokens have"
                    f" weight 0 in {self.metric.options.weights}"
                )

    def _matrix_batches(self, n_hyps: int, n_refs: int) -> list[slice]:
        # Rows of a matrix. Each thread gets two parts, because the last rows of a triangle are
        # short.
        size = _MAX_MATRIX_BATCH_PAIRS // n_refs
        if self.metric.run.threads > 1:
            size = min(size, -(-n_hyps // (2 * self.metric.run.threads)))
        return batches(n_hyps, max(1, size))

    def _utilities(self, covered: Coverage, pairs: Pairs) -> F64:
        # The score of each pair, NaN where there is none.
        counts = covered.proved & (covered.totals[:, 0] > 0)
        return np.where(counts, self._scores(covered, pairs), np.nan)

    def _batches(self, sides: list[list[str]], n_systems: int) -> list[slice]:
        # Parts of equal size; those with long texts are divided again.
        parts = []
        for batch in batches(len(sides[0]), self._batch_size(len(sides[0]), n_systems)):
            n_characters = sum(sum(map(len, side[batch])) for side in sides)
            n, n_parts = batch.stop - batch.start, n_characters // _MAX_BATCH_CHARACTERS + 1
            parts += [
                slice(batch.start + part.start, batch.start + part.stop)
                for part in batches(n, -(-n // n_parts))
            ]
        return parts

    def _batch_size(self, n_segments: int, n_systems: int) -> int:
        fewest = -(-_MIN_BATCH_PAIRS // n_systems)
        if self.metric.run.solver != "auto":
            return fewest
        max_size = _MAX_BATCH_PAIRS
        if n_systems > 1:
            n_parts = 2 if self.metric.run.threads > 1 else 1  # so that threads share evenly
            max_size = -(-_MAX_SYSTEMS_BATCH_PAIRS // (n_systems * n_parts))
        # Each thread gets as many batches as the others, all of the same size.
        n_each = -(-n_segments // (max_size * self.metric.run.threads))
        return max(fewest, -(-n_segments // (n_each * self.metric.run.threads)))

    def _figures(self, covered: Coverage, pairs: Pairs) -> F64:
        # Score, precision and recall of each pair; undefined where the reference is empty.
        c_ref, c_hyp = covered.amounts.T
        n_ref, n_hyp = covered.totals.T
        with np.errstate(invalid="ignore"):  # 0 / 0 where a side is empty
            precision = np.where(n_hyp, c_hyp / n_hyp, 0.0)
            return np.stack((self._scores(covered, pairs), precision, c_ref / n_ref), axis=1)

    def _scores(self, covered: Coverage, pairs: Pairs) -> F64:
        # The score of each pair; undefined where both sides are empty.
        c_ref, c_hyp = covered.amounts.T
        n_ref, n_hyp = covered.totals.T
        f, limit = self.metric.options.f, self.metric.options.length_limit
        with np.errstate(invalid="ignore"):
            scores = np.asarray((c_ref + f * c_hyp) / (n_ref + f * n_hyp), np.float64)
        return scores if limit is None else scores * self._length_factors(pairs, limit)

    def _length_factors(self, pairs: Pairs, limit: float) -> F64:
        # min(1, max(X · |r|, |r| + a) / |o|) of each pair. Whole numbers until the one division, so
        # that an output just as long as the limit loses nothing.
        n_ref = pairs.ref.lengths()[pairs.ref_at].astype(np.int64)
        n_hyp = pairs.hyp.lengths()[pairs.hyp_at].astype(np.int64)
        most = np.maximum(round(100 * limit) * n_ref, 100 * (n_ref + FREE_TOKENS))
        return np.asarray(np.minimum(1.0, most / np.maximum(100 * n_hyp, 1)))


def _by_end(texts: list[str]) -> tuple[list[str], I64, I64]:
    # Return the distinct texts, sorted by their ends because the kernel reuses the links of a
    # common end; the index in `texts` of each; and for every text of `texts`, the index among the
    # distinct texts of the one that equals it.
    numbers = {text: number for number, text in reversed(list(enumerate(texts)))}
    distinct = sorted(numbers, key=lambda text: text[::-1], reverse=True)
    chosen = np.array([numbers[text] for text in distinct], np.int64)
    return distinct, chosen, np.array([numbers[text] for text in texts], np.int64)


class _Outputs(NamedTuple):
    texts: list[str]  # each once for a segment
    segment: I32  # index of the segment of each text
    at: I32  # rows of the number of the text for each system, by segment


def _outputs(systems: Sequence[list[str]]) -> _Outputs:
    # Systems often have the same output for a segment, which is scored once.
    n = len(systems[0])
    if len(systems) == 1:
        numbers = np.arange(n, dtype=np.int32)
        return _Outputs(systems[0], numbers, numbers[:, None])
    texts: list[str] = []
    counts: list[int] = []
    at: list[int] = []
    for column in zip(*systems, strict=True):
        places: dict[str, int] = {}
        at += [places.setdefault(text, len(texts) + len(places)) for text in column]
        texts += places
        counts.append(len(places))
    segments = np.repeat(np.arange(n, dtype=np.int32), counts)
    return _Outputs(texts, segments, np.array(at, np.int32).reshape(n, len(systems)))


def _spelled(
    words: Iterable[tuple[int, int, int]], text: str, tokens: Sequence[str]
) -> Iterator[tuple[int, str]]:
    """Yield the number of each word and its spelling in the text; `tokens` are respelt.

    Words are tuples of start, number of tokens and number.
    """
    letters = "".join(text.split())
    ends = [0, *accumulate(map(len, tokens))]
    if ends[-1] != len(letters):
        letters = "".join(tokens)  # tokens have no place in the text
    for start, n, number in words:
        yield number, letters[ends[start] : ends[start + n]]
