"""The stubs of the compiled modules say what the modules have.

`make lint` compares them in depth, types included, which takes half a minute; this compares names,
parameters and defaults.
"""

import ast
import importlib
import inspect
from pathlib import Path

import pytest
from conftest import ROOT

NATIVE = ROOT / "celab" / "_native"
KERNELS = sorted(path.stem for path in NATIVE.glob("*.pyx"))
FUNCTIONS = ast.FunctionDef


def test_every_kernel_has_a_stub_and_a_header():
    assert KERNELS
    assert sorted(path.stem for path in NATIVE.glob("*.pyi")) == KERNELS
    assert set(KERNELS) <= {path.stem for path in NATIVE.glob("*.pxd")}


def stubbed(nodes):
    """The functions and classes of a stub, by name."""
    return {node.name: node for node in nodes if isinstance(node, FUNCTIONS | ast.ClassDef)}


def parameters(function):
    """The names of the parameters of a stub, without `self`, and which have a default."""
    given = [*function.args.posonlyargs, *function.args.args]
    n_required = len(given) - len(function.args.defaults)
    named = [(one.arg, at >= n_required) for at, one in enumerate(given)]
    return [pair for pair in named if pair[0] not in ("self", "cls")]


def has(function):
    """The same of a compiled function."""
    of = inspect.signature(function).parameters.values()
    named = [(one.name, one.default is not inspect.Parameter.empty) for one in of]
    return [pair for pair in named if pair[0] not in ("self", "cls")]


def is_public(name):
    return not name.startswith("_")


@pytest.mark.parametrize("kernel", KERNELS)
def test_stubs_agree_with_the_kernels(kernel):
    module = importlib.import_module(f"celab._native.{kernel}")
    stub = stubbed(ast.parse(Path(NATIVE, f"{kernel}.pyi").read_text("utf-8")).body)
    own = {
        name: value
        for name, value in vars(module).items()
        if is_public(name) and getattr(value, "__module__", None) == module.__name__
    }
    assert sorted(filter(is_public, stub)) == sorted(own)
    for name in own:
        node = stub[name]
        if isinstance(node, FUNCTIONS):
            assert parameters(node) == has(own[name]), name
            continue
        kind, methods = own[name], stubbed(node.body)
        declared = {one.target.id for one in node.body if isinstance(one, ast.AnnAssign)}
        members = {key for key in vars(kind) if is_public(key)}
        assert set(filter(is_public, methods)) | declared == members, name
        for key, method in methods.items():
            plain = key not in ("__new__", "__init__") and not method.decorator_list
            if plain and callable(getattr(kind, key)) and is_public(key):
                assert parameters(method) == has(getattr(kind, key)), f"{name}.{key}"
