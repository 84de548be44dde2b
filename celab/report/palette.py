"""The palette: colors, marks and names of the ways to match, and the colors of pages and plots.

Colors are taken from the palette of Okabe and Ito, which color-blind readers can tell apart, and
are adjusted for contrast. Whatever a color says, a mark, a line or a word says too.

>>> MATCHES["synonym"].mark, MATCHES["synonym"].terminal
('~', 'bold')
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Match(NamedTuple):
    """How a token, an n-gram or a word was matched, and how that is shown.

    Attributes:
        mark: the character under the text.
        title: its name in legends.
        line: style of the line under the text, as in CSS.
        light, dark: colors of text and lines on a light and on a dark page.
        light_tint, dark_tint: background colors.
        neutral: red, green and blue of a color that is readable on both, for notebooks.
        terminal: style in a terminal, whose colors depend on its theme: so none is used, and the
            text has the contrast that its reader chose.
    """

    mark: str
    title: str
    line: str
    light: str
    dark: str
    light_tint: str
    dark_tint: str
    neutral: tuple[int, int, int]
    terminal: str


_BLUE = ("#006ba8", "#7cc4f2", "#e0eff9", "#12324a", (60, 150, 220), "underline")
MATCHES = {
    "equal": Match(
        "=", "equal", "solid", "#00795a", "#43cfa5", "#dff3ec", "#12382d", (0, 158, 115), ""
    ),
    "synonym": Match(
        "~",
        "synonym",
        "double",
        "#a84d00",
        "#f5ad4a",
        "#fdebd3",
        "#412a0c",
        (230, 140, 0),
        "bold",
    ),
    "covered": Match("+", "covered", "dashed", *_BLUE),
    "tag": Match("t", "tag only", "dashed", *_BLUE),
    "unmatched": Match(
        ".",
        "unmatched",
        "dotted",
        "#6b6f76",
        "#9aa1aa",
        "transparent",
        "transparent",
        (140, 145, 155),
        "dim",
    ),
}
MARKS = {state: match.mark for state, match in MATCHES.items()}
OF_NGRAMS = ("equal", "synonym", "covered", "unmatched")  # ways to match an n-gram, as in legends
OF_WORDS = ("equal", "synonym", "tag", "unmatched")

# Colors of a page: light, dark.
PAGE = {
    "ink": ("#1b1f24", "#e8eaed"),
    "soft": ("#59626d", "#a9b1bb"),
    "paper": ("#fff", "#15181c"),
    "panel": ("#f6f7f9", "#1f242a"),
    "line": ("#d9dee4", "#343b44"),
    "strong": ("#59626d", "#8a94a0"),
    "accent": ("#0072b2", "#6fbdee"),
    "on-accent": ("#fff", "#10151a"),
    "lit": ("#ffe45c", "#ffe45c"),
    "on-lit": ("#1b1f24", "#1b1f24"),
}
# Colors of plots, whose background is white: what is in focus, what is not.
ACCENT, SOFT = PAGE["accent"][0], "#888d94"
# Colors of several metrics in one plot, by Okabe and Ito.
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")


def style_sheet() -> str:
    """Return the palette as CSS: custom properties for light and dark, and a rule per match."""
    light = {name: colors[0] for name, colors in PAGE.items()}
    dark = {name: colors[1] for name, colors in PAGE.items()}
    rules = []
    for state, match in MATCHES.items():
        light |= {state: match.light, f"{state}-tint": match.light_tint}
        dark |= {state: match.dark, f"{state}-tint": match.dark_tint}
        rules.append(
            f'[data-state="{state}"] {{ --mark: var(--{state}); --tint: var(--{state}-tint);'
            f" --rule: {match.line}; }}\n"
        )
    return (
        f":root {{ color-scheme: light dark; {_properties(light.items())} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {_properties(dark.items())} }} }}\n"
        + "".join(rules)
    )


def _properties(colors: Iterable[tuple[str, str]]) -> str:
    return " ".join(f"--{name}: {color};" for name, color in colors)
