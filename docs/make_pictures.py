"""Draw the plots in docs/*.md; `make docs` runs it. It needs the extra `plot`.

    python docs/make_pictures.py [NAME...]    such as speed; default: all

The texts are those of examples/; the figures are read from bench/results and bench/agreement.md.
A plot whose figures are not there is left as it is.
"""

import json
import re
import sys
from pathlib import Path

import celab
from celab.report.plots import saved
from celab.tables.palette import ACCENT, MATCHES, SOFT

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
WIDTH = 4.8  # inches: readable on a phone without zooming
METRICS = ("TESLA-CELAB, recommended", "TESLA-CELAB, paper", "chrF", "BLEU")


def axes(height: float, n: int = 1):
    """Axes below each other."""
    from matplotlib import pyplot

    return pyplot.subplots(n, 1, figsize=(WIDTH, height), layout="constrained")[1]


def alignment():
    """Draw the example of the paper: synonyms of different lengths, without word segmentation."""
    explained = celab.TeslaCelab().explain("他买伞", "买雨伞")
    return explained.plot(axes(1.6))


def systems():
    """Scores of four systems with intervals."""
    judged = ROOT / "examples" / "judged"
    campaign = celab.Campaign.read([judged / "ref-A.txt"], sorted((judged / "hyp").glob("*.txt")))
    return campaign.score("celab").test().plot(ax=axes(2.2))


def pair():
    """Segment scores of two systems."""
    files = [ROOT / "examples" / f"{name}.zh" for name in ("ref1", "ref2", "hyp1", "hyp2")]
    campaign = celab.Campaign.read(files[:2], files[2:]).score("celab")
    return campaign.compare("hyp1", "hyp2").plot(ax=axes(4.6))


def results(*questions):
    """Return the figures of bench/results, by question; None if there are not all."""
    paths = [ROOT / "bench" / "results" / f"{question}.json" for question in questions]
    if not all(path.is_file() for path in paths):
        return None
    return [json.loads(path.read_text("utf-8"))["figures"] for path in paths]


def speed():
    """Segments and pairs per second."""
    if (found := results("speed", "mbr")) is None:
        return None
    segments, pairs = found
    panels = (
        (
            "segments per second, from strings",
            {
                "sacreBLEU's chrF": segments["chrF, segments/s"],
                "celab, one system": segments["one system, segments/s"],
                "celab, 29 systems": segments["all systems together, segments/s"],
            },
        ),
        (
            "pairs per second, 100 × 100 candidates",
            {
                "fastchrf": pairs["fastchrf, square, pairs/s"],
                "celab": pairs["celab, square, pairs/s"],
                "celab, 2 threads": pairs["celab, square, 2 jobs, pairs/s"],
            },
        ),
    )
    both = axes(3.4, 2)
    for ax, (title, figures) in zip(both, panels, strict=True):
        values = [figure["median"] for figure in figures.values()]
        colors = [ACCENT if name.startswith("celab") else SOFT for name in figures]
        bars = ax.barh(list(figures), values, color=colors)
        ax.bar_label(bars, [f"{value:,.0f}" for value in values], padding=3, fontsize="small")
        ax.set_title(title, fontsize="medium", loc="left")
        ax.set_xlim(0, 1.2 * max(values))
        ax.xaxis.set_visible(False)
        ax.spines[["top", "right", "bottom"]].set_visible(False)
    return both[0]


def scaling():
    """Segments per second over their length, and over the number of systems."""
    if (found := results("length", "systems")) is None:
        return None
    by_length, by_number = found
    lengths = [name for name in by_length if re.fullmatch(r"\d+ characters", name)]
    numbers = [name for name in by_number if re.fullmatch(r"\d+ / chrF", name)]
    chrf = by_number["chrF, segments/s"]
    panels = (
        (
            "segments per second by their length, one system",
            "characters",
            [
                (
                    int(name.split()[0]),
                    rate(by_length[name]),
                    rate(by_length[f"{name}, chrF"]),
                    by_length[f"{name} / chrF"],
                )
                for name in lengths
            ],
        ),
        (
            "segments per second by the number of systems together",
            "systems",
            [
                (
                    int(name.split()[0]),
                    by_number[name.replace(" / chrF", ", segments/s")],
                    chrf,
                    by_number[name],
                )
                for name in numbers
            ],
        ),
    )
    both = axes(5.6, 2)
    for ax, (title, label, points) in zip(both, panels, strict=True):
        places, ours, theirs, ratios = zip(*points, strict=True)
        looks = (("celab", ours, ACCENT, "o"), ("sacreBLEU's chrF", theirs, SOFT, "s"))
        for name, figures, color, marker in looks:
            low, middle, high = zip(
                *(map(of.get, ("min", "median", "max")) for of in figures), strict=True
            )
            ax.fill_between(places, low, high, color=color, alpha=0.2, linewidth=0)
            ax.plot(places, middle, marker, linestyle="-", color=color, label=name)
        for place, figure, ratio in zip(places, ours, ratios, strict=True):
            ax.annotate(
                f"{ratio['median']:.1f}×",
                (place, figure["max"]),
                (0, 4),
                ha="center",
                textcoords="offset points",
                fontsize="small",
                color=ACCENT,
            )
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xticks(places, list(map(str, places)))
        ax.minorticks_off()
        ax.yaxis.set_major_formatter("{x:,.0f}")
        ax.set_ylim(min(of["min"] for of in theirs) / 1.5, 2.2 * max(of["max"] for of in ours))
        ax.set_xlabel(label)
        ax.set_title(title, fontsize="medium", loc="left")
        ax.grid(alpha=0.3)
        ax.spines[["top", "right"]].set_visible(False)
    both[0].legend(fontsize="small", frameon=False)
    return both[0]


CHARACTERS = 30_000  # of all references in bench/growth.py, where the length grows


def growth():
    """Time and memory over the size, with the exponents of both."""
    if (found := results("growth")) is None:
        return None
    (figures,) = found
    quantities = ("segments", "systems", "characters", "references")
    panels = axes(7.2, 4)
    for ax, what in zip(panels, quantities, strict=True):
        sizes = [
            int(name.split()[0]) for name in figures if re.fullmatch(rf"\d+ {what}, cpu", name)
        ]
        looks = (("cpu", "s", "time", ACCENT, "o"), ("memory", "MB", "memory", SOFT, "s"))
        for key, unit, name, color, marker in looks:
            values = [figures[f"{size} {what}, {key}"]["median"] for size in sizes]
            if what == "characters":  # of one segment
                values = [
                    value / max(1, CHARACTERS // size)
                    for value, size in zip(values, sizes, strict=True)
                ]
            shown = [(size, value) for size, value in zip(sizes, values, strict=True) if value > 0]
            slope = figures[f"{what}, exponent of {name}"]["median"]
            label = f"{name} ({unit}), exponent {slope:.2f}"
            ax.plot(*zip(*shown, strict=True), marker, linestyle="-", color=color, label=label)
        if what == "characters" and (apart := times_apart(figures)):
            ax.plot(*zip(*apart, strict=True), ":", color=ACCENT, label="time, n-grams apart")
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xticks(sizes, [f"{size:,}" for size in sizes], fontsize="small")
        ax.minorticks_off()
        title = f"over {what}" if what != "characters" else "one segment over its characters"
        ax.set_title(title, fontsize="medium", loc="left")
        ax.grid(alpha=0.3)
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(fontsize="small", frameon=False)
    return panels[0]


def times_apart(figures):
    """Lengths and seconds of one segment each, with each n-gram as a node."""
    return [
        (size, figures[name]["median"] / max(1, CHARACTERS // size))
        for name in figures
        if re.fullmatch(r"\d+ characters apart, cpu", name)
        for size in [int(name.split()[0])]
    ]


def rate(cost):
    """Pairs per second, from microseconds per pair."""
    return {name: 1e6 / cost[of] for name, of in (("min", "max"), ("median",) * 2, ("max", "min"))}


def agreement(page: str | None = None):
    """Each metric on each set, from bench/agreement.md."""
    page = (DOCS.parent / "bench" / "agreement.md").read_text("utf-8") if page is None else page
    sets = {}
    for name, section in re.findall(r"^### (\S+)\n(.*?)(?=^#|\Z)", page, re.MULTILINE | re.DOTALL):
        table = re.search(
            r"^\|\s*\| (.+?) \|\n\|-.*?\n(.*?)\n\n", section, re.MULTILINE | re.DOTALL
        )
        if table:
            column = table[1].split(" | ")[0]
            cells = [row.strip("| ").split(" | ") for row in table[2].splitlines()]
            sets[f"{name}\n{column}"] = {
                row[0]: tuple(map(float, row[1].split(" ± "))) for row in cells
            }
    if not sets:
        return None
    ax = axes(0.8 + 0.62 * len(sets))
    looks = (
        (ACCENT, "o"),
        (MATCHES["equal"].light, "D"),
        (MATCHES["synonym"].light, "^"),
        (SOFT, "s"),
    )
    for k, (metric, (color, marker)) in enumerate(zip(METRICS, looks, strict=True)):
        known = [
            (-i - 0.17 * (k - 1.5), *of[metric])
            for i, of in enumerate(sets.values())
            if metric in of
        ]
        places, values, errors = zip(*known, strict=True)
        ax.errorbar(
            values,
            places,
            xerr=[1.96 * error for error in errors],
            fmt=marker,
            color=color,
            label=metric,
            markersize=5,
            linewidth=1.2,
        )
    ax.set_yticks([-i for i in range(len(sets))], list(sets), fontsize="small")
    ax.grid(axis="x", alpha=0.3)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.set_xlabel("± 1.96 standard errors")
    ax.figure.legend(loc="outside upper center", ncols=2, fontsize="small")
    return ax


PLOTS = (alignment, systems, pair, speed, scaling, growth, agreement)


def main() -> None:
    """Draws them all, or those named on the command line."""
    for draw in PLOTS:
        if sys.argv[1:] and draw.__name__ not in sys.argv[1:]:
            continue
        path = DOCS / "pictures" / f"plot-{draw.__name__}.svg"
        if (ax := draw()) is None:
            print(f"{path.name}: its figures are missing, so it is not drawn", file=sys.stderr)
            continue
        path.write_bytes(saved(ax.figure, "svg"))


if __name__ == "__main__":
    main()
