"""Input and output: the only package that opens files for the rest of celab.

    paths     kinds of paths, names of files in messages, the cache folder
    binary    path → bytes, decompressed; errors of the disk → a `CelabError`; digests
    unchanged digests that belong to what was read, even if the file is saved meanwhile
    lines     bytes → lines within limits
    encoding  bytes → text, by byte order mark, XML declaration or the caller's choice
    text      path → text or lines; `-` is standard input
    archives  bytes of a ZIP archive → texts of its members
    names     names of systems → names of files
    atomic    a file that appears under its name when it is complete, or not at all

Import the package, `from celab.base import io`, and use what is below. It needs only the standard
library, because the build compiles the bundled lexicons with it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from celab.base.io.binary import (
    PARQUET,
    ZIP,
    check_regular,
    first_lines,
    first_lines_and_sha256,
    kind_of,
    open_binary,
    read_bytes,
    reading,
    refuse_binary,
    sha256_of,
)
from celab.base.io.encoding import locate_byte
from celab.base.io.lines import LimitedReader, TooLarge, limited_lines, split_lines
from celab.base.io.paths import (
    COMPRESSED,
    AnyPath,
    cache_folder,
    check_no_input,
    descriptor_of,
    display_name,
    expand,
    files_at,
    identity_of,
    is_special,
    near_file,
    suffix_of,
)
from celab.base.io.text import (
    LineFile,
    input_lines,
    iter_lines,
    line_limits,
    read_lines,
    read_text,
    read_text_or_table,
    refuse_lone_cr,
)
from celab.base.io.unchanged import (
    State,
    once_more,
    read_unchanged,
    state_of,
    unchanged,
    version_of,
)

if TYPE_CHECKING:
    from celab.base.io.archives import unpack
    from celab.base.io.atomic import (
        check_writable,
        open_atomic,
        write,
        writing,
    )
    from celab.base.io.names import file_names

__all__ = [
    "COMPRESSED",
    "PARQUET",
    "ZIP",
    "AnyPath",
    "LimitedReader",
    "LineFile",
    "State",
    "TooLarge",
    "cache_folder",
    "check_no_input",
    "check_regular",
    "check_writable",
    "descriptor_of",
    "display_name",
    "expand",
    "file_names",
    "files_at",
    "first_lines",
    "first_lines_and_sha256",
    "identity_of",
    "input_lines",
    "is_special",
    "iter_lines",
    "kind_of",
    "limited_lines",
    "line_limits",
    "locate_byte",
    "near_file",
    "once_more",
    "open_atomic",
    "open_binary",
    "read_bytes",
    "read_lines",
    "read_text",
    "read_text_or_table",
    "read_unchanged",
    "reading",
    "refuse_binary",
    "refuse_lone_cr",
    "sha256_of",
    "split_lines",
    "state_of",
    "suffix_of",
    "unchanged",
    "unpack",
    "version_of",
    "write",
    "writing",
]

_ATOMIC = ("check_writable", "open_atomic", "write", "writing")
# Imported when they are used first: a command that writes no file does not load them.
_MODULES = {
    "file_names": "celab.base.io.names",
    "unpack": "celab.base.io.archives",
    **dict.fromkeys(_ATOMIC, "celab.base.io.atomic"),
}

if not TYPE_CHECKING:  # a type checker sees the imports above

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(_MODULES[name]), name)
        globals()[name] = value
        return value
