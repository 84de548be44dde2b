"""A file with the document of each segment.

One line per segment. A file with one column is a list of documents. In a table, TSV or CSV, the
caller names or numbers the column, or the header calls it `document`, `doc`, `docid` or `doc_id`.
"""

from __future__ import annotations

from celab.base import io
from celab.base.errors import InputError
from celab.base.numbers import is_digits
from celab.corpus.formats.quoting import Row, rows_of
from celab.corpus.formats.records import csv_rows, refuse_ambiguous, separator_of

DOCUMENT_COLUMNS = ("document", "doc", "docid", "doc_id")


def documents_of(text: str, name: str, field: str | int | None = None) -> list[tuple[str, str]]:
    """Return the document of each segment, and its domain, "" without a column of that name.

    >>> documents_of("news.1\\nnews.1\\n", "docs.txt")
    [('news.1', ''), ('news.1', '')]
    >>> documents_of("domain\\tdocid\\nnews\\tnews.1\\n", "docs.tsv")
    [('news.1', 'news')]
    """
    rows = _rows(text, name)
    _, first = rows[0]
    known = (column for column in DOCUMENT_COLUMNS if column in first)
    column = next(known, None) if field is None else str(field)
    if column is not None:
        refuse_ambiguous(name, first, column)
    if column in first:
        place, start = first.index(column), 1
    elif field is None and len(first) == 1:
        place, start = 0, 0
    elif column is not None and is_digits(column) and 1 <= int(column) <= len(first):
        place, start = int(column) - 1, int(any(cell in DOCUMENT_COLUMNS for cell in first))
    elif field is None:
        raise InputError(
            f"{name} has {len(first)} columns, and none is called document; its document column"
            " must be given by number"
        )
    else:
        raise InputError(f"{name} has no column {column}; there are: {', '.join(first)}")
    documents = []
    domain = first.index("domain") if start and "domain" in first else len(first)
    for number, row in rows[start:]:
        if len(row) <= place or not row[place].strip():
            raise InputError(f"{name}, line {number}: no document; each line must have one")
        documents.append((row[place].strip(), "".join(row[domain : domain + 1]).strip()))
    return documents


def _rows(text: str, name: str) -> list[Row]:
    io.refuse_lone_cr(text, name)
    if io.suffix_of(name) == ".csv":
        return list(csv_rows(text, name, separator_of(text, DOCUMENT_COLUMNS)))
    if text.lstrip()[:1] in ("{", "<"):
        raise InputError(
            f"{name} is JSON or markup; documents must be a list, one per line, or a table"
        )
    return list(rows_of(text, name))
