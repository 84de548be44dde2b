"""The pair engine of TESLA-CELAB: texts in, covered amounts of pairs of them out.

Every way to score, explain or measure goes through here, in three steps:

    prepare    text → normalized text, each by itself
    sentences  normalized text → tokens, lexicon words and, for references, an index
    cover      any pairs of two sides' sentences → the greatest Σ c of either half, proved

`cover_by_grade` takes the pairs by the numbers of their sentences, in any order, so one call can
hold the pairs of many systems or a whole matrix. It returns arrays, and a mask of what is proved
apart from them: what is not proved is an error, or, where `Run.on_error` is "skip", not marked as
proved.

With `solver="check"` the pairs are covered as by default, and the result is then compared with the
paper's whole program, for sentences that are read again from their texts: nothing that was kept or
shared on the way to the result is trusted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

import numpy as np

from celab._native.cover import count_ngrams, cover_pairs, pair_program
from celab._native.links import Matches, differing, link_pairs, match_pairs
from celab._native.tokens import Sentences, Vocabulary, cut
from celab.base.arrays import F64, I32, I64, Bools
from celab.base.errors import SolverError
from celab.base.run import TIME_LIMIT, Run, TooLong, unproved
from celab.base.text.normalize import Normalizer, Respelling
from celab.base.text.tokens import TOKENIZER_IDS
from celab.exact.weights import WeightTable, factors, ngram_weights, of_references
from celab.lexicon.compiled import spell
from celab.lexicon.grades import steps_of
from celab.lexicon.lexicon import Lexicon

if TYPE_CHECKING:
    # Only programs that the kernels do not solve load them.
    from celab.exact.proof import Exact
    from celab.exact.solve import Program

_MAX_CACHED_CHARACTERS = 1 << 19  # a cached character of a reference takes about 250 bytes
# Above these limits, HiGHS takes gigabytes for the whole program of a pair.
_MAX_PROGRAM_LINKS = 2**20
_MAX_PROGRAM_TOKENS = 2**18


class EngineOptions(Protocol):
    """Options of a metric that the engine needs; in effect, none of them is None."""

    @property
    def max_order(self) -> int | None:
        """Longest n-gram, in tokens."""

    @property
    def tokenize(self) -> str | None:
        """How texts are cut into tokens."""

    @property
    def links(self) -> str:
        """Linking rules."""

    @property
    def weights(self) -> str | os.PathLike[str]:
        """Weights of n-grams."""

    @property
    def decay(self) -> float | None:
        """Factor of an n-gram's weight for each token after the first."""


COARSEST = -1  # the grade that has all groups of a lexicon

_Key = tuple[str, tuple[tuple[str, ...], ...]]  # table of weights, and texts of each side


class Coverage(NamedTuple):
    """Rows of (reference, hypothesis), one for each pair.

    With weights, amounts and totals are sums of m(X), in units of the greatest common divisor of
    the pair's token weights: multiplying all weights by a number changes no bit.
    """

    amounts: F64  # the greatest Σ c of the half; 0 where it is not proved
    totals: F64  # what there is to cover: the number of n-grams
    proved: Bools  # whether the optima of a pair are proved

    @classmethod
    def join(cls, parts: Sequence[Coverage]) -> Coverage:
        """Return the rows of all parts, one part after the other."""
        return cls(*map(np.concatenate, zip(*parts, strict=True)))

    def swap(self) -> Coverage:
        """Return the coverage with hypotheses and references exchanged."""
        return Coverage(self.amounts[:, ::-1], self.totals[:, ::-1], self.proved)


@dataclass(frozen=True, eq=False, repr=False)
class Pairs:
    """Pairs p of hypothesis hyp_at[p] and reference ref_at[p]; `name(p)` names a pair in errors."""

    hyp: Sentences
    ref: Sentences
    hyp_at: I32
    ref_at: I32
    name: Callable[[int], str]

    @classmethod
    def in_order(cls, hyp: Sentences, ref: Sentences, name: Callable[[int], str]) -> Pairs:
        """Return the pairs of each hypothesis with the reference of the same number."""
        return cls(
            hyp,
            ref,
            np.arange(len(hyp), dtype=np.int32),
            np.arange(len(ref), dtype=np.int32),
            name,
        )

    def __len__(self) -> int:
        return len(self.hyp_at)

    def swap(self) -> Pairs:
        """Return the pairs with hypotheses and references exchanged.

        Only for `verify`, which reads the texts again: the new references have no index.
        """
        return replace(self, hyp=self.ref, ref=self.hyp, hyp_at=self.ref_at, ref_at=self.hyp_at)

    def select(self, chosen: I64) -> Pairs:
        """Return the pairs of these numbers."""
        return replace(
            self,
            hyp_at=self.hyp_at[chosen],
            ref_at=self.ref_at[chosen],
            name=lambda p: self.name(int(chosen[p])),
        )


class ReferenceBatch(NamedTuple):
    """Segments of all reference sides, and the vocabulary that numbered their tokens."""

    vocabulary: Vocabulary
    sides: list[Sentences]


class Engine:
    """Tokenizes sentences and proves the coverage of pairs. Threads may share it.

    It caches the references it read last, so that the next system is scored faster. `table` has the
    weights of tokens, unless they come from the references.
    """

    def __init__(
        self,
        options: EngineOptions,
        lexicon: Lexicon | None,
        normalizer: Normalizer,
        table: WeightTable | None = None,
    ) -> None:
        # Options in effect have no None.
        self.max_order = cast(int, options.max_order)
        self.release_2012_links = options.links == "release-2012"
        self.lexicon = lexicon
        self.steps = steps_of(lexicon.credits) if lexicon else ((0, 1.0),)  # grades that count
        self.table = table
        decay = cast(float, options.decay)
        weigh_alike = decay == 1 and os.fspath(options.weights) == "unit"  # all n-grams
        self.factors = None if weigh_alike else factors(decay, self.max_order)
        self._normalizer = normalizer
        self._tokenizer_id = TOKENIZER_IDS[cast(str, options.tokenize)]
        self._cache: dict[_Key, ReferenceBatch] = {}  # the oldest first
        self._cache_size = 0
        self._reference_table: tuple[object, WeightTable] | None = None
        self._lock = Lock()

    def with_lexicon(self, lexicon: Lexicon) -> Engine:
        """Return the same engine with another lexicon, and nothing cached."""
        variant = copy(self)
        variant.lexicon, variant.steps = lexicon, steps_of(lexicon.credits)
        variant._cache, variant._cache_size, variant._lock = {}, 0, Lock()
        return variant

    def spell(self, words: list[str]) -> list[str]:
        """Return words in the lexicon's spelling."""
        return spell(words, self._normalizer)

    @property
    def respell(self) -> Respelling | None:
        """The respelling of texts before they are normalized."""
        return self._normalizer.respell

    # ---- texts → sentences ----

    def prepare(self, texts: list[str]) -> list[str]:
        """Return the texts normalized, and respelt first if the options say so."""
        return self._normalizer.texts(texts)

    def tokens(self, text: str) -> tuple[str, ...]:
        """Return the tokens of a prepared text, as strings."""
        return tuple(cut(text, self._tokenizer_id, self._normalizer.folds))

    def table_of(self, sides: list[list[str]]) -> WeightTable:
        """Return the weights that follow from the references; the last table is cached."""
        cached = self._reference_table
        if cached is None or cached[0] != sides:
            tokens = (self.tokens(text) for side in sides for text in self.prepare(side))
            self._reference_table = cached = sides, of_references(tokens)
        return cached[1]

    def references(
        self, sides: list[list[str]], cache: bool = True, table: WeightTable | None = None
    ) -> ReferenceBatch:
        """Return prepared segments of each reference side, as the kernels take them.

        They are cached for the next call, unless disabled. `table` has the weights of tokens
        (default: the engine's).
        """
        key = table.signature_id if table else "", tuple(map(tuple, sides))
        with self._lock:
            batch = self._cache.pop(key, None) if cache else None
            if batch is not None:
                self._cache[key] = batch  # now the newest entry
                return batch
        vocabulary = Vocabulary()
        batch = ReferenceBatch(
            vocabulary, [self._read(side, vocabulary, table, True) for side in sides]
        )
        if not cache:
            return batch
        with self._lock:
            if key not in self._cache:
                self._cache[key] = batch
                self._cache_size += _n_characters(key)
            while self._cache_size > _MAX_CACHED_CHARACTERS:
                oldest = next(iter(self._cache))
                del self._cache[oldest]
                self._cache_size -= _n_characters(oldest)
        return batch

    def can_cache(self, sides: list[list[str]]) -> bool:
        """Return whether all references fit into the cache, so none is dropped before reuse."""
        return sum(sum(map(len, side)) for side in sides) <= _MAX_CACHED_CHARACTERS

    def hypotheses(
        self, texts: list[str], vocabulary: Vocabulary, table: WeightTable | None = None
    ) -> Sentences:
        """Return prepared hypotheses, for references whose tokens `vocabulary` has numbered.

        They get a vocabulary of their own on top of it, so that threads may share the first.
        """
        return self._read(texts, Vocabulary(vocabulary), table, False)

    def _read(
        self, texts: list[str], vocabulary: Vocabulary, table: WeightTable | None, indexed: bool
    ) -> Sentences:
        native = self.lexicon.native if self.lexicon else None
        folds = self._normalizer.folds
        sentences = Sentences(
            texts=texts,
            vocabulary=vocabulary,
            lexicon=native,
            how=self._tokenizer_id,
            fold=folds,
            max_order=self.max_order,
            indexed=indexed,
        )
        if self.factors is not None:  # else every n-gram weighs the same
            sentences.weights = ngram_weights(table or self.table, self.factors, sentences)
        return sentences

    # ---- pairs → covered amounts ----

    def combine_grades(self, by_grade: Sequence[Coverage]) -> Coverage:
        """Return the coverage of all grades together, each weighted by its share.

        With a_k the amount at grade k and c_k its credit, it is a_0 + Σ c_k (a_k − a_(k−1)).
        """
        finest, coarsest = by_grade[0], by_grade[-1]
        if len(by_grade) == 1:
            return finest
        amounts = finest.amounts
        for (_, credit), (fine, coarse) in zip(self.steps[1:], pairwise(by_grade), strict=True):
            amounts = amounts + credit * (coarse.amounts - fine.amounts)
        proved = np.logical_and.reduce([coverage.proved for coverage in by_grade])
        # No grade covers more than the coarsest; rounding must not say otherwise.
        amounts = np.where(proved[:, None], np.minimum(amounts, coarsest.amounts), 0.0)
        return Coverage(amounts, finest.totals, proved)

    def cover_by_grade(
        self, pairs: Pairs, run: Run, table: WeightTable | None = None
    ) -> list[Coverage]:
        """Return the coverage of pairs by each grade that counts, the finest first.

        `table` has the weights with which the sentences were read (default: the engine's).
        """
        if run.solver == "highs":
            return [self._cover_by_program(pairs, grade, run) for grade, _ in self.steps]
        if len(self.steps) == 1:
            by_grade = [self._cover_by_reduction(pairs, self.steps[0][0], None, run)]
        else:
            by_grade = self._cover_nested_grades(pairs, run)
        return self.verify(pairs, by_grade, run, table) if run.solver == "check" else by_grade

    def verify(
        self, pairs: Pairs, by_grade: Sequence[Coverage], run: Run, table: WeightTable | None = None
    ) -> list[Coverage]:
        """Return the coverage after comparing it with the whole program; raises `SolverError`.

        The sentences are read again from their texts. Pairs that the whole program does not prove
        within its limits are not marked as proved, if such pairs are skipped.
        """
        vocabulary = Vocabulary()
        ref = self._read(list(pairs.ref.texts), vocabulary, table, True)
        hyp = self._read(list(pairs.hyp.texts), Vocabulary(vocabulary), table, False)
        fresh_pairs = replace(pairs, hyp=hyp, ref=ref)
        verified = []
        for (grade, _), coverage in zip(self.steps, by_grade, strict=True):
            by_program = self._cover_by_program(fresh_pairs, grade, run)
            proved = coverage.proved & by_program.proved
            _compare(coverage, by_program, proved, pairs.name)
            amounts = np.where(proved[:, None], coverage.amounts, 0.0)
            verified.append(Coverage(amounts, coverage.totals, proved))
        return verified

    def _cover_nested_grades(self, pairs: Pairs, run: Run) -> list[Coverage]:
        # A pair is not solved again where two grades have the same links, or where the amounts of
        # the finest and the coarsest are equal: the amounts of the grades between cannot differ.
        grades = [grade for grade, _ in self.steps]
        where = pairs.hyp_at, pairs.ref_at
        matches = match_pairs(pairs.hyp, pairs.ref, self.max_order, *where)

        def differ(fine: int, coarse: int) -> Bools:
            return differing(pairs.hyp, pairs.ref, self.max_order, *where, fine, coarse)

        def solve_again(grade: int, initial: Coverage, again: Bools) -> Coverage:
            amounts, proved = initial.amounts.copy(), initial.proved.copy()
            chosen = np.flatnonzero(again & initial.proved)
            if len(chosen):
                chosen_matches = matches.select(chosen) if matches else None
                solved = self._cover_by_reduction(pairs.select(chosen), grade, chosen_matches, run)
                amounts[chosen], proved[chosen] = solved.amounts, solved.proved
            return Coverage(amounts, initial.totals, proved)

        coarsest = self._cover_by_reduction(pairs, grades[-1], matches, run)
        by_grade = [solve_again(grades[0], coarsest, differ(grades[0], grades[-1]))]
        may_differ = (coarsest.amounts != by_grade[0].amounts).any(axis=1)
        for fine, grade in pairwise(grades[:-1]):
            open_pairs = may_differ & differ(grade, grades[-1])
            amounts = np.where(open_pairs[:, None], by_grade[-1].amounts, coarsest.amounts)
            proved = by_grade[-1].proved & coarsest.proved
            nearest = Coverage(amounts, coarsest.totals, proved)
            by_grade.append(solve_again(grade, nearest, open_pairs & differ(fine, grade)))
        return [*by_grade, coarsest]

    def scales(self, pairs: Pairs) -> I64:
        """Return the divisor of each pair that turns the kernels' whole numbers into amounts."""
        ref, hyp = pairs.ref.weights, pairs.hyp.weights
        if self.factors is None or not ref or not hyp:
            return np.ones(len(pairs), np.int64)
        common = np.gcd(ref.divisors()[pairs.ref_at], hyp.divisors()[pairs.hyp_at])
        return np.maximum(common, 1) * int(self.factors[0])

    def _totals(self, pairs: Pairs) -> F64:
        # The amount to cover, by pair and half.
        ref, hyp = pairs.ref, pairs.hyp
        if ref.weights and hyp.weights:
            weights = ref.weights.totals()[pairs.ref_at], hyp.weights.totals()[pairs.hyp_at]
            return _divide(np.stack(weights, axis=1), self.scales(pairs))
        # The number of n-grams of each sentence.
        lengths = np.stack((ref.lengths()[pairs.ref_at], hyp.lengths()[pairs.hyp_at]), axis=1)
        orders = np.minimum(lengths, self.max_order)
        return (orders * (2 * lengths - orders + 1) // 2).astype(np.float64)

    def _cover_by_reduction(
        self, pairs: Pairs, grade: int, matches: Matches | None, run: Run
    ) -> Coverage:
        # The kernel leaves small programs unsolved where its bounds prove nothing.
        failed: dict[int, Exception] = {}
        counted, _, unsolved = cover_pairs(
            hyp=pairs.hyp,
            ref=pairs.ref,
            max_order=self.max_order,
            release=self.release_2012_links,
            hyp_at=pairs.hyp_at,
            ref_at=pairs.ref_at,
            time_limit=run.time_limit,
            failed=failed,
            skip=run.skips,
            grade=grade,
            matches=matches,
        )
        scales = self.scales(pairs)
        amounts, proved = _divide(counted, scales), np.ones(len(counted), np.bool_)
        for p, error in failed.items():
            if not run.skips:
                raise unproved(pairs.name(p), error, run.time_limit)
            proved[p] = False
        if len(unsolved):  # most pairs need no solver, nor its modules
            from fractions import Fraction

            from celab.exact.proof import proved_values
            from celab.exact.solve import Program

            program = Program.of(unsolved)
            values = proved_values(
                program, lambda owner: pairs.name(owner // 2), run.time_limit, skip=run.skips
            )
            sums: dict[int, Exact] = {}  # 2 · pair + half → amount
            for owner, value in zip(program.block_owner.tolist(), values, strict=True):
                if value is None:
                    proved[owner // 2] = False
                else:
                    sums[owner] = sums.get(owner, int(counted[divmod(owner, 2)])) + value
            for owner, total in sums.items():
                # Rounded once.
                amounts[divmod(owner, 2)] = Fraction(total) / int(scales[owner // 2])
        amounts[~proved] = 0.0
        return Coverage(amounts, self._totals(pairs), proved)

    def _cover_by_program(self, pairs: Pairs, grade: int, run: Run) -> Coverage:
        # Solves the paper's whole program for each pair.
        from fractions import Fraction

        from celab.exact.proof import proved_solution

        amounts, proved = np.zeros((len(pairs), 2)), np.ones(len(pairs), np.bool_)
        hyp_lengths, ref_lengths = pairs.hyp.lengths(), pairs.ref.lengths()
        scales = self.scales(pairs).tolist()
        for p, (h, r) in enumerate(zip(pairs.hyp_at.tolist(), pairs.ref_at.tolist(), strict=True)):
            if not hyp_lengths[h] or not ref_lengths[r]:
                continue
            try:
                program, n_links = self.joint_program(
                    hyp=pairs.hyp,
                    h=h,
                    ref=pairs.ref,
                    r=r,
                    pair_name=pairs.name(p),
                    time_limit=run.time_limit,
                    grade=grade,
                )
                x = proved_solution(program, pairs.name(p), run.time_limit)
            except SolverError:
                if not run.skips:
                    raise
                proved[p] = False
                continue
            n_ref = n_links + count_ngrams(int(ref_lengths[r]), self.max_order)
            gains = [
                int(cost) * value for cost, value in zip(program.cost.tolist(), x, strict=True)
            ]
            ref_gain, hyp_gain = (
                Fraction(sum(gains[n_links:n_ref]), 4),
                Fraction(sum(gains[n_ref:])),
            )
            amounts[p] = ref_gain / scales[p], hyp_gain / scales[p]
        return Coverage(amounts, self._totals(pairs), proved)

    def joint_program(
        self,
        hyp: Sentences,
        h: int,
        ref: Sentences,
        r: int,
        pair_name: str = "the pair",
        time_limit: float = TIME_LIMIT,
        grade: int = COARSEST,
    ) -> tuple[Program, int]:
        """Return the paper's whole program for one pair, and how many of its columns are links."""
        from celab.exact.solve import Program

        lengths = int(hyp.lengths()[h]), int(ref.lengths()[r])
        if sum(lengths) > _MAX_PROGRAM_TOKENS:
            raise TooLong(
                f"{pair_name}: {sum(lengths):,} tokens are too many for the whole program; the"
                f" limit is {_MAX_PROGRAM_TOKENS:,}"
            )
        links = self.links(hyp, h, ref, r, pair_name, time_limit, grade=grade)
        weights = [
            side.weights and side.weights.ngrams(side, s) for side, s in ((hyp, h), (ref, r))
        ]
        return Program.of(pair_program(links, *lengths, self.max_order, *weights)), len(links)

    def links(
        self,
        hyp: Sentences,
        h: int,
        ref: Sentences,
        r: int,
        pair_name: str = "the pair",
        time_limit: float = TIME_LIMIT,
        max_links: int = _MAX_PROGRAM_LINKS,
        grade: int = COARSEST,
    ) -> I32:
        """Return the links of one pair: rows (hyp start, hyp order, ref start, ref order), sorted.

        `pair_name` names it in errors; more links than `max_links` are an error.
        """
        order, release = self.max_order, self.release_2012_links
        try:
            return link_pairs(
                hyp=hyp,
                hyp_sentence=h,
                ref=ref,
                ref_sentence=r,
                max_order=order,
                release=release,
                time_limit=time_limit,
                most=max_links,
                grade=grade,
            )
        except (TimeoutError, OverflowError) as error:
            raise unproved(pair_name, error, time_limit) from None


def _n_characters(key: _Key) -> int:
    return sum(len(text) for side in key[1] for text in side)


def _divide(amounts: I64, scales: I64) -> F64:
    # Rows of whole numbers by the scale of their pair, each quotient rounded once.
    if amounts.max(initial=0) < 2**53:
        return np.asarray(amounts / scales[:, None], np.float64)
    rows = zip(amounts.tolist(), scales.tolist(), strict=True)
    return np.array([[amount / scale for amount in row] for row, scale in rows])


def _compare(
    reduced: Coverage, by_program: Coverage, proved: Bools, name: Callable[[int], str]
) -> None:
    # Both are exact values, rounded once, so they are equal to the last bit or one is wrong.
    wrong = (reduced.amounts != by_program.amounts) & proved[:, None]
    if wrong.any():
        p, side = np.argwhere(wrong)[0].tolist()
        raise SolverError(
            f"the reduction covers {reduced.amounts[p, side]!r} of the"
            f" {('reference', 'hypothesis')[side]}, the whole program"
            f" {by_program.amounts[p, side]!r}",
            place=name(p),
            hint="they must be equal",
        )
    wrong = (reduced.totals != by_program.totals) & proved[:, None]
    if wrong.any():
        p, side = np.argwhere(wrong)[0].tolist()
        raise SolverError(
            f"there are {reduced.totals[p, side]!r} n-grams of the"
            f" {('reference', 'hypothesis')[side]} to cover, but {by_program.totals[p, side]!r} in"
            " the same text read again",
            place=name(p),
            hint="they must be equal",
        )
