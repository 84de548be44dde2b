"""How far do the metrics agree with people? The tables of docs/agreement.md.

    python bench/agreement_people.py [SET...]    scores these sets, or all; then writes the page
    python bench/agreement_people.py --page      writes the page from the results that are kept
    python bench/agreement_people.py --edits …   adds TER and CharacTER, which can take hours

The sets lie in the folder that CELAB_DATA names, or in `../shared/data` beside the repository; they
are for research use and not part of it. Each is scored by TESLA-CELAB as in the paper and with the
recommended settings, by TESLA-M and by sacreBLEU's metrics; CharacTER (package cer, GPL 3) needs
text in which words are separated. All metrics are compared on the same resamples of the
segments, with chrF and with the paper's setting. The tables go to the page between marks; the words
around them are written by hand.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from data import data_folder
from measure import HERE, RESULTS, markdown, versions, write_between

import celab
from celab.evaluation.meta import agreement, dataset, scores
from celab.evaluation.meta.dataset import Dataset
from celab.evaluation.meta.scores import MetricScores
from celab.metrics.base import Metric
from celab.metrics.factory import make_metric

DATA = data_folder()
PAGE = HERE.parent / "docs" / "agreement.md"
KEPT = RESULTS / "agreement_people.json"
RESAMPLES = 1000
EDITS = "--edits"
PAPER, OURS, CHRF = "TESLA-CELAB, paper", "TESLA-CELAB, recommended", "chrF"
# Figure and heading. The last is for sets of one system, where there are no pairs of systems.
COLUMNS = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "soft_pairwise_accuracy": "soft pairwise accuracy",
    "consistency": "consistency, ties wrong",
    "consistency_half": "consistency, ties half",
    "flat_spearman": "ρ of segments",
}


@dataclass(frozen=True)
class Judged:
    """A set, the language of its translations, and its references (None: all)."""

    name: str
    lang: str
    refs: tuple[str, ...] | None = None

    @property
    def key(self) -> str:
        return " ".join([self.name, *("ref-" + name for name in self.refs or ())])


SETS = (
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
    if unknown := set(asked) - {one.name for one in SETS} - {"--page"}:
        names = ", ".join(dict.fromkeys(one.name for one in SETS))
        raise SystemExit(f"{unknown.pop()} is not a set; the sets are {names}")
    found = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.is_file() else {}
    for one in SETS:
        if "--page" in asked or (asked and one.name not in asked):
            continue
        if not (DATA / one.name).is_dir():
            print(f"{DATA / one.name} is not there; {one.name} is left out")
            continue
        began = time.perf_counter()
        found[one.key] = measured(one)
        RESULTS.mkdir(exist_ok=True)
        KEPT.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        print("\n".join(section(one, found[one.key])))
        print(f"{one.key}: {time.perf_counter() - began:.0f} s\n", flush=True)
    there = [one for one in SETS if one.key in found]
    lines = [line for one in there for line in section(one, found[one.key])]
    write_between("tables", lines, PAGE)


def metrics(lang: str) -> dict[str, Metric]:
    """All that are compared for a language, by display name."""
    made: dict[str, Metric] = {
        OURS: celab.recommended(lang),
        PAPER: celab.TeslaCelab(lang=lang),
    }
    if lang in ("de", "en", "zh"):
        made["TESLA-M, paper"] = celab.TeslaM(lang=lang)
    for name, title in {"chrf": CHRF, "chrf++": "chrF++", "bleu": "BLEU"}.items():
        made[title] = make_metric(name, lang=lang)
    if EDITS in sys.argv:
        made["TER"] = make_metric("ter", lang=lang)
    return made


def measured(one: Judged) -> dict[str, Any]:
    """The figures of every metric, compared with chrF, and of ours with the paper's."""
    judged = dataset.read(DATA / one.name, one.refs)
    found = scores.score(metrics(one.lang), judged.corpus)
    if one.lang in ("de", "en") and EDITS in sys.argv:
        found += character(judged)
    ours = [one for one in found if one.name in (OURS, PAPER)]
    return compared(judged, {CHRF: found, PAPER: ours}, RESAMPLES)


def compared(
    judged: Dataset, bases: Mapping[str, Sequence[MetricScores]], resamples: int
) -> dict[str, Any]:
    """Value, error, and p against each base; the first base is compared with all metrics."""
    by_base = {
        base: agreement.measure(judged, found, against=base, n_resamples=resamples)
        for base, found in bases.items()
    }
    first = next(iter(by_base.values()))
    figures = {
        name: {
            column: {
                "value": figure.value,
                "error": figure.error,
                "p": {
                    base: found.metrics[name].figures[column].p
                    for base, found in by_base.items()
                    if name in found.metrics
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
    """CharacTER against the best reference, the mean of segments; nothing without the package."""
    try:
        from cer import calculate_cer
    except ImportError:
        print("package cer is not installed; CharacTER is left out")
        return []
    segments = np.array(
        [
            [
                min(calculate_cer(hyp.split(), ref.split()) for ref in refs if ref)
                for hyp, refs in zip(hyps, zip(*judged.corpus.references, strict=True), strict=True)
            ]
            for hyps in judged.corpus.systems.values()
        ]
    )
    of_systems, statistics = segments.mean(axis=1), segments[:, :, None]
    return [
        MetricScores(
            "CharacTER", "character|cer", of_systems, segments, statistics, higher_is_better=False
        )
    ]


def section(one: Judged, found: Mapping[str, Any]) -> Iterator[str]:
    """The lines of one set: all metrics, then the differences that matter."""
    yield f"### {one.key}"
    yield ""
    which = f" ({', '.join(one.refs)})" if one.refs else ""
    yield from tables(found, {CHRF: tuple(found["figures"]), PAPER: (OURS,)}, which)


def tables(
    found: Mapping[str, Any], bases: Mapping[str, Sequence[str]], which: str = ""
) -> Iterator[str]:
    """Describe the set, and show the figures and the differences from each base."""
    figures = found["figures"]
    columns = columns_of(found)
    yield (
        f"{counted(found['systems'], 'system')}, {counted(found['segments'], 'segment')},"
        f" {counted(found['references'], 'reference')}{which}"
        + (f", {found['pairs']:,} judged pairs." if "consistency" in columns else ".")
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


def columns_of(found: Mapping[str, Any]) -> list[str]:
    """Return the figures of the set, without the one for sets of one system."""
    first = next(iter(found["figures"].values()))
    return [
        column
        for column in COLUMNS
        if column in first and (column != "flat_spearman" or found["systems"] == 1)
    ]


def counted(n: int, what: str) -> str:
    return f"{n:,} {what}{'s' * (n != 1)}"


def value(figure: Mapping[str, Any]) -> str:
    return f"{figure['value']:.3f} ± {figure['error']:.3f}"


def difference(figures: Mapping[str, Any], column: str, name: str, base: str) -> str:
    """With a mark for p < .05, one-sided, either way; equal scores have p = 1."""
    gain = figures[name][column]["value"] - figures[base][column]["value"]
    return f"{gain:+.3f}{('', '*', '†')[sign(figures, column, name, base)]}"


def sign(figures: Mapping[str, Any], column: str, name: str, base: str) -> int:
    """1 or -1 if a difference is significant, one-sided p < .05, either way; else 0."""
    ours, theirs = figures[name][column], figures[base][column]
    p = ours["p"][base]
    if p is None or ours["value"] == theirs["value"]:
        return 0
    return int(p < 0.05) - int(p > 0.95)


def tabled(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [*(line.replace("*", r"\*") for line in markdown(headings, rows)), ""]


if __name__ == "__main__":
    main()
