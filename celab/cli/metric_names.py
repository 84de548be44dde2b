"""The names of metrics on a command line, and of the flags that each takes."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Sequence

from celab.base.errors import nearest
from celab.base.options import flag_name
from celab.cli.flags import FLAG_NAMES
from celab.metrics.registry import METRICS, canonical_name, fields_of, unknown_metric


def options_of(name: str) -> tuple[str, ...]:
    """Return the names of the flags that a metric takes, as the parsed arguments have them."""
    return (*parameters_by_flag(name), *(["profile"] if METRICS[name].profiles else []))


def parameters_by_flag(name: str) -> dict[str, str]:
    """Return the parameters of a metric by the names of their flags, but for its profile."""
    names = {flag_name(spec): spec.name for spec in fields_of(name)}
    return {FLAG_NAMES.get(flag, flag): parameter for flag, parameter in names.items()}


def words_of(argv: Sequence[str] | None) -> list[str]:
    """Return the words of a command line (default: of the process)."""
    return list(sys.argv[1:] if argv is None else argv)


def _is_metric(word: str, known: Collection[str]) -> bool:
    if known_metric(word, known) in known:
        return True
    return word[:1] != "-" and nearest(word, known) is not None and not os.path.exists(word)


def join_metric_names(argv: Sequence[str], known: Collection[str]) -> list[str]:
    """Return the words with the names after `-m` joined, so that they are not read as files.

    A word that resembles a name and is no file counts as a misspelt name.
    """
    result: list[str] = []
    remaining = list(argv)
    while remaining:
        word = remaining.pop(0)
        flag, _, value = word.partition("=")
        if flag in ("-m", "--metric", "--metrics"):
            result.append(flag)
            names: list[str] = [value] if value else []
            while remaining and (not names or _is_metric(remaining[0], known)):
                names.append(remaining.pop(0))
            result += [",".join(names)] if names else []
        else:
            result.append(word)
    return result


def names_of(values: Sequence[str], known: Collection[str] = METRICS) -> list[str]:
    """Return the names of the requested metrics, without duplicates.

    They are separated by commas, and unless a name has spaces, by spaces as well.

    >>> names_of(["celab, BLEU", "celab"])
    ['celab', 'bleu']
    """
    parts = [part for value in values for part in value.split(",")]
    words = [[part] if known_metric(part, known) in known else part.split() for part in parts]
    names = [name for of_part in words for name in of_part] or [""]
    for name in names:
        if known_metric(name, known) not in known:
            raise unknown_metric(name, known)
    return list(dict.fromkeys(known_metric(name, known) for name in names))


def known_metric(name: str, known: Collection[str] = METRICS) -> str:
    """Return the canonical spelling of a metric's name; a name in `known` is unchanged."""
    return name if name in known else canonical_name(name)
