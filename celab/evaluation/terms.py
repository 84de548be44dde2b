"""Terms: was the glossary followed, by which system, where not, and is it consistent?

Accuracy is right / occurrences: how many of a term's occurrences have a rendering of their own that
the glossary allows (`celab.terminology.finding`). Its interval and the paired test against the
best system resample the segments that have a term; the others say nothing. References are measured
in the same way, on the segments that they have.

Consistency looks at the occurrences whose rendering is known, because it is a target or a
forbidden term. For each term and document with two of them or more, it is the share of the most
frequent rendering; that of a system is the share over all of these together.
"""

from __future__ import annotations

import math
import os
from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol, TypeAlias, get_args

import numpy as np

from celab.base import io
from celab.base.arrays import F64
from celab.base.errors import InputError, OptionError
from celab.base.progress import Progress
from celab.base.result import DataFrame, Result, form_of
from celab.base.signature import Signature
from celab.base.text.normalize import opencc_version
from celab.base.version import __version__
from celab.corpus import Corpus
from celab.evaluation.comparison import LEVEL, Test, check_test
from celab.evaluation.term_links import Links
from celab.metrics.factory import make_only_metric
from celab.metrics.options import TeslaCelabOptions
from celab.metrics.scores import Score, Segments
from celab.statistics import resampling, significance
from celab.terminology.finding import Occurrence, SegmentUse, TermFinder
from celab.terminology.glossary import Glossary, GlossarySpec, Term, load_glossary
from celab.terminology.readings import guess_language

if TYPE_CHECKING:
    from celab.metrics.base import Metric

Interval = tuple[float, float]

TermLevel = Literal["system", "term", "document", "miss"]  # of a table or a data frame
LEVELS: tuple[TermLevel, ...] = get_args(TermLevel)
# Known renderings and how often they are used, by number of the term and document.
_Renderings: TypeAlias = dict[tuple[int, str], Counter[str]]


class HasCorpus(Protocol):
    """A campaign."""

    @property
    def corpus(self) -> Corpus:
        """The texts."""


TERMS = "terms"  # the name of the accuracy among scores
SOURCE, REFERENCE = "source", "reference"  # where occurrences are looked for


@dataclass(frozen=True, slots=True)
class TermFigures:
    """How a system, or a reference, follows the glossary."""

    name: str
    accuracy: float  # NaN without occurrences
    right: int
    occurrences: int
    interval: Interval  # of the accuracy, 95%, by segments
    p: float | None  # against the best system; None for that system itself
    forbidden: int  # uses of forbidden terms
    consistency: float  # NaN if no term is rendered twice in a document
    repeated: int  # pairs of a term and a document with two renderings or more
    varied: int  # of these, the pairs whose renderings differ


@dataclass(frozen=True, slots=True)
class TermCounts:
    """One term in one system."""

    right: int
    forbidden: int
    renderings: Mapping[str, int]  # how often each known rendering is used


@dataclass(frozen=True, slots=True)
class TermRow:
    """A term that occurs, and what each system makes of it."""

    source: str
    targets: tuple[str, ...]
    forbidden: tuple[str, ...]
    note: str
    occurrences: int
    accuracy: float  # of all systems together
    systems: Mapping[str, TermCounts]


@dataclass(frozen=True, slots=True)
class TermDocument:
    """A term that a system renders twice or more in a document."""

    system: str
    document: str
    term: str
    share: float  # of the most frequent rendering
    renderings: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Miss:
    """An occurrence without a rendering that the glossary allows."""

    system: str
    segment: int  # from 1
    document: str
    id: str
    term: str
    found: str  # the occurrence, as the source has it, or the reference
    targets: tuple[str, ...]
    forbidden: str | None  # the forbidden term that stands there
    # The forbidden term, or what is linked to the reference's term, or the source term itself, left
    # untranslated; None if nothing is known.
    instead: str | None


@dataclass(frozen=True, slots=True, repr=False)
class TermResult(Result):
    """How systems and references follow a glossary.

    Attributes:
        systems: `TermFigures` of each system, the highest accuracy first.
        references: the same of each reference.
        terms: `TermRow`s of the terms that occur, the lowest accuracy first.
        documents: `TermDocument`s, in the order of systems and terms.
        misses: `Miss`es of all systems, by segment.
        rule: where occurrences were looked for, "source" or "reference".
        source_lang: language of the source, None if it is none that we know.
        inflected: whether inflected forms of source terms were found.
        n_terms: number of terms in the glossary.
        n_segments: number of segments in which a term occurs.
        test: "bootstrap", "randomization", or "exact" with fewer than 20 such segments.
        signature: what can change a figure, in one line.
    """

    systems: tuple[TermFigures, ...]
    references: tuple[TermFigures, ...]
    terms: tuple[TermRow, ...]
    documents: tuple[TermDocument, ...]
    misses: tuple[Miss, ...]
    rule: str
    lang: str
    source_lang: str | None
    inflected: bool
    glossary: str
    n_terms: int
    n_segments: int
    test: str
    n_resamples: int
    seed: int
    signature: Signature
    explained: bool  # whether misses say what stands there instead

    def __getitem__(self, system: str) -> TermFigures:
        for figures in self.systems:
            if figures.name == system:
                return figures
        raise KeyError(system)

    def __str__(self) -> str:
        return str(form_of(self, "text")).rstrip("\n")

    def to_dataframe(self, library: str | None = None, *, level: TermLevel = "system") -> DataFrame:
        """Return a data frame with a row per system, per term and system, or per miss.

        Parameters:
            library: "pandas" or "polars" (default: the one that is installed, pandas first).
            level: "system", with the references; "term", "document" or "miss".
        """
        return form_of(self, "frame", library=library, level=level)

    def html(self, path: io.AnyPath | None = None) -> str:
        """Return the result as one HTML page, or write it; returns the page, or the path.

        Parameters:
            path: file to write, atomically; without it the page itself is returned.
        """
        page = str(form_of(self, "document", title="Terms"))
        if path is None:
            return page
        io.write(path, page)
        return os.fspath(path)

    def __repr__(self) -> str:
        n = len(self.systems)
        return (
            f"<TermResult: {len(self.terms)} of {self.n_terms} terms occur,"
            f" {n} system{'s' * (n != 1)}, {len(self.misses)} misses>"
        )


def terms(
    glossary: GlossarySpec,
    corpus: Corpus | HasCorpus,
    *,
    lang: str | None = None,
    source_lang: str | None = None,
    explain: bool = True,
    metric: str | Metric = "celab",
    test: Test = "bootstrap",
    n_resamples: int = resampling.N_RESAMPLES,
    seed: int = resampling.SEED,
    progress: Progress | None = None,
    **settings: object,
) -> TermResult:
    """Check whether systems render the terms of a glossary as it says, and consistently.

    Parameters:
        glossary: path of a TSV, CSV, JSON or JSON Lines file, a dict of target terms by source
            term, or a list of `celab.terminology.glossary.Term`.
        corpus: a corpus, or a campaign, with systems, and a source or references. Without a source,
            terms are looked for in the first reference of each segment, by their targets.
        lang: target language (default: Chinese).
        source_lang: source language (default: a guess among zh, ja, ko, de and en). Inflected
            forms are found in German and English.
        explain: whether to say what stands in the place of a missed term. That takes an
            explanation of each segment with a miss.
        metric: the metric whose links say that. Width, case and script are normalized as it does.
        test: "bootstrap" or "randomization"; exact with fewer than 20 segments with a term.
        n_resamples: number of resamples.
        seed: random seed.
        progress: called with how many misses of how many are explained.
        settings: other arguments of a metric that is given by name.

    >>> import celab
    >>> from celab.corpus import Corpus, Segment
    >>> source = ["A GPU is fast.", "It has two GPUs."]
    >>> systems = {"A": ["显卡很快。", "它有两块显卡。"], "B": ["显卡很快。", "它有两个处理器。"]}
    >>> segments = [Segment("", "1"), Segment("", "2")]
    >>> corpus = Corpus(segments, systems, [["显卡很快。", "它有两块显卡。"]], ["ref"], source)
    >>> result = celab.terms({"GPU": "显卡"}, corpus)
    >>> [(figures.name, figures.right, figures.occurrences) for figures in result.systems]
    [('A', 2, 2), ('B', 1, 2)]
    """
    check_test(test)
    texts = corpus if isinstance(corpus, Corpus) else getattr(corpus, "corpus", None)
    if not isinstance(texts, Corpus):
        raise InputError(
            f"corpus is of type {type(corpus).__name__}; it must be a corpus or a campaign"
        )
    lang = lang or "zh"
    loaded = load_glossary(glossary, lang)
    is_needed = explain or settings or not isinstance(metric, str)
    metrics = [make_only_metric(metric, lang=lang, **settings)] if is_needed else []
    check = _Check(loaded, texts, lang, source_lang, metrics)
    figures, test_used = check.figures(test, n_resamples, seed)
    order = [figure.name for figure in figures]
    links = None
    if explain and texts.refs:
        if not metrics[0].explains:
            raise OptionError(f"{metrics[0].signature.name} has no links to explain misses with")
        links = Links(check.finder, metrics[0].scorer(texts.refs))
    return TermResult(
        tuple(figures),
        check.references(order[0], test, n_resamples, seed),
        check.rows(order),
        check.documents(order),
        check.misses(links, progress),
        check.rule,
        lang,
        check.finder.source_reading.lang,
        check.inflected,
        loaded.name,
        len(loaded.terms),
        int(check.counted.sum()),
        test_used,
        n_resamples,
        seed,
        check.signature,
        links is not None,
    )


@dataclass(frozen=True, slots=True)
class TermScore(Score):
    """The accuracy of a system as a score, to stand beside those of metrics.

    Segments without a term have none, so that intervals and tests are those of `terms`.
    """

    unscored: ClassVar[str] = "no term was found"

    @property
    def n_skipped(self) -> int:
        """0: what has no term is not skipped."""
        return 0


def term_scores(
    glossary: GlossarySpec,
    corpus: Corpus,
    *,
    lang: str | None = None,
    source_lang: str | None = None,
    metrics: Sequence[Metric] = (),
) -> dict[str, TermScore]:
    """Return the accuracy of each system as a score; parameters as in `terms`.

    Texts are normalized as by the first of the metrics that is TESLA-CELAB.
    """
    lang = lang or "zh"
    check = _Check(load_glossary(glossary, lang), corpus, lang, source_lang, metrics)
    return {name: check.score(uses) for name, uses in check.systems.items()}


class _Check:
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

    @property
    def inflected(self) -> bool:
        """Whether inflected forms are found where occurrences are looked for."""
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
        form = finder.reading.normalizer.normalization
        parts += [("width", form.width), ("case", form.case), ("script", form.script)]
        if form.script != "keep":
            parts += [("conv", form.opencc), ("opencc", opencc_version())]
        parts.append(("v", __version__))
        return Signature(TERMS, [(key, str(value)) for key, value in parts if value is not None])

    # ---- figures ----

    def statistics(self, uses: Sequence[SegmentUse]) -> F64:
        """Return right and occurrences of each segment."""
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
            right / occurrences,
            None,
            None,
            Segments(segments, "all", scored=self.counted.copy()),
            self.signature,
            len(self.corpus.refs),
            statistics,
            resampling.ratio,
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
        intervals = significance.intervals(tested.resampled, LEVEL)
        order = np.argsort(-tested.resampled.observed, kind="stable").tolist()
        best = order[0]
        figures = [
            self._figures(
                names[i],
                self.systems[names[i]],
                self.renderings[names[i]],
                (float(intervals[i, 0]), float(intervals[i, 1])),
                None if i == best else float(tested.p_values[i, best]),
            )
            for i in order
        ]
        return figures, tested.test

    def references(
        self, best: str, test: str, n_resamples: int, seed: int
    ) -> tuple[TermFigures, ...]:
        """Return the figures of all references, each on the segments that it has."""
        found = []
        for name, texts in zip(self.corpus.ref_names, self.corpus.refs, strict=True):
            present = [
                in_segment if text.strip() else []
                for in_segment, text in zip(self.occurrences, texts, strict=True)
            ]
            counted = np.array([bool(in_segment) for in_segment in present])
            uses = self.finder.use(present, texts)
            if not counted.any():
                found.append(self._figures(name, uses, {}, (math.nan, math.nan), None))
                continue
            sides = [self.statistics(side)[counted] for side in (uses, self.systems[best])]
            tested = significance.paired_test(
                np.stack(sides), resampling.ratio, test=test, n_resamples=n_resamples, seed=seed
            )
            low, high = significance.intervals(tested.resampled, LEVEL)[0].tolist()
            renderings, p = self._renderings(uses), float(tested.p_values[0, 1])
            found.append(self._figures(name, uses, renderings, (low, high), p))
        return tuple(found)

    def _figures(
        self,
        name: str,
        uses: Sequence[SegmentUse],
        by_document: _Renderings,
        interval: Interval,
        p: float | None,
    ) -> TermFigures:
        right, occurrences = map(int, self.statistics(uses).sum(axis=0).tolist())
        repeated = [found for found in by_document.values() if found.total() > 1]
        n_known = sum(renderings.total() for renderings in repeated)
        n_most = sum(max(renderings.values()) for renderings in repeated)
        return TermFigures(
            name,
            right / occurrences if occurrences else math.nan,
            right,
            occurrences,
            interval,
            p,
            sum(len(use.forbidden) for use in uses),
            n_most / n_known if n_known else math.nan,
            len(repeated),
            sum(len(renderings) > 1 for renderings in repeated),
        )

    def _renderings(self, uses: Sequence[SegmentUse]) -> _Renderings:
        """Return the known renderings by term and document."""
        found: dict[tuple[int, str], Counter[str]] = defaultdict(Counter)
        phrases, segments = self.finder.phrases, self.corpus.segments
        for segment, in_segment, use in zip(segments, self.occurrences, uses, strict=True):
            for occurrence, phrase in zip(in_segment, _known(in_segment, use), strict=False):
                if phrase is not None:
                    found[occurrence.term, segment.document][phrases[phrase]] += 1
        return found

    # ---- details ----

    def rows(self, names: Sequence[str]) -> tuple[TermRow, ...]:
        """Return the terms that occur, the lowest accuracy of all systems first."""
        n_occurrences = Counter(one.term for found in self.occurrences for one in found)
        counts = {name: self._by_term(name) for name in names}
        rows = []
        for number, n in sorted(n_occurrences.items()):
            of_systems = {name: counts[name][number] for name in names}
            n_right = sum(count.right for count in of_systems.values())
            term = self.glossary.terms[number]
            rows.append(_row(term, n, n_right / (n * len(names)), of_systems))
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

    def documents(self, names: Sequence[str]) -> tuple[TermDocument, ...]:
        """Return each term that a system renders twice or more in a document."""
        return tuple(
            TermDocument(
                name,
                document,
                self.glossary.terms[term].source,
                max(renderings.values()) / renderings.total(),
                dict(renderings.most_common()),
            )
            for name in names
            for (term, document), renderings in sorted(
                self.renderings[name].items(), key=lambda item: item[0][0]
            )
            if renderings.total() > 1
        )

    def misses(self, links: Links | None, progress: Progress | None) -> tuple[Miss, ...]:
        """Return the occurrences that are not rendered as the glossary says, by segment."""
        missed = [
            (number, name)
            for number, found in enumerate(self.occurrences)
            if found
            for name, uses in self.systems.items()
            if None in uses[number].rendered
        ]
        result: list[Miss] = []
        found: dict[int, list[str]] = {}
        for n_done, (number, name) in enumerate(missed, 1):
            if number not in found:
                found[number] = self.finder.found_texts(
                    self.occurrences[number],
                    self.looked_in[number],
                    in_source=self.rule == SOURCE,
                )
            result += self._missed(number, name, found[number], links)
            if progress is not None and links is not None:
                progress(n_done, len(missed))
        return tuple(result)

    def _missed(
        self, number: int, name: str, texts: Sequence[str], links: Links | None
    ) -> list[Miss]:
        found, use = self.occurrences[number], self.systems[name][number]
        known, segment = _known(found, use), self.corpus.segments[number]
        missed = [k for k, phrase in enumerate(use.rendered) if phrase is None]
        instead: list[str | None] = [None] * len(missed)
        if links is not None:
            hyp, refs = self.corpus.systems[name][number], [s[number] for s in self.corpus.refs]
            instead = links.instead([found[k].term for k in missed], hyp, refs)
        copies = {
            term: self.finder.n_copies(term, self.corpus.systems[name][number])
            for term in {found[k].term for k in missed}
        }
        misses = []
        for k, linked in zip(missed, instead, strict=True):
            term, phrase = self.glossary.terms[found[k].term], known[k]
            forbidden = None if phrase is None else self.finder.phrases[phrase]
            known_text = forbidden or linked
            if known_text is None and copies[found[k].term]:
                copies[found[k].term] -= 1
                known_text = term.source
            misses.append(
                Miss(
                    system=name,
                    segment=number + 1,
                    document=segment.document,
                    id=segment.id,
                    term=term.source,
                    found=texts[k],
                    targets=term.targets,
                    forbidden=forbidden,
                    instead=known_text,
                )
            )
        return misses


def _row(term: Term, n: int, accuracy: float, systems: Mapping[str, TermCounts]) -> TermRow:
    return TermRow(term.source, term.targets, term.forbidden, term.note, n, accuracy, systems)


def _known(found: Sequence[Occurrence], use: SegmentUse) -> list[int | None]:
    """Return the phrase of each occurrence; a forbidden one goes to the first miss of its term."""
    known = list(use.rendered)
    if use.forbidden:
        open_places: dict[int, deque[int]] = defaultdict(deque)
        for k, occurrence in enumerate(found):
            if known[k] is None:
                open_places[occurrence.term].append(k)
        for term, phrase in use.forbidden:
            if open_places[term]:
                known[open_places[term].popleft()] = phrase
    return known


def _first_references(refs: Sequence[Sequence[str]]) -> list[str]:
    """Return the first reference of each segment that is not blank."""
    return [next((ref for ref in side if ref.strip()), "") for side in zip(*refs, strict=True)]
