"""sacreBLEU's test sets: `wmt24`, `en-zh` → source and references, from its cache.

sacreBLEU downloads what its cache lacks. Its folder is `$SACREBLEU`, or `~/.sacrebleu`.
"""

from __future__ import annotations

import logging
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from itertools import zip_longest

from celab.base import io
from celab.base.errors import InputError, OptionError
from celab.base.languages import split_pair
from celab.base.options import LIMITS, Limits
from celab.corpus.model import FilePart

_TIMEOUT = 60.0  # seconds that a server may keep silent
_MAX_FILES_LISTED = 12


def target_of(pair: str) -> str:
    """Return the target language of a language pair.

    >>> target_of("en-zh"), target_of("cs-uk"), target_of("en-de_AT"), target_of("en-zh-CN")
    ('zh', 'uk', 'de', 'zh')
    """
    source, target = split_pair(pair)
    if not source:
        raise OptionError(
            f"the language pair is {pair!r}; it must be source and target, such as en-zh"
        )
    return re.split("[-_]", target)[0]


def read_test_set(test_sets: str, pair: str, limits: Limits = LIMITS) -> list[FilePart]:
    """Return source and references of a test set, or of several, such as `wmt23,wmt24`, joined."""
    sets = [_files(name, pair) for name in test_sets.split(",")]
    sides: list[FilePart] = []
    for place, paths in enumerate(zip_longest(*sets)):
        texts = []
        for path, (source, *_) in zip(paths, sets, strict=True):
            n_lines = len(io.read_lines(source, limits=limits))
            texts += [""] * n_lines if path is None else io.read_lines(path, limits=limits)
        number = f" {place}" if max(map(len, sets)) > 2 else ""
        name = f"{test_sets} {pair} reference{number}" if place else f"{test_sets} {pair} source"
        sides.append(
            FilePart(role="reference" if place else "source", name=name, where=name, texts=texts)
        )
    return sides


def _files(name: str, pair: str) -> list[str]:
    """Return the source file, then those of the references."""
    from sacrebleu.dataset import DATASETS
    from sacrebleu.utils import SACREBLEU_DIR, get_reference_files, get_source_file

    if name not in DATASETS:
        close = get_close_matches(name, DATASETS, 3)
        hint = f"did you mean {' or '.join(close)}?" if close else "see sacrebleu --list"
        raise OptionError(f"sacreBLEU has no test set {name!r}; {hint}")
    pairs = sorted(DATASETS[name].langpairs)
    if pair not in pairs:
        known = [*pairs[:_MAX_FILES_LISTED], "…"] if len(pairs) > _MAX_FILES_LISTED else pairs
        same = [
            candidate for candidate in pairs if candidate.split("-")[1:] == pair.split("-")[1:]
        ] or known
        raise OptionError(f"test set {name} has no {pair}; it has {', '.join(same)}")
    try:
        with _quiet():
            return [get_source_file(name, pair), *get_reference_files(name, pair)]
    except (Exception, SystemExit) as error:  # it exits if a download is damaged
        why = str(getattr(error, "reason", "") or error).partition("\n")[0] or "damaged download"
        raise InputError(
            f"test set {name}, {pair}, is not in {SACREBLEU_DIR} and cannot be downloaded ({why});"
            " connect to the network, or copy the folder from a machine that has it"
        ) from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Switch sacreBLEU's log off, because errors are reported as ours."""
    logger, timeout = logging.getLogger("sacrebleu"), socket.getdefaulttimeout()
    was_off, logger.disabled = logger.disabled, True
    socket.setdefaulttimeout(_TIMEOUT)
    try:
        yield
    finally:
        logger.disabled = was_off
        socket.setdefaulttimeout(timeout)
