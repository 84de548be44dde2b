"""How long does the report take, how large is it, and how fast does it open in a browser?

    12 systems × 634 segments (wmt24-enzh-esa) by four metrics
    29 systems × 1,002 segments (wmt21-enzh-sys) by two
    `celab lexicon suggest` on 12 × 634

Each command runs in its own process, with two jobs; its seconds are processor time, of all its
processes, scoring included. The page is then opened in the machine's Chromium, if there is one: the
first paint after a cold start, how long it takes from the URL that opens a segment until
its texts are drawn, and the longest task while the list is filtered, searched and sorted.
"""

from __future__ import annotations

import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from data import data_folder
from measure import HERE, Failed, number_from_command_line, say, summary, table, target, write

import celab

sys.path.insert(0, str(HERE.parent / "tests"))
ROUNDS = 3
OPENED = 20  # segments
AIMS = {"12 × 634": (18.0, 5.0), "29 × 1,002": (18.0, 8.0)}  # seconds, MB
SUGGESTED = 60.0  # seconds
FIRST_PAINT, OPENING, FILTERING = 300.0, 100.0, 200.0  # milliseconds


def main() -> None:
    rounds = number_from_command_line("rounds", ROUNDS, __doc__)
    small, large = (data_folder() / name for name in ("wmt24-enzh-esa", "wmt21-enzh-sys"))
    if not (small.is_dir() and large.is_dir()):
        say(f"Not measured: {small.name} or {large.name} is not in the data folder.")
        return
    tasks = {
        "12 × 634": (small, ["-m", "celab", "celab-recommended", "chrf", "bleu"]),
        "29 × 1,002": (large, ["-m", "celab", "chrf"]),
    }
    figures: dict[str, Any] = {}
    rows, aims, painted = [], [], []
    with tempfile.TemporaryDirectory(prefix="celab-bench-") as name:
        for what, (folder, flags) in tasks.items():
            page = Path(name, f"{folder.name}.html")
            seconds = [
                run(["score", *files(folder), *flags, "--html", str(page)]) for _ in range(rounds)
            ]
            check(folder, page)
            size = page.stat().st_size / 2**20
            figures[f"{what}, seconds"] = summary(seconds, "s")
            figures[f"{what}, size"] = summary([size], "MB")
            limit, most = AIMS[what]
            median = statistics.median(seconds)
            aims.append((f"{what} within {limit:.0f} s: {median:.1f} s", median <= limit))
            aims.append((f"{what} within {most:.0f} MB: {size:.1f} MB", size <= most))
            rows.append(
                [what, f"{median:.1f}", f"{min(seconds):.1f}–{max(seconds):.1f}", f"{size:.1f}"]
            )
            painted.append((what, page.as_uri()))
        table_path = Path(name, "suggested.tsv")
        seconds = [
            run(["lexicon", "suggest", *files(small), "--overwrite", "-o", str(table_path)])
            for _ in range(rounds)
        ]
        check_suggestions(table_path)
        figures["suggestions, seconds"] = summary(seconds, "s")
        median = statistics.median(seconds)
        rows.append(
            [
                "`lexicon suggest`, 12 × 634",
                f"{median:.1f}",
                f"{min(seconds):.1f}–{max(seconds):.1f}",
                "",
            ]
        )
        aims.append((f"suggestions within {SUGGESTED:.0f} s: {median:.1f} s", median <= SUGGESTED))
        say(f"Commands with two jobs, {rounds} runs each, their start included.")
        table(["", "seconds", "range", "MB"], rows)
        aims += in_browser(painted, figures)
    for aim in aims:
        target(*aim)
    write("report", f"{small.name}, {large.name}", figures, {})


def files(folder: Path) -> list[str]:
    """Return the flags that name the texts of a set."""
    return ["-r", str(folder / "ref-A.txt"), "-s", str(folder / "hyp")]


def run(arguments: list[str]) -> float:
    """Return the processor seconds of a command and of the processes that it starts."""
    began = processor_seconds()
    jobs = ["--jobs", "2"]
    done = subprocess.run(
        [sys.executable, "-m", "celab", *arguments, *jobs, "-q"],
        env=os.environ | {"PYTHONPATH": str(HERE.parent)},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise Failed(done.stderr.strip())
    return processor_seconds() - began


def processor_seconds() -> float:
    """Return the processor time of all processes that this one has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def texts(folder: Path) -> tuple[dict[str, list[str]], list[str]]:
    """Return the systems and the reference of a set."""
    read = lambda path: path.read_text("utf-8").splitlines()  # noqa: E731
    return {path.stem: read(path) for path in sorted((folder / "hyp").iterdir())}, read(
        folder / "ref-A.txt"
    )


def check(folder: Path, page: Path) -> None:
    """The page has the score of every system."""
    systems, refs = texts(folder)
    content = page.read_text("utf-8")
    for name, score in celab.TeslaCelab(jobs=2).corpus_scores(systems, [refs]).items():
        if f"{score.score:.4f}" not in content:
            raise Failed(f"{page.name} does not have the score of {name}, {score.score:.4f}")


def check_suggestions(path: Path) -> None:
    """The best pair has its gain on a lexicon that has it."""
    line = next(line for line in path.read_text("utf-8").splitlines() if not line.startswith("#"))
    gain = float(re.search(r"gain (\d\.\d+)", line)[1])  # type: ignore[index]
    own = path.with_name("first.tsv")
    own.write_text(f"{line}\n", "utf-8")
    systems, refs = texts(data_folder() / "wmt24-enzh-esa")
    means = []
    for lexicon in ("cilin", ["cilin", own]):
        scores = celab.TeslaCelab(lexicon=lexicon, jobs=2).corpus_scores(systems, [refs])
        means.append(statistics.fmean(score.score for score in scores.values()))
    if abs(means[1] - means[0] - gain) > 1e-6:
        raise Failed(f"{line}: the gain is {means[1] - means[0]:.6f}")


def in_browser(pages: list[tuple[str, str]], figures: dict[str, Any]) -> list[tuple[str, bool]]:
    """Measure first paint and opening of segments."""
    import chromium

    if chromium.found() is None:
        say("No Chromium is here, so the page was not opened.")
        return []
    aims = []
    browser = chromium.Chromium()
    version = browser.version
    rows = []
    for what, address in pages:
        page = browser.open(address, moving=True)
        page.until("performance.getEntriesByName('first-contentful-paint').length > 0")
        paint = page.run("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        opened = [page.run(OPEN.format(k)) for k in range(OPENED)]
        longest = page.run(FILTER)
        page.close()
        figures[f"{what}, first paint"] = summary([paint], "ms")
        figures[f"{what}, opening a segment"] = summary(opened, "ms")
        figures[f"{what}, longest task while filtering"] = summary([longest], "ms")
        median = statistics.median(opened)
        range_of_opening = f"{min(opened):.0f}–{max(opened):.0f}"
        rows.append([what, f"{paint:.0f}", f"{median:.0f}", range_of_opening, f"{longest:.0f}"])
        aims.append(
            (f"{what}: first paint within {FIRST_PAINT:.0f} ms: {paint:.0f}", paint <= FIRST_PAINT)
        )
        aims.append(
            (f"{what}: a segment opens within {OPENING:.0f} ms: {median:.0f}", median <= OPENING)
        )
        aims.append(
            (f"{what}: no task over {FILTERING:.0f} ms: {longest:.0f}", longest <= FILTERING)
        )
    browser.close()
    say(
        f"celab {celab.__version__} in Chromium {version}: milliseconds to the first paint, to open"
        f" one of {OPENED} segments, and of the longest task while the list is filtered."
    )
    table(["", "first paint", "opening", "range", "filtering"], rows)
    return aims


# Opens a segment by its state in the URL, and waits until its alignment is laid out and painted.
OPEN = """new Promise((done) => {{
  const segment = 1 + {0} * 23;
  const {{ systems }} = JSON.parse(document.getElementById("data").textContent);
  const system = systems[{0} % systems.length];
  const began = performance.now();
  location.hash = new URLSearchParams({{ segment, system }}).toString();
  const wait = () => {{
    const heading = document.getElementById("segment-heading")?.textContent ?? "";
    const drawn = document.querySelector("#segment .against, #segment .aligned");
    if (heading.startsWith(`Segment ${{segment}}`) && drawn && drawn.getBoundingClientRect().height)
      requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
    else setTimeout(wait, 1);
  }};
  wait();
}})"""

# Filters, searches and sorts the list, and returns the milliseconds of the longest task.
FILTER = """(async () => {
  const tasks = [0];
  const observer = new PerformanceObserver((entries) => {
    for (const entry of entries.getEntries()) tasks.push(entry.duration);
  });
  observer.observe({ type: "longtask" });
  const { systems } = JSON.parse(document.getElementById("data").textContent);
  const views = [
    {}, { search: "的" }, { search: "公司" }, { search: "不在任何地方" }, { sort: "score" },
    { min: "0.2", max: "0.4" }, { a: systems[0], b: systems[1] },
    { a: systems[0], b: systems[1], search: "的", sort: "apart", order: "descending" },
    { metric: "chrf" }, { metric: "chrf", sort: "score", order: "descending" }, {},
  ];
  for (const view of views) {
    location.hash = new URLSearchParams(view).toString();
    await new Promise((done) => setTimeout(done, 400));
  }
  observer.disconnect();
  return Math.max(...tasks);
})()"""


if __name__ == "__main__":
    main()
