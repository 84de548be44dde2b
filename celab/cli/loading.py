"""The metrics and the texts of a command, for those that read all texts at once."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from celab.cli import inputs, metrics, outputs
from celab.cli.arguments import limits_of

if TYPE_CHECKING:
    from celab.corpus import Corpus
    from celab.metrics.base import Metric


class Loaded(NamedTuple):
    """The metrics of a command, its texts, and warnings about them."""

    metrics: dict[str, Metric]
    texts: Corpus
    notices: list[str]  # for the end of the command


def load(
    arguments: argparse.Namespace,
    files: inputs.Files,
    check: Callable[[Mapping[str, Metric]], None] | None = None,
) -> Loaded:
    """Return metrics and texts, once it is certain that the outputs can be written.

    `check` raises if the command has no use for the metrics, before any text is read.
    """
    paths = [*files.refs, *files.systems, files.default, arguments.source, arguments.documents]
    outputs.check(
        {"--output": arguments.output, "--html": getattr(arguments, "html", None)},
        [*paths, *metrics.input_files(arguments)],
    )
    metrics_by_name, notices = metrics.make_metrics(arguments)
    if check is not None:
        check(metrics_by_name)
    texts = inputs.read(arguments, *files, limits_of(arguments))
    metrics.warn(notices, inputs.doubts(arguments, metrics_by_name, texts), arguments.strict)
    notices += inputs.likely_systems(
        arguments, files.refs, files.systems, texts.refs, texts.systems.values()
    )
    return Loaded(metrics_by_name, texts, notices)
