"""Contents of a lexicon → text of `celab lexicon`."""

from __future__ import annotations

from collections.abc import Iterable

from celab.base.dicts import JsonObject
from celab.base.options import Size
from celab.base.text.escapes import escape_controls
from celab.lexicon.model import Thesaurus


def info(facts: JsonObject) -> str:
    """Return what `info` prints: sizes, sources, licenses."""
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


def lookup(facts: dict[str, list[JsonObject]]) -> str:
    """Return what `lookup` prints: for each word its groups, with members and source."""
    lines = []
    for word, groups in facts.items():
        lines.append(f"{word}: {len(groups)} group{'s' * (len(groups) != 1)}")
        lines += [f"  {group['label']}: {' '.join(group['words'])}" for group in groups]
    return _lines(lines)


def diff(facts: JsonObject) -> str:
    """Return what `diff` prints: words and pairs that only one of two lexicons has."""
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


def listing(rows: Iterable[dict[str, str]]) -> str:
    """Return what `list` prints: one lexicon per line, and how to get it or where it is."""
    return _lines(
        f"{row['name']:<14} {row['kind']:<12} {row['digest'][:12]:<13}"
        + "; ".join(filter(None, (row["licence"], row.get("how"), row.get("path"))))
        for row in rows
    )


def cache(facts: JsonObject) -> str:
    """Return what `cache` prints: place and size of the cache, and what was removed from it."""
    lines = [facts["folder"]]
    if removed := facts.get("removed"):
        lines.append(f"  removed    {_cached(removed)}")
    lines.append(f"  compiled   {_cached(facts)}; the limit is {Size(facts['limit'])}")
    return _lines(lines)


def _cached(facts: dict[str, int]) -> str:
    n = facts["lexicons"]
    return f"{n:,} lexicon{'s' * (n != 1)}, {facts['bytes'] / Size('1M'):.1f}M"


def tsv(thesaurus: Thesaurus) -> str:
    """Return what `export --tsv` prints: a group per line, its label as the comment at the end."""
    names = [source.name for source in thesaurus.sources]
    return "".join(
        "\t".join((*group.words, escape_controls(f"# {names[group.source]} {group.label}"))) + "\n"
        for group in thesaurus.groups
    )


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{escape_controls(line)}\n" for line in lines)
