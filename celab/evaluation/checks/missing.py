"""Outputs that a system's file lacks: a corpus whose segments were skipped → findings."""

from __future__ import annotations

from collections.abc import Iterator

from celab.evaluation.tables import Finding, FindingKind, Needs, Producer, Subject

KIND = FindingKind(
    name="missing",
    meaning="the system has no output for the segment, which --skip-missing leaves out",
    needs=Needs.NOTHING,
    chinese=("缺失", "系统没有该句段的译文，--skip-missing 已将其略去"),
)


def _find(subject: Subject) -> Iterator[Finding]:
    for system, names in subject.corpus.missing.items():
        for name in names:
            yield Finding(system, None, "missing", KIND.name, value=name)


PRODUCER = Producer(
    name="missing",
    title="Missing outputs",
    kinds={KIND.name: KIND},
    find=_find,
    chinese={"Missing outputs": "缺失的译文"},
)
