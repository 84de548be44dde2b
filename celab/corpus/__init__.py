"""Reading of texts: paths → a corpus of aligned segments.

    inputs         the options of reading
    reading        options → a corpus, by means of the modules below
    formats        text → parts: the source, references and systems in a file; warnings about files
                   that are probably the wrong ones
    testsets       sacreBLEU's test sets → parts
    folders        folders with a file for each document → parts
    frames         texts in lists or data frames → a corpus
    join           parts → a corpus, joined by document and segment id, or by line, with short names
    align          systems whose lines are not the references' lines → parts

The format of a file is recognized by its content. A file given as a reference gives the references
in it, a file given as a system the systems; if no file is given as a system, all texts of every
file are read, so one WMT XML file is a whole corpus. A source in these files is read, too, and may
lack segments; a source that the user names must match the references exactly. A system in its own
file is named by the shortest form of its path that no other system has (`short_names` in `join`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from celab.base import io
from celab.base.arguments import list_paths
from celab.base.io import read_lines
from celab.base.languages import language_code
from celab.base.options import LIMITS, Limits
from celab.corpus import reading
from celab.corpus.formats import FORMATS
from celab.corpus.model import Corpus, Fields, Segment
from celab.corpus.options import Inputs

__all__ = ["FORMATS", "Corpus", "Fields", "Inputs", "Limits", "Segment", "read", "read_lines"]


def read(
    refs: io.AnyPath | Sequence[io.AnyPath],
    systems: io.AnyPath | Sequence[io.AnyPath] = (),
    *,
    source: io.AnyPath | None = None,
    format: str | None = None,
    encoding: str | Mapping[str, str] | None = None,
    missing: str | None = None,
    skip_missing: bool = False,
    fields: Fields = Fields(),  # noqa: B008 (it is frozen)
    sheet: str | None = None,
    no_header: bool = False,
    only_refs: Sequence[str] | None = None,
    only_systems: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    documents: io.AnyPath | None = None,
    test_set: str | None = None,
    language_pair: str | None = None,
    default_system: io.AnyPath | None = None,
    align: bool = False,
    text_documents: str = "none",
    unwrap: bool = False,
    blank_refs: bool = False,
    needs_refs: bool = True,
    lang: str | None = None,
    limits: Limits = LIMITS,
) -> Corpus:
    """Read all files and check that every segment can be scored.

    A path may be a folder, which stands for its files, or a pattern such as `hyp/*.zh`. If folders
    of references and systems have the same file names, files are documents, and each folder is one
    reference or one system (`celab.corpus.folders`). In the
    result, `n_left_out` counts the segments that are left out.

    Parameters:
        refs: references, or files that hold systems, too.
        systems: system outputs.
        source: source text.
        format: input format, one of `FORMATS` (default: auto-detect).
        encoding: encoding of all files, or a dict with that of some, by the keys ref, hyp and
            source (default: declared in the file, or UTF-8).
        missing: treatment of segments that a system lacks, joined by id: "empty" for outputs
            without text, "skip" to leave them out for all systems (default: an error).
        skip_missing: score only the segments that all files have, as `missing="skip"` does, which
            signatures show.
        fields: names or numbers of the columns of a table, or of the fields of JSON.
        sheet: sheet of an .xlsx workbook, by name or number, or one each, such as
            "hyp=Answers,ref=Key" (default: the first that is visible).
        no_header: the first row of a table is a segment, even if it looks like names of columns;
            columns are chosen by number.
        only_refs: references to use, by name (default: all in the files).
        only_systems: systems to score, by name (default: all).
        names: names of the systems, in the order of the files (default: the shortest distinct
            part of the path).
        documents: document of each segment, if the texts have none: a file with one per line.
        test_set: references from sacreBLEU's test sets, such as "wmt24", with their source.
        language_pair: language pair, such as "en-zh"; without `test_set`, it chooses the languages
            of a TMX file, and the lines of files with several pairs.
        default_system: a file that is read as a system if the others hold none.
        align: cut outputs at the references' segments first, for files whose lines are not the
            references' lines (`celab.align`).
        text_documents: how a plain output file is divided into documents, with `align`: "none",
            "lines" or "blank" (`celab.corpus.align.resegment`).
        unwrap: extract the translation from answers of language models, without prefaces, notes
            and the like (`celab.unwrap`).
        blank_refs: whether a segment may lack text in all references, as speech has silence.
        needs_refs: whether there must be a reference. If not, a bilingual file in `refs`, without
            systems, is a system.
        lang: target language (default: zh), which says which text of
            `{"translation": {"en": …, "zh": …}}` is the reference.
        limits: the greatest lengths of a line and a file.
    """
    inputs = Inputs(
        references=list_paths("refs", refs),
        systems=list_paths("systems", systems),
        source=source,
        format=format,
        encoding=encoding,
        missing=missing,
        skip_missing=skip_missing,
        fields=fields,
        sheet=sheet,
        no_header=no_header,
        only_refs=only_refs,
        only_systems=only_systems,
        names=names,
        documents=documents,
        test_set=test_set,
        language_pair=language_pair,
        default_system=default_system,
        align=align,
        text_documents=text_documents,
        unwrap=unwrap,
        blank_refs=blank_refs,
        lang=language_code(lang),
    )
    return reading.read(inputs, limits, needs_refs=needs_refs)
