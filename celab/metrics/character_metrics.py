"""CER, MER and ROUGE: error rates and overlap of normalized text by characters.

    CER       100 · edits / characters of the reference; lower is better, and it can exceed 100
    MER       the same with mixed tokens: characters of Chinese, Japanese and Korean, words of other
              languages. This is the mixed error rate of speech that switches languages, not the
              match error rate of jiwer and TorchMetrics.
    ROUGE-N   100 · F of the n-grams that both texts have: 2 · shared / n-grams of both
    ROUGE-L   100 · F of the longest common subsequence

Edits are the minimum number of substitutions, deletions and insertions
(`celab._native.sequences`). A system's CER and MER are computed from sums over its segments, its
ROUGE is the mean over segments.

Several references: the one with the fewest edits counts, the longest if several have as few; for
ROUGE the one with the highest score. A reference without tokens is absent. If a segment has no
other, it is silence, and its whole output counts as inserted. If no reference has a token, there is
no error rate.

>>> from celab.metrics.character_metrics import Cer, Rouge2
>>> round(Cer().corpus_score(["我们去北京", "好"], [["我去北京。", ""]]).score, 1)
50.0
>>> Rouge2().sentence_score("买一把伞", ["买把伞"]).score
40.0
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, cast

import numpy as np

from celab._native.sequences import count_edits, count_shared, list_edits
from celab.base.arrays import F64, I64, Bools
from celab.base.run import Progress, RunOptions, batches
from celab.base.signature import Signature
from celab.base.text.normalize import opencc_version
from celab.base.text.tokens import CharacterTokens, TokenIds, Unit, Vocabulary
from celab.base.text.transcripts import count_tags
from celab.base.version import __version__
from celab.metrics.base import Metric, Scorer
from celab.metrics.explaining.explanation import AnyExplanation, EditExplanation
from celab.metrics.explaining.links import Edit, EditKind
from celab.metrics.formulas import error_rate
from celab.metrics.options import BaselineData, CharacterOptions, RougeOptions
from celab.metrics.scores import Score, Segments, no_tokens

_BATCH = 1 << 13
# Kinds of edits in the order of the kernel's numbers.
_KINDS: tuple[EditKind, ...] = ("substituted", "deleted", "inserted")
_, _DELETED, _INSERTED = range(3)


class CharacterScorer(Scorer):
    """Scores pairs of texts, which are encoded as numbers of tokens."""

    metric: CharacterMetric

    def _count(
        self, hyps: list[str], refs: list[list[str]], progress: Progress | None
    ) -> tuple[F64, Bools]:
        # The counts of each pair, and which references have tokens.
        metric, counts, present = self.metric, [], []
        for batch in batches(len(hyps), _BATCH):
            hyp, *sides = self._encode(hyps, refs, batch, Vocabulary())
            counts.append([metric.count_pairs(hyp, ref) for ref in sides])
            present.append([ref.lengths > 0 for ref in sides])
            if progress is not None:
                progress(batch.stop, len(hyps))
        return np.concatenate(counts, axis=1), np.concatenate(present, axis=1)

    def _encode(
        self, hyps: list[str], refs: list[list[str]], batch: slice, vocabulary: Vocabulary
    ) -> Iterator[TokenIds]:
        tokens = self.metric.tokens
        return (tokens.encode(side[batch], vocabulary) for side in (hyps, *refs))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CharacterMetric(Metric, RunOptions, BaselineData):
    """A metric of normalized texts that counts equal tokens, such as CER."""

    scale = 100
    unit: ClassVar[Unit] = "mixed"

    def __post_init__(self) -> None:
        self._check_arguments()
        self._compute("options", "run", "tokens", "signature")

    @property
    @abstractmethod
    def options(self) -> CharacterOptions:
        """The options in effect."""

    @abstractmethod
    def count_pairs(self, hyp: TokenIds, ref: TokenIds) -> F64:
        """Return the counts of each pair of texts, one row each."""

    @property
    def _default_script(self) -> str:
        return "auto" if self.lang in (None, "zh") else "keep"

    @cached_property
    def tokens(self) -> CharacterTokens:
        """Normalizer and tokenizer of the metric."""
        return CharacterTokens(self.options, self.unit, self.lang)

    @cached_property
    def signature(self) -> Signature:
        """Everything that can change a score, in one line."""
        parts = [] if self.lang in (None, "zh") else [("lang", str(self.lang))]
        parts += [("tok", self.unit), *self.options.signature_parts()]
        if self.options.script != "keep":
            parts.append(("opencc", opencc_version()))
        return Signature(self.name, [*parts, ("v", __version__)])

    @property
    def treats_text_as_chinese(self) -> bool:
        """Whether characters are converted to another script, as if they were Chinese."""
        return self.options.script != "keep"

    def count_kept_tags(self, texts: Iterable[str]) -> Counter[str]:
        """Return tag → number of occurrences as text, unless tags are dropped."""
        tags = count_tags(texts) if self.options.tags == "keep" else Counter[str]()
        return Counter({tag: n for tag, n in tags.items() if self.is_reference(tag)})

    def is_reference(self, text: str) -> bool:
        """Return whether a text has tokens."""
        return bool(self.tokens.cut(text))


class ErrorRateScorer(CharacterScorer):
    """Scores the counts of edits."""

    def _score(self, hyps: list[str], refs: list[list[str]], progress: Progress | None) -> Score:
        counts, present = self._count(hyps, refs, progress)
        counts = counts[_fewest(counts, present), np.arange(len(hyps))]
        signature = self.signature.with_part("refs", len(refs), first=True)
        return Score.of_counts(counts, error_rate, signature, len(refs), higher_is_better=False)

    def _explain(self, hyp: str, ref: str, n_what_if: int | None = None) -> EditExplanation:
        tokens, vocabulary = self.metric.tokens, Vocabulary()
        sides = [tokens.encode([text], vocabulary) for text in (hyp, ref)]
        edits = tuple(
            Edit(_KINDS[kind], (h, h + (kind != _DELETED)), (r, r + (kind != _INSERTED)))
            for _, kind, h, r in list_edits(*sides[0], *sides[1]).tolist()
        )
        cut = tuple(tokens.cut(hyp)), tuple(tokens.cut(ref))
        counts = np.array([len(edits), len(cut[1])], np.float64)
        return EditExplanation(*cut, float(error_rate(counts, 1)), edits, self.signature)

    def _combine(self, against: Sequence[AnyExplanation]) -> tuple[float, float, float]:
        edited = cast("Sequence[EditExplanation]", against)
        best = min(edited, key=lambda pair: (len(pair.edits), -len(pair.ref_tokens)))
        return best.score, best.precision, best.recall

    def replacements(self, hyps: list[str], refs: list[list[str]]) -> Counter[tuple[str, str]]:
        """Return the numbers of edits in checked texts, by tokens of reference and output.

        The reference of an insertion, and the output of a deletion, is "".
        """
        replaced: Counter[tuple[str, str]] = Counter()
        for batch in batches(len(hyps), _BATCH):
            vocabulary = Vocabulary()
            hyp, *sides = self._encode(hyps, refs, batch, vocabulary)
            counts = np.array([self.metric.count_pairs(hyp, ref) for ref in sides])
            best = _fewest(counts, np.array([ref.lengths > 0 for ref in sides]))
            numbers: Counter[tuple[int, int]] = Counter()
            for r, ref in enumerate(sides):
                edits = list_edits(*hyp, *ref)
                pairs, kinds, *places = edits[best[edits[:, 0]] == r].T
                of_hyp = _numbers_at(hyp, pairs, places[0], kinds != _DELETED)
                numbers.update(
                    zip(_numbers_at(ref, pairs, places[1], kinds != _INSERTED), of_hyp, strict=True)
                )
            tokens = vocabulary.tokens()
            for pair, n in numbers.items():
                replaced[tokens[pair[0]], tokens[pair[1]]] += n
        return replaced


def _fewest(counts: F64, present: Bools) -> I64:
    # The number of the reference with the fewest edits. Ties are broken by length and then by the
    # kinds of edits, so that the order of the references does not matter.
    if len(counts) == 1:
        return np.zeros(counts.shape[1], np.int64)
    best = present | ~present.any(axis=0)
    keys = (counts[..., :-1].sum(axis=-1), -counts[..., -1], *np.moveaxis(counts[..., :-1], -1, 0))
    for key in keys:
        best = best & (key == np.min(np.where(best, key, np.inf), axis=0))
    return np.asarray(best.argmax(axis=0))


def _numbers_at(side: TokenIds, pairs: I64, places: I64, is_present: Bools) -> list[int]:
    # The numbers of tokens at places of texts; -1 where there is none.
    numbers = np.full(len(pairs), -1)
    numbers[is_present] = side.numbers[side.begin[pairs[is_present]] + places[is_present]]
    return list(numbers.tolist())


class ErrorRate(CharacterMetric, CharacterOptions):
    """Edits divided by the tokens of the reference; lower is better."""

    scorer_class = ErrorRateScorer
    explained_by = "edits"
    combine = "fewest edits"
    higher_is_better = False
    has_empty_references = True

    @cached_property
    def options(self) -> CharacterOptions:
        """The options in effect: explicit values, or those that follow the language."""
        return CharacterOptions.of(self, script=self.script or self._default_script)

    def count_pairs(self, hyp: TokenIds, ref: TokenIds) -> F64:
        """Return substitutions, deletions, insertions and tokens of the reference."""
        return np.column_stack((count_edits(*hyp, *ref), ref.lengths)).astype(np.float64)

    def _check_texts(self, systems: Mapping[str, list[str]], refs: list[list[str]]) -> None:
        super()._check_texts(systems, refs)
        if not any(self.is_reference(text) for side in refs for text in side):
            raise no_tokens(self.name)

    @classmethod
    def details(cls, score: Score) -> dict[str, str]:
        """Return the edits by type, and the length of the references."""
        return {name: str(n) for name, n in score.edits.items()}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Cer(ErrorRate):
    """CER, the character error rate; lower is better.

    >>> import celab
    >>> celab.Cer().corpus_score(["买雨散"], [["买把雨伞。"]]).score
    50.0
    """

    name = "cer"
    unit = "char"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Mer(ErrorRate):
    """MER, the mixed error rate (not the match error rate of jiwer); lower is better.

    A token is a character of Chinese, Japanese or Korean, or a word of another language.

    >>> import celab
    >>> celab.Mer().corpus_score(["打开 word"], [["打开 Excel。"]]).score  # 1 of 3
    33.33...
    """

    name = "mer"


class RougeScorer(CharacterScorer):
    """Scores counts of common n-grams or subsequences."""

    def _score(self, hyps: list[str], refs: list[list[str]], progress: Progress | None) -> Score:
        counts, present = self._count(hyps, refs, progress)
        shared, n_hyp, n_ref = np.moveaxis(counts, -1, 0)
        totals = np.stack(((n_hyp + n_ref) / 2, n_hyp, n_ref), axis=-1)
        values = 100 * shared[..., None] / np.maximum(totals, 0.5)
        return Score.of(Segments(values, "max", present), self.signature)


class Rouge(CharacterMetric, RougeOptions):
    """F of common n-grams, or of the longest common subsequence."""

    scorer_class = RougeScorer
    combine = "max"

    @cached_property
    def options(self) -> CharacterOptions:
        """The options in effect: explicit values, or those that follow the language."""
        return RougeOptions.of(self, script=self.script or self._default_script)


class RougeN(Rouge):
    """ROUGE of n-grams."""

    order: ClassVar[int]

    def count_pairs(self, hyp: TokenIds, ref: TokenIds) -> F64:
        """Return the numbers of common n-grams, and of n-grams of each text."""
        shared = [count_shared(hyp.text(k), [ref.text(k)], self.order)[-1] for k in range(len(hyp))]
        n_ngrams = [np.maximum(side.lengths - self.order + 1, 0) for side in (hyp, ref)]
        return np.column_stack((shared, *n_ngrams)).astype(np.float64)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Rouge1(RougeN):
    """ROUGE-1: F of the tokens that both texts have.

    A token is a character of Chinese, Japanese or Korean, or a word of another language.

    >>> import celab
    >>> score = celab.Rouge1().sentence_score("他买了伞", ["他买了雨伞"])
    >>> round(score.score, 2)
    88.89
    """

    name = "rouge1"
    order = 1


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Rouge2(RougeN):
    """ROUGE-2: F of the pairs of neighboring tokens that both texts have.

    >>> import celab
    >>> score = celab.Rouge2().sentence_score("他买了伞", ["他买了雨伞"])
    >>> round(score.score, 2)
    57.14
    """

    name = "rouge2"
    order = 2


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RougeL(Rouge):
    """ROUGE-L: F of the longest common subsequence of tokens.

    Each text is one sequence; ROUGE-Lsum, which takes summaries by sentences, is another metric.

    >>> import celab
    >>> score = celab.RougeL().sentence_score("他买了伞", ["他买了雨伞"])
    >>> round(score.score, 2)
    88.89
    """

    name = "rougeL"

    def count_pairs(self, hyp: TokenIds, ref: TokenIds) -> F64:
        """Return the length of the longest common subsequence, and of each text."""
        from rapidfuzz.distance import LCSseq

        shared = [
            LCSseq.similarity(hyp.text(k).tolist(), ref.text(k).tolist()) for k in range(len(hyp))
        ]
        return np.column_stack((shared, hyp.lengths, ref.lengths)).astype(np.float64)
