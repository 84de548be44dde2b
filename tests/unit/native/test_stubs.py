"""The stubs of the compiled modules say what the modules have."""

import subprocess
import sys
from pathlib import Path

from conftest import ROOT

NATIVE = ROOT / "celab" / "_native"


def test_every_kernel_has_a_stub_and_a_header():
    kernels = sorted(path.stem for path in NATIVE.glob("*.pyx"))
    assert kernels
    assert sorted(path.stem for path in NATIVE.glob("*.pyi")) == kernels
    assert set(kernels) <= {path.stem for path in NATIVE.glob("*.pxd")}


def test_stubs_agree_with_the_kernels():
    allowlist = Path(__file__).with_name("stubtest-allowlist.txt")
    command = [sys.executable, "-m", "mypy.stubtest", "celab._native", "--concise"]
    command += ["--mypy-config-file", "pyproject.toml"]  # which packages may be absent
    command += ["--allowlist", str(allowlist), "--ignore-unused-allowlist"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
