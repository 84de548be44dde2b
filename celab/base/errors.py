"""The exceptions of celab. Imports no other module of celab, so that every module can raise them.

A message is one line: what is wrong, what was seen, and what to do. The command line prints it and
exits with code 2.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable


class CelabError(Exception):
    """Base class of all errors that celab raises.

    >>> import celab
    >>> issubclass(celab.InputError, celab.CelabError)
    True
    """


class InputError(CelabError, ValueError):
    """A text file, a stream or an argument holds something that cannot be scored.

    >>> import celab
    >>> celab.TeslaCelab().sentence_score("买伞", [" "])
    Traceback (most recent call last):
    celab.base.errors.InputError: segment 1 has no reference; ...
    """


class LimitError(InputError):
    """A line or a file is longer than `max_line` or `max_file` allows."""


class OptionError(CelabError, ValueError):
    """An option has a value that it cannot take.

    >>> import celab
    >>> celab.TeslaCelab(max_order=0)
    Traceback (most recent call last):
    celab.base.errors.OptionError: max_order is 0; it must be a whole number from 1 to 6
    """


class LexiconError(CelabError, ValueError):
    """A lexicon cannot be found or read.

    >>> import celab
    >>> celab.TeslaCelab(lexicon="no such file")
    Traceback (most recent call last):
    celab.base.errors.LexiconError: lexicon 'no such file' is not there; ...
    """


class SolverError(CelabError, RuntimeError):
    """A value was not proved optimal; it is never returned as a score.

    >>> import celab
    >>> hurried = celab.TeslaCelab(lexicon=None, script="keep", time_limit=1e-9)
    >>> hurried.sentence_score("雨雨伞雨伞雨伞", ["伞雨伞"])
    Traceback (most recent call last):
    celab.base.errors.SolverError: ...
    """


class InputWarning(UserWarning):
    """The input can be scored, but the score may not be what is meant.

    >>> import warnings
    >>> import celab
    >>> with warnings.catch_warnings(record=True) as seen:
    ...     score = celab.TeslaCelab().sentence_score("私は学生です。", ["私は学生でした。"])
    >>> seen[0].category is celab.InputWarning
    True
    """


def warn(message: str) -> None:
    """Warns with `InputWarning`, at the first caller that is not a module of this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("celab."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, InputWarning, stacklevel=level)


LONGEST_NAME = 60  # characters of a name that may be a misspelling of another


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that looks most like this one, in any case, if one does.

    >>> nearest("--lexcion", ["--lexicon", "--lang"]), nearest("comet", ["chrf", "bleu"])
    ('--lexicon', None)
    """
    if len(name) > LONGEST_NAME:  # the time of difflib grows with the length
        return None
    from difflib import get_close_matches

    folded = {one.lower(): one for one in known}
    close = get_close_matches(name.lower(), folded, 1)
    return folded[close[0]] if close else None


def meant(name: str, known: Iterable[str]) -> str:
    """What to write in place of a name that is not known.

    >>> meant("chfr", ["chrf", "bleu"]), meant("comet", ["chrf", "bleu"])
    ("did you mean 'chrf'?", 'it must be one of: chrf, bleu')
    """
    known = list(known)
    close = nearest(name, known)
    return f"did you mean {close!r}?" if close else f"it must be one of: {', '.join(known)}"
