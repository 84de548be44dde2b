"""Edits kernel: texts as numbers of tokens → the edits between them.

The edits between x and y are the fewest substitutions, deletions and insertions that make x of y,
and of these the ones with the fewest substitutions, which leave the most tokens as they are.
With the cost of an edit E and of a substitution E + 1, where E is more than a text has tokens,

    c(i, j) = min(c(i-1, j) + E, c(i, j-1) + E, c(i-1, j-1) + (0 if x[i] = y[j] else E + 1))

A beginning or an end that both texts have is no edit, so it is left out. k edits stay within k
diagonals, so the program is solved within a band, which doubles until the edits are as few as the
band has room for.
"""
from celab._native.types cimport i32_t, i64_t

import numpy as np

cdef enum:
    EDIT = 0x100000000  # more than a text has tokens
    TOO_MUCH = 0x4000000000000000
    FIRST_ROOM = 2  # edits that the first band has room for


def count_edits(const i32_t[::1] hyps not None, const i64_t[::1] hyp_begin not None,
                const i32_t[::1] refs not None, const i64_t[::1] ref_begin not None):
    """Return the numbers of substitutions, deletions and insertions of each pair.

    Text k of a side is its tokens from begin[k] to begin[k + 1].
    """
    cdef Py_ssize_t pair, n_pairs = hyp_begin.shape[0] - 1
    cdef i64_t cost, n_edits, n_substituted, longer
    cdef Band band
    if n_pairs != ref_begin.shape[0] - 1:
        raise ValueError("there must be as many references as hypotheses")
    check(hyps, hyp_begin)
    check(refs, ref_begin)
    counts = np.zeros((n_pairs, 3), np.int64)
    cdef i64_t[:, ::1] rows = counts
    with nogil:
        for pair in range(n_pairs):
            band.n_hyp = hyp_begin[pair + 1] - hyp_begin[pair]
            band.n_ref = ref_begin[pair + 1] - ref_begin[pair]
            band.hyp = &hyps[0] + hyp_begin[pair] if band.n_hyp else NULL
            band.ref = &refs[0] + ref_begin[pair] if band.n_ref else NULL
            longer = band.n_hyp - band.n_ref
            trim(&band)
            cost = solve(&band)
            n_edits, n_substituted = cost // EDIT, cost % EDIT
            rows[pair, 0] = n_substituted
            rows[pair, 1] = (n_edits - n_substituted - longer) // 2
            rows[pair, 2] = (n_edits - n_substituted + longer) // 2
    return counts


cdef int check(const i32_t[::1] tokens, const i64_t[::1] begin) except -1:
    cdef Py_ssize_t k, n_texts = begin.shape[0] - 1
    if n_texts < 0 or begin[0] != 0 or begin[n_texts] != tokens.shape[0]:
        raise ValueError("the texts must be all of the tokens")
    for k in range(n_texts):
        if begin[k] > begin[k + 1]:
            raise ValueError("the texts must be in order")
    return 0


cdef void trim(Band* band) noexcept nogil:
    # Leaves out the beginning and the end that both texts have.
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


cdef i64_t solve(Band* band) except -1 nogil:
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
        cost = fill(band)
        if cost // EDIT <= room:
            return cost
        room *= 2


cdef i64_t fill(Band* band) except -1 nogil:
    # The least cost of the alignments within the band: row i has the costs of hyp[:i] and ref[:j].
    cdef Py_ssize_t i, j, first
    cdef i64_t diagonal, up, left, least
    cdef i64_t* cost
    cdef i32_t token
    cdef const i32_t* ref = band.ref
    band.cost.assign(band.n_ref + 1, TOO_MUCH)
    cost = band.cost.data()
    for j in range(min(band.n_ref, band.above) + 1):
        cost[j] = EDIT * j
    for i in range(1, band.n_hyp + 1):
        first = max(<Py_ssize_t> 1, i - band.below)
        diagonal = cost[first - 1]
        left = cost[first - 1] = EDIT * i if i <= band.below else TOO_MUCH
        token = band.hyp[i - 1]
        for j in range(first, min(band.n_ref, i + band.above) + 1):
            up = cost[j]
            least = diagonal if token == ref[j - 1] else diagonal + EDIT + 1
            left = least = min(least, min(left, up) + EDIT)
            cost[j] = least
            diagonal = up
    return cost[band.n_ref]
