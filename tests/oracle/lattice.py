"""All paths over a sequence, one by one; see `celab._native.lattice`."""

from collections.abc import Iterator


def paths(n, arcs, finals, value, state=0, start=0, worth=0.0) -> Iterator[tuple]:
    """(value, steps) of each path from a state, where a step is (state, end of its segment).

    `arcs` and `finals` have pairs of a state and a weight for each state; `value(i, j, state)` is
    that of a segment, None if it cannot be.
    """
    if start == n:
        for target, weight in finals[state]:
            yield worth + weight, [(target, n + 1)]
    for end in range(start + 1, n + 1):
        for target, weight in arcs[state]:
            here = value(start, end, target)
            if here is not None:
                sofar = worth + weight + here
                for total, steps in paths(n, arcs, finals, value, target, end, sofar):
                    yield total, [(target, end), *steps]
