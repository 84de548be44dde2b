"""The first sentence of terminal and page: how many outputs may not be translations."""

from __future__ import annotations

from collections.abc import Mapping

from celab.findings.finding import Findings
from celab.tables.cells import Phrase, listed, quantity

MAX_NAMED_SYSTEMS = 3


def sentence(flagged: Findings, n_segments: int, n_decided: int) -> Phrase:
    """Return how many outputs may not be translations, their kinds, and the system with most.

    Parameters:
        flagged: findings about outputs, with all systems.
        n_segments: number of segments of each system.
        n_decided: number of kinds that could be decided.

    >>> import celab
    >>> flagged = celab.check({"A": ["", ""], "B": ["买", ""]}, ["买", "伞"]).flagged
    >>> print(sentence(flagged, n_segments=2, n_decided=9))
    3 of 4 outputs may not be translations: empty (3); A has 2 of them.
    >>> print(sentence(celab.check(["买"], ["买"]).flagged, n_segments=1, n_decided=9))
    The only output looks like a translation (9 kinds).
    """
    counts, of_systems = flagged.count("kind"), flagged.count("system")
    by_system = {name: of_systems[name] for name in flagged.systems}
    n_outputs = len(by_system) * n_segments
    total = f"{n_outputs:,}"
    if not counts:
        n_kinds = quantity(n_decided, "kind")
        if n_outputs == 1:
            return Phrase("The only output looks like a translation ({0}).", n_kinds)
        return Phrase("All {0} outputs look like translations ({1}).", total, n_kinds)
    n = counts.total()
    values = f"{n:,}", total, counted_kinds(counts, flagged)
    first, most, is_tie = with_most(by_system)
    if n == 1:
        only = "1 of {0} outputs may not be a translation: {1}, by {2}."
        return Phrase(only, total, Phrase(next(iter(counts))), first)
    if len(by_system) == 1:
        return Phrase("{0} of {1} outputs may not be translations: {2}.", *values)
    if most == n:
        of_one = "{0} of {1} outputs may not be translations, all by {3}: {2}."
        return Phrase(of_one, *values, first)
    has_most = *values, first, f"{most:,}"
    if is_tie:
        return Phrase(
            "{0} of {1} outputs may not be translations: {2}; {3} have {4} each.", *has_most
        )
    return Phrase(
        "{0} of {1} outputs may not be translations: {2}; {3} has {4} of them.", *has_most
    )


def with_most(by_system: Mapping[str, int]) -> tuple[str, int, bool]:
    """Return the systems with the highest number, this number, and whether there are several."""
    most = max(by_system.values())
    first = [name for name, number in by_system.items() if number == most]
    names = listed(first) if len(first) <= MAX_NAMED_SYSTEMS else quantity(len(first), "system")
    return names, most, len(first) > 1


def counted_kinds(counts: Mapping[str, int], findings: Findings) -> str:
    """Return the kinds of findings with their numbers, in the order of columns."""
    kinds = [check.name for check in findings.checks]
    named = [(f"{counts[kind]:,}", Phrase(kind)) for kind in kinds if counts[kind]]
    return listed([Phrase("{1} ({0})", *pair) for pair in named])
