"""A source tree whose kernels are not compiled says so, and what to do."""

import os
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

MESSAGE = (
    "{}: this is the source tree without compiled kernels: run `pip install -e .`, or start Python"
    " elsewhere"
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the package as a clone has it, before anything is built."""
    folder = tmp_path_factory.mktemp("tree").resolve()
    ignored = shutil.ignore_patterns("*.so", "*.pyd", "*.cpp", "_shared.c", "*.lex", "__pycache__")
    shutil.copytree(ROOT / "celab", folder / "celab", ignore=ignored)
    shutil.copytree(ROOT / "lexicons", folder / "lexicons")
    return folder


def run(tree, *arguments):
    """The exit code and both outputs of Python started in the tree."""
    command = [sys.executable, *arguments]
    environment = os.environ | {"PYTHONPATH": str(tree), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, encoding="utf-8")
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "module",
    ["celab", "celab.base.version", "celab.metrics.celab", "celab._native.cover", "celab.cli"],
)
def test_an_import_says_what_to_do(tree, module):
    script = f"try:\n    import {module}\nexcept ImportError as error:\n    print(error)"
    assert run(tree, "-c", script) == (0, MESSAGE.format(tree) + "\n", "")


@pytest.mark.parametrize(
    "arguments", ["celab", "celab --version", "celab score a b", "celab.cli.main"]
)
def test_the_last_line_of_a_command_says_it(tree, arguments):
    code, _, error = run(tree, "-m", *arguments.split())
    assert code == 1 and error.splitlines()[-1] == f"ImportError: {MESSAGE.format(tree)}"


def test_a_script_of_the_user_gets_the_exception(tree, tmp_path):
    script = tmp_path / "celab_scores.py"
    script.write_text("import celab\n", "utf-8")
    code, _, error = run(tree, str(script))
    assert code == 1 and error.splitlines()[-1] == f"ImportError: {MESSAGE.format(tree)}"


def test_a_package_without_sources_is_not_checked(tree, tmp_path):
    # As a wheel: what it lacks is another fault, and `pip install -e .` would not help.
    shutil.copytree(tree / "celab", tmp_path / "celab", ignore=shutil.ignore_patterns("*.pyx"))
    assert run(tmp_path, "-c", "import celab") == (0, "", "")
    code, _, error = run(tmp_path, "-c", "import celab._native.cover")
    assert code == 1 and "No module named 'celab._native.cover'" in error


def test_the_build_reads_the_tree_without_kernels(tree):
    # The lines of setup.py above the compiler's options.
    head, mark, _ = (ROOT / "setup.py").read_text("utf-8").partition("\n\ndef is_set")
    assert mark
    (tree / "setup.py").write_text(head, "utf-8")
    assert run(tree, "setup.py") == (0, "", "")
    assert list((tree / "celab" / "lexicon" / "bundled").glob("*.lex"))
