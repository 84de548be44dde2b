"""Lexicons: synonym groups, from the usual sources to the arrays that the kernels use.

    readers             a source in its own format → groups of synonyms
    store               several sources → one, kept in a `.lex` file with its provenance
    catalog, fetch      names and paths → lexicons that are there, or can be downloaded
    compiled, lexicon   groups → arrays for the kernels, cached on disk by their recipe

The build makes the bundled lexicons with this package, so everything but `compiled`, `lexicon` and
`fetch` needs only the standard library.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Literal

from celab.base import io
from celab.base.arguments import check_list, check_number, check_path
from celab.base.errors import LexiconError, OptionError
from celab.base.languages import language_code
from celab.lexicon import catalog, store
from celab.lexicon.catalog import Spec, list_specs
from celab.lexicon.source import Group, ReaderSettings, Thesaurus

__all__ = ["build", "lookup", "merge", "open"]


def open(
    lexicon: Spec,
    *,
    lang: str | None = None,
    format: str | None = None,
    top_level: bool = False,
    strict: bool = False,
) -> Thesaurus:
    """Read a lexicon.

    Parameters:
        lexicon: a name, such as "cilin", "zh-core", "de-core" or "wordnet", or the path of a .lex
            file or of a source in any format of docs/lexicons.md.
        lang: take only words of this language, where a source has several: zh, de, en, ja or ko.
        format: format of the source (default: auto-detect).
        top_level: Wiktionary: also take lists of synonyms without a sense.
        strict: raise an error for a line that cannot be read, instead of skipping it.

    Returns a `celab.lexicon.source.Thesaurus` with `.groups` and `.sources`.

    >>> import celab
    >>> celab.lexicon.open("zh-core").groups[0].words[:2]
    (...)
    """
    check_path("lexicon", lexicon)
    settings = ReaderSettings(language_code(lang), top_level, strict)
    located = catalog.locate(lexicon)
    thesaurus = catalog.load(located, settings, format)
    catalog.warn_about(located, thesaurus.warnings)
    return thesaurus


def lookup(
    word: str, lexicon: Spec | Thesaurus | Sequence[Spec | Thesaurus] = "cilin"
) -> list[Group]:
    """Return the groups of synonyms that contain a word; their labels name the source.

    Parameters:
        word: the word as the lexicon spells it.
        lexicon: a name, a path, the result of `open`, or a list of these.

    >>> import celab
    >>> [group.label for group in celab.lexicon.lookup("雨伞")]
    ['cilin Bp34A01=']
    """
    if isinstance(lexicon, Thesaurus | str | PathLike):
        lexicon = [lexicon]
    check_list("lexicon", lexicon)
    thesauri = [spec if isinstance(spec, Thesaurus) else open(spec) for spec in lexicon]
    return [
        group._replace(label=f"{thesaurus.sources[group.source].name} {group.label}")
        for thesaurus in thesauri
        for group in thesaurus.groups
        if word in group.words
    ]


def merge(
    lexicons: Sequence[Spec | Thesaurus],
    name: str = "merged",
    *,
    mode: Literal["union", "transitive"] = "union",
    max_group: int | None = None,
    min_sources: int = 1,
) -> Thesaurus:
    """Merge several lexicons into one.

    Parameters:
        lexicons: names, paths, or results of `open`.
        name: name of the new lexicon.
        mode: "union" keeps groups apart; "transitive" joins those that share a word.
        max_group: drop groups of more words than this.
        min_sources: keep only pairs of words that at least this many sources have.

    >>> import celab
    >>> both = celab.lexicon.merge(["cilin", "zh-core"])
    >>> len(both.sources), len(both.groups) > 17_000
    (2, True)
    """
    if mode not in store.MODES:
        raise OptionError("mode", mode, f"choose from {', '.join(store.MODES)}")
    check_list("lexicons", lexicons)
    check_number("min_sources", min_sources, least=1, whole=True)
    if max_group is not None:
        check_number("max_group", max_group, least=1, whole=True)
    thesauri = [spec if isinstance(spec, Thesaurus) else open(spec) for spec in lexicons]
    merged = store.merge(thesauri, name, mode=mode, max_group=max_group, min_sources=min_sources)
    return merged.thesaurus


def build(
    sources: Spec | Sequence[Spec],
    output: str | PathLike[str],
    *,
    name: str | None = None,
    lang: str | None = None,
    format: str | None = None,
    mode: Literal["union", "transitive"] = "union",
    max_group: int | None = None,
    min_sources: int = 1,
    top_level: bool = False,
    strict: bool = False,
) -> Thesaurus:
    """Build a .lex file from one or more sources; metrics take it as `lexicon=`.

    Parameters:
        sources: names or paths.
        output: the .lex file, written atomically.
        name: name of the lexicon (default: that of the file).
        lang, format, top_level, strict: as in `open`.
        mode, max_group, min_sources: as in `merge`.

    >>> import celab, tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "mine.tsv").write_text("雨伞\\t伞\\n买\\t购\\n", "utf-8")
    >>> celab.lexicon.build(folder / "mine.tsv", folder / "mine.lex")
    <Thesaurus mine: 2 groups>
    >>> metric = celab.TeslaCelab(lexicon=folder / "mine.lex")
    >>> metric.sentence_score("购伞", ["买雨伞"]).score
    1.0
    """
    check_path("output", output)
    path = Path(output)
    name = name or io.readable(path.stem)
    thesauri = [
        open(source, lang=lang, format=format, top_level=top_level, strict=strict)
        for source in list_specs(sources)
    ]
    merged = merge(thesauri, name, mode=mode, max_group=max_group, min_sources=min_sources)
    if not merged.groups:
        raise LexiconError("no group is left; nothing is written")
    store.write(merged, path)
    return merged
