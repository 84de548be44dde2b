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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from celab.base.arrays import F64, I32, I64, Bools
from celab.base.errors import InputError, OptionError, Setting
from celab.base.frozen import complete, copy_with
from celab.base.run import STREAM_BATCH, Run, RunOptions, batches
from celab.base.signature import Signature
from celab.base.text.japanese import warn_if_japanese
from celab.base.text.normalize import Composition, Normalizer, opencc_version
from celab.base.text.tokens import is_blank
from celab.base.version import __version__
from celab.exact.engine import Coverage, Engine, Pairs
from celab.exact.weights import NAMES, Table, load_table
from celab.lexicon.catalogue import DEFAULTS, LexiconSpec, portable
from celab.lexicon.grades import Grade, chain_of, portable_chain
from celab.lexicon.lexicon import open_lexicon
from celab.metrics.base import AllProgress, Metric, Scorer
from celab.metrics.checks import Refs, check_lists, check_sides
from celab.metrics.options import TeslaCelabData, TeslaCelabOptions, language_defaults
from celab.metrics.scores import Score, Segments

if TYPE_CHECKING:
    from celab.base.text.normalize import Respelling
    from celab.lexicon.lexicon import Lexicon
    from celab.metrics.explanation import Explanation, Unmatched
    from celab.metrics.mean import Mean


# Segments in one call of the kernels. Many, so that they share what a call costs; few where each
# takes the solver's time, or where threads must share the work evenly.
_MOST_IN_BATCH = 1024
_FEWEST_IN_BATCH = 32
_MOST_CHARACTERS = 1 << 18  # in a batch; the kernels take some 90 bytes for each
_MOST_PAIRS = 4096  # in one call, where all systems are scored together
_MOST_IN_MATRIX = 16384  # pairs in one call, where all are compared with all


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TeslaCelab(Metric, RunOptions, TeslaCelabOptions, TeslaCelabData):
    """TESLA-CELAB with its options and lexicon.

    The language decides lexicon, `tokenize`, `case`, `script` and `max_order`, unless they are
    given; `decay` is 1 with unit weights, else 0.5. The lexicon is a name or a path, a list of
    them, or None for no synonyms; `grades` is a dict from the finest grade to the coarsest, such as
    {"=": 1, "#": 0.7}, or one credit.

    >>> import celab
    >>> metric = celab.TeslaCelab(script="keep")
    >>> metric.corpus_score(["买伞"], [["买雨伞"]]).score
    1.0
    >>> metric.get_signature().split("|")[:3]
    ['celab', 'n:4', 'f:0.25']
    """

    name = "celab"
    has_links = True

    def __post_init__(self) -> None:
        self._load("options", "run", "engine", "signature")
        if notice := self._notice:
            warnings.warn(notice, stacklevel=3)
        # Absolute paths, so that copies work in another folder.
        complete(self, **self._portable())

    @classmethod
    def recommended(cls, lang: str | None = None, **options: Any) -> TeslaCelab | Mean:
        """Return the metric with the settings that we recommend for a language.

        Parameters:
            lang: language (default: zh). Where we recommend nothing else (th, lo, km, my), the
                metric has its defaults, with a warning.
            options: arguments of the class, which replace the recommended ones in each view.

        Returns a `TeslaCelab`, or for German, which is read in two ways, the `Mean` of two. Both
        are metrics, with the same methods.

        >>> import celab
        >>> metric = celab.TeslaCelab.recommended("zh")
        >>> metric.sentence_score("买伞", ["买雨伞"]).score
        1.0
        """
        from celab.metrics.factory import make_metric

        return cast("TeslaCelab | Mean", make_metric("celab-recommended", lang=lang, **options))

    @cached_property
    def options(self) -> TeslaCelabOptions:
        """The options in effect: explicit values, or defaults of the language and the weights."""
        return TeslaCelabOptions.of(
            self, weights=os.fspath(self.weights), **self._resolve_defaults()
        )

    def _resolve_defaults(self) -> dict[str, Any]:
        # The options that follow others.
        follow = {spec.name: spec.metadata["follows"] for spec in fields(TeslaCelabOptions)}
        by_language = {
            name: getattr(self, name) for name, followed in follow.items() if "lang" in followed
        }
        decay = self.decay
        if decay is None:
            decay = 1.0 if self.weights == "unit" else 0.5
        return {"decay": decay, **language_defaults(self.lang, **by_language)}

    @cached_property
    def engine(self) -> Engine:
        """The engine that tokenizes sentences and covers pairs."""
        options, chain = self.options, chain_of(self.grades)
        table = load_table(os.fspath(options.weights), self.lang)
        normalizer = Normalizer.of(options, _respelling(options, self.lang, self.counts))
        if chain:
            _check_chain(chain, self._lexicon, options)
        lexicon = open_lexicon(
            self._lexicon,
            normalizer,
            options.cilin_lines,
            chain,
            tokenize=cast(str, options.tokenize),
            max_order=cast(int, options.max_order),
        )
        return Engine(options, lexicon, normalizer, table)

    def suppose(self, lexicon: Lexicon) -> TeslaCelab:
        """Return the metric as if it had another lexicon; its signature stays as it is."""
        return copy_with(self, engine=self.engine.suppose(lexicon))

    @cached_property
    def signature(self) -> Signature:
        """Everything that can change a score, in one line."""
        return self._make_signature()

    @property
    def language(self) -> str:
        """Language of the texts."""
        return self.lang or "zh"

    @property
    def _lexicon(self) -> LexiconSpec:
        # The explicit lexicon, or that of the language; the grades may name their own.
        if self.lexicon != "default":
            return self.lexicon
        chain = chain_of(self.grades)
        if chain and not any(grade.is_part for grade in chain):
            return []
        return None if self.options.tokenize == "letter" else DEFAULTS.get(self.language)

    @property
    def _notice(self) -> str:
        # Why another lexicon is used than the requested one.
        return self.engine.lexicon.notice if self.engine.lexicon else ""

    def _portable(self) -> dict[str, Any]:
        # The arguments that name files, with absolute paths.
        paths: dict[str, Any] = {}
        if self.lexicon and self.lexicon != "default":
            paths["lexicon"] = portable(self.lexicon, self._notice)
        if self.counts is not None:
            paths["counts"] = os.path.abspath(self.counts)
        if self.weights not in NAMES:
            paths["weights"] = os.path.abspath(self.weights)
        if self.grades is not None:
            paths["grades"] = portable_chain(chain_of(self.grades))
        return paths

    def _arguments(self) -> dict[str, Any]:
        defaults = self._resolve_defaults()
        lexicon = portable(self._lexicon, self._notice)
        if self.grades is not None:
            lexicon = lexicon or "default"
        separate = {"lexicon", "lang", *defaults}
        explicit = {
            name: value
            for name, value in super()._arguments().items()
            if value is not None and name not in separate
        }
        return {"lexicon": lexicon, "lang": self.lang} | explicit | defaults

    @property
    def looks_at_references(self) -> bool:
        """Whether the weights come from the references."""
        return self.options.weights == "references"

    @property
    def _language(self) -> str | None:
        # Other tokens than characters, without a language, are for text of any.
        is_any = self.lang is None and self.options.tokenize != "char"
        return None if is_any else self.language

    def is_reference(self, text: str) -> bool:
        """Return whether a text has a token with a weight above 0."""
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
        table = None
        if self.looks_at_references:
            table = self._table([check_lists([""], side)[1] for side in check_sides(refs)])
        signature = self.signature
        if table:
            signature = self._make_signature(table).with_label(signature.label)
        return CelabScorer(self, signature, keep, table)

    def _table(self, sides: list[list[str]]) -> Table | None:
        # The weights that the references' beginning decides, so that a stream need not be read to
        # its end.
        if not self.looks_at_references:
            return None
        return self.engine.table_of([side[:STREAM_BATCH] for side in sides])

    def _make_signature(self, table: Table | None = None) -> Signature:
        # The signature; `table` has the weights that references decide.
        lang, engine = self.lang, self.engine
        table = table or engine.table
        instead = {"weights": table.cited} if table else {}
        parts = [] if lang in (None, "zh") else [("lang", lang)]
        parts += self.options.signature_parts(**instead)
        if self.options.tokenize == "parts" and engine.respell:
            parts.append(("split", engine.respell.name))
        if self.options.script != "keep":
            parts.append(("opencc", opencc_version()))
        if self.grades is not None and engine.lexicon:
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
        """Return the scores of all hypotheses (rows) against all references (columns).

        NaN where the reference is empty, or, with `on_error="skip"`, where a value is not proved.
        """
        engine = self.engine
        hyp_side, ref_side = check_lists(hyps, refs)
        warn_if_japanese(self._language, hyp_side, ref_side)
        table = self._table([ref_side])
        hyp_side, ref_side = engine.prepare(hyp_side), engine.prepare(ref_side)
        symmetric = hyp_side == ref_side  # then (h, r) and (r, h) have the same two covers
        hyp_texts, row_at, equal_row = _by_end(hyp_side)
        ref_texts, column_at = ref_side, np.arange(len(ref_side))
        if symmetric:
            ref_texts, column_at = hyp_texts, row_at
        # Candidates that are compared with each other are hardly ever compared again.
        vocabulary, (ref,) = engine.references([ref_texts], not symmetric, table)
        scores = np.empty((len(hyp_side), len(ref_side)))

        def work(rows: slice) -> None:
            hyp = engine.hypotheses(hyp_texts[rows], vocabulary, table)
            # One reference after the other, so that its index is at hand for all hypotheses.
            ref_at, hyp_at = map(np.ravel, np.indices((len(ref), len(hyp)), np.int32))
            if symmetric:
                upper = ref_at >= rows.start + hyp_at
                ref_at, hyp_at = ref_at[upper], hyp_at[upper]
            row, column = row_at[rows.start + hyp_at], column_at[ref_at]

            def name(p: int) -> str:
                return f"hypothesis {row[p] + 1}, reference {column[p] + 1}"

            pairs = Pairs(hyp, ref, hyp_at, ref_at, name)
            by_grade = engine.cover_by_grade(pairs, self.run, table)
            if symmetric:
                swapped = [coverage.swap() for coverage in by_grade]
                if self.run.solver == "check":
                    swapped = engine.verify(pairs.swap(), swapped, self.run, table)
                scores[column, row] = self._utilities(engine.combine_grades(swapped))
            scores[row, column] = self._utilities(engine.combine_grades(by_grade))

        for _ in self.run.each(work, self._matrix_batches(len(hyp_texts), len(ref_texts))):
            pass
        if len(hyp_texts) == len(hyp_side):
            return scores
        return scores[np.ix_(equal_row, equal_row)] if symmetric else scores[equal_row]

    def _matrix_batches(self, n_hyps: int, n_refs: int) -> list[slice]:
        # Rows of a matrix. Each thread gets two parts, because the last rows of a triangle are
        # short.
        size = _MOST_IN_MATRIX // n_refs
        if self.run.threads > 1:
            size = min(size, -(-n_hyps // (2 * self.run.threads)))
        return batches(n_hyps, max(1, size))

    def _utilities(self, covered: Coverage) -> F64:
        # The score of each pair, NaN where there is none.
        counts = covered.proved & (covered.totals[:, 0] > 0)
        return np.where(counts, self._scores(covered), np.nan)

    def _batches(self, sides: list[list[str]], n_systems: int) -> list[slice]:
        # Parts of equal size; those with long texts are divided again.
        parts = []
        for batch in batches(len(sides[0]), self._batch_size(len(sides[0]), n_systems)):
            n_characters = sum(sum(map(len, side[batch])) for side in sides)
            n, n_parts = batch.stop - batch.start, n_characters // _MOST_CHARACTERS + 1
            parts += [
                slice(batch.start + part.start, batch.start + part.stop)
                for part in batches(n, -(-n // n_parts))
            ]
        return parts

    def _batch_size(self, n_segments: int, n_systems: int) -> int:
        fewest = -(-_FEWEST_IN_BATCH // n_systems)
        if self.run.solver != "auto":
            return fewest
        max_size = _MOST_IN_BATCH
        if n_systems > 1:
            n_parts = 2 if self.run.threads > 1 else 1  # so that threads share evenly
            max_size = -(-_MOST_PAIRS // (n_systems * n_parts))
        # Each thread gets as many batches as the others, all of the same size.
        n_each = -(-n_segments // (max_size * self.run.threads))
        return max(fewest, -(-n_segments // (n_each * self.run.threads)))

    def _figures(self, covered: Coverage) -> F64:
        # Score, precision and recall of each pair; undefined where the reference is empty.
        c_ref, c_hyp = covered.amounts.T
        n_ref, n_hyp = covered.totals.T
        with np.errstate(invalid="ignore"):  # 0 / 0 where a side is empty
            precision = np.where(n_hyp, c_hyp / n_hyp, 0.0)
            return np.stack((self._scores(covered), precision, c_ref / n_ref), axis=1)

    def _scores(self, covered: Coverage) -> F64:
        # The score of each pair; undefined where both sides are empty.
        c_ref, c_hyp = covered.amounts.T
        n_ref, n_hyp = covered.totals.T
        f = self.options.f
        with np.errstate(invalid="ignore"):
            return np.asarray((c_ref + f * c_hyp) / (n_ref + f * n_hyp), np.float64)


def _by_end(texts: list[str]) -> tuple[list[str], I64, I64]:
    # Each text once, those with the same end next to each other, because the kernel keeps the links
    # of that end from pair to pair; the number of each of them in the list; and for every text of
    # the list the number of the first that equals it.
    numbers = {text: number for number, text in reversed(list(enumerate(texts)))}
    distinct = sorted(numbers, key=lambda text: text[::-1], reverse=True)
    chosen = np.array([numbers[text] for text in distinct], np.int64)
    return distinct, chosen, np.array([numbers[text] for text in texts], np.int64)


class _Outputs(NamedTuple):
    texts: list[str]  # each once for a segment
    segment: I32  # of each text
    at: I32  # rows of the number of the text for each system, by segment


def _outputs(systems: Sequence[list[str]]) -> _Outputs:
    # Systems often agree on a segment.
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
        # Segment by segment, the different outputs of all systems one after the other, so that the
        # index of a reference is at hand for them, and one call of HiGHS serves many.
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
            outputs = _outputs([hyps[batch] for hyps in systems.values()])
            hyp = engine.hypotheses(engine.prepare(outputs.texts), vocabulary, table)
            hyp_at = np.arange(len(hyp), dtype=np.int32)
            for r, ref in enumerate(references):

                def name(p: int, r: int = r) -> str:
                    _, system = np.argwhere(outputs.at == p)[0].tolist()
                    place = f"segment {batch.start + outputs.segment[p] + 1}, reference {r + 1}"
                    return f"{names[system]}: {place}" if n_systems > 1 else place

                pairs = Pairs(hyp, ref, hyp_at, outputs.segment, name)
                covered = engine.combine_grades(engine.cover_by_grade(pairs, run, table))
                figures = metric._figures(covered)
                for k, system_values in enumerate(values):
                    system_values[r, batch] = figures[outputs.at[:, k]]
                present[r, batch] = covered.totals[outputs.at[:, 0], 0] > 0
                proved[:, r, batch] = covered.proved[outputs.at].T

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

    def _explain(self, hyp: str, ref: str, n_supposed: int | None = None) -> Explanation:
        from celab.metrics import explain
        from celab.metrics.explanation import Explanation
        from celab.metrics.unmatched import unmatched_words

        engine, run = self.metric.engine, self.metric.run
        if run.skips:
            run = replace(run, on_error="raise")
        hyp, ref = engine.prepare([hyp, ref])

        def cover(engine: Engine, run: Run, keep: bool) -> tuple[Pairs, list[Coverage]]:
            vocabulary, (ref_side,) = engine.references([[ref]], keep, self.table)
            hyp_side = engine.hypotheses([hyp], vocabulary, self.table)
            pairs = Pairs.in_order(hyp_side, ref_side, lambda _: explain.PAIR)
            return pairs, engine.cover_by_grade(pairs, run, self.table)

        def suppose(lexicons: Iterable[Lexicon]) -> F64:
            skipping = replace(run, on_error="skip")  # what is not proved has no score
            engines = map(engine.suppose, lexicons)
            covered = [e.combine_grades(cover(e, skipping, False)[1]) for e in engines]
            return self.metric._utilities(Coverage.join(covered))

        pairs, by_grade = cover(engine, run, True)
        pair = explain.Pair(engine, pairs.hyp, pairs.ref, engine.tokens(hyp), engine.tokens(ref))
        figures = self.metric._figures(engine.combine_grades(by_grade))
        score, precision, recall = figures[0].tolist()
        solution = pair.solution(by_grade, run.time_limit)
        words: tuple[Unmatched, ...] = ()
        if n_supposed is not None and self.metric.options.tokenize != "letter":
            words = unmatched_words(pair, *solution, suppose, n_supposed)
        return Explanation(
            pair.hyp_tokens,
            pair.ref_tokens,
            score,
            precision,
            recall,
            *solution,
            self.signature,
            words,
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


def recommended(lang: str | None = None, **options: Any) -> TeslaCelab | Mean:
    """Return the metric that we recommend for a language.

    Same as `TeslaCelab.recommended`.

    Parameters:
        lang: language of `TeslaCelab` (default: zh). Where we recommend nothing else (th, lo, km,
            my), the metric has its defaults, with a warning.
        options: arguments of `TeslaCelab`, which replace the recommended ones in each view.

    Returns a `TeslaCelab`, or for German the `Mean` of two.

    >>> recommended("en").signature.split("|")[:3]
    ['celab', 'lang:en', 'n:6']
    >>> len(recommended("de").parts)
    2
    """
    return TeslaCelab.recommended(lang, **options)
