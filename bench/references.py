"""Are copies in references found, and shifted lines, and nothing where there is nothing?

    python bench/references.py              # 200 draws a set; writes the table of the docs
    python bench/references.py --draws 40

Real sets: what `celab check` notices of each reference, which must be nothing but for
mlqe20-enzh-da-dev, whose reference is a post-edit of its only system. Planted copies: 3% of the
segments of the reference are replaced by the output of one system, as it is or with a light edit:
one to three characters, punctuation, Chinese script or width. Planted families: the same, and two
to four systems, that one among them, are equal in 40 to 90% of the segments. Shifted lines: one
line of an output is dropped, and its last line doubled, or one line is doubled, and the last one
dropped, anywhere but in the last ten lines. The thresholds were chosen on all sets but
wmt24-jazh-mqm. The sets are in the folder that CELAB_DATA names, or in `../shared/data` beside the
repository.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from data import data_folder
from measure import markdown, number_from_command_line, table, target, write_between

from celab.base.text.normalize import Normalizer
from celab.corpus import Corpus, Segment
from celab.findings.references import check_references
from celab.findings.references.copies import edit_limits
from celab.metrics.options import TeslaCelabOptions

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = (DOCS / "reading-scores.md", DOCS / "zh" / "reading-scores.md")
DRAWS = 200
PLANTED = 0.03
AIM = 0.95
SETS = {
    "wmt21-enzh-sys": "zh",
    "wmt24-enzh-esa": "zh",
    "wmt24-jazh-mqm": "zh",
    "wmt21-enja-sys": "ja",
    "wmt24-enja-esa-news-speech": "ja",
    "wmt21-ende-mqm": "de",
    "wmt21-zhen-mqm": "en",
    "wmt12-deen-rank": "en",
    "enko-mqm-globalvoices": "ko",
    "mlqe20-enzh-da-dev": "zh",
}
POST_EDITED = {"mlqe20-enzh-da-dev"}
# Sets and references in which planted copies must be found.
PLANTED_IN = [
    ("wmt21-enzh-sys", "ref-A"),
    ("wmt21-enzh-sys", "ref-B"),
    ("wmt24-enzh-esa", "ref-A"),
    ("wmt21-enja-sys", "ref-A"),
    ("wmt24-enja-esa-news-speech", "ref-A"),
    ("wmt21-ende-mqm", "ref-A"),
]


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """The texts of a set."""

    name: str
    refs: dict[str, list[str]]
    systems: dict[str, list[str]]

    @classmethod
    def read(cls, name: str) -> JudgedSet:
        """Return the set in the data folder."""
        folder = data_folder() / name
        refs = {path.stem: _lines(path) for path in sorted(folder.glob("ref-*.txt"))}
        systems = {path.stem: _lines(path) for path in sorted(folder.glob("hyp/*.txt"))}
        return cls(name, refs, systems)

    def corpus(self, refs: dict[str, list[str]], systems: dict[str, list[str]]) -> Corpus:
        """Return a corpus of some references and systems."""
        n_segments = len(next(iter(refs.values())))
        segments = [Segment("", str(number)) for number in range(1, n_segments + 1)]
        return Corpus(segments=segments, systems=systems, refs=[*refs.values()], ref_names=[*refs])


def main() -> None:
    n_draws = number_from_command_line("draws", DRAWS, __doc__)
    names = [name for name in SETS if (data_folder() / name).is_dir()]
    if not names:
        sys.exit(f"{data_folder()} has none of the sets; bench/get_data.py makes them")
    sets = {name: JudgedSet.read(name) for name in names}
    rows = [row for name, judged in sets.items() for row in real(judged, SETS[name])]
    found = {
        place: planted_share(sets[place[0]], place[1], n_draws)
        for place in PLANTED_IN
        if place[0] in sets
    }
    for name, ref in found:
        share = planted_share(sets[name], ref, n_draws, family=True)
        target(f"{name}, {ref}: copies of one of a family found in {share:.1%}", share >= AIM)
    for name, judged in sets.items():
        share = shifted_share(judged, n_draws)
        target(f"{name}: shifted lines found within ten lines in {share:.1%}", share >= AIM)
    for (name, ref), share in found.items():
        target(f"{name}, {ref}: copies of the right system found in {share:.1%}", share >= AIM)
    headings = ["set, reference", "systems", "segments", "copies", "close edits", "p", "planted"]
    shown = [
        [*map(str, row[1:]), f"{found[row[0]]:.1%}" if row[0] in found else "–"] for row in rows
    ]
    table(headings, shown)
    for page in PAGES:
        write_between("copies", markdown(headings, shown), page)


def real(judged: JudgedSet, lang: str) -> Iterator[list[object]]:
    """Yield a row for each reference of a set: counts of the system with most, and lowest p."""
    from celab.base.text.counts import count_texts
    from celab.findings.references.copies import NO_AGREEMENT, CountedTexts, agreement, p_values

    corpus = judged.corpus(judged.refs, judged.systems)
    noticed = check_references(corpus, lang)
    is_expected = bool(noticed.copies) == (judged.name in POST_EDITED)
    rest = noticed.twins or noticed.shifts or noticed.scripts
    target(f"{judged.name}: {'a line' if noticed.copies else 'no line'}", is_expected and not rest)
    sides = {
        name: CountedTexts(texts, count_texts(texts)) for name, texts in judged.systems.items()
    }
    for ref, texts in judged.refs.items():
        side = CountedTexts(texts, count_texts(texts))
        allowed = edit_limits(side.counts)
        agreements = {name: agreement(side, output, allowed) for name, output in sides.items()}
        equal = [int(each.equal.sum()) for each in agreements.values()]
        near = [int((each.either & ~each.equal).sum()) for each in agreements.values()]
        edits = np.array([each.edits for each in agreements.values()])
        is_equal = [each.equal for each in agreements.values()]
        only_equal = np.where(is_equal, np.int8(0), NO_AGREEMENT)
        p = min(
            *p_values(edits, allowed.n_long), *p_values(only_equal.astype(np.int8), allowed.n_long)
        )
        key = judged.name, ref
        label = f"{judged.name} {ref.removeprefix('ref-')}"
        counts = [max(equal), max(near)]
        yield [
            key,
            label,
            len(sides),
            allowed.n_long,
            *counts,
            "< 0.001" if p < 1e-3 else f"{p:.2g}",
        ]


def planted_share(judged: JudgedSet, ref: str, n_draws: int, *, family: bool = False) -> float:
    """Return how often the system whose outputs were planted, or its family, is named first."""
    draw, n_found = random.Random(1), 0
    for _ in range(n_draws):
        system = draw.choice([*judged.systems])
        texts, outputs = [*judged.refs[ref]], judged.systems[system]
        systems = dict(judged.systems)
        others = sorted({*systems} - {system})
        relatives = draw.sample(others, draw.randint(1, 3)) if family else []
        for name in relatives:
            share = draw.uniform(0.4, 0.9)
            rows = zip(outputs, systems[name], strict=True)
            systems[name] = [own if draw.random() < share else other for own, other in rows]
        for i in draw.sample(range(len(texts)), round(PLANTED * len(texts))):
            if outputs[i].strip():
                texts[i] = draw.choice(EDITS)(outputs[i], draw)
        noticed = check_references(judged.corpus({ref: texts}, systems), SETS[judged.name])
        n_found += bool(noticed.copies) and noticed.copies[0].system in (system, *relatives)
    return n_found / n_draws


def shifted_share(judged: JudgedSet, n_draws: int) -> float:
    """Return how often a dropped or doubled line is found, within ten lines."""
    draw, n_found = random.Random(1), 0
    ref, texts = next(iter(judged.refs.items()))
    for _ in range(n_draws):
        system = draw.choice([*judged.systems])
        lines = judged.systems[system]
        at = draw.randrange(len(lines) - 10)
        is_dropped = draw.random() < 0.5
        if is_dropped:
            lines = [*lines[:at], *lines[at + 1 :], lines[-1]]
        else:
            lines = [*lines[: at + 1], *lines[at:-1]]
        noticed = check_references(judged.corpus({ref: texts}, {system: lines}), SETS[judged.name])
        right = [
            shift
            for shift in noticed.shifts
            if shift.offset == (1 if is_dropped else -1) and abs(int(shift.first) - at - 1) <= 10
        ]
        n_found += len(right) == len(noticed.shifts) == 1
    return n_found / n_draws


# ---- light edits ----


def keep(text: str, draw: random.Random) -> str:
    """Return the text as it is."""
    return text


def edit_characters(text: str, draw: random.Random) -> str:
    """Return the text with one to three characters replaced, deleted or inserted."""
    characters = list(text)
    for _ in range(draw.randint(1, 3)):
        place, kind = draw.randrange(len(characters)), draw.randrange(3)
        if kind == 0:
            characters[place] = draw.choice(text)
        elif kind == 1 and len(characters) > 1:
            del characters[place]
        else:
            characters.insert(place, draw.choice(text))
    return "".join(characters)


def edit_punctuation(text: str, draw: random.Random) -> str:
    """Return the text with Chinese punctuation for Western, and the reverse."""
    return text.translate(str.maketrans("，。！？：；,.!?:;", ",.!?:;，。！？：；"))


def change_script(text: str, draw: random.Random) -> str:
    """Return the text in Traditional characters."""
    options = TeslaCelabOptions(script="traditional")
    return Normalizer.of(options).texts([text])[0]


def change_width(text: str, draw: random.Random) -> str:
    """Return the text with full-width letters, digits and punctuation."""
    return text.translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)})


EDITS: Sequence[Callable[[str, random.Random], str]] = (
    keep,
    edit_characters,
    edit_punctuation,
    change_script,
    change_width,
)


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


if __name__ == "__main__":
    main()
