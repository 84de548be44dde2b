"""Clusters kernel: choosing among what is left, with proof (steps 3 to 5 of the cover).

3. Pieces that could cover the same n-gram form a cluster. In a cluster

       maximise  Σ_c min(1, Σ { w(s) : s contains c })     over w that the pieces allow.

4. The greedy choice, by most new n-grams, is a lower bound, and exact if no members overlap.
   For any prices 0 <= y(c) <= 1, because min(1, t) <= 1 - y + y·t,

       Σ_c (1 - y(c))  +  Σ_pieces (the greatest Σ_{c in s} y(c) of members s that can be matched)

   is an upper bound, and by duality the best prices give the optimum. Three kinds are tried: all 0
   (the number of n-grams in reach), all 1 (the sum of the greatest gains), and prices fitted to the
   greedy choice: 1 on what it leaves uncovered, 0 on what it covers twice, and lowered elsewhere
   one after the other. All in whole numbers. At first, as many members as the piece has rank count
   as matched; in a general piece that may be more than can be. If this proves nothing, those that
   can be are found: members by their worth, each of which is added if a path allows it.

   With weights m(c) the same holds for m(c)·min(1, t) and prices 0 <= y(c) <= m(c). A price is then
   lowered by no more than what an unchosen member is worth too much.
5. Where no bound meets the greedy choice, the cluster is written out as a linear program.
"""
from libcpp.algorithm cimport nth_element, pop_heap, push_heap, sort
from libcpp.utility cimport pair
from libcpp.vector cimport vector

from celab._native.components cimport Components, build_graph, forget, node_of
from celab._native.coverage cimport gain, settle, weighted_gain
from celab._native.leaves cimport Side
from celab._native.links cimport lowest_bit
from celab._native.matching cimport Graph, augment, empty
from celab._native.program cimport Arrays, add_column, add_entry, start_block, start_row
from celab._native.reduction cimport Reduction
from celab._native.types cimport i8_t, i32_t, i64_t, u64_t
from celab._native.watch cimport Watch, spend

cdef enum:
    # Prices are fitted to clusters up to this size; a larger one costs the solver less than us.
    MOST_PRICED = 400
    MOST_TRIES = 3  # of lowering a price, with weights
    # Entries of a cluster's program: more would need too much memory. And of all programs of a
    # batch together, whose indices have 32 bits.
    MOST_ENTRIES = 1 << 24
    MOST_OF_BATCH = 1 << 30


cdef inline i32_t leader(vector[i32_t]& parent, i32_t p) noexcept nogil:
    while parent[p] != p:
        parent[p] = parent[parent[p]]
        p = parent[p]
    return p


cdef int join_pieces(Clusters* self, const Reduction* rest, const Side* side) except -1 nogil:
    # Pieces that could cover the same n-gram get the same leader.
    cdef i32_t p, k, position, bits, free, cell, first
    cdef size_t a
    self.piece_parent.resize(rest.piece.size())
    self.cell_count.assign(rest.piece.size(), 0)
    self.overlaps.assign(rest.piece.size(), 0)
    for a in range(self.alive.size()):
        self.piece_parent[self.alive[a]] = self.alive[a]
    self.cell_piece.assign(rest.covered.size() << 3, -1)
    for a in range(self.alive.size()):
        p = self.alive[a]
        for k in range(rest.piece[p].begin, rest.piece[p].end):
            position = rest.member[k] >> 3
            bits = (2 << (rest.member[k] & 7)) - 1
            while bits:
                free = bits & ~rest.covered[position]
                while free:
                    cell = position << 3 | lowest_bit(free)
                    free &= free - 1
                    first = self.cell_piece[cell]
                    if first < 0:
                        self.cell_piece[cell] = p
                        self.cell_count[p] += 1 if side.weight == NULL else side.weight[cell]
                    else:
                        self.overlaps[p] = 1
                        self.piece_parent[leader(self.piece_parent, first)] = leader(
                            self.piece_parent, p)
                position += 1
                bits >>= 1
    return 0


cdef int chain_pieces(Clusters* self) except -1 nogil:
    # The pieces of each cluster, in their order, from its leader's `first_piece` on.
    cdef i32_t p, of
    cdef size_t a
    self.first_piece.assign(self.piece_parent.size(), -1)
    self.next_piece.resize(self.piece_parent.size())
    for a in range(self.alive.size(), 0, -1):
        p = self.alive[a - 1]
        of = leader(self.piece_parent, p)
        self.next_piece[p] = self.first_piece[of]
        self.first_piece[of] = p
    return 0


cdef inline i64_t gain_of(const i8_t* covered, const Side* side, i32_t member) noexcept nogil:
    if side.weight == NULL:
        return gain(covered, member)
    return weighted_gain(covered, side.weight, member)


cdef inline int offer(Clusters* self, const Side* side, i64_t g, i32_t number) except -1 nogil:
    # Makes a member a candidate.
    if side.weight == NULL:
        self.bucket[g].push_back(number)
    elif g > 0:
        self.heap.push_back(pair[i64_t, i32_t](g, number))
        push_heap(self.heap.begin(), self.heap.end())
    return 0


cdef inline i32_t candidate(Clusters* self, const Side* side, i64_t* top) except -2 nogil:
    # The candidate with the greatest gain, which is at most top[0] and becomes it; -1 if none is
    # left.
    cdef i32_t number
    if side.weight == NULL:
        while top[0] > 0 and self.bucket[top[0]].size() == 0:
            top[0] -= 1
        if top[0] == 0:
            return -1
        number = self.bucket[top[0]].back()
        self.bucket[top[0]].pop_back()
        return number
    if self.heap.size() == 0:
        return -1
    pop_heap(self.heap.begin(), self.heap.end())
    top[0] = self.heap.back().first
    number = self.heap.back().second
    self.heap.pop_back()
    return number


cdef bint add_member(Clusters* self, i32_t number) except -1 nogil:
    # Adds a member of a general piece to those that are matched, if it can be.
    cdef i32_t left = self.member_left[number]
    self.graph.left_capacity[left] += 1
    if augment(&self.graph, left):
        return True
    self.graph.left_capacity[left] -= 1
    return False


cdef i64_t greedy(Clusters* self, Components* components, const Reduction* rest,
                  const Side* side) except -1 nogil:
    # A choice by the greatest gain. Gains only shrink, so a member whose gain has shrunk goes back
    # among the candidates; one that cannot be added now never can be.
    cdef i32_t p, k, i, number
    cdef i64_t top = 0, value = 0, g
    cdef size_t a
    cdef Graph* graph = &self.graph
    self.member.clear()
    self.member_piece.clear()
    self.general_member.clear()
    self.bucket.resize(MOST_GAIN + 1)
    self.heap.clear()
    self.rank_left.resize(rest.piece.size())
    for a in range(self.cluster.size()):
        p = self.cluster[a]
        self.rank_left[p] = rest.piece[p].rank
        for k in range(rest.piece[p].begin, rest.piece[p].end):
            g = gain_of(self.trial.data(), side, rest.member[k])
            top = max(top, g)
            offer(self, side, g, <i32_t> self.member.size())
            self.member.push_back(rest.member[k])
            self.member_piece.push_back(p)
            if rest.piece[p].general:
                self.general_member.push_back(rest.member[k])
    self.chosen.assign(self.member.size(), 0)
    if self.general_member.size():
        build_graph(components, graph, side, self.general_member.data(),
                    <i32_t> self.general_member.size(), self.left_node, self.right_node)
        self.member_left.assign(self.member.size(), -1)
        for k in range(<i32_t> self.member.size()):
            if rest.piece[self.member_piece[k]].general:
                self.member_left[k] = components.local[node_of(side, self.member[k])]
        for i in range(graph.n_left):
            graph.left_capacity[i] = 0
    spend(components.watch, <i64_t> self.member.size())
    while True:
        number = candidate(self, side, &top)
        if number < 0:
            break
        if number & 63 == 0:
            spend(components.watch, 1024)
        p = self.member_piece[number]
        if self.rank_left[p] == 0:
            continue
        g = gain_of(self.trial.data(), side, self.member[number])
        if g < top:
            offer(self, side, g, number)
            continue
        if rest.piece[p].general:
            if not add_member(self, number):
                continue
        self.rank_left[p] -= 1
        self.chosen[number] = 1
        settle(self.trial.data(), self.member[number])
        value += g
    self.bucket[0].clear()
    if self.general_member.size():
        forget(components, self.left_node, self.right_node)
    return value


cdef i64_t greatest(vector[i64_t]& amount, size_t rank) except -1 nogil:
    # The sum of the `rank` greatest amounts; their order changes.
    cdef i64_t total = 0
    cdef size_t k
    if rank < amount.size():
        nth_element(amount.rbegin(), amount.rbegin() + (amount.size() - rank), amount.rend())
    for k in range(min(rank, amount.size())):
        total += amount[k]
    return total


cdef i64_t greatest_gains(Clusters* self, const Reduction* rest, const Side* side) except -1 nogil:
    # The sum of the greatest gains of the cluster's pieces, as many as each has rank.
    cdef i32_t k, p
    cdef i64_t total = 0
    for p in self.cluster:
        self.amount.clear()
        for k in range(rest.piece[p].begin, rest.piece[p].end):
            self.amount.push_back(gain_of(rest.covered.data(), side, rest.member[k]))
        total += greatest(self.amount, rest.piece[p].rank)
    return total


# ---- prices ----

cdef int list_reach(Clusters* self, const Reduction* rest, const Side* side) except -1 nogil:
    # Numbers the n-grams that the cluster could cover, and lists what covers what, both ways.
    cdef i32_t k, position, bits, free, cell, n = <i32_t> self.member.size(), c
    cdef size_t i
    self.n_cells = 0
    self.cell_number.assign(rest.covered.size() << 3, -1)
    self.reach_first.clear()
    self.reach.clear()
    self.weight.clear()
    for k in range(n):
        self.reach_first.push_back(<i32_t> self.reach.size())
        position = self.member[k] >> 3
        bits = (2 << (self.member[k] & 7)) - 1
        while bits:
            free = bits & ~rest.covered[position]
            while free:
                cell = position << 3 | lowest_bit(free)
                free &= free - 1
                if self.cell_number[cell] < 0:
                    self.cell_number[cell] = self.n_cells
                    self.n_cells += 1
                    self.weight.push_back(1 if side.weight == NULL else side.weight[cell])
                self.reach.push_back(self.cell_number[cell])
            position += 1
            bits >>= 1
    self.reach_first.push_back(<i32_t> self.reach.size())
    self.coverer_first.assign(self.n_cells + 2, 0)
    self.coverer.resize(self.reach.size())
    for i in range(self.reach.size()):
        self.coverer_first[self.reach[i] + 2] += 1
    for c in range(self.n_cells):
        self.coverer_first[c + 2] += self.coverer_first[c + 1]
    for k in range(n):
        for c in range(self.reach_first[k], self.reach_first[k + 1]):
            cell = self.reach[c]
            self.coverer[self.coverer_first[cell + 1]] = k
            self.coverer_first[cell + 1] += 1
    return 0


cdef inline i32_t times_chosen(const Clusters* self, i32_t c) noexcept nogil:
    # How often the greedy choice covers the n-gram.
    cdef i32_t k, times = 0
    for k in range(self.coverer_first[c], self.coverer_first[c + 1]):
        times += self.chosen[self.coverer[k]]
    return times


cdef void place_price(Clusters* self, i32_t c, i64_t price) noexcept nogil:
    cdef i32_t k
    for k in range(self.coverer_first[c], self.coverer_first[c + 1]):
        self.worth[self.coverer[k]] += price - self.price[c]
    self.price[c] = price


cdef int match_dearest(Clusters* self) except -1 nogil:
    # Of general pieces, the members worth most that can be matched together become `matched`: they
    # form a matroid, so taking one after the other is best. Of equal ones, chosen ones come first.
    cdef i32_t k, n = <i32_t> self.member.size()
    cdef size_t i
    self.heap.clear()
    self.matched.assign(n, 0)
    for k in range(n):
        if self.member_left[k] >= 0 and self.worth[k] > 0:
            self.heap.push_back(pair[i64_t, i32_t](2 * self.worth[k] + self.chosen[k], k))
    sort(self.heap.rbegin(), self.heap.rend())
    empty(&self.graph)
    for i in range(self.heap.size()):
        k = self.heap[i].second
        self.matched[k] = add_member(self, k)
    return 0


cdef i64_t excess(Clusters* self, const Reduction* rest, i32_t* worst,
                  i64_t* surplus) except -1 nogil:
    # By how much the bound is above the greedy choice: in each piece, the greatest worths less the
    # chosen ones'. `worst` is an unchosen member of the first piece that contributes, or -1, and
    # `surplus` says how much more it is worth than the chosen member that is worth least.
    cdef i32_t begin = 0, end, n = <i32_t> self.member.size(), rank, best, n_chosen
    cdef i64_t total = 0, part, least
    cdef bint general
    worst[0] = -1
    if self.exact:
        match_dearest(self)
    while begin < n:
        end = begin
        self.amount.clear()
        part = 0
        best = -1
        least = 0
        n_chosen = 0
        general = self.exact and self.member_left[begin] >= 0
        while end < n and self.member_piece[end] == self.member_piece[begin]:
            if not general or self.matched[end]:
                self.amount.push_back(self.worth[end])
            if self.chosen[end]:
                part -= self.worth[end]
                if not general or not self.matched[end]:
                    least = min(least, self.worth[end]) if n_chosen else self.worth[end]
                    n_chosen += 1
            elif (not general or self.matched[end]) and (
                    best < 0 or self.worth[end] > self.worth[best]):
                best = end
            end += 1
        rank = rest.piece[self.member_piece[begin]].rank
        if n_chosen < rank and not general:
            least = 0
        part += greatest(self.amount, rank)
        if part > 0 and worst[0] < 0:
            worst[0] = best
            surplus[0] = self.worth[best] - least
        total += part
        begin = end
    return total


cdef bint fit_weighted_prices(Clusters* self, const Reduction* rest, Watch* watch) except -1 nogil:
    cdef i32_t c, i, times, worst = -1, best_cell, _worst
    cdef i64_t above, now, best_above, surplus = 0, _surplus, price
    self.price.assign(self.n_cells, 0)
    self.worth.assign(self.member.size(), 0)
    for c in range(self.n_cells):
        times = times_chosen(self, c)
        if times < 2:
            place_price(self, c, self.weight[c])
        self.tried[c] = 0 if times == 1 else MOST_TRIES
    above = excess(self, rest, &worst, &surplus)
    while above > 0:
        if worst < 0:
            return False
        spend(watch, 4 * <i64_t> self.member.size())
        best_cell = -1
        best_above = 0x7FFFFFFFFFFFFFFF
        for i in range(self.reach_first[worst], self.reach_first[worst + 1]):
            c = self.reach[i]
            price = self.price[c]
            if self.tried[c] == MOST_TRIES or price == 0:
                continue
            place_price(self, c, max(<i64_t> 0, price - surplus))
            now = excess(self, rest, &_worst, &_surplus)
            place_price(self, c, price)
            if now < best_above:
                best_above = now
                best_cell = c
        if best_cell < 0:
            return False
        self.tried[best_cell] += 1
        place_price(self, best_cell, max(<i64_t> 0, self.price[best_cell] - surplus))
        above = excess(self, rest, &worst, &surplus)
    return True


cdef i32_t shift_price(Clusters* self, i32_t c, bint up) noexcept nogil:
    # Raises the price of an n-gram from 0 to 1, or lowers it from 1 to 0; says by how much the
    # distance between bound and choice grows. The r greatest worths of a piece sum to
    # Σ_t min(r, members worth t or more), and each coverer changes one of these numbers by 1.
    cdef i32_t k, m, t, sign = 1 if up else -1, change, total = 0
    cdef Gap* gap
    for k in range(self.coverer_first[c], self.coverer_first[c + 1]):
        m = self.coverer[k]
        gap = &self.gap[self.member_gap[m]]
        t = <i32_t> self.worth[m] + up
        self.worth[m] += sign
        gap.at_least[t] += sign
        change = sign * ((gap.at_least[t] + (not up) <= gap.rank) - self.chosen[m])
        gap.above += change
        total += change
    return total


cdef int list_gaps(Clusters* self, const Reduction* rest) except -1 nogil:
    # One for each piece, with all prices 0.
    cdef i32_t k, t, n = <i32_t> self.member.size()
    cdef Gap gap
    self.gap.clear()
    self.member_gap.resize(n)
    for k in range(n):
        if k == 0 or self.member_piece[k] != self.member_piece[k - 1]:
            gap.begin = k
            gap.rank = rest.piece[self.member_piece[k]].rank
            gap.above = 0
            for t in range(MOST_GAIN + 1):
                gap.at_least[t] = 0
            self.gap.push_back(gap)
        self.member_gap[k] = <i32_t> self.gap.size() - 1
        self.gap.back().end = k + 1
    return 0


cdef i32_t worst_member(const Clusters* self) noexcept nogil:
    # The unchosen member that is worth most in the first piece with a gap, or -1.
    cdef i32_t k, best = -1
    cdef size_t g = 0
    while self.gap[g].above == 0:
        g += 1
    for k in range(self.gap[g].begin, self.gap[g].end):
        if not self.chosen[k] and (best < 0 or self.worth[k] > self.worth[best]):
            best = k
    return best


cdef bint fit_unit_prices(Clusters* self, const Reduction* rest, Watch* watch) except -1 nogil:
    cdef i32_t c, i, times, above = 0, worst, now, best_above, best_cell
    list_gaps(self, rest)
    self.worth.assign(self.member.size(), 0)
    for c in range(self.n_cells):
        times = times_chosen(self, c)
        if times < 2:
            above += shift_price(self, c, True)
        self.tried[c] = times != 1
    while above > 0:
        worst = worst_member(self)
        if worst < 0:
            return False
        spend(watch, 4 * <i64_t> self.member.size())
        best_cell = -1
        best_above = 0x7FFFFFFF
        for i in range(self.reach_first[worst], self.reach_first[worst + 1]):
            c = self.reach[i]
            if self.tried[c]:
                continue
            now = above + shift_price(self, c, False)
            shift_price(self, c, True)
            if now < best_above:
                best_above = now
                best_cell = c
        if best_cell < 0:
            return False
        self.tried[best_cell] = 1
        above += shift_price(self, best_cell, False)
    return True


cdef bint fit_prices(Clusters* self, const Reduction* rest, const Side* side,
                     Watch* watch) except -1 nogil:
    # Whether some whole prices make the bound meet the greedy choice. A price other than the first
    # on what is not covered once would open a gap between choice and bound. Of the worst member,
    # the n-gram whose price, lowered by the surplus, gives the lowest bound is taken, even if the
    # bound is higher than before: the next ones may make up for it.
    cdef bint fits
    list_reach(self, rest, side)
    self.tried.resize(self.n_cells)
    self.exact = False
    fits = fit_unit_prices(self, rest, watch) if side.weight == NULL else (
        fit_weighted_prices(self, rest, watch))
    if fits or self.general_member.size() == 0:
        return fits
    self.exact = True
    return fit_weighted_prices(self, rest, watch)


# ---- the program ----

cdef int merge_twins(const Clusters* self, vector[i64_t]& twins) except -1 nogil:
    # twins[c] is the weight of all n-grams with the coverers of c, at the first of them; else 0.
    cdef i32_t size = 16, c, k, at
    cdef u64_t h
    cdef vector[i32_t] slot
    while size < 2 * self.n_cells:
        size *= 2
    slot.assign(size, -1)
    twins.assign(self.n_cells, 0)
    for c in range(self.n_cells):
        h = 0xCBF29CE484222325
        for k in range(self.coverer_first[c], self.coverer_first[c + 1]):
            h = (h ^ <u64_t> self.coverer[k]) * <u64_t> 0x9E3779B97F4A7C15
        at = <i32_t> ((h >> 33) & <u64_t> (size - 1))
        while slot[at] >= 0 and not same_coverers(self, slot[at], c):
            at = (at + 1) & (size - 1)
        if slot[at] < 0:
            slot[at] = c
        twins[slot[at]] += self.weight[c]
    return 0


cdef bint same_coverers(const Clusters* self, i32_t c, i32_t d) noexcept nogil:
    cdef i32_t n = self.coverer_first[c + 1] - self.coverer_first[c], k
    if self.coverer_first[d + 1] - self.coverer_first[d] != n:
        return False
    for k in range(n):
        if self.coverer[self.coverer_first[c] + k] != self.coverer[self.coverer_first[d] + k]:
            return False
    return True


cdef int check_size(const Arrays* arrays, size_t n_entries) except -1 nogil:
    # Before the entries are added.
    if n_entries > MOST_ENTRIES or arrays.index.size() + n_entries > MOST_OF_BATCH:
        with gil:
            raise OverflowError(f"the reduction leaves a program of {n_entries:,} entries, which"
                                f" may have {MOST_ENTRIES:,}; the sentences must be shorter")
    return 0


cdef int add_program(Clusters* self, Components* components, const Reduction* rest,
                     const Side* side, Arrays* arrays, i32_t owner) except -1 nogil:
    # Columns: w of each member; c of each n-gram in reach, one for all with the same coverers, and
    # none for one with a single coverer, whose gain is the coverer's own; flow of the links.
    cdef i32_t first = <i32_t> arrays.cost.size(), n = <i32_t> self.member.size(), column, c, k, p
    cdef i32_t begin = 0, i, y, _k
    cdef vector[i64_t] twins
    cdef Graph* graph = &self.graph
    check_size(arrays, self.reach.size())
    start_block(arrays, owner)
    for _k in range(n):
        add_column(arrays, 0.0, 1.0)
    merge_twins(self, twins)
    for c in range(self.n_cells):
        if twins[c] == 0:
            continue
        if self.coverer_first[c + 1] - self.coverer_first[c] == 1:
            arrays.cost[first + self.coverer[self.coverer_first[c]]] += twins[c]
            continue
        column = add_column(arrays, twins[c], 1.0)
        start_row(arrays, 0.0)
        for k in range(self.coverer_first[c], self.coverer_first[c + 1]):
            add_entry(arrays, first + self.coverer[k], -1.0)
        add_entry(arrays, column, 1.0)
    while begin < n:  # a plain piece: at most its rank
        p = self.member_piece[begin]
        if not rest.piece[p].general:
            start_row(arrays, rest.piece[p].rank)
        k = begin
        while k < n and self.member_piece[k] == p:
            if not rest.piece[p].general:
                add_entry(arrays, first + k, 1.0)
            k += 1
        begin = k
    if self.general_member.size() == 0:
        return 0
    # General pieces: out of each node as much flow as its members weigh, into each node of the
    # other side as much as it holds.
    build_graph(components, graph, side, self.general_member.data(),
                <i32_t> self.general_member.size(), self.left_node, self.right_node)
    check_size(arrays, self.reach.size() + 2 * graph.target.size())
    column = <i32_t> arrays.cost.size()
    for k in range(<i32_t> graph.target.size()):
        add_column(arrays, 0.0, graph.right_capacity[graph.target[k]])
    for i in range(graph.n_left):
        start_row(arrays, 0.0)
        spend(components.watch, n)
        for k in range(n):
            if (rest.piece[self.member_piece[k]].general
                    and components.local[node_of(side, self.member[k])] == i):
                add_entry(arrays, first + k, 1.0)
        for k in range(graph.first[i], graph.first[i + 1]):
            add_entry(arrays, column + k, -1.0)
    for y in range(graph.n_right):
        start_row(arrays, graph.right_capacity[y])
        for k in range(graph.right_first[y], graph.right_first[y + 1]):
            add_entry(arrays, column + graph.right_link[k], 1.0)
    forget(components, self.left_node, self.right_node)
    return 0


cdef int solve_clusters(Clusters* self, Components* components, Reduction* rest, const Side* side,
                        Arrays* arrays, i32_t owner) except -1 nogil:
    cdef size_t a
    cdef i32_t p, step
    cdef i64_t cells, best
    cdef bint overlap
    self.value = 0
    self.step = SETTLED
    self.alive.clear()
    for p in range(<i32_t> rest.piece.size()):
        if rest.piece[p].begin < rest.piece[p].end:
            self.alive.push_back(p)
    if self.alive.size() == 0:
        return 0
    join_pieces(self, rest, side)
    chain_pieces(self)
    spend(components.watch, <i64_t> self.alive.size())
    self.trial = rest.covered
    for a in range(self.alive.size()):
        if self.piece_parent[self.alive[a]] != self.alive[a]:
            continue
        self.cluster.clear()
        cells = 0
        overlap = False
        p = self.first_piece[self.alive[a]]
        while p >= 0:
            self.cluster.push_back(p)
            cells += self.cell_count[p]
            overlap |= self.overlaps[p]
            p = self.next_piece[p]
        best = greedy(self, components, rest, side)
        if not overlap:
            step = APART
        elif best == cells or best == greatest_gains(self, rest, side):
            step = BOUNDED
        elif self.member.size() <= MOST_PRICED and fit_prices(self, rest, side, components.watch):
            step = PRICED
        else:
            step = PROGRAM
            if self.member.size() > MOST_PRICED:
                list_reach(self, rest, side)
            add_program(self, components, rest, side, arrays, owner)
        if step >= PRICED:  # each looked at all positions of the side
            spend(components.watch, side.length)
        if step != PROGRAM:
            self.value += best
        self.step = max(self.step, step)
    return 0
