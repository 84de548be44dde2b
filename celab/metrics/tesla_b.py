"""TESLA-B: TESLA-M, and the same in other languages by pivot tables (Dahlmeier, Liu and Ng 2011,
"TESLA at WMT 2011: Translation Evaluation and Tunable Metric", section 3).

By a table, a sentence is cut into its most probable phrases; their translations, in parallel, are a
network; its n-grams, of orders 1 to 3, are the bag of a sentence in the pivot language. An n-gram
weighs its probability, times 0.1 for each function word of the pivot language. Bags are matched by
lemmas and by tags of the pivot language, and the score is

    ½ · (mean of the F of TESLA-M) + ½ · (mean of the F of all tables, orders and similarities)

See docs/tesla-b.md for what the paper leaves open.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from os import PathLike
from typing import Any

import numpy as np

from celab._native.pivot import UNIT, labelled
from celab.base.arrays import F64, I8, I32, Bools
from celab.base.errors import OptionError, Setting
from celab.base.run import pair_namer
from celab.base.signature import Signature
from celab.exact import bags
from celab.exact.bags import Bags, Features
from celab.metrics.bag_metric import Prepared
from celab.metrics.base import Progress
from celab.metrics.tesla_m import TeslaM
from celab.pivot.table import Coded, Table, opened

_LONGEST = 4  # pivot words for each word of a sentence; for the bound of the weights only

Pivot = str | PathLike[str] | Table


class TeslaB(TeslaM):
    """TESLA-B with its pivot tables.

    Parameters:
        pivots: paths of `.pivot` files, or open tables, whose phrases are of the target language.
        lang, settings: as in `TeslaM`.

    >>> import celab
    >>> celab.TeslaB(lang="en")
    Traceback (most recent call last):
    celab.base.errors.OptionError: TESLA-B needs at least one pivot table; ...
    """

    name = "tesla-b"
    has_links = False  # they are between n-grams of networks, not between words of sentences
    pivots: tuple[Table, ...]
    _discount: Fraction

    def __init__(
        self, *, lang: str | None = None, pivots: Pivot | Sequence[Pivot] = (), **settings: Any
    ) -> None:
        some = [pivots] if isinstance(pivots, str | PathLike | Table) else list(pivots)
        if not some:
            raise OptionError(
                "TESLA-B needs at least one pivot table; celab pivot build makes them, and"
                " docs/pivot.md says from what"
            )
        tables = tuple(one if isinstance(one, Table) else opened(one) for one in some)
        for table in tables:
            if lang is not None and table.about.lang != lang:
                raise OptionError(
                    (
                        f"pivot table {table.path} is for language {table.about.lang!r}, but ",
                        Setting("lang"),
                        f" is {lang!r}",
                    ),
                    hint="they must agree",
                )
        super().__init__(lang=lang, **settings)
        order, most = self.options.max_order, bags.MOST_UNITS * _LONGEST * UNIT
        discount = bags.whole_discount(self.options.discount, order, most)
        cited = "+".join(table.cited for table in tables)
        *parts, version = self.signature.parts
        given = vars(self)["_given"] | {"pivots": [table.path for table in tables]}
        self._freeze(
            given,
            pivots=tables,
            _discount=discount,
            signature=Signature(self.name, [*parts, ("pivots", cited), version]),
        )

    def _prepared(self, sides: list[list[str]], progress: Progress | None) -> Prepared:
        by_words = super()._prepared(sides, progress)
        n = len(sides[0])
        coded = [self._coded(table, sides) for table in self.pivots]
        kinds = [table.kinds_of(one) for table, one in zip(self.pivots, coded, strict=True)]

        def features(r: int, batch: slice) -> tuple[Features, Bools]:
            found, proved = by_words(r, batch)
            every = [found]
            for table, one, words in zip(self.pivots, coded, kinds, strict=True):
                hyp, ref = (
                    self._bags(table, one, slice(at + batch.start, at + batch.stop), words)
                    for at in (0, (r + 1) * n)
                )
                every.append(self._matched(hyp, ref, proved, batch.start, r))
            joined = (
                np.concatenate([getattr(one, name) for one in every], axis=2)
                for name in ("precision", "recall", "f", "counts")
            )
            return Features(*joined), proved

        return features

    def _figures(self, features: Features) -> F64:
        n = len(self._matcher.names)
        halves = (
            bags.figures(
                Features(*(getattr(features, name)[:, :, some] for name in features.__slots__)),
                self.average,
            )
            for some in (slice(n), slice(n, None))
        )
        return np.asarray(sum(halves) / 2, np.float64)

    def _coded(self, table: Table, sides: list[list[str]]) -> Coded:
        if table.about.unit == "char":
            return table.coded([table.tokens(text) for side in sides for text in side])
        forms = self._analyser.analyser.forms
        lower = table.about.case == "lower"
        return table.coded(
            [forms(text.lower() if lower else text) for side in sides for text in side]
        )

    def _bags(
        self, table: Table, coded: Coded, some: slice, kinds: tuple[I32, I32, I8]
    ) -> list[list[Bags]]:
        """The bags of each order by lemma and, if the table has tags, by tag."""
        lemma, tag, function = kinds
        p, q = self._discount.numerator, self._discount.denominator
        found = []
        for order, (gram, mass, start) in enumerate(
            table.networks(coded, some, self.options.max_order), 1
        ):
            factor = np.array([p**k * q ** (order - k) for k in range(order + 1)], np.int64)
            by_lemma, by_tag, weight = labelled(gram, mass, lemma, tag, function, factor)
            labels = (by_lemma, by_tag) if table.has_tags else (by_lemma,)
            found.append([Bags(label, weight, start) for label in labels])
        return found

    def _matched(
        self, hyp: list[list[Bags]], ref: list[list[Bags]], proved: Bools, first: int, r: int
    ) -> Features:
        sums = np.array(
            [
                [bags.match(x, y) for x, y in zip(*pair, strict=True)]
                for pair in zip(hyp, ref, strict=True)
            ],
            np.float64,
        )  # (orders, similarities, pairs, 3)
        matched = np.concatenate((sums[..., 0], sums[:, :1, :, 1], sums[:, :1, :, 2]), axis=1)
        n_similarities = sums.shape[1]

        def whole(k: int, figures: F64, what: str) -> None:
            for order, (some, others) in enumerate(zip(hyp, ref, strict=True)):
                for column, (x, y) in enumerate(zip(some, others, strict=True)):
                    problem = bags.equal_problem(x, y, k, what)
                    figures[order, column] = bags.greatest(problem, what, self.run.time_limit)
                    figures[order, -2:] = problem.hyp_weight.sum(), problem.ref_weight.sum()

        columns = (*("lem", "pos")[:n_similarities], *bags.WEIGHT_COLUMNS)
        matched = bags.judged(
            np.ascontiguousarray(matched.transpose(2, 0, 1)),
            proved,
            self.run,
            pair_namer(first, r),
            whole,
            columns,
        )
        return bags.f_measure(
            matched[:, :, :n_similarities],
            matched[:, :, -2:-1],
            matched[:, :, -1:],
            self.options.alpha,
        )
