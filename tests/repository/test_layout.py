"""Tests are where one looks for them: a unit test has the name of the module that it tests."""

from collections import Counter

import pytest
from conftest import ROOT

PACKAGE, UNIT = ROOT / "celab", ROOT / "tests" / "unit"
NATIVE = PACKAGE / "_native"


def names_of(folder):
    """Return how tests of the modules in a folder of the package may be called.

    A name that two modules share has the names of their packages in front: `meta_dataset`.
    """
    modules = [path for path in folder.rglob("*") if path.suffix in (".py", ".pyx")]
    packages = {path.parent for path in modules}
    found = set()
    for path in (*modules, *packages):
        words = [word.lstrip("_") for word in path.relative_to(PACKAGE).with_suffix("").parts]
        found |= {"_".join(words[start:]) for start in range(len(words))}
    return found


def misnamed(tests):
    """Return the paths of those test files that no module or package has given its name to."""
    wrong = []
    for test in tests:
        folder = NATIVE if test.parts[0] == "native" else PACKAGE / test.parts[0]
        if not folder.is_dir() or test.stem.removeprefix("test_") not in names_of(folder):
            wrong.append(test.as_posix())
    return wrong


def test_unit_tests_are_named_after_modules():
    tests = sorted(path.relative_to(UNIT) for path in UNIT.rglob("*.py"))
    assert tests and misnamed(tests) == []


@pytest.mark.parametrize(
    ("path", "is_right"),
    [
        ("evaluation/test_meta_dataset.py", True),
        ("evaluation/test_dataset.py", True),
        ("evaluation/test_meta.py", True),
        ("native/test_cover.py", True),
        ("pivot/test_pivot.py", True),
        ("family/test_pivot.py", False),
        ("evaluation/test_library.py", False),
        ("everything/test_cover.py", False),
    ],
)
def test_what_counts_as_a_name(path, is_right):
    test = (UNIT / path).relative_to(UNIT)
    assert misnamed([test]) == ([] if is_right else [path])


def test_no_two_test_files_have_one_name():
    # pytest imports them by their names alone.
    counts = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, count in counts.items() if count > 1] == []


def test_every_kernel_has_a_stub_and_a_header():
    kernels = {path.stem for path in NATIVE.glob("*.pyx")}
    assert kernels
    assert {path.stem for path in NATIVE.glob("*.pyi")} == kernels
    assert kernels <= {path.stem for path in NATIVE.glob("*.pxd")}
