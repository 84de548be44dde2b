"""The producers of findings. Commands, pages and the server ask here, and name none themselves.

A producer is a module with a `PRODUCER` and a line of `PRODUCERS`, which says what is asked before
the module is needed. The order of lines is that of columns and filters.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from celab.evaluation.tables import FindingKind, Findings, Producer, Subject


class Entry(NamedTuple):
    """Facts about a producer, known without loading it.

    Attributes:
        module: where its `PRODUCER` is.
        needs: words of `celab.evaluation.tables.NEEDS`: what it finds nothing without.
        in_score: False if `celab score` does not look for it, because it takes too long.
    """

    module: str
    needs: str = ""
    in_score: bool = True

    @property
    def is_of_texts(self) -> bool:
        """Whether it needs nothing but texts."""
        return {"reference", "source"} >= {*self.needs.split()}


PRODUCERS = {
    "outputs": Entry("celab.evaluation.checks.screening"),
    "references": Entry("celab.evaluation.references", "reference"),
    "markup": Entry("celab.evaluation.findings", "source", in_score=False),
    "differences": Entry("celab.evaluation.errors", "profile"),
    "terms": Entry("celab.evaluation.terms.results", "glossary"),
    "people": Entry("celab.evaluation.judges.spans", "spans"),
}


def producer(name: str) -> Producer:
    """Return a producer by its name."""
    registered: Producer = importlib.import_module(PRODUCERS[name].module).PRODUCER
    return registered


def of_texts() -> Iterator[Producer]:
    """Yield the producers that need nothing but texts: those of `celab check`."""
    return (producer(name) for name, entry in PRODUCERS.items() if entry.is_of_texts)


def kinds_of(*names: str) -> dict[str, FindingKind]:
    """Return the kinds of findings of producers (default: all); those that are no verdict last."""
    kinds = [kind for name in names or PRODUCERS for kind in producer(name).kinds.values()]
    return {kind.name: kind for kind in sorted(kinds, key=lambda kind: not kind.verdict)}


def kinds_of_texts() -> dict[str, FindingKind]:
    """Return the kinds of findings that need nothing but texts: those of `celab check`."""
    return kinds_of(*(each.name for each in of_texts()))


def produce(
    subject: Subject,
    known: Findings | None = None,
    *,
    in_score: bool = False,
    of_texts: bool = True,
) -> Findings:
    """Return the findings of all producers.

    Parameters:
        subject: what they look at; those that need something else are left out.
        known: findings about the same outputs, which are not looked for again.
        in_score: only by the producers that every score asks.
        of_texts: whether texts alone are looked at.
    """
    corpus = subject.corpus
    names = corpus.names or range(1, len(corpus.segments) + 1)
    table = Findings((), tuple(corpus.systems), names, ()) if known is None else known
    rows, kinds = [*table.rows], {kind.name: kind for kind in table.checks}
    done = {kind.check for kind in table.checks}
    for name, entry in PRODUCERS.items():
        is_left_out = name in done or (in_score and not entry.in_score)
        if is_left_out or not subject.has(entry.needs) or (not of_texts and entry.is_of_texts):
            continue
        each = producer(name)
        looked_for = {
            kind.name: kind
            for kind in each.kinds.values()
            if kind.verdict or subject.is_looked_for(kind)
        }
        for row in each.find(subject):
            rows.append(row._replace(check=name))
            if row.kind not in looked_for:  # such as severities that people name as they like
                looked_for[row.kind] = FindingKind(row.kind, each.about or each.title)
        for kind in looked_for.values():
            if kind.name in kinds:
                raise ValueError(f"two checks are called {kind.name!r}; names must differ")
            kinds[kind.name] = replace(kind, check=name)
    return Findings(tuple(rows), table.systems, table.names, tuple(kinds.values()))
