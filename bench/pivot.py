"""How long does a pivot table of 100,000 sentence pairs take, and how fast is TESLA-B?

The pairs are Tatoeba's of `../shared/data/bitext` (CC BY 2.0 FR, not part of this repository), five
times, by characters, each aligned along the diagonal. Then TESLA-B by a table of CC-CEDICT, against
sacreBLEU's sentence chrF, on the first system that `data.py` finds: analyzed words in, segment
scores out, one thread, as `words.py` measures TESLA-M; chrF starts from strings. Times of TESLA-B
and chrF are of the processor.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from data import FOLDER, load
from measure import in_turns, number_from_command_line, peak_memory, summary, table, target, write
from sacrebleu.metrics import CHRF

import celab

ROUNDS = 5
PAIRS = 100_000
SECONDS = 20
SEGMENTS = 200
BITEXT = FOLDER.parent / "bitext"


def main() -> None:
    rounds = number_from_command_line("rounds", ROUNDS, __doc__)
    figures = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if BITEXT.is_dir():
            figures |= extraction(folder)
        else:
            print(f"{BITEXT} is not there; extraction is not measured")
        figures |= speed(folder, rounds)
    write("pivot", "Tatoeba and WMT24 en-zh in ../shared/data", figures, {})


def extraction(folder: Path) -> dict[str, object]:
    sides = [
        (BITEXT / f"tatoeba.{lang}").read_text("utf-8").split("\n")[:-1] for lang in ("zh", "en")
    ]
    rows = list(zip(*sides, strict=True)) * 5
    rows = [(" ".join(zh.replace(" ", "")), " ".join(en.split())) for zh, en in rows[:PAIRS]]
    with (
        (folder / "x").open("w") as x,
        (folder / "y").open("w") as y,
        (folder / "a").open("w") as a,
    ):
        for zh, en in rows:
            n, m = len(zh.split()), len(en.split())
            links = (f"{i}-{i * m // n}" for i in range(n)) if m else ()
            x.write(f"{zh}\n"), y.write(f"{en}\n"), a.write(" ".join(links) + "\n")
    paths = [folder / "x", folder / "y"]
    began = time.perf_counter()
    built = celab.pivot.build(paths, folder / "t.pivot", lang="zh", alignment=folder / "a")
    seconds = time.perf_counter() - began
    most = peak_memory()
    print(f"{len(rows):,} pairs: {len(built):,} phrases, {seconds:.1f} s, at most {most:.0f} MB\n")
    target(f"at most {SECONDS} s: {seconds:.1f}", seconds <= SECONDS)
    return {"100,000 sentence pairs": summary([seconds], "s"), "memory": summary([most], "MB")}


def speed(folder: Path, rounds: int) -> dict[str, object]:
    try:
        celab.pivot.build("cedict", folder / "c.pivot", lang="zh", pivot_lang="en")
    except celab.LexiconError as error:
        print(f"TESLA-B is not measured: {error}")
        return {}
    data = load()
    refs, hyps = data.refs[:SEGMENTS], next(iter(data.systems.values()))[:SEGMENTS]
    metric, chrf = celab.TeslaB(lang="zh", pivots=folder / "c.pivot"), CHRF()
    metric.corpus_score(hyps, [refs])  # so that the words are analyzed
    cpu: dict[str, list[float]] = {}
    in_turns(
        {
            "TESLA-B": lambda _: metric.corpus_score(hyps, [refs]),
            "chrF": lambda _: [
                chrf.sentence_score(hyp, [ref]) for hyp, ref in zip(hyps, refs, strict=True)
            ],
        },
        rounds,
        cpu,
    )
    rates = {name: [len(refs) / t for t in times] for name, times in cpu.items()}
    ratios = [a / b for a, b in zip(rates["TESLA-B"], rates["chrF"], strict=True)]
    table(
        ["", "segments/s"],
        [[name, f"{statistics.median(rate):,.0f}"] for name, rate in rates.items()],
    )
    ratio = statistics.median(ratios)
    target(f"at least half of chrF: {ratio:.2f}", ratio >= 0.5)
    found = {f"{name}, segments/s": summary(rate, "1/s") for name, rate in rates.items()}
    return found | {"TESLA-B / chrF": summary(ratios, "ratio")}


if __name__ == "__main__":
    main()
