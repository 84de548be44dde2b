"""How much longer does CER take than a loop over RapidFuzz's edit distance?

100,000 made-up segments of some 20 characters that need no normalization: a loop over
`Levenshtein.distance`, the same distances from `celab.Cer`, with counts of each kind of edit, and
jiwer's CER if it is installed. Then as commands, from files to a number: a script that reads and
loops, and `celab score -m cer` as it is, without checks, and without the interval, too. All rates
must be equal.
"""

from __future__ import annotations

import importlib.util
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from checks import children_seconds, write_lines
from measure import (
    Failed,
    in_turns,
    number_from_command_line,
    say,
    spread,
    summary,
    table,
    target,
    write,
)
from rapidfuzz.distance import Levenshtein

import celab

ROUNDS = 5
N_SEGMENTS, LENGTH, SEED = 100_000, 20, 20121
CHARACTERS = [chr(code) for code in range(0x3041, 0x3097)]  # in no other script or width
MOST_OF_LOOP, MOST_OF_SCRIPT = 1.5, 8.0
LOOP, SCRIPT = "loop over RapidFuzz", "script that reads and loops"
CODE = """
import sys
from rapidfuzz.distance import Levenshtein
ref, hyp = (open(path, encoding="utf-8").read().splitlines() for path in sys.argv[1:])
edits = sum(Levenshtein.distance(h, r) for h, r in zip(hyp, ref, strict=True))
print(f"{100 * edits / sum(map(len, ref)):.2f}")
"""


def main() -> None:
    rounds = number_from_command_line("rounds", ROUNDS, __doc__)
    hyps, refs = made_up()
    seconds = measure_library(hyps, refs, rounds) | measure_commands(hyps, refs, rounds)
    say(
        f"Medians of {rounds} rounds, processor time, {N_SEGMENTS:,} segments of {LENGTH}"
        " characters; the ratio is to the loop, and of a command to the script."
    )
    ratios = {}
    for name, values in seconds.items():
        base = seconds[SCRIPT if name.startswith(("celab score", SCRIPT)) else LOOP]
        ratios[name] = [a / b for a, b in zip(values, base, strict=True)]
    rows = [
        [name, *spread(values), f"{statistics.median(ratios[name]):.1f}"]
        for name, values in seconds.items()
    ]
    table(["", "seconds", "lowest", "highest", "ratio"], rows)
    of_loop, of_script = (statistics.median(ratios[n]) for n in ("celab.Cer", "celab score"))
    target(
        f"`celab.Cer` takes at most 1.5 times as long as the loop: {of_loop:.1f}",
        of_loop <= MOST_OF_LOOP,
    )
    target(
        f"`celab score -m cer` takes at most 8 times as long as the script: {of_script:.1f}",
        of_script <= MOST_OF_SCRIPT,
    )
    figures = {f"{name}, s": summary(values, "s") for name, values in seconds.items()}
    figures |= {f"{name}, ratio": summary(values, "ratio") for name, values in ratios.items()}
    write("characters", f"made up, seed {SEED}", figures, {"segments": N_SEGMENTS})


def made_up() -> tuple[list[str], list[str]]:
    """Return outputs and references; an output has up to three edits."""
    draw = random.Random(SEED)
    hyps, refs = [], []
    for _ in range(N_SEGMENTS):
        ref = draw.choices(CHARACTERS, k=LENGTH)
        hyp = list(ref)
        for _ in range(draw.randint(0, 3)):
            at = draw.randrange(len(hyp))
            hyp[at : at + draw.randint(0, 1)] = draw.choices(CHARACTERS, k=draw.randint(0, 1))
        hyps.append("".join(hyp))
        refs.append("".join(ref))
    return hyps, refs


def measure_library(hyps: list[str], refs: list[str], rounds: int) -> dict[str, list[float]]:
    """Return seconds of the loop, of `celab.Cer` and of jiwer."""
    n_characters = sum(map(len, refs))
    metric = celab.Cer(lang="ja")
    rates: dict[str, float] = {}

    def loop(_: int) -> None:
        edits = sum(Levenshtein.distance(h, r) for h, r in zip(hyps, refs, strict=True))
        rates[LOOP] = 100 * edits / n_characters

    def count(_: int) -> None:
        rates["celab.Cer"] = metric.corpus_score(hyps, [refs]).score

    things: dict[str, Callable[[int], object]] = {LOOP: loop, "celab.Cer": count}
    if importlib.util.find_spec("jiwer"):
        import jiwer

        def of_jiwer(_: int) -> None:
            rates["jiwer.cer"] = 100 * jiwer.cer(refs, hyps)

        things["jiwer.cer"] = of_jiwer
    cpu: dict[str, list[float]] = {}
    in_turns(things, rounds, cpu)
    if len({round(rate, 9) for rate in rates.values()}) != 1:
        raise Failed(f"the rates differ: {rates}")
    return cpu


def measure_commands(hyps: list[str], refs: list[str], rounds: int) -> dict[str, list[float]]:
    """Return seconds of commands, from start to end."""
    command = [sys.executable, "-m", "celab", "score", "-q", "-b", "-m", "cer", "--lang", "ja"]
    usual = [word for word in command if word != "-b"]
    files = ["ref", "hyp"]
    things = {
        SCRIPT: [sys.executable, "-c", CODE, *files],
        "celab score": [*usual, *files],
        "celab score, without checks": [*usual, "--no-check", *files],
        "celab score, without checks and interval": [*command, "--no-check", *files],
    }
    seconds: dict[str, list[float]] = {name: [] for name in things}
    with tempfile.TemporaryDirectory() as place:
        write_lines(Path(place, "ref"), refs)
        write_lines(Path(place, "hyp"), hyps)
        expected = ""
        for _ in range(rounds):
            for name, words in things.items():
                began = children_seconds()
                done = subprocess.run(
                    words, cwd=place, check=True, capture_output=True, encoding="utf-8"
                )
                seconds[name].append(children_seconds() - began)
                expected = expected or done.stdout.strip()
                if expected not in done.stdout:
                    raise Failed(f"{name} prints {done.stdout!r}, not {expected}")
    return seconds


if __name__ == "__main__":
    main()
