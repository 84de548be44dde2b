"""Makes the judged sets from their public sources, in the layout of `celab meta`.

    python bench/get_data.py [SET...] [--from FOLDER] [--to FOLDER] [--unchecked]

Without SET it lists the sets. Sources are repositories at a fixed commit, downloaded as archives;
with `--from`, they are taken from FOLDER/OWNER/NAME, such as clones. Sets go to `--to`, by default
to the data folder (CELAB_DATA, or ../shared/data if it is there, or data). bench/reproduction.md
has the licenses.

A set is written atomically: its folder appears when it is complete. Its files must have the SHA-256
digests in get_data.sha256, which were computed from the sets that the published figures use, unless
`--unchecked` is given. Digests of the archives themselves are not known.

The conversions were tested on sources rebuilt from the finished sets, and compared with them byte
by byte. The download itself was written without network access and has never been run against the
real hosts.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import os
import re
import shutil
import sys
import tarfile
import tempfile
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

import numpy as np
from data import data_folder

WMT21 = ("wmt-conference/wmt21-news-systems", "f41750dadbf2ba6ab01ca5380347d253298a3427")
WMT24 = ("wmt-conference/wmt24-news-systems", "bfa937ee53586aa173d68657b89b8642693f7b66")
MQM = ("google/wmt-mqm-human-evaluation", "7fadea281aff8db61cc72fc3d469a4dca78b82a6")
MSLC = ("nrc-cnrc/MSLC", "2d2e57f5f3c701debd797616abb9622d8608d543")
MLQE = ("sheffieldnlp/mlqe-pe", "2a670a1140416cf80507b5a829659383c878feb8")
KOREAN = ("DojunPark/multidimensional_MTE", "14b9c515d1756b74eca03d3570307bc57204a00b")
ISO = {"zh": "zho", "ja": "jpn"}
OTHER_NAMES = {"Nemo": "NVIDIA-NeMo"}  # in the scores of MQM
DIGESTS = Path(__file__).with_suffix(".sha256")
Scores = dict[tuple[str, int], list[float]]  # ratings by system and line


class SourceError(Exception):
    """A source is not as expected."""


@dataclass(frozen=True, slots=True)
class Set:
    sources: Sequence[tuple[str, str]]  # repository and commit
    make: Callable[[Sequence[Path], Path], None]  # folders of the repositories → the set

    def __str__(self) -> str:
        return " and ".join(f"{repository} at {commit[:12]}" for repository, commit in self.sources)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("sets", nargs="*", metavar="SET")
    parser.add_argument("--from", dest="clones", type=Path, metavar="FOLDER")
    parser.add_argument("--to", type=Path, metavar="FOLDER", default=data_folder())
    parser.add_argument("--unchecked", action="store_true", help="Keep sets whose digests differ.")
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.sets if name not in SETS]:
        parser.error(f"{unknown[0]!r} is not a set; choose from {', '.join(SETS)}")
    if not arguments.sets:
        list_sets()
    with tempfile.TemporaryDirectory() as downloads:
        for name in arguments.sets:
            try:
                folders = [
                    source_folder(*source, arguments.clones, Path(downloads))
                    for source in SETS[name].sources
                ]
                make_set(name, folders, arguments.to, not arguments.unchecked)
            except (OSError, SourceError, tarfile.TarError) as error:
                raise SystemExit(f"{name} was not made: {error}; it needs {SETS[name]}") from None
            print(f"{arguments.to / name}: made from {SETS[name]}")


def list_sets() -> None:
    """Print the sets, for as long as somebody reads them."""
    try:
        for name, judged_set in SETS.items():
            print(f"{name}: from {judged_set}", flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python reports it again
        raise SystemExit(141) from None


def make_set(name: str, folders: Sequence[Path], to: Path, checked: bool) -> None:
    """Write the folder of a set atomically."""
    if (to / name).exists():
        raise SourceError(f"{to / name} exists; delete it or choose another folder with --to")
    to.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=to) as place:
        folder = Path(place) / name
        try:
            SETS[name].make(folders, folder)
        except (ValueError, KeyError, IndexError) as error:
            raise SourceError(
                f"a source is not laid out as expected ({type(error).__name__}: {error})"
            ) from error
        if checked:
            check_digests(name, folder)
        folder.rename(to / name)


def digests_of(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file, by its path in the folder."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def known_digests(name: str) -> dict[str, str]:
    """Return the expected SHA-256 of every file of a set, from lines as sha256sum writes them."""
    rows = (line.split("  ", 1) for line in DIGESTS.read_text("utf-8").splitlines())
    return {
        path.removeprefix(f"{name}/"): digest
        for digest, path in rows
        if path.startswith(f"{name}/")
    }


def check_digests(name: str, folder: Path) -> None:
    known, actual = known_digests(name), digests_of(folder)
    differing = [path for path in sorted(known | actual) if known.get(path) != actual.get(path)]
    if differing:
        more = f" and {len(differing) - 3} more files" if len(differing) > 3 else ""
        raise SourceError(
            f"{', '.join(differing[:3])}{more} would differ from the digests in {DIGESTS.name};"
            " a source has changed (--unchecked keeps the set anyway)"
        )


def source_folder(repository: str, commit: str, clones: Path | None, downloads: Path) -> Path:
    """Return the folder of a repository: a clone, or its archive, downloaded once."""
    if clones is not None:
        if not (clones / repository).is_dir():
            raise SourceError(f"{clones / repository} is not a folder")
        return clones / repository
    folder = downloads / f"{repository.partition('/')[2]}-{commit}"
    if not folder.is_dir():
        with tempfile.TemporaryFile() as file:
            download(f"https://github.com/{repository}/archive/{commit}.tar.gz", file)
            file.seek(0)
            try:
                with tarfile.open(fileobj=file, mode="r:gz") as archive:
                    archive.extractall(downloads, filter="data")
            except tarfile.TarError as error:
                raise SourceError(f"the archive of {repository} is damaged ({error})") from None
        if not folder.is_dir():
            raise SourceError(f"the archive of {repository} has no folder {folder.name}")
    return folder


def download(url: str, to: BinaryIO) -> None:
    """Copy what the URL gives into a file; nothing else here uses the network."""
    with urllib.request.urlopen(url) as reply:
        shutil.copyfileobj(reply, to)


# Texts


def lines_of(path: Path) -> list[str]:
    """Return the lines, split at LF only; other line ends of Unicode and tabs become a space."""
    text = path.read_text("utf-8").removeprefix("\ufeff").removesuffix("\n")
    return [
        re.sub("[\t\r\v\f\x1c-\x1e\x85\u2028\u2029]+", " ", x).strip() for x in text.split("\n")
    ]


def write_texts(to: Path, texts: dict[str, list[str]], kept: Sequence[int]) -> None:
    """Write texts by the names of their files, only these lines."""
    (to / "hyp").mkdir(parents=True, exist_ok=True)
    for name, lines in texts.items():
        chosen = "".join(f"{lines[i]}\n" for i in kept)
        (to / f"{name}.txt").write_text(chosen, "utf-8", newline="\n")


def write_table(path: Path, header: str, rows: Iterable[Sequence[object]]) -> None:
    cells = [[f"{x:.6g}" if isinstance(x, float) else str(x) for x in row] for row in rows]
    table = [header.split(), *cells]
    path.write_text("".join("\t".join(row) + "\n" for row in table), "utf-8", newline="\n")


def write_scores(
    to: Path, scores: Scores, kept: Sequence[int], systems: Iterable[str] = ()
) -> None:
    """Write human-seg.tsv and human-sys.tsv; a score is the mean of its ratings.

    Systems are in the given order, or sorted.
    """
    means = {
        key: ratings[0] if len(ratings) == 1 else sum(ratings) / len(ratings)
        for key, ratings in scores.items()
    }
    systems = list(systems) or sorted({system for system, _ in scores})
    places = {line: place for place, line in enumerate(kept)}
    rows = [
        (system, places[line], means[system, line], len(scores[system, line]))
        for system in systems
        for line in kept
        if (system, line) in means
    ]
    write_table(to / "human-seg.tsv", "system segment score n_ratings", rows)
    of_system = {
        system: [means[key] for key in means if key[0] == system and key[1] in places]
        for system in systems
    }
    ranking = [(system, sum(own) / len(own), len(own)) for system, own in of_system.items()]
    ranking.sort(key=lambda row: -row[1])
    write_table(to / "human-sys.tsv", "system score n_segments", ranking)


def write_docs(to: Path, labels: Sequence[tuple[str, str]], kept: Sequence[int]) -> None:
    rows = [(place, *labels[line], line) for place, line in enumerate(kept)]
    write_table(to / "docs.tsv", "segment domain document original_line_0based", rows)


# WMT21


def wmt21_texts(folder: Path, pair: str, refs: str, systems: Iterable[str]) -> dict[str, list[str]]:
    source, target = pair.split("-")
    start = f"newstest2021.{pair}"
    texts = {"src": lines_of(folder / f"txt/sources/{start}.src.{source}")}
    for ref in refs:
        texts[f"ref-{ref}"] = lines_of(folder / f"txt/references/{start}.ref.{ref}.{target}")
    for system in systems:
        path = folder / f"txt/system-outputs/{start}.hyp.{system}.{target}"
        texts[f"hyp/{system}"] = lines_of(path)
    return texts


def direct_assessment(text: str, target: str) -> list[tuple[str, float, float, int]]:
    """Return system, z, raw score and ratings, from a section of the clusters' file."""
    section = text.partition(f"[eng-->{target}]\n")[2].partition("\n[")[0]
    rows = re.findall(r"^\S+ \('([^']+)', (\d+), (\S+), (\S+), \S+\)$", section, re.MULTILINE)
    return [(name, float(z), float(raw), int(n)) for name, n, z, raw in rows]


def wmt21_sys(pair: str, refs: str) -> Set:
    def make(folders: Sequence[Path], to: Path) -> None:
        (folder,) = folders
        path = "humaneval/newstest2021-EX_and_XY/wmt21clusters.filtered.20210930.txt"
        judged = direct_assessment((folder / path).read_text("utf-8"), ISO[pair[-2:]])
        judged = [row for row in judged if not row[0].startswith("translator-")]
        texts = wmt21_texts(folder, pair, refs, [row[0] for row in judged])
        write_texts(to, texts, range(len(texts["src"])))
        write_table(to / "human-sys.tsv", "system score raw_mean_0_100 n_ratings", judged)

    return Set([WMT21], make)


def mqm_scores(text: str) -> Scores:
    """Return ratings by system and line from 0; rows have a system, a score or None, a number."""
    scores: Scores = {}
    for line in text.splitlines()[1:]:
        system, score, number = line.split()
        if score != "None":
            scores[OTHER_NAMES.get(system, system), int(number) - 1] = [float(score)]
    return scores


def wmt21_mqm(pair: str, refs: str) -> Set:
    def make(folders: Sequence[Path], to: Path) -> None:
        texts_in, scores_in = folders
        short = pair.replace("-", "")
        path = scores_in / f"newstest2021/{short}/mqm_newstest2021_{short}.avg_seg_scores.tsv"
        scores = mqm_scores(path.read_text("utf-8"))
        outputs = texts_in / "txt/system-outputs"
        known = {
            path.name.removeprefix(f"newstest2021.{pair}.hyp.").rpartition(".")[0]
            for path in outputs.glob(f"newstest2021.{pair}.hyp.*")
        }
        scores = {key: ratings for key, ratings in scores.items() if key[0] in known}
        kept = sorted({line for _, line in scores})
        texts = wmt21_texts(texts_in, pair, refs, sorted({system for system, _ in scores}))
        write_texts(to, texts, kept)
        write_scores(to, scores, kept)
        write_docs(to, [("news", "-")] * len(texts["src"]), kept)

    return Set([WMT21, MQM], make)


# WMT24

ESA = "user system line type source target score document unknown spans start end".split()


def esa_scores(texts: Iterable[str], target: str) -> tuple[Scores, dict[int, str]]:
    """Return ratings of a language from English, and documents by line; no control items."""
    scores: Scores = defaultdict(list)
    documents: dict[int, str] = {}
    for text in texts:
        for cells in csv.reader(io.StringIO(text)):
            row = dict(zip(ESA, cells, strict=True))
            if (row["source"], row["target"], row["type"]) != ("eng", target, "TGT"):
                continue
            if "tutorial" in row["system"] or re.search("#(bad|dup|incomplete)", row["document"]):
                continue
            scores[row["system"], int(row["line"])].append(float(row["score"]))
            documents[int(row["line"])] = row["document"]
    return dict(scores), documents


def wmt24_labels(text: Path, pair: str) -> list[tuple[str, str]]:
    """Return domain and document of every line."""
    with (text / f"documents/{pair}.docs").open(encoding="utf-8") as rows:
        return [(domain, document) for domain, document, *_ in map(str.split, rows)]


def wmt24_texts(text: Path, pair: str, files: Mapping[str, str]) -> dict[str, list[str]]:
    """Return source, reference and outputs; the names of the outputs' files by system."""
    texts = {
        "src": lines_of(text / f"sources/{pair}.txt"),
        "ref-A": lines_of(text / f"references/{pair}.refA.txt"),
    }
    for system, file in files.items():
        texts[f"hyp/{system}"] = lines_of(text / f"system-outputs/{pair}/{file}.txt")
    return texts


def wmt24_esa(pair: str, domains: Sequence[str] = ()) -> Set:
    def make(folders: Sequence[Path], to: Path) -> None:
        (folder,) = folders
        waves = [folder / f"humeval/esa_generalMT2024_wave{n}.csv" for n in (2, 3)]
        scores, documents = esa_scores((p.read_text("utf-8") for p in waves), ISO[pair[-2:]])
        text = folder / "txt"
        labels = wmt24_labels(text, pair)
        for line, document in documents.items():
            if labels[line][1] != document:
                raise SourceError(f"line {line} is of {labels[line][1]}, but judged as {document}")
        kept = sorted(i for i in documents if not domains or labels[i][0] in domains)
        ratings = {key: scores[key] for key in scores if key[1] in set(kept)}
        of_ref = {key[1]: ratings.pop(key) for key in list(ratings) if key[0] == "refA"}
        systems = sorted({system for system, _ in ratings})
        texts = wmt24_texts(text, pair, {system: system for system in systems})
        write_texts(to, texts, kept)
        write_scores(to, ratings, kept)
        write_docs(to, labels, kept)
        rows = [
            (place, sum(of_ref[line]) / len(of_ref[line]), len(of_ref[line]))
            for place, line in enumerate(kept)
            if line in of_ref
        ]
        write_table(to / "human-ref-A.tsv", "segment score n_ratings", rows)

    return Set([WMT24], make)


# The matrix of MSLC has human and metric scores of segments that it numbers anew. They are found
# again in the files of WMT24 by the chrF of every system.
MATRIX = "docs/2024/interactive/hum-matrix/hum-{}-matrix.csv"
MATRIX_NAMES = {"F*": "MSLC"}
MATRIX_METRICS = """BERTScore BLEU BLEURT-20 COMET-22 CometKiwi GEMBA-ESA MEE4 MetricX-24-Hybrid
    MetricX-24-Hybrid-QE PrismRefMedium PrismRefSmall XCOMET XCOMET-QE YiSi-1 chrF chrfS
    metametrics_mt_mqm_hybrid metametrics_mt_mqm_qe sentinel-cand spBLEU""".split()
TOLERANCE = 0.02  # of chrF, from 0 to 100


def matrix_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of systems that people judged, in the order of the file."""
    reader = csv.DictReader(io.StringIO(path.read_text("utf-8")))
    columns = ["segment_id", "system_id", "MQM", *MATRIX_METRICS]
    if missing := [name for name in columns if name not in (reader.fieldnames or [])]:
        raise SourceError(f"{path} has no column {', '.join(missing)}")
    return [
        {**row, "system_id": MATRIX_NAMES.get(row["system_id"], row["system_id"])}
        for row in reader
        if row["MQM"] != "null"
    ]


def align(segments: np.ndarray, lines: np.ndarray) -> dict[int, int]:
    """Return the line of each segment; both have a row per item and a column per system.

    A segment belongs to the only line whose values are all within the tolerance, if that line has
    no other segment. Of several lines, the neighbors' lines may leave only one. Other segments
    have no line.
    """
    close = (np.abs(segments[:, None] - lines[None]) <= TOLERANCE).all(axis=2)
    aligned: dict[int, int] = {}
    while True:
        single = close & (close.sum(axis=1, keepdims=True) == 1) & (close.sum(axis=0) == 1)
        pairs = {int(segment): int(line) for segment, line in np.argwhere(single)}
        for (segment, line), (next_segment, next_line) in pairwise(pairs.items()):
            if line > next_line:
                raise SourceError(
                    f"segments {segment} and {next_segment} match lines {line} and {next_line}:"
                    " they are not in order"
                )
        if len(pairs) == len(aligned):
            return aligned
        aligned = pairs
        for segment, line in aligned.items():
            close[:segment, line:] = False
            close[segment + 1 :, : line + 1] = False


def chrf_of(texts: Mapping[str, Sequence[str]], systems: Sequence[str]) -> np.ndarray:
    """Return the chrF of every line and system."""
    from sacrebleu.metrics.chrf import CHRF

    score = CHRF().sentence_score
    return np.array(
        [
            [score(texts[f"hyp/{system}"][line], [ref]).score for system in systems]
            for line, ref in enumerate(texts["ref-A"])
        ]
    )


def wmt24_mqm(pair: str, domain: str, n_segments: int, left_out: Sequence[int] = ()) -> Set:
    """Return a set of all lines of a domain that the matrix has, except those left out."""

    def make(folders: Sequence[Path], to: Path) -> None:
        text, matrix = folders[0] / "txt", folders[1] / MATRIX.format(pair.replace("-", ""))
        rows = matrix_rows(matrix)
        systems = list(dict.fromkeys(row["system_id"] for row in rows))
        numbers = sorted({int(row["segment_id"]) for row in rows})
        values = {(int(row["segment_id"]), row["system_id"]): float(row["chrF"]) for row in rows}
        labels = wmt24_labels(text, pair)
        texts = wmt24_texts(text, pair, {system: system.replace("_", "-") for system in systems})
        expected = np.array([[values[number, system] for system in systems] for number in numbers])
        actual = chrf_of(texts, systems)
        for line, label in enumerate(labels):
            if label[0] != domain or line in left_out:
                actual[line] = np.nan
        aligned = {numbers[row]: line for row, line in align(expected, actual).items()}
        if len(aligned) != n_segments:
            raise SourceError(
                f"{len(aligned)} of {len(numbers)} segments of {matrix} match a line by their"
                f" chrF; {n_segments} should"
            )
        kept = sorted(aligned.values())
        places = {number: kept.index(line) for number, line in aligned.items()}
        rows = [row for row in rows if int(row["segment_id"]) in aligned]
        scores: Scores = {
            (row["system_id"], aligned[int(row["segment_id"])]): [float(row["MQM"])] for row in rows
        }
        write_texts(to, texts, kept)
        write_scores(to, scores, kept, systems)
        write_docs(to, labels, kept)
        (to / "metric-scores").mkdir()
        for metric in MATRIX_METRICS:
            cells = [
                (row["system_id"], places[int(row["segment_id"])], row[metric]) for row in rows
            ]
            write_table(to / f"metric-scores/{metric}.tsv", "system segment score", cells)

    return Set([WMT24, MSLC], make)


# One system


# Post-edits are word-segmented: words are separated by a space, and a space of the text is either a
# word itself, so that three spaces stand for it, or stands beside the separator. The files could
# not be looked at; the output, whose text before segmentation is known, shows which it is.
SPACES_OF_RUN: Sequence[Callable[[int], int]] = (lambda n: (n - 1) // 2, lambda n: n - 1)


def joined(text: str, spaces_of_run: Callable[[int], int]) -> str:
    """Return the text before word segmentation."""
    return re.sub(" +", lambda run: " " * spaces_of_run(len(run[0])), text.strip())


def mlqe(folders: Sequence[Path], to: Path) -> None:
    (folder,) = folders
    with tarfile.open(folder / "data/direct-assessments/dev/en-zh-dev.tar.gz") as archive:
        table = _member(archive, "dev.enzh.df.short.tsv")
    with tarfile.open(folder / "data/post-editing/dev/en-zh-dev.tar.gz") as archive:
        edited, output = (_member(archive, name).split("\n") for name in ("dev.pe", "dev.mt"))
    rows = list(csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE))
    outputs = [row["translation"].strip() for row in rows]
    for spaces_of_run in SPACES_OF_RUN:
        if [joined(line, spaces_of_run) for line in output[: len(rows)]] == outputs:
            break
    else:
        raise SourceError("the lines of dev.mt do not join to the text before segmentation")
    texts = {
        "src": [row["original"].strip() for row in rows],
        "ref-A": [joined(line, spaces_of_run) for line in edited],
        "hyp/nmt": outputs,
    }
    write_texts(to, texts, range(len(rows)))
    scores = [
        ("nmt", i, float(row["z_mean"]), len(row["scores"].split(",")))
        for i, row in enumerate(rows)
    ]
    write_table(to / "human-seg.tsv", "system segment score n_ratings", scores)
    raw = [("nmt", i, float(row["mean"])) for i, row in enumerate(rows)]
    write_table(to / "human-seg-raw.tsv", "system segment mean_0_100", raw)


def _member(archive: tarfile.TarFile, name: str) -> str:
    for member in archive.getmembers():
        if os.path.basename(member.name) == name and (file := archive.extractfile(member)):
            return file.read().decode("utf-8")
    raise SourceError(f"{os.fsdecode(archive.name or '')} has no file {name}")


def korean(folders: Sequence[Path], to: Path) -> None:
    (folder,) = folders
    text = (folder / "En_Ko_MQM_Quality_Scores.tsv").read_text("utf-8")
    rows = list(csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))
    kept = [i for i, row in enumerate(rows) if row["corpus"].replace(" ", "") == "GlobalVoices"]
    columns = {"src": "en_source", "ref-A": "ko_reference", "hyp/mt": "ko_target"}
    texts = {name: [row[column].strip() for row in rows] for name, column in columns.items()}
    write_texts(to, texts, kept)
    scores = [("mt", at, -float(rows[i]["total"]), 1) for at, i in enumerate(kept)]
    write_table(to / "human-seg.tsv", "system segment score n_ratings", scores)
    dimensions = ("accuracy", "fluency", "style")
    parts = [
        ("mt", at, *(-float(rows[i][dimension]) for dimension in dimensions))
        for at, i in enumerate(kept)
    ]
    write_table(to / "human-seg-dimensions.tsv", f"system segment {' '.join(dimensions)}", parts)
    write_docs(to, [("GlobalVoices", row["type"].capitalize()) for row in rows], kept)


SETS = {
    "wmt24-enzh-esa": wmt24_esa("en-zh"),
    "wmt24-enja-esa-news-speech": wmt24_esa("en-ja", ("news", "speech")),
    # The chrF of these four short lines fits several of them.
    "wmt24-jazh-mqm": wmt24_mqm("ja-zh", "news", 251, left_out=(11, 12, 28, 29)),
    "wmt21-enzh-sys": wmt21_sys("en-zh", "AB"),
    "wmt21-enja-sys": wmt21_sys("en-ja", "A"),
    "wmt21-ende-mqm": wmt21_mqm("en-de", "ACD"),
    "wmt21-zhen-mqm": wmt21_mqm("zh-en", "A"),
    "mlqe20-enzh-da-dev": Set([MLQE], mlqe),
    "enko-mqm-globalvoices": Set([KOREAN], korean),
}

if __name__ == "__main__":
    main()
