"""`celab-lexicon`: builds lexicons from what others wrote, and shows what is in them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from celab.cli import progress, terminal
from celab.cli.arguments import Parser
from celab.errors import LexiconError, OptionError

if TYPE_CHECKING:
    from celab.lexicon.catalogue import Located
    from celab.lexicon.model import Group, Thesaurus

COMMAND = "celab-lexicon"
MOST_EXAMPLES = 20


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    return terminal.run(COMMAND, lambda: _work(argv))


def _parser() -> Parser:
    parser = Parser(COMMAND, description="Builds synonym lexicons and shows what is in them.")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Sub)
    one = "cilin, a bundled name, or the path of a .lex or source file"

    build = commands.add_parser("build", help="make a .lex file of one or more sources")
    build.add_argument("sources", nargs="+", metavar="SOURCE", help=one)
    build.add_argument("-o", "--output", required=True, metavar="FILE", help="the .lex file")
    build.add_argument("--name", help="what the lexicon is called (default: the file's name)")
    build.add_argument("--lang", metavar="LANG", help="zh, de, en, ja, ko: only that language")
    build.add_argument("--format", metavar="FORMAT", help="of all sources; else by content")
    build.add_argument(
        "--merge", choices=("union", "transitive"), default="union",
        help="keep groups apart, or join those that share a word (default: union)",
    )  # fmt: skip
    build.add_argument("--max-group", type=int, metavar="N", help="drop groups of more words")
    build.add_argument(
        "--min-sources", type=int, default=1, metavar="K",
        help="keep only pairs that so many sources have (default: 1)",
    )  # fmt: skip
    build.add_argument(
        "--top-level", action="store_true",
        help="Wiktionary: also lists of synonyms that are tied to no sense",
    )  # fmt: skip
    build.add_argument(
        "--strict", action="store_true",
        help="a line that cannot be read is an error, not skipped",
    )  # fmt: skip
    build.add_argument("--quiet", action="store_true", help="no remarks, no progress bar")

    info = commands.add_parser("info", help="what is in a lexicon, and where it is from")
    info.add_argument("lexicon", metavar="LEXICON", help=one)
    info.add_argument("--max-order", type=int, default=4, help="longest n-gram (default: 4)")

    lookup = commands.add_parser("lookup", help="the groups of some words")
    lookup.add_argument("words", nargs="+", metavar="WORD")
    lookup.add_argument(
        "--lexicon", action="append", metavar="LEXICON",
        help=f"{one}; several are searched (default: cilin)",
    )  # fmt: skip

    diff = commands.add_parser("diff", help="what one lexicon has and another has not")
    diff.add_argument("a", metavar="A", help=one)
    diff.add_argument("b", metavar="B", help=one)

    export = commands.add_parser("export", help="the groups as plain text")
    export.add_argument("lexicon", metavar="LEXICON", help=one)
    export.add_argument("--tsv", action="store_true", help="one group a line (the default)")
    export.add_argument("-o", "--output", metavar="FILE", help="else to standard output")

    listing = commands.add_parser("list", help="bundled, installed and cached lexicons")
    for command in (info, lookup, diff, listing):
        command.add_argument("--json", action="store_true", help="as JSON")

    fetch = commands.add_parser("fetch", help="download a known source")
    fetch.add_argument("name", nargs="?", metavar="NAME", help="without one, all are listed")
    fetch.add_argument("--yes", action="store_true", help="the licence is accepted; do not ask")
    fetch.add_argument("--quiet", action="store_true", help="no progress bar")
    return parser


class _Sub(Parser):
    """A subcommand's parser: the same manners."""


def _work(argv: Sequence[str] | None) -> tuple[str, str]:
    arguments = _parser().parse_args(argv)
    commands: dict[str, Callable[[argparse.Namespace], tuple[str, str]]] = {
        "build": _build,
        "info": _info,
        "lookup": _lookup,
        "diff": _diff,
        "export": _export,
        "list": _list,
        "fetch": _fetch,
    }
    if arguments.command is None:
        raise OptionError(f"no command is given; it must be one of: {', '.join(commands)}")
    return commands[arguments.command](arguments)


def _open(spec: str) -> tuple[Located, Thesaurus]:
    from celab.lexicon.catalogue import load, locate

    located = locate(spec)
    return located, load(located)


def _build(arguments: argparse.Namespace) -> tuple[str, str]:
    from celab.lexicon import store
    from celab.lexicon.catalogue import load, locate
    from celab.lexicon.files import SourceFile
    from celab.lexicon.merge import merge
    from celab.lexicon.model import Settings

    for name, least in (("max_group", 2), ("min_sources", 1)):
        value = getattr(arguments, name)
        if value is not None and value < least:
            raise OptionError(f"--{name.replace('_', '-')} is {value}; it must be at least {least}")
    output = Path(arguments.output)
    if not output.parent.is_dir():
        raise OptionError(f"--output is {output}, but there is no folder {output.parent}")
    settings = Settings(arguments.lang, arguments.top_level, arguments.strict)
    found = [locate(spec) for spec in arguments.sources]
    thesauri = []
    for located in found:
        if progress.is_welcome(arguments.quiet):
            size = SourceFile(located.path, located.name, settings).size
            with progress.ProgressBar(size, f"reading {located.name}", unit="bytes") as bar:
                thesauri.append(load(located, settings, arguments.format, bar))
        else:
            thesauri.append(load(located, settings, arguments.format))
    merged = merge(
        thesauri,
        arguments.name or output.stem,
        mode=arguments.merge,
        max_group=arguments.max_group,
        min_sources=arguments.min_sources,
    )
    if not merged.thesaurus.groups:
        raise LexiconError("no group is left; nothing is written")
    store.write(merged.thesaurus, output)
    said = f"{output}: {len(merged.thesaurus.groups):,} groups"
    if merged.too_large:
        said += f"; {merged.too_large:,} groups of more than {arguments.max_group} words left out"
    if skipped := merged.thesaurus.n_skipped:
        first = merged.thesaurus.skipped[0]
        said += f"; {skipped:,} place{'s' * (skipped != 1)} skipped, the first: {first}"
    return "", "" if arguments.quiet else said


def _info(arguments: argparse.Namespace) -> tuple[str, str]:
    from dataclasses import asdict

    from celab.report import lexicons
    from celab.tokens import cut

    located, thesaurus = _open(arguments.lexicon)
    words = {word for group in thesaurus.groups for word in group.words}
    sizes = [len(set(group.words)) for group in thesaurus.groups]
    long = sum(len(cut(word, tokenize="char")) > arguments.max_order for word in words)
    facts = {
        "name": located.name,
        "digest": located.digest,
        "groups": len(sizes),
        "words": len(words),
        "mean_size": sum(sizes) / len(sizes),
        "largest": max(sizes),
        "max_order": arguments.max_order,
        "unreachable": long,
        "unreachable_share": long / len(words),
        "sources": [asdict(source) for source in thesaurus.sources],
    }
    return (lexicons.as_json(facts) if arguments.json else lexicons.info(facts)), ""


def _lookup(arguments: argparse.Namespace) -> tuple[str, str]:
    from celab.report import lexicons

    opened = [_open(spec)[1] for spec in arguments.lexicon or ["cilin"]]
    found: list[tuple[str, list[tuple[str, Group]]]] = []
    for word in arguments.words:
        groups = [
            (f"{thesaurus.sources[group.source].name} {group.label}", group)
            for thesaurus in opened
            for group in thesaurus.groups
            if word in group.words
        ]
        found.append((word, groups))
    if arguments.json:
        told = {w: [{"label": k, "words": list(g.words)} for k, g in groups] for w, groups in found}
        return lexicons.as_json(told), ""
    return lexicons.lookup(found), ""


def _pairs(thesaurus: Thesaurus) -> set[tuple[str, str]]:
    from celab.lexicon.merge import MOST_PAIRED

    return {
        pair
        for group in thesaurus.groups
        if len(group.words) <= MOST_PAIRED
        for pair in combinations(sorted(set(group.words)), 2)
    }


def _diff(arguments: argparse.Namespace) -> tuple[str, str]:
    from celab.report import lexicons

    (a, left), (b, right) = _open(arguments.a), _open(arguments.b)
    facts: dict[str, Any] = {"a": a.cited, "b": b.cited, "examples": {}}
    words = [{w for g in side.groups for w in g.words} for side in (left, right)]
    pairs = [_pairs(side) for side in (left, right)]
    for name, (one, two) in (("words", words), ("pairs", pairs)):
        facts[name] = {"both": len(one & two), "only_a": len(one - two), "only_b": len(two - one)}
    for side, only in (("only_a", pairs[0] - pairs[1]), ("only_b", pairs[1] - pairs[0])):
        facts["examples"][side] = sorted(only)[:MOST_EXAMPLES]
    return (lexicons.as_json(facts) if arguments.json else lexicons.diff(facts)), ""


def _export(arguments: argparse.Namespace) -> tuple[str, str]:
    from celab.lexicon import store
    from celab.report import lexicons

    text = lexicons.tsv(_open(arguments.lexicon)[1])
    if arguments.output is None:
        return text, ""
    store.save_text(text, Path(arguments.output))
    return "", ""


def _list(arguments: argparse.Namespace) -> tuple[str, str]:
    from celab.lexicon import catalogue, store
    from celab.lexicon.files import digest_of
    from celab.lexicon.folders import cache_folder
    from celab.report import lexicons

    rows: list[dict[str, str]] = []
    for name in catalogue.bundled_names():
        located = catalogue.locate(name)
        licence = "; ".join(source.licence for source in store.read(located.path).sources)
        rows.append({"name": name, "kind": "bundled", "digest": located.digest, "licence": licence})
    for name, licence in (
        ("cilin", "no licence granted by its makers: for research"),
        ("cedict", "CC BY-SA 4.0"),
        ("wordnet", "WordNet licence"),
    ):
        path = catalogue.installed_path(name)
        if path is not None:
            digest = digest_of(path)
            rows.append({"name": name, "kind": "installed", "digest": digest, "licence": licence})
    folder = cache_folder()
    if folder.is_dir():
        for path in sorted(folder.glob("*.lexc")):
            name, _, key = path.stem.rpartition("-")
            rows.append({"name": name, "kind": "cached", "digest": key, "licence": ""})
    return (lexicons.as_json(rows) if arguments.json else lexicons.listing(rows)), ""


def _fetch(arguments: argparse.Namespace) -> tuple[str, str]:
    from celab.lexicon.fetch import fetch
    from celab.lexicon.folders import cache_folder
    from celab.lexicon.known import KNOWN

    if arguments.name is None:
        return "".join(f"{k.name:<22} {k.licence:<28} {k.what}\n" for k in KNOWN.values()), ""
    if arguments.name not in KNOWN:
        names = ", ".join(KNOWN)
        raise OptionError(f"{arguments.name!r} is not known; it must be one of: {names}")
    known = KNOWN[arguments.name]
    terminal.remark(f"{COMMAND}: {known.name}: {known.what}; licence: {known.licence}")
    if not arguments.yes and not _agreed():
        raise OptionError("the licence was not accepted; answer y, or give --yes")
    folder = cache_folder() / "fetched"
    if progress.is_welcome(arguments.quiet):
        with progress.ProgressBar(0, f"fetching {known.name}", unit="bytes") as bar:
            path = fetch(known, folder, progress=bar)
    else:
        path = fetch(known, folder)
    return f"{path}\n", ""


def _agreed() -> bool:
    if sys.stdin is None or not sys.stdin.isatty():
        return False
    print("Download it? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


if __name__ == "__main__":
    sys.exit(main())
