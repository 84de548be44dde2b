"""How far do the metrics agree with people? The tables of bench/agreement.md and docs/agreement.md.

    python bench/agreement_people.py [SET...]    scores these sets, or all; then writes the pages
    python bench/agreement_people.py --page      writes the pages from the results that are kept
    python bench/agreement_people.py --edits …   adds TER and CharacTER, which can take hours

The sets are in the folder that CELAB_DATA names, or in `../shared/data` beside the repository; they
are for research use and not part of it. Each is scored by TESLA-CELAB as in the paper and with the
recommended settings, by TESLA-M and by sacreBLEU's metrics; CharacTER (package cer, GPL 3) needs
text in which words are separated. All scores that come with a set, in its folder `metric-scores`,
are compared as well. All metrics are compared on the same resamples of the segments, with chrF and
with the paper's setting. Tables are written between marks; the words around them are written by
hand. The pages are written only if there are results of all sets.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from data import data_folder
from measure import HERE, RESULTS, markdown, versions, write_between

import celab
from celab.agreement import dataset, measurement, scores
from celab.agreement.dataset import Dataset
from celab.agreement.scores import MetricScores
from celab.metrics.base import Metric
from celab.metrics.factory import make_metric

DATA = data_folder()
PAGE = HERE / "agreement.md"
SUMMARY = HERE.parent / "docs" / "agreement.md"
KEPT = RESULTS / "agreement_people.json"
RESAMPLES = 1000
EDITS = "--edits"
PAPER, RECOMMENDED, CHRF, BLEU = "TESLA-CELAB, paper", "TESLA-CELAB, recommended", "chrF", "BLEU"
# Figure and heading. The last is for sets of one system, where there are no pairs of systems.
COLUMNS = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "soft_pairwise_accuracy": "soft pairwise accuracy",
    "acc_eq": "acc\\*eq",
    "consistency": "consistency, ties wrong",
    "consistency_half": "consistency, ties half",
    "flat_spearman": "ρ of segments",
}
SUMMARIZED = {
    "pearson": "Pearson",
    "consistency_half": "consistency",
    "flat_spearman": "ρ of segments",
}
# Titles of metrics whose scores come with a set, where they are not the names of the files.
TITLES = {
    "BLEU": "BLEU, WMT24's",
    "chrF": "chrF, WMT24's",
    "chrfS": "chrF-S",
    "MetricX-24-Hybrid": "MetricX-24",
    "MetricX-24-Hybrid-QE": "MetricX-24-QE",
    "PrismRefMedium": "Prism, medium",
    "PrismRefSmall": "Prism, small",
    "metametrics_mt_mqm_hybrid": "MetaMetrics-MT",
    "metametrics_mt_mqm_qe": "MetaMetrics-MT-QE",
    "sentinel-cand": "Sentinel-cand",
}


@dataclass(frozen=True)
class Judged:
    """A set, the language of its translations, and its references (None: all)."""

    name: str
    lang: str
    refs: tuple[str, ...] | None = None
    held_out: bool = False  # nothing was chosen on it

    @property
    def key(self) -> str:
        return " ".join([self.name, *("ref-" + name for name in self.refs or ())])

    @property
    def external(self) -> dict[str, Path]:
        """Return the files of all other metrics whose scores come with the set, by title."""
        folder = DATA / self.name / "metric-scores"
        return {TITLES.get(path.stem, path.stem): path for path in sorted(folder.glob("*.tsv"))}


HELD_OUT = Judged("wmt24-jazh-mqm", "zh", held_out=True)
SETS = (
    HELD_OUT,
    Judged("wmt24-enzh-esa", "zh"),
    Judged("wmt21-enzh-sys", "zh"),
    Judged("mlqe20-enzh-da-dev", "zh"),
    Judged("wmt24-enja-esa-news-speech", "ja"),
    Judged("wmt21-enja-sys", "ja"),
    Judged("enko-mqm-globalvoices", "ko"),
    Judged("wmt21-ende-mqm", "de"),
    Judged("wmt21-ende-mqm", "de", ("A",)),
    Judged("wmt21-zhen-mqm", "en"),
    Judged("wmt12-deen-rank", "en"),
)


def main() -> None:
    asked = [word for word in sys.argv[1:] if word != EDITS]
    if unknown := set(asked) - {judged.name for judged in SETS} - {"--page"}:
        names = ", ".join(dict.fromkeys(judged.name for judged in SETS))
        raise SystemExit(f"{unknown.pop()} is not a set; the sets are {names}")
    results = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.is_file() else {}
    for judged in SETS:
        if "--page" in asked or (asked and judged.name not in asked):
            continue
        if not (DATA / judged.name).is_dir():
            print(f"{DATA / judged.name} is not there; {judged.name} is left out")
            continue
        began = time.perf_counter()
        results[judged.key] = measure(judged)
        RESULTS.mkdir(exist_ok=True)
        KEPT.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        print("\n".join(section(judged, results[judged.key])))
        print(f"{judged.key}: {time.perf_counter() - began:.0f} s\n", flush=True)
    if missing := [judged.key for judged in SETS if judged.key not in results]:
        print(f"the pages stay as they are: there are no results of {', '.join(missing)}")
        return
    lines = [line for judged in SETS for line in section(judged, results[judged.key])]
    origin = [*made_with(results)]
    write_between("tables", [*origin, *lines], PAGE)
    write_between("summary", [*origin, *summary(SETS, results)], SUMMARY)
    write_between("held-out", list(held_out_table(results[HELD_OUT.key])), SUMMARY)


def metrics(lang: str) -> dict[str, Metric]:
    """Return all metrics that are compared for a language, by title."""
    by_title: dict[str, Metric] = {
        RECOMMENDED: celab.recommended(lang),
        PAPER: celab.TeslaCelab(lang=lang),
    }
    if lang in ("de", "en", "zh"):
        by_title["TESLA-M, paper"] = celab.TeslaM(lang=lang)
    for name, title in {"chrf": CHRF, "chrf++": "chrF++", "bleu": BLEU}.items():
        by_title[title] = make_metric(name, lang=lang)
    if EDITS in sys.argv:
        by_title["TER"] = make_metric("ter", lang=lang)
    return by_title


def measure(judged: Judged) -> dict[str, Any]:
    """Return the figures of every metric, compared with chrF, and of ours with the paper's."""
    people = dataset.read(DATA / judged.name, judged.refs)
    of_metrics = scores.score(metrics(judged.lang), people.corpus)
    of_metrics += [
        scores.read(title, path, people.corpus) for title, path in judged.external.items()
    ]
    if judged.lang in ("de", "en") and EDITS in sys.argv:
        of_metrics += character(people)
    ours = [metric for metric in of_metrics if metric.name in (RECOMMENDED, PAPER)]
    bases = {CHRF: of_metrics, PAPER: ours}
    if judged.held_out:
        bases[RECOMMENDED] = of_metrics
    return compared(people, bases, RESAMPLES)


def compared(
    judged: Dataset, bases: Mapping[str, Sequence[MetricScores]], resamples: int
) -> dict[str, Any]:
    """Return value, error, and p against each base; the first is compared with all metrics."""
    by_base = {
        base: measurement.measure(judged, of_metrics, against=base, n_resamples=resamples)
        for base, of_metrics in bases.items()
    }
    first = next(iter(by_base.values()))
    figures = {
        name: {
            column: {
                "value": figure.value,
                "error": figure.error,
                "p": {
                    base: evaluation.metrics[name].figures[column].p
                    for base, evaluation in by_base.items()
                    if name in evaluation.metrics
                },
            }
            for column in COLUMNS
            if (figure := metric.figures.get(column)) and figure.value is not None
        }
        for name, metric in first.metrics.items()
    }
    return {
        "date": time.strftime("%Y-%m-%d"),
        "versions": versions(),
        "systems": len(judged.systems),
        "segments": first.n_segments,
        "references": len(judged.references),
        "pairs": first.n_pairs,
        "signatures": {name: metric.signature for name, metric in first.metrics.items()},
        "figures": figures,
    }


def character(judged: Dataset) -> list[MetricScores]:
    """Score by CharacTER, with the closest reference; empty without the package."""
    try:
        from cer import calculate_cer
    except ImportError:
        print("package cer is not installed; CharacTER is left out")
        return []
    segments = np.array(
        [
            [
                min(calculate_cer(hyp.split(), ref.split()) for ref in refs if ref)
                for hyp, refs in zip(hyps, zip(*judged.corpus.refs, strict=True), strict=True)
            ]
            for hyps in judged.corpus.systems.values()
        ]
    )
    of_systems, statistics = segments.mean(axis=1), segments[:, :, None]
    return [
        MetricScores(
            name="CharacTER",
            signature="character|cer",
            systems=of_systems,
            segments=segments,
            statistics=statistics,
            higher_is_better=False,
        )
    ]


def made_with(results: Mapping[str, Any]) -> Iterator[str]:
    """Yield when and with which versions; several lines if the sets were not scored together."""
    names: dict[str, list[str]] = {}
    for judged in SETS:
        result = results[judged.key]
        packages = (f"{name} {result['versions'][name]}" for name in ("celab", "sacrebleu"))
        names.setdefault(f"{result['date']}, {', '.join(packages)}", []).append(judged.key)
    for origin, keys in names.items():
        yield f"`make agreement`, {origin}{': ' + ', '.join(keys) if len(names) > 1 else ''}."
    yield ""


def summary(measured: Sequence[Judged], results: Mapping[str, Any]) -> Iterator[str]:
    """Yield the table of all sets: a row for the systems and one for the segments of each."""
    rows = []
    for judged in measured:
        result = results[judged.key]
        figures = result["figures"]
        columns = [column for column in columns_of(result) if column in SUMMARIZED]
        for column in columns:
            if judged.refs:
                continue
            values = [f"{figures[name][column]['value']:.3f}" for name in (RECOMMENDED, PAPER)]
            values += [f"{figures[name][column]['value']:.3f}" for name in (CHRF, BLEU)]
            gain = difference(figures, column, RECOMMENDED, CHRF).replace("*", r"\*")
            name = judged.name if column == columns[0] else ""
            if judged.held_out and name:
                name = f"**{name}**, held out"
            n = f"{result['systems']} × {result['segments']:,}" if column == columns[0] else ""
            rows.append([name, n, SUMMARIZED[column], *values, gain, higher(result, column)])
    headings = ["set", "systems × segments", "figure"]
    headings += ["recommended", "paper", CHRF, BLEU, "recommended − chrF"]
    headings.append("published metrics above recommended")
    yield from [*markdown(headings, rows, left=3), ""]


def higher(result: Mapping[str, Any], column: str) -> str:
    """Return how many metrics that come with the set exceed the recommended setting, and which."""
    values = {
        name: of_metric[column]["value"]
        for name, of_metric in result["figures"].items()
        if "|given:" in result["signatures"][name]
    }
    if not values:
        return ""
    above = sum(
        value > result["figures"][RECOMMENDED][column]["value"] for value in values.values()
    )
    best = max(values, key=values.__getitem__)
    return f"{above} of {len(values)}; highest: {best} {values[best]:.3f}"


def held_out_table(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield the table of the set on which nothing was chosen, the best metric first."""
    figures = result["figures"]
    names = sorted(figures, key=lambda name: -figures[name]["consistency_half"]["value"])
    columns = ("consistency_half", "acc_eq", "pearson", "soft_pairwise_accuracy")
    rows = [
        [
            f"**{name}**" if name == RECOMMENDED else name,
            *(value(figures[name][column]) for column in columns),
            *(
                "–" if name == base else difference(figures, "consistency_half", name, base)
                for base in (CHRF, RECOMMENDED)
            ),
        ]
        for name in names
    ]
    headings = ["metric", *(COLUMNS[column] for column in columns)]
    headings += ["consistency − chrF", "consistency − recommended"]
    yield from tabled(headings, rows)


def section(judged: Judged, result: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of one set: all metrics, then the differences that matter."""
    yield f"### {judged.key}"
    yield ""
    which = f" ({', '.join(judged.refs)})" if judged.refs else ""
    which += "; nothing was chosen on this set" * judged.held_out
    yield from tables(result, {CHRF: tuple(result["figures"]), PAPER: (RECOMMENDED,)}, which)


def tables(
    result: Mapping[str, Any], bases: Mapping[str, Sequence[str]], which: str = ""
) -> Iterator[str]:
    """Describe the set, and show the figures and the differences from each base."""
    figures = result["figures"]
    columns = columns_of(result)
    yield (
        f"{counted(result['systems'], 'system')}, {counted(result['segments'], 'segment')},"
        f" {counted(result['references'], 'reference')}{which}"
        + (f", {result['pairs']:,} judged pairs." if "consistency" in columns else ".")
    )
    yield ""
    yield from tabled(
        ["", *(COLUMNS[column] for column in columns)],
        [
            [name, *(value(of_metric[column]) for column in columns)]
            for name, of_metric in figures.items()
        ],
    )
    yield from tabled(
        ["difference", *(COLUMNS[column] for column in columns)],
        [
            [
                f"{name} − {base}".replace("TESLA-CELAB, ", ""),
                *(difference(figures, column, name, base) for column in columns),
            ]
            for base, names in bases.items()
            for name in names
            if name != base
        ],
    )


def columns_of(result: Mapping[str, Any]) -> list[str]:
    """Return the figures of the set, without the one for sets of one system."""
    first = next(iter(result["figures"].values()))
    return [
        column
        for column in COLUMNS
        if column in first and (column != "flat_spearman" or result["systems"] == 1)
    ]


def counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'s' * (n != 1)}"


def value(figure: Mapping[str, Any]) -> str:
    return f"{figure['value']:.3f} ± {figure['error']:.3f}"


def difference(figures: Mapping[str, Any], column: str, name: str, base: str) -> str:
    """Return a difference with a mark for one-sided p < .05, either way."""
    gain = figures[name][column]["value"] - figures[base][column]["value"]
    return f"{gain:+.3f}{('', '*', '†')[sign(figures, column, name, base)]}"


def sign(figures: Mapping[str, Any], column: str, name: str, base: str) -> int:
    """Return 1 or -1 if a difference is significant, one-sided p < .05, either way; else 0."""
    ours, theirs = figures[name][column], figures[base][column]
    p = ours["p"][base]
    if p is None or ours["value"] == theirs["value"]:
        return 0
    return int(p < 0.05) - int(p > 0.95)


def tabled(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table in which only names that are bold keep their asterisks."""
    escaped = [[row[0], *(cell.replace("*", r"\*") for cell in row[1:])] for row in rows]
    return [*markdown(headings, escaped), ""]


if __name__ == "__main__":
    main()
