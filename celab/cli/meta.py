"""`celab meta`: a folder of translations with human judgments → correlation of metrics with them.

It parses, reads, scores, measures and reports, in this order, and writes only when all of it has
succeeded.
"""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from celab.agreement import dataset, layout, meta, scores
from celab.agreement.dataset import Dataset
from celab.agreement.results import Evaluation
from celab.base import io
from celab.base.arguments import Arguments
from celab.base.errors import InputError, OptionError, suggest
from celab.base.messages import about, finding, note
from celab.base.options import Limits, option, option_group
from celab.cli import loading, output_files, progress
from celab.cli.command import command
from celab.cli.datasets import Datasets
from celab.cli.metrics import Metrics, metrics_group
from celab.cli.option_groups import (
    JudgeOptions,
    OutputOptions,
    ReportOptions,
    SignificanceOptions,
    WarningOptions,
    format_rules,
    text_rules,
    texts_group,
)
from celab.cli.requests import Request, judged_files
from celab.cli.rules import Rule, needs, refuse
from celab.cli.terminal import Outcome
from celab.corpus.options import Inputs
from celab.metrics.base import Metric
from celab.metrics.registry import METRICS, metric_class
from celab.tables.cells import quantity

DEFAULT_METRICS = "celab,chrf,bleu"
LEVELS: tuple[Literal["system", "segment"], ...] = ("system", "segment")
SEGMENTS = "segments.tsv"  # WMT25's file, in the folder of --write-scores


@dataclass(frozen=True, kw_only=True)
class MetaRequest(Request):
    """Request of `celab meta`."""

    usages = "{0} DATASET, or -r REF... -s SYSTEM... --human FILE"
    heading = "Output"

    sets: Datasets = option_group(Datasets)
    judges: JudgeOptions = option_group(
        JudgeOptions,
        without=["spans"],
        scores="add an external metric; a TSV file with the columns system, segment and score, or"
        " system and score",
        lower_is_better="lower is better for this external metric",
        human={
            "metavar": "NAME|FILE",
            "help": "human scores, such as mqm, if a folder of mt-metrics-eval has several; with -r"
            " and -s, a file as for celab score --human: TSV, CSV or JSONL with system, segment and"
            " score, or system and score, or judgments such as MQM TSV",
        },
    )
    # Texts that are not in a folder, or how those in folders are read.
    texts: Inputs = texts_group(
        without=["files", "source", "test_set", "lang", "text"],
        language_pair="language pair, such as en-zh, if a folder of mt-metrics-eval or the files"
        " have several",
        references="references, if they are not in a folder with human scores",
        systems={
            "flags": ("-s", "--systems"),
            "help": "system outputs, if they are not in a folder with human scores; a folder of"
            " outputs stands for its files",
        },
        documents="document of each segment, for --by and --text-documents: one per line, or a TSV"
        " table with document and domain (default: docs.tsv of the folder)",
    )
    human_lower_is_better: bool = option(
        False, "lower human scores are better, as for error counts", group="Other judges"
    )
    against: str | None = option(
        None,
        "metric to compare the others with (default: the first)",
        metavar="NAME",
        file="none",
        group="Intervals and tests",
    )
    tests: SignificanceOptions = option_group(
        SignificanceOptions,
        without=["test"],
        resamples="number of bootstrap resamples",
    )
    level: Literal["system", "segment"] | None = option(
        None, "report this level only (default: both)", choices=LEVELS
    )
    by: Literal["domain", "document"] | None = option(
        None, "also report each domain or document by itself", choices=("domain", "document")
    )
    output: OutputOptions = option_group(OutputOptions, without=["color", "digits"])
    page: ReportOptions = option_group(
        ReportOptions,
        only=["html", "report_lang", "plot"],
        html="also write an HTML report with plots",
        plot="also draw all metrics on all sets; .svg, .png or .pdf (needs matplotlib)",
    )
    write_scores: str | None = option(
        None,
        "also write the metrics' scores of all systems, judged or not, in the layout of"
        " mt-metrics-eval and as WMT25's segments.tsv",
        metavar="FOLDER",
        file="folder",
    )
    limits: Limits = option_group(Limits)
    time: WarningOptions = option_group(WarningOptions, only=["slow"])
    metrics: Metrics = metrics_group(DEFAULT_METRICS)

    @staticmethod
    def rules(r: MetaRequest) -> Iterator[Rule]:
        """Yield what excludes what, and what needs what."""
        yield from format_rules(r.output)
        yield from text_rules(r.texts)
        # Files of a folder are plain text.
        for given in (
            *(r.texts.format, r.texts.encoding, r.texts.missing, r.texts.skip_missing),
            *(r.texts.sheet, r.texts.no_header, r.texts.fields.ref, r.texts.fields.hyp),
            *(r.texts.fields.source, r.texts.fields.document, r.texts.fields.id),
            r.texts.fields.system,
            *(r.texts.only_refs, r.texts.only_systems, r.texts.names),
        ):
            yield needs(given, r.texts.references)
        yield refuse(_wrong_sets)

    @classmethod
    def known_metrics(cls, words: Sequence[str]) -> Collection[str]:
        """Return the names that `-m` takes, with those of `--scores` and of folders."""
        return (*METRICS, *_names_in(words))

    def files_of(self, name: str, value: str) -> Iterator[str]:
        """Yield the files that the value of a field may stand for."""
        return judged_files(value) if name == "dataset" else super().files_of(name, value)


def _wrong_sets(request: MetaRequest) -> str:
    """Return an error text unless there are folders, or -r, -s and --human; else ""."""
    usage = request.usage
    dataset, options = request.sets.dataset, request.inputs
    if not options.has_roles:
        if not dataset:
            return f"no folder is given; use {usage}"
        if options.documents is not None and len(dataset) > 1:
            return "--documents is for one folder; leave it out, or give one folder"
        return ""
    if dataset:
        return f"{dataset[0]} is given with -r or -s; use {usage}"
    # Systems may be columns of the references' file.
    sides = {"-r": options.references, "--human": request.judges.human}
    if missing := next((flag for flag, given in sides.items() if given is None), ""):
        return f"{missing} is missing; use {usage}"
    if request.sets.refs is not None:
        return "--refs chooses from the references of a folder; leave it out with -r"
    return ""


@command(
    MetaRequest,
    "meta",
    usage="[options] DATASET...\n[options] -r REF... -s SYSTEM... --human FILE",
    common="-m --scores --refs --against --lang --lexicon --level --json --html --plot",
    example="{0} -m celab chrf --scores comet=comet.tsv wmt23-en-zh",
    description="Correlates metrics with human judgments. DATASET is a folder with ref-*.txt,"
    " hyp/*.txt and human scores or rankings.",
    epilog="DATASET is a folder with ref-NAME.txt (one or more), hyp/SYSTEM.txt, and at least"
    " one of human-seg.tsv (columns system, segment, score; judge), human-sys.tsv"
    " (system, score), rankings.tsv (segment, judge, system, rank; 1 is the best) and pairs.tsv"
    " (segment, better, worse). Higher scores are better. The first two may also lack a header,"
    " as in the WMT metrics tasks: system and score, a system's segments in their order."
    " docs.tsv (domain, document) is for --by. Without a folder, -r, -s and --human name the"
    " files, and a system is called by its file without the suffix. Or DATASET is a folder of"
    " mt-metrics-eval, with sources, references, system-outputs, human-scores and"
    " metric-scores.",
)
def main(request: MetaRequest) -> Outcome:
    """Correlate metrics with human judgments, and return what to print."""
    score_files = request.judges.score_files()
    names = request.metrics.chosen([*request.known_metrics(request.sets.dataset), *score_files])
    names += [name for name in score_files if name not in names]
    if request.against is not None and request.against not in names:
        raise OptionError(f"--against is {request.against!r}; {suggest(request.against, names)}")

    plot = request.page.plot
    if plot is not None:
        from celab.report import plots

        plots.format_of(plot)
    evaluations = []
    folders = request.sets.dataset or (None,)
    sets = []
    own = [name for name in names if name not in score_files]
    for folder in folders:
        with about(_place(folder, folders)):
            sets.append(_read(request, folder, own))
    if request.write_scores is not None:
        _check_scores(request.write_scores, request, sets, names, score_files)
    for folder, judged in zip(folders, sets, strict=True):
        with about(_place(folder, folders)):
            evaluations.append(_evaluate(request, judged, names, score_files))
    if request.write_scores is not None:
        _write_scores(request.write_scores, request.inputs.language_pair, evaluations)
    if plot is not None:
        from celab.report import plots

        io.write(plot, plots.saved(plots.agreement(evaluations), plots.format_of(plot)))
    if request.page.html is not None:
        from celab.report.html.agreement import evaluations_page

        lang = request.page.report_lang or "en"
        command = output_files.command_text(request)
        page = evaluations_page(*evaluations, report_lang=lang, command=command)
        io.write(request.page.html, page)
    kind, is_json = request.output.table or "text", request.output.json
    reports = [
        (each.to_json() if is_json else each.render(kind).rstrip("\n")) + "\n"
        for each in evaluations
    ]
    between = "" if is_json or kind == "tsv" else "\n"
    code = 3 if any(evaluation.n_skipped for evaluation in evaluations) else 0
    text = output_files.write(request, between.join(reports))
    return Outcome(text, code)


def _place(folder: str | None, folders: Sequence[str | None]) -> str:
    """Return the name of a data set in messages, if there are several: its folder."""
    return folder if folder is not None and len(folders) > 1 else ""


def _read(request: MetaRequest, folder: str | None, metrics: Sequence[str]) -> Dataset:
    """Read a folder, or without one the files of -r, -s and --human, for metrics of celab."""
    options = request.inputs
    of_judgments: Arguments = {
        "count_from": request.judges.count_from,
        "human_lower_is_better": request.human_lower_is_better,
    }
    if folder is None:
        inputs = replace(
            options,
            references=loading.words(options.references),
            systems=loading.words(options.systems),
            blank_refs=bool(metrics)
            and all(metric_class(name).has_empty_references for name in metrics),
        )
        human = request.judges.human or ""
        try:
            judged = dataset.read_files(inputs, human, request.limits, **of_judgments)
        except InputError as error:
            raise loading.with_advice(request, error, None) from None
    else:
        judged = dataset.read(
            folder,
            request.sets.chosen,
            request.limits,
            options.language_pair,
            request.judges.human,
            align=options.align,
            unwrap=options.unwrap,
            text_documents=options.text_documents or "none",
            documents=options.documents,
            **of_judgments,
        )
    if judged.texts is not None:
        loading.told_unwrapped(judged.texts)
    if request.by is not None:
        judged.labels_of(request.by)
    return judged


def _evaluate(
    request: MetaRequest,
    judged: Dataset,
    names: Sequence[str],
    score_files: dict[str, str],
) -> Evaluation:
    """Return the figures of one set."""
    layout, texts = judged.files, judged.texts
    assert layout is not None and texts is not None
    external = _external(request, judged, names, score_files)
    own = [name for name in names if name not in external]
    if lacking := [name for name in own if name not in METRICS]:
        raise OptionError(f"{judged.name} has no scores of {lacking[0]} with these references")
    metrics_by_name: dict[str, Metric] = {}
    corpus = judged.corpus if request.write_scores is None else texts
    if own:
        options = dict(request.metrics.options)
        if lang := options.get("lang") or layout.lang:
            options["lang"] = lang
        selected = replace(request.metrics, names=tuple(own), options=options)
        metrics_by_name = selected.make()
        if request.sets.dataset:
            loading.warn_of_languages(metrics_by_name.values(), loading.sides_of(corpus))
        else:
            systems = [corpus.file_of(name) for name in corpus.systems]
            files = loading.InputFiles([*corpus.ref_files], systems, None)
            loading.warn_of_texts(request, files, metrics_by_name, corpus)
        loading.check_time(request, request.time, metrics_by_name, corpus)
    with progress.show(then="resampling", quiet=request.output.quiet) as bar:
        evaluation = meta.evaluate(
            judged,
            {name: metrics_by_name.get(name, name) for name in dict.fromkeys((*names, *external))},
            scores=score_files,
            lower_is_better=request.judges.lower_is_better,
            human_lower_is_better=request.human_lower_is_better,
            against=request.against,
            levels=LEVELS if request.level is None else (request.level,),
            by=request.by,
            **request.tests.resampling,
            every_system=request.write_scores is not None,
            limits=request.limits,
            progress=bar,
        )
    # With several data sets, all messages already name the folder.
    is_named = len(request.sets.dataset) > 1
    note(*_describe_input(judged, "" if is_named else f"{judged.name}, "))
    if n := evaluation.n_skipped:
        finding(f"{quantity(n)} skipped, because no optimum was proved")
    return evaluation


def _external(
    request: MetaRequest, judged: Dataset, names: Sequence[str], score_files: dict[str, str]
) -> list[str]:
    """Return the metrics whose scores are in files, in the folder or given by `--scores`."""
    assert judged.files is not None
    known = judged.files.metrics
    in_folder = [name for name in known if not request.metrics.names or name in names]
    return [*in_folder, *score_files]


def _check_scores(
    folder: str,
    request: MetaRequest,
    sets: Sequence[Dataset],
    names: Sequence[str],
    score_files: dict[str, str],
) -> None:
    """Raise before scoring unless all files of `--write-scores` are new, or may be replaced."""
    if not folder or "\0" in folder:
        raise OptionError(f"--write-scores is {folder!r}; it must be the path of a folder")
    set_by_path: dict[str, Dataset] = {}
    for judged in sets:
        external = _external(request, judged, names, score_files)
        for name in (name for name in names if name not in external):
            pair = _pair(judged, request.inputs.language_pair)
            for level in ("sys", "seg"):
                path = scores.wmt_file(name, judged.references, pair, level)
                if path in set_by_path:
                    both = f"{set_by_path[path].name} and {judged.name}"
                    raise OptionError(
                        f"--write-scores would write {path} for {both}; write one at a time"
                    )
                set_by_path[path] = judged
    for path in (os.path.join(folder, name) for name in (*set_by_path, SEGMENTS)):
        if os.path.lexists(path):
            output_files.check_file_in_folder("--write-scores", path, request)


def _pair(judged: Dataset, language_pair: str | None) -> str:
    """Return the language pair of a set, or its name."""
    assert judged.files is not None
    return judged.files.pair or language_pair or judged.name


def _write_scores(
    folder: str, language_pair: str | None, evaluations: Sequence[Evaluation]
) -> None:
    """Write the files of `--write-scores`: mt-metrics-eval's layout and WMT25's segments.tsv."""
    texts: dict[str, str] = {}
    rows = ["\t".join(scores.WMT25_COLUMNS)]
    for evaluation in evaluations:
        judged, corpus = evaluation.dataset, evaluation.dataset.texts
        assert judged.files is not None and corpus is not None
        pair = _pair(judged, language_pair)
        for computed in evaluation.computed:
            systems = list(corpus.systems)
            texts |= scores.as_wmt_files(computed, systems, judged.references, pair)
            known_pair = judged.files.pair or language_pair or ""
            labels = judged.all_labels()
            rows += scores.as_wmt25_rows(computed, systems, known_pair, judged.name, labels)
    texts[SEGMENTS] = "\n".join(rows) + "\n"
    for name, text in texts.items():
        path = os.path.join(folder, name)
        with io.writing(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
        io.write(path, text)


def _names_in(words: Sequence[str]) -> list[str]:
    """Return the metrics that `--scores` and folders add, which `-m` must know before parsing."""
    after = [word for flag, word in pairwise(words) if flag == "--scores"]
    after += [word.removeprefix("--scores=") for word in words if word.startswith("--scores=")]
    names = [word.partition("=")[0] for word in after]
    for word in words:
        if os.path.isdir(os.path.join(word, "metric-scores")):
            names += sorted(layout.metric_names(word))
    return names


def _describe_input(judged: Dataset, name: str) -> Iterator[str]:
    """Yield notes about what was read; the first begins with a name."""
    n_systems, n_segments = len(judged.systems), len(judged.corpus.segments)
    texts = judged.corpus
    left_out = f", {texts.n_left_out} left out" if texts.n_left_out else ""
    joined = f", joined by {texts.joined_by}" if texts.joined_by else ""
    yield (
        f"{name}{quantity(n_systems, 'judged system')},"
        f" reference{'s' if len(judged.references) > 1 else ''} {' '.join(judged.references)},"
        f" {quantity(n_segments)}{left_out}{joined}"
    )
    if judged.unjudged:
        yield f"{len(judged.unjudged)} left out, not judged: {', '.join(judged.unjudged)}"
    if judged.without_output:
        yield f"judged, but not in hyp: {', '.join(judged.without_output)}"
    by_people = zip(judged.systems, judged.people.systems, strict=True)
    lacking = [name for name, score in by_people if math.isnan(score)]
    if lacking and judged.people.systems_from.startswith("human-sys.tsv"):
        yield f"{len(lacking)} without a score in human-sys.tsv: {', '.join(lacking)}"
