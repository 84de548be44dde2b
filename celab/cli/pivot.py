"""`celab pivot`: builds pivot tables and shows what is in them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from celab.base.text.escapes import dump_json, escape_controls
from celab.cli import requests, terminal
from celab.cli.arguments import Output, Parser, integer_between, number, with_commands
from celab.cli.requests import Request

if TYPE_CHECKING:
    from celab.pivot.table import PivotTable

COMMAND = "celab pivot"


@dataclass(frozen=True, kw_only=True)
class BuildRequest(Request):
    """Request of `celab pivot build`."""

    paths: tuple[str, ...]
    output: str
    lang: str
    pivot_lang: str | None = None
    alignment: tuple[str, ...] = ()
    swap: bool = False
    unit: Literal["word", "char"] | None = None
    case: Literal["keep", "lower"] = "keep"
    threshold: float = 0.1
    min_count: int = 1
    name: str | None = None


@dataclass(frozen=True, kw_only=True)
class PivotRequest(Request):
    """Fields of commands that read a table."""

    pivot: str


@dataclass(frozen=True, kw_only=True)
class TableRequest(PivotRequest):
    """Request of `celab pivot info`."""

    json: bool = False


@dataclass(frozen=True, kw_only=True)
class LookupRequest(TableRequest):
    """Request of `celab pivot lookup`."""

    phrases: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class SegmentRequest(TableRequest):
    """Request of `celab pivot segment`."""

    text: str


@dataclass(frozen=True, kw_only=True)
class SimilarRequest(TableRequest):
    """Request of `celab pivot similar`."""

    one: str
    two: str


@dataclass(frozen=True, kw_only=True)
class LexiconRequest(PivotRequest):
    """Request of `celab pivot lexicon`."""

    output: str
    threshold: float = 0.5
    min_count: int = 2


def _parser(command: str = COMMAND) -> Parser:
    parser, subcommand = with_commands(
        command, "Builds pivot tables (phrases and their translations) and shows what is in them."
    )

    build = subcommand(
        _build, BuildRequest, "make a .pivot file from phrase tables, bitext or CC-CEDICT"
    )
    add = build.add_argument
    add(
        "paths",
        nargs="+",
        metavar="SOURCE",
        help="Moses phrase table, TSV of phrase, pivot phrase"
        " and count, CC-CEDICT file, or cedict; with --alignment, the two files of a bitext",
    )
    add("-o", "--output", required=True, metavar="FILE", help="output file, written atomically")
    add("--lang", required=True, help="language of the phrases")
    add(
        "--pivot-lang",
        metavar="LANG",
        help="language of the translations; de, en and zh get lemmas and tags",
    )
    add(
        "--alignment",
        nargs="+",
        default=[],
        metavar="FILE",
        help="one or two files of links such as 0-0 1-2, a line per sentence pair; two are joined"
        " by grow-diag-final-and",
    )
    add("--swap", action="store_true", help="the translations come first in the sources")
    add(
        "--unit",
        choices=("word", "char"),
        help="what phrases are made of (default: char for zh and ja, else word)",
    )
    add(
        "--case",
        choices=("keep", "lower"),
        default="keep",
        help="keep or lower-case letters (default: keep)",
    )
    add(
        "--threshold",
        type=number,
        default=0.1,
        metavar="P",
        help="drop translations of a lower probability (default: 0.1)",
    )
    add(
        "--min-count",
        type=integer_between(1, 10**9),
        default=1,
        metavar="N",
        help="drop phrases of a lower count (default: 1)",
    )
    add("--name", help="name of the table (default: the file name)")
    add("-q", "--quiet", action="store_true", help="suppress status messages")

    info = subcommand(_info, TableRequest, "show what a table holds and where it comes from")
    words = subcommand(_lookup, LookupRequest, "show the translations of phrases")
    words.add_argument("phrases", nargs="+", metavar="PHRASE")
    text = subcommand(_segment, SegmentRequest, "show the phrases of a text")
    text.add_argument("text", metavar="TEXT")
    pair = subcommand(
        _similar, SimilarRequest, "show how far the translations of two phrases overlap"
    )
    pair.add_argument("one", metavar="A")
    pair.add_argument("two", metavar="B")
    groups = subcommand(
        _lexicon, LexiconRequest, "write phrases of similar translations as a .lex file"
    )
    groups.add_argument(
        "-o", "--output", required=True, metavar="FILE", help="output file, written atomically"
    )
    groups.add_argument(
        "--threshold",
        type=number,
        default=0.5,
        metavar="X",
        help="least overlap of two phrases (default: 0.5)",
    )
    groups.add_argument(
        "--min-count",
        type=integer_between(1, 10**9),
        default=2,
        metavar="N",
        help="drop phrases of a lower count (default: 2)",
    )
    groups.add_argument("-q", "--quiet", action="store_true", help="suppress status messages")
    for subparser in (info, words, text, pair, groups):
        subparser.add_argument("--pivot", required=True, metavar="FILE", help="pivot table")
    for subparser in (info, words, text, pair):
        subparser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def run(argv: Sequence[str] | None, command: str) -> Output:
    """Return the text for stdout and the remark for stderr."""
    return requests.run_command(_parser(command), argv)


def _open(request: PivotRequest) -> PivotTable:
    from celab.pivot.table import load_table

    return load_table(request.pivot)


def _format_output(request: TableRequest, facts: object, lines: Sequence[str]) -> tuple[str, str]:
    if request.json:
        return dump_json(facts, indent=2), ""
    return "".join(f"{escape_controls(line, keep=chr(9))}\n" for line in lines), ""


def _build(request: BuildRequest) -> tuple[str, str]:
    from celab import pivot

    table = pivot.build(
        request.paths,
        request.output,
        lang=request.lang,
        pivot_lang=request.pivot_lang,
        alignment=request.alignment,
        swap=request.swap,
        unit=request.unit,
        case=request.case,
        threshold=request.threshold,
        min_count=request.min_count,
        name=request.name,
    )
    return "", "" if request.quiet else f"{request.output}: {len(table):,} phrases"


def _info(request: TableRequest) -> tuple[str, str]:
    table = _open(request)
    facts = {"digest": table.digest, "phrases": len(table), **asdict(table.about)}
    about = table.about
    lines = [
        table.cited,
        f"  phrases  {len(table):,}, of {about.unit}s, {about.lang} to"
        f" {about.pivot_lang or 'an unnamed language'}",
        f"  kept     translations from {about.threshold:g}, counts from {about.min_count}",
        f"  lemmas   {about.words}",
    ]
    for source in about.sources:
        lines += [
            f"  source   {source.name} ({source.format}), sha256 {source.digest[:12]}",
            f"    origin   {source.origin or 'not stated'}",
            f"    license  {source.licence or 'not stated'}",
            f"    version  {source.version or 'not stated'}",
        ]
    return _format_output(request, facts, lines)


def _lookup(request: LookupRequest) -> tuple[str, str]:
    table = _open(request)
    by_phrase = {phrase: table.lookup(phrase) for phrase in request.phrases}
    lines = [
        f"{phrase}\t{translation.phrase}\t{translation.probability:.4f}"
        for phrase, translations in by_phrase.items()
        for translation in translations
    ]
    absent = [phrase for phrase, translations in by_phrase.items() if not translations]
    facts = {
        phrase: [asdict(translation) for translation in translations]
        for phrase, translations in by_phrase.items()
    }
    text, _ = _format_output(request, facts, lines)
    return text, f"not in the table: {', '.join(absent)}" if absent else ""


def _segment(request: SegmentRequest) -> tuple[str, str]:
    phrases = _open(request).segment(request.text)
    return _format_output(request, phrases, [" ||| ".join(phrases)])


def _similar(request: SimilarRequest) -> tuple[str, str]:
    overlap = _open(request).similar(request.one, request.two)
    return _format_output(request, {"overlap": overlap}, [f"{overlap:.4f}"])


def _lexicon(request: LexiconRequest) -> tuple[str, str]:
    from celab.lexicon import store

    lexicon = _open(request).lexicon(request.threshold, request.min_count)
    store.write(lexicon, Path(request.output))
    return "", "" if request.quiet else f"{request.output}: {len(lexicon.groups):,} pairs"


main = terminal.entry(run, COMMAND)

if __name__ == "__main__":
    sys.exit(main())
