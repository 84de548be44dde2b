"""Meta-evaluation: correlation of metrics with human judgments.

    dataset    a folder → texts, and judgements as arrays: scores of systems, sets of rankings, κ
    scores     TSV files → rows; metrics and texts, or rows → scores of all systems
    agreement  all of it → figures with errors and p-values

Matrices are systems × segments, as in `celab.statistics`.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from celab.evaluation.meta.agreement import Evaluation
    from celab.lexicon.catalogue import LexiconSpec
    from celab.metrics.factory import MetricSpec

__all__ = ["evaluate"]


def evaluate(
    folder: str | os.PathLike[str],
    metrics: MetricSpec = ("celab", "chrf", "bleu"),
    *,
    refs: Sequence[str] | None = None,
    scores: Mapping[str, str | os.PathLike[str]] | None = None,
    lower_is_better: Collection[str] = (),
    against: str | None = None,
    levels: Collection[Literal["system", "segment"]] = ("system", "segment"),
    by: Literal["domain", "document"] | None = None,
    language_pair: str | None = None,
    human: str | None = None,
    n_resamples: int = 1000,
    seed: int = 12345,
    lang: str | None = None,
    lexicon: LexiconSpec = "default",
    **settings: Any,
) -> Evaluation:
    """Correlates metrics with human judgments.

    Parameters:
        folder: judged translations: ref-NAME.txt, hyp/SYSTEM.txt and human-seg.tsv, human-sys.tsv,
            rankings.tsv or pairs.tsv, as docs/celab-meta.md describes them; or a folder in the
            layout of mt-metrics-eval.
        metrics: names (celab, tesla-m, bleu, chrf, chrf++, ter, or external metrics that such a
            folder has), metrics, or a dict of them.
        refs: names of the references to use (default: all).
        scores: TSV files with scores of other metrics, by the metric's name.
        lower_is_better: names of such metrics for which lower scores are better.
        against: metric that the others are compared with (default: the first).
        levels: which figures to compute.
        by: also measure each domain or document by itself (`.groups`).
        language_pair: language pair, such as "en-zh", if an mt-metrics-eval folder has several.
        human: name of the human scores, such as "mqm", if such a folder has several.
        n_resamples: number of bootstrap resamples of the segments.
        seed: random seed.
        lang, lexicon: for metrics that are given by name.
        settings: jobs, solver, time_limit, on_error, for metrics that are given by name.

    Returns a `celab.meta.agreement.Evaluation`; `.metrics[name].figures` has the figures, each with
    value, error, 95% interval and one-sided p.

    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "hyp").mkdir()
    >>> _ = (folder / "ref-A.txt").write_text("买雨伞\\n去北京\\n", "utf-8")
    >>> _ = (folder / "hyp" / "good.txt").write_text("买伞\\n去北京\\n", "utf-8")
    >>> _ = (folder / "hyp" / "bad.txt").write_text("卖伞\\n去\\n", "utf-8")
    >>> _ = (folder / "human-sys.tsv").write_text("good\\t80\\nbad\\t20\\n", "utf-8")
    >>> found = evaluate(folder, ["celab"])
    >>> found.metrics["celab"].figures["pairwise_accuracy"].value
    1.0
    """
    from celab.evaluation.meta import agreement, dataset
    from celab.evaluation.meta import scores as of_metrics
    from celab.metrics.factory import make_metrics

    judged = dataset.read(folder, refs, pair=language_pair, human=human)
    given = dict(scores or {})
    files = judged.files
    assert files is not None
    lang = lang or files.lang
    outside: list[str] = []
    if isinstance(metrics, Iterable) and not isinstance(metrics, (str, Mapping)):
        listed = list(metrics)
        outside = [one for one in listed if isinstance(one, str) and one in files.metrics]
        metrics = [one for one in listed if not isinstance(one, str) or one not in outside]
    agreement.check_levels(levels)
    made = make_metrics(metrics, lang=lang, lexicon=lexicon, **settings) if metrics else {}
    found = of_metrics.score(made, judged.corpus)
    found += [
        of_metrics.read(
            name, path, judged.systems, len(judged.corpus.segments), name not in lower_is_better
        )
        for name, path in given.items()
    ]
    found += [
        of_metrics.read(
            name, files.metrics[name], judged.systems, len(judged.corpus.segments), separator=None
        )
        for name in outside
    ]
    return agreement.measure(
        judged, found, against=against, levels=levels, n_resamples=n_resamples, seed=seed, by=by
    )
