"""One function writes to standard error while a command works, and one function warns."""

import ast

from conftest import ROOT

# The function that writes; whether it is a terminal; what was printed before an output is written.
STDERR = {
    "celab/cli/terminal.py": {"print_error"},
    "celab/cli/progress.py": {"is_welcome"},
    "celab/base/io/atomic.py": {"_open_special"},
}
WARN = {"celab/base/messages.py": {"_say"}}


def uses(module, attribute):
    """The functions in which an attribute of a module is used, by path."""
    found = {}
    for path in sorted((ROOT / "celab").rglob("*.py")):
        for function in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(function, ast.FunctionDef) and any(
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and (node.value.id, node.attr) == (module, attribute)
                for node in ast.walk(function)
            ):
                found.setdefault(str(path.relative_to(ROOT)), set()).add(function.name)
    return found


def test_one_function_writes_to_standard_error():
    assert uses("sys", "stderr") == STDERR


def test_one_function_warns():
    assert uses("warnings", "warn") == WARN
