"""The metrics and the texts of a command, for those that read all texts at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from celab.cli import inputs
from celab.cli.requests import ScoringRequest

if TYPE_CHECKING:
    from celab.corpus import Corpus
    from celab.metrics.base import Metric


class Loaded(NamedTuple):
    """The metrics of a command, and its texts."""

    metrics: dict[str, Metric]
    texts: Corpus


def load(
    request: ScoringRequest,
    files: inputs.Files,
    check: Callable[[Mapping[str, Metric]], None] | None = None,
    *,
    needs_refs: bool = True,
    needs_documents: bool = False,
) -> Loaded:
    """Return metrics and texts, and warn about them.

    `check` raises if the command has no use for the metrics, before any text is read. With
    `needs_refs` false there may be no reference, with `needs_documents` there must be documents.
    """
    metrics_by_name = request.metrics.make(request.warnings)
    if check is not None:
        check(metrics_by_name)
    texts = inputs.read(request, files, needs_refs=needs_refs, needs_documents=needs_documents)
    request.warnings.add(inputs.doubts(request, metrics_by_name, texts))
    request.warnings.add_hints(
        inputs.likely_systems(
            request, files.refs, files.systems, texts.refs, texts.systems.values()
        )
    )
    return Loaded(metrics_by_name, texts)
