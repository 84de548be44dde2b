"""A file with the document of each segment.

One line per segment. A file with one column is a list of documents. In a table with tabs, the
caller names or numbers the column, or the header calls it `document`, `doc`, `docid` or `doc_id`.
"""

from __future__ import annotations

from celab.base.errors import InputError
from celab.base.numbers import is_digits
from celab.corpus.formats.quoting import rows_of

_DEFAULT_NAMES = ("document", "doc", "docid", "doc_id")


def documents_of(text: str, name: str, field: str | int | None = None) -> list[tuple[str, str]]:
    """Return the document of each segment, and its domain, "" without a column of that name.

    >>> documents_of("news.1\\nnews.1\\n", "docs.txt")
    [('news.1', ''), ('news.1', '')]
    >>> documents_of("domain\\tdocid\\nnews\\tnews.1\\n", "docs.tsv")
    [('news.1', 'news')]
    """
    rows = list(rows_of(text, name))
    _, first = rows[0]
    known = (column for column in _DEFAULT_NAMES if column in first)
    column = next(known, None) if field is None else str(field)
    if column in first:
        place, start = first.index(column), 1
    elif field is None and len(first) == 1:
        place, start = 0, 0
    elif column is not None and is_digits(column) and 1 <= int(column) <= len(first):
        place, start = int(column) - 1, int(any(cell in _DEFAULT_NAMES for cell in first))
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
