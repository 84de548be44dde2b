"""Messages that accompany a result: warnings, findings and notes.

The library and the commands call `warn`, `finding` and `note`, and a listener collects the
messages: a command prints them on standard error, the server returns them in its answer, a test
inspects them. Without a listener, as in a user's Python code, a warning is issued as
`InputWarning`, and findings and notes are dropped, because the result contains them.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal, NamedTuple

from celab.base.errors import InputWarning, OptionError, Spelling, Text, as_parameter, spell

# A warning says that the score may mislead. A finding is about the texts, such as outputs that are
# not translations. A note says which files were read, or which work was done.
Level = Literal["warning", "finding", "note"]


class Message(NamedTuple):
    """A line about the work; options in its text are `Settings`.

    `place` is the file or the data set that it is about, where the text does not say so. `is_hint`
    marks a warning that is not an error with `--strict`, because what it warns of is often meant.
    """

    level: Level
    text: Text
    place: str = ""
    is_hint: bool = False


class Messages:
    """Collects messages, in order and each once.

    Attributes:
        strict: whether a warning is an error, unless it is a hint.
        quiet: whether notes are dropped.
        knows_texts: whether a command has checked the languages of the texts and named the files
            in its warnings, so that metrics need not warn again.
        place: the data set that is being read or scored, if there are several.
        spelling: how the settings in a text are written.
    """

    def __init__(self, spelling: Spelling = as_parameter) -> None:
        self.strict = self.quiet = self.knows_texts = False
        self.place = ""
        self.spelling = spelling
        # Message → whether it was taken; a dict, because threads may add the same message at once.
        self._said: dict[Message, bool] = {}

    def add(self, message: Message) -> None:
        """Add a message; `OptionError` if it is a warning, and warnings are errors."""
        text = spell(message.text, self.spelling)
        if self.strict and message.level == "warning" and not message.is_hint:
            raise OptionError(f"{text}; --strict makes this an error")
        if not (self.quiet and message.level == "note"):
            place = message.place or self.place
            self._said.setdefault(message._replace(text=text, place=place), False)

    def texts(self, level: Level) -> list[str]:
        """Return the texts of all messages of a level."""
        return [str(message.text) for message in self._said if message.level == level]

    def take(self, *levels: Level) -> list[Message]:
        """Return the messages of these levels that were not taken before, level after level."""
        taken = [
            message
            for level in levels
            for message, is_taken in [*self._said.items()]
            if message.level == level and not is_taken
        ]
        self._said |= dict.fromkeys(taken, True)
        return taken


_listener: ContextVar[Messages | None] = ContextVar("listener", default=None)


@contextmanager
def listening(spelling: Spelling = as_parameter) -> Iterator[Messages]:
    """Collect the messages of a block, in this thread and in threads that `Run` starts.

    >>> with listening() as messages:
    ...     warn("the file has only blank lines")
    >>> messages.texts("warning")
    ['the file has only blank lines']
    """
    messages = Messages(spelling)
    token = _listener.set(messages)
    try:
        yield messages
    finally:
        _listener.reset(token)


def listener() -> Messages | None:
    """Return the listener of this context, or None."""
    return _listener.get()


def choose(*, strict: bool, quiet: bool) -> None:
    """Set whether warnings are errors, and whether notes are dropped."""
    if (messages := _listener.get()) is not None:
        messages.strict, messages.quiet = strict, quiet


@contextmanager
def about(place: str) -> Iterator[None]:
    """Put the name of a data set before the messages of the block."""
    messages = _listener.get() or Messages()
    before, messages.place = messages.place, place
    try:
        yield
    finally:
        messages.place = before


def take_note_of_texts() -> None:
    """Tell metrics that the caller has checked the languages of the texts."""
    if (messages := _listener.get()) is not None:
        messages.knows_texts = True


def knows_texts() -> bool:
    """Return whether a caller has checked the languages of the texts."""
    return (messages := _listener.get()) is not None and messages.knows_texts


def warn(*texts: Text, is_hint: bool = False) -> None:
    """Warn that a score may mislead; one warning for each text that is not empty."""
    say(*(Message("warning", text, is_hint=is_hint) for text in texts if text))


def finding(*texts: Text) -> None:
    """Report findings about texts, one for each text that is not empty."""
    say(*(Message("finding", text) for text in texts if text))


def note(*texts: Text) -> None:
    """Report notes on the work, one for each text that is not empty."""
    say(*(Message("note", text) for text in texts if text))


def say(*messages: Message) -> None:
    """Pass messages to the listener; without one, issue the warnings as Python warnings."""
    for message in messages:
        _say(message)


def _say(message: Message) -> None:
    if (messages := _listener.get()) is not None:
        messages.add(message)
    elif message.level == "warning":
        # Point at the first caller outside this package; cached properties are called by functools.
        level, frame = 1, sys._getframe()
        ours = ("celab.", "functools")
        while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(ours):
            level, frame = level + 1, frame.f_back
        warnings.warn(InputWarning(message.text), stacklevel=level)
