"""Clusters kernel: choosing among what is left, with proof (steps 3 to 5 of the cover).

3. Pieces that could cover the same n-gram form a cluster. In a cluster

       maximise  Σ_c min(1, Σ { w(s) : s contains c })     over w that the pieces allow.

4. The greedy choice, by most new n-grams, is a lower bound, and exact if no members overlap.
   For any prices 0 <= y(c) <= 1, because min(1, t) <= 1 - y + y·t,

       Σ_c (1 - y(c))  +  Σ_pieces (the greatest Σ_{c in s} y(c) of as many members as its rank)

   is an upper bound; by duality the best prices give the optimum, if all pieces are plain. Three
   kinds are tried: all 0 (the number of n-grams in reach), all 1 (the sum of the greatest gains),
   and prices fitted to the greedy choice: 1 on what it leaves uncovered, 0 on what it covers
   twice, and lowered elsewhere one after the other. All in whole numbers.

   With weights m(c) the same holds for m(c)·min(1, t) and prices 0 <= y(c) <= m(c). A price is then
   lowered by no more than what an unchosen member is worth too much.
5. Where no bound meets the greedy choice, the cluster is written out as a linear program.
"""
from libcpp.algorithm cimport nth_element, pop_heap, push_heap
from libcpp.utility cimport pair
from libcpp.vector cimport vector

from celab._native.components cimport Components, build_graph, forget, node_of
from celab._native.coverage cimport gain, settle, weighted_gain
from celab._native.leaves cimport Side
from celab._native.links cimport lowest_bit
from celab._native.matching cimport Graph, augment
from celab._native.program cimport Arrays, add_column, add_entry, start_block, start_row
from celab._native.reduction cimport Piece, Reduction
from celab._native.types cimport i8_t, i32_t, i64_t, u64_t
from celab._native.watch cimport Watch, spend

cdef enum:
    MOST_GAIN = 21  # n-grams in one of order 6
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


cdef inline i64_t gain_of(const i8_t* covered, const Side* side, i32_t member) noexcept nogil:
    if side.weight == NULL:
        return gain(covered, member)
    return weighted_gain(covered, side.weight, member)


cdef inline int offer(Clusters* self, const Side* side, i64_t gain, i32_t number) except -1 nogil:
    # Makes a member a candidate.
    if side.weight == NULL:
        self.bucket[gain].push_back(number)
    elif gain > 0:
        self.heap.push_back(pair[i64_t, i32_t](gain, number))
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
            i = components.local[node_of(side, self.member[number])]
            graph.left_capacity[i] += 1
            if augment(graph, i) == 0:
                graph.left_capacity[i] -= 1
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


cdef i64_t greatest_gains(Clusters* self, const Reduction* rest, const Side* side,
                          const Piece* piece) except -1 nogil:
    # The sum of the piece's greatest gains, as many as it has rank.
    cdef i32_t[MOST_GAIN + 1] count
    cdef i32_t k, g, left = piece.rank, total = 0
    if side.weight != NULL:
        self.amount.clear()
        for k in range(piece.begin, piece.end):
            self.amount.push_back(
                weighted_gain(rest.covered.data(), side.weight, rest.member[k]))
        return greatest(self.amount, piece.rank)
    for g in range(MOST_GAIN + 1):
        count[g] = 0
    for k in range(piece.begin, piece.end):
        count[gain(rest.covered.data(), rest.member[k])] += 1
    for g in range(MOST_GAIN, 0, -1):
        k = min(left, count[g])
        total += k * g
        left -= k
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


cdef void place_price(Clusters* self, i32_t c, i64_t price) noexcept nogil:
    cdef i32_t k
    for k in range(self.coverer_first[c], self.coverer_first[c + 1]):
        self.worth[self.coverer[k]] += price - self.price[c]
    self.price[c] = price


cdef i64_t excess(Clusters* self, const Reduction* rest, const Side* side, i32_t* worst,
                  i64_t* surplus) except -1 nogil:
    # By how much the bound is above the greedy choice: in each piece, the greatest worths less the
    # chosen ones'. `worst` is an unchosen member of the first piece that contributes, or -1, and
    # `surplus` says how much more it is worth than the chosen member that is worth least.
    cdef i32_t[MOST_GAIN + 1] count
    cdef i32_t begin = 0, end, n = <i32_t> self.member.size(), k, g, left, best, n_chosen
    cdef i64_t total = 0, part, least
    worst[0] = -1
    while begin < n:
        end = begin
        if side.weight == NULL:
            for g in range(MOST_GAIN + 1):
                count[g] = 0
        else:
            self.amount.clear()
        part = 0
        best = -1
        least = 0
        n_chosen = 0
        while end < n and self.member_piece[end] == self.member_piece[begin]:
            if side.weight == NULL:
                count[self.worth[end]] += 1
            else:
                self.amount.push_back(self.worth[end])
            if self.chosen[end]:
                part -= self.worth[end]
                least = min(least, self.worth[end]) if n_chosen else self.worth[end]
                n_chosen += 1
            elif best < 0 or self.worth[end] > self.worth[best]:
                best = end
            end += 1
        left = rest.piece[self.member_piece[begin]].rank
        if n_chosen < left:
            least = 0
        if side.weight != NULL:
            part += greatest(self.amount, left)
        else:
            for g in range(MOST_GAIN, 0, -1):
                k = min(left, count[g])
                part += k * g
                left -= k
        if part > 0 and worst[0] < 0:
            worst[0] = best
            surplus[0] = self.worth[best] - least
        total += part
        begin = end
    return total


cdef bint fit_prices(Clusters* self, const Reduction* rest, const Side* side,
                     Watch* watch) except -1 nogil:
    # Whether some whole prices make the bound meet the greedy choice.
    cdef i32_t k, c, i, times, worst = -1, best_cell, tries = 1 if side.weight == NULL else MOST_TRIES
    cdef i64_t above, now, best_above, surplus = 0, _surplus, price
    list_reach(self, rest, side)
    self.price.assign(self.n_cells, 0)
    self.worth.assign(self.member.size(), 0)
    self.tried.assign(self.n_cells, 0)
    for c in range(self.n_cells):
        times = 0
        for k in range(self.coverer_first[c], self.coverer_first[c + 1]):
            times += self.chosen[self.coverer[k]]
        if times < 2:
            place_price(self, c, self.weight[c])
        if times != 1:
            self.tried[c] = tries  # any other price would open a gap between choice and bound
    above = excess(self, rest, side, &worst, &surplus)
    while above > 0:
        if worst < 0:
            return False
        spend(watch, 4 * <i64_t> self.member.size())
        # The n-gram of the worst member whose price, lowered by the surplus, gives the lowest bound,
        # even if it is higher than before: the next ones may make up for it.
        best_cell = -1
        best_above = 0x7FFFFFFFFFFFFFFF
        for i in range(self.reach_first[worst], self.reach_first[worst + 1]):
            c = self.reach[i]
            price = self.price[c]
            if self.tried[c] == tries or price == 0:
                continue
            place_price(self, c, max(<i64_t> 0, price - surplus))
            now = excess(self, rest, side, &k, &_surplus)
            place_price(self, c, price)
            if now < best_above:
                best_above = now
                best_cell = c
        if best_cell < 0:
            return False
        self.tried[best_cell] += 1
        place_price(self, best_cell, max(<i64_t> 0, self.price[best_cell] - surplus))
        above = excess(self, rest, side, &worst, &surplus)
    return True


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
    cdef size_t a, b
    cdef i32_t p, step
    cdef i64_t cells, best, bound
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
    self.trial = rest.covered
    for a in range(self.alive.size()):
        if self.piece_parent[self.alive[a]] != self.alive[a]:
            continue
        self.cluster.clear()
        spend(components.watch, <i64_t> self.alive.size())
        cells = 0
        bound = 0
        overlap = False
        for b in range(self.alive.size()):
            p = self.alive[b]
            if leader(self.piece_parent, p) == self.alive[a]:
                self.cluster.push_back(p)
                cells += self.cell_count[p]
                overlap |= self.overlaps[p]
                bound += greatest_gains(self, rest, side, &rest.piece[p])
        best = greedy(self, components, rest, side)
        if not overlap:
            step = APART
        elif best == cells or best == bound:
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
