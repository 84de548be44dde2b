"""Terms of a glossary as findings: what `celab.terminology` counted, missed and forbidden."""

from __future__ import annotations

from celab.findings.finding import FindingKind, Needs, Producer

# The producer; a campaign has the accuracy of terms among its scores under this name.
TERMS = "terms"
KINDS = {
    kind.name: kind
    for kind in (
        FindingKind(
            name="missed",
            meaning="an occurrence of a term has no rendering that the glossary allows",
            needs=Needs.GLOSSARY,
            chinese=("术语未遵循", "术语的一处出现没有词汇表允许的译法"),
            check=TERMS,
        ),
        FindingKind(
            name="forbidden",
            meaning="a term that the glossary forbids is used",
            needs=Needs.GLOSSARY,
            chinese=("禁用术语", "用了词汇表禁用的术语"),
            check=TERMS,
        ),
    )
}
PRODUCER = Producer(
    name=TERMS,
    title="Terms",
    kinds=KINDS,
    find=lambda subject: subject.glossary.table.rows,
    page=lambda subject: subject.glossary.occurrences([*subject.corpus.systems]),
)
