"""Names that an option takes: a shell completes them, and help and errors list them.

`celab.metrics.options` has those of lexicons and languages.
"""

from __future__ import annotations

from collections.abc import Iterable

from celab.findings import finding
from celab.metrics.registry import METRICS


def metric_names() -> Iterable[str]:
    """Return the names of metrics."""
    return METRICS


def source_names() -> Iterable[str]:
    """Return the names of sources of lexicons that can be fetched."""
    from celab.lexicon.fetch import KNOWN

    return KNOWN


def kinds_of_findings() -> Iterable[str]:
    """Return the names of all kinds of findings."""
    return finding.kinds_of()


def grouped_kinds(names: Iterable[str]) -> str:
    """Return kinds of findings for a help text; if several producers find them, by producer."""
    groups = {
        producer: [name for name in names if name in finding.kinds_of(producer)]
        for producer in finding.PRODUCERS
    }
    lists = {producer: ", ".join(kinds) for producer, kinds in groups.items() if kinds}
    if len(lists) == 1:
        return next(iter(lists.values()))
    return "; ".join(f"{kinds} ({producer})" for producer, kinds in lists.items())


def kinds_of_texts() -> Iterable[str]:
    """Return the names of the kinds of findings that need nothing but texts."""
    return finding.kinds_of_texts()


def kinds_of_terms() -> Iterable[str]:
    """Return the names of the kinds of findings about terms."""
    return finding.kinds_of("terms")
