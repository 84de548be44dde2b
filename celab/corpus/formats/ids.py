"""Fields that identify the records of several files → keys of their texts.

A table may name its ids (`id`, `seg`, or the field that the caller names). Other fields join the
records of two files if their values say that these are the same segments. A field may be an id

- if it is called like one: its last word is `id`, `index`, `line`, `key`, `number` or the like, as
  in `doc_id`, `segmentId` and `uid`; or
- if each of its values has a letter, so that counts and scores are none,

and no value occurs twice. Of `doc_id` and `seg_id` neither may be unique, but both together. A
field of one file and the field of the same name in another, or, if there is none, any other

- with the same values join the records;
- with half of the values in common join them, too, so that `join` names what is missing;
- with fewer in common are ignored: ids of requests.

A field that is not called like an id counts only if the order of its values is not that of the
lines, and numbers that count the records of both files say no more than the lines do. Fields that
join different records are an `InputError`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import product, starmap
from typing import NamedTuple

from celab.base.errors import InputError, Setting
from celab.base.options import is_digits
from celab.corpus.formats.json_text import check_surrogates, value_at
from celab.corpus.model import Fields, FilePart, Segment, list_segments
from celab.tables.cells import quantity

Id = str | Segment  # the value of a field, or of a field and that of the document

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[^\W\d_]+|#")
_LAST_WORDS = frozenset(
    """id ids idx index line lineno key number no nr num row seg segment item sample
    编号 編號 序号 序號 行号 行號 题号 題號 #""".split()
)
_INDEX_OF_PANDAS = ("", "Unnamed: 0", "__index_level_0__")
_AND = " and "  # between the names of two fields
_MIN_SHARE = 0.5  # share of the values of the shorter file that two fields have in common
_MAX_REPEATED = 0.1  # share of records whose id another record of their file has


def is_called_like_id(name: str) -> bool:
    """Return whether a field is called like the id of a segment.

    >>> [is_called_like_id(name) for name in ("doc_id", "segmentId", "meta.uid", "index", "line")]
    [True, True, True, True, True]
    >>> [is_called_like_id(name) for name in ("n", "score", "n_tokens", "headline", "idea")]
    [False, False, False, False, False]
    """
    if name in _INDEX_OF_PANDAS:
        return True
    words = [word.lower() for word in _WORDS.findall(name.rpartition(".")[2])]
    return bool(words) and (words[-1] in _LAST_WORDS or words[-1].endswith("id"))


class IdColumns:
    """The values of the fields of a table that may be ids, which are added record by record."""

    def __init__(self, names: Iterable[str]) -> None:
        self.values: dict[str, list[str]] = {name: [] for name in names}
        self._seen: dict[str, set[str]] = {
            name: set() for name in self.values if not is_called_like_id(name)
        }

    def add(self, record: Mapping[str, object]) -> None:
        """Add the values of the next record; drop the fields that are no ids."""
        for name in [*self.values]:
            text = _id_text(record[name] if name in record else value_at(record, name))
            if (seen := self._seen.get(name)) is not None:
                if not text or text in seen or not _has_letter(text):
                    text = None
                else:
                    seen.add(text)
            if text is None:
                del self.values[name]
            else:
                self.values[name].append(text)

    def of_rows(self, rows: Sequence[int]) -> dict[str, list[str]]:
        """Return the values of some records, by field."""
        return {
            name: values if len(rows) == len(values) else [values[row] for row in rows]
            for name, values in self.values.items()
        }


def _id_text(value: object) -> str | None:
    """Return a value as the text of an id, "" for an empty value; None if it cannot be an id."""
    if isinstance(value, str):
        return value.strip()
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():  # pandas writes 1.0 beside gaps
        value = int(value)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _has_letter(text: str) -> bool:
    return any(map(str.isalpha, text))


class _Column:
    """A field, or two, that identify the records of a file: a value for each text of a part."""

    def __init__(self, name: str, values: Sequence[Id]) -> None:
        self.name, self.values = name, values
        self.is_called_like_id = all(map(is_called_like_id, name.split(_AND)))

    @cached_property
    def rows(self) -> dict[Id, int]:
        """The row of each value; of one that occurs again, the last."""
        return {value: row for row, value in enumerate(self.values) if _id_of(value)}

    @property
    def n_repeated(self) -> int:
        """Number of records whose id another record has."""
        return sum(map(bool, map(_id_of, self.values))) - len(self.rows)

    @cached_property
    def has_letters(self) -> bool:
        """Whether all values have a letter, so that two files have no equal values by chance."""
        return all(_has_letter("".join(value)) for value in self.rows)

    @cached_property
    def counts_lines(self) -> bool:
        """Whether the values count the records, from any number on."""
        first = self.values[0] if self.values else ""
        if not isinstance(first, str) or not is_digits(first):
            return False
        return all(value == str(n) for n, value in enumerate(self.values, int(first)))


class _Match(NamedTuple):
    """Fields of two files that hold the same ids."""

    first: _Column
    second: _Column
    is_exact: bool

    @property
    def name(self) -> str:
        """The names of the fields."""
        return _AND.join(dict.fromkeys((self.first.name, self.second.name)))

    @property
    def rows(self) -> list[int | None]:
        """The row in the first file of each record of the second; None if it has none."""
        return [self.first.rows.get(value) for value in self.second.values]

    @property
    def follows_lines(self) -> bool:
        """Whether ids that both files have are in the same lines."""
        return all(row in (None, n) for n, row in enumerate(self.rows))


def join_by_fields(parts: Sequence[FilePart]) -> tuple[list[FilePart], str]:
    """Return the parts, with keys by the fields that join their files, and the names of these.

    A part that no field joins stays as it is; so does one whose own ids join it to the others.
    """
    files = _first_parts(parts)
    if not any(part.columns for part in files):
        return list(parts), ""
    joined: dict[str, _Joined] = {}
    names: dict[str, None] = {}
    for n, second in enumerate(files):
        for first in files[:n]:
            if joined and first.where not in joined:
                continue
            match = _match(first, second)
            if match is None and not (_has_ids(first) and _has_ids(second)):
                continue
            base = joined.setdefault(first.where, _Joined.as_first(first, match))
            joined[second.where] = base.with_other(second, match)
            names |= dict.fromkeys([match.name] if match else ())
            break
    if not joined:
        _refuse_other_order(parts, files)
    keyed = [joined[part.where].keyed(part) if part.where in joined else part for part in parts]
    return keyed, ", ".join(names)


def _first_parts(parts: Sequence[FilePart]) -> list[FilePart]:
    """Return one part of each file with ids or fields; references come first."""
    files: dict[str, FilePart] = {}
    for role in ("reference", "system", "source"):
        for part in parts:
            if part.role == role and (part.columns or part.keys is not None):
                files.setdefault(part.where, part)
    return [*files.values()]


class _Joined(NamedTuple):
    """A file that is joined to others: the key of each record, by the value of a field."""

    name: str  # name of the field; "" if its own ids join it
    key_of: dict[Id, Segment]
    keys: Sequence[Segment]  # keys of its first part

    @classmethod
    def as_first(cls, part: FilePart, match: _Match | None) -> _Joined:
        """Return a file whose records have the names by which others are joined to them.

        Without a match, its own ids join it.
        """
        if match is None or _has_ids(part):
            return cls("", {}, part.keys or ())
        column, keys = match.first, []
        documents = [key.document for key in part.keys] if part.keys else [""] * len(column.values)
        for row, (value, document) in enumerate(zip(column.values, documents, strict=True), 1):
            name = _id_of(value) if column.is_called_like_id else str(row)
            keys.append(value if isinstance(value, Segment) else Segment(document, name))
        return cls(column.name, dict(zip(column.values, keys, strict=True)), keys)

    def with_other(self, part: FilePart, match: _Match | None) -> _Joined:
        """Return the file whose records have the ids of this one; its own if there is no match."""
        if match is None:
            return _Joined("", {}, part.keys or ())
        pairs = zip(match.second.values, match.rows, strict=True)
        key_of = {value: _key(value) if row is None else self.keys[row] for value, row in pairs}
        return _Joined(match.second.name, key_of, [key_of[value] for value in match.second.values])

    def keyed(self, part: FilePart) -> FilePart:
        """Return a part of the file with its keys."""
        if not self.name:
            return part
        values = _values(part, self.name)
        for row, value in enumerate(values, start=1):
            if not _id_of(value):
                raise InputError(
                    f"{part.label}, record {row}: no {self.name!r}, by which the files are joined"
                )
        keys = [self.key_of.get(value) or _key(value) for value in values]
        for key in keys:
            check_surrogates(part.label, key.document + key.id)
        return replace(part, keys=keys, order=keys, is_numbered=False)


def _values(part: FilePart, name: str) -> Sequence[Id]:
    """Return the values of a column of a part by its name, as `_columns` has them."""
    if name in part.columns:
        return part.columns[name]
    if _has_ids(part):
        return [key if key.document else key.id for key in part.keys or ()]
    document, _, field = name.partition(_AND)
    documents = part.columns.get(document) or [key.document for key in part.keys or ()]
    return [*map(Segment, documents, part.columns[field])]


def _id_of(value: Id) -> str:
    return value if isinstance(value, str) else value.id


def _key(value: Id) -> Segment:
    return Segment("", value) if isinstance(value, str) else value


def _has_ids(part: FilePart) -> bool:
    """Return whether the file of a part names its ids, or its format has them."""
    return part.keys is not None and not part.is_numbered


def _columns(part: FilePart) -> list[_Column]:
    """Return the candidates for keys of records: ids, fields, and pairs of fields."""
    columns, documents = [], []
    if _has_ids(part):
        keys = [key if key.document else key.id for key in part.keys or ()]
        columns.append(_Column(part.id_field or "id", keys))
    elif part.keys is not None:
        documents.append(("document", [key.document for key in part.keys]))
    fields = [_Column(name, values) for name, values in part.columns.items()]
    repeated = [field for field in fields if field.n_repeated]
    if not documents:
        own = ((x.name, x.values) for x in repeated if x.name.lower().startswith("doc"))
        documents += [(name, [*map(_id_of, values)]) for name, values in own]
    pairs = [
        _Column(f"{name}{_AND}{field.name}", [*map(Segment, values, map(_id_of, field.values))])
        for name, values in documents
        for field in repeated
        if field.name != name
    ]
    return columns + fields + [pair for pair in pairs if not pair.n_repeated]


def _match(first: FilePart, second: FilePart) -> _Match | None:
    """Return the fields that join two files; None without such fields, or if their ids join them.

    `InputError` if two of them join other records, or if an id occurs twice.
    """
    pairs = [*_pairs(_columns(first), _columns(second))]
    unique = [pair for pair in pairs if not (pair[0].n_repeated or pair[1].n_repeated)]
    matches = [match for match in starmap(_compared, unique) if match is not None]
    exact = [match for match in matches if match.is_exact]
    for match in exact[1:]:
        if match.rows != exact[0].rows:
            raise _disagreement(first, second, exact[0], match)
    if chosen := [match for match in exact if _counts(match)]:
        if _has_ids(first) and _has_ids(second):
            _refuse_other_ids(first, second, chosen[0])
            return None
        return chosen[0]
    if _has_ids(first) and _has_ids(second):
        return None
    if near := [match for match in matches if not match.is_exact]:
        return near[0]
    for pair in pairs:
        _refuse_repeated(first, second, *pair)
    return None


def _pairs(
    columns: Sequence[_Column], others: Sequence[_Column]
) -> Iterator[tuple[_Column, _Column]]:
    """Yield pairs of columns with the same name in two files, then pairs of the other columns."""
    names, other_names = ({_plain(column.name) for column in side} for side in (columns, others))
    for column, other in product(columns, others):
        is_same = _plain(column.name) == _plain(other.name)
        are_others = _plain(column.name) not in other_names and _plain(other.name) not in names
        if is_same or are_others:
            yield column, other


def _plain(name: str) -> str:
    """Return a name without what spellings differ in: `segmentId` and `segment_id` are one."""
    return "".join(filter(str.isalnum, name.casefold())) or name


def _compared(column: _Column, other: _Column) -> _Match | None:
    """Return the match of two columns without repeated values; None if they are not one id."""
    are_ids = column.is_called_like_id and other.is_called_like_id
    have_letters = column.has_letters and other.has_letters
    n_shorter = min(len(column.rows), len(other.rows))
    if not n_shorter or not (are_ids or have_letters):
        return None
    match = _Match(column, other, is_exact=column.rows.keys() == other.rows.keys())
    if match.is_exact:
        return match
    if len(column.values) == len(other.values) and column.counts_lines and other.counts_lines:
        return None
    share = len(column.rows.keys() & other.rows.keys()) / n_shorter
    if not share or not (have_letters or _plain(column.name) == _plain(other.name)):
        return None
    if are_ids and share >= _MIN_SHARE:
        return match
    # Few values with letters are equal by chance; ids of other records are a contradiction.
    is_other_order = have_letters and not match.follows_lines
    return match if is_other_order and (are_ids or share >= _MIN_SHARE) else None


def _counts(match: _Match) -> bool:
    """Return whether a match says more than the lines do, or names the segments."""
    are_ids = match.first.is_called_like_id and match.second.is_called_like_id
    return are_ids or not match.follows_lines


def _disagreement(first: FilePart, second: FilePart, a: _Match, b: _Match) -> InputError:
    pairs = zip(a.rows, b.rows, strict=True)
    row, (x, y) = next((n, pair) for n, pair in enumerate(pairs) if pair[0] != pair[1])
    return InputError(
        f"{second.label}: by {a.second.name!r}, record {row + 1} is record {(x or 0) + 1} of"
        f" {first.label}, but by {b.second.name!r} it is record {(y or 0) + 1}",
        hint=("choose one: ", _id_setting(a.second.name)),
    )


def _id_setting(name: str) -> Setting:
    document, _, id = name.rpartition(_AND)
    return Setting("fields", Fields(document=document or None, id=id))


def _refuse_repeated(first: FilePart, second: FilePart, *columns: _Column) -> None:
    """Raise `InputError` if a file has some ids of the other twice, instead of others."""
    unique, repeated = sorted(columns, key=lambda column: column.n_repeated)
    part = first if repeated is columns[0] else second
    n_records = len(repeated.values)
    is_same = _plain(unique.name) == _plain(repeated.name)
    if not is_same or unique.n_repeated or len(unique.values) != n_records:
        return
    n_common = len(unique.rows.keys() & repeated.rows.keys())
    is_little = 0 < repeated.n_repeated <= max(1, _MAX_REPEATED * n_records)
    if is_little and n_common >= _MIN_SHARE * n_records:
        seen = Counter(repeated.values)
        twice = [_key(value) for value, times in seen.items() if times > 1]
        raise InputError(
            f"{part.label} has {quantity(len(twice))} more than once by {repeated.name!r}"
            f" ({list_segments(twice)}); each must occur once"
        )


def _refuse_other_ids(first: FilePart, second: FilePart, match: _Match) -> None:
    """Raise `InputError` if own ids have nothing in common, but other fields join two files."""
    if set(first.keys or ()).isdisjoint(second.keys or ()):
        raise InputError(
            f"{second.label} and {first.label} have no {second.id_field or 'id'} in common",
            hint=(f"they have the same {match.name!r}: use ", _id_setting(match.second.name)),
        )


def _refuse_other_order(parts: Sequence[FilePart], files: Iterable[FilePart]) -> None:
    """Raise `InputError` if numbers of lines come in another order than the lines of the others."""
    n_files = len({part.where for part in parts})
    for part in files if n_files > 1 else ():
        for column in _columns(part) if part.keys is None else ():
            ids = [value for value in column.values if isinstance(value, str)]
            if not column.is_called_like_id or not all(map(is_digits, ids)):
                continue
            numbers = [*map(int, ids)]
            counted = [*range(min(numbers), min(numbers) + len(column.values))]
            if numbers != counted == sorted(numbers) and counted[0] in (0, 1):
                row = next(n for n, number in enumerate(numbers) if number != counted[n])
                raise InputError(
                    f"{part.label} is not in the order of its {column.name!r}: record {row + 1} is"
                    f" number {numbers[row]}, so it cannot be joined to files without ids by line",
                    hint="sort it",
                )
