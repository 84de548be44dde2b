"""The profile of errors: how often each system has edits of each kind, with intervals and tests.

An output is compared with the first reference that its segment has. The rate of a kind is the
number of its edits per `PER_CHARACTERS` characters of these references, white space not counted;
its interval and the p-values between systems come from resamples of the segments
(`celab.statistics`). If CER or MER is also computed, the profile lists its most frequent edits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, groupby
from operator import attrgetter, itemgetter
from typing import Any, Protocol

import numpy as np

from celab.base.arguments import JsonObject
from celab.base.arrays import F64, I64, Strings
from celab.base.errors import OptionError, suggest
from celab.base.text.escapes import visible
from celab.corpus import Corpus
from celab.corpus.model import SegmentName
from celab.findings.differences.diff import KINDS, differences, edits
from celab.findings.finding import Finding, FindingKind, Needs, Producer, Subject
from celab.metrics.base import Metric
from celab.metrics.character_metrics import ErrorRateScorer
from celab.statistics import resampling, significance
from celab.statistics.difference import Difference, difference_columns
from celab.statistics.documents import ResampleBy, units_to_draw
from celab.statistics.significance import CONFIDENCE
from celab.tables.cells import quantity
from celab.tables.result import PrintedResult
from celab.tables.table import COUNT, NAME, SCORE, TEXT, Column, Part, Table, segment_columns
from celab.tables.view import Detail, line

PER_CHARACTERS = 1_000
MAX_EDITS_LISTED = 8  # edits of each kind and system
EDIT_KINDS = ("substituted", "deleted", "inserted")


class TermOccurrence(Protocol):
    """An occurrence of a term; missing renderings are edits of one kind."""

    @property
    def place(self) -> int:
        """The index of the segment, from 0."""

    @property
    def right(self) -> Sequence[bool]:
        """Whether each system renders it as the glossary allows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceRate:
    """Number of edits of a kind in a system, and the rate per 1,000 characters."""

    system: str
    kind: str
    count: int
    rate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class FrequentEdit:
    """An edit that an error rate counts: its tokens on both sides ("" if none), and its number."""

    system: str
    kind: str
    reference: str
    output: str
    count: int

    @property
    def text(self) -> str:
        """The edit in a list, such as "喇 → 啦 12"."""
        tokens = " → ".join(visible(token) for token in (self.reference, self.output) if token)
        return f"{tokens} {self.count}"


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class ErrorProfile(PrintedResult):
    """Edits by system and kind; `print` shows their rates.

    Attributes:
        rates: a row per system and kind.
        kinds: the kinds that were counted; `term` needs a glossary.
        n_characters: number of characters of the references.
        test, n_resamples, seed: of intervals and p-values.
        p_values, tests: kinds × systems × systems: p, and its test.
        edits: systems × segments × kinds: number of edits.
        names, index: names of the segments, and their labels if the texts come from a data frame.
        frequent: the most frequent edits of each system and kind (`EDIT_KINDS`) by the first error
            rate of the campaign, if there is one.

    >>> import celab
    >>> campaign = celab.Campaign.from_lists({"A": ["他买了伞"], "B": ["买雨伞"]}, ["他买了雨伞"])
    >>> [(row.system, row.kind) for row in campaign.error_profile().rates if row.count]
    [('A', 'omitted'), ('B', 'omitted')]
    """

    rates: tuple[DifferenceRate, ...]
    kinds: tuple[str, ...]
    n_characters: int
    test: str
    n_resamples: int
    seed: int
    p_values: F64 = field(compare=False)
    tests: Strings = field(compare=False)
    intervals: F64 = field(compare=False)  # kinds × systems × systems × both ends
    edits: I64 = field(compare=False)
    frequent: tuple[FrequentEdit, ...] = ()
    names: Sequence[SegmentName] = field(compare=False)
    index: Sequence[Any] | None = field(default=None, compare=False)

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems."""
        return tuple(dict.fromkeys(row.system for row in self.rates))

    def compare(self, a: str, b: str) -> dict[str, Difference]:
        """Return the differences of the rates of two systems by kind.

        Parameters:
            a, b: names of systems.
        """
        names = self.systems
        for name in (a, b):
            if name not in names:
                raise OptionError("system", name, suggest(name, names))
        rates = {(row.system, row.kind): row.rate for row in self.rates}
        i, j = names.index(a), names.index(b)
        figures = zip(
            self.kinds,
            self.p_values[:, i, j].tolist(),
            self.tests[:, i, j].tolist(),
            self.intervals[:, i, j].tolist(),
            strict=True,
        )
        return {
            kind: Difference(
                a=rates[a, kind],
                b=rates[b, kind],
                interval=(low, high),
                p=p,
                test=test,
                n_resamples=self.n_resamples,
                seed=self.seed,
                n_segments=self.edits.shape[1],
                higher_is_better=False,
                digits=RATE_DIGITS,
            )
            for kind, p, test, (low, high) in figures
        }

    def facts(self) -> JsonObject:
        """Return the kinds, the number of characters, and the test."""
        names = ("kinds", "n_characters", "test", "n_resamples", "seed")
        return {name: getattr(self, name) for name in names}

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield systems by kinds for people, and a row per system and kind for programs.

        `error_profile` has the rates, `frequent_edits` the most frequent edits, and `segment`,
        which is shown only on request, the number of edits of each kind in each segment.
        """
        yield rate_table(self)
        yield [line(ABOUT), *(line(f"{kind}: {SENTENCES[kind]}") for kind in self.kinds)]
        yield Table(name="error_profile", columns=_RATES, rows=self.rates)
        if self.frequent:
            yield _frequent_table(self)
            yield Table(name="frequent_edits", columns=_EDITS, rows=self.frequent)
        yield _segment_table(self)

    def __repr__(self) -> str:
        n = len(self.systems)
        count = sum(row.count for row in self.rates)
        return f"<{count} edits of {quantity(n, 'system')}, {len(self.kinds)} kinds>"


def error_profile(
    corpus: Corpus,
    lang: str,
    terms: Sequence[TermOccurrence] = (),
    *,
    systems: Sequence[str] | None = None,
    error_rate: Metric | None = None,
    n_resamples: int = resampling.N_RESAMPLES,
    seed: int = resampling.SEED,
    resample_by: ResampleBy = "segment",
) -> ErrorProfile:
    """Return the profile of the systems of a corpus.

    Parameters:
        corpus: references and outputs.
        lang: target language.
        terms: occurrences of terms, if there is a glossary.
        systems: names of the systems in the order of the result (default: that of the corpus).
        error_rate: the metric whose most frequent edits are listed.
        n_resamples, seed: of the bootstrap.
        resample_by: whether segments or documents are drawn.
    """
    names = [*(corpus.systems if systems is None else systems)]
    sides = zip(*corpus.refs, strict=True)
    refs = [next((text for text in row if text.strip()), "") for row in sides]
    kinds = KINDS if terms else KINDS[:-1]
    counts = _count_edits(refs, [corpus.systems[name] for name in names], lang, len(kinds))
    order = [[*corpus.systems].index(name) for name in names]
    for occurrence in terms:
        counts[:, occurrence.place, -1] += ~np.array(occurrence.right, np.bool_)[order]
    characters = np.array([len("".join(text.split())) for text in refs])
    drawn = units_to_draw(resample_by, [segment.document for segment in corpus.segments])
    profile = _tested(
        names,
        kinds,
        counts,
        characters,
        n_resamples=n_resamples,
        seed=seed,
        documents=drawn,
    )
    profile = replace(profile, names=corpus.names, index=corpus.index)
    if error_rate is None:
        return profile

    scorer = error_rate.scorer(corpus.refs)
    assert isinstance(scorer, ErrorRateScorer)
    frequent = (
        edit
        for name in names
        for edit in _most_frequent(name, scorer.replacements(corpus.systems[name], corpus.refs))
    )
    return replace(profile, frequent=tuple(frequent))


def _most_frequent(system: str, counts: Counter[tuple[str, str]]) -> Iterator[FrequentEdit]:
    """Yield the most frequent edits of each kind; equally frequent ones are sorted by tokens."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    for kind, has in zip(EDIT_KINDS, ((True, True), (True, False), (False, True)), strict=True):
        of_kind = [(pair, n) for pair, n in ordered if (bool(pair[0]), bool(pair[1])) == has]
        yield from (FrequentEdit(system, kind, *pair, n) for pair, n in of_kind[:MAX_EDITS_LISTED])


def _count_edits(
    refs: Sequence[str], outputs: Sequence[Sequence[str]], lang: str, n_kinds: int
) -> I64:
    """Return systems × segments × kinds: the number of edits, without terms."""
    shape = (len(outputs), len(refs), n_kinds)
    places = {kind: k for k, kind in enumerate(KINDS)}
    of_edits: list[int] = []  # flat index in the counts, for each edit
    first = 0
    for of_system in differences(refs, outputs):
        for difference in of_system:
            of_edits += [first + places[edit.kind] for edit in edits(difference, lang)]
            first += n_kinds
    return np.bincount(np.array(of_edits, np.int64), minlength=first).reshape(shape)


def _tested(
    names: Sequence[str],
    kinds: Sequence[str],
    counts: I64,
    characters: I64,
    *,
    n_resamples: int,
    seed: int,
    documents: I64 | None,
) -> ErrorProfile:
    rates: list[DifferenceRate] = []
    p_values, tests, intervals = [], [], []
    test = ""
    lengths = np.broadcast_to(characters, counts.shape[:2])
    for k, kind in enumerate(kinds):
        statistics = np.stack((PER_CHARACTERS * counts[:, :, k], lengths), axis=-1).astype(
            np.float64
        )
        tested = significance.paired_test(
            statistics,
            resampling.ratio,
            n_resamples=n_resamples,
            seed=seed,
            documents=documents,
        )
        ends = resampling.intervals(tested.resampled, CONFIDENCE).tolist()
        observed, totals = tested.resampled.observed.tolist(), counts[:, :, k].sum(axis=1).tolist()
        rates += [
            DifferenceRate(system=name, kind=kind, count=count, rate=rate, low=low, high=high)
            for name, count, rate, (low, high) in zip(names, totals, observed, ends, strict=True)
        ]
        p_values.append(tested.p_values)
        tests.append(tested.tests)
        intervals.append(_pair_intervals(tested.resampled))
        test = tested.test
    rates.sort(key=lambda row: names.index(row.system))
    n_characters = int(characters.sum())
    return ErrorProfile(
        rates=tuple(rates),
        kinds=tuple(kinds),
        n_characters=n_characters,
        test=test,
        n_resamples=n_resamples,
        seed=seed,
        p_values=np.stack(p_values),
        tests=np.stack(tests),
        intervals=np.stack(intervals),
        edits=counts,
        names=range(1, counts.shape[1] + 1),
    )


def _pair_intervals(resampled: resampling.Resampled) -> F64:
    """Return both ends of the interval of the difference of each two systems."""
    n = len(resampled.observed)
    ends = np.zeros((n, n, 2))
    for i, j in combinations(range(n), 2):
        low, high = significance.pair_interval(resampled, i, j, CONFIDENCE)
        ends[i, j], ends[j, i] = (low, high), (-high, -low)
    return ends


_RATES = [
    Column("", NAME, attrgetter("system"), "system"),
    Column("", TEXT, attrgetter("kind"), "kind"),
    Column("", COUNT, attrgetter("count"), "count"),
    *(Column("", SCORE, attrgetter(name), name) for name in ("rate", "low", "high")),
]
_EDITS = [
    Column("", NAME, attrgetter("system"), "system"),
    *(Column("", TEXT, attrgetter(name), name) for name in ("kind", "reference", "output")),
    Column("", COUNT, attrgetter("count"), "count"),
]
RATE_DIGITS = 1
ABOUT = "edits per 1,000 characters of the reference; they are differences, not errors"
SENTENCES = {
    "omitted": "text of the reference that the output lacks",
    "replaced": "text of the reference that the output words differently",
    "latin": "Latin words that the reference lacks",
    "number": "digits that are not those of the reference",
    "added": "text of the output that the reference lacks",
    "punctuation": "signs alone",
    "moved": "text that both have, in different places",
    "term": "a term of the glossary that the output misses",
}


def _findings(subject: Subject) -> Iterator[Finding]:
    """Yield the kinds of differences that each output has; `value` is the number of edits."""
    profile, texts = subject.profile, subject.corpus.systems
    names = profile.systems
    for k, kind in enumerate(profile.kinds):
        for system, place in np.argwhere(profile.edits[:, :, k]).tolist():
            name, number = names[system], int(profile.edits[system, place, k])
            yield Finding(name, place, "differences", kind, text=texts[name][place], value=number)


PRODUCER = Producer(
    name="differences",
    title="Kinds of differences",
    kinds={
        kind: FindingKind(name=kind, meaning=meaning, needs=Needs.PROFILE, verdict=False)
        for kind, meaning in SENTENCES.items()
    },
    find=_findings,
    page=lambda subject: (x._replace(text="", value=None) for x in _findings(subject)),
)


def summary(profile: ErrorProfile) -> list[Part]:
    """Return the table of rates for the view of another result."""
    return [rate_table(profile), [line(ABOUT)]]


def pair_summary(profile: ErrorProfile, a: str, b: str) -> list[Part]:
    """Return kinds by two systems, with the p-value of their difference."""
    difference, _, p = difference_columns(itemgetter(1))
    columns = [
        Column("kind of difference", TEXT, itemgetter(0)),
        Column(a, SCORE, lambda row: row[1].a),
        Column(b, SCORE, lambda row: row[1].b),
        *(difference, p),
    ]
    rows = [*profile.compare(a, b).items()]
    return [Table(columns=columns, rows=rows, digits=RATE_DIGITS), [line(ABOUT)]]


def rate_table(profile: ErrorProfile) -> Table:
    """Return the rates of systems by kinds."""
    rates = {(row.system, row.kind): row.rate for row in profile.rates}

    def rate(kind: str) -> Column:
        return Column(kind, SCORE, lambda system: rates[system, kind], digits=RATE_DIGITS)

    columns = [Column("system", NAME, str), *map(rate, profile.kinds)]
    return Table(columns=columns, rows=profile.systems)


def _frequent_table(profile: ErrorProfile) -> Table:
    """Return the most frequent edits of each system and kind, in one line."""
    lists = zip(profile.systems, _frequent_lists(profile, profile.systems), strict=True)
    rows = [
        (system, kind, edits)
        for system, of_system in lists
        for kind, edits in zip(EDIT_KINDS, of_system, strict=True)
        if edits
    ]
    columns = [
        Column("system", NAME, itemgetter(0)),
        Column("edits", TEXT, itemgetter(1)),
        Column("most frequent", TEXT, lambda row: ", ".join(row[2])),
    ]
    return Table(columns=columns, rows=rows)


def _segment_table(profile: ErrorProfile) -> Table:
    """Return the number of edits of each kind in each output."""
    names, systems = profile.names, profile.systems

    def rows() -> list[tuple[str, int, list[int]]]:
        counts = zip(systems, profile.edits.tolist(), strict=True)
        return [(system, i, row) for system, of in counts for i, row in enumerate(of)]

    def edits(k: int) -> Column:
        return Column("", COUNT, lambda row: row[2][k], profile.kinds[k])

    columns = [
        Column("", NAME, itemgetter(0), "system"),
        *segment_columns(lambda row: names[row[1]], itemgetter(1), profile.index, heading=""),
        *map(edits, range(len(profile.kinds))),
    ]
    return Table(name="segment", columns=columns, rows=rows, on_request=True)


def page_data(profile: ErrorProfile, systems: list[str]) -> JsonObject:
    """Return the profile as data for the script of a page.

    `errors` has the kinds, and for each system and kind count, rate, low and high. `pairs` has for
    systems 0 and 1, 0 and 2, … 1 and 2, …, and each kind, p as text, whether it is significant, and
    the interval of the difference. `frequent` has for each system and kind of edits the most
    frequent ones, if there is an error rate.
    """
    rows = {
        (row.system, row.kind): [row.count, *(round(x, 4) for x in (row.rate, row.low, row.high))]
        for row in profile.rates
    }
    kinds = profile.kinds
    return {
        "errors": {
            "kinds": list(kinds),
            "rates": [[rows[name, kind] for kind in kinds] for name in systems],
            "pairs": [
                [
                    [x.p_text, x.significant, *(round(end, 4) for end in x.interval or ())]
                    for x in profile.compare(a, b).values()
                ]
                for a, b in combinations(systems, 2)
            ],
            **({"frequent": _frequent_lists(profile, systems)} if profile.frequent else {}),
        }
    }


def _frequent_lists(profile: ErrorProfile, systems: Sequence[str]) -> list[list[list[str]]]:
    grouped = groupby(profile.frequent, attrgetter("system", "kind"))
    texts = {key: [edit.text for edit in edits] for key, edits in grouped}
    return [[texts.get((name, kind), []) for kind in EDIT_KINDS] for name in systems]
