"""Adapters: columns of data frames and data sets, a module for `evaluate`, rewards for training."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from celab.base.errors import InputError
from celab.base.text.sequences import reference_columns
from celab.corpus.frames import column_names, full_column, reference_columns_of
from celab.findings.translations.screening import Expectations, find
from celab.integrations.rewards import reward
from celab.metrics.base import Metric
from celab.metrics.factory import make_only_metric
from celab.metrics.scores import RATES
from celab.tables.result import DataFrame

__all__ = ["evaluate_module", "reference_columns", "reward", "score_columns"]


def score_columns(
    frame: DataFrame,
    hypothesis: str = "hypothesis",
    references: str | Sequence[str] = "reference",
    metric: str | Metric = "celab",
    *,
    source: str | None = None,
    **settings: object,
) -> DataFrame:
    """Score the rows of a data frame of pandas or polars, a table of pyarrow, or a data set.

    Parameters:
        frame: a `pandas.DataFrame`, a `polars.DataFrame`, a `pyarrow.Table` or a
            `datasets.Dataset`; it is not changed.
        hypothesis: name of the column with the translations.
        references: name of the column with references, or names of several. An absent value is an
            absent reference; a list has several. `translation.zh` is a field of a column.
        metric: a metric, or the name of one (see `celab score --metric`).
        source: name of the column with the sources, without which no output is called a copy.
        settings: lang, lexicon, jobs, solver, time_limit, on_error, for a metric given by name.

    Returns the data frame with columns added: score, precision and recall, absent where the metric
    has none or the segment was skipped, and kind, the kind of an output that may not be a
    translation (`celab.check`), else "".

    >>> import celab, pandas
    >>> frame = pandas.DataFrame({"hypothesis": ["买伞", ""], "reference": ["买雨伞", "去北京"]})
    >>> scored = celab.integrations.score_columns(frame)
    >>> scored["score"].tolist(), scored["kind"].tolist()
    ([1.0, 0.0], ['', 'empty'])
    """
    hyps = full_column(frame, hypothesis)
    names = [references] if isinstance(references, str) else list(references)
    refs = reference_columns_of(frame, names)
    known = column_names(frame)
    for name in ("score", "precision", "recall", "kind"):
        if name in known:
            raise InputError(f"the data frame already has a column {name!r}; rename or drop it")
    scorer = make_only_metric(metric, **settings)
    rows = scorer.corpus_score(hyps, refs).segments.rows()
    scored = {name: np.array([getattr(x, name) for x in rows], np.float64) for name in RATES}
    sources = None if source is None else full_column(frame, source, "source")
    sides = [[text or "" for text in side] for side in refs]
    lang = str(settings.get("lang") or scorer.language or "zh")
    kinds = _kinds(hyps, Expectations(sides, sources, lang))
    if hasattr(frame, "add_column"):
        columns = {name: [*map(_or_none, column)] for name, column in scored.items()}
        for name, values in (columns | {"kind": kinds}).items():
            if hasattr(frame, "append_column"):  # a table of pyarrow
                frame = frame.append_column(name, [values])
            else:
                frame = frame.add_column(name, values)
        return frame
    if hasattr(frame, "with_columns"):
        import polars

        rates = [polars.Series(name, column, nan_to_null=True) for name, column in scored.items()]
        return frame.with_columns([*rates, polars.Series("kind", kinds)])
    return frame.assign(**scored, kind=kinds)


def _kinds(hyps: Sequence[str], expected: Expectations) -> list[str]:
    """Return the kind of each output that may not be a translation, "" for the others.

    A segment without a reference has no kind if others have one: as in speech, it is silence.
    """
    kinds = [""] * len(hyps)
    for finding in find(hyps, expected):
        row = finding.segment or 0
        kinds[row] = "" if expected.are_silent[row] else finding.kind
    return kinds


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def evaluate_module() -> str:
    """Return the folder to give to `evaluate.load` of Hugging Face's package `evaluate`.

    `evaluate.load(celab.integrations.evaluate_module())` gives a module whose `compute` takes
    `predictions` and `references`, and as options metric, lang and lexicon.

    >>> import celab
    >>> celab.integrations.evaluate_module().endswith("celab")
    True
    """
    return os.fspath(Path(__file__).parent / "evaluate" / "celab")
