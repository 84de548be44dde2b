"""Make the pictures in docs/*.md by running the commands above them.

    make gallery

A picture belongs to the ```sh block above it. An .svg shows what the command prints; a .png shows
the page that it writes (--html), in a browser, or is the plot itself (--plot).
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from html import unescape
from pathlib import Path

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
COLUMNS = 92
# Pages are opened at a place and shown at a size; the default is the top, 1000 by 700.
PLACES = {
    "report-segment.png": "segment=5&system=model",
    "report-pair.png": "a=fluent&b=model",
    "report-grid.png": "segment=5&system=model",
    "report-both.png": "a=fluent&b=model&segment=5",
}
SIZES = {
    "meta.png": (1000, 540),
    "report-segment.png": (1000, 820),
    "report-pair.png": (1200, 840),
    "report-grid.png": (1000, 520),
    "report-both.png": (1000, 560),
}
DARK = ("report-segment.png",)  # for dark pages, too, with -dark in their names
SCROLLED = {  # to these elements
    "meta.png": "#systems-0",
    "report-pair.png": "#pair-heading",
    "report-grid.png": ".all-outputs",
    "report-both.png": "#why",
}
# As rich's own, but with the reader's fonts in place of one from another host.
SVG = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
  font-family: "DejaVu Sans Mono", Menlo, Consolas, "Noto Sans Mono CJK SC", monospace;
  font-size: {char_height}px; line-height: {line_height}px; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def pictures() -> dict[str, str]:
    """Return the command of each picture, by the picture's name."""
    commands = {}
    for path in sorted(DOCS.glob("*.md")):
        page, command = path.read_text("utf-8"), ""
        for block, picture in re.findall(r"```sh\n(.*?)\n```|\]\(pictures/(.+?)\)", page, re.S):
            if picture and not picture.startswith("plot-"):  # see make_pictures.py
                commands[picture] = command
            command = block or command
    return commands


def run(command: str, folder: Path) -> str:
    """Return what the command prints, in that folder."""
    _, *words = shlex.split(command)
    done = subprocess.run(
        [sys.executable, "-m", "celab", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": str(COLUMNS)},
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    return done.stdout


def with_broken_signatures(printed: str) -> str:
    """Return the output with signatures broken between their parts, as the terminal is narrow."""
    lines = []
    for line in printed.split("\n"):
        if "|" in line and cell_len(line) > COLUMNS:
            rest, line = re.findall(r"[^|]*\||[^|]+", line), ""
            for part in rest:
                if line and cell_len(line + part) > COLUMNS:
                    lines.append(line)
                    line = ""
                line += part
        lines.append(line)
    return "\n".join(lines)


def terminal(command: str, printed: str) -> str:
    """Return a terminal with the output of a command, as SVG."""
    with open(os.devnull, "w") as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere, force_terminal=True)
        console.print(Text.from_ansi(with_broken_signatures(printed)), soft_wrap=False)
    drawn = console.export_svg(
        title=" ".join(command.split()[:2]), code_format=SVG, unique_id="gallery"
    )

    # rich gives a text the length of its characters, of which Chinese ones are two cells wide.
    def as_wide_as_its_cells(text: re.Match[str]) -> str:
        wide = cell_len(unescape(text[3])) / len(unescape(text[3]))
        return f'textLength="{float(text[1]) * wide:g}"{text[2]}>{text[3]}</text>'

    return re.sub(r'textLength="([\d.]+)"([^>]*)>([^<]+)</text>', as_wide_as_its_cells, drawn)


def shot(browser, page: Path, name: str, *, dark: bool = False) -> bytes:
    """Return a page in the browser, as PNG."""
    place, size = PLACES.get(name, ""), SIZES.get(name, (1000, 700))
    opened = browser.open(f"{page.as_uri()}#{place}", *size, dark=dark)
    try:
        opened.until("!document.querySelector('.reading, [aria-busy=true]')")
        opened.run("document.activeElement.blur()")  # a picture has no focus
        if name in SCROLLED:
            parts = "document.querySelectorAll('details.part')"
            opened.run(f"{parts}.forEach((part) => {{ part.open = true; }})")
            opened.run(f"document.querySelector('{SCROLLED[name]}').scrollIntoView()")
        return opened.picture()
    finally:
        opened.close()


def main() -> None:
    """Make them all."""
    sys.path.insert(0, str(ROOT / "tests"))
    import chromium

    (DOCS / "pictures").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "examples").symlink_to(ROOT / "examples")
        browser = chromium.Chromium()
        for name, command in pictures().items():
            print(name, command)
            printed = run(command, folder)
            written = re.search(r"--(?:html|plot) (\S+)", command)
            if written is None:
                content = terminal(command, printed).encode()
            elif written[1].endswith(".html"):
                content = shot(browser, folder / written[1], name)
                if name in DARK:
                    dark = shot(browser, folder / written[1], name, dark=True)
                    (DOCS / "pictures" / name.replace(".png", "-dark.png")).write_bytes(dark)
            else:
                content = (folder / written[1]).read_bytes()
            (DOCS / "pictures" / name).write_bytes(content)
        browser.close()


if __name__ == "__main__":
    main()
