"""Options: an option is a field of a dataclass, with the facts that `option` stores beside it.

An option is written once: the parameter of the metric, its flag and help on the command line, its
line in the documentation of the class, its checks and its part of the signature all come from the
field. Those of the metrics are in `celab.metrics.options`, those of texts in
`celab.corpus.options`, those that only commands have in `celab.cli`.

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
    NamedTuple,
    Self,
    TypeAlias,
    TypedDict,
    TypeVar,
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
COLUMNS = "columns"  # items of an option that may also be words of their own
MAX_ORDER = 6  # longest n-gram of characters, in tokens


# The use of the path in an option's value: a file that is read, a file or a folder that is written,
# or "none", because the value is not a path.
FileUse = Literal["input", "output", "folder", "none"]


class OptionInfo(NamedTuple):
    """The properties of an option: its flags, help, checks and key in signatures.

    Attributes:
        default: the default value; for an option with a fallback, this.
        value_type: the type of the default, or float for a number without one.
        help: its line in the help of the command line and in the documentation of the metric; an
            option without one is not shown in the help.
        flags: its flags, if they are not made of its name.
        dest: its name among parsed arguments, if it is not that of the field.
        key: its key in the signature, if it can move a score.
        omit_default_from_signature: whether it enters the signature only if it is not at its
            default; for options that came after others.
        choices, between: its valid values, or the least and the greatest.
        completions: valid values that the dataclass checks, not the parser.
        other_defaults: defaults that depend on other options, for the help, such as "1 with
            add-k"; those by language are added.
        metavar: what the help shows in place of a value.
        group: the heading of the help that it is under.
        items: what its value lists, separated by commas, such as "names"; "" if it is no list.
        repeats: whether its flag can be repeated.
        is_argument: whether it is an argument without a flag, such as a file.
        nargs: how many values it takes, as in argparse.
        required: whether it must be given.
        value_flags: instead of one flag, a flag for each of these values, with the value's name
            in the help.
        convert: makes the value of the text of the flag; it raises argparse's error.
        file: what the value names, if it is a path.
        known_names: returns the names that it takes, for completion in a shell, and for errors
            and help texts that list them as {kinds}.
    """

    default: Any
    value_type: type
    help: str
    flags: tuple[str, ...] = ()
    dest: str = ""
    key: str | None = None
    omit_default_from_signature: bool = False
    choices: Sequence[str] | None = None
    between: tuple[float, float] | None = None
    completions: Sequence[str] | None = None
    other_defaults: str = ""
    metavar: str | None = None
    group: str = ""
    items: str = ""
    repeats: bool = False
    is_argument: bool = False
    nargs: Literal["?", "*", "+"] | None = None
    required: bool = False
    value_flags: Mapping[str, str] | None = None
    convert: Callable[[str], object] | None = None
    file: FileUse = "input"
    known_names: Callable[[], Iterable[str]] | None = None


class OptionChange(TypedDict, total=False):
    """Properties of a shared option that a command changes; see `OptionInfo`."""

    default: Any
    help: str
    flags: tuple[str, ...]
    choices: Sequence[str]
    metavar: str
    group: str
    required: bool
    convert: Callable[[str], object]
    known_names: Callable[[], Iterable[str]]


def option(
    default: T,
    help: str,
    *,
    fallback: T | None = None,
    positional: bool = False,
    flags: str = "",
    dest: str = "",
    key: str | None = None,
    omit_default_from_signature: bool = False,
    choices: Sequence[str] | None = None,
    between: tuple[float, float] | None = None,
    other_defaults: str = "",
    metavar: str | None = None,
    group: str = "",
    items: str = "",
    repeats: bool = False,
    is_argument: bool = False,
    nargs: Literal["?", "*", "+"] | None = None,
    required: bool = False,
    value_flags: Mapping[str, str] | None = None,
    convert: Callable[[str], object] | None = None,
    file: FileUse = "input",
    known_names: Callable[[], Iterable[str]] | None = None,
) -> T:
    """Return a dataclass field with its help text, its signature key and its valid values.

    Parameters:
        default, help: the default value, and the help text.
        fallback: for an option whose default depends on others, such as the language: its value
            where they do not set one. `default` is None then.
        positional: whether the dataclass takes it without its name.
        flags: its flags, separated by spaces, if they are not made of its name. The first long
            one is its name among parsed arguments, unless `dest` is given.

    The others are attributes of `OptionInfo`, with these names.
    """
    long_flags = (flag for flag in flags.split() if flag.startswith("--"))
    in_effect = default if fallback is None else fallback
    info = OptionInfo(
        default=in_effect,
        # A default of None does not show the type; an option with bounds is a number.
        value_type=float if in_effect is None and between else type(in_effect),
        help=help,
        flags=tuple(flags.split()),
        dest=dest or next(long_flags, "").lstrip("-").replace("-", "_"),
        key=key,
        omit_default_from_signature=omit_default_from_signature,
        choices=choices,
        between=between,
        other_defaults=other_defaults,
        metavar=metavar,
        group=group,
        items=items,
        repeats=repeats,
        is_argument=is_argument,
        nargs=nargs,
        required=required,
        value_flags=value_flags,
        convert=convert,
        file=file,
        known_names=known_names,
    )
    return field(default=default, kw_only=not positional, metadata={"option": info})


def info_of(spec: Spec) -> OptionInfo:
    """Return the properties of an option, which is a field made by `option`."""
    info: OptionInfo = spec.metadata["option"]
    return info


class OptionGroup(NamedTuple):
    """A group of options in a command or in another group.

    Attributes:
        cls: a dataclass whose fields are made by `option`.
        names: the options that the command takes.
        changes: what the command changes, by the name of the option.
    """

    cls: type[Any]
    names: Sequence[str]
    changes: Mapping[str, OptionChange]


def option_group(
    cls: type[T],
    *,
    only: Sequence[str] = (),
    without: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
    **changes: str | OptionChange,
) -> T:
    """Return a dataclass field that holds a group of options, whose flags a command takes.

    Options that it does not take are at their defaults.

    Parameters:
        cls: a dataclass whose fields are made by `option`.
        only, without: the options that the command takes (default: all), or does not take.
        settings: values of other fields of the group.
        changes: for an option its help text in this command, or a dict of what differs.
    """
    known = [spec.name for spec in fields(cast("type[DataclassInstance]", cls)) if spec.metadata]
    if unknown := {*only, *without} - {*known}:
        raise TypeError(f"{cls.__name__} has no option that is called {min(unknown)}")
    names = [name for name in only or known if name not in without]
    by_option: dict[str, OptionChange] = {
        name: {"help": change} if isinstance(change, str) else change
        for name, change in changes.items()
    }
    group = OptionGroup(cls, names, by_option)
    return field(default=cls(**settings or {}), kw_only=True, metadata={"group": group})


def complete(new: T, **attributes: object) -> T:
    """Set attributes of a frozen dataclass before its constructor returns, and return it."""
    for name, value in attributes.items():
        object.__setattr__(new, name, value)
    return new


def copy_with(original: T, **attributes: object) -> T:
    """Return a copy with other attributes, whose constructor does not run: it would load files."""
    return complete(object.__new__(type(original)), **vars(original) | attributes)


class Options:
    """Base class: checks the values and makes the signature."""

    __dataclass_fields__: ClassVar[dict[str, Spec]]  # every subclass is a dataclass
    # For each language the options whose defaults it decides.
    by_language: ClassVar[Mapping[str, Mapping[str, object]]] = {}

    def __post_init__(self) -> None:
        unset = {}
        for spec in fields(self):
            value, default = getattr(self, spec.name), info_of(spec).default
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
        """Return the defaults that depend on other options, as a text for the help.

        >>> from celab.metrics.options import TeslaCelabOptions
        >>> TeslaCelabOptions.other_defaults("case"), TeslaCelabOptions.other_defaults("decay")
        ('; de: lower', '; 0.5 with weights other than unit')
        """
        (info,) = (info_of(spec) for spec in fields(cls) if spec.name == name)
        default = info.default
        values = {lang: options.get(name, default) for lang, options in cls.by_language.items()}
        langs = [lang for lang, value in values.items() if value != default]
        texts = [f"{', '.join(group)}: {v}" for v, group in groupby(langs, key=values.__getitem__)]
        return "".join(f"; {text}" for text in (*texts, info.other_defaults) if text)

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
            info, value = info_of(spec), instead.get(spec.name, getattr(self, spec.name))
            is_omitted = value == info.default and info.omit_default_from_signature
            if info.key is not None and not is_omitted:
                # 1 and 1.0 are the same setting and must look the same.
                parts.append(
                    (info.key, f"{value:.12g}" if isinstance(value, float) else str(value))
                )
        return parts


def flag_name(spec: Field[Any]) -> str:
    """Return the name of an option among parsed arguments: that of its first long flag.

    >>> from celab.metrics.options import BleuOptions
    >>> [flag_name(spec) for spec in fields(BleuOptions)][:2]
    ['bleu_tokenize', 'lowercase']
    """
    return info_of(spec).dest or spec.name


def _check(spec: Field[Any], value: object) -> None:
    name, info = spec.name, info_of(spec)
    choices, between = info.choices, info.between

    def error(hint: str) -> OptionError:
        return OptionError(name, value, hint, flag=flag_name(spec))

    if choices is not None and not (isinstance(value, str) and value in choices):
        raise error(suggest(str(value), choices))
    if isinstance(info.default, bool) and not isinstance(value, bool):
        raise error("it must be True or False")
    if between is not None:
        low, high = between
        is_integer = issubclass(info.value_type, int)
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
        Size("16M"),
        "maximum length of a line, in bytes after decompression",
        between=(Size(1), Size("1T")),
    )
    max_file: int = option(
        Size("1G"),
        "maximum size of a file in memory, in bytes after decompression, plus"
        f" {PER_LINE} for each line or tag",
        between=(Size(1), Size("1T")),
    )


LIMITS = Limits()
