"""One word for a thing: unique names of classes, comments in sentences, verdicts about scores."""

import ast
import io
import re
import tokenize
from collections import defaultdict

import pytest
from conftest import ROOT

PACKAGE = ROOT / "celab"
MODULES = sorted(PACKAGE.rglob("*.py"))
KERNELS = sorted(path for path in PACKAGE.glob("_native/*.p*") if path.suffix != ".py")
FOLDERS = sorted({path.relative_to(PACKAGE).parts[0] for path in MODULES})

MAX_SHARED_PRIVATE_CLASSES = 10
# Python's tokenizer does not read Cython; its comments stand two spaces behind the code.
CYTHON_COMMENT = re.compile(r"\S.*?  (#.*)")
# A word with which no comment begins: the noun that it lacks belongs in the name, or in a sentence.
FRAGMENT = re.compile(r"#\s+(?:of|by|in|that|which|whose|from|to|as|without|with|for)\b")
# A comment on lines of its own begins with its noun, too; only `In` or `With` may begin a sentence.
OPENING = re.compile(r"#\s+(?:of|that|which|whose|those|what|by)\b", re.IGNORECASE)
JUDGING = re.compile(r"\b(?:better|worse|best|worst)\b", re.IGNORECASE)
# What is no verdict on a translation: names of flags, columns and lists, values in JSON, and the
# scale of a metric.
NO_VERDICT = re.compile(
    r"fail-if-worse|(?:lower|higher)[- ]is[- ]better|(?:lower|higher) human scores are better"
    r"|n-?best|the candidate that agrees best|best\.zh|--worst|the N worst segments"
    r"|segment, better, worse|: better is | and worse is |1 is the best|choose the best of"
    r"|fit others of \{1\} better|much better than their own|Higher scores are better"
    r"|^(?:better|worse|best|worst)$|best start",
    re.IGNORECASE,
)


def shared_classes(sources):
    """The names of classes that several modules define, with these modules."""
    modules = defaultdict(list)
    for name, source in sources.items():
        for node in ast.parse(source).body:
            if isinstance(node, ast.ClassDef):
                modules[node.name].append(name)
    return {name: found for name, found in modules.items() if len(found) > 1}


def trailing_fragments(source):
    """The comments behind code that are fragments, with their lines."""
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        line, column = token.start
        is_comment = token.type == tokenize.COMMENT
        if is_comment and lines[line - 1][:column].strip() and FRAGMENT.match(token.string):
            yield f"{line}: {token.string}"


def trailing_kernel_fragments(source):
    """The same of a program in Cython."""
    for number, line in enumerate(map(str.strip, source.splitlines()), 1):
        comment = CYTHON_COMMENT.match(line)
        if comment and not line.startswith("#") and FRAGMENT.match(comment[1]):
            yield f"{number}: {comment[1]}"


def opening_fragments(source):
    """The comments on lines of their own that begin as fragments, with their lines."""
    before = ""
    for number, line in enumerate(map(str.strip, source.splitlines()), 1):
        if OPENING.match(line) and not before.startswith("#"):
            yield f"{number}: {line}"
        before = line


def judging_texts(source):
    """The texts of a program that call something better or worse; documentation is none."""
    tree = ast.parse(source)
    documented = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        value = getattr(node, "value", None) if isinstance(node, ast.Constant) else None
        is_text = isinstance(value, str) and id(node) not in documented
        if is_text and JUDGING.search(NO_VERDICT.sub("", value)):
            yield f"{node.lineno}: {value[:80]}"


def module_name(path):
    return path.relative_to(PACKAGE).as_posix()


def read(path):
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def shared():
    found = shared_classes({module_name(path): read(path) for path in MODULES})
    print(*(f"{name}: {', '.join(modules)}" for name, modules in sorted(found.items())), sep="\n")
    return found


def test_public_names_of_classes_are_unique(shared):
    public = {name for name in shared if not name.startswith("_")}
    assert public == set()


def test_few_private_classes_share_a_name(shared):
    private = [name for name in shared if name.startswith("_")]
    assert len(private) <= MAX_SHARED_PRIVATE_CLASSES


@pytest.mark.parametrize("folder", FOLDERS)
def test_trailing_comments_are_no_fragments(folder):
    paths = [path for path in MODULES if path.relative_to(PACKAGE).parts[0] == folder]
    fragments = [f"{path.name}:{line}" for path in paths for line in trailing_fragments(read(path))]
    assert fragments == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_comments_begin_with_a_noun(folder):
    paths = [path for path in MODULES if path.relative_to(PACKAGE).parts[0] == folder]
    fragments = [f"{path.name}:{line}" for path in paths for line in opening_fragments(read(path))]
    assert fragments == []


@pytest.mark.parametrize("path", KERNELS, ids=module_name)
def test_comments_of_kernels_are_no_fragments(path):
    source = read(path)
    assert [*trailing_kernel_fragments(source), *opening_fragments(source)] == []


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_messages_are_about_scores_not_quality(path):
    texts = list(judging_texts(read(path)))
    assert texts == []


def test_all_of_these_are_seen():
    sources = {"a": "class A: ...\nclass B: ...", "b": "class A: ..."}
    assert shared_classes(sources) == {"A": ["a", "b"]}
    source = "LEAST = 5  # of segments\nn = 1  # segments\n# of a block\n"
    assert list(trailing_fragments(source)) == ["1: # of segments"]
    assert list(opening_fragments(source)) == ["3: # of a block"]
    source = "    MOST = 5  # of segments\n    i32_t word  # word of the lexicon\n"
    assert list(trailing_kernel_fragments(source)) == ["1: # of segments"]
    texts = '"""A is better."""\nx = "A is better"\ny = "--fail-if-worse needs n-best lists"\n'
    assert list(judging_texts(texts)) == ["2: A is better"]
