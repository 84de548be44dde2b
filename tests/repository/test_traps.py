"""Traps of modules that were joined or moved: names that are assigned or imported twice, doctests
in comments, names in backticks that are gone, and blocks of imports without any.
"""

import ast
import importlib
import io
import re
import tokenize
from collections import Counter

import pytest
from conftest import ROOT

MODULES = sorted((ROOT / "celab").rglob("*.py"))
KERNELS = sorted((ROOT / "celab" / "_native").glob("*.p[yx][xdi]"))
PAGES = [ROOT / "CONTRIBUTING.md", ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
# Names of other programs and file formats, and names that users of apps and tables chose.
THEIRS = {"DecompressionStream", "alignUnits", "metric_list", "rPh", "s_ms", "s_pos", "segmentId"}
THEIRS |= {"GPUs", "GitHub", "IGNORE_TIME_SEGMENT_IN_SCORING", "level_0", "log_is", "refA"}
THEIRS |= {"zho_Hans"}
PLACEHOLDER = "NAME"


def read(path):
    return path.read_text(encoding="utf-8")


def name(path):
    return str(path.relative_to(ROOT))


def repeated(names):
    return [name for name, n in Counter(names).items() if n > 1]


def constants(tree):
    """The constants that are assigned at the top of a module."""
    for node in tree.body:
        if isinstance(node, ast.Assign) or (isinstance(node, ast.AnnAssign) and node.value):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name) and target.id.strip("_").isupper():
                    yield target.id


def imports(nodes):
    """The imports among nodes: module, name and the name here."""
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = getattr(node, "module", None)
            yield from ((module, alias.name, alias.asname) for alias in node.names)


def imports_twice(tree):
    """What is imported at the top twice, or at the top and in a function again."""
    top = list(imports(tree.body))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    late = {found for function in functions for found in imports(ast.walk(function))}
    return repeated(top) + sorted(set(top) & late, key=str)


def empty_blocks(tree):
    """The lines of `if TYPE_CHECKING` with nothing below."""
    for node in ast.walk(tree):
        is_block = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        if is_block and all(isinstance(child, ast.Pass) for child in node.body):
            yield node.lineno


def commented_doctests(source):
    return [n for n, line in enumerate(source.splitlines(), 1) if re.match(r"\s*# >>>", line)]


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_nothing_stands_twice_or_in_vain(path):
    source = read(path)
    tree = ast.parse(source)
    assert repeated(constants(tree)) == [], "assigned twice: the second counts for both"
    assert imports_twice(tree) == []
    assert list(empty_blocks(tree)) == []
    assert commented_doctests(source) == [], "nothing runs these: they belong in a docstring"


def test_all_of_these_are_seen():
    twice = "_DEEPEST = 10\nn = 1\nn = 2\n_DEEPEST: int = 5"
    assert repeated(constants(ast.parse(twice))) == ["_DEEPEST"]
    late = "import re\nimport os\nimport os\ndef f():\n    import re\n    import os.path"
    assert imports_twice(ast.parse(late)) == [(None, "os", None), (None, "re", None)]
    block = "if TYPE_CHECKING:\n    {}\n"
    assert list(empty_blocks(ast.parse(block.format("pass")))) == [1]
    assert list(empty_blocks(ast.parse(block.format("from a import b")))) == []
    assert commented_doctests("def f():\n    # >>> f()\n    # 1\n") == [2]


# ---- names in backticks --------------------------------------------------------------------------


def documentation(tree):
    """The docstrings of a module."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, kinds) and (text := ast.get_docstring(node, clean=False)):
            yield text


def comments(source):
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


@pytest.fixture(scope="module")
def known():
    """All names of the code, and all words of its strings that are not documentation."""
    words = {word for path in KERNELS for word in re.findall(r"\w+", read(path))}
    for path in MODULES:
        documented = {*documentation(ast.parse(read(path)))}
        for node in ast.walk(ast.parse(read(path))):
            value = getattr(node, "value", None) if isinstance(node, ast.Constant) else None
            if isinstance(value, str) and value not in documented:
                words.update(re.findall(r"\w+", value))
        for token in tokenize.generate_tokens(io.StringIO(read(path)).readline):
            if token.type == tokenize.NAME:
                words.add(token.string)
    return words


def is_code(word):
    """Whether a word looks like a name of ours: it has an underscore, or two capitals in it."""
    return "_" in word.strip("_") or word[:1] == "_" or bool(re.search("[a-z][A-Z]", word))


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_names_in_backticks_exist(path, known):
    for text in (*documentation(ast.parse(read(path))), *comments(read(path))):
        for quoted in re.findall(r"`([A-Za-z_][\w.]*)(?:\(\))?`", text):
            gone = set(filter(is_code, quoted.split("."))) - known - THEIRS
            assert gone == set() or re.search(r"\.(dat|jsonl|tsv|txt)$", quoted), quoted


def exists(dotted):
    """Whether a name that begins with celab is a module, or can be reached from one."""
    parts = dotted.split(".")
    for n in range(len(parts), 0, -1):
        path = ROOT.joinpath(*parts[:n])
        if path.is_dir() or any(path.with_suffix(end).is_file() for end in (".py", ".pyx")):
            if n == len(parts):
                return True
            value = importlib.import_module(".".join(parts[:n]))
            for part in parts[n:]:
                if not hasattr(value, part):
                    return False
                value = getattr(value, part)
            return True
    return False


@pytest.mark.parametrize("path", [*MODULES, *KERNELS, *PAGES], ids=name)
def test_modules_and_files_in_backticks_exist(path):
    text = read(path)
    names = re.findall(r"`(celab(?:\.\w+)+)(?:\([^`]*\))?`", text)
    files = re.findall(r"`((?:celab|tests|bench|docs|lexicons|examples)/[\w./-]+)`", text)
    assert [name for name in names if PLACEHOLDER not in name and not exists(name)] == []
    assert [file for file in files if PLACEHOLDER not in file and not (ROOT / file).exists()] == []


def test_a_name_that_is_gone_is_seen():
    assert exists("celab.agreement.meta.evaluate") and exists("celab.score")
    assert not exists("celab.meta.agreement.Evaluated") and not exists("celab.scores")
    assert is_code("_deepest") and is_code("PairDrawing") and is_code("n_resamples")
    assert not is_code("right") and not is_code("US")
