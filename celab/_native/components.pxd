# The components of a pair's link graph, and parts of it as graphs for matching.
from libcpp.vector cimport vector

from celab._native.links cimport Links
from celab._native.matching cimport Graph
from celab._native.types cimport i32_t


# A node, and what is known of its component if it is the root.
cdef struct Tally:
    i32_t half  # the search for components that met it, below 0 if only to find it covered
    i32_t parent
    i32_t edge  # the last of its edges, each of which leads to the one before
    i32_t links
    i32_t[2] nodes  # reference, hypothesis
    i32_t[2] total  # n-grams that can still gain on the own side, all on the other
    i32_t piece  # whatever number the reduction gives the component


cdef struct Edge:
    i32_t[2] node  # reference, hypothesis
    i32_t[2] before  # the edge before at either node, or -1


cdef cppclass Components:
    # A node of the reference is place << 3 | (order - 1), of the hypothesis the same + base[1].
    i32_t[2] base
    vector[Edge] edge
    size_t n_edges  # the first of them count: all links but those below
    vector[i32_t] ref_sole  # nodes of components that are one link between two n-grams
    vector[i32_t] hyp_sole
    vector[i32_t] node  # of one side, in components found last
    vector[Tally] tally
    i32_t half

    vector[i32_t] degree
    vector[i32_t] local  # a node's number in the graph made last, or -1


# One side of the pair; `other` is what belongs to the other one.
cdef struct Side:
    i32_t side  # 0 reference, 1 hypothesis
    i32_t length
    i32_t base
    i32_t other_base
    const i32_t* place
    const i32_t* following
    const i32_t* other_multiplicity


cdef inline i32_t root_of(Tally* tally, i32_t x) noexcept nogil:
    while tally[x].parent != x:
        tally[x].parent = tally[tally[x].parent].parent
        x = tally[x].parent
    return x


cdef inline bint complete(const Tally* root) noexcept nogil:
    # Every reference node of the component is linked with every hypothesis node.
    return root.links == root.nodes[0] * root.nodes[1]


cdef inline i32_t node_of(const Side* side, i32_t member) noexcept nogil:
    return side.base + (side.place[member >> 3] << 3 | (member & 7))


# Takes over the links of a pair.
cdef int list_edges(Components* self, const Links* links, i32_t n_ref, i32_t n_hyp) except -1 nogil
cdef Side side_of(const Components* self, const Links* links, i32_t n_ref, i32_t n_hyp,
                  i32_t which) noexcept nogil
# The components of the n-grams of one side that are not covered yet, and of what they are linked
# with. `node` lists those of this side.
cdef int find_components(Components* self, const Side* side, const i32_t* covered) except -1 nogil
# The links of these members' nodes, as a graph whose left nodes hold as many as there are members;
# until `forget`, `local` gives the left node of a member's node.
cdef int build_graph(Components* self, Graph* graph, const Side* side, const i32_t* member,
                     i32_t n, vector[i32_t]& left_node, vector[i32_t]& right_node) except -1 nogil
cdef void forget(Components* self, const vector[i32_t]& left_node,
                 const vector[i32_t]& right_node) noexcept nogil
