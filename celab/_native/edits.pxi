"""Edits: texts as numbers of tokens → the edits between them.

The edits between x and y are the fewest substitutions, deletions and insertions that make x of y,
and of these the ones with the fewest substitutions, which leave the most tokens as they are.
With the cost of an edit E and of a substitution E + 1, where E is more than a text has tokens,

    c(i, j) = min(c(i-1, j) + E, c(i, j-1) + E, c(i-1, j-1) + (0 if x[i] = y[j] else E + 1))

A beginning or an end that both texts have is no edit, so it is left out. k edits stay within k
diagonals, so the program is solved within a band, which doubles until the edits are as few as the
band has room for.
"""

cdef enum:
    EDIT = 0x100000000  # more than a text has tokens
    TOO_MUCH = 0x4000000000000000
    FIRST_ROOM = 2  # edits that the first band has room for

cdef enum:  # the last step of an alignment; that of both texts is an edit if the tokens differ
    BOTH
    DELETION
    INSERTION


# The program of two texts within a band of diagonals. `step` has the last step to each place of the
# band, if the alignment is wanted.
cdef struct Band:
    const i32_t* hyp
    const i32_t* ref
    Py_ssize_t n_hyp
    Py_ssize_t n_ref
    Py_ssize_t below
    Py_ssize_t above
    vector[i64_t] cost
    vector[i8_t] step


def count_edits(const i32_t[::1] hyps not None, const i64_t[::1] hyp_begin not None,
                const i32_t[::1] refs not None, const i64_t[::1] ref_begin not None):
    """Return the numbers of substitutions, deletions and insertions of each pair.

    Text k of a side is its tokens from begin[k] to begin[k + 1].
    """
    cdef Py_ssize_t pair, n_pairs = check(hyps, hyp_begin, refs, ref_begin)
    cdef i64_t cost, n_edits, n_substituted, longer
    cdef Band band
    counts = np.zeros((n_pairs, 3), np.int64)
    cdef i64_t[:, ::1] rows = counts
    with nogil:
        for pair in range(n_pairs):
            open_pair(&band, pair, hyps, hyp_begin, refs, ref_begin)
            longer = band.n_hyp - band.n_ref
            trim(&band)
            cost = solve(&band, False)
            n_edits, n_substituted = cost // EDIT, cost % EDIT
            rows[pair, 0] = n_substituted
            rows[pair, 1] = (n_edits - n_substituted - longer) // 2
            rows[pair, 2] = (n_edits - n_substituted + longer) // 2
    return counts


def list_edits(const i32_t[::1] hyps not None, const i64_t[::1] hyp_begin not None,
               const i32_t[::1] refs not None, const i64_t[::1] ref_begin not None):
    """Return a row for each edit, from left to right: its pair, kind and places in both texts.

    Kinds are 0, 1 and 2 for substitutions, deletions and insertions; places are those of the token
    in hypothesis and reference, or where it would stand. Of alignments with the same counts, it is
    one, the same each time.
    """
    cdef Py_ssize_t pair, start, i, j, n_before, n_pairs = check(hyps, hyp_begin, refs, ref_begin)
    cdef i8_t step
    cdef Band band
    cdef vector[i64_t] numbers  # edits of a pair, from right to left until they are reversed
    with nogil:
        for pair in range(n_pairs):
            open_pair(&band, pair, hyps, hyp_begin, refs, ref_begin)
            start = trim(&band)
            solve(&band, True)
            i, j, n_before = band.n_hyp, band.n_ref, numbers.size()
            while i or j:
                step = (INSERTION if j == 0 else DELETION if i == 0
                        else band.step[at(&band, i, j)])
                i -= step != DELETION
                j -= step != INSERTION
                if step != BOTH or band.hyp[i] != band.ref[j]:
                    numbers.push_back(start + j)
                    numbers.push_back(start + i)
                    numbers.push_back(step)
                    numbers.push_back(pair)
            reverse(numbers.begin() + n_before, numbers.end())
    edits = np.empty(numbers.size(), np.int64)
    cdef i64_t[::1] to = edits
    for i in range(to.shape[0]):
        to[i] = numbers[i]
    return edits.reshape(-1, 4)


cdef Py_ssize_t check(const i32_t[::1] hyps, const i64_t[::1] hyp_begin,
                      const i32_t[::1] refs, const i64_t[::1] ref_begin) except -1:
    # Checks the arrays, and returns the number of pairs.
    if hyp_begin.shape[0] != ref_begin.shape[0]:
        raise ValueError("there must be as many references as hypotheses")
    check_side(hyps, hyp_begin)
    check_side(refs, ref_begin)
    return hyp_begin.shape[0] - 1


cdef int check_side(const i32_t[::1] tokens, const i64_t[::1] begin) except -1:
    cdef Py_ssize_t k, n_texts = begin.shape[0] - 1
    if n_texts < 0 or begin[0] != 0 or begin[n_texts] != tokens.shape[0]:
        raise ValueError("the texts must be all of the tokens")
    for k in range(n_texts):
        if begin[k] > begin[k + 1]:
            raise ValueError("the texts must be in order")
    return 0


cdef inline void open_pair(Band* band, Py_ssize_t pair,
                           const i32_t[::1] hyps, const i64_t[::1] hyp_begin,
                           const i32_t[::1] refs, const i64_t[::1] ref_begin) noexcept nogil:
    band.n_hyp = hyp_begin[pair + 1] - hyp_begin[pair]
    band.n_ref = ref_begin[pair + 1] - ref_begin[pair]
    band.hyp = &hyps[0] + hyp_begin[pair] if band.n_hyp else NULL
    band.ref = &refs[0] + ref_begin[pair] if band.n_ref else NULL


cdef Py_ssize_t trim(Band* band) noexcept nogil:
    # Leaves out the beginning and the end that both texts have; returns the length of the former.
    cdef Py_ssize_t n = 0
    while band.n_hyp and band.n_ref and band.hyp[band.n_hyp - 1] == band.ref[band.n_ref - 1]:
        band.n_hyp -= 1
        band.n_ref -= 1
    while n < band.n_hyp and n < band.n_ref and band.hyp[n] == band.ref[n]:
        n += 1
    if n:  # else there may be no address
        band.hyp += n
        band.ref += n
    band.n_hyp -= n
    band.n_ref -= n
    return n


cdef i64_t solve(Band* band, bint keeps_steps) except -1 nogil:
    # The least cost of all alignments.
    cdef Py_ssize_t longer = band.n_hyp - band.n_ref, room, beside
    cdef Py_ssize_t difference = max(longer, -longer)
    cdef i64_t cost
    if band.n_hyp == 0 or band.n_ref == 0:
        return EDIT * (band.n_hyp + band.n_ref)
    room = max(<Py_ssize_t> FIRST_ROOM, difference)
    while True:
        # Deletions and insertions beyond those that the lengths ask for come in pairs.
        beside = (room - difference) // 2
        band.below = min(band.n_hyp, beside + max(<Py_ssize_t> 0, longer))
        band.above = min(band.n_ref, beside + max(<Py_ssize_t> 0, -longer))
        cost = fill(band, keeps_steps)
        if cost // EDIT <= room:
            return cost
        room *= 2


cdef inline Py_ssize_t at(const Band* band, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    # Where the step to a place of the band is kept.
    return i * (band.below + band.above + 1) + j - i + band.below


cdef i64_t fill(Band* band, bint keeps_steps) except -1 nogil:
    # The least cost of the alignments within the band: row i has the costs of hyp[:i] and ref[:j].
    cdef Py_ssize_t i, j, first
    cdef i64_t diagonal, up, left, least
    cdef i64_t* cost
    cdef i8_t* step = NULL
    cdef i32_t token
    cdef const i32_t* ref = band.ref
    band.cost.assign(band.n_ref + 1, TOO_MUCH)
    cost = band.cost.data()
    for j in range(min(band.n_ref, band.above) + 1):
        cost[j] = EDIT * j
    if keeps_steps:
        band.step.resize((band.n_hyp + 1) * (band.below + band.above + 1))
    for i in range(1, band.n_hyp + 1):
        first = max(<Py_ssize_t> 1, i - band.below)
        diagonal = cost[first - 1]
        left = cost[first - 1] = EDIT * i if i <= band.below else TOO_MUCH
        token = band.hyp[i - 1]
        if keeps_steps:
            step = band.step.data() + at(band, i, 0)
        for j in range(first, min(band.n_ref, i + band.above) + 1):
            up = cost[j]
            least = diagonal if token == ref[j - 1] else diagonal + EDIT + 1
            if keeps_steps:
                # At equal costs, deletions and insertions stand as far right as they can.
                step[j] = (BOTH if least < min(left, up) + EDIT or token == ref[j - 1]
                           else DELETION if left <= up else INSERTION)
            left = least = min(least, min(left, up) + EDIT)
            cost[j] = least
            diagonal = up
    return cost[band.n_ref]
