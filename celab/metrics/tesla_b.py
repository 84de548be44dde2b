"""TESLA-B: TESLA-M, and the same in other languages by pivot tables (Dahlmeier, Liu and Ng 2011,
"TESLA at WMT 2011: Translation Evaluation and Tunable Metric", section 3).

By a table, a sentence is cut into its most probable phrases; their translations, in parallel, are a
network; its n-grams, of orders 1 to 3, are the bag of a sentence in the pivot language. An n-gram
weighs its probability, times 0.1 for each function word of the pivot language. Bags are matched by
lemmas and by tags of the pivot language, and the score is

    ½ · (mean of the F of TESLA-M) + ½ · (mean of the F of all tables, orders and similarities)

See docs/other-metrics.md for what the paper leaves open.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from os import PathLike

import numpy as np

from celab._native.pivot import UNIT, labeled
from celab.base.arguments import Arguments
from celab.base.arrays import F64, I8, I32, Bools
from celab.base.errors import OptionError, Setting
from celab.base.options import complete, is_list
from celab.base.run import Progress, pair_namer
from celab.base.signature import Signature
from celab.exact import bags
from celab.exact.bags import BagFeatures, Bags
from celab.metrics.bag_scorer import Prepared
from celab.metrics.base import Scorer
from celab.metrics.options import TeslaBData
from celab.metrics.tesla_m import TeslaM, TeslaMScorer
from celab.pivot.pivot_table import Coded, PivotTable, load_table

_MAX_PIVOT_WORDS_PER_WORD = (
    4  # pivot words for each word of a sentence; for the bound of the weights only
)

Pivot = str | PathLike[str] | PivotTable


class TeslaBScorer(TeslaMScorer):
    """Scores as TESLA-M and by the bags of each pivot table."""

    metric: TeslaB

    def _prepare(self, sides: list[list[str]], progress: Progress | None) -> Prepared:
        word_features_of = super()._prepare(sides, progress)
        n, tables = len(sides[0]), self.metric.pivots
        encoded = [self._encode(table, sides) for table in tables]
        kinds = [table.kinds_of(codes) for table, codes in zip(tables, encoded, strict=True)]

        def features(r: int, batch: slice) -> tuple[BagFeatures, Bools]:
            word_features, proved = word_features_of(r, batch)
            parts = [word_features]
            for table, codes, words in zip(tables, encoded, kinds, strict=True):
                hyp, ref = (
                    self._bags(table, codes, slice(at + batch.start, at + batch.stop), words)
                    for at in (0, (r + 1) * n)
                )
                parts.append(self._match(hyp, ref, proved, batch.start, r))
            joined = (
                np.concatenate([getattr(part, name) for part in parts], axis=2)
                for name in ("precision", "recall", "f", "is_used")
            )
            return BagFeatures(*joined), proved

        return features

    # Links would be between n-grams of networks, not between words of sentences.
    _explain = Scorer._explain  # type: ignore[assignment]

    def _figures(self, features: BagFeatures) -> F64:
        n = len(self.metric.matcher.names)
        halves = (
            bags.score_precision_recall(
                BagFeatures(
                    *(getattr(features, name)[:, :, columns] for name in features.__slots__)
                ),
                self.metric.average,
            )
            for columns in (slice(n), slice(n, None))
        )
        return np.asarray(sum(halves) / 2, np.float64)

    def _encode(self, table: PivotTable, sides: list[list[str]]) -> Coded:
        if table.about.unit == "char":
            return table.coded([table.tokens(text) for side in sides for text in side])
        forms = self.metric.analyzer.analyzer.forms
        lower = table.about.case == "lower"
        return table.coded(
            [forms(text.lower() if lower else text) for side in sides for text in side]
        )

    def _bags(
        self, table: PivotTable, coded: Coded, sentences: slice, kinds: tuple[I32, I32, I8]
    ) -> list[list[Bags]]:
        """Return the bags of each order by lemma and, if the table has tags, by tag."""
        lemma, tag, function = kinds
        p, q = self.metric.exact_discount.numerator, self.metric.exact_discount.denominator
        by_order = []
        for order, (gram, mass, start) in enumerate(
            table.networks(coded, sentences, self.metric.options.max_order), 1
        ):
            factor = np.array([p**k * q ** (order - k) for k in range(order + 1)], np.int64)
            by_lemma, by_tag, weight = labeled(gram, mass, lemma, tag, function, factor)
            labels = (by_lemma, by_tag) if table.has_tags else (by_lemma,)
            by_order.append([Bags(label, weight, start) for label in labels])
        return by_order

    def _match(
        self, hyp: list[list[Bags]], ref: list[list[Bags]], proved: Bools, first: int, r: int
    ) -> BagFeatures:
        run = self.metric.run
        sums = np.array(
            [
                [bags.match(x, y) for x, y in zip(*pair, strict=True)]
                for pair in zip(hyp, ref, strict=True)
            ],
            np.float64,
        )  # (orders, similarities, pairs, 3)
        matched = np.concatenate((sums[..., 0], sums[:, :1, :, 1], sums[:, :1, :, 2]), axis=1)
        n_similarities = sums.shape[1]

        def solve_whole(k: int, figures: F64, pair_name: str) -> None:
            for order, (hyp_bags, ref_bags) in enumerate(zip(hyp, ref, strict=True)):
                for column, (x, y) in enumerate(zip(hyp_bags, ref_bags, strict=True)):
                    problem = bags.equal_problem(x, y, k, pair_name)
                    figures[order, column] = bags.optimum(problem, pair_name, run.time_limit)
                    figures[order, -2:] = problem.hyp_weight.sum(), problem.ref_weight.sum()

        columns = (*("lem", "pos")[:n_similarities], *bags.WEIGHT_COLUMNS)
        matched = bags.check_with_solver(
            np.ascontiguousarray(matched.transpose(2, 0, 1)),
            proved,
            run,
            pair_namer(first, r),
            solve_whole,
            columns,
        )
        return bags.f_measure(
            matched[:, :, :n_similarities],
            matched[:, :, -2:-1],
            matched[:, :, -1:],
            self.metric.options.alpha,
        )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TeslaB(TeslaM, TeslaBData):
    """TESLA-B: the options of TESLA-M, and pivot tables.

    `pivots` are paths of `.pivot` files, or open tables, whose phrases are of the target language.

    >>> import celab
    >>> celab.TeslaB(lang="en")
    Traceback (most recent call last):
    celab.base.errors.OptionError: TESLA-B needs at least one pivot table; ...
    """

    name = "tesla-b"
    scorer_class = TeslaBScorer
    explained_by = ""

    def __post_init__(self) -> None:
        single = isinstance(self.pivots, str | PathLike | PivotTable)
        if not single and not is_list(self.pivots):
            raise OptionError(
                (Setting("pivots"), f" is of type {type(self.pivots).__name__}"),
                hint="it must be a path, a table, or a list of them",
            )
        pivots: list[Pivot] = [self.pivots] if single else list(self.pivots)
        if not pivots:
            raise OptionError(
                "TESLA-B needs at least one pivot table; celab pivot build makes them, and"
                " docs/other-metrics.md says from what"
            )
        tables = tuple(
            pivot if isinstance(pivot, PivotTable) else load_table(pivot) for pivot in pivots
        )
        self._set_language()
        for table in tables:
            if self.lang is not None and table.about.lang != self.lang:
                raise OptionError(
                    (
                        f"pivot table {table.path} is for language {table.about.lang!r}, but ",
                        Setting("lang"),
                        f" is {self.lang!r}",
                    ),
                    hint="they must agree",
                )
        complete(self, pivots=tables)
        super().__post_init__()
        self._compute("exact_discount")

    @cached_property
    def exact_discount(self) -> Fraction:
        """The weight of a function word, as a fraction."""
        order, max_units = (
            self.options.max_order,
            bags.MAX_UNITS_PER_TEXT * _MAX_PIVOT_WORDS_PER_WORD * UNIT,
        )
        return bags.whole_discount(self.options.discount, order, max_units)

    @cached_property
    def signature(self) -> Signature:
        """Everything that can change a score, in one line."""
        *parts, version = super().signature.parts
        signature_id = "+".join(table.signature_id for table in self.pivots)
        return Signature(self.name, [*parts, ("pivots", signature_id), version])

    def arguments(self) -> Arguments:
        """Return the arguments that make an equal metric, with absolute paths and without `run`."""
        return super().arguments() | {"pivots": [table.path for table in self.pivots]}
