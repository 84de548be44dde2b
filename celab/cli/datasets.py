"""Options of the commands that read folders of systems with human judgments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from celab.base.options import option


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Datasets:
    """Folders of systems that people have judged."""

    heading: ClassVar[str] = "Input"

    dataset: tuple[str, ...] = option(
        (), "folders of judged systems", metavar="DATASET", is_argument=True, nargs="*"
    )
    refs: str | None = option(
        None,
        "references, such as A,B (default: all; in mt-metrics-eval's layout, the first)",
        metavar="NAMES",
        items="names",
        file="none",
    )

    @property
    def chosen(self) -> list[str] | None:
        """The names of the references, if they are given."""
        return None if self.refs is None else self.refs.split(",")
