"""How much memory and processor time do the largest tasks take: `celab score` and `celab mbr`?

`celab score` reads 30 systems × 100,000 segments, those of the data again and again, so that every
score is known: it is the mean of repeated segment scores, to the last bit. `celab score --segments`
reads one system of five times as many segments as a stream. `celab mbr` reranks 100, 400 and 1,000
sentences of 100 candidates each: its memory should grow by the texts alone, not by the matrices;
the choices of a shorter run are the first of a longer one. Each command runs in its own process.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np
from data import Data, load
from mbr import candidates
from measure import (
    HERE,
    Failed,
    number_from_command_line,
    say,
    summary,
    table,
    target,
    write,
)

import celab
from celab.statistics.resampling import mean_of

SYSTEMS, SEGMENTS, JOBS = 30, 100_000, 2
STREAMED = 5  # times as many segments
SENTENCES, CANDIDATES = (100, 400, 1000), 100
# The command, then what it took; little else is imported.
PROGRAM = """
import sys, time
from measure import peak_memory
from celab.cli.main import main
code = main(sys.argv[1:])
print('{"cpu": %f, "peak": %f}' % (time.process_time(), peak_memory()), file=sys.stderr)
sys.exit(code)
"""
MOST = 1000  # MB, that `celab score` may take


def main() -> None:
    n_segments = number_from_command_line("segments", SEGMENTS, __doc__)
    data = load()
    with tempfile.TemporaryDirectory(prefix="celab-bench-") as name:
        scored = score(data, Path(name), n_segments)
        streamed = stream(data, Path(name), STREAMED * n_segments)
        sizes = [n * n_segments // SEGMENTS for n in SENTENCES]
        reranked = rerank(data, Path(name), sizes)
    figures: dict[str, Any] = {}
    rows = []
    for what, found in (scored | streamed | reranked).items():
        rate = found["pairs"] / found["cpu"]
        figures |= {
            f"{what}, processor time": summary([found["cpu"]], "s"),
            f"{what}, peak memory": summary([found["peak"]], "MB"),
            f"{what}, pairs per second of processor time": summary([rate], "1/s"),
        }
        rows.append(
            [
                what,
                f"{found['seconds']:.0f}",
                f"{found['cpu']:.0f}",
                f"{found['pairs']:,}",
                f"{rate:,.0f}",
                f"{found['peak']:.0f}",
            ]
        )
    say("Each command runs in its own process, including its start and the reading of files.")
    table(
        ["", "seconds", "processor seconds", "pairs", "pairs per processor second", "peak MB"], rows
    )
    (peak,) = (found["peak"] for found in scored.values())
    target(f"`celab score` takes less than {MOST:,} MB: {peak:.0f}", peak < MOST)
    first, *_, last = (found["peak"] for found in reranked.values())
    more = 2**20 * (last - first) / CANDIDATES / (sizes[-1] - sizes[0])
    row = 8 * CANDIDATES
    target(
        f"`celab mbr` keeps the lines, but no matrix: the memory per further candidate is less than"
        f" its row, {row} bytes: {more:.0f}",
        more < row,
    )
    write("memory", data.origin, figures, {})


def score(data: Data, folder: Path, n_segments: int) -> dict[str, dict[str, Any]]:
    """`celab score` on the segments of the data, repeated."""
    systems = dict(
        islice(
            ((f"{k}-{name}", hyps) for k in (1, 2) for name, hyps in data.systems.items()), SYSTEMS
        )
    )
    for name, texts in {"ref": data.refs, **systems}.items():
        repeat(texts, n_segments, folder / name)
    known = celab.TeslaCelab().corpus_scores(systems, [data.refs])
    arguments = ["score", "--quiet", "--json", "--jobs", str(JOBS), "-r", str(folder / "ref"), "-s"]
    found, output = run([*arguments, *(str(folder / name) for name in systems)])
    scores = {
        row["system"]: row["score"]
        for row in json.loads(output)["system"]
        if row["metric"] == "celab"
    }
    at = np.arange(n_segments) % len(data.refs)
    for name, one in known.items():
        if scores[name] != mean_of(one.segments.figures[at][:, 0]):
            raise Failed(f"{name}: {scores[name]} is not the mean of the repeated segments")
    say(f"Checked: {SYSTEMS} scores are the means of their repeated segments, bit by bit.")
    what = f"`celab score --jobs {JOBS}`, {SYSTEMS} systems × {n_segments:,} segments"
    return {what: found | {"pairs": SYSTEMS * n_segments}}


def stream(data: Data, folder: Path, n_segments: int) -> dict[str, dict[str, Any]]:
    """`celab score --segments` on one system, read and written part by part."""
    sides = {"long-ref": data.refs, "long-hyp": next(iter(data.systems.values()))}
    paths = [repeat(texts, n_segments, folder / name) for name, texts in sides.items()]
    output = folder / "segments.tsv"
    found, _ = run(["score", "--quiet", "--segments", "-o", str(output), *paths])
    with output.open(encoding="utf-8") as file:
        rows = [next(file), *islice(file, len(data.refs))]
        for n, row in enumerate(file, len(rows)):
            expected = rows[(n - 1) % len(data.refs) + 1]
            if row.split("\t")[-3:] != expected.split("\t")[-3:]:
                raise Failed(f"segment {n} of the stream has another score than before")
    if n != n_segments:
        raise Failed(f"{n} of {n_segments} segments have a score")
    return {f"`celab score --segments`, {n:,} segments": found | {"pairs": n}}


def repeat(texts: list[str], n_segments: int, path: Path) -> str:
    """Writes the texts, again and again, into a file."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{text}\n" for text in islice(cycle(texts), n_segments))
    return str(path)


def rerank(data: Data, folder: Path, sizes: list[int]) -> dict[str, dict[str, Any]]:
    """`celab mbr` on more and more sentences, without threads."""
    lists = list(islice(cycle(candidates(data, sizes[-1])), sizes[-1]))
    found, chosen = {}, ""
    for n in sizes:
        path = folder / f"{n}.txt"
        lines = [f"{s} ||| {text}" for s, texts in enumerate(lists[:n]) for text in texts]
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        one, output = run(["mbr", "--quiet", str(path)])
        if output.count("\n") != n or not output.startswith(chosen):
            raise Failed(f"celab mbr chooses otherwise among {n} sentences")
        chosen = output
        what = f"`celab mbr`, {n:,} sentences × {CANDIDATES} candidates"
        found[what] = one | {"pairs": n * CANDIDATES**2}
    say("Checked: each run of `celab mbr` begins with the choices of the shorter one.")
    return found


def run(arguments: list[str]) -> tuple[dict[str, Any], str]:
    """Run a command in a process of its own; return its memory and its output."""
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        capture_output=True,
        text=True,
        check=True,
        cwd=HERE,
    )
    seconds = time.perf_counter() - began
    return json.loads(done.stderr.splitlines()[-1]) | {"seconds": seconds}, done.stdout


if __name__ == "__main__":
    main()
