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
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from celab._native.cover import cover_pairs
from celab._native.links import link_pairs
from celab._native.program import count_ngrams, pair_program
from celab._native.tokens import Sentences, cut
from celab._native.vocabulary import Vocabulary
from celab.arrays import F64, I32, Bools
from celab.errors import SolverError
from celab.normalize import Normalizer
from celab.program import Program
from celab.proof import Exact, proved_solution, proved_values
from celab.run import TIME_LIMIT, Run, TooLong, unproved

if TYPE_CHECKING:
    from celab.analysis.parts import Parts
    from celab.lexicon.lexicon import Lexicon
    from celab.options import TeslaCelabOptions

    Named = Callable[[int], str]  # of a pair, for an error

_MOST_KEPT = 1 << 19  # characters of references, of about 250 bytes each
# In a whole program: with more, HiGHS takes gigabytes.
_MOST_LINKS = 2**20
_MOST_TOKENS = 2**18


@dataclass(frozen=True, slots=True)
class Coverage:
    """Rows of (reference, hypothesis), one for each pair."""

    amounts: F64  # the greatest Σ c of the half; 0 where it is not proved
    totals: F64  # what there is to cover: the number of n-grams
    proved: Bools  # of each pair


class Batch(NamedTuple):
    """The same segments of all reference sides, and the vocabulary that numbered their tokens."""

    vocabulary: Vocabulary
    sides: list[Sentences]


class Engine:
    """Reads and covers as the options and the lexicon say. Threads may share it.

    It keeps the references it read last, so that the next system is scored faster.
    """

    def __init__(
        self, options: TeslaCelabOptions, lexicon: Lexicon | None, parts: Parts | None
    ) -> None:
        self.max_order = options.max_order
        self.release = options.links == "release-2012"
        self.lexicon = lexicon
        self.parts = parts
        self._normalizer = Normalizer.of(options)
        self._by_character = options.tokenize == "char"
        self._kept: dict[tuple[tuple[str, ...], ...], Batch] = {}  # the oldest first
        self._n_kept = 0
        self._lock = Lock()

    # ---- texts → sides ----

    def script(self, texts: list[str]) -> str:
        """The script of a side that begins with these texts: simplified, traditional or keep."""
        return self._normalizer.becomes(texts)

    def prepared(self, texts: list[str], script: str) -> list[str]:
        """Texts of a side whose script is decided, normalised, and in compound parts if set so."""
        return self._normalizer.converted(self.parts(texts) if self.parts else texts, script)

    def tokens(self, text: str) -> tuple[str, ...]:
        """The tokens of a prepared text, spelled out."""
        return tuple(cut(text, self._by_character, self._normalizer.folds))

    def references(self, sides: list[list[str]], keep: bool = True) -> Batch:
        """The same prepared segments of each reference side, as the kernels take them.

        They are cached for the next call, unless disabled.
        """
        key = tuple(map(tuple, sides))
        with self._lock:
            batch = self._kept.pop(key, None) if keep else None
            if batch is not None:
                self._kept[key] = batch  # now the newest
                return batch
        vocabulary = Vocabulary()
        batch = Batch(vocabulary, [self._read(side, vocabulary, True) for side in sides])
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

    def hypotheses(self, texts: list[str], vocabulary: Vocabulary) -> Sentences:
        """Prepared hypotheses, to be compared with references that `vocabulary` has numbered.

        Theirs is a vocabulary of their own on top of it, so that threads may share that one.
        """
        return self._read(texts, Vocabulary(vocabulary), False)

    def _read(self, texts: list[str], vocabulary: Vocabulary, indexed: bool) -> Sentences:
        native = self.lexicon.native if self.lexicon else None
        folds = self._normalizer.folds
        return Sentences(
            texts, vocabulary, native, self._by_character, folds, self.max_order, indexed
        )

    # ---- pairs → covered amounts ----

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
        lengths = np.stack((ref.lengths()[ref_at], hyp.lengths()[hyp_at]), axis=1)
        totals = np.maximum(lengths[:, :, None] - np.arange(self.max_order), 0).sum(axis=2)
        return Coverage(amounts, totals.astype(np.float64), proved)

    def _reduced(
        self, hyp: Sentences, ref: Sentences, hyp_at: I32, ref_at: I32, run: Run, name: Named
    ) -> tuple[F64, Bools]:
        # By the kernel, which leaves small programs where its bounds prove nothing.
        failed: dict[int, Exception] = {}
        counted, _, rest = cover_pairs(
            hyp, ref, self.max_order, self.release, hyp_at, ref_at, run.time_limit, failed,
            run.skips,
        )  # fmt: skip
        amounts, proved = counted.astype(np.float64), np.ones(len(counted), np.bool_)
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
            amounts[divmod(owner, 2)] = float(total)  # the only rounding
        return amounts, proved

    def _whole(
        self, hyp: Sentences, ref: Sentences, hyp_at: I32, ref_at: I32, run: Run, name: Named
    ) -> tuple[F64, Bools]:
        # The same, by the paper's whole program for each pair.
        amounts, proved = np.zeros((len(hyp_at), 2)), np.ones(len(hyp_at), np.bool_)
        hyp_lengths, ref_lengths = hyp.lengths(), ref.lengths()
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
            amounts[p] = float(sum(x[n_links:n_ref])), float(sum(x[n_ref:]))
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
        return Program.of(pair_program(links, *lengths, self.max_order)), len(links)

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


def _n_characters(sides: tuple[tuple[str, ...], ...]) -> int:
    return sum(len(text) for side in sides for text in side)


def _compare(reduced: F64, whole: F64, proved: Bools, name: Named) -> None:
    # Both are exact values, rounded once, so they are equal to the last bit or one is wrong.
    wrong = (reduced != whole) & proved[:, None]
    if wrong.any():
        p, side = np.argwhere(wrong)[0].tolist()
        raise SolverError(
            f"{name(p)}: the reduction covers {reduced[p, side]!r} n-grams of the"
            f" {('reference', 'hypothesis')[side]}, the whole program {whole[p, side]!r};"
            " they must be equal"
        )
