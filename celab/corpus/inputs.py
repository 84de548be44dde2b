"""The options of reading texts: which files, in which format, and what to take from them.

Each is declared here once: the flags of all commands that read references and systems are made of
these fields, and the parameters of `celab.corpus.read` are values of them. They are made without
`__eq__` and `__repr__`, as `celab.cli.groups` says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, cast

from celab.base.options import AnyPath, option, part
from celab.corpus.formats import FORMATS
from celab.corpus.model import TEXT_DOCUMENTS, Fields

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Files:
    """Files without a flag."""

    heading: ClassVar[str] = "Input"

    files: Sequence[AnyPath] = option(
        (),
        "references, then the hypothesis; only references with -s, only systems with -r or -t",
        metavar="FILE",
        words="*",
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class References:
    """Files of references."""

    heading: ClassVar[str] = "Input"

    references: Sequence[AnyPath] | None = option(
        None, "references", flags="-r --references", metavar="FILE..."
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Systems:
    """Files of systems."""

    heading: ClassVar[str] = "Input"

    systems: Sequence[AnyPath] | None = option(
        None,
        "system outputs; a folder stands for its files, one per system, or is one system if its"
        " files have the names of the references' files (default: standard input)",
        flags="-s --systems -i --input",
        metavar="FILE...",
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Sides(Systems, References):
    """Files of either side."""

    @property
    def has_roles(self) -> bool:
        """Whether it is said which files are references or systems."""
        return self.references is not None or self.systems is not None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TestSet:
    """A test set of sacreBLEU."""

    heading: ClassVar[str] = "Input"

    test_set: str | None = option(
        None,
        "references from sacreBLEU's test sets, such as wmt24; needs -l",
        flags="-t --test-set",
        metavar="NAME",
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LanguagePair:
    """Languages of source and translation."""

    heading: ClassVar[str] = "Input"

    language_pair: str | None = option(
        None,
        "language pair, such as en-zh; sets --lang to its target; or, without -t, one language; for"
        " en-ja and en-ko, BLEU is of characters, where sacreBLEU's -l takes -tok ja-mecab and"
        " -tok ko-mecab",
        flags="-l --language-pair",
        metavar="PAIR",
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Source:
    """The source text."""

    heading: ClassVar[str] = "Input"

    source: AnyPath | None = option(
        None,
        "source text, shown in the report and searched for terms",
        metavar="FILE",
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Documents:
    """Documents of the segments."""

    heading: ClassVar[str] = "Input"

    documents: AnyPath | None = option(
        None,
        "document of each segment: one per line, or a TSV table",
        metavar="FILE",
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Align:
    """Outputs whose lines are not the references' lines."""

    heading: ClassVar[str] = "Input"

    align: bool = option(
        False,
        "cut outputs at the references' segments first, for files whose lines are not the"
        " references' lines; docs/documents.md",
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TextDocuments:
    """Documents of outputs that are aligned."""

    heading: ClassVar[str] = "Input"

    text_documents: str | None = option(
        None,
        "documents of plain outputs (default: none); none: the file is one text; lines: a line is a"
        " document; blank: blank lines are between documents",
        choices=TEXT_DOCUMENTS,
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Unwrap:
    """What stands around translations."""

    heading: ClassVar[str] = "Input"

    unwrap: bool = option(
        False,
        "take the translation out of prefaces, notes, code blocks, quotation marks, thinking and"
        " the like, where it is certain; docs/language-models.md",
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Parts:
    """The format of the files, and what is taken from them."""

    heading: ClassVar[str] = "Input"

    format: str | None = option(
        None,
        f"input format: {', '.join(FORMATS)} (default: auto-detect)",
        metavar="NAME",
        file="none",
    )
    encoding: str | Mapping[str, str] | None = option(
        None,
        "encoding of all files, such as gb18030, big5 or utf-16, or of some:"
        " hyp=gb18030,ref=utf-8,source=big5 (default: declared in the file, or UTF-8)",
        flags="-e --encoding",
        metavar="NAME",
    )
    skip_missing: bool = option(
        False,
        "score only the segments that all files have, joined by id (not for plain text, which has"
        " no ids)",
    )
    fields: Fields = part(Fields)
    only_refs: Sequence[str] | None = option(
        None,
        "references to use, such as A,B (default: all in the files)",
        metavar="NAMES",
        file="none",
        convert=_names,
    )
    only_systems: Sequence[str] | None = option(
        None,
        "systems to score, separated by commas (default: all)",
        metavar="NAMES",
        file="none",
        convert=_names,
    )
    names: Sequence[str] | None = option(
        None,
        "names of the systems, separated by commas, in the order of the files (default: the"
        " shortest distinct part of the path)",
        metavar="NAMES",
        file="none",
        convert=_names,
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Language:
    """The target language."""

    heading: ClassVar[str] = "Input"

    lang: str | None = option(
        None,
        "target language (default: zh)",
        metavar="NAME",
        file="none",
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Words:
    """Texts on the command line."""

    heading: ClassVar[str] = "Input"

    text: bool = option(
        False,
        "the words in place of files are the texts themselves, of one segment: REF... HYP",
        group="One segment",
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Sources(Documents, Source, LanguagePair, TestSet, Sides, Files):
    """Files of all sides, and their documents."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Inputs(Words, Language, Parts, Unwrap, TextDocuments, Align, Sources):
    """Files of references and systems, and how they are read: all options of texts.

    A command has those of the classes that its own group is made of.
    """

    # The system if the files hold none.
    default_system: AnyPath | None = None
    # Whether folders and patterns are replaced by their files already.
    are_expanded: bool = False
    # Whether a segment may lack text in all references, as speech has silence.
    blank_refs: bool = False

    @classmethod
    def from_group(cls, group: object, **instead: Any) -> Inputs:
        """Return all options, with the values of a group of some; `instead` replaces values."""
        specs = fields(cast("DataclassInstance", group))
        return cls(**{spec.name: getattr(group, spec.name) for spec in specs} | instead)
