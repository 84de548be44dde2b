"""Which columns are meant: names, numbers, ranges of either, and `rest`.

A word is first looked for among the names of columns: `GPT-4` is the column with this name or, if
there is none, the range from column `GPT` to column 4. A range leaves out columns with another
role, such as that of the reference. `rest` is all columns without another role that have texts,
neither ids nor numbers.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from celab.base.errors import InputError, suggest
from celab.base.messages import note
from celab.base.options import decimal, is_digits
from celab.corpus.formats.ids import is_called_like_id
from celab.corpus.formats.json_text import known_name, value_at
from celab.corpus.formats.record_values import Uncalculated
from celab.tables.cells import quantity

REST = "rest"
_DASH = re.compile("[-–－]")


@dataclass(frozen=True)
class TableColumns:
    """The columns of a table, or the fields of records."""

    file: str  # its name, for messages
    order: Sequence[str]  # names of all, in their order
    available: Collection[str]  # these, and their numbers if they are columns

    def find(self, word: str) -> str | None:
        """Return the name of the column that a word names or numbers, or None."""
        name = known_name(word, self.available)
        if name is None or name in self.order or not is_digits(name):
            return name
        return self.order[int(name) - 1]

    def chosen(
        self, words: Sequence[str], taken: Collection[str], texts: Sequence[Mapping[str, object]]
    ) -> list[str]:
        """Return the columns that words mean; a word that means none stays as it is.

        `taken` are the columns with another role, and `texts` the records, which only `rest` needs.
        """
        chosen: dict[str, None] = {}
        for word in words:
            name = self.find(word)
            if name is not None:
                chosen[name] = None
            elif word == REST:
                chosen |= dict.fromkeys(self._rest({*taken, *chosen}, texts))
            else:
                span = self._range(word)
                free = [name for name in span if name not in taken and not self._is_unnamed(name)]
                chosen |= dict.fromkeys(free or [word])
        return [*chosen]

    @cached_property
    def _numbers(self) -> list[str]:
        return [str(number) for number in range(1, len(self.order) + 1)]

    def _is_unnamed(self, name: str) -> bool:
        """Return whether a column has no name although others have."""
        return not name or (name in self._numbers and [*self.order] != self._numbers)

    def _range(self, word: str) -> Sequence[str]:
        """Return the columns of a range, such as `4-33`, `4-` or `王小明-李华`; none for others.

        `InputError` if only one of its ends is a column, or if it can be read in two ways.
        """
        readings: list[tuple[int, int]] = []
        half_known: list[tuple[str, str]] = []
        for dash in _DASH.finditer(word):
            ends = word[: dash.start()].strip(), word[dash.end() :].strip()
            first, last = self.find(ends[0]), self.find(ends[1]) if ends[1] else self.order[-1]
            if first is not None and last is not None:
                readings.append((self.order.index(first), self.order.index(last)))
            elif first is not None or (last is not None and ends[1]):
                half_known.append(ends)
        if len(readings) > 1:
            raise InputError(
                f"{self.file}: {word!r} can be read as {quantity(len(readings), 'range')} of"
                " columns",
                hint="give the numbers of the columns",
            )
        if not readings:
            for ends in half_known:
                self._refuse_end(word, *ends)
            return ()
        ((first_place, last_place),) = readings
        if first_place > last_place:
            raise InputError(
                f"{self.file}: {self.order[first_place]} is behind {self.order[last_place]}, so"
                f" {word!r} has no columns",
                hint="give the first column first",
            )
        return self.order[first_place : last_place + 1]

    def _refuse_end(self, word: str, first: str, last: str) -> None:
        unknown = first if self.find(first) is None else last
        if is_digits(unknown):
            n_columns = quantity(len(self.order), "column")
            raise InputError(
                f"{self.file} has {n_columns}, so {word} names a missing column: {unknown}",
                hint=f"{first}- takes all from {first} on"
                if unknown == last
                else "columns are numbered from 1",
            )
        raise InputError(
            f"{self.file} has no column {unknown!r}, an end of the range {word!r}",
            hint=suggest(unknown, [name for name in self.order if not is_digits(name)]),
        )

    def _rest(self, taken: Collection[str], texts: Sequence[Mapping[str, object]]) -> Sequence[str]:
        """Return the columns that have no other role, and say which ones these are."""
        left_out: dict[str, str] = {}
        rest = []
        for name in self.order:
            if name in taken:
                continue
            values = [value_at(values, name) for values in texts]
            cells = [value for value in values if value not in (None, "")]
            if self._is_unnamed(name):
                left_out[f"column {self.order.index(name) + 1}"] = "no name"
            elif any(isinstance(cell, Uncalculated) for cell in values):
                left_out[name] = "formulas without a result"
            elif any(not isinstance(cell, str) for cell in cells):
                left_out[name] = "no text"
            elif not any(isinstance(cell, str) and cell.strip() for cell in cells):
                left_out[name] = "blank"
            elif all(decimal(str(cell).strip()) is not None for cell in cells):
                left_out[name] = "numbers"
            elif is_called_like_id(name):
                left_out[name] = "ids"
            else:
                rest.append(name)
        reasons = ", ".join(f"{name} ({reason})" for name, reason in left_out.items())
        if not rest:
            none = f", apart from {reasons}" if reasons else ""
            raise InputError(f"{self.file} has no column without another role{none}")
        span = rest[0] if len(rest) == 1 else f"{rest[0]} to {rest[-1]}"
        without = f"; not {reasons}" if reasons else ""
        note(f"{self.file}: rest is {quantity(len(rest), 'column')}, {span}{without}")
        return rest
