"""Reduction: the choices that are forced (steps 1 to 3 of the cover).

1. The longest n-grams are settled by `outermost`, as far as nothing competes with them.
2. What a single link forces is settled by `leaves`.
3. Of what is left, the n-grams that every maximum matching uses get weight 1: they are settled too.
   In a complete component these are all, if the other side has as many, or none. All n-grams inside
   a settled one are covered. One that could cover nothing new is dropped, and
   what is left of its component is looked at again, until nothing changes.

With weights, an n-gram that weighs 0 counts as covered from the start. All n-grams inside it weigh
0 too, so it could cover nothing.
"""

# Members from which at most `rank` can be chosen; `general` if not every such choice is allowed
# and the links decide. Finished if begin == end.
cdef struct Piece:
    i32_t begin
    i32_t end
    i32_t rank
    bint general


cdef cppclass Reduction:
    vector[i8_t] covered
    vector[i32_t] member  # n-grams of the pieces: position << 3 | (order - 1)
    vector[Piece] piece

    Outermost outermost
    Leaves leaves
    Graph graph
    vector[i32_t] left_node
    vector[i32_t] right_node
    vector[i32_t] label
    vector[i32_t] label_lefts
    vector[i32_t] label_rights
    vector[i32_t] label_links
    vector[i32_t] label_rank
    vector[i32_t] label_members


cdef int list_pieces(Reduction* self, Components* components, const Side* side) except -1 nogil:
    # Settles the complete components that are saturated; every other one becomes a piece, general
    # if it is not complete.
    cdef size_t k
    cdef i32_t x, member, at = 0
    cdef bint saturated
    cdef Tally* root
    cdef Piece piece
    if side.kinds == NULL and self.leaves.n_live == 0:
        return 0
    find_components(components, side, &self.leaves)
    charge(components.watch, <i64_t> components.node.size())
    for k in range(components.node.size()):
        x = components.node[k]
        root = &components.tally[root_of(components.tally.data(), x)]
        saturated = complete(root) and root.total[0] <= root.total[1]
        if root.piece < 0 and not saturated:
            root.piece = <i32_t> self.piece.size()
            piece.begin = at
            piece.end = at
            piece.rank = root.total[1]
            piece.general = not complete(root)
            self.piece.push_back(piece)
            at += root.total[0]
            self.member.resize(at)
        if side.kinds == NULL:
            if saturated:
                settle(self.covered.data(), x)
            else:
                self.member[self.piece[root.piece].end] = x
                self.piece[root.piece].end += 1
        elif saturated:
            member = side.kinds.first_member[x]
            while member >= 0:
                settle(self.covered.data(), member)
                member = side.kinds.following[member]
    if side.kinds != NULL and self.piece.size():
        list_members(self, components, side)
    return 0


cdef int list_members(Reduction* self, Components* components, const Side* side) except -1 nogil:
    # Fills the pieces with n-grams by position. The greedy choice takes the last of several that
    # cover as much, so it goes from the beginning to the end, and few of what it takes overlap.
    cdef i32_t member, x, p
    charge(components.watch, 8 * side.length)
    for member in range((side.length << 3) - 1, -1, -1):
        x = side.kinds.kind[member]
        if x < 0 or self.leaves.open[x] == 0 or covers(self.covered.data(), member):
            continue
        p = components.tally[root_of(components.tally.data(), x)].piece
        if p >= 0:
            self.member[self.piece[p].end] = member
            self.piece[p].end += 1
    return 0


cdef int resolve(Reduction* self, Components* components, const Side* side, i32_t begin,
                 i32_t end) except -1 nogil:
    # Settles the members that every maximum matching uses; the others become new pieces. Returns
    # whether any was settled.
    cdef Graph* graph = &self.graph
    cdef i32_t k, x, p, n_labels = 0, label, first_piece, at
    cdef bint settled = False
    cdef Piece piece
    build_graph(components, graph, side, self.member.data() + begin, end - begin,
                self.left_node, self.right_node)
    saturate(graph)
    reach(graph)

    # Label the connected parts of what was reached.
    self.label.assign(graph.n_left + graph.n_right, -1)
    self.label_lefts.clear()
    self.label_rights.clear()
    self.label_links.clear()
    self.label_rank.clear()
    for x in range(graph.n_left):
        if graph.left_seen[x] == graph.search and self.label[x] < 0:
            label_part(self, x, n_labels)
            n_labels += 1

    self.label_members.assign(n_labels, 0)
    for x in range(graph.n_left):
        if self.label[x] >= 0:
            self.label_members[self.label[x]] += graph.left_capacity[x]
    first_piece = <i32_t> self.piece.size()
    at = <i32_t> self.member.size()
    for label in range(n_labels):
        piece.begin = at
        piece.end = at
        piece.rank = self.label_rank[label]
        piece.general = (self.label_links[label]
                         != <i64_t> self.label_lefts[label] * self.label_rights[label])
        self.piece.push_back(piece)
        at += self.label_members[label]
    self.member.resize(at)
    for k in range(begin, end):
        x = components.local[node_of(side, self.member[k])]
        if self.label[x] < 0:
            settle(self.covered.data(), self.member[k])
            settled = True
        else:
            p = first_piece + self.label[x]
            self.member[self.piece[p].end] = self.member[k]
            self.piece[p].end += 1
    forget(components, self.left_node, self.right_node)
    charge(components.watch, end - begin)
    return settled


cdef int label_part(Reduction* self, i32_t x, i32_t label) except -1 nogil:
    # Everything that links of reached left nodes connect with x.
    cdef Graph* graph = &self.graph
    cdef i32_t at = 0, k, j, y, other
    self.label_lefts.push_back(0)
    self.label_rights.push_back(0)
    self.label_links.push_back(0)
    self.label_rank.push_back(0)
    graph.queue.clear()
    graph.queue.push_back(x)
    self.label[x] = label
    while at < <i32_t> graph.queue.size():
        x = graph.queue[at]
        at += 1
        self.label_lefts[label] += 1
        self.label_links[label] += graph.first[x + 1] - graph.first[x]
        for k in range(graph.first[x], graph.first[x + 1]):
            y = graph.target[k]
            if self.label[graph.n_left + y] >= 0:
                continue
            self.label[graph.n_left + y] = label
            self.label_rights[label] += 1
            self.label_rank[label] += graph.right_capacity[y]
            for j in range(graph.right_first[y], graph.right_first[y + 1]):
                other = graph.source[graph.right_link[j]]
                if graph.left_seen[other] == graph.search and self.label[other] < 0:
                    self.label[other] = label
                    graph.queue.push_back(other)
    return 0


cdef void cover_weightless(Reduction* self, const Side* side) noexcept nogil:
    cdef i32_t position, order
    for position in range(side.length):
        for order in range(6):
            if side.weight[position << 3 | order] == 0:
                self.covered[position] |= <i8_t> (1 << order)


cdef int reduce(Reduction* self, Components* components, const Links* links,
                const Side* side) except -1 nogil:
    cdef i32_t p, k, kept, n_unresolved
    cdef bint changed = True
    cdef Piece piece
    self.covered.assign(side.length, 0)
    if side.weight != NULL:
        cover_weightless(self, side)
    self.piece.clear()
    self.member.clear()
    if side.kinds == NULL:
        settle_outermost(&self.outermost, &self.leaves, links, side, self.covered.data())
    strip(&self.leaves, links, side, self.covered.data())
    list_pieces(self, components, side)
    n_unresolved = <i32_t> self.piece.size()
    while changed:
        changed = False
        p = 0
        while p < <i32_t> self.piece.size():
            piece = self.piece[p]
            charge(components.watch, 1 + piece.end - piece.begin)
            kept = piece.begin
            for k in range(piece.begin, piece.end):
                if not covers(self.covered.data(), self.member[k]):
                    self.member[kept] = self.member[k]
                    kept += 1
            self.piece[p].end = kept
            # All that is left can be matched; a single member always can.
            if kept - piece.begin <= (1 if piece.general else piece.rank):
                for k in range(piece.begin, kept):
                    settle(self.covered.data(), self.member[k])
                    changed = True
                self.piece[p].end = piece.begin
            elif piece.general and (p < n_unresolved or kept < piece.end):
                self.piece[p].end = piece.begin
                if resolve(self, components, side, piece.begin, kept):
                    changed = True
            p += 1
        n_unresolved = 0
    return 0
