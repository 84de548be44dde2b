"""Imports of our own modules are at the top of a module, unless a command would load more by that.

An import in a function is for what `celab score` does not use: a format, a metric, a page, people's
scores. What it loads in any case is imported at the top. An import for types alone says why.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from commands import REF, A
from conftest import ROOT

import celab

MODULES = sorted(Path(celab.__file__).parent.rglob("*.py"))


def imported(node):
    """Return the modules of ours that an import loads."""
    if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("celab"):
        return set()
    names = {f"{node.module}.{name.name}" for name in node.names}
    return {name for name in names if is_module(name)} or {node.module}


def is_module(name):
    path = ROOT / name.replace(".", "/")
    return path.with_suffix(".py").exists() or path.is_dir() or "._native." in name


def late_imports(tree):
    functions = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return {module for top in functions for node in ast.walk(top) for module in imported(node)}


def loaded_by(*words):
    """Return the modules that a command line loads."""
    code = (
        "import sys; from celab.cli.main import main;"
        f"main({words!r}); sys.exit(str([*sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return set(ast.literal_eval(done.stderr.splitlines()[-1]))


@pytest.fixture(scope="module")
def loaded():
    """The modules that `celab score` loads to score a file, with a lexicon that is cached."""
    words = ("score", REF, A, "--quiet")
    loaded_by(*words)
    names = {name for name in loaded_by(*words) if name.startswith("celab")}
    assert "celab.systems.campaign" in names
    return names


@pytest.fixture(scope="module")
def without_numpy():
    """The modules that `celab --help` loads; the build, which has no NumPy, loads no others."""
    names = loaded_by("--help")
    assert "numpy" not in names and "celab.cli.arguments" in names
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_is_loaded_anyway_is_imported_at_the_top(path, loaded, without_numpy):
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    late = late_imports(ast.parse(path.read_text("utf-8"))) & loaded
    assert (late & without_numpy if name in without_numpy else late) == set()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_an_import_for_types_says_why(path):
    text = path.read_text("utf-8")
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            own = [child for child in node.body if imported(child)]
            assert not own or lines[own[0].lineno - 2].lstrip().startswith("# ")
