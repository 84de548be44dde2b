"""TESLA-CELAB: sentences in, scores out (Liu and Ng 2012, "Character-Level Machine Translation
Evaluation for Languages with Ambiguous Word Boundaries").

With C_ref and C_hyp the greatest sums of coverage that the paper's program reaches on either side,
and N_ref and N_hyp the numbers of n-grams of orders 1 to `max_order`,

    recall = C_ref / N_ref,  precision = C_hyp / N_hyp,
    score  = (C_ref + f · C_hyp) / (N_ref + f · N_hyp)                            (section 3.4)

Several references: the mean over those present. System: the mean over segments. A hypothesis
without tokens scores 0; a segment none of whose references has tokens is an error.

A token is a character, or what `tokenize` makes one. For German (`lang="de"`) the tokens are words
and the parts of compounds, as sketched in the paper (section 5.1): Regenschirm is regen schirm, in
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
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from celab.arrays import F64
from celab.engine import Coverage, Engine
from celab.errors import OptionError
from celab.explanation import Explanation
from celab.lexicon.catalogue import DEFAULTS, LexiconSpec, portable
from celab.lexicon.lexicon import open_lexicon
from celab.metrics import explain
from celab.metrics.base import Metric, Progress, Refs, Score, Segments, Stream, check_lists
from celab.normalize import opencc_version
from celab.options import (
    Case,
    CilinLines,
    FoldOrKeep,
    Links,
    OpenCC,
    Script,
    TeslaCelabOptions,
    Tokenize,
    usual,
)
from celab.run import TIME_LIMIT, OnError, Run, Solver, batches, pair_namer
from celab.version import __version__

if TYPE_CHECKING:
    from celab.analysis.parts import Parts


# Segments in one call of the kernels. Many, so that what is left of them for HiGHS shares its cost
# per call; few where each takes the solver's time, or where threads must share the work evenly.
_MOST_IN_BATCH = 512
_FEWEST_IN_BATCH = 32
_MOST_CHARACTERS = 1 << 18  # of a batch, for each of which the kernels take some 90 bytes
_MOST_PAIRS = 4096  # in one call, where all are compared with all


class TeslaCelab(Metric):
    """TESLA-CELAB with its settings and lexicon.

    Parameters:
        lexicon: name or path of a lexicon, a list of them, or None for no synonyms (default: that
            of the language, which is Cilin for Chinese).
        lang: target language: zh (default), de, ja or ko. It decides lexicon, `tokenize`, `case`
            and `script`, unless they are given.
        counts: German: a corpus, or a table of words and counts, by which compounds are split in
            place of the frequencies of `wordfreq`.
        tokenize: "char" (characters, Latin words and numbers), "space" (already tokenised) or
            "parts" (words and the parts of German compounds).
        width: "fold" full-width ASCII variants and the ideographic space, or "keep" them.
        case: "keep" or "lower".
        umlauts: "keep" or "fold": Größe as Groesse.
        script: "auto" converts what is Traditional to Simplified; or "keep", "simplified",
            "traditional".
        opencc: OpenCC's conversion from Traditional to Simplified: t2s, tw2s, tw2sp or hk2s.
        max_order: longest n-gram, 1 to 6.
        f: weight of precision against recall.
        links: "paper", or "release-2012" for the rules of the authors' program.
        cilin_lines: "all" lines of a Cilin file make synonyms, or only "=" lines.
        jobs: threads; 0 means all cores.
        solver: "auto", "highs" or "check".
        time_limit: seconds that HiGHS may take for one program.
        on_error: "raise" an error where no optimum is proved, or "skip" the segment.

    >>> import celab
    >>> metric = celab.TeslaCelab(script="keep")
    >>> metric.corpus_score(["买伞"], [["买雨伞"]]).score
    1.0
    >>> metric.get_signature().split("|")[:3]
    ['celab', 'n:4', 'f:0.25']
    """

    options: TeslaCelabOptions
    engine: Engine
    _given: dict[str, Any]

    def __init__(
        self,
        *,
        lexicon: LexiconSpec = "default",
        lang: str | None = None,
        counts: str | os.PathLike[str] | None = None,
        tokenize: Tokenize | None = None,
        width: FoldOrKeep = "fold",
        case: Case | None = None,
        umlauts: FoldOrKeep = "keep",
        script: Script | None = None,
        opencc: OpenCC = "t2s",
        max_order: int = 4,
        f: float = 0.25,
        links: Links = "paper",
        cilin_lines: CilinLines = "all",
        jobs: int = 1,
        solver: Solver = "auto",
        time_limit: float = TIME_LIMIT,
        on_error: OnError = "raise",
    ) -> None:
        settings = {
            "max_order": max_order, "f": f, "width": width, "umlauts": umlauts, "opencc": opencc,
            "cilin_lines": cilin_lines, "links": links,
            **usual(lang, tokenize=tokenize, case=case, script=script),
        }  # fmt: skip
        options = TeslaCelabOptions(**settings)
        run = Run(jobs=jobs, solver=solver, time_limit=time_limit, on_error=on_error)
        parts = _parts(options, lang, counts)
        if lexicon == "default":
            lexicon = DEFAULTS.get(lang or "zh")
        opened = open_lexicon(lexicon, options, parts)
        notice = opened.notice if opened else ""
        if notice:
            warnings.warn(notice, stacklevel=2)
        given = {"lexicon": portable(lexicon, notice), "lang": lang, **settings}
        if counts is not None:
            given["counts"] = os.path.abspath(counts)
        self._freeze(given, options=options, run=run, engine=Engine(options, opened, parts))
        vars(self)["signature"] = self._signed()

    def stream(self, hyps: Sequence[str] | None, refs: Refs) -> Stream:
        """A `Stream` that scores, part by part, a corpus with this beginning.

        `script="auto"` looks at the beginning. Give the first 10,000 segments, or all if there are
        fewer; the scores are then those of the whole corpus. If `hyps` is None, the references
        together decide for the hypotheses, and the signature says `script:auto-by-refs`.
        """
        sides = [["" if ref is None else ref for ref in side] for side in refs]
        scripts = [self.engine.script(side) for side in sides]
        if hyps is not None:
            return Stream(self, self.signature, (self.engine.script(list(hyps)), *scripts))
        together = self.engine.script(["".join(texts) for texts in zip(*sides, strict=True)])
        by_refs = "auto-by-refs" if self.options.script == "auto" else self.options.script
        return Stream(self, self._signed(script=by_refs), (together, *scripts))

    def _signed(self, **instead: str) -> str:
        # The signature, with other words for some options.
        lang, engine = self._given["lang"], self.engine
        said = ["celab"] if lang in (None, "zh") else ["celab", f"lang:{lang}"]
        said += self.options.signature_parts(**instead)
        if engine.parts:
            said.append(f"split:{engine.parts.name}")
        if self.options.script != "keep":
            said.append(f"opencc:{opencc_version()}")
        cited = engine.lexicon.cited if engine.lexicon else "none"
        return "|".join([*said, f"lex:{cited}", f"v:{__version__}"])

    def _score(
        self, stream: Stream, hyps: list[str], refs: list[list[str]], progress: Progress | None
    ) -> Score:
        engine, run = self.engine, self.run
        hyps, *refs = map(engine.prepared, [hyps, *refs], stream.scripts)
        values = np.empty((len(refs), len(hyps), 3))
        present = np.empty(values.shape[:2], np.bool_)
        proved = np.empty(values.shape[:2], np.bool_)

        def work(batch: slice) -> None:
            vocabulary, sides = engine.references([side[batch] for side in refs], stream.keeps)
            hyp = engine.hypotheses(hyps[batch], vocabulary)
            for r, ref in enumerate(sides):
                covered = engine.coverage(hyp, ref, run, pair_namer(batch.start, r))
                values[r, batch] = self._figures(covered)
                present[r, batch] = covered.totals[:, 0] > 0
                proved[r, batch] = covered.proved

        for batch in run.each(work, self._batches([hyps, *refs])):
            if progress is not None:
                progress(batch.stop)
        segments = Segments(values, self.combine, present, np.logical_and.reduce(proved))
        return Score.of(segments, stream.signature)

    def pairwise(self, hyps: Sequence[str], refs: Sequence[str | None]) -> F64:
        """The scores of all hypotheses (rows) against all references (columns).

        NaN where the reference is empty, or, with `on_error="skip"`, where a value is not proved.
        Each side is normalised as a whole, as in a corpus.
        """
        engine = self.engine
        hyp_side, ref_side = (
            engine.prepared(side, engine.script(side)) for side in check_lists(hyps, refs)
        )
        vocabulary, (ref,) = engine.references([ref_side])
        scores = np.empty((len(hyp_side), len(ref_side)))

        def work(rows: slice) -> None:
            hyp = engine.hypotheses(hyp_side[rows], vocabulary)
            n, m = len(hyp), len(ref)
            # One reference after the other, so that its index is at hand for all hypotheses.
            hyp_at = np.tile(np.arange(n, dtype=np.int32), m)
            ref_at = np.repeat(np.arange(m, dtype=np.int32), n)

            def name(p: int) -> str:
                return f"hypothesis {rows.start + hyp_at[p] + 1}, reference {ref_at[p] + 1}"

            covered = engine.coverage(hyp, ref, self.run, name, hyp_at, ref_at)
            counts = covered.proved & (covered.totals[:, 0] > 0)
            values = np.where(counts, self._figures(covered)[:, 0], np.nan)
            scores[rows] = values.reshape(m, n).T

        for _ in self.run.each(work, batches(len(hyp_side), max(1, _MOST_PAIRS // len(ref_side)))):
            pass
        return scores

    def _explain(self, stream: Stream, hyp: str, ref: str, r: int) -> Explanation:
        engine, run = self.engine, replace(self.run, on_error="raise")
        (hyp,) = engine.prepared([hyp], stream.scripts[0])
        (ref,) = engine.prepared([ref], stream.scripts[1 + r])
        vocabulary, (ref_side,) = engine.references([[ref]])
        hyp_side = engine.hypotheses([hyp], vocabulary)
        covered = engine.coverage(hyp_side, ref_side, run, lambda p: "the explained pair")
        score, precision, recall = self._figures(covered)[0].tolist()
        pair = explain.Pair(engine, hyp_side, ref_side, engine.tokens(hyp), engine.tokens(ref))
        return Explanation(
            pair.hyp_tokens, pair.ref_tokens, score, precision, recall,
            *pair.solution(run.time_limit), self.signature,
        )  # fmt: skip

    def _batches(self, sides: list[list[str]]) -> list[slice]:
        # Parts of equal size; those with long texts are divided again.
        found = []
        for batch in batches(len(sides[0]), self._batch_size(len(sides[0]))):
            n_characters = sum(len(text) for side in sides for text in side[batch])
            n, n_parts = batch.stop - batch.start, n_characters // _MOST_CHARACTERS + 1
            found += [
                slice(batch.start + part.start, batch.start + part.stop)
                for part in batches(n, -(-n // n_parts))
            ]
        return found

    def _batch_size(self, n_segments: int) -> int:
        if self.run.solver != "auto":
            return _FEWEST_IN_BATCH
        # Each batch costs a call of HiGHS, so there are no more than each thread needs.
        share = -(-n_segments // self.run.threads)
        return max(_FEWEST_IN_BATCH, min(_MOST_IN_BATCH, share))

    def _figures(self, covered: Coverage) -> F64:
        # Score, precision and recall of each pair; undefined where the reference is empty.
        c_ref, c_hyp = covered.amounts.T
        n_ref, n_hyp = covered.totals.T
        f = self.options.f
        with np.errstate(invalid="ignore"):  # 0 / 0 where a side is empty
            score = (c_ref + f * c_hyp) / (n_ref + f * n_hyp)
            precision = np.where(n_hyp, c_hyp / n_hyp, 0.0)
            return np.stack((score, precision, c_ref / n_ref), axis=1)


def _parts(
    options: TeslaCelabOptions, lang: str | None, counts: str | os.PathLike[str] | None
) -> Parts | None:
    if options.tokenize != "parts":
        if counts is not None:
            raise OptionError(
                f"counts is {os.fspath(counts)!r}, but tokenize is {options.tokenize!r};"
                " counts are used only with tokenize='parts'"
            )
        return None
    if lang != "de":
        raise OptionError(f"tokenize is 'parts' and lang is {lang!r}; it must be 'de'")
    from celab.analysis.compounds import Compounds
    from celab.analysis.parts import Parts

    return Parts(Compounds(counts), respelt=options.umlauts == "fold")
