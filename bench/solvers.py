"""How fast are other solvers on the metric's whole programs? By `celab-bench`, in Markdown.

On real pairs, on generated ones, with growing lengths, and on generated pairs that are dense and
repetitive. Solvers that are not installed are left out; the extra `solvers` brings them.
"""

from __future__ import annotations

import subprocess
import sys

from data import FOLDER
from measure import Failed, say, write

REF, HYPS = FOLDER / "ref-A.txt", sorted((FOLDER / "hyp").glob("*.txt"))
COMMANDS = {
    "WMT21 English-Chinese": ["--pairs", "200", "--rounds", "5", REF, *HYPS],
    "Generated text, and growth with the length": ["--growth"],
    "Generated text, dense and repetitive": [
        "--pairs", "50", "--density", "0.9", "--repetition", "0.5",
    ],
}  # fmt: skip


def main() -> None:
    say("[docs/celab-bench.md](../docs/celab-bench.md) explains the columns.")
    for title, words in COMMANDS.items():
        if REF in words and not REF.is_file():
            print(f"{FOLDER} is not there; {title} is left out")
            continue
        shown = [word for word in words if isinstance(word, str)]
        say(f"### {title}")
        say(f"`celab-bench {' '.join([*shown, *(['REF HYP...'] if REF in words else [])])}`")
        command = [sys.executable, "-m", "celab.cli.bench", "--quiet", "--markdown"]
        done = subprocess.run([*command, *map(str, words)], stdout=subprocess.PIPE, text=True)
        if done.returncode:
            raise Failed(f"{title}: a solver does not agree with the reduction")
        say(done.stdout)
    write("solvers", "wmt21-enzh-sys and generated text", {}, {})


if __name__ == "__main__":
    main()
