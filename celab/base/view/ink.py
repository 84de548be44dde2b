"""Two texts with what only one of them has in color, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from celab.base.view.palette import OF_PAIR


def inked(texts: Sequence[str]) -> list[str]:
    r"""Return both texts, with the runs in color that the other one does not have.

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
