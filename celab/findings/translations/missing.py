"""Outputs that a system's file lacks: a corpus whose segments were skipped → findings.

Keys that a translation of an app lacks are missing outputs, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from celab.findings.finding import Finding, FindingKind, Needs, Producer, Subject

KIND = FindingKind(
    name="missing",
    meaning="the system has no output for the segment, which is skipped or counts as empty, or"
    " lacks a key of the app",
    needs=Needs.NOTHING,
    chinese=("缺失", "系统没有该句段的译文，已略去或算作空，或缺少应用的某个键"),
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
