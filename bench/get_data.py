"""Makes the judged sets from their public sources, in the layout of `celab meta`.

    python bench/get_data.py [SET...] [--from FOLDER] [--to FOLDER]

Without SET it lists the sets. Sources are repositories at a fixed commit, fetched as archives; with
`--from`, they are taken from FOLDER/OWNER/NAME, such as clones. Sets go to `--to`, by default to
the data folder (CELAB_DATA, or ../shared/data if it is there, or data). docs/researchers.md has the
licences.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import re
import tarfile
import tempfile
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from data import data_folder

WMT21 = ("wmt-conference/wmt21-news-systems", "f41750dadbf2ba6ab01ca5380347d253298a3427")
WMT24 = ("wmt-conference/wmt24-news-systems", "bfa937ee53586aa173d68657b89b8642693f7b66")
MQM = ("google/wmt-mqm-human-evaluation", "7fadea281aff8db61cc72fc3d469a4dca78b82a6")
MLQE = ("sheffieldnlp/mlqe-pe", "2a670a1140416cf80507b5a829659383c878feb8")
KOREAN = ("DojunPark/multidimensional_MTE", "14b9c515d1756b74eca03d3570307bc57204a00b")
ISO = {"zh": "zho", "ja": "jpn"}
OTHER_NAMES = {"Nemo": "NVIDIA-NeMo"}  # in the scores of MQM
Scores = dict[tuple[str, int], list[float]]  # ratings by system and line


@dataclass(frozen=True, slots=True)
class Set:
    sources: Sequence[tuple[str, str]]  # repository and commit
    make: Callable[[Sequence[Path], Path], None]  # folders of the repositories → the set


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("sets", nargs="*", metavar="SET", choices=[[], *SETS])
    parser.add_argument("--from", dest="clones", type=Path, metavar="FOLDER")
    parser.add_argument("--to", type=Path, metavar="FOLDER", default=data_folder())
    arguments = parser.parse_args()
    if not arguments.sets:
        for name, one in SETS.items():
            print(f"{name}: from {_named(one)}")
    for name in arguments.sets:
        one = SETS[name]
        with tempfile.TemporaryDirectory() as place:
            try:
                folders = [
                    _source(*source, arguments.clones, Path(place)) for source in one.sources
                ]
            except OSError as error:
                raise SystemExit(f"{name} was not made ({error}); it needs {_named(one)}") from None
            one.make(folders, arguments.to / name)
        print(f"{arguments.to / name}: made from {_named(one)}")


def _named(one: Set) -> str:
    return " and ".join(f"{repository} at {commit[:12]}" for repository, commit in one.sources)


def _source(repository: str, commit: str, clones: Path | None, place: Path) -> Path:
    """The folder of a repository."""
    if clones is not None:
        if not (clones / repository).is_dir():
            raise OSError(f"{clones / repository} is not there")
        return clones / repository
    with (
        urllib.request.urlopen(f"https://github.com/{repository}/archive/{commit}.tar.gz") as reply,
        tarfile.open(fileobj=io.BytesIO(reply.read())) as archive,
    ):
        archive.extractall(place, filter="data")
    return place / f"{repository.partition('/')[2]}-{commit}"


# Texts


def lines_of(path: Path) -> list[str]:
    """Split at LF only; what else ends a line in Unicode, and tabs, become one space."""
    text = path.read_text("utf-8").removeprefix("\ufeff").removesuffix("\n")
    return [
        re.sub("[\t\r\v\f\x1c-\x1e\x85\u2028\u2029]+", " ", x).strip() for x in text.split("\n")
    ]


def write_texts(to: Path, texts: dict[str, list[str]], kept: Sequence[int]) -> None:
    """Texts by the names of their files, only these lines."""
    (to / "hyp").mkdir(parents=True, exist_ok=True)
    for name, lines in texts.items():
        chosen = "".join(f"{lines[i]}\n" for i in kept)
        (to / f"{name}.txt").write_text(chosen, "utf-8", newline="\n")


def write_table(path: Path, header: str, rows: Iterable[Sequence[object]]) -> None:
    cells = [[f"{x:.6g}" if isinstance(x, float) else str(x) for x in row] for row in rows]
    table = [header.split(), *cells]
    path.write_text("".join("\t".join(row) + "\n" for row in table), "utf-8", newline="\n")


def write_scores(to: Path, scores: Scores, kept: Sequence[int]) -> None:
    """human-seg.tsv and human-sys.tsv; a score is the mean of its ratings."""
    means = {
        key: ratings[0] if len(ratings) == 1 else sum(ratings) / len(ratings)
        for key, ratings in scores.items()
    }
    systems = sorted({system for system, _ in scores})
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
    ranked = sorted(of_system, key=lambda one: -sum(of_system[one]) / len(of_system[one]))
    rows = [(one, sum(of_system[one]) / len(of_system[one]), len(of_system[one])) for one in ranked]
    write_table(to / "human-sys.tsv", "system score n_segments", rows)


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
    for one in systems:
        path = folder / f"txt/system-outputs/{start}.hyp.{one}.{target}"
        texts[f"hyp/{one}"] = lines_of(path)
    return texts


def direct_assessment(text: str, target: str) -> list[tuple[str, float, float, int]]:
    """System, z, raw score and ratings, from a section of the clusters' file."""
    section = text.partition(f"[eng-->{target}]\n")[2].partition("\n[")[0]
    found = re.findall(r"^\S+ \('([^']+)', (\d+), (\S+), (\S+), \S+\)$", section, re.MULTILINE)
    return [(name, float(z), float(raw), int(n)) for name, n, z, raw in found]


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
    """Ratings by system and line from 0, of a file with system, score or None, and number."""
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
    """Ratings of a language from English, and documents by line; no control items."""
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


def wmt24_esa(pair: str, domains: Sequence[str] = ()) -> Set:
    def make(folders: Sequence[Path], to: Path) -> None:
        (folder,) = folders
        waves = [folder / f"humeval/esa_generalMT2024_wave{n}.csv" for n in (2, 3)]
        scores, documents = esa_scores((p.read_text("utf-8") for p in waves), ISO[pair[-2:]])
        text = folder / "txt"
        docs = [line.split() for line in (text / f"documents/{pair}.docs").open(encoding="utf-8")]
        labels = [(domain, document) for domain, document, *_ in docs]
        for line, document in documents.items():
            if labels[line][1] != document:
                raise SystemExit(f"line {line} is of {labels[line][1]}, but judged as {document}")
        kept = sorted(i for i in documents if not domains or labels[i][0] in domains)
        ratings = {key: some for key, some in scores.items() if key[1] in set(kept)}
        of_ref = {key[1]: ratings.pop(key) for key in list(ratings) if key[0] == "refA"}
        texts = {
            "src": lines_of(text / f"sources/{pair}.txt"),
            "ref-A": lines_of(text / f"references/{pair}.refA.txt"),
        }
        for one in sorted({system for system, _ in ratings}):
            texts[f"hyp/{one}"] = lines_of(text / f"system-outputs/{pair}/{one}.txt")
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


# One system


def joined(text: str) -> str:
    """Without the spaces of word segmentation: only those between two ASCII words stay."""
    return re.sub(r"(?<![!-~]) | (?![!-~])", "", text)


def mlqe(folders: Sequence[Path], to: Path) -> None:
    (folder,) = folders
    with tarfile.open(folder / "data/direct-assessments/dev/en-zh-dev.tar.gz") as archive:
        table = _member(archive, "dev.enzh.df.short.tsv")
    with tarfile.open(folder / "data/post-editing/dev/en-zh-dev.tar.gz") as archive:
        edited, output = (_member(archive, name).split("\n") for name in ("dev.pe", "dev.mt"))
    rows = list(csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE))
    wrong = sum(joined(a) != b["translation"].strip() for a, b in zip(output, rows, strict=False))
    if wrong:
        raise SystemExit(f"{wrong} lines of dev.mt are not joined as they were before segmentation")
    texts = {
        "src": [row["original"].strip() for row in rows],
        "ref-A": [joined(line) for line in edited],
        "hyp/nmt": [row["translation"].strip() for row in rows],
    }
    write_texts(to, texts, range(len(rows)))
    scores = [
        ("nmt", i, float(row["z_mean"]), len(row["scores"].split(",")))
        for i, row in enumerate(rows)
    ]
    write_table(to / "human-seg.tsv", "system segment score n_ratings", scores)


def _member(archive: tarfile.TarFile, name: str) -> str:
    found = next(one for one in archive.getmembers() if os.path.basename(one.name) == name)
    file = archive.extractfile(found)
    assert file is not None
    return file.read().decode("utf-8")


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
    write_docs(to, [("GlobalVoices", row["type"].capitalize()) for row in rows], kept)


SETS = {
    "wmt24-enzh-esa": wmt24_esa("en-zh"),
    "wmt24-enja-esa-news-speech": wmt24_esa("en-ja", ("news", "speech")),
    "wmt21-enzh-sys": wmt21_sys("en-zh", "AB"),
    "wmt21-enja-sys": wmt21_sys("en-ja", "A"),
    "wmt21-ende-mqm": wmt21_mqm("en-de", "ACD"),
    "wmt21-zhen-mqm": wmt21_mqm("zh-en", "A"),
    "mlqe20-enzh-da-dev": Set([MLQE], mlqe),
    "enko-mqm-globalvoices": Set([KOREAN], korean),
}

if __name__ == "__main__":
    main()
