"""`celab lexicon`: builds lexicons from known sources, and shows what is in them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import TypeVar

from celab.base import io
from celab.base.dicts import JsonObject
from celab.base.errors import ChangedError, LexiconError, OptionError, suggest
from celab.base.languages import language_code
from celab.base.text.escapes import dump_json
from celab.cli import output_files, progress, requests, terminal
from celab.cli.arguments import Output, Parser, integer_between, with_commands
from celab.cli.requests import Request
from celab.lexicon import cache, catalog, lookup, store
from celab.lexicon import listing as lexicons
from celab.lexicon.catalog import Located, load, locate
from celab.lexicon.fetch import fetch
from celab.lexicon.known import KNOWN
from celab.lexicon.merging import MAX_PAIRED, merge
from celab.lexicon.model import Settings, Thesaurus
from celab.lexicon.source import SourceFile, digest_of

T = TypeVar("T")
COMMAND = "celab lexicon"
MOST_EXAMPLES = 20


@dataclass(frozen=True, kw_only=True)
class BuildRequest(Request):
    """Request of `celab lexicon build`."""

    sources: tuple[str, ...]
    output: str
    name: str | None = None
    lang: str | None = None
    format: str | None = None
    merge: str = "union"
    max_group: int | None = None
    min_sources: int = 1
    top_level: bool = False


@dataclass(frozen=True, kw_only=True)
class ShowRequest(Request):
    """Fields of commands that print facts."""

    json: bool = False


@dataclass(frozen=True, kw_only=True)
class InfoRequest(ShowRequest):
    """Request of `celab lexicon info`."""

    lexicon: str
    max_order: int = 4


@dataclass(frozen=True, kw_only=True)
class LookupRequest(ShowRequest):
    """Request of `celab lexicon lookup`."""

    words: tuple[str, ...]
    lexicon: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class DiffRequest(ShowRequest):
    """Request of `celab lexicon diff`."""

    a: str
    b: str


@dataclass(frozen=True, kw_only=True)
class ExportRequest(Request):
    """Request of `celab lexicon export`."""

    lexicon: str
    output: str | None = None


@dataclass(frozen=True, kw_only=True)
class ListRequest(ShowRequest):
    """Request of `celab lexicon list`."""

    cache: bool = False


@dataclass(frozen=True, kw_only=True)
class CacheRequest(ShowRequest):
    """Request of `celab lexicon cache`."""

    clear: bool = False


@dataclass(frozen=True, kw_only=True)
class SuggestWords(Request):
    """The words of `celab lexicon suggest`, which has a parser of its own."""

    words: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class FetchRequest(Request):
    """Request of `celab lexicon fetch`."""

    name: str | None = None
    yes: bool = False


def _parser(command: str = COMMAND) -> Parser:
    parser, subcommand = with_commands(
        command, "Builds synonym lexicons and shows what is in them."
    )

    lexicon_help = "name of a lexicon, or path of a .lex or source file"

    build = subcommand(_build, BuildRequest, "make a .lex file from one or more sources")
    build.add_argument("sources", nargs="+", metavar="SOURCE", help=lexicon_help)
    add = build.add_argument
    output_help = "output file, written atomically"
    add("-o", "--output", required=True, metavar="FILE", help=output_help)
    add("--name", help="name of the lexicon (default: the file name)")
    add("--lang", metavar="LANG", help="keep only words of this language: zh, de, en, ja or ko")
    add("--format", metavar="FORMAT", help="format of all sources (default: auto-detect)")
    merge_help = "keep groups apart (union), or join those that share a word (default: union)"
    add("--merge", choices=("union", "transitive"), default="union", help=merge_help)
    add(
        "--max-group",
        type=integer_between(2, 10**9),
        metavar="N",
        help="drop groups of more than N words",
    )
    min_sources_help = "keep only pairs that at least K sources have (default: 1)"
    add(
        "--min-sources",
        type=integer_between(1, 1000),
        default=1,
        metavar="K",
        help=min_sources_help,
    )
    top_level_help = "also take synonyms that belong to no sense (Wiktionary)"
    add("--top-level", action="store_true", help=top_level_help)
    add("--strict", action="store_true", help="refuse lines that cannot be read")
    add("-q", "--quiet", action="store_true", help="suppress status messages and progress")

    info = subcommand(_info, InfoRequest, "show what is in a lexicon and where it comes from")
    info.add_argument("lexicon", metavar="LEXICON", help=lexicon_help)
    info.add_argument(
        "--max-order", type=integer_between(1, 1000), default=4, help="longest n-gram (default: 4)"
    )

    words = subcommand(_lookup, LookupRequest, "show the groups of some words")
    words.add_argument("words", nargs="+", metavar="WORD")
    repeated_help = f"{lexicon_help}; may be repeated (default: cilin)"
    words.add_argument("--lexicon", action="append", metavar="LEXICON", help=repeated_help)

    diff = subcommand(_diff, DiffRequest, "compare two lexicons")
    diff.add_argument("a", metavar="A", help=lexicon_help)
    diff.add_argument("b", metavar="B", help=lexicon_help)

    export = subcommand(_export, ExportRequest, "write the groups as plain text")
    export.add_argument("lexicon", metavar="LEXICON", help=lexicon_help)
    export.add_argument("--tsv", action="store_true", help="one group per line (the default)")
    export.add_argument("-o", "--output", metavar="FILE", help="output file (default: stdout)")

    listing = subcommand(
        _list, ListRequest, "show the lexicons that are here, and those that can be installed"
    )
    listing.add_argument(
        "--cache", action="store_true", help="show the compiled lexicons of the cache instead"
    )
    compiled = subcommand(
        _cache, CacheRequest, "show the size of the cache of compiled lexicons, or clear it"
    )
    compiled.add_argument(
        "--clear",
        action="store_true",
        help="remove the compiled lexicons; fetched sources and remembered words stay",
    )
    for subparser in (info, words, diff, listing, compiled):
        subparser.add_argument("--json", action="store_true", help="print JSON")

    suggest_help = "list the words that a lexicon misses most on a test set"
    subcommand(_suggest, SuggestWords, suggest_help, parses=False)

    source = subcommand(_fetch, FetchRequest, "download a known source")
    source.add_argument("name", nargs="?", metavar="NAME", help="known source (default: list all)")
    source.add_argument("--yes", action="store_true", help="accept the license without asking")
    source.add_argument("-q", "--quiet", action="store_true", help="no progress bar")
    return parser


def run(argv: Sequence[str] | None, command: str) -> Output:
    """Return the text for stdout, the remark for stderr, and the exit code if it may not be 0."""
    return requests.run_command(_parser(command), argv)


def _open(request: Request, spec: str) -> tuple[Located, Thesaurus]:
    def read() -> tuple[Located, Thesaurus]:
        located = locate(spec)
        return located, load(located)

    located, thesaurus = io.once_more(read)
    return located, _warned(request, located, thesaurus)


def _warned(request: Request, located: Located, thesaurus: Thesaurus) -> Thesaurus:
    for doubt in thesaurus.warnings:
        terminal.pending.append(f"{request.program}: warning: {located.path}, {doubt}")
    return thesaurus


@contextmanager
def _bar(request: Request, total: int, title: str) -> Iterator[progress.ProgressBar | None]:
    if not progress.is_welcome(request.quiet):
        yield None
        return
    with progress.ProgressBar(total, title, unit="bytes") as bar:
        yield bar


def _format_output(request: ShowRequest, facts: T, text: Callable[[T], str]) -> tuple[str, str]:
    if request.json:
        return dump_json(facts, indent=2), ""
    return text(facts), ""


def _build(request: BuildRequest) -> tuple[str, str]:
    sources = [locate(spec) for spec in request.sources]
    output_files.check_files({"--output": request.output}, request, [x.path for x in sources])
    output = Path(request.output)
    settings = Settings(language_code(request.lang), request.top_level, request.strict)
    thesauri = []
    for spec, located in zip(request.sources, sources, strict=True):
        size = SourceFile(located.path, located.name, settings).size
        with _bar(request, size, f"reading {located.name}") as bar:
            try:
                thesaurus = load(located, settings, request.format, bar)
            except ChangedError:  # once more
                thesaurus = load(locate(spec), settings, request.format, bar)
        thesauri.append(_warned(request, located, thesaurus))
    merged = merge(
        thesauri,
        request.name or output.stem,
        mode=request.merge,
        max_group=request.max_group,
        min_sources=request.min_sources,
    )
    if not merged.thesaurus.groups:
        raise LexiconError("no group is left; nothing is written")
    store.write(merged.thesaurus, output)
    remark = f"{output}: {len(merged.thesaurus.groups):,} groups"
    if merged.too_large:
        remark += f"; {merged.too_large:,} groups of more than {request.max_group} words left out"
    if skipped := merged.thesaurus.n_skipped:
        first = merged.thesaurus.skipped[0]
        remark += f"; {skipped:,} place{'s' * (skipped != 1)} skipped, the first: {first}"
    return "", "" if request.quiet else remark


def _info(request: InfoRequest) -> tuple[str, str]:
    from celab.base.text.tokens import cut

    located, thesaurus = _open(request, request.lexicon)
    words = {word for group in thesaurus.groups for word in group.words}
    sizes = [len(set(group.words)) for group in thesaurus.groups]
    long = sum(len(cut(word, tokenize="char")) > request.max_order for word in words)
    facts = {
        "name": located.name,
        "digest": located.digest,
        "groups": len(sizes),
        "words": len(words),
        "mean_size": sum(sizes) / len(sizes),
        "largest": max(sizes),
        "max_order": request.max_order,
        "unreachable": long,
        "unreachable_share": long / len(words),
        "sources": [asdict(source) for source in thesaurus.sources],
    }
    return _format_output(request, facts, lexicons.info)


def _lookup(request: LookupRequest) -> tuple[str, str]:
    thesauri = [_open(request, spec)[1] for spec in request.lexicon or ["cilin"]]
    facts = {
        word: [{"label": group.label, "words": group.words} for group in lookup(word, thesauri)]
        for word in map(_decode, request.words)
    }
    return _format_output(request, facts, lexicons.lookup)


def _decode(word: str) -> str:
    """Return the word decoded from UTF-8, if the locale could not decode it."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return os.fsencode(word).decode(errors="replace")
    return word


def _pairs(thesaurus: Thesaurus) -> set[tuple[str, str]]:
    return {
        pair
        for group in thesaurus.groups
        if len(group.words) <= MAX_PAIRED
        for pair in combinations(sorted(set(group.words)), 2)
    }


def _diff(request: DiffRequest) -> tuple[str, str]:
    (a, thesaurus_a), (b, thesaurus_b) = (_open(request, spec) for spec in (request.a, request.b))
    facts: JsonObject = {"a": a.cited, "b": b.cited, "examples": {}}
    words = [{w for g in side.groups for w in g.words} for side in (thesaurus_a, thesaurus_b)]
    pairs = [_pairs(side) for side in (thesaurus_a, thesaurus_b)]
    for name, (in_a, in_b) in (("words", words), ("pairs", pairs)):
        facts[name] = {
            "both": len(in_a & in_b),
            "only_a": len(in_a - in_b),
            "only_b": len(in_b - in_a),
        }
    for side, only in (("only_a", pairs[0] - pairs[1]), ("only_b", pairs[1] - pairs[0])):
        facts["examples"][side] = sorted(only)[:MOST_EXAMPLES]
    return _format_output(request, facts, lexicons.diff)


def _export(request: ExportRequest) -> tuple[str, str]:
    located = locate(request.lexicon)
    output_files.check_files({"--output": request.output}, request, [located.path])
    text = lexicons.tsv(_open(request, request.lexicon)[1])
    if request.output is None:
        return text, ""
    io.write(request.output, text)
    return "", ""


def _list(request: ListRequest) -> tuple[str, str]:
    rows = _cached_rows() if request.cache else _lexicon_rows()
    return _format_output(request, list(rows), lexicons.listing)


def _row(kind: str, name: str, digest: str, licence: str, **more: str) -> dict[str, str]:
    return {"name": name, "kind": kind, "digest": digest, "licence": licence, **more}


def _lexicon_rows() -> Iterator[dict[str, str]]:
    """Yield the lexicons that have a name, then the sources that can be fetched."""
    for name in catalog.bundled_names():
        located = catalog.locate(name)
        licences = (source.licence for source in store.load(located.path).sources)
        yield _row("bundled", name, located.digest, "; ".join(licences))
    installable = []
    for name, external in catalog.EXTERNAL_LEXICONS.items():
        if (path := catalog.installed_path(name)) is not None:
            yield _row("installed", name, digest_of(path), external.licence)
        else:
            installable.append(_row("installable", name, "", external.licence, how=external.how))
    yield from installable
    for known in KNOWN.values():
        path = _fetched_folder() / known.file
        if path.is_file():
            yield _row("fetched", known.name, digest_of(path), known.licence, path=str(path))
        else:
            how = f"celab lexicon fetch {known.name}"
            yield _row("fetchable", known.name, "", known.licence, how=how)


def _cached_rows() -> Iterator[dict[str, str]]:
    """Yield the lexicons that were compiled for a metric, with the keys of their settings."""
    for path in sorted(file.path for file in cache.files()):
        name, _, key = path.stem.rpartition("-")
        yield _row("cached", name, key, "", path=str(path))


def _cache(request: CacheRequest) -> tuple[str, str]:
    limit = cache.limit()
    removed = cache.clear() if request.clear else None
    files = cache.files()
    facts: JsonObject = {
        "folder": str(io.cache_folder()),
        "lexicons": len(files),
        "bytes": sum(file.size for file in files),
        "limit": int(limit),
    }
    if removed is not None:
        facts["removed"] = dict(zip(("lexicons", "bytes"), removed, strict=True))
    return _format_output(request, facts, lexicons.cache)


def _suggest(request: SuggestWords) -> Output:
    from celab.cli import suggest  # which has the flags of `celab score`

    return suggest.run(request.words, f"{request.program} suggest")


def _fetched_folder() -> Path:
    return io.cache_folder() / "fetched"


def _fetch(request: FetchRequest) -> tuple[str, str]:
    if request.name is None:
        return "".join(f"{k.name:<22} {k.licence:<28} {k.what}\n" for k in KNOWN.values()), ""
    if request.name not in KNOWN:
        hint = suggest(request.name, KNOWN)
        raise OptionError(f"{request.name!r} is not a known source; {hint}")
    source = KNOWN[request.name]
    terminal.remark(f"{request.program}: {source.name}: {source.what}; license: {source.licence}")
    if not request.yes and not _ask_consent():
        raise OptionError("the license was not accepted; answer y, or give --yes")
    with _bar(request, 0, f"fetching {source.name}") as bar:
        return f"{fetch(source, _fetched_folder(), progress=bar)}\n", ""


def _ask_consent() -> bool:
    if sys.stdin is None or not sys.stdin.isatty():
        return False
    print("Download it? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


main = terminal.entry(run, COMMAND)

if __name__ == "__main__":
    sys.exit(main())
