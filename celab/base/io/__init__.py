"""Input and output: the only package that opens files for the rest of celab.

    files     kinds of paths, names of files in messages and of systems, the cache folder; path →
              bytes, decompressed; errors of the disk → a `CelabError`; digests that belong to what
              was read, even if the file is saved meanwhile
    text      bytes → text, by byte order mark, XML declaration or the caller's choice → lines
    atomic    text → a file that appears under its name when it is complete, or not at all

Import the package, `from celab.base import io`, and use what is below. It needs only the standard
library, because the build compiles the bundled lexicons with it.
"""

from __future__ import annotations

from celab.base.io.atomic import check_writable, open_atomic, write, write_or_return, writing
from celab.base.io.files import (
    COMPRESSED,
    PARQUET,
    SAVED,
    ZIP,
    AnyPath,
    cache_folder,
    check_no_input,
    check_regular,
    descriptor_of,
    digested,
    display_name,
    expand,
    file_names,
    files_at,
    first_lines,
    first_lines_and_sha256,
    identity_of,
    is_special,
    kind_of,
    natural_order,
    near_file,
    open_binary,
    read_bytes,
    readable,
    reading,
    refuse_binary,
    sha256_of,
    suffix_of,
)
from celab.base.io.text import (
    LimitedReader,
    LineFile,
    TooLarge,
    input_lines,
    iter_lines,
    limit_error,
    limited_lines,
    locate_byte,
    read_lines,
    read_text,
    read_text_or_table,
    refuse_lone_cr,
    split_lines,
)

__all__ = [
    "COMPRESSED",
    "PARQUET",
    "SAVED",
    "ZIP",
    "AnyPath",
    "LimitedReader",
    "LineFile",
    "TooLarge",
    "cache_folder",
    "check_no_input",
    "check_regular",
    "check_writable",
    "descriptor_of",
    "digested",
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
    "limit_error",
    "limited_lines",
    "locate_byte",
    "natural_order",
    "near_file",
    "open_atomic",
    "open_binary",
    "read_bytes",
    "read_lines",
    "read_text",
    "read_text_or_table",
    "readable",
    "reading",
    "refuse_binary",
    "refuse_lone_cr",
    "sha256_of",
    "split_lines",
    "suffix_of",
    "write",
    "write_or_return",
    "writing",
]
