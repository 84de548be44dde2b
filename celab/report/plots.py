"""Results → plots by matplotlib (extra `plot`): intervals, A against B, alignments.

Each function draws on the axes it is given, or on those of a new figure, and returns them. Chinese,
Japanese and Korean need another font than matplotlib's default; the first installed one of `FONTS`
is used. If there is none, there is one warning, which says what to install.
"""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING, cast

import numpy as np

from celab.agreement.results import TITLES, Evaluation, titles_of
from celab.base.arguments import Arguments
from celab.base.errors import OptionError, install_command, suggest
from celab.base.messages import warn
from celab.base.text.escapes import visible
from celab.metrics.explaining.drawing import MeanDrawing, PairDrawing, pairs_of
from celab.metrics.explaining.links import Span
from celab.nbest.tuning import Tuned
from celab.statistics.significance import TIE_TOLERANCE
from celab.systems.campaign import Campaign
from celab.systems.pair import PairComparison
from celab.systems.results import Comparison
from celab.tables.palette import ACCENT, MATCHES, SERIES, SHOWN, SOFT, shown_state

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator
    from numpy.typing import NDArray

FORMATS = ("svg", "png", "pdf")
FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "Noto Sans CJK JP",
    "PingFang SC",
    "Hiragino Sans GB",
    "Microsoft YaHei",
    "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei",
    "SimHei",
    "Arial Unicode MS",
    "Noto Serif CJK SC",
    "Droid Sans Fallback",
)
_FONT_FILES = ("CJK-Regular", "SourceHanSans", "msyh", "simhei", "wqy-", "DroidSansFallback")


def plot_campaign(scored: Campaign, metric: str | None, ax: Axes | None) -> Axes:
    """Draw all systems by one metric, the best on top, with intervals if they were tested."""
    metric = _chosen(metric, scored.scores)
    of_system = scored.scores[metric]
    first = next(iter(of_system.values()))
    if metric in scored.comparisons:
        return plot_comparison(scored.comparisons[metric], first.name, ax)
    order = sorted(of_system, key=lambda name: of_system[name].score)
    ax = _axes(ax, (6.4, 0.9 + 0.42 * len(order)))
    places = range(len(order))
    names = order if first.higher_is_better else order[::-1]
    ax.plot([of_system[name].score for name in names], places, "o", color=ACCENT)
    _systems(ax, names, first.name)
    return ax


def plot_comparison(compared: Comparison, name: str, ax: Axes | None) -> Axes:
    """Draw scores with 95% intervals, and a line between groups that differ significantly."""
    n = len(compared.systems)
    ax = _axes(ax, (6.4, 0.9 + 0.42 * n))
    places = np.arange(n)[::-1]
    # Percentile intervals need not hold the score of a small corpus.
    low, high = compared.intervals.T
    ax.hlines(places, low, high, color=SOFT, linewidth=2)
    ax.plot(compared.scores, places, "o", color=ACCENT)
    for i in range(1, n):
        if compared.groups[i] != compared.groups[i - 1]:
            ax.axhline(places[i] + 0.5, color=SOFT, linewidth=0.8, linestyle=":")
    _systems(ax, compared.systems[::-1], f"{name}, 95% intervals")
    return ax


def plot_pair(compared: PairComparison, metric: str | None, ax: Axes | None) -> Axes:
    """Draw the score of every segment: A's upwards, B's to the right."""
    by_metric = compared.metrics[_chosen(metric, compared.metrics)]
    ax = _axes(ax, (5.2, 5.2))
    a, b = by_metric.segments[~np.isnan(by_metric.segments).any(axis=1)].T
    tested = by_metric.difference
    gain = (a - b) * (1 if tested.higher_is_better else -1)
    a_name, b_name = compared.names
    parts = (
        (gain > TIE_TOLERANCE, "o", ACCENT, f"{_label(a_name)} ahead ({by_metric.wins})"),
        (
            gain < -TIE_TOLERANCE,
            "^",
            MATCHES["synonym"].light,
            f"{_label(b_name)} ahead ({by_metric.losses})",
        ),
        (np.abs(gain) <= TIE_TOLERANCE, "s", SOFT, f"equal ({by_metric.ties})"),
    )
    for chosen, marker, color, label in parts:
        if chosen.any():
            ax.plot(b[chosen], a[chosen], marker, color=color, alpha=0.7, label=label)
    low, high = min(a.min(), b.min()), max(a.max(), b.max())
    edge = 0.05 * (high - low) or 0.5
    ends = (low - edge, high + edge)
    ax.plot(ends, ends, color=SOFT, linewidth=0.8, zorder=0)
    family = fonts([a_name, b_name])
    ax.set(xlim=ends, ylim=ends, aspect="equal")
    ax.set_xlabel(f"{by_metric.name} of {_label(b_name)}", **family)
    ax.set_ylabel(f"{by_metric.name} of {_label(a_name)}", **family)
    gap = tested.value_text
    title = f"difference {gap}, p {tested.p_text} ({tested.sides})"
    ax.set_title(title, fontsize="medium")
    legend = ax.legend(loc="lower right" if tested.higher_is_better else "upper left")
    for text in legend.get_texts():
        text.set(**fonts([text.get_text()]))
    return ax


def agreement(evaluations: Sequence[Evaluation]) -> Figure:
    """Draw every metric with 95% intervals: a row for each set, a column for each figure."""
    known = [
        name
        for name in TITLES
        if any(m.figures[name].value is not None for e in evaluations for m in e.metrics.values())
    ]
    if not known:
        raise OptionError("no metric has a figure to draw")
    metrics = list(dict.fromkeys(name for evaluation in evaluations for name in evaluation.metrics))
    heights = [max(1, len(evaluation.metrics)) for evaluation in evaluations]
    size = (1.6 + 2.3 * len(known), 0.9 + 0.27 * sum(heights) + 0.35 * len(heights))
    drawing, grid = _subplots(len(heights), len(known), size, heights)
    colors = [SERIES[place % len(SERIES)] for place in range(len(metrics))]
    for row, evaluation in zip(grid, evaluations, strict=True):
        names, titles = list(evaluation.metrics)[::-1], titles_of(evaluation)
        for ax, name in zip(row, known, strict=True):
            for place, metric in enumerate(names):
                figure = evaluation.metrics[metric].figures[name]
                color = colors[metrics.index(metric)]
                if figure.value is not None:
                    if figure.interval is not None:
                        ax.hlines(place, *figure.interval, color=color, linewidth=2, alpha=0.6)
                    ax.plot(figure.value, place, "o", color=color, markersize=5)
            label = TITLES[name] if evaluation is evaluations[-1] else ""
            _systems(ax, [titles[metric] for metric in names], label)
            ax.xaxis.label.set_size("small")
            ax.tick_params(labelsize="small", labelleft=ax is row[0])
        row[0].set_title(
            _label(evaluation.dataset.name),
            fontsize="small",
            loc="left",
            **fonts([evaluation.dataset.name]),
        )
    return drawing


def format_of(path: str) -> str:
    """Return the format of a plot from the name of its file; raise if it cannot be drawn."""
    form = os.path.splitext(path)[1].lower().removeprefix(".")
    if form not in FORMATS:
        raise OptionError(f"--plot is {path!r}; it must end in .{' or .'.join(FORMATS)}")
    if find_spec("matplotlib") is None:
        raise OptionError(f"--plot needs matplotlib; run {install_command('plot')}")
    return form


def saved(figure: Figure, form: str) -> bytes:
    """Return the bytes of a figure of matplotlib, which are reproducible, and close the figure."""
    from matplotlib import pyplot, rc_context

    drawing = io.BytesIO()
    # No date, and no random names in SVG.
    metadata = {
        "svg": {"Date": None, "Creator": "celab"},
        "pdf": {"CreationDate": None, "Creator": "celab"},
        "png": {"Software": "celab"},
    }[form]
    with rc_context({"svg.hashsalt": "celab", "svg.fonttype": "none"}):
        figure.savefig(drawing, format=form, metadata=metadata, dpi=150)
    pyplot.close(figure)
    return drawing.getvalue()


def plot_drawing(drawing: PairDrawing | MeanDrawing, ax: Axes | None) -> Axes:
    """Draw the reference above, the hypothesis below, and a line for every aligned piece.

    Of a mean, the first part is drawn.
    """
    view = next(pairs_of(drawing))
    family = fonts(token for sentence in view.sentences for token in sentence.tokens)
    edges = [_edges(sentence.tokens) for sentence in view.sentences]
    width = max(2.0, *(of_side[-1] for of_side in edges))
    ax = _axes(ax, (min(24.0, 1.2 + 0.26 * width), 2.0))
    for sentence, of_side, y in zip(view.sentences, edges, (1, 0), strict=True):
        spans = pairwise(of_side)
        for token, state, span in zip(sentence.tokens, sentence.states, spans, strict=True):
            color = SHOWN[shown_state(state, sentence.label)].light
            style = {"ha": "center", "va": "center", "color": color, "fontsize": 14, **family}
            ax.text(sum(span) / 2, y, _label(token), **style)
    _draw_pairs(ax, view, edges)
    for sentence, y in zip(view.sentences, (1, 0), strict=True):
        ax.text(-0.6, y, sentence.label, ha="right", va="center", color=SOFT)
    ax.set(xlim=(-2.2, width + 0.4), ylim=(-0.4, 1.4))
    dashed = [
        SHOWN[state].title for state in ("synonym", "tag", "substituted") if state in view.states
    ]
    title = f"score {view.figures.score}   — equal   - - {', or '.join(dashed)}"
    ax.set_title(title, fontsize="small", color=SOFT, loc="left")
    ax.axis("off")
    return ax


def _draw_pairs(ax: Axes, view: PairDrawing, edges: Sequence[Sequence[float]]) -> None:
    """Draw a line for each pair of linked spans, and one along spans of several tokens."""
    heaviest: dict[tuple[Span, Span], tuple[str, float]] = {}
    for ref, hyp, state, weight in view.pairs:
        heaviest[ref, hyp] = state, max(weight, heaviest.get((ref, hyp), ("", 0.0))[1])
    for spans, (state, weight) in heaviest.items():
        color = SHOWN[state].light
        sides = [*zip(edges, spans, strict=True)]
        middles = [(of_side[start] + of_side[stop]) / 2 for of_side, (start, stop) in sides]
        ax.plot(
            middles,
            (0.8, 0.2),
            color=color,
            linewidth=0.8 + 1.2 * min(weight, 1.0),
            linestyle="-" if state == "equal" else "--",
        )
        for (of_side, (start, stop)), level in zip(sides, (0.8, 0.2), strict=True):
            if stop - start > 1:
                across = of_side[start] + 0.2, of_side[stop] - 0.2
                ax.plot(across, (level, level), color=color, linewidth=1.5)


def plot_tuned(tuned: Tuned, ax: Axes | None) -> Axes:
    """Draw the score after each round of every start, the best start in color."""
    ax = _axes(ax, (6.4, 3.6))
    for number, history in enumerate(tuned.history):
        is_best = number == tuned.best
        ax.plot(
            history,
            "o-" if is_best else "-",
            color=ACCENT if is_best else SOFT,
            linewidth=1.8 if is_best else 0.8,
            markersize=4,
            zorder=2 + is_best,
            label="best start" if is_best else None,
        )
    ax.axhline(tuned.before.score, color=SOFT, linestyle=":", label="first candidates")
    cast("MaxNLocator", ax.xaxis.get_major_locator()).set_params(integer=True)
    ax.set(xlabel="round", ylabel=tuned.metric)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="lower right", frameon=False)
    return ax


def _axes(ax: Axes | None, size: tuple[float, float]) -> Axes:
    if ax is not None:
        return ax
    only: Axes = _subplots(1, 1, size)[1][0][0]
    return only


def _subplots(
    n_rows: int, n_columns: int, size: tuple[float, float], heights: Sequence[float] | None = None
) -> tuple[Figure, NDArray[np.object_]]:
    """Return a figure and its axes in rows and columns; the axes of a column share their values."""
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError:
        raise OptionError(
            f"plots need matplotlib, which is not installed: {install_command('plot')}"
        ) from None
    figure, grid = pyplot.subplots(
        n_rows,
        n_columns,
        sharex="col",
        squeeze=False,
        figsize=size,
        layout="constrained",
        gridspec_kw={"height_ratios": heights},
    )
    return figure, grid


def _chosen(metric: str | None, known: Iterable[str]) -> str:
    names = list(known)
    if metric is None:
        return names[0]
    matching = [name for name in names if name.lower() == metric.lower()]
    if not matching:
        raise OptionError("metric", metric, suggest(metric.lower(), names))
    return matching[0]


def _systems(ax: Axes, names: Sequence[str], label: str) -> None:
    # Names from bottom to top.
    ax.set_yticks(range(len(names)), [_label(name) for name in names], **fonts(names))
    ax.set_ylim(-0.6, len(names) - 0.4)
    ax.set_xlabel(label)
    ax.grid(axis="x", alpha=0.3)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)


def _label(text: str) -> str:
    """Return a name or a token as matplotlib is to draw it."""
    return visible(text).replace("$", r"\$")  # two dollar signs would make a formula


def _edges(tokens: Sequence[str]) -> list[float]:
    """Return the start of each token, and the end of the last; wide characters count twice."""
    widths = [0.6 + sum(2.0 if ord(c) > 0x2E7F else 1.0 for c in token) for token in tokens]
    return [0.0, *np.cumsum(widths).tolist()]


def fonts(texts: Iterable[str]) -> Arguments:
    """Return the options of matplotlib that choose a font for Chinese, Japanese and Korean.

    Other texts keep the default font.
    """
    if all(ord(char) < 0x2E80 for text in texts for char in text):
        return {}
    font = _wide_font()
    if font is None:
        # One warning is enough; matplotlib gives one for every character, each time it draws, which
        # may be after our code has returned. Those characters have five digits or six.
        warnings.filterwarnings("ignore", r"Glyph \d{5,6} .*missing from", UserWarning)
        return {}
    return {"family": [font, "sans-serif"]}


@cache
def _wide_font() -> str | None:
    from matplotlib import font_manager

    def installed() -> str | None:
        names = set(font_manager.get_font_names())
        return next((name for name in FONTS if name in names), None)

    if (font := installed()) is None:  # matplotlib's list of fonts may be older than a font
        for path in font_manager.findSystemFonts():
            if any(part in path for part in _FONT_FILES):
                font_manager.fontManager.addfont(path)
        font = installed()
    if font is None:
        warn(
            "no font for Chinese, Japanese and Korean is installed, so plots show boxes instead of"
            " their characters; install one, such as Noto Sans CJK (on Debian and Ubuntu the"
            " package fonts-noto-cjk)"
        )
    return font
