"""Components: the connected parts of the link graph, found by joining what is linked.

A component all of whose own nodes are linked with all of its nodes of the other side is complete:
any n-grams of the own side can be matched, as many as the other side has.
"""

# A node, and what is known of its component if it is the root. Of two numbers, the first is the own
# side's.
cdef struct Tally:
    i32_t half  # the search for components that met it
    i32_t parent
    i32_t edge  # the last of an own node's edges, each of which leads to the one before
    i32_t links
    i32_t[2] nodes
    i32_t[2] total  # n-grams that can still gain on the own side, all on the other
    i32_t piece  # number that the reduction gives the component


cdef struct Edge:
    i32_t other  # node of the other side
    i32_t before  # the own node's edge before, or -1


cdef cppclass Components:
    Watch* watch
    vector[Edge] edge
    vector[i32_t] node  # own nodes in the components found last
    vector[Tally] tally
    i32_t half
    vector[i32_t] local  # a node's number in the graph made last, or -1


cdef inline i32_t root_of(Tally* tally, i32_t x) noexcept nogil:
    while tally[x].parent != x:
        tally[x].parent = tally[tally[x].parent].parent
        x = tally[x].parent
    return x


cdef inline bint complete(const Tally* root) noexcept nogil:
    # Every own node of the component is linked with every node of the other side.
    return root.links == <i64_t> root.nodes[0] * root.nodes[1]


cdef enum:
    MAX_EDGES = 1 << 24  # graphs of more need too much memory


cdef inline void touch(Tally* tally, i32_t half, i32_t x, i32_t which, i32_t total) noexcept nogil:
    tally.half = half
    tally.parent = x
    tally.edge = -1
    tally.links = 0
    tally.nodes[which] = 1
    tally.nodes[1 - which] = 0
    tally.total[which] = total
    tally.total[1 - which] = 0
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


cdef int add_space(Components* self, size_t n, size_t more) except -1 nogil:
    # Makes space for more edges than the first n.
    charge(self.watch, n)
    if n > MAX_EDGES:
        with gil:
            raise OverflowError(f"more than {MAX_EDGES:,} links are left after the first"
                                " reduction; the sentences must be shorter")
    self.edge.resize(2 * n + more)
    return 0


cdef inline void add_edge(Edge* edge, Tally* tally, i32_t x, i32_t y, size_t n) noexcept nogil:
    # Edge n, between nodes that have been touched.
    edge[n].other = y
    edge[n].before = tally[x].edge
    tally[x].edge = <i32_t> n
    join(tally, x, y)


cdef int join_kinds(Components* self, const Side* side, const Leaves* leaves) except -1 nogil:
    cdef i32_t x, y, k
    cdef size_t n = 0, n_links
    cdef Tally* tally = self.tally.data()
    cdef Edge* edge
    for x in range(1, side.kinds.n_kinds):
        if leaves.open[x] == 0:
            continue
        touch(&tally[x], self.half, x, 0, leaves.open[x])
        self.node.push_back(x)
        n_links = side.kinds.link_first[x + 1] - side.kinds.link_first[x]
        if self.edge.size() < n + n_links:
            add_space(self, n, n_links)
        edge = self.edge.data()
        for k in range(side.kinds.link_first[x], side.kinds.link_first[x + 1]):
            y = side.other_base + side.kinds.link[k]
            if tally[y].half != self.half:
                touch(&tally[y], self.half, y, 1, capacity(side, y))
            add_edge(edge, tally, x, y, n)
            n += 1
    return 0


cdef int find_components(Components* self, const Side* side, const Leaves* leaves) except -1 nogil:
    # The components of the live links of one side. `node` lists the nodes of this side.
    cdef size_t s, n = 0
    cdef i32_t x, y, cell, half, n_nodes = (side.length + side.other_length) << 3
    cdef u64_t mask
    cdef const Live* live = leaves.live.data()
    cdef Edge* edge
    cdef Tally* tally
    if side.kinds != NULL:
        n_nodes = side.kinds.n_kinds + side.other_kinds.n_kinds
    if self.half == 0x7FFFFFFF:
        self.tally.clear()
        self.half = 0
    if <i32_t> self.tally.size() < n_nodes:
        self.tally.resize(n_nodes)
        self.local.resize(n_nodes, -1)
    tally = self.tally.data()
    self.half += 1
    half = self.half
    self.node.clear()
    if side.kinds != NULL:
        return join_kinds(self, side, leaves)
    for s in range(leaves.n_live):
        if self.edge.size() < n + 64:  # a mask has no more bits
            add_space(self, n, 64)
        edge = self.edge.data()
        mask = live[s].mask
        while mask:
            cell = lowest_bit(mask)
            mask &= mask - 1
            x = live[s].own << 3 | cell >> 3
            y = side.other_base + (live[s].other << 3 | (cell & 7))
            if tally[x].half != half:
                touch(&tally[x], half, x, 0, 1)
                self.node.push_back(x)
            if tally[y].half != half:
                touch(&tally[y], half, y, 1, 1)
            add_edge(edge, tally, x, y, n)
            n += 1
    return 0


cdef int build_graph(Components* self, Graph* graph, const Side* side, const i32_t* member,
                     i32_t n, vector[i32_t]& left_node, vector[i32_t]& right_node) except -1 nogil:
    # The links of these members' nodes, as a graph whose left nodes hold as many as there are
    # members; until `forget`, `local` gives the left node of a member's node.
    cdef i32_t k, e, x, y
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
            y = self.edge[e].other
            e = self.edge[e].before
            if self.local[y] < 0:
                self.local[y] = <i32_t> right_node.size()
                right_node.push_back(y)
                graph.right_capacity.push_back(capacity(side, y))
            graph.target.push_back(self.local[y])
        graph.first.push_back(<i32_t> graph.target.size())
    graph.n_left = <i32_t> left_node.size()
    graph.n_right = <i32_t> right_node.size()
    graph.watch = self.watch
    prepare(graph)
    return 0


cdef void forget(Components* self, const vector[i32_t]& left_node,
                 const vector[i32_t]& right_node) noexcept nogil:
    cdef size_t k
    for k in range(left_node.size()):
        self.local[left_node[k]] = -1
    for k in range(right_node.size()):
        self.local[right_node[k]] = -1
