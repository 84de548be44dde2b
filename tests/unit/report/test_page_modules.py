"""The modules of the pages: what they import exists, and nothing is there that no page needs."""

import re
from collections import Counter

import pytest
from conftest import ROOT

from celab.report.html import page

PAGES = {
    "report": page.SCRIPT,
    "meta": page.META_SCRIPT,
    "board": page.BOARD_SCRIPT,
    "check": page.UNSCORED_SCRIPT,
    "playground": page.PLAYGROUND_SCRIPT,
}
MODULES = sorted({name for first in PAGES.values() for name in page.modules_of(first)})
TOP = re.compile(
    r"^(export )?(?:async function|function|class|const|let) (\w+|[{\[][^=]*?[}\]])", re.M
)


def names_at_top(name, *, exported=False):
    """Return the names that a module declares outside of functions."""
    for export, names in TOP.findall(page.source_of(name)):
        if export or not exported:
            yield from re.findall(r"\w+(?=\s*[,}\]]|$)", names)


def test_every_module_is_of_a_page():
    files = (ROOT / "celab" / "report" / "html" / "templates").glob("*.js")
    assert sorted({path.name for path in files} | {page.CONSTANTS}) == MODULES


@pytest.mark.parametrize("first", PAGES.values(), ids=PAGES)
def test_what_a_module_imports_is_exported(first):
    for name in page.modules_of(first):
        for module, names in page.imports_of(name, first).items():
            assert set(names) <= set(names_at_top(module, exported=True)), (name, module)


def test_what_is_exported_is_imported():
    exported = {(name, each) for name in MODULES for each in names_at_top(name, exported=True)}
    imported = {
        (module, each)
        for first in PAGES.values()
        for name in page.modules_of(first)
        for module, names in page.imports_of(name, first).items()
        for each in names
    }
    assert exported - imported == set()


@pytest.mark.parametrize("first", PAGES.values(), ids=PAGES)
def test_modules_of_a_page_share_a_scope_without_clashes(first):
    names = Counter(each for name in page.modules_of(first) for each in names_at_top(name))
    assert [name for name, n in names.items() if n > 1] == []
    assert "import {" not in page.script_of(first)
