"""Draws the plots of docs/gallery.md; `make docs` runs it. It needs the extra `plot`.

    python docs/make_pictures.py

The texts are those of examples/; the figures are read from bench/README.md and docs/agreement.md.
A plot whose figures are not there is left as it is.
"""

import re
import sys
from pathlib import Path

import celab
from celab.report.pictures import ACCENT, COLOURS, SOFT, saved

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
WIDTH = 4.8  # inches: readable on a phone without zooming
METRICS = ("TESLA-CELAB, recommended", "TESLA-CELAB, paper", "chrF", "BLEU")


def axes(height: float, n: int = 1):
    """Axes below each other."""
    from matplotlib import pyplot

    return pyplot.subplots(n, 1, figsize=(WIDTH, height), layout="constrained")[1]


def alignment():
    """The example of the paper: synonyms of different lengths, without word segmentation."""
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


def speed():
    """Segments and pairs per second, from bench/README.md."""
    page = (ROOT / "bench" / "README.md").read_text("utf-8")
    rows = dict(
        re.findall(r"^\| (one system|all systems together|chrF) \| ([\d,]+) \|", page, re.MULTILINE)
    )
    matrices = re.search(
        r"([\d,]+) pairs per second on one\s+thread, ([\d.]+) times as fast as fastchrf.*?"
        r"([\d.]+) times with two threads", page, re.DOTALL
    )  # fmt: skip
    if len(rows) < 3 or matrices is None:
        return None
    one, *ratios = (float(number.replace(",", "")) for number in matrices.groups())
    theirs = one / ratios[0]
    panels = (
        ("segments per second, from strings",
         {"sacreBLEU's chrF": rows["chrF"], "celab, one system": rows["one system"],
          "celab, 29 systems": rows["all systems together"]}),
        ("pairs per second, 100 × 100 candidates",
         {"fastchrf": theirs, "celab": one, "celab, 2 threads": ratios[1] * theirs}),
    )  # fmt: skip
    both = axes(3.4, 2)
    for ax, (title, numbers) in zip(both, panels, strict=True):
        values = [float(str(number).replace(",", "")) for number in numbers.values()]
        colours = [ACCENT if name.startswith("celab") else SOFT for name in numbers]
        bars = ax.barh(list(numbers), values, color=colours)
        ax.bar_label(bars, [f"{value:,.0f}" for value in values], padding=3, fontsize="small")
        ax.set_title(title, fontsize="medium", loc="left")
        ax.set_xlim(0, 1.2 * max(values))
        ax.xaxis.set_visible(False)
        ax.spines[["top", "right", "bottom"]].set_visible(False)
    return both[0]


def agreement(page: str | None = None):
    """Each metric on each set, from docs/agreement.md."""
    page = (DOCS / "agreement.md").read_text("utf-8") if page is None else page
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
    looks = ((ACCENT, "o"), (COLOURS["equal"], "D"), (COLOURS["synonym"], "^"), (SOFT, "s"))
    for k, (metric, (colour, marker)) in enumerate(zip(METRICS, looks, strict=True)):
        known = [(-i - 0.17 * (k - 1.5), *of[metric]) for i, of in enumerate(sets.values())
                 if metric in of]  # fmt: skip
        places, values, errors = zip(*known, strict=True)
        ax.errorbar(values, places, xerr=[1.96 * error for error in errors], fmt=marker,
                    color=colour, label=metric, markersize=5, linewidth=1.2)  # fmt: skip
    ax.set_yticks([-i for i in range(len(sets))], list(sets), fontsize="small")
    ax.grid(axis="x", alpha=0.3)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.set_xlabel("± 1.96 standard errors")
    ax.figure.legend(loc="outside upper center", ncols=2, fontsize="small")
    return ax


PLOTS = (alignment, systems, pair, speed, agreement)


def main() -> None:
    """Draws them all."""
    for draw in PLOTS:
        path = DOCS / "pictures" / f"plot-{draw.__name__}.svg"
        if (ax := draw()) is None:
            print(f"{path.name}: its figures are missing, so it is not drawn", file=sys.stderr)
            continue
        path.write_bytes(saved(ax.figure, "svg"))


if __name__ == "__main__":
    main()
