"""The metrics and the texts of a command, for those that read all texts at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from celab.cli import inputs, metrics
from celab.cli.requests import TextRequest

if TYPE_CHECKING:
    from celab.corpus import Corpus
    from celab.metrics.base import Metric


class Loaded(NamedTuple):
    """The metrics of a command, its texts, and warnings about them."""

    metrics: dict[str, Metric]
    texts: Corpus
    notices: list[str]  # for the end of the command


def load(
    request: TextRequest,
    files: inputs.Files,
    check: Callable[[Mapping[str, Metric]], None] | None = None,
    *,
    needs_refs: bool = True,
) -> Loaded:
    """Return metrics and texts.

    `check` raises if the command has no use for the metrics, before any text is read. With
    `needs_refs` false there may be no reference.
    """
    metrics_by_name, notices = metrics.make_metrics(request)
    if check is not None:
        check(metrics_by_name)
    texts = inputs.read(request, files, needs_refs=needs_refs)
    metrics.warn(notices, inputs.doubts(request, metrics_by_name, texts), request.strict)
    notices += inputs.likely_systems(
        request, files.refs, files.systems, texts.refs, texts.systems.values()
    )
    return Loaded(metrics_by_name, texts, notices)
