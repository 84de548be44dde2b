"""Records of many fields and calls of many arguments name them, so that no pair is swapped."""

import ast

import pytest
from conftest import ROOT

MAX_POSITIONAL_FIELDS = 5
MAX_POSITIONAL_ARGUMENTS = 6
# Calls of any number of equal arguments, and one whose parameters have no names.
UNNAMED = {"Record", "passModel"}
FOLDERS = ("bench", "celab", "docs", "examples")
PATHS = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


def positional_fields(node):
    """The fields of a dataclass, up to `_: KW_ONLY`."""
    for each in node.body:
        if isinstance(each, ast.AnnAssign):
            text = ast.unparse(each)
            if text == "_: KW_ONLY":
                return
            if "ClassVar" not in text:
                yield each


def positional_classes(source):
    """(line, class) of dataclasses of many fields that are made by position."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef):
            decorators = [ast.unparse(each) for each in node.decorator_list]
            fields = [*positional_fields(node)]
            is_dataclass = any(each.partition("(")[0] == "dataclass" for each in decorators)
            is_named = any("kw_only=True" in each for each in decorators)
            if is_dataclass and not is_named and len(fields) > MAX_POSITIONAL_FIELDS:
                yield node.lineno, node.name


def positional_calls(source):
    """(line, function) of calls with many arguments by position."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and len(node.args) > MAX_POSITIONAL_ARGUMENTS:
            name = ast.unparse(node.func)
            if name.rpartition(".")[2] not in UNNAMED:
                yield node.lineno, name


@pytest.mark.parametrize("path", PATHS, ids=lambda path: str(path.relative_to(ROOT)))
def test_many_fields_and_arguments_are_named(path):
    source = path.read_text(encoding="utf-8")
    assert list(positional_classes(source)) == [], "add kw_only=True"
    assert list(positional_calls(source)) == [], "name the arguments"


def test_both_are_seen():
    fields = "\n    ".join(f"{name}: int" for name in "abcdef")
    record = f"(frozen=True)\nclass Record:\n    {fields}\n"
    assert list(positional_classes(f"@dataclass{record}")) == [(2, "Record")]
    assert list(positional_classes(f"@dataclass{record.replace(')', ', kw_only=True)')}")) == []
    assert list(positional_classes(f"@dataclass{record}    _: KW_ONLY\n")) == [(2, "Record")]
    some = record.replace("\n    c:", "\n    _: KW_ONLY\n    c:")
    assert list(positional_classes(f"@dataclass{some}")) == []
    assert list(positional_calls("x.f(1, 2, 3, 4, 5, 6, 7)")) == [(1, "x.f")]
    assert list(positional_calls("f(1, 2, 3, 4, 5, 6, g=7)")) == []
