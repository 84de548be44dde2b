"""What commands say: one function writes it and one function warns, and every line has one form."""

import ast
import re

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


LEVELS = ["warning", "finding", "note"]
LINE = re.compile(r"2> celab(?:-score| [a-z]+): (error|warning|finding|note): \S")
TRANSCRIPTS = sorted((ROOT / "tests" / "golden" / "transcripts").glob("*.console"))


def test_every_line_has_the_program_and_a_level_in_one_order():
    said = set()
    for path in TRANSCRIPTS:
        for command in re.split(r"^\$ ", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
            # GitHub's annotations have a form of their own.
            lines = [line for line in command.splitlines() if re.match(r"2> (?!::)", line)]
            found = [LINE.match(line) for line in lines]
            assert all(found), command
            levels = [match[1] for match in found]
            assert levels == ["error"] or levels == sorted(levels, key=LEVELS.index), command
            said.update(levels)
    assert said == {"error", *LEVELS}
