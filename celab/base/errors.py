"""The exceptions of celab. Imports no other module of celab, so that every module can raise them.

A message is one line: the place, what is wrong and what was seen there, and what to do. It is kept
as data, with options as `Setting`s, because Python and the command line spell them differently:

>>> error = OptionError("max_order", 0, ("give 4, or ", Setting("tokenize", "letter")))
>>> str(error)
"max_order is 0; give 4, or tokenize='letter'"
>>> describe(error, lambda setting: f"<{setting.name}>")
'<max_order> is 0; give 4, or <tokenize>'
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar, overload


class Setting(NamedTuple):
    """An option in a message, by its name as a parameter, alone or with a value to give it.

    `flag` is its name on the command line, if that is another.
    """

    name: str
    value: object = ...
    flag: str = ""

    @property
    def has_value(self) -> bool:
        """Whether the message says what to set the option to."""
        return self.value is not ...


Text = str | tuple[str | Setting, ...]  # the parts of a text, in order
Spelling = Callable[[Setting], str]


def as_parameter(setting: Setting) -> str:
    """Return a setting as Python spells it.

    >>> as_parameter(Setting("time_limit")), as_parameter(Setting("on_error", "skip"))
    ('time_limit', "on_error='skip'")
    """
    return f"{setting.name}={setting.value!r}" if setting.has_value else setting.name


def spell(text: Text, spelling: Spelling = as_parameter) -> str:
    """Return a text with its settings spelled out."""
    parts = (text,) if isinstance(text, str) else text
    return "".join(part if isinstance(part, str) else spelling(part) for part in parts)


def describe(error: BaseException | str, spelling: Spelling = as_parameter) -> str:
    """Return the message of an exception or a warning, with its settings spelled out."""
    return error.describe(spelling) if isinstance(error, _MessageMixin) else str(error)


Error = TypeVar("Error", bound="_MessageMixin")


class _MessageMixin:
    """Place, message and hint of an exception, as data."""

    # `args` are those of the constructor, so that the exception can be pickled.

    def __init__(self, message: Text = "", *, hint: Text = "", place: str = "") -> None:
        self.message, self.hint, self.place = message, hint, place

    def describe(self, spelling: Spelling) -> str:
        """Return `place: message; hint`, with settings spelled out, as one line."""
        place, hint = (f"{self.place}: " if self.place else ""), spell(self.hint, spelling)
        text = place + spell(self.message, spelling) + (f"; {hint}" if hint else "")
        # Quoted names, such as the name of a column, can have line ends.
        return text.replace("\n", r"\n").replace("\r", r"\r")

    def within(self: Error, place: str) -> Error:
        """Return a copy whose place is inside this one, such as a segment of a file."""
        error = copy.copy(self)
        error.place = f"{place}: {self.place}" if self.place else place
        return error

    def __str__(self) -> str:
        return self.describe(as_parameter)


class CelabError(_MessageMixin, Exception):
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


class EmptyFileError(InputError):
    """A file has no line; `path` is `-` if it is standard input."""

    def __init__(self, message: Text, *, hint: Text = "", place: str = "", path: str = "") -> None:
        super().__init__(message, hint=hint, place=place)
        self.path = path


class EncodingError(InputError):
    """A file cannot be decoded; `likely` is the encoding that it seems to have, or ""."""

    def __init__(
        self, message: Text, *, hint: Text = "", place: str = "", likely: str = ""
    ) -> None:
        super().__init__(message, hint=hint, place=place)
        self.likely, self.role = likely, ""

    def for_role(self, role: str) -> EncodingError:
        """Return a copy whose hint names the encoding for this role of a file, if it is likely."""
        error = copy.copy(self)
        error.role = role
        if self.likely and role:
            error.hint = (
                f"it seems to be {self.likely}: use ",
                Setting("encoding", {role: self.likely}),
            )
        return error


class MismatchError(InputError):
    """Files have different segments.

    `can_align` if a system can be cut anew at the segments of the references, which agree.
    """

    def __init__(
        self, message: Text, *, hint: Text = "", place: str = "", can_align: bool = False
    ) -> None:
        super().__init__(message, hint=hint, place=place)
        self.can_align = can_align


class NoSystemError(InputError):
    """The files have no system output."""


class LimitError(InputError):
    """A line or a file is longer than `max_line` or `max_file` allows.

    `can_stream` if the lines are too many to hold in memory, but not to read one after another.
    """

    def __init__(
        self, message: Text, *, hint: Text = "", place: str = "", can_stream: bool = False
    ) -> None:
        super().__init__(message, hint=hint, place=place)
        self.can_stream = can_stream


class SentenceError(InputError):
    """A sentence that cannot be analyzed; the caller knows the file.

    `sentence` is its number, from 1, and `what` says what is wrong. `stream` is 0 if it is a
    hypothesis and r if it is of reference r; None until a metric has said so by `of`. If several
    systems are scored together, `system` names the one it was found with.
    """

    system: str | None = None

    def __init__(self, sentence: int, what: str, stream: int | None = None) -> None:
        side = f" of reference {stream}" if stream else " of the hypotheses"
        super().__init__(what, place=f"sentence {sentence}{'' if stream is None else side}")
        self.sentence, self.what, self.stream = sentence, what, stream

    def of(self, stream: int) -> SentenceError:
        """Return this error with the name of the stream."""
        return SentenceError(self.sentence, self.what, stream)


class OptionError(CelabError, ValueError):
    """An option has a value that it cannot take, or options do not go together.

    Made from the option, its value and a hint, or, for several options, from a message.

    >>> import celab
    >>> celab.TeslaCelab(max_order=0)
    Traceback (most recent call last):
    celab.base.errors.OptionError: max_order is 0; it must be a whole number from 1 to 6
    """

    @overload
    def __init__(self, message: Text, /, *, hint: Text = "") -> None: ...

    @overload
    def __init__(self, option: str, value: object, hint: Text, /, *, flag: str = "") -> None: ...

    def __init__(
        self, option: Text, value: object = ..., hint: Text = "", *, flag: str = ""
    ) -> None:
        self.option: str | None = None
        self.value: object = None
        if value is ...:
            super().__init__(option, hint=hint)
        else:
            assert isinstance(option, str)
            super().__init__((Setting(option, flag=flag), f" is {value!r}"), hint=hint)
            self.option, self.value = option, value


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


# Advice if too few values were proved.
TIME_LIMIT_HINT: Text = ("use a longer ", Setting("time_limit"))


class InputWarning(_MessageMixin, UserWarning):
    """The input can be scored, but probably not as the user intended.

    >>> import warnings
    >>> import celab
    >>> with warnings.catch_warnings(record=True) as seen:
    ...     score = celab.TeslaCelab().sentence_score("私は学生です。", ["私は学生でした。"])
    >>> seen[0].category is celab.InputWarning
    True
    """


MAX_NAME_CHARACTERS = 60  # a longer name is not compared with the valid ones


def nearest(name: str, known: Iterable[str], least: float = 0.6) -> str | None:
    """Return the known name that looks most like this one, in any case, if one does.

    `least` is the similarity that is enough, from 0 to 1.

    >>> nearest("--lexcion", ["--lexicon", "--lang"]), nearest("comet", ["chrf", "bleu"])
    ('--lexicon', None)
    """
    if len(name) > MAX_NAME_CHARACTERS:  # the time of difflib grows with the length
        return None
    from difflib import get_close_matches

    folded = {candidate.lower(): candidate for candidate in known}
    close = get_close_matches(name.lower(), folded, 1, least)
    return folded[close[0]] if close else None


def suggest(name: str, known: Iterable[str]) -> str:
    """Return a hint for a name that is not known: the nearest known name, or all of them.

    >>> suggest("chfr", ["chrf", "bleu"]), suggest("comet", ["chrf", "bleu"])
    ("did you mean 'chrf'?", 'choose from chrf, bleu')
    """
    known = list(known)
    # bleu is similar to sacrebleu by 0.615, copied to nope by 0.6
    close = nearest(name, known, 0.605)
    return f"did you mean {close!r}?" if close else f"choose from {', '.join(known)}"


def install_command(extra: str) -> str:
    """Return the pip command that adds an extra to the celab that is installed.

    pip reads the extras of a package that is there from its metadata, so this also holds for an
    installation from a checkout. Shells such as zsh need the quotes.

    >>> install_command("zh")
    'pip install "celab[zh]"'
    """
    return f'pip install "celab[{extra}]"'
