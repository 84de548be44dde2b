"""What does a difference of scores mean? The tables of docs/reading-scores.md.

The page in Chinese, docs/zh/reading-scores.md, has the same tables.

    python bench/differences.py    scores the development sets and writes the tables of both pages

For every pair of systems of a set, the difference of their scores is compared with the order in
which people put them. A pair with the same human score is left out. The sets lie in the folder that
CELAB_DATA names, or in `../shared/data` beside the repository; they are for research use and not
part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
from data import data_folder
from measure import HERE, markdown, write_between

import celab
from celab.agreement import dataset, scores

DATA = data_folder()
PAGE = HERE.parent / "docs" / "reading-scores.md"
PAGE_IN_CHINESE = PAGE.parent / "zh" / PAGE.name
CHINESE = {
    "set (language)": "测试集（语言）",
    "references": "参考译文",
    "systems": "系统",
    "lowest": "最低",
    "median": "中位数",
    "highest": "最高",
    "or more": "以上",
    "all": "合计",
}
# Lower ends of the ranges of differences; the last range has no upper end.
EDGES = (0.0, 0.005, 0.01, 0.02, 0.05)
# Name, language of the translations, and references (None: all).
SETS: tuple[tuple[str, str, tuple[str, ...] | None], ...] = (
    ("wmt24-enzh-esa", "zh", None),
    ("wmt21-enzh-sys", "zh", ("A",)),
    ("wmt21-enzh-sys", "zh", ("A", "B")),
    ("wmt24-enja-esa-news-speech", "ja", None),
    ("wmt21-enja-sys", "ja", None),
    ("wmt21-ende-mqm", "de", ("A",)),
    ("wmt21-zhen-mqm", "en", None),
)


@dataclass(frozen=True)
class Figures:
    """System scores of one setting on one set, and the human scores."""

    title: str
    n_references: int
    n_segments: int
    ours: np.ndarray
    human: np.ndarray

    def agreement(self) -> Iterator[tuple[int, int]]:
        """Yield, for each range of differences, the pairs ordered as by people, and all pairs."""
        agreed, total = np.zeros(len(EDGES), int), np.zeros(len(EDGES), int)
        for a, b in combinations(range(len(self.ours)), 2):
            judged = self.human[a] - self.human[b]
            if np.isnan(judged) or judged == 0:
                continue
            difference = self.ours[a] - self.ours[b]
            index = int(np.searchsorted(EDGES, abs(difference), side="right")) - 1
            total[index] += 1
            agreed[index] += difference * judged > 0
        return zip(agreed.tolist(), total.tolist(), strict=True)


def main() -> None:
    for profile in ("paper", "recommended"):
        figures = [*measure(profile)]
        for mark, table in (("values", values), ("differences", differences)):
            lines = [*table(figures)]
            write_between(f"{mark}, {profile}", lines, PAGE)
            write_between(f"{mark}, {profile}", [*map(in_chinese, lines)], PAGE_IN_CHINESE)


def in_chinese(row: str) -> str:
    for english, chinese in CHINESE.items():
        row = re.sub(rf"(?<=[| ]){re.escape(english)}(?= \|)", chinese, row)
    return row


def measure(profile: str) -> Iterator[Figures]:
    for name, lang, refs in SETS:
        folder: Path = DATA / name
        if not folder.is_dir():
            raise SystemExit(f"{folder} is not there; the tables need all sets")
        judged = dataset.read(folder, refs)
        metric = (
            celab.recommended(lang) if profile == "recommended" else celab.TeslaCelab(lang=lang)
        )
        (scored,) = scores.score({"metric": metric}, judged.corpus)
        yield Figures(
            f"{name} ({lang})",
            len(judged.references),
            len(judged.corpus.segments),
            np.asarray(scored.systems),
            judged.people.systems,
        )


def values(figures: list[Figures]) -> Iterator[str]:
    headings = ["set (language)", "references", "systems", "lowest", "median", "highest"]
    rows = [
        [
            of_set.title,
            str(of_set.n_references),
            str(len(of_set.ours)),
            *(f"{value:.3f}" for value in np.quantile(of_set.ours, (0, 0.5, 1))),
        ]
        for of_set in figures
    ]
    yield from markdown(headings, rows)


def differences(figures: list[Figures]) -> Iterator[str]:
    ranges = [f"{low:g}–{high:g}" for low, high in pairwise(EDGES)]
    headings = ["set (language)", "references", *ranges, f"{EDGES[-1]:g} or more"]
    rows, sums, summed = [], np.zeros((len(EDGES), 2), int), set()
    for of_set in figures:
        counts = [*of_set.agreement()]
        if of_set.title not in summed:  # the same systems with more references count once
            sums += counts
            summed.add(of_set.title)
        rows.append([of_set.title, str(of_set.n_references), *map(share, counts)])
    rows.append(["all", "", *map(share, sums.tolist())])
    yield from markdown(headings, rows)


def share(counts: tuple[int, int]) -> str:
    agreed, total = counts
    return f"{agreed / total:.0%} of {total}" if total else "–"


if __name__ == "__main__":
    main()
