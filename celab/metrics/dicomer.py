"""DICOMER: the readability of a text by its discourse roles, without a reference (Lin, Liu, Ng and
Kan 2012, "Combining Coherence Models and Machine Translation Evaluation Metrics for Summarization
Evaluation", section 4).

A text is cut into sentences, its relations are found by connectives (`celab.trained.relations`) or
read from a parser's files (`celab.trained.conll`), and shares of role transitions are its features
(`celab.trained.roles`). The score is w · f; a ranking SVM learns w from all pairs of texts of a
topic that people rate differently. Features are not divided by their standard deviation, because
most are rare, and the rarest would weigh most.

Scores have neither a scale nor a meaningful zero; they only rank texts. A text of one sentence has
no transitions, so its score does not measure readability; there is a warning.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple, cast

import numpy as np

from celab.base.arguments import JsonObject, check_number
from celab.base.arrays import F64
from celab.base.errors import InputError, OptionError, SentenceError
from celab.base.json_files import Anything, Dictionary, Number, Object, Text
from celab.base.messages import warn
from celab.base.run import Progress, split
from celab.base.signature import Signature
from celab.base.text.escapes import escape_controls
from celab.base.text.normalize import opencc_version, simplify
from celab.base.text.sequences import Refs, text_of, texts_of
from celab.base.version import __version__
from celab.metrics.base import N_WHAT_IF, Scorer
from celab.metrics.explaining.explanation import SegmentExplanation
from celab.metrics.options import DicomerOptions, RoleFeatures
from celab.metrics.scores import Score, Segments, SegmentScore
from celab.metrics.tesla_f import damaged_model
from celab.metrics.trained_metric import TrainedMetric
from celab.tables import cells
from celab.tables.cells import quantity
from celab.tables.table import SCORE, TEXT, Column, Part, Table, named
from celab.tables.view import Detail, Line
from celab.trained.conll import ParsedTexts
from celab.trained.ranking import rank_weights, solver_of, sparse_rows
from celab.trained.relations import Connectives, Discourse, split_sentences
from celab.trained.roles import NAMES, NIL, Shares, role_matrix, shares
from celab.trained.topics import Topics
from celab.words.analyzers import CachedAnalyzer, analyzer

LANGUAGES = ("en", "zh")  # languages with a list of connectives
MAX_TERMS_SHOWN = 25
MAX_TRANSITIONS = 15
_NUMBERS = {name: number for number, name in enumerate(NAMES)}


class Transition(NamedTuple):
    """A feature of a text: its share, its weight in the model, and their product."""

    name: str
    share: float
    weight: float
    product: float


_TRANSITIONS = [
    Column("transition", TEXT, attrgetter("name"), "transition"),
    *named(SCORE, "share", "weight", "product"),
]


def _sentence_column(index: int) -> Column:
    return Column(str(index + 1), TEXT, lambda row: " ".join(row[1][index]) or NIL)


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class RoleExplanation(SegmentExplanation):
    """The explanation of a text: the roles of its terms, and the products that add up to its score.

    Attributes:
        n_sentences: number of sentences.
        roles: term → its roles in each sentence.
        transitions: a `Transition` for each feature of the text, the greatest product first.
        score: the sum of the products.
        signature: signature of the metric.
    """

    n_sentences: int
    roles: Mapping[str, tuple[tuple[str, ...], ...]]
    transitions: tuple[Transition, ...]
    signature: Signature

    @property
    def digits(self) -> int:
        """Number of decimals to show."""
        return 4

    def plot(self, ax: object = None) -> Any:
        """Raise `OptionError`: there are no links to draw."""
        raise OptionError("a role matrix has no links to draw; print it")

    def facts(self) -> JsonObject:
        """Return the score, the signature, and the roles of each term, sentence by sentence."""
        return {
            name: getattr(self, name) for name in ("score", "n_sentences", "roles", "signature")
        }

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield the role matrix, terms × sentences, and the transitions that count most.

        With `detail="full"`, all terms and transitions are shown.
        """
        is_full = detail == "full"
        n_roles = {term: sum(map(len, roles)) for term, roles in self.roles.items()}
        ranked = sorted(filter(n_roles.get, n_roles), key=lambda term: -n_roles[term])
        chosen = self.roles if is_full else {*ranked[:MAX_TERMS_SHOWN]}
        rows = [(term, roles) for term, roles in self.roles.items() if term in chosen]
        n_others = len(self.roles) - len(rows)
        below = [Line((f"{quantity(n_others, 'term')} with fewer roles or none",))]
        yield Table(
            columns=[
                Column("term", TEXT, lambda row: escape_controls(row[0])),
                *map(_sentence_column, range(self.n_sentences)),
            ],
            rows=rows,
            title="roles by sentence",
            notes=below if n_others else (),
        )
        yield Table(
            name="transition",
            columns=_TRANSITIONS,
            rows=self.transitions,
            digits=self.digits,
            title="transitions that count most",
            most=None if is_full else MAX_TRANSITIONS,
        )
        shown = cells.score(self.score, self.digits)
        score = Line((f"score {shown}, {quantity(self.n_sentences, 'sentence')}",))
        yield [score, Line((self.signature,), "signature")]

    def __repr__(self) -> str:
        sizes = quantity(self.n_sentences, "sentence"), quantity(len(self.roles), "term")
        return f"<RoleExplanation {self.score:.4f}: {', '.join(sizes)}>"


class DicomerScorer(Scorer):
    """Scores texts by the weights of the model; references have no effect."""

    metric: Dicomer

    def _score(self, hyps: list[str], refs: list[list[str]], progress: Progress | None) -> Score:
        values = self.metric.values(hyps, progress)
        return Score.of(Segments(values[None, :, None], "all"), self.signature, 0)

    def explain(
        self,
        hyp: str,
        refs: Sequence[str | None] = (),
        *,
        unmatched: bool = False,
        n_what_if: int = N_WHAT_IF,
    ) -> RoleExplanation:
        """Explain the score of one text; the other arguments are for metrics with references."""
        return self.metric.explain(hyp)


@dataclass(frozen=True, eq=False, repr=False)
class Dicomer(TrainedMetric, DicomerOptions):
    """DICOMER with its options, and a model once it is trained.

    A model has language and features; without one they are options.

    >>> import celab
    >>> better, worse = "It rained. So we stayed in.", "We stayed in. It rained. So it rained."
    >>> metric = celab.Dicomer(lang="en").fit([[better, worse]], [[5, 1]])
    >>> metric.score(better) > metric.score(worse)
    True
    """

    name = "dicomer"
    format = "celab dicomer 1"
    shape = Object(
        {
            "format": Text(),
            "lang": Text("|".join(LANGUAGES), right=f"one of {', '.join(LANGUAGES)}"),
            "features": Text("lin|c|e|ce", right="one of lin, c, e, ce"),
            "trained_with": Text(),
            "weights": Dictionary(Number()),
        },
        optional={"training": Anything()},
    )
    of_model = ("lang", "features")
    scorer_class = DicomerScorer
    explained_by = "roles"
    has_empty_references = True

    def __post_init__(self) -> None:
        self._check_arguments()
        self._compute("run", "_model", "options", "_words", "_source")
        self._compute("signature", "_weights")

    @cached_property
    def options(self) -> DicomerOptions:
        """The options in effect: explicit values, or those of the model."""
        return DicomerOptions.of(self, features=self._option("features"))

    @property
    def language(self) -> str:
        """Language of the texts: the language of the model, or the option."""
        return str(self._option("lang", "zh"))

    @cached_property
    def _words(self) -> CachedAnalyzer:
        if self.language not in LANGUAGES:
            hint = f"{self.name} supports {', '.join(LANGUAGES)}"
            raise OptionError("lang", self.language, hint)
        return CachedAnalyzer(analyzer(self.language))

    @cached_property
    def _source(self) -> Connectives | ParsedTexts:
        """The source of relations: connectives, or the files of a parser."""
        if self.relations is None:
            return Connectives(self.language)
        return ParsedTexts(self.relations, self._words.analyzer)

    def _parts(self) -> list[tuple[str, str]]:
        parts = self.options.signature_parts(["features"])
        parts += [("relations", self._source.name), ("words", self._words.name)]
        return [*parts, ("opencc", opencc_version())] if self.language == "zh" else parts

    @cached_property
    def _weights(self) -> F64 | None:
        """The weights of all `NAMES`; None before `fit`."""
        return None if self._model is None else _weights(self.content, self._model.path)

    def with_content(self, content: JsonObject) -> Dicomer:
        """Return a copy with a model that is not in a file."""
        return self._with_content(content, _weights=_weights(content, "in memory"))

    def fit(
        self,
        texts: Sequence[Sequence[str]],
        ratings: Sequence[Sequence[float]],
        *,
        cost: float = 1.0,
    ) -> Dicomer:
        """Learn the weights, and return the metric with them.

        Needs scikit-learn (extra: train).

        Parameters:
            texts: the texts of each topic.
            ratings: a number for each text; more is better.
            cost: C of the support vector machine.

        >>> import celab
        >>> celab.Dicomer(lang="en").fit([["It rained.", "It snowed."]], [[1, 1]])
        Traceback (most recent call last):
        celab.base.errors.InputError: no topic has two texts with different ratings; there must ...
        """
        solver_of("LinearSVC")  # an error at once if it is not installed
        return self.fit_topics(Topics.of(texts, ratings), cost)

    def fit_topics(self, topics: Topics, cost: float = 1.0) -> Dicomer:
        """Learn the weights from `Topics`, and return the metric with them."""
        check_number("cost", cost, 1e-6)
        better, worse = topics.pairs().T
        seen, features = sparse_rows(self._shares(topics.texts))
        difference = features[better] - features[worse]
        if not abs(difference).sum():
            raise InputError(
                "texts with different ratings have the same role transitions; training needs texts"
                " of two sentences or more"
            )
        weights = rank_weights(difference, cost)
        named = zip(seen.tolist(), weights.tolist(), strict=True)
        content: JsonObject = {
            "format": self.format,
            "lang": self.language,
            "features": self.options.features,
            "trained_with": self.trained_with(),
            "training": {
                "celab": __version__,
                "topics": len(np.unique(topics.topic)),
                "texts": len(topics.texts),
                "pairs": len(better),
                "cost": cost,
            },
            "weights": {NAMES[number]: weight for number, weight in named if weight},
        }
        return self.with_content(content)

    def score(self, text: str) -> float:
        """Return the score of a text.

        Parameters:
            text: the text, which is cut into sentences; a line break ends a sentence, too.
        """
        return float(self.values([text_of(text, "text")])[0])

    def values(self, texts: Sequence[str], progress: Progress | None = None) -> F64:
        """Return the scores of texts.

        Parameters:
            texts: the texts.
            progress: callback, called with (done, total), which count texts.
        """
        _ = self.content  # an error if there is none
        weights = cast(F64, self._weights)
        # An exact sum does not depend on the order of the features.
        return np.array(
            [
                math.fsum((weights[row.numbers] * row.values).tolist())
                for row in self._shares(texts_of(texts, "text"), progress)
            ]
        )

    def _shares(self, texts: Sequence[str], progress: Progress | None = None) -> list[Shares]:
        features = cast(RoleFeatures, self.options.features)
        return [
            shares(role_matrix(discourse, features), features)
            for discourse in self.discourses(texts, progress)
        ]

    def discourses(self, texts: Sequence[str], progress: Progress | None = None) -> list[Discourse]:
        """Return the terms and relations of texts.

        Parameters:
            texts: the texts.
            progress: callback, called with (done, total), which count texts.
        """
        source, discourses = self._source, list[Discourse]()
        if isinstance(source, ParsedTexts):
            for number, text in enumerate(texts, 1):
                try:
                    discourses.append(source.relate(text))
                except InputError as error:
                    raise SentenceError(number, str(error), 0) from None
            return discourses
        of_texts = [self._sentences(text) for text in texts]
        sentences = [sentence for of_text in of_texts for sentence in of_text]
        # `progress` counts texts, but the analyzer would report sentences.
        (share,) = split(progress, len(texts), [1])
        words = iter(self._words.analyze(sentences, share, self.run.threads))
        if progress is not None:
            progress(len(texts), len(texts))
        return [source.relate([next(words) for _ in of_text]) for of_text in of_texts]

    def _sentences(self, text: str) -> list[str]:
        # The lists of connectives are in Simplified characters.
        return split_sentences(simplify(text) if self.language == "zh" else text)

    def _check_texts(self, systems: Mapping[str, list[str]], refs: list[list[str]]) -> None:
        super()._check_texts(systems, refs)
        for name, texts in systems.items():
            short = [k for k, text in enumerate(texts, 1) if len(split_sentences(text)) == 1]
            if short:
                warn(
                    f"{name} has {quantity(len(short), 'text')} of one sentence, such as segment"
                    f" {short[0]}; {self.name} is about the order of sentences, so their scores"
                    " mean nothing"
                )

    def corpus_score(
        self, hyps: Sequence[str], refs: Refs = (), progress: Progress | None = None
    ) -> Score:
        """Score texts; references are not needed.

        Parameters:
            hyps: the texts, in a list, an array or a column.
            refs: as for other metrics; they have no effect.
            progress: callback, called with (done, total), which count texts.
        """
        if refs is not None and len(refs):
            return super().corpus_score(hyps, refs, progress)
        no_refs = [[""] * len(texts_of(hyps, "hypothesis", "hyps"))]
        return replace(super().corpus_score(hyps, no_refs, progress), digests=None)

    def corpus_scores(self, systems: Any, refs: Refs = (), progress: Progress | None = None) -> Any:
        """Score the texts of several systems; references are not needed.

        Parameters:
            systems: as for other metrics.
            refs: as for other metrics; they have no effect.
            progress: callback, called with (done, total), which count texts.
        """
        if refs is not None and len(refs):
            return super().corpus_scores(systems, refs, progress)
        first = next(iter(systems.values() if isinstance(systems, Mapping) else systems), ())
        no_refs = [[""] * len(texts_of(first, "hypothesis", "hyps"))]
        scores = super().corpus_scores(systems, no_refs, progress)
        if isinstance(scores, list):
            return [replace(score, digests=None) for score in scores]
        return {name: replace(score, digests=None) for name, score in scores.items()}

    def sentence_score(self, hyp: str, refs: str | Sequence[str | None] = "") -> SegmentScore:
        """Score one text; references are not needed.

        Parameters:
            hyp: the text.
            refs: as for other metrics; they have no effect.
        """
        return super().sentence_score(hyp, refs)

    def explain(self, hyp: str, ref: str = "", *, unmatched: bool = False) -> RoleExplanation:  # type: ignore[override]
        """Explain the score of a text: the roles of its terms and the transitions that count most.

        Parameters:
            hyp: the text.
            ref, unmatched: as for other metrics; they have no effect.
        """
        (discourse,) = self.discourses([text_of(hyp, "hyp")])
        matrix = role_matrix(discourse, "lin")
        (found,) = self._shares([hyp])
        _ = self.content
        transitions = [
            Transition(NAMES[number], share, weight, share * weight)
            for number, share, weight in zip(
                found.numbers.tolist(),
                found.values.tolist(),
                cast(F64, self._weights)[found.numbers].tolist(),
                strict=True,
            )
        ]
        return RoleExplanation(
            index=(),
            against=(),
            score=math.fsum(transition.product for transition in transitions),
            precision=math.nan,
            recall=math.nan,
            combine="all",
            n_sentences=len(discourse.sentences),
            roles={term: tuple(matrix.column(term)) for term in matrix.terms},
            transitions=tuple(sorted(transitions, key=lambda x: -abs(x.product))),
            signature=self.signature,
        )


def _weights(content: JsonObject, path: str) -> F64:
    """Return the weights of all `NAMES`."""
    weights = np.zeros(len(NAMES))
    for name, weight in content["weights"].items():
        if name not in _NUMBERS:
            raise damaged_model(path, f"{escape_controls(name)[:40]!r} is not a feature")
        weights[_NUMBERS[name]] = weight
    return weights
