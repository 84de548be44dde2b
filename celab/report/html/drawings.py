"""Numbers → places in a drawing: axes, whiskers, histograms, points with names beside them.

All places are in the drawing's own units; templates write them into SVG.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from celab.base.arguments import Variables
from celab.base.arrays import F64

N_BINS = 25
N_TICKS = 5
MAX_DOT_TICKS = 5
MIN_AXIS_WIDTH = 1e-8
NAME_DISTANCES = (7, 14, 24, 36, 50)  # distances of names from points


@dataclass(frozen=True, slots=True)
class Axis:
    """A range of values drawn from `start` to `stop`, which may run backwards."""

    low: float
    high: float
    start: float
    stop: float
    ticks: tuple[float, ...]

    def place(self, value: float) -> float:
        """Return the coordinate of a value."""
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.stop - self.start), 2)

    @property
    def labels(self) -> list[tuple[float, str]]:
        """Place and text of each tick."""
        step = self.ticks[1] - self.ticks[0]
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        return [(self.place(tick), f"{tick:.{digits}f}".replace("-", "−")) for tick in self.ticks]


def axis(values: Iterable[float], start: float, stop: float) -> Axis:
    """Return an axis from one round number to another, with all values between them.

    >>> axis([0.583, 0.669], 0, 100).ticks
    (0.58, 0.6, 0.62, 0.64, 0.66, 0.68)
    >>> axis([0.0, 1e-300], 0, 100).ticks
    (0.0, 0.2)
    """
    finite = [value for value in values if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    # Ticks have ten decimals, so what differs by less is drawn as one value.
    width = next((w for w in (high - low, abs(high)) if w > MIN_AXIS_WIDTH), 1.0)
    rough = width / N_TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(s * power for s in (1, 2, 5, 10) if s * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    last = max(last, first + 1)
    ticks = tuple(round(k * step, 10) for k in range(first, last + 1))
    return Axis(ticks[0], ticks[-1], start, stop, ticks)


def dot_axis(values: Iterable[float]) -> Axis:
    """Return the axis of a dot plot, from the least value to the greatest, in percent of its width.

    >>> dot_axis([0.583, 0.669]).ticks
    (0.6, 0.62, 0.64, 0.66)
    """
    wide = axis(values, 0, 1)
    finite = [value for value in values if math.isfinite(value)]
    low, high = min(finite, default=wide.low), max(finite, default=wide.high)
    if not high - low > MIN_AXIS_WIDTH:
        low, high = wide.low, wide.high
    ticks = tuple(tick for tick in wide.ticks if low <= tick <= high)
    if len(ticks) > MAX_DOT_TICKS:
        ticks = ticks[1::2]
    if len(ticks) < 2:
        low, high, ticks = wide.low, wide.high, wide.ticks
    return Axis(low, high, 2, 98, ticks)


def dot_labels(across: Axis) -> list[tuple[float, str, bool]]:
    """Return place and text of each tick, and whether a narrow drawing has it, too.

    >>> dot_labels(dot_axis([0.583, 0.669]))[0]
    (20.98, '0.60', True)
    """
    labels = across.labels
    kept = {min(labels, key=lambda label: abs(label[0] - at)) for at in (25, 78)}
    return [(place, text, (place, text) in kept) for place, text in labels]


def spaced(labels: Sequence[tuple[float, str]], size: float) -> list[tuple[float, str]]:
    """Return the labels of an axis that do not touch each other, in letters of that size.

    >>> spaced([(0, "0.480"), (20, "0.485"), (40, "0.490")], 10)
    [(0, '0.480'), (40, '0.490')]
    """
    kept: list[tuple[float, str]] = []
    end = -math.inf
    for place, text in labels:
        half = 0.31 * size * len(text)
        if place - half > end:
            kept.append((place, text))
            end = place + half + 0.5 * size
    return kept


def histograms(scores: Sequence[F64], across: Axis, height: float) -> list[list[Variables]]:
    """Return the bars of each row of scores, all on one scale of counts."""
    edges = np.linspace(across.low, across.high, N_BINS + 1)
    counts = [np.histogram(row, edges)[0].tolist() for row in scores]
    tallest = max(max(row) for row in counts) or 1
    ends = [(across.place(edge), edge) for edge in edges.tolist()]
    return [
        [
            {"x": x, "width": round(right - x, 2), "height": round(height * count / tallest, 2)}
            | {"low": f"{low:.6g}", "high": f"{high:.6g}", "count": count}
            for (x, low), (right, high), count in zip(ends, ends[1:], row, strict=False)
            if count
        ]
        for row in counts
    ]


@dataclass(frozen=True, slots=True)
class Box:
    """The area of a text."""

    x: float
    y: float
    width: float
    height: float

    def overlap(self, other: Box) -> float:
        """Return the area that both take."""
        across = min(self.x + self.width, other.x + other.width) - max(self.x, other.x)
        down = min(self.y + self.height, other.y + other.height) - max(self.y, other.y)
        return max(0.0, across) * max(0.0, down)


def named_points(
    points: Sequence[tuple[str, float, float]], frame: Box, size: float
) -> list[Variables]:
    """Return each point with the place of its name: the nearest free one around it.

    A name that is not beside its point has a line to it. One that would hide a point or another
    name is `crowded`, and to be shown only when the point is chosen.
    """
    dots = [Box(x - 5, y - 5, 10, 10) for _, x, y in points]
    names: list[Box] = []
    drawn = []
    for name, x, y in points:
        width = size * sum(1.0 if ord(char) > 0x2E7F else 0.6 for char in name)
        boxes = [
            Box(x + dx - width * (dx < 0) - width / 2 * (dx == 0), y + dy - size / 2, width, size)
            for far in NAME_DISTANCES
            for dx, dy in (
                (far, 0),
                (-far, 0),
                (0, -far - size / 2),
                (0, far + size / 2),
                (far * 0.7, -far),
                (-far * 0.7, -far),
                (far * 0.7, far),
                (-far * 0.7, far),
            )
        ]
        hidden = [_crowding(box, (*dots, *names), frame) for box in boxes]
        n_nearest = len(boxes) // len(NAME_DISTANCES)  # places of a name beside its point
        best = hidden.index(min(hidden))
        box = boxes[best]
        crowded = hidden[best] > 0
        if not crowded:
            names.append(box)
        nearest = min(max(x, box.x), box.x + box.width), min(max(y, box.y), box.y + box.height)
        drawn.append(
            {
                "name": name,
                "x": x,
                "y": y,
                "text_x": round(box.x, 2),
                "text_y": round(box.y + 0.82 * size, 2),
                "crowded": crowded,
                "leader": [round(at, 2) for at in nearest] if best >= n_nearest else None,
                "across": None,
                "up": None,
            }
        )
    return drawn


def _crowding(box: Box, taken: Sequence[Box], frame: Box) -> float:
    outside = box.width * box.height - box.overlap(frame)
    return 10 * round(outside, 6) + sum(box.overlap(other) for other in taken)
