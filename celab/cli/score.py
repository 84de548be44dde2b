"""`celab score`: references and systems → scores, and how the systems compare.

`ScoreRequest` has all that can be asked (`celab.cli.score_request`); `main` reads, scores and
reports. Nothing is written before all of it has succeeded, unless segments are scored in batches.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from celab.base.errors import OptionError
from celab.base.messages import finding, note, warn
from celab.cli import loading, output_files, progress
from celab.cli.arguments import Advice
from celab.cli.command import command
from celab.cli.rules import (
    first_given,
    not_taken,
)
from celab.cli.score_request import IN_BATCHES, OF_REFERENCES, ScoreRequest
from celab.cli.terminal import Outcome
from celab.corpus.selection import Selection
from celab.findings.finding import Gate, join_gates
from celab.findings.references import check_references, select_copies
from celab.metrics.base import Metric, are_error_rates
from celab.systems.campaign import Campaign
from celab.systems.results import Scored
from celab.systems.view import bare_lines, score_lines
from celab.tables.formats import render
from celab.tables.table import Part

if TYPE_CHECKING:
    # Only --error-profile and --details load it.
    from celab.findings.differences import ErrorProfile

AnyScored = TypeVar("AnyScored", bound=Scored)


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
    common="-r -s -m --lang --lexicon --segments -f --html -o",
    example="{0} -m celab chrf bleu -r ref.zh -s A.zh B.zh",
    description="Scores translations, into Chinese by default, and compares systems. The default"
    " metric, TESLA-CELAB, is from 0 to 1: the share of n-grams of characters that output and"
    " reference have in common, synonyms included; recall weighs more than precision. A system's"
    " score is the mean over its segments. Scores measure overlap with references, not quality.",
    epilog="Text files have one segment per line, in UTF-8; .gz, .xz and .bz2 files are"
    " decompressed, and - is standard input. A line may be blank in some of the references, but"
    " not in all. NIST, IWSLT and CWMT SGML or XML, WMT XML and JSONL are auto-detected. A"
    " single file may hold references and systems.",
    refused=_REFUSED,
)
def main(request: ScoreRequest) -> Outcome:
    """Score all systems, and return what to print."""
    files = loading.files_of(request, needs_refs=request.metrics.need_references)
    if _has_gate(request):
        output_files.check_gate(request)
    by_dask = request.engine == "dask"
    metrics_by_name = request.metrics.make(used=["jobs"] if by_dask else ())
    if request.fail_under is not None:
        output_files.check_scale(request, "fail_under", request.fail_under, metrics_by_name)
    if len(files.refs) > loading.MAX_REFERENCES:
        warn(*loading.many_references(request, files.refs, files.systems))
    if by_dask:
        return _score_by_dask(request, metrics_by_name, files)
    in_batches = _score_in_batches(request, metrics_by_name, files)
    if in_batches is not None:
        return in_batches
    campaign = _score(request, metrics_by_name, files)
    gate = _gate(campaign, request) if _has_gate(request) else None
    gate = output_files.with_untested(gate, campaign.corpus)
    has_profile = request.error_profile or (request.details and bool(campaign.corpus.refs))
    profile = _profile(campaign, request) if has_profile else None
    report = _report(campaign, request, gate, profile)
    _tell(campaign, request)
    output_files.tell_read(request, campaign.corpus)
    text = output_files.write_with_page(request, report, campaign)
    return output_files.finish(
        request, text, campaign.n_skipped, gate=gate, summary=campaign.tables
    )


def _has_gate(request: ScoreRequest) -> bool:
    """Return whether the exit code depends on scores or findings."""
    return request.fail_under is not None or bool(request.gate.fail_on)


def _score(
    request: ScoreRequest, metrics_by_name: Mapping[str, Metric], files: loading.InputFiles
) -> Campaign:
    """Read the texts, and return their scores with their tests or intervals."""
    check = not request.report.no_check
    quiet = request.output.quiet or loading.is_typed(files)
    with progress.show(0, "reading", quiet=quiet) as bar:
        campaign = _read(request, metrics_by_name, files, bar)
        if request.gate.fail_on:
            output_files.check_gate_texts(request, campaign.corpus, metrics_by_name)
        campaign, glossary = loading.prepare(campaign, request)
        if bar:
            bar.begin("scoring", then="checking outputs" if check else "")
        target = request.metrics.target_of(metrics_by_name)
        campaign = campaign.score(metrics_by_name, lang=target, progress=bar, check=check)
        if bar:
            bar.begin("resampling")
        if glossary is not None:
            campaign = loading.add_terms(campaign, glossary, request)
        return _resample(campaign, request)


def _read(
    request: ScoreRequest,
    metrics_by_name: Mapping[str, Metric],
    files: loading.InputFiles,
    bar: progress.ProgressBar | None,
) -> Campaign:
    """Return the texts that are to be scored, after warnings about them."""
    texts = loading.read(
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
    loading.warn_of_texts(request, files, metrics_by_name, texts)
    campaign = Campaign(texts, metrics=metrics_by_name)
    for select in SELECTIONS:
        selection = select(request, campaign)
        if selection is not None:
            campaign = replace(campaign, corpus=selection.apply(campaign.corpus))
            if not request.brief:
                finding(*selection.findings)
    return campaign


def _copies(request: ScoreRequest, campaign: Campaign) -> Selection | None:
    """Return the segments that `--without-copies` leaves out."""
    if not request.without_copies:
        return None
    if are_error_rates(campaign.metrics.values()):
        raise OptionError(
            "--without-copies drops outputs that equal their reference, which is the aim of"
            f" {', '.join(campaign.metrics)}"
        )
    problems = check_references(campaign.corpus, request.metrics.target_of(campaign.metrics))
    return select_copies(problems, len(campaign.corpus.segments))


# For each option that leaves out segments, a function that returns them, or None without the
# option. The part of signatures, the error if none is left and the messages follow.
SELECTIONS: tuple[Callable[[ScoreRequest, Campaign], Selection | None], ...] = (_copies,)


def _score_in_batches(
    request: ScoreRequest, metrics_by_name: Mapping[str, Metric], files: loading.InputFiles
) -> Outcome | None:
    """Score segments as they are read, and write their scores; None unless that was requested."""
    if request.level != "segment" or len(metrics_by_name) > 1:
        return None
    if any(not_taken(IN_BATCHES, request)):
        return None
    from celab.cli import batches

    (metric,) = metrics_by_name.values()
    return batches.score(metric, files, request)


def _score_by_dask(
    request: ScoreRequest, metrics_by_name: Mapping[str, Metric], files: loading.InputFiles
) -> Outcome:
    """Score the systems on the workers of a Dask cluster, and return what to print."""
    from celab.cli import batches

    refs, systems = files.refs, files.systems
    if systems and any(map(os.path.isdir, (*refs, *systems))):
        raise OptionError(
            f"{' and '.join((*refs, *systems))} are folders of documents, which --engine dask does"
            " not read; name the files"
        )
    hints = loading.likely_systems(request, refs, systems, [()] * len(refs), [()])
    warn(*hints, is_hint=True)
    scored, read = batches.score_by_dask(request, metrics_by_name, refs, systems)
    scored = _resample(scored, request)
    gate = None if request.fail_under is None else _gate(scored, request)
    _tell(scored, request)
    note(read)
    if not request.report.no_check:
        note(
            "--engine dask does not look for outputs that may not be translations, nor for copies"
            " in references"
        )
    text = _report(scored, request, gate)
    return output_files.finish(request, text, scored.n_skipped, gate=gate, summary=scored.tables)


def _gate(scored: Scored, request: ScoreRequest) -> Gate | None:
    """Return the gate of `--fail-under` and `--fail-on`; None without them."""
    outcomes, kinds = [], request.gate.fail_on
    if request.fail_under is not None:
        from celab.systems.baseline import not_under

        outcomes.append(not_under(scored, request.fail_under))
    if kinds and isinstance(scored, Campaign):  # other ways to score refuse the flag
        gate = scored.findings(**output_files.gate_settings(request)).gate(kinds)
        outcomes.append(output_files.with_judged(gate, request, scored.spans))
    return join_gates(outcomes)


def _tell(scored: Scored, request: ScoreRequest) -> None:
    """Say what was found in outputs and references, and, beside segments, the scores."""
    if request.brief:
        return
    output_files.tell_found(scored)
    if request.judges.scores or request.judges.human is not None:
        from celab.systems.external_scores import rank_lines

        finding(*rank_lines(scored))
    if request.level == "segment" and not request.output.json:
        note(*output_files.score_lines(scored, request.output.digits))


def _resample(scored: AnyScored, request: ScoreRequest) -> AnyScored:
    """Return the scores with tests if there are several systems, or else with intervals."""
    is_shown = request.output.json or (request.level == "system" and not request.brief)
    if request.no_interval or not (is_shown or request.report.html):
        return scored
    tests = request.tests
    if len(scored.system_names) > 1:
        return scored.test(tests.test or "bootstrap", **tests.resampling)
    if not is_shown:
        return scored
    return scored.bootstrap(**tests.resampling)


def _profile(campaign: Campaign, request: ScoreRequest) -> ErrorProfile:
    """Return the differences from the reference, by kind."""
    target = request.metrics.target_of(campaign.metrics)
    return campaign.error_profile(lang=target, **request.tests.resampling)


def _report(
    scored: Scored, request: ScoreRequest, gate: Gate | None, profile: ErrorProfile | None = None
) -> str:
    """Return the output: the scores, and the profile if there is one, in the requested format."""
    if request.output.json:
        from celab.systems import stored

        return stored.to_json_line(
            scored, level=request.level, gate=gate, labels=request.labels, profile=profile
        )
    parts = [*_parts(scored, request)]
    if profile is not None and request.error_profile:
        # TSV is one table, which then is that of the profile.
        parts = [*(() if request.output_format == "tsv" else parts), *profile.tables()]
    elif profile is not None:
        from celab.findings.differences import summary

        parts += summary(profile)
    digits = request.output.digits
    return render(parts, request.output_format, digits, all_rows=request.details)


def _parts(scored: Scored, request: ScoreRequest) -> Iterable[Part]:
    """Return what is shown of the scores, as much as is asked for."""
    if request.level != "system":
        return [scored.shown_level(request.level, request.output_format)]
    if request.brief:
        return [[*bare_lines(scored, request.output.digits)]]
    if request.details:
        return scored.tables("full")
    is_single = len(scored.system_names) == len(scored.scores) == 1
    if is_single and not request.output.tables:
        return [[*score_lines(scored, request.output.digits)]]
    return scored.tables()
