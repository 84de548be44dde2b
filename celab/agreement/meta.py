"""Meta-evaluation: correlation of metrics with human judgments.

Matrices are systems × segments, as in `celab.statistics`.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from celab.agreement import dataset, measurement
from celab.agreement import scores as metric_scores
from celab.agreement.dataset import Dataset
from celab.agreement.results import NEGATIVE, Evaluation, correlations
from celab.base.arguments import check_list, check_path
from celab.base.errors import OptionError, Setting
from celab.base.messages import warn
from celab.base.options import LIMITS, N_RESAMPLES, SEED, Limits
from celab.base.run import Progress
from celab.findings.references.twins import find_twins, twins_line
from celab.lexicon.catalog import LexiconSpec
from celab.metrics.factory import MetricSpec, make_metrics
from celab.statistics.difference import MIN_SEGMENTS
from celab.statistics.documents import ResampleBy

__all__ = ["evaluate"]


def evaluate(
    folder: str | os.PathLike[str] | Dataset,
    metrics: MetricSpec = ("celab", "chrf", "bleu"),
    *,
    refs: Sequence[str] | None = None,
    scores: Mapping[str, str | os.PathLike[str]] | None = None,
    lower_is_better: Collection[str] = (),
    human_lower_is_better: bool = False,
    against: str | None = None,
    levels: Collection[Literal["system", "segment"]] = ("system", "segment"),
    by: Literal["domain", "document"] | None = None,
    language_pair: str | None = None,
    human: str | None = None,
    documents: str | os.PathLike[str] | None = None,
    unwrap: bool = False,
    n_resamples: int = N_RESAMPLES,
    seed: int = SEED,
    resample_by: ResampleBy = "segment",
    lang: str | None = None,
    lexicon: LexiconSpec = "default",
    every_system: bool = False,
    count_from: int | None = None,
    limits: Limits = LIMITS,
    progress: Progress | None = None,
    **settings: object,
) -> Evaluation:
    """Correlate metrics with human judgments.

    Parameters:
        folder: judged translations: ref-NAME.txt, hyp/SYSTEM.txt and human-seg.tsv, human-sys.tsv,
            rankings.tsv or pairs.tsv, as docs/judges.md describes them; or a folder in the
            layout of mt-metrics-eval. Or a `celab.agreement.dataset.Dataset`, read from one.
        metrics: names (celab, tesla-m, bleu, chrf, chrf++, ter, or external metrics that such a
            folder or `scores` has), metrics, or a dict of them.
        refs: names of the references to use (default: all).
        scores: TSV files with scores of external metrics, by the metric's name.
        lower_is_better: names of external metrics for which lower scores are better.
        human_lower_is_better: lower human scores are better, as counts of errors are; a `Dataset`
            has been read with it.
        against: metric that the others are compared with (default: the first).
        levels: levels of the figures to compute.
        by: also measure each domain or document by itself (`.groups`).
        language_pair: language pair, such as "en-zh", if an mt-metrics-eval folder has several.
        human: name of the human scores, such as "mqm", if such a folder has several.
        documents: the document of each segment, for `by` and `resample_by`: one per line, or a TSV
            table with the columns document and domain (default: docs.tsv of the folder).
        unwrap: score the translations inside the outputs (`celab.unwrap`).
        n_resamples: number of bootstrap resamples, 40 or more.
        seed: random seed.
        resample_by: what intervals and tests draw and exchange: "segment", or "document" for talks
            and stories, whose segments depend on each other.
        lang, lexicon: arguments of metrics that are given by name.
        every_system: also score the systems that nobody judged, for `.computed`.
        count_from: number of the first segment, 0 or 1, in tables of judgments from which it cannot
            be detected (default: auto-detect).
        limits: greatest lengths of a line and a file.
        progress: as in `Campaign.score`.
        settings: other arguments of metrics that are given by name: jobs, solver, time_limit,
            on_error.

    Returns a `celab.agreement.results.Evaluation`; `.metrics[name].figures` has the figures,
    each with value, error, 95% interval and one-sided p.

    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "hyp").mkdir()
    >>> _ = (folder / "ref-A.txt").write_text("买雨伞\\n去北京\\n", "utf-8")
    >>> _ = (folder / "hyp" / "good.txt").write_text("买伞\\n去北京\\n", "utf-8")
    >>> _ = (folder / "hyp" / "bad.txt").write_text("卖伞\\n去\\n", "utf-8")
    >>> _ = (folder / "human-sys.tsv").write_text("good\\t80\\nbad\\t20\\n", "utf-8")
    >>> evaluation = evaluate(folder, ["celab"])
    >>> evaluation.metrics["celab"].figures["pairwise_accuracy"].value
    1.0
    """
    for name, value in {"levels": levels, "lower_is_better": lower_is_better, "refs": refs}.items():
        if value is not None:
            check_list(name, value)
    measurement.check_levels(levels)
    judged = folder
    if not isinstance(judged, dataset.Dataset):
        check_path("folder", judged)
        judged = dataset.read(
            judged,
            refs,
            limits,
            pair=language_pair,
            human=human,
            unwrap=unwrap,
            documents=documents,
            count_from=count_from,
            human_lower_is_better=human_lower_is_better,
        )
    files, texts, score_files = judged.files, judged.texts, dict(scores or {})
    assert files is not None and texts is not None
    own, external = _split(metrics, {*files.metrics, *score_files})
    tables = {name: files.metrics[name] for name in external if name not in score_files}
    tables |= {name: Path(path) for name, path in score_files.items()}
    by_name = {
        name: metric_scores.read(name, path, judged.corpus, name not in lower_is_better, limits)
        for name, path in tables.items()
    }
    for name in external:
        if name in files.system_scores and name not in score_files:
            of_systems = metric_scores.read(
                name, files.system_scores[name], judged.corpus, limits=limits
            )
            by_name[name] = replace(
                by_name[name], systems=of_systems.systems, systems_from_file=True
            )
    own_metrics = (
        make_metrics(own, lang=lang or files.lang, lexicon=lexicon, **settings) if own else {}
    )
    computed = metric_scores.score(own_metrics, texts if every_system else judged.corpus, progress)
    systems = list(texts.systems if every_system else judged.systems)
    rows = [systems.index(name) for name in judged.systems]
    by_name |= {item.name: item.select_systems(rows) for item in computed}
    order = metrics if isinstance(metrics, Mapping) else [*own_metrics, *score_files, *external]
    evaluation = measurement.measure(
        judged,
        [by_name[name] for name in dict.fromkeys((*order, *score_files))],
        against=against,
        levels=levels,
        n_resamples=n_resamples,
        seed=seed,
        resample_by=resample_by,
        by=by,
    )
    _warn_of_direction(evaluation, [*tables], lower_is_better, human_lower_is_better)
    named_refs = [*zip(judged.corpus.ref_names, judged.corpus.refs, strict=True)]
    for pair in find_twins(named_refs, judged.corpus.systems):
        if pair.kind == "reference-and-system":
            warn(twins_line(pair))
    return replace(evaluation, computed=tuple(computed))


def _warn_of_direction(
    evaluation: Evaluation,
    external: Collection[str],
    lower_is_better: Collection[str],
    human_lower_is_better: bool,
) -> None:
    """Warn if metrics correlate negatively with people: lower may be better in one of the files."""
    # With so few outputs, a negative correlation is chance.
    if len(evaluation.human) * evaluation.n_segments < MIN_SEGMENTS:
        return
    by_metric = {name: correlations(each.figures) for name, each in evaluation.metrics.items()}
    known = {name: values for name, values in by_metric.items() if values}
    turned = [name for name, x in known.items() if max(x) < 0 and sum(x) <= NEGATIVE * len(x)]
    human, from_files = (
        Setting("human_lower_is_better"),
        [name for name in turned if name in external],
    )
    wrong = [
        (name, Setting("lower_is_better", name), name in lower_is_better) for name in from_files
    ]
    # If all metrics do, ours among them, the human scores are probably the wrong way round.
    if len(turned) == len(known) and len(from_files) < len(turned):
        wrong = [("every metric", human, human_lower_is_better)]
    for name, setting, is_given in wrong:
        values = known.get(name) or [value for x in known.values() for value in x]
        between = f"{name} correlates negatively with human scores: {min(values):.2f} to"
        advice = "remove " if is_given else "if lower is better, add "
        warn((f"{between} {max(values):.2f}; {advice}", setting))


def _split(metrics: MetricSpec, external: Collection[str]) -> tuple[MetricSpec, list[str]]:
    """Return the metrics to compute, and the names of the metrics whose scores are in files."""
    if isinstance(metrics, Mapping):
        from_files = [name for name, metric in metrics.items() if metric == name in external]
        return {name: metrics[name] for name in metrics if name not in from_files}, from_files
    if getattr(metrics, "ndim", 1) != 1:  # an array or a frame, which has no metrics as items
        raise OptionError(f"metrics is of type {type(metrics).__name__}; it must be a list")
    if isinstance(metrics, str) or not isinstance(metrics, Iterable):
        metrics = [metrics]
    items = list(metrics)
    from_files = [item for item in items if isinstance(item, str) and item in external]
    return [item for item in items if not isinstance(item, str) or item not in external], from_files
