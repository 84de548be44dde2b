"""The outputs of a corpus → those that are not translations.

The kernels count all characters, and the counts say to which outputs a rule may apply at all; the
rules of `celab.evaluation.checks` then decide about these few.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, overload

import numpy as np

from celab.base.languages import language_code
from celab.base.text.counts import CodePoints, TraitCounter, TraitCounts, count_characters
from celab.base.text.scripts import SCRIPT_OF
from celab.corpus.answers.cues import cue_index
from celab.evaluation.checks import CHECKS, MOSTLY, Batch, Expectation, are_written_in
from celab.evaluation.tables import Finding, Producer, Subject

if TYPE_CHECKING:
    from celab.base.arrays import I64, Bools


class Expectations(Sequence[Expectation]):
    """The references and sources of all segments.

    Each segment's are made when a rule asks for them; most outputs are cleared by counts alone.
    """

    def __init__(
        self,
        references: Sequence[Sequence[str]],
        sources: Sequence[str] | None,
        script: str | None,
        counter: TraitCounter = count_characters,
    ) -> None:
        self._references, self._sources, self.script = references, sources, script
        self.counter = counter
        self._n_segments = len(references[0] if references else sources or ())
        self._known: dict[int, Expectation] = {}
        sides = [*references, *([] if sources is None else [sources])]
        if any(len(side) != self._n_segments for side in sides):
            raise ValueError("references and sources must be those of the same segments")

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
            source = None if self._sources is None else self._sources[place]
            references = [side[place] for side in self._references]
            self._known[place] = Expectation(references, source, self.script)
        return self._known[place]

    def has(self, needs: str) -> bool:
        """Return whether there is what a check needs: references, sources, or both."""
        known = {"reference": bool(self._references), "source": self._sources is not None}
        return all(known[side] for side in needs.split())

    def keep(self, places: Sequence[int]) -> Expectations:
        """Return those of some segments."""
        references = [[side[place] for place in places] for side in self._references]
        sources = self._sources
        sources = None if sources is None else [sources[place] for place in places]
        return Expectations(references, sources, self.script)

    @cached_property
    def lengths(self) -> tuple[I64, I64]:
        """Lengths of the shortest and the longest reference of each segment; 0 without one."""
        shortest, longest = np.full(len(self), -1, np.int64), np.zeros(len(self), np.int64)
        for counts in self._counts:
            length = counts.of("dense").astype(np.int64)
            is_text = counts.has("visible")
            is_shorter = is_text & ((shortest < 0) | (length < shortest))
            shortest[is_shorter] = length[is_shorter]
            longest[is_text] = np.maximum(longest, length)[is_text]
        return np.maximum(shortest, 0), longest

    @cached_property
    def sources(self) -> TraitCounts | None:
        """Counts of the sources, if there are any."""
        return None if self._sources is None else self.counter(self._sources)

    @cached_property
    def are_in_script(self) -> Bools:
        """Which segments have every reference mostly in the script of the target language."""
        if self.script is None:
            return np.zeros(len(self), np.bool_)
        are_in = np.ones(len(self), np.bool_)
        for counts in self._counts:
            are_in &= are_written_in(self.script, counts, MOSTLY) | ~counts.has("visible")
        return are_in

    @cached_property
    def absent(self) -> I64:
        """Places of the segments without a reference."""
        is_present = np.zeros(len(self), np.bool_)
        for counts in self._counts:
            is_present |= counts.has("visible")
        return np.flatnonzero(~is_present)

    @cached_property
    def _counts(self) -> list[TraitCounts]:
        return [self.counter(side) for side in self._references]


def expectations(
    references: Sequence[Sequence[str]],
    source: Sequence[str] | None = None,
    lang: str = "zh",
    counter: TraitCounter = count_characters,
) -> Expectations:
    """Return what is expected of each segment, from one sequence per reference.

    `lang` is the target language; that of an output is not decided if its script is not known.
    Without references there must be a source. `counter` counts the characters of texts.
    """
    return Expectations(references, source, SCRIPT_OF.get(language_code(lang)), counter)


def find(
    outputs: Sequence[str], expected: Expectations, system: str = "", *, verdict: bool = True
) -> Iterator[Finding]:
    """Yield the outputs of a system that are not translations, in order; each has one kind.

    Without a `verdict`, yield what the other checks find; an output may then have several kinds.
    What cannot be decided without references or sources is left out.
    """
    if len(outputs) != len(expected):
        raise ValueError("there must be one output per segment")
    checks = [
        check for check in CHECKS.values() if check.verdict == verdict and expected.has(check.needs)
    ]
    if not outputs:
        return
    letters = CodePoints([*outputs])
    batch = Batch(
        letters,
        expected.counter(outputs),
        expected.sources,
        cue_index().find(letters),
        *expected.lengths,
        expected.are_in_script,
        expected.script,
    )
    whole = np.ones(len(outputs), np.bool_)
    tried = [(check, whole if check.may is None else check.may(batch)) for check in checks]
    for place in np.flatnonzero(np.any([may for _, may in tried], axis=0)).tolist():
        for check, may in tried:
            said = may[place] and check.rule(outputs[place], expected[place])
            if said:
                note = said if isinstance(said, str) else ""
                yield Finding(system, place, "outputs", check.name, text=outputs[place], note=note)
                if verdict:
                    break


def _find_all(subject: Subject) -> Iterator[Finding]:
    """Yield the outputs that are not translations, system by system, then what filters find.

    Nothing is said about a segment that has no reference where others have one: it is silence.
    """
    corpus = subject.corpus
    expected = expectations(corpus.refs, corpus.source, subject.lang, corpus.count_traits)
    silent = frozenset(expected.absent.tolist()) if corpus.refs else frozenset[int]()
    for verdict in (True, False) if subject.filters else (True,):
        for system, texts in corpus.systems.items():
            rows = find(texts, expected, system, verdict=verdict)
            yield from (row for row in rows if row.segment not in silent)


PRODUCER = Producer("outputs", "Not translations", CHECKS, _find_all)
