"""TESLA-CELAB: sentences in, scores out (Liu and Ng 2012, "Character-Level Machine Translation
Evaluation for Languages with Ambiguous Word Boundaries").

With C_ref and C_hyp the greatest sums of coverage that the paper's program reaches on either side,
and N_ref and N_hyp the numbers of n-grams of orders 1 to `max_order`,

    recall = C_ref / N_ref,  precision = C_hyp / N_hyp,
    score  = (C_ref + f · C_hyp) / (N_ref + f · N_hyp)                            (section 3.4)

With `weights`, each n-gram counts by its weight, in sums and in totals (section 5.3).

With `length_limit` X, the score of an output of |o| tokens against a reference of |r| is multiplied
by min(1, max(X · |r|, |r| + 2) / |o|): recall weighs more than precision, so without a limit an
output with two translations scores higher than either.

Several references: the mean over those present. System: the mean over segments. A hypothesis
without tokens scores 0; a segment none of whose references has tokens is an error.

A token is a character, unless `tokenize` says otherwise. For German (`lang="de"`) the tokens are
words and the parts of compounds, as sketched in the paper (section 5.1): Regenschirm is regen
schirm, in text and lexicon alike. For English (`lang="en"`) they are letters.

>>> metric = TeslaCelab(lexicon=None)
>>> metric.sentence_score("买伞", ["买雨伞"]).recall
0.3333333333333333
>>> german = TeslaCelab(lexicon=None, lang="de")
>>> german.sentence_score("Regenschirm kaufen", ["Regen schirm kaufen"]).score
1.0
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

from celab.base.arguments import Arguments
from celab.base.errors import OptionError, Setting
from celab.base.languages import is_traditional
from celab.base.messages import warn
from celab.base.options import complete
from celab.base.run import STREAM_BATCH, RunOptions
from celab.base.signature import Signature
from celab.base.text.normalize import Composition, Normalizer, Respelling, opencc_version
from celab.base.text.sequences import Refs, items_of, texts_of
from celab.base.text.tokens import is_blank
from celab.base.version import __version__
from celab.exact.engine import Engine
from celab.exact.weights import NAMES, load_table
from celab.lexicon.catalog import DEFAULTS, LexiconSpec, with_absolute_paths
from celab.lexicon.grades import Grade, chain_of, portable_chain, unused_lexicons
from celab.lexicon.lexicon import open_lexicon
from celab.metrics.celab_scorer import CelabMetric, CelabScorer
from celab.metrics.factory import make_metric
from celab.metrics.options import TeslaCelabData, TeslaCelabOptions, language_defaults

if TYPE_CHECKING:
    # Import cycle: a mean is made of metrics.
    from celab.metrics.mean import Mean


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TeslaCelab(CelabMetric, RunOptions, TeslaCelabOptions, TeslaCelabData):
    """TESLA-CELAB with its options and lexicon.

    The language sets the defaults of lexicon, `tokenize`, `case`, `script` and `max_order`; the
    default of `decay` is 1 with unit weights, else 0.5. The lexicon is a name or a path, a list of
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
    scorer_class = CelabScorer
    explained_by = "links"

    def __post_init__(self) -> None:
        written = self.lang
        self._check_arguments()
        self._compute("options", "run", "engine", "signature")
        converts = self.script is None and self.options.script == "auto"
        if written is not None and converts and is_traditional(written):
            warn(
                (
                    Setting("lang"),
                    f" is {written!r}: Traditional characters of references and hypotheses are"
                    " converted to Simplified before they are compared (",
                    Setting("script", "auto"),
                    "); ",
                    Setting("script", "keep"),
                    " compares them as they are",
                )
            )
        warn(self.notice)
        # Absolute paths, so that copies work in another folder.
        complete(self, **self._portable())

    @classmethod
    def recommended(cls, lang: str | None = None, **options: object) -> TeslaCelab | Mean:
        """Return the metric with the settings that we recommend for a language.

        Parameters:
            lang: language (default: zh). For th, lo, km and my, nothing is recommended: the metric
                has its defaults, and there is a warning.
            options: arguments of the class, which replace the recommended ones in each view.

        Returns a `TeslaCelab`, or for German, which is read in two ways, the `Mean` of two. Both
        are metrics, with the same methods.

        >>> import celab
        >>> metric = celab.TeslaCelab.recommended("zh")
        >>> metric.sentence_score("买伞", ["买雨伞"]).score
        1.0
        """
        return cast("TeslaCelab | Mean", make_metric("celab-recommended", lang=lang, **options))

    @cached_property
    def options(self) -> TeslaCelabOptions:
        """The options in effect: explicit values, or defaults of the language and the weights."""
        options = TeslaCelabOptions.of(
            self, weights=os.fspath(self.weights), **self._resolve_defaults()
        )
        limit = options.length_limit
        if limit is not None and round(limit, 2) != limit:
            raise OptionError("length_limit", limit, "it must have at most two decimals")
        return options

    def _resolve_defaults(self) -> Arguments:
        # Options whose defaults depend on the language or on the weights.
        decay = self.decay
        if decay is None:
            decay = 1.0 if self.weights == "unit" else 0.5
        by_language = language_defaults(
            self.lang,
            max_order=self.max_order,
            tokenize=self.tokenize,
            case=self.case,
            script=self.script,
        )
        return {"decay": decay, **by_language}

    @cached_property
    def engine(self) -> Engine:
        """The engine that tokenizes sentences and covers pairs."""
        options = self.options
        chain = () if self.grades is None else chain_of(self.grades, self.lexicon)
        weights = os.fspath(options.weights)
        table = None if weights == "unit" else load_table(weights, self.lang)
        respell = _respelling(options, self.lang, self.counts)
        normalizer = Normalizer.of(options, respell, self.lang)
        spec = self._lexicon_for(chain)
        if chain:
            _check_chain(chain, spec, options)
        lexicon = open_lexicon(
            spec,
            normalizer,
            options.cilin_lines,
            chain,
            tokenize=cast(str, options.tokenize),
            max_order=cast(int, options.max_order),
        )
        return Engine(options, lexicon, normalizer, table)

    @cached_property
    def signature(self) -> Signature:
        """Everything that can change a score, in one line."""
        lang, engine = self.lang, self.engine
        instead = {"weights": engine.table.signature_id} if engine.table else {}
        parts = [] if lang in (None, "zh") else [("lang", lang)]
        parts += self.options.signature_parts(**instead)
        if self.options.tokenize == "parts" and engine.respell:
            parts.append(("split", engine.respell.name))
        if self.options.script != "keep":
            parts.append(("opencc", opencc_version()))
        if self.grades is not None and engine.lexicon:
            parts.append(("grades", engine.lexicon.graded))
        signature_id = engine.lexicon.signature_id if engine.lexicon else "none"
        return Signature(self.name, [*parts, ("lex", signature_id), ("v", __version__)])

    @property
    def language(self) -> str:
        """Language of the texts."""
        return self.lang or "zh"

    def _lexicon_for(self, chain: Sequence[Grade]) -> LexiconSpec:
        # The option, or the lexicon of the language; grades may name further lexicons.
        if self.lexicon != "default":
            return self.lexicon
        if chain and not any(grade.is_part for grade in chain):
            return []
        return None if self.options.tokenize == "letter" else DEFAULTS.get(self.lang or "zh")

    @property
    def notice(self) -> str:
        """Why another lexicon than the requested one is used, or ""."""
        return self.engine.lexicon.notice if self.engine.lexicon else ""

    def _portable(self) -> dict[str, object]:
        # The arguments that name files, with absolute paths.
        paths: dict[str, object] = {}
        if self.lexicon and self.lexicon != "default":
            paths["lexicon"] = with_absolute_paths(self.lexicon, self.notice)
        if self.counts is not None:
            paths["counts"] = os.path.abspath(self.counts)
        if self.weights not in NAMES:
            paths["weights"] = os.path.abspath(self.weights)
        if self.grades is not None:
            paths["grades"] = portable_chain(chain_of(self.grades, self.lexicon))
        return paths

    def arguments(self) -> Arguments:
        """Return the arguments that make an equal metric, with absolute paths and without `run`."""
        defaults = self._resolve_defaults()
        lexicon = with_absolute_paths(
            self._lexicon_for(chain_of(self.grades, self.lexicon)), self.notice
        )
        if self.grades is not None:
            lexicon = lexicon or "default"
        separate = {"lexicon", "lang", *defaults}
        explicit = {
            name: value
            for name, value in super().arguments().items()
            if value is not None and name not in separate
        }
        return {"lexicon": lexicon, "lang": self.lang} | explicit | defaults

    @property
    def depends_on_references(self) -> bool:
        """Whether the weights come from the references."""
        return self.options.weights == "references"

    @property
    def assumed_language(self) -> str | None:
        """The option `lang`, or Chinese if tokens are characters."""
        # The default language and its lexicon are Chinese, but words, syllables or letters may be
        # those of any language.
        return self.lang or ("zh" if self.options.tokenize == "char" else None)

    def is_reference(self, text: str) -> bool:
        """Return whether a text has a token with a weight above 0."""
        engine = self.engine
        if engine.table is None and engine.respell is None:
            return not is_blank(text)
        (prepared,) = engine.prepare([text])
        tokens = engine.tokens(prepared)
        return bool(tokens) if engine.table is None else any(map(engine.table.weigh, tokens))

    def scorer(self, refs: Refs, cache_references: bool = True) -> CelabScorer:
        """Return a `Scorer` for a corpus whose references begin with these.

        `weights="references"` computes weights from `refs`, and the signature has their digest;
        otherwise `refs` has no effect. Pass the first 10,000 segments, or all if there are fewer.
        With `cache_references`, references that were read stay in memory for the next system.
        """
        if not self.depends_on_references:
            return CelabScorer(self, self.signature, cache_references, None)
        sides = [texts_of(side, "reference", absent=True) for side in items_of(refs, "refs")]
        # Only the first segments are used, so that a stream need not be read to its end.
        table = self.engine.table_of([side[:STREAM_BATCH] for side in sides])
        return CelabScorer(
            self, self.signature.with_part("weights", table.signature_id), cache_references, table
        )


def _check_chain(chain: Sequence[Grade], lexicon: LexiconSpec, options: TeslaCelabOptions) -> None:
    if options.cilin_lines != "all":
        raise OptionError(
            (Setting("cilin_lines"), f" is {options.cilin_lines!r}, but grades are given"),
            hint="name the lines there, as '='",
        )
    if lexicon is None:
        raise OptionError("grades are given without a lexicon; give a lexicon")
    if unused := unused_lexicons(chain, lexicon):
        raise OptionError(
            f"lexicon {unused[0]!r} is given, but no grade uses it",
            hint=("give it as a key of ", Setting("grades")),
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
    from celab.words.compounds import Compounds, WordParts

    return WordParts(Compounds(counts), respelt=options.umlauts == "fold")


def recommended(lang: str | None = None, **options: object) -> TeslaCelab | Mean:
    """Return the metric that we recommend for a language.

    Same as `TeslaCelab.recommended`.

    Parameters:
        lang: language of `TeslaCelab` (default: zh). For th, lo, km and my, nothing is recommended:
            the metric has its defaults, and there is a warning.
        options: arguments of `TeslaCelab`, which replace the recommended ones in each view.

    Returns a `TeslaCelab`, or for German the `Mean` of two.

    >>> recommended("en").signature.split("|")[:3]
    ['celab', 'lang:en', 'n:6']
    >>> len(recommended("de").parts)
    2
    """
    return TeslaCelab.recommended(lang, **options)
