"""Links kernel: which n-grams of the two sentences match, by the paper's three rules.

N-grams are compared as text: their tokens joined without a separator. Cut wherever a token ends on
both sides, two n-grams with equal text fall into shortest equal pairs: equal tokens, or pairs such
as `Rachel` `Reeves` and `RachelReeves`, which need a token of several letters. These pairs, of
which at most one starts at two given places, and pairs of words that share a lexicon group are the
units. With U(i, j) the units that start at reference place i and hypothesis place j, as a set of
orders (u, v), the linked pairs that start there are

    L(i, j) = U(i, j)  ∪  { (u + a, v + b) : (u, v) ∈ U(i, j), (a, b) ∈ L(i + u, j + v) }

cut off at the longest order: both n-grams fall into aligned units. A set of orders is a bit mask,
so adding (u, v) to all of a set is one shift. The authors' program never starts with a lexicon
unit of two or more tokens on both sides; its links are the same formula with such units left out of
the first U(i, j), but not out of the L(i + u, j + v) after it.

The hypothesis is walked row by row from its end, so a row depends only on the tokens from its own
on. If the pair before has the same reference and a hypothesis with the same end, the rows of that
end are kept, moved to their new places. `matches` looks its tokens and lexicon words up in
the reference; units of equal text with a token of several letters are found here. If there
are too many places where links start, `kinds` finds the links instead.
"""
from libc.string cimport memmove, memset
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from celab._native.kinds cimport Kinds, KindSide, Longer, Numbering, Part, Text
from celab._native.matches cimport COARSEST, Lookup, Match, Sentence, add_units, first_with
from celab._native.tokens cimport (
    FIRST_LONG_ID, MAX_TOKENS, Groups, Occurrence, Sentences, first_slot, spelled, two_letter_key,
)
from celab._native.types cimport i8_t, i32_t, i64_t, u32_t, u64_t
from celab._native.watch cimport STRIDE, Watch, charge, watch_for

import numpy as np

include "matches.pxi"
include "kinds.pxi"

cdef enum:
    MAX_STARTS = 1 << 23  # more would need too much memory, here and in the cover
    MAX_KIND_LINKS = 1 << 24
    LONG = 1500  # tokens of either side from which on kinds are used at once
    WIDE = 512  # longer rows are cleared start by start


cdef int look_up(Links* links, const Sentence* ref, const Sentence* hyp, i32_t n) except -1 nogil:
    # Looks up what starts at the first n tokens of the hypothesis.
    find_tokens(&links.lookup, ref, hyp, n)
    if not hyp.matched:
        match_words(&links.lookup, ref, hyp, n)
    return 0


cdef int link(Links* links, const Sentence* ref, const Sentence* hyp, i32_t max_order,
              bint release, i32_t crowd) except -1 nogil:
    cdef i32_t m = ref.n_tokens, n = hyp.n_tokens
    cdef i32_t n_new = n - shared_end(links, ref, hyp)
    cdef bint by_kind = not release and crowd >= 0
    links.last_ref = NULL  # until the rows are filled
    links.max_order = max_order
    links.n_starts = 0
    links.by_kind = False
    if <i64_t> m + n > MAX_TOKENS:
        with gil:
            raise OverflowError(f"sentences of {m:,} and {n:,} tokens are too long; together they"
                                f" may have {MAX_TOKENS:,}")
    charge(links.watch, m + n)
    if by_kind and min(m, n) < LONG:
        look_up(links, ref, hyp, n_new)
        if fill_rows(links, ref, hyp, n_new, release, crowd * <size_t> (m + n),
                     crowd * <size_t> (m + n) // 4):
            links.last_ref = ref.token
            links.last_hyp = hyp.token
            links.last_length = n
            return 0
    if by_kind:
        links.kinds.watch = links.watch
        links.by_kind = link_kinds(&links.kinds, ref, hyp, max_order, MAX_KIND_LINKS)
        if links.by_kind:
            return 0
    look_up(links, ref, hyp, n)
    if not fill_rows(links, ref, hyp, n, release, MAX_STARTS, MAX_STARTS):
        with gil:
            raise OverflowError(f"sentences of {m:,} and {n:,} tokens have links between more than"
                                f" {MAX_STARTS:,} places; they must be shorter")
    return 0


cdef i32_t equal_text(const Sentence* ref, i32_t i, const Sentence* hyp, i32_t j,
                      i32_t max_order) noexcept nogil:
    # The shortest n-grams with the same text that start at these positions, as the number of their
    # bit in a mask, or -1 if there are none. `ref_left` and `hyp_left` count the letters of the
    # current tokens that are still to be compared.
    cdef i32_t r = i, h = j, ref_left = 0, hyp_left = 0, n, k
    cdef const u32_t* ref_letter = NULL
    cdef const u32_t* hyp_letter = NULL
    while r == i or ref_left != hyp_left:
        if ref_left == 0:
            if r == ref.n_tokens or r == i + max_order:
                return -1
            ref_letter = spelled(ref.known, ref.token + r, &ref_left)
            r += 1
        if hyp_left == 0:
            if h == hyp.n_tokens or h == j + max_order:
                return -1
            hyp_letter = spelled(hyp.known, hyp.token + h, &hyp_left)
            h += 1
        n = min(ref_left, hyp_left)
        for k in range(n):
            if ref_letter[k] != hyp_letter[k]:
                return -1
        ref_letter += n
        hyp_letter += n
        ref_left -= n
        hyp_left -= n
    return (r - i - 1) << 3 | (h - j - 1)


cdef i32_t add_equal(const Sentence* ref, i32_t key, const Sentence* hyp, i32_t j,
                     i32_t max_order, i32_t n_letters, u64_t* unit, i32_t* touched,
                     i32_t n_touched, Watch* watch) noexcept nogil:
    # Adds the units of equal text that start at hypothesis position j, where the token has
    # n_letters, and at the reference units with this key.
    cdef i32_t k = first_with(ref, key), i, cell
    while k:
        watch.left -= n_letters
        i = ref.unit[k].ngram >> 6
        k = ref.unit[k].same_key
        cell = 0 if ref.token[i] == hyp.token[j] else equal_text(ref, i, hyp, j, max_order)
        if cell >= 0:
            touched[n_touched] = i
            n_touched += unit[i] == 0
            unit[i] |= (<u64_t> 1) << cell
    return n_touched


cdef i32_t gather_equal(const Sentence* ref, const Sentence* hyp, i32_t j, i32_t max_order,
                        u64_t* unit, i32_t* touched, i32_t n_touched,
                        Watch* watch) noexcept nogil:
    # Adds the units of equal text that start at hypothesis position j with a long token on either
    # side, so that the text has at least two letters.
    cdef i32_t n, _n
    cdef const u32_t* letter = spelled(hyp.known, hyp.token + j, &n)
    cdef u32_t second
    if n > 1:
        second = letter[1]
        n_touched = add_equal(ref, <i32_t> letter[0], hyp, j, max_order, n, unit, touched,
                              n_touched, watch)
    elif j + 1 < hyp.n_tokens:
        second = spelled(hyp.known, hyp.token + j + 1, &_n)[0]
    else:
        return n_touched
    return add_equal(ref, two_letter_key(letter[0], second), hyp, j, max_order, n, unit, touched,
                     n_touched, watch)


cdef i32_t shared_end(const Links* links, const Sentence* ref, const Sentence* hyp) noexcept nogil:
    # How many tokens the hypothesis has in common with the end of the one before. Rows depend only
    # on what follows them, so those of the shared tokens are the same.
    cdef i32_t k = 0, n = hyp.n_tokens
    # An empty side has no tokens, so that its pointer is NULL, too.
    if links.last_ref == NULL or links.last_ref != ref.token:
        return 0
    while k < n and k < links.last_length and (
            hyp.token[n - 1 - k] == links.last_hyp[links.last_length - 1 - k]):
        k += 1
    return k


cdef size_t keep_rows(Links* links, i32_t n, i32_t n_new) noexcept nogil:
    # Moves the rows of the shared end to where they are now, and adds their masks to those of the
    # reference. Returns how many starts they have.
    cdef i32_t by
    cdef size_t n_kept, s
    cdef Start* start = links.start.data()
    cdef u64_t* ref_union = links.ref_union.data()
    if n_new == n:
        return 0
    by = n - links.last_length
    n_kept = <size_t> links.row_stop[n_new - by]
    if by:
        memmove(&links.row_start[n_new], &links.row_start[n_new - by],
                (n - n_new) * sizeof(i64_t))
        memmove(&links.row_stop[n_new], &links.row_stop[n_new - by], (n - n_new) * sizeof(i64_t))
        memmove(&links.hyp_union[n_new], &links.hyp_union[n_new - by],
                (n - n_new) * sizeof(u64_t))
    for s in range(n_kept):
        start[s].hyp += by
        ref_union[start[s].ref] |= start[s].mask
    return n_kept


# The rows of links that are being filled: row[v][i] of the ring is L(i, j + v), the links that
# start at reference position i and hypothesis position j + v.
cdef struct Filling:
    u64_t[8] keep  # keep[v]: bits whose hypothesis order may grow by v
    u64_t low  # reference orders up to max_order
    (u64_t*)[16] ring  # the rows, twice over
    i32_t head  # where the current row is in the ring; changes with each row
    u64_t* unit  # the units that start at the current hypothesis position, by reference position
    i32_t* touched  # the reference positions that have units
    const Match* first_match
    const Match* match  # the first match of the last row that was filled


cdef int begin_rows(Filling* filling, Links* links, const Sentence* hyp, i32_t m,
                    i32_t n) except -1 nogil:
    # Makes space for the rows of m reference positions and n hypothesis positions.
    cdef i32_t N = links.max_order, width = m + N, v
    filling.keep[N] = 0
    for v in range(N):
        filling.keep[v] = (((<u64_t> 1) << (N - v)) - 1) * <u64_t> 0x010101010101
    filling.low = ((<u64_t> 1) << (8 * N - 1) << 1) - 1
    filling.head = 0
    links.row.assign(<size_t> (N + 1) * width, 0)
    for v in range(N + 1):
        filling.ring[v] = links.row.data() + <size_t> v * width
        filling.ring[v + N + 1] = filling.ring[v]
    if <i32_t> links.unit.size() < m:
        links.unit.resize(m, 0)
        links.touched.resize(m + 1)
    filling.unit = links.unit.data()
    filling.touched = links.touched.data()
    if <i32_t> links.row_start.size() < n:
        links.row_start.resize(n)
        links.row_stop.resize(n)
        links.hyp_union.resize(n)
    links.ref_union.assign(m, 0)
    if hyp.matched:
        filling.first_match = hyp.match
        filling.match = hyp.match + hyp.n_matches
    else:
        filling.first_match = links.lookup.match.data()
        filling.match = filling.first_match + links.lookup.n_matches
    return 0


cdef inline void next_row(Filling* filling, const Links* links, i32_t j, i32_t width,
                          i32_t n) noexcept nogil:
    # Moves to row j, and clears the row that the ring held there.
    cdef i32_t N = links.max_order
    cdef const Start* start = links.start.data()
    cdef u64_t* row
    cdef i64_t e
    filling.head = filling.head - 1 if filling.head else N
    row = filling.ring[filling.head]
    if j + N + 1 < n:
        if width <= WIDE:
            memset(row, 0, width * sizeof(u64_t))
        else:
            for e in range(links.row_start[j + N + 1], links.row_stop[j + N + 1]):
                row[start[e].ref] = 0


cdef inline i32_t gather(Filling* filling, const Links* links, const Sentence* ref,
                         const Sentence* hyp, i32_t j) noexcept nogil:
    # Collects the units that start at hypothesis position j: equal tokens, equal text, and words
    # that share a group. Returns the number of reference positions that have units.
    cdef const Match* stop = filling.match
    cdef const Match* match = stop
    cdef i32_t token = hyp.token[j], n_touched
    cdef u64_t* unit = filling.unit
    cdef i32_t* touched = filling.touched
    n_touched = add_units(ref, links.lookup.token_unit[j], 1, unit, touched, 0)
    if token >= FIRST_LONG_ID or ref.long_initials >> (token & 63) & 1:
        n_touched = gather_equal(ref, hyp, j, links.max_order, unit, touched, n_touched,
                                 links.watch)
    while match != filling.first_match and (match - 1).start == j:
        match -= 1
    filling.match = match
    while match != stop:
        if hyp.first_group <= match.group < hyp.last_group:
            n_touched = add_units(ref, match.unit, (<u64_t> 1) << (match.order - 1), unit, touched,
                                  n_touched)
        match += 1
    return n_touched


cdef inline u64_t extend(const Filling* filling, const Sentence* ref, i32_t i, const Sentence* hyp,
                         i32_t j, i32_t max_order, u64_t units, bint release,
                         u64_t* recorded) noexcept nogil:
    # The links that start at i and j with one of these units and go on as the rows after j say.
    # `recorded` are those that count: all, or for `release` those of the authors' program.
    cdef const u64_t* const* row = <const u64_t* const*> filling.ring + filling.head
    cdef u64_t mask = 0, kept = 0, more
    cdef i32_t cell, u, v
    if units == 1:  # equal tokens and nothing else: the most common case
        mask = 1 | ((row[1][i + 1] & filling.keep[1]) << 9 & filling.low)
        recorded[0] = mask
        return mask
    while units:
        cell = lowest_bit(units)
        units &= units - 1
        u = (cell >> 3) + 1
        v = (cell & 7) + 1
        more = (row[v][i + u] & filling.keep[v]) << (8 * u + v) & filling.low
        more |= (<u64_t> 1) << cell
        mask |= more
        if release and (u == 1 or v == 1 or equal_text(ref, i, hyp, j, max_order) == cell):
            kept |= more
    recorded[0] = kept if release else mask
    return mask


cdef bint fill_rows(Links* links, const Sentence* ref, const Sentence* hyp, i32_t n_new,
                    bint release, size_t most, size_t ahead) except -1 nogil:
    # Fills the first n_new rows from the end; those after them are kept from the pair before.
    # Returns False as soon as there are more than `most` starts, or `ahead` more than the share of
    # the rows that are filled: the others have about as many.
    cdef i32_t N = links.max_order, m = ref.n_tokens, n = hyp.n_tokens
    cdef i32_t i, j, k, v, n_touched
    cdef u64_t units, recorded, row_union
    cdef u64_t* row
    cdef u64_t* ref_union
    cdef Start* start
    cdef size_t n_starts, a_row = most // <size_t> max(n, 1)
    cdef i64_t e, work = 0
    cdef Sentence index = ref[0]  # a copy, so that the compiler can rule out aliases
    cdef Filling filling
    begin_rows(&filling, links, hyp, m, n)
    ref_union = links.ref_union.data()
    n_starts = keep_rows(links, n, n_new)
    if n_starts > most:
        return False
    for v in range(min(N, n - n_new)):
        for e in range(links.row_start[n_new + v], links.row_stop[n_new + v]):
            filling.ring[v][links.start[e].ref] = links.start[e].mask
    while filling.match != filling.first_match and (filling.match - 1).start >= n_new:
        filling.match -= 1
    for j in range(n_new - 1, -1, -1):
        if work > STRIDE or links.watch.left < 0:
            charge(links.watch, work)
            work = 0
        if links.start.size() < n_starts + m:
            links.start.resize(2 * (n_starts + m))
        next_row(&filling, links, j, m + N, n)
        row = filling.ring[filling.head]
        n_touched = gather(&filling, links, &index, hyp, j)
        work += 4 + 4 * n_touched
        links.row_start[j] = <i64_t> n_starts
        row_union = 0
        start = links.start.data() + n_starts
        for k in range(n_touched):
            i = filling.touched[k]
            units = filling.unit[i]
            filling.unit[i] = 0
            row[i] = extend(&filling, &index, i, hyp, j, N, units, release, &recorded)
            start[k].ref = i
            start[k].hyp = j
            start[k].mask = recorded
            ref_union[i] |= recorded
            row_union |= recorded
        n_starts += n_touched
        links.hyp_union[j] = row_union
        links.row_stop[j] = <i64_t> n_starts
        if n_starts > most or n_starts > ahead + a_row * <size_t> (n - j):
            return False
    charge(links.watch, work)
    links.n_starts = n_starts
    return True


cdef i64_t expand(const Links* links, vector[Link]& link, i64_t most) except -1 nogil:
    cdef i64_t total = 0, of_kind
    cdef size_t s
    cdef u64_t mask
    cdef i32_t x, k
    cdef const KindSide* ref = &links.kinds.ref
    cdef const KindSide* hyp = &links.kinds.hyp
    if links.by_kind:
        for x in range(1, ref.n_kinds):
            of_kind = 0
            for k in range(ref.link_first[x], ref.link_first[x + 1]):
                of_kind += hyp.count[ref.link[k]]
            total += ref.count[x] * of_kind
    else:
        for s in range(links.n_starts):
            mask = links.start[s].mask
            while mask:
                total += 1
                mask &= mask - 1
    if total > most:
        with gil:
            raise OverflowError(f"{total:,} links are too many for the whole program, which may"
                                f" have {most:,}")
    link.clear()
    link.reserve(total)
    if links.by_kind:
        for x in range(1, ref.n_kinds):
            for k in range(ref.link_first[x], ref.link_first[x + 1]):
                expand_kinds(ref, x, hyp, ref.link[k], link)
    else:
        for s in range(links.n_starts):
            mask = links.start[s].mask
            while mask:
                add_link(link, links.start[s].ref << 3 | lowest_bit(mask) >> 3,
                         links.start[s].hyp << 3 | (lowest_bit(mask) & 7))
                mask &= mask - 1
    return total


cdef inline int add_link(vector[Link]& link, i32_t ref, i32_t hyp) except -1 nogil:
    cdef Link pair
    pair.ref_start = ref >> 3
    pair.ref_order = (ref & 7) + 1
    pair.hyp_start = hyp >> 3
    pair.hyp_order = (hyp & 7) + 1
    link.push_back(pair)
    return 0


cdef int expand_kinds(const KindSide* ref, i32_t x, const KindSide* hyp, i32_t y,
                      vector[Link]& link) except -1 nogil:
    cdef i32_t of_ref = ref.first_member[x], of_hyp
    while of_ref >= 0:
        of_hyp = hyp.first_member[y]
        while of_hyp >= 0:
            add_link(link, of_ref, of_hyp)
            of_hyp = hyp.following[of_hyp]
        of_ref = ref.following[of_ref]
    return 0


def link_pairs(Sentences hyp not None, Py_ssize_t hyp_sentence, Sentences ref not None,
               Py_ssize_t ref_sentence, int max_order, bint release, double time_limit=0,
               i64_t most=1 << 27, i32_t grade=COARSEST, i32_t crowd=CROWDED):
    """Return the links of one pair: rows (hyp start, hyp order, ref start, ref order), sorted.

    `grade` is a grade of the lexicon: 0 for none of its words, by default the coarsest. Raises
    TimeoutError after `time_limit` seconds, if that is not 0, and OverflowError if there are more
    than `most` links or they need too much memory. In long text, and with more than `crowd`
    places per token where links start, they are found by kind, unless it is negative; the result is
    the same.
    """
    check_sides(hyp, ref, max_order)
    if not (0 <= hyp_sentence < hyp.n_sentences and 0 <= ref_sentence < ref.n_sentences):
        raise IndexError("no such sentence")
    cdef Links links
    cdef Watch watch = watch_for(time_limit)
    cdef vector[Link] expanded
    cdef Sentence r = sentence_of(ref, ref_sentence, COARSEST)
    cdef Sentence h = sentence_of(hyp, hyp_sentence, check_grade(hyp, grade))
    cdef Py_ssize_t k, n
    begin_links(&links, &watch)
    with nogil:
        link(&links, &r, &h, max_order, release, crowd)
        n = expand(&links, expanded, most)
    rows = np.empty((n, 4), np.int32)
    cdef i32_t[:, ::1] view = rows
    for k in range(n):
        view[k, 0] = expanded[k].hyp_start
        view[k, 1] = expanded[k].hyp_order
        view[k, 2] = expanded[k].ref_start
        view[k, 3] = expanded[k].ref_order
    return rows[np.lexsort(rows.T[::-1])]
