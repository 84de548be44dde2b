"""Scores of systems with what is known about their outputs, wherever they were made.

A campaign in memory, segments that are scored as they are read, and the workers of Dask are three
sources of them.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from celab.base.frozen import dataclass
from celab.evaluation.checks.outputs import Outputs
from celab.evaluation.lengths import Lengths
from celab.evaluation.tables import Scores

if TYPE_CHECKING:
    from celab.evaluation.judges.spans import SpanReport


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Scored(Scores):
    """Base class: scores of systems by metrics, with tests and intervals once they are made.

    `scores[metric][system]` is a `Score`, `comparisons[metric]` a `Comparison` of all systems,
    and `outputs` tells which outputs are not translations, if they were checked.
    """

    outputs: Outputs | None = None
    spans: SpanReport | None = None  # errors that people have marked, if they are known

    @property
    @abstractmethod
    def lengths(self) -> Lengths | None:
        """Lengths of outputs and references; None if the texts are not known."""

    @property
    def length_remarks(self) -> list[str]:
        """Lines about systems whose outputs are long or short, if the texts are known."""
        return []
