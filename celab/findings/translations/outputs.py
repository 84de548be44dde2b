"""Outputs that may not be translations, by system: `celab.check` and `Campaign.outputs`.

`celab.findings.translations` has the kinds and their rules. Findings never change a score.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from celab.base import io
from celab.base.arguments import JsonObject, check_list, check_path
from celab.base.arrays import F64, I64
from celab.base.errors import InputError
from celab.corpus.answers.forms import FORMS
from celab.corpus.join import blank_rows
from celab.corpus.model import Corpus, SegmentName, list_names
from celab.findings.finding import (
    Change,
    Finding,
    Findings,
    Gate,
    Needs,
    Producer,
    Subject,
    describe,
    produce,
    producer,
)
from celab.findings.references import (
    MixedScripts,
    ReferenceCopies,
    References,
    check_references,
    reference_lines,
)
from celab.findings.references.shifts import Shift
from celab.findings.references.twins import Twins
from celab.findings.translations import CHECKS
from celab.findings.translations.screening import Expectations, Lengths, find, length_line
from celab.findings.translations.sentence import sentence
from celab.metrics.scores import Score
from celab.tables import cells
from celab.tables.cells import quantity
from celab.tables.result import PrintedResult
from celab.tables.table import NAME, SEGMENT, TEXT, Column, Part, Table
from celab.tables.view import Detail, Line, line

__all__ = ["FlaggedOutput", "MarkupFinding", "Outputs", "StreamedOutputs"]

NO_SOURCE = "copied: needs a source"
NO_REFERENCE = "too-long and too-short: need a reference"
BY_SCRIPT = "other-language: detected by script only, so German instead of English is not found"
TOTAL = "not translations"  # heading of the sum of all kinds
MAX_EXAMPLES, MAX_EXAMPLE_CHARACTERS = 5, 40
MAX_LINES_AFTER_SCORE = 2  # one line for each system, or each reference


class FlaggedOutput(NamedTuple):
    """An output that may not be a translation, with the name of its segment.

    `form` is the form of a wrapped output (`celab.corpus.answers.forms`), or "". `place` is the
    index of the segment.
    """

    segment: SegmentName
    kind: str
    text: str
    form: str = ""
    place: int = 0


class MarkupFinding(NamedTuple):
    """A finding about placeholders, tags or lengths, with the name of its segment.

    `lost` has pieces of the source that the output lacks, `added` pieces that it has instead.
    `text` is the output, `place` the index of the segment, and `note` a detail in words.
    """

    system: str
    segment: SegmentName
    kind: str
    lost: tuple[str, ...]
    added: tuple[str, ...]
    text: str = ""
    place: int = 0
    note: str = ""


@dataclass(frozen=True, repr=False, kw_only=True)
class Outputs(PrintedResult):
    """The result of `celab.check`: outputs that may not be translations, and other findings.

    Attributes:
        n_segments: number of outputs of each system.
        has_source: whether there was a source, which the kind `copied` needs.
        table: all findings about outputs, of all kinds that were looked for.
        unwrapped: for each system, the number of outputs that were unwrapped, by form; None if
            outputs were not unwrapped.
        reference_problems: copies, twins, shifted lines and mixed scripts.
        has_reference: whether there was a reference, which the kinds of length need.
        corpus: the texts; None if they were checked batch by batch.
        lang: language of the translations.

    >>> import celab
    >>> outputs = celab.check({"A": ["", "I cannot translate this."]}, ["买雨伞", "他们去北京"])
    >>> outputs.kinds("A")
    {'empty': [0], 'refusal': [1]}
    """

    n_segments: int
    has_source: bool
    table: Findings
    unwrapped: dict[str, dict[str, int]] | None = None
    reference_problems: References = field(default_factory=References)
    has_reference: bool = True
    corpus: Corpus | None = field(default=None, compare=False)
    lang: str = "zh"

    @classmethod
    def of_corpus(
        cls,
        corpus: Corpus,
        lang: str | None = None,
        *,
        filters: bool = False,
        findings: bool = False,
        blank_refs: bool = False,
        copies: bool = True,
    ) -> Outputs:
        """Check the outputs of a corpus.

        The default target language is the one that the files declare, or else Chinese. With
        `filters`, kinds that are not verdicts, such as lost numbers, are looked for, too, and with
        `findings` the kinds of all producers, such as lost placeholders. A segment without a
        reference is an `InputError`, unless `blank_refs` is set, which leaves its outputs out, or
        no segment has one; then there must be a source, and kinds that need a reference are not
        decided. Without `copies`, references are not searched for copies of outputs.
        """
        has_source, has_refs = corpus.source is not None, bool(corpus.refs)
        if not has_source and not has_refs:
            raise InputError("there is neither a reference nor a source; there must be one")
        if has_refs and not blank_refs and (blank := blank_rows(corpus.refs)):
            message = f"segment {blank[0] + 1} has no reference"
            raise InputError(f"{message}; at least one must contain text")
        lang, forms = lang or corpus.lang or "zh", corpus.unwrapped
        reference_problems = (
            check_references(corpus, lang, copies=copies) if has_refs else References()
        )
        table = produce(
            Subject(
                corpus=corpus, lang=lang, filters=filters, reference_problems=reference_problems
            ),
            in_score=not findings,
        )
        return cls(
            n_segments=len(corpus.segments),
            has_source=has_source,
            table=table,
            unwrapped=None if forms is None else {name: dict(forms[name]) for name in forms},
            reference_problems=reference_problems,
            has_reference=has_refs,
            corpus=corpus,
            lang=lang,
        )

    @property
    def completed(self) -> Outputs:
        """A copy with the findings of all producers; scoring asks only the fast ones."""
        if self.corpus is None:
            return self
        return replace(self, table=produce(Subject(corpus=self.corpus, lang=self.lang), self.table))

    @property
    def flagged(self) -> Findings:
        """The outputs that may not be translations."""
        return self.table.of("outputs", verdict=True)

    @property
    def systems(self) -> dict[str, tuple[FlaggedOutput, ...]]:
        """System → its outputs that may not be translations, by segment."""
        return self._by_system(self.flagged)

    @property
    def filtered(self) -> dict[str, tuple[FlaggedOutput, ...]]:
        """System → its outputs in which a number or an address of the source is missing.

        It is empty unless `filters` was set.
        """
        found = self.table.of("outputs", verdict=False)
        return self._by_system(found) if found.checks else {}

    def _by_system(self, found: Findings) -> dict[str, tuple[FlaggedOutput, ...]]:
        rows: dict[str, list[FlaggedOutput]] = {system: [] for system in found.systems}
        for row in found.rows:
            place = row.segment or 0
            output = FlaggedOutput(found.names[place], row.kind, row.text, row.note, place)
            rows[row.system].append(output)
        return {system: tuple(flagged) for system, flagged in rows.items()}

    @property
    def other_producers(self) -> list[Producer]:
        """Producers of faults of outputs, without the one of outputs that are not translations."""
        names = dict.fromkeys(kind.check for kind in self.table.checks)
        others = [producer(name) for name in names if name != "outputs"]
        return [other for other in others if other.is_fault]

    @property
    def findings(self) -> tuple[MarkupFinding, ...]:
        """Findings about markup, such as placeholders and tags that are lost or added.

        It is empty without a source, or if they were not looked for.
        """
        rows = (row for each in self.other_producers for row in self.table.of(each.name).rows)
        return tuple(
            self._markup_finding(row, row.segment) for row in rows if row.segment is not None
        )

    def _markup_finding(self, row: Finding, place: int) -> MarkupFinding:
        change = row.value if isinstance(row.value, Change) else Change()
        return MarkupFinding(
            system=row.system,
            segment=self.table.names[place],
            kind=row.kind,
            lost=change.lost,
            added=change.added,
            text=row.text,
            place=place,
            note=row.note,
        )

    @property
    def missing(self) -> dict[str, tuple[SegmentName | str, ...]]:
        """System → names of the segments without an output; complete systems are left out."""
        table = self.table.of("missing")
        rows = {name: table.where(system=name).rows for name in table.systems}
        return {name: tuple(map(table.named, found)) for name, found in rows.items() if found}

    @property
    def references(self) -> tuple[ReferenceCopies, ...]:
        """References that were probably made from a system's outputs."""
        return self.reference_problems.copies

    @property
    def twins(self) -> tuple[Twins, ...]:
        """References and systems that are equal in almost all segments."""
        return self.reference_problems.twins

    @property
    def shifts(self) -> tuple[Shift, ...]:
        """Lines that fit the references of other lines."""
        return self.reference_problems.shifts

    @property
    def scripts(self) -> tuple[MixedScripts, ...]:
        """Systems whose Chinese script is not that of the reference."""
        return self.reference_problems.scripts

    def facts(self) -> JsonObject:
        """Return facts about the check; `unwrapped` is present only if outputs were unwrapped."""
        data: JsonObject = {"n_segments": self.n_segments, "has_source": self.has_source}
        return data if self.unwrapped is None else data | {"unwrapped": self.unwrapped}

    def forms(self, system: str) -> dict[str, int]:
        """Return how many outputs of a system are wrapped in each form."""
        wrapped = self.table.where(system=system, kind="wrapped")
        return _in_order(wrapped.count("note"))

    @property
    def n_flagged(self) -> int:
        """Number of outputs that may not be translations, over all systems."""
        return len(self.flagged)

    def kinds(self, system: str) -> dict[str, list[int]]:
        """Return kind → indices of a system's outputs, in the order of the kinds.

        `flagged.segments` has the names of the segments instead.
        """
        return self.flagged.places(system)

    def counts(self, system: str) -> dict[str, int]:
        """Return the number of outputs of each kind that was looked for."""
        found = self.table.of("outputs")
        counted = found.where(system=system).count("kind")
        return {check.name: counted[check.name] for check in found.checks}

    def by_segment(self, system: str) -> list[str]:
        """Return the kind of each output of a system, "" if it is a translation."""
        kinds = [""] * self.n_segments
        for row in self.flagged.rows:
            if row.system == system:
                kinds[row.segment or 0] = row.kind
        return kinds

    def translations(self, *systems: str) -> I64:
        """Return the indices of the segments of which all these systems have a translation."""
        flagged = {row.segment for row in self.flagged.rows if row.system in systems}
        return np.array([i for i in range(self.n_segments) if i not in flagged], np.int64)

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield `finding`, a row for each flagged output and each finding, and `system`, numbers.

        Tables of problems of references follow.
        """
        yield [Line((sentence(self.flagged, self.n_segments, self.n_decided),), "verdict")]
        yield self._sorted().listing(check=False)
        checks = self.table.of("outputs")
        yield self._counted(checks).for_programs()
        if checks:
            seen = checks.without_zeros
            is_sum = sum(kind.verdict for kind in seen.checks) > 1
            yield self._counted(seen, total="all" if is_sum else "").for_people()
            yield from self._examples()
        notes = [] if self.has_source else [NO_SOURCE]
        notes += [BY_SCRIPT if self.has_reference else NO_REFERENCE]
        yield [*map(line, notes)]
        yield from self.reference_problems.part_tables()
        yield [line(text) for text in reference_lines(self.reference_problems, self.n_segments)]
        for each in self.other_producers:
            found = self.table.of(each.name)
            if found:
                yield found.without_zeros.table(title=each.title).for_people()
            elif not self.has_reference and each.name == "markup":
                yield [line(f"{each.title}: nothing found")]
            if each.name == "missing":
                yield [*map(line, self._missing_lines())]

    def _missing_lines(self) -> Iterator[str]:
        """Yield the first names of the segments that each system lacks."""
        for system, names in self.missing.items():
            yield f"{system} lacks {list_names([*map(str, names)])}"

    def _sorted(self) -> Findings:
        """Return the findings about outputs by system and segment, then the others."""
        order = {system: place for place, system in enumerate(self.table.systems)}
        outputs = sorted(
            self.table.of("outputs").rows, key=lambda row: (order[row.system], row.segment)
        )
        others = (row for each in self.other_producers for row in self.table.of(each.name).rows)
        return self.table.with_rows([*outputs, *others])

    def _examples(self) -> Iterator[Part]:
        """Yield the first flagged outputs, and the flag that lists all."""
        found = [row for row in self._sorted().rows if row.check == "outputs"]
        columns = [
            Column("system", NAME, attrgetter("system")),
            Column("segment", SEGMENT, self.table.named),
            Column("kind", TEXT, attrgetter("kind")),
            Column("text", NAME, lambda row: _beginning(row.text)),
        ]
        yield Table(columns=columns, rows=found[:MAX_EXAMPLES])
        if (rest := len(found) - MAX_EXAMPLES) > 0:
            yield [line(f"{rest:,} more; celab check --segments lists all")]

    def _counted(self, findings: Findings, total: str = TOTAL) -> Table:
        """Return systems by kinds; kinds that were not decided have no column."""
        flagged, others = (findings.of("outputs", verdict=verdict) for verdict in (True, False))
        decided = [
            c.name for c in flagged.checks if self.has_reference or Needs.REFERENCE not in c.needs
        ]
        table = flagged.table(decided, total)
        _, *more = others.table(c.name for c in others.checks).columns
        return replace(table, columns=[*table.columns, *more])

    def gate(self, kinds: Sequence[str] | None = None) -> Gate:
        """Return the gate that fails if there is a finding of one of these kinds.

        Without kinds, it fails if an output may not be a translation, or missing.

        >>> import celab
        >>> celab.check({"A": ["", "买伞"], "B": ["买", ""]}, ["买", "买伞"]).gate().reason
        '2 of 4 outputs may not be translations: A 1 empty, B 1 empty'
        >>> celab.check(["买伞"], ["买伞"]).gate().reason
        'no finding in 1 output (9 kinds)'
        >>> checked = celab.check({"A": ["删除", ""]}, ["删除%s", "买"], ["Delete %s", "Buy"])
        >>> checked.gate(["empty", "placeholder"]).reason
        '2 findings: A 1 empty, A 1 placeholder'
        """
        if kinds is not None:
            check_list("kinds", kinds)
            return self.table.gate(kinds)
        flagged = self.flagged
        n_outputs = len(flagged.systems) * self.n_segments
        counts, reasons = flagged.count("system"), []
        if flagged:
            listed = ", ".join(
                f"{name} {describe(self.kinds(name))}" for name in flagged.systems if counts[name]
            )
            reasons.append(f"{_may_not_be(len(flagged), n_outputs)}: {listed}")
        if missing := {name: len(segments) for name, segments in self.missing.items()}:
            are = "output is missing" if sum(missing.values()) == 1 else "outputs are missing"
            reasons.append(f"{sum(missing.values())} {are}: {_most_first(missing, {})}")
        if reasons:
            return Gate(True, "; ".join(reasons))
        tested = f"{quantity(n_outputs, 'output')} ({quantity(self.n_decided, 'kind')})"
        return Gate(False, f"no finding in {tested}")

    @property
    def n_decided(self) -> int:
        """Number of the kinds that could be decided from the inputs."""
        known = Needs.REFERENCE if self.has_reference else Needs.NOTHING
        if self.has_source:
            known |= Needs.SOURCE
        return sum(check.needs in known for check in self.flagged.checks)

    def lines(self, scores: Mapping[str, Score]) -> Iterator[str]:
        """Yield lines about outputs that may not be translations, then about references.

        One or two systems have a line each, with kinds and the score without these outputs; more
        systems share a line. So do references. `scores` are those by the first metric.
        """
        flagged = {system: kinds for system in scores if (kinds := self.kinds(system))}
        costs = {system: self._scores(system, scores[system]) for system in flagged}
        if len(flagged) > MAX_LINES_AFTER_SCORE:
            counts = self.flagged.count("system")
            gains = {
                system: f" ({_gain(*cost, scores[system].digits)})"
                for system, cost in costs.items()
                if cost is not None
            }
            most = _most_first(counts, gains)
            yield f"may not be translations: {most}; see celab check --segments"
        else:
            for system, kinds in flagged.items():
                digits = scores[system].digits
                yield output_line(system, kinds, self.n_segments, costs[system], digits)
                if self.unwrapped is None and (forms := self.forms(system)):
                    yield wrapped_line(system, forms, self.n_segments)
        for each in self.other_producers:
            if found := self.table.of(each.name):
                yield f"{each.title}: {found.summary}; see celab check --segments"
        reference_problems = [*reference_lines(self.reference_problems, self.n_segments, scores)]
        if len(reference_problems) > MAX_LINES_AFTER_SCORE:
            reference_problems = [
                f"{reference_problems[0]} ({len(reference_problems) - 1} more: celab check)"
            ]
        yield from reference_problems

    def _scores(self, system: str, score: Score) -> tuple[float, float] | None:
        """Return the scores of all outputs and of translations; None without translations."""
        without = score.of_segments(self.translations(system))
        return None if math.isnan(without) else (score.score, without)

    def html(
        self,
        path: io.AnyPath | None = None,
        *,
        report_lang: str = "en",
        command: str | None = None,
    ) -> str:
        """Return the outputs and findings as one HTML page, or write it.

        Parameters:
            path: file to write, atomically; without it the page itself is returned. A file that
                exists is replaced, unless the texts were read from it.
            report_lang: language of the page, `en` or `zh`; its reader can change it.
            command: the command that makes the page again, which its end shows.

        Returns the path, or the page.
        """
        from celab.report.html.check_page import check_page

        if self.corpus is None:
            raise InputError("there are no texts to show; check the outputs with celab.check")
        if path is not None:
            check_path("path", path)
            io.check_no_input(path, self.corpus.files)
        page = check_page(self, report_lang=report_lang, command=command)
        return io.write_or_return(path, page)

    def __repr__(self) -> str:
        n = len(self.table.systems)
        return (
            f"<{self.n_flagged} of {n * self.n_segments} outputs of {quantity(n, 'system')} may not"
            " be translations>"
        )


def _in_order(counts: Counter[str]) -> dict[str, int]:
    """Return the counts of wrapped outputs, in the order of the forms."""
    if not counts:
        return {}

    return {form: counts[form] for form in FORMS if counts[form]}


class StreamedOutputs:
    """Accumulates checks of a system that is scored batch by batch.

    It keeps the kinds of outputs, and sums of scores over all outputs and over translations.
    """

    def __init__(self, lang: str | None) -> None:
        self.lang, self.n_segments = lang, 0
        self.kinds: dict[str, list[SegmentName]] = {}
        self.forms: dict[str, int] = {}  # forms of wrapped outputs → outputs
        self._sums: list[tuple[F64, int]] = []  # sums over all segments; over translations alone
        self._score: Score | None = None
        self._n_scored = 0
        self._n_characters = (0.0, 0.0)  # characters in outputs, in references

    def add_batch(self, hyps: Sequence[str], refs: Sequence[Sequence[str]]) -> Outputs:
        """Check the next batch and return its `Outputs`; the single system is named ""."""
        rows = tuple(find(hyps, Expectations(refs, None, self.lang or "zh"), whole=False))
        names = range(self.n_segments + 1, self.n_segments + len(hyps) + 1)
        kinds = tuple(replace(check, check="outputs") for check in CHECKS.values())
        batch = Outputs(
            n_segments=len(hyps), has_source=False, table=Findings(rows, ("",), names, kinds)
        )
        for kind, segments in batch.flagged.segments("").items():
            self.kinds.setdefault(kind, []).extend(segments)
        self.kinds = {kind: self.kinds[kind] for kind in CHECKS if kind in self.kinds}
        self.forms = _in_order(Counter(self.forms) + Counter(batch.forms("")))
        self.n_segments += len(hyps)
        return batch

    def add(self, score: Score, batch: Outputs, lengths: Lengths) -> None:
        """Add the scores of the batch that `add_batch` checked last."""
        (a, b), (c, d) = self._n_characters, lengths.totals("")
        self._n_characters = a + c, b + d
        scored = score.segments.scored
        translated = np.zeros(len(scored), np.bool_)
        translated[batch.translations("")] = True
        groups = [score.statistics[scored], score.statistics[scored & translated]]
        sums = [(rows.sum(axis=0), len(rows)) for rows in groups]
        if self._score is not None:
            sums = [(a + c, b + d) for (a, b), (c, d) in zip(self._sums, sums, strict=True)]
        self._sums, self._score = sums, score
        self._n_scored += len(scored)

    def scores(self) -> tuple[float, float] | None:
        """Return the scores of all segments and of translations; None if a score is missing."""
        if self._score is None or self._n_scored < self.n_segments:
            return None
        if not all(n for _, n in self._sums):
            return None
        every, others = (float(self._score.aggregate(*group)) for group in self._sums)
        return every, others

    def lines(self, system: str, digits: int) -> Iterator[str]:
        """Yield the lines about the system: outputs that may not be translations, and lengths."""
        if self.kinds:
            yield output_line(system, self.kinds, self.n_segments, self.scores(), digits)
        if self.forms:
            yield wrapped_line(system, self.forms, self.n_segments)
        if line := length_line(system, self._n_characters):
            yield line


# ---- lines ----


def _beginning(text: str) -> str:
    """Return the first characters of a text, on one line.

    >>> _beginning("我无法翻译。" * 20)
    '我无法翻译。我无法翻译。我无法翻译。我无法翻译。我无法翻译。我无法翻译。我无法翻…'
    """
    joined = " ".join(text.split())
    return (
        joined if len(joined) <= MAX_EXAMPLE_CHARACTERS else f"{joined[:MAX_EXAMPLE_CHARACTERS]}…"
    )


def output_line(
    system: str,
    kinds: Mapping[str, Sequence[object]],
    n_segments: int,
    scores: tuple[float, float] | None,
    digits: int,
) -> str:
    """Return the line about one system; `scores` are of all outputs, and of translations."""
    text = f"{system}: {describe_counts(kinds, n_segments)}"
    if scores is None:
        return text
    every, others = scores
    them = "it" if sum(map(len, kinds.values())) == 1 else "them"
    without = cells.score(others, digits)
    return f"{text}; without {them} {without} ({_gain(every, others, digits)})"


def _gain(every: float, others: float, digits: int) -> str:
    return cells.difference(others - every, digits)


def _most_first(counts: Mapping[str, int], notes: Mapping[str, str]) -> str:
    """Return the systems with the highest counts, each with its note, and a sum of the others.

    >>> _most_first({"A": 1, "B": 21, "C": 9, "D": 2}, {"B": " (+0.0126)"})
    'B 21 (+0.0126), C 9, 2 others 3'
    """
    named = sorted((name for name in counts if counts[name]), key=lambda name: -counts[name])
    n_named = MAX_LINES_AFTER_SCORE if len(named) > MAX_LINES_AFTER_SCORE + 1 else len(named)
    parts = [f"{name} {counts[name]}{notes.get(name, '')}" for name in named[:n_named]]
    if others := named[n_named:]:
        parts.append(f"{len(others)} others {sum(map(counts.__getitem__, others))}")
    return ", ".join(parts)


def describe_counts(kinds: Mapping[str, Sequence[object]], n_segments: int) -> str:
    """Return how many outputs of a system may not be translations.

    >>> describe_counts({"empty": [3]}, 20)
    '1 of 20 outputs may not be a translation (1 empty)'
    """
    n = sum(map(len, kinds.values()))
    return f"{_may_not_be(n, n_segments)} ({describe(kinds)})"


def _may_not_be(n: int, n_outputs: int) -> str:
    """Return the clause that `n` of `n_outputs` outputs may not be translations.

    >>> _may_not_be(1, 1), _may_not_be(2, 2)
    ('the only output may not be a translation', 'all 2 outputs may not be translations')
    """
    if n == n_outputs == 1:
        return "the only output may not be a translation"
    if n == n_outputs:
        return f"all {n} outputs may not be translations"
    may = "may not be a translation" if n == 1 else "may not be translations"
    return f"{n} of {n_outputs} outputs {may}"


def wrapped_line(system: str, forms: Mapping[str, int], n_segments: int) -> str:
    """Return the line about the wrapped outputs of a system; `forms` counts them by form.

    >>> wrapped_line("model", {"preface": 24, "fence": 7}, 634)
    'model: 31 of 634 outputs are wrapped (24 preface, 7 fence); --unwrap scores the text inside'
    """
    return f"{_count_forms(system, forms, n_segments, 'wrapped')}; --unwrap scores the text inside"


def unwrapped_lines(corpus: Corpus) -> Iterator[str]:
    """Yield lines about systems whose outputs were unwrapped; many systems share a line.

    >>> from celab import Campaign
    >>> corpus = Campaign.from_lists({"A": ["译文：买伞"]}, ["买雨伞"], unwrap=True).corpus
    >>> list(unwrapped_lines(corpus))
    ['A: 1 of 1 outputs is unwrapped (1 preface)']
    """
    unwrapped = {system: forms for system, forms in (corpus.unwrapped or {}).items() if forms}
    if len(unwrapped) > MAX_LINES_AFTER_SCORE:
        counts = {system: sum(forms.values()) for system, forms in unwrapped.items()}
        yield f"unwrapped: {_most_first(counts, {})}"
        return
    for system, forms in unwrapped.items():
        yield _count_forms(system, forms, len(corpus.segments), "unwrapped")


def _count_forms(system: str, forms: Mapping[str, int], n_segments: int, verdict: str) -> str:
    n = sum(forms.values())
    are = "is" if n == 1 else "are"
    most_first = sorted(forms.items(), key=lambda item: -item[1])
    counts = ", ".join(f"{count} {form}" for form, count in most_first)
    return f"{system}: {n} of {n_segments} outputs {are} {verdict} ({counts})"
