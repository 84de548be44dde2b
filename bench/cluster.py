"""What does a core of a local Dask cluster score, compared with a single process (extra `dask`)?

The pairs are those of the data, again and again, in two text files, so the score is known: it is
the mean of the repeated segment scores. The single process scores all pairs of the data on one
thread before and after the cluster, in turns with nothing else.
"""

from __future__ import annotations

import math
import statistics
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

from data import load
from measure import Failed, number_from_command_line, say, summary, table, target, write

import celab
from celab import distributed
from celab.distributed.job import connect

PAIRS = 10_000_000
WORKERS = 2
PARTITION = 50_000
AIM = 0.9  # of the single process, for each worker


def main() -> None:
    n_pairs = number_from_command_line("pairs", PAIRS, __doc__)
    data = load()
    hyps = [hyp for side in data.systems.values() for hyp in side]
    refs = data.refs * len(data.systems)
    metric = celab.TeslaCelab(jobs=1)
    known = metric.corpus_score(hyps, [refs]).segments.scores
    single = [alone(metric, hyps, refs)]
    with (
        tempfile.TemporaryDirectory(prefix="celab-bench-") as name,
        connect(workers=WORKERS) as client,
    ):
        paths = {"hypothesis": Path(name, "hyp.txt"), "reference": Path(name, "ref.txt")}
        for path, lines in zip(paths.values(), (hyps, refs), strict=True):
            with path.open("w", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in islice(cycle(lines), n_pairs))
        n_bytes = sum(path.stat().st_size for path in paths.values())
        began = time.perf_counter()
        total = distributed.total(paths, metric=metric, partition_size=PARTITION, client=client)
        seconds = time.perf_counter() - began
    single.append(alone(metric, hyps, refs))
    times, rest = divmod(n_pairs, len(known))
    expected = (times * math.fsum(known) + math.fsum(known[:rest])) / n_pairs
    if abs(total.score - expected) > 1e-12:
        raise Failed(f"the cluster's score is {total.score!r} instead of {expected!r}")
    per_core, alone_rate = n_pairs / seconds / WORKERS, statistics.mean(single)
    share = per_core / alone_rate
    say(
        f"{n_pairs:,} pairs ({n_bytes / 1e9:.1f} GB of text) on {WORKERS} workers of this machine,"
        f" which has the scheduler and the driver, too; reading of the files included."
    )
    table(
        ["", "seconds", "pairs per second and core"],
        [
            ["cluster", f"{seconds:.0f}", f"{per_core:,.0f}"],
            ["single process, before and after", "", ", ".join(f"{rate:,.0f}" for rate in single)],
        ],
    )
    target(f"a worker scores {AIM} times what a single process scores: {share:.2f}", share >= AIM)
    figures = {
        "pairs per second and worker": summary([per_core], "1/s"),
        "pairs per second, single process": summary(single, "1/s"),
        "worker / single process": summary([share], "ratio"),
    }
    write("cluster", data.origin, figures, {"pairs": n_pairs, "seconds": seconds, "bytes": n_bytes})


def alone(metric: celab.TeslaCelab, hyps: list[str], refs: list[str]) -> float:
    """Return pairs per second of a single process, which reads every reference anew."""
    began = time.perf_counter()
    metric.scorer([refs], cache_references=False)(hyps, [refs])
    return len(hyps) / (time.perf_counter() - began)


if __name__ == "__main__":
    main()
