"""Metrics `celab` and `celab_recommended` for lm-evaluation-harness; importing this registers them.

A task names them in its `metric_list`, after a module that the task loads has imported this one:

    metric_list:
      - metric: celab
      - metric: celab_recommended
        lang: ja

Other keys of an entry, such as `lang` or `lexicon`, are options of `celab.TeslaCelab`. For several
references per document, return `{"celab": ([reference, …], translation)}` from the task's
`process_results`: the harness itself reduces several targets to right or wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from celab.base.arguments import Arguments
from celab.base.errors import InputError
from celab.integrations import reference_columns
from celab.metrics.factory import make_metric

try:
    from lm_eval.api.registry import register_aggregation, register_metric
except ImportError as error:
    raise ImportError(
        "celab.integrations.lm_eval needs lm-evaluation-harness: pip install lm_eval"
    ) from error

NAMES = {"celab": "celab", "celab_recommended": "celab-recommended"}  # name in lm_eval → in celab

# References, translation, and options of the metric if there are any.
Item = tuple[Any, ...]


def collect(references: Sequence[object], predictions: Sequence[str], **options: object) -> Item:
    """Return the reference, translation and options of a document, which `aggregate` scores.

    lm_eval calls it for each document, with lists of one item.
    """
    return (references[0], predictions[0], options)


def aggregate(name: str, items: Sequence[Item]) -> float:
    """Return the score of all documents by a metric of celab."""
    rows: list[str | Sequence[str | None]] = []
    hyps: list[str] = []
    options: Arguments = {}
    for item in items:
        if not isinstance(item, tuple):
            raise InputError(
                "a document has several targets, which lm_eval reduces to 0 or 1; return"
                " ([reference, ...], translation) from the task's process_results"
            )
        target, hyp, *rest = item
        rows.append(target)
        hyps.append(hyp)
        options = rest[0] if rest else {}  # the same for all documents of a task
    return make_metric(name, **options).corpus_score(hyps, reference_columns(rows)).score


def _register() -> None:
    for name, own_name in NAMES.items():
        register_aggregation(name)(partial(aggregate, own_name))
        register_metric(
            metric=name, higher_is_better=True, output_type="generate_until", aggregation=name
        )(collect)


_register()
