"""Runs questions, one after another, and makes the figures of README.md from their results.

    python bench/run.py                     all but the long ones
    python bench/run.py --only speed mbr    some
    python bench/run.py --only              none; the page from the results that are there

Exit code 1 if an answer was wrong; the page then stays as it was. A missed aim is reported, but is
no error: times are noisy.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

from measure import HERE, RESULTS

TITLES = {  # in the order of the page
    "speed": "Speed",
    "command": "Whole commands",
    "systems": "Number of systems",
    "checks": "Checks of outputs",
    "characters": "Error rates by characters",
    "length": "Length of the segments, and worst cases",
    "threads": "Threads",
    "growth": "Growth",
    "mbr": "Pairwise matrices",
    "memory": "Memory of large tasks",
    "explain": "Explanations",
    "report": "Report and suggestions",
    "board": "Boards",
    "words": "TESLA-M",
    "significance": "Significance tests",
    "false_positives": "False positives",
    "agreement": "Reduction and whole program",
    "nist": "Data of the size of NIST 2008",
    "terms": "Terms",
    "startup": "Start-up",
    "align": "Aligned lines",
    "solvers": "Solvers",
    "cluster": "A local Dask cluster",
}
LONG = ("align", "solvers", "cluster")
MARK = "<!-- figures: all below is written by run.py -->\n"
AIM = re.compile(r"- (Met|\*\*Missed\*\*): ")
GROWTH = "Time and memory over segments, systems, characters and references, with their exponents"
PICTURE = "Segments per second over the length of segments and over the number of systems"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "--only",
        nargs="*",
        choices=TITLES,
        metavar="QUESTION",
        help=f"some of: {', '.join(TITLES)}",
    )
    chosen = parser.parse_args().only
    began, wrong = time.monotonic(), []
    for question in [name for name in TITLES if name not in LONG] if chosen is None else chosen:
        print(f"\n──── {question} ────\n", flush=True)
        if subprocess.run([sys.executable, str(HERE / f"{question}.py")]).returncode:
            wrong.append(question)
    if wrong:
        print(f"FAILED, so README.md is left as it was: {', '.join(wrong)}", file=sys.stderr)
        return 1
    path = HERE / "README.md"
    above = path.read_text(encoding="utf-8").partition(MARK)[0]
    path.write_text(above + MARK + tidied("\n".join(page())), encoding="utf-8")
    if importlib.util.find_spec("matplotlib"):
        script = HERE.parent / "docs" / "make_pictures.py"
        subprocess.run([sys.executable, str(script), "speed", "scaling", "growth"], check=True)
    else:
        print("matplotlib is not installed (extra plot), so the plots are not drawn")
    print(f"\nfigures in bench/README.md, after {time.monotonic() - began:.0f} s")
    return 0


def page() -> Iterator[str]:
    """Yield the data and the machine, the plot, and a section for each question."""
    paths = {name: RESULTS / f"{name}.json" for name in TITLES}
    found = {
        name: json.loads(path.read_text(encoding="utf-8"))
        for name, path in paths.items()
        if path.is_file()
    }
    yield "\n## Figures\n"
    made: dict[str, list[str]] = {}
    for name, one in found.items():
        made.setdefault(made_with(one), []).append(TITLES[name])
    for what, titles in made.items():
        yield f"{what}.\n" if len(made) == 1 else f"- {what}: {'; '.join(titles)}."
    aims = [line for one in found.values() for line in one["page"].split("\n") if AIM.match(line)]
    missed = ["- " + line.partition("**Missed**: ")[2] for line in aims if "**" in line]
    minutes = sum(one["seconds"] for name, one in found.items() if name not in LONG) / 60
    yield f"\n`make bench` takes {minutes:.0f} minutes. Of {len(aims)} aims, these are missed:\n"
    yield "\n".join(missed or ["none"])
    yield f"\n![{PICTURE}](../docs/pictures/plot-scaling.svg)\n"
    yield "Numbers: times as fast as chrF. Bands: the lowest to the highest round."
    if "growth" in found:
        yield f"\n![{GROWTH}](../docs/pictures/plot-growth.svg)\n"
    for name, one in found.items():
        yield f"\n## {TITLES[name]}\n"
        yield (
            f"`{one['command']}`, {one['date'][:10]}, commit {one['commit']}, {one['seconds']:.0f}"
            f" s; data: {one['data']}.\n"
        )
        yield one["page"] + "\n"


def made_with(found: dict[str, Any]) -> str:
    """The machine and the versions."""
    machine = found["machine"]
    packages = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    processor = machine["processor"] or "processor not named by the system"
    return f"{processor}, {machine['cores']} cores; {packages}"


def tidied(text: str) -> str:
    """One blank line at most."""
    return re.sub(r"\n{3,}", "\n\n", text).rstrip("\n") + "\n"


if __name__ == "__main__":
    sys.exit(main())
