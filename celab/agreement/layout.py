"""The files of a folder by their roles, in our layout or in that of mt-metrics-eval.

mt-metrics-eval's layout, in which the data of the WMT metrics tasks are published, has a folder for
each test set, with several pairs of languages in it (PAIR is such as en-zh):

    sources/PAIR.txt                           references/PAIR.NAME.txt
    system-outputs/PAIR/SYSTEM.txt             documents/PAIR.docs (domain and document of a line)
    human-scores/PAIR.NAME.LEVEL.score         metric-scores/PAIR/METRIC-REFERENCES.LEVEL.score

LEVEL is seg or sys; other levels are not read. Tables have no header, and white space between
columns. If a metric has both files, its scores of systems come from the sys file.
Outputs that are also references are not systems. The default reference is the first by name; scores
of metrics that used other references are not read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from celab.base.errors import InputError, OptionError, suggest
from celab.corpus import Corpus

JUDGMENTS = "human-seg.tsv, human-sys.tsv, rankings.tsv or pairs.tsv"
CELAB_LAYOUT = f"ref-NAME.txt, hyp/SYSTEM.txt and {JUDGMENTS}"
SUFFIXES = ("", ".gz", ".xz", ".bz2")
_WMT = ("sources", "references", "system-outputs")
_PREFERRED = ("mqm", "esa", "da-sqm", "wmt-z", "wmt")  # human scores, in order of preference


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Files of a data set."""

    references: Mapping[str, Path]  # references to score with
    systems: Mapping[str, Path]
    source: Path | None
    tables: Mapping[str, Path]  # name in our layout, such as docs.tsv → file
    pair: str | None = None  # language pair; None if the folder does not say
    metrics: Mapping[str, Path] = field(default_factory=dict)  # tables of external metrics
    # Tables of system scores, for external metrics that also have a table of segments.
    system_scores: Mapping[str, Path] = field(default_factory=dict)

    @property
    def lang(self) -> str | None:
        """Target language, if the folder says it."""
        return None if self.pair is None else self.pair.rpartition("-")[2]

    @property
    def separator(self) -> str | None:
        """Separator of the columns of tables; None is white space."""
        return "\t" if self.pair is None else None


def find(
    folder: str | os.PathLike[str],
    refs: Sequence[str] | None = None,
    pair: str | None = None,
    human: str | None = None,
) -> Layout:
    """Find the files, with the named references (default: all; in WMT's layout, the first)."""
    place = Path(folder)
    if not place.is_dir():
        raise InputError(f"{place} is not a folder; it must be a folder with {CELAB_LAYOUT}")
    if all((place / name).is_dir() for name in _WMT):
        return _wmt(place, refs, pair, human)
    if human is not None:
        raise OptionError(
            f"human scores {human!r} are chosen, but {place} has only one kind; leave that out"
        )
    references = {name.removeprefix("ref-"): path for name, path in _texts(place, "ref-*").items()}
    systems = _texts(place / "hyp", "*")
    if not references or not systems:
        lacking = "hyp/SYSTEM.txt" if references else "ref-NAME.txt"
        raise InputError(f"{place} has no {lacking}; it must hold {CELAB_LAYOUT}")
    names = ("human-seg.tsv", "human-sys.tsv", "rankings.tsv", "pairs.tsv", "docs.tsv")
    tables = {name: path for name in names if (path := _file(place / name)) is not None}
    metrics = {path.stem: path for path in sorted((place / "metric-scores").glob("*.tsv"))}
    return Layout(
        references=_choose(references, refs),
        systems=systems,
        source=_file(place / "src.txt"),
        tables=tables,
        metrics=metrics,
    )


def of_texts(texts: Corpus) -> Layout:
    """Return the layout of texts that are not in a folder."""
    files = zip(texts.ref_names, texts.ref_files, strict=True)
    return Layout(
        references={name: Path(file) for name, file in files},
        systems={name: Path(texts.file_of(name)) for name in texts.systems},
        source=None,
        tables={},
    )


def _wmt(place: Path, refs: Sequence[str] | None, pair: str | None, human: str | None) -> Layout:
    pair = _language_pair(place, pair)
    start = f"{pair}."
    available = {
        name.removeprefix(start): path
        for name, path in _texts(place / "references", f"{start}*").items()
    }
    outputs = _texts(place / "system-outputs" / pair, "*")
    systems = {name: path for name, path in outputs.items() if name not in available}
    if not available or not systems:
        lacking = f"system-outputs/{pair}/*.txt" if available else f"references/{pair}.*.txt"
        raise InputError(f"{place} has no {lacking}; it must have at least one")
    references = _choose(available, refs or list(available)[:1])
    judged: dict[str, dict[str, Path]] = {}
    for path, name, level in _scores(place / "human-scores", f"{start}*"):
        judged.setdefault(name.removeprefix(start), {})[f"human-{level}.tsv"] = path
    if not judged:
        raise InputError(f"{place} has no human-scores/{pair}.*.score; it must have at least one")
    if human is None:
        human = next((name for name in _PREFERRED if name in judged), next(iter(judged)))
    elif human not in judged:
        raise OptionError(f"unknown human scores {human!r}; {suggest(human, judged)}")
    metrics, system_scores = _metric_scores(place / "metric-scores" / pair, set(references))
    documents = _file(place / "documents" / f"{pair}.docs")
    tables = judged[human] | ({} if documents is None else {"docs.tsv": documents})
    source = _file(place / "sources" / f"{pair}.txt")
    return Layout(
        references=references,
        systems=systems,
        source=source,
        tables=tables,
        pair=pair,
        metrics=metrics,
        system_scores=system_scores,
    )


def _language_pair(place: Path, pair: str | None) -> str:
    """Return the chosen language pair, or the only one of the folder."""
    pairs = list(_texts(place / "sources", "*"))
    if pair is None and len(pairs) == 1:
        return pairs[0]
    if pair is None:
        raise OptionError(
            f"{place} has {len(pairs)} language pairs ({', '.join(pairs)}); choose one of them"
        )
    if pair not in pairs:
        raise OptionError(f"unknown language pair {pair!r}; {suggest(pair, pairs)}")
    return pair


def _metric_scores(folder: Path, references: set[str]) -> tuple[dict[str, Path], dict[str, Path]]:
    """Return the score file of each external metric that uses these references, or no reference.

    The second mapping has the files of system scores, for metrics that have both files.
    """
    metrics: dict[str, Path] = {}
    of_systems: dict[str, Path] = {}
    for path, stem, level in _scores(folder, "*"):
        name, _, used = stem.rpartition("-")
        if used in ("src", "all") or set(used.split(".")) == references:
            name = stem if name in metrics and not metrics[name].name.startswith(stem) else name
            if level == "seg" or name not in metrics:
                metrics[name] = path
            if level == "sys":
                of_systems[name] = path
    both = {name: path for name, path in of_systems.items() if metrics[name] != path}
    return metrics, both


def metric_names(folder: str | os.PathLike[str]) -> set[str]:
    """Return the external metrics with scores in a folder, for any language pair and reference."""
    wmt = Path(folder).glob("metric-scores/*/*.score")
    ours = Path(folder).glob("metric-scores/*.tsv")
    return {path.name.rpartition("-")[0] for path in wmt} | {path.stem for path in ours}


def files_in(folder: str | os.PathLike[str]) -> list[Path]:
    """Return the files of a folder that `find` may read."""
    if not os.path.isdir(folder):
        return []
    names = ("ref-*.txt", "hyp/*.txt", "src.txt", "*.tsv", *(f"{name}/**/*" for name in _WMT))
    scores = ("human-scores/*", "metric-scores/*", "metric-scores/*/*", "documents/*")
    return [path for name in (*names, *scores) for path in Path(folder).glob(f"{name}*")]


def _choose(known: Mapping[str, Path], refs: Sequence[str] | None) -> dict[str, Path]:
    names = list(known if refs is None else refs)
    for name in names or ("",):
        if name not in known:
            raise OptionError(f"unknown reference {name!r}; {suggest(name, known)}")
    return {name: known[name] for name in names}


def _texts(place: Path, pattern: str) -> dict[str, Path]:
    """Return text files by their names without suffix, sorted by name."""
    paths: dict[str, Path] = {}
    for path in sorted(place.glob(f"{pattern}.txt*")):
        stem, _, ending = path.name.rpartition(".txt")
        if ending not in SUFFIXES:
            continue
        if stem in paths:
            raise InputError(
                f"{paths[stem].name} and {path.name} are both in {place}; remove one of them"
            )
        paths[stem] = path
    return paths


def _scores(place: Path, pattern: str) -> Iterator[tuple[Path, str, str]]:
    """Yield path, name and level of each table of scores."""
    for level in ("seg", "sys"):
        for path in sorted(place.glob(f"{pattern}.{level}.score")):
            yield path, path.name.removesuffix(f".{level}.score"), level


def _file(path: Path) -> Path | None:
    paths = (path.with_name(path.name + suffix) for suffix in SUFFIXES)
    return next((path for path in paths if path.is_file()), None)
