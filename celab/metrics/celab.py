"""TESLA-CELAB: sentences in, scores out (Liu and Ng 2012, "Character-Level Machine Translation
Evaluation for Languages with Ambiguous Word Boundaries").

With C_ref and C_hyp the greatest sums of coverage that the paper's program reaches on either side,
and N_ref and N_hyp the numbers of n-grams of orders 1 to `max_order`,

    recall = C_ref / N_ref,  precision = C_hyp / N_hyp,
    score  = (C_ref + f · C_hyp) / (N_ref + f · N_hyp)                            (section 3.4)

Several references: the mean over those present. System: the mean over segments. A hypothesis
without tokens scores 0; a segment none of whose references has tokens is an error.

A token is a character, or what `tokenize` makes one. For German (`lang="de"`) the tokens are words
and the parts of compounds, as the paper foresees (section 5.1): Regenschirm is regen schirm, in
text and lexicon alike.

>>> metric = TeslaCelab(lexicon=None)
>>> metric.sentence_score("买伞", ["买雨伞"]).recall
0.3333333333333333
>>> german = TeslaCelab(lexicon=None, lang="de")
>>> german.sentence_score("Regenschirm kaufen", ["Regen schirm kaufen"]).score
1.0
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from celab._native.cover import cover_pairs
from celab._native.links import link_pairs
from celab._native.program import count_ngrams
from celab._native.tokens import Sentences
from celab._native.vocabulary import Vocabulary
from celab.errors import InputError, OptionError, SolverError
from celab.lexicon.catalogue import DEFAULTS, LexiconSpec
from celab.lexicon.lexicon import open_lexicon
from celab.metrics.base import Metric, Score, Scorer, Segments, check_corpus, check_lists
from celab.metrics.batches import batches, in_threads
from celab.metrics.references import References
from celab.normalize import Normalizer, opencc_version
from celab.options import TIME_LIMIT, TeslaCelabOptions, usual
from celab.program import Program, pair_program
from celab.solve import block_values, exact, solve
from celab.tokens import is_blank
from celab.version import __version__

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from celab._native.lexicon import Lexicon as NativeLexicon
    from celab.analysis.parts import Parts
    from celab.explanation import Explanation, SegmentExplanation

    F64 = NDArray[np.float64]

# Segments in one call of the kernels. Many, so that what is left of them for HiGHS shares its cost
# per call; few where each takes the solver's time, or where threads must share the work evenly.
_MOST_IN_BATCH = 512
_FEWEST_IN_BATCH = 32
_MOST_PAIRS = 4096  # in one call, where all are compared with all
_AGREE = 1e-9


class TeslaCelab(Metric):
    """The metric with its settings and lexicon. Threads may share it.

    It keeps the references it read last: other systems are then scored against them for less.

    `lang` says what is usual, Chinese if nothing; lexicon, `tokenize`, `case` and `script` may be
    chosen all the same. `counts` names a corpus or a table of words and counts, by which German
    compounds are split in place of the frequencies of `wordfreq`.
    """

    def __init__(
        self,
        *,
        lexicon: LexiconSpec = "default",
        lang: str | None = None,
        counts: str | os.PathLike[str] | None = None,
        tokenize: str | None = None,
        width: str = "fold",
        case: str | None = None,
        umlauts: str = "keep",
        script: str | None = None,
        opencc: str = "t2s",
        max_order: int = 4,
        f: float = 0.25,
        links: str = "paper",
        cilin_lines: str = "all",
        solver: str = "auto",
        time_limit: float = TIME_LIMIT,
        on_error: str = "raise",
        jobs: int = 1,
    ) -> None:
        self.options = TeslaCelabOptions(
            **usual(lang, tokenize=tokenize, case=case, script=script),
            max_order=max_order, f=f, width=width, umlauts=umlauts, opencc=opencc,
            cilin_lines=cilin_lines, links=links, solver=solver, time_limit=time_limit,
            on_error=on_error, jobs=jobs,
        )  # fmt: skip
        self.lang = lang or "zh"
        self.parts = _parts(self.options, lang, counts)
        self.normalizer = Normalizer.of(self.options)
        if lexicon == "default":
            lexicon = DEFAULTS.get(self.lang)
        self.lexicon = open_lexicon(lexicon, self.options, self.parts)
        if self.lexicon and self.lexicon.notice:
            warnings.warn(self.lexicon.notice, stacklevel=2)
        self.references = References(self.read, self.vocabulary)

    @property
    def native_lexicon(self) -> NativeLexicon | None:
        """The lexicon as the kernels want it."""
        return self.lexicon.native if self.lexicon else None

    @property
    def signature(self) -> str:
        """Everything that can move a score, in one line."""
        cited = self.lexicon.cited if self.lexicon else "none"
        said = [] if self.lang == "zh" else [f"lang:{self.lang}"]
        said += self.options.signature_parts()
        if self.parts:
            said.append(f"split:{self.parts.name}")
        if self.options.script != "keep":
            said.append(f"opencc:{opencc_version()}")
        return "|".join(["celab", *said, f"lex:{cited}", f"v:{__version__}"])

    def corpus_score(
        self,
        hyps: Sequence[str],
        refs: Sequence[Sequence[str | None]],
        progress: Callable[[int], object] | None = None,
    ) -> Score:
        """A system's output against one sequence of sentences per reference.

        A reference that is empty or None is absent; `progress` is told how many segments are done.
        """
        hyp_side, ref_sides = check_corpus(hyps, refs)
        return self.score_prepared(
            self.prepared(hyp_side), [self.prepared(side) for side in ref_sides], progress
        )

    def stream(self, hyps: Sequence[str], refs: Sequence[Sequence[str | None]]) -> Scorer:
        """What scores a corpus that begins in this way, batch by batch.

        `script="auto"` looks at the beginning, which should have `LOOKED_AT` segments if there are
        so many: then scores are those of the whole corpus.
        """
        hyp_side, ref_sides = check_corpus(hyps, refs)
        scripts = [self.normalizer.becomes(side) for side in (hyp_side, *ref_sides)]

        def score(
            hyps: Sequence[str],
            refs: Sequence[Sequence[str | None]],
            progress: Callable[[int], object] | None = None,
        ) -> Score:
            hyp_side, ref_sides = check_corpus(hyps, refs)
            hyp_side, *ref_sides = map(self.prepared, (hyp_side, *ref_sides), scripts)
            return self.score_prepared(hyp_side, ref_sides, progress)

        return score

    def score_prepared(
        self,
        hyps: list[str],
        refs: list[list[str]],
        progress: Callable[[int], object] | None = None,
    ) -> Score:
        """As `corpus_score`, of sides that `prepared` has made."""
        values = np.full((len(refs), len(hyps), 3), np.nan)
        skipped: set[int] | None = set() if self.options.on_error == "skip" else None

        def run(batch: slice) -> None:
            values[:, batch] = self.batch(hyps, refs, batch, skipped)

        todo = batches(len(hyps), self._batch_size(len(hyps)))
        for batch in in_threads(run, todo, self.options.jobs):
            if progress is not None:
                progress(batch.stop)
        return Score.of(values, self.signature, skipped=skipped or ())

    def pairwise(self, hyps: Sequence[str], refs: Sequence[str | None]) -> F64:
        """The scores of all hypotheses (rows) against all references (columns).

        NaN where the reference is empty. Each side is normalised as a whole, as in a corpus.
        """
        from celab.metrics.pairwise import pairwise_rows

        hyp_side, ref_side = map(self.prepared, check_lists(hyps, refs))
        scores = np.empty((len(hyp_side), len(ref_side)))

        def run(rows: slice) -> None:
            scores[rows] = pairwise_rows(self, hyp_side[rows], ref_side, rows.start)

        todo = batches(len(hyp_side), max(1, _MOST_PAIRS // len(ref_side)))
        for _rows in in_threads(run, todo, self.options.jobs):
            pass
        return scores

    def explain(self, hyp: str, ref: str, *, normalized: bool = False) -> Explanation:
        """Where the score of one hypothesis against one reference comes from.

        `script="auto"` looks at a whole side. For a segment of a corpus, hand in the sentences as
        `prepared` gives them, with `normalized=True`.
        """
        from celab.metrics.explain import explain

        if not normalized:
            (hyp,), (ref,) = self.prepared([hyp]), self.prepared([ref])
        return explain(self, hyp, ref)

    def explain_segment(
        self, hyps: Sequence[str], refs: Sequence[Sequence[str]], index: int
    ) -> SegmentExplanation:
        """One segment of a corpus whose sides are prepared as a whole, as when they are scored."""
        from celab.explanation import SegmentExplanation

        (hyp,), *sides = (
            self.prepared([side[index]], self.normalizer.becomes(list(side)))
            for side in (hyps, *refs)
        )
        present = [r for r, (ref,) in enumerate(sides) if not is_blank(ref)]
        if not present:
            raise InputError(
                f"segment {index + 1} has no reference; at least one must hold more than white"
                " space"
            )
        found = self.segments([hyp], [sides[r] for r in present], slice(0, 1))
        score, precision, recall = found.figures[0].tolist()
        against = tuple(self.explain(hyp, sides[r][0], normalized=True) for r in present)
        return SegmentExplanation(tuple(present), against, score, precision, recall, found.combine)

    def prepared(self, texts: list[str], script: str | None = None) -> list[str]:
        """One side of a corpus as all below takes it: in parts, if so told, and normalised.

        `script` is what `normalizer.becomes` said of the whole side, if this is a part of it.
        """
        if self.parts:
            texts = self.parts(texts)
        return self.normalizer.converted(texts, script or self.normalizer.becomes(texts))

    def read(self, texts: list[str], vocabulary: Vocabulary, indexed: bool = True) -> Sentences:
        """Normalised sentences as the kernels want them; references need an index."""
        options = self.options
        return Sentences(
            texts,
            vocabulary,
            self.native_lexicon,
            options.tokenize == "char",
            self.normalizer.folds,
            options.max_order,
            indexed,
        )

    def vocabulary(self) -> Vocabulary:
        """A vocabulary in which two sides can meet."""
        return Vocabulary(self.lexicon.vocabulary if self.lexicon else None)

    def _batch_size(self, n_segments: int) -> int:
        if self.options.solver != "auto":
            return _FEWEST_IN_BATCH
        # Each batch costs a call of HiGHS, so there are no more than each thread needs.
        share = -(-n_segments // self.options.jobs)
        return max(_FEWEST_IN_BATCH, min(_MOST_IN_BATCH, share))

    def segments(self, hyps: list[str], refs: list[list[str]], batch: slice) -> Segments:
        """The scores of some segments of normalised sides."""
        return Segments(self.batch(hyps, refs, batch))

    def batch(
        self,
        hyps: list[str],
        refs: list[list[str]],
        batch: slice,
        skipped: set[int] | None = None,
    ) -> F64:
        """Score, precision and recall of normalised segments, for each reference.

        A value that is not proved is an error, unless there is a set that takes in its segment.
        """
        vocabulary, sides = self.references.batch([side[batch] for side in refs])
        hyp = self.read(hyps[batch], Vocabulary(vocabulary), indexed=False)
        rows = []
        for r, ref in enumerate(sides):
            skip = skipped is not None
            if self.options.solver == "highs":
                covered = self._whole(hyp, ref, batch.start, r, skip)
            else:
                covered = self.reduced(hyp, ref, self._namer(batch.start, r), skip=skip)
            if self.options.solver == "check":
                whole = self._whole(hyp, ref, batch.start, r, skip)
                _compare(covered, whole, batch.start, r)
                covered[np.isnan(whole)] = np.nan
            if skipped is not None:
                skipped.update(
                    (batch.start + np.flatnonzero(np.isnan(covered).any(axis=1))).tolist()
                )
            rows.append(self._statistics(covered, hyp, ref))
        return np.stack(rows)

    def _namer(self, first: int, r: int) -> Callable[[int], str]:
        # Of the pair that a block belongs to, if segment `first` is the batch's first.
        return lambda owner: _name(first + owner // 2, r)

    def reduced(
        self,
        hyp: Sentences,
        ref: Sentences,
        what: str | Callable[[int], str],
        hyp_at: NDArray[np.int32] | None = None,
        ref_at: NDArray[np.int32] | None = None,
        *,
        skip: bool = False,
    ) -> F64:
        """What each side of each pair covers (reference, hypothesis), by the exact reduction.

        `what` names the pairs in an error; `hyp_at` and `ref_at` say which sentences they are, if
        not those with the same number. With `skip`, what is not proved is NaN and no error.
        """
        options = self.options
        release = options.links == "release-2012"
        proved, _, rest = cover_pairs(hyp, ref, options.max_order, release, hyp_at, ref_at)
        covered = proved.astype(np.float64)
        if len(rest):
            program = Program.of(rest)
            values = block_values(program, what, options.time_limit, skip=skip)
            np.add.at(covered.reshape(-1), program.block_owner, values)
            covered = exact(covered)  # whatever was proved where
        return covered

    def _whole(self, hyp: Sentences, ref: Sentences, first: int, r: int, skip: bool) -> F64:
        # The same, by the paper's whole program for each pair.
        covered = np.zeros((len(hyp), 2))
        lengths = zip(hyp.lengths().tolist(), ref.lengths().tolist(), strict=True)
        for s, (hyp_length, ref_length) in enumerate(lengths):
            if not hyp_length or not ref_length:
                continue
            program, n_links = self.joint_program(hyp, s, ref, s)
            n_ref = self.n_ngrams(ref_length)
            try:
                x = solve(program, _name(first + s, r), self.options.time_limit)
            except SolverError:
                if not skip:
                    raise
                covered[s] = np.nan
                continue
            covered[s] = x[n_links : n_links + n_ref].sum(), x[n_links + n_ref :].sum()
        return covered

    def joint_program(
        self, hyp: Sentences, hyp_sentence: int, ref: Sentences, ref_sentence: int
    ) -> tuple[Program, int]:
        """The paper's whole program for one pair, and how many of its columns are links."""
        options = self.options
        links = link_pairs(
            hyp,
            hyp_sentence,
            ref,
            ref_sentence,
            options.max_order,
            options.links == "release-2012",
        )
        # The two halves are independent, so any f > 0 gives the same greatest coverages.
        f = options.f or 0.25
        lengths = int(hyp.lengths()[hyp_sentence]), int(ref.lengths()[ref_sentence])
        return pair_program(links, *lengths, options.max_order, f), len(links)

    def n_ngrams(self, length: int) -> int:
        """How many n-grams a sentence of so many tokens has."""
        return count_ngrams(length, self.options.max_order)

    def _statistics(self, covered: F64, hyp: Sentences, ref: Sentences) -> F64:
        n_ref = ngram_counts(ref.lengths(), self.options.max_order)
        n_hyp = ngram_counts(hyp.lengths(), self.options.max_order)
        f = self.options.f
        with np.errstate(invalid="ignore"):  # 0 / 0 where a side is empty
            score = (covered[:, 0] + f * covered[:, 1]) / (n_ref + f * n_hyp)
            precision = np.where(n_hyp, covered[:, 1] / n_hyp, 0.0)
            recall = covered[:, 0] / n_ref
        values = np.stack((score, precision, recall), axis=1)
        values[n_ref == 0] = np.nan
        return values


def _parts(
    options: TeslaCelabOptions, lang: str | None, counts: str | os.PathLike[str] | None
) -> Parts | None:
    if options.tokenize != "parts":
        if counts is not None:
            raise OptionError(
                f"counts is {os.fspath(counts)!r}, but tokenize is {options.tokenize!r};"
                " compounds are split, hence counted, only by tokenize='parts'"
            )
        return None
    if lang != "de":
        raise OptionError(f"tokenize is 'parts' and lang is {lang!r}; it must be 'de'")
    from celab.analysis.compounds import Compounds
    from celab.analysis.parts import Parts

    return Parts(Compounds(counts), respelt=options.umlauts == "fold")


def ngram_counts(lengths: NDArray[np.int64], max_order: int) -> F64:
    """How many n-grams of order 1 to `max_order` sentences of these lengths have."""
    counts = np.maximum(lengths[:, None] - np.arange(max_order), 0).sum(axis=1)
    return np.asarray(counts, np.float64)


def _name(segment: int, r: int) -> str:
    return f"segment {segment + 1}, reference {r + 1}"


def _compare(reduced: F64, whole: F64, first: int, r: int) -> None:
    scale = np.maximum(1.0, np.abs(whole))
    wrong = np.abs(reduced - whole) > _AGREE * scale
    if wrong.any():
        s, side = np.argwhere(wrong)[0].tolist()
        raise SolverError(
            f"{_name(first + s, r)}: the reduction covers"
            f" {reduced[s, side]!r} n-grams of the {('reference', 'hypothesis')[side]},"
            f" the whole program {whole[s, side]!r}; they must agree to {_AGREE}"
        )
