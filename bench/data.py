"""Data of the benchmarks: a reference and the output of several systems, line by line.

English-Chinese news of WMT21, 29 systems × 1,002 segments, if the data folder has wmt21-enzh-sys,
or the folder that CELAB_BENCH_DATA names (`ref-A.txt`, `hyp/*.txt`). It comes from
github.com/wmt-conference/wmt21-news-systems, for research use, and is not part of this repository;
`bench/get_data.py` makes it. Otherwise as much text, with lines of the same mean length, is
generated from a seed. Nothing is downloaded.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


def data_folder() -> Path:
    """Where sets are: CELAB_DATA, or ../shared/data beside the repository, or data in it."""
    root = Path(__file__).resolve().parents[1]
    shared = root.parent / "shared" / "data"
    return Path(os.environ.get("CELAB_DATA") or (shared if shared.is_dir() else root / "data"))


FOLDER = data_folder() / "wmt21-enzh-sys"
N_SYSTEMS, N_SEGMENTS, MEAN_LENGTH, N_CHARACTERS = 29, 1002, 50, 3000


@dataclass(frozen=True, slots=True)
class Data:
    origin: str
    refs: list[str]
    systems: dict[str, list[str]]

    @property
    def n_pairs(self) -> int:
        return len(self.refs) * len(self.systems)

    def sample(self, per_system: int, seed: int = 1) -> list[tuple[str, list[str], list[str]]]:
        """For each system its name, some of its segments, and the reference of each."""
        draw = np.random.default_rng(seed)
        picked = []
        for name, hyps in self.systems.items():
            chosen = np.sort(draw.permutation(len(hyps))[:per_system]).tolist()
            picked.append((name, [hyps[i] for i in chosen], [self.refs[i] for i in chosen]))
        return picked


def load() -> Data:
    """The data, with one line on stdout that says what it is."""
    folder = Path(os.environ.get("CELAB_BENCH_DATA") or FOLDER)
    found = _wmt21(folder) if (folder / "ref-A.txt").is_file() else _generated()
    print(
        f"data: {found.origin}; {len(found.systems)} systems × {len(found.refs)} segments,"
        f" {sum(map(len, found.refs)) / len(found.refs):.0f} characters a reference"
    )
    return found


def _wmt21(folder: Path) -> Data:
    systems = {path.stem: lines(path) for path in sorted((folder / "hyp").glob("*.txt"))}
    refs = lines(folder / "ref-A.txt")
    for name, hyps in systems.items():
        if len(hyps) != len(refs):
            raise SystemExit(f"{name} has {len(hyps)} lines, ref-A.txt has {len(refs)}")
    return Data(folder.name, refs, systems)


def sides_of(metric: Any, hyps: list[str], refs: list[str]) -> tuple[Any, Any]:
    """Hypotheses and references as the kernels of TESLA-CELAB take them."""
    engine = metric.engine
    hyps, refs = (engine.prepare(side) for side in (hyps, refs))
    vocabulary, (ref,) = engine.references([refs])
    return engine.hypotheses(hyps, vocabulary), ref


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def _generated() -> Data:
    (refs,), systems = noisy_copies(N_SEGMENTS, MEAN_LENGTH, 0, N_SYSTEMS, seed=2012)
    origin = "generated text (the real data is not there)"
    return Data(origin, refs, {f"generated-{k + 1}": hyps for k, hyps in enumerate(systems)})


def noisy_copies(
    n_segments: int, mean_length: float, n_other_refs: int, n_systems: int, seed: int
) -> tuple[list[list[str]], list[list[str]]]:
    """References and systems: text drawn from characters in common use, and noisy copies of it."""
    draw = np.random.default_rng(seed)
    # The first plane of GB 2312: the characters in common use, all of them Simplified.
    common = [bytes((a, b)).decode("gb2312") for a in range(0xB0, 0xD7) for b in range(0xA1, 0xFF)]
    characters = draw.permutation([ord(c) for c in common])[:N_CHARACTERS]
    frequency = 1 / (np.arange(N_CHARACTERS) + 5)
    frequency /= frequency.sum()

    def some(n: int) -> np.ndarray:
        return characters[draw.choice(N_CHARACTERS, n, p=frequency)]

    lengths = np.maximum(draw.poisson(draw.gamma(3, mean_length / 3, n_segments)), 4)
    first = [some(n) for n in lengths]
    sides = []
    for k in range(n_systems):
        noise = 0.2 + 0.4 * k / n_systems
        sides.append([_text(_noisy(ref, noise, some, draw)) for ref in first])
    others = [[_text(_noisy(ref, 0.4, some, draw)) for ref in first] for _ in range(n_other_refs)]
    return [[_text(ref) for ref in first], *others], sides


def _noisy(
    ref: np.ndarray, noise: float, some: Callable[[int], np.ndarray], draw: np.random.Generator
) -> np.ndarray:
    """A copy with characters replaced, dropped and doubled, and two stretches exchanged."""
    copy = np.where(draw.random(len(ref)) < noise / 2, some(len(ref)), ref)
    copy = np.repeat(copy, draw.choice(3, len(copy), p=(noise / 4, 1 - noise / 2, noise / 4)))
    a, b, c = np.sort(draw.integers(0, len(copy) + 1, 3))
    return np.concatenate((copy[:a], copy[b:c], copy[a:b], copy[c:]))


def _text(code_points: np.ndarray) -> str:
    return "".join(map(chr, code_points.tolist()))
