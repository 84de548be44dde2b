"""Leaves: the choices that a single link forces (step 2 of the cover).

If an n-gram y of the other side is linked with one n-gram x of the own side alone, some optimal
solution gives x weight 1 by that link: nobody else could use y, and what x took elsewhere becomes
free. So x is settled, and all n-grams inside it are covered; a covered n-gram can gain nothing, so
it needs no links, and more of the other side are left with a single one.

The links between two positions are a matrix of bits, orders by orders, in one word. Rows and
columns are added up and struck out as a whole.

By kind (see `kinds`), let c n-grams of the other side be linked with own n-grams of kind x alone.
If no more than c n-grams of kind x are still uncovered, some optimal solution gives each of them
weight 1, by one of these c for itself: nobody else could use these, and what kind x took elsewhere
becomes free. So all of kind x are settled. Each n-gram is counted off once, when it is covered, and
each link is struck out once, with the last n-gram of its own kind.
"""

# One side of the pair, with `other_…` for the other one. A node of the side is a member, i.e. an
# n-gram as position << 3 | (order - 1), or a kind; nodes of the other side begin at other_base.
cdef struct Side:
    i32_t side  # 0 reference, 1 hypothesis
    i32_t length
    i32_t other_length
    i32_t other_base
    const KindSide* kinds  # NULL if nodes are n-grams
    const KindSide* other_kinds
    const u64_t* own_union  # see `Links`
    const i32_t* weight  # weight of each member; NULL if all n-grams weigh 1


# The links that are left between two positions. Bit (a - 1) << 3 | (b - 1) of `mask` links the
# own n-gram of order a with the other side's of order b.
cdef struct Live:
    i32_t own
    i32_t other
    u64_t mask


cdef cppclass Leaves:
    vector[Live] live
    size_t n_live  # only the first n_live entries of `live` count
    vector[u16_t] degree  # degrees at each position of the other side, see `add_degrees`
    vector[u64_t] forced  # forcing links of each own position; all 0 between rounds

    # Used if nodes are kinds.
    vector[i32_t] open  # the n-grams of each own kind that could cover something; 0 without links
    # The n-grams of the other side that are linked with this own kind and with no other open one.
    vector[i32_t] sole
    vector[i32_t] linked  # number of open kinds that each kind of the other side is linked with
    vector[i32_t] sum  # exclusive or of these kinds: the kind itself if there is only one
    vector[i32_t] forced_kind  # kinds all of whose n-grams must be settled


cdef inline i32_t node_of(const Side* side, i32_t member) noexcept nogil:
    return member if side.kinds == NULL else side.kinds.kind[member]


cdef inline i32_t capacity(const Side* side, i32_t node) noexcept nogil:
    # The number of n-grams of a node of the other side.
    return 1 if side.kinds == NULL else side.other_kinds.count[node - side.other_base]


cdef void settle_longest(u64_t* forced, const Side* side, i8_t* covered) noexcept nogil:
    # Settles the longest n-gram of each position whose row has a bit in forced[position], which
    # becomes 0. It covers the shorter ones, and all others inside it.
    cdef i32_t position, longest, inside = 0
    cdef u64_t mask
    for position in range(side.length):
        mask = forced[position]
        forced[position] = 0
        longest = highest_bit(mask | 1) >> 3
        inside = inside >> 1 | (((2 << longest) - 1) & -<i32_t> (mask != 0))
        covered[position] |= <i8_t> inside


cdef inline u32_t add_rows(u64_t mask) noexcept nogil:
    # The columns that have a bit, and, shifted by 8, those that have several.
    cdef u64_t low, high, any_bit, several
    if mask & ~(<u64_t> EQUAL_ORDERS) == 0:  # at most one per column: the top byte is the sum
        return <u32_t> (mask * <u64_t> ONE_A_ROW >> 56)
    # Pairs of rows, and pairs of pairs.
    low = mask & <u64_t> 0x00FF00FF00FF00FF
    high = mask >> 8 & <u64_t> 0x00FF00FF00FF00FF
    any_bit = low | high
    several = low & high
    several |= several >> 32 | (any_bit & any_bit >> 32)
    any_bit |= any_bit >> 32
    several |= several >> 16 | (any_bit & any_bit >> 16)
    any_bit |= any_bit >> 16
    return <u32_t> ((any_bit & 0xFF) | (several & 0xFF) << 8)


cdef inline u32_t add_degrees(u32_t degree, u32_t added) noexcept nogil:
    # Adds degrees as `add_rows` returns them: bit order - 1 for a link, bit order + 7 for several.
    return degree | added | (degree & added & 0xFF) << 8


cdef inline void only_single(u16_t* degree, i32_t n) noexcept nogil:
    # Keeps only the orders with exactly one link.
    cdef i32_t i
    for i in range(n):
        degree[i] = <u16_t> (degree[i] & ~(degree[i] >> 8) & 0xFF)


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
        if side.weight != NULL:  # n-grams without weight count as covered
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
    # Settles what `live` forces; it is then the links of n-grams that could still cover something.
    # By kind, all links count, and `open` are the kinds that could.
    cdef size_t s, n = self.n_live, kept
    cdef u64_t mask, settled
    cdef Live* live = self.live.data()
    cdef u16_t* degree
    cdef u64_t* forced
    if side.kinds != NULL:
        return strip_kinds(self, links, side, covered)
    if <i32_t> self.forced.size() < side.length:
        self.forced.resize(side.length, 0)
    forced = self.forced.data()
    while n:
        charge(links.watch, 8 * n + side.other_length)
        self.degree.assign(side.other_length, 0)
        degree = self.degree.data()
        for s in range(n):
            degree[live[s].other] = <u16_t> add_degrees(degree[live[s].other],
                                                        add_rows(live[s].mask))
        only_single(degree, side.other_length)
        settled = 0
        for s in range(n):
            mask = live[s].mask & columns_of(degree[live[s].other])
            forced[live[s].own] |= mask
            settled |= mask
        if settled == 0:
            break
        settle_longest(forced, side, covered)
        kept = 0
        for s in range(n):
            mask = live[s].mask & ~rows_of(covered[live[s].own])
            live[kept].own = live[s].own
            live[kept].other = live[s].other
            live[kept].mask = mask
            kept += mask != 0
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
        side.own_union = links.ref_union.data()
    else:
        side.length = n_hyp
        side.other_length = n_ref
        side.own_union = links.hyp_union.data()
    side.other_base = side.length << 3
    if links.by_kind:
        side.kinds = &links.kinds.hyp if which else &links.kinds.ref
        side.other_kinds = &links.kinds.ref if which else &links.kinds.hyp
        side.other_base = side.kinds.n_kinds
    return side
