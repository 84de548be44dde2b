"""How long does `celab terms` take with a glossary of 10,000 terms?

The glossary is drawn from the sources and references of one test set, and used on another: phrases
of one to three English words, each with one or two pieces of the Chinese sentence. Most are wrong
renderings, so that there are more misses than a real glossary has. The command is a process of its
own, with words that are analyzed anew (`CELAB_REMEMBER=0`) and without explanations.
"""

from __future__ import annotations

import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

from data import data_folder
from measure import Failed, number_from_command_line, say, spread, summary, table, target, write

ROUNDS, N_TERMS = 3, 10_000
DRAWN, CHECKED = "wmt21-enzh-sys", "wmt24-enzh-esa"
AIM = 5.0  # seconds
_WORD = re.compile("[A-Za-z][A-Za-z'-]+")
_HAN = re.compile("[\u4e00-\u9fff]{2,}")
SHORTEST = 4  # letters of the first and the last word of a term


def main() -> None:
    rounds = number_from_command_line("rounds", ROUNDS, __doc__)
    seconds: dict[str, list[float]] = {"table": [], "JSON": []}
    printed: dict[str, set[bytes]] = {"table": set(), "JSON": set()}
    with tempfile.TemporaryDirectory() as folder:
        glossary = Path(folder, "glossary.tsv")
        lines = [f"{source}\t{'|'.join(targets)}\n" for source, targets in terms().items()]
        glossary.write_text("source\ttarget\n" + "".join(lines), encoding="utf-8")
        for _, (name, words) in product(range(rounds), (("table", ()), ("JSON", ("--json",)))):
            output, time = run(glossary, *words)
            seconds[name].append(time)
            printed[name].add(output)
    if any(len(outputs) > 1 for outputs in printed.values()):
        raise Failed("rounds have printed different figures")
    found = json.loads(printed["JSON"].pop())
    n_occurrences = found["systems"][0]["occurrences"]
    say(
        f"{N_TERMS:,} terms, {n_occurrences:,} occurrences in the source, {len(found['systems'])}"
        f" systems; seconds of processor time, {rounds} rounds."
    )
    table(["", "median", "lowest", "highest"], [[name, *spread(seconds[name])] for name in seconds])
    lowest = min(seconds["table"])
    target(f"{N_TERMS:,} terms in {AIM:g} s: {lowest:.2f}", lowest <= AIM)
    figures = {f"celab terms, {name}": summary(values, "s") for name, values in seconds.items()}
    write("terms", f"{CHECKED}, terms of {DRAWN}", figures, {"occurrences": n_occurrences})


def lines_of(name: str, file: str) -> list[str]:
    return (data_folder() / name / file).read_text(encoding="utf-8").split("\n")[:-1]


def terms() -> dict[str, list[str]]:
    """Return targets by source term, drawn with a seed."""
    draw = random.Random(N_TERMS)
    targets: dict[str, set[str]] = {}
    pairs = zip(lines_of(DRAWN, "src.txt"), lines_of(DRAWN, "ref-A.txt"), strict=True)
    for source, reference in pairs:
        words, pieces = _WORD.findall(source), _HAN.findall(reference)
        for length, start in product((1, 2, 3), range(len(words))):
            phrase = words[start : start + length]
            is_long = min(len(phrase[0]), len(phrase[-1])) >= SHORTEST
            if pieces and len(phrase) == length and is_long:
                piece, size = draw.choice(pieces), draw.randint(2, 4)
                at = draw.randrange(max(1, len(piece) - size + 1))
                targets.setdefault(" ".join(phrase).lower(), set()).add(piece[at : at + size])
    chosen = sorted(targets)
    draw.shuffle(chosen)
    return {source: sorted(targets[source])[:2] for source in chosen[:N_TERMS]}


def run(glossary: Path, *words: str) -> tuple[bytes, float]:
    """Return what the command prints, and its seconds of processor time."""
    folder = data_folder() / CHECKED
    systems = sorted(map(str, (folder / "hyp").glob("*.txt")))
    command = [sys.executable, "-m", "celab", "terms", str(glossary), "--quiet"]
    command += ["--source", str(folder / "src.txt"), "-r", str(folder / "ref-A.txt"), *words]
    environment = os.environ | {"CELAB_REMEMBER": "0"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [*command, "-s", *systems], capture_output=True, check=True, env=environment
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
