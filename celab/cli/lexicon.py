"""`celab lexicon`: builds lexicons from known sources, and shows what is in them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import TypeAlias, TypeVar

from celab.base import io
from celab.base.arguments import JsonObject
from celab.base.errors import LexiconError, OptionError, suggest
from celab.base.languages import language_code
from celab.base.messages import finding, note, warn
from celab.base.options import Size, option, option_group
from celab.base.text.escapes import dump_json, escape_controls
from celab.base.text.tokens import cut
from celab.cli import output_files, progress, terminal
from celab.cli.command import CommandGroup
from celab.cli.names import source_names
from celab.cli.option_groups import OutputOptions
from celab.cli.requests import Request
from celab.cli.terminal import Outcome
from celab.lexicon import catalog, compiled, lookup, store
from celab.lexicon.catalog import LocatedLexicon, load, locate
from celab.lexicon.fetch import KNOWN, fetch
from celab.lexicon.source import ReaderSettings, SourceFile, Thesaurus, digest_of
from celab.lexicon.store import MAX_PAIRED, merge
from celab.metrics.options import language_names, lexicon_names
from celab.tables.cells import quantity

T = TypeVar("T")
main = CommandGroup("lexicon", "Builds synonym lexicons and shows what is in them.")
MAX_EXAMPLES = 20


ShowRequest: TypeAlias = (
    "LexiconInfoRequest | LexiconLookupRequest | DiffRequest | ListRequest | CacheRequest"
)
_LEXICON = "name of a lexicon, or path of a .lex or source file"


@dataclass(frozen=True, kw_only=True)
class LexiconBuildRequest(Request):
    """Request of `celab lexicon build`."""

    output_format = "lex"

    sources: tuple[str, ...] = option(
        (), _LEXICON, metavar="SOURCE", is_argument=True, nargs="+", known_names=lexicon_names
    )
    name: str | None = option(None, "name of the lexicon (default: the file name)", file="none")
    lang: str | None = option(
        None,
        "keep only words of this language: zh, de, en, ja or ko",
        metavar="LANG",
        file="none",
        known_names=language_names,
    )
    format: str | None = option(
        None, "format of all sources (default: auto-detect)", metavar="FORMAT", file="none"
    )
    merge: str = option(
        "union",
        "keep groups apart (union), or join those that share a word (default: union)",
        choices=("union", "transitive"),
    )
    max_group: int | None = option(
        None, "drop groups of more than N words", metavar="N", between=(2, 10**9)
    )
    min_sources: int = option(
        1, "keep only pairs that at least K sources have", metavar="K", between=(1, 1000)
    )
    top_level: bool = option(False, "also take synonyms that belong to no sense (Wiktionary)")
    strict: bool = option(False, "refuse lines that cannot be read")
    output: OutputOptions = option_group(
        OutputOptions,
        only=["output", "overwrite", "quiet"],
        output={"help": "output file, written atomically", "required": True},
    )


@dataclass(frozen=True, kw_only=True)
class LexiconInfoRequest(Request):
    """Request of `celab lexicon info`."""

    lexicon: str = option(
        "", _LEXICON, metavar="LEXICON", is_argument=True, known_names=lexicon_names
    )
    max_order: int = option(4, "longest n-gram", between=(1, 1000))
    form: OutputOptions = option_group(OutputOptions, only=["json"], json="print JSON")


@dataclass(frozen=True, kw_only=True)
class LexiconLookupRequest(Request):
    """Request of `celab lexicon lookup`."""

    words: tuple[str, ...] = option(
        (), "", metavar="WORD", is_argument=True, nargs="+", file="none"
    )
    lexicon: tuple[str, ...] | None = option(
        None,
        f"{_LEXICON}; may be repeated (default: cilin)",
        metavar="LEXICON",
        repeats=True,
        known_names=lexicon_names,
    )
    form: OutputOptions = option_group(OutputOptions, only=["json"], json="print JSON")


@dataclass(frozen=True, kw_only=True)
class DiffRequest(Request):
    """Request of `celab lexicon diff`."""

    a: str = option("", _LEXICON, metavar="A", is_argument=True, known_names=lexicon_names)
    b: str = option("", _LEXICON, metavar="B", is_argument=True, known_names=lexicon_names)
    form: OutputOptions = option_group(OutputOptions, only=["json"], json="print JSON")


@dataclass(frozen=True, kw_only=True)
class ExportRequest(Request):
    """Request of `celab lexicon export`."""

    output_format = ""  # lists of groups have no mark

    lexicon: str = option(
        "", _LEXICON, metavar="LEXICON", is_argument=True, known_names=lexicon_names
    )
    tsv: bool = option(False, "one group per line (the default)")
    output: OutputOptions = option_group(
        OutputOptions, only=["output", "overwrite"], output="output file (default: stdout)"
    )


@dataclass(frozen=True, kw_only=True)
class ListRequest(Request):
    """Request of `celab lexicon list`."""

    cache: bool = option(False, "show the compiled lexicons of the cache instead")
    form: OutputOptions = option_group(OutputOptions, only=["json"], json="print JSON")


@dataclass(frozen=True, kw_only=True)
class CacheRequest(Request):
    """Request of `celab lexicon cache`."""

    clear: bool = option(
        False, "remove the compiled lexicons; fetched sources and remembered words stay"
    )
    form: OutputOptions = option_group(OutputOptions, only=["json"], json="print JSON")


@dataclass(frozen=True, kw_only=True)
class SuggestWords(Request):
    """The arguments of `celab lexicon suggest`, which has its own parser."""

    words: tuple[str, ...] = option((), "", is_argument=True, nargs="*")


@dataclass(frozen=True, kw_only=True)
class FetchRequest(Request):
    """Request of `celab lexicon fetch`."""

    name: str | None = option(
        None,
        "known source (default: list all)",
        metavar="NAME",
        is_argument=True,
        nargs="?",
        known_names=source_names,
    )
    yes: bool = option(False, "accept the license without asking")
    status: OutputOptions = option_group(OutputOptions, only=["quiet"], quiet="no progress bar")


def _open(request: Request, spec: str) -> tuple[LocatedLexicon, Thesaurus]:
    located = locate(spec)
    return located, _warned(located, load(located))


def _warned(located: LocatedLexicon, thesaurus: Thesaurus) -> Thesaurus:
    # Never errors: `--strict` of `build` is about entries.
    warn(*(f"{located.path}, {warning}" for warning in thesaurus.warnings), is_hint=True)
    return thesaurus


def _shown(request: ShowRequest, facts: T, text: Callable[[T], str]) -> Outcome:
    printed = dump_json(facts, indent=2) if request.form.json else text(facts)
    return Outcome(printed)


@main.command(LexiconBuildRequest, "make a .lex file from one or more sources")
def _build(request: LexiconBuildRequest) -> Outcome:
    sources = [locate(spec) for spec in request.sources]
    output = Path(str(request.output.output))
    files = {"--output": request.output.output}
    output_files.check_files(files, request, [source.path for source in sources])
    settings = ReaderSettings(language_code(request.lang), request.top_level, request.strict)
    thesauri = []
    for located in sources:
        size = SourceFile(located.path, located.name, settings).size
        title = f"reading {located.name}"
        with progress.show(size, title, "bytes", quiet=request.output.quiet) as bar:
            thesaurus = load(located, settings, request.format, bar)
        thesauri.append(_warned(located, thesaurus))
    merged = merge(
        thesauri,
        request.name or io.readable(output.stem),
        mode=request.merge,
        max_group=request.max_group,
        min_sources=request.min_sources,
    )
    if not merged.thesaurus.groups:
        raise LexiconError("no group is left; nothing is written")
    store.write(merged.thesaurus, output)
    n_groups = len(merged.thesaurus.groups)
    note(f"{output}: {n_groups:,} group{'s' if n_groups != 1 else ''}")
    if merged.too_large:
        note(f"{merged.too_large:,} groups of more than {request.max_group} words left out")
    if skipped := merged.thesaurus.n_skipped:
        first = merged.thesaurus.skipped[0]
        note(f"{skipped:,} place{'s' if skipped != 1 else ''} skipped, the first: {first}")
    return Outcome()


@main.command(LexiconInfoRequest, "show what is in a lexicon and where it comes from")
def _info(request: LexiconInfoRequest) -> Outcome:
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
    return _shown(request, facts, _info_text)


@main.command(LexiconLookupRequest, "show the groups of some words")
def _lookup(request: LexiconLookupRequest) -> Outcome:
    thesauri = [_open(request, spec)[1] for spec in request.lexicon or ["cilin"]]
    facts = {
        word: [{"label": group.label, "words": group.words} for group in lookup(word, thesauri)]
        for word in request.words
    }
    return _shown(request, facts, _lookup_text)


def _pairs(thesaurus: Thesaurus) -> set[tuple[str, str]]:
    return {
        pair
        for group in thesaurus.groups
        if len(group.words) <= MAX_PAIRED
        for pair in combinations(sorted(set(group.words)), 2)
    }


@main.command(DiffRequest, "compare two lexicons")
def _diff(request: DiffRequest) -> Outcome:
    (a, thesaurus_a), (b, thesaurus_b) = (_open(request, spec) for spec in (request.a, request.b))
    facts: JsonObject = {"a": a.signature_id, "b": b.signature_id, "examples": {}}
    words = [{w for g in side.groups for w in g.words} for side in (thesaurus_a, thesaurus_b)]
    pairs = [_pairs(side) for side in (thesaurus_a, thesaurus_b)]
    for name, (in_a, in_b) in (("words", words), ("pairs", pairs)):
        facts[name] = {
            "both": len(in_a & in_b),
            "only_a": len(in_a - in_b),
            "only_b": len(in_b - in_a),
        }
    for side, only in (("only_a", pairs[0] - pairs[1]), ("only_b", pairs[1] - pairs[0])):
        facts["examples"][side] = sorted(only)[:MAX_EXAMPLES]
    return _shown(request, facts, _diff_text)


@main.command(ExportRequest, "write the groups as plain text")
def _export(request: ExportRequest) -> Outcome:
    located = locate(request.lexicon)
    output_files.check_files({"--output": request.output.output}, request, [located.path])
    text = _tsv_text(_open(request, request.lexicon)[1])
    return Outcome(output_files.write(request, text))


@main.command(ListRequest, "show the lexicons that are here, and those that can be installed")
def _list(request: ListRequest) -> Outcome:
    rows = _cached_rows() if request.cache else _lexicon_rows()
    return _shown(request, list(rows), _list_text)


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
            installable.append(
                _row("installable", name, "", external.licence, how=external.install_hint)
            )
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
    for path in sorted(file.path for file in compiled.files()):
        name, _, key = path.stem.rpartition("-")
        yield _row("cached", name, key, "", path=str(path))


@main.command(CacheRequest, "show the size of the cache of compiled lexicons, or clear it")
def _cache(request: CacheRequest) -> Outcome:
    limit = compiled.limit()
    removed = compiled.clear() if request.clear else None
    files = compiled.files()
    facts: JsonObject = {
        "folder": str(io.cache_folder()),
        "lexicons": len(files),
        "bytes": sum(file.size for file in files),
        "limit": int(limit),
    }
    if removed is not None:
        facts["removed"] = dict(zip(("lexicons", "bytes"), removed, strict=True))
    return _shown(request, facts, _cache_text)


@main.command(SuggestWords, "list the words that a lexicon misses most on a test set", parses=False)
def _suggest(request: SuggestWords) -> Outcome:
    from celab.cli import suggest  # late, because it loads what `celab score` loads

    return suggest.main.run(request.words, f"{request.program} suggest")


def _fetched_folder() -> Path:
    return io.cache_folder() / "fetched"


@main.command(FetchRequest, "download a known source")
def _fetch(request: FetchRequest) -> Outcome:
    if request.name is None:
        return Outcome("".join(f"{k.name:<22} {k.licence:<28} {k.what}\n" for k in KNOWN.values()))
    if request.name not in KNOWN:
        hint = suggest(request.name, KNOWN)
        raise OptionError(f"{request.name!r} is not a known source; {hint}")
    source = KNOWN[request.name]
    finding(f"{source.name}: {source.what}; license: {source.licence}")
    terminal.print_messages("finding", program=request.program)  # before the question
    if not request.yes and not _ask_consent():
        raise OptionError("the license was not accepted; answer y, or give --yes")
    title = f"fetching {source.name}"
    with progress.show(0, title, "bytes", quiet=request.status.quiet) as bar:
        return Outcome(f"{fetch(source, _fetched_folder(), progress=bar)}\n")


def _ask_consent() -> bool:
    if sys.stdin is None or not sys.stdin.isatty():
        return False
    terminal.print_error("Download it? [y/N] ", end="")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


# Contents of a lexicon → text of `celab lexicon`.


def _info_text(facts: JsonObject) -> str:
    """Return the output of `info`: sizes, sources, licenses."""
    lines = [
        f"{facts['name']}@{facts['digest'][:12]}",
        f"  groups   {facts['groups']:,}, {facts['mean_size']:.1f} words on average,"
        f" at most {facts['largest']:,}",
        f"  words    {facts['words']:,}",
        f"  reach    {facts['unreachable_share']:.0%} of entries can never match"
        f" at order {facts['max_order']}",
    ]
    for source in facts["sources"]:
        lines += [
            f"  source   {source['name']} ({source['format']}), sha256 {source['digest'][:12]}",
            f"    origin   {source['origin'] or 'not stated'}",
            f"    license  {source['licence'] or 'not stated'}",
            f"    version  {source['version'] or 'not stated'}",
        ]
    return _lines(lines)


def _lookup_text(facts: dict[str, list[JsonObject]]) -> str:
    """Return the output of `lookup`: the groups of each word, with members and source."""
    lines = []
    for word, groups in facts.items():
        lines.append(f"{word}: {quantity(len(groups), 'group')}")
        lines += [f"  {group['label']}: {' '.join(group['words'])}" for group in groups]
    return _lines(lines)


def _diff_text(facts: JsonObject) -> str:
    """Return the output of `diff`: words and pairs that only one of two lexicons has."""
    lines = [
        f"{facts['a']} against {facts['b']}",
        f"  words   {facts['words']['both']:,} in both,"
        f" {facts['words']['only_a']:,} and {facts['words']['only_b']:,} in one only",
        f"  pairs   {facts['pairs']['both']:,} in both,"
        f" {facts['pairs']['only_a']:,} and {facts['pairs']['only_b']:,} in one only",
    ]
    for side, sign in (("only_a", "-"), ("only_b", "+")):
        lines += [f"  {sign} {x} = {y}" for x, y in facts["examples"][side]]
    return _lines(lines)


def _list_text(rows: Iterable[dict[str, str]]) -> str:
    """Return the output of `list`: lexicons, each with its path or how to install it."""
    return _lines(
        f"{row['name']:<14} {row['kind']:<12} {row['digest'][:12]:<13}"
        + "; ".join(filter(None, (row["licence"], row.get("how"), row.get("path"))))
        for row in rows
    )


def _cache_text(facts: JsonObject) -> str:
    """Return the output of `cache`: its folder, its size, and the number of removed files."""
    lines = [facts["folder"]]
    if removed := facts.get("removed"):
        lines.append(f"  removed    {_cached(removed)}")
    lines.append(f"  compiled   {_cached(facts)}; the limit is {Size(facts['limit'])}")
    return _lines(lines)


def _cached(facts: dict[str, int]) -> str:
    n = facts["lexicons"]
    return f"{n:,} lexicon{'s' if n != 1 else ''}, {facts['bytes'] / Size('1M'):.1f}M"


def _tsv_text(thesaurus: Thesaurus) -> str:
    """Return the output of `export --tsv`: a group per line, with its label as a comment."""
    names = [source.name for source in thesaurus.sources]
    return "".join(
        "\t".join((*group.words, escape_controls(f"# {names[group.source]} {group.label}"))) + "\n"
        for group in thesaurus.groups
    )


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{escape_controls(line)}\n" for line in lines)
