"""What does a billion pairs cost? The figures of bench/README.md (extra `dask`).

    python bench/scale.py           measures, then writes the figures into the page
    python bench/scale.py --page    writes the page from results/scale.json alone

Times of one process are processor time, medians of several rounds, because other work on the
machine moves the clock. The scheduler runs in the driver's process here, so the processor time of
that process while workers work, less what it takes idle, is what a partition costs scheduler and
driver together. Bytes are of one file for each system: all systems together repeat the references,
which would compress too well.
"""

from __future__ import annotations

import json
import pickle
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas
from data import Data, load
from measure import HERE, RESULTS, Failed, in_turns, summary, write, write_between

import celab
from celab import distributed
from celab.distributed import job as worker
from celab.distributed import partitions
from celab.distributed.job import Job, connect

PAGE = HERE / "README.md"
ROUNDS = 7
SMALL_PARTITIONS = 400
IDLE = 3.0  # seconds
PAIRS = 10**9
WORKERS = (1, 16, 64, 256, 1024)


def main() -> None:
    if "--page" not in sys.argv[1:]:
        measure()
    found = json.loads((RESULTS / "scale.json").read_text(encoding="utf-8"))
    write_between("cluster", [*measured(found), "", *arithmetic(found)], PAGE)


def measure() -> None:
    data = load()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        figures, facts = of_one_process(data, folder)
        more, of_cluster = of_the_cluster(folder, facts["score"])
    figures |= more
    write("scale", data.origin, figures, facts | of_cluster)


def of_one_process(data: Data, folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Cost and bytes of a pair, step by step."""
    hyps = [hyp for side in data.systems.values() for hyp in side]
    refs = data.refs * len(data.systems)
    metric = celab.TeslaCelab()
    expected = metric.corpus_score(hyps, [refs])
    texts = {"hypothesis": folder / "hyp.txt", "reference": folder / "ref.txt"}
    for path, lines in zip(texts.values(), (hyps, refs), strict=True):
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    parquet = folder / "pairs.parquet"
    pandas.DataFrame({"hypothesis": hyps, "reference": refs}).to_parquet(
        parquet, compression="zstd", index=False
    )
    job = Job(
        data=texts,
        metric=metric,
        hypothesis="hypothesis",
        references=["reference"],
        keep=[],
        client=None,
        partition_size=len(hyps),
    )
    task = job.names, job.kept, job.scorer.compute()
    (text_part,) = job.parts
    (parquet_part,) = partitions.parquet_parts(parquet, job.names, len(hyps))
    frame = text_part.read()
    (folder / "scores").mkdir()

    def scored() -> None:
        if not np.array_equal(worker.scored(frame, 0, *task).score, expected.segments.scores):
            raise Failed("a partition's scores are not those of corpus_score")

    steps: Mapping[str, Callable[[], object]] = {
        "corpus_score": lambda: metric.corpus_score(hyps, [refs]),
        "find line ends": lambda: partitions.text_parts(texts, 1000),
        "read text": text_part.read,
        "read Parquet": parquet_part.read,
        "score a partition": scored,
        "score and write a partition": lambda: worker.recorded(
            frame, 0, *task, str(folder / "scores")
        ),
    }
    cpu: dict[str, list[float]] = {}
    in_turns({name: lambda _, step=step: step() for name, step in steps.items()}, ROUNDS, cpu)
    figures = {}
    for name, seconds in cpu.items():
        spent = [1e6 * t / len(hyps) for t in seconds]
        figures[f"{name}, µs/pair"] = summary(spent, "µs")
        print(f"{name}: {statistics.median(spent):.2f} µs per pair")
    facts = {
        "pairs": len(hyps),
        "signature": expected.signature,
        "score": expected.score,
        "bytes of a pair, text": sum(path.stat().st_size for path in texts.values()) / len(hyps),
        "bytes of a pair, Parquet": statistics.mean(
            parquet_bytes(pairs, folder) for pairs in systems_of(frame, data)
        ),
        "bytes of a pair, scores": statistics.mean(
            parquet_bytes(scores, folder)
            for scores in systems_of(worker.scored(frame, 0, *task), data)
        ),
        "bytes of a pair, sent to the driver": len(pickle.dumps(expected)) / len(hyps),
        "bytes of a task": len(pickle.dumps((text_part, 0, *task))),
    }
    return figures, facts


def systems_of(rows: pandas.DataFrame, data: Data) -> list[pandas.DataFrame]:
    n = len(data.refs)
    return [rows[i : i + n] for i in range(0, len(rows), n)]


def parquet_bytes(rows: pandas.DataFrame, folder: Path) -> float:
    """Return the bytes per row of a Parquet file of these rows."""
    path = folder / "rows.parquet"
    rows.to_parquet(path, compression="zstd", index="score" in rows)
    return path.stat().st_size / len(rows)


def of_the_cluster(folder: Path, score: float) -> tuple[dict[str, Any], dict[str, Any]]:
    """Measure the cost of a partition to scheduler and driver, with many tiny ones."""
    rows = ["买雨伞"] * (2 * SMALL_PARTITIONS)
    small = {name: folder / f"small-{name}.txt" for name in ("hypothesis", "reference")}
    for path in small.values():
        path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    plain = celab.TeslaCelab(lexicon=None, script="keep")
    facts = {}
    with connect(workers=2) as client:
        began = time.perf_counter()
        total = distributed.total(
            {"hypothesis": folder / "hyp.txt", "reference": folder / "ref.txt"},
            partition_size=5000,
            output=folder / "all",
            client=client,
        )
        facts["seconds of all pairs, two workers"] = time.perf_counter() - began
        if total.score != score:
            raise Failed(f"two workers give {total.score}, one process {score}")
        began_cpu = time.process_time()
        time.sleep(IDLE)
        idle = (time.process_time() - began_cpu) / IDLE
        spent, by_clock = [], []
        for turn in range(3):
            began_cpu, began = time.process_time(), time.perf_counter()
            distributed.total(
                small,
                metric=plain,
                partition_size=2,
                output=folder / f"small-{turn}",
                client=client,
            )
            seconds = time.perf_counter() - began
            busy = time.process_time() - began_cpu - idle * seconds
            spent.append(1e3 * busy / SMALL_PARTITIONS)
            by_clock.append(1e3 * seconds / SMALL_PARTITIONS)
    print(f"a partition: {statistics.median(spent):.2f} ms of scheduler and driver")
    return {
        "scheduler and driver, ms/partition": summary(spent, "ms"),
        "small partitions by the clock, ms/partition": summary(by_clock, "ms"),
    }, facts


def clock(seconds: float) -> str:
    """Minutes where hours would be a fraction."""
    return f"{seconds / 3600:.1f} h" if seconds >= 3600 else f"{seconds / 60:.1f} min"


def median(found: Mapping[str, Any], name: str) -> float:
    return float(found["figures"][name]["median"])


def measured(found: Mapping[str, Any]) -> list[str]:
    facts, versions = found["facts"], found["versions"]
    steps = {
        "`corpus_score`, strings in, scores out": "corpus_score, µs/pair",
        "a partition in memory, scored": "score a partition, µs/pair",
        "the same, scores written": "score and write a partition, µs/pair",
        "text, read": "read text, µs/pair",
        "Parquet, read": "read Parquet, µs/pair",
        "text, line ends found by the driver": "find line ends, µs/pair",
    }
    ms = median(found, "scheduler and driver, ms/partition")
    return [
        f"{found['date'][:10]}; {found['machine']['processor']}, python {versions['python']},"
        f" celab {versions['celab']}; {facts['pairs']:,} pairs of {found['data']}, one reference,"
        " TESLA-CELAB with its defaults.",
        "",
        "| processor time of one thread | µs per pair |",
        "|---|---:|",
        *(f"| {what} | {median(found, name):.2f} |" for what, name in steps.items()),
        "",
        "| bytes of a pair | |",
        "|---|---:|",
        f"| hypothesis and reference as text | {facts['bytes of a pair, text']:.0f} |",
        f"| the same as Parquet, zstd | {facts['bytes of a pair, Parquet']:.0f} |",
        f"| scores: row, score, precision, recall | {facts['bytes of a pair, scores']:.0f} |",
        f"| scores sent to the driver | {facts['bytes of a pair, sent to the driver']:.0f} |",
        "",
        "| per run | |",
        "|---|---:|",
        f"| scheduler and driver, processor time per partition | {ms:.1f} ms |",
        f"| size of a task | {facts['bytes of a task'] / 1e3:.1f} kB |",
    ]


def arithmetic(found: Mapping[str, Any]) -> list[str]:
    facts, size = found["facts"], distributed.PARTITION_SIZE
    pair = (
        median(found, "score and write a partition, µs/pair")
        + median(found, "read Parquet, µs/pair")
    ) / 1e6
    partition = size * pair
    seconds = median(found, "scheduler and driver, ms/partition") / 1e3
    in_bytes, out_bytes = facts["bytes of a pair, Parquet"], facts["bytes of a pair, scores"]
    lines = [
        f"A worker that reads Parquet and writes scores needs {1e6 * pair:.1f} µs per pair, so a"
        f" billion pairs take {PAIRS * pair / 3600:.1f} hours on one thread. With {size:,} rows per"
        f" partition there are {PAIRS // size:,} partitions of {partition:.1f} s each;"
        f" {in_bytes * PAIRS / 1e9:.0f} GB are read ({facts['bytes of a pair, text']:.0f} GB if"
        f" they are text) and {out_bytes * PAIRS / 1e9:.0f} GB written.",
        "",
        "| workers | time | partitions per second | scheduler load | MB/s read and written |",
        "|---:|---:|---:|---:|---:|",
    ]
    for workers in WORKERS:
        rate = workers / partition
        lines.append(
            f"| {workers:,} | {clock(PAIRS * pair / workers)} | {rate:.1f}"
            f" | {rate * seconds:.0%} | {workers / pair * (in_bytes + out_bytes) / 1e6:,.0f} |"
        )
    lines += [
        "",
        f"The scheduler, which is one process, is fully busy at {partition / seconds:,.0f} workers"
        f" with partitions of {size:,} rows; with ten times as many rows, at ten times as many"
        " workers.",
    ]
    return lines


if __name__ == "__main__":
    main()
