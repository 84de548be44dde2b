"""The features of role matrices: the example of the paper, and a slow count of random matrices."""

import random
from collections import Counter
from itertools import product

import numpy as np
import pytest

from celab.trained.roles import NAMES, RoleMatrix, shares

# Lin, Liu, Ng and Kan 2012, table 2: the roles of four terms in four sentences.
TABLE = [
    [(), ("Comp.Arg1", "Comp.Arg2"), (), ()],  # copper
    [("Comp.Arg1",), (), ("Comp.Arg2", "Exp.Arg1", "Temp.Arg1"), ("Exp.Arg2",)],  # cananea
    [(), (), ("Comp.Arg2", "Exp.Arg1", "Temp.Arg1"), ("Exp.Arg1", "Exp.Arg2")],  # operat
    [("Comp.Arg1",), (), (), ()],  # depend
]


def matrix_of(columns):
    contents = [(), *sorted({cell for column in columns for cell in column} - {()})]
    cells = [[contents.index(cell) for cell in column] for column in columns]
    return RoleMatrix([str(k) for k in range(len(columns))], np.array(cells), contents)


def shares_of(columns):
    found = shares(matrix_of(columns), "lin")
    return {NAMES[k]: share for k, share in zip(*map(np.ndarray.tolist, found), strict=True)}


def test_the_example_of_the_paper():
    found = shares_of(TABLE)
    assert found["Comp.Arg2→Exp.Arg2"] == 2 / 25 == 0.08
    lengths = (1, 2)
    assert [sum(x for name, x in found.items() if name.count("→") == n) for n in lengths] == [
        pytest.approx(1.0)
    ] * 2


@pytest.mark.parametrize("seed", range(30))
def test_shares_are_those_of_a_slow_count(seed):
    rng = random.Random(seed)
    roles = ["Comp.Arg1", "Comp.Arg2", "EntRel.Arg1", "Exp.Arg2", "Temp.Arg1"]
    n_sentences = rng.randint(1, 6)
    columns = [
        [tuple(sorted(rng.sample(roles, rng.choice([0, 0, 1, 2, 3])))) for _ in range(n_sentences)]
        for _ in range(rng.randint(1, 6))
    ]
    expected = {}
    for order in (2, 3):
        counts = Counter()
        for column in columns:
            for start in range(n_sentences - order + 1):
                window = [cell or ("nil",) for cell in column[start : start + order]]
                counts.update("→".join(way) for way in product(*window))
        expected |= {name: n / counts.total() for name, n in counts.items()}
    assert shares_of(columns) == expected
