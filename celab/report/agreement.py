"""Agreement with people → tables, or one JSON object, with every digit:

```
{"celab_version": …, "dataset": …, "references": […], "segments": …, "base": …, "resamples": …,
 "seed": …, "human": {"scores": {SYSTEM: …}, "systems_from": …, "pairs_from": …},
 "unjudged": […], "without_output": […],
 "kappa": {FILE: {"kappa": …, "observed": …, "chance": …, "cases": …}},
 "metrics": {NAME: {"system": {"pearson": …, "spearman": …, "kendall": …, "pairwise_accuracy": …,
                               "systems": …},
                    "segment": {"consistency": …, "pairs": …, "wmt14_tau": …, "mean_tau_b": …,
                                "flat_pearson": …, "flat_spearman": …, "flat_kendall": …,
                                "translations": …},
                    "errors": {"system": {…}, "segment": {…}}, "intervals": …, "p_values": …,
                    "scores": {SYSTEM: …}, "higher_is_better": …, "signature": …}}}
```

A figure that the set or the scores do not have is null. Tables have a row a metric, and as
TSV a row a figure.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from celab.meta.agreement import ACROSS, PAIRS, SYSTEM, Agreement, Figure, Found, plot_data
from celab.report.tables import Table, note, write
from celab.version import __version__

FIGURES = {"system": SYSTEM, "segment": (*PAIRS, *ACROSS)}
HEADINGS = {
    "consistency": "consistency", "wmt14_tau": "WMT14 τ", "mean_tau_b": "mean τ-b",
    "pearson": "Pearson", "spearman": "Spearman", "kendall": "Kendall",
    "pairwise_accuracy": "accuracy",
    "flat_pearson": "Pearson", "flat_spearman": "Spearman", "flat_kendall": "Kendall",
}  # fmt: skip
_Column: TypeAlias = tuple[str, str]  # level, name of the figure
_FIRST = (("segment", "consistency"), *(("system", name) for name in SYSTEM))
_SECOND = tuple(("segment", name) for name in (*PAIRS[1:], *ACROSS))


def tables(found: Found, kind: str) -> str:
    """As text, Markdown or LaTeX: figures as in the paper's tables, then others; as TSV all."""
    if kind == "tsv":
        headings = ["metric", "level", "figure", "value", "error", "low", "high", "p", "signature"]
        return write(Table(headings, list(_tsv_rows(found))), "tsv")
    blocks = [note(_about(found), kind)]
    for columns in (_FIRST, _SECOND):
        if kept := _known(found, columns):
            blocks.append(note(_title(found, kept), kind))
            blocks.append(write(_table(found, kept), kind))
    blocks.append("".join(note(remark, kind) for remark in _notes(found)))
    return "\n".join(block.rstrip("\n") + "\n" for block in blocks)


def page(found: Found) -> str:
    """The same tables with a drawing for each metric, as one HTML file."""
    from celab.report import html

    shown = []
    for columns in (_FIRST, _SECOND):
        if kept := _known(found, columns):
            table = _table(found, kept)
            rows = [(row[0], [cell.rstrip() for cell in row[1:]]) for row in table.rows]
            shown.append(html.Table(_title(found, kept), table.headings, rows))
    against = [
        html.Against(name, systems, found.metrics[name].higher_is_better)
        for name, systems in plot_data(found)
        if len(systems) > 1
    ]
    title = f"celab: metrics against people, {found.dataset.name}"
    remarks = [_about(found), *_notes(found)]
    return html.meta_page(against, shown, title=title, remarks=remarks)


def as_json(found: Found) -> str:
    """One line of JSON."""
    dataset = found.dataset
    report = {
        "celab_version": __version__,
        "dataset": dataset.name,
        "references": dataset.corpus.ref_names,
        "segments": len(dataset.corpus.segments),
        "base": found.base,
        "resamples": found.n_resamples,
        "seed": found.seed,
        "human": {
            "scores": found.human,
            "systems_from": found.systems_from,
            "pairs_from": found.pairs_from if found.n_pairs else None,
        },
        "unjudged": dataset.unjudged,
        "without_output": dataset.without_output,
        "kappa": {name: _judges(found, name) for name in found.kappa},
        "metrics": {name: _metric(found, one) for name, one in found.metrics.items()},
    }
    return json.dumps(report, ensure_ascii=False, allow_nan=False) + "\n"


def _metric(found: Found, one: Agreement) -> dict[str, Any]:
    figures = {level: _figures(one, level) for level in FIGURES}
    report: dict[str, Any] = {
        level: {name: figure.value for name, figure in of.items()} for level, of in figures.items()
    }
    report["system"]["systems"] = len(found.human)
    report["segment"] |= {"pairs": found.n_pairs, "translations": found.n_translations}
    for key, field in (("errors", "error"), ("intervals", "interval"), ("p_values", "p")):
        report[key] = {
            level: {name: getattr(figure, field) for name, figure in of.items()}
            for level, of in figures.items()
        }
    report["scores"] = one.scores
    report["higher_is_better"] = one.higher_is_better
    report["signature"] = one.signature
    return report


def _figures(one: Agreement, level: str) -> dict[str, Figure]:
    """All of a level by name; those that are not there are empty."""
    there = (one.system if level == "system" else one.segment) or {}
    return {name: there.get(name, Figure(None)) for name in FIGURES[level]}


def _judges(found: Found, name: str) -> dict[str, Any]:
    one = found.kappa[name]
    numbers = {"kappa": one.kappa, "observed": one.observed, "chance": one.chance}
    known = {key: None if math.isnan(number) else number for key, number in numbers.items()}
    return {**known, "cases": one.n_cases}


def _tsv_rows(found: Found) -> Iterator[list[str]]:
    for name, one in found.metrics.items():
        for level in FIGURES:
            for figure, number in _figures(one, level).items():
                if number.value is not None:
                    low, high = number.interval or (None, None)
                    numbers = (number.value, number.error, low, high, number.p)
                    cells = ["" if x is None else repr(x) for x in numbers]
                    yield [name, level, figure, *cells, one.signature]


def _known(found: Found, columns: Sequence[_Column]) -> list[_Column]:
    """The columns in which any metric has a figure."""
    return [
        (level, name)
        for level, name in columns
        if any(_figures(one, level)[name].value is not None for one in found.metrics.values())
    ]


def _table(found: Found, columns: Sequence[_Column]) -> Table:
    of_columns = [
        _cells([_figures(one, level)[name] for one in found.metrics.values()])
        for level, name in columns
    ]
    rows = [list(row) for row in zip(found.metrics, *of_columns, strict=True)]
    headings = ["metric", *(HEADINGS[name] for _, name in columns)]
    return Table(headings, rows, right=range(1, len(headings)))


def _cells(figures: Sequence[Figure]) -> list[str]:
    """A column; where any has stars the others have room for them, so that digits are in line."""
    room = max(len(figure.stars) for figure in figures)
    return [
        ""
        if figure.value is None
        else f"{figure.value:.3f}"
        + ("" if figure.error is None else f" ± {figure.error:.3f}")
        + figure.stars.ljust(room)
        for figure in figures
    ]


def _title(found: Found, columns: Sequence[_Column]) -> str:
    names = {name for _, name in columns}
    told = []
    if "consistency" in names:
        told.append(
            f"consistency on {found.n_pairs:,} pairs of translations that people tell apart"
        )
    if names & set(SYSTEM):
        told.append(f"agreement on the scores of {len(found.human)} systems")
    if names & set(PAIRS[1:]):
        told.append("Kendall within segments")
    if names & set(ACROSS):
        told.append(f"correlation across {found.n_translations:,} translations")
    return "; ".join(told)


def _about(found: Found) -> str:
    corpus = found.dataset.corpus
    n_systems, n_refs = len(corpus.systems), len(corpus.ref_names)
    return (
        f"{found.dataset.name}: {n_systems} system{'s' * (n_systems != 1)} ×"
        f" {len(corpus.segments):,} segments, reference{'s' * (n_refs != 1)}"
        f" {', '.join(corpus.ref_names)}"
    )


def _notes(found: Found) -> Iterator[str]:
    n_resamples = f"{found.n_resamples:,} resamples"
    yield f"±: standard error over {n_resamples} of the segments, seed {found.seed}"
    if len(found.metrics) > 1:
        yield f"* and **: better than {found.base}, one-sided p < 0.05 and p < 0.01"
    sources = [f"of systems: {found.systems_from}"] if len(found.human) > 1 else []
    sources += [f"of pairs: {found.pairs_from}"] if found.n_pairs else []
    sources += ["of translations: human-seg.tsv"] if found.n_translations else []
    yield f"judgements {'; '.join(sources)}"
    for name, one in found.kappa.items():
        yield (
            f"judges in {name}: kappa {one.kappa:.4f}, they agree in {one.observed:.4f} of"
            f" {one.n_cases:,} cases"
        )
    for name, metric in found.metrics.items():
        yield f"{name}: {metric.signature}"
