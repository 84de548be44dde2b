"""How fast are other solvers on the metric's whole programs? Measured by `celab bench`.

On real pairs, on generated ones, with growing lengths, and on generated pairs that are dense and
repetitive. Solvers that are not installed are left out; the extra `solvers` brings them.
"""

from __future__ import annotations

import subprocess
import sys

from data import FOLDER
from measure import Failed, say, write

REAL = "--pairs 200 --rounds 5 ref-A.txt hyp/*.txt"
COMMANDS = (REAL, "--growth", "--pairs 50 --density 0.9 --repetition 0.5")
# Tables that other questions have, and the signature.
LEFT_OUT = ("| whole program", "| last step", "| stage", "celab")


def main() -> None:
    say("[docs/settings.md](../docs/settings.md#benchmarking-solvers) explains the columns.")
    for words in COMMANDS:
        if words == REAL and not FOLDER.is_dir():
            print(f"{FOLDER} is not there; real pairs are left out")
            continue
        arguments = [path for word in words.split() for path in sorted(FOLDER.glob(word)) or [word]]
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "celab",
                "bench",
                "--quiet",
                "--markdown",
                *(str(word).removeprefix(f"{FOLDER}/") for word in arguments),
            ],
            stdout=subprocess.PIPE,
            text=True,
            cwd=FOLDER if words == REAL else None,
        )
        if done.returncode:
            raise Failed(f"celab bench {words}: a solver does not agree with the reduction")
        say(f"`celab bench {words}`")
        for block in done.stdout.split("\n\n"):
            if not block.startswith(LEFT_OUT):
                say(block)
    write("solvers", "wmt21-enzh-sys and generated text", {}, {})


if __name__ == "__main__":
    main()
