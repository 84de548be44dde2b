"""Outermost: the longest n-grams, matched all at once (step 1 of the cover).

An n-gram with links is outermost if it is inside no other one with links. All n-grams that can be
covered are inside outermost ones, so if these can all be matched at once, everything that can be
covered is. One pass over the links matches each outermost n-gram with the first n-gram of the other
side that is still free.

If some stay unmatched, let R be the least set that has them and

1. with each outermost n-gram, all n-grams with links inside it;
2. with each n-gram, the outermost ones that are matched with one of those that it is linked with.

Then some optimal solution gives all outermost n-grams outside R weight 1, by the links that match
them: R has no links with what they are matched with (2), so they take nothing from it, and every
other n-gram outside R is inside one of them (1), so that it is covered. Only the links of R are
left. It may be larger than it must be, because one pass does not always match as many as possible,
but the proof does not need that.

An own position has at most one outermost n-gram, so positions stand for them. Its links are a row
of the mask of each start, or a column if the own side is the hypothesis.
"""

cdef cppclass Outermost:
    # All links of each own position that can cover something; only if n-grams have weights.
    vector[u64_t] linked

    # Indexed by own position, at which at most one n-gram is outermost.
    vector[i32_t] order  # order of the outermost n-gram; 0 if there is none
    vector[i32_t] shift  # shift of a mask to the links of that order
    vector[u64_t] line  # the bits of a mask that are links of the n-gram; 0 once it is matched
    vector[i8_t] inside  # the orders that are inside an outermost n-gram

    vector[u64_t] used  # matched orders at each position of the other side, one bit each
    vector[u64_t] taken  # link of each start that matches two n-grams, as a bit of `used`

    # The set R: n-grams that compete with unmatched ones.
    vector[i32_t] opened  # the longest order of each own position that is in R
    vector[i8_t] queued  # whether the outermost n-gram of an own position is in R
    vector[i32_t] queue
    vector[i32_t] owner  # the own position that each n-gram of the other side is matched with
    vector[i32_t] first  # the starts of each own position, as a chain
    vector[i32_t] following


cdef inline u64_t lines_of(i32_t orders, bint turn) noexcept nogil:
    # The bits of a mask that are links of own n-grams of these orders.
    return columns_of(orders) if turn else rows_of(orders)


cdef inline u64_t add_lines(u64_t mask, bint turn) noexcept nogil:
    # The orders of the other side with a bit: in the first row, or in the first column if `turn`.
    if turn:
        mask |= mask >> 4
        mask |= mask >> 2
        return (mask | mask >> 1) & <u64_t> ONE_A_ROW
    mask |= mask >> 32
    mask |= mask >> 16
    return (mask | mask >> 8) & 0xFF


cdef inline i32_t longest_order(u64_t mask, bint turn) noexcept nogil:
    # The longest own order with a bit; 0 if there is none.
    if turn:
        mask = add_lines(mask, False)
        return highest_bit(mask << 1 | 1)
    return highest_bit(mask << 8 | 1) >> 3


cdef inline i32_t order_of(u64_t orders, bint turn) noexcept nogil:
    # The shortest order, less 1, of what `add_lines` gives.
    return lowest_bit(orders) >> (3 if turn else 0)


cdef inline i32_t own_of(const Start* start, bint turn) noexcept nogil:
    return start.hyp if turn else start.ref


cdef inline i32_t other_of(const Start* start, bint turn) noexcept nogil:
    return start.ref if turn else start.hyp


cdef inline i32_t list_outermost(Outermost* self, const u64_t* linked, i32_t length,
                                 bint turn) noexcept nogil:
    # Returns how many there are. Without branches, which the processor could not predict.
    cdef i32_t* order = self.order.data()
    cdef i32_t* shift = self.shift.data()
    cdef u64_t* line = self.line.data()
    cdef i8_t* inside = self.inside.data()
    cdef i32_t position, longest, end = 0, n = 0, is_outermost, by
    for position in range(length):
        longest = longest_order(linked[position], turn)
        end = max(end, position)
        is_outermost = position + longest > end
        end = max(end, position + longest)
        by = ((longest - 1) if turn else 8 * (longest - 1)) & 63
        order[position] = longest & -is_outermost
        shift[position] = by
        line[position] = -<u64_t> is_outermost & (
            (<u64_t> ONE_A_ROW if turn else <u64_t> 0xFF) << by)
        inside[position] = <i8_t> ((1 << (end - position)) - 1)
        n += is_outermost
    return n


cdef i32_t match_outermost(Outermost* self, const Links* links, bint turn) noexcept nogil:
    # Returns how many are matched. Without branches, too.
    cdef const Start* start = links.start.data()
    cdef const i32_t* shift = self.shift.data()
    cdef u64_t* line = self.line.data()
    cdef u64_t* used = self.used.data()
    cdef u64_t* taken = self.taken.data()
    cdef u64_t free
    cdef i32_t own, other, is_matched, n = 0
    cdef size_t s
    for s in range(links.n_starts):
        own = own_of(&start[s], turn)
        other = other_of(&start[s], turn)
        free = (start[s].mask & line[own]) >> shift[own] & ~used[other]
        free &= ~free + 1
        taken[s] = free
        used[other] |= free
        is_matched = free != 0
        line[own] &= <u64_t> is_matched - 1
        n += is_matched
    return n


cdef int make_space(Outermost* self, const Links* links, const Side* side) except -1 nogil:
    if <i32_t> self.order.size() < side.length:
        self.order.resize(side.length)
        self.shift.resize(side.length)
        self.line.resize(side.length)
        self.inside.resize(side.length)
    if self.taken.size() < links.n_starts:
        self.taken.resize(2 * links.n_starts)
    self.used.assign(side.other_length, 0)
    return 0


cdef int begin_queue(Outermost* self, const Links* links, const Side* side,
                     bint turn) except -1 nogil:
    # Queues what is not matched, chains the starts of each own position, and notes which one each
    # n-gram of the other side is matched with.
    cdef const Start* start = links.start.data()
    cdef i32_t position, own
    cdef i32_t* first
    cdef i32_t* following
    cdef u64_t none = <u64_t> 1 << (56 if turn else 7)  # a bit that stands for no order
    cdef size_t s
    self.opened.assign(side.length, 0)
    self.queued.assign(side.length, 0)
    self.first.assign(side.length, -1)
    self.queue.clear()
    if self.following.size() < links.n_starts:
        self.following.resize(2 * links.n_starts)
    if <i32_t> self.owner.size() < side.other_length << 3:
        self.owner.resize(side.other_length << 3)
    first = self.first.data()
    following = self.following.data()
    for s in range(links.n_starts):
        own = own_of(&start[s], turn)
        following[s] = first[own]
        first[own] = <i32_t> s
        # A start without a match has an entry that is not looked at.
        self.owner[other_of(&start[s], turn) << 3 | order_of(self.taken[s] | none, turn)] = own
    for position in range(side.length):
        if self.line[position]:
            self.queued[position] = 1
            self.queue.push_back(position)
    return 0


cdef int queue_rivals(Outermost* self, const Links* links, i32_t own, u64_t lines,
                      bint turn) except -1 nogil:
    # Queues the outermost n-grams that are matched with those that these links lead to.
    cdef const Start* start = links.start.data()
    cdef i32_t s = self.first[own], other, rival
    cdef u64_t linked
    while s >= 0:
        other = other_of(&start[s], turn)
        linked = add_lines(start[s].mask & lines, turn) & self.used[other]
        while linked:
            rival = self.owner[other << 3 | order_of(linked, turn)]
            linked &= linked - 1
            if not self.queued[rival]:
                self.queued[rival] = 1
                self.queue.push_back(rival)
        s = self.following[s]
        links.watch.left -= 4
    return 0


cdef int find_competition(Outermost* self, const Links* links, const Side* side,
                          bint turn) except -1 nogil:
    # Fills `opened` and `queued` with the set R.
    cdef size_t at = 0
    cdef i32_t own, position, order, before
    begin_queue(self, links, side, turn)
    while at < self.queue.size():
        own = self.queue[at]
        at += 1
        for position in range(own, own + self.order[own]):
            order = own + self.order[own] - position
            before = self.opened[position]
            if order > before:
                self.opened[position] = order
                queue_rivals(self, links, position,
                             lines_of((1 << order) - (1 << before), turn), turn)
        charge(links.watch, 4)
    return 0


cdef int list_live(Outermost* self, Leaves* leaves, const Links* links, const Side* side,
                   bint turn, i8_t* covered) except -1 nogil:
    # Covers what is inside outermost n-grams outside R, and lists the links of R.
    cdef const Start* start = links.start.data()
    cdef u64_t* line = self.line.data()
    cdef Live* live
    cdef i32_t position, end = 0
    cdef size_t s, n = 0
    cdef u64_t mask
    if leaves.live.size() < links.n_starts:
        leaves.live.resize(2 * links.n_starts)
    live = leaves.live.data()
    for position in range(side.length):
        end = max(end, position)
        if not self.queued[position]:
            end = max(end, position + self.order[position])
        covered[position] |= <i8_t> ((1 << (end - position)) - 1)
        line[position] = lines_of(((1 << self.opened[position]) - 1) & ~covered[position], turn)
    for s in range(links.n_starts):
        mask = start[s].mask & line[own_of(&start[s], turn)]
        live[n].own = own_of(&start[s], turn)
        live[n].other = other_of(&start[s], turn)
        live[n].mask = mask
        n += mask != 0
    leaves.n_live = n
    if turn:
        for s in range(n):
            live[s].mask = transpose(live[s].mask)
    return 0


cdef const u64_t* linked_orders(Outermost* self, const Side* side, bint turn,
                                const i8_t* covered) except NULL nogil:
    # All links of each own position; with weights, without those of n-grams that weigh nothing.
    cdef i32_t position
    if side.weight == NULL:
        return side.own_union
    self.linked.resize(side.length)
    for position in range(side.length):
        self.linked[position] = side.own_union[position] & ~lines_of(covered[position], turn)
    return self.linked.data()


cdef int settle_outermost(Outermost* self, Leaves* leaves, const Links* links, const Side* side,
                          i8_t* covered) except -1 nogil:
    # Settles the outermost n-grams outside R, and lists the links of R as the live ones.
    cdef bint turn = side.side
    cdef i32_t position, n
    cdef const u64_t* linked = linked_orders(self, side, turn, covered)
    make_space(self, links, side)
    leaves.n_live = 0
    charge(links.watch, 4 * (links.n_starts + side.length))
    # Two calls, so that the compiler makes a loop of each.
    if turn:
        n = list_outermost(self, linked, side.length, True)
    else:
        n = list_outermost(self, linked, side.length, False)
    if match_outermost(self, links, turn) == n:
        for position in range(side.length):
            covered[position] |= self.inside[position]
        return 0
    charge(links.watch, 8 * (links.n_starts + side.length))
    find_competition(self, links, side, turn)
    return list_live(self, leaves, links, side, turn, covered)
