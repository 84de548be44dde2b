"""Runs: two texts as numbers of units → runs of equal units, in their order and moved.

*Heaviest* runs: a match of units counts its weight, and the first of a run of matches loses
NEW_RUN; the heaviest matches that keep the order of both texts are taken. With `best(i, j)` the
weight of the first i units of x and the first j of y, and `run(i, j)` that of those that match x_i
with y_j:

    run(i, j)  = weight_i + max(run(i-1, j-1), best(i-1, j-1) - NEW_RUN)    if x_i = y_j
    best(i, j) = max(best(i-1, j), best(i, j-1), run(i, j))

Among equal weights, no match comes before a match, a unit of x that is left out before one of y,
and a longer run before another; `alignTable` of `diff.js` chooses in the same way.

*Moved* runs are of what is left of both texts, in any order: from each place of y that is left, the
longest run that x has left, the first of several. It is taken if its units count MOVABLE.
"""

cdef enum:
    NEW_RUN = 2
    NO_RUN = -(1 << 30)
    MOVABLE = 2

cdef enum:  # how a cell is reached
    UP = 1
    LEFT = 2
    MATCH = 4
    INSIDE = 8  # x_i and y_j match inside a run, if they do


# Equal units in a row: where it begins in both texts, and how many units it has.
cdef struct Run:
    i32_t x
    i32_t y
    i32_t n


# Marks of the units of either text that no run has yet; the end of a text is never free.
cdef struct Free:
    vector[u8_t] x
    vector[u8_t] y


def heaviest_runs(const i32_t[::1] x not None, const u8_t[::1] weights not None,
                  const i32_t[::1] y not None, tuple x_range not None, tuple y_range not None):
    """Return the runs of x and y within these ranges, in order: both starts, and the length."""
    cdef Py_ssize_t x0, x1, y0, y1
    cdef vector[u8_t] ways
    cdef vector[Run] runs
    x0, x1 = x_range
    y0, y1 = y_range
    if not (0 <= x0 <= x1 <= x.shape[0] <= weights.shape[0] and 0 <= y0 <= y1 <= y.shape[0]):
        raise ValueError("the ranges must be inside the texts, and each unit must have a weight")
    if x0 == x1 or y0 == y1:
        return []
    with nogil:
        fill_runs(&x[x0], &weights[x0], x1 - x0, &y[y0], y1 - y0, ways)
        follow(ways, x1 - x0, y1 - y0, runs)
    return listed(runs, x0, y0)


cdef int fill_runs(const i32_t* x, const u8_t* weight, Py_ssize_t n, const i32_t* y, Py_ssize_t m,
                   vector[u8_t]& ways) except -1 nogil:
    # The way to each cell, row by row. `best` and `run` have the row above from j on, and this row
    # before j; the values of the cell at (i-1, j-1) are kept beside them.
    cdef vector[i32_t] best, run
    cdef Py_ssize_t i, j
    cdef i32_t value, opened, inside, best_before, run_before
    cdef u8_t way
    cdef u8_t* row
    ways.resize(n * m)
    best.assign(m + 1, 0)
    run.assign(m + 1, NO_RUN)
    for i in range(n):
        row = ways.data() + i * m
        best_before, run_before = 0, NO_RUN
        for j in range(1, m + 1):
            opened, inside = best_before - NEW_RUN, run_before
            best_before, run_before = best[j], run[j]
            way = UP if best[j] >= best[j - 1] else LEFT
            value = max(best[j], best[j - 1])
            run[j] = NO_RUN
            if x[i] == y[j - 1]:
                run[j] = weight[i] + max(inside, opened)
                if run[j] > value:
                    value, way = run[j], MATCH
                if inside >= opened:
                    way |= INSIDE
            best[j] = value
            row[j - 1] = way
    return 0


cdef int follow(const vector[u8_t]& ways, Py_ssize_t n, Py_ssize_t m,
                vector[Run]& runs) except -1 nogil:
    cdef Py_ssize_t i = n, j = m
    cdef bint is_inside = False
    cdef u8_t way
    cdef Run run
    while i > 0 and j > 0:
        way = ways[(i - 1) * m + j - 1]
        if is_inside or way & MATCH:
            i, j = i - 1, j - 1
            if not runs.empty() and runs.back().x == i + 1 and runs.back().y == j + 1:
                runs.back().x, runs.back().y, runs.back().n = i, j, runs.back().n + 1
            else:
                run.x, run.y, run.n = <i32_t> i, <i32_t> j, 1
                runs.push_back(run)
            is_inside = way & INSIDE
        elif way & UP:
            i -= 1
        else:
            j -= 1
    reverse(runs.begin(), runs.end())
    return 0


cdef list listed(const vector[Run]& runs, Py_ssize_t x0, Py_ssize_t y0):
    cdef list places = []
    cdef size_t k
    for k in range(runs.size()):
        places.append((x0 + runs[k].x, y0 + runs[k].y, runs[k].n))
    return places


def moved_runs(const i32_t[::1] x not None, const i32_t[::1] y not None,
               const u8_t[::1] counts not None, places not None):
    """Return the moved runs in the order of y: both starts, and the length.

    `counts` says what each unit of y counts; `places` are the ranges that are left of both texts,
    in order: starts and stops in x and y.
    """
    cdef vector[Run] runs
    cdef Free free
    cdef Py_ssize_t n = x.shape[0], m = y.shape[0], x0, x1, y0, y1, k
    if counts.shape[0] != m:
        raise ValueError("each unit of the second text must have a count")
    free.x.assign(n + 1, 0)
    free.y.assign(m + 1, 0)
    for (x0, x1), (y0, y1) in places:
        if not (0 <= x0 <= x1 <= n and 0 <= y0 <= y1 <= m):
            raise ValueError("the ranges must be inside the texts")
        for k in range(x0, x1):
            free.x[k] = 1
        for k in range(y0, y1):
            free.y[k] = 1
    if n and m:
        with nogil:
            find_moved(&x[0], n, &y[0], m, &counts[0], free, runs)
    return listed(runs, 0, 0)


cdef int find_moved(const i32_t* x, Py_ssize_t n, const i32_t* y, Py_ssize_t m,
                    const u8_t* counts, Free& free, vector[Run]& runs) except -1 nogil:
    # `first` and `following` are the places of a unit in x, in order.
    cdef unordered_map[i32_t, i32_t] first
    cdef vector[i32_t] following
    cdef i32_t i, j, k, length, count
    cdef Run run
    following.assign(n, -1)
    for i in range(<i32_t> n - 1, -1, -1):
        if free.x[i]:
            if first.count(x[i]):
                following[i] = first[x[i]]
            first[x[i]] = i
    for j in range(<i32_t> m):
        if not free.y[j] or not first.count(y[j]):
            continue
        run.x, run.y, run.n = 0, j, 0
        i = first[y[j]]
        while i >= 0:
            length = 0
            # The end of either text is not free.
            while free.x[i + length] and free.y[j + length] and x[i + length] == y[j + length]:
                length += 1
            if length > run.n:
                run.x, run.n = i, length
            i = following[i]
        count = 0
        for k in range(run.n):
            count += counts[j + k]
        if count < MOVABLE:
            continue
        runs.push_back(run)
        for k in range(run.n):
            free.x[run.x + k] = free.y[j + k] = 0
    return 0
