"""bench/get_data.py: conversions, on sources that are made again from the sets that are at hand."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
import tarfile
import urllib.error

import pytest
from conftest import ROOT

from celab.evaluation.meta import dataset

BENCH = ROOT / "bench"
NOT_MADE = ("spans.tsv", "spans-appraise.csv")  # beside the sets, but not of get_data.py
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
    get_data.check_digests(name, tmp_path / "made")


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
    get_data.check_digests(name, tmp_path / "made")


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
    with pytest.raises(get_data.SourceError, match="line 1 is of d1, but judged as d2"):
        get_data.SETS["wmt24-enzh-esa"].make([tmp_path], tmp_path / "made")


def negated(value):
    return value.removeprefix("-") if value.startswith("-") else f"-{value}"


def test_korean(at_hand, tmp_path):
    wanted = at_hand("enko-mqm-globalvoices")
    docs = table(wanted / "docs.tsv")
    columns = "type corpus en_source ko_reference ko_target annotation accuracy fluency style total"
    blank = ["Training", "TED", *["-"] * 4, *["0"] * 4]
    rows = [blank] * (max(int(row[3]) for row in docs) + 2)
    texts = [lines(wanted / f"{name}.txt") for name in ("src", "ref-A", "hyp/mt")]
    scores = table(wanted / "human-seg.tsv")
    parts = table(wanted / "human-seg-dimensions.tsv")
    for row, score, *three in zip(docs, scores, *texts, strict=True):
        dimensions = [negated(value) for value in parts[int(row[0])][2:]]
        rows[int(row[3])] = [row[2], "GlobalVoices", *three, "-", *dimensions, negated(score[2])]
    text = "\n".join("\t".join(row) for row in [columns.split(), *rows]) + "\n"
    put(tmp_path / "En_Ko_MQM_Quality_Scores.tsv", text)
    get_data.SETS["enko-mqm-globalvoices"].make([tmp_path], tmp_path / "made")
    get_data.check_digests("enko-mqm-globalvoices", tmp_path / "made")


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
    edited = {
        "dev.mt": "他 London   Bridge 跑 了 。\n",
        "dev.pe": "他 在 London   Bridge 跑步 。\n",
    }
    packed(tmp_path / "data/post-editing/dev/en-zh-dev.tar.gz", edited)
    with pytest.raises(get_data.SourceError, match=r"the lines of dev\.mt do not join to the"):
        get_data.SETS["mlqe20-enzh-da-dev"].make([tmp_path], tmp_path / "made")
    fixed = table_of.replace("他 London", "他London")
    packed(
        tmp_path / "data/direct-assessments/dev/en-zh-dev.tar.gz", {"dev.enzh.df.short.tsv": fixed}
    )
    get_data.SETS["mlqe20-enzh-da-dev"].make([tmp_path], tmp_path / "made")
    made = tmp_path / "made"
    assert (made / "ref-A.txt").read_text("utf-8") == "他在London Bridge跑步。\n"
    assert table(made / "human-seg.tsv") == [["nmt", "0", "0.15", "2"]]
    assert table(made / "human-seg-raw.tsv") == [["nmt", "0", "65"]]


def segmented(text, per_space):
    """Text with a space between all characters, and as many more as told for each of its own."""
    return re.sub("(?<=[^ ])( *)(?=[^ ])", lambda gap: " " * (1 + per_space * len(gap[1])), text)


@pytest.mark.parametrize("per_space", [1, 2])
def test_direct_assessment_of_all_segments(at_hand, tmp_path, per_space):
    wanted = at_hand("mlqe20-enzh-da-dev")
    texts = {name: lines(wanted / f"{name}.txt") for name in ("src", "ref-A", "hyp/nmt")}
    scores, raw = table(wanted / "human-seg.tsv"), table(wanted / "human-seg-raw.tsv")
    rows = ["index\toriginal\ttranslation\tscores\tmean\tz_scores\tz_mean"]
    for i, (src, hyp) in enumerate(zip(texts["src"], texts["hyp/nmt"], strict=True)):
        ratings = ["50"] * int(scores[i][3])
        rows.append(f"{i}\t{src}\t{hyp}\t{ratings}\t{raw[i][2]}\t[]\t{scores[i][2]}")
    packed(
        tmp_path / "data/direct-assessments/dev/en-zh-dev.tar.gz",
        {"dev.enzh.df.short.tsv": "\n".join(rows) + "\n"},
    )
    edited = {"dev.mt": texts["hyp/nmt"], "dev.pe": texts["ref-A"]}
    packed(
        tmp_path / "data/post-editing/dev/en-zh-dev.tar.gz",
        {
            name: "".join(segmented(line, per_space) + "\n" for line in own)
            for name, own in edited.items()
        },
    )
    get_data.SETS["mlqe20-enzh-da-dev"].make([tmp_path], tmp_path / "made")
    get_data.check_digests("mlqe20-enzh-da-dev", tmp_path / "made")


def test_missing_member_of_an_archive(tmp_path):
    packed(tmp_path / "data/direct-assessments/dev/en-zh-dev.tar.gz", {"other.tsv": ""})
    with pytest.raises(get_data.SourceError, match=r"has no file dev\.enzh\.df\.short\.tsv"):
        get_data.SETS["mlqe20-enzh-da-dev"].make([tmp_path], tmp_path / "made")


# Matrices of scores, aligned by chrF


METRICS = [*get_data.MATRIX_METRICS, "damonmonli"]


def matrix_row(number, system, mqm, chrf, values=None):
    cells = dict.fromkeys(METRICS, "0.5") | {"chrF": chrf} | (values or {})
    return [str(number), system, mqm, *(cells[name] for name in METRICS)]


def put_matrix(path, rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(
        [["segment_id", "system_id", "MQM", *METRICS], *rows]
    )
    put(path / "docs/2024/interactive/hum-matrix/hum-jazh-matrix.csv", text.getvalue())


def test_matrix(at_hand, tmp_path):
    wanted = at_hand("wmt24-jazh-mqm")
    docs = table(wanted / "docs.tsv")
    places = [int(row[3]) for row in docs]
    n = max(places) + 3
    labels = ["news\tother"] * n
    for row, at in zip(docs, places, strict=True):
        labels[at] = f"{row[1]}\t{row[2]}"
    labels[0], labels[-2:] = "canary\tcanary", ["speech\tother"] * 2
    put(tmp_path / "wmt/txt/documents/ja-zh.docs", "\n".join(labels) + "\n")
    for path in wanted.rglob("*.txt"):
        to = {"src": "sources/ja-zh", "ref-A": "references/ja-zh.refA"}.get(
            path.stem, f"system-outputs/ja-zh/{path.stem.replace('_', '-')}"
        )
        put(tmp_path / f"wmt/txt/{to}.txt", spread(lines(path), places, n))
    mqm = {(row[0], int(row[1])): row[2] for row in table(wanted / "human-seg.tsv")}
    values = {}
    for path in (wanted / "metric-scores").glob("*.tsv"):
        for system, segment, score in table(path):
            values.setdefault((system, int(segment)), {})[path.stem] = score
    # Four more lines were judged; one of them has the chrF of line 44 of every system.
    judged = sorted(
        [*((at, k) for k, at in enumerate(places)), (11, 0), (12, 1), (28, 30), (29, 2)]
    )
    assert places[30] == 44
    systems = [system for system, segment in values if segment == 0]
    rows = []
    for number, (at, k) in enumerate(judged, 1):
        for system in systems:
            own, shift = values[system, k], 0.5 if places[k] != at != 28 else 0
            chrf = f"{float(own['chrF']) + shift:.4f}" if shift else own["chrF"]
            shown = "F*" if system == "MSLC" else system
            rows.append(matrix_row(number, shown, mqm[system, k], chrf, {**own, "chrF": chrf}))
        rows.append(matrix_row(number, "A", "null", "1.5"))
    put_matrix(tmp_path / "mslc", rows)
    folders = [tmp_path / "wmt", tmp_path / "mslc"]
    get_data.SETS["wmt24-jazh-mqm"].make(folders, tmp_path / "made")
    get_data.check_digests("wmt24-jazh-mqm", tmp_path / "made")
    assert dataset.read(tmp_path / "made").systems == dataset.read(wanted).systems


@pytest.fixture
def small_matrix(tmp_path):
    """Two systems and five lines; chrF does not tell lines 2 and 4 apart."""
    refs = ["canary", "一二三四", "上午", "五六七八", "下午", "甲乙丙丁"]
    outputs = {
        "X_Y": ["canary", "一二三四", "上午", "五六七", "下午", "甲乙"],
        "MSLC": ["canary", "一二", "上午", "五六", "下午", "甲乙丙丁"],
    }
    put(tmp_path / "wmt/txt/sources/ja-zh.txt", "\n".join(refs) + "\n")
    put(tmp_path / "wmt/txt/references/ja-zh.refA.txt", "\n".join(refs) + "\n")
    for system, hyps in outputs.items():
        path = f"wmt/txt/system-outputs/ja-zh/{system.replace('_', '-')}.txt"
        put(tmp_path / path, "\n".join(hyps) + "\n")
    put(
        tmp_path / "wmt/txt/documents/ja-zh.docs",
        "canary\tcanary\n" + "news\td1\n" * 4 + "speech\td2\n",
    )
    texts = {"ref-A": refs, **{f"hyp/{system}": hyps for system, hyps in outputs.items()}}
    values = get_data.chrf_of(texts, ["X_Y", "MSLC"])

    def build(order=(1, 2, 3, 4), **changes):
        rows = [
            matrix_row(number, system, "-0.2000", f"{values[line, k]:.4f}")
            for number, line in enumerate(order, 1)
            for k, system in enumerate(["X_Y", "F*"])
        ]
        put_matrix(tmp_path / "mslc", [*rows, matrix_row(1, "A", "null", "3")])
        settings = {"pair": "ja-zh", "domain": "news", "n_segments": len(order), **changes}
        get_data.wmt24_mqm(**settings).make([tmp_path / "wmt", tmp_path / "mslc"], tmp_path / "to")
        return tmp_path / "to"

    return build


def test_small_matrix(small_matrix):
    made = small_matrix()
    assert lines(made / "ref-A.txt") == ["一二三四", "上午", "五六七八", "下午"]
    assert lines(made / "hyp/X_Y.txt") == ["一二三四", "上午", "五六七", "下午"]
    assert table(made / "human-seg.tsv")[4] == ["MSLC", "0", "-0.2", "1"]
    assert table(made / "docs.tsv")[-1] == ["3", "news", "d1", "4"]
    assert table(made / "metric-scores/BLEU.tsv")[1] == ["MSLC", "0", "0.5"]
    assert sorted(path.name for path in (made / "hyp").iterdir()) == ["MSLC.txt", "X_Y.txt"]


def test_lines_left_out_of_a_matrix(small_matrix):
    made = small_matrix(n_segments=3, left_out=[2])
    assert lines(made / "ref-A.txt") == ["一二三四", "五六七八", "下午"]


def test_segments_of_a_matrix_that_neighbors_leave_open(small_matrix):
    # Segments 2 and 3 fit lines 2 and 4 alike, and no line between them is known.
    with pytest.raises(
        get_data.SourceError, match=r"1 of 3 segments of .*matrix\.csv match a line"
    ):
        small_matrix(order=(1, 2, 4))


def test_segments_of_a_matrix_out_of_order(small_matrix):
    with pytest.raises(get_data.SourceError, match="match lines 3 and 1: they are not in order"):
        small_matrix(order=(3, 1))


def test_matrix_of_another_domain(small_matrix):
    with pytest.raises(get_data.SourceError, match=r"0 of 1 segments of .* match a line"):
        small_matrix(order=(5,))


def test_matrix_without_a_column(small_matrix, tmp_path):
    small_matrix()
    path = tmp_path / "mslc/docs/2024/interactive/hum-matrix/hum-jazh-matrix.csv"
    put(path, path.read_text("utf-8").replace("YiSi-1", "YiSi-2"))
    folders = [tmp_path / "wmt", tmp_path / "mslc"]
    with pytest.raises(get_data.SourceError, match=r"matrix\.csv has no column YiSi-1$"):
        get_data.SETS["wmt24-jazh-mqm"].make(folders, tmp_path / "other")


# The command


def test_digests_are_those_of_the_sets(at_hand):
    for name in get_data.SETS:
        folder = at_hand(name)
        actual = get_data.digests_of(folder)
        for name_of_file in ("README.md", *NOT_MADE):
            actual.pop(name_of_file, None)
        assert get_data.known_digests(name) == actual


def run(*arguments):
    command = [sys.executable, str(BENCH / "get_data.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_command(tmp_path):
    assert "wmt21-enja-sys: from wmt-conference/wmt21-news-systems at f41750da" in run().stdout
    done = run("wmt21-enja-sys", "--from", str(tmp_path), "--to", str(tmp_path / "to"))
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("wmt21-enja-sys was not made: ")
    assert "; it needs wmt-conference/wmt21-news-systems at f41750da" in done.stderr
    assert not (tmp_path / "to").exists()


KOREAN = (
    "type\tcorpus\ten_source\tko_reference\tko_target\taccuracy\tfluency\tstyle\ttotal\n"
    "Test\tGlobalVoices\tone\t하나\t한\t1\t0\t0\t1\n"
)


@pytest.fixture
def invoke(monkeypatch, tmp_path, capsys):
    """Run the command on the Korean set; the network gives one archive, or what is passed."""

    def call(*options, table_of=KOREAN, archive=None, error=None):
        if archive is None:
            buffer = io.BytesIO()
            with tarfile.open(fileobj=buffer, mode="w:gz") as packed_files:
                folder = f"multidimensional_MTE-{get_data.KOREAN[1]}"
                member = tarfile.TarInfo(f"{folder}/En_Ko_MQM_Quality_Scores.tsv")
                member.size = len(table_of.encode())
                packed_files.addfile(member, io.BytesIO(table_of.encode()))
            archive = buffer.getvalue()
        urls = []

        def download(url, to):
            urls.append(url)
            if error:
                raise error
            to.write(archive)

        monkeypatch.setattr(get_data, "download", download)
        arguments = ["enko-mqm-globalvoices", "--to", str(tmp_path / "to"), *options]
        monkeypatch.setattr(sys, "argv", ["get_data.py", *arguments])
        get_data.main()
        return urls

    return call


def test_download(invoke, tmp_path, capsys):
    (url,) = invoke("--unchecked")
    assert url == (
        "https://github.com/DojunPark/multidimensional_MTE/archive/"
        "14b9c515d1756b74eca03d3570307bc57204a00b.tar.gz"
    )
    folder = tmp_path / "to/enko-mqm-globalvoices"
    assert lines(folder / "hyp/mt.txt") == ["한"]
    assert table(folder / "human-seg-dimensions.tsv") == [["mt", "0", "-1", "-0", "-0"]]
    assert "made from DojunPark/multidimensional_MTE at 14b9c515d175" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="enko-mqm-globalvoices exists; delete it"):
        invoke("--unchecked")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, r"docs\.tsv, human-seg-dimensions\.tsv, human-seg\.tsv and 3 more files would differ"),
        ({"table_of": "x\n1\n"}, "a source is not laid out as expected .KeyError: 'corpus'"),
        ({"archive": b"<html>"}, "the archive of .* is damaged .not a gzip file"),
        ({"error": urllib.error.URLError("no route")}, "no route"),
    ],
)
def test_nothing_is_written_if_a_source_has_changed(invoke, tmp_path, settings, message):
    with pytest.raises(SystemExit, match="enko-mqm-globalvoices was not made: ") as raised:
        invoke(**settings)
    assert re.search(message, str(raised.value))
    assert "\n" not in str(raised.value)
    assert not list((tmp_path / "to").glob("*"))


def test_archive_without_the_folder(invoke):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz"):
        pass
    with pytest.raises(SystemExit, match="DojunPark/multidimensional_MTE has no folder multi"):
        invoke(archive=buffer.getvalue())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["get_data.py", "nothing"], "'nothing' is not a set; choose from wmt24-enzh-esa, "),
        (["threads.py", "--rounds", "0"], "--rounds is 0; it must be 1 or more"),
    ],
)
def test_wrong_arguments_are_one_line(words, told):
    command = [sys.executable, BENCH / words[0], *words[1:]]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].startswith(f"{words[0]}: error: {told}")


def test_the_list_may_be_cut_off_by_its_reader():
    command = [sys.executable, str(ROOT / "bench" / "get_data.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as done:
        done.stdout.close()  # nobody reads
        assert (done.wait(), done.stderr.read()) == (141, b"")
