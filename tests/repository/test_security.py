"""docs/security.md: every promise names its tests, and these exist."""

import ast
import functools
import re

import pytest
from conftest import ROOT

PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
SECTIONS = ["A file from elsewhere", "A number", "Output files", "An interruption", "A request"]
ROW = re.compile(r"\| ([^|]+) \| ([^|]+) \|")
PROMISES = {
    promise: tests.split()
    for section in SECTIONS
    for promise, tests in ROW.findall(PAGE.partition(f"## {section}\n")[2].partition("\n## ")[0])
    if promise != "promise"
}


@functools.cache
def functions_in(path):
    """Return the names of the tests of a file."""
    tree = ast.parse((ROOT / "tests" / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_section_has_promises():
    assert len(PROMISES) > 30
    for section in SECTIONS:
        body = PAGE.partition(f"## {section}\n")[2].partition("\n## ")[0]
        assert "| promise | tests |" in body, section


@pytest.mark.parametrize("promise", PROMISES)
def test_a_promise_names_tests_that_exist(promise):
    for name in PROMISES[promise]:
        path, _, test = name.strip("`").partition("::")
        assert test in functions_in(path), (
            f"{name} is not there; docs/security.md promises: {promise}"
        )
