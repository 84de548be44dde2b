"""Names of files that are made from names in other files, such as those of systems.

Such a name may come from an untrusted file. Whatever it is, the file is in the folder that the
caller has chosen, and every system has a file of its own.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable

# Separators, what Windows refuses, control characters and lone surrogates, which UTF-8 cannot
# encode; at the start, the marks of hidden files, options and homes.
_REFUSED = re.compile(r'^[.~-]|[/\\:*?"<>|\x00-\x1f\x7f-\x9f\ud800-\udfff]')


def file_names(names: Iterable[str]) -> dict[str, str]:
    """Return a file name for each name; no two are equal in any case.

    A name that can be a file name is kept. Otherwise characters are replaced by `_`, and a number
    before the suffix tells apart what would be the same.

    >>> file_names(["GPT-4.txt", "../victim.txt", "gpt-4.txt"])
    {'GPT-4.txt': 'GPT-4.txt', '../victim.txt': '_._victim.txt', 'gpt-4.txt': 'gpt-4-2.txt'}
    """
    taken: set[str] = set()
    files: dict[str, str] = {}
    for name in dict.fromkeys(names):
        safe = _REFUSED.sub("_", name) or "_"
        file, number = safe, 1
        stem, suffix = os.path.splitext(safe)
        while _folded(file) in taken:
            number += 1
            file = f"{stem}-{number}{suffix}"
        taken.add(_folded(file))
        files[name] = file
    return files


def _folded(file: str) -> str:
    # Some file systems take letters in any case, and composed or not, for the same.
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", file).casefold())
