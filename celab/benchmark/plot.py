"""Plot: what was measured → one drawing, as SVG of our own making, or as PNG by matplotlib.

With growth: the time of a pair against its length, a line a solver. Without: bars, pairs a second.
Both scales are logarithmic, for the solvers lie three powers of ten apart.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import cycle
from xml.sax.saxutils import escape, quoteattr

from celab.benchmark.growth import Growth
from celab.benchmark.measure import Found
from celab.errors import OptionError

# Told apart by people who see few colours, too; from Okabe and Ito's palette, and greys.
_COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555", "#999999",
    "#000000", "#b0a000",
)  # fmt: skip
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 760, 460, 110, 140, 50, 55


@dataclass(frozen=True, slots=True)
class Line:
    """A solver's time in microseconds a pair, by length."""

    name: str
    points: list[tuple[float, float]]


def check(path: str) -> None:
    """Raises unless a plot can be written under that name."""
    if not path.endswith((".svg", ".png")):
        raise OptionError(f"--plot is {path!r}; it must end in .svg or .png")
    if path.endswith(".png") and find_spec("matplotlib") is None:
        raise OptionError(
            f"--plot is {path!r}, which needs matplotlib; pip install matplotlib brings it, and"
            " .svg needs nothing"
        )


def svg(found: Found, growth: Growth | None = None) -> str:
    """A whole SVG file."""
    title = _title(found, growth)
    body = _bars_svg(_rates(found)) if growth is None else _lines_svg(_lines(growth))
    return "\n".join([
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}"'
        f' height="{_HEIGHT}" role="img" aria-label={quoteattr(title)} font-family="sans-serif"'
        ' font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        _label(_WIDTH / 2, 24, title, anchor="middle"),
        *body,
        "</svg>",
        "",
    ])  # fmt: skip


def png(found: Found, growth: Growth | None = None) -> bytes:
    """The same as a picture, by matplotlib."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH / 100, _HEIGHT / 100), dpi=150, layout="constrained")
    axes = figure.subplots()
    axes.set_title(_title(found, growth), fontsize=9)
    if growth is None:
        rates = _rates(found)
        axes.barh([name for name, _ in rates], [rate for _, rate in rates], color=_COLOURS)
        least = min(1.0, *(rate for _, rate in rates))  # where bars begin, as in the SVG
        axes.set(xscale="log", xlabel="pairs a second", xlim=(least, None))
        axes.invert_yaxis()
    else:
        for line, colour in zip(_lines(growth), cycle(_COLOURS), strict=False):
            axes.plot(*zip(*line.points, strict=True), "o-", label=line.name, color=colour)
        axes.set(xscale="log", yscale="log", xlabel="tokens", ylabel="µs a pair")
        axes.set_xticks(growth.lengths, map(str, growth.lengths), minor=False)
        axes.legend(fontsize=8)
    written = io.BytesIO()
    figure.savefig(written, format="png")
    return written.getvalue()


# ---- what is drawn ----


def _title(found: Found, growth: Growth | None) -> str:
    n_pairs = found.n_pairs if growth is None else growth.found[0].n_pairs
    return f"{found.origin}: {n_pairs:,} pairs{'' if growth is None else ' of each length'}"


def _rates(found: Found) -> list[tuple[str, float]]:
    return [(run.name, 1 / run.seconds_a_pair(found.n_pairs)) for run in found.runs if run.is_timed]


def _lines(growth: Growth) -> list[Line]:
    made = (
        Line(name, [(n, 1e6 * t) for n, t in growth.seconds(name).items()])
        for name in growth.names
    )  # fmt: skip
    return [line for line in made if line.points]


# ---- SVG ----


class _Scale:
    """Logarithms on a stretch of the page; both ends are powers of ten if `whole`."""

    def __init__(self, values: Sequence[float], start: float, end: float, *, whole: bool) -> None:
        low, high = math.log10(min(values)), math.log10(max(values))
        if whole:
            low, high = math.floor(low), math.ceil(high)
        self.low, self.high = low, high if high > low else low + 1
        self.start, self.end = start, end

    def __call__(self, value: float) -> float:
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    @property
    def powers(self) -> list[float]:
        """The powers of ten on it."""
        return [10.0**k for k in range(math.ceil(self.low), math.floor(self.high) + 1)]


def _bars_svg(rates: Sequence[tuple[str, float]]) -> Iterator[str]:
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    across = _Scale([1.0, *(rate for _, rate in rates)], _LEFT, right, whole=True)
    for power in across.powers:
        x = across(power)
        yield _stroke(x, _TOP, x, bottom)
        yield _label(x, bottom + 18, f"{power:,.0f}", anchor="middle")
    yield _label((_LEFT + right) / 2, _HEIGHT - 12, "pairs a second", anchor="middle")
    step = (bottom - _TOP) / len(rates)
    for k, (name, rate) in enumerate(rates):
        y = _TOP + k * step
        end = max(across(rate), _LEFT)
        yield (
            f'<rect x="{_LEFT}" y="{y + step * 0.15:.1f}" width="{end - _LEFT:.1f}"'
            f' height="{step * 0.7:.1f}" fill="{_COLOURS[k % len(_COLOURS)]}"/>'
        )
        middle = y + step / 2 + 4
        yield _label(_LEFT - 8, middle, name, anchor="end")
        yield _label(end + 6, middle, f"{rate:,.0f}")


def _lines_svg(lines: Sequence[Line]) -> Iterator[str]:
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    lengths = sorted({x for line in lines for x, _ in line.points})
    across = _Scale(lengths, _LEFT, right, whole=False)
    up = _Scale([y for line in lines for _, y in line.points], bottom, _TOP, whole=True)
    for power in up.powers:
        yield _stroke(_LEFT, up(power), right, up(power))
        yield _label(_LEFT - 8, up(power) + 4, f"{power:,.10g}", anchor="end")
    for length in lengths:
        yield _stroke(across(length), _TOP, across(length), bottom)
        yield _label(across(length), bottom + 18, f"{length:g}", anchor="middle")
    yield _label((_LEFT + right) / 2, _HEIGHT - 12, "tokens", anchor="middle")
    yield _label(_LEFT - 8, _TOP - 10, "µs a pair", anchor="end")
    for k, line in enumerate(lines):
        colour = _COLOURS[k % len(_COLOURS)]
        places = [(across(x), up(y)) for x, y in line.points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
        for x, y in places:
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'
        y = _TOP + 10 + 20 * k
        yield f'<rect x="{right + 14}" y="{y - 9}" width="10" height="10" fill="{colour}"/>'
        yield _label(right + 30, y, line.name)


def _stroke(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#ddd"/>'


def _label(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
