"""Dask: the same bits as in one process, whoever computes them, and whoever dies meanwhile."""

import itertools
import json
import os
import random
import signal
from dataclasses import replace

import numpy as np
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("distributed", reason="Dask (extra dask) is not here")
pytest.importorskip("dask.dataframe", reason="Dask's data frames (extra dask) are not here")

import dask.dataframe as dd
import pandas as pd
import pyarrow
import pyarrow.parquet as pq
from distributed import Client, LocalCluster

import celab
from celab import corpus
from celab import distributed as room
from celab.cli import engine, metrics, score
from celab.distributed import job, sources, totals, work
from celab.distributed.parcel import LexiconParcel, content_of, is_received, receive
from celab.distributed.recipe import metric_of, recipe_of
from celab.errors import InputError, OptionError
from celab.metrics.baselines import Baseline

FIGURES = ["score", "precision", "recall"]
LETTERS = "买雨伞下周的一是不了在人有我他这个们中来上大为和国地到以说时要就出会"


def sentences(n, seed, length=12):
    draw = random.Random(seed)
    return ["".join(draw.choices(LETTERS, k=draw.randint(1, length))) for _ in range(n)]


def frame(n_rows=60, **columns):
    found = {"hypothesis": sentences(n_rows, 1), "reference": sentences(n_rows, 2)}
    return pd.DataFrame(found | columns)


def same(table, expected):
    """Whether the columns of scores hold the very bits of a `Score`."""
    return np.array_equal(table[FIGURES].to_numpy(), expected.segments.figures)


def write_lines(path, lines):
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    return path


@pytest.fixture(scope="module")
def workers_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("workers")


@pytest.fixture(scope="module")
def client(workers_folder):
    """Two worker processes, whose lexicon folder is empty and not the driver's."""
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0",
            local_directory=str(workers_folder / "scratch"), silence_logs=50,
            env={"CELAB_LEXICONS": str(workers_folder / "lexicons")},
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):  # fmt: skip
        yield client


@pytest.fixture
def metric(make_lexicon):
    return celab.TeslaCelab(lexicon=make_lexicon(["雨伞 伞", "下周 来上 上大", "我们 他们"]))


# One process and many


def test_a_dask_frame_gives_the_bits_of_one_process(client, metric):
    data = frame(tag=range(60))
    expected = metric.corpus_score(data.hypothesis.tolist(), [data.reference.tolist()])
    frames = dd.from_pandas(data, npartitions=7, sort=False)
    lazy = room.score(frames, metric=metric, keep=["tag"], client=client)
    assert list(lazy.columns) == ["tag", *FIGURES]
    assert lazy.dtypes.to_dict() == client.compute(lazy).result().dtypes.to_dict()
    found = client.compute(lazy).result()
    assert same(found, expected)
    assert found.tag.tolist() == list(range(60))
    assert found.index.tolist() == data.index.tolist()


def test_without_a_client_threads_do_it(metric):
    data = frame()
    expected = metric.corpus_score(data.hypothesis.tolist(), [data.reference.tolist()])
    found = room.score(data, metric=metric, partition_size=7).compute()
    assert same(found, expected)
    total = room.total(data, metric=metric, partition_size=7)
    assert total.score == pytest.approx(expected.score, rel=1e-14)
    assert len(total.partitions) == 9
    assert str(total) == str(expected)


def test_the_present_client_is_used(client, metric):
    with client.as_current():
        found = room.score(frame(), metric=metric).map_partitions(lambda _: os.getpid()).compute()
    assert set(found) <= set(client.run(os.getpid).values())


def test_parquet_in_and_out(client, metric, tmp_path):
    data = frame(id=[f"s{i}" for i in range(60)])
    expected = metric.corpus_score(data.hypothesis.tolist(), [data.reference.tolist()])
    (tmp_path / "in").mkdir()
    for name, rows in (("a", data[:25]), ("b", data[25:])):
        table = pyarrow.Table.from_pandas(rows, preserve_index=False)
        pq.write_table(table, tmp_path / "in" / f"{name}.parquet", row_group_size=4)
    found = room.score(
        tmp_path / "in", metric=metric, keep=["id"], partition_size=10,
        output=tmp_path / "out", client=client,
    )  # fmt: skip
    table = found.compute()
    assert same(table, expected)
    assert table.id.tolist() == data.id.tolist()
    assert table.index.tolist() == list(range(60))
    # 25 rows are six groups of 4 and one of 1; 35 are eight of 4 and one of 3.
    files = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert files == ["_celab.json", *(f"part-{i:05}.parquet" for i in range(8))]
    sizes = [pq.read_metadata(tmp_path / "out" / name).num_rows for name in files[1:]]
    assert sizes == [8, 8, 9, 8, 8, 8, 8, 3]
    summary = json.loads((tmp_path / "out" / "_celab.json").read_text(encoding="utf-8"))
    assert summary["signature"] == expected.signature
    assert summary["n_rows"] == 60
    assert summary["score"] == pytest.approx(expected.score, rel=1e-14)
    assert [part["n_rows"] for part in summary["partitions"]] == sizes
    of_first = expected.segments.scores[:8].mean()
    assert summary["partitions"][0]["score"] == pytest.approx(of_first, rel=1e-14)


def test_text_with_references_that_are_absent(client, metric, tmp_path):
    hyps, refs = sentences(50, 3), [sentences(50, seed) for seed in (4, 5)]
    for i in range(0, 50, 3):
        refs[i % 2][i] = "" if i % 4 else " \t"
    expected = metric.corpus_score(hyps, refs)
    files = {
        name: write_lines(tmp_path / name, lines)
        for name, lines in zip("hab", (hyps, *refs), strict=True)
    }
    found = room.score(
        files, metric=metric, hypothesis="h", references=["a", "b"],
        partition_size=8, output=tmp_path / "out", client=client,
    )  # fmt: skip
    assert same(found.compute(), expected)


def test_null_references_are_absent(client, metric):
    data = frame(second=sentences(60, 3))
    data.loc[::2, "second"] = None
    data.loc[1::4, "reference"] = None
    data = data.astype("string[pyarrow]")
    refs = [data[name].astype(object).where(data[name].notna(), None).tolist() for name in
            ("reference", "second")]  # fmt: skip
    expected = metric.corpus_score(data.hypothesis.tolist(), refs)
    found = room.score(
        dd.from_pandas(data, npartitions=4), metric=metric,
        references=["reference", "second"], client=client,
    )  # fmt: skip
    assert same(client.compute(found).result(), expected)


def test_published_data(client, shared, tmp_path):
    folder = shared / "data" / "wmt21-enzh-sys"
    if not folder.is_dir():
        pytest.skip("wmt21-enzh-sys is not in ../shared/data")
    hyp = min((folder / "hyp").glob("*.txt"))
    refs = [folder / "ref-A.txt", folder / "ref-B.txt"]
    expected = celab.TeslaCelab().corpus_score(
        corpus.read_lines(hyp), [corpus.read_lines(ref) for ref in refs]
    )
    files = {"hypothesis": hyp, "a": refs[0], "b": refs[1]}
    for size in (37, 1000):
        found = room.score(files, references=["a", "b"], client=client, partition_size=size)
        assert same(client.compute(found).result(), expected)


def test_an_empty_partition_is_nothing(client, metric):
    data = frame()
    data = data[(data.index < 20) | (data.index >= 40)]
    expected = metric.corpus_score(data.hypothesis.tolist(), [data.reference.tolist()])
    frames = dd.from_pandas(frame(n=range(60)), npartitions=3)
    kept = frames[(frames.n < 20) | (frames.n >= 40)]
    assert same(client.compute(room.score(kept, metric=metric, client=client)).result(), expected)
    total = room.total(kept, metric=metric, client=client)
    assert [part.n_rows for part in total.partitions] == [20, 0, 20]
    assert total.score == pytest.approx(expected.score, rel=1e-14)


def test_the_script_of_a_side_is_decided_once(client):
    # This 坏 is Simplified, but t2s, which takes all for Traditional, makes 坯 of it. The side is
    # Traditional as a whole, so this happens; the last partition alone is not.
    metric = celab.TeslaCelab(lexicon=None)
    hyps = ["買雨傘", "下週開會"] * 10 + ["破坏布里斯托尔"] * 2
    refs = ["买雨伞", "下周开会"] * 10 + ["破坏布里斯托尔"] * 2
    expected = metric.corpus_score(hyps, [refs])
    alone = metric.corpus_score(hyps[20:], [refs[20:]])
    assert (alone.segments.scores != expected.segments.scores[20:]).all()
    data = pd.DataFrame({"hypothesis": hyps, "reference": refs})
    found = room.score(data, metric=metric, partition_size=2, client=client)
    assert same(client.compute(found).result(), expected)
    total = room.total(data, metric=metric, partition_size=2, client=client)
    assert total.signature == expected.signature
    assert "|script:auto|" in total.signature


# Other metrics


def test_tesla_m(client, make_lexicon):
    metric = celab.TeslaM(analysis="tagged", function_tags=["ART"], lexicon=make_lexicon(["a b"]))
    draw = random.Random(1)
    words = ["a|a|NN", "b|b|NN", "die|die|ART", "c|c|VV"]
    hyps, refs = ([" ".join(draw.choices(words, k=4)) for _ in range(30)] for _ in range(2))
    expected = metric.corpus_score(hyps, [refs])
    data = pd.DataFrame({"hypothesis": hyps, "reference": refs})
    found = room.score(data, metric=metric, partition_size=7, client=client)
    assert same(client.compute(found).result(), expected)
    data.loc[20, "reference"] = "a|a"
    lazy = room.score(data, metric=metric, partition_size=7, client=client)
    with pytest.raises(InputError, match=r"^partition 2, row 7, column reference: "):
        client.compute(lazy).result()


def test_german_parts(client, make_lexicon):
    pytest.importorskip("wordfreq", reason="wordfreq (extra de) is not here")
    metric = celab.TeslaCelab(
        lexicon=make_lexicon(["Haus Gebäude", "Regenschirm Schirm"]), lang="de"
    )
    hyps = ["Ein Regenschirm", "Der Verkehrsunfall", "Das Haus"] * 3
    refs = ["Ein Schirm für Regen", "Ein Unfall im Verkehr", "Das Gebäude"] * 3
    expected = metric.corpus_score(hyps, [refs])
    data = pd.DataFrame({"hypothesis": hyps, "reference": refs})
    found = room.total(data, metric=metric, partition_size=4, client=client)
    assert found.score == pytest.approx(expected.score, rel=1e-14)
    assert found.signature == expected.signature


@pytest.mark.parametrize("name", ["bleu", "chrf", "ter"])
def test_baselines_are_not_means(client, name):
    pytest.importorskip("sacrebleu", reason="sacreBLEU (extra baselines) is not here")
    data = frame(second=sentences(60, 3))
    data.loc[:10, "second"] = None
    refs = [data.reference.tolist(), [None] * 11 + data.second.tolist()[11:]]
    expected = Baseline(name).corpus_score(data.hypothesis.tolist(), refs)
    found = room.total(
        data, metric=Baseline(name), references=["reference", "second"], partition_size=11,
        client=client,
    )  # fmt: skip
    assert found.score == pytest.approx(expected.score, rel=1e-12)
    assert found.precision is None
    assert found.signature == expected.signature
    assert str(found) == str(expected)


def test_other_metrics_are_refused():
    class Mine(celab.metrics.base.Metric):
        signature = "mine"

        def corpus_score(self, hyps, refs, progress=None):
            raise NotImplementedError

    with pytest.raises(OptionError, match="metric is a Mine; it must be"):
        recipe_of(Mine())


def test_counts_of_ones_own_are_refused(tmp_path):
    path = write_lines(tmp_path / "counts.tsv", ["regen\t5", "schirm\t3"])
    metric = celab.TeslaCelab(lexicon=None, lang="de", counts=path)
    pytest.importorskip("wordfreq", reason="wordfreq (extra de) is not here")
    with pytest.raises(OptionError, match=r"compounds@counts@.*counts must be left out"):
        recipe_of(metric)


# The lexicon


def test_workers_have_the_lexicon_from_the_driver(client, workers_folder, make_lexicon, tmp_path):
    path = make_lexicon(["买 购入", "雨伞 伞"], "mine.tsv")
    metric = celab.TeslaCelab(lexicon=path)
    path.unlink()  # what is left is what the driver has in memory
    data = pd.DataFrame({"hypothesis": ["购入伞"] * 8, "reference": ["买雨伞"] * 8})
    total = room.total(data, metric=metric, partition_size=1, client=client)
    assert total.score == 1.0
    digest = LexiconParcel(metric.lexicon).digest
    shipped = workers_folder / "lexicons" / f"shipped-{digest[:24]}.lexc"
    assert shipped.is_file()
    written = shipped.stat().st_mtime_ns
    assert room.total(data, metric=celab.TeslaCelab(lexicon=None), client=client).score < 1.0
    assert room.total(data, metric=metric, partition_size=2, client=client).score == 1.0
    assert shipped.stat().st_mtime_ns == written


def test_a_parcel_is_sent_once(client, make_lexicon, monkeypatch):
    metric = celab.TeslaCelab(lexicon=make_lexicon(["只 一次"], "once.tsv"))
    registered = []
    register = type(client).register_plugin

    def counted(self, plugin, name=None, **settings):
        registered.append(name)
        return register(self, plugin, name=name, **settings)

    monkeypatch.setattr(type(client), "register_plugin", counted)
    room.total(frame(), metric=metric, client=client)
    other = celab.TeslaCelab(lexicon=None, f=0.5)
    other.lexicon = metric.lexicon
    room.total(frame(), metric=other, client=client)  # other settings, the same lexicon
    assert len(registered) == 1


def test_a_shipped_lexicon_is_the_drivers(make_lexicon, tmp_path, monkeypatch):
    metric = celab.TeslaCelab(lexicon=make_lexicon(["雨伞 伞", "我们 咱们"], "other.tsv"))
    monkeypatch.setenv("CELAB_LEXICONS", str(tmp_path / "cache"))
    parcel = LexiconParcel(metric.lexicon)
    receive(parcel, tmp_path)
    assert parcel.path.parent == tmp_path / "cache"
    again = content_of(parcel.digest)
    assert again.cited == metric.lexicon.cited
    labels = [again.label(group) for group in range(again.n_groups)]
    assert labels == [metric.lexicon.label(group) for group in range(metric.lexicon.n_groups)]
    assert LexiconParcel(again).digest == parcel.digest


def test_a_lexicon_goes_where_it_can_be_written(metric, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("CELAB_LEXICONS", str(tmp_path / "file" / "cache"))
    parcel = LexiconParcel(metric.lexicon)
    parcel.arrive(tmp_path)
    assert parcel.path.parent == tmp_path
    nowhere = LexiconParcel(metric.lexicon)
    nowhere.arrive(tmp_path / "file")
    assert nowhere.path is None
    assert nowhere.unpacked().n_groups == metric.lexicon.n_groups
    parcel.path.write_bytes(b"")
    with pytest.raises(InputError, match="is gone or damaged"):
        parcel.unpacked()


def test_a_worker_with_other_versions_is_refused(metric):
    recipe, parcel = recipe_of(metric)
    receive(parcel, ROOT)
    other = replace(recipe, signature=recipe.signature.replace("|v:", "|v:9."))
    with pytest.raises(InputError, match=r"a worker's metric has the signature .*, the driver's"):
        metric_of(other)
    assert metric_of(recipe).signature == metric.signature


# Workers that die


def test_a_lost_worker_loses_and_doubles_nothing(client, make_lexicon, tmp_path):
    # Slow, so that there is time to die.
    metric = celab.TeslaCelab(lexicon=make_lexicon(["雨伞 伞"], "lost.tsv"), solver="highs")
    hyps, refs = sentences(160, 6, length=60), sentences(160, 7, length=60)
    expected = metric.corpus_score(hyps, [refs])
    files = {
        "hypothesis": write_lines(tmp_path / "hyp", hyps),
        "reference": write_lines(tmp_path / "ref", refs),
    }
    before = set(client.run(os.getpid).values())
    victims = []

    def kill_one(n_done, n_partitions):
        assert n_partitions == 40
        if n_done == 6:
            victims.append(min(before))
            os.kill(victims[0], signal.SIGKILL)

    out = tmp_path / "out"
    total = room.total(
        files, metric=metric, partition_size=4, output=out, client=client, progress=kill_one
    )
    client.wait_for_workers(2, timeout=25)
    after = set(client.run(os.getpid).values())
    assert victims and victims[0] not in after and len(after) == 2
    table = pd.concat([pd.read_parquet(path) for path in sorted(out.glob("part-*.parquet"))])
    assert table.index.tolist() == list(range(160))
    assert same(table, expected)
    assert total.n_rows == 160
    assert total.score == pytest.approx(expected.score, rel=1e-14)
    assert len(list(out.iterdir())) == 41  # with _celab.json, and nothing unfinished
    # Who came in the place of the lost one was sent the lexicon, too.
    known = client.run(is_received, LexiconParcel(metric.lexicon).digest)
    assert list(known.values()) == [True, True]


def test_a_partition_that_takes_workers_with_it_is_given_up(client):
    def allow(dask_scheduler, n_failures):
        before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, n_failures
        return before

    data = frame(4)
    frames = dd.from_map(lambda _: os._exit(1), [0], meta=data[:0])
    metric = celab.TeslaCelab(lexicon=None, script="keep")
    before = client.run_on_scheduler(allow, n_failures=0)
    try:
        with pytest.raises(InputError, match="was given up, because every worker"):
            room.total(frames, metric=metric, client=client)
    finally:
        client.run_on_scheduler(allow, n_failures=before)
        client.wait_for_workers(2, timeout=25)


def test_tasks_are_called_by_their_partition(metric):
    made = job.Job(frame(), metric, work.Columns("hypothesis", ("reference",)), None, 20)
    names = [task.key for task in made.each(work.scored)]
    assert [name.rpartition("-")[0] for name in names] == [f"partition-{n}" for n in range(3)]
    assert not set(names) & {task.key for task in made.each(work.scored)}  # of another run


def test_a_partition_done_twice_is_there_once(metric, tmp_path):
    recipe, parcel = recipe_of(metric)
    receive(parcel, tmp_path)
    task = work.Task(recipe, work.Columns("hypothesis", ("reference",)), ("keep", "keep"))
    first = work.recorded(frame(), task, 3, "", str(tmp_path))
    held = (tmp_path / "part-00003.parquet").read_bytes()
    again = work.recorded(frame(), task, 3, "", str(tmp_path))
    assert (tmp_path / "part-00003.parquet").read_bytes() == held
    assert [path.name for path in tmp_path.glob("*part*")] == ["part-00003.parquet"]
    assert first.statistics == again.statistics


def test_the_order_in_which_partitions_come_moves_no_digit(metric):
    recipe, parcel = recipe_of(metric)
    receive(parcel, ROOT)
    task = work.Task(recipe, work.Columns("hypothesis", ("reference",)), ("keep", "keep"))
    parts = [frame()[i : i + 20] for i in (0, 20, 40)]
    records = [work.recorded(part, task, number) for number, part in enumerate(parts)]
    found = {totals.total_of(list(some), 1) for some in itertools.permutations(records)}
    assert len(found) == 1


def test_a_folder_that_lacks_rows_is_not_finished(metric, tmp_path):
    total = room.total(frame(), metric=metric, partition_size=30, output=tmp_path / "out")
    (tmp_path / "out" / "part-00001.parquet").unlink()
    (tmp_path / "out" / "_celab.json").unlink()
    with pytest.raises(InputError, match=r"part-00001.parquet has None rows, but 30 were scored"):
        totals.finish(str(tmp_path / "out"), total)
    assert not (tmp_path / "out" / "_celab.json").exists()


def test_what_lost_workers_left_is_cleared_away(metric, tmp_path):
    total = room.total(frame(), metric=metric, output=tmp_path / "out")
    (tmp_path / "out" / ".part-00000.parquet.abc.tmp").touch()
    totals.finish(str(tmp_path / "out"), total)
    assert sorted(os.listdir(tmp_path / "out")) == ["_celab.json", "part-00000.parquet"]


# Text files in parts

LINES = st.lists(st.text("a伞\r\u2028\ufeff\x85 ", max_size=4), min_size=1, max_size=12)


@given(LINES, st.integers(1, 5), st.booleans())
def test_parts_are_the_lines_of_the_file(tmp_path_factory, lines, n_rows, ended):
    path = tmp_path_factory.getbasetemp() / "parts.txt"
    path.write_bytes(("\n".join(lines) + "\n" * ended).encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "_CHUNK", 3)
        try:
            parts = sources.text_parts({"x": path}, n_rows)
        except InputError as error:
            assert "is empty" in str(error)
            with pytest.raises(InputError, match="is empty"):
                corpus.read_lines(path)
            return
    frames = [part.read() for part in parts]
    found = [line for part in frames for line in part.x]
    assert found == corpus.read_lines(path)
    assert [len(part) for part in frames[:-1]] == [n_rows] * (len(parts) - 1)
    assert [i for part in frames for i in part.index] == list(range(len(found)))


# What is wrong is named


@pytest.mark.parametrize(
    ("data", "settings", "message"),
    [
        (frame(4), {"references": ["second"]}, "the data frame has no column 'second'; it must be"),
        (frame(4), {"references": []}, "references is empty"),
        (frame(4), {"keep": ["score"]}, "column 'score' cannot be kept"),
        (frame(4), {"partition_size": 0}, "partition_size is 0; it must be"),
        (frame(4), {"references": "reference"}, "a str was given"),
        (7, {}, "data is a int; it must be a data frame"),
        ({"hypothesis": "a"}, {}, "the mapping of text files has no column 'reference'"),
        ("nowhere.parquet", {}, r"nowhere.parquet does not exist"),
        (str(ROOT / "README.md"), {}, "README.md cannot be read .* it must be Parquet"),
    ],
)  # fmt: skip
def test_data_that_cannot_be_scored(data, settings, message):
    with pytest.raises((InputError, OptionError), match=message):
        room.total(data, metric=celab.TeslaCelab(lexicon=None), **settings)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("hypothesis", None, r"^partition 2, row 2: column 'hypothesis' is null; a hypothe"),
        ("reference", " ", r"^partition 2, columns hypothesis, reference: segment 2 has no refer"),
    ],
)  # fmt: skip
def test_bad_rows_name_column_and_partition(client, column, value, message):
    data = frame(12).astype(object)
    data.loc[9, column] = value
    metric = celab.TeslaCelab(lexicon=None, script="keep")
    parts = [data[i : i + 4] for i in range(0, 12, 4)]
    frames = dd.from_map(lambda part: part, parts, meta=data[:0])
    with pytest.raises(InputError, match=message):
        room.total(frames, metric=metric, client=client)


def test_numbers_are_no_text(tmp_path):
    frame(4, reference=[1, 2, 3, 4]).to_parquet(tmp_path / "numbers.parquet")
    message = (
        r"^partition 0 \(.*numbers.parquet, row groups 1 to 1\), row 1: column 'reference' holds"
    )
    with pytest.raises(InputError, match=message):
        room.total(
            tmp_path / "numbers.parquet", metric=celab.TeslaCelab(lexicon=None, script="keep")
        )  # fmt: skip


def test_files_of_unequal_length(tmp_path):
    files = {
        "hypothesis": write_lines(tmp_path / "hyp", "abc"),
        "reference": write_lines(tmp_path / "ref", "ab"),
    }
    with pytest.raises(InputError, match=r"hyp has 3 lines, .*ref has 2; they must agree"):
        room.total(files, metric=celab.TeslaCelab(lexicon=None))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.gz", b"\n", "is compressed"),
        ("empty", b"", "is empty"),
        ("latin", b"a\nb\n\xe4\n", r"latin, line 3: byte 0xE4 is not part of a UTF-8"),
    ],
)
def test_files_that_cannot_be_cut(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    path = str(tmp_path / name)
    with pytest.raises(InputError, match=message):
        room.total(
            {"hypothesis": path, "reference": path}, metric=celab.TeslaCelab(lexicon=None),
            partition_size=2,
        )  # fmt: skip


def test_files_that_change(tmp_path):
    path = write_lines(tmp_path / "text", "abcd")
    first, second = sources.text_parts({"x": path}, 2)
    path.write_bytes(b"abc\n")
    assert first.where == "lines 1 to 2"
    with pytest.raises(InputError, match=r"has changed: lines 1 to 2 were 2, and are 1 now"):
        first.read()
    path.unlink()
    with pytest.raises(InputError, match=r"cannot be read .* where the driver and all workers see"):
        second.read()


def test_an_output_folder_must_be_new(metric, tmp_path):
    room.total(frame(), metric=metric, output=tmp_path / "new" / "out")
    with pytest.raises(InputError, match=r"out holds _celab.json; it must be new or empty"):
        room.total(frame(), metric=metric, output=tmp_path / "new" / "out")


def test_no_rows(metric):
    with pytest.raises(InputError, match="there are no rows"):
        room.total(frame()[:0], metric=metric)


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "dask.dataframe", None)
    with pytest.raises(OptionError, match=r"not installed.*: pip install celab\[dask\]"):
        room.score(frame(), metric=celab.TeslaCelab(lexicon=None))


# The command


def parsed(*argv):
    return score._parser().parse_args([str(word) for word in argv])


def test_the_command_on_text(client, tmp_path):
    hyp, ref = ROOT / "examples" / "hyp1.zh", ROOT / "examples" / "ref1.zh"
    arguments = parsed(
        "--engine", "dask", "--scheduler", client.scheduler.address, "--partition-size", 2,
        "--lexicon", "zh-core", "--output", tmp_path / "out", "--quiet",
    )  # fmt: skip
    assert engine.chosen(arguments)
    made, _ = metrics.made(arguments)
    printed = engine.run(arguments, made, [str(ref)], [str(hyp)])
    hyps, refs = corpus.read_lines(hyp), corpus.read_lines(ref)
    expected = celab.TeslaCelab(lexicon="zh-core").corpus_score(hyps, [refs])
    assert printed == f"{expected}\n"
    table = pd.concat(map(pd.read_parquet, sorted((tmp_path / "out").glob("*.parquet"))))
    assert same(table, expected)


def test_the_command_on_parquet(client, tmp_path):
    pytest.importorskip("sacrebleu", reason="sacreBLEU (extra baselines) is not here")
    data = frame(30, second=sentences(30, 9), n=range(30))
    data.to_parquet(tmp_path / "all.parquet")
    arguments = parsed(
        "--engine", "dask", "--scheduler", client.scheduler.address, "--json", "--lexicon", "none",
        "--hyp-fields", "hypothesis,second", "--ref-fields", "reference", "--id-field", "n",
        "-m", "celab,chrf", "--output", tmp_path / "out", "--quiet",
    )  # fmt: skip
    assert engine.chosen(arguments)
    made, _ = metrics.made(arguments)
    report = json.loads(engine.run(arguments, made, [str(tmp_path / "all.parquet")], []))
    assert [system["name"] for system in report["systems"]] == ["hypothesis", "second"]
    expected = made["celab"].corpus_score(data.second.tolist(), [data.reference.tolist()])
    found = report["systems"][1]["metrics"]
    assert found["celab"]["score"] == pytest.approx(expected.score, rel=1e-14)
    assert found["celab"]["n_segments"] == 30
    assert set(found["chrf"]) == {"score", "signature", "n_segments"}
    table = pd.read_parquet(tmp_path / "out" / "celab" / "second" / "part-00000.parquet")
    assert table.n.tolist() == list(range(30))
    arguments.json, arguments.output = False, None
    lines = engine.run(arguments, made, [str(tmp_path / "all.parquet")], []).splitlines()
    assert [line.partition("\t")[0] for line in lines] == ["hypothesis"] * 2 + ["second"] * 2


def test_the_command_starts_workers_of_its_own(tmp_path):
    path = write_lines(tmp_path / "text", ["雨伞", "下周"])
    arguments = parsed("--engine", "dask", "--jobs", 1, "--lexicon", "none", "--brief")
    made, _ = metrics.made(arguments)
    assert engine.run(arguments, made, [str(path)], [str(path)]) == "1.0000\n"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--scheduler", "tcp://a:1"], "--scheduler is given; it goes with --engine dask only"),
        (["--partition-size", "5"], "--partition-size is given"),
        (["--engine", "dask", "--explain", "1"], "--explain is given; it goes with --engine local"),
        (["--engine", "dask", "--tsv"], "--tsv is given"),
        (["--engine", "dask", "--level", "segment"], "--level is segment"),
        (["--engine", "dask", "--format", "wmt"], "--format is wmt"),
    ],
)
def test_flags_that_do_not_go_together(argv, message):
    with pytest.raises(OptionError, match=message):
        engine.chosen(parsed(*argv))


@pytest.mark.parametrize(
    ("argv", "refs", "systems", "message"),
    [
        (["--ref-fields", "a"], ["r"], ["h"], "--ref-fields is given beside text files"),
        ([], [], ["h"], "no references are given"),
        ([], ["-"], ["h"], "standard input"),
    ],
)
def test_files_that_do_not_go_with_dask(argv, refs, systems, message):
    with pytest.raises(OptionError, match=message):
        engine.run(parsed("--engine", "dask", *argv), {}, refs, systems)


def test_local_is_the_default():
    assert not engine.chosen(parsed())


def test_no_scheduler_there(monkeypatch):
    monkeypatch.setattr(job, "PATIENCE", 0.5)
    with (
        pytest.raises(OptionError, match=r"scheduler 'tcp://127.0.0.1:9' does not answer"),
        job.connected("tcp://127.0.0.1:9"),
    ):
        pass
