"""bench/get_data.py: small sources of each kind; the published sets are pinned by digests."""

from __future__ import annotations

import re
import subprocess
import sys
import urllib.error

import pytest
from judged_sources import (
    BENCH,
    DIRECT,
    ESA,
    KOREAN,
    MLQE,
    MQM,
    OUTPUTS,
    REFS,
    get_data,
    matrix,
    mlqe,
    packed,
)

NOT_MADE = ("README.md", "spans.tsv", "spans-appraise.csv")  # beside the sets

# ---- conversions ----


@pytest.fixture
def make(tmp_path, monkeypatch):
    """Return a function that makes a set of these sources by the command; it returns the files."""

    def make(name, files):
        for path, content in files.items():
            (tmp_path / "source" / path).parent.mkdir(parents=True, exist_ok=True)
            data = content if isinstance(content, bytes) else content.encode()
            (tmp_path / "source" / path).write_bytes(data)
        for repository, _ in get_data.SETS[name].sources:
            (tmp_path / repository).parent.mkdir(exist_ok=True)
            (tmp_path / repository).symlink_to(tmp_path / "source")
        words = [name, "--from", tmp_path, "--to", tmp_path / "to", "--unchecked"]
        monkeypatch.setattr(sys, "argv", ["get_data.py", *map(str, words)])
        get_data.main()
        folder = tmp_path / "to" / name
        paths = (path for path in folder.rglob("*") if path.is_file())
        return {str(path.relative_to(folder)): path.read_text("utf-8") for path in paths}

    return make


SEGMENTS = "system\tsegment\tscore\tn_ratings\n"
SYSTEMS = "system\tscore\tn_segments\n"
DOCS = "segment\tdomain\tdocument\toriginal_line_0based\n"


def test_direct_assessment_of_systems(make):
    assert make("wmt21-enja-sys", DIRECT) == {
        "src.txt": "a b\nc\n",
        "ref-A.txt": "あ\nい\n",
        "hyp/Facebook-AI.txt": "あ\nう\n",
        "hyp/MiSS.txt": "え\n\n",
        "human-sys.tsv": "system\tscore\traw_mean_0_100\tn_ratings\n"
        "Facebook-AI\t0.43001\t86.4327\t2375\nMiSS\t-0.0424822\t71.7567\t2758\n",
    }


def test_mqm(make):
    assert make("wmt21-zhen-mqm", MQM) == {
        "src.txt": "二\n三\n",
        "ref-A.txt": "two\nthree\n",
        "hyp/B.txt": "e\nf\n",
        "hyp/NVIDIA-NeMo.txt": "b\nc\n",
        "human-seg.tsv": f"{SEGMENTS}B\t0\t-0.5\t1\n"
        "NVIDIA-NeMo\t0\t-1\t1\nNVIDIA-NeMo\t1\t-2.33333\t1\n",
        "human-sys.tsv": f"{SYSTEMS}B\t-0.5\t1\nNVIDIA-NeMo\t-1.66667\t2\n",
        "docs.tsv": f"{DOCS}0\tnews\t-\t1\n1\tnews\t-\t2\n",
    }


def test_error_span_annotation(make):
    assert make("wmt24-enja-esa-news-speech", ESA) == {
        "src.txt": "b\ne\n",
        "ref-A.txt": "1\n4\n",
        "hyp/X.txt": "x1\nx4\n",
        "hyp/Y.txt": "y1\ny4\n",
        "human-seg.tsv": f"{SEGMENTS}X\t0\t90.6667\t3\nX\t1\t70\t1\nY\t0\t80\t1\n",
        "human-sys.tsv": f"{SYSTEMS}X\t80.3333\t2\nY\t80\t1\n",
        "human-ref-A.tsv": "segment\tscore\tn_ratings\n1\t99.5\t2\n",
        "docs.tsv": f"{DOCS}0\tnews\td1\t1\n1\tspeech\td3\t4\n",
    }


@pytest.mark.parametrize("gap", [" " * 2, " " * 3])
def test_direct_assessment_of_segments(make, gap):
    assert make("mlqe20-enzh-da-dev", mlqe(gap)) == {
        "src.txt": 'He "ran" .\n',
        "ref-A.txt": "他在London Bridge。\n",
        "hyp/nmt.txt": "他London Bridge跑了。\n",
        "human-seg.tsv": f"{SEGMENTS}nmt\t0\t0.15\t2\n",
        "human-seg-raw.tsv": "system\tsegment\tmean_0_100\nnmt\t0\t65\n",
    }


def test_korean(make):
    assert make("enko-mqm-globalvoices", KOREAN) == {
        "src.txt": 'one "two\n',
        "ref-A.txt": "하나\n",
        "hyp/mt.txt": "한\n",
        "human-seg.tsv": f"{SEGMENTS}mt\t0\t-1.5\t1\n",
        "human-seg-dimensions.tsv": "system\tsegment\taccuracy\tfluency\tstyle\n"
        "mt\t0\t-1\t-0\t-0.5\n",
        "docs.tsv": f"{DOCS}0\tGlobalVoices\tTest\t1\n",
    }


@pytest.fixture
def make_matrix(make, monkeypatch):
    def make_matrix(n_segments, left_out=(), **settings):
        small = get_data.wmt24_mqm("ja-zh", "news", n_segments, left_out)
        monkeypatch.setitem(get_data.SETS, "wmt24-jazh-mqm", small)
        return make("wmt24-jazh-mqm", matrix(**settings))

    return make_matrix


def test_matrix(make_matrix):
    files = make_matrix(4)
    texts = {name: "\n".join(REFS[1:5]) + "\n" for name in ("src.txt", "ref-A.txt")}
    texts |= {f"hyp/{name}.txt": "\n".join(hyps[1:5]) + "\n" for name, hyps in OUTPUTS.items()}
    scores = [(system, segment) for segment in range(4) for system in OUTPUTS]
    cells = "".join(f"{system}\t{segment}\t0.5\n" for system, segment in scores)
    rows = "".join(f"{system}\t{segment}\t-0.2\t1\n" for system in OUTPUTS for segment in range(4))
    chrf = [100, 47.1698, 100, 100, 68.8623, 47.1698, 100, 100]
    own_rows = files.pop("metric-scores/chrF.tsv").splitlines()[1:]
    assert [float(row.split("\t")[2]) for row in own_rows] == chrf
    assert files == {
        **texts,
        "human-seg.tsv": SEGMENTS + rows,
        "human-sys.tsv": f"{SYSTEMS}X_Y\t-0.2\t4\nMSLC\t-0.2\t4\n",
        "docs.tsv": DOCS + "".join(f"{n}\tnews\td1\t{n + 1}\n" for n in range(4)),
        **{
            f"metric-scores/{name}.tsv": f"system\tsegment\tscore\n{cells}"
            for name in get_data.MATRIX_METRICS
            if name != "chrF"
        },
    }


def test_lines_left_out_of_a_matrix(make_matrix):
    assert make_matrix(3, left_out=[2])["ref-A.txt"] == "一二三四\n五六七八\n下午\n"


@pytest.mark.parametrize(
    ("order", "message"),
    [
        # Segments 2 and 3 fit lines 2 and 4 alike, and no line between them is known.
        ((1, 2, 4), r"1 of 3 segments of .*matrix\.csv match a line by their chrF; 3 should"),
        ((3, 1), "match lines 3 and 1: they are not in order"),
        ((5,), r"0 of 1 segments of .* match a line"),  # of another domain
    ],
)
def test_segments_of_a_matrix_without_a_line(make_matrix, order, message):
    with pytest.raises(SystemExit, match=message):
        make_matrix(len(order), order=order)


def test_matrix_without_a_column(make_matrix):
    with pytest.raises(SystemExit, match=r"matrix\.csv has no column YiSi-1; it needs"):
        make_matrix(4, column="YiSi-2")


@pytest.mark.parametrize(
    ("name", "files", "message"),
    [
        (
            "wmt24-enja-esa-news-speech",
            {path: text.replace(",d3,", ",d4,") for path, text in ESA.items()},
            "line 4 is of d3, but judged as d4",
        ),
        ("mlqe20-enzh-da-dev", mlqe(start="他 "), r"the lines of dev\.mt do not join to the text"),
        (
            "mlqe20-enzh-da-dev",
            dict.fromkeys(MLQE, packed({"other.tsv": ""})),
            r"en-zh-dev\.tar\.gz has no file dev\.enzh\.df\.short\.tsv",
        ),
    ],
)
def test_sources_that_do_not_fit(make, name, files, message):
    with pytest.raises(SystemExit, match=message):
        make(name, files)


def test_digests_are_those_of_the_sets(shared):
    folders = [shared / "data" / name for name in get_data.SETS]
    if lacking := [folder.name for folder in folders if not folder.is_dir()]:
        pytest.skip(f"../shared/data has no {', '.join(lacking)}")
    for folder in folders:
        actual = get_data.digests_of(folder)
        for name in NOT_MADE:
            actual.pop(name, None)
        assert get_data.known_digests(folder.name) == actual


# ---- the command ----


def run_script(name, *arguments):
    command = [sys.executable, str(BENCH / name), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_command(tmp_path):
    words = ["wmt21-enja-sys", "--from", str(tmp_path), "--to", str(tmp_path / "to")]
    done = run_script("get_data.py", *words)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("wmt21-enja-sys was not made: ")
    assert "; it needs wmt-conference/wmt21-news-systems at f41750da" in done.stderr
    assert not (tmp_path / "to").exists()


@pytest.fixture
def invoke(monkeypatch, tmp_path):
    """Run the command on the Korean set; the network gives one archive, or what is passed."""
    folder = f"multidimensional_MTE-{get_data.KOREAN[1]}"
    korean = {f"{folder}/{name}": text for name, text in KOREAN.items()}

    def call(*options, archive=None, error=None):
        urls = []

        def download(url, to):
            urls.append(url)
            if error:
                raise error
            to.write(packed(korean) if archive is None else archive)

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
    assert (tmp_path / "to/enko-mqm-globalvoices/hyp/mt.txt").read_text("utf-8") == "한\n"
    assert "made from DojunPark/multidimensional_MTE at 14b9c515d175" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="enko-mqm-globalvoices exists; delete it"):
        invoke("--unchecked")


OTHER = {f"multidimensional_MTE-{get_data.KOREAN[1]}/{name}": "x\n1\n" for name in KOREAN}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, r"docs\.tsv, human-seg-dimensions\.tsv, human-seg\.tsv and 3 more files would differ"),
        ({"archive": packed(OTHER)}, "a source is not laid out as expected .KeyError: 'corpus'"),
        ({"archive": packed({})}, "DojunPark/multidimensional_MTE has no folder multi"),
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


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["get_data.py", "nothing"], "'nothing' is not a set; choose from wmt24-enzh-esa, "),
        (["threads.py", "--rounds", "0"], "--rounds is 0; it must be 1 or more"),
    ],
)
def test_wrong_arguments_are_one_line(words, told):
    done = run_script(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].startswith(f"{words[0]}: error: {told}")


def test_the_list(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["get_data.py"])
    get_data.main()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(get_data.SETS)
    assert "wmt21-enja-sys: from wmt-conference/wmt21-news-systems at f41750dadbf2" in lines


def test_the_list_may_be_cut_off_by_its_reader():
    command = [sys.executable, str(BENCH / "get_data.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as done:
        done.stdout.close()  # nobody reads
        assert (done.wait(), done.stderr.read()) == (141, b"")
