"""How long does a board take, how large is its page, and how often does chance mark a change?

    20 versions × 10 test sets of 1,000 segments by three metrics
    1,000 boards of 4 versions × 3 sets of 200 segments whose versions do not differ

Files are written before the time is taken. Every p-value must be that of
`celab.significance.paired_bootstrap` on the same number of resamples, tried on some.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from measure import Failed, number_from_command_line, say, summary, table, target, write

import celab
from celab.base.arrays import F64
from celab.systems.board import Board

BOARDS = 1000
SECONDS, MEGABYTES, MARKED = 5.0, 2.0, 0.065
METRICS = ("celab", "tesla-m", "tesla-s")
TRIED = 5  # changes whose p-values are compared


def main() -> None:
    n_boards = number_from_command_line("boards", BOARDS, __doc__)
    draw = np.random.default_rng(1)
    with tempfile.TemporaryDirectory(prefix="celab-bench-") as name:
        folder = Path(name)
        scores = write_board(folder, draw, versions=20, sets=10, segments=1000, drift=0.002)
        began = time.process_time()
        board = celab.board(folder)
        page = board.html()
        seconds, size = time.process_time() - began, len(page.encode()) / 2**20
        check(board, scores)
    n_marked = sum(has_mark(draw) for _ in range(n_boards))
    share = n_marked / n_boards
    say(f"Processor time, reading and the page included; {board.tests} tests of the large board.")
    table(["", "seconds", "MB"], [["20 × 10 × 3", f"{seconds:.2f}", f"{size:.2f}"]])
    say(f"{n_marked} of {n_boards:,} boards without a difference have a mark: {share:.1%}.")
    target(f"20 × 10 × 3 within {SECONDS:.0f} s: {seconds:.1f} s", seconds <= SECONDS)
    target(f"its page within {MEGABYTES:.0f} MB: {size:.2f} MB", size <= MEGABYTES)
    target(f"at most {MARKED:.1%} of boards have a mark: {share:.1%}", share <= MARKED)
    figures = {"seconds": summary([seconds], "s"), "size": summary([size], "MB")}
    write("board", "scores drawn from a seed", figures, {"marked": n_marked, "boards": n_boards})


def has_mark(draw: np.random.Generator) -> bool:
    """Return whether a board whose versions differ by chance alone has a mark."""
    with tempfile.TemporaryDirectory(prefix="celab-bench-") as name:
        write_board(Path(name), draw, versions=4, sets=3, segments=200, metrics=METRICS[:1])
        return any(cell.mark for cell in celab.board(name).cells)


def write_board(
    folder: Path,
    draw: np.random.Generator,
    *,
    versions: int,
    sets: int,
    segments: int,
    drift: float = 0.0,
    metrics: tuple[str, ...] = METRICS,
) -> dict[tuple[str, str, str], F64]:
    """Write a file for each set and version; return the scores by set, version and metric."""
    scores: dict[tuple[str, str, str], F64] = {}
    for number in range(sets):
        ease = draw.uniform(0.3, 0.7, segments)
        for version in range(versions):
            systems: list[dict[str, Any]] = []
            rows: list[dict[str, Any]] = []
            for metric in metrics:
                noise = draw.normal(drift * version, 0.1, segments)
                values = np.clip(ease + noise, 0.0, 1.0)
                scores[f"set{number}", f"v{version}", metric] = values
                about = {"metric": metric, "system": "model"}
                signature = f"{metric}|refs:1|v:{celab.__version__}"
                systems.append(about | {"score": float(values.mean()), "signature": signature})
                rows += [
                    about | {"segment": number, "score": score}
                    for number, score in enumerate(values.tolist(), 1)
                ]
            data = {
                "format": 2,
                "celab_version": celab.__version__,
                "test_set": f"{number:012x}",
                "labels": {"set": f"set{number}", "version": f"v{version}"},
                "system": systems,
                "segment": rows,
            }
            path = folder / f"set{number}-v{version}.json"
            path.write_text(json.dumps(data), encoding="utf-8")
    return scores


def check(board: Board, scores: dict[tuple[str, str, str], F64]) -> None:
    """Compare some p-values with those of two systems alone."""
    changed = [cell for cell in board.cells if cell.change is not None]
    for cell in changed[:: len(changed) // TRIED]:
        before = board.versions[board.versions.index(cell.version) - 1]
        alone = celab.significance.paired_bootstrap(
            scores[cell.set, cell.version, cell.metric],
            scores[cell.set, before, cell.metric],
            n_resamples=max(1000, 40 * board.tests),
        )
        if alone.p != cell.p:
            raise Failed(f"{cell.set}, {cell.version}: p is {cell.p}, alone {alone.p}")


if __name__ == "__main__":
    main()
