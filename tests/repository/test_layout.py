"""Tests are where one looks for them: a unit test has the name of the module that it tests."""

import ast
import re
from collections import Counter

import pytest
from conftest import ROOT

PACKAGE, UNIT = ROOT / "celab", ROOT / "tests" / "unit"
NATIVE = PACKAGE / "_native"
# Names that modules of several packages have because they mean the same thing in each.
SHARED_NAMES = {
    "app": "the application of a server; that of Hugging Face Spaces must have this name",
    "arguments": "of Python functions and of commands, as callers give them",
    "board": "results of many sets and versions: the command, the function and the page",
    "celab": "the metric; the module for Hugging Face evaluate must have this name",
    "chinese": "what is special about Chinese",
    "explain": "explanations of scores: the command and the function",
    "frames": "data frames, as input and as output",
    "lexicon": "synonym lexicons: the command and the class",
    "lines": "of files: bytes, and the files of a corpus",
    "meta": "meta-evaluation: the command and the function",
    "marked_errors": "errors that people marked: findings, and their section of a page",
    "mbr": "minimum Bayes risk: the command and the function",
    "model": "the data types of a package",
    "options": "fields that are parameters and flags: how they are made, and those of metrics",
    "record": "the columns of a feature's result, for programs",
    "reading": "files → the data types of a package",
    "results": "the types of results of a feature",
    "rules": "what a feature finds, and when",
    "scores": "of segments and systems",
    "significance": "tests: of scores, and of matrices",
    "tables": "what results show: of a view, and of findings",
    "view": "what is shown of a feature's result",
    "worker": "a process that works for another",
}


def names_of(folder):
    """Return how tests of the modules in a folder of the package may be called.

    A name that two modules share has the names of their packages in front: `meta_dataset`.
    """
    modules = [path for path in folder.rglob("*") if path.suffix in (".py", ".pyx", ".pxi")]
    packages = {path.parent for path in modules}
    found = set()
    for path in (*modules, *packages):
        words = [word.lstrip("_") for word in path.relative_to(PACKAGE).with_suffix("").parts]
        found |= {"_".join(words[start:]) for start in range(len(words))}
    return found


def misnamed(tests):
    """Return the paths of those test files that no module or package has given its name to.

    The name of a module may be followed by a subject, if it has several test files.
    """
    wrong = []
    for test in tests:
        folder = NATIVE if test.parts[0] == "native" else PACKAGE / test.parts[0]
        words = test.stem.removeprefix("test_").split("_")
        starts = {"_".join(words[:end]) for end in range(1, len(words) + 1)}
        if not folder.is_dir() or starts.isdisjoint(names_of(folder)):
            wrong.append(test.as_posix())
    return wrong


def test_unit_tests_are_named_after_modules():
    tests = sorted(path.relative_to(UNIT) for path in UNIT.rglob("*.py"))
    assert tests and misnamed(tests) == []


@pytest.mark.parametrize(
    ("path", "is_right"),
    [
        ("agreement/test_agreement_dataset.py", True),
        ("agreement/test_dataset.py", True),
        ("agreement/test_agreement.py", True),
        ("agreement/test_agreement_reading_of_files.py", True),
        ("native/test_cover.py", True),
        ("pivot/test_pivot.py", True),
        ("training/test_pivot.py", False),
        ("agreement/test_library.py", False),
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


def repeated_names():
    """Return the names that several Python modules have, apart from those of packages."""
    paths = [path for path in PACKAGE.rglob("*.py") if not path.stem.startswith("__")]
    counts = Counter(path.stem for path in paths)
    return {name for name, count in counts.items() if count > 1}


def test_a_name_of_modules_repeats_only_if_it_means_the_same():
    assert sorted(repeated_names() - SHARED_NAMES.keys()) == []


def definitions(name):
    """Return the modules of the package that define a class or a type of this name."""
    pattern = re.compile(rf"^(?:class {name}\b|{name}(?:: TypeAlias)? = )", re.MULTILINE)
    paths = sorted(PACKAGE.rglob("*.py"))
    return [path.stem for path in paths if pattern.search(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("name", ["Kind", "Part", "Table", "Pairs"])
def test_a_short_name_of_a_type_has_one_meaning(name):
    assert len(definitions(name)) == 1


def test_no_module_assigns_a_name_twice():
    # Of modules that became one, the constant of the second would hold for the first, too.
    twice = []
    for path in sorted([*PACKAGE.rglob("*.py"), *(ROOT / "tests").rglob("*.py")]):
        names = Counter[str]()
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.Assign):
                names.update(name.id for name in node.targets if isinstance(name, ast.Name))
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                names[ast.unparse(node.target)] += 1
        twice += [f"{path.relative_to(ROOT)}: {name}" for name, n in names.items() if n > 1]
    assert twice == []


def test_every_kernel_has_a_stub():
    kernels = {path.stem for path in NATIVE.glob("*.pyx")}
    assert kernels
    assert {path.stem for path in NATIVE.glob("*.pyi")} == kernels


def test_every_part_of_a_kernel_is_compiled_once():
    parts = [path.name for path in NATIVE.glob("*.pxi")]
    sources = "".join(path.read_text(encoding="utf-8") for path in NATIVE.glob("*.pyx"))
    assert sorted(re.findall(r'^include "(.*)"$', sources, re.MULTILINE)) == sorted(parts)
