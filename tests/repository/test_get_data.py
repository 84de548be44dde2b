"""bench/get_data.py: conversions, on sources that are made again from the sets that are at hand."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
import tarfile

import pytest
from conftest import ROOT

from celab.evaluation.meta import dataset

BENCH = ROOT / "bench"
sys.path.insert(0, str(BENCH))
import get_data  # noqa: E402

CLUSTERS = """Processing annotations

[eng-->jpn]
MiSS: 2758
MiSS-->2758
0.43 ('Facebook-AI', 2375, 0.43001040646296895, 86.4326737521093, 4.0)
0.31 ('translator-A', 2515, 0.3136146372663768, 85.32525592310652, 4.0)
-0.04 ('MiSS', 2758, -0.042482247000047865, 71.75673099660018, 3.658536585365854)
--------------------------------------------------------------------------------
14                                         Facebook-AI  0.43001 4.00000 86.43267

[eng-->ces]
0.40 ('Online-A', 4251, 0.3971961366787646, 90.22089559889838, 4.0)
"""


def table(path):
    return [line.split("\t") for line in path.read_text("utf-8").splitlines()[1:]]


def lines(path):
    return path.read_text("utf-8").removesuffix("\n").split("\n")


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8", newline="\n")


def spread(here, places, n):
    """Lines of a set at their places in the whole test set; the others were not judged."""
    whole = ["not judged"] * n
    for line, at in zip(here, places, strict=True):
        whole[at] = line
    return "\n".join(whole) + "\n"


@pytest.fixture
def at_hand(shared):
    def find(name):
        if not (shared / "data" / name).is_dir():
            pytest.skip(f"../shared/data/{name} is not here")
        return shared / "data" / name

    return find


def same(made, wanted, names):
    """The same bytes, in all texts and these tables."""
    texts = sorted(path.relative_to(wanted) for path in wanted.rglob("*.txt"))
    assert texts == sorted(path.relative_to(made) for path in made.rglob("*.txt"))
    for name in (*texts, *names):
        assert (made / name).read_bytes() == (wanted / name).read_bytes(), name


def test_clusters_of_systems():
    assert get_data.direct_assessment(CLUSTERS, "jpn") == [
        ("Facebook-AI", 0.43001040646296895, 86.4326737521093, 2375),
        ("translator-A", 0.3136146372663768, 85.32525592310652, 2515),
        ("MiSS", -0.042482247000047865, 71.75673099660018, 2758),
    ]


def wmt21_source(place, pair, wanted, places, n):
    source, target = pair.split("-")
    for path in wanted.rglob("*.txt"):
        kind, _, name = (
            path.stem.partition("-") if path.parent == wanted else ("hyp", "", path.stem)
        )
        folder = {"src": "sources", "ref": "references", "hyp": "system-outputs"}[kind]
        middle = f".{name}" if name else ""
        end = source if kind == "src" else target
        text = spread(lines(path), places, n)
        put(place / f"txt/{folder}/newstest2021.{pair}.{kind}{middle}.{end}", text)


@pytest.mark.parametrize(
    ("name", "pair"), [("wmt21-ende-mqm", "en-de"), ("wmt21-zhen-mqm", "zh-en")]
)
def test_mqm(at_hand, tmp_path, name, pair):
    wanted = at_hand(name)
    places = [int(row[3]) for row in table(wanted / "docs.tsv")]
    n = max(places) + 3
    wmt21_source(tmp_path / "wmt", pair, wanted, places, n)
    scores = {(row[0], places[int(row[1])]): row[2] for row in table(wanted / "human-seg.tsv")}
    systems = sorted({system for system, _ in scores})
    rows = ["system mqm_avg_score seg_id\n"]
    for system in [*systems, "metricsystem1"]:
        shown = {"NVIDIA-NeMo": "Nemo"}.get(system, system)
        for at in range(n):
            score = scores.get((system, at))
            value = "None" if score is None else f"{float(score):.6f}"
            rows.append(f"{shown}\t{value} {at + 1}\n")
    short = pair.replace("-", "")
    put(
        tmp_path / f"mqm/newstest2021/{short}/mqm_newstest2021_{short}.avg_seg_scores.tsv",
        "".join(rows),
    )
    get_data.SETS[name].make([tmp_path / "wmt", tmp_path / "mqm"], tmp_path / "made")
    same(tmp_path / "made", wanted, ["human-seg.tsv", "human-sys.tsv", "docs.tsv"])


@pytest.mark.parametrize(
    ("name", "pair", "iso"),
    [("wmt21-enja-sys", "en-ja", "jpn"), ("wmt21-enzh-sys", "en-zh", "zho")],
)
def test_direct_assessment(at_hand, tmp_path, name, pair, iso):
    wanted = at_hand(name)
    n = len(lines(wanted / "src.txt"))
    wmt21_source(tmp_path, pair, wanted, range(n), n)
    rows = [
        f"0.00 ('{s}', {k}, {z}, {raw}, 4.0)" for s, z, raw, k in table(wanted / "human-sys.tsv")
    ]
    rows.insert(1, "0.31 ('translator-A', 2515, 0.3136, 85.3, 4.0)")
    path = "humaneval/newstest2021-EX_and_XY/wmt21clusters.filtered.20210930.txt"
    put(tmp_path / path, f"[eng-->{iso}]\n" + "\n".join(rows) + "\n----\n\n[eng-->ces]\n")
    get_data.SETS[name].make([tmp_path], tmp_path / "made")
    same(tmp_path / "made", wanted, ["human-sys.tsv"])


@pytest.mark.parametrize(
    ("name", "pair", "iso"),
    [("wmt24-enzh-esa", "en-zh", "zho"), ("wmt24-enja-esa-news-speech", "en-ja", "jpn")],
)
def test_error_span_annotation(at_hand, tmp_path, name, pair, iso):
    wanted = at_hand(name)
    docs = table(wanted / "docs.tsv")
    places = [int(row[3]) for row in docs]
    n = max(places) + 3
    labels = ["other\tother"] * n
    for row, at in zip(docs, places, strict=True):
        labels[at] = f"{row[1]}\t{row[2]}"
    put(tmp_path / f"txt/documents/{pair}.docs", "\n".join(labels) + "\n")
    for path in wanted.rglob("*.txt"):
        to = {"src": f"sources/{pair}", "ref-A": f"references/{pair}.refA"}.get(
            path.stem, f"system-outputs/{pair}/{path.stem}"
        )
        put(tmp_path / f"txt/{to}.txt", spread(lines(path), places, n))
    put(tmp_path / f"txt/system-outputs/{pair}/unjudged.txt", "x\n" * n)
    of_ref = [("refA", *row) for row in table(wanted / "human-ref-A.tsv")]
    waves = [io.StringIO(), io.StringIO()]
    for k, (system, segment, score, n_ratings) in enumerate(
        [*map(tuple, table(wanted / "human-seg.tsv")), *of_ref]
    ):
        at = places[int(segment)]
        rest = (at, "TGT", "eng", iso, score, docs[int(segment)][2], "False", "[]", "0", "1")
        for _ in range(int(n_ratings)):
            csv.writer(waves[k % 2]).writerow(("user", system, *rest))
        if k % 50 == 0:  # control items
            csv.writer(waves[0]).writerow(("user", system, at, "BAD", *rest[2:]))
            csv.writer(waves[0]).writerow(("user", system, *rest[:5], "doc#dup", *rest[6:]))
            csv.writer(waves[0]).writerow(("user", "tutorial", *rest))
            csv.writer(waves[0]).writerow(("user", system, at, "TGT", "eng", "ces", *rest[4:]))
    for wave, text in zip((2, 3), waves, strict=True):
        put(tmp_path / f"humeval/esa_generalMT2024_wave{wave}.csv", text.getvalue())
    get_data.SETS[name].make([tmp_path], tmp_path / "made")
    tables = ["human-seg.tsv", "human-sys.tsv", "docs.tsv", "human-ref-A.tsv"]
    # The source has ratings, the set their mean to six digits; a system's mean may differ then.
    exact = all("." not in row[2] for row in table(wanted / "human-seg.tsv"))
    same(
        tmp_path / "made", wanted, tables if exact else [one for one in tables if "sys" not in one]
    )
    found, known = (
        {row[0]: float(row[1]) for row in table(place / "human-sys.tsv")}
        for place in (tmp_path / "made", wanted)
    )
    assert found == pytest.approx(known, rel=2e-5)
    assert dataset.read(tmp_path / "made").systems == dataset.read(wanted).systems


def test_error_span_annotation_of_another_document(tmp_path):
    for name in ("sources/en-zh", "references/en-zh.refA", "system-outputs/en-zh/x"):
        put(tmp_path / f"txt/{name}.txt", "canary\na\n")
    put(tmp_path / "txt/documents/en-zh.docs", "canary\tcanary\nnews\td1\n")
    row = "u,x,1,TGT,eng,zho,80,d2,False,[],0,1\n"
    put(tmp_path / "humeval/esa_generalMT2024_wave2.csv", row)
    put(tmp_path / "humeval/esa_generalMT2024_wave3.csv", "")
    with pytest.raises(SystemExit, match="line 1 is of d1, but judged as d2"):
        get_data.SETS["wmt24-enzh-esa"].make([tmp_path], tmp_path / "made")


def test_korean(at_hand, tmp_path):
    wanted = at_hand("enko-mqm-globalvoices")
    docs = table(wanted / "docs.tsv")
    columns = "type corpus en_source ko_reference ko_target annotation accuracy fluency style total"
    blank = ["Training", "TED", *["-"] * 4, *["0"] * 4]
    rows = [blank] * (max(int(row[3]) for row in docs) + 2)
    texts = [lines(wanted / f"{name}.txt") for name in ("src", "ref-A", "hyp/mt")]
    scores = table(wanted / "human-seg.tsv")
    for row, score, *three in zip(docs, scores, *texts, strict=True):
        total = score[2].removeprefix("-") if score[2].startswith("-") else f"-{score[2]}"
        rows[int(row[3])] = [row[2], "GlobalVoices", *three, "-", "0", "0", "0", total]
    text = "\n".join("\t".join(row) for row in [columns.split(), *rows]) + "\n"
    put(tmp_path / "En_Ko_MQM_Quality_Scores.tsv", text)
    get_data.SETS["enko-mqm-globalvoices"].make([tmp_path], tmp_path / "made")
    same(tmp_path / "made", wanted, ["human-seg.tsv", "docs.tsv"])


def packed(path, files):
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(f"en-zh-dev/{name}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))


def test_direct_assessment_of_segments(tmp_path):
    table_of = (
        "index\toriginal\ttranslation\tscores\tmean\tz_scores\tz_mean\n"
        '0\tHe "ran" .\t他 London Bridge跑了。\t[60, 70]\t65\t[0.1, 0.2]\t0.15\n'
    )
    packed(
        tmp_path / "data/direct-assessments/dev/en-zh-dev.tar.gz",
        {"dev.enzh.df.short.tsv": table_of},
    )
    edited = {"dev.mt": "他 London Bridge 跑 了 。\n", "dev.pe": "他 在 London Bridge 跑步 。\n"}
    packed(tmp_path / "data/post-editing/dev/en-zh-dev.tar.gz", edited)
    with pytest.raises(SystemExit, match=r"1 lines of dev\.mt are not joined as they were before"):
        get_data.SETS["mlqe20-enzh-da-dev"].make([tmp_path], tmp_path / "made")
    fixed = table_of.replace("他 London", "他London")
    packed(
        tmp_path / "data/direct-assessments/dev/en-zh-dev.tar.gz", {"dev.enzh.df.short.tsv": fixed}
    )
    get_data.SETS["mlqe20-enzh-da-dev"].make([tmp_path], tmp_path / "made")
    made = tmp_path / "made"
    assert (made / "ref-A.txt").read_text("utf-8") == "他在London Bridge跑步。\n"
    assert table(made / "human-seg.tsv") == [["nmt", "0", "0.15", "2"]]


def run(*arguments):
    command = [sys.executable, str(BENCH / "get_data.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_command(tmp_path):
    assert "wmt21-enja-sys: from wmt-conference/wmt21-news-systems at f41750da" in run().stdout
    done = run("wmt21-enja-sys", "--from", str(tmp_path), "--to", str(tmp_path / "to"))
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("wmt21-enja-sys was not made (")
    assert "; it needs wmt-conference/wmt21-news-systems at f41750da" in done.stderr
    assert not (tmp_path / "to").exists()
