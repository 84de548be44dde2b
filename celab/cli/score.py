"""`celab score`: references and systems → scores, and how the systems compare.

In this order: `ScoreRequest` has all that can be asked; its `rules` say what is short for what,
what excludes what and what needs what; a list for each way to score has the options that it takes;
and `main` reads, scores and reports. Nothing is written before all of it has succeeded, unless
segments are scored in batches.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from celab.base.errors import OptionError
from celab.base.messages import finding, note, warn
from celab.base.options import Limits, option, part
from celab.cli import inputs, outputs, progress
from celab.cli.arguments import Advice
from celab.cli.command import CampaignRequest, command
from celab.cli.flags import number
from celab.cli.groups import (
    Engine,
    FigureOutput,
    FindingGate,
    Judges,
    Report,
    Slow,
    Terms,
    Tests,
    TextsOrWords,
    taken_with_text,
    text_rules,
    texts_part,
)
from celab.cli.metrics import Metrics, metrics_part
from celab.cli.rules import (
    Rule,
    conflict,
    first_given,
    listed,
    means,
    needs,
    not_taken,
    refuse,
    takes,
    value,
)
from celab.cli.terminal import Outcome
from celab.evaluation.references import check_references, dropped_lines
from celab.evaluation.systems.campaign import Campaign
from celab.evaluation.systems.scored import Scored
from celab.evaluation.tables import Gate, join_gates
from celab.metrics.base import Metric, are_error_rates
from celab.tables.view import RENDERERS, TABLES, Detail, View, ViewOptions

if TYPE_CHECKING:
    # Only --error-profile and --details load it.
    from celab.evaluation.errors import ErrorProfile

AnyScored = TypeVar("AnyScored", bound=Scored)


LEVELS = ("system", "document", "segment")
_FORMATS = ("text", "json", *reversed(TABLES))


@dataclass(frozen=True, kw_only=True)
class ScoreRequest(CampaignRequest):
    """Request of `celab score`."""

    heading = "Output"

    texts: TextsOrWords = texts_part(TextsOrWords)
    level: str = option(
        "system",
        "level to report (default: system); the score of a document is that of its segments as a"
        " test set of their own: their mean, or of BLEU, chrF and TER their pooled counts",
        choices=LEVELS,
    )
    segments: bool = option(
        False,
        "TSV table of the segments; same as --level segment; the scores of the systems follow on"
        " standard error",
    )
    output: FigureOutput = part(
        FigureOutput,
        json="JSON, with all digits; with --segments, segment scores too",
        tables="tables as {}",
        output="output file, written atomically; with --engine dask, a folder for Parquet files",
        quiet="suppress status messages, scores after --segments and progress; warnings are still"
        " shown",
    )
    label: tuple[str, ...] = option(
        (),
        "label that --json keeps, for celab board: set, version, lang and report (a link to an HTML"
        " report) are known",
        metavar="NAME=VALUE",
        repeats=True,
        file="none",
    )
    printed_as: str | None = option(
        None, f"output format: {', '.join(_FORMATS)}", flags="-f", metavar="NAME", choices=_FORMATS
    )
    brief: bool = option(
        False,
        "only the score",
        flags="-b --brief --score-only",
    )
    details: bool = option(
        False,
        "a table per metric; with intervals, P, R, ranks and p-values, and kinds of differences",
    )
    error_profile: bool = option(
        False,
        "add differences from the reference, by kind: omitted, replaced, added and others",
    )
    report: Report = part(
        Report,
        no_check="do not look for outputs that are not translations, nor for copies in references;"
        " without it, lines on standard error tell of them",
    )
    without_copies: bool = option(
        False,
        "drop segments in which a reference is a copy of a system's output, for all systems",
    )
    tests: Tests = part(
        Tests,
        test="significance test of all pairs of systems (default: bootstrap)",
        resamples="number of bootstrap resamples",
    )
    no_interval: bool = option(
        False,
        "neither 95% intervals nor significance tests; nothing is resampled",
        group="Intervals and tests",
    )
    # sacreBLEU's, which change nothing here: no text is refused because it looks tokenized, and
    # intervals are shown anyway. Without a help text, an option is not in the help.
    force: bool = option(False, "")
    sentence_level: bool = option(False, "", flags="--sentence-level -sl")
    confidence: bool = option(False, "", flags="--confidence -ci")
    fail_under: float | None = option(
        None,
        "exit code 1 if a system scores less by the first metric",
        metavar="SCORE",
        convert=number,
        group="Gate",
    )
    gate: FindingGate = part(FindingGate)
    terms: Terms = part(Terms)
    judges: Judges = part(Judges)
    limits: Limits = part(Limits)
    engine: Engine = part(Engine)
    time: Slow = part(Slow)
    metrics: Metrics = metrics_part()

    @staticmethod
    def rules(r: ScoreRequest) -> Iterator[Rule]:
        """Yield what is short for what, what excludes what, and what needs what."""
        yield means(r.sentence_level, r.segments)
        yield means(r.segments, value(r.level, "segment"))
        yield means(value(r.printed_as, "json"), r.output.json)
        for name in TABLES:
            yield means(value(r.printed_as, name), value(r.output.tables, name))
        # Tables, twice: there is one flag for each format, and one of them can be given.
        yield conflict(r.output.tables, r.brief, r.output.json, r.output.tables)
        yield conflict(r.brief, r.output.json, r.segments, r.tests.test)
        yield conflict(r.brief, value(r.level, "document", "segment"))
        yield conflict(value(r.printed_as, "text"), r.output.json, r.output.tables)
        yield conflict(r.details, r.brief, r.output.json, r.segments)
        yield conflict(r.error_profile, r.brief, r.segments, r.fail_under)
        yield conflict(
            value(r.level, "document", "segment"),
            r.details,
            r.error_profile,
            because="tables of details and of differences are of systems",
        )
        yield needs(r.label, r.output.json)
        yield refuse(_wrong_label)
        yield needs(r.report.report_lang, r.report.html)
        yield needs(r.report.explained, r.report.html)
        judges = (r.judges.scores, r.judges.human, r.judges.spans)
        yield conflict(r.without_copies, r.report.no_check, *judges)
        yield conflict(r.no_interval, r.tests.test, r.confidence)
        yield conflict(r.gate.fail_on, r.report.no_check)
        yield needs(r.judges.count_from, *judges)
        yield needs(r.terms.source_lang, r.terms.terms)
        yield refuse(_hidden_spans)
        yield from text_rules(r.texts)
        dask = value(r.engine.engine, "dask")
        yield needs(r.engine.scheduler, dask)
        yield needs(r.engine.partition_size, dask)
        yield conflict(
            dask,
            r.segments,
            value(r.level, "document", "segment"),
            because="Dask shows systems, and writes segments to --output",
        )
        yield takes(dask, *_taken_by_dask(r))
        yield takes(r.texts.text, *_taken_with_text(r), because="no file is read")

    @property
    def output_format(self) -> str:
        """Format of `--output`, or of what is printed."""
        is_table = self.level != "system"
        has_format = self.output.json or self.output.tables
        return "tsv" if is_table and not has_format else self.output.format

    @property
    def labels(self) -> dict[str, str]:
        """The labels of the results, by name."""
        return {name: value for name, _, value in (text.partition("=") for text in self.label)}

    @property
    def output_files(self) -> dict[str, str]:
        """The files that the command writes, by flag; with Dask, `--output` is a new folder."""
        paths = super().output_files
        if self.engine.engine == "dask":
            paths.pop("--output", None)
        return paths


# What a way to score takes, option by option. Rules refuse all others, and segments are scored in
# batches only if there are no others. The metrics say which of their options they take.


def _taken_by_dask(r: ScoreRequest) -> Iterable[object]:
    """Yield the options that `--engine dask` takes: workers read files without making a corpus."""
    yield from (r.texts.files, r.texts.references, r.texts.systems, r.texts.language_pair)
    yield from (value(r.texts.format, "plain"), r.texts.names)
    yield from (r.texts.fields.ref, r.texts.fields.hyp)  # columns of Parquet
    yield from (r.texts.fields.document, r.texts.fields.id)
    yield from (r.engine.engine, r.engine.scheduler, r.engine.partition_size)
    yield from (r.level, r.brief, r.details, r.label, r.printed_as)
    yield from (r.output.json, r.output.tables, r.output.digits, r.output.output, r.output.quiet)
    yield from (r.report.no_check, r.fail_under)
    yield from (r.tests.test, r.tests.resamples, r.tests.seed, r.no_interval)
    yield from (r.force, r.confidence)
    yield from (r.limits.max_line, r.limits.max_file, r.time.slow)
    yield r.metrics


def _taken_with_text(r: ScoreRequest) -> Iterable[object]:
    """Yield the options that `--text` takes: no file of texts is read."""
    yield from taken_with_text(r.texts)
    yield from (value(r.level, "segment"), r.segments, r.brief, r.details, r.error_profile)
    yield from (r.label, r.printed_as)
    yield from (r.output.json, r.output.tables, r.output.digits)
    yield from (r.output.output, r.output.overwrite, r.output.quiet)
    yield from (r.report.html, r.report.explained, r.report.report_lang)
    yield from (r.report.no_check, r.without_copies)
    yield from (r.tests.test, r.tests.resamples, r.tests.seed, r.no_interval)
    yield from (r.force, r.sentence_level, r.confidence)
    yield from (r.fail_under, r.gate.fail_on)
    yield from (r.terms.terms, r.terms.source_lang)
    yield from (r.judges.scores, r.judges.lower_is_better, r.judges.human, r.judges.spans)
    yield from (r.judges.count_from, r.limits.max_line, r.limits.max_file, r.time.slow)
    yield r.metrics


def _taken_in_batches(r: ScoreRequest) -> Iterable[object]:
    """Yield the options with which segments can be scored batch by batch, as they are read."""
    yield from (r.texts.files, r.texts.references, r.texts.systems, r.texts.language_pair)
    yield from (value(r.texts.format, "plain"), r.texts.encoding)
    yield from (value(r.level, "segment"), r.segments, r.sentence_level)
    yield from (value(r.output.tables, "tsv"), value(r.printed_as, "text", "tsv"))
    yield from (r.output.output, r.output.overwrite, r.output.digits, r.output.quiet)
    yield from (r.report.no_check, r.force, r.confidence)
    yield from (r.tests.test, r.tests.resamples, r.tests.seed, r.no_interval)
    yield from (r.limits.max_line, r.limits.max_file, r.time.slow)
    yield r.metrics


def _of_references(r: ScoreRequest) -> Iterable[object]:
    """Yield the options that need references, without which some metrics score."""
    yield from (r.report.html, r.error_profile, r.without_copies, r.gate.fail_on, r.judges.spans)


IN_BATCHES = listed(ScoreRequest, _taken_in_batches)
OF_REFERENCES = listed(ScoreRequest, _of_references)


def _wrong_label(request: ScoreRequest) -> str:
    """Return what is wrong with a label, or ""."""
    if not request.label:
        return ""
    from celab.evaluation.systems.stored import misspelt_label

    names = set()
    for text in request.label:
        name, _, of_name = text.partition("=")
        if not name or not of_name:
            return f"--label is {text!r}; it must be NAME=VALUE, such as version=v12"
        if re.search(r"[,;，、；]\s*\w+[=＝]", of_name):
            return (
                f"--label is {text!r}; give each label its own flag, as in --label set=news"
                " --label version=v12"
            )
        if known := misspelt_label(name):
            return (
                f"--label is {text!r}; did you mean {known}={of_name}? If not, choose a name that"
                f" is not so close to {known}"
            )
        if name in names:
            return f"--label gives {name} twice; each name must be given once"
        names.add(name)
    return ""


def _hidden_spans(request: ScoreRequest) -> str:
    """Return what is wrong if the errors of `--spans` would not be shown, or ""."""
    has_spans = request.level == "system" and not request.brief
    if request.judges.spans is None or has_spans or request.output.json or request.report.html:
        return ""
    return (
        "--spans is given, but the output has no error spans; add --json or --html, or leave out"
        " --brief, --segments and --level"
    )


def explain_line(words: Sequence[str]) -> str:
    """Return advice that has the `celab explain` line of a command line with `--explain N`.

    >>> explain_line(["-m", "chrf", "ref.zh", "my hyp.zh", "--explain", "2"])
    "use celab explain 2 -m chrf ref.zh 'my hyp.zh'"
    """
    place = next(i for i, word in enumerate(words) if word.partition("=")[0] == "--explain")
    before, after = words[:place], words[place + 1 :]
    segment = words[place].partition("=")[2] or "N"
    if segment == "N" and after and after[0].isdecimal():
        segment, *after = after
    segments = [] if "--text" in words else [segment]  # the texts are the only segment
    return "use " + shlex.join(["celab", "explain", *segments, *before, *after])


# Options of sacreBLEU that celab does not have, and what to use instead.
_SUBSET = "write that part of the test set to files, by sacrebleu --echo, and score them"
_REFUSED: dict[str, Advice] = {
    "--citation --cite": "README.md says what to cite",
    "--list": "sacrebleu --list shows the test sets; -t NAME -l PAIR uses one",
    "--download": "-t NAME -l PAIR downloads a test set, once",
    "--echo": "sacrebleu --echo writes test sets to files",
    "--origlang -ol": _SUBSET,
    "--subset": _SUBSET,
    "--num-refs -nr": "give a file for each reference, or name the columns: --format tsv"
    " --ref-fields 1,2 --hyp-fields 1",
    "--confidence-n -cin": "use --resamples N; the 95% interval is shown by default",
    "--paired-bs -pbs": "give all systems with -s; they are compared by paired bootstrap, and"
    " --details shows p-values; celab compare shows two systems",
    "--paired-bs-n -pbsn": "use --resamples N",
    "--paired-ar -par": "give all systems with -s, and --test randomization; --details shows"
    " p-values",
    "--paired-ar-n -parn": "use --test randomization --resamples N",
    "--paired-jobs -j": "use --jobs N",
    "--short -sh": "signatures have one form; -b prints only the score",
    "--detail -d": "use --details; --level document shows documents",
    "--no-color -nc": "celab score prints no colors; leave it out",
    "--explain": explain_line,
    "-V": "use --version",
}


@command(
    ScoreRequest,
    "score",
    program="celab-score",
    usage="[options] REF... HYP, or REF < HYP\n"
    "[options] -r REF... -s SYSTEM...\n"
    "[options] --text REF... HYP",
    common="-r -s -m --lang --profile --lexicon --segments --details -f --html -o",
    example="{0} -m celab chrf bleu -r ref.zh -s A.zh B.zh",
    description="Scores translations, into Chinese by default, and compares systems.",
    epilog="Text files have one segment per line, in UTF-8; .gz, .xz and .bz2 files are"
    " decompressed, and - is standard input. A line may be blank in some of the references, but"
    " not in all. NIST, IWSLT and CWMT SGML or XML, WMT XML and JSONL are auto-detected. A"
    " single file may hold references and systems.",
    refused=_REFUSED,
)
def main(request: ScoreRequest) -> Outcome:
    """Score all systems, and return what to print."""
    files = inputs.files_of(request, needs_refs=request.metrics.need_references)
    if _has_gate(request):
        outputs.check_gate(request)
    by_dask = request.engine.engine == "dask"
    metrics_by_name = request.metrics.make(used=["jobs"] if by_dask else ())
    if request.fail_under is not None:
        outputs.check_scale(request, "fail_under", request.fail_under, metrics_by_name)
    if len(files.refs) > inputs.MOST_REFERENCES:
        warn(*inputs.many_references(request, files.refs, files.systems))
    if by_dask:
        return _score_by_dask(request, metrics_by_name, files)
    in_batches = _score_in_batches(request, metrics_by_name, files)
    if in_batches is not None:
        return in_batches
    campaign = _score(request, metrics_by_name, files)
    gate = _gate(campaign, request) if _has_gate(request) else None
    gate = outputs.with_untested(gate, campaign.corpus)
    has_profile = request.error_profile or (request.details and bool(campaign.corpus.refs))
    profile = _profile(campaign, request) if has_profile else None
    report = _report(campaign, request, gate, profile)
    _tell(campaign, request)
    outputs.tell_read(request, campaign.corpus)
    text = outputs.write_with_page(request, report, campaign)
    return outputs.end(request, text, campaign.n_skipped, gate=gate, view=campaign.view)


def _has_gate(request: ScoreRequest) -> bool:
    """Return whether the exit code depends on scores or findings."""
    return request.fail_under is not None or bool(request.gate.fail_on)


def _score(
    request: ScoreRequest, metrics_by_name: Mapping[str, Metric], files: inputs.Files
) -> Campaign:
    """Read the texts, and return their scores with their tests or intervals."""
    check = not request.report.no_check
    quiet = request.output.quiet or inputs.is_typed(files)
    with progress.show(0, "reading", quiet=quiet) as bar:
        campaign = _read(request, metrics_by_name, files, bar)
        if request.gate.fail_on:
            outputs.check_gate_texts(request, campaign.corpus, metrics_by_name)
        campaign, glossary = inputs.prepare(campaign, request)
        if bar:
            bar.begin("scoring", then="checking outputs" if check else "")
        target = request.metrics.target_of(metrics_by_name)
        campaign = campaign.score(metrics_by_name, lang=target, progress=bar, check=check)
        if bar:
            bar.begin("resampling")
        if glossary is not None:
            campaign = inputs.add_terms(campaign, glossary, request)
        return _resample(campaign, request)


def _read(
    request: ScoreRequest,
    metrics_by_name: Mapping[str, Metric],
    files: inputs.Files,
    bar: progress.ProgressBar | None,
) -> Campaign:
    """Return the texts that are to be scored, after warnings about them."""
    texts = inputs.read(
        request,
        files,
        needs_refs=request.metrics.need_references,
        needs_documents=request.level == "document",
        blank_refs=are_error_rates(metrics_by_name.values()),
    )
    if not texts.refs and (name := first_given(OF_REFERENCES, request)):
        raise OptionError(f"{name} needs a reference, and none is given")
    if bar:
        bar.begin("checking texts")
    inputs.warn_of_texts(request, files, metrics_by_name, texts)
    campaign = Campaign(texts, metrics=metrics_by_name)
    return _drop_copies(campaign, request) if request.without_copies else campaign


def _drop_copies(campaign: Campaign, request: ScoreRequest) -> Campaign:
    """Return the campaign without the segments that are copies."""
    if are_error_rates(campaign.metrics.values()):
        raise OptionError(
            "--without-copies drops outputs that equal their reference, which is the aim of"
            f" {', '.join(campaign.metrics)}"
        )
    target = request.metrics.target_of(campaign.metrics)
    noticed = check_references(campaign.corpus, target)
    left = campaign.without_copies(lang=target)
    if not request.brief:
        finding(*dropped_lines(noticed, len(campaign.corpus.segments)))
    return replace(campaign, corpus=left.corpus)


def _score_in_batches(
    request: ScoreRequest, metrics_by_name: Mapping[str, Metric], files: inputs.Files
) -> Outcome | None:
    """Score segments as they are read, and write them; None if that is not what is asked."""
    if request.level != "segment" or len(metrics_by_name) > 1:
        return None
    if any(not_taken(IN_BATCHES, request)):
        return None
    from celab.cli import batches

    (metric,) = metrics_by_name.values()
    return batches.score(metric, files, request)


def _score_by_dask(
    request: ScoreRequest, metrics_by_name: Mapping[str, Metric], files: inputs.Files
) -> Outcome:
    """Score the systems on the workers of a Dask cluster, and return what to print."""
    from celab.cli import batches

    refs, systems = files.refs, files.systems
    if systems and any(map(os.path.isdir, (*refs, *systems))):
        raise OptionError(
            f"{' and '.join((*refs, *systems))} are folders of documents, which --engine dask does"
            " not read; name the files"
        )
    hints = inputs.likely_systems(request, refs, systems, [()] * len(refs), [()])
    warn(*hints, is_hint=True)
    scored, read = batches.score_by_dask(request, metrics_by_name, refs, systems)
    scored = _resample(scored, request)
    gate = None if request.fail_under is None else _gate(scored, request)
    _tell(scored, request)
    note(read)
    if not request.report.no_check:
        note(
            "--engine dask does not look for outputs that are not translations, nor for copies in"
            " references"
        )
    text = _report(scored, request, gate)
    return outputs.end(request, text, scored.n_skipped, gate=gate, view=scored.view)


def _gate(scored: Scored, request: ScoreRequest) -> Gate | None:
    """Return how `--fail-under` and `--fail-on` end; None without them."""
    outcomes, kinds = [], request.gate.fail_on
    if request.fail_under is not None:
        from celab.evaluation.systems.gate import not_under

        outcomes.append(not_under(scored, request.fail_under))
    if kinds and isinstance(scored, Campaign):  # other ways to score refuse the flag
        found = scored.findings(**outputs.gate_settings(request)).gate(kinds)
        outcomes.append(outputs.with_judged(found, request, scored.spans))
    return join_gates(outcomes)


def _tell(scored: Scored, request: ScoreRequest) -> None:
    """Say what was found in outputs and references, and, beside segments, the scores."""
    if request.brief:
        return
    outputs.tell_found(scored)
    if request.judges.scores or request.judges.human is not None:
        from celab.evaluation.systems.judged import rank_lines

        finding(*rank_lines(scored))
    if request.level == "segment" and not request.output.json:
        note(*outputs.score_lines(scored, request.output.digits))


def _resample(scored: AnyScored, request: ScoreRequest) -> AnyScored:
    """Return the scores with tests if there are several systems, or else with intervals."""
    is_shown = request.output.json or (request.level == "system" and not request.brief)
    if request.no_interval or not (is_shown or request.report.html):
        return scored
    tests = request.tests
    if len(scored.system_names) > 1:
        return scored.test(tests.test or "bootstrap", n_resamples=tests.resamples, seed=tests.seed)
    if not is_shown:
        return scored
    return scored.bootstrap(n_resamples=tests.resamples, seed=tests.seed)


def _profile(campaign: Campaign, request: ScoreRequest) -> ErrorProfile:
    """Return the differences from the reference, by kind."""
    target = request.metrics.target_of(campaign.metrics)
    return campaign.error_profile(lang=target, **request.tests.resampling)


def _report(
    scored: Scored, request: ScoreRequest, gate: Gate | None, profile: ErrorProfile | None = None
) -> str:
    """Return the output: the scores, and the profile if there is one, in the requested format."""
    if request.output.json:
        from celab.evaluation.systems import stored

        return stored.written(
            scored, level=request.level, gate=gate, labels=request.labels, profile=profile
        )
    options = ViewOptions(_detail(scored, request), request.level, request.output.digits)
    view = scored.view(options)
    if profile is not None and request.error_profile:
        more = profile.view()
        view = View([*view.parts, *more.parts], more.record)
    elif profile is not None:
        from celab.evaluation.errors import summary

        view = View([*view.parts, *summary(profile)], view.record)
    return RENDERERS[request.output_format](view)


def _detail(scored: Scored, request: ScoreRequest) -> Detail:
    """Return how much of the scores is shown."""
    if request.brief:
        return "score"
    if request.details:
        return "full"
    is_single = len(scored.system_names) == len(scored.scores) == 1
    return "line" if is_single and not request.output.tables else "normal"
