"""What a command imports before it prints: modules that it does not need cost every user time."""

import subprocess
import sys

import pytest
from conftest import ROOT

import celab

SCRIPT = """
import sys
from celab.cli.{module} import main
try:
    main({words!r})
except SystemExit:
    pass
print("\\n", *sys.modules, file=sys.stderr, sep="\\n")
"""
FILES = [str(ROOT / "examples" / name) for name in ("ref1.zh", "hyp1.zh")]
COMMANDS = {"celab-score": ("score", FILES), "celab score": ("main", ["score", *FILES])}
NETWORK = {"email", "http", "ssl", "socket"}
# Of other commands, other metrics and other files than these.
OTHERS = {
    "celab.words",
    "celab.corpus.align",
    "celab.cli.batches",
    "celab.findings.markup",
    "celab.people",
    "celab.systems.pair",
    "celab.terminology",
    "celab.exact.solve",
    "celab.lexicon.readers",
    "celab.metrics.dicomer",
    "celab.report",
    "concurrent.futures",
    "fractions",
    "highspy",
    "jinja2",
    "numpy.ma",
    "numpy.random",
    "rich",
    "sacrebleu",
}


@pytest.fixture(params=COMMANDS, scope="module")
def modules(request):
    """Return the names of all modules that a command on two files has imported at its end."""
    celab.TeslaCelab()  # compiles the lexicon, once
    module, words = COMMANDS[request.param]
    command = [sys.executable, "-c", SCRIPT.format(module=module, words=words)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.startswith("TESLA-CELAB = 0.8796 ")
    return done.stderr.split("\n\n", 1)[1].split()


def test_a_score_needs_neither_the_network_nor_other_commands(modules):
    assert [name for name in modules if name.partition(".")[0] in NETWORK] == []
    assert sorted(OTHERS.intersection(modules)) == []
