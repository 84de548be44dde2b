"""The outputs of a corpus → those that are not translations.

The kernels count all characters, and the counts say to which outputs a rule may apply at all; the
rules of `celab.evaluation.checks` then decide about these few.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

from celab.base.languages import language_code
from celab.base.text.counts import CodePoints, TraitCounter, count_traits
from celab.base.text.scripts import SCRIPT_OF
from celab.corpus.answers.cues import cue_index
from celab.evaluation.checks import CHECKS, MOSTLY, Batch, Expectation, are_written_in
from celab.evaluation.tables import Finding, Producer, Subject

if TYPE_CHECKING:
    from celab.base.arrays import I64, Bools


class Expectations(Sequence[Expectation]):
    """What is expected of each segment, from one sequence per reference, and the sources.

    Each segment's expectation is made when a rule asks for it; most outputs are cleared by counts.
    Without references there must be a source.

    Attributes:
        script: that of the target language; the language of outputs is not decided without one.
        sides: "reference" and "source", if there are any.
        sources: counts of the sources, if there are any.
        shortest, longest: lengths of the references of each segment; 0 without one.
        are_in_script: whether every reference is mostly in the script of the target language.
        are_silent: whether a segment has no reference where others have one.
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
        self.sides = {"reference"} if references else set[str]()
        self.sources = None
        if source is not None:
            self.sides.add("source")
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
                self.are_in_script &= are_written_in(self.script, counts, MOSTLY) | ~is_text
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
        """Return those of some segments."""
        references = [[side[place] for place in places] for side in self._references]
        source = self._source
        source = None if source is None else [source[place] for place in places]
        return Expectations(references, source, self._lang)


def find(
    outputs: Sequence[str], expected: Expectations, system: str = "", *, verdict: bool = True
) -> Iterator[Finding]:
    """Yield the outputs of a system that are not translations, in order; each has one kind.

    Without a `verdict`, yield what the other checks find; an output may then have several kinds.
    What cannot be decided without references or sources is left out.
    """
    checks = [
        check
        for check in CHECKS.values()
        if check.verdict == verdict and expected.sides >= {*check.needs.split()}
    ]
    if not outputs:
        return
    letters, counts = CodePoints([*outputs]), expected.counter(outputs)
    batch = Batch(
        letters,
        counts,
        counts.of("dense").astype(np.int64),
        cue_index().find(letters),
        expected.sources,
        expected.shortest,
        expected.longest,
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
    expected = Expectations(corpus.refs, corpus.source, subject.lang, corpus.count_traits)
    for verdict in (True, False) if subject.filters else (True,):
        for system, texts in corpus.systems.items():
            for row in find(texts, expected, system, verdict=verdict):
                if not expected.are_silent[row.segment]:
                    yield row


PRODUCER = Producer("outputs", "Not translations", CHECKS, _find_all)
