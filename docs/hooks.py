"""Hooks for mkdocs: pages outside docs/, the navigation, columns, and a live HTML report.

Files outside docs/ that the pages link to become part of the site, and links are rewritten to fit.
The navigation is the list of pages in docs/README.md, which is not a page of the site itself.
"""

import posixpath
import re
import tempfile
from itertools import groupby
from pathlib import Path
from unicodedata import east_asian_width

from mkdocs.structure.files import File

import celab

ROOT = Path(__file__).resolve().parent.parent
# Files outside docs/, and docs/README.md, by their place in the site.
PLACES = {
    "README.md": "index.md",
    "README.zh-CN.md": "zh.md",
    "docs/README.md": "index.md",
    "bench/README.md": "bench.md",
    "bench/agreement.md": "agreement-figures.md",
    "bench/reproduction.md": "reproduction.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "LICENSE": "LICENSE.txt",
    "examples/notebook.ipynb": "notebook.ipynb",
    "examples/lm_eval/celab_zh.yaml": "celab_zh.yaml",
    "examples/nemo_gym/app.py": "nemo_gym_app.txt",  # the site leaves out *.py
}
HOME = [{"Home": "index.md"}, {"简体中文": "zh.md"}]
PROJECT = {
    "Project": [
        {"Changes": "changelog.md"},
        {"Contributing": "contributing.md"},
        {"Benchmarks": "bench.md"},
        {"Agreement figures": "agreement-figures.md"},
        {"Reproduction of the paper": "reproduction.md"},
    ]
}
# The site has a live report in this place. On GitHub the mark is a comment, which is not shown.
REPORT = "example-report.html"
REPORT_MARK = "<!-- example report -->"
REPORT_LINK = f"**[Open this report]({REPORT})**, made by the command above."
_LINK = re.compile(r"(\]\()([^)#\s:]+)(#[^)\s]*)?\)")
_BLOCK = re.compile(r"(?s)<pre>.*?</pre>")
_FILE_SHOWN = re.compile(r"^```(\w+) (\S+)$", re.MULTILINE)


def on_config(config):
    """Set the navigation: pages by the headings of docs/README.md."""
    sections, pages = [], []
    for line in (ROOT / "docs" / "README.md").read_text("utf-8").splitlines():
        if line.startswith("## "):
            pages = []
            sections.append({line[3:]: pages})
        elif page := re.match(r"- \[(.+?)\]\(([\w/-]+\.md)\)", line):
            pages.append({page[1]: page[2]})
    config.nav = [*HOME, *sections, PROJECT]
    return config


def on_files(files, config):
    """Add the files outside docs/ and the example report."""
    for path, place in PLACES.items():
        if path != "docs/README.md":
            files.append(File.generated(config, place, content=(ROOT / path).read_text("utf-8")))
    files.append(File.generated(config, REPORT, content=example_report()))
    return files


def example_report() -> str:
    """Return the HTML report of the command in docs/report-and-playground.md."""
    folder = ROOT / "examples" / "campaign"
    texts = celab.Campaign.read(
        folder / "ref.zh",
        folder / "systems",
        source=folder / "src.en",
        documents=folder / "docs.tsv",
    )
    campaign = texts.score(["celab", "chrf"]).test()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, REPORT)
        campaign.html(path)
        return path.read_text("utf-8")


def on_page_markdown(markdown, page, **_):
    """Rewrite links between files, name the files that are shown, and link the example report."""
    here = page.file.src_uri
    path = next((path for path, place in PLACES.items() if place == here), f"docs/{here}")

    def moved(link):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), link[2]))
        place = PLACES.get(target, target.removeprefix("docs/"))
        place = posixpath.relpath(place, posixpath.dirname(here) or ".")
        return f"{link[1]}{place}{link[3] or ''})"

    markdown = _FILE_SHOWN.sub(r"`\2`:\n\n```\1", _LINK.sub(moved, markdown))
    markdown = re.sub(r'((?:src|srcset)=")docs/', r"\1", markdown)
    return markdown.replace(REPORT_MARK, REPORT_LINK)


def on_page_content(html, **_):
    """Mark wide characters in blocks, which style.css gives two columns, as a terminal does."""
    return _BLOCK.sub(lambda block: _with_columns(block[0]), html)


def _with_columns(block: str) -> str:
    runs = groupby(block, key=lambda character: east_asian_width(character) in "WF")
    return "".join(
        f'<span class="wide">{text}</span>' if is_wide else text
        for is_wide, text in ((is_wide, "".join(run)) for is_wide, run in runs)
    )
