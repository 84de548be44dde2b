"""Occurrences of terms in a corpus, and the uses of every system and reference → figures."""

from __future__ import annotations

import math
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from celab.base.arrays import F64
from celab.base.errors import InputError
from celab.base.signature import Signature
from celab.base.text.normalize import Normalization, opencc_version
from celab.base.version import __version__
from celab.corpus import Corpus
from celab.findings.finding import Finding, Findings
from celab.findings.glossary_terms import KINDS, TERMS
from celab.metrics.base import Metric
from celab.metrics.options import TeslaCelabOptions
from celab.metrics.scores import Score, Segments
from celab.statistics import resampling, significance
from celab.statistics.difference import Difference
from celab.statistics.significance import CONFIDENCE
from celab.terminology.glossary import Glossary
from celab.terminology.occurrences import REFERENCE, SOURCE, Occurrence, SegmentUse, TermFinder
from celab.terminology.results import (
    Interval,
    Miss,
    TermCounts,
    TermFigures,
    TermPlace,
    TermRow,
    TermUses,
)
from celab.terminology.term_tokens import guess_language

# Number of the term and document → known renderings → how often they are used.
_Renderings: TypeAlias = dict[tuple[int, str], Counter[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TermScore(Score):
    """The accuracy of a system as a score, to stand beside those of metrics.

    Segments without a term have no score, so that intervals and tests equal those of `terms`.
    """

    unscored: ClassVar[str] = "no term was found"

    @property
    def n_skipped(self) -> int:
        """0, because a segment without a term is not skipped."""
        return 0


class TermCheck:
    """The occurrences of a corpus, and the uses of every system and reference."""

    def __init__(
        self,
        glossary: Glossary,
        corpus: Corpus,
        lang: str,
        source_lang: str | None,
        metrics: Sequence[Metric],
    ) -> None:
        self.glossary, self.corpus = glossary, corpus
        self.rule = REFERENCE if corpus.source is None else SOURCE
        if corpus.source is None:
            if not corpus.refs:
                raise InputError("there is neither a source nor a reference to find terms in")
            source_lang = None
        else:
            source_lang = source_lang or guess_language(corpus.source)
        of_metrics = (getattr(metric, "options", None) for metric in metrics)
        options = next((x for x in of_metrics if isinstance(x, TeslaCelabOptions)), None)
        self.finder = TermFinder(glossary, lang, source_lang, options)
        self.looked_in = corpus.source or _first_references(corpus.refs)
        find = self.finder.in_reference if corpus.source is None else self.finder.in_source
        self.occurrences = find(self.looked_in)
        self.counted = np.array([bool(found) for found in self.occurrences])
        if not self.counted.any():
            raise InputError(
                f"{glossary.name}: none of its terms is in the {self.rule}",
                hint="check the languages and the columns of the glossary",
            )
        self.systems = {
            name: self.finder.use(self.occurrences, hyps) for name, hyps in corpus.systems.items()
        }
        self.renderings = {name: self._renderings(uses) for name, uses in self.systems.items()}
        self.places = tuple(self._places())

    @property
    def inflected(self) -> bool:
        """Whether inflected forms are found in the texts that are searched for occurrences."""
        reading = self.finder.source_reading if self.rule == SOURCE else self.finder.reading
        return reading.analyzer is not None

    @property
    def signature(self) -> Signature:
        """Everything that can change a figure."""
        finder = self.finder
        parts = [
            ("glossary", self.glossary.digest),
            ("terms", len(self.glossary.terms)),
            ("rule", self.rule),
            ("src", finder.source_reading.lang),
            ("lang", finder.reading.lang),
        ]
        sides = {"src-infl": finder.source_reading, "infl": finder.reading}
        parts += [(key, side.analyzer.name) for key, side in sides.items() if side.analyzer]
        options = finder.reading.options
        # Every option that normalizes texts is in the signature; the language decides about case.
        parts += options.signature_parts(Normalization.option_names())
        if options.script != "keep":
            parts.append(("opencc", opencc_version()))
        parts.append(("v", __version__))
        signature = Signature(
            TERMS, [(key, str(value)) for key, value in parts if value is not None]
        )
        alignment = next(iter(self.corpus.alignments.values()), None)
        return signature if alignment is None else alignment.sign(signature)

    # ---- figures ----

    def statistics(self, uses: Sequence[SegmentUse]) -> F64:
        """Return the number of correct renderings and of occurrences in each segment."""
        return np.array(
            [
                (sum(phrase is not None for phrase in use.rendered), len(use.rendered))
                for use in uses
            ],
            np.float64,
        ).reshape(-1, 2)

    def score(self, uses: Sequence[SegmentUse]) -> TermScore:
        """Return the accuracy as a score."""
        statistics = self.statistics(uses)
        segments = resampling.quotient(statistics[:, 0], statistics[:, 1])[None, :, None]
        right, occurrences = statistics.sum(axis=0).tolist()
        return TermScore(
            score=right / occurrences,
            precision=None,
            recall=None,
            segments=Segments(segments, "all", scored=self.counted.copy()),
            signature=self.signature,
            n_references=len(self.corpus.refs),
            statistics=statistics,
            aggregate=resampling.ratio,
        )

    def figures(self, test: str, n_resamples: int, seed: int) -> tuple[list[TermFigures], str]:
        """Return the figures of all systems, the highest accuracy first, and the test."""
        names = list(self.systems)
        statistics = np.stack(
            [self.statistics(uses)[self.counted] for uses in self.systems.values()]
        )
        tested = significance.paired_test(
            statistics, resampling.ratio, test=test, n_resamples=n_resamples, seed=seed
        )
        intervals = resampling.intervals(tested.resampled, CONFIDENCE)
        order = np.argsort(-tested.resampled.observed, kind="stable").tolist()
        best = order[0]
        figures = [
            self._figures(
                names[i],
                self.systems[names[i]],
                self.renderings[names[i]],
                (float(intervals[i, 0]), float(intervals[i, 1])),
                None if i == best else tested.difference(i, best),
            )
            for i in order
        ]
        return figures, tested.test

    def references(
        self, best: str, test: str, n_resamples: int, seed: int
    ) -> tuple[TermFigures, ...]:
        """Return the figures of all references, each on the segments where it has text."""
        of_references = []
        for name, texts in zip(self.corpus.ref_names, self.corpus.refs, strict=True):
            present = [
                in_segment if text.strip() else []
                for in_segment, text in zip(self.occurrences, texts, strict=True)
            ]
            counted = np.array([bool(in_segment) for in_segment in present])
            uses = self.finder.use(present, texts)
            if not counted.any():
                of_references.append(self._figures(name, uses, {}, (math.nan, math.nan), None))
                continue
            sides = [self.statistics(side)[counted] for side in (uses, self.systems[best])]
            tested = significance.paired_test(
                np.stack(sides), resampling.ratio, test=test, n_resamples=n_resamples, seed=seed
            )
            low, high = resampling.intervals(tested.resampled, CONFIDENCE)[0].tolist()
            renderings, behind = self._renderings(uses), tested.difference()
            of_references.append(self._figures(name, uses, renderings, (low, high), behind))
        return tuple(of_references)

    def _figures(
        self,
        name: str,
        uses: Sequence[SegmentUse],
        by_document: _Renderings,
        interval: Interval,
        behind: Difference | None,
    ) -> TermFigures:
        right, occurrences = map(int, self.statistics(uses).sum(axis=0).tolist())
        repeated = [counts for counts in by_document.values() if counts.total() > 1]
        n_known = sum(renderings.total() for renderings in repeated)
        n_most = sum(max(renderings.values()) for renderings in repeated)
        return TermFigures(
            name=name,
            accuracy=right / occurrences if occurrences else math.nan,
            right=right,
            occurrences=occurrences,
            interval=interval,
            behind=behind,
            forbidden=sum(len(use.forbidden) for use in uses),
            consistency=n_most / n_known if n_known else math.nan,
            repeated=len(repeated),
            varied=sum(len(renderings) > 1 for renderings in repeated),
        )

    def _renderings(self, uses: Sequence[SegmentUse]) -> _Renderings:
        """Return the known renderings by term and document."""
        renderings: dict[tuple[int, str], Counter[str]] = defaultdict(Counter)
        phrases, segments = self.finder.phrases, self.corpus.segments
        for segment, in_segment, use in zip(segments, self.occurrences, uses, strict=True):
            for occurrence, phrase in zip(in_segment, _known(in_segment, use), strict=False):
                if phrase is not None:
                    renderings[occurrence.term, segment.document][phrases[phrase]] += 1
        return renderings

    # ---- details ----

    def rows(self, names: Sequence[str]) -> tuple[TermRow, ...]:
        """Return the terms that occur, the lowest accuracy of all systems first."""
        n_occurrences = Counter(one.term for occurrences in self.occurrences for one in occurrences)
        counts = {name: self._by_term(name) for name in names}
        rows = []
        for number, n in sorted(n_occurrences.items()):
            of_systems = {name: counts[name][number] for name in names}
            n_right = sum(count.right for count in of_systems.values())
            term = self.glossary.terms[number]
            rows.append(
                TermRow(
                    source=term.source,
                    targets=term.targets,
                    forbidden=term.forbidden,
                    note=term.note,
                    occurrences=n,
                    accuracy=n_right / (n * len(names)),
                    systems=of_systems,
                )
            )
        n_missed = [(1 - row.accuracy) * row.occurrences for row in rows]
        order = sorted(range(len(rows)), key=lambda k: (rows[k].accuracy, -n_missed[k], k))
        return tuple(rows[k] for k in order)

    def _by_term(self, name: str) -> dict[int, TermCounts]:
        right: Counter[int] = Counter()
        forbidden: Counter[int] = Counter()
        renderings: dict[int, Counter[str]] = defaultdict(Counter)
        for (term, _), in_document in self.renderings[name].items():
            renderings[term].update(in_document)
        for in_segment, use in zip(self.occurrences, self.systems[name], strict=True):
            forbidden.update(used.term for used in use.forbidden)
            for occurrence, phrase in zip(in_segment, use.rendered, strict=True):
                right[occurrence.term] += phrase is not None
        return {
            term: TermCounts(n_right, forbidden[term], dict(renderings[term].most_common()))
            for term, n_right in right.items()
        }

    def _places(self) -> Iterator[TermPlace]:
        """Yield every occurrence with its rendering in each system, by segment."""
        for number, occurrences in enumerate(self.occurrences):
            uses = [uses[number] for uses in self.systems.values()]
            known = [_known(occurrences, use) for use in uses]
            texts = self.finder.found_texts(
                occurrences, self.looked_in[number], in_source=self.rule == SOURCE
            )
            for k, occurrence in enumerate(occurrences):
                term, phrases = self.glossary.terms[occurrence.term], [one[k] for one in known]
                yield TermPlace(
                    segment=number + 1,
                    term=term.source,
                    targets=term.targets,
                    found=texts[k],
                    renderings=tuple(
                        None if p is None else self.finder.phrases[p] for p in phrases
                    ),
                    right=tuple(use.rendered[k] is not None for use in uses),
                )

    def uses(self) -> TermUses:
        """Return every occurrence, the misses and the forbidden terms."""
        rows = []
        for system, uses in self.systems.items():
            for place, (occurrences, use) in enumerate(zip(self.occurrences, uses, strict=True)):
                said = [
                    ("missed", occurrence.term)
                    for occurrence, phrase in zip(occurrences, use.rendered, strict=True)
                    if phrase is None
                ]
                said += [("forbidden", used.term) for used in use.forbidden]
                text = self.corpus.systems[system][place]
                rows += [
                    Finding(
                        *(system, place, TERMS, kind),
                        text=text,
                        note=self.glossary.terms[term].source,
                    )
                    for kind, term in said
                ]
        systems, kinds = tuple(self.systems), tuple(KINDS.values())
        table = Findings(tuple(rows), systems, self.corpus.names, kinds, self.corpus.index)
        return TermUses(self.places, systems, table)

    def misses(self) -> Iterator[Miss]:
        """Yield the occurrences that are not rendered as the glossary says, by segment."""
        by_segment: dict[int, list[TermPlace]] = defaultdict(list)
        for place in self.places:
            by_segment[place.place].append(place)
        for number, places in by_segment.items():
            for column in range(len(self.systems)):
                yield from self._missed(number, column, places)

    def _missed(self, number: int, column: int, places: Sequence[TermPlace]) -> Iterator[Miss]:
        """Yield the misses of a segment by one system, a column of the renderings."""
        name, segment = [*self.systems][column], self.corpus.segments[number]
        occurrences = zip(self.occurrences[number], places, strict=True)
        missed = [(one.term, place) for one, place in occurrences if not place.right[column]]
        if not missed:
            return
        copies = self.finder.copies({term for term, _ in missed}, self.corpus.systems[name][number])
        for term, place in missed:
            forbidden = instead = place.renderings[column]
            if instead is None and copies.get(term):
                copies[term] -= 1
                instead = place.term
            yield Miss(
                system=name,
                segment=place.segment,
                document=segment.document,
                id=segment.id,
                term=place.term,
                found=place.found,
                targets=place.targets,
                forbidden=forbidden,
                instead=instead,
            )


def _known(occurrences: Sequence[Occurrence], use: SegmentUse) -> list[int | None]:
    """Return the phrase of each occurrence; a forbidden one goes to the first miss of its term."""
    known = list(use.rendered)
    if use.forbidden:
        open_places: dict[int, deque[int]] = defaultdict(deque)
        for k, occurrence in enumerate(occurrences):
            if known[k] is None:
                open_places[occurrence.term].append(k)
        for term, phrase in use.forbidden:
            if open_places[term]:
                known[open_places[term].popleft()] = phrase
    return known


def _first_references(refs: Sequence[Sequence[str]]) -> list[str]:
    """Return the first reference of each segment that is not blank."""
    return [next((ref for ref in side if ref.strip()), "") for side in zip(*refs, strict=True)]
