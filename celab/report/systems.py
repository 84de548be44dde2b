"""A campaign → tables: all systems by each metric, or their documents or segments."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from celab.campaign import Campaign, documents
from celab.report.tables import Table, note, write
from celab.report.text import decimals

if TYPE_CHECKING:
    from celab.campaign import Comparison
    from celab.metrics.base import Score

NAMES = {"bootstrap": "paired bootstrap", "randomization": "approximate randomization"}


def tables(found: Campaign, kind: str, *, p_values: bool) -> str:
    """For each metric the systems, the best first; as TSV all metrics in one table."""
    if kind == "tsv":
        rows: list[list[str]] = []
        for metric, of in found.scores.items():
            comparison = found.comparisons.get(metric)
            rows += _tsv_rows(metric, of, comparison, p_values)
        names = next(iter(found.comparisons.values())).systems if found.comparisons else ()
        tests = [f"p {name}" for name in sorted(names)] if p_values else []
        headings = ["metric", "system", "score", "precision", "recall"]
        if found.comparisons:
            headings += ["low", "high", "best_rank", "worst_rank", "group"]
        return write(Table([*headings, *tests, "signature"], rows), "tsv")
    found = shortened(found)
    return "\n".join(_metric_tables(metric, found, kind, p_values) for metric in found.scores)


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Without the folder that all of them have in common, for people to read.

    >>> short_names(["out/a.zh", "out/b/c.zh"])
    {'out/a.zh': 'a.zh', 'out/b/c.zh': 'b/c.zh'}
    """
    names = list(names)
    n_common = 0
    for parts in zip(*(name.split("/")[:-1] for name in names), strict=False):
        if len(set(parts)) > 1:
            break
        n_common += 1
    return {name: "/".join(name.split("/")[n_common:]) for name in names}


def shortened(found: Campaign) -> Campaign:
    """The same campaign, with short names of systems and references."""
    systems, refs = short_names(found.corpus.systems), short_names(found.corpus.ref_names)
    corpus = replace(
        found.corpus,
        systems={systems[name]: texts for name, texts in found.corpus.systems.items()},
        ref_names=[refs[name] for name in found.corpus.ref_names],
    )
    scores = {
        metric: {systems[name]: score for name, score in of.items()}
        for metric, of in found.scores.items()
    }
    comparisons = {
        metric: replace(one, systems=tuple(systems[name] for name in one.systems))
        for metric, one in found.comparisons.items()
    }
    return Campaign(corpus, scores, comparisons)


def _metric_tables(metric: str, found: Campaign, kind: str, p_values: bool) -> str:
    of, comparison = found.scores[metric], found.comparisons.get(metric)
    first = next(iter(of.values()))
    text = write(_systems(of, comparison), kind) + "\n"
    if comparison is not None and p_values:
        text += write(_p_values(comparison), kind) + "\n"
    text += note(first.signature, kind)
    if comparison is not None:
        text += note(
            f"intervals and ranks: 95%, {comparison.n_resamples} resamples, seed"
            f" {comparison.seed}; systems of different groups differ significantly"
            f" ({NAMES[comparison.test]}, p < 0.05)", kind,
        )  # fmt: skip
    return text


def _systems(of: dict[str, Score], comparison: Comparison | None) -> Table:
    first = next(iter(of.values()))
    if comparison is None:
        rows = [[name, f"{score.score:.{decimals(score)}f}"] for name, score in of.items()]
        return Table(["system", first.name], rows, right=[1])
    n = decimals(first)
    rows, rules = [], []
    for i, name in enumerate(comparison.systems):
        low, high = comparison.intervals[i]
        best, worst = comparison.ranks[i]
        if i and comparison.groups[i] != comparison.groups[i - 1]:
            rules.append(i)
        ranks = f"{best}" if best == worst else f"{best}-{worst}"
        rows.append([
            str(comparison.groups[i]), name, f"{comparison.scores[i]:.{n}f}",
            f"[{low:.{n}f}, {high:.{n}f}]", ranks,
        ])  # fmt: skip
    headings = ["group", "system", first.name, "95% interval", "ranks"]
    return Table(headings, rows, right=[0, 2, 3, 4], rules=rules)


def _p_values(comparison: Comparison) -> Table:
    headings = ["p", *comparison.systems]
    rows = [
        [name, *("" if i == j else f"{p:.3f}" for j, p in enumerate(comparison.p_values[i]))]
        for i, name in enumerate(comparison.systems)
    ]
    return Table(headings, rows, right=range(1, len(headings)))


def _tsv_rows(
    metric: str, of: dict[str, Score], comparison: Comparison | None, p_values: bool
) -> Iterator[list[str]]:
    for name in comparison.systems if comparison is not None else of:
        score = of[name]
        row = [metric, name, repr(score.score), _number(score.precision), _number(score.recall)]
        if comparison is not None:
            i = comparison.systems.index(name)
            row += map(repr, comparison.intervals[i].tolist())
            row += map(str, [*comparison.ranks[i], comparison.groups[i]])
            if p_values:
                others = map(comparison.systems.index, sorted(comparison.systems))
                row += [repr(float(comparison.p_values[i, j])) for j in others]
        yield [*row, score.signature]


def _number(value: float | None) -> str:
    return "" if value is None else repr(value)


def below(found: Campaign, level: str, kind: str) -> str:
    """The documents or the segments; columns for metric and system only if there are several."""
    several_metrics, several_systems = len(found.scores) > 1, len(found.corpus.systems) > 1
    has_documents = level == "document" or any(s.document for s in found.corpus.segments[:1])
    has_rates = any(
        score.precision is not None for of in found.scores.values() for score in of.values()
    )
    headings = ["metric"] * several_metrics + ["system"] * several_systems
    headings += ["document"] * has_documents + ["segment"] * (level == "segment") + ["score"]
    if level == "segment" and has_rates:
        headings += ["precision", "recall"]
    rows = []
    for metric, of in found.scores.items():
        for system, score in of.items():
            start = [metric] * several_metrics + [system] * several_systems
            made = (
                _documents(found, score)
                if level == "document"
                else (_segments(found, score, has_documents, has_rates))
            )
            rows += [start + row for row in made]
    return write(Table(headings, rows), kind)


def _documents(found: Campaign, score: Score) -> Iterator[list[str]]:
    for name, places in documents(found.corpus).items():
        yield [name, _digits(score.of_segments(places))]


def _segments(
    found: Campaign, score: Score, has_documents: bool, has_rates: bool
) -> Iterator[list[str]]:
    rows = score.segments.figures.tolist()
    for segment, numbers in zip(found.corpus.segments, rows, strict=True):
        row = [segment.document] if has_documents else []
        row += [segment.id, *map(_digits, numbers)]
        yield row + ["", ""] * (has_rates and len(numbers) == 1)


def _digits(number: float) -> str:
    # Nothing for what was skipped.
    return "" if math.isnan(number) else f"{number:.6f}"
