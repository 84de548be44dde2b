"""How much memory and processor time do the largest tasks take: `celab score` and `celab mbr`?

`celab score` reads 30 systems × 100,000 segments, those of the data again and again, so that every
score is known: it is the mean of repeated segment scores, to the last bit. `celab score --segments`
reads one system of five times as many segments as a stream. `celab mbr` reranks 100, 400 and 1,000
sentences of 100 candidates each; if memory is flat, the peak does not grow with the
number of sentences, and the choices of a shorter run are the first of a longer one. Each command
runs in its own process; its peak is that of the process.
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
    Failed,
    number_from_command_line,
    peak_memory,
    say,
    summary,
    table,
    target,
    write,
)

import celab

SYSTEMS, SEGMENTS, JOBS = 30, 100_000, 2
STREAMED = 5  # times as many segments
SENTENCES, CANDIDATES = (100, 400, 1000), 100
MOST = 1000  # MB, that `celab score` may take


def main() -> None:
    if sys.argv[1:2] == ["--run"]:
        return run_here(sys.argv[2:])
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
            [what, f"{found['seconds']:.0f}", f"{found['cpu']:.0f}", f"{found['pairs']:,}",
             f"{rate:,.0f}", f"{found['peak']:.0f}"]
        )  # fmt: skip
    say("Each command runs in its own process, including its start and the reading of files.")
    table(
        ["", "seconds", "processor seconds", "pairs", "pairs per processor second", "peak MB"], rows
    )
    (peak,) = (found["peak"] for found in scored.values())
    target(f"`celab score` takes less than {MOST:,} MB: {peak:.0f}", peak < MOST)
    first, *_, last = (found["peak"] for found in reranked.values())
    target(
        f"`celab mbr` takes at most 10% more memory for ten times as many sentences:"
        f" {last / first - 1:+.1%}",
        last <= 1.1 * first,
    )
    write("memory", data.origin, figures, {})


def score(data: Data, folder: Path, n_segments: int) -> dict[str, dict[str, Any]]:
    """`celab score` on the segments of the data, repeated."""
    systems = dict(
        islice(((f"{k}-{name}", hyps) for k in (1, 2) for name, hyps in data.systems.items()),
               SYSTEMS)
    )  # fmt: skip
    for name, texts in {"ref": data.refs, **systems}.items():
        repeat(texts, n_segments, folder / name)
    known = celab.TeslaCelab().corpus_scores(systems, [data.refs])
    arguments = ["score", "--quiet", "--json", "--jobs", str(JOBS), "-r", str(folder / "ref"), "-s"]
    found, output = run([*arguments, *(str(folder / name) for name in systems)])
    scores = {
        one["name"]: one["metrics"]["celab"]["score"] for one in json.loads(output)["systems"]
    }
    at = np.arange(n_segments) % len(data.refs)
    for name, one in known.items():
        if scores[name] != one.segments.figures[at].sum(axis=0)[0] / n_segments:
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
        with path.open("w", encoding="utf-8") as file:
            for s, texts in enumerate(lists[:n]):
                file.writelines(f"{s} ||| {text}\n" for text in texts)
        one, output = run(["mbr", "--quiet", str(path)])
        if output.count("\n") != n or not output.startswith(chosen):
            raise Failed(f"celab mbr chooses otherwise among {n} sentences")
        chosen = output
        what = f"`celab mbr`, {n:,} sentences × {CANDIDATES} candidates"
        found[what] = one | {"pairs": n * CANDIDATES**2}
    say("Checked: each run of `celab mbr` begins with the choices of the shorter one.")
    return found


def run(arguments: list[str]) -> tuple[dict[str, Any], str]:
    """What a command takes and prints, in a process of its own."""
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, __file__, "--run", *arguments], capture_output=True, text=True, check=True
    )
    seconds = time.perf_counter() - began
    return json.loads(done.stderr.splitlines()[-1]) | {"seconds": seconds}, done.stdout


def run_here(arguments: list[str]) -> None:
    """The command in this process; then its figures on stderr."""
    from celab.cli.main import main as command

    code = command(arguments)
    print(json.dumps({"cpu": time.process_time(), "peak": peak_memory()}), file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
