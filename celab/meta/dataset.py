"""A folder → texts and what people thought of them. The layout, all of it UTF-8:

    src.txt         the source (optional)
    ref-NAME.txt    references, one or more
    hyp/SYSTEM.txt  outputs, one file a system; all texts have one segment a line
    human-seg.tsv   columns system, segment (from 0), score; with a column judge (or rater,
                    annotator), one row a judge, else one row a translation
    human-sys.tsv   columns system, score
    rankings.tsv    columns segment, system, rank, and judge if there are several; one row a ranked
                    output, 1 is the best; one judge ranks a segment once
    docs.tsv        columns segment, document and, if known, domain (optional)

At least one of the three files of judgements must be there. Higher scores are better; columns of
other names are passed over. The first two may also be as in the WMT metrics tasks (see `table`).
Texts and tables may be compressed.

Where several judges scored a translation, its score is the mean of theirs. A system that nobody
judged is left out; a name that is judged and has no output, such as a human translator's, is passed
over, and both are named to the user.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from celab import corpus
from celab.corpus import DECOMPRESS, Corpus, Segment
from celab.errors import InputError, OptionError
from celab.meta import table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    F64 = NDArray[np.float64]

LAYOUT = "ref-NAME.txt, hyp/SYSTEM.txt and human-seg.tsv, human-sys.tsv or rankings.tsv"


@dataclass(frozen=True, slots=True)
class Dataset:
    """Matrices are systems × segments, the systems in the order of the corpus, NaN where absent."""

    name: str
    corpus: Corpus  # the systems that people judged
    human_seg: F64 | None  # mean over the judges
    human_sys: dict[str, float] | None
    judges: dict[str, F64] | None  # scores of each, if human-seg.tsv names them
    rankings: dict[str, F64] | None  # of each judge, negated ranks: higher is better
    unjudged: tuple[str, ...] = ()  # systems with output and no judgement
    without_output: tuple[str, ...] = ()  # judged names without output


def read(folder: str | os.PathLike[str], refs: Sequence[str] | None = None) -> Dataset:
    """The whole folder, with the references of these names, or all."""
    place = Path(folder)
    if not place.is_dir():
        raise InputError(f"{place} is not a folder; it must be one that holds {LAYOUT}")
    texts = _texts(place, refs)
    systems, n_segments = list(texts.systems), len(texts.segments)
    outputs = set(systems)
    judged: dict[str, None] = {}

    def read_table(stem: str, *columns: str, score: str = "score") -> table.Table | None:
        path = _find(place, f"{stem}.tsv")
        if path is None:
            return None
        found = table.read(path, score)
        found.need("system", *columns)
        judged.update(dict.fromkeys(row.system for row in found.rows if row.score is not None))
        return found

    of_segments = read_table("human-seg", "segment")
    of_systems = read_table("human-sys")
    of_ranks = read_table("rankings", "segment", score="rank")
    if of_segments is None and of_systems is None and of_ranks is None:
        raise InputError(
            f"{place} has no judgements; it must hold human-seg.tsv, human-sys.tsv or rankings.tsv"
        )
    if not judged.keys() & outputs:
        raise InputError(
            f"{place}: the judged systems are {_few(judged)}, the files in hyp are of"
            f" {_few(systems)}; they must have names in common"
        )
    kept = [name for name in systems if name in judged]
    by_judge = _by_judge(of_segments, kept, n_segments) if of_segments else None
    ranked = _by_judge(of_ranks, kept, n_segments) if of_ranks else None
    return Dataset(
        place.resolve().name,
        replace(texts, systems={name: texts.systems[name] for name in kept}),
        None if by_judge is None else mean_of(by_judge.values()),
        None if of_systems is None else _by_system(of_systems, outputs),
        by_judge if of_segments and set(of_segments.columns) & set(table.JUDGES) else None,
        None if ranked is None else {judge: -ranks for judge, ranks in ranked.items()},
        tuple(name for name in systems if name not in judged),
        tuple(name for name in judged if name not in outputs),
    )


def mean_of(matrices: Iterable[F64]) -> F64:
    """Mean over the judges that gave a score; NaN where none did."""
    stacked = np.stack(list(matrices))
    present = ~np.isnan(stacked)
    count = present.sum(axis=0)
    found = np.full(count.shape, np.nan)
    np.divide(np.where(present, stacked, 0.0).sum(axis=0), count, out=found, where=count > 0)
    return found


def _texts(place: Path, refs: Sequence[str] | None) -> Corpus:
    ref_paths = {name.removeprefix("ref-"): path for name, path in _named(place, "ref-*")}
    systems = dict(_named(place / "hyp", "*"))
    if not ref_paths or not systems:
        lacking = "hyp/SYSTEM.txt" if ref_paths else "ref-NAME.txt"
        raise InputError(f"{place} has no {lacking}; it must hold {LAYOUT}")
    if refs is not None:
        for name in refs or [""]:
            if name not in ref_paths:
                known = ", ".join(ref_paths)
                raise OptionError(f"reference {name!r} is not there; it must be one of: {known}")
        ref_paths = {name: ref_paths[name] for name in refs}
    read = corpus.read(
        list(ref_paths.values()),
        list(systems.values()),
        source=_find(place, "src.txt"),
        format="plain",
    )
    return replace(
        read,
        segments=_documents(place, len(read.segments)) or read.segments,
        systems=dict(zip(systems, read.systems.values(), strict=True)),
        ref_names=list(ref_paths),
    )


def _named(place: Path, pattern: str) -> list[tuple[str, Path]]:
    """Text files in order of name, each with what it is named."""
    found: dict[str, Path] = {}
    for path in sorted(place.glob(f"{pattern}.txt*")):
        stem, _, ending = path.name.rpartition(".txt")
        if ending not in ("", *DECOMPRESS):
            continue
        if stem in found:
            raise InputError(
                f"{found[stem].name} and {path.name} are both in {place}; one of them must go"
            )
        found[stem] = path
    return list(found.items())


def _find(place: Path, name: str) -> Path | None:
    paths = (place / f"{name}{suffix}" for suffix in ("", *DECOMPRESS))
    return next((path for path in paths if path.is_file()), None)


def _documents(place: Path, n_segments: int) -> list[Segment] | None:
    path = _find(place, "docs.tsv")
    if path is None:
        return None
    header, *lines = (line.split("\t") for line in corpus.read_lines(path))
    if not {"segment", "document"} <= set(header):
        raise InputError(
            f"{path} has the columns {', '.join(header)}; it must have segment and document"
        )
    found: dict[str, Segment] = {}
    for number, cells in enumerate(lines, 2):
        row = dict(zip(header, cells, strict=False))
        if len(cells) != len(header) or row["segment"] in found:
            raise InputError(
                f"{path}, line {number}: it must have {len(header)} columns, and a segment that no"
                " line before it has"
            )
        names = [row.get(key, "") for key in ("document", "domain")]
        found[row["segment"]] = Segment(names[0], row["segment"], names[1])
    if set(found) != {str(segment) for segment in range(n_segments)}:
        raise InputError(f"{path} must have each segment from 0 to {n_segments - 1} once")
    return [replace(found[str(s)], id=str(s + 1)) for s in range(n_segments)]


def _by_judge(found: table.Table, systems: Sequence[str], n_segments: int) -> dict[str, F64]:
    _check_order(found, n_segments)
    number = {name: i for i, name in enumerate(systems)}
    matrices: dict[str, F64] = {}
    seen: set[tuple[str, str, int]] = set()
    for row in found.rows:
        segment = row.segment or 0  # none, where there is one segment and no header
        if segment >= n_segments:
            last = n_segments - 1
            raise found.wrong(row, f"segment is {segment}; it must be from 0 to {last}")
        if (row.judge, row.system, segment) in seen:
            by = f" by {row.judge}" if row.judge else ""
            raise found.wrong(
                row,
                f"system {row.system}, segment {segment} is judged again{by}; each must be judged"
                " once, or by judges that a column judge tells apart",
            )
        seen.add((row.judge, row.system, segment))
        if row.system in number and row.score is not None:
            if row.judge not in matrices:
                matrices[row.judge] = np.full((len(systems), n_segments), np.nan)
            matrices[row.judge][number[row.system], segment] = row.score
    return matrices or {"": np.full((len(systems), n_segments), np.nan)}


def _check_order(found: table.Table, n_segments: int) -> None:
    """Without a header, lines are told apart by their order, so each system must have them all."""
    if found.columns:
        return
    count: dict[str, int] = {}
    for row in found.rows:
        count[row.system] = count.get(row.system, 0) + 1
    for system, n_lines in count.items():
        if n_lines != n_segments:
            raise InputError(
                f"{found.name} has {n_lines} line{'s' * (n_lines != 1)} of system {system}; without"
                f" a header, each system must have {n_segments}, one a segment"
            )


def _by_system(found: table.Table, outputs: set[str]) -> dict[str, float]:
    seen: set[str] = set()
    scores: dict[str, float] = {}
    for row in found.rows:
        if row.system in seen:
            raise found.wrong(row, f"system {row.system} is there again; each must be there once")
        seen.add(row.system)
        if row.score is not None and row.system in outputs:
            scores[row.system] = row.score
    return scores


def _few(names: Iterable[str] | Mapping[str, object], most: int = 3) -> str:
    some = list(names)
    return ", ".join(some[:most]) + (f" and {len(some) - most} more" if len(some) > most else "")
