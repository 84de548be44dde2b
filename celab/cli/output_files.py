"""Outputs of a command: its files, checked before any work, and what it prints when all is done.

An output is never an input, no two are the same, and all can be written. A file that exists is
replaced if it is empty, a device or a pipe, or has the mark of what is written now: a page and a
plot are told by their generator, JSON by its first keys, a table by its heading, a text report by a
signature. Other files, such as aligned texts, models and lists, have no mark and need
`--overwrite`.

A gate (`--fail-if-worse`, `--fail-under`, `--fail-on`, `celab check --strict`) that fails gives
exit code 1, and a finding says why. One that passes while segments were left out, which it has not
tested, gives 3, and a finding says how many. If
`GITHUB_ACTIONS` is set, there is an annotation as well, and a Markdown table is appended to
`GITHUB_STEP_SUMMARY`; the annotation is on standard error, too, so that standard output can be a
file of JSON.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from celab.base import io
from celab.base.errors import InputError, OptionError, suggest
from celab.base.messages import finding, note, warn
from celab.base.run import Run
from celab.cli import loading, progress
from celab.cli.flags import flag
from celab.cli.metrics import options_of
from celab.cli.requests import CampaignRequest, Request
from celab.cli.terminal import Outcome
from celab.corpus import Corpus
from celab.findings.finding import FindingKind, Gate, Needs, kinds_of
from celab.metrics.base import Metric, are_error_rates
from celab.metrics.registry import title_of
from celab.systems.campaign import Campaign
from celab.systems.results import Scored
from celab.tables import cells
from celab.tables.cells import quantity
from celab.tables.formats import markdown_line, render
from celab.tables.table import Part
from celab.tables.view import Line

if TYPE_CHECKING:
    # Only --spans loads it.
    from celab.people.error_spans import SpanReport

# Bytes read at either end of a file, to find its mark.
_MAX_BYTES_READ = 1 << 20
_MAX_LINES_BEFORE_HEADING = 12
# Names of the file descriptors 0, 1 and 2.
_STREAMS = ("standard input", "standard output", "standard error")
# Columns that files of human scores have, too, so that they do not mark a table as celab's.
_COMMON = {"system", "document", "segment", "score"}
# Patterns that few runs need stay texts here, and are compiled when they are used.
# The sentence that reports of `celab check` begin with; they have tables only of what is found.
_CHECKED = (
    r"(?:% )?(?:(?:The only output|All [\d,]+ outputs) looks? like (?:a )?translations? \("
    r"|[\d,]+ of [\d,]+ outputs may not be (?:a )?translations?[:,] )"
)
_SIGNATURE = r"(?m)^(?:% )?[\w+.-]+\\?\|(?:.*\|)?v(?:ersion)?:[\w.+-]+"


class FileFormat(NamedTuple):
    """A format of files: its name in messages, its suffixes, and the mark in its text, if any."""

    title: str
    suffixes: tuple[str, ...]
    mark: Callable[[str], str]


def _constant(mark: str) -> Callable[[str], str]:
    return lambda text: mark if mark in text else ""


def _heading(separator: str) -> Callable[[str], str]:
    def mark(text: str) -> str:
        """Return the first line with columns that are not common, and its number.

        Reports of `celab check` have one mark, whatever is found.
        """
        if re.match(_CHECKED, text):
            return "checked"
        for number, line in enumerate(text.splitlines()[:_MAX_LINES_BEFORE_HEADING]):
            names = {name.strip() for name in line.strip("| ").split(separator)}
            if len(names) > 1:
                return f"{number} {line.strip()}" if names - _COMMON else ""
        return ""

    return mark


FILES = {
    "text": FileFormat(
        "a text report", (), lambda text: "|" if re.search(_SIGNATURE, text) else ""
    ),
    "tsv": FileFormat("a TSV table", (".tsv",), _heading("\t")),
    "markdown": FileFormat("Markdown", (".md", ".markdown"), _heading("|")),
    "latex": FileFormat("LaTeX", (".tex",), _heading("&")),
    "html": FileFormat(
        "an HTML report", (".html", ".htm"), _constant('<meta name="generator" content="celab ')
    ),
    "json": FileFormat(
        "JSON", (".json",), lambda text: " ".join(re.findall(r'"(\w+)"\s*:', text)[:3])
    ),
    "svg": FileFormat("a plot", (".svg",), _constant(">celab</dc:title>")),
    "png": FileFormat("a plot", (".png",), _constant("Software\0celab")),
    "pdf": FileFormat("a plot", (".pdf",), _constant("/Creator (celab)")),
    "lex": FileFormat("a lexicon", (".lex", ".tsv"), _constant("celab-lexicon ")),
    "pivot": FileFormat("a pivot table", (".pivot",), _constant("CELABPV")),
}


def check(files: Mapping[str, str], request: Request) -> None:
    """Raise unless the outputs of a request can be written and may be replaced."""
    for name, path in files.items():
        if path in request.format_flags:
            raise OptionError(
                f"{name} is {path}, which is the name of a format; use"
                f" {request.format_flags[path]}, or ./{path} for a file of that name"
            )
        if name == "--html" and path == "-":
            raise OptionError("--html is -; a report is not printed, so give it the name of a file")
    check_files(files, request)
    for name, path in files.items():
        # A file of accepted findings has been read by people, so it has no mark to be replaced by.
        formats = {"--output": request.output_format, "--html": "html", "--write-accepted": ""}
        format = formats.get(name, io.suffix_of(path).removeprefix("."))
        check_replaceable(name, path, format, request)


def check_files(
    files: Mapping[str, str | None], request: Request, others: Iterable[io.AnyPath] = ()
) -> None:
    """Raise unless files can be written, are distinct and are no inputs.

    Parameters:
        files: name in messages → path.
        request, others: the request, whose files are inputs, and other inputs. Standard streams
            also count as inputs or outputs.
    """
    if not any(path is not None for path in files.values()):
        return
    inputs = {io.identity_of(path): f"input {path}" for path in (*request.input_files(), *others)}
    inputs[io.identity_of(0)] = _STREAMS[0]
    taken = {io.identity_of(number): _STREAMS[number] for number in (2, 1)}
    for name, path in files.items():
        if path is None:
            continue
        if not path or "\0" in path:
            raise OptionError(f"{name} is {path!r}; it must be the path of a file")
        with io.writing(path):
            io.check_writable(path)
            identity = io.identity_of(path)
            is_stream = io.descriptor_of(path) is not None
        label = inputs.get(identity) or (None if is_stream else taken.get(identity))
        if identity is not None and label:
            raise InputError(f"{name} is {path}, which is the same file as {label}; choose another")
        taken[identity] = f"{name} {path}"


def check_file_in_folder(flag: str, path: str, request: Request) -> None:
    """Raise unless a file of a folder, which a flag names, can be written; it has no mark."""
    check_files({flag: path}, request)
    check_replaceable(f"a file of {flag}", path, "", request)


def check_replaceable(
    name: str, path: str, format: str, request: Request, text: str | None = None
) -> None:
    """Raise if a file has the suffix of another format, or exists and lacks the mark of `text`.

    Before the text is known, any mark of the format is accepted.
    """
    with io.writing(path):
        if io.is_special(path):
            return
        existing = _ends_of(path)
    if file_format := FILES.get(format):
        for checked_path in (path, os.path.realpath(path)):  # a link and its target
            _check_suffix(name, checked_path, format)
    if not existing or request.overwrite:
        return
    mark = file_format.mark(existing) if file_format else ""
    if not mark or (file_format and text is not None and mark != file_format.mark(text)):
        other = f" and is not {file_format.title} of this kind" if file_format else ""
        raise InputError(
            f"{name} is {path}, which exists{other}; choose another name, or add --overwrite to"
            " replace it"
        )


def _check_suffix(name: str, path: str, format: str) -> None:
    suffix, (title, suffixes, _) = io.suffix_of(path), FILES[format]
    if suffix in suffixes:
        return
    if format == "html":
        right = " or ".join(suffixes)
        raise OptionError(f"{name} is {path}; the name of {title} must end in {right}")
    for other in FILES.values():
        if suffix in other.suffixes:
            raise OptionError(
                f"{name} is {path}, but the output is {title}, not {other.title}; choose another"
                " name or format"
            )


def _ends_of(path: str) -> str:
    """Return the beginning and the end of a file; "" for a file that does not exist."""
    if not os.path.exists(path):
        return ""
    with open(path, "rb") as file:
        start = file.read(_MAX_BYTES_READ)
        file.seek(max(len(start), os.fstat(file.fileno()).st_size - _MAX_BYTES_READ))
        return (start + file.read(_MAX_BYTES_READ)).decode("utf-8-sig", "replace")


def write(request: Request, report: str) -> str:
    """Write the report to `--output`, if set, and return "", else return the report for stdout."""
    path = request.output.output
    if path is None:
        return report
    check_replaceable("--output", path, request.output_format, request, report)
    io.write(path, report)
    return ""


def write_with_page(request: CampaignRequest, report: str, campaign: Campaign) -> str:
    """Write the page of `--html`, and the report as `write` does; neither if one is refused."""
    if request.output.output is not None:
        check_replaceable("--output", request.output.output, request.output_format, request, report)
    if request.report.html is not None:
        _write_html(campaign, request)
    return write(request, report)


def _write_html(campaign: Campaign, request: CampaignRequest) -> None:
    """Write the report that `--html` asks for."""
    with progress.show(title="explaining", quiet=request.quiet) as bar:
        campaign.html(
            request.report.html,
            explained=request.report.explained,
            lang=request.metrics.target_of(campaign.metrics),
            progress=bar,
            jobs=Run(jobs=request.metrics.options.get("jobs") or 0).threads,
            flags=explain_flags(campaign, request),
            report_lang=request.report.report_lang or "en",
            command=command_text(request),
        )


def command_text(request: Request) -> str:
    """Return the command line for a page; of an absolute path only the name of the file.

    A report is sent to others, who need not know the user's folders.
    """
    words = [
        os.path.basename(word) if os.path.isabs(word) else word
        for word in request.command_line.words
    ]
    return f"{request.program} {shlex.join(words)}"


def explain_flags(campaign: Campaign, request: Request) -> dict[str, list[str]] | None:
    """Return the options of `celab explain` for each metric; None if it cannot read the files."""
    corpus, options = campaign.corpus, request.inputs
    files = [*corpus.ref_files, *map(corpus.file_of, corpus.systems)]
    if not corpus.by_line or not all(map(os.path.isfile, files)):
        return None
    flags = {}
    for name in (name for name, metric in campaign.metrics.items() if metric.explained_by):
        flags[name] = [
            word
            for option, value in [
                *((option, request.metrics.options.get(option)) for option in options_of(name)),
                ("encoding", options.encoding),
                ("align", options.align),
                ("text_documents", options.text_documents),
                ("unwrap", options.unwrap),
                ("documents", options.documents if options.align else None),
            ]
            if option != "jobs"
            for word in _words(flag(option), value)
        ]
    return flags


def _words(name: str, value: object) -> list[str]:
    # A flag and its value as words of a command; none if it was not set.
    if value is None or value is False:
        return []
    values = value if isinstance(value, list | tuple) else [] if value is True else [value]
    return [name, *map(str, values)]


def score_line(system: str, scores: Iterable[tuple[str, float, int]]) -> str:
    """Return the line with a system's scores, from titles, scores and numbers of decimals.

    >>> score_line("A", [("TESLA-CELAB", 0.46718, 4), ("chrF2", 30.123, 2)])
    'A: TESLA-CELAB = 0.4672, chrF2 = 30.12'
    """
    figures = (f"{title} = {cells.score(value, n)}" for title, value, n in scores)
    return f"{system}: {', '.join(figures)}"


def score_lines(scored: Scored, digits: int | None) -> Iterator[str]:
    """Yield a line for each system with its scores by all metrics."""
    for system in scored.system_names:
        scores = (by_system[system] for by_system in scored.scores.values() if system in by_system)
        figures = [
            (score.name, score.score, score.digits if digits is None else digits)
            for score in scores
        ]
        yield score_line(system, figures)


def tell_found(scored: Scored) -> None:
    """Say which outputs may not be translations, and what references and lengths show."""
    if scored.outputs is not None:
        by_first_metric = next(iter(scored.scores.values()))
        finding(*scored.outputs.lines(by_first_metric), *scored.length_lines())


def tell_read(request: Request, texts: Corpus) -> None:
    """Say what was read, and how to have it read otherwise."""
    note(*loading.describe_corpus(texts))
    if len(texts.systems) == 1:
        note(loading.multi_system_hint(request))


def finish(
    request: Request,
    text: str,
    n_skipped: int = 0,
    *,
    gate: Gate | None = None,
    summary: Callable[[], Iterable[Part]] | None = None,
) -> Outcome:
    """Build the `Outcome` of a command, and say how its gate ended.

    Parameters:
        request, text: of the command, and what is printed on standard output.
        n_skipped: segments without a score.
        gate: the gate of the command, if it has one, as returned by `with_untested`. A gate that
            failed takes precedence over skipped segments.
        summary: returns what a step summary shows.
    """
    code, annotation = 0, ""
    if n_skipped:
        finding(f"{quantity(n_skipped)} skipped, because no optimum was proved")
        code = EXIT_SKIPPED
    if gate is not None:
        annotation = _tell_gate(request, gate, summary)
        if gate.failed:
            code = EXIT_FAILED
        elif gate.untested:
            code = EXIT_SKIPPED
    return Outcome(text, code, annotation)


# Gates.

GITHUB, SUMMARY = "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"  # environment variables
EXIT_FAILED, EXIT_SKIPPED = 1, 3
_ESCAPED = {ord("%"): "%25", ord("\r"): "%0D", ord("\n"): "%0A"}
# Inputs that kinds of findings need → the flag that gives them.
NEEDED = {
    Needs.SOURCE: "a source; add --source FILE",
    Needs.REFERENCE: "a reference; add -r REF",
    Needs.GLOSSARY: "a glossary; add --terms FILE",
    Needs.SPANS: "error spans; add --spans FILE",
}


def check_gate(request: Request, known_kinds: Collection[str] | None = None) -> None:
    """Raise before any work is done if a gate cannot be decided.

    GitHub's summary must be writable, and `--fail-on` must name `known_kinds`, by default those
    that the command looks for.
    """
    check_files({SUMMARY: _summary_path()}, request)
    if not request.is_set("fail_on"):
        return
    if known_kinds is None:
        names = request.command_line.flags["fail_on"].info.known_names
        known_kinds = [*names()] if names else []
    for kind in request.gate.fail_on:
        if kind not in known_kinds:
            raise OptionError("fail_on", kind, suggest(kind, known_kinds))


def check_gate_texts(
    request: Request, texts: Corpus, metrics: Mapping[str, Metric] | None = None
) -> None:
    """Raise if the texts, or the other files, lack what the kinds of `--fail-on` need."""
    has_input = {
        Needs.SOURCE: texts.source is not None,
        Needs.REFERENCE: bool(texts.refs),
        Needs.GLOSSARY: request.is_set("terms"),
        Needs.SPANS: request.is_set("spans"),
    }
    kinds = _kinds(request)
    for need, advice in NEEDED.items():
        needing = [kind.name for kind in kinds if need in kind.needs]
        if needing and not has_input[need]:
            raise OptionError(f"--fail-on is {','.join(needing)}, which needs {advice}")
    if metrics and "reference-copy" in request.gate.fail_on and are_error_rates(metrics.values()):
        raise OptionError(
            "--fail-on is reference-copy, but an output that equals its reference is the aim of"
            f" {', '.join(metrics)}"
        )


def with_untested(gate: Gate | None, texts: Corpus) -> Gate | None:
    """Return the gate; one that passed says how many segments were left out of the texts."""
    n_untranslated = 0
    if texts.n_untranslated and not texts.refs:  # else they are segments that were left out
        from celab.corpus.formats.units import NOT_TO_TRANSLATE

        reasons = (by_reason.items() for by_reason in texts.n_untranslated.values())
        n_untranslated = sum(n for rows in reasons for name, n in rows if name != NOT_TO_TRANSLATE)
    if gate is None or gate.failed or not (texts.n_left_out or n_untranslated):
        return gate
    parts = [f"{quantity(texts.n_left_out)} left out"] if texts.n_left_out else []
    parts += [f"{quantity(n_untranslated, 'unit')} without a translation"] if n_untranslated else []
    untested = texts.n_left_out + n_untranslated
    reason = f"{gate.reason}; not tested: {' and '.join(parts)}"
    return replace(gate, reason=reason, untested=untested)


def with_judged(gate: Gate, request: Request, spans: SpanReport | None) -> Gate:
    """Return the gate; if it passed, it says of how many outputs people marked the errors."""
    if gate.failed or spans is None or not any(Needs.SPANS in x.needs for x in _kinds(request)):
        return gate
    judged = f"{quantity(spans.n_outputs, 'output')} judged by people"
    return replace(gate, reason=f"{gate.reason}; {judged}")


def check_scale(
    request: Request, option: str, value: float, metrics_by_name: Mapping[str, Metric]
) -> None:
    """Raise if a limit is not on the scale of the metric that decides; warn if it may not be.

    Error rates have no greatest value, and a model gives its metric a scale of its own.
    """
    name, metric = next(iter(metrics_by_name.items()))
    if not metric.higher_is_better or hasattr(metric, "model"):
        return
    stated = f"{flag(option)} is {value:g}, but the scale of {title_of(name)} is 0 to"
    if not 0 <= value <= metric.scale:
        example = f", such as {value / 100:g}" if metric.scale < value <= 100 else ""
        raise OptionError(f"{stated} {metric.scale}{example}")
    if option == "fail_under" and 0 < value < 1 < metric.scale:
        warn(f"{stated} {metric.scale}; is {100 * value:g} meant?", is_hint=True)


def gate_settings(request: Request) -> dict[str, bool]:
    """Return the arguments of `Campaign.findings` that kinds of `--fail-on` need."""
    kinds = _kinds(request)
    return {
        "differences": any(Needs.PROFILE in kind.needs for kind in kinds),
        "filters": any(not kind.verdict for kind in kinds),
    }


def _kinds(request: Request) -> list[FindingKind]:
    if not request.gate.fail_on:
        return []
    known = kinds_of()
    return [known[name] for name in request.gate.fail_on]


def _tell_gate(request: Request, gate: Gate, summary: Callable[[], Iterable[Part]] | None) -> str:
    """Say how a gate ended; return it as GitHub's annotation, and give its summary the view."""
    result = f"gate {'failed' if gate.failed else 'passed'}: {gate.reason}"
    (finding if gate.failed or gate.untested else note)(result)
    if not os.environ.get(GITHUB):
        return ""
    kind = "error" if gate.failed else "warning" if gate.untested else "notice"
    if (path := _summary_path()) is not None and summary is not None:
        title = markdown_line(Line((f"{request.program}: {result}",)))
        with io.writing(path), open(path, "a", encoding="utf-8") as file:
            file.write(f"### {title}\n{render(summary(), 'markdown')}\n")
    return f"::{kind} title={request.program}::{result.translate(_ESCAPED)}"


def _summary_path() -> str | None:
    return os.environ.get(SUMMARY) if os.environ.get(GITHUB) else None
