"""Short names of systems and references: `GPT-4`, not `hyp/GPT-4.txt`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from itertools import takewhile

from celab.base.errors import OptionError
from celab.base.view.cells import quantity

# .txt, .gz, .sgm, .jsonl, and codes of languages such as .zh, .zho and .zh-CN; not .v2 or .large.
_SUFFIXES = re.compile(
    r"(?<=[^/])(?:\.(?:[a-z]{2,3}|sgml|jsonl?|xliff|xlsx)(?:[-_][A-Za-z]{2,4})?)+$"
)


def without_suffixes(name: str) -> str:
    """Return the name of a file without suffixes of texts and languages; GPT-4.5 has none.

    >>> without_suffixes("GPT-4.5.zh"), without_suffixes("A.txt.gz"), without_suffixes("GPT-4.5")
    ('GPT-4.5', 'A', 'GPT-4.5')
    """
    return _SUFFIXES.sub("", name)


def short_names(names: Sequence[str]) -> list[str]:
    """Return the shortest form in which all names are distinct: without folders, suffixes.

    >>> short_names(["hyp/GPT-4.txt", "hyp/Claude-3.5.txt"])
    ['GPT-4', 'Claude-3.5']
    >>> short_names(["out/a/hyp.zh", "out/b/hyp.zh"]), short_names(["hyp.zh", "hyp.de"])
    (['a/hyp', 'b/hyp'], ['hyp.zh', 'hyp.de'])
    """
    paths = [name.replace(os.sep, "/") for name in names]
    folders = zip(*(path.split("/")[:-1] for path in paths), strict=False)
    n_common = len(list(takewhile(lambda parts: len(set(parts)) == 1, folders)))

    base = [path.rpartition("/")[2] or path for path in paths]
    below = ["/".join(path.split("/")[n_common:]) for path in paths]
    forms: list[tuple[list[str], Callable[[str], str]]] = [
        (base, without_suffixes),
        (base, str),
        (below, without_suffixes),
        (below, str),
    ]
    for candidates, form in forms:
        short = list(map(form, candidates))
        if len(set(short)) == len(set(names)):
            return short
    return list(names)


def _counted(names: Sequence[str], noun: str) -> str:
    return f"{quantity(len(names), noun)} ({', '.join(names)})"


def check_names(names: Sequence[str], systems: Sequence[str]) -> None:
    """Raise `OptionError` unless there is one distinct name for each system."""
    if len(names) != len(systems):
        raise OptionError(
            f"{_counted(names, 'name')} for {_counted(systems, 'system')}; give one name for each"
            " system"
        )
    if not all(name.strip() for name in names) or len(set(names)) < len(names):
        raise OptionError(f"the names are {', '.join(names)}; they must be distinct and not empty")
