"""What a command ends with: its output, its remarks and warnings, and its exit code."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field

from celab.base.errors import InputWarning, OptionError, describe
from celab.base.frozen import dataclass
from celab.cli.flags import as_flag


class Warnings:
    """The warnings of a command, for its end; with `--strict` the first is an error.

    Those that reading files raised (`of_reading`) come after the others.
    """

    def __init__(self, program: str = "", *, strict: bool = False) -> None:
        self.program, self.strict = program, strict
        self.of_settings: list[str] = []
        self.of_reading: list[str] = []
        self.after_output: list[str] = []  # lines that are no warnings

    def add(self, texts: Iterable[str]) -> None:
        """Add warnings."""
        self.of_settings.extend(map(self.checked, texts))

    def add_hints(self, texts: Iterable[str]) -> None:
        """Add warnings that are never errors."""
        self.of_settings.extend(texts)

    def add_of_reading(self, texts: Iterable[str]) -> None:
        """Add warnings that come after the others."""
        self.of_reading.extend(map(self.checked, texts))

    def checked(self, text: str) -> str:
        """Return a warning; raise if it is an error."""
        if self.strict:
            raise OptionError(f"{text}; --strict makes this an error")
        return text

    @contextmanager
    def collect(self) -> Iterator[None]:
        """Add all warnings of the block at its end, each once."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        # Metrics that share a lexicon warn about it alike.
        self.add(dict.fromkeys(describe(warning.message, as_flag) for warning in caught))

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Add the warnings about the input that the block raises."""

        def show(message: Warning | str, *_: object, **__: object) -> None:
            self.add_of_reading([describe(message, as_flag)])

        with warnings.catch_warnings():
            warnings.simplefilter("always", InputWarning)
            warnings.showwarning = show
            yield

    def take(self) -> list[str]:
        """Return the warnings that reading did not raise, for the remark of a command."""
        taken, self.of_settings = self.of_settings, []
        return taken

    @property
    def lines(self) -> list[str]:
        """The warnings as lines for standard error."""
        return [self.line(text) for text in (*self.of_settings, *self.of_reading)]

    def line(self, text: str) -> str:
        """Return a warning as a line for standard error."""
        return f"{self.program}: warning: {text}"


@dataclass(frozen=True)
class Outcome:
    """What a command ends with.

    `text` is for standard output. Standard error gets the warnings before it, and after it the
    lines `following`, and `remark` with the name of the command.
    """

    text: str = ""
    remark: str = ""
    code: int = 0
    warnings: Warnings = field(default_factory=Warnings)
    following: Sequence[str] = ()
