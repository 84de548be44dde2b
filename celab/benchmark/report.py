"""Report: figures → one JSON object with every digit, tables for a terminal, or a plot.

docs/settings.md describes the keys of the object. A plot shows pairs per second or, with growth,
the time of a pair against its length.
"""

from __future__ import annotations

import io
import math
import os
import platform
import textwrap
import time
import warnings
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from statistics import linear_regression, median

from celab.base.errors import OptionError, install_command
from celab.base.text.escapes import escape_controls
from celab.base.version import __version__
from celab.base.view.tables import Table, note, write
from celab.benchmark.measure import REDUCTION, TOLERANCE, Figures

# Okabe and Ito's palette, which color-blind readers can tell apart, and grays.
_COLORS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#555555",
    "#999999",
    "#000000",
    "#b0a000",
)


def figures(measured: Figures, growth: Mapping[int, Figures]) -> Figures:
    """Return all that is reported, as numbers: a measurement, and one for each length."""
    report: Figures = {
        "celab_version": __version__,
        "date": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "machine": {
            "system": platform.platform(),
            "processor": platform.processor() or platform.machine(),
            "cores": os.cpu_count(),
        },
        **measured,
    }
    if growth:
        report["agree"] &= all(figures["agree"] for figures in growth.values())
        lengths: list[Figures] = []
        for length, figures in growth.items():
            n_pairs, solvers = figures["corpus"]["pairs"], figures["solvers"]
            times = {s["name"]: median(s["seconds"]) for s in solvers if "seconds" in s}
            lengths.append(
                {
                    "length": length,
                    "pairs": n_pairs,
                    "nonzeros": figures["sizes"]["nonzeros"]["mean"],
                    "seconds": {name: max(t, 1e-9) / n_pairs for name, t in times.items()},
                    "problems": {
                        s["name"]: f"{s['state']}: {s['why']}" for s in solvers if s["why"]
                    },
                }
            )
        names = [solver["name"] for solver in growth[min(growth)]["solvers"]]
        exponents = {name: _exponent(_times(lengths, name)) for name in names}
        report["growth"] = {"lengths": lengths, "exponents": exponents}
    return report


def _times(lengths: Sequence[Figures], name: str) -> dict[int, float]:
    return {row["length"]: row["seconds"][name] for row in lengths if name in row["seconds"]}


def _exponent(times: Mapping[int, float]) -> float | None:
    logs = [[math.log(number) for number in side] for side in (times, times.values())]
    return linear_regression(*logs).slope if len(times) > 1 else None


def tables(report: Figures, kind: str = "text") -> str:
    """Return the figures as text or markdown, one table after another."""
    blocks: list[str] = []

    def say(*lines: str) -> None:
        blocks.append("".join(note(line, kind) for line in lines))

    def show(headings: str, rows: list[list[str]], right: range, rules: Sequence[int] = ()) -> None:
        blocks.append(
            write(Table(headings=headings.split(", "), rows=rows, right=right, rules=rules), kind)
        )

    corpus, rounds, n_pairs = report["corpus"], report["rounds"], report["corpus"]["pairs"]
    say(
        f"{corpus['origin']}: {n_pairs:,} pair{'s' * (n_pairs != 1)},"
        f" {corpus['mean_length']:.1f} tokens per reference;"
        f" {f'medians of {rounds} rounds' if rounds > 1 else '1 round'}"
    )
    rows = []
    for solver in report["solvers"]:
        cells = [""] * 6
        if "seconds" in solver:
            rate = solver["pairs_per_second"]["median"]
            difference = solver["greatest_difference"]
            slowdowns = solver["slowdown"]["median"], solver["wall_slowdown"]["median"]
            cells = [f"{rate:,.0f}", *map(_short, (1e6 / rate, solver["speedup"], *slowdowns))]
            cells.append(f"{difference:.0e}" if difference else "0")
        package = f"{solver['package']} {solver['version']}"
        rows.append([solver["name"], package, *cells, solver["state"]])
    headings = "solver, version, pairs/s, µs/pair, speed-up, slowdown, wall-clock slowdown"
    show(f"{headings}, difference, values", rows, range(2, 8))
    cost = {name: 1e6 * s["median"] / n_pairs for name, s in report["stages"].items()}
    programs = cost.pop("whole programs")
    say(
        "processor time, from tokens to values; for all but the reduction it includes"
        f" {programs:.0f} µs per pair for links and whole programs"
    )
    failed = [solver for solver in report["solvers"] if solver["why"]]
    say(*(f"{solver['name']} {solver['state']}: {solver['why']}" for solver in failed))
    sizes = report["sizes"].items()
    rows = [[name, *(f"{number:,.0f}" for number in counts.values())] for name, counts in sizes]
    show("whole program, median, mean, max", rows, range(1, 4))
    halves, pairs = report["steps"]["halves"], report["steps"]["pairs"]
    rows = [[step, f"{share:.1%}", f"{pairs[step]:.1%}"] for step, share in halves.items()]
    show("last step needed, halves, pairs", rows, range(1, 3))
    rows = [[name, f"{t:,.2f}", f"{t / sum(cost.values()):.0%}"] for name, t in cost.items()]
    rows.append(["links and whole programs, instead of the last two", f"{programs:,.2f}", ""])
    show("stage, µs/pair, share", rows, range(1, 3), [len(cost)])
    if "growth" in report:
        lengths, exponents = report["growth"]["lengths"], report["growth"]["exponents"]
        rows = []
        for row in lengths:
            times = (row["seconds"].get(name) for name in exponents)
            cells = ["" if t is None else _short(1e6 * t) for t in times]
            rows.append([str(row["length"]), f"{row['nonzeros']:,.0f}", *cells])
        cells = ["" if k is None else f"{k:.2f}" for k in exponents.values()]
        rows.append(["exponent", "", *cells])
        headings = ", ".join(("length", "nonzeros", *exponents))
        show(headings, rows, range(2 + len(exponents)), [len(lengths)])
        problems = [
            f"length {row['length']}: {name} {why}"
            for row in lengths
            for name, why in row["problems"].items()
        ]
        n_pairs = lengths[0]["pairs"]
        about = f"µs per pair; {n_pairs} pairs of each length; the exponent is k in time ~ length^k"
        say(about, *problems)
    n_others = sum("seconds" in solver for solver in report["solvers"][1:])
    if not report["agree"]:
        verdict = f"WRONG: values differ from the {REDUCTION}'s by more than {TOLERANCE:g} of them"
    elif not n_others:
        verdict = f"no solver was compared with the {REDUCTION}"
    else:
        agree = "1 other solver agrees" if n_others == 1 else f"{n_others} other solvers agree"
        verdict = f"{agree} with the {REDUCTION} on every value, to {TOLERANCE:g} of it"
    say(verdict, report["signature"])
    return "\n".join(block.rstrip("\n") + "\n" for block in blocks if block)


def _short(number: float) -> str:
    # Three digits at most below a thousand.
    return f"{number:,.0f}" if number >= 100 else f"{number:.1f}"


def check_plot(path: str) -> None:
    """Raise unless a plot can be drawn and written there."""
    if not path.endswith((".svg", ".png")):
        raise OptionError(f"--plot is {path!r}; it must end in .svg or .png")
    if find_spec("matplotlib") is None:
        raise OptionError(f"--plot needs matplotlib; run {install_command('plot')}")


def plot(report: Figures, format: str) -> bytes:
    """Return the drawing as a whole file, svg or png."""
    import matplotlib
    from matplotlib.figure import Figure

    from celab.report.plots import fonts

    lengths = report["growth"]["lengths"] if "growth" in report else []
    n_pairs = lengths[0]["pairs"] if lengths else report["corpus"]["pairs"]
    origin = escape_controls(report["corpus"]["origin"])
    title = f"{origin}: {n_pairs:,} pairs{' of each length' * bool(lengths)}"
    drawing, metadata = io.BytesIO(), {"Date": None} if format == "svg" else None
    family = fonts([title])
    with matplotlib.rc_context({"svg.fonttype": "none"}), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the font may lack a file name's characters
        figure = Figure(figsize=(7.6, 4.6), dpi=150, layout="constrained")
        axes = figure.subplots()  # logarithmic, because solvers are three powers of ten apart
        axes.set_prop_cycle(color=_COLORS)
        axes.set_axisbelow(True)
        axes.grid(color="#dddddd", axis="both" if lengths else "x")
        figure.suptitle(textwrap.fill(title, 100), fontsize=9, parse_math=False, **family)
        if lengths:
            for name in report["growth"]["exponents"]:
                times = _times(lengths, name)
                y = [1e6 * seconds for seconds in times.values()]
                axes.plot([*times], y, "o-", label=name, gid=name)
            axes.set(xscale="log", yscale="log", xlabel="tokens", ylabel="µs per pair")
            axes.set_xticks([n["length"] for n in lengths], [n["length"] for n in lengths])
            axes.minorticks_off()
            axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1))
        else:
            timed = [solver for solver in report["solvers"] if "seconds" in solver]
            rates = [solver["pairs_per_second"]["median"] for solver in timed]
            bars = axes.barh([solver["name"] for solver in timed], rates, color=_COLORS)
            axes.bar_label(bars, fmt="{:,.0f}", padding=3, fontsize=8)
            # A logarithmic axis has no 0, and the longest bar leaves space for its label.
            limits = min(1.0, min(rates) / 2), 3 * max(rates)
            axes.set(xscale="log", xlabel="pairs per second", xlim=limits)
            axes.invert_yaxis()
        figure.savefig(drawing, format=format, metadata=metadata)
    return drawing.getvalue()
