"""Fuzzing in short: seeded cases of every target; `tests/fuzz/run.py` is the long form."""

import os
import random
import subprocess
import sys

import pytest
from conftest import ROOT

from fuzz import inputs, targets
from fuzz.target import run_case
from fuzz.targets import TARGETS

# As many cases as take about a quarter of a second; `make check` tries more.
N_CASES = {
    "celab": 30,
    "repeated": 7,
    "tesla-m": 50,
    "normalize": 250,
    "source": 75,
    "compiled": 150,
    "recompiled": 12,
    "corpus": 500,
    "command": 12,
    "glossary": 75,
    "crafted": 20,
    "arpa": 150,
    "model": 50,
    "weights": 150,
    "json": 500,
    "words": 20,
    "request": 60,
    "outputs": 20,
    "names": 15,
    "judges": 300,
    "spans": 300,
    "signals": 1,
}
pytestmark = pytest.mark.thorough


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Where cases put their files and their compiled lexicons."""
    monkeypatch.setenv("CELAB_LEXICONS", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", TARGETS)
def test_seeded_cases(folder, monkeypatch, name):
    # Those that HiGHS solves take it milliseconds; there are long ones that it never solves.
    monkeypatch.setattr(targets, "TIME_LIMIT", 1.0)
    target = TARGETS[name]
    taken = 0
    for seed in range(N_CASES[name]):
        taken += run_case(target, target.make(random.Random(seed)), folder)
    assert taken or name == "signals"  # else all could pass by being refused; signals come late


@pytest.mark.parametrize("name", TARGETS)
def test_a_seed_makes_the_same_case_again(name):
    make = TARGETS[name].make
    cases = [make(random.Random(seed)) for seed in range(20)]
    assert [repr(make(random.Random(seed))) for seed in range(20)] == list(map(repr, cases))
    assert len(set(map(repr, cases))) > 10


# ---- compiled lexicons ------------------------------------------------------------------------


# ---- the driver -------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="the driver needs signals and limits of POSIX")
def test_the_driver_runs_and_counts(tmp_path):
    command = [
        sys.executable,
        str(ROOT / "tests" / "fuzz" / "run.py"),
        "normalize",
        "compiled",
        "--minutes",
        "0.005",
        "--keep",
        str(tmp_path / "kept"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = dict(line.split(maxsplit=1) for line in done.stdout.splitlines() if line)
    assert all(int(rows[name].split()[0]) > 0 for name in ("normalize", "compiled", "all"))
    assert not (tmp_path / "kept").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="the driver needs signals and limits of POSIX")
@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("raise ZeroDivisionError('it')", "ZeroDivisionError: it"),
        ("import os; os.abort()", "exit code -6"),
        ("while True: pass", "a case that takes more than 1 s"),
        pytest.param(
            "bytearray(4 << 30)",
            "MemoryError",
            marks=pytest.mark.unsanitized(
                reason="AddressSanitizer maps more memory than any limit allows"
            ),
        ),
        ("raise celab.SolverError('x')", "SolverError: x"),
        (
            "raise type('E', (celab.InputError,), {'__str__': lambda self: 'two\\nlines'})()",
            "AssertionError: two",
        ),
    ],
)
def test_the_driver_finds(tmp_path, fault, told):
    # A target with a fault in place of all true ones, in the driver and in its worker.
    (tmp_path / "sitecustomize.py").write_text(
        "import sys, types\n"
        f"sys.path[:0] = [{str(ROOT / 'tests')!r}, {str(ROOT)!r}]\n"
        "import celab, fuzz.run\n"
        "from fuzz.target import Target\n"
        "def check(case, folder):\n"
        f"    {fault}\n"
        "targets = sys.modules['fuzz.targets'] = types.ModuleType('fuzz.targets')\n"
        "targets.TARGETS = {'faulty': Target(lambda rng: rng.random(), check)}\n"
    )
    script = (
        "import sys, fuzz.run\n"
        "fuzz.run.SECONDS_A_CASE = 1\n"
        "fuzz.run.__file__ = sys.argv[0]\n"
        "sys.exit(fuzz.run.main())\n"
    )
    (tmp_path / "driver.py").write_text(script)
    command = [
        sys.executable,
        str(tmp_path / "driver.py"),
        "faulty",
        "--minutes",
        "0.004",
        "--keep",
        str(tmp_path / "kept"),
    ]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    kept = sorted((tmp_path / "kept").iterdir())
    assert kept and told in kept[0].read_text("utf-8")


def test_damage_changes_bytes():
    rng = random.Random(0)
    changed = sum(inputs.damaged(rng, bytes(100), [b"x"]) != bytes(100) for _ in range(100))
    assert changed > 80
