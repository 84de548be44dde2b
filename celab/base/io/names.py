"""Names of files that are made from names in other files, such as those of systems.

Such a name may come from an untrusted file. Whatever it is, the file is in the folder that the
caller has chosen, every system has a file of its own, and no file system refuses the name.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Iterable

_MOST_BYTES = 200  # of a name; file systems take 255, and unfinished files have longer names
_MOST_OF_SUFFIX = 16  # bytes; a longer one is a part of the name
# Separators, what Windows refuses, and lone surrogates, which UTF-8 cannot encode.
_REFUSED = re.compile(r'[/\\:*?"<>|\ud800-\udfff]')
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)", re.IGNORECASE)


def file_names(names: Iterable[str]) -> dict[str, str]:
    """Return a file name for each name; no two are equal in any case.

    A name that can be a file name is kept. Otherwise characters are replaced by `_`, and a digest
    before the suffix tells apart what would be the same or is too long.

    >>> file_names(["GPT-4.txt", "../victim.txt", "gpt-4.txt"])
    {'GPT-4.txt': 'GPT-4.txt', '../victim.txt': '_._victim.txt', 'gpt-4.txt': 'gpt-4-4fe7d141.txt'}
    """
    taken: set[str] = set()
    files: dict[str, str] = {}
    for name in dict.fromkeys(names):
        file, number = _safe(name), 0
        stem, suffix = os.path.splitext(file)
        if len(suffix.encode()) > _MOST_OF_SUFFIX:
            stem, suffix = file, ""
        while len(file.encode()) > _MOST_BYTES or _folded(file) in taken:
            ending = f"-{_digest(name, number)}{suffix}"
            kept = stem.encode()[: _MOST_BYTES - len(ending.encode())].decode(errors="ignore")
            file, number = f"{kept}{ending}", number + 1
        taken.add(_folded(file))
        files[name] = file
    return files


def _safe(name: str) -> str:
    visible = "".join(
        "_" if unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp") else character
        for character in _REFUSED.sub("_", name)
    )
    if visible[:1] in (".", "-", "~"):  # hidden files, options and homes
        visible = f"_{visible[1:]}"
    if visible[-1:] in (".", " "):  # Windows drops them
        visible = f"{visible[:-1]}_"
    return _DEVICES.sub(r"\g<0>_", visible) if _DEVICES.match(visible) else visible or "_"


def _digest(name: str, number: int) -> str:
    data = name.encode("utf-8", "surrogatepass") + str(number).encode() * bool(number)
    return hashlib.sha256(data).hexdigest()[:8]


def _folded(file: str) -> str:
    # Some file systems take letters in any case, and composed or not, for the same.
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", file).casefold())
