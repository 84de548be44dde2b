"""The options of reading texts: which files, in which format, and what to take from them.

Each is declared here once: the flags of all commands that read references and systems are made of
these fields, and the parameters of `celab.corpus.read` are values of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from celab.base.options import AnyPath, option, option_group
from celab.corpus.formats import FORMATS
from celab.corpus.model import MISSING, TEXT_DOCUMENTS, Fields


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Inputs:
    """Files of references and systems, and how they are read: all options of texts."""

    heading: ClassVar[str] = "Input"

    files: Sequence[AnyPath] = option(
        (),
        "references, then the hypothesis; with -s, all are references; with -r or -t, all are"
        " systems",
        metavar="FILE",
        is_argument=True,
        nargs="*",
    )
    references: Sequence[AnyPath] | None = option(
        None, "references", flags="-r --references", metavar="FILE", nargs="+"
    )
    systems: Sequence[AnyPath] | None = option(
        None,
        "system outputs; files, or folders of one file per system; a folder with the same file"
        " names as the reference folder is one system, and a folder of such folders is several"
        " (default: standard input)",
        flags="-s --systems -i --input",
        metavar="FILE",
        nargs="+",
    )
    test_set: str | None = option(
        None,
        "references from sacreBLEU's test sets, such as wmt24; needs -l",
        flags="-t --test-set",
        metavar="NAME",
    )
    language_pair: str | None = option(
        None,
        "language pair, such as en-zh, or a target language; sets --lang and selects this pair in"
        " files with several; for en-ja and en-ko, BLEU is on characters, while sacreBLEU uses -tok"
        " ja-mecab and -tok ko-mecab",
        flags="-l --language-pair",
        metavar="PAIR",
    )
    source: AnyPath | None = option(
        None,
        "source text, shown in the report and searched for terms",
        metavar="FILE",
    )
    documents: AnyPath | None = option(
        None,
        "document of each segment: one per line, or a TSV table",
        metavar="FILE",
    )
    align: bool = option(
        False,
        "cut outputs at the references' segments first, for files whose lines are not the"
        " references' lines; docs/documents.md",
    )
    text_documents: str | None = option(
        None,
        "how a plain output file is divided into documents, with --align (default: none); none: the"
        " file is one text; lines: a line is a document; blank: blank lines are between documents",
        choices=TEXT_DOCUMENTS,
    )
    unwrap: bool = option(
        False,
        "extract the translation from answers of language models, where it is unambiguous;"
        " prefaces, notes, code blocks, quotation marks and thinking are left out;"
        " docs/language-models.md",
    )
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
    missing: str | None = option(
        None,
        "treatment of segments that a system lacks, joined by id (default: an error); empty:"
        " they count as outputs without text; skip: they are left out for all systems, and so"
        " are segments that no reference has",
        choices=MISSING,
    )
    skip_missing: bool = option(
        False,
        "score only the segments that all files have; same as --missing skip; shown in signatures",
    )
    fields: Fields = option_group(Fields)
    sheet: str | None = option(
        None,
        "sheet of an .xlsx workbook, by name or number, or one each: hyp=Answers,ref=Key (default:"
        " the first)",
        metavar="NAME",
        file="none",
    )
    no_header: bool = option(
        False,
        "the first row of a table is a segment, even if it looks like names of columns; columns are"
        " chosen by number",
    )
    only_refs: Sequence[str] | None = option(
        None,
        "references to use, such as A,B (default: all in the files)",
        metavar="NAMES",
        items="names",
        file="none",
        convert=_names,
    )
    only_systems: Sequence[str] | None = option(
        None,
        "systems to score, separated by commas (default: all)",
        metavar="NAMES",
        items="names",
        file="none",
        convert=_names,
    )
    names: Sequence[str] | None = option(
        None,
        "names of the systems, separated by commas, in the order of the files (default: the"
        " shortest distinct part of the path)",
        metavar="NAMES",
        items="names",
        file="none",
        convert=_names,
    )
    lang: str | None = option(
        None,
        "target language (default: zh)",
        metavar="NAME",
        file="none",
    )
    text: bool = option(
        False,
        "treat the arguments as the texts of one segment, not as files: REF... HYP",
        group="One segment",
    )

    # The system if the files hold none.
    default_system: AnyPath | None = None
    # True once folders and patterns are replaced by their files.
    are_expanded: bool = False
    # The language as the caller wrote it, with script or region.
    written_lang: str = ""
    # True if a segment may lack text in all references, as in speech, which has silence.
    blank_refs: bool = False

    @property
    def has_roles(self) -> bool:
        """Whether an option names references or systems."""
        return self.references is not None or self.systems is not None

    @property
    def missing_as(self) -> str | None:
        """Treatment of missing segments, set by `missing` or `skip_missing`."""
        return "skip" if self.skip_missing else self.missing
