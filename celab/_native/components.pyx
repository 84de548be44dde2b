"""Components kernel: the connected parts of the link graph, found by joining what is linked.

Half of all components are a single link between two n-grams that have no other: those are told
apart first, by counting. Of the others, each side needs only the links of n-grams that can still
gain something. A component all of whose reference nodes are linked with all of its hypothesis
nodes is complete: any n-grams of one side can be matched, as many as the other side has.
"""
from libcpp.vector cimport vector

from celab._native.links cimport Links, Start, lowest_bit
from celab._native.matching cimport Graph, prepare
from celab._native.types cimport i32_t, u64_t


# The bits of a mask that link n-grams of the same order.
cdef u64_t EQUAL_ORDERS = 0x201008040201


cdef inline void touch(Tally* tally, i32_t half, i32_t x, i32_t side, i32_t total) noexcept nogil:
    tally.half = half
    tally.parent = x
    tally.edge = -1
    tally.links = 0
    tally.nodes[side] = 1
    tally.nodes[1 - side] = 0
    tally.total[side] = total
    tally.total[1 - side] = 0
    tally.piece = -1


cdef inline void join(Tally* tally, i32_t x, i32_t y) noexcept nogil:
    cdef Tally* into
    cdef Tally* other
    x = root_of(tally, x)
    y = root_of(tally, y)
    into = &tally[x]
    if x != y:
        other = &tally[y]
        other.parent = x
        into.links += other.links
        into.nodes[0] += other.nodes[0]
        into.nodes[1] += other.nodes[1]
        into.total[0] += other.total[0]
        into.total[1] += other.total[1]
    into.links += 1


cdef inline bint alone(const Links* links, const Start* start) noexcept nogil:
    # Whether no other start is at either place, and each place is one position.
    return (links.row_stop[start.ref] - links.row_start[start.ref] == 1
            and links.hyp_starts[start.hyp] == 1
            and links.ref_multiplicity[start.ref] == 1
            and links.hyp_multiplicity[start.hyp] == 1)


cdef int list_edges(Components* self, const Links* links, i32_t n_ref, i32_t n_hyp) except -1 nogil:
    cdef i32_t x, y, cell, n_nodes = (n_ref + n_hyp) << 3
    cdef size_t s, e, n = 0
    cdef u64_t mask
    cdef i32_t* degree
    cdef Edge* edge
    self.base[0] = 0
    self.base[1] = n_ref << 3
    if <i32_t> self.tally.size() < n_nodes:
        self.tally.resize(n_nodes)
        self.local.resize(n_nodes, -1)
        self.degree.resize(n_nodes, 0)
    degree = self.degree.data()
    self.ref_sole.clear()
    self.hyp_sole.clear()
    for s in range(links.start.size()):
        mask = links.start[s].mask
        if mask == 0:
            continue
        if mask & ~EQUAL_ORDERS == 0 and alone(links, &links.start[s]):
            # Equal n-grams that occur nowhere else: the longest covers the others.
            x = 0
            while mask >> (9 * x) > 1:
                x += 1
            self.ref_sole.push_back(links.start[s].ref << 3 | x)
            self.hyp_sole.push_back(self.base[1] + (links.start[s].hyp << 3 | x))
            continue
        if self.edge.size() < n + 64:  # a mask has no more bits
            self.edge.resize(2 * n + 64)
        edge = self.edge.data()
        while mask:
            cell = lowest_bit(mask)
            mask &= mask - 1
            x = links.start[s].ref << 3 | cell >> 3
            y = self.base[1] + (links.start[s].hyp << 3 | (cell & 7))
            degree[x] += 1
            degree[y] += 1
            edge[n].node[0] = x
            edge[n].node[1] = y
            n += 1
    edge = self.edge.data()
    self.n_edges = 0
    for e in range(n):
        x = edge[e].node[0]
        y = edge[e].node[1]
        if (degree[x] == 1 and degree[y] == 1 and links.ref_multiplicity[x >> 3] == 1
                and links.hyp_multiplicity[(y - self.base[1]) >> 3] == 1):
            self.ref_sole.push_back(x)
            self.hyp_sole.push_back(y)
            degree[x] = 0
            degree[y] = 0
        else:
            edge[self.n_edges] = edge[e]
            self.n_edges += 1
    for e in range(self.n_edges):
        degree[edge[e].node[0]] = 0
        degree[edge[e].node[1]] = 0
    return 0


cdef inline i32_t uncovered(const Side* side, const i32_t* covered, i32_t x) noexcept nogil:
    # How many of the n-grams that share the node can gain: those that are not covered themselves.
    cdef i32_t position = (x - side.base) >> 3, total = 0
    while position >= 0:
        total += not covered[position] >> (x & 7) & 1
        position = side.following[position]
    return total


cdef int find_components(Components* self, const Side* side, const i32_t* covered) except -1 nogil:
    cdef size_t e
    cdef i32_t x, y, total, own = side.side
    cdef Edge* edge
    cdef Tally* tally = self.tally.data()
    if self.half == 0x7FFFFFFF:
        self.half = 0
        for e in range(self.tally.size()):
            tally[e].half = 0
    self.half += 1
    self.node.clear()
    for e in range(self.n_edges):
        edge = &self.edge[e]
        x = edge.node[own]
        if tally[x].half != self.half:
            if tally[x].half == -self.half:  # covered, as was seen at another edge
                continue
            total = uncovered(side, covered, x)
            if total == 0:
                tally[x].half = -self.half
                continue
            touch(&tally[x], self.half, x, own, total)
            self.node.push_back(x)
        y = edge.node[1 - own]
        if tally[y].half != self.half:
            touch(&tally[y], self.half, y, 1 - own,
                  side.other_multiplicity[(y - side.other_base) >> 3])
        edge.before[own] = tally[x].edge
        edge.before[1 - own] = tally[y].edge
        tally[x].edge = <i32_t> e
        tally[y].edge = <i32_t> e
        join(tally, x, y)
    return 0


cdef Side side_of(const Components* self, const Links* links, i32_t n_ref, i32_t n_hyp,
                  i32_t which) noexcept nogil:
    cdef Side side
    side.side = which
    side.base = self.base[which]
    side.other_base = self.base[1 - which]
    if which == 0:
        side.length = n_ref
        side.place = links.ref_place.data()
        side.following = links.ref_next.data()
        side.other_multiplicity = links.hyp_multiplicity.data()
    else:
        side.length = n_hyp
        side.place = links.hyp_place.data()
        side.following = links.hyp_next.data()
        side.other_multiplicity = links.ref_multiplicity.data()
    return side


cdef int build_graph(Components* self, Graph* graph, const Side* side, const i32_t* member,
                     i32_t n, vector[i32_t]& left_node, vector[i32_t]& right_node) except -1 nogil:
    cdef i32_t k, e, x, y, own = side.side
    left_node.clear()
    right_node.clear()
    graph.first.clear()
    graph.target.clear()
    graph.left_capacity.clear()
    graph.right_capacity.clear()
    for k in range(n):
        x = node_of(side, member[k])
        if self.local[x] < 0:
            self.local[x] = <i32_t> left_node.size()
            left_node.push_back(x)
            graph.left_capacity.push_back(0)
        graph.left_capacity[self.local[x]] += 1
    graph.first.push_back(0)
    for k in range(<i32_t> left_node.size()):
        x = left_node[k]
        e = self.tally[x].edge
        while e >= 0:
            y = self.edge[e].node[1 - own]
            e = self.edge[e].before[own]
            if self.local[y] < 0:
                self.local[y] = <i32_t> right_node.size()
                right_node.push_back(y)
                graph.right_capacity.push_back(
                    side.other_multiplicity[(y - side.other_base) >> 3])
            graph.target.push_back(self.local[y])
        graph.first.push_back(<i32_t> graph.target.size())
    graph.n_left = <i32_t> left_node.size()
    graph.n_right = <i32_t> right_node.size()
    prepare(graph)
    return 0


cdef void forget(Components* self, const vector[i32_t]& left_node,
                 const vector[i32_t]& right_node) noexcept nogil:
    cdef size_t k
    for k in range(left_node.size()):
        self.local[left_node[k]] = -1
    for k in range(right_node.size()):
        self.local[right_node[k]] = -1
