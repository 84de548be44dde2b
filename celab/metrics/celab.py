"""TESLA-CELAB: sentences in, scores out (Liu and Ng 2012, "Character-Level Machine Translation
Evaluation for Languages with Ambiguous Word Boundaries").

With C_ref and C_hyp the greatest sums of coverage that the paper's program reaches on either side,
and N_ref and N_hyp the numbers of n-grams of orders 1 to `max_order`,

    recall = C_ref / N_ref,  precision = C_hyp / N_hyp,
    score  = (C_ref + f · C_hyp) / (N_ref + f · N_hyp)                            (section 3.4)

With `weights`, each n-gram counts as much as it weighs, in sums and in totals alike (section 5.3).

Several references: the mean over those present. System: the mean over segments. A hypothesis
without tokens scores 0; a segment none of whose references has tokens is an error.

A token is a character, or what `tokenize` makes one. For German (`lang="de"`) the tokens are words
and the parts of compounds, as sketched in the paper (section 5.1): Regenschirm is regen schirm, in
text and lexicon alike. For English (`lang="en"`) they are letters.

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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from celab.base.arrays import F64, Bools
from celab.base.errors import InputError, OptionError, Setting
from celab.base.options import (
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
from celab.base.run import STREAM_BATCH, TIME_LIMIT, OnError, Run, Solver, batches
from celab.base.signature import Signature
from celab.base.text.japanese import warn_if_japanese
from celab.base.text.normalize import Composition, opencc_version
from celab.base.text.tokens import is_blank
from celab.base.version import __version__
from celab.exact.engine import Coverage, Engine, Pairs
from celab.exact.weights import NAMES, Table, opened
from celab.lexicon.catalogue import DEFAULTS, LexiconSpec, portable
from celab.lexicon.grades import Grade, Grades, chain_of, portable_chain
from celab.lexicon.lexicon import open_lexicon
from celab.metrics import explain
from celab.metrics.base import AllProgress, Metric, Scorer
from celab.metrics.checks import Refs, check_lists
from celab.metrics.explanation import Explanation
from celab.metrics.scores import Score, Segments

if TYPE_CHECKING:
    from celab.lexicon.lexicon import Respelling


# Segments in one call of the kernels. Many, so that they share what a call costs; few where each
# takes the solver's time, or where threads must share the work evenly.
_MOST_IN_BATCH = 1024
_FEWEST_IN_BATCH = 32
_MOST_CHARACTERS = 1 << 18  # of a batch, for each of which the kernels take some 90 bytes
_MOST_PAIRS = 4096  # in one call, where all are compared with all


class TeslaCelab(Metric):
    """TESLA-CELAB with its settings and lexicon.

    Parameters:
        lexicon: name or path of a lexicon, a list of them, or None for no synonyms (default: that
            of the language, which is Cilin for Chinese; none with letters).
        lang: target language: zh (default), ja, ko, de, en, th, lo, km or my. It decides lexicon,
            `tokenize`, `case` and `script`, unless they are given.
        counts: German: a corpus, or a table of words and counts, by which compounds are split in
            place of the frequencies of `wordfreq`.
        tokenize: "char" (characters, Latin words and numbers), "letter" (letters, digits and the
            spaces between words), "cluster" (as "char", with the letter clusters of Thai, Lao,
            Khmer and Burmese), "space" (already tokenised) or "parts" (words and the parts of
            German compounds).
        width: "fold" full-width ASCII variants and the ideographic space, or "keep" them.
        case: "keep" or "lower".
        umlauts: "keep" or "fold": Größe as Groesse.
        script: "auto" converts each text that has Traditional characters to Simplified; or "keep",
            "simplified", "traditional".
        opencc: OpenCC's conversion from Traditional to Simplified: t2s, tw2s, tw2sp or hk2s.
        max_order: longest n-gram, 1 to 6 (default: 4; 6 with letters).
        f: weight of precision against recall.
        links: "paper", or "release-2012" for the rules of the authors' program.
        cilin_lines: "all" lines of a Cilin file make synonyms, or only "=" lines.
        weights: weights of n-grams: "unit", "information" (by how rare their characters are),
            "references" (by how few references have their tokens), or the path of a table of
            tokens and weights.
        decay: factor of an n-gram's weight for each token after the first (default: 1 with unit
            weights, else 0.5).
        grades: credits of synonyms, as a dict from the finest grade to the coarsest, such as
            {"=": 1, "#": 0.7, "Cilin level 4": 0.3}, or one credit for the whole lexicon. A key is
            a part of Cilin, or the name or path of a lexicon (default: full credit).
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

    name = "celab"
    has_links = True
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
        max_order: int | None = None,
        f: float = 0.25,
        links: Links = "paper",
        cilin_lines: CilinLines = "all",
        weights: str | os.PathLike[str] = "unit",
        decay: float | None = None,
        grades: Grades = None,
        jobs: int = 1,
        solver: Solver = "auto",
        time_limit: float = TIME_LIMIT,
        on_error: OnError = "raise",
    ) -> None:
        settings = {
            "f": f,
            "width": width,
            "umlauts": umlauts,
            "opencc": opencc,
            "cilin_lines": cilin_lines,
            "links": links,
            "weights": os.fspath(weights),
            "decay": (1.0 if weights == "unit" else 0.5) if decay is None else decay,
            **usual(lang, max_order=max_order, tokenize=tokenize, case=case, script=script),
        }
        options = TeslaCelabOptions(**settings)
        run = Run(jobs=jobs, solver=solver, time_limit=time_limit, on_error=on_error)
        table = opened(options.weights, lang)
        respell = _respelling(options, lang, counts)
        chain = chain_of(grades)
        if lexicon == "default":
            letters = options.tokenize == "letter"
            lexicon = None if letters else DEFAULTS.get(lang or "zh")
            if chain and not any(grade.is_part for grade in chain):
                lexicon = []  # the grades name theirs
        if chain:
            _check_chain(chain, lexicon, options)
        lexicon_opened = open_lexicon(lexicon, options, respell, chain)
        notice = lexicon_opened.notice if lexicon_opened else ""
        if notice:
            warnings.warn(notice, stacklevel=2)
        given = {"lexicon": portable(lexicon, notice), "lang": lang, **settings}
        if chain:
            given["grades"] = portable_chain(chain)
            given["lexicon"] = given["lexicon"] or "default"
        if counts is not None:
            given["counts"] = os.path.abspath(counts)
        if options.weights not in NAMES:
            given["weights"] = os.path.abspath(weights)
        engine = Engine(options, lexicon_opened, respell, table)
        self._freeze(given, options=options, lang=lang or "zh", run=run, engine=engine)
        vars(self)["signature"] = self._signed()

    @property
    def looks_at_references(self) -> bool:
        """Whether the weights come from the references."""
        return self.options.weights == "references"

    @property
    def _language(self) -> str | None:
        # Other tokens than characters, without a language, are for text of any.
        is_any = self._given["lang"] is None and self.options.tokenize != "char"
        return None if is_any else self.lang

    def is_reference(self, text: str) -> bool:
        """Whether a text has tokens, and one that weighs something."""
        engine = self.engine
        if engine.table is None and engine.respell is None:
            return not is_blank(text)
        (prepared,) = engine.prepare([text])
        tokens = engine.tokens(prepared)
        return bool(tokens) if engine.table is None else any(map(engine.table.weigh, tokens))

    def scorer(self, refs: Refs, keep: bool = True) -> CelabScorer:
        """Return a `Scorer` for a corpus whose references begin with these.

        They decide the weights of `weights="references"`, and the signature has a digest of these;
        otherwise `refs` has no effect. Give the first 10,000 segments, or all if there are fewer.
        With `keep`, references that were read stay in memory for the next system.
        """
        table = self._table([["" if ref is None else ref for ref in side] for side in refs])
        signature = self._signed(table) if table else self.signature
        return CelabScorer(self, signature, keep, table)

    def _table(self, sides: list[list[str]]) -> Table | None:
        # The weights that the references' beginning decides, so that a stream need not be read to
        # its end.
        if not self.looks_at_references:
            return None
        return self.engine.table_of([side[:STREAM_BATCH] for side in sides])

    def _signed(self, table: Table | None = None) -> Signature:
        # The signature; `table` has the weights that references decide.
        lang, engine = self._given["lang"], self.engine
        table = table or engine.table
        instead = {"weights": table.cited} if table else {}
        parts = [] if lang in (None, "zh") else [("lang", lang)]
        parts += self.options.signature_parts(**instead)
        if self.options.tokenize == "parts" and engine.respell:
            parts.append(("split", engine.respell.name))
        if self.options.script != "keep":
            parts.append(("opencc", opencc_version()))
        if self._given.get("grades") is not None and engine.lexicon:
            parts.append(("grades", engine.lexicon.graded))
        cited = engine.lexicon.cited if engine.lexicon else "none"
        return Signature(self.name, [*parts, ("lex", cited), ("v", __version__)])

    def _check_weight(self, present: Bools, refs: list[list[str]]) -> None:
        # A reference whose tokens all weigh 0 is absent; one of each segment must not be.
        for s in np.flatnonzero(~present.any(axis=0)).tolist():
            if not all(is_blank(side[s]) for side in refs):
                raise InputError(
                    f"segment {s + 1} has no reference that weighs anything: all their tokens have"
                    f" weight 0 in {self.options.weights}"
                )

    def pairwise(self, hyps: Sequence[str], refs: Sequence[str | None]) -> F64:
        """The scores of all hypotheses (rows) against all references (columns).

        NaN where the reference is empty, or, with `on_error="skip"`, where a value is not proved.
        """
        engine = self.engine
        hyp_side, ref_side = check_lists(hyps, refs)
        warn_if_japanese(self._language, hyp_side, ref_side)
        table = self._table([ref_side])
        hyp_side, ref_side = engine.prepare(hyp_side), engine.prepare(ref_side)
        symmetric = hyp_side == ref_side  # then (h, r) and (r, h) have the same two covers
        # Candidates that are compared with each other are hardly ever compared again.
        vocabulary, (ref,) = engine.references([ref_side], not symmetric, table)
        scores = np.empty((len(hyp_side), len(ref_side)))

        def work(rows: slice) -> None:
            hyp = engine.hypotheses(hyp_side[rows], vocabulary, table)
            # One reference after the other, so that its index is at hand for all hypotheses.
            ref_at, hyp_at = map(np.ravel, np.indices((len(ref), len(hyp)), np.int32))
            if symmetric:
                upper = ref_at >= rows.start + hyp_at
                ref_at, hyp_at = ref_at[upper], hyp_at[upper]

            def name(p: int) -> str:
                return f"hypothesis {rows.start + hyp_at[p] + 1}, reference {ref_at[p] + 1}"

            pairs = Pairs(hyp, ref, hyp_at, ref_at, name)
            by_grade = engine.cover_by_grade(pairs, self.run, table)
            if symmetric:
                turned = [coverage.turned() for coverage in by_grade]
                if self.run.solver == "check":
                    turned = engine.verify(pairs.turned(), turned, self.run, table)
                covered = engine.combine_grades(turned)
                scores[ref_at, rows.start + hyp_at] = self._utilities(covered)
            covered = engine.combine_grades(by_grade)
            scores[rows.start + hyp_at, ref_at] = self._utilities(covered)

        for _ in self.run.each(work, batches(len(hyp_side), max(1, _MOST_PAIRS // len(ref_side)))):
            pass
        return scores

    def _utilities(self, covered: Coverage) -> F64:
        # The score of each pair, NaN where there is none.
        counts = covered.proved & (covered.totals[:, 0] > 0)
        return np.where(counts, self._figures(covered)[:, 0], np.nan)

    def _batches(self, sides: list[list[str]], n_systems: int) -> list[slice]:
        # Parts of equal size; those with long texts are divided again.
        found = []
        for batch in batches(len(sides[0]), self._batch_size(len(sides[0]), n_systems)):
            n_characters = sum(sum(map(len, side[batch])) for side in sides)
            n, n_parts = batch.stop - batch.start, n_characters // _MOST_CHARACTERS + 1
            found += [
                slice(batch.start + part.start, batch.start + part.stop)
                for part in batches(n, -(-n // n_parts))
            ]
        return found

    def _batch_size(self, n_segments: int, n_systems: int) -> int:
        few = -(-_FEWEST_IN_BATCH // n_systems)
        if self.run.solver != "auto":
            return few
        most = _MOST_IN_BATCH if n_systems == 1 else -(-_MOST_PAIRS // n_systems)
        # Each thread gets as many batches as the others, all of the same size.
        n_each = -(-n_segments // (most * self.run.threads))
        return max(few, -(-n_segments // (n_each * self.run.threads)))

    def _figures(self, covered: Coverage) -> F64:
        # Score, precision and recall of each pair; undefined where the reference is empty.
        c_ref, c_hyp = covered.amounts.T
        n_ref, n_hyp = covered.totals.T
        f = self.options.f
        with np.errstate(invalid="ignore"):  # 0 / 0 where a side is empty
            score = (c_ref + f * c_hyp) / (n_ref + f * n_hyp)
            precision = np.where(n_hyp, c_hyp / n_hyp, 0.0)
            return np.stack((score, precision, c_ref / n_ref), axis=1)


@dataclass(frozen=True, slots=True)
class CelabScorer(Scorer):
    """Scores the outputs of all systems together.

    With `keeps`, references stay in memory, so that the next system is scored faster. `table` has
    the weights of tokens that the references decide.
    """

    metric: TeslaCelab
    keeps: bool
    table: Table | None

    def _score_systems(
        self, systems: Mapping[str, list[str]], refs: list[list[str]], progress: AllProgress | None
    ) -> list[Score]:
        # Segment by segment, the outputs of all systems one after the other, so that the index of
        # a reference is at hand for them, and one call of HiGHS serves many.
        metric, table = self.metric, self.table
        engine, run = metric.engine, metric.run
        names, n_systems, n_segments = list(systems), len(systems), len(refs[0])
        values = [np.empty((len(refs), n_segments, 3)) for _ in names]
        present = np.empty((len(refs), n_segments), np.bool_)
        proved = np.empty((n_systems, len(refs), n_segments), np.bool_)
        keep = self.keeps and engine.can_keep(refs)

        def work(batch: slice) -> None:
            sides = [engine.prepare(side[batch]) for side in refs]
            vocabulary, references = engine.references(sides, keep, table)
            texts = [text for hyps in systems.values() for text in engine.prepare(hyps[batch])]
            n = batch.stop - batch.start
            ref_at, system_at = map(np.ravel, np.indices((n, n_systems), np.int32))
            hyp = engine.hypotheses(texts, vocabulary, table)
            for r, ref in enumerate(references):

                def name(p: int, r: int = r) -> str:
                    system = f"{names[system_at[p]]}: " if n_systems > 1 else ""
                    return f"{system}segment {batch.start + ref_at[p] + 1}, reference {r + 1}"

                pairs = Pairs(hyp, ref, system_at * n + ref_at, ref_at, name)
                covered = engine.combine_grades(engine.cover_by_grade(pairs, run, table))
                figures = metric._figures(covered).reshape(n, n_systems, 3)
                for of_system, rows in zip(values, figures.swapaxes(0, 1), strict=True):
                    of_system[r, batch] = rows
                present[r, batch] = covered.totals[::n_systems, 0] > 0
                proved[:, r, batch] = covered.proved.reshape(n, n_systems).T

        for batch in run.each(work, metric._batches([*systems.values(), *refs], n_systems)):
            if progress is not None:
                for name in names:
                    progress(name, batch.stop)
        if metric.options.weights != "unit":
            metric._check_weight(present, refs)
        return [
            # Popped, so that there are never two copies of all.
            Score.of(Segments(values.pop(0), metric.combine, present, scored), self.signature)
            for scored in np.logical_and.reduce(proved, axis=1)
        ]

    def _explain(self, hyp: str, ref: str) -> Explanation:
        engine, run = self.metric.engine, self.metric.run
        if run.skips:
            run = replace(run, on_error="raise")
        hyp, ref = engine.prepare([hyp, ref])
        vocabulary, (ref_side,) = engine.references([[ref]], table=self.table)
        hyp_side = engine.hypotheses([hyp], vocabulary, self.table)
        pairs = Pairs.in_order(hyp_side, ref_side, lambda _: explain.PAIR)
        by_grade = engine.cover_by_grade(pairs, run, self.table)
        figures = self.metric._figures(engine.combine_grades(by_grade))
        score, precision, recall = figures[0].tolist()
        pair = explain.Pair(engine, hyp_side, ref_side, engine.tokens(hyp), engine.tokens(ref))
        return Explanation(
            pair.hyp_tokens,
            pair.ref_tokens,
            score,
            precision,
            recall,
            *pair.solution(by_grade, run.time_limit),
            self.signature,
        )


def _check_chain(
    chain: tuple[Grade, ...], lexicon: LexiconSpec, options: TeslaCelabOptions
) -> None:
    if options.cilin_lines != "all":
        raise OptionError(
            (Setting("cilin_lines"), f" is {options.cilin_lines!r}, but grades are given"),
            hint="name the lines there, as '='",
        )
    if lexicon is None:
        raise OptionError("grades are given without a lexicon; give a lexicon")
    if lexicon and not any(grade.is_part for grade in chain):
        raise OptionError(
            "a lexicon is given that no grade uses",
            hint=("give it as a key of ", Setting("grades"), ", and no lexicon"),
        )


def _respelling(
    options: TeslaCelabOptions, lang: str | None, counts: str | os.PathLike[str] | None
) -> Respelling | None:
    if options.tokenize != "parts":
        if counts is not None:
            raise OptionError(
                (
                    Setting("counts"),
                    f" is {os.fspath(counts)!r}, but ",
                    Setting("tokenize"),
                    f" is {options.tokenize!r}",
                ),
                hint=("counts are used only with ", Setting("tokenize", "parts")),
            )
        return Composition() if options.tokenize in ("letter", "cluster") else None
    if lang != "de":
        raise OptionError(
            (Setting("tokenize"), " is 'parts' and ", Setting("lang"), f" is {lang!r}"),
            hint="it must be 'de'",
        )
    from celab.analysis.compounds import Compounds
    from celab.analysis.parts import Parts

    return Parts(Compounds(counts), respelt=options.umlauts == "fold")
