"""The base classes of all metrics and of their scorers.

A metric has options, and the files that they name. A scorer is a metric for the references of one
corpus, which it scores whole or part by part.
"""

from __future__ import annotations

from abc import ABC
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import Field, asdict, dataclass, fields, is_dataclass, replace
from functools import cached_property
from textwrap import fill
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast, overload

import numpy as np

from celab._native.tokens import add_digests
from celab.base.arguments import Arguments
from celab.base.arrays import F64, U64
from celab.base.errors import InputError, LexiconError, OptionError, SentenceError, SolverError
from celab.base.languages import language_code
from celab.base.messages import knows_texts, listening, warn
from celab.base.options import Spec, check_data, complete, copy_with, info_of
from celab.base.run import Progress, Run, batches, split
from celab.base.signature import Signature
from celab.base.text.scripts import sample, script_warnings, warn_if_japanese
from celab.base.text.sequences import (
    Refs,
    check_corpus,
    check_lists,
    check_sentence,
    column_names,
    common_index,
    items_of,
    plain_text,
    warn_if_file,
    warn_if_transposed,
)
from celab.base.text.tokens import is_blank
from celab.metrics.registry import title_of
from celab.metrics.scores import Score, Segments, SegmentScore

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    # Only explanations load it.
    from celab.metrics.explaining.explanation import AnyExplanation, SegmentExplanation


N_WHAT_IF = 100  # pairs of unmatched words that an explanation scores as synonyms
# Segments of a side, and characters of each, that are read to warn of another script.
_SCRIPT_SAMPLE_SEGMENTS, _SCRIPT_SAMPLE_CHARACTERS = 20, 100
_MAX_MATRIX_BATCH_PAIRS = 1024
_RUN_OPTIONS = {spec.name for spec in fields(Run)}


def _digests(refs: list[list[str]]) -> U64:
    # Added up, because the order of the references changes no score.
    digests = np.zeros(len(refs[0]), np.uint64)
    for side in refs:
        add_digests(digests, side)
    digests.flags.writeable = False
    return digests


@dataclass(frozen=True, eq=False, repr=False)
class Scorer:
    """A metric for the references of one corpus.

    It scores the corpus part by part, with the same result as in one piece, and explains its
    segments. It can be pickled. Its signature also has the settings that depend on the references.

    Each metric has a subclass that defines `_score`, and `_explain` if it can explain. Texts are
    checked before they get there.
    """

    metric: Metric
    signature: Signature

    def __call__(self, hyps: Sequence[str], refs: Refs, progress: Progress | None = None) -> Score:
        """Return the score of the next part of the corpus."""
        hyp_side, ref_sides, index = check_corpus(hyps, refs)
        (score,) = self._score_systems({"": hyp_side}, ref_sides, progress)
        return replace(score, digests=_digests(ref_sides), index=index)

    def explain(
        self,
        hyp: str,
        refs: Sequence[str | None],
        *,
        unmatched: bool = False,
        n_what_if: int = N_WHAT_IF,
    ) -> SegmentExplanation:
        """Explain the score of one segment against each reference that is present.

        With `unmatched`, the explanation has the reasons why words are not matched, if the metric
        can give them, and scores `n_what_if` pairs of unmatched words, the longest first, as if
        they were synonyms.
        """
        from celab.metrics.explaining.explanation import SegmentExplanation

        refs, hyp = check_sentence(hyp, refs), plain_text(hyp)
        is_reference = self.metric.is_reference
        present = [r for r, ref in enumerate(refs) if ref is not None and is_reference(ref)]
        if self.metric.has_empty_references and refs:
            present = present or [0]
        if not present:
            raise InputError("the segment has no reference; at least one must contain text")
        n_pairs = n_what_if if unmatched else None
        against = tuple(self._explain(hyp, refs[r] or "", n_pairs) for r in present)
        combine = self.metric.combine
        score, precision, recall = self._combine(against)
        return SegmentExplanation(
            index=tuple(present),
            against=against,
            score=score,
            precision=precision,
            recall=recall,
            combine=combine,
        )

    def _combine(self, against: Sequence[AnyExplanation]) -> tuple[float, float, float]:
        """Return score, precision and recall of a segment that is explained."""
        values = np.array([[(pair.score, pair.precision, pair.recall)] for pair in against])
        score, precision, recall = Segments(values, self.metric.combine).figures[0].tolist()
        return score, precision, recall

    def synonyms(self, sides: Iterable[Sequence[str]]) -> list[set[str]]:
        """Return the words of each group of synonyms of which the texts have several.

        They are spelled as in the texts, apart from case and width; empty without a lexicon.
        """
        return []

    def _score(self, hyps: list[str], refs: list[list[str]], progress: Progress | None) -> Score:
        """Return the score of checked texts of one system."""
        raise NotImplementedError

    def _score_systems(
        self, systems: Mapping[str, list[str]], refs: list[list[str]], progress: Progress | None
    ) -> list[Score]:
        """Return the scores of checked texts; an error says which system it is about."""
        scores = []
        parts = split(progress, len(systems) * len(refs[0]), [1] * len(systems))
        for (name, hyps), part in zip(systems.items(), parts, strict=True):
            try:
                scores.append(self._score(hyps, refs, part))
            except SentenceError as error:
                error.system = name
                raise
            except SolverError as error:
                if len(systems) == 1:
                    raise
                raise error.within(name) from None
        return scores

    def _explain(self, hyp: str, ref: str, n_what_if: int | None = None) -> AnyExplanation:
        """Explain a hypothesis against one reference, which is not blank.

        `n_what_if` is the number of pairs of unmatched words to score as if they were synonyms;
        None for an explanation without unmatched words.
        """
        raise OptionError(f"{self.signature.name} scores cannot be explained")

    def _pairwise(self, hyps: list[str], refs: list[str]) -> F64:
        """Return the scores of checked hypotheses (rows) against single references (columns)."""
        present = [r for r, text in enumerate(refs) if self.metric.is_reference(text)]
        scores = np.full((len(hyps), len(refs)), np.nan)
        # Columns are the outer loop, so that a metric that caches references can reuse them.
        for columns in batches(len(present), _MAX_MATRIX_BATCH_PAIRS):
            chosen = present[columns]
            for rows in batches(len(hyps), max(1, _MAX_MATRIX_BATCH_PAIRS // len(chosen))):
                row_hyps = hyps[rows]
                try:
                    part = self(
                        [hyp for hyp in row_hyps for _ in chosen],
                        [[refs[r] for _ in row_hyps for r in chosen]],
                    )
                except SentenceError as error:
                    row, column = divmod(error.sentence - 1, len(chosen))
                    place = chosen[column] if error.stream else rows.start + row
                    raise SentenceError(place + 1, error.what, error.stream) from None
                scores[rows, chosen] = part.segments.scores.reshape(len(row_hyps), len(chosen))
        return scores


class Metric(ABC):
    """Base class of all metrics: scores a corpus or a sentence, and explains the score.

    A metric is a frozen dataclass whose fields are its options (`celab.metrics.options`), as the
    user set them; `dataclasses.replace` makes variants. Lexicons and other files are loaded when
    the metric is made, and left out of pickles; threads may share a metric. Metrics are equal if
    their signatures are. A pickle holds the options, with names and paths of files; loading it
    gives the same metric or raises an error.
    """

    name: ClassVar[str]  # its name in the registry, in signatures and on the command line
    scorer_class: ClassVar[type[Scorer]] = Scorer  # computes its scores
    explained_by = ""  # content of explanations: "links", "edits", "roles", or "" without any
    higher_is_better = True
    has_empty_references = False  # whether a segment may lack text in all references
    combine: Any = "mean"  # combination of scores over references; an option of some metrics
    scale = 1  # the score of identical text
    lang: str | None = None  # the option; None for the default language

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__doc__ = _class_doc(cls)

    def __post_init__(self) -> None:
        self._check_arguments()
        self._compute("run", "signature")

    def _check_arguments(self) -> None:
        """Check the types of the arguments, and set the code of the language."""
        check_data(self)
        if self.lang is not None:
            complete(self, lang=language_code(self.lang))

    def _compute(self, *cached_properties: str) -> None:
        """Compute cached properties now, in this order, so that the constructor raises errors."""
        for name in cached_properties:
            # `getattr` would be slow: in Python 3.11, all instances of a class share the lock of a
            # cached property, so every other metric would wait while one compiles its lexicon.
            cached = getattr(type(self), name)
            if isinstance(cached, cached_property) and name not in vars(self):
                complete(self, **{name: cached.func(self)})
            getattr(self, name)

    @cached_property
    def signature(self) -> Signature:
        """Everything that can change a score, in one line."""
        raise NotImplementedError

    @cached_property
    def run(self) -> Run:
        """The options of running the metric: threads, solver, time limit, unproved values."""
        return Run.of(self)

    def arguments(self) -> Arguments:
        """Return the arguments that make an equal metric, with absolute paths and without `run`."""
        names = (spec.name for spec in fields(cast("DataclassInstance", self)))
        return {name: getattr(self, name) for name in names if name not in _RUN_OPTIONS}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.signature == other.signature

    def __hash__(self) -> int:
        return hash(self.signature)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickle, (type(self), self.arguments() | asdict(self.run), self.signature)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.signature}>"

    @classmethod
    def details(cls, score: Score) -> dict[str, str]:
        """Return name → figure for the details that `celab score` shows after a score."""
        return {}

    @property
    def language(self) -> str | None:
        """Language of the texts; None for any language."""
        return self.lang

    @property
    def assumed_language(self) -> str | None:
        """Language that texts should have, else there is a warning; None for any language."""
        return self.language

    @property
    def treats_text_as_chinese(self) -> bool:
        """Whether text is read as Chinese, so that Japanese text is probably a mistake."""
        return self.assumed_language == "zh"

    def count_kept_tags(self, texts: Iterable[str]) -> Counter[str]:
        """Return tag → number of occurrences as text, for tags that an option could drop."""
        return Counter()

    def _check_texts(self, systems: Mapping[str, list[str]], refs: list[list[str]]) -> None:
        # Warnings about languages and slow metrics come before the work begins.
        if knows_texts():
            return
        if self.assumed_language is not None and len(refs[0]) > 1:
            sides = {**systems, **{f"reference {r}": side for r, side in enumerate(refs, 1)}}
            samples = [
                (
                    name,
                    [
                        text[:_SCRIPT_SAMPLE_CHARACTERS]
                        for text in sample(texts, _SCRIPT_SAMPLE_SEGMENTS)
                    ],
                )
                for name, texts in sides.items()
            ]
            warn(*script_warnings(self.assumed_language, samples))
        elif self.treats_text_as_chinese:  # a sentence has too few letters to tell more
            warn_if_japanese(*systems.values(), *refs)
        warn_if_transposed(next(iter(systems.values())), refs)
        if message := self.slow_warning(refs, len(systems)):
            warn(message)

    def estimate_seconds(self, refs: Sequence[Sequence[str]], n_systems: int = 1) -> float:
        """Return an estimate of the time to score systems; 0 for a metric that is never slow."""
        return 0.0

    def slow_warning(self, refs: Sequence[Sequence[str]], n_systems: int = 1) -> str:
        """Return a warning with advice if scoring would take long, else ""."""
        return ""

    def get_signature(self) -> str:
        """Return the signature as a str, as with sacreBLEU's method of this name.

        The signature of a `Score` also has the number of references.
        """
        return self.signature

    def with_run(self, **settings: Any) -> Self:
        """Return a copy with other settings of `Run`: jobs, solver, time_limit, on_error."""
        run = replace(self.run, **settings)
        return copy_with(self, run=run, **asdict(run))

    def with_title(self, title: str) -> Self:
        """Return a copy with another title, such as that of a preset."""
        if title == title_of(self.signature.metric):
            return self
        return copy_with(self, signature=self.signature.with_label(title))

    @property
    def depends_on_references(self) -> bool:
        """Whether a score depends on all references of a corpus, as by `weights="references"`."""
        return False

    def is_reference(self, text: str) -> bool:
        """Return whether a text counts as a reference; other texts are absent references."""
        return not is_blank(text)

    def scorer(self, refs: Refs, cache_references: bool = True) -> Scorer:
        """Return a `Scorer` for a corpus whose references begin with these.

        `refs` matters for a metric that `depends_on_references`: pass the first 10,000 segments, or
        all if there are fewer. With `cache_references`, references that were read stay in memory,
        so that the next system is scored faster.
        """
        return self.scorer_class(self, self.signature)

    def corpus_score(
        self, hyps: Sequence[str], refs: Refs, progress: Progress | None = None
    ) -> Score:
        """Score a system's output against one sequence of sentences per reference.

        Parameters:
            hyps: the hypotheses, one str per segment, in a list, an array or a column.
            refs: for each reference, its sentences in the order of the hypotheses. A sentence that
                is blank or None is absent, so segments may have different numbers of references;
                each segment needs at least one.
            progress: callback, called with (done, total), which count segments.

        Returns a `Score`: the score of the system, and those of all segments.

        >>> import celab
        >>> refs = [["买雨伞", "去北京"], [None, "到北京去"]]  # the first segment has one reference
        >>> score = celab.TeslaCelab().corpus_score(["买伞", "去北京"], refs)
        >>> [len(segment.references) for segment in score.segments]
        [1, 2]
        """
        hyp_side, ref_sides, index = check_corpus(hyps, refs)
        warn_if_file("the hypothesis", hyp_side)
        warn_if_file("the reference", ref_sides[0])
        self._check_texts({"the hypothesis": hyp_side}, ref_sides)
        (score,) = self.scorer(ref_sides)._score_systems({"": hyp_side}, ref_sides, progress)
        return replace(score, digests=_digests(ref_sides), index=index)

    @overload
    def corpus_scores(
        self, systems: Mapping[str, Sequence[str]], refs: Refs, progress: Progress | None = None
    ) -> dict[str, Score]: ...
    @overload
    def corpus_scores(
        self, systems: Sequence[Sequence[str]], refs: Refs, progress: Progress | None = None
    ) -> list[Score]: ...
    def corpus_scores(
        self,
        systems: Mapping[str, Sequence[str]] | Sequence[Sequence[str]],
        refs: Refs,
        progress: Progress | None = None,
    ) -> dict[str, Score] | list[Score]:
        """Score the outputs of several systems against the same references.

        The scores are those of `corpus_score`, but TESLA-CELAB takes less time for all systems
        together than for one after the other.

        Parameters:
            systems: a mapping from names to sequences of sentences, or a sequence of such
                sequences.
            refs: one sequence of sentences per reference.
            progress: callback, called with (done, total), which count segments of all systems.

        Returns a dict for a mapping, else a list.

        >>> import celab
        >>> celab.TeslaCelab().corpus_scores({"A": ["买伞"], "B": ["卖"]}, [["买雨伞"]])["A"].score
        1.0
        """
        if isinstance(systems, Mapping):
            by_name = dict(systems)
        elif column_names(systems) is not None:
            raise InputError(
                "systems is a data frame; pass a dict with a column for each system, such as"
                " {'A': frame['A']}"
            )
        else:
            listed = [] if isinstance(systems, str) else items_of(systems, "systems")
            by_name = {str(k): hyps for k, hyps in enumerate(listed, 1)}
        if not by_name:
            raise InputError("no systems given; a mapping or a sequence of systems is needed")
        sides, ref_sides = {}, None
        for name, hyps in by_name.items():
            try:
                sides[name], ref_sides, _ = check_corpus(hyps, ref_sides or refs)
            except InputError as error:
                raise error.within(f"system {name!r}") from None
        columns: list[tuple[str, object]] = [(f"system {x!r}", y) for x, y in by_name.items()]
        given = refs if isinstance(refs, Sequence) else ()
        columns += ((f"reference {r}", side) for r, side in enumerate(given, 1))
        index = common_index(columns)
        self._check_texts({f"system {name}": hyps for name, hyps in sides.items()}, ref_sides or [])
        digests = _digests(ref_sides or [])
        scorer = self.scorer(ref_sides or [])
        scores = [
            replace(score, digests=digests, index=index)
            for score in scorer._score_systems(sides, ref_sides or [], progress)
        ]
        return dict(zip(by_name, scores, strict=True)) if isinstance(systems, Mapping) else scores

    def sentence_score(self, hyp: str, refs: str | Sequence[str | None]) -> SegmentScore:
        """Score one hypothesis against its references.

        Parameters:
            hyp: the hypothesis.
            refs: its references, or the only one; one that is blank or None is absent.
        """
        hyps, sides, _ = check_corpus([hyp], [[ref] for ref in check_sentence(hyp, refs)])
        warn_if_file("the hypothesis", hyps)
        warn_if_file("the reference", sides[0])
        self._check_texts({"the hypothesis": hyps}, sides)
        (score,) = self.scorer(sides)._score_systems({"": hyps}, sides, None)
        return score.segments[0]

    def explain(self, hyp: str, ref: str, *, unmatched: bool = False) -> AnyExplanation:
        """Explain the score of one hypothesis against one reference.

        Parameters:
            hyp: the hypothesis.
            ref: the reference.
            unmatched: whether to say why words are not matched, and which score the pair would
                have if they were (TESLA-CELAB with other tokens than letters).

        Returns the score with the links between the two texts, or for CER and MER with the edits;
        `print` and notebooks show them.
        """
        check_sentence(hyp, [ref])
        hyp, ref = plain_text(hyp), plain_text(ref) or ""
        warn_if_file("the hypothesis", [hyp])
        if not self.has_empty_references:
            if is_blank(ref):
                raise InputError("the reference is blank; it must contain text")
            if not self.is_reference(ref):
                raise InputError("the reference weighs nothing: all its tokens have weight 0")
        if self.treats_text_as_chinese:
            warn_if_japanese([hyp, ref])
        return self.scorer([[ref]])._explain(hyp, ref, N_WHAT_IF if unmatched else None)

    def pairwise(self, hyps: Sequence[str], refs: Sequence[str | None]) -> F64:
        """Score every hypothesis (rows) against every single reference (columns).

        Parameters:
            hyps: the hypotheses.
            refs: single references, any number; a blank one or None is absent.

        A column is NaN if the reference is absent. With `on_error="skip"`, a value that is
        not proved is NaN, too.
        """
        hyp_side, ref_side = check_lists(hyps, refs)
        # A scorer for all references, because weights may depend on them.
        return self.scorer([ref_side])._pairwise(hyp_side, ref_side)


def are_error_rates(metrics: Collection[Metric]) -> bool:
    """Return whether all metrics, at least one, are error rates of transcripts, such as CER.

    References may then be blank, and an output that equals its reference is no copy.
    """
    return bool(metrics) and all(metric.has_empty_references for metric in metrics)


def _class_doc(kind: type[Metric]) -> str:
    # The documentation of a class with a line for each of its options, before its examples.
    specs: dict[str, Spec] = {}
    for base in reversed(kind.__mro__[1:]):
        if is_dataclass(base):
            specs |= {spec.name: spec for spec in fields(base)}
    specs |= {name: spec for name, spec in vars(kind).items() if isinstance(spec, Field)}
    text, mark, examples = (kind.__doc__ or "").partition("\n    >>>")
    lines = [
        fill(
            f"{name}: {info_of(spec).help}",
            96,
            initial_indent=" " * 8,
            subsequent_indent=" " * 12,
        )
        for name, spec in specs.items()
    ]
    parameters = "\n".join(["    Parameters:", *lines])
    return f"{text.rstrip()}\n\n{parameters}\n{mark}{examples}" if lines else text + mark + examples


def _unpickle(kind: type[Metric], arguments: Arguments, signature: Signature) -> Metric:
    # Called by pickle.
    with listening():  # the messages were given when the metric was first made
        metric = kind(**arguments)
    if metric.signature != signature:
        theirs, ours = (s.part("lex") or "none" for s in (signature, metric.signature))
        if theirs != ours:
            raise LexiconError(
                f"the pickled metric was made with lexicon {theirs}, but here it is {ours};"
                " use the same file in both places"
            )
        raise OptionError(
            f"the pickled metric has the signature {signature}, but here it has"
            f" {metric.signature}; use the same package versions in both places"
        )
    return metric.with_title(signature.label) if signature.label else metric
