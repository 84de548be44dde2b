"""TESLA metrics for machine translation: exact, fast, explainable.

`score`, `compare`, `explain` and `check` take plain lists and strings, `Campaign` reads files, and
classes such as `TeslaCelab` are the metrics. docs/python.md shows all of it.

>>> import celab
>>> metric = celab.TeslaCelab()
>>> metric.sentence_score("买伞", ["买雨伞"]).score
1.0
"""

from celab.base import interrupt as _interrupt  # noqa: F401 (first, for Ctrl-C while others load)

# isort: split
import ast
import importlib
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

# The module of each public name, from the stub beside this file. A name is imported when it is
# first used: most load NumPy and the kernels, and who wants the version need not wait for them.
_MODULES = {
    name.name: str(statement.module)
    for statement in ast.parse(Path(__file__).with_suffix(".pyi").read_text("utf-8")).body
    if isinstance(statement, ast.ImportFrom)
    for name in statement.names
}
__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'celab' has no attribute {name!r}")
    if _MODULES[name] == "celab":
        return importlib.import_module(f"celab.{name}")
    value = getattr(__import__(_MODULES[name], fromlist=[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


# Python prefers the folder it is started in to an installed celab; only a source tree has a .pyx.
_NATIVE = Path(__file__).resolve().with_name("_native")
_KERNELS = [_NATIVE / f"cover{suffix}" for suffix in EXTENSION_SUFFIXES]
if (_NATIVE / "cover.pyx").exists() and not any(kernel.exists() for kernel in _KERNELS):
    raise ImportError(
        f"{_NATIVE.parents[1]}: this is the source tree without compiled kernels:"
        " run `pip install -e .`, or start Python elsewhere"
    )
