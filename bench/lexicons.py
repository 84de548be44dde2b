"""Which lexicon agrees best with people, for Chinese, and is the difference more than chance?

Each lexicon scores the three human-judged Chinese sets of the data folder, as agreement_people.py
scores them by other metrics. All are compared with Cilin on the same resamples of the segments. The
tables go to bench/agreement.md, between marks.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from agreement_people import DATA, PAGE, columns_of, compared, sign, tables
from measure import (
    HERE,
    Failed,
    markdown,
    number_from_command_line,
    versions,
    write,
    write_between,
)

import celab
from celab.agreement import dataset, scores
from celab.base.errors import LexiconError

RESAMPLES = 1000
SAME = 1e-9  # scores no further apart are one score
BASE = "cilin"
SETS = ("wmt24-enzh-esa", "wmt21-enzh-sys", "mlqe20-enzh-da-dev")
SHARED = HERE.parents[1] / "shared"
FILES = SHARED / "lexicons"
SINGLE: dict[str, Any] = {
    "cilin": "cilin",
    "cow": FILES / "wn-data-cmn.tab",
    "cwn": FILES / "wn-data-qcn.tab",
    "wiktionary": FILES / "wn-wikt-cmn.tab",
    "cedict": "cedict",
    "zh-core": "zh-core",
}
WHAT = {
    "none": "no lexicon",
    "cilin": "all lines of Cilin, the default",
    "cilin =": "only its lines of synonyms, marked `=`",
    "cow": "Chinese Open Wordnet, `wn-data-cmn.tab`",
    "cwn": "Chinese Wordnet, `wn-data-qcn.tab`, Traditional",
    "wiktionary": "`wn-wikt-cmn.tab`: Wiktionary's translations on wordnet's synsets",
    "cedict": "CC-CEDICT: entries that share a gloss",
    "zh-core": "our own",
}


def main() -> None:
    resamples = number_from_command_line("resamples", RESAMPLES, __doc__)
    made, skipped = opened()
    found = {}
    for name in SETS:
        if not (DATA / name).is_dir():
            print(f"{name} is not in {DATA}; left out")
            continue
        began = time.perf_counter()
        judged = dataset.read(DATA / name, None)
        scored = scores.score(made, judged.corpus)
        none, *others = scored
        for one in others:  # a synonym only adds links, and these never lower an optimum
            if (one.segments - none.segments).min() < -SAME:
                raise Failed(f"{one.name}: a score of {name} is lower than without a lexicon")
        found[name] = compared(judged, {BASE: scored}, resamples)
        print(f"{name}: {time.perf_counter() - began:.0f} s", flush=True)
    if not found:
        raise SystemExit("none of the human-judged sets is there, so there is nothing to measure")
    lines = list(section(found, made, skipped, resamples))
    print("\n".join(lines))
    write_between("lexicons", lines, PAGE)
    write("lexicons", ", ".join(found), {}, {"sets": found, "not scored": skipped})


def opened() -> tuple[dict[str, celab.TeslaCelab], dict[str, str]]:
    """The lexicons that can be had, and why the others cannot."""
    made: dict[str, celab.TeslaCelab] = {"none": celab.TeslaCelab(lexicon=None)}
    skipped: dict[str, str] = {}

    def try_one(name: str, spec: Any, **options: Any) -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # another lexicon would stand in for this one
                made[name] = celab.TeslaCelab(lexicon=spec, **options)
        except (LexiconError, UserWarning) as error:
            skipped[name] = str(error).replace(f"{SHARED.parent}/", "../")

    for name, spec in SINGLE.items():
        try_one(name, spec)
    try_one("cilin =", "cilin", cilin_lines="=")
    there = [name for name in SINGLE if name in made]
    for other in ("wiktionary", "zh-core"):
        if {BASE, other} <= set(there):
            try_one(f"{BASE} + {other}", [SINGLE[BASE], SINGLE[other]])
    try_one("all", [SINGLE[name] for name in there])
    if BASE not in made:
        raise SystemExit(f"{BASE} is not there, so there is nothing to compare with")
    return made, skipped


def section(
    found: Mapping[str, Any],
    made: Mapping[str, celab.TeslaCelab],
    skipped: Mapping[str, str],
    resamples: int,
) -> Iterator[str]:
    """The lines of the page."""
    used = versions()
    yield (
        f"{time.strftime('%Y-%m-%d')}; celab {used['celab']}, opencc {used['opencc']}; by `python"
        f" bench/lexicons.py`, {resamples:,} resamples."
    )
    yield ""
    yield (
        "TESLA-CELAB with the paper's settings and different lexicons, compared with Cilin; columns"
        " and marks are as above."
    )
    yield ""
    what = WHAT | {"all": " + ".join(name for name in SINGLE if name in made)}
    rows = [
        [name, what.get(name, ""), f"{one.engine.lexicon.n_groups if one.engine.lexicon else 0:,}"]
        for name, one in made.items()
    ]
    yield from [*markdown(["lexicon", "what it is", "groups"], rows, left=2), ""]
    for name, one in found.items():
        yield f"**{name}**"
        yield ""
        yield from tables(one, {BASE: tuple(made)})
    yield f"**{verdict(found, made)}**"
    for name, why in skipped.items():
        yield f"\nNot scored: {name}: {why}"
    yield ""


def verdict(found: Mapping[str, Any], made: Mapping[str, celab.TeslaCelab]) -> str:
    """Which lexicon should be the default: one that is better on every set in at least one figure,
    and worse in none, always significantly."""
    won = []
    for name in made:
        signs = [
            [sign(one["figures"], column, name, BASE) for column in columns_of(one)]
            for one in found.values()
        ]
        if all(max(some) > 0 and min(some) >= 0 for some in signs):
            won.append(name)
    if len(found) < len(SETS):
        return "Not all three sets are there, so nothing is decided."
    if won:
        return f"Better than Cilin on all three sets, worse in no figure: {', '.join(won)}."
    return "No lexicon is significantly better than Cilin on all three sets: Cilin is the default."


if __name__ == "__main__":
    main()
