"""The input files of a command line, and warnings about them."""

from __future__ import annotations

import copy
import os
import re
import shlex
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from io import TextIOWrapper
from typing import TYPE_CHECKING, NamedTuple, get_args

from celab.base import io
from celab.base.arguments import Arguments
from celab.base.errors import (
    EmptyFileError,
    InputError,
    LimitError,
    NoSystemError,
    OptionError,
    Setting,
    Text,
    spell,
)
from celab.base.messages import finding, take_note_of_texts, warn
from celab.base.text.counts import TraitCounter
from celab.base.text.scripts import script_warnings
from celab.cli import terminal
from celab.cli.flags import as_flag
from celab.cli.option_groups import JudgeOptions, WarningOptions
from celab.cli.requests import CampaignRequest, Request
from celab.corpus import Corpus, Segment, reading
from celab.corpus.folders import folders_of_files
from celab.corpus.formats import is_nearer
from celab.corpus.model import list_names
from celab.corpus.reading import expand_paths
from celab.findings.references import check_references
from celab.findings.references.shifts import shift_warnings
from celab.findings.translations.outputs import unwrapped_lines
from celab.metrics.base import Metric, are_error_rates
from celab.metrics.options import Smoothing
from celab.metrics.registry import METRICS
from celab.systems.campaign import Campaign
from celab.tables.cells import quantity

if TYPE_CHECKING:
    # They are loaded with their files.
    from celab.terminology.glossary import Glossary
    from celab.training.pem import Pem

# Characters of the beginning of a text by which messages name it.
_MAX_LABEL = 30
# A note lists as many segments without text.
MAX_LISTED = 10
# More references in a list of files raise a warning, because some of them may be systems.
MAX_REFERENCES = 4
# A metric whose estimated time is longer needs --slow.
_MAX_SECONDS = 600
SMOOTHINGS = frozenset(get_args(Smoothing))


def read_glossary(request: Request, path: str) -> Glossary:
    """Return the glossary in a file, for the language of the command."""
    from celab.terminology import glossary

    return glossary.read(path, request.metrics.lang or "zh", request.limits)


class InputFiles(NamedTuple):
    """The paths of texts."""

    refs: list[str]
    systems: list[str]
    default: str | None  # the system if none is given: `-` or nothing


def files_of(request: Request, n_systems: int = 1, *, needs_refs: bool = True) -> InputFiles:
    """Return the files that a request names: none with `--text`.

    Without flags, the last `n_systems` are the systems, and so is a single file with `needs_refs`
    false. Folders and patterns are replaced by their files (`expand_paths`).
    """
    if request.inputs.text:
        _texts(request, needs_refs)  # an error now, before metrics are made
        return InputFiles([], [], None)
    roles = _roles(request, n_systems, needs_refs)
    refs, systems = expand_paths(*roles, align=request.inputs.align)
    return InputFiles(refs, systems, None if systems else default_system(request))


def is_typed(files: InputFiles) -> bool:
    """Return whether a text is read from a terminal, in which nothing else is to be shown."""
    is_read = "-" in (*files.refs, *files.systems, files.default)
    return is_read and sys.stdin is not None and sys.stdin.isatty()


def read(
    request: Request,
    files: InputFiles,
    *,
    needs_refs: bool = True,
    needs_documents: bool = False,
    blank_refs: bool = False,
) -> Corpus:
    """Return all texts; errors name the flags that help."""
    if request.inputs.text:
        spoken = _corpus_of_words(request, needs_refs)
        return told_unwrapped(spoken.unwrap()) if request.inputs.unwrap else spoken
    options = replace(
        request.inputs,
        references=files.refs,
        systems=files.systems,
        default_system=files.default,
        are_expanded=True,
        blank_refs=blank_refs,
    )
    try:
        needs_refs |= request.inputs.references is not None
        texts = reading.read(options, request.limits, needs_refs=needs_refs)
    except LimitError as error:
        if error.can_stream and request.has_option("sentence_level"):
            error.hint = f"{spell(error.hint, as_flag)}; --segments reads plain text of any size"
        raise
    except InputError as error:
        raise with_advice(request, error, files.default) from None
    if needs_documents and not any(key.document for key in texts.segments):
        raise OptionError(
            "--level is document, but the files have no documents; give them with --documents FILE,"
            " one per line, or with --document-field for a column of TSV, CSV or JSON"
        )
    if request.has_option("metric"):
        texts = _joined(texts, request.metrics.chosen())
    return texts if texts.unwrapped is None else told_unwrapped(texts)


def _joined(texts: Corpus, names: Sequence[str]) -> Corpus:
    """Return the texts; for metrics that read documents, the lines of each are one text."""
    of_documents = [name for name in names if METRICS[name].reads_documents]
    if not of_documents or not any(key.document for key in texts.segments):
        return texts
    if others := [name for name in names if name not in of_documents]:
        raise OptionError(
            f"{of_documents[0]} scores documents, and {others[0]} scores their segments; give them"
            " to two commands"
        )
    return texts.join_documents()


def told_unwrapped(texts: Corpus) -> Corpus:
    """Return the texts, and say how many outputs were unwrapped."""
    if texts.unwrapped is not None:
        finding(*unwrapped_lines(texts))
    return texts


def with_advice(request: Request, error: InputError, default: str | None) -> InputError:
    """Return the error with a hint at what was probably meant."""
    error = copy.copy(error)
    if smoothing := SMOOTHINGS.intersection(request.inputs.systems or ()):
        (method, *_) = sorted(smoothing)
        what = "-s gives systems; sacreBLEU's smoothing is"
        error.hint = f"{what} --smooth-method {method}"
        return error
    if request.has_option("text") and not error.hint and may_be_texts(words(request.inputs.files)):
        error.hint = "to score the words themselves, add --text"
        return error
    format = request.inputs.format or ""
    named = (path for paths in request.command_line.possible_inputs.values() for path in paths)
    if format in request.format_flags and not any(path.endswith(f".{format}") for path in named):
        advice = f"--format is the format of inputs; to print {format}, use"
        hints = spell(error.hint, as_flag), f"{advice} {request.format_flags[format]}"
        error.hint = "; ".join(filter(None, hints))
        return error
    hint = f"use {request.usage}"
    if isinstance(error, EmptyFileError) and error.path == default == "-":
        return InputError("no system output is given, and standard input is empty", hint=hint)
    if isinstance(error, NoSystemError):
        error.hint = hint
    return error


def words(paths: Sequence[io.AnyPath] | None) -> list[str]:
    """Return paths as they were typed."""
    return [os.fspath(path) for path in paths or ()]


def _texts(request: Request, needs_refs: bool) -> tuple[list[str], list[str]]:
    """Return the references and systems that are words of the command line."""
    has_words = bool(request.inputs.files) or request.inputs.has_roles
    refs, systems = _roles(request, 1, needs_refs) if has_words else ([], [])
    if not systems or (needs_refs and not refs):
        needed = "a reference and a hypothesis" if needs_refs else "a text"
        raise OptionError(f"--text needs {needed}; use {request.usage}")
    return refs, systems


def _corpus_of_words(request: Request, needs_refs: bool) -> Corpus:
    refs, systems = _texts(request, needs_refs)
    for word in filter(os.path.isfile, (*refs, *systems)):
        warn(
            f"{word} is a file, but with --text the word itself is scored; leave --text out to"
            " read it"
        )
    ref_names, names = numbered("ref", len(refs)), numbered("hyp", len(systems))
    return Corpus(
        segments=[Segment("", "1")],
        systems={name: [text] for name, text in zip(names, systems, strict=True)},
        refs=[[text] for text in refs],
        ref_names=ref_names,
        system_files=dict(zip(names, map(label, systems), strict=True)),
        ref_files=[*map(label, refs)],
    )


def describe_corpus(texts: Corpus) -> Iterator[str]:
    """Yield notes about what was read."""
    n_systems = len(texts.systems)
    hyp = texts.file_of(texts.hyp_name) if n_systems == 1 else ""
    systems = f"hypothesis {hyp}" if hyp else f"{n_systems} systems"
    read = describe_input(systems, texts.ref_files or texts.ref_names, len(texts.segments))
    read += f", {texts.n_left_out} left out" if texts.n_left_out else ""
    if texts.missing_as == "empty":
        n_missing = sum(map(len, texts.missing.values()))
        read += f", {n_missing} missing taken as empty" if n_missing else ""
    yield read + (f", joined by {texts.joined_by}" if texts.joined_by else "")
    yield from _describe_untranslated(texts)
    for system, keys in texts.extra.items():
        if keys:
            has = f"{quantity(len(keys), 'key')} that the source does not have"
            yield f"{texts.file_of(system)}: {has} left out ({list_names([*map(str, keys)])})"
    yield from _describe_alignments(texts)


def _describe_untranslated(texts: Corpus) -> Iterator[str]:
    """Yield which units of translators' files are no translations, by their own account."""
    for file, reasons in texts.n_untranslated.items():
        n_units = sum(reasons.values())
        counted = ", ".join(f"{n} {reason}" for reason, n in reasons.items())
        yield f"{file}: {quantity(n_units, 'unit')} left out ({counted})"


def _describe_alignments(texts: Corpus) -> Iterator[str]:
    """Yield how the outputs were aligned, and which segments got no text."""
    if not texts.alignments:
        return
    used = {d.reference for each in texts.alignments.values() for d in each.documents}
    names = texts.ref_files or texts.ref_names
    by = f" by {' and '.join(names[number] for number in sorted(used))}" if len(names) > 1 else ""
    yield f"aligned{by}"
    for system, alignment in texts.alignments.items():
        if blank := alignment.blank:
            numbers = ", ".join(str(place + 1) for place in blank[:MAX_LISTED])
            more = ", ..." if len(blank) > MAX_LISTED else ""
            of = f" of {system}" if len(texts.alignments) > 1 else ""
            yield f"{len(blank)} of {len(alignment)} segments{of} got no text ({numbers}{more})"


def describe_input(systems: str, ref_names: Sequence[str], n_segments: int) -> str:
    """Return the note about a hypothesis or systems, references and segments."""
    plural = "s" if len(ref_names) > 1 else ""
    refs = f"reference{plural} {' '.join(ref_names)}" if ref_names else "no reference"
    return f"{systems}, {refs}, {quantity(n_segments)}"


def multi_system_hint(request: Request) -> str:
    """Return how to give several systems, if files that may be systems were read as references.

    `many_references` warns if there are many of them.
    """
    options = request.inputs
    if (
        options.has_roles
        or options.test_set is not None
        or not 2 < len(options.files) <= MAX_REFERENCES + 1
    ):
        return ""
    return "for several systems, use -r and -s"


def default_system(request: Request) -> str | None:
    """Return `-` if standard input is a file or a pipe that nothing else reads, or None."""
    options = request.inputs
    paths = (*options.files, *(options.references or ()), options.source, options.documents)
    try:
        is_piped = not stat.S_ISCHR(os.fstat(sys.stdin.fileno()).st_mode)
    except (AttributeError, OSError, ValueError):  # closed, or replaced by a caller
        is_piped = isinstance(sys.stdin, TextIOWrapper) and not sys.stdin.closed
    return "-" if is_piped and "-" not in paths else None


def many_references(request: Request, refs: Sequence[str], systems: Sequence[str]) -> Iterator[str]:
    """Yield a warning if systems may have been given as references."""
    if request.inputs.has_roles or len(refs) <= MAX_REFERENCES:
        return
    likely_systems = [*refs[1:], *systems]
    yield (
        f"{len(refs)} references are read, and one hypothesis, {' '.join(systems)}; for several"
        f" systems, use {request.program} -r {refs[0]} -s {' '.join(likely_systems[:2])} ..."
    )


def likely_systems(
    request: Request,
    refs: Sequence[str],
    systems: Sequence[str],
    texts_of_refs: Sequence[Sequence[str]],
    texts_of_systems: Iterable[Sequence[str]],
) -> list[str]:
    """Return a warning if files that are read as references seem to be systems; [] if none do.

    The warning is never an error, since references before the hypothesis are the usual way to give
    several. `many_references` warns if there are many of them without -r.
    """
    is_few = request.inputs.has_roles or len(refs) <= MAX_REFERENCES
    if request.inputs.test_set is not None or not is_few:
        return []
    hyps = list(texts_of_systems)
    if len(texts_of_refs) != len(refs) or len(hyps) != len(systems):  # a file has several
        return []
    reasons: dict[str, str] = {}
    for ref, texts in zip(refs[1:], texts_of_refs[1:], strict=True):
        for hyp, hyp_texts in zip(systems, hyps, strict=True):
            reason = _likeness(refs[0], ref, hyp, (texts, texts_of_refs[0], hyp_texts))
            if reason:
                reasons.setdefault(ref, reason)
    if not reasons:
        return []
    kept = [ref for ref in refs if ref not in reasons]
    file, reason = next(iter(reasons.items()))
    flags = shlex.join(["-r", *kept, "-s", *dict.fromkeys((*reasons, *systems))])
    return [f"{file} is read as a reference, but {reason}; if it is a system, use {flags}"]


def _likeness(first: str, ref: str, hyp: str, texts: Sequence[Sequence[str]]) -> str:
    """Return why a reference after the first seems to be a system, as `hyp` is, or "".

    `texts` holds the texts of `ref`, `first` and `hyp`.
    """
    folder, hyp_folder, ref_folder = (
        os.path.dirname(os.path.realpath(file)) for file in (first, hyp, ref)
    )
    is_apart = os.path.isfile(first) and os.path.isfile(hyp) and folder != hyp_folder
    if is_apart and ref_folder == hyp_folder:
        return f"is in the folder of the hypothesis {hyp}"
    if is_nearer(*texts):
        return f"is more like the hypothesis {hyp} than like the reference {first}"
    return ""


def warn_of_texts(
    request: Request, files: InputFiles, metrics_by_name: Mapping[str, Metric], texts: Corpus
) -> None:
    """Warn about flags without effect and files that may be the wrong ones."""
    option = "--skip-missing" if request.inputs.skip_missing else "--missing"
    if request.inputs.missing_as and texts.by_line and not texts.n_left_out:
        warn(
            f"{option} has no effect: these files have no segment ids, so line n of each is"
            " segment n and none can be missing; it is for SGML, XML, TSV and JSONL with ids"
        )
    sides = sides_of(texts)
    if request.inputs.text:  # too short to tell them apart
        sides = [("the texts", [text for _, side in sides for text in side])]
    warn_of_languages(metrics_by_name.values(), sides, texts.count_traits)
    if files.refs:
        warn(*swapped_files(files.refs, files.systems))
    # Reading has already said which folders to give instead of files that seem to be documents.
    if len(files.refs) > 1 and folders_of_files(files.refs, files.systems) is None:
        of_sides = texts.refs, texts.systems.values()
        warn(*likely_systems(request, files.refs, files.systems, *of_sides), is_hint=True)


def swapped_files(refs: Sequence[str], systems: Sequence[str]) -> Iterator[str]:
    """Yield a warning if a system is named like a reference, and no reference is.

    >>> [*swapped_files(["hyp.zh"], ["ref.zh"])]
    ['ref.zh is scored as a system, and hyp.zh is its reference: are the files swapped?']
    """
    like_refs = [file for file in systems if _is_named_like_reference(file)]
    if like_refs and not any(map(_is_named_like_reference, refs)):
        yield (
            f"{like_refs[0]} is scored as a system, and {refs[0]} is its reference: are the files"
            " swapped?"
        )


def _is_named_like_reference(file: str) -> bool:
    stem = os.path.splitext(os.path.basename(file))[0]
    return bool(re.fullmatch(r"(?i)(.*[._-])?(ref|reference|gold)s?[_-]?[0-9a-z]?", stem))


def sides_of(texts: Corpus) -> list[tuple[str, list[str]]]:
    """Return the file name and the texts of each system and each reference."""
    systems = [(texts.file_of(name), sentences) for name, sentences in texts.systems.items()]
    return [*systems, *zip(texts.ref_files, texts.refs, strict=True)]


def check_time(
    request: Request, slow: WarningOptions, metrics_by_name: Mapping[str, Metric], texts: Corpus
) -> None:
    """Warn before scoring that a metric takes long; raise if it takes too long without `--slow`."""
    sizes = texts.refs, len(texts.systems)
    files = ", ".join(dict.fromkeys(texts.ref_files))
    for metric in metrics_by_name.values():
        if not (message := metric.slow_warning(*sizes)):
            continue
        message = f"{files}: {message}"
        if not slow.slow and metric.estimate_seconds(*sizes) > _MAX_SECONDS:
            raise OptionError(f"{message}; add --slow to run it anyway")
        warn(message, is_hint=slow.slow)
        terminal.print_messages("warning", program=request.program)  # before the long work


MAX_TAGS = 10  # kinds of tags that a message lists


def _kept_tags(
    scorers: Iterable[Metric | Pem], texts: Sequence[tuple[str, Sequence[str]]]
) -> Iterator[Text]:
    """Yield which tags of transcripts count as text, by the first metric that could drop them."""
    sentences = [text for _, side in texts for text in side]
    for scorer in scorers:
        tags = scorer.count_kept_tags(sentences) if isinstance(scorer, Metric) else None
        if not tags:
            continue
        listed = ", ".join(f"{tag} {n:,}" for tag, n in tags.most_common(MAX_TAGS))
        more = ", …" * (len(tags) > MAX_TAGS)
        kinds = "1 kind of tags is" if len(tags) == 1 else f"{len(tags)} kinds of tags are"
        drop = Setting("tags", "drop")
        yield (f"{kinds} counted as text: {listed}{more}; ", drop, " leaves them out")
        return


def warn_of_languages(
    scorers: Iterable[Metric | Pem],
    texts: Sequence[tuple[str, Sequence[str]]],
    count: TraitCounter | None = None,
) -> None:
    """Warn of files in other languages than metrics assume, and keep these from repeating it."""
    scorers = list(scorers)
    finding(*_kept_tags(scorers, texts))
    languages = (scorer.assumed_language for scorer in scorers)
    if lang := next(filter(None, languages), None):
        warn(*script_warnings(lang, texts, count))
    take_note_of_texts()


def with_judges(
    campaign: Campaign,
    request: Request,
    judges: JudgeOptions,
    segments: Sequence[int | str] | None = None,
) -> Campaign:
    """Return the campaign with the scores and error spans of other judges.

    Spans are looked for in all segments, or in some, by their names.
    """
    settings: Arguments = {"count_from": judges.count_from, "limits": request.limits}
    if paths := judges.files():
        lower_is_better = judges.lower_is_better
        campaign = campaign.with_scores(paths, lower_is_better=lower_is_better, **settings)
    if judges.spans is not None:
        campaign = campaign.with_spans(judges.spans, segments=segments, **settings)
    return campaign


def expand(paths: Sequence[str]) -> list[str]:
    """Return the paths with folders and patterns replaced by their files."""
    return [file for path in paths for file in io.expand(path)]


def _roles(
    request: Request, n_systems: int, needs_refs: bool = True
) -> tuple[list[str], list[str]]:
    options = request.inputs
    files = [os.fspath(path) for path in options.files]
    refs = None if options.references is None else words(options.references)
    systems = None if options.systems is None else words(options.systems)
    if options.test_set is not None:
        if refs is not None:
            raise OptionError("-t and -r are both given; choose one of them")
        return [], [*(systems or ()), *files]
    if refs is None and systems is None:
        if not files:
            raise OptionError(f"no files are given; use {request.usage}")
        if 1 < len(files) <= n_systems:
            raise OptionError(f"only {' and '.join(files)} are given; use {request.usage}")
        n_refs = int(needs_refs) if len(files) == 1 else len(files) - n_systems
        return list(files[:n_refs]), list(files[n_refs:])
    if refs is not None and systems is not None and files:
        raise OptionError(f"{files[0]} is neither a reference nor a system; use {request.usage}")
    return list(files if refs is None else refs), list(files if systems is None else systems)


def numbered(name: str, n: int) -> list[str]:
    """Return names for so many texts of a kind: `ref`, or `ref1`, `ref2`."""
    return [name] if n == 1 else [f"{name}{number}" for number in range(1, n + 1)]


def label(text: str) -> str:
    """Return the abbreviation of a text for a message."""
    short = text if len(text) <= _MAX_LABEL else f"{text[: _MAX_LABEL - 3]}..."
    return short or "(empty)"


def may_be_texts(words: Sequence[str]) -> bool:
    """Return whether no word is a file, or looks like the name of one."""
    return len(words) > 1 and not any(
        word[:1] == "-"
        or os.path.exists(word)
        or os.sep in word
        or os.path.splitext(word.rstrip("."))[1]
        for word in words
    )


class Loaded(NamedTuple):
    """The metrics of a command, and its texts."""

    metrics: dict[str, Metric]
    texts: Corpus


def load(
    request: Request,
    files: InputFiles,
    check: Callable[[Mapping[str, Metric]], None] | None = None,
    *,
    needs_refs: bool = True,
    needs_documents: bool = False,
) -> Loaded:
    """Return metrics and texts, and warn about them.

    `check` raises if the command has no use for the metrics, before any text is read. With
    `needs_refs` false there may be no reference, with `needs_documents` there must be documents.
    """
    metrics_by_name = request.metrics.make()
    if check is not None:
        check(metrics_by_name)
    texts = read(
        request,
        files,
        needs_refs=needs_refs,
        needs_documents=needs_documents,
        blank_refs=are_error_rates(metrics_by_name.values()),
    )
    warn_of_texts(request, files, metrics_by_name, texts)
    return Loaded(metrics_by_name, texts)


def check_single(metrics: Mapping[str, Metric]) -> None:
    """Raise unless there is one metric."""
    if len(metrics) > 1:
        raise OptionError(f"{len(metrics)} metrics are given; give one")


def prepare(campaign: Campaign, request: CampaignRequest) -> tuple[Campaign, Glossary | None]:
    """Return the campaign with other judges, ready to be scored, and the glossary."""
    metrics_by_name, terms = campaign.metrics, request.terms.terms
    glossary = None if terms is None else read_glossary(request, terms)
    if not request.report.no_check:
        target = request.metrics.target_of(metrics_by_name)
        copies = not are_error_rates(metrics_by_name.values())
        reference_problems = check_references(campaign.corpus, target, copies=copies)
        warn(*shift_warnings(reference_problems.shifts))
    check_time(request, request.time, metrics_by_name, campaign.corpus)
    return with_judges(campaign, request, request.judges), glossary


def add_terms(campaign: Campaign, glossary: Glossary, request: CampaignRequest) -> Campaign:
    """Return the scored campaign with the accuracy of terms."""
    source_lang = request.terms.source_lang
    target = request.metrics.target_of(campaign.metrics)
    return campaign.add_terms(glossary, lang=target, source_lang=source_lang)
