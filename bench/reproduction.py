"""How far do the metrics agree with people? Tables like 2 and 3 of the 2012 paper, on other data.

    python bench/reproduction.py [SET...]    scores these sets, or all; then writes the page
    python bench/reproduction.py --page      writes the page from results/reproduction.json alone

The sets lie in the data folder (bench/reproduction.md); they are for research use and not part of
the repository. Each is scored by three commands, of which the page shows the first two: the scores
without a lexicon as a table, all metrics against character BLEU, and TESLA-CELAB against the same
without a lexicon. The tables go to bench/reproduction.md, between marks; the words around them
are written by hand.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from glob import glob
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from data import FOLDER
from measure import HERE, RESULTS, write_between

PAGE = HERE / "reproduction.md"
KEPT = RESULTS / "reproduction.json"
PACKAGES = ("celab", "sacrebleu", "jieba", "HanTa", "simplemma", "wordfreq", "opencc", "numpy")
NAMES = {
    "bleu": "BLEU",
    "chrf": "chrF",
    "tesla-m": "TESLA-M",
    "celab-": "TESLA-CELAB⁻",
    "celab": "TESLA-CELAB",
}
# Level, figure, heading: as in the paper's tables, and where there is one system.
AS_IN_PAPER = (
    ("segment", "consistency", "consistency"),
    ("system", "pearson", "Pearson"),
    ("system", "spearman", "Spearman"),
)
ACROSS = (
    ("segment", "flat_pearson", "Pearson, segments"),
    ("segment", "flat_spearman", "Spearman, segments"),
    ("segment", "flat_kendall", "Kendall, segments"),
)


@dataclass(frozen=True)
class Judged:
    """A set, the language of its translations, and which metrics are compared on it."""

    name: str
    title: str
    lang: str
    metrics: Sequence[str]

    @property
    def commands(self) -> list[str]:
        """Return the commands, with $SET for the folder, each before those that read its table."""
        lang = f" --lang {self.lang}"
        texts = "-r $SET/ref-*.txt -s $SET/hyp/*.txt"
        if "celab" not in self.metrics:  # no lexicon of the language: there is only one TESLA-CELAB
            names = " ".join("celab" if name == "celab-" else name for name in self.metrics)
            return [f"celab meta $SET{lang} -m {names}"]
        return [
            f"celab score{lang} --lexicon none --segments {texts} > minus.tsv",
            f"celab meta $SET{lang} -m {' '.join(self.metrics)} --scores celab-=minus.tsv",
            f"celab meta $SET{lang} -m celab- celab --scores celab-=minus.tsv",
        ]


WORDS = ("bleu", "chrf", "tesla-m", "celab-", "celab")
NO_WORDS = ("bleu", "chrf", "celab-")
SETS = (
    Judged("wmt24-enzh-esa", "Chinese: WMT24 general, ESA", "zh", WORDS),
    Judged("wmt21-enzh-sys", "Chinese: WMT21 news, direct assessment of systems", "zh", WORDS),
    Judged("mlqe20-enzh-da-dev", "Chinese: MLQE-PE, one system on Wikipedia", "zh", WORDS),
    Judged("wmt24-enja-esa-news-speech", "Japanese: WMT24 news and speech, ESA", "ja", NO_WORDS),
    Judged("wmt21-enja-sys", "Japanese: WMT21 news, direct assessment of systems", "ja", NO_WORDS),
    Judged("wmt21-ende-mqm", "German: WMT21 news, MQM", "de", WORDS),
)


def main() -> None:
    asked = sys.argv[1:]
    unknown = set(asked) - {one.name for one in SETS} - {"--page"}
    if unknown:
        raise SystemExit(f"{unknown.pop()} is not among: {', '.join(one.name for one in SETS)}")
    found = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.is_file() else {}
    for one in SETS:
        if "--page" in asked or (asked and one.name not in asked):
            continue
        folder = FOLDER.parent / one.name
        if not folder.is_dir():
            print(f"{folder} is not there; {one.name} is left out")
            continue
        began = time.perf_counter()
        found[one.name] = measured(one, folder)
        RESULTS.mkdir(exist_ok=True)
        KEPT.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        print(f"{one.name}: {time.perf_counter() - began:.0f} s", flush=True)
    there = [one for one in SETS if one.name in found]
    lines = [*made_with(found), *(line for one in there for line in section(one, found))]
    write_between("reproduction", lines, PAGE)


def measured(one: Judged, folder: Path) -> dict[str, Any]:
    """Run the commands and return their JSON."""
    with tempfile.TemporaryDirectory() as place:
        given = [run(command, folder, place) for command in one.commands]
    return {
        "date": time.strftime("%Y-%m-%d"),
        "versions": versions(),
        "all": json.loads(given[min(1, len(given) - 1)]),
        "lexicon": json.loads(given[2]) if len(given) > 2 else None,
    }


def versions() -> dict[str, str]:
    """Return the versions of the installed packages that can change a score."""
    found = {}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def run(command: str, folder: Path, place: str) -> str:
    """One command as a shell would run it, in a folder of its own; celab meta gives JSON."""
    words, _, target = command.partition(" > ")
    _, name, *arguments = shlex.split(words.replace("$SET", str(folder)))
    paths = [path for word in arguments for path in sorted(glob(word)) or [word]]
    extra = ["--json"] if name == "meta" else []
    done = subprocess.run(
        [sys.executable, "-m", "celab", name, "--quiet", *extra, *paths],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(HERE.parent)},
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        check=True,
    )
    if target:
        Path(place, target).write_text(done.stdout, encoding="utf-8")
    return done.stdout


def made_with(found: Mapping[str, Any]) -> Iterator[str]:
    """When, and by which versions; several lines if the sets were not scored together."""
    told: dict[str, list[str]] = {}
    for name, one in found.items():
        packages = ", ".join(f"{package} {used}" for package, used in one["versions"].items())
        told.setdefault(f"{one['date']}; {packages}", []).append(name)
    for what, names in told.items():
        yield f"{what}: {', '.join(names)}." if len(told) > 1 else f"{what}."
    yield ""


def section(one: Judged, found: Mapping[str, Any]) -> Iterator[str]:
    """The lines of one set."""
    whole = found[one.name]["all"]
    yield f"### {one.title}"
    yield ""
    n_systems, n_refs = len(whole["metrics"]["bleu"]["scores"]), len(whole["references"])
    yield (
        f"`{one.name}`: {n_systems} system{'s' * (n_systems != 1)} × {whole['segments']:,}"
        f" segments, {n_refs} reference{'s' * (n_refs != 1)}."
    )
    yield ""
    names = [
        "celab" if name == "celab-" and "celab" not in one.metrics else name for name in one.metrics
    ]
    yield from table(whole, dict(zip(names, map(NAMES.__getitem__, one.metrics), strict=True)))
    if found[one.name]["lexicon"]:
        yield synonyms(found[one.name]["lexicon"], whole)
        yield ""


def table(whole: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[str]:
    columns = shown(whole)
    yield "| | " + " | ".join(heading for _, _, heading in columns) + " |"
    yield "|---" + "|---:" * len(columns) + "|"
    for name, title in names.items():
        metric = whole["metrics"][name]
        cells = []
        for level, figure, _ in columns:
            value, error = metric[level][figure], metric["errors"][level][figure]
            stars = marks(metric["p_values"][level][figure])
            cells.append(f"{value:.4f} ± {error:.4f}{stars}")
        yield f"| {title} | " + " | ".join(cells) + " |"
    yield ""


def shown(whole: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """The columns of the paper that the set has, or correlations across segments."""
    bleu = whole["metrics"]["bleu"]
    known = [column for column in AS_IN_PAPER if bleu[column[0]][column[1]] is not None]
    return known or list(ACROSS)


def marks(p: float | None) -> str:
    """Return the stars of a p-value, as in the paper."""
    if p is None or p >= 0.05:
        return ""
    return r" \*\*" if p < 0.01 else r" \*"


def synonyms(lexicon: Mapping[str, Any], whole: Mapping[str, Any]) -> str:
    """Return the gain from the lexicon as text, with one-sided p-values."""
    with_it, without = lexicon["metrics"]["celab"], lexicon["metrics"]["celab-"]
    told = []
    for level, figure, heading in shown(whole):
        gain = with_it[level][figure] - without[level][figure]
        p = with_it["p_values"][level][figure]
        told.append(f"{heading.partition(',')[0]} {gain:+.4f} (p = {p:.3f})")
    return "TESLA-CELAB minus TESLA-CELAB⁻: " + ", ".join(told) + "."


if __name__ == "__main__":
    main()
