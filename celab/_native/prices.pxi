"""Prices: upper bounds of what a cluster can cover, by linear programming duality.

A cluster (see `clusters`) chooses weights w(s) of its members s, as its pieces allow, to

    maximize  Σ_c min(1, Σ { w(s) : s contains c })     over its cells c, the n-grams in reach.

For any prices 0 <= y(c) <= 1, because min(1, t) <= 1 - y + y·t,

    Σ_c (1 - y(c))  +  Σ_pieces (the greatest Σ_s Σ_{c in s} y(c) of members s that can be matched)

is an upper bound, and by duality the best prices give the optimum. Four kinds are tried: all 0
(the number of cells), all 1 (the sum of the greatest gains), prices fitted to the greedy choice (1
on what it leaves uncovered, 0 on what it covers more than once, and elsewhere 1, then lowered one
after the other), and, in clusters too large to fit them, 0 up to an order and 1 above it:
repetitive text has enough n-grams for all short cells, but not for the long ones. All numbers are
whole. A member is worth the sum of the prices of its cells.

At first, the bound counts as many members of a piece as its rank; in a general piece that may be
more than can be matched. If this proves nothing, those that can be matched are found: members by
decreasing worth, each added if an augmenting path allows it.

With weights m(c) the same holds for m(c)·min(1, t) and prices 0 <= y(c) <= m(c). A price is then
lowered by no more than the surplus of an unchosen member.
"""

cdef enum:
    MAX_GAIN = 21  # the number of n-grams inside one of order 6


# The members of a cluster, numbered piece by piece, and the cells, i.e. the n-grams that they can
# cover.
cdef cppclass Cluster:
    vector[i32_t] piece
    vector[i32_t] member
    vector[i32_t] member_piece
    vector[i32_t] member_left  # left node in `graph`, or -1 if the piece is plain
    vector[i32_t] general_member  # the members of general pieces
    Graph graph  # the links of general members
    vector[i32_t] chosen  # 1 if the greedy choice has the member

    # Set by `list_reach`.
    i32_t n_cells
    vector[i32_t] cell  # position << 3 | (order - 1) of each cell
    vector[i32_t] cell_number  # number of the cell at position << 3 | (order - 1), or -1
    vector[i32_t] reach_first  # the cells of member k: reach[reach_first[k]] and on
    vector[i32_t] reach
    vector[i32_t] coverer_first  # the members that cover cell c: coverer[coverer_first[c]] and on
    vector[i32_t] coverer
    vector[i64_t] weight  # weight of each cell


# The gap between the bound and the greedy choice in one piece, if all n-grams weigh 1.
cdef struct Gap:
    i32_t begin  # the range of its members in the cluster
    i32_t end
    i32_t rank
    i32_t above
    i32_t[MAX_GAIN + 1] at_least  # the number of members worth this much or more


# The prices of the cells, and what the members are worth at these prices.
cdef cppclass Prices:
    vector[i64_t] price
    vector[i64_t] worth
    vector[i32_t] tried  # how often the price of each cell was lowered
    vector[Gap] gap
    vector[i32_t] member_gap  # the gap of each member's piece
    bint exact  # whether the links of general pieces bound them, and not their ranks alone
    vector[i32_t] matched  # 1 if the bound counts this member of a general piece
    vector[pair[i64_t, i32_t]] candidate  # general members by worth
    vector[i64_t] amount  # working memory
    vector[i8_t] hidden


cdef inline bint add_member(Cluster* cluster, i32_t number) except -1 nogil:
    # Adds a member of a general piece to the matched ones, if possible.
    cdef i32_t left = cluster.member_left[number]
    cluster.graph.left_capacity[left] += 1
    if augment(&cluster.graph, left):
        return True
    cluster.graph.left_capacity[left] -= 1
    return False


cdef enum:
    MAX_TRIES = 3  # times that a price is lowered, if n-grams have weights


cdef i64_t sum_greatest(vector[i64_t]& amount, size_t rank) except -1 nogil:
    # The sum of the `rank` greatest amounts. Changes their order.
    cdef i64_t total = 0
    cdef size_t k
    if rank < amount.size():
        nth_element(amount.rbegin(), amount.rbegin() + (amount.size() - rank), amount.rend())
    for k in range(min(rank, amount.size())):
        total += amount[k]
    return total


cdef i64_t greatest_gains(Prices* self, const Cluster* cluster, const Reduction* rest,
                          const Side* side) except -1 nogil:
    # The bound with the greatest prices: the sum of the greatest gains of each piece, as many as it
    # has rank.
    return sum_gains(self, cluster, rest, side, rest.covered.data())


cdef i64_t bound_by_order(Prices* self, const Cluster* cluster, const Reduction* rest,
                          const Side* side) except -1 nogil:
    # The lowest bound with prices that are greatest from some order on, and 0 below it. Uses what
    # `list_reach` has listed.
    cdef i32_t order, k
    cdef size_t c
    cdef i64_t below = 0, lowest = 0x7FFFFFFFFFFFFFFF
    self.hidden = rest.covered
    for order in range(5):  # the cells up to order + 1 have the price 0
        for c in range(cluster.cell.size()):
            if cluster.cell[c] & 7 == order:
                below += cluster.weight[c]
        for k in range(<i32_t> self.hidden.size()):
            self.hidden[k] |= <i8_t> (1 << order)
        lowest = min(lowest, below + sum_gains(self, cluster, rest, side, self.hidden.data()))
    return lowest


cdef i64_t sum_gains(Prices* self, const Cluster* cluster, const Reduction* rest,
                     const Side* side, const i8_t* covered) except -1 nogil:
    # The sum of the greatest gains of each piece, as many as it has rank.
    cdef i32_t k, p
    cdef i64_t total = 0
    cdef size_t a
    for a in range(cluster.piece.size()):
        p = cluster.piece[a]
        self.amount.clear()
        for k in range(rest.piece[p].begin, rest.piece[p].end):
            self.amount.push_back(gain_of(covered, side.weight, rest.member[k]))
        total += sum_greatest(self.amount, rest.piece[p].rank)
    return total


cdef int list_reach(Cluster* cluster, const Reduction* rest, const Side* side) except -1 nogil:
    # Numbers the cells of a cluster, and lists which member covers which cell, in both directions.
    cdef i32_t k, position, bits, free, cell, n = <i32_t> cluster.member.size(), c
    cdef size_t i
    for i in range(cluster.cell.size()):  # `cell` still has the cluster before
        cluster.cell_number[cluster.cell[i]] = -1
    cluster.cell.clear()
    cluster.n_cells = 0
    if cluster.cell_number.size() < rest.covered.size() << 3:
        cluster.cell_number.resize(rest.covered.size() << 3, -1)
    cluster.reach_first.clear()
    cluster.reach.clear()
    cluster.weight.clear()
    for k in range(n):
        cluster.reach_first.push_back(<i32_t> cluster.reach.size())
        position = cluster.member[k] >> 3
        bits = (2 << (cluster.member[k] & 7)) - 1
        while bits:
            free = bits & ~rest.covered[position]
            while free:
                cell = position << 3 | lowest_bit(free)
                free &= free - 1
                if cluster.cell_number[cell] < 0:
                    cluster.cell_number[cell] = cluster.n_cells
                    cluster.cell.push_back(cell)
                    cluster.n_cells += 1
                    cluster.weight.push_back(1 if side.weight == NULL else side.weight[cell])
                cluster.reach.push_back(cluster.cell_number[cell])
            position += 1
            bits >>= 1
    cluster.reach_first.push_back(<i32_t> cluster.reach.size())
    cluster.coverer_first.assign(cluster.n_cells + 2, 0)
    cluster.coverer.resize(cluster.reach.size())
    for i in range(cluster.reach.size()):
        cluster.coverer_first[cluster.reach[i] + 2] += 1
    for c in range(cluster.n_cells):
        cluster.coverer_first[c + 2] += cluster.coverer_first[c + 1]
    for k in range(n):
        for c in range(cluster.reach_first[k], cluster.reach_first[k + 1]):
            cell = cluster.reach[c]
            cluster.coverer[cluster.coverer_first[cell + 1]] = k
            cluster.coverer_first[cell + 1] += 1
    return 0


cdef inline i32_t times_chosen(const Cluster* cluster, i32_t c) noexcept nogil:
    # How often the greedy choice covers the cell.
    cdef i32_t k, times = 0
    for k in range(cluster.coverer_first[c], cluster.coverer_first[c + 1]):
        times += cluster.chosen[cluster.coverer[k]]
    return times


cdef void set_price(Prices* self, const Cluster* cluster, i32_t c, i64_t price) noexcept nogil:
    cdef i32_t k
    for k in range(cluster.coverer_first[c], cluster.coverer_first[c + 1]):
        self.worth[cluster.coverer[k]] += price - self.price[c]
    self.price[c] = price


cdef int match_dearest(Prices* self, Cluster* cluster) except -1 nogil:
    # Marks as `matched` the members of general pieces that are worth most of those that can be
    # matched together. Such sets form a matroid, so adding one after the other is optimal. Chosen
    # members come first among those of equal worth.
    cdef i32_t k, n = <i32_t> cluster.member.size()
    cdef size_t i
    self.candidate.clear()
    self.matched.assign(n, 0)
    for k in range(n):
        if cluster.member_left[k] >= 0 and self.worth[k] > 0:
            self.candidate.push_back(pair[i64_t, i32_t](2 * self.worth[k] + cluster.chosen[k], k))
    sort(self.candidate.rbegin(), self.candidate.rend())
    empty(&cluster.graph)
    for i in range(self.candidate.size()):
        k = self.candidate[i].second
        self.matched[k] = add_member(cluster, k)
    return 0


cdef i64_t excess(Prices* self, Cluster* cluster, const Reduction* rest, i32_t* worst,
                  i64_t* surplus) except -1 nogil:
    # How far the bound is above the greedy choice: over all pieces, the greatest worths minus those
    # of the chosen members. `worst` becomes an unchosen member of the first piece with a gap, or
    # -1, and `surplus` how much more it is worth than the chosen member that is worth least.
    cdef i32_t begin = 0, end, n = <i32_t> cluster.member.size(), rank, best, n_chosen
    cdef i64_t total = 0, part, least
    cdef bint general
    worst[0] = -1
    if self.exact:
        match_dearest(self, cluster)
    while begin < n:
        end = begin
        self.amount.clear()
        part = 0
        best = -1
        least = 0
        n_chosen = 0
        general = self.exact and cluster.member_left[begin] >= 0
        while end < n and cluster.member_piece[end] == cluster.member_piece[begin]:
            if not general or self.matched[end]:
                self.amount.push_back(self.worth[end])
            if cluster.chosen[end]:
                part -= self.worth[end]
                if not general or not self.matched[end]:
                    least = min(least, self.worth[end]) if n_chosen else self.worth[end]
                    n_chosen += 1
            elif (not general or self.matched[end]) and (
                    best < 0 or self.worth[end] > self.worth[best]):
                best = end
            end += 1
        rank = rest.piece[cluster.member_piece[begin]].rank
        if n_chosen < rank and not general:
            least = 0
        part += sum_greatest(self.amount, rank)
        if part > 0 and worst[0] < 0:
            worst[0] = best
            surplus[0] = self.worth[best] - least
        total += part
        begin = end
    return total


cdef bint fit_weighted_prices(Prices* self, Cluster* cluster, const Reduction* rest,
                              Watch* watch) except -1 nogil:
    cdef i32_t c, i, times, worst = -1, best_cell, _worst
    cdef i64_t above, now, best_above, surplus = 0, _surplus, price
    self.price.assign(cluster.n_cells, 0)
    self.worth.assign(cluster.member.size(), 0)
    for c in range(cluster.n_cells):
        times = times_chosen(cluster, c)
        if times < 2:
            set_price(self, cluster, c, cluster.weight[c])
        self.tried[c] = 0 if times == 1 else MAX_TRIES
    above = excess(self, cluster, rest, &worst, &surplus)
    while above > 0:
        if worst < 0:
            return False
        charge(watch, 4 * <i64_t> cluster.member.size())
        best_cell = -1
        best_above = 0x7FFFFFFFFFFFFFFF
        for i in range(cluster.reach_first[worst], cluster.reach_first[worst + 1]):
            c = cluster.reach[i]
            price = self.price[c]
            if self.tried[c] == MAX_TRIES or price == 0:
                continue
            set_price(self, cluster, c, max(<i64_t> 0, price - surplus))
            now = excess(self, cluster, rest, &_worst, &_surplus)
            set_price(self, cluster, c, price)
            if now < best_above:
                best_above = now
                best_cell = c
        if best_cell < 0:
            return False
        self.tried[best_cell] += 1
        set_price(self, cluster, best_cell, max(<i64_t> 0, self.price[best_cell] - surplus))
        above = excess(self, cluster, rest, &worst, &surplus)
    return True


cdef i32_t shift_price(Prices* self, const Cluster* cluster, i32_t c, bint up) noexcept nogil:
    # Raises the price of a cell from 0 to 1, or lowers it from 1 to 0, and returns by how much the
    # gap between bound and choice grows. The r greatest worths of a piece sum to
    # Σ_t min(r, number of members worth t or more), and each coverer changes one of these numbers
    # by 1.
    cdef i32_t k, m, t, sign = 1 if up else -1, change, total = 0
    cdef Gap* gap
    for k in range(cluster.coverer_first[c], cluster.coverer_first[c + 1]):
        m = cluster.coverer[k]
        gap = &self.gap[self.member_gap[m]]
        t = <i32_t> self.worth[m] + up
        self.worth[m] += sign
        gap.at_least[t] += sign
        change = sign * ((gap.at_least[t] + (not up) <= gap.rank) - cluster.chosen[m])
        gap.above += change
        total += change
    return total


cdef int list_gaps(Prices* self, const Cluster* cluster, const Reduction* rest) except -1 nogil:
    # Lists the gap of each piece, for prices that are all 0.
    cdef i32_t k, t, n = <i32_t> cluster.member.size()
    cdef Gap gap
    self.gap.clear()
    self.member_gap.resize(n)
    for k in range(n):
        if k == 0 or cluster.member_piece[k] != cluster.member_piece[k - 1]:
            gap.begin = k
            gap.rank = rest.piece[cluster.member_piece[k]].rank
            gap.above = 0
            for t in range(MAX_GAIN + 1):
                gap.at_least[t] = 0
            self.gap.push_back(gap)
        self.member_gap[k] = <i32_t> self.gap.size() - 1
        self.gap.back().end = k + 1
    return 0


cdef i32_t worst_member(const Prices* self, const Cluster* cluster) noexcept nogil:
    # The unchosen member worth most in the first piece with a gap, or -1.
    cdef i32_t k, best = -1
    cdef size_t g = 0
    while self.gap[g].above == 0:
        g += 1
    for k in range(self.gap[g].begin, self.gap[g].end):
        if not cluster.chosen[k] and (best < 0 or self.worth[k] > self.worth[best]):
            best = k
    return best


cdef bint fit_unit_prices(Prices* self, const Cluster* cluster, const Reduction* rest,
                          Watch* watch) except -1 nogil:
    cdef i32_t c, i, times, above = 0, worst, now, best_above, best_cell
    list_gaps(self, cluster, rest)
    self.worth.assign(cluster.member.size(), 0)
    for c in range(cluster.n_cells):
        times = times_chosen(cluster, c)
        if times < 2:
            above += shift_price(self, cluster, c, True)
        self.tried[c] = times != 1
    while above > 0:
        worst = worst_member(self, cluster)
        if worst < 0:
            return False
        charge(watch, 4 * <i64_t> cluster.member.size())
        best_cell = -1
        best_above = 0x7FFFFFFF
        for i in range(cluster.reach_first[worst], cluster.reach_first[worst + 1]):
            c = cluster.reach[i]
            if self.tried[c]:
                continue
            now = above + shift_price(self, cluster, c, False)
            shift_price(self, cluster, c, True)
            if now < best_above:
                best_above = now
                best_cell = c
        if best_cell < 0:
            return False
        self.tried[best_cell] = 1
        above += shift_price(self, cluster, best_cell, False)
    return True


cdef bint fit_prices(Prices* self, Cluster* cluster, const Reduction* rest, const Side* side,
                     Watch* watch) except -1 nogil:
    # Whether prices were found whose bound equals the greedy choice. Calls `list_reach`.
    # Only the prices of cells that are covered exactly once are lowered: changing any other price
    # would open a gap between choice and bound. The cell of the worst member whose price, lowered
    # by the surplus, gives the lowest bound comes next, even if the bound rises: later cells may
    # make up for it.
    cdef bint fits
    list_reach(cluster, rest, side)
    self.tried.resize(cluster.n_cells)
    self.exact = False
    fits = fit_unit_prices(self, cluster, rest, watch) if side.weight == NULL else (
        fit_weighted_prices(self, cluster, rest, watch))
    if fits or cluster.general_member.size() == 0:
        return fits
    self.exact = True
    return fit_weighted_prices(self, cluster, rest, watch)
