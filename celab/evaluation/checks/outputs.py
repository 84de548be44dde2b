"""Outputs that are not translations, by system: `celab.check` and `Campaign.outputs`.

`celab.evaluation.checks.rules` has the kinds and their rules. They never change a score.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from celab.base import io, offered
from celab.base.arguments import checked
from celab.base.dicts import JsonObject
from celab.base.errors import InputError
from celab.base.frozen import dataclass
from celab.base.result import DataFrame, Level, Result
from celab.base.view.renderers import RENDERERS
from celab.base.view.tables import NORMAL, View, ViewOptions
from celab.corpus.model import Corpus, SegmentName
from celab.evaluation.checks.rules import FILTERS, KINDS, WITHOUT_REFERENCE
from celab.evaluation.checks.screening import (
    Expectations,
    Finding,
    expectations,
    filtered,
    find,
)
from celab.evaluation.references.looks import References, look

if TYPE_CHECKING:
    from celab.base.arrays import F64, I64
    from celab.evaluation.findings.rules import MarkupFinding
    from celab.evaluation.references.looks import ReferenceCopies
    from celab.evaluation.references.mixed_scripts import MixedScripts
    from celab.evaluation.references.shifts import Shift
    from celab.evaluation.references.twins import Twins
    from celab.metrics.scores import Score

__all__ = ["FILTERS", "KINDS", "FlaggedOutput", "Outputs", "StreamedOutputs"]


@dataclass(frozen=True, slots=True)
class FlaggedOutput:
    """An output of one of the kinds, or that a filter finds, by the name of its segment.

    `form` is that of a wrapped output (`celab.corpus.answers.forms`), else "".

    `place` is that of the segment, from 0.
    """

    segment: SegmentName
    kind: str
    text: str
    form: str = ""
    place: int = 0
    _omitted: ClassVar = frozenset({"place"})


@dataclass(frozen=True, slots=True, repr=False)
class Outputs(Result):
    """The outputs of each system that are not translations; `print` shows their numbers.

    Attributes:
        n_segments: number of outputs of each system.
        has_source: whether there was a source, without which nothing is called copied.
        systems: for each system, its outputs that are not translations, in order.
        filtered: for each system, its outputs in which a number or an address of the source is
            missing; empty unless they were looked for.
        unwrapped: for each system, how many outputs of each form were unwrapped before; None if
            the outputs are as they were given.
        references: references and systems that they were probably made from.
        twins: references and systems that are equal in almost all segments.
        shifts: lines that fit the neighbors of their references.
        scripts: systems whose Chinese script is not that of the reference.
        findings: placeholders, tags and the like of the source that outputs have lost or added
            (`celab.evaluation.findings.rules`); empty without a source, or unless they were looked
            for.
        has_reference: whether there was a reference, without which only `empty` and `repeated` are
            decided.
        corpus: the texts; None if they were checked batch by batch.
        lang: language of the translations.

    >>> import celab
    >>> outputs = celab.check({"A": ["", "I cannot translate this."]}, ["买雨伞", "他们去北京"])
    >>> outputs.kinds("A")
    {'empty': [1], 'refusal': [2]}
    """

    n_segments: int
    has_source: bool
    systems: dict[str, tuple[FlaggedOutput, ...]]
    filtered: dict[str, tuple[FlaggedOutput, ...]]
    unwrapped: dict[str, dict[str, int]] | None = None
    references: tuple[ReferenceCopies, ...] = ()
    twins: tuple[Twins, ...] = ()
    shifts: tuple[Shift, ...] = ()
    scripts: tuple[MixedScripts, ...] = ()
    findings: tuple[MarkupFinding, ...] = ()
    has_reference: bool = True
    corpus: Corpus | None = field(default=None, compare=False)
    lang: str = "zh"
    _omitted: ClassVar = frozenset({"has_reference", "corpus", "lang"})

    @classmethod
    def of_corpus(
        cls,
        corpus: Corpus,
        lang: str | None = None,
        *,
        filters: bool = False,
        findings: bool = False,
    ) -> Outputs:
        """Return the outputs of a corpus that are not translations, into a language (default: zh).

        With `filters`, numbers and addresses are looked for, too, and with `findings` what must
        survive translation. Raises `InputError` if a segment has no reference, unless there is
        none at all, but a source; then only the kinds that need no reference are decided.
        """
        has_source, has_refs = corpus.source is not None, bool(corpus.refs)
        if not has_source and not has_refs:
            raise InputError("there is neither a reference nor a source; there must be one")
        expected = expectations(corpus.refs, corpus.source, lang or "zh")
        if has_refs and len(expected.absent):
            number = expected.absent[0] + 1
            raise InputError(f"segment {number} has no reference; at least one must contain text")
        is_filtered = filters and has_source and has_refs
        missing = _flagged(corpus, expected, filtered) if is_filtered else {}
        rule = find if has_refs else partial(find, kinds=WITHOUT_REFERENCE)
        flagged = _flagged(corpus, expected, rule)
        forms = corpus.unwrapped
        noticed = look(corpus, lang) if has_refs else References()
        markup: list[MarkupFinding] = []
        if findings:
            from celab.evaluation.findings import rules

            markup = rules.find(corpus, lang or "zh", filters=filters)
        return cls(
            len(corpus.segments),
            has_source,
            flagged,
            missing,
            None if forms is None else {name: dict(forms[name]) for name in forms},
            noticed.copies,
            noticed.twins,
            noticed.shifts,
            noticed.scripts,
            tuple(markup),
            has_refs,
            corpus,
            lang or "zh",
        )

    def to_dict(self) -> JsonObject:
        """Return the outputs as data; `unwrapped` is there only if outputs were unwrapped."""
        data = Result.to_dict(self)
        if self.unwrapped is None:
            del data["unwrapped"]
        return data

    def forms(self, system: str) -> dict[str, int]:
        """Return how many outputs of a system are wrapped in each form."""
        return _in_order(Counter(output.form for output in self.systems[system] if output.form))

    @property
    def n_flagged(self) -> int:
        """Number of outputs that are not translations, over all systems."""
        return sum(map(len, self.systems.values()))

    @property
    def is_remarkable(self) -> bool:
        """Whether an output is not a translation, or something is noticed about the references."""
        return bool(self.n_flagged or self.references or self.twins or self.scripts)

    @property
    def noticed(self) -> References:
        """What is noticed about the references."""
        return References(self.references, self.twins, self.shifts, self.scripts)

    def kinds(self, system: str) -> dict[str, list[SegmentName]]:
        """Return the segments of each kind that a system has, in the order of the kinds."""
        segments: dict[str, list[SegmentName]] = {}
        for output in self.systems[system]:
            segments.setdefault(output.kind, []).append(output.segment)
        return {kind: segments[kind] for kind in KINDS if kind in segments}

    def counts(self, system: str) -> dict[str, int]:
        """Return the number of outputs of every kind, and of every filter that was asked for."""
        found = (*self.systems[system], *self.filtered.get(system, ()))
        counted = Counter(output.kind for output in found)
        names = [*KINDS, *(FILTERS if self.filtered else ())]
        return {name: counted[name] for name in names}

    def by_segment(self, system: str) -> list[str]:
        """Return the kind of each output of a system, "" if it is a translation."""
        kinds = [""] * self.n_segments
        for output in self.systems[system]:
            kinds[output.place] = output.kind
        return kinds

    def translations(self, *systems: str) -> I64:
        """Return the indices of the segments of which all these systems have a translation."""
        flagged = {output.place for name in systems for output in self.systems[name]}
        return np.array([i for i in range(self.n_segments) if i not in flagged], np.int64)

    def to_dataframe(self, library: str | None = None, *, level: Level = "segment") -> DataFrame:
        """Return a data frame with a row per flagged output and per finding, or per system.

        Its columns are system, segment, kind, text and form, and, if there are findings, lost and
        added; at the level of systems system and the number of outputs of each kind.

        Parameters:
            library: "pandas" or "polars" (default: the one that is installed, pandas first).
            level: "segment" or "system".
        """
        from celab.base.view.frames import check_level
        from celab.evaluation.checks.record import (
            COUNTS,
            FLAGGED,
            finding_rows,
            flagged_rows,
            names_of,
        )

        check_level(level)
        if level == "segment":
            rows = [*flagged_rows(self), *finding_rows(self)]
            return FLAGGED.frame(rows, names_of(self), library)
        counts = [{"system": name, **self.counts(name)} for name in self.systems]
        return COUNTS.frame(counts, counts[0], library)

    def view(self, options: ViewOptions = NORMAL) -> View:
        """Return systems by kinds, or, at the level of segments, a row per flagged output."""
        from celab.evaluation.checks.view import view_of

        return view_of(self, options)

    @checked()
    def html(self, path: io.AnyPath | None = None, *, report_lang: str = "en") -> str:
        """Return the outputs and findings as one HTML page, or write it.

        Parameters:
            path: file to write, atomically; without it the page itself is returned. A file that
                exists is replaced, unless the texts were read from it.
            report_lang: language of the page, `en` or `zh`; its reader can change it.

        Returns the path, or the page.
        """
        if self.corpus is None:
            raise InputError("there are no texts to show; check the outputs with celab.check")
        if path is not None:
            io.check_no_input(path, self.corpus.files)
        page = offered.check_page(self, report_lang=report_lang)
        if path is None:
            return page
        io.write(path, page)
        return os.fspath(path)

    def __str__(self) -> str:
        return RENDERERS["text"](self.view()).rstrip("\n")

    def __repr__(self) -> str:
        n = len(self.systems)
        return (
            f"<{self.n_flagged} of {n * self.n_segments} outputs of {n} system{'s' * (n != 1)} are"
            " not translations>"
        )


def _flagged(
    corpus: Corpus,
    expected: Expectations,
    rule: Callable[[Sequence[str], Expectations], list[Finding]],
) -> dict[str, tuple[FlaggedOutput, ...]]:
    names = corpus.names or range(1, len(expected) + 1)
    return {
        system: tuple(
            FlaggedOutput(names[x.segment - 1], x.kind, texts[x.segment - 1], x.form, x.segment - 1)
            for x in rule(texts, expected)
        )
        for system, texts in corpus.systems.items()
    }


def _in_order(counts: Counter[str]) -> dict[str, int]:
    """Return the numbers of wrapped outputs, in the order of the forms."""
    if not counts:
        return {}
    from celab.corpus.answers.forms import FORMS

    return {form: counts[form] for form in FORMS if counts[form]}


class StreamedOutputs:
    """Outputs of segments that are scored batch by batch: their kinds, and the sums of the others.

    Segments that were scored before, and are not again, have a kind, but no score.
    """

    def __init__(self, lang: str | None) -> None:
        self.lang, self.n_segments = lang, 0
        self.kinds: dict[str, list[int]] = {}
        self.forms: dict[str, int] = {}  # of wrapped outputs
        self._sums: list[tuple[F64, int]] = []  # of all segments, and of translations
        self._score: Score | None = None
        self._n_scored = 0

    def look(self, hyps: Sequence[str], refs: Sequence[Sequence[str]]) -> Outputs:
        """Return those of the next batch, whose only system has the name ""."""
        corpus = Corpus([], {"": list(hyps)}, [], [])
        expected = expectations(refs, None, self.lang or "zh")
        batch = Outputs(len(hyps), False, _flagged(corpus, expected, find), {})
        for kind, segments in batch.kinds("").items():
            numbers = (self.n_segments + int(number) for number in segments)
            self.kinds.setdefault(kind, []).extend(numbers)
        self.kinds = {kind: self.kinds[kind] for kind in KINDS if kind in self.kinds}
        self.forms = _in_order(Counter(self.forms) + Counter(batch.forms("")))
        self.n_segments += len(hyps)
        return batch

    def add(self, score: Score, batch: Outputs) -> None:
        """Add the scores of the batch that was looked at last."""
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
        """Return the scores of all segments and of translations; None if any is not known."""
        if self._score is None or self._n_scored < self.n_segments:
            return None
        if not all(n for _, n in self._sums):
            return None
        every, others = (float(self._score.aggregate(*group)) for group in self._sums)
        return every, others
