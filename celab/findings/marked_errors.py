"""Errors that people marked, as findings; `celab.people` reads them from files of judgments."""

from __future__ import annotations

from celab.findings.finding import FindingKind, Needs, Producer

SEVERITIES = ("critical", "major", "minor", "neutral")
_ABOUT = "an error that people marked"
PRODUCER = Producer(
    name="people",
    title="Marked by people",
    # Files may have other severities, too.
    kinds={
        name: FindingKind(name=name, meaning=_ABOUT, needs=Needs.SPANS, verdict=False)
        for name in (f"marked {severity}" for severity in SEVERITIES)
    },
    find=lambda subject: subject.spans.findings,
    about=_ABOUT,
    page=lambda subject: subject.spans.page_rows,
)
