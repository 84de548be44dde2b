"""Tests that need the package of a language are skipped where it is not installed."""

import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT

HIDING = """
import importlib.metadata
import sys

HIDDEN = ("HanTa", "simplemma", "wordfreq")  # the extra de
sys.modules.update(dict.fromkeys(HIDDEN))
version = importlib.metadata.version


def visible_version(name):
    if name in HIDDEN:
        raise importlib.metadata.PackageNotFoundError(name)
    return version(name)


importlib.metadata.version = visible_version
"""
GERMAN = (
    "tests/unit/metrics/test_celab.py",
    "tests/unit/metrics/test_metrics_registry.py",
    "tests/unit/lexicon/test_catalog.py",
    "celab/words/compounds.py",  # doctests
)


@pytest.mark.thorough
def test_german_is_skipped_with_the_reason(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(HIDING, "utf-8")
    done = subprocess.run(
        # Chinese would compile a large lexicon.
        [sys.executable, "-m", "pytest", "-rs", "-p", "no:cacheprovider", "-k", "not zh", *GERMAN],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    reason = re.compile(
        r"package 'wordfreq' is not installed and this analysis needs it: pip install .*\[de\]\"$"
    )
    skipped = [line for line in done.stdout.splitlines() if reason.search(line)]
    for path in (*GERMAN[:2], GERMAN[-1]):  # test_catalog.py needs none of the packages
        assert any(path in line for line in skipped), (path, done.stdout)


def test_commands_that_install_extras_are_quoted():
    # zsh expands what is not quoted.
    unquoted = re.compile(r"pip install (?:-e )?[^\s\"`']*\[")
    sources = [*ROOT.glob("celab/**/*.py"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md")]
    assert unquoted.search("pip install celab[de]") and unquoted.search("pip install -e .[de]")
    wrong = [path for path in sources if unquoted.search(path.read_text("utf-8"))]
    assert not wrong
