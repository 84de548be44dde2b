"""Tries the laws on random metrics and texts: `python tests/properties/run.py --minutes 30`.

Laws take turns, a few cases each, with a seed for each round. Prints how many laws were tried, and
stops at the first that is broken, with the smallest case that breaks it and the command that finds
it again. Exit code 1 then.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import traceback
import warnings
import zlib
from collections.abc import Sequence
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--rounds", type=int, help="number of rounds (default: until time is up)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first round")
    parser.add_argument("--examples", type=int, default=10, help="cases of a law in a round")
    parser.add_argument("--metric", action="append", help="only this metric; may be repeated")
    parser.add_argument("--law", action="append", help="only this law; may be repeated")
    parser.add_argument("--fast", action="store_true", help="no analyzer that takes long to load")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="celab-lexicons-") as folder:
        os.environ["CELAB_LEXICONS"] = folder
        warnings.simplefilter("ignore")
        return drive(arguments)


def drive(arguments: argparse.Namespace) -> int:
    """Rounds of all laws until the time is over or a law is broken."""
    from properties.laws import LAWS, TRIED

    pairs = [
        (kind, law)
        for law in LAWS.values()
        for kind in law.kinds
        if kind in (arguments.metric or law.kinds) and law.name in (arguments.law or LAWS)
    ]
    start = told = time.monotonic()
    end = start + 60 * arguments.minutes
    seed = arguments.seed
    while arguments.rounds is None or seed < arguments.seed + arguments.rounds:
        # In another order each time: a short run does not come to the end of a round.
        for kind, law in Random(seed).sample(pairs, len(pairs)):
            if time.monotonic() > end:
                break
            slow = bool(seed % 2) and not arguments.fast  # every other round
            error = tried(kind, law.name, seed, arguments.examples, slow)
            if error is not None:
                report(TRIED, seed, time.monotonic() - start)
                print(f"\nBROKEN by {kind}: {law.name}\n")
                print("".join(traceback.format_exception(error)))
                again = [f"--metric {kind}", f"--law '{law.name}'", f"--seed {seed}", "--rounds 1"]
                again += [f"--examples {arguments.examples}", *["--fast"] * arguments.fast]
                print(f"python tests/properties/run.py {' '.join(again)}", flush=True)
                return 1
            if time.monotonic() - told > 60:
                told = time.monotonic()
                report(TRIED, seed, told - start)
        if time.monotonic() > end:
            break
        seed += 1
    report(TRIED, seed, time.monotonic() - start, LAWS)
    return 0


def tried(kind: str, name: str, seed: int, examples: int, slow: bool) -> BaseException | None:
    """The error of a law that does not hold, with the smallest case that hypothesis finds."""
    import hypothesis

    from properties.draw import cases
    from properties.laws import LAWS

    law = LAWS[name]

    @hypothesis.seed(zlib.crc32(f"{kind}: {name}: {seed}".encode()))  # laws see different cases
    @hypothesis.settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(
        cases(kind, slow=slow, independent=law.independent, longest=law.longest, varied=law.varied),
    )
    def check(case: object) -> None:
        law(case)

    try:
        check()
    except Exception as error:
        return error
    return None


def report(tried: dict[str, int], seed: int, seconds: float, laws: Sequence[str] = ()) -> None:
    """One line with what was tried, and one for each of some laws."""
    total = sum(n for name, n in tried.items() if name != "comparisons")
    print(
        f"{seconds / 60:5.1f} min, seed {seed}: {total} laws tried,"
        f" {tried['comparisons']} numbers compared",
        flush=True,
    )
    for name in laws:
        print(f"{tried[name]:10} {name}")


if __name__ == "__main__":
    sys.path[0] = str(ROOT / "tests")
    sys.path.insert(1, str(ROOT))
    sys.exit(main())
