"""A hook for mkdocs: the pages outside docs/, and the navigation.

Files outside docs/ that the pages link to become part of the site, and links are rewritten to fit.
The navigation is the list of pages in docs/README.md, which itself is no page of the site.
"""

import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
# Files outside docs/, and docs/README.md, by their place in the site.
PLACES = {
    "README.md": "index.md",
    "README.zh-CN.md": "zh.md",
    "docs/README.md": "index.md",
    "bench/README.md": "bench.md",
    "bench/agreement.md": "agreement-figures.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "LICENSE": "LICENSE.txt",
    "examples/notebook.ipynb": "notebook.ipynb",
}
HOME = [{"Home": "index.md"}, {"简体中文": "zh.md"}]
PROJECT = {
    "Project": [
        {"Changes": "changelog.md"},
        {"Contributing": "contributing.md"},
        {"Benchmarks": "bench.md"},
        {"Agreement figures": "agreement-figures.md"},
    ]
}
_LINK = re.compile(r"(\]\()([^)#\s:]+)(#[^)\s]*)?\)")
_FILE_SHOWN = re.compile(r"^```(\w+) (\S+)$", re.MULTILINE)


def on_config(config):
    """The navigation: pages by the headings of docs/README.md."""
    sections, pages = [], []
    for line in (ROOT / "docs" / "README.md").read_text("utf-8").splitlines():
        if line.startswith("## "):
            pages = []
            sections.append({line[3:]: pages})
        elif page := re.match(r"- \[(.+?)\]\(([\w-]+\.md)\)", line):
            pages.append({page[1]: page[2]})
    config.nav = [*HOME, *sections, PROJECT]
    return config


def on_files(files, config):
    """Adds the files outside docs/."""
    for path, place in PLACES.items():
        if path != "docs/README.md":
            files.append(File.generated(config, place, content=(ROOT / path).read_text("utf-8")))
    return files


def on_page_markdown(markdown, page, **_):
    """Links between files as links between pages; above a file that is shown, its name."""
    here = page.file.src_uri
    path = next((path for path, place in PLACES.items() if place == here), f"docs/{here}")

    def moved(link):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), link[2]))
        return f"{link[1]}{PLACES.get(target, target.removeprefix('docs/'))}{link[3] or ''})"

    return _FILE_SHOWN.sub(r"`\2`:\n\n```\1", _LINK.sub(moved, markdown))
