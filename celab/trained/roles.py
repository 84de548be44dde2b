"""The discourse role matrix of a text, and the role transitions in it (Lin, Ng and Kan 2011; Lin,
Liu, Ng and Kan 2012, section 4).

A row of the matrix is a sentence, a column a term, and a cell the roles of the term there: the
class of each relation in whose first or second argument it stands, or nil. The features are shares:

    LIN   transitions down the columns, of length 2 among all of length 2, of length 3 among all of
          length 3; a cell with several roles gives all combinations
    +E    each role once more with E. or N. before it, for explicit relations and others
    +C    pairs of roles in a cell, in the order of their names, among all such pairs

The sets of features are "lin" and, with additions, "e", "c" and "ce".
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from celab.base.arrays import F64, I64
from celab.trained.relations import Discourse

KINDS = ("Comp", "Cont", "EntRel", "Exp", "NoRel", "Temp")
NIL = "nil"
ORDERS = (2, 3)
_ROLES = [f"{kind}.Arg{number}" for kind in KINDS for number in (1, 2)]
ROLES = (*sorted([*_ROLES, *(f"{mark}.{role}" for mark in "EN" for role in _ROLES)]), NIL)
_NUMBERS = {role: number for number, role in enumerate(ROLES)}
_PAIRS = {pair: number for number, pair in enumerate(combinations(ROLES[:-1], 2))}
NAMES = (
    *("→".join(roles) for order in ORDERS for roles in product(ROLES, repeat=order)),
    *("+".join(pair) for pair in _PAIRS),
)

Cell = tuple[str, ...]  # the names of roles, sorted; empty for nil


class RoleMatrix(NamedTuple):
    """The roles of each term in each sentence, terms in the order of the text."""

    terms: list[str]
    cells: I64  # terms × sentences: numbers of `contents`
    contents: list[Cell]  # distinct cells; the first is empty

    def column(self, term: str) -> list[Cell]:
        """Return the roles of a term in each sentence."""
        return [self.contents[number] for number in self.cells[self.terms.index(term)].tolist()]


class Shares(NamedTuple):
    """The features of a text that are not 0: indices in `NAMES`, and shares."""

    numbers: I64
    values: F64


def role_matrix(text: Discourse, features: str) -> RoleMatrix:
    """Return the role matrix of a text, with the roles that the features need.

    >>> from celab.trained.relations import Relation
    >>> because = Relation("Cont", True, {0: frozenset({"rain"})}, {0: frozenset({"cloud"})})
    >>> matrix = role_matrix(Discourse([["rain", "cloud"], ["cloud"]], [because]), "lin")
    >>> matrix.column("rain"), matrix.column("cloud")
    ([('Cont.Arg1',), ()], [('Cont.Arg2',), ()])
    """
    terms_in_order = dict.fromkeys(term for terms in text.sentences for term in terms)
    rows = {term: row for row, term in enumerate(terms_in_order)}
    roles: dict[tuple[int, int], set[str]] = {}
    for kind, explicit, *arguments in text.relations:
        for number, argument in enumerate(arguments, 1):
            role = f"{kind}.Arg{number}"
            more = {f"{'E' if explicit else 'N'}.{role}"} if "e" in _sources(features) else set()
            for sentence, terms in argument.items():
                for term in terms:
                    roles.setdefault((rows[term], sentence), {role}).update({role}, more)
    contents: dict[Cell, int] = {(): 0}
    cells = np.zeros((len(rows), len(text.sentences)), np.int64)
    for place, names in roles.items():
        cells[place] = contents.setdefault(tuple(sorted(names)), len(contents))
    return RoleMatrix(list(rows), cells, list(contents))


def _sources(features: str) -> str:
    """Return the additions to LIN that a name of features stands for: "", "e", "c" or "ce"."""
    return "" if features == "lin" else features


def shares(matrix: RoleMatrix, features: str) -> Shares:
    """Return the features of a role matrix.

    >>> cells = np.array([[1, 2], [0, 0]])
    >>> contents = [(), ("Exp.Arg1",), ("Comp.Arg2", "Exp.Arg2")]
    >>> found = shares(RoleMatrix(["rain", "cloud"], cells, contents), "lin")
    >>> for number, share in zip(*found, strict=True):
    ...     print(NAMES[number], round(float(share), 4))
    Exp.Arg1→Comp.Arg2 0.3333
    Exp.Arg1→Exp.Arg2 0.3333
    nil→nil 0.3333
    """
    contents = [[_NUMBERS[role] for role in cell or (NIL,)] for cell in matrix.contents]
    parts: list[tuple[I64, I64]] = []  # numbers of features and their counts
    offset = 0
    for order in ORDERS:
        n_windows = max(matrix.cells.shape[1] - order + 1, 0)
        columns = [matrix.cells[:, k : k + n_windows].ravel() for k in range(order)]
        shape = (len(contents),) * order
        codes, times = np.unique(np.ravel_multi_index(columns, shape), return_counts=True)
        windows = np.stack(np.unravel_index(codes, shape), axis=1)  # each once
        counts = np.zeros((len(ROLES),) * order, np.int64)
        for window, n in zip(windows.tolist(), times.tolist(), strict=True):
            counts[np.ix_(*(contents[cell] for cell in window))] += n
        numbers = np.flatnonzero(counts)
        parts.append((offset + numbers, counts.ravel()[numbers]))
        offset += counts.size
    if "c" in _sources(features):
        pairs: Counter[tuple[str, str]] = Counter()
        for cell, n in enumerate(np.bincount(matrix.cells.ravel()).tolist()):
            pairs.update(dict.fromkeys(combinations(matrix.contents[cell], 2), n))
        numbers = np.array(sorted(_PAIRS[pair] for pair in pairs), np.int64)
        ordered = [pairs[pair] for pair in sorted(pairs, key=_PAIRS.__getitem__)]
        parts.append((offset + numbers, np.array(ordered, np.int64)))
    totals = [max(int(counts.sum()), 1) for _, counts in parts]
    return Shares(
        np.concatenate([numbers for numbers, _ in parts]),
        np.concatenate([counts / n for (_, counts), n in zip(parts, totals, strict=True)]),
    )
