"""How many cuts of `celab align` are exactly right, and what do wrong ones do to the score?

    python bench/align.py                  # cuts, scores and time on four sets
    python bench/align.py --wrong 20 SET   # also prints wrong cuts
    python bench/align.py --fit            # fits the weights; judges them on held-out systems

The lines of real outputs are joined, so the true cuts are known. A cut is right if it has the same
characters before it, white space aside. Weights are fitted on the sets of `FITTED` only; a third of
their systems is held out to choose features. Nothing is chosen on wmt24-jazh-mqm. Edit is the edit
alignment by itself. If the program `mweralign` is installed, --mweralign runs it beside ours.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from data import data_folder

import celab
from celab.base.arrays import F64, I64, Bools
from celab.corpus.align.alignment import align_document
from celab.corpus.align.characters import Characters, join_lines
from celab.corpus.align.cuts import candidates
from celab.corpus.align.edits import edit_cuts
from celab.corpus.align.objective import CUT_FEATURES, SEGMENT_FEATURES, Objective

FITTED = {
    "characters": ("wmt24-enzh-esa", "wmt24-enja-esa-news-speech"),
    "words": ("wmt21-ende-mqm",),
}
AIMS = {
    "wmt24-enzh-esa": 0.95,
    "wmt24-jazh-mqm": 0.95,
    "wmt24-enja-esa-news-speech": 0.96,
    "wmt21-ende-mqm": 0.96,
}
LANGUAGES = {"wmt24-enja-esa-news-speech": "ja", "wmt21-ende-mqm": "de"}
HELD_OUT = 3  # every third system
PENALTY = 1.0  # of squared weights
N_SEGMENT = len(SEGMENT_FEATURES)


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def outputs(name: str) -> tuple[list[str], dict[str, list[str]]]:
    folder = data_folder() / name
    systems = {path.stem: lines_of(path) for path in sorted((folder / "hyp").glob("*.txt"))}
    return lines_of(folder / "ref-A.txt"), systems


def true_ends(lines: list[str]) -> I64:
    return np.cumsum([len("".join(line.split())) for line in lines])


def measure(name: str, n_wrong: int, with_mweralign: bool) -> None:
    refs, systems = outputs(name)
    rights, edits, gaps, others, seconds = [], [], [], [], []
    scores: dict[str, tuple[float, float]] = {}
    metric = celab.TeslaCelab(lang=LANGUAGES.get(name, "zh"))
    wrong: list[str] = []
    for system, lines in systems.items():
        text, true = join_lines(lines), true_ends(lines)
        begin = time.process_time()
        aligned = align_document(text, [refs])
        seconds.append(time.process_time() - begin)
        found = true_ends(list(aligned.lines))
        rights.append(np.mean(found[:-1] == true[:-1]))
        sides = [Characters.of(ref) for ref in refs]
        ends = np.cumsum([len(side) for side in sides])[:-1]
        folded = "".join(side.folded for side in sides)
        first = edit_cuts(folded, ends.tolist(), Characters.of(text).folded)
        edits.append(np.mean(first == true[:-1]))
        scores[system] = (
            metric.corpus_score(lines, [refs]).score,
            metric.corpus_score(list(aligned.lines), [refs]).score,
        )
        gaps.append(scores[system][1] - scores[system][0])
        solid = "".join(text.split())
        wrong += [
            f"  {system} {i + 1}: {_shown(solid, int(true[i]), int(found[i]))}"
            f"   reference: {refs[i][-20:]} | {refs[i + 1][:20]}"
            for i in np.flatnonzero(found[:-1] != true[:-1]).tolist()
        ]
        if with_mweralign and (cut := mweralign(text, refs)) is not None:
            others.append(np.mean(true_ends(cut)[:-1] == true[:-1]))
    orders = [sorted(scores, key=lambda system, i=i: -scores[system][i]) for i in (0, 1)]
    beside = f", mweralign {np.mean(others):.3f}" if others else ""
    print(
        f"{name}: {len(systems)} systems, right {np.mean(rights):.4f} (aim {AIMS.get(name, 0)};"
        f" {min(rights):.3f} to {max(rights):.3f}), edit alone {np.mean(edits):.3f}{beside};"
        f" score {np.mean(gaps):+.4f} ({min(gaps):+.4f} to {max(gaps):+.4f}),"
        f" order {'unchanged' if orders[0] == orders[1] else 'changed'};"
        f" {np.mean(seconds):.2f} s a system",
        flush=True,
    )
    random.Random(1).shuffle(wrong)
    print(*wrong[:n_wrong], sep="\n", end="\n" * bool(n_wrong))


def _shown(text: str, true: int, found: int) -> str:
    """Return the text around two cuts, with ✓ at the true one and ✗ at the other."""
    first, second = min(true, found), max(true, found)
    marks = "✓✗" if true < found else "✗✓"
    return (
        f"{text[max(0, first - 12) : first]}{marks[0]}{text[first:second]}{marks[1]}"
        f"{text[second : second + 12]}"
    )


def mweralign(text: str, refs: list[str]) -> list[str] | None:
    """Return the lines of mweralign (GPL), which runs as a program of its own."""
    if shutil.which("mweralign") is None:
        raise SystemExit("mweralign is not installed; pip install mweralign")
    with tempfile.TemporaryDirectory() as folder:
        ref, hyp, out = (Path(folder) / name for name in ("ref", "hyp", "out"))
        ref.write_text("\n".join(refs) + "\n", encoding="utf-8")
        hyp.write_text(text + "\n", encoding="utf-8")
        command = ["mweralign", "-m", "cj", "-r", str(ref), "-t", str(hyp), "-o", str(out)]
        done = subprocess.run(command, capture_output=True, timeout=600, check=False)
        return lines_of(out) if done.returncode == 0 and out.exists() else None


@dataclass(frozen=True, slots=True)
class Example:
    """The features of all candidates of one output, and which of them are right."""

    columns: list[I64]
    segments: list[tuple[F64, Bools]]  # features by start and end, and which cannot be
    cuts: list[F64]
    gold: list[int]
    true: I64


def example(refs: list[str], lines: list[str]) -> Example:
    sides, text = [Characters.of(ref) for ref in refs], Characters.of(join_lines(lines))
    ends = np.cumsum([len(side) for side in sides])
    first = edit_cuts("".join(s.folded for s in sides), ends[:-1].tolist(), text.folded)
    objective, columns = Objective(text, sides, first), candidates(text, first)
    columns.append(np.array([len(text)]))
    segments, cuts, gold, last, starts = [], [], [], 0, np.zeros(1, np.int64)
    true = true_ends(lines)
    for number, places in enumerate(columns):
        features = np.moveaxis(objective.segment(number, starts, places), 0, -1)
        segments.append((features.astype(np.float32), places < starts[:, None]))
        if number + 1 < len(columns):
            cuts.append(objective.cut(number, places).T)
        nearest = int(np.argmin(np.abs(places - true[number])))
        while places[nearest] < last and nearest + 1 < len(places):
            nearest += 1
        gold.append(nearest)
        last, starts = int(places[nearest]), places
    return Example(columns, segments, cuts, gold, true)


def potentials(each: Example, weights: F64) -> Iterator[F64]:
    for number, (features, barred) in enumerate(each.segments):
        values = (features @ weights[:N_SEGMENT].astype(np.float32)).astype(np.float64)
        if number < len(each.cuts):
            values += each.cuts[number] @ weights[N_SEGMENT:]
        yield np.where(barred, -1e9, values)


def likelihood(each: Example, weights: F64) -> tuple[float, F64]:
    """Return the negative log-likelihood of the right cuts, and its gradient."""
    values = list(potentials(each, weights))
    forward, backward = [np.zeros(1)], [np.zeros(1)]
    for step in values:
        forward.append(np.logaddexp.reduce(forward[-1][:, None] + step, axis=0))
    for step in reversed(values):
        backward.append(np.logaddexp.reduce(step + backward[-1], axis=1))
    backward.reverse()
    total = float(forward[-1][0])
    gradient, own, row = np.zeros(len(weights)), 0.0, 0
    for number, step in enumerate(values):
        shares = np.exp(forward[number][:, None] + step + backward[number + 1] - total)
        features, column = each.segments[number][0], each.gold[number]
        flat = shares.astype(np.float32).ravel() @ features.reshape(-1, N_SEGMENT)
        gradient[:N_SEGMENT] += flat - features[row, column]
        if number < len(each.cuts):
            cuts = each.cuts[number]
            gradient[N_SEGMENT:] += shares.sum(axis=0) @ cuts - cuts[column]
        own += float(step[row, column])
        row = column
    return total - own, gradient


def share_right(each: Example, weights: F64) -> float:
    best, steps = np.zeros(1), []
    for step in potentials(each, weights):
        totals = best[:, None] + step
        steps.append(totals.argmax(axis=0))
        best = totals.max(axis=0)
    row, cuts = 0, []
    for step, places in zip(reversed(steps), reversed(each.columns), strict=True):
        cuts.append(places[row])
        row = int(step[row])
    return float(np.mean(np.array(cuts[::-1])[:-1] == each.true[:-1]))


def fit(writing: str) -> None:
    from scipy.optimize import minimize

    own: list[tuple[str, Example]] = []
    held: list[tuple[str, Example]] = []
    for name in FITTED[writing]:
        refs, systems = outputs(name)
        for number, lines in enumerate(systems.values()):
            (held if number % HELD_OUT == 1 else own).append((name, example(refs, lines)))

    def weights_from(examples: list[tuple[str, Example]]) -> F64:
        def loss(weights: F64) -> tuple[float, F64]:
            parts = [likelihood(each, weights) for _, each in examples]
            value = sum(part for part, _ in parts) + PENALTY * float(weights @ weights) / 2
            return value, np.sum([part for _, part in parts], axis=0) + PENALTY * weights

        start = np.zeros(N_SEGMENT + len(CUT_FEATURES))
        options = {"maxiter": 60}
        found = minimize(loss, start, jac=True, method="L-BFGS-B", options=options)
        return np.asarray(found.x)

    weights = weights_from(own)
    for title, examples in (("fitted", own), ("held out", held)):
        for name in FITTED[writing]:
            shares = [share_right(each, weights) for set_name, each in examples if set_name == name]
            print(f"{writing}, {title}, {name}: {np.mean(shares):.4f}", flush=True)
    for feature, weight in zip(
        SEGMENT_FEATURES + CUT_FEATURES, weights_from(own + held), strict=True
    ):
        print(f"    {feature}: {round(weight * 64) / 64}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", nargs="*", default=list(AIMS), metavar="SET")
    parser.add_argument("--fit", action="store_true", help="fit the weights")
    parser.add_argument("--wrong", type=int, default=0, metavar="N", help="print N wrong cuts")
    parser.add_argument("--mweralign", action="store_true", help="run mweralign, too")
    arguments = parser.parse_args()
    if arguments.fit:
        for writing in FITTED:
            fit(writing)
        return
    for name in arguments.sets:
        measure(name, arguments.wrong, arguments.mweralign)


if __name__ == "__main__":
    main()
