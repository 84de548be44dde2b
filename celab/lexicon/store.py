"""Store: a thesaurus as one `.lex` file, which says what it is and where it came from.

    celab-lexicon 1                                    what it is, and the number of its format
    {"name": …, "sources": [{…}], "sha256": …}         the head, JSON in one line
    0<TAB>Ba01A02=<TAB>东西<TAB>物<TAB>物件               source, label, words: one group per line

The head's digest is that of all lines below it; a file that does not match is refused. The same
groups from the same sources make the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from celab.base import io
from celab.base.arguments import JsonObject
from celab.base.errors import LexiconError
from celab.lexicon.source import (
    MAX_BYTES,
    STORED,
    STORED_FORMAT,
    Group,
    Provenance,
    Thesaurus,
    check_stored,
    too_large,
)

KIND = STORED.decode().strip()


def is_stored(head: str) -> bool:
    """Return whether a file with that beginning is a `.lex` file."""
    return head.startswith(f"{KIND} ")


def serialize(thesaurus: Thesaurus) -> str:
    """Return the text of the `.lex` file."""
    body = "".join(
        "\t".join((str(group.source), *map(_cell, (group.label, *group.words)))) + "\n"
        for group in thesaurus.groups
    )
    head = {
        "name": thesaurus.name,
        "sources": [asdict(source) for source in thesaurus.sources],
        "n_groups": len(thesaurus.groups),
        "sha256": hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest(),
    }
    return f"{KIND} {STORED_FORMAT}\n{json.dumps(head, ensure_ascii=False)}\n{body}"


def _cell(text: str) -> str:
    # Cells end at tabs and lines at LF, so neither can be inside.
    return " ".join(text.split()) if text.split(" ") != text.split() else text


def write(thesaurus: Thesaurus, path: Path) -> None:
    """Write the `.lex` file atomically; raise `LexiconError` if that is not possible."""
    io.write(path, serialize(thesaurus).encode("utf-8", "surrogatepass"), LexiconError)


def load(path: Path) -> Thesaurus:
    """Read a `.lex` file; `LexiconError` if it is damaged."""
    if path.stat().st_size > MAX_BYTES:
        raise too_large(path, MAX_BYTES)
    text = io.read_bytes(path).decode("utf-8", "replace")
    kind, _, rest = text.partition("\n")
    number = kind.removeprefix(f"{KIND} ")
    if number != str(STORED_FORMAT):
        raise LexiconError(
            f"lexicon {path} is in format {number[:20]!r}, which needs a newer celab;"
            f" this version reads format {STORED_FORMAT}"
        )
    line, _, body = rest.partition("\n")
    head = _head(line, path)
    digest = hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()
    check_stored(path, head["sha256"], digest)
    numbers = {str(k): k for k in range(len(head["sources"]))}
    groups = []
    for line_number, row in enumerate(body.split("\n")[:-1], 3):
        source, _, rest = row.partition("\t")
        if source not in numbers or not rest:
            raise LexiconError(
                f"lexicon {path} is damaged: line {line_number} begins with {row[:20]!r}, not with"
                " the number of a source and a label; build it again"
            )
        label, *words = rest.split("\t")
        groups.append(Group(label, tuple(words), numbers[source]))
    return Thesaurus(name=head["name"], sources=head["sources"], groups=groups)


def _head(line: str, path: Path) -> JsonObject:
    # A lexicon that is compiled is not read.
    from celab.base.json_files import parse_json

    try:
        head = parse_json(line)
        head["sources"] = [Provenance(**source) for source in head["sources"]]
        cells = [head["name"], head["sha256"]]
        cells += [cell for source in head["sources"] for cell in asdict(source).values()]
        if all(isinstance(cell, str) for cell in cells):
            return dict(head)
    except (ValueError, TypeError, KeyError, AttributeError):
        pass
    raise LexiconError(f"lexicon {path} is damaged: its header cannot be read; build it again")


# Merging: several thesauri → one.
#
# `union` keeps every group as it is: two words are synonyms if any group has both. `transitive`
# joins groups that share a word, so that synonyms of synonyms are synonyms; with everyday words
# this soon makes groups that mean nothing, which `max_group` can drop. `min_sources` keeps only
# pairs of words that so many sources agree on; a pair is then a group of its own.

# Larger groups have too many pairs, and say little.
MAX_PAIRED = 200
MODES = ("union", "transitive")


class Merged(NamedTuple):
    """The merged thesaurus, and the number of groups left out."""

    thesaurus: Thesaurus
    too_large: int  # groups


def merge(
    thesauri: Sequence[Thesaurus],
    name: str,
    *,
    mode: str = "union",
    max_group: int | None = None,
    min_sources: int = 1,
) -> Merged:
    """Merge thesauri into one, whose groups refer to the sources of all of them."""
    sources: list[Provenance] = []
    groups: list[Group] = []
    for thesaurus in thesauri:
        groups += [g._replace(source=g.source + len(sources)) for g in thesaurus.groups]
        sources += thesaurus.sources
    if min_sources > 1:
        groups = _agreed(groups, min_sources)
    if mode == "transitive":
        groups = _joined(groups)
    kept = [g for g in groups if max_group is None or len(set(g.words)) <= max_group]
    skipped = [line for thesaurus in thesauri for line in thesaurus.skipped]
    n_skipped = sum(thesaurus.n_skipped for thesaurus in thesauri)
    return Merged(
        Thesaurus(name=name, sources=sources, groups=kept, skipped=skipped, n_skipped=n_skipped),
        len(groups) - len(kept),
    )


def _agreed(groups: Iterable[Group], min_sources: int) -> list[Group]:
    votes: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    for group in groups:
        words = sorted(set(group.words))
        if len(words) <= MAX_PAIRED:
            for pair in combinations(words, 2):
                votes[pair].setdefault(group.source, group.label)
    return [
        Group(next(iter(labels.values())), pair, min(labels))
        for pair, labels in sorted(votes.items())
        if len(labels) >= min_sources
    ]


def _joined(groups: Sequence[Group]) -> list[Group]:
    # Union-find over groups, by the first group in which each word was seen.
    parent = list(range(len(groups)))

    def root(g: int) -> int:
        while parent[g] != g:
            parent[g] = parent[parent[g]]
            g = parent[g]
        return g

    first: dict[str, int] = {}
    for g, group in enumerate(groups):
        for word in group.words:
            other = root(first.setdefault(word, g))
            mine = root(g)
            parent[max(mine, other)] = min(mine, other)
    words: dict[int, dict[str, None]] = defaultdict(dict)
    for g, group in enumerate(groups):
        words[root(g)].update(dict.fromkeys(group.words))
    return [groups[g]._replace(words=tuple(members)) for g, members in words.items()]
