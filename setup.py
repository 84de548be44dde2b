"""What is built: the compiled kernels and lexicons. All else stands in pyproject.toml.

CELAB_DEBUG=1 turns on Cython's bounds checks and the C++ library's assertions, and keeps the
compiler's optimizer out of the way; the suite must pass both ways. CELAB_SANITIZE=1 builds kernels
that watch their own memory and arithmetic (AddressSanitizer, UndefinedBehaviorSanitizer) and run
only where both libraries are loaded first, as `make sanitize` does.
"""

import multiprocessing
import os
import sys
import sysconfig
from pathlib import Path
from types import ModuleType
from typing import Any

from Cython.Build import cythonize
from setuptools import Extension, setup

# Our own lexicons are compiled with our own reader, which needs the standard library alone.
# celab/__init__.py is not run: it refuses a source tree without the kernels that are built here.
ROOT = Path(__file__).resolve().parent
sys.modules["celab"] = ModuleType("celab")
sys.modules["celab"].__path__ = [str(ROOT / "celab")]
from celab.lexicon.catalog import bundle  # noqa: E402

bundle(ROOT / "lexicons", ROOT / "celab" / "lexicon" / "bundled")


def is_set(name: str) -> bool:
    """Whether a variable of the environment asks for something."""
    return os.environ.get(name, "0") not in ("", "0")


DEBUG, SANITIZE = is_set("CELAB_DEBUG"), is_set("CELAB_SANITIZE")
# One wheel for every CPython from 3.11 on; free-threaded builds have no limited API.
ABI3 = not sysconfig.get_config_var("Py_GIL_DISABLED")

ABI3_WHEEL = {"bdist_wheel": {"py_limited_api": "cp311"}} if ABI3 else {}

if sys.platform == "win32":
    standard = "/std:c++17"
    flags = ["/utf-8", "/Od" if DEBUG else "/O2"]
else:
    # Last, so that it wins over whatever the interpreter was built with. Never -march=native:
    # a wheel must run, and give the same bits, on another machine.
    standard = "-std=c++17"
    flags = ["-O1" if DEBUG or SANITIZE else "-O3", "-g1" if DEBUG else "-g0"]
link_flags: list[str] = []
if sys.platform == "linux" and not (DEBUG or SANITIZE):
    link_flags.append("-Wl,-s")  # no symbol table: a seventh of the size
if SANITIZE:
    watch = "-fsanitize=address,undefined"
    flags += [watch, "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer", "-g"]
    link_flags.append(watch)

macros: list[tuple[str, str | None]] = []
if ABI3:
    macros.append(("Py_LIMITED_API", "0x030B0000"))
if DEBUG:
    macros.append(("_GLIBCXX_ASSERTIONS", "1"))

common: dict[str, Any] = {
    "extra_link_args": link_flags,
    "define_macros": macros,
    "py_limited_api": ABI3,
}
# Cython's memoryviews, compiled once for all kernels instead of into each of them: half of the time
# and size. Cython writes its source, in C.
SHARED = "celab._native._shared"
headers = [header.as_posix() for header in sorted(Path("celab/_native").glob("*.h"))]
extensions = [
    Extension(SHARED, [], extra_compile_args=flags, **common),
    *(
        Extension(
            f"celab._native.{path.stem}",
            [path.as_posix()],
            language="c++",
            extra_compile_args=[standard, *flags],
            depends=headers,
            **common,
        )
        for path in sorted(Path("celab/_native").glob("*.pyx"))
    ),
]


def translated() -> list[Extension]:
    """Return the extensions with their C and C++ sources."""
    modules: list[Extension] = cythonize(
        extensions,
        compiler_directives={
            "language_level": 3,
            "boundscheck": DEBUG,
            "wraparound": False,
            "initializedcheck": DEBUG,
            "cdivision": True,
            "embedsignature": True,
            "binding": True,
            # Threads share only what is read: no kernel writes to its module after the import.
            "freethreading_compatible": True,
        },
        shared_utility_qualified_name=SHARED,
        # Processes that are not forked would run this file again.
        nthreads=(os.cpu_count() or 0) if multiprocessing.get_start_method() == "fork" else 0,
        force=DEBUG or SANITIZE,
    )
    return modules


setup(
    # A source distribution has no translated sources.
    ext_modules=extensions if "sdist" in sys.argv else translated(),
    options={"build_ext": {"parallel": os.cpu_count()}} | ABI3_WHEEL,
)
