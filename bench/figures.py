"""`results/all.json` → the section "Last figures" of README.md, so that nobody copies numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from measure import HERE, RESULTS

HEADING = "## Last figures\n"


def main() -> None:
    found = json.loads((RESULTS / "all.json").read_text(encoding="utf-8"))
    by_question = {one["question"]: one for one in found["questions"]}
    path = HERE / "README.md"
    above = path.read_text(encoding="utf-8").partition(HEADING)[0]
    path.write_text(above + HEADING + "\n" + "\n".join(section(by_question)), encoding="utf-8")


def section(found: dict[str, Any]) -> Iterator[str]:
    """The lines of the section."""
    one = found["speed"]
    versions = ", ".join(f"{name} {version}" for name, version in one["versions"].items())
    machine = one["machine"]
    yield (
        f"{one['date'][:10]}; {machine['processor']}, {machine['cores']} cores;"
        f" {versions}; data: {one['data']}.\n"
    )
    yield from speed(one["figures"])
    yield from agreement(found["agreement"])
    yield from length(found["length"])
    yield from startup(found["startup"]["figures"])


def speed(figures: dict[str, Any]) -> Iterator[str]:
    one, together = "one system", "all systems together"
    rounds = figures[f"{one} / chrF"]["n"]
    yield f"**Speed**: medians of {rounds} rounds, lexicon loaded, one thread unless noted.\n"
    rows = []
    jobs = (f"{one}, 2 jobs", f"{together}, 2 jobs")
    for name in (one, together, f"{one}, references anew", *jobs, "chrF"):
        ratio = figures.get(f"{name} / chrF")
        rate = f"{figures[f'{name}, segments/s']['median']:,.0f}"
        rows.append([name, rate, spread(ratio) if ratio else "1"])
    for name in (one, together):
        ratio = figures[f"{name} / chrF, by processor time"]
        rows.append([f"{name}, by processor time", "", spread(ratio)])
    yield from table(["", "segments/s", "speed-up over chrF (range)"], rows)
    stages = {name[7:]: f["median"] for name, f in figures.items() if name.startswith("stage: ")}
    total = sum(stages.values())
    rows = [[name, f"{t:.2f}", f"{t / total:.0%}"] for name, t in stages.items()]
    yield from table(["stage, one thread", "µs/segment", "share"], rows)


def agreement(found: dict[str, Any]) -> Iterator[str]:
    figures, facts = found["figures"], found["facts"]
    different, greatest = facts["pairs that differ"], facts["greatest difference"]
    yield (
        f"**Agreement**: of {facts['pairs']:,} pairs of all systems, {different} differ by more"
        f" than 1e-9. The largest\ndifference is {greatest:.1e}.\n"
    )
    rows = [[name, f"{figures[name]['median']:.1f}"] for name in ("whole program", "reduction")]
    yield from table(["", "µs/pair, from strings to scores"], rows)
    yield f"Ratio: {spread(figures['whole program / reduction'])} over the systems.\n"
    halves, pairs = facts["halves by step"], facts["pairs by step"]
    rows = [[name, f"{halves[name]:.1%}", f"{pairs[name]:.1%}"] for name in halves]
    yield from table(["last step needed", "halves", "pairs"], rows)


def length(found: dict[str, Any]) -> Iterator[str]:
    figures, facts = found["figures"], found["facts"]
    growth = facts["cost grows as links to the power of"]
    yield f"**Length**: from 20 characters on, time ~ links^{growth:.2f}.\n"
    rows = []
    for name, figure in figures.items():
        if name.endswith(" characters"):
            cost, a_link = figure["median"], figures[f"{name}, a link"]["median"]
            rows.append(
                [name.split()[0], f"{cost:.1f}", f"{1e3 * cost / a_link:.0f}", f"{a_link:.0f}"]
            )
    yield from table(["characters", "µs/pair", "links", "ns/link"], rows)
    yield (
        "**Worst cases**: pairs of 2,000 characters per side, each in its own process. MB is the"
        " peak memory of\nthe process, MB before its peak before the pair.\n"
    )
    rows = [
        [one["name"], f"{one['seconds']:.3f}", f"{one['peak']:.0f}", f"{one['before']:.0f}"]
        for one in facts["worst pairs"]
    ]
    yield from table(["", "seconds", "MB", "MB before"], rows)
    for failure in facts["failures"]:
        yield f"**Failed**: {failure}.\n"


def startup(figures: dict[str, Any]) -> Iterator[str]:
    yield "**Start-up**: milliseconds, warm cache, in fresh processes except for the lexicon.\n"
    rows = [[name, f"{f['median']:.0f}", f"{f['min']:.0f}"] for name, f in figures.items()]
    yield from table(["", "median", "min"], rows)


def spread(figure: dict[str, Any]) -> str:
    return f"{figure['median']:.1f} ({figure['min']:.1f} to {figure['max']:.1f})"


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """In Markdown, and a blank line."""
    yield "| " + " | ".join(headings) + " |"
    yield "|---" + "|---:" * (len(headings) - 1) + "|"
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


if __name__ == "__main__":
    main()
