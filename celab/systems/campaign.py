"""A campaign: a corpus, its scores by metrics, and comparisons of its systems."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from celab.base import io
from celab.base.arguments import check_list, check_number, check_path
from celab.base.arrays import Bools
from celab.base.errors import (
    TIME_LIMIT_HINT,
    InputError,
    OptionError,
    SentenceError,
    SolverError,
    suggest,
)
from celab.base.languages import language_code
from celab.base.messages import warn
from celab.base.options import LIMITS, Limits
from celab.base.run import Progress, split
from celab.base.signature import Signature
from celab.base.text.sequences import Refs
from celab.corpus import Corpus, Segment, read
from celab.corpus.answers.forms import VERSION
from celab.corpus.join import blank_line_error, blank_rows
from celab.corpus.model import SegmentName
from celab.corpus.selection import Selection
from celab.findings.finding import Findings, Subject, produce
from celab.findings.references import check_references, select_copies
from celab.findings.references.shifts import shift_warnings
from celab.findings.translations import screening
from celab.findings.translations.outputs import Outputs
from celab.lexicon.catalog import LexiconSpec
from celab.metrics.base import Metric, are_error_rates
from celab.metrics.celab import TeslaCelab
from celab.metrics.factory import MetricSpec, make_metrics
from celab.metrics.judge_score import has_judge_scores
from celab.metrics.registry import RECOMMENDED
from celab.metrics.scores import Score
from celab.statistics import resampling
from celab.statistics.documents import ResampleBy
from celab.systems.reported import ReportedScores
from celab.systems.results import Comparison, compare
from celab.tables.cells import quantity
from celab.tables.result import DataFrame, Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    # Only the methods that return them load them.
    from celab.corpus.frames import Frame
    from celab.findings.differences import ErrorProfile
    from celab.metrics.explaining.explanation import SegmentExplanation
    from celab.people.reading import JudgeSpec
    from celab.systems.pair import PairComparison
    from celab.terminology.glossary import GlossarySpec
    from celab.terminology.results import TermPlace, TermUses

__all__ = [
    "Campaign",
    "Comparison",
    "compare",
]


@dataclass(frozen=True, repr=False)
class Campaign(ReportedScores):
    """Systems with references, and, step by step, their scores, tests and reports.

    `read` gives a campaign without scores, `score` one with scores, `test` one with comparisons; a
    campaign itself never changes. `scores[metric][system]` is a `Score`, `comparisons[metric]` a
    `Comparison` of all systems, and `outputs` has the outputs that may not be translations.

    >>> from celab import Campaign
    >>> from celab.corpus import Corpus, Segment
    >>> systems = {"good": ["买雨伞"], "bad": ["卖"]}
    >>> refs = {"refs": [["买伞"]], "ref_names": ["ref"]}
    >>> texts = Corpus(segments=[Segment("", "1")], systems=systems, **refs)
    >>> Campaign(texts).score("celab").scores["celab"]["good"].score
    1.0
    """

    corpus: Corpus
    metrics: Mapping[str, Metric] = field(default_factory=dict, compare=False)
    lang: str | None = None  # language of the translations
    # Uses of the terms of a glossary, after `add_terms`.
    term_uses: TermUses | None = field(default=None, compare=False, repr=False)
    _omitted: ClassVar = frozenset({"metrics", "term_uses"})

    def __post_init__(self) -> None:
        if not isinstance(self.corpus, Corpus):
            raise InputError(
                f"corpus is of type {type(self.corpus).__name__}; make a campaign by"
                " Campaign.from_lists(systems, refs), or by Campaign.read(refs, systems) from files"
            )

    @classmethod
    def from_lists(
        cls,
        systems: Mapping[str, Sequence[str]],
        refs: Refs | Sequence[str | None],
        *,
        source: Sequence[str] | None = None,
        align: bool = False,
        unwrap: bool = False,
    ) -> Campaign:
        """Return a campaign of texts in lists, or in arrays.

        Parameters:
            systems: a list of translations for each system, by name.
            refs: a list of segments for each reference, or the list itself if there is one
                reference. A segment that is empty or None is absent, so segments may have
                different numbers of references; each needs at least one.
            source: the source of each segment.
            align: whether the systems are texts, or lists of lines, whose lines are not the
                references' lines; `celab.align` cuts them.
            unwrap: take the translations inside the outputs (`celab.unwrap`).

        >>> from celab import Campaign
        >>> systems = {"A": ["买伞", "去"], "B": ["卖", "去北京"]}
        >>> refs = [["买雨伞", "去北京"], [None, "到北京去"]]
        >>> campaign = Campaign.from_lists(systems, refs).score("celab")
        >>> sorted(campaign.scores["celab"])
        ['A', 'B']
        """
        from celab.corpus.frames import corpus_of_lists

        return cls(corpus_of_lists(systems, refs, source, align=align, unwrap=unwrap))

    @classmethod
    def from_dataframe(
        cls,
        frame: Frame,
        systems: str | Sequence[str] = "hypothesis",
        references: str | Sequence[str] = "reference",
        *,
        source: str | None = None,
        document: str | None = None,
    ) -> Campaign:
        """Return a campaign of the columns of a data frame, with a row for each segment.

        Parameters:
            frame: a `pandas.DataFrame`, a `polars.DataFrame` or a `datasets.Dataset`.
            systems: names of the columns with translations, which are the names of the systems.
            references: names of the columns with references. An absent value is an absent
                reference; a list has several. `translation.zh` is a field of a column.
            source: name of the column with the source.
            document: name of the column with the documents.

        >>> import celab, pandas
        >>> table = {"ref": ["买雨伞", "去北京"], "A": ["买伞", "去"], "B": ["卖", "去北京"]}
        >>> campaign = celab.Campaign.from_dataframe(pandas.DataFrame(table), ["A", "B"], "ref")
        >>> sorted(campaign.score("celab").scores["celab"])
        ['A', 'B']
        """
        from celab.corpus.frames import corpus_of_frame

        return cls(corpus_of_frame(frame, systems, references, source, document))

    @classmethod
    def read(
        cls,
        refs: io.AnyPath | Sequence[io.AnyPath],
        systems: io.AnyPath | Sequence[io.AnyPath] = (),
        **settings: Any,
    ) -> Campaign:
        """Read a campaign from files: one per reference or system, or one that has them all.

        Parameters:
            refs: paths of references.
            systems: paths of systems' translations.
            settings: see `celab.corpus.read`: source, format, encoding, missing, skip_missing,
                fields, sheet, no_header, only_refs, only_systems, names, documents, test_set,
                language_pair, align, text_documents, unwrap, lang.

        A system is named by its file without folder and suffix, such as GPT-4.
        """
        # Speech has silence: the metrics decide whether a line may be blank in all references.
        is_skipped = settings.get("skip_missing") or settings.get("missing") == "skip"
        return cls(read(refs, systems, **{"blank_refs": not is_skipped, **settings}))

    def score(
        self,
        metrics: MetricSpec = ("celab",),
        *,
        lang: str | None = None,
        lexicon: LexiconSpec = "default",
        progress: Progress | None = None,
        check: bool = True,
        **settings: object,
    ) -> Campaign:
        """Return the campaign with scores of every system by every metric.

        Scores of other judges stay (`with_scores`). An error names the file and the line.

        Parameters:
            metrics: names of metrics, metrics, or a dict of them.
            lang: target language, for the metrics that are given by name (default: that of the
                first metric, or Chinese).
            lexicon: lexicon of the metrics that are given by name.
            progress: callback, called with (done, total), which count segments of all systems by
                all metrics.
            check: look for outputs that may not be translations, and for copies in references
                (`outputs`); no score depends on it.
            settings: jobs, solver, time_limit, on_error, for metrics that are given by name.
        """
        # Commands pass the metrics of the campaign, which are made before its texts are read.
        by_name: Mapping[str, Metric] = self.metrics
        if not by_name or metrics is not by_name:
            by_name = make_metrics(metrics, lang=lang, lexicon=lexicon, **settings)
        corpus = self.corpus
        scores: dict[str, dict[str, Score]] = {}
        _check_lines(corpus, by_name)
        # Metrics get the names of files, because their errors must name what the user can open.
        by_file = {corpus.file_of(system): system for system in corpus.systems}
        if len(by_file) < len(corpus.systems):  # the same file twice
            by_file = {system: system for system in corpus.systems}
        sides = {file: corpus.systems[system] for file, system in by_file.items()}
        # The slowest metric comes last, so that errors of others are reported early.
        times = {
            name: metric.estimate_seconds(corpus.refs, len(sides))
            for name, metric in by_name.items()
        }
        total = len(by_name) * len(sides) * len(corpus.segments)
        shares = iter(split(progress, total, [1] * len(by_name)))
        for name in sorted(by_name, key=lambda name: times[name]):
            metric = by_name[name]
            try:
                by_system = metric.corpus_scores(sides, corpus.refs, next(shares))
            except SentenceError as error:
                refs = corpus.ref_files or corpus.ref_names
                segment = corpus.segments[error.sentence - 1]
                is_document = segment.document and segment.id == segment.document
                line = f"document {segment.id}" if is_document else f"line {error.sentence}"
                file = refs[error.stream - 1] if error.stream else error.system
                raise InputError(error.message, place=f"{file}, {line}") from None
            scores[name] = {}
            for file, score in by_system.items():
                if not score.segments.scored.any():
                    raise SolverError(
                        f"no segment has a proved score by {name}, all were skipped",
                        place=file,
                        hint=TIME_LIMIT_HINT,
                    )
                system = by_file[file]
                signature = self._signature(system, score.signature)
                scores[name][system] = replace(score, signature=signature, index=corpus.index)
        scores = {name: scores[name] for name in by_name}
        scores |= self._judged(by_name)
        lang = language_code(lang) or next((x.language for x in by_name.values()), None)
        outputs = None
        if check and (corpus.refs or corpus.source is not None):
            copies = not are_error_rates(by_name.values())
            outputs = Outputs.of_corpus(corpus, lang, blank_refs=True, copies=copies)
        if outputs is not None and outputs.reference_problems.shifts:
            warn(*shift_warnings(outputs.reference_problems.shifts))
        return replace(
            self,
            scores=scores,
            comparisons={},
            intervals={},
            metrics=by_name,
            lang=lang,  # also used to find differences, terms and copies
            outputs=outputs,
        )

    def without_copies(self, *, lang: str | None = None) -> Campaign:
        """Return the campaign without the segments in which a reference is a copy of an output.

        They are dropped for all systems, and signatures of scores have their number and digest.
        Scores are dropped, too: call `score` again.

        Parameters:
            lang: target language (default: the one that the campaign was scored with).

        >>> from celab import Campaign
        >>> Campaign.from_lists({"A": ["买伞", "去"]}, ["买雨伞", "去北京"]).without_copies()
        <Campaign: 1 system, 2 segments, 1 reference; not scored>
        """
        problems = check_references(self.corpus, language_code(lang) or self.lang)
        return self.without(select_copies(problems, len(self.corpus.segments)))

    def without(self, selection: Selection) -> Campaign:
        """Return the campaign without the segments of a selection, and without its scores."""
        return Campaign(selection.apply(self.corpus), lang=self.lang)

    def _judged(self, names: Collection[str]) -> dict[str, dict[str, Score]]:
        """Return the scores of other judges; `OptionError` if one of them has one of the names."""
        if not self.scores:
            return {}

        judged = {
            name: by_system
            for name, by_system in self.scores.items()
            if name not in self.metrics and has_judge_scores(by_system)
        }
        if twice := [name for name in judged if name in names]:
            raise OptionError(f"there are scores by {twice[0]} already; give them another name")
        return judged

    def with_scores(
        self,
        scores: Mapping[str, JudgeSpec],
        *,
        lower_is_better: Collection[str] = (),
        count_from: int | None = None,
        limits: Limits = LIMITS,
    ) -> Campaign:
        """Return a copy with scores of other judges, such as COMET or people, beside those it has.

        They get the same intervals and tests: call `test` or `bootstrap` afterwards. A system or a
        segment without a score is absent; a judge with scores of systems only is not tested.

        Parameters:
            scores: for each judge a file (docs/judges.md has the formats), a folder with a file for
                each system, or a dict that has a score, or a list with a score or None for each
                segment, for each system.
            lower_is_better: names of judges whose lower scores are better; detected in MetricX
                files.
            count_from: number of the first segment, 0 or 1, in tables from which it cannot be
                detected (default: auto-detect).
            limits: greatest lengths of a line and a file.

        >>> from celab import Campaign
        >>> campaign = Campaign.from_lists({"A": ["买伞"], "B": ["买雨伞"]}, ["买雨伞"])
        >>> with_comet = campaign.score("celab").with_scores({"COMET": {"A": [0.9], "B": [0.8]}})
        >>> with_comet.scores["COMET"]["A"].score
        0.9
        """
        from celab.people.reading import judge_scores  # most campaigns have none

        judged: dict[str, dict[str, Score]] = {
            name: {**by_system}
            for name, by_system in judge_scores(
                scores,
                self.corpus,
                lower_is_better=lower_is_better,
                limits=limits,
                count_from=count_from,
            ).items()
        }
        titles = {next(iter(known.values())).name for known in self.scores.values()}
        for name in judged:
            if name in self.scores or name in titles:
                raise OptionError(f"there are scores by {name} already; give them another name")
        return replace(self, scores=self.scores | judged, comparisons={}, intervals={})

    def with_spans(
        self,
        path: io.AnyPath,
        *,
        segments: Sequence[int | str] | None = None,
        count_from: int | None = None,
        limits: Limits = LIMITS,
    ) -> Campaign:
        """Return a copy with `spans`, the errors that people marked and the first metric saw.

        Parameters:
            path: a file of error spans; docs/judges.md has the formats.
            segments: names of the segments to read, as in `explain` (default: all).
            count_from: as in `with_scores`.
            limits: greatest lengths of a line and a file.
        """
        from celab.people.error_spans import read_spans, seen_spans

        check_path("path", path)
        if segments is not None:
            check_list("segments", segments)
        if not self.metrics:
            raise InputError("the campaign has no scores; call its score() first")
        judgments = read_spans(path, self.corpus, limits, count_from)
        n_segments = None
        if segments is not None:
            places = {self._place_of(name) for name in segments}
            judgments = [judgment for judgment in judgments if judgment.segment in places]
            n_segments = len(places)
        file, metrics = io.display_name(path), dict(self.metrics)
        return replace(self, spans=seen_spans(judgments, file, self.corpus, metrics, n_segments))

    def _signature(self, system: str, signature: Signature) -> Signature:
        # Signatures say if outputs were aligned or unwrapped, or segments left out.
        if self.corpus.unwrapped is not None:
            signature = signature.with_part("unwrap", VERSION)
        if self.corpus.missing_as:
            signature = signature.with_part("missing", self.corpus.missing_as)
        for name, dropped in self.corpus.dropped.items():
            signature = signature.with_part(name, dropped)
        if system in self.corpus.alignments:
            signature = self.corpus.alignments[system].sign(signature)
        return signature.with_part("codes", "out") if self.corpus.codes.are_out else signature

    def _explained(self, system: str, explanation: SegmentExplanation) -> SegmentExplanation:
        against = tuple(
            replace(part, signature=self._signature(system, part.signature))
            for part in explanation.against
        )
        return replace(explanation, against=against)

    def add_terms(
        self, glossary: GlossarySpec, *, lang: str | None = None, source_lang: str | None = None
    ) -> Campaign:
        """Return a copy with the accuracy of terms beside the scores; `celab.terms` has details.

        Tests and intervals are dropped: call `test` or `bootstrap` again.

        Parameters:
            glossary: a path, or a dict of target terms by source term.
            lang: target language (default: the one that the campaign was scored with).
            source_lang: source language (default: detected).

        >>> from celab import Campaign
        >>> campaign = Campaign.from_lists({"A": ["买伞"], "B": ["买雨伞"]}, ["买雨伞"])
        >>> with_terms = campaign.score("celab").add_terms({"umbrella": "雨伞"})
        >>> with_terms.scores["terms"]["A"].score
        0.0
        """
        # Most campaigns have no glossary.
        from celab.findings.glossary_terms import TERMS
        from celab.terminology.api import check_terms

        self._check_scored()
        check = check_terms(
            glossary,
            self.corpus,
            lang=language_code(lang) or self.lang,
            source_lang=source_lang,
            metrics=[*self.metrics.values()],
        )
        accuracies: dict[str, Score] = {
            name: check.score(uses) for name, uses in check.systems.items()
        }
        scores = self.scores | {TERMS: accuracies}
        return replace(
            self,
            scores=scores,
            comparisons={},
            intervals={},
            term_uses=check.uses(),
        )

    @property
    def index(self) -> Sequence[Any] | None:
        """Labels of the segments, if the texts come from a data frame, else None."""
        return self.corpus.index

    @property
    def system_names(self) -> Sequence[str]:
        """Names of the systems, in the order of their files."""
        return tuple(self.corpus.systems)

    @property
    def lengths(self) -> screening.Lengths:
        """Lengths of outputs and references."""
        corpus = self.corpus
        return screening.Lengths.of_texts(corpus.systems, corpus.refs, corpus.count_traits)

    def length_lines(self) -> list[str]:
        """Return lines about systems whose outputs are long or short.

        More than two such systems share a line.
        """
        lengths = self.lengths
        totals = {name: lengths.totals(name) for name in lengths.systems}
        ratios = {name: n / n_refs if n_refs else 0.0 for name, (n, n_refs) in totals.items()}
        lines = {}
        for system in ratios:
            others = [ratios[other] for other in ratios if other != system]
            if line := screening.length_line(system, totals[system], others):
                lines[system] = line
        if len(lines) > screening.MAX_LENGTH_REMARKS:
            return [screening.shared_length_line({system: ratios[system] for system in lines})]
        return [
            line + (self._length_limit_hint() if ratios[system] > 1 else "")
            for system, line in lines.items()
        ]

    def _length_limit_hint(self) -> str:
        """Return the option that lowers scores of long outputs, if a metric has none so far."""
        for metric in self.metrics.values():
            if isinstance(metric, TeslaCelab) and metric.length_limit is None:
                (view, *_) = RECOMMENDED.get(metric.language or "", RECOMMENDED["zh"])
                return f"; --length-limit {view['length_limit']} lowers the scores of long outputs"
        return ""

    @property
    def segments(self) -> Sequence[Segment]:
        """Documents and ids of the segments."""
        return self.corpus.segments

    @property
    def known_metrics(self) -> Mapping[str, Metric]:
        """Metrics of the scores, by name."""
        return self.metrics

    @property
    def telling(self) -> Bools | None:
        """Mask of the segments with a long enough reference (`are_telling`).

        None without references.
        """
        # Only pages and comparisons with people ask, not a plain score.
        from celab.systems.segment_order import are_telling

        return are_telling(self.corpus.refs) if self.corpus.refs else None

    @property
    def n_left_out(self) -> int:
        """Number of segments that were not scored because not all files have them."""
        return self.corpus.n_left_out

    def compare(
        self, a: str, b: str, *, differences: bool = False, filters: bool = False, **settings: Any
    ) -> PairComparison:
        """Compare two systems by every metric that the campaign was scored with.

        Parameters:
            a, b: names of systems, or the paths of their files.
            differences, filters: as in `findings`.
            settings: documents, test, n_resamples, seed, resample_by, most_different, as in
                `celab.compare`.
        """
        from celab.systems.pair import compare_pair

        self._check_scored()
        names = self._find_system(a), self._find_system(b)
        if names[0] == names[1]:
            raise OptionError(f"system {names[0]!r} is given twice; give two different systems")
        scores = {
            metric: (by_system[names[0]], by_system[names[1]])
            for metric, by_system in self.scores.items()
            if names[0] in by_system and names[1] in by_system  # other judges may lack one
        }
        return compare_pair(
            scores,
            self.corpus,
            names,
            outputs=self.outputs,
            spans=self.spans,
            findings=self.findings(differences=differences, filters=filters),
            **settings,
        )

    @property
    def term_places(self) -> Sequence[TermPlace]:
        """Occurrences of the terms of a glossary, after `add_terms`."""
        return () if self.term_uses is None else self.term_uses.places

    @property
    def subject(self) -> Subject:
        """Input of the producers of findings, without differences."""
        lang = "zh" if self.outputs is None else self.outputs.lang
        return Subject(corpus=self.corpus, lang=lang, glossary=self.term_uses, spans=self.spans)

    def findings(self, *, differences: bool = False, filters: bool = False) -> Findings:
        """Return the findings about outputs, of all producers.

        Findings about texts alone need checked outputs, terms need `add_terms`, and errors that
        people have marked need `with_spans`.

        Parameters:
            differences: whether differences from the reference are findings, too.
            filters: look for kinds that are not verdicts, too, such as lost numbers.

        >>> from celab import Campaign
        >>> scored = Campaign.from_lists({"A": ["", "去"]}, ["买雨伞", "去"]).score("chrf")
        >>> scored.findings().to_dict()["finding"][0]["kind"]
        'empty'
        """
        profile = self.error_profile() if differences else None
        subject = self.subject._replace(profile=profile, filters=filters)
        known = None if self.outputs is None or filters else self.outputs.table
        return produce(subject, known, of_texts=self.outputs is not None)

    def explain(
        self, segments: Sequence[int | str], *, unmatched: bool = False
    ) -> dict[str, dict[SegmentName, dict[str, SegmentExplanation]]]:
        """Return explanations of segments, by metric, segment and system.

        Parameters:
            segments: names of segments: their ids, or their numbers in the files, from 1.
            unmatched: whether to say why words are not matched (TESLA-CELAB).

        >>> from celab import Campaign
        >>> scored = Campaign.from_lists({"A": ["买雨伞"]}, ["买伞"]).score("celab")
        >>> scored.explain([1])["celab"][1]["A"]
        <SegmentExplanation 1.0000 against 1 reference>
        """
        if not self.metrics:
            raise InputError("the campaign has no scores; call its score() first")
        check_list("segments", segments)
        corpus = self.corpus
        places = {name: self._place_of(name) for name in segments}
        explanations: dict[str, dict[SegmentName, dict[str, SegmentExplanation]]] = {}
        for name, metric in self.metrics.items():
            scorer = metric.scorer(corpus.refs)
            explanations[name] = {
                segment: {
                    system: self._explained(
                        system,
                        scorer.explain(
                            hyps[place], [side[place] for side in corpus.refs], unmatched=unmatched
                        ),
                    )
                    for system, hyps in corpus.systems.items()
                }
                for segment, place in places.items()
            }
        return explanations

    def _place_of(self, segment: SegmentName) -> int:
        place = self.corpus.place_of(str(segment))
        if place is None:
            raise OptionError(f"no segment {segment}; there are {len(self.corpus.segments)}")
        return place

    def error_profile(
        self,
        *,
        lang: str | None = None,
        n_resamples: int = resampling.N_RESAMPLES,
        seed: int = resampling.SEED,
        resample_by: ResampleBy = "segment",
    ) -> ErrorProfile:
        """Return the profile of edits between outputs and reference, by system and kind.

        Systems are in the order of the first metric if the campaign was tested.

        Parameters:
            lang: target language (default: the one that the campaign was scored with, or Chinese).
            n_resamples, seed, resample_by: of the intervals and p-values, as in `test`.
        """
        from celab.findings.differences import error_profile

        compared = next(iter(self.comparisons.values()), None)
        return error_profile(
            self.corpus,
            language_code(lang) or self.lang or "zh",
            self.term_places,
            systems=None if compared is None else compared.systems,
            error_rate=next((x for x in self.metrics.values() if x.explained_by == "edits"), None),
            n_resamples=n_resamples,
            seed=seed,
            resample_by=resample_by,
        )

    def html(
        self,
        path: io.AnyPath | None = None,
        *,
        explained: int | None = None,
        lang: str | None = None,
        progress: Progress | None = None,
        jobs: int = 1,
        flags: Mapping[str, Sequence[str]] | None = None,
        report_lang: str = "en",
        command: str | None = None,
    ) -> str:
        """Return or write the report as one HTML page; see `celab.report.html.campaign_page`.

        Parameters:
            path: file to write, atomically; without it the page itself is returned. A file that
                exists is replaced, unless the campaign was read from it.
            explained: maximum number of outputs to explain, for all metrics together.
            lang: language of the translations (default: the one they were scored with).
            progress: callback, called with (done, total), which count explanations.
            jobs: number of processes that make the explanations.
            flags: for each metric, options of `celab explain` that repeat its settings.
            report_lang: language of the report itself, `en` or `zh`; its reader can change it.
            command: the command that makes the report again, which its last section shows.

        Returns the path, or the page.
        """
        from celab.report.html import campaign_page
        from celab.systems.external_scores import page_data as judges_data
        from celab.systems.external_scores import rankings_by_metric
        from celab.systems.verdict import verdict_of

        self._check_scored()
        if path is not None:
            check_path("path", path)
            io.check_no_input(path, self.corpus.files)
        check_number("jobs", jobs, least=1, whole=True)
        if self.n_skipped:
            raise SolverError(
                f"{self.n_skipped} segment scores are not proved, but the report needs them",
                hint=TIME_LIMIT_HINT,
            )
        settings = {} if explained is None else {"explained": explained}
        campaign = self._by_metrics()
        page = campaign_page(
            campaign,
            metrics=campaign.metrics,
            lang=lang or self.lang or "zh",
            progress=progress,
            jobs=jobs,
            flags=flags,
            report_lang=report_lang,
            judged=judges_data(self),
            rankings=rankings_by_metric(self),
            verdicts={name: verdict_of(self, name) for name in campaign.scores},
            command=command,
            **settings,
        )
        return io.write_or_return(path, page)

    def _by_metrics(self) -> Campaign:
        """Return a copy with scores of celab's metrics only; terms have their own page."""
        judged = self._judged_by_metrics()
        kept: list[dict[str, Any]] = [
            {k: v for k, v in figures.items() if k in self.metrics and k not in judged}
            for figures in (self.scores, self.comparisons, self.intervals)
        ]
        if not kept[0]:
            raise InputError("a report needs a metric of celab; score the campaign with one, too")
        metrics = {name: self.metrics[name] for name in kept[0]}
        return replace(
            self, scores=kept[0], comparisons=kept[1], intervals=kept[2], metrics=metrics
        )

    def _judged_by_metrics(self) -> dict[str, Mapping[str, Score]]:
        """Return scores of external metric objects, which the page lists among the judges."""
        return {
            name: by_system
            for name, by_system in self.scores.items()
            if has_judge_scores(by_system)
        }

    def to_dataframe(self, library: str | None = None, *, level: str | None = None) -> DataFrame:
        """Return a data frame with a row per metric and segment of each system, or per system.

        Segments have the columns metric, system, document (if there are any), index (from 0, or
        of the data frame of the texts), segment (its name), score, precision, recall, output (the
        kind of an output that is not a translation), and length_ratio (output to reference).
        Systems have the columns of `--details` in TSV.

        Parameters:
            library: "pandas" or "polars" (default: the one that is installed, pandas first).
            level: "segment" (default), "document" or "system".
        """
        self._check_scored()
        return Result.to_dataframe(self, library, level=level or "segment")

    def plot(self, metric: str | None = None, ax: Axes | None = None) -> Axes:
        """Draw the systems, with their 95% intervals if they were tested, by matplotlib.

        Parameters:
            metric: the metric to draw (default: the first).
            ax: axes to draw on (default: new ones).

        Returns the axes.
        """
        from celab.report.plots import plot_campaign

        self._check_scored()
        return plot_campaign(self, metric, ax)

    def _find_system(self, name: str) -> str:
        for system in self.corpus.systems:
            if name in (system, self.corpus.file_of(system)):
                return system
        raise OptionError("system", name, suggest(name, self.corpus.systems))

    def __repr__(self) -> str:
        n_systems, n_segments = len(self.corpus.systems), len(self.corpus.segments)
        steps = f"scored by {', '.join(self.scores)}" if self.scores else "not scored"
        if self.comparisons:
            steps += ", tested"
        return (
            f"<Campaign: {quantity(n_systems, 'system')}, {quantity(n_segments)},"
            f" {quantity(len(self.corpus.refs), 'reference')}; {steps}>"
        )


def _check_lines(corpus: Corpus, metrics: Mapping[str, Metric]) -> None:
    """Raise if a line is blank in all references, unless it is silence in speech."""
    may_be_blank = not corpus.by_line or are_error_rates(metrics.values())
    if not may_be_blank and (blank := blank_rows(corpus.refs)):
        raise blank_line_error(f"line {blank[0] + 1}", corpus.ref_files)
