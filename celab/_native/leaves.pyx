"""Leaves kernel: the choices that a single link forces (step 1 of the cover).

If an n-gram y of the other side is linked with one n-gram x of the own side alone, some optimal
solution gives x weight 1 by that link: nobody else could use y, and what x took elsewhere becomes
free. So x is settled, and all n-grams inside it are covered; a covered n-gram can gain nothing, so
it needs no links, and more of the other side are left with a single one.

The links between two positions are a matrix of bits, orders by orders, in one word. Rows and
columns are added up, struck out and turned round as a whole.

By kind (see `kinds`), let c n-grams of the other side be linked with own n-grams of kind x alone.
If no more than c n-grams of kind x are still uncovered, some optimal solution gives each of them
weight 1, by one of these c for itself: nobody else could use these, and what kind x took elsewhere
becomes free. So all of kind x are settled. Each n-gram is counted off once, when it is covered, and
each link is struck out once, with the last n-gram of its own kind.
"""
from celab._native.coverage cimport covers
from celab._native.links cimport (
    EQUAL_ORDERS, ONE_A_ROW, Links, Start, add_degrees, add_rows, lowest_bit, only_single,
    transpose,
)
from celab._native.types cimport i8_t, i32_t, i64_t, u16_t, u32_t, u64_t
from celab._native.watch cimport charge

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
    # Settles the longest n-gram of each position whose row, or column if `turn`, has a bit in
    # forced[position], which becomes 0. It covers the shorter ones, and all others inside it.
    cdef i32_t position, longest, inside = 0
    cdef u64_t mask
    for position in range(side.length):
        mask = forced[position]
        forced[position] = 0
        if turn:
            mask |= mask >> 32
            mask |= mask >> 16
            mask = (mask | mask >> 8) & 0xFF
            longest = 63 - __builtin_clzll(mask | 1)
        else:
            longest = (63 - __builtin_clzll(mask | 1)) >> 3
        inside = inside >> 1 | (((2 << longest) - 1) & -<i32_t> (mask != 0))
        covered[position] |= <i8_t> inside


cdef inline bint keep(Live* live, u16_t* degree, i32_t own, i32_t other,
                      u64_t mask) noexcept nogil:
    # Says whether there is anything to keep; where there is not, the degree stays as it is.
    degree[other] = <u16_t> add_degrees(degree[other], add_rows(mask))
    live.own = own
    live.other = other
    live.mask = mask
    return mask != 0


cdef inline i64_t first_round(Leaves* self, const Links* links, const Side* side, bint turn,
                              i8_t* covered) except -1 nogil:
    # Settles what the links as they are force, and lists what is left; returns how much that is.
    # Rows are those of the reference; `turn` exchanges them with columns, for the hypothesis.
    cdef const Start* start = links.start.data()
    cdef u64_t* forced = self.forced.data()
    cdef Live* live = self.live.data()
    cdef i32_t own, other
    cdef size_t s, n = 0
    cdef u64_t mask
    for s in range(links.n_starts):
        if turn:
            forced[start[s].hyp] |= start[s].mask & rows_of(side.other_single[start[s].ref])
        else:
            forced[start[s].ref] |= start[s].mask & columns_of(side.other_single[start[s].hyp])
    settle_longest(forced, side, turn, covered)
    for s in range(links.n_starts):
        own = start[s].hyp if turn else start[s].ref
        other = start[s].ref if turn else start[s].hyp
        mask = start[s].mask & ~(columns_of(covered[own]) if turn else rows_of(covered[own]))
        if turn and mask & ~(<u64_t> EQUAL_ORDERS):
            mask = transpose(mask)
        n += keep(&live[n], self.degree.data(), own, other, mask)
    return <i64_t> n


cdef inline int close_kind(Leaves* self, const Side* side, i32_t x) except -1 nogil:
    # Strikes out the links of a kind all of whose n-grams are covered.
    cdef i32_t k, y, last
    for k in range(side.kinds.link_first[x], side.kinds.link_first[x + 1]):
        y = side.kinds.link[k]
        self.linked[y] -= 1
        self.sum[y] ^= x
        if self.linked[y] == 1:
            last = self.sum[y]
            self.sole[last] += side.other_kinds.count[y]
            if self.sole[last] >= self.open[last] > 0:
                self.forced_kind.push_back(last)
    return 0


cdef int settle_member(Leaves* self, const Side* side, i8_t* covered,
                       i32_t member) except -1 nogil:
    # Covers every n-gram inside the member, and counts them off.
    cdef i32_t position = member >> 3, bits = (2 << (member & 7)) - 1, free, x
    while bits:
        free = bits & ~covered[position]
        covered[position] |= <i8_t> bits
        while free:
            x = side.kinds.kind[position << 3 | lowest_bit(free)]
            free &= free - 1
            if x < 0 or self.open[x] == 0:
                continue
            self.open[x] -= 1
            if self.open[x] == 0:
                close_kind(self, side, x)
            elif self.sole[x] >= self.open[x]:
                self.forced_kind.push_back(x)
        position += 1
        bits >>= 1
    return 0


cdef int strip_kinds(Leaves* self, const Links* links, const Side* side,
                     i8_t* covered) except -1 nogil:
    cdef const KindSide* own = side.kinds
    cdef i32_t n = own.n_kinds, n_other = side.other_kinds.n_kinds, x, y, k, member
    self.open.assign(n, 0)
    self.sole.assign(n, 0)
    self.linked.assign(n_other, 0)
    self.sum.assign(n_other, 0)
    self.forced_kind.clear()
    charge(links.watch, 4 * (n + n_other) + 8 * <i64_t> own.link.size())
    for x in range(1, n):
        if own.link_first[x] == own.link_first[x + 1]:
            continue
        self.open[x] = own.count[x]
        if side.weight != NULL:  # what weighs nothing is covered
            member = own.first_member[x]
            while member >= 0:
                self.open[x] -= covers(covered, member)
                member = own.following[member]
        if self.open[x]:
            for k in range(own.link_first[x], own.link_first[x + 1]):
                self.linked[own.link[k]] += 1
                self.sum[own.link[k]] ^= x
    for y in range(1, n_other):
        if self.linked[y] == 1:
            self.sole[self.sum[y]] += side.other_kinds.count[y]
    for x in range(1, n):
        if self.sole[x] >= self.open[x] > 0:
            self.forced_kind.push_back(x)
    while self.forced_kind.size():
        x = self.forced_kind.back()
        self.forced_kind.pop_back()
        if self.open[x] == 0:
            continue
        charge(links.watch, 16 * <i64_t> own.count[x])
        member = own.first_member[x]
        while member >= 0:
            if not covers(covered, member):
                settle_member(self, side, covered, member)
            member = own.following[member]
    return 0


cdef int strip(Leaves* self, const Links* links, const Side* side, i8_t* covered) except -1 nogil:
    cdef size_t s, n, kept
    cdef u64_t mask, settled
    cdef Live* live
    cdef u16_t* degree
    cdef u64_t* forced
    if side.kinds != NULL:
        return strip_kinds(self, links, side, covered)
    if self.live.size() < links.n_starts:
        self.live.resize(2 * links.n_starts)
    live = self.live.data()
    self.degree.assign(side.other_length, 0)
    degree = self.degree.data()
    if <i32_t> self.forced.size() < side.length:
        self.forced.resize(side.length, 0)
    forced = self.forced.data()
    # Two calls, so that the compiler makes a loop of each.
    if side.side == 0:
        n = first_round(self, links, side, False, covered)
    else:
        n = first_round(self, links, side, True, covered)
    charge(links.watch, 4 * links.n_starts)
    while n:
        charge(links.watch, 4 * n + side.other_length)
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
            mask = live[s].mask & ~rows_of(covered[live[s].own])
            kept += keep(&live[kept], degree, live[s].own, live[s].other, mask)
        n = kept
    self.n_live = n
    return 0


cdef Side side_of(const Links* links, i32_t n_ref, i32_t n_hyp, i32_t which,
                  const i32_t* weight) noexcept nogil:
    cdef Side side
    side.weight = weight
    side.side = which
    side.kinds = NULL
    side.other_kinds = NULL
    if which == 0:
        side.length = n_ref
        side.other_length = n_hyp
        side.other_single = links.hyp_single.data()
    else:
        side.length = n_hyp
        side.other_length = n_ref
        side.other_single = links.ref_single.data()
    side.other_base = side.length << 3
    if links.by_kind:
        side.kinds = &links.kinds.hyp if which else &links.kinds.ref
        side.other_kinds = &links.kinds.ref if which else &links.kinds.hyp
        side.other_base = side.kinds.n_kinds
    return side
