"""Leaves kernel: the choices that a single link forces (step 1 of the cover).

If an n-gram y of the other side is linked with one n-gram x of the own side alone, some optimal
solution gives x weight 1 by that link: nobody else could use y, and what x took elsewhere becomes
free. So x is settled, and all n-grams inside it are covered; a covered n-gram can gain nothing, so
it needs no links, and more of the other side are left with a single one.

The links between two places are a matrix of bits, orders by orders, in one word. Rows and columns
are added up, struck out and turned round as a whole.
"""
from celab._native.coverage cimport settle
from celab._native.links cimport (
    EQUAL_ORDERS, ONE_A_ROW, Links, Start, add_degrees, add_rows, only_single, turned,
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


cdef inline bint settle_longest(i8_t* covered, i32_t place, u64_t mask) noexcept nogil:
    # Settles the longest n-gram of the place that has a bit; it covers the shorter ones.
    if mask == 0:
        return False
    settle(covered, place << 3 | (63 - __builtin_clzll(mask)) >> 3)
    return True


cdef inline i32_t covered_orders(const Side* side, const i8_t* covered, i32_t place) noexcept nogil:
    # The orders that are covered at all positions of the place.
    cdef i32_t orders = covered[place]
    if side.merged:
        while place >= 0:
            orders &= covered[place]
            place = side.following[place]
    return orders


cdef inline void keep(Live* live, u16_t* degree, const Side* side, i32_t own, i32_t other,
                      u64_t mask) noexcept nogil:
    cdef u32_t added = add_rows(mask)
    if side.merged and side.multiplicity[own] > 1:
        added |= added << 8
    degree[other] = <u16_t> add_degrees(degree[other], added)
    live.own = own
    live.other = other
    live.mask = mask


cdef i64_t first_reference_round(Live* live, u16_t* degree, const Links* links, const Side* side,
                                 i8_t* covered) except -1 nogil:
    # Settles what the links as they are force, and lists what is left; says how much that is.
    cdef const Start* start = links.start.data()
    cdef size_t s, n = 0
    cdef u64_t mask
    for s in range(links.n_starts):
        settle_longest(covered, start[s].ref,
                       start[s].mask & columns_of(side.other_single[start[s].hyp]))
    for s in range(links.n_starts):
        mask = start[s].mask & ~rows_of(covered_orders(side, covered, start[s].ref))
        if side.merged:
            spend(links.watch, side.multiplicity[start[s].ref])
        if mask:
            keep(&live[n], degree, side, start[s].ref, start[s].hyp, mask)
            n += 1
    return <i64_t> n


cdef i64_t first_hypothesis_round(Live* live, u16_t* degree, const Links* links, const Side* side,
                                  i8_t* covered) except -1 nogil:
    # The same, with rows and columns exchanged.
    cdef const Start* start = links.start.data()
    cdef size_t s, n = 0
    cdef u64_t mask
    cdef u32_t orders
    for s in range(links.n_starts):
        mask = start[s].mask
        if mask & ~(<u64_t> EQUAL_ORDERS):
            mask = turned(mask)
        settle_longest(covered, start[s].hyp, mask & columns_of(side.other_single[start[s].ref]))
    for s in range(links.n_starts):
        orders = covered_orders(side, covered, start[s].hyp)
        if side.merged:
            spend(links.watch, side.multiplicity[start[s].hyp])
        mask = start[s].mask & ~columns_of(orders)
        if mask:
            if mask & ~(<u64_t> EQUAL_ORDERS):
                mask = turned(mask)
            keep(&live[n], degree, side, start[s].hyp, start[s].ref, mask)
            n += 1
    return <i64_t> n


cdef int strip(Leaves* self, const Links* links, const Side* side, i8_t* covered) except -1 nogil:
    cdef size_t s, n, kept
    cdef u64_t mask
    cdef Live* live
    cdef u16_t* degree
    cdef bint settled
    if self.live.size() < links.n_starts:
        self.live.resize(2 * links.n_starts)
    live = self.live.data()
    self.degree.assign(side.other_length, 0)
    degree = self.degree.data()
    if side.side == 0:
        n = first_reference_round(live, degree, links, side, covered)
    else:
        n = first_hypothesis_round(live, degree, links, side, covered)
    spend(links.watch, 4 * links.n_starts)
    while n:
        spend(links.watch, 4 * n + side.other_length)
        settled = False
        only_single(degree, side.other_length)
        for s in range(n):
            mask = live[s].mask & columns_of(degree[live[s].other])
            settled |= settle_longest(covered, live[s].own, mask)
        if not settled:
            break
        self.degree.assign(side.other_length, 0)
        kept = 0
        for s in range(n):
            mask = live[s].mask & ~rows_of(covered_orders(side, covered, live[s].own))
            if side.merged:
                spend(links.watch, side.multiplicity[live[s].own])
            if mask:
                keep(&live[kept], degree, side, live[s].own, live[s].other, mask)
                kept += 1
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
