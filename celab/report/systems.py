"""A campaign → lines or tables: all systems by each metric, or their documents or segments."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np

from celab.campaign import Campaign, documents
from celab.escapes import escaped
from celab.report.tables import Table, note, write

if TYPE_CHECKING:
    from celab.campaign import Comparison
    from celab.metrics.base import Score

NAMES = {"bootstrap": "paired bootstrap", "randomization": "approximate randomization"}


def lines(scored: Campaign, *, brief: bool = False) -> str:
    """A line a score, in the order of the files, metric after metric: all that is needed to cite
    the number, or the number alone, for scripts."""
    scores = [score for of_metric in scored.scores.values() for score in of_metric.values()]
    return "".join(f"{rounded(score) if brief else escaped(str(score))}\n" for score in scores)


def decimals(score: Score) -> int:
    """How many digits mean something: four of a score from 0 to 1, two of one from 0 to 100."""
    return 4 if score.precision is not None else 2


def rounded(score: Score) -> str:
    """The number, with as many digits as mean something."""
    return f"{score.score:.{decimals(score)}f}"


def tables(scored: Campaign, kind: str, *, p_values: bool) -> str:
    """For each metric the systems, the best first; as TSV all metrics in one table."""
    if kind == "tsv":
        return write(_as_tsv(scored, p_values), kind)
    scored = shortened(scored)
    return "\n".join(_metric_tables(metric, scored, kind, p_values) for metric in scored.scores)


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Without the folder that all of them have in common, for people to read.

    >>> short_names(["out/a.zh", "out/b/c.zh"])
    {'out/a.zh': 'a.zh', 'out/b/c.zh': 'b/c.zh'}
    """
    names = list(names)
    folders = zip(*(name.split("/")[:-1] for name in names), strict=False)
    n_common = len(list(takewhile(lambda parts: len(set(parts)) == 1, folders)))
    return {name: "/".join(name.split("/")[n_common:]) for name in names}


def shortened(scored: Campaign) -> Campaign:
    """The same campaign, with short names of systems and references."""
    systems, refs = short_names(scored.corpus.systems), short_names(scored.corpus.ref_names)
    corpus = replace(
        scored.corpus,
        systems={systems[name]: texts for name, texts in scored.corpus.systems.items()},
        ref_names=[refs[name] for name in scored.corpus.ref_names],
    )
    scores = {
        metric: {systems[name]: score for name, score in of_metric.items()}
        for metric, of_metric in scored.scores.items()
    }
    comparisons = {
        metric: replace(one, systems=tuple(systems[name] for name in one.systems))
        for metric, one in scored.comparisons.items()
    }
    return Campaign(corpus, scores, comparisons)


def _metric_tables(metric: str, scored: Campaign, kind: str, p_values: bool) -> str:
    of_metric, comparison = scored.scores[metric], scored.comparisons.get(metric)
    first = next(iter(of_metric.values()))
    if comparison is None:
        rows = [[name, rounded(score)] for name, score in of_metric.items()]
        table = Table(["system", first.name], rows, right=[1])
        return write(table, kind) + "\n" + note(first.signature, kind)
    text = write(_compared(comparison, first), kind) + "\n"
    if p_values:
        headings = ["p", *comparison.systems]
        rows = [
            [name, *("" if i == j else f"{p:.3f}" for j, p in enumerate(comparison.p_values[i]))]
            for i, name in enumerate(comparison.systems)
        ]
        text += write(Table(headings, rows, right=range(1, len(headings))), kind) + "\n"
    # Each system may have skipped other segments; what counts is what all of them have.
    text += note(first.signature.partition("|skipped:")[0], kind)
    has_score = np.logical_and.reduce([score.segments.scored for score in of_metric.values()])
    if not has_score.all():
        text += note(
            f"compared on {has_score.sum()} of {len(has_score)} segments; of the others not every"
            " score is proved", kind,
        )  # fmt: skip
    return text + note(
        f"intervals and ranks: 95%, {comparison.n_resamples} resamples, seed {comparison.seed};"
        f" systems of different groups differ significantly ({NAMES[comparison.test]}, p < 0.05)",
        kind,
    )


def _compared(comparison: Comparison, first: Score) -> Table:
    n = decimals(first)
    rows, rules = [], []
    for i, name in enumerate(comparison.systems):
        low, high = comparison.intervals[i]
        best, worst = comparison.ranks[i]
        if i and comparison.groups[i] != comparison.groups[i - 1]:
            rules.append(i)
        rows.append([
            str(comparison.groups[i]), name, f"{comparison.scores[i]:.{n}f}",
            f"[{low:.{n}f}, {high:.{n}f}]", f"{best}" if best == worst else f"{best}-{worst}",
        ])  # fmt: skip
    headings = ["group", "system", first.name, "95% interval", "ranks"]
    return Table(headings, rows, right=[0, 2, 3, 4], rules=rules)


def _as_tsv(scored: Campaign, p_values: bool) -> Table:
    headings = ["metric", "system", "score", "precision", "recall"]
    if scored.comparisons:
        headings += ["low", "high", "best_rank", "worst_rank", "group"]
    names = sorted(scored.corpus.systems) if scored.comparisons and p_values else []
    rows = []
    for metric, of_metric in scored.scores.items():
        comparison = scored.comparisons.get(metric)
        for name in comparison.systems if comparison else of_metric:
            score = of_metric[name]
            numbers = (score.score, score.precision, score.recall)
            row = [metric, name, *("" if x is None else repr(x) for x in numbers)]
            if comparison:
                i = comparison.systems.index(name)
                row += map(repr, comparison.intervals[i].tolist())
                row += map(str, [*comparison.ranks[i], comparison.groups[i]])
                others = (comparison.systems.index(other) for other in names)
                row += [repr(float(comparison.p_values[i, j])) for j in others]
            rows.append([*row, score.signature])
    return Table([*headings, *(f"p {name}" for name in names), "signature"], rows)


def below(scored: Campaign, level: str, kind: str) -> str:
    """The documents or the segments; columns for metric and system only if there are several."""
    several_metrics, several_systems = len(scored.scores) > 1, len(scored.corpus.systems) > 1
    has_documents = level == "document" or any(s.document for s in scored.corpus.segments[:1])
    all_scores = [score for of in scored.scores.values() for score in of.values()]
    has_rates = level == "segment" and any(score.precision is not None for score in all_scores)
    headings = ["metric"] * several_metrics + ["system"] * several_systems
    headings += ["document"] * has_documents + ["segment"] * (level == "segment") + ["score"]
    headings += ["precision", "recall"] * has_rates
    rows = []
    for metric, of_metric in scored.scores.items():
        for system, score in of_metric.items():
            start = [metric] * several_metrics + [system] * several_systems
            for names, numbers in _units(scored, score, level, has_documents):
                cells = ["" if math.isnan(x) else f"{x:.6f}" for x in numbers]  # "": skipped
                row = [*start, *names, *cells]
                rows.append(row + [""] * (len(headings) - len(row)))
    return write(Table(headings, rows), kind)


def _units(
    scored: Campaign, score: Score, level: str, has_documents: bool
) -> Iterator[tuple[list[str], list[float]]]:
    # The names and the numbers of each document or segment.
    if level == "document":
        for name, places in documents(scored.corpus).items():
            yield [name], [score.of_segments(places)]
        return
    figures = score.segments.figures.tolist()
    for segment, numbers in zip(scored.corpus.segments, figures, strict=True):
        yield [segment.document] * has_documents + [segment.id], numbers
