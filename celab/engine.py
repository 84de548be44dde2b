"""The pair engine of TESLA-CELAB: texts in, covered amounts of pairs of them out.

Every way to score, explain or measure goes through here, in three steps:

    script    whether a side (all hypotheses, or one reference) is to be converted, decided once
    sentences normalised text → tokens, lexicon words and, for references, an index
    coverage  any pairs of two sides' sentences → the greatest Σ c of either half, proved

`coverage` takes the pairs by the numbers of their sentences, in any order, so one call can hold the
pairs of many systems or a whole matrix. It returns arrays, and a mask of what is proved apart from
them: what is not proved is an error, or, where `Run.on_error` is "skip", not marked as proved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from celab._native.cover import cover_pairs
from celab._native.links import differing, link_pairs, match_pairs
from celab._native.program import count_ngrams, pair_program
from celab._native.tokens import Sentences, cut
from celab._native.vocabulary import Vocabulary
from celab.arrays import F64, I32, I64, Bools
from celab.errors import SolverError
from celab.lexicon.grades import steps_of
from celab.normalize import Normalizer
from celab.program import Program
from celab.proof import Exact, proved_solution, proved_values
from celab.run import TIME_LIMIT, Run, TooLong, unproved
from celab.tokens import HOW
from celab.weights import Table, factors, of_references, of_tokens

if TYPE_CHECKING:
    from celab.lexicon.lexicon import Lexicon, Respelling
    from celab.options import TeslaCelabOptions

    Named = Callable[[int], str]  # of a pair, for an error

_MOST_KEPT = 1 << 19  # characters of references, of about 250 bytes each
# In a whole program: with more, HiGHS takes gigabytes.
_MOST_LINKS = 2**20
_MOST_TOKENS = 2**18

_Key = tuple[str, tuple[tuple[str, ...], ...]]  # table of weights, and texts of each side


@dataclass(frozen=True, slots=True)
class Coverage:
    """Rows of (reference, hypothesis), one for each pair.

    With weights, amounts and totals are sums of m(X), in units of the greatest common divisor of
    the pair's token weights: multiplying all weights by a number changes no bit.
    """

    amounts: F64  # the greatest Σ c of the half; 0 where it is not proved
    totals: F64  # what there is to cover: the number of n-grams
    proved: Bools  # of each pair

    def turned(self) -> Coverage:
        """The same pairs with the hypothesis as reference and the reference as hypothesis."""
        return Coverage(self.amounts[:, ::-1], self.totals[:, ::-1], self.proved)


class Batch(NamedTuple):
    """The same segments of all reference sides, and the vocabulary that numbered their tokens."""

    vocabulary: Vocabulary
    sides: list[Sentences]


class Engine:
    """Reads and covers as the options and the lexicon say. Threads may share it.

    It keeps the references it read last, so that the next system is scored faster. `table` has the
    weights of tokens, unless they come from the references.
    """

    def __init__(
        self,
        options: TeslaCelabOptions,
        lexicon: Lexicon | None,
        respell: Respelling | None,
        table: Table | None = None,
    ) -> None:
        self.max_order = options.max_order
        self.release = options.links == "release-2012"
        self.lexicon = lexicon
        self.steps = steps_of(lexicon.credits) if lexicon else ((0, 1.0),)  # grades that count
        self.respell = respell
        self.table = table
        self.factors = factors(options.weights, options.decay, options.max_order)
        self._normalizer = Normalizer.of(options)
        self._how = HOW[options.tokenize]
        self._kept: dict[_Key, Batch] = {}  # the oldest first
        self._n_kept = 0
        self._decided: tuple[object, Table] | None = None
        self._lock = Lock()

    # ---- texts → sides ----

    def script(self, texts: list[str]) -> str:
        """The script of a side that begins with these texts: simplified, traditional or keep."""
        return self._normalizer.becomes(texts)

    def prepared(self, texts: list[str], script: str) -> list[str]:
        """Texts of a side whose script is decided, respelt if set so, and normalised."""
        return self._normalizer.converted(self.respell(texts) if self.respell else texts, script)

    def tokens(self, text: str) -> tuple[str, ...]:
        """The tokens of a prepared text, spelled out."""
        return tuple(cut(text, self._how, self._normalizer.folds))

    def table_of(self, sides: list[list[str]], scripts: list[str]) -> Table:
        """The weights that references decide; those made last are kept for the next system."""
        key, kept = (sides, scripts), self._decided
        if kept is None or kept[0] != key:
            prepared = map(self.prepared, sides, scripts)
            tokens = (self.tokens(text) for side in prepared for text in side)
            self._decided = kept = key, of_references(tokens)
        return kept[1]

    def references(
        self, sides: list[list[str]], keep: bool = True, table: Table | None = None
    ) -> Batch:
        """The same prepared segments of each reference side, as the kernels take them.

        They are cached for the next call, unless disabled. `table` has the weights of tokens
        (default: the engine's).
        """
        key = table.cited if table else "", tuple(map(tuple, sides))
        with self._lock:
            batch = self._kept.pop(key, None) if keep else None
            if batch is not None:
                self._kept[key] = batch  # now the newest
                return batch
        vocabulary = Vocabulary()
        batch = Batch(vocabulary, [self._read(side, vocabulary, table, True) for side in sides])
        if not keep:
            return batch
        with self._lock:
            if key not in self._kept:
                self._kept[key] = batch
                self._n_kept += _n_characters(key)
            while self._n_kept > _MOST_KEPT:
                oldest = next(iter(self._kept))
                del self._kept[oldest]
                self._n_kept -= _n_characters(oldest)
        return batch

    def forget(self) -> None:
        """Empties the cache of references."""
        with self._lock:
            self._kept.clear()
            self._n_kept = 0

    def can_keep(self, sides: list[list[str]]) -> bool:
        """Whether all references fit into the cache; else each is dropped before its next use."""
        return sum(sum(map(len, side)) for side in sides) <= _MOST_KEPT

    def hypotheses(
        self, texts: list[str], vocabulary: Vocabulary, table: Table | None = None
    ) -> Sentences:
        """Prepared hypotheses, to be compared with references that `vocabulary` has numbered.

        Theirs is a vocabulary of their own on top of it, so that threads may share that one.
        """
        return self._read(texts, Vocabulary(vocabulary), table, False)

    def _read(
        self, texts: list[str], vocabulary: Vocabulary, table: Table | None, indexed: bool
    ) -> Sentences:
        native = self.lexicon.native if self.lexicon else None
        folds = self._normalizer.folds
        sentences = Sentences(texts, vocabulary, native, self._how, folds, self.max_order, indexed)
        sentences.weights = of_tokens(table or self.table, self.factors, sentences)
        return sentences

    # ---- pairs → covered amounts ----

    def mixed(
        self,
        hyp: Sentences,
        ref: Sentences,
        run: Run,
        name: Named,
        hyp_at: I32,
        ref_at: I32,
    ) -> Coverage:
        """Covers pairs as `coverage` does, by all grades, each weighted by its share.

        With a_k the amount at grade k and c_k its credit, it is a_0 + Σ c_k (a_k − a_(k−1)).
        """
        return self.mix(self.by_grade(hyp, ref, run, name, hyp_at, ref_at))

    def mix(self, found: list[Coverage]) -> Coverage:
        """The coverage of all grades together, from that of each."""
        if len(found) == 1:
            return found[0]
        amounts = found[0].amounts
        for (_, credit), fine, coarse in zip(self.steps[1:], found, found[1:], strict=False):
            amounts = amounts + credit * (coarse.amounts - fine.amounts)
        proved = np.logical_and.reduce([one.proved for one in found])
        # Rounding may not lead beyond the coarsest grade.
        amounts = np.where(proved[:, None], np.minimum(amounts, found[-1].amounts), 0.0)
        return Coverage(amounts, found[0].totals, proved)

    def by_grade(
        self, hyp: Sentences, ref: Sentences, run: Run, name: Named, hyp_at: I32, ref_at: I32
    ) -> list[Coverage]:
        """Covers pairs as `coverage` does, by each grade that counts, the finest first."""
        # A pair is not solved again where two grades have the same links, or where the amounts of
        # the finest and the coarsest are equal: those of the grades between cannot differ.
        numbers = [grade for grade, _ in self.steps]

        def at(grade: int, chosen: I64 | slice = slice(None)) -> Coverage:
            hyp.grade = grade
            places = np.arange(len(hyp_at))[chosen]
            where = hyp_at[chosen], ref_at[chosen]
            return self.coverage(hyp, ref, run, lambda p: name(int(places[p])), *where)

        if len(numbers) == 1 or run.solver != "auto":
            return [at(grade) for grade in numbers]

        def differs(fine: int, coarse: int) -> Bools:
            return differing(hyp, ref, self.max_order, hyp_at, ref_at, fine, coarse)

        def solved(grade: int, known: Coverage, again: Bools) -> Coverage:
            amounts, proved = known.amounts.copy(), known.proved.copy()
            if len(chosen := np.flatnonzero(again & known.proved)):
                some = at(grade, chosen)
                amounts[chosen], proved[chosen] = some.amounts, some.proved
            return Coverage(amounts, known.totals, proved)

        match_pairs(hyp, ref, self.max_order, hyp_at, ref_at)
        coarsest = at(numbers[-1])
        found = [solved(numbers[0], coarsest, differs(numbers[0], numbers[-1]))]
        may_differ = (coarsest.amounts != found[0].amounts).any(axis=1)
        for fine, grade in pairwise(numbers[:-1]):
            open_pairs = may_differ & differs(grade, numbers[-1])
            known = np.where(open_pairs[:, None], found[-1].amounts, coarsest.amounts)
            proved = found[-1].proved & coarsest.proved
            nearest = Coverage(known, coarsest.totals, proved)
            found.append(solved(grade, nearest, open_pairs & differs(fine, grade)))
        return [*found, coarsest]

    def coverage(
        self,
        hyp: Sentences,
        ref: Sentences,
        run: Run,
        name: Named,
        hyp_at: I32 | None = None,
        ref_at: I32 | None = None,
    ) -> Coverage:
        """Covers hypothesis hyp_at[p] and reference ref_at[p] for each p; without these, p and p.

        `name` says of pair p what an error calls it.
        """
        if hyp_at is None:
            hyp_at = np.arange(len(hyp), dtype=np.int32)
        if ref_at is None:
            ref_at = np.arange(len(ref), dtype=np.int32)
        if run.solver == "highs":
            amounts, proved = self._whole(hyp, ref, hyp_at, ref_at, run, name)
        else:
            amounts, proved = self._reduced(hyp, ref, hyp_at, ref_at, run, name)
        if run.solver == "check":
            whole, whole_proved = self._whole(hyp, ref, hyp_at, ref_at, run, name)
            proved &= whole_proved
            _compare(amounts, whole, proved, name)
        amounts[~proved] = 0.0
        if ref.weights and hyp.weights:
            weights = np.stack((ref.weights.totals()[ref_at], hyp.weights.totals()[hyp_at]), axis=1)
            totals = _divided(weights, self.units(hyp, ref, hyp_at, ref_at))
            return Coverage(amounts, totals, proved)
        lengths = np.stack((ref.lengths()[ref_at], hyp.lengths()[hyp_at]), axis=1)
        orders = np.minimum(lengths, self.max_order)
        counts = orders * (2 * lengths - orders + 1) // 2
        return Coverage(amounts, counts.astype(np.float64), proved)

    def units(self, hyp: Sentences, ref: Sentences, hyp_at: I32, ref_at: I32) -> I64:
        """What the kernels' whole numbers are divided by to be amounts, for each pair."""
        if self.factors is None or not ref.weights or not hyp.weights:
            return np.ones(len(hyp_at), np.int64)
        common = np.gcd(ref.weights.divisors()[ref_at], hyp.weights.divisors()[hyp_at])
        return np.maximum(common, 1) * int(self.factors[0])

    def _reduced(
        self, hyp: Sentences, ref: Sentences, hyp_at: I32, ref_at: I32, run: Run, name: Named
    ) -> tuple[F64, Bools]:
        # By the kernel, which leaves small programs where its bounds prove nothing.
        failed: dict[int, Exception] = {}
        counted, _, rest = cover_pairs(
            hyp, ref, self.max_order, self.release, hyp_at, ref_at, run.time_limit, failed,
            run.skips,
        )  # fmt: skip
        units = self.units(hyp, ref, hyp_at, ref_at)
        amounts, proved = _divided(counted, units), np.ones(len(counted), np.bool_)
        for p, error in failed.items():
            if not run.skips:
                raise unproved(name(p), error, run.time_limit)
            proved[p] = False
        if not len(rest):
            return amounts, proved
        program = Program.of(rest)
        values = proved_values(
            program, lambda owner: name(owner // 2), run.time_limit, skip=run.skips
        )
        sums: dict[int, Exact] = {}  # of each half
        for owner, value in zip(program.block_owner.tolist(), values, strict=True):
            if value is None:
                proved[owner // 2] = False
            else:
                sums[owner] = sums.get(owner, int(counted[divmod(owner, 2)])) + value
        for owner, total in sums.items():
            amounts[divmod(owner, 2)] = Fraction(total) / int(units[owner // 2])  # one rounding
        return amounts, proved

    def _whole(
        self, hyp: Sentences, ref: Sentences, hyp_at: I32, ref_at: I32, run: Run, name: Named
    ) -> tuple[F64, Bools]:
        # The same, by the paper's whole program for each pair.
        amounts, proved = np.zeros((len(hyp_at), 2)), np.ones(len(hyp_at), np.bool_)
        hyp_lengths, ref_lengths = hyp.lengths(), ref.lengths()
        units = self.units(hyp, ref, hyp_at, ref_at).tolist()
        for p, (h, r) in enumerate(zip(hyp_at.tolist(), ref_at.tolist(), strict=True)):
            if not hyp_lengths[h] or not ref_lengths[r]:
                continue
            try:
                program, n_links = self.joint_program(hyp, h, ref, r, name(p), run.time_limit)
                x = proved_solution(program, name(p), run.time_limit)
            except SolverError:
                if not run.skips:
                    raise
                proved[p] = False
                continue
            n_ref = n_links + count_ngrams(int(ref_lengths[r]), self.max_order)
            gains = [
                int(cost) * value for cost, value in zip(program.cost.tolist(), x, strict=True)
            ]
            of_ref, of_hyp = Fraction(sum(gains[n_links:n_ref]), 4), Fraction(sum(gains[n_ref:]))
            amounts[p] = of_ref / units[p], of_hyp / units[p]
        return amounts, proved

    def joint_program(
        self,
        hyp: Sentences,
        h: int,
        ref: Sentences,
        r: int,
        what: str = "the pair",
        time_limit: float = TIME_LIMIT,
    ) -> tuple[Program, int]:
        """The paper's whole program for one pair, and how many of its columns are links."""
        lengths = int(hyp.lengths()[h]), int(ref.lengths()[r])
        if sum(lengths) > _MOST_TOKENS:
            raise TooLong(
                f"{what}: {sum(lengths):,} tokens are too many for the whole program; the"
                f" limit is {_MOST_TOKENS:,}"
            )
        links = self.links(hyp, h, ref, r, what, time_limit)
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
        what: str = "the pair",
        time_limit: float = TIME_LIMIT,
        most: int = _MOST_LINKS,
    ) -> I32:
        """The links of one pair: rows (hyp start, hyp order, ref start, ref order), sorted.

        `what` names it in errors; more links than `most` are one.
        """
        order, release = self.max_order, self.release
        try:
            return link_pairs(hyp, h, ref, r, order, release, time_limit, most)
        except (TimeoutError, OverflowError) as error:
            raise unproved(what, error, time_limit) from None


def _n_characters(key: _Key) -> int:
    return sum(len(text) for side in key[1] for text in side)


def _divided(amounts: I64, units: I64) -> F64:
    # Rows of whole numbers by the unit of their pair, each quotient rounded once.
    if amounts.max(initial=0) < 2**53:
        return np.asarray(amounts / units[:, None], np.float64)
    rows = zip(amounts.tolist(), units.tolist(), strict=True)
    return np.array([[float(Fraction(one, unit)) for one in row] for row, unit in rows])


def _compare(reduced: F64, whole: F64, proved: Bools, name: Named) -> None:
    # Both are exact values, rounded once, so they are equal to the last bit or one is wrong.
    wrong = (reduced != whole) & proved[:, None]
    if wrong.any():
        p, side = np.argwhere(wrong)[0].tolist()
        raise SolverError(
            f"{name(p)}: the reduction covers {reduced[p, side]!r} of the"
            f" {('reference', 'hypothesis')[side]}, the whole program {whole[p, side]!r};"
            " they must be equal"
        )
