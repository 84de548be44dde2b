"""A budget of statements for each package, so that growth is a decision.

If a change needs more, raise the row in the same commit and say why in its message.
`python tests/repository/test_size.py` writes the whole table anew, from what there is plus 3%.
"""

import ast
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
HEADROOM = 1.03
MOST_STATEMENTS = {
    "analysis": 726,
    "base": 2700,
    "benchmark": 599,
    "celab": 111,
    "cli": 4097,
    "corpus": 4143,
    "distributed": 388,
    "evaluation": 8143,
    "exact": 907,
    "family": 896,
    "integrations": 285,
    "lexicon": 1887,
    "metrics": 4205,
    "pivot": 573,
    "report": 1686,
    "serve": 839,
    "statistics": 657,
}


def is_statement(node):
    """Return whether a node is a statement; docstrings and other lone strings are not."""
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return isinstance(node, ast.stmt) and not (is_text and isinstance(node.value.value, str))


def n_statements(source):
    """Return the number of statements, which formatting does not change."""
    return sum(map(is_statement, ast.walk(ast.parse(source))))


def sizes():
    """Return the statements of each package; those of modules at the top are called celab."""
    counts = Counter()
    for path in (ROOT / "celab").rglob("*.py"):
        package, *rest = path.relative_to(ROOT / "celab").parts
        counts[package if rest else "celab"] += n_statements(path.read_text(encoding="utf-8"))
    return {package: n for package, n in counts.items() if n}


def test_statements_are_counted():
    assert n_statements('"""A docstring."""\nx = 1; y = 2\nif x:\n    "text"\n    del y\n') == 4


def test_a_package_stays_within_its_budget():
    counts = sizes()
    assert counts.keys() == MOST_STATEMENTS.keys()
    large = {name: n for name, n in counts.items() if n > MOST_STATEMENTS[name]}
    assert not large, (
        "these packages have more statements than their budgets: delete what nothing needs, or"
        " raise the row in MOST_STATEMENTS in the same commit and say why in its message"
    )


if __name__ == "__main__":
    rows = [f'    "{name}": {int(n * HEADROOM)},\n' for name, n in sorted(sizes().items())]
    this = Path(__file__)
    before, begin, rest = this.read_text(encoding="utf-8").partition("MOST_STATEMENTS = {\n")
    after = rest[rest.index("}\n") :]
    this.write_text("".join([before, begin, *rows, after]), encoding="utf-8")
