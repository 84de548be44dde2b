"""How do two result files, or folders of them, differ: `compare.py old new`.

Prints new / old of every median that both have. Times depend on what else the machine did: trust
a ratio only if it is repeated, and compare ratios that were taken within one run.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from measure import table


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    arguments = parser.parse_args()
    old, new = figures_of(arguments.old), figures_of(arguments.new)
    both = [name for name in old if name in new]
    table(
        ["", "unit", "old", "new", "new / old", "of the best"],
        [
            [
                name,
                old[name]["unit"],
                *(f"{x[name]['median']:.4g}" for x in (old, new)),
                ratio(new[name]["median"], old[name]["median"]),
                ratio(best(new[name]), best(old[name])),
            ]
            for name in both
        ],
    )
    for path, here, there in ((arguments.old, old, new), (arguments.new, new, old)):
        asked = {name.partition(":")[0] for name in there}
        alone = [name for name in here if name not in there and name.partition(":")[0] in asked]
        if alone:
            print(f"only in {path}: {'; '.join(alone)}")


def figures_of(path: Path) -> dict[str, Any]:
    """The figures of one question, or of all in a folder."""
    paths = sorted(path.glob("*.json")) if path.is_dir() else [path]
    found = [json.loads(one.read_text(encoding="utf-8")) for one in paths]
    return {
        f"{one['question']}: {name}": figure
        for one in found
        if "question" in one
        for name, figure in one["figures"].items()
    }


def best(figure: dict[str, Any]) -> float:
    """The least time, but the greatest rate."""
    return float(figure["max" if figure["unit"] in ("1/s", "ratio") else "min"])


def ratio(new: float, old: float) -> str:
    return f"{new / old:.3f}" if old else "-"


if __name__ == "__main__":
    main()
