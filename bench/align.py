"""How many cuts of `celab align` are exactly right, and what do wrong ones do to the score?

    python bench/align.py                  # cuts, scores and time on four sets
    python bench/align.py --mweralign 4    # runs the program mweralign on four systems of each set
    python bench/align.py --wrong 20 SET   # also prints wrong cuts
    python bench/align.py --fit            # fits the weights; judges them on held-out systems

The lines of real outputs are joined, so the true cuts are known. A cut is right if it has the same
characters before it, white space aside. Weights are fitted on the sets of `FITTED` only; a third of
their systems is held out to choose features. Nothing is chosen on wmt24-jazh-mqm. Edit is the edit
alignment by itself. mweralign is under the GPL, so it is never a dependency: install it in an
environment of its own, and put its folder into PATH. Results are written if all sets are measured.
"""

from __future__ import annotations

import argparse
import random
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from data import data_folder
from measure import Failed, say, summary, table, target, write

import celab
from celab.base.arrays import F64, I64, Bools
from celab.corpus.align.alignment import align_document
from celab.corpus.align.characters import Characters, join_lines
from celab.corpus.align.cutting import candidates, edit_cuts
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
ALIGNED_UNITS = {"right": "share", "gap": "difference", "seconds": "s"}
PROGRAMS = ("celab", "edit", "mweralign")
MOST_SECONDS = 600  # of mweralign, for an output
N_SEGMENT = len(SEGMENT_FEATURES)


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def outputs(name: str) -> tuple[list[str], dict[str, list[str]]]:
    folder = data_folder() / name
    systems = {path.stem: lines_of(path) for path in sorted((folder / "hyp").glob("*.txt"))}
    return lines_of(folder / "ref-A.txt"), systems


def solid(text: str) -> str:
    """Return a text without white space."""
    return "".join(text.split())


def true_ends(lines: list[str]) -> I64:
    return np.cumsum([len(solid(line)) for line in lines])


@dataclass(frozen=True, slots=True)
class Aligned:
    """An output that was cut: lines, share of right cuts, change of the score and seconds."""

    lines: list[str]
    right: float
    gap: float
    score: float
    seconds: float


def measure(name: str, n_wrong: int, n_by_mweralign: int) -> dict[str, dict[str, Aligned]]:
    """Return each system's output as the programs cut it, by program.

    mweralign, which takes long, cuts the first `n_by_mweralign` of them.
    """
    print(f"{name} …", flush=True)
    refs, systems = outputs(name)
    metric = celab.TeslaCelab(lang=LANGUAGES.get(name, "zh"))
    cut: dict[str, dict[str, Aligned]] = {program: {} for program in PROGRAMS}
    wrong: list[str] = []
    for number, (system, lines) in enumerate(systems.items()):
        text, true = join_lines(lines), true_ends(lines)
        programs: dict[str, tuple[list[str] | None, float]] = {
            "celab": ours(text, refs),
            "edit": by_edits(text, refs),
        }
        if number < n_by_mweralign:
            programs["mweralign"] = mweralign(text, refs, LANGUAGES.get(name, "zh"))
        expected = metric.corpus_score(lines, [refs]).score
        for program, (found, seconds) in programs.items():
            if found is None:
                continue
            if program != "mweralign" and solid("".join(found)) != solid(text):
                raise Failed(f"{name}, {system}: {program} has lost or changed characters")
            score = metric.corpus_score(found, [refs]).score
            right = float(np.mean(true_ends(found)[:-1] == true[:-1]))
            cut[program][system] = Aligned(found, right, score - expected, score, seconds)
        if n_wrong:
            wrong += wrong_cuts(system, refs, text, true, true_ends(cut["celab"][system].lines))
    random.Random(1).shuffle(wrong)
    print(*wrong[:n_wrong], sep="\n", end="\n" * bool(n_wrong))
    return cut


def ours(text: str, refs: list[str]) -> tuple[list[str], float]:
    """Return the lines of `celab align`, and seconds of processor time."""
    begin = time.process_time()
    aligned = align_document(text, [refs])
    return list(aligned.lines), time.process_time() - begin


def by_edits(text: str, refs: list[str]) -> tuple[list[str], float]:
    """Return the lines of the edit alignment alone, and seconds of processor time."""
    begin = time.process_time()
    sides = [Characters.of(ref) for ref in refs]
    ends = np.cumsum([len(side) for side in sides])[:-1]
    folded = "".join(side.folded for side in sides)
    cuts = edit_cuts(folded, ends.tolist(), Characters.of(text).folded).tolist()
    seconds = time.process_time() - begin
    places = [*(at for at, character in enumerate(text) if not character.isspace()), len(text)]
    bounds = pairwise([0, *(places[cut] for cut in cuts), len(text)])
    return [text[start:end].strip() for start, end in bounds], seconds


def wrong_cuts(system: str, refs: list[str], text: str, true: I64, found: I64) -> list[str]:
    """Return lines that show the cuts which are not right."""
    return [
        f"  {system} {i + 1}: {_shown(solid(text), int(true[i]), int(found[i]))}"
        f"   reference: {refs[i][-20:]} | {refs[i + 1][:20]}"
        for i in np.flatnonzero(found[:-1] != true[:-1]).tolist()
    ]


def _shown(text: str, true: int, found: int) -> str:
    """Return the text around two cuts, with ✓ at the true one and ✗ at the other."""
    first, second = min(true, found), max(true, found)
    marks = "✓✗" if true < found else "✗✓"
    return (
        f"{text[max(0, first - 12) : first]}{marks[0]}{text[first:second]}{marks[1]}"
        f"{text[second : second + 12]}"
    )


def mweralign(text: str, refs: list[str], lang: str) -> tuple[list[str] | None, float]:
    """Return the lines of mweralign, which is a process of its own, and seconds; None if it fails.

    Its SentencePiece models are downloads; the tokenizers that it brings are used.
    """
    with tempfile.TemporaryDirectory() as folder:
        ref, hyp, out = (Path(folder) / name for name in ("ref", "hyp", "out"))
        ref.write_text("\n".join(refs) + "\n", encoding="utf-8")
        hyp.write_text(text + "\n", encoding="utf-8")
        tokenizer = "none" if lang == "de" else "cj"
        command = ["mweralign", "-m", tokenizer, "-l", lang]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            done = subprocess.run(
                [*command, "-r", str(ref), "-t", str(hyp), "-o", str(out)],
                capture_output=True,
                timeout=MOST_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None, MOST_SECONDS
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        is_whole = done.returncode == 0 and out.exists() and len(lines_of(out)) == len(refs)
        return (lines_of(out) if is_whole else None), seconds


def mweralign_version() -> str:
    if shutil.which("mweralign") is None:
        raise SystemExit(
            "mweralign is not installed; install it in an environment of its own, and put the"
            " folder of its programs into PATH"
        )
    done = subprocess.run(["mweralign", "--version"], capture_output=True, text=True, check=True)
    return done.stdout.split()[-1]


def report(cuts: dict[str, dict[str, dict[str, Aligned]]], version: str) -> None:
    """Print the tables, and write the figures if all sets were measured."""
    say(
        "Share of cuts that are exactly right when the lines of real outputs are joined, score of"
        " the cut lines against that of the true ones, and seconds of processor time; means over"
        " the systems. Edit is the edit alignment alone."
    )
    rows: list[list[str]] = []
    figures: dict[str, object] = {}
    for name, by_program in cuts.items():
        for program, by_system in by_program.items():
            if by_system:
                title, n_systems = f"{name}, {program}", len(by_program["celab"])
                series = {
                    key: [getattr(cut, key) for cut in by_system.values()] for key in ALIGNED_UNITS
                }
                rows.append([title, f"{len(by_system)} of {n_systems}", *cells(**series)])
                for key, unit in ALIGNED_UNITS.items():
                    figures[f"{title}, {key}"] = summary(series[key], unit)
    table(["set and program", "systems", "right", "lowest", "highest", "score", "seconds"], rows)
    if version:
        say(
            f"mweralign {version}, `-m cj` (German: `-m none`), a process for each output; its"
            " SentencePiece models, which are downloads, were not used."
        )
    compare_with_aims(
        {name: list(by_program["celab"].values()) for name, by_program in cuts.items()}
    )
    if set(cuts) == set(AIMS):
        facts = {"systems": {name: list(by["celab"]) for name, by in cuts.items()}}
        write("align", ", ".join(AIMS), figures, {**facts, "mweralign": version or "not run"})


def cells(right: list[float], gap: list[float], seconds: list[float]) -> list[str]:
    """Return shares, change of the score and time of all systems as cells of a table."""
    shares = [f"{share:.3f}" for share in (np.mean(right), min(right), max(right))]
    change = f"{np.mean(gap):+.4f} ({min(gap):+.4f} to {max(gap):+.4f})"
    return [*shares, change, f"{np.mean(seconds):.2f}"]


def compare_with_aims(cuts: dict[str, list[Aligned]]) -> None:
    """Say whether enough cuts of each set are right, and whether the systems keep their order."""
    for name, of_systems in cuts.items():
        share = float(np.mean([cut.right for cut in of_systems]))
        if name in AIMS:
            target(f"{name}, {AIMS[name]} of the cuts right: {share:.3f}", share >= AIMS[name])
        in_order = sorted(of_systems, key=lambda cut: cut.gap - cut.score)  # of the true lines
        scores = [cut.score for cut in in_order]
        target(f"{name}, order of the systems unchanged", scores == sorted(scores, reverse=True))


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
    parser.add_argument(
        "--mweralign", type=int, default=0, metavar="N", help="run mweralign on N systems of a set"
    )
    arguments = parser.parse_args()
    if arguments.fit:
        for writing in FITTED:
            fit(writing)
        return
    version = mweralign_version() if arguments.mweralign else ""
    report(
        {name: measure(name, arguments.wrong, arguments.mweralign) for name in arguments.sets},
        version,
    )


if __name__ == "__main__":
    main()
