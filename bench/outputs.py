"""What do the checks of outputs find in real sets, what among people's translations, and what do
people say about it?

    python bench/outputs.py                       # writes the table of the docs
    python bench/outputs.py /usr/share/locale     # also reads gettext's catalogs in a folder

Outputs are checked with their references, and with their sources alone. So are translations by
people, as if they were outputs: references, Tatoeba and Multi30k in both directions, and messages
of programs. Where people gave points to outputs (ESA), those of a kind are compared with the mean
of the other systems on the same segment. Rules were chosen on all sets but wmt24-jazh-mqm. The sets
are in the folder that CELAB_DATA names, or in `../shared/data` beside the repository.
"""

from __future__ import annotations

import argparse
import csv
import gettext
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from data import data_folder
from measure import markdown, say, table, write_between
from references import SETS as TRANSLATED
from references import JudgedSet

from celab.findings.translations import verdicts
from celab.findings.translations.screening import Expectations, find

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = (DOCS / "language-models.md", DOCS / "zh" / "language-models.md")
EVALUATION = "wmt24-jazh-mqm"
SUMMARIES = {"summ-zh": "zh", "summ-de": "de", "summ-en-readability": "en"}
PARALLEL = {("tatoeba", "en", "zh"), ("tatoeba", "zh", "en"), ("multi30k", "en", "de")}
PARALLEL |= {("multi30k", "de", "en")}
CATALOGS = {"zh_CN": "zh", "zh_TW": "zh", "ja": "ja", "ko": "ko", "de": "de"}
ESA = ("wmt24-enzh-esa", "wmt24-enja-esa-news-speech")

Found = list[tuple[str, int, str]]  # system, segment and kind


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("catalogs", type=Path, nargs="?", help="folder of locales")
    catalogs = parser.parse_args().catalogs
    columns: defaultdict[str, Counter[str]] = defaultdict(Counter)
    totals: Counter[str] = Counter()

    def add(column: str, found: Found, n_outputs: int) -> None:
        columns[column].update(kind for _, _, kind in found)
        totals[column] += n_outputs

    gaps: dict[str, dict[str, list[float]]] = {"": defaultdict(list), "source": defaultdict(list)}
    for name, lang in {**TRANSLATED, **SUMMARIES}.items():
        if name == EVALUATION or not (data_folder() / name).is_dir():
            continue
        judged, source = JudgedSet.read(name), _source(name)
        refs, n_outputs = [*judged.refs.values()], sum(map(len, judged.systems.values()))
        found = kinds(judged.systems, refs, source, lang)
        add("with references", found, n_outputs)
        _compare(gaps[""], name, found)
        if source is not None:
            found = kinds(judged.systems, [], source, lang)
            add("without", found, n_outputs)
            _compare(gaps["source"], name, found)
            add("by people", kinds(judged.refs, [], source, lang), sum(map(len, refs)))
    for name, source_lang, lang in sorted(PARALLEL):
        sides = [data_folder() / "bitext" / f"{name}.{code}" for code in (source_lang, lang)]
        if all(side.is_file() for side in sides):
            source, texts = (side.read_text("utf-8").split("\n")[:-1] for side in sides)
            add("by people", kinds({"": texts}, [], source, lang), len(texts))
    headings = ["kind", *columns, "points", "points, without"]
    rows = [
        [f"`{kind}`", *(str(of_kind[kind]) for of_kind in columns.values())]
        + [_points(of_kind[kind]) for of_kind in gaps.values()]
        for kind in verdicts()
    ]
    rows.append(["texts", *(f"{totals[column]:,}" for column in columns), "", ""])
    table(headings, rows)
    for page in PAGES:
        write_between("kinds", markdown(headings, rows), page)
    if catalogs is not None:
        n_messages, of_kind = 0, Counter[str]()
        for lang, source, texts in read_catalogs(catalogs):
            n_messages += len(texts)
            of_kind.update(kind for _, _, kind in kinds({"": texts}, [], source, lang))
        say(f"{n_messages:,} messages: {dict(of_kind)}")


def kinds(
    systems: dict[str, list[str]], refs: Sequence[list[str]], source: list[str] | None, lang: str
) -> Found:
    """Return all outputs that are not translations."""
    expected = Expectations(refs, source, lang)
    return [
        (name, row.segment or 0, row.kind)
        for name, outputs in systems.items()
        for row in find(outputs, expected, name)
    ]


def read_catalogs(folder: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield language, messages and translations of each catalog but lists of names (ISO)."""
    for name, lang in CATALOGS.items():
        for path in sorted((folder / name / "LC_MESSAGES").glob("*.mo")):
            if path.name.startswith("iso_"):
                continue
            with path.open("rb") as file:
                try:
                    known: dict[object, str] = vars(gettext.GNUTranslations(file))["_catalog"]
                except UnicodeDecodeError:  # another encoding than it says
                    continue
            pairs = [
                (str(key[0] if isinstance(key, tuple) else key).split("\x04")[-1], text)
                for key, text in known.items()
                if text and (key[1] == 0 if isinstance(key, tuple) else key)
            ]
            yield lang, [source for source, _ in pairs], [text for _, text in pairs]


def _source(name: str) -> list[str] | None:
    path = data_folder() / name / "src.txt"
    return path.read_text("utf-8").split("\n")[:-1] if path.is_file() else None


def _compare(gaps: dict[str, list[float]], name: str, found: Found) -> None:
    """Add the points of flagged outputs less the mean of the other systems, by kind."""
    if name not in ESA:
        return
    points: dict[int, dict[str, float]] = defaultdict(dict)
    path = data_folder() / name / "human-seg.tsv"
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            points[int(row["segment"])][row["system"]] = float(row["score"])
    for system, segment, kind in found:
        others = [value for other, value in points[segment].items() if other != system]
        if system in points[segment] and others:
            gaps[kind].append(points[segment][system] - float(np.mean(others)))


def _points(gaps: list[float]) -> str:
    if not gaps:
        return "–"
    error = f" ± {np.std(gaps, ddof=1) / len(gaps) ** 0.5:.0f}" if len(gaps) > 1 else ""
    return f"{np.mean(gaps):+.0f}{error} ({len(gaps)})".replace("-", "−")


if __name__ == "__main__":
    main()
