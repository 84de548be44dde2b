"""`celab explain`: segments of one system or more → where their scores come from.

One system is shown with its links and what is not matched. Several are stacked below each
reference, so that they can be compared.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from celab.base.arguments import Arguments
from celab.base.errors import OptionError
from celab.base.options import Limits, is_digits, option, option_group
from celab.base.text.escapes import dump_json, escape_controls
from celab.cli import loading, output_files, terminal
from celab.cli.command import command
from celab.cli.loading import load, may_be_texts
from celab.cli.metrics import Metrics, metrics_group
from celab.cli.option_groups import (
    JudgeOptions,
    OutputOptions,
    taken_with_text,
    text_rules,
    texts_group,
)
from celab.cli.requests import Request
from celab.cli.rules import Rule, conflict, needs, takes
from celab.cli.terminal import Outcome
from celab.corpus.model import Corpus, SegmentName
from celab.corpus.options import Inputs
from celab.metrics.base import Metric
from celab.metrics.explaining.explanation import SegmentExplanation
from celab.metrics.registry import METRICS, metric_class
from celab.systems.campaign import Campaign
from celab.systems.external_scores import judgments_data, judgments_text
from celab.systems.segment_order import order_by_loss
from celab.tables.formats import text_line
from celab.tables.result import JSON_FORMAT, plain
from celab.tables.view import Detail, line


@dataclass(frozen=True, kw_only=True)
class ExplainRequest(Request):
    """Request of `celab explain`."""

    usages = "{0} SEGMENTS REF... HYP, or {0} SEGMENTS -r REF... -s SYSTEM..."
    heading = "Output"

    texts: Inputs = texts_group(
        without=["lang"],
        files={
            "metavar": "SEGMENTS FILE",
            "help": "segments, such as 5,9-12 or 5 9 12, then references and the hypothesis",
        },
    )
    selection: str = "1"  # the only segment of --text
    worst: int | None = option(
        None,
        "the N segments with the greatest loss, in place of SEGMENTS; the loss is the highest score"
        " of the metric minus this score, or the error rate, times the letters of the reference;"
        " references of fewer than ten letters come last; the first metric counts, and the mean of"
        " all systems",
        metavar="N",
        between=(1, 10_000),
    )
    details: bool = option(
        False,
        "show all n-grams of one system, or the links of several; all terms of dicomer",
    )
    output: OutputOptions = option_group(
        OutputOptions,
        without=["tables", "digits"],
        json="print JSON, with all links and n-grams",
        quiet="suppress status messages",
    )
    judges: JudgeOptions = option_group(JudgeOptions)
    limits: Limits = option_group(Limits)
    metrics: Metrics = metrics_group()

    @staticmethod
    def rules(r: ExplainRequest) -> Iterator[Rule]:
        """Yield what excludes what, and what needs what."""
        yield conflict(r.details, r.output.json)
        yield needs(r.judges.count_from, r.judges.scores, r.judges.human, r.judges.spans)
        yield from text_rules(r.texts)
        yield takes(r.texts.text, *_taken_with_text(r), because="no file is read")


def _taken_with_text(r: ExplainRequest) -> Iterable[object]:
    """Yield the options that `--text` takes, one by one: one that is not listed is refused."""
    yield from taken_with_text(r.texts)
    yield from (r.details, r.output.json, r.output.color)
    yield from (r.output.output, r.output.overwrite, r.output.quiet)
    yield from (r.judges.scores, r.judges.lower_is_better, r.judges.human, r.judges.spans)
    yield from (r.judges.count_from, r.limits.max_line, r.limits.max_file)
    yield r.metrics


def _with_selection(request: ExplainRequest) -> ExplainRequest:
    """Return the request; the first words are the segments, unless all are texts or the worst."""
    if request.inputs.text or request.worst is not None:
        return request
    words = loading.words(request.inputs.files)
    if not words:
        raise OptionError(f"no segments are given; use {request.usage}")
    segments, *files = words
    is_number, has_roles = segments[:1].isdecimal(), request.inputs.has_roles
    if not is_number and not has_roles and may_be_texts(words):
        raise OptionError(
            f"{segments!r} is neither segments, such as 5,9-12, nor a file; to explain the"
            " words themselves, add --text"
        )
    if os.path.isfile(segments):
        raise OptionError(
            f"the segments are {segments!r}; they must be numbers and ranges, such as 5,9-12,"
            " before the files"
        )
    while files and _is_selection(files, has_roles=has_roles):
        segments += f",{files.pop(0)}"
    return replace(request, texts=replace(request.texts, files=files), selection=segments)


def _is_selection(words: Sequence[str], *, has_roles: bool) -> bool:
    """Return whether the first word is segments, as the word before it is.

    With flags for both sides no word is a file. Without, there are two files at the end.
    """
    first, *others = words
    is_file = os.path.lexists(first)
    if has_roles:
        return not is_file
    are_numbers = re.fullmatch(r"[0-9]+(?:[,-][0-9]+)*", first) is not None
    is_id = len(others) > 1 and not os.path.splitext(first)[1] and not re.search(r"[*?/\\]", first)
    return not is_file and (are_numbers or is_id)


@command(
    ExplainRequest,
    "explain",
    usage="[options] SEGMENTS... REF... HYP\n"
    "[options] SEGMENTS... -r REF... -s SYSTEM...\n"
    "[options] --text REF... HYP",
    common="-r -s -m --worst --lang --lexicon --details --json -o",
    example="{0} 5,9-12 -r ref.zh -s A.zh B.zh",
    description="Shows where the scores of segments come from. SEGMENTS are ids, or numbers,"
    " counted from 1, and ranges, such as 5,9-12. Several systems are stacked.",
    epilog="Files are read as by celab score.",
    refused={"--segments --segment": "give the numbers before the files: {0} 5,9-12 REF... HYP"},
)
def main(request: ExplainRequest) -> Outcome:
    """Explain the segments, and return what to print."""
    request = _with_selection(request)
    needs_refs = request.metrics.need_references
    files = loading.files_of(request, needs_refs=needs_refs)
    metrics_by_name, texts = load(request, files, _check_metrics, needs_refs=needs_refs)
    if request.worst is None:
        places = select(texts, request.selection)
    else:
        places = worst_segments(metrics_by_name, texts, request.worst)
    campaign = Campaign(texts, metrics=metrics_by_name)
    campaign = loading.with_judges(
        campaign, request, request.judges, [texts.names[place] for place in places]
    )
    if request.output.json:
        report = _as_json(campaign, places)
    else:
        color = wants_color(request.output)
        report = views(campaign, places, details=request.details, color=color)
    text = output_files.write(request, report)
    output_files.tell_read(request, texts)
    return output_files.finish(request, text, campaign.n_skipped)


def _check_metrics(metrics: Mapping[str, Metric]) -> None:
    """Raise unless all metrics can explain."""
    for name, metric in metrics.items():
        if not metric.explained_by:
            kinds = [name for name, entry in METRICS.items() if not entry.preset]
            explainable = ", ".join(name for name in kinds if metric_class(name).explained_by)
            raise OptionError(f"{name} scores cannot be explained; choose from {explainable}")


def _as_json(campaign: Campaign, places: Sequence[int]) -> str:
    texts, rows = campaign.corpus, []
    names = [texts.names[place] for place in places]
    for name, by_segment in campaign.explain(names, unmatched=True).items():
        for place, (segment, by_system) in zip(places, by_segment.items(), strict=True):
            for system, explanation in by_system.items():
                about = {
                    "metric": name,
                    "segment": segment,
                    "document": texts.segments[place].document,
                    "system": system,
                    "references": [texts.ref_names[r] for r in explanation.index],
                }
                rows.append(about | plain(explanation))
    return dump_json(
        {"format": JSON_FORMAT, "explanations": rows, **judgments_data(campaign, places)}
    )


def wants_color(output: OutputOptions) -> bool:
    """Return whether to use colors, as `--color` says; a file has none unless asked for."""
    is_file = output.output is not None and output.color == "auto"
    return not is_file and terminal.wants_color(output.color)


def views(campaign: Campaign, places: Sequence[int], *, details: bool, color: bool) -> str:
    """Return a view for each metric, segment and reference, or a stack of systems; then means."""
    from celab.metrics.explaining.printed import explanation, footer, stack

    texts = campaign.corpus
    names = [texts.names[place] for place in places]
    settings: Arguments = {"width": shutil.get_terminal_size().columns, "color": color}
    parts: list[str] = []
    unmatched = len(texts.systems) == 1 or details
    for metric, by_segment in campaign.explain(names, unmatched=unmatched).items():
        if campaign.metrics[metric].explained_by == "roles":
            parts += _roles(by_segment, details=details)
            continue
        for name, by_system in by_segment.items():
            first = next(iter(by_system.values()))
            for k, r in enumerate(first.index):
                title = f"segment {escape_controls(str(name))} of {len(texts.segments)}"
                against = {
                    system: segment.against[k].drawing() for system, segment in by_system.items()
                }
                if len(against) == 1:
                    ((system, only),) = against.items()
                    title += f": {system} against {texts.ref_names[r]}"
                    parts.append(explanation(title, only, ngrams=details, **settings))
                else:
                    title += f" against {texts.ref_names[r]}"
                    parts.append(stack(title, against, links=details, **settings))
            if len(first.index) > 1:
                means = [
                    (f"{escape_controls(system)}: " if len(by_system) > 1 else "")
                    + f"{segment.combined}\n"
                    for system, segment in by_system.items()
                ]
                parts.append("".join(means))
        if len(texts.systems) > 1:
            drawings = (
                against.drawing()
                for by_system in by_segment.values()
                for explanation in by_system.values()
                for against in explanation.against
            )
            parts.append(footer(drawings, **settings))
    if judged := judgments_text(campaign, places):
        parts.append(judged)
    return terminal.Colored("\n".join(parts))


def _roles(
    by_segment: Mapping[SegmentName, Mapping[str, SegmentExplanation]], *, details: bool
) -> Iterator[str]:
    """Yield the role matrix of each text, which has no reference."""
    detail: Detail = "full" if details else "normal"
    for name, by_system in by_segment.items():
        for system, explanation in by_system.items():
            title = line(f"segment {escape_controls(str(name))}: {escape_controls(system)}")
            yield f"{text_line(title)}\n{explanation.render(detail=detail)}"


def worst_segments(metrics: Mapping[str, Metric], texts: Corpus, n_segments: int) -> list[int]:
    """Return the places of the segments that lost most by the first metric, in this order."""
    name, metric = next(iter(metrics.items()))
    scored = Campaign(texts).score({name: metric}, check=False)
    scores = np.array([score.segments.scores for score in scored.scores[name].values()])
    # Documents may have no references, whose lengths would say how much is lost.
    texts_with_lengths = texts.refs or [*texts.systems.values()][:1]
    is_higher = metric.higher_is_better
    top = metric.scale if is_higher else 0.0
    order = order_by_loss(scores, texts_with_lengths, top=top, higher_is_better=is_higher)
    return order[:n_segments]


_MAX_DIGITS = 9


def select(corpus: Corpus, text: str) -> list[int]:
    """Return the places of segments, from 0, each once, in the order of the text.

    The text is the name of a segment, or a list of names and of ranges of numbers. A name is tried
    as a whole first, because an id may have commas and dashes.

    >>> from celab.corpus.model import Segment
    >>> ids = ["a-1", "7", "8", "9", "x,y"]
    >>> corpus = Corpus(
    ...     segments=[Segment("", name) for name in ids], systems={}, refs=[], ref_names=[]
    ... )
    >>> select(corpus, "x,y"), select(corpus, "8-9,a-1"), select(corpus, "1")
    ([4], [2, 3, 0], [0])
    """
    if corpus.place_of(text) is not None:
        return _places(corpus, [text])
    selected = [_names(corpus, part, text) for part in text.split(",")]
    return [*dict.fromkeys(place for names in selected for place in _places(corpus, names))]


def _names(corpus: Corpus, part: str, text: str) -> Sequence[str | int]:
    """Return the names in a part of a list; those of a range are numbers."""
    if corpus.place_of(part) is not None:
        return [part]
    first, dash, last = part.partition("-")
    ends = (first, last if dash else first)
    if not all(is_digits(end) and len(end) <= _MAX_DIGITS for end in ends):
        if part.strip() and not corpus.by_line:
            return [part]
        raise OptionError(
            f"the segments are {text!r}; they must be numbers and ranges, such as 5,9-12,"
            " before the files"
        )
    numbers = range(int(ends[0]), int(ends[1]) + 1)
    if not numbers or (numbers[0] < 1 and corpus.place_of("0") is None):
        raise OptionError(
            f"the segments are {text!r}; they are counted from 1, and the first of a range"
            " must not be greater than the last"
        )
    return numbers


def _places(corpus: Corpus, names: Sequence[str | int]) -> list[int]:
    places = []
    for name in (names[-1], *names):  # the last first, because a range may be long
        place = corpus.place_of(str(name))
        if place is None:
            raise OptionError(f"no segment {name}; there are {len(corpus.segments)}")
        places.append(place)
    return places[1:]
