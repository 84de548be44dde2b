"""Clusters: choosing among what is left, with proof (steps 4 to 6 of the cover).

4. Pieces that can cover the same n-gram form a cluster. In a cluster

       maximize  Σ_c min(1, Σ { w(s) : s contains c })     over w that the pieces allow.

5. The greedy choice, by most new n-grams, is a lower bound, and exact if no members overlap.
   Otherwise `prices` looks for an upper bound that meets it.
6. If no bound meets the greedy choice, the cluster becomes a linear program.
"""

# How one side of a pair was proved.
cdef enum:
    SETTLED = 0  # every choice was forced
    DISJOINT = 1  # no two members overlap: the greedy choice is optimal
    BOUNDED = 2  # the greedy choice meets an upper bound with prices 0 or 1, by order at most
    PRICED = 3  # the greedy choice meets a bound with fitted prices
    PROGRAM = 4  # left to the solver


cdef cppclass Clusters:
    i64_t value  # results: what the proved clusters cover, and the last step that was needed
    i8_t step

    vector[i32_t] alive  # pieces with a choice left
    vector[i32_t] piece_parent
    vector[i32_t] cell_piece  # the first piece that can cover the n-gram
    vector[i64_t] cell_count  # the n-grams that a piece is the first for, or their weight
    vector[i32_t] overlaps
    vector[i32_t] first_piece  # first piece of the cluster with this leader
    vector[i32_t] next_piece  # next piece of the same cluster, or -1

    Cluster cluster  # the one being solved
    Prices prices
    vector[i8_t] trial  # n-grams that the greedy choice covers
    vector[i32_t] rank_left
    vector[vector[i32_t]] bucket  # candidates by gain, if all n-grams weigh 1
    vector[pair[i64_t, i32_t]] heap  # gains and candidates, with weights
    vector[i32_t] left_node
    vector[i32_t] right_node


cdef enum:
    MAX_PRICED_MEMBERS = 400  # members; the solver is faster than `prices` on larger clusters
    # Entries of a cluster's program, which would need too much memory otherwise, and of all
    # programs of a batch, whose indices have 32 bits.
    MAX_ENTRIES = 1 << 24
    MAX_BATCH_ENTRIES = 1 << 30


cdef inline i32_t leader(vector[i32_t]& parent, i32_t p) noexcept nogil:
    while parent[p] != p:
        parent[p] = parent[parent[p]]
        p = parent[p]
    return p


cdef int join_pieces(Clusters* self, const Reduction* rest, const Side* side) except -1 nogil:
    # Gives pieces that can cover the same n-gram the same leader.
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
    # Chains the pieces of each cluster, in order, starting from its leader's `first_piece`.
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


cdef inline int offer(Clusters* self, const Side* side, i64_t g, i32_t number) except -1 nogil:
    # Makes a member a candidate.
    if side.weight == NULL:
        self.bucket[g].push_back(number)
    elif g > 0:
        self.heap.push_back(pair[i64_t, i32_t](g, number))
        push_heap(self.heap.begin(), self.heap.end())
    return 0


cdef inline i32_t candidate(Clusters* self, const Side* side, i64_t* top) except -2 nogil:
    # Removes the candidate with the greatest gain, at most top[0], which becomes that gain. Returns
    # -1 if there is none.
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
    # Chooses members by the greatest gain, and returns what they cover. Gains only shrink, so a
    # member whose gain has shrunk becomes a candidate again. One that cannot be added now never
    # can be.
    cdef i32_t p, k, i, number
    cdef i64_t top = 0, value = 0, g
    cdef size_t a
    cdef Cluster* cluster = &self.cluster
    cdef Graph* graph = &cluster.graph
    cluster.member.clear()
    cluster.member_piece.clear()
    cluster.general_member.clear()
    self.bucket.resize(MAX_GAIN + 1)
    self.heap.clear()
    self.rank_left.resize(rest.piece.size())
    for a in range(cluster.piece.size()):
        p = cluster.piece[a]
        self.rank_left[p] = rest.piece[p].rank
        for k in range(rest.piece[p].begin, rest.piece[p].end):
            g = gain_of(self.trial.data(), side.weight, rest.member[k])
            top = max(top, g)
            offer(self, side, g, <i32_t> cluster.member.size())
            cluster.member.push_back(rest.member[k])
            cluster.member_piece.push_back(p)
            if rest.piece[p].general:
                cluster.general_member.push_back(rest.member[k])
    cluster.chosen.assign(cluster.member.size(), 0)
    if cluster.general_member.size():
        build_graph(components, graph, side, cluster.general_member.data(),
                    <i32_t> cluster.general_member.size(), self.left_node, self.right_node)
        cluster.member_left.assign(cluster.member.size(), -1)
        for k in range(<i32_t> cluster.member.size()):
            if rest.piece[cluster.member_piece[k]].general:
                cluster.member_left[k] = components.local[node_of(side, cluster.member[k])]
        for i in range(graph.n_left):
            graph.left_capacity[i] = 0
    charge(components.watch, <i64_t> cluster.member.size())
    while True:
        number = candidate(self, side, &top)
        if number < 0:
            break
        if number & 63 == 0:
            charge(components.watch, 1024)
        p = cluster.member_piece[number]
        if self.rank_left[p] == 0:
            continue
        g = gain_of(self.trial.data(), side.weight, cluster.member[number])
        if g < top:
            offer(self, side, g, number)
            continue
        if rest.piece[p].general:
            if not add_member(cluster, number):
                continue
        self.rank_left[p] -= 1
        cluster.chosen[number] = 1
        settle(self.trial.data(), cluster.member[number])
        value += g
    self.bucket[0].clear()
    if cluster.general_member.size():
        forget(components, self.left_node, self.right_node)
    return value


cdef int merge_twins(const Cluster* cluster, vector[i64_t]& twins) except -1 nogil:
    # Sets twins[c] to the weight of all cells with the coverers of c if c is the first of them,
    # otherwise to 0.
    cdef i32_t size = 16, c, k, at
    cdef u64_t h
    cdef vector[i32_t] slot
    while size < 2 * cluster.n_cells:
        size *= 2
    slot.assign(size, -1)
    twins.assign(cluster.n_cells, 0)
    for c in range(cluster.n_cells):
        h = 0xCBF29CE484222325
        for k in range(cluster.coverer_first[c], cluster.coverer_first[c + 1]):
            h = (h ^ <u64_t> cluster.coverer[k]) * <u64_t> 0x9E3779B97F4A7C15
        at = <i32_t> ((h >> 33) & <u64_t> (size - 1))
        while slot[at] >= 0 and not same_coverers(cluster, slot[at], c):
            at = (at + 1) & (size - 1)
        if slot[at] < 0:
            slot[at] = c
        twins[slot[at]] += cluster.weight[c]
    return 0


cdef bint same_coverers(const Cluster* cluster, i32_t c, i32_t d) noexcept nogil:
    cdef const i32_t* coverer = cluster.coverer.data()
    cdef const i32_t* first = cluster.coverer_first.data()
    cdef i32_t n = first[c + 1] - first[c], k
    if first[d + 1] - first[d] != n:
        return False
    for k in range(n):
        if coverer[first[c] + k] != coverer[first[d] + k]:
            return False
    return True


cdef int check_size(const Arrays* arrays, size_t n_entries) except -1 nogil:
    # Raises OverflowError if a program would have too many entries. Called before they are added.
    if n_entries > MAX_ENTRIES or arrays.index.size() + n_entries > MAX_BATCH_ENTRIES:
        with gil:
            raise OverflowError(f"the reduction leaves a program of {n_entries:,} entries, which"
                                f" may have {MAX_ENTRIES:,}; the sentences must be shorter")
    return 0


cdef int add_program(Clusters* self, Components* components, const Reduction* rest,
                     const Side* side, Arrays* arrays, i32_t owner) except -1 nogil:
    # Columns: w of each member; c of each cell, one for all cells with the same coverers, and none
    # for cells with a single coverer, which are part of that member's cost; the flow of each link.
    cdef Cluster* cluster = &self.cluster
    cdef i32_t first = <i32_t> arrays.cost.size(), n = <i32_t> cluster.member.size(), column, c, k
    cdef i32_t begin = 0, p, i, y, _k
    cdef vector[i64_t] twins
    cdef Graph* graph = &cluster.graph
    check_size(arrays, cluster.reach.size())
    start_block(arrays, owner)
    for _k in range(n):
        add_column(arrays, 0.0, 1.0)
    merge_twins(cluster, twins)
    for c in range(cluster.n_cells):
        if twins[c] == 0:
            continue
        if cluster.coverer_first[c + 1] - cluster.coverer_first[c] == 1:
            arrays.cost[first + cluster.coverer[cluster.coverer_first[c]]] += twins[c]
            continue
        column = add_column(arrays, twins[c], 1.0)
        start_row(arrays, 0.0)
        for k in range(cluster.coverer_first[c], cluster.coverer_first[c + 1]):
            add_entry(arrays, first + cluster.coverer[k], -1.0)
        add_entry(arrays, column, 1.0)
    while begin < n:  # a plain piece: at most its rank
        p = cluster.member_piece[begin]
        if not rest.piece[p].general:
            start_row(arrays, rest.piece[p].rank)
        k = begin
        while k < n and cluster.member_piece[k] == p:
            if not rest.piece[p].general:
                add_entry(arrays, first + k, 1.0)
            k += 1
        begin = k
    if cluster.general_member.size() == 0:
        return 0
    # General pieces: each node sends as much flow as its members weigh, and each node of the other
    # side takes no more than its capacity.
    build_graph(components, graph, side, cluster.general_member.data(),
                <i32_t> cluster.general_member.size(), self.left_node, self.right_node)
    check_size(arrays, cluster.reach.size() + 2 * graph.target.size())
    column = <i32_t> arrays.cost.size()
    for k in range(<i32_t> graph.target.size()):
        add_column(arrays, 0.0, graph.right_capacity[graph.target[k]])
    for i in range(graph.n_left):
        start_row(arrays, 0.0)
        charge(components.watch, n)
        for k in range(n):
            if (rest.piece[cluster.member_piece[k]].general
                    and components.local[node_of(side, cluster.member[k])] == i):
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
    # Solves what the reduction leaves. Adds clusters that are not proved to `arrays`, as blocks of
    # this owner.
    cdef size_t a
    cdef i32_t p, step
    cdef i64_t cells, best
    cdef bint overlap
    cdef Cluster* cluster = &self.cluster
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
    charge(components.watch, <i64_t> self.alive.size())
    self.trial = rest.covered
    for a in range(self.alive.size()):
        if self.piece_parent[self.alive[a]] != self.alive[a]:
            continue
        cluster.piece.clear()
        cells = 0
        overlap = False
        p = self.first_piece[self.alive[a]]
        while p >= 0:
            cluster.piece.push_back(p)
            cells += self.cell_count[p]
            overlap |= self.overlaps[p]
            p = self.next_piece[p]
        best = greedy(self, components, rest, side)
        if not overlap:
            step = DISJOINT
        elif best == cells or best == greatest_gains(&self.prices, cluster, rest, side):
            step = BOUNDED
        elif cluster.member.size() <= MAX_PRICED_MEMBERS and fit_prices(
                &self.prices, cluster, rest, side, components.watch):
            step = PRICED
        else:
            step = PROGRAM
            if cluster.member.size() > MAX_PRICED_MEMBERS:
                list_reach(cluster, rest, side)
                charge(components.watch, 64 * <i64_t> cluster.member.size())
                if best == bound_by_order(&self.prices, cluster, rest, side):
                    step = BOUNDED
            if step == PROGRAM:
                add_program(self, components, rest, side, arrays, owner)
        if step >= PRICED:
            charge(components.watch, <i64_t> cluster.reach.size())
        if step != PROGRAM:
            self.value += best
        self.step = max(self.step, step)
    return 0
