"""Options: an option is a field of a dataclass, with the facts that `option` stores beside it.

An option is written once: the parameter of the metric, its flag and help on the command line, its
line in the documentation of the class, its checks and its part of the signature all come from the
field. Those of the metrics are in `celab.metrics.options`, those of texts in
`celab.corpus.inputs`, those that only commands have in `celab.cli`.

An option enters the signature if and only if it can move a score; what cannot is in
`celab.base.run`. One that came later enters the signature only if it is not at its default, so
that earlier signatures stay true.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import Field, dataclass, field, fields
from itertools import groupby
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    Self,
    TypeAlias,
    TypedDict,
    TypeVar,
    Unpack,
    cast,
)

from celab.base.errors import OptionError, Setting, suggest

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


# Numbers in files and on the command line, in plain decimal notation.
#
# Python's own `float` and `int` also read `1_0`, `٣`, `nan` and `1e308`: the first two are hardly
# ever meant, and a sum or a square of the last two is not a number.

N_RESAMPLES = 1000  # unless another number is given
# The fewest resamples that give a 95% interval of a difference, and the most.
RESAMPLES = (40, 10_000_000)
SEED = 12345  # unless another is given
SEEDS = (0, 2**32)
GREATEST = 1e100  # so that squares and their sums stay finite
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WHOLE = re.compile(r"[+-]?[0-9]{1,20}")


def decimal(text: str) -> float | None:
    """Return the number that a text spells, or None unless it is one from -1e100 to 1e100.

    >>> decimal("-2.5e-3"), decimal("1_0"), decimal("٣"), decimal("nan"), decimal("1e308")
    (-0.0025, None, None, None, None)
    """
    if not _DECIMAL.fullmatch(text):
        return None
    value = float(text)
    return value if abs(value) <= GREATEST else None


def is_digits(text: str) -> bool:
    """Return whether a text is a number of ASCII digits, such as that of a column.

    >>> is_digits("12"), is_digits("٣"), is_digits("-1"), is_digits("")
    (True, False, False, False)
    """
    return text.isascii() and text.isdecimal()


def whole_number(text: str) -> int | None:
    """Return the whole number that a text spells, or None unless it is one of up to 20 digits.

    >>> whole_number("10"), whole_number("-1"), whole_number("1_0"), whole_number("٣")
    (10, -1, None, None)
    """
    return int(text) if _WHOLE.fullmatch(text) else None


T = TypeVar("T")
Spec: TypeAlias = Field[Any]  # an option as its dataclass keeps it
AnyPath = str | os.PathLike[str]
MAX_ORDER = 6  # longest n-gram of characters, in tokens


class Facts(TypedDict, total=False):
    """Facts about an option that only the command line needs."""

    # Makes the value of the text of the flag; it raises argparse's error.
    convert: Callable[[str], object]
    # Set if it is a word, not a flag: None if it is one word, or how many words, as in argparse.
    words: Literal["?", "*", "+"] | None
    required: bool
    # A flag for each of these values, with its name in the help.
    each: Mapping[str, str]
    # Whether it names a file that is read (the default), a file or folder that is written, or none.
    file: Literal["input", "output", "folder", "none"]
    # Returns names that it takes, for completion in a shell.
    names: Callable[[], Iterable[str]]


def option(
    default: T,
    help: str,
    *,
    key: str | None = None,
    choices: Sequence[str] | None = None,
    between: tuple[float, float] | None = None,
    omit_default_from_signature: bool = False,
    metavar: str | None = None,
    follows: str = "",
    otherwise: str = "",
    positional: bool = False,
    group: str = "",
    repeats: bool = False,
    flags: str = "",
    dest: str = "",
    **facts: Unpack[Facts],
) -> T:
    """Return a dataclass field with its help text, its signature key and its valid values.

    Parameters:
        default: its value. With `follows`, the field is None until `Options` is made, and this is
            the value if the options that it follows do not set one.
        help: its line in the help of the command line and in the documentation of the metric; an
            option without one is not shown in the help.
        key: its key in the signature, if it can move a score.
        choices, between: its valid values, or the least and the greatest.
        omit_default_from_signature: whether it enters the signature only if it is not at its
            default; for options that came after others.
        metavar: what the help shows in place of a value.
        follows: the options that decide its value unless it is given; it is None then.
        otherwise: the value that they decide, for the help; those of languages are known.
        positional: whether it can be given without its name.
        group, repeats: the heading of the help that it is under, and whether its flag can be
            repeated.
        flags: its flags, separated by spaces, if they are not made of its name.
        dest: its name among parsed arguments, if it is not that of its first long flag.
        facts: see `Facts`.
    """
    long_flags = (flag for flag in flags.split() if flag.startswith("--"))
    metadata: dict[str, Any] = {
        "default": default,
        # None says nothing about the type; an option with bounds is a number.
        "type": float if default is None and between else type(default),
        "help": help,
        "key": key,
        "choices": choices,
        "between": between,
        "omit_default_from_signature": omit_default_from_signature,
        "metavar": metavar,
        "follows": follows,
        "otherwise": otherwise,
        "group": group,
        "repeats": repeats,
        "flags": tuple(flags.split()),
        "dest": dest or next(long_flags, "").lstrip("-").replace("-", "_"),
        **facts,
    }
    unset = cast(T, None) if follows else default
    return field(default=unset, kw_only=not positional, metadata=metadata)


@dataclass(frozen=True)
class GroupOptions:
    """A group of options in a command or in another group, as the command has it.

    `changes` are facts that differ, by the name of the option.
    """

    group: type[Any]
    changes: Mapping[str, Mapping[str, Any]]


def part(
    group: type[T],
    *,
    settings: Mapping[str, Any] | None = None,
    **changes: str | Mapping[str, Any],
) -> T:
    """Return a dataclass field that holds a group of options, whose flags a command takes.

    Parameters:
        group: a dataclass whose fields are made by `option`.
        settings: values of other fields of the group.
        changes: for an option its help text in this command, or any facts that differ.
    """
    facts = {
        name: {"help": change} if isinstance(change, str) else change
        for name, change in changes.items()
    }
    default = group(**settings or {})
    described = GroupOptions(group, facts)
    return field(default=default, kw_only=True, metadata={"part": described})


def complete(new: T, **attributes: object) -> T:
    """Set attributes of a frozen object, which its constructor has not returned yet."""
    for name, value in attributes.items():
        object.__setattr__(new, name, value)
    return new


def copy_with(original: T, **attributes: object) -> T:
    """Return a copy with other attributes, whose constructor does not run: it would load files."""
    return complete(object.__new__(type(original)), **vars(original) | attributes)


class Options:
    """Base class: checks the values and makes the signature."""

    __dataclass_fields__: ClassVar[dict[str, Spec]]  # of each subclass
    # For each language the options whose defaults it decides.
    by_language: ClassVar[Mapping[str, Mapping[str, object]]] = {}

    def __post_init__(self) -> None:
        unset = {}
        for spec in fields(self):
            value, default = getattr(self, spec.name), spec.metadata["default"]
            if value is None:
                unset[spec.name] = default
            elif value is not default:
                _check(spec, value)
        if unset:
            complete(self, **unset)

    @classmethod
    def of(cls, owner: object, **instead: object) -> Self:
        """Return the options of this class that an object has; `instead` replaces some values."""
        names = (spec.name for spec in fields(cls))
        return cls(**{name: getattr(owner, name) for name in names} | instead)

    @classmethod
    def other_defaults(cls, name: str) -> str:
        """Return where an option has another default, as the help says it.

        >>> from celab.metrics.options import TeslaCelabOptions
        >>> TeslaCelabOptions.other_defaults("case"), TeslaCelabOptions.other_defaults("decay")
        ('; de: lower', '; 0.5 with weights other than unit')
        """
        (metadata,) = (spec.metadata for spec in fields(cls) if spec.name == name)
        default = metadata["default"]
        values = {lang: options.get(name, default) for lang, options in cls.by_language.items()}
        langs = [lang for lang, value in values.items() if value != default]
        texts = [f"{', '.join(group)}: {v}" for v, group in groupby(langs, key=values.__getitem__)]
        return "".join(f"; {text}" for text in (*texts, metadata["otherwise"]) if text)

    def signature_parts(
        self, names: Collection[str] | None = None, /, **instead: str
    ) -> list[tuple[str, str]]:
        """Return key and value of each option that can move a score; `instead` replaces values.

        `names` are those of the options to return (default: all).
        """
        parts = []
        for spec in fields(self):
            if names is not None and spec.name not in names:
                continue
            key, value = spec.metadata["key"], instead.get(spec.name, getattr(self, spec.name))
            is_default = value == spec.metadata["default"]
            is_omitted = is_default and spec.metadata["omit_default_from_signature"]
            if key is not None and not is_omitted:
                # 1 and 1.0 are the same setting and must look the same.
                parts.append((key, f"{value:.12g}" if isinstance(value, float) else str(value)))
        return parts


def flag_name(spec: Field[Any]) -> str:
    """Return the name of an option among parsed arguments: that of its first long flag.

    >>> from celab.metrics.options import BleuOptions
    >>> [flag_name(spec) for spec in fields(BleuOptions)][:2]
    ['bleu_tokenize', 'lowercase']
    """
    return str(spec.metadata["dest"] or spec.name)


def _check(spec: Field[Any], value: object) -> None:
    name, metadata = spec.name, spec.metadata
    default, choices, between = (metadata[key] for key in ("default", "choices", "between"))

    def error(hint: str) -> OptionError:
        return OptionError(name, value, hint, flag=flag_name(spec))

    if choices is not None and not (isinstance(value, str) and value in choices):
        raise error(suggest(str(value), choices))
    if isinstance(default, bool) and not isinstance(value, bool):
        raise error("it must be True or False")
    if between is not None:
        low, high = between
        is_integer = issubclass(metadata["type"], int)
        right_type = isinstance(value, int if is_integer else int | float)
        if not right_type or isinstance(value, bool) or not low <= cast("float", value) <= high:
            kind = "a whole number" if is_integer else "a number"
            raise error(f"it must be {kind} from {low} to {high}")


def check_data(owner: object) -> None:
    """Raise `OptionError` if a language, a tag or a path of a metric is of a wrong type.

    Whether the language or the file exists is checked later.
    """
    for spec in fields(cast("DataclassInstance", owner)):
        value = getattr(owner, spec.name)
        if getattr(value, "ndim", 0) and spec.name != "function_tags":
            raise OptionError(
                (Setting(spec.name), f" is of type {_type_name(value)}"),
                hint="no option is an array or a data frame",
            )
        if spec.name in _DATA_TYPES and (value is not None or spec.name == "weights"):
            kind, several, expected = _DATA_TYPES[spec.name]
            if isinstance(value, kind):
                continue
            items = list(value) if several and is_list(value) else [value]
            if not all(isinstance(item, kind) for item in items):
                raise OptionError(
                    (Setting(spec.name), f" is of type {_type_name(value)}"),
                    hint=f"it must be {expected}",
                )


def is_list(value: object) -> bool:
    """Return whether a value has items in an order: lists, tuples, arrays, series, generators."""
    has_items = getattr(value, "ndim", 1) != 0  # an array without a dimension has none
    is_text = isinstance(value, str | bytes)
    return (
        isinstance(value, Iterable)
        and has_items
        and not (is_text or isinstance(value, Mapping | Set))
    )


def _type_name(value: object) -> str:
    if isinstance(value, list | tuple) and value:
        return f"{type(value).__name__} of {type(value[0]).__name__}"
    return type(value).__name__


_PATH = (str, os.PathLike)
# Type of a value, whether there may be several, and what it must be.
_DATA_TYPES: dict[str, tuple[type | tuple[type, ...], bool, str]] = {
    "lang": (str, False, "a language code, such as 'zh'"),
    "analysis": (str, False, "a name, such as 'tagged'"),
    "separator": (str, False, "a str"),
    "function_tags": (str, True, "a list of tags"),
    "lexicon": (_PATH, True, "a name, a path, a list of them or None"),
    "counts": (_PATH, False, "a path"),
    "weights": (_PATH, False, "a name or a path"),
    "model": (_PATH, False, "the path of a file of celab train"),
    "relations": (_PATH, False, "the path of a folder"),
}


PER_LINE = 64  # bytes that a line or a tag needs in Python, in addition to its text


class Size(int):
    """A number of bytes, which may be spelled with K, M, G or T.

    >>> Size("64M") == 64 * 2**20, str(Size(2**30))
    (True, '1G')
    """

    def __new__(cls, size: str | int) -> Size:  # noqa: D102
        unit = 0
        if isinstance(size, str):
            unit = "KMGT".find(size[-1:].upper()) + bool(size)
            digits = size[:-1] if unit else size
            if (number := whole_number(digits)) is None:
                raise ValueError(f"{digits!r} is not a whole number")
            size = number
        return super().__new__(cls, size << 10 * unit)

    def __str__(self) -> str:
        units = max((n for n in range(5) if self and not self % (1 << 10 * n)), default=0)
        return f"{self >> 10 * units:d}{' KMGT'[units].strip()}"


@dataclass(frozen=True, kw_only=True)
class Limits(Options):
    """The most bytes, decompressed, that are taken from a file; more is a `LimitError`.

    What is held in memory at once counts for `max_file`: a file that is read as a whole, or the
    10,000 lines that are scored together. Markup has no lines, so only the file counts there.
    """

    heading: ClassVar[str] = "Limits, such as 64M (K, M, G or T)"

    max_line: int = option(
        Size("16M"), "longest line, in bytes after decompression", between=(Size(1), Size("1T"))
    )
    max_file: int = option(
        Size("1G"),
        "most bytes of a file, after decompression, to hold in memory; each line or tag"
        f" counts {PER_LINE} more",
        between=(Size(1), Size("1T")),
    )


LIMITS = Limits()
