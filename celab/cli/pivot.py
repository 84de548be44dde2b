"""`celab pivot`: builds pivot tables and shows what is in them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from celab.base.errors import OptionError
from celab.base.text.escapes import dumped, escaped
from celab.cli import outputs, terminal
from celab.cli.arguments import Parser, integer_between, number, with_commands

if TYPE_CHECKING:
    from celab.pivot.table import Table

COMMAND = "celab pivot"


def main(argv: Sequence[str] | None = None, command: str = COMMAND) -> int:
    """Run the command; return its exit code."""
    return terminal.run(command, run, argv, command)


def _parser(command: str = COMMAND) -> Parser:
    parser, subcommand = with_commands(
        command, "Builds pivot tables (phrases and their translations) and shows what is in them."
    )

    build = subcommand(_build, "make a .pivot file from phrase tables, bitext or CC-CEDICT")
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

    info = subcommand(_info, "show what a table holds and where it comes from")
    words = subcommand(_lookup, "show the translations of phrases")
    words.add_argument("phrases", nargs="+", metavar="PHRASE")
    text = subcommand(_segment, "show the phrases of a text")
    text.add_argument("text", metavar="TEXT")
    pair = subcommand(_similar, "show how far the translations of two phrases overlap")
    pair.add_argument("one", metavar="A")
    pair.add_argument("two", metavar="B")
    groups = subcommand(_lexicon, "write phrases of similar translations as a .lex file")
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


def run(argv: Sequence[str] | None, command: str) -> tuple[str, str]:
    """Return the text for stdout and the remark for stderr."""
    arguments = _parser(command).parse_args(argv)
    if arguments.run is None:
        raise OptionError(f"no command is given; see {command} --help")
    output: tuple[str, str] = arguments.run(arguments)
    return output


def _open(arguments: argparse.Namespace) -> Table:
    from celab.pivot.table import load_table

    return load_table(arguments.pivot)


def _format_output(
    arguments: argparse.Namespace, facts: Any, lines: Sequence[str]
) -> tuple[str, str]:
    if arguments.json:
        return dumped(facts, indent=2), ""
    return "".join(f"{escaped(line, keep=chr(9))}\n" for line in lines), ""


def _build(arguments: argparse.Namespace) -> tuple[str, str]:
    from celab import pivot

    outputs.check({"--output": arguments.output}, [*arguments.paths, *arguments.alignment])
    table = pivot.build(
        arguments.paths,
        arguments.output,
        lang=arguments.lang,
        pivot_lang=arguments.pivot_lang,
        alignment=arguments.alignment,
        swap=arguments.swap,
        unit=arguments.unit,
        case=arguments.case,
        threshold=arguments.threshold,
        min_count=arguments.min_count,
        name=arguments.name,
    )
    return "", "" if arguments.quiet else f"{arguments.output}: {len(table):,} phrases"


def _info(arguments: argparse.Namespace) -> tuple[str, str]:
    table = _open(arguments)
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
            f"    licence  {source.licence or 'not stated'}",
            f"    version  {source.version or 'not stated'}",
        ]
    return _format_output(arguments, facts, lines)


def _lookup(arguments: argparse.Namespace) -> tuple[str, str]:
    table = _open(arguments)
    by_phrase = {phrase: table.lookup(phrase) for phrase in arguments.phrases}
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
    text, _ = _format_output(arguments, facts, lines)
    return text, f"not in the table: {', '.join(absent)}" if absent else ""


def _segment(arguments: argparse.Namespace) -> tuple[str, str]:
    phrases = _open(arguments).segment(arguments.text)
    return _format_output(arguments, phrases, [" ||| ".join(phrases)])


def _similar(arguments: argparse.Namespace) -> tuple[str, str]:
    overlap = _open(arguments).similar(arguments.one, arguments.two)
    return _format_output(arguments, {"overlap": overlap}, [f"{overlap:.4f}"])


def _lexicon(arguments: argparse.Namespace) -> tuple[str, str]:
    from celab.lexicon import store

    outputs.check({"--output": arguments.output}, [arguments.pivot])
    lexicon = _open(arguments).lexicon(arguments.threshold, arguments.min_count)
    store.write(lexicon, Path(arguments.output))
    return "", "" if arguments.quiet else f"{arguments.output}: {len(lexicon.groups):,} pairs"


if __name__ == "__main__":
    sys.exit(main())
