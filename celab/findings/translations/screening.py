"""Searches a corpus for outputs that may not be translations, and measures their lengths.

The kernels count the characters of all texts; by the counts, most outputs are ruled out, and the
rules of `celab.findings.translations` decide about the few others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, overload

import numpy as np

from celab.base.arrays import F64, I64, Bools
from celab.base.languages import language_code
from celab.base.text.counts import CodePoints, TraitCounter, count_traits
from celab.base.text.scripts import SCRIPT_OF
from celab.corpus.answers import cue_index
from celab.corpus.model import Corpus
from celab.findings.finding import Check, Finding, Needs, Producer, Subject
from celab.findings.translations import (
    CHECKS,
    MIN_REFERENCE_SHARE,
    Batch,
    Expectation,
    are_written_in,
)
from celab.tables.cells import quantity


class Expectations(Sequence[Expectation]):
    """The expectations of all segments, from one sequence per reference, and the sources.

    The expectation of a segment is made when a rule needs it, because most outputs are ruled out by
    counts.
    Without references there must be a source.

    Attributes:
        script: script of the target language, or None; the language of outputs is then not decided.
        sides: the inputs, references or sources, that there are.
        sources: counts of the sources, if there are any.
        shortest, longest: lengths of the references of each segment; 0 without one.
        are_in_script: whether every reference is mostly in the script of the target language.
        are_silent: segments without a reference, if others have one.
    """

    def __init__(
        self,
        references: Sequence[Sequence[str]],
        source: Sequence[str] | None = None,
        lang: str = "zh",
        counter: TraitCounter = count_traits,
    ) -> None:
        self._references, self._source, self._lang = references, source, lang
        self._n_segments = len(references[0] if references else source or ())
        self._known: dict[int, Expectation] = {}
        self.counter, self.script = counter, SCRIPT_OF.get(language_code(lang))
        self.sides = Needs.REFERENCE if references else Needs.NOTHING
        self.sources = None
        if source is not None:
            self.sides |= Needs.SOURCE
            self.sources = counter(source)
        shortest = np.full(self._n_segments, -1, np.int64)
        self.longest = np.zeros(self._n_segments, np.int64)
        self.are_in_script = np.full(self._n_segments, self.script is not None)
        for side in references:
            counts = counter(side)
            length, is_text = counts.of("dense").astype(np.int64), counts.has("visible")
            is_shorter = is_text & ((shortest < 0) | (length < shortest))
            shortest[is_shorter] = length[is_shorter]
            self.longest[is_text] = np.maximum(self.longest, length)[is_text]
            if self.script is not None:
                self.are_in_script &= (
                    are_written_in(self.script, counts, MIN_REFERENCE_SHARE) | ~is_text
                )
        self.shortest: I64 = np.maximum(shortest, 0)
        self.are_silent: Bools = (shortest < 0) & bool(references)

    def __len__(self) -> int:
        return self._n_segments

    @overload
    def __getitem__(self, place: int) -> Expectation: ...
    @overload
    def __getitem__(self, place: slice) -> list[Expectation]: ...
    def __getitem__(self, place: int | slice) -> Expectation | list[Expectation]:
        if isinstance(place, slice):
            return [self[index] for index in range(*place.indices(len(self)))]
        place = range(len(self))[place]
        if place not in self._known:
            source = None if self._source is None else self._source[place]
            references = [side[place] for side in self._references]
            self._known[place] = Expectation(references, source, self.script)
        return self._known[place]

    def keep(self, places: Sequence[int]) -> Expectations:
        """Return the expectations of some segments."""
        references = [[side[place] for place in places] for side in self._references]
        source = self._source
        source = None if source is None else [source[place] for place in places]
        return Expectations(references, source, self._lang)


def find(
    outputs: Sequence[str],
    expected: Expectations,
    system: str = "",
    *,
    verdict: bool = True,
    whole: bool = True,
) -> Iterator[Finding]:
    """Yield the outputs of a system that may not be translations, in order; each has one kind.

    Without `verdict`, yield the findings of the checks that are not verdicts; an output may then
    have several kinds. Kinds that need absent references or sources are left out. Without `whole`,
    the outputs are a part of a system's, so kinds that compare all its outputs are left out, too.
    """
    checks = [
        check
        for check in CHECKS.values()
        if check.verdict == verdict and check.needs in expected.sides
    ]
    if not outputs:
        return
    letters, counts = CodePoints([*outputs]), expected.counter(outputs)
    batch = Batch(
        letters=letters,
        counts=counts,
        lengths=counts.of("dense").astype(np.int64),
        cues=cue_index().find(letters),
        sources=expected.sources,
        shortest=expected.shortest,
        longest=expected.longest,
        are_in_script=expected.are_in_script,
        script=expected.script,
        outputs=outputs,
        expected=expected,
        has_references=Needs.REFERENCE in expected.sides,
        is_whole=whole,
    )
    tried = [(check, _candidates(check, batch)) for check in checks]
    for place in np.flatnonzero(np.any([may for _, may in tried], axis=0)).tolist():
        for check, may in tried:
            said = may[place] and check.rule(outputs[place], expected[place])
            if said:
                note = said if isinstance(said, str) else ""
                yield Finding(system, place, "outputs", check.name, text=outputs[place], note=note)
                if verdict:
                    break


def _candidates(check: Check, batch: Batch) -> Bools:
    """Return the outputs to which the rule of a check may apply."""
    candidates = np.ones(len(batch.outputs), np.bool_)
    if check.may_apply is not None:
        candidates &= check.may_apply(batch)
    if check.compares is not None and candidates.any():
        candidates &= check.compares(batch)
    return candidates


def _find_all(subject: Subject) -> Iterator[Finding]:
    """Yield the outputs that may not be translations, system by system, then other findings.

    Segments without a reference, where others have one, are left out: they are silence in
    recordings. A key that the translation of an app lacks has no output.
    """
    corpus = subject.corpus
    expected = Expectations(corpus.refs, corpus.source, subject.lang, corpus.count_traits)
    for verdict in (True, False) if subject.filters else (True,):
        for system, texts in corpus.systems.items():
            absent = corpus.absent.get(system, frozenset())
            seen = set()
            for row in find(texts, expected, system, verdict=verdict):
                if not expected.are_silent[row.segment] and row.segment not in absent:
                    seen.add(row.segment)
                    yield row
            if verdict and system in corpus.absent:
                yield from _untranslated(corpus, system, seen)


def _untranslated(corpus: Corpus, system: str, seen: Collection[int | None]) -> Iterator[Finding]:
    """Yield the untranslated texts of an app, without the segments in `seen`."""
    # The module is slow to load, and only texts of apps need it.
    from celab.findings.translations.untranslated import untranslated

    texts = corpus.systems[system]
    for place in untranslated(corpus.source or (), texts):
        if place not in seen:
            yield Finding(system, place, "outputs", "copied", text=texts[place])


PRODUCER = Producer(name="outputs", title="Not translations", kinds=CHECKS, find=_find_all)


# ---- lengths ----
#
# The length ratio of a system is the length of all its outputs by the length of all references:
# hedging raises it, omissions lower it. Lengths are numbers of characters without white space; of
# several references, their mean.

USUAL = (0.85, 1.2)  # ratios that are not reported
EXTREME = (0.67, 1.5)  # ratios outside are always reported
# Other ratios are reported if they differ by this factor from the median of the other systems. On
# WMT sets from 2012 to 2024 no system differs by more than 1.11.
MIN_FACTOR_TO_MEDIAN = 1.2
MIN_OTHER_SYSTEMS = 3
MAX_LENGTH_REMARKS = 2  # more systems share a line
MIN_CHARACTERS_APART = 14  # a smaller difference, as in one short segment, is not reported


class Lengths(NamedTuple):
    """Lengths of the outputs of each system, and of the references of each segment."""

    systems: Mapping[str, I64]
    references: F64

    @classmethod
    def of_texts(
        cls,
        systems: Mapping[str, Sequence[str]],
        refs: Sequence[Sequence[str]],
        count: TraitCounter = count_traits,
    ) -> Lengths:
        """Return the lengths of texts, which `count` counts."""
        lengths = {
            name: count(texts).of("dense").astype(np.int64) for name, texts in systems.items()
        }
        if not refs:
            n_segments = max(map(len, lengths.values()), default=0)
            return cls(lengths, np.zeros(n_segments))
        of_refs = np.array([count(side).of("dense") for side in refs], np.int64)
        n_present = np.maximum((of_refs > 0).sum(axis=0), 1)
        return cls(lengths, np.asarray(of_refs.sum(axis=0) / n_present, np.float64))

    def totals(self, system: str) -> tuple[float, float]:
        """Return the length of all outputs of a system, and of all references."""
        return float(self.systems[system].sum()), float(self.references.sum())

    def ratio(self, system: str) -> float | None:
        """Return the length ratio of a system; None if all references are empty."""
        n_output, n_reference = self.totals(system)
        return n_output / n_reference if n_reference else None

    def ratios(self, system: str) -> list[float | None]:
        """Return the length ratio of each output of a system."""
        pairs = zip(self.systems[system].tolist(), self.references.tolist(), strict=True)
        return [n_output / n_reference if n_reference else None for n_output, n_reference in pairs]


def length_line(system: str, totals: tuple[float, float], others: Sequence[float] = ()) -> str:
    """Return a line if the outputs of a system are long, short, or far from those of others.

    Parameters:
        totals: lengths of all outputs, and of all references.
        others: length ratios of the other systems.

    >>> length_line("both", (2112, 1000), [1.05, 1.06])
    'both: outputs are 2.11 times as long as the references'
    >>> length_line("C", (1300, 1000), [1.0, 1.01, 1.02])
    'C: outputs are 1.30 times as long as the references, those of the other systems 1.01 times'
    >>> length_line("A", (1050, 1000), [1.3, 1.3, 1.3])
    ''
    """
    n_output, n_reference = totals
    if not n_reference or abs(n_output - n_reference) <= MIN_CHARACTERS_APART:
        return ""
    ratio = n_output / n_reference
    line = f"{system}: outputs are {ratio:.2f} times as long as the references"
    if not _is_within(ratio, EXTREME):
        return line
    if _is_within(ratio, USUAL) or len(others) < MIN_OTHER_SYSTEMS:
        return ""
    center = float(np.median(others))
    if _is_within(ratio, (center / MIN_FACTOR_TO_MEDIAN, center * MIN_FACTOR_TO_MEDIAN)):
        return ""
    return f"{line}, those of the other systems {center:.2f} times"


def shared_length_line(ratios: Mapping[str, float]) -> str:
    """Return one line about systems whose length ratio is far from 1, the farthest first.

    >>> shared_length_line({"A": 0.65, "B": 2.2, "C": 1.6, "D": 0.6})
    'output/reference length ratio: B 2.20, D 0.60, 2 others 0.65 to 1.60'
    """
    farthest = sorted(ratios, key=lambda name: -abs(np.log(ratios[name] or np.finfo(float).tiny)))
    named, others = farthest[:2], [ratios[name] for name in farthest[2:]]
    parts = [f"{name} {ratios[name]:.2f}" for name in named]
    ends = dict.fromkeys(f"{ratio:.2f}" for ratio in (min(others), max(others)))
    parts.append(f"{quantity(len(others), 'other')} {' to '.join(ends)}")
    return f"output/reference length ratio: {', '.join(parts)}"


def _is_within(ratio: float, ends: tuple[float, float]) -> bool:
    return ends[0] <= ratio <= ends[1]
