"""Leaves kernel: the choices that a single link forces (step 1 of the cover).

If an n-gram y of the other side is linked with one n-gram x of the own side alone, some optimal
solution gives x weight 1 by that link: nobody else could use y, and what x took elsewhere becomes
free. So x is settled, and all n-grams inside it are covered; a covered n-gram can gain nothing, so
it needs no links, and more of the other side are left with a single one.

The links between two places are a matrix of bits, orders by orders, in one word. Rows and columns
are added up, struck out and turned round as a whole.
"""
from celab._native.links cimport (
    EQUAL_ORDERS, ONE_A_ROW, Links, Start, add_degrees, add_rows, only_single, transpose,
)
from celab._native.types cimport i8_t, i32_t, i64_t, u16_t, u32_t, u64_t
from celab._native.watch cimport spend

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #include <intrin.h>
    static __forceinline int __builtin_clzll(unsigned long long mask) {
        unsigned long place; _BitScanReverse64(&place, mask); return 63 - (int) place;
    }
    #endif
    """
    int __builtin_clzll(unsigned long long mask) noexcept nogil


cdef inline u64_t rows_of(i32_t orders) noexcept nogil:
    # The whole row of each order; bit k goes to 8 k, the other products to where no k does.
    return (<u64_t> orders * <u64_t> 0x0002040810204081 & <u64_t> ONE_A_ROW) * 0xFF


cdef inline u64_t columns_of(u32_t orders) noexcept nogil:
    return orders * <u64_t> ONE_A_ROW


cdef void settle_longest(u64_t* forced, const Side* side, bint turn, i8_t* covered) noexcept nogil:
    # Settles the longest n-gram of each place whose row, or column if `turn`, has a bit in
    # forced[place], which becomes 0. It covers the shorter ones, and all others inside it.
    cdef i32_t place, longest, inside = 0
    cdef u64_t mask
    for place in range(side.length):
        mask = forced[place]
        forced[place] = 0
        if turn:
            mask |= mask >> 32
            mask |= mask >> 16
            mask = (mask | mask >> 8) & 0xFF
            longest = 63 - __builtin_clzll(mask | 1)
        else:
            longest = (63 - __builtin_clzll(mask | 1)) >> 3
        inside = inside >> 1 | (((2 << longest) - 1) & -<i32_t> (mask != 0))
        covered[place] |= <i8_t> inside


cdef inline i32_t covered_orders(const Side* side, const i8_t* covered, i32_t place) noexcept nogil:
    # The orders that are covered at all positions of the place.
    cdef i32_t orders = covered[place]
    if side.merged:
        while place >= 0:
            orders &= covered[place]
            place = side.following[place]
    return orders


cdef inline bint keep(Live* live, u16_t* degree, const Side* side, i32_t own, i32_t other,
                      u64_t mask) noexcept nogil:
    # Says whether there is anything to keep; where there is not, the degree stays as it is.
    cdef u32_t added = add_rows(mask)
    if side.merged and side.multiplicity[own] > 1:
        added |= added << 8
    degree[other] = <u16_t> add_degrees(degree[other], added)
    live.own = own
    live.other = other
    live.mask = mask
    return mask != 0


cdef i64_t first_reference_round(Leaves* self, const Links* links, const Side* side,
                                 i8_t* covered) except -1 nogil:
    # Settles what the links as they are force, and lists what is left; says how much that is.
    cdef const Start* start = links.start.data()
    cdef u64_t* forced = self.forced.data()
    cdef Live* live = self.live.data()
    cdef size_t s, n = 0
    cdef u64_t mask
    for s in range(links.n_starts):
        forced[start[s].ref] |= start[s].mask & columns_of(side.other_single[start[s].hyp])
    settle_longest(forced, side, False, covered)
    for s in range(links.n_starts):
        mask = start[s].mask & ~rows_of(covered_orders(side, covered, start[s].ref))
        if side.merged:
            spend(links.watch, side.multiplicity[start[s].ref])
        n += keep(&live[n], self.degree.data(), side, start[s].ref, start[s].hyp, mask)
    return <i64_t> n


cdef i64_t first_hypothesis_round(Leaves* self, const Links* links, const Side* side,
                                  i8_t* covered) except -1 nogil:
    # The same, with rows and columns exchanged.
    cdef const Start* start = links.start.data()
    cdef u64_t* forced = self.forced.data()
    cdef Live* live = self.live.data()
    cdef size_t s, n = 0
    cdef u64_t mask
    for s in range(links.n_starts):
        forced[start[s].hyp] |= start[s].mask & rows_of(side.other_single[start[s].ref])
    settle_longest(forced, side, True, covered)
    for s in range(links.n_starts):
        mask = start[s].mask & ~columns_of(covered_orders(side, covered, start[s].hyp))
        if side.merged:
            spend(links.watch, side.multiplicity[start[s].hyp])
        if mask & ~(<u64_t> EQUAL_ORDERS):
            mask = transpose(mask)
        n += keep(&live[n], self.degree.data(), side, start[s].hyp, start[s].ref, mask)
    return <i64_t> n


cdef int strip(Leaves* self, const Links* links, const Side* side, i8_t* covered) except -1 nogil:
    cdef size_t s, n, kept
    cdef u64_t mask, settled
    cdef Live* live
    cdef u16_t* degree
    cdef u64_t* forced
    if self.live.size() < links.n_starts:
        self.live.resize(2 * links.n_starts)
    live = self.live.data()
    self.degree.assign(side.other_length, 0)
    degree = self.degree.data()
    if <i32_t> self.forced.size() < side.length:
        self.forced.resize(side.length, 0)
    forced = self.forced.data()
    if side.side == 0:
        n = first_reference_round(self, links, side, covered)
    else:
        n = first_hypothesis_round(self, links, side, covered)
    spend(links.watch, 4 * links.n_starts)
    while n:
        spend(links.watch, 4 * n + side.other_length)
        settled = 0
        only_single(degree, side.other_length)
        for s in range(n):
            mask = live[s].mask & columns_of(degree[live[s].other])
            forced[live[s].own] |= mask
            settled |= mask
        if settled == 0:
            break
        settle_longest(forced, side, False, covered)
        self.degree.assign(side.other_length, 0)
        kept = 0
        for s in range(n):
            mask = live[s].mask & ~rows_of(covered_orders(side, covered, live[s].own))
            if side.merged:
                spend(links.watch, side.multiplicity[live[s].own])
            kept += keep(&live[kept], degree, side, live[s].own, live[s].other, mask)
        n = kept
    self.n_live = n
    return 0


cdef Side side_of(const Links* links, i32_t n_ref, i32_t n_hyp, i32_t which,
                  const i32_t* weight) noexcept nogil:
    cdef Side side
    side.weight = weight
    side.side = which
    side.merged = links.ref.merged
    if which == 0:
        side.length = n_ref
        side.other_length = n_hyp
        side.place = links.ref.place.data()
        side.multiplicity = links.ref.multiplicity.data()
        side.following = links.ref.following.data()
        side.other_multiplicity = links.hyp.multiplicity.data()
        side.other_single = links.hyp_single.data()
    else:
        side.length = n_hyp
        side.other_length = n_ref
        side.place = links.hyp.place.data()
        side.multiplicity = links.hyp.multiplicity.data()
        side.following = links.hyp.following.data()
        side.other_multiplicity = links.ref.multiplicity.data()
        side.other_single = links.ref_single.data()
    side.other_base = side.length << 3
    return side
