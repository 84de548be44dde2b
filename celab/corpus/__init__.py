"""The first step: paths → aligned segments.

    inputs         the options of reading
    reading        options → a corpus, by way of the modules below
    formats        text → parts: the source, references and systems in a file
    testsets       sacreBLEU's test sets → parts
    documents      text → the document of each segment
    join           parts → a corpus, joined by document and segment id, or by line
    system_names   paths → short names
    text_warnings  warnings about files that can be read, but are probably not what is meant
    align          systems whose lines are not the references' lines → parts

The format of a file is recognized by its content. A file given as a reference gives the references
in it, a file given as a system the systems; if no file is given as a system, every file gives all
that it has, so one WMT XML file is a whole corpus. A source in these files is read too; only one
that is given explicitly must match the references exactly. A system in its own file is named by the
shortest form of its path that no other system has (`system_names`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike

from celab.base import io
from celab.base.io import read_lines
from celab.base.options import LIMITS, Limits
from celab.corpus.formats import FORMATS
from celab.corpus.inputs import Inputs
from celab.corpus.model import Corpus, Fields, Segment

__all__ = ["FORMATS", "Corpus", "Fields", "Inputs", "Limits", "Segment", "read", "read_lines"]


def read(
    refs: io.AnyPath | Sequence[io.AnyPath],
    systems: io.AnyPath | Sequence[io.AnyPath] = (),
    *,
    source: io.AnyPath | None = None,
    format: str | None = None,
    encoding: str | Mapping[str, str] | None = None,
    skip_missing: bool = False,
    fields: Fields = Fields(),  # noqa: B008 (it is frozen)
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
    needs_refs: bool = True,
    lang: str | None = None,
    limits: Limits = LIMITS,
) -> Corpus:
    """Read all files and check that every segment can be scored.

    A path may be a folder, which stands for its files, or a pattern such as `hyp/*.zh`.
    `format` (one of `FORMATS`) and `encoding` override auto-detection; `encoding` may be a dict
    with the keys ref, hyp and source. `fields` names the columns of a table, or the fields of JSON.
    `only_refs` and `only_systems` choose by name; `names` renames the systems. `skip_missing` keeps
    only the segments that all systems and a reference have; `n_left_out` counts the others.
    `documents` is a file with the document of each segment, if the texts have
    none (`celab.corpus.documents`). `test_set` and `language_pair` ("wmt24", "en-zh") take
    references and source from sacreBLEU's test sets; without `test_set`, the pair chooses the
    languages of a TMX file. `default_system` is read as a system if the
    files hold none. With `align`, the lines of systems need not be those of the references:
    `celab.align` cuts them, document by document if `text_documents` ("lines", "blank"; see
    `celab.corpus.align.resegment`) or the format tells documents apart. With `unwrap`, systems are
    the translations inside their outputs (`celab.unwrap`). With `needs_refs` false
    there may be no reference. `lang` is the target language (default: Chinese), which says which
    text of `{"translation": {"en": …, "zh": …}}` is the reference. `limits` are the greatest
    lengths of a line and a file.
    """
    inputs = Inputs(
        references=[refs] if isinstance(refs, str | PathLike) else refs,
        systems=[systems] if isinstance(systems, str | PathLike) else systems,
        source=source,
        format=format,
        encoding=encoding,
        skip_missing=skip_missing,
        fields=fields,
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
        lang=lang,
    )
    return inputs.read(limits, needs_refs=needs_refs)
