"""What can go wrong, as six classes. Imports nothing, so that every room may raise them.

A message says what is wrong, the values seen, and what would be right, in one line: the command
line prints it as it stands and exits with code 2.
"""

from __future__ import annotations


class CelabError(Exception):
    """The base of everything celab raises on purpose."""


class InputError(CelabError, ValueError):
    """A text file, a stream or an argument holds something that cannot be scored."""


class LimitError(InputError):
    """A line or a file is longer than `max_line` or `max_file` allows."""


class OptionError(CelabError, ValueError):
    """An option has a value that it cannot take."""


class LexiconError(CelabError, ValueError):
    """A lexicon cannot be found or read."""


class SolverError(CelabError, RuntimeError):
    """A value was not proved optimal; it is never returned as a score."""
