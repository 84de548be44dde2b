"""The options of each metric, as fields of dataclasses.

The command line's flags and help, the checks and the signature all come from the metadata that
`option` stores, so they cannot drift apart. An option enters the signature if and only if it can
move a score; what cannot is in `celab.base.run`. One that came `later` enters the signature only
if it is not at its default, so that earlier signatures stay true.

>>> TeslaCelabOptions(case="lower").signature_parts()[:3]
[('n', '4'), ('f', '0.25'), ('tok', 'char')]
>>> TeslaCelabOptions(case="upper")
Traceback (most recent call last):
celab.base.errors.OptionError: case is 'upper'; it must be one of: keep, lower
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, cast, get_args

from celab.base.errors import OptionError, Setting, meant, nearest
from celab.base.numbers import whole_number

# The values of options that are words; the constructors of the metrics are typed with them, too.
Tokenize = Literal["char", "letter", "cluster", "space", "parts"]
FoldOrKeep = Literal["fold", "keep"]
Case = Literal["keep", "lower"]
Script = Literal["auto", "keep", "simplified", "traditional"]
OpenCC = Literal["t2s", "tw2s", "tw2sp", "hk2s"]
CilinLines = Literal["all", "="]
Links = Literal["paper", "release-2012"]
Similarities = Literal["ms+pos", "ms", "lem", "pos", "ms+lem", "lem+pos", "ms+lem+pos"]
Average = Literal["arithmetic", "geometric"]
Combine = Literal["mean", "max"]
Unit = Literal["char", "word"]
Punctuation = Literal["drop", "keep"]


def option(
    default: Any,
    help: str,
    *,
    key: str | None = None,
    choices: Sequence[str] | None = None,
    between: tuple[float, float] | None = None,
    later: bool = False,
    metavar: str | None = None,
) -> Any:
    """A dataclass field with its help text, its signature key and its valid values."""
    metadata = {"help": help, "key": key, "choices": choices, "between": between, "later": later}
    metadata["metavar"] = metavar
    return field(default=default, metadata=metadata)


class Options:
    """Base class: checks the values and makes the signature."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for spec in fields(cast(Any, self)):
            value, choices = getattr(self, spec.name), spec.metadata["choices"]
            if choices is not None and value not in choices:
                raise OptionError(spec.name, value, meant(str(value), choices))
            if isinstance(spec.default, bool) and not isinstance(value, bool):
                raise OptionError(spec.name, value, "it must be True or False")
            if (between := spec.metadata["between"]) is not None:
                low, high = between
                whole = isinstance(spec.default, int)
                right_type = isinstance(value, int if whole else int | float)
                if not right_type or isinstance(value, bool) or not low <= value <= high:
                    kind = "a whole number" if whole else "a number"
                    raise OptionError(spec.name, value, f"it must be {kind} from {low} to {high}")

    def signature_parts(self, **instead: str) -> list[tuple[str, str]]:
        """Key and value of each option that can move a score; `instead` replaces some values."""
        parts = []
        for spec in fields(cast(Any, self)):
            key, value = spec.metadata["key"], instead.get(spec.name, getattr(self, spec.name))
            if key is not None and not (spec.metadata["later"] and value == spec.default):
                # 1 and 1.0 are one setting and must look it.
                parts.append((key, f"{value:.12g}" if isinstance(value, float) else str(value)))
        return parts


@dataclass(frozen=True, slots=True, kw_only=True)
class TeslaCelabOptions(Options):
    """Options of TESLA-CELAB. The lexicon is not among them, because it is data."""

    max_order: int = option(4, "longest n-gram, in tokens; 6 with letters", key="n", between=(1, 6))
    f: float = option(0.25, "weight of precision against recall", key="f", between=(0.0, 1e6))
    tokenize: str = option(
        "char",
        "tokenization; char: characters, Latin words and numbers; letter: letters, digits"
        " and the spaces between words; cluster: as char, with the letter clusters of Thai, Lao,"
        " Khmer and Burmese; space: already tokenized; parts: words and parts of compounds"
        " (German)",
        key="tok",
        choices=get_args(Tokenize),
    )
    width: str = option(
        "fold",
        "fold full-width ASCII and the ideographic space, or keep them",
        key="width",
        choices=get_args(FoldOrKeep),
    )
    case: str = option("keep", "keep or lower-case letters", key="case", choices=get_args(Case))
    umlauts: str = option(
        "keep",
        "keep umlauts and ß, or fold them: Größe as Groesse, Übung as Uebung",
        key="uml",
        choices=("keep", "fold"),
        later=True,
    )
    script: str = option(
        "auto",
        "Chinese script; auto: convert texts with Traditional characters to Simplified;"
        " keep: convert nothing; or convert everything to one script",
        key="script",
        choices=get_args(Script),
    )
    opencc: str = option(
        "t2s",
        "OpenCC conversion to Simplified; tw2s, tw2sp: from Taiwan, tw2sp with its words;"
        " hk2s: from Hong Kong",
        key="conv",
        choices=get_args(OpenCC),
    )
    cilin_lines: str = option(
        "all",
        "lines of a Cilin file that make synonyms; all, or '=' lines only",
        key="lines",
        choices=get_args(CilinLines),
    )
    links: str = option(
        "paper",
        "linking rules; paper: the three rules of 2012; release-2012: those of the"
        " authors' program",
        key="links",
        choices=get_args(Links),
    )
    weights: str = option(
        "unit",
        "weights of n-grams; unit: all the same; information: by how rare their characters"
        " are (Chinese, Japanese); references: by how few references have their tokens; or a table"
        " of tokens and weights, separated by tabs",
        key="weights",
        later=True,
        metavar="NAME|PATH",
    )
    decay: float = option(
        1.0,
        "factor of an n-gram's weight for each token after the first, with at most two decimals",
        key="decay",
        between=(0.01, 1.0),
        later=True,
    )


# What TESLA-CELAB does with a language, where that differs from the defaults above.
USUAL: dict[str, dict[str, Any]] = {
    "zh": {},
    "ja": {"script": "keep"},  # 買 and 傘 are Japanese, too
    "ko": {"script": "keep"},
    "de": {"tokenize": "parts", "case": "lower", "script": "keep"},
    "en": {"tokenize": "letter", "script": "keep"},
    **{lang: {"tokenize": "cluster", "script": "keep"} for lang in ("th", "lo", "km", "my")},
}

_LETTERS = {"max_order": 6, "case": "keep"}  # with tokenize="letter", in any language


def usual(lang: str | None, **given: Any) -> dict[str, Any]:
    """The options that a language decides; those `given` win, unless they are None.

    >>> usual("de", case="keep", script=None)
    {'tokenize': 'parts', 'case': 'keep', 'script': 'keep'}
    >>> usual("en", max_order=None)
    {'tokenize': 'letter', 'script': 'keep', 'max_order': 6, 'case': 'keep'}
    """
    if lang is not None and lang not in USUAL:
        if close := nearest(lang, USUAL):
            raise OptionError("lang", lang, f"did you mean {close!r}?")
        raise OptionError(
            "lang",
            lang,
            (
                f"TESLA-CELAB supports {', '.join(USUAL)}; for other languages, give ",
                Setting("tokenize", "letter"),
                ", or ",
                Setting("tokenize", "space"),
                " for text that is tokenized, without ",
                Setting("lang"),
            ),
        )
    given = {name: value for name, value in given.items() if value is not None}
    found = USUAL[lang or "zh"] | given
    return found | _LETTERS | given if found.get("tokenize") == "letter" else found


@dataclass(frozen=True, slots=True, kw_only=True)
class TeslaMOptions(Options):
    """Options of TESLA-M, without language, analysis and lexicon."""

    max_order: int = option(3, "longest n-gram, in words", key="n", between=(1, 6))
    alpha: float = option(0.8, "weight of recall in F", key="alpha", between=(0.0, 1.0))
    discount: float = option(
        0.1,
        "factor of an n-gram's weight for each function word",
        key="discount",
        between=(0.001, 1.0),
    )
    similarities: str = option(
        "ms+pos",
        "word similarities, joined by +; ms: lemma, synonyms, tag; lem: lemma; pos: tag",
        key="sim",
        choices=get_args(Similarities),
    )
    average: str = option(
        "arithmetic",
        "mean over the F of all orders and similarities",
        key="avg",
        choices=get_args(Average),
    )
    combine: str = option(
        "mean",
        "score over the references of a segment; their mean, or the best",
        key="combine",
        choices=get_args(Combine),
    )


# What TESLA-S counts in a language.
SUMMARY_UNITS = {"zh": "char", "ja": "char", "ko": "char", "de": "word", "en": "word"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TeslaSOptions(Options):
    """Options of TESLA-S, without language and analysis."""

    unit: str = option("char", "unit of n-grams", key="unit", choices=get_args(Unit))
    skip: int = option(
        4, "most units between the two of a skip bigram", key="skip", between=(0, 100)
    )
    across: bool = option(False, "let skip bigrams cross line breaks in a summary", key="across")
    alpha: float = option(0.8, "weight of recall in F", key="alpha", between=(0.0, 1.0))
    discount: float = option(
        0.1,
        "factor of an n-gram's weight for each function word",
        key="discount",
        between=(0.001, 1.0),
    )
    case: str = option("lower", "keep or lower-case letters", key="case", choices=get_args(Case))
    punctuation: str = option(
        "drop",
        "tokens without a letter or digit; drop or keep them",
        key="punct",
        choices=get_args(Punctuation),
    )
    combine: str = option(
        "max",
        "score over the references of a segment; their mean, or the best",
        key="combine",
        choices=get_args(Combine),
    )


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits(Options):
    """The most bytes, decompressed, that are taken from a file; more is a `LimitError`.

    What is held in memory at once counts for `max_file`: a file that is read as a whole, or the
    10,000 lines that are scored together. Markup has no lines, so only the file counts there.
    """

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
