"""The palette: colors, marks and names of the ways to match, and the colors of pages and plots.

Colors are taken from the palette of Okabe and Ito, which color-blind readers can tell apart, and
are adjusted for contrast. Whatever a color says, a mark, a line or a word says too.

>>> MATCHES["synonym"].mark, MATCHES["synonym"].terminal
('~', 'underline')
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple


class Match(NamedTuple):
    """A state of matching of a token, an n-gram or a word, with its mark and colors.

    Attributes:
        mark: the character under the text.
        title: its name in legends.
        line: style of the line under the text, as in CSS.
        light, dark: colors of text and lines on a light and on a dark page.
        light_tint, dark_tint: background colors.
        neutral: red, green and blue of a color that is readable on both, for notebooks.
        terminal: style in a terminal; its colors are readable on white and on black.
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


# Matched text has a quiet color; the line under it shows how it was matched.
_QUIET = ("#59626d", "#a9b1bb", "transparent", "transparent", (120, 127, 137))
_MISSING = ("#b3172b", "#ffa8ae", "#fde6e8", "#4b1a20", (214, 60, 75))
_EXTRA = ("#1457b8", "#9cc4ff", "#dfeafc", "#17325c", (60, 125, 220))
_FAINT = ("#6e7681", "#8b949e", "transparent", "transparent", (128, 128, 128))
_MOVED = ("#7a3d9a", "#dcaef2", "transparent", "transparent", (160, 95, 195))
MATCHES = {
    "equal": Match("=", "equal", "none", *_QUIET, ""),
    "synonym": Match("~", "synonym", "solid", *_QUIET, "underline"),
    "covered": Match("+", "covered", "dashed", *_QUIET, ""),
    "tag": Match("t", "tag only", "dotted", *_QUIET, ""),
    "unmatched": Match(".", "unmatched", "solid", *_MISSING, "bold color(160)"),
}
# Unmatched text, by its side, and text that is matched in another place: moved runs, and single
# tokens for which the metric counts a token elsewhere, possibly twice.
ERRORS = {
    "missing": Match(".", "missing", "solid", *_MISSING, "bold color(160)"),
    "extra": Match(".", "extra", "solid", *_EXTRA, "bold color(27)"),
    "moved": Match("m", "moved", "wavy", *_MOVED, "color(134)"),
    "elsewhere": Match(":", "counted elsewhere by the metric", "dotted", *_FAINT, "color(244)"),
}
# Edits of an alignment, with the letters of speech recognition.
EDITS = {
    "substituted": Match("S", "substituted", "solid", *_MOVED, "bold color(134)"),
    "deleted": Match("D", "deleted", "solid", *_MISSING, "bold color(160)"),
    "inserted": Match("I", "inserted", "solid", *_EXTRA, "bold color(27)"),
}
SHOWN = MATCHES | ERRORS | EDITS
MARKS = {state: match.mark for state, match in SHOWN.items()}
OF_NGRAMS = ("equal", "synonym", "covered", "unmatched")  # ways to match an n-gram, as in legends
OF_LINKS = (*OF_NGRAMS, "moved", "elsewhere")  # ways to match a token by linked n-grams
OF_WORDS = ("equal", "synonym", "tag", "unmatched")
OF_EDITS = ("equal", *EDITS)


def shown_state(state: str, side: str) -> str:
    """Return the state as it is drawn: an unmatched token is missing or extra, by its side.

    >>> shown_state("unmatched", "ref"), shown_state("equal", "hyp")
    ('missing', 'equal')
    """
    if state != "unmatched":
        return state
    return "missing" if side == "ref" else "extra"


# Styles of text that only A, or only B, has, in a terminal.
OF_PAIR = ("bold color(29)", "bold color(130)")

# Colors of a page: light, dark.
PAGE = {
    "ink": ("#1b1f24", "#e8eaed"),
    "soft": ("#59626d", "#a9b1bb"),
    "pale": ("#6e7681", "#8b949e"),  # links across a word boundary
    "paper": ("#fff", "#15181c"),
    "panel": ("#f6f7f9", "#1f242a"),
    "line": ("#d9dee4", "#343b44"),
    "strong": ("#59626d", "#8a94a0"),
    "accent": ("#1f3247", "#dde5ee"),  # what can be chosen, and what is
    "on-accent": ("#fff", "#10151a"),
    "bar": ("#8492a3", "#7d8a99"),  # amounts
    # Systems that may be first in the picture of a report: by a metric, by people; all others. The
    # hues are not those of A and B, which the comparison of two systems has on the same page.
    "of-metric": ("#1f4e9e", "#8ab4ff"),
    "of-human": ("#a3195b", "#ff8fc0"),
    "mild": ("#818a98", "#7f8898"),
    "a": ("#00795a", "#43cfa5"),
    "b": ("#a84d00", "#f5ad4a"),
    "a-tint": ("#dff3ec", "#12382d"),
    "b-tint": ("#fdebd3", "#412a0c"),
    "lit": ("#ffe45c", "#ffe45c"),
    "on-lit": ("#1b1f24", "#1b1f24"),
}
# Colors of plots, whose background is white: what is in focus, what is not.
ACCENT, SOFT = "#0072b2", "#888d94"
# Colors of several metrics in one plot, by Okabe and Ito.
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")


def style_sheet() -> str:
    """Return the palette as CSS: custom properties for light and dark, and a rule per match."""
    light = {name: colors[0] for name, colors in PAGE.items()}
    dark = {name: colors[1] for name, colors in PAGE.items()}
    rules = []
    for state, match in (MATCHES | ERRORS).items():
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


# Colored differences of two texts, for a terminal.


def inked(texts: Sequence[str]) -> list[str]:
    r"""Return both texts; runs that the other text does not have are in color.

    >>> inked(["买伞", "买雨伞"])
    ['买伞', '买\x1b[1;38;5;130m雨\x1b[0m伞']
    """
    from rich.color import ColorSystem
    from rich.style import Style

    styles = [Style.parse(style) for style in OF_PAIR]
    parts: tuple[list[str], list[str]] = [], []
    a, b = texts
    steps = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    for kind, *places in steps:
        spans = places[:2], places[2:]
        for text, span, style, of_text in zip(texts, spans, styles, parts, strict=True):
            run = text[slice(*span)]
            is_own = kind != "equal" and run.strip()
            own = style.render(run, color_system=ColorSystem.EIGHT_BIT) if is_own else run
            of_text.append(own)
    return ["".join(of_text) for of_text in parts]
