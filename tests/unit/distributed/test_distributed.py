"""Dask: worker processes give the bits of one process, also if some are lost meanwhile.

The law "on Dask" of tests/properties checks every metric and option, in threads.
"""

import json
import os
import pickle
import random
import re
import signal
import subprocess
import sys
import types
from importlib.util import find_spec

import numpy as np
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from scores_json import systems_of

import celab
from celab import corpus, distributed
from celab.base.errors import InputError, LexiconError, OptionError
from celab.cli import score
from celab.distributed import job, partitions
from celab.metrics.factory import make_metric

# Dask is imported by the tests: every process of pytest-xdist imports this module.
for package in ("distributed", "dask", "pyarrow"):
    if find_spec(package) is None:
        pytest.skip(f"{package} (extra dask) is not here", allow_module_level=True)
pd = pytest.importorskip("pandas", reason="pandas (extra dask) is not here")

PROCESSES = "distributed.worker.multiprocessing-method"
FIGURES = ["score", "precision", "recall"]
LETTERS = "买雨伞下周的一是不了在人有我他这个们中来上大为和国地到以说时要就出会"


def sentences(n, seed, length=12):
    draw = random.Random(seed)
    return ["".join(draw.choices(LETTERS, k=draw.randint(1, length))) for _ in range(n)]


def frame(n_rows=60, **columns):
    found = {"hypothesis": sentences(n_rows, 1), "reference": sentences(n_rows, 2)}
    return pd.DataFrame(found | columns)


def pairs(hyps, refs):
    return pd.DataFrame({"hypothesis": hyps, "reference": refs})


def scored(metric, data, references=("reference",)):
    """Return the score of a data frame in this process."""
    refs = [data[name].astype(object).where(data[name].notna(), None) for name in references]
    return metric.corpus_score(data.hypothesis.tolist(), [ref.tolist() for ref in refs])


def summary_in(folder):
    return json.loads((folder / "_celab.json").read_text(encoding="utf-8"))


def same(table, expected):
    """Whether the columns of scores hold the very bits of a `Score`."""
    figures = expected.segments.figures
    return np.array_equal(table[FIGURES].to_numpy(), figures, equal_nan=True)


def write_lines(path, lines):
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    return path


@pytest.fixture(scope="module")
def dd():
    """Return the module of Dask's data frames."""
    import dask.dataframe

    return dask.dataframe


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """Two worker processes, whose lexicon folder is empty and not the driver's."""
    import dask
    from distributed import Client, LocalCluster
    from distributed.utils import get_mp_context

    folder = tmp_path_factory.mktemp("workers")
    with dask.config.set({PROCESSES: "forkserver"}):
        # Forked from one process that has imported these: also those in place of lost ones.
        get_mp_context().set_forkserver_preload(
            ["distributed", "dask.dataframe", "pandas", "pyarrow.parquet"]
        )
        with (
            LocalCluster(
                n_workers=2,
                threads_per_worker=1,
                processes=True,
                dashboard_address=None,
                local_directory=str(folder / "scratch"),
                silence_logs=50,
                env={"CELAB_LEXICONS": str(folder / "lexicons")},
            ) as cluster,
            Client(cluster, set_as_default=False) as client,
        ):
            yield client


@pytest.fixture
def metric(make_lexicon):
    return celab.TeslaCelab(lexicon=make_lexicon(["雨伞 伞", "下周 来上 上大", "我们 他们"]))


# One process and many


def test_a_dask_frame_gives_the_bits_of_one_process(dd, client, metric):
    data = frame(tag=range(60))
    expected = scored(metric, data)
    frames = dd.from_pandas(data, npartitions=7, sort=False)
    lazy = distributed.score(frames, metric=metric, keep=["tag"], client=client)
    assert list(lazy.columns) == ["tag", *FIGURES]
    found = client.compute(lazy).result()
    assert lazy.dtypes.to_dict() == found.dtypes.to_dict()
    assert same(found, expected)
    assert found.tag.tolist() == list(range(60))
    assert found.index.tolist() == data.index.tolist()
    assert distributed.total(frames, metric=metric, client=client) == expected


def test_without_a_client_threads_do_it(metric, tmp_path):
    data = frame()
    expected = scored(metric, data)
    lazy = distributed.score(data, metric=metric, partition_size=7)
    assert same(lazy.compute(), expected)
    lazy.to_parquet(tmp_path / "scores")
    assert same(pd.read_parquet(tmp_path / "scores"), expected)
    told = []
    total = distributed.total(
        data, metric=metric, partition_size=7, progress=lambda *some: told.append(some)
    )
    assert told == [(n, 9) for n in range(1, 10)]
    assert total == expected
    assert str(total) == str(expected)
    assert total.digests.tolist() == expected.digests.tolist()
    assert np.array_equal(total.statistics, expected.statistics)


def test_parquet_in_and_out(client, metric, tmp_path):
    import pyarrow
    import pyarrow.parquet as pq

    data = frame(id=[f"s{i}" for i in range(60)])
    expected = scored(metric, data)
    (tmp_path / "in").mkdir()
    for name, rows in (("a", data[:25]), ("b", data[25:])):
        table = pyarrow.Table.from_pandas(rows, preserve_index=False)
        pq.write_table(table, tmp_path / "in" / f"{name}.parquet", row_group_size=4)
    found = distributed.score(
        tmp_path / "in",
        metric=metric,
        keep=["id"],
        partition_size=10,
        output=tmp_path / "out",
        client=client,
    )
    table = found.compute()
    assert same(table, expected)
    assert table.id.tolist() == data.id.tolist()
    assert table.index.tolist() == list(range(60))
    # 25 rows are six groups of 4 and one of 1; 35 are eight of 4 and one of 3.
    files = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert files == ["_celab.json", *(f"part-{i:05}.parquet" for i in range(8))]
    sizes = [pq.read_metadata(tmp_path / "out" / name).num_rows for name in files[1:]]
    assert sizes == [8, 8, 9, 8, 8, 8, 8, 3]
    summary = summary_in(tmp_path / "out")
    assert summary["signature"] == expected.signature
    assert summary["n_rows"] == 60 and summary["n_skipped"] == 0
    assert [summary[name] for name in FIGURES] == [getattr(expected, name) for name in FIGURES]
    assert [part["file"] for part in summary["partitions"]] == files[1:]
    assert [part["n_rows"] for part in summary["partitions"]] == sizes
    of_first = expected.segments.scores[:8].mean()
    assert summary["partitions"][0]["score"] == pytest.approx(of_first, rel=1e-14)


def test_text_with_references_that_are_absent(client, metric, tmp_path):
    hyps, refs = sentences(50, 3), [sentences(50, seed) for seed in (4, 5)]
    for i in range(0, 50, 3):
        refs[i % 2][i] = "" if i % 4 else " \t"
    files = {
        name: write_lines(tmp_path / name, lines)
        for name, lines in zip("hab", (hyps, *refs), strict=True)
    }
    lazy = distributed.score(
        files,
        metric=metric,
        hypothesis="h",
        references=["a", "b"],
        keep=["a"],
        partition_size=8,
        client=client,
    )
    table = client.compute(lazy).result()
    assert same(table, metric.corpus_score(hyps, refs))
    assert table.a.tolist() == refs[0]
    assert lazy.dtypes.to_dict() == table.dtypes.to_dict()


def test_null_references_are_absent(dd, client, metric):
    data = frame(second=sentences(60, 3))
    data.loc[::2, "second"] = None
    data.loc[1::4, "reference"] = None
    data = data.astype("string[pyarrow]")
    references = ["reference", "second"]
    frames = dd.from_pandas(data, npartitions=4)
    found = distributed.total(frames, metric=metric, references=references, client=client)
    assert found == scored(metric, data, references)


def test_an_empty_partition_is_nothing(dd, client, metric, tmp_path):
    data = frame()
    data = data[(data.index < 20) | (data.index >= 40)]
    expected = scored(metric, data)
    frames = dd.from_pandas(frame(n=range(60)), npartitions=3)
    kept = frames[(frames.n < 20) | (frames.n >= 40)]
    settings = {"metric": metric, "client": client}
    assert same(client.compute(distributed.score(kept, **settings)).result(), expected)
    assert distributed.total(kept, output=tmp_path / "out", **settings) == expected
    summary = summary_in(tmp_path / "out")
    assert [part["n_rows"] for part in summary["partitions"]] == [20, 0, 20]
    assert summary["partitions"][1]["score"] is None
    assert len(pd.read_parquet(tmp_path / "out" / "part-00001.parquet")) == 0


def test_no_more_than_the_beginning_is_looked_at(dd, monkeypatch):
    monkeypatch.setattr(job, "STREAM_BATCH", 30)
    read = []
    parts = [frame()[i : i + 20] for i in (0, 20, 40)]

    def part(n):
        read.append(n)
        return parts[n]

    frames = dd.from_map(part, range(3), meta=parts[0][:0])
    by_references = celab.TeslaCelab(lexicon=None, weights="references")
    distributed.score(frames, metric=celab.Mean([by_references, celab.TeslaCelab(lexicon=None)]))
    assert read == [0, 1]
    distributed.score(frames, metric=celab.TeslaCelab(lexicon=None))
    assert read == [0, 1]


# Other metrics


def test_tesla_m_in_worker_processes(client, make_lexicon):
    metric = celab.TeslaM(analysis="tagged", function_tags=["ART"], lexicon=make_lexicon(["a b"]))
    data = pairs(["a|a|NN die|die|ART", "c|c|VV"] * 15, ["b|b|NN c|c|VV", "die|die|ART"] * 15)
    settings = {"metric": metric, "partition_size": 7, "client": client}
    assert distributed.total(data, **settings) == scored(metric, data)
    data.loc[20, "reference"] = "a|a"
    lazy = distributed.score(data, **settings)
    with pytest.raises(InputError, match=r"^partition 2, row 7, column reference: "):
        client.compute(lazy).result()


def test_baselines_are_not_means(client):
    data = frame(second=sentences(60, 3))
    data.loc[:10, "second"] = None
    references = ["reference", "second"]
    expected = scored(make_metric("bleu"), data, references)
    used = make_metric("bleu")
    used.corpus_score(["买伞"], [["买雨伞"]] * 5)  # its signature now has five references
    for where in (client, None):  # None: threads, each with a metric of its own
        settings = {"metric": used, "partition_size": 11, "client": where}
        found = distributed.total(data, references=references, **settings)
        assert found == expected
        assert found.precision is None


# Values that are not proved

# The reduction leaves the second to HiGHS; the last partition has nothing that is proved.
UNPROVED = pd.DataFrame(
    {
        "hypothesis": ["买伞", "雨雨伞雨伞雨伞", "好", "雨雨伞雨伞雨伞"],
        "reference": ["买雨伞", "伞雨伞", "好", "伞雨伞"],
    }
)
LIMITED = {"lexicon": None, "time_limit": 1e-9}


def test_a_partition_without_a_proved_value_has_no_score(tmp_path):
    metric = celab.TeslaCelab(on_error="skip", **LIMITED)
    table = distributed.score(UNPROVED, metric=metric, partition_size=3, output=tmp_path / "out")
    assert table.compute().score.isna().tolist() == [False, True, False, True]
    summary = summary_in(tmp_path / "out")
    assert summary["n_skipped"] == 2
    assert [part["score"] is None for part in summary["partitions"]] == [False, True]


# Workers that differ from the driver


def test_workers_need_the_lexicon(client, make_lexicon):
    path = make_lexicon(["买 购入", "雨伞 伞"], "mine.tsv")
    metric = celab.TeslaCelab(lexicon=path)
    data = pd.DataFrame({"hypothesis": ["购入伞"] * 8, "reference": ["买雨伞"] * 8})
    lazy = distributed.score(data, metric=metric, partition_size=1, client=client)
    path.unlink()
    message = r"^a worker cannot load the driver's metric: .*mine\.tsv"
    with pytest.raises(LexiconError, match=message):
        client.compute(lazy).result()
    make_lexicon(["买 购入", "雨伞 伞"], "mine.tsv")
    assert distributed.total(data, metric=metric, partition_size=1, client=client).score == 1.0


def test_a_worker_with_other_versions_is_refused(metric, monkeypatch):
    sent = pickle.dumps(metric.scorer([["买"]]))
    monkeypatch.setattr("celab.metrics.celab.__version__", "99")
    message = r"^a worker cannot load the driver's metric: .* but here it has celab\|.*v:99;"
    with pytest.raises(OptionError, match=message):
        job._unpickled(sent)


@pytest.mark.parametrize(
    ("scheduler", "worker", "message"),
    [
        ("1.0", None, "^tcp://b has celab not installed, the driver has 1.0; "),
        ("0.9", "1.0", "^the scheduler has celab 0.9, the driver has 1.0; "),
    ],
)
def test_machines_with_another_celab_are_refused(client, monkeypatch, scheduler, worker, message):
    def versions(self, packages):
        return {
            "client": {"packages": {"celab": "1.0"}},
            "scheduler": {"packages": {"celab": scheduler}},
            "workers": {
                f"tcp://{name}": {"packages": {"celab": has}}
                for name, has in (("a", "1.0"), ("b", worker))
            },
        }

    monkeypatch.setattr(type(client), "get_versions", versions)
    with pytest.raises(OptionError, match=message):
        distributed.score(frame(), metric=celab.TeslaCelab(lexicon=None), client=client)


# Workers that are lost


def test_a_lost_worker_loses_and_doubles_nothing(client, make_lexicon, tmp_path):
    # Slow, so that there is time to be lost.
    metric = celab.TeslaCelab(lexicon=make_lexicon(["雨伞 伞"], "lost.tsv"), solver="highs")
    hyps, refs = sentences(40, 6, length=60), sentences(40, 7, length=60)
    expected = metric.corpus_score(hyps, [refs])
    files = {
        "hypothesis": write_lines(tmp_path / "hyp", hyps),
        "reference": write_lines(tmp_path / "ref", refs),
    }
    victim = min(client.run(os.getpid).values())

    def kill_one(n_done, n_partitions):
        assert n_partitions == 20
        if n_done == 4:
            os.kill(victim, signal.SIGKILL)

    out = tmp_path / "out"
    total = distributed.total(
        files, metric=metric, partition_size=2, output=out, client=client, progress=kill_one
    )
    client.wait_for_workers(2, timeout=60)
    after = set(client.run(os.getpid).values())
    assert victim not in after and len(after) == 2
    table = pd.concat([pd.read_parquet(path) for path in sorted(out.glob("part-*.parquet"))])
    assert table.index.tolist() == list(range(40))
    assert same(table, expected)
    assert total == expected
    assert len(list(out.iterdir())) == 21  # with _celab.json, and nothing unfinished


def test_a_signal_waits_until_the_workers_have_started():
    steps = []
    with pytest.raises(KeyboardInterrupt), job._undisturbed():
        signal.raise_signal(signal.SIGINT)
        steps.append("started")
    assert steps == ["started"]


def test_a_partition_that_takes_workers_with_it_is_given_up(dd, client):
    def allow(dask_scheduler, n_failures):
        before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, n_failures
        return before

    data = frame(4)
    frames = dd.from_map(os._exit, [1], meta=data[:0])
    metric = celab.TeslaCelab(lexicon=None, script="keep")
    before = client.run_on_scheduler(allow, n_failures=0)
    try:
        with pytest.raises(InputError, match="failed, because every worker"):
            distributed.total(frames, metric=metric, client=client)
    finally:
        client.run_on_scheduler(allow, n_failures=before)
        client.wait_for_workers(2, timeout=60)


def test_tasks_are_called_by_their_partition_and_run_by_the_current_client(client, metric):
    with client.as_current():
        made = job.Job(frame(), metric, "hypothesis", ["reference"], [], None, 20)
    assert made.client is client
    names = [task.key for task in made.calls(job.scored)]
    assert [name.rpartition("-")[0] for name in names] == [f"partition-{n}" for n in range(3)]
    assert not set(names) & {task.key for task in made.calls(job.scored)}  # of another run


def test_a_partition_done_twice_is_there_once(tmp_path):
    made = job.Job(
        frame(), celab.TeslaCelab(lexicon=None), "hypothesis", ["reference"], [], None, 60
    )
    task = made.names, made.kept, made.scorer.compute(), str(tmp_path)
    first = job.recorded(frame(), 3, *task)
    held = (tmp_path / "part-00003.parquet").read_bytes()
    assert job.recorded(frame(), 3, *task) == first
    assert os.listdir(tmp_path) == ["part-00003.parquet"]
    assert (tmp_path / "part-00003.parquet").read_bytes() == held


def test_the_order_in_which_partitions_come_moves_nothing(monkeypatch):
    metric = celab.TeslaCelab(lexicon=None, script="keep")
    in_order = distributed.total(frame(), metric=metric, partition_size=7)
    done = job.iter_results
    monkeypatch.setattr(job, "iter_results", lambda *some: reversed(list(done(*some))))
    assert distributed.total(frame(), metric=metric, partition_size=7) == in_order


def test_what_lost_workers_left_is_cleared_away(tmp_path, monkeypatch):
    done = job.iter_results

    def littered(*some):
        if (tmp_path / "out").exists():  # the first call only looks at the language
            (tmp_path / "out" / ".celab-0123456789abcdef.tmp").touch()
        yield from done(*some)

    metric = celab.TeslaCelab(lexicon=None, script="keep")
    monkeypatch.setattr(job, "iter_results", littered)
    distributed.total(frame(), metric=metric, output=tmp_path / "out")
    assert sorted(os.listdir(tmp_path / "out")) == ["_celab.json", "part-00000.parquet"]


# Text files in parts

LINES = st.lists(st.text("a伞\r\u2028\ufeff\x85 ", max_size=4), min_size=1, max_size=12)


@given(LINES, st.integers(1, 5), st.booleans())
def test_parts_are_the_lines_of_the_file(tmp_path_factory, lines, n_rows, ended):
    path = tmp_path_factory.getbasetemp() / "parts.txt"
    path.write_bytes(("\n".join(lines) + "\n" * ended).encode())
    try:
        parts = partitions.text_parts({"x": path}, n_rows)
    except InputError as error:
        assert "is empty" in str(error) or "(CR)" in str(error)
        with pytest.raises(InputError, match=re.escape(str(error))):
            corpus.read_lines(path)
        return
    frames = [part.read() for part in parts]
    found = [line for part in frames for line in part.x]
    assert found == corpus.read_lines(path)
    assert [len(part) for part in frames[:-1]] == [n_rows] * (len(parts) - 1)
    assert [i for part in frames for i in part.index] == list(range(len(found)))


# What is wrong is named


@pytest.fixture(scope="module")
def numbers(tmp_path_factory):
    path = tmp_path_factory.mktemp("numbers") / "numbers.parquet"
    frame(4, reference=[1, 2, 3, 4]).to_parquet(path)
    return path


def test_data_that_cannot_be_scored(numbers):
    for data, message in (
        (str(ROOT / "README.md"), "README.md cannot be read .* it must be Parquet"),
        (numbers, r"^partition 0 \(.*numbers.parquet, row groups 1 to 1\), row 1: column 'refere"),
    ):
        with pytest.raises(InputError, match=message) as error:
            distributed.total(data, metric=celab.TeslaCelab(lexicon=None))
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("hypothesis", None, r"^partition 2, row 2: column 'hypothesis' is null; it must h"),
        ("reference", " ", r"^partition 2, columns hypothesis, reference: segment 2 has no refer"),
    ],
)
def test_bad_rows_name_column_and_partition(dd, client, column, value, message):
    data = frame(12).astype(object)
    data.loc[9, column] = value
    parts = [data[i : i + 4] for i in range(0, 12, 4)]
    frames = dd.from_map(pd.DataFrame, parts, meta=data[:0])
    with pytest.raises(InputError, match=message):
        distributed.total(frames, metric=celab.TeslaCelab(lexicon=None), client=client)


def lines_again(folder, content):
    """Return how to read text files of which one has changed meanwhile."""
    paths = {name: write_lines(folder / name, "abcd") for name in "xy"}
    first, _ = partitions.text_parts(paths, 2)
    paths["y"].unlink()
    if content is not None:
        paths["y"].write_bytes(content)
    return first.read


def parquet_again(folder, data):
    """Return how to score a table that has changed meanwhile."""
    path = folder / "pairs.parquet"
    frame(4).to_parquet(path)
    lazy = distributed.score(path, metric=celab.TeslaCelab(lexicon=None, script="keep"))
    path.unlink()
    if data is not None:
        data.to_parquet(path)
    return lazy.compute


@pytest.mark.parametrize(
    ("change", "data", "message"),
    [
        (lines_again, b"abc\n", r"^lines 1 to 2 had 2 rows, but 1 of 'y' are left; files"),
        (lines_again, None, r"y: no such file; it must be a file that the driver"),
        (
            parquet_again,
            frame(3),
            r"^.*pairs.parquet, row groups 1 to 1 had 4 rows, but 3 of 'hypothesis' are",
        ),
        (parquet_again, frame(4).drop(columns="reference"), "has no column 'reference'"),
        (parquet_again, None, r"pairs.parquet cannot be read \(.*\); it must be a file that the"),
    ],
)
def test_files_that_change(tmp_path, change, data, message):
    read = change(tmp_path, data)
    with pytest.raises(InputError, match=message):
        read()


def test_an_output_folder_must_be_new_and_writable(tmp_path):
    metric = celab.TeslaCelab(lexicon=None)
    out = tmp_path / "new" / "out"
    distributed.total(frame(), metric=metric, output=out)
    (tmp_path / "file").touch()
    for folder, message in (
        (out, r"out contains _celab.json; it must be new or empty"),
        (tmp_path / "file", r"file cannot be used \(.*\); it must be a writable fo"),
    ):
        with pytest.raises(InputError, match=message):
            distributed.total(frame(), metric=metric, output=folder)
    made = job.Job(frame(), metric, "hypothesis", ["reference"], [], None, 9)
    with pytest.raises(InputError):
        next(made.calls(job.recorded, [], made.scorer, str(tmp_path / "not there"))).compute()


# The command


@pytest.fixture
def run(client, capsys):
    """Runs `celab-score` with these arguments on Dask and in this process: what both print."""

    def both(*arguments, dask=(), local=()):
        engine = "--engine", "dask", "--scheduler", client.scheduler.address, *dask
        outcomes = []
        for own in (engine, local):
            code = score.main([*map(str, own), "--no-check", *map(str, arguments)])
            outcomes.append((code, *capsys.readouterr()))
        return outcomes

    return both


EXAMPLES = ROOT / "examples"
TEXTS = ["-r", EXAMPLES / "ref1.zh", EXAMPLES / "ref2.zh", "-s", EXAMPLES / "hyp1.zh"]


@pytest.mark.parametrize(
    "flags",
    [
        ["-m", "celab", "chrf"],
        ["-m", "celab", "chrf", "--json"],
        ["--brief"],
        ["--tsv"],
        ["--quiet"],
        [EXAMPLES / "hyp2.zh", "--resamples", 50, "--json"],
        [EXAMPLES / "hyp2.zh", "--resamples", 50, "--test", "randomization"],
        [EXAMPLES / "hyp2.zh", "--resamples", 50, "--markdown"],
    ],
)
def test_the_command_prints_what_it_prints_without_dask(run, flags):
    by_dask, local = run(*TEXTS, *flags, "--lexicon", "none", dask=["--partition-size", 2])
    # Workers read the texts, so the command does not know their lengths.
    code, out, err = local
    assert by_dask == (code, re.sub(r', "length_ratio": [0-9.]+', "", out), err)
    assert code == 0 and out


def test_the_command_writes_segments(run, tmp_path):
    dask = ["--partition-size", 2, "--output", tmp_path / "out"]
    by_dask, local = run("--lexicon", "zh-core", *TEXTS, dask=dask)
    assert by_dask == local
    sides = [corpus.read_lines(path) for path in TEXTS if path not in ("-r", "-s")]
    expected = celab.TeslaCelab(lexicon="zh-core").corpus_score(sides[-1], sides[:-1])
    parts = sorted((tmp_path / "out").glob("*.parquet"))
    assert len(parts) == 10 and same(pd.read_parquet(parts), expected)


def test_the_command_on_parquet(client, tmp_path, capsys):
    data = frame(30, second=sentences(30, 9), n=range(30))
    data.to_parquet(tmp_path / "all.parquet")
    flags = (
        f"--engine=dask --scheduler={client.scheduler.address} --json --quiet --lexicon=none"
        " --hyp-fields=hypothesis,second --ref-fields=reference --id-field=n -m celab,chrf"
    )
    files = [f"--output={tmp_path / 'out'}", str(tmp_path / "all.parquet")]
    assert score.main([*flags.split(), *files]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [system["name"] for system in systems_of(report)] == ["hypothesis", "second"]
    metric = celab.TeslaCelab(lexicon=None)
    expected = metric.corpus_score(data.second.tolist(), [data.reference.tolist()])
    found = systems_of(report)[1]["metrics"]
    assert found["celab"]["score"] == expected.score
    assert {"score", "signature", "interval"} <= set(found["chrf"])
    table = pd.read_parquet(tmp_path / "out" / "celab" / "second" / "part-00000.parquet")
    assert table.n.tolist() == list(range(30))


def test_what_the_command_skips_is_counted(run, tmp_path):
    ref = write_lines(tmp_path / "ref", UNPROVED.reference)
    hyp = write_lines(tmp_path / "hyp", UNPROVED.hypothesis)
    settings = ["--lexicon=none", "--time-limit=1e-9", "--on-error=skip"]
    by_dask, local = run(*settings, ref, hyp, dask=["--partition-size", 1])
    assert by_dask == local
    skipped = "celab-score: finding: 2 segments skipped, because no optimum was proved\n"
    assert by_dask[0] == 3 and skipped in by_dask[2]
    (code, _, error), _ = run(*settings, "--solver=highs", ref, hyp)
    assert code == 2 and "hyp: no segment has a proved score by celab, all were skipped" in error


@pytest.mark.thorough
def test_workers_of_the_command_listen_to_this_machine_only(tmp_path, monkeypatch, capsys):
    import dask
    import psutil

    path = write_lines(tmp_path / "text", ["雨伞", "下周"])
    seen = []

    def connect(*some):
        client = job_connect(*some)
        me = psutil.Process()
        for process in (me, *me.children(recursive=True)):
            seen.extend(process.net_connections("inet"))
        return client

    job_connect = job.connect
    monkeypatch.setattr(job, "connect", connect)
    flags = "--engine=dask --jobs=1 --lexicon=none --brief"
    with dask.config.set({PROCESSES: "spawn"}):  # as Dask does by default
        assert score.main([*flags.split(), str(path), str(path)]) == 0
    assert capsys.readouterr().out == "1.0000\n"
    listening = {each.laddr.ip for each in seen if each.status == psutil.CONN_LISTEN}
    assert listening == {"127.0.0.1"}


def test_no_scheduler_there(monkeypatch):
    monkeypatch.setattr(job, "SCHEDULER_TIMEOUT_SECONDS", 0.5)
    with pytest.raises(OptionError):
        job.connect("tcp://127.0.0.1:9")


@pytest.mark.thorough
def test_an_error_of_a_worker_is_one_line(tmp_path):
    # In a process of its own, whose workers write to its standard error.
    ref, hyp = (write_lines(tmp_path / name, ["买雨伞"] * 3) for name in ("ref", "hyp"))
    hyp.write_bytes("买伞\n".encode() + b"\xff\n" + "买伞\n".encode())
    flags = "--engine=dask --jobs=1 --lexicon=none --brief"
    command = [sys.executable, "-m", "celab.cli.main", "score", *flags.split(), str(ref), str(hyp)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"celab score: error: {hyp}, line 2: byte 0xFF is not part of a UTF-8")


@pytest.mark.parametrize("way", ["compute", "result", "versions"])
def test_a_lost_scheduler_is_one_line(monkeypatch, metric, way):
    import distributed as dask_distributed
    from distributed.client import FutureCancelledError
    from distributed.comm import CommClosedError

    def lose(*_, **__):
        raise CommClosedError("ConnectionPool closing.")

    def versions(**_):
        here = {"packages": {"celab": celab.__version__}}
        return {"client": here, "scheduler": here, "workers": {}}

    stand_in = types.SimpleNamespace(
        get_versions=lose if way == "versions" else versions,
        compute=lose if way == "compute" else lambda calls: calls,
        cancel=lambda futures: None,
        loop=None,
    )
    cancelled = FutureCancelledError("partition-0", "scheduler-connection-lost")
    monkeypatch.setattr(
        dask_distributed, "as_completed", lambda futures, **_: [(futures[0], cancelled)]
    )
    with pytest.raises(InputError, match="the Dask scheduler was lost"):
        distributed.total(frame(), metric=metric, client=stand_in)
